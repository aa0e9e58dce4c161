//! The keys of the curves: one row a binding.

use crate::{
    views::{curves, replay::playback, table},
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Chart, Curves, Moved},
    row::{c, k, row, to_curves, to_playback, to_table},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Curves, &[k(BaseKey::Left), c('h')], "previous point; 5h goes back five", "point", |n| to_curves(curves::CurvesMessage::Go(Motion::Up(n.repetitions())))),
    row(Curves, &[k(BaseKey::Right), c('l')], "next point; 5l goes on five", "point", |n| to_curves(curves::CurvesMessage::Go(Motion::Down(n.repetitions())))),
    row(Curves, &[c('m')], "to the steepest rise of the curve, from there to the next steepest; 3m goes three on", "steepest", |n| to_curves(curves::CurvesMessage::Steepest(n.repetitions()))),
    row(Curves, &[c('u')], "points at turns or at checkpoints", "by turn or checkpoint", |_| to_curves(curves::CurvesMessage::SwitchAxis)),
    row(Curves, &[c('s')], "points at the steps that edited files, or at turns again", "", |_| to_curves(curves::CurvesMessage::SwitchSteps)),
    row(Curves, &[c('['), c('{')], "first turn of this checkpoint, then of the one before", "", |n| to_curves(curves::CurvesMessage::PreviousCheckpoint(n.repetitions()))),
    row(Curves, &[c(']'), c('}')], "first turn of the next checkpoint", "", |n| to_curves(curves::CurvesMessage::NextCheckpoint(n.repetitions()))),
    row(Curves, &[c(' ')], "play or pause", "play", |_| to_playback(playback::PlaybackMessage::PlayOrPause)),
    row(Curves, &[c('x')], "stop measuring, or go on", "", |_| to_curves(curves::CurvesMessage::StopOrGoOn)).unlisted(),
    row(Curves, &[k(BaseKey::Tab), k(BaseKey::BackTab)], "from the chart to the list of what moved, and back", "", |_| to_curves(curves::CurvesMessage::SwitchPart)),
    row(Chart, &[k(BaseKey::Up), c('k')], "previous curve", "curve", |n| to_curves(curves::CurvesMessage::Choose(Motion::Up(n.repetitions())))),
    row(Chart, &[k(BaseKey::Down), c('j')], "next curve", "curve", |n| to_curves(curves::CurvesMessage::Choose(Motion::Down(n.repetitions())))),
    row(Chart, &[k(BaseKey::Enter)], "what moved this point since the one before; of a step its edit", "what moved", |_| to_curves(curves::CurvesMessage::Open)),
    row(Chart, &[k(BaseKey::PageUp), Key::with_ctrl('u')], "ten points back", "", |_| to_curves(curves::CurvesMessage::Go(Motion::PageUp))),
    row(Chart, &[k(BaseKey::PageDown), Key::with_ctrl('d')], "ten points on", "", |_| to_curves(curves::CurvesMessage::Go(Motion::PageDown))),
    row(Chart, &[c('g'), k(BaseKey::Home)], "to the first point, gg too; 12gg to turn or step 12", "", |n| to_curves(curves::CurvesMessage::Go(n.0.map_or(Motion::Start, Motion::To)))),
    row(Chart, &[c('G'), k(BaseKey::End)], "to the last point; 12G to turn or step 12", "", |n| to_curves(curves::CurvesMessage::Go(n.0.map_or(Motion::End, Motion::To)))),
    row(Moved, &[k(BaseKey::Enter)], "to the lines that moved the point, in the change of their turn or in the whole file", "go to the lines", |_| to_curves(curves::CurvesMessage::Follow)),
    row(Moved, &[k(BaseKey::Esc), k(BaseKey::Backspace)], "back to the chart", "chart", |_| to_curves(curves::CurvesMessage::Close)),
    row(Moved, &[k(BaseKey::Up), c('k')], "up in the list", "row", |n| to_curves(curves::CurvesMessage::Move(Motion::Up(n.repetitions())))),
    row(Moved, &[k(BaseKey::Down), c('j')], "down in the list", "row", |n| to_curves(curves::CurvesMessage::Move(Motion::Down(n.repetitions())))),
    row(Moved, &[k(BaseKey::PageUp), Key::with_ctrl('u')], "a page up", "", |_| to_curves(curves::CurvesMessage::Move(Motion::PageUp))),
    row(Moved, &[k(BaseKey::PageDown), Key::with_ctrl('d')], "a page down", "", |_| to_curves(curves::CurvesMessage::Move(Motion::PageDown))),
    row(Moved, &[c('g'), k(BaseKey::Home)], "to the start of the list", "", |_| to_curves(curves::CurvesMessage::Move(Motion::Start))),
    row(Moved, &[c('G'), k(BaseKey::End)], "to the end of the list", "", |n| to_curves(curves::CurvesMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Chart, &[k(BaseKey::Backspace)], "back to where the run was opened from: the table of runs or the comparison", "", |_| to_table(table::TableMessage::Show)),
];
