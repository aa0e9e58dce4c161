//! MinHash: the similarity of two sets, estimated from a few numbers of each (Broder, On the resemblance and
//! containment of documents, 1997).
//!
//! A set consists of numbers of 64 bits, the [`member_hash`]es of its members. Each of the functions of a
//! [`HashFamily`] puts all numbers in another order; a [`MinhashSignature`] has the least member of the set by each. The
//! share of functions by which two sets have the same least member is an unbiased estimate of their Jaccard
//! similarity J, with a variance of J(1 - J) / functions. [`SignatureBands`] find pairs that are worth comparing:
//! those whose signatures agree in all numbers of a band (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets,
//! chapter 3). `tests/vectors/minhash.py` computes all of it again, beside datasketch and exact similarities.

use sha1::{Digest, Sha1};

use super::bootstrap::{Resamples, mix_bits};

/// Returns the number that represents a member of a set: the first 8 bytes of its SHA-1, little-endian, as
/// datasketch's `sha1_hash64`.
pub fn member_hash(member: &str) -> u64 {
    let digest = Sha1::digest(member.as_bytes());
    digest.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Functions that put numbers in order, drawn with a seed.
#[derive(Debug, Clone)]
pub struct HashFamily {
    keys: Vec<u64>,
}

/// The least member of a set by each function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinhashSignature(Vec<u64>);

/// A similarity as two signatures tell it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JaccardEstimate {
    /// 0–1, the share of what either set has that both have.
    pub similarity: f64,
    /// √(J(1 - J) / functions), with the estimate as J.
    pub standard_error: f64,
}

impl HashFamily {
    /// Draws this many functions.
    pub fn new(seed: u64, functions: usize) -> Self {
        Self { keys: Resamples::new(seed, 0).into_numbers().take(functions).collect() }
    }

    /// Returns the signature of a set; in that of an empty set all numbers are the largest possible.
    pub(crate) fn signature_of(&self, set: &[u64]) -> MinhashSignature {
        let least = |key: &u64| set.iter().map(|member| mix_bits(member ^ key)).min();
        MinhashSignature(self.keys.iter().map(|key| least(key).unwrap_or(u64::MAX)).collect())
    }
}

impl MinhashSignature {
    /// Estimates the similarity of the sets behind this signature and another one of the same family.
    pub(crate) fn jaccard_estimate(&self, other: &Self) -> JaccardEstimate {
        let equal = self.0.iter().zip(&other.0).filter(|(one, other)| one == other).count();
        let functions = self.0.len().max(1) as f64;
        let similarity = equal as f64 / functions;
        let standard_error = (similarity * (1.0 - similarity) / functions).sqrt();
        JaccardEstimate { similarity, standard_error }
    }

    pub(crate) fn least_members(&self) -> &[u64] {
        &self.0
    }
}

/// The division of signatures into bands of equally many numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignatureBands {
    pub bands: usize,
    pub rows: usize,
}

/// A pair at the threshold is to be found with at least this probability.
const MIN_PROBABILITY: f64 = 0.99;

impl SignatureBands {
    /// Returns the longest bands by which a pair of this similarity is found with a probability of 0.99.
    pub(crate) fn for_threshold(functions: usize, threshold: f64) -> Self {
        let all = (1..=functions.max(1)).rev().map(|rows| Self { bands: functions / rows, rows });
        let found =
            all.into_iter().find(|bands| bands.agreement_probability(threshold) >= MIN_PROBABILITY);
        found.unwrap_or(Self { bands: functions, rows: 1 })
    }

    /// Returns the probability that a pair of this similarity agrees in a band.
    pub fn agreement_probability(self, similarity: f64) -> f64 {
        let agrees = similarity.powf(self.rows as f64);
        1.0 - (1.0 - agrees).powf(self.bands as f64)
    }

