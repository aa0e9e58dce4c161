//! Agreement for people, in the layout of SLUMP's calibration table: a row for every two raters.

use std::io;

use serde::Serialize;

use crate::cli::output::{Out, Table, tell};
use trajview_run::Warning;
use trajview_study::{
    Agreement, Coefficient, Estimate, Interval, Undefined,
    agreement::drawn::Twice,
    raters::{Kind, LabelsOf},
};

use super::{
    document::{AloneRow, Document, Measures, PairRow, PartOf, PartRow, RaterRow},
    panel,
    parts::By,
    reference::{self, AgainstRow, Reference, binary_table, class_table, whole_table},
    written::{ends, section, with_interval},
};

/// Above a table of intervals that are drawn over runs.
const BY_RUN: &str = "95 % intervals drawn over runs, each whole";

/// The measures of the first table; those of the second are the rest.
const MAIN: [Coefficient; 4] =
    [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic, Coefficient::Spearman];

/// More levels than this are not listed one by one.
const MOST_LEVELS: usize = 6;

/// `is_whole`: with the confusion matrices and what raters disagree on.
pub fn print(document: &Document, by: Option<By>, is_whole: bool, out: &mut Out) -> io::Result<()> {
    out.sentence(&head(document))?;
    let mut show = |title: &str, table: &Table| section(title, table, out);
    show("", &main_table(document))?;
    show("", &other_table(document))?;
    let by_run = |shown: Option<Table>| shown.map(|table| (BY_RUN, table));
    if let Some((title, table)) = by_run(by_run_table(document)) {
        show(title, &table)?;
    }
    if document.panel.iter().any(|row| row.raters.len() > 2) {
        let title = "several raters at once: things that at least two scored (available), those that all did (complete)";
        show(title, &panel::table(&document.panel))?;
        if let Some((title, table)) = by_run(panel::by_run(&document.panel)) {
            show(title, &table)?;
        }
    }
    if let Some(reference) = &document.reference {
        against(reference, by, &mut show)?;
    }
    if let Some(by) = by {
        for pair in &document.pairs {
            show(
                &format!("{} by {}", between(pair), by.noun()),
                &parts_table(document, by, parts_of(by, pair)),
            )?;
        }
    }
    if is_whole {
        for pair in &document.pairs {
            show(
                &format!("{}: scores of {} down, of {} across", between(pair), pair.a, pair.b),
                &confusion(document, pair),
            )?;
            if !pair.disagreements.is_empty() {
                show(&format!("{}: where they differ", between(pair)), &disagreements(pair))?;
            }
        }
    }
    print_notes(document, out)
}

/// The tables of a reference.
fn against<'a>(
    reference: &'a Reference,
    by: Option<By>,
    show: &mut impl FnMut(&str, &Table) -> io::Result<()>,
) -> io::Result<()> {
    let Reference { name, kind, zero_division, raters, .. } = reference;
    let kind = match *kind {
        kind if kind == name || kind == Kind::Unknown.name() => String::new(),
        kind => format!(" ({kind})"),
    };
    let rows = || raters.iter().map(|row| (vec![row.rater.clone()], &row.measures));
    let zero = match *zero_division {
        "undefined" => "classes without a value are left out of averages".to_owned(),
        number => format!("classes without a value count as {number} in averages"),
    };
    show(&format!("against {name}{kind}; {zero}"), &whole_table(&["rater"], rows()))?;
    if let Some(table) = reference::by_run_table(&["rater"], rows()) {
        show(BY_RUN, &table)?;
    }
    show(&format!("against {name}, class by class"), &class_table(&["rater"], rows()))?;
    if let Some(table) = binary_table(&["rater"], rows()) {
        let positive = reference.positive.as_deref().unwrap_or_default();
        show(&format!("against {name}, positive is {positive}"), &table)?;
    }
    let Some(by) = by else { return Ok(()) };
    let of = |(row, part): (&'a AgainstRow, &'a reference::PartRow)| {
        (vec![row.rater.clone(), part.name.clone()], &part.measures)
    };
    let parts = raters.iter().flat_map(|row| row.parts.iter().map(move |part| (row, part)));
    let names = ["rater", by.noun()];
    show(&format!("against {name} by {}", by.noun()), &whole_table(&names, parts.map(of)))
}

