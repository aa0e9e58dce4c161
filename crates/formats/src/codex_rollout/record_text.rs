//! Single records read again, when they are shown.

use super::{
    classify::{self, ChangedFileRecord},
    envelope::{self, LineBody, TypedObject, text_parts},
};
use crate::{
    codex::{
        call,
        outcome::{self, CodexOutcome},
    },
    json_object::{self as json, JsonObject},
    tape::{JsonTape, TapeValue},
};
use trajview_code::{
    patch::{self, FilePatch, PatchedFile},
    utf8::lossy_text,
};
use trajview_run::{
    Edit, StepText,
    files::{RecordedChange, RecordedEdit},
    pictures,
};

/// Returns the text of a record: a message, or the arguments of a call.
pub fn step_text(record: &[u8]) -> StepText {
    let record = lossy_text(record);
    let tape = JsonTape::parse(&record);
    let Some(line) = JsonObject::from_tape(&tape) else { return plain_text(record.into_owned()) };
    let found = match &envelope::open_line(line).body {
        LineBody::Compacted(fields) => Some(plain_text(summary_text(fields))),
        LineBody::Response(item) => response_text(item),
        LineBody::Event(event) => event_text(event),
        LineBody::Item(item) => event_text(item),
        LineBody::Other(other) => other_text(other),
        LineBody::Meta(_) | LineBody::Context(_) => None,
    };
    found.unwrap_or_else(|| plain_text(record.into_owned()))
}

fn plain_text(text: String) -> StepText {
    StepText { text, ..StepText::default() }
}

fn arguments_only(arguments: String) -> StepText {
    StepText { arguments: Some(arguments), ..StepText::default() }
}

fn response_text(item: &TypedObject<'_>) -> Option<StepText> {
    let fields = &item.fields;
    match item.kind.as_ref() {
        "message" => {
            Some(plain_text(join_texts(&text_parts(fields, &["content", "message", "text"]), "")))
        }
        "reasoning" => {
            Some(plain_text(join_texts(&text_parts(fields, &["summary", "content"]), "\n\n")))
        }
        "agent_message" => Some(plain_text(outcome::parts_text(&fields.elements_of("content")))),
        "compaction" | "context_compaction" | "compaction_summary" => {
            Some(plain_text(summary_text(fields)))
        }
        "web_search_call" => Some(arguments_only(search_text(fields))),
        "image_generation_call" => {
            Some(arguments_only(fields.text("revised_prompt").unwrap_or_default().into_owned()))
        }
        kind if kind.ends_with("_call") => {
            Some(arguments_only(call::readable_arguments(&classify::arguments_text(fields))))
        }
        _ => None,
    }
}

