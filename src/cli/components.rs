//! Two conditions component by component: means of each side, their difference with tasks as clusters.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{
    output::{Column, Table, dash},
    resampling::{p_value, with_interval},
};
use trajview_metrics::Better;
use trajview_study::{
    Interval, Plan, Undefined,
    agreement::drawn::Twice,
    components::{Compared, Component, compared},
    mixed::Mixed,
    paired::Holm,
    pairing::PairRow,
    reasons,
};

/// A measure of the components of one agent, or of all.
#[derive(Debug, Serialize)]
pub struct ComponentsRow {
    /// Null where the agents are pooled.
    pub agent: Option<String>,
    pub pooled: bool,
    pub measure: &'static str,
    pub better: Better,
    /// Components with a score under both conditions, and the tasks they are of.
    pub n: usize,
    pub tasks: usize,
    pub a: SideRow,
    pub b: SideRow,
    /// First less second.
    pub difference: SideRow,
    /// Of the differences, a random intercept a task, REML; null where it is not defined.
    pub mixed: Option<MixedRow>,
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

impl ComponentsRow {
    /// Whether the differences of tasks say something.
    pub const fn has_clusters(&self) -> bool {
        self.mixed.is_some() || self.difference.ci95_by_task.is_some()
    }
}

/// A mean over components.
#[derive(Debug, Serialize)]
pub struct SideRow {
    pub mean: Option<f64>,
    /// BCa over components.
    pub ci95: Option<Interval>,
    /// BCa over tasks, each whole.
    pub ci95_by_task: Option<Interval>,
}

#[derive(Debug, Serialize)]
pub struct MixedRow {
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

/// By agent, those of all agents pooled last. `scores` are those of a run by its place in the list.
pub fn rows<'s, M>(
    pairs: &[PairRow<M>],
    scores: impl Fn(usize) -> &'s BTreeMap<String, f64>,
    plan: &Plan,
) -> Vec<ComponentsRow> {
    let mut tasks: Vec<&str> = pairs.iter().map(|row| row.pair.task.as_str()).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let of_pair = |row: &PairRow<M>| -> Vec<Component> {
        let task = tasks.binary_search(&row.pair.task.as_str()).unwrap_or_default();
        let mut found: BTreeMap<&str, Component> = BTreeMap::new();
        let sides = [(&row.pair.a, true), (&row.pair.b, false)];
        for (run, is_a) in sides.iter().flat_map(|(runs, is_a)| runs.iter().map(|it| (*it, *is_a)))
        {
            for (component, score) in scores(run) {
                let nothing = || Component { task, a: vec![], b: vec![] };
                let of = found.entry(component).or_insert_with(nothing);
                if is_a { of.a.push(*score) } else { of.b.push(*score) }
            }
        }
        found.into_values().collect()
    };
    let of = |agent: Option<&str>, pairs: &[PairRow<M>]| -> Vec<ComponentsRow> {
        let components: Vec<Component> = pairs.iter().flat_map(of_pair).collect();
        let found = compared(&components, plan).into_iter().filter(|it| it.n > 0);
        found.map(|it| row(agent, &it)).collect()
    };
    let by_agent: Vec<&[PairRow<M>]> =
        pairs.chunk_by(|one, next| one.pair.agent == next.pair.agent).collect();
    let agent = |pairs: &[PairRow<M>]| pairs.first().map(|row| row.pair.agent.clone());
    let mut all: Vec<ComponentsRow> =
        by_agent.iter().flat_map(|pairs| of(agent(pairs).as_deref(), pairs)).collect();
    if by_agent.len() > 1 {
        all.extend(of(None, pairs));
    }
    all
}

/// Of two runs of one task: scores of the first and of the second, and whether the difference is second less first.
pub fn of_two(scores: &[(f64, f64)], is_turned: bool, plan: &Plan) -> Vec<ComponentsRow> {
    let component = |&(a, b): &(f64, f64)| {
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        Component { task: 0, a: vec![a], b: vec![b] }
    };
    let components: Vec<Component> = scores.iter().map(component).collect();
    let found = compared(&components, plan).into_iter().filter(|it| it.n > 0);
    let turned = |row: ComponentsRow| match is_turned {
        true => ComponentsRow { a: row.b, b: row.a, ..row },
        false => row,
    };
    found.map(|it| turned(row(None, &it))).collect()
}

fn row(agent: Option<&str>, it: &Compared) -> ComponentsRow {
    let side = |twice: &Twice| SideRow {
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
        better: it.measure.better(),
        n: it.n,
        tasks: it.tasks,
        a: side(&it.a),
        b: side(&it.b),
        difference: side(&it.difference),
        mixed: it.mixed.ok().map(|mixed| mixed_row(&mixed, it.holm)),
        not_defined: reasons([
            ("mixed", it.mixed.err()),
            ("ci95", it.difference.by_item.interval.err()),
            ("ci95_by_task", by_task),
        ]),
    }
}

fn mixed_row(it: &Mixed, holm: Option<Holm>) -> MixedRow {
    MixedRow {
        mean: it.mean,
        se: it.se,
        ci95: it.interval,
        z: it.z,
        p: it.p,
        p_holm: holm.map(|holm| holm.p),
        adjusted: holm.map(|holm| Holm::words(holm.of)),
        variance_between_tasks: it.between,
        variance_within_tasks: it.within,
    }
}

/// Means of both sides and of the difference, over components.
pub fn means(rows: &[ComponentsRow]) -> Table {
    let side = |it: &SideRow| with_interval(it.mean, it.ci95);
    let columns: [Column<'_, ComponentsRow>; 7] = [
        ("agent", &agent_of),
        ("measure", &|it| it.measure.into()),
        (">n", &|it| it.n.to_string()),
        (">tasks", &|it| it.tasks.to_string()),
        ("first", &|it| side(&it.a)),
        ("second", &|it| side(&it.b)),
        ("difference", &|it| side(&it.difference)),
    ];
    Table::of(&columns, rows).keyed(2)
}

/// The same of two runs.
pub fn means_of_two(rows: &[ComponentsRow]) -> Table {
    let side = |it: &SideRow| with_interval(it.mean, it.ci95);
    let columns: [Column<'_, ComponentsRow>; 5] = [
        ("measure", &|it| it.measure.into()),
        (">n", &|it| it.n.to_string()),
        ("a", &|it| side(&it.a)),
        ("b", &|it| side(&it.b)),
        ("difference", &|it| side(&it.difference)),
    ];
    Table::of(&columns, rows)
}

/// The difference with tasks as clusters.
pub fn clustered(rows: &[ComponentsRow]) -> Table {
    let of =
        |it: &ComponentsRow, cell: &dyn Fn(&MixedRow) -> String| dash(it.mixed.as_ref().map(cell));
    let columns: [Column<'_, ComponentsRow>; 9] = [
        ("agent", &agent_of),
        ("measure", &|it| it.measure.into()),
        ("tasks drawn whole", &|it| with_interval(it.difference.mean, it.difference.ci95_by_task)),
        ("mixed model", &|it| of(it, &|found| with_interval(Some(found.mean), Some(found.ci95)))),
        (">SE", &|it| of(it, &|found| format!("{:.3}", found.se))),
        (">p", &|it| of(it, &|found| p_value(found.p))),
        (">p Holm", &|it| of(it, &|found| dash(found.p_holm.map(p_value)))),
        (">var. of tasks", &|it| of(it, &|found| format!("{:.3}", found.variance_between_tasks))),
        (">var. within", &|it| of(it, &|found| format!("{:.3}", found.variance_within_tasks))),
    ];
    Table::of(&columns, rows).keyed(2)
}

fn agent_of(row: &ComponentsRow) -> String {
    row.agent.clone().unwrap_or_else(|| "all agents".into())
}

/// The columns of a row, for [`crate::cli::output::Out::csv`].
pub const CSV: &str = "agent pooled measure better n tasks a=a.mean a_ci95_low=a.ci95.0 a_ci95_high=a.ci95.1 \
    b=b.mean b_ci95_low=b.ci95.0 b_ci95_high=b.ci95.1 difference=difference.mean ci95_low=difference.ci95.0 \
    ci95_high=difference.ci95.1 ci95_by_task_low=difference.ci95_by_task.0 ci95_by_task_high=difference.ci95_by_task.1 \
    mixed=mixed.mean se=mixed.se mixed_ci95_low=mixed.ci95.0 mixed_ci95_high=mixed.ci95.1 z=mixed.z p=mixed.p \
    p_holm=mixed.p_holm adjusted=mixed.adjusted variance_between_tasks=mixed.variance_between_tasks \
    variance_within_tasks=mixed.variance_within_tasks why=not_defined";
