//! Repeats of a task: pass@k, the chance that one of k trials passes, and pass^k, the chance that all k do.

use super::{TaskTally, mean_over_tasks};
use crate::{
    bootstrap::{BootstrapPlan, Estimate},
    undefined::Undefined,
};

/// Returns the unbiased estimate of the chance that one of `k` trials passes, from `counted` trials of which `passed` did:
/// `1 - C(n-c, k) / C(n, k)` (Chen and others, Evaluating large language models trained on code, arXiv 2107.03374,
/// equation 1, by the product of its figure 3). None where the trials are fewer than `k`, and for a `k` of 0.
pub fn pass_at_k(counted: usize, passed: usize, k: usize) -> Option<f64> {
    if k == 0 || counted < k || passed > counted {
        return None;
    }
    if counted - passed < k {
        return Some(1.0);
    }
    let factors = (counted - passed + 1..=counted).map(|i| 1.0 - k as f64 / i as f64);
    Some(1.0 - factors.product::<f64>())
}

/// Returns the unbiased estimate of the chance that all of `k` trials pass: `C(c, k) / C(n, k)` (Yao and others, tau-bench,
/// arXiv 2406.12045, section 4). None where the trials are fewer than `k`, and for a `k` of 0.
pub fn pass_hat_k(counted: usize, passed: usize, k: usize) -> Option<f64> {
    if k == 0 || counted < k || passed > counted {
        return None;
    }
    if passed < k {
        return Some(0.0);
    }
    Some((0..k).map(|i| (passed - i) as f64 / (counted - i) as f64).product())
}

/// Both numbers of a group for one k: means over the tasks with at least k counted trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassAtK {
    pub k: usize,
    /// Tasks with at least k counted trials.
    pub tasks: usize,
    /// Tasks with fewer, which are left out.
    pub tasks_left_out: usize,
    /// 0–1, higher is better; tasks are resampled.
    pub any: Estimate,
    pub all: Estimate,
}

impl PassAtK {
    pub(crate) fn over_tasks(tasks: &[TaskTally], k: usize, plan: &BootstrapPlan) -> Self {
        let of_tasks = |number: fn(usize, usize, usize) -> Option<f64>| -> Vec<f64> {
            tasks.iter().filter_map(|task| number(task.counted, task.passed, k)).collect()
        };
        let estimate = |numbers: &[f64]| mean_over_tasks(numbers, Undefined::TooFewRepeats, plan);
        let any = of_tasks(pass_at_k);
        Self {
            k,
            tasks: any.len(),
            tasks_left_out: tasks.len() - any.len(),
            any: estimate(&any),
            all: estimate(&of_tasks(pass_hat_k)),
        }
    }
}

/// How trials of the same task differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatFacts {
    /// Tasks with two counted trials or more.
    pub tasks: usize,
    /// Those of them of which some trials pass and some do not; None without such tasks.
    pub flaky: Option<usize>,
    /// The most counted trials of a task.
    pub most_trials: usize,
}

impl RepeatFacts {
    pub(crate) fn of_tasks(tasks: &[TaskTally]) -> Self {
        let repeated = || tasks.iter().filter(|task| task.counted > 1);
        Self {
            tasks: repeated().count(),
            flaky: (repeated().count() > 0)
                .then(|| repeated().filter(|task| task.is_flaky()).count()),
            most_trials: tasks.iter().map(|task| task.counted).max().unwrap_or(0),
        }
    }
}

/// Returns the numbers k that the repeats allow: 1, 2, 4, 8 and so on up to the number of trials that at least half of the
/// tasks have, and that number. `repeats` is the number of counted trials of each task.
pub fn default_ks(mut repeats: Vec<usize>) -> Vec<usize> {
    repeats.retain(|count| *count > 0);
    repeats.sort_unstable();
    // The lower median: at least half of the tasks have as many.
    let most = repeats.len().checked_sub(1).map_or(1, |last| repeats[last / 2]);
    let mut ks: Vec<usize> =
        std::iter::successors(Some(1), |k| Some(k * 2)).take_while(|k| *k < most).collect();
    ks.push(most);
    ks
}
