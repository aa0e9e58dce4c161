//! `trajview check`: reads everything a recording holds and prints every warning with its place.

use std::path::{Path, PathBuf};

use serde::Serialize;

use trajview_analysis as analysis;
use trajview_run::Warning;
use trajview_store as store;
use trajview_store::{OpenError, OpenedRecording, Siblings};

use super::{
    CommandResult, Exit,
    output::Out,
    run_args,
    sharding::{PartLines, PartsArgs, ShardArgs, runs_at},
};

/// Read everything and print every warning with its location
///
/// A trajectory in the Agent Trajectory Interchange Format is also checked against version 1.8 of it: each fault is a warning
/// with its line and field, although trajview reads the file.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Logs, run bundles, folders that contain them, or a file that belongs to a run: components.json,
    /// a judgement, labels; or a study (study.toml)
    #[arg(value_name = "PATH", required = true, value_parser = run_args::recording_parser())]
    paths: Vec<PathBuf>,
    /// Print JSON (schema trajview.check/1)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sharding: ShardArgs,
    #[command(flatten)]
    into: PartsArgs,
}

#[derive(Serialize)]
struct CheckedRow {
    path: String,
    /// Null if the recording could not be opened.
    format: Option<&'static str>,
    turns: Option<usize>,
    steps: Option<usize>,
    /// Nodes of a rubric tree. Null if there is none.
    nodes: Option<usize>,
    warnings: Vec<Warning>,
    #[serde(skip)]
    exit: Exit,
}

pub fn run(args: &CheckArgs, out: &mut Out) -> CommandResult {
    let siblings = Siblings::default();
    if let Some(lines) = args.into.open_part("check", args.sharding)? {
        return check_into_parts(args, &siblings, lines, out);
    }
    let paths = match args.sharding.is_named() {
        true => args.sharding.runs_of_shard(&args.paths)?,
        false => args.paths.iter().flat_map(|path| runs_at(path)).collect(),
    };
    let checked: Vec<CheckedRow> = paths.iter().map(|path| check_path(path, &siblings)).collect();
    // What could not be read at all weighs more than a warning.
    let exit = checked
        .iter()
        .map(|checked| checked.exit)
        .max_by_key(|exit| exit.code())
        .unwrap_or(Exit::Fine);
    if args.json {
        out.print_json_list("trajview.check/1", ("runs", &checked))?;
        return Ok(exit);
    }
    for checked in &checked {
        for warning in &checked.warnings {
            out.print_line(&checked.warning_line(warning))?;
        }
        let warnings = match checked.warnings.len() {
            0 => "no warnings".to_owned(),
            count => run_args::count_with_noun(count, "warning"),
        };
        if let (Some(format), None) = (checked.format, checked.turns) {
            let alone = if format == "study" { "" } else { ", checked without a run" };
            out.print_line(&format!("{}: {format}{alone}, {warnings}", checked.path))?;
        }
        if let (Some(format), Some(turns), Some(steps)) =
            (checked.format, checked.turns, checked.steps)
        {
            let run = format!(
                "{}, {}",
                run_args::turns_text(turns),
                run_args::count_with_noun(steps, "step")
            );
            let tree = checked.nodes.map(|nodes| {
                format!("a rubric tree of {}", run_args::count_with_noun(nodes, "node"))
            });
            let holds = match tree {
                Some(tree) if turns == 0 => tree,
                Some(tree) => format!("{run}, {tree}"),
                None => run,
            };
            out.print_line(&format!("{}: {format}, {holds}, {warnings}", checked.path))?;
        }
    }
    Ok(exit)
}

/// Writes a line for each run. Errors of runs are part of their lines, and the exit code is 0: starting a failed shard
/// again would not help.
fn check_into_parts(
    args: &CheckArgs,
    siblings: &Siblings,
    mut lines: PartLines<'_>,
    out: &mut Out,
) -> CommandResult {
    for path in args.sharding.runs_of_shard(&args.paths)? {
        lines.add_document(&path, &check_path(&path, siblings))?;
    }
    lines.publish(out)?;
    Ok(Exit::Fine)
}

impl CheckedRow {
    /// Returns a document that is no recording.
    fn for_document(path: &Path, format: &'static str, warnings: Vec<Warning>) -> Self {
        Self {
            path: path.display().to_string(),
            format: Some(format),
            turns: None,
            steps: None,
            nodes: None,
            exit: if warnings.is_empty() { Exit::Fine } else { Exit::Failed },
            warnings,
        }
    }

