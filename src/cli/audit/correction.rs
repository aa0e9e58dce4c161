//! The corrected mean of what is audited, and the plan of the labels that it still needs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{CommandFailure, run_args};
use trajview_run::rubric::{Judgement, LabelUnit};
use trajview_study::bootstrap::Interval;
use trajview_study::corrected::{
    drawn_labels::{DrawnLabels, QueuedItem},
    estimator::{CorrectedMean, CorrectionOptions, CorrectionRefusal, corrected_mean},
    judgement_queue::{JudgementQueue, options_of_run},
    measure::Measure,
    plan::{LabelPlan, label_plan},
    study_queue::StudyLabels,
};

/// The shares that are corrected.
const SHARES: [(&str, Measure); 6] = [
    ("0", Measure::ShareAt(0.0)),
    ("1", Measure::ShareAt(1.0)),
    ("2", Measure::ShareAt(2.0)),
    ("3", Measure::ShareAt(3.0)),
    ("4", Measure::ShareAt(4.0)),
    ("passed", Measure::PassShare),
];

type SentenceOfMean<'a> = dyn Fn(&DrawnLabels, &CorrectedMean) -> String + 'a;

type MeanOfMeasure<'a> = dyn Fn(Measure) -> Result<CorrectedMean, CorrectionRefusal> + 'a;

/// What the reader of a correction may know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorrectionReader {
    /// A rater who has items to label: nothing that reveals the judge's levels, alone or together.
    RaterWithOpenItems,
    /// One who has labelled everything, or may see everything.
    SeesAll,
}

/// A corrected mean.
#[derive(Debug, Serialize)]
pub struct CorrectedRow {
    /// The mean of the judge alone. Null for a rater who has items to label.
    pub judged: Option<f64>,
    pub value: f64,
    pub standard_error: f64,
    pub interval: Interval,
    /// The weight of the judge. Null for a rater who has items to label.
    pub lambda: Option<f64>,
    pub labels: usize,
    pub items: usize,
    /// The number of labels that alone would give the same interval. Null for a rater who has items to label.
    pub worth: Option<f64>,
    /// The mean as a sentence, without what is null.
    #[serde(skip)]
    text: String,
}

/// The corrected mean of the levels.
#[derive(Debug, Serialize)]
pub struct CorrectionRow {
    /// Null if the labels do not allow it.
    pub corrected: Option<CorrectedRow>,
    /// The corrected shares of items at each level, and of those at 3 or 4 (`passed`). Empty for a rater who has items to
    /// label.
    pub shares: BTreeMap<&'static str, CorrectedRow>,
    /// The mean as a sentence for a paper. Null if there is none.
    pub sentence: Option<String>,
    /// The reason why there is no corrected mean.
    pub not_corrected: Option<String>,
    /// Labelled items that do not count, because items before them in the queue have no label.
    pub left_out: usize,
    /// Null if no width was requested.
    pub plan: Option<PlanRow>,
    /// The reason is about labels that exist, not that there are few so far.
    #[serde(skip)]
    is_refused: bool,
}

/// The labels that are still needed.
#[derive(Debug, Serialize)]
pub struct PlanRow {
    /// Half the width of the interval that was requested.
    pub wanted: f64,
    /// Half the width that is expected with these labels.
    pub expected: f64,
    /// Half the width that is left when everything is labelled, because runs differ.
    pub floor: f64,
    /// The number of more labels.
    pub more: usize,
    /// The number of more labels of each stratum, in the order of the strata: of a run the levels of the judge. Null for
    /// a rater who has items to label.
    pub strata: Option<BTreeMap<usize, usize>>,
    /// The plan as a sentence.
    #[serde(skip)]
    text: String,
}

/// Rejects `--plan` where the queue has no corrected mean.
pub(crate) fn check_plan(half_width: Option<f64>, what: &str) -> Result<(), CommandFailure> {
    match half_width {
        Some(_) => {
            let why =
                format!("--plan works only with components on the scale 0 to 4, not with {what}");
            Err(CommandFailure::wrong_arguments(why))
        }
        None => Ok(()),
    }
}

impl CorrectedRow {
    fn new(mean: &CorrectedMean, reader: CorrectionReader) -> Self {
        let CorrectedMean { judged, value, standard_error, interval, lambda, labels, items, worth } =
            *mean;
        let sees_all = reader == CorrectionReader::SeesAll;
        let seen = |number: f64| sees_all.then_some(number);
        Self {
            judged: seen(judged),
            value,
            standard_error,
            interval,
            lambda: seen(lambda),
            labels,
            items,
            worth: seen(worth),
            text: if sees_all { mean.summary_text() } else { mean.text_without_judge() },
        }
    }

    fn half_width(&self) -> f64 {
        (self.value - self.interval.low).max(self.interval.high - self.value)
    }
}

