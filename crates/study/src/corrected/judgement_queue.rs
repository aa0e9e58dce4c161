//! The queue of one judgement with its blind labels.

use std::collections::{BTreeMap, BTreeSet};

use trajview_run::rubric::{ItemKey, Judgement, JudgementLabel, LabelUnit, Rubric, Verdict};

use crate::queue::{QueuePlan, draw_queue};

use super::{
    difference::corrected_difference,
    drawn_labels::{DrawnLabels, LabelQueues, QueuedItem, RaterLevel, drawn_labels},
    estimator::{
        CONFIDENCE, CorrectedMean, CorrectionOptions, CorrectionRefusal, LabelScope, MeasuredItem,
        corrected_mean,
    },
    measure::Measure,
    sentence::{MCF_WITH_SCALE, SentenceFacts, judge_text},
};

/// The judged components of a state, with their labels, and the order in which they were to be labelled.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgementQueue<'a> {
    /// The id of each item.
    pub components: Vec<&'a str>,
    pub items: Vec<QueuedItem>,
    /// The numbers of the items that were drawn, in the order of the queue.
    pub order: Vec<usize>,
    raters: usize,
    seed: u64,
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

fn measured_components(
    rubric: &Rubric,
    judgement: &Judgement,
) -> Result<Vec<MeasuredItem>, CorrectionRefusal> {
    let queue = JudgementQueue::for_all_raters(rubric, judgement, QueuePlan::default());
    Ok(queue.drawn_labels()?.measured_by(Measure::Level))
}

