//! What a click on the tree selects and the wheel moves.

use ratatui::layout::Position;

use crate::{
    run::rubric_tree::NodeId,
    session::Session,
    widgets::{
        layout::{Layout, TAB_GAP},
        mouse::{Kind, Mouse},
        scroll::Motion,
    },
};

use super::{Message, Part, Tree, areas::Areas};

/// Rows that a notch of the wheel moves by.
const NOTCH: usize = 3;

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

    fn tab_at(&self, areas: &Areas, at: Position) -> Option<Part> {
        let tabs = areas.tabs.filter(|tabs| tabs.contains(at))?;
        let mut start = tabs.x + TAB_GAP;
        [Part::List, Part::Detail].into_iter().find(|part| {
            let end = start + self.tab(*part).chars().count() as u16;
            let is_here = (start..end).contains(&at.x);
            start = end + TAB_GAP;
            is_here
        })
    }
}

impl Tree {
    pub(in crate::views::scores) fn point_at_tree(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &Layout,
    ) {
        let at = Position { x: mouse.column, y: mouse.row };
        let areas = Areas::of(layout, self.part);
        if let Some(part) = self.tab_at(&areas, at) {
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
        let row = self.scroll.top + usize::from(at.y - area.y);
        (row < self.rows.len()).then_some(row)
    }
}
