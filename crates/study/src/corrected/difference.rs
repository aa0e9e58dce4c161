//! The corrected difference of two conditions.
//!
//! Clusters are tasks: what a task adds to both conditions cancels, since its influences are subtracted before they are
//! squared.

use std::collections::BTreeSet;

use super::{
    estimator::{
        CorrectedMean, CorrectionOptions, CorrectionRefusal, LabelScope, MeasuredItem,
        RunInfluence, WeightedSum, estimate_with_interval,
    },
    measure::ValueRange,
};

/// Corrects the difference of two means, the first minus the second.
///
/// # Errors
///
/// When one of the two cannot be corrected ([`super::estimator::corrected_mean`]).
pub fn corrected_difference(
    first: &[MeasuredItem],
    second: &[MeasuredItem],
    options: CorrectionOptions,
) -> Result<CorrectedMean, CorrectionRefusal> {
    let [first, second] = [first, second].map(|items| WeightedSum::of(items, options.scope));
    let (first, second) = (first?, second?);
    let least = first.least_variance(options.scope) + second.least_variance(options.scope);
    let labels = (first.labels + second.labels) as f64;
    let (variance, alone) = match options.scope {
        LabelScope::TheseItems => {
            let alone = |sum: &WeightedSum| {
                let (labels, items) = (sum.labels as f64, sum.items as f64);
                sum.label_variance * (labels.recip() - items.recip())
            };
            (first.item_variance + second.item_variance, alone(&first) + alone(&second))
        }
        LabelScope::RunsLikeThese => (
            squared_differences(&first, &second, |it| it.corrected),
            squared_differences(&first, &second, |it| it.labels_alone),
        ),
    };
    let variance = variance.max(least);
    // Where everything is labelled neither has a variance.
    let worth = if variance > 0.0 { labels * alone.max(least) / variance } else { labels };
    let width = options.range.high - options.range.low;
    let range = ValueRange { low: -width, high: width };
    let sum = WeightedSum {
        labels: first.labels + second.labels,
        items: first.items + second.items,
        freedom: match options.scope {
            LabelScope::TheseItems => first.freedom + second.freedom,
            LabelScope::RunsLikeThese => first.freedom.min(second.freedom),
        },
        lambda: f64::midpoint(first.lambda, second.lambda),
        ..first.clone()
    };
    let values = (first.judged - second.judged, first.value - second.value);
    let options = CorrectionOptions { range, ..options };
    Ok(estimate_with_interval(&sum, values, (variance, least, worth), options))
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
