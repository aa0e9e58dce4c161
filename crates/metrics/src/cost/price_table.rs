//! The table of prices: dated rows, each with the source of its prices.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use trajview_run::Time;

use super::{
    day::Day,
    model_names::{model_spellings, normalised_name},
    price_reasons::NoPriceReason,
};

/// List prices by model and day; see `about` in `assets/prices.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    rows: Vec<PriceRow>,
}

/// The prices of a model between two days.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PriceRow {
    /// The model's id, as recordings name it.
    pub model: String,
    /// Other ids of the model.
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
    pub usd_per_million: TokenRates,
    #[serde(default)]
    pub above: Option<LongRequestRates>,
    /// The source of the prices; `read` is the day on which they were read.
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
pub struct TokenRates {
    /// The rate of input tokens that were neither read from the cache nor written to it.
    pub input: f64,
    pub output: f64,
    #[serde(default)]
    pub cached_input: Option<f64>,
    /// The rate of tokens written to a cache with the vendor's default lifetime.
    #[serde(default)]
    pub cache_write: Option<f64>,
    #[serde(default)]
    pub cache_write_1h: Option<f64>,
}

/// The rates of a request with more than `input_tokens` input tokens, cached ones included; they apply to all of its
/// tokens, output too.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LongRequestRates {
    pub input_tokens: u64,
    /// None where such a request has other prices that are not known.
    #[serde(default)]
    pub usd_per_million: Option<TokenRates>,
}

#[derive(Deserialize)]
struct PriceFile {
    rows: Vec<PriceRow>,
}

/// The text of the table that comes with the program.
pub const BUILT_IN_TEXT: &str = trajview_assets::PRICES;

static BUILT_IN: LazyLock<Prices> = LazyLock::new(|| {
    // The text is a part of the program, and a test reads it.
    Prices::parse(BUILT_IN_TEXT).expect("assets/prices.json is a table")
});

impl Prices {
    /// Returns the prices that come with the program.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a table as `assets/prices.json` writes it.
    ///
    /// # Errors
    ///
    /// Returns a sentence that says what was expected and where: the text is no such table, a price is not a number of
    /// 0 or more, or two rows of a model apply on the same day.
    pub fn parse(text: &str) -> Result<Self, String> {
        let PriceFile { rows } = serde_json::from_str(text).map_err(|why| why.to_string())?;
        for (at, row) in rows.iter().enumerate() {
            row.check_row()?;
            let twice = rows[..at]
                .iter()
                .find(|other| row.shares_a_name(other) && row.overlaps_in_time(other));
            if let Some(other) = twice {
                let names = (&other.model, &row.model);
                return Err(format!("two rows hold on the same day: {} and {}", names.0, names.1));
            }
        }
        Ok(Self { rows })
    }

    /// Returns this table with the rows of another table in place of its own rows of the same models.
    pub fn overridden_by(&self, other: Self) -> Self {
        let is_kept =
            |row: &&PriceRow| !other.rows.iter().any(|replacement| replacement.shares_a_name(row));
        let mut rows: Vec<PriceRow> = self.rows.iter().filter(is_kept).cloned().collect();
        rows.extend(other.rows);
        Self { rows }
    }

    pub fn rows(&self) -> &[PriceRow] {
        &self.rows
    }

    /// Returns the position of the model's row at a time; without a time, the position of its only row.
    ///
    /// # Errors
    ///
    /// Returns the reason where there is no such row.
    pub fn row_of(&self, model: &str, at: Option<Time>) -> Result<usize, NoPriceReason> {
        self.row_among(&self.rows_called(model), model, at)
    }

    /// Returns the positions of a model's rows, by the first of the model's spellings that the table has.
    pub(crate) fn rows_called(&self, model: &str) -> Vec<usize> {
        let called = |name: String| -> Vec<usize> {
            (0..self.rows.len()).filter(|row| self.rows[*row].is_called(&name)).collect()
        };
        let is_vendor =
            |word: &str| self.rows.iter().any(|row| row.vendor.as_deref() == Some(word));
        let mut candidates = model_spellings(model, &is_vendor).into_iter().map(called);
        candidates.find(|rows| !rows.is_empty()).unwrap_or_default()
    }

    /// Does the same as [`Prices::row_of`], where the caller has the rows of the model (see [`Prices::rows_called`]).
    pub(crate) fn row_among(
        &self,
        named: &[usize],
        model: &str,
        at: Option<Time>,
    ) -> Result<usize, NoPriceReason> {
        let day = at.and_then(Day::from_time);
        match (named, day) {
            ([], _) => Err(NoPriceReason::NoPrice { model: model.into() }),
            ([only], None) => Ok(*only),
            (_, None) => Err(NoPriceReason::NoTime { model: model.into() }),
            (rows, Some(day)) => {
                let position = rows.iter().copied().find(|row| self.rows[*row].holds_on(day));
                position.ok_or_else(|| NoPriceReason::NoPriceThen { model: model.into(), day })
            }
        }
    }
}

impl PriceRow {
    /// Returns the name of the model and its aliases.
    fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.model).chain(&self.aliases)
    }

    /// Returns whether the row belongs to a model whose name is written as [`normalised_name`] writes names.
    fn is_called(&self, model: &str) -> bool {
        self.names().any(|name| normalised_name(name) == model)
    }

    fn shares_a_name(&self, other: &Self) -> bool {
        other.names().any(|name| self.is_called(&normalised_name(name)))
    }

    fn holds_on(&self, day: Day) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
    }

    fn overlaps_in_time(&self, other: &Self) -> bool {
        let ends_before = |one: &Self, next: &Self| match (one.until, next.from) {
            (Some(until), Some(from)) => until < from,
            _ => false,
        };
        !ends_before(self, other) && !ends_before(other, self)
    }

    fn check_row(&self) -> Result<(), String> {
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

impl TokenRates {
    fn is_sound(&self) -> bool {
        let others = [self.cached_input, self.cache_write, self.cache_write_1h];
        let mut all = [self.input, self.output].into_iter().chain(others.into_iter().flatten());
        all.all(|rate| rate.is_finite() && rate >= 0.0)
    }
}
