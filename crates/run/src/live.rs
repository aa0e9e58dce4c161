//! The vocabulary of a run under way: its events, the commands of the person who watches it, and reasons why it waits.
//!
//! `live` obeys and produces these values; commands print them, the screen sends and draws them. They are plain, and no
//! text of them has a key.

use serde::{Deserialize, Serialize};

use super::{Tokens, TurnState};

/// Something that happened in a live run.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent {
    /// The bundle exists, and may be opened and followed from now on.
    Opened(Box<LivePlan>),
    /// The run prepares its start files; a sentence.
    Preparing(String),
    /// A request is about to be sent and waits for the person; `GoOn`, `Skip`, `Edit`, `Retry` and `Stop` end that.
    Waits {
        turn: usize,
        request: String,
        why: WaitReason,
    },
    TurnBegan {
        /// Counts from 1.
        turn: usize,
        /// The text that is sent, with the text of the layers.
        request: String,
        /// Counts from 1; more than 1 where the turn is done again.
        attempt: usize,
        layers: Vec<LayerEffect>,
    },
    /// A process of the agent was started.
    Started {
        command: String,
        process: u32,
        has_terminal: bool,
    },
    /// Bytes of the agent's terminal, in order.
    Terminal(Vec<u8>),
    /// A line that an agent without a terminal printed.
    AgentLine(String),
    /// An action that the agent was not allowed to take; the run goes on.
    Denied(String),
    /// The agent's log in the bundle is longer than before.
    LogGrew,
    /// Usage of the turn under way so far, if the agent reports it while it works.
    Used {
        tokens: Tokens,
        cost_usd: Option<f64>,
    },
    /// The files are being read for the commit of the turn: so many so far. Sent only when there are many.
    ReadingFiles {
        files: usize,
    },
    /// The turn is recorded.
    TurnEnded(Box<EndedTurn>),
    /// The tests of a checkpoint were run.
    Tested {
        checkpoint: String,
        passed: u64,
        total: u64,
        seconds: f64,
    },
    /// The next request is never sent; those after it are a turn earlier.
    Skipped {
        request: String,
    },
    Edited {
        turn: usize,
    },
    /// A person typed a request into the agent's terminal: a turn of its own, before those that wait.
    Typed {
        turn: usize,
        request: String,
    },
    /// A person sent this prompt while a turn is under way, and the agent has not read it: it is sent when the turn is
    /// over.
    Queued(String),
    /// The last turn is done again when the run goes on (None: that was taken back).
    Redo {
        turn: Option<usize>,
    },
    /// A turn is done again.
    TurnRepeated {
        turn: usize,
        why: String,
    },
    /// A warning that does not stop the run; a sentence.
    Warned(String),
}

/// The plan of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LivePlan {
    /// `codex 0.169.0`
    pub agent: String,
    pub condition: String,
    /// The folder of the bundle, as a person reads it.
    pub out: String,
    /// The folder of the files that the agent works on, as a person reads it.
    pub workspace: String,
    /// In order; turns count from 1.
    pub requests: Vec<ScriptedRequest>,
    /// Turns that an interrupted run has done already.
    pub done: usize,
    /// True if a person types every request into the agent's screen.
    pub is_chat: bool,
    /// True if the agent has a screen of its own, in which nothing of ours may appear.
    pub has_screen: bool,
    /// The limits that stop the run, in the words of a person.
    pub limits: Vec<String>,
}

/// One request and its details, as `script.json` has it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScriptedRequest {
    /// Counts from 1, without gaps.
    #[serde(default)]
    pub turn: usize,
    pub text: String,
    /// The checkpoint that ends with this turn.
    #[serde(default)]
    pub checkpoint: Option<String>,
    /// Its number in the original script; None when that is [`Self::turn`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The script's text, if a person edited it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// True if a person typed it into the agent's terminal: it is not in the script.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub typed: bool,
}

/// The effect of a layer of project state on a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerEffect {
    pub name: String,
    /// A sentence.
    pub why: String,
}

/// A turn that is over and recorded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EndedTurn {
    /// Counts from 1.
    pub turn: usize,
    pub state: TurnState,
    /// The reason why it does not count, or counts though it failed; a sentence.
    pub why: Option<String>,
    /// The time from its request to its end; 0 when it is not recorded.
    pub seconds: f64,
    /// The agent's own report.
    pub tokens: Tokens,
    /// Processes that the agent had left running, and that were ended.
    pub left_running: usize,
    /// Calls of the layers' helper, and their cost.
    pub helper_calls: usize,
    pub helper_cost_usd: Option<f64>,
    /// Paths that differ from before it, some of them where there are many.
    pub changed: Vec<String>,
    /// The usage of all turns that count.
    pub total: RunTotal,
}

/// Usage of all turns that count.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RunTotal {
    pub turns: usize,
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// The agent's working time.
    pub seconds: f64,
}

/// A command of the person who watches a run, carried out as soon as it can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveCommand {
    /// Sends no further request until [`LiveCommand::GoOn`]; the turn under way goes on.
    Pause,
    /// Ends any wait: sends the request that waits.
    GoOn,
    /// Leaves out the next request.
    Skip,
    /// Replaces the text of the next request.
    Edit(String),
    /// Does the turn under way, or else the last one, again, from the files before it.
    Retry,
    /// Ends the run; the turn under way does not count.
    Stop,
    /// Bytes for the agent's terminal.
    Keys(Vec<u8>),
    /// Columns and rows of the agent's terminal.
    Resize(u16, u16),
}

/// The reason why a request waits for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitReason {
    /// Every request waits.
    StepByStep,
    /// The person paused the run.
    Paused,
    /// A chat waits for the request that a person types into the agent's screen.
    Prompt,
    /// The turn was tried and failed, as this sentence says; going on tries it again.
    Failed(String),
}
