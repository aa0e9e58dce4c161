//! Labels: what a person says of an item, and how it stands for a judgement.
//!
//! Score and reason are apart. The score of an item at a commit serves every judgement of that state, whatever judgement
//! the label names; reason and note are about the verdict of the judgement that the label names. Whether a label is blind
//! is a question for each judgement: it is where that judgement's verdict was not on screen before.

use std::collections::BTreeSet;

use crate::values::worded;

use super::unit::{Scale, Unit};

worded! {
    /// How sure a rater is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Confidence {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
}

worded! {
    /// How a label is given.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Acts {
        /// A score is a label as soon as it is typed.
        #[default]
        AtOnce = "at once",
        /// A score is proposed, and a second key commits it.
        TwoActs = "two acts",
    }
}

/// Which item is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemKey<'a> {
    pub unit: Unit,
    pub id: &'a str,
    /// Where an item is judged by several.
    pub criterion: Option<&'a str>,
}

impl<'a> From<&'a str> for ItemKey<'a> {
    /// A component.
    fn from(id: &'a str) -> Self {
        Self { unit: Unit::Component, id, criterion: None }
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
pub struct Labels {
    /// As [`super::Judgement::file`].
    pub file: String,
    pub annotator: String,
    pub labels: Vec<Label>,
    /// Labels that were put down and not committed: they count nowhere, and nothing was shown for them.
    pub proposals: Vec<Label>,
    /// Verdicts that were on screen while this rater audited, in whatever view and session.
    pub seen: BTreeSet<VerdictId>,
}

/// Which verdict is meant: of a judgement on an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct VerdictId {
    /// [`super::Judgement::file`]
    pub judgement: String,
    pub unit: Unit,
    pub criterion: Option<String>,
    /// Id of the item.
    pub item: String,
}

/// One label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Label {
    /// Id of the item.
    pub component: String,
    pub unit: Unit,
    /// Where an item is labelled by several.
    pub criterion: Option<String>,
    /// The commit that was looked at (hex digits).
    pub commit: Option<String>,
    /// The turn after which it was looked at; counts from 1.
    pub turn: Option<usize>,
    /// [`super::Judgement::file`] of the judging that is checked; the reason is about its verdict.
    pub judgement: Option<String>,
    /// On [`Self::scale_of`]; None where the file has none on the scale, where the rater cannot tell, and where it was
    /// taken back.
    pub score: Option<f64>,
    /// As written, where it is another than the unit's own: `0..4`, `0..1`, `1..5`, `[0,1]`.
    pub scale: Option<String>,
    /// The rater looked and cannot give a score: an answer, without a number.
    pub cannot_tell: bool,
    pub confidence: Option<Confidence>,
    /// Judgements whose verdict on the item was on screen before the label was given, by file; None where nothing says
    /// it.
    pub seen: Option<Vec<String>>,
    /// Whether it was given before the verdict of [`Self::judgement`] was seen.
    pub blind: Option<bool>,
    /// One of [`super::REASONS`]; other words are kept.
    pub reason: Option<String>,
    pub note: Option<String>,
    /// RFC 3339, as written.
    pub at: Option<String>,
}

/// How an item is labelled, as far as it concerns one judgement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelOn<'a> {
    /// Whose score counts: the last label of the item in that state. It may be one that was taken back.
    pub given: &'a Label,
    /// Whose reason and note count: the last that names the judgement, or none, and has that score.
    about: Option<&'a Label>,
    file: &'a str,
}

impl<'a> LabelOn<'a> {
    /// Of labels in their order.
    pub fn of(
        labels: impl DoubleEndedIterator<Item = &'a Label>,
        state: JudgedState<'a>,
        item: ItemKey<'_>,
    ) -> Option<Self> {
        let mut last_first = labels.rev().filter(|label| label.is_on(state, item));
        let given = last_first.next()?;
        let names_it =
            |label: &&Label| label.judgement.as_deref().is_none_or(|it| it == state.file);
        let about = std::iter::once(given).chain(last_first).find(names_it);
        let about = about.filter(|about| about.says_the_same(given));
        Some(Self { given, about, file: state.file })
    }