/// What is to be known beside the tables, below a blank line.
pub fn print_notes(document: &Document, out: &mut Out) -> io::Result<()> {
    let notes = notes(document);
    if !notes.is_empty() {
        out.line("")?;
    }
    notes.iter().try_for_each(|note| out.sentence(note))
}

/// How many raters, the levels, and how intervals are made.
pub fn head(document: &Document) -> String {
    let levels = match document.levels.as_slice() {
        [first, .., last] if document.levels.len() > MOST_LEVELS => format!("{first} to {last}"),
        levels => levels.iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
    };
    let runs = document.runs.iter().filter(|run| !run.is_empty()).count();
    let of = match runs {
        0 => String::new(),
        1 => " of 1 run".into(),
        count => format!(" of {count} runs"),
    };
    let intervals = match document.drawn.resamples {
        0 => "no intervals".into(),
        count => format!("95 % intervals, BCa, {count} resamples, seed {}", document.drawn.seed),
    };
    let raters = document.raters.len();
    let part = document.of.words.as_ref().map(|words| format!(" · {words}")).unwrap_or_default();
    let alpha = match document.of.alpha_level {
        "interval" => " · alpha of intervals",
        _ => "",
    };
    format!("{raters} raters{of}{part} · levels {levels}{alpha} · {intervals}")
}

/// `A1 - judge`
pub fn between(pair: &PairRow) -> String {
    format!("{} - {}", pair.a, pair.b)
}

fn main_table(document: &Document) -> Table {
    let row = |pair: &PairRow| main_row(between(pair), &pair.measures, document);
    main_rows("raters", document.pairs.iter().map(row))
}

/// Rows of [`MAIN`] and of the base rates.
fn main_rows(of: &str, rows: impl Iterator<Item = Vec<String>>) -> Table {
    let heads = [of, ">n", "exact", "within 1", "kappa (quadratic)", "Spearman"];
    let rates = ["base rate of the first", "of the second"];
    let mut table = Table::headed(heads.into_iter().chain(rates).map(str::to_owned).collect());
    rows.for_each(|row| table.row(row));
    table
}

fn main_row(name: String, measures: &Measures, document: &Document) -> Vec<String> {
    let agreement = &measures.agreement;
    let mut cells = vec![name, agreement.n.to_string()];
    cells.extend(MAIN.map(|it| with_interval(agreement.estimate(it))));
    let (a, b) = agreement.table.base_rates();
    cells.extend([a, b].map(|rates| base_rate(&rates, &document.levels)));
    cells
}

fn other_table(document: &Document) -> Table {
    let heads =
        ["raters", "kappa", "kappa (linear)", "Kendall", "alpha", "AC1", "AC2", "2-3", "3-4"];
    let mut table = Table::new(&heads);
    for pair in &document.pairs {
        let rest = Coefficient::ALL.into_iter().filter(|it| !MAIN.contains(it));
        let cells = rest.map(|it| measured(&pair.measures.agreement, it));
        table.row(std::iter::once(between(pair)).chain(cells).collect());
    }
    table
}

/// `0.77 [0.63, 0.88]`; of a boundary what it counts before it: `1/56 0.02 [0.00, 0.08]`.
fn measured(agreement: &Agreement, coefficient: Coefficient) -> String {
    let estimate = agreement.estimate(coefficient);
    match coefficient.boundary(&agreement.table).filter(|_| estimate.value.is_ok()) {
        Some(boundary) => format!("{boundary} {}", with_interval(estimate)),
        None => with_interval(estimate),
    }
}

