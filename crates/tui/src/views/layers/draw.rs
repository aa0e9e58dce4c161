//! Draws the view: the turns with their forecast scores, the request with its brief, and the origins of a sentence.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, left_and_right, recorded_span, safe_string, trusted_span},
        panel::{
            draw_scroll_position, draw_sentence, draw_titled_panel, panel_title_span, put_row,
        },
        scroll::Scroll,
        theme::{Meaning, Theme},
    },
};
use trajview_layers::{
    brief_measures::ForecastScore,
    record::{LayerRecord, LayerTurnEntry},
};
use trajview_run::format_number;

use super::{LayersPart, LayersView, areas::LayersAreas, rows::LayerListRow};

pub(crate) fn draw_layers(
    view: &LayersView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let muted = theme.style_for(Meaning::Muted);
    let words = match session.scores.process.layers() {
        None => Some("reading what layers told the agent…".to_owned()),
        Some(Err(why)) => Some(safe_string(why)),
        Some(Ok(_)) => session.scores.process.layer_records().is_empty().then(|| {
            "no layer of project state is recorded in this run; `trajview layer NAME RUN` says what one would have told the agent".to_owned()
        }),
    };
    if let Some(words) = words {
        return draw_sentence(&words, muted, layout.body, buffer);
    }
    let Some(record) = view.shown_record(session) else { return };
    let areas = LayersAreas::for_layout(layout, view.part);
    if let Some(area) = areas.turns {
        draw_turns(view, session, record, theme, area, buffer);
    }
    let title = format!("turn {}", session.turn + 1);
    if let Some(area) = areas.brief {
        let rows = view.brief_rows(session);
        let list = FramedList { part: LayersPart::Brief, title, rows, scroll: view.brief };
        list.draw_list(view, theme, area, buffer);
    }
    if let Some(area) = areas.origin {
        let rows = view.origin_rows(session);
        let title = "where it is from".to_owned();
        let list = FramedList { part: LayersPart::Origin, title, rows, scroll: view.origin };
        list.draw_list(view, theme, area, buffer);
    }
}

fn draw_turns(
    view: &LayersView,
    session: &Session,
    record: &LayerRecord,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_focused = view.part == LayersPart::Turns;
    let muted = theme.style_for(Meaning::Muted);
    let all = session.scores.process.layer_records().len();
    let more = if all > 1 {
        format!(" v: {} of {all} ", view.layer.min(all - 1) + 1)
    } else {
        String::new()
    };
    let sum = ForecastScore::sum_of(record.turns.iter().filter_map(LayerTurnEntry::forecast_score));
    let titles = [
        Line::from(panel_title_span(is_focused, &safe_string(&record.layer), theme)),
        Line::from(trusted_span(more, muted)),
        Line::from(trusted_span(format!(" all: {} ", forecast_shares(sum)), muted)),
    ];
    let inner = draw_titled_panel(is_focused, titles, theme, area, buffer);
    let width = usize::from(inner.width);
    let chosen = theme.style_for(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let seen =
        view.turns.top..(view.turns.top + usize::from(inner.height)).min(session.run.turns.len());
    for turn in seen {
        let line = turn_line(session, record, turn, theme, width);
        let style = (turn == session.turn).then_some(chosen);
        put_row(line, style, inner, (turn - view.turns.top) as u16, buffer);
    }
    draw_scroll_position(view.turns.top, session.run.turns.len(), theme, area, buffer);
}

/// Returns ` 42 Add a registry   ⟲ ✗1 P 0.500 R 1.000`.
fn turn_line(
    session: &Session,
    record: &LayerRecord,
    turn: usize,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let digits = session.run.turns.len().to_string().len();
    let title = session.run.turns.get(turn).map(|it| &*it.title).unwrap_or_default();
    let left = vec![
        trusted_span(format!(" {:>digits$} ", turn + 1), muted),
        recorded_span(title, theme.style_for(Meaning::Text)),
    ];
    let entry = record.entry_for_turn(turn + 1);
    let mut right: Vec<Span<'static>> = vec![];
    match entry.map(|entry| (entry, &entry.layer_brief)) {
        None => right.push(trusted_span("not recorded ", muted)),
        Some((_, None)) => right.push(trusted_span("– ", muted)),
        Some((entry, Some(said))) => {
            if said.brief.restarts.is_some() {
                right.push(trusted_span("⟲ ", theme.style_for(Meaning::Warning)));
            }
            if !entry.contradicted.is_empty() {
                let words = format!("✗{} ", entry.contradicted.len());
                right.push(trusted_span(words, theme.style_for(Meaning::Error)));
            }
            let words = entry
                .forecast_score()
                .map_or_else(|| "said ".into(), |it| format!("{} ", forecast_shares(it)));
            right.push(trusted_span(words, muted));
        }
    }
    left_and_right(left, right, width)
}

/// Returns `P 0.500 R 1.000`: precision and recall of the files that were forecast.
fn forecast_shares(forecast: ForecastScore) -> String {
    let share =
        |value: Option<f64>| value.map_or_else(|| "–".into(), format_number::three_decimals);
    format!("P {} R {}", share(forecast.precision()), share(forecast.recall()))
}

/// A list of rows in a frame.
struct FramedList {
    part: LayersPart,
    title: String,
    rows: Vec<LayerListRow>,
    scroll: Scroll,
}

/// Cells of the kind.
const KIND_CELLS: usize = 12;

impl FramedList {
    fn draw_list(&self, view: &LayersView, theme: Theme, area: Rect, buffer: &mut Buffer) {
        let is_focused = view.part == self.part;
        let title = Line::from(panel_title_span(is_focused, &self.title, theme));
        let titles = [title, Line::default(), Line::default()];
        let inner = draw_titled_panel(is_focused, titles, theme, area, buffer);
        if self.rows.is_empty() {
            let words = "choose a sentence to see where it is from";
            return draw_sentence(words, theme.style_for(Meaning::Muted), inner, buffer);
        }
        let width = usize::from(inner.width);
        let selected =
            theme.style_for(if is_focused { Meaning::Selected } else { Meaning::Marked });
        let seen =
            self.rows.iter().enumerate().skip(self.scroll.top).take(usize::from(inner.height));
        for (index, row) in seen {
            let spans = vec![
                trusted_span(
                    format!(" {:<KIND_CELLS$} ", row.kind),
                    theme.style_for(Meaning::Muted),
                ),
                recorded_span(&row.text, theme.style_for(row.meaning)),
            ];
            let style = (index == self.scroll.cursor).then_some(selected);
            let place = (index - self.scroll.top) as u16;
            put_row(Line::from(fit_spans(spans, width)), style, inner, place, buffer);
        }
        draw_scroll_position(self.scroll.top, self.rows.len(), theme, area, buffer);
    }
}
