//! Finds the lines of a Python file that have code.
//!
//! The references count the lines on which a token of CPython 3.12 starts. Here the tree gives these lines: the row of
//! every leaf; a string counts as a whole, unless it is an f-string, whose pieces are separate tokens.

use std::borrow::Cow;

use super::node_kinds::{PythonNode, python_node};
use crate::quality::{
    file_measure::LineSet,
    profile::QualityProfile,
    python_lines::{self, PythonLines},
};
use trajview_code::flat_tree::FlatTree;

/// Returns the lines with code, without those of docstrings (`scb-paper`) or of stand-alone strings (`scb-check`).
pub(crate) fn source_lines(
    text: &str,
    flat: &FlatTree<'_>,
    lines: &PythonLines<'_>,
    profile: QualityProfile,
) -> LineSet {
    let mut has_code = vec![false; lines.len() + 2];
    let mut at = 0;
    while at < flat.len() {
        let token = token_start(text, flat, at);
        if token != TokenStart::None && flat.entries[at].start < flat.entries[at].end {
            mark_line(&mut has_code, lines.first_of(flat.node(at)));
        }
        if profile != QualityProfile::Trajview && python_node(flat, at) == PythonNode::Comment {
            mark_tail(&mut has_code, flat, at, lines);
        }
        at = if token == TokenStart::Whole { flat.entries[at].after as usize } else { at + 1 };
    }
    if profile.is_scb_check() && text.starts_with(BYTE_ORDER_MARK) {
        mark_line(&mut has_code, 1); // a token of its own there
    }
    let mut has_code = has_code.split_off(1);
    for string in strings_left_out(text, flat, lines, profile) {
        leave_out(&mut has_code, flat, string);
    }
    let with_code = (1..).zip(has_code).filter(|(_, has)| *has);
    with_code.map(|(line, _)| line).collect()
}

/// The byte order mark at the start of a file, which is read as text and not removed.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The tokens that start at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenStart {
    None,
    /// One token, and none inside.
    Whole,
    /// One token, and those of the nodes inside.
    Start,
}

fn token_start(text: &str, flat: &FlatTree<'_>, at: usize) -> TokenStart {
    match python_node(flat, at) {
        PythonNode::Comment | PythonNode::Continuation => TokenStart::None,
        PythonNode::String if string_prefix(text, flat, at).contains('f') => TokenStart::Start,
        PythonNode::String => TokenStart::Whole,
        // In the text of an f-string a doubled brace ends a token, an escape does not.
        PythonNode::StringContent => TokenStart::Start,
        PythonNode::Escape => TokenStart::None,
        _ if flat.is_leaf(at) => TokenStart::Whole,
        _ => TokenStart::None,
    }
}

fn mark_line(lines: &mut [bool], line: u32) {
    if let Some(line) = lines.get_mut(line as usize) {
        *line = true;
    }
}

/// Marks the text after a form feed or a Unicode separator in a comment. Python's tokenizer gets lines that are also
/// split there, so that it treats this text as code.
fn mark_tail(has_code: &mut [bool], flat: &FlatTree<'_>, comment: usize, lines: &PythonLines<'_>) {
    let range = flat.node(comment).byte_range();
    let (first, last) =
        (lines.line_of(range.start), lines.line_of(range.end.saturating_sub(1).max(range.start)));
    for line in first + 1..=last {
        let tail = lines.line_at(line as usize - 1).trim_matches(python_lines::is_space);
        if !tail.is_empty() && !tail.starts_with('#') {
            mark_line(has_code, line);
        }
    }
}

/// Returns the prefix of a string, in lower case.
pub(crate) fn string_prefix<'a>(text: &'a str, flat: &FlatTree<'_>, string: usize) -> Cow<'a, str> {
    let text = flat.text_of(text, string);
    let quote = text.find(['"', '\'']).unwrap_or(text.len());
    let prefix = &text[..quote];
    if prefix.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(prefix);
    }
    Cow::Owned(prefix.chars().flat_map(char::to_lowercase).collect())
}

fn strings_left_out(
    text: &str,
    flat: &FlatTree<'_>,
    lines: &PythonLines<'_>,
    profile: QualityProfile,
) -> Vec<usize> {
    if !profile.is_scb_check() {
        return docstring_statements(text, flat).collect();
    }
    let statements =
        (0..flat.len()).filter(|&at| python_node(flat, at) == PythonNode::ExpressionStatement);
    let strings = statements.filter_map(|at| plain_string_statement(text, flat, at));
    strings.filter(|&string| owns_its_lines(flat, lines, string)).collect()
}

