//! How far each rater and each judge agree with what was settled so far.

use std::collections::BTreeMap;

use crate::{
    run::figures,
    session::Session,
    study::{Coefficient, Ratings, Scale, studied::StudyItem},
    views::verdict::cut,
};

use super::Row;

/// Scores of somebody beside those that were settled, by name; raters first.
type WithGold = BTreeMap<(bool, String), Vec<(f64, f64)>>;

pub fn rows(session: &Session, width: usize) -> Vec<Row> {
    let with_gold = with_gold(session);
    if with_gold.is_empty() {
        let words = "agreement with gold appears after the first outcome";
        return cut(words, width).into_iter().map(Row::Note).collect();
    }
    let heads = ["n", "exact", "±1", "kappa"].map(String::from);
    let mut rows = vec![Row::Heading("with gold".into()), Row::With(String::new(), heads)];
    rows.extend(with_gold.into_iter().map(|((_, name), pairs)| with(name, &pairs)));
    rows.push(Row::Blank);
    let words = "kappa has quadratic weights; `trajview audit STUDY` has intervals";
    rows.extend(cut(words, width).into_iter().map(Row::Note));
    rows
}

fn with(name: String, pairs: &[(f64, f64)]) -> Row {
    let ratings = Ratings::new(Scale::default(), pairs);
    let table = ratings.table();
    let of = |coefficient: Coefficient| {
        coefficient.of_whole(&table).map_or_else(|_| "-".to_owned(), figures::share)
    };
    let wanted = [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic].map(of);
    let [exact, within, kappa] = wanted;
    Row::With(name, [ratings.len().to_string(), exact, within, kappa])
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
