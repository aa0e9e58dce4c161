//! Agreement by order: Spearman's rho, Kendall's tau-b, Krippendorff's alpha.

use crate::{
    krippendorff::{krippendorff_alpha, ordinal_distance},
    undefined::{NumberOrReason, Undefined},
};

use super::{
    MeasurementLevel,
    table::{ConfusionTable, LevelMargins},
};

/// Computes Pearson's correlation of mean ranks.
pub fn spearman_rho(table: &ConfusionTable) -> NumberOrReason {
    let total = table.total_pairs();
    let LevelMargins { a, b } = table.level_margins();
    let centre = (total + 1.0) / 2.0;
    let (ranks_a, ranks_b) = (mean_ranks(&a), mean_ranks(&b));
    let spread = |counts: &[f64], ranks: &[f64]| -> f64 {
        counts.iter().zip(ranks).map(|(count, rank)| count * (rank - centre).powi(2)).sum()
    };
    let squares = spread(&a, &ranks_a) * spread(&b, &ranks_b);
    let together: f64 = table
        .filled_cells()
        .map(|(a, b, count)| count * (ranks_a[a] - centre) * (ranks_b[b] - centre))
        .sum();
    bounded_correlation(total, together, squares)
}

/// Returns for each level the rank that all its scores share.
fn mean_ranks(counts: &[f64]) -> Vec<f64> {
    let mut before = 0.0;
    let mut rank = |count: &f64| {
        let rank = before + (count + 1.0) / 2.0;
        before += count;
        rank
    };
    counts.iter().map(&mut rank).collect()
}

/// Computes the pairs of pairs in one order less those in opposite order, over those that are tied for neither rater.
pub(crate) fn kendall_tau_b(table: &ConfusionTable) -> NumberOrReason {
    let total = table.total_pairs();
    let LevelMargins { a, b } = table.level_margins();
    let size = table.levels().len();
    // For each column, the count in the rows above; from it follow the counts before and after a column.
    let mut above = vec![0.0; size];
    let mut together = 0.0;
    for row in 0..size {
        let all: f64 = above.iter().sum();
        let mut before = 0.0;
        for (column, above_here) in above.iter().enumerate() {
            let after = all - before - above_here;
            together += table.pair_count(row, column) * (before - after);
            before += above_here;
        }
        above
            .iter_mut()
            .enumerate()
            .for_each(|(column, count)| *count += table.pair_count(row, column));
    }
    let pairs = |count: f64| count * (count - 1.0) / 2.0;
    let untied =
        |counts: &[f64]| pairs(total) - counts.iter().map(|count| pairs(*count)).sum::<f64>();
    bounded_correlation(total, together, untied(&a) * untied(&b))
}

/// Computes `together / sqrt(squares)`, -1 to 1.
fn bounded_correlation(total: f64, together: f64, squares: f64) -> NumberOrReason {
    match (total, squares) {
        (0.0, _) => Err(Undefined::NoPairs),
        (1.0, _) => Err(Undefined::FewerThanTwoPairs),
        (_, squares) if squares <= 0.0 => Err(Undefined::NoVariance),
        _ => Ok((together / squares.sqrt()).clamp(-1.0, 1.0)),
    }
}

/// Computes Krippendorff's alpha over all scores of both raters together. On an ordinal scale two levels are as far
/// apart as there are scores between them, those on either end counting half, on an interval scale by the difference of
/// their numbers; the square of that. On a nominal one every two are alike.
pub(crate) fn table_alpha(table: &ConfusionTable) -> NumberOrReason {
    let LevelMargins { a, b } = table.level_margins();
    let counts: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let numbers = table.levels();
    let by_order = ordinal_distance(&counts);
    let distance = |a: usize, b: usize| match table.measurement() {
        MeasurementLevel::Nominal => f64::from(u8::from(a != b)),
        MeasurementLevel::Ordinal => by_order(a, b),
        MeasurementLevel::Interval => (numbers[a] - numbers[b]).powi(2),
    };
    krippendorff_alpha(&counts, &distance, |distance| {
        table.filled_cells().map(|(a, b, count)| 2.0 * count * distance(a, b)).sum()
    })
}
