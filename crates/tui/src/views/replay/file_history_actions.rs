//! Opens the list of every change to one file or function, asks for its entries, and goes to one of them; its state is
//! in `replay::file_history`.

use std::sync::Arc;

use crate::{
    session::{
        Session,
        effect::Effect,
        files::{DiffScope, compared_file::DiffRow},
        question::Question,
        request::{RequestId, RequestIds, Sentence},
    },
    views::{
        file_tree::FileTreeRow as TreeRow,
        replay::{
            ReplayView,
            chooser::{ChooserAreas, ChooserKind, ReplayChooser},
            diff::{DiffContent, DiffFollows},
            file_history::HistoryMessage,
        },
    },
    widgets::{
        layout::{ReplayPanel, ScreenLayout},
        pane::PaneRoom,
    },
};
use trajview_code::diff::LineKind;
use trajview_run::{
    RepoPath,
    files::{
        RunMoment,
        history::{ChangeHistory, HistoryQuery, HistorySubject},
    },
};

/// Opens the list for the selected file or line.
pub(super) fn open_history(replay: &mut ReplayView, session: &mut Session) {
    match history_target(replay, session) {
        Some((wanted, line)) => begin_history(replay, wanted, line),
        None => session.notice = Some("no file is selected; t in the files lists all".into()),
    }
}

fn begin_history(replay: &mut ReplayView, wanted: HistoryQuery, line: Option<usize>) {
    replay.file_history.begin_query(wanted, line, false);
    replay.chooser = Some(ReplayChooser::new(ChooserKind::History, 0));
}

/// Returns the selected file and, in the diff, the line at the cursor; for a deleted line the nearest line below, else
/// above.
fn history_target(replay: &ReplayView, session: &Session) -> Option<(HistoryQuery, Option<usize>)> {
    let tree_file = match replay.tree.selected_row() {
        Some(TreeRow::File { path, .. }) if replay.tree.is_shown => Some(path.clone()),
        _ => None,
    };
    if let Some(path) = tree_file.filter(|_| replay.focus == ReplayPanel::Files) {
        return Some((history_query(session, path, replay.shown_moment(session), None), None));
    }
    let key = replay.diff_key(session)?;
    let moment = match key.scope {
        DiffScope::Step(step) => RunMoment::after_step(&session.run, step),
        DiffScope::Turn(turn) | DiffScope::Since { turn, .. } => RunMoment::after_turns(turn + 1),
        DiffScope::At(moment) => moment,
    };
    let line = (replay.focus == ReplayPanel::Diff).then(|| line_here(replay)).flatten();
    Some((history_query(session, key.path, moment, line), line))
}

/// Returns the number of the line at the cursor in the new text, else that of the nearest row with one, those below it
/// first.
fn line_here(replay: &ReplayView) -> Option<usize> {
    let compared = replay.diff.current_comparison()?;
    let cursor = replay.diff.list.cursor().min(compared.rows.len());
    let (above, below) = compared.rows.split_at(cursor);
    let number = |row: &DiffRow| compared.new_number(*row);
    below.iter().find_map(number).or_else(|| above.iter().rev().find_map(number))
}

/// Returns the query for a file; where it does not exist at the moment, for its last version.
fn history_query(
    session: &Session,
    path: RepoPath,
    moment: RunMoment,
    line: Option<usize>,
) -> HistoryQuery {
    let tree = session.timeline.ready().map(|timeline| timeline.tree_at(&session.run, moment));
    let is_there = tree.is_some_and(|tree| tree.files.contains_key(&path));
    let thing = line.filter(|_| is_there).map_or(HistorySubject::File, HistorySubject::AtLine);
    HistoryQuery { path, subject: thing, at: is_there.then_some(moment) }
}

pub(super) fn update_history(
    replay: &mut ReplayView,
    session: &mut Session,
    message: &HistoryMessage,
) {
    match message {
        HistoryMessage::Switch => switch_history_scope(replay, session),
        HistoryMessage::Scroll(motion) => replay.file_history.lines.scroll_by(*motion),
    }
}

