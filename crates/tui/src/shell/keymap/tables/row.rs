//! Functions that shorten the rows of the key tables.

use crate::{
    session::{context::KeyContext, turns, views},
    shell::{AppMessage, copy::CopyTarget, jobs, open_run::RunMessage, overlay, palette, state},
    views::{
        audit, compare, curves, form, judge, layers, live, process,
        replay::{self, chooser, diff, diff_base, files, playback, search, steps},
        scores::{self, components, flags, judges, tree},
        table,
    },
    widgets::{
        key::{BaseKey, Key},
        layout::ReplayPanel,
        scroll::Motion,
    },
};

use super::super::{CommandListing, KeyBinding, KeyCount};

pub(super) const fn row(
    context: KeyContext,
    keys: &'static [Key],
    help: &'static str,
    hint: &'static str,
    message: fn(KeyCount) -> AppMessage,
) -> KeyBinding {
    KeyBinding { context, keys, help, hint, message, listing: CommandListing::Listed }
}

pub(super) const fn c(c: char) -> Key {
    Key::from_char(c)
}

pub(super) const fn k(code: BaseKey) -> Key {
    Key::without_modifiers(code)
}

pub(super) const fn to_replay(message: replay::ReplayMessage) -> AppMessage {
    AppMessage::Run(RunMessage::Replay(message))
}

pub(super) const fn to_motion(motion: Motion) -> AppMessage {
    to_replay(replay::ReplayMessage::Move(motion))
}

pub(super) const fn to_scroll(motion: Motion) -> AppMessage {
    AppMessage::Overlay(overlay::OverlayMessage::Move(motion))
}

pub(super) const fn to_turns(message: turns::TurnMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Turns(message))
}

pub(super) const fn to_base(message: diff_base::BaseMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Base(message))
}

pub(super) const fn to_steps(message: steps::StepsMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Steps(message))
}

pub(super) const fn to_files(message: files::FileListMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Files(message))
}

pub(super) const fn to_diff(message: diff::DiffMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Diff(message))
}

pub(super) const fn to_playback(message: playback::PlaybackMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Playback(message))
}

pub(super) const fn to_search(message: search::SearchMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Search(message))
}

pub(super) const fn to_chooser(message: chooser::ChooserMessage) -> AppMessage {
    to_replay(replay::ReplayMessage::Choose(message))
}

pub(super) const fn to_kinds(kinds: steps::StepFilter) -> AppMessage {
    to_replay(replay::ReplayMessage::FilterSteps(kinds))
}

pub(super) const fn open_overlay(kind: overlay::OverlayKind) -> AppMessage {
    AppMessage::Overlay(overlay::OverlayMessage::Open(kind))
}

pub(super) const fn to_overlay_search(message: overlay::OverlaySearchMessage) -> AppMessage {
    AppMessage::Overlay(overlay::OverlayMessage::Find(message))
}

pub(super) const fn to_shell(message: state::ShellMessage) -> AppMessage {
    AppMessage::Shell(message)
}

pub(super) const fn to_palette(message: palette::PaletteMessage) -> AppMessage {
    to_shell(state::ShellMessage::Palette(message))
}

pub(super) const fn to_view(message: views::ViewMessage) -> AppMessage {
    AppMessage::View(message)
}

pub(super) const fn to_curves(message: curves::CurvesMessage) -> AppMessage {
    AppMessage::Run(RunMessage::Curves(message))
}

pub(super) const fn to_process(message: process::ProcessMessage) -> AppMessage {
    AppMessage::Run(RunMessage::Process(message))
}

pub(super) const fn to_layers(message: layers::LayersMessage) -> AppMessage {
    AppMessage::Run(RunMessage::Layers(message))
}

pub(super) const fn to_table(message: table::TableMessage) -> AppMessage {
    AppMessage::Collection(message)
}

pub(super) const fn to_table_prompt(message: table::prompt::FilterPromptMessage) -> AppMessage {
    to_table(table::TableMessage::Prompt(message))
}

pub(super) const fn to_expression(message: table::expression::ExpressionMessage) -> AppMessage {
    to_table(table::TableMessage::Where(message))
}

pub(super) const fn to_finding(message: table::run_finding::FindingMessage) -> AppMessage {
    to_table(table::TableMessage::Find(message))
}

pub(super) const fn to_scores(message: scores::ScoresMessage) -> AppMessage {
    AppMessage::Run(RunMessage::Scores(message))
}

pub(super) const fn to_components(message: components::ComponentsMessage) -> AppMessage {
    to_scores(scores::ScoresMessage::Components(message))
}

pub(super) const fn to_judges(message: judges::JudgesMessage) -> AppMessage {
    to_scores(scores::ScoresMessage::Judges(message))
}

pub(super) const fn to_flags(message: flags::FlagsMessage) -> AppMessage {
    to_scores(scores::ScoresMessage::Flags(message))
}

pub(super) const fn to_tree(message: tree::TreeMessage) -> AppMessage {
    to_scores(scores::ScoresMessage::Tree(message))
}

pub(super) const fn to_comparison(message: compare::CompareMessage) -> AppMessage {
    AppMessage::Compare(message)
}

pub(super) const fn copy_target(what: CopyTarget) -> AppMessage {
    to_shell(state::ShellMessage::Copy(what))
}

pub(super) const fn focus_panel(panel: ReplayPanel) -> AppMessage {
    to_replay(replay::ReplayMessage::Focus(panel))
}

/// Columns that the diff moves sideways by.
pub(super) const SIDEWAYS: usize = 8;

pub(super) const fn to_audit(message: audit::AuditMessage) -> AppMessage {
    AppMessage::Run(RunMessage::Audit(message))
}

pub(super) const fn to_live(message: live::LiveMessage) -> AppMessage {
    AppMessage::Live(message)
}

pub(super) const fn to_jobs(message: jobs::JobsMessage) -> AppMessage {
    AppMessage::Jobs(message)
}

pub(super) const fn to_form(message: form::FormMessage) -> AppMessage {
    to_jobs(jobs::JobsMessage::Form(message))
}

pub(super) const fn to_job_list(message: jobs::job_list::JobListMessage) -> AppMessage {
    to_jobs(jobs::JobsMessage::List(message))
}

pub(super) const fn to_judging(message: judge::JudgePaneMessage) -> AppMessage {
    AppMessage::Judging(message)
}
