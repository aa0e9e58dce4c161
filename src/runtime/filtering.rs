//! Chooses rows of a table by an expression in SQL: keeps the values that were sent, for as long as the program runs.

use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "sql")]
use trajview_store::dataset::{self, Cell, Chooser};
#[cfg(feature = "sql")]
use trajview_tui::session::filtering::{Kind, Value};
use trajview_tui::session::{filtering::ToFilter, request::Sentence};

/// The rows of the table that asks; copies share them.
#[derive(Debug, Clone, Default)]
pub struct Filtering {
    #[cfg(feature = "sql")]
    rows: Arc<Mutex<Option<Chooser>>>,
    #[cfg(not(feature = "sql"))]
    rows: Arc<Mutex<()>>,
}

impl Filtering {
    /// Takes the values, and gives the rows that fit the expression; None where there is none.
    ///
    /// # Errors
    ///
    /// A sentence, where the expression cannot be evaluated.
    #[cfg(feature = "sql")]
    pub fn answer(&self, wanted: ToFilter) -> Result<Option<Vec<usize>>, Sentence> {
        let mut held = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |why: std::io::Error| format!("the values cannot be kept: {why}");
        if let Some(columns) = wanted.begins {
            let columns: Vec<(&str, dataset::Kind)> =
                columns.into_iter().map(|(name, of)| (name, kind(of))).collect();
            *held = Some(Chooser::of(&columns).map_err(failed)?);
        }
        let Some(rows) = held.as_mut() else { return Err("nothing was sent of the rows".into()) };
        let cells =
            |(row, values): (usize, Vec<Value>)| (row, values.into_iter().map(cell).collect());
        rows.put(wanted.rows.into_iter().map(cells)).map_err(failed)?;
        wanted.expression.map(|expression| rows.fitting(&expression)).transpose()
    }

    /// Says that it cannot be done.
    ///
    /// # Errors
    ///
    /// Always.
    #[cfg(not(feature = "sql"))]
    pub fn answer(&self, _: ToFilter) -> Result<Option<Vec<usize>>, Sentence> {
        drop(self.rows.lock().unwrap_or_else(PoisonError::into_inner));
        Err("this trajview was built without SQL; / narrows the table down too".into())
    }
}

#[cfg(feature = "sql")]
const fn kind(of: Kind) -> dataset::Kind {
    match of {
        Kind::Text => dataset::Kind::Text,
        Kind::Whole => dataset::Kind::Whole,
        Kind::Real => dataset::Kind::Real,
        Kind::Truth => dataset::Kind::Truth,
    }
}

#[cfg(feature = "sql")]
fn cell(value: Value) -> Cell {
    match value {
        Value::Missing => Cell::Missing,
        Value::Text(words) => Cell::Text(words),
        Value::Whole(number) => Cell::Whole(number),
        Value::Real(number) => Cell::Real(number),
        Value::Truth(is_so) => Cell::Truth(is_so),
    }
}
