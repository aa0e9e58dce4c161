//! Continue's sessions, of its extension and of its command line: `~/.continue/sessions/<id>.json`. An item of the
//! history is a message; the results of its calls are with them (`toolCallStates`), in older sessions in messages of
//! their own.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, RecordedCall, arguments},
    tape::TapeValue,
};
use trajview_run::Role;

pub struct Continue;

impl RecordFormat for Continue {
    fn name(&self) -> &'static str {
        "continue"
    }

    fn short_description(&self) -> &'static str {
        "Continue session, ~/.continue/sessions/*.json; without times"
    }

    fn sample_path(&self) -> &'static str {
        "logs/continue.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        // The cost of a session is recorded once for all of it.
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text).with_tokens()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_item = |item: &JsonObject<'_>| {
            item.object("message").is_some_and(|message| message.has_field("role"))
                && !item.has_field("executionId")
        };
        let is_session = |fields: &JsonObject<'_>| {
            let history = fields.get("history").filter(|history| history.is_list());
            let first =
                history.map(|history| history.elements().next().and_then(JsonObject::from_value));
            fields.has_field("sessionId")
                && fields.has_field("workspaceDirectory")
                && first.is_some_and(|first| first.is_none_or(|first| is_item(&first)))
        };
        head_json::any_object(head, &["\"history\"", "\"sessionId\""], is_session)
            || head_json::any_object(
                head,
                &["\"history\"", "\"message\"", "\"contextItems\""],
                |fields| {
                    let first = fields
                        .elements_of("history")
                        .into_iter()
                        .next()
                        .and_then(JsonObject::from_value);
                    first.is_some_and(|first| is_item(&first) && first.has_field("contextItems"))
                },
            )
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("continue"));
        record.facts.id = fields.text("sessionId");
        record.facts.title = fields.text("title");
        let folder = fields.text("workspaceDirectory").filter(|folder| !folder.is_empty());
        record.facts.root = folder.map(|folder| match folder.strip_prefix("file://") {
            Some(path) => Cow::Owned(path.to_owned()),
            None => folder,
        });
        if let Some(usage) = fields.object("usage") {
            record.tokens = read_tokens(&usage);
            record.cost_usd = usage.float("totalCost");
        }
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        JsonObject::from_value(value)
            .map(|fields| fields.elements_of("history"))
            .unwrap_or_default()
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let Some(message) = fields.object("message") else {
            return LogRecord::unknown_kind("item without a message");
        };
        let mut made = item_record(&fields, &message);
        let log = fields
            .elements_of("promptLogs")
            .into_iter()
            .filter_map(JsonObject::from_value)
            .next_back();
        made.facts.model = log.and_then(|log| log.text("modelTitle"));
        if let Some(usage) = message.object("usage") {
            made.tokens = read_tokens(&usage);
            made.facts.model = usage.text("model").or(made.facts.model);
            made.cost_usd = usage.float("cost");
        }
        made.push_text(
            RecordEvent::Compacted,
            fields.text("conversationSummary").unwrap_or_default(),
        );
        made
    }
}

fn item_record<'t>(fields: &JsonObject<'t>, message: &JsonObject<'t>) -> LogRecord<'t> {
    let role = message.text("role").unwrap_or_default();
    let content = message.get("content");
    let mut made = match &*role {
        "thinking" => {
            let mut made = LogRecord::default();
            made.push_text(RecordEvent::Thought, arguments::content_field_text(message, "content"));
            return made;
        }
        "tool" => {
            let answer = chat::read_answer(message);
            return LogRecord::from_event(RecordEvent::Answer(answer));
        }
        "user" | "assistant" | "system" => chat::content_record(&role, content),
        _ => {
            return LogRecord::from_event(RecordEvent::unknown_kind(
                role,
                "message without a role",
            ));
        }
    };
    // What was put before the model with the request: files, a selection.
    for item in fields.elements_of("contextItems").into_iter().filter_map(JsonObject::from_value) {
        let text = item.text("content").unwrap_or_default();
        let name = item.text("name").unwrap_or_default();
        if !text.trim().is_empty() {
            made.push_event(RecordEvent::Message(Role::System, format!("{name}\n{text}").into()));
        }
    }
    let reasoning = fields.object("reasoning").and_then(|it| it.text("text"));
    let reasoning = reasoning.filter(|text| !text.trim().is_empty());
    if let Some(reasoning) = reasoning {
        made.events.insert(0, RecordEvent::Thought(reasoning));
    }
    let states: Vec<JsonObject<'t>> = fields
        .elements_of("toolCallStates")
        .into_iter()
        .filter_map(JsonObject::from_value)
        .collect();
    let state_of =
        |id: &str| states.iter().find(|state| state.text("toolCallId").as_deref() == Some(id));
    let calls = message.elements_of("toolCalls");
    for call in calls.iter().copied().filter_map(JsonObject::from_value) {
        let called = chat::read_call(&call);
        let answer = state_of(&called.id).and_then(answer_of_state);
        made.push_event(RecordEvent::Call(RecordedCall { answer, ..called }));
    }
    if calls.is_empty() {
        for state in &states {
            let called = chat::read_call(&state.object("toolCall").unwrap_or_default());
            made.push_event(RecordEvent::Call(RecordedCall {
                answer: answer_of_state(state),
                ..called
            }));
        }
    }
    made
}

/// Returns the result of a call; None while it has not ended.
fn answer_of_state<'t>(state: &JsonObject<'t>) -> Option<CallAnswer<'t>> {
    let status = state.text("status").unwrap_or_default();
    if !matches!(&*status, "done" | "errored" | "canceled") {
        return None;
    }
    let output = state.elements_of("output").into_iter().filter_map(JsonObject::from_value);
    let text: Vec<Cow<'t, str>> = output.filter_map(|item| item.text("content")).collect();
    let text: Cow<'t, str> = match <[_; 1]>::try_from(text) {
        Ok([text]) => text,
        Err(text) => text.join("\n").into(),
    };
    Some(CallAnswer {
        is_error: &*status != "done",
        is_ok: &*status == "done",
        exit_code: chat::exit_code_in(&text),
        text,
        ..CallAnswer::default()
    })
}

fn read_tokens(usage: &JsonObject<'_>) -> trajview_run::Tokens {
    let details = usage.object("promptTokensDetails").unwrap_or_default();
    let made = chat::read_usage(usage);
    let thinking = usage.object("completionTokensDetails");
    trajview_run::Tokens {
        cached_input: made.cached_input.or_else(|| details.number("cachedTokens")),
        cache_write: made.cache_write.or_else(|| details.number("cacheWriteTokens")),
        reasoning: made.reasoning.or_else(|| thinking?.number("reasoningTokens")),
        ..made
    }
}
