//! When a judge's level may stand for a person's, at an error that is promised beforehand: split conformal prediction for
//! levels with an order. A set has the levels that are likely enough (Sadinle, Lei and Wasserman, JASA 114, 2019) and those
//! between them.
//!
//! The labelled items are divided at random. One part estimates what people give where the judge gives a level; the other
//! part, the calibration part, finds how wide a set of neighbouring levels must be to hold the person's level for the
//! promised share of items. The judge abstains where its set has more than one level; where the one level is not the judge's,
//! that level stands for it. The promise holds for any judge and any number of labels, where the labelled items were drawn at
//! random from all. It is of all items, on average over draws of the labels, and not of the items with one level alone.

use crate::{
    bootstrap::Resamples,
    undefined::{NumberOrReason, Undefined},
};

/// Pseudo-labels of each judged level in the first part, nearest levels weighing most: without labels the judge's level is
/// the likeliest.
const PRIOR_LABELS: f64 = 1.0;

/// Taken from a number before it is rounded up: else an error of 0.1 would need one item more.
const ROUNDING: f64 = 1e-9;

/// An item with the judge's and a person's level, as positions on the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelledLevel {
    pub judged: usize,
    pub labelled: usize,
}

/// The sets of levels that hold a person's level with the promised probability.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionSets {
    /// Items of the part that estimates what people give.
    pub fitted: usize,
    /// The items of the calibration part.
    pub calibration: Vec<LabelledLevel>,
    /// The probability that a level needs to be in a set; the reason where the calibration part is too small for the promise.
    pub threshold: NumberOrReason,
    /// The first and last level of the set for each level of the judge.
    pub sets: Vec<(usize, usize)>,
}

/// What a set makes of a level of the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelUse {
    /// The set is the level itself.
    Stands,
    /// The set is this one other level.
    Corrected(usize),
    /// The set has several levels, or there is no threshold.
    Abstains,
}

impl PredictionSets {
    /// Returns what becomes of an item to which the judge gave this level.
    pub fn level_use(&self, judged: usize) -> LevelUse {
        match self.sets.get(judged).filter(|_| self.threshold.is_ok()) {
            Some((low, high)) if low != high => LevelUse::Abstains,
            Some((level, _)) if *level == judged => LevelUse::Stands,
            Some((level, _)) => LevelUse::Corrected(*level),
            None => LevelUse::Abstains,
        }
    }

    /// Counts the calibration items whose set is one level, and those of them to which the person gave another level.
    pub fn one_level_errors(&self) -> (usize, usize) {
        let (mut items, mut errors) = (0, 0);
        for it in &self.calibration {
            let used = match self.level_use(it.judged) {
                LevelUse::Stands => it.judged,
                LevelUse::Corrected(level) => level,
                LevelUse::Abstains => continue,
            };
            items += 1;
            errors += usize::from(used != it.labelled);
        }
        (items, errors)
    }
}

/// Returns the number of labelled items that a calibration part needs at least for this error.
pub fn fewest_calibrated(error: f64) -> usize {
    (1.0 / error - 1.0 - ROUNDING).ceil().max(1.0) as usize
}

/// Returns the number of labelled items of both parts that this error needs at least.
pub fn fewest_labelled(error: f64) -> usize {
    2 * fewest_calibrated(error) - 1
}

/// Computes the sets for a scale of so many levels and a promised error between 0 and 1. The seed decides which items are the
/// calibration part; it has one item more where their number is odd.
pub fn prediction_sets(
    items: &[LabelledLevel],
    levels: usize,
    error: f64,
    seed: u64,
) -> PredictionSets {
    let shuffled = shuffled_items(items, seed);
    let (fit, calibration) = shuffled.split_at(shuffled.len() / 2);
    let shares: Vec<Vec<f64>> =
        (0..levels).map(|judged| label_shares(fit, judged, levels)).collect();
    let is_on_scale = |it: &&LabelledLevel| it.judged < levels && it.labelled < levels;
    let calibration: Vec<LabelledLevel> = calibration.iter().filter(is_on_scale).copied().collect();
    let mut reached: Vec<f64> =
        calibration.iter().map(|it| shares[it.judged][it.labelled]).collect();
    reached.sort_by(|a, b| b.total_cmp(a));
    let rank = ((reached.len() + 1) as f64 * (1.0 - error) - ROUNDING).ceil().max(1.0) as usize;
    let threshold = reached.get(rank - 1).copied().ok_or(Undefined::SmallCalibration);
    let set = |(judged, shares): (usize, &Vec<f64>)| match threshold {
        Err(_) => (0, levels.saturating_sub(1)),
        Ok(threshold) => {
            let is_inside = |level: &usize| shares[*level] >= threshold;
            // The likeliest level is always in the set: a larger set keeps the promise.
            let likeliest = likeliest_label(shares, judged);
            let low = (0..levels).find(is_inside).unwrap_or(likeliest);
            let high = (0..levels).rfind(is_inside).unwrap_or(likeliest);
            (low, high)
        }
    };
    PredictionSets {
        fitted: fit.len(),
        calibration,
        threshold,
        sets: shares.iter().enumerate().map(set).collect(),
    }
}

/// Returns the level with the highest share; of two, the one nearer to the judge's level.
fn likeliest_label(shares: &[f64], judged: usize) -> usize {
    let is_better = |a: usize, b: usize| {
        shares[a] > shares[b] || shares[a] == shares[b] && a.abs_diff(judged) < b.abs_diff(judged)
    };
    let best = (0..shares.len()).reduce(|best, it| if is_better(it, best) { it } else { best });
    best.unwrap_or(judged)
}

/// Returns the items in an order that the seed decides (Fisher and Yates).
fn shuffled_items(items: &[LabelledLevel], seed: u64) -> Vec<LabelledLevel> {
    let mut shuffled = items.to_vec();
    let mut draws = Resamples::new(seed, shuffled.len());
    for at in (1..shuffled.len()).rev() {
        shuffled.swap(at, draws.draw_below(at + 1));
    }
    shuffled
}

/// Estimates the probability of each label where the judge gives a level.
fn label_shares(fit: &[LabelledLevel], judged: usize, levels: usize) -> Vec<f64> {
    let prior: Vec<f64> =
        (0..levels).map(|level| 0.5_f64.powi(level.abs_diff(judged) as i32)).collect();
    let whole: f64 = prior.iter().sum();
    let mut counts: Vec<f64> = prior.iter().map(|it| PRIOR_LABELS * it / whole).collect();
    let ours = fit.iter().filter(|it| it.judged == judged && it.labelled < levels);
    ours.for_each(|it| counts[it.labelled] += 1.0);
    let all: f64 = counts.iter().sum();
    counts.iter().map(|count| count / all).collect()
}
