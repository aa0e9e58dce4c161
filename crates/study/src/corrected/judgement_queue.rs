//! The queue of one judgement with its blind labels.

use std::collections::BTreeMap;

use trajview_run::rubric::{ItemKey, Judgement, JudgementLabel, LabelUnit, Rubric, Verdict};

use crate::queue::{QueuePlan, draw_queue};

use super::{
    difference::corrected_difference,
    drawn_labels::{DrawnLabels, QueuedItem, RaterLevel, drawn_labels},
    estimator::{
        CorrectedMean, CorrectionOptions, CorrectionRefusal, LabelScope, MeasuredItem,
        corrected_mean,
    },
    measure::Measure,
};

/// The share that intervals cover.
const CONFIDENCE: f64 = 0.95;

/// The judged components of a state, with their labels, and the order in which they were to be labelled.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgementQueue<'a> {
    /// The id of each item.
    pub components: Vec<&'a str>,
    pub items: Vec<QueuedItem>,
    /// The numbers of the items, in the order of the queue.
    pub order: Vec<usize>,
    raters: usize,
}

/// Returns the options of a mean over the components of one run.
pub fn options_of_run(measure: Measure) -> CorrectionOptions {
    CorrectionOptions {
        scope: LabelScope::TheseItems,
        range: measure.range_on(LabelUnit::Component.default_scale()),
        confidence: CONFIDENCE,
    }
}

/// Corrects the MCF of a judgement by the blind labels of all raters, in the default queue of the judgement that they
/// labelled.
///
/// # Errors
///
/// When labels do not allow it.
pub fn corrected_mcf(
    rubric: &Rubric,
    judgement: &Judgement,
) -> Result<CorrectedMean, CorrectionRefusal> {
    corrected_mean(&measured_components(rubric, judgement)?, options_of_run(Measure::Level))
}

/// Corrects the difference of the MCFs of two runs, the first minus the second.
///
/// # Errors
///
/// When the labels of one of them do not allow it.
pub fn corrected_mcf_difference(
    first: (&Rubric, &Judgement),
    second: (&Rubric, &Judgement),
) -> Result<CorrectedMean, CorrectionRefusal> {
    let first = measured_components(first.0, first.1)?;
    let second = measured_components(second.0, second.1)?;
    corrected_difference(&first, &second, options_of_run(Measure::Level))
}

/// Returns the components that count in the MCF. As there, verdicts on components that the checklist lacks
/// do not, nor those that are left out.
fn measured_components(
    rubric: &Rubric,
    judgement: &Judgement,
) -> Result<Vec<MeasuredItem>, CorrectionRefusal> {
    let is_counted = |it: &&Verdict| {
        let list = rubric.checklist.as_ref();
        let is_listed =
            list.is_none_or(|list| list.components.iter().any(|one| one.id == it.component));
        is_listed && it.counted_value().is_some()
    };
    let verdicts = judgement.verdicts.iter().filter(is_counted).cloned().collect();
    let counted = Judgement { verdicts, ..judgement.clone() };
    let labelled = labelled_judgement(rubric, judgement);
    let queue = JudgementQueue::new(rubric, (&counted, labelled), None, QueuePlan::default());
    Ok(queue.drawn_labels()?.measured_by(Measure::Level))
}

/// Returns the judgement that most blind labels of this state name, since its verdicts were in the queue.
fn labelled_judgement<'a>(rubric: &'a Rubric, judgement: &'a Judgement) -> &'a Judgement {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for label in rubric.labels.iter().flat_map(|file| &file.labels) {
        let key = ItemKey::from(&label.component);
        if label.blind == Some(true) && label.is_on(judgement.into(), key) {
            *counts.entry(label.judgement.as_deref().unwrap_or_default()).or_default() += 1;
        }
    }
    let named = counts.into_iter().max_by_key(|(_, count)| *count);
    let named = named.and_then(|(file, _)| rubric.judgements.iter().find(|it| it.file == file));
    named.unwrap_or(judgement)
}

