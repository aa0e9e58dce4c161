//! The keys of the curves: one row a binding.

use crate::{
    views::{curves, replay::playback, table},
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{Chart, Curves, Moved},
    row::{c, curve, k, play, row, table},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Curves, &[k(Code::Left), c('h')], "previous point; 5h goes back five", "point", |n| curve(curves::Message::Go(Motion::Up(n.times())))),
    row(Curves, &[k(Code::Right), c('l')], "next point; 5l goes on five", "point", |n| curve(curves::Message::Go(Motion::Down(n.times())))),
    row(Curves, &[c('m')], "to the steepest rise of the curve, from there to the next steepest; 3m goes three on", "steepest", |n| curve(curves::Message::Steepest(n.times()))),
    row(Curves, &[c('u')], "points at turns or at checkpoints", "by turn or checkpoint", |_| curve(curves::Message::SwitchAxis)),
    row(Curves, &[c('s')], "points at the steps that edited files, or at turns again", "", |_| curve(curves::Message::SwitchSteps)),
    row(Curves, &[c('['), c('{')], "first turn of this checkpoint, then of the one before", "", |n| curve(curves::Message::PreviousCheckpoint(n.times()))),
    row(Curves, &[c(']'), c('}')], "first turn of the next checkpoint", "", |n| curve(curves::Message::NextCheckpoint(n.times()))),
    row(Curves, &[c(' ')], "play or pause", "play", |_| play(playback::Message::PlayOrPause)),
    row(Curves, &[c('x')], "stop measuring, or go on", "", |_| curve(curves::Message::StopOrGoOn)).unlisted(),
    row(Curves, &[k(Code::Tab), k(Code::BackTab)], "from the chart to the list of what moved, and back", "", |_| curve(curves::Message::SwitchPart)),
    row(Chart, &[k(Code::Up), c('k')], "previous curve", "curve", |n| curve(curves::Message::Choose(Motion::Up(n.times())))),
    row(Chart, &[k(Code::Down), c('j')], "next curve", "curve", |n| curve(curves::Message::Choose(Motion::Down(n.times())))),
    row(Chart, &[k(Code::Enter)], "what moved this point since the one before; of a step its edit", "what moved", |_| curve(curves::Message::Open)),
    row(Chart, &[k(Code::PageUp), Key::ctrl('u')], "ten points back", "", |_| curve(curves::Message::Go(Motion::PageUp))),
    row(Chart, &[k(Code::PageDown), Key::ctrl('d')], "ten points on", "", |_| curve(curves::Message::Go(Motion::PageDown))),
    row(Chart, &[c('g'), k(Code::Home)], "to the first point, gg too; 12gg to turn or step 12", "", |n| curve(curves::Message::Go(n.0.map_or(Motion::Start, Motion::To)))),
    row(Chart, &[c('G'), k(Code::End)], "to the last point; 12G to turn or step 12", "", |n| curve(curves::Message::Go(n.0.map_or(Motion::End, Motion::To)))),
    row(Moved, &[k(Code::Enter)], "to the lines that moved the point, in the change of their turn or in the whole file", "go to the lines", |_| curve(curves::Message::Follow)),
    row(Moved, &[k(Code::Esc), k(Code::Backspace)], "back to the chart", "chart", |_| curve(curves::Message::Close)),
    row(Moved, &[k(Code::Up), c('k')], "up in the list", "row", |n| curve(curves::Message::Move(Motion::Up(n.times())))),
    row(Moved, &[k(Code::Down), c('j')], "down in the list", "row", |n| curve(curves::Message::Move(Motion::Down(n.times())))),
    row(Moved, &[k(Code::PageUp), Key::ctrl('u')], "a page up", "", |_| curve(curves::Message::Move(Motion::PageUp))),
    row(Moved, &[k(Code::PageDown), Key::ctrl('d')], "a page down", "", |_| curve(curves::Message::Move(Motion::PageDown))),
    row(Moved, &[c('g'), k(Code::Home)], "to the start of the list", "", |_| curve(curves::Message::Move(Motion::Start))),
    row(Moved, &[c('G'), k(Code::End)], "to the end of the list", "", |n| curve(curves::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Chart, &[k(Code::Backspace)], "back to where the run was opened from: the table of runs or the comparison", "", |_| table(table::Message::Show)),
];
