//! How many more labels an interval of some width needs, and of which strata.
//!
//! The next label goes where it lowers the variance `Σ (N_h/N)² S_h² (1/n_h − 1/N_h)` most. That is the allocation of
//! Neyman (1934; Cochran, Sampling Techniques, 5.5) in whole labels, with the labels that exist as a lower bound. `S_h`
//! is the spread of what the judge leaves open in the stratum so far, `y − βf` with a slope `β` within strata; it is
//! pulled towards that of all labels, and that towards one step. The variance has what the printed interval has besides:
//! the [doubt](super::estimator) about few labels and, over runs, the spread between runs, which no label reduces.

use std::collections::BTreeMap;

use trajview_run::format_number::count_with_noun;

use super::{
    drawn_labels::QueuedItem,
    estimator::{CorrectionOptions, LabelScope, stratum_doubt},
    measure::Measure,
    student_quantile::interval_factor,
};

/// The number of labels that the assumed spread counts as: one step squared.
const ASSUMED_LABELS: f64 = 2.0;

/// The fewest labels of a stratum: fewer have no spread.
const FEWEST_OF_STRATUM: usize = 2;

/// The labels that are still needed.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPlan {
    /// Half the width of the interval that is wanted.
    pub wanted: f64,
    /// Half the width that is expected after these labels.
    pub expected: f64,
    /// Half the width that is left when everything is labelled: the runs differ. 0 where a mean is about these items.
    pub floor: f64,
    /// The number of more labels of each stratum, by its number; strata that need none are left out.
    pub more: BTreeMap<usize, usize>,
}

/// A stratum as far as it is labelled.
#[derive(Debug, Clone, Default)]
struct PlannedStratum {
    items: usize,
    open: usize,
    /// Judged value and label.
    labelled: Vec<(f64, f64)>,
    variance: f64,
    more: usize,
}

/// The strata with what all of them share.
#[derive(Debug, Clone)]
struct PlannedMean {
    strata: BTreeMap<usize, PlannedStratum>,
    items: usize,
    options: CorrectionOptions,
    /// How much wider the interval of today is than this model of it; 1 where it is not.
    widening: f64,
    /// The variance between runs, and the number of runs.
    run_variance: f64,
    runs: usize,
}

/// Plans labels of open items until the interval of these items' mean extends no more than `half_width` to either side.
///
/// Where even labels of all open items would not do, all of them are planned; where the runs differ too much, none is.
/// `current` is half the width of today's interval: where it is wider than the spread of the labels lets expect, those of
/// the plan, and what the runs leave open, are assumed to be wider by as much.
pub fn label_plan(
    items: &[QueuedItem],
    (measure, options): (Measure, CorrectionOptions),
    half_width: f64,
    current: Option<f64>,
) -> LabelPlan {
    let mut mean = PlannedMean::new(items, measure, options);
    let modelled = mean.expected_side();
    if let Some(current) = current.filter(|it| *it > modelled && modelled > 0.0) {
        mean.widening = current / modelled;
    }
    let floor = mean.floor();
    if floor < half_width || floor == 0.0 {
        mean.plan_until(half_width);
    }
    let more = mean.strata.iter().filter(|(_, it)| it.more > 0).map(|(at, it)| (*at, it.more));
    LabelPlan { wanted: half_width, expected: mean.expected_side(), floor, more: more.collect() }
}

impl PlannedMean {
    fn new(items: &[QueuedItem], measure: Measure, options: CorrectionOptions) -> Self {
        let mut strata: BTreeMap<usize, PlannedStratum> = BTreeMap::new();
        let mut runs: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for item in items.iter().filter(|it| !it.is_left_out) {
            let judged = measure.value_of(item.judged);
            let stratum = strata.entry(item.stratum).or_default();
            stratum.items += 1;
            stratum.open += usize::from(item.is_open && item.labels.is_empty());
            stratum.labelled.extend(item.label_value(measure).map(|label| (judged, label)));
            runs.entry(item.cluster).or_default().push(judged);
        }
        let run_means = runs.values().map(|all| all.iter().sum::<f64>() / all.len() as f64);
        let run_variance = match options.scope {
            LabelScope::TheseItems => 0.0,
            LabelScope::RunsLikeThese => {
                sum_of_products(run_means.map(|it| (it, it))) / (runs.len() as f64 - 1.0).max(1.0)
            }
        };
        let items = strata.values().map(|it| it.items).sum();
        let (runs, widening) = (runs.len(), 1.0);
        let mut mean = Self { strata, items, options, widening, run_variance, runs };
        mean.estimate_variances();
        mean
    }

    fn estimate_variances(&mut self) {
        let pairs = |it: &PlannedStratum, of: fn(&(f64, f64)) -> (f64, f64)| {
            sum_of_products(it.labelled.iter().map(of))
        };
        let all = self.strata.values();
        let covariance: f64 = all.clone().map(|it| pairs(it, |pair| *pair)).sum();
        let spread: f64 = all.map(|it| pairs(it, |(judged, _)| (*judged, *judged))).sum();
        let slope = if spread > 0.0 { (covariance / spread).max(0.0) } else { 0.0 };
        let squares = |it: &PlannedStratum| {
            sum_of_products(it.labelled.iter().map(|(judged, label)| {
                let left = label - slope * judged;
                (left, left)
            }))
        };
        let freedom = |it: &PlannedStratum| it.labelled.len().saturating_sub(1) as f64;
        let assumed = self.options.range.step.powi(2);
        // The spread within strata, of all of them together.
        let within: f64 = self.strata.values().map(squares).sum();
        let common = (within + ASSUMED_LABELS * assumed)
            / (self.strata.values().map(freedom).sum::<f64>() + ASSUMED_LABELS);
        for stratum in self.strata.values_mut() {
            stratum.variance =
                (squares(stratum) + ASSUMED_LABELS * common) / (freedom(stratum) + ASSUMED_LABELS);
        }
    }

