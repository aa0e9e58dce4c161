//! Two conditions component by component: means of each side, their difference with tasks as clusters.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{
    output::{OutputTable, TableColumn, cell_or_dash},
    resampling::{p_value, with_interval},
};
use trajview_metrics::BetterDirection;
use trajview_study::{
    BootstrapPlan, Interval, Undefined,
    agreement::cluster_bootstrap::ClusteredEstimate,
    components::{ComparedMeasure, PairedComponent, compare_components},
    mixed_model::MixedModelFit,
    paired::HolmAdjusted,
    pairing::PairNumbers,
    undefined_reasons,
};

/// A measure of the components of one agent, or of all.
#[derive(Debug, Serialize)]
pub struct ComponentsRow {
    /// Null if the agents are pooled.
    pub agent: Option<String>,
    pub pooled: bool,
    pub measure: &'static str,
    pub better: BetterDirection,
    /// Components with a score under both conditions, and their tasks.
    pub n: usize,
    pub tasks: usize,
    pub a: SideMeanRow,
    pub b: SideMeanRow,
    /// First less second.
    pub difference: SideMeanRow,
    /// A mixed model of the differences, with a random intercept a task, by REML. Null if it is not defined.
    pub mixed: Option<MixedModelRow>,
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

impl ComponentsRow {
    /// Returns whether there is a mixed model or an interval over tasks.
    pub(crate) const fn has_clusters(&self) -> bool {
        self.mixed.is_some() || self.difference.ci95_by_task.is_some()
    }
}

/// A mean over components.
#[derive(Debug, Serialize)]
pub struct SideMeanRow {
    pub mean: Option<f64>,
    /// BCa over components.
    pub ci95: Option<Interval>,
    /// BCa over tasks as clusters.
    pub ci95_by_task: Option<Interval>,
}

#[derive(Debug, Serialize)]
pub struct MixedModelRow {
    pub mean: f64,
    pub se: f64,
    pub ci95: Interval,
    pub z: f64,
    pub p: f64,
    /// Adjusted for the measures of the same agent.
    pub p_holm: Option<f64>,
    pub adjusted: Option<String>,
    pub variance_between_tasks: f64,
    pub variance_within_tasks: f64,
}

/// Makes rows by agent, with all agents pooled last. `scores` returns the scores of a run by its index in the list.
pub(crate) fn rows_by_agent<'s, M>(
    pairs: &[PairNumbers<M>],
    scores: impl Fn(usize) -> &'s BTreeMap<String, f64>,
    plan: &BootstrapPlan,
) -> Vec<ComponentsRow> {
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
    let rows_of_agent = |agent: Option<&str>, pairs: &[PairNumbers<M>]| -> Vec<ComponentsRow> {
        let components: Vec<PairedComponent> = pairs.iter().flat_map(of_pair).collect();
        let found = compare_components(&components, plan).into_iter().filter(|it| it.n > 0);
        found.map(|it| components_row(agent, &it)).collect()
    };
    let by_agent: Vec<&[PairNumbers<M>]> =
        pairs.chunk_by(|one, next| one.pair.agent == next.pair.agent).collect();
    let agent = |pairs: &[PairNumbers<M>]| pairs.first().map(|row| row.pair.agent.clone());
    let mut all: Vec<ComponentsRow> =
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
) -> Vec<ComponentsRow> {
    let component = |&(a, b): &(f64, f64)| {
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        PairedComponent { task: 0, a: vec![a], b: vec![b] }
    };
    let components: Vec<PairedComponent> = scores.iter().map(component).collect();
    let found = compare_components(&components, plan).into_iter().filter(|it| it.n > 0);
    let turned = |row: ComponentsRow| match is_turned {
        true => ComponentsRow { a: row.b, b: row.a, ..row },
        false => row,
    };
    found.map(|it| turned(components_row(None, &it))).collect()
}

fn components_row(agent: Option<&str>, it: &ComparedMeasure) -> ComponentsRow {
    let side = |twice: &ClusteredEstimate| SideMeanRow {
        mean: twice.by_item.value.ok(),
        ci95: twice.by_item.interval.ok(),
        ci95_by_task: twice.by_run.ok(),
    };
    let by_task = it.difference.by_run.err().map(|why| match why {
        Undefined::FewerThanTwoRuns => Undefined::FewerThanTwoTasks,
        other => other,
    });
    ComponentsRow {
        agent: agent.map(str::to_owned),
        pooled: agent.is_none(),
        measure: it.measure.name(),
        better: it.measure.better_direction(),
        n: it.n,
        tasks: it.tasks,
        a: side(&it.a),
        b: side(&it.b),
        difference: side(&it.difference),
        mixed: it.mixed.ok().map(|mixed| mixed_model_row(&mixed, it.holm)),
        not_defined: undefined_reasons([
            ("mixed", it.mixed.err()),
            ("ci95", it.difference.by_item.interval.err()),
            ("ci95_by_task", by_task),
        ]),
    }
}

