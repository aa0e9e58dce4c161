//! What the one who runs the agent tells the screen, and what the screen may ask of it. Plain values: `runtime` translates.

use trajview_run::live::WaitReason;

/// Something happened in the run that is being made.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveEvent {
    /// What will be done; the first thing that is told.
    Planned(LivePlan),
    /// The agent's terminal, or its output, has more.
    Wrote(Vec<u8>),
    /// Nothing came for a moment: a frame that was begun is shown as it is.
    Silent,
    /// A process of the agent runs.
    Started {
        has_terminal: bool,
    },
    /// A request is sent.
    Began {
        turn: usize,
        attempt: usize,
        layers: Vec<LayerEffect>,
    },
    /// The next request is never sent; those after it are a turn earlier.
    Skipped,
    /// A person typed a request of their own; those after it are a turn later.
    Typed {
        turn: usize,
        text: String,
    },
    /// This turn is done again when the run goes on; None where it stays as it is after all.
    Redo(Option<usize>),
    /// The files of the turn under way differ from those before it.
    Changed(Vec<LiveFileChange>),
    /// The files are being recorded: so many so far.
    Recording(usize),
    /// So much was spent so far, in all.
    Spent(LiveSpending),
    /// A turn is over and recorded.
    Ended {
        turn: usize,
        how: TurnEnd,
        seconds: f64,
    },
    /// The tests after a checkpoint.
    Tested {
        checkpoint: String,
        passed: u64,
        total: u64,
    },
    /// Nothing goes on before the person says so.
    Waits(WaitReason),
    Resumed,
    /// Worth knowing; a sentence.
    Warned(String),
    /// Another program makes the run; what is shown is what it has recorded.
    Elsewhere,
    /// Nothing more will come; a sentence.
    Over {
        words: String,
        is_whole: bool,
    },
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LivePlan {
    /// `codex 0.169.0`
    pub agent: String,
    pub condition: String,
    /// Where it is recorded, as a person reads it.
    pub out: String,
    /// In order; turns count from 1.
    pub requests: Vec<PlannedRequest>,
    /// Turns that an interrupted run has done already.
    pub done: usize,
    /// Whether a person types every request into the agent's screen.
    pub is_chat: bool,
    /// Whether the keys go to a terminal of the agent's.
    pub is_interactive: bool,
    /// Where to stop before: in the words of a person.
    pub limits: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlannedRequest {
    pub turn: usize,
    pub text: String,
    pub checkpoint: Option<String>,
    /// Whether it is not in the script: a person typed it into the agent's terminal.
    pub is_typed: bool,
}

/// What a layer of project state did to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerEffect {
    pub name: String,
    pub why: String,
}

/// A file that the turn under way has changed so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveFileChange {
    pub path: String,
    /// Lines; None for what has none.
    pub lines: Option<(usize, usize)>,
    /// The change as a unified patch, cut where it is long.
    pub patch: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LiveSpending {
    /// None where the agent does not say.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    Done,
    /// It counts all the same, or is done again; a sentence.
    Failed(String),
}
