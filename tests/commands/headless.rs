//! The commands, run as a script would run them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::common::{self, cli_json, cli_text, project_path, real_data, run_cli};

const SAMPLE: &str = "sample-runs/codex-p12";

fn shown_turns(shown: &Value) -> &Vec<Value> {
    shown["turns"].as_array().unwrap()
}

fn shown_requests(shown: &Value) -> Vec<&str> {
    shown_turns(shown).iter().map(|turn| turn["request"].as_str().unwrap_or_default()).collect()
}

/// Applies the patch of every turn to an empty folder, one after the other, and gives the files it ends in.
fn applied_files(run: &str) -> BTreeMap<String, Vec<u8>> {
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
    for turn in 1..=shown_turns(&cli_json(&["show", run, "--json"])).len() {
        let patch = cli_text(&["diff", run, "--turn", &turn.to_string()]);
        if !patch.is_empty() {
            fs::write(folder.path().join(".git/turn.patch"), patch).unwrap();
            git(&["apply", "--whitespace=nowarn", ".git/turn.patch"]);
        }
    }
    let mut files = BTreeMap::new();
    collect_files(folder.path(), folder.path(), &mut files);
    files
}

fn collect_files(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".git")
    {
        let path = entry.path();
        if path.is_dir() {
            collect_files(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn listed_files(run: &str) -> BTreeMap<String, Vec<u8>> {
    let listed = cli_text(&["ls", run, "--at", "final"]);
    let cat = |path: &str| cli_text(&["cat", run, path, "--at", "final"]).into_bytes();
    listed.lines().map(|path| (path.to_owned(), cat(path))).collect()
}

#[test]
#[ignore = "needs git"]
fn the_patches_of_all_turns_end_in_the_final_tree() {
    for run in [
        SAMPLE,
        "sample-runs/codex-p12-single-shot",
        "sample-runs/claude-code",
        "sample-runs/codex-rollout",
    ] {
        let files = listed_files(run);

        assert!(!files.is_empty(), "{run}");
        assert!(applied_files(run) == files, "{run}");
    }
}

#[test]
#[ignore = "needs git"]
fn one_patch_from_start_to_final_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let patch = folder.path().join("all.patch");
    fs::write(&patch, cli_text(&["diff", SAMPLE])).unwrap();
    let apply =
        Command::new("git").arg("apply").arg(&patch).current_dir(folder.path()).status().unwrap();
    fs::remove_file(&patch).unwrap();

    assert!(apply.success());
    let mut files = BTreeMap::new();
    collect_files(folder.path(), folder.path(), &mut files);
    assert!(files == listed_files(SAMPLE));
}

#[test]
fn the_sample_run_has_its_turns_requests_edits_and_tokens() {
    let shown = cli_json(&["show", SAMPLE, "--json"]);

    assert_eq!(shown["schema"], "trajview.show/1");
    assert_eq!(shown["warnings"], Value::Array(vec![]));
    assert_eq!(shown_turns(&shown).len(), 56);
    assert!(shown_requests(&shown).iter().all(|request| !request.is_empty()));
    assert!(shown["totals"]["tokens"]["output"].as_u64().unwrap() > 0);
    assert!(shown["run"]["provenance"].as_str().unwrap().contains("scripted"));
    let compactions: u64 =
        shown_turns(&shown).iter().map(|turn| turn["compactions"].as_u64().unwrap()).sum();
    assert_eq!(compactions, 1);
}

#[test]
fn the_requests_of_the_log_are_those_of_the_script() {
    let shown = cli_json(&["show", SAMPLE, "--json"]);
    let script: Value =
        serde_json::from_slice(&fs::read(project_path(SAMPLE).join("script.json")).unwrap())
            .unwrap();

    let scripted: Vec<&str> = script["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|request| request["text"].as_str().unwrap())
        .collect();
    assert_eq!(shown_requests(&shown), scripted);
}

#[test]
fn a_rename_by_the_shell_is_a_rename_changed_outside_recorded_edits() {
    let shown = cli_json(&["show", SAMPLE, "--json"]);

    let edits = shown_turns(&shown)[25]["edits"].as_array().unwrap();
    let renamed = edits.iter().find(|edit| edit["path"] == "ppdiff/structures.py").unwrap();
    assert_eq!((&renamed["kind"], &renamed["from"]), (&"rename".into(), &"ppdiff/data.py".into()));
    assert_eq!(renamed["origin"], "outside");
}

#[test]
fn one_turn_is_shown_with_its_steps_and_where_they_stand() {
    let shown = cli_json(&["show", SAMPLE, "--turn", "3", "--json"]);

    let steps = shown["steps"].as_array().unwrap();
    let failed = steps.iter().find(|step| step["is_error"] == true).unwrap();
    assert_eq!(failed["kind"], "tool");
    assert_ne!(failed["result"]["exit_code"], 0);
    let place = &failed["where"];
    let log =
        fs::read_to_string(project_path(SAMPLE).join(place["file"].as_str().unwrap())).unwrap();
    let line = log.lines().nth(place["line"].as_u64().unwrap() as usize - 1).unwrap();
    assert!(line.contains(failed["tool"]["call_id"].as_str().unwrap()));
}

#[test]
fn a_file_is_told_as_it_stood_after_a_turn() {
    assert!(cli_text(&["ls", SAMPLE, "--at", "25"]).contains("ppdiff/data.py"));
    assert!(!cli_text(&["ls", SAMPLE, "--at", "26"]).contains("ppdiff/data.py"));
    let before = cli_text(&["cat", SAMPLE, "ppdiff/data.py", "--at", "c1"]);
    assert!(before.contains("class"), "{before}");
    assert_eq!(cli_text(&["ls", SAMPLE, "--at", "start"]), "");
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
        (&["show", "Cargo.toml"], 4, "not a recording we know; `trajview list formats` lists"),
        (&["show", "tests/bad-runs/empty.jsonl"], 4, "the file is empty"),
    ];
    for (arguments, code, sentence) in cases {
        let ran = run_cli(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(sentence), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn output_that_nobody_reads_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["diff", SAMPLE])
        .current_dir(project_path("."))
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
    let mut names: Vec<_> = fs::read_dir(project_path("tests/bad-runs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    for name in names {
        let path = format!("tests/bad-runs/{}", name.to_str().unwrap());
        let ran = run_cli(&["check", &path]);
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
        let out = cli_text(arguments);
        let is_unsafe = |c: &char| {
            (c.is_control() && *c != '\n')
                || "\u{202e}\u{202c}\u{2066}\u{200b}\u{200d}".contains(*c)
        };
        assert_eq!(out.chars().find(is_unsafe), None, "{arguments:?}: {out}");
    }
}

#[test]
fn a_search_unfolds_the_step_whose_result_holds_the_word() {
    let before = cli_text(&[SAMPLE, "--at", "36", "--snapshot", "120x40"]);
    let after = cli_text(&[SAMPLE, "--snapshot", "120x40", "--keys", "/HHVMPRI<enter>"]);

    assert!(!before.contains("HHVMPRI"), "{before}");
    assert!(after.contains("turn 36/56"), "{after}");
    assert!(after.contains("AssertionError: 'HHVMPRI' != 'FWDKESR'"), "{after}");
}

#[test]
fn every_format_has_a_sample_that_reads_without_a_warning() {
    let formats = cli_json(&["formats", "--json"]);
    for format in formats["formats"].as_array().unwrap() {
        let (name, sample) = (format["name"].as_str().unwrap(), format["sample"].as_str().unwrap());
        let shown = cli_json(&["show", sample, "--json"]);

        assert_eq!(shown["run"]["format"], name);
        // The notes of a trial are warnings of its run.
        let noted = shown["trial"]["notes"].as_array().cloned().unwrap_or_default();
        let warned = shown["warnings"].as_array().unwrap().iter();
        assert_eq!(warned.map(|it| it["what"].clone()).collect::<Vec<_>>(), noted, "{sample}");
        assert!(!shown_turns(&shown).is_empty() || shown["rubric_tree"].is_object(), "{sample}");
    }
}

#[test]
fn the_version_is_followed_by_the_features_of_the_build() {
    let manifest = fs::read_to_string(project_path("Cargo.toml")).unwrap();
    let features = manifest.lines().find_map(|line| line.strip_prefix("default = [")).unwrap();
    let features = features.trim_end_matches(']').replace('"', "");

    let printed = cli_text(&["--version"]);

    let mut lines = printed.lines();
    assert_eq!(lines.next(), Some(concat!("trajview ", env!("CARGO_PKG_VERSION"))));
    let has = lines.next().and_then(|line| line.strip_prefix("features: ")).unwrap();
    if cfg!(all(feature = "zig", feature = "sql", feature = "judge", feature = "c")) {
        assert_eq!(has, features);
    }
    assert_eq!(lines.next(), None);
    assert_eq!(cli_text(&["-V"]), concat!("trajview ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn the_changelog_has_the_unreleased_on_top() {
    let changelog = fs::read_to_string(project_path("CHANGELOG.md")).unwrap();
    let first = changelog.lines().find(|line| line.starts_with("## ")).unwrap();
    assert!(
        first.starts_with("## [Unreleased]") || first.contains(env!("CARGO_PKG_VERSION")),
        "{first}"
    );
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn the_same_script_shows_the_same_requests_whoever_ran_it() {
    let data = real_data();
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
            let shown = cli_json(&["show", log.to_str().unwrap(), "--json"]);
            let requests = shown_requests(&shown).into_iter().map(str::to_owned).collect();
            seen.entry(requests).or_default().push(name);
        }
    }

    assert_eq!(seen.len(), 1, "{seen:#?}");
    let (requests, names) = seen.first_key_value().unwrap();
    assert_eq!(requests.len(), 12);
    assert!(names.len() >= 12, "{names:?}");

    // The logs of other agents: mini-swe-agent puts its instructions below the first request.
    let paths = |shown: &Value| -> Vec<BTreeSet<String>> {
        let turns = shown["turns"].as_array().unwrap().iter();
        let of = |turn: &Value| turn["edits"].as_array().unwrap().clone();
        turns
            .map(|turn| of(turn).iter().map(|it| it["path"].as_str().unwrap().into()).collect())
            .collect()
    };
    let shown = |name: &str| {
        cli_json(&["show", data.join("recorded").join(name).to_str().unwrap(), "--json"])
    };
    let edited = paths(&shown(&names[0]));
    for (name, least) in [
        ("gemini-0.61.0.session-2026-11-21T21-10-38c429e0.jsonl", 10),
        ("opencode-1.18.33.export.json", 11),
        ("mini-2.4.6-12turn.traj.json", 0),
    ] {
        let shown = shown(name);
        let told = self::shown_requests(&shown);
        assert_eq!(told.len(), 12, "{name}");
        assert!(
            told.iter().zip(requests).all(|(it, asked)| it.starts_with(asked.as_str())),
            "{name}"
        );
        let told = paths(&shown);
        assert!(told.iter().map(BTreeSet::len).sum::<usize>() >= least, "{name}: {told:?}");
        assert!(
            told.iter().zip(&edited).all(|(told, all)| told.is_subset(all)),
            "{name}: {told:?}"
        );
    }
}

/// What `show --json` says of a run, without what an import may change: where it is, its format, its commits; and
/// without what it leaves behind, the measurements of a harness.
fn said_of(run: &str) -> Value {
    let mut shown = cli_json(&["show", run, "--json"]);
    for fact in ["path", "format", "provenance", "sources", "files_from", "harness"] {
        shown["run"].as_object_mut().unwrap().remove(fact);
    }
    for measured in ["tests", "recorded"] {
        shown.as_object_mut().unwrap().remove(measured);
    }
    for turn in shown["turns"].as_array_mut().unwrap() {
        turn.as_object_mut().unwrap().remove("commit");
    }
    shown
}

/// The steps of a turn, without the folder their logs are in, and without the ending that an import gives to a log that was in
/// another file.
fn steps_said(run: &str, turn: usize) -> Value {
    let shown = cli_json(&["show", run, "--turn", &turn.to_string(), "--json"]);
    let text = shown["steps"].to_string().replace("\"file\":\"session/", "\"file\":\"");
    let text = text.replace("\"file\":\"made.json\"", "\"file\":\"made\"");
    serde_json::from_str(&text).unwrap()
}

fn import_run(run: &str, folder: &Path) -> String {
    let out = folder.join("bundle");
    let out = out.to_str().unwrap().to_owned();
    cli_text(&["import", run, "--out", &out]);
    out
}

/// Of every format but those of rubric trees and of trials, which have no log.
fn sample_paths() -> Vec<String> {
    let formats = cli_json(&["formats", "--json"]);
    let sample = |format: &Value| format["sample"].as_str().unwrap().to_owned();
    let all = formats["formats"].as_array().unwrap().iter().map(sample);
    let has_no_log = |sample: &String| {
        sample == "sample-runs/paperbench" || sample.starts_with("sample-runs/jobs/")
    };
    all.filter(|sample| !has_no_log(sample)).collect()
}

#[test]
fn an_imported_run_says_what_the_recording_said() {
    let folder = tempfile::tempdir().unwrap();
    for (number, run) in sample_paths().iter().enumerate() {
        let bundle = import_run(run, &folder.path().join(number.to_string()));

        assert_eq!(said_of(&bundle), said_of(run), "{run}");
        assert_eq!(steps_said(&bundle, 1), steps_said(run, 1), "{run}");
        let (code, said) = {
            let ran = run_cli(&["check", &bundle]);
            (ran.code, ran.out)
        };
        assert_eq!(code, Some(0), "{run}: {said}");
    }
}

#[test]
fn the_files_of_an_imported_run_are_those_of_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    for run in ["sample-runs/claude-code", "sample-runs/codex-rollout-old"] {
        let bundle = import_run(run, &folder.path().join(run));
        for at in ["start", "1", "5", "final"] {
            let listed = |run: &str| cli_json(&["ls", run, "--at", at, "--json"])["files"].clone();
            assert_eq!(listed(&bundle), listed(run), "{run} at {at}");
        }
        let of = |run: &str| cli_text(&["cat", run, "README.md"]);
        assert_eq!(of(&bundle), of(run), "{run}");
    }
}

#[test]
fn the_logs_of_an_imported_run_are_kept_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    for run in ["sample-runs/claude-code", "sample-runs/codex-rollout-old"] {
        let bundle = import_run(run, &folder.path().join(run));
        let mut logs = BTreeMap::new();
        collect_files(&project_path(run), &project_path(run), &mut logs);
        logs.remove("provenance.txt");
        let mut kept = BTreeMap::new();
        let session = Path::new(&bundle).join("session");
        collect_files(&session, &session, &mut kept);

        assert_eq!(Vec::from_iter(kept.keys()), Vec::from_iter(logs.keys()), "{run}");
        assert!(kept == logs, "{run}");
    }
}

#[test]
fn a_bundle_is_imported_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = import_run(SAMPLE, folder.path());
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    collect_files(&project_path(SAMPLE), &project_path(SAMPLE), &mut before);
    collect_files(Path::new(&bundle), Path::new(&bundle), &mut after);

    assert_eq!(Vec::from_iter(after.keys()), Vec::from_iter(before.keys()));
    assert!(after == before);
}

#[test]
fn the_same_recording_gives_the_same_commits() {
    let folder = tempfile::tempdir().unwrap();
    let import = |name: &str| import_run("sample-runs/claude-code", &folder.path().join(name));

    let (one, two) = (import("one"), import("two"));

    assert!(commits_of_turns(&one).iter().all(Value::is_string));
    assert_eq!(commits_of_turns(&one), commits_of_turns(&two));
}

fn commits_of_turns(bundle: &str) -> Vec<Value> {
    let shown = cli_json(&["show", bundle, "--json"]);
    shown_turns(&shown).iter().map(|turn| turn["commit"].clone()).collect()
}

#[test]
#[ignore = "needs git"]
fn git_finds_the_commits_of_an_import_sound() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = import_run("sample-runs/claude-code", &folder.path().join("bundle"));
    let git = |arguments: &[&str]| {
        let repo = Path::new(&bundle).join("workspace.git");
        let ran = Command::new("git").arg("--git-dir").arg(repo).args(arguments).output();
        let ran = ran.unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };

    git(&["fsck", "--strict"]);
    let log = git(&["log", "--format=%an <%ae> %s", "--reverse", "main"]);

    assert_eq!(log.lines().count(), commits_of_turns(&bundle).len());
    let first = "trajview import <import@trajview.invalid> turn 1: Create a Python package";
    assert!(log.starts_with(first), "{log}");
}

#[test]
fn an_import_says_what_the_bundle_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bundle");
    let run = "sample-runs/codex-exec-json";
    let ran = run_cli(&["import", run, "--out", out.to_str().unwrap()]);

    let sentence = "the recording has no content of any file; the bundle has no workspace.git";
    assert_eq!((ran.code, ran.err), (Some(0), format!("trajview: {sentence}\n")));
    let manifest = fs::read_to_string(out.join("run.json")).unwrap();
    assert!(manifest.contains(&format!("from a codex-exec log; {sentence}\"")), "{manifest}");
    assert!(!out.join("workspace.git").exists());
}

