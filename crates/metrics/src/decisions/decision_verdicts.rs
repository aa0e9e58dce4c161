//! The verdicts of judges on whether the code of a run keeps a decision.

use crate::lifeline::judged_after;
use trajview_run::{
    Run,
    rubric::{CANNOT_TELL, DECISION_LEVELS, Evidence, Judgement, Verdict, same_commit},
};

use super::DecisionStore;

/// The verdict of a judge on a decision at one state of the code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DecisionVerdict {
    /// The id of the decision.
    pub decision: String,
    /// None where the judge cannot tell.
    pub is_kept: Option<bool>,
    /// The name of the judge; empty where the file has none.
    pub judge: String,
    /// The judged state, as the number of turns done.
    pub turns_done: usize,
    /// The commit of that state, as the file names it.
    pub commit: Option<String>,
    pub rationale: String,
    /// Lines in the files of that state.
    pub evidence: Vec<Evidence>,
    /// The path of the judgement, relative to the bundle.
    pub file: String,
}

/// Returns the word for a verdict: `kept`, `broken` or `cannot tell`.
pub fn verdict_word(is_kept: Option<bool>) -> &'static str {
    let name = |is_kept| DECISION_LEVELS.name(u8::from(is_kept)).unwrap_or_default();
    is_kept.map_or(CANNOT_TELL, name)
}

/// Returns the verdict that counts for each decision: the last one on the latest state. `judgements` are those of the
/// rubric [`DECISION_LEVELS`], the oldest first. Judgements of a state that the run does not have, and verdicts on a
/// decision that has been edited since, are ignored. `sha256` returns the hex digest of a text.
pub fn latest_verdicts(
    run: &Run,
    judgements: &[Judgement],
    store: &DecisionStore,
    sha256: &dyn Fn(&str) -> String,
) -> Vec<DecisionVerdict> {
    let states: Vec<(&Judgement, usize)> =
        judgements.iter().filter_map(|it| Some((it, judged_state(run, it)?))).collect();
    let mut latest = vec![];
    for decision in &store.decisions {
        let words = sha256(&decision.text_to_hash());
        let is_same =
            |verdict: &Verdict| verdict.about_sha256.as_ref().is_none_or(|it| *it == words);
        let verdicts = states.iter().filter_map(|(judgement, done)| {
            let verdict = judgement.verdict_on(&decision.id)?;
            let counts = verdict.error.is_none() && is_same(verdict);
            counts.then(|| to_decision_verdict(judgement, verdict, *done))
        });
        // Among equals the last one counts.
        latest.extend(verdicts.max_by_key(|it| it.turns_done));
    }
    latest
}

/// Returns the judged state as the number of turns done; None where the run does not have that state.
fn judged_state(run: &Run, judgement: &Judgement) -> Option<usize> {
    let done = judged_after(run, judgement)?;
    let commits = run.commit_after(done).zip(judgement.commit.as_deref());
    commits.is_none_or(same_commit).then_some(done)
}

fn to_decision_verdict(judgement: &Judgement, verdict: &Verdict, done: usize) -> DecisionVerdict {
    DecisionVerdict {
        decision: verdict.component.clone(),
        is_kept: verdict.counted_level().map(|score| score == DECISION_LEVELS.highest_score()),
        judge: judgement.judge.name.clone(),
        turns_done: done,
        commit: judgement.commit.clone(),
        rationale: verdict.rationale.clone(),
        evidence: verdict.evidence.clone(),
        file: judgement.file.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Turn, rubric::Judge};

    fn decisions_judgement(judge: &str, turn: usize, scores: &[(&str, Option<u8>)]) -> Judgement {
        let verdict = |(id, score): &(&str, Option<u8>)| Verdict {
            component: (*id).into(),
            score: *score,
            about_sha256: Some("a?\nyes".into()),
            ..Verdict::default()
        };
        Judgement {
            judge: Judge { name: judge.into(), ..Judge::default() },
            turn: Some(turn),
            verdicts: scores.iter().map(verdict).collect(),
            ..Judgement::default()
        }
    }

    #[test]
    fn the_latest_state_of_the_same_words_counts() {
        let run = Run { turns: vec![Turn::default(); 3], ..Run::default() };
        let store = DecisionStore::parse(
            r#"[{"id":"a","question":"a?","answer":"yes"},{"id":"b","question":"a?","answer":"edited"}]"#,
        )
        .unwrap();
        let judgements = [
            decisions_judgement("late", 3, &[("a", Some(0)), ("b", Some(0))]),
            decisions_judgement("early", 2, &[("a", Some(1))]),
            decisions_judgement("elsewhere", 9, &[("a", Some(1))]),
        ];

        let latest = latest_verdicts(&run, &judgements, &store, &str::to_owned);

        let verdicts: Vec<_> =
            latest.iter().map(|it| (it.decision.as_str(), it.is_kept, it.turns_done)).collect();
        assert_eq!(verdicts, [("a", Some(false), 3)], "b was edited since");
    }

    #[test]
    fn a_judgement_of_a_commit_that_the_run_does_not_have_says_nothing() {
        let turn = Turn { commit: Some("abcdef".into()), ..Turn::default() };
        let run = Run { turns: vec![turn], ..Run::default() };
        let store = DecisionStore::parse(r#"[{"id":"a","question":"a?","answer":"yes"}]"#).unwrap();
        let is_judged_at = |commit: &str| {
            let judgement = Judgement {
                commit: Some(commit.into()),
                ..decisions_judgement("j", 1, &[("a", None)])
            };
            latest_verdicts(&run, &[judgement], &store, &str::to_owned)
        };

        assert_eq!(is_judged_at("abcd")[0].is_kept, None);
        assert_eq!(is_judged_at("1234"), []);
    }
}