    /// Returns one number for each band; signatures that agree in all numbers of a band share it.
    pub(crate) fn band_hashes(self, signature: &MinhashSignature) -> impl Iterator<Item = u64> {
        let band = |numbers: &[u64]| numbers.iter().fold(0, |all, number| mix_bits(all ^ number));
        signature.0.chunks_exact(self.rows).take(self.bands).map(band)
    }
}

/// Computes the Jaccard similarity of two sets of numbers in ascending order; None where both are empty.
pub(crate) fn jaccard_similarity(a: &[u64], b: &[u64]) -> Option<f64> {
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
    struct MinhashVectors {
        seed: u64,
        functions: usize,
        names: Vec<(String, String)>,
        pairs: Vec<MinhashPair>,
        bands: Vec<(f64, usize, usize, f64)>,
    }

    #[derive(Deserialize)]
    struct MinhashPair {
        a: Vec<String>,
        b: Vec<String>,
        jaccard: f64,
        estimate: f64,
        standard_error: f64,
        /// The estimate of datasketch, with its own permutations.
        datasketch: f64,
        /// The numbers as text, since JSON does not keep all numbers of 64 bits.
        signature_a: Vec<String>,
    }

    fn member_set(members: &[String]) -> Vec<u64> {
        let mut set: Vec<u64> = members.iter().map(|it| member_hash(it)).collect();
        set.sort_unstable();
        set
    }

    fn minhash_vectors() -> MinhashVectors {
        serde_json::from_str(include_str!("../../../tests/vectors/minhash.json")).unwrap()
    }

    #[test]
    fn signatures_estimates_and_similarities_are_those_of_the_script() {
        let vectors = minhash_vectors();
        let family = HashFamily::new(vectors.seed, vectors.functions);
        for (member, number) in &vectors.names {
            assert_eq!(member_hash(member).to_string(), *number);
        }
        for pair in &vectors.pairs {
            let (a, b) = (member_set(&pair.a), member_set(&pair.b));
            let (of_a, of_b) = (family.signature_of(&a), family.signature_of(&b));
            let numbers: Vec<String> = of_a.least_members().iter().map(u64::to_string).collect();
            let estimate = of_a.jaccard_estimate(&of_b);

            assert_eq!(numbers[..pair.signature_a.len()], pair.signature_a);
            assert!((jaccard_similarity(&a, &b).unwrap() - pair.jaccard).abs() < 1e-12);
            assert!((estimate.similarity - pair.estimate).abs() < 1e-12);
            assert!((estimate.standard_error - pair.standard_error).abs() < 1e-12);
        }
    }

    #[test]
    fn estimates_are_as_near_to_the_truth_as_datasketchs() {
        let vectors = minhash_vectors();
        let functions = vectors.functions as f64;
        let mean_square = |of: fn(&MinhashPair) -> f64| {
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
        for (threshold, bands, rows, chance) in minhash_vectors().bands {
            let found = SignatureBands::for_threshold(128, threshold);

            assert_eq!(found, SignatureBands { bands, rows }, "{threshold}");
            assert!((found.agreement_probability(threshold) - chance).abs() < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_sets_equal_ones_agree_and_an_estimate_is_a_share(
            a in btree_set(any::<u64>(), 1..60), b in btree_set(any::<u64>(), 1..60), seed in any::<u64>(),
        ) {
            let family = HashFamily::new(seed, 32);
            let (a, b): (Vec<u64>, Vec<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            let (of_a, of_b) = (family.signature_of(&a), family.signature_of(&b));

            prop_assert_eq!(of_a.jaccard_estimate(&of_a), JaccardEstimate { similarity: 1.0, standard_error: 0.0 });
            prop_assert!((0.0..=1.0).contains(&of_a.jaccard_estimate(&of_b).similarity));
            prop_assert_eq!(jaccard_similarity(&a, &a), Some(1.0));
            prop_assert_eq!(jaccard_similarity(&a, &b), jaccard_similarity(&b, &a));
        }
    }
}
