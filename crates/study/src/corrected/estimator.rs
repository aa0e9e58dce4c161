//! The corrected mean: prediction-powered inference with power tuning, by strata and by runs.
//!
//! Of `n` labelled items (label `y`, judge `f`) and `N` unlabelled ones of a stratum,
//!
//! ```text
//! θ = mean(y) + λ (mean over unlabelled f − mean over labelled f)
//! λ = cov(y, f) / ((1 + n/N) var(f)), at least 0 and at most 1
//! ```
//!
//! (Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference, 2023, arXiv 2311.01453, equation 4 and
//! example 6.1), and over strata with shares `w` it is `Σ w θ` with a λ of its own in each (Fisch et al., Stratified
//! Prediction-Powered Inference for Hybrid Language Model Evaluation, 2024, arXiv 2406.04291, equation 5).
//!
//! The variance depends on what the mean is about ([`LabelScope`]):
//!
//! - *These items*: only the labels that are missing are uncertain. With the slope `β = λ (n+N)/N` it is
//!   `(1 − n/(n+N)) var(y − β f) / n`, the variance of the regression estimator (Cochran, Sampling Techniques, 7.3). It is 0
//!   where everything is labelled.
//! - *Runs like these*: runs were drawn too. Each item has an influence, labelled ones `(y − λf − mean)/n`, unlabelled ones
//!   `λ (f − mean)/N`; influences are summed by run and their squares over runs, each side times `G/(G−1)` for its `G`
//!   runs. With one item a run it is the variance of PPI++, with runs that are labelled whole that of `glide-py`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use trajview_run::format_number::count_with_noun;

use crate::{bootstrap::Interval, queue::QueuePlan};

use super::{
    measure::ValueRange,
    strata::{LabelledValue, Stratum, divide_into_strata, weighted_mean},
    student_quantile::interval_factor,
};

/// The fewest labels that give a corrected mean.
pub(crate) const FEWEST_LABELS: usize = 5;

/// The share that printed intervals cover.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Below this slope `β` of labels on the judge's scores the judge does not help; its scores then only add noise.
const LOWEST_SLOPE: f64 = 0.05;

/// The number of labels, added to those of each stratum, that differ from what was expected by a [step](ValueRange::step).
/// A judge that agrees with all of few labels would have no width without it, and one that is rarely wrong too little.
///
/// It is the half observation of Jeffreys' prior for a share: of `n` labels without one that differs, the share of those
/// that differ is about `0.5/n`, which adds `0.5 step²/n²` to the variance of the mean. The form was chosen after the
/// simulation in `tests/coverage.rs` had shown too narrow intervals without it; the size is that of the prior.
const LABEL_DOUBT: f64 = 0.5;

/// A judged item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredItem {
    /// The number of its stratum; neighbours have neighbouring numbers.
    pub stratum: usize,
    /// The number of its run; of its task where conditions are compared.
    pub cluster: usize,
    /// The value of the judge.
    pub judged: f64,
    /// The value of people; None without a label.
    pub label: Option<f64>,
}

/// What a corrected mean is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelScope {
    /// What people would give to these items.
    TheseItems,
    /// What people would give to runs like these.
    RunsLikeThese,
}

/// The settings of an estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectionOptions {
    pub scope: LabelScope,
    pub range: ValueRange,
    /// The share that an interval covers, between 0 and 1.
    pub confidence: f64,
}

/// A corrected mean.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct CorrectedMean {
    /// The mean of the judge alone, over all items.
    pub judged: f64,
    /// The corrected mean, within the range.
    pub value: f64,
    pub standard_error: f64,
    /// The interval, within the range.
    pub interval: Interval,
    /// The weight of the judge, 0 to 1; with several strata the mean of their weights by share.
    pub lambda: f64,
    /// The number of labels that count.
    pub labels: usize,
    /// The number of judged items.
    pub items: usize,
    /// The number of labels, drawn without strata, that alone would give the same interval.
    pub worth: f64,
}

