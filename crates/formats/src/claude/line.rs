//! One line, in short: its steps, their owner, and no more text than a label.

use super::{
    edits::{self, EditOutline},
    events, ignored_kinds,
    json::{QuotedText, RawField, TextField, read_object},
    record::{
        ClaudeMessage, ClaudeRecord, ClaudeUsage, ContentBlock, ToolInput, ToolResultFields,
        content_blocks,
    },
    text,
};
use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use crate::tape::JsonTape;
use trajview_run::{
    LABEL_CHARS, RecordPlace, Role, Step, Time, Tokens, first_line_label,
    first_line_label as label_of,
};

/// A classified line.
#[derive(Debug, Clone)]
pub struct ClassifiedLine {
    pub place: RecordPlace,
    pub time: Option<Time>,
    pub uuid: Option<Box<str>>,
    pub parent: Option<Box<str>>,
    /// The sub-agent it belongs to: its id, or (in the stream) the id of the call that started it.
    pub agent: Option<Box<str>>,
    /// The sub-agent's id where `agent` is the id of a call.
    pub agent_id: Option<Box<str>>,
    pub is_sidechain: bool,
    /// The number of its values that are NaN or Infinity and read as null.
    pub not_finite: u32,
    /// A fingerprint of the record: equal for copies of it.
    pub fingerprint: u64,
    pub session: Option<Arc<str>>,
    pub cwd: Option<Arc<str>>,
    pub branch: Option<Arc<str>>,
    pub version: Option<Arc<str>>,
    pub what: LineContent,
}

/// A field that nearly every line repeats.
#[derive(Clone, Copy)]
enum RepeatedField {
    Session,
    Folder,
    Branch,
    Version,
    Model,
}

thread_local! {
    /// The last value of each repeated field.
    static LAST_VALUES: RefCell<[Option<Arc<str>>; 5]> = const { RefCell::new([const { None }; 5]) };
}

impl RepeatedField {
    /// Returns the text as one shared value for all lines that a thread reads in a row; None for an empty text.
    fn shared_text(self, text: Option<&str>) -> Option<Arc<str>> {
        let text = text.filter(|text| !text.is_empty())?;
        LAST_VALUES.with_borrow_mut(|last| {
            let last = &mut last[self as usize];
            match last {
                Some(known) if **known == *text => Some(Arc::clone(known)),
                _ => Some(Arc::clone(last.insert(text.into()))),
            }
        })
    }
}

impl ClassifiedLine {
    /// Returns the name of its kind, where nobody knows that.
    pub fn unknown_kind(&self) -> Option<&str> {
        match &self.what {
            LineContent::Unknown { label } => Some(label),
            _ => None,
        }
    }

    /// Returns an estimate of the bytes that a line takes in the index: of a step with its label, of a turn, of an id
    /// by which it is known.
    pub fn index_bytes(&self) -> usize {
        let steps = match &self.what {
            LineContent::User(user) => {
                // A request is a turn, which is two steps large; an observation is a part of the step that asked for it.
                user.outcomes.len() / 4 + user.user_text.as_ref().map_or(0, |_| 2)
            }
            LineContent::Assistant(message) => message.parts.len().max(1),
            LineContent::Nothing => 0,
            LineContent::Note(_)
            | LineContent::Compaction { .. }
            | LineContent::Title { .. }
            | LineContent::Summary { .. }
            | LineContent::Init { .. }
            | LineContent::Verdict(_)
            | LineContent::BareCall(_)
            | LineContent::BareOutcome(_)
            | LineContent::Unknown { .. } => 1,
        };
        // What results are found by while the log is read takes as much again.
        2 * steps * size_of::<Step>() + self.uuid.as_ref().map_or(0, |id| id.len() + 32)
    }
}

