//! Faithfulness and exposure for people.

use std::io;

use crate::cli::output::{Out, OutputTable, cell_or_dash};
use trajview_metrics::{Number, faithfulness::UnscoredComponent, numbers::NumberStyle};

use super::{
    document::ScoreDocument,
    faithfulness::{ExposureRow, FaithfulnessRow, ScoreJudgementRow},
    tables::MOST_ROWS,
};

/// Prints the numbers and what each is over; nothing of a run that exports nothing and has nothing to be judged by.
pub(crate) fn print_faithfulness(
    document: &ScoreDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let Some(row) = &document.faithfulness else { return Ok(()) };
    let exposure = document.exposure.as_ref();
    if row.values.dir.is_none() && row.components.is_none() && exposure.is_none() {
        return Ok(());
    }
    let mut table = OutputTable::new(&["faithfulness", ">value", "over"]);
    add_score_rows(row, &mut table);
    if let Some(exposure) = exposure {
        add_exposure_rows(exposure, &mut table);
    }
    out.print_line("")?;
    if let Some(turn) = row.turn {
        let place = state_text(row.commit.as_ref(), Some(turn));
        out.print_sentence(&format!("at the end: {place} · profile {}", row.profile))?;
        out.print_line("")?;
    }
    table.write_table(is_markdown, out)?;
    faithfulness_notes(row)
        .into_iter()
        .chain(exposure.into_iter().flat_map(exposure_notes))
        .try_for_each(|words| out.print_sentence(&words))
}

fn add_score_rows(row: &FaithfulnessRow, table: &mut OutputTable) {
    let count = |value: Option<usize>| value.map(|value| value as f64);
    let mut add = |number: Number, value: Option<f64>, over: String| {
        table.add_row(number_cells(number, value, over))
    };
    let judged = judged_text(row);
    add(Number::Mcf, row.values.mcf, format!("0 to 4, {judged}"));
    if row.values.mcf_capped.is_some() {
        add(Number::McfCapped, row.values.mcf_capped, row.blocked.clone());
    }
    if let Some(by_score) = row.values.by_score {
        let by_score = by_score.map(|count| count.to_string()).join(", ");
        let is_pooled = row.judgement.as_ref().is_some_and(|it| it.pooled.is_some());
        let levels = if is_pooled { "nearest levels" } else { "scores" };
        add(
            Number::Severe,
            count(row.values.severe),
            format!("scores of 0 or 1; {levels} from 0 to 4: {by_score}"),
        );
        add(Number::Full, count(row.values.full), "scores of 4".into());
    }
    let detail = &row.dir_detail;
    let symbols = match (detail.reused, detail.exported) {
        (_, None) => "no file could be read".into(),
        (_, Some(_)) if detail.not_defined.is_some() => {
            detail.not_defined.unwrap_or_default().into()
        }
        (reused, Some(exported)) => {
            let reused = reused.unwrap_or_default();
            let besides = match detail.registered.unwrap_or_default() {
                0 => String::new(),
                count => format!("; {count} more are registered"),
            };
            format!("{reused} of {exported} exported symbols are used by another module{besides}")
        }
    };
    add(Number::Dir, row.values.dir, symbols);
    add(Number::If50, row.values.if50, "half MCF / 4, half DIR".into());
}

fn number_cells(number: Number, value: Option<f64>, over: String) -> Vec<String> {
    let value = cell_or_dash(value.map(|value| number.format_value(value, NumberStyle::Digits(4))));
    vec![number.short().into(), value, over]
}

/// Describes the denominator of MCF.
fn judged_text(row: &FaithfulnessRow) -> String {
    match (row.judged, row.components, &row.judgement) {
        (Some(judged), Some(all), Some(judgement)) => {
            format!("{judged} of {all} components judged by {}", judge_text(judgement))
        }
        (_, Some(all), _) if row.missing.partial.is_empty() => {
            format!("none of {all} components judged")
        }
        (_, Some(all), _) => format!("no judgement has a score for each of {all} components"),
        _ => "no checklist, no judgement".into(),
    }
}

fn judge_text(judgement: &ScoreJudgementRow) -> String {
    if let Some(pooled) = &judgement.pooled {
        return format!("{} ({})", judgement.name, pooled.words);
    }
    let model = judgement.model.iter().filter(|model| **model != judgement.name);
    let words = [judgement.name.clone()].into_iter().chain(model.cloned());
    format!("{} ({})", words.collect::<Vec<_>>().join(", "), judgement.file)
}

