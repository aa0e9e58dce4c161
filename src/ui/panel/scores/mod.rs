//! What a run is judged by: the table of its components, or its rubric tree.

mod components;
mod lifeline;
mod tree;

use ratatui::buffer::Buffer;

use crate::{
    app::{layout::Layout, replay::Replay, scores::Shows},
    ui::{
        sentence,
        theme::{Meaning, Theme},
    },
};

pub fn draw(replay: &Replay, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    match replay.scores.shown(&replay.run) {
        Some(Shows::Components) => components::draw(replay, theme, layout, buffer),
        Some(Shows::Tree) => tree::draw(replay, theme, layout, buffer),
        None => {
            let words = "nothing here says what this run is judged by: no graded rubric tree \
                (grader_output.json, grade.json or rubric.json) lies beside it";
            sentence(words, theme.of(Meaning::Muted), layout.body, buffer);
        }
    }
}
