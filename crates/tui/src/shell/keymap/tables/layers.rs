//! The keys of the view of layers: one row a binding.

use crate::{
    views::{layers, table},
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::Layers,
    row::{c, k, layered, row, table},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Layers, &[k(Code::Up), c('k')], "up", "row", |n| layered(layers::Message::Move(Motion::Up(n.times())))),
    row(Layers, &[k(Code::Down), c('j')], "down", "row", |n| layered(layers::Message::Move(Motion::Down(n.times())))),
    row(Layers, &[k(Code::PageUp), Key::ctrl('u')], "a page up", "", |_| layered(layers::Message::Move(Motion::PageUp))),
    row(Layers, &[k(Code::PageDown), Key::ctrl('d')], "a page down", "", |_| layered(layers::Message::Move(Motion::PageDown))),
    row(Layers, &[c('g'), k(Code::Home)], "to the first row", "", |_| layered(layers::Message::Move(Motion::Start))),
    row(Layers, &[c('G'), k(Code::End)], "to the last row", "", |n| layered(layers::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Layers, &[k(Code::Left), c('h')], "previous turn", "turn", |n| layered(layers::Message::Turn(Motion::Up(n.times())))),
    row(Layers, &[k(Code::Right), c('l')], "next turn", "turn", |n| layered(layers::Message::Turn(Motion::Down(n.times())))),
    row(Layers, &[k(Code::Tab), k(Code::BackTab)], "turns, what was said, where a sentence is from", "part", |_| layered(layers::Message::SwitchPart)),
    row(Layers, &[c('v')], "the next layer of the run", "layer", |_| layered(layers::Message::SwitchLayer)),
    row(Layers, &[k(Code::Enter)], "to what was said, to where a sentence is from, to that place", "open", |_| layered(layers::Message::Open)),
    row(Layers, &[k(Code::Esc)], "back to the turns", "", |_| layered(layers::Message::Close)),
    row(Layers, &[k(Code::Backspace)], "back to where the run was opened from: the table of runs or the comparison", "", |_| table(table::Message::Show)),
];
