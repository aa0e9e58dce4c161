//! Prompts that a person sends to an agent's terminal while a turn is under way.
//!
//! The agent may take such a prompt into the turn under way: it asked a question, or it lets itself be steered. That is
//! recorded with the turn. Or the prompt waits until the turn is over: then it is a turn of its own. Which of the two it
//! is stands in the log of an agent that has one ([`super::logs::Watch`]). Of others it is known by the terminal: what a
//! program has not read is still in the terminal's queue. It is taken back from there, and asked once the turn is recorded.

use std::time::{Duration, Instant};

use super::pty::Unread;

/// A prompt that is not in the script and becomes the next turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    pub text: String,
    /// Whether the agent has read it and works on it already.
    pub is_sent: bool,
}

/// What a person sent while one turn was under way.
#[derive(Debug, Default)]
pub struct Interjections {
    /// What the agent took into the turn, in order.
    pub within: Vec<String>,
    pub queued: Vec<Queued>,
    /// Whether any key was pressed.
    pub has_keys: bool,
    undecided: Vec<Line>,
    /// Bytes that nobody had read when the terminal was last asked.
    unread: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    text: String,
    since: Instant,
}

/// How long a program that waits for a line may take to read it. A line that lies longer is for later.
const READ_WITHIN: Duration = Duration::from_millis(400);

/// How long a line takes from us to the other end of the terminal at most.
const UNDER_WAY: Duration = Duration::from_millis(100);

/// Stands for a line that the terminal did not show, as it does for passwords.
const HIDDEN: &str = "(a line that the terminal did not show)";

impl Interjections {
    /// A person sent a line; it goes to the terminal now.
    pub fn send(&mut self, text: String, terminal: Option<Unread>) {
        let is_hidden = terminal.is_some_and(|it| it.is_hidden);
        let text = if is_hidden { HIDDEN.to_owned() } else { text };
        self.undecided.push(Line { text, since: Instant::now() });
    }

    pub fn is_undecided(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// Decides about lines that had their time, while the turn goes on. Whether what is unread is to be taken back.
    pub fn decide(&mut self, terminal: Option<Unread>) -> bool {
        let age = self.undecided.last().map(|line| line.since.elapsed());
        self.unread = terminal.map_or(0, |it| it.bytes);
        let Some(age) = age else { return false };
        if self.unread == 0 && age >= UNDER_WAY {
            self.share(0, false);
        }
        let takes_back = self.unread > 0 && age >= READ_WITHIN;
        if takes_back {
            self.share(self.unread, false);
        }
        takes_back
    }

    /// Decides about all lines now that the turn is over. Whether what is unread is to be taken back.
    pub fn decide_all(&mut self, terminal: Option<Unread>) -> bool {
        let (before, now) = (self.unread, terminal.map_or(0, |it| it.bytes));
        // What lay unread until the end of the turn and does no more was read by whoever asks for the next request.
        self.share(if now > 0 { now } else { before }, now == 0);
        now > 0
    }

    /// The last lines are those that nobody has read.
    fn share(&mut self, mut unread: usize, is_sent: bool) {
        let mut queued = vec![];
        while let Some(line) = self.undecided.pop_if(|_| unread > 0) {
            unread = unread.saturating_sub(line.text.len() + 1);
            queued.push(Queued { text: line.text, is_sent });
        }
        self.queued.extend(queued.into_iter().rev());
        self.within.extend(self.undecided.drain(..).map(|line| line.text));
        self.unread = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn unread(bytes: usize) -> Option<Unread> {
        Some(Unread { bytes, is_hidden: false })
    }

    fn sent(lines: &[&str]) -> Interjections {
        let mut sent = Interjections::default();
        let since = Instant::now().checked_sub(READ_WITHIN).unwrap();
        sent.undecided = lines.iter().map(|it| Line { text: (*it).into(), since }).collect();
        sent
    }

    fn queued(text: &str, is_sent: bool) -> Queued {
        Queued { text: text.into(), is_sent }
    }

    #[test]
    fn a_line_that_is_read_belongs_to_the_turn_and_one_that_is_not_is_taken_back() {
        let mut lines = sent(&["yes", "then this"]);
        assert!(lines.decide(unread(10)));
        assert_eq!(
            (lines.within, lines.queued),
            (vec!["yes".into()], vec![queued("then this", false)])
        );

        let mut lines = sent(&["yes"]);
        assert!(!lines.decide(unread(0)));
        assert_eq!((lines.within, lines.queued), (vec!["yes".to_owned()], vec![]));
    }

    #[test]
    fn a_line_that_is_read_when_the_turn_is_over_is_at_work_already() {
        let mut lines = sent(&["next"]);
        lines.undecided[0].since = Instant::now();
        assert!(!lines.decide(unread(5)) && lines.is_undecided());

        assert!(!lines.decide_all(unread(0)));

        assert_eq!(lines.queued, [queued("next", true)]);
    }

    #[test]
    fn a_line_that_the_terminal_hides_is_not_recorded() {
        let mut lines = Interjections::default();
        lines.send("pass phrase".into(), Some(Unread { bytes: 0, is_hidden: true }));
        lines.decide_all(unread(0));
        assert_eq!(lines.within, [HIDDEN]);
    }
}
