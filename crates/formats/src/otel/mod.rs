//! Spans of the OpenTelemetry conventions for generative AI: OTLP JSON (`resourceSpans`), and databases of such spans, put
//! into lines of one span each where they are opened. A `chat` span tells what the model answered, an `execute_tool` span
//! what a call came to, an `invoke_agent` span what was asked.

mod messages;

use std::borrow::Cow;

use serde_json::Value as Json;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::{self, Object},
    peek,
    records::{Answer, Entry, Event, Record, Records, arguments},
    tape::Value,
};
use messages::Exchange;
use trajview_run::{Role, Time, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct Otel;

impl Records for Otel {
    fn name(&self) -> &'static str {
        "otel"
    }

    fn about(&self) -> &'static str {
        "OpenTelemetry spans of generative AI: OTLP JSON, Copilot's traces.db"
    }

    fn sample(&self) -> &'static str {
        "logs/otel.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_ours = |key: &str| {
            let key = key.strip_prefix("attributes.").unwrap_or(key);
            ["gen_ai.", "llm.", "openinference."].iter().any(|prefix| key.starts_with(prefix))
        };
        let has_spans = |object: &Object<'_>| {
            let attributes = object.object("attributes").into_iter().flat_map(|all| all.fields());
            let mut names = attributes.chain(object.fields()).map(|(key, _)| key);
            object.has("resourceSpans")
                || object.has("resourceLogs")
                || object.has("span_kind") && object.has("context")
                || names.any(|key| is_ours(&key))
        };
        ["gen_ai.", "llm.", "openinference"].iter().any(|mark| peek::any(head, &[mark], has_spans))
            || peek::any(head, &["\"span_kind\"", "\"context\""], has_spans)
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(fields) = Object::of(value) else { return value.elements().collect() };
        if !fields.has("resourceSpans") && !fields.has("resourceLogs") {
            return vec![value];
        }
        let below = |list: &str, scopes: [&str; 2], records: &str| -> Vec<Value<'t>> {
            let resources = fields.array(list).into_iter().filter_map(Object::of);
            let scopes =
                resources.flat_map(|resource| scopes.map(|scope| resource.array(scope)).concat());
            scopes.filter_map(Object::of).flat_map(|scope| scope.array(records)).collect()
        };
        let spans = below("resourceSpans", ["scopeSpans", "instrumentationLibrarySpans"], "spans");
        let logs = below("resourceLogs", ["scopeLogs", "instrumentationLibraryLogs"], "logRecords");
        spans.into_iter().chain(logs).collect()
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let span = Span { fields: Object::of(record).unwrap_or_default() };
        let context = span.fields.object("context").unwrap_or_default();
        let id = span.fields.text_of(&["span_id", "spanId"]).or_else(|| context.text("span_id"));
        let parent = span.fields.text_of(&["parent_span_id", "parentSpanId", "parent_id"]);
        let mut made = Record {
            time: span.time(&STARTS),
            id,
            parent: parent.filter(|id| !id.is_empty()),
            ..Record::default()
        };
        match span.kind() {
            Kind::Chat => span.chat(&mut made),
            Kind::Tool => span.tool(&mut made),
            Kind::Agent => span.agent(&mut made),
            Kind::Event(name) => {
                let mut exchange = Exchange::default();
                exchange.add(&name, span.body());
                let lists = Exchange::of(&span);
                exchange.input.extend(lists.input);
                exchange.output.extend(lists.output);
                made.events = exchange.asked();
                made.events.extend(exchange.answered());
                if made.events.is_empty() && !is_of_system(&name) {
                    made.skipped = Some(Cow::Owned(format!("event {name}")));
                }
                return made;
            }
            Kind::Container => {}
            Kind::Other => {
                let name = span.fields.text("name").unwrap_or_default();
                made.skipped = Some(Cow::Owned(format!("span {name}")));
                return made;
            }
        }
        made.ended_at = span.time(&ENDS);
        made
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        entries.sort_by_key(|entry| entry.record.time);
        // What the span around a conversation asks, its first chat repeats.
        let mut last: Option<String> = None;
        for entry in entries.iter_mut() {
            for event in &mut entry.record.events {
                let Event::Request(text) = event else { continue };
                let is_repeated = last.as_deref() == Some(&**text);
                last = Some(text.to_string());
                if is_repeated {
                    *event = Event::Nothing;
                }
            }
        }
    }
}

