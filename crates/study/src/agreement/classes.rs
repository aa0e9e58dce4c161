//! How well a rater does against a reference: accuracy, and precision, recall and F1 of each level, as scikit-learn's
//! `precision_recall_fscore_support` has them.
//!
//! The classes are the levels that either of the two gave. Precision of a class that the rater never gave, recall of one
//! that the reference never gave, and F1 of one that neither gave are not defined; [`ZeroDivision`] says what they count
//! as in averages.

use crate::undefined::{Undefined, Value};
use trajview_run::values::worded;

use super::table::{Margins, Table};

worded! {
    word;
    /// What a class without a precision or a recall counts as in averages: scikit-learn's `zero_division`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ZeroDivision {
        /// Nothing: it is left out of the average (`np.nan`).
        Undefined = "undefined",
        /// 0, which is scikit-learn's own choice.
        Zero = "0",
        One = "1",
    }
}

impl ZeroDivision {
    const fn number(self) -> Option<f64> {
        match self {
            Self::Undefined => None,
            Self::Zero => Some(0.0),
            Self::One => Some(1.0),
        }
    }
}

/// The three measures of a class, or their average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Of what the rater gave as the class, the share that is.
    pub precision: Value,
    /// Of what is the class, the share that the rater gave as it.
    pub recall: Value,
    /// `2 tp / (given + true)`: the harmonic mean of both.
    pub f1: Value,
}

/// One class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    pub level: f64,
    pub scores: Scores,
    /// How often the reference gave it.
    pub support: u64,
    /// How often the rater did.
    pub predicted: u64,
}

/// A rater against a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Classified {
    /// Things that both scored.
    pub n: u64,
    /// Share of those that got the level of the reference.
    pub accuracy: Value,
    /// From the lowest level to the highest, those that either gave.
    pub classes: Vec<Class>,
    /// The mean over classes.
    pub macro_average: Scores,
    /// The mean over classes, each weighing as often as the reference gave it.
    pub weighted: Scores,
}

/// Of a table whose rows are the reference.
pub fn classified(table: &Table, zero: ZeroDivision) -> Classified {
    let (Margins { a, b }, total) = (table.margins(), table.total());
    let is_given = |at: &usize| a[*at] + b[*at] > 0.0;
    let class = |at: usize| {
        let hits = table.count(at, at);
        let scores = Scores {
            precision: divided(hits, b[at]),
            recall: divided(hits, a[at]),
            f1: divided(2.0 * hits, a[at] + b[at]),
        };
        let (support, predicted) = (a[at] as u64, b[at] as u64);
        Class { level: table.levels()[at], scores, support, predicted }
    };
    let classes: Vec<Class> = (0..table.levels().len()).filter(is_given).map(class).collect();
    let hits: f64 = (0..table.levels().len()).map(|at| table.count(at, at)).sum();
    Classified {
        n: total as u64,
        accuracy: divided(hits, total),
        macro_average: averaged(&classes, zero, |_| 1.0),
        weighted: averaged(&classes, zero, |class| class.support as f64),
        classes,
    }
}

fn divided(part: f64, whole: f64) -> Value {
    if whole > 0.0 { Ok(part / whole) } else { Err(Undefined::NoPairs) }
}

fn averaged(classes: &[Class], zero: ZeroDivision, weight: impl Fn(&Class) -> f64) -> Scores {
    let average = |of: fn(&Scores) -> Value| -> Value {
        let known = classes
            .iter()
            .filter_map(|class| Some((of(&class.scores).ok().or(zero.number())?, weight(class))));
        let (sum, weights) = known.fold((0.0, 0.0), |(sum, weights), (value, weight)| {
            (sum + value * weight, weights + weight)
        });
        divided(sum, weights)
    };
    Scores {
        precision: average(|it| it.precision),
        recall: average(|it| it.recall),
        f1: average(|it| it.f1),
    }
}

worded! {
    name;
    /// A number of [`Classified`] that has an interval.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Against {
        Accuracy = "accuracy",
        MacroPrecision = "macro_precision",
        MacroRecall = "macro_recall",
        MacroF1 = "macro_f1",
        WeightedF1 = "weighted_f1",
    }
}

impl Against {
    /// Of a table whose rows are the reference.
    pub fn of(self, table: &Table, zero: ZeroDivision) -> Value {
        let found = classified(table, zero);
        match self {
            Self::Accuracy => found.accuracy,
            Self::MacroPrecision => found.macro_average.precision,
            Self::MacroRecall => found.macro_average.recall,
            Self::MacroF1 => found.macro_average.f1,
            Self::WeightedF1 => found.weighted.f1,
        }
    }
}

/// What counts as positive on a scale: `>=3`, `>2`, `<=1`, `<2`, `=4`, `4`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Positive {
    test: Test,
    level: f64,
}

worded! {
    word;
    /// How a score is compared with the level.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Test {
        AtLeast = ">=",
        AtMost = "<=",
        Above = ">",
        Below = "<",
        Is = "=",
    }
}

impl Positive {
    /// None where it is no such condition.
    pub fn parse(words: &str) -> Option<Self> {
        let words = words.trim();
        let stated =
            Test::ALL.into_iter().find_map(|test| Some((test, words.strip_prefix(test.word())?)));
        let (test, level) = stated.unwrap_or((Test::Is, words));
        let level: f64 = level.trim().parse().ok()?;
        level.is_finite().then_some(Self { test, level })
    }

    pub fn holds(self, score: f64) -> bool {
        match self.test {
            Test::AtLeast => score >= self.level,
            Test::AtMost => score <= self.level,
            Test::Above => score > self.level,
            Test::Below => score < self.level,
            Test::Is => score == self.level,
        }
    }
}

impl std::fmt::Display for Positive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.test.word(), self.level)
    }
}

/// Two classes: positive or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binary {
    pub true_positive: u64,
    pub false_positive: u64,
    pub false_negative: u64,
    pub true_negative: u64,
    pub accuracy: Value,
    /// Of the positive class.
    pub scores: Scores,
    /// Of what is negative, the share that the rater gave as such.
    pub specificity: Value,
}

/// Of a table whose rows are the reference.
pub fn binary(table: &Table, positive: Positive) -> Binary {
    let levels = table.levels();
    let count = |is: bool, given: bool| -> f64 {
        let meant = |(a, b, _): &(usize, usize, f64)| {
            positive.holds(levels[*a]) == is && positive.holds(levels[*b]) == given
        };
        table.cells().filter(meant).fold(0.0, |sum, (_, _, count)| sum + count)
    };
    let (tp, fp) = (count(true, true), count(false, true));
    let (fn_, tn) = (count(true, false), count(false, false));
    Binary {
        true_positive: tp as u64,
        false_positive: fp as u64,
        false_negative: fn_ as u64,
        true_negative: tn as u64,
        accuracy: divided(tp + tn, tp + tn + fp + fn_),
        scores: Scores {
            precision: divided(tp, tp + fp),
            recall: divided(tp, tp + fn_),
            f1: divided(2.0 * tp, 2.0 * tp + fp + fn_),
        },
        specificity: divided(tn, tn + fp),
    }
}
