//! One record of these logs, by its shape.

use serde_json::value::RawValue;

use crate::run::Role;

use super::super::json::{self, Object};

/// What a record says; `text` is what is read aloud of it.
#[derive(Debug, Default)]
pub struct Record {
    pub what: What,
    pub text: String,
    /// As [`crate::run::Agent::name`]; empty where the shape does not tell.
    pub agent: &'static str,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub enum What {
    #[default]
    Unknown,
    /// Bookkeeping.
    Nothing,
    Said(Role),
    Thought,
    Failed,
    Called(Call),
    /// The result of an earlier call; `call` is its id, empty where it is the last one's.
    Answered {
        call: Box<str>,
        is_error: bool,
    },
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub name: Box<str>,
    pub id: Box<str>,
    /// The command, the path: what the call is about.
    pub main: String,
    /// JSON; empty where the call is a text.
    pub arguments: String,
    /// Size and failure of the result, where the same record holds it.
    pub answer: Option<(u64, bool)>,
}

impl Record {
    pub fn of(record: &Object<'_>) -> Self {
        if let Some(part) = record.object("part") {
            return opencode(record, &part);
        }
        if record.has("source") && (record.has("action") || record.has("observation")) {
            return openhands(record);
        }
        if record.has("is_step") {
            return openhands_line(record);
        }
        match record.text("type") {
            None if record.has("role") => mini_swe(record),
            None => Self::default(),
            Some(kind) => gemini(&kind, record),
        }
    }

    fn new(agent: &'static str, what: What, text: String) -> Self {
        Self { what, text, agent }
    }
}