#[derive(Debug, Clone)]
pub enum LineContent {
    User(UserRecord),
    Assistant(AssistantRecord),
    Note(ProgramNote),
    Compaction {
        label: Box<str>,
    },
    /// A name for the whole run; the higher rank wins.
    Title {
        rank: u8,
        title: Box<str>,
    },
    /// A name for the session that the record `leaf` is of. A session's log begins with the names of those before it.
    Summary {
        title: Box<str>,
        leaf: Box<str>,
    },
    /// The stream: a process begins (or reports again).
    Init {
        model: Option<Box<str>>,
    },
    /// The stream: a prompt is answered.
    Verdict(Box<PromptResult>),
    /// A call outside a message, in old drift.
    BareCall(ToolUse),
    BareOutcome(ToolOutcome),
    /// Known and of no interest.
    Nothing,
    Unknown {
        label: Box<str>,
    },
}

#[derive(Debug, Clone)]
pub struct UserRecord {
    pub user_text: Option<UserText>,
    pub outcomes: Vec<ToolOutcome>,
}

/// The text of a user record, beside tool results.
#[derive(Debug, Clone)]
pub struct UserText {
    pub kind: UserTextKind,
    pub label: Box<str>,
    /// [`QuotedText::fingerprint`] of the text, where it is one string.
    pub fingerprint: Option<u64>,
    /// Is true where blocks of the program, a hook or an editor surround the text.
    pub is_wrapped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserTextKind {
    /// A person asks.
    Request,
    /// A slash command; becomes a request when its expansion follows.
    Command,
    /// The summary of a compacted context.
    Summary,
    /// Written by the program for the model.
    Meta,
    /// A text to be shown that is no request.
    Aside { role: Role, is_error: bool },
    /// Nothing worth a step.
    Silent,
}

#[derive(Debug, Clone)]
pub struct AssistantRecord {
    /// Message id, else request id, else uuid.
    pub id: Option<Box<str>>,
    pub model: Option<Arc<str>>,
    /// Written by the program in the model's place.
    pub is_synthetic: bool,
    pub is_error: bool,
    pub tokens: Option<Tokens>,
    pub parts: Vec<(u32, MessagePart)>,
}

#[derive(Debug, Clone)]
pub enum MessagePart {
    Text(Box<str>),
    Thinking(Box<str>),
    Call(ToolUse),
    Outcome(ToolOutcome),
    Unknown(Box<str>),
}

#[derive(Debug, Clone)]
pub struct ToolUse {
    pub id: Box<str>,
    pub name: Box<str>,
    pub label: Box<str>,
    /// [`QuotedText::fingerprint`] of a sub-agent's task.
    pub prompt: Option<u64>,
    pub agent_type: Option<Box<str>>,
    /// The edit that the arguments ask for.
    pub sketch: Option<EditOutline>,
}

#[derive(Debug, Clone, Default)]
pub struct ToolOutcome {
    /// The id of the call; empty in old drift.
    pub id: Box<str>,
    pub part: u32,
    pub is_error: bool,
    /// Is true where the log explicitly reports success.
    pub is_ok: bool,
    /// The exit code, if the tool is a shell.
    pub exit_code: Option<i32>,
    pub bytes: u64,
    /// The sub-agent that answered.
    pub agent: Option<Box<str>>,
    pub sketches: Vec<EditOutline>,
    /// Is true where the tool reports that the file is new, false where it reports that the file existed.
    pub says_new: Option<bool>,
    /// The file beside the log that contains the whole result.
    pub kept_in: Option<Box<str>>,
}

#[derive(Debug, Clone)]
pub struct ProgramNote {
    pub label: Box<str>,
    pub role: Role,
    pub is_error: bool,
    /// A background agent is done, and the main agent wakes up to hear of it.
    pub wakes: bool,
}

#[derive(Debug, Default, Clone)]
pub struct PromptResult {
    pub tokens: Tokens,
    pub total_cost_usd: Option<f64>,
    /// Output tokens of each model over everything that `total_cost_usd` counts; empty where that is not recorded.
    pub outputs: Box<[u64]>,
    /// The error, where there was one.
    pub failure: Option<Box<str>>,
    pub denials: Vec<Box<str>>,
}

impl PromptResult {
    /// Returns whether exactly so many output tokens were counted: of all models, or of one beside helper models.
    pub fn counts_only(&self, output: u64) -> bool {
        let sum = self.outputs.iter().copied().fold(0, u64::saturating_add);
        !self.outputs.is_empty() && (sum == output || self.outputs.contains(&output))
    }
}

/// Reads one line. The error is serde's.
pub fn classify_line(place: RecordPlace, line: &str) -> Result<ClassifiedLine, serde_json::Error> {
    let tape = JsonTape::parse(line.trim());
    let record = ClaudeRecord::from_tape(line, tape.as_ref())?;
    Ok(ClassifiedLine {
        place,
        time: record.timestamp.non_empty().and_then(Time::parse),
        uuid: record.uuid.non_empty_box(),
        parent: record.parent_uuid.non_empty_box(),
        agent: record
            .parent_tool_use_id
            .non_empty_box()
            .or_else(|| record.agent_id.non_empty_box()),
        agent_id: record
            .agent_id
            .non_empty_box()
            .or_else(|| record.stream_agent_id.non_empty_box()),
        fingerprint: record_fingerprint(&record),
        not_finite: tape
            .as_ref()
            .map_or(0, |tape| tape.not_finite().try_into().unwrap_or(u32::MAX)),
        is_sidechain: record.is_sidechain.0 || record.parent_tool_use_id.non_empty().is_some(),
        session: RepeatedField::Session.shared_text(Some(record.session_name())),
        cwd: RepeatedField::Folder.shared_text(record.cwd.non_empty()),
        branch: RepeatedField::Branch.shared_text(record.git_branch.non_empty()),
        version: RepeatedField::Version
            .shared_text(record.version.non_empty().or(record.claude_code_version.non_empty())),
        what: line_content(&record),
    })
}

/// Returns a fingerprint of a record from its type, its time, and the size, the beginning and the end of its message.
fn record_fingerprint(record: &ClaudeRecord<'_>) -> u64 {
    const PIECE: usize = 256;
    let mut hasher = DefaultHasher::new();
    record.kind.as_str().hash(&mut hasher);
    record.timestamp.as_str().hash(&mut hasher);
    if let Some(message) = record.message.map(|message| message.get().as_bytes()) {
        message.len().hash(&mut hasher);
        message[..message.len().min(PIECE)].hash(&mut hasher);
        message[message.len().saturating_sub(PIECE)..].hash(&mut hasher);
    }
    hasher.finish()
}

fn line_content(record: &ClaudeRecord<'_>) -> LineContent {
    match record.kind.as_str() {
        "user" => classify_user(record),
        "assistant" => classify_assistant(record),
        "system" => events::classify_system(record),
        "attachment" => events::classify_attachment(record),
        "result" if record.stream_session_id.non_empty().is_some() => {
            events::classify_result(record)
        }
        "summary" => match (title_kind(1, record.summary), record.leaf_uuid.non_empty_box()) {
            (LineContent::Title { title, .. }, Some(leaf)) => LineContent::Summary { title, leaf },
            (title, _) => title,
        },
        "ai-title" => title_kind(2, record.ai_title.or(record.content)),
        "custom-title" => title_kind(3, record.custom_title.or(record.content)),
        "tool_use" => {
            LineContent::BareCall(tool_use(&TextField::default(), &record.name, record.input, 0))
        }
        "tool_result" => LineContent::BareOutcome(ToolOutcome {
            id: "".into(),
            bytes: text::outcome_bytes(
                record.output.or(record.content),
                &ToolResultFields::default(),
            ),
            is_error: record.is_error.0,
            ..ToolOutcome::default()
        }),
        "auth_status" | "result" => LineContent::Nothing,
        kind if ignored_kinds::IGNORED_RECORDS.contains(&kind) => LineContent::Nothing,
        "" => LineContent::Unknown { label: "a record without a type".into() },
        kind => LineContent::Unknown { label: first_line_label(kind) },
    }
}

fn title_kind(rank: u8, text: RawField<'_>) -> LineContent {
    match QuotedText::from_raw(text).map(QuotedText::label) {
        Some(title) if !title.is_empty() => LineContent::Title { rank, title },
        _ => LineContent::Nothing,
    }
}

fn classify_user(record: &ClaudeRecord<'_>) -> LineContent {
    let message: ClaudeMessage<'_> = read_object(record.message);
    let Some(blocks) = content_blocks(message.content) else {
        return LineContent::Unknown { label: "a user message without content".into() };
    };
    let results = blocks.iter().filter(|block| is_tool_result(block)).count();
    // One record, one tool: where several results share a record, we could not say whose the structured one is.
    let structured: ToolResultFields<'_> = if results == 1 {
        read_object(record.structured_result())
    } else {
        ToolResultFields::default()
    };
    let outcomes = numbered_blocks(&blocks)
        .filter(|(_, block)| is_tool_result(block))
        .map(|(part, block)| tool_outcome(part, block, &structured, record.structured_result()))
        .collect();
    let mut user_text = user_text(record, &blocks);
    if let Some(user_text) = user_text
        .as_mut()
        .filter(|user_text| results > 0 && user_text.kind == UserTextKind::Request)
    {
        // Said while a tool ran: the turn goes on.
        user_text.kind = UserTextKind::Aside { role: Role::User, is_error: false };
    }
    LineContent::User(UserRecord { user_text, outcomes })
}

