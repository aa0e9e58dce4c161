//! Spans of the OpenTelemetry conventions for generative AI: OTLP JSON (`resourceSpans`), and databases of such spans, put
//! into lines of one span each where they are opened. A `chat` span has the model's answer, an `execute_tool` span
//! the result of a call, an `invoke_agent` span the request.

mod database;
mod evaluation;
mod messages;

use std::{borrow::Cow, collections::HashMap};

use serde_json::Value as Json;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::{self, JsonObject},
    records::{CallAnswer, LogRecord, RecordEntry, RecordEvent, RecordFormat, arguments},
    tape::TapeValue,
};
use crate::json_object::JsonFields;
use evaluation::Evaluation;
use messages::ModelExchange;
use trajview_run::{Role, Time, Tokens};

pub use database::SpanTables;

pub struct Otel;

impl RecordFormat for Otel {
    fn name(&self) -> &'static str {
        "otel"
    }

    fn short_description(&self) -> &'static str {
        "OpenTelemetry spans and events of generative AI: OTLP JSON, spans as lines, Copilot's traces.db"
    }

    fn sample_path(&self) -> &'static str {
        "logs/otel.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_ours = |key: &str| {
            let key = key.strip_prefix("attributes.").unwrap_or(key);
            ["gen_ai.", "llm.", "openinference."].iter().any(|prefix| key.starts_with(prefix))
        };
        let has_spans = |object: &JsonObject<'_>| {
            let attributes = object.object("attributes").into_iter().flat_map(|all| all.fields());
            let mut names = attributes.chain(object.fields()).map(|(key, _)| key);
            object.has_field("resourceSpans")
                || object.has_field("resourceLogs")
                || object.has_field("resource_spans")
                || object.has_field("resource_logs")
                || object.has_field("span_kind") && object.has_field("context")
                || names.any(|key| is_ours(&key))
        };
        ["gen_ai.", "llm.", "openinference"]
            .iter()
            .any(|mark| head_json::any_object(head, &[mark], has_spans))
            || head_json::any_object(head, &["\"span_kind\"", "\"context\""], has_spans)
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let spans = self.records_in(document).into_iter().filter_map(JsonObject::from_value);
        let evaluations: Vec<Evaluation> =
            spans.flat_map(|fields| Evaluation::all_of(&OtelSpan { fields })).collect();
        LogRecord {
            trial: evaluation::trial_result(&evaluations).map(Box::new),
            recorded: evaluation::recorded_values(&evaluations),
            ..LogRecord::default()
        }
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(fields) = JsonObject::from_value(value) else { return value.elements().collect() };
        // The names of the fields in JSON, and those that a decoder may leave as they are in the schema.
        let spans = ["resourceSpans", "resource_spans"];
        let logs = ["resourceLogs", "resource_logs"];
        if !spans.iter().chain(&logs).any(|list| fields.has_field(list)) {
            return vec![value];
        }
        let below = |lists: &[&str], scopes: &[&str], records: &[&str]| -> Vec<TapeValue<'t>> {
            let all = |object: JsonObject<'t>, keys: &[&str]| {
                let found: Vec<_> = keys.iter().flat_map(|key| object.elements_of(key)).collect();
                found
            };
            let objects = |list: Vec<TapeValue<'t>>| {
                list.into_iter().filter_map(JsonObject::from_value).collect::<Vec<_>>()
            };
            let resources = objects(all(fields, lists)).into_iter();
            let scopes = resources.flat_map(|resource| objects(all(resource, scopes)));
            scopes.flat_map(|scope| all(scope, records)).collect()
        };
        let span_scopes = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
        let log_scopes = ["scopeLogs", "scope_logs", "instrumentationLibraryLogs"];
        let mut found = below(&spans, &span_scopes, &["spans"]);
        found.extend(below(&logs, &log_scopes, &["logRecords", "log_records"]));
        found
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let span = OtelSpan { fields: JsonObject::from_value(record).unwrap_or_default() };
        let context = span.fields.object("context").unwrap_or_default();
        let id = span.fields.first_text(&["span_id", "spanId"]).or_else(|| context.text("span_id"));
        let parent = span.fields.first_text(&["parent_span_id", "parentSpanId", "parent_id"]);
        let mut made = LogRecord {
            time: span.first_time(&START_KEYS),
            id,
            parent: parent.filter(|id| !id.is_empty()),
            ..LogRecord::default()
        };
        match span.span_kind() {
            SpanKind::Chat => span.add_chat(&mut made),
            SpanKind::Tool => span.add_tool_result(&mut made),
            SpanKind::Agent => span.add_agent_request(&mut made),
            SpanKind::Event(name) if name == evaluation::EVENT_NAME => return made,
            SpanKind::Event(name) => {
                if name == DETAILS_EVENT || name == CHOICE_EVENT {
                    made.response = made.id.clone();
                }
                let mut exchange = ModelExchange::default();
                exchange.add_event(&name, span.event_body());
                let lists = ModelExchange::from_span(&span);
                exchange.input.extend(lists.input);
                exchange.output.extend(lists.output);
                made.events = exchange.request_events();
                made.events.extend(exchange.response_events());
                if made.events.is_empty() && !is_repeated_context(&name) {
                    made.skipped = Some(Cow::Owned(format!("event {name}")));
                }
                return made;
            }
            SpanKind::Container => {}
            SpanKind::Other => {
                let name = span.fields.text("name").unwrap_or_default();
                made.skipped = Some(Cow::Owned(format!("span {name}")));
                return made;
            }
        }
        made.ended_at = span.first_time(&END_KEYS);
        made
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        // One without a time stays behind the one before it.
        let mut last_time = None;
        let times = entries.iter().map(|entry| {
            last_time = entry.record.time.or(last_time);
            last_time
        });
        let times: Vec<Option<Time>> = times.collect();
        let mut timed: Vec<_> = times.into_iter().zip(std::mem::take(entries)).collect();
        timed.sort_by_key(|(time, _)| *time);
        entries.extend(timed.into_iter().map(|(_, entry)| entry));
        join_responses(entries);
        // What the span around a conversation asks, its first chat repeats.
        let mut last: Option<String> = None;
        for entry in entries.iter_mut() {
            for event in &mut entry.record.events {
                let RecordEvent::Request(text) = event else { continue };
                let is_repeated = last.as_deref() == Some(&**text);
                last = Some(text.to_string());
                if is_repeated {
                    *event = RecordEvent::Nothing;
                }
            }
        }
    }
}

