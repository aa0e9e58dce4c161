//! One line, told briefly: which steps it holds, whom it belongs to, and no more words than a label.

use super::{
    edits::{self, Sketch},
    events,
    json::{Quoted, Raw, Text, object},
    kinds,
    record::{Block, Input, Message, Record, Structured, Usage, blocks},
    text,
};
use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use crate::tape::Tape;
use trajview_run::{LABEL_CHARS, Place, Role, Step, Time, Tokens, label, label as label_of};

/// A classified line.
#[derive(Debug, Clone)]
pub struct Line {
    pub place: Place,
    pub time: Option<Time>,
    pub uuid: Option<Box<str>>,
    pub parent: Option<Box<str>>,
    /// The sub-agent it belongs to: its id, or (in the stream) the id of the call that started it.
    pub agent: Option<Box<str>>,
    /// The sub-agent's id where `agent` is the id of a call.
    pub agent_id: Option<Box<str>>,
    pub is_sidechain: bool,
    /// How many of its values are NaN or Infinity, and read as null.
    pub not_finite: u32,
    /// Tells the record from others: equal for copies of it.
    pub print: u64,
    pub session: Option<Arc<str>>,
    pub cwd: Option<Arc<str>>,
    pub branch: Option<Arc<str>>,
    pub version: Option<Arc<str>>,
    pub what: What,
}

/// What nearly every line says again.
#[derive(Clone, Copy)]
enum Repeated {
    Session,
    Folder,
    Branch,
    Version,
    Model,
}

thread_local! {
    /// What was said last, by [`Repeated`].
    static SAID_LAST: RefCell<[Option<Arc<str>>; 5]> = const { RefCell::new([const { None }; 5]) };
}

impl Repeated {
    /// The words as they are held once for all lines that one thread reads in a row; None for none.
    fn shared(self, words: Option<&str>) -> Option<Arc<str>> {
        let words = words.filter(|words| !words.is_empty())?;
        SAID_LAST.with_borrow_mut(|last| {
            let last = &mut last[self as usize];
            match last {
                Some(known) if **known == *words => Some(Arc::clone(known)),
                _ => Some(Arc::clone(last.insert(words.into()))),
            }
        })
    }
}

impl Line {
    /// The name of its kind, where nobody knows that.
    pub fn unknown(&self) -> Option<&str> {
        match &self.what {
            What::Unknown { label } => Some(label),
            _ => None,
        }
    }

    /// Bytes that the index takes of it, about: of a step with its label, of a turn, of an id by which it is known.
    pub fn kept_bytes(&self) -> usize {
        let steps = match &self.what {
            What::User(user) => {
                // A request is a turn, which is two steps large; an observation is a part of the step that asked for it.
                user.outcomes.len() / 4 + user.words.as_ref().map_or(0, |_| 2)
            }
            What::Assistant(message) => message.parts.len().max(1),
            What::Nothing => 0,
            What::Note(_)
            | What::Compaction { .. }
            | What::Title { .. }
            | What::Summary { .. }
            | What::Init { .. }
            | What::Verdict(_)
            | What::BareCall(_)
            | What::BareOutcome(_)
            | What::Unknown { .. } => 1,
        };
        // What results are found by while the log is read takes as much again.
        2 * steps * size_of::<Step>() + self.uuid.as_ref().map_or(0, |id| id.len() + 32)
    }
}

#[derive(Debug, Clone)]
pub enum What {
    User(User),
    Assistant(Assistant),
    Note(Note),
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
    Verdict(Box<Verdict>),
    /// A call outside a message, in old drift.
    BareCall(Call),
    BareOutcome(Outcome),
    /// Known and of no interest.
    Nothing,
    Unknown {
        label: Box<str>,
    },
}

#[derive(Debug, Clone)]
pub struct User {
    pub words: Option<Words>,
    pub outcomes: Vec<Outcome>,
}

