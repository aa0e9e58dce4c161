//! Shares of pairs of scores: how many agree, and how many flip a boundary.

use crate::undefined::{NumberOrReason, Undefined};
use trajview_run::rubric::SEVERE;

/// A number for each question about pairs of scores; all are shares, 0..=1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairShares<T> {
    /// Both are the same level; higher is steadier.
    pub exact: T,
    /// The share of pairs that differ by at most 1; higher is steadier.
    pub within_1: T,
    /// The share of pairs with one score at 2 or less and the other at 3 or more; lower is steadier.
    pub flips_2_3: T,
    /// The share of pairs with one score at 3 or less and the other at 4; lower is steadier.
    pub flips_3_4: T,
    /// The share of pairs with one severe failure, 1 or less, and one that is not; lower is steadier.
    pub severe_flips: T,
}

impl<T: Copy> PairShares<T> {
    /// Returns the numbers with their JSON names.
    pub fn named_values(&self) -> [(&'static str, T); 5] {
        [
            ("exact", self.exact),
            ("within_1", self.within_1),
            ("flips_2_3", self.flips_2_3),
            ("flips_3_4", self.flips_3_4),
            ("severe_flips", self.severe_flips),
        ]
    }
}

type ShareGetter = fn(&PairShares<f64>) -> f64;

impl<T> PairShares<T> {
    /// Builds the shares one by one: `make` receives the getter of each share.
    pub(super) fn from_each(make: impl Fn(ShareGetter) -> T) -> Self {
        Self {
            exact: make(|it| it.exact),
            within_1: make(|it| it.within_1),
            flips_2_3: make(|it| it.flips_2_3),
            flips_3_4: make(|it| it.flips_3_4),
            severe_flips: make(|it| it.severe_flips),
        }
    }
}

impl PairShares<NumberOrReason> {
    /// Computes the shares over every two of the scores.
    pub fn within_scores(scores: &[u8]) -> Self {
        let pairs = scores
            .iter()
            .enumerate()
            .flat_map(|(at, a)| scores[at + 1..].iter().map(move |b| (*a, *b)));
        let why = if scores.is_empty() { Undefined::NoPairs } else { Undefined::FewerThanTwoPairs };
        Self::from_pairs(&pairs.collect::<Vec<_>>(), why)
    }

    /// Computes the shares over each of the first with each of the second.
    pub(crate) fn between_scores(first: &[u8], second: &[u8]) -> Self {
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
        Self::from_pairs(&pairs.collect::<Vec<_>>(), Undefined::NoPairs)
    }

    fn from_pairs(pairs: &[(u8, u8)], why_none: Undefined) -> Self {
        let share = |is_so: &dyn Fn(u8, u8) -> bool| match pairs.len() {
            0 => Err(why_none),
            count => Ok(pairs.iter().filter(|(a, b)| is_so(*a, *b)).count() as f64 / count as f64),
        };
        let flips = |highest: u8| share(&|a, b| (a <= highest) != (b <= highest));
        Self {
            exact: share(&|a, b| a == b),
            within_1: share(&|a, b| a.abs_diff(b) <= 1),
            flips_2_3: flips(2),
            flips_3_4: flips(3),
            severe_flips: flips(SEVERE),
        }
    }

    /// Returns the numbers; None where there are no pairs.
    pub(crate) fn all_defined(&self) -> Option<PairShares<f64>> {
        Some(PairShares {
            exact: self.exact.ok()?,
            within_1: self.within_1.ok()?,
            flips_2_3: self.flips_2_3.ok()?,
            flips_3_4: self.flips_3_4.ok()?,
            severe_flips: self.severe_flips.ok()?,
        })
    }
}
