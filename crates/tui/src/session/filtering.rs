//! What an expression in SQL is asked of: rows whose values are sent ahead, a part at a time, to somebody who keeps them.

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not recorded, or not known yet.
    Missing,
    Text(String),
    Whole(i64),
    /// Finite.
    Real(f64),
    Truth(bool),
}

/// What values a column has; it decides how they are compared with what is typed, as in the tables of `trajview sql`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Whole,
    Real,
    Truth,
}

/// Rows that are new or have changed, and what is asked of all rows that were sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ToFilter {
    /// The columns of rows that nobody was sent before: what was sent of others is forgotten. None where more of the same
    /// rows are sent.
    pub begins: Option<Vec<(&'static str, Kind)>>,
    /// Each with its number.
    pub rows: Vec<(usize, Vec<Value>)>,
    /// None while more rows are to come.
    pub expression: Option<String>,
}
