//! The order in which a human checks a judge's verdicts: drawn with a seed, stratified by score and by component.
//!
//! The draw takes every score of the judge in turn, so that a short queue has rare scores too; within a score those
//! components come first that were drawn least. The order of the queue is shuffled separately and reveals nothing of
//! the scores. The same judgements, seed and size give the same queue everywhere. [`draw_sample`] draws for strata of
//! any kind: those of a [study](super::design).

use std::collections::BTreeMap;

use super::{
    bootstrap::Resamples,
    design::{SampleAllocation, SampleDesign},
};
use trajview_run::rubric::Judgement;

/// The settings of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePlan {
    pub seed: u64,
    /// The number of verdicts; None for all.
    pub size: Option<usize>,
}

impl Default for QueuePlan {
    fn default() -> Self {
        Self { seed: 1, size: None }
    }
}

/// A verdict to check.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueItem {
    /// [`Judgement::file`]
    pub judgement: String,
    pub component: String,
}

/// The properties of a thing that a draw uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawCandidate<'a> {
    /// Things with the same key are of one stratum.
    pub stratum: Vec<StratumKey<'a>>,
    /// The component; within a stratum those components come first that were drawn least.
    pub component: &'a str,
}

/// A property that all things of a stratum share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StratumKey<'a> {
    Score(u8),
    /// A word; empty where the property is missing.
    Word(&'a str),
}

/// Draws the queue over these judgements. Verdicts without a score are none to check.
pub fn draw_queue(judgements: &[&Judgement], plan: QueuePlan) -> Vec<QueueItem> {
    let mut items = vec![];
    for judgement in judgements {
        let scored = judgement.verdicts.iter().filter_map(|it| Some((it, it.score?)));
        items.extend(scored.map(|(verdict, score)| {
            let (judgement, component) = (judgement.file.clone(), verdict.component.clone());
            (QueueItem { judgement, component }, score)
        }));
    }
    items.sort();
    let mut candidates = vec![];
    for (item, score) in &items {
        candidates.push(DrawCandidate {
            stratum: vec![StratumKey::Score(*score)],
            component: &item.component,
        });
    }
    let sample = SampleDesign { size: plan.size, seed: plan.seed, ..SampleDesign::default() };
    let mut drawn: Vec<QueueItem> =
        draw_sample(&candidates, &sample).into_iter().map(|at| items[at].0.clone()).collect();
    shuffle(&mut drawn, plan.seed ^ ORDER_SEED);
    drawn
}

/// Tells the draws of the order from those of the sample.
const ORDER_SEED: u64 = 0x6f72_6465_7200_0000;

