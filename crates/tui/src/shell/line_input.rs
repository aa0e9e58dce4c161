//! Text that is typed or pasted into a line: which line is open, and how long it may be.
//!
//! The text of a line is processed at each key and each frame: parsed as a filter, searched for, drawn. So it has a limit,
//! and a paste is one change, not one a letter.

use crate::{
    session::{context::KeyContext, effect::Effect},
    shell::{jobs, open_run::RunMessage},
    views::{
        self, audit, judge, live,
        replay::{chooser, search},
        scores, table,
    },
};

use super::{App, AppMessage, overlay, palette, replay, state};

/// The longest text of a line (letters).
pub(crate) const MAX_LINE_LETTERS: usize = 2_000;

/// The longest text of a request to an agent (letters).
pub(crate) const MAX_REQUEST_LETTERS: usize = 100_000;

impl App {
    /// Types as much of this text as there is room for, without control characters. A line break within it is a blank.
    pub(crate) fn type_words(&mut self, words: &str) -> Vec<Effect> {
        let context = self.key_context();
        if !context.types_words() {
            return vec![];
        }
        let room = max_letters(context).saturating_sub(self.open_line(context).chars().count());
        let words = words.trim_end_matches(['\r', '\n']).replace("\r\n", "\n");
        let blank = |c: char| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c };
        let mut letters = words.chars().map(blank).filter(|c| !c.is_control());
        let fitting: String = letters.by_ref().take(room).collect();
        self.shell.is_line_full = letters.next().is_some();
        match fitting.is_empty() {
            true => vec![],
            false => self.apply_message(type_message(context, fitting)),
        }
    }

    /// Returns why not all that was typed or pasted is in the line; None when it is.
    pub(crate) fn line_full_notice(&self) -> Option<String> {
        self.shell.is_line_full.then(|| {
            format!(
                "the line is full: only the first {} characters were inserted",
                max_letters(self.key_context())
            )
        })
    }

    /// Returns the text of the open line; empty when none is open.
    fn open_line(&self, context: KeyContext) -> &str {
        let open = self.screens.open_run();
        let line = match context {
            KeyContext::Palette => self.shell.palette.as_ref().map(|palette| &*palette.text),
            KeyContext::OverlayFind => self.overlay.as_ref().map(|overlay| &*overlay.search.text),
            KeyContext::LivePrompt => {
                self.screens.shown_live().and_then(|live| Some(&*live.input.prompt.as_ref()?.text))
            }
            KeyContext::Filter | KeyContext::Start | KeyContext::StartFilter => {
                self.screens.shown_table().and_then(|table| Some(&*table.prompt.as_ref()?.text))
            }
            KeyContext::Where => {
                let table = self.screens.shown_table();
                table.and_then(|table| Some(&*table.shape.expression.prompt.as_ref()?.text))
            }
            KeyContext::FindWords => {
                self.screens.shown_table().and_then(|table| Some(&*table.finding.as_ref()?.text))
            }
            KeyContext::FormText => {
                self.jobs.dialog.as_ref().and_then(|dialog| dialog.form.typing_line())
            }
            KeyContext::Prompt => {
                open.and_then(|open| Some(&*open.replay.search.prompt.as_ref()?.text))
            }
            KeyContext::Requests => open.and_then(|it| Some(&*it.replay.chooser.as_ref()?.filter)),
            KeyContext::RubricFind => open.map(|open| &*open.scores.tree.find.text),
            KeyContext::AuditWords => {
                open.and_then(|open| Some(open.audit.prompt.as_ref()?.prompt_line()?.1))
            }
            KeyContext::JudgePath => open.and_then(|open| open.judging.form.pane.typing_line()),
            _ => None,
        };
        line.unwrap_or_default()
    }
}

const fn max_letters(context: KeyContext) -> usize {
    match context {
        KeyContext::LivePrompt | KeyContext::FormText => MAX_REQUEST_LETTERS,
        _ => MAX_LINE_LETTERS,
    }
}

fn type_message(context: KeyContext, words: String) -> AppMessage {
    match context {
        KeyContext::Palette => {
            AppMessage::Shell(state::ShellMessage::Palette(palette::PaletteMessage::Type(words)))
        }
        KeyContext::OverlayFind => AppMessage::Overlay(overlay::OverlayMessage::Find(
            overlay::OverlaySearchMessage::Type(words),
        )),
        KeyContext::LivePrompt => AppMessage::Live(live::LiveMessage::Type(words)),
        KeyContext::FormText => {
            AppMessage::Jobs(jobs::JobsMessage::Form(views::form::FormMessage::Type(words)))
        }
        KeyContext::JudgePath => AppMessage::Judging(judge::JudgePaneMessage::Form(
            views::form::FormMessage::Type(words),
        )),
        KeyContext::AuditWords => AppMessage::Run(RunMessage::Audit(audit::AuditMessage::Words(
            audit::prompt::AuditPromptMessage::Type(words),
        ))),
        KeyContext::Filter | KeyContext::Start | KeyContext::StartFilter => {
            let message = table::prompt::FilterPromptMessage::Type(words);
            AppMessage::Collection(table::TableMessage::Prompt(message))
        }
        KeyContext::Where => {
            let message = table::expression::ExpressionMessage::Type(words);
            AppMessage::Collection(table::TableMessage::Where(message))
        }
        KeyContext::FindWords => {
            let message = table::run_finding::FindingMessage::Type(words);
            AppMessage::Collection(table::TableMessage::Find(message))
        }
        KeyContext::RubricFind => {
            let find =
                scores::tree::TreeMessage::Find(scores::tree::find::FindMessage::Type(words));
            AppMessage::Run(RunMessage::Scores(scores::ScoresMessage::Tree(find)))
        }
        KeyContext::Requests => AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::Choose(
            chooser::ChooserMessage::Type(words),
        ))),
        _ => AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::Search(
            search::SearchMessage::Type(words),
        ))),
    }
}
