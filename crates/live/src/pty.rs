//! A terminal of our own for an agent that wants one. Only bytes move here; what they look like is the screen's to know.

#![allow(unsafe_code, reason = "a terminal is handed over between fork and exec")]

use portable_pty::{MasterPty, PtySize, native_pty_system};

use crossbeam_channel::Sender;

use super::{
    drivers::agent_output::Stream,
    process::{Ending, Order, Piece, read_aside, write_aside},
};

pub struct Terminal {
    child: child::Child,
    master: Box<dyn MasterPty + Send>,
    keys: Sender<Vec<u8>>,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terminal of {:?}", self.id())
    }
}

/// What the programs of a terminal have not read of what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    pub bytes: usize,
    /// Whether the terminal hides what is typed, as for a password.
    pub is_hidden: bool,
}

/// Smaller terminals are none that programs expect.
const LEAST: (u16, u16) = (2, 1);

fn size_of((columns, rows): (u16, u16)) -> PtySize {
    PtySize { cols: columns.max(LEAST.0), rows: rows.max(LEAST.1), pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    /// The error is a sentence.
    pub fn start(order: &Order<'_>, to: Sender<Piece>) -> Result<Self, String> {
        let program = &order.call.program;
        let cannot = |why: &dyn std::fmt::Display| format!("cannot run {program}: {why}");
        let pair = native_pty_system()
            .openpty(size_of(order.size))
            .map_err(|why| format!("no terminal can be had: {why}"))?;
        let child = child::start(order, &pair).map_err(|why| cannot(&why))?;
        drop(pair.slave); // else the end of the agent would not be the end of its output
        let reader = pair.master.try_clone_reader().map_err(|why| cannot(&why))?;
        let writer = pair.master.take_writer().map_err(|why| cannot(&why))?;
        read_aside(reader, Stream::Output, to);
        Ok(Self { child, master: pair.master, keys: write_aside(writer) })
    }

    pub fn id(&self) -> u32 {
        child::id(&self.child)
    }

    pub fn ending(&mut self) -> Option<Ending> {
        child::ending(&mut self.child)
    }

    pub fn type_in(&mut self, bytes: &[u8]) {
        let _ = self.keys.send(bytes.to_vec()); // its terminal may be closed
    }

    /// None where the system does not say.
    pub fn unread(&self) -> Option<Unread> {
        child::unread(&*self.master)
    }

    /// Takes away what was typed and not read.
    pub fn take_back(&self) {
        child::take_back(&*self.master);
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        let _ = self.master.resize(size_of(size)); // its programs may be gone
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

/// A process whose terminal is the other end of ours.
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
            process::{Ending, Order, ending_of},
        },
        Unread,
    };

    pub type Child = std::process::Child;

    pub fn start(order: &Order<'_>, pair: &PtyPair) -> io::Result<Child> {
        let terminal = open(&*pair.master)?;
        let mut command = order.command()?;
        command
            .stdin(Stdio::from(terminal.try_clone()?))
            .stdout(Stdio::from(terminal.try_clone()?))
            .stderr(Stdio::from(terminal));
        // SAFETY: standard input was put in its place before; it stays open as long as the process.
        let input = unsafe { BorrowedFd::borrow_raw(0) };
        let control = move || rustix::process::ioctl_tiocsctty(input).map_err(io::Error::from);
        // SAFETY: between fork and exec only a system call is made; the session it is for was begun before.
        unsafe { command.pre_exec(control) };
        orphans::spawn(&mut command)
    }

    /// The agent's end of the terminal, which does not become ours.
    fn open(master: &(dyn MasterPty + Send)) -> io::Result<File> {
        let name = master.tty_name().ok_or_else(|| io::Error::other("its terminal has no name"))?;
        let not_ours = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap_or_default();
        OpenOptions::new().read(true).write(true).custom_flags(not_ours).open(name)
    }

    pub fn unread(master: &(dyn MasterPty + Send)) -> Option<Unread> {
        let terminal = open(master).ok()?;
        let bytes = rustix::io::ioctl_fionread(&terminal).ok()?;
        let modes = tcgetattr(&terminal).ok()?.local_modes;
        let is_hidden = modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO);
        Some(Unread { bytes: usize::try_from(bytes).ok()?, is_hidden })
    }

    pub fn take_back(master: &(dyn MasterPty + Send)) {
        if let Ok(terminal) = open(master) {
            let _ = tcflush(terminal, QueueSelector::IFlush); // its programs may be gone
        }
    }

    pub fn id(child: &Child) -> u32 {
        child.id()
    }

    pub fn ending(child: &mut Child) -> Option<Ending> {
        child.try_wait().ok().flatten().map(ending_of)
    }
}

#[cfg(not(unix))]
mod child {
    use std::io;

    use portable_pty::{CommandBuilder, MasterPty, PtyPair};

    use super::{
        super::process::{Ending, Order},
        Unread,
    };

    pub type Child = Box<dyn portable_pty::Child + Send + Sync>;

    pub fn start(order: &Order<'_>, pair: &PtyPair) -> io::Result<Child> {
        let mut command = CommandBuilder::new(&order.call.program);
        command.args(&order.call.args);
        command.env_clear();
        for (name, value) in order.environment {
            command.env(name, value);
        }
        command.cwd(order.folder);
        pair.slave.spawn_command(command).map_err(io::Error::other)
    }

    pub fn unread(_master: &(dyn MasterPty + Send)) -> Option<Unread> {
        None
    }

    pub fn take_back(_master: &(dyn MasterPty + Send)) {}

    pub fn id(child: &Child) -> u32 {
        child.process_id().unwrap_or_default()
    }

    pub fn ending(child: &mut Child) -> Option<Ending> {
        let status = child.try_wait().ok().flatten()?;
        Some(Ending { code: i32::try_from(status.exit_code()).ok(), signal: None })
    }
}
