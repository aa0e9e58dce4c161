//! Opens the list of every change to one thing, asks for it, and goes where it leads; its state is in `replay::past`.

use std::sync::Arc;

use crate::{
    session::{
        Session,
        effect::Effect,
        files::{Scope, compared::Row},
        question::Question,
        request::{Numbers, Request, Sentence},
    },
    views::{
        file_tree::Row as TreeRow,
        replay::{
            Replay,
            chooser::{Areas, Chooser, Kind},
            diff::{Follows, View},
            past::Message,
        },
    },
    widgets::{
        layout::{Layout, Panel},
        scroll::Scroll,
    },
};
use trajview_code::diff::LineKind;
use trajview_run::{
    RepoPath,
    files::{
        Moment,
        history::{History, Thing, Wanted},
    },
};

/// Opens the list for what is looked at.
pub(super) fn open(replay: &mut Replay, session: &mut Session) {
    match thing_here(replay, session) {
        Some((wanted, line)) => begin(replay, wanted, line),
        None => session.notice = Some("no file is selected; t in the files lists all".into()),
    }
}

fn begin(replay: &mut Replay, wanted: Wanted, line: Option<usize>) {
    replay.past.begin(wanted, line, false);
    replay.chooser = Some(Chooser::of(Kind::History, 0));
}

/// The file that is looked at and, in the diff, the line at the cursor; of a line that is gone the nearest below, else above.
fn thing_here(replay: &Replay, session: &Session) -> Option<(Wanted, Option<usize>)> {
    let tree_file = match replay.tree.selected() {
        Some(TreeRow::File { path, .. }) if replay.tree.is_shown => Some(path.clone()),
        _ => None,
    };
    if let Some(path) = tree_file.filter(|_| replay.focus == Panel::Files) {
        return Some((wanted(session, path, replay.moment(session), None), None));
    }
    let key = replay.diff_key(session)?;
    let moment = match key.scope {
        Scope::Step(step) => Moment::after_step(&session.run, step),
        Scope::Turn(turn) | Scope::Since { turn, .. } => Moment::after(turn + 1),
        Scope::At(moment) => moment,
    };
    let line = (replay.focus == Panel::Diff).then(|| line_here(replay)).flatten();
    Some((wanted(session, key.path, moment, line), line))
}

fn line_here(replay: &Replay) -> Option<usize> {
    let compared = replay.diff.current()?;
    let cursor = replay.diff.scroll.cursor.min(compared.rows.len());
    let (above, below) = compared.rows.split_at(cursor);
    let number = |row: &Row| compared.new_number(*row);
    below.iter().find_map(number).or_else(|| above.iter().rev().find_map(number))
}

/// A file that is gone by then is meant as it was last.
fn wanted(session: &Session, path: RepoPath, moment: Moment, line: Option<usize>) -> Wanted {
    let tree = session.timeline.ready().map(|timeline| timeline.tree_at(&session.run, moment));
    let is_there = tree.is_some_and(|tree| tree.files.contains_key(&path));
    let thing = line.filter(|_| is_there).map_or(Thing::File, Thing::Around);
    Wanted { path, thing, at: is_there.then_some(moment) }
}

pub(super) fn update(replay: &mut Replay, session: &mut Session, message: &Message, height: usize) {
    match message {
        Message::Switch => switch(replay, session),
        Message::Scroll(motion) => {
            let rows = replay.past.lines().map_or(0, |lines| lines.rows.len());
            let top = motion.from(replay.past.top, rows, height);
            replay.past.top = top.min(rows.saturating_sub(height));
        }
    }
}

fn switch(replay: &mut Replay, session: &mut Session) {
    let past = &mut replay.past;
    let (Some(wanted), Some(line)) = (past.wanted.clone(), past.line) else {
        session.notice =
            Some("opened at a line of the diff it lists the function around it".into());
        return;
    };
    let thing = match wanted.thing {
        Thing::File => Thing::Around(line),
        Thing::Around(_) | Thing::Symbol(_) => Thing::File,
    };
    past.want(Wanted { thing, ..wanted });
    replay.chooser = Some(Chooser::of(Kind::History, 0));
}

/// Asks for what the list shows, where it is open and nothing is known.
pub(super) fn ask(replay: &mut Replay, session: &Session, numbers: &mut Numbers) -> Option<Effect> {
    let is_open = replay.chooser.as_ref().is_some_and(|it| it.kind == Kind::History);
    let past = &mut replay.past;
    let wanted = past.wanted.clone().filter(|_| is_open && past.known.is_nothing())?;
    Some(past.known.ask(numbers, Question::History { run: session.run.clone(), wanted }))
}

/// Takes the answer; the last change up to the moment that the list was opened at is selected.
pub(super) fn take(
    replay: &mut Replay,
    session: &Session,
    request: Request,
    answer: Result<Arc<History>, Sentence>,
) {
    replay.past.known.settle(request, answer);
    let past = &replay.past;
    let here = match (past.known.ready(), past.wanted.as_ref().and_then(|wanted| wanted.at)) {
        (Some(history), Some(moment)) => history.last_at(&session.run, moment).unwrap_or_default(),
        _ => past.entries().len().saturating_sub(1),
    };
    if let Some(chooser) = replay.chooser.as_mut().filter(|it| it.kind == Kind::History) {
        chooser.scroll = Scroll { cursor: here, top: 0 };
    }
}

/// Brings the lines in step with the selection.
pub(super) fn settle(replay: &mut Replay, layout: &Layout) {
    let Some(chooser) = replay.chooser.as_ref().filter(|it| it.kind == Kind::History) else {
        return;
    };
    let cursor = chooser.scroll.cursor;
    let height = lines_height(replay, layout);
    replay.past.show(cursor, height);
}

/// Rows for the lines of a change; one is taken by its heading.
pub(super) fn lines_height(replay: &Replay, layout: &Layout) -> usize {
    let areas = Areas::of(Kind::History, replay.past.entries().len(), layout);
    usize::from(areas.below.height.saturating_sub(1))
}

/// Goes back to where the list was opened from, where that is another view.
pub(super) fn close(replay: &mut Replay, session: &mut Session) {
    if std::mem::take(&mut replay.past.goes_back) {
        replay.go_back(session);
    }
}

/// To the turn, the step and the lines of a change.
pub(super) fn go_to(replay: &mut Replay, session: &mut Session, at: usize) {
    let Some(entry) = replay.past.entries().get(at).cloned() else { return };
    replay.leave(session);
    replay.select_turn(session, entry.event.turn);
    match entry.event.step {
        Some(step) => replay.select_step_id(step),
        None => replay.diff.follows = Follows::Turn,
    }
    replay.files.want(entry.place.path.clone());
    replay.diff.view = View::Change;
    replay.focus = Panel::Diff;
    let hunks = entry.diff.text().map_or(&[][..], |diff| &diff.hunks);
    let first = hunks.iter().flat_map(|hunk| &hunk.lines).find(|it| it.kind != LineKind::Context);
    match first.map(|line| (line.new, line.old)) {
        Some((Some(line), _)) => replay.diff.aim_at(line),
        Some((None, Some(line))) => replay.diff.aim_at_old(line),
        _ => {}
    }
    session.notice = Some("backspace goes back".into());
}
