//! Computes the areas of the parts of the table, as a pure function: the columns that fit, and the column under the
//! pointer.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::session::columns::{ColumnKind, ColumnSource, RunTableColumn};

use super::RunTableView;

/// The areas of the table; all of them inside the body of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTableAreas {
    /// What is listed, and how far reading is; the row of [`Self::sources`] where no column has a source to name.
    pub head: Rect,
    /// The sources of the columns, above the titles.
    pub sources: Rect,
    pub titles: Rect,
    pub list: Rect,
    /// The meanings of the signs and of the chosen column.
    pub legend: Rect,
    /// The facts of the run at the cursor, if there is room.
    pub preview: Option<Rect>,
    /// The panel of paired tests, where it is open.
    pub pairs: Option<Rect>,
    pub columns: Vec<ColumnPlace>,
    /// Columns that did not fit, to the left and to the right.
    pub hidden: [usize; 2],
}

/// The place of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnPlace {
    pub column: RunTableColumn,
    pub x: u16,
    pub width: u16,
}

/// Cells at the right edge for the number of columns beyond it.
pub(super) const HIDDEN_COUNT_CELLS: u16 = 4;

/// Rows of a border.
const BORDER_ROWS: u16 = 2;

/// Cells between two columns.
const COLUMN_GAP: u16 = 2;

/// Screen width from which words are cut less short.
const ROOMY_WIDTH: u16 = 100;

/// Cells before the first column, for the mark of the chosen row.
const LEFT_MARGIN: u16 = 1;

impl RunTableView {
    pub(crate) fn table_areas(&self, body: Rect) -> RunTableAreas {
        let whole_body = body;
        let has_pairs = self.matched_pairs().is_some();
        let (body, preview) = with_preview(body, self.table_lines().len(), has_pairs);
        let (body, pairs) = self.with_pairs(body);
        let rows = [1, 1, 1, 0, 1].map(|rows| match rows {
            0 => Constraint::Fill(1),
            rows => Constraint::Length(rows),
        });
        let [mut head, mut sources, mut titles, mut list, legend] =
            Split::vertical(rows).areas(body);
        let (columns, hidden) = self.column_places(list);
        let has_source =
            |place: &ColumnPlace| place.column.column_info().source != ColumnSource::Run;
        if hidden[0] == 0 && !columns.iter().any(has_source) {
            (sources, titles) = (head, sources);
            head.width = head.width.saturating_sub(HIDDEN_COUNT_CELLS);
            list = Rect { y: list.y - 1, height: list.height + 1, ..list };
        }
        // The legend spans the table and the preview, unless the panel of pairs is below the table alone.
        let (legend, preview) = match pairs {
            Some(_) => (legend, preview),
            None => {
                let last = whole_body.bottom().saturating_sub(1);
                let above = |area: Rect| Rect {
                    height: area.height.min(last.saturating_sub(area.y)),
                    ..area
                };
                let legend = match preview {
                    Some(preview) if preview.y > legend.y => legend,
                    _ => Rect { width: whole_body.width, ..legend },
                };
                let is_below = preview.is_some_and(|preview| preview.y > legend.y);
                (legend, if is_below { preview } else { preview.map(above) })
            }
        };
        RunTableAreas { head, sources, titles, list, legend, preview, pairs, columns, hidden }
    }

    /// Splits off the room for the panel of paired tests: as many rows as it has, but at most half of all.
    fn with_pairs(&self, body: Rect) -> (Rect, Option<Rect>) {
        let rows = match self.matched_pairs() {
            None => return (body, None),
            Some(Ok(matched)) if !matched.sides.is_empty() => matched.sides.len() as u16 + 1,
            Some(_) => 1,
        };
        let height = Constraint::Length((rows + BORDER_ROWS).min(body.height / 2));
        let [body, pairs] = Split::vertical([Constraint::Fill(1), height]).areas(body);
        (body, Some(pairs))
    }

    /// Returns the first column, then as many columns as fit such that the chosen one is among them.
    fn column_places(&self, area: Rect) -> (Vec<ColumnPlace>, [usize; 2]) {
        let Some((first, rest)) = self.column_widths().split_first() else {
            return (vec![], [0, 0]);
        };
        let chosen = rest.iter().position(|(column, _)| *column == self.shape.chosen).unwrap_or(0);
        let room = area.width.saturating_sub(LEFT_MARGIN);
        let fitted =
            |skipped: usize| fit_columns(*first, rest.get(skipped..).unwrap_or_default(), room);
        let is_seen = |skipped: &usize| skipped + fitted(*skipped).len() > chosen + 1;
        let skipped = (0..=chosen).find(is_seen).unwrap_or(chosen);
        let fitted = fitted(skipped);
        let hidden = [skipped, (rest.len() - skipped).saturating_sub(fitted.len() - 1)];
        let mut x = area.x + LEFT_MARGIN;
        let place = |(column, width): (RunTableColumn, u16)| {
            let place = ColumnPlace { column, x, width };
            x += width + COLUMN_GAP;
            place
        };
        (fitted.into_iter().map(place).collect(), hidden)
    }
}

