//! `trajview score --against` from the outside: a repository, a folder and a run are compared with an earlier state, and a
//! limit that cannot be decided never passes.

use std::{fs, path::Path};

use git2::{IndexAddOption, Repository, Signature, Time};
use serde_json::Value;

use crate::common::{Ran, run_cli};

const RUN: &str = "sample-runs/codex-p12";

/// A function with so many paths.
fn branching(name: &str, paths: usize) -> String {
    let branch = |n: usize| format!("    if value == {n}:\n        value += {}\n", n * 7);
    let branches: String = (1..paths).map(branch).collect();
    format!("def {name}(value):\n{branches}    return value\n")
}

/// A repository with a working folder.
struct Code(tempfile::TempDir);

impl Code {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Repository::init(folder.path()).unwrap();
        Self(folder)
    }

    /// A repository whose branch `base` has a small function, and whose last commit made it a large one.
    fn eroded() -> Self {
        let code = Self::new();
        code.write("app/a.py", &(branching("small", 3) + &branching("grows", 8)));
        code.commit_as("base");
        code.write("app/a.py", &(branching("small", 3) + &branching("grows", 14)));
        code.commit_as("feature");
        code
    }

    fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits all files, and names the commit by a branch.
    fn commit_as(&self, branch: &str) -> String {
        let repository = Repository::open(self.0.path()).unwrap();
        let mut index = repository.index().unwrap();
        index.add_all(["*"], IndexAddOption::DEFAULT, None).unwrap();
        index.update_all(["*"], None).unwrap();
        index.write().unwrap();
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let who = Signature::new("made", "made@trajview.invalid", &Time::new(0, 0)).unwrap();
        let parent = repository.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        let id = repository.commit(Some("HEAD"), &who, &who, "made", &tree, &parents).unwrap();
        repository.branch(branch, &repository.find_commit(id).unwrap(), true).unwrap();
        id.to_string()
    }

    fn gate(&self, more: &[&str]) -> Ran {
        run_cli(&[&["score", self.path(), "--rules", "none"], more].concat())
    }

    fn gate_json(&self, more: &[&str]) -> (Option<i32>, Value) {
        let ran = self.gate(&[more, &["--json"]].concat());
        (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err)))
    }
}

#[test]
fn a_commit_that_erodes_the_code_is_above_the_limit_and_the_function_is_named() {
    let code = Code::eroded();

    let (exit, gate) = code.gate_json(&["--against", "base", "--max-erosion", "+0.02"]);

    assert_eq!((exit, &gate["verdict"]), (Some(1), &"exceeded".into()));
    assert_eq!(
        (&gate["schema"], &gate["profile"]),
        (&"trajview.score-gate/1".into(), &"trajview".into())
    );
    let limit = &gate["limits"][0];
    assert_eq!(
        (&limit["metric"], &limit["before"], &limit["most_rise"]),
        (&"erosion".into(), &0.0.into(), &0.02.into())
    );
    let [after, difference] = ["after", "difference"].map(|it| limit[it].as_f64().unwrap());
    assert!(after > 0.5 && after == difference);
    let moved = &limit["moved_by"][0];
    assert_eq!(
        (&moved["name"], &moved["path"], &moved["line"]),
        (&"grows".into(), &"app/a.py".into(), &7.into())
    );
    assert_eq!((&moved["before"]["cc"], &moved["after"]["cc"]), (&8.into(), &14.into()));
    assert_eq!(moved["before"]["high_mass"], 0.0);
    let effects = limit["moved_by"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["erosion_effect"].as_f64().unwrap());
    assert!((effects.sum::<f64>() - difference).abs() < 1e-9);
    assert!(gate["before"]["mass"].as_f64().unwrap() > 0.0);
    assert_eq!(gate["after"]["changed"], 0);
}

#[test]
fn a_limit_with_a_sign_is_a_rise_and_one_without_is_a_value() {
    let code = Code::eroded();
    let exit = |limits: &[&str]| code.gate(&[&["--against", "base"], limits].concat()).code;

    assert_eq!(exit(&["--max-erosion", "+0.95"]), Some(0));
    assert_eq!(exit(&["--max-erosion", "0.95"]), Some(0));
    assert_eq!(exit(&["--max-erosion", "0.3"]), Some(1));
    assert_eq!(exit(&["--max-cc", "+6"]), Some(0));
    assert_eq!(exit(&["--max-cc", "+5"]), Some(1));
    assert_eq!(exit(&["--max-high-cc", "+0"]), Some(1));
    assert_eq!(exit(&["--max-verbosity", "-0.01"]), Some(1));
    assert_eq!(exit(&["--max-cc", "14", "--max-high-cc", "1"]), Some(0));
    for wrong in [&["--max-erosion", "2"][..], &["--max-cc", "many"], &[]] {
        assert_eq!(exit(wrong), Some(2), "{wrong:?}");
    }
}

