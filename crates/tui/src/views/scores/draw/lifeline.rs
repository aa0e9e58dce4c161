//! The lifeline of the chosen component: one cell a turn, and what happened at the playhead.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::scores::{
        ScoresView,
        components::{ComponentsPart, areas::ComponentsAreas},
        draw::components::table::signs_shown,
        lifeline::{
            LifelineSign, column_signs, lifeline_columns, standing_signs, standing_text,
            symbol_signs, symbol_standing_signs, turn_signs,
        },
    },
    widgets::{
        line::{fit_spans, fitting_prefix, left_and_right, safe_string, spans_width, trusted_span},
        panel::{draw_sentence, draw_titled_panel, panel_title_span, put_row},
        text,
        theme::{Meaning, Theme},
        timeline::TurnColumns,
    },
};
use trajview_metrics::lifeline::{Lifeline, SymbolLife, SymbolSource, SymbolState};

/// Returns the sign of one turn, in ASCII if necessary. The legend explains the signs.
pub(crate) fn sign_span(sign: LifelineSign, theme: Theme) -> Span<'static> {
    let (words, meaning) = match sign {
        LifelineSign::Nothing => (" ", Meaning::Muted),
        LifelineSign::Committed => ("◆", Meaning::Title),
        LifelineSign::Appeared => ("+", Meaning::Added),
        LifelineSign::Changed => ("~", Meaning::Warning),
        LifelineSign::Gained => ("↑", Meaning::Added),
        LifelineSign::Dropped => ("↓", Meaning::Removed),
        LifelineSign::Renamed => ("»", Meaning::Hunk),
        LifelineSign::Guarded => ("?", Meaning::Warning),
        LifelineSign::Back => ("⟲", Meaning::Added),
        LifelineSign::Unused => ("○", Meaning::Error),
        LifelineSign::Vanished => ("✗", Meaning::Error),
        LifelineSign::Stands(SymbolState::Before) => (" ", Meaning::Muted),
        LifelineSign::Stands(SymbolState::Idle) => (".", Meaning::Muted),
        LifelineSign::Stands(SymbolState::Registered) => ("=", Meaning::Text),
        LifelineSign::Stands(SymbolState::Used) => ("─", Meaning::Text),
        LifelineSign::Stands(SymbolState::Unused) => ("_", Meaning::Muted),
        LifelineSign::Stands(SymbolState::Gone) => (" ", Meaning::Muted),
    };
    trusted_span(words, theme.style_for(meaning))
}

/// The meanings of the signs, the rarest last.
const SIGN_MEANINGS: [(LifelineSign, &str); 14] = [
    (LifelineSign::Committed, "requested"),
    (LifelineSign::Appeared, "defined"),
    (LifelineSign::Stands(SymbolState::Used), "in use"),
    (LifelineSign::Unused, "no longer used"),
    (LifelineSign::Vanished, "gone"),
    (LifelineSign::Changed, "changed"),
    (LifelineSign::Gained, "more uses"),
    (LifelineSign::Dropped, "fewer uses"),
    (LifelineSign::Renamed, "renamed, moved"),
    (LifelineSign::Stands(SymbolState::Idle), "not used yet"),
    (LifelineSign::Stands(SymbolState::Registered), "registered"),
    (LifelineSign::Stands(SymbolState::Unused), "unused"),
    (LifelineSign::Guarded, "only behind a condition"),
    (LifelineSign::Back, "back"),
];

/// Rows of the legend, at most.
const LEGEND_ROWS: usize = 2;

