//! Builds the rows of the lists. A row has a place, a kind, a text, and the step that it opens.

use crate::session::replay_opening::{OpeningTarget, ReplayOpening};
use trajview_metrics::{
    decisions::{
        DecisionLane, DecisionVerdict, decision_verdicts,
        step_decisions::{self, AppliedDecision},
    },
    process::{
        CheckedState, ProcessReport, ProcessSignal,
        checked_states::{CheckKind, CheckOutcome, CheckRun},
        lints::RecordingLint,
        pillars::PillarScore,
        report::ShownStepNumbers,
    },
};
use trajview_run::{Run, StepId, format_number, rubric::Evidence};

/// One row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessRow {
    /// The step number such as `12.7`. Empty if there is no step.
    pub place: String,
    /// The kind of thing, in a column of its own.
    pub kind: String,
    pub text: String,
    pub step: Option<StepId>,
    /// The target of the row, if it is not its step.
    pub target: Option<ReplayOpening>,
    /// True if the row is drawn in the colour of a warning.
    pub is_loud: bool,
}

impl ProcessRow {
    /// Returns the target of the row. None if there is nothing to open.
    pub(crate) fn row_opening(self) -> Option<ReplayOpening> {
        let at_step = |step: StepId| ReplayOpening::at_turn(step.turn, OpeningTarget::Step(step));
        self.target.or_else(|| self.step.map(at_step))
    }
}

/// Returns the parts of a formula, then the events that were counted, then where the profiles disagree.
pub(crate) fn pillar_rows(
    run: &Run,
    names: &ShownStepNumbers,
    scored: &PillarScore,
) -> Vec<ProcessRow> {
    let part = |part: &trajview_metrics::process::pillars::PillarPart| ProcessRow {
        kind: part.id.to_owned(),
        text: format!(
            "{}  {}: {}",
            part.value.map_or_else(|| "not recorded".into(), format_number::three_decimals),
            part.what,
            part.why
        ),
        ..ProcessRow::default()
    };
    let mut rows: Vec<ProcessRow> = scored.parts.iter().map(part).collect();
    if scored.is_default {
        let words = "the scorer's default value (no events)".to_owned();
        rows.push(ProcessRow {
            kind: "default".into(),
            text: words,
            is_loud: true,
            ..ProcessRow::default()
        });
    }
    for counted in &scored.counted {
        // Their names are plural.
        let words = match counted.count {
            1 => format!("{}: 1", counted.what),
            count => format!("{} {}", format_number::with_thousands(count as u64), counted.what),
        };
        rows.push(ProcessRow { kind: "counted".into(), text: words, ..ProcessRow::default() });
        // A step that edited several files counts several times, and is one place.
        let mut steps = counted.steps.clone();
        steps.dedup();
        rows.extend(steps.iter().map(|step| ProcessRow {
            place: names.step_label(*step),
            text: run.step(*step).map(|it| it.label.to_string()).unwrap_or_default(),
            step: Some(*step),
            ..ProcessRow::default()
        }));
    }
    rows.push(ProcessRow {
        kind: "profiles".into(),
        text: scored.pillar.profile_difference().to_owned(),
        ..ProcessRow::default()
    });
    rows
}

pub(crate) fn signal_rows(signals: &[ProcessSignal]) -> Vec<ProcessRow> {
    let row = |signal: &ProcessSignal| ProcessRow {
        place: format!("{}.{}", signal.step.turn + 1, signal.number),
        kind: signal.kind.words().to_owned(),
        text: signal.why.clone(),
        step: Some(signal.step),
        is_loud: true,
        ..ProcessRow::default()
    };
    signals.iter().map(row).collect()
}

pub(crate) fn plan_rows(report: &ProcessReport) -> Vec<ProcessRow> {
    let recovery = |cycle: &trajview_metrics::process::report::CycleReport| {
        let attempts = match cycle.attempts {
            1 => "1 attempt".to_owned(),
            count => format!("{count} attempts"),
        };
        let wasted = match cycle.tokens_wasted.filter(|wasted| *wasted > 0) {
            Some(wasted) => format!(", {} tokens wasted", format_number::with_thousands(wasted)),
            None => String::new(),
        };
        let end = match cycle.recovered {
            Some(step) => format!("recovered at {}", report.names.step_label(step)),
            None => "not recovered in its turn".into(),
        };
        ProcessRow {
            place: report.names.step_label(cycle.failed),
            kind: "failure".into(),
            text: format!("{attempts}, {end}{wasted}"),
            step: Some(cycle.failed),
            is_loud: cycle.recovered.is_none(),
            ..ProcessRow::default()
        }
    };
    let planned = |(item, done): &(String, Option<StepId>)| ProcessRow {
        place: done.map(|step| report.names.step_label(step)).unwrap_or_default(),
        kind: if done.is_some() { "planned" } else { "not found" }.into(),
        text: item.clone(),
        step: *done,
        ..ProcessRow::default()
    };
    report.cycles.iter().map(recovery).chain(report.plan.iter().map(planned)).collect()
}

