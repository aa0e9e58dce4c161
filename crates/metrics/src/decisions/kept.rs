//! Whether the code of a run keeps a decision: what judges said of it.

use crate::lifeline::judged_after;
use trajview_run::{
    Run,
    rubric::{CANNOT_TELL, DECISIONS, Evidence, Judgement, Verdict, same_commit},
};

use super::Store;

/// What a judge said of a decision at one state of the code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kept {
    /// Its id.
    pub decision: String,
    /// None where the judge cannot tell.
    pub kept: Option<bool>,
    /// The name of the judge; empty where the file does not say.
    pub judge: String,
    /// The state, in turns done.
    pub done: usize,
    /// Of that state, as the file names it.
    pub commit: Option<String>,
    pub rationale: String,
    /// Lines of that state.
    pub evidence: Vec<Evidence>,
    /// The judgement, relative to the bundle.
    pub file: String,
}

/// How it is said: `kept`, `broken`, `cannot tell`.
pub fn word(kept: Option<bool>) -> &'static str {
    let name = |kept| DECISIONS.name(u8::from(kept)).unwrap_or_default();
    kept.map_or(CANNOT_TELL, name)
}

/// What counts of judgements of the rubric [`DECISIONS`], which stand in the order of their making: of each decision what was
/// said last of the latest state. A judgement of a state that the run does not have, and of a decision that has been edited
/// since, says nothing. `sha256` gives the hex digits of a text.
pub fn verdicts(
    run: &Run,
    judgements: &[Judgement],
    store: &Store,
    sha256: &dyn Fn(&str) -> String,
) -> Vec<Kept> {
    let states: Vec<(&Judgement, usize)> =
        judgements.iter().filter_map(|it| Some((it, state(run, it)?))).collect();
    let mut found = vec![];
    for decision in &store.decisions {
        let words = sha256(&decision.words());
        let is_same =
            |verdict: &Verdict| verdict.about_sha256.as_ref().is_none_or(|it| *it == words);
        let said = states.iter().filter_map(|(judgement, done)| {
            let verdict = judgement.of(&decision.id)?;
            let counts = verdict.error.is_none() && is_same(verdict);
            counts.then(|| kept(judgement, verdict, *done))
        });
        // Of equals the last one.
        found.extend(said.max_by_key(|kept| kept.done));
    }
    found
}

/// In turns done; None where the run does not have the state that was judged.
fn state(run: &Run, judgement: &Judgement) -> Option<usize> {
    let done = judged_after(run, judgement)?;
    let commits = run.commit_after(done).zip(judgement.commit.as_deref());
    commits.is_none_or(same_commit).then_some(done)
}

fn kept(judgement: &Judgement, verdict: &Verdict, done: usize) -> Kept {
    Kept {
        decision: verdict.component.clone(),
        kept: verdict.score.map(|score| score == DECISIONS.full()),
        judge: judgement.judge.name.clone(),
        done,
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

    fn judgement(judge: &str, turn: usize, scores: &[(&str, Option<u8>)]) -> Judgement {
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
        let store = Store::read(
            r#"[{"id":"a","question":"a?","answer":"yes"},{"id":"b","question":"a?","answer":"edited"}]"#,
        )
        .unwrap();
        let judgements = [
            judgement("late", 3, &[("a", Some(0)), ("b", Some(0))]),
            judgement("early", 2, &[("a", Some(1))]),
            judgement("elsewhere", 9, &[("a", Some(1))]),
        ];

        let found = verdicts(&run, &judgements, &store, &str::to_owned);

        let told: Vec<_> =
            found.iter().map(|it| (it.decision.as_str(), it.kept, it.done)).collect();
        assert_eq!(told, [("a", Some(false), 3)], "b was edited since");
    }

    #[test]
    fn a_judgement_of_a_commit_that_the_run_does_not_have_says_nothing() {
        let turn = Turn { commit: Some("abcdef".into()), ..Turn::default() };
        let run = Run { turns: vec![turn], ..Run::default() };
        let store = Store::read(r#"[{"id":"a","question":"a?","answer":"yes"}]"#).unwrap();
        let of = |commit: &str| {
            let judgement =
                Judgement { commit: Some(commit.into()), ..judgement("j", 1, &[("a", None)]) };
            verdicts(&run, &[judgement], &store, &str::to_owned)
        };

        assert_eq!(of("abcd")[0].kept, None);
        assert_eq!(of("1234"), []);
    }
}
