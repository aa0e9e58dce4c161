//! The document of a command: a tree of records whose fields stay in the order in which they are written.
//!
//! A command declares each of its rows once, with [`record!`]: the name of every field and its value, null where
//! there is none. The JSON is the document as it is; a CSV is a list of fields of its rows
//! ([`Out::print_csv`](super::Out::print_csv)); a table is a list of heads with the fields that each shows and how.

use std::collections::BTreeMap;

use serde::{
    Serialize, Serializer,
    ser::{
        Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
        SerializeTupleStruct,
    },
};
use serde_json::Error;

use trajview_study::Interval;

use super::cell_or_dash;
use crate::cli::resampling;

/// A value of JSON.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Json {
    #[default]
    Null,
    Flag(bool),
    Count(u64),
    Integer(i64),
    /// A finite number.
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// Names with their values, in order.
    Record(Vec<(String, Json)>),
}

/// Declares a record: `record! { name: value, ..fields }`. A value is whatever can be serialized; the fields of another
/// record, or of anything that is serialized as one, follow two dots.
macro_rules! record {
    (@ $record:ident) => {};
    (@ $record:ident ..$fields:expr $(, $($rest:tt)*)?) => {
        $record.extend($crate::cli::output::Json::new(&$fields).into_fields());
        $crate::cli::output::record!(@ $record $($($rest)*)?);
    };
    (@ $record:ident $name:ident : $value:expr $(, $($rest:tt)*)?) => {
        $record.push((stringify!($name).into(), $crate::cli::output::Json::new(&$value)));
        $crate::cli::output::record!(@ $record $($($rest)*)?);
    };
    ($($fields:tt)*) => {{
        let mut record: Vec<(String, $crate::cli::output::Json)> = vec![];
        $crate::cli::output::record!(@ record $($fields)*);
        $crate::cli::output::Json::Record(record)
    }};
}
pub(crate) use record;

const NULL: &Json = &Json::Null;

impl Json {
    /// Takes anything that can be serialized. What cannot be JSON, as a map with keys that are lists, is null.
    pub(crate) fn new(value: &(impl Serialize + ?Sized)) -> Self {
        value.serialize(JsonSerializer).unwrap_or_default()
    }

    /// Makes a list of records.
    pub(crate) fn list<T>(rows: impl IntoIterator<Item = T>, record: impl Fn(T) -> Self) -> Self {
        Self::List(rows.into_iter().map(record).collect())
    }

    /// Returns the fields of a record; of anything else none.
    pub(crate) fn into_fields(self) -> Vec<(String, Self)> {
        if let Self::Record(fields) = self { fields } else { vec![] }
    }

    /// Returns a field of a record, or one within other fields: `wilcoxon.p`, `ci95.0`. Null where one of them is null or
    /// not there. An empty place is the value itself.
    pub(crate) fn field(&self, place: &str) -> &Self {
        let names = place.split('.').filter(|name| !name.is_empty());
        names.fold(self, |value, name| match value {
            Self::Record(fields) => {
                fields.iter().find(|(other, _)| other == name).map_or(NULL, |(_, value)| value)
            }
            Self::List(parts) => {
                name.parse().ok().and_then(|at: usize| parts.get(at)).unwrap_or(NULL)
            }
            _ => NULL,
        })
    }

    pub(crate) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the parts of a field that is a list; none where it is null.
    pub(crate) fn rows(&self, place: &str) -> &[Self] {
        if let Self::List(parts) = self.field(place) { parts } else { &[] }
    }

    /// Returns the fields of a field that is a record; none where it is null.
    pub(crate) fn fields(&self, place: &str) -> &[(String, Self)] {
        if let Self::Record(fields) = self.field(place) { fields } else { &[] }
    }

