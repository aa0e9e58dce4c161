//! The options for resampling, and the text of intervals.

use trajview_study::{BootstrapPlan, Interval};

#[derive(Debug, clap::Args)]
pub struct ResamplingArgs {
    /// Seed of the bootstrap
    #[arg(long, default_value_t = BootstrapPlan::default().seed)]
    seed: u64,
    /// Number of resamples; 0 for no intervals
    #[arg(long, default_value_t = BootstrapPlan::default().resamples, value_parser = at_most_a_million)]
    resamples: usize,
}

impl ResamplingArgs {
    pub(crate) fn to_plan(&self) -> BootstrapPlan {
        BootstrapPlan { seed: self.seed, resamples: self.resamples, ..BootstrapPlan::default() }
    }
}

fn at_most_a_million(words: &str) -> Result<usize, String> {
    match words.parse() {
        Ok(count) if count <= 1_000_000 => Ok(count),
        _ => Err("expected a number from 0 to 1000000".into()),
    }
}

/// Returns `0.612 [0.430, 0.794]`; a dash where there is no value.
pub fn with_interval(value: Option<f64>, interval: Option<Interval>) -> String {
    let figure = |number: f64| {
        if number.abs() < 1000.0 { format!("{number:.3}") } else { format!("{number:.0}") }
    };
    match (value, interval) {
        (None, _) => "-".into(),
        (Some(value), None) => figure(value),
        (Some(value), Some(Interval { low, high })) => {
            format!("{} [{}, {}]", figure(value), figure(low), figure(high))
        }
    }
}

/// Returns `0.0312`, `1.2e-6`.
pub fn p_value(p: f64) -> String {
    if p < 0.0001 { format!("{p:.1e}") } else { format!("{p:.4}") }
}
