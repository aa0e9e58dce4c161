//! Two conditions component by component: means of each side, their difference with tasks as clusters.

use std::collections::BTreeMap;

use crate::cli::output::{Json, OutputTable, TableColumn, record};
use trajview_study::{
    BootstrapPlan, Undefined,
    agreement::cluster_bootstrap::ClusteredEstimate,
    components::{ComparedMeasure, PairedComponent, compare_components},
    mixed_model::MixedModelFit,
    paired::HolmAdjusted,
    pairing::PairNumbers,
    undefined_reasons,
};

/// Returns whether a row has a mixed model or an interval over tasks.
pub(crate) fn has_clusters(row: &Json) -> bool {
    !row.field("mixed").is_null() || !row.field("difference.ci95_by_task").is_null()
}

/// Makes rows by agent, with all agents pooled last. `scores` returns the scores of a run by its index in the list.
pub(crate) fn rows_by_agent<'s, M>(
    pairs: &[PairNumbers<M>],
    scores: impl Fn(usize) -> &'s BTreeMap<String, f64>,
    plan: &BootstrapPlan,
) -> Vec<Json> {
    let mut tasks: Vec<&str> = pairs.iter().map(|row| row.pair.task.as_str()).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let of_pair = |row: &PairNumbers<M>| -> Vec<PairedComponent> {
        let task = tasks.binary_search(&row.pair.task.as_str()).unwrap_or_default();
        let mut found: BTreeMap<&str, PairedComponent> = BTreeMap::new();
        let sides = [(&row.pair.a, true), (&row.pair.b, false)];
        for (run, is_a) in sides.iter().flat_map(|(runs, is_a)| runs.iter().map(|it| (*it, *is_a)))
        {
            for (component, score) in scores(run) {
                let nothing = || PairedComponent { task, a: vec![], b: vec![] };
                let entry = found.entry(component).or_insert_with(nothing);
                if is_a { entry.a.push(*score) } else { entry.b.push(*score) }
            }
        }
        found.into_values().collect()
    };
    let rows_of_agent = |agent: Option<&str>, pairs: &[PairNumbers<M>]| -> Vec<Json> {
        let components: Vec<PairedComponent> = pairs.iter().flat_map(of_pair).collect();
        let found = compare_components(&components, plan).into_iter().filter(|it| it.n > 0);
        found.map(|it| components_row(agent, &it)).collect()
    };
    let by_agent: Vec<&[PairNumbers<M>]> =
        pairs.chunk_by(|one, next| one.pair.agent == next.pair.agent).collect();
    let agent = |pairs: &[PairNumbers<M>]| pairs.first().map(|row| row.pair.agent.clone());
    let mut all: Vec<Json> =
        by_agent.iter().flat_map(|pairs| rows_of_agent(agent(pairs).as_deref(), pairs)).collect();
    if by_agent.len() > 1 {
        all.extend(rows_of_agent(None, pairs));
    }
    all
}

/// Makes rows from two runs of one task: pairs of scores, and whether the difference is second less first.
pub(crate) fn rows_of_two_runs(
    scores: &[(f64, f64)],
    is_turned: bool,
    plan: &BootstrapPlan,
) -> Vec<Json> {
    let component = |&(a, b): &(f64, f64)| {
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        PairedComponent { task: 0, a: vec![a], b: vec![b] }
    };
    let components: Vec<PairedComponent> = scores.iter().map(component).collect();
    let mut found = compare_components(&components, plan);
    if is_turned {
        found.iter_mut().for_each(|row| std::mem::swap(&mut row.a, &mut row.b));
    }
    found.iter().filter(|row| row.n > 0).map(|row| components_row(None, row)).collect()
}

/// Returns the JSON of a measure of the components of one agent, or of all pooled. `difference` is first less second;
/// `n` counts components with a score under both conditions; `mixed` is a mixed model of the differences with a random
/// intercept a task, by REML.
fn components_row(agent: Option<&str>, it: &ComparedMeasure) -> Json {
    let by_task = it.difference.by_run.err().map(|why| match why {
        Undefined::FewerThanTwoRuns => Undefined::FewerThanTwoTasks,
        other => other,
    });
    record! {
        agent: agent,
        pooled: agent.is_none(),
        measure: it.measure.name(),
        better: it.measure.better_direction(),
        n: it.n,
        tasks: it.tasks,
        a: mean_record(&it.a),
        b: mean_record(&it.b),
        difference: mean_record(&it.difference),
        mixed: it.mixed.ok().map(|mixed| mixed_model_record(&mixed, it.holm)),
        not_defined: undefined_reasons([
            ("mixed", it.mixed.err()),
            ("ci95", it.difference.by_item.interval.err()),
            ("ci95_by_task", by_task),
        ]),
    }
}

