//! What a message changes: moving through the parts, clicks, and the ways from the audit to the replay.

use ratatui::layout::Rect;

use crate::{
    session::{
        Session,
        opening::{Opening, Target},
        views::View,
    },
    views::audit::Audit,
    widgets::{
        layout::Layout,
        mouse::{Kind, Mouse, NOTCH},
        scroll::Motion,
    },
};
use trajview_run::RepoPath;

use super::{
    Answer, Message, Part, adjudicating,
    areas::Areas,
    item,
    missed::ask_for_missed,
    over_runs, prompt,
    proposing::{change_confidence, commit, switch_acts},
};

impl Audit {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        session.view = View::Audit;
        if session.study().is_some() && self.update_in_study(session, &message) {
            return;
        }
        match message {
            Message::Next(count) => self.move_in_queue(session, Motion::Down(count), layout),
            Message::Previous(count) => self.move_in_queue(session, Motion::Up(count), layout),
            Message::NextUnlabelled(count) => self.go_to_unlabelled(session, count),
            Message::Move(motion) => self.move_in_audit(session, motion, layout),
            Message::Left(columns) => {
                self.code.column = self.code.column.saturating_sub(columns);
            }
            Message::Right(columns) => {
                self.code.column = self.code.column.saturating_add(columns);
            }
            Message::NextPart => self.part = self.part.next(),
            Message::PreviousPart => self.part = self.part.previous(),
            Message::NextSpot(count) => self.go_to_spot_of_code(session, count as isize, layout),
            Message::PreviousSpot(count) => {
                self.go_to_spot_of_code(session, -(count as isize), layout)
            }
            Message::Open => self.open_in_audit(session, layout),
            Message::OpenInReplay => self.open_in_replay(session, layout),
            Message::History => self.open_history(session, layout),
            Message::Close => self.close_in_audit(),
            Message::Label(score) => self.label(session, score, layout),
            Message::Undo => self.take_label_back(session),
            Message::Because(reason) => self.give_reason(session, reason),
            Message::BecauseLikely => self.give_likely_reason(session),
            Message::Later => self.put_reason_off(session),
            Message::AskReason => self.ask_for_reason(session, layout),
            Message::AskNote => self.ask_for_note(session),
            Message::AskScore => self.ask_for_score(session, String::new()),
            Message::CannotTell => self.answer(session, Answer::CannotTell, layout),
            Message::Confidence => change_confidence(self, session),
            Message::Propose => switch_acts(self, session),
            Message::Codebook => self.switch_codebook(),
            Message::Reveal => self.reveal_agreement(session),
            Message::NextUnit => self.audit_next_unit(session),
            Message::Missed => ask_for_missed(self, session),
            Message::AskName => self.prompt = Some(prompt::Prompt::name(None)),
            Message::Words(message) => self.update_words(session, message, layout),
            Message::Save => self.save_again(session),
            Message::Files => self.switch_files(session),
            Message::Committed => self.go_to_commitment(session),
            Message::Adjudicate => adjudicating::turn(self, session),
            Message::NextJudgement => self.flip_audit(session, 1),
            Message::PreviousJudgement => self.flip_audit(session, -1),
        }
    }

    /// What is another thing in a study: nothing is said of what is not here, and what is settled is no label. Whether it was
    /// one of these.
    fn update_in_study(&mut self, session: &mut Session, message: &Message) -> bool {
        let is_of_the_item = matches!(
            message,
            Message::Label(_)
                | Message::AskScore
                | Message::CannotTell
                | Message::Confidence
                | Message::Missed
                | Message::Undo
                | Message::Because(_)
                | Message::BecauseLikely
                | Message::AskReason
                | Message::AskNote
        );
        if is_of_the_item && let Some(why) = over_runs::why_not_here(session) {
            session.notice = Some(why);
            return true;
        }
        if !session.adjudicates() {
            if *message == Message::NextUnit {
                session.notice = Some("the study says what is labelled".into());
            }
            return *message == Message::NextUnit;
        }
        match message {
            Message::NextUnit => adjudicating::switch_verdicts(session),
            Message::Confidence | Message::Missed | Message::Propose => {
                session.notice = Some("what is settled is a score, with a note".into());
            }
            Message::Undo => adjudicating::withdraw(session),
            Message::AskNote => adjudicating::ask_for_note(self, session),
            Message::Because(_) | Message::BecauseLikely | Message::Later | Message::AskReason => {
                session.notice =
                    Some("what is settled has a note, and no reason; m adds one".into());
            }
            Message::Save => {
                if let Some(study) = session.study_mut() {
                    study.gold.try_again();
                }
            }
            _ => return false,
        }
        true
    }

    fn flip_audit(&mut self, session: &mut Session, by: isize) {
        let flipped = session.flip_audited(by);
        if flipped.is_ok() {
            self.prompt = None;
            self.agreement.hide();
        }
        let (Ok(words) | Err(words)) = flipped;
        session.notice = Some(words);
    }

    /// The agreement while items wait for a label, or no longer.
    fn reveal_agreement(&mut self, session: &mut Session) {
        self.agreement.switch();
        session.notice = Some(match super::agreement::hidden_by(self, session) {
            Some(_) => "the agreement is hidden until every item has a label".into(),
            None => "the agreement is shown: it tells how the judge scores; V hides it".into(),
        });
    }

    /// What the levels mean, or back to where the keyboard was.
    fn switch_codebook(&mut self) {
        self.part = if self.part == Part::Codebook { Part::Item } else { Part::Codebook };
    }

    /// Things of the next kind that there is.
    fn audit_next_unit(&mut self, session: &mut Session) {
        let (units, now) = (session.units_to_audit(), session.audited.unit());
        let next = units.iter().position(|unit| *unit == now).map_or(0, |at| at + 1);
        let Some(unit) = units.get(next).or(units.first()).copied().filter(|unit| *unit != now)
        else {
            session.notice =
                Some(format!("there is nothing else than {} to be audited", now.plural()));
            return;
        };
        session.audit_unit(unit);
        self.agreement.hide();
        (self.prompt, self.chosen, self.has_started) = (None, None, false);
        session.notice = Some(format!("{} are audited; v goes on", unit.plural()));
    }

    pub(super) fn move_in_audit(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let areas = self.areas(layout);
        match self.part {
            Part::Queue => self.move_in_queue(session, motion, layout),
            Part::Codebook => {
                let len = super::codebook::codebook_rows(self, session, &areas).len();
                let height = areas.height(Part::Codebook);
                self.levels.cursor = motion.from(self.levels.cursor, len, height);
            }
            Part::Item => {
                let len = super::item::item_rows(self, session, &areas).len();
                let height = areas.height(Part::Item);
                self.item.cursor = motion.from(self.item.cursor, len, height);
            }
            Part::Code => self.move_in_code(session, motion, &areas),
            Part::Agreement => {
                let len = super::agreement::agreement_rows(self, session, &areas).len();
                let height = areas.height(Part::Agreement);
                let scroll = &mut self.agreement.scroll;
                scroll.cursor = motion.from(scroll.cursor, len, height);
            }
        }
    }

    pub(super) fn open_in_audit(&mut self, session: &mut Session, layout: &Layout) {
        if commit(self, session, layout) {
            return;
        }
        match self.part {
            Part::Queue => self.part = Part::Item,
            Part::Code if self.code.tree.is_shown => self.open_file_of_tree(),
            Part::Item | Part::Code => self.open_in_replay(session, layout),
            Part::Codebook => self.part = Part::Item,
            Part::Agreement => self.part = Part::Queue,
        }
    }

    pub(super) fn close_in_audit(&mut self) {
        match self.part {
            Part::Code if self.code.tree.is_shown => self.code.tree.is_shown = false,
            _ => self.part = Part::Queue,
        }
    }

    /// The file on screen as it was judged, at the line of the cursor; from a piece of evidence that one.
    pub(super) fn open_in_replay(&mut self, session: &mut Session, layout: &Layout) {
        if let Some(step) = self.audited_item(session).and_then(|item| item.step) {
            session.open(Opening::at(step.turn, Target::Step(step)));
            session.notice = Some("backspace goes back to the audit".into());
            return;
        }
        let Some((turn, path, line)) = self.judged_place(session, layout) else { return };
        session.open(Opening::at_line(turn, path, line));
        session.notice = Some("backspace goes back to the audit".into());
    }

    /// Every change to what stands at the cursor of the code.
    fn open_history(&self, session: &mut Session, layout: &Layout) {
        let Some((turn, path, line)) = self.judged_place(session, layout) else { return };
        session.open(Opening::at(turn, Target::History { path, line: Some(line) }));
    }

    /// The judged turn, the file and the line at the cursor; says so where there is none.
    fn judged_place(
        &self,
        session: &mut Session,
        layout: &Layout,
    ) -> Option<(usize, RepoPath, usize)> {
        let turn = self.audited_item(session).and_then(|it| session.turn_of_item(it));
        let place = self.place_at_cursor(session, layout);
        match (turn, place) {
            (Some(turn), Some((path, line))) => return Some((turn, path, line)),
            (None, _) => {
                session.notice = Some("the judged commit is no turn of this run".into());
            }
            (_, None) => {
                session.notice =
                    Some("no file is on screen; t lists the files of the judged code".into());
            }
        }
        None
    }

    fn place_at_cursor(&self, session: &Session, layout: &Layout) -> Option<(RepoPath, usize)> {
        if self.part == Part::Item {
            let areas = self.areas(layout);
            let rows = super::item::item_rows(self, session, &areas);
            if let Some((path, lines)) = item::evidence_at(&rows, self.item.cursor) {
                return Some((RepoPath::new(path)?, lines.map_or(1, |(first, _)| first)));
            }
        }
        let key = self.audit_file(session)?;
        Some((key.path, self.code.scroll.cursor + 1))
    }

    pub(super) fn go_to_commitment(&mut self, session: &mut Session) {
        let turn = self.audited_component(session).and_then(|it| it.committed_at_turn);
        let turn = turn.and_then(|turn| turn.checked_sub(1));
        let Some(turn) = turn.filter(|turn| *turn < session.run.turns.len()) else {
            session.notice = Some("nothing says in which turn the dialogue commits to it".into());
            return;
        };
        let id = self.audited_id().unwrap_or_default().to_owned();
        session.open(Opening::at(turn, Target::Request));
        session.notice =
            Some(format!("turn {} commits to {id}; backspace goes back to the audit", turn + 1));
    }

    pub(super) fn click(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) {
        let areas = self.areas(layout);
        let is_in = |area: Option<Rect>| area.is_some_and(|it| mouse.is_in(it));
        if let Some(part) = Part::ALL.into_iter().find(|part| is_in(areas.tab(*part))) {
            if mouse.kind == Kind::Click {
                self.part = part;
            }
            return;
        }
        let Some(part) = Part::ALL.into_iter().find(|part| is_in(areas.of_part(*part))) else {
            return;
        };
        let by = if part == Part::Queue { 1 } else { NOTCH };
        let message = match mouse.kind {
            Kind::Move | Kind::Release | Kind::Drag => return,
            Kind::WheelUp => Message::Move(Motion::Up(by)),
            Kind::WheelDown => Message::Move(Motion::Down(by)),
            Kind::WheelLeft => Message::Left(NOTCH),
            Kind::WheelRight => Message::Right(NOTCH),
            Kind::Click => {
                self.part = part;
                return self.select_in_audit(session, mouse, &areas, part);
            }
            Kind::DoubleClick => Message::Open,
        };
        self.part = part;
        self.update(session, message, layout);
    }

    fn select_in_audit(&mut self, session: &mut Session, mouse: Mouse, areas: &Areas, part: Part) {
        let first = areas.of_part(part).map_or(0, |area| area.y + 1);
        let Some(row) = mouse.row.checked_sub(first).map(usize::from) else { return };
        if row >= areas.height(part) {
            return;
        }
        match part {
            Part::Queue => {
                let at = self.rows.top + row;
                if at < session.study().map_or(session.queued().len(), |study| study.len()) {
                    self.go_to_queued(session, at);
                }
            }
            Part::Item => self.item.cursor = self.item.top + row,
            Part::Codebook => self.levels.cursor = self.levels.top + row,
            Part::Agreement => self.agreement.scroll.cursor = self.agreement.scroll.top + row,
            Part::Code => self.select_in_code(session, row, areas),
        }
    }

    fn select_in_code(&mut self, session: &mut Session, row: usize, areas: &Areas) {
        let rows = self.code_rows(session, areas);
        let code = &mut self.code;
        if code.tree.is_shown {
            let top = crate::widgets::scroll::centred(
                code.tree.cursor,
                code.tree.rows().len(),
                areas.height(Part::Code),
            );
            if top + row < code.tree.rows().len() {
                code.tree.cursor = top + row;
            }
            return;
        }
        if row < rows.spots {
            return self.aim_at_spot(rows.first_spot + row);
        }
        if let Some(line) = row.checked_sub(rows.spots + 1) {
            code.scroll.cursor = code.scroll.top + line; // settled to the last line there is
        }
    }
}
