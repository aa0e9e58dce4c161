//! From one node to the next that matters, folding and unfolding on the way.

use crate::widgets::scroll::Motion;
use trajview_metrics::rubric_tree::Counting;
use trajview_run::rubric_tree::{Node, NodeId, RubricTree};

use super::{Order, Part, Tree, areas::Areas};

/// Which way, and how many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    On(usize),
    Back(usize),
}

/// A sentence to be said once.
type Said = Option<String>;

impl Tree {
    pub(super) fn go(&mut self, motion: Motion, areas: &Areas) -> Said {
        match self.part {
            Part::List => {
                let height = areas.list_height();
                self.scroll.cursor = motion.from(self.scroll.cursor, self.rows.len(), height);
            }
            Part::Detail => self.detail.go(motion, areas),
        }
        None
    }

    pub(super) fn fold(&mut self) -> Said {
        let (tree, id) = self.here()?;
        let is_foldable = self.order == Order::Tree && !self.find.is_active() && !self.is_leaf(id);
        if is_foldable && self.is_open(id) {
            self.set_open(id.at()..id.at() + 1, false);
            self.list(Some(id));
        } else if let Some(parent) = tree.node(id)?.parent {
            self.choose(parent);
        }
        None
    }

    pub(super) fn unfold(&mut self) -> Said {
        let (_, id) = self.here()?;
        if self.order == Order::Loss || self.is_leaf(id) {
            self.part = Part::Detail;
        } else if self.is_open(id) {
            self.scroll.cursor = (self.scroll.cursor + 1).min(self.rows.len().saturating_sub(1));
        } else {
            self.set_open(id.at()..id.at() + 1, true);
            self.list(Some(id));
        }
        None
    }

    pub(super) fn enter(&mut self) -> Said {
        let (_, id) = self.here()?;
        if self.order == Order::Loss {
            self.order = Order::Tree;
            self.reveal(id);
        } else if self.is_leaf(id) || self.find.is_active() {
            self.part = Part::Detail;
        } else {
            self.set_open(id.at()..id.at() + 1, !self.is_open(id));
            self.list(Some(id));
        }
        None
    }

    /// Everything below the node; where all of it is unfolded already, folds it.
    pub(super) fn unfold_below(&mut self) -> Said {
        let (tree, id) = self.here()?;
        let all = id.at()..tree.below(id).end;
        let is_open = all.clone().all(|at| self.is_leaf(NodeId::of(at)) || self.open[at]);
        self.set_open(all, !is_open);
        self.list(Some(id));
        None
    }

    pub(super) fn fold_all(&mut self) -> Said {
        self.open.fill(false);
        self.list_again();
        None
    }

    pub(super) fn unfold_all(&mut self) -> Said {
        self.open.fill(true);
        self.list_again();
        None
    }

    pub(super) fn go_to_failing(&mut self, way: Way) -> Said {
        let fails =
            |node: &Node| node.is_valid_leaf() && node.score.is_some_and(|score| score < 1.0);
        self.go_to_leaf(way, "leaf that lacks something", fails)
    }

    pub(super) fn go_to_invalid(&mut self, way: Way) -> Said {
        self.go_to_leaf(way, "invalid leaf", |node| !node.is_valid_leaf())
    }

    fn go_to_leaf(&mut self, way: Way, what: &str, is_wanted: impl Fn(&Node) -> bool) -> Said {
        let (tree, _) = self.here()?;
        if !tree.is_graded() {
            return Some("this rubric is not graded".into());
        }
        let is_it = |id: &NodeId| self.is_leaf(*id) && tree.node(*id).is_some_and(&is_wanted);
        let found: Vec<NodeId> = self.sequence(&tree).into_iter().filter(is_it).collect();
        self.go_among(&found, way, what)
    }

    pub(super) fn go_to_match(&mut self, way: Way) -> Said {
        let (tree, _) = self.here()?;
        if !self.find.is_active() {
            return Some("nothing is looked for: / begins".into());
        }
        let found: Vec<NodeId> =
            self.sequence(&tree).into_iter().filter(|id| self.find.is_hit(*id)).collect();
        self.go_among(&found, way, "match")
    }

