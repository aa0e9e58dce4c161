//! Building and testing the code of a recorded run: the files of a moment are written into a scratch folder, and a command of
//! the person's runs there as the tests of a live run do. What it says of a checkpoint becomes lines of `tests.jsonl`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use trajview_judge::stop::Stop;
use trajview_run::files::{FileMode, Tree};
use trajview_store as store;
use trajview_store::write::{WriteError, replace};

use super::{
    checks::{self, Limits, Said, Tested},
    confine::Confinement,
    process,
    setup::Setup,
    stage::{self, Stage},
};

/// What is to be run, and where its outcome is found.
#[derive(Debug, Clone, PartialEq)]
pub struct Recheck {
    /// For `sh -c`, in the folder of the files.
    pub command: String,
    /// A file that the command writes in JUnit's XML, below that folder; None where its output says it all.
    pub report: Option<String>,
    /// It is ended after so many seconds.
    pub seconds: f64,
}

/// Tests the files of a run after so many turns. The error is a sentence.
pub fn test_after(
    bundle: &Path,
    opened: &store::Opened,
    done: usize,
    recheck: &Recheck,
    stop: &Stop,
) -> Result<Tested, String> {
    let tree = opened.archive.timeline(&opened.run)?.tree_after(done);
    let limits = Limits { seconds: recheck.seconds, stop };
    let report = recheck.report.as_deref().map(Path::new);
    in_scratch(bundle, opened, &tree, &|folder, stage, confinement| {
        checks::run_within(&recheck.command, (folder, report), stage, confinement, &limits)
    })
}

/// Runs a command on some files of a run, out of reach of the recording. The error is a sentence: it could not be run.
pub fn run_on(
    recording: &Path,
    opened: &store::Opened,
    tree: &Tree,
    command: &str,
    limits: &Limits<'_>,
) -> Result<Said, String> {
    in_scratch(recording, opened, tree, &|folder, stage, confinement| {
        checks::said(command, folder, stage, confinement, limits)
    })
}

/// Why a command could reach the recording here; None where it cannot. A sentence.
pub fn within_reach(recording: &Path) -> Option<String> {
    Confinement::of(hidden(recording), &Setup::new("tests", stage::somewhere())).problem()
}

/// The file of a recording that is a part of one.
fn hidden(recording: &Path) -> &Path {
    recording.ancestors().find(|path| path.exists()).unwrap_or(recording)
}

type Work<'a, T> = dyn Fn(&Path, &Stage, &Confinement) -> Result<T, String> + 'a;

/// Writes the files into a scratch folder, works there, and takes everything away again.
fn in_scratch<T>(
    recording: &Path,
    opened: &store::Opened,
    tree: &Tree,
    work: &Work<'_, T>,
) -> Result<T, String> {
    let scratch = Scratch::new().map_err(|why| why.to_string())?;
    let folder = scratch.0.workspace();
    write_files(opened, tree, &folder)?;
    let setup = Setup::new("tests", scratch.0.root().to_owned());
    let confinement = Confinement::of(hidden(recording), &setup);
    let confinement =
        if confinement.problem().is_none() { confinement } else { Confinement::default() };
    let worked = work(&folder, &scratch.0, &confinement);
    process::sweep(&scratch.0.id);
    worked
}

/// A stage that is taken away when nobody needs it any more.
struct Scratch(Stage);

impl Scratch {
    fn new() -> Result<Self, WriteError> {
        let root = stage::somewhere();
        let id = root.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut stage = Stage::set(&root, &id.unwrap_or_default())?;
        stage.furnish_for_tests();
        Ok(Self(stage))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.root()); // it lies among the temporary files
    }
}

fn write_files(opened: &store::Opened, tree: &Tree, folder: &Path) -> Result<(), String> {
    let (run, archive) = (&*opened.run, &*opened.archive);
    let is_link = |mode: FileMode| mode == FileMode::Link;
    // Links last: nothing is written through them.
    for links in [false, true] {
        let files = tree.files.iter().filter(|(_, file)| is_link(file.mode) == links);
        for (path, file) in files.filter(|(_, file)| file.mode != FileMode::Submodule) {
            let place = folder.join(path.as_str());
            let content = archive.content(run, *file).map_err(|why| format!("{path}: {why}"))?;
            write_file(&place, &content, file.mode).map_err(|why| format!("{path}: {why}"))?;
        }
    }
    missing(tree)
}

/// Nothing can be tested where there is nothing.
fn missing(tree: &Tree) -> Result<(), String> {
    if tree.files.is_empty() { Err("no file of this moment is recorded".into()) } else { Ok(()) }
}