/// Leaves each response one record with its messages and its tokens: instrumentations may record them on the span, in an
/// event, or the one here and the other there.
fn join_responses(entries: &mut [RecordEntry]) {
    let mut with_messages: HashMap<String, usize> = HashMap::new();
    for (at, RecordEntry { record, .. }) in entries.iter().enumerate() {
        if let Some(response) = record.response.as_deref().filter(|_| !record.events.is_empty()) {
            with_messages.entry(response.to_owned()).or_insert(at);
        }
    }
    for at in 0..entries.len() {
        let record = &mut entries[at].record;
        let response = record.response.as_deref();
        let Some(first) = response.and_then(|it| with_messages.get(it)).copied() else { continue };
        if first == at {
            continue;
        }
        let tokens = std::mem::take(&mut record.tokens);
        let is_span = record.ended_at.is_some();
        // Events of one response are its choices, or parts of it; a span repeats them.
        if is_span || entries[first].record.ended_at.is_some() {
            let record = &mut entries[at].record;
            record.events.clear();
            record.skipped = None;
        }
        let kept = &mut entries[first].record.tokens;
        if !kept.is_recorded() {
            *kept = tokens;
        }
    }
}

/// The event with the messages of a response, apart from its span.
const DETAILS_EVENT: &str = "gen_ai.client.inference.operation.details";

/// The event with a choice of a response, apart from its span.
const CHOICE_EVENT: &str = "gen_ai.choice";

/// The note about a response of which no record has the messages.
const NO_MESSAGES: &str = "response without its messages";

const START_KEYS: [&str; 8] = [
    "start_time_ms",
    "startTimeUnixNano",
    "start_time_unix_nano",
    "start_time",
    "timeUnixNano",
    "time_unix_nano",
    "observedTimeUnixNano",
    "timestamp",
];
const END_KEYS: [&str; 4] = ["end_time_ms", "endTimeUnixNano", "end_time_unix_nano", "end_time"];

