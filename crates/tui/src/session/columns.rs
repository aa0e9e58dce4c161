//! The columns of the table: words of a run, and the numbers whose rows have a column.
//!
//! A number that is to have a column says so in its row of [`trajview_metrics::numbers`].

mod sessions;

use std::sync::LazyLock;

use trajview_metrics::{
    Better, Number,
    numbers::{self, Of, Shown},
};

pub use sessions::SessionColumn;

/// What a column tells of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Column {
    Run,
    /// The first that has the keyboard.
    #[default]
    Task,
    Agent,
    Condition,
    Model,
    Curve,
    /// Who gave the scores that the judged numbers are of.
    Judge,
    Title,
    Session(SessionColumn),
    Number(Number),
    /// As a harness recorded it.
    Recorded(Number),
}

/// Which columns a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Set {
    /// What tells sessions apart.
    Sessions,
    /// What runs of tasks are scored by.
    #[default]
    Scores,
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

/// What is fixed about a column.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// For filters and options: `recorded-erosion`.
    pub word: &'static str,
    pub title: &'static str,
    pub kind: Kind,
    pub source: Source,
    /// Cells at most.
    pub most: usize,
    /// Words are cut down to so many cells where the screen is small.
    pub least: usize,
}

/// Every column, from left to right.
static ALL: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let numbers = |of: fn(Number) -> Column, shown: fn(&Shown) -> Option<numbers::Column>| {
        let row = move |number: &Number| Some((shown(&number.row().shown)?.rank, of(*number)));
        Number::ALL.iter().filter_map(row).collect::<Vec<_>>()
    };
    let computed = numbers(Column::Number, |shown| shown.column);
    let recorded = numbers(Column::Recorded, |shown| shown.recorded);
    let mut all = [WORDS.to_vec(), computed, recorded].concat();
    all.sort(); // by rank, then in the order of the rows
    let of_sessions = SESSIONS.iter().filter(|column| matches!(column, Column::Session(_)));
    all.into_iter().map(|(_, column)| column).chain(of_sessions.copied()).collect()
});

/// What two sides are compared by, in order.
pub static TESTED: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let rank = |column: &Column| Some((column.row()?.tested?, *column));
    let mut tested: Vec<(u8, Column)> = Column::all().filter_map(|it| rank(&it)).collect();
    tested.sort();
    tested.into_iter().map(|(_, column)| column).collect()
});

/// The columns that are no numbers of the list, by their rank among all.
const WORDS: [(u8, Column); 8] = [
    (0, Column::Run),
    (1, Column::Task),
    (2, Column::Agent),
    (3, Column::Condition),
    (15, Column::Judge),
    (16, Column::Model),
    (22, Column::Curve),
    (23, Column::Title),
];

/// The columns of sessions, from left to right.
const SESSIONS: [Column; 15] = [
    Column::Session(SessionColumn::When),
    Column::Session(SessionColumn::State),
    Column::Session(SessionColumn::Project),
    Column::Session(SessionColumn::Request),
    Column::Agent,
    Column::Model,
    Column::Number(Number::Turns),
    Column::Session(SessionColumn::Steps),
    Column::Session(SessionColumn::Edits),
    Column::Session(SessionColumn::Failures),
    Column::Number(Number::Tokens),
    Column::Number(Number::Cost),
    Column::Number(Number::CostComputed),
    Column::Number(Number::Duration),
    Column::Session(SessionColumn::Branch),
];

/// Words that columns had, in filters and options of somebody's scripts, and the words they have now.
const FORMER: [(&str, &str); 1] = [("lines", "churn")];

const fn words(word: &'static str, [least, most]: [usize; 2]) -> About {
    About { word, title: word, kind: Kind::Words, source: Source::Run, most, least }
}

impl Column {
    /// What runs can be grouped by, in the order of going through them.
    pub const GROUPS: [Self; 5] = [
        Self::Task,
        Self::Agent,
        Self::Condition,
        Self::Model,
        Self::Session(SessionColumn::Project),
    ];

    /// The columns of a set, from left to right.
    pub fn of(set: Set) -> Vec<Self> {
        match set {
            Set::Sessions => SESSIONS.to_vec(),
            Set::Scores => Self::all().filter(|it| !matches!(it, Self::Session(_))).collect(),
        }
    }

    /// Every column: those of scores from left to right, then those of sessions alone.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    /// Its place among all columns.
    pub fn place(self) -> usize {
        ALL.iter().position(|column| *column == self).unwrap_or_default()
    }

    pub fn about(self) -> About {
        match self {
            Self::Run => words("run", [16, 28]),
            Self::Task => words("task", [10, 16]),
            Self::Agent => words("agent", [9, 18]),
            Self::Condition => words("condition", [11, 11]),
            Self::Model => words("model", [10, 16]),
            Self::Title => words("title", [12, 40]),
            Self::Judge => About { source: Source::Judged, ..words("judge", [6, 14]) },
            Self::Session(column) => column.about(),
            Self::Curve => About {
                title: "erosion so far",
                kind: Kind::Number,
                source: Source::Computed,
                ..words("curve", [14, 14])
            },
            Self::Number(number) | Self::Recorded(number) => {
                let row = self.row();
                let cells = row.map_or(0, |row| usize::from(row.cells));
                About {
                    word: row.map_or(number.id(), |row| row.word),
                    title: number.short(),
                    kind: Kind::Number,
                    source: self.source_of(number),
                    most: cells,
                    least: cells,
                }
            }
        }
    }

