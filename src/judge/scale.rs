//! The rubrics a judge can be asked by: a level for each component, or flags for each group of criteria.
//!
//! To add one, add it here and say in [`super::item`] what one conversation of it is about.

use serde_json::Value;

use crate::run::values::worded;

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
    }
}

impl Scale {
    /// What a judgement file calls it.
    pub const fn recorded(self) -> &'static str {
        match self {
            Self::Levels => "slump-5",
            Self::Flags => crate::run::flags::RUBRIC,
        }
    }

    /// What one conversation is about: `component` or `group`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Levels => "component",
            Self::Flags => "group",
        }
    }

    /// The call by which a judge answers and ends the conversation.
    pub const fn call(self) -> &'static str {
        match self {
            Self::Levels => "verdict",
            Self::Flags => "flags",
        }
    }

    /// What a judge is told of that call.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Levels => "Gives your verdict and ends the examination.",
            Self::Flags => "Gives your flags and ends the examination.",
        }
    }

    /// Of the arguments of that call.
    pub fn schema(self) -> Value {
        match self {
            Self::Levels => answer::schema(),
            Self::Flags => flags::schema(),
        }
    }

    /// The answer of a judge that can call nothing.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Levels => {
                r#"{"level": 2, "rationale": "two to five sentences", "evidence": [{"path": "src/model.py", "start": 10, "end": 42}]}"#
            }
            Self::Flags => {
                r#"{"flags": [{"criterion": "its id", "path": "src/model.py", "start": 10, "end": 42, "confidence": 4, "explanation": "one to three sentences"}]}"#
            }
        }
    }

    /// What is said to an answer that is none.
    pub fn again(self, why: &str) -> String {
        match self {
            Self::Levels => format!(
                "That was no verdict: {why}. Give it now: a level from 0 to 4, a rationale and the lines it rests on, \
                 as one JSON object with \"level\", \"rationale\" and \"evidence\"."
            ),
            Self::Flags => format!(
                "Those were no flags: {why}. Give them now, as one JSON object with \"flags\", a list; each with \
                 \"criterion\", \"path\", \"start\", \"end\", \"confidence\" and \"explanation\"."
            ),
        }
    }

    /// The built-in words a judge is told.
    pub const fn prompt(self) -> &'static str {
        match self {
            Self::Levels => include_str!("../../assets/judge/slump-5.md"),
            Self::Flags => include_str!("../../assets/judge/flags.md"),
        }
    }
}
