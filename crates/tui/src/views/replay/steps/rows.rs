//! The rows of the text of one step.
//!
//! Rows contain positions, not text: a result of many megabytes costs a few words a row, and the screen slices the
//! drawn part out of the text itself.

use std::ops::Range;

use crate::widgets::wrap::{line_ranges, wrap_text};
use trajview_run::{StepText, search::StepField};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepRowKind {
    Head,
    /// The name of the part that follows.
    Section(StepField),
    /// Bytes `range` of the part's text; `line` counts from 0.
    Text {
        field: StepField,
        line: usize,
        range: Range<usize>,
    },
    /// The text is loading.
    Waiting,
    /// The text could not be loaded.
    Failed,
    /// There is nothing to read here.
    Empty,
    /// The rest is too long to be shown.
    Cut(StepField),
}

/// Rows of one part at most; a bound on memory, far beyond what anybody scrolls through.
const MAX_ROWS: usize = 200_000;

/// Returns the rows below the head of an unfolded step, `width` cells wide; one at least.
pub(crate) fn body_rows(
    text: Option<&Result<std::sync::Arc<StepText>, String>>,
    width: usize,
) -> Vec<StepRowKind> {
    body_rows_at_most(text, width, MAX_ROWS)
}

/// Returns the rows below the head of an unfolded step, `width` cells wide, at most `most` of each field.
pub fn body_rows_at_most(
    text: Option<&Result<std::sync::Arc<StepText>, String>>,
    width: usize,
    most: usize,
) -> Vec<StepRowKind> {
    let text = match text {
        None => return vec![StepRowKind::Waiting],
        Some(Err(_)) => return vec![StepRowKind::Failed],
        Some(Ok(text)) => text,
    };
    let parts: Vec<_> = nonblank_fields(text).collect();
    let has_sections = parts.iter().any(|(field, _)| *field != StepField::Text);
    let mut rows = vec![];
    for (field, words) in &parts {
        rows.extend(has_sections.then_some(StepRowKind::Section(*field)));
        push_text(*field, words, (width, most), &mut rows);
    }
    if rows.is_empty() { vec![StepRowKind::Empty] } else { rows }
}

fn push_text(
    field: StepField,
    words: &str,
    (width, most): (usize, usize),
    rows: &mut Vec<StepRowKind>,
) {
    let end = rows.len() + most;
    for (line, range) in wrap_text(words, width) {
        if rows.len() == end {
            return rows.push(StepRowKind::Cut(field));
        }
        rows.push(StepRowKind::Text { field, line, range });
    }
}

/// Returns one part of a step's text, as recorded.
pub fn step_field_text(text: &StepText, field: StepField) -> Option<&str> {
    match field {
        StepField::Text => Some(text.text.as_str()),
        StepField::Arguments => text.arguments.as_deref(),
        StepField::Result => text.result.as_deref(),
    }
}

fn nonblank_fields(text: &StepText) -> impl Iterator<Item = (StepField, &str)> {
    [StepField::Text, StepField::Arguments, StepField::Result]
        .into_iter()
        .filter_map(|field| Some((field, step_field_text(text, field)?)))
        .filter(|(_, words)| !words.trim().is_empty())
}

/// Returns the row of a body that contains a byte of a line of a field; both count as in
/// [`trajview_run::search::SearchHit`].
pub(crate) fn row_of_byte(
    body: &[StepRowKind],
    text: &StepText,
    field: StepField,
    line: usize,
    byte: usize,
) -> Option<usize> {
    let start = line_ranges(step_field_text(text, field)?).nth(line)?.start;
    body.iter().rposition(|row| match row {
        StepRowKind::Text { field: of, line: at, range } => {
            *of == field && *at == line && range.start <= start + byte
        }
        _ => false,
    })
}