const STARTS: [&str; 6] = [
    "start_time_ms",
    "startTimeUnixNano",
    "start_time_unix_nano",
    "start_time",
    "timeUnixNano",
    "timestamp",
];
const ENDS: [&str; 4] = ["end_time_ms", "endTimeUnixNano", "end_time_unix_nano", "end_time"];

/// What a span, or a log record, is of.
enum Kind {
    /// A response of a model.
    Chat,
    Tool,
    Agent,
    /// A log record that is an event, by its name.
    Event(String),
    /// Spans of frameworks around what they call.
    Container,
    /// Of what is beside an agent's work: it is counted, and not shown.
    Other,
}

/// What the instructions of a system say is known from the spans.
fn is_of_system(name: &str) -> bool {
    name == "gen_ai.system.message" || name == "gen_ai.assistant.message"
}

struct Span<'t> {
    fields: Object<'t>,
}

impl<'t> Span<'t> {
    fn kind(&self) -> Kind {
        let is = |key: &str| self.text(key).unwrap_or_default().to_ascii_lowercase();
        match is("gen_ai.operation.name").as_str() {
            "chat" | "text_completion" | "generate_content" => return Kind::Chat,
            "execute_tool" => return Kind::Tool,
            "invoke_agent" | "create_agent" => return Kind::Agent,
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
            Kind::Chat
        } else if has_name(&["tool"]) {
            Kind::Tool
        } else if has_name(&["agent"]) {
            Kind::Agent
        } else if has_name(&["chain", "workflow", "task"]) {
            Kind::Container
        } else if let Some(name) = self.event_name() {
            Kind::Event(name)
        } else if self.fields().iter().any(|(key, _)| key.starts_with("gen_ai.prompt.")) {
            Kind::Chat
        } else {
            Kind::Other
        }
    }

    /// The name of an event, where it is a log record.
    fn event_name(&self) -> Option<String> {
        let named = self.fields.text_of(&["eventName", "event_name"]).map(Cow::into_owned);
        let is_log = self.fields.has("body") || self.fields.has("timeUnixNano");
        let name = named.or_else(|| Some(self.text("event.name")?.into_owned()));
        name.filter(|name| is_log || name.starts_with("gen_ai."))
    }

    /// The name of an event of a span, or of a log record.
    fn name(&self) -> String {
        let name = self.fields.text("name").map(Cow::into_owned);
        name.or_else(|| self.event_name()).unwrap_or_default()
    }

    /// What an event says: its body, else its attributes.
    fn body(&self) -> Json {
        let body = self.fields.get("body").map(plain).map(messages::parsed);
        let body = body.filter(|body| !body.is_null());
        let body = body.or_else(|| self.json("gen_ai.event.content").map(messages::parsed));
        body.unwrap_or_else(|| self.fields.get("attributes").map(plain).unwrap_or_default())
    }

    fn events(&self) -> Vec<Self> {
        let events = self.fields.array("events").into_iter().filter_map(Object::of);
        events.map(|fields| Span { fields }).collect()
    }

