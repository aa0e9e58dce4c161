//! What is seen without a path: the sessions of five agents in a made-up home folder, and a home folder with nothing.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
    time::{Duration, UNIX_EPOCH},
};

use crate::common::project_path;

/// An agent: where it keeps sessions below the home folder, and a sample of one.
const AGENTS: [(&str, &str); 5] = [
    (".pi/agent/sessions/{project}/{id}.jsonl", "pi.jsonl"),
    (".qwen/projects/{project}/chats/{id}.jsonl", "qwen-code.jsonl"),
    (".copilot/session-state/{id}/events.jsonl", "copilot-cli.jsonl"),
    (".factory/sessions/{id}.jsonl", "droid.jsonl"),
    (".claude/projects/-work-{project}/{id}.jsonl", ""),
];

const PROJECTS: [&str; 6] = ["shop", "ledger", "router", "atlas", "mailer", "tinycalc"];

const ASKED: [&str; 5] = [
    "Make the parser read quoted fields",
    "The build fails on Windows, find out why",
    "Add a test for the empty basket",
    "Rename Account to Customer everywhere",
    "Why is the list of orders slow",
];

/// Claude Code's log is short enough to be made.
const CLAUDE: &str = r#"{"parentUuid":null,"sessionId":"made","uuid":"u1","type":"user","cwd":"/work/tinycalc","gitBranch":"main","version":"2.1.0","timestamp":"2026-09-21T14:13:20.000Z","message":{"role":"user","content":"Create a package tinycalc with add."}}
{"parentUuid":"u1","sessionId":"made","uuid":"u2","type":"assistant","cwd":"/work/tinycalc","timestamp":"2026-09-21T14:13:25.000Z","message":{"id":"m1","role":"assistant","model":"claude-opus","usage":{"input_tokens":900,"output_tokens":40},"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test"}}]}}
{"parentUuid":"u2","sessionId":"made","uuid":"u3","type":"user","cwd":"/work/tinycalc","timestamp":"2026-09-21T14:14:05.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"1 failed"}]}}
{"parentUuid":"u3","sessionId":"made","uuid":"u4","type":"assistant","cwd":"/work/tinycalc","timestamp":"2026-09-21T14:14:20.000Z","message":{"id":"m2","role":"assistant","model":"claude-opus","usage":{"input_tokens":950,"output_tokens":30},"content":[{"type":"text","text":"One test fails."}]}}
"#;

/// 2024-01-01 in seconds since 1970.
const FIRST_DAY: u64 = 1_704_067_200;

/// Session number so many of the home folder: each agent, project, request and day in turn.
fn write_session(home: &Path, number: usize) {
    let (place, sample) = AGENTS[number % AGENTS.len()];
    let (name, asked) = (PROJECTS[number % PROJECTS.len()], ASKED[(number / 3) % ASKED.len()]);
    let id = format!("session-{number:03}");
    let text = match sample {
        "" => CLAUDE.to_owned(),
        sample => fs::read_to_string(project_path("sample-runs/logs").join(sample)).unwrap(),
    };
    let (month, day, hour) = (1 + number % 12, 1 + number % 28, number % 24);
    let text = text
        .replace("2026-09-21T14:", &format!("2024-{month:02}-{day:02}T{hour:02}:"))
        .replace("/work/tinycalc", &format!("/work/{name}"))
        .replace("Create a package tinycalc with add.", asked)
        .replace("\"made\"", &format!("\"{id}\""));
    let path = home.join(place.replace("{project}", name).replace("{id}", &id));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let written = UNIX_EPOCH + Duration::from_secs(FIRST_DAY + number as u64 * 60);
    File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
}

/// The frame that a home folder leads to.
fn start_frame(home: &Path, size: &str, keys: &str, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
    command.env_clear().env("HOME", home).env("TRAJVIEW_CONFIG", "").env("LANG", "C.UTF-8");
    command.args(more).args(["--snapshot", size, "--keys", keys]).current_dir(home);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn home_of(sessions: usize) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    (0..sessions).for_each(|number| write_session(home.path(), number));
    home
}

#[test]
fn three_hundred_sessions_of_five_agents_are_listed_by_project() {
    let home = home_of(300);

    for size in ["80x24", "160x45"] {
        insta::assert_snapshot!(
            format!("start_300_{size}"),
            start_frame(home.path(), size, "", &[])
        );
    }
}

#[test]
fn typing_narrows_and_enter_opens_the_first_that_fits() {
    let home = home_of(30);

    let narrowed = start_frame(home.path(), "120x20", "o r d e r s", &[]);
    assert!(narrowed.contains("6 match `orders`"), "{narrowed}");

    let opened = start_frame(home.path(), "120x20", "o r d e r s <enter>", &[]);
    assert!(
        opened.starts_with("[Replay]")
            && opened.contains("turn 1/")
            && opened.contains("cargo test"),
        "{opened}"
    );
}

#[test]
fn a_letter_without_a_key_or_a_slash_begins_a_filter_and_keys_are_keys() {
    let home = home_of(30);

    let help = start_frame(home.path(), "120x30", "?", &[]);
    assert!(help.contains("┌ keys ") && !help.contains("fit `"), "{help}");
    let views = start_frame(home.path(), "120x30", "g", &[]);
    assert!(views.contains("┌ go to "), "{views}");
    let typed = start_frame(home.path(), "120x30", "/ q u o t e d", &[]);
    assert!(typed.contains("6 match `quoted`"), "{typed}");
    let erased = start_frame(home.path(), "120x30", "o r <bs> <bs> <bs>", &[]);
    assert_eq!(erased, start_frame(home.path(), "120x30", "", &[]));
}

#[test]
fn esc_goes_to_the_keys_of_the_table_and_back_and_the_groups_stay() {
    let home = home_of(30);
    let groups = |frame: &str| frame.lines().filter(|line| line.contains('▾')).count();
    let before = start_frame(home.path(), "120x40", "", &[]);

    for keys in ["<esc>", "<esc> <esc>", "<esc> <esc> <esc>"] {
        let frame = start_frame(home.path(), "120x40", keys, &[]);
        assert_eq!(groups(&frame), groups(&before), "{keys}: {frame}");
    }
    let sorted = start_frame(home.path(), "120x40", "<esc> s", &[]);
    assert!(sorted.contains('▲') && !sorted.contains("fit `"), "{sorted}");
    let typed = start_frame(home.path(), "120x40", "<esc> <esc> o r d e r s", &[]);
    assert!(typed.contains("6 match `orders`"), "{typed}");
}

#[test]
fn a_date_has_four_digits_of_the_year() {
    let home = home_of(5);

    assert!(start_frame(home.path(), "120x20", "", &[]).contains("2024-0"));
}

#[test]
fn a_folder_of_runs_that_was_opened_is_no_place_of_this_machine_and_a_recording_is() {
    let home = home_of(0);
    let folder = home.path().join("collected");
    fs::create_dir_all(&folder).unwrap();
    for name in ["one", "two"] {
        fs::write(folder.join(format!("{name}.jsonl")), CLAUDE.replace("made", name)).unwrap();
    }
    let listed = home.path().join(".cache/trajview/opened");
    fs::create_dir_all(listed.parent().unwrap()).unwrap();
    let folder = folder.canonicalize().unwrap();

    fs::write(&listed, format!("{}\n", folder.display())).unwrap();
    assert!(start_frame(home.path(), "120x20", "", &[]).contains("0 sessions"));

    fs::write(&listed, format!("{}\n", folder.join("one.jsonl").display())).unwrap();
    assert!(start_frame(home.path(), "120x20", "", &[]).contains("1 session"));
}

#[test]
fn a_call_without_a_result_is_told_although_nothing_is_written() {
    let home = home_of(0);
    let folder = home.path().join(".claude/projects/-work-shop");
    fs::create_dir_all(&folder).unwrap();
    let open: String = CLAUDE.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("s.jsonl"), open).unwrap();

    let frame = start_frame(home.path(), "120x16", "", &[]);

    assert!(frame.contains("in Bash"), "{frame}");
}

