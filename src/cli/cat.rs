//! `trajview cat`: a file as it stood after a turn or a step.

use trajview_run::RepoPath;
use trajview_store as store;

use super::{Exit, Failure, Outcome, RunArg, at, output::Out};

/// Print a file as it stood after a turn or a step
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    /// Path inside the workspace
    path: String,
    #[arg(long, default_value = "final", help = at::HELP_WITH_STEPS)]
    at: String,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let cannot = |why: String| Failure::unread(format!("{}: {why}", args.path));
    let timeline = archive.timeline(run).map_err(cannot)?;
    let tree = timeline.tree_at(run, at::moment(run, &args.at)?);
    let path = RepoPath::new(&args.path)
        .ok_or_else(|| cannot("not a path inside the workspace".into()))?;
    let file =
        tree.files.get(&path).ok_or_else(|| cannot(format!("no such file at {}", args.at)))?;
    out.raw(&archive.content(run, *file).map_err(cannot)?)?;
    Ok(Exit::Fine)
}
