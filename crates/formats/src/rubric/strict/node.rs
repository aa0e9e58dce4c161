//! A value of a JSON document that knows its place.

use serde_json::Value;

use crate::{
    SourceBytes,
    json_object::JsonObject,
    tape::{self, JsonTape, TapeValue},
};

use super::shapes::FileMistakes;

#[derive(Clone)]
pub struct StrictNode<'a> {
    value: TapeValue<'a>,
    /// The path as a person would write it: `scores[3].evidence[0].path`; empty for the document.
    pub path: String,
}

impl<'a> StrictNode<'a> {
    /// Returns the object that a document is.
    pub fn document(tape: &'a JsonTape<'a>) -> Self {
        Self { value: tape.root(), path: String::new() }
    }

    /// Returns bytes before it in `whole`, which it is borrowed from.
    pub fn offset_in(&self, whole: &[u8]) -> usize {
        (self.value.get().as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
    }

    pub fn entries(&self) -> Vec<(String, Self)> {
        let dot = if self.path.is_empty() { "" } else { "." };
        let fields = JsonObject::from_value(self.value).unwrap_or_default().fields();
        fields
            .map(|(name, value)| {
                let path = format!("{}{dot}{name}", self.path);
                (name.into_owned(), Self { value, path })
            })
            .collect()
    }

    /// Returns the first field of the name.
    pub fn field(&self, name: &str) -> Option<Self> {
        self.entries().into_iter().find(|(found, _)| found == name).map(|(_, node)| node)
    }

    /// Returns the elements of a list; empty for another value.
    pub fn elements(&self) -> Vec<Self> {
        let elements = self.value.elements().enumerate();
        elements.map(|(at, value)| Self { value, path: format!("{}[{at}]", self.path) }).collect()
    }

    pub fn value(&self) -> Value {
        serde_json::from_str(self.value.get()).unwrap_or_default()
    }

    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.value.get()).ok()
    }

    /// Returns a whole number that is not negative.
    pub fn count(&self) -> Option<u64> {
        self.value.get().parse().ok()
    }

    pub fn is_null(&self) -> bool {
        self.value.is_null()
    }

    pub fn is_list(&self) -> bool {
        self.value.is_list()
    }

    pub fn is_object(&self) -> bool {
        self.value.is_object()
    }

    /// Returns the value as it is written, shortened.
    pub fn shortened_text(&self) -> String {
        const LONGEST: usize = 60;
        let text = self.value.get();
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        }
    }
}

/// Parses a file as one JSON object. Adds a mistake, and returns None, where it is not JSON or not an object.
pub fn parse_json_object<'a>(
    file: &SourceBytes<'a>,
    mistakes: &mut FileMistakes<'a>,
) -> Option<JsonTape<'a>> {
    if let Err(why) = serde_json::from_slice::<&serde_json::value::RawValue>(file.bytes) {
        mistakes.add_at_line(why.line().max(1), format!("is not JSON: {why}"));
        return None;
    }
    let text = std::str::from_utf8(file.bytes).unwrap_or_default();
    match JsonTape::parse(text) {
        Some(tape) if tape.root().is_object() => return Some(tape),
        Some(_) => mistakes.add_at_line(1, "is not a JSON object".into()),
        None => mistakes.add_at_line(1, format!("is not JSON: {}", tape::serde_error(text))),
    }
    None
}
