//! Tables as Parquet: zstd, the list of columns in the metadata of the file, and row groups that end where a task ends.

use std::{
    fs::File,
    io::{self, Write as _},
    sync::Arc,
};

use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray,
    cast::AsArray,
    types::{Float64Type, Int64Type},
};
use arrow_schema::{DataType, Field, Schema};
use parquet::{
    arrow::{
        ArrowWriter, ProjectionMask,
        arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder},
        arrow_writer::ArrowWriterOptions,
    },
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::{
        metadata::{KeyValue, SortingColumn},
        properties::WriterProperties,
    },
};

use crate::{guarded::guarded, parquet_footer};

use super::{
    cell::{Cell, Row},
    columns::{Column, Kind, SCHEMA, Table, columns, described},
    folder::PartFile,
    form::Rows,
};

/// Rows that are encoded together: what a reader of many parts holds of each.
const BATCH_ROWS: usize = 1024;

/// Bytes of rows that are encoded together.
const BATCH_BYTES: usize = 1 << 20;

/// A row group ends with its task where it has so many rows; smaller tasks share one.
const LEAST_ROWS: usize = 8192;

/// A row group ends with its task where it has so many bytes, before compression.
const LEAST_BYTES: usize = 4 << 20;

/// No row group is larger, in rows.
const MOST_ROWS: usize = 128 << 10;

/// No row group is larger, in bytes before compression.
const MOST_BYTES: usize = 16 << 20;

/// Bytes of a page before compression: a reader of many parts holds one a column of each.
const PAGE_BYTES: usize = 256 << 10;

/// A larger text has no place in a column of Arrow.
const LONGEST: usize = 1 << 30;

/// The key of the metadata that has the version of the tables.
const SCHEMA_KEY: &str = "trajview.schema";

/// Writes a table.
pub struct Writer {
    table: Table,
    schema: Arc<Schema>,
    writer: ArrowWriter<PartFile>,
    rows: Vec<Row>,
    bytes: usize,
    group: Group,
}

/// The row group that is open.
#[derive(Default)]
struct Group {
    task: Option<String>,
    rows: usize,
    bytes: usize,
}

impl Group {
    /// Whether a row of a task begins a new one.
    fn ends_before(&self, task: Option<&str>) -> bool {
        let is_large = self.rows >= LEAST_ROWS || self.bytes >= LEAST_BYTES;
        let is_full = self.rows >= MOST_ROWS || self.bytes >= MOST_BYTES;
        is_full || (is_large && self.task.as_deref() != task)
    }
}

impl Writer {
    pub fn new(table: Table, file: PartFile) -> io::Result<Self> {
        let fields: Vec<Field> = columns(table).iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let options = ArrowWriterOptions::new()
            .with_properties(properties(table).map_err(failed)?)
            .with_skip_arrow_metadata(true);
        let writer =
            ArrowWriter::try_new_with_options(file, schema.clone(), options).map_err(failed)?;
        Ok(Self { table, schema, writer, rows: vec![], bytes: 0, group: Group::default() })
    }

    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        let size: usize = row.iter().map(Cell::size).sum();
        let task = place_of("task_id", self.table).and_then(|at| row.get(at)?.text());
        if self.group.ends_before(task) {
            self.encode()?;
            self.writer.flush().map_err(failed)?;
            self.group = Group::default();
        } else if self.rows.len() >= BATCH_ROWS || self.bytes + size > BATCH_BYTES {
            self.encode()?;
        }
        if self.group.task.as_deref() != task {
            self.group.task = task.map(str::to_owned);
        }
        self.group.rows += 1;
        self.group.bytes += size;
        self.bytes += size;
        self.rows.push(row.clone());
        Ok(())
    }

    /// Hands the rows that wait to the encoder.
    fn encode(&mut self) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let columns = columns(self.table).iter().enumerate();
        let arrays = columns.map(|(at, column)| array(column, at, &self.rows)).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(io::Error::other)?;
        self.rows.clear();
        self.bytes = 0;
        self.writer.write(&batch).map_err(failed)
    }

    pub fn finish(mut self) -> io::Result<PartFile> {
        self.encode()?;
        let mut file = self.writer.into_inner().map_err(failed)?;
        file.flush()?;
        Ok(file)
    }
}

