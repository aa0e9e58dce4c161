//! What the lists hold: a row is where, what and why, and the step that it opens at.

use crate::session::opening::{Opening, Target};
use trajview_metrics::{
    decisions::{
        Kept, Lane, kept,
        lane::{self, Applied},
    },
    process::{
        Report, Signal, State,
        lints::Lint,
        pillars::Scored,
        report::Names,
        states::{Check, CheckKind, CheckOutcome},
    },
};
use trajview_run::{Run, StepId, figures, rubric::Evidence};

/// One row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// `12.7`; empty where there is no step.
    pub at: String,
    /// The kind of thing, in a column of its own.
    pub kind: String,
    pub words: String,
    pub step: Option<StepId>,
    /// Where it opens, where that is not its step.
    pub opens: Option<Opening>,
    /// Whether it is worth a warning's colour.
    pub is_loud: bool,
}

impl Row {
    /// None where there is nothing to open.
    pub fn opening(self) -> Option<Opening> {
        let at_step = |step: StepId| Opening::at(step.turn, Target::Step(step));
        self.opens.or_else(|| self.step.map(at_step))
    }
}

/// The parts of a formula, then the events that were counted, then where the profiles disagree.
pub fn of_pillar(run: &Run, names: &Names, scored: &Scored) -> Vec<Row> {
    let part = |part: &trajview_metrics::process::pillars::Part| Row {
        kind: part.id.to_owned(),
        words: format!(
            "{}  {}: {}",
            part.value.map_or_else(|| "not recorded".into(), figures::share),
            part.what,
            part.why
        ),
        ..Row::default()
    };
    let mut rows: Vec<Row> = scored.parts.iter().map(part).collect();
    if scored.is_default {
        let words = "the scorer's value where it counted nothing".to_owned();
        rows.push(Row { kind: "default".into(), words, is_loud: true, ..Row::default() });
    }
    for counted in &scored.counted {
        let words = format!("{} {}", counted.count, counted.what);
        rows.push(Row { kind: "counted".into(), words, ..Row::default() });
        rows.extend(counted.steps.iter().map(|step| Row {
            at: names.called(*step),
            words: run.step(*step).map(|it| it.label.to_string()).unwrap_or_default(),
            step: Some(*step),
            ..Row::default()
        }));
    }
    rows.push(Row {
        kind: "profiles".into(),
        words: scored.pillar.disagreement().to_owned(),
        ..Row::default()
    });
    rows
}

pub fn of_signals(signals: &[Signal]) -> Vec<Row> {
    let row = |signal: &Signal| Row {
        at: format!("{}.{}", signal.step.turn + 1, signal.number),
        kind: signal.kind.words().to_owned(),
        words: signal.why.clone(),
        step: Some(signal.step),
        is_loud: true,
        ..Row::default()
    };
    signals.iter().map(row).collect()
}

pub fn of_plan(report: &Report) -> Vec<Row> {
    let recovery = |cycle: &trajview_metrics::process::report::Loop| {
        let attempts = match cycle.attempts {
            1 => "1 attempt".to_owned(),
            count => format!("{count} attempts"),
        };
        let wasted = match cycle.tokens_wasted.filter(|wasted| *wasted > 0) {
            Some(wasted) => format!(", {} tokens wasted", figures::count(wasted)),
            None => String::new(),
        };
        let end = match cycle.recovered {
            Some(step) => format!("recovered at {}", report.names.called(step)),
            None => "not recovered in its turn".into(),
        };
        Row {
            at: report.names.called(cycle.failed),
            kind: "failure".into(),
            words: format!("{attempts}, {end}{wasted}"),
            step: Some(cycle.failed),
            is_loud: cycle.recovered.is_none(),
            ..Row::default()
        }
    };
    let planned = |(item, done): &(String, Option<StepId>)| Row {
        at: done.map(|step| report.names.called(step)).unwrap_or_default(),
        kind: if done.is_some() { "planned" } else { "not found" }.into(),
        words: item.clone(),
        step: *done,
        ..Row::default()
    };
    report.cycles.iter().map(recovery).chain(report.plan.iter().map(planned)).collect()
}

