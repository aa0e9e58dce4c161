//! The strip of turns below the views: a line with a title, and lanes over one axis of turns.
//!
//! [`TurnColumns`] says which turns stand in which column. A lane has a name and a value at the left, and one thing a column:
//! bars, signs, the names of stretches; the cells of a lane of words are no turns. Nothing depends on colour alone: the
//! playhead has a sign, and a value that was not measured is a blank.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    text::{Line, Span},
    widgets::Widget,
};

use super::{
    line::{fit_spans, fitting_prefix, safe_string, spans_width, trusted_span},
    plot::put_text,
    sparkline::bar_char,
    text,
    theme::{Meaning, Theme},
};

/// The columns of turns, from left to right. A column has one turn or several, and a turn one column or several.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TurnColumns {
    /// Turns (counting from 0) and the columns over which they are spread.
    segments: Vec<(Range<usize>, Range<usize>)>,
}

impl TurnColumns {
    /// Spreads turns over a number of columns.
    pub(crate) fn evenly(turns: Range<usize>, width: usize) -> Self {
        Self::in_segments([(turns, 0..width)])
    }

    /// Spreads each range of turns over a range of columns; neither may overlap.
    pub(crate) fn in_segments(
        segments: impl IntoIterator<Item = (Range<usize>, Range<usize>)>,
    ) -> Self {
        let has_both = |(turns, columns): &(Range<usize>, Range<usize>)| {
            !turns.is_empty() && !columns.is_empty()
        };
        Self { segments: segments.into_iter().filter(has_both).collect() }
    }

    /// Returns the turns of a column; empty where it has none.
    pub(crate) fn turns_of(&self, column: usize) -> Range<usize> {
        let segment = self.segments.iter().find(|(_, columns)| columns.contains(&column));
        let Some((turns, columns)) = segment else { return 0..0 };
        let at = column - columns.start;
        let first = at * turns.len() / columns.len();
        let end = ((at + 1) * turns.len() / columns.len()).max(first + 1);
        turns.start + first..turns.start + end
    }

    /// Returns the columns of a turn; empty where the turn is not shown.
    pub(crate) fn columns_of(&self, turn: usize) -> Range<usize> {
        let segment = self.segments.iter().find(|(turns, _)| turns.contains(&turn));
        let Some((turns, columns)) = segment else { return 0..0 };
        let at = turn - turns.start;
        let end = ((at + 1) * columns.len()).div_ceil(turns.len());
        let first = match turns.len() < columns.len() {
            true => (at * columns.len()).div_ceil(turns.len()),
            false => end - 1,
        };
        columns.start + first..columns.start + end
    }

    /// Returns the columns of some neighbouring turns.
    pub(crate) fn columns_of_turns(&self, turns: &Range<usize>) -> Range<usize> {
        if turns.is_empty() {
            return 0..0;
        }
        self.columns_of(turns.start).start..self.columns_of(turns.end - 1).end
    }

    /// Returns the turn that a click on a column selects; None where no turn is near.
    pub(crate) fn turn_at(&self, column: usize) -> Option<usize> {
        let away = |columns: &Range<usize>| match column {
            before if before < columns.start => columns.start - before,
            after => (after + 1).saturating_sub(columns.end),
        };
        let (_, columns) = self.segments.iter().min_by_key(|(_, columns)| away(columns))?;
        let turns = self.turns_of(column.clamp(columns.start, columns.end - 1));
        turns.last()
    }

    /// Returns whether some column has more than one turn.
    pub(crate) fn has_buckets(&self) -> bool {
        self.segments.iter().any(|(turns, columns)| turns.len() > columns.len())
    }

    /// Returns the number of columns.
    pub(crate) fn width(&self) -> usize {
        self.segments.iter().map(|(_, columns)| columns.end).max().unwrap_or_default()
    }
}

/// Everything that is drawn, in the order of the lanes.
pub(crate) struct TimelineStrip {
    /// At the left of the line.
    pub title: Vec<Span<'static>>,
    /// At the right of the line.
    pub position: Vec<Span<'static>>,
    pub lanes: Vec<TimelineLane>,
    /// The columns of the playhead; empty where it is not on the strip.
    pub playhead: Range<usize>,
    /// The lane in which the playhead has its sign.
    pub playhead_lane: Option<usize>,
}

