//! Going to the place a run is opened at.

use crate::{
    session::{
        self, Session,
        files::DiffScope,
        pending::Loading,
        replay_opening::{LineAim, OpeningTarget},
        start_place::StartPlace,
        turn_counts::TurnEditCounts,
        views::View,
    },
    views::replay::{
        ReplayView,
        activity::{has_only_messages, is_trial_without_log},
        chooser::{ChooserKind, ReplayChooser},
        diff::{DiffContent as DiffView, DiffFollows},
        update::has_panel,
    },
    widgets::layout::ReplayPanel,
};
use std::sync::Arc;
use trajview_run::{
    RecordPlace, RepoPath, Run,
    files::{Timeline, TurnFiles},
    search::{HitPlace, SearchHit, SearchQuery},
};

/// A file that was requested by name.
#[derive(Debug)]
pub struct RequestedFile {
    pub path: RepoPath,
    /// True where a turn was requested too.
    pub has_turn: bool,
}

/// The space of the panels when a run is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelSpace {
    AllPanels,
    OnePanel,
}

impl ReplayView {
    /// Returns whether the session is a rubric tree alone and not a recording.
    pub(crate) fn has_tree_only(&self, session: &Session) -> bool {
        session.run.is_rubric_tree_alone()
    }

    pub(crate) fn go_to_place(
        &mut self,
        session: &mut Session,
        place: &StartPlace,
        room: PanelSpace,
    ) {
        match place.turn.as_ref().map(|at| at.turn_index(&session.run)) {
            Some(Ok(turn)) => session.turn = turn,
            Some(Err(why)) => session.notice = Some(why),
            None => {}
        }
        if self.has_tree_only(session) && session.view == View::Replay {
            session.view = View::Scores; // there is nothing to play back
        }
        self.steps.show_turn(&session.run, session.turn);
        if place.turn.is_some() && room == PanelSpace::OnePanel {
            self.focus = ReplayPanel::Diff; // who names a turn wants to see what it did
        }
        if place.turn.is_none() && has_only_messages(session) {
            self.focus = ReplayPanel::Steps; // the list of actions is empty
        }
        if is_trial_without_log(&session.run) {
            let has_texts = has_panel(session, ReplayPanel::Steps);
            self.focus = if has_texts { ReplayPanel::Steps } else { ReplayPanel::Diff };
        }
        if place.follows {
            session.follow.is_following = true;
            self.go_to_end(session);
        }
        let named = place.turn.as_ref().and_then(|at| at.step_number(&session.run));
        if let Some(number) = named {
            self.select_step(number);
        }
        if let Some(path) = place.file.as_deref().and_then(RepoPath::new) {
            self.files.select_path(path.clone());
            self.focus = ReplayPanel::Diff;
            self.requested_file = Some(RequestedFile { path, has_turn: place.turn.is_some() });
        }
        if let Some(line) = place.line {
            self.diff.aim_at_new_line(line);
        }
    }

    /// Goes to the place that a view led to, if any.
    pub(crate) fn follow_opening(&mut self, session: &mut Session) {
        let Some(opening) = session.take_opening() else { return };
        match session.view {
            View::Replay => self.remember_place(session),
            _ => self.jump_origins.clear(), // going back leads to the other view
        }
        if let Some(base) = opening.base {
            self.bases.set_for_view(base, session.view);
        }
        self.show_opening(session, opening);
        if session.rubric.lifelines.last_loss.as_ref().is_some_and(|loss| loss.step.is_none()) {
            self.follow_turn(session);
            let step = self.step_number();
            session.rubric.lifelines.last_loss.iter_mut().for_each(|loss| loss.step = Some(step));
        }
    }

    pub(crate) fn show_opening(
        &mut self,
        session: &mut Session,
        opening: session::replay_opening::ReplayOpening,
    ) {
        session.view = View::Replay;
        match opening.target {
            OpeningTarget::Turn if opening.turn == session.turn => {}
            OpeningTarget::Turn => self.select_turn(session, opening.turn),
            OpeningTarget::Request => {
                self.select_turn(session, opening.turn);
                self.diff.view = DiffView::Change;
                self.focus = ReplayPanel::Request;
            }
            OpeningTarget::Step(step) => {
                self.select_turn(session, step.turn);
                self.steps.go_to_item(step);
                self.focus = ReplayPanel::Steps;
            }
            OpeningTarget::Edit { step, path, aim } => {
                self.show_file(session, step.turn, path.clone(), aim);
                self.follow_turn(session);
                self.select_step_id(step);
                let edits = session.changes_of(DiffScope::Step(step));
                self.diff.view = match edits.iter().any(|change| change.path == path) {
                    true => DiffView::Change,
                    false => DiffView::File(path),
                };
            }
            OpeningTarget::Found { hit, query } => self.show_hit_place(session, &hit, query),
            OpeningTarget::Change { path, aim } => {
                self.show_file(session, opening.turn, path, aim);
                self.diff.view = DiffView::Change;
            }
            OpeningTarget::History { path, line } => {
                let aim = line.map(LineAim::Line);
                self.show_file(session, opening.turn, path.clone(), aim);
                self.diff.view = DiffView::File(path.clone());
                self.file_history.begin_from_other_view(opening.turn, path, line);
                self.chooser = Some(ReplayChooser::new(ChooserKind::History, 0));
            }
            OpeningTarget::File { path, aim } => {
                self.show_file(session, opening.turn, path.clone(), aim);
                self.diff.view = DiffView::File(path);
            }
        }
    }

