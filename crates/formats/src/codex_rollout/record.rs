//! What one line of a rollout says, small: labels and places, never whole texts.

use std::num::NonZero;

use crate::jsonl::Kept;
use trajview_code::patch::LineCounts;
use trajview_run::{EditKind, Place, Role, Step, StepKind, Time, Tokens};

/// One line, understood. The second phase ([`super::fold`]) sees nothing else of the file.
#[derive(Debug, Clone)]
pub struct Line {
    pub place: Place,
    pub at: Option<Time>,
    pub ordinal: Option<u64>,
    /// Of forks that name the model on every message.
    pub model: Option<Box<str>>,
    /// How many of its values are NaN or Infinity, and read as null.
    pub not_finite: u32,
    pub record: Record,
}

impl Line {
    pub const fn is_understood(&self) -> bool {
        !matches!(self.record, Record::Broken(_) | Record::Unknown { .. })
    }
}

impl Kept for Line {
    /// Mostly there is a step of it. Most of what is said and done is told twice or more, and each telling counts for half.
    fn kept_bytes(&self) -> usize {
        let label = |label: &str| size_of::<Step>() * 3 / 2 + label.len();
        match &self.record {
            Record::Bookkeeping => 0,
            Record::Request { said, .. } | Record::Said { said, .. } => label(&said.label) / 2,
            Record::Call(call) => (label(&call.label) + size_of::<Call>()) / 2,
            Record::Done(done) => (label(&done.label) + size_of::<Done>()) / 2,
            Record::Mail { label: it }
            | Record::Note { label: it, .. }
            | Record::Compacted { label: it, .. }
            | Record::Unknown { label: it } => label(it),
            Record::Output(_) => size_of::<Output>(),
            Record::Broken(what) => 2 * what.len() + 128,
            Record::Meta(_)
            | Record::Context { .. }
            | Record::ThreadName(_)
            | Record::TaskStarted { .. }
            | Record::TaskEnded { .. }
            | Record::Agent { .. }
            | Record::Usage(_) => 64,
        }
    }
}

#[derive(Debug, Clone)]
pub enum Record {
    Meta(Box<Meta>),
    /// Settings of the model requests that follow.
    Context {
        model: Option<Box<str>>,
        cwd: Option<Box<str>>,
        turn: Option<Box<str>>,
    },
    ThreadName(Box<str>),
    /// Codex begins to work; a user's request follows, or it was woken by something else.
    TaskStarted {
        turn: Option<Box<str>>,
    },
    TaskEnded {
        error: Option<Box<str>>,
    },
    /// What the user asked.
    Request {
        said: Said,
        source: RequestSource,
    },
    /// A message from another agent.
    Mail {
        label: Box<str>,
    },
    /// A message or thinking of the agent, told by up to three records.
    Said {
        kind: StepKind,
        said: Said,
    },
    /// Something to be shown that nothing else tells: an error, a review.
    Note {
        label: Box<str>,
        is_error: bool,
        role: Role,
    },
    Call(Box<Call>),
    Output(Box<Output>),
    /// What Codex tells of a call when it is done; stands for the call where there is none.
    Done(Box<Done>),
    /// Another agent was started, or is done.
    Agent {
        call: Box<str>,
        thread: Option<Box<str>>,
        path: Option<Box<str>>,
        is_start: bool,
    },
    Usage(Usage),
    Compacted {
        label: Box<str>,
        voice: Voice,
    },
    /// Known, and nothing to see.
    Bookkeeping,
    Unknown {
        label: Box<str>,
    },
    /// Not JSON; the sentence of a warning.
    Broken(String),
}

#[derive(Debug, Default, Clone)]
pub struct Meta {
    pub id: Box<str>,
    /// The outermost thread, where this one is an agent's.
    pub session: Option<Box<str>>,
    pub parent: Option<Box<str>>,
    pub forked_from: Option<Box<str>>,
    pub is_subagent: bool,
    /// First ordinal that is not repeated from the parent.
    pub own_from: Option<u64>,
    pub started_at: Option<Time>,
    pub cwd: Option<Box<str>>,
    pub branch: Option<Box<str>>,
    pub version: Option<Box<str>>,
    pub nickname: Option<Box<str>>,
    pub path: Option<Box<str>>,
    pub role: Option<Box<str>>,
    pub provenance: Option<String>,
    /// Tokens that fit into the context, as the last count tells.
    pub window: Option<u64>,
}

/// Which of the families of records speaks; what one has said, another may say again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    Response,
    /// A response item within an event.
    Raw,
    Event,
    Item,
    Compacted,
}

#[derive(Debug, Clone)]
pub struct Said {
    pub label: Box<str>,
    /// One a part: reasoning is told part by part in events.
    pub prints: Vec<NonZero<u64>>,
    pub voice: Voice,
    /// Whether an editor or Codex put something around the words, in the same record.
    pub is_wrapped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestSource {
    /// The event that tells of the request.
    Told,
    /// A user-role message of the conversation: a request only where there are no events.
    Conversation,
    /// Context that Codex put there.
    Injected,
}

#[derive(Debug, Clone)]
pub struct Call {
    /// Empty in forks that have none.
    pub id: Box<str>,
    pub name: Box<str>,
    pub label: Box<str>,
    /// Files of the patch it carries.
    pub planned: Vec<Change>,
    /// Folder it runs in, where it says so.
    pub folder: Option<Box<str>>,
    /// Set for code mode: the commands that the script runs.
    pub script: Option<Vec<Box<str>>>,
    pub is_spawn: bool,
    /// The call is its own observation (a web search).
    pub has_result: bool,
    pub is_error: bool,
    pub print: Option<NonZero<u64>>,
}

#[derive(Debug, Clone)]
pub struct Output {
    pub call: Box<str>,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    pub is_success: bool,
    pub bytes: u64,
    /// What `spawn_agent` answers.
    pub thread: Option<Box<str>>,
    pub path: Option<Box<str>>,
}

#[derive(Debug, Clone)]
pub struct Done {
    pub call: Box<str>,
    pub name: Box<str>,
    pub label: Box<str>,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    pub bytes: u64,
    /// The record holds the whole observation; what the model was told may be cut.
    pub is_whole: bool,
    /// The files that really changed; None where the record is not about files.
    pub changes: Option<Vec<Change>>,
    pub print: Option<NonZero<u64>>,
}

/// A changed file; its place is that of the record, `part` its position there.
#[derive(Debug, Clone)]
pub struct Change {
    pub path: Box<str>,
    pub from: Option<Box<str>>,
    pub kind: EditKind,
    /// None where the record does not hold the change.
    pub counts: Option<LineCounts>,
}

#[derive(Debug, Clone)]
pub enum Usage {
    /// `token_count`; nothing at the start of a process.
    Count(Option<Box<Counted>>),
    /// `token_usage_record`: one response.
    Response(Box<Tokens>),
    /// One response, in logs without totals.
    Plain(Box<Tokens>),
    /// A whole turn, in logs that have nothing else.
    Turn(Box<Tokens>),
}

#[derive(Debug, Clone, Copy)]
pub struct Counted {
    pub total: Option<Tokens>,
    pub last: Option<Tokens>,
    /// Tokens that fit into the model's context.
    pub window: Option<u64>,
}
