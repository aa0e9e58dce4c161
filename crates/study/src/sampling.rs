//! A sample of many things by stratum, drawn with a seed.
//!
//! Each thing has a number that follows from the seed and its id alone, and of each stratum those with the least
//! numbers are drawn. So a sample does not depend on the order of files, and a larger one contains the smaller one. A
//! thing of a stratum of N of which n are drawn represents N / n things: estimates over a sample are weighted by that
//! (Cochran, Sampling Techniques, chapter 5).

use std::collections::BTreeMap;

use sha1::{Digest, Sha1};

/// A thing that may be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleUnit {
    /// The id that decides the draw; several things may share it.
    pub id: String,
    /// The path that distinguishes things of one id.
    pub path: String,
    /// The value in each of the columns that define strata; None where it is unknown.
    pub stratum: Vec<Option<String>>,
}

/// The number of things to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawAllocation {
    /// This number from each stratum, or all of a smaller one.
    PerStratum(usize),
    /// This number in all, from each stratum in proportion to its size: the rest after rounding down goes to the
    /// largest remainders (Hamilton), of equal ones to the first stratum.
    Proportional(usize),
}

/// The things that share the same values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledStratum {
    pub values: Vec<Option<String>>,
    /// The number of things in the stratum.
    pub size: usize,
    /// The places of those that are drawn, in the order in which they are.
    pub drawn: Vec<usize>,
}

impl SampledStratum {
    /// Returns the number of things that a drawn one represents; None where none is drawn.
    pub fn sample_weight(&self) -> Option<f64> {
        (!self.drawn.is_empty()).then(|| self.size as f64 / self.drawn.len() as f64)
    }
}

/// Draws from all strata, in the order of their values, unknown ones first.
pub fn draw_strata(
    units: &[SampleUnit],
    allocation: DrawAllocation,
    seed: u64,
) -> Vec<SampledStratum> {
    let mut strata: BTreeMap<&[Option<String>], Vec<usize>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        strata.entry(&unit.stratum).or_default().push(at);
    }
    let sizes: Vec<usize> = strata.values().map(Vec::len).collect();
    let counts = match allocation {
        DrawAllocation::PerStratum(count) => sizes.iter().map(|size| count.min(*size)).collect(),
        DrawAllocation::Proportional(count) => proportional_counts(&sizes, count),
    };
    let drawn = strata.into_iter().zip(counts).map(|((values, mut places), count)| {
        let size = places.len();
        places.sort_by_cached_key(|at| {
            let SampleUnit { id, path, .. } = &units[*at];
            (draw_number(seed, id), id.clone(), path.clone())
        });
        places.truncate(count);
        SampledStratum { values: values.to_vec(), size, drawn: places }
    });
    drawn.collect()
}

/// Returns the first 8 bytes of the SHA-1 of `seed:id`, the highest first.
fn draw_number(seed: u64, id: &str) -> u64 {
    let digest = Sha1::digest(format!("{seed}:{id}").as_bytes());
    digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Divides `count` in proportion to the sizes, none more than its size.
fn proportional_counts(sizes: &[usize], count: usize) -> Vec<usize> {
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

    fn sample_unit(id: usize, stratum: usize) -> SampleUnit {
        let stratum = (stratum > 0).then(|| format!("s{stratum}"));
        SampleUnit { id: format!("run-{id}"), path: format!("runs/{id}"), stratum: vec![stratum] }
    }

    fn drawn_ids(units: &[SampleUnit], strata: &[SampledStratum]) -> Vec<String> {
        let drawn = strata.iter().flat_map(|it| &it.drawn);
        drawn.map(|at| units[*at].id.clone()).collect()
    }

    #[test]
    fn the_rest_goes_to_the_largest_remainders() {
        assert_eq!(proportional_counts(&[50, 30, 20], 10), [5, 3, 2]);
        assert_eq!(proportional_counts(&[5, 5, 5], 2), [1, 1, 0]);
        assert_eq!(proportional_counts(&[1, 98, 1], 10), [0, 10, 0]);
        assert_eq!(proportional_counts(&[3, 4], 100), [3, 4]);
        assert_eq!(proportional_counts(&[], 3), [0; 0]);
    }

    #[test]
    fn what_is_drawn_is_known_by_its_seed() {
        let units: Vec<SampleUnit> = (0..100).map(|id| sample_unit(id, id % 2 + 1)).collect();
        let of =
            |seed| drawn_ids(&units, &draw_strata(&units, DrawAllocation::PerStratum(2), seed));

        assert_eq!(of(1), ["run-24", "run-28", "run-89", "run-99"]);
        assert_ne!(of(1), of(2));
    }

    proptest! {
        #[test]
        fn whatever_the_order_of_the_files_the_same_is_drawn(
            of in vec(0usize..4, 0..60), seed in any::<u64>(), count in 0usize..20, turn in 0usize..60,
            is_equal in any::<bool>(),
        ) {
            let units: Vec<SampleUnit> = of.iter().enumerate().map(|(id, it)| sample_unit(id, *it)).collect();
            let mut turned = units.clone();
            turned.rotate_left(turn.min(units.len()));
            let allocation = if is_equal { DrawAllocation::PerStratum(count) } else { DrawAllocation::Proportional(count) };
            let (one, other) = (draw_strata(&units, allocation, seed), draw_strata(&turned, allocation, seed));

            prop_assert_eq!(drawn_ids(&units, &one), drawn_ids(&turned, &other));
        }

        #[test]
        fn whatever_is_drawn_weights_add_up_to_what_there_is(
            of in vec(0usize..4, 1..60), seed in any::<u64>(), count in 1usize..20,
        ) {
            let units: Vec<SampleUnit> = of.iter().enumerate().map(|(id, it)| sample_unit(id, *it)).collect();
            let equal = draw_strata(&units, DrawAllocation::PerStratum(count), seed);
            let proportional = draw_strata(&units, DrawAllocation::Proportional(count), seed);

            let sum: f64 = equal.iter().map(|it| it.sample_weight().unwrap() * it.drawn.len() as f64).sum();
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
            let units: Vec<SampleUnit> = of.iter().enumerate().map(|(id, it)| sample_unit(id, *it)).collect();
            let small = drawn_ids(&units, &draw_strata(&units, DrawAllocation::PerStratum(count), seed));
            let large = drawn_ids(&units, &draw_strata(&units, DrawAllocation::PerStratum(count + 1), seed));

            prop_assert!(small.iter().all(|id| large.contains(id)));
        }
    }
}
