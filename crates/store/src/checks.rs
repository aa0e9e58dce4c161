//! Results of commands that were run on the files of a run's moments: `checks.jsonl` of a bundle, and a file beside the
//! cache for recordings that are none or cannot be written to. Lines are only ever added.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use trajview_metrics::process::checked_states::{self, ChangedMoment, CheckRun, CheckedState};
use trajview_run::{
    Run, StepId, Warning,
    files::{ChangeOrigin, ChangeVersion, FileChange, SourceTree, Timeline},
};

use super::{Archive, DiskCache, digest::sha256, disk, remote, write::WriteError};

/// The name of the file, in a bundle and beside the cache.
const FILE_NAME: &str = "checks.jsonl";

/// The most bytes of such a file that are read.
const MOST_BYTES: u64 = 64 << 20;

/// The moments of a run that are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CheckedMoments {
    /// The end of each turn that changed files.
    #[default]
    Turn,
    /// The states after turns, and the state after each edit, in turns whose steps record every change.
    Edit,
}

/// Returns the moments of a run after which its files differ from before, in order.
pub fn checked_moments(run: &Run, timeline: &Timeline, each: CheckedMoments) -> Vec<ChangedMoment> {
    let mut changed: Vec<ChangedMoment> = vec![];
    let mut tree = timeline.base.clone();
    for (turn, files) in timeline.turns.iter().enumerate() {
        if files.changes.is_empty() {
            continue;
        }
        let before = tree.clone();
        tree.apply_changes(&files.changes);
        let end = tree_digest(&tree);
        if each == CheckedMoments::Edit && steps_tell_all_changes(&files.changes, &files.steps) {
            let mut inside = before;
            for (step, changes) in &files.steps {
                inside.apply_changes(changes);
                changed.push(ChangedMoment {
                    turn,
                    step: Some(*step),
                    opens: Some(*step),
                    commit: None,
                    tree: tree_digest(&inside),
                });
            }
            // The last edit leaves what the turn ends with.
            if changed.last().is_some_and(|last| last.turn == turn && last.tree == end) {
                changed.pop();
            }
        }
        let recorded = run.turns.get(turn).and_then(|turn| turn.commit.as_deref());
        let last_edit = files.steps.last().map(|(step, _)| *step);
        changed.push(ChangedMoment {
            turn,
            step: None,
            opens: last_edit.or_else(|| run.steps_of_turn(turn).last().copied()),
            commit: recorded.map(str::to_owned),
            tree: end,
        });
    }
    changed
}

/// Returns whether the steps of a turn record all its changes, with every content.
fn steps_tell_all_changes(changes: &[FileChange], steps: &[(StepId, Vec<FileChange>)]) -> bool {
    let is_recorded = |change: &FileChange| match &change.version {
        ChangeVersion::Whole { new, .. } => new.is_none_or(|file| file.blob_id().is_some()),
        ChangeVersion::Hunks(_) | ChangeVersion::Part(_) | ChangeVersion::Binary => false,
    };
    changes.iter().all(|change| change.origin == ChangeOrigin::Recorded)
        && steps.iter().flat_map(|(_, changes)| changes).all(is_recorded)
}

/// Returns a digest of the files: equal where all paths, modes and contents are equal.
fn tree_digest(tree: &SourceTree) -> String {
    let line = |(path, file): (&trajview_run::RepoPath, &trajview_run::files::TreeFile)| {
        let blob = file.blob_id().map_or_else(|| "-".into(), |blob| blob.to_string());
        format!("{} {blob} {path}\n", file.mode.octal())
    };
    sha256(tree.files.iter().map(line).collect::<String>().as_bytes())
}

/// Returns the states of a run with their kept results; empty where there are none.
pub fn check_states(archive: &Archive, run: &Run, timeline: &Timeline) -> Vec<CheckedState> {
    let (checks, _) = stored_checks(archive);
    if checks.is_empty() {
        return vec![];
    }
    let has_steps = checks.iter().any(|check| check.step.is_some());
    let each = if has_steps { CheckedMoments::Edit } else { CheckedMoments::Turn };
    checked_states::checked_states(checked_moments(run, timeline, each), &checks)
}

/// Returns all kept results for this recording, the oldest first, and the problems of lines. Results of other
/// recordings may be among them.
pub fn stored_checks(archive: &Archive) -> (Vec<CheckRun>, Vec<Warning>) {
    let (mut checks, mut warnings) = (vec![], vec![]);
    let elsewhere = path_beside_cache().map(|path| (path.display().to_string(), path));
    let in_bundle = archive.bundle().map(|bundle| (FILE_NAME.to_owned(), path_in_bundle(bundle)));
    for (name, path) in elsewhere.into_iter().chain(in_bundle) {
        let (read, wrong) = read_checks(&name, &path);
        checks.extend(read);
        warnings.extend(wrong);
    }
    (checks, warnings)
}

