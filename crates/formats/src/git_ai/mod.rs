//! Sessions that git-ai's notes tell of (Git AI Standard 3.0.0): the commits of each in their order, the lines that the notes
//! attribute to it, and, where the notes are of versions before 1.3.4, what was said.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Call, Event, Record, Records},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct GitAi;

impl Records for GitAi {
    fn name(&self) -> &'static str {
        "git-ai"
    }

    fn about(&self) -> &'static str {
        "a session of git-ai, refs/notes/ai of a repository; the files are those of its commits"
    }

    fn sample(&self) -> &'static str {
        "logs/git-ai.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Commits).times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let start = head.bytes.trim_ascii_start();
        start.starts_with(b"{")
            && peek::any(head, &["\"git_ai\"", "\"commits\""], |object| {
                object.object("git_ai").is_some_and(|agent| agent.has("tool"))
            })
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let document = Object::of(document).unwrap_or_default();
        let agent = document.object("git_ai").unwrap_or_default();
        record.facts.id = document.text("id");
        record.facts.agent = agent.text("tool");
        record.facts.model = agent.text("model").filter(|model| model != "unknown");
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        Object::of(value).map(|document| document.array("commits")).unwrap_or_default()
    }

    /// One commit and what led to it.
    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = Record { time: chat::time_of(&fields, &["time"]), ..Record::default() };
        let messages = fields.array("messages").into_iter().filter_map(Object::of);
        made.events.extend(messages.map(|message| said(&message)));
        let is_asked = made.events.iter().any(|event| matches!(event, Event::Request(_)));
        if !is_asked {
            // A turn of which nobody wrote down what was asked for.
            made.events.insert(0, Event::Request("".into()));
        }
        let commit = fields.text("commit").unwrap_or_default();
        let lines = fields.array("lines").into_iter().filter_map(super::object::text);
        let lines: String = lines.map(|line| format!("\n{line}")).collect();
        let subject = fields.text("subject").unwrap_or_default();
        let short = commit.get(..10).unwrap_or(&commit);
        let told = format!("commit {short} {subject}{lines}");
        made.says(Event::Said(Role::System, told.into()));
        made.says(Event::Commit(commit));
        made
    }
}

fn said<'t>(message: &Object<'t>) -> Event<'t> {
    let text = message.text("text").unwrap_or_default();
    match &*message.text("type").unwrap_or_default() {
        "user" => Event::Request(text),
        "assistant" => Event::Said(Role::Assistant, text),
        "thinking" | "plan" => Event::Thought(text),
        "tool_use" => {
            let arguments = message.get("input").map_or("", |input| input.get());
            let name = message.text("name").unwrap_or_default();
            Event::Called(Call { name, arguments: Cow::Borrowed(arguments), ..Call::default() })
        }
        kind => Event::unknown(kind.to_owned(), "message without a type"),
    }
}
