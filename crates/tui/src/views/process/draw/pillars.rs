//! The pillars: value, weight, and a mark where the value stands for nothing measured.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::Session,
    views::process::{Part, Process},
    widgets::{
        line::{fit, own, sides},
        panel::{name, put_row, titled},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::process::pillars::{Discipline, Scored};
use trajview_run::figures;

use super::has_keyboard;

pub fn draw(view: &Process, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let Some(report) = view.report(session) else { return };
    let discipline = report.in_profile(view.profile);
    let is_focused = has_keyboard(view, Part::Pillars);
    let muted = theme.of(Meaning::Muted);
    let title =
        vec![name(is_focused, "process", theme), own(format!("{} ", view.profile.word()), muted)];
    let titles = [Line::from(title), Line::default(), Line::default()];
    let inner = titled(is_focused, titles, theme, area, buffer);
    let width = usize::from(inner.width);
    let selected = theme.of(if is_focused { Meaning::Selected } else { Meaning::Marked });
    for (y, scored) in (0..).zip(&discipline.pillars) {
        let style = (usize::from(y) == view.pillar).then_some(selected);
        put_row(pillar(view, scored, theme, width), style, inner, y, buffer);
    }
    let y = discipline.pillars.len() as u16;
    put_row(score(view, discipline, theme, width), None, inner, y, buffer);
}

fn pillar(view: &Process, scored: &Scored, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let value = match scored.value {
        Some(value) => own(figures::share(value), theme.of(Meaning::Text)),
        None => own("not recorded", muted),
    };
    let mark = if scored.is_default { "*" } else { " " };
    let moved = view.weights.move_of(scored.pillar);
    let weight = figures::percent(view.weights.of(scored.pillar));
    let by = match moved.abs() < 1e-9 {
        true => String::new(),
        false => {
            let sign = if moved > 0.0 { "+" } else { "−" };
            format!(" ({sign}{})", figures::percent(moved.abs()))
        }
    };
    let left = vec![
        own(format!(" {:<4}", scored.pillar.word().to_uppercase()), theme.of(Meaning::Heading)),
        own(scored.pillar.name(), theme.of(Meaning::Text)),
    ];
    let right: Vec<Span<'static>> =
        vec![own(format!("{weight}{by}  "), muted), value, own(mark, theme.of(Meaning::Warning))];
    sides(left, right, width)
}

fn score(view: &Process, discipline: &Discipline, theme: Theme, width: usize) -> Line<'static> {
    let muted = theme.of(Meaning::Muted);
    let score = discipline.composite(&view.weights);
    let words = score.map_or_else(|| "not recorded".into(), figures::share);
    let used = figures::percent(discipline.weight_used());
    let left = fit(
        vec![
            own(" RigorScore ", theme.of(Meaning::Title)),
            own(format!("over {used} of the weights"), muted),
        ],
        width,
    );
    sides(left, vec![own(words, theme.of(Meaning::Title)), own(" ", muted)], width)
}
