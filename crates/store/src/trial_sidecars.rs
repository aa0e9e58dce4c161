//! The result of a trial, from the files that a harness wrote near the log.

use std::path::Path;

use trajview_formats::{
    SourceBytes,
    harness::{HARNESSES, Harness, TrialFiles},
};
use trajview_run::{Run, Warning};

use super::{
    entries::is_plain_file,
    file_bytes::{FileAccess, ReadAllowance},
    path_bytes,
    recording_files::FoundRecording,
};

/// The number of folders above a log in which a record is looked for: `agent/sessions/projects/-app/id.jsonl`.
const MOST_UP: usize = 5;

/// The most bytes of a record, and of a file beside it.
const MOST_RECORD_BYTES: usize = 32 << 20;
const MOST_SIDECAR_BYTES: usize = 4 << 20;

/// Gives a run the result of its trial, where a harness recorded one. A damaged record is a warning.
pub(crate) fn add_trial_result(run: &mut Run, recording: &FoundRecording) {
    if run.trial.is_some() || !recording.format.capabilities().is_log() {
        return;
    }
    let mut folder = recording.main.parent();
    for _ in 0..MOST_UP {
        let Some(at) = folder else { return };
        for harness in HARNESSES {
            let is_done = harness
                .record_names()
                .iter()
                .any(|name| add_from_record(run, recording, *harness, (at, name)));
            if is_done {
                return;
            }
        }
        folder = at.parent();
    }
}

/// Returns whether the file of that name in the folder is a record of the harness; the run has its facts then.
fn add_from_record(
    run: &mut Run,
    recording: &FoundRecording,
    harness: &dyn Harness,
    (folder, name): (&Path, &'static str),
) -> bool {
    let path = folder.join(name);
    let Some(record) = is_plain_file(&path).then(|| read_start(&path, MOST_RECORD_BYTES)).flatten()
    else {
        return false;
    };
    let record = SourceBytes { name, bytes: &record };
    let log = recording.main.strip_prefix(folder).unwrap_or(&recording.main);
    let log = log.to_string_lossy().replace('\\', "/");
    if !harness.claims_record(&record, &log) {
        return false;
    }
    let sidecars: Vec<(String, Vec<u8>)> = harness
        .sidecar_paths(&log)
        .into_iter()
        .filter_map(|name| {
            let path = folder.join(&name);
            let bytes = is_plain_file(&path).then(|| read_start(&path, MOST_SIDECAR_BYTES))??;
            Some((name, bytes))
        })
        .collect();
    let sidecars = sidecars.iter().map(|(name, bytes)| SourceBytes { name, bytes }).collect();
    match harness.read_trial(&TrialFiles { log: &log, record, sidecars }, run) {
        Ok(Some(facts)) => facts.apply_to(run, harness.name()),
        Ok(None) => return false,
        Err(why) => run.warnings.push(Warning { place: name.into(), what: why.to_string() }),
    }
    true
}

/// Returns the beginning of a file; None where it cannot be read.
fn read_start(path: &Path, most: usize) -> Option<Vec<u8>> {
    let (bytes, _) =
        path_bytes::read_path(path, FileAccess::OnDisk, &mut ReadAllowance::default()).ok()?;
    let mut left = most as u64;
    let (bytes, _) = bytes.read_all_within(&mut left);
    Some(bytes.into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use trajview_run::Outcome;

    use crate::open;

    const LOG: &str = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"go\"}}\n";

    fn trial_with(record: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("agent/sessions/projects/-app/s.jsonl");
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::write(&log, LOG).unwrap();
        fs::write(folder.path().join("result.json"), record).unwrap();
        (folder, log)
    }

    #[test]
    fn a_log_of_any_format_in_a_trial_has_the_result_of_the_trial() {
        let (_folder, log) = trial_with(
            r#"{"task_name": "t", "trial_name": "t__1", "verifier_result": {"rewards": {"reward": 1.0}}}"#,
        );

        let run = open(&log).unwrap().run;

        let trial = run.trial.as_deref().unwrap();
        assert_eq!(run.origin.harness.as_deref(), Some("Harbor"));
        assert_eq!(trial.task.as_deref(), Some("t"));
        assert_eq!((trial.outcome, trial.reward), (Some(Outcome::Passed), Some(1.0)));
    }

    #[test]
    fn a_damaged_record_is_a_warning_and_the_run_opens() {
        let (_folder, log) = trial_with(r#"{"task_name": "t", "trial_name": "t__1", "ver"#);

        let run = open(&log).unwrap().run;

        assert_eq!(run.trial, None);
        let warning = run.warnings.last().unwrap();
        assert_eq!(warning.place, "result.json");
        assert!(warning.what.starts_with("not the JSON of a trial: "), "{}", warning.what);
    }
}