/// What a user record says beside tool results.
#[derive(Debug, Clone)]
pub struct Words {
    pub kind: WordsKind,
    pub label: Box<str>,
    /// [`Quoted::fingerprint`] of the text, where it is one string.
    pub fingerprint: Option<u64>,
    /// Whether blocks of the program, a hook or an editor stand around them.
    pub is_wrapped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordsKind {
    /// A person asks.
    Request,
    /// A slash command; becomes a request when its expansion follows.
    Command,
    /// The summary of a compacted context.
    Summary,
    /// Written by the program for the model.
    Meta,
    /// To be told, and not a request.
    Aside { role: Role, is_error: bool },
    /// Nothing worth a step.
    Silent,
}

#[derive(Debug, Clone)]
pub struct Assistant {
    /// Message id, else request id, else uuid.
    pub id: Option<Box<str>>,
    pub model: Option<Arc<str>>,
    /// Written by the program in the model's place.
    pub is_synthetic: bool,
    pub is_error: bool,
    pub tokens: Option<Tokens>,
    pub parts: Vec<(u32, Part)>,
}

#[derive(Debug, Clone)]
pub enum Part {
    Text(Box<str>),
    Thinking(Box<str>),
    Call(Call),
    Outcome(Outcome),
    Unknown(Box<str>),
}

#[derive(Debug, Clone)]
pub struct Call {
    pub id: Box<str>,
    pub name: Box<str>,
    pub label: Box<str>,
    /// [`Quoted::fingerprint`] of a sub-agent's task.
    pub prompt: Option<u64>,
    pub agent_type: Option<Box<str>>,
    /// The edit that the arguments ask for.
    pub sketch: Option<Sketch>,
}

#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Of the call; empty in old drift.
    pub id: Box<str>,
    pub part: u32,
    pub is_error: bool,
    /// Whether the log says in so many words that it went well.
    pub is_ok: bool,
    /// As it would be if the tool was a shell.
    pub exit_code: Option<i32>,
    pub bytes: u64,
    /// The sub-agent that answered.
    pub agent: Option<Box<str>>,
    pub sketches: Vec<Sketch>,
    /// Whether the tool says that the file is new, or that it was there.
    pub says_new: Option<bool>,
    /// The file beside the log that holds all of it.
    pub kept_in: Option<Box<str>>,
}

#[derive(Debug, Clone)]
pub struct Note {
    pub label: Box<str>,
    pub role: Role,
    pub is_error: bool,
    /// A background agent is done, and the main agent wakes up to hear of it.
    pub wakes: bool,
}

#[derive(Debug, Default, Clone)]
pub struct Verdict {
    pub tokens: Tokens,
    pub total_cost_usd: Option<f64>,
    /// Output tokens of each model over everything that `total_cost_usd` counts; empty where that is not recorded.
    pub outputs: Box<[u64]>,
    /// What went wrong, if it did.
    pub failure: Option<Box<str>>,
    pub denials: Vec<Box<str>>,
}

impl Verdict {
    /// Whether nothing but so many output tokens was counted: of all models, or of one beside helper models.
    pub fn counts_only(&self, output: u64) -> bool {
        let sum = self.outputs.iter().copied().fold(0, u64::saturating_add);
        !self.outputs.is_empty() && (sum == output || self.outputs.contains(&output))
    }
}

/// Reads one line. The error is what serde says of it.
pub fn classify(place: Place, line: &str) -> Result<Line, serde_json::Error> {
    let tape = Tape::read(line.trim());
    let record = Record::of(line, tape.as_ref())?;
    Ok(Line {
        place,
        time: record.timestamp.filled().and_then(Time::parse),
        uuid: record.uuid.boxed(),
        parent: record.parent_uuid.boxed(),
        agent: record.parent_tool_use_id.boxed().or_else(|| record.agent_id.boxed()),
        agent_id: record.agent_id.boxed().or_else(|| record.stream_agent_id.boxed()),
        print: print(&record),
        not_finite: tape
            .as_ref()
            .map_or(0, |tape| tape.not_finite().try_into().unwrap_or(u32::MAX)),
        is_sidechain: record.is_sidechain.0 || record.parent_tool_use_id.filled().is_some(),
        session: Repeated::Session.shared(Some(record.session())),
        cwd: Repeated::Folder.shared(record.cwd.filled()),
        branch: Repeated::Branch.shared(record.git_branch.filled()),
        version: Repeated::Version
            .shared(record.version.filled().or(record.claude_code_version.filled())),
        what: what(&record),
    })
}

