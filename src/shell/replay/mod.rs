//! One run, open, and the place in it that is looked at.
//!
//! Turn, step and file are selected here; each panel's own state is in its file. After every message
//! [`Replay::settle`] brings the panels in step with the selection and [`Replay::ask`] asks for what is missing.

use std::sync::Arc;

mod asking;
mod growing;

use crate::{
    metrics::lifeline::judged_after,
    run::{
        Run, StepId,
        files::Change,
        rubric::Judgement,
        search::{Hit, Query},
    },
    session::{
        Session,
        ask::{Loading, Pending, Request},
        context::Context,
        digest::Lines,
        files::{DiffKey, Scope, Span, compared::Compared},
        place::Place,
        question::Answer,
        rubric::LookedAt,
        turns,
        views::{self, View},
    },
    views::{
        audit::{self, Audit},
        curves::{self, Curves, Part},
        judge::{self, Judging},
        replay::{
            base::{self, Bases},
            chooser::{self, Chooser},
            diff::{self, Diff, Follows},
            files::{self, Files},
            opening::Opening,
            playback::{self, Playback},
            search::{self, Outcome, Progress, Search},
            steps::{self, Item, Steps},
            tree::FileTree,
        },
        scores::{self, Scores, Shows},
    },
    widgets::{
        layout::{Layout, Panel},
        scroll::Motion,
    },
};

pub use crate::views::replay::looking::Edits;
pub use crate::views::replay::opening::Room;
pub use crate::views::replay::spot::{Outlook, Spot};

#[derive(Debug)]
pub struct Replay {
    /// What is known of the run.
    pub session: Session,
    pub focus: Panel,
    pub steps: Steps,
    pub files: Files,
    pub diff: Diff,
    pub playback: Playback,
    pub search: Search,
    /// Lines of unchanged text around a change.
    pub context: usize,
    pub bases: Bases,
    pub tree: FileTree,
    /// A search that was asked for and is not under way yet.
    looking_for: Option<Query>,
    /// A file to open at, until the files are known.
    pub(crate) opening: Option<Opening>,
    /// Where jumps came from, the last one last.
    pub(crate) departures: Vec<Spot>,
    texts: Pending<Item>,
    /// A list over the panels.
    pub chooser: Option<Chooser>,
    pub curves: Curves,
    pub scores: Scores,
    pub audit: Audit,
    pub judging: Judging,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Turns(turns::Message),
    Steps(steps::Message),
    Files(files::Message),
    Diff(diff::Message),
    Playback(playback::Message),
    Search(search::Message),
    /// In the focused panel.
    Move(Motion),
    Focus(Panel),
    FocusNext,
    FocusPrevious,
    /// Playback wants to move on.
    Beat,
    Base(base::Message),
    Edits(Edits),
    Choose(chooser::Message),
    /// Which kinds of steps are listed.
    List(steps::Kinds),
    /// Follow the recording, or no longer.
    Follow,
    View(views::Message),
    Curves(curves::Message),
    Scores(scores::Message),
    Audit(audit::Message),
    Judging(judge::Message),
}

impl Replay {
    /// Where the keyboard is while nothing lies over the views.
    pub fn context(&self) -> Context {
        match (self.session.view, self.curves.part) {
            (View::Replay | View::Collection | View::Compare | View::Live, _) => {
                context_of(self.focus)
            }
            (View::Curves, Part::Chart) => Context::Chart,
            (View::Curves, Part::Moved) => Context::Moved,
            (View::Scores, _) => self.scores.context(&self.session),
            (View::Audit, _) => self.audit.context(),
        }
    }

    pub fn of(run: Arc<Run>, place: &Place, room: Room) -> Self {
        let mut replay = Self {
            session: Session::of(run),
            focus: Panel::default(),
            steps: Steps::default(),
            files: Files::default(),
            diff: Diff::default(),
            playback: Playback::default(),
            search: Search::default(),
            context: diff::CONTEXT,
            bases: Bases::default(),
            tree: FileTree::default(),
            looking_for: None,
            opening: None,
            departures: vec![],
            texts: Pending::default(),
            chooser: None,
            curves: Curves::default(),
            scores: Scores::default(),
            audit: Audit::default(),
            judging: Judging::default(),
        };
        replay.scores.components.choose(place.component.clone());
        replay.audit.choose(place.component.clone());
        replay.audit.seed = place.seed;
        replay.session.view = place.view;
        replay.go_to(place, room);
        replay
    }