/// Returns the string of a statement that is only a string without the prefix `b` or `f`; else None.
pub(crate) fn plain_string_statement(text: &str, flat: &FlatTree<'_>, at: usize) -> Option<usize> {
    if python_node(flat, at) != PythonNode::ExpressionStatement {
        return None;
    }
    let string = flat.only_named_child(at)?;
    is_plain(text, flat, string).then_some(string)
}

fn is_plain(text: &str, flat: &FlatTree<'_>, string: usize) -> bool {
    python_node(flat, string) == PythonNode::String
        && !string_prefix(text, flat, string).contains(['b', 'f'])
}

/// Returns whether there is nothing else on the first and last line of a node.
fn owns_its_lines(flat: &FlatTree<'_>, lines: &PythonLines<'_>, string: usize) -> bool {
    let node = flat.node(string);
    let (start, end) = (node.start_position(), node.end_position());
    // That tool treats the columns of a syntax tree, which are bytes, as characters.
    let before = lines.line_at(start.row).chars().take(start.column);
    let after = lines.line_at(end.row).chars().skip(end.column);
    before.chain(after).all(python_lines::is_space)
}

/// Returns the statements that are a string and the first of a `body` in the sense of Python's `ast`: `else` and
/// `finally` have none.
fn docstring_statements<'a>(
    text: &'a str,
    flat: &'a FlatTree<'_>,
) -> impl Iterator<Item = usize> + 'a {
    let is_body = |at: &usize| {
        let holder = || flat.kind_name(flat.entries[*at].parent as usize);
        let kind = python_node(flat, *at);
        kind == PythonNode::Module
            || (kind == PythonNode::Block && !matches!(holder(), "else_clause" | "finally_clause"))
    };
    let is_code = |at: &usize| python_node(flat, *at) != PythonNode::Comment;
    let first = move |body: usize| flat.named_children(body).find(is_code);
    let bodies = (0..flat.len()).filter(is_body);
    bodies.filter_map(first).filter(|&statement| is_constant_string(text, flat, statement))
}

/// Returns whether a statement is a string, a concatenation of strings, or one of these in parentheses.
fn is_constant_string(text: &str, flat: &FlatTree<'_>, statement: usize) -> bool {
    if python_node(flat, statement) != PythonNode::ExpressionStatement {
        return false;
    }
    let mut value = flat.only_named_child(statement);
    while let Some(inner) = value.filter(|&at| flat.kind_name(at) == "parenthesized_expression") {
        value = flat.only_named_child(inner);
    }
    value.is_some_and(|value| match flat.kind_name(value) {
        "concatenated_string" => flat.named_children(value).all(|part| is_plain(text, flat, part)),
        _ => is_plain(text, flat, value),
    })
}

/// Returns the number of lines that are neither blank, nor only a comment between statements, nor a stand-alone
/// string, like radon's `sloc`.
pub(crate) fn count_loc(text: &str, flat: &FlatTree<'_>, lines: &PythonLines<'_>) -> u32 {
    let mut counts: Vec<bool> = (0..lines.len()).map(|row| !lines.is_blank(row)).collect();
    let mut brackets = 0_u32;
    for at in 0..flat.len() {
        match python_node(flat, at) {
            PythonNode::Opening => brackets += 1,
            PythonNode::Closing => brackets = brackets.saturating_sub(1),
            PythonNode::Comment if brackets == 0 && owns_its_lines(flat, lines, at) => {
                leave_out(&mut counts, flat, at)
            }
            PythonNode::ExpressionStatement if is_alone(text, flat, lines, at) => {
                leave_out(&mut counts, flat, at)
            }
            _ => {}
        }
    }
    u32::try_from(counts.into_iter().filter(|counts| *counts).count()).unwrap_or(u32::MAX)
}

fn is_alone(text: &str, flat: &FlatTree<'_>, lines: &PythonLines<'_>, statement: usize) -> bool {
    let string = flat
        .only_named_child(statement)
        .filter(|&string| python_node(flat, string) == PythonNode::String);
    string.is_some_and(|string| {
        !string_prefix(text, flat, string).contains('f') && owns_its_lines(flat, lines, string)
    })
}

fn leave_out(counts: &mut [bool], flat: &FlatTree<'_>, at: usize) {
    let node = flat.node(at);
    for row in node.start_position().row..=node.end_position().row {
        counts.get_mut(row).into_iter().for_each(|line| *line = false);
    }
}
