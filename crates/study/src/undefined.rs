//! Why there is no number.

use std::{collections::BTreeMap, fmt};

use serde::{Serialize, Serializer};

use trajview_run::values::worded;

/// A finite number, or why there is none.
pub type Value = Result<f64, Undefined>;

worded! {
    why;
    /// Why a number or an interval cannot be given.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Undefined {
        /// There is nothing to count.
        NoPairs = "no pairs",
        /// One pair says nothing of agreement, and one difference nothing of spread.
        FewerThanTwoPairs = "fewer than two pairs",
        /// Runs that are drawn whole: of one run nothing can be told.
        FewerThanTwoRuns = "fewer than two runs",
        /// Of one task the difference between tasks cannot be told.
        FewerThanTwoTasks = "fewer than two tasks",
        /// What differs between tasks cannot be told from what differs within them.
        OneEach = "every task has one component only",
        /// Fleiss' kappa needs as many scores of every thing.
        UnequalScores = "things have different numbers of scores",
        /// A correlation's p-value and a correlation of ranks need three.
        FewerThanThreePairs = "fewer than three pairs",
        /// Every score of both raters is the same level.
        OneLevel = "one level only",
        /// A boundary between two levels is only counted where one of them was given.
        NeitherLevel = "nobody gave either level",
        /// What a treatment gives back of nothing: over the tasks single-shot is not the better one.
        NoGap = "single-shot is not the better one on average",
        /// Neither levels nor steps between them can be counted where any number may be given.
        AnyNumber = "any number is on the scale",
        /// One of the two sides has the same value everywhere.
        NoVariance = "one side has a single value",
        /// All differences are equal, so that their spread is 0.
        EqualDifferences = "all differences are equal",
        /// Nothing is left when differences of 0 are dropped.
        OnlyZeros = "all differences are 0",
        /// Every resample gives the same value.
        NoSpread = "every resample gives the same value",
        /// Too many resamples have no value: a few pairs decide whether there is one.
        UnstableResamples = "too many resamples have no value",
        /// No run has both a cost and tests.
        NoCostWithTests = "no run has both a cost and tests",
        /// Every run costs, and none solves a checkpoint.
        NothingSolved = "no checkpoint was solved",
        /// Sums leave the range of numbers.
        TooLarge = "the numbers are too large",
    }
}

impl Serialize for Undefined {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.why())
    }
}

/// What there is no value of is null in JSON.
pub fn or_null<T: Serialize, S: Serializer>(
    value: &Result<T, Undefined>,
    to: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().ok().serialize(to)
}

/// Why what is null is not defined, by field.
pub fn reasons<const N: usize>(
    fields: [(&'static str, Option<Undefined>); N],
) -> BTreeMap<&'static str, Undefined> {
    fields.into_iter().filter_map(|(field, why)| Some((field, why?))).collect()
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why())
    }
}

/// A number that came out of arithmetic; infinite and undefined ones have no place outside.
pub(super) fn finite(number: f64) -> Value {
    if number.is_finite() { Ok(number) } else { Err(Undefined::TooLarge) }
}
