//! Kimi's sessions: `sessions/*/session_*/agents/main/wire.jsonl`, sub-agents in folders beside `main`. What the model did
//! is in the loop events; the messages of the context repeat what was asked.

use std::{borrow::Cow, collections::HashSet};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    companions::BelongsTo,
    object::Object,
    peek,
    records::{Answer, Entry, Event, Record, Records, arguments},
    tape::Value,
};
use crate::run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct Kimi;

impl Records for Kimi {
    fn name(&self) -> &'static str {
        "kimi"
    }

    fn about(&self) -> &'static str {
        "Kimi session, sessions/*/session_*/agents/main/wire.jsonl with its sub-agents"
    }

    fn sample(&self) -> &'static str {
        "logs/kimi.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"type\""], |object| match object.text("type").as_deref() {
            Some("metadata") => object.has("protocol_version"),
            Some("context.append_loop_event" | "turn.prompt" | "llm.request") => object.has("time"),
            _ => false,
        })
    }

    /// Logs of other agents lie in folders beside the main one's.
    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        if main.name != "wire.jsonl" {
            return vec![];
        }
        vec!["../*".to_owned(), "../../state.json".to_owned()]
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        let is_started = peek::any(other, &["system_trigger", "subagent"], |object| {
            object.text("type").as_deref() == Some("turn.prompt")
                && object
                    .object("origin")
                    .is_some_and(|origin| origin.text("name").as_deref() == Some("subagent"))
        });
        if is_started && self.claims(other) {
            BelongsTo::Named(vec!["wire.jsonl".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn agent_of(&self, source: &str) -> Option<String> {
        source.rsplit('/').nth(1).map(str::to_owned)
    }

    /// What `state.json` says of the session.
    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let state = Object::of(document).unwrap_or_default();
        if state.has("workDir") {
            record.facts.root = state.text("workDir");
            record.facts.title = state.text("title").filter(|title| !title.is_empty());
        }
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        match Object::of(value) {
            Some(state) if state.has("workDir") && !state.has("type") => vec![],
            _ => vec![value],
        }
    }

    /// A request names the model itself; elsewhere stands the name that the user's settings have for it.
    fn order(&self, entries: &mut Vec<Entry>) {
        let names_model = |entry: &Entry| entry.record.id.as_deref() == Some(REQUEST);
        if entries.iter().any(|entry| names_model(entry) && entry.record.facts.model.is_some()) {
            for entry in entries.iter_mut().filter(|entry| !names_model(entry)) {
                entry.record.facts.model = None;
            }
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = event(&fields);
        made.time = chat::time_of(&fields, &["time", "created_at"]);
        made.facts.agent = Some(Cow::Borrowed("kimi"));
        made
    }
}

/// The kind of record with which a request to a model is logged; its id here.
const REQUEST: &str = "llm.request";

fn event<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = Record::default();
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "config.update" => {
            made.facts.root = fields.text("cwd");
            made.facts.model = fields.text("modelAlias");
        }
        "profile.bind" => {
            made.facts.model = fields.text("modelAlias");
            made.facts.root = fields.object("environmentDisclosure").and_then(|it| it.text("cwd"));
        }
        "turn.prompt" => made.says(Event::Request(arguments::words_of(fields, "input"))),
        "turn.steer" => made.says(Event::Said(Role::User, arguments::words_of(fields, "input"))),
        "turn.cancel" => made.says(Event::Failed("the turn was cancelled".into())),
        "turn.ended" => {
            let reason = fields.text("reason").unwrap_or_default();
            if !matches!(&*reason, "completed" | "") {
                made.says(Event::Failed(format!("the turn ended: {reason}").into()));
            }
        }
        "context.append_loop_event" => match fields.object("event") {
            Some(event) => in_loop(&mut made, &event),
            None => made.says(Event::Unknown("loop event that is no object".into())),
        },
        "context.append_message" => message(&mut made, fields),
        "context.compacted"
        | "context.compact"
        | "context.apply_compaction"
        | "full_compaction.complete" => {
            made.says(Event::Compacted(
                fields.text("summary").unwrap_or("the context was summarised".into()),
            ));
        }
        "error" => made.says(Event::Failed(fields.text("message").unwrap_or_default())),
        REQUEST => {
            made.id = Some(Cow::Borrowed(REQUEST));
            made.facts.model = fields.text("model");
        }
        // The same counts stand at the end of each step.
        "usage.record" | "token_counting.measured" | "token_counting.turn_recorded" => {}
        kind if kind.starts_with("permission.")
            || kind.starts_with("plugin.")
            || kind.starts_with("tools.")
            || kind.starts_with("runtime.")
            || kind.starts_with("llm.")
            || kind.starts_with("goal.") => {}
        "metadata"
        | "context.clear"
        | "context.undo"
        | "plan_mode.enter"
        | "plan_mode.exit"
        | "full_compaction.begin"
        | "micro_compaction.apply"
        | "agents_md.bind" => {}
        _ => made.says(Event::unknown(kind, "record without a type")),
    }
    made
}

/// What was put before the model; requests stand there a second time.
fn message<'t>(made: &mut Record<'t>, fields: &Object<'t>) {
    let message = fields.object("message").unwrap_or_default();
    let origin = message.object("origin").unwrap_or_default();
    let is_typed = matches!(origin.text("kind").as_deref(), Some("user" | "system_trigger"));
    let role = message.text("role").unwrap_or_default();
    if role == "user" && is_typed {
        return;
    }
    let text = arguments::words_of(&message, "content");
    let role = if role == "assistant" { Role::Assistant } else { Role::System };
    if !text.trim().is_empty() {
        made.says(Event::Said(role, text));
    }
}

fn in_loop<'t>(made: &mut Record<'t>, event: &Object<'t>) {
    let kind = event.text("type").unwrap_or_default();
    match &*kind {
        "content.part" => {
            let part = event.object("part").unwrap_or_default();
            match &*part.text("type").unwrap_or_default() {
                "think" => made.says_words(Event::Thought, part.text("think").unwrap_or_default()),
                _ => made.says_words(
                    |text| Event::Said(Role::Assistant, text),
                    part.text("text").unwrap_or_default(),
                ),
            }
        }
        "tool.call" => {
            let call = arguments::call(
                event.text("name").unwrap_or_default(),
                event.text("toolCallId"),
                event.get("args"),
            );
            made.says(Event::Called(call));
        }
        "tool.result" => {
            let result = event.object("result").unwrap_or_default();
            let text = arguments::words_of(&result, "output");
            let why = || chat::reason(&result, &["error", "message", "reason"]);
            let text = if text.trim().is_empty() { why().unwrap_or(text) } else { text };
            let flag = result.flag("isError").or_else(|| result.flag("is_error"));
            made.says(Event::Answered(Answer {
                call: event.text("toolCallId").unwrap_or_default(),
                is_error: flag == Some(true),
                is_ok: flag == Some(false),
                exit_code: chat::exit_code(&text),
                text,
                ..Answer::default()
            }));
        }
        "step.end" => {
            let usage = event.object("usage").unwrap_or_default();
            let (read, written) =
                (usage.number("inputCacheRead"), usage.number("inputCacheCreation"));
            made.tokens = Tokens {
                input: usage
                    .number("inputOther")
                    .map(|input| input + read.unwrap_or(0) + written.unwrap_or(0)),
                cached_input: read,
                output: usage.number("output"),
                cache_write: written,
                ..Tokens::default()
            };
        }
        "step.begin" | "step.interrupted" | "step.retry" => {}
        _ => made.says(Event::unknown(kind, "loop event without a type")),
    }
}
