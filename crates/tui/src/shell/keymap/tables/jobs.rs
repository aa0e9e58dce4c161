//! The keys of the job list, and of the forms that start a job: one row a binding.

use crate::{
    shell::{
        AppMessage,
        jobs::{self, FormPurpose, job_list},
        overlay,
    },
    views::form,
    widgets::{
        key::{BaseKey, Key},
        scroll::Motion,
    },
};

use super::{
    KeyBinding,
    KeyContext::{Anywhere, Compare, Curves, Form, FormText, InRun, Jobs, Table},
    row::{c, k, open_overlay, row, to_form, to_job_list, to_jobs},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[KeyBinding] = &[
    row(Anywhere, "rescore", &[c('U')], "re-score… (profile, rules)", "", |_| to_jobs(jobs::JobsMessage::Open(FormPurpose::Score))),
    row(InRun, "run-tests", &[c('D')], "test… the code of this checkpoint, or of all, with your command", "", |_| to_jobs(jobs::JobsMessage::Open(FormPurpose::Test))),
    row(Curves, "forget-measurements", &[c('B')], "hide the values of the previous profile or rules", "", |_| to_jobs(jobs::JobsMessage::DismissBefore)),
    row(Compare, "forget-measurements", &[c('B')], "hide the values of the previous profile or rules", "", |_| to_jobs(jobs::JobsMessage::DismissBefore)),
    row(Table, "forget-measurements", &[c('B')], "hide the values of the previous profile or rules", "", |_| to_jobs(jobs::JobsMessage::DismissBefore)),
    row(Anywhere, "jobs", &[c('J')], "jobs: judges, live runs and measurements; open or stop them", "", |_| to_job_list(job_list::JobListMessage::Toggle)),
    row(Jobs, "up", &[k(BaseKey::Up), c('k'), k(BaseKey::BackTab)], "previous job", "job", |n| to_job_list(job_list::JobListMessage::Move(Motion::Up(n.repetitions())))),
    row(Jobs, "down", &[k(BaseKey::Down), c('j'), k(BaseKey::Tab)], "next job", "job", |n| to_job_list(job_list::JobListMessage::Move(Motion::Down(n.repetitions())))),
    row(Jobs, "open", &[k(BaseKey::Enter)], "go to the job; opens its run if it is another", "open", |_| to_job_list(job_list::JobListMessage::Enter)),
    row(Jobs, "stop-job", &[c('X')], "stop the job; its results stay", "stop", |_| to_job_list(job_list::JobListMessage::Stop)).unlisted(),
    row(Jobs, "start", &[c('g'), k(BaseKey::Home)], "to the first job, gg too; 3gg to job 3", "", |n| to_job_list(job_list::JobListMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Jobs, "end", &[c('G'), k(BaseKey::End)], "to the last job", "", |n| to_job_list(job_list::JobListMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Jobs, "help", &[c('?')], "these keys", "help", |_| open_overlay(overlay::OverlayKind::Help)),
    row(Jobs, "close", &[k(BaseKey::Esc), c('q'), c('J')], "close the list; the jobs continue", "close", |_| to_job_list(job_list::JobListMessage::Toggle)),
    row(Jobs, "quit", &[Key::with_ctrl('c')], "quit", "", |_| AppMessage::Quit),
    row(Form, "begin", &[k(BaseKey::Enter)], "start", "start", |_| to_jobs(jobs::JobsMessage::Begin)).unlisted(),
    row(Form, "up", &[k(BaseKey::Up), c('k'), k(BaseKey::BackTab)], "previous field", "field", |n| to_form(form::FormMessage::Move(Motion::Up(n.repetitions())))),
    row(Form, "down", &[k(BaseKey::Down), c('j'), k(BaseKey::Tab)], "next field", "field", |n| to_form(form::FormMessage::Move(Motion::Down(n.repetitions())))),
    row(Form, "previous-value", &[k(BaseKey::Left), c('h')], "previous value; 5h: five steps less", "change", |n| to_form(form::FormMessage::Change(-(n.repetitions() as isize)))),
    row(Form, "next-value", &[k(BaseKey::Right), c('l')], "next value; 5l: five steps more", "change", |n| to_form(form::FormMessage::Change(n.repetitions() as isize))),
    row(Form, "mark", &[c(' ')], "edit the field, choose its next value, or unfold", "type", |_| to_form(form::FormMessage::Edit)),
    row(Form, "start", &[c('g'), k(BaseKey::Home)], "to the first field, gg too; 3gg to field 3", "", |n| to_form(form::FormMessage::Move(n.0.map_or(Motion::Start, Motion::To)))),
    row(Form, "end", &[c('G'), k(BaseKey::End)], "to the last field", "", |n| to_form(form::FormMessage::Move(n.0.map_or(Motion::End, Motion::To)))),
    row(Form, "page-down", &[k(BaseKey::PageDown), Key::with_ctrl('d')], "scroll the plan down", "", |_| to_form(form::FormMessage::ScrollNote(4))),
    row(Form, "page-up", &[k(BaseKey::PageUp), Key::with_ctrl('u')], "scroll the plan up", "", |_| to_form(form::FormMessage::ScrollNote(-4))),
    row(Form, "copy", &[c('y')], "copy the command line of an export", "", |_| to_jobs(jobs::JobsMessage::CopyCommand)),
    row(Form, "help", &[c('?')], "these keys", "help", |_| open_overlay(overlay::OverlayKind::Help)),
    row(Form, "close", &[k(BaseKey::Esc), c('q')], "close the form without starting", "close", |_| to_jobs(jobs::JobsMessage::Close)),
    row(Form, "quit", &[Key::with_ctrl('c')], "quit", "", |_| AppMessage::Quit),
    row(FormText, "accept", &[k(BaseKey::Enter), k(BaseKey::Tab)], "confirm the input", "confirm", |_| to_form(form::FormMessage::Accept)),
    row(FormText, "cancel", &[k(BaseKey::Esc), Key::with_ctrl('c')], "cancel", "cancel", |_| to_form(form::FormMessage::Cancel)),
    row(FormText, "erase", &[k(BaseKey::Backspace)], "erase a character", "", |_| to_form(form::FormMessage::Erase)),
    row(FormText, "erase-all", &[Key::with_ctrl('u')], "erase everything", "", |_| to_form(form::FormMessage::EraseAll)),
];
