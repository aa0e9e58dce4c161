//! What a click on the tree selects and the wheel moves.

use ratatui::layout::{Position, Rect};

use crate::{
    session::Session,
    widgets::{
        layout::Layout,
        line::safe,
        mouse::{Kind, Mouse, NOTCH},
        scroll::Motion,
        text,
    },
};
use trajview_run::{label, rubric_tree::NodeId};

use super::{
    Message, Order, Part, Tree,
    areas::{Areas, Columns, FOLD},
};

/// Cells that a level of the tree moves its words to the right by, up to so many levels.
pub const INDENT: usize = 2;
pub const MOST_INDENTED: usize = 12;

impl Tree {
    /// The names of the parts, as a row of tabs shows them.
    pub fn tab(&self, part: Part) -> String {
        match part {
            Part::List => format!(" tree {} ", self.rows.len()),
            Part::Detail => {
                let path = self.selected().zip(self.shown()).map(|(id, tree)| tree.path(id));
                path.map_or_else(|| " node ".into(), |path| format!(" node {path} "))
            }
        }
    }

    /// Cells before a node's words.
    pub fn indent(&self, id: NodeId) -> usize {
        let depth =
            self.shown().and_then(|tree| tree.node(id)).map_or(0, |node| usize::from(node.depth));
        depth.min(MOST_INDENTED) * INDENT
    }

    fn tab_at(&self, areas: &Areas, mouse: Mouse) -> Option<Part> {
        let parts = [Part::List, Part::Detail];
        let widths = parts.map(|part| self.tab(part).chars().count());
        Some(parts[mouse.tab(areas.tabs?, widths)?])
    }
}

impl Tree {
    pub(in crate::views::scores) fn point_at_tree(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &Layout,
    ) {
        let at = mouse.at();
        let areas = Areas::of(layout, self.part);
        if let Some(part) = self.tab_at(&areas, mouse) {
            if mouse.kind == Kind::Click {
                self.part = part;
            }
            return;
        }
        let Some(part) = areas.part_at(at) else { return };
        match (mouse.kind, part) {
            (Kind::WheelUp, Part::List) => {
                self.scroll.turn(Motion::Up(NOTCH), self.rows.len(), areas.list_height());
            }
            (Kind::WheelDown, Part::List) => {
                self.scroll.turn(Motion::Down(NOTCH), self.rows.len(), areas.list_height());
            }
            (Kind::WheelUp, Part::Detail) => self.detail.go(Motion::Up(NOTCH), &areas),
            (Kind::WheelDown, Part::Detail) => self.detail.go(Motion::Down(NOTCH), &areas),
            (Kind::Click, Part::Detail) => self.part = Part::Detail,
            (Kind::Click, Part::List) => {
                self.part = Part::List;
                if let Some(row) = self.row_at(&areas, at) {
                    self.scroll.cursor = row;
                }
            }
            (Kind::DoubleClick, Part::List) if self.row_at(&areas, at).is_some() => {
                self.update_tree(session, Message::Enter, layout);
            }
            _ => {}
        }
    }
}

impl Tree {
    /// Which of the rows is at a place of the screen.
    fn row_at(&self, areas: &Areas, at: Position) -> Option<usize> {
        let area = areas.list_rows().filter(|area| area.contains(at))?;
        let mut below = usize::from(at.y - area.y);
        let heights = self.heights(area);
        let seen = heights.iter().enumerate().skip(self.scroll.top);
        for (row, height) in seen {
            match below.checked_sub(*height) {
                Some(rest) => below = rest,
                None => return Some(row),
            }
        }
        None
    }

    /// Lines that each row has: two for a long requirement where all rows fit so.
    pub fn heights(&self, area: Rect) -> Vec<usize> {
        let single = vec![1; self.rows.len()];
        if self.order == Order::Loss || self.rows.len() > usize::from(area.height) {
            return single;
        }
        let Some(tree) = self.shown() else { return single };
        let lines = |id: &NodeId| {
            let room = self.words_room(*id, usize::from(area.width));
            let words = tree.node(*id).map(|node| label(&node.requirements)).unwrap_or_default();
            1 + usize::from(text::width(&safe(&words)) > room)
        };
        let heights: Vec<usize> = self.rows.iter().map(lines).collect();
        if heights.iter().sum::<usize>() > usize::from(area.height) { single } else { heights }
    }

    /// Cells that the words of a node have in a list so wide.
    pub fn words_room(&self, id: NodeId, width: usize) -> usize {
        width.saturating_sub(Columns::of(width).before() + self.indent(id) + FOLD)
    }
}
