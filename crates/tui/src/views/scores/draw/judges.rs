//! Draws all judgements at once: the matrix, the comparison of two, and the texts of both.

mod both_verdicts;
mod matrix;
mod pair;

use ratatui::buffer::Buffer;

use crate::{
    session::Session,
    views::scores::{
        ScoresView,
        judges::{JudgesPart, areas::JudgesAreas},
    },
    widgets::{
        layout::ScreenLayout,
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
    if areas.pair.is_some() {
        pair::draw_pair(view, session, theme, buffer);
    }
    if judges.part == JudgesPart::Both {
        both_verdicts::draw_both_verdicts(view, session, theme, &areas, buffer);
    }
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
