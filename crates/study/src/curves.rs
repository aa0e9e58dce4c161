//! One curve for several runs: the mean at each moment, with a band.

use super::{
    bootstrap::Interval, corrected::student_quantile::interval_factor, maths::mean,
    trend::CheckpointSeries,
};

/// The band around a mean curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveBand {
    /// Student's 95 % interval of the mean over runs.
    Confidence,
    /// From the lowest run to the highest.
    Range,
    Nothing,
}

/// Several runs at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The runs that are measured at the moment.
    pub n: usize,
    pub mean: f64,
    /// None with one run, and without a band.
    pub band: Option<Interval>,
}

/// Returns the mean over the runs that are measured at each moment, up to the last moment of the longest; None where no run is.
pub fn mean_curve(runs: &[&CheckpointSeries], band: CurveBand) -> Vec<Option<CurvePoint>> {
    let length = runs.iter().map(|series| series.len()).max().unwrap_or(0);
    let values = |at: usize| -> Vec<f64> {
        runs.iter().filter_map(|series| series.get(at).copied().flatten()).collect()
    };
    (0..length).map(|at| curve_point(&values(at), band)).collect()
}

fn curve_point(values: &[f64], band: CurveBand) -> Option<CurvePoint> {
    let n = values.len();
    let centre = (n > 0).then(|| mean(values))?;
    let band = match band {
        _ if n < 2 => None,
        CurveBand::Nothing => None,
        CurveBand::Range => Some(Interval {
            low: values.iter().copied().fold(f64::INFINITY, f64::min),
            high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }),
        CurveBand::Confidence => {
            let freedom = (n - 1) as f64;
            let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
            let half = interval_factor(0.95, freedom) * (squares / freedom / n as f64).sqrt();
            Some(Interval { low: centre - half, high: centre + half })
        }
    };
    Some(CurvePoint { n, mean: centre, band })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_the_runs_that_are_measured_at_a_moment() {
        let runs = [vec![Some(0.1), Some(0.4), None], vec![Some(0.3), None, None], vec![Some(0.2)]];
        let runs: Vec<&CheckpointSeries> = runs.iter().collect();

        let curve = mean_curve(&runs, CurveBand::Confidence);

        let first = curve[0].unwrap();
        assert_eq!(first.n, 3);
        // scipy.stats.t.interval(0.95, 2, loc=0.2, scale=scipy.stats.sem([0.1, 0.3, 0.2]))
        let band = first.band.unwrap();
        assert!((first.mean - 0.2).abs() < 1e-12);
        assert!((band.low - -0.048_413_771_175_032_98).abs() < 1e-9, "{band:?}");
        assert!((band.high - 0.448_413_771_175_033).abs() < 1e-9, "{band:?}");
        assert_eq!(curve[1], Some(CurvePoint { n: 1, mean: 0.4, band: None }));
        assert_eq!(curve[2], None);
        let range = mean_curve(&runs, CurveBand::Range)[0].unwrap().band;
        assert_eq!(range, Some(Interval { low: 0.1, high: 0.3 }));
    }
}
