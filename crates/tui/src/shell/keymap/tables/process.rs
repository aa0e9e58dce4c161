//! The keys of the process view: one row a binding.

use crate::{
    shell::{
        jobs::{self, FormPurpose},
        state,
    },
    views::process,
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Pillars, Process, ProcessLists},
    row::{c, k, row, to_jobs, to_process, to_shell},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Process, "up", &[k(BaseKey::Up), c('k')], "up", "row", |n| to_process(process::ProcessMessage::Move(Motion::Up(n.repetitions())))),
    row(Process, "down", &[k(BaseKey::Down), c('j')], "down", "row", |n| to_process(process::ProcessMessage::Move(Motion::Down(n.repetitions())))),
    row(Process, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "a page up", "", |_| to_process(process::ProcessMessage::Move(Motion::PageUp))),
    row(Process, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "a page down", "", |_| to_process(process::ProcessMessage::Move(Motion::PageDown))),
    row(Process, "start", &[k(BaseKey::Home)], "to the first row", "", |n| to_process(process::ProcessMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Process, "end", &[c('G'), k(BaseKey::End)], "to the last row", "", |n| to_process(process::ProcessMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Process, "previous-turn", &[k(BaseKey::Left), c('h')], "previous turn", "turn", |n| to_process(process::ProcessMessage::Turn(Motion::Up(n.repetitions())))),
    row(Process, "next-turn", &[k(BaseKey::Right), c('l')], "next turn", "turn", |n| to_process(process::ProcessMessage::Turn(Motion::Down(n.repetitions())))),
    row(Process, "next-panel", &[k(BaseKey::Tab), k(BaseKey::BackTab)], "pillars, parts of the selected one, the list below", "part", |_| to_process(process::ProcessMessage::SwitchPart)),
    row(Process, "list-content", &[c('v')], "signals, recoveries and plan, builds and tests, decisions, memory, recording checks", "list", |_| to_process(process::ProcessMessage::SwitchList)),
    row(Process, "build-turns", &[c('B')], "build and test… every turn, with your commands", "", |_| to_jobs(jobs::JobsMessage::Open(FormPurpose::Check))),
    row(Process, "process-profile", &[c('P')], "the paper's formulas, or the released scorer's", "profile", |_| to_process(process::ProcessMessage::SwitchProfile)),
    row(Process, "open-in-editor", &[c('E')], "open the decisions file at the selected decision in $VISUAL or $EDITOR, then reload it", "", |_| to_shell(state::ShellMessage::Edit)).unlisted(),
    row(Process, "extract-decisions", &[c('"')], "extract decisions from requests into decisions.json, if the run has none", "", |_| to_process(process::ProcessMessage::DrawDecisions)).unlisted(),
    row(Pillars, "open", &[k(BaseKey::Enter), c('o')], "parts of the pillar", "events", |_| to_process(process::ProcessMessage::Open)),
    row(Pillars, "more-weight", &[c('>')], "increase the weight of the pillar by 10 % (50 % at most)", "weight", |n| to_process(process::ProcessMessage::Weigh(n.repetitions().min(5) as i8))),
    row(Pillars, "less-weight", &[c('<')], "decrease the weight of the pillar by 10 % (50 % at most)", "weight", |n| to_process(process::ProcessMessage::Weigh(-(n.repetitions().min(5) as i8)))),
    row(Pillars, "reset-weights", &[c('~')], "reset all weights to those of the paper", "", |_| to_process(process::ProcessMessage::Unweigh)),
    row(ProcessLists, "open", &[k(BaseKey::Enter), c('o')], "to the step", "open the step", |_| to_process(process::ProcessMessage::Open)),
];