fn write_file(place: &Path, content: &[u8], mode: FileMode) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    if mode == FileMode::Link {
        return link(content, place);
    }
    fs::write(place, content)?;
    if mode == FileMode::Executable { make_executable(place) } else { Ok(()) }
}

#[cfg(unix)]
fn link(target: &[u8], place: &Path) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(target), place)
}

#[cfg(not(unix))]
fn link(target: &[u8], place: &Path) -> std::io::Result<()> {
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

/// Keeps what `tests.jsonl` holds of these checkpoints under another name, because new outcomes take its place; gives
/// the name, or None where there is nothing to keep.
pub fn keep_outcomes(bundle: &Path, checkpoints: &[String]) -> Result<Option<PathBuf>, WriteError> {
    let path = bundle.join("tests.jsonl");
    let Ok(text) = fs::read(&path) else { return Ok(None) };
    if !checkpoints.iter().any(|checkpoint| checks::has(&text, checkpoint)) {
        return Ok(None);
    }
    let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ").to_string();
    let kept = bundle.join(format!("tests-before-{stamp}.jsonl"));
    replace(&kept, &text)?;
    Ok(Some(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (tempfile::TempDir, store::Opened) {
        let place = tempfile::tempdir().unwrap();
        let source = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
        let bundle = place.path().join("run");
        let copy = std::process::Command::new("cp").arg("-r").arg(source).arg(&bundle).status();
        assert!(copy.unwrap().success());
        let opened = store::open(&bundle).unwrap();
        (place, opened)
    }

    fn tested(command: &str, report: Option<&str>, seconds: f64) -> Result<Tested, String> {
        let (place, opened) = sample();
        let (command, report) = (command.to_owned(), report.map(str::to_owned));
        let recheck = Recheck { command, report, seconds };
        test_after(&place.path().join("run"), &opened, 3, &recheck, &Stop::default())
    }

    #[test]
    fn a_command_finds_the_files_of_its_moment_and_an_environment_of_its_own() {
        let said =
            "test -d ppdiff && test -z \"$TRAJVIEW_REAL_DATA\" && test \"$PWD\" != \"$HOME\"";
        let tested = tested(said, None, 20.0).unwrap();
        assert_eq!(tested.cases, [(said.to_owned(), "passed".to_owned())]);
    }

    #[test]
    fn a_report_in_junits_xml_is_read_test_by_test() {
        let xml = r#"<?xml version="1.0"?><testsuites><testsuite name="s"><testcase classname="t.A" name="one"/><testcase name="two"><failure message="no"/></testcase><testcase name="three"><skipped/></testcase><testcase name="four"><error/></testcase></testsuite></testsuites>"#;
        let names = ["t.A.one passed", "two failed", "three skipped", "four error"];
        let command = format!("echo '{xml}' > out.xml; exit 1");
        for tested in
            [tested(&command, Some("out.xml"), 20.0), tested(&format!("echo '{xml}'"), None, 20.0)]
        {
            let cases = tested.unwrap().cases;
            let cases: Vec<String> =
                cases.iter().map(|(name, outcome)| format!("{name} {outcome}")).collect();
            assert_eq!(cases, names);
        }
        let why = tested("true", Some("none.xml"), 20.0).unwrap_err();
        assert!(why.starts_with("the command wrote no none.xml"), "{why}");
        let why = tested("true", Some("../../etc/passwd"), 20.0).unwrap_err();
        assert!(why.contains("is not a path inside"), "{why}");
    }

    #[test]
    fn a_command_that_hangs_or_floods_is_ended() {
        let why = tested("yes", None, 0.5).unwrap_err();
        assert!(why.starts_with("the tests were not over within"), "{why}");
        let (place, opened) = sample();
        let recheck = Recheck { command: "sleep 600".into(), report: None, seconds: 600.0 };
        let stop = Stop::default();
        stop.set();
        let why = test_after(&place.path().join("run"), &opened, 3, &recheck, &stop).unwrap_err();
        assert_eq!(why, "stopped");
    }

    #[test]
    fn outcomes_that_new_ones_take_the_place_of_are_kept_under_another_name() {
        let (place, _) = sample();
        let bundle = place.path().join("run");
        let before = "{\"checkpoint\":\"c1\",\"test\":\"a\",\"outcome\":\"failed\"}\n";
        fs::write(bundle.join("tests.jsonl"), before).unwrap();
        assert_eq!(keep_outcomes(&bundle, &["c2".into()]).unwrap(), None);
        let kept = keep_outcomes(&bundle, &["c1".into()]).unwrap().unwrap();
        assert_eq!(fs::read_to_string(kept).unwrap(), before);
    }
}
