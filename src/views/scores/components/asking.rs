//! What the components are missing: what the run is judged by, the lifelines, the files of the evidence.

use crate::{
    metrics::lifeline,
    run::{RepoPath, Run, rubric::Judgement},
    session::{
        ask::{Answers, Loading, Numbers, Request, Sentence},
        question::Question,
        views::View,
    },
    shell::{Effect, replay::Replay},
    views::{
        replay::{
            blame::FileAt,
            diff::{DiffKey, Scope},
        },
        scores::Shows,
    },
};

use super::Part;

/// Dependency integration of the states of the code that were judged.
#[derive(Debug)]
pub struct Reused {
    /// By turns done; None where nothing says what the files were.
    known: Answers<usize, Option<Integration>>,
}

/// More states than are ever judged.
const KEPT: usize = 256;

impl Default for Reused {
    fn default() -> Self {
        Self { known: Answers::of(KEPT) }
    }
}

/// Public symbols of the modules, and those of them that other modules reuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integration {
    pub exported: usize,
    pub reused: usize,
}

impl Integration {
    /// 0 to 1; None without symbols.
    pub fn dir(&self) -> Option<f64> {
        (self.exported > 0).then(|| self.reused as f64 / self.exported as f64)
    }
}

impl Reused {
    /// None while it is not known.
    pub fn at(&self, done: usize) -> Option<&Result<Option<Integration>, String>> {
        self.known.get(&done)
    }

    pub fn take(&mut self, request: Request, answer: Result<Option<Integration>, Sentence>) {
        self.known.take(request, answer);
    }
}

/// Whether a turn (counts from 0) ended in the state that was judged.
pub(super) fn is_judged_at(run: &Run, judgement: &Judgement, turn: usize) -> bool {
    lifeline::judged_after(run, judgement) == Some(turn + 1)
}

/// Files of one verdict's evidence that are shown; a judge points at a few.
pub const MOST_FILES: usize = 8;

impl Replay {
    pub(crate) fn ask_components(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let is_seen = self.view == View::Scores;
        let is_back = is_seen && !self.scores.components.was_seen;
        self.scores.components.was_seen = is_seen;
        let mut effects = vec![];
        effects.extend(self.ask_rubric(numbers, is_back));
        let is_shown = self.scores.shown(&self.session.run) == Some(Shows::Components);
        if is_seen && is_shown {
            effects.extend(self.ask_lifelines(numbers));
            effects.extend(self.ask_evidence(numbers));
            effects.extend(self.ask_reuse(numbers));
        }
        effects
    }

    fn ask_rubric(&mut self, numbers: &mut Numbers, is_back: bool) -> Option<Effect> {
        let parts = &mut self.scores.components;
        match parts.rubric {
            Loading::Nothing if self.session.is_whole => {
                Some(parts.rubric.ask(numbers, Question::Rubric { run: self.session.run.clone() }))
            }
            Loading::Ready(_) | Loading::Failed(_)
                if (is_back || parts.is_stale) && parts.again.is_none() =>
            {
                parts.is_stale = false;
                let request = numbers.fresh();
                parts.again = Some(request);
                Some(Question::Rubric { run: self.session.run.clone() }.under(request))
            }
            _ => None,
        }
    }

    fn ask_lifelines(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.session.timeline.ready()?;
        let parts = &self.scores.components;
        let (rubric, judgement) = (parts.rubric()?, parts.judgement());
        let asked = lifeline::asked(&self.session.run, rubric, judgement);
        self.scores.components.lifelines.ask(numbers, &self.session.run, asked)
    }

    fn ask_reuse(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.session.timeline.ready()?;
        let done = self.judged_turn()? + 1;
        let question = || Question::Reuse { run: self.session.run.clone(), done };
        self.scores.components.reuse.known.ask(numbers, done, question)
    }

    /// The files of the chosen verdict's evidence at the judged turn: their text, then who wrote it and its colours.
    fn ask_evidence(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let mut effects = vec![];
        for key in self.evidence_files() {
            if !self.diff.has(&key) {
                effects.extend(self.ask_whole(numbers, key));
                break;
            }
            let Some(Ok(compared)) = self.diff.get(&key).cloned() else { continue };
            if compared.text().is_none() {
                continue;
            }
            if let Scope::At(turn) = key.scope {
                let file = FileAt { turn, path: key.path.clone() };
                effects.extend(self.blame.ask(numbers, &self.session.run, file));
            }
            effects.extend(self.colours.ask(numbers, key, &compared));
        }
        effects
    }

    /// The turn after which the code was judged, counts from 0; None where the run has no such moment.
    pub fn judged_turn(&self) -> Option<usize> {
        let judgement = self.scores.components.judgement()?;
        lifeline::judged_after(&self.session.run, judgement)?.checked_sub(1)
    }

    /// A file as it was judged.
    pub fn judged_file(&self, path: &str) -> Option<DiffKey> {
        Some(DiffKey { scope: Scope::At(self.judged_turn()?), path: RepoPath::new(path)? })
    }

    fn evidence_files(&self) -> Vec<DiffKey> {
        let evidence = self.verdict().map_or(&[][..], |verdict| &verdict.evidence);
        let mut files: Vec<DiffKey> = vec![];
        for key in evidence.iter().filter_map(|it| self.judged_file(&it.path)) {
            if !files.contains(&key) && files.len() < MOST_FILES {
                files.push(key);
            }
        }
        files
    }

    /// Whether a part has the keyboard.
    pub fn has_part(&self, part: Part) -> bool {
        self.scores.components.part == part
    }
}