    /// Whether the rater answered: with a score, or that they cannot tell.
    pub const fn is_answered(self) -> bool {
        self.given.is_answered()
    }

    pub const fn score(self) -> Option<f64> {
        self.given.score
    }

    /// Whether the verdict of the judgement was not seen before the label was given; None where nothing says it.
    pub fn blind(self) -> Option<bool> {
        self.given.blind_for(self.file)
    }

    pub fn reason(self) -> Option<&'a str> {
        self.about?.reason.as_deref()
    }

    pub fn note(self) -> Option<&'a str> {
        self.about?.note.as_deref()
    }

    /// A label with this answer that is about the verdict of the judgement, to be amended.
    pub fn to_amend(self) -> Label {
        let about = self.about.cloned();
        about.unwrap_or_else(|| Label {
            judgement: Some(self.file.to_owned()),
            blind: self.blind(),
            reason: None,
            note: None,
            ..self.given.clone()
        })
    }
}

impl Labels {
    /// The label of an item as it stands for a judgement; one that was taken back is given too.
    pub fn on<'a, 'i>(
        &'a self,
        state: impl Into<JudgedState<'a>>,
        item: impl Into<ItemKey<'i>>,
    ) -> Option<LabelOn<'a>> {
        LabelOn::of(self.labels.iter(), state.into(), item.into())
    }

    /// The last label of the thing that another label is of.
    pub fn about(&self, label: &Label) -> Option<&Label> {
        self.labels.iter().rfind(|known| known.is_about_the_same(label))
    }

    /// Whether the file says that the verdict of a judgement on an item was on screen.
    pub fn has_seen(&self, file: &str, item: ItemKey<'_>) -> bool {
        let is_it = |seen: &VerdictId| seen.judgement == file && seen.shows(item);
        self.seen.iter().any(is_it)
            || self.labels.iter().any(|label| {
                label.item() == item && label.seen.iter().flatten().any(|it| it == file)
            })
    }
}

impl VerdictId {
    pub fn of(file: &str, item: ItemKey<'_>) -> Self {
        Self {
            judgement: file.to_owned(),
            unit: item.unit,
            criterion: item.criterion.map(str::to_owned),
            item: item.id.to_owned(),
        }
    }

    pub fn key(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.item, criterion: self.criterion.as_deref() }
    }

    /// Whether whoever saw it saw what was said of an item: a verdict that names no criterion was seen with all of them.
    pub fn shows(&self, item: ItemKey<'_>) -> bool {
        let is_whole = self.criterion.is_none();
        self.unit == item.unit
            && self.item == item.id
            && (is_whole || self.criterion.as_deref() == item.criterion)
    }
}

impl Label {
    /// Which item it is of.
    pub fn item(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.component, criterion: self.criterion.as_deref() }
    }

    /// The scale it names, else its unit's own.
    pub fn scale_of(&self) -> Scale {
        self.unit.scale_named(self.scale.as_deref())
    }

    /// Whether the rater answered: with a score, or that they cannot tell.
    pub const fn is_answered(&self) -> bool {
        self.score.is_some() || self.cannot_tell
    }

    /// Whether there is anything in it that a rater said: an answer, or what goes with one.
    pub const fn says_something(&self) -> bool {
        self.is_answered() || self.confidence.is_some() || self.note.is_some()
    }

    /// Whether both are the same answer.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.score == other.score && self.cannot_tell == other.cannot_tell
    }

    /// Whether it was given before the verdict of a judgement was seen; None where nothing says it.
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

    /// Whether it is of an item in a state that was judged: at that commit, or, where one of the two names no commit, of
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

    /// Whether both may be seen as the label of one thing: the same item at the same commit, or, where one of them names
    /// none, of judgements that may be the same.
    pub fn is_about_the_same(&self, other: &Self) -> bool {
        if self.item() != other.item() {
            return false;
        }
        match self.commit.as_deref().zip(other.commit.as_deref()) {
            Some(commits) => same_commit(commits),
            None => {
                self.judgement.as_ref().zip(other.judgement.as_ref()).is_none_or(|(a, b)| a == b)
            }
        }
    }

    /// Whether one would take the place of the other: the same item, judgement and commit, and the same turn where
    /// neither names a commit.
    pub fn is_of_one(&self, other: &Self) -> bool {
        let same_thing = self.item() == other.item() && self.judgement == other.judgement;
        let same_turn = self.commit.is_some() || self.turn == other.turn;
        same_thing && self.commit == other.commit && same_turn
    }
}