/// One row of the strip.
pub(crate) struct TimelineLane {
    pub label: String,
    /// The value at the playhead.
    pub value: String,
    pub content: LaneContent,
}

/// What a lane has in its columns.
pub(crate) enum LaneContent {
    /// Stretches of columns with their names; the one of the playhead is highlighted.
    Names(Vec<NamedColumns>),
    /// One bar a column, None where nothing was measured; `highest` is a full bar.
    Bars { values: Vec<Option<f64>>, highest: f64 },
    /// One sign a column.
    Signs(Vec<Option<LaneSign>>),
    /// Words instead of columns.
    Words(Vec<Span<'static>>),
}

/// A sign with its meaning.
pub(crate) type LaneSign = (&'static str, Meaning);

/// A stretch of columns with a name.
pub(crate) struct NamedColumns {
    pub columns: Range<usize>,
    pub name: String,
    pub is_here: bool,
}

/// Cells of the name and the value at the left of a lane, with the blanks around them.
const GUTTER: u16 = 20;

/// Cells of a lane's name.
pub(crate) const LABEL_CELLS: usize = 11;

/// The sign of the playhead.
const PLAYHEAD: &str = "▼";

/// Returns the area of the columns of turns within that of a strip.
pub(crate) fn column_area(area: Rect) -> Rect {
    Rect {
        x: area.x + GUTTER.min(area.width),
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(GUTTER + 1),
        height: area.height.saturating_sub(1),
    }
}

/// Returns the lane and the column under a position; None outside the columns. The line belongs to no lane.
pub(crate) fn place_at(area: Rect, position: Position) -> Option<(Option<usize>, usize)> {
    let columns = column_area(area);
    let is_beside =
        area.contains(position) && position.x >= columns.x && position.x < columns.right();
    let lane = usize::from(position.y.saturating_sub(area.y)).checked_sub(1);
    is_beside.then(|| (lane, usize::from(position.x - columns.x)))
}

impl TimelineStrip {
    pub(crate) fn draw(&self, theme: Theme, area: Rect, buffer: &mut Buffer) {
        self.draw_line(theme, area, buffer);
        let columns = column_area(area);
        for (lane, y) in self.lanes.iter().zip(columns.y..columns.bottom()) {
            let row = Rect { y, height: 1, ..columns };
            lane.draw_label(
                theme,
                Rect { x: area.x, width: GUTTER.min(area.width), ..row },
                buffer,
            );
            lane.draw_columns(&self.playhead, theme, row, buffer);
        }
        self.draw_playhead(theme, columns, buffer);
    }

    /// Draws `─ timeline ───────────────── turn 46 of 56 · checkpoint 8 of 9 ─`; the position is left out where there is no room
    /// for it.
    fn draw_line(&self, theme: Theme, area: Rect, buffer: &mut Buffer) {
        let width = usize::from(area.width);
        put_text(buffer, (area.x, area.y), &"─".repeat(width), theme.style_for(Meaning::Border));
        let title = fit_spans(self.title.clone(), width.saturating_sub(2));
        let (title_cells, position_cells) = (spans_width(&title), spans_width(&self.position));
        let line = Rect { x: area.x + 1, width: title_cells as u16, height: 1, ..area };
        Line::from(title).render(line.intersection(area), buffer);
        if title_cells + position_cells + 3 <= width {
            let x = area.right() - 1 - position_cells as u16;
            let place = Rect { x, width: position_cells as u16, height: 1, ..area };
            Line::from(self.position.clone()).render(place, buffer);
        }
    }

    /// Draws the sign of the playhead. An event below it is in the value at the left of the lane too.
    fn draw_playhead(&self, theme: Theme, columns: Rect, buffer: &mut Buffer) {
        if let Some(lane) = self.playhead_lane.filter(|_| !self.playhead.is_empty()) {
            let place = (columns.x + self.playhead.start as u16, columns.y + lane as u16);
            put_text(buffer, place, PLAYHEAD, theme.style_for(Meaning::Playing));
        }
    }
}

impl TimelineLane {
    fn draw_label(&self, theme: Theme, area: Rect, buffer: &mut Buffer) {
        let room = usize::from(area.width.saturating_sub(2));
        let label = match text::width(&self.label) > LABEL_CELLS {
            true => format!("{}…", fitting_prefix(&self.label, LABEL_CELLS - 1)),
            false => self.label.clone(),
        };
        let blanks = room.saturating_sub(text::width(&label) + text::width(&self.value));
        let spans = vec![
            trusted_span(format!(" {label}"), theme.style_for(Meaning::Muted)),
            trusted_span(" ".repeat(blanks), theme.style_for(Meaning::Text)),
            trusted_span(self.value.clone(), theme.style_for(Meaning::Title)),
        ];
        Line::from(fit_spans(spans, room + 1)).render(area, buffer);
    }

    fn draw_columns(&self, playhead: &Range<usize>, theme: Theme, row: Rect, buffer: &mut Buffer) {
        let width = usize::from(row.width);
        let cell = |sign: &str, meaning: Meaning, column: usize| {
            let style = theme.style_for(meaning);
            match playhead.contains(&column) {
                // Reversed, a turn with the value 0 would look like the highest bar.
                true => trusted_span(sign, style.patch(theme.style_for(Meaning::Selected))),
                false => trusted_span(sign, style),
            }
        };
        let spans: Vec<Span<'static>> = match &self.content {
            LaneContent::Words(spans) => fit_spans(spans.clone(), width),
            LaneContent::Names(stretches) => {
                return stretches.iter().for_each(|it| it.draw(playhead.start, theme, row, buffer));
            }
            LaneContent::Bars { values, highest } => (values.iter().enumerate())
                .map(|(column, value)| {
                    let is_later = column >= playhead.end && !playhead.is_empty();
                    let meaning = if is_later { Meaning::Muted } else { Meaning::Hunk };
                    cell(bar_char(*value, *highest).encode_utf8(&mut [0; 4]), meaning, column)
                })
                .collect(),
            LaneContent::Signs(signs) => (signs.iter().enumerate())
                .map(|(column, sign)| {
                    let (sign, meaning) = sign.unwrap_or(("·", Meaning::Muted));
                    cell(sign, meaning, column)
                })
                .collect(),
        };
        Line::from(spans).render(row, buffer);
    }
}

impl NamedColumns {
    /// Draws `│4 forward process`, cut to the columns. A name under the playhead leaves a cell free for its sign, so that no
    /// letter is lost.
    fn draw(&self, playhead: usize, theme: Theme, row: Rect, buffer: &mut Buffer) {
        let is_under = (self.columns.start + 1..self.columns.end).contains(&playhead);
        let room = self.columns.len().saturating_sub(1 + usize::from(is_under));
        let name = safe_string(&self.name);
        let name = match text::width(&name) > room {
            true if room > 2 => format!("{}…", fitting_prefix(&name, room - 1)),
            true => fitting_prefix(&name, room).to_owned(),
            false => name,
        };
        let meaning = if self.is_here { Meaning::Title } else { Meaning::Muted };
        let x = row.x + self.columns.start as u16;
        put_text(buffer, (x, row.y), "│", theme.style_for(Meaning::Border));
        let before = if is_under { playhead - self.columns.start - 1 } else { room };
        let start = fitting_prefix(&name, before);
        let style = theme.style_for(meaning);
        put_text(buffer, (x + 1, row.y), start, style);
        let rest = x + 2 + text::width(start) as u16;
        put_text(buffer, (rest, row.y), &name[start.len()..], style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_the_width_each_turn_has_a_column_and_each_column_a_turn(
            turns in 1usize..400,
            width in 1usize..200,
        ) {
            let columns = TurnColumns::evenly(3..3 + turns, width);
            for turn in 3..3 + turns {
                let shown_in = columns.columns_of(turn);
                prop_assert!(!shown_in.is_empty() && shown_in.end <= width);
                for column in shown_in {
                    prop_assert!(columns.turns_of(column).contains(&turn));
                }
            }
            let shown: Vec<usize> = (0..width).flat_map(|column| columns.turns_of(column)).collect();
            prop_assert!(shown.is_sorted());
            prop_assert_eq!((shown.first(), shown.last()), (Some(&3), Some(&(2 + turns))));
            prop_assert_eq!(columns.has_buckets(), turns > width);
        }
    }

    #[test]
    fn a_click_beside_the_turns_selects_the_nearest_one() {
        let columns = TurnColumns::in_segments([(0..4, 0..8), (4..5, 20..24)]);

        assert_eq!([0, 7, 10, 19, 30].map(|at| columns.turn_at(at)), [0, 3, 3, 4, 4].map(Some));
        assert_eq!(columns.turns_of(12), 0..0);
        assert_eq!(TurnColumns::default().turn_at(0), None);
    }

    fn drawn_rows(strip: &TimelineStrip, width: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, strip.lanes.len() as u16 + 1);
        let mut buffer = Buffer::empty(area);
        strip.draw(Theme::without_colours(), area, &mut buffer);
        crate::widgets::export::frame_text(&buffer).lines().map(str::to_owned).collect()
    }

