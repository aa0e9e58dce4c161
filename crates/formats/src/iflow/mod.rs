//! iFlow CLI's sessions: `~/.iflow/projects/<folder>/session-<id>.jsonl`. The records have the envelope of Claude Code's, the results
//! of calls and the names of tools are those of Gemini CLI, from which iFlow was made.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Entry, Event, Record, Records, arguments, order},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct Iflow;

impl Records for Iflow {
    fn name(&self) -> &'static str {
        "iflow"
    }

    fn about(&self) -> &'static str {
        "iFlow CLI session, ~/.iflow/projects/*/session-*.jsonl"
    }

    fn sample(&self) -> &'static str {
        "logs/iflow.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times()
    }

    /// Claude Code names a session by its UUID alone, iFlow writes `session-` before it.
    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"sessionId\"", "session-", "\"parentUuid\""], |object| {
            let id = object.text("sessionId").unwrap_or_default();
            id.strip_prefix("session-").is_some_and(is_uuid)
                && object.has("uuid")
                && object.has("parentUuid")
                && object.object("message").is_some_and(|message| message.has("content"))
        })
    }

    fn header<'t>(&self, _document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        record.facts.agent = Some(Cow::Borrowed("iflow"));
        record
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let kind = fields.text("type").unwrap_or_default();
        let mut made = match (&*kind, fields.object("message")) {
            ("user" | "assistant", Some(message)) => said(&fields, &kind, &message),
            _ => Record::of(Event::unknown(kind, "record without a type")),
        };
        made.time = chat::time_of(&fields, &["timestamp"]);
        made.facts.id = fields.text("sessionId");
        made.facts.root = fields.text("cwd");
        made.facts.version = fields.text("version");
        made.id = fields.text("uuid");
        made.parent = order::parent_in(&fields, "parentUuid");
        made
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        order::live_branch(entries);
    }
}

fn is_uuid(text: &str) -> bool {
    let is_part = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && text.split('-').all(is_part)
}

fn said<'t>(fields: &Object<'t>, role: &str, message: &Object<'t>) -> Record<'t> {
    let mut made = chat::content(role, message.get("content"));
    if fields.flag("isMeta") == Some(true) || fields.flag("isSidechain") == Some(true) {
        for event in &mut made.events {
            if let Event::Request(text) = event {
                *event = Event::Said(Role::System, std::mem::take(text));
            }
        }
    }
    if let Some(usage) = message.object("usage") {
        let tokens = chat::usage(&usage);
        // Zeros stand where nothing was counted.
        made.tokens = if tokens.total() == Some(0) { Default::default() } else { tokens };
    }
    made.facts.model = message.text("model");
    let status = fields.object("toolUseResult").and_then(|result| result.text("status"));
    let blocks = message.array("content").into_iter().filter_map(Object::of);
    let mut results = blocks.filter(|block| block.text("type").as_deref() == Some("tool_result"));
    for event in &mut made.events {
        let Event::Answered(answer) = event else { continue };
        if let Some(block) = results.next() {
            complete(answer, &block);
        }
        match status.as_deref() {
            Some("success") => answer.is_ok = !answer.is_error,
            Some("error" | "cancelled" | "canceled" | "failed") => answer.is_error = true,
            _ => {}
        }
    }
    made
}

/// A result in the form of Gemini CLI: what the model was given, and what the program showed, a changed file whole.
fn complete<'t>(answer: &mut Answer<'t>, block: &Object<'t>) {
    let Some(content) = block.object("content") else { return };
    let parts = content.get("responseParts").or_else(|| content.whole());
    let first = parts.and_then(|it| if it.is_list() { it.elements().next() } else { Some(it) });
    let given = first.and_then(Object::of).and_then(|part| part.object("functionResponse"));
    let response = given.and_then(|given| given.object("response")).unwrap_or_default();
    let shown = content.get("resultDisplay");
    let error = response.get("error").map(arguments::error_words);
    answer.is_error |= error.is_some();
    let text = response.get("output").map(arguments::words).or(error);
    let text = text.or_else(|| shown.map(arguments::words)).unwrap_or_default();
    answer.exit_code = chat::exit_code(&text);
    answer.text = text;
    answer.edits =
        shown.and_then(Object::of).and_then(|it| chat::whole_file(&it)).into_iter().collect();
    // Only the name without folders may be shown; the call has the path.
    answer.edits.retain(|edit| edit.path.contains(['/', '\\']));
}
