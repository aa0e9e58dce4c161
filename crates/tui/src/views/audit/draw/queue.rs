//! One row a component of the queue: what it is, and how its label stands.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{Session, study::Mode},
    views::{
        audit::{
            Audit, Part,
            over_runs::{StudyEntry, entry_at},
            queue::{Entry, Standing},
        },
        verdict::plain_name,
    },
    widgets::{
        line::{fit, own, safe, sides},
        panel::{position, put_row, sentence},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::rubric::{Unit, written};

use super::frame;

/// Cells of an id with the blank after it.
const ID: usize = 5;

pub fn draw(view: &Audit, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if session.study().is_some() {
        return draw_study(view, session, theme, area, buffer);
    }
    let of = match session.audited.unit() {
        Unit::Component => "queue".to_owned(),
        unit => format!("queue of {}", unit.plural()),
    };
    let inner = frame(view, Part::Queue, [&of, ""], theme, area, buffer);
    let entries = view.audit_entries(session);
    if entries.is_empty() {
        let words = "this judgement gives no score to anything";
        return sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    let scroll = view.rows;
    let is_focused = view.part == Part::Queue;
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let width = usize::from(inner.width);
    let seen = entries.iter().enumerate().skip(scroll.top).take(usize::from(inner.height));
    for (index, entry) in seen {
        let is_here = index == scroll.cursor;
        let style = is_here.then_some(chosen);
        put_row(
            row(entry, is_here, theme, width),
            style,
            inner,
            (index - scroll.top) as u16,
            buffer,
        );
    }
    position(scroll.top, entries.len(), theme, area, buffer);
}

/// `▌C07 Relative position…   ✓ 3 agrees`
fn row(entry: &Entry, is_here: bool, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let right = standing(entry, theme);
    let mut left = vec![own(if is_here { "▌" } else { " " }, muted)];
    left.extend(named(entry, theme, width / 2));
    sides(left, right, width)
}

/// Its id, in so many cells at most, and its name.
fn named(entry: &Entry, theme: Theme, most: usize) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let id = fit(vec![Span::raw(safe(&entry.id))], most);
    let id: String = id.into_iter().map(|span| span.content.into_owned()).collect();
    let name = own(safe(plain_name(&entry.name)), plain);
    // The name of what was raised has its place already.
    match entry.is_raised {
        true => vec![name],
        false => vec![own(format!("{id:<0$}", ID.max(text::width(&id) + 1)), muted), name],
    }
}

fn standing(entry: &Entry, theme: Theme) -> Vec<Span<'static>> {
    let (words, meaning) = match entry.standing {
        Standing::Unlabelled => ("–".to_owned(), Meaning::Muted),
        Standing::TakenBack => ("taken back".to_owned(), Meaning::Warning),
        Standing::Proposed(Some(score)) => (format!("{} proposed", written(score)), Meaning::Key),
        Standing::Proposed(None) => ("? proposed".to_owned(), Meaning::Key),
        Standing::Open => ("cannot tell".to_owned(), Meaning::Muted),
        Standing::Settled(score) => (Standing::settled(score), Meaning::Added),
        Standing::Agrees(score) => (format!("✓ {} agrees", written(score)), Meaning::Added),
        Standing::Differs { score, is_explained: true } => {
            (format!("✗ {} differs", written(score)), Meaning::Removed)
        }
        Standing::Differs { score, is_explained: false } => {
            (format!("✗ {} differs, why?", written(score)), Meaning::Removed)
        }
    };
    let mut spans = vec![];
    if entry.is_unsaved {
        spans.push(own("unsaved ", theme.of(Meaning::Warning)));
    }
    spans.push(own(words, theme.of(meaning)));
    spans
}

/// Of the width, as much as the names of runs may have at most: a third.
const RUNS: usize = 3;

/// One row a thing of a study: which run, what it is, and how its label stands.
fn draw_study(view: &Audit, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(study) = session.study() else { return };
    let title = match study.mode {
        Mode::Labelling => "queue",
        Mode::Adjudicating => "to be settled",
    };
    let inner = frame(view, Part::Queue, [title, ""], theme, area, buffer);
    if study.is_empty() {
        let words = match study.mode {
            Mode::Labelling => "nothing to label",
            Mode::Adjudicating => "no two raters differ",
        };
        return sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    let is_focused = view.part == Part::Queue;
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let (scroll, width) = (view.rows, usize::from(inner.width));
    let seen = scroll.top..(scroll.top + usize::from(inner.height)).min(study.len());
    let entries: Vec<(usize, StudyEntry)> =
        seen.filter_map(|at| Some((at, entry_at(session, at)?))).collect();
    let runs = entries.iter().map(|(_, it)| text::width(&safe(&it.run))).max().unwrap_or_default();
    let runs = runs.min(width / RUNS);
    for (at, entry) in &entries {
        let is_here = *at == scroll.cursor;
        let line = study_row(entry, is_here, theme, (width, runs));
        put_row(line, is_here.then_some(chosen), inner, (at - scroll.top) as u16, buffer);
    }
    position(scroll.top, study.len(), theme, area, buffer);
}

/// `▌one     C07 Relative position…   ✓ 3 agrees`
fn study_row(
    of: &StudyEntry,
    is_here: bool,
    theme: Theme,
    (width, runs): (usize, usize),
) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let run = text::truncate(&safe(&of.run), runs, "…").into_owned();
    let gap = " ".repeat(runs.saturating_sub(text::width(&run)) + 1);
    let mut left =
        vec![own(if is_here { "▌" } else { " " }, muted), own(format!("{run}{gap}"), plain)];
    left.extend(named(&of.entry, theme, width / 2));
    sides(left, standing(&of.entry, theme), width)
}
