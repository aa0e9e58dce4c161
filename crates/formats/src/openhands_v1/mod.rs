//! OpenHands from its SDK on (V1): one event a file (`conversations/<id>/events/event-*.json`) or a line.

use std::{borrow::Cow, collections::HashSet};

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    companion_files::BelongsTo,
    head_json,
    json_object::JsonObject,
    records::{
        CallAnswer, FileEdit, LogRecord, RecordEntry, RecordEvent, RecordFormat, RecordedCall,
        arguments,
    },
    tape::TapeValue,
};
use trajview_run::{Role, Tokens};

pub struct OpenHandsV1;

impl RecordFormat for OpenHandsV1 {
    fn name(&self) -> &'static str {
        "openhands-v1"
    }

    fn short_description(&self) -> &'static str {
        "OpenHands SDK conversation (V1): ~/.openhands/conversations/*/ or its events as lines"
    }

    fn sample_path(&self) -> &'static str {
        "logs/openhands-v1.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_event = |object: &JsonObject<'_>| {
            object
                .text("kind")
                .is_some_and(|kind| kind.ends_with("Event") || kind == "Condensation")
                && object.has_field("source")
                && object.has_field("timestamp")
        };
        let is_state = |object: &JsonObject<'_>| {
            object.has_field("execution_status")
                && object.has_field("agent")
                && object.has_field("id")
        };
        head_json::any_object(head, &["\"kind\""], |object| {
            is_event(object) || (head.name == "base_state.json" && is_state(object))
        })
    }

    /// Returns the folder of single events, which is below the conversation's state.
    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        if main.name == "base_state.json" { vec!["events".to_owned()] } else { vec![] }
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        let is_single = other.name.starts_with("event-") && other.name.ends_with(".json");
        if is_single && self.claims_file(other) {
            BelongsTo::Named(vec!["base_state.json".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("openhands"));
        if fields.has_field("agent") && fields.has_field("id") {
            record.facts.id = fields.text("id");
            let agent = fields.object("agent").unwrap_or_default();
            record.facts.model = agent.object("llm").and_then(|llm| llm.text("model"));
            record.facts.root = fields.object("workspace").and_then(|it| it.text("working_dir"));
        }
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let is_event = JsonObject::from_value(value)
            .is_none_or(|fields| fields.has_field("kind") || !fields.has_field("agent"));
        if value.is_list() {
            value.elements().collect()
        } else if is_event {
            vec![value]
        } else {
            vec![]
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = event_record(&fields);
        made.time = chat::first_time(&fields, &["timestamp"]);
        made.id = fields.text("id");
        made
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        super::records::record_order::last_of_each_id(entries);
    }
}

fn event_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = LogRecord::default();
    let kind = fields.text("kind").unwrap_or_default();
    match &*kind {
        "ActionEvent" => add_action(&mut record, fields),
        "ObservationEvent" | "UserRejectObservation" => {
            record.push_event(RecordEvent::Answer(observation_answer(fields)))
        }
        "AgentErrorEvent" => {
            let text = arguments::content_field_text(fields, "error");
            record.push_event(match fields.text("tool_call_id") {
                Some(call) => RecordEvent::Answer(CallAnswer {
                    call,
                    text,
                    is_error: true,
                    ..CallAnswer::default()
                }),
                None => RecordEvent::Failed(text),
            });
        }
        "ConversationErrorEvent" => {
            let text = fields.first_text(&["detail", "code", "error"]).unwrap_or_default();
            record.push_event(RecordEvent::Failed(text));
        }
        "MessageEvent" => {
            let message = fields.object("llm_message").unwrap_or_default();
            let text = arguments::content_field_text(&message, "content");
            record.push_event(match &*fields.text("source").unwrap_or_default() {
                "user" => RecordEvent::Request(text),
                "agent" => RecordEvent::Message(Role::Assistant, text),
                _ => RecordEvent::Message(Role::System, text),
            });
        }
        "SystemPromptEvent" => {
            let text = arguments::content_field_text(fields, "system_prompt");
            record.push_event(RecordEvent::Message(Role::System, text));
        }
        "Condensation" | "CondensationSummaryEvent" => {
            record.push_event(RecordEvent::Compacted(fields.text("summary").unwrap_or_default()));
        }
        "CondensationRequest"
        | "PauseEvent"
        | "TokenEvent"
        | "LLMCompletionLogEvent"
        | "StreamingDeltaEvent" => {}
        "ConversationStateUpdateEvent" => add_state_update(&mut record, fields),
        _ => record.push_event(RecordEvent::unknown_kind(kind, "event without a kind")),
    }
    record
}

fn add_action<'t>(record: &mut LogRecord<'t>, fields: &JsonObject<'t>) {
    record.response = fields.text("llm_response_id");
    let thinking = fields.text("reasoning_content").unwrap_or_default();
    record.push_text(RecordEvent::Thought, thinking);
    let thought = arguments::content_field_text(fields, "thought");
    record.push_text(|text| RecordEvent::Message(Role::Assistant, text), thought);
    let name = fields.text("tool_name").unwrap_or_default();
    let requested_arguments = fields.object("tool_call").and_then(|call| call.get("arguments"));
    let arguments = fields.get("action").or(requested_arguments);
    let action = fields.object("action").unwrap_or_default();
    match &*action.text("kind").unwrap_or_default() {
        "FinishAction" => record.push_text(
            |text| RecordEvent::Message(Role::Assistant, text),
            action.text("message").unwrap_or_default(),
        ),
        "ThinkAction" => {
            record.push_text(RecordEvent::Thought, action.text("thought").unwrap_or_default())
        }
        _ => {
            let call = arguments::call_from_arguments(name, fields.text("tool_call_id"), arguments);
            record.push_event(RecordEvent::Call(RecordedCall {
                main: action
                    .first_text(&["command", "path"])
                    .filter(|_| action.has_field("is_input"))
                    .unwrap_or_default(),
                ..call
            }));
        }
    }
}

fn observation_answer<'t>(fields: &JsonObject<'t>) -> CallAnswer<'t> {
    let inner = fields.object("observation").unwrap_or_default();
    let text = arguments::content_field_text(&inner, "content");
    let metadata = inner.object("metadata").unwrap_or_default();
    let exit_code = inner
        .integer("exit_code")
        .or_else(|| metadata.integer("exit_code"))
        .filter(|code| *code >= 0);
    let flag = inner.flag("is_error");
    let text =
        if text.is_empty() { fields.text("rejection_reason").unwrap_or_default() } else { text };
    let edits: Vec<FileEdit> = chat::whole_file_edit(&inner)
        .filter(|_| inner.text("command").as_deref() != Some("view"))
        .into_iter()
        .collect();
    CallAnswer {
        call: fields.text("tool_call_id").unwrap_or_default(),
        is_error: flag == Some(true) || exit_code.is_some_and(|code| code != 0),
        is_ok: flag == Some(false),
        exit_code,
        text,
        edits,
        ..CallAnswer::default()
    }
}

/// Adds the totals of usage of a state update; only the last counts, under one name for all of them.
fn add_state_update<'t>(record: &mut LogRecord<'t>, fields: &JsonObject<'t>) {
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
        let Some(usage) = JsonObject::from_value(usage) else { continue };
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
