//! Stability for people and for spreadsheets.

use std::io;

use crate::cli::{
    agree::{document::AgreeDocument, number_text::print_section, tables},
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash, record},
};
use trajview_study::Interval;
use trajview_tui::widgets::text;

use super::JudgeRepeats;

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
            &format!("{}, {}", judge_text(group), group_text(group)),
            &group_summary_table(group),
        )?;
        show("component by component, over pairs of repeats", &component_table(group))?;
    }
    for retest in &repeats.retests {
        let (turn, commit) = state_text(retest);
        let title = format!(
            "{}{}{turn}{commit}: repeats and rewordings",
            judge_text(retest),
            run_text(retest)
        );
        show(&title, &retest_table(retest))?;
    }
    if !repeats.contrasts.is_empty() {
        show("one against another, of the same state of the code", &contrast_table(repeats))?;
    }
    for contrast in repeats.contrasts.iter().filter(|_| is_whole) {
        let table = differing_components_table(contrast);
        let title = format!(
            "{0} against {0}: {1} - {2}: components whose usual level differs",
            contrast.cell("against"),
            contrast_side_text("first", contrast),
            contrast_side_text("second", contrast)
        );
        if let Some(table) = table {
            show(&title, &table)?;
        }
    }
    out.print_line("")?;
    repeat_notes(repeats).iter().try_for_each(|note| out.print_sentence(note))
}

/// Returns `stub (gpt-5), prompt 3fa9c1b2, temperature 0.5`.
fn judge_text(it: &Json) -> String {
    let model = it.text("model").map(|model| format!(" ({model})")).unwrap_or_default();
    let prompt = it.text("prompt_sha256").map(|sha| format!(", prompt {}", first_digits(sha)));
    let warm = it.number("temperature").map(|it| format!(", temperature {it}"));
    format!("{}{model}{}{}", it.cell("judge"), prompt.unwrap_or_default(), warm.unwrap_or_default())
}

fn first_digits(hash: &str) -> String {
    hash.chars().take(DIGITS).collect()
}

/// Names one side of a contrast, `stub 3fa9c1b2`: judge and prompt, the model where only the model differs, and budget and
/// temperature in a contrast of settings.
fn contrast_side_text(side: &str, contrast: &Json) -> String {
    let it = contrast.field(side);
    let is_same =
        |field: &str| contrast.field("first").field(field) == contrast.field("second").field(field);
    let judge = it.cell("judge");
    let mut words = text::truncate(&judge, MOST_NAME, "…").into_owned();
    if !is_same("model") && is_same("judge") {
        words.extend(it.text("model").map(|model| format!(" ({model})")));
    }
    words.extend(it.text("prompt_sha256").map(|sha| format!(" {}", first_digits(sha))));
    if contrast.text("against") == Some("settings") {
        words.extend(it.number("budget").map(|budget| format!(", at most {budget} calls")));
        words.extend(it.number("temperature").map(|it| format!(", temperature {it}")));
    }
    words
}

/// Returns `3 repeats of codex-p12 after turn 56 at 610540d2`.
fn group_text(group: &Json) -> String {
    let (turn, commit) = state_text(group);
    format!("{} repeats{}{turn}{commit}", group.cell("count"), run_text(group))
}

/// Returns ` of codex-p12`; empty where the run has no name.
fn run_text(row: &Json) -> String {
    let run = row.text("run").filter(|run| !run.is_empty()).map(|run| format!(" of {run}"));
    run.unwrap_or_default()
}

/// Returns ` after turn 56` and ` at 610540d2`; both are empty where they are not recorded.
fn state_text(row: &Json) -> (String, String) {
    let turn = row.number("turn").map(|turn| format!(" after turn {turn}"));
    let commit = row.text("commit").map(|commit| format!(" at {}", first_digits(commit)));
    (turn.unwrap_or_default(), commit.unwrap_or_default())
}

/// Returns the table of plain repeats and rewordings side by side.
fn retest_table(retest: &Json) -> OutputTable {
    let mut table = OutputTable::new(&["measure", "plain repeats", "rewordings"]);
    let sides = [retest.field("plain"), retest.field("reworded")];
    let mut add = |name: &str, cell: &dyn Fn(&Json) -> String| {
        let cells = sides.map(|it| if it.is_null() { "-".to_owned() } else { cell(it) });
        table.add_row([name.to_owned()].into_iter().chain(cells).collect());
    };
    add("judgements", &|it| it.cell("count"));
    add("components compared", &|it| it.cell("compared"));
    add("exact", &|it| with_interval(it, "exact"));
    add("within 1", &|it| with_interval(it, "within_1"));
    add("alpha (ordinal)", &|it| with_interval(it, "alpha"));
    add("ICC(2,1)", &|it| with_interval(it, "icc_2_1"));
    let shift = with_interval(retest, "shift");
    table.add_row(vec!["mean shift from the prompt".into(), String::new(), shift]);
    table
}

