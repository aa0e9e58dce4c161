//! When an interval cannot be trusted.
//!
//! Measures that weigh a disagreement by the square of the steps between two levels ([`SQUARING`]) hang on the few pairs
//! that differ by most. Where a sample has few pairs, few that differ, or mostly one level, resamples hold too few of those,
//! and the BCa interval is too narrow. The limits are from simulations with a known truth (`coverage` among the tests; its
//! table is in docs/audit-study.md), which also show that other measures need no such sentence.

use std::fmt;

use super::{Coefficient, ConfusionTable, several_raters::MultiRaterMeasure};

/// Measures whose intervals are too narrow in small or one-sided samples.
pub const SQUARING: [Coefficient; 2] = [Coefficient::KappaQuadratic, Coefficient::Ac2];

/// The measures of several raters with the same fault.
pub const SQUARING_AMONG: [MultiRaterMeasure; 2] =
    [MultiRaterMeasure::AlphaInterval, MultiRaterMeasure::Ac2];

/// Fewer things than this are few.
pub const FEW: usize = 40;

/// Fewer things than this are few where one level is at least [`ONE_SIDED`] of all scores.
pub(crate) const FEW_ONE_SIDED: usize = 200;

/// Share of all scores.
pub(crate) const ONE_SIDED: f64 = 0.5;

/// Fewer things than this that raters differ on are few.
pub(crate) const FEW_DIFFER: usize = 10;

/// The numbers that make an interval too narrow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalDoubt {
    /// Things that were scored.
    n: usize,
    /// Things on which raters differ.
    differ: usize,
    /// The share of the most frequent level among all scores, 0 to 1.
    most: f64,
}

impl IntervalDoubt {
    /// Returns the doubt about a sample; None where its interval can be trusted.
    pub(crate) fn for_sample(n: usize, differ: usize, most: f64) -> Option<Self> {
        let is_one_sided = most >= ONE_SIDED && n < FEW_ONE_SIDED;
        (n < FEW || is_one_sided || differ < FEW_DIFFER).then_some(Self { n, differ, most })
    }
}

impl fmt::Display for IntervalDoubt {
    /// Writes `may be too narrow: 20 things, 3 scored differently, 85 % of the scores are one level`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, differ, most } = self;
        let percent = most * 100.0;
        write!(
            f,
            "may be too narrow: {n} things, {differ} scored differently, {percent:.0} % of the scores are one level"
        )
    }
}

