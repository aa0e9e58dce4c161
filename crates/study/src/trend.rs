//! The trend of a number from checkpoint to checkpoint over many runs: the share of runs in which it rises, and the
//! rise per checkpoint. The main figures of SlopCodeBench (arXiv 2603.24755) are of erosion and verbosity.
//!
//! A run rises where its last measured checkpoint is above its first. The paper does not define a rise; the sign of
//! the slope is reported beside it. Checkpoints that could not be measured are left out of both, and counted.

use super::{
    bootstrap::{BootstrapPlan, Estimate},
    maths::mean,
    paired::{SAME, compare_pairs},
};

/// The number at the end of each checkpoint of one run, in order; None where it could not be measured.
pub type CheckpointSeries = Vec<Option<f64>>;

/// Runs together.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// The number of runs with two measured checkpoints or more.
    pub runs: usize,
    /// The runs whose last measured checkpoint is above their first.
    pub rises: usize,
    pub level: usize,
    pub falls: usize,
    /// The runs with a least-squares slope above 0.
    pub rising_slopes: usize,
    /// Runs with fewer than two measured checkpoints.
    pub left_out: usize,
    /// Checkpoints of all the runs that could not be measured.
    pub unmeasured: usize,
    /// Mean of the least-squares slopes of the runs, a checkpoint; its interval over runs.
    pub slope: Estimate,
}

impl Trend {
    /// Returns the share of runs that rise, 0 to 1; None without a run.
    pub fn share_rising(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.rises as f64 / self.runs as f64)
    }
}

/// Computes the trend over many runs, in any order.
pub fn trend_over_runs<'a>(
    runs: impl IntoIterator<Item = &'a CheckpointSeries>,
    plan: &BootstrapPlan,
) -> Trend {
    let runs: Vec<&CheckpointSeries> = runs.into_iter().collect();
    let measured: Vec<Vec<(f64, f64)>> = runs
        .iter()
        .map(|series| measured_points(series))
        .filter(|points| points.len() > 1)
        .collect();
    let changes: Vec<f64> = measured.iter().filter_map(|points| last_minus_first(points)).collect();
    let slopes: Vec<(f64, f64)> =
        measured.iter().map(|points| (least_squares_slope(points), 0.0)).collect();
    let unmeasured = runs.iter().flat_map(|series| series.iter()).filter(|it| it.is_none()).count();
    let count = |is_so: fn(f64) -> bool| changes.iter().filter(|change| is_so(**change)).count();
    Trend {
        runs: measured.len(),
        rises: count(|change| change > 0.0),
        level: count(|change| change == 0.0),
        falls: count(|change| change < 0.0),
        rising_slopes: slopes.iter().filter(|(slope, _)| *slope > SAME).count(),
        left_out: runs.len() - measured.len(),
        unmeasured,
        slope: compare_pairs(&slopes, plan).mean_gap,
    }
}

/// Returns the slope of one run per checkpoint; None with fewer than two that are measured.
pub fn series_slope(series: &CheckpointSeries) -> Option<f64> {
    let points = measured_points(series);
    (points.len() > 1).then(|| least_squares_slope(&points))
}

/// Returns the checkpoints that are measured, as their number from 1 and their value.
fn measured_points(series: &CheckpointSeries) -> Vec<(f64, f64)> {
    let numbered = (1..).zip(series);
    numbered.filter_map(|(at, value)| Some((f64::from(at), (*value)?))).collect::<Vec<(f64, f64)>>()
}

/// Returns the last value less the first; 0 where they differ by rounding alone. None without points.
fn last_minus_first(points: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (points.first()?.1, points.last()?.1);
    let is_same = (last - first).abs() <= SAME * first.abs().max(last.abs());
    Some(if is_same { 0.0 } else { last - first })
}

/// Returns the slope by least squares; there are at least two points, at different checkpoints.
fn least_squares_slope(points: &[(f64, f64)]) -> f64 {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let (centre, middle) = (mean(&x), mean(&y));
    let products = points.iter().map(|(x, y)| (x - centre) * (y - middle)).sum::<f64>();
    products / x.iter().map(|x| (x - centre).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_rise_by_their_last_checkpoint_against_the_first_and_have_a_slope_a_checkpoint() {
        let runs: [CheckpointSeries; 5] = [
            vec![Some(0.1), Some(0.2), Some(0.3)],
            vec![Some(0.5), Some(0.9), Some(0.4)],
            vec![Some(0.3), Some(0.3)],
            vec![Some(0.2), None, None, Some(0.8)],
            vec![None, Some(0.7)],
        ];

        let trend = trend_over_runs(&runs, &BootstrapPlan::default());

        assert_eq!((trend.runs, trend.left_out, trend.unmeasured), (4, 1, 3));
        assert_eq!((trend.rises, trend.level, trend.falls), (2, 1, 1));
        assert_eq!((trend.rising_slopes, trend.share_rising()), (2, Some(0.5)));
        // (0.1 - 0.05 + 0 + 0.2) / 4: what is not measured leaves a gap and does not close up.
        assert!((trend.slope.value.unwrap() - 0.0625).abs() < 1e-12, "{:?}", trend.slope);
        assert!(trend.slope.interval.is_ok());
    }

    #[test]
    fn without_two_measured_checkpoints_there_is_no_trend() {
        let trend = trend_over_runs(&[vec![None, Some(0.4)]], &BootstrapPlan::default());

        assert_eq!((trend.runs, trend.left_out, trend.share_rising()), (0, 1, None));
        assert!(trend.slope.value.is_err());
        assert_eq!(series_slope(&vec![Some(0.4), None]), None);
    }
}
