//! The keys of a run that is being made: one row a binding.

use crate::{
    session::{timeline::TimelineMessage, turns},
    shell::{AppMessage, overlay},
    views::live::{LiveMessage, player::PlayerMessage, terminal::search::FindDirection},
    views::replay::playback::PlaybackMessage,
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Agent, Live, LivePrompt, LiveQuestion, LiveTerminal, RecordedTerminal},
    row::{c, k, open_overlay, row, to_live, to_playback, to_player, to_timeline, to_turns},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Live, "attach", &[k(BaseKey::Enter), k(BaseKey::Tab)], "attach (type to the agent); ctrl-] detaches", "attach", |_| to_live(LiveMessage::Enter)),
    row(Live, "pause", &[c(' ')], "pause before the next request, or resume", "pause", |_| to_live(LiveMessage::PauseOrGoOn)).unlisted(),
    row(Live, "repeat-turn", &[Key::with_ctrl('r')], "repeat the last turn from its starting files", "retry", |_| to_live(LiveMessage::Retry)).unlisted(),
    row(Live, "stop-agent", &[c('X')], "stop the agent, after a question; the recording stays, and the run can be resumed", "stop", |_| to_live(LiveMessage::AskToStop)).unlisted(),
    row(Live, "resume", &[c('R')], "resume a stopped run, after a question", "resume", |_| to_live(LiveMessage::AskToResume)).unlisted(),
    row(Live, "skip-request", &[c('S')], "skip the next request", "skip", |_| to_live(LiveMessage::Skip)).unlisted(),
    row(Live, "edit-request", &[c('E')], "edit next request", "edit", |_| to_live(LiveMessage::Edit)).unlisted(),
    row(Live, "up", &[k(BaseKey::Up), c('k')], "previous request", "", |n| to_live(LiveMessage::Move(Motion::Up(n.repetitions())))),
    row(Live, "down", &[k(BaseKey::Down), c('j')], "next request", "", |n| to_live(LiveMessage::Move(Motion::Down(n.repetitions())))),
    row(Live, "start", &[k(BaseKey::Home)], "the first request; gg too, 12gg request 12", "", |n| to_live(LiveMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Live, "end", &[c('G'), k(BaseKey::End)], "the last request", "", |n| to_live(LiveMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Live, "previous-turn", &[k(BaseKey::Left), c('h')], "previous turn of the replay", "", |n| to_turns(turns::TurnMessage::Previous(n.repetitions()))),
    row(Live, "next-turn", &[k(BaseKey::Right), c('l')], "next turn of the replay; at the last turn it follows the run", "", |n| to_turns(turns::TurnMessage::Next(n.repetitions()))),
    row(LiveTerminal, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "back in the terminal's history", "", |_| to_live(LiveMessage::Scroll(Motion::HalfUp))),
    row(LiveTerminal, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "forward in the terminal's history", "", |_| to_live(LiveMessage::Scroll(Motion::HalfDown))),
    row(LiveTerminal, "search", &[c('/')], "search the terminal and its history", "find", |_| to_live(LiveMessage::Find)),
    row(LiveTerminal, "next-match", &[c('n')], "next match", "", |_| to_live(LiveMessage::FindAgain(FindDirection::Forward))),
    row(LiveTerminal, "previous-match", &[c('N')], "previous match", "", |_| to_live(LiveMessage::FindAgain(FindDirection::Backward))),
    row(LiveTerminal, "panel-content", &[c('v')], "show the replay, the curves or the scores next to the terminal", "replay, curves, scores", |_| to_live(LiveMessage::Beside)),
    row(LiveTerminal, "original-run", &[c('%')], "next to the terminal: show the recording so far, or the original run", "other run", |_| to_live(LiveMessage::OtherRun)),
    row(LiveTerminal, "compare", &[c('c')], "compare it, when it is over, with the run that it was started from", "compare", |_| to_live(LiveMessage::Compare)),
    row(LiveTerminal, "back", &[k(BaseKey::Esc), k(BaseKey::Backspace)], "back to the view before", "", |_| AppMessage::Back),
    row(LiveTerminal, "run-details", &[c('i')], "run details, and the full request", "", |_| open_overlay(overlay::OverlayKind::Info)),
    row(LiveTerminal, "warnings", &[c('e')], "all warnings", "warnings", |_| open_overlay(overlay::OverlayKind::Warnings)),
    row(RecordedTerminal, "play", &[c(' ')], "play the recorded terminal with its own timing, or pause; at its end from the start", "play", |_| to_player(PlayerMessage::PlayOrPause)),
    row(RecordedTerminal, "previous-step", &[k(BaseKey::Left), c('h'), c(',')], "to the end of the step before; five seconds back where the steps are not aligned", "", |n| to_player(PlayerMessage::Step(-(n.repetitions() as isize)))),
    row(RecordedTerminal, "next-step", &[k(BaseKey::Right), c('l'), c('.')], "to the end of the next step; five seconds forward where the steps are not aligned", "step", |n| to_player(PlayerMessage::Step(n.repetitions() as isize))),
    row(RecordedTerminal, "up", &[k(BaseKey::Up), c('k')], "previous turn", "", |n| to_player(PlayerMessage::Turn(-(n.repetitions() as isize)))),
    row(RecordedTerminal, "down", &[k(BaseKey::Down), c('j')], "next turn", "turn", |n| to_player(PlayerMessage::Turn(n.repetitions() as isize))),
    row(RecordedTerminal, "start", &[k(BaseKey::Home)], "to the start of the recorded terminal; gg too", "", |_| to_player(PlayerMessage::Start)),
    row(RecordedTerminal, "end", &[c('G'), k(BaseKey::End)], "to the end of the recorded terminal", "", |_| to_player(PlayerMessage::End)),
    row(RecordedTerminal, "next-recording", &[c('Y')], "next recorded terminal of the run, such as that of the tests", "next recording", |_| to_player(PlayerMessage::NextRecording)),
    row(RecordedTerminal, "scroll-left", &[c('<')], "to the left in a terminal that is wider than its panel", "", |n| to_player(PlayerMessage::Sideways(-(n.repetitions().min(999) as i16)))),
    row(RecordedTerminal, "scroll-right", &[c('>')], "to the right in a terminal that is wider than its panel", "sideways", |n| to_player(PlayerMessage::Sideways(n.repetitions().min(999) as i16))),
    row(RecordedTerminal, "maximize", &[c('m')], "maximize the terminal", "maximize", |_| AppMessage::Zoom),
    row(RecordedTerminal, "play-faster", &[c('+'), c('=')], "play faster", "", |_| to_playback(PlaybackMessage::Faster)),
    row(RecordedTerminal, "play-slower", &[c('-')], "play slower", "", |_| to_playback(PlaybackMessage::Slower)),
    row(RecordedTerminal, "timeline", &[c('t')], "timeline: full, slim or hidden", "", |_| to_timeline(TimelineMessage::NextMode)),
    row(RecordedTerminal, "resume", &[c('R')], "resume a stopped run, after a question", "resume", |_| to_live(LiveMessage::AskToResume)).unlisted(),
    row(LivePrompt, "accept", &[k(BaseKey::Enter)], "confirm the input", "confirm", |_| to_live(LiveMessage::Accept)),
    row(LivePrompt, "cancel", &[k(BaseKey::Esc), Key::with_ctrl('c')], "cancel", "cancel", |_| to_live(LiveMessage::Cancel)),
    row(LivePrompt, "erase", &[k(BaseKey::Backspace)], "erase a character", "", |_| to_live(LiveMessage::Erase)),
    row(LivePrompt, "erase-all", &[Key::with_ctrl('u')], "erase everything", "", |_| to_live(LiveMessage::EraseAll)),
    row(LiveQuestion, "yes", &[c('y')], "yes: stop the agent, or resume the run", "yes", |_| to_live(LiveMessage::Confirm)).unlisted(),
    row(LiveQuestion, "no", &[c('n'), k(BaseKey::Esc), c('q')], "no", "no", |_| to_live(LiveMessage::Decline)),
    // A terminal sends the same byte for ctrl-] and ctrl-5.
    row(Agent, "detach", &[Key::with_ctrl(']'), Key::with_ctrl('5')], "detach; every other key goes to the agent", "detaches; every other key goes to the agent", |_| to_live(LiveMessage::Leave)),
];
