//! The columns of the table: values of the card of a run in `card_columns`, and the numbers that have a column.
//!
//! The row of a number in [`trajview_metrics::numbers`] has the word and the width of its column.

mod card_columns;

use super::corrected_mcf::ShownMeans;
use trajview_metrics::{BetterDirection, Number, numbers::NumberInput};

pub use card_columns::{CardColumn, CardValue, ReadCard};

/// A column of the table of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunTableColumn {
    Run,
    /// A value of the run's card.
    Card(CardColumn),
    Curve,
    Number(Number),
    /// A number that a harness recorded.
    Recorded(Number),
}

/// The set of columns that a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnSet {
    /// The columns that identify sessions.
    Sessions,
    /// The columns with the scores of runs of tasks.
    #[default]
    Scores,
}

/// The source of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnSource {
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
pub enum ColumnKind {
    Words,
    Number,
}

/// The fixed properties of a column.
#[derive(Debug, Clone, Copy)]
pub struct ColumnInfo {
    /// The word for filters and options: `recorded-erosion`.
    pub word: &'static str,
    pub title: &'static str,
    pub kind: ColumnKind,
    pub source: ColumnSource,
    /// Cells at most.
    pub max_cells: usize,
    /// Words are cut down to so many cells where the screen is small.
    pub min_cells: usize,
}

/// The columns of the MCF, of which a table shows one.
const JUDGED_MCF: RunTableColumn = RunTableColumn::Number(Number::Mcf);
const CORRECTED_MCF: RunTableColumn = RunTableColumn::Card(CardColumn::Corrected);

/// The columns of scores, from left to right.
const SCORE_COLUMNS: [RunTableColumn; 37] = [
    RunTableColumn::Run,
    RunTableColumn::Card(CardColumn::Task),
    RunTableColumn::Card(CardColumn::Outcome),
    RunTableColumn::Card(CardColumn::Reward),
    RunTableColumn::Card(CardColumn::Attempt),
    RunTableColumn::Card(CardColumn::Agent),
    RunTableColumn::Card(CardColumn::Condition),
    RunTableColumn::Number(Number::Turns),
    RunTableColumn::Number(Number::Erosion),
    RunTableColumn::Number(Number::Verbosity),
    RunTableColumn::Number(Number::Dir),
    RunTableColumn::Number(Number::Tests),
    RunTableColumn::Number(Number::TestsIso),
    RunTableColumn::Number(Number::TestsCore),
    RunTableColumn::Recorded(Number::Erosion),
    RunTableColumn::Recorded(Number::Verbosity),
    JUDGED_MCF,
    CORRECTED_MCF,
    RunTableColumn::Number(Number::If50),
    RunTableColumn::Card(CardColumn::Judge),
    RunTableColumn::Card(CardColumn::JudgedTurn),
    RunTableColumn::Number(Number::Checkpoints),
    RunTableColumn::Card(CardColumn::Model),
    RunTableColumn::Number(Number::Churn),
    RunTableColumn::Number(Number::Tokens),
    RunTableColumn::Number(Number::Cost),
    RunTableColumn::Number(Number::CostComputed),
    RunTableColumn::Number(Number::Duration),
    RunTableColumn::Number(Number::Warnings),
    RunTableColumn::Card(CardColumn::Error),
    RunTableColumn::Card(CardColumn::RewardName),
    RunTableColumn::Curve,
    RunTableColumn::Number(Number::RigorScore),
    RunTableColumn::Card(CardColumn::Title),
    RunTableColumn::Number(Number::Signals),
    RunTableColumn::Number(Number::MemoryEvents),
    RunTableColumn::Number(Number::StaleRate),
];

/// The columns by which two sides are compared, in order.
pub const TESTED: [RunTableColumn; 18] = [
    RunTableColumn::Number(Number::Mcf),
    RunTableColumn::Number(Number::If50),
    RunTableColumn::Number(Number::Dir),
    RunTableColumn::Number(Number::Erosion),
    RunTableColumn::Number(Number::Verbosity),
    RunTableColumn::Number(Number::Tests),
    RunTableColumn::Number(Number::TestsIso),
    RunTableColumn::Number(Number::TestsCore),
    RunTableColumn::Recorded(Number::Erosion),
    RunTableColumn::Recorded(Number::Verbosity),
    RunTableColumn::Number(Number::Turns),
    RunTableColumn::Number(Number::Churn),
    RunTableColumn::Number(Number::Tokens),
    RunTableColumn::Number(Number::Cost),
    RunTableColumn::Number(Number::Duration),
    RunTableColumn::Number(Number::RigorScore),
    RunTableColumn::Number(Number::Signals),
    RunTableColumn::Number(Number::StaleRate),
];

