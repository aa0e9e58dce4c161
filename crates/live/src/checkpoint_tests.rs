//! Tests the code at a checkpoint: a command of the person runs on a copy of the files, and its results become lines of
//! `tests.jsonl`.
//!
//! The tests named in the output are counted one by one: those of pytest (`-rA` or `-v`), unittest (`-v`), cargo, TAP,
//! JUnit's XML, or lines of JSON as `tests.jsonl` has them. A command that names none is one test itself, and its exit code
//! is the outcome. A test that was there at an earlier checkpoint is a regression test from then on.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
    path::Path,
    sync::LazyLock,
    time::{Duration, Instant},
};

use crossbeam_channel::RecvTimeoutError;
use regex::Regex;
use serde_json::{Map, Value, json};

use trajview_judge::stop_flag::StopFlag;
use trajview_store::write::{WriteError, replace_file};

use super::{
    confine::Confinement,
    drivers::{AgentCommand, RequestInput},
    process::{AgentProcess, ProcessEnding, ProcessSpec},
    run_folders::RunFolders,
    setup::to_duration,
};

/// The test results of a command.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TestOutcomes {
    /// Name and outcome (`passed`, `failed`, `skipped`, `error`), in the order in which they were named.
    pub cases: Vec<(String, String)>,
    pub seconds: f64,
}

/// The largest part of the output that is read (bytes).
const MAX_OUTPUT_BYTES: usize = 16 << 20;

const MAX_CASES: usize = 20_000;

impl TestOutcomes {
    pub fn passed_count(&self) -> u64 {
        self.cases.iter().filter(|(_, outcome)| outcome == "passed").count() as u64
    }

    /// Returns the number of tests that were run: all but the skipped ones.
    pub fn run_count(&self) -> u64 {
        self.cases.iter().filter(|(_, outcome)| outcome != "skipped").count() as u64
    }
}

/// Limits for a command.
pub struct CommandLimits<'a> {
    pub seconds: f64,
    pub stop: &'a StopFlag,
}

/// The interval at which the stop flag is checked.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The output of a command, and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandOutput {
    /// Its beginning, when it is longer than what is read.
    pub output: Vec<u8>,
    pub ended: CommandEnd,
    pub seconds: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnd {
    Itself(ProcessEnding),
    /// The time limit ended the command.
    TimedOut,
    /// A stop of the run ended the command.
    Stopped,
}

/// Runs the command in a folder, and reads the results from the JUnit XML file there, when one is named. The error is a
/// sentence.
pub(crate) fn run_tests(
    command: &str,
    (folder, report): (&Path, Option<&Path>),
    run_folders: &RunFolders,
    confinement: &Confinement,
    limits: &CommandLimits<'_>,
) -> Result<TestOutcomes, String> {
    if report.is_some_and(|path| !is_inside(path)) {
        let path = report.unwrap_or(folder).display();
        return Err(format!("{path} is not a path inside the folder of the files"));
    }
    let CommandOutput { output, ended, seconds } =
        run_command(command, folder, run_folders, confinement, limits)?;
    let ending = match ended {
        CommandEnd::Itself(ending) => ending,
        CommandEnd::Stopped => return Err("stopped".into()),
        CommandEnd::TimedOut => {
            return Err(format!("the tests were not over within {} s", limits.seconds));
        }
    };
    let output = String::from_utf8_lossy(&output);
    let cases = match report {
        Some(path) => read_junit_report(&folder.join(path), path)?,
        None => {
            parse_junit(&output).unwrap_or_else(|| parse_test_results(&output, command, ending))
        }
    };
    Ok(TestOutcomes { cases, seconds })
}

