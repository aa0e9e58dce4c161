//! Moving about, what a click selects, and what must stay true after every message.

use ratatui::layout::{Position, Rect};

use crate::{
    shell::replay::Replay,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse},
        scroll::{Motion, Scroll},
    },
};

use super::{
    Message, Part, Side,
    areas::{Areas, COLUMN, HEADS, ID, SUMS},
};

/// Rows that one notch of the wheel moves by.
const NOTCH: usize = 3;

impl Replay {
    fn judge_areas(&self, layout: &Layout) -> Areas {
        let judges = &self.scores.judges;
        Areas::of(layout, judges.part, judges.side)
    }

    pub(super) fn move_among_judges(&mut self, motion: Motion, layout: &Layout) {
        let areas = self.judge_areas(layout);
        match self.scores.judges.part {
            Part::Matrix => {
                let rows = self.judge_rows();
                let at = self.scores.judges.rows.cursor;
                let at = motion.from(at, rows.len(), areas.matrix_height());
                self.scores.judges.rows.cursor = at;
                self.scores.judges.component = rows.into_iter().nth(at).map(|row| row.id);
            }
            Part::Pair => {
                let rows = self.differing();
                let at = self.scores.judges.differing.cursor;
                let at = motion.from(at, rows.len(), areas.pair_height());
                self.scores.judges.differing.cursor = at;
                if let Some(row) = rows.into_iter().nth(at) {
                    self.scores.judges.component = Some(row.id);
                }
            }
            Part::Both => {
                let side = self.scores.judges.side;
                let len = self.words_of_side(side, areas.words_width()).len();
                let height = areas.words_height();
                let top = &mut self.scores.judges.words[side as usize];
                // The rows are read, not chosen: the window moves.
                let mut scroll = Scroll { cursor: *top, top: *top };
                scroll.turn(motion, len, height);
                *top = scroll.top;
            }
        }
    }

    pub(super) fn move_column(&mut self, motion: Motion, layout: &Layout) {
        if self.scores.judges.part == Part::Both {
            self.scores.judges.side = self.scores.judges.side.other();
            return;
        }
        let columns = self.judge_columns();
        let now = self.judge_column().map(|column| column.file);
        let at = columns.iter().position(|column| Some(&column.file) == now.as_ref());
        let (seen, _) = self.judge_areas(layout).columns(columns.len());
        let at = motion.from(at.unwrap_or(0), columns.len(), seen);
        self.scores.judges.column = columns.into_iter().nth(at).map(|column| column.file);
    }

    /// To the next component on which the two differ, in the order of the list.
    pub(super) fn go_to_difference(&mut self, by: isize) {
        let rows = self.differing();
        let count = rows.len() as isize;
        if count == 0 {
            self.session.notice = Some("the two judgements differ nowhere".into());
            return;
        }
        let now = self.scores.judges.component.as_deref();
        let at = rows.iter().position(|row| Some(row.id.as_str()) == now);
        let next = match at {
            Some(at) => (at as isize + by).rem_euclid(count),
            None if by > 0 => 0,
            None => count - 1,
        };
        let words = format!("difference {} of {count}", next + 1);
        self.scores.judges.component = rows.into_iter().nth(next as usize).map(|row| row.id);
        self.session.notice = Some(words);
    }

