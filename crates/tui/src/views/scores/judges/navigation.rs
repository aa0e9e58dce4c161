//! Moving about, what a click selects, and what must stay true after every message.

use ratatui::layout::Rect;

use crate::{
    session::Session,
    views::scores::{ScoresView, judges::JudgesView},
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        pane::{PaneRoom, TextPane},
        scroll::Motion,
    },
};

use super::{
    JudgeSide, JudgesMessage, JudgesPart,
    areas::{ID_CELLS, JudgesAreas, MATRIX_FOOT_ROWS, MATRIX_HEAD_ROWS, PAIR_SUM_ROWS},
};

impl JudgesView {
    fn judge_areas(&self, layout: &ScreenLayout) -> JudgesAreas {
        JudgesAreas::for_layout(layout, self.part, self.side)
    }

    pub(super) fn move_among_judges(&mut self, session: &Session, motion: Motion) {
        match self.part {
            JudgesPart::Matrix => {
                self.rows.move_cursor(motion);
                let row = self.judge_rows(session).into_iter().nth(self.rows.cursor());
                self.component = row.map(|row| row.id);
            }
            JudgesPart::Pair => {
                self.differing.move_cursor(motion);
                let row = self.differing_rows(session).into_iter().nth(self.differing.cursor());
                self.component = row.map(|row| row.id).or(self.component.take());
            }
            JudgesPart::Both => self.words[self.side as usize].scroll_by(motion),
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
            session.notice = Some("the two judgements agree everywhere".into());
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
        let last = self.rows.cursor().min(rows.len().saturating_sub(1));
        self.rows.choose(at.unwrap_or(last));
        if at.is_none() && self.part == JudgesPart::Matrix || chosen.is_none() {
            self.component = rows.get(self.rows.cursor()).map(|row| row.id.clone());
        }
        // The heads are followed by the rows even where some of them are not shown.
        let heads = self.matrix_heads(session).len() as u16;
        let below = MATRIX_HEAD_ROWS - heads + MATRIX_FOOT_ROWS;
        self.rows.settle(PaneRoom::framed(areas.matrix).with_fixed_rows(heads, below), rows.len());
        let at = differing.iter().position(|row| Some(&row.id) == self.component.as_ref());
        self.differing.choose(at.unwrap_or(self.differing.cursor()));
        let room = PaneRoom::framed(areas.pair).with_fixed_rows(PAIR_SUM_ROWS, 0);
        self.differing.settle(room, differing.len());
        if let (JudgesPart::Pair, Some(row)) = (self.part, differing.get(self.differing.cursor())) {
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
            self.words.iter_mut().for_each(TextPane::restart);
        }
        for side in JudgeSide::ALL {
            let area = areas.words[side as usize];
            let width = area.map_or(0, |area| usize::from(area.width.saturating_sub(2)));
            // A hidden side stays where it is.
            let len =
                area.map_or(usize::MAX, |_| self.side_verdict_rows(session, side, width).len());
            self.words[side as usize].settle(PaneRoom::framed(area), len);
        }
    }

    fn select_judged(&mut self, session: &mut Session, mouse: Mouse, areas: &JudgesAreas) {
        let found = match (self.part, areas.matrix) {
            (JudgesPart::Matrix, Some(area)) => {
                self.select_column(session, mouse, area, areas);
                let at = self.rows.row_at(mouse);
                at.and_then(|at| self.judge_rows(session).into_iter().nth(at))
            }
            (JudgesPart::Pair, _) => {
                let at = self.differing.row_at(mouse);
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
        let judges = &mut self.judges;
        let [first, second] = judges.words.map(|words| words.has_mouse(mouse));
        let part = match () {
            () if judges.rows.has_mouse(mouse) => JudgesPart::Matrix,
            () if judges.differing.has_mouse(mouse) => JudgesPart::Pair,
            () if first || second => JudgesPart::Both,
            () => return,
        };
        judges.part = part;
        if part == JudgesPart::Both {
            judges.side = if first { JudgeSide::First } else { JudgeSide::Second };
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
