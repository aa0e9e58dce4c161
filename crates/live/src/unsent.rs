//! A request that was pasted into an agent's screen and is not sent yet.
//!
//! Some agents take a return that comes right after a paste for a part of it. So the key that sends is pressed once the screen shows
//! the request, or has come to rest after it; a screen that moves for ever and shows nothing of it is waited for, but not for ever.

use std::time::{Duration, Instant};

/// How long the screen has to rest, or to show the request.
const REST: Duration = Duration::from_millis(250);

/// A screen that shows nothing is waited for no longer than this.
const PATIENCE: Duration = Duration::from_secs(15);

/// Letters and digits at the beginning of the request that are looked for.
const MOST_WORDS: usize = 24;

/// What of the output is looked through (bytes).
const TAIL: usize = 32 << 10;

/// Said of a long text in its place.
const PLACEHOLDER: &str = "pasted";

#[derive(Debug)]
pub struct Unsent {
    /// The beginning of the request, letters and digits alone.
    words: String,
    key: &'static [u8],
    typed: Instant,
    output: Vec<u8>,
    /// When something was heard last.
    heard: Option<Instant>,
    /// When the request was on the screen for the first time.
    shown: Option<Instant>,
}

impl Unsent {
    /// A request that was typed just now, and the key that sends it.
    pub fn new(request: &str, key: &'static [u8]) -> Self {
        let words = request.chars().filter(|c| c.is_alphanumeric()).take(MOST_WORDS).collect();
        let (typed, output) = (Instant::now(), vec![]);
        Self { words, key, typed, output, heard: None, shown: None }
    }

    /// Output of the terminal since then.
    pub fn hear(&mut self, bytes: &[u8]) {
        self.heard = Some(Instant::now());
        if self.shown.is_some() {
            return;
        }
        self.output.extend_from_slice(bytes);
        let excess = self.output.len().saturating_sub(TAIL);
        self.output.drain(..excess);
        let letters = letters_of(&self.output);
        let is_shown = !self.words.is_empty() && letters.contains(&self.words);
        if is_shown || letters.to_lowercase().contains(PLACEHOLDER) {
            self.shown = Some(Instant::now());
        }
    }

    /// The key, where it is time to press it.
    pub fn due(&self, now: Instant) -> Option<&'static [u8]> {
        let for_long = |since: Option<Instant>| {
            since.is_some_and(|it| now.saturating_duration_since(it) >= REST)
        };
        let is_due = for_long(self.heard)
            || for_long(self.shown)
            || now.saturating_duration_since(self.typed) >= PATIENCE;
        is_due.then_some(self.key)
    }
}

/// Letters and digits of a terminal's output, without its sequences.
fn letters_of(bytes: &[u8]) -> String {
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
        let unsent = || Unsent::new("Fix the *failing* test, please.\nAll of it.", b"\r");
        let after = |rest: Duration| Instant::now() + rest;

        assert_eq!(unsent().due(after(REST * 2)), None, "nothing was heard");
        assert_eq!(unsent().due(after(PATIENCE)), Some(&b"\r"[..]));
        let mut rests = unsent();
        rests.hear(b"\x1b[2K");
        assert_eq!((rests.due(Instant::now()), rests.due(after(REST))), (None, Some(&b"\r"[..])));

        let mut shows = unsent();
        shows.hear(b"\x1b]0;title\x07> Fix \x1b[1mthe fail");
        assert!(shows.shown.is_none());
        shows.hear(b"ing\x1b[0m test,\x1b[K please. A");
        assert!(shows.shown.is_some());
        let mut long = unsent();
        long.hear(b"[Pasted text #1 +12 lines]");
        assert!(long.shown.is_some());
    }
}
