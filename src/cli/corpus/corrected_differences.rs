//! The MCF that blind labels correct under two conditions, and the difference over tasks.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::output::{Json, OutputTable, TableColumn, record};
use trajview_metrics::Number;
use trajview_run::rubric::FULL_SCORE;
use trajview_study::{
    corrected::{
        difference::{MeanOverTasks, TaskValue, mean_over_tasks},
        estimator::CorrectedMean,
    },
    pairing::PairNumbers,
};

use super::run_facts::CorpusRunFacts;

/// A task of one agent whose runs have corrected means under both conditions.
struct CorrectedTask<'a> {
    task: &'a str,
    sides: [Vec<&'a CorrectedMean>; 2],
    judges: BTreeSet<&'a str>,
}

/// The columns of the CSV.
pub(crate) const CSV_COLUMNS: &str = "agent pooled judges tasks left_out labels judged_a judged_b judged_difference \
    a=a.mean a_low=a.ci95.0 a_high=a.ci95.1 b=b.mean b_low=b.ci95.0 b_high=b.ci95.1 \
    difference=difference.mean difference_low=difference.ci95.0 difference_high=difference.ci95.1 not_corrected judged_not_defined";

/// Makes a row for each agent, with all agents pooled last. Empty if labels correct the MCF of no run in a pair.
pub(crate) fn corrected_difference_rows(
    pairs: &[PairNumbers<Number>],
    runs: &[CorpusRunFacts],
) -> Vec<Json> {
    let by_agent: Vec<&[PairNumbers<Number>]> =
        pairs.chunk_by(|one, next| one.pair.agent == next.pair.agent).collect();
    let has_any = pairs.iter().any(|row| {
        row.pair.a.iter().chain(&row.pair.b).any(|at| mean_of_run(&runs[*at]).is_some())
    });
    let mut rows = vec![];
    if has_any {
        let agent = |of: &[PairNumbers<Number>]| of.first().map(|row| row.pair.agent.clone());
        rows.extend(by_agent.iter().map(|of| difference_row(agent(of).as_deref(), of, runs)));
        rows.extend((by_agent.len() > 1).then(|| difference_row(None, pairs, runs)));
    }
    rows
}

fn mean_of_run(run: &CorpusRunFacts) -> Option<&CorrectedMean> {
    run.judged.corrected.as_ref()?.as_ref().ok()
}

/// Returns the task of a pair; None where labels correct the mean of no run under one of the conditions, or not that of
/// every run of it.
fn corrected_task<'a>(
    row: &'a PairNumbers<Number>,
    runs: &'a [CorpusRunFacts],
) -> Option<CorrectedTask<'a>> {
    let side = |all: &[usize]| all.iter().map(|at| mean_of_run(&runs[*at])).collect();
    let (a, b): (Option<Vec<_>>, Option<Vec<_>>) = (side(&row.pair.a), side(&row.pair.b));
    let all = row.pair.a.iter().chain(&row.pair.b);
    let judges = all.filter_map(|at| runs[*at].judged.judge.as_deref()).collect();
    Some(CorrectedTask { task: &row.pair.task, sides: [a?, b?], judges })
}

/// Makes a row of one agent, or of all pooled: each task has one value, the mean of its runs and agents. A task of which
/// some agents have no value has that of the others.
fn difference_row(
    agent: Option<&str>,
    pairs: &[PairNumbers<Number>],
    runs: &[CorpusRunFacts],
) -> Json {
    let known: Vec<CorrectedTask<'_>> =
        pairs.iter().filter_map(|row| corrected_task(row, runs)).collect();
    let mut by_task: BTreeMap<&str, Vec<&CorrectedTask<'_>>> = BTreeMap::new();
    known.iter().for_each(|it| by_task.entry(it.task).or_default().push(it));
    let values = |side: usize, of: fn(&CorrectedMean) -> TaskValue| -> Vec<TaskValue> {
        let of_agent = |it: &&CorrectedTask<'_>| {
            TaskValue::mean_of(it.sides[side].iter().map(|mean| of(mean)))
        };
        let of_task =
            |all: &Vec<&CorrectedTask<'_>>| TaskValue::mean_of(all.iter().filter_map(of_agent));
        by_task.values().filter_map(of_task).collect()
    };
    let [a, b] = [0, 1].map(|side| {
        values(side, |it| TaskValue { value: it.value, standard_error: it.standard_error })
    });
    let [judged_a, judged_b] = [0, 1].map(|side| {
        let judged = values(side, |it| TaskValue { value: it.judged, standard_error: 0.0 });
        TaskValue::mean_of(judged).map(|it| it.value)
    });
    let gaps: Vec<TaskValue> = a.iter().zip(&b).map(|(a, b)| a.minus(*b)).collect();
    let full = f64::from(FULL_SCORE);
    let labels: usize =
        known.iter().flat_map(|it| it.sides.iter().flatten()).map(|it| it.labels).sum();
    let judges: BTreeSet<&str> = known.iter().flat_map(|it| it.judges.iter().copied()).collect();
    let has_several_judges = judges.len() > 1;
    let judged_difference = judged_a.zip(judged_b).map(|(a, b)| a - b);
    let tasks: BTreeSet<&str> = pairs.iter().map(|row| &*row.pair.task).collect();
    let why = match by_task.len() {
        0 => Some("no task whose runs have enough blind labels under both conditions"),
        1 => Some("one task only; needs two"),
        _ => None,
    };
    record! {
        agent: agent,
        pooled: agent.is_none(),
        // The judges whose means are corrected.
        judges: judges.into_iter().collect::<Vec<_>>().join(", "),
        tasks: by_task.len(),
        // Tasks without a value: their runs have too few labels under one of the conditions.
        left_out: tasks.len() - by_task.len(),
        labels: labels,
        // Means of the judges alone over the same tasks.
        judged_a: judged_a,
        judged_b: judged_b,
        // Null where there are several judges: it would contain the difference of their biases.
        judged_difference: judged_difference.filter(|_| !has_several_judges),
        a: mean_record(mean_over_tasks(&a, (0.0, full))),
        b: mean_record(mean_over_tasks(&b, (0.0, full))),
        difference: mean_record(mean_over_tasks(&gaps, (-full, full))),
        // Null if there is a difference.
        not_corrected: why,
        // The reason why there is no judged difference where there are judged means.
        judged_not_defined: has_several_judges.then_some("several judges"),
    }
}

fn mean_record(mean: Option<MeanOverTasks>) -> Json {
    record! { mean: mean.map(|it| it.value), ci95: mean.map(|it| it.interval) }
}

/// Makes the table of these rows; `a` and `b` are the names of the conditions.
pub(crate) fn differences_table(rows: &[Json], [a, b]: [&str; 2]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 9] = [
        ("agent", &|it| it.cell_or("agent", "all agents")),
        ("judge", &|it| it.cell("judges")),
        (">tasks", &|it| it.cell("tasks")),
        (">tasks left out", &|it| it.cell("left_out")),
        (">labels", &|it| it.cell("labels")),
        (a, &|it| it.interval_cell("a.mean", "a.ci95")),
        (b, &|it| it.interval_cell("b.mean", "b.ci95")),
        (">judged difference", &|it| match it.text("judged_not_defined") {
            Some(why) => why.to_owned(),
            None => it.share_cell("judged_difference"),
        }),
        ("corrected difference", &|it| match it.text("not_corrected") {
            Some(why) => why.to_owned(),
            None => it.interval_cell("difference.mean", "difference.ci95"),
        }),
    ];
    OutputTable::from_rows(&columns, rows).with_keys(1)
}
