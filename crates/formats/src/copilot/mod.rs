//! Copilot CLI's sessions: `~/.copilot/session-state/<id>/events.jsonl`, a tree of events by `parentId`.

use std::{borrow::Cow, collections::HashMap};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Entry, Event, Record, Records, arguments, order},
    tape::Value,
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct Copilot;

impl Records for Copilot {
    fn name(&self) -> &'static str {
        "copilot-cli"
    }

    fn about(&self) -> &'static str {
        "Copilot CLI session, ~/.copilot/session-state/*/events.jsonl"
    }

    fn sample(&self) -> &'static str {
        "logs/copilot-cli.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"data\"", "\"type\""], |object| {
            let kind = object.text("type").unwrap_or_default();
            let is_known = ["session.", "user.", "assistant.", "tool.execution", "subagent."];
            object.object("data").is_some()
                && object.has("id")
                && is_known.iter().any(|known| kind.starts_with(known))
        })
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let data = fields.object("data").unwrap_or_default();
        let mut made = Record {
            time: chat::time_of(&fields, &["timestamp"]),
            id: fields.text("id"),
            agent: data.text("parentToolCallId").filter(|id| !id.is_empty()),
            ..Record::default()
        };
        let kind = fields.text("type").unwrap_or_default();
        made.parent = goes_back_to(&kind, &fields, &data);
        event(&mut made, &kind, &data);
        made
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        let mut before: HashMap<String, Option<String>> = HashMap::new();
        let mut last: Option<String> = None;
        for Entry { record, .. } in entries.iter_mut() {
            let rewound =
                record.parent.as_deref().and_then(|it| it.strip_prefix(BEFORE)).map(str::to_owned);
            if let Some(event) = rewound {
                let parent = before.get(&event).cloned().flatten();
                record.parent = parent.map(Cow::Owned);
            }
            if let Some(id) = record.id.as_deref() {
                before.insert(id.to_owned(), last.replace(id.to_owned()));
            }
        }
        order::live_branch(entries);
    }
}

/// The parent of a rewind: the event before the one whose id follows.
const BEFORE: &str = "before ";

/// The event that a record goes back to, where it is of a kind that may. All others follow the one before them, whatever their
/// parent is: the notice that a session ends or is resumed may have none, or name the first event.
fn goes_back_to<'t>(kind: &str, fields: &Object<'t>, data: &Object<'t>) -> Option<Cow<'t, str>> {
    match kind {
        "user.message" => fields.text("parentId"),
        // That event, and all after it, were taken back.
        "session.snapshot_rewind" => match data.text("upToEventId") {
            Some(event) => Some(format!("{BEFORE}{event}").into()),
            None => fields.text("parentId"),
        },
        _ => None,
    }
}

fn event<'t>(made: &mut Record<'t>, kind: &str, data: &Object<'t>) {
    let content = || data.text("content").unwrap_or_default();
    match kind {
        "session.start" | "session.resume" => {
            made.facts.agent = Some(Cow::Borrowed("copilot-cli"));
            made.facts.id = data.text("sessionId");
            made.facts.version = data.text("copilotVersion");
            made.facts.root = data.object("context").and_then(|context| context.text("cwd"));
        }
        "session.model_change" => made.facts.model = data.text("newModel"),
        "session.error" => made.says(Event::Failed(data.text("message").unwrap_or_default())),
        "session.warning" | "session.info" | "system.message" | "system.notification" => {
            let text = data.text_of(&["message", "content"]).unwrap_or_default();
            made.says_words(|text| Event::Said(Role::System, text), text);
        }
        "session.truncation" | "session.compaction_complete" | "session.compaction_start" => {
            if kind != "session.compaction_start" {
                let summary = data.text_of(&["summaryContent", "summary"]);
                made.says(Event::Compacted(
                    summary.unwrap_or(Cow::Borrowed("the context was cut")),
                ));
            }
        }
        "abort" => made.says(Event::Failed(
            format!("aborted: {}", data.text("reason").unwrap_or_default()).into(),
        )),
        "user.message" => made.says(Event::Request(content())),
        "assistant.reasoning" => made.says_words(Event::Thought, content()),
        "assistant.message" => {
            made.facts.model = data.text("model");
            made.says_words(Event::Thought, data.text("reasoningText").unwrap_or_default());
            made.says_words(|text| Event::Said(Role::Assistant, text), content());
            for call in data.array("toolRequests").into_iter().filter_map(Object::of) {
                made.says(Event::Called(chat::called(&call)));
            }
            made.tokens = Tokens { output: data.number("outputTokens"), ..Tokens::default() };
        }
        "session.usage_record" => {
            made.tokens = used(&data.object("usage").unwrap_or_default());
        }
        "assistant.usage" => {
            made.tokens = chat::usage(data);
            made.cost_usd = None;
        }
        "tool.execution_start" | "tool.user_requested" => {
            made.says(Event::Called(chat::called(data)));
        }
        "tool.execution_complete" => made.says(Event::Answered(answer(data))),
        "subagent.started" | "subagent.selected" => {
            let name = data.text_of(&["agentDisplayName", "agentName"]).unwrap_or_default();
            made.says(Event::Said(Role::System, format!("sub-agent {name} started").into()));
        }
        "subagent.failed" => made
            .says(Event::Failed(data.get("error").map(arguments::error_words).unwrap_or_default())),
        "session.shutdown" => made.stated = shutdown(data),
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
        _ => made.says(Event::unknown(kind.to_owned(), "event without a type")),
    }
}

/// What one process used, by model. Its premium requests are no dollars.
fn shutdown(data: &Object<'_>) -> Option<(Tokens, Option<f64>)> {
    let models = data.object("modelMetrics")?;
    let mut sum = Tokens::default();
    for (_, model) in models.fields() {
        let usage = Object::of(model).and_then(|model| model.object("usage")).unwrap_or_default();
        sum = sum + used(&usage);
    }
    Some((sum, None))
}

/// What was sent, and what of it was read from a cache, in the manner of OpenAI.
fn used(usage: &Object<'_>) -> Tokens {
    Tokens {
        input: usage.number("inputTokens"),
        cached_input: usage.number("cacheReadTokens"),
        output: usage.number("outputTokens"),
        reasoning: usage.number("reasoningTokens"),
        cache_write: usage.number("cacheWriteTokens"),
        cache_write_1h: None,
    }
}

fn answer<'t>(data: &Object<'t>) -> Answer<'t> {
    let result = data.object("result").unwrap_or_default();
    let text = result.text_of(&["content", "detailedContent"]);
    let why = data.get("error").map(arguments::error_words).unwrap_or_default();
    let text = match text.filter(|text| !text.trim().is_empty()) {
        // What was printed until then does not say why it failed.
        Some(text) if !why.is_empty() && !text.contains(&*why) => format!("{text}\n{why}").into(),
        Some(text) => text,
        None => why,
    };
    let success = data.flag("success");
    let code = data.object("shellExecution").and_then(|shell| shell.number("exitCode"));
    let code = code.and_then(|code| i32::try_from(code).ok());
    Answer {
        call: data.text("toolCallId").unwrap_or_default(),
        is_error: success == Some(false),
        is_ok: success == Some(true),
        exit_code: code.or_else(|| chat::exit_code(&text)),
        text,
        ..Answer::default()
    }
}
