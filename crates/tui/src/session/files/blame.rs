//! Who wrote the lines of a file. Arrives after the text and is never waited for.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::session::{
    ask::Answers,
    effect::Effect,
    question::Question,
    request::{Numbers, Request, Sentence},
};
use trajview_run::{
    RepoPath, Run, StepId,
    files::{
        Moment,
        blame::{BlamedLine, LineOrigin},
    },
};

/// A file at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileAt {
    pub moment: Moment,
    pub path: RepoPath,
}

/// Who wrote each line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Blamed {
    /// One entry a line.
    pub lines: Vec<BlamedLine>,
    /// Of each step its number in its turn, counts from 1.
    numbers: HashMap<StepId, usize>,
}

const KEPT: usize = 32;

#[derive(Debug)]
pub struct Blame {
    kept: Answers<FileAt, Arc<Blamed>>,
}

impl Default for Blame {
    fn default() -> Self {
        Self { kept: Answers::of(KEPT) }
    }
}

impl Blame {
    pub fn of(&self, file: &FileAt) -> Option<&Result<Arc<Blamed>, String>> {
        self.kept.get(file)
    }

    pub fn ask(&mut self, numbers: &mut Numbers, run: &Arc<Run>, file: FileAt) -> Option<Effect> {
        let (run, path, moment) = (run.clone(), file.path.clone(), file.moment);
        self.kept.ask(numbers, file, || Question::Blame { run, path, moment })
    }

    /// What is known of these files, and what is out, is worth nothing any more.
    pub fn forget(&mut self, is_old: impl Fn(&FileAt) -> bool) {
        self.kept.forget(is_old);
    }

    pub fn take(&mut self, request: Request, run: &Run, lines: Result<Vec<BlamedLine>, Sentence>) {
        self.kept.take(request, lines.map(|lines| Arc::new(Blamed::of(run, lines))));
    }
}

impl Blamed {
    pub fn of(run: &Run, lines: Vec<BlamedLine>) -> Self {
        let turns: BTreeSet<usize> = lines.iter().filter_map(|line| line.turn).collect();
        let steps = turns.into_iter().flat_map(|turn| run.step_numbers(turn));
        let written: BTreeSet<StepId> = lines.iter().filter_map(|line| line.step).collect();
        let numbers = steps.filter(|(step, _)| written.contains(step)).collect();
        Self { lines, numbers }
    }

    pub fn number_of(&self, step: StepId) -> Option<usize> {
        self.numbers.get(&step).copied()
    }

    /// The largest number of a step, for as many columns as it takes.
    pub fn largest_number(&self) -> usize {
        self.numbers.values().copied().max().unwrap_or_default()
    }

    /// Where another turn's lines begin than those above, in a run of one request another step's: numbers of lines, from 1,
    /// in order. The first line is one.
    pub fn starts(&self, run: &Run) -> Vec<usize> {
        let is_by_step = run.turns.len() == 1;
        let writer = |at: usize| {
            let line = &self.lines[at];
            (line.turn, line.step.filter(|_| is_by_step))
        };
        let is_start = |at: &usize| *at == 0 || writer(*at) != writer(*at - 1);
        (0..self.lines.len()).filter(is_start).map(|at| at + 1).collect()
    }

    /// Whether any line was changed outside recorded edits.
    pub fn has(&self, origin: LineOrigin) -> bool {
        self.lines.iter().any(|line| line.origin == origin)
    }
}
