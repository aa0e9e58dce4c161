//! Several judgements of one state as one: the mean, the median or the strict majority of their scores, component by component.
//!
//! Pooled judgements are added to a [`Rubric`] on request of a user ([`Rubric::add_pooled`]), under a name of their own
//! (`pooled:mean`), so that they can be used like those of a judge. They are never written.

use super::{
    find_by_name,
    rubric::{Judge, Judgement, LEVELS, PoolMethod, PooledSources, Rubric, Verdict, same_commit},
};
use crate::format_number;

/// A user's request to pool judgements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolRequest {
    pub pool: PoolMethod,
    /// The judge whose repeats are pooled. None: the last judgement of each judge; where one judge judged a state alone, its
    /// repeats.
    pub judge: Option<String>,
}

/// The beginning of a pooled judgement's name.
const PREFIX: &str = "pooled:";

impl PoolRequest {
    /// Parses `pooled:mean` or `pooled:median:opus`; None for a word that asks for something else. The error is a
    /// sentence.
    pub fn from_word(word: &str) -> Option<Result<Self, String>> {
        let rest = word.trim().strip_prefix(PREFIX)?;
        let (pool, judge) = match rest.split_once(':') {
            Some((pool, judge)) => (pool, Some(judge.to_owned()).filter(|it| !it.is_empty())),
            None => (rest, None),
        };
        let method_words =
            PoolMethod::ALL.map(|pool| format!("{PREFIX}{}", pool.word())).join(", ");
        let pool = PoolMethod::by_word(pool);
        Some(pool.map(|pool| Self { pool, judge }).ok_or_else(|| {
            format!(
                "{word}: expected one of {method_words}, with :JUDGE for the repeats of one judge"
            )
        }))
    }

    /// Returns the name of the judge of the pooled judgements.
    pub fn name(&self) -> String {
        let judge = self.judge.iter().map(|judge| format!(":{judge}"));
        let parts = [format!("{PREFIX}{}", self.pool.word())].into_iter().chain(judge);
        parts.collect()
    }
}

impl PoolMethod {
    /// Pools at least one score; None where none is the majority.
    pub(crate) fn pooled_score(self, scores: &[u8]) -> Option<f64> {
        let count = scores.len();
        let mut sorted: Vec<u8> = scores.to_vec();
        sorted.sort_unstable();
        match self {
            Self::Mean => {
                let sum: f64 = sorted.iter().map(|score| f64::from(*score)).sum();
                (count > 0).then(|| sum / count as f64)
            }
            Self::Median => {
                let (low, high) = (sorted.get(count.checked_sub(1)? / 2)?, sorted.get(count / 2)?);
                Some((f64::from(*low) + f64::from(*high)) / 2.0)
            }
            // A score that more than half of them have is in the middle.
            Self::Majority => {
                let middle = *sorted.get(count / 2)?;
                let same = sorted.iter().filter(|score| **score == middle).count();
                (same * 2 > count).then(|| f64::from(middle))
            }
        }
    }
}

impl PooledSources {
    /// Returns `mean of 3: gpt, opus, opus`.
    pub fn summary_text(&self) -> String {
        let judges: Vec<&str> = self.from.iter().map(|(_, judge)| judge.as_str()).collect();
        format!("{} of {}: {}", self.pool.word(), self.from.len(), judges.join(", "))
    }
}

impl Rubric {
    /// Adds a judgement for each state that has several to be pooled, in the place of those that were pooled before. The
    /// error is a sentence.
    pub fn add_pooled(&mut self, pooling: &PoolRequest) -> Result<(), String> {
        self.remove_pooled();
        let judge = pooling.judge.as_deref().map(|word| self.find_judge(word)).transpose()?;
        let pooled: Vec<Judgement> = judgements_by_state(self)
            .into_iter()
            .filter_map(|state| {
                pool_judgements(&judgements_to_pool(&state, judge.as_deref()), pooling)
            })
            .collect();
        if pooled.is_empty() {
            let whose = judge.map(|judge| format!(" by {judge}")).unwrap_or_default();
            return Err(format!(
                "nothing to pool: no state of this run has two judgements{whose} with scores"
            ));
        }
        self.judgements.extend(pooled);
        Ok(())
    }

    /// Takes away what was pooled.
    pub fn remove_pooled(&mut self) {
        self.judgements.retain(|it| it.pooled.is_none());
    }

    fn find_judge(&self, word: &str) -> Result<String, String> {
        let mut judges: Vec<&str> =
            self.judgements.iter().map(|it| it.judge.name.as_str()).collect();
        judges.sort_unstable();
        judges.dedup();
        let none = |_| format!("no judge is called {word:?}; judges: {}", judges.join(", "));
        find_by_name::position_by_name(word, &judges).map(|at| judges[at].to_owned()).map_err(none)
    }
}

/// Returns judgements with scores, by the state that they are of; in order.
fn judgements_by_state(rubric: &Rubric) -> Vec<Vec<&Judgement>> {
    let mut states: Vec<Vec<&Judgement>> = vec![];
    let has_score = |it: &&Judgement| it.verdicts.iter().any(|verdict| verdict.score.is_some());
    for judgement in rubric.judgements.iter().filter(has_score) {
        match states.iter_mut().find(|state| is_same_state(state[0], judgement)) {
            Some(state) => state.push(judgement),
            None => states.push(vec![judgement]),
        }
    }
    states
}

