//! `trajview cat`: a file in its state after a turn or a step.

use trajview_run::RepoPath;
use trajview_store as store;

use super::{CommandFailure, CommandResult, Exit, RunArg, output::Out, run_args};

/// Print a file as it was after a turn or a step
#[derive(Debug, clap::Args)]
pub struct CatArgs {
    #[command(flatten)]
    run: RunArg,
    /// Path inside the workspace
    path: String,
    #[arg(long, default_value = "final", help = run_args::MOMENT_HELP_WITH_STEPS)]
    at: String,
}

pub fn run(args: &CatArgs, out: &mut Out) -> CommandResult {
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let cannot = |why: String| CommandFailure::cannot_read(format!("{}: {why}", args.path));
    let timeline = archive.timeline(run).map_err(cannot)?;
    let tree = timeline.tree_at(run, run_args::parse_moment(run, &args.at)?);
    let path = RepoPath::new(&args.path)
        .ok_or_else(|| cannot("not a path inside the workspace".into()))?;
    let file =
        tree.files.get(&path).ok_or_else(|| cannot(format!("no such file at {}", args.at)))?;
    out.print_bytes(&archive.file_content(run, *file).map_err(cannot)?)?;
    Ok(Exit::Fine)
}
