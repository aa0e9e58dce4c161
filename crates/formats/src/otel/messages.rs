//! Messages as spans and their events have them: in the forms of several generations of conventions.
//!
//! | where | form |
//! | --- | --- |
//! | `gen_ai.input.messages`, `gen_ai.output.messages` | a list with `role` and `parts`, as a text or as a value; of the span, or of its event `gen_ai.client.inference.operation.details` |
//! | `gen_ai.user.message`, `gen_ai.choice` and the like | an event of the span, or a log record, for each message; its body, or its attributes |
//! | `llm.input_messages.0.message.content` | OpenInference: an attribute for each field |
//! | `gen_ai.prompt.0.content`, `gen_ai.completion.0.content` | OpenLLMetry: an attribute for each field |
//! | `events`, `all_messages_events`, `pydantic_ai.all_messages` | Logfire: a list of events, or of messages, in one attribute |

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    chat,
    json_object::JsonObject,
    records::{CallAnswer, RecordEvent},
    tape::JsonTape,
};
use trajview_run::Role;

use super::{OtelSpan, into_owned_event};

/// The messages before the model and its answer, each as a list of JSON messages.
#[derive(Debug, Default)]
pub struct ModelExchange {
    pub input: Vec<serde_json::Value>,
    pub output: Vec<serde_json::Value>,
}

impl ModelExchange {
    /// Reads the messages in the first form that the span has.
    pub fn from_span(span: &OtelSpan<'_>) -> Self {
        let forms = [
            Self::from_lists,
            Self::from_events,
            Self::from_field_attributes,
            Self::from_one_attribute,
        ];
        let mut found = forms.iter().map(|form| form(span));
        found.find(|it| !it.input.is_empty() || !it.output.is_empty()).unwrap_or_default()
    }

    fn from_lists(span: &OtelSpan<'_>) -> Self {
        let list = |key: &str| span.json_attribute(key).map(into_list).unwrap_or_default();
        let mut all =
            Self { input: list("gen_ai.input.messages"), output: list("gen_ai.output.messages") };
        for event in span.span_events() {
            if all.input.is_empty() {
                all.input = event
                    .json_attribute("gen_ai.input.messages")
                    .map(into_list)
                    .unwrap_or_default();
            }
            if all.output.is_empty() {
                all.output = event
                    .json_attribute("gen_ai.output.messages")
                    .map(into_list)
                    .unwrap_or_default();
            }
        }
        all
    }

    fn from_events(span: &OtelSpan<'_>) -> Self {
        let mut all = Self::default();
        for event in span.span_events() {
            all.add_event(&event.name(), event.event_body());
        }
        all
    }

    /// Adds the message of one event. The role is in its name.
    pub fn add_event(&mut self, name: &str, body: serde_json::Value) {
        let role = match name {
            "gen_ai.user.message" => "user",
            "gen_ai.system.message" => "system",
            "gen_ai.assistant.message" => "assistant",
            "gen_ai.tool.message" => "tool",
            super::CHOICE_EVENT => {
                self.output.push(chat_message("assistant", body));
                return;
            }
            "gen_ai.content.prompt" => {
                self.input.extend(
                    body.get("gen_ai.prompt")
                        .cloned()
                        .map(parse_json_text)
                        .map_or_else(Vec::new, into_list),
                );
                return;
            }
            "gen_ai.content.completion" => {
                let completion = body.get("gen_ai.completion").cloned().map(parse_json_text);
                self.output.extend(completion.map_or_else(Vec::new, into_list));
                return;
            }
            _ => return,
        };
        self.input.push(chat_message(role, body));
    }

