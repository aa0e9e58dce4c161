//! The keys of the curves: one row a binding.

use crate::{
    views::{curves, replay::playback},
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Chart, Curves, Moved},
    row::{c, k, row, to_curves, to_playback},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Curves, "previous-point", &[k(BaseKey::Left), c('h')], "previous point; 5h moves five back", "point", |n| to_curves(curves::CurvesMessage::Go(Motion::Up(n.repetitions())))),
    row(Curves, "next-point", &[k(BaseKey::Right), c('l')], "next point; 5l moves five forward", "point", |n| to_curves(curves::CurvesMessage::Go(Motion::Down(n.repetitions())))),
    row(Curves, "largest-rise", &[c('x')], "to the largest rise of the curve, then to the next largest; 3x moves three forward", "largest rise", |n| to_curves(curves::CurvesMessage::Steepest(n.repetitions()))),
    row(Curves, "x-axis", &[c('a')], "x axis: turns / checkpoints", "by turn or checkpoint", |_| to_curves(curves::CurvesMessage::SwitchAxis)),
    row(Curves, "points-at-steps", &[c('v')], "x axis: steps that edited files / turns", "", |_| to_curves(curves::CurvesMessage::SwitchSteps)),
    row(Curves, "previous-checkpoint", &[c('['), c('{')], "first turn of this checkpoint, then of the one before", "", |n| to_curves(curves::CurvesMessage::PreviousCheckpoint(n.repetitions()))),
    row(Curves, "next-checkpoint", &[c(']'), c('}')], "first turn of the next checkpoint", "", |n| to_curves(curves::CurvesMessage::NextCheckpoint(n.repetitions()))),
    row(Curves, "play", &[c(' ')], "play or pause", "play", |_| to_playback(playback::PlaybackMessage::PlayOrPause)),
    row(Curves, "stop-measuring", &[c('X')], "stop or continue measuring", "", |_| to_curves(curves::CurvesMessage::StopOrGoOn)).unlisted(),
    row(Curves, "next-panel", &[k(BaseKey::Tab), k(BaseKey::BackTab)], "from the chart to the list of changes, and back", "", |_| to_curves(curves::CurvesMessage::SwitchPart)),
    row(Chart, "previous-curve", &[k(BaseKey::Up), c('k')], "previous curve", "curve", |n| to_curves(curves::CurvesMessage::Choose(Motion::Up(n.repetitions())))),
    row(Chart, "next-curve", &[k(BaseKey::Down), c('j')], "next curve", "curve", |n| to_curves(curves::CurvesMessage::Choose(Motion::Down(n.repetitions())))),
    row(Chart, "open", &[k(BaseKey::Enter), c('o')], "what changed the number since the previous point; at a step its edit", "what changed the number", |_| to_curves(curves::CurvesMessage::Open)),
    row(Chart, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "ten points back", "", |_| to_curves(curves::CurvesMessage::Go(Motion::PageUp))),
    row(Chart, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "ten points on", "", |_| to_curves(curves::CurvesMessage::Go(Motion::PageDown))),
    row(Chart, "start", &[k(BaseKey::Home)], "to the first point; gg too, 12gg to turn or step 12", "", |n| to_curves(curves::CurvesMessage::Go(n.0.map_or(Motion::Start, Motion::To)))),
    row(Chart, "end", &[c('G'), k(BaseKey::End)], "to the last point; 12G to turn or step 12", "", |n| to_curves(curves::CurvesMessage::Go(n.0.map_or(Motion::End, Motion::To)))),
    row(Moved, "open", &[k(BaseKey::Enter), c('o')], "to the lines that changed the number, in the diff of their turn or in the whole file", "go to the lines", |_| to_curves(curves::CurvesMessage::Follow)),
    row(Moved, "up", &[k(BaseKey::Up), c('k')], "up in the list", "row", |n| to_curves(curves::CurvesMessage::Move(Motion::Up(n.repetitions())))),
    row(Moved, "down", &[k(BaseKey::Down), c('j')], "down in the list", "row", |n| to_curves(curves::CurvesMessage::Move(Motion::Down(n.repetitions())))),
    row(Moved, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "a page up", "", |_| to_curves(curves::CurvesMessage::Move(Motion::PageUp))),
    row(Moved, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "a page down", "", |_| to_curves(curves::CurvesMessage::Move(Motion::PageDown))),
    row(Moved, "start", &[k(BaseKey::Home)], "to the start of the list", "", |n| to_curves(curves::CurvesMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Moved, "end", &[c('G'), k(BaseKey::End)], "to the end of the list", "", |n| to_curves(curves::CurvesMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
];
