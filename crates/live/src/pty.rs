//! A pseudo-terminal for an agent that needs one. Only bytes pass here; their meaning is up to the screen.

#![allow(unsafe_code, reason = "a terminal is handed over between fork and exec")]

use portable_pty::{MasterPty, PtySize, native_pty_system};

use crossbeam_channel::Sender;

use super::{
    drivers::agent_output::OutputStream,
    process::{OutputChunk, ProcessEnding, ProcessSpec, read_on_thread, write_on_thread},
};

pub struct AgentTerminal {
    child: child::TerminalChild,
    master: Box<dyn MasterPty + Send>,
    keys: Sender<Vec<u8>>,
}

impl std::fmt::Debug for AgentTerminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terminal of {:?}", self.id())
    }
}

/// Typed input that the programs of a terminal have not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadInput {
    pub bytes: usize,
    /// True if the terminal hides the input, as for a password.
    pub is_hidden: bool,
}

/// The smallest size (columns, rows) that programs expect of a terminal.
const MIN_SIZE: (u16, u16) = (2, 1);

fn pty_size((columns, rows): (u16, u16)) -> PtySize {
    PtySize {
        cols: columns.max(MIN_SIZE.0),
        rows: rows.max(MIN_SIZE.1),
        pixel_width: 0,
        pixel_height: 0,
    }
}

impl AgentTerminal {
    /// Opens a terminal and starts the program in it. The error is a sentence.
    pub(crate) fn open_and_start(
        spec: &ProcessSpec<'_>,
        to: Sender<OutputChunk>,
    ) -> Result<Self, String> {
        let program = &spec.command.program;
        let cannot = |why: &dyn std::fmt::Display| format!("cannot run {program}: {why}");
        let pair = native_pty_system()
            .openpty(pty_size(spec.size))
            .map_err(|why| format!("no terminal can be had: {why}"))?;
        let child = child::start_child(spec, &pair).map_err(|why| cannot(&why))?;
        drop(pair.slave); // else the end of the agent would not be the end of its output
        let reader = pair.master.try_clone_reader().map_err(|why| cannot(&why))?;
        let writer = pair.master.take_writer().map_err(|why| cannot(&why))?;
        read_on_thread(reader, OutputStream::Output, to);
        Ok(Self { child, master: pair.master, keys: write_on_thread(writer) })
    }

    pub fn id(&self) -> u32 {
        child::child_id(&self.child)
    }

    pub(crate) fn poll_ending(&mut self) -> Option<ProcessEnding> {
        child::child_ending(&mut self.child)
    }

    pub(crate) fn type_in(&mut self, bytes: &[u8]) {
        let _ = self.keys.send(bytes.to_vec()); // its terminal may be closed
    }

    /// Returns the unread input; None when the system does not report it.
    pub(crate) fn unread_input(&self) -> Option<UnreadInput> {
        child::child_unread(&*self.master)
    }

    /// Discards typed input that was not read.
    pub(crate) fn discard_unread(&self) {
        child::discard_child_input(&*self.master);
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        let _ = self.master.resize(pty_size(size)); // its programs may be gone
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

/// A process in our terminal.
#[cfg(unix)]
mod child {
    use std::{
        fs::{File, OpenOptions},
        io,
        os::{
            fd::BorrowedFd,
            unix::{fs::OpenOptionsExt, process::CommandExt},
        },
        process::Stdio,
    };

    use portable_pty::{MasterPty, PtyPair};
    use rustix::termios::{LocalModes, QueueSelector, tcflush, tcgetattr};

    use super::{
        super::{
            orphans,
            process::{ProcessEnding, ProcessSpec, ending_from_status},
        },
        UnreadInput,
    };

    pub type TerminalChild = std::process::Child;

    pub(crate) fn start_child(spec: &ProcessSpec<'_>, pair: &PtyPair) -> io::Result<TerminalChild> {
        let terminal = open_terminal(&*pair.master)?;
        let mut command = spec.build_command()?;
        command
            .stdin(Stdio::from(terminal.try_clone()?))
            .stdout(Stdio::from(terminal.try_clone()?))
            .stderr(Stdio::from(terminal));
        // SAFETY: standard input was put in its place before; it stays open as long as the process.
        let input = unsafe { BorrowedFd::borrow_raw(0) };
        let control = move || rustix::process::ioctl_tiocsctty(input).map_err(io::Error::from);
        // SAFETY: between fork and exec only a system call is made; the session it is for was begun before.
        unsafe { command.pre_exec(control) };
        orphans::spawn_agent(&mut command)
    }

    /// Opens the agent's end of the terminal, without making it our controlling terminal.
    fn open_terminal(master: &(dyn MasterPty + Send)) -> io::Result<File> {
        let name = master.tty_name().ok_or_else(|| io::Error::other("its terminal has no name"))?;
        let not_ours = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap_or_default();
        OpenOptions::new().read(true).write(true).custom_flags(not_ours).open(name)
    }

    /// Returns what was typed and not read by the agent, and whether its terminal hides it; None where that is not
    /// known.
    pub(crate) fn child_unread(master: &(dyn MasterPty + Send)) -> Option<UnreadInput> {
        let terminal = open_terminal(master).ok()?;
        let bytes = rustix::io::ioctl_fionread(&terminal).ok()?;
        let modes = tcgetattr(&terminal).ok()?.local_modes;
        let is_hidden = modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO);
        Some(UnreadInput { bytes: usize::try_from(bytes).ok()?, is_hidden })
    }

    /// Discards what was typed and not read by the agent.
    pub(crate) fn discard_child_input(master: &(dyn MasterPty + Send)) {
        if let Ok(terminal) = open_terminal(master) {
            let _ = tcflush(terminal, QueueSelector::IFlush); // its programs may be gone
        }
    }

    pub(crate) fn child_id(child: &TerminalChild) -> u32 {
        child.id()
    }

    pub(crate) fn child_ending(child: &mut TerminalChild) -> Option<ProcessEnding> {
        child.try_wait().ok().flatten().map(ending_from_status)
    }
}

#[cfg(not(unix))]
mod child {
    use std::io;

    use portable_pty::{CommandBuilder, MasterPty, PtyPair};

    use super::{
        super::process::{ProcessEnding, ProcessSpec},
        UnreadInput,
    };

    pub type TerminalChild = Box<dyn portable_pty::Child + Send + Sync>;

    pub(crate) fn start_child(spec: &ProcessSpec<'_>, pair: &PtyPair) -> io::Result<TerminalChild> {
        let mut command = CommandBuilder::new(&spec.command.program);
        command.args(&spec.command.args);
        command.env_clear();
        for (name, value) in spec.environment {
            command.env(name, value);
        }
        command.cwd(spec.folder);
        pair.slave.spawn_command(command).map_err(io::Error::other)
    }

    pub(crate) fn child_unread(_master: &(dyn MasterPty + Send)) -> Option<UnreadInput> {
        None
    }

    pub(crate) fn discard_child_input(_master: &(dyn MasterPty + Send)) {}

    pub(crate) fn child_id(child: &TerminalChild) -> u32 {
        child.process_id().unwrap_or_default()
    }

    pub(crate) fn child_ending(child: &mut TerminalChild) -> Option<ProcessEnding> {
        let status = child.try_wait().ok().flatten()?;
        Some(ProcessEnding { code: i32::try_from(status.exit_code()).ok(), signal: None })
    }
}
