//! Applies messages and clicks to the replay.

use super::{
    ReplayMessage, ReplayView,
    activity::{self, has_one_request, is_trial_without_log},
    chooser::{self, ReplayChooser},
    diff::{self, DiffFollows},
    draw::tabs::tab_text,
    file_history_actions,
    search::{SearchOutcome, SearchProgress},
    steps::{self, StepList},
};
use crate::{
    session::{
        Session,
        pending::Loading,
        question::Answer,
        request::RequestId,
        turns::{TurnListRow, turn_rows},
        views::View,
    },
    widgets::{
        layout::{ReplayPanel, ScreenLayout},
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        scroll::{Motion, centred_top},
    },
};
use trajview_run::search::{HitPlace, SearchHit};

/// Returns whether the run has something for a panel: a trial without a log has a result, and at most a request and texts.
pub(super) fn has_panel(session: &Session, panel: ReplayPanel) -> bool {
    let turn = session.run.turns.first();
    match panel {
        _ if !is_trial_without_log(&session.run) => true,
        ReplayPanel::Turns | ReplayPanel::Files => false,
        ReplayPanel::Request => turn.is_some_and(|turn| turn.request.is_some()),
        ReplayPanel::Steps => turn.is_some_and(|turn| !turn.steps.is_empty()),
        ReplayPanel::Diff => true,
    }
}

impl ReplayView {
    pub(crate) fn update_view(
        &mut self,
        session: &mut Session,
        message: ReplayMessage,
        layout: &ScreenLayout,
    ) {
        match message {
            ReplayMessage::Turns(message) => activity::go_to_turn(self, session, &message),
            ReplayMessage::Steps(message) => self.update_steps(message),
            ReplayMessage::Files(message) => self.update_files(session, message),
            ReplayMessage::Diff(message) => self.update_diff(session, message, layout),
            ReplayMessage::Playback(message) => self.update_playback(session, &message),
            ReplayMessage::Search(message) => {
                let outcome = self.search.update(message);
                self.apply_search_outcome(session, outcome);
            }
            ReplayMessage::Move(motion) => self.move_in_panel(session, motion, layout),
            ReplayMessage::GoTo(number) => {
                activity::move_over_turns(self, session, Motion::To(number), 1)
            }
            ReplayMessage::Focus(panel) if has_panel(session, panel) => self.focus = panel,
            ReplayMessage::Focus(panel) => {
                let name = panel.panel_name();
                session.notice = Some(format!("this trial has no log, so there are no {name}"));
            }
            ReplayMessage::FocusNext => self.move_focus(session, ReplayPanel::next),
            ReplayMessage::FocusPrevious => self.move_focus(session, ReplayPanel::previous),
            ReplayMessage::PlaybackTick => self.advance_playback(session),
            ReplayMessage::Base(message) => self.update_base(session, &message),
            ReplayMessage::Edits(message) => self.go_to_edit(session, &message),
            ReplayMessage::OpenInRequest => self.open_in_request(session),
            ReplayMessage::Compaction => activity::go_to_compaction(self, session),
            ReplayMessage::Failures(message) => activity::go_to_failure(self, session, &message),
            ReplayMessage::Step(step) => activity::show_step(self, session, step),
            ReplayMessage::Choose(message) => self.update_chooser(session, message),
            ReplayMessage::FilterSteps(kinds) => self.filter_steps(kinds),
            ReplayMessage::SwitchMarks => self.toggle_marks(session),
            ReplayMessage::Follow => self.toggle_following(session),
        }
    }

    /// Moves the focus to the next panel that the run has.
    fn move_focus(&mut self, session: &Session, next: fn(ReplayPanel) -> ReplayPanel) {
        self.focus = next(self.focus);
        while !has_panel(session, self.focus) {
            self.focus = next(self.focus);
        }
    }

    /// Shows the turn that was selected.
    pub(crate) fn follow_turn(&mut self, session: &mut Session) {
        let Some(left) = session.follow.left_turn.take() else { return };
        if left != session.turn {
            self.steps.show_turn(&session.run, session.turn);
        }
        self.diff.follows = DiffFollows::Turn;
        if let Some(step) = session.follow.wanted_step.take() {
            self.select_step_id(step);
        }
    }

