//! The rubric tree on the screen: which nodes are listed, which is chosen, and what is said of it.
//!
//! `rows` says which nodes are listed, `moving` goes from one to the next that matters, [`find`] narrows the list
//! down, [`detail`] has the words beside the list, `answer` takes a judge's answer apart, [`areas`] says where the
//! parts stand. Everything is worked out when something changes, never while drawing: a frame costs what it shows.

mod answer;
pub mod areas;
pub mod detail;
pub mod find;
mod moving;
mod pointing;
mod rows;

use std::sync::Arc;

use crate::{
    session::Session,
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use trajview_metrics::rubric_tree::{Counting, Measures};
use trajview_run::rubric_tree::{NodeId, RubricTree};

use areas::Areas;
use detail::Detail;
use find::Find;

pub use moving::Way;

/// What is looked at of the tree.
#[derive(Debug, Default)]
pub struct Tree {
    /// The tree that the rest is about.
    of: Option<Arc<RubricTree>>,
    pub counting: Counting,
    pub order: Order,
    /// As [`Self::counting`] says.
    pub measures: Measures,
    /// Without the leaves whose judging failed.
    pub valid: Measures,
    /// One a node: whether its sub-tasks are listed.
    open: Vec<bool>,
    /// What is listed, from the top.
    pub rows: Vec<NodeId>,
    pub scroll: Scroll,
    pub part: Part,
    pub find: Find,
    pub detail: Detail,
}

/// How the nodes stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As a tree, as the file has them.
    #[default]
    Tree,
    /// Leaves alone, the one first that takes most from the root's score.
    Loss,
}

/// Which part of the view has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    List,
    Detail,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// In the part that has the keyboard.
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
    /// To a leaf that was judged and lacks something.
    Failing(Way),
    /// To a leaf whose judging failed.
    Invalid(Way),
    /// To a node that holds what is looked for.
    Match(Way),
    SwitchOrder,
    /// All leaves, or those of code only.
    SwitchCounting,
    SwitchPart,
    Find(find::Message),
    /// Back from the words beside the list, then forget what is looked for.
    Leave,
}

impl Tree {
    /// The tree that is shown; None before the view was seen.
    pub fn shown(&self) -> Option<&RubricTree> {
        self.of.as_deref()
    }

    /// The chosen node.
    pub fn selected(&self) -> Option<NodeId> {
        self.rows.get(self.scroll.cursor).copied()
    }

    pub fn is_open(&self, id: NodeId) -> bool {
        self.find.is_active() || self.open.get(id.at()).copied().unwrap_or_default()
    }

    /// Whether none of its sub-tasks count.
    pub fn is_leaf(&self, id: NodeId) -> bool {
        let Some(tree) = &self.of else { return true };
        !tree.children(id).any(|child| self.measures.get(child).counts)
    }

    /// The way of the chosen node and what it requires.
    pub fn line_as_text(&self) -> Option<String> {
        let (tree, id) = (self.shown()?, self.selected()?);
        Some(format!("{} {}", tree.path(id), tree.node(id)?.requirements))
    }

    /// What was said of the chosen node, in the judge's words. The error is a sentence.
    pub fn verdict_as_text(&self) -> Result<String, String> {
        let node =
            self.selected().and_then(|id| self.shown()?.node(id)).ok_or("no node is chosen")?;
        let response = node.answer.as_ref().map(|answer| &*answer.response).unwrap_or_default();
        let words = if response.trim().is_empty() { &*node.explanation } else { response };
        match (node.score, words.trim()) {
            (None, "") => Err("nobody judged this node".into()),
            (Some(score), words) => Ok(format!("{}\nscore {score}\n\n{words}", node.requirements)),
            (None, words) => Ok(format!("{}\n\n{words}", node.requirements)),
        }
    }

    /// Takes another tree, of which so many rows are seen; one that was shown before keeps what is unfolded, as far as it is the same.
    fn take(&mut self, tree: &Arc<RubricTree>, rows: usize) {
        if self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, tree)) {
            return;
        }
        let is_same_shape = self.open.len() == tree.nodes.len();
        let selected = self.selected().filter(|_| is_same_shape);
        self.of = Some(tree.clone());
        self.detail = Detail::default();
        self.measure();
        if !is_same_shape {
            self.open = rows::first_open(tree, &self.measures, rows);
        }
        self.find.look_again(tree, &self.measures);
        self.list(selected);
    }

    fn measure(&mut self) {
        let Some(tree) = &self.of else { return };
        self.measures = Measures::of(tree, self.counting);
        self.valid = Measures::of(tree, Counting::ValidOnly);
    }

    /// Lists the nodes again and keeps one of them chosen: this one, or the closest above it that is listed.
    fn list(&mut self, chosen: Option<NodeId>) {
        let Some(tree) = self.of.clone() else { return };
        self.rows = rows::listed(&tree, self);
        let mut wanted = chosen.into_iter().chain(chosen.into_iter().flat_map(|id| tree.above(id)));
        let found = wanted.find_map(|id| self.rows.iter().position(|row| *row == id));
        self.scroll.cursor = found.unwrap_or(0);
    }

    fn list_again(&mut self) {
        self.list(self.selected());
    }
}

impl Tree {
    pub(super) fn update_tree(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        let Some(tree) = session.run.rubric_tree.clone() else { return };
        let areas = Areas::of(layout, self.part);
        self.take(&tree, areas.list_height());
        let said = match message {
            Message::Go(motion) => self.go(motion, &areas),
            Message::Fold => self.fold(),
            Message::Unfold => self.unfold(),
            Message::Enter => self.enter(),
            Message::UnfoldBelow => self.unfold_below(),
            Message::FoldAll => self.fold_all(),
            Message::UnfoldAll => self.unfold_all(),
            Message::Failing(way) => self.go_to_failing(way),
            Message::Invalid(way) => self.go_to_invalid(way),
            Message::Match(way) => self.go_to_match(way),
            Message::SwitchOrder => self.switch_order(),
            Message::SwitchCounting => self.switch_counting(),
            Message::SwitchPart => {
                self.part = if self.part == Part::List { Part::Detail } else { Part::List };
                None
            }
            Message::Find(message) => self.update_find(message),
            Message::Leave => self.leave(),
        };
        session.notice = said.or_else(|| session.notice.take());
    }

    pub(super) fn settle_tree(&mut self, session: &mut Session, layout: &Layout) {
        let Some(tree) = session.run.rubric_tree.clone() else { return };
        let areas = Areas::of(layout, self.part);
        self.take(&tree, areas.list_height());
        self.scroll.follow(self.rows.len(), areas.list_height());
        self.settle_detail(&areas);
    }
}
