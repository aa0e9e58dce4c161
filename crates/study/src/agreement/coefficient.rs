//! The measures of agreement by name.

use crate::undefined::{Undefined, Value};
use trajview_run::values::worded;

use super::{
    chance::{self, Weights},
    rank,
    scale::Measurement,
    table::{Boundary, Table},
};

/// How far apart two levels are for [`Coefficient::Ac2`].
pub const AC2_WEIGHTS: &str = "quadratic";

worded! {
    name;
    /// A measure of agreement. The higher, the more they agree, except the two boundaries.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Coefficient {
        /// Share of pairs with one score.
        Exact = "exact",
        /// Share of pairs whose scores differ by at most 1.
        Within1 = "within_1",
        /// Cohen's kappa (Educational and Psychological Measurement 20, 1960), every disagreement alike.
        Kappa = "kappa",
        /// Cohen's weighted kappa (Psychological Bulletin 70, 1968), by the steps between the levels.
        KappaLinear = "kappa_linear",
        /// The same by the square of the steps.
        KappaQuadratic = "kappa_quadratic",
        /// Pearson's correlation of the ranks, equals sharing the mean rank.
        Spearman = "spearman",
        /// Kendall's tau-b (Biometrika 33, 1945).
        Kendall = "kendall",
        /// Krippendorff's alpha, two raters, with the metric of the scale's [`super::Measurement`].
        Alpha = "alpha",
        /// Gwet's AC1 (British Journal of Mathematical and Statistical Psychology 61, 2008).
        Ac1 = "ac1",
        /// Gwet's AC2, with [`AC2_WEIGHTS`].
        Ac2 = "ac2",
        /// Of the pairs in which a rater gave 2 or 3 (Simplified, Equivalent) the share of which one is 2 and the other 3.
        Boundary23 = "boundary_2_3",
        /// The same of 3 and 4 (Equivalent, Faithful).
        Boundary34 = "boundary_3_4",
    }
}

impl Coefficient {
    /// Whether it is a plain share of pairs, or of those at a boundary, which a single pair and a single level have too.
    pub const fn is_share(self) -> bool {
        matches!(self, Self::Exact | Self::Within1 | Self::Boundary23 | Self::Boundary34)
    }

    /// Whether it counts levels, or steps between them; there are none where any number may be given.
    pub const fn needs_levels(self) -> bool {
        match self {
            Self::Within1
            | Self::Kappa
            | Self::KappaLinear
            | Self::KappaQuadratic
            | Self::Ac1
            | Self::Ac2
            | Self::Boundary23
            | Self::Boundary34 => true,
            Self::Exact | Self::Spearman | Self::Kendall | Self::Alpha => false,
        }
    }

    /// Of all pairs. Not defined for one pair and for one level, where chance alone would agree as fully; but for the
    /// shares, and for Gwet's, whose chance is that of guessing on the scale and is 0 where one level was all that
    /// both gave: 1.
    pub fn of_whole(self, table: &Table) -> Value {
        match table.total() {
            0.0 => Err(Undefined::NoPairs),
            _ if self.lacks_levels(table) => Err(Undefined::AnyNumber),
            _ if self.is_share() => self.of(table),
            1.0 => Err(Undefined::FewerThanTwoPairs),
            _ if table.has_one_level() => self.of_one_level(),
            _ => self.of(table),
        }
    }

    const fn of_one_level(self) -> Value {
        match self {
            Self::Ac1 | Self::Ac2 => Ok(1.0),
            _ => Err(Undefined::OneLevel),
        }
    }

    fn lacks_levels(self, table: &Table) -> bool {
        table.measurement() == Measurement::Interval && self.needs_levels()
    }

    /// By the formula alone, as it is applied to resamples.
    pub fn of(self, table: &Table) -> Value {
        if self.lacks_levels(table) {
            return Err(Undefined::AnyNumber);
        }
        match self {
            Self::Exact => share(table, |a, b| a == b),
            Self::Within1 => share(table, |a, b| (a - b).abs() <= 1.0),
            Self::Kappa => chance::kappa(table, Weights::Same),
            Self::KappaLinear => chance::kappa(table, Weights::Linear),
            Self::KappaQuadratic => chance::kappa(table, Weights::Quadratic),
            Self::Spearman => rank::spearman(table),
            Self::Kendall => rank::kendall(table),
            Self::Alpha => rank::alpha(table),
            Self::Ac1 => chance::ac1(table),
            Self::Ac2 => chance::ac2(table),
            Self::Boundary23 | Self::Boundary34 => match self.boundary(table) {
                Some(boundary) if table.total() > 0.0 => boundary.share(),
                _ => Err(Undefined::NoPairs),
            },
        }
    }

    /// The pairs that it counts, where it is of a boundary between two levels.
    pub fn boundary(self, table: &Table) -> Option<Boundary> {
        match self {
            Self::Boundary23 => Some(table.boundary(2.0, 3.0)),
            Self::Boundary34 => Some(table.boundary(3.0, 4.0)),
            _ => None,
        }
    }
}

/// Of the pairs whose two scores are so.
fn share(table: &Table, is_so: impl Fn(f64, f64) -> bool) -> Value {
    let total = table.total();
    if total == 0.0 {
        return Err(Undefined::NoPairs);
    }
    let levels = table.levels();
    let counted = table.cells().filter(|(a, b, _)| is_so(levels[*a], levels[*b]));
    // From 0 and not by `sum`, whose nothing is -0.
    Ok(counted.fold(0.0, |sum, (_, _, count)| sum + count) / total)
}
