//! The sample of a study with its blind labels: means over runs.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    loaded_study::{LoadedStudy, StudyItem},
    queue::StratumKey,
};

use super::{
    drawn_labels::{DrawnLabels, QueuedItem, RaterLevel, drawn_labels},
    estimator::{CorrectedMean, CorrectionOptions, CorrectionRefusal, LabelScope, corrected_mean},
    measure::Measure,
    plan::LabelPlan,
};

/// The share that intervals cover.
const CONFIDENCE: f64 = 0.95;

/// The judged items of a study, those of the sample first, with the labels of its raters.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyLabels<'a> {
    studied: &'a LoadedStudy,
    pub items: Vec<QueuedItem>,
    /// The number in [`Self::items`] of each item of the sample that the judge scored on the scale of its labels.
    numbers: BTreeMap<usize, usize>,
    /// The queue of each rater, numbers of items in the rater's order.
    queues: Vec<Vec<usize>>,
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
            numbers.insert(at, items.len());
            items.push(QueuedItem { stratum: strata[at], cluster: item.run, judged, labels });
        }
        let queue = |rater: &String| {
            studied.queue_of(rater).iter().filter_map(|at| numbers.get(at).copied()).collect()
        };
        let queues = raters.iter().map(queue).collect();
        Self { studied, items, numbers, queues }
    }

    /// Selects the labels that follow the queues.
    ///
    /// # Errors
    ///
    /// When there are too few of them.
    pub fn drawn_labels(&self) -> Result<DrawnLabels, CorrectionRefusal> {
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
        let scope = match self.studied.runs.len() {
            0 | 1 => LabelScope::TheseItems,
            _ => LabelScope::RunsLikeThese,
        };
        let scale = self.studied.items.first().map(|it| self.studied.scale_of(it));
        let scale = scale.unwrap_or_else(|| self.studied.design.unit.default_scale());
        let options =
            CorrectionOptions { scope, range: measure.range_on(scale), confidence: CONFIDENCE };
        corrected_mean(&self.drawn_labels()?.measured_by(measure), options)
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
