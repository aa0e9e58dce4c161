//! `trajview ls`: the files in their state after a turn or a step.

use trajview_run::{RepoPath, files::TreeFile};
use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit, RunArg,
    output::{Json, Out, record},
    run_args,
};

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
    let file = |(path, file): (&RepoPath, &TreeFile)| {
        record! {
            path: path.as_str(),
            mode: file.mode.octal(),
            // Git blob id. Null if the content is not recorded.
            blob: file.blob_id().map(|blob| blob.to_string()),
        }
    };
    out.print_json(&record! {
        schema: "trajview.ls/1",
        run: run.id,
        // Turns done.
        turn: moment.turns,
        // The last step that is done of the next turn. Null if none is.
        step: moment.step.map(|step| run_args::step_number(run, step)),
        files_from: timeline.from.display_text(),
        files: Json::list(&tree.files, file),
    })?;
    Ok(Exit::Fine)
}