#[test]
fn the_state_before_and_after_are_named_with_their_commits() {
    let code = Code::eroded();
    code.write("app/b.py", &branching("other", 2));
    code.write(".gitignore", "built/\n");
    code.write("built/c.py", &branching("ignored", 30));

    let (_, gate) = code.gate_json(&["--against", "base", "--max-cc", "20"]);
    assert_eq!((&gate["after"]["files"], &gate["after"]["changed"]), (&2.into(), &2.into()));
    let (_, gate) = code.gate_json(&["--against", "HEAD~1", "--at", "feature", "--max-cc", "20"]);
    assert_eq!((&gate["after"]["files"], &gate["after"]["changed"]), (&1.into(), &Value::Null));
    let text = code.gate(&["--against", "base", "--max-cc", "20"]).out;

    let base = gate["before"]["commit"].as_str().unwrap();
    let head = text.lines().next().unwrap();
    assert!(head.contains(&format!("base ({}) → working folder (", &base[..10])), "{head}");
    assert!(head.contains("2 files not committed"), "{head}");
    assert!(text.ends_with("passed: max CC within the limit\n"), "{text}");
}

#[test]
fn uncommitted_changes_count_and_deleted_files_do_not() {
    let code = Code::eroded();
    code.write("app/a.py", &branching("grows", 3));
    fs::create_dir_all(code.0.path().join("other")).unwrap();

    let (exit, gate) = code.gate_json(&["--against", "HEAD", "--max-cc", "+0"]);
    assert_eq!((exit, &gate["limits"][0]["difference"]), (Some(0), &(-11).into()));
    fs::remove_file(code.0.path().join("app/a.py")).unwrap();
    code.write("b.py", &branching("new", 15));
    let (exit, gate) = code.gate_json(&["--against", "HEAD", "--max-cc", "+0"]);

    assert_eq!((exit, &gate["limits"][0]["difference"]), (Some(1), &1.into()));
    assert_eq!(gate["after"]["files"], 1);
    let gone = |it: &Value| (it["name"].as_str().unwrap().to_owned(), it["is_there"] == true);
    let moved: Vec<_> =
        gate["limits"][0]["moved_by"].as_array().unwrap().iter().map(gone).collect();
    assert_eq!(moved[..2], [("new".to_owned(), true), ("grows".to_owned(), false)]);
}

#[test]
fn a_folder_of_a_repository_is_compared_alone() {
    let code = Code::eroded();
    code.write("docs/b.py", &branching("elsewhere", 40));
    let folder = code.0.path().join("app");
    let gate = |path: &Path| {
        run_cli(&["score", path.to_str().unwrap(), "--against", "base", "--max-cc", "20", "--json"])
    };

    let ran = gate(&folder);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let gate: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(gate["limits"][0]["moved_by"][0]["path"], "a.py");
    assert_eq!((&gate["before"]["files"], &gate["after"]["files"]), (&1.into(), &1.into()));
}

#[test]
fn a_file_that_stops_to_parse_leaves_the_gate_undecided() {
    let code = Code::eroded();
    code.write("app/b.py", "def broken(:\n");
    code.commit_as("broken");

    // It was broken before, and is in no number of either side.
    let (exit, gate) = code.gate_json(&["--against", "broken", "--max-erosion", "+0"]);
    assert_eq!((exit, &gate["before"]["skipped"][0]["path"]), (Some(0), &"app/b.py".into()));
    let text = code.gate(&["--against", "broken", "--max-erosion", "+0"]).out;
    assert_eq!(text.matches("left out of both: app/b.py: syntax error").count(), 1, "{text}");

    // The eroded file is in no number any more, which would lower all of them.
    code.write("app/a.py", "def grows(:\n");
    code.write("app/c.py", &branching("fine", 2));
    let ran = code.gate(&["--against", "broken", "--max-erosion", "+0", "--max-cc", "40"]);
    assert_eq!(ran.code, Some(1));
    let why = "cannot be decided: working folder lacks app/a.py (syntax error)";
    for option in ["--max-erosion", "--max-cc"] {
        assert!(ran.out.contains(&format!("{option} {why}")), "{}", ran.out);
    }
    assert!(ran.out.ends_with("failed: erosion, max CC cannot be decided\n"), "{}", ran.out);

    // Mended: the difference is not known, the value after is.
    code.commit_as("worse");
    code.write("app/a.py", &branching("grows", 3));
    let (exit, gate) =
        code.gate_json(&["--against", "worse", "--max-erosion", "+0", "--max-cc", "40"]);
    assert_eq!((exit, &gate["failed_because"]), (Some(1), &"undecided".into()));
    let verdicts: Vec<_> = [0, 1].map(|at| gate["limits"][at]["verdict"].clone()).into();
    assert_eq!(verdicts, ["undecided", "passed"]);
}

