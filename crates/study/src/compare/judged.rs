//! Which verdicts speak for each of the runs.

use super::Party;
use trajview_run::{
    Run,
    named::Named,
    rubric::{Judgement, Rubric},
};

/// Lets one judge speak for every run: see [`judgements`].
pub fn choose_judge(parties: &mut [Party], named: Option<&Named>) {
    let rubrics: Vec<&Rubric> = parties.iter().map(|party| &party.rubric).collect();
    let chosen = judgements(&rubrics, named);
    for (party, judgement) in parties.iter_mut().zip(chosen) {
        party.judgement = judgement;
    }
}

/// One index into each rubric's judgements: what is named; else of one judge for all runs, where there is one; else
/// whatever each run has ([`super::warnings`] says so then). Of several judgements of a judge the last made of the latest
/// state speaks, as in [`Rubric::chosen`]; one that does not cover the checklist only where it is named.
pub fn judgements(rubrics: &[&Rubric], named: Option<&Named>) -> Vec<Option<usize>> {
    if let Some(named) = named {
        return rubrics.iter().map(|rubric| named.in_run(rubric)).collect();
    }
    let has = |rubric: &Rubric, name: &str| last_whole(rubric, |it| it == name).is_some();
    let judged: Vec<&Rubric> =
        rubrics.iter().copied().filter(|rubric| rubric.chosen().is_some()).collect();
    let preferred = judged.first().and_then(|rubric| rubric.chosen()).into_iter();
    let others = judged.first().map_or(&[][..], |rubric| &rubric.judgements).iter().rev();
    let common = preferred
        .chain(others)
        .map(|judgement| judgement.judge.name.as_str())
        .find(|name| judged.iter().all(|rubric| has(rubric, name)));
    rubrics
        .iter()
        .map(|rubric| last_whole(rubric, |it| common.is_none_or(|name| it == name)))
        .collect()
}

fn last_whole(rubric: &Rubric, is_wanted: impl Fn(&str) -> bool) -> Option<usize> {
    let wanted = rubric.judgements.iter().enumerate();
    let wanted = wanted.filter(|(_, it)| is_wanted(&it.judge.name) && rubric.may_be_result(it));
    wanted.max_by_key(|(_, it)| it.turn.unwrap_or(usize::MAX)).map(|(at, _)| at)
}

/// After how many turns the state stood that a judgement is of: as it says, else by its commit, else the end.
pub fn done_at(run: &Run, judgement: &Judgement) -> usize {
    let (all, end) = (run.turns.len(), run.end());
    let by_commit = || {
        let commit = judgement.commit.as_deref().filter(|commit| !commit.is_empty())?;
        let found = run
            .turns
            .iter()
            .rposition(|turn| turn.commit.as_deref().is_some_and(|it| it.starts_with(commit)));
        found.map(|turn| turn + 1)
    };
    judgement.turn.or_else(by_commit).unwrap_or(end).min(all)
}
