//! How far each rater and each judge agree with what was settled so far.

use std::collections::BTreeMap;

use crate::{
    run::figures,
    session::Session,
    study::{Coefficient, Ratings, Scale, studied::StudyItem},
};

/// Scores of somebody beside those that were settled, by name; raters first.
type WithGold = BTreeMap<(bool, String), Vec<(f64, f64)>>;

/// Everybody with how many things they have in common with what was settled, and how far they agree: exactly, within 1,
/// kappa. Raters first.
pub fn everybody(session: &Session) -> Vec<(String, [String; 4])> {
    with_gold(session).into_iter().map(|((_, name), pairs)| with(name, &pairs)).collect()
}

fn with(name: String, pairs: &[(f64, f64)]) -> (String, [String; 4]) {
    let ratings = Ratings::new(Scale::default(), pairs);
    let table = ratings.table();
    let of = |coefficient: Coefficient| {
        coefficient.of_whole(&table).map_or_else(|_| "-".to_owned(), figures::share)
    };
    let wanted = [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic].map(of);
    let [exact, within, kappa] = wanted;
    (name, [ratings.len().to_string(), exact, within, kappa])
}

fn with_gold(session: &Session) -> WithGold {
    let mut all = WithGold::new();
    let Some(study) = session.study() else { return all };
    let settled = |item: &StudyItem| study.gold.of_item(item)?.score;
    for (number, item) in study.studied.items.iter().enumerate() {
        let Some(gold) = settled(item) else { continue };
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
