//! The labels of one rater: as they are on disk, and those on their way there.
//!
//! A label is shown at once and counts at once; it is unsaved until the world answers that it is on disk. One is
//! saved at a time, in the order in which they were given. After a failure the rest waits for the next label or for the
//! rater to say so.

use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
};

use trajview_run::rubric::{ItemKey, JudgedState, Label, LabelOn, Labels, Unit, VerdictId};

use super::{
    ask::{Loading, Pending},
    effect::Effect,
    question::Question,
    request::{Numbers, Request},
    saved::{Saved, ToSave},
};

#[derive(Debug, Default)]
pub struct RaterLabels {
    annotator: Option<String>,
    /// The folder that they are saved to; None for the bundle of the run that is open.
    place: Option<PathBuf>,
    /// As on disk when it was last read or written.
    kept: Loading<Labels>,
    /// Places in the list of those, by the id of their item.
    by_id: HashMap<String, Vec<usize>>,
    unsaved: VecDeque<ToSave>,
    /// Why the first of those could not be saved.
    failed: Option<String>,
    pending: Pending<()>,
    /// Labelled since the program started, the last one last.
    given: Vec<VerdictId>,
}

impl RaterLabels {
    /// Those of a rater in a run of a study, which are known already and kept in this folder.
    pub fn kept_in(place: &Path, annotator: &str, labels: Labels) -> Self {
        let place = Some(place.to_owned());
        let mut known = Self { place, kept: Loading::Ready(labels), ..Self::called(annotator) };
        known.know();
        known
    }

    /// Of a rater who has said nothing.
    pub fn called(annotator: &str) -> Self {
        Self { annotator: Some(annotator.to_owned()), ..Self::default() }
    }

    /// As on disk when they were last read or written.
    pub fn kept(&self) -> Option<&Labels> {
        self.kept.ready()
    }

    /// Whether this is the number of the label that is being saved.
    pub fn awaits(&self, request: Request) -> bool {
        self.pending.is_about(request)
    }

    pub fn annotator(&self) -> Option<&str> {
        self.annotator.as_deref()
    }

    /// From now on this rater labels. What another one gave and is not on disk yet is lost only if it cannot be saved;
    /// so this is refused while anything waits, with a sentence.
    pub fn be(&mut self, annotator: &str) -> Result<(), String> {
        if self.annotator.as_deref() == Some(annotator) {
            return Ok(());
        }
        if !self.unsaved.is_empty() {
            let name = self.annotator.as_deref().unwrap_or_default();
            return Err(format!("labels of {name} are not saved yet"));
        }
        *self = Self { annotator: Some(annotator.to_owned()), ..Self::default() };
        Ok(())
    }

    /// Whether the labels were read, or cannot be.
    pub const fn is_settled(&self) -> bool {
        matches!(self.kept, Loading::Ready(_) | Loading::Failed(_))
    }

    /// Why there is no place for labels.
    pub fn why_not_read(&self) -> Option<&str> {
        match &self.kept {
            Loading::Failed(why) => Some(why),
            _ => None,
        }
    }

