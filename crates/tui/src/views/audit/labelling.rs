//! A label given, taken back, given a reason.

use crate::{session::Session, views::audit::Audit, widgets::layout::Layout};
use trajview_run::rubric::{CANNOT_TELL, Label, LabelOn, Scale, written};
use trajview_study::items::AuditItem;

use super::{
    Answer, Chosen, Part, adjudicating,
    missed::mark_missed,
    over_runs,
    prompt::{self, Prompt},
    proposing::{change_proposal, proposal, propose, scale_of, take_proposal_back},
    queue::Standing,
    reason::{self, AGREE, offered},
};

/// The reason after which a note is asked for.
const OTHER: &str = "other";

impl Audit {
    /// The label of the item that is looked at.
    pub fn own_label<'a>(&self, session: &'a Session) -> Option<LabelOn<'a>> {
        let item = self.audited_item(session)?;
        session.labels.given_to(item.state(), item.key())
    }

    /// A digit was typed: a level of the scale, or the beginning of a number.
    pub(super) fn label(&mut self, session: &mut Session, digit: u8, layout: &Layout) {
        let Some(item) = self.audited_item(session) else { return };
        let scale = session.criterion_of(item).map_or(item.unit.scale(), |it| it.scale);
        match scale {
            Scale::Share => self.ask_for_score(session, digit.to_string()),
            Scale::Levels { .. } if !scale.holds(digit.into()) => {
                session.notice = Some(format!("{digit} is not on the scale {scale}"));
            }
            Scale::Levels { .. } => self.answer(session, Answer::Score(digit.into()), layout),
        }
    }

    /// What the rater says is put down, or is the label at once.
    pub(super) fn answer(&mut self, session: &mut Session, answer: Answer, layout: &Layout) {
        if session.adjudicates() {
            return adjudicating::settle(session, answer);
        }
        if !self.is_ready(session, Some(answer)) {
            return;
        }
        if self.proposes && self.own_label(session).is_none() {
            return propose(self, session, answer);
        }
        self.give(session, answer, layout);
    }

    /// Whether somebody labels and their labels are known; else it is asked for, or said why not. What was to be said is
    /// said once it is known.
    pub(super) fn is_ready(&mut self, session: &mut Session, wanted: Option<Answer>) -> bool {
        if session.labels.annotator().is_none() {
            self.prompt = Some(Prompt::name(wanted));
            return false;
        }
        if let Some(why) = session.labels.why_not_read() {
            session.notice = Some(why.to_owned());
            return false;
        }
        if !session.labels.is_settled() {
            self.wanted = wanted;
            return false;
        }
        true
    }

    /// The label is in.
    pub(super) fn give(&mut self, session: &mut Session, answer: Answer, layout: &Layout) {
        let Some(item) = self.audited_item(session).cloned() else { return };
        if let Some(label) = self.own_label(session) {
            let given = label.score().map_or_else(|| CANNOT_TELL.to_owned(), written);
            session.notice = Some(format!(
                "{} is labelled {given}; u takes a label back, and the next one is not blind",
                item.id
            ));
            return;
        }
        let label = self.new_label(session, &item, answer);
        session.labels.put(label);
        session.labels.remember(&item.judgement, item.key());
        session.remember_in_study(&item);
        self.show_outcome(session, &item, layout);
    }

    fn new_label(&self, session: &Session, item: &AuditItem, answer: Answer) -> Label {
        let seen = session.seen_of(item);
        let is_blind = !seen.contains(&item.judgement) && !item.unit.is_raised();
        let (score, cannot_tell) = match answer {
            Answer::Score(score) => (Some(score), false),
            Answer::CannotTell => (None, true),
        };
        let agrees = score.is_some() && score == item.said.score;
        let proposal = session.labels.proposal_of(item.state(), item.key());
        Label {
            score,
            scale: scale_of(session, item),
            cannot_tell,
            confidence: proposal.and_then(|it| it.confidence),
            seen: Some(seen),
            blind: Some(is_blind),
            reason: agrees.then(|| AGREE.to_owned()),
            note: proposal.and_then(|it| it.note.clone()),
            turn: item.turn.or_else(|| Some(session.turn_of_item(item)? + 1)),
            at: None, // the world has the clock
            ..item.label()
        }
    }

    /// The verdict is there to be seen now; where it differs the reason is asked for.
    fn show_outcome(&mut self, session: &mut Session, item: &AuditItem, layout: &Layout) {
        let areas = self.areas(layout);
        if areas.of_part(Part::Item).is_none() {
            self.part = Part::Item;
        }
        self.item = Default::default();
        match self.standing(session, item) {
            Standing::Differs { is_explained: false, .. } => self.prompt = Some(Prompt::Reason),
            Standing::Agrees(score) => {
                let next = if session.unlabelled_count() == 0 { "" } else { "; N goes on" };
                let score = written(score);
                session.notice = Some(format!("{}: you and the judge say {score}{next}", item.id));
            }
            _ => {}
        }
    }

    /// What was typed before it was known who types.
    pub(super) fn give_wanted(&mut self, session: &mut Session, layout: &Layout) {
        if session.labels.is_settled()
            && let Some(answer) = self.wanted.take()
        {
            self.answer(session, answer, layout);
        }
    }

    /// Another program labels as the same rater and was first.
    pub(super) fn tell_what_stands(&mut self, session: &mut Session, stands: &Label) {
        let (id, who) = (&stands.component, session.labels.annotator().unwrap_or_default());
        session.notice = Some(match (stands.score, stands.cannot_tell) {
            (Some(score), _) => {
                format!(
                    "{id} was labelled {} by {who} in another session; the first label stands",
                    written(score)
                )
            }
            (None, true) => format!(
                "{id} was labelled {CANNOT_TELL} by {who} in another session; the first label stands"
            ),
            (None, false) => format!(
                "the label of {id} was taken back by {who} in another session; the next one is not blind"
            ),
        });
        if self.audited_id() == Some(id) {
            self.prompt = None;
        }
    }

    /// The proposal of the item that is looked at; without one the last label given since the program started (in a study in
    /// whatever run), without that the label of the item.
    pub(super) fn take_label_back(&mut self, session: &mut Session) {
        if take_proposal_back(self, session) {
            return;
        }
        if let Some(at) = session.take_back_in_study() {
            return self.show_taken_back(session, at);
        }
        let Some(source) = session.audit_source() else { return };
        let file = source.file.clone();
        let given = session.labels.last_given(&file);
        let is_labelled = |it: &&AuditItem| session.labels.given_to(it.state(), it.key()).is_some();
        let given = given.and_then(|given| {
            session.queued().iter().find(|it| it.key() == given.key()).filter(is_labelled)
        });
        let here = || self.audited_item(session).filter(is_labelled);
        let Some(item) = given.or_else(here).cloned() else {
            session.notice = Some("there is no label here to take back".into());
            return;
        };
        session.labels.take_back(item.state(), item.key());
        self.prompt = None;
        session.notice = Some(format!(
            "the label of {} is taken back; the next one is not blind, for the verdict was seen",
            item.id
        ));
        self.chosen = Some(Chosen::of(&item));
    }

    /// To the thing of a study whose label was taken back.
    fn show_taken_back(&mut self, session: &mut Session, at: usize) {
        over_runs::go_to(self, session, at);
        self.prompt = None;
        let Some(study) = session.study() else { return };
        let Some(item) = study.item(at) else { return };
        let run = study.studied.run_of(item).map(|run| run.name.as_str()).unwrap_or_default();
        session.notice = Some(format!(
            "the label of {} of {run} is taken back; the next one is not blind, for the verdict was seen",
            item.item.id
        ));
    }

    /// Puts another reason or note to the label at hand.
    pub(super) fn amend(&mut self, session: &mut Session, change: impl FnOnce(&mut Label)) {
        let Some(label) = self.own_label(session) else { return };
        let mut label = Label { at: None, ..label.to_amend() };
        change(&mut label);
        session.labels.put(label);
    }

    pub(super) fn give_reason(&mut self, session: &mut Session, code: &'static str) {
        self.prompt = None;
        self.amend(session, |label| label.reason = Some(code.to_owned()));
        let has_note = self.own_label(session).is_some_and(|label| label.note().is_some());
        if code == OTHER && !has_note {
            self.ask_for_note(session);
            return;
        }
        session.notice = Some(format!("reason: {code}; m adds a note"));
    }

    pub(super) fn give_likely_reason(&mut self, session: &mut Session) {
        if let Some((judge, label)) = self.both_scores(session)
            && let Some(first) = offered(judge, label).first()
        {
            self.give_reason(session, first.code);
        }
    }

    /// What the judge and the rater gave, once both are known.
    pub fn both_scores(&self, session: &Session) -> Option<(f64, f64)> {
        self.revealed(session)?.score.zip(self.own_label(session)?.score())
    }

    pub(super) fn put_reason_off(&mut self, session: &mut Session) {
        self.prompt = None;
        session.notice = Some("no reason so far; b asks again".into());
    }

    pub(super) fn ask_for_reason(&mut self, session: &mut Session, layout: &Layout) {
        match self.both_scores(session) {
            None => {
                session.notice =
                    Some("a reason needs a label with a score, and a digit gives one".into());
            }
            Some((judge, label)) if judge == label => {
                session.notice =
                    Some("the label and the verdict agree: there is no reason to give".into());
            }
            Some(_) => {
                if self.areas(layout).of_part(Part::Item).is_none() {
                    self.part = Part::Item;
                }
                self.item = Default::default();
                self.prompt = Some(Prompt::Reason);
            }
        }
    }

    /// On the label, else on what is put down.
    pub(super) fn ask_for_note(&mut self, session: &mut Session) {
        if !self.is_ready(session, None) {
            return;
        }
        let note = match self.own_label(session) {
            Some(label) => label.note(),
            None => proposal(self, session).and_then(|label| label.note.as_deref()),
        };
        self.prompt = Some(Prompt::Note(note.unwrap_or_default().to_owned()));
    }

    pub(super) fn give_note(&mut self, session: &mut Session, text: &str) {
        let text = text.trim();
        let note = (!text.is_empty()).then(|| text.to_owned());
        match self.own_label(session).map(|label| label.note() != note.as_deref()) {
            Some(true) => self.amend(session, |label| label.note = note),
            Some(false) => {}
            None => change_proposal(self, session, |label| label.note = note),
        }
    }

    /// Types a number, where any is on the scale.
    pub(super) fn ask_for_score(&mut self, session: &mut Session, text: String) {
        let Some(item) = self.audited_item(session) else { return };
        match session.criterion_of(item).map(|it| it.scale) {
            Some(Scale::Share) => {
                self.prompt = Some(Prompt::Score(prompt::Typed { text, complaint: None }));
            }
            _ => session.notice = Some("the scale has levels: a digit gives one".into()),
        }
    }

    /// A number that was typed.
    fn accept_score(&mut self, session: &mut Session, typed: prompt::Typed, layout: &Layout) {
        let number = typed.text.trim().replace(',', ".").parse::<f64>().ok();
        match number.filter(|score| Scale::Share.holds(*score)) {
            Some(score) => self.answer(session, Answer::Score(score), layout),
            None => {
                let complaint = Some("expected a number from 0 to 1".to_owned());
                self.prompt = Some(Prompt::Score(prompt::Typed { complaint, ..typed }));
            }
        }
    }

    pub(super) fn save_again(&mut self, session: &mut Session) {
        match session.labels.unsaved_count() {
            0 => session.notice = Some("every label is saved".into()),
            _ => session.labels.try_again(),
        }
    }

    /// The codes to choose from for the label at hand, the likely one first; none where it agrees.
    pub fn reasons_offered(&self, session: &Session) -> Vec<&'static reason::Choice> {
        match self.both_scores(session) {
            Some((judge, label)) if judge != label => offered(judge, label),
            _ => vec![],
        }
    }

    pub(super) fn update_words(
        &mut self,
        session: &mut Session,
        message: prompt::Message,
        layout: &Layout,
    ) {
        let Some(prompt) = &mut self.prompt else { return };
        let Some(text) = prompt.text() else { return };
        match message {
            prompt::Message::Type(words) => text.push_str(&words),
            prompt::Message::Erase => {
                text.pop();
            }
            prompt::Message::EraseAll => text.clear(),
            prompt::Message::Cancel => self.prompt = None,
            prompt::Message::Accept => self.accept_words(session, layout),
        }
    }

    fn accept_words(&mut self, session: &mut Session, layout: &Layout) {
        match self.prompt.take() {
            Some(Prompt::Note(text)) if session.adjudicates() => {
                adjudicating::give_note(session, &text);
            }
            Some(Prompt::Note(text)) => self.give_note(session, &text),
            Some(Prompt::Name(name)) => self.accept_name(session, name, layout),
            Some(Prompt::Score(typed)) => self.accept_score(session, typed, layout),
            Some(Prompt::Missed(typed)) => {
                if let Err(why) = mark_missed(self, session, &typed) {
                    self.prompt = Some(Prompt::Missed(prompt::Missed { why: Some(why), ..typed }));
                }
            }
            other => self.prompt = other,
        }
    }

    fn accept_name(&mut self, session: &mut Session, name: prompt::Name, layout: &Layout) {
        let typed = name.text.trim().to_owned();
        let taken = match typed.is_empty() {
            true => Err("a name is needed: labels are kept apart by it".to_owned()),
            false => session.be_rater(&typed),
        };
        match taken {
            Err(why) => {
                self.prompt = Some(Prompt::Name(prompt::Name { complaint: Some(why), ..name }));
            }
            Ok(()) => {
                session.audited.see_again();
                self.wanted = name.then;
                self.give_wanted(session, layout);
            }
        }
    }
}
