//! The real program in a real terminal: taken, given back, resized, stopped, ended.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use portable_pty::CommandBuilder;
use trajview::runtime::ReaderGate;

use crate::pty::{SAMPLE, Tui};

#[test]
fn quitting_gives_the_terminal_back() {
    let mut tui = Tui::start_screen(120, 40);
    tui.press("l");
    tui.wait_for("turn 2/");

    tui.press("q");

    assert_eq!(tui.wait_for_end().exit_code(), 0);
    assert!(tui.is_given_back());
}

#[test]
fn a_signal_that_ends_the_program_gives_the_terminal_back() {
    for (signal, code) in [("-TERM", 143), ("-HUP", 129), ("-INT", 130)] {
        let mut tui = Tui::start_screen(80, 24);
        tui.signal(signal);

        assert_eq!(tui.wait_for_end().exit_code(), code, "{signal}");
        assert!(tui.is_given_back(), "{signal}");
    }
}

/// What a terminal that reads nothing does not get it cannot be given back either; its modes can.
#[test]
fn a_terminal_that_reads_nothing_gets_its_modes_back_and_the_program_ends() {
    use std::{
        os::fd::AsFd,
        process::{Command, Stdio},
    };

    for (delay, size) in [(0, (80, 24)), (700, (400, 200))] {
        let pair = portable_pty::native_pty_system()
            .openpty(portable_pty::PtySize { cols: size.0, rows: size.1, ..Default::default() })
            .unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
        let cache = tempfile::tempdir().unwrap();
        command.arg(SAMPLE);
        command.env("TERM", "xterm-256color");
        command.env("XDG_CACHE_HOME", cache.path());
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let terminal = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(pair.master.tty_name().unwrap())
            .unwrap();
        let modes = || rustix::termios::tcgetattr(terminal.as_fd()).unwrap().local_modes;
        let before = modes();
        let mut child = pair.slave.spawn_command(command).unwrap();
        let start = Instant::now();
        while modes() == before {
            assert!(start.elapsed() < Duration::from_secs(60), "it never took the terminal");
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(delay));

        let id = child.process_id().unwrap().to_string();
        Command::new("kill").args(["-TERM", &id]).stdout(Stdio::null()).status().unwrap();

        let status = child.wait().unwrap();
        assert_eq!((status.exit_code(), modes()), (143, before), "after {delay} ms");
    }
}

/// Set for the process that is started to panic.
const FALLS_OVER: &str = "TRAJVIEW_TEST_FALLS_OVER";

/// The test starts itself: there is no way to make the program panic on purpose.
#[test]
fn a_panic_gives_the_terminal_back_before_its_words() {
    if std::env::var_os(FALLS_OVER).is_some() {
        let _terminal =
            trajview::runtime::OwnTerminal::take_terminal(ReaderGate::default()).unwrap();
        panic!("the drawer fell over");
    }
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "terminal::a_panic_gives_the_terminal_back_before_its_words",
        "--nocapture",
    ]);
    command.env(FALLS_OVER, "yes");
    command.env("RUST_BACKTRACE", "0"); // or its words scroll off

    let mut tui = Tui::spawn_command(80, 24, command);

    tui.wait_for_end();
    let screen = tui.parser.lock().unwrap().screen().contents();
    assert!(screen.contains("the drawer fell over"), "{screen}");
    assert!(tui.is_given_back());
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_the_program_is_continued() {
    let mut tui = Tui::start_screen(100, 30);
    tui.press("2l");
    tui.wait_for("turn 3/");

    tui.press("\x1a");
    tui.wait_until("the shell's screen", |parser| !parser.screen().alternate_screen());
    assert!(tui.is_given_back());

    tui.continue_until("turn 3/");
    tui.press("l");
    tui.wait_for("turn 4/");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
    assert!(tui.is_given_back());
}

#[test]
fn a_storm_of_sizes_down_to_one_cell_is_harmless() {
    let mut tui = Tui::start_screen(120, 40);
    for (columns, rows) in [(1, 1), (300, 90), (2, 40), (120, 1), (59, 14), (1, 1), (61, 16)] {
        tui.resize(columns, rows);
        tui.press("l");
    }
    tui.resize(100, 32);
    tui.wait_for("steps of turn 8");

    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
}

