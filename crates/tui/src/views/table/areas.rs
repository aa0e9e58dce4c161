//! Where the parts of the table stand, as a pure function: which columns fit, and which is under the pointer.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::session::columns::{Column, Kind};

use super::Collection;

/// The areas of the table; all of them inside the body of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Areas {
    /// Who says so, above the titles.
    pub sources: Rect,
    pub titles: Rect,
    pub list: Rect,
    /// What the signs and the chosen column mean.
    pub legend: Rect,
    /// What is known of the run at the cursor, where there is room.
    pub preview: Option<Rect>,
    /// The panel of paired tests, where it is open.
    pub pairs: Option<Rect>,
    pub columns: Vec<Place>,
    /// Columns that did not fit, to the left and to the right.
    pub hidden: [usize; 2],
}

/// Where a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub column: Column,
    pub x: u16,
    pub width: u16,
}

/// Rows of a border.
const FRAME: u16 = 2;

/// Cells between two columns.
const GAP: u16 = 2;

/// From here on words are cut less short.
const ROOMY: u16 = 100;

/// Cells before the first column, for the mark of the chosen row.
const MARGIN: u16 = 1;

impl Collection {
    pub fn areas(&self, body: Rect) -> Areas {
        let rows = [1, 1, 0, 1].map(|rows| match rows {
            0 => Constraint::Fill(1),
            rows => Constraint::Length(rows),
        });
        let whole = body;
        let (body, preview) = with_preview(body);
        let (body, pairs) = self.with_pairs(body);
        let [sources, titles, list, legend] = Split::vertical(rows).areas(body);
        let (columns, hidden) = self.places(list);
        // The line below goes below both.
        let legend = Rect { width: whole.width, ..legend };
        let preview = preview.map(|area| Rect { height: area.height.saturating_sub(1), ..area });
        Areas { sources, titles, list, legend, preview, pairs, columns, hidden }
    }

    /// Room for the panel of paired tests: as many rows as it has, and not more than half of all.
    fn with_pairs(&self, body: Rect) -> (Rect, Option<Rect>) {
        let rows = match self.matched() {
            None => return (body, None),
            Some(Ok(matched)) if !matched.sides.is_empty() => matched.sides.len() as u16 + 1,
            Some(_) => 1,
        };
        let height = Constraint::Length((rows + FRAME).min(body.height / 2));
        let [body, pairs] = Split::vertical([Constraint::Fill(1), height]).areas(body);
        (body, Some(pairs))
    }

    /// The first column always, then as many as fit so that the chosen one is among them.
    fn places(&self, area: Rect) -> (Vec<Place>, [usize; 2]) {
        let Some((first, rest)) = self.widths().split_first() else { return (vec![], [0, 0]) };
        let chosen = rest.iter().position(|(column, _)| *column == self.shape.chosen).unwrap_or(0);
        let room = area.width.saturating_sub(MARGIN);
        let fitted = |skipped: usize| fit(*first, rest.get(skipped..).unwrap_or_default(), room);
        let is_seen = |skipped: &usize| skipped + fitted(*skipped).len() > chosen + 1;
        let skipped = (0..=chosen).find(is_seen).unwrap_or(chosen);
        let fitted = fitted(skipped);
        let hidden = [skipped, (rest.len() - skipped).saturating_sub(fitted.len() - 1)];
        let mut x = area.x + MARGIN;
        let place = |(column, width): (Column, u16)| {
            let place = Place { column, x, width };
            x += width + GAP;
            place
        };
        (fitted.into_iter().map(place).collect(), hidden)
    }
}

/// From here on the run at the cursor has a panel beside the table, of so many cells and, on a very wide screen, of more.
const PREVIEW: u16 = 160;
const PREVIEW_WIDTH: (u16, u16) = (48, 100);
const VERY_WIDE: u16 = 240;

fn with_preview(body: Rect) -> (Rect, Option<Rect>) {
    if body.width < PREVIEW {
        return (body, None);
    }
    let width = match body.width {
        ..VERY_WIDE => PREVIEW_WIDTH.0,
        width => (width * 3 / 10).min(PREVIEW_WIDTH.1),
    };
    let sides = [Constraint::Fill(1), Constraint::Length(width)];
    let [body, preview] = Split::horizontal(sides).areas(body);
    (body, Some(preview))
}

/// As many columns as fit with their words cut short; what room is left goes to the words, from the first on.
fn fit(first: (Column, u16), rest: &[(Column, u16)], room: u16) -> Vec<(Column, u16)> {
    let least = |(column, width): (Column, u16)| {
        let about = column.about();
        let least = match about.kind {
            Kind::Number => return width, // half a number is another one
            Kind::Words if room < ROOMY => about.least,
            Kind::Words => usize::midpoint(about.least, about.most),
        };
        width.min(least as u16)
    };
    let mut fitted = vec![(first, least(first).min(room))];
    let mut used = fitted[0].1;
    for column in rest {
        let more = GAP + least(*column);
        if used + more > room {
            break;
        }
        used += more;
        fitted.push((*column, least(*column)));
    }
    let mut left = room.saturating_sub(used);
    // First as much as a column has on most screens, then what is left.
    let usual = |(column, wanted): (Column, u16)| match column.kind() {
        Kind::Words => wanted.min(column.about().most as u16),
        Kind::Number => wanted,
    };
    let mut widths: Vec<u16> = fitted.iter().map(|(_, width)| *width).collect();
    for wanted in [usual, |(_, wanted): (Column, u16)| wanted] {
        for (width, (column, _)) in widths.iter_mut().zip(&fitted) {
            let more = wanted(*column).saturating_sub(*width).min(left);
            left -= more;
            *width += more;
        }
    }
    fitted.into_iter().zip(widths).map(|(((column, _), _), width)| (column, width)).collect()
}

impl Areas {
    /// The column at this cell of the titles, its gap included.
    pub fn column_at(&self, x: u16) -> Option<Column> {
        let is_there = |place: &&Place| (place.x..place.x + place.width + GAP).contains(&x);
        self.columns.iter().find(is_there).map(|place| place.column)
    }
}