/// Of what it says and when, by its size, its beginning and its end.
fn print(record: &Record<'_>) -> u64 {
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

fn what(record: &Record<'_>) -> What {
    match record.kind.as_str() {
        "user" => user(record),
        "assistant" => assistant(record),
        "system" => events::system(record),
        "attachment" => events::attachment(record),
        "result" if record.stream_session_id.filled().is_some() => events::verdict(record),
        "summary" => match (title(1, record.summary), record.leaf_uuid.boxed()) {
            (What::Title { title, .. }, Some(leaf)) => What::Summary { title, leaf },
            (title, _) => title,
        },
        "ai-title" => title(2, record.ai_title.or(record.content)),
        "custom-title" => title(3, record.custom_title.or(record.content)),
        "tool_use" => What::BareCall(call(&Text::default(), &record.name, record.input, 0)),
        "tool_result" => What::BareOutcome(Outcome {
            id: "".into(),
            bytes: text::outcome_bytes(record.output.or(record.content), &Structured::default()),
            is_error: record.is_error.0,
            ..Outcome::default()
        }),
        "auth_status" | "result" => What::Nothing,
        kind if kinds::RECORDS.contains(&kind) => What::Nothing,
        "" => What::Unknown { label: "a record without a type".into() },
        kind => What::Unknown { label: label(kind) },
    }
}

fn title(rank: u8, words: Raw<'_>) -> What {
    match Quoted::of(words).map(Quoted::label) {
        Some(title) if !title.is_empty() => What::Title { rank, title },
        _ => What::Nothing,
    }
}

fn user(record: &Record<'_>) -> What {
    let message: Message<'_> = object(record.message);
    let Some(blocks) = blocks(message.content) else {
        return What::Unknown { label: "a user message without content".into() };
    };
    let results = blocks.iter().filter(|block| is_outcome(block)).count();
    // One record, one tool: where several results share a record, we could not say whose the structured one is.
    let structured: Structured<'_> =
        if results == 1 { object(record.structured()) } else { Structured::default() };
    let outcomes = numbered(&blocks)
        .filter(|(_, block)| is_outcome(block))
        .map(|(part, block)| outcome(part, block, &structured, record.structured()))
        .collect();
    let mut words = words(record, &blocks);
    if let Some(words) =
        words.as_mut().filter(|words| results > 0 && words.kind == WordsKind::Request)
    {
        // Said while a tool ran: the turn goes on.
        words.kind = WordsKind::Aside { role: Role::User, is_error: false };
    }
    What::User(User { words, outcomes })
}

fn is_outcome(block: &Block<'_>) -> bool {
    block.kind.as_str().ends_with("tool_result")
}

fn numbered<'r, 'a>(blocks: &'r [Block<'a>]) -> impl Iterator<Item = (u32, &'r Block<'a>)> {
    (0u32..).zip(blocks)
}

/// Enough of a message to tell what it is.
pub const HEAD_CHARS: usize = 2000;

