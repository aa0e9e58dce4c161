//! What the table of runs asks of a worker, and what comes back.

use std::{collections::BTreeMap, path::PathBuf};

use crate::session::{
    columns::Column,
    measured::{Measured, RulerName},
    request::Sentence,
};
use trajview_metrics::{process::Processed, quality::Snapshot};
use trajview_run::{Card, Run};

/// A run that is asked about: its row, where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub row: usize,
    pub path: PathBuf,
    /// The moments to score, in turns done.
    pub moments: Vec<usize>,
}

/// How much of a recording is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    Beginning,
    /// All of it, as its records add up; no files are put together.
    Index,
    /// As [`Depth::Index`], and the lines that its turns changed.
    Whole,
}

/// In which order runs are told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the folders have them, while others are still looked for.
    OfFolders,
    /// By the time of their files, the last first, once all are found.
    NewestFirst,
}

/// What a worker found; the answer itself only ends it.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Some more runs.
    Paths(Vec<PathBuf>),
    /// Some more runs, each with what is known of it already; None where that is still to be asked.
    Known(Vec<(PathBuf, Option<Said>)>),
    /// The runs that follow are called by their paths below this folder.
    Below(PathBuf),
    /// Some beginnings: row and what it tells, if anything.
    Beginnings(Vec<(usize, Option<Box<Card>>)>),
    /// Some runs, read to their end; the error is a sentence.
    Cards(Vec<(usize, Result<Box<Card>, Sentence>)>),
    /// Some runs, measured; the error is a sentence.
    Scores(Vec<(usize, Result<Scores, Sentence>)>),
    /// What measures.
    Ruler(RulerName),
}

/// What a recording says, as far as it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// What its beginning tells, where it tells something.
    Beginning(Option<Box<Card>>),
    Whole(Box<Card>),
    /// Why it cannot be read, in a sentence.
    Failed(Sentence),
}

/// Numbers of both sides, one entry a pair, for each column that has some.
pub type Sides = Vec<(Column, Vec<(f64, f64)>)>;

/// What we measured of a run's files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// The files at the end, measured; None where nothing is recorded to measure.
    pub end: Option<Box<Snapshot>>,
    /// Dependency integration at the end; None where nothing is exported.
    pub dir: Option<f64>,
    /// How the run was worked on.
    pub process: Option<Box<Processed>>,
    /// Why the end is not measured.
    pub unmeasured: Option<String>,
    /// Some files would count and their content is not recorded.
    pub is_partial: bool,
    /// Erosion at the end of each checkpoint and of the run, in order.
    pub curve: Vec<Option<f64>>,
}

impl Scores {
    /// How much higher the last point of the curve is than the first.
    pub fn rise(&self) -> Option<f64> {
        let mut known = self.curve.iter().flatten();
        let first = known.next()?;
        Some(known.next_back()? - first)
    }

    /// The moments of [`Card::moments`], measured.
    pub fn of(moments: &[Measured]) -> Self {
        let end = moments.last().map(|it| it.snapshot.as_ref());
        let last = end.and_then(Result::ok);
        Self {
            end: last.map(|last| Box::new(numbers_of(last))),
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

/// A snapshot without its lists, which a table of thousands of runs has no room for.
fn numbers_of(snapshot: &Snapshot) -> Snapshot {
    Snapshot {
        skipped: vec![],
        by_language: BTreeMap::new(),
        totals: snapshot.totals.clone(),
        ..*snapshot
    }
}

/// `codex 0.42.0`; the name alone where no version is recorded.
pub fn agent(run: &Run) -> String {
    match &run.agent.version {
        Some(version) => format!("{} {version}", run.agent.name),
        None => run.agent.name.clone(),
    }
}