/// The kind of a span or of a log record.
enum SpanKind {
    /// A response of a model.
    Chat,
    Tool,
    Agent,
    /// A log record that is an event, by its name.
    Event(String),
    /// Spans of frameworks around what they call.
    Container,
    /// A kind beside the agent's work: it is counted and not shown.
    Other,
}

/// Returns whether an event repeats context that the spans contain already.
fn is_repeated_context(name: &str) -> bool {
    name == "gen_ai.system.message" || name == "gen_ai.assistant.message"
}

struct OtelSpan<'t> {
    fields: JsonObject<'t>,
}

impl<'t> OtelSpan<'t> {
    fn span_kind(&self) -> SpanKind {
        if let Some(name) = self.event_name().filter(|name| name == evaluation::EVENT_NAME) {
            return SpanKind::Event(name);
        }
        let is = |key: &str| self.text_attribute(key).unwrap_or_default().to_ascii_lowercase();
        match is("gen_ai.operation.name").as_str() {
            "chat" | "text_completion" | "generate_content" => return SpanKind::Chat,
            "execute_tool" => return SpanKind::Tool,
            "invoke_agent" | "create_agent" => return SpanKind::Agent,
            "invoke_workflow" | "plan" => return SpanKind::Container,
            _ => {}
        }
        let kind = self.fields.text("span_kind").unwrap_or_default().to_ascii_lowercase();
        let named = [
            is("openinference.span.kind"),
            kind,
            is("traceloop.span.kind"),
            is("llm.request.type"),
        ];
        let has_name = |names: &[&str]| named.iter().any(|kind| names.contains(&kind.as_str()));
        if has_name(&["llm", "chat", "completion"]) {
            SpanKind::Chat
        } else if has_name(&["tool"]) {
            SpanKind::Tool
        } else if has_name(&["agent"]) {
            SpanKind::Agent
        } else if has_name(&["chain", "workflow", "task"]) {
            SpanKind::Container
        } else if let Some(name) = self.event_name() {
            SpanKind::Event(name)
        } else if self.flat_attributes().iter().any(|(key, _)| key.starts_with("gen_ai.prompt.")) {
            SpanKind::Chat
        } else {
            SpanKind::Other
        }
    }

    /// Returns the name of an event, where it is a log record.
    fn event_name(&self) -> Option<String> {
        let named = self.fields.first_text(&["eventName", "event_name"]).map(Cow::into_owned);
        let marks = ["body", "timeUnixNano", "time_unix_nano"];
        let is_log = marks.iter().any(|key| self.fields.has_field(key));
        let name = named.or_else(|| Some(self.text_attribute("event.name")?.into_owned()));
        name.filter(|name| is_log || name.starts_with("gen_ai."))
    }

    /// Returns the name of an event of a span, or of a log record.
    fn name(&self) -> String {
        let name = self.fields.text("name").map(Cow::into_owned);
        name.or_else(|| self.event_name()).unwrap_or_default()
    }

    /// Returns the content of an event: its body, else its attributes.
    fn event_body(&self) -> Json {
        let body = self.fields.get("body").map(plain_json).map(messages::parse_json_text);
        let body = body.filter(|body| !body.is_null());
        let body = body
            .or_else(|| self.json_attribute("gen_ai.event.content").map(messages::parse_json_text));
        body.unwrap_or_else(|| self.fields.get("attributes").map(plain_json).unwrap_or_default())
    }

    fn span_events(&self) -> Vec<Self> {
        let events =
            self.fields.elements_of("events").into_iter().filter_map(JsonObject::from_value);
        events.map(|fields| OtelSpan { fields }).collect()
    }

