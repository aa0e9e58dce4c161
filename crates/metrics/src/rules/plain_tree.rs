//! A syntax tree in which a comment is a node like any other.
//!
//! ast-grep 0.42, which `scb-check` runs, lets a pattern's `$NAME` match a comment; later releases skip comments
//! because the grammar marks them as extra. Here nothing is extra, so the later release matches as the earlier did.
//! Rules with a strictness that leaves comments out are not supported; no set that we know of has one.

use std::{borrow::Cow, ops::Range};

use ast_grep_core::{
    Doc, Position,
    source::{Edit, SgNode},
    tree_sitter::StrDoc,
};
use ast_grep_language::SupportLang;
use tree_sitter::Node;

/// A text and its tree.
#[derive(Clone)]
pub struct PlainDoc(pub StrDoc<SupportLang>);

/// A node that is never extra.
#[derive(Clone)]
pub struct PlainNode<'t>(pub Node<'t>);

impl Doc for PlainDoc {
    type Source = String;
    type Lang = SupportLang;
    type Node<'r> = PlainNode<'r>;

    fn get_lang(&self) -> &SupportLang {
        self.0.get_lang()
    }

    fn get_source(&self) -> &String {
        self.0.get_source()
    }

    fn do_edit(&mut self, edit: &Edit<String>) -> Result<(), String> {
        self.0.do_edit(edit)
    }

    fn root_node(&self) -> PlainNode<'_> {
        PlainNode(self.0.root_node())
    }

    fn get_node_text<'a>(&'a self, node: &PlainNode<'a>) -> Cow<'a, str> {
        self.0.get_node_text(&node.0)
    }
}

impl<'t> SgNode<'t> for PlainNode<'t> {
    fn parent(&self) -> Option<Self> {
        SgNode::parent(&self.0).map(Self)
    }

    fn ancestors(&self, root: Self) -> impl Iterator<Item = Self> {
        SgNode::ancestors(&self.0, root.0).map(Self)
    }

    fn dfs(&self) -> impl Iterator<Item = Self> {
        SgNode::dfs(&self.0).map(Self)
    }

    fn child(&self, nth: usize) -> Option<Self> {
        SgNode::child(&self.0, nth).map(Self)
    }

    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        SgNode::children(&self.0).map(Self)
    }

    fn child_by_field_id(&self, field_id: u16) -> Option<Self> {
        SgNode::child_by_field_id(&self.0, field_id).map(Self)
    }

    fn next(&self) -> Option<Self> {
        SgNode::next(&self.0).map(Self)
    }

    fn prev(&self) -> Option<Self> {
        SgNode::prev(&self.0).map(Self)
    }

    fn next_all(&self) -> impl Iterator<Item = Self> {
        SgNode::next_all(&self.0).map(Self)
    }

    fn prev_all(&self) -> impl Iterator<Item = Self> {
        SgNode::prev_all(&self.0).map(Self)
    }

    fn is_named(&self) -> bool {
        SgNode::is_named(&self.0)
    }

    fn is_named_leaf(&self) -> bool {
        SgNode::is_named_leaf(&self.0)
    }

    fn is_leaf(&self) -> bool {
        SgNode::is_leaf(&self.0)
    }

    fn kind(&self) -> Cow<'_, str> {
        SgNode::kind(&self.0)
    }

    fn kind_id(&self) -> u16 {
        SgNode::kind_id(&self.0)
    }

    fn node_id(&self) -> usize {
        SgNode::node_id(&self.0)
    }

    fn range(&self) -> Range<usize> {
        SgNode::range(&self.0)
    }

    fn start_pos(&self) -> Position {
        SgNode::start_pos(&self.0)
    }

    fn end_pos(&self) -> Position {
        SgNode::end_pos(&self.0)
    }

    fn is_missing(&self) -> bool {
        SgNode::is_missing(&self.0)
    }

    fn is_error(&self) -> bool {
        SgNode::is_error(&self.0)
    }

    fn is_extra(&self) -> bool {
        false
    }

    fn field(&self, name: &str) -> Option<Self> {
        SgNode::field(&self.0, name).map(Self)
    }

    fn field_children(&self, field_id: Option<u16>) -> impl Iterator<Item = Self> {
        SgNode::field_children(&self.0, field_id).map(Self)
    }
}
