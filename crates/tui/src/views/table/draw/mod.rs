//! Draws the table of runs: its head, its rows, and the meanings of its signs.

mod cells;
mod heading;
mod legend;
mod pairs;
mod preview;
mod search_results;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::columns::{ColumnKind, RunTableColumn},
    session::context::KeyContext,
    views::table::{
        RunTableView,
        areas::{ColumnPlace, RunTableAreas},
        order::{GroupKey, RunGroup, TableLine},
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, recorded_span, spans_width, trusted_span},
        panel::draw_sentence,
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number::count_with_noun;

use cells::SharedEnds;

pub(crate) fn draw_run_table(
    table: &RunTableView,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    if let Some(finding) = &table.finding {
        return search_results::draw_found(finding, &table.keys, theme, layout.body, buffer);
    }
    let areas = table.table_areas(layout.body);
    if table.table_lines().is_empty() {
        let words = empty_table_text(table);
        draw_sentence(&words, theme.style_for(Meaning::Muted), layout.body, buffer);
        return heading::draw_head(table, theme, areas.head, buffer);
    }
    heading::draw_headings(table, &areas, theme, buffer);
    heading::draw_head(table, theme, areas.head, buffer);
    let names = SharedEnds::of_names(visible_names(table));
    let drawn = TableDrawing { table, areas: &areas, names, theme };
    drawn.draw_rows(buffer);
    legend::draw_legend(table, &areas, theme, buffer);
    pairs::draw_pairs(table, &areas, theme, buffer);
    if let Some(area) = areas.preview {
        preview::draw_preview(table, theme, area, buffer);
    }
}

/// Returns the names of the runs that are on screen.
fn visible_names(table: &RunTableView) -> Vec<&str> {
    let rows = table.visible_lines().iter().filter_map(|line| table.rows.get(line.run_index()?));
    rows.map(|row| &*row.name).collect()
}

/// Returns the text that is shown if there are no rows.
fn empty_table_text(table: &RunTableView) -> String {
    match (table.rows.is_empty(), table.is_listed) {
        (true, false) => format!("searching {}s…", table.row_noun()),
        (true, true) if table.shape.start.is_some() => {
            let sample = match table.shape.start.as_ref().and_then(|start| start.sample.as_ref()) {
                Some(_) => {
                    let open = table.keys.key_text(KeyContext::Start, "open");
                    format!("{open} opens a sample run")
                }
                None => "`trajview PATH` opens a recording".into(),
            };
            format!(
                "trajview plays back runs of coding agents, turn by turn, as diffs. No agent sessions were found in the usual folders of this machine: {sample}, `trajview list formats` lists the readable formats"
            )
        }
        (true, true) => {
            "no recordings in this folder: `trajview list formats` lists the readable formats"
                .into()
        }
        (false, _) => {
            let count = count_with_noun(table.rows.len(), table.row_noun());
            let shape = &table.shape;
            let texts = [&shape.filter.text, &shape.expression.text];
            let texts = texts.into_iter().filter(|text| !text.is_empty());
            let texts: Vec<String> =
                texts.map(|it| crate::widgets::line::safe_string(it)).collect();
            let clear = table.keys.key_text(KeyContext::Table, "clear-filter");
            format!("0 of {count} match the filter `{}`; {clear} shows all", texts.join("` and `"))
        }
    }
}

/// Lines of the table, drawn.
struct TableDrawing<'a> {
    table: &'a RunTableView,
    areas: &'a RunTableAreas,
    names: SharedEnds,
    theme: Theme,
}

