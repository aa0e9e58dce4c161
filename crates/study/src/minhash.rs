//! MinHash: how alike two sets are, told by a few numbers of each (Broder, On the resemblance and containment of documents, 1997).
//!
//! A set is one of numbers of 64 bits, the [`name`]s of its members. Each of the functions of a [`Family`] puts all numbers in
//! another order; a [`Signature`] has the least member of the set by each. The share of functions by which two sets have the same
//! least member is an unbiased estimate of their Jaccard similarity J, with a variance of J(1 - J) / functions. [`Bands`] find
//! pairs that are worth comparing: those whose signatures agree in all numbers of a band (Leskovec, Rajaraman and Ullman, Mining
//! of Massive Datasets, chapter 3). `tests/vectors/minhash.py` has all of it once more, beside datasketch and exact similarities.

use sha1::{Digest, Sha1};

use super::bootstrap::{Resamples, mixed};

/// The number by which a member of a set goes: the first 8 bytes of its SHA-1, the lowest first, as datasketch's `sha1_hash64`.
pub fn name(member: &str) -> u64 {
    let digest = Sha1::digest(member.as_bytes());
    digest.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Functions that put numbers in order, drawn with a seed.
#[derive(Debug, Clone)]
pub struct Family {
    keys: Vec<u64>,
}

/// The least member of a set by each function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Vec<u64>);

/// A similarity as two signatures tell it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// 0–1, the share of what either set has that both have.
    pub similarity: f64,
    /// √(J(1 - J) / functions), with the estimate as J.
    pub standard_error: f64,
}

impl Family {
    /// So many functions.
    pub fn new(seed: u64, functions: usize) -> Self {
        Self { keys: Resamples::new(seed, 0).numbers().take(functions).collect() }
    }

    /// Of an empty set all numbers are the largest there is.
    pub fn signature(&self, set: &[u64]) -> Signature {
        let least = |key: &u64| set.iter().map(|member| mixed(member ^ key)).min();
        Signature(self.keys.iter().map(|key| least(key).unwrap_or(u64::MAX)).collect())
    }
}

impl Signature {
    /// How alike the sets are of this signature and one of the same family.
    pub fn estimate(&self, other: &Self) -> Estimate {
        let equal = self.0.iter().zip(&other.0).filter(|(one, other)| one == other).count();
        let functions = self.0.len().max(1) as f64;
        let similarity = equal as f64 / functions;
        let standard_error = (similarity * (1.0 - similarity) / functions).sqrt();
        Estimate { similarity, standard_error }
    }

    pub fn numbers(&self) -> &[u64] {
        &self.0
    }
}

/// How signatures are divided: so many bands of so many numbers each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    pub bands: usize,
    pub rows: usize,
}

/// A pair at the threshold is to be found with at least this probability.
const FOUND: f64 = 0.99;

impl Bands {
    /// The longest bands by which a pair of this similarity is found with a probability of 0.99.
    pub fn of(functions: usize, threshold: f64) -> Self {
        let all = (1..=functions.max(1)).rev().map(|rows| Self { bands: functions / rows, rows });
        let found = all.into_iter().find(|bands| bands.chance(threshold) >= FOUND);
        found.unwrap_or(Self { bands: functions, rows: 1 })
    }

    /// With which probability a pair of this similarity agrees in a band.
    pub fn chance(self, similarity: f64) -> f64 {
        let agrees = similarity.powf(self.rows as f64);
        1.0 - (1.0 - agrees).powf(self.bands as f64)
    }

    /// One number a band; what agrees in all numbers of a band has the same.
    pub fn buckets(self, signature: &Signature) -> impl Iterator<Item = u64> {
        let band = |numbers: &[u64]| numbers.iter().fold(0, |all, number| mixed(all ^ number));
        signature.0.chunks_exact(self.rows).take(self.bands).map(band)
    }
}