/// Returns an event or an item.
fn event_text(typed: &TypedObject<'_>) -> Option<StepText> {
    let fields = &typed.fields;
    if let Some(changes) = fields.object("changes") {
        return Some(arguments_only(changes_text(&changes)));
    }
    if let Some(command) = fields.get("command") {
        return Some(arguments_only(call::command_text(command)));
    }
    let invocation = fields.object("invocation");
    let arguments = invocation.as_ref().unwrap_or(fields).get("arguments");
    if let Some(arguments) = arguments {
        return Some(arguments_only(json::readable_value(arguments)));
    }
    if matches!(typed.kind.as_ref(), "web_search_end" | "websearch" | "extension") {
        return Some(arguments_only(search_text(fields)));
    }
    if matches!(typed.kind.as_ref(), "view_image_tool_call" | "imageview") {
        return Some(arguments_only(fields.text("path")?.into_owned()));
    }
    let reviewed = fields.object("review_output").or(fields.object("reviewOutput"));
    if let Some(review) = reviewed {
        return Some(plain_text(review_text(&review)));
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
    let text = keys.iter().map(|key| join_texts(&text_parts(fields, &[key]), "\n\n"));
    let error = || fields.object("error").and_then(|error| error.text("message").map(Into::into));
    text.into_iter().find(|text| !text.is_empty()).or_else(error).map(plain_text)
}

fn other_text(other: &TypedObject<'_>) -> Option<StepText> {
    let error =
        other.fields.object("error").and_then(|error| Some(error.text("message")?.into_owned()));
    let text = join_texts(&text_parts(&other.fields, &["content", "message"]), "");
    error.or((!text.is_empty()).then_some(text)).map(plain_text)
}

fn join_texts(parts: &[TapeValue<'_>], between: &str) -> String {
    let texts: Vec<_> = parts.iter().filter_map(|part| json::string_text(*part)).collect();
    texts.join(between)
}

/// Returns the summary that replaced the context.
fn summary_text(fields: &JsonObject<'_>) -> String {
    if let Some(message) = fields.text("message").filter(|message| !message.is_empty()) {
        return message.into_owned();
    }
    let history =
        fields.elements_of("replacement_history").into_iter().filter_map(JsonObject::from_value);
    let kept: Vec<String> = history
        .map(|item| {
            let role = item.text("role").unwrap_or_default();
            format!("{role}: {}", join_texts(&text_parts(&item, &["content"]), ""))
        })
        .collect();
    kept.join("\n\n")
}

fn search_text(fields: &JsonObject<'_>) -> String {
    let action = fields.get("action").or(fields.get("query"));
    action.map(json::readable_value).unwrap_or_default()
}

fn review_text(review: &JsonObject<'_>) -> String {
    let mut text = review.text("overall_explanation").unwrap_or_default().into_owned();
    for finding in review.elements_of("findings").into_iter().filter_map(JsonObject::from_value) {
        let part = |key| finding.text(key).unwrap_or_default();
        text.push_str(&format!("\n\n{}\n{}", part("title"), part("body")));
    }
    text
}

fn changes_text(changes: &JsonObject<'_>) -> String {
    let mut text = String::new();
    for (path, change) in changes.fields() {
        let change = ChangedFileRecord::from_value(change);
        let to = change.fields.text("move_path").map(|to| format!(" -> {to}")).unwrap_or_default();
        let body = change.fields.first_text(&["unified_diff", "content"]).unwrap_or_default();
        text.push_str(&format!("{} {path}{to}\n{body}\n", change.kind));
    }
    text
}

/// The part of a request's place that refers to the context around its text.
pub const CONTEXT_PART: u32 = 1;

/// Returns the whole text of a request.
pub fn request_text(record: &[u8]) -> String {
    match split_request_record(record) {
        Some(request) if !request.texts.is_empty() && !request.context.is_empty() => {
            request.texts.join("\n")
        }
        _ => step_text(record).text,
    }
}

/// Returns the context that an editor or Codex put around a request.
pub fn added_text(record: &[u8]) -> String {
    split_request_record(record).unwrap_or_default().context.join("\n\n")
}

fn split_request_record(record: &[u8]) -> Option<classify::RequestParts> {
    let record = lossy_text(record);
    let tape = JsonTape::parse(&record);
    let line = JsonObject::from_tape(&tape)?;
    let opened = envelope::open_line(line);
    let (LineBody::Response(item) | LineBody::Event(item) | LineBody::Item(item)) = &opened.body
    else {
        return None;
    };
    Some(classify::split_request(&text_parts(&item.fields, &["content", "message", "text"])))
}

/// Returns the text of an observation.
pub fn result_text(record: &[u8]) -> String {
    let record = lossy_text(record);
    let tape = JsonTape::parse(&record);
    let Some(line) = JsonObject::from_tape(&tape) else { return String::new() };
    match &envelope::open_line(line).body {
        LineBody::Response(item) | LineBody::Event(item) | LineBody::Item(item)
            if makes_image(item) =>
        {
            image_placeholder(&item.fields).unwrap_or_default()
        }
        LineBody::Response(item) if item.kind.ends_with("_call") => String::new(),
        LineBody::Response(item) => classify::observation_field(&item.fields)
            .map(|raw| CodexOutcome::from_output(raw).text)
            .unwrap_or_default(),
        LineBody::Event(typed) | LineBody::Item(typed) => {
            classify::finished_call_outcome(&typed.fields).text
        }
        LineBody::Meta(_) | LineBody::Context(_) | LineBody::Compacted(_) | LineBody::Other(_) => {
            String::new()
        }
    }
}

fn makes_image(item: &TypedObject<'_>) -> bool {
    matches!(
        item.kind.as_ref(),
        "image_generation_call" | "image_generation_end" | "imagegeneration"
    )
}

/// Returns the placeholder of an image that was made; None where nothing of it is recorded.
fn image_placeholder(fields: &JsonObject<'_>) -> Option<String> {
    let data = fields.text("result").filter(|data| !data.is_empty())?;
    Some(format!("[image: {}]", pictures::describe_image("image/png", &data)))
}

/// Returns the body of an edit: of a patch record, or of the call that carried the patch.
pub fn recorded_edit(record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
    let record = lossy_text(record);
    let part = usize::try_from(edit.place.part).ok()?;
    let tape = JsonTape::parse(&record);
    match &envelope::open_line(JsonObject::from_tape(&tape)?).body {
        LineBody::Response(item) => {
            let files = patch::patches_in_call(&classify::arguments_text(&item.fields));
            files.into_iter().nth(part).map(edit_of_patch)
        }
        LineBody::Event(typed) | LineBody::Item(typed) => {
            let changes = typed.fields.object("changes")?;
            changes
                .fields()
                .nth(part)
                .map(|(_, change)| edit_of_record(&ChangedFileRecord::from_value(change)))
        }
        LineBody::Meta(_) | LineBody::Context(_) | LineBody::Compacted(_) | LineBody::Other(_) => {
            None
        }
    }
}

fn edit_of_patch(file: FilePatch) -> RecordedEdit {
    let change = match file.change {
        PatchedFile::Add(content) => RecordedChange::Write(content),
        PatchedFile::Update(hunks) => RecordedChange::Patch(hunks),
        PatchedFile::Delete => RecordedChange::Delete,
    };
    RecordedEdit { before: None, change }
}

fn edit_of_record(file: &ChangedFileRecord<'_>) -> RecordedEdit {
    let content = file.fields.text("content").map(|content| content.into_owned());
    match file.kind.as_ref() {
        "add" => RecordedEdit {
            before: None,
            change: content.map_or(RecordedChange::NotRecorded, RecordedChange::Write),
        },
        "delete" => RecordedEdit { before: content, change: RecordedChange::Delete },
        _ => {
            let diff = file.fields.text("unified_diff");
            let hunks = diff.as_deref().map(patch::parse_unified).unwrap_or_default();
            let is_told = !hunks.is_empty() || diff.is_some_and(|diff| diff.is_empty());
            let change =
                if is_told { RecordedChange::Patch(hunks) } else { RecordedChange::NotRecorded };
            RecordedEdit { before: None, change }
        }
    }
}
