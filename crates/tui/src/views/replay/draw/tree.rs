//! All files at a moment, in folders, in the place of the list of files.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::Session,
    views::{file_tree::Row, replay::Replay},
    widgets::{
        layout::Panel,
        line::{fit_end, own, safe, sides, width_of},
        panel::{list, position, sentence},
        scroll::centred,
        theme::{Meaning, Theme},
    },
};

use super::{
    chosen,
    files::{letter, meaning_of, nothing},
    frame, name,
};

pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let (moment, count) = (view.moment_said(session), view.tree.file_count());
    let words = match count {
        1 => format!("1 file {moment}"),
        count => format!("{count} files {moment}"),
    };
    let title = Line::from(name(view, Panel::Files, words, theme));
    let inner = frame(view, Panel::Files, title, theme, area, buffer);
    let rows = view.tree.rows();
    if rows.is_empty() {
        let words = if session.timeline.ready().is_some() {
            "no file is known at this moment".into()
        } else {
            nothing(view, session)
        };
        return sentence(&words, theme.of(Meaning::Muted), inner, buffer);
    }
    let width = usize::from(inner.width).saturating_sub(1);
    let selected = view.tree.cursor;
    let line = |index: usize| entry(view, session, &rows[index], index == selected, theme, width);
    list(rows.len(), line, selected, chosen(view, Panel::Files, theme), inner, buffer);
    let top = centred(selected, rows.len(), usize::from(inner.height));
    position(top, rows.len(), theme, area, buffer);
}

/// `▸ src/          12 •2`, `M loss.py`: how many files, how many of them change here.
fn entry(
    view: &Replay,
    session: &Session,
    row: &Row,
    is_selected: bool,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let changes = view.changes_in_tree(session);
    let muted = theme.of(Meaning::Muted);
    let mark = own(if is_selected { "▌" } else { " " }, muted);
    let (left, sign, words, right) = match row {
        Row::Folder { path, depth, files, is_open } => {
            let changed = changes.iter().filter(|it| it.path.as_str().starts_with(path)).count();
            let mut right = vec![own(files.to_string(), muted)];
            if changed > 0 {
                right.push(own(format!(" •{changed}"), theme.of(Meaning::Hunk)));
            }
            let sign = own(if *is_open { "▾ " } else { "▸ " }, muted);
            (depth, sign, last_part(path), right)
        }
        Row::File { path, depth } => {
            let change = changes.iter().find(|change| change.path == *path);
            let sign = match change {
                Some(change) => {
                    own(format!("{} ", letter(change.kind)), theme.of(meaning_of(change.kind)))
                }
                None => own("  ", muted),
            };
            (depth, sign, path.name(), vec![])
        }
    };
    let indent = own("  ".repeat((*left).min(width / 4)), muted);
    let room = width.saturating_sub(width_of(&right) + width_of(std::slice::from_ref(&indent)) + 4);
    let words = own(fit_end(&safe(words), room), theme.of(Meaning::Text));
    sides(vec![mark, indent, sign, words], right, width)
}

/// The folder's own name, with its slash.
fn last_part(path: &str) -> &str {
    let name = path.trim_end_matches('/');
    &path[name.rfind('/').map_or(0, |at| at + 1)..]
}
