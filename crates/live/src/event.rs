//! What happens in a run, for whoever watches. Plain values; no word of them holds a key.

use std::path::PathBuf;

use trajview_run::Tokens;

use super::manifest::{LayerRow, TurnRow};

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The bundle is there, and may be opened and followed from now on.
    Opened {
        bundle: PathBuf,
        agent: String,
        version: Option<String>,
        model: Option<String>,
        condition: &'static str,
        /// Requests in all.
        requests: usize,
        /// Turns done before, where a run is gone on with.
        done: usize,
        /// The files the agent works on.
        workspace: PathBuf,
    },
    /// What the run begins with, and what prepares it; a sentence.
    Beginning(String),
    /// A request is about to be sent and waits for the person; `GoOn`, `Skip`, `Edit`, `Retry` and `Stop` end that.
    Waits {
        turn: usize,
        request: String,
        why: Why,
    },
    TurnBegan {
        /// Counts from 1.
        turn: usize,
        /// As it is sent, what the layers added included.
        request: String,
        /// Counts from 1; more than 1 where the turn is done again.
        attempt: usize,
        checkpoint: Option<String>,
        layers: Vec<LayerRow>,
    },
    /// A process of the agent runs; its words, without its surroundings.
    Started {
        command: String,
        process: u32,
        has_terminal: bool,
    },
    /// Bytes of the agent's terminal, in order.
    Terminal(Vec<u8>),
    /// A line that an agent without a terminal printed.
    Said(String),
    /// What the agent was not allowed to do; the run goes on.
    Denied(String),
    /// The agent's log in the bundle is longer than before.
    Grew,
    /// What the turn under way has used so far, where the agent says it while it works.
    Used {
        tokens: Tokens,
        cost_usd: Option<f64>,
    },
    /// The files are being read for the commit of the turn: so many so far. Told where there are many.
    Recording {
        files: usize,
    },
    /// The turn is recorded: as in `run.json`. `changed` are paths that differ from before it, some of them where there are
    /// many. `total` is of all turns that count.
    TurnEnded {
        row: Box<TurnRow>,
        changed: Vec<String>,
        total: Total,
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
    /// A person sent this while a turn is under way, and nobody has read it: it is asked when the turn is over.
    Queued(String),
    /// The last turn is done again when the run goes on (None: it stays as it is after all).
    Redo {
        turn: Option<usize>,
    },
    /// A turn is done again.
    Again {
        turn: usize,
        why: String,
    },
    /// Something that should be known, and that does not stop the run; a sentence.
    Warned(String),
}

/// Why a request waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Each one does.
    StepByStep,
    Paused,
    /// A chat waits for what a person types into the agent's screen.
    Prompt,
    /// The turn was tried and failed, as this sentence says; going on tries it again.
    Failed(String),
}

/// Of all turns that count.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Total {
    pub turns: usize,
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// The agent's working time.
    pub seconds: f64,
}
