//! Joins the parts of all shards into one. Each part is sorted, so the next row is the least of the parts' first rows,
//! and only one row of each part is in memory. The result is what an export of all runs at once writes, byte for byte.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    fs::File,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use serde::Deserialize;
use trajview_code::redact;

use super::{
    cell::DataRow,
    column_choice::ColumnChoice,
    columns::{DataTable, table_columns},
    data_folder::{DataFolder, ExistingPart, PartFile, PartName, PublishedPart, parts_in},
    shard::Shard,
    table_format::{self, PartWriter, TableFormat},
};

/// The result of joining the parts of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedPart {
    /// The number of parts that were joined.
    pub parts: usize,
    pub published: PublishedPart,
}

/// The parts that are joined into one file: all shards of one table in one form.
type PartsByContent = BTreeMap<(String, String), Vec<(PartName, PathBuf)>>;

/// Joins the parts in some folders and writes them into another.
///
/// # Errors
///
/// A sentence, where a shard is missing or there twice, a part cannot be read, a run is in two parts, or nothing can be
/// written.
pub fn merge_shards(
    folders: &[PathBuf],
    out: &Path,
    existing: ExistingPart,
) -> Result<Vec<MergedPart>, String> {
    let joined = find_parts(folders)?;
    if joined.is_empty() {
        let named: Vec<String> = folders.iter().map(|it| it.display().to_string()).collect();
        return Err(format!("{}: no parts of tables", named.join(", ")));
    }
    joined.values().try_for_each(|parts| require_every_shard(parts))?;
    let out = DataFolder::open(out).map_err(|why| why.to_string())?;
    let mut files = vec![];
    for ((content, extension), parts) in &joined {
        files.push(join_parts(content, extension, parts, &out)?);
    }
    let published = out.publish_parts(files, existing).map_err(|why| why.to_string())?;
    let counts = joined.values().map(Vec::len);
    Ok(counts.zip(published).map(|(parts, published)| MergedPart { parts, published }).collect())
}

/// Returns all parts by their content. The same part in two folders counts once.
fn find_parts(folders: &[PathBuf]) -> Result<PartsByContent, String> {
    let mut joined = PartsByContent::new();
    for folder in folders {
        let parts =
            parts_in(folder).map_err(|why| format!("cannot read {}: {why}", folder.display()))?;
        for part in parts {
            let path = folder.join(part.name());
            let parts = joined.entry((part.content.clone(), part.extension.clone())).or_default();
            if !parts.iter().any(|(known, _)| *known == part) {
                parts.push((part, path));
            }
        }
    }
    for parts in joined.values_mut() {
        parts.sort();
    }
    Ok(joined)
}

/// Refuses what is not exactly one part of each shard.
fn require_every_shard(parts: &[(PartName, PathBuf)]) -> Result<(), String> {
    let Some((first, _)) = parts.first() else { return Ok(()) };
    let of = first.shard.count;
    for pair in parts.windows(2) {
        let [(one, path), (other, again)] = pair else { continue };
        let why = if one.shard.count != other.shard.count {
            "are of different divisions"
        } else if one.shard == other.shard {
            "are both of one shard"
        } else {
            continue;
        };
        return Err(format!("{} and {} {why}", path.display(), again.display()));
    }
    let is_there = |number: &u32| parts.iter().any(|(part, _)| part.shard.number == *number);
    let missing: Vec<String> =
        (1..=of).filter(|number| !is_there(number)).take(8).map(|it| it.to_string()).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("{}: no part of shard {} of {of}", first.content, missing.join(", "))),
    }
}

fn join_parts(
    content: &str,
    extension: &str,
    parts: &[(PartName, PathBuf)],
    out: &DataFolder,
) -> Result<PartFile, String> {
    match (DataTable::by_word(content), TableFormat::by_word(extension)) {
        (Some(table), Some(form)) => join_table(table, form, parts, out),
        (None, Some(TableFormat::Jsonl)) => join_documents(content, parts, out),
        (None, _) | (Some(_), None) => {
            Err(format!("{content}-*.{extension}: neither a table nor documents of this trajview"))
        }
    }
}

fn join_table(
    table: DataTable,
    form: TableFormat,
    parts: &[(PartName, PathBuf)],
    out: &DataFolder,
) -> Result<PartFile, String> {
    let (mut readers, mut columns) = (vec![], CommonColumns::default());
    for (_, path) in parts {
        let named = |why: String| format!("{}: {why}", path.display());
        let (found, rows) = table_format::read_with_columns(form, table, path).map_err(named)?;
        columns.add_part(path, found)?;
        readers.push(rows.map(move |row| row.map_err(named)));
    }
    let place = |name: &str| table_columns(table).iter().position(|column| column.name == name);
    let (task, path) = (place("task_id"), place("source_uri"));
    let key = move |row: &DataRow| {
        let text = |at: Option<usize>| Some(row.get(at?)?.as_text()?.to_owned());
        (text(task), text(path).unwrap_or_default())
    };
    let file =
        out.new_part(table.word(), form.word(), Shard::ALL_RUNS).map_err(|why| why.to_string())?;
    let writing = |why: std::io::Error| format!("cannot write {}: {why}", out.path().display());
    let mut writer = PartWriter::new(form, columns.into_choice(table)?, file).map_err(writing)?;
    let paths: Vec<&Path> = parts.iter().map(|(_, path)| path.as_path()).collect();
    let identities = [place("transcript_id"), path, task];
    let mut keys = RedactionKeys::default();
    merge_sorted(readers, &paths, key, |row: DataRow| {
        let found = identities.iter().filter_map(|at| row.get((*at)?)?.as_text());
        keys.add_identities(found)?;
        writer.write_row(&row).map_err(writing)
    })?;
    writer.finish().map_err(writing)
}

