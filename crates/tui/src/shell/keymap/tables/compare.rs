//! The keys of the comparison: one row a binding.

use crate::{
    session::timeline::TimelineMessage,
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
    row::{SIDEWAYS, c, k, open_overlay, row, to_comparison, to_timeline},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Pair, "first-run", &[k(BaseKey::Left), c('h')], "the first of the two runs", "run", |_| to_comparison(compare::CompareMessage::Side(0))),
    row(Pair, "second-run", &[k(BaseKey::Right), c('l')], "the second of the two runs", "run", |_| to_comparison(compare::CompareMessage::Side(1))),
    row(Pair, "open", &[k(BaseKey::Enter), c('o')], "open the run at the lines the judge cited, or at the request for the component; at a loss, at the lines that lost it", "open the run", |_| to_comparison(compare::CompareMessage::Enter)),
    row(Pair, "previous-place", &[c('[')], "previous lines that the judge cited", "", |n| to_comparison(compare::CompareMessage::Step(Motion::Up(n.repetitions())))),
    row(Pair, "next-place", &[c(']')], "next lines that the judge cited", "evidence", |n| to_comparison(compare::CompareMessage::Step(Motion::Down(n.repetitions())))),
    row(Overlaid, "previous-point", &[k(BaseKey::Left), c('h')], "previous point; 5h moves five back", "point", |n| to_comparison(compare::CompareMessage::Point(Motion::Up(n.repetitions())))),
    row(Overlaid, "next-point", &[k(BaseKey::Right), c('l')], "next point; 5l moves five forward", "point", |n| to_comparison(compare::CompareMessage::Point(Motion::Down(n.repetitions())))),
    row(Overlaid, "open", &[k(BaseKey::Enter), c('o')], "open the run at the turn of this point", "open the run", |_| to_comparison(compare::CompareMessage::Enter)),
    row(Ended, "open", &[k(BaseKey::Enter), c('o')], "compare the file line by line; from there open the run at the line", "open", |_| to_comparison(compare::CompareMessage::Enter)),
    row(Ended, "previous-hunk", &[c('[')], "previous hunk", "", |n| to_comparison(compare::CompareMessage::Step(Motion::Up(n.repetitions())))),
    row(Ended, "next-hunk", &[c(']')], "next hunk", "hunk", |n| to_comparison(compare::CompareMessage::Step(Motion::Down(n.repetitions())))),
    row(Compare, "up", &[k(BaseKey::Up), c('k')], "up; at the curves: another number", "", |n| to_comparison(compare::CompareMessage::Move(Motion::Up(n.repetitions())))),
    row(Compare, "down", &[k(BaseKey::Down), c('j')], "down; at the curves: another number", "", |n| to_comparison(compare::CompareMessage::Move(Motion::Down(n.repetitions())))),
    row(Compare, "timeline", &[c('t')], "timelines: full, slim or hidden", "timeline", |_| to_timeline(TimelineMessage::NextMode)),
    row(Compare, "next-panel", &[k(BaseKey::Tab)], "next part", "part", |_| to_comparison(compare::CompareMessage::Next)),
    row(Compare, "previous-panel", &[k(BaseKey::BackTab)], "previous part", "", |_| to_comparison(compare::CompareMessage::Previous)),
    row(Compare, "panel-content", &[c('v')], "code, curves, files or losses beside the components", "code, curves, files, losses", |_| to_comparison(compare::CompareMessage::Beside)),
    row(Compare, "switch-run", &[c('%')], "switch run", "", |_| to_comparison(compare::CompareMessage::SwitchSide)),
    row(Compare, "sort", &[c('s')], "change the order: components by loss, as listed, by a score; files by difference, by lines, by path", "sort", |_| to_comparison(compare::CompareMessage::Sort)),
    row(Compare, "x-axis", &[c('a')], "curves by phase, by checkpoint or by turn", "by phase, checkpoint, turn", |_| to_comparison(compare::CompareMessage::Axis)),
    row(Compare, "next-number", &[c('c')], "curves of the next number", "", |n| to_comparison(compare::CompareMessage::Number(Motion::Down(n.repetitions())))),
    row(Compare, "previous-number", &[c('C')], "curves of the previous number", "", |n| to_comparison(compare::CompareMessage::Number(Motion::Up(n.repetitions())))),
    row(Compare, "next-judge", &[c('f')], "the verdicts of the next judge of these runs", "judge", |_| to_comparison(compare::CompareMessage::Judge)),
    row(Compare, "pool", &[c('P')], "pool the judgements of each state: mean, median, strict majority, or none", "pool", |_| to_comparison(compare::CompareMessage::Pool)),
    row(Compare, "next-pair", &[c('p')], "the next two of more than two runs", "", |_| to_comparison(compare::CompareMessage::NextPair)),
    row(Compare, "maximize", &[c('m')], "maximize panel", "", |_| AppMessage::Zoom),
    row(Compare, "run-details", &[c('i')], "details of these runs", "", |_| open_overlay(overlay::OverlayKind::Info)),
    row(Compare, "warnings", &[c('e')], "warnings about this comparison", "", |_| open_overlay(overlay::OverlayKind::Warnings)),
    row(Compare, "stop-measuring", &[c('X')], "stop or continue measuring", "", |_| to_comparison(compare::CompareMessage::StopOrGoOn)).unlisted(),
    row(Compare, "scroll-left", &[c('<')], "to the left in long lines", "", |n| to_comparison(compare::CompareMessage::Sideways(Motion::Up(SIDEWAYS * n.repetitions())))),
    row(Compare, "scroll-right", &[c('>')], "to the right in long lines", "", |n| to_comparison(compare::CompareMessage::Sideways(Motion::Down(SIDEWAYS * n.repetitions())))),
    row(Compare, "back", &[k(BaseKey::Esc), k(BaseKey::Backspace)], "from the file to the list of files, from there to the components; from those back to the view before", "", |_| AppMessage::Escape),
    row(Compare, "page-up", &[k(BaseKey::PageUp)], "a page up", "", |_| to_comparison(compare::CompareMessage::Move(Motion::PageUp))),
    row(Compare, "page-down", &[k(BaseKey::PageDown)], "a page down", "", |_| to_comparison(compare::CompareMessage::Move(Motion::PageDown))),
    row(Compare, "half-page-up", &[Key::with_ctrl('u')], "half a page up", "", |_| to_comparison(compare::CompareMessage::Move(Motion::HalfUp))),
    row(Compare, "half-page-down", &[Key::with_ctrl('d')], "half a page down", "", |_| to_comparison(compare::CompareMessage::Move(Motion::HalfDown))),
    row(Compare, "start", &[k(BaseKey::Home)], "to the start; gg too, 12gg to row 12", "", |n| to_comparison(compare::CompareMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Compare, "end", &[c('G'), k(BaseKey::End)], "to the end; 12G to row or line 12", "", |n| to_comparison(compare::CompareMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
];
