//! Who wrote the lines of a file. Arrives after the text and is never waited for.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::session::{
    effect::Effect,
    pending::CachedAnswers,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};
use trajview_run::{
    RepoPath, Run, StepId,
    files::{
        RunMoment,
        blame::{BlamedLine, LineOrigin},
    },
};

/// A file at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileAt {
    pub moment: RunMoment,
    pub path: RepoPath,
}

/// The writer of each line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct BlamedFile {
    /// One entry a line.
    pub lines: Vec<BlamedLine>,
    /// The number of each step in its turn, counted from 1.
    numbers: HashMap<StepId, usize>,
}

const MAX_KEPT: usize = 32;

#[derive(Debug)]
pub struct BlameCache {
    kept: CachedAnswers<FileAt, Arc<BlamedFile>>,
}

impl Default for BlameCache {
    fn default() -> Self {
        Self { kept: CachedAnswers::with_limit(MAX_KEPT) }
    }
}

impl BlameCache {
    pub(crate) fn blame_of(&self, file: &FileAt) -> Option<&Result<Arc<BlamedFile>, String>> {
        self.kept.get(file)
    }

    pub(crate) fn ask_blame(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        file: FileAt,
    ) -> Option<Effect> {
        let (run, path, moment) = (run.clone(), file.path.clone(), file.moment);
        self.kept.ask_once(numbers, file, || Question::Blame { run, path, moment })
    }

    /// Forgets the answers about old files, and the question in progress.
    pub(crate) fn forget_files(&mut self, is_old: impl Fn(&FileAt) -> bool) {
        self.kept.forget_answers(is_old);
    }

    pub(crate) fn take_answer(
        &mut self,
        request: RequestId,
        run: &Run,
        lines: Result<Vec<BlamedLine>, Sentence>,
    ) {
        self.kept.take_answer(request, lines.map(|lines| Arc::new(BlamedFile::new(run, lines))));
    }
}

impl BlamedFile {
    pub fn new(run: &Run, lines: Vec<BlamedLine>) -> Self {
        let turns: BTreeSet<usize> = lines.iter().filter_map(|line| line.turn).collect();
        let steps = turns.into_iter().flat_map(|turn| run.step_numbers(turn));
        let written: BTreeSet<StepId> = lines.iter().filter_map(|line| line.step).collect();
        let numbers = steps.filter(|(step, _)| written.contains(step)).collect();
        Self { lines, numbers }
    }

    pub fn step_number(&self, step: StepId) -> Option<usize> {
        self.numbers.get(&step).copied()
    }

    /// Returns the largest number of a step, for as many columns as it takes.
    pub(crate) fn largest_number(&self) -> usize {
        self.numbers.values().copied().max().unwrap_or_default()
    }

    /// Returns the lines at which another turn's lines begin (in a run of one request another step's), counted from
    /// 1, in order. The first line is one.
    pub(crate) fn first_lines_by_writer(&self, run: &Run) -> Vec<usize> {
        let is_by_step = run.turns.len() == 1;
        let writer = |at: usize| {
            let line = &self.lines[at];
            (line.turn, line.step.filter(|_| is_by_step))
        };
        let is_start = |at: &usize| *at == 0 || writer(*at) != writer(*at - 1);
        (0..self.lines.len()).filter(is_start).map(|at| at + 1).collect()
    }

    /// Returns whether any line has this origin.
    pub fn has_origin(&self, origin: LineOrigin) -> bool {
        self.lines.iter().any(|line| line.origin == origin)
    }
}
