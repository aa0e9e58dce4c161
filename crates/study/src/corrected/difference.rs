//! The corrected difference of two conditions, of two runs or over tasks.
//!
//! Clusters are tasks: what a task adds to both conditions cancels, since its influences, or its means, are subtracted
//! before they are squared.

use std::collections::BTreeSet;

use crate::bootstrap::Interval;

use super::{
    estimator::{
        CONFIDENCE, CorrectedMean, CorrectionOptions, CorrectionRefusal, LabelScope, MeasuredItem,
        RunInfluence, WeightedSum, common_freedom, estimate_with_interval,
    },
    measure::ValueRange,
    student_quantile::interval_factor,
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

/// A corrected value of one task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskValue {
    pub value: f64,
    /// The standard error that its labels give.
    pub standard_error: f64,
}

impl TaskValue {
    /// Computes the mean of independent values; None without one.
    pub fn mean_of(values: impl IntoIterator<Item = Self>) -> Option<Self> {
        let (mut count, mut sum, mut squares) = (0.0_f64, 0.0_f64, 0.0_f64);
        for it in values {
            count += 1.0;
            sum += it.value;
            squares += it.standard_error.powi(2);
        }
        (count > 0.0).then(|| Self { value: sum / count, standard_error: squares.sqrt() / count })
    }

    /// Returns this value minus an independent one.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            standard_error: self.standard_error.hypot(other.standard_error),
        }
    }
}

/// A mean over tasks with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanOverTasks {
    pub value: f64,
    pub interval: Interval,
}

/// Computes a mean of corrected values over tasks like these, one value a task; None for fewer than two tasks.
///
/// The spread of the tasks' values contains that of the tasks and that of the missing labels, since each value is
/// estimated from labels of its own: it is the variance of the ultimate cluster (Cochran, Sampling Techniques, 11.3).
/// A few tasks may agree by chance, so the variance is at least that of the labels alone: of `m` tasks it is
/// `max(s²/m, Σ se²/m²)`, where `s` is the spread of the values and `se` are their standard errors.
/// The interval uses Student's distribution with one degree of freedom less than there are tasks.
pub fn mean_over_tasks(values: &[TaskValue], range: (f64, f64)) -> Option<MeanOverTasks> {
    let mean = TaskValue::mean_of(values.iter().copied()).filter(|_| values.len() >= 2)?;
    let (count, value) = (values.len() as f64, mean.value);
    let squares: f64 = values.iter().map(|it| (it.value - value).powi(2)).sum();
    let standard_error = (squares / (count - 1.0) / count).sqrt().max(mean.standard_error);
    let side = standard_error * interval_factor(CONFIDENCE, count - 1.0);
    let (low, high) = range;
    let interval =
        Interval { low: (value - side).clamp(low, high), high: (value + side).clamp(low, high) };
    Some(MeanOverTasks { value, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_over_tasks_has_students_interval() {
        // Quantile of Student's distribution with 3 degrees of freedom: 3.182446305284263, as SciPy has it.
        let values = [0.5, 0.2, 0.9, -0.1].map(|value| TaskValue { value, standard_error: 0.1 });
        let mean = mean_over_tasks(&values, (-4.0, 4.0)).unwrap();

        assert!((mean.value - 0.375).abs() < 1e-12);
        assert!((mean.interval.low - -0.3047708).abs() < 1e-6, "{mean:?}");
        assert!((mean.interval.high - 1.0547708).abs() < 1e-6, "{mean:?}");
        assert_eq!(mean_over_tasks(&values[..1], (-4.0, 4.0)), None);
    }

    #[test]
    fn tasks_that_agree_have_at_least_the_width_of_their_labels() {
        // Quantile of Student's distribution with 1 degree of freedom: 12.706204736174705, as SciPy has it.
        let task = TaskValue { value: 1.0, standard_error: 0.1 };
        let exact = TaskValue { standard_error: 0.0, ..task };

        let mean = mean_over_tasks(&[task, task], (-4.0, 4.0)).unwrap();
        let without_doubt = mean_over_tasks(&[exact, exact], (-4.0, 4.0)).unwrap();

        let side = 12.706_204_736_174_705 * 0.1 / 2.0_f64.sqrt();
        assert!((mean.interval.low - (1.0 - side)).abs() < 1e-6, "{mean:?}");
        assert!((mean.interval.high - (1.0 + side)).abs() < 1e-6, "{mean:?}");
        assert_eq!(without_doubt.interval, Interval { low: 1.0, high: 1.0 });
    }
}