    pub fn update(&mut self, message: Message, layout: &Layout) {
        match message {
            Message::Turns(message) => {
                self.wish(message.wanted(self.session.turn));
                self.select_turn(message.from(&self.session.run, self.session.turn));
            }
            Message::Steps(message) => self.update_steps(message),
            Message::Files(message) => self.update_files(message),
            Message::Diff(message) => self.update_diff(message, layout),
            Message::Playback(message) => self.update_playback(&message),
            Message::Search(message) => {
                let outcome = self.search.update(message);
                self.follow(outcome);
            }
            Message::Move(motion) => self.go(motion, layout),
            Message::Focus(panel) => self.focus = panel,
            Message::FocusNext => self.focus = self.focus.next(),
            Message::FocusPrevious => self.focus = self.focus.previous(),
            Message::Beat => self.beat(),
            Message::Base(message) => self.update_base(&message),
            Message::Edits(message) => self.go_to_edit(&message),
            Message::Choose(message) => self.update_chooser(message, layout),
            Message::List(kinds) => self.choose_kinds(kinds),
            Message::Follow => self.follow_or_not(),
            Message::View(message) => match message.from(self.session.view) {
                Ok(view) => self.session.view = view,
                Err(why) => self.session.notice = Some(why),
            },
            Message::Curves(curves::Message::SwitchMarks) => self.show_marks_or_not(),
            Message::Curves(message) => {
                self.curves.update_curves(&mut self.session, message, layout)
            }
            Message::Scores(message) => {
                self.scores.update_scores(&mut self.session, message, layout)
            }
            Message::Audit(message) => self.audit.update_audit(&mut self.session, message, layout),
            Message::Judging(message) => {
                self.session.rubric.looked_at = self.looked_at();
                self.judging.update_judging(&mut self.session, message, layout);
            }
        }
        self.follow_turn();
        self.follow_opening();
    }

    /// Shows the turn that was selected.
    fn follow_turn(&mut self) {
        let Some(left) = self.session.follow.left.take() else { return };
        if left != self.session.turn {
            self.steps.show(&self.session.run, self.session.turn);
        }
        self.diff.follows = Follows::Turn;
    }

    /// Takes an answer; one to an older question is dropped.
    pub fn take(&mut self, request: Request, answer: Answer) {
        let Some(answer) = self.session.take(request, answer) else { return };
        match answer {
            Answer::Timeline(Ok(timeline)) if self.session.growth.timeline.is_answered(request) => {
                self.renew_timeline(timeline);
            }
            Answer::LineCounts(Ok(counts)) if self.session.growth.counts.is_answered(request) => {
                self.session.counts = Loading::Ready(counts);
            }
            Answer::Timeline(timeline) => {
                self.session.timeline.settle(request, timeline);
                self.open_file();
            }
            Answer::LineCounts(counts) => self.session.counts.settle(request, counts),
            Answer::StepText(text) | Answer::RequestText(text) => {
                if let Some(item) = self.texts.answered(request) {
                    self.steps.put_text(item, text);
                }
            }
            Answer::Search(rest) => {
                let (hits, progress) = match rest {
                    Ok(hits) => (hits, Progress::Done),
                    Err(why) => (vec![], Progress::Failed(why)),
                };
                let outcome = self.search.found(request, hits, progress, self.session.turn);
                self.follow(outcome);
            }
            Answer::SaveLabel(..) | Answer::Places(..) | Answer::Agreement(..) => {
                self.audit.take_for_audit(&mut self.session, request, answer)
            }
            Answer::JudgePlan(..)
            | Answer::Judges(..)
            | Answer::Models(..)
            | Answer::KeepJudge(..) => {
                self.judging.take_for_judging(&mut self.session, request, answer)
            }
            Answer::Scores(..)
            | Answer::Moved(..)
            | Answer::Rubric(..)
            | Answer::Reuse(..)
            | Answer::Lifelines(..)
            | Answer::Labels(..)
            | Answer::Diff(..)
            | Answer::ChangesBetween(..)
            | Answer::Blame(..)
            | Answer::Colours(..) => {} // the session takes these
            Answer::Judging(..)
            | Answer::Parties(..)
            | Answer::PartyScores(..)
            | Answer::Trees(..)
            | Answer::FileBetween(..)
            | Answer::FileText(..)
            | Answer::RunPaths(..)
            | Answer::Cards(..)
            | Answer::RunScores(..)
            | Answer::PairTests(..)
            | Answer::JobPlan(..)
            | Answer::Agents(..)
            | Answer::CheckpointTests(..) => {} // asked elsewhere
        }
    }

