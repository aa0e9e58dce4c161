//! How far any number of raters agree who scored the same things, with scores missing here and there.
//!
//! Everything follows from sums over things (`Tally`): a thing that fewer than two raters scored says nothing of
//! agreement and is left out. The numbers are those of the Python packages `krippendorff`, `irrCAC` and `statsmodels`;
//! `tests/vectors/panel.py` has the cases.

use crate::{
    bootstrap::Plan,
    undefined::{Undefined, Value},
};
use trajview_run::values::worded;

use super::{
    Scale,
    drawn::{Part, Sum, Twice, twice},
    trust::Doubt,
};

worded! {
    name;
    /// A measure of agreement of several raters; 1 is full agreement.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Among {
        /// Of the pairs of scores of a thing, the share that is one level; the mean over things.
        Exact = "exact",
        /// Krippendorff's alpha (Computing Krippendorff's Alpha-Reliability, 2011), every disagreement alike.
        AlphaNominal = "alpha_nominal",
        /// The same with the ordinal metric: the square of the scores between two levels.
        Alpha = "alpha",
        /// The same with the interval metric: the square of the difference of the levels' numbers.
        AlphaInterval = "alpha_interval",
        /// Fleiss' kappa (Psychological Bulletin 76, 1971); needs as many scores of every thing.
        Fleiss = "fleiss_kappa",
        /// Gwet's AC1 for several raters (2008), a thing weighing the same whoever did not score it.
        Ac1 = "ac1",
        /// Gwet's AC2 for several raters, with quadratic weights of the levels' numbers.
        Ac2 = "ac2",
    }
}

/// What some raters gave to one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Which run it is of: any number, the same for the things of one run.
    pub run: usize,
    /// A position on the scale for each rater, in the order of the raters; None where one gave none.
    pub given: Vec<Option<usize>>,
}

/// How far several raters agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreed {
    /// Things that at least two scored.
    pub n: usize,
    /// Their scores.
    pub scores: usize,
    /// Runs that they are of.
    pub runs: usize,
    /// One for each of [`Among::ALL`], in that order.
    pub estimates: Vec<(Among, Twice)>,
    /// Why the intervals of [`super::trust::SQUARING_AMONG`] cannot be trusted; None where they can.
    pub doubt: Option<Doubt>,
}

/// Of the things that these raters scored: those that at least two did (available-case), or those that all did
/// (complete-case). `raters` are places in [`Unit::given`].
pub fn agreed(
    units: &[Unit],
    raters: &[usize],
    scale: &Scale,
    cases: Cases,
    plan: &Plan,
) -> Agreed {
    let given = |unit: &Unit| -> Vec<usize> {
        raters.iter().filter_map(|at| unit.given.get(*at).copied().flatten()).collect()
    };
    let least = match cases {
        Cases::Available => 2,
        Cases::Complete => raters.len().max(2),
    };
    let counted = units.iter().map(|unit| (unit.run, given(unit)));
    let counted: Vec<(usize, Vec<usize>)> =
        counted.filter(|(_, given)| given.len() >= least).collect();
    let parts: Vec<Part<Tally>> = counted
        .iter()
        .map(|(run, given)| Part { sum: Tally::of(given, scale), cluster: *run })
        .collect();
    let runs: std::collections::BTreeSet<usize> = counted.iter().map(|(run, _)| *run).collect();
    let of = |it: Among, tally: &Tally| tally.value(it, scale);
    let whole = |it: Among, tally: &Tally| tally.of_whole(it, scale);
    let differ = counted.iter().filter(|(_, given)| given.windows(2).any(|two| two[0] != two[1]));
    let mut levels = vec![0usize; scale.levels().len()];
    counted.iter().flat_map(|(_, given)| given).for_each(|at| levels[*at] += 1);
    let (most, all) = (levels.iter().max().copied().unwrap_or(0), levels.iter().sum::<usize>());
    Agreed {
        doubt: Doubt::of(counted.len(), differ.count(), most as f64 / all.max(1) as f64),
        n: counted.len(),
        scores: counted.iter().map(|(_, given)| given.len()).sum(),
        runs: runs.len(),
        estimates: twice(&parts, &Among::ALL, of, whole, plan),
    }
}

worded! {
    words;
    /// Which things count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Cases {
        /// Those that at least two of the raters scored.
        Available = "available",
        /// Those that all of them scored.
        Complete = "complete",
    }
}

/// Sums over things that at least two raters scored.
#[derive(Debug, Clone, PartialEq)]
struct Tally {
    /// How often two scores of one thing are this level and that, a row a level, each thing weighing as many as it has
    /// scores: Krippendorff's coincidences.
    coincidences: Vec<f64>,
    /// Of each level, the share of the scores of a thing.
    shares: Vec<f64>,
    /// The share of pairs of a thing that are one level, and the same by quadratic weights.
    same: f64,
    near: f64,
    things: f64,
    /// How many scores every thing has; None where they differ.
    each: Option<usize>,
}

impl Sum for Tally {
    fn add(&mut self, other: &Self) {
        let add = |to: &mut Vec<f64>, from: &Vec<f64>| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        };
        add(&mut self.coincidences, &other.coincidences);
        add(&mut self.shares, &other.shares);
        self.same += other.same;
        self.near += other.near;
        self.things += other.things;
        self.each = self.each.filter(|each| other.each == Some(*each));
    }
}

