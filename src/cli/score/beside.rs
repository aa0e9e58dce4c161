//! What a recording says of the code of a checkpoint, beside what is computed here.

use std::{collections::BTreeSet, io};

use crate::{
    cli::output::{Out, Table},
    metrics::quality::Scored,
};

use super::{
    document::{PointFacts, numbers},
    tables::label,
};

/// Our names of what a harness may record too, the heads of their columns, and which are shares.
const COLUMNS: [(&str, &str, bool); 11] = [
    ("erosion", ">erosion", true),
    ("verbosity", ">verbosity", true),
    ("mass", ">mass", false),
    ("files", ">files", false),
    ("lines", ">lines", false),
    ("sloc", ">sloc", false),
    ("callables", ">callables", false),
    ("high_cc", ">CC > 10", false),
    ("max_cc", ">max CC", false),
    ("mean_cc", ">mean CC", false),
    ("clone_lines", ">clone lines", false),
];

/// A row a checkpoint: `recorded | ours` of all that is recorded of any; nothing where nothing is.
pub fn print(points: &[(PointFacts, Scored)], is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let is_recorded = |metric: &str| {
        let of = |(facts, _): &(PointFacts, Scored)| recorded(facts, metric).is_some();
        points.iter().any(of)
    };
    let shown: Vec<_> = COLUMNS.into_iter().filter(|(metric, ..)| is_recorded(metric)).collect();
    if shown.is_empty() {
        return Ok(());
    }
    let heads: Vec<&str> =
        std::iter::once("recorded | ours").chain(shown.iter().map(|column| column.1)).collect();
    let mut table = Table::new(&heads);
    for (facts, scored) in points.iter().filter(|(facts, _)| facts.recorded.is_some()) {
        let cells =
            shown.iter().map(|&(metric, _, is_share)| cell(facts, scored, metric, is_share));
        table.row(std::iter::once(label(facts)).chain(cells).collect());
    }
    out.line("")?;
    if is_markdown {
        table.markdown(out)?
    } else {
        table.print(out)?
    }
    let doubts = points.iter().flat_map(|(facts, _)| &facts.recorded_doubts);
    let doubts: BTreeSet<String> = doubts
        .filter(|(metric, _)| shown.iter().any(|column| column.0 == **metric))
        .map(|(metric, why)| format!("? recorded {metric}: {why}"))
        .collect();
    doubts.iter().try_for_each(|line| out.line(line))
}

fn recorded(facts: &PointFacts, metric: &str) -> Option<f64> {
    facts.recorded.as_ref()?.get(metric).copied()
}

/// `0.1126? | 0.1552`: what is doubtful has a question mark.
fn cell(facts: &PointFacts, scored: &Scored, metric: &str, is_share: bool) -> String {
    let said = |value: Option<f64>| match value {
        None => "-".to_owned(),
        Some(value) if is_share => format!("{value:.4}"),
        Some(value) if value.fract() == 0.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.2}"),
    };
    let mark = if facts.recorded_doubts.contains_key(metric) { "?" } else { "" };
    format!("{}{mark} | {}", said(recorded(facts, metric)), said(ours(scored, metric)))
}

/// None also where nothing was measured.
fn ours(scored: &Scored, metric: &str) -> Option<f64> {
    let counts = numbers(scored);
    let whole = |count: Option<u64>| count.map(|count| count as f64);
    match metric {
        "erosion" => scored.erosion(),
        "verbosity" => scored.verbosity(),
        "mass" => counts.mass,
        "files" => scored.is_measured().then(|| f64::from(scored.snapshot.files)),
        "lines" => whole(counts.lines),
        "sloc" => whole(counts.sloc),
        "callables" => whole(counts.callables),
        "high_cc" => whole(counts.high_cc),
        "max_cc" => counts.max_cc.map(f64::from),
        "mean_cc" => counts.mean_cc,
        "clone_lines" => whole(counts.clone_lines),
        _ => None,
    }
}
