//! A label given, taken back, given a reason.

use crate::session::context::KeyContext;
use crate::{session::Session, views::audit::AuditView, widgets::layout::ScreenLayout};
use trajview_run::rubric::{CANNOT_TELL, JudgementLabel, Label, ScoreScale, score_text};
use trajview_study::audit_items::AuditItem;

use super::{
    AuditAnswer, AuditPart, ChosenItem, adjudication,
    disagreement_reasons::{self, AGREE, reasons_in_order},
    missed_flag::mark_missed,
    prompt::{self, AuditPrompt},
    proposals::{change_proposal, current_proposal, label_scale, propose_answer, undo_proposal},
    queue::LabelStatus,
    study_queue,
};

/// The reason that requires a note.
const OTHER_REASON: &str = "other";

impl AuditView {
    /// Returns the label of the current item.
    pub(crate) fn current_label<'a>(&self, session: &'a Session) -> Option<JudgementLabel<'a>> {
        let item = self.audited_item(session)?;
        session.labels.answered_label(item.judged_state(), item.item_key())
    }

    /// Handles a digit: a level of the scale, or the beginning of a number.
    pub(super) fn label_digit(&mut self, session: &mut Session, digit: u8, layout: &ScreenLayout) {
        let Some(item) = self.audited_item(session) else { return };
        let scale = session.criterion_of(item).map_or(item.unit.default_scale(), |it| it.scale);
        match scale {
            ScoreScale::Share => self.ask_for_score(session, digit.to_string()),
            ScoreScale::Levels { .. } if !scale.contains_score(digit.into()) => {
                session.notice = Some(format!("{digit} is not on the scale {scale}"));
            }
            ScoreScale::Levels { .. } => {
                self.propose_or_give(session, AuditAnswer::Score(digit.into()), layout)
            }
        }
    }

    /// Records the answer as a proposal, or as the label at once.
    pub(super) fn propose_or_give(
        &mut self,
        session: &mut Session,
        answer: AuditAnswer,
        layout: &ScreenLayout,
    ) {
        if session.is_adjudicating() {
            return adjudication::settle_item(session, answer);
        }
        if !self.is_ready(session, Some(answer)) {
            return;
        }
        if self.proposes && self.current_label(session).is_none() {
            return propose_answer(self, session, answer);
        }
        self.give_label(session, answer, layout);
    }

    /// Returns whether the rater and their labels are known; else asks for the name or gives a notice, and gives the
    /// answer once they are known.
    pub(super) fn is_ready(&mut self, session: &mut Session, answer: Option<AuditAnswer>) -> bool {
        if session.labels.annotator().is_none() {
            self.prompt = Some(AuditPrompt::for_rater(answer));
            return false;
        }
        if let Some(why) = session.labels.why_not_read() {
            session.notice = Some(why.to_owned());
            return false;
        }
        if !session.labels.is_settled() {
            self.pending_answer = answer;
            return false;
        }
        true
    }

    /// Labels the item at hand with an answer, and shows the outcome. One that is labelled stays as it is, with a
    /// notice.
    pub(super) fn give_label(
        &mut self,
        session: &mut Session,
        answer: AuditAnswer,
        layout: &ScreenLayout,
    ) {
        let Some(item) = self.audited_item(session).cloned() else { return };
        if let Some(label) = self.current_label(session) {
            let label_text = label.score().map_or_else(|| CANNOT_TELL.to_owned(), score_text);
            let undo = session.keys.key_text(KeyContext::Audit, "undo");
            session.notice = Some(format!(
                "{} is labelled {label_text}; {undo} undoes a label, and the next one is not blind",
                item.id
            ));
            return;
        }
        let label = self.new_label(session, &item, answer);
        session.labels.put_label(label);
        session.labels.remember_given(&item.judgement, item.item_key());
        session.remember_in_study(&item);
        self.show_outcome(session, &item, layout);
    }

    fn new_label(&self, session: &Session, item: &AuditItem, answer: AuditAnswer) -> Label {
        let seen = session.judgings_seen(item);
        let is_blind = !seen.contains(&item.judgement) && !item.unit.is_raised();
        let (score, cannot_tell) = match answer {
            AuditAnswer::Score(score) => (Some(score), false),
            AuditAnswer::CannotTell => (None, true),
        };
        let agrees = score.is_some() && score == item.verdict.score;
        let proposal = session.labels.proposal_of(item.judged_state(), item.item_key());
        Label {
            score,
            scale: label_scale(session, item),
            cannot_tell,
            confidence: proposal.and_then(|it| it.confidence),
            seen: Some(seen),
            blind: Some(is_blind),
            reason: agrees.then(|| AGREE.to_owned()),
            note: proposal.and_then(|it| it.note.clone()),
            turn: item.turn.or_else(|| Some(session.turn_of_item(item)? + 1)),
            at: None, // the world has the clock
            ..item.empty_label()
        }
    }

    /// Shows the verdict; where it differs asks for the reason.
    fn show_outcome(&mut self, session: &mut Session, item: &AuditItem, layout: &ScreenLayout) {
        let areas = self.part_areas(layout);
        if areas.part_area(AuditPart::Item).is_none() {
            self.part = AuditPart::Item;
        }
        self.item.restart();
        match self.item_status(session, item) {
            LabelStatus::Differs { is_explained: false, .. } => {
                self.prompt = Some(AuditPrompt::Reason)
            }
            LabelStatus::Agrees(score) => {
                let next = match session.unlabelled_count() {
                    0 => String::new(),
                    _ if self.goes_on => String::new(),
                    _ => format!(
                        " ({} goes to the next unlabelled)",
                        session.keys.key_text(KeyContext::Audit, "next-unlabelled")
                    ),
                };
                let score = score_text(score);
                session.notice = Some(format!("{}: you and the judge say {score}{next}", item.id));
            }
            _ => {}
        }
        self.go_on_if_wanted(session);
    }

    pub(crate) const fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Switches whether the next item without a label follows a label.
    pub(super) fn toggle_going_on(&mut self, session: &mut Session) {
        self.goes_on = !self.goes_on;
        session.notice = Some(match self.goes_on {
            true => "after a label the next unlabelled item follows".into(),
            false => "after a label the item stays".into(),
        });
    }

    /// Goes to the next item without a label after a label and its reason, if the rater wants that; the notice about the
    /// label stays.
    fn go_on_if_wanted(&mut self, session: &mut Session) {
        if !self.goes_on || self.prompt.is_some() || session.unlabelled_count() == 0 {
            return;
        }
        let notice = session.notice.take();
        self.go_to_unlabelled(session, 1);
        session.notice = notice.or(session.notice.take());
    }

    /// Gives the answer that was typed before the rater was known.
    pub(super) fn give_pending_answer(&mut self, session: &mut Session, layout: &ScreenLayout) {
        if session.labels.is_settled()
            && let Some(answer) = self.pending_answer.take()
        {
            self.propose_or_give(session, answer, layout);
        }
    }

    /// Reports that another program labelled as the same rater and was first.
    pub(super) fn report_existing_label(&mut self, session: &mut Session, stands: &Label) {
        let (id, who) = (&stands.component, session.labels.annotator().unwrap_or_default());
        session.notice = Some(match (stands.score, stands.cannot_tell) {
            (Some(score), _) => {
                format!(
                    "{who} labelled {id} {} in another session; the first label stays",
                    score_text(score)
                )
            }
            (None, true) => format!(
                "{id} was labelled {CANNOT_TELL} by {who} in another session; the first label is kept"
            ),
            (None, false) => format!(
                "{who} undid the label of {id} in another session; the next one is not blind"
            ),
        });
        if self.audited_id() == Some(id) {
            self.prompt = None;
        }
    }

    /// Takes back the proposal of the current item; without one the last label given since the program started (in a
    /// study in whatever run), without that the label of the item.
    pub(super) fn undo_label(&mut self, session: &mut Session) {
        if undo_proposal(self, session) {
            return;
        }
        if let Some(at) = session.take_back_in_study() {
            return self.show_undone_label(session, at);
        }
        let Some(source) = session.audit_source() else { return };
        let file = source.file.clone();
        let given = session.labels.take_last_given(&file);
        let is_labelled = |it: &&AuditItem| {
            session.labels.answered_label(it.judged_state(), it.item_key()).is_some()
        };
        let given = given.and_then(|given| {
            session
                .queued_items()
                .iter()
                .find(|it| it.item_key() == given.item_key())
                .filter(is_labelled)
        });
        let here = || self.audited_item(session).filter(is_labelled);
        let Some(item) = given.or_else(here).cloned() else {
            session.notice = Some("no label to undo here".into());
            return;
        };
        session.labels.take_back(item.judged_state(), item.item_key());
        self.prompt = None;
        session.notice = Some(format!(
            "label of {} undone; the next one is not blind, because you saw the verdict",
            item.id
        ));
        self.chosen = Some(ChosenItem::for_item(&item));
    }

    /// Goes to the study item whose label was taken back.
    fn show_undone_label(&mut self, session: &mut Session, at: usize) {
        study_queue::go_to_index(self, session, at);
        self.prompt = None;
        let Some(study) = session.study_queue() else { return };
        let Some(item) = study.item_at(at) else { return };
        let run = study.studied.run_of(item).map(|run| run.name.as_str()).unwrap_or_default();
        session.notice = Some(format!(
            "label of {} of {run} undone; the next one is not blind, because you saw the verdict",
            item.item.id
        ));
    }

    /// Changes the reason or the note of the current label.
    pub(super) fn amend_label(&mut self, session: &mut Session, change: impl FnOnce(&mut Label)) {
        let Some(label) = self.current_label(session) else { return };
        let mut label = Label { at: None, ..label.to_amend() };
        change(&mut label);
        session.labels.put_label(label);
    }

    pub(super) fn set_reason(&mut self, session: &mut Session, code: &'static str) {
        self.prompt = None;
        self.amend_label(session, |label| label.reason = Some(code.to_owned()));
        let has_note = self.current_label(session).is_some_and(|label| label.note().is_some());
        if code == OTHER_REASON && !has_note {
            self.ask_for_note(session);
            return;
        }
        let note = if self.goes_on { "" } else { "; \" adds a note" };
        session.notice = Some(format!("reason: {code}{note}"));
        self.go_on_if_wanted(session);
    }

    pub(super) fn set_likely_reason(&mut self, session: &mut Session) {
        if let Some((judge, label)) = self.both_scores(session)
            && let Some(first) = reasons_in_order(judge, label).first()
        {
            self.set_reason(session, first.code);
        }
    }

    /// Returns the scores of the judge and the rater, once both are known.
    pub(crate) fn both_scores(&self, session: &Session) -> Option<(f64, f64)> {
        self.revealed_verdict(session)?.score.zip(self.current_label(session)?.score())
    }

    pub(super) fn defer_reason(&mut self, session: &mut Session) {
        self.prompt = None;
        let reason = session.keys.key_text(KeyContext::Audit, "reason");
        session.notice = match self.goes_on {
            true => Some("no reason yet".into()),
            false => Some(format!("no reason yet; {reason} asks again")),
        };
        self.go_on_if_wanted(session);
    }

    pub(super) fn ask_for_reason(&mut self, session: &mut Session, layout: &ScreenLayout) {
        match self.both_scores(session) {
            None => {
                session.notice = Some("a reason needs a score: press a digit".into());
            }
            Some((judge, label)) if judge == label => {
                session.notice = Some("the label and the verdict agree: no reason needed".into());
            }
            Some(_) => {
                if self.part_areas(layout).part_area(AuditPart::Item).is_none() {
                    self.part = AuditPart::Item;
                }
                self.item.restart();
                self.prompt = Some(AuditPrompt::Reason);
            }
        }
    }

    /// Asks for a note on the label, else on the proposal.
    pub(super) fn ask_for_note(&mut self, session: &mut Session) {
        if !self.is_ready(session, None) {
            return;
        }
        let note = match self.current_label(session) {
            Some(label) => label.note(),
            None => current_proposal(self, session).and_then(|label| label.note.as_deref()),
        };
        self.prompt = Some(AuditPrompt::Note(note.unwrap_or_default().to_owned()));
    }

    pub(super) fn set_note(&mut self, session: &mut Session, text: &str) {
        let text = text.trim();
        let note = (!text.is_empty()).then(|| text.to_owned());
        match self.current_label(session).map(|label| label.note() != note.as_deref()) {
            Some(true) => self.amend_label(session, |label| label.note = note),
            Some(false) => {}
            None => change_proposal(self, session, |label| label.note = note),
        }
    }

    /// Types a number, where any is on the scale.
    pub(super) fn ask_for_score(&mut self, session: &mut Session, text: String) {
        let Some(item) = self.audited_item(session) else { return };
        match session.criterion_of(item).map(|it| it.scale) {
            Some(ScoreScale::Share) => {
                self.prompt =
                    Some(AuditPrompt::Score(prompt::TypedScore { text, complaint: None }));
            }
            _ => session.notice = Some("press a digit for a level".into()),
        }
    }

    /// Accepts a typed number.
    fn accept_score(
        &mut self,
        session: &mut Session,
        typed: prompt::TypedScore,
        layout: &ScreenLayout,
    ) {
        let number = typed.text.trim().replace(',', ".").parse::<f64>().ok();
        match number.filter(|score| ScoreScale::Share.contains_score(*score)) {
            Some(score) => self.propose_or_give(session, AuditAnswer::Score(score), layout),
            None => {
                let complaint = Some("expected a number from 0 to 1".to_owned());
                self.prompt = Some(AuditPrompt::Score(prompt::TypedScore { complaint, ..typed }));
            }
        }
    }

    pub(super) fn retry_saving(&mut self, session: &mut Session) {
        match session.labels.unsaved_count() {
            0 => session.notice = Some("every label is saved".into()),
            _ => session.labels.try_again(),
        }
    }

    /// Returns the codes to choose from for the current label, the likely one first; none where it agrees.
    pub(crate) fn reasons_offered(
        &self,
        session: &Session,
    ) -> Vec<&'static disagreement_reasons::ReasonChoice> {
        match self.both_scores(session) {
            Some((judge, label)) if judge != label => reasons_in_order(judge, label),
            _ => vec![],
        }
    }

    pub(super) fn update_prompt(
        &mut self,
        session: &mut Session,
        message: prompt::AuditPromptMessage,
        layout: &ScreenLayout,
    ) {
        let Some(prompt) = &mut self.prompt else { return };
        let Some(text) = prompt.editable_text() else { return };
        match message {
            prompt::AuditPromptMessage::Type(words) => text.push_str(&words),
            prompt::AuditPromptMessage::Erase => {
                text.pop();
            }
            prompt::AuditPromptMessage::EraseAll => text.clear(),
            prompt::AuditPromptMessage::Cancel => self.prompt = None,
            prompt::AuditPromptMessage::Accept => self.accept_prompt(session, layout),
        }
    }

    fn accept_prompt(&mut self, session: &mut Session, layout: &ScreenLayout) {
        match self.prompt.take() {
            Some(AuditPrompt::Note(text)) if session.is_adjudicating() => {
                adjudication::set_gold_note(session, &text);
            }
            Some(AuditPrompt::Note(text)) => self.set_note(session, &text),
            Some(AuditPrompt::Name(name)) => self.accept_name(session, name, layout),
            Some(AuditPrompt::Score(typed)) => self.accept_score(session, typed, layout),
            Some(AuditPrompt::Missed(typed)) => {
                if let Err(why) = mark_missed(self, session, &typed) {
                    self.prompt =
                        Some(AuditPrompt::Missed(prompt::MissedPrompt { why: Some(why), ..typed }));
                }
            }
            other => self.prompt = other,
        }
    }

    fn accept_name(
        &mut self,
        session: &mut Session,
        name: prompt::RaterPrompt,
        layout: &ScreenLayout,
    ) {
        let typed = name.text.trim().to_owned();
        let taken = match typed.is_empty() {
            true => Err("a name is required: labels are saved by rater".to_owned()),
            false => session.set_rater(&typed),
        };
        match taken {
            Err(why) => {
                self.prompt =
                    Some(AuditPrompt::Name(prompt::RaterPrompt { complaint: Some(why), ..name }));
            }
            Ok(()) => {
                session.audit.mark_all_unsaved();
                self.pending_answer = name.pending_answer;
                self.give_pending_answer(session, layout);
            }
        }
    }
}
