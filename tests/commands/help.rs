//! The help, its examples, and the sentences about a mistyped command line.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::common::{at_columns, cli_text, judge_desk::copy_folder, project_path, run_cli};

const COMMANDS_IN_GROUPS: [&str; 8] =
    ["open", "read", "score", "judge and audit", "compare", "run agents", "data", "reference"];

/// The commands that the help lists.
fn listed_commands() -> Vec<String> {
    trajview::cli::command_names()
}

#[test]
fn the_help_is_one_screen_in_groups() {
    let help = at_columns(100, &["--help"]);

    assert!(help.lines().count() <= 45, "{} lines\n{help}", help.lines().count());
    assert_eq!(help.lines().find(|line| line.chars().count() > 100), None);
    let titles: Vec<&str> = COMMANDS_IN_GROUPS.to_vec();
    let lines: Vec<&str> = help.lines().collect();
    let places: Vec<Option<usize>> =
        titles.iter().map(|title| lines.iter().position(|it| it.starts_with(title))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{help}");
    for command in listed_commands() {
        assert!(help.contains(&format!(" {command} ")), "{command}");
    }
    assert_eq!(help, at_columns(100, &["help"]));
    assert_eq!(help, at_columns(100, &["-h"]));
}

#[test]
fn lists_are_folded_to_the_width_of_the_terminal() {
    for list in ["formats", "metrics", "rules", "keys", "schemas"] {
        for columns in [80, 120] {
            let text = at_columns(columns, &["list", list]);

            let wide = text.lines().find(|line| line.chars().count() > columns);
            assert_eq!((wide, text.lines().count() > 5), (None, true), "{list}");
        }
    }
}

#[test]
fn help_has_commands_by_their_names_and_explains_words() {
    for names in [vec!["losses"], vec!["list", "keys"], vec!["new", "checklist"], vec!["open"]] {
        let by_option = cli_text(&[&names[..], &["--help"]].concat());

        assert_eq!(cli_text(&[&["help"], &names[..]].concat()), by_option, "{names:?}");
    }
    let explained = cli_text(&["help", "erosion"]);
    assert!(explained.contains("erosion") && explained.contains("docs/"), "{explained}");
    let mistyped = run_cli(&["help", "shwo"]);
    assert_eq!(mistyped.code, Some(2));
    assert!(mistyped.err.contains("did you mean show?"), "{}", mistyped.err);
}

/// Writes what the examples need beside the sample runs: settings, a plan, a memory, and parts of several machines.
fn prepare_examples(folder: &Path) {
    copy_folder(&project_path("sample-runs"), &folder.join("sample-runs"));
    let judge = "[judges.gpt]\nkind = \"chat\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1/v1\"\n\
                 price_input = 1.0\nprice_output = 1.0\n";
    let driver = "[drivers.writer]\nstart = [\"sh\", \"-c\", \"cat >>lines.txt\"]\n";
    let plan = "[scripts.words]\nfile = \"words.json\"\n[agents.writer]\n";
    let script = r#"{"schema": "trajview.script/1", "task": "words",
        "requests": [{"turn": 1, "text": "Write.", "checkpoint": "first"}]}"#;
    let event = r#"{"kind": "routing", "turn": 2, "query": "f", "entities": ["f"], "chunks": ["c1"],
        "tokens": 40, "seconds": 0.5, "cost_usd": 0.0}"#;
    for (name, text) in [
        ("config.toml", format!("{judge}{driver}")),
        ("plan.toml", plan.into()),
        ("words.json", script.into()),
        ("sample-runs/codex-p12/memory.jsonl", event.replace('\n', " ") + "\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    for command in [
        "trajview export sample-runs/logs --csv parts --shard 1/2",
        "trajview export sample-runs/logs --csv parts --shard 2/2",
        "trajview export sample-runs/logs --csv machine-1 --shard 1/2",
        "trajview export sample-runs/logs --csv machine-2 --shard 2/2",
        "trajview new checklist --out checklist.json",
    ] {
        run_in_shell(folder, command);
    }
}

fn run_in_shell(folder: &Path, command: &str) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_trajview")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let Output { status, stdout, stderr } = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("HOME", folder)
        .env("TRAJVIEW_CONFIG", folder.join("config.toml"))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout) + &text(stderr))
}

