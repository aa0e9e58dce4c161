//! A label given, taken back, given a reason.

use crate::{
    metrics::lifeline,
    run::rubric::{CANNOT_TELL, Judgement, Label, LabelOn, written},
    session::Session,
    views::audit::Audit,
    widgets::layout::Layout,
};

use super::{
    Part,
    prompt::{self, Prompt},
    queue::Standing,
    reason::{self, AGREE, offered},
};

/// The reason after which a note is asked for.
const OTHER: &str = "other";

impl Audit {
    /// The label of the component that is looked at.
    pub fn own_label<'a>(&'a self, session: &'a Session) -> Option<LabelOn<'a>> {
        session.labels.given_to(session.audited()?, self.chosen.as_ref()?)
    }

    pub(super) fn label(&mut self, session: &mut Session, score: u8, layout: &Layout) {
        let Some(id) = self.chosen.clone() else { return };
        if session.labels.annotator().is_none() {
            self.prompt = Some(Prompt::name(Some(score)));
            return;
        }
        if let Some(why) = session.labels.why_not_read() {
            session.notice = Some(why.to_owned());
            return;
        }
        if !session.labels.is_settled() {
            self.wanted = Some(score);
            return;
        }
        if let Some(label) = self.own_label(session) {
            let given = label.score().map_or_else(|| CANNOT_TELL.to_owned(), written);
            session.notice = Some(format!(
                "{id} is labelled {given}; u takes a label back, and the next one is not blind"
            ));
            return;
        }
        let Some(judgement) = session.audited().cloned() else { return };
        let label = self.new_label(session, &judgement, &id, score);
        session.labels.put(label);
        session.labels.remember(&judgement.file, (&id).into());
        self.show_outcome(session, &id, layout);
    }

    fn new_label(&self, session: &Session, judgement: &Judgement, id: &str, score: u8) -> Label {
        let was_seen = session.audited.was_seen(judgement, id)
            || session.labels.of(judgement, id).is_some_and(|label| label.blind() == Some(false));
        let agrees = judgement.of(id).and_then(|verdict| verdict.score) == Some(score);
        Label {
            component: id.to_owned(),
            commit: judgement.commit.clone(),
            turn: judgement.turn.or_else(|| lifeline::judged_after(&session.run, judgement)),
            judgement: Some(judgement.file.clone()),
            score: Some(score.into()),
            blind: Some(!was_seen),
            reason: agrees.then(|| AGREE.to_owned()),
            ..Label::default() // the world has the clock
        }
    }

    /// The verdict is there to be seen now; where it differs the reason is asked for.
    fn show_outcome(&mut self, session: &mut Session, id: &str, layout: &Layout) {
        let areas = self.areas(layout);
        if areas.of_part(Part::Component).is_none() {
            self.part = Part::Component;
        }
        self.item = Default::default();
        match self.standing(session, id) {
            Standing::Differs { is_explained: false, .. } => self.prompt = Some(Prompt::Reason),
            Standing::Agrees(score) => {
                let next = if session.unlabelled().is_empty() { "" } else { "; N goes on" };
                session.notice = Some(format!("{id}: you and the judge say {score}{next}"));
            }
            _ => {}
        }
    }

    /// What was typed before it was known who types.
    pub(super) fn give_wanted(&mut self, session: &mut Session, layout: &Layout) {
        if session.labels.is_settled()
            && let Some(score) = self.wanted.take()
        {
            self.label(session, score, layout);
        }
    }

    /// Another program labels as the same rater and was first.
    pub(super) fn tell_what_stands(&mut self, session: &mut Session, stands: &Label) {
        let (id, who) = (&stands.component, session.labels.annotator().unwrap_or_default());
        session.notice = Some(match stands.score {
            Some(score) => {
                format!(
                    "{id} was labelled {score} by {who} in another session; the first label stands"
                )
            }
            None => format!(
                "the label of {id} was taken back by {who} in another session; the next one is not blind"
            ),
        });
        if self.chosen.as_ref() == Some(id) {
            self.prompt = None;
        }
    }

    /// The last label given since the program started; without one that of the component that is looked at.
    pub(super) fn take_label_back(&mut self, session: &mut Session) {
        let Some(judgement) = session.audited().cloned() else { return };
        let given = session.labels.last_given(&judgement.file).map(|it| it.item);
        let given = given.filter(|id| session.labels.given_to(&judgement, id).is_some());
        let here = || {
            let id = self.chosen.clone()?;
            session.labels.given_to(&judgement, &id).is_some().then_some(id)
        };
        let Some(id) = given.or_else(here) else {
            session.notice = Some("there is no label here to take back".into());
            return;
        };
        session.labels.take_back((&judgement).into(), (&id).into());
        self.prompt = None;
        session.notice = Some(format!(
            "the label of {id} is taken back; the next one is not blind, for the verdict was seen"
        ));
        self.chosen = Some(id);
    }

    /// Puts another reason or note to the label at hand.
    fn amend(&mut self, session: &mut Session, change: impl FnOnce(&mut Label)) {
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
        self.revealed(session)?.score.map(f64::from).zip(self.own_label(session)?.score())
    }

    pub(super) fn put_reason_off(&mut self, session: &mut Session) {
        self.prompt = None;
        session.notice = Some("no reason so far; b asks again".into());
    }

    pub(super) fn ask_for_reason(&mut self, session: &mut Session, layout: &Layout) {
        match self.both_scores(session) {
            None => {
                session.notice = Some("a reason needs a label, and 0 to 4 gives one".into());
            }
            Some((judge, label)) if judge == label => {
                session.notice =
                    Some("the label and the verdict agree: there is no reason to give".into());
            }
            Some(_) => {
                if self.areas(layout).of_part(Part::Component).is_none() {
                    self.part = Part::Component;
                }
                self.item = Default::default();
                self.prompt = Some(Prompt::Reason);
            }
        }
    }

    pub(super) fn ask_for_note(&mut self, session: &mut Session) {
        match self.own_label(session) {
            None => session.notice = Some("a note needs a label, and 0 to 4 gives one".into()),
            Some(label) => {
                let text = label.note().unwrap_or_default().to_owned();
                self.prompt = Some(Prompt::Note(text));
            }
        }
    }

    pub(super) fn give_note(&mut self, session: &mut Session, text: &str) {
        let text = text.trim();
        let note = (!text.is_empty()).then(|| text.to_owned());
        let is_new = self.own_label(session).is_some_and(|label| label.note() != note.as_deref());
        if is_new {
            self.amend(session, |label| label.note = note);
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
                super::adjudicating::give_note(session, &text);
            }
            Some(Prompt::Note(text)) => self.give_note(session, &text),
            Some(Prompt::Name(name)) => self.accept_name(session, name, layout),
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
                self.wanted = name.then;
                self.give_wanted(session, layout);
            }
        }
    }
}
