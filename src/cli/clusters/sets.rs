//! What a run is compared by: the set of its error lines, of its calls, or of the files that it edited.

use std::{collections::BTreeSet, path::Path};

use trajview_run::{Run, failures, normalised::normalised};
use trajview_store as store;
use trajview_store::{Archive, Opened};

use super::{By, document::Read, name};

/// Members of a set that are kept, those with the least numbers: a sample that is drawn alike in every run.
const MOST_MEMBERS: usize = 4096;

/// A run as it is compared. Its texts are let go: there may be many runs.
pub fn read(path: &Path, by: By) -> Read {
    let read = Read { path: path.display().to_string(), ..Read::default() };
    let opened = match store::open(path) {
        Ok(opened) => opened,
        Err(why) => return Read { error: Some(why.to_string()), ..read },
    };
    let texts = match of_opened(&opened, by) {
        Ok(texts) => texts,
        Err(why) => return Read { error: Some(format!("{}: {why}", read.path)), ..read },
    };
    let mut set: Vec<u64> = texts.iter().map(|text| name(text)).collect();
    set.sort_unstable();
    set.dedup();
    let left_out = set.len().saturating_sub(MOST_MEMBERS);
    set.truncate(MOST_MEMBERS);
    let run = &*opened.run;
    let agent = Some(&run.agent.name).filter(|name| !name.is_empty()).cloned();
    Read {
        run: run.id.clone(),
        task: run.task.as_ref().map(|task| task.id.clone()),
        agent,
        condition: run.condition.clone(),
        set,
        left_out,
        ..read
    }
}

/// The texts of one run; none where it can no longer be read.
pub fn texts(path: &Path, by: By) -> BTreeSet<String> {
    let opened = store::open(path).ok();
    opened.and_then(|opened| of_opened(&opened, by).ok()).unwrap_or_default()
}

fn of_opened(opened: &Opened, by: By) -> Result<BTreeSet<String>, String> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    match by {
        By::Errors => Ok(errors(run, archive)),
        By::Calls => Ok(calls(run)),
        By::Edits => edits(run, archive),
    }
}

fn errors(run: &Run, archive: &Archive) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (step, _) in failures::steps_that_failed(run) {
        let text = archive.step_text(run, step);
        let said = failures::error_lines(&text).into_iter().map(normalised);
        lines.extend(said.filter(|line| !line.is_empty()));
    }
    lines
}

fn calls(run: &Run) -> BTreeSet<String> {
    let steps = run.numbered_steps().into_iter().filter_map(|(id, _)| run.step(id));
    let call = |step: &trajview_run::Step| {
        let tool = step.tool.as_ref()?;
        Some(format!("{}: {}", tool.name, normalised(&step.label)))
    };
    steps.filter_map(call).collect()
}

/// As its steps recorded them; of a recording that has none, what its turns changed.
fn edits(run: &Run, archive: &Archive) -> Result<BTreeSet<String>, String> {
    let steps = run.numbered_steps().into_iter().filter_map(|(id, _)| run.step(id));
    let recorded = steps.flat_map(|step| &step.edits).filter_map(|edit| edit.path.inside());
    let recorded: BTreeSet<String> = recorded.map(ToString::to_string).collect();
    if !recorded.is_empty() {
        return Ok(recorded);
    }
    let timeline = archive.timeline(run)?;
    let changes = timeline.turns.iter().flat_map(|turn| &turn.changes);
    Ok(changes.map(|change| change.path.to_string()).collect())
}
