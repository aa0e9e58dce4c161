//! Pieces of a Python file that may be clones.

use std::{num::NonZeroU16, sync::LazyLock};

use tree_sitter::Language;

use super::{
    KINDS,
    is::{Is, is},
    sloc,
};
use crate::quality::span;
use crate::quality::{
    MIN_CLONE_LINES,
    file::{CloneCandidate, LineSet, Span},
    kinds::CLONE,
    normal::{self, Fate, Normal},
    profile::Profile,
};
use trajview_code::flat::Flat;

/// In the order they start. The paper's code sees named nodes only, comments and docstrings included, and a piece has
/// three physical lines; `scb-check` sees all nodes but comments and stand-alone strings, and a piece has three lines
/// of code.
pub fn candidates(
    text: &str,
    flat: &Flat<'_>,
    sloc: &LineSet,
    profile: Profile,
) -> Vec<CloneCandidate> {
    let is_check = profile.is_scb_check();
    let fate = |at: usize| if is_check { in_check(text, flat, at) } else { in_paper(flat, at) };
    let mut normal = Normal::of(normal::Source { text, flat, kinds: &KINDS }, fate);
    let pieces = (0..flat.len()).filter(|&at| KINDS.has(flat.entries[at].kind, CLONE));
    let may_be_left_out =
        profile.is_scb_check() && memchr::memmem::find(text.as_bytes(), TYPE_CHECKING).is_some();
    let counts = |at: &usize| !(may_be_left_out && is_for_type_checking(text, flat, *at));
    let candidate = |at| {
        let span = span(flat, at);
        let lines = length(span, sloc, profile);
        (lines >= MIN_CLONE_LINES).then(|| CloneCandidate { hash: normal.hash(at), span, lines })
    };
    pieces.filter(counts).filter_map(candidate).collect()
}

fn length(span: Span, sloc: &LineSet, profile: Profile) -> u32 {
    if profile.is_scb_check() { sloc.count_within(span) } else { span.end - span.start + 1 }
}

fn in_paper(flat: &Flat<'_>, at: usize) -> Fate {
    if !flat.entries[at].is_named {
        Fate::Dropped
    } else if is(flat, at) == Is::ExpressionStatement {
        Fate::Opened
    } else {
        Fate::Kept
    }
}

fn in_check(text: &str, flat: &Flat<'_>, at: usize) -> Fate {
    let is_dropped = match is(flat, at) {
        Is::Comment => true,
        Is::ExpressionStatement => sloc::plain_string_statement(text, flat, at).is_some(),
        _ => false,
    };
    if is_dropped { Fate::Dropped } else { Fate::Kept }
}

const TYPE_CHECKING: &[u8] = b"TYPE_CHECKING";

fn is_for_type_checking(text: &str, flat: &Flat<'_>, at: usize) -> bool {
    static CONDITION: LazyLock<Option<NonZeroU16>> = LazyLock::new(|| {
        Language::from(tree_sitter_python::LANGUAGE).field_id_for_name("condition")
    });
    let node = flat.node(at);
    let condition = CONDITION.and_then(|field| node.child_by_field_id(field.get()));
    let condition = condition.and_then(|condition| text.get(condition.byte_range()));
    matches!(condition, Some("TYPE_CHECKING" | "typing.TYPE_CHECKING"))
}
