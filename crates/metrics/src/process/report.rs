//! The report on a run's process, computed once from the observed facts.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    CheckedState, DisciplineScores, ObservedRun, Pillar, ProcessSignal, RigorProfile,
    lints::{self, RecordingLint},
    paper_formulas, recovery, signals,
};
use trajview_run::{Run, StepId};

/// The process of a run, ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessReport {
    pub paper: DisciplineScores,
    pub shipped: DisciplineScores,
    pub signals: Vec<ProcessSignal>,
    pub cycles: Vec<CycleReport>,
    /// The longest plan, and the step at which each of its items was done; None where that cannot be told.
    pub plan: Vec<(String, Option<StepId>)>,
    /// The checked states of the files: whether they build and pass the tests, as far as commands were run on request;
    /// empty where none was.
    pub states: Vec<CheckedState>,
    pub lints: Vec<RecordingLint>,
    pub names: ShownStepNumbers,
    /// True where the recording has any step of a known kind.
    pub has_known_steps: bool,
}

/// The numbers of the steps as shown: `12.7` is the seventh step of turn 12.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownStepNumbers(HashMap<StepId, usize>);

impl ShownStepNumbers {
    fn new(observed: &ObservedRun) -> Self {
        Self(observed.steps.iter().map(|step| (step.id, step.number)).collect())
    }

    /// Returns the number of a step as shown, such as `12.7`.
    pub fn step_label(&self, step: StepId) -> String {
        let number = self.0.get(&step).copied().unwrap_or(step.step + 1);
        format!("{}.{number}", step.turn + 1)
    }
}

/// A cycle of failure and recovery, by its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CycleReport {
    pub failed: StepId,
    pub attempts: usize,
    /// The number of different strategies.
    pub strategies: usize,
    /// None where it did not succeed before the turn ended.
    pub recovered: Option<StepId>,
    /// Tokens of the attempts that failed; None where tokens are not recorded.
    pub tokens_wasted: Option<u64>,
}

impl ProcessReport {
    pub fn new(run: &Run, observed: &ObservedRun) -> Self {
        let id = |at: usize| observed.steps[at].id;
        let cycles = recovery::find_cycles(observed).into_iter().map(|cycle| CycleReport {
            failed: id(cycle.failed),
            attempts: cycle.attempts.len(),
            strategies: cycle.strategy_count(),
            tokens_wasted: cycle.wasted_tokens(observed),
            recovered: cycle.recovered.map(id),
        });
        let plan = paper_formulas::executed_plan(observed).unwrap_or_default();
        Self {
            paper: DisciplineScores::new(observed, RigorProfile::Paper),
            shipped: DisciplineScores::new(observed, RigorProfile::Shipped),
            signals: signals::find_signals(observed),
            cycles: cycles.collect(),
            plan: plan.into_iter().map(|(item, done)| (item, done.map(id))).collect(),
            states: observed.states.clone(),
            lints: lints::find_lints(run),
            names: ShownStepNumbers::new(observed),
            has_known_steps: observed.has_known_steps(),
        }
    }

    /// Returns the scores by the formulas of a profile.
    pub const fn in_profile(&self, profile: RigorProfile) -> &DisciplineScores {
        match profile {
            RigorProfile::Paper => &self.paper,
            RigorProfile::Shipped => &self.shipped,
        }
    }

    /// Returns the numbers by the paper's formulas; all None where no step is recorded.
    pub fn process_numbers(&self) -> ProcessNumbers {
        if !self.has_known_steps {
            return ProcessNumbers::default();
        }
        let mut pillars = [None; Pillar::ALL.len()];
        for (value, pillar) in pillars.iter_mut().zip(Pillar::ALL) {
            *value = self.paper.pillar_value(pillar);
        }
        let signals = Some(self.signals.len());
        let rigor_score = self.paper.rigor_score();
        ProcessNumbers { rigor_score, pillars, signals, ..ProcessNumbers::default() }
    }
}

/// Numbers of a run's process; None where the recording cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ProcessNumbers {
    /// 0 to 1.
    pub rigor_score: Option<f64>,
    /// The values of the pillars, in the order of [`Pillar::ALL`].
    pub pillars: [Option<f64>; Pillar::ALL.len()],
    pub signals: Option<usize>,
    /// Events of a memory; None where none are recorded.
    pub memory_events: Option<usize>,
    /// The share of evidence cards that were stale when given, 0 to 1; None where no card with a known state is recorded.
    pub stale_rate: Option<f64>,
}

impl ProcessNumbers {
    pub const fn pillar_value(&self, pillar: Pillar) -> Option<f64> {
        self.pillars[pillar as usize]
    }
}
