//! What the turn under way has changed so far: the workspace as it lies there against the end of the turn before.
//!
//! It is looked at from beside the run, as often as somebody wants, and changes nothing that is recorded.

use trajview_store::workspace::{History, Rules};

use super::{drivers, journal, recorder::NEVER, run::Job, stage::Stage};

/// A unified patch; empty where nothing changed. A file that is being written may be seen half. The error is a sentence.
pub fn patch(job: &Job) -> Result<String, String> {
    let before = journal::read(&job.bundle).ok_or("the run has not begun")?;
    let driver = drivers::of(&job.setup)?;
    let mut patterns = NEVER.to_vec();
    patterns.extend(driver.own_files());
    let rules =
        Rules::new(&patterns, job.setup.recording.records_ignored, job.setup.recording.most_bytes)?;
    let history = History::open(&job.bundle, rules).map_err(|why| why.to_string())?;
    let workspace = Stage::imagined(&job.setup.folders.work).workspace();
    let mut stage = Stage::imagined(&job.setup.folders.work);
    stage.furnish(&job.setup, &*driver)?;
    let cover = |bytes: &mut [u8]| stage.secrets.cover(bytes);
    let patch = history.patch(&workspace, before.progress.commit(), &cover);
    let patch = patch.map_err(|why| why.to_string())?;
    Ok(String::from_utf8_lossy(&patch).into_owned())
}
