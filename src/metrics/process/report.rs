//! Everything that is told of a run's process, worked out once from what was observed.

use super::{
    Discipline, Observed, Pillar, Profile, Signal,
    lints::{self, Lint},
    paper, recovery, signals,
};
use crate::run::{Run, StepId};

/// The process of a run, for who shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub paper: Discipline,
    pub shipped: Discipline,
    pub signals: Vec<Signal>,
    pub cycles: Vec<Loop>,
    /// The longest plan, and the step at which each of its items was done; None where that cannot be told.
    pub plan: Vec<(String, Option<StepId>)>,
    pub lints: Vec<Lint>,
    /// Whether anything is recorded of what was done.
    pub has_steps: bool,
}

/// A cycle of failure and recovery, by its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    pub failed: StepId,
    pub attempts: usize,
    /// None where it did not succeed before the turn ended.
    pub recovered: Option<StepId>,
}

impl Report {
    pub fn of(run: &Run, observed: &Observed) -> Self {
        let id = |at: usize| observed.steps[at].id;
        let cycles = recovery::cycles(observed).into_iter().map(|cycle| Loop {
            failed: id(cycle.failed),
            attempts: cycle.attempts.len(),
            recovered: cycle.recovered.map(id),
        });
        let plan = paper::executed(observed).unwrap_or_default();
        Self {
            paper: Discipline::of(observed, Profile::Paper),
            shipped: Discipline::of(observed, Profile::Shipped),
            signals: signals::all(observed),
            cycles: cycles.collect(),
            plan: plan.into_iter().map(|(item, done)| (item, done.map(id))).collect(),
            lints: lints::of(run),
            has_steps: !observed.steps.is_empty(),
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
        if !self.has_steps {
            return Processed::default();
        }
        let mut pillars = [None; Pillar::ALL.len()];
        for (value, pillar) in pillars.iter_mut().zip(Pillar::ALL) {
            *value = self.paper.value(pillar);
        }
        let signals = Some(self.signals.len());
        Processed { rigor_score: self.paper.rigor_score(), pillars, signals }
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
}

impl Processed {
    pub const fn pillar(&self, pillar: Pillar) -> Option<f64> {
        self.pillars[pillar as usize]
    }
}
