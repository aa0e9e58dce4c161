//! Drift of a judge: the same items judged again, compared with an earlier judgement, and both with gold labels.
//!
//! The two judgements are of the same items, so that every difference is paired. Intervals are bootstrapped: whole runs are drawn
//! where there are [`FEWEST_RUNS`] or more, since items of one run are not independent; else items, and then the interval is
//! about these runs only.

use trajview_run::rubric::COMPONENT_LEVELS;

use crate::{
    agreement::{
        Coefficient, ConfusionTable, RatingScale,
        cluster_bootstrap::{ClusterPart, SampleSum, estimate_over_clusters},
    },
    bootstrap::{BootstrapPlan, Estimate, Interval},
    undefined::{NumberOrReason, Undefined},
};

/// Runs from which on intervals are drawn over runs.
pub const FEWEST_RUNS: usize = 5;

/// Rounding of shares that must not decide.
const SAME: f64 = 1e-9;

/// One item that both judgements gave a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedTwice {
    /// Any number; items of one number are of one run.
    pub run: usize,
    pub earlier: u8,
    pub new: u8,
    pub gold: Option<u8>,
}

/// How far two sources of levels agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelAgreement {
    pub exact: Estimate,
    pub within_1: Estimate,
    /// Cohen's kappa with quadratic weights.
    pub kappa: Estimate,
}

/// The comparison of a new judgement with an earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftComparison {
    pub items: usize,
    pub runs: usize,
    /// True if intervals are drawn over runs.
    pub is_by_run: bool,
    pub between: LevelAgreement,
    /// The mean of the new level less the earlier one.
    pub shift: Estimate,
    /// None where no item has a gold label.
    pub gold: Option<GoldComparison>,
}

/// The comparison of both judgements with gold, over the items that have a gold label.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldComparison {
    pub items: usize,
    pub earlier: LevelAgreement,
    pub new: LevelAgreement,
    /// The new agreement less the earlier one.
    pub change: LevelAgreement,
}

/// Whether agreement fell by more than is allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriftVerdict {
    /// By how much the exact agreement fell; negative where it rose.
    pub drop: Estimate,
    /// True if the drop itself is larger than allowed.
    pub has_fallen: bool,
    /// True if the whole interval of the drop is on the side of [`Self::has_fallen`]; None without an interval.
    pub is_beyond_chance: Option<bool>,
}

#[derive(Debug, Clone, Copy)]
enum DriftMeasure {
    Between(Coefficient),
    Shift,
    EarlierGold(Coefficient),
    NewGold(Coefficient),
    GoldChange(Coefficient),
}

#[derive(Debug, Clone)]
struct DriftSums {
    between: ConfusionTable,
    earlier_gold: ConfusionTable,
    new_gold: ConfusionTable,
    shift: f64,
    items: f64,
}

impl SampleSum for DriftSums {
    fn add(&mut self, other: &Self) {
        self.between.add(&other.between);
        self.earlier_gold.add(&other.earlier_gold);
        self.new_gold.add(&other.new_gold);
        self.shift += other.shift;
        self.items += other.items;
    }
}

impl DriftSums {
    /// Returns the sums of a single item; its levels are positions on the scale.
    fn of_one_item(item: &JudgedTwice, scale: &RatingScale) -> Self {
        let mut sums = Self {
            between: ConfusionTable::empty(scale),
            earlier_gold: ConfusionTable::empty(scale),
            new_gold: ConfusionTable::empty(scale),
            shift: f64::from(item.new) - f64::from(item.earlier),
            items: 1.0,
        };
        let [earlier, new] = [item.earlier, item.new].map(usize::from);
        sums.between.add_pairs(earlier, new, 1.0);
        if let Some(gold) = item.gold.map(usize::from) {
            sums.earlier_gold.add_pairs(gold, earlier, 1.0);
            sums.new_gold.add_pairs(gold, new, 1.0);
        }
        sums
    }

    /// Computes a measure; `value` computes a coefficient of a table.
    fn measure(
        &self,
        measure: DriftMeasure,
        value: fn(Coefficient, &ConfusionTable) -> NumberOrReason,
    ) -> NumberOrReason {
        match measure {
            DriftMeasure::Between(it) => value(it, &self.between),
            DriftMeasure::Shift if self.items > 0.0 => Ok(self.shift / self.items),
            DriftMeasure::Shift => Err(Undefined::NoPairs),
            DriftMeasure::EarlierGold(it) => value(it, &self.earlier_gold),
            DriftMeasure::NewGold(it) => value(it, &self.new_gold),
            DriftMeasure::GoldChange(it) => {
                Ok(value(it, &self.new_gold)? - value(it, &self.earlier_gold)?)
            }
        }
    }
}

