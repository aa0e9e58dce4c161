//! How the view looks: turns with how the forecast went, the request with what was said before it, where a sentence is from.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    widgets::{
        layout::Layout,
        line::{fit, own, recorded, safe, sides},
        panel::{name, position, put_row, sentence, titled},
        scroll::Scroll,
        theme::{Meaning, Theme},
    },
};
use trajview_layers::{
    measure::Forecast,
    record::{Entry, Record},
};
use trajview_run::figures;

use super::{Layers, Part, areas::Areas, rows::Row};

pub fn draw(view: &Layers, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let muted = theme.of(Meaning::Muted);
    let words = match session.scores.worked.layers() {
        None => Some("reading what layers told the agent…".to_owned()),
        Some(Err(why)) => Some(safe(why)),
        Some(Ok(_)) => session.scores.worked.records().is_empty().then(|| {
            "no layer of project state is recorded in this run; `trajview layer NAME RUN` says what one would have told the agent".to_owned()
        }),
    };
    if let Some(words) = words {
        return sentence(&words, muted, layout.body, buffer);
    }
    let Some(record) = view.record(session) else { return };
    let areas = Areas::of(layout, view.part);
    if let Some(area) = areas.turns {
        turns(view, session, record, theme, area, buffer);
    }
    let title = format!("turn {}", session.turn + 1);
    if let Some(area) = areas.brief {
        let rows = view.brief_rows(session);
        let list = List { part: Part::Brief, title, rows, scroll: view.brief };
        list.draw(view, theme, area, buffer);
    }
    if let Some(area) = areas.origin {
        let rows = view.origin_rows(session);
        let title = "where it is from".to_owned();
        let list = List { part: Part::Origin, title, rows, scroll: view.origin };
        list.draw(view, theme, area, buffer);
    }
}

fn turns(
    view: &Layers,
    session: &Session,
    record: &Record,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_focused = view.part == Part::Turns;
    let muted = theme.of(Meaning::Muted);
    let all = session.scores.worked.records().len();
    let more = if all > 1 {
        format!(" v: {} of {all} ", view.layer.min(all - 1) + 1)
    } else {
        String::new()
    };
    let sum = Forecast::sum(record.turns.iter().filter_map(Entry::forecast));
    let titles = [
        Line::from(name(is_focused, &safe(&record.layer), theme)),
        Line::from(own(more, muted)),
        Line::from(own(format!(" all: {} ", shares(sum)), muted)),
    ];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let width = usize::from(inner.width);
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let seen =
        view.turns.top..(view.turns.top + usize::from(inner.height)).min(session.run.turns.len());
    for turn in seen {
        let line = turn_line(session, record, turn, theme, width);
        let style = (turn == session.turn).then_some(chosen);
        put_row(line, style, inner, (turn - view.turns.top) as u16, buffer);
    }
    position(view.turns.top, session.run.turns.len(), theme, area, buffer);
}

/// ` 42 Add a registry   ⟲ ✗1 P 0.500 R 1.000`
fn turn_line(
    session: &Session,
    record: &Record,
    turn: usize,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let digits = session.run.turns.len().to_string().len();
    let title = session.run.turns.get(turn).map(|it| &*it.title).unwrap_or_default();
    let left = vec![
        own(format!(" {:>digits$} ", turn + 1), muted),
        recorded(title, theme.of(Meaning::Text)),
    ];
    let entry = record.entry(turn + 1);
    let mut right: Vec<Span<'static>> = vec![];
    match entry.map(|entry| (entry, &entry.said)) {
        None => right.push(own("not recorded ", muted)),
        Some((_, None)) => right.push(own("– ", muted)),
        Some((entry, Some(said))) => {
            if said.brief.restarts.is_some() {
                right.push(own("⟲ ", theme.of(Meaning::Warning)));
            }
            if !entry.contradicted.is_empty() {
                let words = format!("✗{} ", entry.contradicted.len());
                right.push(own(words, theme.of(Meaning::Error)));
            }
            let words =
                entry.forecast().map_or_else(|| "said ".into(), |it| format!("{} ", shares(it)));
            right.push(own(words, muted));
        }
    }
    sides(left, right, width)
}

/// `P 0.500 R 1.000`: precision and recall of the files that were forecast.
fn shares(forecast: Forecast) -> String {
    let share = |value: Option<f64>| value.map_or_else(|| "–".into(), figures::share);
    format!("P {} R {}", share(forecast.precision()), share(forecast.recall()))
}

/// A list of rows in a frame.
struct List {
    part: Part,
    title: String,
    rows: Vec<Row>,
    scroll: Scroll,
}

/// Cells of the kind.
const KIND: usize = 12;

impl List {
    fn draw(&self, view: &Layers, theme: Theme, area: Rect, buffer: &mut Buffer) {
        let is_focused = view.part == self.part;
        let title = Line::from(name(is_focused, &self.title, theme));
        let titles = [title, Line::default(), Line::default()];
        let inner = titled(is_focused, titles, theme, area, buffer);
        if self.rows.is_empty() {
            let words = "choose a sentence to see where it is from";
            return sentence(words, theme.of(Meaning::Muted), inner, buffer);
        }
        let width = usize::from(inner.width);
        let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
        let seen =
            self.rows.iter().enumerate().skip(self.scroll.top).take(usize::from(inner.height));
        for (index, row) in seen {
            let spans = vec![
                own(format!(" {:<KIND$} ", row.kind), theme.of(Meaning::Muted)),
                recorded(&row.words, theme.of(row.meaning)),
            ];
            let style = (index == self.scroll.cursor).then_some(selected);
            let place = (index - self.scroll.top) as u16;
            put_row(Line::from(fit(spans, width)), style, inner, place, buffer);
        }
        position(self.scroll.top, self.rows.len(), theme, area, buffer);
    }
}