fn add_exposure_rows(row: &ExposureRow, table: &mut OutputTable) {
    let all = row.components;
    let mut add = |number: Number, share: Option<f64>, what: &str| {
        let Some(share) = share else { return };
        let count = (share * all as f64).round();
        let over = format!("{count} of {all} components {what}");
        table.add_row(number_cells(number, Some(share), over));
    };
    add(Number::Rcr, row.rcr, "can be recovered from the requests");
    add(Number::Esr, row.esr, "were stated explicitly");
}

/// Lists by name what the numbers leave out.
fn faithfulness_notes(row: &FaithfulnessRow) -> Vec<String> {
    let mut notes = vec![];
    if !row.missing.partial.is_empty() {
        let all = row.missing.partial.join("; ");
        notes.push(format!("incomplete judgement, not used: {all}; choose one with --judge"));
    }
    if let Some(judgement) = &row.judgement {
        notes.extend(other_tree_note(row, judgement));
        if row.judges.len() > 1 {
            let all = row.judges.join(", ");
            notes.push(format!("judgements by: {all}; --judge chooses"));
        }
        notes.extend(ids_note("without a verdict", &row.missing.without_verdict));
        notes.extend(ids_note("judged, not in the checklist", &row.missing.without_component));
    }
    let unscored = |UnscoredComponent { component, why }: &UnscoredComponent| {
        format!("no score for {component}: {why}")
    };
    notes.extend(row.missing.without_score.iter().map(unscored));
    let reasoned = |UnscoredComponent { component, why }: &UnscoredComponent| {
        format!("not scored: {component}: {why}")
    };
    notes.extend(row.missing.without_need.iter().map(reasoned));
    let unread = row.dir_detail.skipped.iter();
    notes.extend(unread.map(|file| format!("left out of DIR: {}: {}", file.path, file.why)));
    if row.dir_detail.gave_up {
        notes.push("DIR: some names are too tangled to be followed; reuse may be missed".into());
    }
    notes
}

/// Returns `commit 0123456789, turn 3`.
fn state_text(commit: Option<&String>, turn: Option<usize>) -> String {
    let short = |commit: &String| commit.chars().take(10).collect::<String>();
    let commit = commit.map(|commit| format!("commit {}", short(commit)));
    let turn = turn.map(|turn| format!("turn {turn}"));
    commit.into_iter().chain(turn).collect::<Vec<_>>().join(", ")
}

/// Returns the judged tree, where it is not the one that was scored.
fn other_tree_note(row: &FaithfulnessRow, judgement: &ScoreJudgementRow) -> Option<String> {
    let scored = state_text(row.commit.as_ref(), row.turn);
    match judgement.is_of_this_tree {
        Some(true) => None,
        Some(false) => {
            let judged = state_text(judgement.commit.as_ref(), judgement.turn);
            Some(format!("the judgement is of {judged}; DIR is of {scored}: IF50 mixes the two"))
        }
        None => Some(format!("the judgement does not name its tree; DIR is of {scored}")),
    }
}

fn ids_note(what: &str, ids: &[String]) -> Option<String> {
    (!ids.is_empty()).then(|| format!("{what}: {}", ids.join(", ")))
}

fn exposure_notes(row: &ExposureRow) -> Vec<String> {
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
    let mut symbols: Vec<_> = row.dir_detail.symbols.iter().collect();
    symbols.sort_by_key(|symbol| !symbol.reused_by.is_empty()); // stable: else in their order
    let mut table = OutputTable::new(&["exported symbol", "kind", "place", "used by"]);
    for symbol in symbols.iter().take(MOST_ROWS) {
        let users = match symbol.reused_by.as_slice() {
            [] => match &symbol.registered {
                Some(by) => format!("registered: {by}"),
                None => "nobody".into(),
            },
            users => users.join(", "),
        };
        let kind = symbol.kind.name().to_owned();
        let place = format!("{}:{}", symbol.path, symbol.line);
        table.add_row(vec![symbol.name.clone(), kind, place, users]);
    }
    print(&table)?;
    let mut table = OutputTable::new(&["file", "counts as", "why"]);
    for module in row.dir_detail.modules.iter().take(MOST_ROWS) {
        table.add_row(vec![module.path.clone(), module.role.name().into(), module.why.into()]);
    }
    print(&table)?;
    let all = (symbols.len(), row.dir_detail.modules.len());
    if all.0.max(all.1) > MOST_ROWS {
        out.print_sentence(&format!(
            "the first {MOST_ROWS} of {} exported symbols, {} files; --json has all",
            all.0, all.1
        ))?;
    }
    Ok(())
}
