//! The messages of a filter in SQL: rows whose values are sent ahead, part by part, to a worker that keeps them.

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterValue {
    /// The value is not recorded, or not known yet.
    Missing,
    Text(String),
    Whole(i64),
    /// Finite.
    Real(f64),
    Truth(bool),
}

/// The kind of values in a column, which decides their comparison with the typed text, as in the tables of `trajview
/// sql`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    Text,
    Whole,
    Real,
    Truth,
}

/// New or changed rows, and the expression for all rows that were sent.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterRequest {
    /// The columns of rows that nobody was sent before: what was sent of others is forgotten. None where more of the same
    /// rows are sent.
    pub begins: Option<Vec<(&'static str, FilterKind)>>,
    /// The rows, each with its number.
    pub rows: Vec<(usize, Vec<FilterValue>)>,
    /// The expression; None while more rows are to come.
    pub expression: Option<String>,
}
