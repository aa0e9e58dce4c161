//! The facts from which the process is measured: the actions of each step and the fingerprints of its texts, never the
//! texts themselves.
//!
//! Callers read the texts ([`StepFacts::new`]); fingerprints are equal where a reader would call the texts the same.
//! Everything here is in the playing order of the run, sub-agents' steps after the step that started them.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::{Deserialize, Serialize};

use super::{
    action::{self, StepAction},
    checked_states::CheckedState,
    judged_parts::{JudgeOpinion, JudgedPart},
    plan::{self, PlanItem},
};
use trajview_run::{Role, Run, Step, StepId, StepKind, StepText};

/// The facts about a run's process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ObservedRun {
    /// Every step in playing order.
    pub steps: Vec<StepFacts>,
    /// The task's id and title, as far as they are recorded.
    pub task: String,
    /// The whole request of each turn; empty where there is none.
    pub requests: Vec<String>,
    /// The code that the run ended with; None where no file is known.
    pub code: Option<CodeFacts>,
    /// The history of files and names over the turns.
    pub history: CodeHistory,
    /// The opinions of judges on parts that no recording contains; at most one per part.
    pub opinions: Vec<JudgeOpinion>,
    /// The checked states of the files: whether they build and pass the tests, as far as commands were run on request;
    /// empty where none was.
    pub states: Vec<CheckedState>,
}

/// The facts about one step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepFacts {
    pub id: StepId,
    /// Counts from 1 in its turn, sub-agents' steps included.
    pub number: usize,
    pub kind: StepKind,
    pub actions: Vec<StepAction>,
    /// True where the recording names the actions itself.
    pub is_recorded: bool,
    /// True where the step failed. A search that finds nothing did not fail.
    pub failed: bool,
    /// True where the recording has any outcome of the step.
    pub has_outcome: bool,
    /// The files that it reads, as the step names them.
    pub reads: Vec<String>,
    /// The files that it edits, relative to the agent's folder where they lie in it.
    pub edits: Vec<String>,
    pub prints: StepFingerprints,
    /// True where a message reports a failure.
    pub says_failure: bool,
    /// Tokens read and written; None where they are not recorded.
    pub tokens: Option<u64>,
    /// The items of a plan, in order; empty for a step that is no plan.
    pub plan: Vec<PlanItem>,
    /// The text of a plan; None for a step that is no plan, and where the recording does not have its text.
    pub plan_text: Option<String>,
    /// The summary of a compaction, in lower case; empty for any other step.
    pub summary: String,
}

/// The fingerprints of a step's texts; None for what the step does not have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepFingerprints {
    /// The call: tool and arguments.
    pub call: Option<u64>,
    /// The kind of attempt: equal for all runs of the tests, for all builds, and for all commands of one program.
    pub attempt: Option<u64>,
    /// The response of the call.
    pub response: Option<u64>,
    /// The failure without numbers and addresses, so that equal failures have equal fingerprints.
    pub failure: Option<u64>,
    /// The sketch of a message that is long enough to differ from others.
    pub sketch: Option<TextSketch>,
    /// The first sentence of a message, which describes the action where no call does.
    pub opening: Option<u64>,
}

/// Facts about the code at the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeFacts {
    /// Assertions as the released scorer counts them.
    pub shipped: super::AssertionCounts,
    /// Assertions as the paper describes them.
    pub paper: super::AssertionCounts,
    /// Public functions and classes outside tests, and those of them that a test file mentions.
    pub public: usize,
    pub tested: usize,
    /// The number of files of code with known content; without any nothing is known about tests.
    pub files: usize,
    /// Test files that could not be read or that are of a language whose assertions are not counted.
    pub unread_tests: usize,
}

/// Facts from the files over time. Turns count from 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeHistory {
    pub undone: Vec<UndoneEdit>,
    pub lost_uses: Vec<LostUse>,
    /// Files that were there before the first turn.
    pub first_files: Vec<String>,
    /// The uses of names that the code still defines at the end; empty in a run without a compaction.
    pub names: NameUses,
}

/// Functions, classes and methods that the code outside tests defines at the end, and the steps whose texts have their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameUses {
    /// Pairs of a name and its file.
    pub defined: Vec<(String, String)>,
    /// The names in the texts of each step.
    pub steps: HashMap<StepId, NamesOfStep>,
    /// The names in the request of each turn, by their position in `defined`.
    pub requests: Vec<Vec<usize>>,
}

