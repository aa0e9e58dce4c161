//! What a passed trial costs: all that was spent by the number of passes, and what the passed trials themselves spent.

use trajview_run::{Outcome, worded_enum::worded};

use super::TrialRecord;
use crate::{
    bootstrap::{BootstrapPlan, Estimate},
    solved_cost::ratio_over_tasks,
    undefined::Undefined,
};

/// What a trial spent; None is not recorded, which is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TrialSpending {
    /// US dollars that the recording names.
    pub recorded_usd: Option<f64>,
    /// US dollars at list prices.
    pub computed_usd: Option<f64>,
    /// Input and output.
    pub tokens: Option<f64>,
    pub seconds: Option<f64>,
}

worded! {
    /// What is spent. The measures are never mixed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SpendingMeasure {
        RecordedUsd = "recorded_usd",
        ComputedUsd = "computed_usd",
        Tokens = "tokens",
        Seconds = "seconds",
    }
}

impl SpendingMeasure {
    fn of_trial(self, trial: &TrialRecord) -> Option<f64> {
        let spent = &trial.spent;
        let value = match self {
            Self::RecordedUsd => spent.recorded_usd,
            Self::ComputedUsd => spent.computed_usd,
            Self::Tokens => spent.tokens,
            Self::Seconds => spent.seconds,
        };
        value.filter(|value| value.is_finite())
    }
}

/// What a passed trial costs in one measure. Trials count that have the value and an outcome other than `unscored`; errors,
/// timeouts and limits cost as failures do, whatever the rule for errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpentPerPass {
    pub measure: SpendingMeasure,
    /// Trials that count, and those of them that passed.
    pub trials: usize,
    pub passed: usize,
    /// Trials with an outcome and without the value.
    pub without_value: usize,
    /// All that the trials spent by the number of passes: what one pass costs with the failures on the way. Tasks are
    /// resampled.
    pub per_pass: Estimate,
    /// The mean over the passed trials alone.
    pub mean_of_passed: Estimate,
}

impl SpentPerPass {
    pub(crate) fn over_tasks(
        tasks: &[Vec<&TrialRecord>],
        measure: SpendingMeasure,
        plan: &BootstrapPlan,
    ) -> Self {
        let is_counted = |trial: &&&TrialRecord| {
            trial.outcome.is_some_and(|outcome| outcome != Outcome::Unscored)
        };
        let (mut sums, mut passed_means) = (vec![], vec![]);
        let (mut trials, mut without_value) = (0, 0);
        for task in tasks {
            let (mut spent, mut passed, mut spent_by_passed) = (0.0, 0, 0.0);
            let trials_before = trials;
            for trial in task.iter().filter(is_counted) {
                let Some(value) = measure.of_trial(trial) else {
                    without_value += 1;
                    continue;
                };
                trials += 1;
                spent += value;
                if trial.outcome == Some(Outcome::Passed) {
                    passed += 1;
                    spent_by_passed += value;
                }
            }
            if trials > trials_before {
                sums.push((spent, passed));
            }
            if passed > 0 {
                passed_means.push((spent_by_passed, passed));
            }
        }
        let ratio = |sums: &[(f64, u64)]| {
            ratio_over_tasks(sums, Undefined::NoSpending, Undefined::NothingPassed, plan)
        };
        let per_pass = ratio(&sums);
        Self {
            measure,
            trials,
            passed: sums.iter().map(|(_, passed)| *passed as usize).sum(),
            without_value,
            mean_of_passed: match per_pass.value {
                Err(why) => Estimate::undefined(why),
                Ok(_) => ratio(&passed_means),
            },
            per_pass,
        }
    }
}
