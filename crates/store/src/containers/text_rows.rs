//! Rows of text: a JSONL file with a run a line, and the samples of a log that is one JSON document.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use trajview_formats::{
    ColumnNames, element_name, field_names, harness::report_elements, inspect_archive,
    list_elements, row_name, with_run_field,
};

use super::{
    column_settings::{self, with_columns},
    members::{MOST_MEMBERS, MemberNames, Members},
};
use crate::{disk, file_bytes};

/// The bytes of a row that are searched for its name.
const NAMED_WITHIN: usize = 16 << 10;

/// A run a line.
pub struct LineRows {
    names: MemberNames,
    places: Vec<(u64, u64)>,
    content: LinesContent,
}

enum LinesContent {
    OnDisk(File),
    Held(Vec<u8>),
}

impl LineRows {
    pub fn open(file: &Path) -> Option<Self> {
        let (start, _) = file_bytes::read_start(file).ok()?;
        let content = if file_bytes::is_packed(&start) {
            let (file_bytes, _) = file_bytes::read_file(
                file,
                file_bytes::FileAccess::InMemory,
                &mut file_bytes::ReadAllowance::default(),
            )
            .ok()?;
            LinesContent::Held(file_bytes.read_all().0.into_owned())
        } else {
            LinesContent::OnDisk(disk::open_file(file).ok()?)
        };
        let found = match &content {
            LinesContent::OnDisk(_) => {
                list_rows(BufReader::with_capacity(1 << 20, disk::open_file(file).ok()?))
            }
            LinesContent::Held(bytes) => list_rows(&bytes[..]),
        };
        // One row is the run that the file is.
        if found.1.len() < 2 && !column_settings::has_named_columns(&start) {
            return None;
        }
        let (names, places) = found;
        Some(Self { names, places, content })
    }
}

fn list_rows(mut from: impl BufRead) -> (MemberNames, Vec<(u64, u64)>) {
    let ids = with_columns(ColumnNames::id_columns);
    let (mut places, mut names, mut start) = (vec![], MemberNames::default(), 0);
    let mut head: Vec<u8> = vec![];
    loop {
        head.clear();
        let mut len = 0u64;
        let mut is_blank = true;
        // Lines may be of megabytes: of each only the beginning is kept.
        let is_end = loop {
            let Ok(buffer) = from.fill_buf() else { break true };
            if buffer.is_empty() {
                break true;
            }
            let end = memchr::memchr(b'\n', buffer);
            let some = &buffer[..end.unwrap_or(buffer.len())];
            is_blank &= some.trim_ascii().is_empty();
            let room = NAMED_WITHIN.saturating_sub(head.len()).min(some.len());
            head.extend_from_slice(&some[..room]);
            len += some.len() as u64;
            let taken = some.len() + usize::from(end.is_some());
            from.consume(taken);
            if end.is_some() {
                break false;
            }
        };
        if !is_blank && len > 0 {
            names.add_row(row_name(&head, &ids).as_deref());
            places.push((start, len));
        }
        start += len + 1;
        if is_end || places.len() >= MOST_MEMBERS {
            return (names, places);
        }
    }
}

impl Members for LineRows {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let (start, len) = self.places[at];
        let (wanted, cut) = file_bytes::limit_length(len, most);
        let row = match &self.content {
            LinesContent::OnDisk(file) => {
                let mut row = vec![0; wanted as usize];
                file_bytes::read_at(file, &mut row, start)?;
                row
            }
            LinesContent::Held(bytes) => {
                bytes.get(start as usize..(start + wanted) as usize).unwrap_or_default().to_vec()
            }
        };
        Ok((with_columns(|columns| columns.with_published_names(&row)).unwrap_or(row), cut))
    }
}

/// The elements of a list in one document.
pub struct JsonListRows {
    names: MemberNames,
    places: Vec<(usize, usize)>,
    content: String,
    /// The facts about all samples of a log of Inspect.
    log_facts: Option<String>,
}

/// Returns a whole file as text; None where it is none.
fn read_text(file: &Path) -> Option<String> {
    let (file_bytes, _) = file_bytes::read_file(
        file,
        file_bytes::FileAccess::InMemory,
        &mut file_bytes::ReadAllowance::default(),
    )
    .ok()?;
    String::from_utf8(file_bytes.read_all().0.into_owned()).ok()
}

/// The most fields that are runs: each is read with the whole document.
const MOST_FIELDS: usize = 1_000;

/// The fields of an object in one document, each of which is a run and needs the whole document.
pub struct JsonFieldRows {
    names: MemberNames,
    fields: Vec<String>,
    content: String,
}

impl JsonFieldRows {
    pub fn open(file: &Path, key: &str) -> Option<Self> {
        let content = read_text(file)?;
        let mut fields = field_names(&content, key)?;
        fields.truncate(MOST_FIELDS);
        let mut names = MemberNames::default();
        fields.iter().for_each(|name| names.add_row(Some(name)));
        (!fields.is_empty()).then_some(Self { names, fields, content })
    }
}

impl Members for JsonFieldRows {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let document = with_run_field(&self.content, &self.fields[at]);
        Ok(file_bytes::read_within(&document[..], most))
    }
}

/// The names in the lists of a report, each of which is a run.
pub struct ListedNameRows {
    names: MemberNames,
    documents: Vec<String>,
}

impl ListedNameRows {
    /// Reads the report of a SWE-bench run, or `preds.json`, as one document per instance; None where it names none.
    pub fn open(file: &Path) -> Option<Self> {
        let (mut names, mut documents) = (MemberNames::default(), vec![]);
        for (name, document) in report_elements(&read_text(file)?)?.into_iter().take(MOST_MEMBERS) {
            names.add_row(Some(&name));
            documents.push(document);
        }
        (!documents.is_empty()).then_some(Self { names, documents })
    }
}

impl Members for ListedNameRows {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        Ok(file_bytes::read_within(self.documents[at].as_bytes(), most))
    }
}

impl JsonListRows {
    pub fn open(file: &Path, key: &str) -> Option<Self> {
        let content = read_text(file)?;
        let elements = list_elements(&content, key)?;
        let (mut names, mut places) = (MemberNames::default(), vec![]);
        for element in elements.into_iter().take(MOST_MEMBERS) {
            names.add_row(element_name(element).as_deref());
            let start = element.as_ptr() as usize - content.as_ptr() as usize;
            places.push((start, element.len()));
        }
        // Of the lists only that of an Inspect log has a head, which is under this key.
        let has_head = content.contains("\"eval\"");
        let log_facts = has_head
            .then(|| inspect_archive::log_facts(content.as_bytes(), disk::name_of(file)))
            .flatten();
        (!places.is_empty()).then_some(Self { names, places, content, log_facts })
    }
}

impl Members for JsonListRows {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let (start, len) = self.places[at];
        let (sample, cut) =
            file_bytes::read_within(&self.content.as_bytes()[start..start + len], most);
        match &self.log_facts {
            Some(facts) => Ok((inspect_archive::with_log_facts(&sample, facts), cut)),
            None => Ok((sample, cut)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_with_very_many_fields_has_the_first_thousand_as_runs() {
        let fields: Vec<String> = (0..1_200).map(|at| format!("\"m{at}\": {{}}")).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{{\"models\": {{{}}}}}", fields.join(","))).unwrap();

        let rows = JsonFieldRows::open(file.path(), "models").unwrap();

        assert_eq!((rows.fields.len(), rows.names().all_names().len()), (1_000, 1_000));
    }
}
