//! Finds cycles of failure and recovery: something fails, and the agent tries again until it succeeds or the turn
//! ends.
//!
//! [`super::step_facts::StepFingerprints::attempt`] tells which steps try the same thing: all runs of the tests, all
//! builds, or commands with the same first words. An attempt is the steps between two tries. Its strategy is the set
//! of its calls: two attempts with the same calls have the same strategy.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::step_facts::{ObservedRun, StepFacts};

/// A cycle from a failure to its end. Steps are indexes into [`ObservedRun::steps`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryCycle {
    pub failed: usize,
    pub attempts: Vec<RecoveryAttempt>,
    /// The step at which the same thing succeeded; None where it did not before the turn ended.
    pub recovered: Option<usize>,
}

/// An attempt to recover from a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryAttempt {
    /// The first step after the failure, and the try that ended it, or the last step of the turn.
    pub steps: (usize, usize),
    pub succeeded: bool,
    strategy: u64,
}

/// Sums over the cycles of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RecoverySums {
    pub cycles: usize,
    pub attempts: usize,
    /// Different strategies, counted within each cycle.
    pub strategies: usize,
    /// Tokens of attempts that failed; None where tokens are not recorded.
    pub wasted: Option<u64>,
    /// Tokens of all steps.
    pub tokens: Option<u64>,
}

impl RecoveryCycle {
    /// Returns the tokens of the attempts that failed; None where tokens are not recorded.
    pub(crate) fn wasted_tokens(&self, observed: &ObservedRun) -> Option<u64> {
        let failed = self.attempts.iter().filter(|attempt| !attempt.succeeded);
        let steps = failed.flat_map(|attempt| attempt.steps.0..=attempt.steps.1);
        let is_recorded = observed.steps.iter().any(|step| step.tokens.is_some());
        let wasted = sum_tokens(steps.filter_map(|at| observed.steps.get(at)));
        is_recorded.then(|| wasted.unwrap_or_default())
    }

    /// Returns the number of different strategies.
    pub(crate) fn strategy_count(&self) -> usize {
        self.attempts.iter().map(|it| it.strategy).collect::<HashSet<u64>>().len()
    }
}

impl RecoverySums {
    pub fn new(observed: &ObservedRun, cycles: &[RecoveryCycle]) -> Self {
        let steps = &observed.steps;
        let attempts = || cycles.iter().flat_map(|cycle| &cycle.attempts);
        let wasted: HashSet<usize> = attempts()
            .filter(|attempt| !attempt.succeeded)
            .flat_map(|attempt| attempt.steps.0..=attempt.steps.1)
            .collect();
        let tokens: Option<u64> = sum_tokens(steps.iter());
        Self {
            cycles: cycles.len(),
            attempts: attempts().count(),
            strategies: cycles.iter().map(RecoveryCycle::strategy_count).sum(),
            wasted: tokens.map(|_| {
                sum_tokens(wasted.iter().filter_map(|at| steps.get(*at))).unwrap_or_default()
            }),
            tokens,
        }
    }

    /// Returns the strategies per attempt, 0 to 1; None without an attempt.
    pub(crate) fn strategy_diversity(&self) -> Option<f64> {
        (self.attempts > 0).then(|| self.strategies as f64 / self.attempts as f64)
    }

    /// Returns the share of tokens in failed attempts, 0 to 1; None where tokens are not recorded.
    pub(crate) fn token_waste(&self) -> Option<f64> {
        let tokens = self.tokens.filter(|tokens| *tokens > 0)?;
        Some(self.wasted? as f64 / tokens as f64)
    }
}

fn sum_tokens<'a>(steps: impl Iterator<Item = &'a StepFacts>) -> Option<u64> {
    steps.filter_map(|step| step.tokens).reduce(u64::saturating_add)
}

/// Returns the cycles of a run, in the order in which they begin. Each agent's own steps are treated separately.
pub(crate) fn find_cycles(observed: &ObservedRun) -> Vec<RecoveryCycle> {
    let mut cycles = vec![];
    let mut open: HashMap<(Option<usize>, u64), RecoveryCycle> = HashMap::new();
    let mut turn = None;
    let mut last = 0;
    for (at, step) in observed.steps.iter().enumerate() {
        if turn != Some(step.id.turn) {
            close_cycles(observed, &mut open, last, &mut cycles);
            turn = Some(step.id.turn);
        }
        last = at;
        // Where the recording names the actions, the failure that a try belongs to is not known.
        let Some(tried) = step.prints.attempt.filter(|_| !step.is_recorded) else { continue };
        let key = (step.id.subagent, tried);
        match (open.get_mut(&key), step.failed) {
            (Some(cycle), failed) => {
                let start = cycle.attempts.last().map_or(cycle.failed, |attempt| attempt.steps.1);
                cycle.attempts.push(new_attempt(observed, (start + 1, at), !failed));
                if !failed {
                    cycle.recovered = Some(at);
                    cycles.extend(open.remove(&key));
                }
            }
            (None, true) => {
                open.insert(key, RecoveryCycle { failed: at, attempts: vec![], recovered: None });
            }
            (None, false) => {}
        }
    }
    close_cycles(observed, &mut open, last, &mut cycles);
    cycles.sort_by_key(|cycle| cycle.failed);
    cycles
}

