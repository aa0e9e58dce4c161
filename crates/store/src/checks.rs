//! Results of commands that were run on the files of a run's moments: `checks.jsonl` of a bundle, and a file beside the cache for
//! recordings that are none or cannot be written to. Lines are only ever added.

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use trajview_metrics::process::states::{self, Check, Moment, State};
use trajview_run::{
    Run, StepId, Warning,
    files::{Change, Origin, Timeline, Tree, Version},
};

use super::{Archive, Cache, digest::sha256, disk, remote, write::WriteError};

/// The name of the file, in a bundle and beside the cache.
const NAME: &str = "checks.jsonl";

/// Bytes of such a file that are read.
const MOST_BYTES: u64 = 64 << 20;

/// Which moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Each {
    /// The end of each turn that changed files.
    #[default]
    Turn,
    /// Beside these the state after each edit, in turns whose steps tell everything that changed.
    Edit,
}

/// The moments of a run at which its files are others than before, in order.
pub fn moments(run: &Run, timeline: &Timeline, each: Each) -> Vec<Moment> {
    let mut found: Vec<Moment> = vec![];
    let mut tree = timeline.base.clone();
    for (turn, files) in timeline.turns.iter().enumerate() {
        if files.changes.is_empty() {
            continue;
        }
        let before = tree.clone();
        files.changes.iter().for_each(|change| tree.apply(change));
        let end = name_of(&tree);
        if each == Each::Edit && tells_steps(&files.changes, &files.steps) {
            let mut inside = before;
            for (step, changes) in &files.steps {
                changes.iter().for_each(|change| inside.apply(change));
                found.push(Moment {
                    turn,
                    step: Some(*step),
                    opens: Some(*step),
                    commit: None,
                    tree: name_of(&inside),
                });
            }
            // The last edit leaves what the turn ends with.
            if found.last().is_some_and(|last| last.turn == turn && last.tree == end) {
                found.pop();
            }
        }
        let recorded = run.turns.get(turn).and_then(|turn| turn.commit.as_deref());
        let last_edit = files.steps.last().map(|(step, _)| *step);
        found.push(Moment {
            turn,
            step: None,
            opens: last_edit.or_else(|| run.steps_of_turn(turn).last().copied()),
            commit: recorded.map(str::to_owned),
            tree: end,
        });
    }
    found
}

/// Whether the steps of a turn tell all that it changed, with every content.
fn tells_steps(changes: &[Change], steps: &[(StepId, Vec<Change>)]) -> bool {
    let is_told = |change: &Change| match &change.version {
        Version::Whole { new, .. } => new.is_none_or(|file| file.blob().is_some()),
        Version::Hunks(_) | Version::Part(_) | Version::Binary => false,
    };
    changes.iter().all(|change| change.origin == Origin::Recorded)
        && steps.iter().flat_map(|(_, changes)| changes).all(is_told)
}

/// What files are known by: equal where all paths, modes and contents are.
fn name_of(tree: &Tree) -> String {
    let line = |(path, file): (&trajview_run::RepoPath, &trajview_run::files::TreeFile)| {
        let blob = file.blob().map_or_else(|| "-".into(), |blob| blob.to_string());
        format!("{} {blob} {path}\n", file.mode.octal())
    };
    sha256(tree.files.iter().map(line).collect::<String>().as_bytes())
}

/// The states of a run with what is kept of them; empty where nothing is.
pub(super) fn states(archive: &Archive, run: &Run, timeline: &Timeline) -> Vec<State> {
    let (checks, _) = kept(archive);
    if checks.is_empty() {
        return vec![];
    }
    let has_steps = checks.iter().any(|check| check.step.is_some());
    let each = if has_steps { Each::Edit } else { Each::Turn };
    states::states(moments(run, timeline, each), &checks)
}

