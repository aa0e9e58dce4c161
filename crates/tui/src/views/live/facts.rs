//! What a box tells of a run that is being made.

use crate::{session::live::How, widgets::facts::Row};
use trajview_run::figures;

use super::{Live, State};

/// What is being done, and what it took so far. What the agent does not say is "not told".
pub fn of(live: &Live) -> Vec<Row> {
    let plan = &live.plan;
    let not_told = || "not told by the agent".to_owned();
    let failed = live.turns.iter().filter(|it| matches!(it.state, State::Ended(How::Failed(_))));
    let skipped = live.turns.iter().filter(|it| it.state == State::Skipped).count();
    let mut rows = vec![
        Row::of("agent", &*plan.agent),
        Row::of("condition", &*plan.condition),
        Row::of("recorded in", &*plan.out),
        Row::of("requests", live.turns.len().to_string()),
        Row::of("over", live.done().to_string()),
        Row::of("of them failed", failed.count().to_string()),
        Row::of("of them skipped", skipped.to_string()),
        Row::of("tokens", live.spent.tokens.map_or_else(not_told, |tokens| tokens.to_string())),
        Row::of("cost", live.spent.cost.map_or_else(not_told, figures::dollars)),
        Row::of(
            "stops at",
            match plan.limits.as_slice() {
                [] => "no limit".into(),
                limits => limits.join(", "),
            },
        ),
    ];
    let tests = live.tests.iter();
    rows.extend(tests.map(|it| {
        Row::of(format!("tests after {}", it.checkpoint), format!("{} of {}", it.passed, it.total))
    }));
    if let Some(at) = live.under_way().or_else(|| live.next()) {
        let turn = &live.turns[at];
        rows.push(Row::of("", ""));
        rows.push(Row::heading(match turn.state {
            State::UnderWay => "the request under way",
            _ => "the next request",
        }));
        rows.extend(turn.asked.text.lines().map(|line| Row::of("", line)));
    }
    rows
}

/// The newest first.
pub fn warnings(live: &Live) -> Vec<Row> {
    if live.warnings.is_empty() {
        return vec![Row::of("", "nothing to warn of")];
    }
    live.warnings.iter().rev().map(|words| Row::of("", &**words)).collect()
}