impl DriftComparison {
    /// Compares the judgements of items whose levels are on 0..4; others are left out.
    pub fn of_items(items: &[JudgedTwice], plan: &BootstrapPlan) -> Self {
        let is_level = |level: u8| level <= COMPONENT_LEVELS.highest_score();
        let items: Vec<JudgedTwice> = items
            .iter()
            .filter(|it| is_level(it.earlier) && is_level(it.new))
            .map(|it| JudgedTwice { gold: it.gold.filter(|level| is_level(*level)), ..*it })
            .collect();
        let mut runs: Vec<usize> = items.iter().map(|it| it.run).collect();
        runs.sort_unstable();
        runs.dedup();
        let is_by_run = runs.len() >= FEWEST_RUNS;
        let all = estimates_of(&items, is_by_run, plan);
        let with_gold: Vec<JudgedTwice> =
            items.iter().copied().filter(|it| it.gold.is_some()).collect();
        let gold = (!with_gold.is_empty()).then(|| {
            let found = estimates_of(&with_gold, is_by_run, plan);
            GoldComparison {
                items: with_gold.len(),
                earlier: found.agreement(DriftMeasure::EarlierGold),
                new: found.agreement(DriftMeasure::NewGold),
                change: found.agreement(DriftMeasure::GoldChange),
            }
        });
        Self {
            items: items.len(),
            runs: runs.len(),
            is_by_run,
            between: all.agreement(DriftMeasure::Between),
            shift: all.estimate(DriftMeasure::Shift),
            gold,
        }
    }

    /// Returns whether the exact agreement fell by more than `allowed`: that with gold where `is_by_gold` is true and there are
    /// gold labels, else that with the earlier judgement, which agrees with itself fully.
    pub fn verdict(&self, is_by_gold: bool, allowed: f64) -> DriftVerdict {
        let drop = match self.gold.as_ref().filter(|_| is_by_gold) {
            Some(gold) => less_than(0.0, gold.change.exact),
            None => less_than(1.0, self.between.exact),
        };
        let has_fallen = drop.value.is_ok_and(|drop| drop > allowed + SAME);
        let is_beyond_chance = drop.interval.ok().map(|Interval { low, high }| match has_fallen {
            true => low > allowed + SAME,
            false => high <= allowed + SAME,
        });
        DriftVerdict { drop, has_fallen, is_beyond_chance }
    }
}

/// The estimates of all measures.
struct DriftEstimates(Vec<Estimate>);

impl DriftMeasure {
    /// Returns all measures, in the order of their numbers.
    fn all() -> Vec<Self> {
        let of = |kind: fn(Coefficient) -> Self| COEFFICIENTS.map(kind);
        [of(Self::Between), of(Self::EarlierGold), of(Self::NewGold), of(Self::GoldChange)]
            .concat()
            .into_iter()
            .chain([Self::Shift])
            .collect()
    }

    fn number(self) -> usize {
        let at = |coefficient| COEFFICIENTS.iter().position(|it| *it == coefficient).unwrap_or(0);
        let count = COEFFICIENTS.len();
        match self {
            Self::Between(it) => at(it),
            Self::EarlierGold(it) => count + at(it),
            Self::NewGold(it) => 2 * count + at(it),
            Self::GoldChange(it) => 3 * count + at(it),
            Self::Shift => 4 * count,
        }
    }
}

const COEFFICIENTS: [Coefficient; 3] =
    [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic];

impl DriftEstimates {
    fn estimate(&self, measure: DriftMeasure) -> Estimate {
        let found = self.0.get(measure.number()).copied();
        found.unwrap_or_else(|| Estimate::undefined(Undefined::NoPairs))
    }

    fn agreement(&self, kind: fn(Coefficient) -> DriftMeasure) -> LevelAgreement {
        let [exact, within_1, kappa] = COEFFICIENTS.map(|it| self.estimate(kind(it)));
        LevelAgreement { exact, within_1, kappa }
    }
}

