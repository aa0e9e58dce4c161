//! `trajview merge`: the parts of all shards as one.

use std::path::PathBuf;

use trajview_store::dataset::{Existing, merge};

use super::{Exit, Failure, Outcome, at, output::Out};

/// Join the parts of all shards into one
///
/// Takes what export, score --parts and check --parts wrote with --shard and writes what one call without --shard writes, byte for
/// byte. Rows are read and written on a few at a time. Nothing is written where a shard is missing, is there twice, or has a run that
/// another has too.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders with parts
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Take away parts in that folder that hold other runs or another division
    #[arg(long)]
    replace: bool,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let existing = Existing::of(args.replace);
    let merged = merge(&args.folders, &args.out, existing).map_err(Failure::not_understood)?;
    for it in &merged {
        let parts = at::counted(it.parts, "part");
        let note = if it.published.is_new { "" } else { " (there already)" };
        out.line(&format!("{}: {parts}{note}", it.published.path.display()))?;
    }
    Ok(Exit::Fine)
}