/// Closes the open cycles at the end of a turn: the steps after the last failure were an attempt without success.
fn close_cycles(
    observed: &ObservedRun,
    open: &mut HashMap<(Option<usize>, u64), RecoveryCycle>,
    last: usize,
    cycles: &mut Vec<RecoveryCycle>,
) {
    for (_, mut cycle) in open.drain() {
        let start = cycle.attempts.last().map_or(cycle.failed, |attempt| attempt.steps.1) + 1;
        let acts = |at: usize| observed.steps[at].prints.attempt.is_some();
        if (start..=last).any(acts) {
            cycle.attempts.push(new_attempt(observed, (start, last), false));
        }
        cycles.push(cycle);
    }
}

fn new_attempt(observed: &ObservedRun, steps: (usize, usize), succeeded: bool) -> RecoveryAttempt {
    let is_before_try = |at: &usize| *at < steps.1;
    let calls: BTreeSet<u64> = (steps.0..=steps.1)
        .filter(is_before_try)
        .filter_map(|at| observed.steps.get(at)?.prints.call)
        .collect();
    // A try with another call than before is a strategy too: other options, another target.
    let strategy = match calls.is_empty() {
        true => observed.steps.get(steps.1).and_then(|step| step.prints.call).unwrap_or_default(),
        false => super::step_facts::hash_value(&calls),
    };
    RecoveryAttempt { steps, succeeded, strategy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::step_facts::StepFingerprints;
    use trajview_run::StepId;

    /// Builds a run: `t` runs the tests, `T` runs them and fails, another letter edits.
    fn run_of_letters(turns: &[&str]) -> ObservedRun {
        let mut steps = vec![];
        for (turn, letters) in turns.iter().enumerate() {
            for (step, letter) in letters.chars().enumerate() {
                let is_test = letter.eq_ignore_ascii_case(&'t');
                steps.push(StepFacts {
                    id: StepId { turn, subagent: None, step },
                    failed: letter == 'T',
                    prints: StepFingerprints {
                        call: Some(u64::from(u32::from(letter.to_ascii_lowercase()))),
                        attempt: Some(if is_test { 1 } else { 7 }),
                        ..StepFingerprints::default()
                    },
                    tokens: Some(10),
                    ..StepFacts::default()
                });
            }
        }
        ObservedRun { steps, ..ObservedRun::default() }
    }

    #[test]
    fn a_cycle_ends_with_success_or_with_the_turn() {
        let observed = run_of_letters(&["aTbTct", "Td", "t"]);

        let cycles = find_cycles(&observed);

        assert_eq!(cycles.len(), 2);
        assert_eq!((cycles[0].failed, cycles[0].recovered), (1, Some(5)));
        let spans: Vec<_> = cycles[0].attempts.iter().map(|it| (it.steps, it.succeeded)).collect();
        assert_eq!(spans, [((2, 3), false), ((4, 5), true)]);
        assert_eq!((cycles[1].failed, cycles[1].recovered), (6, None));
    }

    #[test]
    fn repeated_strategies_and_the_tokens_of_failed_attempts_are_counted() {
        let observed = run_of_letters(&["TbTbTct"]);

        let sums = RecoverySums::new(&observed, &find_cycles(&observed));

        assert_eq!((sums.cycles, sums.attempts, sums.strategies), (1, 3, 2));
        assert_eq!((sums.wasted, sums.tokens), (Some(40), Some(70)));
        assert_eq!(sums.strategy_diversity(), Some(2.0 / 3.0));
        assert_eq!(find_cycles(&observed)[0].wasted_tokens(&observed), Some(40));
    }

    #[test]
    fn a_run_without_failures_has_no_cycle() {
        let observed = run_of_letters(&["abct"]);

        let sums = RecoverySums::new(&observed, &find_cycles(&observed));

        assert_eq!(
            (sums.cycles, sums.strategy_diversity(), sums.token_waste()),
            (0, None, Some(0.0))
        );
    }
}
