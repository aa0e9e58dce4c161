//! One process of an agent: started in a group of its own, read on threads, ended with everything it started.
//!
//! Its output comes through a channel with room for a few pieces: while nobody takes them, nothing is read, and an agent
//! that floods its output waits. It is stopped in three steps: interrupt, terminate, kill.

#![allow(unsafe_code, reason = "a process gets its session and its end between fork and exec")]

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender};

use super::{
    confine::Confinement,
    drivers::{AgentCommand, RequestInput, agent_output::OutputStream},
    orphans,
    pty::{AgentTerminal, UnreadInput},
    sandbox::SandboxedProcess,
};

/// A process to start.
#[derive(Debug, Clone, Copy)]
pub struct ProcessSpec<'a> {
    pub command: &'a AgentCommand,
    pub environment: &'a BTreeMap<String, String>,
    pub folder: &'a Path,
    /// Its standard input, where it gets one.
    pub prompt_file: &'a Path,
    /// Columns and rows of its terminal, where it has one.
    pub size: (u16, u16),
    pub confinement: &'a Confinement,
}

impl ProcessSpec<'_> {
    /// Returns the command, to run in a session of its own and without access to hidden files.
    pub(crate) fn build_command(&self) -> std::io::Result<Command> {
        let mut command = self.confinement.wrapped_command(&SandboxedProcess {
            program: &self.command.program,
            args: &self.command.args,
            environment: self.environment,
            folder: self.folder,
            has_terminal: self.command.input.is_terminal(),
        });
        in_own_session(&mut command);
        dies_with_us(&mut command);
        self.confinement.hide_from(&mut command)?;
        Ok(command)
    }

    /// Runs a program and discards its output, for no longer than a minute. The error is a sentence.
    pub(crate) fn run_quietly(&self) -> Result<(), String> {
        self.run_within(Stdio::null(), HELPER_TIMEOUT)
    }

    /// Runs a program and writes its output into a file.
    pub(crate) fn run_into_file(&self, path: &Path) -> Result<(), String> {
        let error_text = |why: std::io::Error| format!("{}: {why}", path.display());
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(error_text)?;
        }
        let part = path.with_extension("part");
        let file = File::create(&part).map_err(error_text)?;
        self.run_within(file.into(), HELPER_TIMEOUT)?;
        std::fs::rename(&part, path).map_err(error_text)
    }

    /// Runs the program to its end. Fails, with a sentence, where it fails or takes longer than `patience`, after which
    /// it is killed.
    fn run_within(&self, output: Stdio, patience: Duration) -> Result<(), String> {
        let program = &self.command.program;
        let mut child = self
            .build_command()
            .and_then(|mut command| {
                command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null()).spawn()
            })
            .map_err(|why| cannot_run_sentence(program, &why))?;
        let end = Instant::now() + patience;
        let why = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("{program} failed ({status})")),
                Ok(None) if Instant::now() < end => thread::sleep(EXIT_POLL_INTERVAL),
                Ok(None) => break format!("{program} did not end within {} s", patience.as_secs()),
                Err(why) => break why.to_string(),
            }
        };
        signal_group(child.id(), StopSignal::Kill);
        let _ = child.wait(); // nothing more is asked of it
        Err(why)
    }
}

/// The longest time that a program may take to export or import a session.
const HELPER_TIMEOUT: Duration = Duration::from_secs(60);

/// A piece of output.
#[derive(Debug)]
pub struct OutputChunk {
    pub from: OutputStream,
    pub bytes: Vec<u8>,
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEnding {
    /// The exit code; None when a signal ended the process.
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl ProcessEnding {
    /// Returns the end as text: `exit code 3`, `ended by signal 9`.
    pub(crate) fn ending_text(self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "ended".into(),
        }
    }
}

#[derive(Debug)]
pub struct AgentProcess {
    kind: ProcessKind,
    pub id: u32,
    pub pieces: Receiver<OutputChunk>,
    ending: Option<ProcessEnding>,
}

#[derive(Debug)]
enum ProcessKind {
    Plain(Child),
    Terminal(AgentTerminal),
}

/// The largest number of pieces that may wait in the channel.
const MAX_WAITING_PIECES: usize = 32;

const PIECE_BYTES: usize = 16 << 10;

/// The interval at which an ending process is polled.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The steps of stopping a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    Interrupt,
    Terminate,
    Kill,
}

