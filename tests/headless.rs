//! The commands, run as a script would run them.

mod common;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use common::{has_git, json, printed, project, real_data, trajview};
use serde_json::Value;

const SAMPLE: &str = "sample-runs/codex-p12";

fn turns(shown: &Value) -> &Vec<Value> {
    shown["turns"].as_array().unwrap()
}

fn requests(shown: &Value) -> Vec<&str> {
    turns(shown).iter().map(|turn| turn["request"].as_str().unwrap_or_default()).collect()
}

/// Applies the patch of every turn to an empty folder, one after the other, and gives the files it ends in.
fn applied(run: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    git(&["init", "-q"]);
    for turn in 1..=turns(&json(&["show", run, "--json"])).len() {
        let patch = printed(&["diff", run, "--turn", &turn.to_string()]);
        if !patch.is_empty() {
            fs::write(folder.path().join(".git/turn.patch"), patch).unwrap();
            git(&["apply", "--whitespace=nowarn", ".git/turn.patch"]);
        }
    }
    let mut files = BTreeMap::new();
    collect(folder.path(), folder.path(), &mut files);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".git")
    {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn told(run: &str) -> BTreeMap<String, Vec<u8>> {
    let listed = printed(&["ls", run, "--at", "final"]);
    let cat = |path: &str| printed(&["cat", run, path, "--at", "final"]).into_bytes();
    listed.lines().map(|path| (path.to_owned(), cat(path))).collect()
}

#[test]
fn the_patches_of_all_turns_end_in_the_final_tree() {
    if !has_git() {
        return;
    }
    for run in [
        SAMPLE,
        "sample-runs/codex-p12-single-shot",
        "sample-runs/claude-code",
        "sample-runs/codex-rollout",
    ] {
        let files = told(run);

        assert!(!files.is_empty(), "{run}");
        assert!(applied(run) == files, "{run}");
    }
}

#[test]
fn one_patch_from_start_to_final_says_the_same() {
    if !has_git() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let patch = folder.path().join("all.patch");
    fs::write(&patch, printed(&["diff", SAMPLE])).unwrap();
    let apply =
        Command::new("git").arg("apply").arg(&patch).current_dir(folder.path()).status().unwrap();
    fs::remove_file(&patch).unwrap();

    assert!(apply.success());
    let mut files = BTreeMap::new();
    collect(folder.path(), folder.path(), &mut files);
    assert!(files == told(SAMPLE));
}

#[test]
fn the_sample_run_has_its_turns_requests_edits_and_tokens() {
    let shown = json(&["show", SAMPLE, "--json"]);

    assert_eq!(shown["schema"], "trajview.show/1");
    assert_eq!(shown["warnings"], Value::Array(vec![]));
    assert_eq!(turns(&shown).len(), 56);
    assert!(requests(&shown).iter().all(|request| !request.is_empty()));
    assert!(shown["totals"]["tokens"]["output"].as_u64().unwrap() > 0);
    assert!(shown["run"]["provenance"].as_str().unwrap().contains("scripted"));
    let compactions: u64 =
        turns(&shown).iter().map(|turn| turn["compactions"].as_u64().unwrap()).sum();
    assert_eq!(compactions, 1);
}

#[test]
fn the_requests_of_the_log_are_those_of_the_script() {
    let shown = json(&["show", SAMPLE, "--json"]);
    let script: Value =
        serde_json::from_slice(&fs::read(project(SAMPLE).join("script.json")).unwrap()).unwrap();

    let scripted: Vec<&str> = script["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|request| request["text"].as_str().unwrap())
        .collect();
    assert_eq!(requests(&shown), scripted);
}

#[test]
fn a_rename_by_the_shell_is_a_rename_changed_outside_recorded_edits() {
    let shown = json(&["show", SAMPLE, "--json"]);

    let edits = turns(&shown)[25]["edits"].as_array().unwrap();
    let renamed = edits.iter().find(|edit| edit["path"] == "ppdiff/structures.py").unwrap();
    assert_eq!((&renamed["kind"], &renamed["from"]), (&"rename".into(), &"ppdiff/data.py".into()));
    assert_eq!(renamed["origin"], "outside");
}

#[test]
fn one_turn_is_shown_with_its_steps_and_where_they_stand() {
    let shown = json(&["show", SAMPLE, "--turn", "3", "--json"]);

    let steps = shown["steps"].as_array().unwrap();
    let failed = steps.iter().find(|step| step["is_error"] == true).unwrap();
    assert_eq!(failed["kind"], "tool");
    assert_ne!(failed["result"]["exit_code"], 0);
    let place = &failed["where"];
    let log = fs::read_to_string(project(SAMPLE).join(place["file"].as_str().unwrap())).unwrap();
    let line = log.lines().nth(place["line"].as_u64().unwrap() as usize - 1).unwrap();
    assert!(line.contains(failed["tool"]["call_id"].as_str().unwrap()));
}

#[test]
fn a_file_is_told_as_it_stood_after_a_turn() {
    assert!(printed(&["ls", SAMPLE, "--at", "25"]).contains("ppdiff/data.py"));
    assert!(!printed(&["ls", SAMPLE, "--at", "26"]).contains("ppdiff/data.py"));
    let before = printed(&["cat", SAMPLE, "ppdiff/data.py", "--at", "c1"]);
    assert!(before.contains("class"), "{before}");
    assert_eq!(printed(&["ls", SAMPLE, "--at", "start"]), "");
}

#[test]
fn exit_codes_tell_scripts_what_happened() {
    let cases: [(&[&str], i32, &str); 11] = [
        (&["show", SAMPLE], 0, ""),
        (&["check", SAMPLE], 0, ""),
        (&["check", "tests/bad-runs/claude-broken-line.jsonl"], 1, ""),
        (&["show", SAMPLE, "--turn", "99"], 2, "no turn 99: this run has 56 turns"),
        (&["ls", SAMPLE, "--at", "yesterday"], 2, "no moment \"yesterday\""),
        (&["--nonsense"], 2, "--nonsense"),
        (&["diff", SAMPLE, "--path", "[", "--stat"], 2, "unclosed character class"),
        (&["show", "no/such/run"], 3, "cannot read no/such/run: no such file or folder"),
        (&["cat", SAMPLE, "../../Cargo.toml"], 3, "not a path inside the workspace"),
        (&["show", "Cargo.toml"], 4, "not a recording we know; known formats: "),
        (&["show", "tests/bad-runs/empty.jsonl"], 4, "the file is empty"),
    ];
    for (arguments, code, sentence) in cases {
        let ran = trajview(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(sentence), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn output_that_nobody_reads_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["diff", SAMPLE])
        .current_dir(project("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());

    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
}

/// One tiny recording per mistake: how `check` ends, and what it says.
#[test]
fn every_broken_recording_is_told_in_a_sentence() {
    let mut said = String::new();
    let mut names: Vec<_> = fs::read_dir(project("tests/bad-runs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    for name in names {
        let path = format!("tests/bad-runs/{}", name.to_str().unwrap());
        let ran = trajview(&["check", &path]);
        assert_eq!(ran.err, "", "{path}");
        said += &format!("{} {}", ran.code.unwrap(), ran.out);
    }
    insta::assert_snapshot!(said);
}

#[test]
fn nothing_recorded_drives_the_terminal() {
    let path = "tests/bad-runs/claude-escapes.jsonl";
    for arguments in [
        &["show", path][..],
        &["show", path, "--turn", "1"],
        &["diff", path, "--stat"],
        &["ls", path],
        &["check", path],
        &[path, "--snapshot", "120x40"],
        &[path, "--snapshot", "80x24", "--keys", "Z"],
        &[path, "--snapshot", "120x40", "--svg"],
    ] {
        let out = printed(arguments);
        let is_unsafe = |c: &char| {
            (c.is_control() && *c != '\n')
                || "\u{202e}\u{202c}\u{2066}\u{200b}\u{200d}".contains(*c)
        };
        assert_eq!(out.chars().find(is_unsafe), None, "{arguments:?}: {out}");
    }
}

#[test]
fn a_search_unfolds_the_step_whose_result_holds_the_word() {
    let before = printed(&[SAMPLE, "--at", "36", "--snapshot", "120x40"]);
    let after = printed(&[SAMPLE, "--snapshot", "120x40", "--keys", "/HHVMPRI<enter>"]);

    assert!(!before.contains("HHVMPRI"), "{before}");
    assert!(after.contains("turn 36/56"), "{after}");
    assert!(after.contains("AssertionError: 'HHVMPRI' != 'FWDKESR'"), "{after}");
}

#[test]
fn every_format_has_a_sample_that_reads_without_a_warning() {
    let formats = json(&["formats", "--json"]);
    for format in formats["formats"].as_array().unwrap() {
        let (name, sample) = (format["name"].as_str().unwrap(), format["sample"].as_str().unwrap());
        let shown = json(&["show", sample, "--json"]);

        assert_eq!(shown["run"]["format"], name);
        assert_eq!(shown["warnings"], Value::Array(vec![]), "{sample}");
        assert!(!turns(&shown).is_empty(), "{sample}");
    }
}

#[test]
fn the_readme_shows_the_registries_as_they_are() {
    let readme = fs::read_to_string(project("README.md")).unwrap();
    for registry in ["formats", "keys"] {
        let table = printed(&[registry, "--md"]);
        assert!(
            readme.contains(&table),
            "README.md lacks what `trajview {registry} --md` prints:\n{table}"
        );
    }
}

#[test]
fn the_changelog_has_the_unreleased_on_top() {
    let changelog = fs::read_to_string(project("CHANGELOG.md")).unwrap();
    let first = changelog.lines().find(|line| line.starts_with("## ")).unwrap();
    assert!(
        first.starts_with("## [Unreleased]") || first.contains(env!("CARGO_PKG_VERSION")),
        "{first}"
    );
}

#[test]
fn the_same_script_shows_the_same_requests_whoever_ran_it() {
    let Some(data) = real_data() else { return };
    let logs = fs::read_dir(data.join("recorded")).unwrap().map(|entry| entry.unwrap().path());
    let is_whole_session = |name: &str| {
        (name.contains("12turn.rollout0")
            || name.contains("12turn-gpt") && name.contains("rollout0"))
            || (name.starts_with("claude")
                && name.ends_with(".session.jsonl")
                && !name.contains("autocompact"))
    };
    let mut seen: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for log in logs {
        let name = log.file_name().unwrap().to_str().unwrap().to_owned();
        if is_whole_session(&name) {
            let shown = json(&["show", log.to_str().unwrap(), "--json"]);
            let requests = requests(&shown).into_iter().map(str::to_owned).collect();
            seen.entry(requests).or_default().push(name);
        }
    }

    assert_eq!(seen.len(), 1, "{seen:#?}");
    let (requests, names) = seen.first_key_value().unwrap();
    assert_eq!(requests.len(), 12);
    assert!(names.len() >= 12, "{names:?}");
}
