//! Labels: the scores of a person for items, and their relation to judgements.
//!
//! Score and reason are apart. The score of an item at a commit serves every judgement of that state, whatever judgement
//! the label names; reason and note are about the verdict of the judgement that the label names. Whether a label is blind
//! is a question for each judgement: it is where that judgement's verdict was not on screen before.

use std::collections::BTreeSet;

use crate::worded_enum::worded;

use super::unit::{LabelUnit, ScoreScale};

worded! {
    /// The confidence of a rater.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Confidence {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}

worded! {
    /// The number of steps in which a label is given.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum LabelMode {
        /// A score is a label as soon as it is typed.
        #[default]
        AtOnce = "at once",
        /// A score is proposed, and a second key commits it.
        TwoActs = "two acts",
    }
}

/// The key of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemKey<'a> {
    pub unit: LabelUnit,
    pub id: &'a str,
    /// The criterion, where an item is judged by several.
    pub criterion: Option<&'a str>,
}

impl<'a> From<&'a str> for ItemKey<'a> {
    /// Returns a component.
    fn from(id: &'a str) -> Self {
        Self { unit: LabelUnit::Component, id, criterion: None }
    }
}

impl<'a> From<&'a String> for ItemKey<'a> {
    fn from(id: &'a String) -> Self {
        Self::from(id.as_str())
    }
}

/// A state of the code that was judged, and where that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgedState<'a> {
    /// [`super::Judgement::file`], or that of a graded tree.
    pub file: &'a str,
    /// Hex digits.
    pub commit: Option<&'a str>,
    /// Counts from 1.
    pub turn: Option<usize>,
}

/// The labels of one human rater.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelFile {
    /// The file, as [`super::Judgement::file`].
    pub file: String,
    pub annotator: String,
    pub labels: Vec<Label>,
    /// Labels that were put down and not committed: they count nowhere, and nothing was shown for them.
    pub proposals: Vec<Label>,
    /// Verdicts that were on screen while this rater audited, in whatever view and session.
    pub seen: BTreeSet<VerdictId>,
}

/// The key of a verdict: a judgement and an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct VerdictId {
    /// [`super::Judgement::file`]
    pub judgement: String,
    pub unit: LabelUnit,
    pub criterion: Option<String>,
    /// Id of the item.
    pub item: String,
}

/// One label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Label {
    /// Id of the item.
    pub component: String,
    pub unit: LabelUnit,
    /// The criterion, where an item is labelled by several.
    pub criterion: Option<String>,
    /// The commit that was looked at (hex digits).
    pub commit: Option<String>,
    /// The turn after which it was looked at; counts from 1.
    pub turn: Option<usize>,
    /// [`super::Judgement::file`] of the judging that is checked; the reason is about its verdict.
    pub judgement: Option<String>,
    /// On [`Self::label_scale`]; None where the file has none on the scale, where the rater cannot tell, and where it was
    /// taken back.
    pub score: Option<f64>,
    /// The scale as written, where it is another than the unit's own: `0..4`, `0..1`, `1..5`, `[0,1]`.
    pub scale: Option<String>,
    /// The rater looked and cannot give a score: an answer, without a number.
    pub cannot_tell: bool,
    pub confidence: Option<Confidence>,
    /// Judgements whose verdict on the item was on screen before the label was given, by file; None where nothing says
    /// it.
    pub seen: Option<Vec<String>>,
    /// True if it was given before the verdict of [`Self::judgement`] was seen.
    pub blind: Option<bool>,
    /// One of [`super::REASONS`]; other words are kept.
    pub reason: Option<String>,
    pub note: Option<String>,
    /// RFC 3339, as written.
    pub at: Option<String>,
}

/// The label of an item, as far as it concerns one judgement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgementLabel<'a> {
    /// The label whose score counts: the last of the item in that state. It may be one that was withdrawn.
    pub label: &'a Label,
    /// The label whose reason and note count: the last that names the judgement, or none, and has that score.
    reason_label: Option<&'a Label>,
    file: &'a str,
}

impl<'a> JudgementLabel<'a> {
    /// Searches labels in their order.
    pub fn from_labels(
        labels: impl DoubleEndedIterator<Item = &'a Label>,
        state: JudgedState<'a>,
        item: ItemKey<'_>,
    ) -> Option<Self> {
        let mut last_first = labels.rev().filter(|label| label.is_on(state, item));
        let label = last_first.next()?;
        let names_it =
            |label: &&Label| label.judgement.as_deref().is_none_or(|it| it == state.file);
        let about = std::iter::once(label).chain(last_first).find(names_it);
        let about = about.filter(|about| about.is_same_answer(label));
        Some(Self { label, reason_label: about, file: state.file })
    }

    /// Returns whether the rater answered: with a score, or that they cannot give one.
    pub const fn is_answered(self) -> bool {
        self.label.is_answered()
    }

    pub const fn score(self) -> Option<f64> {
        self.label.score
    }

