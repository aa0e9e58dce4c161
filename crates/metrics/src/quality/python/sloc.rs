//! Which lines of a Python file have code on them.
//!
//! The references count the lines on which a token of CPython 3.12 starts. Here that is read off the tree: the row of
//! every leaf, but of a string only its own, unless it is an f-string, whose pieces are tokens of their own.

use std::borrow::Cow;

use super::is::{Is, is};
use crate::quality::{
    file::LineSet,
    profile::Profile,
    text::{self, Lines},
};
use trajview_code::flat::Flat;

/// The lines with code, without those of docstrings (`scb-paper`) or of strings that stand alone (`scb-check`).
pub fn lines(text: &str, flat: &Flat<'_>, lines: &Lines<'_>, profile: Profile) -> LineSet {
    let mut has_code = vec![false; lines.len() + 2];
    let mut at = 0;
    while at < flat.len() {
        let token = token(text, flat, at);
        if token != Token::None && flat.entries[at].start < flat.entries[at].end {
            mark(&mut has_code, lines.first_of(flat.node(at)));
        }
        if profile != Profile::Trajview && is(flat, at) == Is::Comment {
            mark_tail(&mut has_code, flat, at, lines);
        }
        at = if token == Token::Whole { flat.entries[at].after as usize } else { at + 1 };
    }
    if profile.is_scb_check() && text.starts_with(BYTE_ORDER_MARK) {
        mark(&mut has_code, 1); // a token of its own there
    }
    let mut has_code = has_code.split_off(1);
    for string in strings_left_out(text, flat, lines, profile) {
        leave_out(&mut has_code, flat, string);
    }
    let with_code = (1..).zip(has_code).filter(|(_, has)| *has);
    with_code.map(|(line, _)| line).collect()
}

/// At the start of a file: it is read as text, not taken off.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether a token starts where a node starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    None,
    /// One, and none inside.
    Whole,
    /// One, and those of what is inside.
    Start,
}

fn token(text: &str, flat: &Flat<'_>, at: usize) -> Token {
    match is(flat, at) {
        Is::Comment | Is::Continuation => Token::None,
        Is::String if prefix(text, flat, at).contains('f') => Token::Start,
        Is::String => Token::Whole,
        // In the text of an f-string a doubled brace ends a token, an escape does not.
        Is::StringContent => Token::Start,
        Is::Escape => Token::None,
        _ if flat.is_leaf(at) => Token::Whole,
        _ => Token::None,
    }
}

fn mark(lines: &mut [bool], line: u32) {
    if let Some(line) = lines.get_mut(line as usize) {
        *line = true;
    }
}

/// Python's tokenizer is given lines that are also cut at form feeds and at the separators of Unicode: what follows one
/// in a comment is code to it.
fn mark_tail(has_code: &mut [bool], flat: &Flat<'_>, comment: usize, lines: &Lines<'_>) {
    let range = flat.node(comment).byte_range();
    let (first, last) =
        (lines.line_of(range.start), lines.line_of(range.end.saturating_sub(1).max(range.start)));
    for line in first + 1..=last {
        let tail = lines.line(line as usize - 1).trim_matches(text::is_space);
        if !tail.is_empty() && !tail.starts_with('#') {
            mark(has_code, line);
        }
    }
}

/// What stands before the quote, in lower case.
pub fn prefix<'a>(text: &'a str, flat: &Flat<'_>, string: usize) -> Cow<'a, str> {
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
    flat: &Flat<'_>,
    lines: &Lines<'_>,
    profile: Profile,
) -> Vec<usize> {
    if !profile.is_scb_check() {
        return docstrings(text, flat).collect();
    }
    let statements = (0..flat.len()).filter(|&at| is(flat, at) == Is::ExpressionStatement);
    let strings = statements.filter_map(|at| plain_string_statement(text, flat, at));
    strings.filter(|&string| owns_its_lines(flat, lines, string)).collect()
}