#[test]
fn an_import_never_writes_over_anything_and_leaves_nothing_behind_when_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(folder.path().join("full")).unwrap();
    fs::write(folder.path().join("full/mine"), "mine").unwrap();
    let broken = "tests/bad-runs/not-a-recording.json";
    let cases = [
        (SAMPLE, place("full"), 2, "exists already and is not empty; name another folder"),
        (SAMPLE, place("full/mine"), 2, "exists already, and is not an empty folder"),
        (SAMPLE, format!("{SAMPLE}/copy"), 2, "is inside the recording, which is only read"),
        (SAMPLE, place("full/mine/below"), 3, "cannot write "),
        (broken, place("new/bundle"), 4, "not a recording we know"),
        ("no/such/run", place("new/bundle"), 3, "cannot read no/such/run"),
    ];
    for (run, out, code, sentence) in cases {
        let ran = run_cli(&["import", run, "--out", &out]);
        assert_eq!(ran.code, Some(code), "{out}: {}", ran.err);
        assert!(ran.err.contains(sentence), "{out}: {}", ran.err);
    }

    let mut files = BTreeMap::new();
    collect_files(folder.path(), folder.path(), &mut files);
    assert_eq!(Vec::from_iter(files), [("full/mine".to_owned(), b"mine".to_vec())]);
    assert!(!folder.path().join("new").exists());
}

