//! Stability for people and for spreadsheets.

use serde::Serialize;
use std::io;

use crate::cli::{
    agree::{document::Document, tables, written::section},
    output::{Column, Out, Table, dash},
};
use trajview_tui::widgets::text;

use super::{ComponentRow, ContrastRow, ContrastedRow, GroupRow, Measures, Repeats, Who};

/// Digits of a prompt's hash and of a commit that are shown.
const DIGITS: usize = 8;

/// Columns of a judge's name in a table of many.
const MOST_NAME: usize = 24;

/// `is_whole`: with the components whose usual level differs.
pub fn print(
    document: &Document,
    repeats: &Repeats,
    is_whole: bool,
    out: &mut Out,
) -> io::Result<()> {
    out.sentence(&tables::head(document))?;
    let mut show = |title: &str, table: &Table| section(title, table, out);
    for group in &repeats.repeats {
        show(&format!("{}, {}", who(&group.who), of_group(group)), &whole(group))?;
        show("component by component, over pairs of repeats", &components(group))?;
    }
    if !repeats.contrasts.is_empty() {
        show("one against another, of the same state of the code", &contrasts(repeats))?;
    }
    for contrast in repeats.contrasts.iter().filter(|_| is_whole) {
        let table = differing(contrast);
        let title = format!(
            "{}: {} - {}: components whose usual level differs",
            contrast.words,
            short(&contrast.first, contrast),
            short(&contrast.second, contrast)
        );
        if let Some(table) = table {
            show(&title, &table)?;
        }
    }
    out.line("")?;
    notes(repeats).iter().try_for_each(|note| out.sentence(note))
}

/// `stub (gpt-5), prompt 3fa9c1b2, 3 judgements`
fn who(it: &Who) -> String {
    let model = it.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    let short = |sha: &String| sha.chars().take(DIGITS).collect::<String>();
    let prompt = it.prompt_sha256.as_ref().map(|sha| format!(", prompt {}", short(sha)));
    let warm = it.temperature.map(|it| format!(", temperature {it}"));
    format!("{}{model}{}{}", it.judge, prompt.unwrap_or_default(), warm.unwrap_or_default())
}

/// `stub 3fa9c1b2`: no more than tells the two of a contrast apart.
fn short(it: &Who, contrast: &ContrastRow) -> String {
    let name = text::truncate(&it.judge, MOST_NAME, "…");
    let (first, second) = (&contrast.first, &contrast.second);
    let digits = |sha: &String| format!(" {}", sha.chars().take(DIGITS).collect::<String>());
    let mut words = name.into_owned();
    if first.model != second.model && first.judge == second.judge {
        words.extend(it.model.as_ref().map(|model| format!(" ({model})")));
    }
    words.extend(it.prompt_sha256.as_ref().map(digits));
    if contrast.against == "settings" {
        words.extend(it.budget.map(|budget| format!(", at most {budget} calls")));
        words.extend(it.temperature.map(|it| format!(", temperature {it}")));
    }
    words
}

/// `3 repeats of codex-p12 after turn 56 at 610540d2`
fn of_group(group: &GroupRow) -> String {
    let turn = group.turn.map(|turn| format!(" after turn {turn}")).unwrap_or_default();
    let commit =
        group.commit.as_ref().map(|commit| commit.chars().take(DIGITS).collect::<String>());
    let commit = commit.map(|commit| format!(" at {commit}")).unwrap_or_default();
    let run = if group.run.is_empty() { String::new() } else { format!(" of {}", group.run) };
    format!("{} repeats{run}{turn}{commit}", group.who.count)
}

/// `0.77 [0.63, 0.88]`
fn with_interval(measures: &Measures, name: &str) -> String {
    match measures.get(name) {
        (Some(value), Some([low, high])) => format!("{value:.2} [{low:.2}, {high:.2}]"),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => "-".into(),
    }
}

fn number(it: Option<f64>, digits: usize) -> String {
    dash(it.map(|it| format!("{it:.digits$}")))
}

fn whole(group: &GroupRow) -> Table {
    let mut table = Table::new(&["measure", "value"]);
    let said = |name: &str| with_interval(&group.measures, name);
    let shares: Vec<String> =
        group.base_rate.iter().map(|it| format!("{:.0}", it * 100.0)).collect();
    let mcf: Vec<String> = group.mcf.iter().map(|it| number(*it, 3)).collect();
    let spread = match group.mcf_range {
        Some((low, high)) => format!(
            "mean {}, SD {}, from {low:.3} to {high:.3}: {}",
            number(group.mcf_mean, 3),
            number(group.mcf_sd, 3),
            mcf.join(", ")
        ),
        None => "-".into(),
    };
    let rows = [
        ("components compared", group.compared.to_string()),
        ("exact", said("exact")),
        ("within 1", said("within_1")),
        ("alpha (ordinal)", said("alpha")),
        ("flips between 2 and 3", said("flips_2_3")),
        ("flips between 3 and 4", said("flips_3_4")),
        ("flips of a severe failure", said("severe_flips")),
        ("MCF of each repeat", spread),
        ("base rate of 0 to 4", format!("{} %", shares.join(" "))),
    ];
    rows.into_iter().for_each(|(name, value)| table.row(vec![name.into(), value]));
    table
}

/// `4 4 - 3`
fn scores(scores: &[Option<u8>]) -> String {
    scores.iter().map(|it| dash(*it)).collect::<Vec<_>>().join(" ")
}

