//! Going to the place a run is opened at.

use crate::{
    session::{
        self, Session,
        ask::Loading,
        digest::Digest,
        files::Scope,
        opening::{Aim, Target},
        place::Place,
        views::View,
    },
    views::replay::{
        Replay,
        chooser::{Chooser, Kind},
        diff::{Follows, View as DiffView},
        steps::Item,
    },
    widgets::layout::Panel,
};
use std::sync::Arc;
use trajview_run::{
    RepoPath, Run, StepId,
    files::{Timeline, TurnFiles},
    search::{Hit, HitPlace, Query},
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
        session.run.is_rubric_tree_alone()
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
        let named = place.turn.as_ref().and_then(|at| at.number_of_step(&session.run));
        if let Some(number) = named {
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
            Target::Step(step) => {
                self.select_turn(session, step.turn);
                self.steps.go_to(Item::Step(step));
                self.focus = Panel::Steps;
            }
            Target::Edit { step, path, aim } => {
                self.show_file(session, step.turn, path.clone(), aim);
                self.follow_turn(session);
                self.select_step_id(step);
                let edits = session.changes_of(Scope::Step(step));
                self.diff.view = match edits.iter().any(|change| change.path == path) {
                    true => DiffView::Change,
                    false => DiffView::File(path),
                };
            }
            Target::Found { hit, query } => self.show_found(session, &hit, query),
            Target::Change { path, aim } => {
                self.show_file(session, opening.turn, path, aim);
                self.diff.view = DiffView::Change;
            }
            Target::History { path, line } => {
                let aim = line.map(Aim::Line);
                self.show_file(session, opening.turn, path.clone(), aim);
                self.diff.view = DiffView::File(path.clone());
                self.past.begin_elsewhere(opening.turn, path, line);
                self.chooser = Some(Chooser::of(Kind::History, 0));
            }
            Target::File { path, aim } => {
                self.show_file(session, opening.turn, path.clone(), aim);
                self.diff.view = DiffView::File(path);
            }
        }
    }

    /// A step with its text unfolded at the hit; where it edits files, the hunk of its diff that has what was looked for.
    fn show_found(&mut self, session: &mut Session, hit: &Hit, query: Option<Query>) {
        self.select_turn(session, hit.turn.min(session.run.turns.len().saturating_sub(1)));
        self.steps.go_to_hit(hit);
        self.diff.follows = Follows::Step;
        self.diff.view = DiffView::Change;
        self.focus = Panel::Steps;
        let Some(query) = query else { return };
        let step = match hit.place {
            HitPlace::Step(step, _) => session.run.step(step),
            HitPlace::Request => None,
        };
        if let (Ok(regex), true) = (query.compile(), step.is_some_and(|it| !it.edits.is_empty())) {
            self.diff.aim_at_words(regex);
        }
        if self.search.seek(&query, hit.clone()) {
            self.looking_for = Some(query);
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

    /// Puts a run that has grown in the place of the old one. A playhead at the end stays there.
    pub fn grow(&mut self, session: &mut Session, run: Arc<Run>) {
        if *run == *session.run {
            return;
        }
        if let Some(chooser) = &mut self.chooser {
            chooser.look_again();
        }
        let goes_along = session.follow.is_on && self.is_at_end(session);
        let old = std::mem::replace(&mut session.run, run);
        let run = session.run.clone();
        let first = first_change(&old, &run);
        let turns = first.min(session.digests.len())..run.turns.len();
        session.digests.truncate(turns.start);
        session.digests.extend(turns.map(|turn| Digest::of(&run, &run.steps_of_turn(turn))));
        session.turn = session.turn.min(run.turns.len().saturating_sub(1));
        self.steps.grow(&run, session.turn, |item| has_changed(&old, &run, item));
        self.texts.forget(); // what is out was asked of the old run
        session.growth.timeline.is_wanted = true;
        session.growth.counts.is_wanted = true;
        session.growth.first = Some(session.growth.first.map_or(first, |before| before.min(first)));
        if let Loading::Failed(_) = session.timeline {
            session.timeline = Loading::Nothing;
        }
        if goes_along {
            self.go_to_end(session);
        }
    }

    /// Puts the whole run in the place of its beginning, and goes to the turn that was asked for in the meantime.
    pub fn complete(&mut self, session: &mut Session, run: Arc<Run>) {
        session.growth.is_whole = true;
        self.grow(session, run);
        if let Some(turn) = session.growth.beyond.take() {
            self.select_turn(session, turn.min(session.run.turns.len().saturating_sub(1)));
        }
        if let Some(query) = self.search.start_over() {
            self.looking_for = Some(query);
        }
    }

    /// Takes the files of a run that has grown. Comparisons of what was known before are worth nothing then.
    pub(crate) fn renew_timeline(&mut self, session: &mut Session, timeline: Arc<Timeline>) {
        if session.renew_timeline(timeline) {
            self.tree.forget();
        }
    }

    /// Follows the recording from its end, or no longer.
    pub(crate) fn follow_or_not(&mut self, session: &mut Session) {
        if session.follow.is_on && self.is_at_end(session) {
            session.follow.is_on = false;
            session.notice = Some("no longer following the recording".into());
            return;
        }
        session.follow.is_on = true;
        self.go_to_end(session);
    }

    pub(crate) fn go_to_end(&mut self, session: &mut Session) {
        self.select_turn(session, session.run.turns.len().saturating_sub(1));
        self.steps.select(usize::MAX);
        self.diff.follows = Follows::Turn;
    }

    /// Remembers how much has been seen while the playhead is at the end.
    pub(crate) fn settle_follow(&mut self, session: &mut Session) {
        if session.follow.is_on && self.is_at_end(session) {
            session.follow.see(session.end());
        }
    }

    /// Whether what is written next will be gone to.
    pub fn is_at_end(&self, session: &Session) -> bool {
        let is_last_step = self.steps.selected_index() + 1 >= self.steps.items.len();
        session.turn + 1 >= session.run.turns.len() && is_last_step
    }
}

/// The first turn that is not what it was; counts from 0.
fn first_change(old: &Run, new: &Run) -> usize {
    let same = |(old, new): &(_, _)| old == new;
    let turns = old.turns.iter().zip(&new.turns).take_while(same).count();
    let count = old.subagents.len().max(new.subagents.len());
    let is_changed = |index: &usize| old.subagents.get(*index) != new.subagents.get(*index);
    let parents = (0..count).filter(is_changed).filter_map(|index| {
        let agent = new.subagents.get(index).or_else(|| old.subagents.get(index));
        agent.map(|agent| agent.parent.map_or(0, |parent| parent.turn))
    });
    parents.fold(turns, usize::min)
}

fn has_changed(old: &Run, new: &Run, item: Item) -> bool {
    match item {
        Item::Layer(turn) => {
            let layer = |run: &Run| run.turns.get(turn).map(|turn| turn.layer.clone());
            layer(old) != layer(new)
        }
        Item::Request(turn) => {
            let request = |run: &Run| run.turns.get(turn).map(|turn| turn.request);
            request(old) != request(new)
        }
        Item::Step(id) => step_changed(old, new, id),
    }
}

fn step_changed(old: &Run, new: &Run, id: StepId) -> bool {
    old.step(id) != new.step(id)
}
