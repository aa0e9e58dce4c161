//! The types of a row of the list.

use serde::Serialize;

use super::{
    facts::{self, ReuseCounts, TestScores, VerdictSummary},
    number_format::NumberForm,
};
use crate::{
    exposure::ExposureAtTurn, process::ProcessNumbers, quality::QualitySnapshot,
    rubric_tree::TreeSummary,
};
use trajview_run::{checkpoint_record::PassCount, worded_enum::worded};

/// The definition of a number.
#[derive(Debug)]
pub struct NumberDefinition {
    /// The name in JSON and CSV.
    pub id: &'static str,
    /// The name that people read.
    pub label: &'static str,
    /// The name at the head of a narrow column.
    pub short: &'static str,
    /// The unit of the value.
    pub unit: &'static str,
    /// The range, both bounds included; a side without a bound is empty.
    pub range: &'static str,
    pub better: BetterDirection,
    /// The format of its values.
    pub form: NumberForm,
    /// The input and the formula.
    pub input: NumberInput,
    /// Paper, tool or file the formula is from.
    pub source: &'static str,
    /// The formula, in one line.
    pub definition: &'static str,
    /// An explanation without formulas; empty where no column shows the number.
    pub help: &'static str,
    /// The things that the number is made of.
    pub evidence: NumberEvidence,
    /// Its column in the table of runs.
    pub column: Option<NumberColumn>,
    /// The word of its second column there: the value as a harness recorded it.
    pub recorded_word: Option<&'static str>,
}

worded! {
    /// The direction in which a number goes when a run gets better.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum BetterDirection {
        Lower = "lower",
        Higher = "higher",
        /// The number only describes: how much a run cost does not tell how good it is.
        Neither = "neither",
    }
}

impl BetterDirection {
    /// Returns whether a change is an improvement; None for a change of 0, and where no direction is better.
    pub fn is_gain(self, by: f64) -> Option<bool> {
        match self {
            Self::Lower if by != 0.0 => Some(by < 0.0),
            Self::Higher if by != 0.0 => Some(by > 0.0),
            Self::Lower | Self::Higher | Self::Neither => None,
        }
    }
}

/// The input of a number, with the formula over it.
#[derive(Debug, Clone, Copy)]
pub enum NumberInput {
    /// One state of the code.
    Code(fn(&QualitySnapshot) -> f64),
    /// The reuse between the modules of one state of the code.
    Reuse(fn(&ReuseCounts) -> Option<f64>),
    /// The scores that a judge gave the components.
    Judgement(fn(&VerdictSummary) -> Option<f64>),
    /// The audit of what the dialogue gave away.
    Exposure(fn(&ExposureAtTurn) -> f64),
    /// The tests of a checkpoint, as a harness recorded them.
    Tests(fn(&TestScores) -> Option<PassCount>),
    /// Counts over the turns of a run, or over some of them.
    Counted(fn(&facts::TurnCounts) -> Option<f64>),
    /// The recorded usage of turns.
    Spent(fn(&facts::TurnUsage) -> Option<f64>),
    /// The process of the run.
    Process(fn(&ProcessNumbers) -> Option<f64>),
    /// A graded rubric ([`crate::rubric_tree`]).
    RubricTree(fn(&TreeSummary) -> Option<f64>),
    /// Two raters' scores of the same components (`study::agreement` computes them).
    Raters,
    /// Two conditions of the same tasks (`study::paired`), or several runs.
    Runs,
}

impl NumberInput {
    /// Returns the word in JSON and in tables.
    pub const fn input_word(self) -> &'static str {
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

/// The things that a number is made of, which are listed as its evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberEvidence {
    /// The functions and methods, the heaviest first.
    Callables,
    /// The lines in clones, matches of rules and wrappers.
    FlaggedLines,
    Files,
    /// The exported symbols and who uses each.
    Symbols,
    /// The components with their verdicts.
    Components,
    /// The components with what the dialogue reveals of each, turn by turn.
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

impl NumberEvidence {
    /// Returns the word in JSON.
    pub const fn evidence_word(self) -> &'static str {
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

/// A column of the table of runs.
#[derive(Debug, Clone, Copy)]
pub struct NumberColumn {
    /// The word for filters and options.
    pub word: &'static str,
    /// The width in cells.
    pub cells: u8,
}
