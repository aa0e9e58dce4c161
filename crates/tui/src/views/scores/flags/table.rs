//! The rows of the table: one for each flag of the selected state, or one for each flag of any state at the place where
//! it was found.

use std::cmp::Ordering;

use crate::{
    session::{Session, flags::FlaggedState},
    views::scores::flags::FlagsView,
};
use trajview_run::flags::Flag;

/// The column by which the table is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FlagSort {
    /// Sorts by file, then by line.
    #[default]
    File,
    Criterion,
    /// The highest first.
    Confidence,
}

/// A flag as the table shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedFlag {
    pub flag: Flag,
    /// The state that found it first, by its name.
    pub found_at: String,
    /// Number of completed turns of the state to which the lines belong.
    pub turn: Option<usize>,
}

impl FlagSort {
    pub const fn next(self) -> Self {
        match self {
            Self::File => Self::Criterion,
            Self::Criterion => Self::Confidence,
            Self::Confidence => Self::File,
        }
    }

    pub(crate) const fn sort_words(self) -> &'static str {
        match self {
            Self::File => "file and line",
            Self::Criterion => "criterion",
            Self::Confidence => "confidence, the highest first",
        }
    }
}

impl ListedFlag {
    fn for_flag(flag: &Flag, state: &FlaggedState<'_>) -> Self {
        let found_at = flag.carried_from.as_deref().unwrap_or(&state.name).to_owned();
        Self { flag: flag.clone(), found_at, turn: state.turn }
    }

    /// Returns `src/a.py:3-9`, `src/a.py:3`, `src/a.py`.
    pub fn place_text(&self) -> String {
        flag_place(&self.flag)
    }

    /// Returns `4/5`. Empty if none is given.
    pub(crate) fn confidence_text(&self) -> String {
        self.flag.confidence.map(|it| format!("{it}/5")).unwrap_or_default()
    }
}

/// Returns `src/a.py:3-9`, `src/a.py:3`, `src/a.py`.
pub fn flag_place(flag: &Flag) -> String {
    match (flag.start, flag.end) {
        (Some(start), Some(end)) if end != start => format!("{}:{start}-{end}", flag.path),
        (Some(start), _) => format!("{}:{start}", flag.path),
        (None, _) => flag.path.to_string(),
    }
}

impl FlagsView {
    /// Returns the rows in the chosen order.
    pub fn flag_rows(&self, session: &Session) -> Vec<ListedFlag> {
        let of_state = |state: &FlaggedState<'_>| {
            state.flags.iter().map(|flag| ListedFlag::for_flag(flag, state)).collect::<Vec<_>>()
        };
        let mut rows: Vec<ListedFlag> = match self.is_all {
            false => {
                self.flag_state(session).map(|(state, _)| of_state(&state)).unwrap_or_default()
            }
            true => {
                let source = self.flag_source(session);
                let all = source.iter().flat_map(|it| &it.states).flat_map(of_state);
                all.filter(|row| row.flag.carried_from.is_none()).collect()
            }
        };
        let by_place = |a: &ListedFlag, b: &ListedFlag| {
            (&a.flag.path, a.flag.start, a.turn).cmp(&(&b.flag.path, b.flag.start, b.turn))
        };
        rows.sort_by(by_place);
        match self.sort {
            FlagSort::File => {}
            FlagSort::Criterion => rows.sort_by(|a, b| a.flag.criterion.cmp(&b.flag.criterion)),
            FlagSort::Confidence => rows.sort_by(|a, b| {
                let confidence_of_row = |row: &ListedFlag| row.flag.confidence;
                confidence_of_row(b).partial_cmp(&confidence_of_row(a)).unwrap_or(Ordering::Equal)
            }),
        }
        rows
    }

    /// Returns the row that is chosen.
    pub(crate) fn flag_row(&self, session: &Session) -> Option<ListedFlag> {
        self.flag_rows(session).into_iter().nth(self.rows.cursor())
    }

    /// Returns the chosen flag as text, for pasting elsewhere.
    pub(crate) fn flag_as_text(&self, session: &Session) -> Option<String> {
        let row = self.flag_row(session)?;
        let words = row.flag.explanation.as_deref().unwrap_or_default();
        Some(format!("{} {} {words}", row.place_text(), row.flag.criterion).trim_end().to_owned())
    }
}
