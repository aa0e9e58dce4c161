//! Lines with more on them than comments, brackets and commas.

use std::collections::HashMap;
use trajview_code::flat::Flat;

use crate::quality::{
    file::LineSet,
    kinds::{COMMENT, Kinds},
    text::{self, Lines},
};

pub fn lines(flat: &Flat<'_>, kinds: &Kinds, lines: &Lines<'_>) -> LineSet {
    let comments = comments(flat, kinds);
    let counts = |row: &usize| {
        let left = without(lines.line(*row), comments.get(row).map_or(&[], Vec::as_slice));
        let left = left.trim_matches(text::is_space);
        // A space between two brackets makes a line one with code, as that tool has it.
        !left.is_empty() && !left.chars().all(|c| "{}[]();,:".contains(c))
    };
    let counted = (0..lines.len()).filter(counts);
    counted.filter_map(|row| u32::try_from(row + 1).ok()).collect()
}

/// Intervals of columns by row. That tool takes columns, which are bytes, for characters.
fn comments(flat: &Flat<'_>, kinds: &Kinds) -> HashMap<usize, Vec<(usize, usize)>> {
    let mut rows: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    let is_comment = |&at: &usize| kinds.has(flat.entries[at].kind, COMMENT);
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

fn without(line: &str, intervals: &[(usize, usize)]) -> String {
    let inside = |column: usize| intervals.iter().any(|&(from, to)| (from..to).contains(&column));
    line.chars().enumerate().filter(|(column, _)| !inside(*column)).map(|(_, c)| c).collect()
}
