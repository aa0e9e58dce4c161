//! `trajview live` in a real terminal, and what a bundle shows of the run that made it afterwards.

use std::{fs, path::Path, process::Command};

use portable_pty::CommandBuilder;

use crate::pty::Tui;

const AGENT: &str = "tests/agents/plain.sh";

struct Desk(tempfile::TempDir);

impl Desk {
    fn new(requests: &[(&str, Option<&str>)]) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        let rows: Vec<_> = requests
            .iter()
            .enumerate()
            .map(|(at, (text, checkpoint))| {
                serde_json::json!({"turn": at + 1, "text": text, "checkpoint": checkpoint})
            })
            .collect();
        let script = serde_json::json!({
            "schema": "trajview.script/1", "task": "t", "condition": "emergent", "requests": rows
        });
        fs::write(desk.path("script.json"), script.to_string()).unwrap();
        let agents = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents");
        let config = format!(
            "[drivers.plain]\nstart = [\"sh\", \"{agents}/plain.sh\", \"{{session}}\"]\nsession = \"chosen\"\n\
             logs = [\"logs/*.jsonl\"]\ninput_pointer = \"/usage/in\"\noutput_pointer = \"/usage/out\"\n\
             [drivers.typed]\nstart = [\"sh\", \"{agents}/typed.sh\"]\nprompt = \"pty\"\nend_marker = \"ready> $\"\n"
        );
        fs::write(desk.path("config.toml"), config).unwrap();
        desk
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn live(&self, agent: &str, columns: u16, rows: u16, more: &[&str]) -> Tui {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(["live", "--agent", agent, "--script"]);
        command.arg(self.path("script.json"));
        command.arg("--out");
        command.arg(self.path("run"));
        command.arg("--config");
        command.arg(self.path("config.toml"));
        command.args(more);
        ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
        Tui::spawn_command(columns, rows, command)
    }
}

fn three_requests() -> [(&'static str, Option<&'static str>); 3] {
    [
        ("Begin.\ndo: echo one > one.txt", None),
        ("Go on.\ndo: echo two > two.txt", Some("c1")),
        ("End.\ndo: rm one.txt", None),
    ]
}

fn snapshot_text(run: &Path, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .arg(run)
        .args(["--view", "live", "--snapshot", "160x45"])
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_run_is_watched_to_its_end_and_replayed_beside() {
    let desk = Desk::new(&three_requests());
    let mut tui = desk.live("plain", 160, 45, &[]);

    tui.wait_for("finished");
    let screen = tui.wait_for("turn 3/3 · ");
    assert!(screen.contains("turn 3/3 · plain · emergent"), "{screen}");
    tui.press("v");
    tui.wait_for("erosion");
    tui.press("vv");
    tui.wait_for("one.txt");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
    assert!(tui.is_given_back());
    let shown = snapshot_text(&desk.path("run"), &[]);
    assert!(shown.contains("✓ finished  turn 3/3"), "{shown}");
}

#[test]
fn each_request_waits_and_is_skipped_and_edited_by_key() {
    let desk = Desk::new(&three_requests());
    let mut tui = desk.live("plain", 120, 40, &["--step"]);

    tui.wait_for("waiting for you  turn 0/3");
    tui.press(" ");
    tui.wait_for("waiting for you  turn 1/3");
    tui.press("S");
    tui.wait_for("skipped");
    tui.press("E");
    tui.wait_for("next request ");
    tui.press("\x15do: echo three > three.txt\r");
    tui.wait_for("edited");
    tui.press(" ");
    tui.wait_for("finished");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);

    let script: serde_json::Value =
        serde_json::from_slice(&fs::read(desk.path("run/script.json")).unwrap()).unwrap();
    assert_eq!(script["requests"].as_array().unwrap().len(), 2);
    assert_eq!(script["requests"][1]["text"], "do: echo three > three.txt");
    assert_eq!(script["skipped"][0]["text"], "Go on.\ndo: echo two > two.txt");
}

#[test]
fn quitting_twice_stops_the_agent_and_the_run_goes_on_with_resume() {
    let mut requests = three_requests();
    requests[1].0 = "Wait.\ndo: sleep 600";
    let desk = Desk::new(&requests);
    let mut tui = desk.live("plain", 80, 24, &[]);

    tui.wait_for("turn 1/3");
    tui.press("q");
    tui.wait_for("quit again to stop it");
    // What is being made is told to whoever looks from elsewhere.
    let shown = snapshot_text(&desk.path("run"), &[]);
    assert!(shown.contains("▷ run by another process  turn 1/3"), "{shown}");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 130);
    assert!(tui.is_given_back());

    let shown = snapshot_text(&desk.path("run"), &[]);
    assert!(shown.contains("turn 1/3") && shown.contains("R resumes it"), "{shown}");
}

