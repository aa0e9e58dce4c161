//! From records to words: what is shown when somebody opens a step.

use super::{
    json::{Count, Quoted, Raw, Text, elements, field, indented, object},
    record::{Attachment, Block, Input, Message, Record, Structured, Swap, blocks, string},
};
use crate::{
    tape::{Tape, Value},
    wrapped::{self, Wrapped},
};
use trajview_run::{Step, StepText, ToolResult, pictures};

pub use trajview_code::utf8::readable;

/// How the summary of a compacted context begins, where no flag says that it is one.
pub const CONTINUED: &str = "This session is being continued from a previous conversation";

/// Stands for thinking whose words the recording does not hold.
pub const UNTOLD_THINKING: &str = "(thinking, words not recorded)";

/// Begins the label of a file that is no longer as the agent knows it: a person, a formatter or a shell command did it.
pub const CHANGED_SINCE: &str = "changed since the agent read it: ";

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

/// The tag of [`PROGRAM_TAGS`] that a message starts with.
pub fn program_tag(head: &str) -> Option<&'static str> {
    let rest = head.trim_start().strip_prefix('<')?;
    PROGRAM_TAGS
        .iter()
        .copied()
        .find(|tag| rest.strip_prefix(tag).is_some_and(|rest| rest.starts_with(['>', ' '])))
}

/// The part of a request's place under which the blocks are found that stand around its words.
pub const WRAPPER: u32 = 1;

/// A text of a user message without the blocks that an editor, a hook or the program put around the person's own words.
pub fn unwrapped(text: &str) -> Wrapped<'_> {
    wrapped::split(text, &is_wrapper)
}

/// Whether the program, a hook or an editor writes such a tag into a user message. Not those of notifications, after which
/// the program goes on without a tag.
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

/// Whether a text is nothing but context that an editor, a hook or the program put there.
pub fn is_context(head: &str) -> bool {
    let tag = wrapped::tag(head.trim_start()).unwrap_or_default();
    tag.starts_with("ide_")
        || tag.ends_with("-hook")
        || matches!(tag, "system-reminder" | "new-diagnostics")
}

/// Whether the program says that what follows was done without the model.
pub fn is_caveat(head: &str) -> bool {
    head.starts_with("Caveat: The messages below were generated")
        || head.starts_with("<local-command-caveat>")
}

/// Whether a hook told the model what is wrong, which is marked like the program's own words.
pub fn is_hook_feedback(head: &str) -> bool {
    head.lines().next().is_some_and(|line| line.trim_end().ends_with("hook feedback:"))
}

fn between<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>")).map_or(rest, |(inner, _)| inner))
}

/// A slash command as it was typed, out of the tags it is recorded in.
pub fn command(text: &str) -> Option<String> {
    let name = between(text, "command-name")?.trim();
    let arguments = between(text, "command-args").unwrap_or_default().trim();
    let slash = if name.starts_with('/') { "" } else { "/" };
    Some(format!("{slash}{name} {arguments}").trim_end().to_owned())
}

/// What the program says within its tags: a notification's summary, a command's output.
pub fn aside(text: &str) -> Option<String> {
    if text.trim_start().starts_with("<task-notification>") {
        return between(text, "summary").map(str::to_owned);
    }
    aside_in_full(text)
}

/// The text without the entities of XML, where its program wrote them: `<` and `&` never stand there as they are. Earlier
/// versions wrote them so.
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

/// Without the colour codes that `/context` and its like print.
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

/// A sized placeholder for what is not text.
pub fn placeholder(block: &Block<'_>) -> Option<String> {
    let kind = block.kind.as_str();
    if !matches!(kind, "image" | "document" | "file" | "audio") {
        return None;
    }
    let of = |name| Quoted::of(field(block.source, name));
    let place = of("url").map(|url| format!(" {}", url.label())).unwrap_or_default();
    let media_type: Text<'_> = field(block.source, "media_type");
    let what = media_type.filled().unwrap_or(kind);
    if let Some(data) = of("data").filter(|_| kind == "image") {
        return Some(format!("[image: {}]", pictures::said(what, &data.text())));
    }
    let size = of("data").map(|data| format!(", {} bytes", data.len() / 4 * 3));
    Some(format!("[{kind}: {what}{place}{}]", size.unwrap_or_default()))
}

