//! The tables that exports wrote, as they lie in their folders: which files a table has, and its rows.

use std::path::{Path, PathBuf};

use super::{
    columns::Table,
    folder::{Part, parts_in},
    form::{Form, Rows, rows_by_name},
};

/// The parts of tables in some folders.
#[derive(Debug, Clone, Default)]
pub struct Exported {
    parts: Vec<(Part, PathBuf)>,
}

/// The forms from which rows are read, the quickest first.
const FORMS: [Form; 3] = [Form::Parquet, Form::Jsonl, Form::Csv];

impl Exported {
    /// The tables in a folder, or the one that is this file; None where there is none.
    pub fn at(path: &Path) -> Option<Self> {
        let parts: Vec<(Part, PathBuf)> = if path.is_dir() {
            let parts = parts_in(path).ok()?.into_iter();
            parts.map(|part| (part.clone(), path.join(part.name()))).collect()
        } else {
            let part = Part::parse(path.file_name()?.to_str()?)?;
            path.is_file().then(|| vec![(part, path.to_owned())])?
        };
        let is_of_a_table = |(part, _): &(Part, PathBuf)| {
            Table::by_word(&part.of).is_some() && Form::by_word(&part.extension).is_some()
        };
        let parts: Vec<_> = parts.into_iter().filter(is_of_a_table).collect();
        (!parts.is_empty()).then_some(Self { parts })
    }

    /// Those of several folders together.
    pub fn joined(all: Vec<Self>) -> Self {
        let mut parts: Vec<_> = all.into_iter().flat_map(|it| it.parts).collect();
        parts.sort();
        parts.dedup_by(|(one, _), (other, _)| one == other); // the same content in two folders
        Self { parts }
    }

    /// The files of a table in one form, in the order of their shards, and the form; None where the table was not written.
    pub fn files(&self, table: Table) -> Option<(Form, Vec<&Path>)> {
        let (form, parts) = self.parts_of(table)?;
        Some((form, parts.into_iter().map(|(_, path)| path.as_path()).collect()))
    }

    fn parts_of(&self, table: Table) -> Option<(Form, Vec<&(Part, PathBuf)>)> {
        FORMS.into_iter().find_map(|form| {
            let is_of_it = |part: &Part| part.of == table.word() && part.extension == form.word();
            let mut found: Vec<_> = self.parts.iter().filter(|(part, _)| is_of_it(part)).collect();
            found.sort();
            (!found.is_empty()).then_some((form, found))
        })
    }

    /// The rows of a table, those of one part after those of another; none where the table was not written. Where columns are named
    /// others may be missing in each row, as they need not be read.
    ///
    /// # Errors
    ///
    /// A sentence, where a part cannot be read.
    pub fn rows(&self, table: Table, wanted: &[&str]) -> Result<Rows, String> {
        let Some((form, files)) = self.files(table) else {
            return Ok(Box::new(std::iter::empty()));
        };
        let parts = files.into_iter().map(|path| {
            let named = |why: String| format!("{}: {why}", path.display());
            rows_by_name(form, table, path, wanted).map_err(named)
        });
        let parts = parts.collect::<Result<Vec<Rows>, String>>()?;
        Ok(Box::new(parts.into_iter().flatten()))
    }

    /// Says which shards of a table are not there; None where all are.
    pub fn missing(&self, table: Table) -> Option<String> {
        let (_, parts) = self.parts_of(table)?;
        let shards: Vec<_> = parts.into_iter().map(|(part, _)| part.shard).collect();
        let of = shards.first()?.of;
        let is_there = |number: &u32| shards.iter().any(|it| it.of == of && it.number == *number);
        let missing: Vec<String> =
            (1..=of).filter(|number| !is_there(number)).take(8).map(|it| it.to_string()).collect();
        (!missing.is_empty())
            .then(|| format!("{}: no part of shard {} of {of}", table.word(), missing.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_parts_of_tables_is_no_export() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("score-1of1-0123456789abcdef.jsonl"), "").unwrap();
        std::fs::write(folder.path().join("runs.parquet"), "").unwrap();

        assert!(Exported::at(folder.path()).is_none());
        assert!(Exported::at(&folder.path().join("runs.parquet")).is_none());
    }

    #[test]
    fn shards_that_are_not_there_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for shard in ["1of3", "3of3"] {
            let name = format!("runs-{shard}-0123456789abcdef.jsonl");
            std::fs::write(folder.path().join(name), "").unwrap();
        }

        let exported = Exported::at(folder.path()).unwrap();

        let missing = exported.missing(Table::Runs);
        assert_eq!(missing.as_deref(), Some("runs: no part of shard 2 of 3"));
        assert_eq!(exported.missing(Table::Turns), None);
        assert_eq!(exported.rows(Table::Runs, &[]).unwrap().count(), 0);
    }
}
