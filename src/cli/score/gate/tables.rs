//! A gate for people: as text, and as a comment in Markdown.

use std::io;

use trajview_metrics::{Number, numbers::NumberStyle, quality::Ruler};
use trajview_run::format_number;

use super::{
    document::GateDocument,
    limits::{FEWEST_DIGITS, GateLimit, GateVerdict, MOST_DIGITS},
};
use crate::cli::{
    measuring_args,
    output::{Json, Out, OutputTable, TableColumn, escape_markdown},
    run_args::count_with_noun,
};

/// The most files without numbers that are listed; JSON has all.
const MOST_LEFT_OUT: usize = 5;

pub(super) fn print_gate(
    document: &GateDocument,
    is_markdown: bool,
    ruler: &Ruler,
    out: &mut Out,
) -> io::Result<()> {
    let json = &document.json;
    let path = json.field("target").cell("path");
    let states =
        format!("{} → {}", state_text(json.field("before")), state_text(json.field("after")));
    let head = format!("{states} · {}", measuring_args::ruler_text(ruler));
    if is_markdown {
        let title = format!("### {}\n\n", escape_markdown(&verdict_text(document)));
        out.print_bytes(title.as_bytes())?;
    }
    out.print_sentence(&format!("{} · {head}", code_text(&path, is_markdown)))?;
    out.print_line("")?;
    number_table(document).write_table(is_markdown, out)?;
    print_movers(document, is_markdown, out)?;
    print_left_out(json, is_markdown, out)?;
    out.print_line("")?;
    let undecided = json.rows("limits").iter().zip(&document.limits);
    for (row, (limit, _)) in undecided {
        if let Some(why) = row.text("why") {
            out.print_sentence(&format!("{} cannot be decided: {why}", limit.option()))?;
        }
    }
    if is_markdown { Ok(()) } else { out.print_sentence(&verdict_text(document)) }
}

/// Returns a state in words: its name, its commit, and what is not committed.
fn state_text(state: &Json) -> String {
    let name = state.cell("name");
    let is_named_by_turn = ["start", "turn ", "step "].iter().any(|word| name.starts_with(word));
    let turn = state.number("turn").filter(|_| !is_named_by_turn);
    let turn = turn.map(|turn| format!("turn {turn}"));
    let commit = state.text("commit").map(|id| id.chars().take(10).collect::<String>());
    let commit = commit.filter(|id| !name.starts_with(id.as_str()));
    let changed = state.number("changed").filter(|count| *count > 0.0);
    let changed =
        changed.map(|count| format!("{} not committed", count_with_noun(count as usize, "file")));
    let facts: Vec<String> = [turn, commit, changed].into_iter().flatten().collect();
    if facts.is_empty() { name } else { format!("{name} ({})", facts.join(", ")) }
}

fn number_table(document: &GateDocument) -> OutputTable {
    let mut table =
        OutputTable::new(&["number", ">before", ">after", ">difference", ">limit", "verdict"]);
    for (row, (limit, verdict)) in document.json.rows("limits").iter().zip(&document.limits) {
        let digits = limit.digits(row.number("before"), row.number("after"));
        let value = |field: &str| row.number(field).map(|value| limit.value_text(value, digits));
        let difference = row.number("difference").map(|it| limit.difference_text(it, digits));
        let dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".into());
        table.add_row(vec![
            number_name(*limit),
            dash(value("before")),
            dash(value("after")),
            dash(difference),
            limit.text(digits),
            verdict.word().to_owned(),
        ]);
    }
    table
}

fn number_name(limit: GateLimit) -> String {
    limit.number.short().to_owned()
}

/// Prints what moved each number that differs. The same rows are printed once.
fn print_movers(document: &GateDocument, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let mut printed: Vec<&[Json]> = vec![];
    for (row, (limit, _)) in document.json.rows("limits").iter().zip(&document.limits) {
        let movers = row.rows("moved_by");
        if movers.is_empty() || printed.contains(&movers) || row.number("difference") == Some(0.0) {
            continue;
        }
        printed.push(movers);
        out.print_line("")?;
        let title = movers_title(limit.number);
        match is_markdown {
            true => out.print_bytes(format!("**{title}**\n").as_bytes())?,
            false => out.print_sentence(&title)?,
        }
        out.print_line("")?;
        mover_table(limit.number, movers, is_markdown).write_table(is_markdown, out)?;
    }
    Ok(())
}

