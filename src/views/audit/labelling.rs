//! A label given, taken back, given a reason.

use crate::{
    metrics::lifeline,
    run::rubric::{Judgement, Label},
    shell::replay::Replay,
    widgets::layout::Layout,
};

use super::{
    Part,
    areas::Areas,
    prompt::Asks,
    queue::Standing,
    reason::{self, AGREE, offered},
};

/// The reason after which a note is asked for.
const OTHER: &str = "other";

impl Replay {
    /// The label of the component that is looked at.
    pub fn own_label(&self) -> Option<&Label> {
        self.session.labels.given_to(self.session.audited()?, self.audit.chosen.as_ref()?)
    }

    pub(super) fn label(&mut self, score: u8, layout: &Layout) {
        let Some(id) = self.audit.chosen.clone() else { return };
        if self.session.labels.annotator().is_none() {
            self.audit.asks = Some(Asks::name(Some(score)));
            return;
        }
        if let Some(why) = self.session.labels.why_not_read() {
            self.session.notice = Some(why.to_owned());
            return;
        }
        if !self.session.labels.is_settled() {
            self.audit.wanted = Some(score);
            return;
        }
        if let Some(label) = self.own_label() {
            let given = label.score.map(|score| score.to_string()).unwrap_or_default();
            self.session.notice = Some(format!(
                "{id} is labelled {given}; u takes a label back, and the next one is not blind"
            ));
            return;
        }
        let Some(judgement) = self.session.audited().cloned() else { return };
        let label = self.new_label(&judgement, &id, score);
        self.session.labels.put(label);
        self.session.labels.remember(&judgement, &id);
        self.show_outcome(&id, layout);
    }

    fn new_label(&self, judgement: &Judgement, id: &str, score: u8) -> Label {
        let was_seen = self.session.audited.was_seen(judgement, id)
            || self
                .session
                .labels
                .of(judgement, id)
                .is_some_and(|label| label.blind == Some(false));
        let agrees = judgement.of(id).and_then(|verdict| verdict.score) == Some(score);
        Label {
            component: id.to_owned(),
            commit: judgement.commit.clone(),
            turn: judgement.turn.or_else(|| lifeline::judged_after(&self.session.run, judgement)),
            judgement: Some(judgement.file.clone()),
            score: Some(score),
            blind: Some(!was_seen),
            reason: agrees.then(|| AGREE.to_owned()),
            note: None,
            at: None, // the world has the clock
        }
    }

    /// The verdict is there to be seen now; where it differs the reason is asked for.
    fn show_outcome(&mut self, id: &str, layout: &Layout) {
        let areas = Areas::of(layout, self.audit.part);
        if areas.of_part(Part::Component).is_none() {
            self.audit.part = Part::Component;
        }
        self.audit.item = Default::default();
        match self.standing(id) {
            Standing::Differs { is_explained: false, .. } => self.audit.asks = Some(Asks::Reason),
            Standing::Agrees(score) => {
                let next = if self.session.unlabelled().is_empty() { "" } else { "; N goes on" };
                self.session.notice = Some(format!("{id}: you and the judge say {score}{next}"));
            }
            _ => {}
        }
    }

    /// What was typed before it was known who types.
    pub(super) fn give_wanted(&mut self, layout: &Layout) {
        if self.session.labels.is_settled()
            && let Some(score) = self.audit.wanted.take()
        {
            self.label(score, layout);
        }
    }

    /// Another program labels as the same rater and was first.
    pub(super) fn tell_what_stands(&mut self, stands: &Label) {
        let (id, who) = (&stands.component, self.session.labels.annotator().unwrap_or_default());
        self.session.notice = Some(match stands.score {
            Some(score) => {
                format!(
                    "{id} was labelled {score} by {who} in another session; the first label stands"
                )
            }
            None => format!(
                "the label of {id} was taken back by {who} in another session; the next one is not blind"
            ),
        });
        if self.audit.chosen.as_ref() == Some(id) {
            self.audit.asks = None;
        }
    }

