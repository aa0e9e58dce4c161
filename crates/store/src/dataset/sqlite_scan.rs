//! A table of an export as SQLite reads it where it lies: nothing is copied into a database first, and of the file only
//! the columns are read that a query names.
//!
//! SQLite fetches rows one by one and does the rest. Where it needs them sorted or grouped by texts, whole numbers or
//! booleans and the columns fit into [`MOST_BYTES`], the rows are delivered in that order: counting how many rows a
//! value has is a hundred times as fast as sorting millions. A single file is sorted by task and run already.

#![allow(unsafe_code, reason = "SQLite asks a table in C, and trusts how it lies in memory")]

use std::{
    borrow::Cow,
    collections::HashMap,
    ffi::{CStr, CString, c_int},
    fmt::Write as _,
    fs::File,
    hash::Hash,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, sync_channel},
    },
    thread,
};

use arrow_array::{
    Array as _, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch,
    StringArray, cast::AsArray, types::Int32Type,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder},
};
use rusqlite::{
    Connection, Error, Result,
    types::Null,
    vtab::{
        Context, CreateVTab, Filters, IndexInfo, Module, VTab, VTabConnection, VTabCursor,
        VTabKind, sqlite3_vtab, sqlite3_vtab_cursor,
    },
};

use crate::panic_guard::catch_panic;

use super::{
    columns::{DataKind, DataTable, table_columns},
    parquet::read_footer,
    sql::column_declaration,
};

/// The number of rows that are decoded together.
const BATCH_ROWS: usize = 16 << 10;

/// The number of batches that are decoded before they are needed.
const BATCHES_AHEAD: usize = 2;

/// The most bytes of columns that are sorted here; larger ones are sorted by SQLite, on the disk where there are many.
const MOST_BYTES: u64 = 256 << 20;

/// The files of one table.
#[derive(Debug)]
pub struct TableFiles {
    table: DataTable,
    files: Vec<(PathBuf, ArrowReaderMetadata)>,
}

impl TableFiles {
    /// Reads how the files of a table are laid out.
    ///
    /// # Errors
    ///
    /// A sentence, where one cannot be read or was not written by this program.
    pub fn open(table: DataTable, paths: &[&Path]) -> std::result::Result<Self, String> {
        let of_file = |path: &&Path| {
            let named = |why: String| format!("{}: {why}", path.display());
            let file = File::open(path).map_err(|why| named(why.to_string()))?;
            Ok((path.to_path_buf(), read_footer(&file).map_err(named)?))
        };
        Ok(Self {
            table,
            files: paths.iter().map(of_file).collect::<std::result::Result<_, String>>()?,
        })
    }

    /// Returns how many rows there are.
    pub fn row_count(&self) -> u64 {
        let of_file = |(_, footer): &(PathBuf, ArrowReaderMetadata)| {
            footer.metadata().file_metadata().num_rows()
        };
        self.files.iter().map(of_file).sum::<i64>().unsigned_abs()
    }

    /// Makes the table known to a connection, under its name.
    ///
    /// # Errors
    ///
    /// Where SQLite cannot make it.
    pub(crate) fn register_table(self, connection: &Connection) -> Result<()> {
        const MODULE: Module<'_, ScannedTable> = Module::read_only_module();
        let name = self.table.word();
        connection.create_module(
            format!("export_{name}").as_str(),
            &MODULE,
            Some(Arc::new(self)),
        )?;
        connection.execute_batch(&format!("create virtual table {name} using export_{name}"))
    }

    /// Returns the bytes that these columns take in memory, with the order of their rows.
    fn column_bytes(&self, wanted: &[usize]) -> u64 {
        let all = table_columns(self.table);
        let of_order = 2 * size_of::<u64>() as u64 * self.row_count();
        let of_column = |at: &usize| match all[*at].kind {
            DataKind::Text | DataKind::Json => {
                size_of::<i32>() as u64 * self.row_count() + self.text_bytes(all[*at].name)
            }
            DataKind::Integer | DataKind::Real | DataKind::Bool => {
                size_of::<i64>() as u64 * self.row_count()
            }
        };
        of_order + wanted.iter().map(of_column).sum::<u64>()
    }