impl ConfusionTable {
    /// Returns why the intervals of [`SQUARING`] cannot be trusted; None where they can.
    pub fn interval_doubt(&self) -> Option<IntervalDoubt> {
        let n = self.total_pairs();
        let same: f64 =
            self.filled_cells().filter(|(a, b, _)| a == b).map(|(_, _, count)| count).sum();
        let (a, b) = self.base_rates();
        let most = a.iter().zip(&b).map(|(a, b)| (a + b) / 2.0).fold(0.0, f64::max);
        IntervalDoubt::for_sample(n as usize, (n - same) as usize, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BootstrapPlan, RatingScale, Ratings, bootstrap::Resamples};

    fn slump_table(pairs: &[(u8, u8)]) -> ConfusionTable {
        let scores: Vec<(f64, f64)> =
            pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
        Ratings::new(RatingScale::default(), &scores).confusion_table()
    }

    #[test]
    fn few_pairs_few_that_differ_and_mostly_one_level_are_doubtful() {
        let flat: Vec<(u8, u8)> = (0..200).map(|at| (at % 5, (at + at / 5 % 2) % 5)).collect();
        assert_eq!(slump_table(&flat).interval_doubt(), None);
        assert!(slump_table(&flat[..39]).interval_doubt().is_some());

        let alike: Vec<(u8, u8)> = (0..200).map(|at| (at % 5, at % 5)).collect();
        let words = slump_table(&alike).interval_doubt().unwrap().to_string();
        let wanted = "200 things, 0 scored differently, 20 % of the scores are one level";
        assert_eq!(words, format!("may be too narrow: {wanted}"));

        let one_sided = |count: u8| -> Vec<(u8, u8)> {
            (0..count).map(|at| if at % 4 == 0 { (3, at % 3) } else { (4, 4) }).collect()
        };
        assert!(slump_table(&one_sided(199)).interval_doubt().is_some());
        assert_eq!(slump_table(&one_sided(200)).interval_doubt(), None);
    }

    /// The coefficients that the simulation covers.
    const SIMULATED: [Coefficient; 5] = [
        Coefficient::KappaLinear,
        Coefficient::KappaQuadratic,
        Coefficient::Spearman,
        Coefficient::Alpha,
        Coefficient::Ac2,
    ];

    /// The share of intervals that contain the truth, among samples that have one, and the share of samples without
    /// one.
    struct SimulatedCoverage {
        share: f64,
        without: f64,
    }

    /// Draws `samples` samples of `n` pairs from a population on 0..4. A share `same` of the things gets one level
    /// from both raters, the others two independent levels; levels have the frequencies of `levels`.
    fn simulated_coverage(
        levels: [f64; 5],
        same: f64,
        n: usize,
        samples: u64,
    ) -> Vec<SimulatedCoverage> {
        use rayon::prelude::*;

        // The population as a table of 4,000 pairs and more, which are nearly exactly as many as they should be.
        let population: Vec<(f64, f64)> = (0..5u8)
            .flat_map(|a| (0..5u8).map(move |b| (a, b)))
            .flat_map(|(a, b)| {
                let (of_a, of_b) = (levels[usize::from(a)], levels[usize::from(b)]);
                let share = (1.0 - same) * of_a * of_b + if a == b { same * of_a } else { 0.0 };
                let count = (share * 40_000.0).round() as usize;
                std::iter::repeat_n((f64::from(a), f64::from(b)), count)
            })
            .collect();
        let whole_table = Ratings::new(RatingScale::default(), &population).confusion_table();
        let truth = SIMULATED.map(|it| it.formula_value(&whole_table).unwrap());
        let found: Vec<Vec<Option<bool>>> = (0..samples)
            .into_par_iter()
            .map(|seed| {
                let mut draw = Resamples::new(seed * 7_919 + n as u64, population.len());
                let scores: Vec<_> = (0..n).map(|_| population[draw.draw()]).collect();
                let plan = BootstrapPlan { seed, resamples: 599, ..BootstrapPlan::default() };
                let estimates = Ratings::new(RatingScale::default(), &scores)
                    .estimate_coefficients(&SIMULATED, &plan);
                let covers = |((_, estimate), truth): (&(Coefficient, _), &f64)| {
                    let estimate: &crate::Estimate = estimate;
                    let interval = estimate.interval.ok()?;
                    Some((interval.low - 1e-12..=interval.high + 1e-12).contains(truth))
                };
                estimates.iter().zip(&truth).map(covers).collect()
            })
            .collect();
        (0..SIMULATED.len())
            .map(|at| {
                let known: Vec<bool> = found.iter().filter_map(|sample| sample[at]).collect();
                let covered = known.iter().filter(|it| **it).count();
                SimulatedCoverage {
                    share: covered as f64 / known.len() as f64,
                    without: 1.0 - known.len() as f64 / found.len() as f64,
                }
            })
            .collect()
    }

    /// The table of docs/audit-study.md.
    #[test]
    #[ignore = "some minutes: simulates how often intervals hold the truth"]
    fn how_often_intervals_cover_the_truth() {
        let populations = [
            ("every level alike", [0.2; 5]),
            ("60 % one level", [0.05, 0.05, 0.1, 0.2, 0.6]),
            ("75 % one level", [0.02, 0.03, 0.05, 0.15, 0.75]),
            ("90 % one level", [0.01, 0.01, 0.03, 0.05, 0.9]),
        ];
        let names = SIMULATED.map(Coefficient::name).join(" | ");
        println!("| levels | drawn alike | n | {names} |\n|---|---|---|---|---|---|---|---|");
        let mut worst_of_large = 1.0f64;
        for (name, levels) in populations {
            for same in [0.6, 0.9] {
                for n in [20, 40, 80, 160, 320] {
                    let all = simulated_coverage(levels, same, n, 400);
                    let cell = |it: &SimulatedCoverage| match it.without {
                        0.0 => format!("{:.2}", it.share),
                        without => format!("{:.2} ({:.0} % none)", it.share, without * 100.0),
                    };
                    let cells: Vec<String> = all.iter().map(cell).collect();
                    println!("| {name} | {same} | {n} | {} |", cells.join(" | "));
                    if n == 320 && levels[4] < 0.5 {
                        worst_of_large =
                            all.iter().map(|it| it.share).fold(worst_of_large, f64::min);
                    }
                }
            }
        }
        assert!(
            worst_of_large > 0.90,
            "where nothing is doubted the truth is covered: {worst_of_large}"
        );
    }
}
