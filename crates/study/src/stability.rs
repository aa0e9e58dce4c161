//! Agreement of a judge with itself: judgements that are repeats of each other, and one such group against another.
//!
//! [`repeat_groups`] finds the repeats: everything about the question is equal ([`RepeatSetup`]) and so is the state
//! of the judged code. [`Stability`] measures one group: component by component, and as a whole. [`GroupContrast`]
//! compares two groups: prompt against prompt, judge against judge ([`SetupDifference`]).
//!
//! All shares are of pairs of judgements: of K repeats of a component that have a score there are K(K-1)/2. A
//! component has a share where at least two gave it a score; the share of a group is the mean over its components,
//! each counting once, and its interval is drawn over components. Two scores *flip* a boundary where they lie on
//! different sides of it.

mod alpha;
mod contrast;
mod group;
mod retest;
mod share;
#[cfg(test)]
mod tests;

pub use alpha::ordinal_alpha;
pub use contrast::{ComponentContrast, GroupContrast, SetupDifference, setup_difference};
pub use group::{JudgedCodeState, RepeatGroup, RepeatSetup, repeat_groups};
pub use retest::{MeanShift, Retest, RetestAgreement, retests};
pub use share::PairShares;

use std::collections::BTreeSet;

use super::{
    bootstrap::{BootstrapPlan, Estimate, bca_estimate},
    maths::mean,
    undefined::{NumberOrReason, Undefined},
};
use trajview_run::rubric::Judgement;

/// The stability of the judgements of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// The number of judgements.
    pub repeats: usize,
    /// The components by id.
    pub components: Vec<ComponentStability>,
    /// Components that at least two of them gave a score.
    pub compared: usize,
    /// Each share is the mean over the compared components, with its interval.
    pub shares: PairShares<Estimate>,
    /// Krippendorff's alpha with the ordinal metric, the repeats being the raters; 1 is perfect agreement.
    pub alpha: Estimate,
    /// Mean component fidelity of each, over what it gave a score, 0..=4, in the order of the group.
    pub mcf: Vec<NumberOrReason>,
    /// The mean of [`Self::mcf`]; the fields below are its standard deviation (n - 1), and its lowest and highest
    /// value.
    pub mcf_mean: NumberOrReason,
    pub mcf_sd: NumberOrReason,
    pub mcf_range: Option<(f64, f64)>,
}

/// The scores of the repeats for one component.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentStability {
    pub component: String,
    /// The scores, one for each judgement, in order; None where a judgement has none.
    pub scores: Vec<Option<u8>>,
    /// The level given most often, the lowest of several.
    pub mode: Option<u8>,
    /// Lowest and highest.
    pub range: Option<(u8, u8)>,
    /// Standard deviation (n - 1).
    pub sd: NumberOrReason,
    /// Share of the scores that are the mode.
    pub at_mode: NumberOrReason,
    pub shares: PairShares<NumberOrReason>,
}