    fn strip_at(playhead: Range<usize>) -> TimelineStrip {
        let plain = |words: &str| vec![Span::raw(words.to_owned())];
        let lane = |label: &str, value: &str, content| TimelineLane {
            label: label.into(),
            value: value.into(),
            content,
        };
        let named =
            |columns, name: &str| NamedColumns { columns, name: name.into(), is_here: false };
        let lanes = vec![
            lane(
                "checkpoint",
                "",
                LaneContent::Names(vec![named(0..5, "1 geometry"), named(5..9, "2 b")]),
            ),
            lane(
                "erosion",
                "0.500",
                LaneContent::Bars {
                    values: vec![Some(0.0), None, Some(0.5), Some(1.0)],
                    highest: 1.0,
                },
            ),
            lane("events", "", LaneContent::Signs(vec![None, Some(("✗", Meaning::Error))])),
        ];
        TimelineStrip {
            title: plain(" timeline "),
            position: plain(" turn 3 of 4 "),
            lanes,
            playhead,
            playhead_lane: Some(0),
        }
    }

    #[test]
    fn lanes_have_their_name_their_value_and_one_cell_a_column_with_gaps_where_nothing_was_measured()
     {
        let rows = drawn_rows(&strip_at(2..3), 60);

        assert!(rows[0].starts_with("─ timeline ─────"), "{rows:#?}");
        assert!(rows[0].ends_with("── turn 3 of 4 ─"), "{rows:#?}");
        assert_eq!(rows[1].trim_end(), " checkpoint         │1▼ …│2 b");
        assert_eq!(rows[2].trim_end(), " erosion      0.500 · ▄█");
        assert_eq!(rows[3].trim_end(), " events             ·✗");
    }

