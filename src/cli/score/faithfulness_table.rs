//! Faithfulness and exposure for people.

use std::io;

use crate::cli::{
    corrected_fields::corrected_text,
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash},
};
use trajview_metrics::{Number, exposure::ExposureShares, numbers::NumberStyle};

use trajview_run::model_vendor::shared_vendor_text;

use super::{document::ScoreDocument, faithfulness::FaithfulnessRow, tables::MOST_ROWS};

/// Prints the numbers and what each is over; nothing of a run that exports nothing and has nothing to be judged by.
pub(crate) fn print_faithfulness(
    document: &ScoreDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let Some(row) = &document.faithfulness else { return Ok(()) };
    let exposure = document.exposure.as_ref();
    let json = &row.json;
    let has_field = |field: &str| !json.field(field).is_null();
    if !has_field("dir") && !has_field("components") && exposure.is_none() {
        return Ok(());
    }
    let mut table = OutputTable::new(&["faithfulness", ">value", "over"]);
    add_score_rows(row, &mut table);
    if let Some(exposure) = exposure {
        add_exposure_rows(exposure, &mut table);
    }
    out.print_line("")?;
    if has_field("turn") {
        let place = state_text(json);
        out.print_sentence(&format!("at the end: {place} · profile {}", json.cell("profile")))?;
        out.print_line("")?;
    }
    table.write_table(is_markdown, out)?;
    faithfulness_notes(row)
        .into_iter()
        .chain(exposure.into_iter().flat_map(exposure_notes))
        .try_for_each(|words| out.print_sentence(&words))
}

fn add_score_rows(row: &FaithfulnessRow, table: &mut OutputTable) {
    let json = &row.json;
    let cells = |number: Number, over: String| number_cells(number, json.number(number.id()), over);
    table.add_row(cells(Number::Mcf, format!("0 to 4, {}", judged_text(row))).into());
    if let Some(over) = corrected_text(json) {
        let [_, value, over] = number_cells(Number::Mcf, json.number("corrected_mcf"), over);
        table.add_row(vec!["MCF corrected".into(), value, over]);
    }
    let mut add = |number: Number, over: String| table.add_row(cells(number, over).into());
    if json.number("mcf_capped").is_some() {
        add(Number::McfCapped, row.blocked.clone());
    }
    let by_score = json.rows("by_score");
    if !by_score.is_empty() {
        let by_score: Vec<String> = by_score.iter().map(Json::csv_cell).collect();
        let by_score = by_score.join(", ");
        let levels = if row.pooled.is_some() { "nearest levels" } else { "scores" };
        add(Number::Severe, format!("scores of 0 or 1; {levels} from 0 to 4: {by_score}"));
        add(Number::Full, "scores of 4".into());
    }
    add(Number::Dir, reuse_text(json.field("dir_detail")));
    add(Number::If50, "half MCF / 4, half DIR".into());
}

/// Describes the symbols that DIR is computed from.
fn reuse_text(detail: &Json) -> String {
    if detail.field("exported").is_null() {
        return "no file could be read".into();
    }
    if let Some(why) = detail.text("not_defined") {
        return why.into();
    }
    let besides = match detail.count("registered") {
        0 => String::new(),
        count => format!("; {count} more are registered"),
    };
    let (reused, exported) = (detail.cell("reused"), detail.cell("exported"));
    format!("{reused} of {exported} exported symbols are used by another module{besides}")
}

fn number_cells(number: Number, value: Option<f64>, over: String) -> [String; 3] {
    let value = cell_or_dash(value.map(|value| number.format_value(value, NumberStyle::Digits(4))));
    [number.short().into(), value, over]
}

/// Describes the denominator of MCF.
fn judged_text(row: &FaithfulnessRow) -> String {
    let json = &row.json;
    let all = json.cell("components");
    match (json.field("components"), json.field("judgement")) {
        (Json::Null, _) => "no checklist, no judgement".into(),
        (_, Json::Null) if json.rows("partial").is_empty() => {
            format!("none of {all} components judged")
        }
        (_, Json::Null) => format!("no judgement has a score for each of {all} components"),
        _ => format!("{} of {all} components judged by {}", json.cell("judged"), judge_text(row)),
    }
}

fn judge_text(row: &FaithfulnessRow) -> String {
    let judgement = row.json.field("judgement");
    let name = judgement.cell("name");
    if let Some(words) = &row.pooled {
        return format!("{name} ({words})");
    }
    let model = judgement.text("model").filter(|model| **model != name);
    let model = model.map(|model| format!(", {model}")).unwrap_or_default();
    format!("{name}{model} ({})", judgement.cell("file"))
}

fn add_exposure_rows(row: &ExposureShares, table: &mut OutputTable) {
    let all = row.components;
    let Some(last) = row.last_turn() else { return };
    let mut add = |number: Number, share: f64, what: &str| {
        let count = (share * all as f64).round();
        let over = format!("{count} of {all} components {what}");
        table.add_row(number_cells(number, Some(share), over).into());
    };
    add(Number::Rcr, last.rcr, "can be recovered from the requests");
    add(Number::Esr, last.esr, "were stated explicitly");
}