    /// Hits of a search that goes on.
    pub fn take_hits(&mut self, request: Request, hits: Vec<Hit>) {
        let outcome = self.search.found(request, hits, Progress::More, self.session.turn);
        self.follow(outcome);
    }

    /// Brings every panel in step with the selection.
    pub fn settle(&mut self, layout: &Layout) {
        self.follow_turn();
        self.follow_opening();
        let room = layout.room(Panel::Steps);
        self.steps.settle(usize::from(room.width), usize::from(room.height));
        let height = usize::from(layout.room(Panel::Diff).height);
        let (key, arrangement) = (self.diff_key(), self.arrangement(layout));
        self.diff.settle(key, &self.session.files, height, arrangement);
        self.tree
            .settle(self.session.turn, self.session.timeline.ready().map(|timeline| &**timeline));
        self.settle_chooser(layout);
        self.settle_follow();
        self.curves.settle_curves(&mut self.session, layout);
        self.scores.settle_scores(&mut self.session, layout);
        if self.session.view == views::View::Replay && layout.now.is_some() {
            self.session.note_standings_shown();
        }
        self.audit.settle_audit(&mut self.session, layout);
        if self.judging.is_open {
            self.session.rubric.looked_at = self.looked_at();
        }
        self.judging.settle_judging(&mut self.session, layout);
    }

    /// What the view that is on looks at of what the run is judged by.
    fn looked_at(&self) -> LookedAt {
        let judged = |judgement: &Judgement| judged_after(&self.session.run, judgement);
        let shown =
            || match self.scores.shown(&self.session)? {
                Shows::Components => judged(self.session.rubric.judgement()?),
                Shows::Judges => judged(self.scores.judges.judgement_of(
                    &self.session,
                    &self.scores.judges.judge_column(&self.session)?,
                )?),
                Shows::Flags => self.scores.flags.flag_state(&self.session)?.0.turn,
                Shows::Tree => None,
            };
        let done = match self.session.view {
            views::View::Scores => shown(),
            views::View::Audit => self.session.audited().and_then(judged),
            _ => None,
        };
        LookedAt {
            component: self.scores.components.component_row(&self.session).map(|row| row.id),
            done,
        }
    }

    /// Whose change the diff shows: the selected step's if steps were moved last and it changed files, else the turn's.
    pub fn scope(&self) -> Scope {
        let step = self.steps.selected().and_then(Item::step);
        match (self.diff.follows, step) {
            (Follows::Step, Some(step))
                if !self.session.changes_of(Scope::Step(step)).is_empty() =>
            {
                Scope::Step(step)
            }
            _ => self.bases.scope(&self.session.run, self.session.turn),
        }
    }

    /// The files that the list of files lists.
    pub fn changes(&self) -> &[Change] {
        self.session.changes_of(self.scope())
    }

    /// The selected file, and which of [`Self::changes`] it is.
    pub fn change(&self) -> Option<(usize, &Change)> {
        let changes = self.changes();
        let index = self.files.selected(changes);
        Some((index, changes.get(index)?))
    }

    /// Lines added and removed in a file of the list, once they are counted; as recorded where the recording has no
    /// contents to count.
    pub fn lines_of(&self, change: &Change) -> Option<Lines> {
        let key = DiffKey { scope: self.scope(), path: change.path.clone() };
        match self.session.files.compared(&key) {
            Some(Ok(compared)) => compared.lines(),
            Some(Err(_)) => None,
            None => self.counted(change).or_else(|| self.recorded(change)),
        }
    }