    /// Returns an attribute for each field of each message.
    fn from_field_attributes(span: &OtelSpan<'_>) -> Self {
        let list = |prefixes: [&str; 2]| {
            let mut messages: BTreeMap<usize, BTreeMap<String, String>> = BTreeMap::new();
            for (key, value) in span.flat_attributes() {
                let rest = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix));
                let Some((at, field)) = rest.and_then(|rest| rest.split_once('.')) else {
                    continue;
                };
                let Ok(at) = at.parse() else { continue };
                let field = field.strip_prefix("message.").unwrap_or(field);
                messages.entry(at).or_default().insert(field.to_owned(), value);
            }
            messages.into_values().map(message_from_fields).collect::<Vec<_>>()
        };
        Self {
            input: list(["llm.input_messages.", "gen_ai.prompt."]),
            output: list(["llm.output_messages.", "gen_ai.completion."]),
        }
    }

    /// Reads lists of events, and of messages, in one attribute. The last message of the model is its answer.
    fn from_one_attribute(span: &OtelSpan<'_>) -> Self {
        let keys = ["events", "all_messages_events", "pydantic_ai.all_messages"];
        let Some(list) = keys.iter().find_map(|key| span.json_attribute(key)) else {
            return Self::default();
        };
        let mut all = Self::default();
        for entry in into_list(list) {
            let name = entry.get("event.name").and_then(|name| name.as_str());
            match name.map(str::to_owned) {
                None => all.input.push(entry),
                Some(name) => all.add_event(&name, entry),
            }
        }
        if all.output.is_empty() {
            let is_answer = |message: &serde_json::Value| message_role(message) == "assistant";
            while all.input.last().is_some_and(is_answer) {
                all.output.extend(all.input.pop());
            }
            all.output.reverse();
        }
        all
    }

    /// Returns the request, where a person wrote last, or the results of calls at the end of the input.
    pub fn request_events(&self) -> Vec<RecordEvent<'static>> {
        let is_answer = |message: &&serde_json::Value| message_role(message) == "assistant";
        let after = self.input.iter().rposition(|it| is_answer(&it)).map_or(0, |at| at + 1);
        let mut events: Vec<RecordEvent<'static>> = vec![];
        let mut last_request = None;
        for message in &self.input[after..] {
            for event in message_events(message) {
                match event {
                    RecordEvent::Request(text) => last_request = Some(text),
                    RecordEvent::Answer(answer) if !answer.call.is_empty() => {
                        events.push(RecordEvent::Answer(answer));
                    }
                    _ => {}
                }
            }
        }
        events
            .extend(last_request.map(|text| RecordEvent::Request(user_request_text(&text).into())));
        events
    }

    /// Returns the messages and calls of the model.
    pub fn response_events(&self) -> Vec<RecordEvent<'static>> {
        self.output.iter().flat_map(message_events).collect()
    }
}

/// Returns the text of a person, without the text that the program put around it.
fn user_request_text(text: &str) -> String {
    let request =
        text.split_once("<userRequest>").and_then(|(_, rest)| rest.split_once("</userRequest>"));
    request.map_or(text, |(request, _)| request).trim().to_owned()
}

fn message_role(message: &serde_json::Value) -> &str {
    let role = message.get("role").or_else(|| message.get("kind"));
    match role.and_then(|role| role.as_str()).unwrap_or_default() {
        "model" | "response" => "assistant",
        role => role,
    }
}

/// Returns a body as a message of the chat form.
fn chat_message(role: &str, body: serde_json::Value) -> serde_json::Value {
    let mut fields = match body {
        serde_json::Value::Object(fields) => fields,
        other => [("content".to_owned(), other)].into_iter().collect(),
    };
    // An answer may be one level deeper, or a text.
    match fields.remove("message").map(parse_json_text) {
        Some(serde_json::Value::Object(inner)) => fields.extend(inner),
        Some(text) => {
            fields.insert("content".to_owned(), text);
        }
        None => {}
    }
    for key in ["content", "tool_calls"] {
        if let Some(value) = fields.get_mut(key) {
            let is_list = value.as_str().is_some_and(|text| text.trim_start().starts_with('['));
            if is_list {
                *value = parse_json_text(value.take());
            }
        }
    }
    if role == "tool" && !fields.contains_key("tool_call_id") {
        fields.extend(fields.get("id").cloned().map(|id| ("tool_call_id".to_owned(), id)));
    }
    fields.entry("role").or_insert_with(|| role.into());
    serde_json::Value::Object(fields)
}

