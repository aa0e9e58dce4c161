//! The scores of a run at moments: the numbers of its code, and the dependency integration (DIR) of its modules.

use std::sync::Arc;

use trajview_metrics::{
    numbers::facts::ReuseCounts,
    quality::{QualityDetail, Ruler, ScoredSnapshot},
    reuse::Reuse,
};
use trajview_run::{Run, files::RunMoment};
use trajview_store::{Archive, DiskCache};

use super::{
    reuse::{self, ReuseReader},
    scorer::{self, Scorer},
};

/// The scorer of code and the reader for DIR. Both remember what they measured from run to run and use one cache; the
/// reader gets the parsed form of what the scorer measures.
#[derive(Debug)]
pub struct Scorers {
    pub scorer: Scorer,
    pub reader: Arc<ReuseReader>,
}

impl Scorers {
    pub fn new(ruler: Ruler, cache: Option<Arc<DiskCache>>) -> Self {
        let reader = Arc::new(ReuseReader::with_cache(cache.clone()));
        let scorer = Scorer::new(ruler, cache).with_reader(Arc::clone(&reader));
        Self { scorer, reader }
    }
}

/// The moments at which a run is scored, and what of it is wanted.
#[derive(Debug, Clone, Copy)]
pub struct ScoreRequest<'a> {
    pub moments: &'a [RunMoment],
    /// True to keep the places in code that the numbers are made of.
    pub with_detail: bool,
    pub reuse: ReuseRequest<'a>,
    /// True where the process of the run is examined next, which needs the definitions in the same files: they are read from
    /// the trees that are parsed for the scores.
    pub for_process: bool,
}

/// The moments at which files are linked for DIR, and the reader that reads them.
#[derive(Debug, Clone, Copy)]
pub enum ReuseRequest<'a> {
    Nowhere,
    /// The end of the run.
    AtEnd(&'a ReuseReader),
    /// The end of the run, and each moment that is the end of a turn.
    AtTurnEnds(&'a ReuseReader),
}

/// The part of scoring that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreStage {
    /// Versions of files are measured.
    Measuring,
    /// The files of moments are linked with each other.
    Linking,
}

/// A callback with the number of things that a stage has done and the number of all; false stops the work.
pub type ScoreProgress<'a> = dyn Fn(ScoreStage, usize, usize) -> bool + Sync + 'a;

/// The scores of a run.
#[derive(Debug)]
pub struct Scores {
    /// The code at each moment, in order.
    pub code: Vec<ScoredSnapshot>,
    /// DIR; its error is a sentence and leaves the numbers of the code as they are.
    pub reuse: Result<ReuseScores, String>,
}

/// DIR at the moments that were requested.
#[derive(Debug, Default)]
pub struct ReuseScores {
    /// The counts at each moment that is the end of a turn, in order; None where the recording does not have the files.
    pub counts: Vec<Option<ReuseCounts>>,
    /// The end of the run, symbol by symbol.
    pub end: Option<Reuse>,
}

impl ReuseScores {
    /// Returns the counts at the end of the run; None where the recording does not have the files.
    pub fn end_counts(&self) -> Option<ReuseCounts> {
        self.end.as_ref().map(ReuseCounts::from_reuse)
    }
}

impl Scores {
    /// Measures and links what the request names. The error is a sentence.
    pub fn for_run(
        archive: &Archive,
        run: &Run,
        request: &ScoreRequest<'_>,
        scorer: &Scorer,
        keep_going: &ScoreProgress<'_>,
    ) -> Result<Self, String> {
        let wanted = |scored: ScoredSnapshot| match request.with_detail {
            true => scored,
            false => ScoredSnapshot { detail: QualityDetail::default(), ..scored },
        };
        let measuring = |done, total| keep_going(ScoreStage::Measuring, done, total);
        // First: what is read to be measured is not read again for DIR.
        let code = scorer::score_moments(archive, run, request, scorer, &measuring, &wanted)?;
        Ok(Self { code, reuse: request.link_files(archive, run, keep_going) })
    }
}

impl ScoreRequest<'_> {
    fn link_files(
        &self,
        archive: &Archive,
        run: &Run,
        keep_going: &ScoreProgress<'_>,
    ) -> Result<ReuseScores, String> {
        let turn_ends = self.moments.iter().filter(|at| at.step.is_none()).map(|at| at.turns);
        let (reader, mut ends): (_, Vec<usize>) = match self.reuse {
            ReuseRequest::Nowhere => return Ok(ReuseScores::default()),
            ReuseRequest::AtEnd(reader) => (reader, vec![]),
            ReuseRequest::AtTurnEnds(reader) => (reader, turn_ends.collect()),
        };
        let end = run.end_in_turns();
        ends.push(end);
        let linking = |done, total| keep_going(ScoreStage::Linking, done, total);
        // Of all moments but the end the symbols are dropped: those of thousands do not fit into memory.
        let mut linked =
            reuse::link_moments(archive, run, &ends, reader, &linking, &|done, reuse| {
                (ReuseCounts::from_reuse(&reuse), (done == end).then_some(reuse))
            })?;
        let last = linked.pop().flatten().and_then(|(_, reuse)| reuse);
        let counts = linked.into_iter().map(|reuse| reuse.map(|(counts, _)| counts));
        Ok(ReuseScores { counts: counts.collect(), end: last })
    }
}
