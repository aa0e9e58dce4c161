//! Agreement of any number of raters who scored the same things, with some scores missing.
//!
//! Everything follows from sums over things (`AgreementTally`): a thing that fewer than two raters scored is left
//! out. The numbers are those of the Python packages `krippendorff`, `irrCAC` and `statsmodels`;
//! `tests/vectors/panel.py` has the cases.

use crate::{
    bootstrap::BootstrapPlan,
    krippendorff::{alpha_of_coincidences, level_counts, ordinal_distance, thing_coincidences},
    undefined::{NumberOrReason, Undefined},
};
use trajview_run::worded_enum::worded;

use super::{
    RatingScale,
    cluster_bootstrap::{ClusterPart, ClusteredEstimate, SampleSum, estimate_by_item_and_cluster},
    interval_doubt::IntervalDoubt,
    intraclass::{IccForm, VarianceSums},
};

worded! {
    name;
    /// A measure of agreement of several raters; 1 is full agreement.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum MultiRaterMeasure {
        /// The share of the pairs of scores of a thing that are one level; the mean over things.
        Exact = "exact",
        /// Krippendorff's alpha (Computing Krippendorff's Alpha-Reliability, 2011), every disagreement alike.
        AlphaNominal = "alpha_nominal",
        /// Krippendorff's alpha with the ordinal metric: the square of the scores between two levels.
        Alpha = "alpha",
        /// Krippendorff's alpha with the interval metric: the square of the difference of the levels' numbers.
        AlphaInterval = "alpha_interval",
        /// Fleiss' kappa (Psychological Bulletin 76, 1971); needs as many scores of every thing.
        Fleiss = "fleiss_kappa",
        /// Intraclass correlation of single scores, ICC(2,1), of the things that every rater scored.
        Icc21 = "icc_2_1",
        /// Intraclass correlation of single scores, ICC(3,1), of the things that every rater scored.
        Icc31 = "icc_3_1",
        /// Gwet's AC1 for several raters (2008), a thing weighing the same whoever did not score it.
        Ac1 = "ac1",
        /// Gwet's AC2 for several raters, with quadratic weights of the levels' numbers.
        Ac2 = "ac2",
    }
}

/// The scores that several raters gave to one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedUnit {
    /// The number of the run: any number, the same for all things of one run.
    pub run: usize,
    /// A position on the scale for each rater, in the order of the raters; None where one gave none.
    pub positions: Vec<Option<usize>>,
}

/// The agreement of several raters.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiRaterAgreement {
    /// Things that at least two scored.
    pub n: usize,
    /// Those of them that every rater scored: the intraclass correlations are of these.
    pub complete: usize,
    /// Their scores.
    pub scores: usize,
    /// Runs that they are of.
    pub runs: usize,
    /// An estimate for each of [`MultiRaterMeasure::ALL`], in that order.
    pub estimates: Vec<(MultiRaterMeasure, ClusteredEstimate)>,
    /// The reason not to trust the intervals of [`super::interval_doubt::SQUARING_AMONG`]; None where they can be trusted.
    pub doubt: Option<IntervalDoubt>,
}

/// Computes the agreement of these raters on the things that at least two of them scored (available-case), or that
/// all of them scored (complete-case). `raters` are places in [`RatedUnit::positions`].
pub fn multi_rater_agreement(
    units: &[RatedUnit],
    raters: &[usize],
    scale: &RatingScale,
    cases: CaseSelection,
    plan: &BootstrapPlan,
) -> MultiRaterAgreement {
    let given = |unit: &RatedUnit| -> Vec<usize> {
        raters.iter().filter_map(|at| unit.positions.get(*at).copied().flatten()).collect()
    };
    let least = match cases {
        CaseSelection::Available => 2,
        CaseSelection::Complete => raters.len().max(2),
    };
    let counted = units.iter().map(|unit| (unit.run, given(unit)));
    let counted: Vec<(usize, Vec<usize>)> =
        counted.filter(|(_, given)| given.len() >= least).collect();
    let parts: Vec<ClusterPart<AgreementTally>> = counted
        .iter()
        .map(|(run, given)| ClusterPart {
            sum: AgreementTally::for_thing(given, raters.len(), scale),
            cluster: *run,
        })
        .collect();
    let runs: std::collections::BTreeSet<usize> = counted.iter().map(|(run, _)| *run).collect();
    let formula = |it: MultiRaterMeasure, tally: &AgreementTally| tally.formula_value(it, scale);
    let value_of_sample =
        |it: MultiRaterMeasure, tally: &AgreementTally| tally.value_of_sample(it, scale);
    let differ = counted.iter().filter(|(_, given)| given.windows(2).any(|two| two[0] != two[1]));
    let mut levels = vec![0usize; scale.levels().len()];
    counted.iter().flat_map(|(_, given)| given).for_each(|at| levels[*at] += 1);
    let (most, all) = (levels.iter().max().copied().unwrap_or(0), levels.iter().sum::<usize>());
    MultiRaterAgreement {
        doubt: IntervalDoubt::for_sample(
            counted.len(),
            differ.count(),
            most as f64 / all.max(1) as f64,
        ),
        n: counted.len(),
        complete: counted.iter().filter(|(_, given)| given.len() == raters.len()).count(),
        scores: counted.iter().map(|(_, given)| given.len()).sum(),
        runs: runs.len(),
        estimates: with_icc_intervals(
            estimate_by_item_and_cluster(
                &parts,
                &MultiRaterMeasure::ALL,
                formula,
                value_of_sample,
                plan,
            ),
            &parts,
            plan,
        ),
    }
}

