//! What the table of runs asks of a worker, and what comes back.

use std::{collections::BTreeMap, path::PathBuf};

use crate::session::{
    code_measures::{MeasuredMoment, RulerName},
    columns::RunTableColumn,
    request::Sentence,
};
use trajview_metrics::{process::ProcessNumbers, quality::QualitySnapshot};
use trajview_run::{Run, RunCard};

/// A run to read or measure: its row and its path.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    pub row: usize,
    pub path: PathBuf,
    /// The moments to score, in turns done.
    pub moments: Vec<usize>,
}

/// The part of a recording that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadDepth {
    Beginning,
    /// All of it, as its records add up; no files are put together.
    Index,
    /// The index, and the lines that its turns changed.
    Whole,
}

/// The order in which runs are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOrder {
    /// The order of the folders, while others are still being searched.
    OfFolders,
    /// The time of their files, the latest first, once all are found.
    NewestFirst,
}

/// A partial result of a worker; the answer itself only ends it.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundRuns {
    /// Some more runs.
    Paths(Vec<PathBuf>),
    /// Some more runs, each with its known card; None where the card is still to be requested.
    Known(Vec<(PathBuf, Option<KnownCard>)>),
    /// The runs that follow are called by their paths below this folder.
    Below(PathBuf),
    /// Some beginnings: the row and the card, if there is one.
    Beginnings(Vec<(usize, Option<Box<RunCard>>)>),
    /// Some runs, read to their end; the error is a sentence.
    Cards(Vec<(usize, Result<Box<RunCard>, Sentence>)>),
    /// Some runs, measured; the error is a sentence.
    Scores(Vec<(usize, Result<RunFileScores, Sentence>)>),
    /// The ruler of the measures.
    Ruler(RulerName),
}

/// The card of a recording, as far as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum KnownCard {
    /// The card of its beginning, where it has one.
    Beginning(Option<Box<RunCard>>),
    Whole(Box<RunCard>),
    /// The reason why it cannot be read, in a sentence.
    Failed(Sentence),
}

/// Numbers of both sides, one entry a pair, for each column that has some.
pub type PairedSides = Vec<(RunTableColumn, Vec<(f64, f64)>)>;

/// The measures of a run's files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFileScores {
    /// The files at the end, measured; None where nothing is recorded to measure.
    pub end: Option<Box<QualitySnapshot>>,
    /// Dependency integration at the end; None where nothing is exported.
    pub dir: Option<f64>,
    /// The process of the run.
    pub process: Option<Box<ProcessNumbers>>,
    /// The reason why the end is not measured.
    pub unmeasured: Option<String>,
    /// True where some files would count and their content is not recorded.
    pub is_partial: bool,
    /// Erosion at the end of each checkpoint and of the run, in order.
    pub curve: Vec<Option<f64>>,
}

impl RunFileScores {
    /// Returns the difference between the last and the first point of the curve.
    pub(crate) fn curve_rise(&self) -> Option<f64> {
        let mut known = self.curve.iter().flatten();
        let first = known.next()?;
        Some(known.next_back()? - first)
    }

    /// Returns the scores of the measured moments of a run ([`RunCard::moments`]).
    pub fn from_moments(moments: &[MeasuredMoment]) -> Self {
        let end = moments.last().map(|it| it.snapshot.as_ref());
        let last = end.and_then(Result::ok);
        Self {
            end: last.map(|last| Box::new(without_lists(last))),
            dir: None,
            process: None,
            unmeasured: end.and_then(Result::err).map(ToString::to_string),
            is_partial: moments.last().is_some_and(|last| last.not_recorded > 0),
            curve: moments
                .iter()
                .map(|it| it.snapshot.as_ref().ok().map(|it| it.erosion))
                .collect(),
        }
    }
}

/// Returns a snapshot without its lists, which a table of thousands of runs has no room for.
fn without_lists(snapshot: &QualitySnapshot) -> QualitySnapshot {
    QualitySnapshot {
        skipped: vec![],
        by_language: BTreeMap::new(),
        totals: snapshot.totals.clone(),
        ..*snapshot
    }
}

/// Returns `codex 0.42.0`; the name alone where no version is recorded.
pub(crate) fn agent_text(run: &Run) -> String {
    match &run.agent.version {
        Some(version) => format!("{} {version}", run.agent.name),
        None => run.agent.name.clone(),
    }
}
