//! Which lines of a Python file have code on them.
//!
//! The references count the lines on which a token of CPython 3.12 starts. Here that is read off the tree: the row of
//! every leaf, but of a string only its own, unless it is an f-string, whose pieces are tokens of their own.

use crate::metrics::quality::{
    file::LineSet,
    flat::Flat,
    profile::Profile,
    text::{self, Lines},
};

/// The lines with code, without those of docstrings (`scb-paper`) or of strings that stand alone (`scb-check`).
pub fn lines(text: &str, flat: &Flat<'_>, lines: &Lines<'_>, profile: Profile) -> LineSet {
    let mut has_code = vec![false; lines.len() + 2];
    let mut at = 0;
    while at < flat.len() {
        let kind = flat.kind(at);
        let is_plain_string = kind == "string" && !prefix(text, flat, at).contains('f');
        let starts_token = flat.is_leaf(at) || is_plain_string || kind == "string";
        let counts = starts_token && !matches!(kind, "comment" | "line_continuation");
        if counts && !flat.entries[at].node.byte_range().is_empty() {
            mark(&mut has_code, lines.line_of(flat.entries[at].node.start_byte()));
        }
        at = if is_plain_string { flat.entries[at].after as usize } else { at + 1 };
    }
    for string in strings_left_out(text, flat, lines, profile) {
        let node = flat.entries[string].node;
        let rows = node.start_position().row..=node.end_position().row;
        rows.for_each(|row| has_code.get_mut(row + 1).into_iter().for_each(|line| *line = false));
    }
    let with_code = (0..).zip(has_code).filter(|(_, has)| *has);
    with_code.map(|(line, _)| line).collect()
}

fn mark(lines: &mut [bool], line: u32) {
    if let Some(line) = lines.get_mut(line as usize) {
        *line = true;
    }
}

/// What stands before the quote, in lower case.
pub(super) fn prefix(text: &str, flat: &Flat<'_>, string: usize) -> String {
    let text = text.get(flat.entries[string].node.byte_range()).unwrap_or_default();
    text.chars().take_while(|c| !matches!(c, '"' | '\'')).flat_map(char::to_lowercase).collect()
}

fn strings_left_out(
    text: &str,
    flat: &Flat<'_>,
    lines: &Lines<'_>,
    profile: Profile,
) -> Vec<usize> {
    let statements = (0..flat.len()).filter(|&at| flat.kind(at) == "expression_statement");
    let strings = statements
        .filter_map(|at| plain_string_statement(text, flat, at).map(|string| (at, string)));
    let kept: Box<dyn Fn(&(usize, usize)) -> bool> = if profile.is_scb_check() {
        Box::new(|&(_, string)| owns_its_lines(flat, lines, string))
    } else {
        Box::new(|&(statement, _)| opens_a_body(flat, statement))
    };
    strings.filter(kept).map(|(_, string)| string).collect()
}

/// The string of a statement that is nothing else, without `b` or `f` before it.
pub(super) fn plain_string_statement(text: &str, flat: &Flat<'_>, at: usize) -> Option<usize> {
    if flat.kind(at) != "expression_statement" {
        return None;
    }
    let string = flat.only_named_child(at)?;
    let prefix = (flat.kind(string) == "string").then(|| prefix(text, flat, string))?;
    (!prefix.contains(['b', 'f'])).then_some(string)
}

fn owns_its_lines(flat: &Flat<'_>, lines: &Lines<'_>, string: usize) -> bool {
    let node = flat.entries[string].node;
    let (start, end) = (node.start_position(), node.end_position());
    let before = lines.line(start.row).chars().take(start.column);
    let after = lines.line(end.row).chars().skip(end.column);
    before.chain(after).all(text::is_space)
}

/// Whether a statement is the first of a module, class, function or any other block.
fn opens_a_body(flat: &Flat<'_>, statement: usize) -> bool {
    let parent = flat.entries[statement].parent as usize;
    let mut before = flat.named_children(parent).take_while(|&child| child < statement);
    matches!(flat.kind(parent), "module" | "block")
        && before.all(|child| flat.kind(child) == "comment")
}

/// Lines that are neither blank, nor only a comment, nor a string that stands alone.
pub fn loc(flat: &Flat<'_>, lines: &Lines<'_>) -> u32 {
    let _ = flat;
    let blank = |row: &usize| lines.line(*row).chars().all(text::is_space);
    u32::try_from((0..lines.len()).filter(|row| !blank(row)).count()).unwrap_or(u32::MAX)
}
