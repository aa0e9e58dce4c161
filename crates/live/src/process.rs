//! One process of an agent: started in a group of its own, read on threads, ended with everything it started.
//!
//! What it prints comes through a channel of a few pieces: while nobody takes them, nobody reads, and an agent that
//! floods its output waits. It is asked to end in three steps, each firmer than the one before.

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
    drivers::{Call, Input, agent_output::Stream},
    orphans,
    pty::{Terminal, Unread},
    sandbox::Inside,
};

/// What is started.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    pub call: &'a Call,
    pub environment: &'a BTreeMap<String, String>,
    pub folder: &'a Path,
    /// Its standard input, where it gets one.
    pub prompt_file: &'a Path,
    /// Columns and rows of its terminal, where it has one.
    pub size: (u16, u16),
    pub confinement: &'a Confinement,
}

impl Order<'_> {
    /// The program with its words and surroundings, to run in a session of its own and out of reach of what is hidden.
    pub fn command(&self) -> std::io::Result<Command> {
        let mut command = self.confinement.command(&Inside {
            program: &self.call.program,
            args: &self.call.args,
            environment: self.environment,
            folder: self.folder,
            has_terminal: self.call.input.is_terminal(),
        });
        in_own_session(&mut command);
        dies_with_us(&mut command);
        self.confinement.apply(&mut command)?;
        Ok(command)
    }

    /// Runs a program whose output is nobody's until it has ended, but not for longer than a minute. The error is a sentence.
    pub fn run(&self) -> Result<(), String> {
        self.run_within(Stdio::null(), PATIENCE)
    }

    /// The same with its output as the content of a file.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let said = |why: std::io::Error| format!("{}: {why}", path.display());
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(said)?;
        }
        let part = path.with_extension("part");
        let file = File::create(&part).map_err(said)?;
        self.run_within(file.into(), PATIENCE)?;
        std::fs::rename(&part, path).map_err(said)
    }

    fn run_within(&self, output: Stdio, patience: Duration) -> Result<(), String> {
        let program = &self.call.program;
        let mut child = self
            .command()
            .and_then(|mut command| {
                command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null()).spawn()
            })
            .map_err(|why| cannot_run(program, &why))?;
        let end = Instant::now() + patience;
        let why = loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("{program} failed ({status})")),
                Ok(None) if Instant::now() < end => thread::sleep(BEAT),
                Ok(None) => break format!("{program} did not end within {} s", patience.as_secs()),
                Err(why) => break why.to_string(),
            }
        };
        push_group(child.id(), Push::Kill);
        let _ = child.wait(); // nothing more is asked of it
        Err(why)
    }
}

/// How long a program may take to give a session of an agent away, or to take one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes as they came.
#[derive(Debug)]
pub struct Piece {
    pub from: Stream,
    pub bytes: Vec<u8>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// None where a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl Ending {
    /// `exit code 3`, `ended by signal 9`.
    pub fn words(self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "ended".into(),
        }
    }
}

#[derive(Debug)]
pub struct Process {
    kind: Kind,
    pub id: u32,
    pub pieces: Receiver<Piece>,
    ending: Option<Ending>,
}

#[derive(Debug)]
enum Kind {
    Plain(Child),
    Terminal(Terminal),
}

/// Pieces that wait for somebody to take them.
const WAITING: usize = 32;

const PIECE_BYTES: usize = 16 << 10;

/// How often a process that is to end is looked at.
const BEAT: Duration = Duration::from_millis(10);

/// How hard a process is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Push {
    Interrupt,
    Terminate,
    Kill,
}

impl Process {
    /// The error is a sentence.
    pub fn start(order: &Order<'_>) -> Result<Self, String> {
        let (sender, pieces) = crossbeam_channel::bounded(WAITING);
        let program = &order.call.program;
        if order.call.input.is_terminal() {
            let terminal = Terminal::start(order, sender)?;
            let id = terminal.id();
            return Ok(Self { kind: Kind::Terminal(terminal), id, pieces, ending: None });
        }
        let input = match order.call.input {
            Input::Prompt => File::open(order.prompt_file)
                .map(Stdio::from)
                .map_err(|why| format!("cannot read the request again: {why}"))?,
            _ => Stdio::null(),
        };
        let mut command = order.command().map_err(|why| cannot_run(program, &why))?;
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = orphans::spawn(&mut command).map_err(|why| cannot_run(program, &why))?;
        if let Some(output) = child.stdout.take() {
            read_aside(output, Stream::Output, sender.clone());
        }
        if let Some(complaints) = child.stderr.take() {
            read_aside(complaints, Stream::Complaints, sender);
        }
        let id = child.id();
        Ok(Self { kind: Kind::Plain(child), id, pieces, ending: None })
    }

