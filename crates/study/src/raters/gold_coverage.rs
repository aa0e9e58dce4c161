//! The coverage of gold outcomes: gold of disagreements alone does not represent all things that people scored.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{RaterKind, RaterPanel, ScoredItem};

/// The things that two people or more scored, and those of them that have an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoldCoverage {
    /// Things that people scored differently and that have an outcome.
    pub differing: usize,
    /// Things that people scored alike and that have an outcome.
    pub alike: usize,
    /// Things that they scored alike, with an outcome or without.
    pub all_alike: usize,
}

impl RaterPanel {
    /// Returns the coverage; None where everything that people scored alike has an outcome too, and where there is no
    /// gold at all.
    pub fn gold_coverage(&self) -> Option<GoldCoverage> {
        let mut by_item: BTreeMap<&ScoredItem, BTreeMap<&str, f64>> = BTreeMap::new();
        for rater in self.raters.iter().filter(|rater| rater.kind == RaterKind::Human) {
            let who = rater.labels.as_ref().map_or(rater.name.as_str(), |it| &it.annotator);
            for score in &rater.scores {
                by_item.entry(&score.item).or_default().entry(who).or_insert(score.score);
            }
        }
        let gold: BTreeSet<&ScoredItem> = self
            .raters
            .iter()
            .filter(|rater| rater.kind == RaterKind::Gold)
            .flat_map(|rater| rater.scores.iter().map(|score| &score.item))
            .collect();
        let has_gold = |item: &ScoredItem| {
            gold.iter()
                .any(|other| other.thing_key() == item.thing_key() && other.may_share_commit(item))
        };
        let mut settled = GoldCoverage { differing: 0, alike: 0, all_alike: 0 };
        for (item, given) in by_item.iter().filter(|(_, given)| given.len() > 1) {
            let mut scores = given.values();
            let first = scores.next();
            match scores.all(|score| Some(score) == first) {
                true => {
                    settled.all_alike += 1;
                    settled.alike += usize::from(has_gold(item));
                }
                false => settled.differing += usize::from(has_gold(item)),
            }
        }
        (!gold.is_empty() && settled.alike < settled.all_alike).then_some(settled)
    }
}

impl fmt::Display for GoldCoverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { differing, alike, all_alike } = self;
        write!(
            f,
            "gold has {differing} items that people scored differently and {alike} of {all_alike} that they scored alike: agreement with gold does not represent all labels; `trajview audit STUDY --adjudicate --adjudicate-agreed` adds the items that they agree on"
        )
    }
}
