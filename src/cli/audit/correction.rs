//! The corrected mean of what is audited, and the plan of the labels that it still needs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::{CommandFailure, run_args};
use trajview_run::rubric::LabelUnit;
use trajview_study::corrected::{
    drawn_labels::{DrawnLabels, QueuedItem},
    estimator::{CorrectedMean, CorrectionRefusal, corrected_mean},
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

type MeanOfMeasure<'a> = dyn Fn(Measure) -> Result<CorrectedMean, CorrectionRefusal> + 'a;

/// The corrected mean of the levels.
#[derive(Debug, Serialize)]
pub struct CorrectionRow {
    /// Null if the labels do not allow it.
    pub corrected: Option<CorrectedMean>,
    /// The corrected shares of items at each level, and of those at 3 or 4 (`passed`).
    pub shares: BTreeMap<&'static str, CorrectedMean>,
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
    /// The number of more labels.
    pub more: usize,
    /// The number of more labels of each stratum, in the order of the strata: of a run the levels of the judge.
    pub strata: BTreeMap<usize, usize>,
}

/// Reads the half width of `--plan`.
pub fn parse_plan_width(word: &str) -> Result<f64, String> {
    let width = word.trim_start_matches('±').parse::<f64>().ok();
    width.filter(|it| it.is_finite() && *it > 0.0).ok_or_else(|| {
        format!("{word:?} is not a width; use a number above 0, such as 0.15 for ±0.15")
    })
}

/// Rejects `--plan` where the queue has no corrected mean.
pub fn check_plan(wanted: Option<f64>, what: &str) -> Result<(), CommandFailure> {
    match wanted {
        Some(_) => {
            let why =
                format!("--plan works only with components on the scale 0 to 4, not with {what}");
            Err(CommandFailure::wrong_arguments(why))
        }
        None => Ok(()),
    }
}

impl CorrectionRow {
    /// Returns the correction of a run's queue, and the plan where a width is wanted.
    pub fn for_run(queue: &JudgementQueue<'_>, wanted: Option<f64>) -> (Self, Option<LabelPlan>) {
        let drawn = queue.drawn_labels();
        let mean = |measure| {
            let drawn = drawn.as_ref().map_err(Clone::clone)?;
            corrected_mean(&drawn.measured_by(measure), options_of_run(measure))
        };
        Self::with_plan((drawn.as_ref().ok(), &queue.items), (&mean, &SHARES), wanted)
    }

    /// Returns the correction of a study; shares only of components.
    pub fn for_study(
        labels: &StudyLabels<'_>,
        unit: LabelUnit,
        wanted: Option<f64>,
    ) -> (Self, Option<LabelPlan>) {
        let drawn = labels.drawn_labels();
        let mean = |measure| labels.corrected_mean(measure);
        let shares = if unit == LabelUnit::Component { &SHARES[..] } else { &[] };
        Self::with_plan((drawn.as_ref().ok(), &labels.items), (&mean, shares), wanted)
    }

    /// Plans with the labels that were drawn; with all of them where they are too few for a mean.
    fn with_plan(
        (drawn, items): (Option<&DrawnLabels>, &[QueuedItem]),
        (mean_of, shares): (&MeanOfMeasure<'_>, &[(&'static str, Measure)]),
        wanted: Option<f64>,
    ) -> (Self, Option<LabelPlan>) {
        let planned = drawn.map_or(items, |drawn| &drawn.items);
        let plan = wanted.map(|wanted| label_plan(planned, Measure::Level, wanted));
        let mean = mean_of(Measure::Level);
        let share =
            |(name, measure): &(&'static str, Measure)| Some((*name, mean_of(*measure).ok()?));
        let row = Self {
            corrected: mean.as_ref().ok().copied(),
            shares: shares.iter().filter_map(share).collect(),
            is_refused: mean.as_ref().is_err_and(|why| !why.is_waiting()),
            not_corrected: mean.err().map(|why| why.to_string()),
            left_out: drawn.map_or(0, |drawn| drawn.left_out),
            plan: plan.as_ref().map(PlanRow::new),
        };
        (row, plan)
    }

    /// Returns the sentences below the progress: the mean, or why there is none, and the plan. They name no level, since
    /// the reader may be a rater who is about to label.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![];
        if let Some(mean) = &self.corrected {
            sentences.push(mean.summary_text());
            let passed = self.shares.get("passed");
            sentences.extend(passed.map(|it| format!("share at 3 or 4: {}", it.summary_text())));
        } else if self.is_refused {
            sentences
                .extend(self.not_corrected.iter().map(|why| format!("no corrected mean: {why}")));
        }
        if self.left_out > 0 {
            let labels = run_args::count_with_noun(self.left_out, "label");
            sentences.push(format!("{labels} not counted: earlier items of the queue have none"));
        }
        sentences.extend(self.plan.as_ref().map(PlanRow::sentence));
        sentences
    }
}

impl PlanRow {
    fn new(plan: &LabelPlan) -> Self {
        let LabelPlan { wanted, expected, more: strata } = plan.clone();
        Self { wanted, expected, more: plan.label_count(), strata }
    }

    fn sentence(&self) -> String {
        let Self { wanted, expected, more, strata } = self;
        if *more == 0 {
            return format!("plan for ±{wanted}: no more labels needed, expected ±{expected:.2}");
        }
        let labels = run_args::count_with_noun(*more, "more label");
        let counts: Vec<String> = strata.values().map(usize::to_string).collect();
        let strata = match strata.len() {
            1 => "of one stratum".to_owned(),
            count => format!("of {count} strata ({})", counts.join(", ")),
        };
        format!(
            "plan for ±{wanted}: {labels} {strata}, first in the queue; expected ±{expected:.2}"
        )
    }
}