fn movers_title(number: Number) -> String {
    match number {
        Number::Verbosity => "rules and clones that changed most lines".into(),
        Number::CloneLines => "clones that changed most lines".into(),
        Number::HighCc => "functions that came above 10 paths or below".into(),
        Number::MaxCc => "changed functions with most paths".into(),
        _ => format!("functions that moved {} most", number.label()),
    }
}

fn mover_table(number: Number, movers: &[Json], is_markdown: bool) -> OutputTable {
    let place = |it: &Json| {
        let words = code_text(&format!("{}:{}", it.cell("path"), it.cell("line")), is_markdown);
        if it.flag("is_there") { words } else { format!("{words} (gone)") }
    };
    let name = |it: &Json| match it.text("name") {
        Some(name) => code_text(name, is_markdown),
        None => it.cell("kind"),
    };
    if matches!(number, Number::Verbosity | Number::CloneLines) {
        let columns: [TableColumn<'_, Json>; 4] = [
            ("rule", &name),
            ("place", &place),
            (">places", &|it| signed_count(it.number("places_difference"))),
            (">lines", &|it| signed_count(it.number("lines_difference"))),
        ];
        return OutputTable::from_rows(&columns, movers).with_keys(2);
    }
    let columns: [TableColumn<'_, Json>; 5] = [
        ("function", &name),
        ("place", &place),
        (">CC", &|it| before_after(it, |side| side.cell("cc"))),
        (">mass above 10", &|it| before_after(it, |side| side.digits_cell("high_mass", 1))),
        (">effect on erosion", &|it| effect_text(it.number("erosion_effect"))),
    ];
    OutputTable::from_rows(&columns, movers).with_keys(2)
}

/// Returns `9 → 14`; a dash on the side that does not have it.
fn before_after(row: &Json, cell: impl Fn(&Json) -> String) -> String {
    let side = |side: &Json| if side.is_null() { "-".to_owned() } else { cell(side) };
    format!("{} → {}", side(row.field("before")), side(row.field("after")))
}

/// Returns an effect with as many digits as show one.
fn effect_text(effect: Option<f64>) -> String {
    let Some(effect) = effect else { return "-".into() };
    let words = |digits| Number::Erosion.format_change(effect, NumberStyle::Digits(digits));
    (FEWEST_DIGITS..=MOST_DIGITS).find_map(words).unwrap_or_else(|| "0".into())
}

fn signed_count(count: Option<f64>) -> String {
    count.map_or_else(
        || "-".into(),
        |count| {
            let words = format_number::with_thousands(count.abs() as u64);
            format!("{}{words}", if count < 0.0 { '−' } else { '+' })
        },
    )
}

/// Returns recorded words as code, where the form is Markdown and they have no backtick themselves.
fn code_text(words: &str, is_markdown: bool) -> String {
    if is_markdown && !words.contains('`') { format!("`{words}`") } else { words.to_owned() }
}

fn print_left_out(json: &Json, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let [before, after] = ["before", "after"].map(|side| json.field(side));
    let are_equal = before.rows("skipped") == after.rows("skipped");
    let sides = [(before, before.cell("name")), (after, after.cell("name"))];
    let both = [(before, "both".to_owned())];
    let sides: &[(&Json, String)] = if are_equal { &both } else { &sides };
    for (state, name) in sides {
        let left_out = state.rows("skipped");
        if !left_out.is_empty() {
            out.print_line("")?;
        }
        for file in left_out.iter().take(MOST_LEFT_OUT) {
            let path = code_text(&file.cell("path"), is_markdown);
            out.print_sentence(&format!("left out of {name}: {path}: {}", file.cell("why")))?;
        }
        if left_out.len() > MOST_LEFT_OUT {
            let more = left_out.len() - MOST_LEFT_OUT;
            out.print_sentence(&format!("and {more} more; --json has all"))?;
        }
    }
    Ok(())
}

/// Returns the result of the gate in one sentence.
fn verdict_text(document: &GateDocument) -> String {
    let names = |verdict: GateVerdict| {
        let of = document.limits.iter().filter(|(_, it)| *it == verdict);
        of.map(|(limit, _)| number_name(*limit)).collect::<Vec<_>>().join(", ")
    };
    match document.verdict() {
        GateVerdict::Passed => format!("passed: {} within the limit", names(GateVerdict::Passed)),
        GateVerdict::Exceeded => {
            format!("failed: {} above the limit", names(GateVerdict::Exceeded))
        }
        GateVerdict::Undecided => {
            format!("failed: {} cannot be decided", names(GateVerdict::Undecided))
        }
    }
}