#[test]
fn an_empty_tree_has_no_number_and_passes_no_rise() {
    let code = Code::new();
    code.write("notes.txt", "nothing yet\n");
    code.commit_as("empty");
    code.write("a.py", &branching("first", 3));

    let (exit, gate) =
        code.gate_json(&["--against", "empty", "--max-erosion", "+0.5", "--max-cc", "9"]);
    assert_eq!((exit, &gate["limits"][0]["before"]), (Some(1), &Value::Null));
    assert_eq!(
        gate["limits"][0]["why"],
        "empty has no number: no file of a language that is measured"
    );
    assert_eq!(
        (&gate["limits"][1]["verdict"], &gate["before"]["erosion"]),
        (&"passed".into(), &Value::Null)
    );

    fs::remove_file(code.0.path().join("a.py")).unwrap();
    let (exit, gate) = code.gate_json(&["--against", "empty", "--max-erosion", "0.9"]);
    assert_eq!((exit, &gate["verdict"]), (Some(1), &"undecided".into()));
}

#[test]
fn an_unknown_revision_is_a_wrong_argument_with_what_was_probably_meant() {
    let code = Code::eroded();
    let repository = Repository::open(code.0.path()).unwrap();
    let head = repository.head().unwrap().target().unwrap();
    repository.reference("refs/remotes/origin/trunk", head, true, "made").unwrap();
    let wrong = |revision: &str| {
        let ran = code.gate(&["--against", revision, "--max-cc", "9"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        ran.err
    };

    assert!(
        wrong("featur").ends_with("the repository has no revision featur; did you mean feature?\n")
    );
    assert!(wrong("trunk").ends_with("has no revision trunk; did you mean origin/trunk?\n"));
    assert!(wrong("HEAF").ends_with("did you mean HEAD?\n"));
    assert!(wrong("quite-another").ends_with("has no revision quite-another\n"));
    let ran = run_cli(&["score", RUN, "--against", "c99", "--max-cc", "9"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no moment \"c99\" in this run"), "{}", ran.err);
    let ran = run_cli(&["score", RUN, RUN, "--against", "c1", "--max-cc", "9"]);
    assert!(ran.err.contains("--against works with one RUN"), "{}", ran.err);
}

#[test]
fn two_folders_outside_a_repository_are_compared() {
    let [before, after] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    fs::write(before.path().join("a.py"), branching("f", 3)).unwrap();
    fs::write(after.path().join("b.py"), branching("f", 3) + &branching("g", 12)).unwrap();
    let [old, new] = [&before, &after].map(|it| it.path().to_str().unwrap());

    let ran = run_cli(&["score", "--tree", new, "--against", old, "--max-cc", "+0", "--json"]);

    let gate: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &gate["target"]["kind"]), (Some(1), &"folder".into()));
    // f moved, and changed nothing.
    assert_eq!(gate["limits"][0]["moved_by"].as_array().unwrap().len(), 1);
    let ran = run_cli(&["score", "--tree", new, "--against", "main", "--max-cc", "+0"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn a_moment_of_a_run_is_compared_with_an_earlier_one() {
    let gate = |more: &[&str]| {
        let ran = run_cli(&[&["score", RUN, "--against"], more, &["--json"]].concat());
        let gate: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        (ran.code, gate)
    };
    let scored = run_cli(&["score", RUN, "--each", "checkpoint", "--json"]).out;
    let scored: Value = serde_json::from_str(&scored).unwrap();

    let (exit, result) = gate(&["c7", "--max-erosion", "+0.02", "--max-verbosity", "0.1"]);
    assert_eq!((exit, &result["verdict"]), (Some(1), &"exceeded".into()));
    for (limit, number) in [(0, "erosion"), (1, "verbosity")] {
        assert_eq!(result["limits"][limit]["before"], scored["points"][6][number]);
        assert_eq!(result["limits"][limit]["after"], scored["points"][8][number]);
    }
    assert_eq!((&result["before"]["turn"], &result["after"]["turn"]), (&39.into(), &56.into()));
    assert_eq!(result["after"]["commit"], scored["points"][8]["commit"]);

    let (exit, result) = gate(&["1", "--at", "c2", "--max-erosion", "+0"]);
    assert_eq!((exit, &result["after"]["turn"]), (Some(0), &9.into()));
    let (exit, result) = gate(&["start", "--max-erosion", "+1"]);
    assert_eq!((exit, &result["verdict"]), (Some(1), &"undecided".into()));
}

#[test]
fn the_comment_has_the_verdict_the_numbers_and_the_functions() {
    let code = Code::eroded();
    code.write("app/a.py", &(branching("small", 3) + &branching("__grows__", 14)));

    let comment =
        code.gate(&["--against", "base", "--max-erosion", "+0.02", "--max-cc", "+20", "--md"]);

    assert_eq!(comment.code, Some(1));
    let lines: Vec<&str> = comment.out.lines().collect();
    assert_eq!(lines[0], "### failed: erosion above the limit");
    assert!(lines[2].starts_with('`') && lines[2].contains("profile trajview"), "{}", lines[2]);
    assert!(lines.contains(&"| number | before | after | difference | limit | verdict |"));
    assert!(lines.contains(&"**functions that moved erosion most**"));
    assert!(
        lines.iter().any(|line| line.starts_with("| `__grows__` | `app/a.py:7` | - → 14 | - → ")),
        "{}",
        comment.out
    );
}
