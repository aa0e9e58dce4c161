//! The pillars by the formulas of RigorBench's released scorer (its vectors: `tests/commands/process.rs`). The scorer
//! counts events by their type and uses a fixed value where it finds none.

use super::{
    action::StepAction,
    pillars::{CountedEvents, Pillar, PillarScore},
    step_facts::ObservedRun,
};

/// Scores a pillar by the released scorer's formula.
pub(crate) fn score_pillar(observed: &ObservedRun, pillar: Pillar) -> PillarScore {
    let counted =
        |what: &'static str, actions: &[StepAction]| count_actions(observed, what, actions);
    match pillar {
        Pillar::Planning => {
            let plans = counted("plan-tool calls", &[StepAction::PlanCreated]);
            pillar_score(
                pillar,
                if plans.count > 0 { 0.9 } else { 0.2 },
                plans.count == 0,
                vec![plans],
            )
        }
        Pillar::Verification => {
            let tests = counted("test files written", &[StepAction::TestWritten]);
            pillar_score(pillar, (25.0 * tests.count as f64).min(100.0) / 100.0, false, vec![tests])
        }
        Pillar::Recovery => {
            let errors = counted("errors", &[StepAction::ErrorEncountered]);
            let recoveries = count_recoveries(observed);
            let value = match errors.count {
                0 => 0.5,
                count => (100.0 * recoveries.count as f64 / count as f64).min(100.0) / 100.0,
            };
            pillar_score(pillar, value, errors.count == 0, vec![errors, recoveries])
        }
        Pillar::Abstention => {
            let declared = counted("abstentions", &[StepAction::AbstentionDeclared]);
            let value = if declared.count > 0 { 1.0 } else { 0.5 };
            pillar_score(pillar, value, declared.count == 0, vec![declared])
        }
        Pillar::Transitions => {
            let validated = counted("checkpoints validated", &[StepAction::CheckpointValidated]);
            let value = (20.0 * validated.count as f64 + 40.0).min(100.0) / 100.0;
            pillar_score(pillar, value, validated.count == 0, vec![validated])
        }
        Pillar::Assertions => {
            let asserts = observed.code.map(|code| code.shipped).unwrap_or_default();
            let value = asserts
                .assertion_density()
                .map(|density| (100.0 * density / 5.0).min(100.0) / 100.0);
            let counts =
                [("test functions", asserts.functions), ("meaningful assertions", asserts.asserts)];
            let counts = counts.map(|(what, count)| CountedEvents { what, count, steps: vec![] });
            pillar_score(pillar, value.unwrap_or(0.5), value.is_none(), counts.into())
        }
        Pillar::Exploration => {
            let changes =
                [StepAction::FileModified, StepAction::TestWritten, StepAction::PlanCreated];
            let (changed, read) =
                (counted("changes", &changes), counted("reads", &[StepAction::FileRead]));
            let all = changed.count + read.count;
            let value = if all == 0 { 0.5 } else { changed.count as f64 / all as f64 };
            pillar_score(pillar, value, all == 0, vec![changed, read])
        }
    }
}

/// Counts recoveries: steps of their own type where these are recorded, else the first step after the failure of each
/// cycle.
fn count_recoveries(observed: &ObservedRun) -> CountedEvents {
    let recorded = count_actions(observed, "recoveries", &[StepAction::RecoveryAttempted]);
    if recorded.count > 0 || observed.steps.iter().any(|step| step.is_recorded) {
        return recorded;
    }
    let cycles = super::recovery::find_cycles(observed);
    let first = |cycle: &super::RecoveryCycle| {
        Some(observed.steps.get(cycle.attempts.first()?.steps.0)?.id)
    };
    let steps: Vec<_> = cycles.iter().filter_map(first).collect();
    CountedEvents { what: "recoveries", count: steps.len(), steps }
}

/// Counts events of these types, one for each type that a step has.
pub(super) fn count_actions(
    observed: &ObservedRun,
    what: &'static str,
    actions: &[StepAction],
) -> CountedEvents {
    let matching_actions = |step: &super::StepFacts| {
        let count = step.actions.iter().filter(|action| actions.contains(action)).count();
        std::iter::repeat_n(step.id, count)
    };
    let steps: Vec<_> = observed.steps.iter().flat_map(matching_actions).collect();
    CountedEvents { what, count: steps.len(), steps }
}

fn pillar_score(
    pillar: Pillar,
    value: f64,
    is_default: bool,
    counted: Vec<CountedEvents>,
) -> PillarScore {
    PillarScore { pillar, value: Some(value), is_default, parts: vec![], counted }
}