/// Runs the command in a folder until it ends or a limit ends it. The error is a sentence.
pub(crate) fn run_command(
    command: &str,
    folder: &Path,
    run_folders: &RunFolders,
    confinement: &Confinement,
    limits: &CommandLimits<'_>,
) -> Result<CommandOutput, String> {
    let call = AgentCommand {
        program: "sh".into(),
        args: vec!["-c".into(), command.to_owned()],
        input: RequestInput::Nothing,
    };
    let order = ProcessSpec {
        command: &call,
        environment: &run_folders.environment,
        folder,
        prompt_file: folder,
        size: (120, 40),
        confinement,
    };
    let began = Instant::now();
    let deadline = began + to_duration(limits.seconds.min(1e9));
    let mut process = AgentProcess::spawn(&order)?;
    let mut output = vec![];
    let is_over = || limits.stop.is_set() || Instant::now() >= deadline;
    while !is_over() {
        match process.pieces.recv_deadline(deadline.min(Instant::now() + STOP_POLL_INTERVAL)) {
            Ok(piece) if output.len() < MAX_OUTPUT_BYTES => output.extend(piece.bytes),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let mut ending = process.poll_ending();
    while ending.is_none() && !is_over() {
        std::thread::sleep(Duration::from_millis(5));
        ending = process.poll_ending();
    }
    let ended = match ending {
        Some(ending) => CommandEnd::Itself(ending),
        None => {
            let ended =
                if limits.stop.is_set() { CommandEnd::Stopped } else { CommandEnd::TimedOut };
            process.end_group(to_duration(1.0), &mut |_| {});
            ended
        }
    };
    run_folders.secrets.cover(&mut output);
    Ok(CommandOutput { output, ended, seconds: began.elapsed().as_secs_f64() })
}

fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Reads a file of JUnit's XML. The error is a sentence that calls it `name`.
fn read_junit_report(path: &Path, name: &Path) -> Result<Vec<(String, String)>, String> {
    let name = name.display();
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
    if !is_file {
        return Err(format!("the command wrote no {name}"));
    }
    let mut text = vec![];
    let read = std::fs::File::open(path)
        .and_then(|file| file.take(MAX_OUTPUT_BYTES as u64).read_to_end(&mut text));
    read.map_err(|why| format!("cannot read {name}: {}", trajview_store::error_reason(&why)))?;
    let read = parse_junit(&String::from_utf8_lossy(&text));
    read.ok_or_else(|| format!("{name} is no report in JUnit's XML with tests in it"))
}

/// Parses the test cases of JUnit's XML; None when it is none, or has none.
fn parse_junit(text: &str) -> Option<Vec<(String, String)>> {
    let text = text.trim_start();
    if !text.starts_with('<') {
        return None;
    }
    let document = roxmltree::Document::parse(text).ok()?;
    let case = |node: roxmltree::Node<'_, '_>| {
        let name = node.attribute("name").unwrap_or("without a name");
        let class = node.attribute("classname").filter(|class| !class.is_empty());
        let has = |what: &str| node.children().any(|child| child.has_tag_name(what));
        let outcome = match () {
            () if has("failure") => "failed",
            () if has("error") => "error",
            () if has("skipped") => "skipped",
            () => "passed",
        };
        let name = class.map_or_else(|| name.to_owned(), |class| format!("{class}.{name}"));
        (name, outcome.to_owned())
    };
    let nodes = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let cases: Vec<(String, String)> = nodes.map(case).take(MAX_CASES).collect();
    (!cases.is_empty()).then_some(cases)
}

/// Returns whether `tests.jsonl` has outcomes of a checkpoint.
pub(crate) fn has_checkpoint_tests(text: &[u8], checkpoint: &str) -> bool {
    let of = |line: &str| -> Option<bool> {
        let value: Map<String, Value> = serde_json::from_str(line).ok()?;
        Some(value.get("checkpoint")?.as_str()? == checkpoint)
    };
    String::from_utf8_lossy(text).lines().any(|line| of(line) == Some(true))
}

fn parse_test_results(output: &str, command: &str, ending: ProcessEnding) -> Vec<(String, String)> {
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    let mut cases: Vec<(String, String)> = vec![];
    for (name, outcome) in output.lines().filter_map(parse_test_line).take(MAX_CASES) {
        match by_name.get(&name).and_then(|at| cases.get_mut(*at)) {
            Some(case) => case.1 = outcome,
            None => {
                by_name.insert(name.clone(), cases.len());
                cases.push((name, outcome));
            }
        }
    }
    let is_fine = ending.code == Some(0);
    let tells_failure =
        cases.iter().any(|(_, outcome)| outcome != "passed" && outcome != "skipped");
    if cases.is_empty() || (!is_fine && !tells_failure) {
        cases.push((command.to_owned(), if is_fine { "passed" } else { "failed" }.to_owned()));
    }
    cases
}

/// Parses a line that names a test and its outcome.
fn parse_test_line(line: &str) -> Option<(String, String)> {
    struct Shape {
        line: Regex,
        name: usize,
        outcome: usize,
    }
    static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
        [
            (r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+::\S+)", 2, 1),
            (r"^(\S+::\S.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b", 1, 2),
            (r"^(\w+) \(([\w.]+)\)(?:\n.*)? \.\.\. (ok|FAIL|ERROR|skipped\b.*|expected failure)$", 0, 3),
            (r"^test (\S+)(?: - .*)? \.\.\. (ok|FAILED|ignored)\b", 1, 2),
            (r"^(ok|not ok) \d+ ?-? ?(.*)$", 2, 1),
        ]
        .into_iter()
        .filter_map(|(line, name, outcome)| {
            Some(Shape { line: Regex::new(line).ok()?, name, outcome })
        })
        .collect()
    });
    if line.starts_with('{') {
        let value: Map<String, Value> = serde_json::from_str(line).ok()?;
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        return Some((text("test")?, text("outcome")?));
    }
    SHAPES.iter().find_map(|shape| {
        let found = shape.line.captures(line)?;
        let name = match shape.name {
            0 => {
                // Newer Pythons repeat the method behind the class.
                let (method, class) = (found.get(1)?.as_str(), found.get(2)?.as_str());
                let class = class.strip_suffix(&format!(".{method}")).unwrap_or(class);
                format!("{class}.{method}")
            }
            at => found.get(at)?.as_str().trim().to_owned(),
        };
        let outcome = found.get(shape.outcome)?.as_str();
        let is_skipped = name.to_ascii_lowercase().contains("# skip");
        let name = name.split(" # ").next().unwrap_or_default().trim().to_owned();
        let outcome = match outcome {
            _ if is_skipped => "skipped",
            "PASSED" | "XPASS" | "ok" | "XFAIL" | "expected failure" => "passed",
            "SKIPPED" | "ignored" => "skipped",
            outcome if outcome.starts_with("skipped") => "skipped",
            "ERROR" => "error",
            _ => "failed",
        };
        (!name.is_empty()).then(|| (name, outcome.to_owned()))
    })
}

