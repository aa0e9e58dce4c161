//! Finds the decisions that applied at each step of a run, and whether the agent had seen them before.

use std::{collections::HashMap, path::PathBuf};

use super::{
    Decision, DecisionVerdict,
    ranking::{DecisionIndex, TOKEN_BUDGET},
};
use trajview_run::StepId;

/// The most decisions that a step can have.
pub(crate) const MAX_DECISIONS_PER_STEP: usize = 5;

/// A step that touches files, with the parts that the search for decisions needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepTouch {
    pub step: StepId,
    /// Counts from 1 in its turn.
    pub number: usize,
    pub paths: Vec<String>,
    /// The call's arguments.
    pub call: String,
}

/// A decision that applied at a step.
#[derive(Debug, Clone, PartialEq)]
pub struct AppliedDecision {
    /// The id of the decision.
    pub decision: String,
    /// The kind of match: `file` (its files or links name the file) or `words`.
    pub match_kind: &'static str,
    pub score: f64,
    /// True where the decision no longer applied: superseded, outdated or deprecated.
    pub is_past: bool,
    /// The turn, counted from 0, in which the agent was shown the decision before: its request or its steps have the
    /// decision's id, question or answer. None where nothing before the step has them.
    pub shown_in_turn: Option<usize>,
}

/// A step with the decisions that applied to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepDecisions {
    pub step: StepId,
    pub number: usize,
    pub paths: Vec<String>,
    pub applied: Vec<AppliedDecision>,
}

/// The decisions of a store over the steps of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DecisionLane {
    /// The number of decisions in the store.
    pub decisions: usize,
    /// Chains of decision ids in which each replaced the one before it.
    pub chains: Vec<Vec<String>>,
    pub rows: Vec<StepDecisions>,
    /// Verdicts on whether the code keeps the decisions; at most one per decision.
    pub verdicts: Vec<DecisionVerdict>,
    /// The file of the store.
    pub origin: Option<PathBuf>,
    /// The line of that file in which each decision begins, counted from 1, keyed by the decision's id.
    pub lines: HashMap<String, usize>,
    /// The question and the answer of each decision, keyed by its id.
    pub questions_and_answers: HashMap<String, (String, String)>,
}

impl StepDecisions {
    /// Returns the number of the step as shown: `12.7` is the seventh step of turn 12.
    pub fn step_label(&self) -> String {
        format!("{}.{}", self.step.turn + 1, self.number)
    }
}

impl DecisionLane {
    /// Returns the verdict on a decision after a step; None where nobody judged a later state.
    pub fn verdict_after(&self, decision: &str, step: StepId) -> Option<&DecisionVerdict> {
        self.verdicts.iter().find(|it| it.decision == decision && it.turns_done > step.turn)
    }

    /// Returns the first step to which a decision applies.
    pub fn first_row(&self, decision: &str) -> Option<&StepDecisions> {
        self.rows.iter().find(|row| row.applied.iter().any(|it| it.decision == decision))
    }

    /// Returns the ids of the decisions that applied at a step of the first `done` turns, each once, in order of the
    /// steps.
    pub fn applied_by(&self, done: usize) -> Vec<&str> {
        let rows = self.rows.iter().filter(|row| row.step.turn < done);
        let mut matches: Vec<&str> = vec![];
        for applied in rows.flat_map(|row| &row.applied) {
            if !matches.contains(&applied.decision.as_str()) {
                matches.push(&applied.decision);
            }
        }
        matches
    }
}

/// Returns a row for every step that touches a file and to which a decision applies. `shown` returns the first step
/// that shows a decision to the agent.
pub fn decision_rows(
    index: &DecisionIndex<'_>,
    touches: &[StepTouch],
    shown: &dyn Fn(&Decision) -> Option<StepId>,
) -> Vec<StepDecisions> {
    let row = |touch: &StepTouch| {
        let mut applied: Vec<AppliedDecision> = vec![];
        let mut add = |decision: &Decision, by, score| {
            if applied.len() < MAX_DECISIONS_PER_STEP
                && !applied.iter().any(|it| it.decision == decision.id)
            {
                let seen = shown(decision).filter(|seen| *seen < touch.step);
                applied.push(AppliedDecision {
                    decision: decision.id.clone(),
                    match_kind: by,
                    score,
                    is_past: decision.is_past(),
                    shown_in_turn: seen.map(|seen| seen.turn),
                });
            }
        };
        for path in &touch.paths {
            for matches in index.decisions_for_path(path, TOKEN_BUDGET) {
                add(matches.decision, "file", matches.score);
            }
        }
        for matches in index.find_decisions(&super::retrieval_key::key_of_text(&touch.call)) {
            add(matches.decision, "words", matches.score);
        }
        let StepTouch { step, number, paths, .. } = touch.clone();
        StepDecisions { step, number, paths, applied }
    };
    touches.iter().map(row).filter(|row| !row.applied.is_empty()).collect()
}

/// Returns the texts by which a decision can be recognised in a request or step: its id, its question and the first
/// sentence of its answer, in lower case and with single blanks. Short texts are left out, because they occur
/// everywhere.
pub fn recognition_texts(decision: &Decision) -> Vec<String> {
    let sentence = decision.answer.split_inclusive(". ").next().unwrap_or_default();
    let texts = [decision.id.as_str(), decision.question.as_str(), sentence];
    texts.map(normalised_text).into_iter().filter(|text| text.len() >= 6).collect()
}

/// Returns a text in the form of [`recognition_texts`].
pub fn normalised_text(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::DecisionStore;

    #[test]
    fn decisions_of_the_file_come_before_those_of_the_words() {
        let store = DecisionStore::parse(r#"[{"id":"log-pino","answer":"Pino logs."},{"id":"db-postgres","files":["db/*.sql"],"status":"superseded"}]"#).unwrap();
        let at = |turn| StepId { turn, subagent: None, step: 0 };
        let touch = StepTouch {
            step: at(3),
            number: 1,
            paths: vec!["db/a.sql".into()],
            call: "Pino everywhere".into(),
        };
        let shown = |it: &Decision| (it.id == "log-pino").then(|| at(1));

        let rows = decision_rows(&DecisionIndex::new(&store), &[touch], &shown);

        let applied: Vec<_> = rows[0]
            .applied
            .iter()
            .map(|it| (it.decision.as_str(), it.match_kind, it.is_past, it.shown_in_turn))
            .collect();
        assert_eq!(
            applied,
            [("db-postgres", "file", true, None), ("log-pino", "words", false, Some(1))]
        );
    }

    #[test]
    fn a_decision_is_known_by_its_id_its_question_and_its_answer() {
        let decision = Decision {
            id: "x".into(),
            question: "Why  Kafka?".into(),
            answer: "Long retention. And more.".into(),
            ..Decision::default()
        };
        assert_eq!(recognition_texts(&decision), ["why kafka?", "long retention."]);
    }
}
