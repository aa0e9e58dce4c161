//! The tools of a judge: list, read, search and find definitions in one snapshot. Every answer is bounded in size.
//!
//! To add a tool write `tools/<name>.rs` with a `run`, and one row of [`TOOLS`].

mod list;
pub mod path;
mod read;
mod search;
mod symbols;

use serde_json::{Map, Value, json};

use super::snapshot::CodeSnapshot;
use ArgumentKind::{Number, Text};

/// One tool, with its description for a judge.
#[derive(Debug, Clone, Copy)]
pub struct JudgeTool {
    pub name: &'static str,
    pub about: &'static str,
    /// Its arguments, each with whether it must be there.
    pub arguments: &'static [ToolArgument],
    run: fn(&ToolArguments<'_>, &CodeSnapshot) -> Result<String, String>,
}

#[derive(Debug, Clone, Copy)]
pub struct ToolArgument {
    pub name: &'static str,
    pub kind: ArgumentKind,
    pub about: &'static str,
    pub is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    Text,
    Number,
}

const fn optional(name: &'static str, kind: ArgumentKind, about: &'static str) -> ToolArgument {
    ToolArgument { name, kind, about, is_required: false }
}

const fn required(name: &'static str, kind: ArgumentKind, about: &'static str) -> ToolArgument {
    ToolArgument { name, kind, about, is_required: true }
}

/// Every tool, in the order of the description for a judge.
pub const TOOLS: [JudgeTool; 4] = [
    JudgeTool {
        name: "list",
        about: "Lists the files below a folder with their number of lines.",
        arguments: &[optional("path", Text, "a folder, relative; the whole tree without it")],
        run: list::list_files,
    },
    JudgeTool {
        name: "read",
        about: "Reads lines of a file, each with its number.",
        arguments: &[
            required("path", Text, "a file, relative"),
            optional("start", Number, "first line, from 1"),
            optional("end", Number, "last line"),
        ],
        run: read::read_lines,
    },
    JudgeTool {
        name: "search",
        about: "Finds lines that match a regular expression, as path:line: text.",
        arguments: &[
            required("pattern", Text, "a regular expression; (?i) ignores case"),
            optional("path", Text, "a file or folder, relative"),
        ],
        run: search::search_lines,
    },
    JudgeTool {
        name: "symbols",
        about: "Lists the definitions of functions, classes and types, as path:start-end kind name.",
        arguments: &[
            optional("path", Text, "a file or folder, relative"),
            optional("name", Text, "only those whose name has this in it, in any case"),
        ],
        run: symbols::list_symbols,
    },
];

/// An answer has no more bytes than this, with the sentence that says it was cut.
pub const MOST_BYTES: usize = 24 << 10;

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The text for the judge; at most [`MOST_BYTES`].
    pub text: String,
    /// True if the call was refused.
    pub is_refused: bool,
}

impl ToolAnswer {
    pub fn refused(why: &str) -> Self {
        Self { text: cut_answer(format!("refused: {why}")), is_refused: true }
    }
}

/// Answers one call; whatever the name and the arguments, it stays in the snapshot.
pub(crate) fn answer_call(name: &str, arguments: &Value, snapshot: &CodeSnapshot) -> ToolAnswer {
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        return ToolAnswer::refused(&format!("no such tool; there are {}", names.join(", ")));
    };
    let nothing = Map::new();
    let arguments = match arguments {
        Value::Object(map) => map,
        Value::Null => &nothing,
        _ => return ToolAnswer::refused("the arguments are not a JSON object"),
    };
    match (tool.run)(&ToolArguments(arguments), snapshot) {
        Ok(text) => ToolAnswer { text: cut_answer(text), is_refused: false },
        Err(why) => ToolAnswer::refused(&why),
    }
}

/// The arguments of a call.
pub struct ToolArguments<'a>(&'a Map<String, Value>);

impl ToolArguments<'_> {
    /// Returns a text argument. None where it is missing or null; an empty text counts as missing.
    fn text_argument(&self, name: &str) -> Result<Option<&str>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(format!("{name} is not text")),
        }
    }

    fn required_text(&self, name: &str) -> Result<&str, String> {
        self.text_argument(name)?.ok_or_else(|| format!("{name} is missing"))
    }

    /// Returns a line number, from 1.
    fn line_argument(&self, name: &str) -> Result<Option<usize>, String> {
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

/// Returns a tool as a JSON schema of its arguments.
pub(crate) fn tool_schema(tool: &JudgeTool) -> Value {
    let property = |argument: &ToolArgument| {
        let kind = if argument.kind == Text { "string" } else { "integer" };
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

/// Cuts an answer at the end of a line where it is longer than [`MOST_BYTES`].
fn cut_answer(text: String) -> String {
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

/// Returns a line as it is shown, without its end.
fn cut_line(line: &str) -> String {
    const MOST_CHARS: usize = 400;
    match line.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{} (cut)", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
