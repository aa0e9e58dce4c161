//! Krippendorff's alpha over any number of raters, with scores missing here and there.

use crate::{
    krippendorff::{alpha_of_coincidences, level_counts, ordinal_distance, thing_coincidences},
    undefined::NumberOrReason,
};
use trajview_run::rubric::FULL_SCORE;

const LEVELS: usize = FULL_SCORE as usize + 1;

/// Computes alpha with the ordinal metric. A unit is the scores of one thing, in any order; units with fewer than two
/// scores do not count.
pub fn ordinal_alpha(units: &[&[u8]]) -> NumberOrReason {
    let mut coincidences = vec![0.0; LEVELS * LEVELS];
    for unit in units.iter().filter(|unit| unit.len() > 1) {
        let mut counts = [0.0; LEVELS];
        unit.iter().for_each(|score| counts[usize::from((*score).min(FULL_SCORE))] += 1.0);
        let of_unit = thing_coincidences(&counts);
        coincidences.iter_mut().zip(of_unit).for_each(|(sum, count)| *sum += count);
    }
    let distance = ordinal_distance(&level_counts(&coincidences, LEVELS));
    alpha_of_coincidences(&coincidences, LEVELS, &distance)
}
