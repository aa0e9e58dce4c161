//! The real program in a real terminal, its screen rebuilt by vt100. Waits for text, never for a time.
#![cfg(unix)]

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use trajview::tui::Gate;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const SAMPLE: &str = "sample-runs/claude-code";
const PATIENCE: Duration = Duration::from_secs(20);

struct Tui {
    /// Every byte the program wrote.
    written: Arc<Mutex<Vec<u8>>>,
    parser: Arc<Mutex<vt100::Parser>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    reader: Option<thread::JoinHandle<()>>,
}

impl Tui {
    fn start(columns: u16, rows: u16) -> Self {
        Self::start_with(columns, rows, &[])
    }

    fn start_with(columns: u16, rows: u16, environment: &[(&str, &str)]) -> Self {
        Self::start_at(columns, rows, environment, &[SAMPLE])
    }

    fn open(path: &str, columns: u16, rows: u16, environment: &[(&str, &str)]) -> Self {
        Self::start_at(columns, rows, environment, &[path])
    }

    fn start_at(columns: u16, rows: u16, environment: &[(&str, &str)], arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(arguments);
        ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
        environment.iter().for_each(|(name, value)| command.env(name, value));
        let tui = Self::spawn(columns, rows, command);
        tui.wait_for("turn ");
        tui
    }

