//! Spans of the OpenTelemetry conventions for generative AI: OTLP JSON (`resourceSpans`), and databases of such spans, put
//! into lines of one span each where they are opened. A `chat` span tells what the model answered, an `execute_tool` span
//! what a call came to, an `invoke_agent` span what was asked.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::{self, Object},
    peek,
    records::{Answer, Entry, Event, Record, Records, arguments},
    tape::{Tape, Value},
};
use crate::run::{Role, Time, Tokens};

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
        let has_spans = |object: &Object<'_>| {
            let attributes = object.object("attributes").into_iter().flat_map(|all| all.fields());
            object.has("resourceSpans")
                || attributes.into_iter().any(|(key, _)| key.starts_with("gen_ai."))
        };
        peek::any(head, &["gen_ai."], has_spans)
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(fields) = Object::of(value) else { return value.elements().collect() };
        if !fields.has("resourceSpans") {
            return vec![value];
        }
        let scopes = fields.array("resourceSpans").into_iter().filter_map(Object::of);
        let scopes = scopes.flat_map(|resource| {
            [resource.array("scopeSpans"), resource.array("instrumentationLibrarySpans")].concat()
        });
        scopes.filter_map(Object::of).flat_map(|scope| scope.array("spans")).collect()
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let span = Span { fields: Object::of(record).unwrap_or_default() };
        let mut made = Record {
            time: span.time(&["start_time_ms", "startTimeUnixNano", "start_time"]),
            id: span.fields.text_of(&["span_id", "spanId"]),
            parent: span
                .fields
                .text_of(&["parent_span_id", "parentSpanId"])
                .filter(|id| !id.is_empty()),
            ..Record::default()
        };
        match &*span.text("gen_ai.operation.name").unwrap_or_default() {
            "chat" | "text_completion" | "generate_content" => span.chat(&mut made),
            "execute_tool" => span.tool(&mut made),
            "invoke_agent" | "create_agent" => span.agent(&mut made),
            // Spans of anything else are beside what an agent does.
            _ => {}
        }
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

struct Span<'t> {
    fields: Object<'t>,
}

impl<'t> Span<'t> {
    /// An attribute, in an object by its name or in OTLP's list of keys and values.
    fn attribute(&self, key: &str) -> Option<Value<'t>> {
        let all = self.fields.get("attributes")?;
        if let Some(all) = Object::of(all) {
            return all.get(key);
        }
        let mut pairs = all.elements().filter_map(Object::of);
        let value = pairs.find(|pair| pair.text("key").as_deref() == Some(key))?.get("value")?;
        let mut inner = Object::of(value)?.fields();
        inner.next().map(|(_, value)| value)
    }

    fn text(&self, key: &str) -> Option<Cow<'t, str>> {
        object::text(self.attribute(key)?)
    }

    fn number(&self, key: &str) -> Option<u64> {
        let value = self.attribute(key)?;
        object::text(value).map_or_else(|| value.get().parse().ok(), |text| text.parse().ok())
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
        made.facts.model =
            self.text("gen_ai.response.model").or_else(|| self.text("gen_ai.request.model"));
        made.facts.id = self.text("gen_ai.conversation.id");
        made.tokens = Tokens {
            input: self.number("gen_ai.usage.input_tokens"),
            cached_input: self.number("gen_ai.usage.cache_read.input_tokens"),
            output: self.number("gen_ai.usage.output_tokens"),
            reasoning: self.number("gen_ai.usage.reasoning.output_tokens"),
            ..Tokens::default()
        };
        if let Some(asked) = self.text("gen_ai.input.messages").and_then(|text| last_request(&text))
        {
            made.says(Event::Request(asked.into()));
        }
        let answers = self.text("gen_ai.output.messages").unwrap_or_default();
        let tape = Tape::read(&answers);
        let messages = tape.as_ref().map(Tape::root).into_iter().flat_map(Value::elements);
        for part in messages
            .filter_map(Object::of)
            .flat_map(|message| message.array("parts"))
            .filter_map(Object::of)
        {
            let words =
                || Cow::Owned(part.text_of(&["content", "text"]).unwrap_or_default().into_owned());
            match &*part.text("type").unwrap_or_default() {
                "text" => made.says_words(|text| Event::Said(Role::Assistant, text), words()),
                "reasoning" => made.says_words(Event::Thought, words()),
                "tool_call" => made.says(Event::Called(owned(chat::called(&part)))),
                kind => made.says(Event::Unknown(Cow::Owned(kind.to_owned()))),
            }
        }
        if let Some(error) = self.text("error.type") {
            made.says(Event::Failed(error));
        }
    }

    /// The call stands in the answer of the chat before; where it does not, here.
    fn tool(&self, made: &mut Record<'t>) {
        let text = self.text("gen_ai.tool.call.result").unwrap_or_default();
        let failed = self.text("error.type").is_some()
            || self.fields.object("status").is_some_and(|it| it.number("code") == Some(2));
        let failed = failed || self.fields.number("status_code") == Some(2);
        let id = self.text("gen_ai.tool.call.id");
        let mut call = arguments::call(
            self.text("gen_ai.tool.name").unwrap_or_default(),
            id,
            self.attribute("gen_ai.tool.call.arguments"),
        );
        let ended_at = self.time(&["end_time_ms", "endTimeUnixNano", "end_time"]);
        call.answer = Some(Answer {
            exit_code: chat::exit_code(&text),
            text,
            is_error: failed,
            ended_at,
            ..Answer::default()
        });
        made.says(Event::Called(call));
    }

    fn agent(&self, made: &mut Record<'t>) {
        made.facts.agent = self.text("gen_ai.agent.name");
        made.facts.id = self.text("gen_ai.conversation.id");
        let typed = self.text("copilot_chat.user_request");
        let asked = typed
            .map(Cow::into_owned)
            .or_else(|| last_request(&self.text("gen_ai.input.messages")?));
        if let Some(asked) = asked {
            made.says(Event::Request(asked.into()));
        }
    }
}

/// The words of the last message, where a person asked it.
fn last_request(messages: &str) -> Option<String> {
    let tape = Tape::read(messages)?;
    let last = tape.root().elements().filter_map(Object::of).last()?;
    if last.text("role").as_deref() != Some("user") {
        return None;
    }
    let parts = last.array("parts").into_iter().filter_map(Object::of);
    let texts: Vec<String> =
        parts.filter_map(|part| Some(part.text_of(&["content", "text"])?.into_owned())).collect();
    let whole = texts.join("\n");
    let asked =
        whole.split_once("<userRequest>").and_then(|(_, rest)| rest.split_once("</userRequest>"));
    let asked = asked.map_or(whole.as_str(), |(asked, _)| asked).trim().to_owned();
    (!asked.is_empty()).then_some(asked)
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
