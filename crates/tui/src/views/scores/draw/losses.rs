//! The components that the run lost, a row each, and the request and the judge's words on the chosen one.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::{
        scores::{ScoresView, losses::LossesAreas},
        verdict::plain_name,
    },
    widgets::{
        layout::ScreenLayout,
        line::{padded_spans, recorded_span, safe_string, trusted_span},
        panel::{PanelTitles, draw_sentence, draw_titled_panel, panel_title_span, put_row},
        text,
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_metrics::lifeline::{DatedVerdict, RecordedLoss};

/// Cells of the columns that have a fixed width.
const TURN_CELLS: usize = 6;
const SCORES_CELLS: usize = 19;

/// Most cells of a component and of a place.
const MOST_NAME_CELLS: usize = 42;
const MOST_PLACE_CELLS: usize = 40;

/// From this width on the request is in the table; it is below the table in any case.
const REQUEST_FROM: usize = 96;

pub(crate) fn draw_losses(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let losses = session.run_losses();
    let areas = LossesAreas::for_layout(layout, losses.len());
    let muted = theme.style_for(Meaning::Muted);
    let followed = followed_text(session, losses.len());
    let titles = PanelTitles::from(panel_title_span(true, "lost components", theme))
        .with_right(trusted_span(followed, muted));
    let inner = view.losses.rows.draw_frame(titles, true, theme, buffer);
    if losses.is_empty() {
        return draw_sentence(&why_empty(session), muted, inner, buffer);
    }
    let columns = LossColumns::for_rows(usize::from(inner.width), &losses);
    put_row(columns.head_line(theme), None, inner, 0, buffer);
    view.losses.rows.draw_rows(Some(theme.chosen_row(true)), theme, buffer, |index| {
        columns.row_line(&losses[index], theme)
    });
    if let (Some(area), Some(loss)) = (areas.detail, losses.get(view.losses.rows.cursor())) {
        draw_detail(loss, theme, area, buffer);
    }
}

/// Returns ` 4 of 24 lost · scores by ana `.
fn followed_text(session: &Session, lost: usize) -> String {
    let Some(Ok(lifelines)) = session.rubric.lifelines.known_lifelines() else {
        return String::new();
    };
    let followed = lifelines.iter().filter(|it| it.deciding_symbols().next().is_some()).count();
    let judge = session.rubric.shown_judgement().map(|it| safe_string(&it.judge.name));
    let judge = judge.filter(|name| !name.is_empty()).map(|name| format!(" · scores by {name}"));
    format!(" {lost} of {followed} lost{} ", judge.unwrap_or_default())
}

fn why_empty(session: &Session) -> String {
    match session.rubric.lifelines.known_lifelines() {
        Some(Ok(_)) => "this run lost no component".into(),
        Some(Err(why)) => safe_string(why),
        None => "following the components…".into(),
    }
}

/// Widths of the columns. A column of zero cells is not shown.
struct LossColumns {
    name: usize,
    place: usize,
    request: usize,
}

impl LossColumns {
    fn for_rows(width: usize, losses: &[RecordedLoss<'_>]) -> Self {
        let longest = |text_of: fn(&RecordedLoss<'_>) -> String, most: usize| {
            let widths = losses.iter().map(|it| text::width(&text_of(it)) + 1);
            widths.max().unwrap_or_default().clamp(10, most)
        };
        let room = width.saturating_sub(TURN_CELLS + SCORES_CELLS);
        let place = longest(place_text, MOST_PLACE_CELLS).min(room / 2);
        let name = longest(name_text, MOST_NAME_CELLS).min(room - place);
        let request = if width >= REQUEST_FROM { room - place - name } else { 0 };
        Self { name, place, request }
    }

    fn head_line(&self, theme: Theme) -> Line<'static> {
        let columns = [
            ("component", self.name),
            ("turn", TURN_CELLS),
            ("before → after", SCORES_CELLS),
            ("lines", self.place),
            ("request", self.request),
        ];
        let muted = theme.style_for(Meaning::Muted);
        let cells =
            columns.map(|(word, cells)| padded_spans(vec![trusted_span(word, muted)], cells));
        Line::from(cells.into_iter().flatten().collect::<Vec<_>>())
    }

    /// Returns `C17 Min-SNR time weight  46    4 at 39 → 1 at 56  ppdiff/losses.py:10  The losses are…`.
    fn row_line(&self, it: &RecordedLoss<'_>, theme: Theme) -> Line<'static> {
        let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
        let name = plain_name(it.name.unwrap_or_default());
        let name = vec![
            recorded_span(it.loss.component, theme.style_for(Meaning::Key)),
            recorded_span(&format!(" {name}"), plain),
        ];
        let turn = trusted_span(it.loss.turn.to_string(), theme.style_for(Meaning::Error));
        let scores = format!("{} → {}", score_text(it.before), score_text(it.after));
        let request = it.request.unwrap_or("no request recorded");
        let cells: [(Vec<Span<'static>>, usize); 5] = [
            (name, self.name),
            (vec![turn], TURN_CELLS),
            (vec![recorded_span(&scores, plain)], SCORES_CELLS),
            (vec![recorded_span(&place_text(it), plain)], self.place),
            (vec![recorded_span(request, muted)], self.request),
        ];
        let cells = cells.into_iter().flat_map(|(spans, cells)| padded_spans(spans, cells));
        Line::from(cells.collect::<Vec<_>>())
    }
}

fn name_text(it: &RecordedLoss<'_>) -> String {
    format!("{} {}", it.loss.component, plain_name(it.name.unwrap_or_default()))
}

fn place_text(it: &RecordedLoss<'_>) -> String {
    it.loss.symbols.first().map(|symbol| symbol.place_text()).unwrap_or_default()
}

/// Returns `4 at 39`; `–` where nothing was judged.
fn score_text(dated: Option<DatedVerdict<'_>>) -> String {
    dated.map_or_else(|| "–".into(), |it| it.score_text())
}

/// Draws the request of the turn, what happened to each symbol, and the judge's rationale before and after.
fn draw_detail(it: &RecordedLoss<'_>, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let title = format!("{} lost at turn {}", safe_string(&name_text(it)), it.loss.turn);
    let inner =
        draw_titled_panel(false, panel_title_span(false, &title, theme), theme, area, buffer);
    let mut paragraphs = vec![
        (Meaning::Heading, format!("request of turn {}, its beginning", it.loss.turn)),
        (Meaning::Text, it.request.unwrap_or("no request recorded").to_owned()),
        (Meaning::Heading, "symbols".to_owned()),
    ];
    for symbol in &it.loss.symbols {
        let place = symbol.place_text();
        let words = format!("{}: {}", symbol.life.last_name(), symbol.change_text());
        paragraphs.push((Meaning::Text, format!("{words} (turn {}) {place}", symbol.turn)));
    }
    for (word, dated) in [("before", it.before), ("after", it.after)] {
        let Some(dated) = dated else {
            paragraphs.push((Meaning::Heading, format!("{word}: not judged")));
            continue;
        };
        let judge = &dated.judgement.judge.name;
        let head = format!("{word}: {} by {judge}", dated.score_text());
        paragraphs.push((Meaning::Heading, head));
        paragraphs.push((Meaning::Text, dated.verdict.rationale.clone()));
    }
    let width = usize::from(inner.width);
    let lines = paragraphs.iter().flat_map(|(meaning, words)| {
        let words = safe_string(words);
        let rows = wrap_line(&words, width).into_iter().map(|at| words[at].to_owned());
        rows.map(|row| (*meaning, row)).collect::<Vec<_>>()
    });
    for (y, (meaning, row)) in lines.take(usize::from(inner.height)).enumerate() {
        let line = Line::from(trusted_span(row, theme.style_for(meaning)));
        put_row(line, None, inner, y as u16, buffer);
    }
}
