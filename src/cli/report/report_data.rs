//! The material of a report, before and after its secrets are taken out. Absent values are None, never 0.

use serde::{Deserialize, Serialize};

/// All of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ReportMaterial {
    pub title: String,
    /// The sources and the program that wrote it: names and values.
    pub made_of: Vec<(String, String)>,
    /// Sections of the comparison or the study; empty for one run.
    pub sections: Vec<ReportSection>,
    pub runs: Vec<RunPart>,
}

/// The output of one command.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ReportSection {
    /// The end of its address in the page.
    pub id: String,
    pub title: String,
    /// The source of its numbers: recorded, computed, judged.
    pub source: String,
    /// The command that prints it again. None if there is none.
    pub command: Option<String>,
    pub parts: Vec<SectionPart>,
    /// The command's messages on standard error.
    pub notes: Vec<String>,
}

/// A line, a table or a figure.
#[derive(Debug, Serialize, Deserialize)]
pub enum SectionPart {
    Line(String),
    Table(TableCells),
    /// An SVG that `trajview figure` has written.
    Figure(String),
}

/// A table; the head of a column of numbers begins with `>`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TableCells {
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// One run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RunPart {
    /// The prefix of addresses in the run: `a-` in a comparison, empty for one run.
    pub prefix: String,
    pub id: String,
    /// Its provenance: names and values, as recorded.
    pub facts: Vec<(String, String)>,
    pub sections: Vec<ReportSection>,
    pub curves: RunCurves,
    pub lifelines: Vec<ComponentLife>,
    /// The profile and rules of its numbers.
    pub measured_by: Option<String>,
    /// The number of turns that count, for the axes.
    pub turn_count: usize,
    pub components: Vec<ComponentPart>,
    pub judged_by: Option<String>,
    pub turns: Vec<TurnPart>,
    /// Turns and curves that are not in the report.
    pub left_out: Vec<LeftOutPart>,
    pub warnings: Vec<String>,
}

/// Numbers along the run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RunCurves {
    /// The command that prints them.
    pub command: String,
    /// `checkpoint` or `turn`
    pub each: String,
    pub points: Vec<CurvePoint>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct CurvePoint {
    pub label: String,
    pub turn: usize,
    pub erosion: Option<f64>,
    pub verbosity: Option<f64>,
}

/// The lifeline of a component's code.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ComponentLife {
    pub component: String,
    pub committed: Option<usize>,
    pub lost_at: Option<usize>,
    pub symbols: Vec<LifeSymbol>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LifeSymbol {
    pub name: String,
    pub first: Option<usize>,
    pub last_used: Option<usize>,
    pub vanished: Option<usize>,
    pub state: String,
}

/// One component of the checklist with its verdict and labels.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ComponentPart {
    pub component: String,
    pub name: String,
    pub intent: String,
    pub committed: Option<usize>,
    /// `4`, `2.5`; None without a verdict, and where the judge gave none.
    pub score: Option<String>,
    pub level: Option<String>,
    pub rationale: String,
    /// The reason why there is no score.
    pub missing: Option<String>,
    pub evidence: Vec<EvidencePart>,
    /// Labels of human raters.
    pub labels: Vec<LabelPart>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EvidencePart {
    /// `ppdiff/losses.py:12-20`
    pub place: String,
    /// The diff line where the lines were written, as far as it is recorded.
    pub target: Option<DiffTarget>,
}

/// A line of a diff of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DiffTarget {
    /// Counts from 1.
    pub turn: usize,
    /// Index of the file in the turn, from 1.
    pub file: usize,
    /// Line in the new file, from 1; None for the whole diff.
    pub line: Option<usize>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LabelPart {
    pub annotator: String,
    /// `3`, `cannot tell`. None if it was taken back.
    pub score: Option<String>,
    /// `blind`, `not blind`. None if it is not recorded.
    pub blind: Option<String>,
    pub reason: Option<String>,
    pub note: Option<String>,
    pub at: Option<String>,
    /// The object of the label: a judgement's file and a turn.
    pub on: String,
}

/// One turn.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TurnPart {
    /// Counts from 1.
    pub turn: usize,
    pub checkpoint: Option<String>,
    /// The first words of the request.
    pub title: String,
    /// None if the recording has none.
    pub request: Option<String>,
    pub added: Vec<String>,
    /// Names and values, as recorded or computed.
    pub facts: Vec<(String, String)>,
    /// Sentences about the turn's state, where it is not simply done.
    pub state: Vec<String>,
    pub steps: Vec<StepPart>,
    pub files: Vec<FilePart>,
    /// The number of files it changed, with those that are not in the report.
    pub file_count: usize,
    pub left_out: Vec<LeftOutPart>,
}

/// Something that a report of its size does not have.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LeftOutPart {
    /// `312 of 512 files are left out`
    pub what: String,
    /// The command that prints it.
    pub command: String,
}

/// One step.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct StepPart {
    /// Its number in the turn, from 1.
    pub step: usize,
    /// The depth of nested sub-agents.
    pub depth: usize,
    pub what: String,
    pub label: String,
    pub is_error: bool,
    pub text: String,
    pub call: Option<String>,
    pub outcome: Option<String>,
    pub result: Option<String>,
    pub edits: Vec<String>,
}

/// A file that a turn changed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct FilePart {
    /// Index of the file in the turn, from 1; the report may leave files out.
    pub number: usize,
    pub path: String,
    pub from: Option<String>,
    pub change: String,
    pub added: Option<u64>,
    pub removed: Option<u64>,
    pub origin: String,
    /// The unified diff. None if there is no text to show.
    pub patch: Option<String>,
    /// The reason why there is none.
    pub missing: Option<String>,
}
