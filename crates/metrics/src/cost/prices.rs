//! The table of prices: dated rows, each with the source that it was read in.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use trajview_run::Time;

use super::{
    day::Day,
    spelling::{plain, spellings},
    why::Why,
};

/// List prices by model and day; see `about` in `assets/prices.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    rows: Vec<Row>,
}

/// What a model costs between two days.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its id, as recordings name it.
    pub model: String,
    /// Its other ids.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// May stand before an id, with a slash between them.
    #[serde(default)]
    pub vendor: Option<String>,
    /// The first day in UTC; None for no first.
    #[serde(default)]
    pub from: Option<Day>,
    /// The last day in UTC; None for no last.
    #[serde(default)]
    pub until: Option<Day>,
    pub usd_per_million: Rates,
    #[serde(default)]
    pub above: Option<Above>,
    /// Where the prices were read, and when.
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub read: Option<Day>,
    #[serde(default)]
    pub note: Option<String>,
}

/// US dollars per million tokens, each 0 or more. None is a price that is not known, which is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Of what was neither read from the cache nor written to it.
    pub input: f64,
    pub output: f64,
    #[serde(default)]
    pub cached_input: Option<f64>,
    /// Of a cache that is kept for the time that the vendor keeps it unasked.
    #[serde(default)]
    pub cache_write: Option<f64>,
    #[serde(default)]
    pub cache_write_1h: Option<f64>,
}

/// What a request costs that reads more than so many tokens, cached ones included: all of it, its output too.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Above {
    pub input_tokens: u64,
    /// None where another price holds that is not known.
    #[serde(default)]
    pub usd_per_million: Option<Rates>,
}

#[derive(Deserialize)]
struct Written {
    rows: Vec<Row>,
}

/// The table that comes with the program, as it is written.
pub const BUILT_IN_TEXT: &str = trajview_assets::PRICES;

static BUILT_IN: LazyLock<Prices> = LazyLock::new(|| {
    // The text is a part of the program, and a test reads it.
    Prices::read(BUILT_IN_TEXT).expect("assets/prices.json is a table")
});

impl Prices {
    /// Those that come with the program.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a table as `assets/prices.json` writes it.
    ///
    /// # Errors
    ///
    /// A sentence that says what was expected and where, where it is no such table, a price is no number of 0 or more, or
    /// two rows of a model hold on the same day.
    pub fn read(text: &str) -> Result<Self, String> {
        let Written { rows } = serde_json::from_str(text).map_err(|why| why.to_string())?;
        for (at, row) in rows.iter().enumerate() {
            row.check()?;
            let twice =
                rows[..at].iter().find(|other| row.shares_a_name(other) && row.overlaps(other));
            if let Some(other) = twice {
                let names = (&other.model, &row.model);
                return Err(format!("two rows hold on the same day: {} and {}", names.0, names.1));
            }
        }
        Ok(Self { rows })
    }

    /// This table with the rows of another in the place of its own of the same models.
    pub fn overridden_by(&self, other: Self) -> Self {
        let is_kept = |row: &&Row| !other.rows.iter().any(|own| own.shares_a_name(row));
        let mut rows: Vec<Row> = self.rows.iter().filter(is_kept).cloned().collect();
        rows.extend(other.rows);
        Self { rows }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The position of the row that holds for the model then. Without a time, that of its only row.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn row_of(&self, model: &str, at: Option<Time>) -> Result<usize, Why> {
        self.row_among(&self.rows_called(model), model, at)
    }

    /// The positions of the rows of a model, by the first of its spellings that the table has.
    pub fn rows_called(&self, model: &str) -> Vec<usize> {
        let called = |name: String| -> Vec<usize> {
            (0..self.rows.len()).filter(|row| self.rows[*row].is_called(&name)).collect()
        };
        let is_vendor =
            |word: &str| self.rows.iter().any(|row| row.vendor.as_deref() == Some(word));
        let mut found = spellings(model, &is_vendor).into_iter().map(called);
        found.find(|rows| !rows.is_empty()).unwrap_or_default()
    }

    /// As [`Prices::row_of`], where the rows of the model are known.
    pub fn row_among(&self, named: &[usize], model: &str, at: Option<Time>) -> Result<usize, Why> {
        let day = at.and_then(Day::of);
        match (named, day) {
            ([], _) => Err(Why::NoPrice { model: model.into() }),
            ([only], None) => Ok(*only),
            (_, None) => Err(Why::NoTime { model: model.into() }),
            (rows, Some(day)) => {
                let found = rows.iter().copied().find(|row| self.rows[*row].holds_on(day));
                found.ok_or_else(|| Why::NoPriceThen { model: model.into(), day })
            }
        }
    }
}

impl Row {
    fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.model).chain(&self.aliases)
    }

    /// Whether it is the row of a model whose name is written as [`plain`] writes names.
    fn is_called(&self, model: &str) -> bool {
        self.names().any(|name| plain(name) == model)
    }

    fn shares_a_name(&self, other: &Self) -> bool {
        other.names().any(|name| self.is_called(&plain(name)))
    }

    fn holds_on(&self, day: Day) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ends_before = |one: &Self, next: &Self| match (one.until, next.from) {
            (Some(until), Some(from)) => until < from,
            _ => false,
        };
        !ends_before(self, other) && !ends_before(other, self)
    }

    fn check(&self) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{}: {what}", self.model));
        if self.model.trim().is_empty() {
            return Err("a row without a model".into());
        }
        if self.from.zip(self.until).is_some_and(|(from, until)| until < from) {
            return wrong("`until` is before `from`");
        }
        let above = self.above.and_then(|above| above.usd_per_million);
        if !self.usd_per_million.is_sound() || above.is_some_and(|rates| !rates.is_sound()) {
            return wrong("expected prices of 0 or more");
        }
        Ok(())
    }
}

impl Rates {
    fn is_sound(&self) -> bool {
        let others = [self.cached_input, self.cache_write, self.cache_write_1h];
        let mut all = [self.input, self.output].into_iter().chain(others.into_iter().flatten());
        all.all(|rate| rate.is_finite() && rate >= 0.0)
    }
}