/// Returns the ids of all components in the judgements, each once, sorted.
pub(super) fn component_ids(judgements: &[&Judgement]) -> Vec<String> {
    let all = judgements.iter().flat_map(|it| &it.verdicts).map(|it| it.component.clone());
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns one score for each judgement.
pub(super) fn component_scores(judgements: &[&Judgement], component: &str) -> Vec<Option<u8>> {
    judgements.iter().map(|it| it.verdict_on(component).and_then(|it| it.counted_level())).collect()
}

impl ComponentStability {
    /// Computes the stability from the scores of one component.
    pub fn from_scores(component: &str, scores: Vec<Option<u8>>) -> Self {
        let given: Vec<u8> = scores.iter().copied().flatten().collect();
        let mode = lowest_mode(&given);
        let count_of = |level: u8| given.iter().filter(|score| **score == level).count();
        let at_mode =
            mode.map_or(Err(Undefined::NoPairs), |it| Ok(count_of(it) as f64 / given.len() as f64));
        let range = given.iter().min().copied().zip(given.iter().max().copied());
        let numbers: Vec<f64> = given.iter().map(|score| f64::from(*score)).collect();
        Self {
            component: component.to_owned(),
            mode,
            range,
            sd: standard_deviation(&numbers),
            at_mode,
            shares: PairShares::within_scores(&given),
            scores,
        }
    }

    /// Returns the scores without the missing ones.
    pub fn known_scores(&self) -> Vec<u8> {
        self.scores.iter().copied().flatten().collect()
    }
}

impl Stability {
    /// Computes the stability of judgements that are repeats of each other.
    pub fn for_repeats(judgements: &[&Judgement], plan: &BootstrapPlan) -> Self {
        Self::over_components(judgements, &component_ids(judgements), plan)
    }

    /// Computes the stability as [`Self::for_repeats`], over these components; [`Self::mcf`] is still over all components.
    fn over_components(judgements: &[&Judgement], ids: &[String], plan: &BootstrapPlan) -> Self {
        let components: Vec<ComponentStability> = ids
            .iter()
            .map(|id| ComponentStability::from_scores(id, component_scores(judgements, id)))
            .collect();
        let units: Vec<Vec<u8>> = components
            .iter()
            .map(ComponentStability::known_scores)
            .filter(|given| given.len() > 1)
            .collect();
        let known: Vec<PairShares<f64>> =
            components.iter().filter_map(|it| it.shares.all_defined()).collect();
        let mcf: Vec<NumberOrReason> = judgements.iter().map(|it| mean_score(it)).collect();
        let of_all: Vec<f64> = mcf.iter().copied().flatten().collect();
        let lowest = of_all.iter().copied().reduce(f64::min);
        Self {
            repeats: judgements.len(),
            compared: units.len(),
            shares: PairShares::from_each(|share| mean_estimate(&known, share, plan)),
            alpha: alpha_estimate(&units, plan),
            mcf_mean: mean_or_none(&of_all),
            mcf_sd: standard_deviation(&of_all),
            mcf_range: lowest.zip(of_all.iter().copied().reduce(f64::max)),
            mcf,
            components,
        }
    }
}

/// The lowest of those given most often.
pub(super) fn lowest_mode(given: &[u8]) -> Option<u8> {
    let count = |level: u8| given.iter().filter(|score| **score == level).count();
    let levels: BTreeSet<u8> = given.iter().copied().collect();
    levels.into_iter().rev().max_by_key(|level| count(*level))
}

fn mean_score(judgement: &Judgement) -> NumberOrReason {
    let scores = judgement.verdicts.iter().filter_map(|it| it.counted_value());
    mean_or_none(&scores.collect::<Vec<_>>())
}

fn mean_or_none(numbers: &[f64]) -> NumberOrReason {
    if numbers.is_empty() { Err(Undefined::NoPairs) } else { Ok(mean(numbers)) }
}

/// Returns the standard deviation with n - 1; undefined for fewer than two numbers.
fn standard_deviation(numbers: &[f64]) -> NumberOrReason {
    match numbers.len() {
        0 => Err(Undefined::NoPairs),
        1 => Err(Undefined::FewerThanTwoPairs),
        count => {
            let centre = mean(numbers);
            let squares: f64 = numbers.iter().map(|number| (number - centre).powi(2)).sum();
            Ok((squares / (count - 1) as f64).sqrt())
        }
    }
}

/// The mean of one number of each thing, with an interval drawn over the things.
pub(super) fn mean_estimate<T>(
    things: &[T],
    number: impl Fn(&T) -> f64,
    plan: &BootstrapPlan,
) -> Estimate {
    let numbers: Vec<f64> = things.iter().map(number).collect();
    let drawn_mean = |sample: &[usize]| {
        let drawn = sample.iter().filter_map(|at| numbers.get(*at)).copied();
        mean_or_none(&drawn.collect::<Vec<_>>())
    };
    bootstrap_over(numbers.len(), drawn_mean, plan)
}

fn alpha_estimate(units: &[Vec<u8>], plan: &BootstrapPlan) -> Estimate {
    let drawn_alpha = |sample: &[usize]| {
        let drawn: Vec<&[u8]> =
            sample.iter().filter_map(|at| units.get(*at)).map(Vec::as_slice).collect();
        ordinal_alpha(&drawn)
    };
    bootstrap_over(units.len(), drawn_alpha, plan)
}

/// A statistic of `count` things by number, from 0, with its interval; of fewer than two things there is no interval.
pub(super) fn bootstrap_over(
    count: usize,
    statistic: impl Fn(&[usize]) -> NumberOrReason,
    plan: &BootstrapPlan,
) -> Estimate {
    let all: Vec<usize> = (0..count).collect();
    let value = statistic(&all);
    if count < 2 {
        let why = value.err().unwrap_or(Undefined::FewerThanTwoPairs);
        return Estimate { value, ..Estimate::undefined(why) };
    }
    let resampled: Vec<NumberOrReason> =
        plan.draws_among(count).map(|sample| statistic(&sample)).collect();
    let without_one: Vec<NumberOrReason> = (0..count)
        .map(|at| statistic(&all.iter().copied().filter(|other| *other != at).collect::<Vec<_>>()))
        .collect();
    bca_estimate(value, &resampled, &without_one, plan.confidence)
}
