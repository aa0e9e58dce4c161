//! Bootstrap intervals, bias-corrected and accelerated (BCa; Efron and Tibshirani, An Introduction to the Bootstrap,
//! 14.3), as `scipy.stats.bootstrap(method="BCa")` computes them from the same resamples.
//!
//! Pairs are drawn, never the two sides apart. The draws come from [`Resamples`], a generator that is written down here
//! so that any other program can make the same ones; those of another program can be given instead.

use super::{
    maths::{mean, normal_cdf, normal_quantile},
    undefined::{NumberOrReason, Undefined, finite_number},
};

/// Values closer than this are one value: sums in another order must not move an interval.
const SAME: f64 = 1e-12;

/// The largest share of resamples without a value at which there still is an interval. Fewer than three pairs that
/// make the difference between a value and none exceed it: `(1 - 2/n)^n` of the resamples contain none of two.
pub(crate) const MOST_UNDEFINED: f64 = 0.05;

/// The settings of a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootstrapPlan {
    pub seed: u64,
    /// The number of resamples.
    pub resamples: usize,
    /// The share that an interval covers, between 0 and 1.
    pub confidence: f64,
}

impl Default for BootstrapPlan {
    /// Returns a plan for 95 %, with as many resamples as SciPy takes.
    fn default() -> Self {
        Self { seed: 1, resamples: 9_999, confidence: 0.95 }
    }
}

impl BootstrapPlan {
    /// Returns the draws of this plan among `count` things.
    pub(crate) fn draws_among(&self, count: usize) -> impl Iterator<Item = Vec<usize>> + use<> {
        Resamples::new(self.seed, count).take(self.resamples)
    }
}

/// Both ends of a confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl serde::Serialize for Interval {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        [self.low, self.high].serialize(to)
    }
}

/// A number with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: NumberOrReason,
    pub interval: Result<Interval, Undefined>,
    /// Resamples that have no value and are left out.
    pub undefined_resamples: usize,
}

impl Estimate {
    /// Returns an estimate without value and interval, for one reason.
    pub fn undefined(why: Undefined) -> Self {
        Self { value: Err(why), interval: Err(why), undefined_resamples: 0 }
    }
}

/// Endless draws of `count` things among `count`, with replacement: SplitMix64 (Steele, Lea and Flood, Fast splittable
/// pseudorandom number generators, 2014) started at the seed; a draw is the upper half of its output times `count`.
#[derive(Debug, Clone)]
pub struct Resamples {
    state: u64,
    count: usize,
}

impl Resamples {
    pub fn new(seed: u64, count: usize) -> Self {
        Self { state: seed, count }
    }

    fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix_bits(self.state)
    }

    /// Returns numbers of 64 bits without end.
    pub fn into_numbers(mut self) -> impl Iterator<Item = u64> {
        std::iter::repeat_with(move || self.next_number())
    }

    /// Draws one number below the count.
    pub fn draw(&mut self) -> usize {
        self.draw_below(self.count)
    }

    /// Draws one number below another count.
    pub fn draw_below(&mut self, count: usize) -> usize {
        ((u128::from(self.next_number()) * count as u128) >> 64) as usize
    }
}

/// Computes the last part of SplitMix64: each number of 64 bits becomes another one, no two the same.
pub(crate) const fn mix_bits(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Iterator for Resamples {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        Some((0..self.count).map(|_| self.draw()).collect())
    }
}

/// Computes the interval around `value`, from what the resamples gave and what is left without each of the pairs in turn.
///
/// Resamples without a value are left out up to [`MOST_UNDEFINED`]. Not defined where they are more, where leaving out
/// one pair leaves no value, and where there is nothing but one value.
pub(crate) fn bca_estimate(
    value: NumberOrReason,
    resampled: &[NumberOrReason],
    without_one: &[NumberOrReason],
    confidence: f64,
) -> Estimate {
    bca_estimate_of_samples(value, resampled, &[without_one.to_vec()], confidence)
}

/// Estimates from several samples that are drawn independently: `without_one` has a list for each sample.
pub(crate) fn bca_estimate_of_samples(
    value: NumberOrReason,
    resampled: &[NumberOrReason],
    without_one: &[Vec<NumberOrReason>],
    confidence: f64,
) -> Estimate {
    let mut known: Vec<f64> = resampled.iter().copied().flatten().collect();
    let undefined_resamples = resampled.len() - known.len();
    let interval = value.and_then(|value| {
        if undefined_resamples as f64 > MOST_UNDEFINED * resampled.len() as f64 {
            return Err(Undefined::UnstableResamples);
        }
        let of_sample =
            |sample: &Vec<NumberOrReason>| sample.iter().map(|value| value.ok()).collect();
        let without_one: Option<Vec<Vec<f64>>> = without_one.iter().map(of_sample).collect();
        let without_one = without_one.ok_or(Undefined::UnstableResamples)?;
        known.sort_by(f64::total_cmp);
        bca_interval(value, &known, &without_one, confidence)
    });
    Estimate { value, interval, undefined_resamples }
}

fn bca_interval(
    value: f64,
    sorted: &[f64],
    without_one: &[Vec<f64>],
    confidence: f64,
) -> Result<Interval, Undefined> {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return Err(Undefined::NoSpread);
    };
    if last - first <= SAME {
        return Err(Undefined::NoSpread);
    }
    let bias = normal_quantile(share_below(value, sorted));
    let acceleration = bca_acceleration(without_one).ok_or(Undefined::NoSpread)?;
    let end = |share: f64| {
        let shifted = bias + normal_quantile(share);
        let place = normal_cdf(bias + shifted / (1.0 - acceleration * shifted));
        // Where no resample reaches the value the bias has no bound.
        if place.is_nan() {
            Err(Undefined::NoSpread)
        } else {
            finite_number(interpolated_percentile(sorted, place))
        }
    };
    let tail = (1.0 - confidence) / 2.0;
    Ok(Interval { low: end(tail)?, high: end(1.0 - tail)? })
}

/// Returns the share of the sorted values below `value`; equal values count half.
fn share_below(value: f64, sorted: &[f64]) -> f64 {
    let below = sorted.partition_point(|other| *other < value - SAME);
    let up_to = sorted.partition_point(|other| *other <= value + SAME);
    (below + up_to) as f64 / (2 * sorted.len()) as f64
}

/// Computes a sixth of the skewness of the jackknife's values, each sample's around its own mean; None where they are
/// all one, as for SciPy.
fn bca_acceleration(without_one: &[Vec<f64>]) -> Option<f64> {
    let influences = without_one.iter().flat_map(|sample| {
        let (centre, count) = (mean(sample), sample.len() as f64);
        sample.iter().map(move |value| (centre - value) * (count - 1.0) / count)
    });
    let influences: Vec<f64> = influences.collect();
    let sum_of = |power: i32| influences.iter().map(|by| by.powi(power)).sum::<f64>();
    let squares = sum_of(2);
    (squares > SAME * SAME).then(|| sum_of(3) / (6.0 * squares.powf(1.5)))
}

/// Returns a percentile, interpolated between its two nearest values.
fn interpolated_percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (before, after) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    before + (after - before) * place.fract()
}