#[test]
fn an_agent_in_a_terminal_is_typed_to_by_hand() {
    let desk = Desk::new(&three_requests());
    let mut tui = desk.live("typed", 160, 45, &["--step"]);

    tui.wait_for("waiting for you  turn 0/3");
    tui.press(" ");
    tui.wait_for("turn 1/3");
    tui.wait_for("terminal of 78 columns");
    tui.press("\r");
    tui.wait_for("attached: keys go to the agent");
    tui.press("by hand");
    tui.wait_for("ready> by hand");
    tui.press("\x1d");
    tui.press("X");
    tui.wait_for("stop the agent?");
    tui.press("y");
    tui.wait_for("stopped");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 130);
}

/// The screen of a run that was recorded before, with a cache of its own.
fn open_run(desk: &Desk, columns: u16, rows: u16) -> Tui {
    let made = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--headless", "--agent", "plain", "--script"])
        .arg(desk.path("script.json"))
        .arg("--out")
        .arg(desk.path("run"))
        .arg("--config")
        .arg(desk.path("config.toml"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    open_again(desk, columns, rows)
}

fn open_again(desk: &Desk, columns: u16, rows: u16) -> Tui {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.arg(desk.path("run"));
    command.arg("--config");
    command.arg(desk.path("config.toml"));
    command.env("PATH", "/usr/bin:/bin"); // no agents but those of the settings
    ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
    let tui = Tui::spawn_with_cache(columns, rows, command, &desk.path("cache"));
    tui.wait_for("turn 1/3");
    tui
}

/// Escape alone: together with the next key it would be that key with alt.
fn close_form(tui: &mut Tui) {
    tui.wait_for("esc close"); // the last row of a frame: what stands above it is drawn
    tui.press("\x1b");
    tui.wait_until("the form closed", |it| !it.screen().contents().contains("esc close"));
}

#[test]
fn keys_alone_lead_from_an_open_run_to_its_other_condition_beside_it_and_to_the_comparison() {
    let desk = Desk::new(&three_requests());
    let mut tui = open_run(&desk, 160, 45);

    tui.press("A");
    tui.wait_for("live run");
    tui.press("\x1b[C");
    tui.wait_for("same task, other condition");
    tui.wait_for("run-plain-single-shot");
    tui.press("\r");
    let screen = tui.wait_for("c compares it with run");
    assert!(screen.contains("plain") && screen.contains("turn 3/3"), "{screen}");
    tui.press("%");
    tui.wait_for("turn 1/1");
    tui.press("%");
    tui.wait_for("turn 3/3");
    tui.press("c");
    tui.wait_for("run-plain-single-shot");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);

    let made = desk.path("run-plain-single-shot");
    let script: serde_json::Value =
        serde_json::from_slice(&fs::read(made.join("script.json")).unwrap()).unwrap();
    assert_eq!(script["condition"], "single-shot");
    assert_eq!(script["requests"].as_array().unwrap().len(), 1);
    let shown = snapshot_text(&made, &[]);
    assert!(shown.contains("✓ finished  turn 1/1"), "{shown}");
}

#[test]
fn what_the_form_said_is_there_again_for_the_same_task_and_the_folder_is_a_new_one() {
    let desk = Desk::new(&three_requests());
    let mut tui = open_run(&desk, 120, 40);
    tui.press("A\x1b[C");
    tui.wait_for("run-plain-single-shot");
    tui.press("jj m-1\r"); // the model
    tui.wait_for("m-1");
    tui.wait_for("records");
    tui.press("\r");
    tui.wait_for("c compares it with run");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);

    let mut tui = open_again(&desk, 120, 40);
    tui.press("A");
    let screen = tui.wait_for("run-plain-single-shot-2");
    assert!(screen.contains("m-1") && screen.contains("other condition"), "{screen}");
    close_form(&mut tui);
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
}

#[test]
fn quitting_asks_while_an_agent_that_was_started_from_the_screen_is_at_work() {
    let mut requests = three_requests();
    requests[0].0 = "Begin.\ndo: sleep 1";
    let desk = Desk::new(&requests);
    let mut tui = open_run(&desk, 120, 40);
    let script = desk.path("run/script.json");
    let slow = fs::read_to_string(&script).unwrap().replace("sleep 1", "sleep 600");
    fs::write(&script, slow).unwrap();

    tui.press("A");
    tui.wait_for("run-plain-emergent");
    tui.press("\r");
    tui.wait_for("running");
    tui.press("\x1bOP"); // F1
    tui.wait_for("live run 0/3 F7");
    tui.press("q");
    tui.wait_for("quit again to stop it");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
    assert!(tui.is_given_back());
    let shown = snapshot_text(&desk.path("run-plain-emergent"), &[]);
    assert!(shown.contains("R resumes it"), "{shown}");
}