/// Names in the texts of a step, each once, by their position in [`NameUses::defined`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamesOfStep {
    /// Names in the call.
    pub used: Vec<usize>,
    /// Names in all texts, responses included.
    pub seen: Vec<usize>,
}

/// A file that has its former content again after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneEdit {
    pub path: String,
    /// The turn whose edit is undone.
    pub edited: usize,
    /// The turn that undid it.
    pub undone: usize,
}

/// A definition that was in use, and that no code uses from `turn` to the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostUse {
    pub name: String,
    /// The file in which it is defined, or was last.
    pub path: String,
    /// The files that used it before.
    pub users: Vec<String>,
    pub turn: usize,
    /// True where the definition itself is gone.
    pub is_gone: bool,
}

impl ObservedRun {
    /// Returns the opinion of a judge on a part.
    pub(crate) fn opinion_on(&self, part: JudgedPart) -> Option<&JudgeOpinion> {
        self.opinions.iter().find(|opinion| opinion.part == part)
    }

    /// Returns whether the recording has any step of a known kind.
    pub(crate) fn has_known_steps(&self) -> bool {
        self.steps.iter().any(|step| step.kind != StepKind::Unknown)
    }
}

impl StepFacts {
    /// Extracts the facts of a step from the step and its texts.
    pub fn new(run: &Run, id: StepId, number: usize, step: &Step, text: &StepText) -> Self {
        let line = match (&step.tool, &text.arguments) {
            (Some(_), Some(arguments)) => arguments.as_str(),
            _ => text.text.as_str(),
        };
        let step_actions = action::actions_of_step(step, line);
        let is_said = step.kind == StepKind::Message && step.role != Role::User;
        let result = text.result.as_deref().filter(|_| step.tool.is_some());
        let failed = step.has_failed() && !finds_nothing(step, &step_actions.actions);
        let mut actions = step_actions.actions;
        if !failed {
            actions.retain(|action| *action != StepAction::ErrorEncountered);
        }
        let tool = step.tool.as_deref();
        let root = run.origin.root.as_deref();
        let plans = actions.contains(&StepAction::PlanCreated) || is_said;
        Self {
            id,
            number,
            kind: step.kind,
            is_recorded: step_actions.is_recorded,
            failed,
            has_outcome: step.has_failed()
                || step.tool_result().is_some_and(|it| it.outcome_text().is_some()),
            reads: step_actions.reads.iter().map(|path| relative_path(path, root)).collect(),
            edits: step.edits.iter().map(|edit| edit.path.as_str().to_owned()).collect(),
            prints: StepFingerprints {
                call: tool.map(|tool| hash_value(&(&tool.name, line.trim()))),
                attempt: tool.map(|tool| attempt_fingerprint(&tool.name, &step.label, &actions)),
                response: result.map(|result| hash_value(&normalised_text(result))),
                failure: failed.then(|| hash_value(&normalised_text(result.unwrap_or(&text.text)))),
                sketch: is_said.then(|| TextSketch::from_text(&text.text)).flatten(),
                opening: is_said.then(|| opening_fingerprint(&text.text)).flatten(),
            },
            says_failure: is_said && says_failure(&text.text),
            tokens: step.tokens.recorded_sum(),
            plan: if plans { plan::plan_items(line) } else { vec![] },
            plan_text: if plans { plan::plan_text(line) } else { None },
            summary: match step.kind {
                StepKind::Compaction => text.text.to_lowercase(),
                _ => String::new(),
            },
            actions,
        }
    }

    /// Returns whether the step has the action.
    pub fn has_action(&self, action: StepAction) -> bool {
        self.actions.contains(&action)
    }

    /// Returns whether the step changes files.
    pub fn edits_files(&self) -> bool {
        !self.edits.is_empty() || self.actions.iter().any(|action| action.edits_files())
    }
}

/// Returns a path relative to the agent's folder where it lies in it, as the files of the run are named.
fn relative_path(path: &str, root: Option<&str>) -> String {
    trajview_run::EditPath::from_recorded(path, root).as_str().to_owned()
}

/// Returns whether a search found nothing, which `grep` and similar programs report by exit code 1.
fn finds_nothing(step: &Step, actions: &[StepAction]) -> bool {
    let code = step.tool_result().and_then(|result| result.exit_code);
    let only_looks = actions.iter().all(|action| {
        matches!(action, StepAction::Searched | StepAction::FileRead | StepAction::ErrorEncountered)
    });
    code == Some(1) && only_looks && !actions.is_empty()
}

