//! Finds the lines with more than comments, brackets and commas.

use std::collections::HashMap;
use trajview_code::flat_tree::FlatTree;

use crate::quality::{
    file_measure::LineSet,
    kinds::{COMMENT, GrammarKinds},
    python_lines::{self, PythonLines},
};

/// Returns the lines with code.
pub(crate) fn source_lines(
    flat: &FlatTree<'_>,
    kinds: &GrammarKinds,
    lines: &PythonLines<'_>,
) -> LineSet {
    let comments = comment_columns(flat, kinds);
    let counts = |row: &usize| {
        let left =
            without_columns(lines.line_at(*row), comments.get(row).map_or(&[], Vec::as_slice));
        let left = left.trim_matches(python_lines::is_space);
        // A space between two brackets makes a line one with code, as that tool has it.
        !left.is_empty() && !left.chars().all(|c| "{}[]();,:".contains(c))
    };
    let counted = (0..lines.len()).filter(counts);
    counted.filter_map(|row| u32::try_from(row + 1).ok()).collect()
}

/// Returns the comments as intervals of columns, keyed by row. That tool treats columns, which are bytes, as
/// characters.
fn comment_columns(
    flat: &FlatTree<'_>,
    kinds: &GrammarKinds,
) -> HashMap<usize, Vec<(usize, usize)>> {
    let mut rows: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    let is_comment = |&at: &usize| kinds.has_flags(flat.entries[at].kind, COMMENT);
    for comment in (0..flat.len()).filter(is_comment).map(|at| flat.node(at)) {
        let (start, end) = (comment.start_position(), comment.end_position());
        for row in start.row..=end.row {
            let from = if row == start.row { start.column } else { 0 };
            let to = if row == end.row { end.column } else { usize::MAX };
            rows.entry(row).or_default().push((from, to));
        }
    }
    rows.values_mut().for_each(|intervals| intervals.sort_unstable());
    rows
}

fn without_columns(line: &str, intervals: &[(usize, usize)]) -> String {
    let inside = |column: usize| intervals.iter().any(|&(from, to)| (from..to).contains(&column));
    line.chars().enumerate().filter(|(column, _)| !inside(*column)).map(|(_, c)| c).collect()
}
