//! The files both runs ended with: what only one has, what differs; one of them line by line.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    session::{ask::Loading, files::compared::Compared},
    views::{
        compare::{Comparison, Part, trees::Open},
        diff_rows,
    },
    widgets::{
        line::{fit_end, own, safe, sides},
        panel::{position, put_row, sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{figures, files::FileDiff};
use trajview_study::compare::{FileRow, Standing, letter};

use super::{frame, muted, name};

pub fn draw(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    match &compared.files.open {
        Some(open) => file(compared, open, theme, area, buffer),
        None => list(compared, theme, area, buffer),
    }
}

fn list(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let files = &compared.files;
    let is_focused = compared.part == Part::Files;
    let [a, b] = compared.pair.map(letter);
    let rows = files.rows();
    let title = match rows.len() {
        0 => "final trees".to_owned(),
        count => {
            let same = rows.iter().filter(|row| is_untouched(row)).count();
            format!("final trees: {count} files, {same} the same")
        }
    };
    let title = vec![name(compared, Part::Files, &title, theme)];
    let sorted = muted(files.sort.words(), theme);
    let signs = muted(format!("+ lines only in {b}  − lines only in {a}"), theme);
    let inner = frame(is_focused, [title, sorted, signs], theme, area, buffer);
    match &files.trees {
        Loading::Nothing | Loading::Waiting(_) => {
            return sentence("comparing…", theme.of(Meaning::Muted), inner, buffer);
        }
        Loading::Failed(why) => {
            return sentence(&safe(why), theme.of(Meaning::Error), inner, buffer);
        }
        Loading::Ready(_) if rows.is_empty() => {
            return sentence(
                "neither run ended with a file",
                theme.of(Meaning::Muted),
                inner,
                buffer,
            );
        }
        Loading::Ready(_) => {}
    }
    let width = usize::from(inner.width);
    let seen = files.order.iter().enumerate().skip(files.scroll.top);
    for (y, (at, index)) in seen.take(usize::from(inner.height)).enumerate() {
        let chosen = (at == files.scroll.cursor)
            .then(|| theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked }));
        let line = row(&rows[*index], [&a, &b], theme, width);
        put_row(line, chosen, inner, y as u16, buffer);
    }
    position(files.scroll.top, files.order.len(), theme, area, buffer);
}

fn is_untouched(row: &FileRow) -> bool {
    row.standing == Standing::Same && row.from.is_none()
}

/// `ppdiff/layers.py           +30 −55  differs`
fn row(row: &FileRow, [a, b]: [&String; 2], theme: Theme, width: usize) -> Line<'static> {
    let standing = match row.standing {
        Standing::OnlyA => format!("only in {a}"),
        Standing::OnlyB => format!("only in {b}"),
        Standing::Same if row.from.is_some() => "moved".into(),
        other => other.words().into(),
    };
    let lines = row.lines.filter(|lines| lines.added + lines.removed > 0);
    let (added, removed) = match lines {
        Some(lines) => (format!("+{:<5}", lines.added), format!("−{:<5}", lines.removed)),
        None => (" ".repeat(6), " ".repeat(6)),
    };
    let right = vec![
        own(added, theme.of(Meaning::Added)),
        own(removed, theme.of(Meaning::Removed)),
        own(format!("{standing:<20}"), theme.of(Meaning::Muted)),
    ];
    let path = match &row.from {
        Some(from) => format!("{from} → {}", row.path),
        None => row.path.clone(),
    };
    let path = fit_end(&safe(&path), width.saturating_sub(33));
    let meaning = if is_untouched(row) { Meaning::Muted } else { Meaning::Text };
    sides(vec![own(path, theme.of(meaning))], right, width)
}

fn file(compared: &Comparison, open: &Open, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == Part::Files;
    let [a, b] = compared.pair.map(letter);
    let from = compared.files.change().and_then(|change| change.from.as_ref());
    let path = from.map_or_else(|| open.path.clone(), |from| format!("{from} → {}", open.path));
    let title = vec![name(compared, Part::Files, &safe(&path), theme)];
    let here = letter(compared.here());
    let words = format!("{a} left, {b} right; enter opens {here}");
    let inner = frame(is_focused, [title, muted(words, theme), vec![]], theme, area, buffer);
    match compared.files.compared() {
        None => {} // a blink away
        Some(Err(why)) => sentence(&safe(why), theme.of(Meaning::Error), inner, buffer),
        Some(Ok(between)) => {
            if let Some(words) = instead_of_rows(between) {
                return sentence(&words, theme.of(Meaning::Muted), inner, buffer);
            }
            let cursor = is_focused.then_some(open.scroll.cursor);
            let place = (open.scroll.top, open.column, cursor);
            diff_rows::draw_between(between, compared.files.colours(), place, theme, inner, buffer);
            position(open.scroll.top, between.rows.len(), theme, area, buffer);
        }
    }
}

fn instead_of_rows(between: &Compared) -> Option<String> {
    let size = |side: &Option<u64>| side.map_or("nothing".into(), figures::bytes);
    match &*between.diff {
        FileDiff::Binary { old, new } => {
            Some(format!("not text: {} in the one, {} in the other", size(old), size(new)))
        }
        FileDiff::TooBig { old, new } => {
            Some(format!("too big to compare line by line: {} and {}", size(old), size(new)))
        }
        FileDiff::NotRecorded(why) => Some(safe(why)),
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_)
            if between.rows.is_empty() =>
        {
            Some("not a line differs".into())
        }
        FileDiff::Text { .. } | FileDiff::Hunks(_) | FileDiff::Part(_) => None,
    }
}
