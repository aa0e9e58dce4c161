//! What the lists hold: a row is where, what and why, and the step that it opens at.

use crate::{
    metrics::{
        decisions::Lane,
        process::{Report, Signal, lints::Lint, pillars::Scored, report::Names},
    },
    run::{Run, StepId, figures},
    session::opening::{Opening, Target},
};

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
    let part = |part: &crate::metrics::process::pillars::Part| Row {
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
    let recovery = |cycle: &crate::metrics::process::report::Loop| {
        let attempts = match cycle.attempts {
            1 => "1 attempt".to_owned(),
            count => format!("{count} attempts"),
        };
        let end = match cycle.recovered {
            Some(step) => format!("recovered at {}", report.names.called(step)),
            None => "not recovered in its turn".into(),
        };
        Row {
            at: report.names.called(cycle.failed),
            kind: "failure".into(),
            words: format!("{attempts}, {end}"),
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

/// One row for each step and decision; of a step that has several the place is said once.
pub fn of_decisions(lane: &Lane) -> Vec<Row> {
    let mut rows = vec![];
    for row in &lane.rows {
        for (at, applied) in row.applied.iter().enumerate() {
            let shown = match applied.shown {
                Some(turn) => format!("shown in turn {}", turn + 1),
                None => "not shown before".into(),
            };
            let past = if applied.is_past { ", past" } else { "" };
            let path = row.paths.first().map(|path| format!("{path}: ")).unwrap_or_default();
            rows.push(Row {
                at: match at {
                    0 => format!("{}.{}", row.step.turn + 1, row.number),
                    _ => String::new(),
                },
                kind: format!("by {}", applied.by),
                words: format!("{path}{}{past}, {shown}", applied.decision),
                step: Some(row.step),
                is_loud: applied.shown.is_none() || applied.is_past,
                ..Row::default()
            });
        }
    }
    rows
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
