//! Ticks of an axis.

use crate::description::{Axis, AxisScale};

/// A place on an axis, and its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub at: f64,
    pub label: String,
}

/// Returns the ticks of an axis: about so many at round numbers, or one for each name.
pub(crate) fn axis_ticks(axis: &Axis, about: usize) -> Vec<Tick> {
    let names = axis.name_list();
    if !names.is_empty() {
        return (0..)
            .zip(names)
            .map(|(at, name)| Tick { at: f64::from(at), label: name.clone() })
            .collect();
    }
    let (low, high) = axis.ends();
    let least_step: f64 = if matches!(axis.scale, AxisScale::Counts { .. }) { 1.0 } else { 0.0 };
    let step = round_step((high - low) / about.max(1) as f64).max(least_step);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    let count = (last - first).clamp(0.0, 1000.0) as usize;
    let at = |index: usize| (first + index as f64) * step;
    (0..=count).map(at).map(|at| Tick { at, label: number_text(at, step) }).collect()
}

/// Returns 1, 2 or 5 times a power of ten: the first that is not below the number.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Returns the number with as many decimals as steps of this size need, and a minus sign that is no hyphen.
fn number_text(number: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    // No zero has a sign.
    let number = if number.abs() < step / 1000.0 { 0.0 } else { number };
    format!("{number:.decimals$}").replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis_ticks(axis, 5).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_at_round_numbers_and_counts_at_whole_ones() {
        assert_eq!(
            labels(&Axis::with_numbers("", 0.0, 1.0)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            labels(&Axis::with_numbers("", -0.1, 0.11)),
            ["\u{2212}0.10", "\u{2212}0.05", "0.00", "0.05", "0.10"]
        );
        assert_eq!(labels(&Axis::with_counts("", 1.0, 3.0)), ["1", "2", "3"]);
        assert_eq!(labels(&Axis::with_counts("", 1.0, 56.0)), ["20", "40"]);
        assert_eq!(labels(&Axis::with_numbers("", 2.0, 2.0)), ["1.6", "1.8", "2.0", "2.2", "2.4"]);
    }
}
