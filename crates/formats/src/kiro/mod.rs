//! Kiro CLI's conversations, in the forms of its three engines: a row of `data.sqlite3`, or the same saved with `/save`, one
//! document; `~/.kiro/sessions/cli/<id>.jsonl`; `~/.kiro/sessions/<workspace>/sess_<id>/messages.jsonl`.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct Kiro;

impl Records for Kiro {
    fn name(&self) -> &'static str {
        "kiro"
    }

    fn about(&self) -> &'static str {
        "Kiro CLI conversation: data.sqlite3, what /save writes, or ~/.kiro/sessions/**/*.jsonl"
    }

    fn sample(&self) -> &'static str {
        "logs/kiro.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_conversation = |object: &Object<'_>| {
            let first = object.array("history").into_iter().next().and_then(Object::of);
            object.has("conversation_id")
                && first.is_none_or(|turn| turn.has("user") || turn.has("assistant"))
                && object.get("history").is_some_and(Value::is_list)
        };
        peek::any(head, &["\"conversation_id\"", "\"history\""], is_conversation)
            || peek::any(head, &["\"kind\"", "\"data\""], |object| form_of(object) == Form::Lines)
            || peek::any(head, &["\"payload\""], |object| form_of(object) == Form::Payloads)
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("kiro"));
        record.facts.id = fields.text("conversation_id");
        record.facts.root = fields.text("trajview:cwd");
        let model = fields.object("model_info").unwrap_or_default();
        record.facts.model =
            model.text_of(&["model_id", "model_name"]).or_else(|| fields.text("model"));
        record
    }

    /// Of a document the two sides of each turn, so that what the model said has a time of its own.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let fields = Object::of(value).unwrap_or_default();
        if !fields.has("history") {
            return vec![value];
        }
        fields.array("history")
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        match form_of(&fields) {
            Form::Turn => turn(&fields),
            Form::Lines => line(&fields),
            Form::Payloads => payload(&fields),
            Form::Other => {
                let kind = fields.text("kind").or_else(|| fields.object("payload")?.text("type"));
                Record::of(Event::unknown(kind.unwrap_or_default(), "record of no known kind"))
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Turn,
    Lines,
    Payloads,
    Other,
}

fn form_of(fields: &Object<'_>) -> Form {
    let kind = fields.text("kind").unwrap_or_default();
    let payload = fields.object("payload").and_then(|it| it.text("type")).unwrap_or_default();
    let is_payload = ["user", "assistant", "tool_call", "tool_result", "usage_summary"];
    match () {
        () if fields.has("user") || fields.has("assistant") => Form::Turn,
        () if ["Prompt", "AssistantMessage", "ToolResults", "Compaction", "Clear"]
            .contains(&&*kind)
            && fields.has("data") =>
        {
            Form::Lines
        }
        // Codex' records have payloads as well, and a type beside them.
        () if is_payload.contains(&&*payload) && !fields.has("type") => Form::Payloads,
        () => Form::Other,
    }
}

/// A turn of the first engine: what the person asked or the tools gave, and what the model said to it.
fn turn<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = Record::default();
    let user = fields.object("user").unwrap_or_default();
    let content = user.object("content").unwrap_or_default();
    if let Some(prompt) = content.object("Prompt") {
        made.says(Event::Request(prompt.text("prompt").unwrap_or_default()));
    }
    for key in ["ToolUseResults", "CancelledToolUses"] {
        let Some(results) = content.object(key) else { continue };
        for given in results.array("tool_use_results").into_iter().filter_map(Object::of) {
            made.says(Event::Answered(answer(&given, "tool_use_id")));
        }
        made.says_words(Event::Request, results.text("prompt").unwrap_or_default());
    }
    let assistant = fields.object("assistant").unwrap_or_default();
    let said = |text| Event::Said(Role::Assistant, text);
    for key in ["Response", "ToolUse"] {
        let Some(answered) = assistant.object(key) else { continue };
        made.says_words(said, answered.text("content").unwrap_or_default());
        for call in answered.array("tool_uses").into_iter().filter_map(Object::of) {
            made.says(Event::Called(chat::called(&call)));
        }
    }
    let metadata = fields.object("request_metadata").unwrap_or_default();
    made.time = chat::time_of(&user, &["timestamp"])
        .or_else(|| chat::time_of(&metadata, &["request_start_timestamp_ms"]));
    made.ended_at = chat::time_of(&metadata, &["stream_end_timestamp_ms"]);
    made.facts.model = metadata.text("model_id");
    let env = user.object("env_context").and_then(|env| env.object("env_state"));
    made.facts.root = env.and_then(|env| env.text("current_working_directory"));
    made
}