/// The lines below `Examples:` in the help of a command.
fn examples_in_help(command: &str) -> Vec<String> {
    let help = cli_text(&[command, "--help"]);
    let (_, examples) =
        help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command}\n{help}"));
    examples.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn the_examples_of_every_command_run_on_the_sample_runs() {
    let folder = tempfile::tempdir().unwrap();
    prepare_examples(folder.path());
    for command in listed_commands() {
        let examples = examples_in_help(&command);
        assert_eq!(examples.len(), 2, "{command}: {examples:?}");
        for example in examples {
            let frame = if command == "open" { " --snapshot 120x40" } else { "" };
            let (code, printed) = run_in_shell(folder.path(), &format!("{example}{frame}"));
            let is_new = example.contains("check components.json"); // it says what is to be filled in
            assert!(code == Some(0) || is_new && code == Some(1), "{example}: {code:?}\n{printed}");
        }
    }
}

#[test]
fn commands_that_list_something_are_below_one_and_their_old_names_still_work() {
    for list in ["formats", "metrics", "rules", "keys"] {
        assert_eq!(cli_text(&["list", list]), cli_text(&[list]), "{list}");
        assert!(!listed_commands().contains(&list.to_owned()), "{list}");
    }
}

#[test]
fn old_names_of_options_are_read_and_not_in_the_help() {
    for (command, old, new) in [
        ("find", "--most", "--max-count"),
        ("batch", "--again", "--retry-failed"),
        ("process", "--again", "--rerun"),
        ("decisions", "--store", "--decisions"),
        ("judge", "--store", "--decisions"),
        ("layer", "--store", "--decisions"),
        ("open", "--store", "--decisions"),
        ("live", "--layer-store", "--decisions"),
        ("decisions", "--draw", "--extract"),
        ("annotations", "--of", "--rater"),
        ("annotations", "--as", "--format"),
        ("annotations", "--to", "--export-to"),
        ("annotations", "--from", "--import-from"),
        ("export", "--replace", "--overwrite"),
        ("merge", "--replace", "--overwrite"),
        ("score", "--replace", "--overwrite"),
        ("audit", "--judgement", "--judge"),
        ("audit", "--settle-agreed", "--adjudicate-agreed"),
        ("open", "--two-acts", "--confirm-labels"),
        ("report", "--most-bytes", "--max-bytes"),
        ("report", "--most-files", "--max-files"),
        ("report", "--most-total", "--max-total"),
        ("live", "--work", "--work-dir"),
        ("live", "--open-bundle", "--no-hide"),
    ] {
        let help = cli_text(&[command, "--help"]);
        let has = |name: &str| help.split([' ', '\n', '=', ',']).any(|word| word == name);
        assert!(has(new) && !has(old), "{command} {new}");
        // An unknown option is an error that names it; a known one only lacks something else.
        let err = run_cli(&[command, old]).err;
        assert!(!err.contains("unexpected argument"), "{command} {old}: {err}");
    }
}

#[test]
fn on_and_off_are_written_with_a_blank_or_an_equals_sign() {
    for option in ["--ascii", "--mouse", "--confirm-labels"] {
        let frame = |words: &[&str]| {
            let arguments = [words, &["sample-runs/claude-code", "--snapshot", "80x24"]].concat();
            cli_text(&arguments)
        };
        let joined = format!("{option}=on");
        assert_eq!(frame(&[option, "on"]), frame(&[&joined]), "{option}");
        assert!(cli_text(&["open", "--help"]).contains(&format!("{option} <on|off>")), "{option}");
    }
}

#[test]
fn options_before_a_command_belong_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f.toml");
    fs::write(&file, "theme = \"dark\"\n").unwrap();
    let file = file.to_str().unwrap();
    let run = "sample-runs/claude-code";

    assert_eq!(cli_text(&["--config", file, "show", run]), cli_text(&["show", run]));
    assert_eq!(
        cli_text(&["--profile", "scb-paper", "score", run]),
        cli_text(&["score", run, "--profile", "scb-paper"])
    );
    let missing = run_cli(&["--config", "no/such.toml", "cost", run]);
    let settings = run_cli(&["--theme", "dark", "show", run]);
    assert_eq!(settings.code, Some(2));
    assert!(settings.err.contains("unexpected argument '--theme'"), "{}", settings.err);
    assert!(
        missing.err.contains("cannot read no/such.toml: no such file or folder"),
        "{}",
        missing.err
    );
}