/// Everything that is kept for this recording, the oldest first, and what is wrong with lines. Results of other recordings may be
/// among it.
pub fn kept(archive: &Archive) -> (Vec<Check>, Vec<Warning>) {
    let (mut checks, mut warnings) = (vec![], vec![]);
    let elsewhere = beside_cache().map(|path| (path.display().to_string(), path));
    let own = archive.bundle().map(|bundle| (NAME.to_owned(), in_bundle(bundle)));
    for (name, path) in elsewhere.into_iter().chain(own) {
        let (read, wrong) = read(&name, &path);
        checks.extend(read);
        warnings.extend(wrong);
    }
    (checks, warnings)
}

/// What is wrong with the lines that a bundle has.
pub fn problems(archive: &Archive) -> Vec<Warning> {
    archive.bundle().map(|bundle| read(NAME, &in_bundle(bundle)).1).unwrap_or_default()
}

/// The results in a file that warnings call `name`.
fn read(name: &str, path: &Path) -> (Vec<Check>, Vec<Warning>) {
    let text = match text_of(path) {
        Ok(text) => text.unwrap_or_default(),
        Err(why) => {
            let what = format!("cannot be read: {}", super::bytes::reason(&why));
            return (vec![], vec![Warning { place: name.to_owned(), what }]);
        }
    };
    let (checks, wrong) = states::read(&text);
    let warning = |(line, what)| Warning { place: format!("{name}:{line}"), what };
    (checks, wrong.into_iter().map(warning).collect())
}

fn in_bundle(bundle: &Path) -> PathBuf {
    bundle.join(NAME)
}

fn beside_cache() -> Option<PathBuf> {
    Some(Cache::default_path()?.with_file_name(NAME))
}

/// None where there is none. Of a file that is too large the end is read, where the last results are.
fn text_of(path: &Path) -> io::Result<Option<String>> {
    let meta = match disk::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why),
    };
    if !meta.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut file = disk::open(path)?;
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

/// Adds a result to the bundle, or to the file beside the cache where there is none or it cannot be written; says where.
pub fn keep(archive: &Archive, check: &Check) -> Result<PathBuf, WriteError> {
    if let Some(path) = archive.bundle().map(in_bundle)
        && add(&path, check).is_ok()
    {
        return Ok(path);
    }
    let path = beside_cache().ok_or_else(|| {
        let why = "no home folder is known, and the recording cannot be written to";
        WriteError::new(Path::new(NAME), why)
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(WriteError::at(folder))?;
    add(&path, check).map_err(WriteError::at(&path))?;
    Ok(path)
}

/// One write for a line; one that was cut off before, by a program that was killed, stays a line of its own.
fn add(path: &Path, check: &Check) -> io::Result<()> {
    remote::refuse_writing(path)?;
    if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(io::Error::other("it is no file"));
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
    use trajview_metrics::process::states::{CheckKind, CheckOutcome};

    fn sample() -> super::super::Opened {
        let path = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        super::super::open(&path).unwrap()
    }

    #[test]
    fn a_moment_inside_a_turn_has_the_files_of_its_edit() {
        let opened = sample();
        let timeline = opened.archive.timeline(&opened.run).unwrap();

        let turns = moments(&opened.run, &timeline, Each::Turn);
        let edits = moments(&opened.run, &timeline, Each::Edit);

        assert!(edits.len() > turns.len());
        let ends: Vec<_> = edits.iter().filter(|it| it.step.is_none()).cloned().collect();
        assert_eq!(ends, turns);
        for moment in &edits {
            assert_eq!(name_of(&timeline.tree_at(&opened.run, moment.files())), moment.tree);
        }
        assert!(turns.iter().all(|moment| moment.opens.is_some() && moment.commit.is_some()));
    }

    #[test]
    fn a_line_that_was_cut_off_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        fs::write(&path, "{\"kind\":\"bu").unwrap();
        let check = Check {
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

        add(&path, &check).unwrap();
        add(&path, &check).unwrap();

        let (checks, problems) = states::read(&text_of(&path).unwrap().unwrap());
        assert_eq!((checks, problems.len()), (vec![check.clone(), check], 1));
    }
}