fn words(record: &Record<'_>, blocks: &[Block<'_>]) -> Option<Words> {
    let texts = || blocks.iter().filter_map(|block| Quoted::of(block.text));
    if let Some(words) = own_words(record, texts()) {
        return Some(words);
    }
    let first = texts().find(|text| !text::is_context(&text.head(HEAD_CHARS)));
    let Some(quoted) = first else {
        let context = texts().find(|text| !text.is_empty());
        if let Some(shown) = blocks.iter().find_map(text::placeholder) {
            let kind = if record.is_meta.0 { WordsKind::Meta } else { WordsKind::Request };
            let is_wrapped = context.is_some();
            return Some(Words { kind, label: label(&shown), fingerprint: None, is_wrapped });
        }
        // Where a tool answered, it is a part of that.
        let alone = context.filter(|_| !blocks.iter().any(is_outcome))?;
        let label = text::aside(&alone.head(HEAD_CHARS)).map(|words| label(&words));
        let label = label.unwrap_or_else(|| alone.label());
        return Some(Words { kind: WordsKind::Meta, label, fingerprint: None, is_wrapped: false });
    };
    let head = quoted.head(HEAD_CHARS);
    let kind = words_kind(record, &head);
    let label = match kind {
        WordsKind::Command => text::command(&head).map(|command| label(&command)),
        WordsKind::Aside { .. } => text::aside(&head).map(|aside| label(&aside)),
        _ => None,
    };
    let label = label.unwrap_or_else(|| quoted.label());
    let fingerprint = record.is_sidechain.0.then(|| quoted.fingerprint());
    Some(Words { kind, label, fingerprint, is_wrapped: false })
}

/// The person's words where blocks of the program, a hook or an editor stand around them; None where there are none.
fn own_words<'a>(
    record: &Record<'_>,
    texts: impl Iterator<Item = Quoted<'a>> + Clone,
) -> Option<Words> {
    let mut is_wrapped = false;
    let mut own = None;
    for quoted in texts {
        let text = quoted.text();
        let parts = text::unwrapped(&text);
        is_wrapped |= !parts.blocks.is_empty();
        if own.is_none() && !parts.words.is_empty() {
            own = Some((quoted, parts.words.to_owned()));
        }
    }
    let (quoted, words) = own.filter(|_| is_wrapped)?;
    let head: String = words.chars().take(HEAD_CHARS).collect();
    let kind = words_kind(record, &head);
    let label = match kind {
        WordsKind::Aside { .. } => text::aside(&head),
        _ => None,
    };
    let label = label.map_or_else(|| label_of(&words), |aside| label_of(&aside));
    let fingerprint = record.is_sidechain.0.then(|| quoted.fingerprint());
    Some(Words { kind, label, fingerprint, is_wrapped })
}

fn words_kind(record: &Record<'_>, head: &str) -> WordsKind {
    let aside = |role| WordsKind::Aside { role, is_error: false };
    let head = head.trim_start();
    let is_notification = record.prompt_source.as_str() == "system"
        || record.turn_origin.as_str() == "task_notification"
        || record.origin_kind().as_str() == "task-notification"
        || head.starts_with("<task-notification>");
    if record.is_compact_summary.0 || head.starts_with(text::CONTINUED) {
        WordsKind::Summary
    } else if is_notification || text::is_hook_feedback(head) {
        aside(Role::System)
    } else if record.is_meta.0 || text::is_caveat(head) {
        WordsKind::Meta
    } else if head.starts_with("[Request interrupted") {
        WordsKind::Aside { role: Role::System, is_error: true }
    } else if head.starts_with("<command-") {
        WordsKind::Command
    } else if let Some(tag) = text::program_tag(head) {
        let said = text::aside(head).unwrap_or_default();
        match tag {
            _ if said.trim().is_empty() => WordsKind::Silent,
            "bash-input" | "user-memory-input" => aside(Role::User),
            _ => aside(Role::System),
        }
    } else if record.is_synthetic.0 {
        WordsKind::Meta
    } else {
        WordsKind::Request
    }
}

fn assistant(record: &Record<'_>) -> What {
    let message: Message<'_> = object(record.message);
    let Some(blocks) = blocks(message.content) else {
        return What::Unknown { label: "an assistant message without content".into() };
    };
    let is_synthetic = message.model.as_str() == "<synthetic>";
    let parts = numbered(&blocks).filter_map(|(part, block)| Some((part, part_of(part, block)?)));
    let tokens = object::<Usage<'_>>(message.usage).tokens();
    let id =
        message.id.boxed().or_else(|| record.request_id.boxed()).or_else(|| record.uuid.boxed());
    What::Assistant(Assistant {
        id,
        is_synthetic,
        is_error: record.is_api_error.0 || (is_synthetic && record.error.is_some()),
        tokens: (!is_synthetic && tokens.is_recorded()).then_some(tokens),
        parts: parts.collect(),
        model: Repeated::Model.shared(message.model.filled().filter(|_| !is_synthetic)),
    })
}

