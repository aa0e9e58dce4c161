//! How often each pair of levels was given.

use std::fmt;

use crate::undefined::{Undefined, Value};

use super::{Measurement, Scale, drawn::Sum};

/// The confusion matrix of two raters, a row for each level of the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    levels: Vec<f64>,
    measurement: Measurement,
    counts: Vec<f64>,
}

/// Two neighbouring levels that raters mistake for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boundary {
    /// Pairs of which one score is the lower level and the other the higher one.
    pub count: u64,
    /// Pairs in which a rater gave one of the two levels: what the calibration table of the SLUMP paper divides by.
    pub of: u64,
}

impl Boundary {
    /// 0 to 1; not defined where nobody gave either level.
    pub fn share(self) -> Value {
        match self.of {
            0 => Err(Undefined::NeitherLevel),
            of => Ok(self.count as f64 / of as f64),
        }
    }
}

impl fmt::Display for Boundary {
    /// `1/56`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.count, self.of)
    }
}

/// Both raters' counts of each level.
pub struct Margins {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

impl Sum for Table {
    fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
    }
}

impl Table {
    pub(super) fn empty(scale: &Scale) -> Self {
        let levels = scale.levels().to_vec();
        let counts = vec![0.0; levels.len() * levels.len()];
        Self { counts, measurement: scale.measurement(), levels }
    }

    pub(super) fn add(&mut self, a: usize, b: usize, count: f64) {
        let at = a * self.levels.len() + b;
        self.counts[at] += count;
    }

    /// From low to high.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    pub const fn measurement(&self) -> Measurement {
        self.measurement
    }

    /// Pairs of the levels at these positions, from 0.
    pub fn count(&self, a: usize, b: usize) -> f64 {
        self.counts.get(a * self.levels.len() + b).copied().unwrap_or(0.0)
    }

    /// All pairs.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// (position of the first, of the second, how many), where there are any, row by row.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let size = self.levels.len();
        let cells =
            self.counts.iter().enumerate().map(move |(at, count)| (at / size, at % size, *count));
        cells.filter(|(_, _, count)| *count > 0.0)
    }

    /// A row for each level of the first rater.
    pub fn rows(&self) -> Vec<Vec<u64>> {
        let rows = self.counts.chunks(self.levels.len().max(1));
        rows.map(|row| row.iter().map(|count| *count as u64).collect()).collect()
    }

    pub(super) fn margins(&self) -> Margins {
        let mut margins =
            Margins { a: vec![0.0; self.levels.len()], b: vec![0.0; self.levels.len()] };
        for (a, b, count) in self.cells() {
            margins.a[a] += count;
            margins.b[b] += count;
        }
        margins
    }

    /// The share of each level among the scores of the first and of the second rater; empty without pairs.
    pub fn base_rates(&self) -> (Vec<f64>, Vec<f64>) {
        let total = self.total();
        if total == 0.0 {
            return (vec![], vec![]);
        }
        let shares = |counts: Vec<f64>| counts.into_iter().map(|count| count / total).collect();
        let Margins { a, b } = self.margins();
        (shares(a), shares(b))
    }

    /// How many pairs lie on different sides of the boundary between two levels, whoever gave which, and of how many.
    pub fn boundary(&self, low: f64, high: f64) -> Boundary {
        let mut boundary = Boundary { count: 0, of: 0 };
        for (a, b, count) in self.cells() {
            let pair = [self.levels[a], self.levels[b]];
            if pair.contains(&low) || pair.contains(&high) {
                boundary.of += count as u64;
            }
            if pair.contains(&low) && pair.contains(&high) {
                boundary.count += count as u64;
            }
        }
        boundary
    }

    /// Whether both raters gave one and the same level throughout.
    pub(super) fn has_one_level(&self) -> bool {
        let mut cells = self.cells();
        matches!((cells.next(), cells.next()), (Some((a, b, _)), None) if a == b)
    }
}
