//! The rubrics a judge can be asked by: a level for each component, decision or part of a pillar, or flags for each group of
//! criteria.
//!
//! To add one, add it here and say in [`super::item`] what one conversation of it is about.

use serde_json::Value;

use trajview_run::{
    rubric::{
        self, Levels, Unit,
        codebook::{CODEBOOK_PROMPT, COMPONENTS_PROMPT, DECISIONS_PROMPT},
    },
    values::worded,
};

use super::{answer, flags};

worded! {
    /// What is asked for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Scale {
        /// How faithfully a component is implemented, from 0 to 4.
        #[default]
        Levels = "slump-5",
        /// The places that meet a criterion.
        Flags = "flags",
        /// Whether the code keeps a decision.
        Decisions = "decisions",
        /// How well a part of a pillar of process was done, from 0 to 3.
        Process = "process",
        /// How a component does on the scales of a codebook, which are others than the rubric's own.
        Codebook = "codebook",
    }
}

impl Scale {
    /// What a judgement file calls it.
    pub fn recorded(self) -> &'static str {
        match self {
            Self::Flags => trajview_run::flags::RUBRIC,
            Self::Codebook => self.word(),
            Self::Levels | Self::Decisions | Self::Process => {
                self.levels().map_or("", |levels| levels.rubric)
            }
        }
    }

    /// Those that a user can name; a codebook is taken where one is written for components.
    pub const NAMED: [Self; 4] = [Self::Levels, Self::Flags, Self::Decisions, Self::Process];

    /// The levels that it gives; None where it flags places, and where a codebook says them.
    pub const fn levels(self) -> Option<&'static Levels> {
        match self {
            Self::Levels => Some(&rubric::COMPONENTS),
            Self::Flags | Self::Codebook => None,
            Self::Decisions => Some(&rubric::DECISIONS),
            Self::Process => Some(&rubric::PROCESS),
        }
    }

    /// What kind of thing its answers are of.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Levels | Self::Codebook => Unit::Component,
            Self::Flags => Unit::Flag,
            Self::Decisions => Unit::Decision,
            Self::Process => Unit::Process,
        }
    }

    /// What one conversation is about: `component` or `group`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Levels | Self::Codebook => "component",
            Self::Flags => "group",
            Self::Decisions => "decision",
            Self::Process => "part",
        }
    }

    /// The call by which a judge answers and ends the conversation.
    pub const fn call(self) -> &'static str {
        match self {
            Self::Levels | Self::Decisions | Self::Process | Self::Codebook => "verdict",
            Self::Flags => "flags",
        }
    }

    /// What a judge is told of that call.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Levels | Self::Decisions | Self::Process | Self::Codebook => {
                "Gives your verdict and ends the examination."
            }
            Self::Flags => "Gives your flags and ends the examination.",
        }
    }

    /// Of the arguments of that call; of a codebook [`super::given::schema`] has it.
    pub fn schema(self) -> Value {
        self.levels().map_or_else(flags::schema, answer::schema)
    }

    /// The answer of a judge that can call nothing; a codebook has its own ([`trajview_run::rubric::Codebook::example`]).
    pub const fn example(self) -> &'static str {
        match self {
            Self::Levels | Self::Process | Self::Codebook => {
                r#"{"level": 2, "rationale": "two to five sentences", "evidence": [{"path": "src/model.py", "start": 10, "end": 42}]}"#
            }
            Self::Decisions => {
                r#"{"verdict": "kept", "rationale": "two to five sentences", "evidence": [{"path": "src/model.py", "start": 10, "end": 42}]}"#
            }
            Self::Flags => {
                r#"{"flags": [{"criterion": "its id", "path": "src/model.py", "start": 10, "end": 42, "confidence": 4, "explanation": "one to three sentences"}]}"#
            }
        }
    }

    /// What is said to an answer that is none; by a codebook [`super::given::again`] says it.
    pub fn again(self, why: &str) -> String {
        let Some(levels) = self.levels() else {
            return format!(
                "Those were no flags: {why}. Give them now, as one JSON object with \"flags\", a list; each with \
                 \"criterion\", \"path\", \"start\", \"end\", \"confidence\" and \"explanation\"."
            );
        };
        let (key, level) = match levels.in_words {
            true => ("verdict", format!("one of {}", answer::words(levels).join(", "))),
            false => ("level", format!("a level from 0 to {}", levels.full())),
        };
        format!(
            "That was no verdict: {why}. Give it now: {level}, a rationale and the lines it rests on, \
             as one JSON object with \"{key}\", \"rationale\" and \"evidence\"."
        )
    }

    /// The built-in words a judge is told.
    pub const fn prompt(self) -> &'static str {
        match self {
            Self::Levels => COMPONENTS_PROMPT,
            Self::Flags => trajview_assets::FLAGS_PROMPT,
            Self::Decisions => DECISIONS_PROMPT,
            Self::Process => trajview_assets::PROCESS_PROMPT,
            Self::Codebook => CODEBOOK_PROMPT,
        }
    }
}
