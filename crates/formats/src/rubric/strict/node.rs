//! A value of a JSON document that knows where it stands.

use serde_json::{Value, value::RawValue};

use crate::{Source, json::Object};

use super::shapes::Mistakes;

#[derive(Clone)]
pub struct Node<'a> {
    raw: &'a RawValue,
    /// As a person would write it: `scores[3].evidence[0].path`; empty for the document.
    pub path: String,
}

impl<'a> Node<'a> {
    /// The document of a file, if it is an object.
    pub fn document(file: &Source<'a>, mistakes: &mut Mistakes<'a>) -> Option<Self> {
        match serde_json::from_slice::<&RawValue>(file.bytes) {
            Ok(raw) if raw.get().trim_start().starts_with('{') => {
                Some(Self { raw, path: String::new() })
            }
            Ok(_) => {
                mistakes.line(1, "is not a JSON object".into());
                None
            }
            Err(why) => {
                mistakes.line(why.line().max(1), format!("is not JSON: {why}"));
                None
            }
        }
    }

    /// Bytes before it in `whole`, which it is borrowed from.
    pub fn offset(&self, whole: &[u8]) -> usize {
        let text = self.raw.get();
        let blank = text.len() - text.trim_start().len();
        (text.as_ptr() as usize + blank).saturating_sub(whole.as_ptr() as usize)
    }

    pub fn entries(&self) -> Vec<(String, Self)> {
        let dot = if self.path.is_empty() { "" } else { "." };
        let node = |(name, raw): (&str, &'a RawValue)| {
            (name.to_owned(), Self { raw, path: format!("{}{dot}{name}", self.path) })
        };
        Object::parse(self.raw.get()).unwrap_or_default().fields().map(node).collect()
    }

    /// The first field of the name.
    pub fn field(&self, name: &str) -> Option<Self> {
        self.entries().into_iter().find(|(found, _)| found == name).map(|(_, node)| node)
    }

    /// Empty where it is no list.
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

    /// A whole number that is not negative.
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

    /// As it is written, cut short.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 60;
        let text = self.raw.get().trim();
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        }
    }
}
