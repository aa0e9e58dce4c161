//! What a report is made of, before and after its secrets are taken out. Absent values are None, never 0.

use serde::{Deserialize, Serialize};

/// All of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    pub title: String,
    /// What it is made of and by which program: names and values.
    pub made_of: Vec<(String, String)>,
    /// Of the comparison or the study; empty for one run.
    pub sections: Vec<Section>,
    pub runs: Vec<RunPart>,
}

/// What one command prints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Section {
    /// The end of its address in the page.
    pub id: String,
    pub title: String,
    /// Where its numbers are from: recorded, computed, judged.
    pub source: String,
    /// What prints it again; None where no command does.
    pub command: Option<String>,
    pub parts: Vec<Part>,
    /// What the command said on standard error.
    pub notes: Vec<String>,
}

/// A line or a table.
#[derive(Debug, Serialize, Deserialize)]
pub enum Part {
    Line(String),
    Table(Cells),
}

/// A table; the head of a column of numbers begins with `>`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Cells {
    pub heads: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// One run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RunPart {
    /// Before the addresses of what is in it: `a-` in a comparison, empty for one run.
    pub prefix: String,
    pub id: String,
    /// Its provenance: names and values, as recorded.
    pub facts: Vec<(String, String)>,
    pub sections: Vec<Section>,
    pub curves: Curves,
    pub lifelines: Vec<Life>,
    /// The profile and rules of its numbers.
    pub measured_by: Option<String>,
    /// How many turns count, for the axes.
    pub turn_count: usize,
    pub components: Vec<ComponentPart>,
    pub judged_by: Option<String>,
    pub turns: Vec<TurnPart>,
    /// Turns and curves that are not in the report.
    pub left_out: Vec<LeftOut>,
    pub warnings: Vec<String>,
}

/// Numbers along the run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Curves {
    /// What prints them.
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

/// What became of the code of a component.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Life {
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

/// One component of the checklist with what was said of it.
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
    /// Why there is no score.
    pub missing: Option<String>,
    pub evidence: Vec<EvidencePart>,
    /// What human raters said of it.
    pub labels: Vec<LabelPart>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EvidencePart {
    /// `ppdiff/losses.py:12-20`
    pub place: String,
    /// Where the lines were written, as far as the recording tells.
    pub target: Option<Target>,
}

/// A line of a diff of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Target {
    /// Counts from 1.
    pub turn: usize,
    /// Of the turn's files, from 1.
    pub file: usize,
    /// In the new file, from 1; None for the diff as a whole.
    pub line: Option<usize>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LabelPart {
    pub annotator: String,
    /// `3`, `cannot tell`; None where it was taken back.
    pub score: Option<String>,
    /// `blind`, `not blind`; None where nothing says it.
    pub blind: Option<String>,
    pub reason: Option<String>,
    pub note: Option<String>,
    pub at: Option<String>,
    /// What it was given on: a judgement's file and a turn.
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
    /// None where the recording has none.
    pub request: Option<String>,
    pub added: Vec<String>,
    /// Names and values, as recorded or computed.
    pub facts: Vec<(String, String)>,
    /// What became of the turn, where it is not simply done.
    pub state: Vec<String>,
    pub steps: Vec<StepPart>,
    pub files: Vec<FilePart>,
    /// How many files it changed, those that are not in the report included.
    pub file_count: usize,
    pub left_out: Vec<LeftOut>,
}

/// Something that a report of its size does not have.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LeftOut {
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
    /// How deep in sub-agents.
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
    /// Of the turn's files, from 1; not all of them need be in the report.
    pub number: usize,
    pub path: String,
    pub from: Option<String>,
    pub change: String,
    pub added: Option<u64>,
    pub removed: Option<u64>,
    pub origin: String,
    /// In unified form; None where there is no text to show.
    pub patch: Option<String>,
    /// Why there is none.
    pub missing: Option<String>,
}