pub(crate) fn draw_lifeline(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    areas: &ComponentsAreas,
    buffer: &mut Buffer,
) {
    let Some(area) = areas.lifeline else { return };
    let is_focused = view.components.has_part(ComponentsPart::Lifeline);
    let titles =
        [lifeline_title(view, session, theme), lost_title(view, session, theme), Line::default()];
    let inner = draw_titled_panel(is_focused, titles, theme, area, buffer);
    let Some(lifeline) = view.components.chosen_lifeline(session) else {
        let why = safe_string(&session.rubric.why_no_lifeline());
        return draw_sentence(&why, theme.style_for(Meaning::Muted), inner, buffer);
    };
    let strip = areas.strip_area();
    let (mut y, mut shown) = draw_strips(lifeline, session, theme, strip, inner, buffer);
    y = draw_turn_axis(session, theme, strip, inner, y, buffer);
    let width = usize::from(inner.width);
    if let Some(table) = areas.table {
        shown.extend(signs_shown(view, session, table));
    }
    let mut legend = legend_lines(&shown, theme, width);
    legend.truncate(usize::from(inner.height.saturating_sub(y + 2)).min(LEGEND_ROWS));
    let last = inner.height - legend.len() as u16;
    let event_lines = playhead_lines(lifeline, view, session, theme, width);
    for (line, at) in
        event_lines.into_iter().chain(symbol_lines(lifeline, theme, width)).zip(y..last)
    {
        put_row(line, None, inner, at, buffer);
    }
    for (line, at) in legend.into_iter().zip(last..) {
        put_row(line, None, inner, at, buffer);
    }
}

/// Returns ` lifeline C17 `.
fn lifeline_title(view: &ScoresView, session: &Session, theme: Theme) -> Line<'static> {
    let is_focused = view.components.has_part(ComponentsPart::Lifeline);
    let id =
        view.components.component_row(session).map(|row| format!(" of {}", safe_string(&row.id)));
    Line::from(panel_title_span(is_focused, &format!("lifeline{}", id.unwrap_or_default()), theme))
}

/// Returns ` lost in turn 46 `.
fn lost_title(view: &ScoresView, session: &Session, theme: Theme) -> Line<'static> {
    let turn = view.components.chosen_lifeline(session).and_then(|it| it.lost_at);
    let words = turn.map(|turn| format!(" lost in turn {turn} ")).unwrap_or_default();
    Line::styled(words, theme.style_for(Meaning::Error))
}

/// Draws the cells of the component and, if there are several symbols and there is room, of its symbols. Returns the
/// next free row and the signs drawn.
fn draw_strips(
    lifeline: &Lifeline,
    session: &Session,
    theme: Theme,
    strip: Rect,
    inner: Rect,
    buffer: &mut Buffer,
) -> (u16, Vec<LifelineSign>) {
    let turns = session.run.turns.len();
    let component_signs = || (turn_signs(lifeline, turns), standing_signs(lifeline, turns));
    let deciding: Vec<_> = lifeline.deciding_symbols().collect();
    let mut rows = vec![];
    match deciding.as_slice() {
        [only] => rows.push((safe_string(&only.name), component_signs())),
        several => {
            rows.push(("all of it".to_owned(), component_signs()));
            rows.extend(several.iter().map(|life| {
                (safe_string(&life.name), (symbol_signs(life), symbol_standing_signs(life)))
            }));
        }
    }
    // One row each for the axis, an event and the legend.
    let room = usize::from(inner.height.saturating_sub(4)).max(1);
    let columns = lifeline_columns(session, usize::from(strip.width));
    let (mut y, mut shown) = (0, vec![]);
    for (name, (signs, standing)) in rows.into_iter().take(room) {
        let left = fit_spans(
            vec![trusted_span(name, theme.style_for(Meaning::Text))],
            usize::from(strip.x.saturating_sub(inner.x + 1)),
        );
        put_row(Line::from(left), None, inner, y, buffer);
        let signs = column_signs(&columns, &signs, &standing);
        let playhead = columns.columns_of(session.turn);
        draw_strip_cells(&signs, playhead, theme, strip, inner.y + y, buffer);
        shown.extend(signs);
        y += 1;
    }
    (y, shown)
}