/// Returns a message of attributes: `role`, `content`, `contents.0.message_content.text`,
/// `tool_calls.0.tool_call.function.name`.
fn message_from_fields(fields: BTreeMap<String, String>) -> serde_json::Value {
    let mut message = serde_json::Map::new();
    let mut texts: Vec<serde_json::Value> = vec![];
    let mut calls: BTreeMap<usize, serde_json::Map<String, serde_json::Value>> = BTreeMap::new();
    for (field, value) in fields {
        if let Some(rest) = field.strip_prefix("tool_calls.") {
            let Some((at, name)) = rest.split_once('.') else { continue };
            let name = name.rsplit('.').next().unwrap_or(name);
            let call = calls.entry(at.parse().unwrap_or(0)).or_default();
            call.insert(name.to_owned(), value.into());
        } else if field.starts_with("contents.") && field.ends_with(".text") {
            texts.push(value.into());
        } else {
            message.insert(field, value.into());
        }
    }
    if !texts.is_empty() && !message.contains_key("content") {
        message.insert("content".to_owned(), texts.into());
    }
    if !calls.is_empty() {
        let calls = calls.into_values().map(serde_json::Value::Object);
        message.insert("tool_calls".to_owned(), calls.collect());
    }
    serde_json::Value::Object(message)
}

/// Parses a text that contains a list or an object of JSON; returns other values unchanged.
pub fn parse_json_text(value: serde_json::Value) -> serde_json::Value {
    let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    inner.filter(|inner: &serde_json::Value| inner.is_array() || inner.is_object()).unwrap_or(value)
}

fn into_list(value: serde_json::Value) -> Vec<serde_json::Value> {
    match parse_json_text(value) {
        serde_json::Value::Array(list) => list,
        serde_json::Value::Null => vec![],
        one => vec![one],
    }
}

/// Returns the events of a message in either form: with `parts`, or with `content` and `tool_calls`.
fn message_events(message: &serde_json::Value) -> Vec<RecordEvent<'static>> {
    let text = message.to_string();
    let Some(tape) = JsonTape::parse(&text) else { return vec![] };
    let Some(fields) = JsonObject::from_value(tape.root()) else { return vec![] };
    let parts = fields.elements_of("parts");
    if parts.is_empty() {
        return chat::message_record(&fields)
            .events
            .into_iter()
            .filter_map(into_owned_event)
            .collect();
    }
    let role = message_role(message);
    let mut events: Vec<RecordEvent<'static>> = vec![];
    let mut requests: Vec<String> = vec![];
    for part in parts.into_iter().filter_map(JsonObject::from_value) {
        let words = || part.first_text(&["content", "text"]).unwrap_or_default().into_owned();
        let kind = part.first_text(&["type", "part_kind"]).unwrap_or_default();
        match &*kind {
            "text" | "user-prompt" if role == "user" || kind == "user-prompt" => {
                requests.push(words())
            }
            "text" if role == "assistant" && !words().trim().is_empty() => {
                events.push(RecordEvent::Message(Role::Assistant, words().into()));
            }
            "text" => {}
            "reasoning" | "thinking" if !words().trim().is_empty() => {
                events.push(RecordEvent::Thought(words().into()));
            }
            "reasoning" | "thinking" => {}
            "tool_call" | "tool-call" => {
                events.extend(into_owned_event(RecordEvent::Call(chat::read_call(&part))));
            }
            "tool_call_response" | "tool-return" => {
                events.extend(into_owned_event(RecordEvent::Answer(CallAnswer {
                    text: part
                        .get("response")
                        .or_else(|| part.get("result"))
                        .or_else(|| part.get("content"))
                        .map(crate::records::arguments::content_text)
                        .unwrap_or_default(),
                    ..chat::read_answer(&part)
                })))
            }
            "system-prompt" | "system_instructions" => {}
            kind => events.push(RecordEvent::Unknown(Cow::Owned(kind.to_owned()))),
        }
    }
    if !requests.is_empty() {
        events.push(RecordEvent::Request(requests.join("\n").into()));
    }
    events
}
