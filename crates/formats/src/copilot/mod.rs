//! Copilot CLI's sessions: `~/.copilot/session-state/<id>/events.jsonl`, a tree of events by `parentId`.

use std::{borrow::Cow, collections::HashMap};

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{
        CallAnswer, LogRecord, RecordEntry, RecordEvent, RecordFormat, arguments, record_order,
    },
    tape::TapeValue,
};
use trajview_run::{Role, Tokens};

pub struct Copilot;

impl RecordFormat for Copilot {
    fn name(&self) -> &'static str {
        "copilot-cli"
    }

    fn short_description(&self) -> &'static str {
        "Copilot CLI session, ~/.copilot/session-state/*/events.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "logs/copilot-cli.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"data\"", "\"type\""], |object| {
            let kind = object.text("type").unwrap_or_default();
            let is_known = ["session.", "user.", "assistant.", "tool.execution", "subagent."];
            object.object("data").is_some()
                && object.has_field("id")
                && is_known.iter().any(|known| kind.starts_with(known))
        })
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let data = fields.object("data").unwrap_or_default();
        let mut made = LogRecord {
            time: chat::first_time(&fields, &["timestamp"]),
            id: fields.text("id"),
            agent: data.text("parentToolCallId").filter(|id| !id.is_empty()),
            ..LogRecord::default()
        };
        let kind = fields.text("type").unwrap_or_default();
        made.parent = rewind_parent(&kind, &fields, &data);
        add_event(&mut made, &kind, &data);
        made
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        let mut before: HashMap<String, Option<String>> = HashMap::new();
        let mut last: Option<String> = None;
        for RecordEntry { record, .. } in entries.iter_mut() {
            let rewound = record
                .parent
                .as_deref()
                .and_then(|it| it.strip_prefix(BEFORE_PREFIX))
                .map(str::to_owned);
            if let Some(event) = rewound {
                let parent = before.get(&event).cloned().flatten();
                record.parent = parent.map(Cow::Owned);
            }
            if let Some(id) = record.id.as_deref() {
                before.insert(id.to_owned(), last.replace(id.to_owned()));
            }
        }
        record_order::live_branch(entries);
    }
}

/// The parent of a rewind: the event before the one whose id follows.
const BEFORE_PREFIX: &str = "before ";

/// Returns the event that a record goes back to, where its kind allows that. All others follow the record before them,
/// whatever their parent is: the notice that a session ends or is resumed may have none, or name the first event.
fn rewind_parent<'t>(
    kind: &str,
    fields: &JsonObject<'t>,
    data: &JsonObject<'t>,
) -> Option<Cow<'t, str>> {
    match kind {
        "user.message" => fields.text("parentId"),
        // That event, and all after it, were taken back.
        "session.snapshot_rewind" => match data.text("upToEventId") {
            Some(event) => Some(format!("{BEFORE_PREFIX}{event}").into()),
            None => fields.text("parentId"),
        },
        _ => None,
    }
}

