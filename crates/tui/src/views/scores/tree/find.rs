//! Filters the list to the nodes that match a search.

use crate::session::context::KeyContext;
use crate::session::key_texts::KeyTexts;
use regex::Regex;

use super::{NodeOrder, TreeView};
use trajview_metrics::rubric_tree::TreeMeasures;
use trajview_run::{
    rubric_tree::{LeafCategory, NodeId, RubricNode, RubricTree},
    search::{QuerySyntax, SearchQuery},
};

/// The search. While the prompt is open, it filters as the user types.
#[derive(Debug, Default)]
pub struct NodeFind {
    /// True while the text is being typed.
    pub is_typing: bool,
    pub text: String,
    regex: Option<Regex>,
    /// One a node. Empty if nothing is looked for.
    hits: Vec<bool>,
    /// Hits and the nodes above them.
    is_listed: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FindMessage {
    Start,
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
}

impl NodeFind {
    pub const fn is_active(&self) -> bool {
        self.regex.is_some()
    }

    /// Returns the expression whose matches are marked on screen.
    pub(crate) const fn find_regex(&self) -> Option<&Regex> {
        self.regex.as_ref()
    }

    pub fn is_hit(&self, id: NodeId) -> bool {
        !self.is_active() || self.hits.get(id.position()).copied().unwrap_or_default()
    }

    /// Returns true if the node is listed, since it or a node below matches the search.
    pub(crate) fn keeps_node(&self, id: NodeId) -> bool {
        !self.is_active() || self.is_listed.get(id.position()).copied().unwrap_or_default()
    }

    /// Returns the number of nodes that match.
    pub fn hit_count(&self) -> usize {
        self.hits.iter().filter(|is_hit| **is_hit).count()
    }

    pub(crate) fn forget_find(&mut self) {
        *self = Self::default();
    }

    /// Looks through all nodes that count.
    pub(crate) fn look_again(&mut self, tree: &RubricTree, measures: &TreeMeasures) {
        let query = SearchQuery { pattern: self.text.clone(), syntax: QuerySyntax::Literal };
        self.regex = query.compile_pattern().ok().filter(|_| !self.text.is_empty());
        let Some(regex) = &self.regex else {
            (self.hits, self.is_listed) = (vec![], vec![]);
            return;
        };
        let node_at_path = tree.node_at_path(&self.text);
        let is_hit = |(at, node): (usize, &RubricNode)| {
            let id = NodeId::from_position(at);
            measures.get(id).counts && (node_at_path == Some(id) || node_contains(node, regex))
        };
        self.hits = tree.nodes.iter().enumerate().map(is_hit).collect();
        self.is_listed.clone_from(&self.hits);
        // Nodes come before their sub-tasks, and a node is listed if one of its sub-tasks is.
        for at in (1..self.is_listed.len()).rev() {
            if self.is_listed[at]
                && let Some(parent) = tree.nodes[at].parent
            {
                self.is_listed[parent.position()] = true;
            }
        }
    }
}

fn node_contains(node: &RubricNode, regex: &Regex) -> bool {
    let category = node.category.as_ref().map(LeafCategory::file_text);
    let response = node.answer.as_ref().map(|answer| &*answer.response);
    // The explanation often is the answer once more.
    let response = response.filter(|response| *response != &*node.explanation);
    let fields = [Some(&*node.requirements), Some(&*node.explanation), Some(&*node.id)];
    let more = [category, node.finegrained.as_deref(), response];
    fields.into_iter().chain(more).flatten().any(|words| regex.is_match(words))
}

impl TreeView {
    pub(super) fn update_find(&mut self, message: FindMessage, keys: &KeyTexts) -> Option<String> {
        let find = &mut self.find;
        match message {
            FindMessage::Start => *find = NodeFind { is_typing: true, ..NodeFind::default() },
            FindMessage::Type(words) => find.text.push_str(&words),
            FindMessage::Erase if find.text.is_empty() => find.is_typing = false,
            FindMessage::Erase => {
                find.text.pop();
            }
            FindMessage::EraseAll => find.text.clear(),
            FindMessage::Accept => {
                find.is_typing = false;
                return self.found_text(keys);
            }
            FindMessage::Cancel => find.forget_find(),
        }
        let tree = self.tree.clone()?;
        let chosen = self.selected_node();
        self.find.look_again(&tree, &self.measures);
        match chosen {
            Some(id) if !self.find.is_active() && self.order == NodeOrder::Tree => {
                self.reveal_node(id)
            }
            _ => self.list_nodes(chosen),
        }
        self.go_to_first_hit();
        None
    }

    /// Moves to the first node that matches itself, since a node above a match is listed without matching.
    fn go_to_first_hit(&mut self) {
        let is_on_hit = self.selected_node().is_some_and(|id| self.find.is_hit(id));
        if self.find.is_active() && !is_on_hit {
            let first = self.rows.iter().position(|id| self.find.is_hit(*id));
            self.list.choose(first.unwrap_or(0));
        }
    }

    fn found_text(&self, keys: &KeyTexts) -> Option<String> {
        (self.find.is_active() && self.rows.is_empty()).then(|| {
            let cancel = keys.key_text(KeyContext::RubricFind, "cancel");
            format!("no match for {:?}; {cancel} shows all", self.find.text)
        })
    }
}
