//! The measures of agreement by name.

use crate::undefined::{NumberOrReason, Undefined};
use trajview_run::worded_enum::worded;

use super::{
    chance::{self, DisagreementWeights},
    intraclass::{IccForm, VarianceSums},
    rank,
    scale::MeasurementLevel,
    table::{ConfusionTable, LevelBoundary},
};

/// The weights between two levels for [`Coefficient::Ac2`].
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
        /// Cohen's weighted kappa, by the square of the steps.
        KappaQuadratic = "kappa_quadratic",
        /// Pearson's correlation of the ranks, equals sharing the mean rank.
        Spearman = "spearman",
        /// Kendall's tau-b (Biometrika 33, 1945).
        Kendall = "kendall",
        /// Krippendorff's alpha, two raters, with the metric of the scale's [`super::MeasurementLevel`].
        Alpha = "alpha",
        /// Intraclass correlation of single scores, absolute agreement of raters drawn from many: ICC(2,1), McGraw and
        /// Wong's ICC(A,1). Its interval over things is theirs, by quantiles of F.
        Icc21 = "icc_2_1",
        /// Intraclass correlation of single scores, consistency of these raters: ICC(3,1), McGraw and Wong's ICC(C,1).
        Icc31 = "icc_3_1",
        /// Gwet's AC1 (British Journal of Mathematical and Statistical Psychology 61, 2008).
        Ac1 = "ac1",
        /// Gwet's AC2, with [`AC2_WEIGHTS`].
        Ac2 = "ac2",
        /// The share of the pairs with a 2 or a 3 (Simplified, Equivalent) in which one score is 2 and the other 3.
        Boundary23 = "boundary_2_3",
        /// The boundary share for 3 and 4 (Equivalent, Faithful).
        Boundary34 = "boundary_3_4",
    }
}

impl Coefficient {
    /// Returns whether the coefficient is a plain share of pairs, or of those at a boundary. A single pair and a
    /// single level have such shares too.
    pub const fn is_share(self) -> bool {
        matches!(self, Self::Exact | Self::Within1 | Self::Boundary23 | Self::Boundary34)
    }

    /// Returns whether the coefficient counts levels or steps between them, which do not exist where any number may
    /// be given.
    pub(crate) const fn needs_levels(self) -> bool {
        match self {
            Self::Within1
            | Self::Kappa
            | Self::KappaLinear
            | Self::KappaQuadratic
            | Self::Ac1
            | Self::Ac2
            | Self::Boundary23
            | Self::Boundary34 => true,
            Self::Exact
            | Self::Spearman
            | Self::Kendall
            | Self::Alpha
            | Self::Icc21
            | Self::Icc31 => false,
        }
    }

    /// Returns the form of a coefficient that is an intraclass correlation.
    pub(super) const fn icc_form(self) -> Option<IccForm> {
        match self {
            Self::Icc21 => Some(IccForm::Agreement),
            Self::Icc31 => Some(IccForm::Consistency),
            _ => None,
        }
    }

    /// Computes the coefficient of all pairs. It is undefined for one pair and for one level, where chance alone
    /// would agree as fully. Exceptions are the shares and Gwet's coefficients: their chance is that of guessing on
    /// the scale, so that one level throughout gives 1.
    pub fn value_of_sample(self, table: &ConfusionTable) -> NumberOrReason {
        match table.total_pairs() {
            0.0 => Err(Undefined::NoPairs),
            _ if self.lacks_levels(table) => Err(Undefined::AnyNumber),
            _ if self.is_share() => self.formula_value(table),
            1.0 => Err(Undefined::FewerThanTwoPairs),
            _ if table.has_one_level() => self.value_for_one_level(),
            _ => self.formula_value(table),
        }
    }

    const fn value_for_one_level(self) -> NumberOrReason {
        match self {
            Self::Ac1 | Self::Ac2 => Ok(1.0),
            _ => Err(Undefined::OneLevel),
        }
    }

    fn lacks_levels(self, table: &ConfusionTable) -> bool {
        table.measurement() == MeasurementLevel::Interval && self.needs_levels()
    }

    /// Computes the plain formula, as it is applied to resamples.
    pub(crate) fn formula_value(self, table: &ConfusionTable) -> NumberOrReason {
        if self.lacks_levels(table) {
            return Err(Undefined::AnyNumber);
        }
        match self {
            Self::Exact => share_of_pairs(table, |a, b| a == b),
            Self::Within1 => share_of_pairs(table, |a, b| (a - b).abs() <= 1.0),
            Self::Kappa => chance::cohen_kappa(table, DisagreementWeights::Same),
            Self::KappaLinear => chance::cohen_kappa(table, DisagreementWeights::Linear),
            Self::KappaQuadratic => chance::cohen_kappa(table, DisagreementWeights::Quadratic),
            Self::Spearman => rank::spearman_rho(table),
            Self::Kendall => rank::kendall_tau_b(table),
            Self::Alpha => rank::table_alpha(table),
            Self::Icc21 => VarianceSums::for_table(table).coefficient(IccForm::Agreement),
            Self::Icc31 => VarianceSums::for_table(table).coefficient(IccForm::Consistency),
            Self::Ac1 => chance::gwet_ac1(table),
            Self::Ac2 => chance::gwet_ac2(table),
            Self::Boundary23 | Self::Boundary34 => match self.boundary_in(table) {
                Some(boundary) if table.total_pairs() > 0.0 => boundary.share(),
                _ => Err(Undefined::NoPairs),
            },
        }
    }

    /// Returns the pairs that it counts; None for a coefficient that is not of a boundary between two levels.
    pub fn boundary_in(self, table: &ConfusionTable) -> Option<LevelBoundary> {
        match self {
            Self::Boundary23 => Some(table.boundary_between(2.0, 3.0)),
            Self::Boundary34 => Some(table.boundary_between(3.0, 4.0)),
            _ => None,
        }
    }
}

/// Returns the share of pairs whose two scores satisfy `is_so`.
fn share_of_pairs(table: &ConfusionTable, is_so: impl Fn(f64, f64) -> bool) -> NumberOrReason {
    let total = table.total_pairs();
    if total == 0.0 {
        return Err(Undefined::NoPairs);
    }
    let levels = table.levels();
    let counted = table.filled_cells().filter(|(a, b, _)| is_so(levels[*a], levels[*b]));
    // From 0 and not by `sum`, whose nothing is -0.
    Ok(counted.fold(0.0, |sum, (_, _, count)| sum + count) / total)
}
