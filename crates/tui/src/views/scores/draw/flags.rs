//! The flags: who gave them and how many, a row a flag, the words of the chosen one.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use super::components::cell;
use crate::{
    session::{Session, flags::State},
    views::scores::{
        Scores,
        flags::{
            areas::Areas,
            table::{Row, Sort},
        },
    },
    widgets::{
        layout::Layout,
        line::{fit, fit_end, own, recorded, safe, sides},
        panel::{name, position, put_row, sentence, titled},
        text,
        theme::{Meaning, Theme},
        wrap::wrap,
    },
};
use trajview_run::{figures, flags::Counts};

pub fn draw(view: &Scores, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let areas = Areas::of(layout);
    let Some((state, number)) = view.flags.flag_state(session) else { return };
    header(view, session, &state, number, theme, areas.header, buffer);
    let rows = view.flags.flag_rows(session);
    table(view, &state, &rows, theme, areas.table, buffer);
    if let Some(area) = areas.detail {
        detail(rows.get(view.flags.rows.cursor), theme, area, buffer);
    }
}

fn header(
    view: &Scores,
    session: &Session,
    state: &State<'_>,
    number: (usize, usize),
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width.saturating_sub(2));
    let rows = match area.height {
        0 => vec![],
        1 => vec![sums(view, session, state, theme, width)],
        _ => vec![
            who(view, session, state, number, theme, width),
            sums(view, session, state, theme, width),
        ],
    };
    for (row, y) in rows.into_iter().zip(area.y..) {
        let line = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 };
        row.render(line, buffer);
    }
}

/// `judge gpt (m-1) · c3, after turn 15 · 2026-11-21   judged state 3 of 9`
fn who(
    view: &Scores,
    session: &Session,
    state: &State<'_>,
    (number, count): (usize, usize),
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let by = view.flags.flag_source(session).map(|source| source.by.words()).unwrap_or_default();
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
        own("flags ", muted),
        recorded(&by, theme.of(Meaning::Title)),
        recorded(&facts, theme.of(Meaning::Text)),
    ];
    let at = (!view.flags.is_all).then(|| format!("state {number} of {count}"));
    let judges = view.flags.flag_source_number(session).filter(|(_, count)| *count > 1);
    let judge = judges.map(|(number, count)| format!("judge {number} of {count}"));
    let right = [at, judge].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    sides(left, vec![own(right, muted)], width)
}

