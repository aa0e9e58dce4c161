//! What a click on the tree selects and the wheel moves.

use ratatui::layout::Position;

use crate::{
    run::rubric_tree::NodeId,
    shell::{mouse::TAB_GAP, replay::Replay},
    widgets::{
        layout::Layout,
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

impl Replay {
    pub(in crate::views::scores) fn point_at_tree(&mut self, mouse: Mouse, layout: &Layout) {
        let at = Position { x: mouse.column, y: mouse.row };
        let areas = Areas::of(layout, self.scores.tree.part);
        if let Some(part) = self.scores.tree.tab_at(&areas, at) {
            if mouse.kind == Kind::Click {
                self.scores.tree.part = part;
            }
            return;
        }
        let Some(part) = areas.part_at(at) else { return };
        let tree = &mut self.scores.tree;
        match (mouse.kind, part) {
            (Kind::WheelUp, Part::List) => {
                tree.scroll.turn(Motion::Up(NOTCH), tree.rows.len(), areas.list_height());
            }
            (Kind::WheelDown, Part::List) => {
                tree.scroll.turn(Motion::Down(NOTCH), tree.rows.len(), areas.list_height());
            }
            (Kind::WheelUp, Part::Detail) => tree.detail.go(Motion::Up(NOTCH), &areas),
            (Kind::WheelDown, Part::Detail) => tree.detail.go(Motion::Down(NOTCH), &areas),
            (Kind::Click, Part::Detail) => tree.part = Part::Detail,
            (Kind::Click, Part::List) => {
                tree.part = Part::List;
                if let Some(row) = tree.row_at(&areas, at) {
                    tree.scroll.cursor = row;
                }
            }
            (Kind::DoubleClick, Part::List) if tree.row_at(&areas, at).is_some() => {
                self.update_tree(Message::Enter, layout);
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
