//! What is put before the adjudicator of a study: things that raters scored differently, with all that they said.

use trajview_run::rubric::{Gold, GoldSource, LabelOn, gold_of};

use super::{
    design::Adjudicates,
    division,
    studied::{Studied, StudyItem},
};

/// A thing that is to be settled, or was.
#[derive(Debug, Clone, PartialEq)]
pub struct Case<'a> {
    /// Number in [`Studied::items`].
    pub number: usize,
    pub item: &'a StudyItem,
    /// Who answered, and what; in the order of the raters.
    pub labels: Vec<(String, LabelOn<'a>)>,
    /// Who is to label it and has not.
    pub missing: Vec<String>,
    /// What was settled last.
    pub gold: Option<&'a Gold>,
}

impl Case<'_> {
    /// Whether two answers are not the same.
    pub fn differs(&self) -> bool {
        let mut answers =
            self.labels.iter().map(|(_, label)| (label.score(), label.given.cannot_tell));
        let first = answers.next();
        answers.any(|answer| Some(answer) != first)
    }

    /// The labels as an outcome keeps them.
    pub fn sources(&self) -> Vec<GoldSource> {
        let source = |(rater, label): &(String, LabelOn<'_>)| GoldSource {
            annotator: rater.clone(),
            score: label.score(),
            reason: label.reason().map(str::to_owned),
            note: label.note().map(str::to_owned),
        };
        self.labels.iter().map(source).collect()
    }
}

impl Studied {
    /// What is put before the adjudicator, as the study says: by run, then component.
    pub fn cases(&self) -> Vec<Case<'_>> {
        let mut numbers: Vec<usize> = (0..self.items.len()).collect();
        numbers.sort_by(|a, b| self.items[*a].place().cmp(&self.items[*b].place()));
        let raters = self.raters();
        let is_put = |case: &Case<'_>| match self.design.adjudicates {
            Adjudicates::Differing => case.differs(),
            Adjudicates::All => !case.labels.is_empty(),
        };
        let cases = numbers.into_iter().filter_map(|number| self.case_among(number, &raters));
        cases.filter(is_put).collect()
    }

    /// What all of its raters, two at least, scored alike and nobody settled: an outcome for each, by `by`, with the run
    /// that it is of.
    pub fn agreed(&self, by: &str) -> Vec<(usize, Gold)> {
        let cases = (0..self.items.len()).filter_map(|number| self.case(number));
        let is_agreed = |case: &Case<'_>| {
            case.labels.len() > 1
                && case.missing.is_empty()
                && !case.differs()
                && case.gold.is_none()
        };
        let outcome = |case: Case<'_>| {
            let (_, first) = case.labels.first()?;
            let (score, cannot_tell) = (first.score(), first.given.cannot_tell);
            let by = Some(by.to_owned());
            Some((case.item.run, Gold { score, cannot_tell, by, ..self.outcome(&case) }))
        };
        cases.filter(is_agreed).filter_map(outcome).collect()
    }

    /// What raters said of the thing of this number.
    pub fn case(&self, number: usize) -> Option<Case<'_>> {
        self.case_among(number, &self.raters())
    }

    fn case_among(&self, number: usize, raters: &[String]) -> Option<Case<'_>> {
        let item = self.items.get(number)?;
        let mut case =
            Case { number, item, labels: vec![], missing: vec![], gold: self.gold(item) };
        let labels_it =
            |rater: &&String| division::labels(&self.design, self.items.len(), rater, number);
        for rater in raters.iter().filter(labels_it) {
            match self.label(item, rater).filter(|label| label.is_answered()) {
                Some(label) => case.labels.push((rater.clone(), label)),
                None => case.missing.push(rater.clone()),
            }
        }
        Some(case)
    }

    /// What was settled of it last.
    pub fn gold(&self, item: &StudyItem) -> Option<&Gold> {
        gold_of(&self.run_of(item)?.rubric.gold, item.key(), item.item.commit.as_deref())
    }

    /// An outcome of a thing, without who settled it and when.
    pub fn outcome(&self, case: &Case<'_>) -> Gold {
        let item = &case.item.item;
        let scale = case.labels.iter().find_map(|(_, label)| label.given.scale.clone());
        Gold {
            component: item.id.clone(),
            unit: item.unit,
            criterion: item.criterion.clone(),
            commit: item.commit.clone(),
            turn: item.turn,
            scale,
            from: case.sources(),
            ..Gold::default()
        }
    }
}
