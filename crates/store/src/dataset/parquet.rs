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

use crate::{panic_guard::catch_panic, parquet_footer};

use super::{
    cell::{DataCell, DataRow},
    column_choice::ColumnChoice,
    columns::{DataColumn, DataKind, DataTable, SCHEMA_VERSION, table_columns},
    data_folder::PartFile,
    table_format::{DataRows, foreign_columns},
};

/// The number of rows that are encoded together; a reader of many parts has so many of each in memory.
const BATCH_ROWS: usize = 1024;

/// The number of bytes of rows that are encoded together.
const BATCH_BYTES: usize = 1 << 20;

/// A row group ends with its task where it has so many rows; smaller tasks share one.
const LEAST_ROWS: usize = 8192;

/// A row group ends with its task where it has so many bytes, before compression.
const LEAST_BYTES: usize = 4 << 20;

/// The most rows of a row group.
const MOST_ROWS: usize = 128 << 10;

/// The most bytes of a row group before compression.
const MOST_BYTES: usize = 16 << 20;

/// The number of bytes of a page before compression; a reader of many parts has one page a column of each in memory.
const PAGE_BYTES: usize = 256 << 10;

/// A larger text has no place in a column of Arrow.
const LONGEST_TEXT: usize = 1 << 30;

/// The key of the metadata that has the version of the tables.
const SCHEMA_KEY: &str = "trajview.schema";

/// A writer of a table as Parquet.
pub struct ParquetWriter {
    columns: ColumnChoice,
    schema: Arc<Schema>,
    writer: ArrowWriter<PartFile>,
    rows: Vec<DataRow>,
    bytes: usize,
    group: OpenRowGroup,
}

/// The row group that is open.
#[derive(Default)]
struct OpenRowGroup {
    task: Option<String>,
    rows: usize,
    bytes: usize,
}

impl OpenRowGroup {
    /// Returns whether a row of a task begins a new one.
    fn ends_before(&self, task: Option<&str>) -> bool {
        let is_large = self.rows >= LEAST_ROWS || self.bytes >= LEAST_BYTES;
        let is_full = self.rows >= MOST_ROWS || self.bytes >= MOST_BYTES;
        is_full || (is_large && self.task.as_deref() != task)
    }
}

impl ParquetWriter {
    pub fn new(columns: ColumnChoice, file: PartFile) -> io::Result<Self> {
        let fields: Vec<Field> = columns.columns().map(arrow_field).collect();
        let schema = Arc::new(Schema::new(fields));
        let options = ArrowWriterOptions::new()
            .with_properties(writer_properties(&columns).map_err(io_error)?)
            .with_skip_arrow_metadata(true);
        let writer =
            ArrowWriter::try_new_with_options(file, schema.clone(), options).map_err(io_error)?;
        Ok(Self { columns, schema, writer, rows: vec![], bytes: 0, group: OpenRowGroup::default() })
    }

    /// Writes a row; begins a new group of rows where the last one is full, or large and of another task.
    pub fn write_row(&mut self, row: &DataRow) -> io::Result<()> {
        let size: usize = row.iter().map(DataCell::byte_size).sum();
        let task =
            column_index("task_id", self.columns.table()).and_then(|at| row.get(at)?.as_text());
        if self.group.ends_before(task) {
            self.encode_rows()?;
            self.writer.flush().map_err(io_error)?;
            self.group = OpenRowGroup::default();
        } else if self.rows.len() >= BATCH_ROWS || self.bytes + size > BATCH_BYTES {
            self.encode_rows()?;
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

    /// Passes the waiting rows to the encoder.
    fn encode_rows(&mut self) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let chosen: Vec<Vec<&DataCell>> =
            self.rows.iter().map(|row| self.columns.chosen_cells(row).collect()).collect();
        let columns = self.columns.columns().enumerate();
        let arrays = columns.map(|(at, column)| column_array(column, at, &chosen)).collect();
        drop(chosen);
        let batch = RecordBatch::try_new(self.schema.clone(), arrays).map_err(io::Error::other)?;
        self.rows.clear();
        self.bytes = 0;
        self.writer.write(&batch).map_err(io_error)
    }

    pub fn finish(mut self) -> io::Result<PartFile> {
        self.encode_rows()?;
        let mut file = self.writer.into_inner().map_err(io_error)?;
        file.flush()?;
        Ok(file)
    }
}

fn arrow_field(column: &DataColumn) -> Field {
    let kind = match column.kind {
        DataKind::Text | DataKind::Json => DataType::Utf8,
        DataKind::Integer => DataType::Int64,
        DataKind::Real => DataType::Float64,
        DataKind::Bool => DataType::Boolean,
    };
    Field::new(column.name, kind, true)
}

fn writer_properties(columns: &ColumnChoice) -> Result<WriterProperties, ParquetError> {
    let version = env!("CARGO_PKG_VERSION");
    let metadata = [
        (SCHEMA_KEY, SCHEMA_VERSION.to_owned()),
        ("trajview.table", columns.table().word().to_owned()),
        ("trajview.version", version.to_owned()),
        ("trajview.columns", columns.to_json().to_string()),
    ];
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.to_owned(), value));
    // Rows of one path are together only where the task, by which they are sorted first, is a column as well.
    let sorted =
        ["task_id", "source_uri"].into_iter().map_while(|name| columns.place_in_file(name));
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

