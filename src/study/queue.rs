//! In which order a human checks a judge's verdicts: drawn with a seed, stratified by score and by component.
//!
//! Every score the judge gave is drawn from in turn, so that a short queue has rare scores too; within a score those
//! components come first that were drawn least. The order of the queue is shuffled apart from that and says nothing of
//! the scores. The same judgements, seed and size give the same queue everywhere.

use std::collections::BTreeMap;

use super::bootstrap::Resamples;
use crate::run::rubric::Judgement;

/// How a queue is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub seed: u64,
    /// How many verdicts; None for all.
    pub size: Option<usize>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { seed: 1, size: None }
    }
}

/// One verdict to check.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// [`Judgement::file`]
    pub judgement: String,
    pub component: String,
}

/// The queue over these judgements. Verdicts without a score are none to check.
pub fn queue(judgements: &[&Judgement], plan: Plan) -> Vec<Item> {
    let mut drawn = draw(judgements, plan);
    drawn.truncate(plan.size.unwrap_or(usize::MAX));
    shuffle(&mut drawn, plan.seed ^ ORDER);
    drawn
}

/// Tells the draws of the order from those of the sample.
const ORDER: u64 = 0x6f72_6465_7200_0000;

fn draw(judgements: &[&Judgement], plan: Plan) -> Vec<Item> {
    let mut strata: BTreeMap<u8, Vec<Item>> = BTreeMap::new();
    for judgement in judgements {
        for verdict in &judgement.verdicts {
            let Some(score) = verdict.score else { continue };
            strata.entry(score).or_default().push(Item {
                judgement: judgement.file.clone(),
                component: verdict.component.clone(),
            });
        }
    }
    for (score, items) in &mut strata {
        items.sort();
        shuffle(items, plan.seed.wrapping_add(u64::from(*score) << 32));
    }
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut drawn = vec![];
    while strata.values().any(|items| !items.is_empty()) {
        for items in strata.values_mut() {
            let times = |item: &Item| taken.get(&item.component).copied().unwrap_or_default();
            // The first of the least drawn: what was shuffled to the front.
            let Some(at) = (0..items.len()).min_by_key(|at| times(&items[*at])) else { continue };
            let item = items.remove(at);
            *taken.entry(item.component.clone()).or_default() += 1;
            drawn.push(item);
        }
    }
    drawn
}

/// Fisher and Yates, from the last to the second.
fn shuffle(items: &mut [Item], seed: u64) {
    for last in (1..items.len()).rev() {
        let seed = seed.wrapping_mul(31).wrapping_add(last as u64);
        let other = Resamples::new(seed, last + 1).next().and_then(|draw| draw.first().copied());
        items.swap(last, other.unwrap_or(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::rubric::Verdict;

    fn judgement(file: &str, scores: &[(&str, Option<u8>)]) -> Judgement {
        let verdict = |(component, score): &(&str, Option<u8>)| Verdict {
            component: (*component).into(),
            score: *score,
            ..Verdict::default()
        };
        let verdicts = scores.iter().map(verdict).collect();
        Judgement { file: file.into(), verdicts, ..Judgement::default() }
    }

    fn names(queue: &[Item]) -> Vec<&str> {
        queue.iter().map(|item| item.component.as_str()).collect()
    }

    fn many() -> Judgement {
        let names: Vec<String> = (0..40).map(|at| format!("C{at:02}")).collect();
        let scores: Vec<(&str, Option<u8>)> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), Some(if at < 36 { 4 } else { at as u8 - 36 })))
            .collect();
        judgement("a.json", &scores)
    }

    #[test]
    fn a_short_queue_has_every_score() {
        let all = many();
        for seed in 0..50 {
            let drawn = queue(&[&all], Plan { seed, size: Some(5) });
            let mut scores: Vec<_> =
                drawn.iter().filter_map(|item| all.of(&item.component)?.score).collect();
            scores.sort_unstable();
            assert_eq!(scores, [0, 1, 2, 3, 4], "seed {seed}");
        }
    }

    #[test]
    fn the_whole_queue_has_everything_once_in_an_order_of_the_seed() {
        let all = many();
        let [one, again, other] = [1, 1, 2].map(|seed| queue(&[&all], Plan { seed, size: None }));

        assert_eq!(one, again);
        assert_ne!(one, other);
        let mut sorted = names(&one);
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 40);
        assert_ne!(sorted, names(&one));
    }

    #[test]
    fn the_order_says_nothing_of_the_score() {
        let all = many();
        let zero_at = |seed| {
            let drawn = queue(&[&all], Plan { seed, size: Some(5) });
            drawn.iter().position(|item| all.of(&item.component).unwrap().score == Some(0)).unwrap()
        };
        let mut counts = [0; 5];
        (0..500).for_each(|seed| counts[zero_at(seed)] += 1);
        assert!(counts.iter().all(|count| (60..=140).contains(count)), "{counts:?}");
    }

    #[test]
    fn several_judgements_share_the_components_and_what_has_no_score_is_left_out() {
        let early = judgement("a.json", &[("C1", Some(2)), ("C2", Some(2)), ("C3", None)]);
        let late = judgement("b.json", &[("C1", Some(2)), ("C2", Some(2)), ("C3", None)]);
        for seed in 0..20 {
            let drawn = queue(&[&early, &late], Plan { seed, size: Some(2) });
            let mut both = names(&drawn);
            both.sort_unstable();
            assert_eq!(both, ["C1", "C2"], "seed {seed}");
        }
        assert_eq!(queue(&[&early, &late], Plan::default()).len(), 4);
        assert_eq!(queue(&[], Plan::default()), []);
    }
}
