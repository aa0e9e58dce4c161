//! Grok's sessions: `chat_history.jsonl`, a message a line without times, and `summary.json` beside it.

use std::{borrow::Cow, collections::HashSet};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    companions::BelongsTo,
    object::Object,
    peek,
    records::{Answer, Call, Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct Grok;

impl Records for Grok {
    fn name(&self) -> &'static str {
        "grok"
    }

    fn about(&self) -> &'static str {
        "Grok session, chat_history.jsonl with summary.json; without times of steps"
    }

    fn sample(&self) -> &'static str {
        "logs/grok/chat_history.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text)
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_record = |object: &Object<'_>| match object.text("type").as_deref() {
            Some("user") => object.has("prompt_index") || object.has("synthetic_reason"),
            Some("assistant") => object.has("model_id"),
            Some("backend_tool_call") => object.has("kind"),
            _ => false,
        };
        peek::any(head, &["\"type\""], is_record)
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        let is_summary = other.name == "summary.json"
            && peek::any(other, &["\"session_summary\""], |object| object.has("info"));
        if is_summary {
            BelongsTo::Named(vec!["chat_history.jsonl".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("grok"));
        let Some(info) = fields.object("info") else { return record };
        record.facts.id = info.text("id");
        record.facts.root = info.text("cwd");
        record.facts.title = fields.text_of(&["generated_title", "session_summary"]);
        record.facts.model = fields.text("current_model_id");
        record.time = chat::time_of(&fields, &["created_at"]);
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let is_summary =
            Object::of(value).is_some_and(|fields| fields.has("info") && !fields.has("type"));
        if is_summary { vec![] } else { vec![value] }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = Record::default();
        let content = arguments::words_of(&fields, "content");
        let kind = fields.text("type").unwrap_or_default();
        match &*kind {
            "system" => made.says(Event::Said(Role::System, content)),
            "user" if fields.has("synthetic_reason") => {
                made.says(Event::Said(Role::System, content))
            }
            "user" => made.says(Event::Request(content)),
            "reasoning" => made.says_words(Event::Thought, arguments::words_of(&fields, "summary")),
            "assistant" => {
                made.facts.model = fields.text("model_id");
                made.says_words(|text| Event::Said(Role::Assistant, text), content);
                for call in fields.array("tool_calls").into_iter().filter_map(Object::of) {
                    made.says(Event::Called(chat::called(&call)));
                }
            }
            "tool_result" => made.says(Event::Answered(Answer {
                call: fields.text("tool_call_id").unwrap_or_default(),
                exit_code: chat::exit_code(&content),
                text: content,
                ..Answer::default()
            })),
            "backend_tool_call" => {
                let kind = fields.object("kind").unwrap_or_default();
                let action = kind.get("action").or_else(|| fields.get("kind"));
                let call = arguments::call(
                    kind.text("tool_type").unwrap_or_default(),
                    kind.text("id"),
                    action,
                );
                made.says(Event::Called(Call { answer: Some(Answer::default()), ..call }));
            }
            _ => made.says(Event::unknown(kind, "record without a type")),
        }
        made
    }
}