#[test]
fn space_plays_until_the_end_of_the_run() {
    let mut tui = Tui::start_screen(120, 40);
    tui.press("++++ ");
    tui.wait_for("▶ 16× by turn");

    tui.wait_for("the end of the run");
    tui.wait_for("turn 12/12");
}

#[test]
fn a_search_is_typed_called_off_and_typed_again() {
    let mut tui = Tui::start_screen(120, 40);
    tui.press("/lo");
    tui.wait_for("/lo");

    tui.press("\x1b");
    tui.wait_for("? help");

    tui.press("/unittest\r");
    tui.wait_for("hit 1 of");
}

#[test]
fn without_colours_none_are_sent() {
    let tui = Tui::start_with(120, 40, &[("NO_COLOR", "1")]);
    let parser = tui.parser.lock().unwrap();
    let screen = parser.screen();
    let places = (0..40).flat_map(|row| (0..120).map(move |column| (row, column)));
    let colours =
        places.filter_map(|(row, column)| screen.cell(row, column)).map(vt100::Cell::fgcolor);
    assert_eq!(colours.filter(|colour| *colour != vt100::Color::Default).count(), 0);
}

#[test]
fn a_click_selects_a_turn_and_the_mouse_is_given_back() {
    let mut tui = Tui::start_screen(120, 40);
    tui.wait_until("mouse reports", |parser| {
        parser.screen().mouse_protocol_mode() == vt100::MouseProtocolMode::PressRelease
    });

    tui.press("\x1b[<0;10;5M\x1b[<0;10;5m");
    tui.wait_for("turn 3/");
    tui.press("\x07");
    tui.wait_for("mouse capture is off: the terminal selects text");
    tui.wait_until("no mouse reports", |parser| {
        parser.screen().mouse_protocol_mode() == vt100::MouseProtocolMode::None
    });

    tui.press("\x07q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
    assert!(tui.is_given_back());
}

#[test]
fn what_is_copied_leaves_as_base64_and_no_recorded_escape_is_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("session.jsonl");
    let said = r"\u001b]0;owned\u0007\u001b[2J and \u001b]52;c;ZXZpbA==\u0007";
    let record = |kind: &str, content: &str, id: &str, parent: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"{id}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","version":"2.1.0","message":{{"role":"{kind}","content":{content}}}}}"#
        )
    };
    let lines = [
        record("user", &format!("\"{said}\""), "a", "null"),
        record("assistant", &format!(r#"[{{"type":"text","text":"{said}"}}]"#), "b", "\"a\""),
    ];
    std::fs::write(&log, lines.join("\n") + "\n").unwrap();
    let mut tui = Tui::open_path(log.to_str().unwrap(), 120, 40, &[]);

    tui.press("yl");
    let line = tui.wait_for_clipboard();
    tui.wait_for("control characters left out");
    tui.press("q");
    tui.wait_for_end();

    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    assert!(!line.is_empty() && line.iter().all(is_base64), "{line:?}");
    let written = String::from_utf8_lossy(&tui.written.lock().unwrap()).into_owned();
    for obeyed in ["\x1b]0;", "52;c;ZXZpbA==\x07"] {
        assert!(!written.contains(obeyed), "{obeyed:?} reached the terminal");
    }
}

#[test]
fn the_editor_has_the_terminal_while_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let editor = folder.path().join("vi");
    let script = "#!/bin/sh\nstty -a | grep -o 'opost\\|[-]icanon'\necho \"editing $1 $(basename \"$2\")\"\n\
                  cat \"$2\" | head -1\necho ready\nread word\necho \"got $word\" > \"$0.out\"\n";
    std::fs::write(&editor, script).unwrap();
    std::process::Command::new("chmod").arg("+x").arg(&editor).status().unwrap();
    let mut tui = Tui::start_with(120, 40, &[("VISUAL", editor.to_str().unwrap())]);
    tui.press("2l");
    tui.wait_for("diff: turn 2 → 3   file 2/2");
    tui.wait_for("def div");

    tui.press("E");
    tui.wait_for("ready");
    assert!(tui.is_given_back());
    let seen = tui.wait_for("editing +");
    assert!(!seen.contains("-icanon"), "{seen}");
    tui.press("words\r");
    tui.wait_until("our screen", |parser| parser.screen().alternate_screen());
    tui.wait_for("? help");

    let out = std::fs::read_to_string(folder.path().join("vi.out")).unwrap();
    assert_eq!(out, "got words\n");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
}

