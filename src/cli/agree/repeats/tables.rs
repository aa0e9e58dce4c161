//! Stability for people and for spreadsheets.

use serde::Serialize;
use std::io;

use crate::cli::{
    agree::{document::AgreeDocument, number_text::print_section, tables},
    output::{Out, OutputTable, TableColumn, cell_or_dash},
};
use trajview_tui::widgets::text;

use super::{
    ContrastComponentRow, ContrastRow, JudgeRepeats, JudgeSetupRow, RepeatComponentRow,
    RepeatGroupRow, RepeatMeasures,
};

/// Digits of a prompt's hash and of a commit that are shown.
const DIGITS: usize = 8;

/// Columns of a judge's name in a table of many.
const MOST_NAME: usize = 24;

/// Prints the tables. `is_whole` adds the components whose usual level differs.
pub fn print_repeats(
    document: &AgreeDocument,
    repeats: &JudgeRepeats,
    is_whole: bool,
    out: &mut Out,
) -> io::Result<()> {
    out.print_sentence(&tables::head_line(document))?;
    let mut show = |title: &str, table: &OutputTable| print_section(title, table, out);
    for group in &repeats.repeats {
        show(
            &format!("{}, {}", judge_text(&group.who), group_text(group)),
            &group_summary_table(group),
        )?;
        show("component by component, over pairs of repeats", &component_table(group))?;
    }
    if !repeats.contrasts.is_empty() {
        show("one against another, of the same state of the code", &contrast_table(repeats))?;
    }
    for contrast in repeats.contrasts.iter().filter(|_| is_whole) {
        let table = differing_components_table(contrast);
        let title = format!(
            "{}: {} - {}: components whose usual level differs",
            contrast.words,
            contrast_side_text(&contrast.first, contrast),
            contrast_side_text(&contrast.second, contrast)
        );
        if let Some(table) = table {
            show(&title, &table)?;
        }
    }
    out.print_line("")?;
    repeat_notes(repeats).iter().try_for_each(|note| out.print_sentence(note))
}

/// Returns `stub (gpt-5), prompt 3fa9c1b2, 3 judgements`.
fn judge_text(it: &JudgeSetupRow) -> String {
    let model = it.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    let short = |sha: &String| sha.chars().take(DIGITS).collect::<String>();
    let prompt = it.prompt_sha256.as_ref().map(|sha| format!(", prompt {}", short(sha)));
    let warm = it.temperature.map(|it| format!(", temperature {it}"));
    format!("{}{model}{}{}", it.judge, prompt.unwrap_or_default(), warm.unwrap_or_default())
}

