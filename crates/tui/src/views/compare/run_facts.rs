//! The fact rows on the compared runs: their source, their judges, the warnings.

use crate::{session::table_protocol::agent_text, widgets::fact_rows::FactRow};
use trajview_run::format_number;
use trajview_study::{
    Estimate,
    compare::{ComparedRun, EstimatedNumber, INTERVAL_METHOD, run_letter, turns_done_at_judgement},
};

use super::{ComparisonView, verdict_source::judgement_name};

pub(crate) fn comparison_facts(compared: &ComparisonView) -> Vec<FactRow> {
    let ruler = compared.measures.ruler.as_ref().map(|ruler| {
        let rules = format!("{}, {} rules, {}", ruler.display_text(), ruler.rules, ruler.source);
        FactRow::new("measured by", rules)
    });
    let by = compared.subtraction();
    let why = if by.is_slump { "" } else { ": the conditions do not identify the emergent run" };
    let first = vec![
        FactRow::heading("comparison"),
        FactRow::new("differences", format!("{}{why}", by.display_text())),
    ];
    let runs = compared
        .all_parties()
        .iter()
        .enumerate()
        .flat_map(|(at, party)| run_facts(compared, at, party));
    first.into_iter().chain(ruler).chain(interval_rows(compared)).chain(runs).collect()
}

/// Returns SLUMP's numbers of the two runs and their difference, each with its interval.
fn interval_rows(compared: &ComparisonView) -> Vec<FactRow> {
    let [a, b] = compared.pair.map(run_letter);
    let known = compared.intervals.estimates.iter().filter(|it| it.a.value.or(it.b.value).is_ok());
    let row = |it: &EstimatedNumber| {
        let interval_text = |of: &Estimate| with_interval(of);
        let words = format!(
            "{a} {}, {b} {}, difference {}",
            interval_text(&it.a),
            interval_text(&it.b),
            interval_text(&it.difference)
        );
        FactRow::new(it.number.short(), words)
    };
    let rows: Vec<FactRow> = known.map(row).collect();
    let how = FactRow::new("intervals", INTERVAL_METHOD);
    if rows.is_empty() { rows } else { [how].into_iter().chain(rows).collect() }
}

/// Returns `0.541 [0.380, 0.699]`; a dash where there is no value.
fn with_interval(of: &Estimate) -> String {
    let Ok(value) = of.value else { return format_number::MISSING_SIGN.into() };
    let ends = of.interval.map(|it| format!(" {}", format_number::interval_text(it.low, it.high)));
    format_number::three_decimals(value) + &ends.unwrap_or_default()
}

fn run_facts(compared: &ComparisonView, at: usize, party: &ComparedRun) -> Vec<FactRow> {
    let run = &party.run;
    let path = compared.paths.get(at).map(|path| path.display().to_string());
    let title = run.task.as_ref().and_then(|task| task.title.clone());
    let task = title.or_else(|| run.task_key());
    let judged = party.judgement().map(|judgement| {
        let coverage = party.rubric.coverage(judgement);
        let done = turns_done_at_judgement(run, judgement);
        format!(
            "{} ({coverage} components at turn {done}), {}",
            judgement_name(judgement),
            judgement.file
        )
    });
    let commit = run.turns[..run.end_in_turns()]
        .iter()
        .rev()
        .find_map(|turn| turn.commit.as_deref().map(str::to_owned));
    let trial = run.trial.iter().flat_map(|trial| trial.named_facts());
    let trial = trial.map(|(name, value)| (name, Some(value)));
    let facts = [
        ("condition", run.condition.clone()),
        ("agent", Some(agent_text(run))),
        ("model", run.model.clone()),
        ("turns", (!run.has_no_log()).then(|| run.counted_turns().count().to_string())),
        ("checkpoints", Some(run.checkpoints.len().to_string())),
        ("last commit", commit),
        ("judged by", Some(judged.unwrap_or_else(|| "not judged".into()))),
        ("MCF", compared.correction_text(at)),
        ("provenance", run.origin.provenance.clone()),
    ];
    let facts = [("path", path), ("task", task)].into_iter().chain(trial).chain(facts);
    let rows = facts.filter_map(|(name, value)| Some(FactRow::new(name, value?)));
    [FactRow::heading(&format!("{} {}", run_letter(at), run.id))].into_iter().chain(rows).collect()
}

pub(crate) fn warning_rows(compared: &ComparisonView) -> Vec<FactRow> {
    let mut rows: Vec<FactRow> =
        compared.warnings().into_iter().map(|words| FactRow::new("comparison", words)).collect();
    for (at, party) in compared.all_parties().iter().enumerate() {
        let all = party.rubric.warnings.iter().chain(&party.run.warnings);
        rows.extend(
            all.map(|it| FactRow::new(format!("{} {}", run_letter(at), it.place), it.what.clone())),
        );
    }
    if rows.is_empty() {
        rows.push(FactRow::new("", "none: same task, one judge, no read errors"));
    }
    rows
}
