//! The calibration table of the SLUMP paper: each of two humans against the judge, then the humans against each other.
//!
//! Who the three are is said with `--raters`, or follows where there are two humans and one judge. In a table of
//! scores nobody says what a column is; there a column called `judge` among three is the judge.

use serde::Serialize;
use std::io;

use crate::cli::{
    Failure,
    output::{Form, Out, Table},
};
use trajview_run::named::{self, Miss};
use trajview_study::{
    Coefficient, Interval, Undefined,
    agreement::Boundary,
    raters::{Kind, Panel, Rater},
};

use super::{
    document::{Calibration, Document, PairRow},
    tables,
    written::section,
};

/// What the columns are, and what they are called.
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
const FIRST: usize = 4;

/// The three raters alone: first and second human, then the judge.
///
/// # Errors
///
/// A sentence that lists the raters, where it is not plain who is meant.
pub fn chosen(panel: Panel, wanted: &[String]) -> Result<(Panel, Calibration), Failure> {
    let [first, second, judge] = three(&panel, wanted)
        .map_err(|why| Failure::wrong(format!("{why}; {}", listed(&panel))))?;
    let mut raters: Vec<Option<Rater>> = panel.raters.into_iter().map(Some).collect();
    let mut take = |at: usize, kind: Kind| {
        let rater = raters.get_mut(at).and_then(Option::take);
        rater.map(|rater| Rater { kind, ..rater })
    };
    let kept = [take(first, Kind::Human), take(second, Kind::Human), take(judge, Kind::Judge)];
    let kept: Vec<Rater> = kept.into_iter().flatten().collect();
    let name = |at: usize| kept.get(at).map(|rater| rater.name.clone()).unwrap_or_default();
    let calibration = Calibration { first: name(0), second: name(1), judge: name(2) };
    Ok((Panel { raters: kept, problems: panel.problems }, calibration))
}

/// By number.
fn three(panel: &Panel, wanted: &[String]) -> Result<[usize; 3], String> {
    let three = match wanted {
        [] => by_kind(panel)?,
        [first, second, judge] => {
            [by_name(panel, first)?, by_name(panel, second)?, by_name(panel, judge)?]
        }
        others => {
            return Err(format!("--raters names {}, not two humans and a judge", others.len()));
        }
    };
    let [first, second, judge] = three;
    let is_apart = first != second && first != judge && second != judge;
    if is_apart { Ok(three) } else { Err("--raters names one rater twice".into()) }
}

fn by_kind(panel: &Panel) -> Result<[usize; 3], String> {
    let of = |kind: Kind| -> Vec<usize> {
        let raters = panel.raters.iter().enumerate();
        raters.filter(|(_, rater)| rater.kind == kind).map(|(at, _)| at).collect()
    };
    let (humans, judges, unknown) = (of(Kind::Human), of(Kind::Judge), of(Kind::Unknown));
    if let ([first, second], [judge]) = (humans.as_slice(), judges.as_slice()) {
        return Ok([*first, *second, *judge]);
    }
    let is_judge =
        |at: &usize| panel.raters.get(*at).is_some_and(|it| it.name.eq_ignore_ascii_case("judge"));
    let (judges, others): (Vec<usize>, Vec<usize>) = unknown.into_iter().partition(is_judge);
    match (panel.raters.len(), judges.as_slice(), others.as_slice()) {
        (3, [judge], [first, second]) => Ok([*first, *second, *judge]),
        _ => Err("say who is meant with --raters FIRST,SECOND,JUDGE: there are not just two \
                  humans and one judge"
            .into()),
    }
}

/// As every command names somebody ([`named::by_name`]).
fn by_name(panel: &Panel, word: &str) -> Result<usize, String> {
    let names: Vec<&str> = panel.raters.iter().map(|rater| rater.name.as_str()).collect();
    named::by_name(word, &names).map_err(|miss| match miss {
        Miss::None => format!("--raters: there is no {:?}", word.trim()),
        Miss::Several(_) => format!("--raters: several begin with {:?}", word.trim()),
    })
}

