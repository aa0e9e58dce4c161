//! Builds and tests the code of a recorded run: the files of a moment are written into a temporary folder, and a command of
//! the person runs there as the tests of a live run do. Its results for a checkpoint become lines of `tests.jsonl`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use trajview_judge::stop_flag::StopFlag;
use trajview_run::files::{FileMode, SourceTree};
use trajview_store as store;
use trajview_store::write::{WriteError, replace_file};

use super::{
    checkpoint_tests::{self, CommandLimits, CommandOutput, TestOutcomes},
    confine::Confinement,
    orphans,
    run_folders::{self, RunFolders},
    setup::RunSetup,
};

/// A command to run, and the place of its results.
#[derive(Debug, Clone, PartialEq)]
pub struct RecheckOptions {
    /// For `sh -c`, in the folder of the files.
    pub command: String,
    /// The JUnit XML file that the command writes, below that folder; None when its output has the results.
    pub report: Option<String>,
    /// The time limit of the command (seconds).
    pub seconds: f64,
}

/// Tests the files of a run after `done` turns. The error is a sentence.
pub fn test_after_turns(
    bundle: &Path,
    opened: &store::OpenedRecording,
    done: usize,
    recheck: &RecheckOptions,
    stop: &StopFlag,
) -> Result<TestOutcomes, String> {
    let tree = opened.archive.timeline(&opened.run)?.tree_after(done);
    let limits = CommandLimits { seconds: recheck.seconds, stop };
    let report = recheck.report.as_deref().map(Path::new);
    in_scratch(bundle, opened, &tree, &|folder, run_folders, confinement| {
        checkpoint_tests::run_tests(
            &recheck.command,
            (folder, report),
            run_folders,
            confinement,
            &limits,
        )
    })
}

/// Runs a command on some files of a run, with the recording hidden from it. The error is a sentence: it could not be run.
pub(crate) fn run_on_files(
    recording: &Path,
    opened: &store::OpenedRecording,
    tree: &SourceTree,
    command: &str,
    limits: &CommandLimits<'_>,
) -> Result<CommandOutput, String> {
    in_scratch(recording, opened, tree, &|folder, run_folders, confinement| {
        checkpoint_tests::run_command(command, folder, run_folders, confinement, limits)
    })
}

/// Returns why a command could reach the recording here; a sentence. None when it cannot.
pub fn reach_problem(recording: &Path) -> Option<String> {
    Confinement::for_run(
        existing_part(recording),
        &RunSetup::new("tests", run_folders::temporary_folder()),
    )
    .hiding_problem()
}

/// Returns the existing file or folder that a recording is part of.
fn existing_part(recording: &Path) -> &Path {
    recording.ancestors().find(|path| path.exists()).unwrap_or(recording)
}

type ScratchWork<'a, T> = dyn Fn(&Path, &RunFolders, &Confinement) -> Result<T, String> + 'a;

/// Writes the files into a temporary folder, runs `work` there, and removes everything.
fn in_scratch<T>(
    recording: &Path,
    opened: &store::OpenedRecording,
    tree: &SourceTree,
    work: &ScratchWork<'_, T>,
) -> Result<T, String> {
    let scratch = ScratchFolders::new().map_err(|why| why.to_string())?;
    let folder = scratch.0.workspace();
    write_files(opened, tree, &folder)?;
    let setup = RunSetup::new("tests", scratch.0.root().to_owned());
    let confinement = Confinement::for_run(existing_part(recording), &setup);
    let confinement =
        if confinement.hiding_problem().is_none() { confinement } else { Confinement::default() };
    let worked = work(&folder, &scratch.0, &confinement);
    orphans::kill_orphans(&scratch.0.id);
    worked
}

/// Folders that are removed on drop.
struct ScratchFolders(RunFolders);

impl ScratchFolders {
    fn new() -> Result<Self, WriteError> {
        let root = run_folders::temporary_folder();
        let id = root.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut run_folders = RunFolders::create(&root, &id.unwrap_or_default())?;
        run_folders.set_test_environment();
        Ok(Self(run_folders))
    }
}

impl Drop for ScratchFolders {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.root()); // it lies among the temporary files
    }
}

fn write_files(
    opened: &store::OpenedRecording,
    tree: &SourceTree,
    folder: &Path,
) -> Result<(), String> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let is_link = |mode: FileMode| mode == FileMode::Link;
    // Links last: nothing is written through them.
    for links in [false, true] {
        let files = tree.files.iter().filter(|(_, file)| is_link(file.mode) == links);
        for (path, file) in files.filter(|(_, file)| file.mode != FileMode::Submodule) {
            let place = folder.join(path.as_str());
            let content =
                archive.file_content(run, *file).map_err(|why| format!("{path}: {why}"))?;
            write_file(&place, &content, file.mode).map_err(|why| format!("{path}: {why}"))?;
        }
    }
    check_not_empty(tree)
}

/// Rejects a moment without files: there is nothing to test.
fn check_not_empty(tree: &SourceTree) -> Result<(), String> {
    if tree.files.is_empty() { Err("no file of this moment is recorded".into()) } else { Ok(()) }
}

