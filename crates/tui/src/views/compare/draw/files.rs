//! The files both runs ended with: what only one has, what differs; one of them line by line.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::{context::KeyContext, files::compared_file::ComparedFile, pending::Loading},
    views::{
        compare::{ComparePart, ComparisonView, final_trees::OpenComparison},
        diff_rows,
    },
    widgets::{
        line::{fit_text_end, left_and_right, safe_string, trusted_span},
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{files::FileDiff, format_number};
use trajview_study::compare::{FilePresence, FileRow, run_letter};

use super::{draw_frame, muted_spans, part_name_span};

pub fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    match &compared.files.open {
        Some(open) => draw_file(compared, open, theme, area, buffer),
        None => draw_list(compared, theme, area, buffer),
    }
}

fn draw_list(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let files = &compared.files;
    let is_focused = compared.part == ComparePart::Files;
    let [a, b] = compared.pair.map(run_letter);
    let rows = files.file_rows();
    let title = match rows.len() {
        0 => "final trees".to_owned(),
        count => {
            let same = rows.iter().filter(|row| is_untouched(row)).count();
            format!("final trees: {count} files, {same} the same")
        }
    };
    let title = vec![part_name_span(compared, ComparePart::Files, &title, theme)];
    let sorted = muted_spans(files.sort.sort_text(), theme);
    let signs = muted_spans(format!("+ lines only in {b}  − lines only in {a}"), theme);
    let inner = draw_frame(is_focused, [title, sorted, signs], theme, area, buffer);
    match &files.trees {
        Loading::Nothing | Loading::Waiting(_) => {
            return draw_sentence("comparing…", theme.style_for(Meaning::Muted), inner, buffer);
        }
        Loading::Failed(why) => {
            return draw_sentence(
                &safe_string(why),
                theme.style_for(Meaning::Error),
                inner,
                buffer,
            );
        }
        Loading::Ready(_) if rows.is_empty() => {
            return draw_sentence(
                "both runs ended without files",
                theme.style_for(Meaning::Muted),
                inner,
                buffer,
            );
        }
        Loading::Ready(_) => {}
    }
    let width = usize::from(inner.width);
    files.list.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |row| {
        file_line(&rows[files.order[row]], [&a, &b], theme, width)
    });
}

fn is_untouched(row: &FileRow) -> bool {
    row.presence == FilePresence::Same && row.from.is_none()
}

/// Returns `ppdiff/layers.py           +30 −55  differs`.
fn file_line(row: &FileRow, [a, b]: [&String; 2], theme: Theme, width: usize) -> Line<'static> {
    let standing = match row.presence {
        FilePresence::OnlyA => format!("only in {a}"),
        FilePresence::OnlyB => format!("only in {b}"),
        FilePresence::Same if row.from.is_some() => "moved".into(),
        other => other.words().into(),
    };
    let lines = row.lines.filter(|lines| lines.added + lines.removed > 0);
    let (added, removed) = match lines {
        Some(lines) => (format!("+{:<5}", lines.added), format!("−{:<5}", lines.removed)),
        None => (" ".repeat(6), " ".repeat(6)),
    };
    let right = vec![
        trusted_span(added, theme.style_for(Meaning::Added)),
        trusted_span(removed, theme.style_for(Meaning::Removed)),
        trusted_span(format!("{standing:<20}"), theme.style_for(Meaning::Muted)),
    ];
    let path = match &row.from {
        Some(from) => format!("{from} → {}", row.path),
        None => row.path.clone(),
    };
    let path = fit_text_end(&safe_string(&path), width.saturating_sub(33));
    let meaning = if is_untouched(row) { Meaning::Muted } else { Meaning::Text };
    left_and_right(vec![trusted_span(path, theme.style_for(meaning))], right, width)
}

fn draw_file(
    compared: &ComparisonView,
    open: &OpenComparison,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_focused = compared.part == ComparePart::Files;
    let [a, b] = compared.pair.map(run_letter);
    let from = compared.files.open_change().and_then(|change| change.from.as_ref());
    let path = from.map_or_else(|| open.path.clone(), |from| format!("{from} → {}", open.path));
    let title = vec![part_name_span(compared, ComparePart::Files, &safe_string(&path), theme)];
    let here = run_letter(compared.focused_run());
    let enter = compared.keys.key_text(KeyContext::Ended, "open");
    let words = format!("{a} left, {b} right; {enter} opens {here}");
    let inner =
        draw_frame(is_focused, [title, muted_spans(words, theme), vec![]], theme, area, buffer);
    match compared.files.open_comparison() {
        None => {} // a blink away
        Some(Err(why)) => {
            draw_sentence(&safe_string(why), theme.style_for(Meaning::Error), inner, buffer)
        }
        Some(Ok(between)) => {
            if let Some(words) = instead_of_rows(between) {
                return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
            }
            let colours = compared.files.open_colours();
            let width = usize::from(inner.width);
            let rows = diff_rows::rows_between(between, colours, open.column, theme, width);
            let cursor = is_focused.then_some(open.lines.cursor());
            let line = rows.visible_lines(open.lines.visible_rows(), cursor);
            open.lines.draw_rows(None, theme, buffer, line);
        }
    }
}

fn instead_of_rows(between: &ComparedFile) -> Option<String> {
    let size = |side: &Option<u64>| side.map_or("nothing".into(), format_number::byte_size);
    match &*between.diff {
        FileDiff::Binary { old, new } => {
            Some(format!("not text: {} in the one, {} in the other", size(old), size(new)))
        }
        FileDiff::TooBig { old, new } => {
            Some(format!("too big to compare line by line: {} and {}", size(old), size(new)))
        }
        FileDiff::NotRecorded(why) => Some(safe_string(why)),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_)
            if between.rows.is_empty() =>
        {
            Some("no differences".into())
        }
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_) => None,
    }
}
