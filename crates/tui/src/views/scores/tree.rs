//! The rubric tree: the listed nodes, the chosen node and its texts.
//!
//! `rows` selects the listed nodes, `navigation` moves to the next important node, [`find`] filters the list, [`detail`]
//! has the texts next to the list, `answer` splits a judge's answer into sections, and [`areas`] computes the parts.
//! Everything is computed when something changes and never while drawing, so that a frame costs only what it shows.

mod answer;
pub mod areas;
pub mod detail;
pub mod find;
mod mouse;
mod navigation;
mod rows;

use std::sync::Arc;

use crate::{
    session::Session,
    widgets::{
        layout::ScreenLayout,
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_metrics::rubric_tree::{LeafCounting, TreeMeasures};
use trajview_run::rubric_tree::{NodeId, RubricTree};

use areas::{HEAD_ROWS, TreeAreas};
use detail::NodeDetail;
use find::NodeFind;

pub use navigation::MatchDirection;

/// The state of the tree view.
#[derive(Debug, Default)]
pub struct TreeView {
    /// The tree that the rest is about.
    tree: Option<Arc<RubricTree>>,
    pub counting: LeafCounting,
    pub order: NodeOrder,
    /// Measures of the nodes, counted according to [`Self::counting`].
    pub measures: TreeMeasures,
    /// Measures without the leaves whose judging failed.
    pub valid_measures: TreeMeasures,
    /// One a node: whether its sub-tasks are listed.
    open: Vec<bool>,
    /// The listed nodes, from the top.
    pub rows: Vec<NodeId>,
    pub list: ListPane,
    pub part: TreePart,
    pub find: NodeFind,
    pub detail: NodeDetail,
}

/// The order of the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeOrder {
    /// As a tree, in the order of the file.
    #[default]
    Tree,
    /// Leaves alone, the one first that takes most from the root's score.
    Loss,
}

/// The part of the view that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TreePart {
    #[default]
    List,
    Detail,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TreeMessage {
    /// Moves within the part that has the keyboard.
    Go(Motion),
    /// Fold the node, or go to the one it belongs to.
    Fold,
    /// Unfold the node, or go to its first sub-task.
    Unfold,
    /// Fold or unfold; from the list by loss to the node in the tree.
    Enter,
    /// Everything below the node.
    UnfoldBelow,
    FoldAll,
    UnfoldAll,
    /// Moves to a leaf that was judged and lacks something.
    Failing(MatchDirection),
    /// Moves to a leaf whose judging failed.
    Invalid(MatchDirection),
    /// Moves to a node that matches the search.
    Match(MatchDirection),
    SwitchOrder,
    /// All leaves, or those of code only.
    SwitchCounting,
    SwitchPart,
    Find(find::FindMessage),
}

impl TreeView {
    /// Returns the tree that is shown. None before the view was seen.
    pub(crate) fn shown_tree(&self) -> Option<&RubricTree> {
        self.tree.as_deref()
    }

    /// Returns the chosen node.
    pub fn selected_node(&self) -> Option<NodeId> {
        self.rows.get(self.list.cursor()).copied()
    }

    pub fn is_open(&self, id: NodeId) -> bool {
        self.find.is_active() || self.open.get(id.position()).copied().unwrap_or_default()
    }

    /// Returns true if none of the node's sub-tasks count.
    pub fn is_leaf(&self, id: NodeId) -> bool {
        let Some(tree) = &self.tree else { return true };
        !tree.child_nodes(id).any(|child| self.measures.get(child).counts)
    }

    /// Returns the path of the chosen node and its requirement.
    pub(crate) fn line_as_text(&self) -> Option<String> {
        let (tree, id) = (self.shown_tree()?, self.selected_node()?);
        Some(format!("{} {}", tree.node_path(id), tree.node(id)?.requirements))
    }

    /// Returns the judge's text on the chosen node. The error is a sentence.
    pub(crate) fn verdict_as_text(&self) -> Result<String, String> {
        let node = self
            .selected_node()
            .and_then(|id| self.shown_tree()?.node(id))
            .ok_or("no node selected")?;
        let response = node.answer.as_ref().map(|answer| &*answer.response).unwrap_or_default();
        let words = if response.trim().is_empty() { &*node.explanation } else { response };
        match (node.score, words.trim()) {
            (None, "") => Err("this node is not judged".into()),
            (Some(score), words) => Ok(format!("{}\nscore {score}\n\n{words}", node.requirements)),
            (None, words) => Ok(format!("{}\n\n{words}", node.requirements)),
        }
    }

    /// Takes another tree, of which so many rows are seen; one that was shown before keeps what is unfolded, as far as it is the same.
    fn take_tree(&mut self, tree: &Arc<RubricTree>, rows: usize) {
        if self.tree.as_ref().is_some_and(|of| Arc::ptr_eq(of, tree)) {
            return;
        }
        let is_same_shape = self.open.len() == tree.nodes.len();
        let selected = self.selected_node().filter(|_| is_same_shape);
        self.tree = Some(tree.clone());
        self.detail = NodeDetail::default();
        self.measure_tree();
        if !is_same_shape {
            self.open = rows::first_open(tree, &self.measures, rows);
        }
        self.find.look_again(tree, &self.measures);
        self.list_nodes(selected);
    }

    fn measure_tree(&mut self) {
        let Some(tree) = &self.tree else { return };
        self.measures = TreeMeasures::new(tree, self.counting);
        self.valid_measures = TreeMeasures::new(tree, LeafCounting::ValidOnly);
    }

    /// Lists the nodes again and keeps one of them chosen: this one, or the closest above it that is listed.
    fn list_nodes(&mut self, chosen: Option<NodeId>) {
        let Some(tree) = self.tree.clone() else { return };
        self.rows = rows::listed_nodes(&tree, self);
        let mut wanted =
            chosen.into_iter().chain(chosen.into_iter().flat_map(|id| tree.nodes_above(id)));
        let found = wanted.find_map(|id| self.rows.iter().position(|row| *row == id));
        self.list.choose(found.unwrap_or(0));
    }

    fn list_again(&mut self) {
        self.list_nodes(self.selected_node());
    }
}

impl TreeView {
    pub(super) fn update_tree(
        &mut self,
        session: &mut Session,
        message: TreeMessage,
        layout: &ScreenLayout,
    ) {
        let Some(tree) = session.run.rubric_tree.clone() else { return };
        let areas = TreeAreas::for_layout(layout, self.part);
        self.take_tree(&tree, areas.list_height());
        let notice = match message {
            TreeMessage::Go(motion) => self.move_cursor(motion),
            TreeMessage::Fold => self.fold_node(),
            TreeMessage::Unfold => self.unfold_node(),
            TreeMessage::Enter => self.enter_node(),
            TreeMessage::UnfoldBelow => self.unfold_below(),
            TreeMessage::FoldAll => self.fold_all(),
            TreeMessage::UnfoldAll => self.unfold_all(),
            TreeMessage::Failing(way) => self.go_to_failing(way),
            TreeMessage::Invalid(way) => self.go_to_invalid(way),
            TreeMessage::Match(way) => self.go_to_match(way),
            TreeMessage::SwitchOrder => self.switch_order(),
            TreeMessage::SwitchCounting => self.switch_counting(),
            TreeMessage::SwitchPart => {
                self.part =
                    if self.part == TreePart::List { TreePart::Detail } else { TreePart::List };
                None
            }
            TreeMessage::Find(message) => self.update_find(message, &session.keys),
        };
        session.notice = notice.or_else(|| session.notice.take());
    }

    pub(super) fn settle_tree(&mut self, session: &mut Session, layout: &ScreenLayout) {
        let Some(tree) = session.run.rubric_tree.clone() else { return };
        let areas = TreeAreas::for_layout(layout, self.part);
        self.take_tree(&tree, areas.list_height());
        let room = PaneRoom::framed(areas.list).with_fixed_rows(HEAD_ROWS, 0);
        self.list.settle(room, self.rows.len());
        self.settle_detail(&areas);
    }
}
