//! In which order a human checks a judge's verdicts: drawn with a seed, stratified by score and by component.
//!
//! Every score the judge gave is drawn from in turn, so that a short queue has rare scores too; within a score those
//! components come first that were drawn least. The order of the queue is shuffled apart from that and says nothing of
//! the scores. The same judgements, seed and size give the same queue everywhere. [`draw`] does it for strata of any
//! kind: those of a [study](super::design).

use std::collections::BTreeMap;

use super::{
    bootstrap::Resamples,
    design::{Allocation, Sample},
};
use trajview_run::rubric::Judgement;

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

/// What a draw needs to know of a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// Things with the same key are of one stratum.
    pub stratum: Vec<Key<'a>>,
    /// Of those of a stratum the ones come first whose component was drawn least.
    pub component: &'a str,
}

/// What the things of a stratum have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key<'a> {
    Score(u8),
    /// Empty where nothing says it.
    Word(&'a str),
}

/// The queue over these judgements. Verdicts without a score are none to check.
pub fn queue(judgements: &[&Judgement], plan: Plan) -> Vec<Item> {
    let mut items = vec![];
    for judgement in judgements {
        let scored = judgement.verdicts.iter().filter_map(|it| Some((it, it.score?)));
        items.extend(scored.map(|(verdict, score)| {
            let (judgement, component) = (judgement.file.clone(), verdict.component.clone());
            (Item { judgement, component }, score)
        }));
    }
    items.sort();
    let mut candidates = vec![];
    for (item, score) in &items {
        candidates
            .push(Candidate { stratum: vec![Key::Score(*score)], component: &item.component });
    }
    let sample = Sample { size: plan.size, seed: plan.seed, ..Sample::default() };
    let mut drawn: Vec<Item> =
        draw(&candidates, &sample).into_iter().map(|at| items[at].0.clone()).collect();
    shuffle(&mut drawn, plan.seed ^ ORDER);
    drawn
}

/// Tells the draws of the order from those of the sample.
const ORDER: u64 = 0x6f72_6465_7200_0000;

/// A sample of these, by number from 0, in the order in which they were drawn: strata in turn, so that the beginning of
/// it has some of each. The strata of the sample are those of the candidates; the same candidates in the same order give
/// the same sample.
pub fn draw(candidates: &[Candidate<'_>], sample: &Sample) -> Vec<usize> {
    let size = sample.size.unwrap_or(usize::MAX).min(candidates.len());
    let mut strata: BTreeMap<&[Key<'_>], Vec<usize>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        strata.entry(&candidate.stratum).or_default().push(at);
    }
    for (key, numbers) in &mut strata {
        shuffle(numbers, sample.seed.wrapping_add(number_of(key) << 32));
    }
    let is_by_score = strata.keys().all(|key| matches!(key, [Key::Score(_)]));
    let mut strata: Vec<Vec<usize>> = strata.into_values().collect();
    if strata.len() > size && !is_by_score {
        // Which of them have nothing is drawn too; of scores it is the high ones, as it always was.
        shuffle(&mut strata, sample.seed);
    }
    let mut left = match sample.allocation {
        Allocation::Equal => strata.iter().map(Vec::len).collect(),
        Allocation::Proportional => shares(&strata, size),
    };
    let components = numbered(candidates);
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

/// The component of each, by number.
fn numbered(candidates: &[Candidate<'_>]) -> Vec<usize> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbers = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let next = known.len();
        numbers.push(*known.entry(candidate.component).or_insert(next));
    }
    numbers
}

/// How many of each stratum in proportion, by largest remainders (Hamilton); one of each at least, as far as there is
/// room.
fn shares(strata: &[Vec<usize>], size: usize) -> Vec<usize> {
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

/// Tells the draws of one stratum from those of another; of a score alone it is the score.
fn number_of(key: &[Key<'_>]) -> u64 {
    key.iter().fold(0, |number, key| {
        let own = match key {
            Key::Score(score) => u64::from(*score),
            Key::Word(word) => hash(word),
        };
        number.wrapping_mul(31).wrapping_add(own)
    })
}

/// FNV-1a: a number of a text, the same everywhere.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Fisher and Yates, from the last to the second.
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

    /// Of `sizes[at]` things in stratum `at`, how many of each are drawn.
    fn drawn_of(sizes: &[usize], size: usize, allocation: Allocation) -> Vec<usize> {
        let names: Vec<String> = (0..sizes.len()).map(|at| format!("s{at}")).collect();
        let mut candidates = vec![];
        for (name, size) in names.iter().zip(sizes) {
            let stratum = vec![Key::Word(name)];
            candidates
                .extend((0..*size).map(|_| Candidate { stratum: stratum.clone(), component: "" }));
        }
        let sample = Sample { size: Some(size), allocation, ..Sample::default() };
        let drawn = draw(&candidates, &sample);
        let of =
            |name| drawn.iter().filter(|at| candidates[**at].stratum == [Key::Word(name)]).count();
        names.iter().map(|name| of(name)).collect()
    }

    #[test]
    fn a_proportional_sample_has_the_shares_of_the_strata_and_something_of_each() {
        let shares = |sizes: &[usize], size| drawn_of(sizes, size, Allocation::Proportional);

        assert_eq!(shares(&[60, 30, 10], 10), [6, 3, 1]);
        assert_eq!(shares(&[97, 1, 1, 1], 10), [7, 1, 1, 1]);
        assert_eq!(shares(&[5, 5], 20), [5, 5]);
        assert_eq!(shares(&[3, 3, 3], 4).iter().sum::<usize>(), 4);
    }

    #[test]
    fn an_equal_sample_has_as_many_of_each_as_there_are() {
        assert_eq!(drawn_of(&[60, 30, 2], 10, Allocation::Equal), [4, 4, 2]);
        assert_eq!(drawn_of(&[9; 40], 7, Allocation::Equal).iter().sum::<usize>(), 7);
    }
}