/// The columns of sessions, from left to right.
const SESSION_COLUMNS: &[RunTableColumn] = &[
    RunTableColumn::Card(CardColumn::When),
    RunTableColumn::Card(CardColumn::State),
    RunTableColumn::Card(CardColumn::Project),
    RunTableColumn::Card(CardColumn::Request),
    RunTableColumn::Card(CardColumn::Agent),
    RunTableColumn::Card(CardColumn::Model),
    RunTableColumn::Number(Number::Turns),
    RunTableColumn::Card(CardColumn::Steps),
    RunTableColumn::Card(CardColumn::Edits),
    RunTableColumn::Card(CardColumn::Failures),
    RunTableColumn::Number(Number::Tokens),
    RunTableColumn::Number(Number::Cost),
    RunTableColumn::Number(Number::CostComputed),
    RunTableColumn::Number(Number::Duration),
    RunTableColumn::Card(CardColumn::Branch),
];

/// Words that columns had, in filters and options of somebody's scripts, and the words they have now.
const FORMER_WORDS: [(&str, &str); 1] = [("lines", "churn")];

const fn text_column(word: &'static str, [least, most]: [usize; 2]) -> ColumnInfo {
    ColumnInfo {
        word,
        title: word,
        kind: ColumnKind::Words,
        source: ColumnSource::Run,
        max_cells: most,
        min_cells: least,
    }
}

impl Default for RunTableColumn {
    /// Returns the first column that has the keyboard.
    fn default() -> Self {
        Self::Card(CardColumn::Task)
    }
}

impl RunTableColumn {
    /// The columns by which runs can be grouped, in the order of switching.
    pub const GROUPS: [Self; 6] = [
        Self::Card(CardColumn::Task),
        Self::Card(CardColumn::Outcome),
        Self::Card(CardColumn::Agent),
        Self::Card(CardColumn::Condition),
        Self::Card(CardColumn::Model),
        Self::Card(CardColumn::Project),
    ];

    /// Returns the columns of a set, from left to right.
    pub(crate) fn in_set(set: ColumnSet) -> Vec<Self> {
        match set {
            ColumnSet::Sessions => SESSION_COLUMNS.to_vec(),
            ColumnSet::Scores => SCORE_COLUMNS.to_vec(),
        }
    }

    /// Returns the columns of a set that a table with these means has.
    pub(crate) fn in_set_with_means(set: ColumnSet, means: ShownMeans) -> Vec<Self> {
        let is_shown = |it: &Self| it.with_means(means) == *it;
        Self::in_set(set).into_iter().filter(is_shown).collect()
    }

    /// Returns the column that takes the place of this one where these means are shown.
    pub(crate) fn with_means(self, means: ShownMeans) -> Self {
        match (self, means) {
            (JUDGED_MCF, ShownMeans::Corrected) => CORRECTED_MCF,
            (CORRECTED_MCF, ShownMeans::Judged) => JUDGED_MCF,
            _ => self,
        }
    }

    /// Returns whether the column is shown of sessions only.
    pub(crate) fn is_of_sessions(self) -> bool {
        !SCORE_COLUMNS.contains(&self)
    }

    /// Returns every column: those of scores from left to right, then those of sessions only.
    pub fn all_columns() -> impl Iterator<Item = Self> {
        let of_sessions = SESSION_COLUMNS.iter().copied().filter(|column| column.is_of_sessions());
        SCORE_COLUMNS.into_iter().chain(of_sessions)
    }

    /// Returns its position among all columns, from 0.
    pub fn column_index(self) -> usize {
        Self::all_columns().position(|column| column == self).unwrap_or_default()
    }

    pub fn column_info(self) -> ColumnInfo {
        match self {
            Self::Run => text_column("run", [16, 28]),
            Self::Card(column) => column.column_info(),
            Self::Curve => ColumnInfo {
                title: "erosion so far",
                kind: ColumnKind::Number,
                source: ColumnSource::Computed,
                ..text_column("curve", [14, 14])
            },
            Self::Number(number) | Self::Recorded(number) => {
                let row = number.row();
                let cells = row.column.map_or(0, |column| usize::from(column.cells));
                let recorded = row.recorded_word.filter(|_| self == Self::Recorded(number));
                ColumnInfo {
                    word: recorded.or(row.column.map(|it| it.word)).unwrap_or(number.id()),
                    title: number.short(),
                    kind: ColumnKind::Number,
                    source: self.source_of(number),
                    max_cells: cells,
                    min_cells: cells,
                }
            }
        }
    }

    /// Returns one line for below the table: the meaning, and the better direction.
    pub(crate) fn help_text(self) -> String {
        match self.better_direction() {
            BetterDirection::Neither => self.description_text(),
            better => format!("{}; {} is better", self.description_text(), better.word()),
        }
    }

