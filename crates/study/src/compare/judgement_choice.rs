//! Which verdicts speak for each of the runs.

use super::ComparedRun;
use trajview_run::{
    Run,
    find_by_name::JudgeSelection,
    rubric::{Judgement, Rubric},
};

/// Lets one judge speak for every run: see [`chosen_judgements`].
pub fn choose_judge(parties: &mut [ComparedRun], named: Option<&JudgeSelection>) {
    let rubrics: Vec<&Rubric> = parties.iter().map(|party| &party.rubric).collect();
    let chosen = chosen_judgements(&rubrics, named);
    for (party, judgement) in parties.iter_mut().zip(chosen) {
        party.judgement = judgement;
    }
}

/// Returns one index into each rubric's judgements: the named one; else those of one judge for all runs, where there
/// is one; else the one that each run has ([`super::comparison_warnings`] reports that). Of several judgements by a judge the
/// last of the latest state counts, as in [`Rubric::result_judgement`]; one that does not cover the checklist counts only where
/// it is named.
pub fn chosen_judgements(
    rubrics: &[&Rubric],
    named: Option<&JudgeSelection>,
) -> Vec<Option<usize>> {
    if let Some(named) = named {
        return rubrics.iter().map(|rubric| named.position_in_run(rubric)).collect();
    }
    let has = |rubric: &Rubric, name: &str| last_full_judgement(rubric, |it| it == name).is_some();
    let judged: Vec<&Rubric> =
        rubrics.iter().copied().filter(|rubric| rubric.result_judgement().is_some()).collect();
    let preferred = judged.first().and_then(|rubric| rubric.result_judgement()).into_iter();
    let others = judged.first().map_or(&[][..], |rubric| &rubric.judgements).iter().rev();
    let common = preferred
        .chain(others)
        .map(|judgement| judgement.judge.name.as_str())
        .find(|name| judged.iter().all(|rubric| has(rubric, name)));
    rubrics
        .iter()
        .map(|rubric| last_full_judgement(rubric, |it| common.is_none_or(|name| it == name)))
        .collect()
}

fn last_full_judgement(rubric: &Rubric, is_wanted: impl Fn(&str) -> bool) -> Option<usize> {
    let wanted = rubric.judgements.iter().enumerate();
    let wanted = wanted.filter(|(_, it)| is_wanted(&it.judge.name) && rubric.may_be_result(it));
    wanted.max_by_key(|(_, it)| it.turn.unwrap_or(usize::MAX)).map(|(at, _)| at)
}

/// Returns the number of turns done at the state that a judgement is about: as the judgement records it, else by its
/// commit, else the end.
pub fn turns_done_at_judgement(run: &Run, judgement: &Judgement) -> usize {
    let (all, end) = (run.turns.len(), run.end_in_turns());
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
