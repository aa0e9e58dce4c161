//! The alternative annotator test (alt-test): may a judge take the place of people who label? (Calderon, Reichart and Dror,
//! ACL 2025, arXiv 2501.10970.)
//!
//! Each annotator is left out in turn. On every item the judge and the annotator are compared with the other annotators; the
//! judge wins against the annotator where it is as near to them, less a margin epsilon that a cheaper judge may be worse by.

use crate::{
    maths::{mean, student_cdf},
    undefined::{NumberOrReason, Undefined},
};
use trajview_run::worded_enum::worded;

/// Items of an annotator from which on the paper's t-test holds.
pub const FEWEST_ITEMS: usize = 30;

/// Annotators that the paper recommends at least: two have no consensus.
pub const FEWEST_ANNOTATORS: usize = 3;

/// The false discovery rate of the tests of all annotators together.
const DISCOVERY_RATE: f64 = 0.05;

/// The winning rate from which on the test is passed.
pub const PASSING_RATE: f64 = 0.5;

worded! {
    words;
    /// How near a score is to those of the other annotators.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum AlignmentScore {
        /// The share of the other annotators who gave the same level.
        Accuracy = "accuracy",
        /// The root of the mean squared difference, negative; for levels with an order.
        NegativeRmse = "negative RMSE",
    }
}

/// The result of the test.
#[derive(Debug, Clone, PartialEq)]
pub struct AlternativeTest {
    /// An entry for each annotator, in their order.
    pub annotators: Vec<LeftOutAnnotator>,
    /// Omega: the share of annotators against whom the judge wins, of those with enough items.
    pub winning_rate: NumberOrReason,
    /// Rho: the mean probability that the judge is as near to the others as the annotator is.
    pub advantage: NumberOrReason,
}

/// The judge against one annotator.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOutAnnotator {
    /// Items that the annotator, the judge and at least one other annotator scored.
    pub items: usize,
    /// The share of items on which the judge is as near to the others as the annotator or nearer.
    pub judge_advantage: NumberOrReason,
    /// The share of items on which the annotator is as near as the judge or nearer.
    pub annotator_advantage: NumberOrReason,
    /// The p of the one-sided t-test that the judge is worse by epsilon or more.
    pub p: NumberOrReason,
    /// The same adjusted for all annotators, by Benjamini and Yekutieli (2001).
    pub p_adjusted: NumberOrReason,
}

impl LeftOutAnnotator {
    /// Returns whether the judge wins; None where the annotator has too few items.
    pub fn is_won(&self) -> Option<bool> {
        Some(self.p_adjusted.ok()? <= DISCOVERY_RATE)
    }
}

impl AlternativeTest {
    /// Counts the annotators with enough items, whom the winning rate is of.
    pub fn with_enough_items(&self) -> usize {
        self.annotators.iter().filter(|it| it.p.is_ok()).count()
    }

    /// Returns whether the judge passes; None where there is no winning rate. As in the paper, annotators with too few items
    /// are left out and prevent nothing.
    pub fn is_passed(&self) -> Option<bool> {
        Some(self.winning_rate.ok()? >= PASSING_RATE)
    }
}

/// Tests the judge. `judge` has a score for each item, `annotators` the same for each annotator; None where one is missing.
pub fn alternative_test(
    judge: &[Option<f64>],
    annotators: &[Vec<Option<f64>>],
    alignment: AlignmentScore,
    epsilon: f64,
) -> AlternativeTest {
    let mut tested: Vec<LeftOutAnnotator> = (0..annotators.len())
        .map(|left_out| test_annotator(judge, annotators, left_out, alignment, epsilon))
        .collect();
    adjust_for_all(&mut tested);
    let won: Vec<f64> =
        tested.iter().filter_map(|it| Some(f64::from(u8::from(it.is_won()?)))).collect();
    let advantages: Vec<f64> =
        tested.iter().filter(|it| it.p.is_ok()).filter_map(|it| it.judge_advantage.ok()).collect();
    let why = match annotators.len() {
        0 | 1 => Undefined::FewerThanTwoAnnotators,
        _ => Undefined::TooFewItems,
    };
    let mean_or_reason = |all: &[f64]| if all.is_empty() { Err(why) } else { Ok(mean(all)) };
    AlternativeTest {
        winning_rate: mean_or_reason(&won),
        advantage: mean_or_reason(&advantages),
        annotators: tested,
    }
}

