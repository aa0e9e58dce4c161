//! The keys of a run that is being made: one row a binding.

use crate::{
    session::turns,
    shell::overlay,
    views::live::{LiveMessage, terminal::search::FindDirection},
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Agent, Live, LivePrompt},
    row::{c, k, open_overlay, row, to_live, to_turns},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Live, "attach", &[k(BaseKey::Enter), k(BaseKey::Tab)], "give the keyboard to the agent; ctrl-] takes it back", "to the agent", |_| to_live(LiveMessage::Enter)),
    row(Live, "pause", &[c('p'), c(' ')], "pause before the next request, or go on", "pause, go on", |_| to_live(LiveMessage::PauseOrGoOn)).unlisted(),
    row(Live, "repeat-turn", &[c('r')], "the last turn once more, from the files before it", "retry", |_| to_live(LiveMessage::Retry)).unlisted(),
    row(Live, "stop-agent", &[c('x')], "stop the agent, asked for twice; what was recorded stays, and R goes on", "stop", |_| to_live(LiveMessage::Stop)).unlisted(),
    row(Live, "resume", &[c('R')], "go on with a run that broke off, asked for twice", "", |_| to_live(LiveMessage::Resume)).unlisted(),
    row(Live, "skip-request", &[c('s')], "do not send the next request", "skip", |_| to_live(LiveMessage::Skip)).unlisted(),
    row(Live, "edit-request", &[c('e')], "other words for the next request", "edit", |_| to_live(LiveMessage::Edit)).unlisted(),
    row(Live, "up", &[k(BaseKey::Up), c('k')], "previous request", "", |n| to_live(LiveMessage::Move(Motion::Up(n.repetitions())))),
    row(Live, "down", &[k(BaseKey::Down), c('j')], "next request", "", |n| to_live(LiveMessage::Move(Motion::Down(n.repetitions())))),
    row(Live, "start", &[c('g'), k(BaseKey::Home)], "the first request, gg too; 12gg request 12", "", |n| to_live(LiveMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Live, "end", &[c('G'), k(BaseKey::End)], "the last request", "", |n| to_live(LiveMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Live, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "back in the terminal's history", "", |_| to_live(LiveMessage::Scroll(Motion::HalfUp))),
    row(Live, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "on in the terminal's history", "", |_| to_live(LiveMessage::Scroll(Motion::HalfDown))),
    row(Live, "search", &[c('/')], "look for words in the terminal and its history", "find", |_| to_live(LiveMessage::Find)),
    row(Live, "next-match", &[c('n')], "the place before with these words", "", |_| to_live(LiveMessage::FindAgain(FindDirection::Backward))),
    row(Live, "previous-match", &[c('N')], "the place after with these words", "", |_| to_live(LiveMessage::FindAgain(FindDirection::Forward))),
    row(Live, "previous-turn", &[k(BaseKey::Left), c('h')], "previous turn of the replay", "", |n| to_turns(turns::TurnMessage::Previous(n.repetitions()))),
    row(Live, "next-turn", &[k(BaseKey::Right), c('l')], "next turn of the replay; at the last one it goes along with the run", "", |n| to_turns(turns::TurnMessage::Next(n.repetitions()))),
    row(Live, "panel-content", &[c('v')], "the replay, the curves or the scores of the run beside the terminal", "replay, curves, scores", |_| to_live(LiveMessage::Beside)),
    row(Live, "original-run", &[c('o')], "beside the terminal what is recorded so far, or again the run that it was started from", "other run", |_| to_live(LiveMessage::OtherRun)),
    row(Live, "compare", &[c('c')], "compare it, when it is over, with the run that it was started from", "compare", |_| to_live(LiveMessage::Compare)),
    row(Live, "run-details", &[c('i')], "facts about this run, and the whole request", "", |_| open_overlay(overlay::OverlayKind::Info)),
    row(Live, "warnings", &[c('W')], "everything that was warned of", "warnings", |_| open_overlay(overlay::OverlayKind::Warnings)),
    row(LivePrompt, "accept", &[k(BaseKey::Enter)], "take what is typed", "take", |_| to_live(LiveMessage::Accept)),
    row(LivePrompt, "cancel", &[k(BaseKey::Esc), Key::with_ctrl('c')], "leave it as it was", "cancel", |_| to_live(LiveMessage::Cancel)),
    row(LivePrompt, "erase", &[k(BaseKey::Backspace)], "erase a character", "", |_| to_live(LiveMessage::Erase)),
    row(LivePrompt, "erase-all", &[Key::with_ctrl('u')], "erase everything", "", |_| to_live(LiveMessage::EraseAll)),
    // A terminal sends the same byte for ctrl-] and ctrl-5.
    row(Agent, "detach", &[Key::with_ctrl(']'), Key::with_ctrl('5')], "take the keyboard back from the agent; every other key is the agent's", "takes the keyboard back, every other key is the agent's", |_| to_live(LiveMessage::Leave)),
];