    pub(in crate::views::scores) fn settle_judges(&mut self, layout: &Layout) {
        self.measure_pair();
        let areas = self.judge_areas(layout);
        let rows = self.judge_rows();
        let differing = self.differing();
        let columns = self.judge_columns();
        let column = self.judge_column().map(|column| column.file);
        let sides = Side::ALL.map(|side| self.side_column(side).map(|column| column.file));
        let judges = &mut self.scores.judges;
        let chosen = judges.component.clone();
        let at = rows.iter().position(|row| Some(&row.id) == chosen.as_ref());
        let last = judges.rows.cursor.min(rows.len().saturating_sub(1));
        judges.rows.cursor = at.unwrap_or(last);
        if at.is_none() && judges.part == Part::Matrix || chosen.is_none() {
            judges.component = rows.get(judges.rows.cursor).map(|row| row.id.clone());
        }
        judges.rows.follow(rows.len(), areas.matrix_height());
        let at = differing.iter().position(|row| Some(&row.id) == judges.component.as_ref());
        judges.differing.cursor = at.unwrap_or(judges.differing.cursor);
        judges.differing.follow(differing.len(), areas.pair_height());
        if let (Part::Pair, Some(row)) = (judges.part, differing.get(judges.differing.cursor)) {
            judges.component = Some(row.id.clone());
        }
        judges.column = column;
        let at = columns.iter().position(|it| Some(&it.file) == judges.column.as_ref());
        let (seen, _) = areas.columns(columns.len());
        let at = at.unwrap_or(0);
        judges.left = judges.left.min(at).max((at + 1).saturating_sub(seen));
        judges.left = judges.left.min(columns.len().saturating_sub(seen));
        let [first, second] = sides.map(Option::unwrap_or_default);
        let words_of = judges.component.clone().map(|id| [id, first, second]);
        if judges.words_of != words_of {
            judges.words_of = words_of;
            judges.words = [0, 0];
        }
    }

    pub(in crate::views::scores) fn point_at_judges(&mut self, mouse: Mouse, layout: &Layout) {
        let areas = self.judge_areas(layout);
        let is_in = |area: Option<Rect>| {
            area.is_some_and(|it| it.contains(Position { x: mouse.column, y: mouse.row }))
        };
        let [first, second] = areas.words;
        let part = match () {
            () if is_in(areas.matrix) => Part::Matrix,
            () if is_in(areas.pair) => Part::Pair,
            () if is_in(first) || is_in(second) => Part::Both,
            () => return,
        };
        self.scores.judges.part = part;
        if part == Part::Both {
            self.scores.judges.side = if is_in(first) { Side::First } else { Side::Second };
        }
        let by = if part == Part::Both { NOTCH } else { 1 };
        let message = match mouse.kind {
            Kind::Move | Kind::Release | Kind::Drag => return,
            Kind::WheelUp => Message::Move(Motion::Up(by)),
            Kind::WheelDown => Message::Move(Motion::Down(by)),
            Kind::WheelLeft => Message::Column(Motion::Up(1)),
            Kind::WheelRight => Message::Column(Motion::Down(1)),
            Kind::Click => return self.select_judged(mouse, &areas),
            Kind::DoubleClick => {
                self.select_judged(mouse, &areas);
                Message::Open
            }
        };
        self.update_judges(message, layout);
    }

    fn select_judged(&mut self, mouse: Mouse, areas: &Areas) {
        let row_in = |area: Rect, above: u16, top: usize| {
            mouse.row.checked_sub(area.y + 1 + above).map(|row| top + usize::from(row))
        };
        let found = match (self.scores.judges.part, areas.matrix, areas.pair) {
            (Part::Matrix, Some(area), _) => {
                self.select_column(mouse, area, areas);
                let at = row_in(area, HEADS, self.scores.judges.rows.top);
                at.and_then(|at| self.judge_rows().into_iter().nth(at))
            }
            (Part::Pair, _, Some(area)) => {
                let at = row_in(area, SUMS, self.scores.judges.differing.top);
                at.and_then(|at| self.differing().into_iter().nth(at))
            }
            _ => None,
        };
        if let Some(row) = found {
            self.scores.judges.component = Some(row.id);
        }
    }

    fn select_column(&mut self, mouse: Mouse, area: Rect, areas: &Areas) {
        let columns = self.judge_columns();
        let (seen, name) = areas.columns(columns.len());
        let first = usize::from(area.x) + 1 + ID + name;
        let at = usize::from(mouse.column).checked_sub(first).map(|cells| cells / COLUMN);
        let at = at.filter(|at| *at < seen).map(|at| at + self.scores.judges.left);
        if let Some(column) = at.and_then(|at| columns.into_iter().nth(at)) {
            self.scores.judges.column = Some(column.file);
        }
    }
}
