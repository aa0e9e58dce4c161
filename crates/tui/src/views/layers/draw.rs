//! Draws the view: the turns with their forecast scores, the request with its brief, and the origins of a sentence.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::empty_panels::{EmptyReason, draw_reason_and_run},
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, left_and_right, recorded_span, safe_string, trusted_span},
        pane::ListPane,
        panel::{PanelTitles, draw_sentence, panel_title_span},
        theme::{Meaning, Theme},
    },
};
use trajview_layers::{
    brief_measures::ForecastScore,
    record::{LayerRecord, LayerTurnEntry},
};
use trajview_run::format_number;

use super::{LayersPart, LayersView, rows::LayerListRow};

pub(crate) fn draw_layers(
    view: &LayersView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let muted = theme.style_for(Meaning::Muted);
    let words = match session.scores.process.layers() {
        None => Some("reading the layers…".to_owned()),
        Some(Err(why)) => Some(safe_string(why)),
        Some(Ok(_)) => None,
    };
    if let Some(words) = words {
        return draw_sentence(&words, muted, layout.body, buffer);
    }
    if session.scores.process.layer_records().is_empty() {
        return draw_reason_and_run(session, &no_layers(), theme, layout.body, buffer);
    }
    let Some(record) = view.shown_record(session) else { return };
    draw_turns(view, session, record, theme, buffer);
    let title = format!("turn {}", session.turn + 1);
    if view.brief.frame_width() > 0 {
        let is_focused = view.part == LayersPart::Brief;
        draw_list(&view.brief, (&title, is_focused), &view.brief_rows(session), theme, buffer);
    }
    if view.origin.frame_width() > 0 {
        let is_focused = view.part == LayersPart::Origin;
        let rows = view.origin_rows(session);
        draw_list(&view.origin, ("sources", is_focused), &rows, theme, buffer);
    }
}

fn no_layers() -> EmptyReason<'static> {
    EmptyReason {
        title: "no layers",
        why: "This run has no layers. A layer is a program that adds text to a request, such as notes or the state of the \
              project; this view shows what it added in each turn."
            .into(),
        remedies: vec![
            ("trajview layer RUN LAYER".into(), "simulates one on this run, without an agent"),
            ("trajview live --layer LAYER".into(), "runs an agent with one"),
        ],
    }
}

fn draw_turns(
    view: &LayersView,
    session: &Session,
    record: &LayerRecord,
    theme: Theme,
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
    let title = panel_title_span(is_focused, &safe_string(&record.layer), theme);
    let titles = PanelTitles::from(title)
        .with_right(trusted_span(more, muted))
        .with_below(trusted_span(format!(" all: {} ", forecast_shares(sum)), muted));
    let inner = view.turns.draw_frame(titles, is_focused, theme, buffer);
    let width = usize::from(inner.width);
    view.turns.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |turn| {
        turn_line(session, record, turn, theme, width)
    });
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
        Some((_, None)) => {
            right.push(trusted_span(format!("{} ", format_number::MISSING_SIGN), muted))
        }
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
                .map_or_else(|| "text added ".into(), |it| format!("{} ", forecast_shares(it)));
            right.push(trusted_span(words, muted));
        }
    }
    left_and_right(left, right, width)
}

/// Returns `P 0.500 R 1.000`: precision and recall of the files that were forecast.
fn forecast_shares(forecast: ForecastScore) -> String {
    let share = |value: Option<f64>| {
        value.map_or_else(|| format_number::MISSING_SIGN.into(), format_number::three_decimals)
    };
    format!("P {} R {}", share(forecast.precision()), share(forecast.recall()))
}

/// Cells of the kind.
const KIND_CELLS: usize = 12;

fn draw_list(
    pane: &ListPane,
    (title, is_focused): (&str, bool),
    rows: &[LayerListRow],
    theme: Theme,
    buffer: &mut Buffer,
) {
    let title = panel_title_span(is_focused, title, theme);
    let inner = pane.draw_frame(title, is_focused, theme, buffer);
    let muted = theme.style_for(Meaning::Muted);
    if rows.is_empty() {
        return draw_sentence("select a sentence to see its sources", muted, inner, buffer);
    }
    pane.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |index| {
        let row = &rows[index];
        let spans = vec![
            trusted_span(format!(" {:<KIND_CELLS$} ", row.kind), muted),
            recorded_span(&row.text, theme.style_for(row.meaning)),
        ];
        Line::from(fit_spans(spans, usize::from(inner.width)))
    });
}
