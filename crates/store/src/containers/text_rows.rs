//! Rows of text: a JSONL file with a run a line, and the samples of a log that is one JSON document.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

use serde_json::value::RawValue;

use super::{
    column_settings,
    members::{MOST_MEMBERS, MemberNames, Members},
};
use crate::{disk, file_bytes};
use trajview_formats::not_finite;

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
        if found.1.len() < 2 && !column_settings::has_named_messages(&start) {
            return None;
        }
        let (names, places) = found;
        Some(Self { names, places, content })
    }
}

fn list_rows(mut from: impl BufRead) -> (MemberNames, Vec<(u64, u64)>) {
    let ids = column_settings::id_columns();
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
            names.add_row(id_in(&head, &ids).as_deref());
            places.push((start, len));
        }
        start += len + 1;
        if is_end || places.len() >= MOST_MEMBERS {
            return (names, places);
        }
    }
}

/// Returns the name of a row: the value of the first of `ids` that is in its beginning.
fn id_in(head: &[u8], ids: &[String]) -> Option<String> {
    ids.iter().find_map(|key| {
        let needle = format!("\"{key}\"");
        let at = memchr::memmem::find(head, needle.as_bytes())? + needle.len();
        let rest = head.get(at..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        match rest.first()? {
            b'"' => {
                let end = memchr::memchr(b'"', rest.get(1..)?)?;
                Some(String::from_utf8_lossy(&rest[1..=end]).into_owned())
            }
            b'0'..=b'9' => {
                let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
                Some(String::from_utf8_lossy(&rest[..end]).into_owned())
            }
            _ => None,
        }
    })
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
        Ok((column_settings::with_published_names(&row).unwrap_or(row), cut))
    }
}

/// Returns the texts of the elements of the list under that key of a document, of the list that it is where the key is
/// empty; None where it is no JSON.
fn list_elements<'t>(document: &'t str, key: &str) -> Option<Vec<&'t str>> {
    if key.is_empty() {
        let list: Vec<&'t RawValue> = serde_json::from_str(document).ok()?;
        return Some(list.into_iter().map(RawValue::get).collect());
    }
    let fields: std::collections::HashMap<String, &'t RawValue> =
        serde_json::from_str(document).ok()?;
    let list: Vec<&'t RawValue> = serde_json::from_str(fields.get(key)?.get()).ok()?;
    Some(list.into_iter().map(RawValue::get).collect())
}

/// Returns `<id>_epoch_<epoch>` of a sample of Inspect, the UUID of a conversation.
fn name_of_sample(sample: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct SampleName {
        #[serde(default)]
        id: serde_json::Value,
        epoch: Option<u64>,
        uuid: Option<serde_json::Value>,
    }
    let (SampleName { id, epoch, uuid }, _) = not_finite::read_json(sample.as_bytes()).ok()?;
    if id.is_null() {
        return uuid?.as_str().map(str::to_owned);
    }
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    Some(format!("{id}_epoch_{}", epoch.unwrap_or(1)))
}

/// The elements of a list in one document.
pub struct JsonListRows {
    names: MemberNames,
    places: Vec<(usize, usize)>,
    content: String,
}

impl JsonListRows {
    pub fn open(file: &Path, key: &str) -> Option<Self> {
        let (file_bytes, _) = file_bytes::read_file(
            file,
            file_bytes::FileAccess::InMemory,
            &mut file_bytes::ReadAllowance::default(),
        )
        .ok()?;
        let content = String::from_utf8(file_bytes.read_all().0.into_owned()).ok()?;
        let samples = list_elements(&content, key)
            .or_else(|| not_finite::list_element_texts(&content, key))?;
        let (mut names, mut places) = (MemberNames::default(), vec![]);
        for sample in samples.into_iter().take(MOST_MEMBERS) {
            names.add_row(name_of_sample(sample).as_deref());
            let start = sample.as_ptr() as usize - content.as_ptr() as usize;
            places.push((start, sample.len()));
        }
        (!places.is_empty()).then_some(Self { names, places, content })
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
        Ok(file_bytes::read_within(&self.content.as_bytes()[start..start + len], most))
    }
}
