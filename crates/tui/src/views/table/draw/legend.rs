//! The line below the table: what the chosen column means, and the signs.

use ratatui::{buffer::Buffer, text::Span, widgets::Widget};

use crate::{
    session::columns::{ColumnSource, RunTableColumn},
    session::context::KeyContext,
    views::table::{RunTableView, areas::RunTableAreas, row::RunRow, values::KnownValue},
    widgets::{
        line::{fit_spans, left_and_right, recorded_span, safe_string, spans_width, trusted_span},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{Warning, format_number};

use super::{cells::COMING_SIGN, inside_margins};

pub(crate) fn draw_legend(
    table: &RunTableView,
    areas: &RunTableAreas,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let area = inside_margins(areas.legend);
    let width = usize::from(area.width);
    let chosen = table.shape.chosen;
    let left = match repository_damage(table) {
        Some(damage) => {
            let words = format!("⚠ {}: {}", damage.place, damage.what);
            let least = format!("{} not recorded", format_number::MISSING_SIGN).chars().count();
            fit_spans(
                vec![recorded_span(&words, theme.style_for(Meaning::Warning))],
                width.saturating_sub(least + 2),
            )
        }
        None => vec![
            trusted_span(
                format!("{}: ", chosen.column_info().title),
                theme.style_for(Meaning::Heading),
            ),
            trusted_span(column_meaning(table, chosen), theme.style_for(Meaning::Muted)),
        ],
    };
    let right = sign_legend(table, areas, theme, width.saturating_sub(spans_width(&left) + 2));
    left_and_right(left, right, width).render(area, buffer);
}

/// Returns true if a cell on screen shows the sign for a missing value.
fn has_missing(table: &RunTableView, areas: &RunTableAreas) -> bool {
    let rows = table.visible_lines().iter().filter_map(|line| table.rows.get(line.run_index()?));
    let is_missing = |row: &RunRow| {
        row.reading_failure().is_none()
            && areas.columns.iter().any(|place| row.shown_text(place.column) == KnownValue::Missing)
    };
    rows.into_iter().any(is_missing)
}

/// Returns the warning about a damaged repository of the run at the cursor. The numbers in the row then come from the
/// log, or are missing.
fn repository_damage(table: &RunTableView) -> Option<&Warning> {
    let warnings = &table.selected_run()?.known_card()?.trouble.first_warnings;
    warnings.iter().find(|warning| warning.place == "workspace.git")
}

fn column_meaning(table: &RunTableView, column: RunTableColumn) -> String {
    match (column.column_info().source, &table.ruler) {
        (ColumnSource::Computed, Some(ruler)) if column.is_measured() => {
            let before = table.earlier_ruler.as_ref();
            let before = before
                .map(|it| format!(", in brackets {}", safe_string(&it.name_beside(Some(ruler)))));
            format!(
                "{}; {}{}",
                column.help_text(),
                ruler.display_text(),
                before.unwrap_or_default()
            )
        }
        (
            ColumnSource::Run
            | ColumnSource::Harness
            | ColumnSource::Computed
            | ColumnSource::Judged,
            _,
        ) => column.help_text(),
    }
}

/// Returns the signs that are on screen, as many of them as there is room for.
fn sign_legend(
    table: &RunTableView,
    areas: &RunTableAreas,
    theme: Theme,
    room: usize,
) -> Vec<Span<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let is_partial = table
        .rows
        .iter()
        .any(|row| row.computed_scores().is_some_and(|it| it.is_partial && it.end.is_some()));
    let [read, done] = table.read_and_measured();
    let is_coming = read < table.rows.len() || done < table.rows.len();
    let empty = table.empty_columns().len();
    let show = table.keys.key_text(KeyContext::Table, "all-columns");
    let mut all = vec![];
    all.extend(
        has_missing(table, areas).then(|| format!("{} not recorded", format_number::MISSING_SIGN)),
    );
    all.extend(is_coming.then(|| format!("{COMING_SIGN} loading")));
    all.extend((empty > 0).then(|| match empty {
        1 => format!("1 empty column hidden ({show}: show)"),
        count => format!("{count} empty columns hidden ({show}: show)"),
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
    vec![trusted_span(words, muted)]
}
