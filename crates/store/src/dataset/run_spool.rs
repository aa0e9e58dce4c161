//! The rows of all runs on disk, until they can be written in their order: tasks are known only when the last run has
//! been read, and tables are sorted by task. What stays in memory is the place of each run.

use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::Path,
};

use serde_json::Value;

use trajview_code::packing;

use super::{
    cell::{self, DataRow, row_from_json},
    columns::{DataTable, table_columns},
};

/// The number of bytes of rows that are compressed together.
const PACKED_TOGETHER: usize = 256 << 10;

/// The sort key of rows: the task, those without one first, then the path of the run. Rows of one run keep their order.
pub type RunKey = (Option<Box<str>>, Box<str>);

/// The rows of one run, packed.
#[derive(Debug)]
pub struct RunRows {
    key: RunKey,
    packed: [Vec<u8>; DataTable::COUNT],
    open: [Vec<u8>; DataTable::COUNT],
}

impl RunRows {
    /// Makes the rows of a run, empty at first; `task` is its task, `path` its path.
    pub fn new(task: Option<&str>, path: &str) -> Self {
        Self {
            // As the columns have them, by which parts are merged.
            key: (task.map(Into::into), path.into()),
            packed: Default::default(),
            open: Default::default(),
        }
    }

    /// Adds the row that some JSON makes; the JSON contains `transcript_id`, `source_uri` and `task_id`.
    pub fn push(&mut self, table: DataTable, row: &Value) {
        let open = &mut self.open[table as usize];
        cell::write_row(&row_from_json(table, row), open);
        if open.len() >= PACKED_TOGETHER {
            pack_rows(open, &mut self.packed[table as usize]);
        }
    }

    fn finish(mut self) -> (RunKey, [Vec<u8>; DataTable::COUNT]) {
        for (open, packed) in self.open.iter_mut().zip(&mut self.packed) {
            pack_rows(open, packed);
        }
        (self.key, self.packed)
    }
}

/// Compresses the bytes behind what is packed already.
pub(super) fn pack_rows(open: &mut Vec<u8>, packed: &mut Vec<u8>) {
    if !open.is_empty() {
        packed.extend(packing::pack_bytes(open).expect("compressing into memory cannot fail"));
        open.clear();
    }
}

/// The place of the rows of one run in the file.
#[derive(Debug)]
struct SpooledRun {
    key: RunKey,
    start: u64,
    lengths: [u32; DataTable::COUNT],
}

/// The rows of all runs so far.
#[derive(Debug)]
pub struct RunSpool {
    file: File,
    end: u64,
    runs: Vec<SpooledRun>,
}

impl RunSpool {
    /// Makes an empty spool, in a file without a name in that folder.
    ///
    /// # Errors
    ///
    /// Where no file can be made there.
    pub fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, end: 0, runs: vec![] })
    }

    /// Adds the rows of one more run; runs come in any order.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written, and where the rows of one table of one run take 4 GB.
    pub fn add_run(&mut self, run: RunRows) -> io::Result<()> {
        let (key, packed) = run.finish();
        let (start, mut lengths) = (self.end, [0; DataTable::COUNT]);
        for (length, bytes) in lengths.iter_mut().zip(&packed) {
            *length = u32::try_from(bytes.len())
                .map_err(|_| io::Error::other(format!("{}: too many rows", key.1)))?;
            self.file.write_all(bytes)?;
            self.end += u64::from(*length);
        }
        self.runs.push(SpooledRun { key, start, lengths });
        Ok(())
    }

    /// Returns how many runs there are.
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Passes on all rows of a table, sorted.
    ///
    /// # Errors
    ///
    /// Where the rows cannot be read again or not be written on.
    pub fn write_table(
        &mut self,
        table: DataTable,
        write: &mut dyn FnMut(&DataRow) -> io::Result<()>,
    ) -> io::Result<()> {
        self.runs.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let count = table_columns(table).len();
        for run in &self.runs {
            let [before @ .., _] = &run.lengths[..=table as usize] else { continue };
            let length = run.lengths[table as usize];
            if length == 0 {
                continue;
            }
            let before: u64 = before.iter().copied().map(u64::from).sum();
            self.file.seek(SeekFrom::Start(run.start + before))?;
            let packed = (&self.file).take(u64::from(length));
            let mut rows = BufReader::new(zstd::stream::read::Decoder::new(packed)?);
            while let Some(row) = cell::read_row(&mut rows, count)? {
                write(&row)?;
            }
        }
        Ok(())
    }
}
