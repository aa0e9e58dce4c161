//! Kimi's sessions: `sessions/*/session_*/agents/main/wire.jsonl`, sub-agents in folders beside `main`, and `state.json` two
//! folders above. What the model did is in the loop events; the messages of the context repeat what was asked. The log of the
//! older Kimi CLI is one of messages in envelopes: see [`envelope`].

mod envelope;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    companions::BelongsTo,
    object::Object,
    peek,
    records::{Answer, Entry, Event, Record, Records, arguments, order, order::Branch},
    tape::Value,
};
use trajview_run::{Role, Tokens};

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
            _ => envelope::is_one(object),
        })
    }

    /// Logs of other agents lie in folders beside the main one's.
    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        match main.name {
            "wire.jsonl" => vec!["../*".to_owned(), "../../state.json".to_owned()],
            _ => vec![],
        }
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
        let (folder, name) = source.rsplit_once('/')?;
        (name != STATE).then(|| folder.rsplit('/').next().unwrap_or(folder).to_owned())
    }

    /// The session's state says where it was.
    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).filter(is_state).unwrap_or_default();
        let custom = fields.object("custom").unwrap_or_default();
        let root = fields.text("workDir").or_else(|| custom.text("cwd"));
        record.facts.root = root.filter(|root| !root.is_empty());
        record.facts.title =
            fields.text_of(&["customTitle", "title"]).filter(|title| !title.is_empty());
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        match Object::of(value).is_some_and(|fields| is_state(&fields)) {
            true => vec![],
            false => vec![value],
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = envelope::message(&fields).unwrap_or_else(|| event(&fields));
        made.time = chat::time_of(&fields, &["time", "timestamp", "created_at"]);
        made.facts.agent = Some(Cow::Borrowed("kimi"));
        made
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        name_models(entries);
        undo(entries);
    }
}

/// The file of a session's state.
const STATE: &str = "state.json";

fn is_state(fields: &Object<'_>) -> bool {
    !fields.has("type") && !fields.has("message") && (fields.has("workDir") || fields.has("agents"))
}

/// What a setting calls a model its requests name, under the same alias.
fn name_models(entries: &mut [Entry]) {
    let mut names: HashMap<String, String> = HashMap::new();
    for Entry { record, .. } in entries.iter() {
        let alias = record.id.as_deref().and_then(|id| id.strip_prefix(ALIAS));
        if let (Some(alias), Some(model)) = (alias, record.facts.model.as_deref()) {
            names.entry(alias.to_owned()).or_insert_with(|| model.to_owned());
        }
    }
    for Entry { record, .. } in entries.iter_mut() {
        if let Some(name) = record.facts.model.as_deref().and_then(|model| names.get(model)) {
            record.facts.model = Some(name.clone().into());
        }
    }
}

/// The id of a request to a model, before the alias that the settings have for the model.
const ALIAS: &str = "model ";

/// The id of what takes requests back, and what stands before their number as its parent.
const UNDO: &str = "undo";

/// Requests that were taken back, with all that was done for them, are branches that the run left.
fn undo(entries: &mut Vec<Entry>) {
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    let mut branches = vec![];
    for entry in entries.drain(..) {
        if entry.record.id.as_deref() != Some(UNDO) {
            kept.push(entry);
            continue;
        }
        let count = entry.record.parent.as_deref().and_then(|count| count.parse().ok());
        if let Some(after) = count.and_then(|count| request_before(&kept, &entry, count)) {
            branches.push(Branch { after, entries: kept.split_off(after) });
        }
    }
    *entries = order::with_branches(kept, branches);
}

/// Where the request stands that is the `count`th from the end; None where the history was summarised since.
fn request_before(entries: &[Entry], undo: &Entry, count: usize) -> Option<usize> {
    let is = |entry: &Entry, wanted: fn(&Event<'_>) -> bool| entry.record.events.iter().any(wanted);
    let is_fixed = |entry: &Entry| {
        entry.place.source != undo.place.source
            || is(entry, |event| matches!(event, Event::Compacted(_)))
    };
    let first = entries.iter().rposition(is_fixed).map_or(0, |at| at + 1);
    let requests = (first..entries.len())
        .rev()
        .filter(|at| is(&entries[*at], |event| matches!(event, Event::Request(_))));
    requests.take(count).enumerate().find(|(number, _)| number + 1 == count).map(|(_, at)| at)
}

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
        "context.compacted" | "context.compact" | "context.apply_compaction" => {
            made.says(Event::Compacted(
                fields.text("summary").unwrap_or("the context was summarised".into()),
            ));
        }
        "error" => made.says(Event::Failed(fields.text("message").unwrap_or_default())),
        "llm.request" => {
            made.facts.model = fields.text("model");
            made.id = fields.text("modelAlias").map(|alias| format!("{ALIAS}{alias}").into());
        }
        "context.undo" => {
            made.id = Some(UNDO.into());
            made.parent = fields.number("count").map(|count| count.to_string().into());
        }
        // The same counts stand at the end of each step.
        "usage.record" | "token_counting.measured" | "token_counting.turn_recorded" => {}
        kind if kind.starts_with("permission.")
            || kind.starts_with("plugin.")
            || kind.starts_with("tools.")
            || kind.starts_with("runtime.")
            || kind.starts_with("llm.")
            || kind.starts_with("mcp.")
            || kind.starts_with("plan_mode.")
            || kind.starts_with("swarm_mode.")
            || kind.starts_with("background.")
            || kind.starts_with("goal.") => {}
        "metadata"
        | "forked"
        | "context.clear"
        // The summary is in `context.apply_compaction`.
        | "full_compaction.begin"
        | "full_compaction.complete"
        | "full_compaction.cancel"
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
            made.says(Event::Answered(Answer {
                call: event.text("toolCallId").unwrap_or_default(),
                ..answer(&result)
            }));
        }
        "step.end" => made.tokens = tokens(&event.object("usage").unwrap_or_default()),
        "step.begin" | "step.interrupted" | "step.retry" => {}
        _ => made.says(Event::unknown(kind, "loop event without a type")),
    }
}

/// What a tool returned: `{output, isError, message}`. Why one failed is in the message, where its output is what it printed.
fn answer<'t>(result: &Object<'t>) -> Answer<'t> {
    let printed = arguments::words_of(result, "output");
    let flag = result.flag("isError").or_else(|| result.flag("is_error"));
    let is_error = flag == Some(true);
    let why = ["message", "error", "note"].iter().find_map(|key| result.get(key));
    let why = why.map(arguments::error_words).unwrap_or_default();
    let says_why = why.trim().is_empty() || printed.contains(&*why);
    let text = match (printed.trim().is_empty(), is_error && !says_why) {
        (true, _) if !says_why => why,
        (false, true) => format!("{printed}\n{why}").into(),
        _ => printed,
    };
    Answer {
        is_error,
        is_ok: flag == Some(false),
        exit_code: chat::exit_code(&text),
        text,
        ..Answer::default()
    }
}

fn tokens(usage: &Object<'_>) -> Tokens {
    let first = |keys: [&str; 2]| keys.iter().find_map(|key| usage.number(key));
    let read = first(["inputCacheRead", "input_cache_read"]);
    let written = first(["inputCacheCreation", "input_cache_creation"]);
    let input = first(["inputOther", "input_other"]);
    Tokens {
        input: input.map(|input| input + read.unwrap_or(0) + written.unwrap_or(0)),
        cached_input: read,
        output: usage.number("output"),
        cache_write: written,
        ..Tokens::default()
    }
}