/// Why there is no corrected mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CorrectionRefusal {
    NoBlindLabels,
    /// Fewer labels than [`FEWEST_LABELS`].
    TooFewLabels(usize),
    /// Labels that are not the next ones of the queue that this seed draws.
    ChosenByHand {
        labels: usize,
        in_order: usize,
        seed: u64,
    },
    /// A stratum that has no label. Its name would reveal a level to a rater.
    EmptyStratum,
    /// Levels of several things of this kind, such as judges, which have no common mean.
    SeveralParts(&'static str),
    /// Fewer than two runs have labels.
    OneRun,
}

impl CorrectionRefusal {
    /// Returns whether labels are merely few so far.
    pub const fn is_waiting(&self) -> bool {
        matches!(self, Self::NoBlindLabels | Self::TooFewLabels(_))
    }
}

impl fmt::Display for CorrectionRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBlindLabels => write!(f, "no blind labels"),
            Self::TooFewLabels(labels) => {
                let labels = count_with_noun(*labels, "blind label");
                write!(f, "{labels} in the order of the queue; needs {FEWEST_LABELS}")
            }
            Self::ChosenByHand { labels, in_order, seed } => {
                let default = if *seed == QueuePlan::default().seed { "default " } else { "" };
                write!(
                    f,
                    "{labels} blind labels, but only {in_order} in the order of the {default}queue (seed {seed})"
                )
            }
            Self::EmptyStratum => write!(f, "one of the strata has no label yet"),
            Self::SeveralParts(parts) => {
                write!(f, "levels of several {parts} have no common mean; a study of one has it")
            }
            Self::OneRun => write!(f, "labels of one run only; needs two"),
        }
    }
}

/// Corrects the mean of a judge over these items.
///
/// # Errors
///
/// When there are too few labels, a stratum without one, or runs without spread.
pub fn corrected_mean(
    items: &[MeasuredItem],
    options: CorrectionOptions,
) -> Result<CorrectedMean, CorrectionRefusal> {
    let sum = WeightedSum::of(items, options.scope)?;
    Ok(sum.corrected_mean(options))
}

/// A mean that is estimated, before it has an interval; differences are made of two.
#[derive(Debug, Clone)]
pub struct WeightedSum {
    pub judged: f64,
    pub value: f64,
    pub lambda: f64,
    pub labels: usize,
    pub items: usize,
    pub freedom: f64,
    /// Variance among the items that are not labelled.
    pub item_variance: f64,
    /// The variance, in squared steps, that [`LABEL_DOUBT`] adds: by the scope, where items or where runs are a sample.
    pub doubt: f64,
    /// The variance of one label among all.
    pub label_variance: f64,
    /// The influence of each run on the mean, and on the mean of the labels alone.
    pub influences: BTreeMap<usize, RunInfluence>,
}

/// The influence of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunInfluence {
    pub corrected: f64,
    pub labels_alone: f64,
}

impl WeightedSum {
    pub fn of(items: &[MeasuredItem], scope: LabelScope) -> Result<Self, CorrectionRefusal> {
        let labels = items.iter().filter(|it| it.label.is_some()).count();
        match labels {
            0 => return Err(CorrectionRefusal::NoBlindLabels),
            _ if labels < FEWEST_LABELS => return Err(CorrectionRefusal::TooFewLabels(labels)),
            _ => {}
        }
        let strata = divide_into_strata(items, scope).ok_or(CorrectionRefusal::EmptyStratum)?;
        let labelled_runs: BTreeSet<usize> =
            items.iter().filter(|it| it.label.is_some()).map(|it| it.cluster).collect();
        if scope == LabelScope::RunsLikeThese && labelled_runs.len() < 2 {
            return Err(CorrectionRefusal::OneRun);
        }
        let mut sum = Self::without_strata(&strata, (labels, items.len()));
        let mut parts = vec![];
        for stratum in &strata {
            let before = sum.item_variance;
            sum.add_stratum(stratum, scope);
            let (count, rest) = (stratum.labelled.len() as f64, stratum.unlabelled.len() as f64);
            sum.doubt += stratum_doubt(stratum.share, (count, count + rest), scope);
            let freedom = (stratum.labelled.len() as f64 - 1.0).max(1.0);
            parts.push((sum.item_variance - before, freedom));
        }
        sum.freedom = match scope {
            LabelScope::TheseItems => common_freedom(&parts),
            LabelScope::RunsLikeThese => {
                let runs = labelled_runs.len();
                runs.saturating_sub(group_count(&strata, labelled_runs)).max(1) as f64
            }
        };
        Ok(sum)
    }

