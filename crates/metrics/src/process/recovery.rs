//! Cycles of failure and recovery: something fails, the agent tries again, until it succeeds or the turn ends.
//!
//! What is tried is told by [`super::observed::Prints::tried`]: every run of the tests is one thing, every build another, else the first
//! words of a command. An attempt is what lies between two tries of it. Its strategy is the set of its calls: two attempts with
//! the same calls are one strategy.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::observed::{Observed, StepFacts};

/// From a failure to its end. Steps are indexes into [`Observed::steps`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    pub failed: usize,
    pub attempts: Vec<Attempt>,
    /// The step at which the same thing succeeded; None where it did not before the turn ended.
    pub recovered: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The first step after the failure, and the try that ended it, or the last step of the turn.
    pub steps: (usize, usize),
    pub succeeded: bool,
    strategy: u64,
}

/// Sums over the cycles of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    pub cycles: usize,
    pub attempts: usize,
    /// Different strategies, counted within each cycle.
    pub strategies: usize,
    /// Tokens of attempts that failed; None where tokens are not recorded.
    pub wasted: Option<u64>,
    /// Tokens of all steps.
    pub tokens: Option<u64>,
}

impl Cycle {
    /// Tokens of the attempts that failed; None where tokens are not recorded.
    pub fn wasted(&self, observed: &Observed) -> Option<u64> {
        let failed = self.attempts.iter().filter(|attempt| !attempt.succeeded);
        let steps = failed.flat_map(|attempt| attempt.steps.0..=attempt.steps.1);
        let is_recorded = observed.steps.iter().any(|step| step.tokens.is_some());
        let wasted = sum(steps.filter_map(|at| observed.steps.get(at)));
        is_recorded.then(|| wasted.unwrap_or_default())
    }

    /// Attempts that did something else than those before.
    pub fn strategies(&self) -> usize {
        self.attempts.iter().map(|it| it.strategy).collect::<HashSet<u64>>().len()
    }
}

impl Sums {
    pub fn of(observed: &Observed, cycles: &[Cycle]) -> Self {
        let steps = &observed.steps;
        let attempts = || cycles.iter().flat_map(|cycle| &cycle.attempts);
        let wasted: HashSet<usize> = attempts()
            .filter(|attempt| !attempt.succeeded)
            .flat_map(|attempt| attempt.steps.0..=attempt.steps.1)
            .collect();
        let tokens: Option<u64> = sum(steps.iter());
        Self {
            cycles: cycles.len(),
            attempts: attempts().count(),
            strategies: cycles.iter().map(Cycle::strategies).sum(),
            wasted: tokens
                .map(|_| sum(wasted.iter().filter_map(|at| steps.get(*at))).unwrap_or_default()),
            tokens,
        }
    }

    /// Strategies per attempt, 0 to 1; None without an attempt.
    pub fn diversity(&self) -> Option<f64> {
        (self.attempts > 0).then(|| self.strategies as f64 / self.attempts as f64)
    }

    /// Tokens of failed attempts of all tokens, 0 to 1; None where tokens are not recorded.
    pub fn waste(&self) -> Option<f64> {
        let tokens = self.tokens.filter(|tokens| *tokens > 0)?;
        Some(self.wasted? as f64 / tokens as f64)
    }
}

fn sum<'a>(steps: impl Iterator<Item = &'a StepFacts>) -> Option<u64> {
    steps.filter_map(|step| step.tokens).reduce(u64::saturating_add)
}

/// The cycles of a run, in the order in which they begin. Each agent's own steps are looked at by themselves.
pub fn cycles(observed: &Observed) -> Vec<Cycle> {
    let mut found = vec![];
    let mut open: HashMap<(Option<usize>, u64), Cycle> = HashMap::new();
    let mut turn = None;
    let mut last = 0;
    for (at, step) in observed.steps.iter().enumerate() {
        if turn != Some(step.id.turn) {
            close(observed, &mut open, last, &mut found);
            turn = Some(step.id.turn);
        }
        last = at;
        // Where the recording names the actions nothing tells which failure a try belongs to.
        let Some(tried) = step.prints.tried.filter(|_| !step.is_recorded) else { continue };
        let key = (step.id.subagent, tried);
        match (open.get_mut(&key), step.failed) {
            (Some(cycle), failed) => {
                let start = cycle.attempts.last().map_or(cycle.failed, |attempt| attempt.steps.1);
                cycle.attempts.push(attempt(observed, (start + 1, at), !failed));
                if !failed {
                    cycle.recovered = Some(at);
                    found.extend(open.remove(&key));
                }
            }
            (None, true) => {
                open.insert(key, Cycle { failed: at, attempts: vec![], recovered: None });
            }
            (None, false) => {}
        }
    }
    close(observed, &mut open, last, &mut found);
    found.sort_by_key(|cycle| cycle.failed);
    found
}

