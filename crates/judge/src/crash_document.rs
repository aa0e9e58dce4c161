//! A crash test as we write it (schema `trajview.crash-test/1`): the sample, the planted edits, and what the judge answered.
//!
//! It lies in the folder `crash-tests` of a bundle, never among its judgements: nothing that scores a run reads it. Answers
//! have the form of the scores of a judgement.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use trajview_code::plants::PlantKind;
use trajview_study::crash_test::{CrashAnswer, CrashCard, CrashEdit, CrashReport, CrashTrial};

use super::document::DocumentJudge;

const SCHEMA: &str = "trajview.crash-test/1";

/// The word of an unedited tree, and of the same tree judged once more.
const UNEDITED: &str = "unedited";
const REPEAT: &str = "repeat";

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
    /// The components of the sample, in the order of the checklist.
    pub components: Vec<CrashComponent>,
    /// By component: unedited, once more, then each kind of edit.
    pub trials: Vec<DocumentTrial>,
    /// US dollars for all answers; None without prices.
    pub spent_usd: Option<f64>,
}

/// A component of the sample, with the places that are edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashComponent {
    pub id: String,
    pub name: String,
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
        (commit, turn): (Option<String>, usize),
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
            components,
            trials,
            spent_usd,
        }
    }

    /// Returns a file of ours; None for any other.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let document: Self = serde_json::from_slice(bytes).ok()?;
        (document.schema == SCHEMA).then_some(document)
    }

    /// Returns whether both ask the same judge the same questions.
    pub(crate) fn is_same_test(&self, other: &Self) -> bool {
        let is_same = |a: &DocumentTrial, b: &DocumentTrial| {
            (&a.component, &a.edit, &a.diff, &a.not_applicable)
                == (&b.component, &b.edit, &b.diff, &b.not_applicable)
        };
        self.judge == other.judge
            && (&self.run, &self.commit, self.turn) == (&other.run, &other.commit, other.turn)
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
        }
    }

    /// Returns the tokens of all answers, as far as they are recorded; None where none is.
    fn token_count(&self) -> Option<u64> {
        let tokens: Vec<u64> =
            self.trials.iter().filter_map(|it| it.saved_answer()?.tokens).collect();
        (!tokens.is_empty()).then(|| tokens.iter().sum())
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
                error: it.error,
                is_unlooked: it.looks == Some(0),
            }),
        })
    }
}