fn test_annotator(
    judge: &[Option<f64>],
    annotators: &[Vec<Option<f64>>],
    left_out: usize,
    alignment: AlignmentScore,
    epsilon: f64,
) -> LeftOutAnnotator {
    let score_of =
        |annotator: usize, item: usize| annotators[annotator].get(item).copied().flatten();
    let (mut judge_wins, mut annotator_wins) = (vec![], vec![]);
    for (item, judged) in judge.iter().enumerate() {
        let (Some(judged), Some(labelled)) = (*judged, score_of(left_out, item)) else { continue };
        let others: Vec<f64> = (0..annotators.len())
            .filter(|other| *other != left_out)
            .filter_map(|other| score_of(other, item))
            .collect();
        if others.is_empty() {
            continue;
        }
        let (judged, labelled) =
            (alignment.distance(judged, &others), alignment.distance(labelled, &others));
        judge_wins.push(f64::from(u8::from(judged <= labelled)));
        annotator_wins.push(f64::from(u8::from(labelled <= judged)));
    }
    let items = judge_wins.len();
    let share = |wins: &[f64]| if items == 0 { Err(Undefined::NoPairs) } else { Ok(mean(wins)) };
    let p = match items < FEWEST_ITEMS {
        true => Err(Undefined::TooFewItems),
        false => {
            let gaps: Vec<f64> =
                annotator_wins.iter().zip(&judge_wins).map(|(of, judge)| of - judge).collect();
            Ok(p_below(&gaps, epsilon))
        }
    };
    LeftOutAnnotator {
        items,
        judge_advantage: share(&judge_wins),
        annotator_advantage: share(&annotator_wins),
        p,
        p_adjusted: p,
    }
}

impl AlignmentScore {
    /// Returns how far a score is from those of others: the order is that of the paper's alignment score, turned.
    fn distance(self, score: f64, others: &[f64]) -> f64 {
        let far = |other: &f64| match self {
            Self::Accuracy => f64::from(u8::from(*other != score)),
            Self::NegativeRmse => (other - score).powi(2),
        };
        others.iter().map(far).sum()
    }
}

/// Computes the p of a one-sided t-test that the mean of these is below `bound`. Where all are one number, that number
/// decides.
fn p_below(gaps: &[f64], bound: f64) -> f64 {
    let (centre, count) = (mean(gaps), gaps.len() as f64);
    let squares: f64 = gaps.iter().map(|gap| (gap - centre).powi(2)).sum();
    if squares == 0.0 {
        return if centre < bound { 0.0 } else { 1.0 };
    }
    let error = (squares / (count - 1.0) / count).sqrt();
    student_cdf((centre - bound) / error, count - 1.0)
}

/// Adjusts the p-values of the annotators that have one, for any dependence between them.
fn adjust_for_all(tested: &mut [LeftOutAnnotator]) {
    let known = tested.iter().enumerate().filter_map(|(at, it)| Some((at, it.p.ok()?)));
    let mut order: Vec<(usize, f64)> = known.collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let count = order.len() as f64;
    let harmonic: f64 = (1..=order.len()).map(|rank| 1.0 / rank as f64).sum();
    let mut least = 1.0_f64;
    for (rank, (at, p)) in order.iter().enumerate().rev() {
        least = least.min(p * count * harmonic / (rank + 1) as f64);
        tested[*at].p_adjusted = Ok(least);
    }
}
