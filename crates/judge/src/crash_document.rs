//! A crash test as we write it (schema `trajview.crash-test/1`): the sample, the planted edits, and what the judge answered.
//!
//! It lies in the folder `crash-tests` of a bundle, never among its judgements: nothing that scores a run reads it. Answers
//! have the form of the scores of a judgement.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use trajview_code::plants::PlantKind;
use trajview_study::crash_test::{CrashAnswer, CrashCard, CrashEdit, CrashReport, CrashTrial};

use super::document::DocumentJudge;

const SCHEMA: &str = "trajview.crash-test/1";

/// The word of an unedited tree, and of the same tree judged once more.
const UNEDITED: &str = "unedited";
const REPEAT: &str = "repeat";

/// The most components of a sample.
pub(crate) const MOST_COMPONENTS: usize = 1_000;

/// Trials of one component: unedited, once more, and each kind of edit.
const MOST_TRIALS: usize = 2 + PlantKind::ALL.len();

/// One file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CrashDocument {
    pub schema: String,
    pub judge: DocumentJudge,
    pub run: String,
    pub commit: Option<String>,
    /// Turns done.
    pub turn: usize,
    /// RFC 3339.
    pub created_at: String,
    /// The time of the end; None as long as an answer is missing.
    pub finished_at: Option<String>,
    pub seed: u64,
    /// SHA-256 of the paths, modes and contents of the unedited tree. None in older files, which are not continued.
    #[serde(default)]
    pub tree_sha256: Option<String>,
    /// The components of the sample, in the order of the checklist.
    pub components: Vec<CrashComponent>,
    /// By component: unedited, once more, then each kind of edit.
    pub trials: Vec<DocumentTrial>,
    /// US dollars for all answers; None without prices, and where the tokens of a request are not known.
    pub spent_usd: Option<f64>,
    /// Requests whose tokens the server did not name.
    #[serde(default)]
    pub requests_without_usage: usize,
}

/// A component of the sample, with the places that are edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashComponent {
    pub id: String,
    pub name: String,
    /// SHA-256 of the text of the question. None in older files, which are not continued.
    #[serde(default)]
    pub question_sha256: Option<String>,
    /// The file of the judgement whose evidence names the places; None where they were found by the words of the component.
    pub evidence_of: Option<String>,
    pub places: Vec<DocumentPlace>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPlace {
    pub path: String,
    /// First and last line, counting from 1.
    pub start: usize,
    pub end: usize,
}

/// One component in one state of the tree.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DocumentTrial {
    pub component: String,
    /// `unedited`, `repeat`, or the word of a kind of edit.
    pub edit: String,
    pub summary: Option<String>,
    /// The planted edit.
    pub diff: Option<String>,
    pub not_applicable: Option<String>,
    /// The entry of the answer, as in a judgement; null as long as there is none.
    pub answer: Option<Box<RawValue>>,
}

/// The parts of an answer that count here.
#[derive(Deserialize)]
struct SavedAnswer {
    #[serde(default)]
    score: Option<u8>,
    #[serde(default)]
    rationale: Option<String>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    looks: Option<usize>,
    #[serde(default)]
    tokens: Option<u64>,
    #[serde(default)]
    fault: bool,
}

impl CrashDocument {
    pub(crate) fn new(
        judge: DocumentJudge,
        run: String,
        (commit, turn, tree_sha256): (Option<String>, usize, String),
        (seed, components): (u64, Vec<CrashComponent>),
    ) -> Self {
        let schema = SCHEMA.to_owned();
        let (created_at, finished_at, trials, spent_usd) = (String::new(), None, vec![], None);
        Self {
            schema,
            judge,
            run,
            commit,
            turn,
            created_at,
            finished_at,
            seed,
            tree_sha256: Some(tree_sha256),
            components,
            trials,
            spent_usd,
            requests_without_usage: 0,
        }
    }

    /// Returns a file of ours; None for any other, and for one with more trials than a test can have.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let document: Self = serde_json::from_slice(bytes).ok()?;
        (document.schema == SCHEMA && document.has_possible_trials()).then_some(document)
    }

    /// Returns whether each component has each edit at most once.
    fn has_possible_trials(&self) -> bool {
        let components = self.components.len();
        if components > MOST_COMPONENTS || self.trials.len() > MOST_TRIALS * components {
            return false;
        }
        let mut seen = BTreeSet::new();
        self.trials.iter().all(|it| seen.insert((it.component.as_str(), it.edit.as_str())))
    }

    /// Returns whether both ask the same judge the same questions.
    pub(crate) fn is_same_test(&self, other: &Self) -> bool {
        let is_same = |a: &DocumentTrial, b: &DocumentTrial| {
            (&a.component, &a.edit, &a.diff, &a.not_applicable)
                == (&b.component, &b.edit, &b.diff, &b.not_applicable)
        };
        let question = |it: &CrashComponent| (it.id.clone(), it.question_sha256.clone());
        self.judge == other.judge
            && (&self.run, &self.commit, self.turn) == (&other.run, &other.commit, other.turn)
            && self.tree_sha256 == other.tree_sha256
            && self.components.iter().map(question).eq(other.components.iter().map(question))
            && self.trials.len() == other.trials.len()
            && self.trials.iter().zip(&other.trials).all(|(a, b)| is_same(a, b))
    }

    /// Returns the trials for the card, in order. A trial of an unknown kind is left out.
    fn crash_trials(&self) -> Vec<CrashTrial> {
        self.trials.iter().filter_map(DocumentTrial::crash_trial).collect()
    }

    /// Returns the test with its card. `file` is the name of its file.
    pub fn report(&self, file: String) -> CrashReport {
        let trials = self.crash_trials();
        CrashReport {
            file,
            judge: self.judge.name.clone(),
            model: self.judge.model.clone(),
            run: self.run.clone(),
            commit: self.commit.clone(),
            turn: self.turn,
            created_at: self.created_at.clone(),
            is_finished: self.finished_at.is_some(),
            seed: self.seed,
            components: self.components.iter().map(|it| it.id.clone()).collect(),
            card: CrashCard::from_trials(&trials),
            trials,
            spent_usd: self.spent_usd,
            tokens: self.token_count(),
            requests_without_usage: self.requests_without_usage,
        }
    }

    /// Returns the tokens of all answers, as far as they are recorded; None where none is.
    fn token_count(&self) -> Option<u64> {
        let tokens: Vec<u64> =
            self.trials.iter().filter_map(|it| it.saved_answer()?.tokens).collect();
        (!tokens.is_empty()).then(|| tokens.into_iter().fold(0, u64::saturating_add))
    }

    pub(crate) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

