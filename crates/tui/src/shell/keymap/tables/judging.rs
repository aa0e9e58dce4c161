//! The keys of the pane that asks a judge: one row a binding.

use crate::{
    views::judge::{Message, Path},
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{InRun, JudgeForm, JudgePath, JudgeWatch, Judging},
    row::{c, judge, k, row},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(InRun, &[c('r')], "ask a judge about this run, in a pane; what is under way there goes on when it is closed", "", |_| judge(Message::Toggle)),
    row(JudgeForm, &[k(Code::Up), c('k'), k(Code::BackTab)], "previous field, or component to mark", "field", |n| judge(Message::Move(Motion::Up(n.times())))),
    row(JudgeForm, &[k(Code::Down), c('j'), k(Code::Tab)], "next field, or component to mark", "field", |n| judge(Message::Move(Motion::Down(n.times())))),
    row(JudgeForm, &[k(Code::Left), c('h')], "value before it; 5h of looks and repeats five fewer", "change", |n| judge(Message::Change(-(n.times() as isize)))),
    row(JudgeForm, &[k(Code::Right), c('l')], "next value; 5l of looks and repeats five more", "change", |n| judge(Message::Change(n.times() as isize))),
    row(JudgeForm, &[k(Code::Enter)], "ask the judge, as the form says", "ask", |_| judge(Message::Enter)).unlisted(),
    row(JudgeForm, &[c(' ')], "mark the component; at the judge ask it too, at the same time as others; at the model type one, at the prompt or the criteria a path", "mark", |_| judge(Message::Mark)),
    row(JudgeForm, &[c('K')], "keep the judge and its model in the settings file; never a key", "keep", |_| judge(Message::Keep)).unlisted(),
    row(JudgeWatch, &[k(Code::Up), c('k')], "up among components, calls or words", "move", |n| judge(Message::Move(Motion::Up(n.times())))),
    row(JudgeWatch, &[k(Code::Down), c('j')], "down among components, calls or words", "move", |n| judge(Message::Move(Motion::Down(n.times())))),
    row(JudgeWatch, &[k(Code::Enter)], "all that is known of the component so far, and back", "open", |_| judge(Message::Enter)),
    row(JudgeWatch, &[c('x')], "stop asking; what is judged is kept", "stop", |_| judge(Message::Stop)).unlisted(),
    row(JudgeWatch, &[c('n')], "ask about something else", "new", |_| judge(Message::New)),
    row(JudgeWatch, &[k(Code::Tab), k(Code::BackTab)], "from the components to the calls, and back", "calls", |_| judge(Message::NextPart)),
    row(JudgeWatch, &[c('f')], "the next judge, where several are asked at once", "", |_| judge(Message::NextJudge)),
    row(JudgeWatch, &[k(Code::Left), c('h')], "previous component", "", |n| judge(Message::Change(-(n.times() as isize)))),
    row(JudgeWatch, &[k(Code::Right), c('l')], "next component", "", |n| judge(Message::Change(n.times() as isize))),
    row(Judging, &[c('R')], "go on where the last judging of this stopped", "resume", |_| judge(Message::Resume)).unlisted(),
    row(Judging, &[k(Code::Esc), k(Code::Backspace)], "one step back; from the pane to the view beside it, or under it", "back", |_| judge(Message::Leave)),
    row(Judging, &[c('r')], "close the pane; the judging goes on", "close", |_| judge(Message::Toggle)),
    row(Judging, &[k(Code::PageUp), Key::ctrl('u')], "a page up", "", |_| judge(Message::Move(Motion::PageUp))),
    row(Judging, &[k(Code::PageDown), Key::ctrl('d')], "a page down", "", |_| judge(Message::Move(Motion::PageDown))),
    row(Judging, &[c('g'), k(Code::Home)], "to the first row, gg too; 12gg to row 12", "", |n| judge(Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Judging, &[c('G'), k(Code::End)], "to the last row; 12G to row 12", "", |n| judge(Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(JudgePath, &[k(Code::Enter)], "take the path", "take", |_| judge(Message::Path(Path::Accept))),
    row(JudgePath, &[k(Code::Esc), Key::ctrl('c')], "what is built in after all", "cancel", |_| judge(Message::Path(Path::Cancel))),
    row(JudgePath, &[k(Code::Backspace)], "erase a letter of the path", "", |_| judge(Message::Path(Path::Erase))),
    row(JudgePath, &[Key::ctrl('u')], "erase all of the path", "", |_| judge(Message::Path(Path::EraseAll))),
];