/// Writes the outcomes of a checkpoint into `tests.jsonl`, in the place of earlier ones.
pub fn record_results(
    bundle: &Path,
    checkpoint: &str,
    tested: &TestOutcomes,
) -> Result<(), WriteError> {
    let mut lines = lines_of_others(bundle, checkpoint);
    let known: BTreeSet<String> = lines.iter().map(|(_, name, _)| name.clone()).collect();
    for (name, outcome) in &tested.cases {
        let group = if known.contains(name) { "regression" } else { "core" };
        let line = json!({
            "checkpoint": checkpoint, "test": name, "group": group, "outcome": outcome
        });
        lines.push((checkpoint.to_owned(), name.clone(), line.to_string()));
    }
    write_tests(bundle, &lines)
}

/// Removes the outcomes of a checkpoint, because its last turn is done again.
pub(crate) fn forget_checkpoint(bundle: &Path, checkpoint: &str) -> Result<(), WriteError> {
    if !bundle.join("tests.jsonl").exists() {
        return Ok(());
    }
    write_tests(bundle, &lines_of_others(bundle, checkpoint))
}

/// Returns checkpoint, test and line of all outcomes of other checkpoints.
fn lines_of_others(bundle: &Path, checkpoint: &str) -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(bundle.join("tests.jsonl")).unwrap_or_default();
    let read = |line: &str| {
        let value: Map<String, Value> = serde_json::from_str(line).ok()?;
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        Some((text("checkpoint")?, text("test")?, line.to_owned()))
    };
    text.lines().filter_map(read).filter(|(of, _, _)| of != checkpoint).collect()
}

