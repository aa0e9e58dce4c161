//! Two runs side by side: their numbers, components, code, curves and files. One file a part.

mod chart;
mod code;
mod components;
mod files;
mod frame;
mod losses;
mod many_numbers;
mod numbers;
mod sessions;
mod tests_table;
mod transcripts;
mod transitions;

use std::collections::BTreeSet;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::{context::KeyContext, pending::Loading},
    views::compare::{ComparePart, ComparisonView, areas::CompareAreas, update::tab_text},
    widgets::{
        layout::{ScreenLayout, TAB_GAP},
        line::{fit_spans, left_and_right, recorded_span, safe_string, spans_width, trusted_span},
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};
use trajview_run::trial::TrialValues;
use trajview_study::compare::run_letter;

use frame::{draw_frame, muted_spans, no_value, part_name_span, run_head, side_letter};

pub fn draw(
    compared: &ComparisonView,
    areas: &CompareAreas,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    draw_head(compared, theme, areas.head, buffer);
    match &compared.parties {
        Loading::Failed(why) => {
            return draw_sentence(
                &safe_string(why),
                theme.style_for(Meaning::Error),
                layout.body,
                buffer,
            );
        }
        Loading::Nothing | Loading::Waiting(_) => {
            return draw_sentence("reading…", theme.style_for(Meaning::Muted), layout.body, buffer);
        }
        Loading::Ready(_) => {}
    }
    if let Some(area) = areas.tabs {
        draw_tabs(compared, theme, area, buffer);
    }
    if let Some(area) = areas.transitions {
        match compared.has_no_components() {
            true => sessions::draw_facts(compared, theme, area, buffer),
            false => transitions::draw(compared, theme, area, buffer),
        }
    }
    for part in ComparePart::ALL {
        let Some(area) = areas.part_area(part) else { continue };
        match part {
            ComparePart::Numbers => numbers::draw(compared, theme, area, buffer),
            ComparePart::Components if compared.lists_tests() => {
                tests_table::draw(compared, theme, area, buffer);
            }
            ComparePart::Components if compared.has_no_components() => {
                sessions::draw_requests(compared, theme, area, buffer);
            }
            ComparePart::Components => components::draw(compared, theme, area, buffer),
            ComparePart::Code => code::draw(compared, areas, theme, area, buffer),
            ComparePart::Curves => chart::draw(compared, theme, area, buffer),
            ComparePart::Files => files::draw(compared, theme, area, buffer),
            ComparePart::Losses => losses::draw(compared, theme, area, buffer),
            ComparePart::Transcripts => transcripts::draw(compared, theme, area, buffer),
        }
    }
}

/// Returns how many columns beside the base fit into the narrowest table on screen.
pub(super) fn column_room(compared: &ComparisonView, areas: &CompareAreas) -> usize {
    let room = |part: ComparePart, column_room: fn(usize) -> usize| {
        let width = areas.part_area(part)?.width.saturating_sub(2);
        Some(column_room(usize::from(width)))
    };
    let components = match (compared.lists_tests(), compared.has_no_components()) {
        (true, _) => room(ComparePart::Components, tests_table::column_room),
        (false, true) => None,
        (false, false) => room(ComparePart::Components, components::column_room),
    };
    let numbers = room(ComparePart::Numbers, many_numbers::column_room);
    numbers.into_iter().chain(components).min().unwrap_or_default()
}

/// Draws ` a codex-p12 emergent  b codex-p12-single-shot single-shot      measuring: 3 of 10`.
fn draw_head(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let words = status_text(compared).or_else(|| parting_text(compared));
    let right = words.map(|words| trusted_span(words, theme.style_for(Meaning::Muted)));
    let right: Vec<Span> = right.into_iter().collect();
    let width = usize::from(inner.width);
    let room = width.saturating_sub(spans_width(&right) + 1);
    left_and_right(head_spans(compared, theme, room), right, width).render(inner, buffer);
}

