//! The events of a run, for its watchers. Plain values; no text of them has a key.

use std::path::PathBuf;

use trajview_run::{Tokens, live::WaitReason};

use super::manifest::{LayerRow, LiveTurnRow};

#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent {
    /// The bundle exists, and may be opened and followed from now on.
    Opened {
        bundle: PathBuf,
        agent: String,
        version: Option<String>,
        model: Option<String>,
        condition: &'static str,
        /// The number of requests.
        requests: usize,
        /// Turns done before, when a run is resumed.
        done: usize,
        /// The files the agent works on.
        workspace: PathBuf,
    },
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
        checkpoint: Option<String>,
        layers: Vec<LayerRow>,
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
    /// The turn is recorded: as in `run.json`. `changed` are paths that differ from before it, some of them where there are
    /// many. `total` is of all turns that count.
    TurnEnded {
        row: Box<LiveTurnRow>,
        changed: Vec<String>,
        total: RunTotal,
    },
    /// The tests of a checkpoint were run.
    Tested {
        checkpoint: String,
        passed: u64,
        total: u64,
        seconds: f64,
    },
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

/// Usage of all turns that count.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RunTotal {
    pub turns: usize,
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// The agent's working time.
    pub seconds: f64,
}
