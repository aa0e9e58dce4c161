//! What happened to one file: its name, since when, how many lines; the rows are [`crate::views::diff_rows`].

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::{
        Session,
        files::{Scope, compared::Compared},
        judged_marks::{evidence_marks, flag_marks},
    },
    views::{
        diff_rows::{Rows, digits_of, put_rows},
        replay::{Replay, marks},
    },
    widgets::{
        layout::Panel,
        line::{fit, fit_end, own, safe, width_of},
        panel::{position, sentence},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    EditKind, figures,
    files::{Change, FileDiff},
};

use super::{files, frame, name, step, turns::line_counts};

mod gutter;

pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if view.diff_key(session).is_none() {
        return instead_of_diff(view, session, theme, area, buffer);
    }
    let width = usize::from(area.width.saturating_sub(2));
    let title = match view.file_at(session) {
        Some(file) => gutter::title(view, session, &file, theme, width),
        None => title(view, session, theme, width),
    };
    let inner = frame(view, Panel::Diff, title, theme, area, buffer);
    match view.compared(session) {
        None => {} // on its way, a blink away: an empty panel is calmer than a word that flashes
        Some(Err(why)) => sentence(&safe(why), theme.of(Meaning::Error), inner, buffer),
        Some(Ok(compared)) => {
            body(view, session, compared, theme, inner, buffer);
            position(view.diff.scroll.top, compared.rows.len(), theme, area, buffer);
        }
    }
}

/// What the chosen step says, where no file changed.
fn instead_of_diff(
    view: &Replay,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let why = files::nothing(view, session);
    let Some(item) = view.step_instead_of_diff(session) else {
        let title = Line::from(name(view, Panel::Diff, "diff".into(), theme));
        let inner = frame(view, Panel::Diff, title, theme, area, buffer);
        return sentence(&why, theme.of(Meaning::Muted), inner, buffer);
    };
    let width = usize::from(area.width.saturating_sub(2));
    let title = vec![
        name(view, Panel::Diff, step::words_of(item, session), theme),
        own(format!(" {why} "), theme.of(Meaning::Muted)),
    ];
    let inner = frame(view, Panel::Diff, Line::from(fit(title, width)), theme, area, buffer);
    let rows = step::body(view, item, theme, inner, buffer);
    position(0, rows, theme, area, buffer);
}

/// Room that a path has before other words grow shorter.
const MOST_PATH: usize = 24;

/// `src/loss.py  +34 −8  since turn 22  2/5 files  changed outside recorded edits`
fn title(view: &Replay, session: &Session, theme: Theme, width: usize) -> Line<'static> {
    let Some((index, change)) = view.change(session) else {
        return Line::from(name(view, Panel::Diff, "diff".into(), theme));
    };
    let plain = theme.of(Meaning::Text);
    let muted = theme.of(Meaning::Muted);
    let mut facts = vec![];
    for count in
        view.lines_of(session, change).map(|lines| line_counts(lines, theme)).unwrap_or_default()
    {
        facts.extend([own(" ", plain), count]);
    }
    facts.push(own(format!("  {}", base(view, session)), plain));
    facts.push(own(format!("  file {}/{}", index + 1, view.changes(session).len()), muted));
    let before_origin = width_of(&facts) + 3;
    if let Some(mark) = files::origin_mark(change.origin) {
        let full = format!("  {mark} {}", change.origin.words());
        let path = text::width(&path_words(change)).min(MOST_PATH);
        let fits = before_origin + text::width(&full) + path <= width;
        let words = if fits { full } else { format!("  {mark} outside") };
        facts.push(own(words, theme.of(Meaning::Warning)));
    }
    facts.push(own(" ", plain));
    let room = width.saturating_sub(width_of(&facts) + 3).max(width / 4);
    let path = fit_end(&safe(&path_words(change)), room);
    let mut spans = vec![name(view, Panel::Diff, path, theme)];
    spans.extend(facts);
    Line::from(fit(spans, width))
}

fn path_words(change: &Change) -> String {
    match &change.from {
        Some(from) => format!("{from} → {}", change.path),
        None => change.path.to_string(),
    }
}

/// What the diff is measured from.
fn base(view: &Replay, session: &Session) -> String {
    match view.scope(session) {
        Scope::Step(step) => format!("by step {} alone", view.number_of(step)),
        Scope::Turn(_) | Scope::Since { .. } | Scope::At(_) => {
            view.bases.words(&session.run, session.turn)
        }
    }
}

fn body(
    view: &Replay,
    session: &Session,
    compared: &Compared,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    if let Some(words) = instead_of_rows(view, session, compared) {
        return sentence(&words, theme.of(Meaning::Muted), area, buffer);
    }
    let rows = rows_of(view, session, compared, theme, area);
    let cursor = (view.focus == Panel::Diff).then_some(view.diff.scroll.cursor);
    put_rows(&rows, view.diff.scroll.top, cursor, area, buffer);
}

/// What to say of a change that has no lines to show.
fn instead_of_rows(view: &Replay, session: &Session, compared: &Compared) -> Option<String> {
    let size = |side: &Option<u64>| side.map_or("nothing".into(), figures::bytes);
    match &*compared.diff {
        FileDiff::Binary { new, .. } if compared.is_whole_file() => {
            Some(format!("not text: {}", size(new)))
        }
        FileDiff::TooBig { new, .. } if compared.is_whole_file() => {
            Some(format!("too big to show: {}", size(new)))
        }
        FileDiff::Binary { old, new } => {
            Some(format!("not text: {} before, {} after", size(old), size(new)))
        }
        FileDiff::TooBig { old, new } => Some(format!(
            "too big to compare line by line: {} before, {} after",
            size(old),
            size(new)
        )),
        FileDiff::NotRecorded(why) => Some(safe(why)),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_)
            if !compared.rows.is_empty() =>
        {
            None
        }
        FileDiff::Text { .. } if compared.is_whole_file() => Some("an empty file".into()),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_) => {
            Some(no_lines(view, session))
        }
    }
}

fn no_lines(view: &Replay, session: &Session) -> String {
    let Some((_, change)) = view.change(session) else { return String::new() };
    match change.kind {
        EditKind::Create => "a new file with nothing in it".into(),
        EditKind::Delete => "an empty file was deleted".into(),
        EditKind::Rename => "renamed, not a line changed".into(),
        EditKind::Modify => match (change.before(), change.after()) {
            (Some(old), Some(new)) if old.mode != new.mode => {
                format!("only the mode changed, from {} to {}", old.mode.octal(), new.mode.octal())
            }
            _ => "not a line changed".into(),
        },
    }
}

fn rows_of<'a>(
    view: &'a Replay,
    session: &'a Session,
    compared: &'a Compared,
    theme: Theme,
    area: Rect,
) -> Rows<'a> {
    let marked = marks::marked_file(view, session);
    let key = marked.as_ref();
    Rows {
        compared,
        colours: view.diff_key(session).and_then(|key| session.files.colours.of(&key)),
        theme,
        digits: digits_of(compared),
        column: view.diff.column,
        width: usize::from(area.width),
        gutter: compared.is_whole_file().then(|| gutter::of(view, session, theme)),
        marks: marks::marks(view, session),
        evidence: key.map(|key| evidence_marks(session, key)).unwrap_or_default(),
        flags: key.map(|key| flag_marks(session, key)).unwrap_or_default(),
    }
}