fn field(column: &Column) -> Field {
    let kind = match column.kind {
        Kind::Text | Kind::Json => DataType::Utf8,
        Kind::Whole => DataType::Int64,
        Kind::Real => DataType::Float64,
        Kind::Truth => DataType::Boolean,
    };
    Field::new(column.name, kind, true)
}

fn properties(table: Table) -> Result<WriterProperties, ParquetError> {
    let version = env!("CARGO_PKG_VERSION");
    let metadata = [
        (SCHEMA_KEY, SCHEMA.to_owned()),
        ("trajview.table", table.word().to_owned()),
        ("trajview.version", version.to_owned()),
        ("trajview.columns", described(table).to_string()),
    ];
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    let sorted = ["task_id", "source_uri"].into_iter().filter_map(|name| place_of(name, table));
    let sorted = sorted.filter_map(|at| {
        Some(SortingColumn {
            column_idx: i32::try_from(at).ok()?,
            descending: false,
            nulls_first: true,
        })
    });
    Ok(WriterProperties::builder()
        .set_created_by(format!("trajview {version}"))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(None) // groups are ended here
        .set_data_page_size_limit(PAGE_BYTES)
        .set_key_value_metadata(Some(metadata.into()))
        .set_sorting_columns(Some(sorted.collect()))
        .build())
}

fn place_of(name: &str, table: Table) -> Option<usize> {
    columns(table).iter().position(|column| column.name == name)
}

fn array(column: &Column, at: usize, rows: &[Row]) -> ArrayRef {
    let cells = rows.iter().map(|row| row.get(at).unwrap_or(&Cell::Missing));
    match column.kind {
        Kind::Text | Kind::Json => {
            let short = |words: &&str| words.len() <= LONGEST;
            let texts: Vec<Option<&str>> = cells.map(|cell| cell.text().filter(short)).collect();
            Arc::new(StringArray::from(texts))
        }
        Kind::Whole => Arc::new(Int64Array::from_iter(cells.map(|cell| match cell {
            Cell::Whole(number) => Some(*number),
            Cell::Missing | Cell::Text(_) | Cell::Real(_) | Cell::Truth(_) => None,
        }))),
        Kind::Real => Arc::new(Float64Array::from_iter(cells.map(|cell| match cell {
            Cell::Real(number) => Some(*number),
            Cell::Missing | Cell::Text(_) | Cell::Whole(_) | Cell::Truth(_) => None,
        }))),
        Kind::Truth => Arc::new(BooleanArray::from_iter(cells.map(|cell| match cell {
            Cell::Truth(is_so) => Some(*is_so),
            Cell::Missing | Cell::Text(_) | Cell::Whole(_) | Cell::Real(_) => None,
        }))),
    }
}

fn failed(why: ParquetError) -> io::Error {
    match why {
        // What is wrong with the disk is said as the disk says it.
        ParquetError::External(why) => match why.downcast::<io::Error>() {
            Ok(why) => *why,
            Err(why) => io::Error::other(why),
        },
        other => io::Error::other(other),
    }
}

/// What a file that [`Writer`] wrote says of itself.
///
/// # Errors
///
/// A sentence, where it is no Parquet, or none of ours.
pub(super) fn footer(file: &File) -> Result<ArrowReaderMetadata, String> {
    let checked = file.metadata().and_then(|meta| parquet_footer::check(&mut &*file, meta.len()));
    checked.map_err(|why| format!("no Parquet that can be read: {why}"))?;
    let footer = guarded(|| ArrowReaderMetadata::load(file, ArrowReaderOptions::new()))
        .map_err(|why| why.to_string())?
        .map_err(|why| format!("no Parquet that can be read: {why}"))?;
    match schema_of(&footer) {
        Some(SCHEMA) => Ok(footer),
        _ => Err(format!("no table of {SCHEMA}: the metadata says another schema, or none")),
    }
}

/// The schema of the tables, of a file that has one of them.
pub fn schema_of(footer: &ArrowReaderMetadata) -> Option<&str> {
    let metadata = footer.metadata().file_metadata().key_value_metadata();
    let schema = metadata.into_iter().flatten().find(|pair| pair.key == SCHEMA_KEY);
    schema.and_then(|pair| pair.value.as_deref())
}

