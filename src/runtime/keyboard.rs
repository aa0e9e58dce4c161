//! The keyboard protocol of the outer terminal, if it supports the kitty keyboard protocol.
//!
//! The terminal is asked whether it supports the protocol when an agent that needs more than the old key bytes has the
//! keyboard for the first time, and never before: only the thread that reads the terminal waits for the answer, and not for
//! long. From then on the terminal reports more, for as long as such an agent has the keyboard.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, AtomicU8, Ordering},
};

use ratatui::crossterm::terminal::supports_keyboard_enhancement;

use trajview_tui::views::live::terminal::keyboard_modes::KeyboardFlags;

/// The support of the protocol by the terminal: one of the constants below.
static SUPPORT: AtomicU8 = AtomicU8::new(UNKNOWN);

const UNKNOWN: u8 = 0;
/// The support is wanted and not known.
const WANTED: u8 = 1;
const UNSUPPORTED: u8 = 2;
const SUPPORTED: u8 = 3;

/// True if our flags are set, for the code that releases the terminal.
static IS_PUSHED: AtomicBool = AtomicBool::new(false);

/// Asks the terminal if that is wanted; returns whether it was asked. For the thread that reads the terminal, which alone
/// can read the answer. A terminal that does not answer is waited for once, for two seconds; keys that come meanwhile are
/// kept.
pub(crate) fn ask_if_wanted() -> bool {
    if SUPPORT.load(Ordering::SeqCst) != WANTED {
        return false;
    }
    let knows_it = supports_keyboard_enhancement().unwrap_or(false);
    SUPPORT.store(if knows_it { SUPPORTED } else { UNSUPPORTED }, Ordering::SeqCst);
    true
}

/// Returns whether the terminal reports keys in the protocol at the moment.
pub(crate) fn tells_keys_apart() -> bool {
    IS_PUSHED.load(Ordering::SeqCst)
}

/// The keyboard flags of the outer terminal.
#[derive(Debug, Default)]
pub struct OuterKeyboard(KeyboardFlags);

impl OuterKeyboard {
    /// Sets the terminal to these flags if it supports them; else the support is asked for later, which `nudge` speeds up.
    pub fn set_flags(
        &mut self,
        flags: KeyboardFlags,
        to: &mut impl Write,
        nudge: impl FnOnce(),
    ) -> io::Result<()> {
        if flags == self.0 {
            return Ok(());
        }
        match SUPPORT.load(Ordering::SeqCst) {
            SUPPORTED => {}
            UNKNOWN => {
                SUPPORT.store(WANTED, Ordering::SeqCst);
                nudge();
                return Ok(());
            }
            _ => return Ok(()),
        }
        let KeyboardFlags(bits) = flags;
        match (self.0.is_empty(), flags.is_empty()) {
            (true, _) => {
                IS_PUSHED.store(true, Ordering::SeqCst);
                write!(to, "\x1b[>{bits}u")?;
            }
            (false, false) => write!(to, "\x1b[={bits}u")?,
            (false, true) => {
                write!(to, "{POP_FLAGS}")?;
                IS_PUSHED.store(false, Ordering::SeqCst);
            }
        }
        self.0 = flags;
        Ok(())
    }
}

const POP_FLAGS: &str = "\x1b[<u";

/// Returns the sequence that resets the keyboard; empty when nothing was set.
pub(crate) fn reset_sequence() -> &'static str {
    if IS_PUSHED.swap(false, Ordering::SeqCst) { POP_FLAGS } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only test that changes the state of the whole program.
    #[test]
    fn the_terminal_is_asked_once_and_given_back_what_it_had() {
        let (mut outer, mut written, mut nudges) = (OuterKeyboard::default(), vec![], 0);
        let mut follow = |flags: u8, written: &mut Vec<u8>| {
            outer.set_flags(KeyboardFlags(flags), written, || nudges += 1).unwrap();
        };
        follow(0, &mut written);
        assert_eq!(SUPPORT.load(Ordering::SeqCst), UNKNOWN);
        follow(1, &mut written);
        follow(3, &mut written);
        assert!(written.is_empty(), "nothing is written before it is known");
        assert_eq!(reset_sequence(), "");

        SUPPORT.store(SUPPORTED, Ordering::SeqCst);
        for flags in [3, 3, 7, 0, 0, 1] {
            follow(flags, &mut written);
        }

        assert_eq!(written, b"\x1b[>3u\x1b[=7u\x1b[<u\x1b[>1u");
        assert_eq!((reset_sequence(), reset_sequence(), nudges), ("\x1b[<u", "", 1));
    }
}
