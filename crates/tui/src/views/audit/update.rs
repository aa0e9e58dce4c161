//! Applies messages and clicks to the audit, and goes from the audit to the replay.

use ratatui::layout::Rect;

use crate::{
    session::{
        Session,
        context::KeyContext,
        replay_opening::{OpeningTarget, ReplayOpening},
        views::View,
    },
    views::audit::AuditView,
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind, ROWS_PER_WHEEL_NOTCH},
        scroll::Motion,
    },
};
use trajview_run::RepoPath;

use super::{
    AuditAnswer, AuditMessage, AuditPart, adjudication,
    areas::AuditAreas,
    item_rows,
    missed_flag::ask_for_missed,
    prompt,
    proposals::{change_confidence, commit_proposal, toggle_proposing},
    study_queue,
};

impl AuditView {
    pub(crate) fn update_view(
        &mut self,
        session: &mut Session,
        message: AuditMessage,
        layout: &ScreenLayout,
    ) {
        session.view = View::Audit;
        if session.study_queue().is_some() && self.update_in_study(session, &message) {
            return;
        }
        match message {
            AuditMessage::Next(count) => self.move_in_queue(session, Motion::Down(count)),
            AuditMessage::Previous(count) => self.move_in_queue(session, Motion::Up(count)),
            AuditMessage::NextUnlabelled(count) => self.go_to_unlabelled(session, count),
            AuditMessage::Move(motion) => self.move_in_audit(session, motion, layout),
            AuditMessage::Left(columns) => {
                self.code.column = self.code.column.saturating_sub(columns);
            }
            AuditMessage::Right(columns) => {
                self.code.column = self.code.column.saturating_add(columns);
            }
            AuditMessage::NextPart => self.part = self.part.next(),
            AuditMessage::PreviousPart => self.part = self.part.previous(),
            AuditMessage::NextSpot(count) => {
                self.go_to_spot_of_code(session, count as isize, layout)
            }
            AuditMessage::PreviousSpot(count) => {
                self.go_to_spot_of_code(session, -(count as isize), layout)
            }
            AuditMessage::Open => self.open_in_audit(session, layout),
            AuditMessage::OpenInReplay => self.open_in_replay(session, layout),
            AuditMessage::History => self.open_history(session, layout),
            AuditMessage::Label(score) => self.label_digit(session, score, layout),
            AuditMessage::Undo => self.undo_label(session),
            AuditMessage::GiveReason(reason) => self.set_reason(session, reason),
            AuditMessage::GiveLikelyReason => self.set_likely_reason(session),
            AuditMessage::DeferReason => self.defer_reason(session),
            AuditMessage::AskReason => self.ask_for_reason(session, layout),
            AuditMessage::AskNote => self.ask_for_note(session),
            AuditMessage::AskScore => self.ask_for_score(session, String::new()),
            AuditMessage::CannotTell => {
                self.propose_or_give(session, AuditAnswer::CannotTell, layout)
            }
            AuditMessage::Confidence => change_confidence(self, session),
            AuditMessage::Propose => toggle_proposing(self, session),
            AuditMessage::GoOn => self.toggle_going_on(session),
            AuditMessage::Codebook => self.toggle_codebook(),
            AuditMessage::Reveal => self.reveal_agreement(session),
            AuditMessage::NextUnit => self.audit_next_unit(session),
            AuditMessage::Missed => ask_for_missed(self, session),
            AuditMessage::AskName => self.prompt = Some(prompt::AuditPrompt::for_rater(None)),
            AuditMessage::Words(message) => self.update_prompt(session, message, layout),
            AuditMessage::Save => self.retry_saving(session),
            AuditMessage::Files => self.switch_files(session),
            AuditMessage::Committed => self.go_to_commitment(session),
            AuditMessage::Adjudicate => adjudication::switch_study_mode(self, session),
            AuditMessage::NextJudgement => self.switch_judgement(session, 1),
            AuditMessage::PreviousJudgement => self.switch_judgement(session, -1),
            AuditMessage::Plan(wanted) => self.plan_labels(session, wanted),
        }
    }