    /// Returns the parts that are about all labels, and a mean of 0.
    fn without_strata(strata: &[Stratum], (labels, items): (usize, usize)) -> Self {
        // Every label represents items of its stratum; a weight is comparable only times the share.
        let all = strata.iter().flat_map(|stratum| {
            let whole: f64 = stratum.labelled.iter().map(|it| it.weight).sum();
            stratum.labelled.iter().map(move |it| (it, it.weight * stratum.share / whole))
        });
        let all: Vec<(&LabelledValue, f64)> = all.collect();
        let mean = weighted_mean(all.iter().map(|(it, weight)| (it.label, *weight)));
        let squares = all.iter().map(|(it, weight)| ((it.label - mean).powi(2), *weight));
        let label_variance = weighted_mean(squares) * labels as f64 / (labels as f64 - 1.0);
        let runs: BTreeSet<usize> = all.iter().map(|(it, _)| it.cluster).collect();
        let mut influences: BTreeMap<usize, RunInfluence> = BTreeMap::new();
        for (it, weight) in all {
            influences.entry(it.cluster).or_default().labels_alone +=
                few_runs_factor(runs.len()) * weight * (it.label - mean);
        }
        let (judged, value, lambda, item_variance, doubt) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let freedom = 1.0;
        Self {
            judged,
            value,
            lambda,
            labels,
            items,
            freedom,
            item_variance,
            doubt,
            label_variance,
            influences,
        }
    }

    fn add_stratum(&mut self, stratum: &Stratum, scope: LabelScope) {
        let Stratum { share, labelled, unlabelled, .. } = stratum;
        let lambda = match scope {
            LabelScope::TheseItems => tuned_lambda(stratum),
            LabelScope::RunsLikeThese => tuned_lambda(&stratum.with_cluster_means()),
        };
        let judged_unlabelled = weighted_mean(unlabelled.iter().map(|it| (it.judged, it.weight)));
        let judged_unlabelled = if unlabelled.is_empty() { 0.0 } else { judged_unlabelled };
        let difference = |it: &LabelledValue, slope: f64| it.label - slope * it.judged;
        let rectifier =
            weighted_mean(labelled.iter().map(|it| (difference(it, lambda), it.weight)));
        self.value += share * (rectifier + lambda * judged_unlabelled);
        self.lambda += share * lambda;
        self.judged += share * stratum.judged;
        let (n, rest) = (labelled.len() as f64, unlabelled.len() as f64);
        let whole: f64 = labelled.iter().map(|it| it.weight).sum();
        let slope = if rest > 0.0 { lambda * (n + rest) / rest } else { 0.0 };
        let mean = weighted_mean(labelled.iter().map(|it| (difference(it, slope), it.weight)));
        let squares =
            labelled.iter().map(|it| (it.weight * (difference(it, slope) - mean)).powi(2));
        let spread = squares.sum::<f64>() / (whole * whole) * n / (n - 1.0).max(1.0);
        self.item_variance += share * share * spread * rest / (n + rest);

        let runs: BTreeSet<usize> = labelled.iter().map(|it| it.cluster).collect();
        for it in labelled {
            self.influences.entry(it.cluster).or_default().corrected += share
                * few_runs_factor(runs.len())
                * it.weight
                * (difference(it, lambda) - rectifier)
                / whole;
        }
        let whole: f64 = unlabelled.iter().map(|it| it.weight).sum();
        let runs: BTreeSet<usize> = unlabelled.iter().map(|it| it.cluster).collect();
        for it in unlabelled {
            self.influences.entry(it.cluster).or_default().corrected += share
                * few_runs_factor(runs.len())
                * it.weight
                * lambda
                * (it.judged - judged_unlabelled)
                / whole;
        }
    }