/// Returns whether a block is the result of a tool, of whatever kind.
fn is_tool_result(block: &ContentBlock<'_>) -> bool {
    block.kind.as_str().ends_with("tool_result")
}

fn numbered_blocks<'r, 'a>(
    blocks: &'r [ContentBlock<'a>],
) -> impl Iterator<Item = (u32, &'r ContentBlock<'a>)> {
    (0u32..).zip(blocks)
}

/// Enough of a message to tell what it is.
pub const HEAD_CHARS: usize = 2000;

fn user_text(record: &ClaudeRecord<'_>, blocks: &[ContentBlock<'_>]) -> Option<UserText> {
    let texts = || blocks.iter().filter_map(|block| QuotedText::from_raw(block.text));
    if let Some(wrapped) = wrapped_user_text(record, texts()) {
        return Some(wrapped);
    }
    let first = texts().find(|text| !text::is_context(&text.first_chars(HEAD_CHARS)));
    let Some(quoted) = first else {
        let context = texts().find(|text| !text.is_empty());
        if let Some(shown) = blocks.iter().find_map(text::media_placeholder) {
            let kind = if record.is_meta.0 { UserTextKind::Meta } else { UserTextKind::Request };
            let is_wrapped = context.is_some();
            return Some(UserText {
                kind,
                label: first_line_label(&shown),
                fingerprint: None,
                is_wrapped,
            });
        }
        // Where a tool answered, it is a part of that.
        let alone = context.filter(|_| !blocks.iter().any(is_tool_result))?;
        let label =
            text::program_text(&alone.first_chars(HEAD_CHARS)).map(|text| first_line_label(&text));
        let label = label.unwrap_or_else(|| alone.label());
        return Some(UserText {
            kind: UserTextKind::Meta,
            label,
            fingerprint: None,
            is_wrapped: false,
        });
    };
    let head = quoted.first_chars(HEAD_CHARS);
    let kind = user_text_kind(record, &head);
    let label = match kind {
        UserTextKind::Command => {
            text::slash_command(&head).map(|command| first_line_label(&command))
        }
        UserTextKind::Aside { .. } => {
            text::program_text(&head).map(|aside| first_line_label(&aside))
        }
        _ => None,
    };
    let label = label.unwrap_or_else(|| quoted.label());
    let fingerprint = record.is_sidechain.0.then(|| quoted.fingerprint());
    Some(UserText { kind, label, fingerprint, is_wrapped: false })
}

