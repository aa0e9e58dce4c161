//! Prompts that a person sends to an agent's terminal while a turn is under way.
//!
//! The agent may take such a prompt into the turn under way: it asked a question, or it lets itself be steered. That is
//! recorded with the turn. Or the prompt waits until the turn is over: then it is a turn of its own. The log of the agent
//! shows which of the two it is ([`super::logs::LogWatch`]). For an agent without a log the terminal shows it: input that a
//! program has not read is still in the terminal's queue. It is discarded there, and sent once the turn is recorded.

use std::time::{Duration, Instant};

use super::pty::UnreadInput;

/// A prompt that is not in the script and becomes the next turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedPrompt {
    pub text: String,
    /// True if the agent has read it and works on it already.
    pub is_sent: bool,
}

/// The prompts that a person sent while one turn was under way.
#[derive(Debug, Default)]
pub struct PromptsDuringTurn {
    /// Prompts that the agent took into the turn, in order.
    pub within: Vec<String>,
    pub queued: Vec<QueuedPrompt>,
    /// True if any key was pressed.
    pub has_keys: bool,
    undecided: Vec<UndecidedLine>,
    /// Unread bytes when the terminal was last checked.
    unread: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct UndecidedLine {
    text: String,
    since: Instant,
}

/// The longest time that a program that waits for a line may take to read it. A line that stays longer is for later.
const READ_WITHIN: Duration = Duration::from_millis(400);

/// The longest time that a line takes to the other end of the terminal.
const MAX_TRAVEL_TIME: Duration = Duration::from_millis(100);

/// Stands for a line that the terminal did not show, as it does for passwords.
const HIDDEN_LINE: &str = "(a line that the terminal did not show)";

impl PromptsDuringTurn {
    /// Adds a line that a person sent; it goes to the terminal now.
    pub(crate) fn add_line(&mut self, text: String, terminal: Option<UnreadInput>) {
        let is_hidden = terminal.is_some_and(|it| it.is_hidden);
        let text = if is_hidden { HIDDEN_LINE.to_owned() } else { text };
        self.undecided.push(UndecidedLine { text, since: Instant::now() });
    }

    pub(crate) fn is_undecided(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// Decides about lines of a certain age, while the turn goes on. Returns whether unread input is to be discarded.
    pub(crate) fn decide_old_lines(&mut self, terminal: Option<UnreadInput>) -> bool {
        let age = self.undecided.last().map(|line| line.since.elapsed());
        self.unread = terminal.map_or(0, |it| it.bytes);
        let Some(age) = age else { return false };
        if self.unread == 0 && age >= MAX_TRAVEL_TIME {
            self.sort_lines(0, false);
        }
        let takes_back = self.unread > 0 && age >= READ_WITHIN;
        if takes_back {
            self.sort_lines(self.unread, false);
        }
        takes_back
    }

    /// Decides about all lines at the end of the turn. Returns whether unread input is to be discarded.
    pub(crate) fn decide_all_lines(&mut self, terminal: Option<UnreadInput>) -> bool {
        let (before, now) = (self.unread, terminal.map_or(0, |it| it.bytes));
        // Input that was unread until the end of the turn and is no longer was read by the agent for its next request.
        self.sort_lines(if now > 0 { now } else { before }, now == 0);
        now > 0
    }

    /// Sorts the lines: the last ones are those that nobody has read.
    fn sort_lines(&mut self, mut unread: usize, is_sent: bool) {
        let mut queued = vec![];
        while let Some(line) = self.undecided.pop_if(|_| unread > 0) {
            unread = unread.saturating_sub(line.text.len() + 1);
            queued.push(QueuedPrompt { text: line.text, is_sent });
        }
        self.queued.extend(queued.into_iter().rev());
        self.within.extend(self.undecided.drain(..).map(|line| line.text));
        self.unread = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn unread_bytes(bytes: usize) -> Option<UnreadInput> {
        Some(UnreadInput { bytes, is_hidden: false })
    }

    fn sent_lines(lines: &[&str]) -> PromptsDuringTurn {
        let mut sent = PromptsDuringTurn::default();
        let since = Instant::now().checked_sub(READ_WITHIN).unwrap();
        sent.undecided =
            lines.iter().map(|it| UndecidedLine { text: (*it).into(), since }).collect();
        sent
    }

    fn queued_prompt(text: &str, is_sent: bool) -> QueuedPrompt {
        QueuedPrompt { text: text.into(), is_sent }
    }

    #[test]
    fn a_line_that_is_read_belongs_to_the_turn_and_one_that_is_not_is_taken_back() {
        let mut lines = sent_lines(&["yes", "then this"]);
        assert!(lines.decide_old_lines(unread_bytes(10)));
        assert_eq!(
            (lines.within, lines.queued),
            (vec!["yes".into()], vec![queued_prompt("then this", false)])
        );

        let mut lines = sent_lines(&["yes"]);
        assert!(!lines.decide_old_lines(unread_bytes(0)));
        assert_eq!((lines.within, lines.queued), (vec!["yes".to_owned()], vec![]));
    }

    #[test]
    fn a_line_that_is_read_when_the_turn_is_over_is_at_work_already() {
        let mut lines = sent_lines(&["next"]);
        lines.undecided[0].since = Instant::now();
        assert!(!lines.decide_old_lines(unread_bytes(5)) && lines.is_undecided());

        assert!(!lines.decide_all_lines(unread_bytes(0)));

        assert_eq!(lines.queued, [queued_prompt("next", true)]);
    }

    #[test]
    fn a_line_that_the_terminal_hides_is_not_recorded() {
        let mut lines = PromptsDuringTurn::default();
        lines.add_line("pass phrase".into(), Some(UnreadInput { bytes: 0, is_hidden: true }));
        lines.decide_all_lines(unread_bytes(0));
        assert_eq!(lines.within, [HIDDEN_LINE]);
    }
}
