//! The real program in a real terminal, its answers with the time they came.

#![allow(dead_code)] // each bench uses a part of it

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

const ROWS: u16 = 40;
const COLUMNS: u16 = 120;

/// Longer than anything measured here takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Tui {
    pub started: Instant,
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    screen: vt100::Parser,
    _master: Box<dyn MasterPty + Send>,
}

impl Tui {
    pub fn start_program(arguments: &[&str]) -> Self {
        Self::start_with(arguments, [COLUMNS, ROWS], &[])
    }

    /// As [`Tui::start`], in a terminal of so many columns and rows, with these variables set.
    pub fn start_with(arguments: &[&str], size: [u16; 2], variables: &[(&str, &str)]) -> Self {
        let [cols, rows] = size;
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("there is a terminal left");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        variables.iter().for_each(|(name, value)| command.env(name, value));
        let mut bytes = pair.master.try_clone_reader().expect("it was just opened");
        let writer = pair.master.take_writer().expect("it was just opened");
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).expect("it was just built");
        drop(pair.slave); // or the reader never sees the end
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            while let Ok(count @ 1..) = bytes.read(&mut buffer) {
                if sender.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        let cells = |count| NonZeroU16::new(count).expect("a constant above 0");
        let screen = vt100::Parser::new(cells(rows), cells(cols), 0);
        Self { started, child, writer, output, screen, _master: pair.master }
    }

    /// When the screen first was as asked for.
    pub fn wait_until(&mut self, is_true: impl Fn(&str) -> bool) -> Instant {
        loop {
            let (at, bytes) = self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                panic!("never came, on screen is:\n{}", self.contents());
            });
            self.screen.process(&bytes);
            if is_true(&self.contents()) {
                return at;
            }
        }
    }

    pub fn contents(&self) -> String {
        self.screen.screen().contents()
    }

    /// Takes what comes until for a while nothing has come and no work was done.
    pub fn settle(&mut self) {
        const QUIET: Duration = Duration::from_millis(500);
        loop {
            let before = self.ticks();
            let came = self.output.recv_timeout(QUIET);
            match came {
                Ok((_, bytes)) => self.screen.process(&bytes),
                Err(_) if self.ticks() == before => return,
                Err(_) => {}
            }
        }
    }

    /// From a key to the first frame that shows what it does.
    pub fn time_of(&mut self, keys: &str, shows: impl Fn(&str) -> bool) -> Duration {
        let pressed = Instant::now();
        self.press(keys);
        self.wait_until(shows).saturating_duration_since(pressed)
    }

    pub fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the program lives");
        self.writer.flush().expect("the program lives");
    }

    /// Time on all cores so far, in ticks of 10 ms; None where the system does not tell.
    pub fn ticks(&self) -> Option<u64> {
        let path = format!("/proc/{}/stat", self.child.process_id()?);
        let stat = std::fs::read_to_string(path).ok()?;
        let after_name = stat.rsplit_once(')')?.1;
        let times = after_name.split_whitespace().skip(11).take(2);
        times.map(|word| word.parse::<u64>().ok()).sum()
    }

    /// As [`Tui::ticks`], as a time; none where the system does not tell.
    pub fn cpu_time(&self) -> Duration {
        Duration::from_millis(self.ticks().unwrap_or_default() * 10)
    }

    /// All the memory that the program has held at once so far, in MB; 0 where the system does not tell.
    pub fn peak_memory(&self) -> f64 {
        let status = self.child.process_id().map(|id| format!("/proc/{id}/status"));
        let status = status.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
        kilobytes / 1024.0
    }

    /// Whether nothing more comes for so long.
    pub fn is_silent_for(&mut self, time: Duration) -> bool {
        self.output.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may be gone already
        let _ = self.child.wait();
    }
}
