//! Which judgement is audited, which of its components wait for a label, and which verdicts were seen before theirs was in.
//!
//! Once the audit was looked at, the replay says nothing of components that wait for a label. The scores say all there
//! is, and who looks there is free to; the labels that follow are not blind, and the audit says so.

use std::collections::BTreeSet;

use crate::{
    metrics::lifeline,
    run::rubric::{JudgedState, Judgement, LabelOn},
    study::queue::{Plan, queue},
};

use super::{Session, study::StudyQueue};

#[derive(Debug, Default)]
pub struct Audited {
    /// File of the judgement that is audited, where it was flipped to.
    judgement: Option<String>,
    queue: Queue,
    /// Whether the audit was on screen.
    has_begun: bool,
    /// The study that the run is of, where one is worked on; it goes from run to run.
    pub(super) study: Option<Box<StudyQueue>>,
    /// Verdicts that were on screen since the program started: judgement and component.
    seen: BTreeSet<(String, String)>,
}

/// The queue as it was drawn last; drawing costs more than looking.
#[derive(Debug, Default)]
struct Queue {
    /// Of which judgement, how many of its verdicts have a score, and with which seed.
    of: Option<(String, usize, u64)>,
    /// Ids of components.
    ids: Vec<String>,
}

impl Queue {
    fn settle(&mut self, judgement: Option<&Judgement>, seed: Option<u64>) {
        let plan = Plan { seed: seed.unwrap_or(Plan::default().seed), ..Plan::default() };
        let scored =
            |it: &Judgement| it.verdicts.iter().filter(|verdict| verdict.score.is_some()).count();
        let of = judgement.map(|it| (it.file.clone(), scored(it), plan.seed));
        if self.of != of {
            self.of = of;
            let drawn = judgement.map(|judgement| queue(&[judgement], plan)).unwrap_or_default();
            self.ids = drawn.into_iter().map(|item| item.component).collect();
        }
    }
}

impl Audited {
    /// From now on this judgement is audited.
    pub fn look_at(&mut self, judgement: &str) {
        if self.judgement.as_deref() != Some(judgement) {
            self.judgement = Some(judgement.to_owned());
        }
    }

    /// The audit is on screen: from now on what waits for a label is hidden elsewhere.
    pub const fn begin(&mut self) {
        self.has_begun = true;
    }

    /// Remembers verdicts that were on screen: judgement and component.
    pub fn see(&mut self, verdicts: impl IntoIterator<Item = (String, String)>) {
        self.seen.extend(verdicts);
    }

    /// Whether a verdict was on screen since the program started.
    pub fn was_seen(&self, judgement: &Judgement, id: &str) -> bool {
        self.seen.contains(&(judgement.file.clone(), id.to_owned()))
    }
}

impl Session {
    /// The judgement that is audited: the one that was flipped to, else the one that speaks, else the last with a score.
    pub fn audited(&self) -> Option<&Judgement> {
        let rubric = self.rubric.known()?;
        let wanted = self.audited.judgement.as_ref();
        let flipped = wanted.and_then(|file| rubric.judgements.iter().find(|it| it.file == *file));
        flipped.or_else(|| rubric.shown())
    }

    /// Which of how many it is; both count from 1.
    pub fn audited_number(&self) -> Option<(usize, usize)> {
        let judgements = self.judgements_to_audit();
        let file = &self.audited()?.file;
        let at = judgements.iter().position(|it| it.file == *file)?;
        Some((at + 1, judgements.len()))
    }

    /// Those with a score at least.
    fn judgements_to_audit(&self) -> Vec<&Judgement> {
        let rubric = self.rubric.known();
        let all = rubric.map_or(&[][..], |rubric| &rubric.judgements);
        let has_score = |it: &&Judgement| it.verdicts.iter().any(|it| it.score.is_some());
        all.iter().filter(has_score).collect()
    }

    /// To another judgement that can be audited, by count. Which one that is, as a sentence.
    ///
    /// # Errors
    /// Where there is no other; a sentence.
    pub fn flip_audited(&mut self, by: isize) -> Result<String, String> {
        if self.study().is_some() {
            return Err("the study says which judgement is audited".into());
        }
        let (number, count) = self.audited_number().ok_or("nothing has judged this run yet")?;
        if count == 1 {
            return Err("this run has one judgement with scores".into());
        }
        let at = (number as isize - 1 + by).rem_euclid(count as isize) as usize;
        let file = self.judgements_to_audit().get(at).map(|it| it.file.clone());
        let words =
            format!("judgement {} of {count}: {}", at + 1, file.as_deref().unwrap_or_default());
        self.audited.judgement = file;
        Ok(words)
    }

