//! Sessions that git-ai's notes tell of (Git AI Standard 3.0.0): the commits of each in their order, the lines that the
//! notes attribute to it, and, where the notes are of versions before 1.3.4, the messages.

pub mod notes;

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{LogRecord, RecordEvent, RecordFormat, RecordedCall},
    tape::TapeValue,
};
use trajview_run::Role;

pub struct GitAi;

impl RecordFormat for GitAi {
    fn name(&self) -> &'static str {
        "git-ai"
    }

    fn short_description(&self) -> &'static str {
        "a session of git-ai, refs/notes/ai of a repository; the files are those of its commits"
    }

    fn sample_path(&self) -> &'static str {
        "logs/git-ai.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Commits).with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let start = head.bytes.trim_ascii_start();
        start.starts_with(b"{")
            && head_json::any_object(head, &["\"git_ai\"", "\"commits\""], |object| {
                object.object("git_ai").is_some_and(|agent| agent.has_field("tool"))
            })
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let document = JsonObject::from_value(document).unwrap_or_default();
        let agent = document.object("git_ai").unwrap_or_default();
        record.facts.id = document.text("id");
        record.facts.agent = agent.text("tool");
        record.facts.model = agent.text("model").filter(|model| model != "unknown");
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        JsonObject::from_value(value)
            .map(|document| document.elements_of("commits"))
            .unwrap_or_default()
    }

    /// Returns one commit and what led to it.
    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made =
            LogRecord { time: chat::first_time(&fields, &["time"]), ..LogRecord::default() };
        let messages =
            fields.elements_of("messages").into_iter().filter_map(JsonObject::from_value);
        made.events.extend(messages.map(|message| message_event(&message)));
        let is_asked = made.events.iter().any(|event| matches!(event, RecordEvent::Request(_)));
        if !is_asked {
            // A turn whose request nobody wrote down.
            made.events.insert(0, RecordEvent::Request("".into()));
        }
        let commit = fields.text("commit").unwrap_or_default();
        let lines =
            fields.elements_of("lines").into_iter().filter_map(super::json_object::string_text);
        let lines: String = lines.map(|line| format!("\n{line}")).collect();
        let subject = fields.text("subject").unwrap_or_default();
        let short = commit.get(..10).unwrap_or(&commit);
        let commit_label = format!("commit {short} {subject}{lines}");
        made.push_event(RecordEvent::Message(Role::System, commit_label.into()));
        made.push_event(RecordEvent::Commit(commit));
        made
    }
}

fn message_event<'t>(message: &JsonObject<'t>) -> RecordEvent<'t> {
    let text = message.text("text").unwrap_or_default();
    match &*message.text("type").unwrap_or_default() {
        "user" => RecordEvent::Request(text),
        "assistant" => RecordEvent::Message(Role::Assistant, text),
        "thinking" | "plan" => RecordEvent::Thought(text),
        "tool_use" => {
            let arguments = message.get("input").map_or("", |input| input.get());
            let name = message.text("name").unwrap_or_default();
            RecordEvent::Call(RecordedCall {
                name,
                arguments: Cow::Borrowed(arguments),
                ..RecordedCall::default()
            })
        }
        kind => RecordEvent::unknown_kind(kind.to_owned(), "message without a type"),
    }
}
