//! One row a component of the queue: what it is, and how its label stands.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    run::rubric::{Unit, written},
    session::Session,
    views::{
        audit::{
            Audit, Part,
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

use super::frame;

mod study;

/// Cells of an id with the blank after it.
const ID: usize = 5;

pub fn draw(view: &Audit, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if session.study().is_some() {
        return study::draw(view, session, theme, area, buffer);
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