/// `12 flags   7 verbosity   5 erosion   4 carried   3.10 for 1000 lines of code`: counts, and no score.
fn sums(
    view: &Scores,
    session: &Session,
    state: &State<'_>,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let (title, muted) = (theme.of(Meaning::Title), theme.of(Meaning::Muted));
    let is_all = view.flags.is_all;
    let counts = match is_all {
        false => state.counts(),
        true => Counts::of(
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
        spans.extend([own(number, title), own(words + "   ", muted)]);
    }
    if is_all {
        return sides(spans, vec![], width);
    }
    if !state.unanswered.is_empty() {
        let groups = safe(&state.unanswered.join(", "));
        spans.push(own(format!("without an answer: {groups}   "), theme.of(Meaning::Warning)));
    }
    spans.extend(match state.per_thousand() {
        Some(share) => [own(figures::tenths(share), title), own(" for 1000 lines", muted)],
        None => [own("", title), own("lines of code not recorded", muted)],
    });
    sides(spans, vec![], width)
}

fn table(
    view: &Scores,
    state: &State<'_>,
    rows: &[Row],
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let sorted = match view.flags.sort {
        Sort::File => String::new(),
        sort => format!(" by {} ", sort.words()),
    };
    let title = if view.flags.is_all { "flags where they were found" } else { "flags" };
    let titles = [
        Line::from(vec![name(true, title, theme)]),
        Line::styled(sorted, theme.of(Meaning::Muted)),
        Line::default(),
    ];
    let inner = titled(true, titles, theme, area, buffer);
    if rows.is_empty() {
        let words = match view.flags.is_all {
            true => "nothing was flagged in any state".to_owned(),
            false => format!("nothing is flagged in {}", safe(&state.name)),
        };
        return sentence(&words, theme.of(Meaning::Muted), inner, buffer);
    }
    let columns = Columns::of(usize::from(inner.width), rows);
    put_row(columns.head(theme), None, inner, 0, buffer);
    let scroll = view.flags.rows;
    let height = usize::from(inner.height.saturating_sub(1));
    for (index, row) in rows.iter().enumerate().skip(scroll.top).take(height) {
        let style = (index == scroll.cursor).then_some(theme.of(Meaning::Selected));
        put_row(columns.row(row, theme), style, inner, (index - scroll.top + 1) as u16, buffer);
    }
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    position(scroll.top, rows.len(), theme, body, buffer);
}

/// How wide the columns are; one of no cells is not shown.
struct Columns {
    criterion: usize,
    place: usize,
    confidence: usize,
    found: usize,
    carried: usize,
    words: usize,
}

/// Lines in fewer cells are cut.
const PLACE: usize = 18;

/// An explanation in fewer cells tells nothing.
const WORDS: usize = 16;

impl Columns {
    fn of(width: usize, rows: &[Row]) -> Self {
        let widest = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or_default() + 1;
        let criterion = widest(&|row| text::width(&safe(&row.flag.criterion))).clamp(10, 25);
        let place = widest(&|row| text::width(&safe(&row.place()))).clamp(11, 40);
        let found = widest(&|row| text::width(&safe(&row.found_at))).clamp(9, 14);
        let (confidence, carried) = (5, "→ carried ".chars().count());
        let rest = confidence + carried;
        // Names give way before the lines do.
        let named = width.saturating_sub(rest + place.min(PLACE));
        let (criterion, found) = match criterion + found <= named {
            true => (criterion, found),
            false => (criterion.min(named * 3 / 5), found.min(named - named * 3 / 5)),
        };
        let room = width.saturating_sub(rest + criterion + found);
        let words = room.saturating_sub(place);
        let words = if words < WORDS { 0 } else { words };
        let place = if words == 0 { room } else { place };
        Self { criterion, place, confidence, found, carried, words }
    }

    fn head(&self, theme: Theme) -> Line<'static> {
        let columns = [
            ("criterion", self.criterion),
            ("lines", self.place),
            ("conf", self.confidence),
            ("found at", self.found),
            ("carried", self.carried),
            ("what is said of it", self.words),
        ];
        let words: String = columns.iter().map(|(word, cells)| cell(word, *cells)).collect();
        Line::styled(words, theme.of(Meaning::Muted))
    }

    fn row(&self, row: &Row, theme: Theme) -> Line<'static> {
        let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
        let place = fit_end(&safe(&row.place()), self.place.saturating_sub(1));
        let (sign, meaning) = match row.flag.carried_from {
            Some(_) => ("→ carried", Meaning::Muted),
            None => ("+ new", Meaning::Warning),
        };
        let said = safe(row.flag.explanation.as_deref().unwrap_or("–"));
        let mut spans = vec![
            own(cell(&safe(&row.flag.criterion), self.criterion), theme.of(Meaning::Title)),
            own(cell(&place, self.place), plain),
            own(cell(&row.confidence(), self.confidence), plain),
            own(cell(&safe(&row.found_at), self.found), muted),
            own(cell(sign, self.carried), theme.of(meaning)),
        ];
        spans.extend(fit(vec![own(said, plain)], self.words));
        Line::from(spans)
    }
}

/// All that is known of the chosen flag.
fn detail(row: Option<&Row>, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(row) = row else { return };
    let width = usize::from(area.width.saturating_sub(2));
    let title = fit(vec![name(false, &safe(&row.flag.criterion), theme)], width);
    let titles = [Line::from(title), Line::default(), Line::default()];
    let inner = titled(false, titles, theme, area, buffer);
    let facts = facts(row);
    let said = row.flag.explanation.as_deref().unwrap_or("No explanation is given.");
    let paragraphs = facts.lines().map(|line| (Meaning::Muted, line));
    let rows_of = |(meaning, line): (Meaning, &str)| {
        let rows = wrap(line, width).into_iter().map(|at| (meaning, line[at].to_owned()));
        rows.collect::<Vec<_>>()
    };
    let all = paragraphs.chain(said.lines().map(|line| (Meaning::Text, line)));
    let lines: Vec<(Meaning, String)> = all.flat_map(rows_of).collect();
    let height = usize::from(inner.height);
    let is_cut = lines.len() > height;
    for (y, (meaning, words)) in lines.into_iter().take(height).enumerate() {
        let more = if is_cut && y + 1 == height { "…" } else { "" };
        let room = width.saturating_sub(more.chars().count());
        let mut spans = fit(vec![recorded(&words, theme.of(meaning))], room);
        spans.push(own(more, theme.of(Meaning::Muted)));
        put_row(Line::from(spans), None, inner, y as u16, buffer);
    }
}

/// `erosion · duplication · src/a.py:3-9 · confidence 4 of 5 · carried from c3, its lines did not change`
fn facts(row: &Row) -> String {
    let flag = &row.flag;
    let found = match flag.carried_from.as_deref() {
        Some(from) => format!("carried from {from}: its lines did not change"),
        None => format!("found at {}", row.found_at),
    };
    let facts = [
        flag.kind.as_deref().map(str::to_owned),
        flag.category.as_deref().map(str::to_owned),
        Some(row.place()),
        flag.confidence.map(|it| format!("confidence {it} of 5")),
        Some(found),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