    pub(crate) fn number(&self, place: &str) -> Option<f64> {
        match self.field(place) {
            Self::Count(count) => Some(*count as f64),
            Self::Integer(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns a field that counts something; 0 where it is null.
    pub(crate) fn count(&self, place: &str) -> u64 {
        self.number(place).map_or(0, |count| count as u64)
    }

    pub(crate) fn text(&self, place: &str) -> Option<&str> {
        if let Self::Text(words) = self.field(place) { Some(words) } else { None }
    }

    pub(crate) fn interval(&self, place: &str) -> Option<Interval> {
        let field = self.field(place);
        Some(Interval { low: field.number("0")?, high: field.number("1")? })
    }

    /// Returns the cell of a field: `-` where it is null.
    pub(crate) fn cell(&self, place: &str) -> String {
        self.cell_or(place, "-")
    }

    /// Returns the cell of a field with the text for null.
    pub(crate) fn cell_or(&self, place: &str, null: &str) -> String {
        let field = self.field(place);
        if field.is_null() { null.into() } else { field.csv_cell() }
    }

    /// Returns the cell of a number with so many digits after its point.
    pub(crate) fn digits_cell(&self, place: &str, digits: usize) -> String {
        cell_or_dash(self.number(place).map(|number| format!("{number:.digits$}")))
    }

    /// Returns `0.0312`, `1.2e-6`.
    pub(crate) fn p_cell(&self, place: &str) -> String {
        cell_or_dash(self.number(place).map(resampling::p_value))
    }

    /// Returns `0.612 [0.430, 0.794]` of two fields.
    pub(crate) fn interval_cell(&self, value: &str, interval: &str) -> String {
        resampling::with_interval(self.number(value), self.interval(interval))
    }

    /// Returns the value in a cell of a CSV: null is empty, the parts of a list or a record are divided by `; `.
    pub(crate) fn csv_cell(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Flag(flag) => flag.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => (number + 0.0).to_string(), // 1 and not 1.0, 0 and not -0
            Self::Text(words) => words.clone(),
            Self::List(parts) => parts.iter().map(Self::csv_cell).collect::<Vec<_>>().join("; "),
            Self::Record(fields) => {
                let fields: BTreeMap<_, _> =
                    fields.iter().map(|(name, value)| (name, value.csv_cell())).collect();
                let fields = fields.iter().map(|(name, value)| format!("{name}: {value}"));
                fields.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_none(),
            Self::Flag(flag) => to.serialize_bool(*flag),
            Self::Count(count) => to.serialize_u64(*count),
            Self::Integer(number) => to.serialize_i64(*number),
            Self::Number(number) => to.serialize_f64(*number),
            Self::Text(words) => to.serialize_str(words),
            Self::List(parts) => to.collect_seq(parts),
            Self::Record(fields) => {
                to.collect_map(fields.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

/// Makes [`Json`] of anything that can be serialized.
struct JsonSerializer;

/// The parts of a list, or the fields of a record, that is being made.
#[derive(Default)]
struct JsonParts {
    parts: Vec<Json>,
    fields: Vec<(String, Json)>,
    /// The name of the field that comes next.
    name: String,
}

/// Serializes numbers as those of the widest type.
macro_rules! serialize_wider {
    ($($name:ident($kind:ty) => $wider:ident,)*) => {
        $(fn $name(self, number: $kind) -> Result<Json, Error> {
            self.$wider(number.into())
        })*
    };
}

type NoJson = Impossible<Json, Error>;

impl Serializer for JsonSerializer {
    type Ok = Json;
    type Error = Error;
    type SerializeSeq = JsonParts;
    type SerializeTuple = JsonParts;
    type SerializeTupleStruct = JsonParts;
    type SerializeTupleVariant = NoJson;
    type SerializeMap = JsonParts;
    type SerializeStruct = JsonParts;
    type SerializeStructVariant = NoJson;

    serialize_wider! {
        serialize_i8(i8) => serialize_i64,
        serialize_i16(i16) => serialize_i64,
        serialize_i32(i32) => serialize_i64,
        serialize_u8(u8) => serialize_u64,
        serialize_u16(u16) => serialize_u64,
        serialize_u32(u32) => serialize_u64,
        serialize_f32(f32) => serialize_f64,
    }

    fn serialize_bool(self, flag: bool) -> Result<Json, Error> {
        Ok(Json::Flag(flag))
    }

    fn serialize_i64(self, number: i64) -> Result<Json, Error> {
        Ok(Json::Integer(number))
    }

    fn serialize_u64(self, count: u64) -> Result<Json, Error> {
        Ok(Json::Count(count))
    }

    fn serialize_f64(self, number: f64) -> Result<Json, Error> {
        Ok(if number.is_finite() { Json::Number(number) } else { Json::Null })
    }

    fn serialize_char(self, letter: char) -> Result<Json, Error> {
        Ok(Json::Text(letter.into()))
    }

    fn serialize_str(self, words: &str) -> Result<Json, Error> {
        Ok(Json::Text(words.into()))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Json, Error> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<Json, Error> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Json, Error> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Json, Error> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        word: &'static str,
    ) -> Result<Json, Error> {
        self.serialize_str(word)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Json, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        word: &'static str,
        value: &T,
    ) -> Result<Json, Error> {
        Ok(Json::Record(vec![(word.into(), Json::new(value))]))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<JsonParts, Error> {
        Ok(JsonParts::default())
    }

    fn serialize_tuple(self, _: usize) -> Result<JsonParts, Error> {
        Ok(JsonParts::default())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<JsonParts, Error> {
        Ok(JsonParts::default())
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<NoJson, Error> {
        Err(Error::custom(name))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<JsonParts, Error> {
        Ok(JsonParts::default())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<JsonParts, Error> {
        Ok(JsonParts::default())
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<NoJson, Error> {
        Err(Error::custom(name))
    }
}

impl SerializeSeq for JsonParts {
    type Ok = Json;
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.parts.push(value.serialize(JsonSerializer)?);
        Ok(())
    }

    fn end(self) -> Result<Json, Error> {
        Ok(Json::List(self.parts))
    }
}

impl SerializeTuple for JsonParts {
    type Ok = Json;
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<Json, Error> {
        SerializeSeq::end(self)
    }
}

impl SerializeTupleStruct for JsonParts {
    type Ok = Json;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<Json, Error> {
        SerializeSeq::end(self)
    }
}

impl SerializeMap for JsonParts {
    type Ok = Json;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Error> {
        self.name = name.serialize(JsonSerializer)?.csv_cell();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let name = std::mem::take(&mut self.name);
        self.fields.push((name, value.serialize(JsonSerializer)?));
        Ok(())
    }

    fn end(self) -> Result<Json, Error> {
        Ok(Json::Record(self.fields))
    }
}

impl SerializeStruct for JsonParts {
    type Ok = Json;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.fields.push((name.into(), value.serialize(JsonSerializer)?));
        Ok(())
    }

    fn end(self) -> Result<Json, Error> {
        SerializeMap::end(self)
    }
}
