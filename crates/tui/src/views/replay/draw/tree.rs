//! All files at a moment, in folders, in the place of the list of files.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::Session,
    views::{file_tree::FileTreeRow, replay::ReplayView},
    widgets::{
        layout::ReplayPanel,
        line::{fit_text_end, left_and_right, safe_string, spans_width, trusted_span},
        panel::{draw_list, draw_scroll_position, draw_sentence},
        scroll::centred_top,
        theme::{Meaning, Theme},
    },
};

use super::{
    draw_frame,
    files::{kind_letter, kind_meaning, why_empty},
    name_span, selection_style,
};

pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let (moment, count) = (view.moment_text(session), view.tree.file_count());
    let words = match count {
        1 => format!("1 file {moment}"),
        count => format!("{count} files {moment}"),
    };
    let title = Line::from(name_span(view, ReplayPanel::Files, words, theme));
    let inner = draw_frame(view, ReplayPanel::Files, title, theme, area, buffer);
    let rows = view.tree.tree_rows();
    if rows.is_empty() {
        let words = if session.timeline.ready().is_some() {
            "no files known at this moment".into()
        } else {
            why_empty(view, session)
        };
        return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    let width = usize::from(inner.width).saturating_sub(1);
    let selected = view.tree.cursor;
    let line =
        |index: usize| entry_line(view, session, &rows[index], index == selected, theme, width);
    draw_list(
        rows.len(),
        line,
        selected,
        selection_style(view, ReplayPanel::Files, theme),
        inner,
        buffer,
    );
    let top = centred_top(selected, rows.len(), usize::from(inner.height));
    draw_scroll_position(top, rows.len(), theme, area, buffer);
}

/// Returns `▸ src/          12 •2`, `M loss.py`: the number of files and of those that change here.
fn entry_line(
    view: &ReplayView,
    session: &Session,
    row: &FileTreeRow,
    is_selected: bool,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let changes = view.changes_in_tree(session);
    let muted = theme.style_for(Meaning::Muted);
    let mark = trusted_span(if is_selected { "▌" } else { " " }, muted);
    let (left, sign, words, right) = match row {
        FileTreeRow::Folder { path, depth, files, is_open } => {
            let changed = changes.iter().filter(|it| it.path.as_str().starts_with(path)).count();
            let mut right = vec![trusted_span(files.to_string(), muted)];
            if changed > 0 {
                right.push(trusted_span(format!(" •{changed}"), theme.style_for(Meaning::Hunk)));
            }
            let sign = trusted_span(if *is_open { "▾ " } else { "▸ " }, muted);
            (depth, sign, folder_name(path), right)
        }
        FileTreeRow::File { path, depth } => {
            let change = changes.iter().find(|change| change.path == *path);
            let sign = match change {
                Some(change) => trusted_span(
                    format!("{} ", kind_letter(change.kind)),
                    theme.style_for(kind_meaning(change.kind)),
                ),
                None => trusted_span("  ", muted),
            };
            (depth, sign, path.name(), vec![])
        }
    };
    let indent = trusted_span("  ".repeat((*left).min(width / 4)), muted);
    let room =
        width.saturating_sub(spans_width(&right) + spans_width(std::slice::from_ref(&indent)) + 4);
    let words =
        trusted_span(fit_text_end(&safe_string(words), room), theme.style_for(Meaning::Text));
    left_and_right(vec![mark, indent, sign, words], right, width)
}

/// Returns the folder's own name, with its slash.
fn folder_name(path: &str) -> &str {
    let name = path.trim_end_matches('/');
    &path[name.rfind('/').map_or(0, |at| at + 1)..]
}
