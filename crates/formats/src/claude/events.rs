//! Records that are not messages: what the program itself has to say.

use super::{
    json::{Count, Quoted, elements, object},
    kinds,
    line::{HEAD_CHARS, Note, Verdict, What},
    record::{Attachment, CompactMetadata, Record, Usage},
    text,
};
use trajview_run::{Role, label};

pub fn system(record: &Record<'_>) -> What {
    let said = Quoted::of(record.content).map(Quoted::label).filter(|said| !said.is_empty());
    let error = |label: Box<str>| {
        What::Note(Note { label, role: Role::System, is_error: true, wakes: false })
    };
    match record.subtype.as_str() {
        "compact_boundary" => What::Compaction { label: compaction_label("compacted", record) },
        "microcompact_boundary" => {
            What::Compaction { label: compaction_label("old tool results cleared", record) }
        }
        "init" => What::Init { model: record.model.boxed() },
        "api_error" | "api_retry" => error(label(&text::api_error(record))),
        "stop_hook_summary" if record.prevented_continuation.0 => {
            error("a stop hook prevented the end of the turn".into())
        }
        "stop_hook_summary" if elements(record.hook_errors).next().is_some() => {
            error("a stop hook failed".into())
        }
        "local_command" => local_command(record),
        "task_notification" => {
            let label = Quoted::of(record.summary).map(Quoted::label).unwrap_or_default();
            What::Note(Note { label, role: Role::System, is_error: false, wakes: true })
        }
        subtype if kinds::SYSTEM.contains(&subtype) => What::Nothing,
        subtype => {
            let is_error = record.level.as_str() == "error"
                || subtype.contains("error")
                || subtype.contains("refusal");
            match said {
                Some(label) => {
                    What::Note(Note { label, role: Role::System, is_error, wakes: false })
                }
                None if is_error => error(label(subtype)),
                None => What::Unknown { label: label(&format!("system/{subtype}")) },
            }
        }
    }
}

/// What a slash command printed, where it is a record of its own.
fn local_command(record: &Record<'_>) -> What {
    let Some(quoted) = Quoted::of(record.content) else { return What::Nothing };
    let head = quoted.head(HEAD_CHARS);
    let shown = text::command(&head).or_else(|| text::aside(&head)).unwrap_or(head);
    match label(&shown) {
        label if label.is_empty() => What::Nothing,
        label => What::Note(Note { label, role: Role::System, is_error: false, wakes: false }),
    }
}

fn compaction_label(what: &str, record: &Record<'_>) -> Box<str> {
    let meta: CompactMetadata<'_> =
        object(record.compact_metadata.or(record.stream_compact_metadata));
    let first = |a: Count, b: Count| a.0.or(b.0);
    let trigger = meta.trigger.filled().map(|trigger| format!(" ({trigger})")).unwrap_or_default();
    let tokens = match (first(meta.pre, meta.stream_pre), first(meta.post, meta.stream_post)) {
        (Some(pre), Some(post)) => format!(", {pre} to {post} tokens"),
        (Some(pre), None) => format!(", {pre} tokens before"),
        _ => String::new(),
    };
    label(&format!("{what}{trigger}{tokens}"))
}

pub fn attachment(record: &Record<'_>) -> What {
    let attachment: Attachment<'_> = object(record.attachment);
    let system = |label: Box<str>, is_error| {
        What::Note(Note { label, role: Role::System, is_error, wakes: false })
    };
    match attachment.kind.as_str() {
        "edited_text_file" | "edited_image_file" => {
            let name = Quoted::of(attachment.filename).map(Quoted::text).unwrap_or_default();
            system(label(&format!("{}{name}", text::CHANGED_SINCE)), false)
        }
        "queued_command" => {
            let words = text::content(attachment.prompt);
            let is_notification = attachment.command_mode.as_str() == "task-notification"
                || words.trim_start().starts_with("<task-notification>");
            let shown = text::aside(&words).unwrap_or(words);
            let role = if is_notification { Role::System } else { Role::User };
            What::Note(Note { label: label(&shown), role, is_error: false, wakes: false })
        }
        "max_turns_reached" => system("the limit of turns was reached".into(), true),
        kind if kinds::ATTACHMENTS.contains(&kind) => What::Nothing,
        kind if kind.starts_with("hook_") => {
            let name = attachment.hook_name.as_str();
            system(label(&format!("{} {name}", kind.replace('_', " "))), kind.contains("error"))
        }
        kind => What::Unknown { label: label(&format!("attachment/{kind}")) },
    }
}

pub fn verdict(record: &Record<'_>) -> What {
    let is_failure = record.is_error.0 || record.subtype.as_str().starts_with("error");
    let told = Quoted::of(record.result).map(Quoted::label).filter(|told| !told.is_empty());
    let denials = elements(record.permission_denials);
    What::Verdict(Box::new(Verdict {
        tokens: object::<Usage<'_>>(record.usage).tokens(),
        total_cost_usd: record.total_cost_usd.0,
        outputs: text::output_of_models(record.model_usage),
        failure: is_failure.then(|| told.unwrap_or_else(|| label(record.subtype.as_str()))),
        denials: denials.map(|denial| label(&text::denial(denial))).collect(),
    }))
}
