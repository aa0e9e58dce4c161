//! Indentation as CPython's tokenizer checks it: a line is measured with tab stops at every eighth column and with
//! tabs of width one, and both must agree on whether it is deeper.

use super::node_kinds::{PythonNode, python_node};
use trajview_code::flat_tree::FlatTree;

/// Columns of a line's first word: with wide tabs, and with narrow ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct IndentColumns {
    wide: usize,
    narrow: usize,
}

/// Returns whether tabs and blanks are mixed so that the nesting depends on the width of a tab, or a line's
/// indentation matches no open block.
pub(crate) fn are_inconsistent(text: &str, flat: &FlatTree<'_>) -> bool {
    let mut open = vec![IndentColumns::default()];
    first_words(text, flat)
        .into_iter()
        .any(|start| !accepts_line(&mut open, indent_at(text, start)))
}

fn accepts_line(open: &mut Vec<IndentColumns>, line: IndentColumns) -> bool {
    let top = open.last().copied().unwrap_or_default();
    if line.wide > top.wide {
        open.push(line);
        return line.narrow > top.narrow;
    }
    while open.pop_if(|indent| indent.wide > line.wide).is_some() {}
    open.last() == Some(&line)
}

fn indent_at(text: &str, start: usize) -> IndentColumns {
    let line = text.get(..start).unwrap_or_default();
    let line = line.rsplit('\n').next().unwrap_or_default();
    line.trim_start_matches(super::sloc::BYTE_ORDER_MARK).chars().fold(
        IndentColumns::default(),
        |at, c| match c {
            '\t' => IndentColumns { wide: at.wide / 8 * 8 + 8, narrow: at.narrow + 1 },
            '\u{c}' => IndentColumns::default(),
            _ => IndentColumns { wide: at.wide + 1, narrow: at.narrow + 1 },
        },
    )
}

/// Returns the start of the first word of each logical line; lines inside brackets or strings, and after a `\` at a
/// line's end, are not logical lines.
fn first_words(text: &str, flat: &FlatTree<'_>) -> Vec<usize> {
    let (mut starts, mut brackets, mut at) = (vec![], 0_usize, 0);
    let mut last_row = None;
    while at < flat.len() {
        let entry = &flat.entries[at];
        let (kind, range) = (python_node(flat, at), entry.start as usize..entry.end as usize);
        let is_whole =
            matches!(kind, PythonNode::String | PythonNode::Comment | PythonNode::Continuation);
        let is_word = kind == PythonNode::String || (flat.is_leaf(at) && !is_whole);
        if is_word && !range.is_empty() {
            let row = flat.node(at).start_position().row;
            if brackets == 0 && last_row.is_none_or(|last| last < row) {
                starts.push(range.start);
            }
            let end = flat.node(at).end_position().row + continuation_rows(text, range.end);
            last_row = last_row.max(Some(end));
            match kind {
                PythonNode::Opening => brackets += 1,
                PythonNode::Closing => brackets = brackets.saturating_sub(1),
                _ => {}
            }
        }
        at = if is_whole { entry.after as usize } else { at + 1 };
    }
    starts
}

/// Returns the number of lines joined to this one by a `\\` at its end, and at the end of those after it.
fn continuation_rows(text: &str, end: usize) -> usize {
    let mut rest = text.get(end..).unwrap_or_default();
    let mut rows = 0;
    while let Some(next) = rest.trim_start_matches([' ', '\t', '\u{c}']).strip_prefix("\\\n") {
        (rest, rows) = (next, rows + 1);
    }
    rows
}