#[test]
fn a_variable_moves_where_sessions_are_looked_for() {
    let home = home_of(5);
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(home.path().join(".claude"), elsewhere.path().join("claude")).unwrap();
    let seen = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.env_clear().env("HOME", home.path()).env("CLAUDE_CONFIG_DIR", folder);
        let output = command.args(["--snapshot", "120x20"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };

    assert!(seen(&home.path().join(".claude")).contains("4 sessions"));
    assert!(seen(&elsewhere.path().join("claude")).contains("5 sessions"));
}

#[test]
fn an_empty_home_says_what_this_is_and_enter_opens_a_sample_run() {
    let home = home_of(0);

    let empty = start_frame(home.path(), "80x24", "", &[]);
    insta::assert_snapshot!("start_nothing_80x24", empty);

    let opened = start_frame(home.path(), "80x24", "<enter>", &[]);
    assert!(opened.contains("turn 1/"), "{opened}");
}

#[test]
fn a_folder_of_sessions_has_the_same_columns_and_v_shows_those_of_scores() {
    let home = home_of(12);

    let sessions = start_frame(home.path(), "120x20", "", &["."]);
    assert!(sessions.contains("request") && sessions.contains("12 sessions"), "{sessions}");

    let scores = start_frame(home.path(), "120x20", "v", &["."]);
    assert!(!scores.contains("request") && scores.contains("12 runs"), "{scores}");
}

#[test]
fn what_was_read_is_found_again_until_its_file_changes() {
    let home = home_of(10);
    let path = home.path().join(".factory/sessions/session-003.jsonl");
    let first = start_frame(home.path(), "120x30", "", &[]);
    assert!(home.path().join(".cache/trajview/sessions.sqlite").is_file());

    assert_eq!(start_frame(home.path(), "120x30", "", &[]), first);

    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("find out why", "and find out why")).unwrap();
    assert!(start_frame(home.path(), "120x30", "", &[]).contains(", and"));
}

#[test]
fn a_session_without_a_recorded_cost_has_the_computed_one_apart() {
    let home = home_of(0);
    let folder = home.path().join(".claude/projects/-work-tinycalc");
    fs::create_dir_all(&folder).unwrap();
    let log = CLAUDE.replace("claude-opus", "claude-opus-4-5-20251101");
    fs::write(folder.join("one.jsonl"), log).unwrap();

    let frame = start_frame(home.path(), "200x24", "<esc>", &[]);

    // 1,850 tokens read at 5 and 70 written at 25 USD a million.
    assert!(frame.contains("$0.0110") && frame.contains("list cost"), "{frame}");
}