    /// Returns whether the label was given before the verdict of the judgement was seen; None where this is not
    /// recorded.
    pub fn is_blind(self) -> Option<bool> {
        self.label.blind_for(self.file)
    }

    pub fn reason(self) -> Option<&'a str> {
        self.reason_label?.reason.as_deref()
    }

    pub fn note(self) -> Option<&'a str> {
        self.reason_label?.note.as_deref()
    }

    /// Returns a label with this answer that is about the verdict of the judgement, to be amended.
    pub fn to_amend(self) -> Label {
        let about = self.reason_label.cloned();
        about.unwrap_or_else(|| Label {
            judgement: Some(self.file.to_owned()),
            blind: self.is_blind(),
            reason: None,
            note: None,
            ..self.label.clone()
        })
    }
}

impl LabelFile {
    /// Returns the label of an item for a judgement; it may be a withdrawn one.
    pub fn label_for<'a, 'i>(
        &'a self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<JudgementLabel<'a>> {
        JudgementLabel::from_labels(self.labels.iter(), state.into(), item.into())
    }

    /// Returns the last label of the thing that another label is of.
    pub fn last_of_same_item(&self, label: &Label) -> Option<&Label> {
        self.labels.iter().rfind(|other| other.is_about_the_same(label))
    }

    /// Returns whether the file records that the verdict of a judgement on an item was on screen.
    pub fn has_seen(&self, file: &str, item: ItemKey<'_>) -> bool {
        let is_it = |seen: &VerdictId| seen.judgement == file && seen.shows_item(item);
        self.seen.iter().any(is_it)
            || self.labels.iter().any(|label| {
                label.item_key() == item && label.seen.iter().flatten().any(|it| it == file)
            })
    }
}

impl VerdictId {
    pub fn for_item(file: &str, item: ItemKey<'_>) -> Self {
        Self {
            judgement: file.to_owned(),
            unit: item.unit,
            criterion: item.criterion.map(str::to_owned),
            item: item.id.to_owned(),
        }
    }

    pub fn item_key(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.item, criterion: self.criterion.as_deref() }
    }

    /// Returns whether this verdict includes the one on an item: a verdict that names no criterion includes all of
    /// them.
    pub fn shows_item(&self, item: ItemKey<'_>) -> bool {
        let is_whole = self.criterion.is_none();
        self.unit == item.unit
            && self.item == item.id
            && (is_whole || self.criterion.as_deref() == item.criterion)
    }
}

impl Label {
    /// Returns the key of the item.
    pub fn item_key(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.component, criterion: self.criterion.as_deref() }
    }

    /// Returns the scale it names, else its unit's own.
    pub fn label_scale(&self) -> ScoreScale {
        self.unit.scale_named(self.scale.as_deref())
    }

    /// Returns whether the rater answered: with a score, or that they cannot give one.
    pub const fn is_answered(&self) -> bool {
        self.score.is_some() || self.cannot_tell
    }

    /// Returns whether it has an answer or anything that belongs to one.
    pub const fn has_content(&self) -> bool {
        self.is_answered() || self.confidence.is_some() || self.note.is_some()
    }

    /// Returns whether both are the same answer.
    pub(crate) fn is_same_answer(&self, other: &Self) -> bool {
        self.score == other.score && self.cannot_tell == other.cannot_tell
    }

    /// Returns whether it was given before the verdict of a judgement was seen; None where this is not recorded.
    pub fn blind_for(&self, file: &str) -> Option<bool> {
        let is_named = self.judgement.as_deref().is_none_or(|it| it == file);
        let seen = self.seen.as_ref().map(|files| files.iter().any(|it| it == file));
        match (is_named, self.blind, seen) {
            (_, _, Some(true)) => Some(false),
            (true, Some(blind), _) => Some(blind),
            (_, _, Some(false)) => Some(true),
            (true, None, None) | (false, _, None) => None,
        }
    }

    /// Returns whether it is of an item in a judged state: at that commit, or, where one of the two names no commit, of
    /// that judgement or of none.
    pub fn is_on(&self, state: JudgedState<'_>, item: ItemKey<'_>) -> bool {
        if self.component != item.id
            || self.unit != item.unit
            || self.criterion.as_deref() != item.criterion
        {
            return false;
        }
        match self.commit.as_deref().zip(state.commit) {
            Some(commits) => same_commit(commits),
            None => self.judgement.as_deref().is_none_or(|file| file == state.file),
        }
    }

    /// Returns whether both may be labels of one thing: the same item at the same commit, or, where one of them names
    /// none, of judgements that may be the same.
    pub fn is_about_the_same(&self, other: &Self) -> bool {
        if self.item_key() != other.item_key() {
            return false;
        }
        match self.commit.as_deref().zip(other.commit.as_deref()) {
            Some(commits) => same_commit(commits),
            None => {
                self.judgement.as_ref().zip(other.judgement.as_ref()).is_none_or(|(a, b)| a == b)
            }
        }
    }

    /// Returns whether one replaces the other: the same item, judgement and commit, and the same turn where neither
    /// names a commit.
    pub fn takes_place_of(&self, other: &Self) -> bool {
        let same_thing = self.item_key() == other.item_key() && self.judgement == other.judgement;
        let same_turn = self.commit.is_some() || self.turn == other.turn;
        same_thing && self.commit == other.commit && same_turn
    }
}

