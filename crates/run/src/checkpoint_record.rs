//! The records of a checkpoint beside its logs: tests, measurements, flags, changed files.
//!
//! A benchmark harness runs tests and measures code, and writes down its results. These are *recorded* values: read
//! from a file, never computed here, and each keeps the file it came from ([`RecordedMeasure::source`]). Our own values
//! have the same name where one of our metrics measures the same ([`RecordedMeasure::metric`]), and the two are never
//! mixed.

use crate::worded_enum::worded;
use serde::{Serialize, Serializer};

use super::{Edit, RecordPlace};

/// The record of one checkpoint. Any part may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckpointRecord {
    /// The end of the checkpoint, in the harness' word: `ran`, `skipped`, `error`.
    pub state: Option<Box<str>>,
    /// Usage and quality, in the order of the files.
    pub values: Vec<RecordedMeasure>,
    pub measured: MeasuredParts,
    pub tests: Option<RecordedTests>,
    /// The flags of a judge. None where no judge ran; empty where one found nothing.
    pub flags: Option<Vec<Flag>>,
    /// The harness' comparison of the trees; None where it recorded none.
    pub changes: Option<RecordedChanges>,
}

/// The measurements of the parts of a snapshot; each list is None where its file is missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MeasuredParts {
    pub files: Option<Vec<MeasuredFile>>,
    pub callables: Option<Vec<MeasuredCallable>>,
    /// Empty also where the rules could not be run, which the harness does not tell apart.
    pub hits: Option<Vec<RuleHit>>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MeasuredFile {
    pub path: Box<str>,
    pub values: Vec<RecordedMeasure>,
}

/// A function or method.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct MeasuredCallable {
    pub path: Box<str>,
    pub name: Box<str>,
    /// The class of a method.
    pub class: Option<Box<str>>,
    /// Lines, count from 1, both ends included.
    pub start: u64,
    pub end: u64,
    /// Cyclomatic complexity.
    pub cc: Option<u64>,
    /// Source lines of code; None in the first generation.
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
pub struct RecordedMeasure {
    /// The file it was read from, as [`super::SourceRecord::name`].
    pub source: Box<str>,
    /// The name in the file; parts of nested objects are joined by `.` (`lines.loc`).
    pub name: Box<str>,
    pub value: MeasureValue,
    /// The name of our own measure of the same thing by the same definition (`erosion`, `max_cc`); None where there is
    /// none, and where the generation that recorded it defined it differently.
    pub metric: Option<&'static str>,
    /// The reason why the number is not reliable, in a sentence; None for a reliable one.
    pub doubt: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MeasureValue {
    /// Always finite.
    #[serde(serialize_with = "count_or_number")]
    Number(f64),
    Text(Box<str>),
    Flag(bool),
}

/// The outcomes of a checkpoint's tests, as a harness recorded them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedTests {
    /// The file they were read from, as [`super::SourceRecord::name`].
    pub source: Box<str>,
    /// The recorded ones of the four groups; a group without a record has no entry.
    pub groups: Vec<(TestGroup, PassCount)>,
    /// Every test of this checkpoint and those before it.
    pub strict: PassCount,
    /// The tests of this checkpoint alone: no [`TestGroup::Regression`].
    pub iso: PassCount,
    /// Single tests, where they are named.
    pub cases: Vec<TestCase>,
    /// The harness failed, not the code; the counts say nothing then.
    pub infrastructure_failure: bool,
    pub exit_code: Option<i64>,
    /// Tests that were found, run or not.
    pub collected: Option<u64>,
}

/// The number of passed tests, and of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PassCount {
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
        /// Tests beyond the core.
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
    /// The group; None for an unknown one.
    pub group: Option<TestGroup>,
    pub outcome: TestOutcome,
    pub seconds: Option<f64>,
    /// The reason of a failed test, one line of at most [`super::LABEL_CHARS`] characters.
    pub reason: Option<Box<str>>,
    /// The record with the whole text of the failure; read with `formats::Format::failure`.
    #[serde(skip)]
    pub failure: Option<RecordPlace>,
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
    /// The item of the rubric.
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
    pub place: RecordPlace,
}

/// The harness' own comparison of the trees before and after a checkpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedChanges {
    /// The file it was read from, as [`super::SourceRecord::name`].
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
    /// Returns the value recorded for one of our metrics (`erosion`, `verbosity`, `max_cc` ...).
    pub fn value_of_metric(&self, metric: &str) -> Option<&RecordedMeasure> {
        self.values.iter().find(|recorded| recorded.metric == Some(metric))
    }

    /// Returns the first value of that recorded name.
    pub(crate) fn value_named(&self, name: &str) -> Option<&RecordedMeasure> {
        self.values.iter().find(|recorded| &*recorded.name == name)
    }
}

impl MeasureValue {
    /// Returns the number; None for text and flags.
    pub const fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) | Self::Flag(_) => None,
        }
    }
}

/// Writes a count without decimals: 3 and not 3.0.
fn count_or_number<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    let is_count = number.fract() == 0.0 && number.abs() < 9e15;
    if is_count { to.serialize_i64(*number as i64) } else { to.serialize_f64(*number) }
}

impl RecordedTests {
    /// Returns the counts of a group; None where it is not recorded.
    pub fn group_counts(&self, group: TestGroup) -> Option<PassCount> {
        self.groups.iter().find(|(other, _)| *other == group).map(|(_, passed)| *passed)
    }
}

impl PassCount {
    /// Returns whether everything passed; false where there were no tests.
    pub const fn is_all_passed(self) -> bool {
        self.total > 0 && self.passed == self.total
    }

    /// Returns the share of passed tests, 0 to 1; None where there were none.
    pub fn passed_share(self) -> Option<f64> {
        (self.total > 0).then(|| self.passed as f64 / self.total as f64)
    }
}

impl std::ops::Add for PassCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            total: self.total.saturating_add(other.total),
        }
    }
}

impl TestGroup {
    /// Returns the group of that word, however it is capitalised.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.word().eq_ignore_ascii_case(word.trim()))
    }
}
