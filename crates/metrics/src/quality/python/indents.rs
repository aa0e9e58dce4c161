//! Indentation as CPython's tokenizer checks it: a line is measured with tabs to every eighth column and with tabs of
//! one, and both must say the same of whether it lies deeper.

use super::is::{Is, is};
use trajview_code::flat::Flat;

/// Columns of a line's first word: with wide tabs, and with narrow ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Indent {
    wide: usize,
    narrow: usize,
}

/// Whether tabs and blanks are mixed so that it depends on the width of a tab what lies in what, or a line ends no
/// block that was begun.
pub fn are_inconsistent(text: &str, flat: &Flat<'_>) -> bool {
    let mut open = vec![Indent::default()];
    first_words(text, flat).into_iter().any(|start| !takes(&mut open, indent(text, start)))
}

fn takes(open: &mut Vec<Indent>, line: Indent) -> bool {
    let top = open.last().copied().unwrap_or_default();
    if line.wide > top.wide {
        open.push(line);
        return line.narrow > top.narrow;
    }
    while open.pop_if(|indent| indent.wide > line.wide).is_some() {}
    open.last() == Some(&line)
}

fn indent(text: &str, start: usize) -> Indent {
    let line = text.get(..start).unwrap_or_default();
    let line = line.rsplit('\n').next().unwrap_or_default();
    line.trim_start_matches(super::sloc::BYTE_ORDER_MARK).chars().fold(
        Indent::default(),
        |at, c| match c {
            '\t' => Indent { wide: at.wide / 8 * 8 + 8, narrow: at.narrow + 1 },
            '\u{c}' => Indent::default(),
            _ => Indent { wide: at.wide + 1, narrow: at.narrow + 1 },
        },
    )
}

/// Where the first word of each logical line starts: not one inside brackets or strings, nor after a `\` at a line's end.
fn first_words(text: &str, flat: &Flat<'_>) -> Vec<usize> {
    let (mut starts, mut brackets, mut at) = (vec![], 0_usize, 0);
    let mut last_row = None;
    while at < flat.len() {
        let entry = &flat.entries[at];
        let (kind, range) = (is(flat, at), entry.start as usize..entry.end as usize);
        let is_whole = matches!(kind, Is::String | Is::Comment | Is::Continuation);
        let is_word = kind == Is::String || (flat.is_leaf(at) && !is_whole);
        if is_word && !range.is_empty() {
            let row = flat.node(at).start_position().row;
            if brackets == 0 && last_row.is_none_or(|last| last < row) {
                starts.push(range.start);
            }
            let end = flat.node(at).end_position().row + continued(text, range.end);
            last_row = last_row.max(Some(end));
            match kind {
                Is::Opening => brackets += 1,
                Is::Closing => brackets = brackets.saturating_sub(1),
                _ => {}
            }
        }
        at = if is_whole { entry.after as usize } else { at + 1 };
    }
    starts
}

/// How many lines a `\\` at the end of this one, and of those after it, takes in.
fn continued(text: &str, end: usize) -> usize {
    let mut rest = text.get(end..).unwrap_or_default();
    let mut rows = 0;
    while let Some(next) = rest.trim_start_matches([' ', '\t', '\u{c}']).strip_prefix("\\\n") {
        (rest, rows) = (next, rows + 1);
    }
    rows
}