/// A line of the second engine.
fn line<'t>(fields: &Object<'t>) -> Record<'t> {
    let data = fields.object("data").unwrap_or_default();
    let kind = fields.text("kind").unwrap_or_default();
    let mut made = Record::default();
    let parts: Vec<Object<'t>> = data.array("content").into_iter().filter_map(Object::of).collect();
    let texts = parts.iter().filter(|part| part.text("kind").as_deref() == Some("text"));
    let text: String = texts.filter_map(|part| part.text("data")).collect();
    match &*kind {
        "Prompt" => made.says(Event::Request(text.into())),
        "AssistantMessage" => {
            made.says_words(|text| Event::Said(Role::Assistant, text), text.into())
        }
        "Compaction" => {
            let summary = data.text_of(&["summary", "content"]).unwrap_or_default();
            made.says(Event::Compacted(summary));
        }
        _ => {}
    }
    for part in &parts {
        let given = part.object("data").unwrap_or_default();
        match part.text("kind").as_deref() {
            Some("toolUse") => made.says(Event::Called(chat::called(&given))),
            Some("toolResult") => made.says(Event::Answered(answer(&given, "toolUseId"))),
            Some("thinking" | "reasoning") => {
                let text = part.get("data").map(arguments::words).unwrap_or_default();
                made.says_words(Event::Thought, text);
            }
            _ => {}
        }
    }
    let meta = data.object("meta").unwrap_or_default();
    made.time = chat::time_of(&meta, &["timestamp"]);
    made
}

/// A line of the third engine.
fn payload<'t>(fields: &Object<'t>) -> Record<'t> {
    let payload = fields.object("payload").unwrap_or_default();
    let text = arguments::words_of(&payload, "content");
    let mut made = Record::default();
    match &*payload.text("type").unwrap_or_default() {
        "user" => made.says(Event::Request(text)),
        "assistant" => made.says_words(|text| Event::Said(Role::Assistant, text), text),
        "tool_call" => made.says(Event::Called(chat::called(&payload))),
        "tool_result" => made.says(Event::Answered(Answer {
            call: payload.text("toolCallId").unwrap_or_default(),
            is_error: payload.flag("success") == Some(false),
            is_ok: payload.flag("success") == Some(true),
            exit_code: chat::exit_code(&text),
            text,
            ..Answer::default()
        })),
        _ => {}
    }
    made.time = chat::time_of(fields, &["timestamp"]);
    made
}

/// A result: its parts are `{Text}` or `{Json}`, of the second engine `{kind, data}`.
fn answer<'t>(given: &Object<'t>, id: &str) -> Answer<'t> {
    let status = given.text("status").unwrap_or_default().to_ascii_lowercase();
    let mut parts: Vec<Cow<'t, str>> = vec![];
    let mut code = None;
    for part in given.array("content") {
        let fields = Object::of(part).unwrap_or_default();
        let words = ["Text", "Json", "data"].iter().find_map(|key| fields.get(key)).unwrap_or(part);
        let printed = Object::of(words).unwrap_or_default();
        code = code.or_else(|| {
            printed
                .integer("exit_status")
                .or_else(|| printed.text("exit_status")?.trim().parse().ok())
        });
        let streams = ["stdout", "stderr"].iter().filter_map(|key| printed.text(key));
        let streams: Vec<Cow<'t, str>> = streams.filter(|text| !text.is_empty()).collect();
        parts.push(
            match streams.is_empty() {
                true => Some(arguments::words(words)).filter(|text| !text.is_empty()),
                false => Some(Cow::Owned(streams.join("\n"))),
            }
            .unwrap_or(Cow::Borrowed(words.get())),
        );
    }
    let text: Cow<'t, str> = match <[_; 1]>::try_from(parts) {
        Ok([text]) => text,
        Err(parts) => parts.join("\n").into(),
    };
    let exit_code = code.or_else(|| chat::exit_code(&text));
    Answer {
        call: given.text(id).unwrap_or_default(),
        is_error: matches!(status.as_str(), "error" | "cancelled")
            || exit_code.is_some_and(|code| code != 0),
        is_ok: status == "success" && exit_code.is_none_or(|code| code == 0),
        exit_code,
        text,
        ..Answer::default()
    }
}