/// One row for each state, by the step that it opens at.
pub fn of_states(report: &Report) -> Vec<Row> {
    let said = |check: &Check| {
        let seconds =
            check.seconds.map(|it| format!(", {} s", figures::tenths(it))).unwrap_or_default();
        let last = match check.outcome {
            CheckOutcome::Fine => None,
            CheckOutcome::Failed | CheckOutcome::TimedOut | CheckOutcome::NotRun => {
                check.output.lines().last()
            }
        };
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        format!("{} {}{seconds}{last}", check.kind.word(), check.words())
    };
    let row = |state: &State| {
        let checks = || CheckKind::ALL.into_iter().filter_map(|kind| state.check(kind));
        let words: Vec<String> = checks().map(said).collect();
        let bad = checks().any(|check| check.outcome.is_good() != Some(true));
        Row {
            at: match state.step {
                Some(step) => report.names.called(step),
                None => (state.turn + 1).to_string(),
            },
            kind: match (words.is_empty(), bad) {
                (true, _) => "not run",
                (false, true) => "not good",
                (false, false) => "good",
            }
            .into(),
            words: words.join("; "),
            step: state.opens,
            is_loud: bad,
            ..Row::default()
        }
    };
    report.states.iter().map(row).collect()
}

/// A row of the list of decisions, and the id of its decision.
pub type DecisionRow = (String, Row);

/// One row for each chain of decisions that took each other's place, then one for each step and decision; of a step that has
/// several the place is said once.
pub fn of_decisions(lane: &Lane) -> Vec<DecisionRow> {
    let mut rows: Vec<DecisionRow> =
        lane.chains.iter().filter_map(|chain| of_chain(lane, chain)).collect();
    for row in &lane.rows {
        for (at, applied) in row.applied.iter().enumerate() {
            let at = if at == 0 { row.called() } else { String::new() };
            rows.push((applied.decision.clone(), Row { at, ..of_applied(lane, row, applied) }));
        }
    }
    rows
}

/// `a → b → c`, which opens where the newest applies first.
fn of_chain(lane: &Lane, chain: &[String]) -> Option<DecisionRow> {
    let newest = chain.last()?;
    let first = lane.first(newest);
    let at = first.map(lane::Row::called);
    let words = match &at {
        Some(at) => format!("{}; the newest applies first at {at}", chain.join(" → ")),
        None => format!("{}; the newest applies to no step", chain.join(" → ")),
    };
    let row = Row {
        at: at.unwrap_or_default(),
        kind: "superseded".into(),
        words,
        step: first.map(|row| row.step),
        ..Row::default()
    };
    Some((newest.clone(), row))
}

fn of_applied(lane: &Lane, row: &lane::Row, applied: &Applied) -> Row {
    let shown = match applied.shown {
        Some(turn) => format!("shown in turn {}", turn + 1),
        None => "not shown before".into(),
    };
    let past = if applied.is_past { ", past" } else { "" };
    let path = row.paths.first().map(|path| format!("{path}: ")).unwrap_or_default();
    let kept = lane.kept(&applied.decision, row.step);
    let said = kept.map(said).unwrap_or_default();
    Row {
        at: String::new(),
        kind: kept.map_or("not judged", |it| kept::word(it.kept)).into(),
        words: format!("{path}{} by {}{past}, {shown}{said}", applied.decision, applied.by),
        step: Some(row.step),
        is_loud: kept.is_some_and(|it| it.kept == Some(false)),
        ..Row::default()
    }
}

/// `; quick-reader after turn 56: it is so (src/a.py:3-9)`
fn said(kept: &Kept) -> String {
    let place = |it: &Evidence| match it.lines {
        Some((start, end)) => format!("{}:{start}-{end}", it.path),
        None => it.path.clone(),
    };
    let places: Vec<String> = kept.evidence.iter().map(place).collect();
    let lines = if places.is_empty() { String::new() } else { format!(" ({})", places.join(", ")) };
    format!("; {} after turn {}: {}{lines}", kept.judge, kept.done, kept.rationale)
}

pub fn of_lints(lints: &[Lint]) -> Vec<Row> {
    let row = |lint: &Lint| Row {
        kind: lint.id.to_owned(),
        words: lint.what.clone(),
        is_loud: true,
        ..Row::default()
    };
    lints.iter().map(row).collect()
}