    /// Returns the bytes of the texts of a column, as the files have them.
    fn text_bytes(&self, name: &str) -> u64 {
        let groups = self.files.iter().flat_map(|(_, footer)| footer.metadata().row_groups());
        let chunks = groups.flat_map(|group| group.columns());
        let of_it = chunks.filter(|chunk| chunk.column_path().string() == name);
        of_it.map(|chunk| chunk.uncompressed_size().unsigned_abs()).sum()
    }

    /// Decodes these columns in a thread of its own, a batch at a time; `keyed` words come as numbers into a list of
    /// words.
    fn start_decoding(
        self: &Arc<Self>,
        wanted: &[usize],
        keyed: &[usize],
    ) -> Receiver<std::result::Result<DecodedBatch, String>> {
        let (sender, receiver) = sync_channel(BATCHES_AHEAD);
        let all = table_columns(self.table);
        let names: Vec<&'static str> = wanted.iter().map(|at| all[*at].name).collect();
        let keyed: Vec<&'static str> = keyed.iter().map(|at| all[*at].name).collect();
        let source = Arc::clone(self);
        thread::spawn(move || {
            for (path, footer) in &source.files {
                let mut send = |batch| sender.send(Ok(batch)).is_ok();
                let read = catch_panic(|| decode_file(path, footer, &names, &keyed, &mut send));
                match read.unwrap_or_else(|why| Err(why.into())) {
                    Ok(true) => {}
                    Ok(false) => return, // the receiver is gone
                    Err(why) => {
                        let _ = sender.send(Err(format!("{}: {why}", path.display())));
                        return;
                    }
                }
            }
        });
        receiver
    }
}

