//! The calibration table of the SLUMP paper: each of two humans against the judge, then the humans against each other.
//!
//! The three raters are named with `--raters`, or follow where there are two humans and one judge. A table of scores
//! does not record the kind of a column; there a column called `judge` among three is the judge.

use std::io;

use crate::cli::{
    CommandFailure,
    output::{Json, Out, OutputTable, TableForm, record},
};
use trajview_run::find_by_name::{self, NameMiss};
use trajview_study::{
    Coefficient, Interval,
    agreement::LevelBoundary,
    raters::{Rater, RaterKind, RaterPanel},
};

use super::{
    document::{AgreeDocument, Calibration, RaterPairRow},
    number_text::print_section,
    tables,
};

/// The measures that are columns of the table, each with its head.
const COLUMNS: [(Coefficient, &str); 7] = [
    (Coefficient::Exact, "exact"),
    (Coefficient::Within1, "within 1"),
    (Coefficient::KappaQuadratic, "kappa (quad.)"),
    (Coefficient::Spearman, "Spearman"),
    (Coefficient::Kendall, "Kendall tau-b"),
    (Coefficient::Boundary23, "2/3 differ"),
    (Coefficient::Boundary34, "3/4 differ"),
];

/// Columns of the first of two tables, where one is wider than the terminal.
const FIRST_TABLE_COLUMNS: usize = 4;

/// Selects the three raters: first and second human, then the judge.
///
/// # Errors
///
/// A sentence that lists the raters if the selection is ambiguous.
pub(crate) fn select_calibration_raters(
    panel: RaterPanel,
    names: &[String],
) -> Result<(RaterPanel, Calibration), CommandFailure> {
    let [first, second, judge] = calibration_rater_indices(&panel, names).map_err(|why| {
        CommandFailure::wrong_arguments(format!("{why}; {}", rater_list_text(&panel)))
    })?;
    let mut raters: Vec<Option<Rater>> = panel.raters.into_iter().map(Some).collect();
    let mut take = |at: usize, kind: RaterKind| {
        let rater = raters.get_mut(at).and_then(Option::take);
        rater.map(|rater| Rater { kind, ..rater })
    };
    let select_calibration_raters = [
        take(first, RaterKind::Human),
        take(second, RaterKind::Human),
        take(judge, RaterKind::Judge),
    ];
    let chosen_raters: Vec<Rater> = select_calibration_raters.into_iter().flatten().collect();
    let name =
        |at: usize| chosen_raters.get(at).map(|rater| rater.name.clone()).unwrap_or_default();
    let calibration = Calibration { first: name(0), second: name(1), judge: name(2) };
    Ok((RaterPanel { raters: chosen_raters, problems: panel.problems }, calibration))
}

/// Returns the indices of the three raters in the panel: first and second human, then the judge.
fn calibration_rater_indices(panel: &RaterPanel, wanted: &[String]) -> Result<[usize; 3], String> {
    let calibration_rater_indices = match wanted {
        [] => rater_indices_by_kind(panel)?,
        [first, second, judge] => [
            rater_index_by_name(panel, first)?,
            rater_index_by_name(panel, second)?,
            rater_index_by_name(panel, judge)?,
        ],
        others => {
            return Err(format!("--raters names {}, not two humans and a judge", others.len()));
        }
    };
    let [first, second, judge] = calibration_rater_indices;
    let is_apart = first != second && first != judge && second != judge;
    if is_apart {
        Ok(calibration_rater_indices)
    } else {
        Err("--raters names one rater twice".into())
    }
}

fn rater_indices_by_kind(panel: &RaterPanel) -> Result<[usize; 3], String> {
    let indices_of_kind = |kind: RaterKind| -> Vec<usize> {
        let raters = panel.raters.iter().enumerate();
        raters.filter(|(_, rater)| rater.kind == kind).map(|(at, _)| at).collect()
    };
    let (humans, judges, unknown) = (
        indices_of_kind(RaterKind::Human),
        indices_of_kind(RaterKind::Judge),
        indices_of_kind(RaterKind::Unknown),
    );
    if let ([first, second], [judge]) = (humans.as_slice(), judges.as_slice()) {
        return Ok([*first, *second, *judge]);
    }
    let is_judge =
        |at: &usize| panel.raters.get(*at).is_some_and(|it| it.name.eq_ignore_ascii_case("judge"));
    let (judges, others): (Vec<usize>, Vec<usize>) = unknown.into_iter().partition(is_judge);
    match (panel.raters.len(), judges.as_slice(), others.as_slice()) {
        (3, [judge], [first, second]) => Ok([*first, *second, *judge]),
        _ => Err("name them with --raters FIRST,SECOND,JUDGE: there are not exactly two \
                  humans and one judge"
            .into()),
    }
}

/// Finds a rater by the beginning of a name, as every command does ([`find_by_name::position_by_name`]).
fn rater_index_by_name(panel: &RaterPanel, word: &str) -> Result<usize, String> {
    let names: Vec<&str> = panel.raters.iter().map(|rater| rater.name.as_str()).collect();
    find_by_name::position_by_name(word, &names).map_err(|miss| match miss {
        NameMiss::None => format!("--raters: no rater {:?}", word.trim()),
        NameMiss::Several(_) => format!("--raters: several begin with {:?}", word.trim()),
    })
}

