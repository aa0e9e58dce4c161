//! The runs of a batch while they are made: how far each is, what it took, what waits for a person. What a key wants is a
//! [`Wish`]; whoever makes the runs carries it out.

mod draw;
#[cfg(test)]
mod tests;

use crate::widgets::{
    key::{Code, Key},
    scroll::{Motion, Scroll},
};
use trajview_run::batch::{BatchRow, BatchState};

pub use draw::draw;

/// What a person wants; runs by their place among the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Pause,
    GoOn,
    Stop(usize),
    Retry(usize),
    /// The run is shown as it is made.
    Watch(usize),
    Quit,
}

/// The table and where a person stands in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchTable {
    /// The folder of the runs.
    pub place: String,
    pub rows: Vec<BatchRow>,
    scroll: Scroll,
    is_paused: bool,
    /// Whether the last key asked to leave while runs are made.
    asks_to_leave: bool,
    /// The last thing that was said; a sentence.
    said: Option<String>,
    /// Rows that fit, as they were drawn last.
    height: usize,
}

/// Keys and what they do, as the last line shows them.
pub const KEYS: [(&str, &str); 6] = [
    ("enter", "watch"),
    ("p", "pause"),
    ("x", "stop"),
    ("r", "try again"),
    ("n", "next that waits for you"),
    ("q", "quit"),
];

impl BatchTable {
    pub fn new(place: String, rows: Vec<BatchRow>) -> Self {
        Self { place, rows, ..Self::default() }
    }

    /// How many rows fit.
    pub fn resize(&mut self, height: u16) {
        self.height = usize::from(height.saturating_sub(draw::AROUND));
        self.scroll.follow(self.rows.len(), self.height);
    }

    pub fn take(&mut self, rows: Vec<BatchRow>) {
        self.rows = rows;
        self.move_by(Motion::Down(0));
    }

    pub fn say(&mut self, sentence: impl Into<String>) {
        self.said = Some(sentence.into());
    }

    /// The run at the cursor.
    pub fn chosen(&self) -> Option<&BatchRow> {
        self.rows.get(self.scroll.cursor)
    }

    fn move_by(&mut self, motion: Motion) {
        self.scroll.cursor = motion.from(self.scroll.cursor, self.rows.len(), self.height);
        self.scroll.follow(self.rows.len(), self.height);
    }

    fn count(&self, state: BatchState) -> usize {
        self.rows.iter().filter(|row| row.progress.state == state).count()
    }

    /// Whether something is under way that leaving would stop.
    fn is_at_work(&self) -> bool {
        self.count(BatchState::Running) + self.count(BatchState::Judging) > 0
    }

    /// Takes a key, and gives what it wants of the batch.
    pub fn press(&mut self, key: Key) -> Option<Wish> {
        let asked = std::mem::take(&mut self.asks_to_leave);
        self.said = None;
        let motion = match (key.code, key.ctrl) {
            (Code::Down | Code::Char('j'), false) => Motion::Down(1),
            (Code::Up | Code::Char('k'), false) => Motion::Up(1),
            (Code::PageDown, _) | (Code::Char('f'), true) => Motion::PageDown,
            (Code::PageUp, _) | (Code::Char('b'), true) => Motion::PageUp,
            (Code::Home | Code::Char('g'), false) => Motion::Start,
            (Code::End | Code::Char('G'), false) => Motion::End,
            _ => return self.wish(key, asked),
        };
        self.move_by(motion);
        None
    }

    fn wish(&mut self, key: Key, asked: bool) -> Option<Wish> {
        let at = self.scroll.cursor;
        let state = self.chosen().map(|row| row.progress.state);
        match (key.code, key.ctrl) {
            (Code::Enter, _) => self.watched(at),
            (Code::Char('p'), false) => {
                self.is_paused = !self.is_paused;
                Some(if self.is_paused { Wish::Pause } else { Wish::GoOn })
            }
            (Code::Char('x'), false) if state.is_some_and(|it| !it.is_settled()) => {
                if state == Some(BatchState::Elsewhere) {
                    self.say("another process makes it; stop it there");
                    return None;
                }
                self.say("it stops; r goes on with it");
                Some(Wish::Stop(at))
            }
            (Code::Char('x'), false) => {
                self.say("nothing of this run is under way");
                None
            }
            (Code::Char('r'), false) => self.retried(at, state),
            (Code::Char('n'), false) => {
                self.next_waiting();
                None
            }
            (Code::Char('q'), false) | (Code::Char('c'), true) => {
                if asked || !self.is_at_work() {
                    self.say("the runs stop after what they are writing…");
                    return Some(Wish::Quit);
                }
                self.asks_to_leave = true;
                let running = self.count(BatchState::Running) + self.count(BatchState::Judging);
                let runs = trajview_run::figures::counted(running, "run");
                self.say(format!("q again stops {runs}; the same command goes on with them"));
                None
            }
            _ => None,
        }
    }

    fn watched(&mut self, at: usize) -> Option<Wish> {
        let row = self.chosen()?;
        if row.progress.turns == 0 && row.progress.state == BatchState::Waiting {
            self.say("it has not begun yet");
            return None;
        }
        Some(Wish::Watch(at))
    }

    fn retried(&mut self, at: usize, state: Option<BatchState>) -> Option<Wish> {
        let can = state.is_some_and(|it| it.waits_for_a_person() || it == BatchState::Resting);
        if !can {
            self.say("this run needs nothing: r is for one that failed, was stopped or rests");
            return None;
        }
        Some(Wish::Retry(at))
    }

    fn next_waiting(&mut self) {
        let (len, from) = (self.rows.len(), self.scroll.cursor);
        let after = (1..=len).map(|step| (from + step) % len);
        let next = after.into_iter().find(|at| self.rows[*at].progress.state.waits_for_a_person());
        match next {
            Some(at) => self.move_by(Motion::To(at + 1)),
            None => self.say("no run waits for you"),
        }
    }
}
