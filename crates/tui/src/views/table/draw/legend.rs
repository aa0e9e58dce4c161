//! The line below the table: what the chosen column means, and the signs.

use ratatui::{buffer::Buffer, text::Span, widgets::Widget};

use crate::{
    session::columns::{Column, Source},
    views::table::{Collection, areas::Areas, row::Row, values::Known},
    widgets::{
        line::{fit, own, recorded, safe, sides, width_of},
        theme::{Meaning, Theme},
    },
};
use trajview_run::Warning;

use super::{
    cells::{COMING, MISSING},
    edge,
};

pub fn draw(table: &Collection, areas: &Areas, theme: Theme, buffer: &mut Buffer) {
    let area = edge(areas.legend);
    let width = usize::from(area.width);
    let chosen = table.shape.chosen;
    let left = match damage(table) {
        Some(damage) => {
            let words = format!("⚠ {}: {}", damage.place, damage.what);
            let least = format!("{MISSING} not recorded").chars().count();
            fit(vec![recorded(&words, theme.of(Meaning::Warning))], width.saturating_sub(least + 2))
        }
        None => vec![
            own(format!("{}: ", chosen.about().title), theme.of(Meaning::Heading)),
            own(meaning(table, chosen), theme.of(Meaning::Muted)),
        ],
    };
    let right = signs(table, areas, theme, width.saturating_sub(width_of(&left) + 2));
    sides(left, right, width).render(area, buffer);
}

/// Whether a cell on screen says that there is nothing.
fn has_missing(table: &Collection, areas: &Areas) -> bool {
    let seen = table.lines().iter().skip(table.scroll.top).take(usize::from(areas.list.height));
    let rows = seen.filter_map(|line| table.rows.get(line.run()?));
    let is_missing = |row: &Row| {
        row.failure().is_none()
            && areas.columns.iter().any(|place| row.shown(place.column) == Known::Missing)
    };
    rows.into_iter().any(is_missing)
}

/// Why the files of the run at the cursor are not all known, where its repository cannot be read: the numbers in its row are
/// then of what its log tells, or missing.
fn damage(table: &Collection) -> Option<&Warning> {
    let warnings = &table.selected()?.card()?.trouble.first_warnings;
    warnings.iter().find(|warning| warning.place == "workspace.git")
}

fn meaning(table: &Collection, column: Column) -> String {
    match (column.about().source, &table.ruler) {
        (Source::Computed, Some(ruler)) if column.is_measured() => {
            let before = table.before.as_ref();
            let before =
                before.map(|it| format!(", in brackets {}", safe(&it.beside(Some(ruler)))));
            format!("{}; {}{}", column.help(), ruler.said(), before.unwrap_or_default())
        }
        (Source::Run | Source::Harness | Source::Computed | Source::Judged, _) => column.help(),
    }
}

/// The signs that are on screen, as many of them as there is room for.
fn signs(table: &Collection, areas: &Areas, theme: Theme, room: usize) -> Vec<Span<'static>> {
    let muted = theme.of(Meaning::Muted);
    let is_partial = table
        .rows
        .iter()
        .any(|row| row.scores().is_some_and(|it| it.is_partial && it.end.is_some()));
    let [read, done] = table.progress();
    let is_coming = read < table.rows.len() || done < table.rows.len();
    let empty = table.empty_columns().len();
    let mut all = vec![];
    all.extend(has_missing(table, areas).then(|| format!("{MISSING} not recorded")));
    all.extend(is_coming.then(|| format!("{COMING} being worked out")));
    all.extend((empty > 0).then(|| match empty {
        1 => "1 empty column, a shows it".to_owned(),
        count => format!("{count} empty columns, a shows them"),
    }));
    all.extend(table.shape.group.map(|_| "groups: means".to_owned()));
    all.extend(is_partial.then(|| "≈ some files not recorded".to_owned()));
    let mut words = String::new();
    for sign in all {
        let longer = if words.is_empty() { sign } else { format!("{words}   {sign}") };
        if !words.is_empty() && longer.chars().count() > room {
            break;
        }
        words = longer;
    }
    vec![own(words, muted)]
}