/// Ends what is open at the end of a turn: what came after the last failure was an attempt that led nowhere.
fn close(
    observed: &Observed,
    open: &mut HashMap<(Option<usize>, u64), Cycle>,
    last: usize,
    found: &mut Vec<Cycle>,
) {
    for (_, mut cycle) in open.drain() {
        let start = cycle.attempts.last().map_or(cycle.failed, |attempt| attempt.steps.1) + 1;
        let acts = |at: usize| observed.steps[at].prints.tried.is_some();
        if (start..=last).any(acts) {
            cycle.attempts.push(attempt(observed, (start, last), false));
        }
        found.push(cycle);
    }
}

fn attempt(observed: &Observed, steps: (usize, usize), succeeded: bool) -> Attempt {
    let own = |at: &usize| *at < steps.1;
    let calls: BTreeSet<u64> = (steps.0..=steps.1)
        .filter(own)
        .filter_map(|at| observed.steps.get(at)?.prints.call)
        .collect();
    // A try that is another call than before is a strategy too: other options, another target.
    let strategy = match calls.is_empty() {
        true => observed.steps.get(steps.1).and_then(|step| step.prints.call).unwrap_or_default(),
        false => super::observed::hash(&calls),
    };
    Attempt { steps, succeeded, strategy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::observed::Prints;
    use trajview_run::StepId;

    /// `t` runs the tests, upper case: and fails; another letter edits.
    fn run(turns: &[&str]) -> Observed {
        let mut steps = vec![];
        for (turn, letters) in turns.iter().enumerate() {
            for (step, letter) in letters.chars().enumerate() {
                let is_test = letter.eq_ignore_ascii_case(&'t');
                steps.push(StepFacts {
                    id: StepId { turn, subagent: None, step },
                    failed: letter == 'T',
                    prints: Prints {
                        call: Some(u64::from(u32::from(letter.to_ascii_lowercase()))),
                        tried: Some(if is_test { 1 } else { 7 }),
                        ..Prints::default()
                    },
                    tokens: Some(10),
                    ..StepFacts::default()
                });
            }
        }
        Observed { steps, ..Observed::default() }
    }

    #[test]
    fn a_cycle_ends_with_success_or_with_the_turn() {
        let observed = run(&["aTbTct", "Td", "t"]);

        let cycles = cycles(&observed);

        assert_eq!(cycles.len(), 2);
        assert_eq!((cycles[0].failed, cycles[0].recovered), (1, Some(5)));
        let spans: Vec<_> = cycles[0].attempts.iter().map(|it| (it.steps, it.succeeded)).collect();
        assert_eq!(spans, [((2, 3), false), ((4, 5), true)]);
        assert_eq!((cycles[1].failed, cycles[1].recovered), (6, None));
    }

    #[test]
    fn repeated_strategies_and_the_tokens_of_failed_attempts_are_counted() {
        let observed = run(&["TbTbTct"]);

        let sums = Sums::of(&observed, &cycles(&observed));

        assert_eq!((sums.cycles, sums.attempts, sums.strategies), (1, 3, 2));
        assert_eq!((sums.wasted, sums.tokens), (Some(40), Some(70)));
        assert_eq!(sums.diversity(), Some(2.0 / 3.0));
        assert_eq!(cycles(&observed)[0].wasted(&observed), Some(40));
    }

    #[test]
    fn a_run_without_failures_has_no_cycle() {
        let observed = run(&["abct"]);

        let sums = Sums::of(&observed, &cycles(&observed));

        assert_eq!((sums.cycles, sums.diversity(), sums.waste()), (0, None, Some(0.0)));
    }
}
