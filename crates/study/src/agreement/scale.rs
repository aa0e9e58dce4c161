//! The levels that scores may have.

use std::fmt;

use trajview_run::worded_enum::worded;

worded! {
    /// The meaning of differences between levels, which decides the metric of Krippendorff's alpha.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum MeasurementLevel {
        /// Two levels are the same or not.
        Nominal = "nominal",
        /// Levels have an order.
        #[default]
        Ordinal = "ordinal",
        /// Their numbers have differences.
        Interval = "interval",
    }
}

/// A scale of more levels is a measurement, not a rubric.
pub const MOST_LEVELS: usize = 101;

/// Levels from low to high: finite, distinct, their differences finite. The weights of kappa count the steps between two
/// levels, not the difference of their numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingScale {
    levels: Vec<f64>,
    measurement: MeasurementLevel,
}

/// The reason why a scale cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScaleError {
    /// `4..0`
    Backwards,
    /// More than [`MOST_LEVELS`]; how many.
    TooMany(usize),
    /// Scores that are no finite numbers are not on any scale.
    NoLevels,
    /// The difference of the lowest and the highest leaves the range of numbers.
    TooWide,
    /// The text is not of the form `LOWEST..HIGHEST`.
    NotARange(String),
}

impl fmt::Display for ScaleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Backwards => write!(f, "the lowest level is above the highest"),
            Self::TooMany(count) => {
                write!(f, "{count} levels; at most {MOST_LEVELS} can be compared")
            }
            Self::NoLevels => write!(f, "no scores"),
            Self::TooWide => write!(f, "the levels are too far apart"),
            Self::NotARange(words) => {
                write!(f, "{words:?} is not a range of levels; use 0..4 (both ends included)")
            }
        }
    }
}

impl std::error::Error for ScaleError {}

impl Default for RatingScale {
    /// Returns the scale of SLUMP's rubric: 0 to 4.
    fn default() -> Self {
        Self::with_levels((0..=4u8).map(f64::from).collect())
    }
}

impl RatingScale {
    /// Returns a scale of these levels: two are names, more have an order.
    fn with_levels(levels: Vec<f64>) -> Self {
        let measurement =
            if levels.len() == 2 { MeasurementLevel::Nominal } else { MeasurementLevel::Ordinal };
        Self { levels, measurement }
    }

    /// Returns the same levels with another measurement level.
    pub(crate) fn with_measurement(self, measurement: MeasurementLevel) -> Self {
        Self { measurement, ..self }
    }

    pub const fn measurement(&self) -> MeasurementLevel {
        self.measurement
    }

    /// Returns the scale of the whole numbers from `low` to `high`, both included.
    pub fn whole_numbers(low: i32, high: i32) -> Result<Self, ScaleError> {
        let count = (i64::from(high) - i64::from(low) + 1).max(0) as usize;
        match count {
            0 => Err(ScaleError::Backwards),
            count if count > MOST_LEVELS => Err(ScaleError::TooMany(count)),
            _ => Ok(Self::with_levels((low..=high).map(f64::from).collect())),
        }
    }

    /// Parses `0..4` as [`Self::whole_numbers`] takes it.
    pub fn parse(words: &str) -> Result<Self, ScaleError> {
        let no_range = || ScaleError::NotARange(words.to_owned());
        let (low, high) = words.split_once("..").ok_or_else(no_range)?;
        let end = |words: &str| words.trim().trim_start_matches('=').parse::<i32>();
        Self::whole_numbers(end(low).map_err(|_| no_range())?, end(high).map_err(|_| no_range())?)
    }

    /// Returns the scale of the levels that are among the scores, as scripts do that pass scores to scikit-learn
    /// without saying what the levels are: a level nobody gave is no step.
    pub fn from_scores(scores: impl IntoIterator<Item = f64>) -> Result<Self, ScaleError> {
        let mut levels: Vec<f64> = scores.into_iter().filter(|score| score.is_finite()).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup(); // by `==`: 0 and -0 are one level
        match levels.len() {
            0 => Err(ScaleError::NoLevels),
            count if count > MOST_LEVELS => Err(ScaleError::TooMany(count)),
            count if !(levels[count - 1] - levels[0]).is_finite() => Err(ScaleError::TooWide),
            _ => Ok(Self::with_levels(levels)),
        }
    }

    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// Returns the position of a score among the levels, from 0; None for a score that is not a level.
    pub fn position(&self, score: f64) -> Option<usize> {
        self.levels.iter().position(|level| *level == score)
    }
}
