//! The table of runs: what stands above it, its rows, and what its signs mean.

mod cells;
mod found;
mod heading;
mod legend;
mod pairs;
mod preview;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::columns::{Column, Kind},
    views::table::{
        Collection,
        areas::{Areas, Place},
        order::{Group, Key, Line as TableLine},
    },
    widgets::{
        layout::Layout,
        line::{fit, own, recorded, width_of},
        panel::{put_row, sentence},
        theme::{Meaning, Theme},
    },
};
use trajview_run::figures::counted;

pub fn draw(table: &Collection, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    heading::title(table, theme, layout.title, buffer);
    if let Some(finding) = &table.finding {
        return found::draw(finding, theme, layout.body, buffer);
    }
    let areas = table.areas(layout.body);
    if table.lines().is_empty() {
        let words = nothing(table);
        return sentence(&words, theme.of(Meaning::Muted), layout.body, buffer);
    }
    heading::draw(table, &areas, theme, buffer);
    let drawn = Drawn { table, areas: &areas, theme };
    drawn.rows(buffer);
    legend::draw(table, &areas, theme, buffer);
    pairs::draw(table, &areas, theme, buffer);
    if let Some(area) = areas.preview {
        preview::draw(table, theme, area, buffer);
    }
}

/// Why there is no row.
fn nothing(table: &Collection) -> String {
    match (table.rows.is_empty(), table.is_listed) {
        (true, false) => format!("looking for {}s…", table.what()),
        (true, true) if table.shape.start.is_some() => {
            let sample = match table.shape.start.as_ref().and_then(|start| start.sample.as_ref()) {
                Some(_) => "enter opens a sample run",
                None => "`trajview PATH` opens a recording",
            };
            format!(
                "trajview plays back what coding agents did, turn by turn, as diffs. No session of an agent is in its usual \
                 place on this machine: {sample}, `trajview formats` lists what can be read"
            )
        }
        (true, true) => "no recording below here: `trajview formats` lists what can be read".into(),
        (false, _) => {
            let count = counted(table.rows.len(), table.what());
            let shape = &table.shape;
            let texts = [&shape.filter.text, &shape.expression.text];
            let texts = texts.into_iter().filter(|text| !text.is_empty());
            let texts: Vec<String> = texts.map(|it| crate::widgets::line::safe(it)).collect();
            format!(
                "none of {count} fits the filter `{}`; esc shows them all",
                texts.join("` and `")
            )
        }
    }
}

/// Lines of the table, drawn.
struct Drawn<'a> {
    table: &'a Collection,
    areas: &'a Areas,
    theme: Theme,
}

impl Drawn<'_> {
    fn rows(&self, buffer: &mut Buffer) {
        let (area, scroll) = (self.areas.list, self.table.scroll);
        let lines = self.table.lines().iter().enumerate().skip(scroll.top);
        for (y, (at, line)) in lines.take(usize::from(area.height)).enumerate() {
            let is_chosen = at == scroll.cursor;
            let spans = match line {
                TableLine::Run(row) => self.run(*row, is_chosen),
                TableLine::Group(group) => self.group(group, is_chosen),
            };
            let style = is_chosen.then(|| self.theme.of(Meaning::Selected));
            put_row(Line::from(spans), style, area, y as u16, buffer);
        }
    }

    fn mark(&self, is_chosen: bool) -> Span<'static> {
        own(if is_chosen { "▌" } else { " " }, self.theme.of(Meaning::FocusedBorder))
    }

    fn run(&self, at: usize, is_chosen: bool) -> Vec<Span<'static>> {
        let row = &self.table.rows[at];
        if let Some(why) = row.failure() {
            return self.failed(&row.name, why, is_chosen);
        }
        let mut spans = self.line(is_chosen, |place| cells::of(row, place, self.theme));
        if let (Some(first), true) = (spans.first_mut(), self.table.marked == Some(at)) {
            *first = own("◆", self.theme.of(Meaning::Key));
        }
        spans
    }

    /// The sentence takes the room of the values there are none of.
    fn failed(&self, name: &str, why: &str, is_chosen: bool) -> Vec<Span<'static>> {
        let Some(first) = self.areas.columns.first() else { return vec![] };
        let width = usize::from(first.width);
        let name = vec![own(cells::middle(name, width), self.theme.of(Meaning::Text))];
        let mut spans = vec![self.mark(is_chosen)];
        spans.extend(padded(name, width, Kind::Words));
        spans.push(own("  ✗ ", self.theme.of(Meaning::Error)));
        spans.push(recorded(why, self.theme.of(Meaning::Error)));
        fit(spans, usize::from(self.areas.list.width))
    }

    /// `▾ emergent · 12 runs`, and the means of its numbers.
    fn group(&self, group: &Group, is_chosen: bool) -> Vec<Span<'static>> {
        let (table, theme) = (self.table, self.theme);
        let sign = if group.is_folded { "▸ " } else { "▾ " };
        let name = match &group.key {
            Key::Words(words) => crate::widgets::line::safe(words),
            Key::NotRecorded => match table.shape.group {
                Some(column) => format!("no {} recorded", column.about().word),
                None => "not recorded".into(),
            },
            Key::Coming => "still being read".into(),
        };
        let runs = format!(" · {}", counted(group.rows.len(), table.what()));
        let heading = vec![
            own(sign, theme.of(Meaning::Key)),
            own(name, theme.of(Meaning::Heading)),
            own(runs, theme.of(Meaning::Muted)),
        ];
        // The name takes the room of the columns of words that stand first.
        let numbers = |place: &Place| place.column.kind() == Kind::Number;
        let columns = &self.areas.columns;
        // Where sessions were is a number, and stands before them.
        let first = (1..columns.len()).find(|at| numbers(&columns[*at])).unwrap_or(columns.len());
        let end = columns.get(first).map_or(self.areas.list.right(), |place| place.x);
        let room = usize::from(end.saturating_sub(self.areas.list.x)).saturating_sub(3);
        let mut spans = vec![self.mark(is_chosen)];
        spans.extend(padded(fit(heading, room), room, Kind::Words));
        for place in &columns[first..] {
            spans.push(own("  ", theme.of(Meaning::Text)));
            let mean = cells::mean(table, group, place.column);
            let mean = own(mean, theme.of(Meaning::Heading));
            spans.extend(padded(vec![mean], usize::from(place.width), place.column.kind()));
        }
        spans
    }

    fn line(
        &self,
        is_chosen: bool,
        cell: impl Fn(&Place) -> Vec<Span<'static>>,
    ) -> Vec<Span<'static>> {
        let mut spans = vec![self.mark(is_chosen)];
        for (at, place) in self.areas.columns.iter().enumerate() {
            if at > 0 {
                spans.push(own("  ", self.theme.of(Meaning::Text)));
            }
            let kind =
                if place.column == Column::Curve { Kind::Words } else { place.column.kind() };
            spans.extend(padded(cell(place), usize::from(place.width), kind));
        }
        spans
    }
}

/// Exactly so wide: words begin at the left, numbers end at the right.
fn padded(spans: Vec<Span<'static>>, width: usize, kind: Kind) -> Vec<Span<'static>> {
    let mut spans = fit(spans, width);
    let blank = Span::raw(" ".repeat(width.saturating_sub(width_of(&spans))));
    match kind {
        Kind::Words => spans.push(blank),
        Kind::Number => spans.insert(0, blank),
    }
    spans
}

/// The row of an area that lies so far below its top.
fn edge(area: Rect) -> Rect {
    Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}