    fn counted(&self, change: &Change) -> Option<Lines> {
        let Scope::Turn(turn) = self.scope() else { return None };
        let at = self.changes().iter().position(|other| other == change)?;
        self.session.counts.ready()?.get(turn)?.get(at).copied().flatten().map(Lines::from)
    }

    fn recorded(&self, change: &Change) -> Option<Lines> {
        self.session.counts.ready()?;
        let is_here = Span::of(self.scope()).is_none();
        self.session
            .digests
            .get(self.session.turn)
            .filter(|_| is_here)?
            .files
            .get(&change.path)
            .copied()
    }

    pub(crate) fn select_turn(&mut self, turn: usize) {
        self.session.select_turn(turn);
        self.follow_turn();
    }

    fn update_steps(&mut self, message: steps::Message) {
        if message == steps::Message::Leave {
            return self.leave_steps();
        }
        if matches!(message, steps::Message::Next(_) | steps::Message::Previous(_)) {
            self.diff.follows = Follows::Step;
        }
        self.steps.update(message);
    }

    /// Remembers a turn that is not there, in case it comes.
    fn wish(&mut self, turn: Option<usize>) {
        self.session.growth.beyond = turn.filter(|turn| *turn >= self.session.run.turns.len());
    }

    fn go(&mut self, motion: Motion, layout: &Layout) {
        let height = usize::from(layout.room(self.focus).height);
        match self.focus {
            Panel::Turns => {
                self.wish(Some(motion.from(self.session.turn, usize::MAX, height)));
                let turn = motion.from(self.session.turn, self.session.run.turns.len(), height);
                self.select_turn(turn);
            }
            Panel::Files if self.tree.is_shown => self.tree.go(motion, height),
            Panel::Files => {
                let mut files = std::mem::take(&mut self.files);
                files.go(motion, self.changes(), height);
                self.files = files;
                self.keep_view();
            }
            Panel::Diff => self.diff.go(motion, height),
            Panel::Steps => {
                let before = self.steps.selected();
                self.steps.go(motion, height);
                if self.steps.selected() != before {
                    self.diff.follows = Follows::Step;
                }
            }
        }
    }

    pub(crate) fn follow(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Nothing => {}
            Outcome::Ask(query) => self.looking_for = Some(query),
            Outcome::Show => self.show_hit(),
            Outcome::List => {
                self.chooser =
                    Some(Chooser::of(chooser::Kind::Hits, self.search.current.unwrap_or_default()));
            }
            Outcome::ShowAndSay(words) => {
                self.show_hit();
                self.session.notice = Some(words.into());
            }
            Outcome::Say(words) => self.session.notice = Some(words),
        }
    }

    fn show_hit(&mut self) {
        let Some(hit) = self.search.current_hit().cloned() else { return };
        if hit.turn >= self.session.run.turns.len() {
            return;
        }
        self.session.view = views::View::Replay;
        self.select_turn(hit.turn);
        self.steps.go_to_hit(&hit);
        self.diff.follows = Follows::Step;
        self.focus = Panel::Steps;
    }

    /// What the diff panel has to show, if it has arrived.
    pub fn compared(&self) -> Option<&Result<Arc<Compared>, String>> {
        self.diff.cut_of(&self.session.files, &self.diff_key()?)
    }

    /// The selected step's number among the steps of the turn, counts from 1; 0 while the request is selected.
    pub fn step_number(&self) -> usize {
        self.steps.selected().and_then(Item::step).map_or(0, |step| self.number_of(step))
    }

    pub fn step_count(&self) -> usize {
        self.steps.count()
    }

    /// A step's number among the steps of its turn, sub-agents' included; counts from 1.
    pub fn number_of(&self, step: StepId) -> usize {
        self.steps.position_of(step).map_or(0, |position| position + 1)
    }
}

/// Where the keyboard is while a panel of the replay has it.
pub const fn context_of(panel: Panel) -> Context {
    match panel {
        Panel::Turns => Context::Turns,
        Panel::Files => Context::Files,
        Panel::Diff => Context::Diff,
        Panel::Steps => Context::Steps,
    }
}
