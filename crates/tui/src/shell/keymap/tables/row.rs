//! What the tables of keys are written with.

use crate::{
    session::{context::Context, turns, views},
    shell::{Message, copy::What, jobs, open_run::RunMessage, overlay, palette, state},
    views::{
        audit, compare, curves, form, judge, layers, live, process,
        replay::{self, base, chooser, diff, files, playback, search, steps},
        scores::{self, components, flags, judges, tree},
        table,
    },
    widgets::{
        key::{Code, Key},
        layout::Panel,
        scroll::Motion,
    },
};

use super::super::{Binding, Count, Listing};

pub(super) const fn row(
    context: Context,
    keys: &'static [Key],
    help: &'static str,
    hint: &'static str,
    message: fn(Count) -> Message,
) -> Binding {
    Binding { context, keys, help, hint, message, listing: Listing::Listed }
}

pub(super) const fn c(c: char) -> Key {
    Key::char(c)
}

pub(super) const fn k(code: Code) -> Key {
    Key::plain(code)
}

pub(super) const fn replay(message: replay::Message) -> Message {
    Message::Run(RunMessage::Replay(message))
}

pub(super) const fn go(motion: Motion) -> Message {
    replay(replay::Message::Move(motion))
}

pub(super) const fn scroll(motion: Motion) -> Message {
    Message::Overlay(overlay::Message::Move(motion))
}

pub(super) const fn turn(message: turns::Message) -> Message {
    replay(replay::Message::Turns(message))
}

pub(super) const fn since(message: base::Message) -> Message {
    replay(replay::Message::Base(message))
}

pub(super) const fn step(message: steps::Message) -> Message {
    replay(replay::Message::Steps(message))
}

pub(super) const fn file(message: files::Message) -> Message {
    replay(replay::Message::Files(message))
}

pub(super) const fn diff(message: diff::Message) -> Message {
    replay(replay::Message::Diff(message))
}

pub(super) const fn play(message: playback::Message) -> Message {
    replay(replay::Message::Playback(message))
}

pub(super) const fn find_words(message: search::Message) -> Message {
    replay(replay::Message::Search(message))
}

pub(super) const fn choose(message: chooser::Message) -> Message {
    replay(replay::Message::Choose(message))
}

pub(super) const fn list(kinds: steps::Kinds) -> Message {
    replay(replay::Message::List(kinds))
}

pub(super) const fn open(kind: overlay::Kind) -> Message {
    Message::Overlay(overlay::Message::Open(kind))
}

pub(super) const fn find_row(message: overlay::Find) -> Message {
    Message::Overlay(overlay::Message::Find(message))
}

pub(super) const fn shell(message: state::Message) -> Message {
    Message::Shell(message)
}

pub(super) const fn commands(message: palette::Message) -> Message {
    shell(state::Message::Palette(message))
}

pub(super) const fn view(message: views::Message) -> Message {
    Message::View(message)
}

pub(super) const fn curve(message: curves::Message) -> Message {
    Message::Run(RunMessage::Curves(message))
}

pub(super) const fn worked(message: process::Message) -> Message {
    Message::Run(RunMessage::Process(message))
}

pub(super) const fn layered(message: layers::Message) -> Message {
    Message::Run(RunMessage::Layers(message))
}

pub(super) const fn table(message: table::Message) -> Message {
    Message::Collection(message)
}

pub(super) const fn narrow(message: table::prompt::Message) -> Message {
    table(table::Message::Prompt(message))
}

pub(super) const fn choose_runs(message: table::expression::Message) -> Message {
    table(table::Message::Where(message))
}

pub(super) const fn everywhere(message: table::finding::Message) -> Message {
    table(table::Message::Find(message))
}

pub(super) const fn scored(message: scores::Message) -> Message {
    Message::Run(RunMessage::Scores(message))
}

pub(super) const fn judged(message: components::Message) -> Message {
    scored(scores::Message::Components(message))
}

pub(super) const fn across(message: judges::Message) -> Message {
    scored(scores::Message::Judges(message))
}

pub(super) const fn flagged(message: flags::Message) -> Message {
    scored(scores::Message::Flags(message))
}

pub(super) const fn rubric(message: tree::Message) -> Message {
    scored(scores::Message::Tree(message))
}

pub(super) const fn pair(message: compare::Message) -> Message {
    Message::Compare(message)
}

pub(super) const fn copy(what: What) -> Message {
    shell(state::Message::Copy(what))
}

pub(super) const fn focus(panel: Panel) -> Message {
    replay(replay::Message::Focus(panel))
}

/// Columns that the diff moves sideways by.
pub(super) const SIDEWAYS: usize = 8;

pub(super) const fn audited(message: audit::Message) -> Message {
    Message::Run(RunMessage::Audit(message))
}

pub(super) const fn lived(message: live::Message) -> Message {
    Message::Live(message)
}

pub(super) const fn job(message: jobs::Message) -> Message {
    Message::Jobs(message)
}

pub(super) const fn fill(message: form::Message) -> Message {
    job(jobs::Message::Form(message))
}

pub(super) const fn listed(message: jobs::list::Message) -> Message {
    job(jobs::Message::List(message))
}

pub(super) const fn judge(message: judge::Message) -> Message {
    Message::Judging(message)
}
