//! The document of a command: a tree of records whose fields stay in the order in which they are written.
//!
//! A command declares each of its rows once, with [`record!`]: the name of every field and its value, null where
//! there is none. The JSON is the document as it is; a CSV is a list of fields of its rows
//! ([`Out::print_csv`](super::Out::print_csv)); a table is a list of heads with the fields that each shows and how.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{
    Serialize, Serializer,
    ser::{
        Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct,
        SerializeStructVariant, SerializeTuple,
    },
};
use serde_json::Error;

use trajview_run::format_number;
use trajview_study::Interval;

use super::{cell_or_dash, share_cell};
use crate::cli::resampling;

/// The name of a field. That of a record in the code is not copied.
pub(crate) type FieldName = Cow<'static, str>;

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
    Record(Vec<(FieldName, Json)>),
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
        $record.extend([(stringify!($name).into(), $crate::cli::output::Json::new(&$value))]);
        $crate::cli::output::record!(@ $record $($($rest)*)?);
    };
    ($($fields:tt)*) => {{
        let mut record: Vec<(std::borrow::Cow<'static, str>, $crate::cli::output::Json)> = vec![];
        $crate::cli::output::record!(@ record $($fields)*);
        $crate::cli::output::Json::Record(record)
    }};
}
pub(crate) use record;

const NULL: &Json = &Json::Null;

impl Json {
    /// Takes anything that can be serialized. A number that is not finite is null.
    ///
    /// # Panics
    ///
    /// If the value cannot be JSON, as a map whose keys are lists: that is a fault of the program.
    pub(crate) fn new(value: &(impl Serialize + ?Sized)) -> Self {
        value.serialize(JsonSerializer).unwrap_or_else(|why| panic!("cannot be JSON: {why}"))
    }

    /// Makes a list of records.
    pub(crate) fn list<T>(rows: impl IntoIterator<Item = T>, record: impl Fn(T) -> Self) -> Self {
        Self::List(rows.into_iter().map(record).collect())
    }

    /// Returns the fields of a record; an empty list for null.
    ///
    /// # Panics
    ///
    /// If the value is anything else: that is a fault of the program.
    pub(crate) fn into_fields(self) -> Vec<(FieldName, Self)> {
        match self {
            Self::Record(fields) => fields,
            Self::Null => vec![],
            other => panic!("{other:?} has no fields"),
        }
    }

    /// Returns a field of a record, or one within other fields: `wilcoxon.p`, `ci95.0`. Null where one of them is null, and
    /// past the end of a list. A `?` after a name allows a record without that field, as a map, and reads it as null:
    /// `not_defined.mean?`. An empty path is the value itself.
    ///
    /// # Panics
    ///
    /// If a record has no field of a name, or a value has no fields at all: that is a fault of the program.
    pub(crate) fn field(&self, path: &str) -> &Self {
        let names = path.split('.').filter(|name| !name.is_empty());
        names.fold(self, |value, name| match value {
            Self::Null => NULL,
            Self::Record(fields) => {
                let plain_name = name.trim_end_matches('?');
                match fields.iter().find(|(other, _)| other == plain_name) {
                    Some((_, value)) => value,
                    None if plain_name != name => NULL,
                    None => {
                        let names: Vec<_> = fields.iter().map(|(name, _)| &**name).collect();
                        panic!("no field {name} among {}", names.join(", "))
                    }
                }
            }
            Self::List(parts) => match name.parse::<usize>() {
                Ok(at) => parts.get(at).unwrap_or(NULL),
                Err(_) => panic!("no field {name} in a list"),
            },
            other => panic!("no field {name} in {other:?}"),
        })
    }

    pub(crate) const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether a field is true.
    pub(crate) fn flag(&self, path: &str) -> bool {
        *self.field(path) == Self::Flag(true)
    }

    /// Returns the parts of a field that is a list; none where it is null.
    pub(crate) fn rows(&self, path: &str) -> &[Self] {
        if let Self::List(parts) = self.field(path) { parts } else { &[] }
    }

