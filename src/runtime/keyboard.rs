//! What the terminal around us tells of keys, where it knows the kitty keyboard protocol.
//!
//! It is asked whether it does when an agent that wants more of keys than the old bytes has the keyboard for the first time, and never
//! before: nothing waits for the answer but the thread that reads the terminal, and that not for long. More is told from then on, for as
//! long as such an agent has the keyboard.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, AtomicU8, Ordering},
};

use ratatui::crossterm::terminal::supports_keyboard_enhancement;

use trajview_tui::views::live::terminal::keyboard::Flags;

/// Whether the terminal knows the protocol.
static SUPPORT: AtomicU8 = AtomicU8::new(UNKNOWN);

const UNKNOWN: u8 = 0;
/// Somebody wants to know.
const WANTED: u8 = 1;
const NO: u8 = 2;
const YES: u8 = 3;

/// Whether flags of ours are in force, for whoever gives the terminal back.
static IS_PUSHED: AtomicBool = AtomicBool::new(false);

/// Asks the terminal, where somebody wants to know; whether it was asked. For the thread that reads the terminal, which alone can hear
/// the answer. A terminal that does not answer at all is waited for once, for two seconds; keys that come meanwhile are kept.
pub fn ask_if_wanted() -> bool {
    if SUPPORT.load(Ordering::SeqCst) != WANTED {
        return false;
    }
    let knows_it = supports_keyboard_enhancement().unwrap_or(false);
    SUPPORT.store(if knows_it { YES } else { NO }, Ordering::SeqCst);
    true
}

/// Whether the terminal tells keys as the protocol has them at the moment.
pub fn tells_keys_apart() -> bool {
    IS_PUSHED.load(Ordering::SeqCst)
}

/// The flags that the terminal was given.
#[derive(Debug, Default)]
pub struct OuterKeyboard(Flags);

impl OuterKeyboard {
    /// Brings the terminal to these flags, where it is known to know them; else it is asked by and by, which `nudge` hurries.
    pub fn follow(
        &mut self,
        wanted: Flags,
        to: &mut impl Write,
        nudge: impl FnOnce(),
    ) -> io::Result<()> {
        if wanted == self.0 {
            return Ok(());
        }
        match SUPPORT.load(Ordering::SeqCst) {
            YES => {}
            UNKNOWN => {
                SUPPORT.store(WANTED, Ordering::SeqCst);
                nudge();
                return Ok(());
            }
            _ => return Ok(()),
        }
        let Flags(flags) = wanted;
        match (self.0.is_empty(), wanted.is_empty()) {
            (true, _) => {
                IS_PUSHED.store(true, Ordering::SeqCst);
                write!(to, "\x1b[>{flags}u")?;
            }
            (false, false) => write!(to, "\x1b[={flags}u")?,
            (false, true) => {
                write!(to, "{POP}")?;
                IS_PUSHED.store(false, Ordering::SeqCst);
            }
        }
        self.0 = wanted;
        Ok(())
    }
}

const POP: &str = "\x1b[<u";

/// What gives the keyboard back; nothing where nothing of ours is in force.
pub fn give_back() -> &'static str {
    if IS_PUSHED.swap(false, Ordering::SeqCst) { POP } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only test that touches what the program as a whole knows.
    #[test]
    fn the_terminal_is_asked_once_and_given_back_what_it_had() {
        let (mut outer, mut written, mut nudges) = (OuterKeyboard::default(), vec![], 0);
        let mut follow = |flags: u8, written: &mut Vec<u8>| {
            outer.follow(Flags(flags), written, || nudges += 1).unwrap();
        };
        follow(0, &mut written);
        assert_eq!(SUPPORT.load(Ordering::SeqCst), UNKNOWN);
        follow(1, &mut written);
        follow(3, &mut written);
        assert!(written.is_empty(), "nothing is written before it is known");
        assert_eq!(give_back(), "");

        SUPPORT.store(YES, Ordering::SeqCst);
        for flags in [3, 3, 7, 0, 0, 1] {
            follow(flags, &mut written);
        }

        assert_eq!(written, b"\x1b[>3u\x1b[=7u\x1b[<u\x1b[>1u");
        assert_eq!((give_back(), give_back(), nudges), ("\x1b[<u", "", 1));
    }
}