/// The text of a message's or a result's content, with placeholders for what is not text.
pub fn content(raw: Raw<'_>) -> String {
    let Some(found) = blocks(raw) else { return raw.map(indented).unwrap_or_default() };
    let originals: Vec<_> = elements(raw).collect();
    let texts = found.iter().enumerate().map(|(at, block)| {
        let shown = Quoted::of(block.text).map(Quoted::text).or_else(|| placeholder(block));
        shown.unwrap_or_else(|| originals.get(at).copied().map(indented).unwrap_or_default())
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// An observation's text: what the record has, and the size of the whole where it was too long to be kept.
fn outcome(raw: Raw<'_>, structured: &Structured<'_>) -> String {
    let mut text = content(raw);
    text.push_str(&persisted(structured));
    text
}

fn persisted(structured: &Structured<'_>) -> String {
    structured.persisted_output_size.0.map_or_else(String::new, |size| {
        format!("\n[the whole output, {size} bytes, is not in this record]")
    })
}

/// The part of the place of an observation that is the whole of a file beside the log.
pub const KEPT_BESIDE: u32 = u32::MAX;

/// The text of a file that an observation was written to: as it is, or the texts of its blocks.
pub fn kept_beside(file: &str) -> String {
    let tape = Tape::read(file.trim());
    let list = tape.as_ref().map(Tape::root).filter(|root| root.is_list());
    let is_blocks =
        elements(list).any(|block| field::<Text<'_>>(Some(block), "type").filled().is_some());
    if is_blocks { content(list) } else { file.to_owned() }
}

/// The name of the file, below the session's own folder, that an observation was too long for.
pub fn kept_in(content: Raw<'_>, structured: &Structured<'_>) -> Option<Box<str>> {
    let named = |path: &str| {
        let path = path.replace('\\', "/");
        let (_, name) = path.rsplit_once("/tool-results/")?;
        (!name.is_empty() && !name.contains('/')).then(|| name.into())
    };
    if let Some(path) = structured.persisted_output_path.filled() {
        return named(path);
    }
    let texts = elements(content).filter_map(|block| Quoted::of(field(Some(block), "text")));
    let head = Quoted::of(content).into_iter().chain(texts).map(|text| text.head(2000));
    let marked = |head: String| {
        let (_, rest) = head.split_once("<persisted-output>")?;
        let (_, path) = rest.split_once("saved to: ")?;
        named(path.lines().next()?.trim())
    };
    head.into_iter().find_map(marked)
}

/// Size of [`outcome`], in the usual case without decoding it.
pub fn outcome_bytes(raw: Raw<'_>, structured: &Structured<'_>) -> u64 {
    let content = match Quoted::of(raw) {
        Some(text) => text.len(),
        None => content(raw).len() as u64,
    };
    content + persisted(structured).len() as u64
}

/// What an API error record says.
pub fn api_error(record: &Record<'_>) -> String {
    let inner: Raw<'_> = field(record.error, "error");
    let innermost: Raw<'_> = field(inner, "error");
    let message = |raw| field(raw, "message");
    let said =
        [record.error, message(innermost), message(inner), message(record.error), record.content];
    let said = said.into_iter().find_map(Quoted::of).map(Quoted::text).unwrap_or_default();
    let status = record.error_status.0.or(field::<Count>(record.error, "status").0);
    let status = status.map(|status| format!(" {status}")).unwrap_or_default();
    let attempt = record.attempt.0.or(record.session_attempt.0);
    let most = record.max_retries.0.or(record.session_max_retries.0);
    let attempt = match (attempt, most) {
        (Some(attempt), Some(most)) => format!(" (attempt {attempt} of {most})"),
        (Some(attempt), None) => format!(" (attempt {attempt})"),
        _ => String::new(),
    };
    let colon = if said.is_empty() { "" } else { ": " };
    format!("API error{status}{attempt}{colon}{said}")
}

/// A tool that was not allowed.
pub fn denial(raw: Value<'_>) -> String {
    let tool: Text<'_> = field(Some(raw), "tool_name");
    let input: Input<'_> = object(field(Some(raw), "tool_input"));
    let about = string(input.command.or(input.file_path).or(input.description));
    format!("permission denied: {} {about}", tool.as_str())
}

/// Output tokens of each model of a result's `modelUsage`.
pub fn output_of_models(raw: Raw<'_>) -> Box<[u64]> {
    let models = raw.filter(|raw| raw.is_object()).into_iter().flat_map(|raw| raw.fields());
    models.filter_map(|(_, model)| field::<Count>(Some(model), "outputTokens").0).collect()
}

/// What a step says.
pub fn words(record: &[u8], step: &Step) -> StepText {
    let line = readable(record);
    let tape = Tape::read(line.trim());
    let Ok(record) = Record::of(&line, tape.as_ref()) else {
        return StepText { text: line.into_owned(), ..StepText::default() };
    };
    let plain = |text| StepText { text, ..StepText::default() };
    let part = step.place.part as usize;
    match record.kind.as_str() {
        "assistant" => assistant(&record, part).unwrap_or_else(|| plain(whole(&line))),
        "user" => plain(user(&record).unwrap_or_else(|| whole(&line))),
        "tool_use" => arguments(record.name.as_str(), record.input),
        "attachment" => plain(attachment(&record).unwrap_or_else(|| whole(&line))),
        "result" => plain(result_record(&record, part)),
        "system" => plain(system(&record).unwrap_or_else(|| whole(&line))),
        _ => plain(whole(&line)),
    }
}

/// The whole record, readable.
fn whole(line: &str) -> String {
    Tape::read(line.trim()).map_or_else(|| line.to_owned(), |tape| indented(tape.root()))
}

fn assistant(record: &Record<'_>, part: usize) -> Option<StepText> {
    let message: Message<'_> = object(record.message);
    let blocks = blocks(message.content)?;
    let block = blocks.get(part)?;
    let plain = |text| Some(StepText { text, ..StepText::default() });
    match block.kind.as_str() {
        "text" => plain(string(block.text)),
        "thinking" if !string(block.thinking).is_empty() => plain(string(block.thinking)),
        "thinking" | "redacted_thinking" => plain(UNTOLD_THINKING.to_owned()),
        kind if kind.ends_with("tool_use") => Some(arguments(block.name.as_str(), block.input)),
        _ => {
            let original = elements(message.content).nth(part).map(indented);
            plain(placeholder(block).or(original).unwrap_or_default())
        }
    }
}

fn user(record: &Record<'_>) -> Option<String> {
    let message: Message<'_> = object(record.message);
    let found = blocks(message.content)?;
    let parts = Parts::of(&found);
    if !parts.words.is_empty() && !parts.wrappers.is_empty() {
        return Some(parts.words.join("\n"));
    }
    let text = content(message.content);
    let command = if record.is_meta.0 { None } else { command(&text) };
    let shown = command.or_else(|| program_tag(&text).and_then(|_| aside_in_full(&text)));
    Some(shown.unwrap_or(text))
}

/// As [`aside`], with all of a notification.
fn aside_in_full(text: &str) -> Option<String> {
    let tag = program_tag(text)?;
    let inner = |tag: &str| {
        let inner = between(text, tag)?.trim();
        Some(if tag.starts_with("bash-") { without_entities(inner) } else { inner.to_owned() })
    };
    let mut told = inner(tag)?;
    // What a command printed is written in two tags, one after the other.
    if tag == "bash-stdout"
        && let Some(errors) = inner("bash-stderr").filter(|errors| !errors.is_empty())
    {
        told = if told.is_empty() { errors } else { format!("{told}\n{errors}") };
    }
    Some(without_escapes(&told))
}

fn system(record: &Record<'_>) -> Option<String> {
    match record.subtype.as_str() {
        "api_error" | "api_retry" => Some(api_error(record)),
        "task_notification" => Quoted::of(record.summary).map(Quoted::text),
        _ => {
            let text = Quoted::of(record.content).map(Quoted::text)?;
            Some(command(&text).or_else(|| aside_in_full(&text)).unwrap_or(text))
        }
    }
}

fn attachment(record: &Record<'_>) -> Option<String> {
    let attachment: Attachment<'_> = object(record.attachment);
    match attachment.kind.as_str() {
        "edited_text_file" => {
            let name = string(attachment.filename);
            Some(format!("{CHANGED_SINCE}{name}\n\n{}", string(attachment.snippet)))
        }
        "queued_command" => Some(content(attachment.prompt)),
        _ => None,
    }
}

/// Part 0 is the result itself, the parts after it the tools that were not allowed.
fn result_record(record: &Record<'_>, part: usize) -> String {
    let mut denials = elements(record.permission_denials);
    if let Some(raw) = part.checked_sub(1).and_then(|at| denials.nth(at)) {
        return format!("{}\n\n{}", denial(raw), indented(raw));
    }
    let errors = elements(record.errors);
    let mut told = vec![string(record.result)];
    told.extend(
        errors.map(|raw| Quoted::of(Some(raw)).map(Quoted::text).unwrap_or_else(|| indented(raw))),
    );
    told.retain(|text| !text.is_empty());
    if told.is_empty() { record.subtype.as_str().to_owned() } else { told.join("\n") }
}

/// A call's arguments as a person would read them.
fn arguments(tool: &str, raw: Raw<'_>) -> StepText {
    let input: Input<'_> = object(raw);
    let text = if tool == "Bash" { string(input.description) } else { String::new() };
    let told = match tool {
        "Bash" => Quoted::of(input.command).map(Quoted::text),
        "Write" => written(&input),
        "Edit" | "MultiEdit" => replaced(&input),
        _ => None,
    };
    StepText { text, arguments: told.or_else(|| raw.map(indented)), result: None }
}

fn written(input: &Input<'_>) -> Option<String> {
    let path = Quoted::of(input.file_path)?.text();
    Some(format!("{path}\n{}", Quoted::of(input.content)?.text()))
}

/// The old lines with `-`, the new ones with `+`: what was asked for, not where it stands.
fn replaced(input: &Input<'_>) -> Option<String> {
    let mut shown = Quoted::of(input.file_path)?.text();
    for swap in swaps(input) {
        let all = if swap.replace_all.0 { "@@ every occurrence @@" } else { "@@" };
        shown.push_str(&format!("\n{all}"));
        for (sign, side) in [('-', swap.old_string), ('+', swap.new_string)] {
            for line in string(side).lines() {
                shown.push_str(&format!("\n{sign}{line}"));
            }
        }
    }
    Some(shown)
}

/// The replacements a call asks for: one for Edit, several for MultiEdit.
pub fn swaps<'a>(input: &Input<'a>) -> Vec<Swap<'a>> {
    if input.edits.is_some() {
        return elements(input.edits).map(|swap| object(Some(swap))).collect();
    }
    vec![Swap {
        old_string: input.old_string,
        new_string: input.new_string,
        replace_all: input.replace_all,
    }]
}

/// What a user message holds beside results: the person's words, with what is no text, and the blocks around them.
#[derive(Default)]
struct Parts {
    words: Vec<String>,
    wrappers: Vec<String>,
}

impl Parts {
    fn of(blocks: &[Block<'_>]) -> Self {
        let mut parts = Self::default();
        for block in blocks {
            let Some(text) = Quoted::of(block.text).map(Quoted::text) else {
                parts.words.extend(placeholder(block));
                continue;
            };
            let Wrapped { words, blocks } = unwrapped(&text);
            parts.wrappers.extend(blocks.into_iter().map(str::to_owned));
            parts.words.extend((!words.is_empty()).then(|| words.to_owned()));
        }
        parts
    }
}

/// What the program put before the model with a request: a record of its own, or the blocks around the words of the request.
pub fn added(record: &[u8], part: u32) -> String {
    if part != WRAPPER {
        return request(record);
    }
    let line = readable(record);
    let tape = Tape::read(line.trim());
    let Ok(record) = Record::of(&line, tape.as_ref()) else { return String::new() };
    let message: Message<'_> = object(record.message);
    Parts::of(&blocks(message.content).unwrap_or_default()).wrappers.join("\n")
}

/// The whole text of a request.
pub fn request(record: &[u8]) -> String {
    let line = readable(record);
    let tape = Tape::read(line.trim());
    let Ok(record) = Record::of(&line, tape.as_ref()) else { return line.into_owned() };
    user(&record).unwrap_or_else(|| whole(&line))
}

/// An observation's text.
pub fn result(record: &[u8], result: &ToolResult) -> String {
    let line = readable(record);
    if result.place.part == KEPT_BESIDE {
        return kept_beside(&line);
    }
    let tape = Tape::read(line.trim());
    let Ok(record) = Record::of(&line, tape.as_ref()) else { return line.into_owned() };
    if record.kind.as_str() == "tool_result" {
        return content(record.output.or(record.content));
    }
    let message: Message<'_> = object(record.message);
    let found = blocks(message.content).unwrap_or_default();
    let Some(block) = found.get(result.place.part as usize) else { return whole(&line) };
    let is_only =
        found.iter().filter(|block| block.kind.as_str().ends_with("tool_result")).count() == 1;
    let structured = if is_only { object(record.structured()) } else { Structured::default() };
    outcome(block.content, &structured)
}
