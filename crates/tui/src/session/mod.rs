//! What is known of the run that is open, whatever view shows it, and the turn that is looked at.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::sync::Arc;

use crate::session::{
    ask::Loading,
    audited::Audited,
    digest::{Counts, Digest, Lines},
    files::Files,
    follow::{End, Follow},
    labels::RaterLabels,
    opening::Opening,
    question::Answer,
    request::{Request, Sentence},
    rubric::Judged,
    scores::Scores,
};
use trajview_run::{Run, StepId, Warning, files::Timeline, rubric::Rubric};

pub mod arrangement;
pub mod ask;
pub mod audited;
pub mod cache;
pub mod columns;
pub mod context;
pub mod costs;
pub mod digest;
pub mod effect;
pub mod files;
pub mod filtering;
pub mod flags;
pub mod follow;
pub mod growth;
pub mod integration;
pub mod jobs;
pub mod judged_marks;
pub mod judged_points;
pub mod judging;
pub mod labels;
pub mod lifelines;
pub mod live;
pub mod marks;
pub mod measured;
pub mod opening;
pub mod parties;
pub mod place;
pub mod points;
pub mod question;
pub mod request;
pub mod reuse;
pub mod rubric;
pub mod runs;
pub mod saved;
pub mod scores;
pub mod series;
pub mod standings;
pub mod study;
pub mod turns;
pub mod views;
pub mod worked;

use growth::Growth;

/// A run, what was worked out of it so far, and the place in it.
#[derive(Debug)]
pub struct Session {
    pub run: Arc<Run>,
    /// One a turn.
    pub digests: Vec<Digest>,
    pub timeline: Loading<Arc<Timeline>>,
    /// Lines of every change of every turn, as the timeline lists them; None for what has no lines.
    pub counts: Loading<Arc<Counts>>,
    /// What the whole screen shows of the run.
    pub view: views::View,
    /// The selected turn, counts from 0; 0 too where the run has none.
    pub turn: usize,
    /// Something to say once; gone at the next key.
    pub notice: Option<String>,
    pub follow: Follow,
    pub growth: Growth,
    /// Files at a moment, and what is different between two.
    pub files: Files,
    /// What is measured of the code.
    pub scores: Scores,
    pub rubric: Judged,
    pub labels: RaterLabels,
    /// Which judgement is audited, and what the audit hides.
    pub audited: Audited,
    /// A place in the replay to go to.
    opening: Option<Opening>,
}

impl Session {
    pub fn of(run: Arc<Run>) -> Self {
        let turns = 0..run.turns.len();
        let digests = turns.map(|turn| Digest::of(&run, &run.steps_of_turn(turn))).collect();
        Self {
            run,
            digests,
            timeline: Loading::Nothing,
            counts: Loading::Nothing,
            view: views::View::default(),
            turn: 0,
            notice: None,
            follow: Follow::default(),
            growth: Growth { is_whole: true, ..Growth::default() },
            files: Files::default(),
            scores: Scores::default(),
            rubric: Judged::default(),
            labels: RaterLabels::default(),
            audited: Audited::default(),
            opening: None,
        }
    }

    /// Takes an answer to what one of its parts asked, an older question's aside; gives back any other.
    pub fn take(&mut self, request: Request, answer: Answer) -> Option<Answer> {
        match answer {
            Answer::Scores(answer) => self.scores.take(request, answer),
            Answer::Moved(moved) => self.scores.take_moved(request, moved),
            Answer::Rubric(rubric) => self.take_rubric(request, rubric),
            Answer::Reuse(reuse) => self.rubric.reuse.take(request, reuse),
            Answer::Lifelines(lifelines) => self.rubric.lifelines.take(request, lifelines),
            Answer::Labels(labels) => self.labels.take_labels(request, labels),
            Answer::Process(report) => self.scores.worked.take(request, report),
            Answer::Layers(records) => self.scores.worked.take_layers(request, records),
            Answer::Decisions(lane) => self.scores.worked.take_decisions(request, lane),
            Answer::Cost(cost) => self.scores.worked.cost.take(request, cost),
            Answer::Memory(course) => self.scores.worked.take_memory(request, course),
            Answer::DrawDecisions(said) => {
                self.notice = self.scores.worked.take_drawn(request, said).or(self.notice.take());
            }
            other => return self.files.take(request, &self.run, other),
        }
        None
    }

