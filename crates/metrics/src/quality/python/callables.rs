//! Finds the functions of a Python file that count, with their paths and their length.

use crate::quality::node_span;
use std::collections::HashSet;
use trajview_code::flat_tree::FlatTree;

use super::{
    KINDS,
    node_kinds::{PythonNode, python_node},
};
use crate::quality::{
    file_measure::{FileCallable, LineSet},
    kinds::BRANCH,
    profile::QualityProfile,
    python_lines,
};

/// A class or function with only classes, decorators and functions around it.
#[derive(Debug)]
pub struct WalkedDefinition {
    pub at: usize,
    /// Dotted from the outermost class or function.
    pub name: String,
    /// The class directly around it.
    pub class: Option<usize>,
    pub is_decorated: bool,
}

/// The definition around a block.
#[derive(Debug, Clone, Default)]
struct EnclosingBlock {
    owner: String,
    class: Option<usize>,
    is_decorated: bool,
}

/// Returns every class and function that counts, each before those inside it.
pub(crate) fn walk_definitions(text: &str, flat: &FlatTree<'_>) -> Vec<WalkedDefinition> {
    let mut definitions = vec![];
    let mut open = vec![(0, EnclosingBlock::default())];
    while let Some((at, around)) = open.pop() {
        for child in flat.children(at) {
            let kind = python_node(flat, child);
            match kind {
                PythonNode::Block => {
                    open.push((child, EnclosingBlock { is_decorated: false, ..around.clone() }))
                }
                PythonNode::Decorated => {
                    open.push((child, EnclosingBlock { is_decorated: true, ..around.clone() }))
                }
                PythonNode::Class | PythonNode::Function => {
                    let name = dotted_name(&around.owner, definition_name(text, flat, child));
                    let class = (kind == PythonNode::Class).then_some(child);
                    open.push((
                        child,
                        EnclosingBlock { owner: name.clone(), class, is_decorated: false },
                    ));
                    let EnclosingBlock { class, is_decorated, .. } = around;
                    definitions.push(WalkedDefinition { at: child, name, class, is_decorated });
                }
                _ => {}
            }
        }
    }
    definitions.sort_by_key(|walked| walked.at);
    definitions
}

/// Returns the callables, sorted by start.
pub(crate) fn python_callables(
    text: &str,
    flat: &FlatTree<'_>,
    sloc: &LineSet,
    profile: QualityProfile,
) -> Vec<FileCallable> {
    let branches = branches_before(flat);
    let callable = |walked: WalkedDefinition| {
        let after = flat.entries[walked.at].after as usize;
        let cc = 1 + branches[after] - branches[walked.at];
        let sloc = function_length(text, flat, walked.at, sloc, profile);
        FileCallable { name: walked.name, span: node_span(flat, walked.at), cc, sloc }
    };
    walked_functions(text, flat).map(callable).collect()
}

/// Returns the simple names of the functions that count.
pub(crate) fn plain_names<'a>(text: &'a str, flat: &FlatTree<'_>) -> HashSet<&'a str> {
    walked_functions(text, flat).map(|walked| definition_name(text, flat, walked.at)).collect()
}

fn walked_functions(text: &str, flat: &FlatTree<'_>) -> impl Iterator<Item = WalkedDefinition> {
    let all = walk_definitions(text, flat).into_iter();
    all.filter(|walked| python_node(flat, walked.at) == PythonNode::Function)
}

/// Returns the number of branches before each entry, with one more element at the end.
fn branches_before(flat: &FlatTree<'_>) -> Vec<u32> {
    let (mut before, mut count) = (Vec::with_capacity(flat.len() + 1), 0);
    for entry in &flat.entries {
        before.push(count);
        count += u32::from(KINDS.has_flags(entry.kind, BRANCH));
    }
    before.push(count);
    before
}

fn definition_name<'a>(text: &'a str, flat: &FlatTree<'_>, at: usize) -> &'a str {
    let name = flat.child_of_kind(at, "identifier");
    name.and_then(|name| text.get(flat.node(name).byte_range())).unwrap_or_default()
}

fn dotted_name(owner: &str, name: &str) -> String {
    if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") }
}

fn function_length(
    text: &str,
    flat: &FlatTree<'_>,
    at: usize,
    sloc: &LineSet,
    profile: QualityProfile,
) -> u32 {
    if profile.is_scb_check() {
        return sloc.count_within(node_span(flat, at));
    }
    let body = flat.text_of(text, at);
    let counts = |line: &&str| {
        let line = line.trim_matches(python_lines::is_space);
        !line.is_empty() && !line.starts_with('#')
    };
    u32::try_from(body.lines().filter(counts).count()).unwrap_or(u32::MAX)
}