fn draw_strip_cells(
    signs: &[LifelineSign],
    playhead: Range<usize>,
    theme: Theme,
    strip: Rect,
    y: u16,
    buffer: &mut Buffer,
) {
    for (index, x) in (0..signs.len()).zip(strip.x..strip.right()) {
        let span = sign_span(signs[index], theme);
        let style = match playhead.contains(&index) {
            true => span.style.patch(theme.style_for(Meaning::Cursor)),
            false => span.style,
        };
        if let Some(cell) = buffer.cell_mut((x, y)) {
            cell.set_symbol(&span.content).set_style(style);
        }
    }
}

/// Draws the checkpoints by name where they begin, and where the playhead is; the row after it.
fn draw_turn_axis(
    session: &Session,
    theme: Theme,
    strip: Rect,
    inner: Rect,
    y: u16,
    buffer: &mut Buffer,
) -> u16 {
    let muted = theme.style_for(Meaning::Muted);
    let words = if session.run.checkpoints.is_empty() { "turns" } else { "checkpoints" };
    put_row(Line::styled(words, muted), None, inner, y, buffer);
    let columns = lifeline_columns(session, usize::from(strip.width));
    let names = checkpoint_names(session, &columns, theme);
    let row = Rect { x: strip.x, width: strip.width, ..inner };
    put_row(Line::from(names), None, row, y, buffer);
    let playhead = columns.columns_of(session.turn);
    if !playhead.is_empty()
        && let Some(cell) = buffer.cell_mut((strip.x + playhead.start as u16, inner.y + y))
    {
        cell.set_symbol("▲").set_style(theme.style_for(Meaning::Playing));
    }
    y + 1
}

/// Returns the names of the checkpoints where they begin, as many as there is room for, that of the playhead bold.
pub(crate) fn checkpoint_names(
    session: &Session,
    columns: &TurnColumns,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (mut spans, mut x, mut first) = (vec![], 0, 0);
    for checkpoint in &session.run.checkpoints {
        let is_here = (first..=checkpoint.last_turn).contains(&session.turn);
        let name = format!("┆{}", safe_string(&checkpoint.id));
        let first_column = columns.columns_of(first).start;
        let is_shown = !columns.columns_of(first).is_empty() && first_column >= x;
        if is_shown {
            let room = columns.width().saturating_sub(first_column);
            let name = fitting_prefix(&name, room).to_owned();
            spans.push(Span::raw(" ".repeat(first_column - x)));
            x = first_column + text::width(&name);
            let meaning = if is_here { Meaning::Title } else { Meaning::Muted };
            spans.push(trusted_span(name, theme.style_for(meaning)));
        }
        first = checkpoint.last_turn + 1;
    }
    spans
}

/// Returns the events of the playhead's turn, one line each, or else the current state.
fn playhead_lines(
    lifeline: &Lifeline,
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let turn = session.turn + 1;
    let name_span = |words: &str| trusted_span(format!("{words:<9} "), muted);
    let mut said: Vec<(String, String)> = vec![];
    if lifeline.committed == Some(turn) {
        said.push(("requested".into(), String::new()));
    }
    for (life, event) in view.components.playhead_events(session) {
        let place = event.spot.as_ref().map(|spot| format!("{}:{}", spot.path, spot.line));
        let words = format!("{} {}", life.name, event.change.change_text());
        said.push((safe_string(&words), safe_string(&place.unwrap_or_default())));
    }
    if said.is_empty() {
        said.push((safe_string(&standing_text(lifeline, turn)), String::new()));
    }
    let lines = said.into_iter().enumerate().map(|(at, (words, place))| {
        let first = if at == 0 { format!("turn {turn}") } else { String::new() };
        left_and_right(
            vec![name_span(&first), trusted_span(words, plain)],
            vec![trusted_span(place, muted)],
            width,
        )
    });
    lines.collect()
}

