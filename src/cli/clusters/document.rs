//! The output of `clusters`: JSON, a table, and the members and lines of each cluster.

use std::{
    collections::{BTreeSet, HashMap},
    io,
};

use crate::cli::output::{Json, Out, OutputTable, TableColumn, record};
use trajview_run::format_number;
use trajview_study::clusters::{ClusterOptions, SetCluster, SetClusters};

use super::{ClusterFeature, text_hash};

/// A run that was read, or why it was not.
#[derive(Debug, Default)]
pub struct ClusterInput {
    pub path: String,
    pub run: String,
    pub task: Option<String>,
    pub agent: Option<String>,
    pub condition: Option<String>,
    /// Hashes of the texts, in ascending order.
    pub set: Vec<u64>,
    /// Members of the set that were too many.
    pub left_out: usize,
    pub error: Option<String>,
}

/// Lines of a cluster in the JSON.
const MOST_SHARED: usize = 20;

/// Lines of a cluster that are printed.
const MOST_PRINTED: usize = 5;

/// Makes the document. `texts` are those of the run at a path.
pub(crate) fn clusters_document(
    runs: &[ClusterInput],
    unread: &[ClusterInput],
    found: &SetClusters,
    (by, options): (ClusterFeature, ClusterOptions),
    texts: &dyn Fn(&str) -> BTreeSet<String>,
) -> Json {
    let unread = unread.iter().filter_map(|run| Some((&run.path, run.error.clone()?)));
    let cut = runs.iter().filter(|run| run.left_out > 0).map(|run| {
        let left_out = format_number::with_thousands(run.left_out as u64);
        (&run.path, format!("{}: {left_out} {} over the limit, not compared", run.path, by.word()))
    });
    let clusters = found.clusters.iter().zip(1..);
    let clusters = clusters.map(|(cluster, number)| cluster_row(number, cluster, runs, texts));
    record! {
        schema: "trajview.clusters/1",
        by: by.word(),
        threshold: options.threshold,
        hashes: options.functions,
        seed: options.seed,
        search: record! {
            bands: found.bands.bands,
            rows: found.bands.rows,
            // The probability with which a pair at the threshold was found.
            found_at_threshold: found.bands.agreement_probability(options.threshold),
            // Pairs of different sets that were compared exactly.
            compared: found.compared,
            // The standard error of an estimate is largest at a similarity of one half.
            largest_standard_error: 0.5 / (options.functions as f64).sqrt(),
        },
        runs: runs.len(),
        // Runs that are like no other, and those without anything to compare them by.
        alone: found.alone,
        without: found.empty,
        clusters: clusters.collect::<Vec<_>>(),
        problems: Json::list(unread.chain(cut), |(path, what)| record! { path: path, what: what }),
    }
}

/// Clusters count from 1, the largest first; the similarities are exact, of the other members to the medoid. `tasks`, `agents`
/// and `conditions` are those of its runs, each with how many runs; `shared` are lines of the medoid, with the number of runs
/// of the cluster that have them, most first, at most 20.
fn cluster_row(
    number: usize,
    cluster: &SetCluster,
    runs: &[ClusterInput],
    texts: &dyn Fn(&str) -> BTreeSet<String>,
) -> Json {
    let members = &cluster.members;
    let medoid = &runs[cluster.medoid];
    let others = || members.iter().skip(1).map(|it| it.similarity);
    let texts: HashMap<u64, String> =
        texts(&medoid.path).into_iter().map(|text| (text_hash(&text), text)).collect();
    // One that half of the runs lack is not shared.
    let shared = cluster.shared.iter().filter(|(_, count)| 2 * count > members.len());
    let shared: Vec<&(u64, usize)> = shared.collect();
    let shared_lines = shared
        .iter()
        .take(MOST_SHARED)
        .filter_map(|(number, runs)| Some(record! { line: texts.get(number)?, runs: runs }));
    let counts = |name: fn(&ClusterInput) -> Option<&str>| {
        name_counts(members.iter().map(|member| name(&runs[member.set])))
    };
    record! {
        cluster: number,
        size: members.len(),
        medoid: record! { path: medoid.path, run: medoid.run },
        mean_similarity: others().sum::<f64>() / others().count().max(1) as f64,
        least_similarity: others().fold(1.0, f64::min),
        tasks: counts(|run| run.task.as_deref()),
        agents: counts(|run| run.agent.as_deref()),
        conditions: counts(|run| run.condition.as_deref()),
        shared: shared_lines.collect::<Vec<_>>(),
        shared_left_out: shared.len().saturating_sub(MOST_SHARED),
        members: Json::list(members, |member| {
            let run = &runs[member.set];
            record! {
                path: run.path,
                run: run.run,
                task: run.task,
                agent: run.agent,
                condition: run.condition,
                similarity: member.similarity,
                // As the signatures estimate it.
                estimate: member.estimate.similarity,
                standard_error: member.estimate.standard_error,
            }
        }),
    }
}

