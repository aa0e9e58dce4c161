//! Differences of two measurements, equal where they differ only by rounding.
//!
//! 2/3 - 1/3 and 1 - 2/3 are two different floats and one difference. Ranks and a spread of different floats would be
//! ranks and a spread of rounding errors.

/// Differences are equal that lie no further apart than this share of the numbers they were taken from.
pub const SAME: f64 = 1e-9;

/// The largest number up to which a float represents every whole number.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Returns the first numbers less the second, those that are finite, in order. Equal differences, whatever their signs,
/// are the same float; one of equal numbers is 0. Whole numbers are compared exactly.
pub fn pair_differences(pairs: &[(f64, f64)]) -> Vec<f64> {
    let known: Vec<PairDifference> =
        pairs.iter().map(PairDifference::between).filter(|it| it.value.is_finite()).collect();
    let values: Vec<f64> = known.iter().map(|it| it.value).collect();
    if known.iter().all(|it| it.is_exact) { values } else { merge_near_equal(&known, values) }
}

/// A difference and the larger of its two numbers, as a bound of its rounding error.
struct PairDifference {
    value: f64,
    magnitude: f64,
    is_exact: bool,
}

impl PairDifference {
    fn between(&(a, b): &(f64, f64)) -> Self {
        let is_whole = |number: f64| number.fract() == 0.0 && number.abs() <= MOST_WHOLE;
        Self { value: a - b, magnitude: a.abs().max(b.abs()), is_exact: is_whole(a) && is_whole(b) }
    }
}

/// Gives each difference the size of the smallest one that it is equal to.
fn merge_near_equal(known: &[PairDifference], mut values: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by(|&a, &b| known[a].value.abs().total_cmp(&known[b].value.abs()));
    let (mut size, mut magnitude) = (0.0, 0.0);
    for at in order {
        let next = &known[at];
        if next.value.abs() - size > SAME * next.magnitude.max(magnitude) {
            (size, magnitude) = (next.value.abs(), next.magnitude);
        }
        values[at] = if size == 0.0 { 0.0 } else { size.copysign(next.value) };
    }
    values
}