    /// Returns the fields of a field that is a record; none where it is null.
    pub(crate) fn fields(&self, path: &str) -> &[(FieldName, Self)] {
        if let Self::Record(fields) = self.field(path) { fields } else { &[] }
    }

    pub(crate) fn number(&self, path: &str) -> Option<f64> {
        match self.field(path) {
            Self::Count(count) => Some(*count as f64),
            Self::Integer(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns a field that is a count; 0 where it is null or no number. Panics as [`Self::field`] does.
    pub(crate) fn count(&self, path: &str) -> u64 {
        self.number(path).map_or(0, |count| count as u64)
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        if let Self::Text(text) = self.field(path) { Some(text) } else { None }
    }

    pub(crate) fn interval(&self, path: &str) -> Option<Interval> {
        let field = self.field(path);
        Some(Interval { low: field.number("0")?, high: field.number("1")? })
    }

    /// Returns the cell of a field: `-` where it is null.
    pub(crate) fn cell(&self, path: &str) -> String {
        self.cell_or(path, "-")
    }

    /// Returns the cell of a field with the text for null.
    pub(crate) fn cell_or(&self, path: &str, null: &str) -> String {
        let field = self.field(path);
        if field.is_null() { null.into() } else { field.csv_cell() }
    }

    /// Returns the cell of a number with three decimals.
    pub(crate) fn share_cell(&self, path: &str) -> String {
        share_cell(self.number(path))
    }

    /// Returns the cell of a count as `12,345`.
    pub(crate) fn thousands_cell(&self, path: &str) -> String {
        let count = self.number(path).map(|count| count as u64);
        cell_or_dash(count.map(format_number::with_thousands))
    }

    /// Returns the cell of a number with so many digits after its point.
    pub(crate) fn digits_cell(&self, path: &str, digits: usize) -> String {
        cell_or_dash(self.number(path).map(|number| format!("{number:.digits$}")))
    }

    /// Returns `0.0312`, `1.2e-6`.
    pub(crate) fn p_cell(&self, path: &str) -> String {
        cell_or_dash(self.number(path).map(resampling::p_value))
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
            Self::Text(text) => text.clone(),
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
            Self::Text(text) => to.serialize_str(text),
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
    fields: Vec<(FieldName, Json)>,
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
    type SerializeTupleStruct = NoJson;
    type SerializeTupleVariant = NoJson;
    type SerializeMap = JsonParts;
    type SerializeStruct = JsonParts;
    type SerializeStructVariant = JsonVariant;

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

    fn serialize_str(self, text: &str) -> Result<Json, Error> {
        Ok(Json::Text(text.into()))
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
        variant: &'static str,
    ) -> Result<Json, Error> {
        self.serialize_str(variant)
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
        variant: &'static str,
        value: &T,
    ) -> Result<Json, Error> {
        Ok(Json::Record(vec![(variant.into(), value.serialize(self)?)]))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<JsonParts, Error> {
        Ok(JsonParts::default())
    }

    fn serialize_tuple(self, _: usize) -> Result<JsonParts, Error> {
        Ok(JsonParts::default())
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<NoJson, Error> {
        Err(Error::custom(name))
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
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<JsonVariant, Error> {
        Ok(JsonVariant { variant, parts: JsonParts::default() })
    }
}

/// The fields of a variant, which become a record below its name.
struct JsonVariant {
    variant: &'static str,
    parts: JsonParts,
}

impl SerializeStructVariant for JsonVariant {
    type Ok = Json;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        SerializeStruct::serialize_field(&mut self.parts, name, value)
    }

    fn end(self) -> Result<Json, Error> {
        Ok(Json::Record(vec![(self.variant.into(), SerializeStruct::end(self.parts)?)]))
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

impl SerializeMap for JsonParts {
    type Ok = Json;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<(), Error> {
        self.name = match name.serialize(JsonSerializer)? {
            Json::Null | Json::List(_) | Json::Record(_) => {
                return Err(Error::custom("the name of a field is no text"));
            }
            name => name.csv_cell(),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let name = std::mem::take(&mut self.name);
        self.fields.push((name.into(), value.serialize(JsonSerializer)?));
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
