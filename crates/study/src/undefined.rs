//! Why there is no number.

use std::{collections::BTreeMap, fmt};

use serde::{Serialize, Serializer};

use trajview_run::worded_enum::worded;

/// A finite number, or why there is none.
pub type NumberOrReason = Result<f64, Undefined>;

worded! {
    why;
    /// The reason why a number or an interval is undefined.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Undefined {
        /// The input is empty.
        NoPairs = "no pairs",
        /// Agreement and spread need two pairs.
        FewerThanTwoPairs = "fewer than two pairs",
        /// Runs are drawn whole, so that an interval needs two.
        FewerThanTwoRuns = "fewer than two runs",
        /// The difference between tasks needs two tasks.
        FewerThanTwoTasks = "fewer than two tasks",
        /// Differences between tasks cannot be separated from differences within them.
        OneEach = "every task has one component only",
        /// Fleiss' kappa needs as many scores of every thing.
        UnequalScores = "things have different numbers of scores",
        /// An analysis of variance needs items that every rater scored.
        IncompleteItems = "no item has a score of every rater",
        /// The items differ as little as the raters do, and what is left is error.
        EqualMeans = "all items and all raters have one mean",
        /// The alternative annotator test leaves one annotator out and needs another.
        FewerThanTwoAnnotators = "fewer than two annotators",
        /// The t-test of the alternative annotator test needs 30 items.
        TooFewItems = "fewer than 30 items",
        /// So few labels cannot promise so small an error.
        SmallCalibration = "too few labelled items for the promised error",
        /// A correlation's p-value and a correlation of ranks need three.
        FewerThanThreePairs = "fewer than three pairs",
        /// All scores of both raters are the same level.
        OneLevel = "one level only",
        /// A boundary between two levels is only counted where one of them was given.
        NeitherLevel = "no rater gave either level",
        /// There is no gap to recover: over the tasks single-shot is not better.
        NoGap = "single-shot is not the better one on average",
        /// Neither levels nor steps between them can be counted where any number may be given.
        AnyNumber = "any number is on the scale",
        /// All values of one of the two sides are equal.
        NoVariance = "one side has a single value",
        /// All differences are equal, so that their spread is 0.
        EqualDifferences = "all differences are equal",
        /// No difference is left after those of 0 are dropped.
        OnlyZeros = "all differences are 0",
        /// All resamples give the same value.
        NoSpread = "every resample gives the same value",
        /// Too many resamples have no value: a few pairs decide whether there is one.
        UnstableResamples = "too many resamples have no value",
        /// No run has both a cost and tests.
        NoCostWithTests = "no run has both a cost and tests",
        /// The runs cost money, and none solves a checkpoint.
        NothingSolved = "no checkpoint was solved",
        /// Outcomes are not recorded, or nobody scored the trials.
        NoScoredTrials = "no trial counts",
        /// pass@k and pass^k need k trials of a task.
        TooFewRepeats = "no task has k trials",
        NoReward = "no trial has a reward",
        /// A mean of numbers of several verifiers or metrics means nothing.
        SeveralRewards = "the rewards have different names, so they have no mean",
        NoRepeats = "no task has two trials with a reward",
        /// No trial has both an outcome and what it spent.
        NoSpending = "no trial has both an outcome and this value",
        /// The trials spent something, and none passed.
        NothingPassed = "no trial passed",
        /// Sums leave the range of numbers.
        TooLarge = "the numbers are too large",
    }
}

impl Serialize for Undefined {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.why())
    }
}

/// Serialises an undefined value as null.
pub(crate) fn or_null<T: Serialize, S: Serializer>(
    value: &Result<T, Undefined>,
    to: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().ok().serialize(to)
}

/// Returns the reason for each undefined field.
pub fn undefined_reasons<const N: usize>(
    fields: [(&'static str, Option<Undefined>); N],
) -> BTreeMap<&'static str, Undefined> {
    fields.into_iter().filter_map(|(field, why)| Some((field, why?))).collect()
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why())
    }
}

/// Returns a number that came out of arithmetic; an error for an infinite or undefined one, which has no place outside.
pub(super) fn finite_number(number: f64) -> NumberOrReason {
    if number.is_finite() { Ok(number) } else { Err(Undefined::TooLarge) }
}