/// Returns the person's text where blocks of the program, a hook or an editor surround it; None where there are none.
fn wrapped_user_text<'a>(
    record: &ClaudeRecord<'_>,
    texts: impl Iterator<Item = QuotedText<'a>> + Clone,
) -> Option<UserText> {
    let mut is_wrapped = false;
    let mut own = None;
    for quoted in texts {
        let text = quoted.text();
        let parts = text::split_wrappers(&text);
        is_wrapped |= !parts.blocks.is_empty();
        if own.is_none() && !parts.person_text.is_empty() {
            own = Some((quoted, parts.person_text.to_owned()));
        }
    }
    let (quoted, own_text) = own.filter(|_| is_wrapped)?;
    let head: String = own_text.chars().take(HEAD_CHARS).collect();
    let kind = user_text_kind(record, &head);
    let label = match kind {
        UserTextKind::Aside { .. } => text::program_text(&head),
        _ => None,
    };
    let label = label.map_or_else(|| label_of(&own_text), |aside| label_of(&aside));
    let fingerprint = record.is_sidechain.0.then(|| quoted.fingerprint());
    Some(UserText { kind, label, fingerprint, is_wrapped })
}

fn user_text_kind(record: &ClaudeRecord<'_>, head: &str) -> UserTextKind {
    let aside = |role| UserTextKind::Aside { role, is_error: false };
    let head = head.trim_start();
    let is_notification = record.prompt_source.as_str() == "system"
        || record.turn_origin.as_str() == "task_notification"
        || record.origin_kind().as_str() == "task-notification"
        || head.starts_with("<task-notification>");
    if record.is_compact_summary.0 || head.starts_with(text::CONTINUATION_START) {
        UserTextKind::Summary
    } else if is_notification || text::is_hook_feedback(head) {
        aside(Role::System)
    } else if record.is_meta.0 || text::is_caveat(head) {
        UserTextKind::Meta
    } else if head.starts_with("[Request interrupted") {
        UserTextKind::Aside { role: Role::System, is_error: true }
    } else if head.starts_with("<command-") {
        UserTextKind::Command
    } else if let Some(tag) = text::program_tag(head) {
        let output_text = text::program_text(head).unwrap_or_default();
        match tag {
            _ if output_text.trim().is_empty() => UserTextKind::Silent,
            "bash-input" | "user-memory-input" => aside(Role::User),
            _ => aside(Role::System),
        }
    } else if record.is_synthetic.0 {
        UserTextKind::Meta
    } else {
        UserTextKind::Request
    }
}

