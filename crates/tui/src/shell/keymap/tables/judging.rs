//! The keys of the pane that asks a judge: one row a binding.

use crate::{
    views::{form::FormMessage, judge::JudgePaneMessage},
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{InRun, JudgeForm, JudgePath, JudgeWatch, Judging},
    row::{c, k, row, to_judging},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(InRun, "judge", &[c('r')], "ask a judge about this run, in a panel; an active judge continues when it is closed", "", |_| to_judging(JudgePaneMessage::Toggle)),
    row(JudgeForm, "up", &[k(BaseKey::Up), c('k'), k(BaseKey::BackTab)], "previous field, or component to mark", "field", |n| to_judging(JudgePaneMessage::Move(Motion::Up(n.repetitions())))),
    row(JudgeForm, "down", &[k(BaseKey::Down), c('j'), k(BaseKey::Tab)], "next field, or component to mark", "field", |n| to_judging(JudgePaneMessage::Move(Motion::Down(n.repetitions())))),
    row(JudgeForm, "previous-value", &[k(BaseKey::Left), c('h')], "previous value; 5h: five steps less", "change", |n| to_judging(JudgePaneMessage::Change(-(n.repetitions() as isize)))),
    row(JudgeForm, "next-value", &[k(BaseKey::Right), c('l')], "next value; 5l: five steps more", "change", |n| to_judging(JudgePaneMessage::Change(n.repetitions() as isize))),
    row(JudgeForm, "send", &[k(BaseKey::Enter)], "send", "send", |_| to_judging(JudgePaneMessage::Enter)).unlisted(),
    row(JudgeForm, "mark", &[c(' ')], "mark the component; at the judge: add another judge; elsewhere: edit the field, or choose its next value", "mark", |_| to_judging(JudgePaneMessage::Mark)),
    row(JudgeForm, "save-judge", &[c('K')], "save judge to settings (not the key)", "save", |_| to_judging(JudgePaneMessage::Keep)).unlisted(),
    row(JudgeWatch, "up", &[k(BaseKey::Up), c('k')], "up among components, calls or words", "move", |n| to_judging(JudgePaneMessage::Move(Motion::Up(n.repetitions())))),
    row(JudgeWatch, "down", &[k(BaseKey::Down), c('j')], "down among components, calls or words", "move", |n| to_judging(JudgePaneMessage::Move(Motion::Down(n.repetitions())))),
    row(JudgeWatch, "open", &[k(BaseKey::Enter)], "toggle the details of the component", "open", |_| to_judging(JudgePaneMessage::Enter)),
    row(JudgeWatch, "stop-judging", &[c('X')], "stop the judge; finished verdicts stay", "stop", |_| to_judging(JudgePaneMessage::Stop)).unlisted(),
    row(JudgeWatch, "new-judging", &[c('a')], "new request", "new", |_| to_judging(JudgePaneMessage::New)),
    row(JudgeWatch, "next-panel", &[k(BaseKey::Tab), k(BaseKey::BackTab)], "from the components to the calls, and back", "calls", |_| to_judging(JudgePaneMessage::NextPart)),
    row(JudgeWatch, "next-judge", &[c('f')], "next judge, if several are active", "", |_| to_judging(JudgePaneMessage::NextJudge)),
    row(JudgeWatch, "previous-component", &[k(BaseKey::Left), c('h')], "previous component", "", |n| to_judging(JudgePaneMessage::Change(-(n.repetitions() as isize)))),
    row(JudgeWatch, "next-component", &[k(BaseKey::Right), c('l')], "next component", "", |n| to_judging(JudgePaneMessage::Change(n.repetitions() as isize))),
    row(Judging, "resume-judging", &[c('R')], "resume the last judgement", "resume", |_| to_judging(JudgePaneMessage::Resume)).unlisted(),
    row(Judging, "back", &[k(BaseKey::Esc), k(BaseKey::Backspace)], "back; from the panel to the view", "back", |_| to_judging(JudgePaneMessage::Leave)),
    row(Judging, "close", &[c('r')], "close the panel; the judge continues", "close", |_| to_judging(JudgePaneMessage::Toggle)),
    row(Judging, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "a page up", "", |_| to_judging(JudgePaneMessage::Move(Motion::PageUp))),
    row(Judging, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "a page down", "", |_| to_judging(JudgePaneMessage::Move(Motion::PageDown))),
    row(Judging, "start", &[k(BaseKey::Home)], "to the first row; gg too, 12gg to row 12", "", |n| to_judging(JudgePaneMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Judging, "end", &[c('G'), k(BaseKey::End)], "to the last row; 12G to row 12", "", |n| to_judging(JudgePaneMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(JudgePath, "accept", &[k(BaseKey::Enter)], "confirm the input", "confirm", |_| to_judging(JudgePaneMessage::Form(FormMessage::Accept))),
    row(JudgePath, "cancel", &[k(BaseKey::Esc), Key::with_ctrl('c')], "cancel", "cancel", |_| to_judging(JudgePaneMessage::Form(FormMessage::Cancel))),
    row(JudgePath, "erase", &[k(BaseKey::Backspace)], "erase a character", "", |_| to_judging(JudgePaneMessage::Form(FormMessage::Erase))),
    row(JudgePath, "erase-all", &[Key::with_ctrl('u')], "erase everything", "", |_| to_judging(JudgePaneMessage::Form(FormMessage::EraseAll))),
];
