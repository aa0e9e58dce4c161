//! What has been measured of a run so far: its numbers at some moments, and what moved them between two.

use std::{collections::BTreeMap, sync::Arc};

use trajview_run::{Run, files::RunMoment};

use super::{
    code_measures::{MeasuredMoment, MeasuredMoments, MomentSpan, MovedScores, RulerName},
    effect::Effect,
    pending::{CachedAnswers, Pending},
    process_facts::ProcessState,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};

/// The measures with another profile or other rules, shown beside the new values.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousScores {
    pub ruler: RulerName,
    known: BTreeMap<RunMoment, MeasuredMoment>,
}

impl PreviousScores {
    pub(crate) fn measured_at(&self, moment: RunMoment) -> Option<&MeasuredMoment> {
        self.known.get(&moment)
    }
}

#[derive(Debug)]
pub struct CodeScores {
    known: BTreeMap<RunMoment, MeasuredMoment>,
    pub ruler: Option<RulerName>,
    /// Until somebody dismisses it.
    pub before: Option<PreviousScores>,
    pending: Pending<()>,
    /// The reason why nothing can be measured.
    pub failed: Option<String>,
    /// The number of files read, and of all that the question in progress needs.
    pub progress: Option<(usize, usize)>,
    /// True where the user stopped measuring.
    pub is_stopped: bool,
    moved: CachedAnswers<MomentSpan, Arc<MovedScores>>,
    /// The moments that the marks beside the lines of the diff are worked out from; None where it has no marks or is not on screen.
    pub marked: Option<MomentSpan>,
    /// The process of the run.
    pub process: ProcessState,
}

/// Lists of what moved that are kept.
const MAX_MOVED: usize = 12;

impl Default for CodeScores {
    fn default() -> Self {
        Self {
            known: BTreeMap::new(),
            ruler: None,
            before: None,
            pending: Pending::default(),
            failed: None,
            progress: None,
            is_stopped: false,
            moved: CachedAnswers::with_limit(MAX_MOVED),
            marked: None,
            process: ProcessState::default(),
        }
    }
}

impl CodeScores {
    pub(crate) fn measured_at(&self, moment: RunMoment) -> Option<&MeasuredMoment> {
        self.known.get(&moment)
    }

    /// Returns the number of measured ends of turns.
    pub fn measured_turn_count(&self) -> usize {
        self.known.keys().filter(|moment| moment.step.is_none()).count()
    }

    pub(crate) fn moved_between(
        &self,
        span: MomentSpan,
    ) -> Option<&Result<Arc<MovedScores>, String>> {
        self.moved.get(&span)
    }