/// The columns of the parts that are joined, which have to be the same.
#[derive(Default)]
struct CommonColumns<'p> {
    of: Option<(&'p Path, ColumnChoice)>,
}

impl<'p> CommonColumns<'p> {
    fn add_part(&mut self, path: &'p Path, found: Option<ColumnChoice>) -> Result<(), String> {
        let Some(found) = found else { return Ok(()) };
        match &self.of {
            Some((first, columns)) if *columns != found => Err(format!(
                "{} and {} have different columns: export all shards with the same --columns",
                first.display(),
                path.display()
            )),
            Some(_) => Ok(()),
            None => {
                self.of = Some((path, found));
                Ok(())
            }
        }
    }

    /// Returns the columns; all where no part has a line that names them.
    fn into_choice(self, table: DataTable) -> Result<ColumnChoice, String> {
        let Some((first, columns)) = self.of else { return Ok(ColumnChoice::all(table)) };
        let sorted_by = ["task_id", "source_uri"];
        match sorted_by.into_iter().find(|name| columns.place_in_file(name).is_none()) {
            Some(name) => Err(format!(
                "{}: no column {name}, by which parts are joined: export the shards with --columns {},...",
                first.display(),
                sorted_by.join(",")
            )),
            None => Ok(columns),
        }
    }
}

/// The key of the tokens in redacted identities, which has to be one: with two keys what is equal is not, and what one
/// table has is not found in the other.
#[derive(Default)]
struct RedactionKeys {
    name: Option<String>,
}

impl RedactionKeys {
    fn add_identities<'t>(
        &mut self,
        identities: impl Iterator<Item = &'t str>,
    ) -> Result<(), String> {
        for name in identities.flat_map(redact::key_names) {
            match &self.name {
                Some(known) if known != name => {
                    return Err(format!(
                        "the parts were redacted with different keys ({known} and {name} begin their tokens): export the shards with \
                         one --redaction-key FILE"
                    ));
                }
                Some(_) => {}
                None => self.name = Some(name.to_owned()),
            }
        }
        Ok(())
    }
}

/// Joins the documents of a command, a line each.
fn join_documents(
    content: &str,
    parts: &[(PartName, PathBuf)],
    out: &DataFolder,
) -> Result<PartFile, String> {
    let readers = parts.iter().map(|(_, path)| {
        let named = |why: std::io::Error| format!("{}: {why}", path.display());
        let file = File::open(path).map_err(named)?;
        Ok(BufReader::new(file).lines().map(move |line| line.map_err(named)))
    });
    let readers = readers.collect::<Result<Vec<_>, String>>()?;
    let mut file = out
        .new_part(content, TableFormat::Jsonl.word(), Shard::ALL_RUNS)
        .map_err(|why| why.to_string())?;
    let paths: Vec<&Path> = parts.iter().map(|(_, path)| path.as_path()).collect();
    let writing = |why: std::io::Error| format!("cannot write {}: {why}", out.path().display());
    merge_sorted(
        readers,
        &paths,
        |line: &String| source_uri_of(line),
        |line: String| {
            file.write_all(line.as_bytes()).and_then(|()| file.write_all(b"\n")).map_err(writing)
        },
    )?;
    Ok(file)
}

/// Returns the path of the run that a document is of.
fn source_uri_of(line: &str) -> String {
    #[derive(Deserialize)]
    struct SourceLine {
        source_uri: String,
    }
    serde_json::from_str(line).map(|line: SourceLine| line.source_uri).unwrap_or_default()
}

/// Passes on the items of several sorted readers in their order.
fn merge_sorted<T, K: Ord + Clone>(
    mut readers: Vec<impl Iterator<Item = Result<T, String>>>,
    paths: &[&Path],
    key: impl Fn(&T) -> K,
    mut write: impl FnMut(T) -> Result<(), String>,
) -> Result<(), String> {
    let mut heads: Vec<Option<T>> = vec![];
    let mut order = BinaryHeap::new();
    for (at, reader) in readers.iter_mut().enumerate() {
        let head = reader.next().transpose()?;
        order.extend(head.iter().map(|head| Reverse((key(head), at))));
        heads.push(head);
    }
    while let Some(Reverse((known, at))) = order.pop() {
        if let Some(Reverse((other, again))) = order.peek()
            && *other == known
        {
            let (one, two) = (paths[at].display(), paths[*again].display());
            return Err(format!("a run is in two parts, {one} and {two}"));
        }
        // The rows of one run follow one another.
        while let Some(head) = heads[at].take() {
            let found = key(&head);
            if found != known {
                if found < known {
                    return Err(format!("{}: the rows are not sorted", paths[at].display()));
                }
                order.push(Reverse((found, at)));
                heads[at] = Some(head);
                break;
            }
            write(head)?;
            heads[at] = readers[at].next().transpose()?;
        }
    }
    Ok(())
}