    /// Shows a step with its text unfolded at the hit; where it edits files, the hunk of its diff with the searched
    /// words.
    fn show_hit_place(
        &mut self,
        session: &mut Session,
        hit: &SearchHit,
        query: Option<SearchQuery>,
    ) {
        self.select_turn(session, hit.turn.min(session.run.turns.len().saturating_sub(1)));
        self.show_hit_text(hit);
        self.diff.view = DiffView::Change;
        let Some(query) = query else { return };
        let step = match hit.place {
            HitPlace::Step(step, _) => session.run.step(step),
            HitPlace::Request => None,
        };
        if let (Ok(regex), true) =
            (query.compile_pattern(), step.is_some_and(|it| !it.edits.is_empty()))
        {
            self.diff.aim_at_words(regex);
        }
        if self.search.start_at_hit(&query, hit.clone()) {
            self.pending_query = Some(query);
        }
    }

    fn show_file(
        &mut self,
        session: &mut Session,
        turn: usize,
        path: RepoPath,
        aim: Option<LineAim>,
    ) {
        self.select_turn(session, turn);
        self.files.select_path(path);
        self.focus = ReplayPanel::Diff;
        match aim {
            Some(LineAim::Line(line)) => self.diff.aim_at_new_line(line),
            Some(LineAim::Old(line)) => self.diff.aim_at_old_line(line),
            Some(LineAim::Within(first, last)) => self.diff.aim_within(first, last),
            None => {}
        }
    }

    /// Goes to the last turn that changed the requested file, where only a file was requested; gives a notice where
    /// there is none.
    pub(crate) fn open_requested_file(&mut self, session: &mut Session) {
        let (Some(timeline), Some(opening)) =
            (session.timeline.ready(), self.requested_file.take())
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
        let last = self.steps.step_count().saturating_sub(1);
        if let Some(id) = self.steps.step_at(number.saturating_sub(1).min(last)) {
            self.steps.go_to_item(id);
        }
        self.diff.follows = DiffFollows::Step;
        self.focus = ReplayPanel::Steps;
    }

    /// Puts a run that has grown in the place of the old one. A playhead at the end stays there.
    pub(crate) fn replace_run(&mut self, session: &mut Session, run: Arc<Run>) {
        if *run == *session.run {
            return;
        }
        if let Some(chooser) = &mut self.chooser {
            chooser.forget_matches();
        }
        let goes_along = session.follow.is_following && self.is_at_end(session);
        let old = std::mem::replace(&mut session.run, run);
        let run = session.run.clone();
        let first = first_changed_turn(&old, &run);
        let turns = first.min(session.turn_counts.len())..run.turns.len();
        session.turn_counts.truncate(turns.start);
        session
            .turn_counts
            .extend(turns.map(|turn| TurnEditCounts::for_steps(&run, &run.steps_of_turn(turn))));
        session.turn = session.turn.min(run.turns.len().saturating_sub(1));
        self.steps.replace_run(&run, session.turn, |step| old.step(step) != run.step(step));
        session.requests.forget_turns(|turn| asked_in(&old, turn) != asked_in(&run, turn));
        self.pending_texts.stop_waiting(); // what is out was asked of the old run
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

    /// Replaces the beginning of the run by the whole run, and goes to the turn that the user requested meanwhile.
    pub(crate) fn replace_with_whole_run(&mut self, session: &mut Session, run: Arc<Run>) {
        session.growth.is_whole = true;
        self.replace_run(session, run);
        if let Some(turn) = session.growth.beyond.take() {
            self.select_turn(session, turn.min(session.run.turns.len().saturating_sub(1)));
        }
        if let Some(query) = self.search.start_over() {
            self.pending_query = Some(query);
        }
    }

    /// Takes the files of a run that has grown. Comparisons of what was known before are worth nothing then.
    pub(crate) fn renew_timeline(&mut self, session: &mut Session, timeline: Arc<Timeline>) {
        if session.renew_timeline(timeline) {
            self.tree.forget_moment();
        }
    }

    /// Follows the recording from its end, or no longer.
    pub(crate) fn toggle_following(&mut self, session: &mut Session) {
        if session.follow.is_following && self.is_at_end(session) {
            session.follow.is_following = false;
            session.notice = Some("no longer following the recording".into());
            return;
        }
        session.follow.is_following = true;
        self.go_to_end(session);
    }

    pub(crate) fn go_to_end(&mut self, session: &mut Session) {
        self.select_turn(session, session.run.turns.len().saturating_sub(1));
        self.steps.select_item(usize::MAX);
        self.diff.follows = DiffFollows::Turn;
    }

    /// Remembers how much has been seen while the playhead is at the end.
    pub(crate) fn settle_follow(&mut self, session: &mut Session) {
        if session.follow.is_following && self.is_at_end(session) {
            session.follow.mark_seen(session.run_end());
        }
    }

    /// Returns whether the playhead is at the end, so that it follows new steps.
    pub fn is_at_end(&self, session: &Session) -> bool {
        session.turn + 1 >= session.run.turns.len() && self.is_at_last_step()
    }
}

/// Returns the first turn that changed; counts from 0.
fn first_changed_turn(old: &Run, new: &Run) -> usize {
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

/// Returns what identifies the request of a turn.
fn asked_in(run: &Run, turn: usize) -> Option<(&str, Option<RecordPlace>)> {
    let turn = run.turns.get(turn)?;
    Some((&turn.title, turn.request))
}