/// The intervals that are drawn over runs; None where there are none.
fn by_run_table(document: &Document) -> Option<Table> {
    let shown = MAIN.into_iter().chain([Coefficient::Kappa, Coefficient::Alpha]);
    let shown: Vec<Coefficient> = shown.collect();
    let heads = ["exact", "within 1", "kappa (quadratic)", "Spearman", "kappa", "alpha"];
    let heads = ["raters", ">n", ">runs"].into_iter().chain(heads);
    let mut table = Table::headed(heads.map(String::from).collect());
    let mut is_any = false;
    for pair in &document.pairs {
        let Some(intervals) = &pair.by_runs else { continue };
        if intervals.values().all(Option::is_none) {
            continue;
        }
        let cells = shown.iter().map(|it| ends(intervals.get(it.name()).copied().flatten()));
        let first = [between(pair), pair.measures.agreement.n.to_string(), pair.runs.to_string()];
        table.row(first.into_iter().chain(cells).collect());
        is_any = true;
    }
    is_any.then_some(table)
}

/// Shares in percent, from the lowest level to the highest; of a long scale only the most frequent one.
fn base_rate(rates: &[f64], levels: &[f64]) -> String {
    let percent = |rate: &f64| format!("{:.0}", rate * 100.0);
    if rates.len() <= MOST_LEVELS {
        return rates.iter().map(percent).collect::<Vec<_>>().join(" ") + " %";
    }
    let most = levels.iter().zip(rates).max_by(|a, b| a.1.total_cmp(b.1));
    most.map_or_else(|| "-".into(), |(level, rate)| format!("{level}: {} %", percent(rate)))
}

/// The rows of such parts.
fn parts_of(by: By, pair: &PairRow) -> &[PartRow] {
    match by {
        By::Run => &pair.by_run,
        By::Component => &pair.by_component,
        By::Rubric => &pair.by_rubric,
    }
}

fn parts_table(document: &Document, by: By, parts: &[PartRow]) -> Table {
    let row = |part: &PartRow| main_row(part.name.clone(), &part.measures, document);
    main_rows(by.noun(), parts.iter().map(row))
}

fn confusion(document: &Document, pair: &PairRow) -> Table {
    let heads = document.levels.iter().map(|level| format!(">{level}"));
    let mut table = Table::headed(std::iter::once(String::new()).chain(heads).collect());
    for (level, row) in document.levels.iter().zip(pair.measures.agreement.table.rows()) {
        let counts = row.iter().map(u64::to_string);
        table.row(std::iter::once(level.to_string()).chain(counts).collect());
    }
    table
}

fn disagreements(pair: &PairRow) -> Table {
    let heads = ["component", "run", ">first", ">second", "open it with"];
    let has_hints = pair.disagreements.iter().any(|it| it.open.is_some());
    let mut table = Table::new(&heads[..heads.len() - usize::from(!has_hints)]);
    for it in &pair.disagreements {
        let cells = [it.component.clone(), it.run.clone(), it.a.to_string(), it.b.to_string()];
        let hint = has_hints.then(|| it.open.clone().unwrap_or_default());
        table.row(cells.into_iter().chain(hint).collect());
    }
    table
}

/// What is not defined and why, what only one has scored, and what was left out.
fn notes(document: &Document) -> Vec<String> {
    let mut notes = vec![];
    notes.extend(labels(document));
    for pair in &document.pairs {
        notes.extend(undefined(pair).into_iter().map(|why| format!("{}: {why}", between(pair))));
    }
    notes.extend(panel::undefined(&document.panel));
    for pair in &document.pairs {
        notes.extend(pair.measures.warning().map(|why| format!("{}: {why}", between(pair))));
    }
    notes.extend(panel::warnings(&document.panel));
    notes.extend(document.reference.iter().filter_map(|it| it.warning.clone()));
    notes.extend(alone(document));
    notes.extend(document.problems.iter().map(|it| format!("left out: {}: {}", it.place, it.what)));
    notes
}