    /// One line below the table: what it is, and which way is better.
    pub fn help(self) -> String {
        match self.better() {
            Better::Neither => self.what(),
            better => format!("{}; {} is better", self.what(), better.word()),
        }
    }

    fn what(self) -> String {
        let words = match self {
            Self::Run => "where the recording is, below what was opened",
            Self::Task => "what the agent was to do",
            Self::Agent => "the agent and its version",
            Self::Condition => "emergent or single-shot",
            Self::Model => "the model as the recording names it",
            Self::Title => "what the recording calls itself",
            Self::Judge => {
                "whose scores MCF and IF50 are of: the last judgement of the whole checklist"
            }
            Self::Session(column) => column.help(),
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

    fn source_of(self, number: Number) -> Source {
        match number.row().of {
            _ if self == Self::Recorded(number) => Source::Harness,
            Of::Code(_)
            | Of::Reuse(_)
            | Of::Process(_)
            | Of::RubricTree(_)
            | Of::Raters
            | Of::Runs => Source::Computed,
            Of::Spent(_) if number == Number::CostComputed => Source::Computed,
            Of::Tests(_) => Source::Harness,
            Of::Judgement(_) | Of::Exposure(_) => Source::Judged,
            Of::Counted(_) | Of::Spent(_) => Source::Run,
        }
    }

    /// What the list of numbers says of the column; None for words.
    fn row(self) -> Option<numbers::Column> {
        match self {
            Self::Number(number) => number.row().shown.column,
            Self::Recorded(number) => number.row().shown.recorded,
            Self::Run
            | Self::Task
            | Self::Agent
            | Self::Condition
            | Self::Model
            | Self::Curve
            | Self::Judge
            | Self::Session(_)
            | Self::Title => None,
        }
    }

    pub fn by_word(word: &str) -> Option<Self> {
        let is_called = |it: &Self, word: &str| it.about().word.eq_ignore_ascii_case(word);
        let former = FORMER.iter().find(|(former, _)| former.eq_ignore_ascii_case(word));
        let word = former.map_or(word, |(_, now)| *now);
        Self::all().find(|column| is_called(column, word))
    }

    /// `run, task, agent`
    pub fn words() -> String {
        Self::all().map(|column| column.about().word).collect::<Vec<_>>().join(", ")
    }

    pub fn kind(self) -> Kind {
        self.about().kind
    }

    /// Which way is better.
    pub fn better(self) -> Better {
        match self {
            Self::Number(number) | Self::Recorded(number) => number.better(),
            Self::Run
            | Self::Task
            | Self::Agent
            | Self::Condition
            | Self::Model
            | Self::Curve
            | Self::Judge
            | Self::Session(_)
            | Self::Title => Better::Neither,
        }
    }

    /// Whether it is measured of the run's files, or worked out of its steps: not from prices.
    pub fn is_measured(self) -> bool {
        self.about().source == Source::Computed && self != Self::Number(Number::CostComputed)
    }

    /// Whether another profile or other rules give other values.
    pub fn is_of_profile(self) -> bool {
        matches!(self, Self::Number(number) if number.is_of_profile())
    }

    /// The column after this one in going through what runs of a set are grouped by; None after the last.
    pub fn next_group(now: Option<Self>, set: Set) -> Option<Self> {
        let columns = Self::of(set);
        let mut groups = Self::GROUPS.into_iter().filter(|column| columns.contains(column));
        match now {
            None => groups.next(),
            Some(now) => groups.skip_while(|group| *group != now).nth(1),
        }
    }
}

impl Set {
    pub const fn other(self) -> Self {
        match self {
            Self::Sessions => Self::Scores,
            Self::Scores => Self::Sessions,
        }
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
    fn a_column_says_which_way_is_better_where_one_is() {
        let help = |number| Column::Number(number).help();

        assert!(help(Number::Verbosity).ends_with("; lower is better"));
        assert!(help(Number::Tests).ends_with("; higher is better"));
        assert!(!help(Number::Tokens).contains("better"));
    }

    #[test]
    fn a_word_that_a_column_had_before_still_names_it() {
        assert_eq!(Column::by_word("lines"), Some(Column::Number(Number::Churn)));
    }

    #[test]
    fn columns_are_told_apart_by_their_words_and_each_says_what_it_is() {
        for column in Column::all() {
            let about = column.about();
            assert_eq!(Column::by_word(about.word), Some(column));
            assert!(!column.help().is_empty() && !column.help().ends_with('.'));
            assert!(about.title.chars().count() <= about.most, "{}", about.word);
        }
    }
}
