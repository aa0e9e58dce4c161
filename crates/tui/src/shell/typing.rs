//! Words that are typed or pasted into a line: which line is open, and how much it takes.
//!
//! What a line holds is read again at each key and each frame: parsed as a filter, looked for, drawn. So it has a bound,
//! and a paste is one change, not one a letter.

use crate::{
    session::{context::Context, effect::Effect},
    shell::{jobs, open_run::RunMessage},
    views::{
        self, audit, judge, live,
        replay::{chooser, search},
        scores, table,
    },
};

use super::{App, Message, overlay, palette, replay, state};

/// Letters that a line takes.
pub const MOST: usize = 2_000;

/// Letters that a request to an agent takes.
pub const MOST_OF_REQUEST: usize = 100_000;

impl App {
    /// As many of these words as there is room for; control characters are no words.
    pub(crate) fn type_words(&mut self, words: &str) -> Vec<Effect> {
        let context = self.context();
        if !context.types_words() {
            return vec![];
        }
        let room = most(context).saturating_sub(self.line(context).chars().count());
        let mut letters = words.chars().filter(|c| !c.is_control());
        let fitting: String = letters.by_ref().take(room).collect();
        self.shell.is_line_full = letters.next().is_some();
        match fitting.is_empty() {
            true => vec![],
            false => self.take(typed(context, fitting)),
        }
    }

    /// Why not all that was typed or pasted is in the line; None where it is.
    pub fn cut(&self) -> Option<String> {
        self.shell.is_line_full.then(|| {
            format!("the line is full: only its first {} letters were taken", most(self.context()))
        })
    }

    /// What is in the line that is open; empty where none is.
    fn line(&self, context: Context) -> &str {
        let open = self.screens.open_run();
        let line = match context {
            Context::Palette => self.shell.palette.as_ref().map(|palette| &*palette.text),
            Context::OverlayFind => self.overlay.as_ref().map(|overlay| &*overlay.search.text),
            Context::LivePrompt => {
                self.screens.live().and_then(|live| Some(&*live.input.prompt.as_ref()?.text))
            }
            Context::Filter | Context::Start => {
                self.screens.table().and_then(|table| Some(&*table.prompt.as_ref()?.text))
            }
            Context::Where => {
                let table = self.screens.table();
                table.and_then(|table| Some(&*table.shape.expression.prompt.as_ref()?.text))
            }
            Context::FindWords => {
                self.screens.table().and_then(|table| Some(&*table.finding.as_ref()?.text))
            }
            Context::FormText => self.jobs.dialog.as_ref().and_then(|dialog| dialog.form.line()),
            Context::Prompt => {
                open.and_then(|open| Some(&*open.replay.search.prompt.as_ref()?.text))
            }
            Context::Requests => open.and_then(|it| Some(&*it.replay.chooser.as_ref()?.filter)),
            Context::RubricFind => open.map(|open| &*open.scores.tree.find.text),
            Context::AuditWords => {
                open.and_then(|open| Some(open.audit.prompt.as_ref()?.typing()?.1))
            }
            Context::JudgePath => open.and_then(|open| open.judging.form.line()),
            _ => None,
        };
        line.unwrap_or_default()
    }
}

const fn most(context: Context) -> usize {
    match context {
        Context::LivePrompt | Context::FormText => MOST_OF_REQUEST,
        _ => MOST,
    }
}

fn typed(context: Context, words: String) -> Message {
    match context {
        Context::Palette => Message::Shell(state::Message::Palette(palette::Message::Type(words))),
        Context::OverlayFind => {
            Message::Overlay(overlay::Message::Find(overlay::Find::Type(words)))
        }
        Context::LivePrompt => Message::Live(live::Message::Type(words)),
        Context::FormText => Message::Jobs(jobs::Message::Form(views::form::Message::Type(words))),
        Context::JudgePath => Message::Judging(judge::Message::Path(judge::Path::Type(words))),
        Context::AuditWords => Message::Run(RunMessage::Audit(audit::Message::Words(
            audit::prompt::Message::Type(words),
        ))),
        Context::Filter | Context::Start => {
            let message = table::prompt::Message::Type(words);
            Message::Collection(table::Message::Prompt(message))
        }
        Context::Where => {
            let message = table::expression::Message::Type(words);
            Message::Collection(table::Message::Where(message))
        }
        Context::FindWords => {
            let message = table::finding::Message::Type(words);
            Message::Collection(table::Message::Find(message))
        }
        Context::RubricFind => {
            let find = scores::tree::Message::Find(scores::tree::find::Message::Type(words));
            Message::Run(RunMessage::Scores(scores::Message::Tree(find)))
        }
        Context::Requests => {
            Message::Run(RunMessage::Replay(replay::Message::Choose(chooser::Message::Type(words))))
        }
        _ => {
            Message::Run(RunMessage::Replay(replay::Message::Search(search::Message::Type(words))))
        }
    }
}
