//! What is known of the run that is open, whatever view shows it, and the turn that is looked at.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::sync::Arc;

use crate::session::{
    audit_queue::AuditState,
    files::FileCache,
    follow::{FollowState, RunEnd},
    key_texts::KeyTexts,
    labels::RaterLabels,
    pending::Loading,
    question::Answer,
    replay_opening::ReplayOpening,
    request::{RequestId, Sentence},
    request_texts::RequestTexts,
    rubric::RubricState,
    scores::CodeScores,
    timeline_state::RunTimeline,
    turn_counts::{ChangeLineCounts, LineTotals, TurnEditCounts},
};
use trajview_metrics::lifeline::EventSpot;
use trajview_run::{
    Run, StepId, Warning,
    files::Timeline,
    rubric::{Judgement, Rubric},
};

pub mod arrangement;
pub(crate) mod audit_correction;
pub mod audit_queue;
pub mod cache;
pub mod code_marks;
pub mod code_measures;
pub mod columns;
pub mod compare_protocol;
pub mod component_scores_at_turn;
pub mod context;
pub mod corrected_mcf;
pub mod crash_tests;
pub mod curve_points;
pub mod curve_values;
pub mod effect;
pub mod export_job;
pub mod files;
pub mod flags;
pub mod follow;
pub mod integration;
pub mod jobs;
pub mod judged_marks;
pub mod judged_points;
pub mod judging;
pub mod key_texts;
pub mod label_protocol;
pub mod labels;
pub mod lifelines;
pub mod pending;
pub mod process_facts;
pub mod question;
pub mod replay_opening;
pub mod request;
pub mod request_texts;
pub mod reuse;
pub mod rubric;
pub mod run_costs;
pub mod scores;
pub mod sql_filter;
pub mod stale_on_growth;
pub mod start_place;
pub mod study;
pub mod table_protocol;
pub mod timeline;
pub mod timeline_components;
pub mod timeline_state;
pub mod turn_counts;
pub mod turns;
pub mod views;

use stale_on_growth::RunGrowth;

/// A run, what was worked out of it so far, and the place in it.
#[derive(Debug)]
pub struct Session {
    pub run: Arc<Run>,
    /// The counts of each turn.
    pub turn_counts: Vec<TurnEditCounts>,
    pub timeline: Loading<Arc<Timeline>>,
    /// Lines of every change of every turn, as the timeline lists them; None for what has no lines.
    pub counts: Loading<Arc<ChangeLineCounts>>,
    /// The view that fills the screen.
    pub view: views::View,
    /// A view asks to go back to the view before it.
    pub wants_previous_view: bool,
    /// The selected turn, counts from 0; 0 too where the run has none.
    pub turn: usize,
    /// Something to say once; gone at the next key.
    pub notice: Option<String>,
    pub follow: FollowState,
    pub growth: RunGrowth,
    /// What was asked in each turn.
    pub requests: RequestTexts,
    /// Files at a moment, and what is different between two.
    pub files: FileCache,
    /// The measures of the code.
    pub scores: CodeScores,
    pub rubric: RubricState,
    pub labels: RaterLabels,
    /// The audited judgement, and the verdicts that the audit hides.
    pub audit: AuditState,
    /// The strip of turns below the views.
    pub run_timeline: RunTimeline,
    /// The keys that notices and hints name.
    pub(crate) keys: KeyTexts,
    /// A place in the replay to go to.
    opening: Option<ReplayOpening>,
}

impl Session {
    pub fn new(run: Arc<Run>) -> Self {
        let turns = 0..run.turns.len();
        let digests =
            turns.map(|turn| TurnEditCounts::for_steps(&run, &run.steps_of_turn(turn))).collect();
        Self {
            run,
            turn_counts: digests,
            timeline: Loading::Nothing,
            counts: Loading::Nothing,
            view: views::View::default(),
            wants_previous_view: false,
            turn: 0,
            notice: None,
            follow: FollowState::default(),
            growth: RunGrowth { is_whole: true, ..RunGrowth::default() },
            requests: RequestTexts::default(),
            files: FileCache::default(),
            scores: CodeScores::default(),
            rubric: RubricState::default(),
            labels: RaterLabels::default(),
            audit: AuditState::default(),
            run_timeline: RunTimeline::default(),
            keys: KeyTexts::default(),
            opening: None,
        }
    }

    /// Takes an answer to a question of one of the parts, unless the question is outdated; returns any other.
    pub(crate) fn take_answer(&mut self, request: RequestId, answer: Answer) -> Option<Answer> {
        match answer {
            Answer::Scores(answer) => self.scores.take_answer(request, answer),
            Answer::RequestText(text) => self.requests.take_text(request, text),
            Answer::Moved(moved) => self.scores.take_moved(request, moved),
            Answer::Rubric(rubric) => self.take_rubric(request, rubric),
            Answer::CrashTests(tests) => self.rubric.crash_tests.take_answer(request, tests),
            Answer::Reuse(reuse) => self.rubric.reuse.take_answer(request, reuse),
            Answer::Lifelines(lifelines) => self.rubric.lifelines.take_answer(request, lifelines),
            Answer::Labels(labels) => self.labels.take_labels(request, labels),
            Answer::Process(report) => self.scores.process.take_process(request, report),
            Answer::Layers(records) => self.scores.process.take_layers(request, records),
            Answer::Decisions(lane) => self.scores.process.take_decisions(request, lane),
            Answer::Cost(cost) => self.scores.process.cost.take_answer(request, cost),
            Answer::Memory(course) => self.scores.process.take_memory(request, course),
            Answer::DrawDecisions(said) => {
                self.notice = self.scores.process.take_drawn(request, said).or(self.notice.take());
            }
            other => return self.files.take_answer(request, &self.run, other),
        }
        None
    }

