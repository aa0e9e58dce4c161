//! Agreement for people, in the layout of SLUMP's calibration table: a row for every two raters.

use std::io;

use crate::cli::output::{Json, Out, OutputTable, print_note, record};
use trajview_run::Warning;
use trajview_study::{
    Agreement, Coefficient, Estimate, Undefined,
    agreement::cluster_bootstrap::ClusteredEstimate,
    raters::{LabelSource, RaterKind},
};

use super::{
    document::{
        AgreeDocument, AgreementMeasures, AgreementPartRow, RaterPairRow, RaterRow,
        UnmatchedScoreRow,
    },
    fitness,
    grouping::AgreeGrouping,
    number_text::{interval_text, print_section, with_interval},
    panel,
    reference::{self, AgainstRow, ReferenceAgreement, binary_table, class_table, whole_table},
};

/// The title above a table of intervals that are drawn over runs.
const BY_RUN_TITLE: &str = "95 % intervals, resampling whole runs";

/// The measures of the first table; those of the second are the rest.
const MAIN_MEASURES: [Coefficient; 4] =
    [Coefficient::Exact, Coefficient::Within1, Coefficient::KappaQuadratic, Coefficient::Spearman];

/// More levels than this are not listed one by one.
const MOST_LEVELS: usize = 6;

/// Prints the tables. `is_whole` adds the confusion matrices and the disagreements of the raters.
pub(crate) fn print_tables(
    document: &AgreeDocument,
    by: Option<AgreeGrouping>,
    is_whole: bool,
    out: &mut Out,
) -> io::Result<()> {
    out.print_sentence(&head_line(document))?;
    let mut show = |title: &str, table: &OutputTable| print_section(title, table, out);
    show("", &main_table(document))?;
    show("", &other_table(document))?;
    let by_run = |shown: Option<OutputTable>| shown.map(|table| (BY_RUN_TITLE, table));
    if let Some((title, table)) = by_run(table_by_run(document)) {
        show(title, &table)?;
    }
    if document.panel.iter().any(|row| row.raters.len() > 2) {
        let title = "all raters together: items that at least two scored (available), items that all scored (complete)";
        show(title, &panel::agreement_table(&document.panel))?;
        if let Some((title, table)) = by_run(panel::table_by_run(&document.panel)) {
            show(title, &table)?;
        }
    }
    if let Some(reference) = &document.reference {
        show_reference_tables(reference, by, &mut show)?;
    }
    fitness::print_fitness(&document.fitness, &mut show)?;
    if let Some(by) = by {
        for pair in &document.pairs {
            show(
                &format!("{} by {}", pair_name(pair), by.noun()),
                &parts_table(document, by, part_rows_of_pair(by, pair)),
            )?;
        }
    }
    if is_whole {
        for pair in &document.pairs {
            show(
                &format!("{}: scores of {} down, of {} across", pair_name(pair), pair.a, pair.b),
                &confusion_table(document, pair),
            )?;
            if !pair.disagreements.is_empty() {
                show(
                    &format!("{}: where they differ", pair_name(pair)),
                    &disagreement_table(pair),
                )?;
            }
        }
    }
    print_notes(document, out)
}