/// Whether one commit is the other, shortened.
pub fn same_commit((a, b): (&str, &str)) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(file: &str) -> JudgedState<'_> {
        JudgedState { file, commit: Some("c0ffee12"), turn: Some(7) }
    }

    fn label(judgement: &str, score: f64) -> Label {
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

    fn labels(labels: &[Label]) -> Labels {
        Labels { labels: labels.to_vec(), ..Labels::default() }
    }

    #[test]
    fn the_score_serves_every_judgement_of_the_state_and_the_reason_its_own() {
        let of_a = Label {
            reason: Some("other".into()),
            note: Some("see a".into()),
            seen: Some(vec!["b".into()]),
            ..label("a", 3.0)
        };
        let all = labels(&[of_a]);

        let on = |file| all.on(state(file), "C1").unwrap();

        assert_eq!(
            (on("a").score(), on("a").reason(), on("a").blind()),
            (Some(3.0), Some("other"), Some(true))
        );
        assert_eq!(
            (on("b").score(), on("b").reason(), on("b").blind()),
            (Some(3.0), None, Some(false))
        );
        assert_eq!(
            (on("c").score(), on("c").note(), on("c").blind()),
            (Some(3.0), None, Some(true))
        );
        let elsewhere = JudgedState { commit: Some("beef"), ..state("a") };
        assert_eq!(all.on(elsewhere, "C1"), None);
    }

    #[test]
    fn an_old_label_says_nothing_of_blindness_for_another_judgement() {
        let all = labels(&[Label { seen: None, ..label("a", 3.0) }]);

        assert_eq!(all.on(state("a"), "C1").unwrap().blind(), Some(true));
        assert_eq!(all.on(state("b"), "C1").unwrap().blind(), None);
    }

    #[test]
    fn a_reason_counts_as_long_as_the_score_that_it_explains() {
        let of_a = Label { reason: Some("other".into()), ..label("a", 3.0) };
        let of_b = Label { reason: Some("agree".into()), ..label("b", 3.0) };
        let both = labels(&[of_a.clone(), of_b]);
        assert_eq!(both.on(state("a"), "C1").unwrap().reason(), Some("other"));
        assert_eq!(both.on(state("b"), "C1").unwrap().reason(), Some("agree"));

        let changed = labels(&[of_a, label("b", 1.0)]);
        let on_a = changed.on(state("a"), "C1").unwrap();
        assert_eq!((on_a.score(), on_a.reason()), (Some(1.0), None));
        let amended = Label { reason: Some("agree".into()), ..on_a.to_amend() };
        assert_eq!((amended.judgement.as_deref(), amended.score), (Some("a"), Some(1.0)));
    }

    #[test]
    fn another_unit_or_criterion_is_another_item() {
        let leaf = Label { unit: Unit::Leaf, ..label("a", 1.0) };
        let by_one = Label { criterion: Some("tone".into()), ..label("a", 2.0) };
        let all = labels(&[leaf, by_one]);

        assert_eq!(all.on(state("a"), "C1"), None);
        let key = ItemKey { unit: Unit::Leaf, id: "C1", criterion: None };
        assert_eq!(all.on(state("a"), key).unwrap().score(), Some(1.0));
        let key = ItemKey { criterion: Some("tone"), ..ItemKey::from("C1") };
        assert_eq!(all.on(state("a"), key).unwrap().score(), Some(2.0));
    }

    #[test]
    fn what_was_seen_is_known_from_the_list_and_from_labels() {
        let of_b = Label { seen: Some(vec!["b".into()]), ..label("a", 1.0) };
        let seen = BTreeSet::from([VerdictId::of("c", "C2".into())]);
        let all = Labels { seen, ..labels(&[of_b]) };

        assert!(all.has_seen("b", "C1".into()) && all.has_seen("c", "C2".into()));
        assert!(!all.has_seen("a", "C1".into()) && !all.has_seen("c", "C1".into()));
    }
}