/// Returns whether a label was given before the verdict of the judgement was seen: of a pooled one, before any verdict
/// that it is made of.
fn is_blind_for(label: JudgementLabel<'_>, judgement: &Judgement) -> bool {
    match &judgement.pooled {
        Some(pooled) => {
            let is_blind = |file: &str| label.label.blind_for(file) == Some(true);
            label.is_blind() != Some(false) && pooled.from.iter().all(|(file, _)| is_blind(file))
        }
        None => label.is_blind() == Some(true),
    }
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
    /// or of all of them. Means leave out what the MCF leaves out: verdicts that are [left out](Verdict::is_left_out) and
    /// those on components that the checklist lacks.
    pub fn new(
        rubric: &Rubric,
        (judgement, labelled): (&'a Judgement, &Judgement),
        rater: Option<&str>,
        plan: QueuePlan,
    ) -> Self {
        let mut ids = BTreeSet::new();
        let scored = judgement.verdicts.iter().filter_map(|it| Some((it, it.score?)));
        let scored: Vec<(&Verdict, u8)> =
            scored.filter(|(it, _)| ids.insert(&*it.component)).collect();
        let files = rubric.labels.iter().filter(|it| rater.is_none_or(|name| it.annotator == name));
        let files: Vec<_> = files.collect();
        let label_level = |label: JudgementLabel<'_>| {
            let scale = LabelUnit::Component.default_scale();
            let is_drawn = is_blind_for(label, judgement) && label.label.label_scale() == scale;
            label.score().filter(|_| is_drawn)
        };
        let is_listed = |id: &str| {
            let list = rubric.checklist.as_ref();
            list.is_none_or(|list| list.components.iter().any(|one| one.id == id))
        };
        let item = |(verdict, score): &(&Verdict, u8)| {
            let given = || files.iter().map(|file| file.label_for(judgement, &verdict.component));
            let labels = given().enumerate().filter_map(|(queue, label)| {
                Some(RaterLevel { queue, level: label_level(label?)? })
            });
            let in_queue = labelled.verdict_on(&verdict.component).and_then(|it| it.score);
            QueuedItem {
                stratum: in_queue.unwrap_or(*score).into(),
                cluster: 0,
                judged: verdict.score_value().unwrap_or_default(),
                labels: labels.collect(),
                is_open: false,
                is_left_out: verdict.is_left_out || !is_listed(&verdict.component),
            }
        };
        let mut items: Vec<QueuedItem> = scored.iter().map(item).collect();
        let components: Vec<&str> = scored.iter().map(|(it, _)| &*it.component).collect();
        let numbers: BTreeMap<&str, usize> =
            components.iter().enumerate().map(|(at, component)| (*component, at)).collect();
        let drawn = draw_queue(&[labelled], plan);
        let mut is_new = vec![true; items.len()];
        let order = drawn.iter().filter_map(|it| numbers.get(&*it.component).copied());
        let order: Vec<usize> = order.filter(|at| std::mem::take(&mut is_new[*at])).collect();
        for at in &order {
            let mut given = files.iter().filter_map(|it| it.label_for(judgement, components[*at]));
            items[*at].is_open = !given.any(|label| label.is_answered());
        }
        Self { components, items, order, raters: files.len(), seed: plan.seed }
    }

    /// Collects the items of a judgement with the blind labels of all raters, in the queue of the judgement that they
    /// labelled.
    pub fn for_all_raters(rubric: &Rubric, judgement: &'a Judgement, plan: QueuePlan) -> Self {
        Self::new(rubric, (judgement, labelled_judgement(rubric, judgement)), None, plan)
    }

    /// Returns whether somebody, or this rater, has items to label.
    pub fn has_open_items(&self) -> bool {
        self.order.iter().any(|at| self.items[*at].is_open)
    }

    /// Returns the mean level of these labels as a sentence for a paper: of the run of this name, after so many turns.
    /// `names_judged_mean` is false for a rater who has items to label: the sentence then has nothing of the judge's levels.
    pub fn paper_sentence(
        &self,
        (drawn, mean): (&DrawnLabels, &CorrectedMean),
        judgement: &Judgement,
        (run, done): (&str, usize),
        names_judged_mean: bool,
    ) -> String {
        mean.paper_sentence(&SentenceFacts {
            mean: MCF_WITH_SCALE.into(),
            place: format!("{run} after turn {done}"),
            items: LabelUnit::Component.plural_word(),
            judge: judge_text(judgement),
            raters: drawn.rater_count(),
            runs: None,
            is_stratified: drawn.is_stratified,
            seed: self.seed,
            names_judged_mean,
        })
    }

    /// Returns the numbers of the open items that a mean counts, each with its stratum.
    pub fn open_strata(&self) -> BTreeMap<usize, usize> {
        let open = self.items.iter().enumerate().filter(|(_, it)| it.is_open && !it.is_left_out);
        open.map(|(at, it)| (at, it.stratum)).collect()
    }

    /// Selects the labels that follow the queue.
    ///
    /// # Errors
    ///
    /// When there are too few of them.
    pub fn drawn_labels(&self) -> Result<DrawnLabels, CorrectionRefusal> {
        let queues = LabelQueues {
            orders: vec![self.order.clone(); self.raters],
            is_permutation: self.order.len() == self.items.len(),
            seed: self.seed,
        };
        drawn_labels(self.items.clone(), &queues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{Label, LabelFile, PoolMethod, PooledSources};

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
    fn a_label_is_blind_for_a_pooled_judgement_only_before_all_of_its_verdicts() {
        let pooled = |seen: &[&str]| {
            let mut rubric = labelled_rubric(|at| at < 12, Some(true));
            let second =
                Judgement { file: "judgements/b.json".into(), ..rubric.judgements[0].clone() };
            let from = [&rubric.judgements[0], &second].map(|it| (it.file.clone(), String::new()));
            let file = "pooled:mean".into();
            let sources = PooledSources { pool: PoolMethod::Mean, from: from.into() };
            let pooled = Judgement { file, pooled: Some(sources), ..second.clone() };
            rubric.judgements.extend([second, pooled]);
            let seen: Vec<String> = seen.iter().map(|it| (*it).to_owned()).collect();
            rubric.labels[0].labels.iter_mut().for_each(|it| it.seen = Some(seen.clone()));
            corrected_mcf(&rubric, &rubric.judgements[2]).map(|mean| mean.labels)
        };

        assert_eq!(pooled(&[]), Ok(12));
        assert_eq!(pooled(&["judgements/b.json"]), Err(CorrectionRefusal::NoBlindLabels));
    }

    #[test]
    fn a_verdict_that_no_mean_counts_is_in_the_queue_and_not_in_the_mean() {
        let mut rubric = labelled_rubric(|at| at < 12, Some(true));
        rubric.judgements[0].verdicts[3].is_left_out = true;
        let judgement = &rubric.judgements[0];

        let queue =
            JudgementQueue::new(&rubric, (judgement, judgement), Some("ana"), QueuePlan::default());

        assert_eq!((queue.order.len(), corrected(&rubric).unwrap().items), (24, 23));
    }

    #[test]
    fn a_queue_of_some_components_counts_by_stratum_and_what_is_not_drawn_has_no_label() {
        let rubric = labelled_rubric(|_| true, Some(true));
        let judgement = &rubric.judgements[0];
        let plan = QueuePlan { size: Some(12), ..QueuePlan::default() };

        let queue = JudgementQueue::new(&rubric, (judgement, judgement), Some("ana"), plan);

        let drawn = queue.drawn_labels().unwrap();
        let labels = drawn.items.iter().filter(|it| !it.labels.is_empty()).count();
        assert_eq!((drawn.is_stratified, labels, drawn.left_out), (true, 12, 12));
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
