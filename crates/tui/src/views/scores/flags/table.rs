//! The rows of the table: one a flag of the state that is looked at, or one a flag of any state, where it was found.

use std::cmp::Ordering;

use crate::{
    session::{Session, flags::State},
    views::scores::flags::Flags,
};
use trajview_run::flags::Flag;

/// By which column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// By file, then by line.
    #[default]
    File,
    Criterion,
    /// The highest first.
    Confidence,
}

/// A flag as the table shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub flag: Flag,
    /// The state that found it first, by its name.
    pub found_at: String,
    /// The state that the lines are of: turns done.
    pub turn: Option<usize>,
}

impl Sort {
    pub const fn next(self) -> Self {
        match self {
            Self::File => Self::Criterion,
            Self::Criterion => Self::Confidence,
            Self::Confidence => Self::File,
        }
    }

    pub const fn words(self) -> &'static str {
        match self {
            Self::File => "file and line",
            Self::Criterion => "criterion",
            Self::Confidence => "confidence, the highest first",
        }
    }
}

impl Row {
    fn of(flag: &Flag, state: &State<'_>) -> Self {
        let found_at = flag.carried_from.as_deref().unwrap_or(&state.name).to_owned();
        Self { flag: flag.clone(), found_at, turn: state.turn }
    }

    /// `src/a.py:3-9`, `src/a.py:3`, `src/a.py`
    pub fn place(&self) -> String {
        place(&self.flag)
    }

    /// `4/5`; empty where none is given.
    pub fn confidence(&self) -> String {
        self.flag.confidence.map(|it| format!("{it}/5")).unwrap_or_default()
    }
}

/// `src/a.py:3-9`, `src/a.py:3`, `src/a.py`
pub fn place(flag: &Flag) -> String {
    match (flag.start, flag.end) {
        (Some(start), Some(end)) if end != start => format!("{}:{start}-{end}", flag.path),
        (Some(start), _) => format!("{}:{start}", flag.path),
        (None, _) => flag.path.to_string(),
    }
}

impl Flags {
    /// In the order that is chosen.
    pub fn flag_rows(&self, session: &Session) -> Vec<Row> {
        let of_state = |state: &State<'_>| {
            state.flags.iter().map(|flag| Row::of(flag, state)).collect::<Vec<_>>()
        };
        let mut rows: Vec<Row> = match self.is_all {
            false => {
                self.flag_state(session).map(|(state, _)| of_state(&state)).unwrap_or_default()
            }
            true => {
                let source = self.flag_source(session);
                let all = source.iter().flat_map(|it| &it.states).flat_map(of_state);
                all.filter(|row| row.flag.carried_from.is_none()).collect()
            }
        };
        let by_place = |a: &Row, b: &Row| {
            (&a.flag.path, a.flag.start, a.turn).cmp(&(&b.flag.path, b.flag.start, b.turn))
        };
        rows.sort_by(by_place);
        match self.sort {
            Sort::File => {}
            Sort::Criterion => rows.sort_by(|a, b| a.flag.criterion.cmp(&b.flag.criterion)),
            Sort::Confidence => rows.sort_by(|a, b| {
                let of = |row: &Row| row.flag.confidence;
                of(b).partial_cmp(&of(a)).unwrap_or(Ordering::Equal)
            }),
        }
        rows
    }

    /// The row that is chosen.
    pub fn flag_row(&self, session: &Session) -> Option<Row> {
        self.flag_rows(session).into_iter().nth(self.rows.cursor)
    }

    /// The chosen flag as text, to be pasted elsewhere.
    pub fn flag_as_text(&self, session: &Session) -> Option<String> {
        let row = self.flag_row(session)?;
        let words = row.flag.explanation.as_deref().unwrap_or_default();
        Some(format!("{} {} {words}", row.place(), row.flag.criterion).trim_end().to_owned())
    }
}
