//! The decisions that applied at each step of a run, and whether the agent had been shown them.

use std::{collections::HashMap, path::PathBuf};

use super::{
    Decision, Kept,
    rank::{BUDGET, Index},
};
use trajview_run::StepId;

/// Decisions of one step, at most.
pub const MOST: usize = 5;

/// A step that touches files, as far as decisions need it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Touch {
    pub step: StepId,
    /// Counts from 1 in its turn.
    pub number: usize,
    pub paths: Vec<String>,
    /// The call's arguments.
    pub call: String,
}

/// A decision that applied at a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// Its id.
    pub decision: String,
    /// What it was found by: `file` (its files or links name the file) or `words`.
    pub by: &'static str,
    pub score: f64,
    /// Whether it took effect no more: superseded, outdated, deprecated.
    pub is_past: bool,
    /// Where the agent was shown it before: a turn, counted from 0, whose request or whose steps have its id, its question or
    /// its answer. None where nothing before the step has.
    pub shown: Option<usize>,
}

/// One step's row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub step: StepId,
    pub number: usize,
    pub paths: Vec<String>,
    pub applied: Vec<Applied>,
}

/// A store over a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lane {
    /// How many decisions the store has.
    pub decisions: usize,
    /// The ids of decisions that took each other's place, the first of each chain first.
    pub chains: Vec<Vec<String>>,
    pub rows: Vec<Row>,
    /// What was said of whether the code keeps them; of each decision one at most.
    pub verdicts: Vec<Kept>,
    /// The file of the store.
    pub origin: Option<PathBuf>,
    /// In which line of it a decision begins, counted from 1, by its id.
    pub lines: HashMap<String, usize>,
    /// What each decision asks and answers, by its id.
    pub asked: HashMap<String, (String, String)>,
}

impl Row {
    /// `12.7` is the seventh step of turn 12.
    pub fn called(&self) -> String {
        format!("{}.{}", self.step.turn + 1, self.number)
    }
}

impl Lane {
    /// What was said of a decision after a step; None where nobody judged a later state.
    pub fn kept(&self, decision: &str, step: StepId) -> Option<&Kept> {
        self.verdicts.iter().find(|it| it.decision == decision && it.done > step.turn)
    }

    /// The first step at which a decision applies.
    pub fn first(&self, decision: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.applied.iter().any(|it| it.decision == decision))
    }

    /// Ids of the decisions that applied at a step of the first `done` turns, each once, in order of the steps.
    pub fn applied_by(&self, done: usize) -> Vec<&str> {
        let rows = self.rows.iter().filter(|row| row.step.turn < done);
        let mut found: Vec<&str> = vec![];
        for applied in rows.flat_map(|row| &row.applied) {
            if !found.contains(&applied.decision.as_str()) {
                found.push(&applied.decision);
            }
        }
        found
    }
}

/// A row for every step that touches a file and to which a decision applies. `shown` says of a decision the first turn that
/// shows it.
pub fn rows(
    index: &Index<'_>,
    touches: &[Touch],
    shown: &dyn Fn(&Decision) -> Option<StepId>,
) -> Vec<Row> {
    let row = |touch: &Touch| {
        let mut applied: Vec<Applied> = vec![];
        let mut add = |decision: &Decision, by, score| {
            if applied.len() < MOST && !applied.iter().any(|it| it.decision == decision.id) {
                let seen = shown(decision).filter(|seen| *seen < touch.step);
                applied.push(Applied {
                    decision: decision.id.clone(),
                    by,
                    score,
                    is_past: decision.is_past(),
                    shown: seen.map(|seen| seen.turn),
                });
            }
        };
        for path in &touch.paths {
            for found in index.of_path(path, BUDGET) {
                add(found.decision, "file", found.score);
            }
        }
        for found in index.find(&super::key::of(&touch.call)) {
            add(found.decision, "words", found.score);
        }
        let Touch { step, number, paths, .. } = touch.clone();
        Row { step, number, paths, applied }
    };
    touches.iter().map(row).filter(|row| !row.applied.is_empty()).collect()
}

/// The texts by which one can tell that somebody was shown a decision: its id, its question, the first sentence of its answer;
/// in lower case, blanks as one. Short ones say nothing.
pub fn signs(decision: &Decision) -> Vec<String> {
    let sentence = decision.answer.split_inclusive(". ").next().unwrap_or_default();
    let texts = [decision.id.as_str(), decision.question.as_str(), sentence];
    texts.map(plain).into_iter().filter(|text| text.len() >= 6).collect()
}

/// A text in the form of [`signs`].
pub fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::Store;

    #[test]
    fn decisions_of_the_file_come_before_those_of_the_words() {
        let store = Store::read(r#"[{"id":"log-pino","answer":"Pino logs."},{"id":"db-postgres","files":["db/*.sql"],"status":"superseded"}]"#).unwrap();
        let at = |turn| StepId { turn, subagent: None, step: 0 };
        let touch = Touch {
            step: at(3),
            number: 1,
            paths: vec!["db/a.sql".into()],
            call: "Pino everywhere".into(),
        };
        let shown = |it: &Decision| (it.id == "log-pino").then(|| at(1));

        let rows = rows(&Index::of(&store), &[touch], &shown);

        let told: Vec<_> = rows[0]
            .applied
            .iter()
            .map(|it| (it.decision.as_str(), it.by, it.is_past, it.shown))
            .collect();
        assert_eq!(
            told,
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
        assert_eq!(signs(&decision), ["why kafka?", "long retention."]);
    }
}