    /// An attribute: in an object by its name, in OTLP's list of keys and values, or in a column of its own.
    fn attribute(&self, key: &str) -> Option<Value<'t>> {
        let Some(all) = self.fields.get("attributes") else {
            return self.fields.get(&format!("attributes.{key}"));
        };
        if let Some(all) = Object::of(all) {
            return all.get(key).or_else(|| nested(all, key));
        }
        let mut pairs = all.elements().filter_map(Object::of);
        pairs.find(|pair| pair.text("key").as_deref() == Some(key))?.get("value")
    }

    fn text(&self, key: &str) -> Option<Cow<'t, str>> {
        object::text(scalar(self.attribute(key)?))
    }

    /// An attribute as plain JSON.
    fn json(&self, key: &str) -> Option<Json> {
        self.attribute(key).map(plain)
    }

    /// All attributes, those within others by their whole names; lists by positions. A text that holds a list is one.
    fn fields(&self) -> Vec<(String, String)> {
        let mut found = vec![];
        let all = match self.fields.get("attributes") {
            Some(all) => plain(all),
            None => {
                let columns = self.fields.fields().filter_map(|(key, value)| {
                    Some((key.strip_prefix("attributes.")?.to_owned(), plain(value)))
                });
                Json::Object(columns.collect())
            }
        };
        spread(String::new(), all, 0, &mut found);
        found
    }

    fn number(&self, keys: &[&str]) -> Option<u64> {
        keys.iter().find_map(|key| {
            let value = scalar(self.attribute(key)?);
            object::text(value).map_or_else(|| value.get().parse().ok(), |text| text.parse().ok())
        })
    }

    fn time(&self, keys: &[&str]) -> Option<Time> {
        let value = keys.iter().find_map(|key| self.fields.get(key))?;
        let text = object::text(value).unwrap_or(Cow::Borrowed(value.get()));
        match text.parse::<f64>() {
            Ok(number) if number > 1e15 => Some(Time((number / 1e6) as i64)),
            Ok(number) => Some(Time(number as i64)),
            Err(_) => Time::parse(&text),
        }
    }

    fn chat(&self, made: &mut Record<'t>) {
        let models = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"];
        made.facts.model = models.iter().find_map(|key| self.text(key));
        made.facts.id = self.conversation();
        made.tokens = Tokens {
            input: self.number(&[
                "gen_ai.usage.input_tokens",
                "gen_ai.usage.prompt_tokens",
                "llm.token_count.prompt",
            ]),
            cached_input: self.number(&[
                "gen_ai.usage.cache_read.input_tokens",
                "gen_ai.usage.cache_read_input_tokens",
                "llm.token_count.prompt_details.cache_read",
            ]),
            output: self.number(&[
                "gen_ai.usage.output_tokens",
                "gen_ai.usage.completion_tokens",
                "llm.token_count.completion",
            ]),
            reasoning: self.number(&[
                "gen_ai.usage.reasoning.output_tokens",
                "llm.token_count.completion_details.reasoning",
            ]),
            cache_write: self.number(&[
                "gen_ai.usage.cache_creation.input_tokens",
                "llm.token_count.prompt_details.cache_write",
            ]),
            ..Tokens::default()
        };
        let exchange = Exchange::of(self);
        made.events = exchange.asked();
        made.events.extend(exchange.answered());
        if exchange.input.is_empty() && exchange.output.is_empty() {
            self.plain_texts(made);
        }
        if let Some(error) = self.text("error.type") {
            made.says(Event::Failed(error));
        }
        if made.events.is_empty() {
            made.skipped = Some(Cow::Borrowed("response without its messages"));
        }
    }

    /// What OpenInference has beside messages: input and output as one text each.
    fn plain_texts(&self, made: &mut Record<'t>) {
        let is_text = |key: &str| self.text(key).is_none_or(|kind| !kind.contains("json"));
        if let Some(asked) = self.text("input.value").filter(|_| is_text("input.mime_type")) {
            made.says(Event::Request(asked));
        }
        if let Some(said) = self.text("output.value").filter(|_| is_text("output.mime_type")) {
            made.says_words(|text| Event::Said(Role::Assistant, text), said);
        }
    }

    fn conversation(&self) -> Option<Cow<'t, str>> {
        let keys =
            ["gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id"];
        keys.iter().find_map(|key| self.text(key))
    }

    /// The call stands in the answer of the chat before; where it does not, here.
    fn tool(&self, made: &mut Record<'t>) {
        let results = ["gen_ai.tool.call.result", "output.value", "traceloop.entity.output"];
        let text = results.iter().find_map(|key| self.words(key)).unwrap_or_default();
        let status = self.fields.object("status").unwrap_or_default();
        let is_error = |text: Option<Cow<'_, str>>| {
            text.is_some_and(|text| {
                text.eq_ignore_ascii_case("error") || text == "STATUS_CODE_ERROR"
            })
        };
        let failed = self.text("error.type").is_some()
            || status.number("code") == Some(2)
            || is_error(status.text("code"))
            || self.fields.number("status_code") == Some(2)
            || is_error(self.fields.text("status_code"));
        let id = ["gen_ai.tool.call.id", "tool_call.id", "tool.id"];
        let names = ["gen_ai.tool.name", "tool.name", "traceloop.entity.name"];
        let name = names.iter().find_map(|key| self.text(key));
        let arguments = [
            "gen_ai.tool.call.arguments",
            "tool.parameters",
            "input.value",
            "traceloop.entity.input",
        ];
        let arguments = arguments.iter().find_map(|key| self.attribute(key)).map(scalar);
        let mut call = arguments::call(
            name.or_else(|| self.fields.text("name")).unwrap_or_default(),
            id.iter().find_map(|key| self.text(key)),
            arguments,
        );
        call.answer = Some(Answer {
            exit_code: chat::exit_code(&text),
            text,
            is_error: failed,
            ended_at: self.time(&ENDS),
            ..Answer::default()
        });
        made.says(Event::Called(call));
    }

    /// A text, or a value of another kind as it is written.
    fn words(&self, key: &str) -> Option<Cow<'t, str>> {
        let value = scalar(self.attribute(key)?);
        Some(object::text(value).unwrap_or(Cow::Borrowed(value.get())))
    }

    fn agent(&self, made: &mut Record<'t>) {
        made.facts.agent = self.text("gen_ai.agent.name");
        made.facts.id = self.conversation();
        if let Some(typed) = self.text("copilot_chat.user_request") {
            made.says(Event::Request(typed));
            return;
        }
        made.events = Exchange::of(self).asked();
        made.events.retain(|event| matches!(event, Event::Request(_)));
    }
}

