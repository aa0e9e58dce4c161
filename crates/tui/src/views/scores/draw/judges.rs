//! Draws all judgements at once: the matrix, the comparison of two, and the texts of both.

mod both_verdicts;
mod matrix;
mod pair;

use ratatui::{buffer::Buffer, text::Span};

use crate::{
    session::Session,
    views::scores::{
        ScoresView,
        judges::{JudgesPart, areas::JudgesAreas},
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, trusted_span},
        text,
        theme::{Meaning, Theme},
    },
};

pub(crate) fn draw_judges(
    view: &ScoresView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let judges = &view.judges;
    let areas = JudgesAreas::for_layout(layout, judges.part, judges.side);
    if areas.matrix.is_some() {
        matrix::draw_matrix(view, session, theme, &areas, buffer);
    }
    if let Some(area) = areas.pair {
        pair::draw_pair(view, session, theme, area, buffer);
    }
    if judges.part == JudgesPart::Both {
        both_verdicts::draw_both_verdicts(view, session, theme, &areas, buffer);
    }
}

/// Returns a part's name with a blank on each side; bold where it has the keyboard.
fn part_title(is_focused: bool, words: &str, theme: Theme) -> Span<'static> {
    let meaning = if is_focused { Meaning::Title } else { Meaning::Text };
    trusted_span(format!(" {words} "), theme.style_for(meaning))
}

/// Words in so many cells with a blank after them; cut where they are longer.
fn padded_cell(words: &str, cells: usize) -> String {
    let Some(room) = cells.checked_sub(1) else { return String::new() };
    let cut_spans = fit_spans(vec![Span::raw(words.to_owned())], room);
    let cut_text: String = cut_spans.into_iter().map(|span| span.content.into_owned()).collect();
    let blank = cells - text::width(&cut_text).min(cells);
    cut_text + &" ".repeat(blank)
}

/// Returns the style of a score: severe, full, or between.
fn score_style(score: u8, theme: Theme) -> ratatui::style::Style {
    use trajview_run::rubric::{FULL_SCORE, SEVERE};
    theme.style_for(match score {
        low if low <= SEVERE => Meaning::Error,
        FULL_SCORE => Meaning::Added,
        _ => Meaning::Warning,
    })
}
