//! The output of `clusters`: JSON, a table, and the members and lines of each cluster.

use std::{
    collections::{BTreeSet, HashMap},
    io,
};

use serde::Serialize;

use crate::cli::output::{Out, OutputTable, TableColumn, cell_or_dash};
use trajview_run::format_number;
use trajview_study::clusters::{ClusterOptions, SetClusters};

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

#[derive(Serialize)]
pub struct ClustersDocument<'a> {
    schema: &'static str,
    by: &'static str,
    threshold: f64,
    hashes: usize,
    seed: u64,
    search: SearchFacts,
    runs: usize,
    /// Runs that are like no other.
    alone: usize,
    /// Runs without anything to compare them by.
    without: usize,
    clusters: Vec<ClusterRow<'a>>,
    pub problems: Vec<ClusterProblem<'a>>,
}

/// Facts on the search for similar pairs.
#[derive(Serialize)]
struct SearchFacts {
    bands: usize,
    rows: usize,
    /// The probability with which a pair at the threshold was found.
    found_at_threshold: f64,
    /// Pairs of different sets that were compared exactly.
    compared: usize,
    /// The largest standard error of an estimate: at a similarity of one half.
    largest_standard_error: f64,
}

#[derive(Serialize)]
struct ClusterRow<'a> {
    /// Number of the cluster, from 1, the largest first.
    cluster: usize,
    size: usize,
    medoid: MedoidRow<'a>,
    /// Mean similarity of the other members to the medoid, exact.
    mean_similarity: f64,
    least_similarity: f64,
    /// Tasks, agents and conditions of its runs, each with how many runs.
    tasks: Vec<(Option<&'a str>, usize)>,
    agents: Vec<(Option<&'a str>, usize)>,
    conditions: Vec<(Option<&'a str>, usize)>,
    /// Lines of the medoid, with the number of runs of the cluster that have them, most first; at most 20.
    shared: Vec<SharedLineRow>,
    shared_left_out: usize,
    members: Vec<MemberRow<'a>>,
}

#[derive(Serialize)]
struct MedoidRow<'a> {
    path: &'a str,
    run: &'a str,
}

#[derive(Serialize)]
struct SharedLineRow {
    line: String,
    runs: usize,
}

#[derive(Serialize)]
struct MemberRow<'a> {
    path: &'a str,
    run: &'a str,
    task: Option<&'a str>,
    agent: Option<&'a str>,
    condition: Option<&'a str>,
    /// Similarity to the medoid: exact, and as the signatures estimate it.
    similarity: f64,
    estimate: f64,
    standard_error: f64,
}

#[derive(Serialize)]
pub struct ClusterProblem<'a> {
    path: &'a str,
    pub what: String,
}