fn write_tests(bundle: &Path, lines: &[(String, String, String)]) -> Result<(), WriteError> {
    let text: String = lines.iter().map(|(_, _, line)| format!("{line}\n")).collect();
    replace_file(&bundle.join("tests.jsonl"), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: ProcessEnding = ProcessEnding { code: Some(0), signal: None };
    const BAD: ProcessEnding = ProcessEnding { code: Some(1), signal: None };

    fn parsed_texts(output: &str, ending: ProcessEnding) -> Vec<String> {
        let cases = parse_test_results(output, "make test", ending);
        cases.into_iter().map(|(name, outcome)| format!("{name} {outcome}")).collect()
    }

    #[test]
    fn the_tests_of_several_tools_are_told_by_name() {
        for (output, expected) in [
            (
                "tests/t.py::test_a PASSED [ 50%]\nFAILED tests/t.py::test_b - boom",
                vec!["tests/t.py::test_a passed", "tests/t.py::test_b failed"],
            ),
            (
                "test_a (tests.t.T.test_a) ... ok\ntest_b (tests.t.T) ... skipped 'no'\ntest_c (t.T) ... ERROR",
                vec!["tests.t.T.test_a passed", "tests.t.T.test_b skipped", "t.T.test_c error"],
            ),
            (
                "test a::b ... ok\ntest c ... FAILED\ntest d ... ignored",
                vec!["a::b passed", "c failed", "d skipped"],
            ),
            (
                "1..2\nok 1 - one\nnot ok 2 - two\nok 3 - three # SKIP why",
                vec!["one passed", "two failed", "three skipped"],
            ),
            (r#"{"test": "a", "outcome": "passed"}"#, vec!["a passed"]),
        ] {
            let ending = if expected.iter().any(|it| it.ends_with("ed") && !it.ends_with("passed"))
            {
                BAD
            } else {
                FINE
            };
            let mut found = parsed_texts(output, ending);
            found.retain(|it| !it.starts_with("make test"));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_command_that_names_no_test_is_one() {
        assert_eq!(parsed_texts("all good", FINE), ["make test passed"]);
        assert_eq!(parsed_texts("segmentation fault", BAD), ["make test failed"]);
        assert_eq!(parsed_texts("ok 1 - a", BAD), ["a passed", "make test failed"]);
    }

    #[test]
    fn the_lines_of_a_checkpoint_are_replaced_and_earlier_tests_are_regression_tests() {
        let bundle = tempfile::tempdir().unwrap();
        let tested = |names: &[&str]| TestOutcomes {
            cases: names.iter().map(|name| ((*name).to_owned(), "passed".to_owned())).collect(),
            seconds: 1.0,
        };
        record_results(bundle.path(), "c1", &tested(&["a"])).unwrap();
        record_results(bundle.path(), "c2", &tested(&["x"])).unwrap();
        record_results(bundle.path(), "c2", &tested(&["a", "b"])).unwrap();

        let text = std::fs::read_to_string(bundle.path().join("tests.jsonl")).unwrap();
        let groups: Vec<String> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|line| format!("{} {} {}", line["checkpoint"], line["test"], line["group"]))
            .collect();
        assert_eq!(
            groups,
            [r#""c1" "a" "core""#, r#""c2" "a" "regression""#, r#""c2" "b" "core""#]
        );
    }
}