/// Sends the batches of a file; false where the receiver wants no more.
fn decode_file(
    path: &Path,
    footer: &ArrowReaderMetadata,
    names: &[&str],
    keyed: &[&str],
    send: &mut dyn FnMut(DecodedBatch) -> bool,
) -> std::result::Result<bool, Box<dyn std::error::Error>> {
    let as_keys = |field: &Arc<Field>| {
        let is_keyed =
            keyed.contains(&field.name().as_str()) && *field.data_type() == DataType::Utf8;
        match is_keyed {
            true => {
                let kind =
                    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
                Arc::new(Field::new(field.name(), kind, field.is_nullable()))
            }
            false => Arc::clone(field),
        }
    };
    let fields: Vec<Arc<Field>> = footer.schema().fields().iter().map(as_keys).collect();
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
    let footer = ArrowReaderMetadata::try_new(Arc::clone(footer.metadata()), options)?;
    let places = names.iter().filter_map(|name| footer.schema().index_of(name).ok());
    let mask = ProjectionMask::roots(footer.parquet_schema(), places);
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(File::open(path)?, footer);
    for batch in builder.with_projection(mask).with_batch_size(BATCH_ROWS).build()? {
        if !send(DecodedBatch::from_record_batch(&batch?, names)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A batch of rows, a column after the other.
#[derive(Debug)]
struct DecodedBatch {
    count: usize,
    /// The columns, in the order in which they were requested.
    columns: Vec<ColumnValues>,
}

/// The values of a column in a batch.
#[derive(Debug)]
enum ColumnValues {
    Words(StringArray),
    /// A column of places in a list of texts.
    Keyed(DictionaryArray<Int32Type>, StringArray),
    Integer(Int64Array),
    Real(Float64Array),
    Bool(BooleanArray),
    /// The file does not have the column.
    Absent,
}

impl DecodedBatch {
    fn from_record_batch(batch: &RecordBatch, names: &[&str]) -> Self {
        let column = |name: &&str| {
            batch.column_by_name(name).map_or(ColumnValues::Absent, ColumnValues::from_array)
        };
        Self { count: batch.num_rows(), columns: names.iter().map(column).collect() }
    }
}

impl ColumnValues {
    fn from_array(array: &ArrayRef) -> Self {
        if let Some(keyed) = array.as_dictionary_opt::<Int32Type>() {
            return match keyed.values().as_string_opt::<i32>() {
                Some(words) => Self::Keyed(keyed.clone(), words.clone()),
                None => Self::Absent,
            };
        }
        match array.data_type() {
            DataType::Utf8 => Self::Words(array.as_string().clone()),
            DataType::Int64 => Self::Integer(array.as_primitive().clone()),
            DataType::Float64 => Self::Real(array.as_primitive().clone()),
            DataType::Boolean => Self::Bool(array.as_boolean().clone()),
            _ => Self::Absent,
        }
    }

    fn set_value(&self, row: usize, context: &mut Context) -> Result<()> {
        match self {
            Self::Words(all) if all.is_valid(row) => context.set_result(all.value(row)),
            Self::Keyed(keys, words) if keys.is_valid(row) => {
                let key = usize::try_from(keys.keys().value(row)).unwrap_or_default();
                context.set_result(words.value(key))
            }
            Self::Integer(all) if all.is_valid(row) => context.set_result(all.value(row)),
            Self::Real(all) if all.is_valid(row) => context.set_result(all.value(row)),
            Self::Bool(all) if all.is_valid(row) => context.set_result(i64::from(all.value(row))),
            Self::Words(_)
            | Self::Keyed(..)
            | Self::Integer(_)
            | Self::Real(_)
            | Self::Bool(_)
            | Self::Absent => context.set_result(Null),
        }
    }
}

/// The table as SQLite knows it.
#[repr(C)]
struct ScannedTable {
    /// The part of SQLite, which must be the first field.
    base: sqlite3_vtab,
    source: Arc<TableFiles>,
}

// SAFETY: it is `repr(C)` and begins with SQLite's part.
unsafe impl VTab<'_> for ScannedTable {
    type Aux = Arc<TableFiles>;
    type Cursor = TableScan;

    fn connect(
        _: &mut VTabConnection,
        aux: Option<&Self::Aux>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let source = aux.cloned().ok_or_else(|| module_error("no table"))?;
        let all = table_columns(source.table)
            .iter()
            .map(|column| column_declaration(column.name, column.kind));
        let declared = format!("create table x ({})", all.collect::<Vec<_>>().join(", "));
        let declared = CString::new(declared).map_err(|_| module_error("a column has no name"))?;
        Ok((Cow::Owned(declared), Self { base: sqlite3_vtab::default(), source }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let wanted = columns_in(info.col_used(), table_columns(self.source.table).len());
        let order: Option<Vec<usize>> = info
            .order_bys()
            .map(|by| usize::try_from(by.column()).ok().filter(|_| !by.is_order_by_desc()))
            .collect();
        let order = order.filter(|order| !order.is_empty());
        let plan = order.and_then(|order| ScanPlan::in_order(&self.source, &wanted, order));
        info.set_order_by_consumed(plan.is_some());
        let plan = plan.unwrap_or_default();
        info.set_idx_str(&ScanPlan { wanted, ..plan }.to_string());
        let count = self.source.row_count();
        info.set_estimated_cost(count as f64);
        info.set_estimated_rows(i64::try_from(count).unwrap_or(i64::MAX));
        Ok(true)
    }

    fn open(&mut self) -> Result<Self::Cursor> {
        Ok(TableScan {
            base: sqlite3_vtab_cursor::default(),
            source: Arc::clone(&self.source),
            slots: vec![],
            batches: vec![],
            at: (0, 0),
            supply: RowSupply::Ended,
            number: 0,
            is_over: true,
        })
    }
}

impl CreateVTab<'_> for ScannedTable {
    const KIND: VTabKind = VTabKind::Default;
}

/// Returns the columns that a query names, from the mask of SQLite: its last bit means all columns from there on.
fn columns_in(mask: u64, count: usize) -> Vec<usize> {
    const LAST: usize = 63;
    (0..count).filter(|at| mask & (1 << (*at).min(LAST)) != 0).collect()
}

/// The manner in which rows are read, as SQLite passes it from the plan of a query to its execution.
#[derive(Debug, Default, PartialEq)]
struct ScanPlan {
    wanted: Vec<usize>,
    /// The columns by which rows are put in order here; none where they come as they are.
    order: Vec<usize>,
}

impl ScanPlan {
    /// Makes a plan that gives the rows in the order of these columns; None where the ordering is left to SQLite.
    fn in_order(source: &TableFiles, wanted: &[usize], order: Vec<usize>) -> Option<Self> {
        let all = table_columns(source.table);
        let as_it_is = ["task_id", "source_uri"];
        let is_as_it_is = source.files.len() == 1
            && order.len() <= as_it_is.len()
            && order.iter().zip(as_it_is).all(|(at, name)| all[*at].name == name);
        if is_as_it_is {
            return Some(Self::default());
        }
        let can_be_counted = |at: &usize| all[*at].kind != DataKind::Real;
        let is_small =
            source.column_bytes(wanted) <= MOST_BYTES && source.row_count() <= u64::from(u32::MAX);
        let is_ordered = order.iter().all(can_be_counted) && is_small;
        is_ordered.then_some(Self { order, ..Self::default() })
    }

    fn parse(text: &str) -> Option<Self> {
        let (wanted, order) = text.split_once('/')?;
        let numbers = |text: &str| {
            text.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>()
        };
        Some(Self { wanted: numbers(wanted).ok()?, order: numbers(order).ok()? })
    }
}

impl std::fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        for (sign, all) in [("", &self.wanted), ("/", &self.order)] {
            text.push_str(sign);
            all.iter().try_for_each(|at| write!(text, "{at} "))?;
        }
        f.write_str(&text)
    }
}

/// The source of the next row.
#[derive(Debug)]
enum RowSupply {
    /// The rows in the order of the files.
    Coming(Receiver<std::result::Result<DecodedBatch, String>>),
    /// All rows are there; these are their places, in the order that is wanted.
    Ordered(std::vec::IntoIter<(u32, u32)>),
    Ended,
}

/// The rows of one scan.
#[repr(C)]
struct TableScan {
    /// The part of SQLite, which must be the first field.
    base: sqlite3_vtab_cursor,
    source: Arc<TableFiles>,
    /// The position of each column of the table in a batch.
    slots: Vec<Option<usize>>,
    batches: Vec<DecodedBatch>,
    /// The position of the cursor: a batch and a row in it.
    at: (usize, usize),
    supply: RowSupply,
    number: i64,
    is_over: bool,
}

impl TableScan {
    /// Moves to the first row of the next batch that has one.
    fn take_batch(&mut self) -> Result<()> {
        let RowSupply::Coming(coming) = &self.supply else { return Ok(()) };
        loop {
            match coming.recv() {
                Ok(Ok(batch)) if batch.count == 0 => {}
                Ok(Ok(batch)) => {
                    self.batches = vec![batch];
                    self.at = (0, 0);
                    return Ok(());
                }
                Ok(Err(why)) => return Err(module_error(why)),
                Err(_) => {
                    self.is_over = true;
                    return Ok(());
                }
            }
        }
    }

    fn take_ordered(&mut self) {
        let RowSupply::Ordered(places) = &mut self.supply else { return };
        match places.next() {
            Some((batch, row)) => self.at = (batch as usize, row as usize),
            None => self.is_over = true,
        }
    }
}

// SAFETY: it is `repr(C)` and begins with SQLite's part.
unsafe impl VTabCursor for TableScan {
    fn filter(&mut self, _: c_int, plan: Option<&str>, _: &Filters<'_>) -> Result<()> {
        let plan = plan.and_then(ScanPlan::parse).ok_or_else(|| module_error("no plan"))?;
        let all = table_columns(self.source.table);
        let place = |at: usize| plan.wanted.iter().position(|wanted| *wanted == at);
        self.slots = (0..all.len()).map(place).collect();
        (self.number, self.is_over, self.at) = (0, false, (0, 0));
        let is_of_words = |at: &usize| matches!(all[*at].kind, DataKind::Text | DataKind::Json);
        if plan.order.is_empty() {
            // Task and run are the same in many rows.
            let keyed: Vec<usize> = (0..3).filter(is_of_words).collect();
            self.supply = RowSupply::Coming(self.source.start_decoding(&plan.wanted, &keyed));
            return self.take_batch();
        }
        let keyed: Vec<usize> = plan.wanted.iter().copied().filter(is_of_words).collect();
        let batches = self.source.start_decoding(&plan.wanted, &keyed).into_iter();
        self.batches = batches.collect::<std::result::Result<_, String>>().map_err(module_error)?;
        let slots: Vec<usize> = plan.order.iter().filter_map(|at| self.slots[*at]).collect();
        self.supply = RowSupply::Ordered(sorted_places(&self.batches, &slots).into_iter());
        self.take_ordered();
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        self.number += 1;
        if matches!(self.supply, RowSupply::Ordered(_)) {
            self.take_ordered();
            return Ok(());
        }
        self.at.1 += 1;
        match self.batches.first().is_some_and(|batch| self.at.1 < batch.count) {
            true => Ok(()),
            false => self.take_batch(),
        }
    }

    fn eof(&self) -> bool {
        self.is_over
    }

    fn column(&self, context: &mut Context, at: c_int) -> Result<()> {
        let slot = usize::try_from(at).ok().and_then(|at| *self.slots.get(at)?);
        let (batch, row) = self.at;
        match slot.and_then(|slot| self.batches.get(batch)?.columns.get(slot)) {
            Some(values) => values.set_value(row, context),
            None => context.set_result(Null),
        }
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.number)
    }
}