impl TableDrawing<'_> {
    fn draw_rows(&self, buffer: &mut Buffer) {
        let list = &self.table.list;
        let chosen = self.theme.style_for(Meaning::Selected);
        list.draw_rows(Some(chosen), self.theme, buffer, |at| {
            let is_chosen = at == list.cursor();
            Line::from(match &self.table.table_lines()[at] {
                TableLine::Run(row) => self.run_spans(*row, is_chosen),
                TableLine::Group(group) => self.group_spans(group, is_chosen),
            })
        });
    }

    fn cursor_mark(&self, is_chosen: bool) -> Span<'static> {
        trusted_span(
            if is_chosen { "▌" } else { " " },
            self.theme.style_for(Meaning::FocusedBorder),
        )
    }

    fn run_spans(&self, at: usize, is_chosen: bool) -> Vec<Span<'static>> {
        let row = &self.table.rows[at];
        if let Some(why) = row.reading_failure() {
            return self.failed_run_spans(&row.name, why, is_chosen);
        }
        let mut spans = self.line_spans(is_chosen, |place| {
            cells::run_cell_spans(row, place, &self.names, self.theme)
        });
        if let (Some(first), true) = (spans.first_mut(), self.table.marked.contains(&at)) {
            *first = trusted_span("◆", self.theme.style_for(Meaning::Key));
        }
        spans
    }

    /// Returns the row of a failed run. The sentence uses the room of the missing values.
    fn failed_run_spans(&self, name: &str, why: &str, is_chosen: bool) -> Vec<Span<'static>> {
        let Some(first) = self.areas.columns.first() else { return vec![] };
        let width = usize::from(first.width);
        let name = self.names.fit_name(name, width);
        let name = vec![trusted_span(name, self.theme.style_for(Meaning::Text))];
        let mut spans = vec![self.cursor_mark(is_chosen)];
        spans.extend(padded_spans(name, width, ColumnKind::Words));
        spans.push(trusted_span("  ✗ ", self.theme.style_for(Meaning::Error)));
        spans.push(recorded_span(why, self.theme.style_for(Meaning::Error)));
        fit_spans(spans, usize::from(self.areas.list.width))
    }

    /// Returns `▾ emergent · 12 runs · pass rate 58 % [32–81 %], n 12`, and the means of its numbers.
    fn group_spans(&self, group: &RunGroup, is_chosen: bool) -> Vec<Span<'static>> {
        let (table, theme) = (self.table, self.theme);
        let sign = if group.is_folded { "▸ " } else { "▾ " };
        let name = match &group.key {
            GroupKey::Words(words) => crate::widgets::line::safe_string(words),
            GroupKey::NotRecorded => match table.shape.group {
                Some(column) => format!("no {} recorded", column.column_info().word),
                None => "not recorded".into(),
            },
            GroupKey::Coming => "still being read".into(),
        };
        let runs = format!(" · {}", count_with_noun(group.rows.len(), table.row_noun()));
        let mut heading = vec![
            trusted_span(sign, theme.style_for(Meaning::Key)),
            trusted_span(name, theme.style_for(Meaning::Heading)),
            trusted_span(runs, theme.style_for(Meaning::Muted)),
        ];
        // The name uses the room of the first columns of words.
        let numbers = |place: &ColumnPlace| place.column.column_kind() == ColumnKind::Number;
        let columns = &self.areas.columns;
        // The first column is skipped, since for sessions it is a number.
        let first = (1..columns.len()).find(|at| numbers(&columns[*at])).unwrap_or(columns.len());
        let end = columns.get(first).map_or(self.areas.list.right(), |place| place.x);
        let room = usize::from(end.saturating_sub(self.areas.list.x)).saturating_sub(3);
        if let Some(rate) = table.group_pass_rate(group) {
            let rate = rate.short_text();
            let free = room.saturating_sub(spans_width(&heading));
            let longer = format!(" · pass rate {rate}");
            let rate = if text::width(&longer) <= free { longer } else { format!(" · {rate}") };
            heading.push(trusted_span(rate, theme.style_for(Meaning::Text)));
        }
        let mut spans = vec![self.cursor_mark(is_chosen)];
        spans.extend(padded_spans(fit_spans(heading, room), room, ColumnKind::Words));
        for place in &columns[first..] {
            spans.push(trusted_span("  ", theme.style_for(Meaning::Text)));
            let mean = cells::group_mean(table, group, place.column);
            let mean = trusted_span(mean, theme.style_for(Meaning::Heading));
            spans.extend(padded_spans(
                vec![mean],
                usize::from(place.width),
                place.column.column_kind(),
            ));
        }
        spans
    }

    fn line_spans(
        &self,
        is_chosen: bool,
        cell: impl Fn(&ColumnPlace) -> Vec<Span<'static>>,
    ) -> Vec<Span<'static>> {
        let mut spans = vec![self.cursor_mark(is_chosen)];
        for (at, place) in self.areas.columns.iter().enumerate() {
            if at > 0 {
                spans.push(trusted_span("  ", self.theme.style_for(Meaning::Text)));
            }
            let kind = if place.column == RunTableColumn::Curve {
                ColumnKind::Words
            } else {
                place.column.column_kind()
            };
            spans.extend(padded_spans(cell(place), usize::from(place.width), kind));
        }
        spans
    }
}

/// Pads spans to the width. Words begin at the left, numbers end at the right.
fn padded_spans(spans: Vec<Span<'static>>, width: usize, kind: ColumnKind) -> Vec<Span<'static>> {
    let mut spans = fit_spans(spans, width);
    let blank = Span::raw(" ".repeat(width.saturating_sub(spans_width(&spans))));
    match kind {
        ColumnKind::Words => spans.push(blank),
        ColumnKind::Number => spans.insert(0, blank),
    }
    spans
}

/// Returns the area without its margins at the left and the right.
fn inside_margins(area: Rect) -> Rect {
    Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}
