//! The lifeline of the chosen component: one cell a turn, and what happened at the playhead.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::scores::{
        Scores,
        components::{Part, areas::Areas},
        draw::components::table::signs_shown,
        lifeline::{Axis, Sign, signs, signs_of, standing, standing_signs, standing_signs_of},
    },
    widgets::{
        line::{fit, head, own, safe, sides, width_of},
        panel::{name, put_row, sentence, titled},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::lifeline::{Lifeline, Source, State, SymbolLife};

/// The sign of one turn, in ASCII where there is nothing else; the legend names them.
pub fn sign(sign: Sign, theme: Theme) -> Span<'static> {
    let (words, meaning) = match sign {
        Sign::Nothing => (" ", Meaning::Muted),
        Sign::Committed => ("◆", Meaning::Title),
        Sign::Appeared => ("+", Meaning::Added),
        Sign::Changed => ("~", Meaning::Warning),
        Sign::Gained => ("↑", Meaning::Added),
        Sign::Dropped => ("↓", Meaning::Removed),
        Sign::Renamed => ("»", Meaning::Hunk),
        Sign::Guarded => ("?", Meaning::Warning),
        Sign::Back => ("⟲", Meaning::Added),
        Sign::Unused => ("○", Meaning::Error),
        Sign::Vanished => ("✗", Meaning::Error),
        Sign::Stands(State::Before) => (" ", Meaning::Muted),
        Sign::Stands(State::Idle) => (".", Meaning::Muted),
        Sign::Stands(State::Registered) => ("=", Meaning::Text),
        Sign::Stands(State::Used) => ("─", Meaning::Text),
        Sign::Stands(State::Unused) => ("_", Meaning::Muted),
        Sign::Stands(State::Gone) => (" ", Meaning::Muted),
    };
    own(words, theme.of(meaning))
}

/// What the signs mean, the rarest last.
const LEGEND: [(Sign, &str); 14] = [
    (Sign::Committed, "asked for"),
    (Sign::Appeared, "defined"),
    (Sign::Stands(State::Used), "in use"),
    (Sign::Unused, "last use lost"),
    (Sign::Vanished, "gone"),
    (Sign::Changed, "changed"),
    (Sign::Gained, "more uses"),
    (Sign::Dropped, "fewer uses"),
    (Sign::Renamed, "renamed, moved"),
    (Sign::Stands(State::Idle), "not used yet"),
    (Sign::Stands(State::Registered), "registered"),
    (Sign::Stands(State::Unused), "unused"),
    (Sign::Guarded, "only behind a condition"),
    (Sign::Back, "back"),
];

/// Rows of the legend, at most.
const LEGEND_ROWS: usize = 2;

pub fn draw(view: &Scores, session: &Session, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    let Some(area) = areas.lifeline else { return };
    let is_focused = view.components.has_part(Part::Lifeline);
    let titles = [title(view, session, theme), lost(view, session, theme), Line::default()];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let Some(lifeline) = view.components.lifeline(session) else {
        let why = safe(&session.rubric.why_no_lifeline());
        return sentence(&why, theme.of(Meaning::Muted), inner, buffer);
    };
    let strip = areas.strip();
    let (mut y, mut shown) = strips(lifeline, session, theme, strip, inner, buffer);
    y = axis(session, theme, strip, inner, y, buffer);
    let width = usize::from(inner.width);
    if let Some(table) = areas.table {
        shown.extend(signs_shown(view, session, table));
    }
    let mut legend = legend(&shown, theme, width);
    legend.truncate(usize::from(inner.height.saturating_sub(y + 2)).min(LEGEND_ROWS));
    let last = inner.height - legend.len() as u16;
    let said = here(lifeline, view, session, theme, width);
    for (line, at) in said.into_iter().chain(symbols(lifeline, theme, width)).zip(y..last) {
        put_row(line, None, inner, at, buffer);
    }
    for (line, at) in legend.into_iter().zip(last..) {
        put_row(line, None, inner, at, buffer);
    }
}

/// ` lifeline C17 `
fn title(view: &Scores, session: &Session, theme: Theme) -> Line<'static> {
    let is_focused = view.components.has_part(Part::Lifeline);
    let id = view.components.component_row(session).map(|row| format!(" of {}", safe(&row.id)));
    Line::from(name(is_focused, &format!("lifeline{}", id.unwrap_or_default()), theme))
}

