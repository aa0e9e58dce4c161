//! `trajview clusters`: runs that fail alike, work alike or edit the same files, without a model.

mod document;
mod feature_sets;

use std::path::PathBuf;

use clap::ValueEnum;
use rayon::prelude::*;

use trajview_study::{clusters, minhash};

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, TableFormArgs, print_note},
    run_args,
    sharding::ShardArgs,
};
use document::{ClusterInput, clusters_document};

/// Cluster similar runs: by their failures, tool calls or edits
///
/// Each run is a set: the error lines of its failed steps, its calls, or its edited files. Values that differ between
/// runs are replaced in lines and calls: times are `<time>`, hexadecimal words and UUIDs `<hex>`, temporary folders and
/// names `<temp>`, folders of absolute paths `<path>`, numbers that are not part of a name `<n>`. The similarity of two
/// runs is the Jaccard similarity of their sets. Candidate pairs are found by MinHash signatures (a pair at the
/// threshold with a probability of at least 0.99) and compared exactly; runs that reach the threshold, directly or
/// through other runs, are in one cluster. The same runs and seed give the same clusters. A run without such lines is
/// in no cluster.
#[derive(Debug, clap::Args)]
pub struct ClustersArgs {
    /// Logs, run bundles, or folders that contain them
    #[arg(value_name = "PATH", required = true, value_parser = run_args::recording_parser())]
    paths: Vec<PathBuf>,
    /// What to compare
    #[arg(long, value_enum, default_value_t = ClusterFeature::Errors)]
    by: ClusterFeature,
    /// Similarity threshold, above 0 and at most 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = parse_threshold)]
    threshold: f64,
    /// Numbers per signature; more give a better estimate of the similarity
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u16).range(16..=4096))]
    hashes: u16,
    /// Seed of the signatures
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the members of each cluster and what they share
    #[arg(long)]
    detail: bool,
    #[command(flatten)]
    sharding: ShardArgs,
    /// Print JSON (schema trajview.clusters/1)
    #[arg(long, conflicts_with_all = ["md", "tex", "save_tables"])]
    json: bool,
    #[command(flatten)]
    forms: TableFormArgs,
}

/// What to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClusterFeature {
    /// Error lines of failed steps
    Errors,
    /// Tool calls: the tool and its main argument
    Calls,
    /// Files that were edited in the workspace
    Edits,
}

impl ClusterFeature {
    const fn word(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::Calls => "calls",
            Self::Edits => "edits",
        }
    }
}

fn parse_threshold(word: &str) -> Result<f64, String> {
    let share = word.parse::<f64>().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "expected a number above 0 and at most 1, as 0.5".into())
}

pub fn run(args: &ClustersArgs, out: &mut Out) -> CommandResult {
    out.set_table_form(&args.forms)?;
    let paths = args.sharding.runs_of_shard(&args.paths)?;
    let read: Vec<ClusterInput> =
        paths.par_iter().map(|path| feature_sets::read_run(path, args.by)).collect();
    let (runs, problems): (Vec<ClusterInput>, Vec<ClusterInput>) =
        read.into_iter().partition(|it| it.error.is_none());
    if runs.is_empty() {
        let first = problems.into_iter().find_map(|it| it.error);
        return Err(CommandFailure::cannot_read(first.unwrap_or_else(|| "no runs there".into())));
    }
    let sets: Vec<Vec<u64>> = runs.iter().map(|run| run.set.clone()).collect();
    let options = clusters::ClusterOptions {
        threshold: args.threshold,
        functions: args.hashes.into(),
        seed: args.seed,
    };
    let found = clusters::cluster_sets(&sets, &options);
    let lines = |path: &str| feature_sets::texts_at(path.as_ref(), args.by);
    let document = clusters_document(&runs, &problems, &found, (args.by, options), &lines);
    if args.json {
        out.print_json(&document)?;
    } else {
        document.rows("problems").iter().for_each(|it| print_note(&it.cell("what")));
        document::print_clusters(&document, args.detail, args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Returns the hash that represents a text of a run.
fn text_hash(text: &str) -> u64 {
    minhash::member_hash(text)
}
