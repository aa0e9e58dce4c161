//! A linear mixed model of differences with a random intercept for each group: `y = mean + group + rest`, fitted by
//! restricted maximum likelihood (REML), as `statsmodels`' `MixedLM` with a constant alone.
//!
//! With one fixed effect the likelihood is a function of one number, the ratio of the two variances
//! (Searle, Casella and McCulloch, Variance Components, 1992, 6.6): it is searched for, and the rest has formulas.

use super::{
    bootstrap::Interval,
    maths::{normal_cdf, normal_quantile},
    undefined::{Undefined, finite_number},
};

/// The mean of all groups, and how differences spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixedModelFit {
    pub mean: f64,
    /// Standard error of the mean, from the observed information about the mean and the variance between groups
    /// together, as statsmodels has it; a little above that of generalised least squares (lme4), which takes the
    /// variances as known. Where the variance between groups is 0 both are the same.
    pub se: f64,
    /// The mean over its standard error, and the two-sided p-value by the normal distribution (Wald).
    pub z: f64,
    pub p: f64,
    /// The interval of the mean at the given confidence, by the normal distribution.
    pub interval: Interval,
    /// Variance between groups; 0 where groups differ no more than chance would have it.
    pub between: f64,
    /// Variance within groups.
    pub within: f64,
}

/// The part of a group that the likelihood depends on.
struct GroupMean {
    n: f64,
    mean: f64,
}

/// Fits the model to the values of each group. It is undefined with fewer than two groups, without a group of two
/// values (the two variances are one then), and where all values are equal.
pub(crate) fn fit_mixed_model(
    groups: &[Vec<f64>],
    confidence: f64,
) -> Result<MixedModelFit, Undefined> {
    let groups: Vec<&Vec<f64>> = groups.iter().filter(|group| !group.is_empty()).collect();
    match groups.len() {
        0 => return Err(Undefined::NoPairs),
        1 => return Err(Undefined::FewerThanTwoTasks),
        _ if groups.iter().all(|group| group.len() == 1) => return Err(Undefined::OneEach),
        _ => {}
    }
    let mean = |group: &[f64]| group.iter().sum::<f64>() / group.len() as f64;
    let rest: f64 = groups
        .iter()
        .map(|group| group.iter().map(|it| (it - mean(group)).powi(2)).sum::<f64>())
        .sum();
    let known: Vec<GroupMean> =
        groups.iter().map(|it| GroupMean { n: it.len() as f64, mean: mean(it) }).collect();
    let model = MixedModel { groups: known, rest };
    if model.sum_of_squares(0.0) <= f64::EPSILON {
        return Err(Undefined::EqualDifferences);
    }
    let ratio = model.best_ratio();
    let mean = model.weighted_mean(ratio);
    let within = model.sum_of_squares(ratio) / (model.value_count() - 1.0);
    let se = finite_number((1.0 / model.information_about_mean(ratio)).sqrt())?;
    let z = finite_number(mean / se)?;
    let reach = normal_quantile(f64::midpoint(1.0, confidence)) * se;
    Ok(MixedModelFit {
        mean,
        se,
        z,
        p: 2.0 * normal_cdf(-z.abs()),
        interval: Interval { low: mean - reach, high: mean + reach },
        between: ratio * within,
        within,
    })
}

struct MixedModel {
    groups: Vec<GroupMean>,
    /// Squares around the means of the groups.
    rest: f64,
}

impl MixedModel {
    fn value_count(&self) -> f64 {
        self.groups.iter().map(|group| group.n).sum()
    }

    /// Returns the weight of a group where the variance between groups is `ratio` times that within.
    fn group_weight(group: &GroupMean, ratio: f64) -> f64 {
        group.n / (1.0 + ratio * group.n)
    }

    fn total_weight(&self, ratio: f64) -> f64 {
        self.groups.iter().map(|group| Self::group_weight(group, ratio)).sum()
    }

    fn weighted_mean(&self, ratio: f64) -> f64 {
        let sum: f64 = self.groups.iter().map(|it| Self::group_weight(it, ratio) * it.mean).sum();
        sum / self.total_weight(ratio)
    }

    /// Squares around the mean, those between groups weighed.
    fn sum_of_squares(&self, ratio: f64) -> f64 {
        let mean = self.weighted_mean(ratio);
        let between: f64 = self
            .groups
            .iter()
            .map(|it| Self::group_weight(it, ratio) * (it.mean - mean).powi(2))
            .sum();
        self.rest + between
    }

