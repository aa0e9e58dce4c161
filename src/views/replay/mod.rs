//! A run turn by turn: its turns, the files a turn changed, their differences, its steps; playback and search.

mod asking;
pub mod base;
pub mod chooser;
pub mod choosing;
pub mod diff;
pub mod draw;
pub mod files;
mod growing;
pub mod looking;
pub mod marks;
pub mod now;
pub mod opening;
pub mod playback;
pub mod playing;
pub mod pointing;
pub mod search;
pub mod spot;
pub mod steps;
pub mod stops;

use std::sync::Arc;

use crate::{
    run::{
        StepId,
        files::Change,
        search::{Hit, Query},
    },
    session::{
        Session,
        ask::{Loading, Pending},
        context::Context,
        digest::Lines,
        files::{DiffKey, Scope, Span, compared::Compared},
        question::Answer,
        request::Request,
        turns,
        views::View,
    },
    views::file_tree::FileTree,
    widgets::{
        layout::{Layout, Panel},
        scroll::Motion,
    },
};

use base::Bases;
use chooser::Chooser;
use diff::{Diff, Follows};
use files::Files;
use opening::Opening;
use playback::Playback;
use search::{Outcome, Progress, Search};
use spot::Spot;
use steps::{Item, Steps};

pub use looking::Edits;

/// What is looked at of the run turn by turn: each panel's own state is in its file.
#[derive(Debug)]
pub struct Replay {
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
    opening: Option<Opening>,
    /// Where jumps came from, the last one last.
    departures: Vec<Spot>,
    texts: Pending<Item>,
    /// A list over the panels.
    pub chooser: Option<Chooser>,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
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
        }
    }
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
    /// Marks beside the lines of the diff, or none.
    SwitchMarks,
    /// Follow the recording, or no longer.
    Follow,
}