    /// Takes the answer to a question of its own; one to an older question is dropped.
    pub(crate) fn take_answer(
        &mut self,
        session: &mut Session,
        request: RequestId,
        answer: Answer,
    ) {
        match answer {
            Answer::Timeline(Ok(timeline)) if session.growth.timeline.take_answered(request) => {
                self.renew_timeline(session, timeline);
            }
            Answer::LineCounts(Ok(counts)) if session.growth.counts.take_answered(request) => {
                session.counts = Loading::Ready(counts);
            }
            Answer::Timeline(timeline) => {
                session.timeline.settle_with(request, timeline);
                self.open_requested_file(session);
            }
            Answer::LineCounts(counts) => {
                session.counts.settle_with(request, counts);
            }
            Answer::StepText(text) => {
                if let Some(item) = self.pending_texts.take_answered(request) {
                    self.steps.put_text(item, text);
                }
            }
            Answer::Images(images) => {
                let notice_text = self.steps.images.take_images(request, images);
                session.notice = notice_text.or(session.notice.take());
            }
            Answer::History(answer) => {
                file_history_actions::take_history(self, session, request, answer)
            }
            Answer::Search(rest) => {
                let (hits, progress) = match rest {
                    Ok(hits) => (hits, SearchProgress::Done),
                    Err(why) => (vec![], SearchProgress::Failed(why)),
                };
                let outcome = self.search.take_hits(request, hits, progress, session.turn);
                self.apply_search_outcome(session, outcome);
            }
            _ => {} // asked elsewhere
        }
    }

    /// Takes hits of a search that continues.
    pub(crate) fn take_hits(
        &mut self,
        session: &mut Session,
        request: RequestId,
        hits: Vec<SearchHit>,
    ) {
        let outcome = self.search.take_hits(request, hits, SearchProgress::More, session.turn);
        self.apply_search_outcome(session, outcome);
    }

    pub(crate) fn select_turn(&mut self, session: &mut Session, turn: usize) {
        session.select_turn(turn);
        self.follow_turn(session);
    }

    fn update_steps(&mut self, message: steps::StepsMessage) {
        if matches!(message, steps::StepsMessage::Next(_) | steps::StepsMessage::Previous(_)) {
            self.diff.follows = DiffFollows::Step;
        }
        self.steps.update(message);
    }

    /// Remembers a turn that is not there, in case it comes.
    pub(super) fn go_beyond(&mut self, session: &mut Session, turn: Option<usize>) {
        session.growth.beyond = turn.filter(|turn| *turn >= session.run.turns.len());
    }

    fn move_in_panel(&mut self, session: &mut Session, motion: Motion, layout: &ScreenLayout) {
        let height = usize::from(layout.inner_size(self.focus).height);
        match self.focus {
            ReplayPanel::Turns => activity::move_over_turns(self, session, motion, height),
            ReplayPanel::Request => self.request.list.move_cursor(motion),
            ReplayPanel::Files if self.tree.is_shown => self.tree.move_cursor(motion, height),
            ReplayPanel::Files => self.move_over_files(session, motion, height),
            ReplayPanel::Diff => self.diff.move_cursor(motion),
            ReplayPanel::Steps => self.on_step_rows(|steps| steps.move_cursor(motion)),
        }
    }

    pub(crate) fn apply_search_outcome(&mut self, session: &mut Session, outcome: SearchOutcome) {
        match outcome {
            SearchOutcome::Nothing => {}
            SearchOutcome::Ask(query) => self.pending_query = Some(query),
            SearchOutcome::Show => self.show_hit(session),
            SearchOutcome::List => {
                self.chooser = Some(ReplayChooser::new(
                    chooser::ChooserKind::Hits,
                    self.search.current.unwrap_or_default(),
                ));
            }
            SearchOutcome::ShowAndSay(words) => {
                self.show_hit(session);
                session.notice = Some(words.into());
            }
            SearchOutcome::Say(words) => session.notice = Some(words),
        }
    }

    fn show_hit(&mut self, session: &mut Session) {
        let Some(hit) = self.search.current_hit().cloned() else { return };
        if hit.turn >= session.run.turns.len() {
            return;
        }
        session.view = View::Replay;
        self.select_turn(session, hit.turn);
        self.show_hit_text(&hit);
    }

    /// Shows the text with a hit, in the turn that is selected.
    pub(crate) fn show_hit_text(&mut self, hit: &SearchHit) {
        match hit.place {
            HitPlace::Request => {
                self.steps.choose_none();
                self.request.aim_at(hit.line, hit.range.start);
                self.focus = ReplayPanel::Request;
            }
            HitPlace::Step(step, field) => {
                self.steps.go_to_hit(step, field, hit);
                self.diff.follows = DiffFollows::Step;
                self.focus = ReplayPanel::Steps;
            }
        }
    }

    /// Moves within the rows of the steps; the diff follows where another step is chosen.
    fn on_step_rows(&mut self, change: impl FnOnce(&mut StepList)) {
        let before = self.steps.chosen_step();
        change(&mut self.steps);
        if self.steps.chosen_step() != before {
            self.diff.follows = DiffFollows::Step;
        }
    }