    /// How it ended, where it has.
    pub fn ending(&mut self) -> Option<Ending> {
        if self.ending.is_none() {
            self.ending = match &mut self.kind {
                Kind::Plain(child) => child.try_wait().ok().flatten().map(ending_of),
                Kind::Terminal(terminal) => terminal.ending(),
            };
        }
        self.ending
    }

    /// Types into its terminal; nothing where it has none.
    pub fn type_in(&mut self, bytes: &[u8]) {
        if let Kind::Terminal(terminal) = &mut self.kind {
            terminal.type_in(bytes);
        }
    }

    /// What was typed into its terminal and not read; None where it has none, or the system does not say.
    pub fn unread(&self) -> Option<Unread> {
        match &self.kind {
            Kind::Plain(_) => None,
            Kind::Terminal(terminal) => terminal.unread(),
        }
    }

    /// Takes away what was typed and not read.
    pub fn take_back(&self) {
        if let Kind::Terminal(terminal) = &self.kind {
            terminal.take_back();
        }
    }

    /// Gives its terminal another size (columns, rows).
    pub fn resize(&mut self, size: (u16, u16)) {
        if let Kind::Terminal(terminal) = &mut self.kind {
            terminal.resize(size);
        }
    }

    pub fn has_terminal(&self) -> bool {
        matches!(self.kind, Kind::Terminal(_))
    }

    /// Ends it and everything it started: it is asked, then told, then killed, each time with some patience. What it
    /// prints in the meantime goes to `hear`.
    pub fn end(&mut self, patience: Duration, hear: &mut dyn FnMut(Piece)) -> Option<Ending> {
        for push in [Push::Interrupt, Push::Terminate, Push::Kill] {
            if self.ending().is_some() {
                break;
            }
            push_group(self.id, push);
            let end = Instant::now() + patience;
            while self.ending().is_none() && Instant::now() < end {
                match self.pieces.recv_timeout(BEAT) {
                    Ok(piece) => hear(piece),
                    Err(crossbeam_channel::RecvTimeoutError::Timeout) => {}
                    Err(crossbeam_channel::RecvTimeoutError::Disconnected) => thread::sleep(BEAT),
                }
            }
        }
        // Whoever is left of its group did not listen.
        push_group(self.id, Push::Kill);
        self.ending()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        push_group(self.id, Push::Kill);
        match &mut self.kind {
            Kind::Plain(child) => {
                let _ = child.kill(); // it may have ended
                let _ = child.wait();
            }
            Kind::Terminal(terminal) => terminal.kill(),
        }
        orphans::forget(self.id);
    }
}

/// In a session of its own it is the first of a group that can be ended as a whole, and has no part in our terminal.
#[cfg(unix)]
fn in_own_session(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let leave = || rustix::process::setsid().map(|_| ()).map_err(std::io::Error::from);
    // SAFETY: between fork and exec only a system call is made; nothing is allocated and no lock is taken.
    unsafe { command.pre_exec(leave) };
}

#[cfg(not(unix))]
fn in_own_session(_command: &mut Command) {}

