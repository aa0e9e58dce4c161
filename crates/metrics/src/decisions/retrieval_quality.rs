//! Measures how good a retrieval of decisions is, on prompts whose right decision is known.

use serde::Serialize;

/// Shares over all prompts, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RetrievalQuality {
    pub n: usize,
    /// Mean reciprocal rank; a prompt whose decision is not found counts 0.
    pub mrr: Option<f64>,
    /// Prompts whose decision is among the first one, three, five.
    pub hit1: Option<f64>,
    pub hit3: Option<f64>,
    pub hit5: Option<f64>,
    /// Precision at five: right decisions among the first five, of five.
    pub p5: Option<f64>,
}

impl RetrievalQuality {
    /// Returns the quality of the ranks of each prompt's right decision, from 1; None where it was not found.
    pub fn from_ranks(ranks: &[Option<usize>]) -> Self {
        let n = ranks.len();
        let mean = |score: &dyn Fn(usize) -> f64| {
            let sum: f64 = ranks.iter().flatten().map(|rank| score(*rank)).sum();
            (n > 0).then(|| sum / n as f64)
        };
        let within = |most: usize| mean(&|rank| f64::from(u8::from(rank <= most)));
        Self {
            n,
            mrr: mean(&|rank| 1.0 / rank as f64),
            hit1: within(1),
            hit3: within(3),
            hit5: within(5),
            p5: within(5).map(|hits| hits / 5.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_that_is_not_found_counts_nothing() {
        let quality = RetrievalQuality::from_ranks(&[Some(1), Some(4), None, Some(2)]);
        assert_eq!((quality.mrr, quality.hit1), (Some(1.75 / 4.0), Some(0.25)));
        assert_eq!(
            (quality.hit3, quality.hit5, quality.p5),
            (Some(0.5), Some(0.75), Some(0.75 / 5.0))
        );
        assert_eq!(RetrievalQuality::from_ranks(&[]).mrr, None);
    }
}