fn rater_list_text(panel: &RaterPanel) -> String {
    let rater_text =
        |rater: &Rater| format!("{} ({}, {})", rater.name, rater.kind.name(), rater.scores.len());
    match panel.raters.as_slice() {
        [] => "no raters".into(),
        raters => format!(
            "the raters, with how many they scored: {}",
            raters.iter().map(rater_text).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Prints the table, cut in two where the terminal is narrower than it; then base rates and notes.
pub(crate) fn print_table(
    document: &AgreeDocument,
    form: TableForm,
    out: &mut Out,
) -> io::Result<()> {
    out.print_sentence(&tables::head_line(document))?;
    if form != TableForm::Text {
        print_section("", &flat_table(document), out)?;
    } else {
        let wide_table = stacked_table(document, &COLUMNS);
        if out.terminal_columns().is_none_or(|columns| wide_table.total_width() <= columns) {
            print_section("", &wide_table, out)?;
        } else {
            let (first, second) = COLUMNS.split_at(FIRST_TABLE_COLUMNS);
            print_section("", &stacked_table(document, first), out)?;
            print_section("", &stacked_table(document, second), out)?;
        }
    }
    print_section("share of each level", &base_rates(document), out)?;
    tables::print_notes(document, out)
}

/// Returns a table with each interval in the row below its value.
fn stacked_table(document: &AgreeDocument, columns: &[(Coefficient, &'static str)]) -> OutputTable {
    let heads = columns.iter().map(|(_, head)| format!(">{head}"));
    let mut table =
        OutputTable::with_heads(["raters".into(), ">n".into()].into_iter().chain(heads).collect());
    for pair in &document.pairs {
        let mut values = vec![tables::pair_name(pair), pair.measures.agreement.n.to_string()];
        let mut intervals = vec![String::new(), String::new()];
        for (coefficient, _) in columns {
            let (value, interval) = value_and_interval(pair, *coefficient);
            values.push(value);
            intervals.push(interval);
        }
        table.add_row(values);
        if intervals.iter().any(|words| !words.is_empty()) {
            table.add_row(intervals);
        }
    }
    table
}

/// Returns one row for every two raters.
fn flat_table(document: &AgreeDocument) -> OutputTable {
    let heads = COLUMNS.iter().map(|(_, head)| format!(">{head}"));
    let mut table =
        OutputTable::with_heads(["raters".into(), ">n".into()].into_iter().chain(heads).collect());
    for pair in &document.pairs {
        let cell_text = |(coefficient, _): &(Coefficient, &str)| {
            let (value, interval) = value_and_interval(pair, *coefficient);
            format!("{value} {interval}").trim_end().to_owned()
        };
        let first = [tables::pair_name(pair), pair.measures.agreement.n.to_string()];
        table.add_row(first.into_iter().chain(COLUMNS.iter().map(cell_text)).collect());
    }
    table
}

/// Returns `0.77` and `[0.63, 0.88]`; of a boundary `1/56 (0.02)`.
fn value_and_interval(pair: &RaterPairRow, coefficient: Coefficient) -> (String, String) {
    let estimate = pair.measures.agreement.estimate_for(coefficient);
    let value = match (estimate.value, pair_boundary(pair, coefficient)) {
        (Ok(share), Some(boundary)) => format!("{boundary} ({share:.2})"),
        (Ok(value), None) => format!("{value:.2}"),
        (Err(_), _) => "-".into(),
    };
    let interval = estimate.interval.map(|Interval { low, high }| format!("[{low:.2}, {high:.2}]"));
    (value, interval.unwrap_or_default())
}

/// Makes a row for each rater, from the lowest level to the highest; a rater has several rows where it is not compared
/// with the others on the same things.
fn base_rates(document: &AgreeDocument) -> OutputTable {
    let heads = document.levels.iter().map(|level| format!(">{level}"));
    let mut table =
        OutputTable::with_heads(["rater".into(), ">n".into()].into_iter().chain(heads).collect());
    let mut rows: Vec<Vec<String>> = vec![];
    for pair in &document.pairs {
        let agreement = &pair.measures.agreement;
        let (a, b) = agreement.table.base_rates();
        for (name, rates) in [(&pair.a, a), (&pair.b, b)] {
            let shares = rates.iter().map(|rate| format!("{:.0} %", rate * 100.0));
            let first = [name.clone(), agreement.n.to_string()];
            let row: Vec<String> = first.into_iter().chain(shares).collect();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    rows.sort_by_key(|row| document.raters.iter().position(|it| row.first() == Some(&it.name)));
    rows.into_iter().for_each(|row| table.add_row(row));
    table
}

/// Writes a row for every two raters and column. Empty cells are not defined, or no count.
pub fn write_csv(document: &AgreeDocument, out: &mut Out) -> io::Result<()> {
    let rows = document.pairs.iter().flat_map(|pair| COLUMNS.map(|(it, _)| csv_row(pair, it)));
    out.print_csv("raters a b n measure value ci95_low=ci95.0 ci95_high=ci95.1 count why of", rows)
}

/// Returns the row of a coefficient in the CSV; `of` is the total that the count is a part of.
fn csv_row(pair: &RaterPairRow, coefficient: Coefficient) -> Json {
    let agreement = &pair.measures.agreement;
    let estimate = agreement.estimate_for(coefficient);
    record! {
        raters: tables::pair_name(pair),
        a: pair.a,
        b: pair.b,
        n: agreement.n,
        measure: coefficient.name(),
        value: estimate.value.ok(),
        ci95: estimate.interval.ok(),
        count: pair_boundary(pair, coefficient).map(|it| it.count),
        of: pair_boundary(pair, coefficient).map(|it| it.total),
        why: estimate.value.err(),
    }
}

/// Counts the scores that lie on different sides of a boundary, and all scores.
fn pair_boundary(pair: &RaterPairRow, coefficient: Coefficient) -> Option<LevelBoundary> {
    coefficient.boundary_in(&pair.measures.agreement.table)
}