    /// Takes the answer with the rubric, and notes a new judgement. Decisions and process are worked out again where a
    /// judgement of them is new.
    fn take_rubric(&mut self, request: RequestId, rubric: Result<Arc<Rubric>, Sentence>) {
        let before = self.rubric.shared_rubric().cloned().unwrap_or_default();
        let is_first = self.rubric.known_rubric().is_none();
        self.rubric.take_answer(request, rubric);
        let hides = |it: &Judgement| self.has_waiting_components(it);
        let news = self.rubric.new_judgement_text(&before.judgements, &self.keys, hides);
        let news = news.filter(|_| !is_first);
        self.notice = news.or(self.notice.take());
        let after = self.rubric.shared_rubric().cloned().unwrap_or_default();
        if before.decisions != after.decisions {
            self.scores.process.forget_decisions();
        }
        if before.process != after.process {
            self.scores.process.mark_stale();
        }
    }

    /// Returns the warnings of reading, and of contradictions where files are put together.
    pub fn all_warnings(&self) -> impl Iterator<Item = &Warning> {
        let of_files = match &self.timeline {
            Loading::Ready(timeline) => timeline.warnings.as_slice(),
            _ => &[],
        };
        let of_rubric = self.rubric.known_rubric().map_or(&[][..], |it| &it.warnings);
        self.run.warnings.iter().chain(of_files).chain(of_rubric)
    }

    /// Returns the lines by which the files after a turn differ from those before. None until they are counted: the sum
    /// of what the recorded edits wrote is another number. None too where the lines of one of the changes are not
    /// known.
    pub(crate) fn lines_of_turn(&self, turn: usize) -> Option<LineTotals> {
        let counts = self.counts.ready()?.get(turn).filter(|counts| !counts.is_empty())?;
        counts.iter().try_fold(LineTotals::default(), |mut sum, lines| {
            sum.add_lines(LineTotals::from((*lines)?));
            Some(sum)
        })
    }

    /// Returns whether a turn is known to have changed nothing; false where the files after it are unknown.
    pub(crate) fn changed_nothing(&self, turn: usize) -> bool {
        let counts = self.counts.ready().and_then(|counts| counts.get(turn));
        let is_untold =
            |timeline: &Arc<Timeline>| timeline.turns.get(turn).is_some_and(|it| it.is_unknown);
        counts.is_some_and(Vec::is_empty) && !self.timeline.ready().is_some_and(is_untold)
    }

    /// Returns the number of files that the selected turn changed; None where it is not known.
    pub(crate) fn changed_files(&self) -> Option<usize> {
        let turn = self.timeline.ready()?.turns.get(self.turn)?;
        (!turn.is_unknown).then_some(turn.changes.len())
    }

    /// Returns the place of an event of a component in the diff of a turn, counted from 0.
    pub(crate) fn opening_of_event(&self, turn: usize, spot: &EventSpot) -> ReplayOpening {
        let changes = self.timeline.ready().and_then(|it| it.turns.get(turn));
        ReplayOpening::at_event(turn, spot, changes.map_or(&[], |it| &it.changes))
    }

    /// Goes to a turn, counted from 0; the replay follows when it is next brought in step.
    pub(crate) fn select_turn(&mut self, turn: usize) {
        self.follow.left_turn.get_or_insert(self.turn);
        (self.follow.wanted_step, self.follow.step) = (None, None);
        self.turn = turn;
    }

    /// Goes to a step, which has this number in its turn; the replay follows when it is next brought in step.
    pub(crate) fn select_step(&mut self, step: StepId, number: usize) {
        self.select_turn(step.turn);
        (self.follow.wanted_step, self.follow.step) = (Some(step), Some((step, number)));
    }

    /// Goes to a step of any turn; a step of a sub-agent that no turn lists selects its turn.
    pub(crate) fn select_step_of_run(&mut self, step: StepId) {
        let place = self.run.steps_of_turn(step.turn).iter().position(|it| *it == step);
        match place {
            Some(place) => self.select_step(step, place + 1),
            None => self.select_turn(step.turn),
        }
    }

    /// Returns the selected place, in the order of [`curve_points::RunPoint::sort_key`].
    pub(crate) fn playhead_place(&self) -> (usize, usize) {
        (self.turn, self.follow.step.map_or(usize::MAX, |(_, number)| number))
    }

    /// Sets a place in the replay, which the replay goes to before it is drawn.
    pub(crate) fn set_opening(&mut self, opening: ReplayOpening) {
        self.opening = Some(opening);
    }

    /// Takes the place to go to; None where there is none.
    pub(crate) const fn take_opening(&mut self) -> Option<ReplayOpening> {
        self.opening.take()
    }

    /// Returns the end of the run.
    pub(crate) fn run_end(&self) -> RunEnd {
        let last = self.run.turns.len().saturating_sub(1);
        let steps = self.run.turns.last().map_or(0, |_| self.run.steps_of_turn(last).len());
        RunEnd { turns: self.run.turns.len(), steps }
    }

    /// Returns `2 new turns`: what was written after the place that is looked at; None where that is nothing.
    pub(crate) fn news_text(&self) -> Option<String> {
        self.follow.news_text(self.run_end())
    }
}