fn attempt_fingerprint(tool: &str, label: &str, actions: &[StepAction]) -> u64 {
    if actions.contains(&StepAction::TestExecuted) {
        return 1;
    }
    if actions.contains(&StepAction::Built) {
        return 2;
    }
    let mut words = label.split_whitespace().filter(|word| !word.contains('='));
    hash_value(&(tool, words.next(), words.next()))
}

pub(super) fn hash_value(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the fingerprint of the first sentence, where it has enough words to be distinctive.
fn opening_fingerprint(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let sentence = line.split_inclusive(". ").next().unwrap_or(line);
    let words = sentence.split_whitespace().count();
    (4..=60).contains(&words).then(|| hash_value(&normalised_text(sentence)))
}

/// Returns a text without the parts that differ between runs of one command: numbers, hexadecimal addresses, times,
/// blanks.
fn normalised_text(text: &str) -> String {
    let mut steady = String::with_capacity(text.len().min(MAX_COMPARED_BYTES));
    let mut text = text;
    if text.len() > MAX_COMPARED_BYTES {
        let end = (0..=MAX_COMPARED_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text = &text[..end];
    }
    // What is copied up to the next number or blank is copied at once.
    let (mut copied, mut was_digit) = (0, false);
    for (at, c) in text.char_indices() {
        let is_digit =
            c.is_ascii_digit() || (was_digit && c.is_ascii_hexdigit()) || (was_digit && c == '.');
        if is_digit || c.is_whitespace() {
            steady.push_str(&text[copied..at]);
            copied = at + c.len_utf8();
        }
        if is_digit && !was_digit {
            steady.push('#');
        }
        was_digit = is_digit;
    }
    steady.push_str(&text[copied..]);
    steady
}

/// The most bytes of a text that are compared.
const MAX_COMPARED_BYTES: usize = 64 << 10;

/// Phrases by which a message reports a failure.
const FAILURE_PHRASES: [&str; 12] = [
    "encountered an error",
    "an error occurred",
    "error code",
    "traceback (most recent call last)",
    "unable to",
    "failed to",
    "could not be",
    "timed out",
    "access denied",
    "permission denied",
    "not able to",
    "was not found",
];

fn says_failure(text: &str) -> bool {
    let end = text.char_indices().nth(2_000).map_or(text.len(), |(at, _)| at);
    let words = text[..end].to_lowercase();
    FAILURE_PHRASES.iter().any(|it| words.contains(it))
}

/// A sketch of a text's runs of three words, by which the likeness of two texts is estimated (MinHash; Broder 1997).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSketch([u32; SLOTS]);

const SLOTS: usize = 32;

/// The fewest words of a sketched message; shorter ones resemble too many others: `Done.`
const MIN_SKETCH_WORDS: usize = 8;

impl TextSketch {
    /// Returns the sketch of a text; None for a text with too few words.
    pub fn from_text(text: &str) -> Option<Self> {
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(4_000)
            .collect();
        if words.len() < MIN_SKETCH_WORDS {
            return None;
        }
        let mut slots = [u32::MAX; SLOTS];
        for run in words.windows(3) {
            let mut hash = hash_value(&run) | 1;
            for slot in &mut slots {
                hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ (hash >> 31);
                *slot = (*slot).min(hash as u32);
            }
        }
        Some(Self(slots))
    }

    /// Returns the estimated share of runs of three words that both have, among those that either has: 0 to 1.
    pub(crate) fn likeness_to(&self, other: &Self) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        equal as f64 / SLOTS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failure_at_another_line_and_time_is_the_same() {
        let one = normalised_text("FAILED test_a.py:12 in 0.3s at 0x7f3a2b");
        assert_eq!(one, normalised_text("FAILED  test_a.py:19 in 0.41s at 0x7f00ff\n"));
        assert_ne!(one, normalised_text("FAILED test_b.py:12 in 0.3s at 0x7f3a2b"));
    }

    #[test]
    fn texts_are_alike_by_the_words_they_share() {
        let sketch = |text: &str| TextSketch::from_text(text).unwrap();
        let long = "Please look up the list of films, their ratings and their length in minutes.";
        let other = "Nothing in common with what was said before is to be found in this one here.";

        assert_eq!(sketch(long).likeness_to(&sketch(long)), 1.0);
        assert_eq!(sketch(long).likeness_to(&sketch(other)), 0.0);
        assert_eq!(TextSketch::from_text("Next speaker"), None);
    }
}
