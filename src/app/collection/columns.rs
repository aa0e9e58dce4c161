//! The columns of the table, one row each.
//!
//! To add one add it to [`COLUMNS`] and say in `values` where its value comes from.

use crate::metrics::Better;

/// What a column tells of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Column {
    Run,
    /// The first that has the keyboard.
    #[default]
    Task,
    Agent,
    Condition,
    Turns,
    Erosion,
    Verbosity,
    Dir,
    Strict,
    Iso,
    Core,
    RecordedErosion,
    RecordedVerbosity,
    Mcf,
    If50,
    Checkpoints,
    Model,
    Lines,
    Tokens,
    Cost,
    Time,
    Warnings,
    Curve,
    Title,
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The recording.
    Run,
    /// A harness wrote it down beside the recording.
    Harness,
    /// We worked it out from the files.
    Computed,
    /// A judge or a person gave scores.
    Judged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Words,
    Number,
}

/// Everything fixed about a column.
pub struct About {
    pub column: Column,
    /// For filters and options: `recorded-erosion`.
    pub word: &'static str,
    pub title: &'static str,
    /// One line below the table.
    pub help: &'static str,
    pub kind: Kind,
    pub source: Source,
    /// Cells at most.
    pub most: usize,
    /// Words are cut down to so many cells where the screen is small.
    pub least: usize,
}