    /// Handles the messages that differ in a study: an item of another run has no label yet, and an outcome is not a
    /// label. Returns whether it was one of these.
    fn update_in_study(&mut self, session: &mut Session, message: &AuditMessage) -> bool {
        let is_of_the_item = matches!(
            message,
            AuditMessage::Label(_)
                | AuditMessage::AskScore
                | AuditMessage::CannotTell
                | AuditMessage::Confidence
                | AuditMessage::Missed
                | AuditMessage::Undo
                | AuditMessage::GiveReason(_)
                | AuditMessage::GiveLikelyReason
                | AuditMessage::AskReason
                | AuditMessage::AskNote
        );
        if is_of_the_item && let Some(why) = study_queue::why_item_not_shown(session) {
            session.notice = Some(why);
            return true;
        }
        if !session.is_adjudicating() {
            if *message == AuditMessage::NextUnit {
                session.notice = Some("the study fixes the kind of items".into());
            }
            return *message == AuditMessage::NextUnit;
        }
        match message {
            AuditMessage::NextUnit => adjudication::toggle_verdicts(session),
            AuditMessage::Confidence
            | AuditMessage::Missed
            | AuditMessage::Propose
            | AuditMessage::GoOn => {
                session.notice = Some("an outcome is a score, with a note".into());
            }
            AuditMessage::Undo => adjudication::withdraw_outcome(session),
            AuditMessage::AskNote => adjudication::ask_for_note(self, session),
            AuditMessage::GiveReason(_)
            | AuditMessage::GiveLikelyReason
            | AuditMessage::DeferReason
            | AuditMessage::AskReason => {
                session.notice = Some("an outcome has a note and no reason; \" adds a note".into());
            }
            AuditMessage::Save => {
                if let Some(study) = session.study_mut() {
                    study.gold.try_again();
                }
            }
            _ => return false,
        }
        true
    }

    fn switch_judgement(&mut self, session: &mut Session, by: isize) {
        let flipped = session.flip_audited_judging(by);
        if flipped.is_ok() {
            self.prompt = None;
            self.agreement.hide_again();
        }
        let (Ok(words) | Err(words)) = flipped;
        session.notice = Some(words);
    }

    /// Shows the agreement while items wait for a label, or hides it.
    fn reveal_agreement(&mut self, session: &mut Session) {
        self.agreement.toggle_reveal();
        session.notice = Some(match super::agreement::waiting_while_hidden(self, session) {
            Some(_) => "the agreement is hidden until every item has a label".into(),
            None => format!(
                "agreement shown: it reveals the judge's scores; {} hides it",
                session.keys.key_text(KeyContext::Audit, "reveal")
            ),
        });
    }

    /// Shows the meaning of the levels, or goes back to the part before.
    fn toggle_codebook(&mut self) {
        self.part =
            if self.part == AuditPart::Codebook { AuditPart::Item } else { AuditPart::Codebook };
    }

    /// Audits the next unit that the run has.
    fn audit_next_unit(&mut self, session: &mut Session) {
        let (units, now) = (session.units_to_audit(), session.audit.unit());
        let next = units.iter().position(|unit| *unit == now).map_or(0, |at| at + 1);
        let Some(unit) = units.get(next).or(units.first()).copied().filter(|unit| *unit != now)
        else {
            session.notice = Some(format!("only {} can be audited here", now.plural_word()));
            return;
        };
        session.audit_unit(unit);
        self.agreement.hide_again();
        (self.prompt, self.chosen, self.has_started) = (None, None, false);
        session.notice = Some(format!("auditing {}; v: next kind", unit.plural_word()));
    }

    pub(super) fn move_in_audit(
        &mut self,
        session: &mut Session,
        motion: Motion,
        layout: &ScreenLayout,
    ) {
        let areas = self.part_areas(layout);
        match self.part {
            AuditPart::Queue => self.move_in_queue(session, motion),
            AuditPart::Codebook => self.levels.move_cursor(motion),
            AuditPart::Item => self.item.move_cursor(motion),
            AuditPart::Code => self.move_in_code(motion, &areas),
            AuditPart::Agreement => self.agreement.pane.move_cursor(motion),
        }
    }

    pub(super) fn open_in_audit(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if commit_proposal(self, session, layout) {
            return;
        }
        match self.part {
            AuditPart::Queue => self.part = AuditPart::Item,
            AuditPart::Code if self.code.tree.is_shown => self.open_file_of_tree(),
            AuditPart::Item | AuditPart::Code => self.open_in_replay(session, layout),
            AuditPart::Codebook => self.part = AuditPart::Item,
            AuditPart::Agreement => self.part = AuditPart::Queue,
        }
    }

    /// Opens the judged file in the replay at the line of the cursor; from a piece of evidence its place.
    pub(super) fn open_in_replay(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if let Some(step) = self.audited_item(session).and_then(|item| item.step) {
            session.set_opening(ReplayOpening::at_turn(step.turn, OpeningTarget::Step(step)));
            session.notice = Some("backspace returns to the audit".into());
            return;
        }
        let Some((turn, path, line)) = self.judged_place(session, layout) else { return };
        session.set_opening(ReplayOpening::at_line(turn, path, line));
        session.notice = Some("backspace returns to the audit".into());
    }

    /// Leads to the place on screen in the replay, if there is one.
    pub(crate) fn lead_to_replay(&mut self, session: &mut Session, layout: &ScreenLayout) {
        self.open_in_replay(session, layout);
        session.notice = None;
    }

    /// Opens the list of every change to the code at the cursor.
    fn open_history(&self, session: &mut Session, layout: &ScreenLayout) {
        let Some((turn, path, line)) = self.judged_place(session, layout) else { return };
        session.set_opening(ReplayOpening::at_turn(
            turn,
            OpeningTarget::History { path, line: Some(line) },
        ));
    }