impl Replay {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        match message {
            Message::Turns(message) => {
                self.wish(session, message.wanted(session.turn));
                self.select_turn(session, message.from(&session.run, session.turn));
            }
            Message::Steps(message) => self.update_steps(session, message),
            Message::Files(message) => self.update_files(session, message),
            Message::Diff(message) => self.update_diff(session, message, layout),
            Message::Playback(message) => self.update_playback(session, &message),
            Message::Search(message) => {
                let outcome = self.search.update(message);
                self.follow(session, outcome);
            }
            Message::Move(motion) => self.go(session, motion, layout),
            Message::Focus(panel) => self.focus = panel,
            Message::FocusNext => self.focus = self.focus.next(),
            Message::FocusPrevious => self.focus = self.focus.previous(),
            Message::Beat => self.beat(session),
            Message::Base(message) => self.update_base(session, &message),
            Message::Edits(message) => self.go_to_edit(session, &message),
            Message::Choose(message) => self.update_chooser(session, message, layout),
            Message::List(kinds) => self.choose_kinds(kinds),
            Message::SwitchMarks => self.show_marks_or_not(session),
            Message::Follow => self.follow_or_not(session),
        }
    }

    /// Shows the turn that was selected.
    pub(crate) fn follow_turn(&mut self, session: &mut Session) {
        let Some(left) = session.follow.left.take() else { return };
        if left != session.turn {
            self.steps.show(&session.run, session.turn);
        }
        self.diff.follows = Follows::Turn;
    }

    /// Takes the answer to a question of its own; one to an older question is dropped.
    pub fn take(&mut self, session: &mut Session, request: Request, answer: Answer) {
        match answer {
            Answer::Timeline(Ok(timeline)) if session.growth.timeline.is_answered(request) => {
                self.renew_timeline(session, timeline);
            }
            Answer::LineCounts(Ok(counts)) if session.growth.counts.is_answered(request) => {
                session.counts = Loading::Ready(counts);
            }
            Answer::Timeline(timeline) => {
                session.timeline.settle(request, timeline);
                self.open_file(session);
            }
            Answer::LineCounts(counts) => session.counts.settle(request, counts),
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
                let outcome = self.search.found(request, hits, progress, session.turn);
                self.follow(session, outcome);
            }
            _ => {} // asked elsewhere
        }
    }

    /// Hits of a search that goes on.
    pub fn take_hits(&mut self, session: &mut Session, request: Request, hits: Vec<Hit>) {
        let outcome = self.search.found(request, hits, Progress::More, session.turn);
        self.follow(session, outcome);
    }

    /// Brings every panel in step with the selection.
    pub fn settle(&mut self, session: &mut Session, layout: &Layout) {
        let room = layout.room(Panel::Steps);
        self.steps.settle(usize::from(room.width), usize::from(room.height));
        let height = usize::from(layout.room(Panel::Diff).height);
        let (key, arrangement) = (self.diff_key(session), self.arrangement(layout));
        self.diff.settle(key, &session.files, height, arrangement);
        let timeline = session.timeline.ready().map(|timeline| &**timeline);
        self.tree.settle(session.turn, timeline);
        self.settle_chooser(session, layout);
        self.settle_follow(session);
        if session.view == View::Replay && layout.now.is_some() {
            session.note_standings_shown();
        }
    }

    /// Whose change the diff shows: the selected step's if steps were moved last and it changed files, else the turn's.
    pub fn scope(&self, session: &Session) -> Scope {
        let step = self.steps.selected().and_then(Item::step);
        match (self.diff.follows, step) {
            (Follows::Step, Some(step)) if !session.changes_of(Scope::Step(step)).is_empty() => {
                Scope::Step(step)
            }
            _ => self.bases.scope(&session.run, session.turn),
        }
    }

    /// The files that the list of files lists.
    pub fn changes<'s>(&self, session: &'s Session) -> &'s [Change] {
        session.changes_of(self.scope(session))
    }

    /// The selected file, and which of [`Self::changes`] it is.
    pub fn change<'s>(&self, session: &'s Session) -> Option<(usize, &'s Change)> {
        let changes = self.changes(session);
        let index = self.files.selected(changes);
        Some((index, changes.get(index)?))
    }

    /// Lines added and removed in a file of the list, once they are counted; as recorded where the recording has no
    /// contents to count.
    pub fn lines_of(&self, session: &Session, change: &Change) -> Option<Lines> {
        let key = DiffKey { scope: self.scope(session), path: change.path.clone() };
        match session.files.compared(&key) {
            Some(Ok(compared)) => compared.lines(),
            Some(Err(_)) => None,
            None => self.counted(session, change).or_else(|| self.recorded(session, change)),
        }
    }

    fn counted(&self, session: &Session, change: &Change) -> Option<Lines> {
        let Scope::Turn(turn) = self.scope(session) else { return None };
        let at = self.changes(session).iter().position(|other| other == change)?;
        session.counts.ready()?.get(turn)?.get(at).copied().flatten().map(Lines::from)
    }

    fn recorded(&self, session: &Session, change: &Change) -> Option<Lines> {
        session.counts.ready()?;
        let is_here = Span::of(self.scope(session)).is_none();
        session.digests.get(session.turn).filter(|_| is_here)?.files.get(&change.path).copied()
    }

    pub(crate) fn select_turn(&mut self, session: &mut Session, turn: usize) {
        session.select_turn(turn);
        self.follow_turn(session);
    }

    fn update_steps(&mut self, session: &mut Session, message: steps::Message) {
        if message == steps::Message::Leave {
            return self.leave_steps(session);
        }
        if matches!(message, steps::Message::Next(_) | steps::Message::Previous(_)) {
            self.diff.follows = Follows::Step;
        }
        self.steps.update(message);
    }

    /// Remembers a turn that is not there, in case it comes.
    fn wish(&mut self, session: &mut Session, turn: Option<usize>) {
        session.growth.beyond = turn.filter(|turn| *turn >= session.run.turns.len());
    }

    fn go(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let height = usize::from(layout.room(self.focus).height);
        match self.focus {
            Panel::Turns => {
                self.wish(session, Some(motion.from(session.turn, usize::MAX, height)));
                let turn = motion.from(session.turn, session.run.turns.len(), height);
                self.select_turn(session, turn);
            }
            Panel::Files if self.tree.is_shown => self.tree.go(motion, height),
            Panel::Files => {
                let mut files = std::mem::take(&mut self.files);
                files.go(motion, self.changes(session), height);
                self.files = files;
                self.keep_view(session);
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

    pub(crate) fn follow(&mut self, session: &mut Session, outcome: Outcome) {
        match outcome {
            Outcome::Nothing => {}
            Outcome::Ask(query) => self.looking_for = Some(query),
            Outcome::Show => self.show_hit(session),
            Outcome::List => {
                self.chooser =
                    Some(Chooser::of(chooser::Kind::Hits, self.search.current.unwrap_or_default()));
            }
            Outcome::ShowAndSay(words) => {
                self.show_hit(session);
                session.notice = Some(words.into());
            }
            Outcome::Say(words) => session.notice = Some(words),
        }
    }

    fn show_hit(&mut self, session: &mut Session) {
        let Some(hit) = self.search.current_hit().cloned() else { return };
        if hit.turn >= session.run.turns.len() {
            return;
        }
        session.view = View::Replay;
        self.select_turn(session, hit.turn);
        self.steps.go_to_hit(&hit);
        self.diff.follows = Follows::Step;
        self.focus = Panel::Steps;
    }

    /// What the diff panel has to show, if it has arrived.
    pub fn compared<'s>(
        &'s self,
        session: &'s Session,
    ) -> Option<&'s Result<Arc<Compared>, String>> {
        self.diff.cut_of(&session.files, &self.diff_key(session)?)
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