/// The value within OTLP's, where it is a scalar: `{"stringValue": "..."}`.
fn scalar(value: Value<'_>) -> Value<'_> {
    let kinds = ["stringValue", "intValue", "doubleValue", "boolValue"];
    let inner = Object::of(value).and_then(|value| kinds.iter().find_map(|kind| value.get(kind)));
    inner.unwrap_or(value)
}

/// A field within objects, by the names on the way to it with points between.
fn nested<'t>(all: Object<'t>, key: &str) -> Option<Value<'t>> {
    let (first, rest) = key.split_once('.')?;
    let inner = all.object(first)?;
    inner.get(rest).or_else(|| nested(inner, rest))
}

/// A value as plain JSON, out of OTLP's form where it has that.
fn plain(value: Value<'_>) -> Json {
    let read = crate::not_finite::read(value.get().as_bytes());
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
                return Json::Object(pairs(list, depth));
            }
            list.into_iter().map(|it| without_kinds(it, depth + 1)).collect()
        }
        Json::Object(mut fields) if fields.len() == 1 => {
            for kind in ["stringValue", "intValue", "doubleValue", "boolValue", "bytesValue"] {
                if let Some(inner) = fields.remove(kind) {
                    return inner;
                }
            }
            if let Some(mut list) = fields.remove("arrayValue") {
                let values =
                    list.get_mut("values").map(Json::take).unwrap_or_else(|| Json::Array(vec![]));
                return without_kinds(values, depth + 1);
            }
            if let Some(mut list) = fields.remove("kvlistValue") {
                let values = list.get_mut("values").map(Json::take);
                let values = values
                    .and_then(|it| if let Json::Array(list) = it { Some(list) } else { None });
                return Json::Object(pairs(values.unwrap_or_default(), depth));
            }
            fields.into_iter().map(|(key, value)| (key, without_kinds(value, depth + 1))).collect()
        }
        Json::Object(fields) => {
            fields.into_iter().map(|(key, value)| (key, without_kinds(value, depth + 1))).collect()
        }
        other => other,
    }
}

fn pairs(list: Vec<Json>, depth: usize) -> serde_json::Map<String, Json> {
    let pair = |mut pair: Json| {
        let key = pair.get("key")?.as_str()?.to_owned();
        Some((key, without_kinds(pair.get_mut("value")?.take(), depth + 1)))
    };
    list.into_iter().filter_map(pair).collect()
}

/// The leaves of a value by their whole names.
fn spread(name: String, value: Json, depth: usize, found: &mut Vec<(String, String)>) {
    /// More of them are not looked at.
    const MOST: usize = 100_000;
    if depth > 40 || found.len() >= MOST {
        return;
    }
    let below =
        |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
    let is_list = name.ends_with("_messages") || name.ends_with("prompt");
    match if is_list { messages::parsed(value) } else { value } {
        Json::Object(fields) => {
            fields
                .into_iter()
                .for_each(|(key, value)| spread(below(&key), value, depth + 1, found));
        }
        Json::Array(list) => {
            for (at, value) in list.into_iter().enumerate() {
                spread(below(&at.to_string()), value, depth + 1, found);
            }
        }
        Json::Null => {}
        Json::String(text) => found.push((name, text)),
        other => found.push((name, other.to_string())),
    }
}

/// An event that does not borrow from the text that it was read from; None for one that says nothing here.
fn own(event: Event<'_>) -> Option<Event<'static>> {
    let text = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    Some(match event {
        Event::Request(words) => Event::Request(text(words)),
        Event::Said(Role::System, _) => return None,
        Event::Said(role, words) => Event::Said(role, text(words)),
        Event::Thought(words) => Event::Thought(text(words)),
        Event::Failed(words) => Event::Failed(text(words)),
        Event::Unknown(kind) => Event::Unknown(text(kind)),
        Event::Called(call) => Event::Called(owned(call)),
        Event::Answered(answer) => Event::Answered(Answer {
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

fn owned(call: super::records::Call<'_>) -> super::records::Call<'static> {
    super::records::Call {
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
