//! The runs of a batch while they are made: how far each is, what it took, what waits for a person. What a key wants is a
//! [`BatchRequest`]; whoever makes the runs carries it out.

mod draw;
#[cfg(test)]
mod tests;

use ratatui::layout::{Position, Rect, Size};

use crate::widgets::{
    key::{BaseKey, Key},
    pane::{ListPane, PaneRoom},
    scroll::Motion,
};
use trajview_run::batch::{BatchRow, BatchState};

pub use draw::draw_batch;

/// A request of the user to the batch. Runs are given by their index among the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchRequest {
    Pause,
    GoOn,
    Stop(usize),
    Retry(usize),
    /// The run is shown as it is made.
    Watch(usize),
    Quit,
}

/// The table of a batch, with the cursor.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchTable {
    /// The folder of the runs.
    pub place: String,
    pub rows: Vec<BatchRow>,
    list: ListPane,
    is_paused: bool,
    /// True after a key asked to leave while runs were still being made.
    asks_to_leave: bool,
    /// The last notice, as a sentence.
    notice: Option<String>,
}

/// Keys and what they do, as the last line shows them.
pub(crate) const BATCH_KEYS: [(&str, &str); 6] = [
    ("enter", "watch"),
    ("space", "pause"),
    ("X", "stop"),
    ("r", "try again"),
    ("n", "next that needs you"),
    ("q", "quit"),
];

impl BatchTable {
    pub fn new(place: String, rows: Vec<BatchRow>) -> Self {
        Self { place, rows, ..Self::default() }
    }

    /// Takes the size of the screen.
    pub fn set_size(&mut self, size: Size) {
        let list = draw::list_area(Rect::from((Position::ORIGIN, size)));
        self.list.settle(PaneRoom::without_border(list), self.rows.len());
    }

    pub fn set_rows(&mut self, rows: Vec<BatchRow>) {
        self.rows = rows;
        self.list.settle_rows(self.rows.len());
    }

    pub fn set_notice(&mut self, sentence: impl Into<String>) {
        self.notice = Some(sentence.into());
    }

    /// Returns the run at the cursor.
    pub fn chosen_row(&self) -> Option<&BatchRow> {
        self.rows.get(self.list.cursor())
    }

    fn move_by(&mut self, motion: Motion) {
        self.list.move_cursor(motion);
        self.list.settle_rows(self.rows.len());
    }

    fn count_in_state(&self, state: BatchState) -> usize {
        self.rows.iter().filter(|row| row.progress.state == state).count()
    }

    /// Returns true if leaving would stop work in progress.
    fn is_at_work(&self) -> bool {
        self.count_in_state(BatchState::Running) + self.count_in_state(BatchState::Judging) > 0
    }

    /// Takes a key, and gives what it wants of the batch.
    pub fn handle_key(&mut self, key: Key) -> Option<BatchRequest> {
        let asked_to_leave = std::mem::take(&mut self.asks_to_leave);
        self.notice = None;
        let motion = match (key.code, key.ctrl) {
            (BaseKey::Down | BaseKey::Char('j'), false) => Motion::Down(1),
            (BaseKey::Up | BaseKey::Char('k'), false) => Motion::Up(1),
            (BaseKey::PageDown, _) | (BaseKey::Char('f'), true) => Motion::PageDown,
            (BaseKey::PageUp, _) | (BaseKey::Char('b'), true) => Motion::PageUp,
            (BaseKey::Home | BaseKey::Char('g'), false) => Motion::Start,
            (BaseKey::End | BaseKey::Char('G'), false) => Motion::End,
            _ => return self.request_for_key(key, asked_to_leave),
        };
        self.move_by(motion);
        None
    }

    fn request_for_key(&mut self, key: Key, asked: bool) -> Option<BatchRequest> {
        let at = self.list.cursor();
        let state = self.chosen_row().map(|row| row.progress.state);
        match (key.code, key.ctrl) {
            (BaseKey::Enter, _) => self.request_to_watch(at),
            (BaseKey::Char(' '), false) => {
                self.is_paused = !self.is_paused;
                Some(if self.is_paused { BatchRequest::Pause } else { BatchRequest::GoOn })
            }
            (BaseKey::Char('X'), false) if state.is_some_and(|it| !it.is_settled()) => {
                if state == Some(BatchState::Elsewhere) {
                    self.set_notice("another process runs it; stop it there");
                    return None;
                }
                self.set_notice("stopping; r resumes it");
                Some(BatchRequest::Stop(at))
            }
            (BaseKey::Char('X'), false) => {
                self.set_notice("this run is not active");
                None
            }
            (BaseKey::Char('r'), false) => self.request_to_retry(at, state),
            (BaseKey::Char('n'), false) => {
                self.next_waiting();
                None
            }
            (BaseKey::Char('q'), false) | (BaseKey::Char('c'), true) => {
                if asked || !self.is_at_work() {
                    self.set_notice("stopping the runs…");
                    return Some(BatchRequest::Quit);
                }
                self.asks_to_leave = true;
                let running = self.count_in_state(BatchState::Running)
                    + self.count_in_state(BatchState::Judging);
                let runs = trajview_run::format_number::count_with_noun(running, "run");
                self.set_notice(format!("q again stops {runs}; the same command resumes them"));
                None
            }
            _ => None,
        }
    }

    fn request_to_watch(&mut self, at: usize) -> Option<BatchRequest> {
        let row = self.chosen_row()?;
        if row.progress.turns == 0 && row.progress.state == BatchState::Waiting {
            self.set_notice("not started yet");
            return None;
        }
        Some(BatchRequest::Watch(at))
    }

    fn request_to_retry(&mut self, at: usize, state: Option<BatchState>) -> Option<BatchRequest> {
        let can = state.is_some_and(|it| it.waits_for_a_person() || it == BatchState::Resting);
        if !can {
            self.set_notice("r retries only runs that failed, were stopped or are paused");
            return None;
        }
        Some(BatchRequest::Retry(at))
    }

    fn next_waiting(&mut self) {
        let (len, from) = (self.rows.len(), self.list.cursor());
        let after = (1..=len).map(|step| (from + step) % len);
        let next = after.into_iter().find(|at| self.rows[*at].progress.state.waits_for_a_person());
        match next {
            Some(at) => self.move_by(Motion::To(at + 1)),
            None => self.set_notice("no run needs you"),
        }
    }
}
