//! How far a judge agrees with itself: judgements that are repeats of each other, and one such group against another.
//!
//! [`groups`] says which judgements are repeats: everything that asks is equal ([`Setup`]) and so is the state of the
//! code that was judged. [`Stability`] is of one group: component by component, and as a whole. [`Contrast`] sets two
//! groups side by side: prompt against prompt, judge against judge ([`Against`]).
//!
//! All shares are of pairs of judgements: of K repeats of a component that have a score there are K(K-1)/2. A component
//! has a share where at least two gave it a score; the share of a group is the mean over its components, each counting
//! once, and its interval is drawn over components. Two scores *flip* a boundary where they lie on different sides of it.

mod alpha;
mod contrast;
mod group;
mod share;
#[cfg(test)]
mod tests;

pub use alpha::alpha;
pub use contrast::{Against, Contrast, Contrasted, against};
pub use group::{Group, Setup, State, groups};
pub use share::Shares;

use std::collections::BTreeSet;

use super::{
    bootstrap::{Estimate, Plan, estimate},
    maths::mean,
    undefined::{Undefined, Value},
};
use trajview_run::rubric::Judgement;

/// How steady the judgements of a group are.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// How many judgements there are.
    pub repeats: usize,
    /// By id.
    pub components: Vec<Steadiness>,
    /// Components that at least two of them gave a score.
    pub compared: usize,
    /// Each the mean over the components that are compared, with its interval.
    pub shares: Shares<Estimate>,
    /// Krippendorff's alpha with the ordinal metric, the repeats being the raters; 1 is perfect agreement.
    pub alpha: Estimate,
    /// Mean component fidelity of each, over what it gave a score, 0..=4, in the order of the group.
    pub mcf: Vec<Value>,
    /// Of [`Self::mcf`]: mean, standard deviation (n - 1), lowest and highest.
    pub mcf_mean: Value,
    pub mcf_sd: Value,
    pub mcf_range: Option<(f64, f64)>,
}

/// What the repeats said of one component.
#[derive(Debug, Clone, PartialEq)]
pub struct Steadiness {
    pub component: String,
    /// One for each judgement, in order; None where it gave none.
    pub scores: Vec<Option<u8>>,
    /// The level given most often, the lowest of several.
    pub mode: Option<u8>,
    /// Lowest and highest.
    pub range: Option<(u8, u8)>,
    /// Standard deviation (n - 1).
    pub sd: Value,
    /// Share of the scores that are the mode.
    pub at_mode: Value,
    pub shares: Shares<Value>,
}

/// What two groups have in common to be asked about; every id once, sorted.
pub(super) fn components(judgements: &[&Judgement]) -> Vec<String> {
    let all = judgements.iter().flat_map(|it| &it.verdicts).map(|it| it.component.clone());
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// One score for each judgement.
pub(super) fn scores_of(judgements: &[&Judgement], component: &str) -> Vec<Option<u8>> {
    judgements.iter().map(|it| it.of(component).and_then(|verdict| verdict.score)).collect()
}

impl Steadiness {
    /// Of the scores of one component.
    pub fn of(component: &str, scores: Vec<Option<u8>>) -> Self {
        let given: Vec<u8> = scores.iter().copied().flatten().collect();
        let mode = mode(&given);
        let count_of = |level: u8| given.iter().filter(|score| **score == level).count();
        let at_mode =
            mode.map_or(Err(Undefined::NoPairs), |it| Ok(count_of(it) as f64 / given.len() as f64));
        let range = given.iter().min().copied().zip(given.iter().max().copied());
        let numbers: Vec<f64> = given.iter().map(|score| f64::from(*score)).collect();
        Self {
            component: component.to_owned(),
            mode,
            range,
            sd: deviation(&numbers),
            at_mode,
            shares: Shares::within(&given),
            scores,
        }
    }

    /// Those that are there.
    pub fn given(&self) -> Vec<u8> {
        self.scores.iter().copied().flatten().collect()
    }
}

impl Stability {
    /// Of judgements that are repeats of each other.
    pub fn of(judgements: &[&Judgement], plan: &Plan) -> Self {
        let ids = components(judgements);
        let components: Vec<Steadiness> =
            ids.iter().map(|id| Steadiness::of(id, scores_of(judgements, id))).collect();
        let units: Vec<Vec<u8>> =
            components.iter().map(Steadiness::given).filter(|given| given.len() > 1).collect();
        let known: Vec<Shares<f64>> =
            components.iter().filter_map(|it| it.shares.known()).collect();
        let mcf: Vec<Value> = judgements.iter().map(|it| fidelity(it)).collect();
        let of_all: Vec<f64> = mcf.iter().copied().flatten().collect();
        let lowest = of_all.iter().copied().reduce(f64::min);
        Self {
            repeats: judgements.len(),
            compared: units.len(),
            shares: Shares::each(|share| mean_of(&known, share, plan)),
            alpha: alpha_of(&units, plan),
            mcf_mean: mean_or_none(&of_all),
            mcf_sd: deviation(&of_all),
            mcf_range: lowest.zip(of_all.iter().copied().reduce(f64::max)),
            mcf,
            components,
        }
    }
}

/// The lowest of those given most often.
pub(super) fn mode(given: &[u8]) -> Option<u8> {
    let count = |level: u8| given.iter().filter(|score| **score == level).count();
    let levels: BTreeSet<u8> = given.iter().copied().collect();
    levels.into_iter().rev().max_by_key(|level| count(*level))
}

fn fidelity(judgement: &Judgement) -> Value {
    let scores = judgement.verdicts.iter().filter_map(|it| it.score).map(f64::from);
    mean_or_none(&scores.collect::<Vec<_>>())
}

fn mean_or_none(numbers: &[f64]) -> Value {
    if numbers.is_empty() { Err(Undefined::NoPairs) } else { Ok(mean(numbers)) }
}

/// With n - 1; of fewer than two there is none.
fn deviation(numbers: &[f64]) -> Value {
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
pub(super) fn mean_of<T>(things: &[T], number: impl Fn(&T) -> f64, plan: &Plan) -> Estimate {
    let numbers: Vec<f64> = things.iter().map(number).collect();
    let of = |sample: &[usize]| {
        let drawn = sample.iter().filter_map(|at| numbers.get(*at)).copied();
        mean_or_none(&drawn.collect::<Vec<_>>())
    };
    drawn_over(numbers.len(), of, plan)
}

fn alpha_of(units: &[Vec<u8>], plan: &Plan) -> Estimate {
    let of = |sample: &[usize]| {
        let drawn: Vec<&[u8]> =
            sample.iter().filter_map(|at| units.get(*at)).map(Vec::as_slice).collect();
        alpha(&drawn)
    };
    drawn_over(units.len(), of, plan)
}

/// A statistic of `count` things by number, from 0, with its interval; of fewer than two things there is no interval.
pub(super) fn drawn_over(count: usize, of: impl Fn(&[usize]) -> Value, plan: &Plan) -> Estimate {
    let all: Vec<usize> = (0..count).collect();
    let value = of(&all);
    if count < 2 {
        let why = value.err().unwrap_or(Undefined::FewerThanTwoPairs);
        return Estimate { value, ..Estimate::undefined(why) };
    }
    let resampled: Vec<Value> = plan.draws(count).map(|sample| of(&sample)).collect();
    let without_one: Vec<Value> = (0..count)
        .map(|at| of(&all.iter().copied().filter(|other| *other != at).collect::<Vec<_>>()))
        .collect();
    estimate(value, &resampled, &without_one, plan.confidence)
}
