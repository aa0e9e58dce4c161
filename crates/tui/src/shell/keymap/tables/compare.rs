//! The keys of the comparison: one row a binding.

use crate::{
    shell::{Message, overlay},
    views::compare,
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{Compare, Ended, Overlaid, Pair},
    row::{SIDEWAYS, c, k, open, pair, row},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Pair, &[k(Code::Left), c('h')], "the first of the two runs", "run", |_| pair(compare::Message::Side(0))),
    row(Pair, &[k(Code::Right), c('l')], "the second of the two runs", "run", |_| pair(compare::Message::Side(1))),
    row(Pair, &[k(Code::Enter)], "open the run at the lines the judge named, or where it was committed to", "open the run", |_| pair(compare::Message::Enter)),
    row(Pair, &[c('[')], "previous place that the judge named", "", |n| pair(compare::Message::Step(Motion::Up(n.times())))),
    row(Pair, &[c(']')], "next place that the judge named", "evidence", |n| pair(compare::Message::Step(Motion::Down(n.times())))),
    row(Overlaid, &[k(Code::Left), c('h')], "previous point; 5h goes back five", "point", |n| pair(compare::Message::Point(Motion::Up(n.times())))),
    row(Overlaid, &[k(Code::Right), c('l')], "next point; 5l goes on five", "point", |n| pair(compare::Message::Point(Motion::Down(n.times())))),
    row(Overlaid, &[k(Code::Enter)], "open the run at the turn of this point", "open the run", |_| pair(compare::Message::Enter)),
    row(Ended, &[k(Code::Enter)], "compare the file line by line; from there open the run at the line", "open", |_| pair(compare::Message::Enter)),
    row(Ended, &[c('[')], "previous hunk", "", |n| pair(compare::Message::Step(Motion::Up(n.times())))),
    row(Ended, &[c(']')], "next hunk", "hunk", |n| pair(compare::Message::Step(Motion::Down(n.times())))),
    row(Compare, &[k(Code::Up), c('k')], "up; at the curves another number", "", |n| pair(compare::Message::Move(Motion::Up(n.times())))),
    row(Compare, &[k(Code::Down), c('j')], "down; at the curves another number", "", |n| pair(compare::Message::Move(Motion::Down(n.times())))),
    row(Compare, &[k(Code::Tab)], "next part", "part", |_| pair(compare::Message::Next)),
    row(Compare, &[k(Code::BackTab)], "previous part", "", |_| pair(compare::Message::Previous)),
    row(Compare, &[c('v')], "code, curves or files beside the components", "code, curves, files", |_| pair(compare::Message::Beside)),
    row(Compare, &[c('s')], "the other of the two runs", "", |_| pair(compare::Message::SwitchSide)),
    row(Compare, &[c('o')], "sort otherwise: components by loss, as listed, by a score; files by what differs, by lines, by path", "sort", |_| pair(compare::Message::Sort)),
    row(Compare, &[c('u')], "curves by phase, by checkpoint or by turn", "by phase, checkpoint, turn", |_| pair(compare::Message::Axis)),
    row(Compare, &[c('f')], "curves of the next number", "", |n| pair(compare::Message::Number(Motion::Down(n.times())))),
    row(Compare, &[c('F')], "curves of the number before", "", |n| pair(compare::Message::Number(Motion::Up(n.times())))),
    row(Compare, &[c('b')], "the verdicts of the next judge of these runs", "judge", |_| pair(compare::Message::Judge)),
    row(Compare, &[c('P')], "pool the judgements of each state: the mean, the median, a strict majority, or each alone again", "pool", |_| pair(compare::Message::Pool)),
    row(Compare, &[c('p')], "the next two of more than two runs", "", |_| pair(compare::Message::NextPair)),
    row(Compare, &[c('m')], "give this part all the room, or share it again", "", |_| Message::Zoom),
    row(Compare, &[c('i')], "facts about these runs", "", |_| open(overlay::Kind::Info)),
    row(Compare, &[c('e')], "what weakens the comparison, and what could not be read", "", |_| open(overlay::Kind::Warnings)),
    row(Compare, &[c('x')], "stop measuring, or go on", "", |_| pair(compare::Message::StopOrGoOn)).unlisted(),
    row(Compare, &[c('<')], "to the left in long lines", "", |n| pair(compare::Message::Sideways(Motion::Up(SIDEWAYS * n.times())))),
    row(Compare, &[c('>')], "to the right in long lines", "", |n| pair(compare::Message::Sideways(Motion::Down(SIDEWAYS * n.times())))),
    row(Compare, &[k(Code::PageUp)], "a page up", "", |_| pair(compare::Message::Move(Motion::PageUp))),
    row(Compare, &[k(Code::PageDown)], "a page down", "", |_| pair(compare::Message::Move(Motion::PageDown))),
    row(Compare, &[Key::ctrl('u')], "half a page up", "", |_| pair(compare::Message::Move(Motion::HalfUp))),
    row(Compare, &[Key::ctrl('d')], "half a page down", "", |_| pair(compare::Message::Move(Motion::HalfDown))),
    row(Compare, &[c('g'), k(Code::Home)], "to the start, gg too; 12gg to row 12", "", |n| pair(compare::Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Compare, &[c('G'), k(Code::End)], "to the end; 12G to row or line 12", "", |n| pair(compare::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Compare, &[k(Code::Esc), k(Code::Backspace)], "from the file to the list of files, from there to the components; from those to the table of runs", "", |_| pair(compare::Message::Back)),
];
