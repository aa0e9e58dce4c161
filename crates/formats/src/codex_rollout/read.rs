//! Single records read again, when they are shown.

use super::{
    classify::{self, FileRecord},
    envelope::{self, Body, Typed, text_parts},
};
use crate::{
    codex::{
        call,
        outcome::{self, Outcome},
    },
    object::{self as json, Object},
    tape::{Tape, Value},
};
use trajview_code::{
    patch::{self, FileChange, FilePatch},
    utf8::readable,
};
use trajview_run::{
    Edit, StepText,
    files::{RecordedChange, RecordedEdit},
    pictures,
};

/// The words of the record: what was said, or the arguments of a call.
pub fn words(record: &[u8]) -> StepText {
    let record = readable(record);
    let tape = Tape::read(&record);
    let Some(line) = Object::on(&tape) else { return said(record.into_owned()) };
    let found = match &envelope::open(line).body {
        Body::Compacted(fields) => Some(said(summary(fields))),
        Body::Response(item) => of_response(item),
        Body::Event(event) => of_told(event),
        Body::Item(item) => of_told(item),
        Body::Other(other) => of_other(other),
        Body::Meta(_) | Body::Context(_) => None,
    };
    found.unwrap_or_else(|| said(record.into_owned()))
}

fn said(text: String) -> StepText {
    StepText { text, ..StepText::default() }
}

fn asked(arguments: String) -> StepText {
    StepText { arguments: Some(arguments), ..StepText::default() }
}

fn of_response(item: &Typed<'_>) -> Option<StepText> {
    let fields = &item.fields;
    match item.kind.as_ref() {
        "message" => Some(said(joined(&text_parts(fields, &["content", "message", "text"]), ""))),
        "reasoning" => Some(said(joined(&text_parts(fields, &["summary", "content"]), "\n\n"))),
        "agent_message" => Some(said(outcome::texts(&fields.array("content")))),
        "compaction" | "context_compaction" | "compaction_summary" => Some(said(summary(fields))),
        "web_search_call" => Some(asked(search(fields))),
        "image_generation_call" => {
            Some(asked(fields.text("revised_prompt").unwrap_or_default().into_owned()))
        }
        kind if kind.ends_with("_call") => {
            Some(asked(call::readable(&classify::arguments(fields))))
        }
        _ => None,
    }
}

/// An event or an item.
fn of_told(told: &Typed<'_>) -> Option<StepText> {
    let fields = &told.fields;
    if let Some(changes) = fields.object("changes") {
        return Some(asked(changes_text(&changes)));
    }
    if let Some(command) = fields.get("command") {
        return Some(asked(call::command_of(command)));
    }
    let invocation = fields.object("invocation");
    let arguments = invocation.as_ref().unwrap_or(fields).get("arguments");
    if let Some(arguments) = arguments {
        return Some(asked(json::pretty(arguments)));
    }
    if matches!(told.kind.as_ref(), "web_search_end" | "websearch" | "extension") {
        return Some(asked(search(fields)));
    }
    if matches!(told.kind.as_ref(), "view_image_tool_call" | "imageview") {
        return Some(asked(fields.text("path")?.into_owned()));
    }
    let reviewed = fields.object("review_output").or(fields.object("reviewOutput"));
    if let Some(review) = reviewed {
        return Some(said(review_text(&review)));
    }
    let keys = [
        "message",
        "content",
        "text",
        "summary_text",
        "raw_content",
        "user_facing_hint",
        "prompt",
        "review",
        "reason",
        "revised_prompt",
        "agent_path",
    ];
    let text = keys.iter().map(|key| joined(&text_parts(fields, &[key]), "\n\n"));
    let error = || fields.object("error").and_then(|error| error.text("message").map(Into::into));
    text.into_iter().find(|text| !text.is_empty()).or_else(error).map(said)
}

fn of_other(other: &Typed<'_>) -> Option<StepText> {
    let error =
        other.fields.object("error").and_then(|error| Some(error.text("message")?.into_owned()));
    let text = joined(&text_parts(&other.fields, &["content", "message"]), "");
    error.or((!text.is_empty()).then_some(text)).map(said)
}

