//! The flags: who gave them and how many, a row a flag, the words of the chosen one.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use super::components::padded_cell;
use crate::{
    session::{Session, flags::FlaggedState},
    views::scores::{
        ScoresView,
        flags::{
            areas::FlagsAreas,
            table::{FlagSort, ListedFlag},
        },
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, fit_text_end, left_and_right, recorded_span, safe_string, trusted_span},
        panel::{PanelTitles, draw_sentence, draw_titled_panel, panel_title_span, put_row},
        text,
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_run::{flags::FlagCounts, format_number};

pub(crate) fn draw_flags(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let areas = FlagsAreas::for_layout(layout);
    let Some((state, number)) = view.flags.flag_state(session) else { return };
    draw_flags_header(view, session, &state, number, theme, areas.header, buffer);
    let rows = view.flags.flag_rows(session);
    draw_flag_table(view, &state, &rows, theme, buffer);
    if let Some(area) = areas.detail {
        draw_flag_detail(rows.get(view.flags.rows.cursor()), theme, area, buffer);
    }
}

fn draw_flags_header(
    view: &ScoresView,
    session: &Session,
    state: &FlaggedState<'_>,
    number: (usize, usize),
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width.saturating_sub(2));
    let rows = match area.height {
        0 => vec![],
        1 => vec![flag_counts_line(view, session, state, theme, width)],
        _ => vec![
            flagger_line(view, session, state, number, theme, width),
            flag_counts_line(view, session, state, theme, width),
        ],
    };
    for (row, y) in rows.into_iter().zip(area.y..) {
        let line = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 };
        row.render(line, buffer);
    }
}

/// Returns `judge gpt (m-1) · c3, after turn 15 · 2026-11-21   judged state 3 of 9`.
fn flagger_line(
    view: &ScoresView,
    session: &Session,
    state: &FlaggedState<'_>,
    (number, count): (usize, usize),
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let by =
        view.flags.flag_source(session).map(|source| source.by.display_text()).unwrap_or_default();
    let turn = match state.turn {
        Some(turn) if state.name != format!("turn {turn}") => format!(", after turn {turn}"),
        _ => String::new(),
    };
    let day = state.at.and_then(|at| at.split(['T', ' ']).next());
    let facts = match view.flags.is_all {
        true => format!(" · all {count} judged states"),
        false => {
            let day = day.map(|day| format!(" · {day}")).unwrap_or_default();
            format!(" · {}{turn}{day}", state.name)
        }
    };
    let left = vec![
        trusted_span("flags ", muted),
        recorded_span(&by, theme.style_for(Meaning::Title)),
        recorded_span(&facts, theme.style_for(Meaning::Text)),
    ];
    let at = (!view.flags.is_all).then(|| format!("state {number} of {count}"));
    let judges = view.flags.flag_source_number(session).filter(|(_, count)| *count > 1);
    let judge = judges.map(|(number, count)| format!("judge {number} of {count}"));
    let right = [at, judge].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    left_and_right(left, vec![trusted_span(right, muted)], width)
}

/// Returns `12 flags   7 verbosity   5 erosion   4 carried   3.10 for 1000 lines of code`: counts, and no score.
fn flag_counts_line(
    view: &ScoresView,
    session: &Session,
    state: &FlaggedState<'_>,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (title, muted) = (theme.style_for(Meaning::Title), theme.style_for(Meaning::Muted));
    let is_all = view.flags.is_all;
    let counts = match is_all {
        false => state.flag_counts(),
        true => FlagCounts::from_flags(
            &view.flags.flag_rows(session).into_iter().map(|row| row.flag).collect::<Vec<_>>(),
        ),
    };
    let mut parts = vec![
        (counts.all.to_string(), if counts.all == 1 { " flag" } else { " flags" }.to_owned()),
        (counts.verbosity.to_string(), " verbosity".into()),
        (counts.erosion.to_string(), " erosion".into()),
    ];
    if !is_all {
        parts.push((counts.carried.to_string(), " carried".into()));
    }
    let mut spans: Vec<Span<'static>> = vec![];
    for (number, words) in parts {
        spans.extend([trusted_span(number, title), trusted_span(words + "   ", muted)]);
    }
    if is_all {
        return left_and_right(spans, vec![], width);
    }
    if !state.unanswered.is_empty() {
        let groups = safe_string(&state.unanswered.join(", "));
        spans.push(trusted_span(
            format!("without an answer: {groups}   "),
            theme.style_for(Meaning::Warning),
        ));
    }
    spans.extend(match state.per_thousand() {
        Some(share) => [
            trusted_span(format_number::one_decimal(share), title),
            trusted_span(" for 1000 lines", muted),
        ],
        None => [trusted_span("", title), trusted_span("lines of code not recorded", muted)],
    });
    left_and_right(spans, vec![], width)
}

fn draw_flag_table(
    view: &ScoresView,
    state: &FlaggedState<'_>,
    rows: &[ListedFlag],
    theme: Theme,
    buffer: &mut Buffer,
) {
    let sorted = match view.flags.sort {
        FlagSort::File => String::new(),
        sort => format!(" by {} ", sort.sort_words()),
    };
    let title = if view.flags.is_all { "flags at their first state" } else { "flags" };
    let titles = PanelTitles::from(panel_title_span(true, title, theme))
        .with_right(trusted_span(sorted, theme.style_for(Meaning::Muted)));
    let pane = &view.flags.rows;
    let inner = pane.draw_frame(titles, true, theme, buffer);
    if rows.is_empty() {
        let words = match view.flags.is_all {
            true => "no flags in any state".to_owned(),
            false => format!("no flags in {}", safe_string(&state.name)),
        };
        return draw_sentence(&words, theme.style_for(Meaning::Muted), inner, buffer);
    }
    let columns = FlagColumns::for_rows(usize::from(inner.width), rows);
    put_row(columns.head_line(theme), None, inner, 0, buffer);
    pane.draw_rows(Some(theme.chosen_row(true)), theme, buffer, |index| {
        columns.row_line(&rows[index], theme)
    });
}