    /// Returns whether measuring is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        !self.pending.is_free()
    }

    pub(crate) fn ask_scores(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        moments: Vec<RunMoment>,
    ) -> Option<Effect> {
        if moments.is_empty() || self.is_stopped || self.failed.is_some() || self.is_busy() {
            return None;
        }
        let question = Question::Scores { run: run.clone(), moments };
        Some(self.pending.ask_question(numbers, (), question))
    }

    pub(crate) fn ask_moved(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        span: MomentSpan,
    ) -> Option<Effect> {
        if self.is_stopped {
            return None;
        }
        let (run, (before, after)) = (run.clone(), span);
        self.moved.ask_once(numbers, span, || Question::Moved { run, before, after })
    }

    pub(crate) fn take_answer(
        &mut self,
        request: RequestId,
        answer: Result<MeasuredMoments, Sentence>,
    ) {
        if self.pending.take_answered(request).is_none() {
            return;
        }
        self.progress = None;
        match answer {
            Ok(answer) => {
                self.known.extend(answer.moments);
                self.ruler = Some(answer.ruler);
            }
            Err(why) => self.failed = Some(why),
        }
    }

    pub(crate) fn take_progress(&mut self, request: RequestId, done: usize, total: usize) {
        if self.pending.is_waiting_for(request) {
            self.progress = Some((done, total));
        }
    }

    pub(crate) fn take_moved(
        &mut self,
        request: RequestId,
        moved: Result<Arc<MovedScores>, Sentence>,
    ) {
        self.moved.take_answer(request, moved);
    }

    /// Stops or continues measuring, and returns whether it is stopped now. An answer in progress is ignored after a
    /// stop, since it may arrive after continuing.
    pub(crate) fn toggle_stopped(&mut self) -> bool {
        self.is_stopped = !self.is_stopped;
        if self.is_stopped {
            self.pending.stop_waiting();
            self.moved.stop_waiting();
            self.progress = None;
        }
        self.is_stopped
    }

    /// Measures everything anew, with another profile or other rules; what is known stays as what was before.
    pub(crate) fn measure_again(&mut self) {
        let last = std::mem::take(self);
        self.before = match last.ruler {
            Some(ruler) => Some(PreviousScores { ruler, known: last.known }),
            None => last.before,
        };
    }

    /// Forgets what is no longer true after a run has grown: all that comes after the first `same` turns.
    pub(crate) fn forget_after(&mut self, same: usize) {
        let is_same = |moment: &RunMoment| match moment.step {
            None => moment.turns <= same,
            Some(step) => step.turn < same,
        };
        self.known.retain(|moment, _| is_same(moment));
        if let Some(before) = &mut self.before {
            before.known.retain(|moment, _| is_same(moment));
        }
        self.moved.forget_answers(|(_, after)| !is_same(after));
        self.pending.stop_waiting();
        self.failed = None;
        self.progress = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_metrics::quality::UnmeasuredReason;

    fn paper_ruler() -> RulerName {
        let (name, source) = ("scb-paper".into(), "built in".into());
        RulerName { name, is_comparable: true, rules: 2, source }
    }

    /// Scores in which these moments are known, none of them with files.
    fn scores_knowing(moments: &[usize]) -> CodeScores {
        let mut scores = CodeScores::default();
        let ends = RunMoment::after_each_count(moments);
        let asked = scores.ask_scores(&mut RequestIds::default(), &Arc::default(), ends);
        let nothing = MeasuredMoment { snapshot: Err(UnmeasuredReason::NoFiles), not_recorded: 0 };
        let moments =
            moments.iter().map(|done| (RunMoment::after_turns(*done), nothing.clone())).collect();
        let request = asked.and_then(|effect| effect.request_id()).unwrap();
        scores.take_answer(request, Ok(MeasuredMoments { ruler: paper_ruler(), moments }));
        scores
    }

    #[test]
    fn what_another_profile_measured_is_kept_when_everything_is_measured_again() {
        let mut scores = scores_knowing(&[1, 2]);

        scores.measure_again();

        assert_eq!((scores.measured_turn_count(), &scores.ruler), (0, &None));
        let before = scores.before.unwrap();
        assert_eq!(
            (before.ruler.clone(), before.measured_at(RunMoment::after_turns(2)).is_some()),
            (paper_ruler(), true)
        );
    }

    #[test]
    fn after_a_run_has_grown_the_moments_before_its_first_change_are_known() {
        let mut scores = scores_knowing(&[1, 2, 3]);

        scores.forget_after(2);

        assert_eq!(
            [1, 2, 3].map(|done| scores.measured_at(RunMoment::after_turns(done)).is_some()),
            [true, true, false]
        );
    }

    #[test]
    fn nothing_is_asked_while_measuring_is_stopped() {
        let (mut scores, mut numbers) = (CodeScores::default(), RequestIds::default());
        scores.toggle_stopped();

        assert_eq!(
            scores.ask_scores(&mut numbers, &Arc::default(), vec![RunMoment::after_turns(1)]),
            None
        );
        scores.toggle_stopped();
        assert!(
            scores
                .ask_scores(&mut numbers, &Arc::default(), vec![RunMoment::after_turns(1)])
                .is_some()
        );
    }
}