    /// Returns the variance that [`LABEL_DOUBT`] adds.
    pub(crate) fn doubt_variance(&self, options: CorrectionOptions) -> f64 {
        self.doubt * options.range.step.powi(2)
    }

    /// Returns the variance of the mean as the labels show it, and that of the mean of the labels alone.
    pub(crate) fn label_variances(&self, scope: LabelScope) -> (f64, f64) {
        match scope {
            LabelScope::TheseItems => {
                let missing = (self.labels as f64).recip() - (self.items as f64).recip();
                (self.item_variance, self.label_variance * missing)
            }
            LabelScope::RunsLikeThese => {
                let squares = |of: fn(&RunInfluence) -> f64| {
                    self.influences.values().map(|it| of(it).powi(2)).sum::<f64>()
                };
                (squares(|it| it.corrected), squares(|it| it.labels_alone))
            }
        }
    }

    fn corrected_mean(&self, options: CorrectionOptions) -> CorrectedMean {
        let doubt = self.doubt_variance(options);
        let (labels, items) = (self.labels as f64, self.items as f64);
        let (variance, alone) = self.label_variances(options.scope);
        let (variance, alone) = (variance + doubt, alone + doubt);
        let ratio = if alone > 0.0 { variance / alone } else { 1.0 };
        let worth = match options.scope {
            // The variance of `m` labels alone is (1/m − 1/N) S²; where everything is labelled it is 0.
            LabelScope::TheseItems => {
                (ratio * (labels.recip() - items.recip()) + items.recip()).recip()
            }
            LabelScope::RunsLikeThese => labels / ratio,
        };
        estimate_with_interval(self, (self.judged, self.value), (variance, worth), options)
    }
}

/// Returns the variance, in squared steps, that [`LABEL_DOUBT`] adds for a stratum of this share with these numbers of
/// labels and items.
pub(crate) fn stratum_doubt(share: f64, (labels, items): (f64, f64), scope: LabelScope) -> f64 {
    let missing = match scope {
        LabelScope::TheseItems => 1.0 - labels / items,
        LabelScope::RunsLikeThese => 1.0,
    };
    LABEL_DOUBT * (share / labels).powi(2) * missing
}

/// Makes the estimate of a value with its variance and worth.
pub(crate) fn estimate_with_interval(
    sum: &WeightedSum,
    (judged, value): (f64, f64),
    (variance, worth): (f64, f64),
    options: CorrectionOptions,
) -> CorrectedMean {
    let ValueRange { low, high, .. } = options.range;
    let standard_error = variance.sqrt();
    let side = standard_error * interval_factor(options.confidence, sum.freedom);
    let interval =
        Interval { low: (value - side).clamp(low, high), high: (value + side).clamp(low, high) };
    CorrectedMean {
        judged,
        value: value.clamp(low, high),
        standard_error,
        interval,
        lambda: sum.lambda,
        labels: sum.labels,
        items: sum.items,
        worth,
    }
}

impl CorrectedMean {
    /// Returns `judged 3.13 · corrected 2.94 [2.81, 3.07] · 42 labels · worth 118`.
    pub fn summary_text(&self) -> String {
        let worth = match self.labels == self.items {
            true => ALL_LABELLED.to_owned(),
            false => worth_text(self.lambda, self.worth),
        };
        format!("judged {:.2} · {} · {worth}", self.judged, self.text_without_judge())
    }

    /// Returns `corrected 2.94 [2.81, 3.07] · 42 labels`, which a rater may read who has items to label.
    pub fn text_without_judge(&self) -> String {
        format!("corrected {} · {} labels", self.text_with_interval(), self.labels)
    }

