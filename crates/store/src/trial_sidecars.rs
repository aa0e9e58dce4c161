//! The result of a trial, from the files that a harness wrote near the log, and the log of a trial's folder.

use std::{
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use trajview_formats::{
    NotUnderstood, RecordingShape, could_be_log,
    harness::{
        HARNESSES, Harness, RecordFile, RepeatKey, TrialFacts, TrialFiles,
        terminal_bench_trial_folder,
    },
};
use trajview_run::{Outcome, RecordPlace, Run, SourceId, Warning};

use super::{
    containers, disk,
    entries::{collect_files, entries_of, is_folder, is_plain_file, name_of},
    evaluations::evaluation_files,
    file_bytes::{FileAccess, ReadAllowance},
    file_head_cache::FileHeadCache,
    folder_names::SearchedFolder,
    path_bytes,
    record_files::{read_record, read_start},
    recording_files::FoundRecording,
    walk::is_agent_log,
};

/// The number of folders above a log in which a record is looked for: `agent/sessions/2026/01/31/rollout.jsonl`.
pub(super) const MOST_UP: usize = 6;

/// The most bytes of a record, and of a file beside it.
const MOST_RECORD_BYTES: usize = 32 << 20;
const MOST_SIDECAR_BYTES: usize = 4 << 20;

/// The most trials of a job among which the repeats of a task are counted.
const MOST_REPEATS: usize = 1_000;

/// Gives a run the result of its trial, where a harness recorded one. A damaged record is a warning. A result that a harness'
/// own format has stays; one that the log of an agent or the row of a data set has becomes a note beside the harness'.
pub(crate) fn add_trial_result(run: &mut Run, recording: &FoundRecording) {
    let shape = recording.format.capabilities().shape;
    let is_one_file = matches!(shape, RecordingShape::Lines | RecordingShape::Document);
    if run.trial.is_some() && run.origin.harness.is_some() || !is_one_file {
        return;
    }
    if recording.format.trial_record_rank(name_of(&recording.main)).is_some() {
        add_from_own_record(run, recording);
        return;
    }
    let mut unscored = None;
    for (harness, folder, name) in existing_records(&recording.main) {
        let path = folder.join(&*name);
        let Some(record) = read_record(&path, &name, MOST_RECORD_BYTES) else { continue };
        match read_facts(run, harness, &record, (folder, &recording.main)) {
            None => {}
            // A verdict may be in a folder further up: predictions are beside the logs.
            Some(Ok(facts)) if facts.result.outcome == Some(Outcome::Unscored) => {
                unscored.get_or_insert((facts, harness));
            }
            Some(Ok(facts)) => return facts.apply_to(run, harness.name()),
            Some(Err(why)) => {
                run.warnings.push(Warning { place: record.name, what: why.to_string() });
            }
        }
    }
    if let Some((facts, harness)) = unscored {
        facts.apply_to(run, harness.name());
    }
}

/// Returns the [`record_places`] at which there is a file.
fn existing_records(
    log: &Path,
) -> impl Iterator<Item = (&'static dyn Harness, &Path, Cow<'static, str>)> {
    let mut searched: Option<SearchedFolder> = None;
    record_places(log).filter(move |(_, folder, name)| {
        let same = searched.take().filter(|it| it.path() == *folder);
        searched.insert(same.unwrap_or_else(|| SearchedFolder::new(folder))).has_file(name)
    })
}

/// Returns the places where a record of the trial of a log may be, the nearest folder first: the harness, the folder and the
/// name.
fn record_places(
    log: &Path,
) -> impl Iterator<Item = (&'static dyn Harness, &Path, Cow<'static, str>)> {
    let name = log.to_string_lossy().replace('\\', "/");
    let names: Vec<(&'static dyn Harness, Cow<'static, str>)> = HARNESSES
        .iter()
        .flat_map(|harness| {
            let named = harness.named_records(&name).into_iter().map(Cow::Owned);
            let fixed = harness.record_names().iter().map(|name| Cow::Borrowed(*name));
            named.chain(fixed).map(|name| (*harness, name))
        })
        .collect();
    let folders = log.ancestors().skip(1).take(MOST_UP);
    folders.flat_map(move |folder| {
        // They are looked for last, and not at all where a file in the folder is the record.
        let apart = HARNESSES.iter().flat_map(move |harness| {
            let files = files_apart(*harness, folder, log).into_iter();
            files.map(move |name| (*harness, Cow::Owned(name)))
        });
        let all = names.clone().into_iter().chain(apart);
        all.map(move |(harness, name)| (harness, folder, name))
    })
}

/// Returns the files of evaluations below a folder above a log that may have the log's trial.
fn files_apart(harness: &dyn Harness, folder: &Path, log: &Path) -> Vec<String> {
    let Some(places) = harness.evaluations() else { return vec![] };
    let log = log.to_string_lossy().replace('\\', "/");
    evaluation_files(folder, places, &(places.instances_of_log)(&log))
}

/// The files from which [`add_trial_result`] may read the result of the trial of a log, and the number of the trial among the
/// repeats of its task, which other trials decide too.
#[derive(Debug, Default)]
pub(crate) struct TrialFilePaths {
    pub paths: Vec<PathBuf>,
    pub attempt: Option<u32>,
}

/// Returns the files of the trial of a log.
pub(crate) fn trial_files(log: &Path) -> TrialFilePaths {
    let mut files = TrialFilePaths::default();
    for (harness, folder, name) in existing_records(log) {
        let searched = SearchedFolder::new(folder);
        let sidecars = sidecar_names(harness, folder, log);
        let sidecars = sidecars.filter(|it| *it != name && searched.may_have(it));
        files.paths.extend(sidecars.map(|name| folder.join(name)));
        let path = folder.join(&*name);
        if files.attempt.is_none() {
            let record = read_record(&path, &name, MOST_RECORD_BYTES);
            files.attempt = record.and_then(|record| attempt_of(harness, &record, folder));
        }
        files.paths.push(path);
    }
    files
}

/// Returns the names of the files that may be beside the record of a log's trial.
fn sidecar_names(
    harness: &dyn Harness,
    folder: &Path,
    main: &Path,
) -> impl Iterator<Item = String> {
    let log = main.strip_prefix(folder).unwrap_or(main).to_string_lossy().replace('\\', "/");
    files_apart(harness, folder, main).into_iter().chain(harness.sidecar_paths(&log))
}

/// Gives a run the result in its main file, which is the record of the trial, or one of those in the record of the job.
fn add_from_own_record(run: &mut Run, recording: &FoundRecording) {
    let Some(main) = recording.files.first() else { return };
    let mut left = MOST_RECORD_BYTES as u64;
    let (bytes, _) = main.bytes.read_all_within(&mut left);
    let Some(beside) = recording.main.parent() else { return };
    let place = containers::place_inside(&recording.main);
    let is_in_job = place.is_some_and(|it| it.members.are_runs());
    let record = RecordFile::new("", bytes.into_owned());
    let path = recording.main.to_string_lossy().replace('\\', "/");
    for harness in HARNESSES {
        let (folder, own) = match is_in_job {
            true => (beside.parent(), beside),
            false => {
                let depth = harness.own_record_depth(&path);
                (recording.main.ancestors().nth(depth), &*recording.main)
            }
        };
        let folder = folder.unwrap_or(beside);
        let name = own.strip_prefix(folder).unwrap_or(own).to_string_lossy().replace('\\', "/");
        let record = record.with_name(name);
        match read_facts(run, *harness, &record, (folder, &recording.main)) {
            None => {}
            Some(Ok(facts)) => return facts.apply_to(run, harness.name()),
            Some(Err(why)) => {
                return run.warnings.push(Warning { place: record.name, what: why.to_string() });
            }
        }
    }
}

/// Reads a file that may be a record of the harness for a log; None where it is none, or says nothing about the log.
fn read_facts(
    run: &mut Run,
    harness: &dyn Harness,
    record: &RecordFile,
    (folder, main): (&Path, &Path),
) -> Option<Result<TrialFacts, NotUnderstood>> {
    let log = main.strip_prefix(folder).unwrap_or(main).to_string_lossy().replace('\\', "/");
    if !harness.claims_record(record, &log) {
        return None;
    }
    let mut omitted = vec![];
    let searched = SearchedFolder::new(folder);
    let sidecars = sidecar_names(harness, folder, main)
        .filter(|name| *name != record.name)
        .filter(|name| searched.may_have(name))
        .filter_map(|name| read_sidecar(&folder.join(&name), &name, &mut omitted))
        .collect();
    let result = harness.read_trial(&TrialFiles { log: &log, record, sidecars }, run);
    if !matches!(result, Ok(None)) {
        run.warnings.extend(omitted);
    }
    let mut facts = match result.transpose()? {
        Ok(facts) => facts,
        Err(why) => return Some(Err(why)),
    };
    if facts.result.attempt.is_none() {
        facts.result.attempt = attempt_of(harness, record, folder);
    }
    Some(Ok(facts))
}

/// Returns the number of a trial among the repeats of its task in the same job, in the order in which they started.
fn attempt_of(harness: &dyn Harness, record: &RecordFile, folder: &Path) -> Option<u32> {
    let own = harness.read_repeat(record)?;
    let folder = disk::absolute_path(folder);
    let group = harness.repeat_group(name_of(&folder))?;
    let job = JobFolders::of_job(folder.parent()?, harness);
    let others = job.by_group.get(group)?.iter().take(MOST_REPEATS);
    if let Some(trial) = others.clone().find(|it| it.path == folder) {
        // The other trials need not read the record again.
        let _ = trial.repeat_key.set(own.clone());
    }
    let is_before = |other: &&TrialFolder| {
        other.path != folder
            && other.repeat_key(harness, &record.name).is_some_and(|key| {
                key.of == own.of && (key.started_at, &other.path) < (own.started_at, &folder)
            })
    };
    u32::try_from(others.filter(is_before).count() + 1).ok()
}

/// The folders of a job by [`Harness::repeat_group`]: those of a group may be of the same task.
struct JobFolders {
    job: PathBuf,
    /// The harness, and the time when folders were last added to the job or removed from it.
    of: (&'static str, Option<SystemTime>),
    by_group: HashMap<String, Vec<TrialFolder>>,
}

struct TrialFolder {
    path: PathBuf,
    /// What its record says, once it has one.
    repeat_key: OnceLock<RepeatKey>,
}

impl TrialFolder {
    fn repeat_key(&self, harness: &dyn Harness, record: &str) -> Option<&RepeatKey> {
        if let Some(key) = self.repeat_key.get() {
            return Some(key);
        }
        let bytes = read_start(&self.path.join(record), MOST_SIDECAR_BYTES)?;
        let key = harness.read_repeat(&RecordFile::new(record, bytes))?;
        Some(self.repeat_key.get_or_init(|| key))
    }
}

/// The jobs that were last listed, the latest last: trials of several jobs are opened side by side.
static LISTED_JOBS: Mutex<Vec<Arc<JobFolders>>> = Mutex::new(vec![]);

/// The most jobs that are remembered.
const MOST_LISTED: usize = 16;

impl JobFolders {
    fn of_job(job: &Path, harness: &dyn Harness) -> Arc<Self> {
        let of = (harness.name(), containers::changed_at(job));
        // Locked while a job is listed: another thread would only list it a second time.
        let mut listed = LISTED_JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_job = |it: &Arc<Self>| it.job == job && it.of.0 == of.0;
        if let Some(at) = listed.iter().position(is_of_job) {
            let known = listed.remove(at);
            if known.of == of && of.1.is_some() {
                listed.push(Arc::clone(&known));
                return known;
            }
        }
        let mut by_group: HashMap<String, Vec<TrialFolder>> = HashMap::new();
        for path in entries_of(job) {
            if let Some(group) = harness.repeat_group(name_of(&path)) {
                let folder = TrialFolder { path: path.clone(), repeat_key: OnceLock::new() };
                by_group.entry(group.to_owned()).or_default().push(folder);
            }
        }
        let found = Arc::new(Self { job: job.to_owned(), of, by_group });
        if listed.len() == MOST_LISTED {
            listed.remove(0);
        }
        listed.push(Arc::clone(&found));
        found
    }
}

/// Returns a file beside a record; of a long text the end. None where it cannot be read, and for long JSON, of which a part
/// means nothing: that is a warning.
fn read_sidecar(path: &Path, name: &str, omitted: &mut Vec<Warning>) -> Option<RecordFile> {
    let len = match disk::symlink_metadata(path) {
        Ok(meta) => meta.is_file().then(|| meta.len())?,
        Err(_) => containers::place_of_missing(path)?.is_file().then_some(0)?,
    };
    if len <= MOST_SIDECAR_BYTES as u64 {
        let file = read_record(path, name, MOST_SIDECAR_BYTES + 1)?;
        if file.bytes().len() <= MOST_SIDECAR_BYTES {
            return Some(file);
        }
    }
    // It is large, or is unpacked.
    let (bytes, _) =
        path_bytes::read_path(path, FileAccess::OnDisk, &mut ReadAllowance::default()).ok()?;
    let len = bytes.file_size();
    let start = len.saturating_sub(MOST_SIDECAR_BYTES as u64);
    if start > 0 && !name.ends_with(".txt") && !name.ends_with(".log") {
        let what = format!("is larger than {} MiB and is omitted", MOST_SIDECAR_BYTES >> 20);
        omitted.push(Warning { place: name.into(), what });
        return None;
    }
    let place = RecordPlace { source: SourceId(0), line: 1, part: 0, start, len: len - start };
    Some(RecordFile::new(name, bytes.record_bytes(place).into_owned()))
}

/// The folders of a trial in which an agent leaves its logs, and the one of a trial in steps.
const AGENT_FOLDERS: [&str; 3] = ["agent", "agent-logs", "sessions"];
const STEPS_FOLDER: &str = "steps";

/// The most files of one trial that are looked into for a log.
const MOST_LOOKED: usize = 256;

/// Returns the recording of a trial by the folder of its record: the agent's log, `trajectory.json` before the largest of
/// those beside each other, and these before such in deeper folders; None where the record itself is the recording.
pub(crate) fn log_of_trial(folder: &Path, heads: Option<&FileHeadCache>) -> Option<PathBuf> {
    if is_folder(&folder.join(STEPS_FOLDER)) {
        return None;
    }
    let folders = AGENT_FOLDERS.map(|name| folder.join(name)).into_iter();
    folders.filter(|it| is_folder(it)).find_map(|agent| {
        let (below, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
            entries_of(&agent).into_iter().partition(|path| is_folder(path));
        largest_first(&mut files);
        let direct = files.into_iter().take(MOST_LOOKED).find(|path| is_agent_log(path, heads));
        direct.or_else(|| {
            let mut deep = vec![];
            below.iter().for_each(|folder| collect_files(folder, 0, &mut deep));
            deep.retain(|path| could_be_log(path));
            largest_first(&mut deep);
            deep.into_iter().take(MOST_LOOKED).find(|path| is_agent_log(path, heads))
        })
    })
}

fn largest_first(files: &mut [PathBuf]) {
    files.sort_by_cached_key(|path| {
        let size = disk::metadata(path).map_or(0, |meta| meta.len());
        (name_of(path) != "trajectory.json", std::cmp::Reverse(size))
    });
}

/// Returns the recording of a trial that is an element of its job's record and has a folder of its own as well.
pub(crate) fn own_recording(element: &Path, heads: Option<&FileHeadCache>) -> Option<PathBuf> {
    let record = element.parent()?;
    let folder = record.with_file_name(terminal_bench_trial_folder(name_of(element))?);
    let own = folder.join(name_of(record));
    is_plain_file(&own).then(|| log_of_trial(&folder, heads).unwrap_or(own))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use trajview_run::Outcome;

    use super::*;
    use crate::{open, runs_below};

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
    fn a_log_in_folders_of_days_has_the_result_of_the_trial_and_its_format_is_known_to_the_walk() {
        let folder = tempfile::tempdir().unwrap();
        let log = "{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"s\",\"cwd\":\"/w\"}}\n";
        write_all(
            folder.path(),
            &[
                ("t__1/result.json", &record("t", "t__1", "10:00:00", "1")),
                ("t__1/agent/codex.txt", "starting"),
                ("t__1/agent/sessions/2026/01/31/rollout-s.jsonl", log),
                ("t__2/result.json", &record("t", "t__2", "10:00:00", "0")),
                ("t__2/agent/claude-code.txt", LOG),
            ],
        );

        let runs = runs_below(folder.path());

        let outcomes: Vec<_> =
            runs.iter().map(|run| open(run).unwrap().run.trial.clone().unwrap().outcome).collect();
        assert_eq!(outcomes, [Some(Outcome::Passed), Some(Outcome::Failed)]);
        let formats: Vec<_> =
            runs.iter().map(|run| containers::format_of_seen_log(run).unwrap().name()).collect();
        assert_eq!(formats, ["codex-rollout", "claude-code"]);
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

    fn write_all(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn record(task: &str, trial: &str, started: &str, reward: &str) -> String {
        format!(
            "{{\"task_name\": \"{task}\", \"trial_name\": \"{trial}\", \"trial_uri\": \"u\", \"started_at\": \
             \"2026-01-01T{started}Z\", \"verifier_result\": {{\"rewards\": {{\"reward\": {reward}}}}}}}"
        )
    }

    #[test]
    fn a_job_has_a_row_for_each_trial_with_or_without_a_log_and_none_for_its_own_files() {
        let folder = tempfile::tempdir().unwrap();
        write_all(
            folder.path(),
            &[
                ("config.json", "{\"job_name\": \"j\", \"n_attempts\": 2}"),
                ("result.json", "{\"id\": \"j\", \"n_total_trials\": 3, \"stats\": {}}"),
                ("t__b/result.json", &record("t", "t__b", "10:00:00", "1")),
                ("t__b/config.json", "{\"trial_name\": \"t__b\"}"),
                ("t__b/agent/out.txt", LOG),
                ("t__b/agent/sessions/projects/-app/s.jsonl", LOG),
                ("t__a/result.json", &record("t", "t__a", "11:00:00", "0")),
                ("t__a/agent/out.txt", "command not found"),
                ("t__a/verifier/reward.txt", "0"),
                ("u__c/result.json", &record("u", "u__c", "09:00:00", "0.5")),
            ],
        );

        let runs = runs_below(folder.path());

        let names: Vec<_> = runs
            .iter()
            .map(|it| it.strip_prefix(folder.path()).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["t__a/result.json", "t__b/agent/out.txt", "u__c/result.json"]);
        let results: Vec<_> = runs
            .iter()
            .map(|path| {
                let run = open(path).unwrap().run;
                let trial = run.trial.clone().unwrap();
                let task = run.task.as_ref().unwrap().id.clone();
                (run.origin.format, task, trial.attempt, trial.outcome)
            })
            .collect();
        assert_eq!(
            results,
            [
                ("harbor", "t".into(), Some(2), Some(Outcome::Failed)),
                ("claude-code", "t".into(), Some(1), Some(Outcome::Passed)),
                ("harbor", "u".into(), Some(1), Some(Outcome::Partial)),
            ]
        );
        let opened = open(&runs[0]).unwrap();
        let step = trajview_run::StepId { turn: 0, subagent: None, step: 0 };
        assert_eq!(opened.archive.step_text(&opened.run, step).text, "command not found");
    }

    #[test]
    fn a_trial_that_left_no_record_is_a_row_with_its_task() {
        let folder = tempfile::tempdir().unwrap();
        let config = |trial: &str| {
            format!(
                "{{\"task\": {{\"path\": \"tasks/t\"}}, \"trial_name\": \"{trial}\", \"trials_dir\": \"j\", \
                 \"agent\": {{\"name\": \"made\"}}}}"
            )
        };
        write_all(
            folder.path(),
            &[
                ("config.json", "{\"job_name\": \"j\", \"n_attempts\": 1}"),
                ("t__a/config.json", &config("t__a")),
                ("t__a/trial.log", "building\n"),
                ("t__b/config.json", &config("t__b")),
                ("t__b/result.json", "{\"task_name\": \"t\", \"tri"),
                ("t__b/agent/s.jsonl", LOG),
                ("t__c/config.json", &config("t__c")),
                ("t__c/result.json", &record("t", "t__c", "10:00:00", "1")),
            ],
        );

        let row = |path: &PathBuf| {
            let run = open(path).unwrap().run;
            let trial = run.trial.clone().unwrap();
            let name = path.strip_prefix(folder.path()).unwrap().display().to_string();
            (name, trial.task.unwrap().to_string(), trial.outcome, run.warnings.len())
        };
        let rows: Vec<_> = runs_below(folder.path()).iter().map(row).collect();
        let expected = [
            ("t__a/config.json".into(), "t".into(), None, 1),
            ("t__b/agent/s.jsonl".into(), "t".into(), None, 2),
            ("t__c/result.json".into(), "t".into(), Some(Outcome::Passed), 0),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn jobs_in_jobs_empty_ones_and_trials_that_were_started_again_are_rows_once_each() {
        let folder = tempfile::tempdir().unwrap();
        let job =
            ("{\"job_name\": \"j\"}", "{\"id\": \"j\", \"n_total_trials\": 1, \"stats\": {}}");
        let killed = "{\"task\": {\"name\": \"org/übung\"}, \"trial_name\": \"übung__b\", \"trials_dir\": \"j\"}";
        write_all(
            folder.path(),
            &[
                ("a/config.json", job.0),
                ("a/result.json", job.1),
                ("a/übung__a/result.json", &record("org/übung", "übung__a", "10:00:00", "0")),
                ("a/übung__b/config.json", killed),
                ("a/übung__c/result.json", &record("org/übung", "übung__c", "12:00:00", "1")),
                ("a/inner/config.json", job.0),
                ("a/inner/result.json", job.1),
                ("a/inner/übung__d/result.json", &record("org/übung", "übung__d", "09:00:00", "1")),
                ("empty/config.json", job.0),
                ("empty/result.json", job.1),
            ],
        );
        #[cfg(unix)]
        std::os::unix::fs::symlink("..", folder.path().join("a/inner/up")).unwrap();

        let row = |path: &PathBuf| {
            let trial = open(path).unwrap().run.trial.clone().unwrap();
            let name = path.strip_prefix(folder.path()).unwrap().display().to_string();
            assert_eq!(trial.task.as_deref(), Some("org/übung"));
            (name, trial.attempt, trial.outcome.map(Outcome::word))
        };
        let rows: Vec<_> = runs_below(folder.path()).iter().map(row).collect();
        let expected = [
            ("a/inner/übung__d/result.json".into(), Some(1), Some("passed")),
            ("a/übung__a/result.json".into(), Some(1), Some("failed")),
            ("a/übung__b/config.json".into(), None, None),
            ("a/übung__c/result.json".into(), Some(2), Some("passed")),
        ];
        assert_eq!(rows, expected);
        assert!(runs_below(&folder.path().join("empty")).is_empty());
    }

    #[test]
    fn jobs_whose_trials_are_opened_in_turn_are_listed_once_each() {
        let folder = tempfile::tempdir().unwrap();
        write_all(
            folder.path(),
            &[
                ("a/t__1/result.json", &record("t", "t__1", "10:00:00", "1")),
                ("a/t__2/result.json", &record("t", "t__2", "11:00:00", "1")),
                ("a/t__3/agent/out.txt", "at work"),
                ("b/t__1/result.json", &record("t", "t__1", "12:00:00", "1")),
            ],
        );
        let harness = HARNESSES[0];
        let [a, b] = ["a", "b"].map(|job| folder.path().join(job));
        let (first, other) = (JobFolders::of_job(&a, harness), JobFolders::of_job(&b, harness));

        let attempts = ["a/t__2", "b/t__1"].map(|trial| {
            let run = open(&folder.path().join(trial).join("result.json")).unwrap().run;
            run.trial.as_ref().unwrap().attempt
        });

        assert_eq!(attempts, [Some(2), Some(1)]);
        assert!(Arc::ptr_eq(&first, &JobFolders::of_job(&a, harness)));
        assert!(Arc::ptr_eq(&other, &JobFolders::of_job(&b, harness)));
        // A record is read once; one that is not there yet is looked for again.
        let is_read = |it: &TrialFolder| it.repeat_key.get().is_some();
        assert_eq!(
            first.by_group["t"].iter().map(is_read).collect::<Vec<_>>(),
            [true, true, false]
        );
    }

    #[test]
    fn a_job_of_terminal_bench_has_its_trials_once_with_or_without_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let trial = |task: &str, is_resolved: &str| {
            format!(
                "{{\"trial_name\": \"{task}.1-of-1.r\", \"task_id\": \"{task}\", \"instruction\": \"do {task}\", \
                 \"is_resolved\": {is_resolved}, \"failure_mode\": \"unset\"}}"
            )
        };
        let cast = "{\"version\": 2}\n[1, \"i\", \"ls\\r\"]\n[2, \"o\", \"a.py\\r\\n\"]\n";
        write_all(
            folder.path(),
            &[
                (
                    "results.json",
                    &format!("{{\"results\": [{}, {}]}}", trial("a", "true"), trial("b", "false")),
                ),
                ("run_metadata.json", "{\"agent_name\": \"terminus\", \"model_name\": \"m\"}"),
                ("b/b.1-of-1.r/results.json", &trial("b", "false")),
                ("b/b.1-of-1.r/sessions/agent.cast", cast),
            ],
        );

        let runs = runs_below(folder.path());

        let results: Vec<_> = runs
            .iter()
            .map(|path| {
                let run = open(path).unwrap().run;
                let steps = run.turns[0].steps.len();
                let agent = (run.agent.name.clone(), run.model.clone());
                (run.title.clone(), run.trial.clone().unwrap().outcome, steps, agent)
            })
            .collect();
        let agent = || ("terminus".to_owned(), Some("m".to_owned()));
        assert_eq!(
            results,
            [
                ("b".into(), Some(Outcome::Failed), 1, agent()),
                ("a".into(), Some(Outcome::Passed), 0, agent()),
            ]
        );
    }

    #[test]
    fn the_sample_jobs_have_their_trials_with_attempts_outcomes_and_notes() {
        let jobs = Path::new(trajview_testing::project()).join("sample-runs/jobs");
        let row = |path: &PathBuf| {
            let run = open(path).unwrap().run;
            let trial = run.trial.as_deref().unwrap();
            let warnings: Vec<&str> = run.warnings.iter().map(|it| &*it.what).collect();
            let notes: Vec<&str> = trial.notes.iter().map(|it| &**it).collect();
            assert_eq!(warnings, notes, "each warning is a note");
            format!(
                "{} {} {} {} {:?} {} {}",
                run.origin.format,
                trial.task.as_deref().unwrap(),
                trial.attempt.unwrap_or_default(),
                trial.outcome.unwrap().word(),
                trial.reward,
                trial.notes.len(),
                run.checkpoints.len()
            )
        };

        let rows: Vec<String> = runs_below(&jobs).iter().map(row).collect();

        assert_eq!(
            rows,
            [
                "harbor parse-dates 1 error None 1 0",
                "atif sum-column 1 passed Some(1.0) 0 1",
                "atif sum-column 2 failed Some(0.0) 0 1",
                "harbor two-steps 1 partial Some(0.75) 0 2",
                "swe-bench made__tinycalc-2 0 failed Some(0.0) 0 1",
                "swe-bench made__tinycalc-3 0 error None 0 0",
                "swe-bench made__tinycalc-4 0 failed Some(0.0) 1 0",
                "swe-agent made__tinycalc-1 0 passed Some(1.0) 0 1",
                "terminal-bench hello-shell 1 passed None 0 1",
                "terminal-bench long-build 1 timeout None 0 0",
            ]
        );
    }

    #[test]
    fn the_trials_of_a_packed_job_have_the_results_of_the_folder() {
        let job = Path::new(trajview_testing::project()).join("sample-runs/jobs/harbor");
        let folder = tempfile::tempdir().unwrap();
        let packed = folder.path().join("job.zip");
        let mut zip = zip::ZipWriter::new(fs::File::create(&packed).unwrap());
        let mut files = vec![];
        collect_files(&job, 0, &mut files);
        for path in files {
            let name = path.strip_prefix(&job).unwrap().to_str().unwrap().to_owned();
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::Write::write_all(&mut zip, &fs::read(&path).unwrap()).unwrap();
        }
        zip.finish().unwrap();
        let results = |job: &Path| {
            let result = |path: &PathBuf| {
                let run = open(path).unwrap().run;
                let name = path.strip_prefix(job).unwrap().to_str().unwrap().to_owned();
                (name, *run.trial.clone().unwrap())
            };
            runs_below(job).iter().map(result).collect::<Vec<_>>()
        };

        let in_folder = results(&job);

        assert_eq!(in_folder.len(), 4);
        assert_eq!(results(&packed), in_folder);
    }

    #[test]
    fn a_long_file_beside_a_record_is_omitted_or_read_from_its_end() {
        let (folder, log) =
            trial_with(r#"{"task_name": "t", "trial_name": "t__1", "trial_uri": "u"}"#);
        let long = "x\n".repeat(MOST_SIDECAR_BYTES / 2 + 1);
        write_all(
            folder.path(),
            &[
                ("exception.txt", &format!("{long}AgentTimeoutError: late\n")),
                ("verifier/ctrf.json", &long),
            ],
        );

        let run = open(&log).unwrap().run;

        assert_eq!(run.trial.as_ref().unwrap().error.as_deref(), Some("AgentTimeoutError: late"));
        let warnings: Vec<_> = run.warnings.iter().map(|it| (&*it.place, &*it.what)).collect();
        assert_eq!(warnings, [("verifier/ctrf.json", "is larger than 4 MiB and is omitted")]);
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn the_trials_of_real_jobs_have_the_outcomes_of_their_harness() {
        let count = |job: &str| {
            let mut counts = std::collections::BTreeMap::new();
            for path in runs_below(&trajview_testing::real_data().join(job)) {
                let run = open(&path).unwrap().run;
                let outcome = run.trial.as_ref().unwrap().outcome.unwrap();
                *counts.entry(outcome.word()).or_insert(0) += 1;
            }
            counts.into_iter().collect::<Vec<_>>()
        };

        assert_eq!(count("harbor/job"), [("error", 1), ("failed", 5), ("passed", 2)]);
        // 28 of 80 are resolved; the tests of two came to no result.
        assert_eq!(count("terminal-bench-1/job"), [("error", 2), ("failed", 50), ("passed", 28)]);
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn real_samples_and_instances_have_the_outcomes_that_their_logs_state() {
        let outcomes = |below: &str| -> Vec<Option<&'static str>> {
            let outcome = |path: &PathBuf| {
                let run = open(path).unwrap().run;
                run.trial.as_ref().and_then(|trial| trial.outcome).map(Outcome::word)
            };
            runs_below(&trajview_testing::real_data().join(below)).iter().map(outcome).collect()
        };

        assert_eq!(outcomes("inspect"), [Some("passed"); 6]);
        assert_eq!(outcomes("swe-agent"), [Some("unscored"); 2]);
        // The first reached its limit of 50 iterations.
        assert_eq!(outcomes("openhands"), [Some("limit"), Some("unscored"), Some("unscored")]);
        // Trajectories of the first versions are messages alone.
        assert_eq!(outcomes("mini-swe-agent"), [None, None]);
        let sample = trajview_testing::real_data().join("inspect/small.eval/default_epoch_2.json");
        let run = open(&sample).unwrap().run;
        let task = run.task.as_ref().unwrap();
        assert_eq!((&*task.id, task.venue.as_deref()), ("default", Some("oxdna_simple")));
        let trial = run.trial.as_ref().unwrap();
        assert_eq!((trial.attempt, trial.reward), (Some(2), Some(1.0)));
        assert_eq!(trial.reward_name.as_deref(), Some("score_metr_task"));
    }

    #[test]
    fn a_result_of_rigorbench_has_the_score_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let result =
            "task_id: t1\nagent_name: Agent-Rigor\nphases:\n- name: execution\n  actions: []\n";
        let scores = "t1:\n  rigor: {sc: 0.5, satisfied: 1, total: 2}\n";
        write_all(
            folder.path(),
            &[("results/rigor_t1.yaml", result), ("results/sc_scores_all.yaml", scores)],
        );

        let runs = runs_below(folder.path());
        assert_eq!(runs, [folder.path().join("results/rigor_t1.yaml")]);
        let run = open(&runs[0]).unwrap().run;
        let trial = run.trial.as_deref().unwrap();
        assert_eq!((trial.outcome, trial.reward), (Some(Outcome::Partial), Some(0.5)));
        assert_eq!(trial.reward_name.as_deref(), Some("sc"));
    }

    /// The parts of a report of an instance.
    fn instance_report(instance: &str, resolved: bool) -> String {
        format!(
            r#"{{"{instance}": {{"patch_is_None": false, "patch_exists": true, "patch_successfully_applied": true,
            "resolved": {resolved}, "tests_status": {{"FAIL_TO_PASS": {{"success": ["a"], "failure": ["b"]}}}}}}}}"#
        )
    }

    fn rows_below(folder: &Path) -> Vec<String> {
        let row = |path: &PathBuf| {
            let run = open(path).unwrap().run;
            let trial = run.trial.clone().unwrap_or_default();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let word = trial.outcome.map_or("—", Outcome::word);
            assert_eq!(run.task.as_ref().map(|it| &*it.id), trial.task.as_deref());
            format!("{name} {word}")
        };
        runs_below(folder).iter().map(row).collect()
    }

    #[test]
    fn evaluations_of_swe_bench_alone_are_a_table_of_trials() {
        let folder = tempfile::tempdir().unwrap();
        let below = "logs/run_evaluation/r1/some__model";
        let report = r#"{"total_instances": 4, "submitted_instances": 4, "submitted_ids": ["a__a-1", "a__a-2", "a__a-3", "a__a-4"],
            "resolved_ids": ["a__a-1"], "unresolved_ids": ["a__a-2"], "error_ids": ["a__a-3"], "empty_patch_ids": ["a__a-4"]}"#;
        let line = "2026-01-01 00:00:00,000 - ERROR - Error in evaluating model for a__a-3: no space\nTraceback\n";
        write_all(
            folder.path(),
            &[
                (&format!("{below}/a__a-1/report.json"), &instance_report("a__a-1", true)),
                (&format!("{below}/a__a-1/test_output.txt"), "2 passed"),
                (&format!("{below}/a__a-2/report.json"), &instance_report("a__a-2", false)),
                (&format!("{below}/a__a-3/run_instance.log"), line),
                ("some__model.r1.json", report),
            ],
        );

        let expected = [
            "logs/run_evaluation/r1/some__model/a__a-1/report.json passed",
            "logs/run_evaluation/r1/some__model/a__a-2/report.json failed",
            "logs/run_evaluation/r1/some__model/a__a-3/run_instance.log error",
            "some__model.r1.json/a__a-4 failed",
        ];
        assert_eq!(rows_below(folder.path()), expected);
        let alone = folder.path().join("logs/run_evaluation");
        assert_eq!(runs_below(&alone).len(), 3);
        let report = folder.path().join("some__model.r1.json");
        let rows = ["a__a-1 passed", "a__a-2 failed", "a__a-3 error", "a__a-4 failed"];
        assert_eq!(rows_below(&report), rows);

        let first = open(&folder.path().join(below).join("a__a-1/report.json")).unwrap().run;
        assert_eq!(first.model.as_deref(), Some("some__model"));
        let tests = first.checkpoints[0].recorded.as_ref().unwrap().tests.as_ref().unwrap();
        assert_eq!((tests.strict.passed, tests.strict.total), (1, 2));
        let broken = open(&folder.path().join(below).join("a__a-3/run_instance.log")).unwrap().run;
        assert_eq!(broken.trial.as_ref().unwrap().error.as_deref(), Some("no space"));
    }

    #[test]
    fn what_was_submitted_without_a_log_is_a_row_and_each_trial_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let preds =
            r#"{"made__calc-1": {"model_patch": "diff"}, "made__calc-2": {"model_patch": ""}}"#;
        let log = "run/made__calc-1/made__calc-1.traj";
        write_all(folder.path(), &[(log, TRAJ), ("run/preds.json", preds)]);

        let expected = [format!("{log} unscored"), "run/preds.json/made__calc-2 unscored".into()];
        assert_eq!(rows_below(folder.path()), expected);

        let report = r#"{"total_instances": 2, "submitted_instances": 2, "resolved_ids": ["made__calc-1"],
            "empty_patch_ids": ["made__calc-2"]}"#;
        write_all(folder.path(), &[("m.r.json", report)]);
        let expected = ["m.r.json/made__calc-2 failed".into(), format!("{log} passed")];
        assert_eq!(rows_below(folder.path()), expected);
    }

    #[test]
    fn a_log_has_the_evaluation_of_its_model_wherever_it_is_in_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let log = |model: &str| format!("trajectories/{model}/a__a-1/a__a-1.traj");
        let record = |run: &str, model: &str| {
            format!("logs/run_evaluation/{run}/{model}/a__a-1/report.json")
        };
        write_all(
            folder.path(),
            &[
                (&log("one"), TRAJ),
                (&log("two"), TRAJ),
                ("trajectories/two/preds.json", r#"{"a__a-1": {"model_patch": "diff"}}"#),
                (&record("r", "one"), &instance_report("a__a-1", true)),
                (&record("r", "two"), &instance_report("a__a-1", false)),
            ],
        );

        let expected = [
            "trajectories/one/a__a-1/a__a-1.traj passed",
            "trajectories/two/a__a-1/a__a-1.traj failed",
        ];
        assert_eq!(rows_below(folder.path()), expected);

        // Another model without a log is a row of its own.
        write_all(folder.path(), &[(&record("r", "three"), &instance_report("a__a-1", false))]);
        assert_eq!(rows_below(folder.path())[0], format!("{} failed", record("r", "three")));
        assert_eq!(rows_below(folder.path()).len(), 3);

        // A log that names no model has none of the evaluations of several.
        fs::rename(folder.path().join("trajectories/one"), folder.path().join("trajectories/x"))
            .unwrap();
        let run = open(&folder.path().join(log("x"))).unwrap().run;
        assert_eq!(run.trial.as_ref().unwrap().outcome, Some(Outcome::Unscored));
        assert!(run.warnings[0].what.contains("(one, three, two)"), "{}", run.warnings[0].what);
        let named = TRAJ.replacen('{', r#"{"environment": "a__a-1", "replay_config": "{}", "#, 1);
        let pred =
            r#"{"model_name_or_path": "one", "instance_id": "a__a-1", "model_patch": "diff"}"#;
        write_all(
            folder.path(),
            &[(&log("x"), &named), ("trajectories/x/a__a-1/a__a-1.pred", pred)],
        );
        let run = open(&folder.path().join(log("x"))).unwrap().run;
        assert_eq!(run.trial.as_ref().unwrap().outcome, Some(Outcome::Passed));
    }

    #[test]
    fn the_report_of_a_run_is_found_by_its_content_and_each_of_its_lists_is_an_outcome() {
        let outcome = |name: &str, lists: &str| {
            let folder = tempfile::tempdir().unwrap();
            let report = format!("{{\"total_instances\": 1, \"submitted_instances\": 1, {lists}}}");
            let log = "made__calc-1/made__calc-1.traj";
            write_all(folder.path(), &[(log, TRAJ), (name, &report)]);
            assert_eq!(runs_below(folder.path()), [folder.path().join(log)]);
            let run = open(&folder.path().join(log)).unwrap().run;
            run.trial.as_ref().unwrap().outcome.unwrap().word()
        };
        let listed = |list: &str| {
            format!("\"submitted_ids\": [\"made__calc-1\"], \"{list}\": [\"made__calc-1\"]")
        };

        assert_eq!(outcome("org__m.run.json", &listed("resolved_ids")), "passed");
        assert_eq!(outcome("org__m.run.json", &listed("unresolved_ids")), "failed");
        assert_eq!(outcome("org__m.run.json", &listed("empty_patch_ids")), "failed");
        assert_eq!(outcome("org__m.run.json", &listed("error_ids")), "error");
        let cloud = "sb-cli-reports/swe-bench_lite__dev__run.json";
        assert_eq!(outcome(cloud, &listed("resolved_ids")), "passed");
        assert_eq!(outcome(cloud, &listed("completed_ids")), "failed");
        assert_eq!(outcome(cloud, &listed("failed_ids")), "failed");
        assert_eq!(outcome(cloud, &listed("pending_ids")), "unscored");
    }

    const TRAJ: &str = r#"{"trajectory": [{"action": "ls", "observation": "a", "thought": "t", "response": "r"}],
        "history": [{"role": "user", "content": "go"}], "info": {"exit_status": "submitted", "submission": "diff"}}"#;

    /// Opens `<instance>/<instance>.traj` with these files in the folder above it.
    fn swe_run(files: &[(&str, &str)]) -> std::sync::Arc<Run> {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("made__calc-1/made__calc-1.traj");
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        fs::write(&log, TRAJ).unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        open(&log).unwrap().run
    }

    #[test]
    fn what_was_submitted_is_unscored_until_a_report_says_more() {
        let outcome = |files: &[(&str, &str)]| swe_run(files).trial.as_ref().unwrap().outcome;

        assert_eq!(outcome(&[]), Some(Outcome::Unscored));
        let preds = ("preds.json", r#"{"made__calc-1": {"model_patch": "diff"}}"#);
        assert_eq!(outcome(&[preds]), Some(Outcome::Unscored));
        let results = ("results.json", r#"{"resolved": ["made__calc-1"]}"#);
        assert_eq!(outcome(&[preds, results]), Some(Outcome::Passed));
        let own = ("made__calc-1/report.json", r#"{"made__calc-1": {"resolved": false}}"#);
        assert_eq!(outcome(&[preds, own]), Some(Outcome::Failed));
        let named = ("made__calc-1/made__calc-1.eval.json", r#"{"resolved": true}"#);
        assert_eq!(outcome(&[named]), Some(Outcome::Passed));
    }

    #[test]
    fn the_verdict_of_a_report_is_before_that_of_the_log_itself() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("made__calc-1/made__calc-1.traj");
        let row = TRAJ.replacen('{', r#"{"instance_id": "made__calc-1", "target": true, "#, 1);
        let report = r#"{"made__calc-1": {"resolved": false}}"#;
        write_all(
            folder.path(),
            &[("made__calc-1/made__calc-1.traj", &row), ("made__calc-1/report.json", report)],
        );

        let run = open(&log).unwrap().run;

        let trial = run.trial.as_deref().unwrap();
        assert_eq!((trial.outcome, trial.reward), (Some(Outcome::Failed), Some(0.0)));
        assert_eq!(trial.notes, ["the log says passed".into()]);
    }

    #[test]
    fn a_damaged_report_of_swe_bench_is_a_warning_and_the_status_of_the_agent_stays() {
        let run = swe_run(&[("made__calc-1/report.json", "{\"made__calc-1\": {\"resolved\": tr")]);

        assert_eq!(run.trial.as_ref().unwrap().outcome, Some(Outcome::Unscored));
        let warning = run.warnings.last().unwrap();
        assert_eq!(warning.place, "report.json");
        assert!(warning.what.starts_with("not the JSON of an evaluation: "), "{}", warning.what);
    }
}