    /// Returns the judged turn, the file and the line at the cursor; gives a notice where there is none.
    fn judged_place(
        &self,
        session: &mut Session,
        layout: &ScreenLayout,
    ) -> Option<(usize, RepoPath, usize)> {
        let turn = self.audited_item(session).and_then(|it| session.turn_of_item(it));
        let place = self.place_at_cursor(session, layout);
        match (turn, place) {
            (Some(turn), Some((path, line))) => return Some((turn, path, line)),
            (None, _) => {
                session.notice = Some("the judged commit is not a turn of this run".into());
            }
            (_, None) => {
                let files = session.keys.key_text(KeyContext::Audit, "file-tree");
                session.notice = Some(format!(
                    "no file is on screen; {files} lists the files of the judged code"
                ));
            }
        }
        None
    }

    fn place_at_cursor(
        &self,
        session: &Session,
        layout: &ScreenLayout,
    ) -> Option<(RepoPath, usize)> {
        if self.part == AuditPart::Item {
            let areas = self.part_areas(layout);
            let rows = super::item_rows::item_rows(self, session, &areas);
            if let Some((path, lines)) = item_rows::evidence_at(&rows, self.item.cursor()) {
                return Some((RepoPath::new(path)?, lines.map_or(1, |(first, _)| first)));
            }
        }
        let key = self.audit_file(session)?;
        Some((key.path, self.code.lines.cursor() + 1))
    }

    pub(super) fn go_to_commitment(&mut self, session: &mut Session) {
        let Some(turn) = self.requesting_turn(session) else {
            session.notice = Some("the turn that asks for it is not recorded".into());
            return;
        };
        let id = self.audited_id().unwrap_or_default().to_owned();
        session.set_opening(ReplayOpening::at_turn(turn, OpeningTarget::Request));
        let back = session.keys.key_text(KeyContext::Replay, "back");
        session.notice =
            Some(format!("turn {} asks for {id}; {back} returns to the audit", turn + 1));
    }

    pub(super) fn handle_click(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        layout: &ScreenLayout,
    ) {
        let areas = self.part_areas(layout);
        let is_in = |area: Option<Rect>| area.is_some_and(|it| mouse.is_in(it));
        if let Some(part) = AuditPart::ALL.into_iter().find(|part| is_in(areas.tab_area(*part))) {
            if mouse.kind == MouseKind::Click {
                self.part = part;
            }
            return;
        }
        let Some(part) = AuditPart::ALL.into_iter().find(|part| is_in(areas.part_area(*part)))
        else {
            return;
        };
        let by = if part == AuditPart::Queue { 1 } else { ROWS_PER_WHEEL_NOTCH };
        let message = match mouse.kind {
            MouseKind::Move | MouseKind::Release | MouseKind::Drag => return,
            MouseKind::WheelUp => AuditMessage::Move(Motion::Up(by)),
            MouseKind::WheelDown => AuditMessage::Move(Motion::Down(by)),
            MouseKind::WheelLeft => AuditMessage::Left(ROWS_PER_WHEEL_NOTCH),
            MouseKind::WheelRight => AuditMessage::Right(ROWS_PER_WHEEL_NOTCH),
            MouseKind::Click => {
                self.part = part;
                return self.select_in_audit(session, mouse, &areas, part);
            }
            MouseKind::DoubleClick => AuditMessage::Open,
        };
        self.part = part;
        self.update_view(session, message, layout);
    }

    fn select_in_audit(
        &mut self,
        session: &mut Session,
        mouse: Mouse,
        areas: &AuditAreas,
        part: AuditPart,
    ) {
        let first = areas.part_area(part).map_or(0, |area| area.y + 1);
        let Some(row) = mouse.row.checked_sub(first).map(usize::from) else { return };
        if row >= areas.rows_inside(part) {
            return;
        }
        match part {
            AuditPart::Queue => {
                if let Some(at) = self.rows.row_at(mouse) {
                    self.go_to_queued(session, at);
                }
            }
            AuditPart::Item => self.item.choose(self.item.top() + row),
            AuditPart::Codebook => self.levels.choose(self.levels.top() + row),
            AuditPart::Agreement => {
                self.agreement.pane.choose(self.agreement.pane.top() + row);
            }
            AuditPart::Code => self.select_in_code(session, (mouse, row), areas),
        }
    }

    fn select_in_code(
        &mut self,
        session: &mut Session,
        (mouse, row): (Mouse, usize),
        areas: &AuditAreas,
    ) {
        let rows = self.code_rows(session, areas);
        let code = &mut self.code;
        if code.tree.is_shown {
            let top = crate::widgets::scroll::centred_top(
                code.tree.cursor,
                code.tree.tree_rows().len(),
                areas.rows_inside(AuditPart::Code),
            );
            if top + row < code.tree.tree_rows().len() {
                code.tree.cursor = top + row;
            }
            return;
        }
        if row < rows.spots {
            return self.aim_at_spot(rows.first_spot + row);
        }
        code.lines.choose_row_at(mouse);
    }
}
