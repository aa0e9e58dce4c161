//! The pillars as RigorBench's released scorer has them (its vectors: `tests/commands/process.rs`). It counts events by their
//! type and puts a fixed value where it finds none.

use super::{
    action::Action,
    observed::Observed,
    pillars::{Counted, Pillar, Scored},
};

pub fn score(observed: &Observed, pillar: Pillar) -> Scored {
    let counted = |what: &'static str, actions: &[Action]| count(observed, what, actions);
    match pillar {
        Pillar::Planning => {
            let plans = counted("plans created", &[Action::PlanCreated]);
            scored(pillar, if plans.count > 0 { 0.9 } else { 0.2 }, plans.count == 0, vec![plans])
        }
        Pillar::Verification => {
            let tests = counted("test files written", &[Action::TestWritten]);
            scored(pillar, (25.0 * tests.count as f64).min(100.0) / 100.0, false, vec![tests])
        }
        Pillar::Recovery => {
            let errors = counted("errors", &[Action::ErrorEncountered]);
            let recoveries = recoveries(observed);
            let value = match errors.count {
                0 => 0.5,
                count => (100.0 * recoveries.count as f64 / count as f64).min(100.0) / 100.0,
            };
            scored(pillar, value, errors.count == 0, vec![errors, recoveries])
        }
        Pillar::Abstention => {
            let declared = counted("abstentions", &[Action::AbstentionDeclared]);
            let value = if declared.count > 0 { 1.0 } else { 0.5 };
            scored(pillar, value, declared.count == 0, vec![declared])
        }
        Pillar::Transitions => {
            let validated = counted("checkpoints validated", &[Action::CheckpointValidated]);
            let value = (20.0 * validated.count as f64 + 40.0).min(100.0) / 100.0;
            scored(pillar, value, validated.count == 0, vec![validated])
        }
        Pillar::Assertions => {
            let asserts = observed.code.map(|code| code.shipped).unwrap_or_default();
            let value = asserts.density().map(|density| (100.0 * density / 5.0).min(100.0) / 100.0);
            let counts =
                [("test functions", asserts.functions), ("meaningful assertions", asserts.asserts)];
            let counts = counts.map(|(what, count)| Counted { what, count, steps: vec![] });
            scored(pillar, value.unwrap_or(0.5), value.is_none(), counts.into())
        }
        Pillar::Exploration => {
            let changes = [Action::FileModified, Action::TestWritten, Action::PlanCreated];
            let (changed, read) =
                (counted("changes", &changes), counted("reads", &[Action::FileRead]));
            let all = changed.count + read.count;
            let value = if all == 0 { 0.5 } else { changed.count as f64 / all as f64 };
            scored(pillar, value, all == 0, vec![changed, read])
        }
    }
}

/// Recoveries are recorded by their own type; else each cycle's first step after the failure is one.
fn recoveries(observed: &Observed) -> Counted {
    let recorded = count(observed, "recoveries", &[Action::RecoveryAttempted]);
    if recorded.count > 0 || observed.steps.iter().any(|step| step.is_recorded) {
        return recorded;
    }
    let cycles = super::recovery::cycles(observed);
    let first =
        |cycle: &super::Cycle| Some(observed.steps.get(cycle.attempts.first()?.steps.0)?.id);
    let steps: Vec<_> = cycles.iter().filter_map(first).collect();
    Counted { what: "recoveries", count: steps.len(), steps }
}

/// Events of these types, one for each type that a step has.
pub(super) fn count(observed: &Observed, what: &'static str, actions: &[Action]) -> Counted {
    let of = |step: &super::StepFacts| {
        let count = step.actions.iter().filter(|action| actions.contains(action)).count();
        std::iter::repeat_n(step.id, count)
    };
    let steps: Vec<_> = observed.steps.iter().flat_map(of).collect();
    Counted { what, count: steps.len(), steps }
}

fn scored(pillar: Pillar, value: f64, is_default: bool, counted: Vec<Counted>) -> Scored {
    Scored { pillar, value: Some(value), is_default, parts: vec![], counted }
}
