//! The rows that the text of one step takes.
//!
//! Rows hold positions, not text: a result of many megabytes costs a few words a row, and the screen slices what it
//! draws out of the text itself.

use std::ops::Range;

use crate::widgets::wrap::wrap;
use trajview_run::{StepText, search::StepField};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowKind {
    Head,
    /// The name of the part that follows.
    Section(StepField),
    /// Bytes `range` of the part's text; `line` counts from 0.
    Text {
        field: StepField,
        line: usize,
        range: Range<usize>,
    },
    /// The text is on its way.
    Waiting,
    /// Why there is no text.
    Failed,
    /// There is nothing to read here.
    Empty,
    /// The rest is too long to be shown.
    Cut(StepField),
}

/// Rows of one part at most; a bound on memory, far beyond what anybody scrolls through.
const MOST_ROWS: usize = 200_000;

/// The rows below the head of an unfolded step, `width` cells wide; one at least.
pub fn of(text: Option<&Result<std::sync::Arc<StepText>, String>>, width: usize) -> Vec<RowKind> {
    at_most(text, width, MOST_ROWS)
}

/// The same with so many rows of each part at most.
pub fn at_most(
    text: Option<&Result<std::sync::Arc<StepText>, String>>,
    width: usize,
    most: usize,
) -> Vec<RowKind> {
    let text = match text {
        None => return vec![RowKind::Waiting],
        Some(Err(_)) => return vec![RowKind::Failed],
        Some(Ok(text)) => text,
    };
    let parts: Vec<_> = parts_of(text).collect();
    let has_sections = parts.iter().any(|(field, _)| *field != StepField::Text);
    let mut rows = vec![];
    for (field, words) in &parts {
        rows.extend(has_sections.then_some(RowKind::Section(*field)));
        push_text(*field, words, (width, most), &mut rows);
    }
    if rows.is_empty() { vec![RowKind::Empty] } else { rows }
}

fn push_text(
    field: StepField,
    words: &str,
    (width, most): (usize, usize),
    rows: &mut Vec<RowKind>,
) {
    let end = rows.len() + most;
    for (line, bytes) in lines_of(words).enumerate() {
        for part in wrap(&words[bytes.clone()], width) {
            if rows.len() == end {
                return rows.push(RowKind::Cut(field));
            }
            let range = bytes.start + part.start..bytes.start + part.end;
            rows.push(RowKind::Text { field, line, range });
        }
    }
}

/// The bytes of each line, line ends not included; the same lines as [`str::lines`].
fn lines_of(text: &str) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.lines().map(move |line| {
        let start = line.as_ptr() as usize - base;
        start..start + line.len()
    })
}

/// One part of a step's text, as recorded.
pub fn part_of(text: &StepText, field: StepField) -> Option<&str> {
    match field {
        StepField::Text => Some(text.text.as_str()),
        StepField::Arguments => text.arguments.as_deref(),
        StepField::Result => text.result.as_deref(),
    }
}

fn parts_of(text: &StepText) -> impl Iterator<Item = (StepField, &str)> {
    [StepField::Text, StepField::Arguments, StepField::Result]
        .into_iter()
        .filter_map(|field| Some((field, part_of(text, field)?)))
        .filter(|(_, words)| !words.trim().is_empty())
}

/// Which row of a body holds a byte of a line of a part; both as [`trajview_run::search::Hit`] counts them.
pub fn row_of(
    body: &[RowKind],
    text: &StepText,
    wanted: StepField,
    line: usize,
    byte: usize,
) -> Option<usize> {
    let start = lines_of(part_of(text, wanted)?).nth(line)?.start;
    body.iter().rposition(|row| match row {
        RowKind::Text { field, line: at, range } => {
            *field == wanted && *at == line && range.start <= start + byte
        }
        _ => false,
    })
}
