//! `trajview ls`: the files as they stood after a turn or a step.

use serde::Serialize;

use trajview_store as store;

use super::{Exit, Failure, Outcome, RunArg, at, output::Out};

/// List the files as they stood after a turn or a step
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    #[arg(long, default_value = "final", help = at::HELP_WITH_STEPS)]
    at: String,
    /// Print JSON (schema trajview.ls/1)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing<'a> {
    schema: &'static str,
    run: &'a str,
    /// Turns done.
    turn: usize,
    /// The last step that is done of the next turn; null where none is.
    step: Option<usize>,
    files_from: &'static str,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    path: String,
    mode: &'static str,
    /// Git blob id; null where the content is not recorded.
    blob: Option<String>,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let timeline = archive.timeline(run).map_err(Failure::unread)?;
    let moment = at::moment(run, &args.at)?;
    let tree = timeline.tree_at(run, moment);
    if !args.json {
        tree.files.keys().try_for_each(|path| out.line(path.as_str()))?;
        return Ok(Exit::Fine);
    }
    let file = |(path, file): (&trajview_run::RepoPath, &trajview_run::files::TreeFile)| File {
        path: path.to_string(),
        mode: file.mode.octal(),
        blob: file.blob().map(|blob| blob.to_string()),
    };
    out.json(&Listing {
        schema: "trajview.ls/1",
        run: &run.id,
        turn: moment.turns,
        step: moment.step.map(|step| at::number(run, step)),
        files_from: timeline.from.words(),
        files: tree.files.iter().map(file).collect(),
    })?;
    Ok(Exit::Fine)
}
