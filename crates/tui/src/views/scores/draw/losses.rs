//! The components and tests that the run lost, a row each, and the request and the judge's words on the chosen one.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::{
        scores::{
            ScoresView,
            losses::{LossesAreas, RunLoss},
        },
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
use trajview_metrics::{
    lifeline::RecordedLoss,
    test_losses::{LossKind, TestLoss, followed_tests, has_followed_tests},
};
use trajview_run::format_number::count_with_noun;

/// Cells of the columns that have a fixed width.
const KIND_CELLS: usize = 10;
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
    let followed = followed_text(session, &losses);
    let titles = PanelTitles::from(panel_title_span(true, title_text(session), theme))
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
        draw_detail((loss, session), theme, area, buffer);
    }
}

fn title_text(session: &Session) -> &'static str {
    match (session.rubric.has_content(), has_followed_tests(&session.run)) {
        (true, true) => "lost components and tests",
        (false, true) => "lost tests",
        (_, false) => "lost components",
    }
}

/// Returns ` 4 of 24 lost · scores by ana `; with tests ` 4 of 24 components lost, 3 of 9 tests lost `.
fn followed_text(session: &Session, losses: &[RunLoss<'_>]) -> String {
    let lost = |kind: LossKind| losses.iter().filter(|it| it.kind() == kind).count();
    let lifelines = session.rubric.lifelines.known_lifelines();
    let lifelines = lifelines.and_then(|it| it.as_ref().ok());
    let tests = followed_tests(&session.run);
    let components = lifelines.filter(|_| session.rubric.has_content()).map(|lifelines| {
        let all = lifelines.iter().filter(|it| it.deciding_symbols().next().is_some()).count();
        let all = if tests > 0 { count_with_noun(all, "component") } else { all.to_string() };
        format!("{} of {all} lost", lost(LossKind::Component))
    });
    let tests = (tests > 0)
        .then(|| format!("{} of {} lost", lost(LossKind::Test), count_with_noun(tests, "test")));
    let judge = session.rubric.shown_judgement().map(|it| safe_string(&it.judge.name));
    let judge = judge.filter(|name| !name.is_empty() && components.is_some());
    let judge = judge.map(|name| format!(" · scores by {name}")).unwrap_or_default();
    let counts = [components, tests].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if counts.is_empty() { counts } else { format!(" {counts}{judge} ") }
}

fn why_empty(session: &Session) -> String {
    match session.rubric.lifelines.known_lifelines() {
        _ if !session.rubric.has_content() => session.why_no_losses(),
        Some(Ok(_)) => session.why_no_losses(),
        Some(Err(why)) => safe_string(why),
        None => "following the components…".into(),
    }
}

/// Widths of the columns. A column of zero cells is not shown.
struct LossColumns {
    /// Names of the columns of what is lost and of its place.
    heads: [&'static str; 2],
    /// Not shown where only components can be lost.
    kind: usize,
    name: usize,
    place: usize,
    request: usize,
}

impl LossColumns {
    fn for_rows(width: usize, losses: &[RunLoss<'_>]) -> Self {
        let longest = |text_of: fn(&RunLoss<'_>) -> String, most: usize| {
            let widths = losses.iter().map(|it| text::width(&text_of(it)) + 1);
            widths.max().unwrap_or_default().clamp(10, most)
        };
        let has = |kind: LossKind| losses.iter().any(|it| it.kind() == kind);
        let (heads, kind) = match (has(LossKind::Component), has(LossKind::Test)) {
            (true, true) => (["component or test", "lines or checkpoints"], KIND_CELLS),
            (false, true) => (["test", "checkpoints"], KIND_CELLS),
            (_, false) => (["component", "lines"], 0),
        };
        let room = width.saturating_sub(kind + TURN_CELLS + SCORES_CELLS);
        let place = longest(|it| it.place_text(), MOST_PLACE_CELLS).min(room / 2);
        let name = longest(name_text, MOST_NAME_CELLS).min(room - place);
        let request = if width >= REQUEST_FROM { room - place - name } else { 0 };
        Self { heads, kind, name, place, request }
    }

    fn head_line(&self, theme: Theme) -> Line<'static> {
        let columns = [
            ("kind", self.kind),
            (self.heads[0], self.name),
            ("turn", TURN_CELLS),
            ("before → after", SCORES_CELLS),
            (self.heads[1], self.place),
            ("request", self.request),
        ];
        let muted = theme.style_for(Meaning::Muted);
        let cells =
            columns.map(|(word, cells)| padded_spans(vec![trusted_span(word, muted)], cells));
        Line::from(cells.into_iter().flatten().collect::<Vec<_>>())
    }

    /// Returns `C17 Min-SNR time weight  46    4 at 39 → 1 at 56  ppdiff/losses.py:10  The losses are…`.
    fn row_line(&self, it: &RunLoss<'_>, theme: Theme) -> Line<'static> {
        let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
        let name = vec![
            recorded_span(it.id(), theme.style_for(Meaning::Key)),
            recorded_span(&format!(" {}", plain_name(it.name())), plain),
        ];
        let turn = trusted_span(it.turn().to_string(), theme.style_for(Meaning::Error));
        let request = it.request().unwrap_or("no request recorded");
        let cells: [(Vec<Span<'static>>, usize); 6] = [
            (vec![trusted_span(it.kind().word(), muted)], self.kind),
            (name, self.name),
            (vec![turn], TURN_CELLS),
            (vec![recorded_span(&it.change_of_scores(), plain)], SCORES_CELLS),
            (vec![recorded_span(&it.place_text(), plain)], self.place),
            (vec![recorded_span(request, muted)], self.request),
        ];
        let cells = cells.into_iter().flat_map(|(spans, cells)| padded_spans(spans, cells));
        Line::from(cells.collect::<Vec<_>>())
    }
}

fn name_text(it: &RunLoss<'_>) -> String {
    format!("{} {}", it.id(), plain_name(it.name())).trim_end().to_owned()
}

/// A paragraph of the text below the table.
type Paragraph = (Meaning, String);

/// Returns what happened to each symbol, and the judge's rationale before and after.
fn component_paragraphs(it: &RecordedLoss<'_>) -> Vec<Paragraph> {
    let mut paragraphs = vec![(Meaning::Heading, "symbols".to_owned())];
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
    paragraphs
}

/// Returns the two states of a test, and the reason of its failure.
fn test_paragraphs(loss: &TestLoss<'_>) -> Vec<Paragraph> {
    let state = |word: &str, name: &str, turn: usize| {
        (Meaning::Heading, format!("{word} at {name}, after turn {turn}"))
    };
    let reason = loss.test.reason.as_deref().unwrap_or("no reason recorded");
    vec![
        (Meaning::Text, format!("written for {}", loss.test.checkpoint)),
        state("passed", &loss.passed.name, loss.passed.turns_done),
        state("failed", &loss.failed.name, loss.failed.turns_done),
        (Meaning::Text, reason.to_owned()),
    ]
}

/// Most characters of a request that are wrapped: more than its rows have room for.
const MOST_REQUEST_CHARS: usize = 4000;

/// Returns a heading and the request of the turn, which ends after so many rows.
fn request_paragraphs(
    it: &RunLoss<'_>,
    session: &Session,
    (width, most_rows): (usize, usize),
) -> Vec<Paragraph> {
    let heading = format!("request of turn {}", it.turn());
    let words = it.turn().checked_sub(1).and_then(|turn| session.request_words(turn)?.ok());
    let words = words.or_else(|| it.request()).unwrap_or("no request recorded");
    let start: String = words.chars().take(MOST_REQUEST_CHARS).collect();
    let start = safe_string(&start.split_whitespace().collect::<Vec<_>>().join(" "));
    match wrap_line(&start, width).get(most_rows) {
        None => vec![(Meaning::Heading, heading), (Meaning::Text, start)],
        Some(hidden) => vec![
            (Meaning::Heading, format!("{heading}, its beginning")),
            (Meaning::Text, format!("{}…", start[..hidden.start].trim_end())),
        ],
    }
}

/// Draws the request of the turn, and what is known of the loss.
fn draw_detail(
    (it, session): (&RunLoss<'_>, &Session),
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let title = format!("{} lost at turn {}", safe_string(&name_text(it)), it.turn());
    let inner =
        draw_titled_panel(false, panel_title_span(false, &title, theme), theme, area, buffer);
    let width = usize::from(inner.width);
    let most_rows = usize::from(inner.height / 4).clamp(2, 6);
    let mut paragraphs = request_paragraphs(it, session, (width, most_rows));
    paragraphs.extend(match it {
        RunLoss::Component(it) => component_paragraphs(it),
        RunLoss::Test { loss, .. } => test_paragraphs(loss),
    });
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