impl CorrectionRow {
    /// Returns the correction of a run's queue, and the plan to reach the half width of an interval, where there is
    /// one.
    pub fn for_run(
        queue: &JudgementQueue<'_>,
        judgement: &Judgement,
        run: (&str, usize),
        half_width: Option<f64>,
    ) -> (Self, Option<LabelPlan>) {
        let drawn = queue.drawn_labels();
        let mean = |measure| {
            let drawn = drawn.as_ref().map_err(Clone::clone)?;
            corrected_mean(&drawn.measured_by(measure), options_of_run(measure))
        };
        let reader = match queue.has_open_items() {
            true => CorrectionReader::RaterWithOpenItems,
            false => CorrectionReader::SeesAll,
        };
        let sentence = |drawn: &DrawnLabels, mean: &CorrectedMean| {
            let sees_all = reader == CorrectionReader::SeesAll;
            queue.paper_sentence((drawn, mean), judgement, run, sees_all)
        };
        let row = Self::new(drawn.as_ref().ok(), (&mean, &SHARES), (reader, &sentence));
        let options = options_of_run(Measure::Level);
        row.with_plan(
            (drawn.as_ref().ok(), &queue.items),
            half_width.map(|it| (it, options)),
            reader,
        )
    }

    /// Returns the correction of a study, with shares only of components, and the plan to reach the half width of an
    /// interval, where there is one.
    pub(crate) fn for_study(
        labels: &StudyLabels<'_>,
        (unit, reader): (LabelUnit, CorrectionReader),
        half_width: Option<f64>,
    ) -> (Self, Option<LabelPlan>) {
        let drawn = labels.drawn_labels();
        let mean = |measure| labels.corrected_mean(measure);
        let shares = if unit == LabelUnit::Component { &SHARES[..] } else { &[] };
        let sees_all = reader == CorrectionReader::SeesAll;
        let sentence = |drawn: &DrawnLabels, mean: &CorrectedMean| {
            labels.paper_sentence((drawn, mean), sees_all)
        };
        let row = Self::new(drawn.as_ref().ok(), (&mean, shares), (reader, &sentence));
        let plan = half_width.and_then(|it| Some((it, labels.options_of(Measure::Level).ok()?)));
        row.with_plan((drawn.as_ref().ok(), &labels.items), plan, reader)
    }

    fn new(
        drawn: Option<&DrawnLabels>,
        (mean_of, shares): (&MeanOfMeasure<'_>, &[(&'static str, Measure)]),
        (reader, sentence_of): (CorrectionReader, &SentenceOfMean<'_>),
    ) -> Self {
        let mean = mean_of(Measure::Level);
        let shares = if reader == CorrectionReader::SeesAll { shares } else { &[] };
        let row_of = |mean: &CorrectedMean| CorrectedRow::new(mean, reader);
        let share = |(name, measure): &(&'static str, Measure)| {
            Some((*name, row_of(&mean_of(*measure).ok()?)))
        };
        Self {
            corrected: mean.as_ref().ok().map(row_of),
            shares: shares.iter().filter_map(share).collect(),
            sentence: drawn.zip(mean.as_ref().ok()).map(|(drawn, mean)| sentence_of(drawn, mean)),
            is_refused: mean.as_ref().is_err_and(|why| !why.is_waiting()),
            not_corrected: mean.err().map(|why| why.to_string()),
            left_out: drawn.map_or(0, |drawn| drawn.left_out),
            plan: None,
        }
    }

    /// Adds a plan with the labels that were drawn; without any where they are refused.
    fn with_plan(
        self,
        (drawn, items): (Option<&DrawnLabels>, &[QueuedItem]),
        wanted: Option<(f64, CorrectionOptions)>,
        reader: CorrectionReader,
    ) -> (Self, Option<LabelPlan>) {
        let current = self.corrected.as_ref().map(CorrectedRow::half_width);
        let mut items = drawn.map_or(items, |drawn| &drawn.items).to_vec();
        if self.is_refused {
            items.iter_mut().for_each(|it| it.labels.clear());
        }
        let plan = wanted.map(|(wanted, options)| {
            label_plan(&items, (Measure::Level, options), wanted, current)
        });
        (Self { plan: plan.as_ref().map(|it| PlanRow::new(it, reader)), ..self }, plan)
    }

    /// Returns the sentences below the progress: the mean, or why there is none, and the plan. They name no level, since
    /// the reader may be a rater who is about to label.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![];
        if let Some(mean) = &self.corrected {
            sentences.push(mean.text.clone());
            let passed = self.shares.get("passed");
            sentences.extend(passed.map(|it| format!("share at 3 or 4: {}", it.text)));
        } else if self.is_refused {
            sentences
                .extend(self.not_corrected.iter().map(|why| format!("no corrected mean: {why}")));
        }
        if self.left_out > 0 {
            let labels = run_args::count_with_noun(self.left_out, "label");
            sentences.push(format!("{labels} not counted: earlier items of the queue have none"));
        }
        sentences.extend(self.plan.as_ref().map(|plan| plan.text.clone()));
        sentences
    }
}

impl PlanRow {
    fn new(plan: &LabelPlan, reader: CorrectionReader) -> Self {
        let LabelPlan { wanted, expected, floor, more: strata } = plan.clone();
        let strata = (reader == CorrectionReader::SeesAll).then_some(strata);
        let text = plan.summary_text("first in this list");
        Self { wanted, expected, floor, more: plan.label_count(), strata, text }
    }
}
