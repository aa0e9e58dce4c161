//! A terminal of our own for an agent that wants one. Only bytes move here; what they look like is the screen's to know.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crossbeam_channel::Sender;

use super::{
    drivers::heard::Stream,
    process::{Ending, Order, Piece, read_aside, write_aside},
};

pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Sender<Vec<u8>>,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terminal of {:?}", self.child.process_id())
    }
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
        let mut command = CommandBuilder::new(program);
        command.args(&order.call.args);
        command.env_clear();
        for (name, value) in order.environment {
            command.env(name, value);
        }
        command.cwd(order.folder);
        let child = pair.slave.spawn_command(command).map_err(|why| cannot(&why))?;
        drop(pair.slave); // else the end of the agent would not be the end of its output
        let reader = pair.master.try_clone_reader().map_err(|why| cannot(&why))?;
        let writer = pair.master.take_writer().map_err(|why| cannot(&why))?;
        read_aside(reader, Stream::Output, to);
        Ok(Self { child, master: pair.master, keys: write_aside(writer) })
    }

    pub fn id(&self) -> u32 {
        self.child.process_id().unwrap_or_default()
    }

    pub fn ending(&mut self) -> Option<Ending> {
        let status = self.child.try_wait().ok().flatten()?;
        // The crate tells signals by name only; a negative code would be none.
        let code = (status.signal().is_none()).then(|| i32::try_from(status.exit_code()).ok());
        Some(Ending { code: code.flatten(), signal: None })
    }

    pub fn type_in(&mut self, bytes: &[u8]) {
        // An agent that has not read what was typed before gets nothing more.
        let _ = self.keys.try_send(bytes.to_vec());
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        let _ = self.master.resize(size_of(size)); // its programs may be gone
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}
