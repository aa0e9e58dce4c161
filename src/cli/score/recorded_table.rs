//! Recorded values of a checkpoint's code next to the computed ones.

use std::{collections::BTreeSet, io};

use crate::cli::output::{Out, OutputTable};
use trajview_metrics::{Number, numbers::RECORDED_TABLE, quality::ScoredSnapshot};

use super::{document::PointFacts, tables::point_label};

/// Prints a row a checkpoint: `recorded | ours` of all that is recorded of any; nothing if nothing is.
pub(crate) fn print_recorded(
    points: &[(PointFacts, ScoredSnapshot)],
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let is_recorded =
        |number: &Number| points.iter().any(|(facts, _)| recorded_value(facts, *number).is_some());
    let shown = RECORDED_TABLE.iter().copied().filter(is_recorded);
    let shown: Vec<Number> = shown.collect();
    if shown.is_empty() {
        return Ok(());
    }
    let heads = shown.iter().map(|number| format!(">{}", number.short()));
    let heads = std::iter::once("recorded | ours".to_owned()).chain(heads);
    let mut table = OutputTable::with_heads(heads.collect());
    for (facts, scored) in points.iter().filter(|(facts, _)| facts.recorded.is_some()) {
        let cells = shown.iter().map(|number| recorded_and_ours_cell(facts, scored, *number));
        table.add_row(std::iter::once(point_label(facts)).chain(cells).collect());
    }
    out.print_line("")?;
    table.write_table(is_markdown, out)?;
    let doubts = points.iter().flat_map(|(facts, _)| &facts.recorded_doubts);
    let doubts: BTreeSet<String> = doubts
        .filter(|(metric, _)| shown.iter().any(|number| number.id() == **metric))
        .map(|(metric, why)| format!("? recorded {metric}: {why}"))
        .collect();
    doubts.iter().try_for_each(|line| out.print_sentence(line))
}

fn recorded_value(facts: &PointFacts, number: Number) -> Option<f64> {
    facts.recorded.as_ref()?.get(number.id()).copied()
}

/// Returns `0.1126? | 0.1552`: what is doubtful has a question mark.
fn recorded_and_ours_cell(facts: &PointFacts, scored: &ScoredSnapshot, number: Number) -> String {
    let value_text = |value: Option<f64>| match value {
        None => "-".to_owned(),
        Some(value) if number.is_share() => format!("{value:.4}"),
        Some(value) if value.fract() == 0.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.2}"),
    };
    let ours = scored.measured_snapshot().and_then(|code| number.value_of_code(code));
    let mark = if facts.recorded_doubts.contains_key(number.id()) { "?" } else { "" };
    format!("{}{mark} | {}", value_text(recorded_value(facts, number)), value_text(ours))
}