/// Returns whether one commit is the other, shortened.
pub fn same_commit((a, b): (&str, &str)) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged_state(file: &str) -> JudgedState<'_> {
        JudgedState { file, commit: Some("c0ffee12"), turn: Some(7) }
    }

    fn sample_label(judgement: &str, score: f64) -> Label {
        Label {
            component: "C1".into(),
            commit: Some("c0ffee12".into()),
            judgement: Some(judgement.into()),
            score: Some(score),
            blind: Some(true),
            seen: Some(vec![]),
            ..Label::default()
        }
    }

    fn label_file(labels: &[Label]) -> LabelFile {
        LabelFile { labels: labels.to_vec(), ..LabelFile::default() }
    }

    #[test]
    fn the_score_serves_every_judgement_of_the_state_and_the_reason_its_own() {
        let of_a = Label {
            reason: Some("other".into()),
            note: Some("see a".into()),
            seen: Some(vec!["b".into()]),
            ..sample_label("a", 3.0)
        };
        let all = label_file(&[of_a]);

        let on = |file| all.label_for(judged_state(file), "C1").unwrap();

        assert_eq!(
            (on("a").score(), on("a").reason(), on("a").is_blind()),
            (Some(3.0), Some("other"), Some(true))
        );
        assert_eq!(
            (on("b").score(), on("b").reason(), on("b").is_blind()),
            (Some(3.0), None, Some(false))
        );
        assert_eq!(
            (on("c").score(), on("c").note(), on("c").is_blind()),
            (Some(3.0), None, Some(true))
        );
        let elsewhere = JudgedState { commit: Some("beef"), ..judged_state("a") };
        assert_eq!(all.label_for(elsewhere, "C1"), None);
    }

    #[test]
    fn an_old_label_says_nothing_of_blindness_for_another_judgement() {
        let all = label_file(&[Label { seen: None, ..sample_label("a", 3.0) }]);

        assert_eq!(all.label_for(judged_state("a"), "C1").unwrap().is_blind(), Some(true));
        assert_eq!(all.label_for(judged_state("b"), "C1").unwrap().is_blind(), None);
    }

    #[test]
    fn a_reason_counts_as_long_as_the_score_that_it_explains() {
        let of_a = Label { reason: Some("other".into()), ..sample_label("a", 3.0) };
        let of_b = Label { reason: Some("agree".into()), ..sample_label("b", 3.0) };
        let both = label_file(&[of_a.clone(), of_b]);
        assert_eq!(both.label_for(judged_state("a"), "C1").unwrap().reason(), Some("other"));
        assert_eq!(both.label_for(judged_state("b"), "C1").unwrap().reason(), Some("agree"));

        let changed = label_file(&[of_a, sample_label("b", 1.0)]);
        let on_a = changed.label_for(judged_state("a"), "C1").unwrap();
        assert_eq!((on_a.score(), on_a.reason()), (Some(1.0), None));
        let amended = Label { reason: Some("agree".into()), ..on_a.to_amend() };
        assert_eq!((amended.judgement.as_deref(), amended.score), (Some("a"), Some(1.0)));
    }

    #[test]
    fn another_unit_or_criterion_is_another_item() {
        let leaf = Label { unit: LabelUnit::Leaf, ..sample_label("a", 1.0) };
        let by_one = Label { criterion: Some("tone".into()), ..sample_label("a", 2.0) };
        let all = label_file(&[leaf, by_one]);

        assert_eq!(all.label_for(judged_state("a"), "C1"), None);
        let key = ItemKey { unit: LabelUnit::Leaf, id: "C1", criterion: None };
        assert_eq!(all.label_for(judged_state("a"), key).unwrap().score(), Some(1.0));
        let key = ItemKey { criterion: Some("tone"), ..ItemKey::from("C1") };
        assert_eq!(all.label_for(judged_state("a"), key).unwrap().score(), Some(2.0));
    }

    #[test]
    fn what_was_seen_is_known_from_the_list_and_from_labels() {
        let of_b = Label { seen: Some(vec!["b".into()]), ..sample_label("a", 1.0) };
        let seen = BTreeSet::from([VerdictId::for_item("c", "C2".into())]);
        let all = LabelFile { seen, ..label_file(&[of_b]) };

        assert!(all.has_seen("b", "C1".into()) && all.has_seen("c", "C2".into()));
        assert!(!all.has_seen("a", "C1".into()) && !all.has_seen("c", "C1".into()));
    }
}
