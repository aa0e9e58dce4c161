//! Chooses the components to follow, from a checklist and a judgement.

use super::{FollowedComponent, LinesAtTurn, in_parentheses};
use trajview_run::{
    RepoPath, Run,
    rubric::{Judgement, Rubric, Verdict},
};

/// Returns one entry per component of the checklist; without a checklist one per verdict. The evidence comes from
/// `judgement`.
pub fn components_to_follow(
    run: &Run,
    rubric: &Rubric,
    judgement: Option<&Judgement>,
) -> Vec<FollowedComponent> {
    let done = judgement.map(|judgement| judged_after(run, judgement));
    let verdict = |id: &str| judgement.and_then(|judgement| judgement.verdict_on(id));
    let evidence = |verdict: Option<&Verdict>| match (verdict, done) {
        (Some(verdict), Some(Some(done))) => evidence_excerpts(verdict, done),
        _ => vec![],
    };
    let Some(checklist) = &rubric.checklist else {
        let verdicts = judgement.into_iter().flat_map(|judgement| &judgement.verdicts);
        let from_verdict = |verdict: &Verdict| FollowedComponent {
            component: verdict.component.clone(),
            evidence: evidence(Some(verdict)),
            ..FollowedComponent::default()
        };
        return verdicts.map(from_verdict).collect();
    };
    let components = checklist.components.iter();
    components
        .map(|component| FollowedComponent {
            component: component.id.clone(),
            committed: component.committed_at_turn,
            symbol_names: in_parentheses(&component.name),
            evidence: evidence(verdict(&component.id)),
        })
        .collect()
}

/// Returns the number of turns after which the code was judged: by the judgement's turn, else by its commit, else the
/// end of the run. None where it names a commit or a turn that the run does not have.
pub fn judged_after(run: &Run, judgement: &Judgement) -> Option<usize> {
    turns_done_at(run, judgement.turn, judgement.commit.as_deref())
}

/// Returns the number of turns done at a turn or a commit; with neither, at the end of the run. None where the run
/// does not have them.
pub fn turns_done_at(run: &Run, turn: Option<usize>, commit: Option<&str>) -> Option<usize> {
    if let Some(turn) = turn {
        return (turn <= run.turns.len()).then_some(turn);
    }
    let Some(commit) = commit.filter(|it| !it.is_empty()) else {
        return Some(run.end_in_turns());
    };
    let is_it = |recorded: &str| recorded.starts_with(commit) || commit.starts_with(recorded);
    let has_it = |turn: &trajview_run::Turn| turn.commit.as_deref().is_some_and(is_it);
    run.turns.iter().rposition(has_it).map(|at| at + 1)
}

fn evidence_excerpts(verdict: &Verdict, done: usize) -> Vec<LinesAtTurn> {
    let lines = |it: &trajview_run::rubric::Evidence| {
        Some(LinesAtTurn { turns_done: done, path: RepoPath::new(&it.path)?, lines: it.lines? })
    };
    verdict.evidence.iter().filter_map(lines).collect()
}