fn listed(panel: &Panel) -> String {
    let said =
        |rater: &Rater| format!("{} ({}, {})", rater.name, rater.kind.name(), rater.scores.len());
    match panel.raters.as_slice() {
        [] => "there are no raters".into(),
        raters => format!(
            "the raters, with how many they scored: {}",
            raters.iter().map(said).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The table, cut in two where the terminal is narrower than it; then base rates and what is to be known beside them.
pub fn print(document: &Document, form: Form, out: &mut Out) -> io::Result<()> {
    out.sentence(&tables::head(document))?;
    if form != Form::Text {
        section("", &flat(document), out)?;
    } else {
        let whole = stacked(document, &COLUMNS);
        if out.columns().is_none_or(|columns| whole.width() <= columns) {
            section("", &whole, out)?;
        } else {
            let (first, second) = COLUMNS.split_at(FIRST);
            section("", &stacked(document, first), out)?;
            section("", &stacked(document, second), out)?;
        }
    }
    section("share of each level", &base_rates(document), out)?;
    tables::print_notes(document, out)
}

/// Each interval in the row below its value.
fn stacked(document: &Document, columns: &[(Coefficient, &'static str)]) -> Table {
    let heads = columns.iter().map(|(_, head)| format!(">{head}"));
    let mut table =
        Table::headed(["raters".into(), ">n".into()].into_iter().chain(heads).collect());
    for pair in &document.pairs {
        let mut values = vec![tables::between(pair), pair.measures.agreement.n.to_string()];
        let mut intervals = vec![String::new(), String::new()];
        for (coefficient, _) in columns {
            let (value, interval) = cell(pair, *coefficient);
            values.push(value);
            intervals.push(interval);
        }
        table.row(values);
        if intervals.iter().any(|words| !words.is_empty()) {
            table.row(intervals);
        }
    }
    table
}

/// One row for every two raters.
fn flat(document: &Document) -> Table {
    let heads = COLUMNS.iter().map(|(_, head)| format!(">{head}"));
    let mut table =
        Table::headed(["raters".into(), ">n".into()].into_iter().chain(heads).collect());
    for pair in &document.pairs {
        let said = |(coefficient, _): &(Coefficient, &str)| {
            let (value, interval) = cell(pair, *coefficient);
            format!("{value} {interval}").trim_end().to_owned()
        };
        let first = [tables::between(pair), pair.measures.agreement.n.to_string()];
        table.row(first.into_iter().chain(COLUMNS.iter().map(said)).collect());
    }
    table
}

/// `0.77` and `[0.63, 0.88]`; of a boundary `1/56 (0.02)`.
fn cell(pair: &PairRow, coefficient: Coefficient) -> (String, String) {
    let estimate = pair.measures.agreement.estimate(coefficient);
    let value = match (estimate.value, boundary(pair, coefficient)) {
        (Ok(share), Some(boundary)) => format!("{boundary} ({share:.2})"),
        (Ok(value), None) => format!("{value:.2}"),
        (Err(_), _) => "-".into(),
    };
    let interval = estimate.interval.map(|Interval { low, high }| format!("[{low:.2}, {high:.2}]"));
    (value, interval.unwrap_or_default())
}

/// A row for each rater, from the lowest level to the highest; several where it is not held against the others on the
/// same things.
fn base_rates(document: &Document) -> Table {
    let heads = document.levels.iter().map(|level| format!(">{level}"));
    let mut table = Table::headed(["rater".into(), ">n".into()].into_iter().chain(heads).collect());
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
    rows.into_iter().for_each(|row| table.row(row));
    table
}

/// A column of two raters, in a row of a CSV.
#[derive(Serialize)]
struct CsvRow<'a> {
    raters: String,
    a: &'a str,
    b: &'a str,
    n: usize,
    measure: &'static str,
    value: Option<f64>,
    ci95: Option<Interval>,
    count: Option<u64>,
    /// What the count is out of.
    of: Option<u64>,
    why: Option<Undefined>,
}

/// A row for every two raters and column. Empty cells are not defined, or no count.
pub fn csv(document: &Document, out: &mut Out) -> io::Result<()> {
    let rows = document.pairs.iter().flat_map(|pair| COLUMNS.map(|(it, _)| csv_row(pair, it)));
    out.csv("raters a b n measure value ci95_low=ci95.0 ci95_high=ci95.1 count why of", rows)
}

fn csv_row(pair: &PairRow, coefficient: Coefficient) -> CsvRow<'_> {
    let agreement = &pair.measures.agreement;
    let estimate = agreement.estimate(coefficient);
    CsvRow {
        raters: tables::between(pair),
        a: &pair.a,
        b: &pair.b,
        n: agreement.n,
        measure: coefficient.name(),
        value: estimate.value.ok(),
        ci95: estimate.interval.ok(),
        count: boundary(pair, coefficient).map(|it| it.count),
        of: boundary(pair, coefficient).map(|it| it.of),
        why: estimate.value.err(),
    }
}

/// How many scores lie on different sides of a boundary, and of how many.
fn boundary(pair: &PairRow, coefficient: Coefficient) -> Option<Boundary> {
    coefficient.boundary(&pair.measures.agreement.table)
}