/// Returns one row for each state, by the step that it opens.
pub(crate) fn state_rows(report: &ProcessReport) -> Vec<ProcessRow> {
    let check_words = |check: &CheckRun| {
        let seconds = check
            .seconds
            .map(|it| format!(", {} s", format_number::one_decimal(it)))
            .unwrap_or_default();
        let last = match check.outcome {
            CheckOutcome::Fine => None,
            CheckOutcome::Failed | CheckOutcome::TimedOut | CheckOutcome::NotRun => {
                check.output.lines().last()
            }
        };
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        format!("{} {}{seconds}{last}", check.kind.word(), check.outcome_text())
    };
    let row = |state: &CheckedState| {
        let checks = || CheckKind::ALL.into_iter().filter_map(|kind| state.check_of_kind(kind));
        let words: Vec<String> = checks().map(check_words).collect();
        let bad = checks().any(|check| check.outcome.is_good() != Some(true));
        ProcessRow {
            place: match state.step {
                Some(step) => report.names.step_label(step),
                None => (state.turn + 1).to_string(),
            },
            kind: match (words.is_empty(), bad) {
                (true, _) => "not run",
                (false, true) => "not good",
                (false, false) => "good",
            }
            .into(),
            text: words.join("; "),
            step: state.opens,
            is_loud: bad,
            ..ProcessRow::default()
        }
    };
    report.states.iter().map(row).collect()
}

/// A row of the list of decisions, and the id of its decision.
pub type ListedDecision = (String, ProcessRow);

/// Returns one row for each chain of decisions that replaced each other, then one for each step and decision. The place
/// of a step with several decisions is shown once.
pub fn decision_rows(lane: &DecisionLane) -> Vec<ListedDecision> {
    let mut rows: Vec<ListedDecision> =
        lane.chains.iter().filter_map(|chain| chain_row(lane, chain)).collect();
    for row in &lane.rows {
        for (at, applied) in row.applied.iter().enumerate() {
            let at = if at == 0 { row.step_label() } else { String::new() };
            rows.push((
                applied.decision.clone(),
                ProcessRow { place: at, ..applied_decision_row(lane, row, applied) },
            ));
        }
    }
    rows
}

/// Returns `a → b → c`, which opens where the newest applies first.
fn chain_row(lane: &DecisionLane, chain: &[String]) -> Option<ListedDecision> {
    let newest = chain.last()?;
    let first = lane.first_row(newest);
    let at = first.map(step_decisions::StepDecisions::step_label);
    let words = match &at {
        Some(at) => format!("{}; the newest applies first at {at}", chain.join(" → ")),
        None => format!("{}; the newest applies to no step", chain.join(" → ")),
    };
    let row = ProcessRow {
        place: at.unwrap_or_default(),
        kind: "superseded".into(),
        text: words,
        step: first.map(|row| row.step),
        ..ProcessRow::default()
    };
    Some((newest.clone(), row))
}

fn applied_decision_row(
    lane: &DecisionLane,
    row: &step_decisions::StepDecisions,
    applied: &AppliedDecision,
) -> ProcessRow {
    let shown_text = match applied.shown_in_turn {
        Some(turn) => format!("shown in turn {}", turn + 1),
        None => "not shown before".into(),
    };
    let past = if applied.is_past { ", past" } else { "" };
    let path = row.paths.first().map(|path| format!("{path}: ")).unwrap_or_default();
    let verdict = lane.verdict_after(&applied.decision, row.step);
    let verdict_words = verdict.map(verdict_text).unwrap_or_default();
    ProcessRow {
        place: String::new(),
        kind: verdict.map_or("not judged", |it| decision_verdicts::verdict_word(it.is_kept)).into(),
        text: format!(
            "{path}{} by {}{past}, {shown_text}{verdict_words}",
            applied.decision, applied.match_kind
        ),
        step: Some(row.step),
        is_loud: verdict.is_some_and(|it| it.is_kept == Some(false)),
        ..ProcessRow::default()
    }
}

/// Returns `; quick-reader after turn 56: it is so (src/a.py:3-9)`.
fn verdict_text(kept: &DecisionVerdict) -> String {
    let place = |it: &Evidence| match it.lines {
        Some((start, end)) => format!("{}:{start}-{end}", it.path),
        None => it.path.clone(),
    };
    let places: Vec<String> = kept.evidence.iter().map(place).collect();
    let lines = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
    format!("; {} after turn {}: {}{lines}", kept.judge, kept.turns_done, kept.rationale)
}

pub(crate) fn lint_rows(lints: &[RecordingLint]) -> Vec<ProcessRow> {
    let row = |lint: &RecordingLint| ProcessRow {
        kind: lint.id.to_owned(),
        text: lint.what.clone(),
        is_loud: true,
        ..ProcessRow::default()
    };
    lints.iter().map(row).collect()
}