/// Prints the tables of a reference.
fn show_reference_tables<'a>(
    reference: &'a ReferenceAgreement,
    by: Option<AgreeGrouping>,
    show: &mut impl FnMut(&str, &OutputTable) -> io::Result<()>,
) -> io::Result<()> {
    let ReferenceAgreement { name, kind, zero_division, raters, .. } = reference;
    let kind = match *kind {
        kind if kind == name || kind == RaterKind::Unknown.name() => String::new(),
        kind => format!(" ({kind})"),
    };
    let rows = || raters.iter().map(|row| (vec![row.rater.clone()], &row.measures));
    let zero = match *zero_division {
        "undefined" => "classes without a value are excluded from averages".to_owned(),
        number => format!("classes without a value count as {number} in averages"),
    };
    show(&format!("against {name}{kind}; {zero}"), &whole_table(&["rater"], rows()))?;
    if let Some(table) = reference::by_run_table(&["rater"], rows()) {
        show(BY_RUN_TITLE, &table)?;
    }
    show(&format!("against {name}, class by class"), &class_table(&["rater"], rows()))?;
    if let Some(table) = binary_table(&["rater"], rows()) {
        let positive = reference.positive.as_deref().unwrap_or_default();
        show(&format!("against {name}, positive is {positive}"), &table)?;
    }
    let Some(by) = by else { return Ok(()) };
    let part_row = |(row, part): (&'a AgainstRow, &'a reference::ReferencePartRow)| {
        (vec![row.rater.clone(), part.name.clone()], &part.measures)
    };
    let parts = raters.iter().flat_map(|row| row.parts.iter().map(move |part| (row, part)));
    let names = ["rater", by.noun()];
    show(&format!("against {name} by {}", by.noun()), &whole_table(&names, parts.map(part_row)))
}

/// Prints the notes on the tables, below a blank line.
pub(crate) fn print_notes(document: &AgreeDocument, out: &mut Out) -> io::Result<()> {
    let notes = agreement_notes(document);
    if !notes.is_empty() {
        out.print_line("")?;
    }
    notes.iter().try_for_each(|note| out.print_sentence(note))
}