/// Compares the commits where both judgements name one, else the turns.
fn is_same_state(a: &Judgement, b: &Judgement) -> bool {
    match a.commit.as_deref().zip(b.commit.as_deref()) {
        Some(commits) => same_commit(commits),
        None => a.turn == b.turn,
    }
}

/// Returns the judgements of a state that are pooled.
fn judgements_to_pool<'a>(state: &[&'a Judgement], judge: Option<&str>) -> Vec<&'a Judgement> {
    // Repeats are of one judge with one prompt and one budget: those of its last judgement.
    let repeats = |last: &Judgement| {
        state.iter().copied().filter(|it| it.judge == last.judge).collect::<Vec<_>>()
    };
    if let Some(judge) = judge {
        let last = state.iter().rfind(|it| it.judge.name == judge);
        return last.map(|last| repeats(last)).unwrap_or_default();
    }
    let is_last =
        |at: &usize| !state[at + 1..].iter().any(|it| it.judge.name == state[*at].judge.name);
    let last: Vec<&Judgement> = (0..state.len()).filter(is_last).map(|at| state[at]).collect();
    match last.as_slice() {
        [only] => repeats(only),
        _ => last,
    }
}

/// Pools judgements. None for fewer than two.
fn pool_judgements(members: &[&Judgement], pooling: &PoolRequest) -> Option<Judgement> {
    let [first, _, ..] = members else { return None };
    let mut ids: Vec<&str> = vec![];
    for verdict in members.iter().flat_map(|it| &it.verdicts) {
        if !ids.contains(&verdict.component.as_str()) {
            ids.push(&verdict.component);
        }
    }
    let turn = members.iter().find_map(|it| it.turn);
    let after = turn.map(|turn| format!(" after turn {turn}")).unwrap_or_default();
    let from = members.iter().map(|it| (it.file.clone(), it.judge.name.clone())).collect();
    Some(Judgement {
        file: format!("{}{after}", pooling.name().replace('/', "-")),
        judge: Judge { name: pooling.name(), kind: "pooled".into(), ..Judge::default() },
        run: first.run.clone(),
        commit: members.iter().find_map(|it| it.commit.clone()),
        turn,
        rubric: first.rubric.clone(),
        created_at: members.iter().filter_map(|it| it.created_at.clone()).max(),
        requested_ids: first
            .requested_ids
            .clone()
            .filter(|_| members.iter().all(|it| it.requested_ids == first.requested_ids)),
        repeat: None,
        verdicts: ids.into_iter().map(|id| pooled_verdict(id, members, pooling.pool)).collect(),
        pooled: Some(PooledSources { pool: pooling.pool, from }),
        test: None,
    })
}

fn pooled_verdict(id: &str, members: &[&Judgement], pool: PoolMethod) -> Verdict {
    let verdicts_on = || members.iter().filter_map(|it| Some((it, it.verdict_on(id)?)));
    let scores: Vec<u8> =
        verdicts_on().filter_map(|(_, verdict)| verdict.counted_level()).collect();
    let score_text = |(judgement, verdict): (&&Judgement, &Verdict)| {
        let score = verdict
            .score
            .map_or_else(|| format_number::MISSING_SIGN.into(), |score| score.to_string());
        let left_out = if verdict.is_left_out { " (unlooked, not counted)" } else { "" };
        format!("{} {score}{left_out}", judgement.judge.name)
    };
    let each = verdicts_on().map(score_text).collect::<Vec<_>>().join(", ");
    let exact = pool.pooled_score(&scores);
    // Half of a level goes up.
    let score = exact.map(|exact| (exact + 0.5).floor() as u8);
    let is_level = exact.is_some_and(|exact| exact.fract() == 0.0);
    let label = score.filter(|_| is_level).and_then(|score| LEVELS.get(usize::from(score)));
    let nearest = verdicts_on().filter(|(_, it)| score.is_some() && it.counted_level() == score);
    let (error, reason) = match (scores.is_empty(), exact) {
        (_, Some(_)) => (None, None),
        (false, None) => (None, Some(format!("no strict majority: {each}"))),
        (true, None) if verdicts_on().any(|(_, it)| it.is_left_out) => (None, Some(each.clone())),
        (true, None) => missing_score_reasons(verdicts_on().map(|(_, verdict)| verdict)),
    };
    Verdict {
        component: id.to_owned(),
        score,
        exact: exact.filter(|_| !is_level),
        label: label.map(|it| (*it).to_owned()),
        rationale: format!("{} of {}: {each}", pool.word(), scores.len()),
        evidence: nearest.flat_map(|(_, it)| it.evidence.clone()).collect(),
        error,
        reason,
        ..Verdict::default()
    }
}