fn column_index(name: &str, table: DataTable) -> Option<usize> {
    table_columns(table).iter().position(|column| column.name == name)
}

fn column_array(column: &DataColumn, at: usize, rows: &[Vec<&DataCell>]) -> ArrayRef {
    let cells = rows.iter().map(|row| row[at]);
    match column.kind {
        DataKind::Text | DataKind::Json => {
            let short = |words: &&str| words.len() <= LONGEST_TEXT;
            let texts: Vec<Option<&str>> = cells.map(|cell| cell.as_text().filter(short)).collect();
            Arc::new(StringArray::from(texts))
        }
        DataKind::Integer => Arc::new(Int64Array::from_iter(cells.map(|cell| match cell {
            DataCell::Integer(number) => Some(*number),
            DataCell::Missing | DataCell::Text(_) | DataCell::Real(_) | DataCell::Bool(_) => None,
        }))),
        DataKind::Real => Arc::new(Float64Array::from_iter(cells.map(|cell| match cell {
            DataCell::Real(number) => Some(*number),
            DataCell::Missing | DataCell::Text(_) | DataCell::Integer(_) | DataCell::Bool(_) => {
                None
            }
        }))),
        DataKind::Bool => Arc::new(BooleanArray::from_iter(cells.map(|cell| match cell {
            DataCell::Bool(is_so) => Some(*is_so),
            DataCell::Missing | DataCell::Text(_) | DataCell::Integer(_) | DataCell::Real(_) => {
                None
            }
        }))),
    }
}

fn io_error(why: ParquetError) -> io::Error {
    match why {
        // An error of the disk is reported as it is.
        ParquetError::External(why) => match why.downcast::<io::Error>() {
            Ok(why) => *why,
            Err(why) => io::Error::other(why),
        },
        other => io::Error::other(other),
    }
}

/// Reads the footer of a file that [`ParquetWriter`] wrote.
///
/// # Errors
///
/// A sentence, where it is no Parquet, or was not written by this program.
pub(super) fn read_footer(file: &File) -> Result<ArrowReaderMetadata, String> {
    let checked =
        file.metadata().and_then(|meta| parquet_footer::check_footer(&mut &*file, meta.len()));
    checked.map_err(|why| format!("no Parquet that can be read: {why}"))?;
    let footer = catch_panic(|| ArrowReaderMetadata::load(file, ArrowReaderOptions::new()))
        .map_err(|why| why.to_string())?
        .map_err(|why| format!("no Parquet that can be read: {why}"))?;
    match schema_of(&footer) {
        Some(SCHEMA_VERSION) => Ok(footer),
        _ => Err(format!(
            "not a table of {SCHEMA_VERSION}: the metadata has another schema, or none"
        )),
    }
}

/// Returns the schema of the tables, of a file that has one of them.
pub fn schema_of(footer: &ArrowReaderMetadata) -> Option<&str> {
    let metadata = footer.metadata().file_metadata().key_value_metadata();
    let schema = metadata.into_iter().flatten().find(|pair| pair.key == SCHEMA_KEY);
    schema.and_then(|pair| pair.value.as_deref())
}