fn part_of(part: u32, block: &Block<'_>) -> Option<Part> {
    let words = |raw| Quoted::of(raw).map(Quoted::label).unwrap_or_default();
    Some(match block.kind.as_str() {
        "text" => Part::Text(Some(words(block.text)).filter(|label| !label.is_empty())?),
        "thinking" => {
            let label = words(block.thinking);
            Part::Thinking(if label.is_empty() { text::UNTOLD_THINKING.into() } else { label })
        }
        "redacted_thinking" => Part::Thinking(text::UNTOLD_THINKING.into()),
        kind if kind.ends_with("tool_use") => {
            Part::Call(call(&block.id, &block.name, block.input, part))
        }
        kind if kind.ends_with("tool_result") => {
            Part::Outcome(outcome(part, block, &Structured::default(), None))
        }
        kind => match text::placeholder(block) {
            Some(shown) => Part::Text(label(&shown)),
            None => Part::Unknown(label(kind)),
        },
    })
}

fn call(id: &Text<'_>, name: &Text<'_>, input: Raw<'_>, part: u32) -> Call {
    let arguments: Input<'_> = object(input);
    let name = name.as_str();
    Call {
        id: id.as_str().into(),
        name: name.into(),
        label: call_label(name, &arguments, input),
        prompt: starts_agent(name)
            .then(|| Quoted::of(arguments.prompt).map(Quoted::fingerprint))
            .flatten(),
        agent_type: Quoted::of(arguments.subagent_type).map(Quoted::label),
        sketch: edits::asked(name, &arguments, part),
    }
}

/// Whether the tool starts a sub-agent.
pub fn starts_agent(tool: &str) -> bool {
    matches!(tool, "Task" | "Agent")
}

fn call_label(name: &str, input: &Input<'_>, raw: Raw<'_>) -> Box<str> {
    let first = |candidates: &[Raw<'_>]| {
        candidates
            .iter()
            .filter_map(|raw| Quoted::of(*raw))
            .map(Quoted::label)
            .find(|label| !label.is_empty())
    };
    if input.todos.is_some() {
        return label(&format!("{} todos", super::json::elements(input.todos).count()));
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
        label(&json[..cut])
    })
}

fn outcome(part: u32, block: &Block<'_>, structured: &Structured<'_>, raw: Raw<'_>) -> Outcome {
    // A failure is told as a string in place of the object.
    let is_refusal = Quoted::of(raw).is_some_and(|text| text.head(6) == "Error:");
    let flag = block.is_error.map(|raw| raw.get());
    let is_error = flag == Some("true") || is_refusal;
    let said = Quoted::of(block.content).map(|text| text.head(64)).unwrap_or_default();
    Outcome {
        id: block.tool_use_id.as_str().into(),
        part,
        is_error,
        is_ok: flag == Some("false") && !is_refusal && !structured.interrupted.0,
        exit_code: exit_code(&said),
        bytes: text::outcome_bytes(block.content, structured),
        agent: structured.agent_id.boxed(),
        kept_in: text::kept_in(block.content, structured),
        sketches: if is_error { vec![] } else { edits::recorded(structured) },
        says_new: match said.as_str() {
            said if said.starts_with("File created") => Some(true),
            said if said.starts_with("The file ") => Some(false),
            _ => None,
        },
    }
}

/// A code other than 0 begins what the tool said; a log that only says `is_error: false` has none.
fn exit_code(said: &str) -> Option<i32> {
    let rest = said.strip_prefix("Exit code ")?;
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