    /// The turn after which the audited code was judged, counts from 0; None where the run has no such moment.
    pub fn audited_turn(&self) -> Option<usize> {
        lifeline::judged_after(&self.run, self.audited()?)?.checked_sub(1)
    }

    /// Draws the queue with a seed, where something about it is new.
    pub fn draw_queue(&mut self, seed: Option<u64>) {
        let mut queue = std::mem::take(&mut self.audited.queue);
        if self.study().is_some() {
            let file = self.audited().map(|it| it.file.clone()).unwrap_or_default();
            (queue.of, queue.ids) = (None, self.study_ids(&file));
        } else {
            queue.settle(self.audited(), seed);
        }
        self.audited.queue = queue;
    }

    /// Ids of the components that are in the queue, in its order.
    pub fn queued(&self) -> &[String] {
        &self.audited.queue.ids
    }

    /// Ids of what is in the queue and has no label.
    pub fn unlabelled(&self) -> BTreeSet<&str> {
        let Some(judgement) = self.audited() else { return BTreeSet::new() };
        let is_open = |id: &&String| self.labels.given_to(judgement, *id).is_none();
        self.queued().iter().filter(is_open).map(String::as_str).collect()
    }

    /// Whether the verdict on a component waits for a label, so that nothing of it may be shown beside the code.
    pub fn is_hidden_by_the_audit(&self, id: &str) -> bool {
        self.audited.has_begun && self.unlabelled().contains(id)
    }

    /// The label of the rater at the screen on a component, in the judgement that is looked at. Labels of others are on no
    /// screen: whoever sees them is no independent rater any more. None while nobody said who the rater is.
    pub fn own_label_of<'a>(&'a self, id: &'a str) -> Option<LabelOn<'a>> {
        let annotator = self.labels.annotator()?;
        let own = self.rubric.known()?.labels.iter().find(|it| it.annotator == annotator)?;
        let label = match self.rubric.judgement() {
            Some(judgement) => own.on(judgement, id),
            None => {
                let last = own.labels.iter().rfind(|label| label.item() == id.into());
                let state = last.map(|label| JudgedState {
                    file: label.judgement.as_deref().unwrap_or_default(),
                    commit: label.commit.as_deref(),
                    turn: label.turn,
                });
                state.and_then(|state| own.on(state, id))
            }
        };
        label.filter(|label| label.is_answered())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        run::{
            Run,
            rubric::{Label, Rubric, Verdict},
        },
        session::request::Numbers,
    };

    fn judgement(file: &str) -> Judgement {
        let verdict =
            |id: &str| Verdict { component: id.into(), score: Some(2), ..Verdict::default() };
        let verdicts = vec![verdict("C1"), verdict("C2")];
        Judgement { file: file.into(), verdicts, ..Judgement::default() }
    }

    fn session(files: &[&str]) -> Session {
        let mut session = Session::of(Run::default().into());
        let asked = session.ask_rubric(&mut Numbers::default(), false).unwrap();
        let judgements = files.iter().map(|file| judgement(file)).collect();
        let rubric = Rubric { judgements, ..Rubric::default() };
        session.rubric.take(asked.request().unwrap(), Ok(Arc::new(rubric)));
        session.draw_queue(None);
        session
    }

    #[test]
    fn what_waits_for_a_label_is_hidden_once_the_audit_was_looked_at() {
        let mut session = session(&["a"]);
        assert!(!session.is_hidden_by_the_audit("C1"));

        session.audited.begin();
        let label = Label {
            component: "C1".into(),
            judgement: Some("a".into()),
            score: Some(2.0),
            ..Label::default()
        };
        session.labels.put(label);

        assert!(!session.is_hidden_by_the_audit("C1") && session.is_hidden_by_the_audit("C2"));
    }

    #[test]
    fn the_audit_goes_round_the_judgements_with_scores() {
        let mut one = session(&["a"]);
        let mut two = session(&["a", "b"]);
        let first = two.audited_number().unwrap();

        assert_eq!(one.flip_audited(1), Err("this run has one judgement with scores".into()));
        assert!(two.flip_audited(1).is_ok());
        assert_ne!(two.audited_number().unwrap(), first);
        assert!(two.flip_audited(1).is_ok());
        assert_eq!(two.audited_number().unwrap(), first);
    }

    #[test]
    fn a_verdict_that_was_on_screen_was_seen_in_its_judgement_alone() {
        let mut audited = Audited::default();
        audited.see([("a".into(), "C1".into())]);

        assert!(audited.was_seen(&judgement("a"), "C1"));
        assert!(!audited.was_seen(&judgement("b"), "C1"));
    }
}
