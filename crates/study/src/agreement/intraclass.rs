//! Intraclass correlation: the share of the variance of single scores that lies between items (Shrout and Fleiss 1979;
//! McGraw and Wong, Psychological Methods 1, 1996, table 4), from a two-way analysis of variance with one score in each cell.
//!
//! Only items that every rater scored count, whichever items count for the other measures. The intervals are McGraw and Wong's (table 7), by quantiles of F: they assume
//! scores that are numbers with even steps and normal errors. `tests/vectors/fitness.py` has the cases, by pingouin.

use crate::{
    bootstrap::{Estimate, Interval},
    maths::fisher_quantile,
    undefined::{NumberOrReason, Undefined, finite_number},
};

use super::{ConfusionTable, RatingScale, cluster_bootstrap::SampleSum};

/// A sum of squares below this share of the whole is rounding.
const NOTHING: f64 = 1e-12;

/// The two forms for single scores of raters that all scored the same items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IccForm {
    /// ICC(2,1), absolute agreement: raters are a sample of many, and one who is stricter throughout agrees less.
    Agreement,
    /// ICC(3,1), consistency: these raters alone, and a constant difference between them does not count.
    Consistency,
}

/// The sums of an analysis of variance over items that every rater scored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VarianceSums {
    items: f64,
    /// The sum of each rater's scores.
    by_rater: Vec<f64>,
    squares: f64,
    /// The squared sum of each item's scores, over items.
    squared_items: f64,
}

/// Mean squares of items, raters and the rest, with the number of items and of raters.
struct MeanSquares {
    items: f64,
    raters: f64,
    error: f64,
    n: f64,
    k: f64,
}

impl SampleSum for VarianceSums {
    fn add(&mut self, other: &Self) {
        self.items += other.items;
        self.squares += other.squares;
        self.squared_items += other.squared_items;
        self.by_rater.iter_mut().zip(&other.by_rater).for_each(|(sum, more)| *sum += more);
    }
}

impl VarianceSums {
    /// Returns the sums of an item that a rater did not score.
    pub(crate) fn without_items(raters: usize) -> Self {
        Self { items: 0.0, by_rater: vec![0.0; raters], squares: 0.0, squared_items: 0.0 }
    }

    /// Returns the sums of one item with these scores, as positions on the scale.
    pub(crate) fn for_item(positions: &[usize], scale: &RatingScale) -> Self {
        let mut sums = Self::without_items(positions.len());
        let levels = scale.levels();
        let scores: Vec<f64> = positions.iter().map(|at| levels[*at] - levels[0]).collect();
        sums.add_items(&scores, 1.0);
        sums
    }

    /// Returns the sums of the pairs of two raters.
    pub(crate) fn for_table(table: &ConfusionTable) -> Self {
        let mut sums = Self::without_items(2);
        let levels = table.levels();
        for (a, b, count) in table.filled_cells() {
            sums.add_items(&[levels[a] - levels[0], levels[b] - levels[0]], count);
        }
        sums
    }

    /// Adds items that all have these scores. Scores are counted from the lowest level, so that a scale far from 0 loses no
    /// digits.
    fn add_items(&mut self, scores: &[f64], count: f64) {
        self.items += count;
        self.by_rater.iter_mut().zip(scores).for_each(|(sum, score)| *sum += count * score);
        self.squares += count * scores.iter().map(|score| score * score).sum::<f64>();
        self.squared_items += count * scores.iter().sum::<f64>().powi(2);
    }

    /// Returns the number of items that every rater scored.
    pub(crate) const fn item_count(&self) -> f64 {
        self.items
    }

    /// Computes the coefficient: at most 1.
    pub(crate) fn coefficient(&self, form: IccForm) -> NumberOrReason {
        self.mean_squares()?.coefficient(form)
    }

    /// Computes the coefficient with its interval.
    pub(crate) fn estimate(&self, form: IccForm, confidence: f64) -> Estimate {
        let interval = self.mean_squares().and_then(|it| it.interval(form, confidence));
        Estimate { value: self.coefficient(form), interval, undefined_resamples: 0 }
    }

    fn mean_squares(&self) -> Result<MeanSquares, Undefined> {
        let (n, k) = (self.items, self.by_rater.len() as f64);
        if n < 2.0 {
            return Err(if n < 1.0 { Undefined::NoPairs } else { Undefined::FewerThanTwoPairs });
        }
        let total: f64 = self.by_rater.iter().sum();
        let mean_part = total * total / (n * k);
        let raters: f64 = self.by_rater.iter().map(|sum| sum * sum).sum::<f64>() / n;
        let whole = finite_number(self.squares - mean_part)?;
        if whole <= NOTHING * self.squares {
            return Err(Undefined::OneLevel);
        }
        let part = |sum: f64| if sum <= NOTHING * whole { 0.0 } else { sum };
        let (between, raters) =
            (part(self.squared_items / k - mean_part), part(raters - mean_part));
        Ok(MeanSquares {
            items: between / (n - 1.0),
            raters: raters / (k - 1.0),
            error: part(whole - between - raters) / ((n - 1.0) * (k - 1.0)),
            n,
            k,
        })
    }
}

impl MeanSquares {
    fn coefficient(&self, form: IccForm) -> NumberOrReason {
        let Self { items, raters, error, n, k } = *self;
        let of_raters = match form {
            IccForm::Agreement => k * (raters - error) / n,
            IccForm::Consistency => 0.0,
        };
        let whole = items + (k - 1.0) * error + of_raters;
        match whole <= NOTHING * (items + raters + error) {
            true => Err(Undefined::EqualMeans),
            false => finite_number((items - error) / whole),
        }
    }

    fn interval(&self, form: IccForm, confidence: f64) -> Result<Interval, Undefined> {
        let Self { items, raters, error, n, k } = *self;
        let share = 1.0 - (1.0 - confidence) / 2.0;
        let (low, high) = match form {
            IccForm::Consistency => {
                let (above, below) = (n - 1.0, (n - 1.0) * (k - 1.0));
                // Both sides of the ratio times the error, which may be 0.
                let end = |items: f64, error: f64| (items - error) / (items + (k - 1.0) * error);
                (
                    end(items, error * fisher_quantile(share, above, below)),
                    end(items * fisher_quantile(share, below, above), error),
                )
            }
            IccForm::Agreement => {
                let rho = self.coefficient(form)?;
                let of_raters = k * rho * raters;
                let of_error = (n * (1.0 + (k - 1.0) * rho) - k * rho) * error;
                let freedom = (k - 1.0) * (n - 1.0) * (of_raters + of_error).powi(2)
                    / ((n - 1.0) * of_raters.powi(2) + of_error.powi(2));
                let upper = fisher_quantile(share, n - 1.0, freedom);
                let lower = fisher_quantile(share, freedom, n - 1.0);
                let spread = k * raters + (k * n - k - n) * error;
                (
                    n * (items - upper * error) / (upper * spread + n * items),
                    n * (lower * items - error) / (spread + n * lower * items),
                )
            }
        };
        // Full agreement has no error to make an interval of.
        let is_interval = low.is_finite() && high.is_finite() && low < high;
        is_interval.then_some(Interval { low, high }).ok_or(Undefined::NoSpread)
    }
}
