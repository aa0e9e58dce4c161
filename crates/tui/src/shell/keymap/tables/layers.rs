//! The keys of the view of layers: one row a binding.

use crate::{
    views::layers,
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::Layers,
    row::{c, k, row, to_layers},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Layers, "up", &[k(BaseKey::Up), c('k')], "up", "row", |n| to_layers(layers::LayersMessage::Move(Motion::Up(n.repetitions())))),
    row(Layers, "down", &[k(BaseKey::Down), c('j')], "down", "row", |n| to_layers(layers::LayersMessage::Move(Motion::Down(n.repetitions())))),
    row(Layers, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "a page up", "", |_| to_layers(layers::LayersMessage::Move(Motion::PageUp))),
    row(Layers, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "a page down", "", |_| to_layers(layers::LayersMessage::Move(Motion::PageDown))),
    row(Layers, "start", &[k(BaseKey::Home)], "to the first row", "", |n| to_layers(layers::LayersMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Layers, "end", &[c('G'), k(BaseKey::End)], "to the last row", "", |n| to_layers(layers::LayersMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Layers, "previous-turn", &[k(BaseKey::Left), c('h')], "previous turn", "turn", |n| to_layers(layers::LayersMessage::Turn(Motion::Up(n.repetitions())))),
    row(Layers, "next-turn", &[k(BaseKey::Right), c('l')], "next turn", "turn", |n| to_layers(layers::LayersMessage::Turn(Motion::Down(n.repetitions())))),
    row(Layers, "next-panel", &[k(BaseKey::Tab), k(BaseKey::BackTab)], "turns, brief, sources", "part", |_| to_layers(layers::LayersMessage::SwitchPart)),
    row(Layers, "next-layer", &[c('v')], "the next layer of the run", "layer", |_| to_layers(layers::LayersMessage::SwitchLayer)),
    row(Layers, "open", &[k(BaseKey::Enter), c('o')], "to the brief, to the sources of a sentence, to the source", "open", |_| to_layers(layers::LayersMessage::Open)),
];
