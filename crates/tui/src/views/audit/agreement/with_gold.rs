//! How far each rater and each judge agree with what was settled so far.

use std::collections::BTreeMap;

use crate::session::{Session, study::StudyQueue};
use trajview_run::figures;
use trajview_study::{Coefficient, Ratings, Scale, raters::levels_of, studied::StudyItem};

/// Scores of somebody beside those that were settled, by name; raters first.
type WithGold = BTreeMap<(bool, String), Vec<(f64, f64)>>;

/// Everybody with how many things they have in common with what was settled, and how far they agree: exactly, within 1,
/// kappa. Raters first. Of the criterion and the scale of the thing at hand, where there are several.
pub fn everybody(session: &Session) -> Vec<(String, [String; 4])> {
    let Some(study) = session.study() else { return vec![] };
    let Some(at_hand) = study.chosen() else { return vec![] };
    let all = with_gold(study, at_hand);
    let scores = all.values().flatten().flat_map(|(a, b)| [*a, *b]);
    let scale = levels_of(study.studied.scale_of(at_hand), scores).unwrap_or_default();
    all.into_iter().map(|((_, name), pairs)| with(name, &pairs, &scale)).collect()
}

/// How many things their raters scored alike and nobody settled, while something was settled.
pub fn alike_without_outcome(session: &Session) -> usize {
    let Some(study) = session.study() else { return 0 };
    let items = &study.studied.items;
    let is_settled =
        |number: usize| items.get(number).is_some_and(|it| study.gold.of_item(it).is_some());
    let is_alike = |number: &usize| {
        let case = study.studied.case(*number);
        case.is_some_and(|case| case.labels.len() > 1 && !case.differs()) && !is_settled(*number)
    };
    match (0..items.len()).any(is_settled) {
        true => (0..items.len()).filter(is_alike).count(),
        false => 0,
    }
}

fn with(name: String, pairs: &[(f64, f64)], scale: &Scale) -> (String, [String; 4]) {
    let ratings = Ratings::new(scale.clone(), pairs);
    let table = ratings.table();
    let of = |coefficient: Coefficient| {
        coefficient.of_whole(&table).map_or_else(|_| "-".to_owned(), figures::share)
    };
    let wanted = [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic].map(of);
    let [exact, within, kappa] = wanted;
    (name, [ratings.len().to_string(), exact, within, kappa])
}

fn with_gold(study: &StudyQueue, at_hand: &StudyItem) -> WithGold {
    let mut all = WithGold::new();
    let scale = study.studied.scale_of(at_hand);
    let is_like = |item: &StudyItem| {
        let is_same = item.item.criterion == at_hand.item.criterion;
        (is_same || item.item.unit.is_raised()) && study.studied.scale_of(item) == scale
    };
    let settled = |item: &StudyItem| study.gold.of_item(item)?.score;
    for (number, item) in study.studied.items.iter().enumerate() {
        let Some(gold) = settled(item).filter(|_| is_like(item)) else { continue };
        let case = study.studied.case(number);
        for (rater, label) in case.iter().flat_map(|case| &case.labels) {
            if let Some(score) = label.score() {
                all.entry((false, rater.clone())).or_default().push((score, gold));
            }
        }
        for (source, said) in study.studied.verdicts(item) {
            if let Some(score) = said.said.score {
                all.entry((true, source.by.clone())).or_default().push((score, gold));
            }
        }
    }
    all
}
