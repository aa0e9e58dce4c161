//! The pane in which a judge is asked: what is wanted, or the judging and what is known of each component.

mod form;
mod watch;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{Session, judging::Scale},
    views::judge::{Judging, Page, areas::Areas},
    widgets::{
        layout::Layout,
        line::{fit, own, recorded},
        panel::titled,
        theme::{Meaning, Theme},
    },
};

pub fn draw(view: &Judging, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let areas = Areas::of(layout, view.page);
    if areas.pane.is_empty() {
        return;
    }
    let is_focused = view.has_keyboard(layout);
    let width = usize::from(areas.pane.width.saturating_sub(4));
    let left = Line::from(fit(title(view, is_focused, theme), width));
    titled(is_focused, [left, Line::default(), Line::default()], theme, areas.pane, buffer);
    match view.page {
        Page::Form => form::draw(view, session, is_focused, theme, &areas, buffer),
        Page::Watch => watch::draw(view, session, is_focused, theme, &areas, buffer),
        Page::Detail => watch::draw_detail(view, session, theme, &areas, buffer),
    }
}

/// ` ask a judge `, ` stub · after turn 12 `, ` C10 Cosine noise schedule `
fn title(view: &Judging, is_focused: bool, theme: Theme) -> Vec<Span<'static>> {
    let meaning = if is_focused { Meaning::Title } else { Meaning::Text };
    let style = theme.of(meaning);
    let watched = view.watched.as_ref();
    let words = match (view.page, watched) {
        (Page::Form, _) | (_, None) => return vec![own(" ask a judge ", style)],
        (Page::Watch, Some(watched)) => {
            let turn =
                watched.file.as_ref().map(|it| it.turn).or(watched.wish.moments.first().copied());
            let turn = turn.map(|turn| format!(" · after turn {turn}")).unwrap_or_default();
            let flags = match watched.wish.scale {
                Scale::Levels => "",
                Scale::Flags => " · flags",
                Scale::Decisions => " · decisions",
                Scale::Process => " · process",
            };
            format!("{}{flags}{turn}", watched.judge)
        }
        (Page::Detail, Some(_)) => match view.chosen() {
            Some(entry) => format!("{} {}", entry.id, entry.name),
            None => "component".into(),
        },
    };
    vec![own(" ", style), recorded(words.trim_end(), style), own(" ", style)]
}

/// Puts lines into an area, from its first row on; those that do not fit are left out.
fn put_lines(lines: impl IntoIterator<Item = Line<'static>>, area: Rect, buffer: &mut Buffer) {
    for (y, line) in lines.into_iter().take(usize::from(area.height)).enumerate() {
        crate::widgets::panel::put_row(line, None, area, y as u16, buffer);
    }
}
