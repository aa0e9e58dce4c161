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

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::pending::Loading,
    views::compare::{ComparePart, ComparisonView, areas::CompareAreas, update::tab_text},
    widgets::{
        layout::{ScreenLayout, TAB_GAP},
        line::{fit_spans, left_and_right, recorded_span, safe_string, trusted_span},
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};
use trajview_run::trial::TrialValues;
use trajview_study::compare::{TranscriptItem, run_letter};

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

/// Draws ` a codex-p12 emergent  b codex-p12-single-shot single-shot      measuring: 3 of 10`.
fn draw_head(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let mut names = vec![];
    for run in 0..compared.paths.len() {
        let Some(party) = compared.all_parties().get(run) else { continue };
        names.push(trusted_span(format!("{} ", run_letter(run)), theme.style_for(Meaning::Key)));
        names.push(recorded_span(&party.run.id, theme.style_for(Meaning::Title)));
        let condition = party.run.condition.as_deref().map(|it| format!(" {}", safe_string(it)));
        names.push(trusted_span(condition.unwrap_or_default(), theme.style_for(Meaning::Muted)));
        let trial = TrialValues::for_run(&party.run);
        let meaning = trial.outcome.map_or(Meaning::Muted, Meaning::for_outcome);
        let result = trial.result_text().map(|it| format!(" {it}")).unwrap_or_default();
        names.push(recorded_span(&result, theme.style_for(meaning)));
        names.push(trusted_span("   ", theme.style_for(Meaning::Muted)));
    }
    let status =
        status_text(compared).map(|words| trusted_span(words, theme.style_for(Meaning::Muted)));
    let parting = match status {
        Some(_) => None,
        None => parting_text(compared),
    };
    let parting = parting.map(|words| trusted_span(words, theme.style_for(Meaning::Muted)));
    let status = status.or(parting);
    let width = usize::from(inner.width);
    left_and_right(names, status.into_iter().collect(), width).render(inner, buffer);
}

/// Returns `first difference a 1.3, b 1.2`: the steps in which the two runs part.
fn parting_text(compared: &ComparisonView) -> Option<String> {
    let first = compared.transcripts.first_difference()?;
    let [a, b] = compared.pair.map(run_letter);
    let [at_a, at_b] =
        [first.a, first.b].map(|item| item.map_or("end".to_owned(), TranscriptItem::address));
    Some(format!("first difference {a} {at_a}, {b} {at_b}"))
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