/// An agent whose run was killed is told to end: nobody records what it does, and what it asks costs. One in a terminal
/// loses that, which tells it the same.
#[cfg(target_os = "linux")]
fn dies_with_us(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let parent = rustix::process::getpid();
    let ask = move || {
        let signal = Some(rustix::process::Signal::TERM);
        rustix::process::set_parent_process_death_signal(signal)?;
        // Whoever was killed a moment before sends no signal any more.
        let has_parent = rustix::process::getppid() == Some(parent);
        if has_parent { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
    };
    // SAFETY: between fork and exec only system calls are made; nothing is allocated and no lock is taken.
    unsafe { command.pre_exec(ask) };
}

#[cfg(not(target_os = "linux"))]
fn dies_with_us(_command: &mut Command) {}

pub fn cannot_run(program: &str, why: &std::io::Error) -> String {
    let why = match why.kind() {
        std::io::ErrorKind::NotFound => "no such program; --program PATH names it".to_owned(),
        _ => why.to_string(),
    };
    format!("cannot run {program}: {why}")
}

#[cfg(unix)]
pub fn ending_of(status: std::process::ExitStatus) -> Ending {
    use std::os::unix::process::ExitStatusExt;
    Ending { code: status.code(), signal: status.signal() }
}

#[cfg(not(unix))]
pub fn ending_of(status: std::process::ExitStatus) -> Ending {
    Ending { code: status.code(), signal: None }
}

/// Reads on a thread of its own as long as somebody listens.
pub fn read_aside(mut from: impl Read + Send + 'static, stream: Stream, to: Sender<Piece>) {
    thread::spawn(move || {
        let mut buffer = [0; PIECE_BYTES];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => {
                    let piece = Piece { from: stream, bytes: buffer[..count].to_vec() };
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

/// Writes on a thread of its own: a program that does not read holds up nobody else, and gets everything when it does.
pub fn write_aside(mut to: impl Write + Send + 'static) -> Sender<Vec<u8>> {
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
pub fn push_group(id: u32, push: Push) {
    use rustix::process::{Pid, Signal};
    let signal = match push {
        Push::Interrupt => Signal::INT,
        Push::Terminate => Signal::TERM,
        Push::Kill => Signal::KILL,
    };
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, signal); // it may be gone
    }
}

#[cfg(not(unix))]
pub fn push_group(_id: u32, _push: Push) {}

/// Ends every process that the agents of this run left behind, wherever it went; how many there were.
pub fn sweep(run: &str) -> usize {
    orphans::sweep(run)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::stage::VARIABLE;

    struct Room {
        folder: tempfile::TempDir,
        environment: BTreeMap<String, String>,
    }

    impl Room {
        fn new(run: &str) -> Self {
            let mut environment = BTreeMap::new();
            environment.insert("PATH".to_owned(), std::env::var("PATH").unwrap());
            environment.insert(VARIABLE.to_owned(), run.to_owned());
            Self { folder: tempfile::tempdir().unwrap(), environment }
        }

        fn order<T>(&self, script: &str, input: Input, give: impl FnOnce(&Order<'_>) -> T) -> T {
            let prompt = self.folder.path().join("prompt");
            std::fs::write(&prompt, "the request").unwrap();
            let args = vec!["-c".to_owned(), script.to_owned()];
            let call = Call { program: "sh".into(), args, input };
            let (environment, folder) = (&self.environment, self.folder.path());
            give(&Order {
                call: &call,
                environment,
                folder,
                prompt_file: &prompt,
                size: (80, 24),
                confinement: &Confinement::default(),
            })
        }

        fn start(&self, script: &str, input: Input) -> Process {
            self.order(script, input, |order| Process::start(order).unwrap())
        }
    }

    fn all_of(process: &mut Process) -> (String, Ending) {
        let mut said = vec![];
        while let Ok(piece) = process.pieces.recv_timeout(Duration::from_secs(20)) {
            said.extend(piece.bytes);
        }
        let end = Instant::now() + Duration::from_secs(20);
        while process.ending().is_none() && Instant::now() < end {
            thread::sleep(BEAT);
        }
        (String::from_utf8(said).unwrap(), process.ending().unwrap())
    }

    #[test]
    fn a_process_reads_its_request_and_is_read() {
        let room = Room::new("a");
        let mut process = room.start("cat; exit 3", Input::Prompt);
        let ending = Ending { code: Some(3), signal: None };
        assert_eq!(all_of(&mut process), ("the request".into(), ending));

        let mut process = room.start("cat; echo $HOME$TRAJVIEW_LIVE", Input::Nothing);
        assert_eq!(all_of(&mut process).0, "a\n");
    }

    #[test]
    fn a_process_that_does_not_listen_is_killed_with_its_children() {
        let room = Room::new("b");
        let mark = room.folder.path().join("mark");
        let script = format!(
            "trap '' INT TERM; echo deaf; (sleep 2; touch {}) & wait; wait",
            mark.display()
        );
        let mut process = room.start(&script, Input::Nothing);
        process.pieces.recv_timeout(Duration::from_secs(20)).unwrap(); // or it hears the first signal
        let began = Instant::now();

        let ending = process.end(Duration::from_millis(200), &mut |_| {});

        assert_eq!(ending, Some(Ending { code: None, signal: Some(9) }));
        assert!(began.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_millis(2_200));
        assert!(!mark.exists());
    }

    #[test]
    fn a_program_is_run_until_it_ends_and_no_longer_than_it_may() {
        let room = Room::new("d");
        let run = |script: &str, patience: Duration| {
            let run = |order: &Order<'_>| order.run_within(Stdio::null(), patience);
            room.order(script, Input::Nothing, run)
        };
        let long = Duration::from_secs(60);

        assert_eq!(run("true", long), Ok(()));
        assert_eq!(run("exit 3", long), Err("sh failed (exit status: 3)".into()));
        let began = Instant::now();
        let late = run("trap '' TERM INT; sleep 300 & wait", Duration::ZERO);
        assert_eq!(late, Err("sh did not end within 0 s".into()));
        assert!(began.elapsed() < long);

        let path = room.folder.path().join("exports/session.json");
        let write = |order: &Order<'_>| order.write(&path);
        assert_eq!(room.order("echo it", Input::Nothing, write), Ok(()));
        assert_eq!(std::fs::read(&path).unwrap(), b"it\n");
        room.order("echo half; exit 1", Input::Nothing, write).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"it\n");
    }

    #[test]
    fn every_key_arrives_however_fast_they_come() {
        let room = Room::new("keys");
        let script = "stty raw -echo; echo ready; head -c 5000 | wc -c";
        let mut process = room.start(script, Input::Typed);
        process.pieces.recv_timeout(Duration::from_secs(20)).unwrap(); // it hears single keys from now on

        (0..5_000).for_each(|_| process.type_in(b"k"));

        assert_eq!(all_of(&mut process).0.trim(), "5000");
    }

    #[test]
    fn a_flood_waits_until_somebody_takes_it() {
        let room = Room::new("c");
        let count = room.folder.path().join("count");
        let script = format!(
            "i=0; while [ $i -lt 4000 ]; do head -c 1024 /dev/zero; i=$((i+1)); echo $i >{}; done",
            count.display()
        );
        let mut process = room.start(&script, Input::Nothing);
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
        assert_eq!(process.ending(), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whoever_left_its_session_and_its_environment_is_found_as_an_orphan_of_ours() {
        orphans::adopt_orphans();
        let run = format!("orphan-{}", std::process::id());
        let room = Room::new(&run);
        let pid = room.folder.path().join("pid");
        let script = format!(
            "env -i setsid sh -c 'echo $$ >{0}.part; mv {0}.part {0}; exec sleep 600' & while ! test -e {0}; do sleep 0.01; done",
            pid.display()
        );
        let mut process = room.start(&script, Input::Nothing);
        assert_eq!(all_of(&mut process).1.code, Some(0));
        drop(process);

        sweep(&run);

        let id = std::fs::read_to_string(pid).unwrap();
        assert!(!std::path::Path::new("/proc").join(id.trim()).exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whoever_left_the_group_is_found_by_its_environment() {
        let run = format!("sweep-{}", std::process::id());
        let room = Room::new(&run);
        let mark = room.folder.path().join("mark");
        let script = format!("setsid sh -c 'sleep 2; touch {}' & sleep 0.3", mark.display());
        let mut process = room.start(&script, Input::Nothing);
        let end = Instant::now() + Duration::from_secs(20);
        while process.ending().is_none() && Instant::now() < end {
            thread::sleep(BEAT);
        }

        assert!(sweep(&run) >= 1);

        thread::sleep(Duration::from_millis(2_200));
        assert!(!mark.exists());
    }
}
