//! The labels of one rater: those on disk, and those being saved.
//!
//! A label is shown at once and counts at once; it is unsaved until the runtime confirms that it is on disk. Labels
//! are saved one at a time, in their order. After a failure the rest waits for the next label or for the rater to try
//! again.

use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
};

use trajview_run::rubric::{
    ItemKey, JudgedState, JudgementLabel, Label, LabelFile, LabelUnit, VerdictId,
};

use super::{
    effect::Effect,
    label_protocol::{LabelSave, SavedLabels},
    pending::{Loading, Pending},
    question::Question,
    request::{RequestId, RequestIds},
};

#[derive(Debug, Default)]
pub struct RaterLabels {
    annotator: Option<String>,
    /// The folder that they are saved to; None for the bundle of the run that is open.
    folder: Option<PathBuf>,
    /// The labels on disk, as of the last read or write.
    saved: Loading<LabelFile>,
    /// Places in the list of those, by the id of their item.
    by_id: HashMap<String, Vec<usize>>,
    unsaved: VecDeque<LabelSave>,
    /// The reason why the first unsaved label could not be saved.
    failed: Option<String>,
    pending: Pending<()>,
    /// Labelled since the program started, the last one last.
    given_here: Vec<VerdictId>,
    /// Grows with each change of the labels, so that whatever is computed of them need not look at each.
    change_count: u64,
}

impl RaterLabels {
    /// Creates the labels of a rater in a run of a study, which are known already and saved in this folder.
    pub fn in_folder(place: &Path, annotator: &str, labels: LabelFile) -> Self {
        let place = Some(place.to_owned());
        let mut known =
            Self { folder: place, saved: Loading::Ready(labels), ..Self::for_rater(annotator) };
        known.index_labels();
        known
    }

    /// Creates the labels of a rater without any.
    pub(crate) fn for_rater(annotator: &str) -> Self {
        Self { annotator: Some(annotator.to_owned()), ..Self::default() }
    }

    /// Returns the labels on disk, as of the last read or write.
    pub(crate) fn saved_labels(&self) -> Option<&LabelFile> {
        self.saved.ready()
    }

    /// Returns whether this is the number of the label that is being saved.
    pub(crate) fn awaits_save(&self, request: RequestId) -> bool {
        self.pending.is_waiting_for(request)
    }

    pub fn annotator(&self) -> Option<&str> {
        self.annotator.as_deref()
    }

    /// Sets the rater. Refuses with a sentence while labels of another rater are unsaved, since they would be lost if
    /// they could not be saved.
    pub(crate) fn set_annotator(&mut self, annotator: &str) -> Result<(), String> {
        if self.annotator.as_deref() == Some(annotator) {
            return Ok(());
        }
        if !self.unsaved.is_empty() {
            let name = self.annotator.as_deref().unwrap_or_default();
            return Err(format!("labels of {name} are not saved yet"));
        }
        let change_count = self.change_count + 1;
        *self = Self { annotator: Some(annotator.to_owned()), change_count, ..Self::default() };
        Ok(())
    }

    /// Returns whether the labels were read, or reading failed.
    pub const fn is_settled(&self) -> bool {
        matches!(self.saved, Loading::Ready(_) | Loading::Failed(_))
    }

    /// Returns the reason why labels cannot be read.
    pub(crate) fn why_not_read(&self) -> Option<&str> {
        match &self.saved {
            Loading::Failed(why) => Some(why),
            _ => None,
        }
    }

