//! The columns that identify sessions: the time and place of the work with an agent, and its state.

use super::{ColumnInfo, ColumnKind, ColumnSource, text_column};

/// A column of a session.
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
    pub const fn column_info(self) -> ColumnInfo {
        match self {
            Self::When => number_column("when", 14),
            Self::State => text_column("state", [8, 14]),
            Self::Project => text_column("project", [8, 18]),
            Self::Request => text_column("request", [20, 40]),
            Self::Branch => text_column("branch", [6, 16]),
            Self::Steps => number_column("steps", 6),
            Self::Edits => number_column("edits", 6),
            Self::Failures => ColumnInfo { title: "failed", ..number_column("failures", 6) },
        }
    }

    pub(crate) const fn help_text(self) -> &'static str {
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

const fn number_column(word: &'static str, cells: usize) -> ColumnInfo {
    ColumnInfo {
        kind: ColumnKind::Number,
        source: ColumnSource::Run,
        ..text_column(word, [cells, cells])
    }
}