#[cfg(unix)]
#[test]
fn an_import_follows_no_link_out_of_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    fs::create_dir_all(place("run/session")).unwrap();
    fs::write(place("secret.jsonl"), "secret").unwrap();
    fs::copy(project_path("tests/bad-runs/bundle-no-session/run.json"), place("run/run.json"))
        .unwrap();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, place(name)).unwrap();
    link("../../secret.jsonl", "run/session/link.jsonl");
    link("..", "run/session/folder");
    link("../secret.jsonl", "run/script.json");

    let bundle = import_run(place("run").to_str().unwrap(), folder.path());

    let mut files = BTreeMap::new();
    collect_files(Path::new(&bundle), Path::new(&bundle), &mut files);
    assert_eq!(Vec::from_iter(files.keys()), ["run.json"]);
}

#[test]
fn every_broken_recording_imports_or_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(project_path("tests/bad-runs")).unwrap() {
        let run = entry.unwrap().path();
        let out = folder.path().join(run.file_name().unwrap());
        let ran = run_cli(&["import", run.to_str().unwrap(), "--out", out.to_str().unwrap()]);

        assert!(matches!(ran.code, Some(0 | 4)), "{}: {:?} {}", run.display(), ran.code, ran.err);
        assert_eq!(ran.code == Some(0), out.exists(), "{}", run.display());
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn other_people_s_recordings_survive_the_import() {
    let data = real_data();
    let folder = tempfile::tempdir().unwrap();
    let logs = ["claude-2.1.197.session.jsonl", "codex-0.169.0-12turn-gpt-5.5.rollout0.jsonl"];
    for log in logs {
        let run = data.join("recorded").join(log);
        let run = run.to_str().unwrap();
        let bundle = import_run(run, &folder.path().join(log));
        assert_eq!(said_of(&bundle), said_of(run), "{log}");
    }
}

#[test]
fn blame_tells_turn_checkpoint_and_step_of_every_line() {
    let out = cli_text(&["blame", SAMPLE, "ppdiff/forward.py", "--line", "1-8"]);
    insta::assert_snapshot!(out, @r#"
    17 c4 2   1  """The forward process: clean complexes to noisy ones."""
    17 c4 2   2  import math
    17 c4 2   3  
    26 c5   ◇ 4  from ppdiff.structures import AMINO_ACIDS
    21 c4 2   5  from ppdiff.geometry import center_of_mass, remove_com, sub
    17 c4 2   6  
    17 c4 2   7  COORD_SCALE = 10.0
    19 c4 2   8  K = len(AMINO_ACIDS)
    "#);
}

#[test]
fn blame_as_json_names_the_request_behind_a_line() {
    let told = cli_json(&["blame", SAMPLE, "ppdiff/forward.py", "--line", "4", "--json"]);
    let shown = cli_json(&["show", SAMPLE, "--turn", "26", "--json"]);

    assert_eq!(told["schema"], "trajview.blame/1");
    assert_eq!((&told["path"], &told["turn"]), (&"ppdiff/forward.py".into(), &56.into()));
    let line = &told["lines"][0];
    assert_eq!(
        (&line["line"], &line["turn"], &line["step"]),
        (&4.into(), &26.into(), &Value::Null)
    );
    assert_eq!((&line["checkpoint"], &line["origin"]), (&"c5".into(), &"outside".into()));
    let request = line["request"].as_str().unwrap();
    assert!(shown["request"].as_str().unwrap().starts_with(request), "{request}");
}

#[test]
fn blame_leads_to_the_edit_that_wrote_the_line() {
    let told = cli_json(&["blame", SAMPLE, "ppdiff/forward.py", "--json"]);
    let text = cli_text(&["cat", SAMPLE, "ppdiff/forward.py"]);
    let lines = told["lines"].as_array().unwrap();

    assert_eq!(lines.len(), text.lines().count());
    let mut after: BTreeMap<u64, String> = BTreeMap::new();
    for (line, text) in lines.iter().zip(text.lines()) {
        assert_eq!(line["text"], text);
        let turn = line["turn"].as_u64().unwrap();
        let cat = || cli_text(&["cat", SAMPLE, "ppdiff/forward.py", "--at", &turn.to_string()]);
        let after = after.entry(turn).or_insert_with(cat);
        assert!(after.lines().any(|line| line == text), "turn {turn}: {text}");
    }
}

#[test]
fn what_cannot_be_blamed_is_told_in_a_sentence() {
    let cases: [(&[&str], i32, &str); 5] = [
        (&["blame", SAMPLE, "no.py"], 3, "no.py: no such file at that moment"),
        (&["blame", SAMPLE, "../x"], 3, "../x: not a path inside the workspace"),
        (&["blame", SAMPLE, "ppdiff/data.py", "--at", "99"], 2, "no turn 99"),
        (
            &["blame", SAMPLE, "ppdiff/forward.py", "--line", "9999"],
            2,
            "no line 9999: the file has",
        ),
        (&["blame", SAMPLE, "ppdiff/forward.py", "--line", "5-3"], 2, "such as 12-20"),
    ];
    for (arguments, code, sentence) in cases {
        let ran = run_cli(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(sentence), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let commands = trajview::cli::command_names();
    let shells = ["bash", "zsh", "fish", "elvish", "powershell"];
    let mut prints: Vec<String> =
        shells.iter().map(|shell| cli_text(&["completions", shell])).collect();
    prints.push(cli_text(&["man"]));
    for print in prints {
        for command in &commands {
            assert!(print.contains(command.as_str()), "{command} is not in {print}");
        }
    }
}

#[test]
fn settings_are_told_with_where_they_were_said_and_read_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one.toml"), folder.path().join("two.toml"));
    let tell = |path: &Path| cli_text(&["--print-config", "--config", path.to_str().unwrap()]);
    let values = |told: &str| -> Vec<String> {
        let lines = told.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split("  # ").next().unwrap().to_owned()).collect()
    };
    fs::write(&one, "tab_width = 8\n[play]\nspeed = 0.5\n[keys]\nquit = \"<c-c>\"\n").unwrap();
    let first = tell(&one);
    fs::write(&two, &first).unwrap();

    let place = |line: usize| format!("  # {}:{line}", one.display());
    for said in [
        "theme = \"terminal\"  # default".to_owned(),
        format!("tab_width = 8{}", place(1)),
        format!("speed = 0.5{}", place(3)),
        format!("\"quit\" = [\"<c-c>\"]{}", place(5)),
    ] {
        assert!(first.lines().any(|line| line == said), "{said} is not in {first}");
    }
    assert_eq!(values(&tell(&two)), values(&first));
}

#[test]
fn settings_that_cannot_be_used_are_told_in_a_sentence_and_the_rest_counts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.toml");
    fs::write(&file, "ascii = true\ntheme = \"pink\"\n").unwrap();

    let ran = run_cli(&["--print-config", "--config", file.to_str().unwrap()]);
    let absent = run_cli(&["--print-config", "--config", "no/such/file.toml"]);

    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("ascii = true  # "), "{}", ran.out);
    let sentence = "c.toml:2: theme: expected one of \"terminal\", \"dark\", \"light\", \
        \"high-contrast\", \"colour-blind\", found \"pink\"\n";
    assert!(ran.err.ends_with(sentence), "{}", ran.err);
    let sentence = "trajview: cannot read no/such/file.toml: no such file or folder\n";
    assert_eq!((absent.code, absent.err.as_str()), (Some(3), sentence));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn no_recording_of_another_tool_is_taken_for_one_of_claude_code_or_codex() {
    let data = real_data();
    let others = [
        "amp/T-019ca1f6-7f21-77b5-a308-65416ebbdf48.json",
        "antigravity/transcript.jsonl",
        "copilot-cli/events.jsonl",
        "cursor/session.jsonl",
        "droid/session.jsonl",
        "droid/stream.jsonl",
        "gemini/jsonl_v040.jsonl",
        "grok/chat_history.jsonl",
        "kimi/wire.jsonl",
        "openhands-v1/events.jsonl",
        "opencode/opencode.db",
        "pi/v3.jsonl",
        "qwen/session.jsonl",
    ];

    for file in others {
        let path = data.join(file);
        let ran = run_cli(&["check", "--json", path.to_str().unwrap()]);
        let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let format = report["runs"][0]["format"].as_str().unwrap_or("none");
        assert!(!format.starts_with("claude") && !format.starts_with("codex"), "{file}: {format}");
    }
}

#[test]
fn a_log_in_a_bundle_that_no_format_reads_is_a_warning_of_check_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    fs::create_dir(place("session")).unwrap();
    let run = r#"{"schema": "trajview.run/1", "id": "r", "turns": [{"turn": 1, "session": "agent.traj"}],
        "kept": ["session/agent.traj"]}"#;
    fs::write(place("run.json"), run).unwrap();
    for name in ["agent.traj", "chat_history.jsonl", "terminal.cast", "prompt.txt"] {
        fs::write(place("session").join(name), "{\"type\":\"system\",\"content\":\"x\"}\n")
            .unwrap();
    }

    let ran = run_cli(&["check", "--json", folder.path().to_str().unwrap()]);

    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let warnings = report["runs"][0]["warnings"].as_array().unwrap().iter();
    let told: Vec<_> =
        warnings.map(|it| (it["where"].as_str().unwrap(), it["what"].as_str().unwrap())).collect();
    let what = "not a log of a known format; not shown";
    assert_eq!(told, [("session/agent.traj", what), ("session/chat_history.jsonl", what)]);
}