fn add_event<'t>(made: &mut LogRecord<'t>, kind: &str, data: &JsonObject<'t>) {
    let content = || data.text("content").unwrap_or_default();
    match kind {
        "session.start" | "session.resume" => {
            made.facts.agent = Some(Cow::Borrowed("copilot-cli"));
            made.facts.id = data.text("sessionId");
            made.facts.version = data.text("copilotVersion");
            made.facts.root = data.object("context").and_then(|context| context.text("cwd"));
        }
        "session.model_change" => made.facts.model = data.text("newModel"),
        "session.error" => {
            made.push_event(RecordEvent::Failed(data.text("message").unwrap_or_default()))
        }
        "session.warning" | "session.info" | "system.message" | "system.notification" => {
            let text = data.first_text(&["message", "content"]).unwrap_or_default();
            made.push_text(|text| RecordEvent::Message(Role::System, text), text);
        }
        "session.truncation" | "session.compaction_complete" | "session.compaction_start" => {
            if kind != "session.compaction_start" {
                let summary = data.first_text(&["summaryContent", "summary"]);
                made.push_event(RecordEvent::Compacted(
                    summary.unwrap_or(Cow::Borrowed("the context was cut")),
                ));
            }
        }
        "abort" => made.push_event(RecordEvent::Failed(
            format!("aborted: {}", data.text("reason").unwrap_or_default()).into(),
        )),
        "user.message" => made.push_event(RecordEvent::Request(content())),
        "assistant.reasoning" => made.push_text(RecordEvent::Thought, content()),
        "assistant.message" => {
            made.facts.model = data.text("model");
            made.push_text(RecordEvent::Thought, data.text("reasoningText").unwrap_or_default());
            made.push_text(|text| RecordEvent::Message(Role::Assistant, text), content());
            for call in
                data.elements_of("toolRequests").into_iter().filter_map(JsonObject::from_value)
            {
                made.push_event(RecordEvent::Call(chat::read_call(&call)));
            }
            made.tokens = Tokens { output: data.number("outputTokens"), ..Tokens::default() };
        }
        "session.usage_record" => {
            made.tokens = read_tokens(&data.object("usage").unwrap_or_default());
        }
        "assistant.usage" => {
            made.tokens = chat::read_usage(data);
            made.cost_usd = None;
        }
        "tool.execution_start" | "tool.user_requested" => {
            made.push_event(RecordEvent::Call(chat::read_call(data)));
        }
        "tool.execution_complete" => made.push_event(RecordEvent::Answer(read_answer(data))),
        "subagent.started" | "subagent.selected" => {
            let name = data.first_text(&["agentDisplayName", "agentName"]).unwrap_or_default();
            made.push_event(RecordEvent::Message(
                Role::System,
                format!("sub-agent {name} started").into(),
            ));
        }
        "subagent.failed" => made.push_event(RecordEvent::Failed(
            data.get("error").map(arguments::error_text).unwrap_or_default(),
        )),
        "session.shutdown" => made.stated = process_usage(data),
        "session.usage_checkpoint"
        | "session.usage_info"
        | "session.idle"
        | "session.handoff"
        | "session.auto_mode_resolved"
        | "session.mode_changed"
        | "session.import_legacy"
        | "session.snapshot_rewind"
        | "session.context_changed"
        | "session.workspace_file_changed"
        | "session.task_complete"
        | "session.title_changed"
        | "session.plan_changed"
        | "session.skills_loaded"
        | "assistant.turn_start"
        | "assistant.turn_end"
        | "assistant.intent"
        | "assistant.message_delta"
        | "assistant.reasoning_delta"
        | "assistant.streaming_delta"
        | "tool.execution_progress"
        | "tool.execution_partial_result"
        | "hook.start"
        | "hook.end"
        | "hook.progress"
        | "subagent.completed"
        | "subagent.deselected"
        | "skill.invoked"
        | "pending_messages.modified"
        | "permission.requested"
        | "permission.completed" => {}
        _ => made.push_event(RecordEvent::unknown_kind(kind.to_owned(), "event without a type")),
    }
}

/// Returns the tokens of one process, by model. Its premium requests are no dollars.
fn process_usage(data: &JsonObject<'_>) -> Option<(Tokens, Option<f64>)> {
    let models = data.object("modelMetrics")?;
    let mut sum = Tokens::default();
    for (_, model) in models.fields() {
        let usage = JsonObject::from_value(model)
            .and_then(|model| model.object("usage"))
            .unwrap_or_default();
        sum = sum + read_tokens(&usage);
    }
    Some((sum, None))
}

/// Reads tokens in OpenAI's manner: cached input is a part of the input.
fn read_tokens(usage: &JsonObject<'_>) -> Tokens {
    Tokens {
        input: usage.number("inputTokens"),
        cached_input: usage.number("cacheReadTokens"),
        output: usage.number("outputTokens"),
        reasoning: usage.number("reasoningTokens"),
        cache_write: usage.number("cacheWriteTokens"),
        cache_write_1h: None,
    }
}

fn read_answer<'t>(data: &JsonObject<'t>) -> CallAnswer<'t> {
    let result = data.object("result").unwrap_or_default();
    let text = result.first_text(&["content", "detailedContent"]);
    let why = data.get("error").map(arguments::error_text).unwrap_or_default();
    let text = match text.filter(|text| !text.trim().is_empty()) {
        // What was printed until then does not say why it failed.
        Some(text) if !why.is_empty() && !text.contains(&*why) => format!("{text}\n{why}").into(),
        Some(text) => text,
        None => why,
    };
    let success = data.flag("success");
    let code = data.object("shellExecution").and_then(|shell| shell.number("exitCode"));
    let code = code.and_then(|code| i32::try_from(code).ok());
    CallAnswer {
        call: data.text("toolCallId").unwrap_or_default(),
        is_error: success == Some(false),
        is_ok: success == Some(true),
        exit_code: code.or_else(|| chat::exit_code_in(&text)),
        text,
        ..CallAnswer::default()
    }
}
