//! The accuracy of a rater against a reference, and precision, recall and F1 of each level, as scikit-learn's
//! `precision_recall_fscore_support` defines them.
//!
//! The classes are the levels that either of the two gave. The precision of a class that the rater never gave, the
//! recall of one that the reference never gave, and the F1 of one that neither gave are undefined; [`ZeroDivision`]
//! decides their value in averages.

use crate::undefined::{NumberOrReason, Undefined};
use trajview_run::worded_enum::worded;

use super::table::{ConfusionTable, LevelMargins};

worded! {
    word;
    /// The value of an undefined precision or recall within averages: scikit-learn's `zero_division`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ZeroDivision {
        /// The class is left out of the average (`np.nan`).
        Undefined = "undefined",
        /// 0, which is scikit-learn's own choice.
        Zero = "0",
        One = "1",
    }
}

impl ZeroDivision {
    const fn as_number(self) -> Option<f64> {
        match self {
            Self::Undefined => None,
            Self::Zero => Some(0.0),
            Self::One => Some(1.0),
        }
    }
}

/// The three measures of a class, or their average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassScores {
    /// The share of what the rater gave as the class that belongs to it.
    pub precision: NumberOrReason,
    /// The share of the class that the rater recognised.
    pub recall: NumberOrReason,
    /// `2 tp / (given + true)`: the harmonic mean of both.
    pub f1: NumberOrReason,
}

/// The result for one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassResult {
    pub level: f64,
    pub scores: ClassScores,
    /// The number of things that the reference put into the class.
    pub support: u64,
    /// The number of things that the rater put into the class.
    pub predicted: u64,
}

/// A rater against a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// Things that both scored.
    pub n: u64,
    /// Share of those that got the level of the reference.
    pub accuracy: NumberOrReason,
    /// The classes that either of the two gave, from the lowest level to the highest.
    pub classes: Vec<ClassResult>,
    /// The mean over classes.
    pub macro_average: ClassScores,
    /// The mean over classes, each weighing as often as the reference gave it.
    pub weighted: ClassScores,
}

/// Classifies a table whose rows are the reference.
pub fn classify_against_reference(table: &ConfusionTable, zero: ZeroDivision) -> Classification {
    let (LevelMargins { a, b }, total) = (table.level_margins(), table.total_pairs());
    let is_given = |at: &usize| a[*at] + b[*at] > 0.0;
    let class = |at: usize| {
        let hits = table.pair_count(at, at);
        let scores = ClassScores {
            precision: checked_ratio(hits, b[at]),
            recall: checked_ratio(hits, a[at]),
            f1: checked_ratio(2.0 * hits, a[at] + b[at]),
        };
        let (support, predicted) = (a[at] as u64, b[at] as u64);
        ClassResult { level: table.levels()[at], scores, support, predicted }
    };
    let classes: Vec<ClassResult> = (0..table.levels().len()).filter(is_given).map(class).collect();
    let hits: f64 = (0..table.levels().len()).map(|at| table.pair_count(at, at)).sum();
    Classification {
        n: total as u64,
        accuracy: checked_ratio(hits, total),
        macro_average: average_scores(&classes, zero, |_| 1.0),
        weighted: average_scores(&classes, zero, |class| class.support as f64),
        classes,
    }
}

fn checked_ratio(part: f64, total: f64) -> NumberOrReason {
    if total > 0.0 { Ok(part / total) } else { Err(Undefined::NoPairs) }
}

fn average_scores(
    classes: &[ClassResult],
    zero: ZeroDivision,
    weight: impl Fn(&ClassResult) -> f64,
) -> ClassScores {
    let average = |of: fn(&ClassScores) -> NumberOrReason| -> NumberOrReason {
        let known = classes.iter().filter_map(|class| {
            Some((of(&class.scores).ok().or(zero.as_number())?, weight(class)))
        });
        let (sum, weights) = known.fold((0.0, 0.0), |(sum, weights), (value, weight)| {
            (sum + value * weight, weights + weight)
        });
        checked_ratio(sum, weights)
    };
    ClassScores {
        precision: average(|it| it.precision),
        recall: average(|it| it.recall),
        f1: average(|it| it.f1),
    }
}