/// ` lost in turn 46 `
fn lost(view: &Scores, session: &Session, theme: Theme) -> Line<'static> {
    let turn = view.components.lifeline(session).and_then(|it| it.lost_at);
    let words = turn.map(|turn| format!(" lost in turn {turn} ")).unwrap_or_default();
    Line::styled(words, theme.of(Meaning::Error))
}

/// The component's cells and, where there are several and there is room, those of its symbols; the row after them, and
/// the signs that stand there.
fn strips(
    lifeline: &Lifeline,
    session: &Session,
    theme: Theme,
    strip: Rect,
    inner: Rect,
    buffer: &mut Buffer,
) -> (u16, Vec<Sign>) {
    let turns = session.run.turns.len();
    let whole = || (signs(lifeline, turns), standing_signs(lifeline, turns));
    let deciding: Vec<_> = lifeline.deciding().collect();
    let mut rows = vec![];
    match deciding.as_slice() {
        [only] => rows.push((safe(&only.name), whole())),
        several => {
            rows.push(("all of it".to_owned(), whole()));
            rows.extend(
                several
                    .iter()
                    .map(|life| (safe(&life.name), (signs_of(life), standing_signs_of(life)))),
            );
        }
    }
    // One row each for the axis, an event and the legend.
    let room = usize::from(inner.height.saturating_sub(4)).max(1);
    let axis = Axis::of(session.turn, turns, usize::from(strip.width));
    let (mut y, mut shown) = (0, vec![]);
    for (name, (signs, standing)) in rows.into_iter().take(room) {
        let left = fit(
            vec![own(name, theme.of(Meaning::Text))],
            usize::from(strip.x.saturating_sub(inner.x + 1)),
        );
        put_row(Line::from(left), None, inner, y, buffer);
        let signs = axis.spread(&signs, &standing);
        cells(&signs, axis, session, theme, strip, inner.y + y, buffer);
        shown.extend(signs);
        y += 1;
    }
    (y, shown)
}

fn cells(
    signs: &[Sign],
    axis: Axis,
    session: &Session,
    theme: Theme,
    strip: Rect,
    y: u16,
    buffer: &mut Buffer,
) {
    let here = axis.cell_of(session.turn);
    for (index, x) in (0..signs.len()).zip(strip.x..strip.right()) {
        let span = sign(signs[index], theme);
        let style = match here == Some(index) {
            true => span.style.patch(theme.of(Meaning::Cursor)),
            false => span.style,
        };
        if let Some(cell) = buffer.cell_mut((x, y)) {
            cell.set_symbol(&span.content).set_style(style);
        }
    }
}

/// The checkpoints by name where they begin, and where the playhead is; the row after it.
fn axis(
    session: &Session,
    theme: Theme,
    strip: Rect,
    inner: Rect,
    y: u16,
    buffer: &mut Buffer,
) -> u16 {
    let (muted, turns) = (theme.of(Meaning::Muted), session.run.turns.len());
    let words = if session.run.checkpoints.is_empty() { "turns" } else { "checkpoints" };
    put_row(Line::styled(words, muted), None, inner, y, buffer);
    let axis = Axis::of(session.turn, turns, usize::from(strip.width));
    let names = checkpoint_names(session, axis, usize::from(strip.width), theme);
    let row = Rect { x: strip.x, width: strip.width, ..inner };
    put_row(Line::from(names), None, row, y, buffer);
    if let Some(cell) = axis.cell_of(session.turn)
        && let Some(cell) = buffer.cell_mut((strip.x + cell as u16, inner.y + y))
    {
        cell.set_symbol("▲").set_style(theme.of(Meaning::Playing));
    }
    y + 1
}

/// Names of the checkpoints where they begin, as many as there is room for, that of the playhead bold.
pub fn checkpoint_names(
    session: &Session,
    axis: Axis,
    width: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (mut spans, mut x, mut first) = (vec![], 0, 0);
    for checkpoint in &session.run.checkpoints {
        let is_here = (first..=checkpoint.last_turn).contains(&session.turn);
        let name = format!("┆{}", safe(&checkpoint.id));
        if let Some(cell) = axis.cell_of(first).filter(|cell| *cell >= x) {
            let name = head(&name, width.saturating_sub(cell)).to_owned();
            spans.push(Span::raw(" ".repeat(cell - x)));
            x = cell + text::width(&name);
            let meaning = if is_here { Meaning::Title } else { Meaning::Muted };
            spans.push(own(name, theme.of(meaning)));
        }
        first = checkpoint.last_turn + 1;
    }
    spans
}