fn module_error(why: impl Into<String>) -> Error {
    Error::ModuleError(why.into())
}

/// Returns the places of all rows (batch, row) in the order of these columns; null comes first, equal rows keep their
/// order.
fn sorted_places(batches: &[DecodedBatch], slots: &[usize]) -> Vec<(u32, u32)> {
    let mut ranks =
        RowRanks { of_rows: vec![0; batches.iter().map(|it| it.count).sum()], count: 1 };
    for slot in slots {
        ranks = ranks.refine_by(&RowRanks::for_column(batches, *slot));
    }
    let mut starts = vec![0_usize; ranks.count + 1];
    ranks.of_rows.iter().for_each(|rank| starts[*rank as usize + 1] += 1);
    (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
    let mut places = vec![(0, 0); ranks.of_rows.len()];
    let rows = batches.iter().zip(0_u32..);
    let rows = rows.flat_map(|(batch, at)| (0..batch.count as u32).map(move |row| (at, row)));
    for (place, rank) in rows.zip(&ranks.of_rows) {
        let next = &mut starts[*rank as usize];
        places[*next] = place;
        *next += 1;
    }
    places
}

/// The rank of each row among the different values of a column.
struct RowRanks {
    of_rows: Vec<u32>,
    /// The number of different values.
    count: usize,
}

impl RowRanks {
    fn for_column(batches: &[DecodedBatch], slot: usize) -> Self {
        let mut words: NumberedValues<Option<&str>> = NumberedValues::default();
        let mut wholes: NumberedValues<Option<i64>> = NumberedValues::default();
        let mut of_rows = vec![];
        let mut is_of_words = false;
        for batch in batches {
            let rows = 0..batch.count;
            match &batch.columns[slot] {
                ColumnValues::Keyed(keys, list) => {
                    is_of_words = true;
                    let null = words.number_for(None);
                    let known: Vec<u32> =
                        (0..list.len()).map(|at| words.number_for(Some(list.value(at)))).collect();
                    let numbers = keys.keys().values();
                    of_rows.extend(rows.map(|row| match keys.is_valid(row) {
                        true => known[numbers[row] as usize],
                        false => null,
                    }));
                }
                ColumnValues::Words(all) => {
                    is_of_words = true;
                    let value = |row| all.is_valid(row).then(|| all.value(row));
                    of_rows.extend(rows.map(|row| words.number_for(value(row))));
                }
                ColumnValues::Integer(all) => {
                    let value = |row| all.is_valid(row).then(|| all.value(row));
                    of_rows.extend(rows.map(|row| wholes.number_for(value(row))));
                }
                ColumnValues::Bool(all) => {
                    let value = |row| all.is_valid(row).then(|| i64::from(all.value(row)));
                    of_rows.extend(rows.map(|row| wholes.number_for(value(row))));
                }
                // Of another file, where the column is of words or of numbers, or nowhere.
                ColumnValues::Absent | ColumnValues::Real(_) => {
                    let null = (words.number_for(None), wholes.number_for(None));
                    of_rows.extend(rows.map(|_| if is_of_words { null.0 } else { null.1 }));
                }
            }
        }
        let places = if is_of_words { words.rank_of_numbers() } else { wholes.rank_of_numbers() };
        of_rows.iter_mut().for_each(|number| *number = places[*number as usize]);
        Self { of_rows, count: places.len() }
    }

    /// Orders by these ranks, and by the others where these are equal.
    fn refine_by(self, other: &Self) -> Self {
        let mut pairs = NumberedValues::default();
        let both = self.of_rows.iter().zip(&other.of_rows);
        let mut of_rows: Vec<u32> = both.map(|(one, two)| pairs.number_for((*one, *two))).collect();
        let places = pairs.rank_of_numbers();
        of_rows.iter_mut().for_each(|number| *number = places[*number as usize]);
        Self { of_rows, count: places.len() }
    }
}

/// The different values of a column, each with a number, in the order in which they came.
struct NumberedValues<T> {
    numbers: HashMap<T, u32>,
    /// The last value with its number: rows of one value are often next to each other.
    last: Option<(T, u32)>,
}

impl<T> Default for NumberedValues<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), last: None }
    }
}

