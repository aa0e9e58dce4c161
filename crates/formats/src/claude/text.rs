//! Reads the text of records, which is shown when somebody opens a step.

use super::{
    json::{
        CountField, QuotedText, RawField, TextField, indented_json, list_elements, read_field,
        read_object,
    },
    record::{
        ClaudeAttachment, ClaudeMessage, ClaudeRecord, ContentBlock, TextSwap, ToolInput,
        ToolResultFields, content_blocks, string_or_empty,
    },
};
use crate::{
    tape::{JsonTape, TapeValue},
    wrapped_text::{self, WrappedText},
};
use trajview_run::{Step, StepText, ToolResult, pictures};

pub use trajview_code::utf8::lossy_text;

/// The beginning of the summary of a compacted context, where no flag marks it.
pub const CONTINUATION_START: &str = "This session is being continued from a previous conversation";

/// The text in place of thinking that the recording does not contain.
pub const UNRECORDED_THINKING: &str = "(thinking, words not recorded)";

/// The beginning of the label of a file that changed after the agent read it: by a person, a formatter or a shell command.
pub const CHANGED_FILE_START: &str = "changed since the agent read it: ";

/// Tags around words that the program wrote or a person gave to the shell, not to the model.
const PROGRAM_TAGS: &[&str] = &[
    "bash-input",
    "bash-stderr",
    "bash-stdout",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "system-reminder",
    "task-notification",
    "teammate-message",
    "user-memory-input",
];

/// Returns the tag of [`PROGRAM_TAGS`] that a message starts with.
pub fn program_tag(head: &str) -> Option<&'static str> {
    let rest = head.trim_start().strip_prefix('<')?;
    PROGRAM_TAGS
        .iter()
        .copied()
        .find(|tag| rest.strip_prefix(tag).is_some_and(|rest| rest.starts_with(['>', ' '])))
}

/// The part of a request's place that refers to the blocks around its text.
pub const WRAPPER_PART: u32 = 1;

/// Returns a text of a user message without the blocks that an editor, a hook or the program put around the person's
/// own words.
pub fn split_wrappers(text: &str) -> WrappedText<'_> {
    wrapped_text::split_blocks(text, &is_wrapper)
}

/// Returns whether the program, a hook or an editor writes such a tag into a user message. Tags of notifications do not
/// count, since the program continues after them without a tag.
fn is_wrapper(tag: &str) -> bool {
    tag.starts_with("ide_")
        || tag.starts_with("local-command-")
        || tag.ends_with("-hook")
        || matches!(
            tag,
            "system-reminder"
                | "command-name"
                | "command-message"
                | "command-args"
                | "command-contents"
                | "bash-input"
                | "bash-stdout"
                | "bash-stderr"
                | "user-memory-input"
                | "new-diagnostics"
        )
}

/// Returns whether a text is only context that an editor, a hook or the program added.
pub fn is_context(head: &str) -> bool {
    let tag = wrapped_text::first_tag(head.trim_start()).unwrap_or_default();
    tag.starts_with("ide_")
        || tag.ends_with("-hook")
        || matches!(tag, "system-reminder" | "new-diagnostics")
}

/// Returns whether the program announces that the following was done without the model.
pub fn is_caveat(head: &str) -> bool {
    head.starts_with("Caveat: The messages below were generated")
        || head.starts_with("<local-command-caveat>")
}

/// Returns whether a hook reported an error to the model; such a text is marked like the program's own.
pub fn is_hook_feedback(head: &str) -> bool {
    head.lines().next().is_some_and(|line| line.trim_end().ends_with("hook feedback:"))
}

fn tag_contents<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>")).map_or(rest, |(inner, _)| inner))
}

/// Returns a slash command as it was typed, out of the tags it is recorded in.
pub fn slash_command(text: &str) -> Option<String> {
    let name = tag_contents(text, "command-name")?.trim();
    let arguments = tag_contents(text, "command-args").unwrap_or_default().trim();
    let slash = if name.starts_with('/') { "" } else { "/" };
    Some(format!("{slash}{name} {arguments}").trim_end().to_owned())
}

/// Returns the program's text within its tags: a notification's summary, a command's output.
pub fn program_text(text: &str) -> Option<String> {
    if text.trim_start().starts_with("<task-notification>") {
        return tag_contents(text, "summary").map(str::to_owned);
    }
    whole_program_text(text)
}

