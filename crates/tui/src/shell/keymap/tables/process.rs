//! The keys of the process view: one row a binding.

use crate::{
    shell::{
        jobs::{self, Purpose},
        state,
    },
    views::{process, table},
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{Pillars, Process, Told},
    row::{c, job, k, row, shell, table, worked},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Process, &[k(Code::Up), c('k')], "up", "row", |n| worked(process::Message::Move(Motion::Up(n.times())))),
    row(Process, &[k(Code::Down), c('j')], "down", "row", |n| worked(process::Message::Move(Motion::Down(n.times())))),
    row(Process, &[k(Code::PageUp), Key::ctrl('u')], "a page up", "", |_| worked(process::Message::Move(Motion::PageUp))),
    row(Process, &[k(Code::PageDown), Key::ctrl('d')], "a page down", "", |_| worked(process::Message::Move(Motion::PageDown))),
    row(Process, &[c('g'), k(Code::Home)], "to the first row", "", |_| worked(process::Message::Move(Motion::Start))),
    row(Process, &[c('G'), k(Code::End)], "to the last row", "", |n| worked(process::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Process, &[k(Code::Left), c('h')], "previous turn", "turn", |n| worked(process::Message::Turn(Motion::Up(n.times())))),
    row(Process, &[k(Code::Right), c('l')], "next turn", "turn", |n| worked(process::Message::Turn(Motion::Down(n.times())))),
    row(Process, &[k(Code::Tab), k(Code::BackTab)], "pillars, what the chosen one is made of, the list below", "part", |_| worked(process::Message::SwitchPart)),
    row(Process, &[c('v')], "signals, recoveries and plan, builds and tests, decisions, memory, what is wrong with the recording", "list", |_| worked(process::Message::SwitchList)),
    row(Process, &[c('B')], "build and test every turn, with commands of your own, in a form", "", |_| job(jobs::Message::Open(Purpose::Check))),
    row(Process, &[c('p')], "the paper's formulas, or the released scorer's", "profile", |_| worked(process::Message::SwitchProfile)),
    row(Process, &[c('E')], "open the store of decisions at the chosen one in $VISUAL or $EDITOR, and read it again afterwards", "", |_| shell(state::Message::Edit)).unlisted(),
    row(Process, &[c('d')], "draw decisions from the run's requests into its decisions.json, where it has none", "", |_| worked(process::Message::DrawDecisions)).unlisted(),
    row(Pillars, &[k(Code::Enter)], "what the pillar is made of", "events", |_| worked(process::Message::Open)),
    row(Pillars, &[c('>')], "more weight for the pillar, by a tenth of its own; at most half", "weight", |n| worked(process::Message::Weigh(n.times().min(5) as i8))),
    row(Pillars, &[c('<')], "less weight for the pillar, by a tenth of its own; at most half", "weight", |n| worked(process::Message::Weigh(-(n.times().min(5) as i8)))),
    row(Pillars, &[c('u')], "every weight as in the paper", "", |_| worked(process::Message::Unweigh)),
    row(Pillars, &[k(Code::Backspace)], "back to where the run was opened from: the table of runs or the comparison", "", |_| table(table::Message::Show)),
    row(Told, &[k(Code::Enter)], "to the step", "open the step", |_| worked(process::Message::Open)),
    row(Told, &[k(Code::Esc), k(Code::Backspace)], "back to the pillars", "pillars", |_| worked(process::Message::Close)),
];
