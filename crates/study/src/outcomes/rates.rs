//! Pass rates, and which trials count in them.

use trajview_run::{Outcome, worded_enum::worded};

use super::TrialRecord;
use crate::{
    bootstrap::Interval,
    maths::normal_quantile,
    undefined::{NumberOrReason, Undefined},
};

worded! {
    /// What a trial is that ended without a verdict: with an `error`, a `timeout` or a `limit`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum ErrorRule {
        /// All three are failures.
        #[default]
        Failures = "failures",
        /// None of the three counts.
        LeftOut = "left-out",
        /// A timeout and a limit are failures, since the agent spent what it had; an error says nothing about the agent and
        /// does not count.
        Apart = "apart",
    }
}

impl ErrorRule {
    /// Returns whether a trial passes by this rule; None where it does not count. What nobody scored never counts.
    pub(crate) const fn counts_as_pass(self, outcome: Option<Outcome>) -> Option<bool> {
        match (outcome, self) {
            (Some(Outcome::Passed), _) => Some(true),
            (Some(Outcome::Failed | Outcome::Partial), _)
            | (Some(Outcome::Timeout | Outcome::Limit), Self::Failures | Self::Apart)
            | (Some(Outcome::Error), Self::Failures) => Some(false),
            (Some(Outcome::Timeout | Outcome::Limit), Self::LeftOut)
            | (Some(Outcome::Error), Self::LeftOut | Self::Apart)
            | (Some(Outcome::Unscored) | None, _) => None,
        }
    }
}

/// The number of trials with each outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OutcomeCounts {
    by_outcome: [usize; Outcome::ALL.len()],
    /// Trials whose outcome is not recorded.
    pub not_recorded: usize,
}

impl OutcomeCounts {
    pub(crate) fn of_trials(trials: &[&TrialRecord]) -> Self {
        trials.iter().map(|trial| trial.outcome).collect()
    }

    pub(super) const fn add_trial(&mut self, outcome: Option<Outcome>) {
        match outcome {
            Some(outcome) => self.by_outcome[outcome as usize] += 1,
            None => self.not_recorded += 1,
        }
    }

    pub const fn with_outcome(&self, outcome: Outcome) -> usize {
        self.by_outcome[outcome as usize]
    }

    /// Returns the number of all trials, those without an outcome included.
    pub fn all_trials(&self) -> usize {
        self.by_outcome.iter().sum::<usize>() + self.not_recorded
    }

    /// Returns the pass rate by each rule, in the order of [`ErrorRule::ALL`].
    pub(crate) fn pass_rates(&self, confidence: f64) -> [PassRate; 3] {
        ErrorRule::ALL.map(|rule| {
            let counts = |it: &Outcome| rule.counts_as_pass(Some(*it)).is_some();
            let counted = Outcome::ALL.into_iter().filter(counts).map(|it| self.with_outcome(it));
            PassRate::new(self.with_outcome(Outcome::Passed), counted.sum(), confidence)
        })
    }
}

/// The share of counted trials that passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassRate {
    pub passed: usize,
    /// Trials that count.
    pub counted: usize,
    /// 0–1, higher is better.
    pub rate: NumberOrReason,
    /// Wilson's interval, which takes trials as independent.
    pub interval: Result<Interval, Undefined>,
}

impl PassRate {
    fn new(passed: usize, counted: usize, confidence: f64) -> Self {
        let interval = wilson_interval(passed, counted, confidence);
        let rate = interval.map(|_| passed as f64 / counted as f64);
        Self { passed, counted, rate, interval }
    }
}

/// Computes Wilson's score interval without a correction for continuity (Wilson, Probable inference, the law of succession, and
/// statistical inference, JASA 22, 1927), as `statsmodels.stats.proportion.proportion_confint(method="wilson")`.
///
/// # Errors
///
/// If no trial counts.
pub fn wilson_interval(
    passed: usize,
    counted: usize,
    confidence: f64,
) -> Result<Interval, Undefined> {
    if counted == 0 {
        return Err(Undefined::NoScoredTrials);
    }
    let n = counted as f64;
    let rate = passed as f64 / n;
    let z = normal_quantile(0.5 + confidence / 2.0);
    let squared = z * z / n;
    let centre = (rate + squared / 2.0) / (1.0 + squared);
    let half = z / (1.0 + squared) * ((rate * (1.0 - rate) + squared / 4.0) / n).sqrt();
    // A rate of 0 or 1 is an end of its interval; the difference of the two terms is a rounding error there.
    let low = if passed == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if passed >= counted { 1.0 } else { (centre + half).min(1.0) };
    Ok(Interval { low, high })
}
