//! The coverage of gold outcomes: gold of disagreements alone does not represent all things that people scored.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{RaterKind, RaterPanel, ScoredItem};
use trajview_run::format_number::count_with_noun;

/// The things that people scored, and those of them that have an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoldCoverage {
    /// Things that people scored differently and that have an outcome.
    pub differing: usize,
    /// Things that people scored alike and that have an outcome.
    pub alike: usize,
    /// Things that they scored alike, with an outcome or without.
    pub all_alike: usize,
    /// Things that one person scored and that have no outcome.
    pub scored_once: usize,
}

impl RaterPanel {
    /// Returns the coverage where gold does not represent what people scored: things that they scored alike have no outcome, or
    /// all outcomes are of things that they scored differently while others were scored once. None where there is no gold.
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
        let mut settled = GoldCoverage { differing: 0, alike: 0, all_alike: 0, scored_once: 0 };
        for (item, given) in &by_item {
            if given.len() == 1 {
                settled.scored_once += usize::from(!has_gold(item));
                continue;
            }
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
        let lacks_alike = settled.alike < settled.all_alike;
        let has_disputes_alone = settled.differing > 0 && settled.alike == 0;
        let is_partial = lacks_alike || has_disputes_alone && settled.scored_once > 0;
        (!gold.is_empty() && is_partial).then_some(settled)
    }
}

impl fmt::Display for GoldCoverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { differing, alike, all_alike, scored_once } = self;
        let once = match scored_once {
            0 => String::new(),
            count => format!(", and none of {count} that one person scored"),
        };
        write!(
            f,
            "gold has {} that people scored differently and {alike} of {all_alike} that they scored alike{once}: agreement with gold does not represent all labels; `trajview audit STUDY --adjudicate --adjudicate-agreed` adds the items that they agree on",
            count_with_noun(*differing, "item")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raters::{Rater, RaterScore};

    fn rater(name: &str, kind: RaterKind, scores: &[(&str, f64)]) -> Rater {
        let score = |(component, score): &(&str, f64)| RaterScore {
            item: ScoredItem { component: (*component).into(), ..ScoredItem::default() },
            score: *score,
            scale: None,
            rubric: None,
            place: String::new(),
            confidence: None,
        };
        let scores = scores.iter().map(score).collect();
        Rater { name: name.into(), model: None, kind, labels: None, scores }
    }

    fn warning(ana: &[(&str, f64)], ben: &[(&str, f64)], gold: &[(&str, f64)]) -> Option<String> {
        let raters = vec![
            rater("ana", RaterKind::Human, ana),
            rater("ben", RaterKind::Human, ben),
            rater("gold", RaterKind::Gold, gold),
        ];
        let panel = RaterPanel { raters, problems: vec![] };
        panel.gold_coverage().map(|it| it.to_string())
    }

    #[test]
    fn gold_of_disputed_items_alone_does_not_represent_what_one_person_scored() {
        let (ana, ben) = ([("C1", 4.0), ("C2", 4.0)], [("C1", 1.0)]);

        let words = warning(&ana, &ben, &[("C1", 4.0)]).unwrap();
        assert!(words.contains("gold has 1 item that people scored differently"), "{words}");
        assert!(words.contains("none of 1 that one person scored"), "{words}");
        assert_eq!(warning(&ana, &ben, &[("C1", 4.0), ("C2", 4.0)]), None);
        assert_eq!(warning(&ana[..1], &ben, &[("C1", 4.0)]), None, "all that was scored has gold");
    }
}
