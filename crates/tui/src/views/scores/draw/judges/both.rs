//! What both of two judgements say of one component, side by side where there is room.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::{
        scores::{
            Scores,
            judges::{Side, areas::Areas, both::Row},
        },
        verdict::score,
    },
    widgets::{
        line::{fit, fit_end, own, recorded, safe},
        panel::{position, put_row, titled},
        theme::{Meaning, Theme},
    },
};

use super::name;

pub fn draw(view: &Scores, session: &Session, theme: Theme, areas: &Areas, buffer: &mut Buffer) {
    if let Some(area) = areas.about {
        let width = usize::from(area.width.saturating_sub(2));
        let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        put_row(Line::from(fit(about(view, session, theme), width)), None, inner, 0, buffer);
    }
    for side in Side::ALL {
        if let Some(area) = areas.words[side as usize] {
            words(view, session, theme, side, area, buffer);
        }
    }
}

/// `C05 Time embedding: a 4, b 1; 3 of 9 on which they differ`
fn about(view: &Scores, session: &Session, theme: Theme) -> Vec<Span<'static>> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let Some(id) = view.judges.judges_component() else { return vec![] };
    let rows = view.judges.differing(session);
    let known = session.rubric.known().and_then(|it| it.checklist.as_ref());
    let named = known.and_then(|it| it.components.iter().find(|it| it.id == id));
    let at = rows.iter().position(|row| row.id == id);
    let place = match at {
        Some(at) => format!("  difference {} of {}", at + 1, rows.len()),
        None => "  no difference".into(),
    };
    vec![
        recorded(&format!("{id} "), muted),
        recorded(named.map_or("not in the checklist", |it| &it.name), theme.of(Meaning::Title)),
        own(place, plain),
    ]
}

fn words(
    view: &Scores,
    session: &Session,
    theme: Theme,
    side: Side,
    area: Rect,
    buffer: &mut Buffer,
) {
    let judges = &view.judges;
    let is_focused = judges.side == side;
    let width = usize::from(area.width.saturating_sub(2));
    let column = view.judges.side_column(session, side);
    let who = column.map(|column| column.words()).unwrap_or_default();
    let title =
        fit(vec![name(is_focused, &format!("{} {}", side.letter(), safe(&who)), theme)], width);
    let titles = [Line::from(title), Line::default(), Line::default()];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let rows = view.judges.words_of_side(session, side, width);
    let last = rows.len().saturating_sub(usize::from(inner.height));
    let top = judges.words[side as usize].min(last);
    for (y, row) in rows.iter().skip(top).take(usize::from(inner.height)).enumerate() {
        put_row(say(row, theme, width), None, inner, y as u16, buffer);
    }
    position(top, rows.len(), theme, area, buffer);
}

fn say(row: &Row, theme: Theme, width: usize) -> Line<'static> {
    let (plain, muted) = (theme.of(Meaning::Text), theme.of(Meaning::Muted));
    let spans = match row {
        Row::Blank => vec![],
        Row::Heading(words) => vec![own(words.clone(), theme.of(Meaning::Heading))],
        Row::Score(Some(given)) => score(*given, theme),
        Row::Score(None) => vec![own("no score", theme.of(Meaning::Warning))],
        Row::Words(words) => vec![recorded(words, plain)],
        Row::Note(words) => vec![own(words.clone(), muted)],
        Row::Problem(words) => vec![recorded(words, theme.of(Meaning::Warning))],
        Row::Evidence { path, lines } => {
            let lines = match lines {
                Some((first, last)) if first == last => format!(":{first}"),
                Some((first, last)) => format!(":{first}–{last}"),
                None => String::new(),
            };
            let room = width.saturating_sub(lines.chars().count() + 2);
            vec![
                own("◆ ", theme.of(Meaning::Hunk)),
                own(fit_end(&safe(path), room), plain),
                own(lines, theme.of(Meaning::Hunk)),
            ]
        }
        Row::Look { tool, arguments } => {
            vec![recorded(tool, theme.of(Meaning::Hunk)), recorded(&format!(" {arguments}"), muted)]
        }
    };
    Line::from(fit(spans, width))
}