/// The sample with a run.json as a live run leaves it whose last turn was stopped.
fn stopped_sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("stopped");
    common::judged::copy_folder(&project_path("sample-runs/codex-p12"), &bundle);
    let path = bundle.join("run.json");
    let mut run: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let turns = run["turns"].as_array_mut().unwrap();
    turns.truncate(4);
    let end = |turn: &mut Value, state: &str, why: Option<&str>, exit: &str| {
        turn["state"] = state.into();
        turn["why"] = why.into();
        turn["exit"] = exit.into();
    };
    end(&mut turns[0], "done", None, "exit code 0");
    turns[0]["cost_usd"] = 0.5.into();
    end(&mut turns[1], "kept", Some("the agent failed (exit code 1)"), "exit code 1");
    turns[1]["cost_usd"] = 0.25.into();
    end(&mut turns[3], "cut", Some("it was told to stop"), "signal 15");
    turns[3]["cost_usd"] = 4.into();
    // A turn of which there is no log: what the recorder heard is all there is.
    turns[2]["session"] = "gone.jsonl".into();
    turns[2]["tokens"] = serde_json::json!({"input": 70, "cached_input": null, "output": 7});
    run["state"] = "stopped: it was told to stop".into();
    run["checkpoints"] = serde_json::json!([]);
    fs::write(&path, run.to_string()).unwrap();
    folder
}