impl DocumentTrial {
    pub(crate) fn for_edit(component: &str, edit: CrashEdit) -> Self {
        let edit = match edit {
            CrashEdit::Unedited => UNEDITED,
            CrashEdit::Repeat => REPEAT,
            CrashEdit::Plant(kind) => kind.word(),
        };
        Self {
            component: component.to_owned(),
            edit: edit.to_owned(),
            summary: None,
            diff: None,
            not_applicable: None,
            answer: None,
        }
    }

    /// Returns the name in events: `C07 rename`.
    pub(crate) fn task_name(&self) -> String {
        format!("{} {}", self.component, self.edit)
    }

    /// Returns whether the judge is to be asked: it can be planted, and there is no usable answer.
    pub(crate) fn is_open(&self) -> bool {
        let is_answered = self.saved_answer().is_some_and(|it| it.error.is_none() && !it.fault);
        self.not_applicable.is_none() && !is_answered
    }

    fn saved_answer(&self) -> Option<SavedAnswer> {
        serde_json::from_str(self.answer.as_ref()?.get()).ok()
    }

    fn crash_trial(&self) -> Option<CrashTrial> {
        let edit = match self.edit.as_str() {
            UNEDITED => CrashEdit::Unedited,
            REPEAT => CrashEdit::Repeat,
            word => CrashEdit::Plant(PlantKind::by_word(word)?),
        };
        Some(CrashTrial {
            component: self.component.clone(),
            edit,
            summary: self.summary.clone(),
            diff: self.diff.clone(),
            not_applicable: self.not_applicable.clone(),
            answer: self.saved_answer().map(|it| CrashAnswer {
                level: it.score.filter(|level| *level <= 4),
                rationale: it.rationale.unwrap_or_default(),
                error: it.error.or_else(|| it.fault.then(|| "the judge did not answer".to_owned())),
                is_unlooked: it.looks == Some(0),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(trials: &[(&str, &str)], tree: &str) -> Vec<u8> {
        let trial = |(component, edit): &(&str, &str)| {
            serde_json::json!({"component": component, "edit": edit, "summary": null, "diff": null,
                "not_applicable": null, "answer": null})
        };
        let judge = serde_json::json!({"name": "stub", "kind": "http", "protocol": "chat",
            "model": null, "prompt_sha256": "p", "rules_sha256": null, "budget": 8,
            "temperature": null});
        let component = serde_json::json!({"id": "C1", "name": "One", "question_sha256": "q",
            "evidence_of": null, "places": []});
        let document = serde_json::json!({"schema": SCHEMA, "judge": judge, "run": "r",
            "commit": null, "turn": 1, "created_at": "", "finished_at": null, "seed": 1,
            "tree_sha256": tree, "components": [component], "spent_usd": null,
            "trials": trials.iter().map(trial).collect::<Vec<_>>()});
        document.to_string().into_bytes()
    }

    #[test]
    fn a_file_with_a_trial_twice_or_too_many_is_none_of_ours() {
        let trials = [("C1", UNEDITED), ("C1", REPEAT)];
        assert_eq!(CrashDocument::parse(&bytes_of(&trials, "t")).unwrap().trials.len(), 2);

        let twice = [("C1", UNEDITED), ("C1", UNEDITED)];
        assert!(CrashDocument::parse(&bytes_of(&twice, "t")).is_none());
        let words: Vec<String> = (0..=MOST_TRIALS).map(|it| it.to_string()).collect();
        let many: Vec<(&str, &str)> = words.iter().map(|it| ("C1", it.as_str())).collect();
        assert!(CrashDocument::parse(&bytes_of(&many, "t")).is_none());
        assert!(CrashDocument::parse(&bytes_of(&many[1..], "t")).is_some());
    }

    #[test]
    fn another_tree_and_another_question_are_another_test() {
        let document = |tree| CrashDocument::parse(&bytes_of(&[("C1", UNEDITED)], tree)).unwrap();
        assert!(document("t").is_same_test(&document("t")));
        assert!(!document("t").is_same_test(&document("u")));

        let mut other = document("t");
        other.components[0].question_sha256 = Some("other".into());
        assert!(!document("t").is_same_test(&other));
    }
}