fn classify_assistant(record: &ClaudeRecord<'_>) -> LineContent {
    let message: ClaudeMessage<'_> = read_object(record.message);
    let Some(blocks) = content_blocks(message.content) else {
        return LineContent::Unknown { label: "an assistant message without content".into() };
    };
    let is_synthetic = message.model.as_str() == "<synthetic>";
    let parts = numbered_blocks(&blocks)
        .filter_map(|(part, block)| Some((part, message_part(part, block)?)));
    let tokens = read_object::<ClaudeUsage<'_>>(message.usage).tokens();
    let id = message
        .id
        .non_empty_box()
        .or_else(|| record.request_id.non_empty_box())
        .or_else(|| record.uuid.non_empty_box());
    LineContent::Assistant(AssistantRecord {
        id,
        is_synthetic,
        is_error: record.is_api_error.0 || (is_synthetic && record.error.is_some()),
        tokens: (!is_synthetic && tokens.is_recorded()).then_some(tokens),
        parts: parts.collect(),
        model: RepeatedField::Model
            .shared_text(message.model.non_empty().filter(|_| !is_synthetic)),
    })
}

fn message_part(part: u32, block: &ContentBlock<'_>) -> Option<MessagePart> {
    let label_of_field = |raw| QuotedText::from_raw(raw).map(QuotedText::label).unwrap_or_default();
    Some(match block.kind.as_str() {
        "text" => {
            MessagePart::Text(Some(label_of_field(block.text)).filter(|label| !label.is_empty())?)
        }
        "thinking" => {
            let label = label_of_field(block.thinking);
            MessagePart::Thinking(if label.is_empty() {
                text::UNRECORDED_THINKING.into()
            } else {
                label
            })
        }
        "redacted_thinking" => MessagePart::Thinking(text::UNRECORDED_THINKING.into()),
        kind if kind.ends_with("tool_use") => {
            MessagePart::Call(tool_use(&block.id, &block.name, block.input, part))
        }
        kind if kind.ends_with("tool_result") => {
            MessagePart::Outcome(tool_outcome(part, block, &ToolResultFields::default(), None))
        }
        kind => match text::media_placeholder(block) {
            Some(shown) => MessagePart::Text(first_line_label(&shown)),
            None => MessagePart::Unknown(first_line_label(kind)),
        },
    })
}