fn write_file(place: &Path, content: &[u8], mode: FileMode) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    if mode == FileMode::Link {
        return make_link(content, place);
    }
    fs::write(place, content)?;
    if mode == FileMode::Executable { make_executable(place) } else { Ok(()) }
}

#[cfg(unix)]
fn make_link(target: &[u8], place: &Path) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(target), place)
}

#[cfg(not(unix))]
fn make_link(target: &[u8], place: &Path) -> std::io::Result<()> {
    fs::write(place, target)
}

#[cfg(unix)]
fn make_executable(place: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(place, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_place: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Copies `tests.jsonl` to another name if it has outcomes of these checkpoints, because new outcomes take their place;
/// returns the name, or None when there is nothing to keep.
pub fn keep_outcomes(bundle: &Path, checkpoints: &[String]) -> Result<Option<PathBuf>, WriteError> {
    let path = bundle.join("tests.jsonl");
    let Ok(text) = fs::read(&path) else { return Ok(None) };
    if !checkpoints
        .iter()
        .any(|checkpoint| checkpoint_tests::has_checkpoint_tests(&text, checkpoint))
    {
        return Ok(None);
    }
    let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ").to_string();
    let kept = bundle.join(format!("tests-before-{stamp}.jsonl"));
    replace_file(&kept, &text)?;
    Ok(Some(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_run() -> (tempfile::TempDir, store::OpenedRecording) {
        let place = tempfile::tempdir().unwrap();
        let source = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        let bundle = place.path().join("run");
        let copy = std::process::Command::new("cp").arg("-r").arg(source).arg(&bundle).status();
        assert!(copy.unwrap().success());
        let opened = store::open(&bundle).unwrap();
        (place, opened)
    }

    fn test_sample(
        command: &str,
        report: Option<&str>,
        seconds: f64,
    ) -> Result<TestOutcomes, String> {
        let (place, opened) = sample_run();
        let (command, report) = (command.to_owned(), report.map(str::to_owned));
        let recheck = RecheckOptions { command, report, seconds };
        test_after_turns(&place.path().join("run"), &opened, 3, &recheck, &StopFlag::default())
    }

    #[test]
    fn a_command_finds_the_files_of_its_moment_and_an_environment_of_its_own() {
        let command =
            "test -d ppdiff && test -z \"$TRAJVIEW_REAL_DATA\" && test \"$PWD\" != \"$HOME\"";
        let tested = test_sample(command, None, 20.0).unwrap();
        assert_eq!(tested.cases, [(command.to_owned(), "passed".to_owned())]);
    }

    #[test]
    fn a_report_in_junits_xml_is_read_test_by_test() {
        let xml = r#"<?xml version="1.0"?><testsuites><testsuite name="s"><testcase classname="t.A" name="one"/><testcase name="two"><failure message="no"/></testcase><testcase name="three"><skipped/></testcase><testcase name="four"><error/></testcase></testsuite></testsuites>"#;
        let names = ["t.A.one passed", "two failed", "three skipped", "four error"];
        let command = format!("echo '{xml}' > out.xml; exit 1");
        for tested in [
            test_sample(&command, Some("out.xml"), 20.0),
            test_sample(&format!("echo '{xml}'"), None, 20.0),
        ] {
            let cases = tested.unwrap().cases;
            let cases: Vec<String> =
                cases.iter().map(|(name, outcome)| format!("{name} {outcome}")).collect();
            assert_eq!(cases, names);
        }
        let why = test_sample("true", Some("none.xml"), 20.0).unwrap_err();
        assert!(why.starts_with("the command wrote no none.xml"), "{why}");
        let why = test_sample("true", Some("../../etc/passwd"), 20.0).unwrap_err();
        assert!(why.contains("is not a path inside"), "{why}");
    }

    #[test]
    fn a_command_that_hangs_or_floods_is_ended() {
        let why = test_sample("yes", None, 0.5).unwrap_err();
        assert!(why.starts_with("the tests were not over within"), "{why}");
        let (place, opened) = sample_run();
        let recheck = RecheckOptions { command: "sleep 600".into(), report: None, seconds: 600.0 };
        let stop = StopFlag::default();
        stop.set();
        let why =
            test_after_turns(&place.path().join("run"), &opened, 3, &recheck, &stop).unwrap_err();
        assert_eq!(why, "stopped");
    }

    #[test]
    fn outcomes_that_new_ones_take_the_place_of_are_kept_under_another_name() {
        let (place, _) = sample_run();
        let bundle = place.path().join("run");
        let before = "{\"checkpoint\":\"c1\",\"test\":\"a\",\"outcome\":\"failed\"}\n";
        fs::write(bundle.join("tests.jsonl"), before).unwrap();
        assert_eq!(keep_outcomes(&bundle, &["c2".into()]).unwrap(), None);
        let kept = keep_outcomes(&bundle, &["c1".into()]).unwrap().unwrap();
        assert_eq!(fs::read_to_string(kept).unwrap(), before);
    }
}