    /// To the one so many further on; says so where there are not so many.
    fn go_among(&mut self, found: &[NodeId], way: Way, what: &str) -> Said {
        let here = self.selected()?;
        // In the list by loss nodes do not stand in the order of the tree.
        let place = |id: NodeId| match self.order {
            Order::Tree => id.at(),
            Order::Loss => self.rows.iter().position(|row| *row == id).unwrap_or(usize::MAX),
        };
        let before = found.iter().filter(|id| place(**id) < place(here)).count();
        let through = found.iter().filter(|id| place(**id) <= place(here)).count();
        let wanted = match way {
            Way::On(count) => through.checked_add(count.saturating_sub(1)),
            Way::Back(count) => before.checked_sub(count),
        };
        match wanted.and_then(|at| found.get(at)) {
            Some(id) => {
                self.reveal(*id);
                let (at, all) = (wanted.unwrap_or_default() + 1, found.len());
                Some(format!("{what} {at} of {all}"))
            }
            None if found.is_empty() => Some(format!("no {what} here")),
            None => {
                let way = if matches!(way, Way::On(_)) { "further on" } else { "before" };
                Some(format!("no {what} {way}; {} in all", found.len()))
            }
        }
    }

    /// The nodes that are gone through: the rows where they are a choice, else all that count.
    fn sequence(&self, tree: &RubricTree) -> Vec<NodeId> {
        if self.order == Order::Loss || self.find.is_active() {
            return self.rows.clone();
        }
        (0..tree.nodes.len()).map(NodeId::of).filter(|id| self.measures.get(*id).counts).collect()
    }

    pub(super) fn switch_order(&mut self) -> Said {
        let (tree, id) = self.here()?;
        match self.order {
            Order::Tree if !tree.is_graded() => {
                Some("this rubric is not graded: nothing is lost".into())
            }
            Order::Tree => {
                self.order = Order::Loss;
                let said = self.list_losses(id);
                if said.is_none() {
                    self.scroll.cursor = 0;
                }
                said
            }
            Order::Loss => {
                self.order = Order::Tree;
                self.reveal(id);
                None
            }
        }
    }

    pub(super) fn switch_counting(&mut self) -> Said {
        let (tree, id) = self.here()?;
        let before = self.counting;
        self.counting =
            if before == Counting::CodeOnly { Counting::All } else { Counting::CodeOnly };
        self.measure();
        if !self.measures.get(NodeId::default()).counts {
            self.counting = before;
            self.measure();
            return Some("no leaf has the category Code Development".into());
        }
        self.find.look_again(&tree, &self.measures);
        self.detail.forget();
        self.list_losses(id)
    }

    /// Lists the rows anew; by loss where there is a loss among what counts, else the tree, and says so.
    fn list_losses(&mut self, id: NodeId) -> Said {
        self.list(Some(id));
        if !self.rows.is_empty() || self.order == Order::Tree {
            return None;
        }
        self.order = Order::Tree;
        self.list(Some(id));
        Some("no leaf that counts takes anything from the root's score".into())
    }

    pub(super) fn leave(&mut self) -> Said {
        match self.part {
            Part::Detail => self.part = Part::List,
            Part::List => {
                let chosen = self.selected();
                self.find.forget();
                match chosen {
                    Some(id) => self.reveal(id),
                    None => self.list(None),
                }
            }
        }
        None
    }

    /// Unfolds the way to a node and chooses it.
    pub(super) fn reveal(&mut self, id: NodeId) {
        let Some(tree) = self.of.clone() else { return };
        for above in tree.above(id) {
            self.set_open(above.at()..above.at() + 1, true);
        }
        self.list(Some(id));
    }

    fn choose(&mut self, id: NodeId) {
        if let Some(row) = self.rows.iter().position(|row| *row == id) {
            self.scroll.cursor = row;
        }
    }

    fn set_open(&mut self, nodes: std::ops::Range<usize>, is_open: bool) {
        if let Some(nodes) = self.open.get_mut(nodes) {
            nodes.fill(is_open);
        }
    }

    fn here(&self) -> Option<(std::sync::Arc<RubricTree>, NodeId)> {
        Some((self.of.clone()?, self.selected()?))
    }
}