    /// Makes the row of a path that could not be opened.
    fn for_failure(path: &Path, what: String, exit: Exit) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Self {
            path: path.display().to_string(),
            format: None,
            turns: None,
            steps: None,
            nodes: None,
            warnings: vec![Warning { place: name.unwrap_or_default(), what }],
            exit,
        }
    }

    /// Returns the warning behind its place, written so that an editor can follow it: `folder/file:line: what`.
    fn warning_line(&self, warning: &Warning) -> String {
        let path = Path::new(&self.path);
        let file = warning.place.rsplit_once(':').map_or(warning.place.as_str(), |(file, _)| file);
        // A problem of SlopCodeBench names its files from the run directory on, which is the folder above.
        let mut folders = [Some(path), path.parent()].into_iter().flatten();
        match folders.find(|folder| !file.is_empty() && store::disk::exists(&folder.join(file))) {
            Some(folder) => format!("{}: {}", folder.join(&warning.place).display(), warning.what),
            None => format!("{}: {}", self.path, warning.what),
        }
    }
}

fn check_path(path: &Path, siblings: &Siblings) -> CheckedRow {
    if analysis::study::is_study(path) {
        return match analysis::study::check_study(path) {
            Ok(warnings) => CheckedRow::for_document(path, "study", warnings),
            Err(why) => CheckedRow::for_failure(path, why.to_string(), Exit::CannotRead),
        };
    }
    if let Some((format, warnings)) = store::rubric::check_alone(path) {
        return CheckedRow::for_document(path, format, warnings);
    }
    match store::open_among(path, siblings) {
        Err(why) => {
            let (what, exit) = match &why {
                OpenError::Read { why, .. } => (format!("cannot be read: {why}"), Exit::CannotRead),
                OpenError::Understand { why, .. } => (why.clone(), Exit::CannotUnderstand),
            };
            CheckedRow::for_failure(path, what, exit)
        }
        Ok(opened) => {
            let mut warnings = opened.run.warnings.clone();
            warnings.extend(opened.archive.form_faults(&opened.run));
            warnings.extend(read_everything(&opened));
            warnings.extend(store::rubric::check_beside_run(path, &opened));
            warnings.extend(store::checks::check_problems(&opened.archive));
            let run = &opened.run;
            let memory = opened.archive.bundle();
            let memory =
                memory.and_then(|it| store::memory_events::recorded_events(it, run.turns.len()));
            warnings.extend(memory.into_iter().flat_map(|it| it.warnings));
            CheckedRow {
                path: path.display().to_string(),
                format: Some(run.origin.format),
                turns: Some(run.counted_turns().count()),
                steps: Some(
                    run.counted_moments().map(|done| run.steps_of_turn(done - 1).len()).sum(),
                ),
                nodes: run.rubric_tree.as_ref().map(|tree| tree.nodes.len()),
                exit: if warnings.is_empty() { Exit::Fine } else { Exit::Failed },
                warnings,
            }
        }
    }
}

/// Reads every step's words and every version of every file; what cannot be had is a warning.
fn read_everything(opened: &OpenedRecording) -> Vec<Warning> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let mut warnings = vec![];
    for turn in 0..run.turns.len() {
        let _ = archive.request_with_added(run, turn);
        for step in run.steps_of_turn(turn) {
            let _ = archive.step_text(run, step); // what it cannot read it says in the text; here it must return
        }
    }
    let timeline = match archive.timeline(run) {
        Ok(timeline) => timeline,
        Err(what) => return vec![Warning { place: "workspace.git".into(), what }],
    };
    warnings.extend(timeline.warnings.iter().cloned());
    let mut read = std::collections::HashSet::new();
    for (turn, number) in timeline.turns.iter().zip(1..) {
        for change in &turn.changes {
            for file in [change.file_before(), change.file_after()].into_iter().flatten() {
                let is_here = file.mode != trajview_run::files::FileMode::Submodule
                    && file.blob_id().is_some_and(|blob| read.insert(blob));
                if let Some(Err(what)) = is_here.then(|| archive.file_content(run, file)) {
                    warnings
                        .push(Warning { place: format!("turn {number}: {}", change.path), what });
                }
            }
        }
    }
    warnings
}
