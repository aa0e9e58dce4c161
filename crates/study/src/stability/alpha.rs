//! Krippendorff's alpha over any number of raters, with scores missing here and there.

use crate::undefined::{Undefined, Value};
use trajview_run::rubric::FULL;

const LEVELS: usize = FULL as usize + 1;

type Square = [[f64; LEVELS]; LEVELS];

/// With the ordinal metric (Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, sections D and E). A unit is
/// the scores that one thing was given, in any order; units with fewer than two scores do not count. At most 1; 0 is what
/// chance gives.
///
/// Not defined without a unit that counts, and where all scores are one level.
pub fn alpha(units: &[&[u8]]) -> Value {
    let coincidences = coincidences(units);
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

/// How often two scores of one unit are this level and that, each unit weighing as many as it has scores.
fn coincidences(units: &[&[u8]]) -> Square {
    let mut square: Square = [[0.0; LEVELS]; LEVELS];
    for unit in units.iter().filter(|unit| unit.len() > 1) {
        let mut counts = [0.0; LEVELS];
        unit.iter().for_each(|score| counts[usize::from((*score).min(FULL))] += 1.0);
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