    /// The last label given since the program started; without one that of the component that is looked at.
    pub(super) fn take_label_back(&mut self) {
        let Some(judgement) = self.session.audited().cloned() else { return };
        let given = self.session.labels.last_given(&judgement);
        let given = given.filter(|id| self.session.labels.given_to(&judgement, id).is_some());
        let here = || {
            let id = self.audit.chosen.clone()?;
            self.session.labels.given_to(&judgement, &id).is_some().then_some(id)
        };
        let Some(id) = given.or_else(here) else {
            self.session.notice = Some("there is no label here to take back".into());
            return;
        };
        let Some(label) = self.session.labels.given_to(&judgement, &id) else { return };
        let empty = Label {
            score: None,
            blind: Some(false),
            reason: None,
            note: None,
            at: None,
            ..label.clone()
        };
        self.session.labels.put(empty);
        self.audit.asks = None;
        self.session.notice = Some(format!(
            "the label of {id} is taken back; the next one is not blind, for the verdict was seen"
        ));
        self.audit.chosen = Some(id);
    }

    /// Puts another reason or note to the label at hand.
    fn amend(&mut self, change: impl FnOnce(&mut Label)) {
        let Some(label) = self.own_label() else { return };
        let mut label = Label { at: None, ..label.clone() };
        change(&mut label);
        self.session.labels.put(label);
    }

    pub(super) fn give_reason(&mut self, code: &'static str) {
        self.audit.asks = None;
        self.amend(|label| label.reason = Some(code.to_owned()));
        let has_note = self.own_label().is_some_and(|label| label.note.is_some());
        if code == OTHER && !has_note {
            self.ask_for_note();
            return;
        }
        self.session.notice = Some(format!("reason: {code}; m adds a note"));
    }

    pub(super) fn give_likely_reason(&mut self) {
        if let Some((judge, label)) = self.both_scores()
            && let Some(first) = offered(judge, label).first()
        {
            self.give_reason(first.code);
        }
    }

    /// What the judge and the rater gave, once both are known.
    pub fn both_scores(&self) -> Option<(u8, u8)> {
        self.revealed()?.score.zip(self.own_label()?.score)
    }

    pub(super) fn put_reason_off(&mut self) {
        self.audit.asks = None;
        self.session.notice = Some("no reason so far; b asks again".into());
    }

    pub(super) fn ask_for_reason(&mut self, layout: &Layout) {
        match self.both_scores() {
            None => {
                self.session.notice = Some("a reason needs a label, and 0 to 4 gives one".into());
            }
            Some((judge, label)) if judge == label => {
                self.session.notice =
                    Some("the label and the verdict agree: there is no reason to give".into());
            }
            Some(_) => {
                if Areas::of(layout, self.audit.part).of_part(Part::Component).is_none() {
                    self.audit.part = Part::Component;
                }
                self.audit.item = Default::default();
                self.audit.asks = Some(Asks::Reason);
            }
        }
    }

    pub(super) fn ask_for_note(&mut self) {
        match self.own_label() {
            None => self.session.notice = Some("a note needs a label, and 0 to 4 gives one".into()),
            Some(label) => {
                let text = label.note.clone().unwrap_or_default();
                self.audit.asks = Some(Asks::Note(text));
            }
        }
    }

    pub(super) fn give_note(&mut self, text: &str) {
        let text = text.trim();
        let note = (!text.is_empty()).then(|| text.to_owned());
        let is_new = self.own_label().is_some_and(|label| label.note != note);
        if is_new {
            self.amend(|label| label.note = note);
        }
    }

    pub(super) fn save_again(&mut self) {
        match self.session.labels.unsaved_count() {
            0 => self.session.notice = Some("every label is saved".into()),
            _ => self.session.labels.try_again(),
        }
    }

    /// The codes to choose from for the label at hand, the likely one first; none where it agrees.
    pub fn reasons_offered(&self) -> Vec<&'static reason::Choice> {
        match self.both_scores() {
            Some((judge, label)) if judge != label => offered(judge, label),
            _ => vec![],
        }
    }
}
