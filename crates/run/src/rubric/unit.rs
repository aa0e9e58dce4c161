//! The things that can be labelled, and the scales of labels.

use std::fmt;

use crate::worded_enum::worded;

use super::levels::{
    COMPONENT_LEVELS, DECISION_LEVELS, FLAG_LEVELS, LEAF_LEVELS, PROCESS_LEVELS, RubricLevels,
    SIGNAL_LEVELS,
};

worded! {
    /// The kind of thing that a label is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum LabelUnit {
        /// A component of the checklist, known by its id.
        #[default]
        Component = "component",
        /// A leaf of a tree of requirements, known by its way from the root, as `0/3/1`.
        Leaf = "leaf",
        /// A place that meets a criterion, known by its path and lines, as `src/a.py:3-9`, and by the criterion.
        Flag = "flag",
        /// A moment of the run that is worth a look, known by its step, as `12.3`; its criterion is the kind of signal.
        Signal = "signal",
        /// A decision of the project, known by its id.
        Decision = "decision",
        /// A part of a pillar of process, known by its id.
        Process = "process",
    }
}

impl LabelUnit {
    /// Returns the meaning of its scores, unless a codebook gives another.
    pub const fn rubric_levels(self) -> &'static RubricLevels {
        match self {
            Self::Component => &COMPONENT_LEVELS,
            Self::Leaf => &LEAF_LEVELS,
            Self::Flag => &FLAG_LEVELS,
            Self::Signal => &SIGNAL_LEVELS,
            Self::Decision => &DECISION_LEVELS,
            Self::Process => &PROCESS_LEVELS,
        }
    }

    /// Returns the scale of a label that names none.
    pub const fn default_scale(self) -> ScoreScale {
        ScoreScale::Levels { low: 0, high: self.rubric_levels().highest_score() }
    }

    /// Returns the scale that a label names by its words; the unit's own where it names none that can be read.
    pub(crate) fn scale_named(self, words: Option<&str>) -> ScoreScale {
        words.and_then(|words| ScoreScale::parse(words).ok()).unwrap_or(self.default_scale())
    }

    /// Returns several of them, as a heading has it.
    pub const fn plural_word(self) -> &'static str {
        match self {
            Self::Component => "components",
            Self::Leaf => "leaves",
            Self::Flag => "flags",
            Self::Signal => "signals",
            Self::Decision => "decisions",
            Self::Process => "parts of process",
        }
    }

    /// Returns whether a judge raised the thing to be labelled, so that its score is known beforehand.
    pub const fn is_raised(self) -> bool {
        matches!(self, Self::Flag | Self::Signal)
    }
}

/// The range of a label's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreScale {
    /// The whole numbers from one to another, both included: `0..4`, `0..1`, `1..5`.
    Levels { low: u8, high: u8 },
    /// Any number from 0 to 1: `[0,1]`.
    Share,
}

/// The highest level that a scale may have: one digit, so that each level has a key.
const HIGHEST: u8 = 9;

impl ScoreScale {
    /// Reads `0..4`, `1..5`, `[0,1]`; the error is a sentence.
    pub fn parse(words: &str) -> Result<Self, String> {
        let bare: String = words.chars().filter(|c| !c.is_whitespace()).collect();
        if bare == "[0,1]" {
            return Ok(Self::Share);
        }
        let ends = bare.split_once("..").and_then(|(low, high)| {
            Some((low.parse::<u8>().ok()?, high.trim_start_matches('=').parse::<u8>().ok()?))
        });
        match ends {
            Some((low, high)) if low < high && high <= HIGHEST => Ok(Self::Levels { low, high }),
            _ => Err(format!("{words:?} is not a scale; use 0..4, 0..1, 1..5 or [0,1]")),
        }
    }

    pub fn contains_score(self, score: f64) -> bool {
        match self {
            Self::Levels { low, high } => {
                score.fract() == 0.0 && (f64::from(low)..=f64::from(high)).contains(&score)
            }
            Self::Share => (0.0..=1.0).contains(&score),
        }
    }

    /// Returns its levels from the lowest; none where any number between may be given.
    pub fn level_range(self) -> impl Iterator<Item = u8> {
        match self {
            Self::Levels { low, high } => low..=high,
            #[allow(clippy::reversed_empty_ranges)] // the empty one of this type
            Self::Share => 1..=0,
        }
    }

    /// Returns the lowest and the highest score.
    pub const fn lowest_and_highest(self) -> (u8, u8) {
        match self {
            Self::Levels { low, high } => (low, high),
            Self::Share => (0, 1),
        }
    }

    /// Returns the expected score for a sentence: `a level from 0 to 4`.
    pub fn expected_text(self) -> String {
        let (low, high) = self.lowest_and_highest();
        let what = if self == Self::Share { "number" } else { "level" };
        format!("a {what} from {low} to {high}")
    }
}

impl fmt::Display for ScoreScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Levels { low, high } => write!(f, "{low}..{high}"),
            Self::Share => f.write_str("[0,1]"),
        }
    }
}

/// Returns a score as files and screens write it: `3`, `0.5`; a whole number has no point.
pub fn score_text(score: f64) -> String {
    score.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_read_as_it_is_written() {
        for words in ["0..4", "0..1", "1..5", "[0,1]"] {
            assert_eq!(ScoreScale::parse(words).unwrap().to_string(), words);
        }
        assert_eq!(ScoreScale::parse(" [0, 1] "), Ok(ScoreScale::Share));
        for words in ["", "4..0", "3..3", "0..10", "0-4", "a..b", "[0,2]"] {
            assert!(ScoreScale::parse(words).unwrap_err().contains("use 0..4"), "{words}");
        }
    }

    #[test]
    fn a_scale_holds_its_levels_alone_and_a_share_whatever_lies_between() {
        let likert = ScoreScale::Levels { low: 1, high: 5 };
        assert!([1.0, 5.0].iter().all(|score| likert.contains_score(*score)));
        assert!([0.0, 6.0, 2.5, f64::NAN].iter().all(|score| !likert.contains_score(*score)));
        assert!(ScoreScale::Share.contains_score(0.25) && !ScoreScale::Share.contains_score(1.5));
        assert_eq!(likert.level_range().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(ScoreScale::Share.level_range().count(), 0);
        assert_eq!((score_text(3.0), score_text(0.25)), ("3".into(), "0.25".into()));
    }
}
