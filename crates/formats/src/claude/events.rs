//! Records that are not messages, but reports of the program itself.

use super::{
    ignored_kinds,
    json::{CountField, QuotedText, list_elements, read_object},
    line::{HEAD_CHARS, LineContent, ProgramNote, PromptResult},
    record::{ClaudeAttachment, ClaudeRecord, ClaudeUsage, CompactMetadata},
    text,
};
use trajview_run::{Role, first_line_label, format_number::with_thousands};

pub fn classify_system(record: &ClaudeRecord<'_>) -> LineContent {
    let content_label = QuotedText::from_raw(record.content)
        .map(QuotedText::label)
        .filter(|content_label| !content_label.is_empty());
    let error = |label: Box<str>| {
        LineContent::Note(ProgramNote { label, role: Role::System, is_error: true, wakes: false })
    };
    match record.subtype.as_str() {
        "compact_boundary" => {
            LineContent::Compaction { label: compaction_label("compacted", record) }
        }
        "microcompact_boundary" => {
            LineContent::Compaction { label: compaction_label("old tool results cleared", record) }
        }
        "init" => LineContent::Init { model: record.model.non_empty_box() },
        "api_error" | "api_retry" => error(first_line_label(&text::api_error_text(record))),
        "stop_hook_summary" if record.prevented_continuation.0 => {
            error("a stop hook prevented the end of the turn".into())
        }
        "stop_hook_summary" if list_elements(record.hook_errors).next().is_some() => {
            error("a stop hook failed".into())
        }
        "local_command" => local_command(record),
        "task_notification" => {
            let label =
                QuotedText::from_raw(record.summary).map(QuotedText::label).unwrap_or_default();
            LineContent::Note(ProgramNote {
                label,
                role: Role::System,
                is_error: false,
                wakes: true,
            })
        }
        subtype if ignored_kinds::IGNORED_SYSTEM_RECORDS.contains(&subtype) => LineContent::Nothing,
        subtype => {
            let is_error = record.level.as_str() == "error"
                || subtype.contains("error")
                || subtype.contains("refusal");
            match content_label {
                Some(label) => LineContent::Note(ProgramNote {
                    label,
                    role: Role::System,
                    is_error,
                    wakes: false,
                }),
                None if is_error => error(first_line_label(subtype)),
                None => {
                    LineContent::Unknown { label: first_line_label(&format!("system/{subtype}")) }
                }
            }
        }
    }
}

/// Classifies the output of a slash command that is a record of its own.
fn local_command(record: &ClaudeRecord<'_>) -> LineContent {
    let Some(quoted) = QuotedText::from_raw(record.content) else { return LineContent::Nothing };
    let head = quoted.first_chars(HEAD_CHARS);
    let shown = text::slash_command(&head).or_else(|| text::program_text(&head)).unwrap_or(head);
    match first_line_label(&shown) {
        label if label.is_empty() => LineContent::Nothing,
        label => LineContent::Note(ProgramNote {
            label,
            role: Role::System,
            is_error: false,
            wakes: false,
        }),
    }
}

fn compaction_label(what: &str, record: &ClaudeRecord<'_>) -> Box<str> {
    let meta: CompactMetadata<'_> =
        read_object(record.compact_metadata.or(record.stream_compact_metadata));
    let first = |a: CountField, b: CountField| a.0.or(b.0);
    let trigger =
        meta.trigger.non_empty().map(|trigger| format!(" ({trigger})")).unwrap_or_default();
    let tokens = match (first(meta.pre, meta.stream_pre), first(meta.post, meta.stream_post)) {
        (Some(pre), Some(post)) => {
            format!(", {} to {} tokens", with_thousands(pre), with_thousands(post))
        }
        (Some(pre), None) => format!(", {} tokens before", with_thousands(pre)),
        _ => String::new(),
    };
    first_line_label(&format!("{what}{trigger}{tokens}"))
}

pub fn classify_attachment(record: &ClaudeRecord<'_>) -> LineContent {
    let attachment: ClaudeAttachment<'_> = read_object(record.attachment);
    let system = |label: Box<str>, is_error| {
        LineContent::Note(ProgramNote { label, role: Role::System, is_error, wakes: false })
    };
    match attachment.kind.as_str() {
        "edited_text_file" | "edited_image_file" => {
            let name =
                QuotedText::from_raw(attachment.filename).map(QuotedText::text).unwrap_or_default();
            system(first_line_label(&format!("{}{name}", text::CHANGED_FILE_START)), false)
        }
        "queued_command" => {
            let words = text::content_text(attachment.prompt);
            let is_notification = attachment.command_mode.as_str() == "task-notification"
                || words.trim_start().starts_with("<task-notification>");
            let shown = text::program_text(&words).unwrap_or(words);
            let role = if is_notification { Role::System } else { Role::User };
            LineContent::Note(ProgramNote {
                label: first_line_label(&shown),
                role,
                is_error: false,
                wakes: false,
            })
        }
        "max_turns_reached" => system("the limit of turns was reached".into(), true),
        kind if ignored_kinds::IGNORED_ATTACHMENTS.contains(&kind) => LineContent::Nothing,
        kind if kind.starts_with("hook_") => {
            let name = attachment.hook_name.as_str();
            system(
                first_line_label(&format!("{} {name}", kind.replace('_', " "))),
                kind.contains("error"),
            )
        }
        kind => LineContent::Unknown { label: first_line_label(&format!("attachment/{kind}")) },
    }
}

pub fn classify_result(record: &ClaudeRecord<'_>) -> LineContent {
    let is_failure = record.is_error.0 || record.subtype.as_str().starts_with("error");
    let result_label = QuotedText::from_raw(record.result)
        .map(QuotedText::label)
        .filter(|result_label| !result_label.is_empty());
    let denials = list_elements(record.permission_denials);
    LineContent::Verdict(Box::new(PromptResult {
        tokens: read_object::<ClaudeUsage<'_>>(record.usage).tokens(),
        total_cost_usd: record.total_cost_usd.0,
        outputs: text::output_of_models(record.model_usage),
        failure: is_failure
            .then(|| result_label.unwrap_or_else(|| first_line_label(record.subtype.as_str()))),
        denials: denials.map(|denial| first_line_label(&text::denial_text(denial))).collect(),
    }))
}
