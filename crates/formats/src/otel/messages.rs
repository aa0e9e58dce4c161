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
    object::Object,
    records::{Answer, Event},
    tape::Tape,
};
use trajview_run::Role;

use super::{Span, own};

/// What was put before the model and what it answered, as one list of JSON each.
#[derive(Debug, Default)]
pub struct Exchange {
    pub input: Vec<serde_json::Value>,
    pub output: Vec<serde_json::Value>,
}

impl Exchange {
    /// By the first form that the span has.
    pub fn of(span: &Span<'_>) -> Self {
        let forms = [Self::in_lists, Self::in_events, Self::in_fields, Self::in_one_attribute];
        let mut found = forms.iter().map(|form| form(span));
        found.find(|it| !it.input.is_empty() || !it.output.is_empty()).unwrap_or_default()
    }

    fn in_lists(span: &Span<'_>) -> Self {
        let list = |key: &str| span.json(key).map(listed).unwrap_or_default();
        let mut all =
            Self { input: list("gen_ai.input.messages"), output: list("gen_ai.output.messages") };
        for event in span.events() {
            if all.input.is_empty() {
                all.input = event.json("gen_ai.input.messages").map(listed).unwrap_or_default();
            }
            if all.output.is_empty() {
                all.output = event.json("gen_ai.output.messages").map(listed).unwrap_or_default();
            }
        }
        all
    }

    fn in_events(span: &Span<'_>) -> Self {
        let mut all = Self::default();
        for event in span.events() {
            all.add(&event.name(), event.body());
        }
        all
    }

    /// Adds the message of one event: its name says the role.
    pub fn add(&mut self, name: &str, body: serde_json::Value) {
        let role = match name {
            "gen_ai.user.message" => "user",
            "gen_ai.system.message" => "system",
            "gen_ai.assistant.message" => "assistant",
            "gen_ai.tool.message" => "tool",
            "gen_ai.choice" => {
                self.output.push(message("assistant", body));
                return;
            }
            "gen_ai.content.prompt" => {
                self.input.extend(
                    body.get("gen_ai.prompt").cloned().map(parsed).map_or_else(Vec::new, listed),
                );
                return;
            }
            "gen_ai.content.completion" => {
                let said = body.get("gen_ai.completion").cloned().map(parsed);
                self.output.extend(said.map_or_else(Vec::new, listed));
                return;
            }
            _ => return,
        };
        self.input.push(message(role, body));
    }

    /// An attribute for each field of each message.
    fn in_fields(span: &Span<'_>) -> Self {
        let list = |prefixes: [&str; 2]| {
            let mut messages: BTreeMap<usize, BTreeMap<String, String>> = BTreeMap::new();
            for (key, value) in span.fields() {
                let rest = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix));
                let Some((at, field)) = rest.and_then(|rest| rest.split_once('.')) else {
                    continue;
                };
                let Ok(at) = at.parse() else { continue };
                let field = field.strip_prefix("message.").unwrap_or(field);
                messages.entry(at).or_default().insert(field.to_owned(), value);
            }
            messages.into_values().map(of_fields).collect::<Vec<_>>()
        };
        Self {
            input: list(["llm.input_messages.", "gen_ai.prompt."]),
            output: list(["llm.output_messages.", "gen_ai.completion."]),
        }
    }

    /// Lists of events, and of messages, in one attribute. What the model said last is its answer.
    fn in_one_attribute(span: &Span<'_>) -> Self {
        let keys = ["events", "all_messages_events", "pydantic_ai.all_messages"];
        let Some(list) = keys.iter().find_map(|key| span.json(key)) else { return Self::default() };
        let mut all = Self::default();
        for entry in listed(list) {
            let name = entry.get("event.name").and_then(|name| name.as_str());
            match name.map(str::to_owned) {
                None => all.input.push(entry),
                Some(name) => all.add(&name, entry),
            }
        }
        if all.output.is_empty() {
            let is_answer = |message: &serde_json::Value| role_of(message) == "assistant";
            while all.input.last().is_some_and(is_answer) {
                all.output.extend(all.input.pop());
            }
            all.output.reverse();
        }
        all
    }

    /// The request, where a person asked last, or the results of calls that stand there.
    pub fn asked(&self) -> Vec<Event<'static>> {
        let is_answer = |message: &&serde_json::Value| role_of(message) == "assistant";
        let after = self.input.iter().rposition(|it| is_answer(&it)).map_or(0, |at| at + 1);
        let mut events: Vec<Event<'static>> = vec![];
        let mut asked = None;
        for message in &self.input[after..] {
            for event in events_of(message) {
                match event {
                    Event::Request(text) => asked = Some(text),
                    Event::Answered(answer) if !answer.call.is_empty() => {
                        events.push(Event::Answered(answer));
                    }
                    _ => {}
                }
            }
        }
        events.extend(asked.map(|text| Event::Request(person(&text).into())));
        events
    }

    /// What the model said and called.
    pub fn answered(&self) -> Vec<Event<'static>> {
        self.output.iter().flat_map(events_of).collect()
    }
}