impl AgentProcess {
    /// Starts a process. The error is a sentence.
    pub fn spawn(spec: &ProcessSpec<'_>) -> Result<Self, String> {
        let (sender, pieces) = crossbeam_channel::bounded(MAX_WAITING_PIECES);
        let program = &spec.command.program;
        if spec.command.input.is_terminal() {
            let terminal = AgentTerminal::open_and_start(spec, sender)?;
            let id = terminal.id();
            return Ok(Self { kind: ProcessKind::Terminal(terminal), id, pieces, ending: None });
        }
        let input = match spec.command.input {
            RequestInput::Prompt => File::open(spec.prompt_file)
                .map(Stdio::from)
                .map_err(|why| format!("cannot read the request again: {why}"))?,
            _ => Stdio::null(),
        };
        let mut command = spec.build_command().map_err(|why| cannot_run_sentence(program, &why))?;
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            orphans::spawn_agent(&mut command).map_err(|why| cannot_run_sentence(program, &why))?;
        if let Some(output) = child.stdout.take() {
            read_on_thread(output, OutputStream::Output, sender.clone());
        }
        if let Some(complaints) = child.stderr.take() {
            read_on_thread(complaints, OutputStream::Errors, sender);
        }
        let id = child.id();
        Ok(Self { kind: ProcessKind::Plain(child), id, pieces, ending: None })
    }

    /// Returns how the process ended, and remembers it; None while it runs.
    pub(crate) fn poll_ending(&mut self) -> Option<ProcessEnding> {
        if self.ending.is_none() {
            self.ending = match &mut self.kind {
                ProcessKind::Plain(child) => {
                    child.try_wait().ok().flatten().map(ending_from_status)
                }
                ProcessKind::Terminal(terminal) => terminal.poll_ending(),
            };
        }
        self.ending
    }

    /// Types into the terminal of the process; does nothing when it has none.
    pub(crate) fn type_bytes(&mut self, bytes: &[u8]) {
        if let ProcessKind::Terminal(terminal) = &mut self.kind {
            terminal.type_in(bytes);
        }
    }

    /// Returns typed input that was not read; None when it has no terminal, or the system does not report it.
    pub(crate) fn unread_input(&self) -> Option<UnreadInput> {
        match &self.kind {
            ProcessKind::Plain(_) => None,
            ProcessKind::Terminal(terminal) => terminal.unread_input(),
        }
    }

    /// Discards typed input that was not read.
    pub(crate) fn discard_unread(&self) {
        if let ProcessKind::Terminal(terminal) = &self.kind {
            terminal.discard_unread();
        }
    }

    /// Sets the size of its terminal (columns, rows).
    pub fn resize(&mut self, size: (u16, u16)) {
        if let ProcessKind::Terminal(terminal) = &mut self.kind {
            terminal.resize(size);
        }
    }

    pub fn has_terminal(&self) -> bool {
        matches!(self.kind, ProcessKind::Terminal(_))
    }

