//! What a row of the list says.

use serde::Serialize;

use super::{
    facts::{self, Reused, Tested, Verdicts},
    rows::Number,
    written::Form,
};
use crate::{exposure::AtTurn, process::Processed, quality::Snapshot, rubric_tree::Summary};
use trajview_run::{recorded::Passed, values::worded};

/// Everything fixed about a number.
#[derive(Debug)]
pub struct Row {
    /// The name in JSON and CSV.
    pub id: &'static str,
    /// The name people read.
    pub label: &'static str,
    /// The name at the head of a narrow column.
    pub short: &'static str,
    /// What one of it is.
    pub unit: &'static str,
    /// From and to, both included; open where there is no bound.
    pub range: &'static str,
    pub better: Better,
    /// How it is written.
    pub form: Form,
    /// How it is got.
    pub of: Of,
    /// Paper, tool or file the formula is from.
    pub source: &'static str,
    /// The formula, in one line.
    pub definition: &'static str,
    /// What it is, in words for who does not read formulas; empty where no column shows it.
    pub help: &'static str,
    /// What it opens into.
    pub opens: Evidence,
    pub shown: Shown,
}

worded! {
    /// Which way a number goes when a run gets better.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Better {
        Lower = "lower",
        Higher = "higher",
        /// It only describes: how much a run took says nothing of what it is worth.
        Neither = "neither",
    }
}

impl Better {
    /// Whether a change is for the better; None where it is neither, or none.
    pub fn gains(self, by: f64) -> Option<bool> {
        match self {
            Self::Lower if by != 0.0 => Some(by < 0.0),
            Self::Higher if by != 0.0 => Some(by > 0.0),
            Self::Lower | Self::Higher | Self::Neither => None,
        }
    }
}

/// What a number is worked out of, and how.
#[derive(Debug, Clone, Copy)]
pub enum Of {
    /// One state of the code.
    Code(fn(&Snapshot) -> f64),
    /// What the modules of one state of the code use of each other.
    Reuse(fn(&Reused) -> Option<f64>),
    /// The scores that a judge gave the components.
    Judgement(fn(&Verdicts) -> Option<f64>),
    /// The audit of what the dialogue gave away.
    Exposure(fn(&AtTurn) -> f64),
    /// The tests of a checkpoint, as a harness recorded them.
    Tests(fn(&Tested) -> Option<Passed>),
    /// What is counted in the turns of a run, or in a stretch of them.
    Counted(fn(&facts::Counted) -> Option<f64>),
    /// What turns record that they took.
    Spent(fn(&facts::Spent) -> Option<f64>),
    /// How the run was worked on.
    Process(fn(&Processed) -> Option<f64>),
    /// A graded rubric ([`crate::rubric_tree`]).
    RubricTree(fn(&Summary) -> Option<f64>),
    /// Two raters' scores of the same components (`study::agreement` computes them).
    Raters,
    /// Two conditions of the same tasks (`study::paired`), or several runs.
    Runs,
}

impl Of {
    /// The word in JSON and in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Code(_) => "snapshot",
            Self::Reuse(_) | Self::Judgement(_) | Self::Exposure(_) | Self::Process(_) => "run",
            Self::Tests(_) => "checkpoint",
            Self::Counted(_) | Self::Spent(_) => "turns",
            Self::RubricTree(_) => "rubric tree",
            Self::Raters => "raters",
            Self::Runs => "runs",
        }
    }
}

/// What a number opens into: the things it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The functions and methods, the heaviest first.
    Callables,
    /// The lines in clones, matches of rules and wrappers.
    FlaggedLines,
    Files,
    /// The exported symbols and who uses each.
    Symbols,
    /// The components with their verdicts.
    Components,
    /// The components with what was said of each, turn by turn.
    Exposure,
    TestCases,
    Turns,
    /// The steps at which something was counted.
    Steps,
    /// The nodes of the rubric tree.
    Nodes,
    /// The things that both raters scored.
    RatedPairs,
    Runs,
}

impl Evidence {
    /// The word in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Callables => "callables",
            Self::FlaggedLines => "flagged lines",
            Self::Files => "files",
            Self::Symbols => "symbols",
            Self::Components => "components",
            Self::Exposure => "exposure of components",
            Self::TestCases => "test cases",
            Self::Turns => "turns",
            Self::Steps => "steps",
            Self::Nodes => "nodes",
            Self::RatedPairs => "pairs of scores",
            Self::Runs => "runs",
        }
    }
}

/// Where a number is shown: its rank in each place, None where it is not shown. All places are named in each row, so
/// that a new number cannot forget one.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// Among the curves of a run.
    pub curve: Option<u8>,
    /// The curve that is drawn on the same axis.
    pub drawn_with: Option<Number>,
    /// In the table of runs.
    pub column: Option<Column>,
    /// In the table of runs, as a harness recorded it.
    pub recorded: Option<Column>,
    /// In the comparison: its numbers, its curves, its JSON and its CSV.
    pub compare: Option<u8>,
    /// In the comparison's printed tables of phases and checkpoints.
    pub phase: Option<u8>,
    /// In the corpus: runs, paired tests, JSON and CSV.
    pub corpus: Option<u8>,
    /// In the printed table of the corpus that has a row a task.
    pub task: Option<u8>,
    /// Among the numbers of which a corpus says how they go from checkpoint to checkpoint.
    pub trend: Option<u8>,
    /// In the printed table of `score`.
    pub score: Option<u8>,
    /// In the CSV of `score`.
    pub csv: Option<u8>,
    /// In the printed table that sets what is recorded beside what is computed.
    pub beside: Option<u8>,
}

/// A column of the table of runs.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub rank: u8,
    /// The word for filters and options.
    pub word: &'static str,
    /// How wide it is, in cells.
    pub cells: u8,
    /// Its rank among the numbers by which two sides are compared.
    pub tested: Option<u8>,
}

/// A number that only `trajview metrics` lists, and the one place that computes it.
pub const NOWHERE: Shown = Shown {
    curve: None,
    drawn_with: None,
    column: None,
    recorded: None,
    compare: None,
    phase: None,
    corpus: None,
    task: None,
    trend: None,
    score: None,
    csv: None,
    beside: None,
};