    /// Why the last label is not on disk.
    pub fn why_not_saved(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Labels and proposals that are not on disk.
    pub fn unsaved_count(&self) -> usize {
        self.unsaved.iter().filter(|it| !matches!(it, ToSave::Seen(_))).count()
    }

    /// What the rater said last of an item as it was judged, a label that was taken back included.
    pub fn of<'a, 'i>(
        &'a self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<LabelOn<'a>> {
        let item = item.into();
        LabelOn::of(self.all_of(item.id), state.into(), item)
    }

    /// As [`Self::all`], those whose item has this id.
    fn all_of(&self, id: &str) -> impl DoubleEndedIterator<Item = &Label> {
        let labels = self.kept.ready().map_or(&[][..], |kept| &kept.labels);
        let places = self.by_id.get(id).map_or(&[][..], Vec::as_slice);
        places.iter().filter_map(|at| labels.get(*at)).chain(self.unsaved_labels())
    }

    fn know(&mut self) {
        self.by_id.clear();
        let labels = self.kept.ready().map_or(&[][..], |kept| &kept.labels);
        for (at, label) in labels.iter().enumerate() {
            self.by_id.entry(label.component.clone()).or_default().push(at);
        }
    }

    /// Those on disk, then those on their way.
    fn all(&self) -> impl DoubleEndedIterator<Item = &Label> {
        let kept = self.kept.ready().map_or(&[][..], |kept| &kept.labels);
        kept.iter().chain(self.unsaved_labels())
    }

    fn unsaved_labels(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.unsaved.iter().filter_map(|it| match it {
            ToSave::Label(label) => Some(label),
            ToSave::Proposal(_) | ToSave::Seen(_) => None,
        })
    }

    /// What was put down of an item and not committed. A label takes it away.
    pub fn proposal_of<'i>(
        &self,
        state: JudgedState<'_>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<&Label> {
        let item = item.into();
        let is_it = |label: &Label| label.is_on(state, item);
        let last = self.unsaved.iter().rev().find_map(|it| match it {
            ToSave::Label(label) if is_it(label) => Some(None),
            ToSave::Proposal(label) if is_it(label) => Some(Some(label)),
            ToSave::Label(_) | ToSave::Proposal(_) | ToSave::Seen(_) => None,
        });
        let kept = || self.kept.ready()?.proposals.iter().rfind(|label| is_it(label));
        last.unwrap_or_else(kept).filter(|label| label.says_something())
    }

    /// Puts down what may still change, in the place of what was put down of the item before.
    pub fn propose(&mut self, proposal: Label) {
        let is_free = self.pending.is_free();
        let first = usize::from(!is_free); // the first is on its way
        let is_same = |it: &ToSave| matches!(it, ToSave::Proposal(known) if known.is_about_the_same(&proposal));
        match self.unsaved.iter().skip(first).position(is_same) {
            Some(at) => self.unsaved[first + at] = ToSave::Proposal(proposal),
            None => self.unsaved.push_back(ToSave::Proposal(proposal)),
        }
        self.failed = None;
    }

    /// Brings to the file which verdicts were on screen; those that it has are left out, and those of items whose label names
    /// the judgement.
    pub fn see(&mut self, verdicts: impl IntoIterator<Item = VerdictId>) {
        let is_new = |it: &VerdictId| {
            let of_item = |label: &Label| {
                label.item() == it.key() && label.judgement.as_ref() == Some(&it.judgement)
            };
            !self.has_seen(&it.judgement, it.key()) && !self.all().any(of_item)
        };
        let new: Vec<VerdictId> = verdicts.into_iter().filter(is_new).collect();
        if !new.is_empty() {
            self.unsaved.push_back(ToSave::Seen(new));
        }
    }

    /// The places that this rater holds flagged rightly in a judged state, each once.
    pub fn accepted_flags(&self, file: &str, commit: Option<&str>) -> Vec<&Label> {
        let state = JudgedState { file, commit, turn: None };
        let is_here = |label: &&Label| {
            label.unit == Unit::Flag
                && self.of(state, label.item()).is_some_and(|it| it.given == *label)
        };
        let accepts = |label: &&Label| label.score == Some(f64::from(Unit::Flag.levels().full()));
        self.all().filter(is_here).filter(accepts).collect()
    }

    /// Whether the file says that a verdict was on screen.
    pub fn has_seen(&self, file: &str, item: ItemKey<'_>) -> bool {
        self.kept.ready().is_some_and(|kept| kept.has_seen(file, item))
            || self.files_seen(item).any(|it| it == file)
    }

    /// The files of judgements whose verdict on an item was on screen, as the file and the labels of it say; of a label that
    /// was taken back that of its judgement.
    pub fn files_seen<'a>(&'a self, item: ItemKey<'a>) -> impl Iterator<Item = String> + 'a {
        let kept = self.kept.ready().into_iter().flat_map(|kept| &kept.seen);
        let listed = kept.filter(move |it| it.shows(item)).map(|it| it.judgement.clone());
        let labels = self.all_of(item.id).filter(move |label| label.item() == item);
        let said = labels.flat_map(|label| {
            let own = label.judgement.iter().filter(|_| label.blind == Some(false));
            label.seen.iter().flatten().chain(own).cloned().collect::<Vec<_>>()
        });
        listed.chain(said)
    }

    /// The label that is in; one that was taken back is none.
    pub fn given_to<'a, 'i>(
        &'a self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<LabelOn<'a>> {
        self.of(state, item).filter(|label| label.is_answered())
    }

    pub fn is_unsaved<'a, 'i>(
        &self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> bool {
        let (state, item) = (state.into(), item.into());
        self.unsaved_labels().any(|label| label.is_on(state, item))
    }

    /// Takes the label of an item in a judged state back, whichever judgements its reasons are about.
    pub fn take_back(&mut self, state: JudgedState<'_>, item: ItemKey<'_>) {
        let mut emptied: Vec<Label> = vec![];
        for label in self.all_of(item.id).filter(|label| label.is_on(state, item)) {
            emptied.retain(|before| !before.is_of_one(label));
            emptied.push(Label {
                score: None,
                cannot_tell: false,
                confidence: None,
                blind: Some(false),
                reason: None,
                note: None,
                at: None,
                ..label.clone()
            });
        }
        emptied.into_iter().for_each(|label| self.put(label));
    }

    /// To be saved next. What waited for a better moment is tried again.
    pub fn put(&mut self, label: Label) {
        self.failed = None;
        self.unsaved.push_back(ToSave::Label(label));
    }

    pub fn try_again(&mut self) {
        self.failed = None;
    }

    /// Remembers a label that was given, to be taken back.
    pub fn remember(&mut self, judgement: &str, item: ItemKey<'_>) {
        self.given.push(VerdictId::of(judgement, item));
    }

    /// The last item that was labelled for this judgement; it is not remembered any longer.
    pub fn last_given(&mut self, judgement: &str) -> Option<VerdictId> {
        let at = self.given.iter().rposition(|it| it.judgement == judgement)?;
        Some(self.given.remove(at))
    }

    /// Asks for what is on disk, where that is to be asked.
    pub fn ask_for_labels(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let annotator = self.annotator.clone()?;
        let is_unread = self.kept.is_nothing();
        is_unread.then(|| self.kept.ask(numbers, Question::Labels { annotator }))
    }

    /// Has saved what is to be saved now, if anything, beside what is known to be on disk of the same thing.
    pub fn ask_to_save(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let (annotator, what) = (self.annotator.clone()?, self.unsaved.front()?.clone());
        if self.failed.is_some() || !self.pending.is_free() {
            return None;
        }
        let seen = match &what {
            ToSave::Label(label) => self.kept.ready().and_then(|kept| kept.about(label)).cloned(),
            ToSave::Proposal(_) | ToSave::Seen(_) => None,
        };
        let question = Question::SaveLabel { place: self.place.clone(), annotator, what, seen };
        Some(self.pending.ask(numbers, (), question))
    }

    pub fn take_labels(&mut self, request: Request, labels: Result<Labels, String>) {
        self.kept.settle(request, labels);
        self.know();
    }

    /// Gives the label that stands where another program was first; what waits to be saved of the same thing is dropped
    /// then.
    pub fn take_saved(&mut self, request: Request, saved: Result<Saved, String>) -> Option<Label> {
        self.pending.answered(request)?;
        match saved {
            Ok(Saved { labels, stands }) => {
                self.unsaved.pop_front();
                self.kept = Loading::Ready(labels);
                self.know();
                let stands = *stands?;
                self.unsaved.retain(
                    |it| !matches!(it, ToSave::Label(label) if label.is_about_the_same(&stands)),
                );
                self.given.retain(|it| it.key() != stands.item());
                Some(stands)
            }
            Err(why) => {
                // What was seen is told with the next label too: that a place cannot be written to is told with that.
                match self.unsaved.front() {
                    Some(ToSave::Seen(_)) => drop(self.unsaved.pop_front()),
                    Some(ToSave::Label(_) | ToSave::Proposal(_)) | None => self.failed = Some(why),
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::Judgement;

    fn judgement() -> Judgement {
        let (file, commit) = ("judgements/a.json".into(), Some("abcdef".into()));
        Judgement { file, commit, ..Judgement::default() }
    }

    fn label(id: &str, score: u8) -> Label {
        let judgement = Some("judgements/a.json".into());
        Label { component: id.into(), judgement, score: Some(score.into()), ..Label::default() }
    }

    fn ready() -> (RaterLabels, Numbers) {
        let (mut labels, mut numbers) = (RaterLabels::default(), Numbers::default());
        labels.be("ann").unwrap();
        let request = labels.ask_for_labels(&mut numbers).and_then(|it| it.request()).unwrap();
        labels.take_labels(request, Ok(Labels::default()));
        (labels, numbers)
    }

    fn saved(labels: &[Label]) -> Result<Saved, String> {
        let labels = Labels { labels: labels.to_vec(), ..Labels::default() };
        Ok(Saved { labels, stands: None })
    }

    /// The number of the question, the label that is to be saved, and what was seen before it.
    fn to_save(
        labels: &mut RaterLabels,
        numbers: &mut Numbers,
    ) -> Option<(Request, Label, Option<Label>)> {
        let Effect::Ask(request, question) = labels.ask_to_save(numbers)? else { return None };
        let Question::SaveLabel { what: ToSave::Label(label), seen, .. } = *question else {
            return None;
        };
        Some((request, label, seen))
    }

    #[test]
    fn labels_are_saved_one_at_a_time_in_their_order_and_count_at_once() {
        let (mut labels, mut numbers) = ready();
        labels.put(label("C1", 1));
        labels.put(label("C2", 2));
        let (request, first, _) = to_save(&mut labels, &mut numbers).unwrap();

        assert_eq!(first, label("C1", 1));
        assert_eq!(labels.ask_to_save(&mut numbers), None);
        assert_eq!(labels.of(&judgement(), "C2").unwrap().given, &label("C2", 2));
        labels.take_saved(request, saved(&[label("C1", 1)]));
        assert!(!labels.is_unsaved(&judgement(), "C1") && labels.is_unsaved(&judgement(), "C2"));
        assert_eq!(labels.of(&judgement(), "C1").unwrap().given, &label("C1", 1));
        assert_eq!(to_save(&mut labels, &mut numbers).unwrap().1, label("C2", 2));
    }

    #[test]
    fn what_cannot_be_saved_waits_and_is_tried_again() {
        let (mut labels, mut numbers) = ready();
        labels.put(label("C1", 1));
        let (request, ..) = to_save(&mut labels, &mut numbers).unwrap();

        labels.take_saved(request, Err("read-only file system".into()));

        assert_eq!(labels.why_not_saved(), Some("read-only file system"));
        assert_eq!(labels.of(&judgement(), "C1").unwrap().given, &label("C1", 1));
        assert_eq!(labels.ask_to_save(&mut numbers), None);
        assert!(labels.be("bob").is_err());
        labels.try_again();
        assert_eq!(to_save(&mut labels, &mut numbers).unwrap().1, label("C1", 1));
    }

    #[test]
    fn the_first_label_of_two_programs_stands_and_what_the_second_said_of_it_is_dropped() {
        let (mut labels, mut numbers) = ready();
        labels.put(label("C1", 1));
        labels.put(Label { reason: Some("other".into()), ..label("C1", 1) });
        labels.put(label("C2", 2));
        labels.remember("judgements/a.json", "C1".into());
        let (request, _, seen) = to_save(&mut labels, &mut numbers).unwrap();
        assert_eq!(seen, None);

        let first = label("C1", 4);
        let kept = Labels { labels: vec![first.clone()], ..Labels::default() };
        let saved = Saved { labels: kept, stands: Some(Box::new(first.clone())) };
        let told = labels.take_saved(request, Ok(saved));

        assert_eq!(told, Some(first.clone()));
        assert_eq!(labels.of(&judgement(), "C1").unwrap().given, &first);
        assert_eq!(labels.last_given("judgements/a.json"), None);
        assert_eq!(to_save(&mut labels, &mut numbers).unwrap().1, label("C2", 2));
    }

    #[test]
    fn a_proposal_is_no_label_and_a_label_takes_it_away() {
        let (mut labels, mut numbers) = ready();
        let judgement = judgement();
        let state = || JudgedState::from(&judgement);
        labels.propose(label("C1", 1));
        labels.propose(label("C1", 2));

        assert_eq!(labels.of(&judgement, "C1"), None);
        assert_eq!(labels.proposal_of(state(), "C1"), Some(&label("C1", 2)));
        assert_eq!(labels.unsaved_count(), 1);
        labels.put(label("C1", 3));
        assert_eq!(labels.proposal_of(state(), "C1"), None);
        assert!(labels.ask_to_save(&mut numbers).is_some());
    }

    #[test]
    fn what_was_seen_is_saved_once_and_never_stands_in_the_way() {
        let (mut labels, mut numbers) = ready();
        let seen = || [VerdictId::of("a", "C1".into())];
        labels.see(seen());
        let request = labels.ask_to_save(&mut numbers).and_then(|it| it.request()).unwrap();
        labels.take_saved(request, Err("read-only file system".into()));
        assert_eq!((labels.unsaved_count(), labels.why_not_saved()), (0, None));

        labels.see(seen());
        let request = labels.ask_to_save(&mut numbers).and_then(|it| it.request()).unwrap();
        let kept = Labels { seen: seen().into(), ..Labels::default() };
        labels.take_saved(request, Ok(Saved { labels: kept, stands: None }));
        labels.see(seen());

        assert_eq!(labels.ask_to_save(&mut numbers), None);
        assert!(labels.has_seen("a", "C1".into()));
    }

    #[test]
    fn a_label_of_another_judgement_or_commit_is_none_of_this_one() {
        let (mut labels, _) = ready();
        labels.put(Label { judgement: Some("judgements/b.json".into()), ..label("C1", 1) });
        assert_eq!(labels.of(&judgement(), "C1"), None);
        labels.put(Label { commit: Some("123".into()), ..label("C1", 1) });
        assert_eq!(labels.of(&judgement(), "C1"), None);
        labels.put(Label { judgement: None, commit: Some("abc".into()), ..label("C1", 3) });
        assert_eq!(labels.of(&judgement(), "C1").unwrap().score(), Some(3.0));
    }
}
