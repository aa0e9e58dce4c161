//! Agreement beyond chance: Cohen's kappa and Gwet's AC.

use crate::undefined::{NumberOrReason, Undefined};

use super::table::{ConfusionTable, LevelMargins};

/// The weight of a disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisagreementWeights {
    /// Every disagreement weighs the same.
    Same,
    /// A disagreement weighs the steps between the two levels.
    Linear,
    /// A disagreement weighs the square of the steps.
    Quadratic,
}

impl DisagreementWeights {
    /// Returns how far two levels are apart by their positions; 0 for one level.
    fn disagreement_between(self, a: usize, b: usize) -> f64 {
        let steps = a.abs_diff(b) as f64;
        match self {
            Self::Same => f64::from(u8::from(a != b)),
            Self::Linear => steps,
            Self::Quadratic => steps * steps,
        }
    }
}

/// Computes `1 - observed / expected` disagreement, where the raters' own base rates say what is expected.
pub(crate) fn cohen_kappa(table: &ConfusionTable, weights: DisagreementWeights) -> NumberOrReason {
    let total = table.total_pairs();
    let LevelMargins { a, b } = table.level_margins();
    let observed: f64 =
        table.filled_cells().map(|(a, b, count)| weights.disagreement_between(a, b) * count).sum();
    let expected = sum_over(table, |i, j| weights.disagreement_between(i, j) * a[i] * b[j]);
    match (total, expected) {
        (0.0, _) => Err(Undefined::NoPairs),
        (_, 0.0) => Err(Undefined::OneLevel),
        _ => Ok(1.0 - observed * total / expected),
    }
}

/// Computes `(observed - chance) / (1 - chance)`; chance is what raters agree on who guess among all levels of the
/// scale as often as the scores are spread over them: `sum of weights * sum of p(1 - p) / (levels * (levels - 1))`,
/// where p is the mean share of a level among both raters. `agreement` weighs two positions: 1 for one level, down to
/// 0.
fn gwet_ac(table: &ConfusionTable, agreement: impl Fn(usize, usize) -> f64) -> NumberOrReason {
    let (total, levels) = (table.total_pairs(), table.levels().len());
    if total == 0.0 {
        return Err(Undefined::NoPairs);
    }
    // A scale of one level has no widest difference to divide by.
    if levels < 2 {
        return Ok(1.0);
    }
    let LevelMargins { a, b } = table.level_margins();
    let observed =
        table.filled_cells().map(|(a, b, count)| agreement(a, b) * count).sum::<f64>() / total;
    let spread: f64 =
        a.iter().zip(&b).map(|(a, b)| (a + b) / (2.0 * total)).map(|p| p * (1.0 - p)).sum();
    let chance = sum_over(table, &agreement) * spread / (levels * (levels - 1)) as f64;
    Ok((observed - chance) / (1.0 - chance))
}

/// Computes Gwet's AC1: equal levels agree fully, different ones not at all; 1 on a scale of one level.
pub(crate) fn gwet_ac1(table: &ConfusionTable) -> NumberOrReason {
    gwet_ac(table, |a, b| f64::from(u8::from(a == b)))
}

/// Computes Gwet's AC2: `1 - (difference / widest difference)^2`, of the levels' numbers and not their steps, as irrCAC
/// has it.
pub(crate) fn gwet_ac2(table: &ConfusionTable) -> NumberOrReason {
    let levels = table.levels();
    let widest = levels.last().zip(levels.first()).map_or(0.0, |(last, first)| last - first);
    gwet_ac(table, |a, b| 1.0 - ((levels[a] - levels[b]) / widest).powi(2))
}

fn sum_over(table: &ConfusionTable, term: impl Fn(usize, usize) -> f64) -> f64 {
    let levels = 0..table.levels().len();
    levels.clone().map(|i| levels.clone().map(|j| term(i, j)).sum::<f64>()).sum()
}