    /// Computes twice the restricted likelihood's logarithm, with its sign turned and without what does not change.
    fn likelihood_cost(&self, ratio: f64) -> f64 {
        let spread: f64 = self.groups.iter().map(|it| (1.0 + ratio * it.n).ln()).sum();
        (self.value_count() - 1.0) * self.sum_of_squares(ratio).ln()
            + spread
            + self.total_weight(ratio).ln()
    }

    /// Returns the information about the mean: the second derivatives of the restricted likelihood by the mean and
    /// the ratio, with the ratio taken as estimated; at a ratio of 0, the end of its range, as known.
    fn information_about_mean(&self, ratio: f64) -> f64 {
        let (mean, squares) = (self.weighted_mean(ratio), self.sum_of_squares(ratio));
        let within = squares / (self.value_count() - 1.0);
        let about_mean = self.total_weight(ratio) / within;
        if ratio <= 0.0 {
            return about_mean;
        }
        // Sums of a power of the weight times one of the distance of a group's mean.
        let sum = |of_weight: i32, of_distance: i32| -> f64 {
            let term = |it: &GroupMean| {
                Self::group_weight(it, ratio).powi(of_weight) * (it.mean - mean).powi(of_distance)
            };
            self.groups.iter().map(term).sum()
        };
        let (first, second) = (-sum(2, 2) / squares, 2.0 * sum(3, 2) / squares);
        let (slope, curve) = (-sum(2, 0) / sum(1, 0), 2.0 * sum(3, 0) / sum(1, 0));
        let of_squares = (self.value_count() - 1.0) * (second - first * first);
        let about_ratio = (of_squares - sum(2, 0) + curve - slope * slope) / 2.0;
        let of_both = sum(2, 1) / within;
        about_mean - of_both * of_both / about_ratio
    }

    /// Finds the ratio of the least cost: a coarse search over orders of magnitude, then by golden section between the
    /// neighbours of the best; 0 where nothing costs less.
    fn best_ratio(&self) -> f64 {
        const ORDERS: f64 = 16.0;
        const STEPS: i32 = 320;
        let at = |step: f64| (step * ORDERS / f64::from(STEPS)).exp();
        let cost = |step: f64| self.likelihood_cost(at(step));
        let steps = (-STEPS..=STEPS).map(f64::from);
        let best = steps.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or_default();
        let (mut low, mut high) = (best - 1.0, best + 1.0);
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        for _ in 0..100 {
            let (left, right) = (high - golden * (high - low), low + golden * (high - low));
            if cost(left) < cost(right) { high = right } else { low = left }
        }
        let found = at(f64::midpoint(low, high));
        if self.likelihood_cost(0.0) <= self.likelihood_cost(found) { 0.0 } else { found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_told_says_why() {
        let why = |groups: &[Vec<f64>]| fit_mixed_model(groups, 0.95).unwrap_err();

        assert_eq!(why(&[]), Undefined::NoPairs);
        assert_eq!(why(&[vec![1.0, 2.0], vec![]]), Undefined::FewerThanTwoTasks);
        assert_eq!(why(&[vec![1.0], vec![2.0]]), Undefined::OneEach);
        assert_eq!(why(&[vec![1.0, 1.0], vec![1.0]]), Undefined::EqualDifferences);
    }

    #[test]
    fn groups_of_one_size_have_the_mean_of_all_and_the_error_of_their_means() {
        // Balanced groups have a closed form: the analysis of variance.
        let groups = [vec![1.0, 3.0], vec![4.0, 6.0], vec![8.0, 8.0]];
        let found = fit_mixed_model(&groups, 0.95).unwrap();

        let means = [2.0, 5.0, 8.0];
        let between = means.iter().map(|mean: &f64| (mean - 5.0).powi(2)).sum::<f64>() / 2.0;
        assert!((found.mean - 5.0).abs() < 1e-12);
        // In balanced groups the mean is independent of the ratio, so that both errors are the same.
        assert!((found.se - (between / 3.0).sqrt()).abs() < 1e-6, "{found:?}");
        assert!((found.within - 4.0 / 3.0).abs() < 1e-6, "{found:?}");
        assert!((found.between - (between - found.within / 2.0)).abs() < 1e-5, "{found:?}");
    }
}
