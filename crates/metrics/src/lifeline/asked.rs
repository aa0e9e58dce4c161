//! What to follow, out of a checklist and a judgement.

use super::{Asked, Excerpt, in_parentheses};
use trajview_run::{
    RepoPath, Run,
    rubric::{Judgement, Rubric, Verdict},
};

/// One entry a component of the checklist; without a checklist one a verdict. The evidence is that of `judgement`.
pub fn asked(run: &Run, rubric: &Rubric, judgement: Option<&Judgement>) -> Vec<Asked> {
    let done = judgement.map(|judgement| judged_after(run, judgement));
    let verdict = |id: &str| judgement.and_then(|judgement| judgement.of(id));
    let evidence = |verdict: Option<&Verdict>| match (verdict, done) {
        (Some(verdict), Some(Some(done))) => around(verdict, done),
        _ => vec![],
    };
    let Some(checklist) = &rubric.checklist else {
        let verdicts = judgement.into_iter().flat_map(|judgement| &judgement.verdicts);
        let of = |verdict: &Verdict| Asked {
            component: verdict.component.clone(),
            evidence: evidence(Some(verdict)),
            ..Asked::default()
        };
        return verdicts.map(of).collect();
    };
    let components = checklist.components.iter();
    components
        .map(|component| Asked {
            component: component.id.clone(),
            committed: component.committed_at_turn,
            named: in_parentheses(&component.name),
            evidence: evidence(verdict(&component.id)),
        })
        .collect()
}

/// After how many turns the code was judged: by the turn the judgement names, else by its commit, else at the end.
/// None where it names a commit or a turn that the run does not have.
pub fn judged_after(run: &Run, judgement: &Judgement) -> Option<usize> {
    moment(run, judgement.turn, judgement.commit.as_deref())
}

/// As [`judged_after`], of whatever names a turn or a commit.
pub fn moment(run: &Run, turn: Option<usize>, commit: Option<&str>) -> Option<usize> {
    if let Some(turn) = turn {
        return (turn <= run.turns.len()).then_some(turn);
    }
    let Some(commit) = commit.filter(|it| !it.is_empty()) else {
        return Some(run.end());
    };
    let is_it = |known: &str| known.starts_with(commit) || commit.starts_with(known);
    let has_it = |turn: &trajview_run::Turn| turn.commit.as_deref().is_some_and(is_it);
    run.turns.iter().rposition(has_it).map(|at| at + 1)
}

fn around(verdict: &Verdict, done: usize) -> Vec<Excerpt> {
    let lines = |it: &trajview_run::rubric::Evidence| {
        Some(Excerpt { done, path: RepoPath::new(&it.path)?, lines: it.lines? })
    };
    verdict.evidence.iter().filter_map(lines).collect()
}
