//! What process is told from: of each step what it does and the fingerprints of its texts, never the texts themselves.
//!
//! Whoever calls reads the texts ([`StepFacts::of`]); a fingerprint is equal where a reader would say that the texts are the
//! same. Everything here keeps the playing order of the run, sub-agents' steps after the step that started them.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::{Deserialize, Serialize};

use super::{
    action::{self, Action},
    judged::{JudgedPart, Opinion},
    plan::{self, Item},
    states::State,
};
use trajview_run::{Role, Run, Step, StepId, StepKind, StepText};

/// What is known of a run's process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observed {
    /// Every step in playing order.
    pub steps: Vec<StepFacts>,
    /// The task's id and title, as far as they are recorded.
    pub task: String,
    /// The whole request of each turn; empty where there is none.
    pub requests: Vec<String>,
    /// The code that the run ended with; None where no file is known.
    pub code: Option<CodeFacts>,
    /// What became of files and names from turn to turn.
    pub history: History,
    /// What judges said of parts that no recording gives; one of each part at most.
    pub opinions: Vec<Opinion>,
    /// Whether the files of each moment build and pass, as far as commands were run on request; empty where none was.
    pub states: Vec<State>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepFacts {
    pub id: StepId,
    /// Counts from 1 in its turn, sub-agents' steps included.
    pub number: usize,
    pub kind: StepKind,
    pub actions: Vec<Action>,
    /// Whether the recording names the actions itself.
    pub is_recorded: bool,
    /// Whether it went wrong. A search that finds nothing did not.
    pub failed: bool,
    /// Whether the recording says in any way how it went.
    pub has_outcome: bool,
    /// The files that it reads, as the step names them.
    pub reads: Vec<String>,
    /// The files that it edits, relative to the agent's folder where they lie in it.
    pub edits: Vec<String>,
    pub prints: Prints,
    /// Whether a message says that something went wrong.
    pub says_failure: bool,
    /// Read and written; None where they are not recorded.
    pub tokens: Option<u64>,
    /// What a plan lists, in order; empty for what is no plan.
    pub plan: Vec<Item>,
    /// The words of a plan; None for what is no plan, and where the recording does not have its text.
    pub plan_text: Option<String>,
    /// Of a compaction: what it kept, in lower case; empty of any other step.
    pub summary: String,
}

/// The fingerprints of a step's texts; None for what the step does not have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prints {
    /// The call: tool and arguments.
    pub call: Option<u64>,
    /// What is tried: the same for every run of the tests, for every build, for commands of one program.
    pub tried: Option<u64>,
    /// What came back.
    pub observed: Option<u64>,
    /// What went wrong, without numbers and addresses: the same failure has the same.
    pub failure: Option<u64>,
    /// Of a message that is long enough to be told from others.
    pub sketch: Option<Sketch>,
    /// The first sentence of a message, which says what was done where no call does.
    pub opening: Option<u64>,
}

/// The code that a run ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeFacts {
    /// Assertions as the released scorer counts them.
    pub shipped: super::Assertions,
    /// Assertions as the paper describes them.
    pub paper: super::Assertions,
    /// Public functions and classes outside tests, and those of them that a test file mentions.
    pub public: usize,
    pub tested: usize,
    /// Files of code whose content is known; without one nothing can be said of tests.
    pub files: usize,
    /// Test files that could not be read or that are of a language whose assertions are not counted.
    pub unread_tests: usize,
}

/// What the files over time say. Turns count from 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    pub undone: Vec<Undone>,
    pub lost_uses: Vec<LostUse>,
    /// Files that were there before the first turn.
    pub first_files: Vec<String>,
    /// Where names are used that the code still defines at the end; empty in a run without a compaction.
    pub names: NameUses,
}

/// Functions, classes and methods that the code outside tests defines at the end, and the steps whose texts have their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameUses {
    /// Name and file.
    pub defined: Vec<(String, String)>,
    /// By position in `defined`.
    pub steps: HashMap<StepId, NamesOfStep>,
    /// Of the request of each turn.
    pub requests: Vec<Vec<usize>>,
}

