//! OpenHands from its SDK on (V1): one event a file (`conversations/<id>/events/event-*.json`) or a line.

use std::{borrow::Cow, collections::HashSet};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    companions::BelongsTo,
    object::Object,
    peek,
    records::{Answer, Call, Entry, Event, FileEdit, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct OpenHandsV1;

impl Records for OpenHandsV1 {
    fn name(&self) -> &'static str {
        "openhands-v1"
    }

    fn about(&self) -> &'static str {
        "OpenHands SDK conversation (V1): ~/.openhands/conversations/*/ or its events as lines"
    }

    fn sample(&self) -> &'static str {
        "logs/openhands-v1.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().cost().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_event = |object: &Object<'_>| {
            object
                .text("kind")
                .is_some_and(|kind| kind.ends_with("Event") || kind == "Condensation")
                && object.has("source")
                && object.has("timestamp")
        };
        let is_state = |object: &Object<'_>| {
            object.has("execution_status") && object.has("agent") && object.has("id")
        };
        peek::any(head, &["\"kind\""], |object| {
            is_event(object) || (head.name == "base_state.json" && is_state(object))
        })
    }

    /// Single events lie in a folder below the conversation's state.
    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        if main.name == "base_state.json" { vec!["events".to_owned()] } else { vec![] }
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        let is_single = other.name.starts_with("event-") && other.name.ends_with(".json");
        if is_single && self.claims(other) {
            BelongsTo::Named(vec!["base_state.json".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("openhands"));
        if fields.has("agent") && fields.has("id") {
            record.facts.id = fields.text("id");
            let agent = fields.object("agent").unwrap_or_default();
            record.facts.model = agent.object("llm").and_then(|llm| llm.text("model"));
            record.facts.root = fields.object("workspace").and_then(|it| it.text("working_dir"));
        }
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let is_event =
            Object::of(value).is_none_or(|fields| fields.has("kind") || !fields.has("agent"));
        if value.is_list() {
            value.elements().collect()
        } else if is_event {
            vec![value]
        } else {
            vec![]
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = event(&fields);
        made.time = chat::time_of(&fields, &["timestamp"]);
        made.id = fields.text("id");
        made
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        super::records::order::last_of_each_id(entries);
    }
}

fn event<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut record = Record::default();
    let kind = fields.text("kind").unwrap_or_default();
    match &*kind {
        "ActionEvent" => action(&mut record, fields),
        "ObservationEvent" | "UserRejectObservation" => {
            record.says(Event::Answered(observation(fields)))
        }
        "AgentErrorEvent" => {
            let text = arguments::words_of(fields, "error");
            record.says(match fields.text("tool_call_id") {
                Some(call) => {
                    Event::Answered(Answer { call, text, is_error: true, ..Answer::default() })
                }
                None => Event::Failed(text),
            });
        }
        "ConversationErrorEvent" => {
            let text = fields.text_of(&["detail", "code", "error"]).unwrap_or_default();
            record.says(Event::Failed(text));
        }
        "MessageEvent" => {
            let message = fields.object("llm_message").unwrap_or_default();
            let text = arguments::words_of(&message, "content");
            record.says(match &*fields.text("source").unwrap_or_default() {
                "user" => Event::Request(text),
                "agent" => Event::Said(Role::Assistant, text),
                _ => Event::Said(Role::System, text),
            });
        }
        "SystemPromptEvent" => {
            let text = arguments::words_of(fields, "system_prompt");
            record.says(Event::Said(Role::System, text));
        }
        "Condensation" | "CondensationSummaryEvent" => {
            record.says(Event::Compacted(fields.text("summary").unwrap_or_default()));
        }
        "CondensationRequest"
        | "PauseEvent"
        | "TokenEvent"
        | "LLMCompletionLogEvent"
        | "StreamingDeltaEvent" => {}
        "ConversationStateUpdateEvent" => state(&mut record, fields),
        _ => record.says(Event::unknown(kind, "event without a kind")),
    }
    record
}

fn action<'t>(record: &mut Record<'t>, fields: &Object<'t>) {
    record.response = fields.text("llm_response_id");
    let thinking = fields.text("reasoning_content").unwrap_or_default();
    record.says_words(Event::Thought, thinking);
    let said = arguments::words_of(fields, "thought");
    record.says_words(|text| Event::Said(Role::Assistant, text), said);
    let name = fields.text("tool_name").unwrap_or_default();
    let asked = fields.object("tool_call").and_then(|call| call.get("arguments"));
    let arguments = fields.get("action").or(asked);
    let action = fields.object("action").unwrap_or_default();
    match &*action.text("kind").unwrap_or_default() {
        "FinishAction" => record.says_words(
            |text| Event::Said(Role::Assistant, text),
            action.text("message").unwrap_or_default(),
        ),
        "ThinkAction" => {
            record.says_words(Event::Thought, action.text("thought").unwrap_or_default())
        }
        _ => {
            let call = arguments::call(name, fields.text("tool_call_id"), arguments);
            record.says(Event::Called(Call {
                main: action
                    .text_of(&["command", "path"])
                    .filter(|_| action.has("is_input"))
                    .unwrap_or_default(),
                ..call
            }));
        }
    }
}

fn observation<'t>(fields: &Object<'t>) -> Answer<'t> {
    let inner = fields.object("observation").unwrap_or_default();
    let text = arguments::words_of(&inner, "content");
    let metadata = inner.object("metadata").unwrap_or_default();
    let exit_code = inner
        .integer("exit_code")
        .or_else(|| metadata.integer("exit_code"))
        .filter(|code| *code >= 0);
    let flag = inner.flag("is_error");
    let text =
        if text.is_empty() { fields.text("rejection_reason").unwrap_or_default() } else { text };
    let edits: Vec<FileEdit> = chat::whole_file(&inner)
        .filter(|_| inner.text("command").as_deref() != Some("view"))
        .into_iter()
        .collect();
    Answer {
        call: fields.text("tool_call_id").unwrap_or_default(),
        is_error: flag == Some(true) || exit_code.is_some_and(|code| code != 0),
        is_ok: flag == Some(false),
        exit_code,
        text,
        edits,
        ..Answer::default()
    }
}

/// Usage is told as totals; only the last counts, under one name for all of them.
fn state<'t>(record: &mut Record<'t>, fields: &Object<'t>) {
    let value = fields.object("value").unwrap_or_default();
    let stats = if fields.text("key").as_deref() == Some("stats") {
        value
    } else {
        value.object("stats").unwrap_or_default()
    };
    let Some(usages) = stats.object("usage_to_metrics") else { return };
    let mut tokens = Tokens::default();
    let mut cost = None;
    for (_, usage) in usages.fields() {
        let Some(usage) = Object::of(usage) else { continue };
        if let Some(counted) = usage.object("accumulated_token_usage") {
            let number = |key: &str| counted.number(key);
            tokens = tokens
                + Tokens {
                    input: number("prompt_tokens"),
                    cached_input: number("cache_read_tokens"),
                    output: number("completion_tokens"),
                    reasoning: number("reasoning_tokens"),
                    cache_write: number("cache_write_tokens"),
                    cache_write_1h: None,
                };
        }
        cost = usage
            .get("accumulated_cost")
            .and_then(|it| it.get().parse::<f64>().ok())
            .map(|more| cost.unwrap_or(0.0) + more)
            .or(cost);
    }
    record.totals = Some((tokens, cost));
}
