//! The cases that a study's adjudicator settles: things that raters scored differently, with every label on them.

use trajview_run::rubric::{GoldLabel, GoldSource, JudgementLabel, gold_label_for};

use super::{
    design::AdjudicationScope,
    division,
    loaded_study::{LoadedStudy, StudyItem},
};

/// A thing that is to be settled, or was.
#[derive(Debug, Clone, PartialEq)]
pub struct AdjudicationCase<'a> {
    /// Number in [`LoadedStudy::items`].
    pub number: usize,
    pub item: &'a StudyItem,
    /// The raters who answered, each with the label, in the order of the raters.
    pub labels: Vec<(String, JudgementLabel<'a>)>,
    /// The raters who are to label the thing and have not done so.
    pub missing: Vec<String>,
    /// The latest outcome of adjudication.
    pub gold: Option<&'a GoldLabel>,
}

impl AdjudicationCase<'_> {
    /// Returns whether two answers differ.
    pub fn has_different_answers(&self) -> bool {
        let mut answers =
            self.labels.iter().map(|(_, label)| (label.score(), label.label.cannot_tell));
        let first = answers.next();
        answers.any(|answer| Some(answer) != first)
    }

    /// Returns the labels as an outcome keeps them.
    pub(crate) fn gold_sources(&self) -> Vec<GoldSource> {
        let source = |(rater, label): &(String, JudgementLabel<'_>)| GoldSource {
            annotator: rater.clone(),
            score: label.score(),
            reason: label.reason().map(str::to_owned),
            note: label.note().map(str::to_owned),
        };
        self.labels.iter().map(source).collect()
    }
}

impl LoadedStudy {
    /// Returns the cases that the study puts before the adjudicator, by run, then component.
    pub fn adjudication_cases(&self) -> Vec<AdjudicationCase<'_>> {
        let mut numbers: Vec<usize> = (0..self.items.len()).collect();
        numbers.sort_by(|a, b| self.items[*a].sort_key().cmp(&self.items[*b].sort_key()));
        let raters = self.rater_names();
        let is_put = |case: &AdjudicationCase<'_>| match self.design.adjudicates {
            AdjudicationScope::Differing => case.has_different_answers(),
            AdjudicationScope::All => !case.labels.is_empty(),
        };
        let cases = numbers.into_iter().filter_map(|number| self.case_among(number, &raters));
        cases.filter(is_put).collect()
    }

    /// Returns an outcome by `by`, with its run, for each thing that all of its raters (two at least) scored alike
    /// and that has no outcome yet.
    pub fn agreed_outcomes(&self, by: &str) -> Vec<(usize, GoldLabel)> {
        let cases = (0..self.items.len()).filter_map(|number| self.adjudication_case(number));
        let is_agreed = |case: &AdjudicationCase<'_>| {
            case.labels.len() > 1
                && case.missing.is_empty()
                && !case.has_different_answers()
                && case.gold.is_none()
        };
        let outcome = |case: AdjudicationCase<'_>| {
            let (_, first) = case.labels.first()?;
            let (score, cannot_tell) = (first.score(), first.label.cannot_tell);
            let by = Some(by.to_owned());
            Some((case.item.run, GoldLabel { score, cannot_tell, by, ..self.new_outcome(&case) }))
        };
        cases.filter(is_agreed).filter_map(outcome).collect()
    }

    /// Returns the labels on the thing of this number.
    pub fn adjudication_case(&self, number: usize) -> Option<AdjudicationCase<'_>> {
        self.case_among(number, &self.rater_names())
    }

    fn case_among(&self, number: usize, raters: &[String]) -> Option<AdjudicationCase<'_>> {
        let item = self.items.get(number)?;
        let mut adjudication_case = AdjudicationCase {
            number,
            item,
            labels: vec![],
            missing: vec![],
            gold: self.latest_gold(item),
        };
        let labels_it = |rater: &&String| {
            division::is_labelled_by(&self.design, self.items.len(), rater, number)
        };
        for rater in raters.iter().filter(labels_it) {
            match self.label_by(item, rater).filter(|label| label.is_answered()) {
                Some(label) => adjudication_case.labels.push((rater.clone(), label)),
                None => adjudication_case.missing.push(rater.clone()),
            }
        }
        Some(adjudication_case)
    }

    /// Returns the latest outcome for a thing.
    pub(crate) fn latest_gold(&self, item: &StudyItem) -> Option<&GoldLabel> {
        gold_label_for(
            &self.run_of(item)?.rubric.gold,
            item.item_key(),
            item.item.commit.as_deref(),
        )
    }

    /// Creates the outcome of a thing, without who settled it and when.
    pub fn new_outcome(&self, case: &AdjudicationCase<'_>) -> GoldLabel {
        let item = &case.item.item;
        let scale = case.labels.iter().find_map(|(_, label)| label.label.scale.clone());
        GoldLabel {
            component: item.id.clone(),
            unit: item.unit,
            criterion: item.criterion.clone(),
            commit: item.commit.clone(),
            turn: item.turn,
            scale,
            from: case.gold_sources(),
            ..GoldLabel::default()
        }
    }
}