/// Names in the texts of a step, each once, by their position in [`NameUses::defined`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamesOfStep {
    /// What the call says.
    pub used: Vec<usize>,
    /// All texts, with what came back.
    pub seen: Vec<usize>,
}

/// A file that is again what it was, after it was something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub path: String,
    /// The turn whose edit is undone.
    pub edited: usize,
    /// The turn that undid it.
    pub undone: usize,
}

/// A definition that was in use, and that no code uses from this turn to the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostUse {
    pub name: String,
    /// Where it is defined, or was last.
    pub path: String,
    /// The files that used it before.
    pub users: Vec<String>,
    pub turn: usize,
    /// Whether the definition itself is gone.
    pub is_gone: bool,
}

impl Observed {
    /// What a judge said of a part.
    pub fn opinion(&self, part: JudgedPart) -> Option<&Opinion> {
        self.opinions.iter().find(|opinion| opinion.part == part)
    }

    /// Whether the recording tells of anything that was done: records that nobody knows tell of nothing.
    pub fn tells_steps(&self) -> bool {
        self.steps.iter().any(|step| step.kind != StepKind::Unknown)
    }
}

impl StepFacts {
    /// Of a step and its texts.
    pub fn of(run: &Run, id: StepId, number: usize, step: &Step, text: &StepText) -> Self {
        let line = match (&step.tool, &text.arguments) {
            (Some(_), Some(arguments)) => arguments.as_str(),
            _ => text.text.as_str(),
        };
        let told = action::of(step, line);
        let is_said = step.kind == StepKind::Message && step.role != Role::User;
        let result = text.result.as_deref().filter(|_| step.tool.is_some());
        let failed = step.failed() && !finds_nothing(step, &told.actions);
        let mut actions = told.actions;
        if !failed {
            actions.retain(|action| *action != Action::ErrorEncountered);
        }
        let tool = step.tool.as_deref();
        let tokens = (step.tokens.input, step.tokens.output);
        let root = run.origin.root.as_deref();
        let plans = actions.contains(&Action::PlanCreated) || is_said;
        Self {
            id,
            number,
            kind: step.kind,
            is_recorded: told.is_recorded,
            failed,
            has_outcome: step.failed() || step.result().is_some_and(|it| it.outcome().is_some()),
            reads: told.reads.iter().map(|path| relative(path, root)).collect(),
            edits: step.edits.iter().map(|edit| edit.path.as_str().to_owned()).collect(),
            prints: Prints {
                call: tool.map(|tool| hash(&(&tool.name, line.trim()))),
                tried: tool.map(|tool| tried(&tool.name, &step.label, &actions)),
                observed: result.map(|result| hash(&steady(result))),
                failure: failed.then(|| hash(&steady(result.unwrap_or(&text.text)))),
                sketch: is_said.then(|| Sketch::of(&text.text)).flatten(),
                opening: is_said.then(|| opening(&text.text)).flatten(),
            },
            says_failure: is_said && says_failure(&text.text),
            tokens: match tokens {
                (None, None) => None,
                (input, output) => {
                    Some(input.unwrap_or_default().saturating_add(output.unwrap_or_default()))
                }
            },
            plan: if plans { plan::items(line) } else { vec![] },
            plan_text: if plans { plan::text(line) } else { None },
            summary: match step.kind {
                StepKind::Compaction => text.text.to_lowercase(),
                _ => String::new(),
            },
            actions,
        }
    }

    pub fn does(&self, action: Action) -> bool {
        self.actions.contains(&action)
    }

    /// Whether it changes files.
    pub fn edits_files(&self) -> bool {
        !self.edits.is_empty() || self.actions.iter().any(|action| action.edits())
    }
}

