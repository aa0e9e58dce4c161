//! The rubrics that give a level to each thing that is judged, and what their levels are called.

/// The five levels of the rubric `slump-5`, from 0.
pub const LEVELS: [&str; 5] = ["Absent", "Wrong", "Simplified", "Equivalent", "Faithful"];

/// The highest score.
pub const FULL: u8 = 4;

/// A rubric that gives a level to each thing that is judged.
#[derive(Debug, PartialEq, Eq)]
pub struct Levels {
    /// What a judgement file calls it.
    pub rubric: &'static str,
    /// From 0.
    pub names: &'static [&'static str],
    /// Whether a judge answers with the name of a level, or says [`CANNOT_TELL`], in the place of a number.
    pub in_words: bool,
}

/// How faithful a component is.
pub const COMPONENTS: Levels = Levels { rubric: "slump-5", names: &LEVELS, in_words: false };

/// Whether the code keeps a decision.
pub const DECISIONS: Levels =
    Levels { rubric: "decisions", names: &["broken", "kept"], in_words: true };

/// How well a part of a pillar of process was done.
pub const PROCESS: Levels =
    Levels { rubric: "process", names: &["none", "poor", "fair", "good"], in_words: false };

/// Whether a requirement of a rubric tree is met.
pub const LEAVES: Levels =
    Levels { rubric: "paperbench", names: &["not met", "met"], in_words: false };

/// Whether a place meets the criterion that it was flagged by.
pub const FLAGS: Levels =
    Levels { rubric: "scb-flags", names: &["reject", "accept"], in_words: false };

/// Whether a moment of the run is what its signal says.
pub const SIGNALS: Levels =
    Levels { rubric: "signals", names: &["not real", "real"], in_words: false };

/// What a judge says of what it can neither affirm nor deny: an answer, without a score.
pub const CANNOT_TELL: &str = "cannot tell";

impl Levels {
    /// The highest.
    pub const fn full(&self) -> u8 {
        self.names.len() as u8 - 1
    }

    pub fn name(&self, score: u8) -> Option<&'static str> {
        self.names.get(usize::from(score)).copied()
    }

    /// The rubric of that name; what is not known has the levels of components.
    pub fn of(rubric: Option<&str>) -> &'static Self {
        let known = [&DECISIONS, &PROCESS];
        known.into_iter().find(|it| rubric == Some(it.rubric)).unwrap_or(&COMPONENTS)
    }
}
