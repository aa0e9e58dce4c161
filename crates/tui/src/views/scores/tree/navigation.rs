//! Moves to the next important node, folding and unfolding nodes if needed.

use crate::widgets::scroll::Motion;
use trajview_metrics::rubric_tree::LeafCounting;
use trajview_run::rubric_tree::{NodeId, RubricNode, RubricTree};

use super::{NodeOrder, TreePart, TreeView};

/// A direction and a number of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchDirection {
    On(usize),
    Back(usize),
}

/// A notice that is shown once.
type SpokenNotice = Option<String>;

impl TreeView {
    pub(super) fn move_cursor(&mut self, motion: Motion) -> SpokenNotice {
        match self.part {
            TreePart::List => self.list.move_cursor(motion),
            TreePart::Detail => self.detail.pane.scroll_by(motion),
        }
        None
    }

    pub(super) fn fold_node(&mut self) -> SpokenNotice {
        let (tree, id) = self.selected_in_tree()?;
        let is_foldable =
            self.order == NodeOrder::Tree && !self.find.is_active() && !self.is_leaf(id);
        if is_foldable && self.is_open(id) {
            self.set_open(id.position()..id.position() + 1, false);
            self.list_nodes(Some(id));
        } else if let Some(parent) = tree.node(id)?.parent {
            self.choose_node(parent);
        }
        None
    }

    pub(super) fn unfold_node(&mut self) -> SpokenNotice {
        let (_, id) = self.selected_in_tree()?;
        if self.order == NodeOrder::Loss || self.is_leaf(id) {
            self.part = TreePart::Detail;
        } else if self.is_open(id) {
            self.list.move_cursor(Motion::Down(1));
        } else {
            self.set_open(id.position()..id.position() + 1, true);
            self.list_nodes(Some(id));
        }
        None
    }

    pub(super) fn enter_node(&mut self) -> SpokenNotice {
        let (_, id) = self.selected_in_tree()?;
        if self.order == NodeOrder::Loss {
            self.order = NodeOrder::Tree;
            self.reveal_node(id);
        } else if self.is_leaf(id) || self.find.is_active() {
            self.part = TreePart::Detail;
        } else {
            self.set_open(id.position()..id.position() + 1, !self.is_open(id));
            self.list_nodes(Some(id));
        }
        None
    }

    /// Unfolds everything below the node. If all of it is unfolded already, folds it.
    pub(super) fn unfold_below(&mut self) -> SpokenNotice {
        let (tree, id) = self.selected_in_tree()?;
        let all = id.position()..tree.nodes_below(id).end;
        let is_open =
            all.clone().all(|at| self.is_leaf(NodeId::from_position(at)) || self.open[at]);
        self.set_open(all, !is_open);
        self.list_nodes(Some(id));
        None
    }

    pub(super) fn fold_all(&mut self) -> SpokenNotice {
        self.open.fill(false);
        self.list_again();
        None
    }

    pub(super) fn unfold_all(&mut self) -> SpokenNotice {
        self.open.fill(true);
        self.list_again();
        None
    }

    pub(super) fn go_to_failing(&mut self, way: MatchDirection) -> SpokenNotice {
        let fails =
            |node: &RubricNode| node.is_valid_leaf() && node.score.is_some_and(|score| score < 1.0);
        self.go_to_leaf(way, "leaf with a loss", fails)
    }

    pub(super) fn go_to_invalid(&mut self, way: MatchDirection) -> SpokenNotice {
        self.go_to_leaf(way, "invalid leaf", |node| !node.is_valid_leaf())
    }

    fn go_to_leaf(
        &mut self,
        way: MatchDirection,
        what: &str,
        is_wanted: impl Fn(&RubricNode) -> bool,
    ) -> SpokenNotice {
        let (tree, _) = self.selected_in_tree()?;
        if !tree.is_graded() {
            return Some("this rubric is not graded".into());
        }
        let is_it = |id: &NodeId| self.is_leaf(*id) && tree.node(*id).is_some_and(&is_wanted);
        let found: Vec<NodeId> = self.node_sequence(&tree).into_iter().filter(is_it).collect();
        self.go_among(&found, way, what)
    }

    pub(super) fn go_to_match(&mut self, way: MatchDirection) -> SpokenNotice {
        let (tree, _) = self.selected_in_tree()?;
        if !self.find.is_active() {
            return Some("no search: press /".into());
        }
        let found: Vec<NodeId> =
            self.node_sequence(&tree).into_iter().filter(|id| self.find.is_hit(*id)).collect();
        self.go_among(&found, way, "match")
    }

