//! The rubrics that give a level to each thing that is judged, and what their levels are called.

/// The five levels of the rubric `slump-5`, from 0.
pub const LEVELS: [&str; 5] = ["Absent", "Wrong", "Simplified", "Equivalent", "Faithful"];

/// The highest score.
pub const FULL_SCORE: u8 = 4;

/// A rubric that gives a level to each thing that is judged.
#[derive(Debug, PartialEq, Eq)]
pub struct RubricLevels {
    /// The rubric's name in a judgement file.
    pub rubric: &'static str,
    /// The names of the levels, from 0.
    pub names: &'static [&'static str],
    /// True if a judge answers with the name of a level, or with [`CANNOT_TELL`], instead of a number.
    pub in_words: bool,
}

/// The fidelity of a component.
pub const COMPONENT_LEVELS: RubricLevels =
    RubricLevels { rubric: "slump-5", names: &LEVELS, in_words: false };

/// The state of a decision in the code.
pub const DECISION_LEVELS: RubricLevels =
    RubricLevels { rubric: "decisions", names: &["broken", "kept"], in_words: true };

/// The quality of a part of a pillar of process.
pub const PROCESS_LEVELS: RubricLevels =
    RubricLevels { rubric: "process", names: &["none", "poor", "fair", "good"], in_words: false };

/// The result for a requirement of a rubric tree.
pub const LEAF_LEVELS: RubricLevels =
    RubricLevels { rubric: "paperbench", names: &["not met", "met"], in_words: false };

/// The result for a flagged place: it meets its criterion or not.
pub const FLAG_LEVELS: RubricLevels =
    RubricLevels { rubric: "scb-flags", names: &["reject", "accept"], in_words: false };

/// The result for a signal: it is real or not.
pub const SIGNAL_LEVELS: RubricLevels =
    RubricLevels { rubric: "signals", names: &["not real", "real"], in_words: false };

/// The answer of a judge that can neither affirm nor deny; it has no score.
pub const CANNOT_TELL: &str = "cannot tell";

impl RubricLevels {
    /// Returns the highest.
    pub const fn highest_score(&self) -> u8 {
        self.names.len() as u8 - 1
    }

    pub fn name(&self, score: u8) -> Option<&'static str> {
        self.names.get(usize::from(score)).copied()
    }

    /// Returns the rubric of that name; what is not known has the levels of components.
    pub fn by_rubric(rubric: Option<&str>) -> &'static Self {
        let rubrics = [&DECISION_LEVELS, &PROCESS_LEVELS];
        rubrics.into_iter().find(|it| rubric == Some(it.rubric)).unwrap_or(&COMPONENT_LEVELS)
    }
}