/// Names one side of a contrast, `stub 3fa9c1b2`: judge and prompt, the model where only the model differs, and budget and
/// temperature in a contrast of settings.
fn contrast_side_text(it: &JudgeSetupRow, contrast: &ContrastRow) -> String {
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

/// Returns `3 repeats of codex-p12 after turn 56 at 610540d2`.
fn group_text(group: &RepeatGroupRow) -> String {
    let turn = group.turn.map(|turn| format!(" after turn {turn}")).unwrap_or_default();
    let commit =
        group.commit.as_ref().map(|commit| commit.chars().take(DIGITS).collect::<String>());
    let commit = commit.map(|commit| format!(" at {commit}")).unwrap_or_default();
    let run = if group.run.is_empty() { String::new() } else { format!(" of {}", group.run) };
    format!("{} repeats{run}{turn}{commit}", group.who.count)
}

/// Returns `0.77 [0.63, 0.88]`.
fn with_interval(measures: &RepeatMeasures, name: &str) -> String {
    match measures.get(name) {
        (Some(value), Some([low, high])) => format!("{value:.2} [{low:.2}, {high:.2}]"),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => "-".into(),
    }
}

fn number_cell(it: Option<f64>, digits: usize) -> String {
    cell_or_dash(it.map(|it| format!("{it:.digits$}")))
}

fn group_summary_table(group: &RepeatGroupRow) -> OutputTable {
    let mut table = OutputTable::new(&["measure", "value"]);
    let measure_text = |name: &str| with_interval(&group.measures, name);
    let shares: Vec<String> =
        group.base_rate.iter().map(|it| format!("{:.0}", it * 100.0)).collect();
    let mcf: Vec<String> = group.mcf.iter().map(|it| number_cell(*it, 3)).collect();
    let spread = match group.mcf_range {
        Some((low, high)) => format!(
            "mean {}, SD {}, from {low:.3} to {high:.3}: {}",
            number_cell(group.mcf_mean, 3),
            number_cell(group.mcf_sd, 3),
            mcf.join(", ")
        ),
        None => "-".into(),
    };
    let rows = [
        ("components compared", group.compared.to_string()),
        ("exact", measure_text("exact")),
        ("within 1", measure_text("within_1")),
        ("alpha (ordinal)", measure_text("alpha")),
        ("flips between 2 and 3", measure_text("flips_2_3")),
        ("flips between 3 and 4", measure_text("flips_3_4")),
        ("flips of a severe failure", measure_text("severe_flips")),
        ("MCF of each repeat", spread),
        ("base rate of 0 to 4", format!("{} %", shares.join(" "))),
    ];
    rows.into_iter().for_each(|(name, value)| table.add_row(vec![name.into(), value]));
    table
}

/// Returns `4 4 - 3`.
fn scores_cell(scores: &[Option<u8>]) -> String {
    scores.iter().map(|it| cell_or_dash(*it)).collect::<Vec<_>>().join(" ")
}

fn component_table(group: &RepeatGroupRow) -> OutputTable {
    let share = |it: &RepeatComponentRow, name: &str| {
        number_cell(it.shares.get(name).copied().flatten(), 2)
    };
    let columns: [TableColumn<'_, RepeatComponentRow>; 10] = [
        ("component", &|it| it.component.clone()),
        ("scores", &|it| scores_cell(&it.scores)),
        (">mode", &|it| cell_or_dash(it.mode)),
        (">range", &|it| cell_or_dash(it.range.map(|(low, high)| format!("{low}-{high}")))),
        (">SD", &|it| number_cell(it.sd, 2)),
        (">at mode", &|it| number_cell(it.at_mode, 2)),
        (">exact", &|it| share(it, "exact")),
        (">2/3 flips", &|it| share(it, "flips_2_3")),
        (">3/4 flips", &|it| share(it, "flips_3_4")),
        (">severe", &|it| share(it, "severe_flips")),
    ];
    OutputTable::from_rows(&columns, &group.components)
}

fn contrast_table(repeats: &JudgeRepeats) -> OutputTable {
    let columns: [TableColumn<'_, ContrastRow>; 9] = [
        ("first", &|it| contrast_side_text(&it.first, it)),
        ("second", &|it| contrast_side_text(&it.second, it)),
        ("differ by", &|it| it.against.into()),
        (">n", &|it| it.compared.to_string()),
        ("exact", &|it| with_interval(&it.measures, "exact")),
        ("within 1", &|it| with_interval(&it.measures, "within_1")),
        ("second less first", &|it| with_interval(&it.measures, "gap")),
        (">exact within the first", &|it| number_cell(it.exact_within_first, 2)),
        (">within the second", &|it| number_cell(it.exact_within_second, 2)),
    ];
    OutputTable::from_rows(&columns, &repeats.contrasts)
}

/// Returns None if nothing differs.
fn differing_components_table(contrast: &ContrastRow) -> Option<OutputTable> {
    let columns: [TableColumn<'_, ContrastComponentRow>; 5] = [
        ("component", &|it| it.component.clone()),
        ("first", &|it| scores_cell(&it.first)),
        ("second", &|it| scores_cell(&it.second)),
        (">gap", &|it| number_cell(it.gap, 2)),
        (">exact", &|it| number_cell(it.exact, 2)),
    ];
    let mut differing = contrast.components.iter().filter(|it| it.differs == Some(true)).peekable();
    differing.peek()?;
    Some(OutputTable::from_rows(&columns, differing))
}

/// Lists missing repeats and undefined measures.
fn repeat_notes(repeats: &JudgeRepeats) -> Vec<String> {
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
            match reasons.iter_mut().find(|(other, _)| other == why) {
                Some((_, names)) => names.push(name),
                None => reasons.push((why, vec![name])),
            }
        }
        let reason_texts = reasons.iter().map(|(why, names)| {
            format!("{}: {} not defined: {why}", judge_text(&group.who), names.join(", "))
        });
        notes.extend(reason_texts);
    }
    notes.push(
        "a flip is a pair of repeats on different sides of a boundary; severe is 1 or less".into(),
    );
    notes
}