#[test]
fn a_turn_that_was_cut_or_failed_says_so_everywhere_and_what_was_cut_does_not_count() {
    let folder = stopped_sample();
    let (folder, bundle) = (folder.path(), folder.path().join("stopped"));
    let bundle = bundle.to_str().unwrap();

    let shown = cli_json(&["show", bundle, "--json"]);
    let (text, turn) = (cli_text(&["show", bundle]), cli_text(&["show", bundle, "--turn", "4"]));
    let corpus = cli_json(&["corpus", folder.to_str().unwrap(), "--resamples", "0", "--json"]);
    let table = cli_text(&["corpus", folder.to_str().unwrap(), "--resamples", "0"]);
    let screen = cli_text(&[bundle, "--snapshot", "120x40"]);
    let scored = cli_json(&["score", bundle, "--each", "turn", "--json"]);

    let state = |turn: &Value| (turn["state"].clone(), turn["counts"].clone());
    assert_eq!(
        shown_turns(&shown).iter().map(state).collect::<Vec<_>>(),
        [("done", true), ("kept", true)]
            .map(|(state, counts)| (Value::from(state), Value::from(counts)))
            .into_iter()
            .chain([(Value::Null, true.into()), ("cut".into(), false.into())])
            .collect::<Vec<_>>()
    );
    let totals = &shown["totals"];
    assert_eq!((&totals["turns"], &totals["turns_not_counted"]), (&3.into(), &1.into()));
    assert_eq!(totals["cost_usd"], 0.75, "what the cut turn cost does not count");
    assert_eq!(shown_turns(&shown)[2]["tokens"]["input"], 70, "no log, so what the recorder heard");
    for told in [
        "state: stopped: it was told to stop",
        "turn 2: failed, kept: the agent failed (exit code 1)",
        "turn 4: cut, does not count: it was told to stop",
        "3 turns (1 more does not count)",
    ] {
        assert!(text.contains(told), "{told:?} is not in:\n{text}");
    }
    assert!(
        turn.contains("cut, does not count: it was told to stop\n  the agent ended with signal 15"),
        "{turn}"
    );
    let run = &corpus["runs"][0];
    assert_eq!((&run["turns"], &run["cost_usd"]), (&3.into(), &0.75.into()));
    assert_eq!(run["turn_states"][1], "turn 4: cut, does not count: it was told to stop");
    assert!(
        table.contains("* stopped: turn 4: cut, does not count: it was told to stop"),
        "{table}"
    );
    assert!(screen.contains(" cut ") && screen.contains("failed, kept"), "{screen}");
    let labels: Vec<&Value> =
        scored["points"].as_array().unwrap().iter().map(|it| &it["label"]).collect();
    assert_eq!(labels, ["turn 1", "turn 2", "turn 3"], "no point of a turn that does not count");
}

