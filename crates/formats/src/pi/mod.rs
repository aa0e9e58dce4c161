//! Pi's sessions: `~/.pi/agent/sessions/**/*.jsonl`. Version 1 is a line of messages, from 2 on entries form a tree by
//! `parentId`, of which the branch that was gone on with last is the run.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Entry, Event, Record, Records, order},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct Pi;

impl Records for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn about(&self) -> &'static str {
        "Pi session (versions 1 to 3), ~/.pi/agent/sessions/**/*.jsonl"
    }

    fn sample(&self) -> &'static str {
        "logs/pi.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().cost().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"session\"", "\"cwd\""], |object| {
            object.text("type").as_deref() == Some("session")
                && object.has("id")
                && object.has("cwd")
        })
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let kind = fields.text("type").unwrap_or_default();
        let is_session = kind == "session";
        let mut made = Record::default();
        match &*kind {
            "session" => {
                made.facts.agent = Some(Cow::Borrowed("pi"));
                made.facts.id = fields.text("id");
                made.facts.root = fields.text("cwd");
                made.facts.model = fields.text("modelId");
            }
            "message" => made = message(&fields.object("message").unwrap_or_default()),
            "model_change" => made.facts.model = fields.text("modelId"),
            "compaction" | "branch_summary" => {
                made.says(Event::Compacted(fields.text("summary").unwrap_or_default()))
            }
            "custom_message" => {
                let text = super::records::arguments::words_of(&fields, "content");
                made.says_words(|text| Event::Said(Role::System, text), text);
            }
            "session_info" => made.facts.title = fields.text("name"),
            "thinking_level_change" | "custom" | "label" | "active_tools_change" => {}
            _ => made.says(Event::unknown(kind, "entry without a type")),
        }
        made.time = chat::time_of(&fields, &["timestamp"]).or(made.time);
        if !is_session {
            made.id = fields.text("id");
            made.parent = order::parent_in(&fields, "parentId");
        }
        made
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        order::live_branch(entries);
    }
}

fn message<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = match &*fields.text("role").unwrap_or_default() {
        "bashExecution" => {
            let command = fields.text("command").unwrap_or_default();
            Record::of(Event::Said(
                Role::User,
                format!("! {command}\n{}", fields.text("output").unwrap_or_default()).into(),
            ))
        }
        "compactionSummary" | "branchSummary" => {
            Record::of(Event::Compacted(fields.text("summary").unwrap_or_default()))
        }
        _ => chat::message(fields),
    };
    made.time = chat::time_of(fields, &["timestamp"]);
    if fields.text("stopReason").as_deref() == Some("error") {
        made.says_words(Event::Failed, fields.text("errorMessage").unwrap_or_default());
    }
    if let Some(usage) = fields.object("usage") {
        made.tokens = chat::usage(&usage);
        made.cost_usd = usage.object("cost").and_then(|cost| cost.amount("total"));
    }
    if fields.text("role").as_deref() == Some("assistant") {
        made.facts.model = fields.text("model");
    }
    made
}
