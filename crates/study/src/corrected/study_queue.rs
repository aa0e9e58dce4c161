//! The sample of a study with its blind labels: means over runs.

use std::collections::{BTreeMap, BTreeSet};

use trajview_run::{
    format_number::count_with_noun,
    rubric::{LabelUnit, ScoreScale},
};

use crate::{
    design::LabelDivision,
    division,
    loaded_study::{LoadedStudy, StudyItem},
    queue::StratumKey,
};

use super::{
    drawn_labels::{DrawnLabels, LabelQueues, QueuedItem, RaterLevel, drawn_labels},
    estimator::{
        CONFIDENCE, CorrectedMean, CorrectionOptions, CorrectionRefusal, LabelScope, corrected_mean,
    },
    measure::Measure,
    plan::LabelPlan,
    sentence::{MCF_WITH_SCALE, SentenceFacts},
};

/// The judged items of a study, those of the sample first, with the labels of its raters.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyLabels<'a> {
    studied: &'a LoadedStudy,
    pub items: Vec<QueuedItem>,
    /// The number in [`Self::items`] of each item of the sample that the judge scored on the scale of its labels.
    numbers: BTreeMap<usize, usize>,
    queues: LabelQueues,
    /// The scale of all levels; else the kind of things of which there are several.
    scale: Result<ScoreScale, &'static str>,
}

impl<'a> StudyLabels<'a> {
    /// Collects the items with the blind labels of one rater, or of all of them.
    pub fn new(studied: &'a LoadedStudy, rater: Option<&str>) -> Self {
        let raters = rater.map_or_else(|| studied.rater_names(), |name| vec![name.to_owned()]);
        let candidates = studied.candidate_items();
        let is_sampled: BTreeSet<_> = studied.items.iter().map(StudyItem::sort_key).collect();
        let rest = candidates.iter().filter(|it| !is_sampled.contains(&it.sort_key()));
        let all: Vec<&StudyItem> = studied.items.iter().chain(rest).collect();
        let strata = strata_by_number(studied, &all);
        let (mut items, mut numbers) = (vec![], BTreeMap::new());
        for (at, item) in all.into_iter().enumerate() {
            let Some(judged) = item.item.verdict.score else { continue };
            let label = |(queue, rater): (usize, &String)| {
                let label = studied.label_by(item, rater)?;
                let is_comparable = label.is_blind() == Some(true)
                    && label.label.label_scale() == studied.scale_of(item);
                Some(RaterLevel { queue, level: label.score().filter(|_| is_comparable)? })
            };
            let labels = raters.iter().enumerate().filter_map(label).collect();
            let sample_size = studied.items.len();
            let is_next_for = |rater: &String| {
                division::is_labelled_by(&studied.design, sample_size, rater, at)
                    && !studied.is_labelled(item, rater)
            };
            // Without raters nobody has labelled anything, and anybody may label everything.
            let has_next_rater = || raters.is_empty() || raters.iter().any(is_next_for);
            numbers.insert(at, items.len());
            items.push(QueuedItem {
                stratum: strata[at],
                cluster: item.run,
                judged,
                labels,
                is_open: at < sample_size && has_next_rater(),
                is_left_out: item.item.verdict.is_left_out,
            });
        }
        let order = |rater: &String| {
            studied.queue_of(rater).iter().filter_map(|at| numbers.get(at).copied()).collect()
        };
        let queues = LabelQueues {
            orders: raters.iter().map(order).collect(),
            is_permutation: studied.items.len() == studied.candidates
                && studied.design.division == LabelDivision::Same,
            seed: studied.design.sample.seed,
        };
        Self { studied, items, numbers, queues, scale: common_scale(studied, &candidates) }
    }

    /// Selects the labels that follow the queues.
    ///
    /// # Errors
    ///
    /// When there are too few of them, or when they are of several judges, criteria or scales.
    pub fn drawn_labels(&self) -> Result<DrawnLabels, CorrectionRefusal> {
        self.scale.map_err(CorrectionRefusal::SeveralParts)?;
        drawn_labels(self.items.clone(), &self.queues)
    }

    /// Returns the queue of a rater with the planned items first, by number in [`LoadedStudy::items`].
    pub fn planned_queue(&self, plan: &LabelPlan, rater: &str) -> Vec<usize> {
        let queue = self.studied.queue_of(rater);
        let is_open = |at: &&usize| !self.studied.is_labelled(&self.studied.items[**at], rater);
        let open = queue.iter().filter(is_open);
        let strata =
            open.filter_map(|at| Some((*at, self.items.get(*self.numbers.get(at)?)?.stratum)));
        plan.order_queue(&queue, &strata.collect())
    }

    /// Corrects the mean over runs like these; over these items where there is one run.
    ///
    /// # Errors
    ///
    /// When labels do not allow it.
    pub fn corrected_mean(&self, measure: Measure) -> Result<CorrectedMean, CorrectionRefusal> {
        let drawn = self.drawn_labels()?;
        corrected_mean(&drawn.measured_by(measure), self.options_of(measure)?)
    }