#[test]
fn what_a_killed_live_run_leaves_beside_is_no_run_of_a_table() {
    let folder = stopped_sample();
    let home = folder.path().join("stopped.work/home/.codex/sessions");
    fs::create_dir_all(&home).unwrap();
    let sample = "sample-runs/codex-rollout/rollout-2026-11-21T20-51-05-01a1ffe0-81fd-7c53-84dd-887f9d16b032.jsonl";
    fs::copy(project_path(sample), home.join("rollout-2026-11-21T20-51-05-x.jsonl")).unwrap();
    let folder = folder.path().to_str().unwrap();

    let checked = cli_json(&["corpus", folder, "--resamples", "0", "--json"]);
    let refused = run_cli(&["show", &format!("{folder}/stopped.work")]);

    assert_eq!(checked["runs"].as_array().unwrap().len(), 1);
    assert_eq!(refused.code, Some(4));
    assert!(
        refused.err.contains("the workspace of a live run, not its recording"),
        "{}",
        refused.err
    );
}

/// The sample with one mistake of each kind in the files that it is judged by.
fn mistaken_sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("mistaken");
    common::judged::copy_folder(&project_path(SAMPLE), &bundle);
    fs::remove_dir_all(bundle.join("judgements")).unwrap();
    for folder in ["judgements", "labels"] {
        fs::create_dir(bundle.join(folder)).unwrap();
    }
    let components = r#"{
 "schema": "trajview.components/1",
 "components": [
  {"id": "C01", "name": "one", "intnet": "x"},
  {"id": "C02", "name": 7, "connects_to": ["C09"],
   "committed_at_turn": 99},
  {"id": "C01", "name": "again"},
  {"name": "nameless"},
  "C04"
 ]
}"#;
    let exposure = r#"{
 "schema": "trajview.exposure/1",
 "components": [
  {"id": "C01", "by_turn": [{"turn": 2, "level": 5}, {"turn": 99, "level": 1}]},
  {"id": "C09", "by_turn": [{"turn": 3, "level": 1}, {"turn": 2, "level": 2}]}
 ]
}"#;
    let judgement = r#"{
 "schema": "trajview.judgement/1",
 "judge": {"name": "reader", "kind": "robot"},
 "commit": "0123456789",
 "turn": 57,
 "created_at": "yesterday",
 "scores": [
  {"component": "C01", "score": 4, "label": "Absent", "evidence": [
   {"path": "nowhere.py", "start": 1, "end": 2},
   {"path": "ppdiff/train.py", "start": 1, "end": 100000},
   {"path": "ppdiff/train.py", "start": 9, "end": 3}]},
  {"component": "C02", "score": 4.5, "tokens": "many"},
  {"component": "C03", "score": null, "label": "Perfect"}
 ]
}"#;
    let labels = r#"{
 "schema": "trajview.labels/2",
 "annotator": "ana",
 "labels": [
  {"component": "C01", "judgement": "judgements/reader.json", "score": 1, "reason": "agree"},
  {"component": "C01", "commit": "610540d2038c3343ff934f9f90ced3b4806f89ad", "turn": 3, "score": 2},
  {"component": "C02", "score": 3, "blind": "yes", "reason": "because", "at": "2026-01-01T00:00:00Z"},
  {"score": 3}
 ]
}"#;
    for (name, text) in [
        ("components.json", components),
        ("exposure.json", exposure),
        ("judgements/reader.json", judgement),
        ("judgements/torn.json", "{\n \"schema\": \"trajview.judgement/1\",\n \"judge\": {"),
        ("labels/ana.json", labels),
    ] {
        fs::write(bundle.join(name), text).unwrap();
    }
    folder
}

