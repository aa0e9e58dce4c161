//! Which of many things to look at: a sample by stratum, drawn with a seed.
//!
//! Each thing has a number that follows from the seed and its id alone, and of each stratum those with the least numbers are
//! drawn. So a sample does not depend on the order of files, and one that is larger holds the smaller one. A thing of a stratum of
//! N of which n are drawn stands for N / n things: estimates over a sample are weighted by that (Cochran, Sampling Techniques,
//! chapter 5).

use std::collections::BTreeMap;

use sha1::{Digest, Sha1};

/// A thing that may be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// By which it is drawn; things may share it.
    pub id: String,
    /// By which things of one id are told apart.
    pub path: String,
    /// What it has of each of the columns that make strata; None where that is not known.
    pub stratum: Vec<Option<String>>,
}

/// How many are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// So many of each stratum, all of one that has fewer.
    PerStratum(usize),
    /// So many in all, of each stratum in proportion to its size: what is left after rounding down goes to the largest remainders
    /// (Hamilton), of equal ones to the first stratum.
    Proportional(usize),
}

/// What things of some values have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stratum {
    pub values: Vec<Option<String>>,
    /// How many things it has.
    pub size: usize,
    /// The places of those that are drawn, in the order in which they are.
    pub drawn: Vec<usize>,
}

impl Stratum {
    /// For how many things of the stratum one that is drawn stands; None where none is.
    pub fn weight(&self) -> Option<f64> {
        (!self.drawn.is_empty()).then(|| self.size as f64 / self.drawn.len() as f64)
    }
}

/// All strata in the order of their values, what is not known first.
pub fn draw(units: &[Unit], allocation: Allocation, seed: u64) -> Vec<Stratum> {
    let mut strata: BTreeMap<&[Option<String>], Vec<usize>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        strata.entry(&unit.stratum).or_default().push(at);
    }
    let sizes: Vec<usize> = strata.values().map(Vec::len).collect();
    let counts = match allocation {
        Allocation::PerStratum(count) => sizes.iter().map(|size| count.min(*size)).collect(),
        Allocation::Proportional(count) => proportional(&sizes, count),
    };
    let drawn = strata.into_iter().zip(counts).map(|((values, mut places), count)| {
        let size = places.len();
        places.sort_by_cached_key(|at| {
            let Unit { id, path, .. } = &units[*at];
            (number(seed, id), id.clone(), path.clone())
        });
        places.truncate(count);
        Stratum { values: values.to_vec(), size, drawn: places }
    });
    drawn.collect()
}

/// The first 8 bytes of the SHA-1 of `seed:id`, the highest first.
fn number(seed: u64, id: &str) -> u64 {
    let digest = Sha1::digest(format!("{seed}:{id}").as_bytes());
    digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// `count` divided in proportion to the sizes, of none more than there are.
fn proportional(sizes: &[usize], count: usize) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    if count >= all {
        return sizes.to_vec();
    }
    let product = |size: &usize| *size as u128 * count as u128;
    let mut counts: Vec<usize> =
        sizes.iter().map(|size| (product(size) / all as u128) as usize).collect();
    let left = count - counts.iter().sum::<usize>();
    let mut by_remainder: Vec<usize> = (0..sizes.len()).collect();
    by_remainder.sort_by_key(|at| std::cmp::Reverse(product(&sizes[*at]) % all as u128)); // stable
    by_remainder.iter().take(left).for_each(|at| counts[*at] += 1);
    counts
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn unit(id: usize, stratum: usize) -> Unit {
        let stratum = (stratum > 0).then(|| format!("s{stratum}"));
        Unit { id: format!("run-{id}"), path: format!("runs/{id}"), stratum: vec![stratum] }
    }

    fn ids(units: &[Unit], strata: &[Stratum]) -> Vec<String> {
        let drawn = strata.iter().flat_map(|it| &it.drawn);
        drawn.map(|at| units[*at].id.clone()).collect()
    }

    #[test]
    fn the_rest_goes_to_the_largest_remainders() {
        assert_eq!(proportional(&[50, 30, 20], 10), [5, 3, 2]);
        assert_eq!(proportional(&[5, 5, 5], 2), [1, 1, 0]);
        assert_eq!(proportional(&[1, 98, 1], 10), [0, 10, 0]);
        assert_eq!(proportional(&[3, 4], 100), [3, 4]);
        assert_eq!(proportional(&[], 3), [0; 0]);
    }

    #[test]
    fn what_is_drawn_is_known_by_its_seed() {
        let units: Vec<Unit> = (0..100).map(|id| unit(id, id % 2 + 1)).collect();
        let of = |seed| ids(&units, &draw(&units, Allocation::PerStratum(2), seed));

        assert_eq!(of(1), ["run-24", "run-28", "run-89", "run-99"]);
        assert_ne!(of(1), of(2));
    }

    proptest! {
        #[test]
        fn whatever_the_order_of_the_files_the_same_is_drawn(
            of in vec(0usize..4, 0..60), seed in any::<u64>(), count in 0usize..20, turn in 0usize..60,
            is_equal in any::<bool>(),
        ) {
            let units: Vec<Unit> = of.iter().enumerate().map(|(id, it)| unit(id, *it)).collect();
            let mut turned = units.clone();
            turned.rotate_left(turn.min(units.len()));
            let allocation = if is_equal { Allocation::PerStratum(count) } else { Allocation::Proportional(count) };
            let (one, other) = (draw(&units, allocation, seed), draw(&turned, allocation, seed));

            prop_assert_eq!(ids(&units, &one), ids(&turned, &other));
        }

        #[test]
        fn whatever_is_drawn_weights_add_up_to_what_there_is(
            of in vec(0usize..4, 1..60), seed in any::<u64>(), count in 1usize..20,
        ) {
            let units: Vec<Unit> = of.iter().enumerate().map(|(id, it)| unit(id, *it)).collect();
            let equal = draw(&units, Allocation::PerStratum(count), seed);
            let proportional = draw(&units, Allocation::Proportional(count), seed);

            let sum: f64 = equal.iter().map(|it| it.weight().unwrap() * it.drawn.len() as f64).sum();
            prop_assert!((sum - units.len() as f64).abs() < 1e-9);
            prop_assert!(equal.iter().all(|it| it.drawn.len() == count.min(it.size)));
            let drawn: usize = proportional.iter().map(|it| it.drawn.len()).sum();
            prop_assert_eq!(drawn, count.min(units.len()));
            prop_assert!(proportional.iter().all(|it| it.drawn.len() <= it.size));
        }

        #[test]
        fn whatever_the_size_a_larger_sample_of_each_stratum_holds_the_smaller(
            of in vec(0usize..3, 1..40), seed in any::<u64>(), count in 1usize..10,
        ) {
            let units: Vec<Unit> = of.iter().enumerate().map(|(id, it)| unit(id, *it)).collect();
            let small = ids(&units, &draw(&units, Allocation::PerStratum(count), seed));
            let large = ids(&units, &draw(&units, Allocation::PerStratum(count + 1), seed));

            prop_assert!(small.iter().all(|id| large.contains(id)));
        }
    }
}
