//! The set by which runs are compared: error lines, calls, or edited files.

use std::{collections::BTreeSet, path::Path};

use trajview_run::{Run, failures, normalised_line::normalised_line};
use trajview_store as store;
use trajview_store::{Archive, OpenedRecording};

use super::{ClusterFeature, document::ClusterInput, text_hash};

/// The most members of a set: those with the smallest hashes, which is a sample drawn alike in every run.
const MOST_MEMBERS: usize = 4096;

/// Reads a run as it is compared. Its texts are let go: there may be many runs.
pub fn read_run(path: &Path, by: ClusterFeature) -> ClusterInput {
    let read = ClusterInput { path: path.display().to_string(), ..ClusterInput::default() };
    let opened = match store::open(path) {
        Ok(opened) => opened,
        Err(why) => return ClusterInput { error: Some(why.to_string()), ..read },
    };
    let texts = match texts_of_run(&opened, by) {
        Ok(texts) => texts,
        Err(why) => return ClusterInput { error: Some(format!("{}: {why}", read.path)), ..read },
    };
    let mut set: Vec<u64> = texts.iter().map(|text| text_hash(text)).collect();
    set.sort_unstable();
    set.dedup();
    let left_out = set.len().saturating_sub(MOST_MEMBERS);
    set.truncate(MOST_MEMBERS);
    let run = &*opened.run;
    let agent = Some(&run.agent.name).filter(|name| !name.is_empty()).cloned();
    ClusterInput {
        run: run.id.clone(),
        task: run.task_key(),
        agent,
        condition: run.condition.clone(),
        set,
        left_out,
        ..read
    }
}

/// Returns the texts of one run. None if it can no longer be read.
pub(crate) fn texts_at(path: &Path, by: ClusterFeature) -> BTreeSet<String> {
    let opened = store::open(path).ok();
    opened.and_then(|opened| texts_of_run(&opened, by).ok()).unwrap_or_default()
}

fn texts_of_run(opened: &OpenedRecording, by: ClusterFeature) -> Result<BTreeSet<String>, String> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    match by {
        ClusterFeature::Errors => Ok(error_texts(run, archive)),
        ClusterFeature::Calls => Ok(call_texts(run)),
        ClusterFeature::Edits => edited_paths(run, archive),
    }
}

fn error_texts(run: &Run, archive: &Archive) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (step, _) in failures::failed_steps(run) {
        let text = archive.step_text(run, step);
        let error_lines = failures::error_lines(&text).into_iter().map(normalised_line);
        lines.extend(error_lines.filter(|line| !line.is_empty()));
    }
    lines
}

fn call_texts(run: &Run) -> BTreeSet<String> {
    let steps = run.numbered_steps().into_iter().filter_map(|(id, _)| run.step(id));
    let call = |step: &trajview_run::Step| {
        let tool = step.tool.as_ref()?;
        Some(format!("{}: {}", tool.name, normalised_line(&step.label)))
    };
    steps.filter_map(call).collect()
}

/// Returns the paths that the steps edited; of a recording without edits the paths that its turns changed.
fn edited_paths(run: &Run, archive: &Archive) -> Result<BTreeSet<String>, String> {
    let steps = run.numbered_steps().into_iter().filter_map(|(id, _)| run.step(id));
    let recorded = steps.flat_map(|step| &step.edits).filter_map(|edit| edit.path.repo_path());
    let recorded: BTreeSet<String> = recorded.map(ToString::to_string).collect();
    if !recorded.is_empty() {
        return Ok(recorded);
    }
    let timeline = archive.timeline(run)?;
    let changes = timeline.turns.iter().flat_map(|turn| &turn.changes);
    Ok(changes.map(|change| change.path.to_string()).collect())
}