/// Returns the JSON of a mean over components, with its BCa interval over components and over tasks as clusters.
fn mean_record(twice: &ClusteredEstimate) -> Json {
    record! {
        mean: twice.by_item.value.ok(),
        ci95: twice.by_item.interval.ok(),
        ci95_by_task: twice.by_run.ok(),
    }
}

/// Returns the JSON of a mixed model; `p_holm` is adjusted for the measures of the same agent.
fn mixed_model_record(it: &MixedModelFit, holm: Option<HolmAdjusted>) -> Json {
    record! {
        mean: it.mean,
        se: it.se,
        ci95: it.interval,
        z: it.z,
        p: it.p,
        p_holm: holm.map(|holm| holm.p),
        adjusted: holm.map(|holm| HolmAdjusted::method_text(holm.tests)),
        variance_between_tasks: it.between,
        variance_within_tasks: it.within,
    }
}

/// Returns the table of means of both sides, under the names of their conditions, and of the difference, over
/// components.
pub(crate) fn means_table(rows: &[Json], [a, b]: [&str; 2]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 7] = [
        ("agent", &agent_cell),
        ("measure", &|it| it.cell("measure")),
        (">n", &|it| it.cell("n")),
        (">tasks", &|it| it.cell("tasks")),
        (a, &|it| it.interval_cell("a.mean", "a.ci95")),
        (b, &|it| it.interval_cell("b.mean", "b.ci95")),
        ("difference", &|it| it.interval_cell("difference.mean", "difference.ci95")),
    ];
    OutputTable::from_rows(&columns, rows).with_keys(2)
}

/// Returns the table of means for two runs.
pub(crate) fn means_of_two_table(rows: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 5] = [
        ("measure", &|it| it.cell("measure")),
        (">n", &|it| it.cell("n")),
        ("a", &|it| it.interval_cell("a.mean", "a.ci95")),
        ("b", &|it| it.interval_cell("b.mean", "b.ci95")),
        ("difference", &|it| it.interval_cell("difference.mean", "difference.ci95")),
    ];
    OutputTable::from_rows(&columns, rows)
}

/// Returns the difference with tasks as clusters.
pub(crate) fn clustered_table(rows: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 9] = [
        ("agent", &agent_cell),
        ("measure", &|it| it.cell("measure")),
        ("resampling whole tasks", &|it| {
            it.interval_cell("difference.mean", "difference.ci95_by_task")
        }),
        ("mixed model", &|it| it.interval_cell("mixed.mean", "mixed.ci95")),
        (">SE", &|it| it.digits_cell("mixed.se", 3)),
        (">p", &|it| it.p_cell("mixed.p")),
        (">p Holm", &|it| it.p_cell("mixed.p_holm")),
        (">var. of tasks", &|it| it.digits_cell("mixed.variance_between_tasks", 3)),
        (">var. within", &|it| it.digits_cell("mixed.variance_within_tasks", 3)),
    ];
    OutputTable::from_rows(&columns, rows).with_keys(2)
}

fn agent_cell(row: &Json) -> String {
    row.cell_or("agent", "all agents")
}

/// The columns of a row, for [`crate::cli::output::Out::print_csv`].
pub(crate) const CSV_COLUMNS: &str = "agent pooled measure better n tasks a=a.mean a_ci95_low=a.ci95.0 a_ci95_high=a.ci95.1 \
    b=b.mean b_ci95_low=b.ci95.0 b_ci95_high=b.ci95.1 difference=difference.mean ci95_low=difference.ci95.0 \
    ci95_high=difference.ci95.1 ci95_by_task_low=difference.ci95_by_task.0 ci95_by_task_high=difference.ci95_by_task.1 \
    mixed=mixed.mean se=mixed.se mixed_ci95_low=mixed.ci95.0 mixed_ci95_high=mixed.ci95.1 z=mixed.z p=mixed.p \
    p_holm=mixed.p_holm adjusted=mixed.adjusted variance_between_tasks=mixed.variance_between_tasks \
    variance_within_tasks=mixed.variance_within_tasks why=not_defined";