    #[test]
    fn the_columns_of_the_playhead_are_tinted_and_never_look_like_bars() {
        let area = Rect::new(0, 0, 60, 4);
        let mut buffer = Buffer::empty(area);
        strip_at(0..2).draw(Theme::with_terminal_colours(), area, &mut buffer);

        let here = &buffer[(column_area(area).x, 2)];
        assert!(!here.modifier.contains(ratatui::style::Modifier::REVERSED), "{here:?}");
        assert_ne!(here.bg, ratatui::style::Color::Reset);
        let there = &buffer[(column_area(area).x + 3, 2)];
        assert_eq!(there.bg, ratatui::style::Color::Reset);
    }

    #[test]
    fn the_playhead_stands_over_the_sign_of_its_turn() {
        let mut strip = strip_at(0..1);
        strip.lanes.remove(0);
        strip.playhead_lane = Some(1);
        let drawn = |strip: &TimelineStrip| drawn_rows(strip, 30)[2].trim_end().to_owned();

        assert_eq!(drawn(&strip), " events             ▼✗");
        strip.playhead = 1..2;
        assert_eq!(drawn(&strip), " events             ·▼");
        assert!(
            drawn_rows(&strip, 25)[0].starts_with("─ timeline ──────"),
            "no room for the position"
        );
    }
}