    /// Returns `2.94 [2.81, 3.07]`.
    pub fn text_with_interval(&self) -> String {
        let Self { value, interval: Interval { low, high }, .. } = self;
        format!("{value:.2} [{low:.2}, {high:.2}]")
    }
}

/// What stands in the place of the worth where no item is without a label.
pub const ALL_LABELLED: &str = "all labelled";

/// Returns what the judge's scores are worth: `worth 118`, or, where it has no weight, that it adds nothing.
pub fn worth_text(lambda: f64, worth: f64) -> String {
    match lambda > 0.0 {
        true => format!("worth {worth:.0}"),
        false => "labels alone: the judge adds nothing".to_owned(),
    }
}

/// Returns the degrees of freedom of a sum of independent variances, each with its own (Welch and Satterthwaite); all of
/// them together where nothing varies.
pub(crate) fn common_freedom(parts: &[(f64, f64)]) -> f64 {
    let sum: f64 = parts.iter().map(|it| it.0).sum();
    let squares: f64 = parts.iter().map(|(variance, freedom)| variance * variance / freedom).sum();
    match squares > 0.0 {
        true => sum * sum / squares,
        false => parts.iter().map(|it| it.1).sum::<f64>().max(1.0),
    }
}

/// Returns the number of groups of labelled runs that share no stratum.
fn group_count(strata: &[Stratum], runs: BTreeSet<usize>) -> usize {
    let mut groups: Vec<BTreeSet<usize>> = runs.into_iter().map(|it| [it].into()).collect();
    for stratum in strata {
        let runs: BTreeSet<usize> = stratum.labelled.iter().map(|it| it.cluster).collect();
        let (same, other): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.is_disjoint(&runs));
        groups = other;
        groups.push(same.into_iter().flatten().collect());
    }
    groups.len()
}

/// Returns the root of `G/(G−1)`, which makes a sum of squares over few runs unbiased.
fn few_runs_factor(runs: usize) -> f64 {
    let runs = runs as f64;
    (runs / (runs - 1.0).max(1.0)).sqrt()
}

/// Returns the weight of the judge that makes the variance least, from 0 to 1; 0 where it has no spread.
fn tuned_lambda(stratum: &Stratum) -> f64 {
    let Stratum { labelled, unlabelled, is_represented, .. } = stratum;
    if !is_represented || labelled.len() < 2 || unlabelled.len() < 2 {
        return 0.0;
    }
    let label_mean = weighted_mean(labelled.iter().map(|it| (it.label, it.weight)));
    let judged_mean = weighted_mean(labelled.iter().map(|it| (it.judged, it.weight)));
    let products =
        labelled.iter().map(|it| ((it.label - label_mean) * (it.judged - judged_mean), it.weight));
    let (n, rest) = (labelled.len() as f64, unlabelled.len() as f64);
    let covariance = weighted_mean(products) * n / (n - 1.0);
    // Labelled and unlabelled items each represent the whole, so each has its part of it by number.
    let labelled_sum: f64 = labelled.iter().map(|it| it.weight).sum();
    let unlabelled_sum: f64 = unlabelled.iter().map(|it| it.weight).sum();
    let all = labelled.iter().map(|it| (it.judged, it.weight / labelled_sum * n));
    let all: Vec<(f64, f64)> = all
        .chain(unlabelled.iter().map(|it| (it.judged, it.weight / unlabelled_sum * rest)))
        .collect();
    let mean = weighted_mean(all.iter().copied());
    let squares = all.iter().map(|(judged, weight)| ((judged - mean).powi(2), *weight));
    let variance = weighted_mean(squares) * (n + rest) / (n + rest - 1.0);
    let slope = covariance / variance;
    let is_helpful = slope >= LOWEST_SLOPE;
    if is_helpful { (slope / (1.0 + n / rest)).min(1.0) } else { 0.0 }
}