fn mixed_model_row(it: &MixedModelFit, holm: Option<HolmAdjusted>) -> MixedModelRow {
    MixedModelRow {
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

/// Means of both sides and of the difference, over components.
pub(crate) fn means_table(rows: &[ComponentsRow]) -> OutputTable {
    let side = |it: &SideMeanRow| with_interval(it.mean, it.ci95);
    let columns: [TableColumn<'_, ComponentsRow>; 7] = [
        ("agent", &agent_cell),
        ("measure", &|it| it.measure.into()),
        (">n", &|it| it.n.to_string()),
        (">tasks", &|it| it.tasks.to_string()),
        ("first", &|it| side(&it.a)),
        ("second", &|it| side(&it.b)),
        ("difference", &|it| side(&it.difference)),
    ];
    OutputTable::from_rows(&columns, rows).with_keys(2)
}

/// Returns the table of means for two runs.
pub(crate) fn means_of_two_table(rows: &[ComponentsRow]) -> OutputTable {
    let side = |it: &SideMeanRow| with_interval(it.mean, it.ci95);
    let columns: [TableColumn<'_, ComponentsRow>; 5] = [
        ("measure", &|it| it.measure.into()),
        (">n", &|it| it.n.to_string()),
        ("a", &|it| side(&it.a)),
        ("b", &|it| side(&it.b)),
        ("difference", &|it| side(&it.difference)),
    ];
    OutputTable::from_rows(&columns, rows)
}

/// Returns the difference with tasks as clusters.
pub(crate) fn clustered_table(rows: &[ComponentsRow]) -> OutputTable {
    let mixed_cell = |it: &ComponentsRow, cell: &dyn Fn(&MixedModelRow) -> String| {
        cell_or_dash(it.mixed.as_ref().map(cell))
    };
    let columns: [TableColumn<'_, ComponentsRow>; 9] = [
        ("agent", &agent_cell),
        ("measure", &|it| it.measure.into()),
        ("tasks drawn whole", &|it| with_interval(it.difference.mean, it.difference.ci95_by_task)),
        ("mixed model", &|it| {
            mixed_cell(it, &|found| with_interval(Some(found.mean), Some(found.ci95)))
        }),
        (">SE", &|it| mixed_cell(it, &|found| format!("{:.3}", found.se))),
        (">p", &|it| mixed_cell(it, &|found| p_value(found.p))),
        (">p Holm", &|it| mixed_cell(it, &|found| cell_or_dash(found.p_holm.map(p_value)))),
        (">var. of tasks", &|it| {
            mixed_cell(it, &|found| format!("{:.3}", found.variance_between_tasks))
        }),
        (">var. within", &|it| {
            mixed_cell(it, &|found| format!("{:.3}", found.variance_within_tasks))
        }),
    ];
    OutputTable::from_rows(&columns, rows).with_keys(2)
}

fn agent_cell(row: &ComponentsRow) -> String {
    row.agent.clone().unwrap_or_else(|| "all agents".into())
}

/// The columns of a row, for [`crate::cli::output::Out::print_csv`].
pub(crate) const CSV_COLUMNS: &str = "agent pooled measure better n tasks a=a.mean a_ci95_low=a.ci95.0 a_ci95_high=a.ci95.1 \
    b=b.mean b_ci95_low=b.ci95.0 b_ci95_high=b.ci95.1 difference=difference.mean ci95_low=difference.ci95.0 \
    ci95_high=difference.ci95.1 ci95_by_task_low=difference.ci95_by_task.0 ci95_by_task_high=difference.ci95_by_task.1 \
    mixed=mixed.mean se=mixed.se mixed_ci95_low=mixed.ci95.0 mixed_ci95_high=mixed.ci95.1 z=mixed.z p=mixed.p \
    p_holm=mixed.p_holm adjusted=mixed.adjusted variance_between_tasks=mixed.variance_between_tasks \
    variance_within_tasks=mixed.variance_within_tasks why=not_defined";