    fn spawn(columns: u16, rows: u16, mut command: CommandBuilder) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        command.env("TERM", "xterm-256color");
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave); // or the reader never sees the end
        let parser = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(columns), 0)));
        let (screen, mut output) = (parser.clone(), pair.master.try_clone_reader().unwrap());
        let written = Arc::new(Mutex::new(vec![]));
        let copy = written.clone();
        let reader = thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                copy.lock().unwrap().extend_from_slice(&bytes[..count]);
                screen.lock().unwrap().process(&bytes[..count]);
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Self { written, parser, writer, child, master: pair.master, reader: Some(reader) }
    }

    fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    fn resize(&self, columns: u16, rows: u16) {
        self.parser.lock().unwrap().screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size(columns, rows)).unwrap();
    }

    fn signal(&self, signal: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
    }

    fn wait_for(&self, words: &str) -> String {
        self.wait_until(words, |parser| parser.screen().contents().contains(words));
        self.parser.lock().unwrap().screen().contents()
    }

    fn wait_until(&self, what: &str, is_true: impl Fn(&vt100::Parser) -> bool) {
        let start = Instant::now();
        loop {
            let parser = self.parser.lock().unwrap();
            if is_true(&parser) {
                return;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "never saw {what:?} in:\n{}",
                parser.screen().contents()
            );
            drop(parser);
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The exit code, and nothing left to read.
    fn wait_for_end(&mut self) -> portable_pty::ExitStatus {
        let status = self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        status
    }

    /// What was sent for the clipboard, between the beginning and the end of its sequence.
    fn wait_for_clipboard(&self) -> Vec<u8> {
        const BEGINNING: &[u8] = b"\x1b]52;c;";
        let start = Instant::now();
        loop {
            let written = self.written.lock().unwrap();
            let place = written.windows(BEGINNING.len()).position(|bytes| bytes == BEGINNING);
            let rest = place.map(|place| &written[place + BEGINNING.len()..]);
            let sent = rest
                .and_then(|rest| rest.iter().position(|byte| *byte == 7).map(|end| &rest[..end]));
            if let Some(sent) = sent {
                return sent.to_vec();
            }
            assert!(start.elapsed() < PATIENCE, "nothing was copied");
            drop(written);
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_given_back(&self) -> bool {
        let parser = self.parser.lock().unwrap();
        !parser.screen().alternate_screen()
            && !parser.screen().hide_cursor()
            && !parser.screen().bracketed_paste()
            && parser.screen().mouse_protocol_mode() == vt100::MouseProtocolMode::None
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may be gone already
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count.max(1)).unwrap()
}

#[test]
fn quitting_gives_the_terminal_back() {
    let mut tui = Tui::start(120, 40);
    tui.press("l");
    tui.wait_for("turn 2/");

    tui.press("q");

    assert_eq!(tui.wait_for_end().exit_code(), 0);
    assert!(tui.is_given_back());
}

#[test]
fn a_signal_that_ends_the_program_gives_the_terminal_back() {
    for (signal, code) in [("-TERM", 143), ("-HUP", 129), ("-INT", 130)] {
        let mut tui = Tui::start(80, 24);
        tui.signal(signal);

        assert_eq!(tui.wait_for_end().exit_code(), code, "{signal}");
        assert!(tui.is_given_back(), "{signal}");
    }
}

/// Set for the process that is started to panic.
const FALLS_OVER: &str = "TRAJVIEW_TEST_FALLS_OVER";

/// The test starts itself: there is no way to make the program panic on purpose.
#[test]
fn a_panic_gives_the_terminal_back_before_its_words() {
    if std::env::var_os(FALLS_OVER).is_some() {
        let _terminal = trajview::tui::Terminal::take(Gate::default()).unwrap();
        panic!("the drawer fell over");
    }
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_panic_gives_the_terminal_back_before_its_words", "--nocapture"]);
    command.env(FALLS_OVER, "yes");
    command.env("RUST_BACKTRACE", "0"); // or its words scroll off

    let mut tui = Tui::spawn(80, 24, command);

    tui.wait_for_end();
    let screen = tui.parser.lock().unwrap().screen().contents();
    assert!(screen.contains("the drawer fell over"), "{screen}");
    assert!(tui.is_given_back());
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_the_program_is_continued() {
    let mut tui = Tui::start(100, 30);
    tui.press("2l");
    tui.wait_for("turn 3/");

    tui.press("\x1a");
    tui.wait_until("the shell's screen", |parser| !parser.screen().alternate_screen());
    assert!(tui.is_given_back());

    tui.signal("-CONT");
    tui.wait_for("turn 3/");
    tui.press("l");
    tui.wait_for("turn 4/");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
    assert!(tui.is_given_back());
}

#[test]
fn a_storm_of_sizes_down_to_one_cell_is_harmless() {
    let mut tui = Tui::start(120, 40);
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
    let mut tui = Tui::start(120, 40);
    tui.press("++++ ");
    tui.wait_for("▶ 16× by turn");

    tui.wait_for("the end of the run");
    tui.wait_for("turn 12/12");
}

#[test]
fn a_search_is_typed_called_off_and_typed_again() {
    let mut tui = Tui::start(120, 40);
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
    let mut tui = Tui::start(120, 40);
    tui.wait_until("mouse reports", |parser| {
        parser.screen().mouse_protocol_mode() == vt100::MouseProtocolMode::PressRelease
    });

    tui.press("\x1b[<0;10;5M\x1b[<0;10;5m");
    tui.wait_for("turn 3/");
    tui.press("\x07");
    tui.wait_for("the mouse is the terminal's");
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
    let mut tui = Tui::open(log.to_str().unwrap(), 120, 40, &[]);

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
    tui.wait_for("since turn 2  file 1/2");
    tui.wait_for("import unittest");

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
    tui.wait_for("since turn 2  file 1/2");
    tui.wait_for("import unittest");

    tui.press("E");

    tui.wait_for("no such editor: no-such-editor-here");
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
    fn of(turns: usize) -> Self {
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

    fn turns(&self) -> usize {
        trajview::store::open(&self.log()).map_or(0, |opened| opened.run.turns.len())
    }

    /// Writes line by line until so many turns are there.
    fn write_until(&mut self, turns: usize) -> Instant {
        while self.turns() < turns {
            let line = self.rest.remove(0);
            let mut log = std::fs::OpenOptions::new().append(true).open(self.log()).unwrap();
            log.write_all(line.as_bytes()).unwrap();
        }
        Instant::now()
    }
}

#[test]
fn a_log_that_grows_is_followed_to_its_end() {
    let mut log = Growing::of(3);
    let path = log.log();
    let tui = Tui::start_at(120, 40, &[], &["--follow", path.to_str().unwrap()]);
    tui.wait_for("turn 3/3");
    tui.wait_for("● following");

    let written = log.write_until(4);
    tui.wait_for("turn 4/4");

    println!("on screen {} ms after it was written", written.elapsed().as_millis());
    log.write_until(6);
    tui.wait_for("turn 6/6");
}

#[test]
fn a_playhead_that_was_moved_stays_and_is_told_of_new_turns() {
    let mut log = Growing::of(3);
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