/// Returns the error, or else the reason, of an item for which no judge gave a score.
fn missing_score_reasons<'v>(
    verdicts: impl Iterator<Item = &'v Verdict>,
) -> (Option<String>, Option<String>) {
    let verdicts: Vec<&Verdict> = verdicts.collect();
    match verdicts.iter().find_map(|it| it.error.clone()) {
        Some(error) => (Some(error), None),
        None => (None, verdicts.iter().find_map(|it| it.reason.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_judgement(judge: &str, file: &str, turn: usize, scores: &[Option<u8>]) -> Judgement {
        let verdict = |(at, score): (usize, &Option<u8>)| Verdict {
            component: format!("C{}", at + 1),
            score: *score,
            error: score.is_none().then(|| "no answer".into()),
            ..Verdict::default()
        };
        Judgement {
            file: format!("judgements/{file}.json"),
            judge: Judge { name: judge.into(), ..Judge::default() },
            turn: Some(turn),
            verdicts: scores.iter().enumerate().map(verdict).collect(),
            ..Judgement::default()
        }
    }

    fn sample_rubric() -> Rubric {
        let judgements = vec![
            sample_judgement("a", "a-1", 9, &[Some(0), Some(0), Some(0)]),
            sample_judgement("a", "a-2", 9, &[Some(4), Some(1), None]),
            sample_judgement("b", "b-1", 9, &[Some(3), Some(1), None]),
            sample_judgement("c", "c-1", 9, &[Some(4), Some(2), None]),
            sample_judgement("c", "c-2", 5, &[Some(4)]),
        ];
        Rubric { judgements, ..Rubric::default() }
    }

    fn pooled_by_word(word: &str) -> Result<Vec<Judgement>, String> {
        let mut rubric = sample_rubric();
        rubric.add_pooled(&PoolRequest::from_word(word).unwrap()?)?;
        Ok(rubric.judgements.into_iter().filter(|it| it.pooled.is_some()).collect())
    }

    #[test]
    fn one_judgement_of_each_judge_is_pooled_state_by_state() {
        let all = pooled_by_word("pooled:mean").unwrap();

        let [mean] = all.as_slice() else { panic!("turn 5 was judged once: {all:?}") };
        assert_eq!((mean.judge.name.as_str(), mean.turn), ("pooled:mean", Some(9)));
        assert_eq!(mean.pooled.as_ref().unwrap().summary_text(), "mean of 3: a, b, c");
        let exact: Vec<_> = mean.verdicts.iter().map(|it| (it.score, it.exact)).collect();
        assert_eq!(exact, [(Some(4), Some(11.0 / 3.0)), (Some(1), Some(4.0 / 3.0)), (None, None)]);
        assert_eq!(mean.verdicts[0].rationale, "mean of 3: a 4, b 3, c 4");
        assert_eq!(mean.verdicts[2].error.as_deref(), Some("no answer"));
    }

    #[test]
    fn a_majority_is_more_than_half_and_where_there_is_none_that_is_no_failure() {
        let all = pooled_by_word("pooled:majority").unwrap();

        let scores: Vec<_> = all[0].verdicts.iter().map(|it| it.score).collect();
        assert_eq!(scores, [Some(4), Some(1), None]);
        let halves = pooled_by_word("pooled:majority:a").unwrap();
        assert_eq!(halves[0].verdicts[0].score, None);
        let why = halves[0].verdicts[0].reason.as_deref();
        assert_eq!(why, Some("no strict majority: a 0, a 4"));
        assert_eq!(halves[0].verdicts[0].error, None);
    }

    #[test]
    fn repeats_of_one_judge_are_pooled_where_it_is_named() {
        let all = pooled_by_word("pooled:median:a").unwrap();

        assert_eq!(all[0].judge.name, "pooled:median:a");
        assert_eq!(all[0].verdicts[0].exact, None, "2 is a level");
        assert_eq!((all[0].verdicts[0].score, all[0].verdicts[1].exact), (Some(2), Some(0.5)));
        assert!(pooled_by_word("pooled:mean:b").unwrap_err().contains("nothing to pool"));
        assert!(pooled_by_word("pooled:mode").unwrap_err().contains("pooled:majority"));
        assert_eq!(PoolRequest::from_word("gpt"), None);
    }

    #[test]
    fn an_unlooked_level_is_in_no_pooled_score_and_named() {
        let mut a = sample_judgement("a", "a-1", 9, &[Some(0), Some(2)]);
        let b = sample_judgement("b", "b-1", 9, &[Some(4), None]);
        a.verdicts.iter_mut().for_each(|it| (it.looks, it.is_left_out) = (Some(0), true));
        let mut rubric = Rubric { judgements: vec![a, b], ..Rubric::default() };
        let pooling = PoolRequest::from_word("pooled:mean").unwrap().unwrap();

        rubric.add_pooled(&pooling).unwrap();

        let pooled = &rubric.judgements[2].verdicts;
        assert_eq!((pooled[0].score, pooled[1].score), (Some(4), None));
        assert_eq!(pooled[0].rationale, "mean of 1: a 0 (unlooked, not counted), b 4");
        assert_eq!(pooled[1].reason.as_deref(), Some("a 2 (unlooked, not counted), b —"));
    }
}
