//! What a solved checkpoint costs, in the JSON and the tables of `corpus`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{
    output::{Column, Table, dash},
    resampling::with_interval,
};
use trajview_metrics::cost::{Prices, RunCost};
use trajview_run::{Checkpoint, Run};
use trajview_study::{
    Interval, Plan, Undefined,
    pairing::Key,
    reasons,
    solved::{Bought, CostOfSolved, costs_of_solved},
};

/// What a run cost and what it solved.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct SpentRow {
    #[serde(skip)]
    pub recorded_usd: Option<f64>,
    /// At list prices; null where a token has no price, and without tokens.
    pub cost_computed_usd: Option<f64>,
    pub not_priced_tokens: u64,
    /// Checkpoints of which every test passed, those of earlier checkpoints included; null where none has tests.
    pub solved_checkpoints: Option<u64>,
}

/// Of the runs of one agent under one condition.
#[derive(Serialize)]
pub struct SolvedRow {
    pub agent: Option<String>,
    pub condition: Option<String>,
    /// By what the recordings say that the runs cost.
    pub recorded: BasisRow,
    /// By what they cost at list prices.
    pub computed: BasisRow,
    /// Whether a run of them has tests.
    #[serde(skip)]
    is_tested: bool,
}

/// By one way of knowing what runs cost; the two are never mixed.
#[derive(Serialize)]
pub struct BasisRow {
    /// US dollars: all of them by all solved checkpoints.
    pub usd_per_solved: Option<f64>,
    /// Over tasks, BCa.
    pub ci95: Option<Interval>,
    /// Of the runs that count; null where none does.
    pub usd: Option<f64>,
    pub solved: Option<u64>,
    pub runs: usize,
    pub tasks: usize,
    /// Runs left out.
    pub without_cost: usize,
    pub without_tests: usize,
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

impl SpentRow {
    pub fn of(run: &Run, prices: &Prices) -> Self {
        let computed = RunCost::of(run, prices).total();
        Self {
            recorded_usd: run.cost_usd(),
            cost_computed_usd: computed.usd(),
            not_priced_tokens: computed.not_priced_tokens(),
            solved_checkpoints: solved(&run.checkpoints),
        }
    }
}

/// How many of those with tests that could be run passed all of them; None where there are none.
fn solved(checkpoints: &[Checkpoint]) -> Option<u64> {
    let tests = checkpoints.iter().filter_map(|it| it.last_record()?.tests.as_ref());
    let mut tests = tests
        .filter(|tests| !tests.infrastructure_failure && tests.strict.total > 0)
        .map(|tests| tests.strict.passed >= tests.strict.total)
        .peekable();
    tests.peek()?;
    Some(tests.filter(|passed| *passed).count() as u64)
}

/// By agent, then condition.
pub fn rows(runs: &[(Key, SpentRow)], plan: &Plan) -> Vec<SolvedRow> {
    let by = |usd: fn(&SpentRow) -> Option<f64>| {
        let bought = |(key, spent): &(Key, SpentRow)| Bought {
            key: key.clone(),
            usd: usd(spent),
            solved: spent.solved_checkpoints,
        };
        costs_of_solved(&runs.iter().map(bought).collect::<Vec<_>>(), plan)
    };
    let recorded = by(|spent| spent.recorded_usd);
    let computed = by(|spent| spent.cost_computed_usd);
    // Both are of the same runs, so they have the same groups in the same order.
    let pairs = recorded.into_iter().zip(computed);
    let is_tested = |row: &CostOfSolved| {
        runs.iter().any(|(key, spent)| {
            let is_meant = key.agent == row.agent && key.condition == row.condition;
            is_meant && spent.solved_checkpoints.is_some()
        })
    };
    pairs
        .map(|(recorded, computed)| SolvedRow {
            is_tested: is_tested(&recorded),
            agent: recorded.agent.clone(),
            condition: recorded.condition.clone(),
            recorded: BasisRow::of(&recorded),
            computed: BasisRow::of(&computed),
        })
        .collect()
}

impl SolvedRow {
    /// Whether any run of them has both a cost and tests.
    pub fn is_known(&self) -> bool {
        self.recorded.runs + self.computed.runs > 0
    }
}

impl BasisRow {
    fn of(row: &CostOfSolved) -> Self {
        Self {
            usd_per_solved: row.estimate.value.ok(),
            ci95: row.estimate.interval.ok(),
            usd: row.usd,
            solved: row.solved,
            runs: row.runs,
            tasks: row.tasks,
            without_cost: row.without_cost,
            without_tests: row.without_tests,
            not_defined: reasons([
                ("usd_per_solved", row.estimate.value.err()),
                ("ci95", row.estimate.interval.err()),
            ]),
        }
    }

    /// `0.612 [0.430, 0.794]`, or why there is none.
    fn said(&self) -> String {
        match self.not_defined.get("usd_per_solved") {
            Some(why) => why.to_string(),
            None => with_interval(self.usd_per_solved, self.ci95),
        }
    }

    fn counted(&self) -> String {
        format!("{} in {}", self.runs, self.tasks)
    }
}

/// Of a row an agent and condition.
pub const CSV: &str = "agent condition recorded_usd_per_solved=recorded.usd_per_solved recorded_ci95_low=recorded.ci95.0 \
    recorded_ci95_high=recorded.ci95.1 recorded_usd=recorded.usd recorded_solved=recorded.solved recorded_runs=recorded.runs \
    recorded_tasks=recorded.tasks recorded_why=recorded.not_defined computed_usd_per_solved=computed.usd_per_solved \
    computed_ci95_low=computed.ci95.0 computed_ci95_high=computed.ci95.1 computed_usd=computed.usd \
    computed_solved=computed.solved computed_runs=computed.runs computed_tasks=computed.tasks computed_why=computed.not_defined \
    without_tests=recorded.without_tests";

/// Those of whose runs some have tests.
pub fn table(rows: &[SolvedRow]) -> Table {
    let columns: [Column<'_, SolvedRow>; 7] = [
        ("agent", &|it| dash(it.agent.as_ref())),
        ("condition", &|it| dash(it.condition.as_ref())),
        ("recorded USD", &|it| it.recorded.said()),
        (">runs in tasks", &|it| it.recorded.counted()),
        ("computed USD", &|it| it.computed.said()),
        (">runs in tasks", &|it| it.computed.counted()),
        (">without tests", &|it| it.recorded.without_tests.to_string()),
    ];
    Table::of(&columns, rows.iter().filter(|row| row.is_tested)).keyed(2)
}
