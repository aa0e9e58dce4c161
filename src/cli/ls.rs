//! `trajview ls`: the files in their state after a turn or a step.

use serde::Serialize;

use trajview_store as store;

use super::{CommandFailure, CommandResult, Exit, RunArg, output::Out, run_args};

/// List the files as they were after a turn or a step
#[derive(Debug, clap::Args)]
pub struct LsArgs {
    #[command(flatten)]
    run: RunArg,
    #[arg(long, default_value = "final", help = run_args::MOMENT_HELP_WITH_STEPS)]
    at: String,
    /// Print JSON (schema trajview.ls/1)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct LsDocument<'a> {
    schema: &'static str,
    run: &'a str,
    /// Turns done.
    turn: usize,
    /// The last step that is done of the next turn. Null if none is.
    step: Option<usize>,
    files_from: &'static str,
    files: Vec<LsFileRow>,
}

#[derive(Serialize)]
struct LsFileRow {
    path: String,
    mode: &'static str,
    /// Git blob id. Null if the content is not recorded.
    blob: Option<String>,
}

pub fn run(args: &LsArgs, out: &mut Out) -> CommandResult {
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let timeline = archive.timeline(run).map_err(CommandFailure::cannot_read)?;
    let moment = run_args::parse_moment(run, &args.at)?;
    let tree = timeline.tree_at(run, moment);
    if !args.json {
        tree.files.keys().try_for_each(|path| out.print_line(path.as_str()))?;
        return Ok(Exit::Fine);
    }
    let file =
        |(path, file): (&trajview_run::RepoPath, &trajview_run::files::TreeFile)| LsFileRow {
            path: path.to_string(),
            mode: file.mode.octal(),
            blob: file.blob_id().map(|blob| blob.to_string()),
        };
    out.print_json(&LsDocument {
        schema: "trajview.ls/1",
        run: &run.id,
        turn: moment.turns,
        step: moment.step.map(|step| run_args::step_number(run, step)),
        files_from: timeline.from.display_text(),
        files: tree.files.iter().map(file).collect(),
    })?;
    Ok(Exit::Fine)
}