/// The Jaccard similarity of two sets of numbers in ascending order; None where both are empty.
pub fn jaccard(a: &[u64], b: &[u64]) -> Option<f64> {
    let (mut at, mut both) = (0, 0);
    for number in a {
        while b.get(at).is_some_and(|other| other < number) {
            at += 1;
        }
        both += usize::from(b.get(at) == Some(number));
    }
    let either = a.len() + b.len() - both;
    (either > 0).then(|| both as f64 / either as f64)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::btree_set, prelude::*};
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vectors {
        seed: u64,
        functions: usize,
        names: Vec<(String, String)>,
        pairs: Vec<Pair>,
        bands: Vec<(f64, usize, usize, f64)>,
    }

    #[derive(Deserialize)]
    struct Pair {
        a: Vec<String>,
        b: Vec<String>,
        jaccard: f64,
        estimate: f64,
        standard_error: f64,
        /// What datasketch says, with permutations of its own.
        datasketch: f64,
        /// As text: JSON has no whole numbers of 64 bits everywhere.
        signature_a: Vec<String>,
    }

    fn set(members: &[String]) -> Vec<u64> {
        let mut set: Vec<u64> = members.iter().map(|it| name(it)).collect();
        set.sort_unstable();
        set
    }

    fn vectors() -> Vectors {
        serde_json::from_str(include_str!("../../../tests/vectors/minhash.json")).unwrap()
    }

    #[test]
    fn signatures_estimates_and_similarities_are_those_of_the_script() {
        let vectors = vectors();
        let family = Family::new(vectors.seed, vectors.functions);
        for (member, number) in &vectors.names {
            assert_eq!(name(member).to_string(), *number);
        }
        for pair in &vectors.pairs {
            let (a, b) = (set(&pair.a), set(&pair.b));
            let (of_a, of_b) = (family.signature(&a), family.signature(&b));
            let numbers: Vec<String> = of_a.numbers().iter().map(u64::to_string).collect();
            let estimate = of_a.estimate(&of_b);

            assert_eq!(numbers[..pair.signature_a.len()], pair.signature_a);
            assert!((jaccard(&a, &b).unwrap() - pair.jaccard).abs() < 1e-12);
            assert!((estimate.similarity - pair.estimate).abs() < 1e-12);
            assert!((estimate.standard_error - pair.standard_error).abs() < 1e-12);
        }
    }

    #[test]
    fn estimates_are_as_near_to_the_truth_as_datasketchs() {
        let vectors = vectors();
        let functions = vectors.functions as f64;
        let mean_square = |of: fn(&Pair) -> f64| {
            let squares = vectors.pairs.iter().map(|pair| (of(pair) - pair.jaccard).powi(2));
            squares.sum::<f64>() / vectors.pairs.len() as f64
        };
        let expected = vectors.pairs.iter().map(|it| it.jaccard * (1.0 - it.jaccard) / functions);
        let expected = expected.sum::<f64>() / vectors.pairs.len() as f64;

        let (ours, theirs) = (mean_square(|it| it.estimate), mean_square(|it| it.datasketch));

        assert!(ours < 2.0 * expected, "{ours} against {expected}");
        assert!(theirs < 2.0 * expected, "{theirs} against {expected}");
    }

    #[test]
    fn bands_are_the_longest_that_find_a_pair_at_the_threshold() {
        for (threshold, bands, rows, chance) in vectors().bands {
            let found = Bands::of(128, threshold);

            assert_eq!(found, Bands { bands, rows }, "{threshold}");
            assert!((found.chance(threshold) - chance).abs() < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_sets_equal_ones_agree_and_an_estimate_is_a_share(
            a in btree_set(any::<u64>(), 1..60), b in btree_set(any::<u64>(), 1..60), seed in any::<u64>(),
        ) {
            let family = Family::new(seed, 32);
            let (a, b): (Vec<u64>, Vec<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            let (of_a, of_b) = (family.signature(&a), family.signature(&b));

            prop_assert_eq!(of_a.estimate(&of_a), Estimate { similarity: 1.0, standard_error: 0.0 });
            prop_assert!((0.0..=1.0).contains(&of_a.estimate(&of_b).similarity));
            prop_assert_eq!(jaccard(&a, &a), Some(1.0));
            prop_assert_eq!(jaccard(&a, &b), jaccard(&b, &a));
        }
    }
}