/// The string of a statement that is nothing else, without `b` or `f` before it.
pub fn plain_string_statement(text: &str, flat: &Flat<'_>, at: usize) -> Option<usize> {
    if is(flat, at) != Is::ExpressionStatement {
        return None;
    }
    let string = flat.only_named_child(at)?;
    is_plain(text, flat, string).then_some(string)
}

fn is_plain(text: &str, flat: &Flat<'_>, string: usize) -> bool {
    is(flat, string) == Is::String && !prefix(text, flat, string).contains(['b', 'f'])
}

/// Whether there is nothing else on the first and last line of a string.
fn owns_its_lines(flat: &Flat<'_>, lines: &Lines<'_>, string: usize) -> bool {
    let node = flat.node(string);
    let (start, end) = (node.start_position(), node.end_position());
    // That tool takes the columns of a syntax tree, which are bytes, for characters.
    let before = lines.line(start.row).chars().take(start.column);
    let after = lines.line(end.row).chars().skip(end.column);
    before.chain(after).all(text::is_space)
}

/// Statements that are a string and the first of a `body`, as Python's `ast` calls it: `else` and `finally` have none.
fn docstrings<'a>(text: &'a str, flat: &'a Flat<'_>) -> impl Iterator<Item = usize> + 'a {
    let is_body = |at: &usize| {
        let holder = || flat.kind(flat.entries[*at].parent as usize);
        let kind = is(flat, *at);
        kind == Is::Module
            || (kind == Is::Block && !matches!(holder(), "else_clause" | "finally_clause"))
    };
    let is_code = |at: &usize| is(flat, *at) != Is::Comment;
    let first = move |body: usize| flat.named_children(body).find(is_code);
    let bodies = (0..flat.len()).filter(is_body);
    bodies.filter_map(first).filter(|&statement| is_constant_string(text, flat, statement))
}

/// A string, pieces of one side by side, or either in parentheses.
fn is_constant_string(text: &str, flat: &Flat<'_>, statement: usize) -> bool {
    if is(flat, statement) != Is::ExpressionStatement {
        return false;
    }
    let mut value = flat.only_named_child(statement);
    while let Some(inner) = value.filter(|&at| flat.kind(at) == "parenthesized_expression") {
        value = flat.only_named_child(inner);
    }
    value.is_some_and(|value| match flat.kind(value) {
        "concatenated_string" => flat.named_children(value).all(|part| is_plain(text, flat, part)),
        _ => is_plain(text, flat, value),
    })
}

/// Lines that are neither blank, nor only a comment between statements, nor a string that stands alone. As radon's
/// `sloc`.
pub fn loc(text: &str, flat: &Flat<'_>, lines: &Lines<'_>) -> u32 {
    let mut counts: Vec<bool> = (0..lines.len()).map(|row| !lines.is_blank(row)).collect();
    let mut brackets = 0_u32;
    for at in 0..flat.len() {
        match is(flat, at) {
            Is::Opening => brackets += 1,
            Is::Closing => brackets = brackets.saturating_sub(1),
            Is::Comment if brackets == 0 && owns_its_lines(flat, lines, at) => {
                leave_out(&mut counts, flat, at)
            }
            Is::ExpressionStatement if is_alone(text, flat, lines, at) => {
                leave_out(&mut counts, flat, at)
            }
            _ => {}
        }
    }
    u32::try_from(counts.into_iter().filter(|counts| *counts).count()).unwrap_or(u32::MAX)
}

fn is_alone(text: &str, flat: &Flat<'_>, lines: &Lines<'_>, statement: usize) -> bool {
    let string = flat.only_named_child(statement).filter(|&string| is(flat, string) == Is::String);
    string.is_some_and(|string| {
        !prefix(text, flat, string).contains('f') && owns_its_lines(flat, lines, string)
    })
}

fn leave_out(counts: &mut [bool], flat: &Flat<'_>, at: usize) {
    let node = flat.node(at);
    for row in node.start_position().row..=node.end_position().row {
        counts.get_mut(row).into_iter().for_each(|line| *line = false);
    }
}
