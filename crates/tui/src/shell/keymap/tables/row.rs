//! Functions that shorten the rows of the key tables.

use crate::{
    session::{context::KeyContext, timeline, turns, views},
    shell::{AppMessage, copy::CopyTarget, jobs, open_run::RunMessage, overlay, palette, state},
    views::{
        audit, compare, curves, form, judge, layers, live, process,
        replay::{self, chooser, diff, diff_base, files, playback, search, steps},
        scores::{self, components, crash, flags, judges, losses, tree},
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
    id: &'static str,
    keys: &'static [Key],
    help: &'static str,
    hint: &'static str,
    message: fn(KeyCount) -> AppMessage,
) -> KeyBinding {
    KeyBinding { context, id, keys, help, hint, message, listing: CommandListing::Listed }
}

pub(super) const fn c(c: char) -> Key {
    Key::from_char(c)
}

pub(super) const fn k(code: BaseKey) -> Key {
    Key::without_modifiers(code)
}

/// Columns that the diff moves sideways by.
pub(super) const SIDEWAYS: usize = 8;

/// Defines the functions that wrap the message of a part of the screen: their name and message, and what wraps it from
/// the outside in.
macro_rules! wrappers {
    ($($name:ident($message:ty) = $outer:path $(, $inner:path)?;)*) => {
        $(pub(super) const fn $name(message: $message) -> AppMessage {
            $outer($($inner)?(message))
        })*
    };
}

wrappers! {
    to_replay(replay::ReplayMessage) = AppMessage::Run, RunMessage::Replay;
    to_motion(Motion) = to_replay, replay::ReplayMessage::Move;
    to_scroll(Motion) = AppMessage::Overlay, overlay::OverlayMessage::Move;
    to_turns(turns::TurnMessage) = to_replay, replay::ReplayMessage::Turns;
    to_base(diff_base::BaseMessage) = to_replay, replay::ReplayMessage::Base;
    to_steps(steps::StepsMessage) = to_replay, replay::ReplayMessage::Steps;
    to_files(files::FileListMessage) = to_replay, replay::ReplayMessage::Files;
    to_diff(diff::DiffMessage) = to_replay, replay::ReplayMessage::Diff;
    to_playback(playback::PlaybackMessage) = to_replay, replay::ReplayMessage::Playback;
    to_search(search::SearchMessage) = to_replay, replay::ReplayMessage::Search;
    to_chooser(chooser::ChooserMessage) = to_replay, replay::ReplayMessage::Choose;
    to_kinds(steps::StepFilter) = to_replay, replay::ReplayMessage::FilterSteps;
    open_overlay(overlay::OverlayKind) = AppMessage::Overlay, overlay::OverlayMessage::Open;
    to_overlay_search(overlay::OverlaySearchMessage) = AppMessage::Overlay, overlay::OverlayMessage::Find;
    to_shell(state::ShellMessage) = AppMessage::Shell;
    to_timeline(timeline::TimelineMessage) = AppMessage::Timeline;
    to_palette(palette::PaletteMessage) = to_shell, state::ShellMessage::Palette;
    to_view(views::ViewMessage) = AppMessage::View;
    to_curves(curves::CurvesMessage) = AppMessage::Run, RunMessage::Curves;
    to_process(process::ProcessMessage) = AppMessage::Run, RunMessage::Process;
    to_layers(layers::LayersMessage) = AppMessage::Run, RunMessage::Layers;
    to_table(table::TableMessage) = AppMessage::Collection;
    to_table_prompt(table::prompt::FilterPromptMessage) = to_table, table::TableMessage::Prompt;
    to_expression(table::expression::ExpressionMessage) = to_table, table::TableMessage::Where;
    to_finding(table::run_finding::FindingMessage) = to_table, table::TableMessage::Find;
    to_scores(scores::ScoresMessage) = AppMessage::Run, RunMessage::Scores;
    to_components(components::ComponentsMessage) = to_scores, scores::ScoresMessage::Components;
    to_judges(judges::JudgesMessage) = to_scores, scores::ScoresMessage::Judges;
    to_crash(crash::CrashMessage) = to_scores, scores::ScoresMessage::Crash;
    to_losses(losses::LossesMessage) = to_scores, scores::ScoresMessage::Losses;
    to_flags(flags::FlagsMessage) = to_scores, scores::ScoresMessage::Flags;
    to_tree(tree::TreeMessage) = to_scores, scores::ScoresMessage::Tree;
    to_comparison(compare::CompareMessage) = AppMessage::Compare;
    copy_target(CopyTarget) = to_shell, state::ShellMessage::Copy;
    focus_panel(ReplayPanel) = to_replay, replay::ReplayMessage::Focus;
    to_audit(audit::AuditMessage) = AppMessage::Run, RunMessage::Audit;
    to_live(live::LiveMessage) = AppMessage::Live;
    to_player(live::player::PlayerMessage) = to_live, live::LiveMessage::Player;
    to_jobs(jobs::JobsMessage) = AppMessage::Jobs;
    to_form(form::FormMessage) = to_jobs, jobs::JobsMessage::Form;
    to_job_list(jobs::job_list::JobListMessage) = to_jobs, jobs::JobsMessage::List;
    to_judging(judge::JudgePaneMessage) = AppMessage::Judging;
}
