//! A terminal that reads nothing: whoever writes to it waits, and cannot give it back. Another thread does then, as far as it goes.

use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(unix)]
use ratatui::crossterm::terminal::disable_raw_mode;

#[cfg(unix)]
use super::keyboard;

/// Ends xterm's modes 1006 and 1000.
pub const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Counts writes to the terminal as they begin and as they end: while the number is odd, one is under way.
static WRITES: AtomicUsize = AtomicUsize::new(0);

/// A write to the terminal, which may take as long as the terminal reads nothing.
pub struct Writing;

impl Writing {
    pub fn begin() -> Self {
        WRITES.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITES.fetch_add(1, Ordering::SeqCst);
    }
}

/// Which write to the terminal is under way, by its number; None where none is.
#[cfg(unix)]
pub fn write_under_way() -> Option<usize> {
    Some(WRITES.load(Ordering::SeqCst)).filter(|count| count % 2 == 1)
}

/// Lines and signals of the keyboard are the terminal's own again. That needs nobody who reads what is written.
#[cfg(unix)]
pub fn end_raw_mode() {
    let _ = disable_raw_mode(); // best effort, as in `give_back`
}

/// Gives the terminal back while another thread waits for a terminal that takes nothing, and holds what is written with: what the
/// terminal has not read is forgotten, so that there is room for the rest.
#[cfg(unix)]
pub fn give_back_by_force() {
    use rustix::{fs, stdio::stdout, termios};
    let _ = disable_raw_mode();
    let _ = termios::tcflush(stdout(), termios::QueueSelector::OFlush);
    // The first character ends an escape sequence of which only a part was read.
    let words = format!(
        "\x18\x1b[?2026l{}{MOUSE_OFF}\x1b[?2004l\x1b[?1049l\x1b[?25h",
        keyboard::give_back()
    );
    // The shell has the same open: it is to wait again when it writes.
    if let Ok(flags) = fs::fcntl_getfl(stdout()) {
        let _ = fs::fcntl_setfl(stdout(), flags | fs::OFlags::NONBLOCK);
        let _ = rustix::io::write(stdout(), words.as_bytes());
        let _ = fs::fcntl_setfl(stdout(), flags);
    }
}