    /// Stops the process and everything it started: interrupts, terminates, kills, and waits for `patience` each time.
    /// Its output in the meantime goes to `on_piece`.
    pub(crate) fn end_group(
        &mut self,
        patience: Duration,
        on_piece: &mut dyn FnMut(OutputChunk),
    ) -> Option<ProcessEnding> {
        for push in [StopSignal::Interrupt, StopSignal::Terminate, StopSignal::Kill] {
            if self.poll_ending().is_some() {
                break;
            }
            signal_group(self.id, push);
            let deadline = Instant::now() + patience;
            while self.poll_ending().is_none() && Instant::now() < deadline {
                match self.pieces.recv_timeout(EXIT_POLL_INTERVAL) {
                    Ok(piece) => on_piece(piece),
                    Err(crossbeam_channel::RecvTimeoutError::Timeout) => {}
                    Err(crossbeam_channel::RecvTimeoutError::Disconnected) => {
                        thread::sleep(EXIT_POLL_INTERVAL)
                    }
                }
            }
        }
        // Processes of its group that are left ignored the signals.
        signal_group(self.id, StopSignal::Kill);
        self.poll_ending()
    }
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        signal_group(self.id, StopSignal::Kill);
        match &mut self.kind {
            ProcessKind::Plain(child) => {
                let _ = child.kill(); // it may have ended
                let _ = child.wait();
            }
            ProcessKind::Terminal(terminal) => terminal.kill(),
        }
        orphans::forget_process(self.id);
    }
}

/// Starts the process in a session of its own: it is the first of a group that can be ended as a whole, and has no part in
/// our terminal.
#[cfg(unix)]
fn in_own_session(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let leave = || rustix::process::setsid().map(|_| ()).map_err(std::io::Error::from);
    // SAFETY: between fork and exec only a system call is made; nothing is allocated and no lock is taken.
    unsafe { command.pre_exec(leave) };
}

#[cfg(not(unix))]
fn in_own_session(_command: &mut Command) {}

/// Ends the agent when trajview is killed: nobody would record its work, and its requests cost money. An agent in a
/// terminal loses that terminal, which ends it too.
#[cfg(target_os = "linux")]
fn dies_with_us(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let parent = rustix::process::getpid();
    let ask = move || {
        let signal = Some(rustix::process::Signal::TERM);
        rustix::process::set_parent_process_death_signal(signal)?;
        // A parent that was killed a moment before sends no signal any more.
        let has_parent = rustix::process::getppid() == Some(parent);
        if has_parent { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
    };
    // SAFETY: between fork and exec only system calls are made; nothing is allocated and no lock is taken.
    unsafe { command.pre_exec(ask) };
}

#[cfg(not(target_os = "linux"))]
fn dies_with_us(_command: &mut Command) {}

pub(crate) fn cannot_run_sentence(program: &str, why: &std::io::Error) -> String {
    let why = match why.kind() {
        std::io::ErrorKind::NotFound => "no such program; --program PATH names it".to_owned(),
        _ => why.to_string(),
    };
    format!("cannot run {program}: {why}")
}

#[cfg(unix)]
pub(crate) fn ending_from_status(status: std::process::ExitStatus) -> ProcessEnding {
    use std::os::unix::process::ExitStatusExt;
    ProcessEnding { code: status.code(), signal: status.signal() }
}

#[cfg(not(unix))]
pub(crate) fn ending_from_status(status: std::process::ExitStatus) -> ProcessEnding {
    ProcessEnding { code: status.code(), signal: None }
}

/// Reads on a thread of its own until the receiver is gone.
pub(crate) fn read_on_thread(
    mut from: impl Read + Send + 'static,
    stream: OutputStream,
    to: Sender<OutputChunk>,
) {
    thread::spawn(move || {
        let mut buffer = [0; PIECE_BYTES];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => {
                    let piece = OutputChunk { from: stream, bytes: buffer[..count].to_vec() };
                    if to.send(piece).is_err() {
                        return;
                    }
                }
                Err(why) if why.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return, // a terminal whose programs are gone
            }
        }
    });
}

