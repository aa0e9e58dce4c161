//! The keys of a run that is being made: one row a binding.

use crate::{
    session::turns,
    shell::overlay,
    views::live::{Message, terminal::find::Way},
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{Agent, Live, LivePrompt},
    row::{c, k, lived, open, row, turn},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Live, &[k(Code::Enter), k(Code::Tab)], "give the keyboard to the agent; ctrl-] takes it back", "to the agent", |_| lived(Message::Enter)),
    row(Live, &[c('p'), c(' ')], "pause before the next request, or go on", "pause, go on", |_| lived(Message::PauseOrGoOn)).unlisted(),
    row(Live, &[c('r')], "the last turn once more, from the files before it", "retry", |_| lived(Message::Retry)).unlisted(),
    row(Live, &[c('x')], "stop the agent, asked for twice; what was recorded stays, and R goes on", "stop", |_| lived(Message::Stop)).unlisted(),
    row(Live, &[c('R')], "go on with a run that broke off, asked for twice", "", |_| lived(Message::Resume)).unlisted(),
    row(Live, &[c('s')], "do not send the next request", "skip", |_| lived(Message::Skip)).unlisted(),
    row(Live, &[c('e')], "other words for the next request", "edit", |_| lived(Message::Edit)).unlisted(),
    row(Live, &[k(Code::Up), c('k')], "previous request", "", |n| lived(Message::Move(Motion::Up(n.times())))),
    row(Live, &[k(Code::Down), c('j')], "next request", "", |n| lived(Message::Move(Motion::Down(n.times())))),
    row(Live, &[c('g'), k(Code::Home)], "the first request, gg too; 12gg request 12", "", |n| lived(Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Live, &[c('G'), k(Code::End)], "the last request", "", |n| lived(Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Live, &[k(Code::PageUp), Key::ctrl('u')], "back in the terminal's history", "", |_| lived(Message::Scroll(Motion::HalfUp))),
    row(Live, &[k(Code::PageDown), Key::ctrl('d')], "on in the terminal's history", "", |_| lived(Message::Scroll(Motion::HalfDown))),
    row(Live, &[c('/')], "look for words in the terminal and its history", "find", |_| lived(Message::Find)),
    row(Live, &[c('n')], "the place before with these words", "", |_| lived(Message::Again(Way::Back))),
    row(Live, &[c('N')], "the place after with these words", "", |_| lived(Message::Again(Way::On))),
    row(Live, &[k(Code::Left), c('h')], "previous turn of the replay", "", |n| turn(turns::Message::Previous(n.times()))),
    row(Live, &[k(Code::Right), c('l')], "next turn of the replay; at the last one it goes along with the run", "", |n| turn(turns::Message::Next(n.times()))),
    row(Live, &[c('v')], "the replay, the curves or the scores of the run beside the terminal", "replay, curves, scores", |_| lived(Message::Beside)),
    row(Live, &[c('o')], "beside the terminal what is recorded so far, or again the run that it was started from", "other run", |_| lived(Message::OtherRun)),
    row(Live, &[c('c')], "compare it, when it is over, with the run that it was started from", "compare", |_| lived(Message::Compare)),
    row(Live, &[c('i')], "facts about this run, and the whole request", "", |_| open(overlay::Kind::Info)),
    row(Live, &[c('W')], "everything that was warned of", "warnings", |_| open(overlay::Kind::Warnings)),
    row(LivePrompt, &[k(Code::Enter)], "take what is typed", "take", |_| lived(Message::Accept)),
    row(LivePrompt, &[k(Code::Esc), Key::ctrl('c')], "leave it as it was", "cancel", |_| lived(Message::Cancel)),
    row(LivePrompt, &[k(Code::Backspace)], "erase a character", "", |_| lived(Message::Erase)),
    row(LivePrompt, &[Key::ctrl('u')], "erase everything", "", |_| lived(Message::EraseAll)),
    // A terminal sends the same byte for ctrl-] and ctrl-5.
    row(Agent, &[Key::ctrl(']'), Key::ctrl('5')], "take the keyboard back from the agent; every other key is the agent's", "takes the keyboard back, every other key is the agent's", |_| lived(Message::Leave)),
];
