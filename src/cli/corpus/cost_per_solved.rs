//! The cost of a solved checkpoint, in the JSON and the tables of `corpus`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{
    output::{OutputTable, TableColumn, cell_or_dash},
    resampling::with_interval,
};
use trajview_metrics::cost::{Prices, RunCost};
use trajview_run::{Checkpoint, Run};
use trajview_study::{
    BootstrapPlan, Interval, Undefined,
    pairing::PairingKey,
    solved_cost::{CostOfSolved, RunSpending, costs_of_solved},
    undefined_reasons,
};

/// The cost of a run, and the checkpoints it solved.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct SpentRow {
    #[serde(skip)]
    pub recorded_usd: Option<f64>,
    /// Cost at list prices. Null if a token has no price, and without tokens.
    pub cost_computed_usd: Option<f64>,
    pub not_priced_tokens: u64,
    /// Checkpoints of which every test passed, those of earlier checkpoints included. Null if none has tests.
    pub solved_checkpoints: Option<u64>,
}

/// The cost of solved checkpoints over the runs of one agent under one condition.
#[derive(Serialize)]
pub struct CostPerSolvedRow {
    pub agent: Option<String>,
    pub condition: Option<String>,
    /// By the cost that the recordings have.
    pub recorded: CostBasisRow,
    /// By the cost at list prices.
    pub computed: CostBasisRow,
    /// True if one of the runs has tests.
    #[serde(skip)]
    is_tested: bool,
}

/// The cost on one basis, recorded or computed; the two are never mixed.
#[derive(Serialize)]
pub struct CostBasisRow {
    /// US dollars: all of them by all solved checkpoints.
    pub usd_per_solved: Option<f64>,
    /// BCa interval over tasks.
    pub ci95: Option<Interval>,
    /// US dollars of the runs that count. Null if none does.
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
    pub fn for_run(run: &Run, prices: &Prices) -> Self {
        let computed = RunCost::new(run, prices).total_sum();
        Self {
            recorded_usd: run.cost_usd(),
            cost_computed_usd: computed.usd(),
            not_priced_tokens: computed.not_priced_tokens(),
            solved_checkpoints: solved_checkpoints(&run.checkpoints),
        }
    }
}

/// Counts the checkpoints whose tests could be run and all passed. None if no checkpoint has such tests.
fn solved_checkpoints(checkpoints: &[Checkpoint]) -> Option<u64> {
    let tests = checkpoints.iter().filter_map(|it| it.last_record()?.tests.as_ref());
    let mut tests = tests
        .filter(|tests| !tests.infrastructure_failure && tests.strict.total > 0)
        .map(|tests| tests.strict.passed >= tests.strict.total)
        .peekable();
    tests.peek()?;
    Some(tests.filter(|passed| *passed).count() as u64)
}

/// Makes a row for each agent and condition, in that order.
pub(crate) fn cost_per_solved_rows(
    runs: &[(PairingKey, SpentRow)],
    plan: &BootstrapPlan,
) -> Vec<CostPerSolvedRow> {
    let costs_by = |usd: fn(&SpentRow) -> Option<f64>| {
        let bought = |(key, spent): &(PairingKey, SpentRow)| RunSpending {
            key: key.clone(),
            usd: usd(spent),
            solved: spent.solved_checkpoints,
        };
        costs_of_solved(&runs.iter().map(bought).collect::<Vec<_>>(), plan)
    };
    let recorded = costs_by(|spent| spent.recorded_usd);
    let computed = costs_by(|spent| spent.cost_computed_usd);
    // Both come from the same runs, so they have the same groups in the same order.
    let pairs = recorded.into_iter().zip(computed);
    let is_tested = |row: &CostOfSolved| {
        runs.iter().any(|(key, spent)| {
            let is_meant = key.agent == row.agent && key.condition == row.condition;
            is_meant && spent.solved_checkpoints.is_some()
        })
    };
    pairs
        .map(|(recorded, computed)| CostPerSolvedRow {
            is_tested: is_tested(&recorded),
            agent: recorded.agent.clone(),
            condition: recorded.condition.clone(),
            recorded: CostBasisRow::new(&recorded),
            computed: CostBasisRow::new(&computed),
        })
        .collect()
}

impl CostPerSolvedRow {
    /// Returns whether any of the runs has both a cost and tests.
    pub fn is_known(&self) -> bool {
        self.recorded.runs + self.computed.runs > 0
    }
}

impl CostBasisRow {
    fn new(row: &CostOfSolved) -> Self {
        Self {
            usd_per_solved: row.estimate.value.ok(),
            ci95: row.estimate.interval.ok(),
            usd: row.usd,
            solved: row.solved,
            runs: row.runs,
            tasks: row.tasks,
            without_cost: row.without_cost,
            without_tests: row.without_tests,
            not_defined: undefined_reasons([
                ("usd_per_solved", row.estimate.value.err()),
                ("ci95", row.estimate.interval.err()),
            ]),
        }
    }

    /// Returns `0.612 [0.430, 0.794]`, or why there is none.
    fn cost_cell(&self) -> String {
        match self.not_defined.get("usd_per_solved") {
            Some(why) => why.to_string(),
            None => with_interval(self.usd_per_solved, self.ci95),
        }
    }

    fn counts_cell(&self) -> String {
        format!("{} in {}", self.runs, self.tasks)
    }
}

/// The columns of the CSV, with a row for each agent and condition.
pub(crate) const CSV_COLUMNS: &str = "agent condition recorded_usd_per_solved=recorded.usd_per_solved recorded_ci95_low=recorded.ci95.0 \
    recorded_ci95_high=recorded.ci95.1 recorded_usd=recorded.usd recorded_solved=recorded.solved recorded_runs=recorded.runs \
    recorded_tasks=recorded.tasks recorded_why=recorded.not_defined computed_usd_per_solved=computed.usd_per_solved \
    computed_ci95_low=computed.ci95.0 computed_ci95_high=computed.ci95.1 computed_usd=computed.usd \
    computed_solved=computed.solved computed_runs=computed.runs computed_tasks=computed.tasks computed_why=computed.not_defined \
    without_tests=recorded.without_tests";

/// Makes a table of the rows that have a run with tests.
pub(crate) fn cost_per_solved_table(rows: &[CostPerSolvedRow]) -> OutputTable {
    let columns: [TableColumn<'_, CostPerSolvedRow>; 7] = [
        ("agent", &|it| cell_or_dash(it.agent.as_ref())),
        ("condition", &|it| cell_or_dash(it.condition.as_ref())),
        ("recorded USD", &|it| it.recorded.cost_cell()),
        (">runs in tasks", &|it| it.recorded.counts_cell()),
        ("computed USD", &|it| it.computed.cost_cell()),
        (">runs in tasks", &|it| it.computed.counts_cell()),
        (">without tests", &|it| it.recorded.without_tests.to_string()),
    ];
    OutputTable::from_rows(&columns, rows.iter().filter(|row| row.is_tested)).with_keys(2)
}