/// Widths of the columns. A column of zero cells is not shown.
struct FlagColumns {
    criterion: usize,
    place: usize,
    confidence: usize,
    found_at: usize,
    carried: usize,
    words: usize,
}

/// Lines in fewer cells are cut.
const LEAST_PLACE_CELLS: usize = 18;

/// Fewest cells of a useful explanation.
const LEAST_EXPLANATION_CELLS: usize = 16;

impl FlagColumns {
    fn for_rows(width: usize, rows: &[ListedFlag]) -> Self {
        let widest =
            |of: &dyn Fn(&ListedFlag) -> usize| rows.iter().map(of).max().unwrap_or_default() + 1;
        let criterion = widest(&|row| text::width(&safe_string(&row.flag.criterion))).clamp(10, 25);
        let place = widest(&|row| text::width(&safe_string(&row.place_text()))).clamp(11, 40);
        let found = widest(&|row| text::width(&safe_string(&row.found_at))).clamp(9, 14);
        let (confidence, carried) = (5, "→ carried ".chars().count());
        let rest = confidence + carried;
        // Names are shortened before the lines are.
        let name_cells = width.saturating_sub(rest + place.min(LEAST_PLACE_CELLS));
        let (criterion, found) = match criterion + found <= name_cells {
            true => (criterion, found),
            false => {
                (criterion.min(name_cells * 3 / 5), found.min(name_cells - name_cells * 3 / 5))
            }
        };
        let room = width.saturating_sub(rest + criterion + found);
        let words = room.saturating_sub(place);
        let words = if words < LEAST_EXPLANATION_CELLS { 0 } else { words };
        let place = if words == 0 { room } else { place };
        Self { criterion, place, confidence, found_at: found, carried, words }
    }

    fn head_line(&self, theme: Theme) -> Line<'static> {
        let columns = [
            ("criterion", self.criterion),
            ("lines", self.place),
            ("conf", self.confidence),
            ("found at", self.found_at),
            ("carried", self.carried),
            ("explanation", self.words),
        ];
        let words: String = columns.iter().map(|(word, cells)| padded_cell(word, *cells)).collect();
        Line::styled(words, theme.style_for(Meaning::Muted))
    }

    fn row_line(&self, row: &ListedFlag, theme: Theme) -> Line<'static> {
        let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
        let place = fit_text_end(&safe_string(&row.place_text()), self.place.saturating_sub(1));
        let (sign, meaning) = match row.flag.carried_from {
            Some(_) => ("→ carried", Meaning::Muted),
            None => ("+ new", Meaning::Warning),
        };
        let explanation =
            safe_string(row.flag.explanation.as_deref().unwrap_or(format_number::MISSING_SIGN));
        let mut spans = vec![
            trusted_span(
                padded_cell(&safe_string(&row.flag.criterion), self.criterion),
                theme.style_for(Meaning::Title),
            ),
            trusted_span(padded_cell(&place, self.place), plain),
            trusted_span(padded_cell(&row.confidence_text(), self.confidence), plain),
            trusted_span(padded_cell(&safe_string(&row.found_at), self.found_at), muted),
            trusted_span(padded_cell(sign, self.carried), theme.style_for(meaning)),
        ];
        spans.extend(fit_spans(vec![trusted_span(explanation, plain)], self.words));
        Line::from(spans)
    }
}

/// Draws all that is known of the chosen flag.
fn draw_flag_detail(row: Option<&ListedFlag>, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(row) = row else { return };
    let width = usize::from(area.width.saturating_sub(2));
    let title =
        fit_spans(vec![panel_title_span(false, &safe_string(&row.flag.criterion), theme)], width);
    let inner = draw_titled_panel(false, title, theme, area, buffer);
    let facts = flag_facts(row);
    let explanation = row.flag.explanation.as_deref().unwrap_or("No explanation is given.");
    let paragraphs = facts.lines().map(|line| (Meaning::Muted, line));
    let rows_of = |(meaning, line): (Meaning, &str)| {
        let rows = wrap_line(line, width).into_iter().map(|at| (meaning, line[at].to_owned()));
        rows.collect::<Vec<_>>()
    };
    let all = paragraphs.chain(explanation.lines().map(|line| (Meaning::Text, line)));
    let lines: Vec<(Meaning, String)> = all.flat_map(rows_of).collect();
    let height = usize::from(inner.height);
    let is_cut = lines.len() > height;
    for (y, (meaning, words)) in lines.into_iter().take(height).enumerate() {
        let more = if is_cut && y + 1 == height { "…" } else { "" };
        let room = width.saturating_sub(more.chars().count());
        let mut spans = fit_spans(vec![recorded_span(&words, theme.style_for(meaning))], room);
        spans.push(trusted_span(more, theme.style_for(Meaning::Muted)));
        put_row(Line::from(spans), None, inner, y as u16, buffer);
    }
}

/// Returns `erosion · duplication · src/a.py:3-9 · confidence 4 of 5 · carried from c3, its lines did not change`.
fn flag_facts(row: &ListedFlag) -> String {
    let flag = &row.flag;
    let found = match flag.carried_from.as_deref() {
        Some(from) => format!("carried over from {from}: its lines did not change"),
        None => format!("first in {}", row.found_at),
    };
    let facts = [
        flag.kind.as_deref().map(str::to_owned),
        flag.category.as_deref().map(str::to_owned),
        Some(row.place_text()),
        flag.confidence.map(|it| format!("confidence {it} of 5")),
        Some(found),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