/// A path as the files of the run are called.
fn relative(path: &str, root: Option<&str>) -> String {
    trajview_run::EditPath::sort(path, root).as_str().to_owned()
}

/// `grep` and its like say by exit code 1 that they found nothing.
fn finds_nothing(step: &Step, actions: &[Action]) -> bool {
    let code = step.result().and_then(|result| result.exit_code);
    let only_looks = actions.iter().all(|action| {
        matches!(action, Action::Searched | Action::FileRead | Action::ErrorEncountered)
    });
    code == Some(1) && only_looks && !actions.is_empty()
}

fn tried(tool: &str, label: &str, actions: &[Action]) -> u64 {
    if actions.contains(&Action::TestExecuted) {
        return 1;
    }
    if actions.contains(&Action::Built) {
        return 2;
    }
    let mut words = label.split_whitespace().filter(|word| !word.contains('='));
    hash(&(tool, words.next(), words.next()))
}

pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The first sentence, where it has words enough to say something.
fn opening(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    let sentence = line.split_inclusive(". ").next().unwrap_or(line);
    let words = sentence.split_whitespace().count();
    (4..=60).contains(&words).then(|| hash(&steady(sentence)))
}

/// A text without what differs from run to run of one command: numbers, hexadecimal addresses, times, blanks.
fn steady(text: &str) -> String {
    let mut steady = String::with_capacity(text.len().min(MOST_BYTES));
    let mut text = text;
    if text.len() > MOST_BYTES {
        let end = (0..=MOST_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text = &text[..end];
    }
    let mut was_digit = false;
    for c in text.chars() {
        let is_digit =
            c.is_ascii_digit() || (was_digit && c.is_ascii_hexdigit()) || (was_digit && c == '.');
        if is_digit {
            if !was_digit {
                steady.push('#');
            }
        } else if !c.is_whitespace() {
            steady.push(c);
        }
        was_digit = is_digit;
    }
    steady
}

/// Of a long text as much is compared.
const MOST_BYTES: usize = 64 << 10;

/// Words by which a message says that something went wrong.
const FAILED: [&str; 12] = [
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
    FAILED.iter().any(|it| words.contains(it))
}

/// A sketch of a text's runs of three words, by which the likeness of two texts is estimated (MinHash; Broder 1997).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sketch([u32; SLOTS]);

const SLOTS: usize = 32;

/// Shorter messages are like too many others: `Done.`
const LEAST_WORDS: usize = 8;

impl Sketch {
    /// None for a text with too few words.
    pub fn of(text: &str) -> Option<Self> {
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(4_000)
            .collect();
        if words.len() < LEAST_WORDS {
            return None;
        }
        let mut slots = [u32::MAX; SLOTS];
        for run in words.windows(3) {
            let mut hash = hash(&run) | 1;
            for slot in &mut slots {
                hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ (hash >> 31);
                *slot = (*slot).min(hash as u32);
            }
        }
        Some(Self(slots))
    }

    /// The estimated share of runs of three words that both have, of those that one of them has: 0 to 1.
    pub fn likeness(&self, other: &Self) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        equal as f64 / SLOTS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_failure_at_another_line_and_time_is_the_same() {
        let one = steady("FAILED test_a.py:12 in 0.3s at 0x7f3a2b");
        assert_eq!(one, steady("FAILED  test_a.py:19 in 0.41s at 0x7f00ff\n"));
        assert_ne!(one, steady("FAILED test_b.py:12 in 0.3s at 0x7f3a2b"));
    }

    #[test]
    fn texts_are_alike_by_the_words_they_share() {
        let of = |text: &str| Sketch::of(text).unwrap();
        let long = "Please look up the list of films, their ratings and their length in minutes.";
        let other = "Nothing in common with what was said before is to be found in this one here.";

        assert_eq!(of(long).likeness(&of(long)), 1.0);
        assert_eq!(of(long).likeness(&of(other)), 0.0);
        assert_eq!(Sketch::of("Next speaker"), None);
    }
}