/// A string, or the strings within: `{text}`, `{content}`, a list of them.
fn text_in(raw: &RawValue) -> String {
    if let Some(text) = json::text(raw) {
        return text.into_owned();
    }
    if let Some(object) = Object::of(raw) {
        let inner =
            object.get("text").or_else(|| object.get("content")).or_else(|| object.get("output"));
        return inner.and_then(json::text).map_or_else(|| json::pretty(raw), Into::into);
    }
    let parts = json::array(raw).into_iter().map(|part| match Object::of(part) {
        Some(part) => part.text_of(&["text", "content"]).unwrap_or_default().into_owned(),
        None => json::text(part).unwrap_or_default().into_owned(),
    });
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn text_of(record: &Object<'_>, keys: &[&str]) -> String {
    keys.iter().find_map(|key| record.get(key)).map(text_in).unwrap_or_default()
}

/// The argument that says what a call is about.
fn main_of(arguments: Option<&RawValue>) -> String {
    const MAIN: [&str; 10] = [
        "command",
        "file_path",
        "filePath",
        "path",
        "absolute_path",
        "pattern",
        "query",
        "url",
        "description",
        "thought",
    ];
    let object = arguments.and_then(Object::of).unwrap_or_default();
    let first = || object.fields().find_map(|(_, raw)| json::text(raw));
    object.text_of(&MAIN).or_else(first).unwrap_or_default().into_owned()
}

fn called(name: &str, id: Option<Box<str>>, arguments: Option<&RawValue>) -> Call {
    Call {
        name: name.into(),
        id: id.unwrap_or_default(),
        main: main_of(arguments),
        arguments: arguments.map(|raw| raw.get().to_owned()).unwrap_or_default(),
        answer: None,
    }
}

/// `{type: text | tool_use | step_start ..., part: {...}}`
fn opencode(record: &Object<'_>, part: &Object<'_>) -> Record {
    const AGENT: &str = "opencode";
    let kind = record.text("type").unwrap_or_default();
    match kind.as_ref() {
        "text" => Record::new(AGENT, What::Said(Role::Assistant), text_of(part, &["text"])),
        "reasoning" => Record::new(AGENT, What::Thought, text_of(part, &["text"])),
        "step_start" | "step_finish" => Record::new(AGENT, What::Nothing, String::new()),
        "error" => Record::new(AGENT, What::Failed, text_of(part, &["message", "error"])),
        "tool_use" => {
            let state = part.object("state").unwrap_or_default();
            let name = part.text("tool").unwrap_or_default();
            let mut call = called(&name, part.boxed("callID"), state.get("input"));
            let is_error = state.text("status").as_deref() == Some("error");
            let answer = text_of(&state, &["output", "error"]);
            call.answer = Some((answer.len() as u64, is_error));
            Record::new(AGENT, What::Called(call), String::new())
        }
        _ => Record::default(),
    }
}

/// An event of OpenHands: `{source, action | observation, args, cause, message}`.
fn openhands(record: &Object<'_>) -> Record {
    const AGENT: &str = "openhands";
    let args = record.object("args").unwrap_or_default();
    let content = || {
        let said = text_of(&args, &["content", "thought"]);
        if said.is_empty() { text_of(record, &["content", "message"]) } else { said }
    };
    if record.text("observation").is_some() {
        let call = record.get("cause").map(|id| id.get().into()).unwrap_or_default();
        let is_error = record.text("observation").as_deref() == Some("error");
        let text = text_of(record, &["content", "message"]);
        return Record::new(AGENT, What::Answered { call, is_error }, text);
    }
    let action = record.text("action").unwrap_or_default();
    match (record.text("source").as_deref(), action.as_ref()) {
        (_, "system") => Record::new(AGENT, What::Said(Role::System), content()),
        (Some("user"), "message") => Record::new(AGENT, What::Said(Role::User), content()),
        (_, "message" | "finish") => Record::new(AGENT, What::Said(Role::Assistant), content()),
        (_, "think") => Record::new(AGENT, What::Thought, content()),
        (Some("environment" | "user"), _) => Record::new(AGENT, What::Nothing, String::new()),
        (_, action) => {
            let id = record.get("id").map(|id| id.get().into());
            Record::new(AGENT, What::Called(called(action, id, record.get("args"))), String::new())
        }
    }
}

/// A line of OpenHands' console, cut into steps by the harness.
fn openhands_line(record: &Object<'_>) -> Record {
    const AGENT: &str = "openhands";
    if record.flag("is_step") != Some(true) {
        return Record::new(AGENT, What::Nothing, String::new());
    }
    let line = text_of(record, &["line"]);
    match record.text("action").as_deref() {
        Some("message") | None => {
            let text = record.object("args").map(|args| text_of(&args, &["content"]));
            let text = text.filter(|text| !text.is_empty()).unwrap_or(line);
            Record::new(AGENT, What::Said(Role::Assistant), text)
        }
        Some(action) => {
            Record::new(AGENT, What::Called(called(action, None, record.get("args"))), line)
        }
    }
}

/// `{role, content}`; a command stands in a fence, its outcome in the next message.
fn mini_swe(record: &Object<'_>) -> Record {
    const AGENT: &str = "mini-swe-agent";
    let text = text_of(record, &["content"]);
    match record.text("role").as_deref() {
        Some("assistant") => {
            let calls = record.array("tool_calls");
            let function = calls.first().and_then(|call| Object::of(call)?.object("function"));
            let arguments =
                function.and_then(|function| function.text("arguments").map(String::from));
            let told =
                arguments.and_then(|text| Object::parse(&text)?.text("command").map(String::from));
            match told.or_else(|| fenced(&text)) {
                Some(main) => {
                    let call = Call { name: "bash".into(), main, ..Call::default() };
                    Record::new(AGENT, What::Called(call), text)
                }
                None => Record::new(AGENT, What::Said(Role::Assistant), text),
            }
        }
        Some("environment" | "tool") => Record::new(AGENT, answered(&text), text),
        Some("user") if text.trim_start().starts_with("<returncode>") => {
            Record::new(AGENT, answered(&text), text)
        }
        Some("user") => Record::new(AGENT, What::Said(Role::User), text),
        Some("system") => Record::new(AGENT, What::Said(Role::System), text),
        _ => Record::default(),
    }
}

fn answered(text: &str) -> What {
    let is_error = exit_code(text).is_some_and(|code| code != 0);
    What::Answered { call: "".into(), is_error }
}

/// The exit code that mini-swe-agent writes at the head of an outcome.
pub fn exit_code(text: &str) -> Option<i32> {
    let rest = text.trim_start().strip_prefix("<returncode>")?;
    rest.split('<').next()?.trim().parse().ok()
}

/// The command between the fences of a message.
fn fenced(text: &str) -> Option<String> {
    let fences = ["```bash\n", "```mswea_bash_command\n", "```sh\n"];
    let start = fences.iter().find_map(|fence| text.find(fence).map(|at| at + fence.len()))?;
    let command = text[start..].split("```").next()?.trim();
    (!command.is_empty()).then(|| command.to_owned())
}

/// `{type: init | message | tool_use | tool_result | error | result}`
fn gemini(kind: &str, record: &Object<'_>) -> Record {
    const AGENT: &str = "gemini";
    match kind {
        "init" | "result" => Record::new(AGENT, What::Nothing, String::new()),
        "error" => Record::new(AGENT, What::Failed, text_of(record, &["message", "error"])),
        "tool_use" => {
            let name = record.text_of(&["tool_name", "name"]).unwrap_or_default();
            let arguments = record.get("parameters").or_else(|| record.get("input"));
            let id = record.boxed("tool_id").or_else(|| record.boxed("id"));
            Record::new(AGENT, What::Called(called(&name, id, arguments)), String::new())
        }
        "tool_result" => {
            let call = record.text_of(&["tool_id", "tool_use_id"]).unwrap_or_default().into();
            let is_error = record.text("status").as_deref() == Some("error");
            let text = text_of(record, &["output", "content", "error"]);
            Record::new(AGENT, What::Answered { call, is_error }, text)
        }
        "message" => gemini_message(record),
        _ => Record::default(),
    }
}

fn gemini_message(record: &Object<'_>) -> Record {
    const AGENT: &str = "gemini";
    let content = record.object("content").unwrap_or_default();
    if let Some(tool) = content.object("tool_use") {
        let name = tool.text("name").unwrap_or_default();
        let call = called(&name, tool.boxed("id"), tool.get("input"));
        return Record::new(AGENT, What::Called(call), String::new());
    }
    if let Some(result) = content.object("tool_result") {
        let call = result.text("tool_use_id").unwrap_or_default().into();
        let text = text_of(&result, &["content"]);
        return Record::new(AGENT, What::Answered { call, is_error: false }, text);
    }
    let role = match record.text("role").as_deref() {
        Some("user") => Role::User,
        _ => Role::Assistant,
    };
    Record::new(AGENT, What::Said(role), text_of(record, &["content"]))
}

/// The result that stands in the record of the call itself.
pub fn answer_of(record: &Object<'_>) -> Option<String> {
    Some(text_of(&record.object("part")?.object("state")?, &["output", "error"]))
}
