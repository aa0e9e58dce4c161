//! The files that the turn (or the step) changed.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{Session, files::DiffScope, pending::Loading},
    views::replay::ReplayView,
    widgets::{
        layout::ReplayPanel,
        line::{fit_text_end, left_and_right, safe_string, spans_width, trusted_span},
        panel::{draw_list, draw_sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    EditKind,
    files::{ChangeOrigin, FileChange, FilesSource},
};

use super::{draw_frame, name_span, selection_style};

use super::turns::line_counts;

pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if view.tree.is_shown {
        return super::tree::draw(view, session, theme, area, buffer);
    }
    let changes = view.listed_changes(session);
    let words = match view.diff_scope(session) {
        DiffScope::Turn(turn) => format!("files of turn {}", turn + 1),
        DiffScope::Step(step) => format!("files of step {}", view.number_in_turn(step)),
        DiffScope::Since { .. } | DiffScope::At(_) => {
            format!("files {}", view.bases.base_text(&session.run, session.turn))
        }
    };
    let title = Line::from(name_span(view, ReplayPanel::Files, words, theme));
    let inner = draw_frame(view, ReplayPanel::Files, title, theme, area, buffer);
    if changes.is_empty() {
        return draw_sentence(
            &why_empty(view, session),
            theme.style_for(Meaning::Muted),
            inner,
            buffer,
        );
    }
    let selected = view.file_index(session, view.diff_scope(session));
    let width = usize::from(inner.width).saturating_sub(1);
    let line =
        |index: usize| file_line(view, session, &changes[index], index == selected, theme, width);
    draw_list(
        changes.len(),
        line,
        selected,
        selection_style(view, ReplayPanel::Files, theme),
        inner,
        buffer,
    );
}

/// Returns the reason why the list is empty.
pub fn why_empty(view: &ReplayView, session: &Session) -> String {
    match &session.timeline {
        Loading::Nothing | Loading::Waiting(_) => "reading the files…".into(),
        Loading::Failed(why) => safe_string(why),
        Loading::Ready(_) if view.changes_are_coming(session) => "comparing the files…".into(),
        Loading::Ready(_) if view.changes_failed(session).is_some() => {
            safe_string(view.changes_failed(session).unwrap_or_default())
        }
        Loading::Ready(_) if matches!(view.diff_scope(session), DiffScope::Since { .. }) => {
            format!("no differences {}", view.bases.base_text(&session.run, session.turn))
        }
        Loading::Ready(timeline) => match timeline.from {
            FilesSource::RecordedEdits => "this turn changed no files".into(),
            FilesSource::Commits | FilesSource::Snapshots | FilesSource::Comparisons => {
                "no file changed".into()
            }
        },
    }
}

fn file_line(
    view: &ReplayView,
    session: &Session,
    change: &FileChange,
    is_selected: bool,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let mut right = view
        .changed_lines(session, change)
        .map(|lines| join_with_blanks(line_counts(lines, theme)))
        .unwrap_or_default();
    if let Some(mark) = origin_mark(change.origin) {
        right.insert(0, trusted_span(format!("{mark} "), theme.style_for(Meaning::Warning)));
    }
    let room = width.saturating_sub(4 + spans_width(&right));
    let path = safe_string(change.path.as_str());
    let left = vec![
        trusted_span(if is_selected { "▌" } else { " " }, theme.style_for(Meaning::Muted)),
        trusted_span(
            format!("{} ", kind_letter(change.kind)),
            theme.style_for(kind_meaning(change.kind)),
        ),
        trusted_span(fit_text_end(&path, room), theme.style_for(Meaning::Text)),
    ];
    left_and_right(left, right, width)
}

fn join_with_blanks(spans: Vec<Span<'static>>) -> Vec<Span<'static>> {
    spans.into_iter().flat_map(|span| [Span::raw(" "), span]).skip(1).collect()
}

pub(crate) const fn kind_letter(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Create => "A",
        EditKind::Modify => "M",
        EditKind::Delete => "D",
        EditKind::Rename => "R",
    }
}

pub(crate) const fn kind_meaning(kind: EditKind) -> Meaning {
    match kind {
        EditKind::Create => Meaning::Added,
        EditKind::Delete => Meaning::Removed,
        EditKind::Modify | EditKind::Rename => Meaning::Hunk,
    }
}

/// Returns the sign for a change that the log does not explain; the help (`?`) explains the sign.
pub(crate) const fn origin_mark(origin: ChangeOrigin) -> Option<&'static str> {
    match origin {
        ChangeOrigin::Recorded => None,
        ChangeOrigin::Partly => Some("◈"),
        ChangeOrigin::Outside => Some("◇"),
    }
}