#[test]
fn a_mistyped_command_path_or_option_names_what_it_may_be_meant_to_be() {
    for (arguments, code, sentence) in [
        (vec!["shwo", "sample-runs/codex-p12"], 2, "did you mean `trajview show`?"),
        (vec!["shwo", "sample-runs/codex-p12", "--turn", "3"], 2, "did you mean `trajview show`?"),
        (vec!["scores", "sample-runs/codex-p12"], 2, "did you mean `trajview score`?"),
        (
            vec!["sample-runs/codex-p21", "--snapshot", "80x24"],
            3,
            "did you mean sample-runs/codex-p12?",
        ),
        (vec!["show", "sample-run/codex-p12"], 3, "did you mean sample-runs/codex-p12?"),
        (vec!["find", "x", "sample-runs/claude-cod"], 3, "did you mean sample-runs/claude-code?"),
        (vec!["show", "sample-runs/codex-p12", "--trun", "3"], 2, "'--turn'"),
        (vec!["list", "kyes"], 2, "'keys'"),
    ] {
        let ran = run_cli(&arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(sentence), "{arguments:?}: {}", ran.err);
    }
    let far = run_cli(&["nothing-like-it", "--snapshot", "80x24"]);
    assert!(!far.err.contains("did you mean"), "{}", far.err);
}

#[test]
fn a_missing_file_is_called_so_in_the_same_words_everywhere() {
    let run = "sample-runs/codex-p12";
    for arguments in [
        vec!["show", "no-such"],
        vec!["no-such", "--snapshot", "80x24"],
        vec!["corpus", "no-such"],
        vec!["corpus", "--paths", "no-such"],
        vec!["agree", "no-such"],
        vec!["audit", run, "--annotator", "ana", "--import", "no-such"],
        vec!["batch", "no-such"],
        vec!["decisions", run, "--decisions", "no-such"],
        vec!["decisions", "--decisions", "no-such", "--ask", "x"],
        vec!["layer", run, "continuity", "--decisions", "no-such"],
        vec!["live", "--agent", "command", "--script", "no-such", "--headless", "--", "true"],
        vec!["score", run, "--rules", "no-such"],
        vec!["cost", run, "--prices", "no-such"],
        vec!["report", run, "--out", "no-such/report.html"],
        vec!["export", run, "--atif", "--out", "no-such/run.json"],
        vec!["new", "checklist", "--out", "no-such/components.json"],
        vec!["--config", "no-such", "cost", run],
    ] {
        let ran = run_cli(&arguments);
        assert_ne!(ran.code, Some(0), "{arguments:?}");
        assert!(ran.err.contains("no-such"), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains("no such file or folder"), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains("os error"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_value_that_is_no_number_says_what_is_expected() {
    let run = "sample-runs/codex-p12";
    for (arguments, expected) in [
        (vec!["show", run, "--turn", "x"], "expected the number of a turn, such as 12"),
        (vec!["diff", run, "--turn", "x"], "expected the number of a turn, such as 12"),
        (vec!["layer", run, "projectguard", "--turn", "x"], "expected the number of a turn"),
        (vec!["find", "x", run, "--max-count", "x"], "expected a whole number"),
        (vec!["report", run, "--max-bytes", "x"], "expected a whole number"),
    ] {
        let ran = run_cli(&arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.err.contains(expected), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn shells_complete_the_values_of_options() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("config.toml"),
        "[judges.strict]\nkind = \"command\"\ncommand = [\"true\"]\n",
    )
    .unwrap();
    let (_, script) = run_in_shell(folder.path(), "trajview completions bash");
    let values_of = |command: &str, option: &str| {
        let case = script.split(&format!("\n        trajview__subcmd__{command})")).nth(1);
        let case = case.or_else(|| script.split(&format!("\n        trajview__{command})")).nth(1));
        let after = case.and_then(|case| case.split(&format!("{option})")).nth(1));
        after.unwrap_or_else(|| panic!("{command} {option}")).lines().nth(1).unwrap().to_owned()
    };

    for view in trajview::session::views::View::ALL {
        let word = if view.word() == "collection" { "runs" } else { view.word() };
        assert!(values_of("open", "--view").contains(word), "{word}");
    }
    for (command, option, value) in [
        ("open", "--theme", "high-contrast"),
        ("open", "--profile", "scb-paper"),
        ("open", "--unit", "leaf"),
        ("score", "--profile", "scb-paper"),
        ("score", "--judge", "strict"),
        ("judge", "--judge", "strict"),
        ("judge", "--rubric", "flags"),
        ("audit", "--unit", "flag"),
        ("live", "--sandbox", "bwrap"),
        ("annotations", "--export-to", "scout"),
    ] {
        let values = values_of(command, option);
        assert!(
            values.contains("compgen -W") && values.contains(value),
            "{command} {option}: {values}"
        );
    }
}

#[test]
fn the_manual_page_has_the_commands_with_their_examples() {
    let page = cli_text(&["man"]);

    for command in listed_commands() {
        assert!(page.contains(&format!(".SH \"trajview {command}\"")), "{command}");
    }
    assert!(page.contains("trajview losses sample\\-runs/codex\\-p12\n"), "no examples");
}
