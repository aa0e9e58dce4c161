//! The upper end of a chart axis.

/// Returns a round number that is no smaller; a share ends at 1.
pub(crate) fn round_up(value: f64, is_share: bool) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let round = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].map(|times| times * power);
    let round = round.into_iter().find(|round| *round >= value * 0.999_999).unwrap_or(value);
    if is_share { round.clamp(0.05, 1.0) } else { round.max(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_with_a_round_number() {
        let ends = [0.0, 0.4453, 0.04, 0.93, 1.0].map(|value| round_up(value, true));
        assert_eq!(ends, [1.0, 0.5, 0.05, 1.0, 1.0]);
        let ends = [0.3, 132.0, 1461.8, 5000.0].map(|value| round_up(value, false));
        assert_eq!(ends, [1.0, 150.0, 1500.0, 5000.0]);
    }
}
