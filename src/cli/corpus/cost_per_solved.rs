//! The cost of a solved checkpoint, in the JSON and the tables of `corpus`.

use serde::Serialize;

use crate::cli::output::{Json, OutputTable, TableColumn, record};
use trajview_metrics::cost::{Prices, RunCost};
use trajview_run::{Checkpoint, Run};
use trajview_study::{
    BootstrapPlan,
    pairing::PairingKey,
    solved_cost::{CostOfSolved, RunSpending, costs_of_solved},
    undefined_reasons,
};

use super::run_facts::CorpusRunFacts;

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

/// Makes a row for each agent and condition, in that order. Recorded and computed costs are never mixed.
pub(crate) fn cost_per_solved_rows(
    runs: &[(PairingKey, SpentRow)],
    plan: &BootstrapPlan,
) -> Vec<Json> {
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
    let pairs = recorded.iter().zip(&computed);
    pairs
        .map(|(recorded, computed)| {
            record! {
                agent: recorded.agent,
                condition: recorded.condition,
                recorded: cost_record(recorded),
                computed: cost_record(computed),
            }
        })
        .collect()
}

/// Returns the JSON of a cost: `usd_per_solved` is all dollars of the runs that count by all checkpoints that they
/// solved.
fn cost_record(row: &CostOfSolved) -> Json {
    record! {
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

/// The columns of the CSV, with a row for each agent and condition.
pub(crate) const CSV_COLUMNS: &str = "agent condition recorded_usd_per_solved=recorded.usd_per_solved recorded_ci95_low=recorded.ci95.0 \
    recorded_ci95_high=recorded.ci95.1 recorded_usd=recorded.usd recorded_solved=recorded.solved recorded_runs=recorded.runs \
    recorded_tasks=recorded.tasks recorded_why=recorded.not_defined computed_usd_per_solved=computed.usd_per_solved \
    computed_ci95_low=computed.ci95.0 computed_ci95_high=computed.ci95.1 computed_usd=computed.usd \
    computed_solved=computed.solved computed_runs=computed.runs computed_tasks=computed.tasks computed_why=computed.not_defined \
    without_tests=recorded.without_tests";

/// Makes a table of the rows that have a run with tests. None if no run has both a cost and tests.
pub(crate) fn cost_per_solved_table(rows: &[Json], runs: &[CorpusRunFacts]) -> Option<OutputTable> {
    let has_cost = |row: &Json| {
        ["recorded.runs", "computed.runs"].iter().any(|runs| row.number(runs) > Some(0.0))
    };
    let cost = |basis: &Json| match basis.text("not_defined.usd_per_solved?") {
        Some(why) => why.to_owned(),
        None => basis.interval_cell("usd_per_solved", "ci95"),
    };
    let counts = |basis: &Json| format!("{} in {}", basis.cell("runs"), basis.cell("tasks"));
    let columns: [TableColumn<'_, Json>; 7] = [
        ("agent", &|it| it.cell("agent")),
        ("condition", &|it| it.cell("condition")),
        ("recorded USD", &|it| cost(it.field("recorded"))),
        (">runs in tasks", &|it| counts(it.field("recorded"))),
        ("computed USD", &|it| cost(it.field("computed"))),
        (">runs in tasks", &|it| counts(it.field("computed"))),
        (">without tests", &|it| it.cell("recorded.without_tests")),
    ];
    let is_tested = |row: &&Json| {
        runs.iter().any(|run| {
            let key = &run.measured.key;
            key.agent.as_deref() == row.text("agent")
                && key.condition.as_deref() == row.text("condition")
                && run.spent.solved_checkpoints.is_some()
        })
    };
    let table = || OutputTable::from_rows(&columns, rows.iter().filter(is_tested)).with_keys(2);
    rows.iter().any(has_cost).then(table)
}
