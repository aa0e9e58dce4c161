//! Everything that is told of a run's process, worked out once from what was observed.

use std::collections::HashMap;

use super::{
    Discipline, Observed, Pillar, Profile, Signal, State,
    lints::{self, Lint},
    paper, recovery, signals,
};
use trajview_run::{Run, StepId};

/// The process of a run, for who shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub paper: Discipline,
    pub shipped: Discipline,
    pub signals: Vec<Signal>,
    pub cycles: Vec<Loop>,
    /// The longest plan, and the step at which each of its items was done; None where that cannot be told.
    pub plan: Vec<(String, Option<StepId>)>,
    /// Whether the files of each moment build and pass, as far as commands were run on request; empty where none was.
    pub states: Vec<State>,
    pub lints: Vec<Lint>,
    pub names: Names,
    /// Whether the recording tells of anything that was done.
    pub tells_steps: bool,
}

/// How the steps of a run are called: `12.7` is the seventh step of turn 12.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names(HashMap<StepId, usize>);

impl Names {
    fn of(observed: &Observed) -> Self {
        Self(observed.steps.iter().map(|step| (step.id, step.number)).collect())
    }

    pub fn called(&self, step: StepId) -> String {
        let number = self.0.get(&step).copied().unwrap_or(step.step + 1);
        format!("{}.{number}", step.turn + 1)
    }
}

/// A cycle of failure and recovery, by its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    pub failed: StepId,
    pub attempts: usize,
    /// Attempts that did something else than those before.
    pub strategies: usize,
    /// None where it did not succeed before the turn ended.
    pub recovered: Option<StepId>,
    /// Tokens of the attempts that failed; None where tokens are not recorded.
    pub tokens_wasted: Option<u64>,
}

impl Report {
    pub fn of(run: &Run, observed: &Observed) -> Self {
        let id = |at: usize| observed.steps[at].id;
        let cycles = recovery::cycles(observed).into_iter().map(|cycle| Loop {
            failed: id(cycle.failed),
            attempts: cycle.attempts.len(),
            strategies: cycle.strategies(),
            tokens_wasted: cycle.wasted(observed),
            recovered: cycle.recovered.map(id),
        });
        let plan = paper::executed(observed).unwrap_or_default();
        Self {
            paper: Discipline::of(observed, Profile::Paper),
            shipped: Discipline::of(observed, Profile::Shipped),
            signals: signals::all(observed),
            cycles: cycles.collect(),
            plan: plan.into_iter().map(|(item, done)| (item, done.map(id))).collect(),
            states: observed.states.clone(),
            lints: lints::of(run),
            names: Names::of(observed),
            tells_steps: observed.tells_steps(),
        }
    }

    pub const fn in_profile(&self, profile: Profile) -> &Discipline {
        match profile {
            Profile::Paper => &self.paper,
            Profile::Shipped => &self.shipped,
        }
    }

    /// The numbers of it, by the paper's formulas; None of them where no step is recorded.
    pub fn numbers(&self) -> Processed {
        if !self.tells_steps {
            return Processed::default();
        }
        let mut pillars = [None; Pillar::ALL.len()];
        for (value, pillar) in pillars.iter_mut().zip(Pillar::ALL) {
            *value = self.paper.value(pillar);
        }
        let signals = Some(self.signals.len());
        let rigor_score = self.paper.rigor_score();
        Processed { rigor_score, pillars, signals, ..Processed::default() }
    }
}

/// Numbers of a run's process; None where the recording cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Processed {
    /// 0 to 1.
    pub rigor_score: Option<f64>,
    /// In the order of [`Pillar::ALL`].
    pub pillars: [Option<f64>; Pillar::ALL.len()],
    pub signals: Option<usize>,
    /// Events of a memory; None where none are recorded.
    pub memory_events: Option<usize>,
    /// The share of evidence cards that were stale when given, 0 to 1; None where no card with a known state is recorded.
    pub stale_rate: Option<f64>,
}

impl Processed {
    pub const fn pillar(&self, pillar: Pillar) -> Option<f64> {
        self.pillars[pillar as usize]
    }
}