/// Lists by name what the numbers leave out.
fn faithfulness_notes(row: &FaithfulnessRow) -> Vec<String> {
    let json = &row.json;
    let texts =
        |field: &str| -> Vec<String> { json.rows(field).iter().map(Json::csv_cell).collect() };
    let mut notes = vec![];
    let partial = texts("partial");
    if !partial.is_empty() {
        let all = partial.join("; ");
        notes.push(format!("incomplete judgement, not used: {all}; choose one with --judge"));
    }
    if !json.field("judgement").is_null() {
        notes.extend(other_tree_note(json));
        notes.extend(json.text("shared_vendor").map(shared_vendor_text));
        let judges = texts("judges");
        if judges.len() > 1 {
            let all = judges.join(", ");
            notes.push(format!("judgements by: {all}; --judge chooses"));
        }
        notes.extend(ids_note("without a verdict", &texts("without_verdict")));
        notes.extend(ids_note("judged, not in the checklist", &texts("without_component")));
        notes.extend(row.doubts.iter().cloned());
    }
    notes.extend(json.text("not_corrected").map(|why| format!("MCF not corrected: {why}")));
    let unscored = |it: &Json| format!("{}: {}", it.cell("component"), it.cell("why"));
    let missing = json.rows("without_score").iter();
    notes.extend(missing.map(|it| format!("no score for {}", unscored(it))));
    let reasoned = json.rows("without_need").iter();
    notes.extend(reasoned.map(|it| format!("not scored: {}", unscored(it))));
    let unread = json.rows("dir_detail.skipped").iter();
    notes.extend(
        unread.map(|it| format!("left out of DIR: {}: {}", it.cell("path"), it.cell("why"))),
    );
    if json.flag("dir_detail.gave_up") {
        notes.push("DIR: some names are too tangled to be followed; reuse may be missed".into());
    }
    notes
}

/// Returns `commit 0123456789, turn 3` of a record with both.
fn state_text(state: &Json) -> String {
    let short = |commit: &str| commit.chars().take(10).collect::<String>();
    let commit = state.text("commit").map(|commit| format!("commit {}", short(commit)));
    let turn = state.number("turn").map(|turn| format!("turn {turn}"));
    commit.into_iter().chain(turn).collect::<Vec<_>>().join(", ")
}

/// Returns the judged tree, where it is not the one that was scored.
fn other_tree_note(row: &Json) -> Option<String> {
    let (scored, judgement) = (state_text(row), row.field("judgement"));
    match judgement.field("is_of_this_tree") {
        Json::Flag(true) => None,
        Json::Flag(false) => {
            let judged = state_text(judgement);
            Some(format!("the judgement is of {judged}; DIR is of {scored}: IF50 mixes the two"))
        }
        _ => Some(format!("the judgement does not name its tree; DIR is of {scored}")),
    }
}

fn ids_note(what: &str, ids: &[String]) -> Option<String> {
    (!ids.is_empty()).then(|| format!("{what}: {}", ids.join(", ")))
}

fn exposure_notes(row: &ExposureShares) -> Vec<String> {
    let not_recorded = ids_note("exposure not recorded, in no share", &row.not_recorded);
    let strangers = ids_note("exposure recorded, not in the checklist", &row.without_component);
    not_recorded.into_iter().chain(strangers).collect()
}

/// Prints the exported symbols with their users, those that nobody uses first, and what the files count as.
pub(crate) fn print_detail(
    row: &FaithfulnessRow,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let mut print = |table: &OutputTable| {
        out.print_line("")?;
        table.write_table(is_markdown, out)
    };
    let detail = row.json.field("dir_detail");
    let mut symbols: Vec<&Json> = detail.rows("symbols").iter().collect();
    symbols.sort_by_key(|symbol| !symbol.rows("reused_by").is_empty()); // stable: else in their order
    let columns: [TableColumn<'_, Json>; 4] = [
        ("exported symbol", &|it| it.cell("name")),
        ("kind", &|it| it.cell("kind")),
        ("place", &|it| format!("{}:{}", it.cell("path"), it.cell("line"))),
        ("used by", &|it| match it.rows("reused_by") {
            [] => match it.text("registered") {
                Some(by) => format!("registered: {by}"),
                None => "nobody".into(),
            },
            users => users.iter().map(Json::csv_cell).collect::<Vec<_>>().join(", "),
        }),
    ];
    print(&OutputTable::from_rows(&columns, symbols.iter().copied().take(MOST_ROWS)))?;
    let modules = detail.rows("modules");
    let columns: [TableColumn<'_, Json>; 3] = [
        ("file", &|it| it.cell("path")),
        ("counts as", &|it| it.cell("role")),
        ("why", &|it| it.cell("why")),
    ];
    print(&OutputTable::from_rows(&columns, modules.iter().take(MOST_ROWS)))?;
    if symbols.len().max(modules.len()) > MOST_ROWS {
        out.print_sentence(&format!(
            "the first {MOST_ROWS} of {} exported symbols, {} files; --json has all",
            symbols.len(),
            modules.len()
        ))?;
    }
    Ok(())
}