/// Returns the text with XML entities resolved, for a program that wrote `<` and `&` only as entities. Earlier versions did
/// so.
fn without_entities(text: &str) -> String {
    const ENTITIES: [(&str, char); 6] = [
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
        ("&quot;", '"'),
        ("&#39;", '\''),
        ("&apos;", '\''),
    ];
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        let entity = ENTITIES.iter().find(|(entity, _)| rest[at..].starts_with(entity));
        let Some((entity, letter)) = entity else { return text.to_owned() };
        plain.push_str(&rest[..at]);
        plain.push(*letter);
        rest = &rest[at + entity.len()..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the text without the colour codes that commands such as `/context` print.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            plain.push(letter);
        } else if letters.next_if_eq(&'[').is_some() {
            for code in letters.by_ref() {
                if ('@'..='~').contains(&code) {
                    break;
                }
            }
        }
    }
    plain
}

/// Returns a sized placeholder for what is not text.
pub fn media_placeholder(block: &ContentBlock<'_>) -> Option<String> {
    let kind = block.kind.as_str();
    if !matches!(kind, "image" | "document" | "file" | "audio") {
        return None;
    }
    let of = |name| QuotedText::from_raw(read_field(block.source, name));
    let place = of("url").map(|url| format!(" {}", url.label())).unwrap_or_default();
    let media_type: TextField<'_> = read_field(block.source, "media_type");
    let what = media_type.non_empty().unwrap_or(kind);
    if let Some(data) = of("data").filter(|_| kind == "image") {
        return Some(format!("[image: {}]", pictures::describe_image(what, &data.text())));
    }
    let size = of("data").map(|data| format!(", {} bytes", data.len() / 4 * 3));
    Some(format!("[{kind}: {what}{place}{}]", size.unwrap_or_default()))
}

