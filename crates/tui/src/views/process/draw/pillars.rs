//! Draws the pillars: value, weight, and a mark if nothing was measured for the value.

use ratatui::{
    buffer::Buffer,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::process::{ProcessPart, ProcessView},
    widgets::{
        line::{fit_spans, left_and_right, trusted_span},
        panel::{panel_title_span, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::process::pillars::{DisciplineScores, PillarScore};
use trajview_run::format_number;

use super::is_focused;

pub(crate) fn draw_pillars(
    view: &ProcessView,
    session: &Session,
    theme: Theme,
    buffer: &mut Buffer,
) {
    let Some(report) = view.process_report(session) else { return };
    let discipline = report.in_profile(view.profile);
    let is_focused = is_focused(view, ProcessPart::Pillars);
    let muted = theme.style_for(Meaning::Muted);
    let title = vec![
        panel_title_span(is_focused, "process", theme),
        trusted_span(format!("{} ", view.profile.word()), muted),
    ];
    let inner = view.pillars.draw_frame(title, is_focused, theme, buffer);
    let width = usize::from(inner.width);
    view.pillars.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |index| {
        pillar_line(view, &discipline.pillars[index], theme, width)
    });
    let y = discipline.pillars.len() as u16;
    put_row(score_line(view, discipline, theme, width), None, inner, y, buffer);
}

fn pillar_line(
    view: &ProcessView,
    scored: &PillarScore,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let value = match scored.value {
        Some(value) => {
            trusted_span(format_number::three_decimals(value), theme.style_for(Meaning::Text))
        }
        None => trusted_span("not recorded", muted),
    };
    let mark = if scored.is_default { "*" } else { " " };
    let moved = view.weights.change_of(scored.pillar);
    let weight = format_number::whole_percent(view.weights.weight_of(scored.pillar));
    let by = match moved.abs() < 1e-9 {
        true => String::new(),
        false => {
            let sign = if moved > 0.0 { "+" } else { "−" };
            format!(" ({sign}{})", format_number::whole_percent(moved.abs()))
        }
    };
    let left = vec![
        trusted_span(
            format!(" {:<4}", scored.pillar.word().to_uppercase()),
            theme.style_for(Meaning::Heading),
        ),
        trusted_span(scored.pillar.name(), theme.style_for(Meaning::Text)),
    ];
    let right: Vec<Span<'static>> = vec![
        trusted_span(format!("{weight}{by}  "), muted),
        value,
        trusted_span(mark, theme.style_for(Meaning::Warning)),
    ];
    left_and_right(left, right, width)
}

fn score_line(
    view: &ProcessView,
    discipline: &DisciplineScores,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let muted = theme.style_for(Meaning::Muted);
    let score = discipline.composite_score(&view.weights);
    let words = score.map_or_else(|| "not recorded".into(), format_number::three_decimals);
    let used = format_number::whole_percent(discipline.weight_used());
    let left = fit_spans(
        vec![
            trusted_span(" RigorScore ", theme.style_for(Meaning::Title)),
            trusted_span(format!("from {used} of the weight"), muted),
        ],
        width,
    );
    left_and_right(
        left,
        vec![trusted_span(words, theme.style_for(Meaning::Title)), trusted_span(" ", muted)],
        width,
    )
}