const fn about(
    column: Column,
    [word, title, help]: [&'static str; 3],
    kind: Kind,
    source: Source,
    [least, most]: [usize; 2],
) -> About {
    About { column, word, title, help, kind, source, most, least }
}

#[rustfmt::skip] // a table: one row a column
pub const COLUMNS: &[About] = {
    use Kind::{Number, Words};
    use Source::{Computed, Harness, Judged, Run};
    &[
        about(Column::Run, ["run", "run", "where the recording is, below what was opened"], Words, Run, [16, 28]),
        about(Column::Task, ["task", "task", "what the agent was to do"], Words, Run, [10, 16]),
        about(Column::Agent, ["agent", "agent", "the agent and its version"], Words, Run, [9, 18]),
        about(Column::Condition, ["condition", "condition", "emergent or single-shot"], Words, Run, [11, 11]),
        about(Column::Turns, ["turns", "turns", "requests, each with all that answers it"], Number, Run, [6, 6]),
        about(Column::Erosion, ["erosion", "erosion", "share of mass in callables with more than 10 paths, at the end; lower is better"], Number, Computed, [7, 7]),
        about(Column::Verbosity, ["verbosity", "verbosity", "share of lines that are clones, rule hits or wrappers, at the end"], Number, Computed, [9, 9]),
        about(Column::Dir, ["dir", "DIR", "dependency integration: share of exported symbols that another module uses, at the end; higher is better"], Number, Computed, [6, 6]),
        about(Column::Strict, ["strict", "strict", "tests of the last checkpoint and all before it: passed of all"], Number, Harness, [9, 9]),
        about(Column::Iso, ["iso", "iso", "tests of the last checkpoint alone: passed of all"], Number, Harness, [9, 9]),
        about(Column::Core, ["core", "core", "core tests of the last checkpoint: passed of all"], Number, Harness, [7, 7]),
        about(Column::RecordedErosion, ["recorded-erosion", "erosion", "erosion of the last checkpoint, as the harness recorded it"], Number, Harness, [7, 7]),
        about(Column::RecordedVerbosity, ["recorded-verbosity", "verbosity", "verbosity of the last checkpoint, as the harness recorded it"], Number, Harness, [9, 9]),
        about(Column::Mcf, ["mcf", "MCF", "mean component fidelity, 0–4, of the judgement that speaks for the run; higher is better"], Number, Judged, [5, 5]),
        about(Column::If50, ["if50", "IF50", "half MCF / 4 and half DIR, where the end of the run was judged; higher is better"], Number, Judged, [6, 6]),
        about(Column::Checkpoints, ["checkpoints", "ckpt", "checkpoints: stages of the task"], Number, Run, [5, 5]),
        about(Column::Model, ["model", "model", "the model as the recording names it"], Words, Run, [10, 16]),
        about(Column::Lines, ["lines", "lines", "lines added and removed, as far as recorded edits tell; sorts by their sum"], Number, Run, [13, 13]),
        about(Column::Tokens, ["tokens", "tokens", "tokens read and written, cached ones included"], Number, Run, [7, 7]),
        about(Column::Cost, ["cost", "cost", "US dollars, as recorded"], Number, Run, [9, 9]),
        about(Column::Time, ["time", "time", "from the first recorded moment to the last; in filters in seconds, or 5m, 2h"], Number, Run, [8, 8]),
        about(Column::Warnings, ["warnings", "⚠", "things in the recording that could not be used; e lists them"], Number, Run, [4, 4]),
        about(Column::Curve, ["curve", "erosion so far", "erosion from checkpoint to checkpoint, each run on its own scale; sorts by its rise"], Number, Computed, [14, 14]),
        about(Column::Title, ["title", "title", "what the recording calls itself"], Words, Run, [12, 40]),
    ]
};

impl Column {
    /// What runs can be grouped by, in the order of going through them.
    pub const GROUPS: [Self; 4] = [Self::Task, Self::Agent, Self::Condition, Self::Model];

    pub fn all() -> impl Iterator<Item = Self> {
        COLUMNS.iter().map(|about| about.column)
    }

    pub fn about(self) -> &'static About {
        &COLUMNS[self as usize]
    }

    pub fn by_word(word: &str) -> Option<Self> {
        let found = COLUMNS.iter().find(|about| about.word.eq_ignore_ascii_case(word));
        found.map(|about| about.column)
    }

    /// `run, task, agent`
    pub fn words() -> String {
        COLUMNS.iter().map(|about| about.word).collect::<Vec<_>>().join(", ")
    }

    pub fn kind(self) -> Kind {
        self.about().kind
    }

    /// What two sides are compared by, in order, and which way is better.
    pub const TESTED: [(Self, Better); 15] = [
        (Self::Mcf, Better::Higher),
        (Self::If50, Better::Higher),
        (Self::Dir, Better::Higher),
        (Self::Erosion, Better::Lower),
        (Self::Verbosity, Better::Lower),
        (Self::Strict, Better::Higher),
        (Self::Iso, Better::Higher),
        (Self::Core, Better::Higher),
        (Self::RecordedErosion, Better::Lower),
        (Self::RecordedVerbosity, Better::Lower),
        (Self::Turns, Better::Neither),
        (Self::Lines, Better::Neither),
        (Self::Tokens, Better::Neither),
        (Self::Cost, Better::Neither),
        (Self::Time, Better::Neither),
    ];

    /// Which way is better.
    pub fn better(self) -> Better {
        let found = Self::TESTED.iter().find(|(column, _)| *column == self);
        found.map_or(Better::Neither, |(_, better)| *better)
    }

    /// The column after this one in going through what runs are grouped by; None after the last.
    pub fn next_group(now: Option<Self>) -> Option<Self> {
        let Some(now) = now else { return Self::GROUPS.first().copied() };
        let place = Self::GROUPS.iter().position(|group| *group == now)?;
        Self::GROUPS.get(place + 1).copied()
    }
}

impl Source {
    /// Above the columns; nothing above those of the recording itself.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Run => "",
            Self::Harness => "recorded",
            Self::Computed => "computed",
            Self::Judged => "judged",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_columns_is_in_their_order_and_their_words_differ() {
        for (place, about) in COLUMNS.iter().enumerate() {
            assert_eq!(about.column as usize, place, "{}", about.word);
            assert_eq!(Column::by_word(about.word), Some(about.column));
            assert!(!about.help.is_empty() && !about.help.ends_with('.'));
            assert!(about.title.chars().count() <= about.most, "{}", about.word);
        }
    }
}