    /// Returns an attribute: in an object by its name, in OTLP's list of keys and values, or in a column of its own.
    fn attribute(&self, key: &str) -> Option<TapeValue<'t>> {
        let Some(all) = self.fields.get("attributes") else {
            return self.fields.get(&format!("attributes.{key}"));
        };
        if let Some(all) = JsonObject::from_value(all) {
            return all.get(key).or_else(|| nested_field(all, key));
        }
        let mut pairs = all.elements().filter_map(JsonObject::from_value);
        pairs.find(|pair| pair.text("key").as_deref() == Some(key))?.get("value")
    }

    fn text_attribute(&self, key: &str) -> Option<Cow<'t, str>> {
        json_object::string_text(scalar_value(self.attribute(key)?))
    }

    /// Returns an attribute as plain JSON.
    fn json_attribute(&self, key: &str) -> Option<Json> {
        self.attribute(key).map(plain_json)
    }

    /// Returns all attributes, nested ones by their whole names, elements of lists by positions. A text that contains a
    /// list counts as a list.
    fn flat_attributes(&self) -> Vec<(String, String)> {
        let mut found = vec![];
        let all = match self.fields.get("attributes") {
            Some(all) => plain_json(all),
            None => {
                let columns = self.fields.fields().filter_map(|(key, value)| {
                    Some((key.strip_prefix("attributes.")?.to_owned(), plain_json(value)))
                });
                Json::Object(columns.collect())
            }
        };
        flatten_leaves(String::new(), all, 0, &mut found);
        found
    }

    fn first_number(&self, keys: &[&str]) -> Option<u64> {
        keys.iter().find_map(|key| {
            let value = scalar_value(self.attribute(key)?);
            json_object::string_text(value)
                .map_or_else(|| value.get().parse().ok(), |text| text.parse().ok())
        })
    }

    fn first_time(&self, keys: &[&str]) -> Option<Time> {
        let value = keys.iter().find_map(|key| self.fields.get(key))?;
        let text = json_object::string_text(value).unwrap_or(Cow::Borrowed(value.get()));
        match text.parse::<f64>() {
            Ok(number) if number > 1e15 => Some(Time((number / 1e6) as i64)),
            Ok(number) => Some(Time(number as i64)),
            Err(_) => Time::parse(&text),
        }
    }

    fn add_chat(&self, made: &mut LogRecord<'t>) {
        let models = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"];
        made.facts.model = models.iter().find_map(|key| self.text_attribute(key));
        made.facts.id = self.conversation_id();
        made.response = made.id.clone().filter(|id| !id.is_empty());
        made.tokens = Tokens {
            input: self.first_number(&[
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.prompt_tokens",
                "llm.token_count.prompt",
            ]),
            cached_input: self.first_number(&[
                "gen_ai.usage.cache_read.input_tokens",
                "gen_ai.usage.cache_read_input_tokens",
                "llm.token_count.prompt_details.cache_read",
            ]),
            output: self.first_number(&[
                "gen_ai.usage.output_tokens",
                "gen_ai.usage.completion_tokens",
                "llm.token_count.completion",
            ]),
            reasoning: self.first_number(&[
                "gen_ai.usage.reasoning.output_tokens",
                "llm.token_count.completion_details.reasoning",
            ]),
            cache_write: self.first_number(&[
                "gen_ai.usage.cache_creation.input_tokens",
                "llm.token_count.prompt_details.cache_write",
            ]),
            ..Tokens::default()
        };
        let exchange = ModelExchange::from_span(self);
        made.events = exchange.request_events();
        made.events.extend(exchange.response_events());
        if exchange.input.is_empty() && exchange.output.is_empty() {
            self.add_plain_texts(made);
        }
        if let Some(error) = self.text_attribute("error.type") {
            let status = self.fields.object("status").unwrap_or_default();
            let words = status.first_text(&["message", "description"]);
            let words = words.filter(|words| !words.trim().is_empty());
            made.push_event(RecordEvent::Failed(words.unwrap_or(error)));
        }
        if made.events.is_empty() {
            made.skipped = Some(Cow::Borrowed(NO_MESSAGES));
        }
    }

    /// Adds the texts that OpenInference has beside messages: input and output as one text each.
    fn add_plain_texts(&self, made: &mut LogRecord<'t>) {
        let is_text =
            |key: &str| self.text_attribute(key).is_none_or(|kind| !kind.contains("json"));
        if let Some(input_text) =
            self.text_attribute("input.value").filter(|_| is_text("input.mime_type"))
        {
            made.push_event(RecordEvent::Request(input_text));
        }
        if let Some(output_text) =
            self.text_attribute("output.value").filter(|_| is_text("output.mime_type"))
        {
            made.push_text(|text| RecordEvent::Message(Role::Assistant, text), output_text);
        }
    }

    fn conversation_id(&self) -> Option<Cow<'t, str>> {
        let keys =
            ["gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id"];
        keys.iter().find_map(|key| self.text_attribute(key))
    }

    /// Adds the result of a call. The call is in the answer of the chat before, else in this span.
    fn add_tool_result(&self, made: &mut LogRecord<'t>) {
        let results = ["gen_ai.tool.call.result", "output.value", "traceloop.entity.output"];
        let text = results.iter().find_map(|key| self.attribute_text(key)).unwrap_or_default();
        let status = self.fields.object("status").unwrap_or_default();
        let is_error = |text: Option<Cow<'_, str>>| {
            text.is_some_and(|text| {
                text.eq_ignore_ascii_case("error") || text == "STATUS_CODE_ERROR"
            })
        };
        let failed = self.text_attribute("error.type").is_some()
            || status.number("code") == Some(2)
            || is_error(status.text("code"))
            || self.fields.number("status_code") == Some(2)
            || is_error(self.fields.text("status_code"));
        let id = ["gen_ai.tool.call.id", "tool_call.id", "tool.id"];
        let names = ["gen_ai.tool.name", "tool.name", "traceloop.entity.name"];
        let name = names.iter().find_map(|key| self.text_attribute(key));
        let arguments = [
            "gen_ai.tool.call.arguments",
            "tool.parameters",
            "input.value",
            "traceloop.entity.input",
        ];
        let arguments = arguments.iter().find_map(|key| self.attribute(key)).map(scalar_value);
        let mut call = arguments::call_from_arguments(
            name.or_else(|| self.fields.text("name")).unwrap_or_default(),
            id.iter().find_map(|key| self.text_attribute(key)),
            arguments,
        );
        call.answer = Some(CallAnswer {
            exit_code: chat::exit_code_in(&text),
            text,
            is_error: failed,
            ended_at: self.first_time(&END_KEYS),
            ..CallAnswer::default()
        });
        made.push_event(RecordEvent::Call(call));
    }

    /// Returns a text, or a value of another kind as it is written.
    fn attribute_text(&self, key: &str) -> Option<Cow<'t, str>> {
        let value = scalar_value(self.attribute(key)?);
        Some(json_object::string_text(value).unwrap_or(Cow::Borrowed(value.get())))
    }

    fn add_agent_request(&self, made: &mut LogRecord<'t>) {
        made.facts.agent = self.text_attribute("gen_ai.agent.name");
        made.facts.version = self.text_attribute("gen_ai.agent.version");
        made.facts.id = self.conversation_id();
        if let Some(typed) = self.text_attribute("copilot_chat.user_request") {
            made.push_event(RecordEvent::Request(typed));
            return;
        }
        made.events = ModelExchange::from_span(self).request_events();
        made.events.retain(|event| matches!(event, RecordEvent::Request(_)));
    }
}

