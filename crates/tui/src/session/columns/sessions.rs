//! The columns that tell sessions apart: when and where somebody worked with an agent, and how it stands.

use super::{About, Kind, Source, words};

/// What a column tells of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionColumn {
    When,
    State,
    Project,
    Request,
    Branch,
    Steps,
    Edits,
    Failures,
}

impl SessionColumn {
    pub const fn about(self) -> About {
        match self {
            Self::When => number("when", 14),
            Self::State => words("state", [8, 14]),
            Self::Project => words("project", [8, 18]),
            Self::Request => words("request", [20, 40]),
            Self::Branch => words("branch", [6, 16]),
            Self::Steps => number("steps", 6),
            Self::Edits => number("edits", 6),
            Self::Failures => About { title: "failed", ..number("failures", 6) },
        }
    }

    pub const fn help(self) -> &'static str {
        match self {
            Self::When => "the last recorded moment, else when the file was written, in UTC",
            Self::State => {
                "working (in a tool that has not returned), waiting for the person, or stopped; as the last look found it"
            }
            Self::Project => "the folder that the agent worked in, its last part",
            Self::Request => "the first request, its first line",
            Self::Branch => "the branch of version control when it began, as recorded",
            Self::Steps => "messages, thinking and tool calls, those of sub-agents too",
            Self::Edits => "recorded changes of files, those of sub-agents too",
            Self::Failures => "calls that failed, as far as the recording says how they ended",
        }
    }
}

const fn number(word: &'static str, cells: usize) -> About {
    About { kind: Kind::Number, source: Source::Run, ..words(word, [cells, cells]) }
}
