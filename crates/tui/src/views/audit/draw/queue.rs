//! Draws the queue: a row for each item and the status of its label.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use trajview_run::format_number;

use crate::{
    session::{Session, study::StudyMode},
    views::{
        audit::{
            AuditPart, AuditView,
            queue::{LabelStatus, QueueEntry},
            study_queue::{StudyEntry, entry_at},
        },
        verdict::plain_name,
    },
    widgets::{
        line::{fit_spans, left_and_right, safe_string, trusted_span},
        panel::draw_sentence,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::{LabelUnit, score_text};

use super::draw_frame;

/// Cells of an id with the blank after it.
const ID_CELLS: usize = 5;

pub fn draw(view: &AuditView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if session.study_queue().is_some() {
        return draw_study(view, session, theme, area, buffer);
    }
    let of = match session.audit.unit() {
        LabelUnit::Component => "queue".to_owned(),
        unit => format!("queue of {}", unit.plural_word()),
    };
    let inner = draw_frame(view, AuditPart::Queue, [&of, ""], theme, area, buffer);
    let entries = view.audit_entries(session);
    if entries.is_empty() {
        let words = "this judgement has no scores";
        return draw_sentence(words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    let chosen = theme.chosen_row(view.part == AuditPart::Queue);
    view.rows.draw_rows(Some(chosen), theme, buffer, |index| {
        let is_here = index == view.rows.cursor();
        entry_line(&entries[index], is_here, theme, usize::from(inner.width))
    });
}

/// Returns `▌C07 Relative position…   ✓ 3 agrees`.
fn entry_line(entry: &QueueEntry, is_here: bool, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let right = status_spans(entry, theme);
    let mut left = vec![trusted_span(if is_here { "▌" } else { " " }, muted)];
    left.extend(id_and_name(entry, theme, width / 2));
    left_and_right(left, right, width)
}

/// Returns the id, cut to `most` cells, and the name.
fn id_and_name(entry: &QueueEntry, theme: Theme, most: usize) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let id = fit_spans(vec![Span::raw(safe_string(&entry.id))], most);
    let id: String = id.into_iter().map(|span| span.content.into_owned()).collect();
    let name = trusted_span(safe_string(plain_name(&entry.name)), plain);
    // The name of what was raised has its place already.
    match entry.is_raised {
        true => vec![name],
        false => {
            vec![trusted_span(format!("{id:<0$}", ID_CELLS.max(text::width(&id) + 1)), muted), name]
        }
    }
}

fn status_spans(entry: &QueueEntry, theme: Theme) -> Vec<Span<'static>> {
    let (words, meaning) = match entry.status {
        LabelStatus::Unlabelled => (format_number::MISSING_SIGN.to_owned(), Meaning::Muted),
        LabelStatus::TakenBack => ("undone".to_owned(), Meaning::Warning),
        LabelStatus::Proposed(Some(score)) => {
            (format!("{} proposed", score_text(score)), Meaning::Key)
        }
        LabelStatus::Proposed(None) => ("? proposed".to_owned(), Meaning::Key),
        LabelStatus::Open => ("cannot tell".to_owned(), Meaning::Muted),
        LabelStatus::Settled(score) => (LabelStatus::settled_text(score), Meaning::Added),
        LabelStatus::Agrees(score) => (format!("✓ {} agrees", score_text(score)), Meaning::Added),
        LabelStatus::Differs { score, is_explained: true } => {
            (format!("✗ {} differs", score_text(score)), Meaning::Removed)
        }
        LabelStatus::Differs { score, is_explained: false } => {
            (format!("✗ {} differs, why?", score_text(score)), Meaning::Removed)
        }
    };
    let mut spans = vec![];
    if entry.is_unsaved {
        spans.push(trusted_span("unsaved ", theme.style_for(Meaning::Warning)));
    }
    spans.push(trusted_span(words, theme.style_for(meaning)));
    spans
}

/// The names of runs may take one part in this many of the width.
const RUN_NAMES_SHARE: usize = 3;

/// Draws the queue of a study: a row for each item with its run and the status of its label.
fn draw_study(view: &AuditView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(study) = session.study_queue() else { return };
    let title = match study.mode {
        StudyMode::Labelling => "queue",
        StudyMode::Adjudicating => "to adjudicate",
    };
    let inner = draw_frame(view, AuditPart::Queue, [title, ""], theme, area, buffer);
    if study.is_empty() {
        let words = match study.mode {
            StudyMode::Labelling => "nothing to label",
            StudyMode::Adjudicating => "no disagreements",
        };
        return draw_sentence(words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    let width = usize::from(inner.width);
    let top = view.rows.top();
    let entries: Vec<StudyEntry> =
        view.rows.visible_rows().filter_map(|at| entry_at(session, at)).collect();
    let runs =
        entries.iter().map(|it| text::width(&safe_string(&it.run))).max().unwrap_or_default();
    let runs = runs.min(width / RUN_NAMES_SHARE);
    let chosen = theme.chosen_row(view.part == AuditPart::Queue);
    view.rows.draw_rows(Some(chosen), theme, buffer, |at| {
        let is_here = at == view.rows.cursor();
        let entry = entries.get(at - top);
        entry.map_or_else(Line::default, |it| study_row(it, is_here, theme, (width, runs)))
    });
}

/// Returns `▌one     C07 Relative position…   ✓ 3 agrees`.
fn study_row(
    of: &StudyEntry,
    is_here: bool,
    theme: Theme,
    (width, runs): (usize, usize),
) -> Line<'static> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let run = text::truncate(&safe_string(&of.run), runs, "…").into_owned();
    let gap = " ".repeat(runs.saturating_sub(text::width(&run)) + 1);
    let mut left = vec![
        trusted_span(if is_here { "▌" } else { " " }, muted),
        trusted_span(format!("{run}{gap}"), plain),
    ];
    left.extend(id_and_name(&of.entry, theme, width / 2));
    left_and_right(left, status_spans(&of.entry, theme), width)
}