/// Returns `0.77 [0.63, 0.88]`.
fn with_interval(row: &Json, name: &str) -> String {
    match (row.number(name), row.field("ci95").interval(name)) {
        (Some(value), Some(Interval { low, high })) => {
            format!("{value:.2} [{low:.2}, {high:.2}]")
        }
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => "-".into(),
    }
}

fn group_summary_table(group: &Json) -> OutputTable {
    let mut table = OutputTable::new(&["measure", "value"]);
    let measure_text = |name: &str| with_interval(group, name);
    let rates = group.rows("base_rate").iter().filter_map(|it| it.number(""));
    let shares: Vec<String> = rates.map(|it| format!("{:.0}", it * 100.0)).collect();
    let mcf: Vec<String> = group.rows("mcf").iter().map(|it| it.digits_cell("", 3)).collect();
    let spread = match group.interval("mcf_range") {
        Some(Interval { low, high }) => format!(
            "mean {}, SD {}, from {low:.3} to {high:.3}: {}",
            group.digits_cell("mcf_mean", 3),
            group.digits_cell("mcf_sd", 3),
            mcf.join(", ")
        ),
        None => "-".into(),
    };
    let rows = [
        ("components compared", group.cell("compared")),
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
fn scores_cell(row: &Json, field: &str) -> String {
    row.rows(field).iter().map(|it| it.cell("")).collect::<Vec<_>>().join(" ")
}

fn component_table(group: &Json) -> OutputTable {
    let range =
        |it: &Json| it.interval("range").map(|Interval { low, high }| format!("{low}-{high}"));
    let columns: [TableColumn<'_, Json>; 10] = [
        ("component", &|it| it.cell("component")),
        ("scores", &|it| scores_cell(it, "scores")),
        (">mode", &|it| it.cell("mode")),
        (">range", &|it| cell_or_dash(range(it))),
        (">SD", &|it| it.digits_cell("sd", 2)),
        (">at mode", &|it| it.digits_cell("at_mode", 2)),
        (">exact", &|it| it.digits_cell("exact", 2)),
        (">2/3 flips", &|it| it.digits_cell("flips_2_3", 2)),
        (">3/4 flips", &|it| it.digits_cell("flips_3_4", 2)),
        (">severe", &|it| it.digits_cell("severe_flips", 2)),
    ];
    OutputTable::from_rows(&columns, group.rows("components"))
}

fn contrast_table(repeats: &JudgeRepeats) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 9] = [
        ("first", &|it| contrast_side_text("first", it)),
        ("second", &|it| contrast_side_text("second", it)),
        ("differ by", &|it| it.cell("against")),
        (">n", &|it| it.cell("compared")),
        ("exact", &|it| with_interval(it, "exact")),
        ("within 1", &|it| with_interval(it, "within_1")),
        ("second less first", &|it| with_interval(it, "gap")),
        (">exact within the first", &|it| it.digits_cell("exact_within_first", 2)),
        (">within the second", &|it| it.digits_cell("exact_within_second", 2)),
    ];
    OutputTable::from_rows(&columns, &repeats.contrasts)
}

/// Returns None if nothing differs.
fn differing_components_table(contrast: &Json) -> Option<OutputTable> {
    let columns: [TableColumn<'_, Json>; 5] = [
        ("component", &|it| it.cell("component")),
        ("first", &|it| scores_cell(it, "first")),
        ("second", &|it| scores_cell(it, "second")),
        (">gap", &|it| it.digits_cell("gap", 2)),
        (">exact", &|it| it.digits_cell("exact", 2)),
    ];
    let components = contrast.rows("components").iter();
    let mut differing = components.filter(|it| *it.field("differs") == Json::Flag(true)).peekable();
    differing.peek()?;
    Some(OutputTable::from_rows(&columns, differing))
}

