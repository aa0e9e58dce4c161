//! What a message or a click changes, and what follows from it.

use super::{
    Message, Replay,
    acts::{self, has_one_request},
    chooser::{self, Chooser},
    diff::{self, Follows},
    draw::tabs::tab,
    history,
    search::{Outcome, Progress},
    steps,
};
use crate::{
    session::{
        Session,
        ask::Loading,
        question::Answer,
        request::Request,
        turns::{Row, rows},
        views::View,
    },
    widgets::{
        layout::{Layout, Panel},
        mouse::{Kind, Mouse, NOTCH},
        scroll::{Motion, centred},
    },
};
use trajview_run::search::Hit;

impl Replay {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        match message {
            Message::Turns(message) => acts::go_to_turn(self, session, &message),
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
            Message::Compaction => acts::go_to_compaction(self, session),
            Message::Failures(message) => acts::go_to_failure(self, session, &message),
            Message::Step(step) => acts::show_step(self, session, step),
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
        if let Some(step) = session.follow.wanted.take() {
            self.select_step_id(step);
        }
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
            Answer::Images(images) => {
                let said = self.steps.images.take(request, images);
                session.notice = said.or(session.notice.take());
            }
            Answer::History(answer) => history::take(self, session, request, answer),
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
    pub(super) fn go_beyond(&mut self, session: &mut Session, turn: Option<usize>) {
        session.growth.beyond = turn.filter(|turn| *turn >= session.run.turns.len());
    }

    fn go(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let height = usize::from(layout.room(self.focus).height);
        match self.focus {
            Panel::Turns => acts::go_over_turns(self, session, motion, height),
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

    pub fn follow(&mut self, session: &mut Session, outcome: Outcome) {
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

    /// Selects what stands in a row of a panel, counted from the panel's first, and gives the panel the keyboard.
    fn point_at(&mut self, session: &mut Session, panel: Panel, row: usize, layout: &Layout) {
        self.focus = panel;
        let height = usize::from(layout.room(panel).height);
        match panel {
            Panel::Turns if has_one_request(session) => {
                acts::point_at_act(self, session, row, height)
            }
            Panel::Turns => self.point_at_turn(session, row, height),
            Panel::Files if self.tree.is_shown => {
                let rows = self.tree.rows().len();
                self.tree.cursor =
                    (centred(self.tree.cursor, rows, height) + row).min(rows.saturating_sub(1));
            }
            Panel::Files => {
                let changes = self.changes(session);
                let index = centred(self.files.selected(changes), changes.len(), height) + row;
                if let Some(path) = changes.get(index).map(|change| change.path.clone()) {
                    self.files.want(path);
                    self.keep_view(session);
                }
            }
            Panel::Diff => {
                let rows = self.diff.current().map_or(0, |compared| compared.rows.len());
                let index = self.diff.scroll.top + row;
                if index < rows {
                    self.diff.scroll.cursor = index;
                }
            }
            Panel::Steps => {
                let before = self.steps.selected();
                let index = self.steps.scroll.top + row;
                if index < self.steps.row_count() {
                    self.steps.scroll.cursor = index;
                }
                if self.steps.selected() != before {
                    self.diff.follows = Follows::Step;
                }
            }
        }
    }

    /// A checkpoint's name leads to its first turn.
    fn point_at_turn(&mut self, session: &mut Session, row: usize, height: usize) {
        let rows = rows(&session.run);
        let selected = rows.iter().position(|row| *row == Row::Turn(session.turn));
        let top = centred(selected.unwrap_or_default(), rows.len(), height);
        match rows.get(top + row) {
            Some(Row::Turn(turn)) => self.select_turn(session, *turn),
            Some(Row::Checkpoint(index)) => {
                self.select_turn(session, session.run.first_turn_of(*index))
            }
            None => {}
        }
    }

    /// Turns the wheel over a panel, which keeps the keyboard where it is. Lists move by one, texts by some rows.
    fn wheel(&mut self, session: &mut Session, panel: Panel, motion: Motion, layout: &Layout) {
        let height = usize::from(layout.room(panel).height);
        match panel {
            Panel::Turns => acts::go_over_turns(self, session, motion.of_one(), height),
            Panel::Files if self.tree.is_shown => self.tree.go(motion.of_one(), height),
            Panel::Files => {
                let mut files = std::mem::take(&mut self.files);
                files.go(motion.of_one(), self.changes(session), height);
                self.files = files;
                self.keep_view(session);
            }
            Panel::Diff => {
                let rows = self.diff.current().map_or(0, |compared| compared.rows.len());
                self.diff.scroll.turn(motion, rows, height);
            }
            Panel::Steps => {
                let before = self.steps.selected();
                self.steps.scroll.turn(motion, self.steps.row_count(), height);
                if self.steps.selected() != before {
                    self.diff.follows = Follows::Step;
                }
            }
        }
    }

    /// Whether a click is meant as enter: the second on the same row is.
    pub(super) fn click(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool {
        let width = |panel: Panel| tab(self, session, panel).chars().count();
        let tab = layout.tabs.and_then(|tabs| mouse.tab(tabs, Panel::ALL.map(width)));
        if let Some(at) = tab {
            if mouse.kind == Kind::Click {
                self.focus = Panel::ALL[at];
            }
            return false;
        }
        let area = |panel: Panel| layout.panel(panel).filter(|area| mouse.is_in(*area));
        let mut panels = Panel::ALL.into_iter();
        let Some((panel, area)) = panels.find_map(|panel| Some((panel, area(panel)?))) else {
            return false;
        };
        let row = mouse.row_inside(area);
        match (mouse.kind, row) {
            (Kind::Click, Some(row)) => self.point_at(session, panel, row, layout),
            (Kind::Click, None) => self.focus = panel,
            (Kind::DoubleClick, row) => return row.is_some(),
            (Kind::WheelUp, _) => self.wheel(session, panel, Motion::Up(NOTCH), layout),
            (Kind::WheelDown, _) => self.wheel(session, panel, Motion::Down(NOTCH), layout),
            (Kind::WheelLeft, _) if panel == Panel::Diff => {
                self.update(session, Message::Diff(diff::Message::Left(NOTCH)), layout);
            }
            (Kind::WheelRight, _) if panel == Panel::Diff => {
                self.update(session, Message::Diff(diff::Message::Right(NOTCH)), layout);
            }
            (Kind::WheelLeft | Kind::WheelRight | Kind::Move | Kind::Release | Kind::Drag, _) => {}
        }
        false
    }
}