    fn description_text(self) -> String {
        let words = match self {
            Self::Run => "the path of the recording, relative to the opened folder",
            Self::Card(column) => column.help_text(),
            Self::Curve => {
                "erosion from checkpoint to checkpoint, each run on its own scale; sorts by its rise"
            }
            Self::Number(number) => number.row().help,
            Self::Recorded(number) => {
                let label = number.label();
                return format!("{label} of the last checkpoint, as the harness recorded it");
            }
        };
        words.to_owned()
    }

    fn source_of(self, number: Number) -> ColumnSource {
        match number.row().input {
            _ if self == Self::Recorded(number) => ColumnSource::Harness,
            NumberInput::Code(_)
            | NumberInput::Reuse(_)
            | NumberInput::Process(_)
            | NumberInput::RubricTree(_)
            | NumberInput::Raters
            | NumberInput::Runs => ColumnSource::Computed,
            NumberInput::Spent(_) if number == Number::CostComputed => ColumnSource::Computed,
            NumberInput::Tests(_) => ColumnSource::Harness,
            NumberInput::Judgement(_) | NumberInput::Exposure(_) => ColumnSource::Judged,
            NumberInput::Counted(_) | NumberInput::Spent(_) => ColumnSource::Run,
        }
    }

    pub fn by_word(word: &str) -> Option<Self> {
        let is_called = |it: &Self, word: &str| it.column_info().word.eq_ignore_ascii_case(word);
        let former = FORMER_WORDS.iter().find(|(former, _)| former.eq_ignore_ascii_case(word));
        let word = former.map_or(word, |(_, now)| *now);
        Self::all_columns().find(|column| is_called(column, word))
    }

    /// Returns the words of all columns: `run, task, agent` and so on.
    pub fn all_words() -> String {
        Self::all_columns().map(|column| column.column_info().word).collect::<Vec<_>>().join(", ")
    }

    pub fn column_kind(self) -> ColumnKind {
        self.column_info().kind
    }

    /// Returns the better direction.
    pub fn better_direction(self) -> BetterDirection {
        match self {
            Self::Number(number) | Self::Recorded(number) => number.better(),
            CORRECTED_MCF => Number::Mcf.better(),
            Self::Run | Self::Card(_) | Self::Curve => BetterDirection::Neither,
        }
    }

    /// Returns whether the value is measured from the run's files or computed from its steps, and not from prices.
    pub fn is_measured(self) -> bool {
        self.column_info().source == ColumnSource::Computed
            && self != Self::Number(Number::CostComputed)
    }

    /// Returns whether another profile or other rules give other values.
    pub fn is_of_profile(self) -> bool {
        matches!(self, Self::Number(number) if number.is_of_profile())
    }

    /// Returns the column after this one in going through what runs of a set are grouped by; None after the last.
    pub(crate) fn next_group(now: Option<Self>, set: ColumnSet) -> Option<Self> {
        let columns = Self::in_set(set);
        let mut groups = Self::GROUPS.into_iter().filter(|column| columns.contains(column));
        match now {
            None => groups.next(),
            Some(now) => groups.skip_while(|group| *group != now).nth(1),
        }
    }
}

impl ColumnSet {
    pub(crate) const fn other_set(self) -> Self {
        match self {
            Self::Sessions => Self::Scores,
            Self::Scores => Self::Sessions,
        }
    }
}

impl ColumnSource {
    /// Returns the heading above the columns; empty for those of the recording itself.
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
    fn a_column_says_which_way_is_better_where_one_is() {
        let help = |number| RunTableColumn::Number(number).help_text();

        assert!(help(Number::Verbosity).ends_with("; lower is better"));
        assert!(help(Number::Tests).ends_with("; higher is better"));
        assert!(!help(Number::Tokens).contains("better"));
    }

    #[test]
    fn a_word_that_a_column_had_before_still_names_it() {
        assert_eq!(RunTableColumn::by_word("lines"), Some(RunTableColumn::Number(Number::Churn)));
    }

    #[test]
    fn columns_are_told_apart_by_their_words_and_each_says_what_it_is() {
        let columns: Vec<RunTableColumn> = RunTableColumn::all_columns().collect();

        for (index, column) in columns.iter().copied().enumerate() {
            assert_eq!(column.column_index(), index);
            let about = column.column_info();
            assert_eq!(RunTableColumn::by_word(about.word), Some(column));
            assert!(!column.help_text().is_empty() && !column.help_text().ends_with('.'));
            assert!(about.title.chars().count() <= about.max_cells, "{}", about.word);
        }
    }
}