    /// Decisions and process are worked out again where a judgement of them is new.
    fn take_rubric(&mut self, request: Request, rubric: Result<Arc<Rubric>, Sentence>) {
        let before = self.rubric.shared().cloned().unwrap_or_default();
        let announced = self.rubric.newer().map(|it| it.file.clone());
        self.rubric.take(request, rubric);
        let newer = self.rubric.newer().filter(|it| Some(&it.file) != announced.as_ref());
        if let Some(newer) = newer {
            let shown = self.rubric.judgement().map(|it| it.judge.name.clone()).unwrap_or_default();
            self.notice = Some(format!(
                "there is a newer judgement, by {}; the numbers shown stay those by {shown}: f in the scores changes it",
                newer.judge.name
            ));
        }
        let after = self.rubric.shared().cloned().unwrap_or_default();
        if before.decisions != after.decisions {
            self.scores.worked.forget_decisions();
        }
        if before.process != after.process {
            self.scores.worked.outdate();
        }
    }

    /// What could not be read, and what contradicts itself where files are put together.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        let of_files = match &self.timeline {
            Loading::Ready(timeline) => timeline.warnings.as_slice(),
            _ => &[],
        };
        let of_rubric = self.rubric.known().map_or(&[][..], |it| &it.warnings);
        self.run.warnings.iter().chain(of_files).chain(of_rubric)
    }

    /// Lines by which the files after a turn differ from those before. None until they are counted: the sum of what the
    /// recorded edits wrote is another number. None too where the lines of one of the changes are not known.
    pub fn lines_of_turn(&self, turn: usize) -> Option<Lines> {
        let counts = self.counts.ready()?.get(turn).filter(|counts| !counts.is_empty())?;
        counts.iter().try_fold(Lines::default(), |mut sum, lines| {
            sum.add(Lines::from((*lines)?));
            Some(sum)
        })
    }

    /// Whether a turn is known to have changed nothing: not so where nothing says what the files were after it.
    pub fn left_all_alone(&self, turn: usize) -> bool {
        let counts = self.counts.ready().and_then(|counts| counts.get(turn));
        let is_untold =
            |timeline: &Arc<Timeline>| timeline.turns.get(turn).is_some_and(|it| it.is_untold);
        counts.is_some_and(Vec::is_empty) && !self.timeline.ready().is_some_and(is_untold)
    }

    /// Goes to a turn, counted from 0; the replay follows when it is next brought in step.
    pub fn select_turn(&mut self, turn: usize) {
        self.follow.left.get_or_insert(self.turn);
        (self.follow.wanted, self.follow.step) = (None, None);
        self.turn = turn;
    }

    /// Goes to a step, which has this number in its turn; the replay follows when it is next brought in step.
    pub fn select_step(&mut self, step: StepId, number: usize) {
        self.select_turn(step.turn);
        (self.follow.wanted, self.follow.step) = (Some(step), Some((step, number)));
    }

    /// What is looked at, as [`points::Point::place`] orders it.
    pub fn place(&self) -> (usize, usize) {
        (self.turn, self.follow.step.map_or(usize::MAX, |(_, number)| number))
    }

    /// Leads to a place in the replay, which goes there before anything is drawn.
    pub fn open(&mut self, opening: Opening) {
        self.opening = Some(opening);
    }

    /// The place to go to, once.
    pub const fn take_opening(&mut self) -> Option<Opening> {
        self.opening.take()
    }

    /// How far the run goes.
    pub fn end(&self) -> End {
        let last = self.run.turns.len().saturating_sub(1);
        let steps = self.run.turns.last().map_or(0, |_| self.run.steps_of_turn(last).len());
        End { turns: self.run.turns.len(), steps }
    }

    /// `2 new turns`: what was written after the place that is looked at.
    pub fn news(&self) -> Option<String> {
        self.follow.news(self.end())
    }
}