/// Screen width from which a panel for the run at the cursor is next to the table.
const PREVIEW_SCREEN_WIDTH: u16 = 160;
const PREVIEW_CELLS: (u16, u16) = (48, 100);
const VERY_WIDE_SCREEN: u16 = 240;

/// Rows of the screen from which on the facts of the run are below a short table.
const PREVIEW_BELOW_FROM: u16 = 20;

/// Rows of the facts, their border included, that are worth their room below a longer table.
const PREVIEW_ROWS: u16 = 8;

/// Rows around the rows of the table: heads, titles, the legend, and one that stays empty.
const ROWS_AROUND_TABLE: u16 = 5;

/// Splits off the room for the facts of the run at the cursor: below a table that leaves more than half of the height, so that
/// its columns have the whole width, and on a narrow screen below one that leaves some; else beside it, where the screen is
/// wide.
fn with_preview(body: Rect, lines: usize, has_pairs: bool) -> (Rect, Option<Rect>) {
    let rows = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(ROWS_AROUND_TABLE);
    let is_short = rows <= body.height / 2;
    let leaves_room = body.width < PREVIEW_SCREEN_WIDTH
        && !has_pairs
        && body.height.saturating_sub(PREVIEW_ROWS) >= rows;
    if lines > 0 && body.height >= PREVIEW_BELOW_FROM && (is_short || leaves_room) {
        let [body, preview] =
            Split::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(body);
        return (body, Some(preview));
    }
    if body.width < PREVIEW_SCREEN_WIDTH {
        return (body, None);
    }
    let width = match body.width {
        ..VERY_WIDE_SCREEN => PREVIEW_CELLS.0,
        width => (width * 3 / 10).min(PREVIEW_CELLS.1),
    };
    let sides = [Constraint::Fill(1), Constraint::Length(width)];
    let [body, preview] = Split::horizontal(sides).areas(body);
    (body, Some(preview))
}

/// Returns as many columns as fit with their words cut short. The remaining room is given to the columns of words, from
/// the first on.
fn fit_columns(
    first: (RunTableColumn, u16),
    rest: &[(RunTableColumn, u16)],
    room: u16,
) -> Vec<(RunTableColumn, u16)> {
    let least = |(column, width): (RunTableColumn, u16)| {
        let column_info = column.column_info();
        let least = match column_info.kind {
            ColumnKind::Number => return width, // half a number is another one
            ColumnKind::Words if room < ROOMY_WIDTH => column_info.min_cells,
            ColumnKind::Words => usize::midpoint(column_info.min_cells, column_info.max_cells),
        };
        width.min(least as u16)
    };
    let mut fitted = vec![(first, least(first).min(room))];
    let mut used = fitted[0].1;
    for column in rest {
        let more = COLUMN_GAP + least(*column);
        if used + more > room {
            break;
        }
        used += more;
        fitted.push((*column, least(*column)));
    }
    let mut left = room.saturating_sub(used);
    // First as much as a column has on most screens, then what is left.
    let usual = |(column, wanted): (RunTableColumn, u16)| match column.column_kind() {
        ColumnKind::Words => wanted.min(column.column_info().max_cells as u16),
        ColumnKind::Number => wanted,
    };
    let mut widths: Vec<u16> = fitted.iter().map(|(_, width)| *width).collect();
    for wanted in [usual, |(_, wanted): (RunTableColumn, u16)| wanted] {
        for (width, (column, _)) in widths.iter_mut().zip(&fitted) {
            let more = wanted(*column).saturating_sub(*width).min(left);
            left -= more;
            *width += more;
        }
    }
    fitted.into_iter().zip(widths).map(|(((column, _), _), width)| (column, width)).collect()
}

impl RunTableAreas {
    /// Returns the column at this cell of the titles, its gap included.
    pub(crate) fn column_at(&self, x: u16) -> Option<RunTableColumn> {
        let is_there =
            |place: &&ColumnPlace| (place.x..place.x + place.width + COLUMN_GAP).contains(&x);
        self.columns.iter().find(is_there).map(|place| place.column)
    }
}
