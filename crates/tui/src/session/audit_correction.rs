//! The corrected mean of what is audited, with the labels of whoever sits here, and the plan of the labels that it needs.
//!
//! The same as `trajview audit` prints. With a plan its items come next in the queue: labelled ones stay where they are.

use std::{collections::HashMap, sync::Arc};

use trajview_run::{
    format_number::count_with_noun,
    rubric::{LabelFile, LabelUnit, Rubric},
};
use trajview_study::{
    audit_items::AuditItem,
    compare::turns_done_at_judgement,
    corrected::{
        drawn_labels::{DrawnLabels, QueuedItem},
        estimator::{CorrectedMean, CorrectionOptions, CorrectionRefusal, corrected_mean},
        judgement_queue::{JudgementQueue, options_of_run},
        measure::Measure,
        plan::{LabelPlan, label_plan},
        study_queue::StudyLabels,
    },
    loaded_study::LoadedStudy,
    queue::QueuePlan,
};

use super::{Session, context::KeyContext, labels::RaterLabels};

/// The correction of what is audited.
#[derive(Debug)]
pub struct AuditCorrection {
    computed_for: CorrectionKey,
    mean: Result<CorrectedMean, CorrectionRefusal>,
    /// Labelled items that do not count, because items before them in the queue have no label.
    left_out: usize,
    plan: Option<LabelPlan>,
    sentence: Option<String>,
    /// The rater has items to label.
    has_open: bool,
}

/// What a correction was computed of.
#[derive(Debug, PartialEq)]
struct CorrectionKey {
    rater: String,
    /// The judging and the seed of its queue; the name of a study.
    queue: (String, u64),
    /// The width that a plan is wanted for.
    wanted: Option<f64>,
    /// [`RaterLabels::change_count`] of each run: labels are read again, added and taken back.
    changes: Vec<u64>,
}

/// The parts of which a correction is made.
struct CorrectionParts<'a> {
    drawn: Result<DrawnLabels, CorrectionRefusal>,
    mean: Result<CorrectedMean, CorrectionRefusal>,
    items: &'a [QueuedItem],
    options: Option<CorrectionOptions>,
}

impl CorrectionParts<'_> {
    /// Plans labels with those that count; without any where they are refused.
    fn plan_for(&self, wanted: Option<f64>) -> Option<LabelPlan> {
        let mut items = self.drawn.as_ref().map_or(self.items, |drawn| &drawn.items).to_vec();
        if self.mean.as_ref().is_err_and(|why| !why.is_waiting()) {
            items.iter_mut().for_each(|it| it.labels.clear());
        }
        let current = self.mean.as_ref().ok().map(CorrectedMean::half_width);
        Some(label_plan(&items, (Measure::Level, self.options?), wanted?, current))
    }
}

impl AuditCorrection {
    /// Returns the lines over the queue: the mean, or why there is none, and the plan. `sees_judge` is true where the rater
    /// wants to see the agreement with the judge.
    pub(crate) fn lines(&self, sees_judge: bool) -> Vec<String> {
        let mut facts = vec![];
        match &self.mean {
            Ok(mean) if sees_judge || !self.has_open => facts.push(mean.summary_text()),
            Ok(mean) => facts.push(mean.text_without_judge()),
            Err(why) if self.plan.is_some() || !why.is_waiting() => {
                facts.push(format!("no corrected mean: {why}"));
            }
            Err(_) => {}
        }
        if self.left_out > 0 {
            let labels = count_with_noun(self.left_out, "label");
            facts.push(format!("{labels} not counted: earlier items have none"));
        }
        let first = (!facts.is_empty()).then(|| facts.join(" · "));
        let plan = self.plan.as_ref().map(|plan| plan.summary_text("next in the queue"));
        first.into_iter().chain(plan).collect()
    }
}

impl Session {
    /// Returns the correction of what is audited; None where it is of other things than components.
    pub(crate) fn audit_correction(&self) -> Option<&AuditCorrection> {
        self.audit.correction.as_deref()
    }