#[test]
fn a_script_that_does_not_parse_is_said_in_the_form_until_something_else_is_asked() {
    let desk = Desk::new(&three_requests());
    let mut tui = open_run(&desk, 120, 40);
    fs::write(desk.path("run/script.json"), "{").unwrap();

    tui.press("A");
    tui.wait_for("does not read as a script");
    tui.press("ll"); // a specification
    tui.wait_for("no file: space to type its path");
    leave_form(tui);

    assert!(!desk.path("run-plain-emergent").exists());
}

#[test]
fn a_container_without_an_image_and_a_login_that_is_not_there_are_said_in_the_form() {
    let desk = Desk::new(&three_requests());
    let mut tui = open_run(&desk, 120, 40);

    tui.press("A");
    tui.wait_for("run-plain-emergent");
    tui.press("11gg 15gg\x1b[C\x1b[C"); // unfolded; the sandbox: none, bwrap, docker
    tui.wait_for("docker needs the image in which the agent is installed");
    tui.press("\x1b[D\x1b[D");
    tui.wait_until("no such sentence", |it| !it.screen().contents().contains("needs the image"));
    tui.press("j\x1b[C"); // the login
    tui.wait_for("agent plain has no login to copy");
    leave_form(tui);

    assert!(!desk.path("run-plain-emergent").exists());
}

#[test]
#[ignore = "needs bwrap"]
fn a_run_in_bubblewrap_is_started_with_keys_alone() {
    let desk = Desk::new(&three_requests());
    let mut tui = open_run(&desk, 120, 40);

    tui.press("A");
    tui.wait_for("run-plain-emergent");
    tui.press("11gg 15gg\x1b[C");
    tui.wait_for("a sandbox (bwrap) with the network");
    tui.press("\r");
    tui.wait_for("c compares it with run");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);

    let run = fs::read_to_string(desk.path("run-plain-emergent/run.json")).unwrap();
    assert!(run.contains("the agent worked in a sandbox (bwrap) with the network"), "{run}");
}

#[test]
fn a_specification_without_a_path_is_asked_for_in_the_form_and_starts_nothing() {
    let desk = Desk::new(&three_requests());
    let mut tui = open_run(&desk, 120, 40);

    tui.press("All"); // its path is typed in the next field
    tui.wait_for("no file: space to type its path");
    leave_form(tui);

    assert!(!desk.path("run-plain-emergent").exists());
}

#[test]
fn a_folder_that_is_taken_is_left_alone_and_the_form_proposes_another() {
    let desk = Desk::new(&three_requests());
    let mut tui = open_run(&desk, 120, 40);
    let taken = desk.path("run-plain-emergent");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("notes.txt"), "mine").unwrap();

    tui.press("A");
    tui.wait_for("run-plain-emergent-2");
    leave_form(tui);

    assert_eq!(fs::read_dir(&taken).unwrap().count(), 1);
    assert!(!desk.path("run-plain-emergent-2").exists());
}

/// Closes the form and quits.
fn leave_form(mut tui: Tui) {
    close_form(&mut tui);
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
}

#[test]
fn a_recording_that_no_live_run_made_says_so() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-runs/codex-p12");
    let shown = snapshot_text(Path::new(run), &[]);
    assert!(shown.contains("this run has no recorded terminal"), "{shown}");
}

/// Once the view said that the output was not kept, and the form did not offer the program that made the run.
#[test]
fn a_run_of_a_program_that_failed_shows_its_output_and_offers_the_program_again() {
    let desk = Desk::new(&three_requests());
    let made = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--headless", "--agent", "command", "--script"])
        .arg(desk.path("script.json"))
        .arg("--out")
        .arg(desk.path("run"))
        .args(["--", "sh", "-c", "echo these words were printed; exit 7"])
        .output()
        .unwrap();
    assert_eq!(made.status.code(), Some(1), "{made:?}");
    let frame = |keys: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.arg(desk.path("run")).args(["--snapshot", "120x40", "--keys", keys]);
        String::from_utf8(command.env("PATH", "/usr/bin:/bin").output().unwrap().stdout).unwrap()
    };

    let live = frame("<f7>");
    assert!(live.contains("these words were printed"), "{live}");
    assert!(live.contains(" R resume ") && !live.contains(" X stop "), "{live}");
    let asked = frame("<f7> R");
    assert!(asked.contains("resume the run?"), "{asked}");
    let form = frame("A");
    assert!(form.contains("‹ command ›  made this run · sh -c"), "{form}");
}

#[test]
fn without_a_terminal_there_is_a_sentence() {
    let desk = Desk::new(&three_requests());
    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--agent", "command", "--script"])
        .arg(desk.path("script.json"))
        .arg("--out")
        .arg(desk.path("run"))
        .args(["--", "sh", AGENT])
        .output()
        .unwrap();
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{why}");
    assert!(why.contains("use --headless without one"), "{why}");
    assert!(!desk.path("run").exists());
}
