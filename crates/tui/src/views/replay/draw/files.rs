//! The files that the turn (or the step) changed.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{Session, ask::Loading, files::Scope},
    views::replay::Replay,
    widgets::{
        layout::Panel,
        line::{fit_end, own, safe, sides, width_of},
        panel::{list, sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    EditKind,
    files::{Change, FilesFrom, Origin},
};

use super::{chosen, frame, name};

use super::turns::line_counts;

pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if view.tree.is_shown {
        return super::tree::draw(view, session, theme, area, buffer);
    }
    let changes = view.changes(session);
    let words = match view.scope(session) {
        Scope::Turn(turn) => format!("files of turn {}", turn + 1),
        Scope::Step(step) => format!("files of step {}", view.number_of(step)),
        Scope::Since { .. } | Scope::At(_) => {
            format!("files {}", view.bases.words(&session.run, session.turn))
        }
    };
    let title = Line::from(name(view, Panel::Files, words, theme));
    let inner = frame(view, Panel::Files, title, theme, area, buffer);
    if changes.is_empty() {
        return sentence(&nothing(view, session), theme.of(Meaning::Muted), inner, buffer);
    }
    let selected = view.files.selected(changes);
    let width = usize::from(inner.width).saturating_sub(1);
    let line = |index: usize| file(view, session, &changes[index], index == selected, theme, width);
    list(changes.len(), line, selected, chosen(view, Panel::Files, theme), inner, buffer);
}

/// Why there is nothing to list.
pub fn nothing(view: &Replay, session: &Session) -> String {
    match &session.timeline {
        Loading::Nothing | Loading::Waiting(_) => "working out the files…".into(),
        Loading::Failed(why) => safe(why),
        Loading::Ready(_) if view.changes_are_coming(session) => "comparing the files…".into(),
        Loading::Ready(_) if view.changes_failed(session).is_some() => {
            safe(view.changes_failed(session).unwrap_or_default())
        }
        Loading::Ready(_) if matches!(view.scope(session), Scope::Since { .. }) => {
            format!("nothing differs {}", view.bases.words(&session.run, session.turn))
        }
        Loading::Ready(timeline) => match timeline.from {
            FilesFrom::RecordedEdits => "this turn changed no files".into(),
            FilesFrom::Commits | FilesFrom::Snapshots | FilesFrom::Comparisons => {
                "no file changed".into()
            }
        },
    }
}

fn file(
    view: &Replay,
    session: &Session,
    change: &Change,
    is_selected: bool,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let mut right = view
        .lines_of(session, change)
        .map(|lines| spaced(line_counts(lines, theme)))
        .unwrap_or_default();
    if let Some(mark) = origin_mark(change.origin) {
        right.insert(0, own(format!("{mark} "), theme.of(Meaning::Warning)));
    }
    let room = width.saturating_sub(4 + width_of(&right));
    let path = safe(change.path.as_str());
    let left = vec![
        own(if is_selected { "▌" } else { " " }, theme.of(Meaning::Muted)),
        own(format!("{} ", letter(change.kind)), theme.of(meaning_of(change.kind))),
        own(fit_end(&path, room), theme.of(Meaning::Text)),
    ];
    sides(left, right, width)
}

fn spaced(spans: Vec<Span<'static>>) -> Vec<Span<'static>> {
    spans.into_iter().flat_map(|span| [Span::raw(" "), span]).skip(1).collect()
}

pub const fn letter(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Create => "A",
        EditKind::Modify => "M",
        EditKind::Delete => "D",
        EditKind::Rename => "R",
    }
}

pub const fn meaning_of(kind: EditKind) -> Meaning {
    match kind {
        EditKind::Create => Meaning::Added,
        EditKind::Delete => Meaning::Removed,
        EditKind::Modify | EditKind::Rename => Meaning::Hunk,
    }
}

/// The sign for a change that the log does not explain; `?` says what it means.
pub const fn origin_mark(origin: Origin) -> Option<&'static str> {
    match origin {
        Origin::Recorded => None,
        Origin::Partly => Some("◈"),
        Origin::Outside => Some("◇"),
    }
}
