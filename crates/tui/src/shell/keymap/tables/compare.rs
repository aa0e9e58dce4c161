//! The keys of the comparison: one row a binding.

use crate::{
    shell::{AppMessage, overlay},
    views::compare,
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Compare, Ended, Overlaid, Pair},
    row::{SIDEWAYS, c, k, open_overlay, row, to_comparison},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Pair, &[k(BaseKey::Left), c('h')], "the first of the two runs", "run", |_| to_comparison(compare::CompareMessage::Side(0))),
    row(Pair, &[k(BaseKey::Right), c('l')], "the second of the two runs", "run", |_| to_comparison(compare::CompareMessage::Side(1))),
    row(Pair, &[k(BaseKey::Enter)], "open the run at the lines the judge named, or where it was committed to", "open the run", |_| to_comparison(compare::CompareMessage::Enter)),
    row(Pair, &[c('[')], "previous place that the judge named", "", |n| to_comparison(compare::CompareMessage::Step(Motion::Up(n.repetitions())))),
    row(Pair, &[c(']')], "next place that the judge named", "evidence", |n| to_comparison(compare::CompareMessage::Step(Motion::Down(n.repetitions())))),
    row(Overlaid, &[k(BaseKey::Left), c('h')], "previous point; 5h goes back five", "point", |n| to_comparison(compare::CompareMessage::Point(Motion::Up(n.repetitions())))),
    row(Overlaid, &[k(BaseKey::Right), c('l')], "next point; 5l goes on five", "point", |n| to_comparison(compare::CompareMessage::Point(Motion::Down(n.repetitions())))),
    row(Overlaid, &[k(BaseKey::Enter)], "open the run at the turn of this point", "open the run", |_| to_comparison(compare::CompareMessage::Enter)),
    row(Ended, &[k(BaseKey::Enter)], "compare the file line by line; from there open the run at the line", "open", |_| to_comparison(compare::CompareMessage::Enter)),
    row(Ended, &[c('[')], "previous hunk", "", |n| to_comparison(compare::CompareMessage::Step(Motion::Up(n.repetitions())))),
    row(Ended, &[c(']')], "next hunk", "hunk", |n| to_comparison(compare::CompareMessage::Step(Motion::Down(n.repetitions())))),
    row(Compare, &[k(BaseKey::Up), c('k')], "up; at the curves another number", "", |n| to_comparison(compare::CompareMessage::Move(Motion::Up(n.repetitions())))),
    row(Compare, &[k(BaseKey::Down), c('j')], "down; at the curves another number", "", |n| to_comparison(compare::CompareMessage::Move(Motion::Down(n.repetitions())))),
    row(Compare, &[k(BaseKey::Tab)], "next part", "part", |_| to_comparison(compare::CompareMessage::Next)),
    row(Compare, &[k(BaseKey::BackTab)], "previous part", "", |_| to_comparison(compare::CompareMessage::Previous)),
    row(Compare, &[c('v')], "code, curves or files beside the components", "code, curves, files", |_| to_comparison(compare::CompareMessage::Beside)),
    row(Compare, &[c('s')], "the other of the two runs", "", |_| to_comparison(compare::CompareMessage::SwitchSide)),
    row(Compare, &[c('o')], "sort otherwise: components by loss, as listed, by a score; files by what differs, by lines, by path", "sort", |_| to_comparison(compare::CompareMessage::Sort)),
    row(Compare, &[c('u')], "curves by phase, by checkpoint or by turn", "by phase, checkpoint, turn", |_| to_comparison(compare::CompareMessage::Axis)),
    row(Compare, &[c('f')], "curves of the next number", "", |n| to_comparison(compare::CompareMessage::Number(Motion::Down(n.repetitions())))),
    row(Compare, &[c('F')], "curves of the number before", "", |n| to_comparison(compare::CompareMessage::Number(Motion::Up(n.repetitions())))),
    row(Compare, &[c('b')], "the verdicts of the next judge of these runs", "judge", |_| to_comparison(compare::CompareMessage::Judge)),
    row(Compare, &[c('P')], "pool the judgements of each state: the mean, the median, a strict majority, or each alone again", "pool", |_| to_comparison(compare::CompareMessage::Pool)),
    row(Compare, &[c('p')], "the next two of more than two runs", "", |_| to_comparison(compare::CompareMessage::NextPair)),
    row(Compare, &[c('m')], "give this part all the room, or share it again", "", |_| AppMessage::Zoom),
    row(Compare, &[c('i')], "facts about these runs", "", |_| open_overlay(overlay::OverlayKind::Info)),
    row(Compare, &[c('e')], "what weakens the comparison, and what could not be read", "", |_| open_overlay(overlay::OverlayKind::Warnings)),
    row(Compare, &[c('x')], "stop measuring, or go on", "", |_| to_comparison(compare::CompareMessage::StopOrGoOn)).unlisted(),
    row(Compare, &[c('<')], "to the left in long lines", "", |n| to_comparison(compare::CompareMessage::Sideways(Motion::Up(SIDEWAYS * n.repetitions())))),
    row(Compare, &[c('>')], "to the right in long lines", "", |n| to_comparison(compare::CompareMessage::Sideways(Motion::Down(SIDEWAYS * n.repetitions())))),
    row(Compare, &[k(BaseKey::PageUp)], "a page up", "", |_| to_comparison(compare::CompareMessage::Move(Motion::PageUp))),
    row(Compare, &[k(BaseKey::PageDown)], "a page down", "", |_| to_comparison(compare::CompareMessage::Move(Motion::PageDown))),
    row(Compare, &[Key::with_ctrl('u')], "half a page up", "", |_| to_comparison(compare::CompareMessage::Move(Motion::HalfUp))),
    row(Compare, &[Key::with_ctrl('d')], "half a page down", "", |_| to_comparison(compare::CompareMessage::Move(Motion::HalfDown))),
    row(Compare, &[c('g'), k(BaseKey::Home)], "to the start, gg too; 12gg to row 12", "", |n| to_comparison(compare::CompareMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Compare, &[c('G'), k(BaseKey::End)], "to the end; 12G to row or line 12", "", |n| to_comparison(compare::CompareMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Compare, &[k(BaseKey::Esc), k(BaseKey::Backspace)], "from the file to the list of files, from there to the components; from those to the table of runs", "", |_| to_comparison(compare::CompareMessage::Back)),
];
