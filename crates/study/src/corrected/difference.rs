//! The corrected difference of two conditions.
//!
//! Clusters are tasks: what a task adds to both conditions cancels, since its influences are subtracted before they are
//! squared.

use std::collections::BTreeSet;

use super::{
    estimator::{
        CorrectedMean, CorrectionOptions, CorrectionRefusal, LabelScope, MeasuredItem,
        RunInfluence, WeightedSum, common_freedom, estimate_with_interval,
    },
    measure::ValueRange,
};

/// Corrects the difference of two means, the first minus the second.
///
/// # Errors
///
/// When one of the two cannot be corrected ([`super::estimator::corrected_mean`]).
pub(crate) fn corrected_difference(
    first: &[MeasuredItem],
    second: &[MeasuredItem],
    options: CorrectionOptions,
) -> Result<CorrectedMean, CorrectionRefusal> {
    let [first, second] = [first, second].map(|items| WeightedSum::of(items, options.scope));
    let (first, second) = (first?, second?);
    let doubt = first.doubt_variance(options) + second.doubt_variance(options);
    let labels = (first.labels + second.labels) as f64;
    let [(own, own_alone), (other, other_alone)] =
        [&first, &second].map(|sum| sum.label_variances(options.scope));
    let (variance, alone, freedom) = match options.scope {
        LabelScope::TheseItems => (
            own + other,
            own_alone + other_alone,
            common_freedom(&[(own, first.freedom), (other, second.freedom)]),
        ),
        LabelScope::RunsLikeThese => (
            squared_differences(&first, &second, |it| it.corrected),
            squared_differences(&first, &second, |it| it.labels_alone),
            first.freedom.min(second.freedom),
        ),
    };
    let variance = variance + doubt;
    // Where everything is labelled neither has a variance.
    let worth = if variance > 0.0 { labels * (alone + doubt) / variance } else { labels };
    let width = options.range.high - options.range.low;
    let range = ValueRange { low: -width, high: width, ..options.range };
    let sum = WeightedSum {
        labels: first.labels + second.labels,
        items: first.items + second.items,
        freedom,
        lambda: f64::midpoint(first.lambda, second.lambda),
        ..first.clone()
    };
    let values = (first.judged - second.judged, first.value - second.value);
    let options = CorrectionOptions { range, ..options };
    Ok(estimate_with_interval(&sum, values, (variance, worth), options))
}

fn squared_differences(
    first: &WeightedSum,
    second: &WeightedSum,
    of: fn(&RunInfluence) -> f64,
) -> f64 {
    let tasks: BTreeSet<usize> =
        first.influences.keys().chain(second.influences.keys()).copied().collect();
    let influence = |sum: &WeightedSum, task| sum.influences.get(task).map_or(0.0, of);
    tasks.iter().map(|task| (influence(first, task) - influence(second, task)).powi(2)).sum()
}
