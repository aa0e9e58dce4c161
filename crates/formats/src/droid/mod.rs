//! Droid's sessions: `~/.factory/sessions/*.jsonl`, and what `droid exec` prints as a stream of its own.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct Droid;

impl Records for Droid {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn about(&self) -> &'static str {
        "Droid session, ~/.factory/sessions/*.jsonl, or the stream of droid exec"
    }

    fn sample(&self) -> &'static str {
        "logs/droid.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_session =
            |object: &Object<'_>| object.text("type").as_deref() == Some("session_start");
        let is_stream = |object: &Object<'_>| match object.text("type").as_deref() {
            Some("tool_call" | "tool_result") => {
                object.has("toolCallId") && object.has("session_id")
            }
            Some("completion") => object.has("finalText"),
            _ => false,
        };
        peek::any(head, &["\"session_start\""], is_session)
            || peek::any(head, &["\"session_id\""], is_stream)
    }

    /// The model and what the whole session used stand in a file of settings beside the log.
    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        let session = main.name.strip_suffix(".jsonl");
        session.map(|session| format!("{session}.settings.json")).into_iter().collect()
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let settings = Object::of(document).unwrap_or_default();
        if !is_settings(&settings) {
            return record;
        }
        record.facts.model = settings.text("model");
        let usage = settings.object("tokenUsage").unwrap_or_default();
        let (read, written) =
            (usage.number("cacheReadTokens"), usage.number("cacheCreationTokens"));
        let thinking = usage.number("thinkingTokens");
        record.tokens = Tokens {
            input: usage
                .number("inputTokens")
                .map(|input| input + read.unwrap_or(0) + written.unwrap_or(0)),
            cached_input: read,
            output: usage.number("outputTokens").map(|output| output + thinking.unwrap_or(0)),
            reasoning: thinking,
            cache_write: written,
            cache_write_1h: None,
        };
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        match Object::of(value) {
            Some(settings) if is_settings(&settings) => vec![],
            _ => vec![value],
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = event(&fields);
        made.facts.agent = Some(Cow::Borrowed("droid"));
        made.time = chat::time_of(&fields, &["timestamp"]);
        made
    }
}

/// Whether a value is the file of settings of a session: all of a log's records have a type.
fn is_settings(fields: &Object<'_>) -> bool {
    fields.has("tokenUsage") && !fields.has("type")
}

fn event<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = Record::default();
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "session_start" => {
            made.facts.id = fields.text("id");
            made.facts.title = fields.text_of(&["title", "sessionTitle"]);
            made.facts.root = fields.text("cwd");
        }
        "system" => {
            made.facts.id = fields.text("session_id");
            made.facts.root = fields.text("cwd");
            made.facts.model = fields.text("model");
        }
        "message" => match fields.object("message") {
            Some(message) => made = context_aside(chat::message(&message)),
            None => {
                let text = fields.text("text").unwrap_or_default();
                made.facts.id = fields.text("session_id");
                made.says(match &*fields.text("role").unwrap_or_default() {
                    "user" => Event::Request(text),
                    "system" => Event::Said(Role::System, text),
                    _ => Event::Said(Role::Assistant, text),
                });
            }
        },
        "reasoning" => made.says_words(Event::Thought, fields.text("text").unwrap_or_default()),
        "tool_call" => made.says(Event::Called(chat::called(fields))),
        "tool_result" => made.says(Event::Answered(answer(fields))),
        "completion" => made.says_words(
            |text| Event::Said(Role::Assistant, text),
            fields.text("finalText").unwrap_or_default(),
        ),
        "error" => made.says(Event::Failed(fields.text("message").unwrap_or_default())),
        "compaction_state" | "compaction" => made.says(Event::Compacted(
            fields.text_of(&["summaryText", "summary"]).unwrap_or_default(),
        )),
        "todo_state" | "session_end" | "settings_state" => {}
        _ => made.says(Event::unknown(kind, "record without a type")),
    }
    made
}

/// What the program puts before a request is no part of it.
fn context_aside(mut record: Record<'_>) -> Record<'_> {
    for event in &mut record.events {
        let Event::Request(text) = event else { continue };
        let trimmed = text.trim_start();
        let context = trimmed
            .starts_with("<system-reminder>")
            .then(|| trimmed.rfind("</system-reminder>"))
            .flatten();
        if let Some(end) = context {
            let rest = trimmed[end..].trim_start_matches("</system-reminder>").trim();
            *event = match rest {
                "" => Event::Said(Role::System, std::mem::take(text)),
                rest => Event::Request(Cow::Owned(rest.to_owned())),
            };
        }
    }
    record
}

fn answer<'t>(fields: &Object<'t>) -> Answer<'t> {
    let value = fields.object("value").unwrap_or_default();
    let printed = [value.text("stdout"), value.text("stderr")]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty());
    let printed = printed.collect::<Vec<_>>().join("\n");
    let text = match printed.as_str() {
        "" => fields
            .get("value")
            .map(arguments::words)
            .filter(|text| !text.is_empty())
            .or_else(|| fields.get("error").map(arguments::words))
            .unwrap_or_default(),
        _ => printed.into(),
    };
    let exit_code = value.integer("exitCode");
    let flag = fields.flag("isError");
    Answer {
        call: fields.text_of(&["toolCallId", "id"]).unwrap_or_default(),
        is_error: flag == Some(true) || exit_code.is_some_and(|code| code != 0),
        is_ok: flag == Some(false),
        exit_code,
        text,
        ..Answer::default()
    }
}
