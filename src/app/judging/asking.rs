//! What the pane asks of the world, and what comes back. Plain values: no key, no header is ever among them.

use crate::run::rubric::Look;

/// A judge of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judge {
    pub name: String,
    /// `chat`, `responses`, `messages` or `command`.
    pub kind: String,
    /// Empty where the judge needs none.
    pub model: String,
    /// Looks for one component, unless somebody says otherwise.
    pub budget: u32,
}

/// What is to be judged, by whom, by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// Name of a judge.
    pub judge: String,
    /// Ids; None for all of the checklist.
    pub components: Option<Vec<String>>,
    /// Turns done, in order, each once; one judging each.
    pub moments: Vec<usize>,
    /// Looks for one component.
    pub budget: u32,
    /// Files to make of each moment; at least 1.
    pub repeats: usize,
    /// Path of a prompt; None for the built-in one.
    pub prompt: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Anew,
    /// Where the last one of the same wish stopped.
    Resume,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// What it would take; nothing is sent.
    Plan(Wish),
    Judge(Wish, Start),
}

/// The most a judging can take. A usual one takes far less.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Where requests go: an address, or a command line.
    pub place: String,
    /// Components of one judging.
    pub components: usize,
    /// At most, retries after faults aside.
    pub requests: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// US dollars, the bound taken into account; None without prices.
    pub cost: Option<f64>,
    /// US dollars that are never crossed; None without a bound.
    pub bound: Option<f64>,
    /// First hex digits of the SHA-256 of the prompt.
    pub prompt: String,
    /// A sentence about what is missing to begin, such as a key.
    pub lacks: Option<String>,
}

/// One thing that happened while a judge was asked.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A file is open; so many of its components are judged already.
    File(File),
    Began {
        component: String,
    },
    /// Words of the judge between its looks, and what they took.
    Replied {
        component: String,
        words: String,
        tokens: Option<u64>,
        /// US dollars for everything so far; None without prices.
        spent: Option<f64>,
    },
    Looked {
        component: String,
        look: Look,
        is_refused: bool,
    },
    Waits {
        component: String,
        why: String,
        seconds: f64,
    },
    /// It is saved.
    Ended {
        component: String,
        score: Option<u8>,
        error: Option<String>,
        done: usize,
    },
    /// Time passes.
    Beat,
}

/// A judgement file that is being filled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct File {
    /// Its name in the run's folder of judgements.
    pub name: String,
    /// Turns done.
    pub turn: usize,
    /// Counts from 1.
    pub repeat: usize,
    pub done: usize,
    pub total: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Finished,
    Stopped,
    Failed,
}

/// How a judging ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub how: How,
    /// A sentence.
    pub words: String,
    /// Names of the files there are now, and what each holds.
    pub files: Vec<(String, String)>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Planned(Result<Plan, String>),
    /// After so many seconds.
    News(f64, News),
    Over(Outcome),
}