impl Tally {
    /// Of one thing that at least two scored, by positions on the scale.
    fn of(given: &[usize], scale: &Scale) -> Self {
        let levels = scale.levels().len();
        let mut counts = vec![0.0; levels];
        given.iter().for_each(|at| counts[*at] += 1.0);
        let count = given.len() as f64;
        let mut coincidences = vec![0.0; levels * levels];
        let (mut same, mut near) = (0.0, 0.0);
        for (a, of_a) in counts.iter().enumerate() {
            for (b, of_b) in counts.iter().enumerate() {
                let pairs = of_a * (of_b - if a == b { 1.0 } else { 0.0 });
                coincidences[a * levels + b] = pairs / (count - 1.0);
                same += if a == b { pairs } else { 0.0 };
                near += pairs * nearness(scale, a, b);
            }
        }
        let pairs = count * (count - 1.0);
        let shares = counts.iter().map(|of| of / count).collect();
        let (same, near) = (same / pairs, near / pairs);
        Self { coincidences, shares, same, near, things: 1.0, each: Some(given.len()) }
    }

    /// As [`Self::value`], but for one thing, which says nothing beyond its own share, and for one level, where chance
    /// alone would agree as fully and only Gwet's has a value.
    fn of_whole(&self, it: Among, scale: &Scale) -> Value {
        let has_one_level = self.shares.iter().filter(|share| **share > 0.0).count() == 1;
        match it {
            Among::Exact => self.value(it, scale),
            _ if self.things < 2.0 => Err(Undefined::FewerThanTwoPairs),
            Among::Ac1 | Among::Ac2 if has_one_level => Ok(1.0),
            _ => self.value(it, scale),
        }
    }

    /// By the formula alone, as it is applied to resamples.
    fn value(&self, it: Among, scale: &Scale) -> Value {
        let levels = scale.levels();
        match it {
            Among::Exact => Ok(self.same / self.things),
            Among::AlphaNominal => self.alpha(|a, b| if a == b { 0.0 } else { 1.0 }),
            Among::Alpha => {
                let places = self.places();
                self.alpha(|a, b| (places[a] - places[b]).powi(2))
            }
            Among::AlphaInterval => self.alpha(|a, b| (levels[a] - levels[b]).powi(2)),
            Among::Fleiss => self.fleiss(),
            Among::Ac1 => self.gwet(self.same, |a, b| f64::from(u8::from(a == b))),
            Among::Ac2 => self.gwet(self.near, |a, b| nearness(scale, a, b)),
        }
    }

    fn levels(&self) -> usize {
        self.shares.len()
    }

    fn counts(&self) -> Vec<f64> {
        self.coincidences.chunks(self.levels().max(1)).map(|row| row.iter().sum()).collect()
    }

    /// The middle of each level among all scores in order.
    fn places(&self) -> Vec<f64> {
        let mut before = 0.0;
        let mut place = |count: f64| {
            let place = before + count / 2.0;
            before += count;
            place
        };
        self.counts().into_iter().map(&mut place).collect()
    }

    /// `1 - observed / expected` disagreement.
    fn alpha(&self, distance: impl Fn(usize, usize) -> f64) -> Value {
        let (counts, levels) = (self.counts(), self.levels());
        let total: f64 = counts.iter().sum();
        let sum = |weight: &dyn Fn(usize, usize) -> f64| -> f64 {
            let row = |a: usize| (0..levels).map(|b| weight(a, b) * distance(a, b)).sum::<f64>();
            (0..levels).map(row).sum()
        };
        let expected = sum(&|a, b| counts[a] * counts[b]);
        if expected == 0.0 {
            return Err(Undefined::OneLevel);
        }
        Ok(1.0 - (total - 1.0) * sum(&|a, b| self.coincidences[a * levels + b]) / expected)
    }

    /// `(observed - chance) / (1 - chance)`, chance being the sum of the squared shares of the levels.
    fn fleiss(&self) -> Value {
        if self.each.is_none() {
            return Err(Undefined::UnequalScores);
        }
        let chance: f64 = self.shares.iter().map(|share| (share / self.things).powi(2)).sum();
        match chance >= 1.0 {
            true => Err(Undefined::OneLevel),
            false => Ok((self.same / self.things - chance) / (1.0 - chance)),
        }
    }

    /// `(observed - chance) / (1 - chance)`, chance being that of raters who guess among the levels.
    fn gwet(&self, agreeing: f64, weight: impl Fn(usize, usize) -> f64) -> Value {
        let levels = self.levels();
        if levels < 2 {
            return Ok(1.0);
        }
        let row = |a: usize| (0..levels).map(|b| weight(a, b)).sum::<f64>();
        let weights: f64 = (0..levels).map(row).sum();
        let share = |sum: &f64| sum / self.things;
        let spread: f64 = self.shares.iter().map(share).map(|p| p * (1.0 - p)).sum();
        let chance = weights * spread / (levels * (levels - 1)) as f64;
        Ok((agreeing / self.things - chance) / (1.0 - chance))
    }
}

/// `1 - (difference / widest difference)^2` of two levels' numbers.
fn nearness(scale: &Scale, a: usize, b: usize) -> f64 {
    let levels = scale.levels();
    let widest = levels.last().zip(levels.first()).map_or(0.0, |(last, first)| last - first);
    if a == b { 1.0 } else { 1.0 - ((levels[a] - levels[b]) / widest).powi(2) }
}
