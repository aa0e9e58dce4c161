//! Handles clicks and the wheel on the tree.

use ratatui::layout::{Position, Rect};

use crate::{
    session::Session,
    widgets::{
        layout::ScreenLayout,
        line::safe_string,
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        text,
    },
};
use trajview_run::{first_line_label, rubric_tree::NodeId};

use super::{
    NodeOrder, TreeMessage, TreePart, TreeView,
    areas::{FOLD_CELLS, TreeAreas, TreeColumns},
};

/// Cells that a level of the tree moves its words to the right by, up to so many levels.
pub(crate) const INDENT_CELLS: usize = 2;
pub(crate) const MOST_INDENT_LEVELS: usize = 12;

impl TreeView {
    /// Returns the names of the parts, as a row of tabs shows them.
    pub fn tab_title(&self, part: TreePart) -> String {
        match part {
            TreePart::List => format!(" tree {} ", self.rows.len()),
            TreePart::Detail => {
                let path = self
                    .selected_node()
                    .zip(self.shown_tree())
                    .map(|(id, tree)| tree.node_path(id));
                path.map_or_else(|| " node ".into(), |path| format!(" node {path} "))
            }
        }
    }

    /// Returns the cells by which a node's fold mark is moved to the right.
    pub(crate) fn node_indent(&self, id: NodeId) -> usize {
        let depth = self
            .shown_tree()
            .and_then(|tree| tree.node(id))
            .map_or(0, |node| usize::from(node.depth));
        depth.min(MOST_INDENT_LEVELS) * INDENT_CELLS
    }

    fn tab_at(&self, areas: &TreeAreas, mouse: Mouse) -> Option<TreePart> {
        let parts = [TreePart::List, TreePart::Detail];
        let widths = parts.map(|part| self.tab_title(part).chars().count());
        Some(parts[mouse.tab_at(areas.tabs?, widths)?])
    }
}

impl TreeView {
    pub(in crate::views::scores) fn point_at_tree(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) {
        let areas = TreeAreas::for_layout(layout, self.part);
        if let Some(part) = self.tab_at(&areas, mouse) {
            if mouse.kind == MouseKind::Click {
                self.part = part;
            }
            return;
        }
        let wheel = mouse.wheel_motion(ROWS_PER_WHEEL_NOTCH);
        if self.detail.pane.has_mouse(mouse) {
            match (wheel, mouse.kind) {
                (Some(motion), _) => self.detail.pane.scroll_by(motion),
                (None, MouseKind::Click) => self.part = TreePart::Detail,
                _ => {}
            }
        }
        if !self.list.has_mouse(mouse) {
            return;
        }
        let row = self.row_at(&areas, mouse.position());
        match (wheel, mouse.kind) {
            (Some(motion), _) => self.list.scroll_by(motion),
            (None, MouseKind::Click) => {
                self.part = TreePart::List;
                self.list.choose(row.unwrap_or(self.list.cursor()));
            }
            (None, MouseKind::DoubleClick) if row.is_some() => {
                self.update_tree(session, TreeMessage::Enter, layout);
            }
            _ => {}
        }
    }
}

impl TreeView {
    /// Returns the index of the row at a place of the screen.
    fn row_at(&self, areas: &TreeAreas, at: Position) -> Option<usize> {
        let area = areas.list_rows().filter(|area| area.contains(at))?;
        let mut below = usize::from(at.y - area.y);
        let heights = self.row_heights(area);
        let seen = heights.iter().enumerate().skip(self.list.top());
        for (row, height) in seen {
            match below.checked_sub(*height) {
                Some(rest) => below = rest,
                None => return Some(row),
            }
        }
        None
    }

    /// Returns the number of lines that each row has: two for a long requirement where all rows fit so.
    pub(crate) fn row_heights(&self, area: Rect) -> Vec<usize> {
        let single = vec![1; self.rows.len()];
        if self.order == NodeOrder::Loss || self.rows.len() > usize::from(area.height) {
            return single;
        }
        let Some(tree) = self.shown_tree() else { return single };
        let lines = |id: &NodeId| {
            let room = self.words_room(*id, usize::from(area.width));
            let words =
                tree.node(*id).map(|node| first_line_label(&node.requirements)).unwrap_or_default();
            1 + usize::from(text::width(&safe_string(&words)) > room)
        };
        let heights: Vec<usize> = self.rows.iter().map(lines).collect();
        if heights.iter().sum::<usize>() > usize::from(area.height) { single } else { heights }
    }

    /// Returns the width in cells that the words of a node have in a list so wide.
    pub(crate) fn words_room(&self, id: NodeId, width: usize) -> usize {
        width.saturating_sub(
            TreeColumns::for_width(width).width_before_fold() + self.node_indent(id) + FOLD_CELLS,
        )
    }
}
