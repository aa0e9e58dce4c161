//! Functions of a Python file: which count, their paths and their length.

use std::sync::LazyLock;

use crate::metrics::quality::{
    file::{Callable, LineSet, Span},
    flat::Flat,
    kinds::{BRANCH, Kinds},
    profile::Profile,
    text,
};

/// What adds a path. `else`, `try`, `finally`, `with`, `match` and `case` do not; each `and` and `or` does.
const BRANCHES: &[&str] = &[
    "if_statement",
    "elif_clause",
    "for_statement",
    "while_statement",
    "except_clause",
    "assert_statement",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
    "boolean_operator",
    "conditional_expression",
    "if_clause",
];

static KINDS: LazyLock<Kinds> =
    LazyLock::new(|| Kinds::new(&tree_sitter_python::LANGUAGE.into(), &[(BRANCH, BRANCHES)]));

/// In the order they start. A `def` below anything but classes, decorators and functions is not one of its own.
pub fn all(text: &str, flat: &Flat<'_>, sloc: &LineSet, profile: Profile) -> Vec<Callable> {
    let branches = branches_before(flat);
    let mut found = vec![];
    // Entries whose children are looked at, with the dotted name they lie in.
    let mut open = vec![(0, String::new())];
    while let Some((at, owner)) = open.pop() {
        let mut below = vec![];
        for child in flat.children(at) {
            match flat.kind(child) {
                "block" | "decorated_definition" => below.push((child, owner.clone())),
                "class_definition" => below.push((child, dotted(&owner, name(text, flat, child)))),
                "function_definition" => {
                    let name = dotted(&owner, name(text, flat, child));
                    let after = flat.entries[child].after as usize;
                    let cc = 1 + branches[after] - branches[child];
                    let sloc = length(text, flat, child, sloc, profile);
                    found.push((
                        child,
                        Callable { name: name.clone(), span: span(flat, child), cc, sloc },
                    ));
                    below.push((child, name));
                }
                _ => {}
            }
        }
        open.extend(below);
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, callable)| callable).collect()
}

/// How many branches lie before each entry; one more at the end.
fn branches_before(flat: &Flat<'_>) -> Vec<u32> {
    let mut count = 0;
    let mut before = vec![0];
    for entry in &flat.entries {
        count += u32::from(KINDS.has(entry.kind, BRANCH));
        before.push(count);
    }
    before
}

fn name<'a>(text: &'a str, flat: &Flat<'_>, at: usize) -> &'a str {
    let name = flat.child_of_kind(at, "identifier");
    name.and_then(|name| text.get(flat.entries[name].node.byte_range())).unwrap_or_default()
}

fn dotted(owner: &str, name: &str) -> String {
    if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") }
}

pub(super) fn span(flat: &Flat<'_>, at: usize) -> Span {
    let node = flat.entries[at].node;
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    Span { start: line(node.start_position().row), end: line(node.end_position().row) }
}

fn length(text: &str, flat: &Flat<'_>, at: usize, sloc: &LineSet, profile: Profile) -> u32 {
    if profile.is_scb_check() {
        return sloc.count_within(span(flat, at));
    }
    let body = text.get(flat.entries[at].node.byte_range()).unwrap_or_default();
    let counts = |line: &&str| {
        let line = line.trim_matches(text::is_space);
        !line.is_empty() && !line.starts_with('#')
    };
    u32::try_from(body.lines().filter(counts).count()).unwrap_or(u32::MAX)
}