/// Lists missing repeats and undefined measures.
fn repeat_notes(repeats: &JudgeRepeats) -> Vec<String> {
    let mut notes = vec![];
    if repeats.repeats.is_empty() {
        notes.push(
            "no repeats: repeats have the same judge, model, prompt, budget, \
             temperature and rubric, and one commit; trajview judge --repeat K makes them"
                .to_owned(),
        );
    }
    for group in &repeats.repeats {
        let mut reasons: Vec<(&Json, Vec<&str>)> = vec![];
        for (name, why) in group.fields("not_defined") {
            match reasons.iter_mut().find(|(other, _)| *other == why) {
                Some((_, names)) => names.push(name),
                None => reasons.push((why, vec![name])),
            }
        }
        let reason_texts = reasons.iter().map(|(why, names)| {
            let (who, names) = (judge_text(group), names.join(", "));
            format!("{who}: {names} not defined: {}", why.cell(""))
        });
        notes.extend(reason_texts);
    }
    let lacks_plain = |it: &&Json| it.field("plain").is_null();
    if repeats.retests.iter().any(|it| lacks_plain(&it)) {
        notes.push(
            "without plain repeats nothing says what of the difference between rewordings is the draw alone; trajview \
             judge --repeat K makes them"
                .to_owned(),
        );
    }
    notes.push(
        "a flip is a pair of repeats on different sides of a boundary; severe is 1 or less".into(),
    );
    notes
}

/// Writes a row for every group, part and measure. Empty cells are not defined.
pub fn write_csv(repeats: &JudgeRepeats, out: &mut Out) -> io::Result<()> {
    let columns = "run first second against part name n measure value ci95_low=ci95.0 ci95_high=ci95.1 scores_first \
        scores_second";
    let repeated = repeats.repeats.iter().flat_map(csv_rows_of_group);
    let contrasts = repeats.contrasts.iter().flat_map(csv_rows_of_contrast);
    let retests = repeats.retests.iter().flat_map(csv_rows_of_retest);
    out.print_csv(columns, repeated.chain(contrasts).chain(retests))
}

/// Returns the rows of a retest in the CSV: `against` is `retest-plain` for plain repeats, over the components that the
/// rewordings have too, and `retest-reworded` for rewordings and the shift.
fn csv_rows_of_retest(it: &Json) -> Vec<Json> {
    let common = |against: &str| record! { run: it.field("run"), first: judge_text(it), second: (), against: against };
    let plain = summary_csv_rows(&common("retest-plain"), it.field("plain"));
    let reworded = summary_csv_rows(&common("retest-reworded"), it.field("reworded"));
    let shift = record! { compared: it.field("shift_compared"), shift: it.field("shift"), ci95: it.field("ci95") };
    let shift = summary_csv_rows(&common("retest-reworded"), &shift);
    plain.into_iter().chain(reworded).chain(shift).collect()
}

fn csv_rows_of_group(it: &Json) -> Vec<Json> {
    let common =
        record! { run: it.field("run"), first: judge_text(it), second: (), against: "repeat" };
    let measures = ["sd", "at_mode", "exact", "flips_2_3", "flips_3_4", "severe_flips", "within_1"];
    let part = |component: &Json| {
        record! {
            ..common,
            ..component_part(component, &["scores"]),
            scores_first: scores_cell(component, "scores"),
            scores_second: (),
        }
    };
    let components = it.rows("components").iter();
    let parts = components.flat_map(|it| measure_rows(part(it), it, &measures));
    summary_csv_rows(&common, it).into_iter().chain(parts).collect()
}

fn csv_rows_of_contrast(it: &Json) -> Vec<Json> {
    let common = record! {
        run: it.field("run"),
        first: judge_text(it.field("first")),
        second: judge_text(it.field("second")),
        against: it.field("against"),
    };
    let part = |component: &Json| {
        record! {
            ..common,
            ..component_part(component, &["first", "second"]),
            scores_first: scores_cell(component, "first"),
            scores_second: scores_cell(component, "second"),
        }
    };
    let components = it.rows("components").iter();
    let parts = components.flat_map(|it| measure_rows(part(it), it, &["gap", "exact"]));
    summary_csv_rows(&common, it).into_iter().chain(parts).collect()
}

/// Names a component, and counts the scores that it has in some lists.
fn component_part(component: &Json, lists: &[&str]) -> Json {
    let scores = lists.iter().flat_map(|list| component.rows(list));
    let n = scores.filter(|score| !score.is_null()).count();
    record! { part: "component", name: component.field("component"), n: n }
}

fn measure_rows(part: Json, component: &Json, measures: &[&str]) -> Vec<Json> {
    let row = |measure: &&str| record! { ..part, measure: measure, value: component.field(measure), ci95: () };
    measures.iter().map(row).collect()
}

fn summary_csv_rows(common: &Json, row: &Json) -> Vec<Json> {
    let measures = row.fields("ci95").iter();
    measures
        .map(|(measure, ci95)| {
            record! {
                ..common,
                part: "all",
                name: (),
                n: row.field("compared"),
                measure: measure,
                value: row.field(measure),
                ci95: ci95,
                scores_first: (),
                scores_second: (),
            }
        })
        .collect()
}
