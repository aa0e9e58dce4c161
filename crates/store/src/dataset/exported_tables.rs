//! The tables that exports wrote, as they lie in their folders: which files a table has, and its rows.

use std::path::{Path, PathBuf};

use super::{
    columns::DataTable,
    data_folder::{PartName, parts_in},
    table_format::{DataRows, TableFormat, read_rows_by_name},
};

/// The parts of tables in some folders.
#[derive(Debug, Clone, Default)]
pub struct ExportedTables {
    parts: Vec<(PartName, PathBuf)>,
}

/// The forms from which rows are read, the quickest first.
const READ_ORDER: [TableFormat; 3] = [TableFormat::Parquet, TableFormat::Jsonl, TableFormat::Csv];

impl ExportedTables {
    /// Returns the tables in a folder, or the one that is this file; None where there is none.
    pub fn find_in(path: &Path) -> Option<Self> {
        let parts: Vec<(PartName, PathBuf)> = if path.is_dir() {
            let parts = parts_in(path).ok()?.into_iter();
            parts.map(|part| (part.clone(), path.join(part.name()))).collect()
        } else {
            let part = PartName::parse(path.file_name()?.to_str()?)?;
            path.is_file().then(|| vec![(part, path.to_owned())])?
        };
        let is_of_a_table = |(part, _): &(PartName, PathBuf)| {
            DataTable::by_word(&part.content).is_some()
                && TableFormat::by_word(&part.extension).is_some()
        };
        let parts: Vec<_> = parts.into_iter().filter(is_of_a_table).collect();
        (!parts.is_empty()).then_some(Self { parts })
    }

    /// Joins the tables of several folders.
    pub fn from_folders(all: Vec<Self>) -> Self {
        let mut parts: Vec<_> = all.into_iter().flat_map(|it| it.parts).collect();
        parts.sort();
        parts.dedup_by(|(one, _), (other, _)| one == other); // the same content in two folders
        Self { parts }
    }

    /// Returns the files of a table in one form, in the order of their shards, and the form; None where the table was
    /// not written.
    pub(crate) fn table_files(&self, table: DataTable) -> Option<(TableFormat, Vec<&Path>)> {
        let (form, parts) = self.parts_of(table)?;
        Some((form, parts.into_iter().map(|(_, path)| path.as_path()).collect()))
    }

    fn parts_of(&self, table: DataTable) -> Option<(TableFormat, Vec<&(PartName, PathBuf)>)> {
        READ_ORDER.into_iter().find_map(|form| {
            let is_of_it =
                |part: &PartName| part.content == table.word() && part.extension == form.word();
            let mut found: Vec<_> = self.parts.iter().filter(|(part, _)| is_of_it(part)).collect();
            found.sort();
            (!found.is_empty()).then_some((form, found))
        })
    }

    /// Returns the rows of a table, those of one part after those of another; none where the table was not written.
    /// Where columns are named others may be missing in each row, as they need not be read.
    ///
    /// # Errors
    ///
    /// A sentence, where a part cannot be read.
    pub(crate) fn table_rows(
        &self,
        table: DataTable,
        columns: &[&str],
    ) -> Result<DataRows, String> {
        let Some((form, files)) = self.table_files(table) else {
            return Ok(Box::new(std::iter::empty()));
        };
        let parts = files.into_iter().map(|path| {
            let named = |why: String| format!("{}: {why}", path.display());
            read_rows_by_name(form, table, path, columns).map_err(named)
        });
        let parts = parts.collect::<Result<Vec<DataRows>, String>>()?;
        Ok(Box::new(parts.into_iter().flatten()))
    }

    /// Returns the missing shards of a table as text; None where all are there.
    pub fn missing_shards(&self, table: DataTable) -> Option<String> {
        let (_, parts) = self.parts_of(table)?;
        let shards: Vec<_> = parts.into_iter().map(|(part, _)| part.shard).collect();
        let of = shards.first()?.count;
        let is_there =
            |number: &u32| shards.iter().any(|it| it.count == of && it.number == *number);
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

        assert!(ExportedTables::find_in(folder.path()).is_none());
        assert!(ExportedTables::find_in(&folder.path().join("runs.parquet")).is_none());
    }

    #[test]
    fn shards_that_are_not_there_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for shard in ["1of3", "3of3"] {
            let name = format!("runs-{shard}-0123456789abcdef.jsonl");
            std::fs::write(folder.path().join(name), "").unwrap();
        }

        let exported = ExportedTables::find_in(folder.path()).unwrap();

        let missing = exported.missing_shards(DataTable::Runs);
        assert_eq!(missing.as_deref(), Some("runs: no part of shard 2 of 3"));
        assert_eq!(exported.missing_shards(DataTable::Turns), None);
        assert_eq!(exported.table_rows(DataTable::Runs, &[]).unwrap().count(), 0);
    }
}