    /// Returns the mean level as a sentence for a paper. `names_judged_mean` is false for a rater who has items to label.
    pub fn paper_sentence(
        &self,
        (drawn, mean): (&DrawnLabels, &CorrectedMean),
        names_judged_mean: bool,
    ) -> String {
        let studied = self.studied;
        let unit = studied.design.unit;
        let scale = self.scale.unwrap_or(unit.default_scale());
        let runs = studied.runs.len();
        let judge = studied.items.first().map(|it| studied.judge_of(it)).unwrap_or_default();
        mean.paper_sentence(&SentenceFacts {
            mean: match unit {
                LabelUnit::Component => MCF_WITH_SCALE.into(),
                _ => format!("mean score ({scale})"),
            },
            place: format!("{} of {}", count_with_noun(runs, "run"), studied.name),
            items: unit.plural_word(),
            judge: format!("the judge {judge}"),
            raters: drawn.rater_count(),
            runs: (runs > 1).then_some(runs),
            is_stratified: drawn.is_stratified,
            seed: studied.design.sample.seed,
            names_judged_mean,
        })
    }

    /// Returns the options of a mean over the items.
    ///
    /// # Errors
    ///
    /// When they are of several judges, criteria or scales.
    pub fn options_of(&self, measure: Measure) -> Result<CorrectionOptions, CorrectionRefusal> {
        let scope = match self.studied.runs.len() {
            0 | 1 => LabelScope::TheseItems,
            _ => LabelScope::RunsLikeThese,
        };
        let scale = self.scale.map_err(CorrectionRefusal::SeveralParts)?;
        Ok(CorrectionOptions { scope, range: measure.range_on(scale), confidence: CONFIDENCE })
    }
}

/// Returns the scale that the levels of all items are on; where they are of several judges, criteria or scales, the kind
/// of these.
fn common_scale(studied: &LoadedStudy, items: &[StudyItem]) -> Result<ScoreScale, &'static str> {
    let scored = || items.iter().filter(|it| it.item.verdict.score.is_some());
    let judges: BTreeSet<&str> = scored().map(|it| studied.judge_of(it)).collect();
    let criteria: BTreeSet<_> = scored().map(|it| it.item.criterion.as_deref()).collect();
    let first = scored().next().map(|it| studied.scale_of(it));
    let scale = first.unwrap_or_else(|| studied.design.unit.default_scale());
    match (judges.len(), criteria.len()) {
        (2.., _) => Err("judges"),
        (_, 2..) => Err("criteria"),
        _ if scored().any(|it| studied.scale_of(it) != scale) => Err("scales"),
        _ => Ok(scale),
    }
}

/// Returns the number of each item's stratum, in the order of the strata.
fn strata_by_number(studied: &LoadedStudy, items: &[&StudyItem]) -> Vec<usize> {
    let keys: Vec<Vec<StratumKey<'_>>> =
        items.iter().map(|item| studied.draw_candidate(item).stratum).collect();
    let distinct: BTreeSet<&Vec<StratumKey<'_>>> = keys.iter().collect();
    let numbers: BTreeMap<&Vec<StratumKey<'_>>, usize> = distinct.into_iter().zip(0..).collect();
    keys.iter().map(|key| numbers[key]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        audit_items::{AuditItem, AuditedVerdict},
        corrected::plan::label_plan,
        design::{RaterOverlap, StudyDesign},
        loaded_study::StudyRun,
    };
    use trajview_run::rubric::{Label, LabelFile, Rubric};

    /// A study of nine components, a third for each of three raters, of whom ana has answered the first of her queue.
    fn divided_study() -> LoadedStudy {
        let item = |at: usize| StudyItem {
            run: 0,
            item: AuditItem {
                id: format!("C{at}"),
                verdict: AuditedVerdict {
                    score: Some((at % 5) as f64),
                    ..AuditedVerdict::default()
                },
                ..AuditItem::default()
            },
        };
        let mut studied = LoadedStudy {
            design: StudyDesign {
                raters: ["ana", "ben", "cho"].map(String::from).to_vec(),
                division: LabelDivision::Divided(RaterOverlap::Count(0)),
                ..StudyDesign::default()
            },
            items: (0..9).map(item).collect(),
            candidates: 9,
            ..LoadedStudy::default()
        };
        let answered = studied.items[studied.queue_of("ana")[0]].item.id.clone();
        let label =
            Label { component: answered, score: Some(2.0), blind: Some(true), ..Label::default() };
        let labels =
            LabelFile { annotator: "ana".into(), labels: vec![label], ..LabelFile::default() };
        let rubric = Rubric { labels: vec![labels], ..Rubric::default() };
        studied.runs = vec![StudyRun { rubric, ..StudyRun::default() }];
        studied
    }

    #[test]
    fn a_plan_for_one_rater_counts_only_the_items_of_this_queue() {
        let studied = divided_study();
        let planned = |rater: Option<&str>| {
            let labels = StudyLabels::new(&studied, rater);
            let options = labels.options_of(Measure::Level).unwrap();
            label_plan(&labels.items, (Measure::Level, options), 0.01, None).label_count()
        };

        assert_eq!(studied.queue_of("ana").len(), 3);
        assert_eq!([Some("ana"), Some("ben"), None].map(planned), [2, 3, 8]);
    }

    #[test]
    fn levels_of_several_criteria_have_no_common_mean() {
        let item = |criterion: &str| StudyItem {
            run: 0,
            item: AuditItem {
                criterion: Some(criterion.into()),
                verdict: AuditedVerdict { score: Some(3.0), ..AuditedVerdict::default() },
                ..AuditItem::default()
            },
        };
        let studied = LoadedStudy::default();

        assert_eq!(common_scale(&studied, &[item("right"), item("clear")]), Err("criteria"));
        assert!(common_scale(&studied, &[item("right"), item("right")]).is_ok());
    }
}
