//! An agent that asks for the kitty keyboard protocol, in a real terminal that knows it or does not.

use std::fs;

use portable_pty::CommandBuilder;

use crate::pty::Tui;

/// What a terminal is asked that is to say whether it knows the protocol.
const QUESTION: &str = "\x1b[?u\x1b[c";

/// The answers of one that does and of one that does not.
const KNOWS: &str = "\x1b[?0u\x1b[?62;c";
const KNOWS_NOT: &str = "\x1b[?62;c";

/// A run of which the agent asks for these flags, stopped before its second request.
fn agent_that_asks(flags: &str) -> (tempfile::TempDir, Tui) {
    let folder = tempfile::tempdir().unwrap();
    let requests =
        ["Begin.", "Go on."].map(|text| serde_json::json!({"text": text, "checkpoint": null}));
    let script = serde_json::json!({"task": "t", "requests": requests});
    fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
    let agent = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/keyboard.sh");
    let config = format!(
        "[drivers.keyboard]\nstart = [\"sh\", \"{agent}\", \"{flags}\"]\nprompt = \"pty\"\nend_marker = \"ready> $\"\n"
    );
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.args(["live", "--agent", "keyboard", "--step", "--script"]);
    command.arg(folder.path().join("script.json"));
    command.arg("--out");
    command.arg(folder.path().join("run"));
    command.arg("--config");
    command.arg(folder.path().join("config.toml"));
    ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
    let mut tui = Tui::spawn_command(160, 45, command);
    tui.wait_for("waiting for you  turn 0/2");
    tui.press(" ");
    tui.wait_for("waiting for you  turn 1/2");
    (folder, tui)
}

fn has_written(tui: &Tui, words: &str) -> bool {
    memchr::memmem::find(&tui.written.lock().unwrap(), words.as_bytes()).is_some()
}

fn wait_until_written(tui: &Tui, words: &str) {
    tui.wait_until(words, |_| has_written(tui, words));
}

/// Gives the keyboard to the agent in a terminal that knows the protocol; it is given these flags.
fn enter_agent(tui: &mut Tui, flags: &str) {
    tui.press("\r");
    tui.wait_for("attached: keys go to the agent");
    wait_until_written(tui, QUESTION);
    tui.press(KNOWS);
    wait_until_written(tui, &format!("\x1b[>{flags}u"));
}

/// Ends the run and the program.
fn quit_screen(mut tui: Tui) {
    tui.press("X");
    tui.wait_for("stop the agent?");
    tui.press("y");
    tui.wait_for("stopped");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 130);
    assert!(tui.is_given_back());
}

#[test]
fn an_agent_that_asks_is_answered_and_hears_keys_as_it_asked() {
    let (_folder, mut tui) = agent_that_asks("3");
    tui.wait_for("1b 5b 3f 33 75"); // `CSI ? 3 u`
    assert!(!has_written(&tui, QUESTION), "nothing is asked before attached: keys go to the agent");

    enter_agent(&mut tui, "3");
    tui.press("\x1b[13;2u"); // shift and return
    tui.wait_for("1b 5b 31 33 3b 32 75");
    tui.press("\x1b[27u");
    tui.wait_for("1b 5b 32 37 75");
    tui.press("\x1b[105;5u"); // control and i
    tui.wait_for("1b 5b 31 30 35 3b 35 75");
    tui.press("\x1b[1;1:3A"); // the key up is let go
    tui.press("\x1b[97;1:3u");
    tui.wait_for("1b 5b 31 3b 31 3a 33 41 1b 5b 39 37 3b 31 3a 33 75");

    tui.press("\x1b[93;5u\x1b[93;1:3u"); // ctrl-], which is let go when the agent has the keyboard no more
    tui.wait_until("the keyboard given back", |_| tui.keyboards_taken() == 0);
    tui.press("\x1b[120;1:3u"); // so is x, which would stop the run
    tui.press("\r");
    tui.wait_for("attached: keys go to the agent");
    tui.wait_until("the keyboard taken again", |_| tui.keyboards_taken() == 1);
    tui.press("\x1b[93;5u");
    tui.wait_for("waiting for you  turn 1/2");
    quit_screen(tui);
}

#[test]
fn a_terminal_that_does_not_know_the_protocol_is_left_alone() {
    for answer in [KNOWS_NOT, ""] {
        let (_folder, mut tui) = agent_that_asks("1");
        tui.press("\r");
        tui.wait_for("attached: keys go to the agent");
        wait_until_written(&tui, QUESTION);
        tui.press(answer);

        tui.press("\x1b[1;5A"); // control and up
        tui.press("\t");
        tui.press("\x1f"); // control and 7 or _
        tui.press("\r");
        tui.wait_for("1b 5b 31 3b 35 41 09 1f 0d");
        tui.press("\x1b");
        tui.wait_for("1b 5b 32 37 75");

        tui.press("\x1d");
        tui.wait_for("waiting for you  turn 1/2");
        assert!(!has_written(&tui, "\x1b[>1u") && !has_written(&tui, "\x1b[<u"), "{answer:?}");
        quit_screen(tui);
    }
}

#[test]
fn an_agent_that_does_not_ask_hears_the_bytes_of_before_and_no_terminal_is_asked() {
    let (_folder, mut tui) = agent_that_asks("");
    tui.press("\r");
    tui.wait_for("attached: keys go to the agent");

    tui.press("\x1b[1;5A\t\x1b[13;2u");
    tui.press("\r");

    tui.wait_for("1b 5b 31 3b 35 41 09 0d");
    tui.press("\x1d");
    assert!(!has_written(&tui, QUESTION));
    tui.wait_for("turn 1/2");
    quit_screen(tui);
}

#[test]
fn a_signal_gives_the_keyboard_back_and_a_continued_program_takes_it_again() {
    let (_folder, mut tui) = agent_that_asks("13");
    enter_agent(&mut tui, "13");

    tui.signal("-TSTP");
    tui.wait_until("the shell's screen", |parser| !parser.screen().alternate_screen());
    assert!(tui.is_given_back());
    tui.continue_until("attached: keys go to the agent");
    tui.wait_until("the keyboard taken again", |_| tui.keyboards_taken() == 1);
    tui.press("\x1b[97:65;2u");
    tui.wait_for("1b 5b 39 37 3a 36 35 3b 32 75");

    tui.signal("-TERM");
    assert_eq!(tui.wait_for_end().exit_code(), 143);
    assert!(tui.is_given_back());
}