/// Returns the history of each symbol, one line each.
fn symbol_lines(lifeline: &Lifeline, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
    let line = |life: &SymbolLife| {
        let source = match life.source {
            SymbolSource::Name => "symbol",
            SymbolSource::Evidence => "evidence",
        };
        let left = vec![
            trusted_span(format!("{source:<9} "), muted),
            trusted_span(safe_string(&life.name), plain),
        ];
        let left =
            [left, vec![trusted_span(format!("  {}", symbol_history(life)), muted)]].concat();
        let place = life.place.as_ref().map(|place| place.path.to_string()).unwrap_or_default();
        left_and_right(left, vec![trusted_span(safe_string(&place), muted)], width)
    };
    lifeline.symbols.iter().map(line).collect()
}

/// Returns `defined in turn 24, last used after turn 45, gone in turn 46`.
fn symbol_history(life: &SymbolLife) -> String {
    let Some(first) = life.first else { return "never defined".into() };
    let mut said = vec![match first {
        0 => "exists before the first turn".to_owned(),
        turn => format!("defined in turn {turn}"),
    }];
    said.extend(life.moves.iter().map(|it| match it.from.simple_name() == it.to.simple_name() {
        true => format!("moved in turn {}", it.turn),
        false => format!("renamed to {} in turn {}", safe_string(&it.to.name), it.turn),
    }));
    let end = life.cells.last_cell().map(|cell| cell.state);
    said.push(match (end, life.last_used) {
        (Some(SymbolState::Used), _) => "in use at the end".into(),
        (Some(SymbolState::Registered), _) => "registered at the end".into(),
        (_, Some(turn)) => format!("in use until turn {turn}"),
        (_, None) => "never used outside tests".into(),
    });
    said.extend(life.unused_since.map(|turn| format!("unused since turn {turn}")));
    said.extend(life.vanished.map(|turn| format!("gone in turn {turn}")));
    said.join(", ")
}

/// Returns the meaning of each sign that is shown, in as many rows as that takes.
fn legend_lines(shown: &[LifelineSign], theme: Theme, width: usize) -> Vec<Line<'static>> {
    let muted = theme.style_for(Meaning::Muted);
    let mut rows: Vec<Vec<Span>> = vec![];
    for (which, words) in SIGN_MEANINGS.into_iter().filter(|(which, _)| shown.contains(which)) {
        let next = [sign_span(which, theme), trusted_span(format!(" {words}   "), muted)];
        match rows.last_mut() {
            Some(row) if spans_width(row) + spans_width(&next) <= width + 3 => row.extend(next),
            _ => rows.push(next.to_vec()),
        }
    }
    rows.into_iter().map(Line::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::{ascii_signs, export};
    use ratatui::widgets::Widget;

    #[test]
    fn a_legend_lists_the_signs_that_are_shown_and_no_others() {
        let shown = [
            LifelineSign::Appeared,
            LifelineSign::Nothing,
            LifelineSign::Stands(SymbolState::Used),
            LifelineSign::Appeared,
        ];
        let rows = legend_lines(&shown, Theme::without_colours(), 80);
        let words: Vec<String> = rows.iter().map(Line::to_string).collect();
        assert_eq!(words, ["+ defined   ─ in use   "]);
        assert_eq!(legend_lines(&shown, Theme::without_colours(), 14).len(), 2);
    }

    #[test]
    fn every_sign_that_is_drawn_has_one_meaning_in_ascii_too() {
        let drawn = |which: LifelineSign| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
            Line::from(sign_span(which, Theme::without_colours())).render(buffer.area, &mut buffer);
            let unicode = export::frame_text(&buffer);
            ascii_signs::to_ascii(&mut buffer);
            [unicode, export::frame_text(&buffer)]
        };
        for alphabet in 0..2 {
            let mut all: Vec<String> =
                SIGN_MEANINGS.iter().map(|(which, _)| drawn(*which)[alphabet].clone()).collect();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), SIGN_MEANINGS.len(), "{all:?}");
        }
    }
}