    /// Selects the item at a row of a panel, counted from the panel's first, and gives the panel the keyboard.
    fn select_at_row(
        &mut self,
        session: &mut Session,
        panel: ReplayPanel,
        (mouse, row): (Mouse, usize),
        layout: &ScreenLayout,
    ) {
        self.focus = panel;
        let height = usize::from(layout.inner_size(panel).height);
        match panel {
            ReplayPanel::Turns if has_one_request(session) => {
                activity::select_action_at_row(self, session, row, height)
            }
            ReplayPanel::Turns => self.select_turn_at_row(session, row, height),
            ReplayPanel::Files if self.tree.is_shown => {
                let rows = self.tree.tree_rows().len();
                self.tree.cursor =
                    (centred_top(self.tree.cursor, rows, height) + row).min(rows.saturating_sub(1));
            }
            ReplayPanel::Files => {
                let changes = self.listed_changes(session);
                let here = self.file_index(session, self.diff_scope(session));
                let index = centred_top(here, changes.len(), height) + row;
                if let Some(path) = changes.get(index).map(|change| change.path.clone()) {
                    self.files.select_path(path);
                    self.follow_selected_file(session);
                }
            }
            ReplayPanel::Request => self.request.list.choose_row_at(mouse),
            ReplayPanel::Diff => self.diff.list.choose_row_at(mouse),
            ReplayPanel::Steps => self.on_step_rows(|steps| steps.choose_row_at(mouse)),
        }
    }

    /// Selects the turn at a row; the name of a checkpoint leads to its first turn.
    fn select_turn_at_row(&mut self, session: &mut Session, row: usize, height: usize) {
        let rows = turn_rows(&session.run);
        let selected = rows.iter().position(|row| *row == TurnListRow::Turn(session.turn));
        let top = centred_top(selected.unwrap_or_default(), rows.len(), height);
        match rows.get(top + row) {
            Some(TurnListRow::Turn(turn)) => self.select_turn(session, *turn),
            Some(TurnListRow::Checkpoint(index)) => {
                self.select_turn(session, session.run.first_turn_of(*index))
            }
            None => {}
        }
    }

    /// Turns the wheel over a panel, which keeps the keyboard where it is. Lists move by one, texts by some rows.
    fn scroll_panel(
        &mut self,
        session: &mut Session,
        panel: ReplayPanel,
        motion: Motion,
        layout: &ScreenLayout,
    ) {
        let height = usize::from(layout.inner_size(panel).height);
        match panel {
            ReplayPanel::Turns => {
                activity::move_over_turns(self, session, motion.by_one_row(), height)
            }
            ReplayPanel::Files if self.tree.is_shown => {
                self.tree.move_cursor(motion.by_one_row(), height)
            }
            ReplayPanel::Files => self.move_over_files(session, motion.by_one_row(), height),
            ReplayPanel::Request => self.request.list.scroll_by(motion),
            ReplayPanel::Diff => self.diff.list.scroll_by(motion),
            ReplayPanel::Steps => self.on_step_rows(|steps| steps.list.scroll_by(motion)),
        }
    }

    /// Handles a click. Returns whether it counts as enter: the second click on the same row does.
    pub(super) fn handle_click(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) -> bool {
        let width = |panel: ReplayPanel| tab_text(self, session, panel).chars().count();
        let tab = layout.tabs.and_then(|tabs| mouse.tab_at(tabs, ReplayPanel::ALL.map(width)));
        if let Some(at) = tab {
            if mouse.kind == MouseKind::Click {
                self.focus = ReplayPanel::ALL[at];
            }
            return false;
        }
        let area = |panel: ReplayPanel| layout.panel_area(panel).filter(|area| mouse.is_in(*area));
        let mut panels = ReplayPanel::ALL.into_iter();
        let Some((panel, area)) = panels.find_map(|panel| Some((panel, area(panel)?))) else {
            return false;
        };
        let row = mouse.row_inside(area);
        match (mouse.kind, row) {
            (MouseKind::Click, Some(row)) => {
                self.select_at_row(session, panel, (mouse, row), layout)
            }
            (MouseKind::Click, None) => self.focus = panel,
            (MouseKind::DoubleClick, row) => return row.is_some(),
            (MouseKind::WheelUp, _) => {
                self.scroll_panel(session, panel, Motion::Up(ROWS_PER_WHEEL_NOTCH), layout)
            }
            (MouseKind::WheelDown, _) => {
                self.scroll_panel(session, panel, Motion::Down(ROWS_PER_WHEEL_NOTCH), layout)
            }
            (MouseKind::WheelLeft, _) if panel == ReplayPanel::Diff => {
                self.update_view(
                    session,
                    ReplayMessage::Diff(diff::DiffMessage::Left(ROWS_PER_WHEEL_NOTCH)),
                    layout,
                );
            }
            (MouseKind::WheelRight, _) if panel == ReplayPanel::Diff => {
                self.update_view(
                    session,
                    ReplayMessage::Diff(diff::DiffMessage::Right(ROWS_PER_WHEEL_NOTCH)),
                    layout,
                );
            }
            (
                MouseKind::WheelLeft
                | MouseKind::WheelRight
                | MouseKind::Move
                | MouseKind::Release
                | MouseKind::Drag,
                _,
            ) => {}
        }
        false
    }
}
