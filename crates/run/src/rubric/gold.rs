//! Gold labels: what adjudication settled where raters differed, each with what it is from.

use super::{ItemKey, LabelUnit, ScoreScale, label::same_commit};

/// One outcome of adjudication. Nothing is ever taken out of the list of them: the last one of an item in a state counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoldLabel {
    /// Id of the item.
    pub component: String,
    pub unit: LabelUnit,
    /// The criterion, where an item is labelled by several.
    pub criterion: Option<String>,
    /// The commit that was looked at (hex digits).
    pub commit: Option<String>,
    /// The turn after which it was looked at; counts from 1.
    pub turn: Option<usize>,
    /// The score on [`Self::label_scale`]; None where adjudication found that the item cannot be scored, and where it
    /// withdrew the outcome before.
    pub score: Option<f64>,
    /// The scale as written, where it is another than the unit's own.
    pub scale: Option<String>,
    /// True if adjudication found that the item cannot be scored.
    pub cannot_tell: bool,
    /// The adjudicator.
    pub by: Option<String>,
    pub note: Option<String>,
    /// RFC 3339, as written.
    pub at: Option<String>,
    /// The labels that the adjudicator saw.
    pub from: Vec<GoldSource>,
}

/// A label that an outcome was settled from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoldSource {
    pub annotator: String,
    /// The score; None where the rater gave none.
    pub score: Option<f64>,
    pub reason: Option<String>,
    pub note: Option<String>,
}

impl GoldLabel {
    /// Returns the key of the item.
    pub fn item_key(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.component, criterion: self.criterion.as_deref() }
    }

    /// Returns the scale it names, else its unit's own.
    pub fn label_scale(&self) -> ScoreScale {
        self.unit.scale_named(self.scale.as_deref())
    }

    /// Returns whether it has an answer; one that withdraws an outcome has none.
    pub const fn is_answered(&self) -> bool {
        self.score.is_some() || self.cannot_tell
    }

    /// Returns whether it is of this item at this commit, as far as both name one.
    pub fn is_on(&self, item: ItemKey<'_>, commit: Option<&str>) -> bool {
        self.item_key() == item && self.commit.as_deref().zip(commit).is_none_or(same_commit)
    }
}

/// Returns the outcome that counts for an item in a state: the last, where it was not withdrawn.
pub fn gold_label_for<'a>(
    all: &'a [GoldLabel],
    item: ItemKey<'_>,
    commit: Option<&str>,
) -> Option<&'a GoldLabel> {
    all.iter().rfind(|gold| gold.is_on(item, commit)).filter(|gold| gold.is_answered())
}
