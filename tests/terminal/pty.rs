//! The real program in a real terminal, its screen rebuilt by vt100. Waits for text, never for a time.
use std::{
    io::{Read, Write},
    num::NonZeroU16,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

pub const SAMPLE: &str = "sample-runs/claude-code";
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Tui {
    /// Every byte the program wrote.
    pub written: Arc<Mutex<Vec<u8>>>,
    pub parser: Arc<Mutex<vt100::Parser>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    reader: Option<thread::JoinHandle<()>>,
}

/// Whether a title says which turn is looked at. The footer has the word before there is a run for keys to act on.
fn has_place(screen: &str) -> bool {
    screen.split("turn ").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

impl Tui {
    pub fn start_screen(columns: u16, rows: u16) -> Self {
        Self::start_with(columns, rows, &[])
    }

    pub fn start_with(columns: u16, rows: u16, environment: &[(&str, &str)]) -> Self {
        Self::start_at(columns, rows, environment, &[SAMPLE])
    }

    pub fn open_path(path: &str, columns: u16, rows: u16, environment: &[(&str, &str)]) -> Self {
        Self::start_at(columns, rows, environment, &[path])
    }

    pub fn start_at(
        columns: u16,
        rows: u16,
        environment: &[(&str, &str)],
        arguments: &[&str],
    ) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(arguments);
        ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
        environment.iter().for_each(|(name, value)| command.env(name, value));
        let tui = Self::spawn_command(columns, rows, command);
        tui.wait_until("the run open", |it| has_place(&it.screen().contents()));
        tui
    }

    /// Ticks of 10 ms that all threads of the program took so far.
    #[cfg(target_os = "linux")]
    pub fn cpu_ticks(&self) -> u64 {
        let path = format!("/proc/{}/stat", self.child.process_id().unwrap());
        let stat = std::fs::read_to_string(path).unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        let times = after_name.split_whitespace().skip(11).take(2);
        times.map(|word| word.parse::<u64>().unwrap()).sum()
    }

    /// How many bytes the program wrote so far.
    #[cfg(target_os = "linux")]
    pub fn written_bytes(&self) -> usize {
        self.written.lock().unwrap().len()
    }

    pub fn spawn_command(columns: u16, rows: u16, command: CommandBuilder) -> Self {
        Self::spawn_with_cache(columns, rows, command, env!("CARGO_TARGET_TMPDIR").as_ref())
    }

    pub fn spawn_with_cache(
        columns: u16,
        rows: u16,
        mut command: CommandBuilder,
        cache: &std::path::Path,
    ) -> Self {
        let pair = native_pty_system().openpty(pty_size(columns, rows)).unwrap();
        command.env("TERM", "xterm-256color");
        command.env("XDG_CACHE_HOME", cache);
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave); // or the reader never sees the end
        let parser =
            Arc::new(Mutex::new(vt100::Parser::new(cell_count(rows), cell_count(columns), 0)));
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

    pub fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.parser.lock().unwrap().screen_mut().set_size(cell_count(rows), cell_count(columns));
        self.master.resize(pty_size(columns, rows)).unwrap();
    }

    pub fn signal(&self, signal: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Continues the stopped program until it shows these words: the terminal is given back a moment before the
    /// program stops, and one that is continued too early stops after all.
    pub fn continue_until(&self, words: &str) {
        let start = Instant::now();
        while !self.parser.lock().unwrap().screen().contents().contains(words) {
            assert!(start.elapsed() < PATIENCE, "never saw {words:?} again");
            self.signal("-CONT");
            thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn wait_for(&self, words: &str) -> String {
        self.wait_until(words, |parser| parser.screen().contents().contains(words));
        self.parser.lock().unwrap().screen().contents()
    }

    pub fn wait_until(&self, what: &str, is_true: impl Fn(&vt100::Parser) -> bool) {
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
    pub fn wait_for_end(&mut self) -> portable_pty::ExitStatus {
        let status = self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        status
    }

    /// What was sent for the clipboard, between the beginning and the end of its sequence.
    pub fn wait_for_clipboard(&self) -> Vec<u8> {
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

    pub fn is_given_back(&self) -> bool {
        let parser = self.parser.lock().unwrap();
        !parser.screen().alternate_screen()
            && !parser.screen().hide_cursor()
            && !parser.screen().bracketed_paste()
            && parser.screen().mouse_protocol_mode() == vt100::MouseProtocolMode::None
            && self.keyboards_taken() == 0
    }

    /// How often flags of the kitty keyboard protocol were pushed and not popped.
    pub fn keyboards_taken(&self) -> usize {
        let written = self.written.lock().unwrap();
        let text = String::from_utf8_lossy(&written);
        let is_push =
            |rest: &&str| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('u');
        let pushed = text.split("\x1b[>").skip(1).filter(is_push).count();
        pushed - text.matches("\x1b[<u").count()
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may be gone already
    }
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cell_count(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count.max(1)).unwrap()
}