/// The fields in which OTLP has a scalar, by the names in JSON and in the schema.
const VALUE_KINDS: [&str; 10] = [
    "stringValue",
    "intValue",
    "doubleValue",
    "boolValue",
    "bytesValue",
    "string_value",
    "int_value",
    "double_value",
    "bool_value",
    "bytes_value",
];

/// Returns the value within OTLP's, where it is a scalar: `{"stringValue": "..."}`.
fn scalar_value(value: TapeValue<'_>) -> TapeValue<'_> {
    let kinds = VALUE_KINDS;
    let inner = JsonObject::from_value(value)
        .and_then(|value| kinds.iter().find_map(|kind| value.get(kind)));
    inner.unwrap_or(value)
}

/// Returns a field within objects, by the names on the path to it with points between.
fn nested_field<'t>(all: JsonObject<'t>, key: &str) -> Option<TapeValue<'t>> {
    let (first, rest) = key.split_once('.')?;
    let inner = all.object(first)?;
    inner.get(rest).or_else(|| nested_field(inner, rest))
}

/// Returns a value as plain JSON, out of OTLP's form where it has that.
fn plain_json(value: TapeValue<'_>) -> Json {
    let read = crate::not_finite::read_json(value.get().as_bytes());
    read.map_or(Json::Null, |(value, _)| without_kinds(value, 0))
}

