//! Shares of pairs of scores: how many agree, and how many flip a boundary.

use crate::undefined::{Undefined, Value};
use trajview_run::rubric::SEVERE;

/// One number for each question that is asked of pairs of scores; all are shares, 0..=1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares<T> {
    /// Both are the same level; higher is steadier.
    pub exact: T,
    /// They differ by at most 1; higher is steadier.
    pub within_1: T,
    /// One is 2 or less, the other 3 or more; lower is steadier.
    pub flips_2_3: T,
    /// One is 3 or less, the other 4; lower is steadier.
    pub flips_3_4: T,
    /// One is a severe failure, 1 or less, the other is not; lower is steadier.
    pub severe_flips: T,
}

impl<T: Copy> Shares<T> {
    /// Names as they stand in JSON, with their numbers.
    pub fn named(&self) -> [(&'static str, T); 5] {
        [
            ("exact", self.exact),
            ("within_1", self.within_1),
            ("flips_2_3", self.flips_2_3),
            ("flips_3_4", self.flips_3_4),
            ("severe_flips", self.severe_flips),
        ]
    }
}

type Get = fn(&Shares<f64>) -> f64;

impl<T> Shares<T> {
    /// Made share by share: `of` is told where the share stands in another.
    pub(super) fn each(of: impl Fn(Get) -> T) -> Self {
        Self {
            exact: of(|it| it.exact),
            within_1: of(|it| it.within_1),
            flips_2_3: of(|it| it.flips_2_3),
            flips_3_4: of(|it| it.flips_3_4),
            severe_flips: of(|it| it.severe_flips),
        }
    }
}

impl Shares<Value> {
    /// Of every two of the scores.
    pub fn within(scores: &[u8]) -> Self {
        let pairs = scores
            .iter()
            .enumerate()
            .flat_map(|(at, a)| scores[at + 1..].iter().map(move |b| (*a, *b)));
        let why = if scores.is_empty() { Undefined::NoPairs } else { Undefined::FewerThanTwoPairs };
        Self::of(&pairs.collect::<Vec<_>>(), why)
    }

    /// Of each of the first with each of the second.
    pub fn between(first: &[u8], second: &[u8]) -> Self {
        let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
        Self::of(&pairs.collect::<Vec<_>>(), Undefined::NoPairs)
    }

    fn of(pairs: &[(u8, u8)], why_none: Undefined) -> Self {
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

    /// None where there are no pairs.
    pub fn known(&self) -> Option<Shares<f64>> {
        Some(Shares {
            exact: self.exact.ok()?,
            within_1: self.within_1.ok()?,
            flips_2_3: self.flips_2_3.ok()?,
            flips_3_4: self.flips_3_4.ok()?,
            severe_flips: self.severe_flips.ok()?,
        })
    }
}
