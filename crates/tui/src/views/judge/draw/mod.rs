//! Draws the judge pane: the form, or the judging and the state of each component.

mod watch;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};
use trajview_run::judging::JudgingScale;

use crate::{
    session::Session,
    views::judge::{JudgePage, JudgePane, areas::JudgeAreas},
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, recorded_span, trusted_span},
        panel::draw_titled_panel,
        theme::{Meaning, Theme},
    },
};

pub fn draw(
    view: &JudgePane,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let areas = JudgeAreas::new(layout, view.page);
    if areas.pane.is_empty() {
        return;
    }
    let is_focused = view.is_focused(layout);
    if view.page == JudgePage::Form {
        return view.form.pane.draw(is_focused, theme, buffer);
    }
    let width = usize::from(areas.pane.width.saturating_sub(4));
    let left = Line::from(fit_spans(title_spans(view, is_focused, theme), width));
    draw_titled_panel(is_focused, left, theme, areas.pane, buffer);
    match view.page {
        JudgePage::Form => {}
        JudgePage::Watch => watch::draw(view, session, is_focused, theme, &areas, buffer),
        JudgePage::Detail => watch::draw_detail(view, session, theme, &areas, buffer),
    }
}

/// Returns ` ask a judge `, ` stub · after turn 12 `, ` C10 Cosine noise schedule `.
fn title_spans(view: &JudgePane, is_focused: bool, theme: Theme) -> Vec<Span<'static>> {
    let meaning = if is_focused { Meaning::Title } else { Meaning::Text };
    let style = theme.style_for(meaning);
    let watched = view.watched.as_ref();
    let words = match (view.page, watched) {
        (JudgePage::Form, _) | (_, None) => return vec![],
        (JudgePage::Watch, Some(watched)) => {
            let turn = watched.file.as_ref().map(|it| it.turn).or(watched
                .judging_request
                .moments
                .first()
                .copied());
            let turn = turn.map(|turn| format!(" · after turn {turn}")).unwrap_or_default();
            let flags = match watched.judging_request.scale {
                JudgingScale::Levels | JudgingScale::Codebook => "",
                JudgingScale::Flags => " · flags",
                JudgingScale::Decisions => " · decisions",
                JudgingScale::Process => " · process",
            };
            format!("{}{flags}{turn}", watched.judge)
        }
        (JudgePage::Detail, Some(_)) => match view.chosen_entry() {
            Some(entry) => format!("{} {}", entry.id, entry.name),
            None => "component".into(),
        },
    };
    vec![trusted_span(" ", style), recorded_span(words.trim_end(), style), trusted_span(" ", style)]
}

/// Puts lines into an area, from its first row on; those that do not fit are left out.
fn put_lines(lines: impl IntoIterator<Item = Line<'static>>, area: Rect, buffer: &mut Buffer) {
    for (y, line) in lines.into_iter().take(usize::from(area.height)).enumerate() {
        crate::widgets::panel::put_row(line, None, area, y as u16, buffer);
    }
}