impl<'a> JudgementQueue<'a> {
    /// Collects the items of a judgement in the queue of the judgement that was labelled, with the labels of one rater,
    /// or of all of them.
    pub fn new(
        rubric: &Rubric,
        (judgement, labelled): (&'a Judgement, &Judgement),
        rater: Option<&str>,
        plan: QueuePlan,
    ) -> Self {
        let scored = judgement
            .verdicts
            .iter()
            .filter_map(|it| Some((&*it.component, it.score?, it.score_value()?)));
        let files = rubric.labels.iter().filter(|it| rater.is_none_or(|name| it.annotator == name));
        let files: Vec<_> = files.collect();
        let label_level = |label: JudgementLabel<'_>| {
            let scale = LabelUnit::Component.default_scale();
            let is_drawn = label.is_blind() == Some(true) && label.label.label_scale() == scale;
            label.score().filter(|_| is_drawn)
        };
        let item = |(component, score, judged): (&str, u8, f64)| {
            let labels = files.iter().enumerate().filter_map(|(queue, file)| {
                let level = label_level(file.label_for(judgement, component)?)?;
                Some(RaterLevel { queue, level })
            });
            let stratum = labelled.verdict_on(component).and_then(|it| it.score).unwrap_or(score);
            QueuedItem { stratum: stratum.into(), cluster: 0, judged, labels: labels.collect() }
        };
        let items: Vec<QueuedItem> = scored.clone().map(item).collect();
        let components: Vec<&str> = scored.map(|(component, ..)| component).collect();
        let drawn = draw_queue(&[labelled], plan);
        let numbers: BTreeMap<&str, usize> =
            components.iter().enumerate().map(|(at, component)| (*component, at)).collect();
        let mut order: Vec<usize> =
            drawn.iter().filter_map(|it| numbers.get(&*it.component).copied()).collect();
        order.extend((0..items.len()).filter(|at| !order.contains(at)).collect::<Vec<_>>());
        Self { components, items, order, raters: files.len() }
    }

    /// Selects the labels that follow the queue.
    ///
    /// # Errors
    ///
    /// When there are too few of them.
    pub fn drawn_labels(&self) -> Result<DrawnLabels, CorrectionRefusal> {
        drawn_labels(self.items.clone(), &vec![self.order.clone(); self.raters])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{Label, LabelFile};

    /// A judgement of 24 components, and a rater's labels: one level lower than the judge, of those in the queue that
    /// `is_labelled` says.
    fn labelled_rubric(is_labelled: impl Fn(usize) -> bool, blind: Option<bool>) -> Rubric {
        let verdict = |at: usize| Verdict {
            component: format!("C{at:02}"),
            score: Some(1 + (at % 4) as u8),
            ..Verdict::default()
        };
        let judgement = Judgement {
            file: "judgements/quick.json".into(),
            commit: Some("0123456789".into()),
            verdicts: (0..24).map(verdict).collect(),
            ..Judgement::default()
        };
        let queue = draw_queue(&[&judgement], QueuePlan::default());
        let labelled = queue.iter().enumerate().filter(|(at, _)| is_labelled(*at));
        let label = |(_, item): (usize, &crate::queue::QueueItem)| Label {
            component: item.component.clone(),
            commit: judgement.commit.clone(),
            judgement: Some(judgement.file.clone()),
            score: judgement
                .verdict_on(&item.component)
                .and_then(|it| it.score)
                .map(|it| f64::from(it - 1)),
            blind,
            ..Label::default()
        };
        let labels = labelled.map(label).collect();
        let labels = LabelFile { annotator: "ana".into(), labels, ..LabelFile::default() };
        Rubric { judgements: vec![judgement], labels: vec![labels], ..Rubric::default() }
    }

    fn corrected(rubric: &Rubric) -> Result<CorrectedMean, CorrectionRefusal> {
        corrected_mcf(rubric, &rubric.judgements[0])
    }

    #[test]
    fn the_first_blind_labels_of_the_queue_correct_the_mean() {
        let mean = corrected(&labelled_rubric(|at| at < 12, Some(true))).unwrap();

        assert_eq!((mean.judged, mean.labels, mean.items), (2.5, 12, 24));
        assert!((mean.value - 1.5).abs() < 0.2, "{mean:?}");
        assert!(mean.summary_text().starts_with("judged 2.50 · corrected 1."), "{mean:?}");
    }

    #[test]
    fn labels_after_the_verdict_and_labels_by_choice_do_not() {
        let seen = corrected(&labelled_rubric(|at| at < 12, Some(false)));
        let unknown = corrected(&labelled_rubric(|at| at < 12, None));
        let chosen = corrected(&labelled_rubric(|at| at % 3 == 2, Some(true)));

        assert_eq!(seen, Err(CorrectionRefusal::NoBlindLabels));
        assert_eq!(unknown, Err(CorrectionRefusal::NoBlindLabels));
        assert!(matches!(chosen, Err(CorrectionRefusal::ChosenByHand { labels: 8, .. })));
    }
}