/// Gives the intraclass correlations their own intervals over things; those over runs stay bootstrapped.
fn with_icc_intervals(
    mut estimates: Vec<(MultiRaterMeasure, ClusteredEstimate)>,
    parts: &[ClusterPart<AgreementTally>],
    plan: &BootstrapPlan,
) -> Vec<(MultiRaterMeasure, ClusteredEstimate)> {
    let mut sums = parts.iter().map(|it| &it.sum.variance);
    let Some(mut whole) = sums.next().filter(|_| plan.resamples > 0).cloned() else {
        return estimates;
    };
    sums.for_each(|other| whole.add(other));
    for (measure, estimate) in &mut estimates {
        if let Some(form) = measure.icc_form() {
            estimate.by_item.interval = whole.estimate(form, plan.confidence).interval;
            estimate.by_item.undefined_resamples = 0;
        }
    }
    estimates
}

impl MultiRaterMeasure {
    /// Returns whether only things that every rater scored count.
    pub const fn needs_complete(self) -> bool {
        self.icc_form().is_some()
    }

    const fn icc_form(self) -> Option<IccForm> {
        match self {
            Self::Icc21 => Some(IccForm::Agreement),
            Self::Icc31 => Some(IccForm::Consistency),
            _ => None,
        }
    }
}

worded! {
    words;
    /// The choice of the things that count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CaseSelection {
        /// Things that at least two of the raters scored.
        Available = "available",
        /// Things that all of the raters scored.
        Complete = "complete",
    }
}

/// Sums over things that at least two raters scored.
#[derive(Debug, Clone, PartialEq)]
struct AgreementTally {
    /// Krippendorff's coincidences: how often two scores of one thing have this level and that, a row a level. Each
    /// thing weighs as many as it has scores.
    coincidences: Vec<f64>,
    /// The share of each level among the scores of a thing, summed over things.
    shares: Vec<f64>,
    /// The share of pairs of a thing that are one level, and the same by quadratic weights.
    same: f64,
    near: f64,
    things: f64,
    /// The number of scores that every thing has; None where it differs.
    each: Option<usize>,
    /// The sums of the analysis of variance over the things that every rater scored.
    variance: VarianceSums,
}

impl SampleSum for AgreementTally {
    fn add(&mut self, other: &Self) {
        let add = |to: &mut Vec<f64>, from: &Vec<f64>| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        };
        add(&mut self.coincidences, &other.coincidences);
        add(&mut self.shares, &other.shares);
        self.same += other.same;
        self.near += other.near;
        self.things += other.things;
        self.each = self.each.filter(|each| other.each == Some(*each));
        self.variance.add(&other.variance);
    }
}

impl AgreementTally {
    /// Tallies one thing that at least two of so many raters scored, by positions on the scale.
    fn for_thing(given: &[usize], raters: usize, scale: &RatingScale) -> Self {
        let levels = scale.levels().len();
        let mut counts = vec![0.0; levels];
        given.iter().for_each(|at| counts[*at] += 1.0);
        let count = given.len() as f64;
        let (mut same, mut near) = (0.0, 0.0);
        for (a, of_a) in counts.iter().enumerate() {
            for (b, of_b) in counts.iter().enumerate() {
                let pairs = of_a * (of_b - if a == b { 1.0 } else { 0.0 });
                same += if a == b { pairs } else { 0.0 };
                near += pairs * quadratic_weight(scale, a, b);
            }
        }
        let pairs = count * (count - 1.0);
        let shares = counts.iter().map(|of| of / count).collect();
        let (same, near) = (same / pairs, near / pairs);
        Self {
            coincidences: thing_coincidences(&counts),
            shares,
            same,
            near,
            things: 1.0,
            each: Some(given.len()),
            variance: match given.len() == raters {
                true => VarianceSums::for_item(given, scale),
                false => VarianceSums::without_items(raters),
            },
        }
    }