pub(crate) fn print_clusters(
    document: &Json,
    with_members: bool,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let columns: [TableColumn<'_, Json>; 7] = [
        (">cluster", &|it| it.cell("cluster")),
        (">runs", &|it| it.cell("size")),
        (">similarity", &|it| it.digits_cell("mean_similarity", 2)),
        (">least", &|it| it.digits_cell("least_similarity", 2)),
        ("tasks", &|it| names_cell(it.rows("tasks"))),
        ("medoid", &|it| it.cell("medoid.path")),
        ("shared by most", &|it| it.cell("shared.0.line")),
    ];
    let clusters = document.rows("clusters");
    if !clusters.is_empty() {
        OutputTable::from_rows(&columns, clusters).write_table(is_markdown, out)?;
        out.print_line("")?;
    }
    if with_members {
        clusters.iter().try_for_each(|cluster| print_cluster(cluster, is_markdown, out))?;
    }
    let clustered = clusters.iter().map(|it| it.count("size")).sum();
    out.print_line(&format!(
        "{} of {} in {}, {} in no cluster, {} without {} to compare",
        format_number::with_thousands(clustered),
        format_number::count_with_noun(document.count("runs") as usize, "run"),
        format_number::count_with_noun(clusters.len(), "cluster"),
        format_number::with_thousands(document.count("alone")),
        format_number::with_thousands(document.count("without")),
        document.cell("by"),
    ))
}

fn print_cluster(cluster: &Json, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    out.print_line(&format!(
        "cluster {}: {} like {} ({})",
        cluster.cell("cluster"),
        format_number::count_with_noun(cluster.count("size") as usize, "run"),
        cluster.cell("medoid.run"),
        cluster.cell("medoid.path")
    ))?;
    let shared = cluster.rows("shared");
    for line in shared.iter().take(MOST_PRINTED) {
        let (runs, size) = (line.cell("runs"), cluster.cell("size"));
        out.print_line(&format!("  {runs} of {size}: {}", line.cell("line")))?;
    }
    let more = shared.len().saturating_sub(MOST_PRINTED) as u64 + cluster.count("shared_left_out");
    if more > 0 {
        out.print_line(&format!("  and {more} more"))?;
    }
    let columns: [TableColumn<'_, Json>; 6] = [
        (">similarity", &|it| it.digits_cell("similarity", 3)),
        (">estimated", &|it| {
            let error = it.digits_cell("standard_error", 3);
            format!("{} ± {error}", it.digits_cell("estimate", 3))
        }),
        ("task", &|it| it.cell("task")),
        ("agent", &|it| it.cell("agent")),
        ("condition", &|it| it.cell("condition")),
        ("path", &|it| it.cell("path")),
    ];
    OutputTable::from_rows(&columns, cluster.rows("members")).write_table(is_markdown, out)?;
    out.print_line("")
}

/// Returns each name with its count, the highest count first. Unknown names count as one name.
fn name_counts<'a>(names: impl Iterator<Item = Option<&'a str>>) -> Vec<(Option<&'a str>, usize)> {
    let mut counts: HashMap<Option<&str>, usize> = HashMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let mut all: Vec<(Option<&str>, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    all
}

/// Returns `tally`, `tally and 3 more`.
fn names_cell(names: &[Json]) -> String {
    match names {
        [] => "-".to_owned(),
        [only] => only.cell("0"),
        [first, rest @ ..] => format!("{} and {} more", first.cell("0"), rest.len()),
    }
}
