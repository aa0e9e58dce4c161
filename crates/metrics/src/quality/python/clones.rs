//! Finds pieces of a Python file that may be clones.

use std::{num::NonZeroU16, sync::LazyLock};

use tree_sitter::Language;

use super::{
    KINDS,
    node_kinds::{PythonNode, python_node},
    sloc,
};
use crate::quality::node_span;
use crate::quality::{
    MIN_CLONE_LINES,
    file_measure::{CloneCandidate, LineSet, SourceSpan},
    kinds::CLONE,
    normalisation::{self, NodeFate, NormalisedFile},
    profile::QualityProfile,
};
use trajview_code::flat_tree::FlatTree;

/// Returns the candidates, sorted by start. The paper's code sees named nodes only, comments and docstrings included,
/// and a piece has three physical lines; `scb-check` sees all nodes but comments and stand-alone strings, and a piece
/// has three lines of code.
pub(crate) fn clone_candidates(
    text: &str,
    flat: &FlatTree<'_>,
    sloc: &LineSet,
    profile: QualityProfile,
) -> Vec<CloneCandidate> {
    let is_check = profile.is_scb_check();
    let fate =
        |at: usize| if is_check { fate_in_check(text, flat, at) } else { fate_in_paper(flat, at) };
    let mut normal =
        NormalisedFile::new(normalisation::NormalSource { text, flat, kinds: &KINDS }, fate);
    let pieces = (0..flat.len()).filter(|&at| KINDS.has_flags(flat.entries[at].kind, CLONE));
    let may_be_left_out =
        profile.is_scb_check() && memchr::memmem::find(text.as_bytes(), TYPE_CHECKING).is_some();
    let counts = |at: &usize| !(may_be_left_out && is_for_type_checking(text, flat, *at));
    let candidate = |at| {
        let span = node_span(flat, at);
        let lines = clone_length(span, sloc, profile);
        (lines >= MIN_CLONE_LINES).then(|| CloneCandidate {
            hash: normal.hash_piece(at),
            span,
            lines,
        })
    };
    pieces.filter(counts).filter_map(candidate).collect()
}

fn clone_length(span: SourceSpan, sloc: &LineSet, profile: QualityProfile) -> u32 {
    if profile.is_scb_check() { sloc.count_within(span) } else { span.end - span.start + 1 }
}

fn fate_in_paper(flat: &FlatTree<'_>, at: usize) -> NodeFate {
    if !flat.entries[at].is_named {
        NodeFate::Dropped
    } else if python_node(flat, at) == PythonNode::ExpressionStatement {
        NodeFate::Opened
    } else {
        NodeFate::Kept
    }
}

fn fate_in_check(text: &str, flat: &FlatTree<'_>, at: usize) -> NodeFate {
    let is_dropped = match python_node(flat, at) {
        PythonNode::Comment => true,
        PythonNode::ExpressionStatement => sloc::plain_string_statement(text, flat, at).is_some(),
        _ => false,
    };
    if is_dropped { NodeFate::Dropped } else { NodeFate::Kept }
}

const TYPE_CHECKING: &[u8] = b"TYPE_CHECKING";

fn is_for_type_checking(text: &str, flat: &FlatTree<'_>, at: usize) -> bool {
    static CONDITION: LazyLock<Option<NonZeroU16>> = LazyLock::new(|| {
        Language::from(tree_sitter_python::LANGUAGE).field_id_for_name("condition")
    });
    let node = flat.node(at);
    let condition = CONDITION.and_then(|field| node.child_by_field_id(field.get()));
    let condition = condition.and_then(|condition| text.get(condition.byte_range()));
    matches!(condition, Some("TYPE_CHECKING" | "typing.TYPE_CHECKING"))
}