fn estimates_of(items: &[JudgedTwice], is_by_run: bool, plan: &BootstrapPlan) -> DriftEstimates {
    let scale = RatingScale::default();
    let part = |(at, item): (usize, &JudgedTwice)| ClusterPart {
        sum: DriftSums::of_one_item(item, &scale),
        cluster: if is_by_run { item.run } else { at },
    };
    let parts: Vec<ClusterPart<DriftSums>> = items.iter().enumerate().map(part).collect();
    let found = estimate_over_clusters(
        &parts,
        &DriftMeasure::all(),
        |it, sums: &DriftSums| sums.measure(it, Coefficient::formula_value),
        |it, sums: &DriftSums| sums.measure(it, Coefficient::value_of_sample),
        plan,
    );
    DriftEstimates(found.into_iter().map(|(_, estimate)| estimate).collect())
}

/// Returns a number less an estimate.
fn less_than(from: f64, estimate: Estimate) -> Estimate {
    Estimate {
        value: estimate.value.map(|value| from - value),
        interval: estimate
            .interval
            .map(|Interval { low, high }| Interval { low: from - high, high: from - low }),
        ..estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> BootstrapPlan {
        BootstrapPlan { resamples: 499, ..BootstrapPlan::default() }
    }

    /// Returns 20 items of each of some runs: gold is 0, 1, .. 4 again and again, the earlier level is right, and the new one is a
    /// level off on every item whose number is a multiple of `wrong`.
    fn items_with(runs: usize, wrong: usize) -> Vec<JudgedTwice> {
        let item = |run: usize, at: usize| {
            let gold = (at % 5) as u8;
            let off = if gold == 0 { 1 } else { gold - 1 };
            let new = if at.is_multiple_of(wrong) { off } else { gold };
            JudgedTwice { run, earlier: gold, new, gold: Some(gold) }
        };
        (0..runs).flat_map(|run| (0..20).map(move |at| item(run, at))).collect()
    }

    #[test]
    fn a_judge_that_lost_agreement_with_gold_has_fallen_and_by_how_much() {
        let found = DriftComparison::of_items(&items_with(2, 4), &plan());

        let gold = found.gold.clone().unwrap();
        assert_eq!((found.items, found.runs, found.is_by_run), (40, 2, false));
        assert_eq!((gold.earlier.exact.value, gold.new.exact.value), (Ok(1.0), Ok(0.75)));
        assert_eq!(gold.change.exact.value, Ok(-0.25));
        assert_eq!(found.between.exact.value, Ok(0.75));
        let verdict = found.verdict(true, 0.05);
        assert_eq!((verdict.drop.value, verdict.has_fallen), (Ok(0.25), true));
        assert_eq!(verdict.is_beyond_chance, Some(true));
        let lenient = found.verdict(true, 0.25);
        assert_eq!((lenient.has_fallen, lenient.is_beyond_chance), (false, Some(false)));
    }

    #[test]
    fn without_gold_the_earlier_judgement_is_the_reference() {
        let items: Vec<JudgedTwice> =
            items_with(2, 10).into_iter().map(|it| JudgedTwice { gold: None, ..it }).collect();

        let found = DriftComparison::of_items(&items, &plan());

        assert_eq!(found.gold, None);
        let verdict = found.verdict(true, 0.2);
        assert!((verdict.drop.value.unwrap() - 0.1).abs() < 1e-9);
        assert!(!verdict.has_fallen);
    }

    #[test]
    fn intervals_are_drawn_over_runs_where_there_are_enough_and_a_judge_that_got_better_has_not_fallen()
     {
        let better: Vec<JudgedTwice> = items_with(FEWEST_RUNS, 4)
            .into_iter()
            .map(|it| JudgedTwice { earlier: it.new, new: it.earlier, ..it })
            .collect();

        let found = DriftComparison::of_items(&better, &plan());

        assert!(found.is_by_run);
        let verdict = found.verdict(true, 0.0);
        assert_eq!((verdict.drop.value, verdict.has_fallen), (Ok(-0.25), false));
        // Every run lost the same, so that draws of runs do not differ.
        assert!(verdict.drop.interval.is_err());
        assert_eq!(verdict.is_beyond_chance, None);
    }

    #[test]
    fn levels_off_the_scale_are_left_out_and_nothing_compared_is_undefined() {
        let strange = JudgedTwice { run: 0, earlier: 9, new: 1, gold: Some(7) };

        let found = DriftComparison::of_items(&[strange], &plan());

        assert_eq!((found.items, found.gold.clone()), (0, None));
        let verdict = found.verdict(true, 0.05);
        assert_eq!((verdict.drop.value, verdict.has_fallen), (Err(Undefined::NoPairs), false));
    }
}