/// Reads the rows of a table by the names of its columns, a batch at a time; only some columns, where some are named.
pub(crate) fn read_rows_by_name(
    table: DataTable,
    file: File,
    columns: &[&str],
) -> Result<DataRows, String> {
    let footer = read_footer(&file)?;
    let is_wanted =
        |field: &Arc<Field>| columns.is_empty() || columns.contains(&field.name().as_str());
    let all = footer.schema().fields().iter().zip(0..);
    let (found, read): (Vec<Arc<Field>>, Vec<usize>) =
        all.filter(|(field, _)| is_wanted(field)).map(|(field, at)| (field.clone(), at)).unzip();
    let place = |column: &DataColumn| {
        let expected = arrow_field(column);
        let is_it = |found: &Arc<Field>| {
            found.name() == expected.name() && found.data_type() == expected.data_type()
        };
        found.iter().position(is_it)
    };
    let places: Vec<Option<usize>> = table_columns(table).iter().map(place).collect();
    let row = move |batch: &RecordBatch, at: usize| {
        let of = |place: &Option<usize>| {
            place.map_or(DataCell::Missing, |place| cell_at(batch.column(place), at))
        };
        places.iter().map(of).collect()
    };
    read_by_batch(file, footer, Some(&read), row)
}

/// Reads what [`ParquetWriter`] wrote, a batch at a time, with the columns of the file.
pub fn read_rows(table: DataTable, file: File) -> Result<(ColumnChoice, DataRows), String> {
    let footer = read_footer(&file)?;
    let found = footer.schema().fields().clone();
    let columns = ColumnChoice::from_names(table, found.iter().map(|field| field.name().as_str()))
        .map_err(|_| foreign_columns(table))?;
    let is_same = |(found, expected): (&Arc<Field>, Field)| {
        found.name() == expected.name() && found.data_type() == expected.data_type()
    };
    let expected: Vec<Field> = columns.columns().map(arrow_field).collect();
    if found.len() != expected.len() || !found.iter().zip(expected).all(is_same) {
        return Err(foreign_columns(table));
    }
    let of_rows = columns.clone();
    let row = move |batch: &RecordBatch, at: usize| {
        of_rows.whole_row(batch.columns().iter().map(|column| cell_at(column, at)))
    };
    Ok((columns, read_by_batch(file, footer, None, row)?))
}

/// Returns the rows of a file, each made of its place in a batch of all columns, or of those that are named by their
/// places.
fn read_by_batch(
    file: File,
    footer: ArrowReaderMetadata,
    read: Option<&[usize]>,
    row: impl Fn(&RecordBatch, usize) -> DataRow + 'static,
) -> Result<DataRows, String> {
    let mask = match read {
        Some(read) => ProjectionMask::roots(footer.parquet_schema(), read.iter().copied()),
        None => ProjectionMask::all(),
    };
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, footer);
    let builder = builder.with_projection(mask);
    let mut batches = catch_panic(|| builder.with_batch_size(BATCH_ROWS).build())
        .map_err(|why| why.to_string())?
        .map_err(|why| why.to_string())?;
    let mut is_damaged = false;
    let mut read: std::vec::IntoIter<DataRow> = vec![].into_iter();
    Ok(Box::new(std::iter::from_fn(move || {
        loop {
            if let Some(row) = read.next() {
                return Some(Ok(row));
            }
            if is_damaged {
                return None;
            }
            let rows_of = |batch: &RecordBatch| -> Vec<DataRow> {
                (0..batch.num_rows()).map(|at| row(batch, at)).collect()
            };
            match catch_panic(|| batches.next().map(|batch| batch.map(|batch| rows_of(&batch)))) {
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

fn cell_at(column: &ArrayRef, at: usize) -> DataCell {
    if column.is_null(at) {
        return DataCell::Missing;
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        DataCell::Text(texts.value(at).to_owned())
    } else if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        DataCell::Integer(numbers.value(at))
    } else if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        DataCell::Real(numbers.value(at))
    } else {
        column.as_boolean_opt().map_or(DataCell::Missing, |truths| DataCell::Bool(truths.value(at)))
    }
}
