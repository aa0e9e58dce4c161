//! The list of every change to one thing, with the lines of the selected one.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{Session, ask::Loading, digest::Lines},
    views::{
        diff_rows::draw_between,
        replay::{Replay, past::Past},
    },
    widgets::{
        line::{fit, fit_end, own, recorded, safe, sides, width_of},
        panel::{put_row, sentence},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    figures::counted,
    files::{
        FileDiff, Origin,
        history::{Entry, Thing},
    },
};

use super::turns::line_counts;

/// ` history of src/loss.py::joint_loss  7 changes `
pub(super) fn title(past: &Past, theme: Theme) -> Vec<Span<'static>> {
    let (bold, muted) = (theme.of(Meaning::Title), theme.of(Meaning::Muted));
    let Some(history) = past.known.ready() else {
        let path = past.wanted.as_ref().map(|it| it.path.to_string()).unwrap_or_default();
        return vec![own(format!(" history of {} ", safe(&path)), bold)];
    };
    let name = safe(&history.place.words());
    let count = counted(history.entries.len(), "change");
    let is_fallback = history.place.symbol.is_none()
        && past.wanted.as_ref().is_some_and(|it| matches!(it.thing, Thing::Around(_)));
    let why = if is_fallback { " · the line is in no function" } else { "" };
    vec![own(format!(" history of {name} "), bold), own(format!(" {count}{why} "), muted)]
}

/// What stands in the place of rows where there are none.
pub(super) fn why_empty(past: &Past) -> String {
    match &past.known {
        Loading::Failed(why) => safe(why),
        Loading::Ready(_) => "nothing in this run changed it".into(),
        Loading::Nothing | Loading::Waiting(_) => "working it out…".into(),
    }
}

/// `12.7  changed  +3 −1  combine the losses`
pub(super) fn row(entry: &Entry, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let (muted, plain) = (theme.of(Meaning::Muted), theme.of(Meaning::Text));
    let mark = if entry.origin == Origin::Recorded { " " } else { "◇" };
    let what = text::truncate(entry.what.word(), WHAT, "…").to_string();
    let mut left = vec![
        own(format!("{:<8}", entry.moment()), theme.of(Meaning::Heading)),
        own(mark, theme.of(Meaning::Warning)),
        own(format!(" {what:<WHAT$} "), plain),
    ];
    let counts = entry.diff.line_counts().map(|it| line_counts(Lines::from(it), theme));
    let counts = counts.unwrap_or_default();
    let spaced = counts.into_iter().flat_map(|count| [count, own(" ", muted)]);
    let counts: Vec<Span> = spaced.collect();
    let blank = COUNTS.saturating_sub(width_of(&counts));
    left.extend(counts);
    left.push(own(" ".repeat(blank + 1), muted));
    let title = session.run.turns.get(entry.event.turn).map_or("", |turn| &turn.title);
    left.push(recorded(title, muted));
    Line::from(fit(left, width))
}

/// Columns of what became of it, and of lines added and removed.
const WHAT: usize = 8;
const COUNTS: usize = 10;

/// The lines of the selected change under a line about it.
pub(super) fn lines(
    view: &Replay,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let at = view.chooser.as_ref().map_or(0, |chooser| chooser.scroll.cursor);
    let Some(entry) = view.past.entries().get(at) else { return };
    put_row(heading(entry, session, theme, usize::from(area.width)), None, area, 0, buffer);
    let below =
        Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1), ..area };
    let Some(compared) = view.past.lines() else { return };
    let words = match &*compared.diff {
        FileDiff::NotRecorded(why) => Some(safe(why)),
        FileDiff::Binary { .. } => Some("not text".to_owned()),
        FileDiff::TooBig { .. } => Some("too big to compare line by line".to_owned()),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_)
            if compared.rows.is_empty() =>
        {
            Some("none of its lines changed".to_owned())
        }
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_) => None,
    };
    match words {
        Some(words) => sentence(&words, theme.of(Meaning::Muted), below, buffer),
        None => draw_between(compared, None, (view.past.top, 0, None), theme, below, buffer),
    }
}

/// `moved from src/old.py          edit src/loss.py`
fn heading(entry: &Entry, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let by = match entry.event.step.and_then(|step| session.run.step(step)) {
        Some(step) => safe(&step.label),
        None => entry.origin.words().to_owned(),
    };
    let left = vec![own(format!(" {}", safe(&entry.words())), theme.of(Meaning::Hunk))];
    let room = width.saturating_sub(width_of(&left) + 2);
    sides(left, vec![own(fit_end(&by, room), theme.of(Meaning::Muted))], width)
}