#[test]
fn an_editor_that_is_not_there_is_a_sentence() {
    let mut tui = Tui::start_with(120, 40, &[("VISUAL", "no-such-editor-here")]);
    tui.press("2l");
    tui.wait_for("diff: turn 2 → 3   file 2/2");
    tui.wait_for("def div");

    tui.press("E");

    tui.wait_for("no such editor: no-such-editor-here");
}

#[test]
fn the_curves_grow_while_keys_are_pressed_and_lead_back_to_the_replay() {
    let mut tui = Tui::open_path("sample-runs/codex-p12", 120, 40, &[]);
    tui.wait_for("turn 1/56"); // before the run is open there is nothing to have curves
    tui.press("2w");
    tui.wait_for("computed · profile trajview");
    tui.press("ax");
    tui.wait_for("erosion: +");
    tui.wait_for("train  ppdiff/train.py:77  mass 6.6 → 154.3");

    tui.press("\r\r");

    tui.wait_for("backspace returns to the curves");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
}

#[test]
fn a_locale_without_utf_8_gets_ascii() {
    let tui = Tui::start_with(120, 40, &[("LC_ALL", "C")]);
    tui.wait_for("+ turns -");
    let written = tui.written.lock().unwrap();
    assert!(written.is_ascii());
}

/// A log that somebody is still writing.
struct Growing {
    folder: tempfile::TempDir,
    rest: Vec<String>,
}

impl Growing {
    /// The sample as far as `turns` turns of it.
    fn with_turns(turns: usize) -> Self {
        let log = std::fs::read_dir(SAMPLE).unwrap().flatten().map(|entry| entry.path());
        let log =
            log.into_iter().find(|path| path.extension().is_some_and(|it| it == "jsonl")).unwrap();
        let text = std::fs::read_to_string(log).unwrap();
        let lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
        let mut growing = Self { folder: tempfile::tempdir().unwrap(), rest: lines };
        std::fs::write(growing.log(), "").unwrap();
        growing.write_until(turns);
        growing
    }

    fn log(&self) -> std::path::PathBuf {
        self.folder.path().join("session.jsonl")
    }

    /// Writes lines, all at once, until so many turns are there; gives when they were written.
    fn write_until(&mut self, turns: usize) -> Instant {
        let attempt = self.folder.path().join("attempt.jsonl");
        std::fs::copy(self.log(), &attempt).unwrap();
        let mut more = String::new();
        while turns_of(&attempt) < turns {
            let line = self.rest.remove(0);
            append_lines(&attempt, &line);
            more += &line;
        }
        std::fs::remove_file(attempt).unwrap();
        append_lines(&self.log(), &more);
        Instant::now()
    }
}

fn turns_of(log: &std::path::Path) -> usize {
    trajview::store::open(log).map_or(0, |opened| opened.run.turns.len())
}

fn append_lines(log: &std::path::Path, lines: &str) {
    let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
    log.write_all(lines.as_bytes()).unwrap();
}

/// What a write may take to the screen.
const SOON: Duration = Duration::from_millis(200);

#[test]
fn a_log_that_grows_is_followed_to_its_end_at_once() {
    let mut log = Growing::with_turns(3);
    let path = log.log();
    let tui = Tui::start_at(120, 40, &[], &["--follow", path.to_str().unwrap()]);
    tui.wait_for("turn 3/3");
    tui.wait_for("● following");

    let latencies: Vec<Duration> = (4..=8)
        .map(|turns| {
            let written = log.write_until(turns);
            tui.wait_for(&format!("turn {turns}/{turns}"));
            written.elapsed()
        })
        .collect();

    println!("on screen after each of five writes: {latencies:?}");
    let soonest = latencies.iter().min().unwrap(); // a busy machine delays some of them, not all
    assert!(*soonest < SOON, "{latencies:?}");
}

#[test]
fn a_playhead_that_was_moved_stays_and_is_told_of_new_turns() {
    let mut log = Growing::with_turns(3);
    let path = log.log();
    let mut tui = Tui::start_at(120, 40, &[], &["--follow", path.to_str().unwrap()]);
    tui.wait_for("turn 3/3");
    tui.press("h");
    tui.wait_for("turn 2/3");

    log.write_until(5);
    tui.wait_for("● 2 new turns");
    tui.wait_for("turn 2/5");

    tui.press("&");
    tui.wait_for("turn 5/5");
    log.write_until(6);
    tui.wait_for("turn 6/6");
}
