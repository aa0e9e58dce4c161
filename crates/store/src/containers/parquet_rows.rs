//! Rows of a Parquet file. Opening it reads its footer and the column of ids; a row is read when it is opened, and
//! nothing else of its row group is kept.

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use arrow_array::{
    Array, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, LargeListArray, LargeStringArray, ListArray, MapArray, RecordBatch,
    StringArray, StringViewArray, StructArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_schema::DataType;
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{
            ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
            RowSelector,
        },
    },
    file::reader::{ChunkReader, Length},
};
use serde_json::{Map, Value, json};

use trajview_formats::ColumnNames;

use super::{
    column_settings::{self, with_columns},
    members::{MOST_MEMBERS, MemberNames, Members},
};
use crate::{disk, file_bytes, panic_guard::catch_panic, parquet_footer};

pub struct ParquetRows {
    file: PathBuf,
    footer: ArrowReaderMetadata,
    names: MemberNames,
}

/// The file as the reader of columns asks for it.
struct FileChunks(disk::PathReader);

impl Length for FileChunks {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for FileChunks {
    type T = BufReader<disk::PathReader>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        if start > self.0.len() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let mut reader = self.0.reopen()?;
        reader.seek(SeekFrom::Start(start))?;
        Ok(reader.into_buffered())
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<::bytes::Bytes> {
        // The buffer is never larger than the file, whatever its footer states.
        if length as u64 > self.0.len() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let mut bytes = Vec::with_capacity(length);
        let read = self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        match read == length {
            true => Ok(bytes.into()),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}

impl ParquetRows {
    pub fn open(file: &Path) -> Option<Self> {
        catch_panic(|| Self::open_unguarded(file)).ok().flatten()
    }

    fn open_unguarded(file: &Path) -> Option<Self> {
        let mut reader = disk::PathReader::open(file).ok()?;
        let len = reader.len();
        parquet_footer::check_footer(&mut reader, len).ok()?;
        let open = FileChunks(reader);
        let footer = ArrowReaderMetadata::load(
            &open,
            ArrowReaderOptions::new()
                .with_page_index_policy(parquet::file::metadata::PageIndexPolicy::Optional),
        )
        .ok()?;
        if crate::dataset::schema_of(&footer).is_some() {
            return None; // a table that trajview wrote: its rows are no recordings
        }
        let count =
            usize::try_from(footer.metadata().file_metadata().num_rows()).ok()?.min(MOST_MEMBERS);
        let column = with_columns(ColumnNames::id_columns)
            .iter()
            .find_map(|id| footer.schema().index_of(id).ok());
        let mut names = MemberNames::default();
        if let Some(column) = column {
            let mask = ProjectionMask::roots(footer.parquet_schema(), [column]);
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(open, footer.clone());
            let batches = builder.with_projection(mask).with_batch_size(8192).build().ok()?;
            for batch in batches {
                let Ok(batch) = batch else { break };
                for row in 0..batch.num_rows() {
                    let id = plain_text(&value_at(batch.column(0).as_ref(), row, 0));
                    names.add_row(id.as_deref());
                }
                if names.all_names().len() >= count {
                    break;
                }
            }
        }
        while names.all_names().len() < count {
            names.add_row(None);
        }
        Some(Self { file: file.to_owned(), footer, names })
    }

    fn read_row(&self, row: usize) -> Result<Value, String> {
        let file =
            disk::PathReader::open(&self.file).map_err(|why| file_bytes::error_reason(&why))?;
        let groups = self.footer.metadata().row_groups();
        let (mut first, mut group) = (0, 0);
        for (at, it) in groups.iter().enumerate() {
            let rows = usize::try_from(it.num_rows()).unwrap_or(0);
            if row < first + rows {
                group = at;
                break;
            }
            first += rows;
        }
        let selection =
            RowSelection::from(vec![RowSelector::skip(row - first), RowSelector::select(1)]);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
            FileChunks(file),
            self.footer.clone(),
        );
        let mut batches = builder
            .with_row_groups(vec![group])
            .with_row_selection(selection)
            .with_batch_size(1)
            .build()
            .map_err(|why| why.to_string())?;
        let batch = batches.next().ok_or("the row is not there")?.map_err(|why| why.to_string())?;
        Ok(row_object(&batch))
    }
}

fn row_object(batch: &RecordBatch) -> Value {
    let mut row = Map::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        let name = column_settings::published_name(field.name());
        let value = value_at(column.as_ref(), 0, 0);
        // A column that the settings name takes the place of one that has its name already.
        if name != field.name() || !row.contains_key(name) {
            row.insert(name.to_owned(), value);
        }
    }
    row.into()
}

fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

macro_rules! numbers {
    ($column:expr, $at:expr, $($kind:ty),*) => {
        $(if let Some(column) = $column.as_any().downcast_ref::<$kind>() {
            return json!(column.value($at));
        })*
    };
}

/// Returns one value as JSON. Fields of a struct that are null are left out: a column of messages has all fields that
/// any has.
fn value_at(column: &dyn Array, at: usize, depth: usize) -> Value {
    if column.is_null(at) || depth > 32 {
        return Value::Null;
    }
    let any = column.as_any();
    if let Some(texts) = any.downcast_ref::<StringArray>() {
        return texts.value(at).into();
    }
    if let Some(texts) = any.downcast_ref::<LargeStringArray>() {
        return texts.value(at).into();
    }
    if let Some(texts) = any.downcast_ref::<StringViewArray>() {
        return texts.value(at).into();
    }
    if let Some(flags) = any.downcast_ref::<BooleanArray>() {
        return flags.value(at).into();
    }
    numbers!(
        column,
        at,
        Int64Array,
        Int32Array,
        Float64Array,
        Float32Array,
        Int16Array,
        Int8Array,
        UInt64Array,
        UInt32Array,
        UInt16Array,
        UInt8Array
    );
    let list = |list: &dyn Array| {
        (0..list.len()).map(|at| value_at(list, at, depth + 1)).collect::<Vec<_>>()
    };
    if let Some(lists) = any.downcast_ref::<ListArray>() {
        return list(lists.value(at).as_ref()).into();
    }
    if let Some(lists) = any.downcast_ref::<LargeListArray>() {
        return list(lists.value(at).as_ref()).into();
    }
    if let Some(lists) = any.downcast_ref::<FixedSizeListArray>() {
        return list(lists.value(at).as_ref()).into();
    }
    if let Some(maps) = any.downcast_ref::<MapArray>() {
        let pairs = maps.value(at);
        let pairs = (0..pairs.len()).filter_map(|row| {
            let key = plain_text(&value_at(pairs.column(0).as_ref(), row, depth + 1))?;
            Some((key, value_at(pairs.column(1).as_ref(), row, depth + 1)))
        });
        return Value::Object(pairs.collect());
    }
    if let Some(fields) = any.downcast_ref::<StructArray>() {
        let DataType::Struct(kinds) = fields.data_type() else { return Value::Null };
        let values = kinds.iter().zip(fields.columns()).filter_map(|(kind, column)| {
            let value = value_at(column.as_ref(), at, depth + 1);
            (!value.is_null()).then(|| (kind.name().clone(), value))
        });
        return Value::Object(values.collect());
    }
    Value::Null
}

impl Members for ParquetRows {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let row = catch_panic(|| self.read_row(at))
            .unwrap_or_else(|why| Err(why.to_string()))
            .map_err(|why| io::Error::other(format!("the row cannot be read: {why}")))?;
        Ok(file_bytes::read_within(&serde_json::to_vec(&row)?[..], most))
    }
}
