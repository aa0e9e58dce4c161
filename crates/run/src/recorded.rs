//! What a recording says of a checkpoint beside its logs: tests, measurements, flags, changed files.
//!
//! A benchmark harness runs tests and measures code, and writes down what it found. These are *recorded* values: read
//! from a file, never worked out here, and each keeps the file it came from ([`Recorded::source`]). What we compute
//! ourselves stands beside them under the same name where one of our metrics measures the same
//! ([`Recorded::metric`]), and is never mixed with them.

use crate::values::worded;
use serde::{Serialize, Serializer};

use super::{Edit, Place};

/// What was recorded of one checkpoint. Any part may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckpointRecord {
    /// How the checkpoint ended, in the harness' word: `ran`, `skipped`, `error`.
    pub state: Option<Box<str>>,
    /// Usage and quality, in the order of the files.
    pub values: Vec<Recorded>,
    pub measured: Measured,
    pub tests: Option<Tests>,
    /// None where no judge was asked; empty where one was and found nothing.
    pub flags: Option<Vec<Flag>>,
    /// None where the harness recorded no comparison of the trees.
    pub changes: Option<Changes>,
}

/// What was measured of the parts of a snapshot; each list is None where its file is not there.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Measured {
    pub files: Option<Vec<MeasuredFile>>,
    pub callables: Option<Vec<Callable>>,
    /// Empty also where the rules could not be run, which the harness does not tell apart.
    pub hits: Option<Vec<RuleHit>>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MeasuredFile {
    pub path: Box<str>,
    pub values: Vec<Recorded>,
}

/// A function or method.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Callable {
    pub path: Box<str>,
    pub name: Box<str>,
    /// The class of a method.
    pub class: Option<Box<str>>,
    /// Lines, count from 1, both ends included.
    pub start: u64,
    pub end: u64,
    /// Cyclomatic complexity.
    pub cc: Option<u64>,
    /// Not in the first generation.
    pub sloc: Option<u64>,
}

/// Lines that a rule matched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RuleHit {
    pub rule: Box<str>,
    pub category: Option<Box<str>>,
    pub path: Box<str>,
    /// Lines, count from 1, both ends included.
    pub start: u64,
    pub end: u64,
}

/// One recorded value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recorded {
    /// The file it was read from, as [`super::SourceFile::name`].
    pub source: Box<str>,
    /// As the file names it; parts of nested objects are joined by `.` (`lines.loc`).
    pub name: Box<str>,
    pub value: Value,
    /// The name of our own measure of the same thing by the same definition (`erosion`, `max_cc`); None where there is
    /// none, and where the generation that recorded it defined it differently.
    pub metric: Option<&'static str>,
    /// Why the number is not to be relied on, in a sentence; None where nothing speaks against it.
    pub doubt: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Always finite.
    #[serde(serialize_with = "count_or_number")]
    Number(f64),
    Text(Box<str>),
    Flag(bool),
}

/// The outcomes of a checkpoint's tests, as a harness recorded them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tests {
    /// The file they were read from, as [`super::SourceFile::name`].
    pub source: Box<str>,
    /// Those of the four groups that are recorded; a group that is not has no entry.
    pub groups: Vec<(TestGroup, Passed)>,
    /// Every test of this checkpoint and those before it.
    pub strict: Passed,
    /// The tests of this checkpoint alone: no [`TestGroup::Regression`].
    pub iso: Passed,
    /// Single tests, where they are named.
    pub cases: Vec<TestCase>,
    /// The harness failed, not the code; the counts say nothing then.
    pub infrastructure_failure: bool,
    pub exit_code: Option<i64>,
    /// Tests that were found, run or not.
    pub collected: Option<u64>,
}

/// How many of how many passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Passed {
    pub passed: u64,
    pub total: u64,
}

worded! {
    /// SlopCodeBench's kinds of tests.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum TestGroup {
        /// Must pass.
        Core = "core",
        /// Errors are handled as specified.
        Error = "error",
        /// Beyond the core.
        Functionality = "functionality",
        /// Tests of earlier checkpoints.
        Regression = "regression",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestCase {
    pub name: Box<str>,
    /// The checkpoint the test was written for.
    pub checkpoint: Box<str>,
    /// None for a group we do not know.
    pub group: Option<TestGroup>,
    pub outcome: TestOutcome,
    pub seconds: Option<f64>,
    /// Of a failed test, one line of at most [`super::LABEL_CHARS`] characters.
    pub reason: Option<Box<str>>,
    /// The record with the whole text of the failure; read with `formats::Format::failure`.
    #[serde(skip)]
    pub failure: Option<Place>,
}

worded! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum TestOutcome {
        Passed = "passed",
        Failed = "failed",
        Skipped = "skipped",
    }
}

/// One place in the code that a judge with a rubric objected to. A count of flags is not a score.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Flag {
    /// Which item of the rubric.
    pub criterion: Box<str>,
    pub category: Option<Box<str>>,
    /// `verbosity` or `erosion`. Where the row has lost it (carried rows do), that of another row of the run with the
    /// same criterion.
    pub kind: Option<Box<str>>,
    pub path: Box<str>,
    /// Lines, count from 1, both ends included. The judge saw no line numbers: they may be off.
    pub start: Option<u64>,
    pub end: Option<u64>,
    /// 1 to 5.
    pub confidence: Option<f64>,
    pub explanation: Option<Box<str>>,
    /// Id of the checkpoint whose judging found it first; None where this one's did.
    pub carried_from: Option<Box<str>>,
    #[serde(skip)]
    pub place: Place,
}

/// The harness' own comparison of the trees before and after a checkpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// The file it was read from, as [`super::SourceFile::name`].
    pub source: Box<str>,
    pub files: Vec<ChangedFile>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChangedFile {
    /// Its body, where it is recorded, is read as that of any edit.
    pub edit: Edit,
    pub is_binary: bool,
    /// Bytes.
    pub old_size: Option<u64>,
    pub new_size: Option<u64>,
}

impl CheckpointRecord {
    /// The value recorded for one of our metrics (`erosion`, `verbosity`, `max_cc` ...).
    pub fn of_metric(&self, metric: &str) -> Option<&Recorded> {
        self.values.iter().find(|recorded| recorded.metric == Some(metric))
    }

    /// The first value of that recorded name.
    pub fn named(&self, name: &str) -> Option<&Recorded> {
        self.values.iter().find(|recorded| &*recorded.name == name)
    }
}

impl Value {
    /// None for words and flags.
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) | Self::Flag(_) => None,
        }
    }
}

/// A count is written as one: 3 and not 3.0.
fn count_or_number<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    let is_count = number.fract() == 0.0 && number.abs() < 9e15;
    if is_count { to.serialize_i64(*number as i64) } else { to.serialize_f64(*number) }
}

impl Tests {
    /// None where the group is not recorded.
    pub fn group(&self, group: TestGroup) -> Option<Passed> {
        self.groups.iter().find(|(found, _)| *found == group).map(|(_, passed)| *passed)
    }
}

impl Passed {
    /// Whether everything passed; not so where there was nothing to pass.
    pub const fn all(self) -> bool {
        self.total > 0 && self.passed == self.total
    }

    /// 0 to 1; None where there was nothing to pass.
    pub fn share(self) -> Option<f64> {
        (self.total > 0).then(|| self.passed as f64 / self.total as f64)
    }
}

impl std::ops::Add for Passed {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            total: self.total.saturating_add(other.total),
        }
    }
}

impl TestGroup {
    /// The group of that word, however it is capitalised.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.word().eq_ignore_ascii_case(word.trim()))
    }
}
