//! The number of a level whose mean is corrected.

use trajview_run::rubric::ScoreScale;

/// The lowest level that counts as passed: mostly as specified.
const LOWEST_PASSED: f64 = 3.0;

/// A number that each level has; all of them have means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// The level itself; its mean over components is the MCF.
    Level,
    /// 1 for this level, else 0: its mean is the share of items at the level.
    ShareAt(f64),
    /// 1 for levels from 3 on, else 0: its mean is the share of items that passed.
    PassShare,
}

/// The lowest and the highest value that a mean can have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueRange {
    pub low: f64,
    pub high: f64,
    /// How far a label is usually off that is not as expected: a level, 1 for a share, a quarter of a scale without
    /// levels.
    pub step: f64,
}

/// The part of a scale without levels that counts as a step.
const STEP_OF_SHARE: f64 = 0.25;

impl Measure {
    /// Returns the value of a level: the level itself, or 1 where it counts for the share, else 0.
    pub fn value_of(self, level: f64) -> f64 {
        let is_counted = match self {
            Self::Level => return level,
            Self::ShareAt(wanted) => level == wanted,
            Self::PassShare => level >= LOWEST_PASSED,
        };
        f64::from(u8::from(is_counted))
    }

    /// Returns the range of the mean where levels are on this scale.
    pub(crate) fn range_on(self, scale: ScoreScale) -> ValueRange {
        match self {
            Self::Level => {
                let (low, high) = scale.lowest_and_highest();
                let step = if scale == ScoreScale::Share { STEP_OF_SHARE } else { 1.0 };
                ValueRange { low: low.into(), high: high.into(), step }
            }
            Self::ShareAt(_) | Self::PassShare => ValueRange { low: 0.0, high: 1.0, step: 1.0 },
        }
    }
}
