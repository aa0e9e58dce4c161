//! What a recording says of the code of a checkpoint, beside what is computed here.

use std::{collections::BTreeSet, io};

use crate::cli::output::{Out, Table};
use trajview_metrics::{Number, numbers::ranked, quality::Scored};

use super::{document::PointFacts, tables::label};

/// A row a checkpoint: `recorded | ours` of all that is recorded of any; nothing where nothing is.
pub fn print(points: &[(PointFacts, Scored)], is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let is_recorded =
        |number: &Number| points.iter().any(|(facts, _)| recorded(facts, *number).is_some());
    let shown = ranked(|shown| shown.beside).into_iter().filter(is_recorded);
    let shown: Vec<Number> = shown.collect();
    if shown.is_empty() {
        return Ok(());
    }
    let heads = shown.iter().map(|number| format!(">{}", number.short()));
    let heads = std::iter::once("recorded | ours".to_owned()).chain(heads);
    let mut table = Table::headed(heads.collect());
    for (facts, scored) in points.iter().filter(|(facts, _)| facts.recorded.is_some()) {
        let cells = shown.iter().map(|number| cell(facts, scored, *number));
        table.row(std::iter::once(label(facts)).chain(cells).collect());
    }
    out.line("")?;
    table.write(is_markdown, out)?;
    let doubts = points.iter().flat_map(|(facts, _)| &facts.recorded_doubts);
    let doubts: BTreeSet<String> = doubts
        .filter(|(metric, _)| shown.iter().any(|number| number.id() == **metric))
        .map(|(metric, why)| format!("? recorded {metric}: {why}"))
        .collect();
    doubts.iter().try_for_each(|line| out.sentence(line))
}

fn recorded(facts: &PointFacts, number: Number) -> Option<f64> {
    facts.recorded.as_ref()?.get(number.id()).copied()
}

/// `0.1126? | 0.1552`: what is doubtful has a question mark.
fn cell(facts: &PointFacts, scored: &Scored, number: Number) -> String {
    let said = |value: Option<f64>| match value {
        None => "-".to_owned(),
        Some(value) if number.is_share() => format!("{value:.4}"),
        Some(value) if value.fract() == 0.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.2}"),
    };
    let ours = scored.code().and_then(|code| number.of_code(code));
    let mark = if facts.recorded_doubts.contains_key(number.id()) { "?" } else { "" };
    format!("{}{mark} | {}", said(recorded(facts, number)), said(ours))
}
