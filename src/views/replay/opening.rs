//! Going to the place a run is opened at.

use crate::{
    run::{RepoPath, files::TurnFiles},
    session::{
        self, Session,
        opening::{Aim, Target},
        place::Place,
        views::View,
    },
    views::replay::{
        Replay,
        diff::{Follows, View as DiffView},
        steps::Item,
    },
    widgets::layout::Panel,
};

/// A file asked for by name.
#[derive(Debug)]
pub struct Opening {
    pub path: RepoPath,
    /// Whether a turn was asked for too.
    pub has_turn: bool,
}

/// What the screen shows at once when a run is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    AllPanels,
    OnePanel,
}

impl Replay {
    /// Whether it is no recording but a rubric tree alone.
    pub fn has_tree_only(&self, session: &Session) -> bool {
        session.run.turns.is_empty() && session.run.rubric_tree.is_some()
    }

    pub(crate) fn go_to(&mut self, session: &mut Session, place: &Place, room: Room) {
        match place.turn.as_ref().map(|at| at.turn_of(&session.run)) {
            Some(Ok(turn)) => session.turn = turn,
            Some(Err(why)) => session.notice = Some(why),
            None => {}
        }
        if self.has_tree_only(session) && session.view == View::Replay {
            session.view = View::Scores; // there is nothing to play back
        }
        self.steps.show(&session.run, session.turn);
        if place.turn.is_some() && room == Room::OnePanel {
            self.focus = Panel::Diff; // who names a turn wants to see what it did
        }
        if place.follows {
            session.follow.is_on = true;
            self.go_to_end(session);
        }
        if let Some(number) = place.step {
            self.select_step(number);
        }
        if let Some(path) = place.file.as_deref().and_then(RepoPath::new) {
            self.files.want(path.clone());
            self.focus = Panel::Diff;
            self.opening = Some(Opening { path, has_turn: place.turn.is_some() });
        }
        if let Some(line) = place.line {
            self.diff.aim_at(line);
        }
    }

    /// Goes to the place that a view led to, if any; backspace comes back from there.
    pub(crate) fn follow_opening(&mut self, session: &mut Session) {
        let Some(opening) = session.take_opening() else { return };
        self.leave(session);
        if let Some(base) = opening.base {
            self.bases.lend(base, session.view);
        }
        self.show_opening(session, opening);
    }

    pub(crate) fn show_opening(
        &mut self,
        session: &mut Session,
        opening: session::opening::Opening,
    ) {
        session.view = View::Replay;
        match opening.target {
            Target::Turn => {}
            Target::Request => {
                self.select_turn(session, opening.turn);
                self.steps.select(0);
                self.diff.view = DiffView::Change;
                self.focus = Panel::Steps;
            }
            Target::Change { path, aim } => {
                self.show_file(session, opening.turn, path, aim);
                self.diff.view = DiffView::Change;
            }
            Target::File { path, aim } => {
                self.show_file(session, opening.turn, path.clone(), aim);
                self.diff.view = DiffView::File(path);
            }
        }
    }

    fn show_file(&mut self, session: &mut Session, turn: usize, path: RepoPath, aim: Option<Aim>) {
        self.select_turn(session, turn);
        self.files.want(path);
        self.focus = Panel::Diff;
        match aim {
            Some(Aim::Line(line)) => self.diff.aim_at(line),
            Some(Aim::Old(line)) => self.diff.aim_at_old(line),
            Some(Aim::Within(first, last)) => self.diff.aim_within(first, last),
            None => {}
        }
    }

    /// Where only a file was asked for, goes to the last turn that changed it; says so where there is none.
    pub(crate) fn open_file(&mut self, session: &mut Session) {
        let (Some(timeline), Some(opening)) = (session.timeline.ready(), self.opening.take())
        else {
            return;
        };
        let changed = |turn: &TurnFiles| turn.changes.iter().any(|it| it.path == opening.path);
        let is_here = timeline.turns.get(session.turn).is_some_and(changed);
        let last = timeline.turns.iter().rposition(changed);
        match last {
            Some(turn) if !opening.has_turn => self.select_turn(session, turn),
            Some(_) if is_here => {}
            Some(last) => {
                let (path, last) = (&opening.path, last + 1);
                session.notice =
                    Some(format!("{path} does not change here, but last in turn {last}"));
            }
            None => session.notice = Some(format!("no turn changes {}", opening.path)),
        }
    }

    /// Selects a step by its number in the turn, which counts from 1 and leaves the request out.
    fn select_step(&mut self, number: usize) {
        let last = self.steps.count().saturating_sub(1);
        if let Some(id) = self.steps.at(number.saturating_sub(1).min(last)) {
            self.steps.go_to(Item::Step(id));
        }
        self.diff.follows = Follows::Step;
        self.focus = Panel::Steps;
    }
}
