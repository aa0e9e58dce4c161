//! One row a component.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use super::cell;
use crate::{
    session::Session,
    views::{
        scores::{
            Scores,
            components::{
                Part,
                table::{Row, Sort},
            },
            draw::lifeline::{self, checkpoint_names},
            lifeline::{Axis, Sign, signs, squeezed, standing_signs},
        },
        verdict::{exact_score, plain_name, score},
    },
    widgets::{
        line::{fit, own, recorded, safe, width_of},
        panel::{name, position, put_row, sentence, titled},
        text,
        theme::{Meaning, Theme},
    },
};

/// Cells of the columns beside the name and the lifeline.
const ID: usize = 5;
const SCORE: usize = 18;
const LABEL: usize = 5;
const EXPOSURE: usize = 7;
const CHANGE: usize = 7;
const LOST: usize = 5;

/// Cells that a name is not shortened below for the sake of a lifeline.
const NAME: usize = 14;

/// A strip narrower than this tells nothing.
const STRIP: usize = 8;

pub fn draw(view: &Scores, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let parts = &view.components;
    let is_focused = view.components.has_part(Part::Table);
    let width = usize::from(area.width.saturating_sub(2));
    let sorted = match parts.sort {
        Sort::Checklist => String::new(),
        sort => format!(" by {} ", sort.words()),
    };
    let titles = [
        Line::from(vec![name(is_focused, "components", theme)]),
        Line::styled(sorted + &compared_with(session), theme.of(Meaning::Muted)),
        Line::default(),
    ];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let rows = view.components.component_rows(session);
    if rows.is_empty() {
        let words = "the checklist names no component";
        return sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    let columns = Columns::of(width, session, &rows);
    put_row(columns.head(session, theme), None, inner, 0, buffer);
    let scroll = parts.rows;
    let chosen = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    let height = usize::from(inner.height.saturating_sub(1));
    for (index, row) in rows.iter().enumerate().skip(scroll.top).take(height) {
        let style = (index == scroll.cursor).then_some(chosen);
        let line = columns.row(row, session, theme);
        put_row(line, style, inner, (index - scroll.top + 1) as u16, buffer);
    }
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    position(scroll.top, rows.len(), theme, body, buffer);
}

/// ` change since turn 39 `: the judgement that changes are told from.
fn compared_with(session: &Session) -> String {
    let judged = &session.rubric;
    let (Some(judgement), Some(other)) = (judged.judgement(), judged.other()) else {
        return String::new();
    };
    let turn = other.turn.map(|turn| format!("turn {turn}")).unwrap_or_else(|| "the end".into());
    match judgement.turn == other.turn {
        true => format!(" change from {} ", safe(&other.judge.name)),
        false => format!(" change since {turn} "),
    }
}

/// How wide the columns are; one of no cells is not shown.
struct Columns {
    name: usize,
    label: usize,
    exposure: usize,
    change: usize,
    lost: usize,
    strip: usize,
    axis: Axis,
}

impl Columns {
    /// What nobody recorded has no column.
    fn of(width: usize, session: &Session, rows: &[Row]) -> Self {
        let has = |is: bool, cells: usize| if is { cells } else { 0 };
        let label = has(rows.iter().any(|row| row.label.is_some()), LABEL);
        let exposure = has(rows.iter().any(|row| row.exposure.is_some()), EXPOSURE);
        let change = has(rows.iter().any(|row| row.change.is_some()), CHANGE);
        let taken = ID + SCORE + label + exposure + change + LOST;
        let room = width.saturating_sub(taken);
        let turns = session.run.turns.len();
        let strip = room.saturating_sub(NAME + 1).min(turns.max(1));
        let strip = if strip < STRIP.min(turns) { 0 } else { strip };
        // A long name is worth more than the last cells of a strip that is squeezed anyway.
        let strip = if strip < turns { strip.min(room / 3) } else { strip };
        let longest = rows.iter().map(|row| text::width(plain_name(&row.name)) + 1).max();
        let name = room.saturating_sub(strip + usize::from(strip > 0));
        let name = name.min(longest.unwrap_or_default().max(NAME));
        // What the names leave is the turns'.
        let strip = if strip < turns { strip } else { room.saturating_sub(name + 1) };
        let axis = Axis::of(session.turn, turns, strip);
        Self { name, label, exposure, change, lost: LOST, strip, axis }
    }

    fn head(&self, session: &Session, theme: Theme) -> Line<'static> {
        let columns = [
            ("id", ID),
            ("component", self.name),
            ("score", SCORE),
            ("you", self.label),
            ("stated", self.exposure),
            ("change", self.change),
            ("lost", self.lost),
        ];
        let words: String = columns.iter().map(|(word, cells)| cell(word, *cells)).collect();
        let mut spans = vec![own(words, theme.of(Meaning::Muted))];
        spans.extend(self.checkpoints(session, theme));
        Line::from(spans)
    }

    /// The checkpoints above the turns where they begin, as many names as there is room for.
    fn checkpoints(&self, session: &Session, theme: Theme) -> Vec<Span<'static>> {
        let run = &session.run;
        let muted = theme.of(Meaning::Muted);
        if self.strip < run.turns.len() || run.checkpoints.is_empty() {
            let turns = if self.strip < "turns".len() { "" } else { "turns" };
            return vec![own(turns, muted)];
        }
        checkpoint_names(session, self.axis, self.strip, theme)
    }

    fn row(&self, row: &Row, session: &Session, theme: Theme) -> Line<'static> {
        let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
        let named = if row.is_in_checklist { &row.name } else { "not in the checklist" };
        let mut spans = vec![
            own(cell(&safe(&row.id), ID), muted),
            own(cell(&safe(plain_name(named)), self.name), plain),
        ];
        let said = match (row.score, &row.why) {
            (Some(given), _) => match row.exact {
                Some(exact) => exact_score(given, exact, theme),
                None => score(given, theme),
            },
            (None, Some(_)) if !row.given.is_empty() => vec![recorded(&row.given, plain)],
            (None, Some(_)) if row.is_reasoned => vec![own("not scored", muted)],
            (None, Some(_))
                if session.rubric.judgement().is_some_and(|it| it.of(&row.id).is_some()) =>
            {
                vec![own("no score", theme.of(Meaning::Warning))]
            }
            (None, Some(_)) => vec![own("not judged", muted)],
            (None, None) => vec![own("–", muted)],
        };
        spans.extend(filled(said, SCORE));
        if self.label > 0 {
            spans.push(own(cell(&label(row), self.label), plain));
        }
        if self.exposure > 0 {
            let level = row.exposure.map_or_else(|| "–".into(), |level| level.to_string());
            spans.push(own(cell(&level, self.exposure), plain));
        }
        if self.change > 0 {
            spans.push(change(row.change, self.change, theme));
        }
        spans.push(lost(row, session, self.lost, theme));
        spans.extend(self.strip_of(row, session, theme));
        Line::from(spans)
    }

    fn strip_of(&self, row: &Row, session: &Session, theme: Theme) -> Vec<Span<'static>> {
        self.signs_of(row, session).into_iter().map(|sign| lifeline::sign(sign, theme)).collect()
    }

    fn signs_of(&self, row: &Row, session: &Session) -> Vec<Sign> {
        let Some(told) = session.rubric.lifeline_of(&row.id) else { return vec![] };
        let all: Vec<Sign> = signs(told, session.run.turns.len());
        match self.strip < all.len() {
            true => squeezed(&all, self.strip),
            false => self.axis.spread(&all, &standing_signs(told, all.len())),
        }
    }
}