fn switch_history_scope(replay: &mut ReplayView, session: &mut Session) {
    let past = &mut replay.file_history;
    let (Some(wanted), Some(line)) = (past.query.clone(), past.line) else {
        session.notice =
            Some("open it at a line of the diff for the function at the cursor".into());
        return;
    };
    let thing = match wanted.subject {
        HistorySubject::File => HistorySubject::AtLine(line),
        HistorySubject::AtLine(_) | HistorySubject::Symbol(_) => HistorySubject::File,
    };
    past.set_query(HistoryQuery { subject: thing, ..wanted });
    replay.chooser = Some(ReplayChooser::new(ChooserKind::History, 0));
}

/// Asks for what the list shows, where it is open and nothing is known.
pub(super) fn ask_history(
    replay: &mut ReplayView,
    session: &Session,
    numbers: &mut RequestIds,
) -> Option<Effect> {
    let is_open = replay.chooser.as_ref().is_some_and(|it| it.kind == ChooserKind::History);
    let past = &mut replay.file_history;
    let wanted = past.query.clone().filter(|_| is_open && past.loaded.is_nothing())?;
    Some(past.loaded.ask_question(numbers, Question::History { run: session.run.clone(), wanted }))
}

/// Takes the answer; the last change up to the moment that the list was opened at is selected.
pub(super) fn take_history(
    replay: &mut ReplayView,
    session: &Session,
    request: RequestId,
    answer: Result<Arc<ChangeHistory>, Sentence>,
) {
    replay.file_history.loaded.settle_with(request, answer);
    let past = &replay.file_history;
    let here = match (past.loaded.ready(), past.query.as_ref().and_then(|wanted| wanted.at)) {
        (Some(history), Some(moment)) => {
            history.last_change_at(&session.run, moment).unwrap_or_default()
        }
        _ => past.entries().len().saturating_sub(1),
    };
    if let Some(chooser) = replay.chooser.as_mut().filter(|it| it.kind == ChooserKind::History) {
        chooser.list.restart();
        chooser.list.choose(here);
    }
}

/// Brings the lines in step with the selection.
pub(super) fn settle_history(replay: &mut ReplayView, layout: &ScreenLayout) {
    let Some(chooser) = replay.chooser.as_ref().filter(|it| it.kind == ChooserKind::History) else {
        return;
    };
    let cursor = chooser.list.cursor();
    let areas =
        ChooserAreas::new(ChooserKind::History, replay.file_history.entries().len(), layout);
    let room = PaneRoom::without_border(areas.below).with_fixed_rows(1, 0); // below its heading
    replay.file_history.show_entry(cursor, room);
}

/// Goes back to where the list was opened from, where that is another view.
pub(super) fn close_history(replay: &mut ReplayView, session: &mut Session) {
    session.wants_previous_view = std::mem::take(&mut replay.file_history.goes_back);
}

/// Goes to the turn, the step and the lines of a change.
pub(super) fn go_to_entry(replay: &mut ReplayView, session: &mut Session, at: usize) {
    let Some(entry) = replay.file_history.entries().get(at).cloned() else { return };
    replay.remember_place(session);
    replay.select_turn(session, entry.event.turn);
    match entry.event.step {
        Some(step) => replay.select_step_id(step),
        None => replay.diff.follows = DiffFollows::Turn,
    }
    replay.files.select_path(entry.place.path.clone());
    replay.diff.view = DiffContent::Change;
    replay.focus = ReplayPanel::Diff;
    let hunks = entry.diff.text_diff().map_or(&[][..], |diff| &diff.hunks);
    let first = hunks.iter().flat_map(|hunk| &hunk.lines).find(|it| it.kind != LineKind::Context);
    match first.map(|line| (line.new, line.old)) {
        Some((Some(line), _)) => replay.diff.aim_at_new_line(line),
        Some((None, Some(line))) => replay.diff.aim_at_old_line(line),
        _ => {}
    }
    session.notice = Some("backspace returns".into());
}