/// Returns the names of the runs: those of the pair, the base, the others as far as there is room, and `+9 (i)` for those
/// that `i` lists.
fn head_spans(compared: &ComparisonView, theme: Theme, room: usize) -> Vec<Span<'static>> {
    let [a, b] = compared.pair;
    let all = compared.all_parties().len();
    let mut order: Vec<usize> = [a, b, compared.base].into_iter().chain(0..all).collect();
    let mut seen = BTreeSet::new();
    order.retain(|run| *run < all && seen.insert(*run));
    let mut names = vec![];
    for (at, run) in order.iter().enumerate() {
        let name = run_name_spans(compared, *run, theme);
        let rest = format!(
            "+{} ({})",
            all - at,
            compared.keys.key_text(KeyContext::Compare, "run-details")
        );
        let is_last = at + 1 == all;
        let needed = spans_width(&name) + if is_last { 0 } else { rest.len() };
        // The two runs are always named.
        if at > 1 && spans_width(&names) + needed > room {
            let names = fit_spans(names, room.saturating_sub(rest.len()));
            let rest = trusted_span(rest, theme.style_for(Meaning::Muted));
            return names.into_iter().chain([rest]).collect();
        }
        names.extend(name);
    }
    names
}

/// Returns `a codex-p12 emergent   `.
fn run_name_spans(compared: &ComparisonView, run: usize, theme: Theme) -> Vec<Span<'static>> {
    let Some(party) = compared.all_parties().get(run) else { return vec![] };
    let condition = party.run.condition.as_deref().map(|it| format!(" {}", safe_string(it)));
    let trial = TrialValues::for_run(&party.run);
    let meaning = trial.outcome.map_or(Meaning::Muted, Meaning::for_outcome);
    let result = trial.result_text().map(|it| format!(" {it}")).unwrap_or_default();
    vec![
        trusted_span(format!("{} ", run_letter(run)), theme.style_for(Meaning::Key)),
        recorded_span(&party.run.id, theme.style_for(Meaning::Title)),
        trusted_span(condition.unwrap_or_default(), theme.style_for(Meaning::Muted)),
        recorded_span(&result, theme.style_for(meaning)),
        trusted_span("   ", theme.style_for(Meaning::Muted)),
    ]
}

/// Returns `first step that differs: a 1.3, b 1.2`.
fn parting_text(compared: &ComparisonView) -> Option<String> {
    let [at_a, at_b] = &compared.transcripts.differences.first.as_ref()?.addresses;
    let [a, b] = compared.pair.map(run_letter);
    Some(format!("first step that differs: {a} {at_a}, {b} {at_b}"))
}

/// Returns the progress of the measurement.
fn status_text(compared: &ComparisonView) -> Option<String> {
    let (known, wanted) = compared.measured_counts();
    if compared.measures.failed.is_some() {
        return Some("the code could not be measured".into());
    }
    if compared.measures.is_stopped {
        return Some(format!("stopped: {known} of {wanted} moments measured, X continues"));
    }
    let files = compared.measures.progress.filter(|(done, total)| done < total);
    let files = files.map(|(done, total)| format!(", {done} of {total} files"));
    let is_busy = compared.is_measuring() && known < wanted;
    is_busy.then(|| format!("measuring: {known} of {wanted} moments{}", files.unwrap_or_default()))
}

fn draw_tabs(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let gap = || trusted_span(" ".repeat(usize::from(TAB_GAP)), theme.style_for(Meaning::Text));
    let mut spans = vec![gap()];
    for part in ComparePart::ALL {
        let is_here = compared.part == part;
        let style = theme.style_for(if is_here { Meaning::Selected } else { Meaning::Muted });
        spans.extend([trusted_span(tab_text(part), style), gap()]);
    }
    Line::from(fit_spans(spans, usize::from(area.width))).render(area, buffer);
}
