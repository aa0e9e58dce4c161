//! A request that was pasted into an agent's screen and is not sent yet.
//!
//! Some agents take a return right after a paste for a part of it. So the key that sends the request is pressed once the
//! screen shows the request, or has come to rest after it; the wait for a screen that always moves and never shows the
//! request is limited.

use std::time::{Duration, Instant};

/// The time for which the screen has to rest, or to show the request.
const SCREEN_REST: Duration = Duration::from_millis(250);

/// The longest wait for a screen that does not show the request.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// The number of letters and digits at the beginning of the request that are searched for.
const MAX_LETTERS: usize = 24;

/// The largest part of the output that is searched (bytes).
const TAIL_BYTES: usize = 32 << 10;

/// Shown by agents in the place of a long text.
const PLACEHOLDER: &str = "pasted";

#[derive(Debug)]
pub struct PastedRequest {
    /// The beginning of the request, letters and digits alone.
    letters: String,
    key: &'static [u8],
    typed: Instant,
    output: Vec<u8>,
    /// The time when the last output came.
    last_output: Option<Instant>,
    /// The time when the screen first showed the request.
    shown_since: Option<Instant>,
}

impl PastedRequest {
    /// Starts with a request that was typed just now, and the key that sends it.
    pub fn new(request: &str, key: &'static [u8]) -> Self {
        let words = request.chars().filter(|c| c.is_alphanumeric()).take(MAX_LETTERS).collect();
        let (typed, output) = (Instant::now(), vec![]);
        Self { letters: words, key, typed, output, last_output: None, shown_since: None }
    }

    /// Takes output of the terminal.
    pub(crate) fn on_output(&mut self, bytes: &[u8]) {
        self.last_output = Some(Instant::now());
        if self.shown_since.is_some() {
            return;
        }
        self.output.extend_from_slice(bytes);
        let excess = self.output.len().saturating_sub(TAIL_BYTES);
        self.output.drain(..excess);
        let letters = letters_in(&self.output);
        let is_shown = !self.letters.is_empty() && letters.contains(&self.letters);
        if is_shown || letters.to_lowercase().contains(PLACEHOLDER) {
            self.shown_since = Some(Instant::now());
        }
    }

    /// Returns the key once it is time to press it.
    pub(crate) fn due_key(&self, now: Instant) -> Option<&'static [u8]> {
        let for_long = |since: Option<Instant>| {
            since.is_some_and(|it| now.saturating_duration_since(it) >= SCREEN_REST)
        };
        let is_due = for_long(self.last_output)
            || for_long(self.shown_since)
            || now.saturating_duration_since(self.typed) >= MAX_WAIT;
        is_due.then_some(self.key)
    }
}

/// Returns the letters and digits of a terminal's output, without its sequences.
fn letters_in(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut letters = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\x1b' {
            letters.extend(c.is_alphanumeric().then_some(c));
            continue;
        }
        match rest.next() {
            Some('[') => {
                rest.by_ref().find(|c| ('\x40'..'\x7f').contains(c));
            }
            Some(']' | 'P' | '_' | '^' | 'X') => {
                rest.by_ref().find(|c| matches!(c, '\x07' | '\x1b'));
                rest.next_if_eq(&'\\');
            }
            _ => {}
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_sent_once_the_screen_shows_it_or_rests() {
        let unsent = || PastedRequest::new("Fix the *failing* test, please.\nAll of it.", b"\r");
        let after = |rest: Duration| Instant::now() + rest;

        assert_eq!(unsent().due_key(after(SCREEN_REST * 2)), None, "nothing was heard");
        assert_eq!(unsent().due_key(after(MAX_WAIT)), Some(&b"\r"[..]));
        let mut rests = unsent();
        rests.on_output(b"\x1b[2K");
        assert_eq!(
            (rests.due_key(Instant::now()), rests.due_key(after(SCREEN_REST))),
            (None, Some(&b"\r"[..]))
        );

        let mut shows = unsent();
        shows.on_output(b"\x1b]0;title\x07> Fix \x1b[1mthe fail");
        assert!(shows.shown_since.is_none());
        shows.on_output(b"ing\x1b[0m test,\x1b[K please. A");
        assert!(shows.shown_since.is_some());
        let mut long = unsent();
        long.on_output(b"[Pasted text #1 +12 lines]");
        assert!(long.shown_since.is_some());
    }
}