/// The signs that stand in the table, for their legend.
pub fn signs_shown(view: &Scores, session: &Session, area: Rect) -> Vec<Sign> {
    let rows = view.components.component_rows(session);
    let columns = Columns::of(usize::from(area.width.saturating_sub(2)), session, &rows);
    let height = usize::from(area.height.saturating_sub(3));
    let seen = rows.iter().skip(view.components.rows.top).take(height);
    seen.flat_map(|row| columns.signs_of(row, session)).collect()
}

fn filled(spans: Vec<Span<'static>>, cells: usize) -> Vec<Span<'static>> {
    let mut kept = fit(spans, cells.saturating_sub(1));
    let blank = cells.saturating_sub(width_of(&kept));
    kept.push(Span::raw(" ".repeat(blank)));
    kept
}

/// What whoever sits here labelled.
fn label(row: &Row) -> String {
    row.label.map_or_else(|| "–".to_owned(), |score| score.to_string())
}

fn change(by: Option<i8>, cells: usize, theme: Theme) -> Span<'static> {
    let (words, meaning) = match by {
        None => (String::new(), Meaning::Muted),
        Some(0) => ("=".into(), Meaning::Muted),
        Some(by) if by < 0 => (format!("▼{}", by.unsigned_abs()), Meaning::Removed),
        Some(by) => (format!("▲{by}"), Meaning::Added),
    };
    own(cell(&words, cells), theme.of(meaning))
}

fn lost(row: &Row, session: &Session, cells: usize, theme: Theme) -> Span<'static> {
    let is_known = session.rubric.lifeline_of(&row.id).is_some();
    let words = match row.lost_at {
        Some(turn) => turn.to_string(),
        None if is_known => "–".into(),
        None => String::new(),
    };
    let meaning = if row.lost_at.is_some() { Meaning::Error } else { Meaning::Muted };
    own(cell(&words, cells), theme.of(meaning))
}
