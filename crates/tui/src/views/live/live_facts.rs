//! The fact rows on a live run.

use crate::widgets::fact_rows::FactRow;
use trajview_run::format_number;

use super::{LiveTurnState, LiveView};

/// Returns the plan and the usage so far. Values that the agent does not report are "not reported".
pub fn run_facts(live: &LiveView) -> Vec<FactRow> {
    let plan = &live.plan;
    let not_reported = || "not reported by the agent".to_owned();
    let failed = live.turns.iter().filter(|it| matches!(it.state, LiveTurnState::Ended(Some(_))));
    let skipped = live.turns.iter().filter(|it| it.state == LiveTurnState::Skipped).count();
    let mut rows = vec![
        FactRow::new("agent", &*plan.agent),
        FactRow::new("condition", &*plan.condition),
        FactRow::new("output folder", &*plan.out),
        FactRow::new("requests", live.turns.len().to_string()),
        FactRow::new("finished", live.finished_count().to_string()),
        FactRow::new("failed", failed.count().to_string()),
        FactRow::new("skipped", skipped.to_string()),
        FactRow::new(
            "tokens",
            live.spent.tokens.recorded_sum().map_or_else(not_reported, |tokens| tokens.to_string()),
        ),
        FactRow::new(
            "cost",
            live.spent.cost_usd.map_or_else(not_reported, format_number::dollars_text),
        ),
        FactRow::new(
            "limits",
            match plan.limits.as_slice() {
                [] => "none".into(),
                limits => limits.join(", "),
            },
        ),
    ];
    let tests = live.tests.iter();
    rows.extend(tests.map(|it| {
        FactRow::new(
            format!("tests after {}", it.checkpoint),
            format!("{} of {}", it.passed, it.total),
        )
    }));
    if let Some(at) = live.turn_under_way().or_else(|| live.next_request()) {
        let turn = &live.turns[at];
        rows.push(FactRow::new("", ""));
        rows.push(FactRow::heading(match turn.state {
            LiveTurnState::UnderWay => "current request",
            _ => "next request",
        }));
        rows.extend(turn.request.text.lines().map(|line| FactRow::new("", line)));
    }
    rows
}

/// Returns the warnings, the newest first.
pub(crate) fn warning_rows(live: &LiveView) -> Vec<FactRow> {
    if live.warnings.is_empty() {
        return vec![FactRow::new("", "no warnings")];
    }
    live.warnings.iter().rev().map(|words| FactRow::new("", &**words)).collect()
}