#[test]
fn check_names_file_line_and_field_of_every_mistake_in_components_exposure_judgements_and_labels() {
    let folder = mistaken_sample();
    let bundle = folder.path().join("mistaken");

    let ran = run_cli(&["check", bundle.to_str().unwrap()]);

    assert_eq!(ran.code, Some(1));
    let shown = ran.out.replace(&format!("{}", bundle.display()), "BUNDLE");
    insta::assert_snapshot!(shown, @r##"
    BUNDLE/components.json:4: components[0].intnet: no such field; known: id, name, intent, formula, inputs, outputs, connects_to, committed_at_turn, blocker
    BUNDLE/components.json:5: components[1].name: expected text that is not blank, found 7
    BUNDLE/components.json:5: components[1].connects_to[0]: no component "C09"
    BUNDLE/components.json:6: components[1].committed_at_turn: no turn 99; the run has 56
    BUNDLE/components.json:7: components[2].id: "C01" is there already; the first one counts
    BUNDLE/components.json:8: components[3]: has no field "id"
    BUNDLE/components.json:9: components[4]: expected an object, found "C04"
    BUNDLE/exposure.json:4: components[0].by_turn[0].level: expected a level from 0 to 4, found 5
    BUNDLE/exposure.json:4: components[0].by_turn[1].turn: no turn 99; the run has 56
    BUNDLE/exposure.json:5: components[1].id: no component "C09" in components.json
    BUNDLE/exposure.json:5: components[1].by_turn[1]: turn 2 comes after turn 3; expected increasing turns
    BUNDLE/judgements/reader.json:3: judge.kind: expected one of http, command, human, imported, found "robot"
    BUNDLE/judgements/reader.json:4: commit: no turn of run.json ended at commit 0123456789
    BUNDLE/judgements/reader.json:5: turn: no turn 57; the run has 56
    BUNDLE/judgements/reader.json:6: created_at: expected a time as 2026-01-31T12:00:00Z, found "yesterday"
    BUNDLE/judgements/reader.json:8: scores[0].label: Absent is level 0, and the score is 4
    BUNDLE/judgements/reader.json:9: scores[0].evidence[0].path: "nowhere.py": no such file after turn 56
    BUNDLE/judgements/reader.json:10: scores[0].evidence[1]: no line 100000: ppdiff/train.py has 129 after turn 56
    BUNDLE/judgements/reader.json:11: scores[0].evidence[2]: starts at line 9 and ends at line 3, before it
    BUNDLE/judgements/reader.json:12: scores[1].score: expected a level from 0 to 4, found 4.5
    BUNDLE/judgements/reader.json:12: scores[1].tokens: expected a whole number from 0, found "many"
    BUNDLE/judgements/reader.json:13: scores[2].component: no component "C03" in components.json
    BUNDLE/judgements/reader.json:13: scores[2]: has no score and no error or reason
    BUNDLE/judgements/reader.json:13: scores[2].label: "Perfect" is none of Absent, Wrong, Simplified, Equivalent, Faithful
    BUNDLE/judgements/torn.json:3: is not JSON: EOF while parsing an object at line 3 column 11
    BUNDLE/labels/ana.json:2: schema: expected "trajview.labels/1", found "trajview.labels/2"
    BUNDLE/labels/ana.json:5: labels[0].reason: agree contradicts the scores: label 1, verdict 4
    BUNDLE/labels/ana.json:6: labels[1].commit: is the commit of turn 56, and turn is 3
    BUNDLE/labels/ana.json:7: labels[2].blind: expected true or false, found "yes"
    BUNDLE/labels/ana.json:7: labels[2].reason: "because" is none of agree, false-absence, false-presence, rubric-boundary, wrong-evidence, other
    BUNDLE/labels/ana.json:8: labels[3]: has no field "component"
    BUNDLE: bundle, 56 turns, 253 steps, 31 warnings
    "##);
}

#[test]
fn what_is_neither_judgements_nor_labels_nor_a_table_is_refused_by_agree_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let log = "sample-runs/codex-exec-json/stdout.jsonl".to_owned();
    let others = [
        file(
            "copy.json",
            &fs::read_to_string(project_path("sample-runs/codex-p12/run.json")).unwrap(),
        ),
        "sample-runs/codex-p12/components.json".into(),
        "README.md".into(),
        log,
        file("nothing.txt", ""),
    ];

    for other in &others {
        let ran = run_cli(&["agree", other]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{other}");
        assert_eq!(ran.err.lines().count(), 1, "{other}: {}", ran.err);
        let expected = "expected judgements, labels or a table of scores";
        assert!(ran.err.contains(expected) && ran.err.len() < 400, "{other}: {}", ran.err);
    }
}

#[test]
fn a_table_divided_by_semicolons_says_what_one_divided_by_commas_says() {
    let folder = tempfile::tempdir().unwrap();
    let agreement = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        cli_json(&["agree", path.to_str().unwrap(), "--resamples", "0", "--json"])["pairs"].clone()
    };

    let commas = agreement("commas.csv", "component,a,b\nC1,4,3\nC2,2,2.5\nC3,1,1\n");
    let semicolons =
        agreement("semicolons.csv", "component;a;b\r\nC1;4;3\r\nC2;2;2,5\r\nC3;1;1\r\n");

    assert_eq!(commas.as_array().unwrap().len(), 1);
    assert_eq!(commas, semicolons);
}