worded! {
    name;
    /// A number of [`Classification`] that has an interval.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ReferenceMeasure {
        Accuracy = "accuracy",
        MacroPrecision = "macro_precision",
        MacroRecall = "macro_recall",
        MacroF1 = "macro_f1",
        WeightedF1 = "weighted_f1",
    }
}

impl ReferenceMeasure {
    /// Computes the measure for a table whose rows are the reference.
    pub(crate) fn value_in(self, table: &ConfusionTable, zero: ZeroDivision) -> NumberOrReason {
        let found = classify_against_reference(table, zero);
        match self {
            Self::Accuracy => found.accuracy,
            Self::MacroPrecision => found.macro_average.precision,
            Self::MacroRecall => found.macro_average.recall,
            Self::MacroF1 => found.macro_average.f1,
            Self::WeightedF1 => found.weighted.f1,
        }
    }
}

/// The rule for a positive score on a scale: `>=3`, `>2`, `<=1`, `<2`, `=4`, `4`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PositiveRule {
    test: ScoreTest,
    level: f64,
}

worded! {
    word;
    /// The comparison of a score with the level.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ScoreTest {
        AtLeast = ">=",
        AtMost = "<=",
        Above = ">",
        Below = "<",
        Is = "=",
    }
}

impl PositiveRule {
    /// Parses a rule; returns None where the text is not one.
    pub fn parse(words: &str) -> Option<Self> {
        let words = words.trim();
        let stated = ScoreTest::ALL
            .into_iter()
            .find_map(|test| Some((test, words.strip_prefix(test.word())?)));
        let (test, level) = stated.unwrap_or((ScoreTest::Is, words));
        let level: f64 = level.trim().parse().ok()?;
        level.is_finite().then_some(Self { test, level })
    }

    pub(crate) fn is_positive(self, score: f64) -> bool {
        match self.test {
            ScoreTest::AtLeast => score >= self.level,
            ScoreTest::AtMost => score <= self.level,
            ScoreTest::Above => score > self.level,
            ScoreTest::Below => score < self.level,
            ScoreTest::Is => score == self.level,
        }
    }
}

impl std::fmt::Display for PositiveRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.test.word(), self.level)
    }
}

/// Two classes: positive or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinaryResult {
    pub true_positive: u64,
    pub false_positive: u64,
    pub false_negative: u64,
    pub true_negative: u64,
    pub accuracy: NumberOrReason,
    /// The scores of the positive class.
    pub scores: ClassScores,
    /// The share of the negatives that the rater gave as negative.
    pub specificity: NumberOrReason,
}

/// Counts two classes in a table whose rows are the reference.
pub fn binary_classification(table: &ConfusionTable, positive: PositiveRule) -> BinaryResult {
    let levels = table.levels();
    let count = |is: bool, given: bool| -> f64 {
        let is_counted = |(a, b, _): &(usize, usize, f64)| {
            positive.is_positive(levels[*a]) == is && positive.is_positive(levels[*b]) == given
        };
        table.filled_cells().filter(is_counted).fold(0.0, |sum, (_, _, count)| sum + count)
    };
    let (tp, fp) = (count(true, true), count(false, true));
    let (fn_, tn) = (count(true, false), count(false, false));
    BinaryResult {
        true_positive: tp as u64,
        false_positive: fp as u64,
        false_negative: fn_ as u64,
        true_negative: tn as u64,
        accuracy: checked_ratio(tp + tn, tp + tn + fp + fn_),
        scores: ClassScores {
            precision: checked_ratio(tp, tp + fp),
            recall: checked_ratio(tp, tp + fn_),
            f1: checked_ratio(2.0 * tp, 2.0 * tp + fp + fn_),
        },
        specificity: checked_ratio(tn, tn + fp),
    }
}
