//! Moving about, what a click selects, and what must stay true after every message.

use ratatui::layout::Rect;

use crate::{
    session::Session,
    views::scores::{ScoresView, judges::JudgesView},
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        scroll::{Motion, Scroll},
    },
};

use super::{
    JudgeSide, JudgesMessage, JudgesPart,
    areas::{ID_CELLS, JudgesAreas, PAIR_SUM_ROWS},
};

impl JudgesView {
    fn judge_areas(&self, layout: &ScreenLayout) -> JudgesAreas {
        JudgesAreas::for_layout(layout, self.part, self.side)
    }

    pub(super) fn move_among_judges(
        &mut self,
        session: &mut Session,
        motion: Motion,
        layout: &ScreenLayout,
    ) {
        let areas = self.judge_areas(layout);
        match self.part {
            JudgesPart::Matrix => {
                let rows = self.judge_rows(session);
                let at = self.rows.cursor;
                let at = motion.target_row(at, rows.len(), areas.matrix_height());
                self.rows.cursor = at;
                self.component = rows.into_iter().nth(at).map(|row| row.id);
            }
            JudgesPart::Pair => {
                let rows = self.differing_rows(session);
                let at = self.differing.cursor;
                let at = motion.target_row(at, rows.len(), areas.pair_height());
                self.differing.cursor = at;
                if let Some(row) = rows.into_iter().nth(at) {
                    self.component = Some(row.id);
                }
            }
            JudgesPart::Both => {
                let side = self.side;
                let len = self.side_verdict_rows(session, side, areas.words_width()).len();
                let height = areas.words_height();
                let top = &mut self.words[side as usize];
                // The rows are read, not chosen: the window moves.
                let mut scroll = Scroll { cursor: *top, top: *top };
                scroll.scroll_by(motion, len, height);
                *top = scroll.top;
            }
        }
    }

    pub(super) fn move_column(
        &mut self,
        session: &mut Session,
        motion: Motion,
        layout: &ScreenLayout,
    ) {
        if self.part == JudgesPart::Both {
            self.side = self.side.other_side();
            return;
        }
        let columns = self.judge_columns(session);
        let now = self.judge_column(session).map(|column| column.file);
        let at = columns.iter().position(|column| Some(&column.file) == now.as_ref());
        let areas = self.judge_areas(layout);
        let seen = areas.matrix_columns(columns.len(), self.longest_names(session, &columns)).seen;
        let at = motion.target_row(at.unwrap_or(0), columns.len(), seen);
        self.column = columns.into_iter().nth(at).map(|column| column.file);
    }

    /// Moves to the next component on which the two differ, in the order of the list.
    pub(super) fn go_to_difference(&mut self, session: &mut Session, by: isize) {
        let rows = self.differing_rows(session);
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
        layout: &ScreenLayout,
    ) {
        self.measure_pair(session);
        let areas = self.judge_areas(layout);
        let rows = self.judge_rows(session);
        let differing = self.differing_rows(session);
        let columns = self.judge_columns(session);
        let column = self.judge_column(session).map(|column| column.file);
        let sides =
            JudgeSide::ALL.map(|side| self.side_column(session, side).map(|column| column.file));
        let chosen = self.component.clone();
        let at = rows.iter().position(|row| Some(&row.id) == chosen.as_ref());
        let last = self.rows.cursor.min(rows.len().saturating_sub(1));
        self.rows.cursor = at.unwrap_or(last);
        if at.is_none() && self.part == JudgesPart::Matrix || chosen.is_none() {
            self.component = rows.get(self.rows.cursor).map(|row| row.id.clone());
        }
        self.rows.follow_cursor(rows.len(), areas.matrix_height());
        let at = differing.iter().position(|row| Some(&row.id) == self.component.as_ref());
        self.differing.cursor = at.unwrap_or(self.differing.cursor);
        self.differing.follow_cursor(differing.len(), areas.pair_height());
        if let (JudgesPart::Pair, Some(row)) = (self.part, differing.get(self.differing.cursor)) {
            self.component = Some(row.id.clone());
        }
        self.column = column;
        let at = columns.iter().position(|it| Some(&it.file) == self.column.as_ref());
        let seen = areas.matrix_columns(columns.len(), self.longest_names(session, &columns)).seen;
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

    fn select_judged(&mut self, session: &mut Session, mouse: Mouse, areas: &JudgesAreas) {
        let row_in = |area: Rect, above: u16, top: usize| {
            mouse.row.checked_sub(area.y + 1 + above).map(|row| top + usize::from(row))
        };
        let found = match (self.part, areas.matrix, areas.pair) {
            (JudgesPart::Matrix, Some(area), _) => {
                self.select_column(session, mouse, area, areas);
                let at = row_in(area, self.matrix_heads(session).len() as u16, self.rows.top);
                at.and_then(|at| self.judge_rows(session).into_iter().nth(at))
            }
            (JudgesPart::Pair, _, Some(area)) => {
                let at = row_in(area, PAIR_SUM_ROWS, self.differing.top);
                at.and_then(|at| self.differing_rows(session).into_iter().nth(at))
            }
            _ => None,
        };
        if let Some(row) = found {
            self.component = Some(row.id);
        }
    }

    fn select_column(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        area: Rect,
        areas: &JudgesAreas,
    ) {
        let columns = self.judge_columns(session);
        let divided = areas.matrix_columns(columns.len(), self.longest_names(session, &columns));
        let first = usize::from(area.x) + 1 + ID_CELLS + divided.name;
        let at = usize::from(mouse.column).checked_sub(first).map(|cells| cells / divided.column);
        let at = at.filter(|at| *at < divided.seen).map(|at| at + self.left);
        if let Some(column) = at.and_then(|at| columns.into_iter().nth(at)) {
            self.column = Some(column.file);
        }
    }
}

impl ScoresView {
    pub(in crate::views::scores) fn point_at_judges(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) {
        let areas = self.judges.judge_areas(layout);
        let is_in = |area: Option<Rect>| area.is_some_and(|it| mouse.is_in(it));
        let [first, second] = areas.words;
        let part = match () {
            () if is_in(areas.matrix) => JudgesPart::Matrix,
            () if is_in(areas.pair) => JudgesPart::Pair,
            () if is_in(first) || is_in(second) => JudgesPart::Both,
            () => return,
        };
        self.judges.part = part;
        if part == JudgesPart::Both {
            self.judges.side = if is_in(first) { JudgeSide::First } else { JudgeSide::Second };
        }
        let by = if part == JudgesPart::Both { ROWS_PER_WHEEL_NOTCH } else { 1 };
        let message = match mouse.kind {
            MouseKind::Move | MouseKind::Release | MouseKind::Drag => return,
            MouseKind::WheelUp => JudgesMessage::Move(Motion::Up(by)),
            MouseKind::WheelDown => JudgesMessage::Move(Motion::Down(by)),
            MouseKind::WheelLeft => JudgesMessage::Column(Motion::Up(1)),
            MouseKind::WheelRight => JudgesMessage::Column(Motion::Down(1)),
            MouseKind::Click => return self.judges.select_judged(session, mouse, &areas),
            MouseKind::DoubleClick => {
                self.judges.select_judged(session, mouse, &areas);
                JudgesMessage::Open
            }
        };
        self.update_judges(session, message, layout);
    }
}