    /// Returns the sentence for a paper about what is audited. The error is the reason why there is none.
    pub(crate) fn audit_sentence(&self) -> Result<String, String> {
        let Some(correction) = self.audit_correction() else {
            let why = self.why_no_correction();
            return Err(why.unwrap_or_else(|| "what is audited is not read yet".into()));
        };
        match (&correction.sentence, &correction.mean) {
            (Some(sentence), _) => Ok(sentence.clone()),
            (None, Err(why)) => Err(format!("no corrected mean: {why}")),
            (None, Ok(_)) => Err("no corrected mean".into()),
        }
    }

    /// Plans labels for an interval of this half width, or plans none.
    ///
    /// # Errors
    /// Returns a sentence where what is audited has no corrected mean.
    pub(crate) fn plan_labels(&mut self, half_width: Option<f64>) -> Result<(), String> {
        if let Some(why) = self.why_no_correction() {
            return Err(why);
        }
        self.audit.wanted_width = half_width;
        if half_width.is_none() {
            self.restore_drawn_order();
        }
        self.settle_correction();
        Ok(())
    }

    /// Returns the reason why what is audited has no corrected mean; None where labels of a rater can give one.
    fn why_no_correction(&self) -> Option<String> {
        let unit = self.audit.unit();
        if unit != LabelUnit::Component || !self.audit_codebook().is_on_own_scale(unit) {
            return Some("only components on the scale 0 to 4 have a corrected mean".into());
        }
        if self.is_adjudicating() {
            return Some("blind labels correct a mean; adjudicated scores do not".into());
        }
        self.labels.annotator().is_none().then(|| {
            let key = self.keys.key_text(KeyContext::Audit, "rater");
            format!("a corrected mean needs a rater: {key} sets your name")
        })
    }

    /// Computes the correction again where labels, queue or plan are others, and puts planned items first.
    pub(crate) fn settle_correction(&mut self) {
        if self.why_no_correction().is_some() {
            self.audit.correction = None;
            return;
        }
        let key = self.correction_key();
        if self.audit.correction.as_ref().is_some_and(|it| it.computed_for == key) {
            return;
        }
        self.audit.correction = None;
        let computed = match self.study_queue().is_some() {
            true => self.correct_study(key),
            false => self.correct_run(key),
        };
        if let Some((correction, order)) = computed {
            if correction.plan.is_some() {
                order.arrange(self);
            }
            self.audit.correction = Some(Box::new(correction));
        }
    }

    fn correction_key(&self) -> CorrectionKey {
        let (queue, changes) = match self.study_queue() {
            Some(study) => {
                let count = |run| self.labels_in(run).map_or(0, RaterLabels::change_count);
                let changes = (0..study.studied.runs.len()).map(count).collect();
                ((study.studied.name.clone(), study.studied.design.sample.seed), changes)
            }
            None => {
                let file = self.audit_source().map(|it| it.file.clone()).unwrap_or_default();
                ((file, self.audit.drawn_seed()), vec![self.labels.change_count()])
            }
        };
        let rater = self.labels.annotator().unwrap_or_default().to_owned();
        CorrectionKey { rater, queue, wanted: self.audit.wanted_width, changes }
    }