/// What a person typed, where the program put its own words around it.
fn person(text: &str) -> String {
    let asked =
        text.split_once("<userRequest>").and_then(|(_, rest)| rest.split_once("</userRequest>"));
    asked.map_or(text, |(asked, _)| asked).trim().to_owned()
}

fn role_of(message: &serde_json::Value) -> &str {
    let role = message.get("role").or_else(|| message.get("kind"));
    match role.and_then(|role| role.as_str()).unwrap_or_default() {
        "model" | "response" => "assistant",
        role => role,
    }
}

/// A body as a message of the chat form.
fn message(role: &str, body: serde_json::Value) -> serde_json::Value {
    let mut fields = match body {
        serde_json::Value::Object(fields) => fields,
        other => [("content".to_owned(), other)].into_iter().collect(),
    };
    // An answer may stand one level deeper, or as a text.
    match fields.remove("message").map(parsed) {
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
                *value = parsed(value.take());
            }
        }
    }
    if role == "tool" && !fields.contains_key("tool_call_id") {
        fields.extend(fields.get("id").cloned().map(|id| ("tool_call_id".to_owned(), id)));
    }
    fields.entry("role").or_insert_with(|| role.into());
    serde_json::Value::Object(fields)
}

/// A message of attributes: `role`, `content`, `contents.0.message_content.text`, `tool_calls.0.tool_call.function.name`.
fn of_fields(fields: BTreeMap<String, String>) -> serde_json::Value {
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

/// A text that holds JSON, as what it holds.
pub fn parsed(value: serde_json::Value) -> serde_json::Value {
    let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    inner.filter(|inner: &serde_json::Value| inner.is_array() || inner.is_object()).unwrap_or(value)
}

fn listed(value: serde_json::Value) -> Vec<serde_json::Value> {
    match parsed(value) {
        serde_json::Value::Array(list) => list,
        serde_json::Value::Null => vec![],
        one => vec![one],
    }
}

/// What a message says, in either form: with `parts`, or with `content` and `tool_calls`.
fn events_of(message: &serde_json::Value) -> Vec<Event<'static>> {
    let text = message.to_string();
    let Some(tape) = Tape::read(&text) else { return vec![] };
    let Some(fields) = Object::of(tape.root()) else { return vec![] };
    let parts = fields.array("parts");
    if parts.is_empty() {
        return chat::message(&fields).events.into_iter().filter_map(own).collect();
    }
    let role = role_of(message);
    let mut events: Vec<Event<'static>> = vec![];
    let mut asked: Vec<String> = vec![];
    for part in parts.into_iter().filter_map(Object::of) {
        let words = || part.text_of(&["content", "text"]).unwrap_or_default().into_owned();
        let kind = part.text_of(&["type", "part_kind"]).unwrap_or_default();
        match &*kind {
            "text" | "user-prompt" if role == "user" || kind == "user-prompt" => {
                asked.push(words())
            }
            "text" if role == "assistant" && !words().trim().is_empty() => {
                events.push(Event::Said(Role::Assistant, words().into()));
            }
            "text" => {}
            "reasoning" | "thinking" if !words().trim().is_empty() => {
                events.push(Event::Thought(words().into()));
            }
            "reasoning" | "thinking" => {}
            "tool_call" | "tool-call" => {
                events.extend(own(Event::Called(chat::called(&part))));
            }
            "tool_call_response" | "tool-return" => events.extend(own(Event::Answered(Answer {
                text: part
                    .get("response")
                    .or_else(|| part.get("result"))
                    .or_else(|| part.get("content"))
                    .map(crate::records::arguments::words)
                    .unwrap_or_default(),
                ..chat::answer(&part)
            }))),
            "system-prompt" | "system_instructions" => {}
            kind => events.push(Event::Unknown(Cow::Owned(kind.to_owned()))),
        }
    }
    if !asked.is_empty() {
        events.push(Event::Request(asked.join("\n").into()));
    }
    events
}