fn joined(parts: &[Value<'_>], between: &str) -> String {
    let texts: Vec<_> = parts.iter().filter_map(|part| json::text(*part)).collect();
    texts.join(between)
}

/// What the context was replaced by.
fn summary(fields: &Object<'_>) -> String {
    if let Some(message) = fields.text("message").filter(|message| !message.is_empty()) {
        return message.into_owned();
    }
    let history = fields.array("replacement_history").into_iter().filter_map(Object::of);
    let kept: Vec<String> = history
        .map(|item| {
            let role = item.text("role").unwrap_or_default();
            format!("{role}: {}", joined(&text_parts(&item, &["content"]), ""))
        })
        .collect();
    kept.join("\n\n")
}

fn search(fields: &Object<'_>) -> String {
    let action = fields.get("action").or(fields.get("query"));
    action.map(json::pretty).unwrap_or_default()
}

fn review_text(review: &Object<'_>) -> String {
    let mut text = review.text("overall_explanation").unwrap_or_default().into_owned();
    for finding in review.array("findings").into_iter().filter_map(Object::of) {
        let part = |key| finding.text(key).unwrap_or_default();
        text.push_str(&format!("\n\n{}\n{}", part("title"), part("body")));
    }
    text
}

fn changes_text(changes: &Object<'_>) -> String {
    let mut text = String::new();
    for (path, change) in changes.fields() {
        let change = FileRecord::read(change);
        let to = change.fields.text("move_path").map(|to| format!(" -> {to}")).unwrap_or_default();
        let body = change.fields.text_of(&["unified_diff", "content"]).unwrap_or_default();
        text.push_str(&format!("{} {path}{to}\n{body}\n", change.kind));
    }
    text
}

/// The part of a request's place under which what stands around its words is found.
pub const AROUND: u32 = 1;

/// The whole text of a request.
pub fn request(record: &[u8]) -> String {
    match taken_apart(record) {
        Some(asked) if !asked.words.is_empty() && !asked.around.is_empty() => {
            asked.words.join("\n")
        }
        _ => words(record).text,
    }
}

/// What an editor or Codex put around the words of a request.
pub fn added(record: &[u8]) -> String {
    taken_apart(record).unwrap_or_default().around.join("\n\n")
}

fn taken_apart(record: &[u8]) -> Option<classify::Asked> {
    let record = readable(record);
    let tape = Tape::read(&record);
    let line = Object::on(&tape)?;
    let opened = envelope::open(line);
    let (Body::Response(item) | Body::Event(item) | Body::Item(item)) = &opened.body else {
        return None;
    };
    Some(classify::request_of(&text_parts(&item.fields, &["content", "message", "text"])))
}

/// The text of an observation.
pub fn result(record: &[u8]) -> String {
    let record = readable(record);
    let tape = Tape::read(&record);
    let Some(line) = Object::on(&tape) else { return String::new() };
    match &envelope::open(line).body {
        Body::Response(item) | Body::Event(item) | Body::Item(item) if makes_image(item) => {
            image(&item.fields).unwrap_or_default()
        }
        Body::Response(item) if item.kind.ends_with("_call") => String::new(),
        Body::Response(item) => {
            classify::observation(&item.fields).map(|raw| Outcome::of(raw).text).unwrap_or_default()
        }
        Body::Event(told) | Body::Item(told) => classify::outcome_of(&told.fields).text,
        Body::Meta(_) | Body::Context(_) | Body::Compacted(_) | Body::Other(_) => String::new(),
    }
}

fn makes_image(item: &Typed<'_>) -> bool {
    matches!(
        item.kind.as_ref(),
        "image_generation_call" | "image_generation_end" | "imagegeneration"
    )
}

/// What stands for the image that was made; None where nothing of it is recorded.
fn image(fields: &Object<'_>) -> Option<String> {
    let data = fields.text("result").filter(|data| !data.is_empty())?;
    Some(format!("[image: {}]", pictures::said("image/png", &data)))
}

/// The body of an edit: of a patch record, or of the call that carried the patch.
pub fn edit(record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
    let record = readable(record);
    let part = usize::try_from(edit.place.part).ok()?;
    let tape = Tape::read(&record);
    match &envelope::open(Object::on(&tape)?).body {
        Body::Response(item) => {
            let files = patch::in_call(&classify::arguments(&item.fields));
            files.into_iter().nth(part).map(planned)
        }
        Body::Event(told) | Body::Item(told) => {
            let changes = told.fields.object("changes")?;
            changes.fields().nth(part).map(|(_, change)| recorded(&FileRecord::read(change)))
        }
        Body::Meta(_) | Body::Context(_) | Body::Compacted(_) | Body::Other(_) => None,
    }
}

fn planned(file: FilePatch) -> RecordedEdit {
    let change = match file.change {
        FileChange::Add(content) => RecordedChange::Write(content),
        FileChange::Update(hunks) => RecordedChange::Patch(hunks),
        FileChange::Delete => RecordedChange::Delete,
    };
    RecordedEdit { before: None, change }
}

fn recorded(file: &FileRecord<'_>) -> RecordedEdit {
    let content = file.fields.text("content").map(|content| content.into_owned());
    match file.kind.as_ref() {
        "add" => RecordedEdit {
            before: None,
            change: content.map_or(RecordedChange::NotRecorded, RecordedChange::Write),
        },
        "delete" => RecordedEdit { before: content, change: RecordedChange::Delete },
        _ => {
            let diff = file.fields.text("unified_diff");
            let hunks = diff.as_deref().map(patch::unified).unwrap_or_default();
            let is_told = !hunks.is_empty() || diff.is_some_and(|diff| diff.is_empty());
            let change =
                if is_told { RecordedChange::Patch(hunks) } else { RecordedChange::NotRecorded };
            RecordedEdit { before: None, change }
        }
    }
}