    /// Computes the measure of the whole sample. Only the plain share is defined for one thing; for one level, where
    /// chance alone would agree as fully, only Gwet's measures have a value.
    fn value_of_sample(&self, it: MultiRaterMeasure, scale: &RatingScale) -> NumberOrReason {
        let has_one_level = self.shares.iter().filter(|share| **share > 0.0).count() == 1;
        match it {
            MultiRaterMeasure::Exact => self.formula_value(it, scale),
            _ if self.things < 2.0 => Err(Undefined::FewerThanTwoPairs),
            MultiRaterMeasure::Ac1 | MultiRaterMeasure::Ac2 if has_one_level => Ok(1.0),
            _ => self.formula_value(it, scale),
        }
    }

    /// Computes the plain formula, as it is applied to resamples.
    fn formula_value(&self, it: MultiRaterMeasure, scale: &RatingScale) -> NumberOrReason {
        let levels = scale.levels();
        match it {
            MultiRaterMeasure::Exact => Ok(self.same / self.things),
            MultiRaterMeasure::AlphaNominal => {
                self.krippendorff_alpha(&|a, b| if a == b { 0.0 } else { 1.0 })
            }
            MultiRaterMeasure::Alpha => {
                let counts = level_counts(&self.coincidences, self.level_count());
                self.krippendorff_alpha(&ordinal_distance(&counts))
            }
            MultiRaterMeasure::AlphaInterval => {
                self.krippendorff_alpha(&|a, b| (levels[a] - levels[b]).powi(2))
            }
            MultiRaterMeasure::Fleiss => self.fleiss_kappa(),
            MultiRaterMeasure::Icc21 => self.intraclass_correlation(IccForm::Agreement),
            MultiRaterMeasure::Icc31 => self.intraclass_correlation(IccForm::Consistency),
            MultiRaterMeasure::Ac1 => self.gwet_ac(self.same, |a, b| f64::from(u8::from(a == b))),
            MultiRaterMeasure::Ac2 => self.gwet_ac(self.near, |a, b| quadratic_weight(scale, a, b)),
        }
    }

    fn level_count(&self) -> usize {
        self.shares.len()
    }

    fn krippendorff_alpha(&self, distance: &dyn Fn(usize, usize) -> f64) -> NumberOrReason {
        alpha_of_coincidences(&self.coincidences, self.level_count(), distance)
    }

    fn intraclass_correlation(&self, form: IccForm) -> NumberOrReason {
        match self.variance.item_count() > 0.0 {
            true => self.variance.coefficient(form),
            false => Err(Undefined::IncompleteItems),
        }
    }

    /// Computes `(observed - chance) / (1 - chance)`, chance being the sum of the squared shares of the levels.
    fn fleiss_kappa(&self) -> NumberOrReason {
        if self.each.is_none() {
            return Err(Undefined::UnequalScores);
        }
        let chance: f64 = self.shares.iter().map(|share| (share / self.things).powi(2)).sum();
        match chance >= 1.0 {
            true => Err(Undefined::OneLevel),
            false => Ok((self.same / self.things - chance) / (1.0 - chance)),
        }
    }

    /// Computes `(observed - chance) / (1 - chance)`, chance being that of raters who guess among the levels.
    fn gwet_ac(&self, agreeing: f64, weight: impl Fn(usize, usize) -> f64) -> NumberOrReason {
        let levels = self.level_count();
        if levels < 2 {
            return Ok(1.0);
        }
        let row = |a: usize| (0..levels).map(|b| weight(a, b)).sum::<f64>();
        let weights: f64 = (0..levels).map(row).sum();
        let share = |sum: &f64| sum / self.things;
        let spread: f64 = self.shares.iter().map(share).map(|p| p * (1.0 - p)).sum();
        let chance = weights * spread / (levels * (levels - 1)) as f64;
        Ok((agreeing / self.things - chance) / (1.0 - chance))
    }
}

/// Computes `1 - (difference / widest difference)^2` of two levels' numbers.
fn quadratic_weight(scale: &RatingScale, a: usize, b: usize) -> f64 {
    let levels = scale.levels();
    let widest = levels.last().zip(levels.first()).map_or(0.0, |(last, first)| last - first);
    if a == b { 1.0 } else { 1.0 - ((levels[a] - levels[b]) / widest).powi(2) }
}
