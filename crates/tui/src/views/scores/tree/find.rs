//! Narrowing the list down to the nodes that say something.

use regex::Regex;

use super::{Order, Tree};
use trajview_metrics::rubric_tree::Measures;
use trajview_run::{
    rubric_tree::{Category, Node, NodeId, RubricTree},
    search::{Query, Syntax},
};

/// What is looked for. A prompt that is open looks while it is typed.
#[derive(Debug, Default)]
pub struct Find {
    /// Whether it is being typed.
    pub is_typing: bool,
    pub text: String,
    regex: Option<Regex>,
    /// One a node; empty where nothing is looked for.
    hits: Vec<bool>,
    /// Hits and the nodes above them.
    kept: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Start,
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
}

impl Find {
    pub const fn is_active(&self) -> bool {
        self.regex.is_some()
    }

    /// What to mark on screen.
    pub const fn regex(&self) -> Option<&Regex> {
        self.regex.as_ref()
    }

    pub fn is_hit(&self, id: NodeId) -> bool {
        !self.is_active() || self.hits.get(id.at()).copied().unwrap_or_default()
    }

    /// Whether the node is listed: it says what is looked for, or one below it does.
    pub fn keeps(&self, id: NodeId) -> bool {
        !self.is_active() || self.kept.get(id.at()).copied().unwrap_or_default()
    }

    /// How many nodes say it.
    pub fn count(&self) -> usize {
        self.hits.iter().filter(|is_hit| **is_hit).count()
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Looks through all nodes that count.
    pub fn look_again(&mut self, tree: &RubricTree, measures: &Measures) {
        let query = Query { pattern: self.text.clone(), syntax: Syntax::Literal };
        self.regex = query.compile().ok().filter(|_| !self.text.is_empty());
        let Some(regex) = &self.regex else {
            (self.hits, self.kept) = (vec![], vec![]);
            return;
        };
        let named = tree.find(&self.text);
        let is_hit = |(at, node): (usize, &Node)| {
            let id = NodeId::of(at);
            measures.get(id).counts && (named == Some(id) || says(node, regex))
        };
        self.hits = tree.nodes.iter().enumerate().map(is_hit).collect();
        self.kept.clone_from(&self.hits);
        // What is below stands behind: a node is kept once one of its sub-tasks is.
        for at in (1..self.kept.len()).rev() {
            if self.kept[at]
                && let Some(parent) = tree.nodes[at].parent
            {
                self.kept[parent.at()] = true;
            }
        }
    }
}

fn says(node: &Node, regex: &Regex) -> bool {
    let category = node.category.as_ref().map(Category::words);
    let response = node.answer.as_ref().map(|answer| &*answer.response);
    // The explanation often is the answer once more.
    let response = response.filter(|response| *response != &*node.explanation);
    let fields = [Some(&*node.requirements), Some(&*node.explanation), Some(&*node.id)];
    let more = [category, node.finegrained.as_deref(), response];
    fields.into_iter().chain(more).flatten().any(|words| regex.is_match(words))
}

impl Tree {
    pub(super) fn update_find(&mut self, message: Message) -> Option<String> {
        let find = &mut self.find;
        match message {
            Message::Start => *find = Find { is_typing: true, ..Find::default() },
            Message::Type(words) => find.text.push_str(&words),
            Message::Erase if find.text.is_empty() => find.is_typing = false,
            Message::Erase => {
                find.text.pop();
            }
            Message::EraseAll => find.text.clear(),
            Message::Accept => {
                find.is_typing = false;
                return self.say_found();
            }
            Message::Cancel => find.forget(),
        }
        let tree = self.of.clone()?;
        let chosen = self.selected();
        self.find.look_again(&tree, &self.measures);
        match chosen {
            Some(id) if !self.find.is_active() && self.order == Order::Tree => self.reveal(id),
            _ => self.list(chosen),
        }
        self.go_to_first_hit();
        None
    }

    /// A node above a hit says nothing of what is looked for.
    fn go_to_first_hit(&mut self) {
        let is_on_hit = self.selected().is_some_and(|id| self.find.is_hit(id));
        if self.find.is_active() && !is_on_hit {
            let first = self.rows.iter().position(|id| self.find.is_hit(*id));
            self.scroll.cursor = first.unwrap_or(0);
        }
    }

    fn say_found(&self) -> Option<String> {
        (self.find.is_active() && self.rows.is_empty())
            .then(|| format!("no node says {:?}; esc lists all again", self.find.text))
    }
}
