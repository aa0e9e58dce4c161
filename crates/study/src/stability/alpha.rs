//! Krippendorff's alpha over any number of raters, with scores missing here and there.

use crate::undefined::{NumberOrReason, Undefined};
use trajview_run::rubric::FULL_SCORE;

const LEVELS: usize = FULL_SCORE as usize + 1;

type LevelMatrix = [[f64; LEVELS]; LEVELS];

/// Computes alpha with the ordinal metric (Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, sections D
/// and E). A unit is the scores of one thing, in any order; units with fewer than two scores do not count. At most 1;
/// 0 is the level of chance.
///
/// It is undefined without a unit that counts, and where all scores are one level.
pub fn ordinal_alpha(units: &[&[u8]]) -> NumberOrReason {
    let coincidences = count_coincidences(units);
    let counts: [f64; LEVELS] = coincidences.map(|row| row.iter().sum());
    let total: f64 = counts.iter().sum();
    if total == 0.0 {
        return Err(Undefined::NoPairs);
    }
    let mut before = 0.0;
    // Two levels are as far apart as there are scores between their middles.
    let places = counts.map(|count| {
        let place = before + count / 2.0;
        before += count;
        place
    });
    let sum = |weight: &dyn Fn(usize, usize) -> f64| -> f64 {
        let levels = 0..LEVELS;
        let row = |a: usize| -> f64 {
            (0..LEVELS).map(|b| weight(a, b) * (places[a] - places[b]).powi(2)).sum()
        };
        levels.map(row).sum()
    };
    let expected = sum(&|a, b| counts[a] * counts[b]);
    if expected == 0.0 {
        return Err(Undefined::OneLevel);
    }
    Ok(1.0 - (total - 1.0) * sum(&|a, b| coincidences[a][b]) / expected)
}

/// Counts how often two scores of one unit have this level and that; each unit weighs as many as it has scores.
fn count_coincidences(units: &[&[u8]]) -> LevelMatrix {
    let mut square: LevelMatrix = [[0.0; LEVELS]; LEVELS];
    for unit in units.iter().filter(|unit| unit.len() > 1) {
        let mut counts = [0.0; LEVELS];
        unit.iter().for_each(|score| counts[usize::from((*score).min(FULL_SCORE))] += 1.0);
        let others = (unit.len() - 1) as f64;
        for (a, row) in square.iter_mut().enumerate() {
            for (b, cell) in row.iter_mut().enumerate() {
                let same = if a == b { 1.0 } else { 0.0 };
                *cell += counts[a] * (counts[b] - same) / others;
            }
        }
    }
    square
}