    fn plan_until(&mut self, half_width: f64) {
        for stratum in self.strata.values_mut() {
            let fewest = FEWEST_OF_STRATUM.min(stratum.items);
            stratum.more = fewest.saturating_sub(stratum.labelled.len()).min(stratum.open);
        }
        while self.expected_side() > half_width {
            let (items, options) = (self.items, self.options);
            let variance =
                |it: &PlannedStratum, extra: usize| it.mean_variance((items, extra), options);
            let gain = |it: &PlannedStratum| variance(it, 0) - variance(it, 1);
            let open = self.strata.values_mut().filter(|it| it.more < it.open);
            let Some(next) = open.max_by(|a, b| gain(a).total_cmp(&gain(b))) else { break };
            next.more += 1;
        }
    }

    /// Returns half the width of the interval with the planned labels.
    fn expected_side(&self) -> f64 {
        let strata = self.strata.values();
        let variance: f64 =
            strata.clone().map(|it| it.mean_variance((self.items, 0), self.options)).sum();
        let labels: usize = strata.map(|it| it.labelled.len() + it.more).sum();
        let between = self.run_variance / (self.runs as f64).max(1.0);
        let freedom = match self.options.scope {
            LabelScope::TheseItems => labels.saturating_sub(self.strata.len()),
            LabelScope::RunsLikeThese => self.runs.saturating_sub(1),
        };
        let factor = interval_factor(self.options.confidence, freedom.max(1) as f64);
        (variance + between).sqrt() * factor * self.widening
    }

    /// Returns half the width of the interval when everything is labelled.
    fn floor(&self) -> f64 {
        let between = self.run_variance / (self.runs as f64).max(1.0);
        let freedom = self.runs.saturating_sub(1).max(1) as f64;
        between.sqrt() * interval_factor(self.options.confidence, freedom) * self.widening
    }
}

impl PlannedStratum {
    /// Returns the part of the variance that the stratum adds with its planned labels and `extra` more.
    fn mean_variance(&self, (items, extra): (usize, usize), options: CorrectionOptions) -> f64 {
        let share = self.items as f64 / items as f64;
        let labels = ((self.labelled.len() + self.more + extra) as f64).max(1.0);
        let own_items = self.items as f64;
        let doubt = stratum_doubt(share, (labels, own_items), options.scope);
        share * share * self.variance * (labels.recip() - own_items.recip()).max(0.0)
            + doubt.max(0.0) * options.range.step.powi(2)
    }
}

/// Returns the sum of the products of two values' distances from their means; 0 without a value.
fn sum_of_products(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = (pairs.clone().count() as f64).max(1.0);
    let sums = pairs.clone().fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    pairs.map(|it| (it.0 - sums.0 / count) * (it.1 - sums.1 / count)).sum()
}

/// Reads half the width of an interval that is wanted: `0.15`, `±0.15`.
///
/// # Errors
///
/// When it is no number above 0.
pub fn parse_plan_width(word: &str) -> Result<f64, String> {
    let width = word.trim_start_matches('±').parse::<f64>().ok();
    width.filter(|it| it.is_finite() && *it > 0.0).ok_or_else(|| {
        format!("{word:?} is not a width; use a number above 0, such as 0.15 for ±0.15")
    })
}

impl LabelPlan {
    /// Returns the number of more labels.
    pub fn label_count(&self) -> usize {
        self.more.values().sum()
    }

    /// Returns a queue with the planned items at its head, in their order; `open` are its items without an answer, each
    /// with its stratum. The items of a stratum that are planned are its next ones, so their labels count as drawn.
    pub fn order_queue(&self, queue: &[usize], open: &BTreeMap<usize, usize>) -> Vec<usize> {
        let mut left = self.more.clone();
        let is_planned = |at: &usize| {
            let Some(more) = open.get(at).and_then(|stratum| left.get_mut(stratum)) else {
                return false;
            };
            let is_next = *more > 0;
            *more = more.saturating_sub(1);
            is_next
        };
        let (mut head, rest): (Vec<usize>, Vec<usize>) =
            queue.iter().copied().partition(is_planned);
        head.extend(rest);
        head
    }

    /// Returns `plan for ±0.15: 5 more labels, first in this list; expected ±0.14`; `place` says where they are.
    pub fn summary_text(&self, place: &str) -> String {
        let Self { wanted, expected, floor, .. } = self;
        if floor >= wanted {
            return format!(
                "plan for ±{wanted}: cannot be reached with these runs, which leave ±{floor:.2} when all is labelled"
            );
        }
        let labels = match self.label_count() {
            0 if expected > wanted => "no item is left to label".to_owned(),
            0 => "no more labels needed".to_owned(),
            more => format!("{}, {place}", count_with_noun(more, "more label")),
        };
        format!("plan for ±{wanted}: {labels}; expected ±{expected:.2}")
    }
}