    fn correct_run(&self, key: CorrectionKey) -> Option<(AuditCorrection, NextItems)> {
        let rubric = self.rubric.known_rubric()?;
        let source = self.audit_source()?;
        let judgement = rubric.judgements.iter().find(|it| it.file == source.file)?;
        // Labels of others are never used: a rater who sees them is no longer independent.
        let own = Rubric {
            checklist: rubric.checklist.clone(),
            labels: vec![self.labels.label_file()?],
            ..Rubric::default()
        };
        let plan = QueuePlan { seed: key.queue.1, ..QueuePlan::default() };
        let queue = JudgementQueue::new(&own, (judgement, judgement), Some(&key.rater), plan);
        let drawn = queue.drawn_labels();
        let options = options_of_run(Measure::Level);
        let mean = drawn
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|drawn| corrected_mean(&drawn.measured_by(Measure::Level), options));
        let has_open = queue.has_open_items();
        let done = turns_done_at_judgement(&self.run, judgement);
        let sentence =
            drawn.as_ref().ok().zip(mean.as_ref().ok()).map(|parts| {
                queue.paper_sentence(parts, judgement, (&self.run.id, done), !has_open)
            });
        let parts = CorrectionParts { drawn, mean, items: &queue.items, options: Some(options) };
        let plan = parts.plan_for(key.wanted);
        let order = plan.as_ref().map(|it| it.order_queue(&queue.order, &queue.open_strata()));
        let ids = order.unwrap_or_default().into_iter().map(|at| queue.components[at].to_owned());
        let order = NextItems::OfRun(ids.collect());
        let left_out = parts.drawn.as_ref().map_or(0, |drawn| drawn.left_out);
        let mean = parts.mean;
        Some((
            AuditCorrection { computed_for: key, mean, left_out, plan, sentence, has_open },
            order,
        ))
    }

    fn correct_study(&self, key: CorrectionKey) -> Option<(AuditCorrection, NextItems)> {
        let study = self.study_queue()?;
        let studied = self.studied_with_own_labels(&study.studied);
        let labels = StudyLabels::new(&studied, Some(&key.rater));
        let drawn = labels.drawn_labels();
        let mean = labels.corrected_mean(Measure::Level);
        let has_open = (0..study.len()).any(|at| !self.is_done(at));
        let both = drawn.as_ref().ok().zip(mean.as_ref().ok());
        let sentence = both.map(|parts| labels.paper_sentence(parts, !has_open));
        let options = labels.options_of(Measure::Level).ok();
        let parts = CorrectionParts { drawn, mean, items: &labels.items, options };
        let plan = parts.plan_for(key.wanted);
        let order = plan.as_ref().map(|plan| labels.planned_queue(plan, &key.rater));
        let order = NextItems::OfStudy(order.unwrap_or_default());
        let left_out = parts.drawn.as_ref().map_or(0, |drawn| drawn.left_out);
        let mean = parts.mean;
        Some((
            AuditCorrection { computed_for: key, mean, left_out, plan, sentence, has_open },
            order,
        ))
    }

    /// Returns the study with the current labels of whoever sits here, on disk or not.
    fn studied_with_own_labels(&self, studied: &Arc<LoadedStudy>) -> LoadedStudy {
        let mut studied = LoadedStudy::clone(studied);
        for (at, run) in studied.runs.iter_mut().enumerate() {
            let own: Option<LabelFile> = self.labels_in(at).and_then(|it| it.label_file());
            let Some(own) = own else { continue };
            run.rubric.labels.retain(|it| it.annotator != own.annotator);
            run.rubric.labels.push(own);
        }
        studied
    }
}

/// The order that a plan gives to the queue.
enum NextItems {
    /// Ids of components.
    OfRun(Vec<String>),
    /// Numbers of items of the study.
    OfStudy(Vec<usize>),
}

impl NextItems {
    /// Puts the items without a label into this order; labelled ones stay first, as they are.
    fn arrange(self, session: &mut Session) {
        match self {
            Self::OfRun(ids) => {
                let places: HashMap<&str, usize> =
                    ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
                let labels = &session.labels;
                let rank = |it: &AuditItem| {
                    let is_open = labels.answered_label(it.judged_state(), it.item_key()).is_none();
                    let place = places.get(it.id.as_str()).map_or(usize::MAX, |at| at + 1);
                    if is_open { place } else { 0 }
                };
                session.audit.queue.items.sort_by_cached_key(rank);
            }
            Self::OfStudy(numbers) => session.arrange_study_by(&numbers),
        }
    }
}
