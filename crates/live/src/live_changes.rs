//! The changes of the turn under way: the workspace as it is now, compared with the end of the turn before.
//!
//! They are computed outside the run, as often as a caller wants, and change nothing that is recorded.

use trajview_store::workspace::{RecordingRules, WorkspaceHistory};

use super::{drivers, journal, recorder::NEVER_RECORDED, run::RunJob, run_folders::RunFolders};

/// Returns a unified patch; empty when nothing changed. A file that is being written may be incomplete. The error is a
/// sentence.
pub fn patch_so_far(job: &RunJob) -> Result<String, String> {
    let before = journal::read_journal(&job.bundle).ok_or("the run has not started")?;
    let driver = drivers::driver_for_setup(&job.setup)?;
    let mut patterns = NEVER_RECORDED.to_vec();
    patterns.extend(driver.own_files.iter().map(String::as_str));
    let rules = RecordingRules::new(
        &patterns,
        job.setup.recording.records_ignored,
        job.setup.recording.most_bytes,
    )?;
    let history = WorkspaceHistory::open(&job.bundle, rules).map_err(|why| why.to_string())?;
    let workspace = RunFolders::for_plan(&job.setup.folders.work).workspace();
    let mut run_folders = RunFolders::for_plan(&job.setup.folders.work);
    run_folders.set_environment(&job.setup, &driver)?;
    let cover = |bytes: &mut [u8]| run_folders.secrets.cover(bytes);
    let patch = history.patch_from(&workspace, before.progress.last_commit(), &cover);
    let patch = patch.map_err(|why| why.to_string())?;
    Ok(String::from_utf8_lossy(&patch).into_owned())
}