/// Writes on a thread of its own: a program that does not read blocks nothing else, and gets everything when it does.
pub(crate) fn write_on_thread(mut to: impl Write + Send + 'static) -> Sender<Vec<u8>> {
    let (sender, receiver) = crossbeam_channel::unbounded::<Vec<u8>>();
    thread::spawn(move || {
        while let Ok(bytes) = receiver.recv() {
            if to.write_all(&bytes).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Sends a signal to a process and its group.
#[cfg(unix)]
pub(crate) fn signal_group(id: u32, push: StopSignal) {
    use rustix::process::{Pid, Signal};
    let signal = match push {
        StopSignal::Interrupt => Signal::INT,
        StopSignal::Terminate => Signal::TERM,
        StopSignal::Kill => Signal::KILL,
    };
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, signal); // it may be gone
    }
}

#[cfg(not(unix))]
pub(crate) fn signal_group(_id: u32, _push: StopSignal) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::run_folders::RUN_VARIABLE;

    struct TestFolder {
        folder: tempfile::TempDir,
        environment: BTreeMap<String, String>,
    }

    impl TestFolder {
        fn new(run: &str) -> Self {
            let mut environment = BTreeMap::new();
            environment.insert("PATH".to_owned(), std::env::var("PATH").unwrap());
            environment.insert(RUN_VARIABLE.to_owned(), run.to_owned());
            Self { folder: tempfile::tempdir().unwrap(), environment }
        }

        fn with_order<T>(
            &self,
            script: &str,
            input: RequestInput,
            give: impl FnOnce(&ProcessSpec<'_>) -> T,
        ) -> T {
            let prompt = self.folder.path().join("prompt");
            std::fs::write(&prompt, "the request").unwrap();
            let args = vec!["-c".to_owned(), script.to_owned()];
            let call = AgentCommand { program: "sh".into(), args, input };
            let (environment, folder) = (&self.environment, self.folder.path());
            give(&ProcessSpec {
                command: &call,
                environment,
                folder,
                prompt_file: &prompt,
                size: (80, 24),
                confinement: &Confinement::default(),
            })
        }

        fn start_process(&self, script: &str, input: RequestInput) -> AgentProcess {
            self.with_order(script, input, |spec| AgentProcess::spawn(spec).unwrap())
        }
    }

    fn output_and_ending(process: &mut AgentProcess) -> (String, ProcessEnding) {
        let mut output = vec![];
        while let Ok(piece) = process.pieces.recv_timeout(Duration::from_secs(20)) {
            output.extend(piece.bytes);
        }
        let end = Instant::now() + Duration::from_secs(20);
        while process.poll_ending().is_none() && Instant::now() < end {
            thread::sleep(EXIT_POLL_INTERVAL);
        }
        (String::from_utf8(output).unwrap(), process.poll_ending().unwrap())
    }

    #[test]
    fn a_process_reads_its_request_and_is_read() {
        let room = TestFolder::new("a");
        let mut process = room.start_process("cat; exit 3", RequestInput::Prompt);
        let ending = ProcessEnding { code: Some(3), signal: None };
        assert_eq!(output_and_ending(&mut process), ("the request".into(), ending));

        let mut process =
            room.start_process("cat; echo $HOME$TRAJVIEW_LIVE", RequestInput::Nothing);
        assert_eq!(output_and_ending(&mut process).0, "a\n");
    }

    #[test]
    fn a_process_that_does_not_listen_is_killed_with_its_children() {
        let room = TestFolder::new("b");
        let mark = room.folder.path().join("mark");
        let script = format!(
            "trap '' INT TERM; echo deaf; (sleep 2; touch {}) & wait; wait",
            mark.display()
        );
        let mut process = room.start_process(&script, RequestInput::Nothing);
        process.pieces.recv_timeout(Duration::from_secs(20)).unwrap(); // or it hears the first signal
        let began = Instant::now();

        let ending = process.end_group(Duration::from_millis(200), &mut |_| {});

        assert_eq!(ending, Some(ProcessEnding { code: None, signal: Some(9) }));
        assert!(began.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_millis(2_200));
        assert!(!mark.exists());
    }

    #[test]
    fn a_program_is_run_until_it_ends_and_no_longer_than_it_may() {
        let room = TestFolder::new("d");
        let run = |script: &str, patience: Duration| {
            let run = |spec: &ProcessSpec<'_>| spec.run_within(Stdio::null(), patience);
            room.with_order(script, RequestInput::Nothing, run)
        };
        let long = Duration::from_secs(60);

        assert_eq!(run("true", long), Ok(()));
        assert_eq!(run("exit 3", long), Err("sh failed (exit status: 3)".into()));
        let began = Instant::now();
        let late = run("trap '' TERM INT; sleep 300 & wait", Duration::ZERO);
        assert_eq!(late, Err("sh did not end within 0 s".into()));
        assert!(began.elapsed() < long);

        let path = room.folder.path().join("exports/session.json");
        let write = |spec: &ProcessSpec<'_>| spec.run_into_file(&path);
        assert_eq!(room.with_order("echo it", RequestInput::Nothing, write), Ok(()));
        assert_eq!(std::fs::read(&path).unwrap(), b"it\n");
        room.with_order("echo half; exit 1", RequestInput::Nothing, write).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"it\n");
    }

    #[test]
    fn every_key_arrives_however_fast_they_come() {
        let room = TestFolder::new("keys");
        let script = "stty raw -echo; echo ready; head -c 5000 | wc -c";
        let mut process = room.start_process(script, RequestInput::Typed);
        process.pieces.recv_timeout(Duration::from_secs(20)).unwrap(); // it hears single keys from now on

        (0..5_000).for_each(|_| process.type_bytes(b"k"));

        assert_eq!(output_and_ending(&mut process).0.trim(), "5000");
    }

    #[test]
    fn a_flood_waits_until_somebody_takes_it() {
        let room = TestFolder::new("c");
        let count = room.folder.path().join("count");
        let script = format!(
            "i=0; while [ $i -lt 4000 ]; do head -c 1024 /dev/zero; i=$((i+1)); echo $i >{}; done",
            count.display()
        );
        let mut process = room.start_process(&script, RequestInput::Nothing);
        let far = || -> usize {
            let text = std::fs::read_to_string(&count).unwrap_or_default();
            text.trim().parse().unwrap_or(0)
        };
        // It comes to rest long before its end: the pipe, the thread's piece and the channel are full.
        let mut last = (0, Instant::now());
        while last.1.elapsed() < Duration::from_millis(700) {
            thread::sleep(Duration::from_millis(50));
            if far() != last.0 {
                last = (far(), Instant::now());
            }
        }
        assert!(last.0 < 2_000, "{}", last.0);
        drop(process.pieces.recv().unwrap());
        assert_eq!(process.poll_ending(), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whoever_left_its_session_and_its_environment_is_found_as_an_orphan_of_ours() {
        orphans::adopt_orphans();
        let run = format!("orphan-{}", std::process::id());
        let room = TestFolder::new(&run);
        let pid = room.folder.path().join("pid");
        let script = format!(
            "env -i setsid sh -c 'echo $$ >{0}.part; mv {0}.part {0}; exec sleep 600' & while ! test -e {0}; do sleep 0.01; done",
            pid.display()
        );
        let mut process = room.start_process(&script, RequestInput::Nothing);
        assert_eq!(output_and_ending(&mut process).1.code, Some(0));
        drop(process);

        orphans::kill_orphans(&run);

        let id = std::fs::read_to_string(pid).unwrap();
        assert!(!std::path::Path::new("/proc").join(id.trim()).exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whoever_left_the_group_is_found_by_its_environment() {
        let run = format!("sweep-{}", std::process::id());
        let room = TestFolder::new(&run);
        let mark = room.folder.path().join("mark");
        let script = format!("setsid sh -c 'sleep 2; touch {}' & sleep 0.3", mark.display());
        let mut process = room.start_process(&script, RequestInput::Nothing);
        let end = Instant::now() + Duration::from_secs(20);
        while process.poll_ending().is_none() && Instant::now() < end {
            thread::sleep(EXIT_POLL_INTERVAL);
        }

        assert!(orphans::kill_orphans(&run) >= 1);

        thread::sleep(Duration::from_millis(2_200));
        assert!(!mark.exists());
    }
}