    /// Returns the reason why the last label is not on disk.
    pub(crate) fn why_not_saved(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Returns the number of labels and proposals that are not on disk.
    pub(crate) fn unsaved_count(&self) -> usize {
        self.unsaved.iter().filter(|it| !matches!(it, LabelSave::Seen(_))).count()
    }

    /// Returns the rater's latest label of an item in its judged state, even a withdrawn one.
    pub(crate) fn label_on<'a, 'i>(
        &'a self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<JudgementLabel<'a>> {
        let item = item.into();
        JudgementLabel::from_labels(self.labels_with_id(item.id), state.into(), item)
    }

    /// Returns the labels of [`Self::all_labels`] whose item has this id.
    fn labels_with_id(&self, id: &str) -> impl DoubleEndedIterator<Item = &Label> {
        let labels = self.saved.ready().map_or(&[][..], |kept| &kept.labels);
        let places = self.by_id.get(id).map_or(&[][..], Vec::as_slice);
        places.iter().filter_map(|at| labels.get(*at)).chain(self.unsaved_labels())
    }

    /// Returns a number that is another one whenever the labels may be others.
    pub(crate) const fn change_count(&self) -> u64 {
        self.change_count
    }

    fn index_labels(&mut self) {
        self.change_count += 1;
        self.by_id.clear();
        let labels = self.saved.ready().map_or(&[][..], |kept| &kept.labels);
        for (at, label) in labels.iter().enumerate() {
            self.by_id.entry(label.component.clone()).or_default().push(at);
        }
    }

    /// Returns the labels on disk, then the unsaved ones.
    fn all_labels(&self) -> impl DoubleEndedIterator<Item = &Label> {
        let kept = self.saved.ready().map_or(&[][..], |kept| &kept.labels);
        kept.iter().chain(self.unsaved_labels())
    }

    /// Returns the labels on disk and the unsaved ones as one file; None while the rater is not known.
    pub(crate) fn label_file(&self) -> Option<LabelFile> {
        let (annotator, labels) = (self.annotator.clone()?, self.all_labels().cloned().collect());
        Some(LabelFile { annotator, labels, ..LabelFile::default() })
    }

    fn unsaved_labels(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.unsaved.iter().filter_map(|it| match it {
            LabelSave::Label(label) => Some(label),
            LabelSave::Proposal(_) | LabelSave::Seen(_) => None,
        })
    }

    /// Returns the proposal for an item that is not committed. A label removes it.
    pub(crate) fn proposal_of<'i>(
        &self,
        state: JudgedState<'_>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<&Label> {
        let item = item.into();
        let is_it = |label: &Label| label.is_on(state, item);
        let last = self.unsaved.iter().rev().find_map(|it| match it {
            LabelSave::Label(label) if is_it(label) => Some(None),
            LabelSave::Proposal(label) if is_it(label) => Some(Some(label)),
            LabelSave::Label(_) | LabelSave::Proposal(_) | LabelSave::Seen(_) => None,
        });
        let kept = || self.saved.ready()?.proposals.iter().rfind(|label| is_it(label));
        last.unwrap_or_else(kept).filter(|label| label.has_content())
    }

    /// Queues a label that may still change to be saved, in the place of an unsaved one on the same item.
    pub(crate) fn put_proposal(&mut self, proposal: Label) {
        let is_free = self.pending.is_free();
        let first = usize::from(!is_free); // the first is on its way
        let is_same = |it: &LabelSave| matches!(it, LabelSave::Proposal(known) if known.is_about_the_same(&proposal));
        match self.unsaved.iter().skip(first).position(is_same) {
            Some(at) => self.unsaved[first + at] = LabelSave::Proposal(proposal),
            None => self.unsaved.push_back(LabelSave::Proposal(proposal)),
        }
        self.failed = None;
    }

    /// Brings to the file which verdicts were on screen; those that it has are left out, and those of items whose label names
    /// the judgement.
    pub(crate) fn add_seen(&mut self, verdicts: impl IntoIterator<Item = VerdictId>) {
        let is_new = |it: &VerdictId| {
            let of_item = |label: &Label| {
                label.item_key() == it.item_key() && label.judgement.as_ref() == Some(&it.judgement)
            };
            !self.has_seen(&it.judgement, it.item_key()) && !self.all_labels().any(of_item)
        };
        let new: Vec<VerdictId> = verdicts.into_iter().filter(is_new).collect();
        if !new.is_empty() {
            self.unsaved.push_back(LabelSave::Seen(new));
        }
    }

    /// Returns the places that this rater accepts as flagged in a judged state, each once.
    pub(crate) fn accepted_flags(&self, file: &str, commit: Option<&str>) -> Vec<&Label> {
        let state = JudgedState { file, commit, turn: None };
        let is_here = |label: &&Label| {
            label.unit == LabelUnit::Flag
                && self.label_on(state, label.item_key()).is_some_and(|it| it.label == *label)
        };
        let accepts = |label: &&Label| {
            label.score == Some(f64::from(LabelUnit::Flag.rubric_levels().highest_score()))
        };
        self.all_labels().filter(is_here).filter(accepts).collect()
    }

    /// Returns whether the verdict of a judgement file on an item was on screen, as the rater's file or a label says.
    pub fn has_seen(&self, file: &str, item: ItemKey<'_>) -> bool {
        self.saved.ready().is_some_and(|kept| kept.has_seen(file, item))
            || self.files_seen(item).any(|it| it == file)
    }

    /// Returns the files of judgements whose verdict on an item was on screen, as the file and the labels of it say; of
    /// a label that was taken back that of its judgement.
    pub(crate) fn files_seen<'a>(&'a self, item: ItemKey<'a>) -> impl Iterator<Item = String> + 'a {
        let kept = self.saved.ready().into_iter().flat_map(|kept| &kept.seen);
        let listed = kept.filter(move |it| it.shows_item(item)).map(|it| it.judgement.clone());
        let labels = self.labels_with_id(item.id).filter(move |label| label.item_key() == item);
        let seen = labels.flat_map(|label| {
            let recorded = label.judgement.iter().filter(|_| label.blind == Some(false));
            label.seen.iter().flatten().chain(recorded).cloned().collect::<Vec<_>>()
        });
        listed.chain(seen)
    }

    /// Returns the label on an item; None where there is none, or it was taken back.
    pub(crate) fn answered_label<'a, 'i>(
        &'a self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<JudgementLabel<'a>> {
        self.label_on(state, item).filter(|label| label.is_answered())
    }

    pub(crate) fn is_unsaved<'a, 'i>(
        &self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> bool {
        let (state, item) = (state.into(), item.into());
        self.unsaved_labels().any(|label| label.is_on(state, item))
    }

    /// Takes the label of an item in a judged state back, whichever judgements its reasons are about.
    pub(crate) fn take_back(&mut self, state: JudgedState<'_>, item: ItemKey<'_>) {
        let mut emptied: Vec<Label> = vec![];
        for label in self.labels_with_id(item.id).filter(|label| label.is_on(state, item)) {
            emptied.retain(|before| !before.takes_place_of(label));
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
        emptied.into_iter().for_each(|label| self.put_label(label));
    }

    /// Adds a label to save next, and retries after a failure.
    pub fn put_label(&mut self, label: Label) {
        self.failed = None;
        self.change_count += 1;
        self.unsaved.push_back(LabelSave::Label(label));
    }

    pub(crate) fn try_again(&mut self) {
        self.failed = None;
    }

    /// Remembers a label that was given, to be taken back.
    pub(crate) fn remember_given(&mut self, judgement: &str, item: ItemKey<'_>) {
        self.given_here.push(VerdictId::for_item(judgement, item));
    }

    /// Forgets the item of this judgement that was labelled last, and returns it; None where there is none.
    pub(crate) fn take_last_given(&mut self, judgement: &str) -> Option<VerdictId> {
        let at = self.given_here.iter().rposition(|it| it.judgement == judgement)?;
        Some(self.given_here.remove(at))
    }

    /// Asks for the labels on disk, where they are not read yet.
    pub(crate) fn ask_for_labels(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let annotator = self.annotator.clone()?;
        let is_unread = self.saved.is_nothing();
        is_unread.then(|| self.saved.ask_question(numbers, Question::Labels { annotator }))
    }

    /// Returns the effect that saves what is to be saved now, if anything, beside what is known to be on disk of the
    /// same thing.
    pub(crate) fn ask_to_save(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let (annotator, what) = (self.annotator.clone()?, self.unsaved.front()?.clone());
        if self.failed.is_some() || !self.pending.is_free() {
            return None;
        }
        let seen = match &what {
            LabelSave::Label(label) => {
                self.saved.ready().and_then(|kept| kept.last_of_same_item(label)).cloned()
            }
            LabelSave::Proposal(_) | LabelSave::Seen(_) => None,
        };
        let question = Question::SaveLabel { place: self.folder.clone(), annotator, what, seen };
        Some(self.pending.ask_question(numbers, (), question))
    }

    pub(crate) fn take_labels(&mut self, request: RequestId, labels: Result<LabelFile, String>) {
        self.saved.settle_with(request, labels);
        self.index_labels();
    }

    /// Takes the answer to a request to save. Returns the label that won where another program saved first; unsaved
    /// entries about the same thing are dropped then.
    pub(crate) fn take_saved(
        &mut self,
        request: RequestId,
        saved: Result<SavedLabels, String>,
    ) -> Option<Label> {
        self.pending.take_answered(request)?;
        match saved {
            Ok(SavedLabels { labels, winning_label: stands }) => {
                self.unsaved.pop_front();
                self.saved = Loading::Ready(labels);
                self.index_labels();
                let stands = *stands?;
                self.unsaved.retain(
                    |it| !matches!(it, LabelSave::Label(label) if label.is_about_the_same(&stands)),
                );
                self.given_here.retain(|it| it.item_key() != stands.item_key());
                Some(stands)
            }
            Err(why) => {
                // Seen verdicts are saved again with the next label, which then reports a place that cannot be
                // written to.
                match self.unsaved.front() {
                    Some(LabelSave::Seen(_)) => drop(self.unsaved.pop_front()),
                    Some(LabelSave::Label(_) | LabelSave::Proposal(_)) | None => {
                        self.failed = Some(why)
                    }
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

    fn judgement_a() -> Judgement {
        let (file, commit) = ("judgements/a.json".into(), Some("abcdef".into()));
        Judgement { file, commit, ..Judgement::default() }
    }

    fn label_with(id: &str, score: u8) -> Label {
        let judgement = Some("judgements/a.json".into());
        Label { component: id.into(), judgement, score: Some(score.into()), ..Label::default() }
    }

    fn ready_labels() -> (RaterLabels, RequestIds) {
        let (mut labels, mut numbers) = (RaterLabels::default(), RequestIds::default());
        labels.set_annotator("ann").unwrap();
        let request = labels.ask_for_labels(&mut numbers).and_then(|it| it.request_id()).unwrap();
        labels.take_labels(request, Ok(LabelFile::default()));
        (labels, numbers)
    }

    fn saved_with(labels: &[Label]) -> Result<SavedLabels, String> {
        let labels = LabelFile { labels: labels.to_vec(), ..LabelFile::default() };
        Ok(SavedLabels { labels, winning_label: None })
    }

    /// The number of the question, the label that is to be saved, and what was seen before it.
    fn to_save(
        labels: &mut RaterLabels,
        numbers: &mut RequestIds,
    ) -> Option<(RequestId, Label, Option<Label>)> {
        let Effect::Ask(request, question) = labels.ask_to_save(numbers)? else { return None };
        let Question::SaveLabel { what: LabelSave::Label(label), seen, .. } = *question else {
            return None;
        };
        Some((request, label, seen))
    }

    #[test]
    fn labels_are_saved_one_at_a_time_in_their_order_and_count_at_once() {
        let (mut labels, mut numbers) = ready_labels();
        labels.put_label(label_with("C1", 1));
        labels.put_label(label_with("C2", 2));
        let (request, first, _) = to_save(&mut labels, &mut numbers).unwrap();

        assert_eq!(first, label_with("C1", 1));
        assert_eq!(labels.ask_to_save(&mut numbers), None);
        assert_eq!(labels.label_on(&judgement_a(), "C2").unwrap().label, &label_with("C2", 2));
        labels.take_saved(request, saved_with(&[label_with("C1", 1)]));
        assert!(
            !labels.is_unsaved(&judgement_a(), "C1") && labels.is_unsaved(&judgement_a(), "C2")
        );
        assert_eq!(labels.label_on(&judgement_a(), "C1").unwrap().label, &label_with("C1", 1));
        assert_eq!(to_save(&mut labels, &mut numbers).unwrap().1, label_with("C2", 2));
    }

    #[test]
    fn what_cannot_be_saved_waits_and_is_tried_again() {
        let (mut labels, mut numbers) = ready_labels();
        labels.put_label(label_with("C1", 1));
        let (request, ..) = to_save(&mut labels, &mut numbers).unwrap();

        labels.take_saved(request, Err("read-only file system".into()));

        assert_eq!(labels.why_not_saved(), Some("read-only file system"));
        assert_eq!(labels.label_on(&judgement_a(), "C1").unwrap().label, &label_with("C1", 1));
        assert_eq!(labels.ask_to_save(&mut numbers), None);
        assert!(labels.set_annotator("bob").is_err());
        labels.try_again();
        assert_eq!(to_save(&mut labels, &mut numbers).unwrap().1, label_with("C1", 1));
    }

    #[test]
    fn the_first_label_of_two_programs_stands_and_what_the_second_said_of_it_is_dropped() {
        let (mut labels, mut numbers) = ready_labels();
        labels.put_label(label_with("C1", 1));
        labels.put_label(Label { reason: Some("other".into()), ..label_with("C1", 1) });
        labels.put_label(label_with("C2", 2));
        labels.remember_given("judgements/a.json", "C1".into());
        let (request, _, seen) = to_save(&mut labels, &mut numbers).unwrap();
        assert_eq!(seen, None);

        let first = label_with("C1", 4);
        let kept = LabelFile { labels: vec![first.clone()], ..LabelFile::default() };
        let saved = SavedLabels { labels: kept, winning_label: Some(Box::new(first.clone())) };
        let told = labels.take_saved(request, Ok(saved));

        assert_eq!(told, Some(first.clone()));
        assert_eq!(labels.label_on(&judgement_a(), "C1").unwrap().label, &first);
        assert_eq!(labels.take_last_given("judgements/a.json"), None);
        assert_eq!(to_save(&mut labels, &mut numbers).unwrap().1, label_with("C2", 2));
    }

    #[test]
    fn a_proposal_is_no_label_and_a_label_takes_it_away() {
        let (mut labels, mut numbers) = ready_labels();
        let judgement = judgement_a();
        let state = || JudgedState::from(&judgement);
        labels.put_proposal(label_with("C1", 1));
        labels.put_proposal(label_with("C1", 2));

        assert_eq!(labels.label_on(&judgement, "C1"), None);
        assert_eq!(labels.proposal_of(state(), "C1"), Some(&label_with("C1", 2)));
        assert_eq!(labels.unsaved_count(), 1);
        labels.put_label(label_with("C1", 3));
        assert_eq!(labels.proposal_of(state(), "C1"), None);
        assert!(labels.ask_to_save(&mut numbers).is_some());
    }

    #[test]
    fn what_was_seen_is_saved_once_and_never_stands_in_the_way() {
        let (mut labels, mut numbers) = ready_labels();
        let seen = || [VerdictId::for_item("a", "C1".into())];
        labels.add_seen(seen());
        let request = labels.ask_to_save(&mut numbers).and_then(|it| it.request_id()).unwrap();
        labels.take_saved(request, Err("read-only file system".into()));
        assert_eq!((labels.unsaved_count(), labels.why_not_saved()), (0, None));

        labels.add_seen(seen());
        let request = labels.ask_to_save(&mut numbers).and_then(|it| it.request_id()).unwrap();
        let kept = LabelFile { seen: seen().into(), ..LabelFile::default() };
        labels.take_saved(request, Ok(SavedLabels { labels: kept, winning_label: None }));
        labels.add_seen(seen());

        assert_eq!(labels.ask_to_save(&mut numbers), None);
        assert!(labels.has_seen("a", "C1".into()));
    }

    #[test]
    fn each_change_of_the_labels_is_counted() {
        let (mut labels, _) = ready_labels();
        let before = labels.change_count();

        labels.put_label(label_with("C1", 1));

        assert!(labels.change_count() > before);
    }

    #[test]
    fn a_label_of_another_judgement_or_commit_is_none_of_this_one() {
        let (mut labels, _) = ready_labels();
        labels.put_label(Label {
            judgement: Some("judgements/b.json".into()),
            ..label_with("C1", 1)
        });
        assert_eq!(labels.label_on(&judgement_a(), "C1"), None);
        labels.put_label(Label { commit: Some("123".into()), ..label_with("C1", 1) });
        assert_eq!(labels.label_on(&judgement_a(), "C1"), None);
        labels.put_label(Label {
            judgement: None,
            commit: Some("abc".into()),
            ..label_with("C1", 3)
        });
        assert_eq!(labels.label_on(&judgement_a(), "C1").unwrap().score(), Some(3.0));
    }
}
