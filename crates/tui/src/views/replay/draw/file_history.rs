//! The list of every change to one thing, with the lines of the selected one.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{Session, pending::Loading, turn_counts::LineTotals},
    views::{
        diff_rows::rows_between,
        replay::{ReplayView, file_history::FileHistoryList},
    },
    widgets::{
        line::{
            fit_spans, fit_text_end, left_and_right, recorded_span, safe_string, spans_width,
            trusted_span,
        },
        panel::{draw_sentence, put_row},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    files::{
        ChangeOrigin, FileDiff,
        history::{HistoryEntry, HistorySubject},
    },
    format_number::count_with_noun,
};

use super::turns::line_counts;

/// Returns ` history of src/loss.py::joint_loss  7 changes `.
pub(super) fn title_spans(past: &FileHistoryList, theme: Theme) -> Vec<Span<'static>> {
    let (bold, muted) = (theme.style_for(Meaning::Title), theme.style_for(Meaning::Muted));
    let Some(history) = past.loaded.ready() else {
        let path = past.query.as_ref().map(|it| it.path.to_string()).unwrap_or_default();
        return vec![trusted_span(format!(" history of {} ", safe_string(&path)), bold)];
    };
    let name = safe_string(&history.place.display_text());
    let count = count_with_noun(history.entries.len(), "change");
    let is_fallback = history.place.symbol.is_none()
        && past.query.as_ref().is_some_and(|it| matches!(it.subject, HistorySubject::AtLine(_)));
    let why = if is_fallback { " · not in a function" } else { "" };
    vec![
        trusted_span(format!(" history of {name} "), bold),
        trusted_span(format!(" {count}{why} "), muted),
    ]
}

/// Returns the sentence for an empty list.
pub(super) fn why_empty(past: &FileHistoryList) -> String {
    match &past.loaded {
        Loading::Failed(why) => safe_string(why),
        Loading::Ready(_) => "no changes in this run".into(),
        Loading::Nothing | Loading::Waiting(_) => "computing…".into(),
    }
}

/// Returns `12.7  changed  +3 −1  combine the losses`.
pub(super) fn entry_line(
    entry: &HistoryEntry,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (muted, plain) = (theme.style_for(Meaning::Muted), theme.style_for(Meaning::Text));
    let mark = if entry.origin == ChangeOrigin::Recorded { " " } else { "◇" };
    let what = text::truncate(entry.change.word(), CHANGE_CELLS, "…").to_string();
    let mut left = vec![
        trusted_span(format!("{:<8}", entry.moment_text()), theme.style_for(Meaning::Heading)),
        trusted_span(mark, theme.style_for(Meaning::Warning)),
        trusted_span(format!(" {what:<CHANGE_CELLS$} "), plain),
    ];
    let counts = entry.diff.line_counts().map(|it| line_counts(LineTotals::from(it), theme));
    let counts = counts.unwrap_or_default();
    let spaced = counts.into_iter().flat_map(|count| [count, trusted_span(" ", muted)]);
    let counts: Vec<Span> = spaced.collect();
    let blank = COUNT_CELLS.saturating_sub(spans_width(&counts));
    left.extend(counts);
    left.push(trusted_span(" ".repeat(blank + 1), muted));
    let title = session.run.turns.get(entry.event.turn).map_or("", |turn| &turn.title);
    left.push(recorded_span(title, muted));
    Line::from(fit_spans(left, width))
}

/// Columns of what became of it, and of lines added and removed.
const CHANGE_CELLS: usize = 8;
const COUNT_CELLS: usize = 10;

/// Draws the lines of the selected change under a heading.
pub(super) fn draw_lines(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let at = view.chooser.as_ref().map_or(0, |chooser| chooser.list.cursor());
    let Some(entry) = view.file_history.entries().get(at) else { return };
    put_row(entry_heading(entry, session, theme, usize::from(area.width)), None, area, 0, buffer);
    let below =
        Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1), ..area };
    let Some(compared) = view.file_history.shown_lines() else { return };
    let words = match &*compared.diff {
        FileDiff::NotRecorded(why) => Some(safe_string(why)),
        FileDiff::Binary { .. } => Some("not text".to_owned()),
        FileDiff::TooBig { .. } => Some("too big to compare line by line".to_owned()),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_)
            if compared.rows.is_empty() =>
        {
            Some("no line changed".to_owned())
        }
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_) => None,
    };
    match words {
        Some(words) => draw_sentence(&words, theme.style_for(Meaning::Muted), below, buffer),
        None => {
            let rows = rows_between(compared, None, 0, theme, usize::from(below.width));
            let lines = view.file_history.lines;
            lines.draw_rows(theme, buffer, rows.visible_lines(lines.visible_rows(), None));
        }
    }
}

/// Returns `moved from src/old.py          edit src/loss.py`.
fn entry_heading(
    entry: &HistoryEntry,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let by = match entry.event.step.and_then(|step| session.run.step(step)) {
        Some(step) => safe_string(&step.label),
        None => entry.origin.display_text().to_owned(),
    };
    let left = vec![trusted_span(
        format!(" {}", safe_string(&entry.change_text())),
        theme.style_for(Meaning::Hunk),
    )];
    let room = width.saturating_sub(spans_width(&left) + 2);
    left_and_right(
        left,
        vec![trusted_span(fit_text_end(&by, room), theme.style_for(Meaning::Muted))],
        width,
    )
}