fn without_kinds(value: Json, depth: usize) -> Json {
    if depth > 40 {
        return value;
    }
    match value {
        Json::Array(list) => {
            let is_pair =
                |it: &Json| it.get("key").is_some_and(Json::is_string) && it.get("value").is_some();
            if !list.is_empty() && list.iter().all(is_pair) {
                return Json::Object(pairs_to_object(list, depth));
            }
            list.into_iter().map(|it| without_kinds(it, depth + 1)).collect()
        }
        Json::Object(mut fields) if fields.len() == 1 => {
            for kind in VALUE_KINDS {
                if let Some(inner) = fields.remove(kind) {
                    return inner;
                }
            }
            if let Some(mut list) =
                fields.remove("arrayValue").or_else(|| fields.remove("array_value"))
            {
                let values =
                    list.get_mut("values").map(Json::take).unwrap_or_else(|| Json::Array(vec![]));
                return without_kinds(values, depth + 1);
            }
            let pairs = fields.remove("kvlistValue").or_else(|| fields.remove("kvlist_value"));
            if let Some(mut list) = pairs {
                let values = list.get_mut("values").map(Json::take);
                let values = values
                    .and_then(|it| if let Json::Array(list) = it { Some(list) } else { None });
                return Json::Object(pairs_to_object(values.unwrap_or_default(), depth));
            }
            fields.into_iter().map(|(key, value)| (key, without_kinds(value, depth + 1))).collect()
        }
        Json::Object(fields) => {
            fields.into_iter().map(|(key, value)| (key, without_kinds(value, depth + 1))).collect()
        }
        other => other,
    }
}

fn pairs_to_object(list: Vec<Json>, depth: usize) -> serde_json::Map<String, Json> {
    let pair = |mut pair: Json| {
        let key = pair.text("key")?.to_owned();
        Some((key, without_kinds(pair.get_mut("value")?.take(), depth + 1)))
    };
    list.into_iter().filter_map(pair).collect()
}

/// Collects the leaves of a value by their whole names.
fn flatten_leaves(name: String, value: Json, depth: usize, found: &mut Vec<(String, String)>) {
    /// More of them are not looked at.
    const MOST: usize = 100_000;
    if depth > 40 || found.len() >= MOST {
        return;
    }
    let below =
        |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
    let is_list = name.ends_with("_messages") || name.ends_with("prompt");
    match if is_list { messages::parse_json_text(value) } else { value } {
        Json::Object(fields) => {
            fields
                .into_iter()
                .for_each(|(key, value)| flatten_leaves(below(&key), value, depth + 1, found));
        }
        Json::Array(list) => {
            for (at, value) in list.into_iter().enumerate() {
                flatten_leaves(below(&at.to_string()), value, depth + 1, found);
            }
        }
        Json::Null => {}
        Json::String(text) => found.push((name, text)),
        other => found.push((name, other.to_string())),
    }
}

/// Returns an event that owns its text; None for an event that adds nothing here.
fn into_owned_event(event: RecordEvent<'_>) -> Option<RecordEvent<'static>> {
    let text = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    Some(match event {
        RecordEvent::Request(words) => RecordEvent::Request(text(words)),
        RecordEvent::Message(Role::System, _) => return None,
        RecordEvent::Message(role, words) => RecordEvent::Message(role, text(words)),
        RecordEvent::Thought(words) => RecordEvent::Thought(text(words)),
        RecordEvent::Failed(words) => RecordEvent::Failed(text(words)),
        RecordEvent::Unknown(kind) => RecordEvent::Unknown(text(kind)),
        RecordEvent::Call(call) => RecordEvent::Call(into_owned_call(call)),
        RecordEvent::Answer(answer) => RecordEvent::Answer(CallAnswer {
            call: text(answer.call),
            text: text(answer.text),
            agent: None,
            bytes: answer.bytes,
            is_error: answer.is_error,
            is_ok: answer.is_ok,
            exit_code: answer.exit_code,
            ended_at: answer.ended_at,
            edits: answer.edits,
        }),
        _ => return None,
    })
}

fn into_owned_call(
    call: super::records::RecordedCall<'_>,
) -> super::records::RecordedCall<'static> {
    super::records::RecordedCall {
        name: call.name.into_owned().into(),
        id: call.id.into_owned().into(),
        arguments: call.arguments.into_owned().into(),
        main: call.main.into_owned().into(),
        answer: None,
        edits: call.edits,
        starts_agent: call.starts_agent,
        asks_agent: call.asks_agent.into_owned().into(),
        answered_by_user: call.answered_by_user,
    }
}
