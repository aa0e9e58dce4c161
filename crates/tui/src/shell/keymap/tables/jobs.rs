//! The keys of what is begun from the screen, and of the form that it begins with: one row a binding.

use crate::{
    shell::{
        Message,
        jobs::{self, Purpose, list},
        overlay,
    },
    views::form,
    widgets::{
        key::{Code, Key},
        scroll::Motion,
    },
};

use super::{
    Binding,
    Context::{Anywhere, Compare, Curves, Form, FormText, InRun, Jobs, Table},
    row::{c, fill, job, k, listed, open, row},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Anywhere, &[c('U')], "score again: another profile or other rules, in a form", "", |_| job(jobs::Message::Open(Purpose::Score))),
    row(InRun, &[c('D')], "test the code of this checkpoint, or of every one, with a command of your own, in a form", "", |_| job(jobs::Message::Open(Purpose::Test))),
    row(Curves, &[c('B')], "what was measured before, with another profile or other rules, is not shown any more", "", |_| job(jobs::Message::DismissBefore)),
    row(Compare, &[c('B')], "what was measured before, with another profile or other rules, is not shown any more", "", |_| job(jobs::Message::DismissBefore)),
    row(Table, &[c('B')], "what was measured before, with another profile or other rules, is not shown any more", "", |_| job(jobs::Message::DismissBefore)),
    row(Anywhere, &[c('J')], "jobs: every judging, live run and measuring, to go to or to stop", "", |_| listed(list::Message::Toggle)),
    row(Jobs, &[k(Code::Up), c('k'), k(Code::BackTab)], "previous job", "job", |n| listed(list::Message::Move(Motion::Up(n.times())))),
    row(Jobs, &[k(Code::Down), c('j'), k(Code::Tab)], "next job", "job", |n| listed(list::Message::Move(Motion::Down(n.times())))),
    row(Jobs, &[k(Code::Enter)], "to where the job is, its run opened where it is another", "open", |_| listed(list::Message::Enter)),
    row(Jobs, &[c('x')], "stop the job; what it did stays", "stop", |_| listed(list::Message::Stop)),
    row(Jobs, &[c('g'), k(Code::Home)], "to the first job, gg too; 3gg to job 3", "", |n| listed(list::Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Jobs, &[c('G'), k(Code::End)], "to the last job", "", |n| listed(list::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Jobs, &[c('?')], "these keys", "help", |_| open(overlay::Kind::Help)),
    row(Jobs, &[k(Code::Esc), c('q'), c('J')], "close the list; the jobs go on", "close", |_| listed(list::Message::Toggle)),
    row(Jobs, &[Key::ctrl('c')], "quit", "", |_| Message::Quit),
    row(Form, &[k(Code::Enter)], "begin what the form says", "begin", |_| job(jobs::Message::Begin)),
    row(Form, &[k(Code::Up), c('k'), k(Code::BackTab)], "previous field", "field", |n| fill(form::Message::Move(Motion::Up(n.times())))),
    row(Form, &[k(Code::Down), c('j'), k(Code::Tab)], "next field", "field", |n| fill(form::Message::Move(Motion::Down(n.times())))),
    row(Form, &[k(Code::Left), c('h')], "value before it; 5h of a number five steps fewer", "change", |n| fill(form::Message::Change(-(n.times() as isize)))),
    row(Form, &[k(Code::Right), c('l')], "next value; 5l of a number five steps more", "change", |n| fill(form::Message::Change(n.times() as isize))),
    row(Form, &[c(' ')], "type into the field, or take its next value", "type", |_| fill(form::Message::Edit)),
    row(Form, &[c('g'), k(Code::Home)], "to the first field, gg too; 3gg to field 3", "", |n| fill(form::Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Form, &[c('G'), k(Code::End)], "to the last field", "", |n| fill(form::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Form, &[k(Code::PageDown), Key::ctrl('d')], "on in what it would do", "", |_| job(jobs::Message::ScrollPlan(4))),
    row(Form, &[k(Code::PageUp), Key::ctrl('u')], "back in what it would do", "", |_| job(jobs::Message::ScrollPlan(-4))),
    row(Form, &[c('?')], "these keys", "help", |_| open(overlay::Kind::Help)),
    row(Form, &[k(Code::Esc), c('q')], "close the form; nothing is begun", "close", |_| job(jobs::Message::Close)),
    row(Form, &[Key::ctrl('c')], "quit", "", |_| Message::Quit),
    row(FormText, &[k(Code::Enter), k(Code::Tab)], "take what is typed", "take", |_| fill(form::Message::Accept)),
    row(FormText, &[k(Code::Esc), Key::ctrl('c')], "leave it as it was", "cancel", |_| fill(form::Message::Cancel)),
    row(FormText, &[k(Code::Backspace)], "erase a character", "", |_| fill(form::Message::Erase)),
    row(FormText, &[Key::ctrl('u')], "erase everything", "", |_| fill(form::Message::EraseAll)),
];
