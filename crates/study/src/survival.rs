//! The share of things that are not lost yet, by Kaplan and Meier, with things that are no longer observed at an end.
//!
//! The interval is Greenwood's on the log-log scale (exponential Greenwood), as `lifelines` computes it: it stays
//! between 0 and 1.

use super::{bootstrap::Interval, maths::normal_quantile};

/// The time for which one thing was observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lifetime {
    /// The time from which on it is observed, where that is not the beginning: it is not at risk at or before it.
    pub entry: Option<f64>,
    /// The time at which it was lost, or observed for the last time.
    pub end: f64,
    pub is_lost: bool,
}

/// A time at which something was lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurvivalStep {
    pub time: f64,
    /// Things that could be lost at the time.
    pub at_risk: usize,
    pub lost: usize,
    /// The share that is not lost after the time.
    pub share: f64,
    /// None where the share is 0 or 1.
    pub interval: Option<Interval>,
}

/// Returns a step for each time with a loss, in order; before the first one the share is 1.
pub fn kaplan_meier(lifetimes: &[Lifetime], confidence: f64) -> Vec<SurvivalStep> {
    let lost = lifetimes.iter().filter(|it| it.is_lost && it.end.is_finite());
    let mut times: Vec<f64> = lost.map(|it| it.end).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let (mut share, mut variance) = (1.0, 0.0);
    let step = |time: f64| {
        let is_at_risk =
            |it: &&Lifetime| it.end >= time && it.entry.is_none_or(|entry| entry < time);
        let at_risk = lifetimes.iter().filter(is_at_risk).count();
        let is_lost = |it: &&Lifetime| it.is_lost && it.end == time && is_at_risk(it);
        let lost = lifetimes.iter().filter(is_lost).count();
        let (risk, losses) = (at_risk as f64, lost as f64);
        if lost > 0 {
            share *= 1.0 - losses / risk;
            variance += losses / (risk * (risk - losses));
        }
        let interval = log_log_interval(share, variance, confidence);
        SurvivalStep { time, at_risk, lost, share, interval }
    };
    times.into_iter().map(step).filter(|step| step.lost > 0).collect()
}

/// Returns the first time at which half of the things or fewer are left; None where more are left at the end.
pub fn median_lifetime(steps: &[SurvivalStep]) -> Option<f64> {
    steps.iter().find(|step| step.share <= 0.5).map(|step| step.time)
}

/// Returns Greenwood's interval of the logarithm of minus the logarithm of the share.
fn log_log_interval(share: f64, variance: f64, confidence: f64) -> Option<Interval> {
    if share <= 0.0 || share >= 1.0 || !variance.is_finite() {
        return None;
    }
    let factor = normal_quantile(f64::midpoint(1.0, confidence));
    let error = factor * variance.sqrt() / share.ln().abs();
    Some(Interval { low: share.powf(error.exp()), high: share.powf((-error).exp()) })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn shares_and_intervals_are_those_of_lifelines() {
        let all: Value =
            serde_json::from_str(include_str!("../../../tests/vectors/survival.json")).unwrap();
        let cases = all["cases"].as_array().unwrap();
        assert!(cases.len() >= 6);
        for case in cases {
            let lifetimes: Vec<Lifetime> = case["lifetimes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| Lifetime {
                    entry: it["entry"].as_f64(),
                    end: it["end"].as_f64().unwrap(),
                    is_lost: it["lost"].as_bool().unwrap(),
                })
                .collect();

            let steps = kaplan_meier(&lifetimes, 0.95);

            let expected = case["steps"].as_array().unwrap();
            assert_eq!(steps.len(), expected.len(), "{}", case["name"]);
            for (step, wanted) in steps.iter().zip(expected) {
                let near = |number: f64, key: &str| {
                    let wanted = wanted[key].as_f64().unwrap();
                    assert!((number - wanted).abs() < 1e-9, "{}: {step:?} {key}", case["name"]);
                };
                near(step.time, "time");
                near(step.at_risk as f64, "at_risk");
                near(step.lost as f64, "lost");
                near(step.share, "share");
                if let Some(interval) = step.interval {
                    near(interval.low, "low");
                    near(interval.high, "high");
                }
                assert_eq!(step.interval.is_none(), step.share == 0.0);
            }
            assert_eq!(median_lifetime(&steps), case["median"].as_f64(), "{}", case["name"]);
        }
    }

    #[test]
    fn without_a_loss_there_is_no_step() {
        let observed = [Lifetime { entry: None, end: 5.0, is_lost: false }];

        assert_eq!(kaplan_meier(&observed, 0.95), []);
        assert_eq!(median_lifetime(&[]), None);
    }
}