impl<'a> ClustersDocument<'a> {
    /// Makes an input. `texts` are those of the run at a path.
    pub fn new(
        runs: &'a [ClusterInput],
        unread: &'a [ClusterInput],
        found: &SetClusters,
        (by, options): (ClusterFeature, ClusterOptions),
        texts: &dyn Fn(&str) -> BTreeSet<String>,
    ) -> Self {
        let problem = |run: &'a ClusterInput| {
            let what = run.error.clone()?;
            Some(ClusterProblem { path: &run.path, what })
        };
        let cut = |run: &'a ClusterInput| {
            let left_out = format_number::with_thousands(run.left_out as u64);
            let what = format!("{}: {left_out} {} too many to be compared", run.path, by.word());
            (run.left_out > 0).then_some(ClusterProblem { path: &run.path, what })
        };
        let problems = unread.iter().filter_map(problem).chain(runs.iter().filter_map(cut));
        let clusters = found.clusters.iter().zip(1..).map(|(cluster, number)| {
            let members: Vec<MemberRow<'a>> = cluster
                .members
                .iter()
                .map(|member| {
                    let run = &runs[member.set];
                    MemberRow {
                        path: &run.path,
                        run: &run.run,
                        task: run.task.as_deref(),
                        agent: run.agent.as_deref(),
                        condition: run.condition.as_deref(),
                        similarity: member.similarity,
                        estimate: member.estimate.similarity,
                        standard_error: member.estimate.standard_error,
                    }
                })
                .collect();
            let medoid = &runs[cluster.medoid];
            let others = || members.iter().skip(1).map(|it| it.similarity);
            let texts: HashMap<u64, String> =
                texts(&medoid.path).into_iter().map(|text| (text_hash(&text), text)).collect();
            // One that half of the runs lack is not shared.
            let shared = cluster.shared.iter().filter(|(_, count)| 2 * count > members.len());
            let shared: Vec<&(u64, usize)> = shared.collect();
            let printed = shared.iter().take(MOST_SHARED);
            ClusterRow {
                cluster: number,
                size: members.len(),
                medoid: MedoidRow { path: &medoid.path, run: &medoid.run },
                mean_similarity: others().sum::<f64>() / others().count().max(1) as f64,
                least_similarity: others().fold(1.0, f64::min),
                tasks: name_counts(members.iter().map(|it| it.task)),
                agents: name_counts(members.iter().map(|it| it.agent)),
                conditions: name_counts(members.iter().map(|it| it.condition)),
                shared: printed
                    .filter_map(|(number, runs)| {
                        Some(SharedLineRow { line: texts.get(number)?.clone(), runs: *runs })
                    })
                    .collect(),
                shared_left_out: shared.len().saturating_sub(MOST_SHARED),
                members,
            }
        });
        Self {
            schema: "trajview.clusters/1",
            by: by.word(),
            threshold: options.threshold,
            hashes: options.functions,
            seed: options.seed,
            search: SearchFacts {
                bands: found.bands.bands,
                rows: found.bands.rows,
                found_at_threshold: found.bands.agreement_probability(options.threshold),
                compared: found.compared,
                largest_standard_error: 0.5 / (options.functions as f64).sqrt(),
            },
            runs: runs.len(),
            alone: found.alone,
            without: found.empty,
            clusters: clusters.collect(),
            problems: problems.collect(),
        }
    }

    pub(crate) fn print_clusters(
        &self,
        with_members: bool,
        is_markdown: bool,
        out: &mut Out,
    ) -> io::Result<()> {
        let share = |value: f64| format!("{value:.2}");
        let columns: [TableColumn<'_, ClusterRow<'_>>; 7] = [
            (">cluster", &|it| it.cluster.to_string()),
            (">runs", &|it| it.size.to_string()),
            (">similarity", &|it| share(it.mean_similarity)),
            (">least", &|it| share(it.least_similarity)),
            ("tasks", &|it| names_cell(&it.tasks)),
            ("medoid", &|it| it.medoid.path.to_owned()),
            ("shared by most", &|it| it.shared.first().map_or("-".into(), |it| it.line.clone())),
        ];
        if !self.clusters.is_empty() {
            OutputTable::from_rows(&columns, &self.clusters).write_table(is_markdown, out)?;
            out.print_line("")?;
        }
        if with_members {
            self.clusters.iter().try_for_each(|cluster| cluster.print_cluster(is_markdown, out))?;
        }
        let clustered: usize = self.clusters.iter().map(|it| it.size).sum();
        out.print_line(&format!(
            "{} of {} in {}, {} like no other, {} without {} to compare",
            format_number::with_thousands(clustered as u64),
            format_number::count_with_noun(self.runs, "run"),
            format_number::count_with_noun(self.clusters.len(), "cluster"),
            format_number::with_thousands(self.alone as u64),
            format_number::with_thousands(self.without as u64),
            self.by,
        ))
    }
}

impl ClusterRow<'_> {
    fn print_cluster(&self, is_markdown: bool, out: &mut Out) -> io::Result<()> {
        out.print_line(&format!(
            "cluster {}: {} like {} ({})",
            self.cluster,
            format_number::count_with_noun(self.size, "run"),
            self.medoid.run,
            self.medoid.path
        ))?;
        for shared in self.shared.iter().take(MOST_PRINTED) {
            out.print_line(&format!("  {} of {}: {}", shared.runs, self.size, shared.line))?;
        }
        let more = self.shared.len().saturating_sub(MOST_PRINTED) + self.shared_left_out;
        if more > 0 {
            out.print_line(&format!("  and {more} more"))?;
        }
        let columns: [TableColumn<'_, MemberRow<'_>>; 6] = [
            (">similarity", &|it| format!("{:.3}", it.similarity)),
            (">estimated", &|it| format!("{:.3} ± {:.3}", it.estimate, it.standard_error)),
            ("task", &|it| cell_or_dash(it.task)),
            ("agent", &|it| cell_or_dash(it.agent)),
            ("condition", &|it| cell_or_dash(it.condition)),
            ("path", &|it| it.path.to_owned()),
        ];
        OutputTable::from_rows(&columns, &self.members).write_table(is_markdown, out)?;
        out.print_line("")
    }
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
fn names_cell(names: &[(Option<&str>, usize)]) -> String {
    match names {
        [] => "-".to_owned(),
        [(name, _)] => cell_or_dash(*name),
        [(name, _), rest @ ..] => format!("{} and {} more", cell_or_dash(*name), rest.len()),
    }
}