#[test]
fn an_import_tells_all_its_mistakes_at_once_and_writes_nothing() {
    let folder = stopped_sample();
    let bundle = folder.path().join("stopped");
    let sheet = folder.path().join("labels.csv");
    fs::write(
        &sheet,
        "component;score;turn;blind;note\r\nC01;9;;;\r\nC99;3;;;\r\nC02;2;0;perhaps;\r\nC03;2;99;;\r\nC04;3;;;\"\"x\r\nC05;3;;;fine\r\n",
    )
    .unwrap();

    let ran = run_cli(&[
        "audit",
        bundle.to_str().unwrap(),
        "--import",
        sheet.to_str().unwrap(),
        "--annotator",
        "ana",
    ]);

    assert_eq!(ran.code, Some(4), "{}", ran.err);
    for told in [
        "line 2: \"9\" is not a score from 0 to 4",
        "line 3: components.json has no component C99",
        "line 4: \"0\" is not a turn; turns count from 1",
        "line 4: blind is \"perhaps\"; it is true, false or empty",
        "line 5: no turn 99; the run has 4",
        "line 6: unexpected \"x\" after a quoted cell",
    ] {
        assert!(ran.err.contains(told), "{told:?} is not in:\n{}", ran.err);
    }
    assert!(!bundle.join("labels").exists());
}

#[test]
fn a_rubric_tree_has_no_erosion_no_verbosity_and_no_tokens_and_none_of_them_is_0() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("grader_output.json");
    fs::copy(project_path("sample-runs/paperbench/grader_output.json"), &tree).unwrap();
    let (folder, tree) = (folder.path().to_str().unwrap(), tree.to_str().unwrap());

    let shown = cli_json(&["show", tree, "--json"]);
    let scored = cli_json(&["score", tree, "--json"]);
    let corpus = cli_json(&["corpus", folder, "--resamples", "0", "--json"]);
    let texts = [
        cli_text(&["corpus", folder, "--resamples", "0"]),
        cli_text(&["corpus", folder, "--resamples", "0", "--csv"]),
        cli_text(&["score", tree]),
        cli_text(&[folder, "--view", "collection", "--snapshot", "160x20"]),
    ];

    assert_eq!(shown["totals"]["tokens"]["input"], Value::Null);
    for name in ["added", "removed", "steps", "errors"] {
        assert_eq!(shown["totals"][name], Value::Null, "{name}");
    }
    assert_eq!(scored["points"], Value::Array(vec![]));
    let run = &corpus["runs"][0];
    for name in ["erosion", "verbosity", "mcf", "dir", "if50", "turns"] {
        assert_eq!(run[name], Value::Null, "{name}");
    }
    assert_eq!(run["tokens"]["input"], Value::Null);
    for text in texts {
        let zero = text
            .split([' ', ',', '\n', '\r', '│'])
            .find(|word| ["0.000", "-0", "−0", "-0.000", "−0.000"].contains(word));
        assert_eq!(zero, None, "{text}");
    }
}

/// Numbers of the steps of a turn in the order in which `show --turn` lists them, sub-agents' steps where they stand.
fn collect_numbers(steps: &Value, into: &mut Vec<u64>) {
    for step in steps.as_array().unwrap() {
        into.push(step["step"].as_u64().unwrap());
        if step["subagent"].is_object() {
            collect_numbers(&step["subagent"]["steps"], into);
        }
    }
}

#[test]
fn lines_that_no_edit_tells_are_no_zero_and_a_run_without_an_edit_has_none() {
    let by_name_alone = cli_text(&["show", "sample-runs/codex-exec-json"]);
    let first = by_name_alone.lines().find(|line| line.trim_start().starts_with("1 ")).unwrap();
    assert_eq!(first.split_whitespace().skip(4).take(3).collect::<Vec<_>>(), ["3", "-", "-"]);

    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("messages.json");
    let said =
        r#"[{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hello"}]"#;
    fs::write(&log, said).unwrap();
    let shown = cli_json(&["show", log.to_str().unwrap(), "--json"]);
    assert_eq!((&shown["totals"]["added"], &shown["totals"]["removed"]), (&0.into(), &0.into()));
}

#[test]
fn every_surface_gives_each_number_of_a_run_alike_and_numbers_its_steps_alike() {
    for sample in sample_paths() {
        let path = project_path(&sample);
        let opened = trajview::store::open(&path).unwrap();
        let card = trajview::analysis::cards::card_of_recording(&path).unwrap();
        let shown = cli_json(&["show", &sample, "--json"]);
        let report: Value =
            serde_json::from_str(&run_cli(&["check", &sample, "--json"]).out).unwrap();
        if opened.run.turns.is_empty() {
            continue; // a rubric tree has none of these numbers
        }

        let totals = &shown["totals"];
        let checked = &report["runs"][0];
        let lines = |name: &str| totals[name].as_u64();
        assert_eq!(totals["turns"], card.turns, "{sample}");
        assert_eq!(
            (&totals["turns"], &totals["steps"]),
            (&checked["turns"], &checked["steps"]),
            "{sample}"
        );
        assert_eq!((lines("added"), lines("removed")), card.lines.unzip(), "{sample}");
        for turn in shown_turns(&shown) {
            let number = turn["turn"].as_u64().unwrap();
            let told = cli_json(&["show", &sample, "--turn", &number.to_string(), "--json"]);
            let mut found = vec![];
            collect_numbers(&told["steps"], &mut found);
            let expected: Vec<u64> = (1..=found.len() as u64).collect();
            assert_eq!(found, expected, "{sample}, turn {number}");
            let of_run = opened.run.step_numbers(number as usize - 1).len();
            assert_eq!(of_run, found.len(), "{sample}, turn {number}");
        }
        let first = &shown_turns(&shown)[0];
        // On a small screen the panels are tabs with their counts.
        let screen = cli_text(&[&sample, "--snapshot", "80x24"]);
        let count = first["steps"].as_u64().unwrap() + first["subagent_steps"].as_u64().unwrap();
        let is_shown = screen.contains(&format!("steps {count} "))
            || screen.contains("the steps are the texts of the harness");
        assert!(count == 0 || is_shown, "{sample}: {count}\n{screen}");
    }
}
