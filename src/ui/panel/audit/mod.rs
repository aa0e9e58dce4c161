//! The audit of a judge.

use ratatui::buffer::Buffer;

use crate::{
    app::{layout::Layout, replay::Replay},
    ui::{
        sentence,
        theme::{Meaning, Theme},
    },
};

pub fn draw(replay: &Replay, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let words = match replay.scores.components.judgement() {
        None => "nothing has judged this run yet: there is nothing to audit".to_owned(),
        Some(judgement) => format!("{} verdicts to audit", judgement.verdicts.len()),
    };
    sentence(&words, theme.of(Meaning::Muted), layout.body, buffer);
}