/// Returns the problems of the lines that a bundle has.
pub fn check_problems(archive: &Archive) -> Vec<Warning> {
    archive
        .bundle()
        .map(|bundle| read_checks(FILE_NAME, &path_in_bundle(bundle)).1)
        .unwrap_or_default()
}

/// Returns the results in a file that warnings call `name`.
fn read_checks(name: &str, path: &Path) -> (Vec<CheckRun>, Vec<Warning>) {
    let text = match read_text(path) {
        Ok(text) => text.unwrap_or_default(),
        Err(why) => {
            let what = format!("cannot be read: {}", super::file_bytes::error_reason(&why));
            return (vec![], vec![Warning { place: name.to_owned(), what }]);
        }
    };
    let (checks, wrong) = checked_states::read_checks(&text);
    let warning = |(line, what)| Warning { place: format!("{name}:{line}"), what };
    (checks, wrong.into_iter().map(warning).collect())
}

fn path_in_bundle(bundle: &Path) -> PathBuf {
    bundle.join(FILE_NAME)
}

fn path_beside_cache() -> Option<PathBuf> {
    Some(DiskCache::default_path()?.with_file_name(FILE_NAME))
}

/// Returns None where there is none. Of a file that is too large the end is read, where the last results are.
fn read_text(path: &Path) -> io::Result<Option<String>> {
    let meta = match disk::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why),
    };
    if !meta.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut file = disk::open_file(path)?;
    let skipped = meta.len().saturating_sub(MOST_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = vec![];
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(match text.split_once('\n').filter(|_| skipped > 0) {
        Some((_, whole)) => whole.to_owned(),
        None => text.into_owned(),
    }))
}

/// Adds a result to the bundle, or to the file beside the cache where there is no bundle or it cannot be written.
/// Returns the path of the file.
pub fn store_check(archive: &Archive, check: &CheckRun) -> Result<PathBuf, WriteError> {
    if let Some(path) = archive.bundle().map(path_in_bundle)
        && append_check(&path, check).is_ok()
    {
        return Ok(path);
    }
    let path = path_beside_cache().ok_or_else(|| {
        let why = "no home folder is known, and the recording cannot be written to";
        WriteError::new(Path::new(FILE_NAME), why)
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(WriteError::at_path(folder))?;
    append_check(&path, check).map_err(WriteError::at_path(&path))?;
    Ok(path)
}

/// Adds a line in one write. A line that was cut off before, by a program that was killed, stays a line of its own.
fn append_check(path: &Path, check: &CheckRun) -> io::Result<()> {
    remote::refuse_writing(path)?;
    if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(io::Error::other("not a file"));
    }
    let mut file = fs::OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let mut line = String::new();
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        line.extend((last != *b"\n").then_some('\n'));
    }
    line.push_str(&serde_json::to_string(check).map_err(io::Error::other)?);
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_metrics::process::checked_states::{CheckKind, CheckOutcome};

    fn open_sample() -> super::super::OpenedRecording {
        let path = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        super::super::open(&path).unwrap()
    }

    #[test]
    fn a_moment_inside_a_turn_has_the_files_of_its_edit() {
        let opened = open_sample();
        let timeline = opened.archive.timeline(&opened.run).unwrap();

        let turns = checked_moments(&opened.run, &timeline, CheckedMoments::Turn);
        let edits = checked_moments(&opened.run, &timeline, CheckedMoments::Edit);

        assert!(edits.len() > turns.len());
        let ends: Vec<_> = edits.iter().filter(|it| it.step.is_none()).cloned().collect();
        assert_eq!(ends, turns);
        for moment in &edits {
            assert_eq!(
                tree_digest(&timeline.tree_at(&opened.run, moment.files_moment())),
                moment.tree
            );
        }
        assert!(turns.iter().all(|moment| moment.opens.is_some() && moment.commit.is_some()));
    }

    #[test]
    fn a_line_that_was_cut_off_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        fs::write(&path, "{\"kind\":\"bu").unwrap();
        let check = CheckRun {
            kind: CheckKind::Build,
            command: "make".into(),
            tree: "t".into(),
            commit: None,
            turn: 1,
            step: None,
            outcome: CheckOutcome::Fine,
            exit_code: Some(0),
            seconds: Some(0.5),
            at: None,
            output: "a\nb".into(),
        };

        append_check(&path, &check).unwrap();
        append_check(&path, &check).unwrap();

        let (checks, problems) = checked_states::read_checks(&read_text(&path).unwrap().unwrap());
        assert_eq!((checks, problems.len()), (vec![check.clone(), check], 1));
    }
}
