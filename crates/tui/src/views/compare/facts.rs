//! What is told of the runs that are compared: where they come from, who judged them, what weakens the comparison.

use crate::{session::runs::agent, widgets::facts::Row};
use trajview_run::figures;
use trajview_study::{
    Estimate,
    compare::{DRAWN, Estimated, Party, done_at, letter},
};

use super::{Comparison, judging::called};

pub fn of(compared: &Comparison) -> Vec<Row> {
    let ruler = compared.measures.ruler.as_ref().map(|ruler| {
        let rules = format!("{}, {} rules, {}", ruler.said(), ruler.rules, ruler.source);
        Row::of("measured by", rules)
    });
    let by = compared.subtraction();
    let why =
        if by.is_slump { "" } else { ": the conditions do not say which run is the emergent one" };
    let first =
        vec![Row::heading("comparison"), Row::of("differences", format!("{}{why}", by.words()))];
    let runs =
        compared.all().iter().enumerate().flat_map(|(at, party)| of_run(compared, at, party));
    first.into_iter().chain(ruler).chain(intervals(compared)).chain(runs).collect()
}

/// SLUMP's numbers of the two runs and their difference, each with its interval.
fn intervals(compared: &Comparison) -> Vec<Row> {
    let [a, b] = compared.pair.map(letter);
    let known = compared.intervals.found.iter().filter(|it| it.a.value.or(it.b.value).is_ok());
    let row = |it: &Estimated| {
        let told = |of: &Estimate| with_interval(of);
        let words = format!(
            "{a} {}, {b} {}, difference {}",
            told(&it.a),
            told(&it.b),
            told(&it.difference)
        );
        Row::of(it.number.short(), words)
    };
    let rows: Vec<Row> = known.map(row).collect();
    let how = Row::of("intervals", DRAWN);
    if rows.is_empty() { rows } else { [how].into_iter().chain(rows).collect() }
}

/// `0.541 [0.380, 0.699]`; a dash where there is no value.
fn with_interval(of: &Estimate) -> String {
    let Ok(value) = of.value else { return "–".into() };
    let ends = of.interval.map(|it| format!(" {}", figures::interval(it.low, it.high)));
    figures::share(value) + &ends.unwrap_or_default()
}

fn of_run(compared: &Comparison, at: usize, party: &Party) -> Vec<Row> {
    let run = &party.run;
    let path = compared.paths.get(at).map(|path| path.display().to_string());
    let task = run.task.as_ref().map(|task| task.title.clone().unwrap_or_else(|| task.id.clone()));
    let judged = party.judgement().map(|judgement| {
        let coverage = party.rubric.coverage(judgement);
        let done = done_at(run, judgement);
        format!("{} ({coverage} components at turn {done}), {}", called(judgement), judgement.file)
    });
    let commit = run.turns[..run.end()]
        .iter()
        .rev()
        .find_map(|turn| turn.commit.as_deref().map(str::to_owned));
    let facts = [
        ("path", path),
        ("task", task),
        ("condition", run.condition.clone()),
        ("agent", Some(agent(run))),
        ("model", run.model.clone()),
        ("turns", Some(run.counted_turns().count().to_string())),
        ("checkpoints", Some(run.checkpoints.len().to_string())),
        ("last commit", commit),
        ("judged by", Some(judged.unwrap_or_else(|| "not judged".into()))),
        ("how it came to be", run.origin.provenance.clone()),
    ];
    let rows = facts.into_iter().filter_map(|(name, value)| Some(Row::of(name, value?)));
    [Row::heading(&format!("{} {}", letter(at), run.id))].into_iter().chain(rows).collect()
}

pub fn warnings(compared: &Comparison) -> Vec<Row> {
    let mut rows: Vec<Row> =
        compared.warnings().into_iter().map(|words| Row::of("comparison", words)).collect();
    for (at, party) in compared.all().iter().enumerate() {
        let all = party.rubric.warnings.iter().chain(&party.run.warnings);
        rows.extend(all.map(|it| Row::of(format!("{} {}", letter(at), it.place), it.what.clone())));
    }
    if rows.is_empty() {
        rows.push(Row::of("", "nothing: same task, one judge, everything could be read"));
    }
    rows
}