/// What the playhead's turn did, one line an event; else how things stand.
fn here(
    lifeline: &Lifeline,
    view: &Scores,
    session: &Session,
    theme: Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let turn = session.turn + 1;
    let named = |words: &str| own(format!("{words:<9} "), muted);
    let mut said: Vec<(String, String)> = vec![];
    if lifeline.committed == Some(turn) {
        said.push(("asked for in the dialogue".into(), String::new()));
    }
    for (life, event) in view.components.events_here(session) {
        let place = event.spot.as_ref().map(|spot| format!("{}:{}", spot.path, spot.line));
        let words = format!("{} {}", life.name, event.what.words());
        said.push((safe(&words), safe(&place.unwrap_or_default())));
    }
    if said.is_empty() {
        said.push((safe(&standing(lifeline, turn)), String::new()));
    }
    let lines = said.into_iter().enumerate().map(|(at, (words, place))| {
        let first = if at == 0 { format!("turn {turn}") } else { String::new() };
        sides(vec![named(&first), own(words, plain)], vec![own(place, muted)], width)
    });
    lines.collect()
}

/// What became of each symbol, one line each.
fn symbols(lifeline: &Lifeline, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let line = |life: &SymbolLife| {
        let source = match life.source {
            Source::Name => "symbol",
            Source::Evidence => "evidence",
        };
        let left = vec![own(format!("{source:<9} "), muted), own(safe(&life.name), plain)];
        let left = [left, vec![own(format!("  {}", history(life)), muted)]].concat();
        let place = life.place.as_ref().map(|place| place.path.to_string()).unwrap_or_default();
        sides(left, vec![own(safe(&place), muted)], width)
    };
    lifeline.symbols.iter().map(line).collect()
}

/// `defined in turn 24, last used after turn 45, gone in turn 46`
fn history(life: &SymbolLife) -> String {
    let Some(first) = life.first else { return "never defined".into() };
    let mut said = vec![match first {
        0 => "there before the first turn".to_owned(),
        turn => format!("defined in turn {turn}"),
    }];
    said.extend(life.moves.iter().map(|it| match it.from.simple() == it.to.simple() {
        true => format!("moved in turn {}", it.turn),
        false => format!("renamed to {} in turn {}", safe(&it.to.name), it.turn),
    }));
    let end = life.cells.last().map(|cell| cell.state);
    said.push(match (end, life.last_used) {
        (Some(State::Used), _) => "in use at the end".into(),
        (Some(State::Registered), _) => "registered at the end".into(),
        (_, Some(turn)) => format!("in use until turn {turn}"),
        (_, None) => "never used outside tests".into(),
    });
    said.extend(life.unused_since.map(|turn| format!("unused since turn {turn}")));
    said.extend(life.vanished.map(|turn| format!("gone in turn {turn}")));
    said.join(", ")
}

/// The meaning of each sign that is shown, in as many rows as that takes.
fn legend(shown: &[Sign], theme: Theme, width: usize) -> Vec<Line<'static>> {
    let muted = theme.of(Meaning::Muted);
    let mut rows: Vec<Vec<Span>> = vec![];
    for (which, words) in LEGEND.into_iter().filter(|(which, _)| shown.contains(which)) {
        let next = [sign(which, theme), own(format!(" {words}   "), muted)];
        match rows.last_mut() {
            Some(row) if width_of(row) + width_of(&next) <= width + 3 => row.extend(next),
            _ => rows.push(next.to_vec()),
        }
    }
    rows.into_iter().map(Line::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::{export, signs};
    use ratatui::widgets::Widget;

    #[test]
    fn a_legend_lists_the_signs_that_are_shown_and_no_others() {
        let shown = [Sign::Appeared, Sign::Nothing, Sign::Stands(State::Used), Sign::Appeared];
        let rows = legend(&shown, Theme::plain(), 80);
        let words: Vec<String> = rows.iter().map(Line::to_string).collect();
        assert_eq!(words, ["+ defined   ─ in use   "]);
        assert_eq!(legend(&shown, Theme::plain(), 14).len(), 2);
    }

    #[test]
    fn every_sign_that_is_drawn_has_one_meaning_in_ascii_too() {
        let drawn = |which: Sign| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
            Line::from(sign(which, Theme::plain())).render(buffer.area, &mut buffer);
            let unicode = export::text(&buffer);
            signs::to_ascii(&mut buffer);
            [unicode, export::text(&buffer)]
        };
        for alphabet in 0..2 {
            let mut all: Vec<String> =
                LEGEND.iter().map(|(which, _)| drawn(*which)[alphabet].clone()).collect();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), LEGEND.len(), "{all:?}");
        }
    }
}
