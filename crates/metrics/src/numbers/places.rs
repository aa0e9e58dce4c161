//! The places that show numbers: one list a place, in its order. A list that names a number twice does not compile.

use std::sync::LazyLock;

use super::Number::{self, *};

/// The numbers with a curve.
pub const CURVES: &[Number] = &distinct([
    Erosion, Verbosity, Mass, Loc, Callables, HighCc, MaxCc, Churn, Tests, Tokens, Context, Mcf,
    Rcr, Esr, StaleRate,
]);

/// The numbers that runs are compared by.
#[rustfmt::skip] // names side by side
pub const COMPARED: &[Number] = &distinct([
    Mcf, McfCapped, Dir, If50, Severe, Erosion, Verbosity, Tests, Loc, Tokens, Turns, Mass,
    Callables, HighCc, RigorScore, Signals, MemoryEvents, StaleRate,
]);

/// The numbers of a moment in a comparison: those with a curve first, in its order.
pub static MOMENT: LazyLock<Vec<Number>> = LazyLock::new(|| {
    let with_curve = CURVES.iter().filter(|number| COMPARED.contains(number));
    let is_other = |number: &&Number| COMPARED.contains(number) && !CURVES.contains(number);
    with_curve.chain(Number::ALL.iter().filter(is_other)).copied().collect()
});

/// The printed tables of phases and checkpoints in a comparison.
pub const PHASE_TABLE: &[Number] =
    &distinct([Erosion, Verbosity, Loc, Tests, Tokens, Mcf, Dir, If50]);

/// The numbers of a corpus: runs, paired tests, JSON and CSV.
#[rustfmt::skip] // names side by side
pub const CORPUS: &[Number] = &distinct([
    Mcf, McfCapped, Dir, If50, Erosion, Verbosity, Tests, Tokens, Cost, Turns, RigorScore, Signals,
    MemoryEvents, StaleRate,
]);

/// The printed table of a corpus that has one row a task.
pub const TASK_TABLE: &[Number] = &distinct([Mcf, McfCapped, Dir, If50, Tests]);

/// The numbers whose trend over checkpoints a corpus shows.
pub const TRENDS: &[Number] = &distinct([Erosion, Verbosity]);

/// The numbers of which SLUMP takes differences and shares of the gap.
pub const SLUMP: [Number; 3] = distinct([Mcf, Dir, If50]);

/// The printed table of `score`.
#[rustfmt::skip] // names side by side
pub const SCORE_TABLE: &[Number] = &distinct([
    Files, Loc, Callables, HighCc, MaxCc, Mass, Erosion, FlaggedLines, Verbosity, Dir, Churn,
]);

/// The CSV of `score`.
#[rustfmt::skip] // names side by side
pub const SCORE_CSV: &[Number] = &distinct([
    Files, Lines, Loc, Sloc, Callables, HighCc, MaxCc, MeanCc, Mass, HighMass, Erosion, CloneLines,
    RuleLines, WrapperLines, FlaggedLines, Verbosity, Gini, Churn, Exported, Reused, Dir, Mcf, If50,
    Judged, Unlooked, Unsupported, Components, Rcr, Esr,
]);

/// The printed table that compares recorded with computed values.
pub const RECORDED_TABLE: &[Number] = &distinct([
    Erosion, Verbosity, Mass, Files, Lines, Sloc, Callables, HighCc, MaxCc, MeanCc, CloneLines,
]);

const fn distinct<const COUNT: usize>(numbers: [Number; COUNT]) -> [Number; COUNT] {
    let mut later = 0;
    while later < COUNT {
        let mut earlier = 0;
        while earlier < later {
            let is_same = numbers[earlier] as usize == numbers[later] as usize;
            assert!(!is_same, "a list names a number twice");
            earlier += 1;
        }
        later += 1;
    }
    numbers
}