/// Reads the rows of a table by the names of its columns, a batch at a time; only some columns, where some are named.
pub fn rows_by_name(table: Table, file: File, wanted: &[&str]) -> Result<Rows, String> {
    let footer = footer(&file)?;
    let is_wanted =
        |field: &Arc<Field>| wanted.is_empty() || wanted.contains(&field.name().as_str());
    let all = footer.schema().fields().iter().zip(0..);
    let (found, read): (Vec<Arc<Field>>, Vec<usize>) =
        all.filter(|(field, _)| is_wanted(field)).map(|(field, at)| (field.clone(), at)).unzip();
    let place = |column: &Column| {
        let expected = field(column);
        let is_it = |found: &Arc<Field>| {
            found.name() == expected.name() && found.data_type() == expected.data_type()
        };
        found.iter().position(is_it)
    };
    let places: Vec<Option<usize>> = columns(table).iter().map(place).collect();
    let row = move |batch: &RecordBatch, at: usize| {
        let of = |place: &Option<usize>| {
            place.map_or(Cell::Missing, |place| cell(batch.column(place), at))
        };
        places.iter().map(of).collect()
    };
    read_by_batch(file, footer, Some(&read), row)
}

/// Reads what [`Writer`] wrote, a batch at a time.
pub fn rows(table: Table, file: File) -> Result<Rows, String> {
    let footer = footer(&file)?;
    let expected: Vec<Field> = columns(table).iter().map(field).collect();
    let is_same = |(found, expected): (&Arc<Field>, &Field)| {
        found.name() == expected.name() && found.data_type() == expected.data_type()
    };
    let found = footer.schema().fields();
    if found.len() != expected.len() || !found.iter().zip(&expected).all(is_same) {
        let table = table.word();
        return Err(format!("the columns are not those of {table} in this version of trajview"));
    }
    let row = |batch: &RecordBatch, at: usize| {
        batch.columns().iter().map(|column| cell(column, at)).collect()
    };
    read_by_batch(file, footer, None, row)
}

/// The rows of a file, each made of its place in a batch of all columns, or of those that are named by their places.
fn read_by_batch(
    file: File,
    footer: ArrowReaderMetadata,
    read: Option<&[usize]>,
    row: impl Fn(&RecordBatch, usize) -> Row + 'static,
) -> Result<Rows, String> {
    let mask = match read {
        Some(read) => ProjectionMask::roots(footer.parquet_schema(), read.iter().copied()),
        None => ProjectionMask::all(),
    };
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, footer);
    let builder = builder.with_projection(mask);
    let mut batches = guarded(|| builder.with_batch_size(BATCH_ROWS).build())
        .map_err(|why| why.to_string())?
        .map_err(|why| why.to_string())?;
    let mut is_damaged = false;
    let mut read: std::vec::IntoIter<Row> = vec![].into_iter();
    Ok(Box::new(std::iter::from_fn(move || {
        loop {
            if let Some(row) = read.next() {
                return Some(Ok(row));
            }
            if is_damaged {
                return None;
            }
            let rows_of = |batch: &RecordBatch| -> Vec<Row> {
                (0..batch.num_rows()).map(|at| row(batch, at)).collect()
            };
            match guarded(|| batches.next().map(|batch| batch.map(|batch| rows_of(&batch)))) {
                Ok(Some(Ok(rows))) => read = rows.into_iter(),
                Ok(Some(Err(why))) => return Some(Err(why.to_string())),
                Ok(None) => return None,
                Err(why) => {
                    is_damaged = true;
                    return Some(Err(why.to_string()));
                }
            }
        }
    })))
}

fn cell(column: &ArrayRef, at: usize) -> Cell {
    if column.is_null(at) {
        return Cell::Missing;
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        Cell::Text(texts.value(at).to_owned())
    } else if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        Cell::Whole(numbers.value(at))
    } else if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        Cell::Real(numbers.value(at))
    } else {
        column.as_boolean_opt().map_or(Cell::Missing, |truths| Cell::Truth(truths.value(at)))
    }
}
