//! The request of the turn in full, above its diff: its rows, the row at the cursor, a search hit in it.
//!
//! What a layer added before the request comes first. The panel is as high as its text, up to a part of the screen, and
//! scrolls beyond that.

use std::ops::Range;

use crate::{
    session::Session,
    views::replay::{
        ReplayView,
        steps::{IMAGE_SIGN, RequestedImages},
    },
    widgets::{
        layout::ReplayPanel,
        pane::{ListPane, PaneRoom},
        wrap::{line_ranges, wrap_text},
    },
};

/// Cells beside the words of a row: the mark of the cursor and a blank at the right.
const SIDE_CELLS: usize = 2;

#[derive(Debug, Default)]
pub struct RequestPanel {
    pub list: ListPane,
    rows: Vec<RequestRow>,
    /// The turn and the width of the rows, and whether the request was read when they were cut.
    cut_for: Option<(usize, usize, bool)>,
    /// The line and byte of a search hit to go to once the request is read.
    target: Option<(usize, usize)>,
}

/// The parts of the text, in the order of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPart {
    /// What a layer added before the request.
    Layer,
    Request,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestRow {
    /// The name of the part that follows.
    Heading(&'static str),
    /// The bytes of the part's text; `line` counts from 0.
    Text { part: RequestPart, line: usize, range: Range<usize> },
    /// Why the request cannot be shown.
    Failed(String),
}

impl RequestPanel {
    /// Brings the rows in step with the turn and the width, and the cursor into view.
    pub(crate) fn settle_rows(&mut self, session: &Session, room: PaneRoom) {
        let (turn, is_read) = (session.turn, session.requests.text_of(session.turn).is_some());
        let key = (turn, room.width(), is_read);
        if self.cut_for != Some(key) {
            let is_same_turn = self.cut_for.is_some_and(|(before, ..)| before == turn);
            if !is_same_turn {
                self.list.restart();
            }
            self.rows = request_rows(session, turn, room.width()).collect();
            self.cut_for = Some(key);
        }
        if let Some((line, byte)) = self.target.take_if(|_| is_read) {
            self.go_to_byte(session, line, byte);
        }
        self.list.settle(room, self.rows.len());
    }

    /// Goes to a byte of a line of the request as soon as it is read.
    pub(crate) const fn aim_at(&mut self, line: usize, byte: usize) {
        self.target = Some((line, byte));
    }

    fn go_to_byte(&mut self, session: &Session, line: usize, byte: usize) {
        let Some(words) = part_words(session, session.turn, RequestPart::Request) else { return };
        let Some(start) = line_ranges(words).nth(line).map(|it| it.start) else { return };
        let is_before = |row: &RequestRow| match row {
            RequestRow::Text { part: RequestPart::Request, line: at, range } => {
                *at == line && range.start <= start + byte
            }
            _ => false,
        };
        self.list.choose(self.rows.iter().rposition(is_before).unwrap_or_default());
    }

    pub(crate) fn row_at(&self, index: usize) -> Option<&RequestRow> {
        self.rows.get(index)
    }

    /// Returns the whole line at the cursor.
    pub(crate) fn line_at_cursor<'s>(&self, session: &'s Session) -> Option<&'s str> {
        let RequestRow::Text { part, line, .. } = self.row_at(self.list.cursor())? else {
            return None;
        };
        part_words(session, session.turn, *part)?.lines().nth(*line)
    }
}

impl ReplayView {
    /// Opens the image at the cursor of the request; elsewhere gives the diff the keyboard.
    pub(super) fn open_in_request(&mut self, session: &Session) {
        let line = self.request.line_at_cursor(session);
        if !line.is_some_and(|line| line.starts_with(IMAGE_SIGN)) {
            self.focus = ReplayPanel::Diff;
            return;
        }
        let Some(RequestRow::Text { line, .. }) = self.request.row_at(self.request.list.cursor())
        else {
            return;
        };
        let words = part_words(session, session.turn, RequestPart::Request).unwrap_or_default();
        let before = words.lines().take(*line).filter(|line| line.starts_with(IMAGE_SIGN));
        let first = before.count();
        self.steps.images.requested =
            Some(RequestedImages { turn: session.turn, step: None, first });
    }

    /// Returns the rows that the request of the turn takes between borders so many cells apart, at most `most`.
    pub(crate) fn request_height(&self, session: &Session, width: usize, most: usize) -> usize {
        request_rows(session, session.turn, width).take(most).count()
    }
}

/// Returns the words of a part of a turn's request.
pub(crate) fn part_words(session: &Session, turn: usize, part: RequestPart) -> Option<&str> {
    match part {
        RequestPart::Layer => session.run.turns.get(turn)?.layer.as_deref().map(str::trim_end),
        RequestPart::Request => session.request_words(turn)?.ok(),
    }
}

/// Returns the rows of a turn's request, its layer first, within `width` cells.
fn request_rows(session: &Session, turn: usize, width: usize) -> impl Iterator<Item = RequestRow> {
    let width = width.saturating_sub(SIDE_CELLS).max(1);
    let layer = part_words(session, turn, RequestPart::Layer);
    let asked = part_words(session, turn, RequestPart::Request);
    let heading = |words| layer.map(|_| RequestRow::Heading(words)).into_iter();
    let failed = session.request_words(turn).and_then(Result::err);
    heading("before the request")
        .chain(part_rows(RequestPart::Layer, layer.unwrap_or_default(), width))
        .chain(heading("request"))
        .chain(part_rows(RequestPart::Request, asked.unwrap_or_default(), width))
        .chain(failed.map(|why| RequestRow::Failed(why.to_owned())))
}

/// Returns the rows of a part, cut as they are asked for: while the layout is worked out only those that fit are wanted.
fn part_rows(part: RequestPart, words: &str, width: usize) -> impl Iterator<Item = RequestRow> {
    wrap_text(words, width).map(move |(line, range)| RequestRow::Text { part, line, range })
}