/// Draws a sample of the candidates, and returns their indices in the order in which they were drawn: strata in turn,
/// so that the beginning of it has some of each. The strata of the sample are those of the candidates; the same
/// candidates in the same order give the same sample.
pub(crate) fn draw_sample(candidates: &[DrawCandidate<'_>], sample: &SampleDesign) -> Vec<usize> {
    let size = sample.size.unwrap_or(usize::MAX).min(candidates.len());
    let mut strata: BTreeMap<&[StratumKey<'_>], Vec<usize>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        strata.entry(&candidate.stratum).or_default().push(at);
    }
    for (key, numbers) in &mut strata {
        shuffle(numbers, sample.seed.wrapping_add(stratum_number(key) << 32));
    }
    let is_by_score = strata.keys().all(|key| matches!(key, [StratumKey::Score(_)]));
    let mut strata: Vec<Vec<usize>> = strata.into_values().collect();
    if strata.len() > size && !is_by_score {
        // Which of them have nothing is drawn too; of scores it is the high ones, as it always was.
        shuffle(&mut strata, sample.seed);
    }
    let mut left = match sample.allocation {
        SampleAllocation::Equal => strata.iter().map(Vec::len).collect(),
        SampleAllocation::Proportional => proportional_shares(&strata, size),
    };
    let components = component_numbers(candidates);
    let mut times = vec![0_usize; candidates.len()];
    let mut drawn = Vec::with_capacity(size);
    while drawn.len() < size && left.iter().any(|left| *left > 0) {
        for (numbers, left) in strata.iter_mut().zip(&mut left).filter(|(_, left)| **left > 0) {
            // The first of the least drawn: what was shuffled to the front.
            let least = (0..numbers.len()).min_by_key(|at| times[components[numbers[*at]]]);
            let Some(at) = least.filter(|_| drawn.len() < size) else { break };
            let number = numbers.remove(at);
            times[components[number]] += 1;
            *left -= 1;
            drawn.push(number);
        }
    }
    drawn
}

/// Returns for each candidate the number of its component, from 0 in the order in which components come.
fn component_numbers(candidates: &[DrawCandidate<'_>]) -> Vec<usize> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbers = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let next = known.len();
        numbers.push(*known.entry(candidate.component).or_insert(next));
    }
    numbers
}

/// Returns the number to draw from each stratum in proportion, by largest remainders (Hamilton); at least one of
/// each, as far as there is room.
fn proportional_shares(strata: &[Vec<usize>], size: usize) -> Vec<usize> {
    let all: usize = strata.iter().map(Vec::len).sum();
    let exact = |stratum: &Vec<usize>| stratum.len() as f64 * size as f64 / all.max(1) as f64;
    let mut shares: Vec<usize> =
        strata.iter().map(|it| (exact(it).floor() as usize).clamp(1, it.len().max(1))).collect();
    // Strata that were raised to 1 take from those that have most beyond their share.
    let mut sum: usize = shares.iter().sum();
    while sum != size {
        let beyond = |at: usize| shares[at] as f64 - exact(&strata[at]);
        let all = 0..strata.len();
        let changed = if sum < size {
            let has_room = |at: &usize| shares[*at] < strata[*at].len();
            all.filter(has_room).min_by(|a, b| beyond(*a).total_cmp(&beyond(*b)))
        } else {
            all.filter(|at| shares[*at] > 1).max_by(|a, b| beyond(*a).total_cmp(&beyond(*b)))
        };
        let Some(at) = changed else { break };
        if sum < size {
            (shares[at], sum) = (shares[at] + 1, sum + 1);
        } else {
            (shares[at], sum) = (shares[at] - 1, sum - 1);
        }
    }
    shares
}

/// Returns a number that tells the draws of one stratum from those of another; of a score alone it is the score.
fn stratum_number(key: &[StratumKey<'_>]) -> u64 {
    key.iter().fold(0, |number, key| {
        let key_number = match key {
            StratumKey::Score(score) => u64::from(*score),
            StratumKey::Word(word) => text_hash(word),
        };
        number.wrapping_mul(31).wrapping_add(key_number)
    })
}

/// Returns the FNV-1a hash of a text, which is the same everywhere.
pub fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Shuffles the items by Fisher and Yates, from the last to the second; one seed gives one order.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    for last in (1..items.len()).rev() {
        let seed = seed.wrapping_mul(31).wrapping_add(last as u64);
        items.swap(last, Resamples::new(seed, last + 1).draw());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::Verdict;

    fn judgement_with(file: &str, scores: &[(&str, Option<u8>)]) -> Judgement {
        let verdict = |(component, score): &(&str, Option<u8>)| Verdict {
            component: (*component).into(),
            score: *score,
            ..Verdict::default()
        };
        let verdicts = scores.iter().map(verdict).collect();
        Judgement { file: file.into(), verdicts, ..Judgement::default() }
    }

    fn component_names(queue: &[QueueItem]) -> Vec<&str> {
        queue.iter().map(|item| item.component.as_str()).collect()
    }

    fn many_verdicts() -> Judgement {
        let names: Vec<String> = (0..40).map(|at| format!("C{at:02}")).collect();
        let scores: Vec<(&str, Option<u8>)> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), Some(if at < 36 { 4 } else { at as u8 - 36 })))
            .collect();
        judgement_with("a.json", &scores)
    }

    #[test]
    fn a_short_queue_has_every_score() {
        let all = many_verdicts();
        for seed in 0..50 {
            let drawn = draw_queue(&[&all], QueuePlan { seed, size: Some(5) });
            let mut scores: Vec<_> =
                drawn.iter().filter_map(|item| all.verdict_on(&item.component)?.score).collect();
            scores.sort_unstable();
            assert_eq!(scores, [0, 1, 2, 3, 4], "seed {seed}");
        }
    }

    #[test]
    fn the_whole_queue_has_everything_once_in_an_order_of_the_seed() {
        let all = many_verdicts();
        let [one, again, other] =
            [1, 1, 2].map(|seed| draw_queue(&[&all], QueuePlan { seed, size: None }));

        assert_eq!(one, again);
        assert_ne!(one, other);
        let mut sorted = component_names(&one);
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 40);
        assert_ne!(sorted, component_names(&one));
    }

    #[test]
    fn the_order_says_nothing_of_the_score() {
        let all = many_verdicts();
        let zero_at = |seed| {
            let drawn = draw_queue(&[&all], QueuePlan { seed, size: Some(5) });
            drawn
                .iter()
                .position(|item| all.verdict_on(&item.component).unwrap().score == Some(0))
                .unwrap()
        };
        let mut counts = [0; 5];
        (0..500).for_each(|seed| counts[zero_at(seed)] += 1);
        assert!(counts.iter().all(|count| (60..=140).contains(count)), "{counts:?}");
    }

    #[test]
    fn several_judgements_share_the_components_and_what_has_no_score_is_left_out() {
        let early = judgement_with("a.json", &[("C1", Some(2)), ("C2", Some(2)), ("C3", None)]);
        let late = judgement_with("b.json", &[("C1", Some(2)), ("C2", Some(2)), ("C3", None)]);
        for seed in 0..20 {
            let drawn = draw_queue(&[&early, &late], QueuePlan { seed, size: Some(2) });
            let mut both = component_names(&drawn);
            both.sort_unstable();
            assert_eq!(both, ["C1", "C2"], "seed {seed}");
        }
        assert_eq!(draw_queue(&[&early, &late], QueuePlan::default()).len(), 4);
        assert_eq!(draw_queue(&[], QueuePlan::default()), []);
    }

    /// Returns how many of each stratum are drawn, where stratum `at` has `sizes[at]` things.
    fn drawn_per_stratum(sizes: &[usize], size: usize, allocation: SampleAllocation) -> Vec<usize> {
        let names: Vec<String> = (0..sizes.len()).map(|at| format!("s{at}")).collect();
        let mut candidates = vec![];
        for (name, size) in names.iter().zip(sizes) {
            let stratum = vec![StratumKey::Word(name)];
            candidates.extend(
                (0..*size).map(|_| DrawCandidate { stratum: stratum.clone(), component: "" }),
            );
        }
        let sample = SampleDesign { size: Some(size), allocation, ..SampleDesign::default() };
        let drawn = draw_sample(&candidates, &sample);
        let drawn_of = |name| {
            drawn.iter().filter(|at| candidates[**at].stratum == [StratumKey::Word(name)]).count()
        };
        names.iter().map(|name| drawn_of(name)).collect()
    }

    #[test]
    fn a_proportional_sample_has_the_shares_of_the_strata_and_something_of_each() {
        let shares =
            |sizes: &[usize], size| drawn_per_stratum(sizes, size, SampleAllocation::Proportional);

        assert_eq!(shares(&[60, 30, 10], 10), [6, 3, 1]);
        assert_eq!(shares(&[97, 1, 1, 1], 10), [7, 1, 1, 1]);
        assert_eq!(shares(&[5, 5], 20), [5, 5]);
        assert_eq!(shares(&[3, 3, 3], 4).iter().sum::<usize>(), 4);
    }

    #[test]
    fn an_equal_sample_has_as_many_of_each_as_there_are() {
        assert_eq!(drawn_per_stratum(&[60, 30, 2], 10, SampleAllocation::Equal), [4, 4, 2]);
        assert_eq!(
            drawn_per_stratum(&[9; 40], 7, SampleAllocation::Equal).iter().sum::<usize>(),
            7
        );
    }
}