/// Returns the head line: the number of raters, the levels, and how intervals are made.
pub fn head_line(document: &AgreeDocument) -> String {
    let levels = match document.levels.as_slice() {
        [first, .., last] if document.levels.len() > MOST_LEVELS => format!("{first} to {last}"),
        levels => levels.iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
    };
    let runs = document.runs.iter().filter(|run| !run.is_empty()).count();
    let runs_text = match runs {
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
    format!("{raters} raters{runs_text}{part} · levels {levels}{alpha} · {intervals}")
}

/// Returns `A1 - judge`.
pub(crate) fn pair_name(pair: &RaterPairRow) -> String {
    format!("{} - {}", pair.a, pair.b)
}

fn main_table(document: &AgreeDocument) -> OutputTable {
    let row = |pair: &RaterPairRow| main_row(pair_name(pair), &pair.measures, document);
    main_rows("raters", document.pairs.iter().map(row))
}

/// Returns the table of [`MAIN_MEASURES`] and of the base rates.
fn main_rows(first_head: &str, rows: impl Iterator<Item = Vec<String>>) -> OutputTable {
    let heads = [first_head, ">n", "exact", "within 1", "kappa (quadratic)", "Spearman"];
    let rates = ["base rate of the first", "of the second"];
    let mut table =
        OutputTable::with_heads(heads.into_iter().chain(rates).map(str::to_owned).collect());
    rows.for_each(|row| table.add_row(row));
    table
}

fn main_row(name: String, measures: &AgreementMeasures, document: &AgreeDocument) -> Vec<String> {
    let agreement = &measures.agreement;
    let mut cells = vec![name, agreement.n.to_string()];
    cells.extend(MAIN_MEASURES.map(|it| with_interval(agreement.estimate_for(it))));
    let (a, b) = agreement.table.base_rates();
    cells.extend([a, b].map(|rates| base_rate(&rates, &document.levels)));
    cells
}

fn other_table(document: &AgreeDocument) -> OutputTable {
    let heads = [
        "raters",
        "kappa",
        "kappa (linear)",
        "Kendall",
        "alpha",
        "ICC(2,1)",
        "ICC(3,1)",
        "AC1",
        "AC2",
        "2-3",
        "3-4",
    ];
    let mut table = OutputTable::new(&heads);
    for pair in &document.pairs {
        let rest = Coefficient::ALL.into_iter().filter(|it| !MAIN_MEASURES.contains(it));
        let cells = rest.map(|it| measure_cell(&pair.measures.agreement, it));
        table.add_row(std::iter::once(pair_name(pair)).chain(cells).collect());
    }
    table
}

/// Returns `0.77 [0.63, 0.88]`; of a boundary what it counts before it: `1/56 0.02 [0.00, 0.08]`.
fn measure_cell(agreement: &Agreement, coefficient: Coefficient) -> String {
    let estimate = agreement.estimate_for(coefficient);
    match coefficient.boundary_in(&agreement.table).filter(|_| estimate.value.is_ok()) {
        Some(boundary) => format!("{boundary} {}", with_interval(estimate)),
        None => with_interval(estimate),
    }
}

/// Returns the intervals that are drawn over runs. None if there are none.
fn table_by_run(document: &AgreeDocument) -> Option<OutputTable> {
    let shown = MAIN_MEASURES.into_iter().chain([
        Coefficient::Kappa,
        Coefficient::Alpha,
        Coefficient::Icc21,
        Coefficient::Icc31,
    ]);
    let shown: Vec<Coefficient> = shown.collect();
    let heads = ["exact", "within 1", "kappa (quadratic)", "Spearman", "kappa", "alpha"];
    let heads = heads.into_iter().chain(["ICC(2,1)", "ICC(3,1)"]);
    let heads = ["raters", ">n", ">runs"].into_iter().chain(heads);
    let mut table = OutputTable::with_heads(heads.map(String::from).collect());
    let mut is_any = false;
    for pair in &document.pairs {
        let Some(intervals) = &pair.by_runs else { continue };
        if intervals.values().all(Option::is_none) {
            continue;
        }
        let cells =
            shown.iter().map(|it| interval_text(intervals.get(it.name()).copied().flatten()));
        let first = [pair_name(pair), pair.measures.agreement.n.to_string(), pair.runs.to_string()];
        table.add_row(first.into_iter().chain(cells).collect());
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

/// Returns the rows of the parts of a pair, by run, component or rubric.
fn part_rows_of_pair(by: AgreeGrouping, pair: &RaterPairRow) -> &[AgreementPartRow] {
    match by {
        AgreeGrouping::Run => &pair.by_run,
        AgreeGrouping::Component => &pair.by_component,
        AgreeGrouping::Rubric => &pair.by_rubric,
    }
}

fn parts_table(
    document: &AgreeDocument,
    by: AgreeGrouping,
    parts: &[AgreementPartRow],
) -> OutputTable {
    let row = |part: &AgreementPartRow| main_row(part.name.clone(), &part.measures, document);
    main_rows(by.noun(), parts.iter().map(row))
}

fn confusion_table(document: &AgreeDocument, pair: &RaterPairRow) -> OutputTable {
    let heads = document.levels.iter().map(|level| format!(">{level}"));
    let mut table = OutputTable::with_heads(std::iter::once(String::new()).chain(heads).collect());
    for (level, row) in document.levels.iter().zip(pair.measures.agreement.table.count_rows()) {
        let counts = row.iter().map(u64::to_string);
        table.add_row(std::iter::once(level.to_string()).chain(counts).collect());
    }
    table
}

fn disagreement_table(pair: &RaterPairRow) -> OutputTable {
    let heads = ["component", "run", ">first", ">second", "open it with"];
    let has_hints = pair.disagreements.iter().any(|it| it.open.is_some());
    let mut table = OutputTable::new(&heads[..heads.len() - usize::from(!has_hints)]);
    for it in &pair.disagreements {
        let cells = [it.component.clone(), it.run.clone(), it.a.to_string(), it.b.to_string()];
        let hint = has_hints.then(|| it.open.clone().unwrap_or_default());
        table.add_row(cells.into_iter().chain(hint).collect());
    }
    table
}

/// Lists undefined measures with the reason, scores of one rater only, and inputs that were left out.
fn agreement_notes(document: &AgreeDocument) -> Vec<String> {
    let mut agreement_notes = vec![];
    agreement_notes.extend(blind_label_notes(document));
    for pair in &document.pairs {
        agreement_notes.extend(
            undefined_reasons(pair).into_iter().map(|why| format!("{}: {why}", pair_name(pair))),
        );
    }
    agreement_notes.extend(panel::undefined_reasons(&document.panel));
    agreement_notes.extend(panel::incomplete_notes(&document.panel));
    for pair in &document.pairs {
        agreement_notes.extend(
            pair.measures.interval_warning().map(|why| format!("{}: {why}", pair_name(pair))),
        );
    }
    agreement_notes.extend(panel::interval_warnings(&document.panel));
    agreement_notes.extend(document.reference.iter().filter_map(|it| it.warning.clone()));
    agreement_notes.extend(document.fitness.notes.iter().cloned());
    agreement_notes.extend(unmatched_score_notes(document));
    agreement_notes
        .extend(document.problems.iter().map(|it| format!("excluded: {}: {}", it.place, it.what)));
    agreement_notes
}

/// Counts blind labels: `labels of ana: 12 blind, 3 not blind`.
fn blind_label_notes(document: &AgreeDocument) -> Vec<String> {
    let mut all: Vec<(&str, Vec<String>)> = vec![];
    for rater in &document.raters {
        let Some(LabelSource { annotator, blindness: sight }) = &rater.labels else { continue };
        let words = format!("{} {}", rater.scores, sight.words());
        match all.iter_mut().find(|(other, _)| other == annotator) {
            Some((_, texts)) => texts.push(words),
            None => all.push((annotator, vec![words])),
        }
    }
    all.into_iter().map(|(who, texts)| format!("labels of {who}: {}", texts.join(", "))).collect()
}

/// Names for each rater the first few items that nobody else scored.
fn unmatched_score_notes(document: &AgreeDocument) -> Vec<String> {
    const MOST_NAMED: usize = 5;
    let note = |rater: &RaterRow| {
        let unmatched_score_notes = document.alone.iter().filter(|it| it.rater == rater.name);
        let named_items: Vec<String> =
            unmatched_score_notes.clone().take(MOST_NAMED).map(unmatched_item_text).collect();
        let more = match unmatched_score_notes.count().saturating_sub(named_items.len()) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        (!named_items.is_empty())
            .then(|| format!("only {} scored {}{more}", rater.name, named_items.join(", ")))
    };
    document.raters.iter().filter_map(note).collect()
}

/// Returns `C07 of p12 at c0ffee00`.
fn unmatched_item_text(alone: &UnmatchedScoreRow) -> String {
    let run = Some(&alone.run).filter(|run| !run.is_empty()).map(|run| format!(" of {run}"));
    let commit = alone
        .commit
        .as_ref()
        .map(|commit| format!(" at {}", commit.chars().take(8).collect::<String>()));
    format!("{}{}{}", alone.component, run.unwrap_or_default(), commit.unwrap_or_default())
}

/// Returns `kappa, AC1 not defined: one level only`, a sentence a reason.
fn undefined_reasons(pair: &RaterPairRow) -> Vec<String> {
    let AgreementMeasures { agreement, .. } = &pair.measures;
    let reason_sentences =
        |what: &str, why_of: fn(&Estimate) -> Option<Undefined>| -> Vec<String> {
            let mut reasons: Vec<(Undefined, Vec<&str>)> = vec![];
            for (coefficient, estimate) in &agreement.estimates {
                let Some(why) = why_of(estimate) else { continue };
                match reasons.iter_mut().find(|(other, _)| *other == why) {
                    Some((_, names)) => names.push(coefficient.name()),
                    None => reasons.push((why, vec![coefficient.name()])),
                }
            }
            reasons
                .into_iter()
                .map(|(why, names)| format!("{what}{} not defined: {why}", names.join(", ")))
                .collect()
        };
    // A dash is enough for a boundary that no score came near.
    let no_value = reason_sentences("", |estimate| {
        estimate.value.err().filter(|why| *why != Undefined::NeitherLevel)
    });
    // The value itself shows that no two scores differed.
    const fn worth_saying(why: &Undefined) -> bool {
        !matches!(why, Undefined::NoSpread)
    }
    let no_interval = reason_sentences("interval of ", |estimate| {
        estimate.value.ok().and(estimate.interval.err()).filter(worth_saying)
    });
    let has_intervals = agreement.estimates.iter().any(|(_, estimate)| estimate.interval.is_ok());
    no_value.into_iter().chain(no_interval.into_iter().filter(|_| has_intervals)).collect()
}

pub(crate) fn print_document_problems(document: &AgreeDocument) {
    print_problems(&document.problems);
}

/// Prints the problems on standard error.
pub(crate) fn print_problems(problems: &[Warning]) {
    for problem in problems {
        print_note(&format!("excluded: {}: {}", problem.place, problem.what));
    }
}

/// Writes a row for every two raters and measure: a table that can be filtered. Empty cells are not defined. Below them
/// those of all raters together, and of raters against a reference.
pub fn write_csv(documents: &[&AgreeDocument], out: &mut Out) -> io::Result<()> {
    out.print_csv(
        "a b part name n measure value ci95_low=ci95.0 ci95_high=ci95.1 why \
         ci95_by_run_low=ci95_by_run.0 ci95_by_run_high=ci95_by_run.1 unit criterion scale",
        documents.iter().flat_map(|document| {
            let rows = document_csv_rows(document);
            rows.map(|row| record! { ..row, ..document.of })
        }),
    )
}

fn document_csv_rows(document: &AgreeDocument) -> impl Iterator<Item = Json> {
    let pairs = document.pairs.iter().flat_map(|pair| {
        let parts =
            [("run", &pair.by_run), ("component", &pair.by_component), ("rubric", &pair.by_rubric)];
        let parts = parts.into_iter().flat_map(|(part, rows)| {
            rows.iter().map(move |row| (part, row.name.as_str(), &row.measures))
        });
        let parts = std::iter::once(("all", "", &pair.measures)).chain(parts);
        parts.flat_map(|(part, name, measures)| {
            pair_csv_rows(pair, (part, name), &measures.agreement)
        })
    });
    let panel = document.panel.iter().flat_map(|row| {
        row.counted_cases().into_iter().flat_map(move |(cases, found)| {
            let common =
                move |n: usize| record! { a: row.of, b: (), part: "panel", name: cases.words(), n: n };
            let estimates = found.agreed.estimates.iter();
            estimates.map(move |(it, twice)| {
                csv_row(&common(found.items_of(*it)), it.name(), twice)
            })
        })
    });
    let reference = document.reference.iter().flat_map(|reference| {
        reference.raters.iter().flat_map(|row| {
            let parts = row.parts.iter().map(|part| (part.name.as_str(), &part.measures));
            std::iter::once(("", &row.measures)).chain(parts).flat_map(|(name, it)| {
                let common = record! {
                    a: reference.name,
                    b: row.rater,
                    part: "reference",
                    name: name,
                    n: it.classified.n,
                };
                it.estimates.iter().map(move |(it, twice)| csv_row(&common, it.name(), twice))
            })
        })
    });
    pairs.chain(panel).chain(reference).chain(fitness::csv_rows(&document.fitness))
}

/// Returns a measure of two raters, or of several, as a row of the CSV.
fn csv_row(
    common: &Json,
    measure: &str,
    ClusteredEstimate { by_item, by_run }: &ClusteredEstimate,
) -> Json {
    record! {
        ..common,
        measure: measure,
        value: by_item.value.ok(),
        ci95: by_item.interval.ok(),
        why: by_item.value.err(),
        ci95_by_run: by_run.ok(),
    }
}

fn pair_csv_rows<'a>(
    pair: &'a RaterPairRow,
    (part, name): (&'a str, &'a str),
    agreement: &'a Agreement,
) -> impl Iterator<Item = Json> {
    let common = record! { a: pair.a, b: pair.b, part: part, name: name, n: agreement.n };
    let by_runs = pair.by_runs.as_ref().filter(|_| part == "all");
    agreement.estimates.iter().map(move |(coefficient, by_item)| {
        let by_run = by_runs.and_then(|all| all.get(coefficient.name()).copied().flatten());
        let by_run = by_run.ok_or(Undefined::FewerThanTwoRuns);
        csv_row(&common, coefficient.name(), &ClusteredEstimate { by_item: *by_item, by_run })
    })
}