fn tool_use(id: &TextField<'_>, name: &TextField<'_>, input: RawField<'_>, part: u32) -> ToolUse {
    let arguments: ToolInput<'_> = read_object(input);
    let name = name.as_str();
    ToolUse {
        id: id.as_str().into(),
        name: name.into(),
        label: call_label(name, &arguments, input),
        prompt: starts_agent(name)
            .then(|| QuotedText::from_raw(arguments.prompt).map(QuotedText::fingerprint))
            .flatten(),
        agent_type: QuotedText::from_raw(arguments.subagent_type).map(QuotedText::label),
        sketch: edits::requested_edit(name, &arguments, part),
    }
}

/// Returns whether the tool starts a sub-agent.
pub fn starts_agent(tool: &str) -> bool {
    matches!(tool, "Task" | "Agent")
}

fn call_label(name: &str, input: &ToolInput<'_>, raw: RawField<'_>) -> Box<str> {
    let first = |candidates: &[RawField<'_>]| {
        candidates
            .iter()
            .filter_map(|raw| QuotedText::from_raw(*raw))
            .map(QuotedText::label)
            .find(|label| !label.is_empty())
    };
    if input.todos.is_some() {
        return first_line_label(&format!(
            "{} todos",
            super::json::list_elements(input.todos).count()
        ));
    }
    let found = if starts_agent(name) {
        first(&[input.description, input.prompt])
    } else {
        first(&[
            input.command,
            input.file_path,
            input.notebook_path,
            input.pattern,
            input.query,
            input.url,
            input.skill,
            input.subject,
            input.path,
            input.plan,
            input.description,
            input.prompt,
        ])
    };
    found.unwrap_or_else(|| {
        let json = raw.map_or("", |raw| raw.get());
        let cut = json.char_indices().nth(LABEL_CHARS).map_or(json.len(), |(at, _)| at);
        first_line_label(&json[..cut])
    })
}

fn tool_outcome(
    part: u32,
    block: &ContentBlock<'_>,
    structured: &ToolResultFields<'_>,
    raw: RawField<'_>,
) -> ToolOutcome {
    // A failure is a string in place of the object.
    let is_refusal = QuotedText::from_raw(raw).is_some_and(|text| text.first_chars(6) == "Error:");
    let flag = block.is_error.map(|raw| raw.get());
    let is_error = flag == Some("true") || is_refusal;
    let output_text =
        QuotedText::from_raw(block.content).map(|text| text.first_chars(64)).unwrap_or_default();
    ToolOutcome {
        id: block.tool_use_id.as_str().into(),
        part,
        is_error,
        is_ok: flag == Some("false") && !is_refusal && !structured.interrupted.0,
        exit_code: exit_code(&output_text),
        bytes: text::outcome_bytes(block.content, structured),
        agent: structured.agent_id.non_empty_box(),
        kept_in: text::result_file_name(block.content, structured),
        sketches: if is_error { vec![] } else { edits::edits_of_result(structured) },
        says_new: match output_text.as_str() {
            output_text if output_text.starts_with("File created") => Some(true),
            output_text if output_text.starts_with("The file ") => Some(false),
            _ => None,
        },
    }
}

/// Returns the exit code at the beginning of a tool's output; a log that only has `is_error: false` has none.
fn exit_code(output_text: &str) -> Option<i32> {
    let rest = output_text.strip_prefix("Exit code ")?;
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