/// Returns the text of a message's or a result's content, with placeholders for what is not text.
pub fn content_text(raw: RawField<'_>) -> String {
    let Some(found) = content_blocks(raw) else {
        return raw.map(indented_json).unwrap_or_default();
    };
    let originals: Vec<_> = list_elements(raw).collect();
    let texts = found.iter().enumerate().map(|(at, block)| {
        let shown = QuotedText::from_raw(block.text)
            .map(QuotedText::text)
            .or_else(|| media_placeholder(block));
        shown.unwrap_or_else(|| originals.get(at).copied().map(indented_json).unwrap_or_default())
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns an observation's text: what the record has, and the size of the whole where it was too long to be kept.
fn outcome_text(raw: RawField<'_>, structured: &ToolResultFields<'_>) -> String {
    let mut text = content_text(raw);
    text.push_str(&persisted_size_note(structured));
    text
}

fn persisted_size_note(structured: &ToolResultFields<'_>) -> String {
    structured.persisted_output_size.0.map_or_else(String::new, |size| {
        format!("\n[the full output, {size} bytes, is not in this record]")
    })
}

/// The part of the place of an observation that is a whole file beside the log.
pub const RESULT_FILE_PART: u32 = u32::MAX;

/// Returns the text of a file that an observation was written to: as it is, or the texts of its blocks.
pub fn result_file_text(file: &str) -> String {
    let tape = JsonTape::parse(file.trim());
    let list = tape.as_ref().map(JsonTape::root).filter(|root| root.is_list());
    let is_blocks = list_elements(list)
        .any(|block| read_field::<TextField<'_>>(Some(block), "type").non_empty().is_some());
    if is_blocks { content_text(list) } else { file.to_owned() }
}

/// Returns the name of the file, below the session's own folder, that an observation was too long for.
pub fn result_file_name(
    content: RawField<'_>,
    structured: &ToolResultFields<'_>,
) -> Option<Box<str>> {
    let named = |path: &str| {
        let path = path.replace('\\', "/");
        let (_, name) = path.rsplit_once("/tool-results/")?;
        (!name.is_empty() && !name.contains('/')).then(|| name.into())
    };
    if let Some(path) = structured.persisted_output_path.non_empty() {
        return named(path);
    }
    let texts = list_elements(content)
        .filter_map(|block| QuotedText::from_raw(read_field(Some(block), "text")));
    let head =
        QuotedText::from_raw(content).into_iter().chain(texts).map(|text| text.first_chars(2000));
    let marked = |head: String| {
        let (_, rest) = head.split_once("<persisted-output>")?;
        let (_, path) = rest.split_once("saved to: ")?;
        named(path.lines().next()?.trim())
    };
    head.into_iter().find_map(marked)
}

/// Returns size of [`outcome_text`], in the usual case without decoding it.
pub fn outcome_bytes(raw: RawField<'_>, structured: &ToolResultFields<'_>) -> u64 {
    let content = match QuotedText::from_raw(raw) {
        Some(text) => text.len(),
        None => content_text(raw).len() as u64,
    };
    content + persisted_size_note(structured).len() as u64
}

/// Returns the message of an API error record.
pub fn api_error_text(record: &ClaudeRecord<'_>) -> String {
    let inner: RawField<'_> = read_field(record.error, "error");
    let innermost: RawField<'_> = read_field(inner, "error");
    let message = |raw| read_field(raw, "message");
    let reason =
        [record.error, message(innermost), message(inner), message(record.error), record.content];
    let reason =
        reason.into_iter().find_map(QuotedText::from_raw).map(QuotedText::text).unwrap_or_default();
    let status = record.error_status.0.or(read_field::<CountField>(record.error, "status").0);
    let status = status.map(|status| format!(" {status}")).unwrap_or_default();
    let attempt = record.attempt.0.or(record.session_attempt.0);
    let most = record.max_retries.0.or(record.session_max_retries.0);
    let attempt = match (attempt, most) {
        (Some(attempt), Some(most)) => format!(" (attempt {attempt} of {most})"),
        (Some(attempt), None) => format!(" (attempt {attempt})"),
        _ => String::new(),
    };
    let colon = if reason.is_empty() { "" } else { ": " };
    format!("API error{status}{attempt}{colon}{reason}")
}

/// Returns a tool that was not allowed.
pub fn denial_text(raw: TapeValue<'_>) -> String {
    let tool: TextField<'_> = read_field(Some(raw), "tool_name");
    let input: ToolInput<'_> = read_object(read_field(Some(raw), "tool_input"));
    let about = string_or_empty(input.command.or(input.file_path).or(input.description));
    format!("permission denied: {} {about}", tool.as_str())
}

/// Returns output tokens of each model of a result's `modelUsage`.
pub fn output_of_models(raw: RawField<'_>) -> Box<[u64]> {
    let models = raw.filter(|raw| raw.is_object()).into_iter().flat_map(|raw| raw.fields());
    models
        .filter_map(|(_, model)| read_field::<CountField>(Some(model), "outputTokens").0)
        .collect()
}

/// Returns the text of a step.
pub fn step_text(record: &[u8], step: &Step) -> StepText {
    let line = lossy_text(record);
    let tape = JsonTape::parse(line.trim());
    let Ok(record) = ClaudeRecord::from_tape(&line, tape.as_ref()) else {
        return StepText { text: line.into_owned(), ..StepText::default() };
    };
    let plain = |text| StepText { text, ..StepText::default() };
    let part = step.place.part as usize;
    match record.kind.as_str() {
        "assistant" => {
            assistant_text(&record, part).unwrap_or_else(|| plain(readable_record(&line)))
        }
        "user" => plain(user_message_text(&record).unwrap_or_else(|| readable_record(&line))),
        "tool_use" => arguments_text(record.name.as_str(), record.input),
        "attachment" => plain(attachment_text(&record).unwrap_or_else(|| readable_record(&line))),
        "result" => plain(result_record_text(&record, part)),
        "system" => plain(system_text(&record).unwrap_or_else(|| readable_record(&line))),
        _ => plain(readable_record(&line)),
    }
}

/// Returns the whole record, readable.
fn readable_record(line: &str) -> String {
    JsonTape::parse(line.trim()).map_or_else(|| line.to_owned(), |tape| indented_json(tape.root()))
}

fn assistant_text(record: &ClaudeRecord<'_>, part: usize) -> Option<StepText> {
    let message: ClaudeMessage<'_> = read_object(record.message);
    let blocks = content_blocks(message.content)?;
    let block = blocks.get(part)?;
    let plain = |text| Some(StepText { text, ..StepText::default() });
    match block.kind.as_str() {
        "text" => plain(string_or_empty(block.text)),
        "thinking" if !string_or_empty(block.thinking).is_empty() => {
            plain(string_or_empty(block.thinking))
        }
        "thinking" | "redacted_thinking" => plain(UNRECORDED_THINKING.to_owned()),
        kind if kind.ends_with("tool_use") => {
            Some(arguments_text(block.name.as_str(), block.input))
        }
        _ => {
            let original = list_elements(message.content).nth(part).map(indented_json);
            plain(media_placeholder(block).or(original).unwrap_or_default())
        }
    }
}

fn user_message_text(record: &ClaudeRecord<'_>) -> Option<String> {
    let message: ClaudeMessage<'_> = read_object(record.message);
    let found = content_blocks(message.content)?;
    let parts = MessageTexts::from_blocks(&found);
    if !parts.texts.is_empty() && !parts.wrappers.is_empty() {
        return Some(parts.texts.join("\n"));
    }
    let text = content_text(message.content);
    let command = if record.is_meta.0 { None } else { slash_command(&text) };
    let shown = command.or_else(|| program_tag(&text).and_then(|_| whole_program_text(&text)));
    Some(shown.unwrap_or(text))
}

/// Returns the program's text as [`program_text`] does, with all of a notification.
fn whole_program_text(text: &str) -> Option<String> {
    let tag = program_tag(text)?;
    let inner = |tag: &str| {
        let inner = tag_contents(text, tag)?.trim();
        Some(if tag.starts_with("bash-") { without_entities(inner) } else { inner.to_owned() })
    };
    let mut output = inner(tag)?;
    // What a command printed is written in two tags, one after the other.
    if tag == "bash-stdout"
        && let Some(errors) = inner("bash-stderr").filter(|errors| !errors.is_empty())
    {
        output = if output.is_empty() { errors } else { format!("{output}\n{errors}") };
    }
    Some(without_escapes(&output))
}

fn system_text(record: &ClaudeRecord<'_>) -> Option<String> {
    match record.subtype.as_str() {
        "api_error" | "api_retry" => Some(api_error_text(record)),
        "task_notification" => QuotedText::from_raw(record.summary).map(QuotedText::text),
        _ => {
            let text = QuotedText::from_raw(record.content).map(QuotedText::text)?;
            Some(slash_command(&text).or_else(|| whole_program_text(&text)).unwrap_or(text))
        }
    }
}

fn attachment_text(record: &ClaudeRecord<'_>) -> Option<String> {
    let attachment: ClaudeAttachment<'_> = read_object(record.attachment);
    match attachment.kind.as_str() {
        "edited_text_file" => {
            let name = string_or_empty(attachment.filename);
            Some(format!("{CHANGED_FILE_START}{name}\n\n{}", string_or_empty(attachment.snippet)))
        }
        "queued_command" => Some(content_text(attachment.prompt)),
        _ => None,
    }
}

/// Returns the text of a result record: part 0 is the result itself, the parts after it are the tools that were not
/// allowed.
fn result_record_text(record: &ClaudeRecord<'_>, part: usize) -> String {
    let mut denials = list_elements(record.permission_denials);
    if let Some(raw) = part.checked_sub(1).and_then(|at| denials.nth(at)) {
        return format!("{}\n\n{}", denial_text(raw), indented_json(raw));
    }
    let errors = list_elements(record.errors);
    let mut lines = vec![string_or_empty(record.result)];
    lines.extend(errors.map(|raw| {
        QuotedText::from_raw(Some(raw)).map(QuotedText::text).unwrap_or_else(|| indented_json(raw))
    }));
    lines.retain(|text| !text.is_empty());
    if lines.is_empty() { record.subtype.as_str().to_owned() } else { lines.join("\n") }
}

/// Returns a call's arguments as a person would read them.
fn arguments_text(tool: &str, raw: RawField<'_>) -> StepText {
    let input: ToolInput<'_> = read_object(raw);
    let text = if tool == "Bash" { string_or_empty(input.description) } else { String::new() };
    let argument_text = match tool {
        "Bash" => QuotedText::from_raw(input.command).map(QuotedText::text),
        "Write" => write_arguments(&input),
        "Edit" | "MultiEdit" => edit_arguments(&input),
        _ => None,
    };
    StepText { text, arguments: argument_text.or_else(|| raw.map(indented_json)), result: None }
}

fn write_arguments(input: &ToolInput<'_>) -> Option<String> {
    let path = QuotedText::from_raw(input.file_path)?.text();
    Some(format!("{path}\n{}", QuotedText::from_raw(input.content)?.text()))
}

/// Returns the requested replacements: old lines with `-`, new ones with `+`.
fn edit_arguments(input: &ToolInput<'_>) -> Option<String> {
    let mut shown = QuotedText::from_raw(input.file_path)?.text();
    for swap in requested_swaps(input) {
        let all = if swap.replace_all.0 { "@@ every occurrence @@" } else { "@@" };
        shown.push_str(&format!("\n{all}"));
        for (sign, side) in [('-', swap.old_string), ('+', swap.new_string)] {
            for line in string_or_empty(side).lines() {
                shown.push_str(&format!("\n{sign}{line}"));
            }
        }
    }
    Some(shown)
}

/// Returns the replacements a call asks for: one for Edit, several for MultiEdit.
pub fn requested_swaps<'a>(input: &ToolInput<'a>) -> Vec<TextSwap<'a>> {
    if input.edits.is_some() {
        return list_elements(input.edits).map(|swap| read_object(Some(swap))).collect();
    }
    vec![TextSwap {
        old_string: input.old_string,
        new_string: input.new_string,
        replace_all: input.replace_all,
    }]
}

/// The texts of a user message beside results: the person's text, placeholders for other content, and the blocks around
/// them.
#[derive(Default)]
struct MessageTexts {
    texts: Vec<String>,
    wrappers: Vec<String>,
}

impl MessageTexts {
    fn from_blocks(blocks: &[ContentBlock<'_>]) -> Self {
        let mut parts = Self::default();
        for block in blocks {
            let Some(text) = QuotedText::from_raw(block.text).map(QuotedText::text) else {
                parts.texts.extend(media_placeholder(block));
                continue;
            };
            let WrappedText { person_text, blocks } = split_wrappers(&text);
            parts.wrappers.extend(blocks.into_iter().map(str::to_owned));
            parts.texts.extend((!person_text.is_empty()).then(|| person_text.to_owned()));
        }
        parts
    }
}

/// Returns the text that the program put before the model with a request: a record of its own, or the blocks around the
/// request.
pub fn added_text(record: &[u8], part: u32) -> String {
    if part != WRAPPER_PART {
        return request_text(record);
    }
    let line = lossy_text(record);
    let tape = JsonTape::parse(line.trim());
    let Ok(record) = ClaudeRecord::from_tape(&line, tape.as_ref()) else { return String::new() };
    let message: ClaudeMessage<'_> = read_object(record.message);
    MessageTexts::from_blocks(&content_blocks(message.content).unwrap_or_default())
        .wrappers
        .join("\n")
}

/// Returns the whole text of a request.
pub fn request_text(record: &[u8]) -> String {
    let line = lossy_text(record);
    let tape = JsonTape::parse(line.trim());
    let Ok(record) = ClaudeRecord::from_tape(&line, tape.as_ref()) else {
        return line.into_owned();
    };
    user_message_text(&record).unwrap_or_else(|| readable_record(&line))
}

/// Returns an observation's text.
pub fn result_text(record: &[u8], result: &ToolResult) -> String {
    let line = lossy_text(record);
    if result.place.part == RESULT_FILE_PART {
        return result_file_text(&line);
    }
    let tape = JsonTape::parse(line.trim());
    let Ok(record) = ClaudeRecord::from_tape(&line, tape.as_ref()) else {
        return line.into_owned();
    };
    if record.kind.as_str() == "tool_result" {
        return content_text(record.output.or(record.content));
    }
    let message: ClaudeMessage<'_> = read_object(record.message);
    let found = content_blocks(message.content).unwrap_or_default();
    let Some(block) = found.get(result.place.part as usize) else { return readable_record(&line) };
    let is_only =
        found.iter().filter(|block| block.kind.as_str().ends_with("tool_result")).count() == 1;
    let structured =
        if is_only { read_object(record.structured_result()) } else { ToolResultFields::default() };
    outcome_text(block.content, &structured)
}