impl<T: Hash + Ord + Copy> NumberedValues<T> {
    /// Returns the number of a value, which is added where it is new.
    fn number_for(&mut self, value: T) -> u32 {
        if let Some((last, number)) = self.last
            && last == value
        {
            return number;
        }
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(value).or_insert(next);
        self.last = Some((value, number));
        number
    }

    /// Returns the place that each number has when the values are sorted.
    fn rank_of_numbers(&self) -> Vec<u32> {
        let mut sorted: Vec<(T, u32)> =
            self.numbers.iter().map(|(value, at)| (*value, *at)).collect();
        sorted.sort_unstable();
        let mut places = vec![0; sorted.len()];
        sorted.iter().zip(0..).for_each(|((_, number), place)| places[*number as usize] = place);
        places
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::dataset::{
        ColumnChoice, DataFolder, ExistingPart, ExportedTables, PartWriter, QueryDatabase, RunRows,
        RunSpool, Shard, TableFormat,
    };

    /// A turn: its task, whether it counts, its tokens and its layer.
    type ExportedTurn = (Option<u8>, Option<bool>, Option<i8>, Option<String>);

    /// Makes runs, each with its turns.
    fn any_runs() -> impl Strategy<Value = Vec<Vec<ExportedTurn>>> {
        let turn = (
            prop::option::of(0..3_u8),
            prop::option::of(any::<bool>()),
            prop::option::of(-2..3_i8),
            prop::option::of("[ab]{0,2}"),
        );
        prop::collection::vec(prop::collection::vec(turn, 0..6), 0..6)
    }

    fn spool_runs(runs: &[(usize, &Vec<ExportedTurn>)]) -> RunSpool {
        let mut spool = RunSpool::new(&std::env::temp_dir()).unwrap();
        for (number, turns) in runs {
            let task = turns.first().and_then(|turn| turn.0).map(|task| format!("task-{task}"));
            let path = format!("run-{number}");
            let mut rows = RunRows::new(task.as_deref(), &path);
            for ((_, counts, tokens, layer), turn) in turns.iter().zip(1..) {
                let row = json!({ "source_uri": path, "task_id": task, "turn": turn, "counts": counts,
                    "tokens": { "input": tokens }, "layer": layer, "cost_usd": tokens.map(|it| f64::from(it) / 4.0) });
                rows.push(DataTable::Turns, &row);
            }
            spool.add_run(rows).unwrap();
        }
        spool
    }

    /// Writes the runs as so many shards.
    fn export_shards(
        runs: &[Vec<ExportedTurn>],
        shards: u32,
    ) -> (tempfile::TempDir, ExportedTables) {
        let place = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(place.path()).unwrap();
        for number in 1..=shards {
            let of_shard = runs.iter().enumerate();
            let of_shard: Vec<_> =
                of_shard.filter(|(at, _)| *at as u32 % shards + 1 == number).collect();
            let shard: Shard = format!("{number}/{shards}").parse().unwrap();
            let file = folder.new_part("turns", "parquet", shard).unwrap();
            let mut writer =
                PartWriter::new(TableFormat::Parquet, ColumnChoice::all(DataTable::Turns), file)
                    .unwrap();
            spool_runs(&of_shard)
                .write_table(DataTable::Turns, &mut |row| writer.write_row(row))
                .unwrap();
            folder.publish_parts(vec![writer.finish().unwrap()], ExistingPart::Refuse).unwrap();
        }
        let exported = ExportedTables::find_in(place.path()).unwrap();
        (place, exported)
    }

    const QUERIES: [&str; 11] = [
        "select turns from (select count(*) as turns from main.turns)",
        "select source_uri, (select count(*) from turns b where b.layer = turns.layer) from turns order by 1, 2",
        "select count(*) from turns",
        "select task_id, count(*), avg(input_tokens), max(layer) from turns group by task_id order by task_id",
        "select counts, count(*), sum(cost_usd) from turns group by 1 order by 2, 1",
        "select layer, counts, min(input_tokens) from turns group by layer, counts order by layer, counts",
        "select distinct layer from turns order by layer",
        "select input_tokens, count(*) from turns group by input_tokens having count(*) > 1 order by 1",
        "select source_uri, turn, layer from turns where counts order by layer, source_uri, turn",
        "select source_uri, turn from turns order by cost_usd desc, source_uri, turn limit 3",
        "select a.source_uri, count(*) from turns a join turns b on a.turn = b.turn group by 1 order by 1",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn whatever_the_rows_a_table_that_lies_in_its_files_answers_as_a_copy_does(runs in any_runs()) {
            let all: Vec<_> = runs.iter().enumerate().collect();
            let copy = QueryDatabase::from_spool(&mut spool_runs(&all), &[DataTable::Turns]).unwrap();
            for shards in [1, 2] {
                let (_folder, exported) = export_shards(&runs, shards);
                for query in QUERIES {
                    let in_place = QueryDatabase::over_exports(&exported, query).unwrap();
                    prop_assert_eq!(in_place.run_query(query), copy.run_query(query), "{} of {}", query, shards);
                }
            }
        }
    }

    #[test]
    fn a_column_that_the_files_do_not_have_is_null_and_a_file_of_others_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("turns-1of1-0123456789abcdef.parquet");
        std::fs::write(&path, "no parquet").unwrap();

        let why = TableFiles::open(DataTable::Turns, &[&path]).unwrap_err();

        assert!(why.contains("no Parquet that can be read"), "{why}");
        assert_eq!(columns_in(0b101, 4), [0, 2]);
        assert_eq!(columns_in(1 << 63, 65), [63, 64]);
        let plan = ScanPlan { wanted: vec![1, 4], order: vec![4] };
        assert_eq!(ScanPlan::parse(&plan.to_string()), Some(plan));
    }
}