fn components(group: &GroupRow) -> Table {
    let share = |it: &ComponentRow, name: &str| number(it.shares.get(name).copied().flatten(), 2);
    let columns: [Column<'_, ComponentRow>; 10] = [
        ("component", &|it| it.component.clone()),
        ("scores", &|it| scores(&it.scores)),
        (">mode", &|it| dash(it.mode)),
        (">range", &|it| dash(it.range.map(|(low, high)| format!("{low}-{high}")))),
        (">SD", &|it| number(it.sd, 2)),
        (">at mode", &|it| number(it.at_mode, 2)),
        (">exact", &|it| share(it, "exact")),
        (">2/3 flips", &|it| share(it, "flips_2_3")),
        (">3/4 flips", &|it| share(it, "flips_3_4")),
        (">severe", &|it| share(it, "severe_flips")),
    ];
    Table::of(&columns, &group.components)
}

fn contrasts(repeats: &Repeats) -> Table {
    let columns: [Column<'_, ContrastRow>; 9] = [
        ("first", &|it| short(&it.first, it)),
        ("second", &|it| short(&it.second, it)),
        ("differ by", &|it| it.against.into()),
        (">n", &|it| it.compared.to_string()),
        ("exact", &|it| with_interval(&it.measures, "exact")),
        ("within 1", &|it| with_interval(&it.measures, "within_1")),
        ("second less first", &|it| with_interval(&it.measures, "gap")),
        (">exact within the first", &|it| number(it.exact_within_first, 2)),
        (">within the second", &|it| number(it.exact_within_second, 2)),
    ];
    Table::of(&columns, &repeats.contrasts)
}

/// None where nothing differs.
fn differing(contrast: &ContrastRow) -> Option<Table> {
    let columns: [Column<'_, ContrastedRow>; 5] = [
        ("component", &|it| it.component.clone()),
        ("first", &|it| scores(&it.first)),
        ("second", &|it| scores(&it.second)),
        (">gap", &|it| number(it.gap, 2)),
        (">exact", &|it| number(it.exact, 2)),
    ];
    let mut differing = contrast.components.iter().filter(|it| it.differs == Some(true)).peekable();
    differing.peek()?;
    Some(Table::of(&columns, differing))
}

/// What there is none of, and what is not defined.
fn notes(repeats: &Repeats) -> Vec<String> {
    let mut notes = vec![];
    if repeats.repeats.is_empty() {
        notes.push(
            "nothing was judged twice in the same way: repeats have one judge, model, prompt, budget, \
             temperature and rubric, and one commit; trajview judge --repeat K makes them"
                .to_owned(),
        );
    }
    for group in &repeats.repeats {
        let mut reasons: Vec<(&str, Vec<&str>)> = vec![];
        for (name, why) in &group.measures.not_defined {
            match reasons.iter_mut().find(|(known, _)| known == why) {
                Some((_, names)) => names.push(name),
                None => reasons.push((why, vec![name])),
            }
        }
        let said = reasons.iter().map(|(why, names)| {
            format!("{}: {} not defined: {why}", who(&group.who), names.join(", "))
        });
        notes.extend(said);
    }
    notes.push(
        "a flip is a pair of repeats on different sides of a boundary; severe is 1 or less".into(),
    );
    notes
}

/// A number of a group or of two groups, in a row of a CSV.
#[derive(Serialize, Clone, Default)]
struct CsvRow<'a> {
    run: &'a str,
    first: String,
    second: String,
    against: &'a str,
    part: &'static str,
    name: &'a str,
    n: usize,
    measure: &'static str,
    value: Option<f64>,
    ci95: Option<[f64; 2]>,
    scores_first: String,
    scores_second: String,
}

/// A row for every group, part and measure. Empty cells are not defined.
pub fn csv(repeats: &Repeats, out: &mut Out) -> io::Result<()> {
    let columns = "run first second against part name n measure value ci95_low=ci95.0 ci95_high=ci95.1 scores_first \
        scores_second";
    let repeated = repeats.repeats.iter().flat_map(rows_of_group);
    out.csv(columns, repeated.chain(repeats.contrasts.iter().flat_map(rows_of_contrast)))
}

fn rows_of_group(it: &GroupRow) -> Vec<CsvRow<'_>> {
    let of = CsvRow { run: &it.run, first: who(&it.who), against: "repeat", ..CsvRow::default() };
    let mut rows = whole_rows(&of, &it.measures, it.compared);
    for component in &it.components {
        let part = CsvRow {
            part: "component",
            name: &component.component,
            n: component.scores.iter().flatten().count(),
            scores_first: scores(&component.scores),
            ..of.clone()
        };
        let own = [("sd", component.sd), ("at_mode", component.at_mode)];
        let shares = component.shares.iter().map(|(name, value)| (*name, *value));
        let measures = own.into_iter().chain(shares);
        rows.extend(measures.map(|(measure, value)| CsvRow { measure, value, ..part.clone() }));
    }
    rows
}

fn rows_of_contrast(it: &ContrastRow) -> Vec<CsvRow<'_>> {
    let (first, second) = (who(&it.first), who(&it.second));
    let of = CsvRow { run: &it.run, first, second, against: it.against, ..CsvRow::default() };
    let mut rows = whole_rows(&of, &it.measures, it.compared);
    for component in &it.components {
        let part = CsvRow {
            part: "component",
            name: &component.component,
            n: component.first.iter().chain(&component.second).flatten().count(),
            scores_first: scores(&component.first),
            scores_second: scores(&component.second),
            ..of.clone()
        };
        let measures = [("gap", component.gap), ("exact", component.exact)];
        rows.extend(measures.map(|(measure, value)| CsvRow { measure, value, ..part.clone() }));
    }
    rows
}

fn whole_rows<'a>(of: &CsvRow<'a>, measures: &Measures, n: usize) -> Vec<CsvRow<'a>> {
    let row = |measure: &&'static str| {
        let (value, ci95) = measures.get(measure);
        CsvRow { part: "all", n, measure, value, ci95, ..of.clone() }
    };
    measures.values.keys().map(row).collect()
}