/// A number of a group or of two groups, in a row of a CSV.
#[derive(Serialize, Clone, Default)]
struct RepeatCsvRow<'a> {
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

/// Writes a row for every group, part and measure. Empty cells are not defined.
pub fn write_csv(repeats: &JudgeRepeats, out: &mut Out) -> io::Result<()> {
    let columns = "run first second against part name n measure value ci95_low=ci95.0 ci95_high=ci95.1 scores_first \
        scores_second";
    let repeated = repeats.repeats.iter().flat_map(csv_rows_of_group);
    out.print_csv(columns, repeated.chain(repeats.contrasts.iter().flat_map(csv_rows_of_contrast)))
}

fn csv_rows_of_group(it: &RepeatGroupRow) -> Vec<RepeatCsvRow<'_>> {
    let common = RepeatCsvRow {
        run: &it.run,
        first: judge_text(&it.who),
        against: "repeat",
        ..RepeatCsvRow::default()
    };
    let mut rows = summary_csv_rows(&common, &it.measures, it.compared);
    for component in &it.components {
        let part = RepeatCsvRow {
            part: "component",
            name: &component.component,
            n: component.scores.iter().flatten().count(),
            scores_first: scores_cell(&component.scores),
            ..common.clone()
        };
        let own_measures = [("sd", component.sd), ("at_mode", component.at_mode)];
        let shares = component.shares.iter().map(|(name, value)| (*name, *value));
        let measures = own_measures.into_iter().chain(shares);
        rows.extend(measures.map(|(measure, value)| RepeatCsvRow {
            measure,
            value,
            ..part.clone()
        }));
    }
    rows
}

fn csv_rows_of_contrast(it: &ContrastRow) -> Vec<RepeatCsvRow<'_>> {
    let (first, second) = (judge_text(&it.first), judge_text(&it.second));
    let common = RepeatCsvRow {
        run: &it.run,
        first,
        second,
        against: it.against,
        ..RepeatCsvRow::default()
    };
    let mut rows = summary_csv_rows(&common, &it.measures, it.compared);
    for component in &it.components {
        let part = RepeatCsvRow {
            part: "component",
            name: &component.component,
            n: component.first.iter().chain(&component.second).flatten().count(),
            scores_first: scores_cell(&component.first),
            scores_second: scores_cell(&component.second),
            ..common.clone()
        };
        let measures = [("gap", component.gap), ("exact", component.exact)];
        rows.extend(measures.map(|(measure, value)| RepeatCsvRow {
            measure,
            value,
            ..part.clone()
        }));
    }
    rows
}

fn summary_csv_rows<'a>(
    common: &RepeatCsvRow<'a>,
    measures: &RepeatMeasures,
    n: usize,
) -> Vec<RepeatCsvRow<'a>> {
    let row = |measure: &&'static str| {
        let (value, ci95) = measures.get(measure);
        RepeatCsvRow { part: "all", n, measure, value, ci95, ..common.clone() }
    };
    measures.values.keys().map(row).collect()
}
