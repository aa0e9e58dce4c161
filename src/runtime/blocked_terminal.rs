//! Releases a terminal that reads no output: the thread that writes to it waits and cannot release it, so another thread
//! does, as far as possible.

use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(unix)]
use ratatui::crossterm::terminal::disable_raw_mode;

#[cfg(unix)]
use super::keyboard;

/// Ends xterm's modes 1006 and 1000.
pub(crate) const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Counts writes to the terminal at their start and end: while the number is odd, one is under way.
static WRITE_COUNT: AtomicUsize = AtomicUsize::new(0);

/// A write to the terminal, which may take as long as the terminal reads nothing.
pub struct TerminalWrite;

impl TerminalWrite {
    pub fn begin() -> Self {
        WRITE_COUNT.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for TerminalWrite {
    fn drop(&mut self) {
        WRITE_COUNT.fetch_add(1, Ordering::SeqCst);
    }
}

/// Returns the number of the write under way; None when there is none.
#[cfg(unix)]
pub(crate) fn write_under_way() -> Option<usize> {
    Some(WRITE_COUNT.load(Ordering::SeqCst)).filter(|count| count % 2 == 1)
}

/// Ends raw mode. That works even if nobody reads the output.
#[cfg(unix)]
pub(crate) fn end_raw_mode() {
    let _ = disable_raw_mode(); // best effort, as in `give_back`
}

/// Releases the terminal while another thread waits for it to read and holds the output lock: unread output is discarded,
/// so that there is room for the rest.
#[cfg(unix)]
pub(crate) fn give_back_by_force() {
    use rustix::{fs, stdio::stdout, termios};
    let _ = disable_raw_mode();
    let _ = termios::tcflush(stdout(), termios::QueueSelector::OFlush);
    // The first character ends an escape sequence of which only a part was read.
    let words = format!(
        "\x18\x1b[?2026l{}{MOUSE_OFF}\x1b[?2004l\x1b[?1049l\x1b[?25h",
        keyboard::reset_sequence()
    );
    // The shell has the same open: it is to wait again when it writes.
    if let Ok(flags) = fs::fcntl_getfl(stdout()) {
        let _ = fs::fcntl_setfl(stdout(), flags | fs::OFlags::NONBLOCK);
        let _ = rustix::io::write(stdout(), words.as_bytes());
        let _ = fs::fcntl_setfl(stdout(), flags);
    }
}
