//! Functions of a Python file: which count, their paths and their length.

use crate::quality::span;
use std::collections::HashSet;
use trajview_code::flat::Flat;

use super::{
    KINDS,
    is::{Is, is},
};
use crate::quality::{
    file::{Callable, LineSet},
    kinds::BRANCH,
    profile::Profile,
    text,
};

/// A class or function that is reached by descending through nothing but classes, decorators and functions.
#[derive(Debug)]
pub struct Walked {
    pub at: usize,
    /// Dotted from the outermost class or function.
    pub name: String,
    /// The class right around it.
    pub class: Option<usize>,
    pub is_decorated: bool,
}

/// What a block lies in.
#[derive(Debug, Clone, Default)]
struct Enclosing {
    owner: String,
    class: Option<usize>,
    is_decorated: bool,
}

/// Every class and function that counts, each before what lies in it.
pub fn walk(text: &str, flat: &Flat<'_>) -> Vec<Walked> {
    let mut found = vec![];
    let mut open = vec![(0, Enclosing::default())];
    while let Some((at, around)) = open.pop() {
        for child in flat.children(at) {
            let kind = is(flat, child);
            match kind {
                Is::Block => {
                    open.push((child, Enclosing { is_decorated: false, ..around.clone() }))
                }
                Is::Decorated => {
                    open.push((child, Enclosing { is_decorated: true, ..around.clone() }))
                }
                Is::Class | Is::Function => {
                    let name = dotted(&around.owner, name(text, flat, child));
                    let class = (kind == Is::Class).then_some(child);
                    open.push((
                        child,
                        Enclosing { owner: name.clone(), class, is_decorated: false },
                    ));
                    let Enclosing { class, is_decorated, .. } = around;
                    found.push(Walked { at: child, name, class, is_decorated });
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|walked| walked.at);
    found
}

/// In the order they start.
pub fn all(text: &str, flat: &Flat<'_>, sloc: &LineSet, profile: Profile) -> Vec<Callable> {
    let branches = branches_before(flat);
    let callable = |walked: Walked| {
        let after = flat.entries[walked.at].after as usize;
        let cc = 1 + branches[after] - branches[walked.at];
        let sloc = length(text, flat, walked.at, sloc, profile);
        Callable { name: walked.name, span: span(flat, walked.at), cc, sloc }
    };
    functions(text, flat).map(callable).collect()
}

/// The names of the functions that count, without what they lie in.
pub fn plain_names<'a>(text: &'a str, flat: &Flat<'_>) -> HashSet<&'a str> {
    functions(text, flat).map(|walked| name(text, flat, walked.at)).collect()
}

fn functions(text: &str, flat: &Flat<'_>) -> impl Iterator<Item = Walked> {
    let all = walk(text, flat).into_iter();
    all.filter(|walked| is(flat, walked.at) == Is::Function)
}

/// How many branches lie before each entry; one more at the end.
fn branches_before(flat: &Flat<'_>) -> Vec<u32> {
    let (mut before, mut count) = (Vec::with_capacity(flat.len() + 1), 0);
    for entry in &flat.entries {
        before.push(count);
        count += u32::from(KINDS.has(entry.kind, BRANCH));
    }
    before.push(count);
    before
}

fn name<'a>(text: &'a str, flat: &Flat<'_>, at: usize) -> &'a str {
    let name = flat.child_of_kind(at, "identifier");
    name.and_then(|name| text.get(flat.node(name).byte_range())).unwrap_or_default()
}

fn dotted(owner: &str, name: &str) -> String {
    if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") }
}

fn length(text: &str, flat: &Flat<'_>, at: usize, sloc: &LineSet, profile: Profile) -> u32 {
    if profile.is_scb_check() {
        return sloc.count_within(span(flat, at));
    }
    let body = flat.text_of(text, at);
    let counts = |line: &&str| {
        let line = line.trim_matches(text::is_space);
        !line.is_empty() && !line.starts_with('#')
    };
    u32::try_from(body.lines().filter(counts).count()).unwrap_or(u32::MAX)
}