/// How many labels are blind: `labels of ana: 12 blind, 3 not blind`.
fn labels(document: &Document) -> Vec<String> {
    let mut all: Vec<(&str, Vec<String>)> = vec![];
    for rater in &document.raters {
        let Some(LabelsOf { annotator, sight }) = &rater.labels else { continue };
        let words = format!("{} {}", rater.scores, sight.words());
        match all.iter_mut().find(|(known, _)| known == annotator) {
            Some((_, said)) => said.push(words),
            None => all.push((annotator, vec![words])),
        }
    }
    all.into_iter().map(|(who, said)| format!("labels of {who}: {}", said.join(", "))).collect()
}

/// Of every rater what nobody else scored, the first few by name.
fn alone(document: &Document) -> Vec<String> {
    const MOST_NAMED: usize = 5;
    let note = |rater: &RaterRow| {
        let alone = document.alone.iter().filter(|it| it.rater == rater.name);
        let named: Vec<String> = alone.clone().take(MOST_NAMED).map(item).collect();
        let more = match alone.count().saturating_sub(named.len()) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        (!named.is_empty())
            .then(|| format!("nobody but {} scored {}{more}", rater.name, named.join(", ")))
    };
    document.raters.iter().filter_map(note).collect()
}

/// `C07 of p12 at c0ffee00`
fn item(alone: &AloneRow) -> String {
    let run = Some(&alone.run).filter(|run| !run.is_empty()).map(|run| format!(" of {run}"));
    let commit = alone
        .commit
        .as_ref()
        .map(|commit| format!(" at {}", commit.chars().take(8).collect::<String>()));
    format!("{}{}{}", alone.component, run.unwrap_or_default(), commit.unwrap_or_default())
}

/// `kappa, AC1 not defined: one level only`, a sentence a reason.
fn undefined(pair: &PairRow) -> Vec<String> {
    let Measures { agreement, .. } = &pair.measures;
    let named = |what: &str, why_of: fn(&Estimate) -> Option<Undefined>| -> Vec<String> {
        let mut reasons: Vec<(Undefined, Vec<&str>)> = vec![];
        for (coefficient, estimate) in &agreement.estimates {
            let Some(why) = why_of(estimate) else { continue };
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, names)) => names.push(coefficient.name()),
                None => reasons.push((why, vec![coefficient.name()])),
            }
        }
        reasons
            .into_iter()
            .map(|(why, names)| format!("{what}{} not defined: {why}", names.join(", ")))
            .collect()
    };
    // Of a boundary that nobody came near the dash says enough.
    let no_value =
        named("", |estimate| estimate.value.err().filter(|why| *why != Undefined::NeitherLevel));
    // That nothing was ever different needs no words: the value says it.
    const fn worth_saying(why: &Undefined) -> bool {
        !matches!(why, Undefined::NoSpread)
    }
    let no_interval = named("interval of ", |estimate| {
        estimate.value.ok().and(estimate.interval.err()).filter(worth_saying)
    });
    let has_intervals = agreement.estimates.iter().any(|(_, estimate)| estimate.interval.is_ok());
    no_value.into_iter().chain(no_interval.into_iter().filter(|_| has_intervals)).collect()
}

pub fn problems_to_standard_error(document: &Document) {
    tell_problems(&document.problems);
}

/// On standard error.
pub fn tell_problems(problems: &[Warning]) {
    for problem in problems {
        tell(&format!("left out: {}: {}", problem.place, problem.what));
    }
}

/// A row for every two raters and measure: a table that can be filtered. Empty cells are not defined. Below them those of
/// all raters together, and of raters against a reference.
pub fn csv(documents: &[&Document], out: &mut Out) -> io::Result<()> {
    out.csv(
        "a b part name n measure value ci95_low=ci95.0 ci95_high=ci95.1 why \
         ci95_by_run_low=ci95_by_run.0 ci95_by_run_high=ci95_by_run.1 unit criterion scale",
        documents.iter().flat_map(|document| {
            let PartOf { unit, criterion, scale, .. } = &document.of;
            let criterion = criterion.as_deref();
            csv_of(document).map(move |row| CsvRow { unit, criterion, scale, ..row })
        }),
    )
}

