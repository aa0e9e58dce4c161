//! The small content of one line of a rollout: labels and places, never whole texts.

use std::num::NonZero;

use crate::jsonl::IndexSize;
use trajview_code::patch::LineCounts;
use trajview_run::{EditKind, RecordPlace, Role, Step, StepKind, Time, Tokens};

/// One line, understood. The second phase ([`super::fold`]) sees nothing else of the file.
#[derive(Debug, Clone)]
pub struct RolloutLine {
    pub place: RecordPlace,
    pub at: Option<Time>,
    pub ordinal: Option<u64>,
    /// The model, in forks that name it on every message.
    pub model: Option<Box<str>>,
    /// The number of its values that are NaN or Infinity and read as null.
    pub not_finite: u32,
    pub record: RolloutRecord,
}

impl RolloutLine {
    pub const fn is_understood(&self) -> bool {
        !matches!(self.record, RolloutRecord::Broken(_) | RolloutRecord::Unknown { .. })
    }
}

impl IndexSize for RolloutLine {
    /// Returns an estimate of the memory that the line takes. Most lines are a step. Most messages and calls are
    /// reported twice or more, and each report counts for half.
    fn index_bytes(&self) -> usize {
        let label = |label: &str| size_of::<Step>() * 3 / 2 + label.len();
        match &self.record {
            RolloutRecord::Bookkeeping => 0,
            RolloutRecord::Request { message, .. } | RolloutRecord::Message { message, .. } => {
                label(&message.label) / 2
            }
            RolloutRecord::Call(call) => (label(&call.label) + size_of::<RolloutCall>()) / 2,
            RolloutRecord::Done(done) => (label(&done.label) + size_of::<FinishedCall>()) / 2,
            RolloutRecord::Mail { label: it }
            | RolloutRecord::Note { label: it, .. }
            | RolloutRecord::Compacted { label: it, .. }
            | RolloutRecord::Unknown { label: it } => label(it),
            RolloutRecord::Output(_) => size_of::<RolloutOutput>(),
            RolloutRecord::Broken(what) => 2 * what.len() + 128,
            RolloutRecord::Meta(_)
            | RolloutRecord::Context { .. }
            | RolloutRecord::ThreadName(_)
            | RolloutRecord::TaskStarted { .. }
            | RolloutRecord::TaskEnded { .. }
            | RolloutRecord::Agent { .. }
            | RolloutRecord::Usage(_) => 64,
        }
    }
}

#[derive(Debug, Clone)]
pub enum RolloutRecord {
    Meta(Box<ThreadMeta>),
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
    /// A request of the user.
    Request {
        message: RolloutMessage,
        source: RolloutRequestSource,
    },
    /// A message from another agent.
    Mail {
        label: Box<str>,
    },
    /// A message or thinking of the agent, reported by up to three records.
    Message {
        kind: StepKind,
        message: RolloutMessage,
    },
    /// A note to be shown that is in no other record: an error, a review.
    Note {
        label: Box<str>,
        is_error: bool,
        role: Role,
    },
    Call(Box<RolloutCall>),
    Output(Box<RolloutOutput>),
    /// Codex' report of a finished call; replaces the call where there is none.
    Done(Box<FinishedCall>),
    /// Another agent was started, or is done.
    Agent {
        call: Box<str>,
        thread: Option<Box<str>>,
        path: Option<Box<str>>,
        is_start: bool,
    },
    Usage(UsageRecord),
    Compacted {
        label: Box<str>,
        family: RecordFamily,
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
pub struct ThreadMeta {
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
    /// Tokens that fit into the context, according to the last count.
    pub window: Option<u64>,
}

/// The family of a record; another family may repeat the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFamily {
    Response,
    /// A response item within an event.
    Raw,
    Event,
    Item,
    Compacted,
}

#[derive(Debug, Clone)]
pub struct RolloutMessage {
    pub label: Box<str>,
    /// One fingerprint per part: events report reasoning part by part.
    pub prints: Vec<NonZero<u64>>,
    pub family: RecordFamily,
    /// Is true where an editor or Codex put context around the text, in the same record.
    pub is_wrapped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolloutRequestSource {
    /// An event that reports the request.
    Event,
    /// A user-role message of the conversation: a request only where there are no events.
    Conversation,
    /// Context that Codex put there.
    Injected,
}

#[derive(Debug, Clone)]
pub struct RolloutCall {
    /// Empty in forks that have none.
    pub id: Box<str>,
    pub name: Box<str>,
    pub label: Box<str>,
    /// Files of the patch it carries.
    pub planned: Vec<RolloutChange>,
    /// The folder that the call runs in, where it names one.
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
pub struct RolloutOutput {
    pub call: Box<str>,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    pub is_success: bool,
    pub bytes: u64,
    /// The thread in the answer of `spawn_agent`.
    pub thread: Option<Box<str>>,
    pub path: Option<Box<str>>,
}

#[derive(Debug, Clone)]
pub struct FinishedCall {
    pub call: Box<str>,
    pub name: Box<str>,
    pub label: Box<str>,
    pub exit_code: Option<i32>,
    pub is_error: bool,
    pub bytes: u64,
    /// Is true where the record has the whole observation; the model may have received a part.
    pub is_whole: bool,
    /// The files that really changed; None where the record is not about files.
    pub changes: Option<Vec<RolloutChange>>,
    pub print: Option<NonZero<u64>>,
}

/// A changed file; its place is that of the record, `part` its position there.
#[derive(Debug, Clone)]
pub struct RolloutChange {
    pub path: Box<str>,
    pub from: Option<Box<str>>,
    pub kind: EditKind,
    /// None where the record does not hold the change.
    pub counts: Option<LineCounts>,
}

#[derive(Debug, Clone)]
pub enum UsageRecord {
    /// `token_count`; nothing at the start of a process.
    Count(Option<Box<TokenCount>>),
    /// `token_usage_record`: one response.
    Response(Box<Tokens>),
    /// One response, in logs without totals.
    Plain(Box<Tokens>),
    /// A whole turn, in logs that have nothing else.
    Turn(Box<Tokens>),
}

#[derive(Debug, Clone, Copy)]
pub struct TokenCount {
    pub total: Option<Tokens>,
    pub last: Option<Tokens>,
    /// Tokens that fit into the model's context.
    pub window: Option<u64>,
}
