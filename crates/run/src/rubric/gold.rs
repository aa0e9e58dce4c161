//! Gold labels: what adjudication settled where raters differed, each with what it is from.

use super::{ItemKey, Scale, Unit, label::same_commit};

/// One outcome of adjudication. Nothing is ever taken out of the list of them: the last one of an item in a state counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gold {
    /// Id of the item.
    pub component: String,
    pub unit: Unit,
    /// Where an item is labelled by several.
    pub criterion: Option<String>,
    /// The commit that was looked at (hex digits).
    pub commit: Option<String>,
    /// The turn after which it was looked at; counts from 1.
    pub turn: Option<usize>,
    /// On [`Self::scale_of`]; None where it cannot be told, and where the outcome before it was withdrawn.
    pub score: Option<f64>,
    /// As written, where it is another than the unit's own.
    pub scale: Option<String>,
    /// Adjudication found that it cannot be told.
    pub cannot_tell: bool,
    /// Who settled it.
    pub by: Option<String>,
    pub note: Option<String>,
    /// RFC 3339, as written.
    pub at: Option<String>,
    /// The labels that were before whoever settled it.
    pub from: Vec<GoldSource>,
}

/// A label that an outcome was settled from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoldSource {
    pub annotator: String,
    /// None where the rater could not tell.
    pub score: Option<f64>,
    pub reason: Option<String>,
    pub note: Option<String>,
}

impl Gold {
    /// Which item it is of.
    pub fn item(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.component, criterion: self.criterion.as_deref() }
    }

    /// The scale it names, else its unit's own.
    pub fn scale_of(&self) -> Scale {
        self.unit.scale_named(self.scale.as_deref())
    }

    /// Whether it says something of the item; one that withdraws an outcome says nothing.
    pub const fn is_answered(&self) -> bool {
        self.score.is_some() || self.cannot_tell
    }

    /// Whether it is of this item at this commit, as far as both name one.
    pub fn is_on(&self, item: ItemKey<'_>, commit: Option<&str>) -> bool {
        self.item() == item && self.commit.as_deref().zip(commit).is_none_or(same_commit)
    }
}

/// The outcome that counts for an item in a state: the last, where it was not withdrawn.
pub fn gold_of<'a>(all: &'a [Gold], item: ItemKey<'_>, commit: Option<&str>) -> Option<&'a Gold> {
    all.iter().rfind(|gold| gold.is_on(item, commit)).filter(|gold| gold.is_answered())
}
