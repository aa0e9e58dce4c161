//! How often each pair of levels was given.

use std::fmt;

use crate::undefined::{NumberOrReason, Undefined};

use super::{MeasurementLevel, RatingScale, cluster_bootstrap::SampleSum};

/// The confusion matrix of two raters, a row for each level of the first.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfusionTable {
    levels: Vec<f64>,
    measurement: MeasurementLevel,
    counts: Vec<f64>,
}

/// Two neighbouring levels that raters mistake for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelBoundary {
    /// Pairs of which one score is the lower level and the other the higher one.
    pub count: u64,
    /// Pairs in which a rater gave one of the two levels: what the calibration table of the SLUMP paper divides by.
    pub total: u64,
}

impl LevelBoundary {
    /// Returns the share that the count is of the total, 0 to 1; not defined where nobody gave either level.
    pub fn share(self) -> NumberOrReason {
        match self.total {
            0 => Err(Undefined::NeitherLevel),
            of => Ok(self.count as f64 / of as f64),
        }
    }
}

impl fmt::Display for LevelBoundary {
    /// Writes `1/56`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.count, self.total)
    }
}

/// Both raters' counts of each level.
pub struct LevelMargins {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

impl SampleSum for ConfusionTable {
    fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
    }
}

impl ConfusionTable {
    pub(crate) fn empty(scale: &RatingScale) -> Self {
        let levels = scale.levels().to_vec();
        let counts = vec![0.0; levels.len() * levels.len()];
        Self { counts, measurement: scale.measurement(), levels }
    }

    pub(crate) fn add_pairs(&mut self, a: usize, b: usize, count: f64) {
        let at = a * self.levels.len() + b;
        self.counts[at] += count;
    }

    /// Returns the levels from low to high.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    pub const fn measurement(&self) -> MeasurementLevel {
        self.measurement
    }

    /// Returns the number of pairs of the levels at these positions, from 0.
    pub fn pair_count(&self, a: usize, b: usize) -> f64 {
        self.counts.get(a * self.levels.len() + b).copied().unwrap_or(0.0)
    }

    /// Returns the number of all pairs.
    pub(crate) fn total_pairs(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Returns the cells that have pairs, row by row: position of the first rater's level, of the second's, and how
    /// many.
    pub(crate) fn filled_cells(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let size = self.levels.len();
        let cells =
            self.counts.iter().enumerate().map(move |(at, count)| (at / size, at % size, *count));
        cells.filter(|(_, _, count)| *count > 0.0)
    }

    /// Returns the counts of pairs, a row for each level of the first rater.
    pub fn count_rows(&self) -> Vec<Vec<u64>> {
        let rows = self.counts.chunks(self.levels.len().max(1));
        rows.map(|row| row.iter().map(|count| *count as u64).collect()).collect()
    }

    /// Returns how often each level was given by the first and by the second rater.
    pub(super) fn level_margins(&self) -> LevelMargins {
        let mut margins =
            LevelMargins { a: vec![0.0; self.levels.len()], b: vec![0.0; self.levels.len()] };
        for (a, b, count) in self.filled_cells() {
            margins.a[a] += count;
            margins.b[b] += count;
        }
        margins
    }

    /// Returns the share of each level among the scores of the first and of the second rater; empty without pairs.
    pub fn base_rates(&self) -> (Vec<f64>, Vec<f64>) {
        let total = self.total_pairs();
        if total == 0.0 {
            return (vec![], vec![]);
        }
        let shares = |counts: Vec<f64>| counts.into_iter().map(|count| count / total).collect();
        let LevelMargins { a, b } = self.level_margins();
        (shares(a), shares(b))
    }

    /// Counts the pairs of which one rater gave `low` and the other `high`, in either order, and the pairs in which a rater gave
    /// one of the two.
    pub(crate) fn boundary_between(&self, low: f64, high: f64) -> LevelBoundary {
        let mut boundary = LevelBoundary { count: 0, total: 0 };
        for (a, b, count) in self.filled_cells() {
            let pair = [self.levels[a], self.levels[b]];
            if pair.contains(&low) || pair.contains(&high) {
                boundary.total += count as u64;
            }
            if pair.contains(&low) && pair.contains(&high) {
                boundary.count += count as u64;
            }
        }
        boundary
    }

    /// Returns whether both raters gave one and the same level throughout.
    pub(super) fn has_one_level(&self) -> bool {
        let mut cells = self.filled_cells();
        matches!((cells.next(), cells.next()), (Some((a, b, _)), None) if a == b)
    }
}