fn csv_of(document: &Document) -> impl Iterator<Item = CsvRow<'_>> {
    let pairs = document.pairs.iter().flat_map(|pair| {
        let parts =
            [("run", &pair.by_run), ("component", &pair.by_component), ("rubric", &pair.by_rubric)];
        let parts = parts.into_iter().flat_map(|(part, rows)| {
            rows.iter().map(move |row| (part, row.name.as_str(), &row.measures))
        });
        let parts = std::iter::once(("all", "", &pair.measures)).chain(parts);
        parts.flat_map(|(part, name, measures)| csv_rows(pair, (part, name), &measures.agreement))
    });
    let panel = document.panel.iter().flat_map(|row| {
        row.cases().into_iter().flat_map(|(cases, found)| {
            let of = CsvRow::of(row.of, "", ("panel", cases.words()), found.agreed.n);
            found.agreed.estimates.iter().map(move |(it, twice)| of.with(it.name(), twice))
        })
    });
    let reference = document.reference.iter().flat_map(|reference| {
        reference.raters.iter().flat_map(|row| {
            let parts = row.parts.iter().map(|part| (part.name.as_str(), &part.measures));
            std::iter::once(("", &row.measures)).chain(parts).flat_map(|(name, it)| {
                let n = it.classified.n as usize;
                let of = CsvRow::of(&reference.name, &row.rater, ("reference", name), n);
                it.estimates.iter().map(move |(it, twice)| of.with(it.name(), twice))
            })
        })
    });
    pairs.chain(panel).chain(reference)
}

/// A measure of two raters, or of several, in a row of a CSV.
#[derive(Serialize, Clone, Copy)]
struct CsvRow<'a> {
    a: &'a str,
    b: &'a str,
    part: &'a str,
    name: &'a str,
    n: usize,
    measure: &'static str,
    value: Option<f64>,
    ci95: Option<Interval>,
    why: Option<Undefined>,
    ci95_by_run: Option<Interval>,
    unit: &'a str,
    criterion: Option<&'a str>,
    scale: &'a str,
}

impl<'a> CsvRow<'a> {
    const fn of(a: &'a str, b: &'a str, (part, name): (&'a str, &'a str), n: usize) -> Self {
        let (value, ci95, why, ci95_by_run) = (None, None, None, None);
        let (unit, criterion, scale) = ("", None, "");
        Self {
            a,
            b,
            part,
            name,
            n,
            measure: "",
            value,
            ci95,
            why,
            ci95_by_run,
            unit,
            criterion,
            scale,
        }
    }

    fn with(self, measure: &'static str, Twice { by_item, by_run }: &Twice) -> Self {
        let ci95 = by_item.interval.ok();
        let (value, why) = (by_item.value.ok(), by_item.value.err());
        Self { measure, value, ci95, why, ci95_by_run: by_run.ok(), ..self }
    }
}

fn csv_rows<'a>(
    pair: &'a PairRow,
    (part, name): (&'a str, &'a str),
    agreement: &'a Agreement,
) -> impl Iterator<Item = CsvRow<'a>> {
    let of = CsvRow::of(&pair.a, &pair.b, (part, name), agreement.n);
    let by_runs = pair.by_runs.as_ref().filter(|_| part == "all");
    agreement.estimates.iter().map(move |(coefficient, by_item)| {
        let by_run = by_runs.and_then(|all| all.get(coefficient.name()).copied().flatten());
        let by_run = by_run.ok_or(Undefined::FewerThanTwoRuns);
        of.with(coefficient.name(), &Twice { by_item: *by_item, by_run })
    })
}
