//! The agreement of each rater and each judge with the gold labels.

use std::collections::BTreeMap;

use crate::session::{Session, study::StudyQueue};
use trajview_run::format_number;
use trajview_study::{
    Coefficient, RatingScale, Ratings, adjudication::AdjudicationCase, loaded_study::StudyItem,
    raters::scale_levels,
};

/// Scores of a rater or judge with the gold scores, by name; raters first.
type ScoresWithGold = BTreeMap<(bool, String), Vec<(f64, f64)>>;

/// Returns each rater and judge with the number of items in common with the gold labels and their agreement: exact,
/// within 1, kappa. Raters first. Only items with the criterion and the scale of the current item count, where there
/// are several.
pub(crate) fn agreement_by_rater(session: &Session) -> Vec<(String, [String; 4])> {
    let Some(study) = session.study_queue() else { return vec![] };
    let Some(at_hand) = study.chosen_item() else { return vec![] };
    let all = scores_with_gold(study, at_hand);
    let scores = all.values().flatten().flat_map(|(a, b)| [*a, *b]);
    let scale = scale_levels(study.studied.scale_of(at_hand), scores).unwrap_or_default();
    all.into_iter().map(|((_, name), pairs)| agreement_figures(name, &pairs, &scale)).collect()
}

/// Returns the number of items that all of their raters (two at least) scored alike and that have no gold label; 0 in a study
/// without gold labels.
pub(crate) fn agreed_without_gold(session: &Session) -> usize {
    let Some(study) = session.study_queue() else { return 0 };
    let items = &study.studied.items;
    let is_settled =
        |number: usize| items.get(number).is_some_and(|it| study.gold.outcome_of(it).is_some());
    let is_alike = |number: &usize| {
        let case = study.studied.adjudication_case(*number);
        let is_agreed = |case: AdjudicationCase<'_>| {
            case.labels.len() > 1 && case.missing.is_empty() && !case.has_different_answers()
        };
        case.is_some_and(is_agreed) && !is_settled(*number)
    };
    match (0..items.len()).any(is_settled) {
        true => (0..items.len()).filter(is_alike).count(),
        false => 0,
    }
}

fn agreement_figures(
    name: String,
    pairs: &[(f64, f64)],
    scale: &RatingScale,
) -> (String, [String; 4]) {
    let ratings = Ratings::new(scale.clone(), pairs);
    let table = ratings.confusion_table();
    let of = |coefficient: Coefficient| {
        coefficient
            .value_of_sample(&table)
            .map_or_else(|_| "-".to_owned(), format_number::three_decimals)
    };
    let wanted = [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic].map(of);
    let [exact, within, kappa] = wanted;
    (name, [ratings.len().to_string(), exact, within, kappa])
}

fn scores_with_gold(study: &StudyQueue, at_hand: &StudyItem) -> ScoresWithGold {
    let mut all = ScoresWithGold::new();
    let scale = study.studied.scale_of(at_hand);
    let is_like = |item: &StudyItem| {
        let is_same = item.item.criterion == at_hand.item.criterion;
        (is_same || item.item.unit.is_raised()) && study.studied.scale_of(item) == scale
    };
    let settled = |item: &StudyItem| study.gold.outcome_of(item)?.score;
    for (number, item) in study.studied.items.iter().enumerate() {
        let Some(gold) = settled(item).filter(|_| is_like(item)) else { continue };
        let case = study.studied.adjudication_case(number);
        for (rater, label) in case.iter().flat_map(|case| &case.labels) {
            if let Some(score) = label.score() {
                all.entry((false, rater.clone())).or_default().push((score, gold));
            }
        }
        for (source, said) in study.studied.judge_verdicts(item) {
            if let Some(score) = said.verdict.score {
                all.entry((true, source.by.clone())).or_default().push((score, gold));
            }
        }
    }
    all
}
