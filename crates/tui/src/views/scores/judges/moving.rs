//! Moving about, what a click selects, and what must stay true after every message.

use ratatui::layout::Rect;

use crate::{
    session::Session,
    views::scores::{Scores, judges::Judges},
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse, NOTCH},
        scroll::{Motion, Scroll},
    },
};

use super::{
    Message, Part, Side,
    areas::{Areas, ID, SUMS},
};

impl Judges {
    fn judge_areas(&self, layout: &Layout) -> Areas {
        Areas::of(layout, self.part, self.side)
    }

    pub(super) fn move_among_judges(
        &mut self,
        session: &mut Session,
        motion: Motion,
        layout: &Layout,
    ) {
        let areas = self.judge_areas(layout);
        match self.part {
            Part::Matrix => {
                let rows = self.judge_rows(session);
                let at = self.rows.cursor;
                let at = motion.from(at, rows.len(), areas.matrix_height());
                self.rows.cursor = at;
                self.component = rows.into_iter().nth(at).map(|row| row.id);
            }
            Part::Pair => {
                let rows = self.differing(session);
                let at = self.differing.cursor;
                let at = motion.from(at, rows.len(), areas.pair_height());
                self.differing.cursor = at;
                if let Some(row) = rows.into_iter().nth(at) {
                    self.component = Some(row.id);
                }
            }
            Part::Both => {
                let side = self.side;
                let len = self.words_of_side(session, side, areas.words_width()).len();
                let height = areas.words_height();
                let top = &mut self.words[side as usize];
                // The rows are read, not chosen: the window moves.
                let mut scroll = Scroll { cursor: *top, top: *top };
                scroll.turn(motion, len, height);
                *top = scroll.top;
            }
        }
    }

    pub(super) fn move_column(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        if self.part == Part::Both {
            self.side = self.side.other();
            return;
        }
        let columns = self.judge_columns(session);
        let now = self.judge_column(session).map(|column| column.file);
        let at = columns.iter().position(|column| Some(&column.file) == now.as_ref());
        let areas = self.judge_areas(layout);
        let seen = areas.columns(columns.len(), self.longest(session, &columns)).seen;
        let at = motion.from(at.unwrap_or(0), columns.len(), seen);
        self.column = columns.into_iter().nth(at).map(|column| column.file);
    }

    /// To the next component on which the two differ, in the order of the list.
    pub(super) fn go_to_difference(&mut self, session: &mut Session, by: isize) {
        let rows = self.differing(session);
        let count = rows.len() as isize;
        if count == 0 {
            session.notice = Some("the two judgements differ nowhere".into());
            return;
        }
        let now = self.component.as_deref();
        let at = rows.iter().position(|row| Some(row.id.as_str()) == now);
        let next = match at {
            Some(at) => (at as isize + by).rem_euclid(count),
            None if by > 0 => 0,
            None => count - 1,
        };
        let words = format!("difference {} of {count}", next + 1);
        self.component = rows.into_iter().nth(next as usize).map(|row| row.id);
        session.notice = Some(words);
    }

