//! All judgements at once: the matrix, two of them held against each other, the words of both.

mod both;
mod matrix;
mod pair;

use ratatui::{buffer::Buffer, text::Span};

use crate::{
    session::Session,
    views::scores::{
        Scores,
        judges::{Part, areas::Areas},
    },
    widgets::{
        layout::Layout,
        line::{fit, own},
        text,
        theme::{Meaning, Theme},
    },
};

pub fn draw(view: &Scores, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let judges = &view.judges;
    let areas = Areas::of(layout, judges.part, judges.side);
    if areas.matrix.is_some() {
        matrix::draw(view, session, theme, &areas, buffer);
    }
    if let Some(area) = areas.pair {
        pair::draw(view, session, theme, area, buffer);
    }
    if judges.part == Part::Both {
        both::draw(view, session, theme, &areas, buffer);
    }
}

/// A part's name with a blank on each side; bold where it has the keyboard.
fn name(is_focused: bool, words: &str, theme: Theme) -> Span<'static> {
    let meaning = if is_focused { Meaning::Title } else { Meaning::Text };
    own(format!(" {words} "), theme.of(meaning))
}

/// Words in so many cells with a blank after them; cut where they are longer.
fn cell(words: &str, cells: usize) -> String {
    let Some(room) = cells.checked_sub(1) else { return String::new() };
    let kept = fit(vec![Span::raw(words.to_owned())], room);
    let kept: String = kept.into_iter().map(|span| span.content.into_owned()).collect();
    let blank = cells - text::width(&kept).min(cells);
    kept + &" ".repeat(blank)
}

/// How a score looks: severe, full, or between.
fn looks(score: u8, theme: Theme) -> ratatui::style::Style {
    use trajview_run::rubric::{FULL, SEVERE};
    theme.of(match score {
        low if low <= SEVERE => Meaning::Error,
        FULL => Meaning::Added,
        _ => Meaning::Warning,
    })
}
