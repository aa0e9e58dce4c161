//! The languages other than Python: tables of the nodes that count as function, branch and clone, with the reasons.
//!
//! The rules of Python are carried over: a function counts with everything inside it and, if it has a name, again on
//! its own; each loop, condition, handler and boolean operator adds a path; a mere exit from a block does not. To add
//! a language, add a row to [`ROWS`], and its grammar in [`trajview_code::tree`].

mod check_020;
pub mod names;
mod rows;

use crate::quality::node_span;
use std::{collections::BTreeMap, sync::LazyLock};
use trajview_code::flat_tree::FlatTree;

use super::{
    MIN_CLONE_LINES,
    file_measure::{CloneCandidate, FileCallable, FileMeasure, LineSet},
    kinds::{BRANCH, CALLABLE, CASE, CLONE, COMMENT, GrammarKinds, KindNames, OPERATION, OWNER},
    normalisation::{self, NodeFate, NormalisedFile},
    profile::QualityProfile,
};
use trajview_code::tree::Grammar;

pub use rows::ROWS;

/// The meanings of a language's kinds.
#[derive(Debug)]
pub struct MeasuredLanguage {
    pub grammars: &'static [Grammar],
    pub names: KindNames,
    /// Words that add a path below one of `names.operations`.
    pub operators: &'static [&'static str],
    /// True where a file is measured even if the grammar finds an error, as in languages with a preprocessor.
    pub bears_errors: bool,
    /// The reasons for the choice, where they are not obvious.
    pub why: &'static str,
}

impl MeasuredLanguage {
    /// Returns the row of a grammar; None where there is none.
    pub(crate) fn for_grammar(grammar: Grammar) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.grammars.contains(&grammar))
    }
}

static KINDS: LazyLock<BTreeMap<Grammar, GrammarKinds>> = LazyLock::new(|| {
    let kinds = |grammar: Grammar| {
        Some((
            grammar,
            GrammarKinds::new(
                &grammar.tree_sitter_language()?,
                &MeasuredLanguage::for_grammar(grammar)?.names,
            ),
        ))
    };
    Grammar::ALL.into_iter().filter_map(kinds).collect()
});

/// Measures everything but rules; empty for a grammar without a row.
pub(crate) fn measure_language(
    text: &str,
    flat: &FlatTree<'_>,
    grammar: Grammar,
    profile: QualityProfile,
) -> FileMeasure {
    if profile == QualityProfile::ScbCheck020 {
        return check_020::measure_dialect(text, flat, grammar);
    }
    let (Some(row), Some(kinds)) = (MeasuredLanguage::for_grammar(grammar), KINDS.get(&grammar))
    else {
        return FileMeasure::default();
    };
    let file = LanguageSource { text, flat, row, kinds };
    let sloc = file.source_lines();
    FileMeasure {
        lines: u32::try_from(text.lines().count()).unwrap_or(u32::MAX),
        loc: sloc.len(),
        callables: file.named_callables(&sloc),
        clones: file.clone_candidates(),
        sloc,
        ..FileMeasure::default()
    }
}

struct LanguageSource<'a> {
    text: &'a str,
    flat: &'a FlatTree<'a>,
    row: &'a MeasuredLanguage,
    kinds: &'a GrammarKinds,
}

impl LanguageSource<'_> {
    fn has_flags(&self, at: usize, flags: u16) -> bool {
        self.kinds.has_flags(self.flat.entries[at].kind, flags)
    }

    fn text_of(&self, at: usize) -> &str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    /// Returns the lines with text other than comments.
    fn source_lines(&self) -> LineSet {
        let blank: Vec<bool> = self.text.split('\n').map(|line| line.trim().is_empty()).collect();
        let mut lines = vec![];
        let mut at = 0;
        while at < self.flat.len() {
            let is_comment = self.has_flags(at, COMMENT);
            if !is_comment && self.flat.is_leaf(at) && !self.flat.node(at).byte_range().is_empty() {
                let span = node_span(self.flat, at);
                lines.extend(
                    (span.start..=span.end)
                        .filter(|line| blank.get(*line as usize - 1) == Some(&false)),
                );
            }
            at = if is_comment { self.flat.entries[at].after as usize } else { at + 1 };
        }
        lines.into_iter().collect()
    }

    /// Returns the functions with a name and a body, sorted by start.
    fn named_callables(&self, sloc: &LineSet) -> Vec<FileCallable> {
        let branches = self.branches_before();
        let mut callables = vec![];
        // The ends and dotted names of the definitions around the next entry.
        let mut enclosing: Vec<(usize, String)> = vec![];
        for at in 0..self.flat.len() {
            while enclosing.pop_if(|(end, _)| *end <= at).is_some() {}
            let is_callable = self.has_flags(at, CALLABLE);
            if !is_callable && !self.has_flags(at, OWNER) {
                continue;
            }
            let Some(name) = self.entry_name(at, is_callable) else { continue };
            let name =
                enclosing.last().map_or(name.clone(), |(_, owner)| format!("{owner}.{name}"));
            let after = self.flat.entries[at].after as usize;
            enclosing.push((after, name.clone()));
            if is_callable {
                let (cc, span) = (1 + branches[after] - branches[at], node_span(self.flat, at));
                callables.push(FileCallable { name, span, cc, sloc: sloc.count_within(span) });
            }
        }
        callables
    }

    fn entry_name(&self, at: usize, is_callable: bool) -> Option<String> {
        let node = self.flat.node(at);
        let has_body = !is_callable || node.child_by_field_name("body").is_some();
        has_body.then(|| names::definition_name(node, self.text)).flatten()
    }

    /// Returns the number of branches before each entry, with one more element at the end.
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
            return self.has_flags(entry.parent as usize, OPERATION)
                && self.row.operators.contains(&self.flat.kind_name(at));
        }
        self.has_flags(at, BRANCH) || (self.has_flags(at, CASE) && !self.is_default(at))
    }

    /// Returns whether a case is the default case.
    fn is_default(&self, case: usize) -> bool {
        let mut children = self.flat.children(case);
        let Some(first) = children.next() else { return false };
        self.text_of(first) == "default"
            || (self.flat.entries[first].is_named && self.text_of(first) == "_")
    }

    /// Returns the pieces that may be clones, from named nodes only, as for Python in this profile.
    fn clone_candidates(&self) -> Vec<CloneCandidate> {
        let fate = |at: usize| {
            if self.flat.entries[at].is_named { NodeFate::Kept } else { NodeFate::Dropped }
        };
        let source =
            normalisation::NormalSource { text: self.text, flat: self.flat, kinds: self.kinds };
        let mut normal = NormalisedFile::new(source, fate);
        let pieces = (0..self.flat.len()).filter(|&at| self.has_flags(at, CLONE));
        let candidate = |at| {
            let span = node_span(self.flat, at);
            let lines = span.end - span.start + 1;
            (lines >= MIN_CLONE_LINES).then(|| CloneCandidate {
                hash: normal.hash_piece(at),
                span,
                lines,
            })
        };
        pieces.filter_map(candidate).collect()
    }
}

#[cfg(test)]
mod tests;
