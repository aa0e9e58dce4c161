//! The languages beside Python: what counts as a function, a branch and a clone in each, as data, and why.
//!
//! The rules of Python are carried over: a function counts with all that lies in it and, if it has a name, again as
//! its own; each loop, condition, handler and boolean operator adds a path; what only names a way out does not. To add
//! a language: a row of [`ROWS`], and its grammar in [`trajview_code::tree`].

mod check_020;
pub mod names;
mod rows;

use crate::quality::span;
use std::{collections::BTreeMap, sync::LazyLock};
use trajview_code::flat::Flat;

use super::{
    MIN_CLONE_LINES,
    file::{Callable, CloneCandidate, FileMeasure, LineSet},
    kinds::{BRANCH, CALLABLE, CASE, CLONE, COMMENT, Kinds, Names, OPERATION, OWNER},
    normal::{self, Fate, Normal},
    profile::Profile,
};
use trajview_code::tree::Grammar;

pub use rows::ROWS;

/// What the kinds of a language mean.
#[derive(Debug)]
pub struct Row {
    pub grammars: &'static [Grammar],
    pub names: Names,
    /// Words that add a path below one of `names.operations`.
    pub operators: &'static [&'static str],
    /// Measured even where the grammar finds an error, as where a preprocessor may have the last word.
    pub bears_errors: bool,
    /// Why these, where it is not plain.
    pub why: &'static str,
}

impl Row {
    pub fn of(grammar: Grammar) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.grammars.contains(&grammar))
    }
}

static KINDS: LazyLock<BTreeMap<Grammar, Kinds>> = LazyLock::new(|| {
    let kinds = |grammar: Grammar| {
        Some((grammar, Kinds::new(&grammar.language()?, &Row::of(grammar)?.names)))
    };
    Grammar::ALL.into_iter().filter_map(kinds).collect()
});

/// Everything but rules. Empty for a grammar without a row.
pub fn measure(text: &str, flat: &Flat<'_>, grammar: Grammar, profile: Profile) -> FileMeasure {
    if profile == Profile::ScbCheck020 {
        return check_020::measure(text, flat, grammar);
    }
    let (Some(row), Some(kinds)) = (Row::of(grammar), KINDS.get(&grammar)) else {
        return FileMeasure::default();
    };
    let file = Source { text, flat, row, kinds };
    let sloc = file.sloc();
    FileMeasure {
        lines: u32::try_from(text.lines().count()).unwrap_or(u32::MAX),
        loc: sloc.len(),
        callables: file.callables(&sloc),
        clones: file.clones(),
        sloc,
        ..FileMeasure::default()
    }
}

struct Source<'a> {
    text: &'a str,
    flat: &'a Flat<'a>,
    row: &'a Row,
    kinds: &'a Kinds,
}

impl Source<'_> {
    fn has(&self, at: usize, flags: u16) -> bool {
        self.kinds.has(self.flat.entries[at].kind, flags)
    }

    fn text_of(&self, at: usize) -> &str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    /// Lines with something on them that is no comment.
    fn sloc(&self) -> LineSet {
        let blank: Vec<bool> = self.text.split('\n').map(|line| line.trim().is_empty()).collect();
        let mut lines = vec![];
        let mut at = 0;
        while at < self.flat.len() {
            let is_comment = self.has(at, COMMENT);
            if !is_comment && self.flat.is_leaf(at) && !self.flat.node(at).byte_range().is_empty() {
                let span = span(self.flat, at);
                lines.extend(
                    (span.start..=span.end)
                        .filter(|line| blank.get(*line as usize - 1) == Some(&false)),
                );
            }
            at = if is_comment { self.flat.entries[at].after as usize } else { at + 1 };
        }
        lines.into_iter().collect()
    }

    /// Functions with a name and a body, in the order they start.
    fn callables(&self, sloc: &LineSet) -> Vec<Callable> {
        let branches = self.branches_before();
        let mut found = vec![];
        // Ends and dotted names of what the next entry lies in.
        let mut around: Vec<(usize, String)> = vec![];
        for at in 0..self.flat.len() {
            while around.pop_if(|(end, _)| *end <= at).is_some() {}
            let is_callable = self.has(at, CALLABLE);
            if !is_callable && !self.has(at, OWNER) {
                continue;
            }
            let Some(name) = self.name(at, is_callable) else { continue };
            let name = around.last().map_or(name.clone(), |(_, owner)| format!("{owner}.{name}"));
            let after = self.flat.entries[at].after as usize;
            around.push((after, name.clone()));
            if is_callable {
                let (cc, span) = (1 + branches[after] - branches[at], span(self.flat, at));
                found.push(Callable { name, span, cc, sloc: sloc.count_within(span) });
            }
        }
        found
    }

    fn name(&self, at: usize, is_callable: bool) -> Option<String> {
        let node = self.flat.node(at);
        let has_body = !is_callable || node.child_by_field_name("body").is_some();
        has_body.then(|| names::of(node, self.text)).flatten()
    }

    /// How many branches lie before each entry; one more at the end.
    fn branches_before(&self) -> Vec<u32> {
        let counts = (0..self.flat.len()).scan(0, |count, at| {
            *count += u32::from(self.is_branch(at));
            Some(*count)
        });
        std::iter::once(0).chain(counts).collect()
    }

    fn is_branch(&self, at: usize) -> bool {
        let entry = &self.flat.entries[at];
        if !entry.is_named {
            return self.has(entry.parent as usize, OPERATION)
                && self.row.operators.contains(&self.flat.kind(at));
        }
        self.has(at, BRANCH) || (self.has(at, CASE) && !self.is_default(at))
    }

    /// Whether a case is the one for everything else.
    fn is_default(&self, case: usize) -> bool {
        let mut children = self.flat.children(case);
        let Some(first) = children.next() else { return false };
        self.text_of(first) == "default"
            || (self.flat.entries[first].is_named && self.text_of(first) == "_")
    }

    /// Named nodes only, as for Python in this profile.
    fn clones(&self) -> Vec<CloneCandidate> {
        let fate =
            |at: usize| if self.flat.entries[at].is_named { Fate::Kept } else { Fate::Dropped };
        let source = normal::Source { text: self.text, flat: self.flat, kinds: self.kinds };
        let mut normal = Normal::of(source, fate);
        let pieces = (0..self.flat.len()).filter(|&at| self.has(at, CLONE));
        let candidate = |at| {
            let span = span(self.flat, at);
            let lines = span.end - span.start + 1;
            (lines >= MIN_CLONE_LINES).then(|| CloneCandidate {
                hash: normal.hash(at),
                span,
                lines,
            })
        };
        pieces.filter_map(candidate).collect()
    }
}

#[cfg(test)]
mod tests;
