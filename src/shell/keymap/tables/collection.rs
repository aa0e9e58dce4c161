//! The keys of the table of runs: one row a binding.

use crate::{
    shell::overlay,
    views::table,
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{Filter, Table},
    row::{c, k, narrow, open, row, table},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Table, &[k(Code::Enter)], "open the run; fold or unfold the group", "open", |_| table(table::Message::Open)),
    row(Table, &[k(Code::Up), c('k')], "previous run", "", |n| table(table::Message::Move(Motion::Up(n.times())))),
    row(Table, &[k(Code::Down), c('j')], "next run; 5j goes on five", "", |n| table(table::Message::Move(Motion::Down(n.times())))),
    row(Table, &[k(Code::Left), c('h')], "previous column", "column", |n| table(table::Message::Choose(Motion::Up(n.times())))),
    row(Table, &[k(Code::Right), c('l')], "next column", "column", |n| table(table::Message::Choose(Motion::Down(n.times())))),
    row(Table, &[c('s')], "sort by this column; again the other way round", "sort", |_| table(table::Message::Sort)),
    row(Table, &[c('S')], "turn the order round", "", |_| table(table::Message::Reverse)),
    row(Table, &[c('/')], "filter: words, column:words, !not, erosion>0.5, tokens<=2M, cost:- where none is recorded", "filter", |_| narrow(table::prompt::Message::Start)),
    row(Table, &[c('b')], "group by task, by agent, by condition, by model, or not", "group", |_| table(table::Message::Group)),
    row(Table, &[c('c')], "mark this run to compare it; on another run compare the two", "compare", |_| table(table::Message::Compare)),
    row(Table, &[c('i')], "everything known of this run", "facts", |_| open(overlay::Kind::Info)),
    row(Table, &[c('e')], "what could not be read in this recording", "", |_| open(overlay::Kind::Warnings)),
    row(Table, &[c('o')], "fold or unfold the group around the cursor", "", |_| table(table::Message::Fold)),
    row(Table, &[c('O')], "fold all groups, or unfold all", "", |_| table(table::Message::FoldAll)),
    row(Table, &[c('a')], "all columns, also those of which no run has a value", "", |_| table(table::Message::SwitchEmpty)),
    row(Table, &[c('v')], "the columns of sessions (when, project, request, steps), or those of scores", "", |_| table(table::Message::SwitchSet)),
    row(Table, &[c('x')], "stop reading and measuring, or go on", "", |_| table(table::Message::StopOrGoOn)),
    row(Table, &[c('p')], "paired tests of two conditions below the table, of two agents, or none", "pairs", |_| table(table::Message::Pairs)),
    row(Table, &[c('P')], "the pairs of the next agent, then the next two conditions or agents to compare", "", |_| table(table::Message::NextPair)),
    row(Table, &[k(Code::PageUp)], "a page up", "", |_| table(table::Message::Move(Motion::PageUp))),
    row(Table, &[k(Code::PageDown)], "a page down", "", |_| table(table::Message::Move(Motion::PageDown))),
    row(Table, &[Key::ctrl('u')], "half a page up", "", |_| table(table::Message::Move(Motion::HalfUp))),
    row(Table, &[Key::ctrl('d')], "half a page down", "", |_| table(table::Message::Move(Motion::HalfDown))),
    row(Table, &[c('g'), k(Code::Home)], "to the first run, gg too; 12gg to line 12", "", |n| table(table::Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Table, &[c('G'), k(Code::End)], "to the last run; 12G to line 12", "", |n| table(table::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Table, &[k(Code::Esc)], "without the filter, then without groups, then in the order of the folders", "", |_| table(table::Message::Escape)),
    row(Filter, &[k(Code::Up)], "previous run", "", |_| table(table::Message::Move(Motion::Up(1)))),
    row(Filter, &[k(Code::Down)], "next run", "", |_| table(table::Message::Move(Motion::Down(1)))),
    row(Filter, &[k(Code::Enter)], "keep the filter; among the sessions of this machine open the one at the cursor", "keep", |_| narrow(table::prompt::Message::Accept)),
    row(Filter, &[k(Code::Esc), Key::ctrl('c')], "as it was before", "cancel", |_| narrow(table::prompt::Message::Cancel)),
    row(Filter, &[k(Code::Backspace)], "erase a character", "", |_| narrow(table::prompt::Message::Erase)),
    row(Filter, &[Key::ctrl('u')], "erase everything", "", |_| narrow(table::prompt::Message::EraseAll)),
];