    pub(in crate::views::scores) fn settle_judges(
        &mut self,
        session: &mut Session,
        layout: &Layout,
    ) {
        self.measure_pair(session);
        let areas = self.judge_areas(layout);
        let rows = self.judge_rows(session);
        let differing = self.differing(session);
        let columns = self.judge_columns(session);
        let column = self.judge_column(session).map(|column| column.file);
        let sides = Side::ALL.map(|side| self.side_column(session, side).map(|column| column.file));
        let chosen = self.component.clone();
        let at = rows.iter().position(|row| Some(&row.id) == chosen.as_ref());
        let last = self.rows.cursor.min(rows.len().saturating_sub(1));
        self.rows.cursor = at.unwrap_or(last);
        if at.is_none() && self.part == Part::Matrix || chosen.is_none() {
            self.component = rows.get(self.rows.cursor).map(|row| row.id.clone());
        }
        self.rows.follow(rows.len(), areas.matrix_height());
        let at = differing.iter().position(|row| Some(&row.id) == self.component.as_ref());
        self.differing.cursor = at.unwrap_or(self.differing.cursor);
        self.differing.follow(differing.len(), areas.pair_height());
        if let (Part::Pair, Some(row)) = (self.part, differing.get(self.differing.cursor)) {
            self.component = Some(row.id.clone());
        }
        self.column = column;
        let at = columns.iter().position(|it| Some(&it.file) == self.column.as_ref());
        let seen = areas.columns(columns.len(), self.longest(session, &columns)).seen;
        let at = at.unwrap_or(0);
        self.left = self.left.min(at).max((at + 1).saturating_sub(seen));
        self.left = self.left.min(columns.len().saturating_sub(seen));
        let [first, second] = sides.map(Option::unwrap_or_default);
        let words_of = self.component.clone().map(|id| [id, first, second]);
        if self.words_of != words_of {
            self.words_of = words_of;
            self.words = [0, 0];
        }
    }

    fn select_judged(&mut self, session: &mut Session, mouse: Mouse, areas: &Areas) {
        let row_in = |area: Rect, above: u16, top: usize| {
            mouse.row.checked_sub(area.y + 1 + above).map(|row| top + usize::from(row))
        };
        let found = match (self.part, areas.matrix, areas.pair) {
            (Part::Matrix, Some(area), _) => {
                self.select_column(session, mouse, area, areas);
                let at = row_in(area, self.heads(session).len() as u16, self.rows.top);
                at.and_then(|at| self.judge_rows(session).into_iter().nth(at))
            }
            (Part::Pair, _, Some(area)) => {
                let at = row_in(area, SUMS, self.differing.top);
                at.and_then(|at| self.differing(session).into_iter().nth(at))
            }
            _ => None,
        };
        if let Some(row) = found {
            self.component = Some(row.id);
        }
    }

    fn select_column(&mut self, session: &mut Session, mouse: Mouse, area: Rect, areas: &Areas) {
        let columns = self.judge_columns(session);
        let divided = areas.columns(columns.len(), self.longest(session, &columns));
        let first = usize::from(area.x) + 1 + ID + divided.name;
        let at = usize::from(mouse.column).checked_sub(first).map(|cells| cells / divided.column);
        let at = at.filter(|at| *at < divided.seen).map(|at| at + self.left);
        if let Some(column) = at.and_then(|at| columns.into_iter().nth(at)) {
            self.column = Some(column.file);
        }
    }
}

impl Scores {
    pub(in crate::views::scores) fn point_at_judges(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &Layout,
    ) {
        let areas = self.judges.judge_areas(layout);
        let is_in = |area: Option<Rect>| area.is_some_and(|it| mouse.is_in(it));
        let [first, second] = areas.words;
        let part = match () {
            () if is_in(areas.matrix) => Part::Matrix,
            () if is_in(areas.pair) => Part::Pair,
            () if is_in(first) || is_in(second) => Part::Both,
            () => return,
        };
        self.judges.part = part;
        if part == Part::Both {
            self.judges.side = if is_in(first) { Side::First } else { Side::Second };
        }
        let by = if part == Part::Both { NOTCH } else { 1 };
        let message = match mouse.kind {
            Kind::Move | Kind::Release | Kind::Drag => return,
            Kind::WheelUp => Message::Move(Motion::Up(by)),
            Kind::WheelDown => Message::Move(Motion::Down(by)),
            Kind::WheelLeft => Message::Column(Motion::Up(1)),
            Kind::WheelRight => Message::Column(Motion::Down(1)),
            Kind::Click => return self.judges.select_judged(session, mouse, &areas),
            Kind::DoubleClick => {
                self.judges.select_judged(session, mouse, &areas);
                Message::Open
            }
        };
        self.update_judges(session, message, layout);
    }
}