    /// Moves `way` places among the found nodes. Returns a notice if there are not so many.
    fn go_among(&mut self, found: &[NodeId], way: MatchDirection, what: &str) -> SpokenNotice {
        let here = self.selected_node()?;
        // In the list by loss nodes are not in the order of the tree.
        let place = |id: NodeId| match self.order {
            NodeOrder::Tree => id.position(),
            NodeOrder::Loss => self.rows.iter().position(|row| *row == id).unwrap_or(usize::MAX),
        };
        let before = found.iter().filter(|id| place(**id) < place(here)).count();
        let through = found.iter().filter(|id| place(**id) <= place(here)).count();
        let wanted = match way {
            MatchDirection::On(count) => through.checked_add(count.saturating_sub(1)),
            MatchDirection::Back(count) => before.checked_sub(count),
        };
        match wanted.and_then(|at| found.get(at)) {
            Some(id) => {
                self.reveal_node(*id);
                let (at, all) = (wanted.unwrap_or_default() + 1, found.len());
                Some(format!("{what} {at} of {all}"))
            }
            None if found.is_empty() => Some(format!("no {what} here")),
            None => {
                let direction_words =
                    if matches!(way, MatchDirection::On(_)) { "further on" } else { "before" };
                Some(format!("no {what} {direction_words}; {} in all", found.len()))
            }
        }
    }

    /// Returns the nodes to move through: the rows if they are filtered, and otherwise all counted nodes.
    fn node_sequence(&self, tree: &RubricTree) -> Vec<NodeId> {
        if self.order == NodeOrder::Loss || self.find.is_active() {
            return self.rows.clone();
        }
        (0..tree.nodes.len())
            .map(NodeId::from_position)
            .filter(|id| self.measures.get(*id).counts)
            .collect()
    }

    pub(super) fn switch_order(&mut self) -> SpokenNotice {
        let (tree, id) = self.selected_in_tree()?;
        match self.order {
            NodeOrder::Tree if !tree.is_graded() => {
                Some("this rubric is not graded: no losses".into())
            }
            NodeOrder::Tree => {
                self.order = NodeOrder::Loss;
                let notice = self.list_losses(id);
                if notice.is_none() {
                    self.list.choose(0);
                }
                notice
            }
            NodeOrder::Loss => {
                self.order = NodeOrder::Tree;
                self.reveal_node(id);
                None
            }
        }
    }

    pub(super) fn switch_counting(&mut self) -> SpokenNotice {
        let (tree, id) = self.selected_in_tree()?;
        let before = self.counting;
        self.counting = if before == LeafCounting::CodeOnly {
            LeafCounting::All
        } else {
            LeafCounting::CodeOnly
        };
        self.measure_tree();
        if !self.measures.get(NodeId::default()).counts {
            self.counting = before;
            self.measure_tree();
            return Some("no leaf has the category Code Development".into());
        }
        self.find.look_again(&tree, &self.measures);
        self.detail.forget_lines();
        self.list_losses(id)
    }

    /// Builds the rows again: by loss if a counted node has a loss, and otherwise as a tree, with a notice.
    fn list_losses(&mut self, id: NodeId) -> SpokenNotice {
        self.list_nodes(Some(id));
        if !self.rows.is_empty() || self.order == NodeOrder::Tree {
            return None;
        }
        self.order = NodeOrder::Tree;
        self.list_nodes(Some(id));
        Some("no leaf lowers the root's score".into())
    }

    /// Goes back to the tree, then lists all of it again; returns false if all of it is listed.
    pub(in crate::views::scores) fn close_part(&mut self) -> bool {
        match self.part {
            TreePart::Detail => self.part = TreePart::List,
            TreePart::List if !self.find.is_active() => return false,
            TreePart::List => {
                let chosen = self.selected_node();
                self.find.forget_find();
                match chosen {
                    Some(id) => self.reveal_node(id),
                    None => self.list_nodes(None),
                }
            }
        }
        true
    }

    /// Unfolds the path to a node and selects it.
    pub(super) fn reveal_node(&mut self, id: NodeId) {
        let Some(tree) = self.tree.clone() else { return };
        for above in tree.nodes_above(id) {
            self.set_open(above.position()..above.position() + 1, true);
        }
        self.list_nodes(Some(id));
    }

    fn choose_node(&mut self, id: NodeId) {
        if let Some(row) = self.rows.iter().position(|row| *row == id) {
            self.list.choose(row);
        }
    }

    fn set_open(&mut self, nodes: std::ops::Range<usize>, is_open: bool) {
        if let Some(nodes) = self.open.get_mut(nodes) {
            nodes.fill(is_open);
        }
    }

    fn selected_in_tree(&self) -> Option<(std::sync::Arc<RubricTree>, NodeId)> {
        Some((self.tree.clone()?, self.selected_node()?))
    }
}
