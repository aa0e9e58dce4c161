//! `trajview merge`: the parts of all shards as one.

use std::path::PathBuf;

use trajview_store::dataset::{ExistingPart, merge_shards};

use super::{CommandFailure, CommandResult, Exit, output::Out, run_args};

/// Join the parts of all shards into one
///
/// Reads the parts that export, score --parts and check --parts wrote with --shard, and writes the output of one call
/// without --shard, byte for byte. Rows are streamed. Nothing is written if a shard is missing, exists twice, or shares
/// a run with another shard.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders with parts
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Overwrite: remove parts in that folder that have other runs or another division
    #[arg(long, alias = "replace")]
    overwrite: bool,
}

pub fn run(args: &Args, out: &mut Out) -> CommandResult {
    let existing = ExistingPart::from_replace(args.overwrite);
    let merged = merge_shards(&args.folders, &args.out, existing)
        .map_err(CommandFailure::cannot_understand)?;
    for it in &merged {
        let parts = run_args::count_with_noun(it.parts, "part");
        let note = if it.published.is_new { "" } else { " (already exists)" };
        out.print_line(&format!("{}: {parts}{note}", it.published.path.display()))?;
    }
    Ok(Exit::Fine)
}
