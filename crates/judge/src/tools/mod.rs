//! What a judge may do: list, read, search and find definitions in one snapshot. Every answer is bounded in size.
//!
//! To add a tool write `tools/<name>.rs` with a `run`, and one row of [`TOOLS`].

mod list;
pub mod path;
mod read;
mod search;
mod symbols;

use serde_json::{Map, Value, json};

use super::snapshot::Snapshot;

/// One tool, as it is told to a judge.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    pub name: &'static str,
    pub about: &'static str,
    /// Its arguments, each with whether it must be there.
    pub arguments: &'static [Argument],
    run: fn(&Arguments<'_>, &Snapshot) -> Result<String, String>,
}

#[derive(Debug, Clone, Copy)]
pub struct Argument {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
    pub is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
}

const fn argument(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, about, is_required: false }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, about, is_required: true }
}

/// Every tool, in the order in which a judge is told of them.
pub const TOOLS: [Tool; 4] = [
    Tool {
        name: "list",
        about: "Lists the files below a folder with their number of lines.",
        arguments: &[argument("path", Kind::Text, "a folder, relative; the whole tree without it")],
        run: list::run,
    },
    Tool {
        name: "read",
        about: "Reads lines of a file, each with its number.",
        arguments: &[
            required("path", Kind::Text, "a file, relative"),
            argument("start", Kind::Number, "first line, from 1"),
            argument("end", Kind::Number, "last line"),
        ],
        run: read::run,
    },
    Tool {
        name: "search",
        about: "Finds lines that match a regular expression, as path:line: text.",
        arguments: &[
            required("pattern", Kind::Text, "a regular expression; (?i) ignores case"),
            argument("path", Kind::Text, "a file or folder, relative"),
        ],
        run: search::run,
    },
    Tool {
        name: "symbols",
        about: "Lists the definitions of functions, classes and types, as path:start-end kind name.",
        arguments: &[
            argument("path", Kind::Text, "a file or folder, relative"),
            argument("name", Kind::Text, "only those whose name has this in it, in any case"),
        ],
        run: symbols::run,
    },
];

/// An answer has no more bytes than this, with the sentence that says it was cut.
pub const MOST_BYTES: usize = 24 << 10;

/// What a tool said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What the judge is told; at most [`MOST_BYTES`].
    pub text: String,
    /// Whether it asked for what it cannot have.
    pub is_refused: bool,
}

impl Answer {
    pub fn refused(why: &str) -> Self {
        Self { text: bounded(format!("refused: {why}")), is_refused: true }
    }
}

/// Answers one call; whatever the name and the arguments, it stays in the snapshot.
pub fn answer(name: &str, arguments: &Value, snapshot: &Snapshot) -> Answer {
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        return Answer::refused(&format!("no such tool; there are {}", known.join(", ")));
    };
    let nothing = Map::new();
    let arguments = match arguments {
        Value::Object(map) => map,
        Value::Null => &nothing,
        _ => return Answer::refused("the arguments are not a JSON object"),
    };
    match (tool.run)(&Arguments(arguments), snapshot) {
        Ok(text) => Answer { text: bounded(text), is_refused: false },
        Err(why) => Answer::refused(&why),
    }
}

/// The arguments of a call.
pub struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    /// None where it is missing or null; an empty text counts as missing.
    fn text(&self, name: &str) -> Result<Option<&str>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(format!("{name} is not text")),
        }
    }

    fn needed(&self, name: &str) -> Result<&str, String> {
        self.text(name)?.ok_or_else(|| format!("{name} is missing"))
    }

    /// A line number, from 1.
    fn line(&self, name: &str) -> Result<Option<usize>, String> {
        let number = |value: &Value| {
            let whole = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
            usize::try_from(whole?).ok().filter(|line| *line > 0)
        };
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match number(value) {
                Some(line) => Ok(Some(line)),
                None => Err(format!("{name} is not a line number (from 1)")),
            },
        }
    }
}

/// A tool as a JSON schema of its arguments.
pub fn schema(tool: &Tool) -> Value {
    let property = |argument: &Argument| {
        let kind = if argument.kind == Kind::Text { "string" } else { "integer" };
        (argument.name.to_owned(), json!({"type": kind, "description": argument.about}))
    };
    let properties: Map<String, Value> = tool.arguments.iter().map(property).collect();
    let required: Vec<&str> =
        tool.arguments.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Cut at the end of a line where it is longer than [`MOST_BYTES`].
fn bounded(text: String) -> String {
    const CUT: &str = "\n(cut here; ask for less at once)";
    if text.len() <= MOST_BYTES {
        return text;
    }
    let mut end = MOST_BYTES - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    format!("{}{CUT}", &text[..end])
}

/// A line as it is shown, without its end.
fn line_shown(line: &str) -> String {
    const MOST_CHARS: usize = 400;
    match line.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{} (cut)", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
