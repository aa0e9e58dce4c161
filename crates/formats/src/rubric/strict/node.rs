//! A value of a JSON document that knows its place.

use serde_json::{Value, value::RawValue};

use crate::{SourceBytes, raw_object::RawObject};

use super::shapes::FileMistakes;

#[derive(Clone)]
pub struct StrictNode<'a> {
    raw: &'a RawValue,
    /// The path as a person would write it: `scores[3].evidence[0].path`; empty for the document.
    pub path: String,
}

impl<'a> StrictNode<'a> {
    /// Returns the document of a file, if it is an object.
    pub fn document(file: &SourceBytes<'a>, mistakes: &mut FileMistakes<'a>) -> Option<Self> {
        match serde_json::from_slice::<&RawValue>(file.bytes) {
            Ok(raw) if raw.get().trim_start().starts_with('{') => {
                Some(Self { raw, path: String::new() })
            }
            Ok(_) => {
                mistakes.add_at_line(1, "is not a JSON object".into());
                None
            }
            Err(why) => {
                mistakes.add_at_line(why.line().max(1), format!("is not JSON: {why}"));
                None
            }
        }
    }

    /// Returns bytes before it in `whole`, which it is borrowed from.
    pub fn offset_in(&self, whole: &[u8]) -> usize {
        let text = self.raw.get();
        let blank = text.len() - text.trim_start().len();
        (text.as_ptr() as usize + blank).saturating_sub(whole.as_ptr() as usize)
    }

    pub fn entries(&self) -> Vec<(String, Self)> {
        let dot = if self.path.is_empty() { "" } else { "." };
        let node = |(name, raw): (&str, &'a RawValue)| {
            (name.to_owned(), Self { raw, path: format!("{}{dot}{name}", self.path) })
        };
        RawObject::parse(self.raw.get()).unwrap_or_default().fields().map(node).collect()
    }

    /// Returns the first field of the name.
    pub fn field(&self, name: &str) -> Option<Self> {
        self.entries().into_iter().find(|(found, _)| found == name).map(|(_, node)| node)
    }

    /// Returns the elements of a list; empty for another value.
    pub fn elements(&self) -> Vec<Self> {
        let elements = serde_json::from_str::<Vec<&'a RawValue>>(self.raw.get());
        let node =
            |(at, raw): (usize, &'a RawValue)| Self { raw, path: format!("{}[{at}]", self.path) };
        elements.unwrap_or_default().into_iter().enumerate().map(node).collect()
    }

    pub fn value(&self) -> Value {
        serde_json::from_str(self.raw.get()).unwrap_or_default()
    }

    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.raw.get()).ok()
    }

    /// Returns a whole number that is not negative.
    pub fn count(&self) -> Option<u64> {
        serde_json::from_str(self.raw.get()).ok()
    }

    pub fn is_null(&self) -> bool {
        self.raw.get().trim() == "null"
    }

    pub fn is_list(&self) -> bool {
        self.raw.get().trim_start().starts_with('[')
    }

    pub fn is_object(&self) -> bool {
        self.raw.get().trim_start().starts_with('{')
    }

    /// Returns the value as it is written, shortened.
    pub fn shortened_text(&self) -> String {
        const LONGEST: usize = 60;
        let text = self.raw.get().trim();
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        }
    }
}
