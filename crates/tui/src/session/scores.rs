//! What has been measured of a run so far: its numbers at some moments, and what moved them between two.

use std::{collections::BTreeMap, sync::Arc};

use trajview_run::{Run, files::Moment};

use super::{
    ask::{Answers, Pending},
    effect::Effect,
    measured::{Answer, Measured, Moved, RulerName, Span},
    question::Question,
    request::{Numbers, Request, Sentence},
    worked::Worked,
};

/// What was measured with another profile or other rules, kept beside the new values.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    pub ruler: RulerName,
    known: BTreeMap<Moment, Measured>,
}

impl Before {
    pub fn at(&self, moment: Moment) -> Option<&Measured> {
        self.known.get(&moment)
    }
}

#[derive(Debug)]
pub struct Scores {
    known: BTreeMap<Moment, Measured>,
    pub ruler: Option<RulerName>,
    /// Until somebody dismisses it.
    pub before: Option<Before>,
    pending: Pending<()>,
    /// Why nothing can be measured.
    pub failed: Option<String>,
    /// Files read of those that the question under way needs.
    pub progress: Option<(usize, usize)>,
    /// Whether the user does not want any more measured.
    pub is_stopped: bool,
    moved: Answers<Span, Arc<Moved>>,
    /// The moments that the marks beside the lines of the diff are worked out from; None where it has no marks or is not on screen.
    pub marked: Option<Span>,
    /// How the run was worked on.
    pub worked: Worked,
}

/// Lists of what moved that are kept.
const KEPT: usize = 12;

impl Default for Scores {
    fn default() -> Self {
        Self {
            known: BTreeMap::new(),
            ruler: None,
            before: None,
            pending: Pending::default(),
            failed: None,
            progress: None,
            is_stopped: false,
            moved: Answers::of(KEPT),
            marked: None,
            worked: Worked::default(),
        }
    }
}

impl Scores {
    pub fn at(&self, moment: Moment) -> Option<&Measured> {
        self.known.get(&moment)
    }

    /// How many ends of turns are known.
    pub fn count(&self) -> usize {
        self.known.keys().filter(|moment| moment.step.is_none()).count()
    }

    pub fn moved(&self, span: Span) -> Option<&Result<Arc<Moved>, String>> {
        self.moved.get(&span)
    }

    /// Whether something is being measured.
    pub fn is_busy(&self) -> bool {
        !self.pending.is_free()
    }

    pub fn ask(
        &mut self,
        numbers: &mut Numbers,
        run: &Arc<Run>,
        wanted: Vec<Moment>,
    ) -> Option<Effect> {
        if wanted.is_empty() || self.is_stopped || self.failed.is_some() || self.is_busy() {
            return None;
        }
        let question = Question::Scores { run: run.clone(), moments: wanted };
        Some(self.pending.ask(numbers, (), question))
    }

    pub fn ask_moved(
        &mut self,
        numbers: &mut Numbers,
        run: &Arc<Run>,
        span: Span,
    ) -> Option<Effect> {
        if self.is_stopped {
            return None;
        }
        let (run, (before, after)) = (run.clone(), span);
        self.moved.ask(numbers, span, || Question::Moved { run, before, after })
    }

    pub fn take(&mut self, request: Request, answer: Result<Answer, Sentence>) {
        if self.pending.answered(request).is_none() {
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

    pub fn take_progress(&mut self, request: Request, done: usize, total: usize) {
        if self.pending.is_about(request) {
            self.progress = Some((done, total));
        }
    }

    pub fn take_moved(&mut self, request: Request, moved: Result<Arc<Moved>, Sentence>) {
        self.moved.take(request, moved);
    }

    /// Whether it is stopped now. What is out then is not waited for: its answer may come after going on again.
    pub fn stop_or_go_on(&mut self) -> bool {
        self.is_stopped = !self.is_stopped;
        if self.is_stopped {
            self.pending.forget();
            self.moved.stop();
            self.progress = None;
        }
        self.is_stopped
    }

    /// Measures everything anew, with another profile or other rules; what is known stays as what was before.
    pub fn measure_again(&mut self) {
        let last = std::mem::take(self);
        self.before = match last.ruler {
            Some(ruler) => Some(Before { ruler, known: last.known }),
            None => last.before,
        };
    }

    /// Gives up what is no longer true after a run has grown: all that comes after the first `same` turns.
    pub fn forget_after(&mut self, same: usize) {
        let is_same = |moment: &Moment| match moment.step {
            None => moment.turns <= same,
            Some(step) => step.turn < same,
        };
        self.known.retain(|moment, _| is_same(moment));
        if let Some(before) = &mut self.before {
            before.known.retain(|moment, _| is_same(moment));
        }
        self.moved.forget(|(_, after)| !is_same(after));
        self.pending.forget();
        self.failed = None;
        self.progress = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_metrics::quality::Unmeasured;

    fn ruler() -> RulerName {
        let (name, source) = ("scb-paper".into(), "built in".into());
        RulerName { name, is_comparable: true, rules: 2, source }
    }

    /// Scores in which these moments are known, none of them with files.
    fn knowing(moments: &[usize]) -> Scores {
        let mut scores = Scores::default();
        let ends = Moment::after_each(moments);
        let asked = scores.ask(&mut Numbers::default(), &Arc::default(), ends);
        let nothing = Measured { snapshot: Err(Unmeasured::NoFiles), not_recorded: 0 };
        let moments = moments.iter().map(|done| (Moment::after(*done), nothing.clone())).collect();
        let request = asked.and_then(|effect| effect.request()).unwrap();
        scores.take(request, Ok(Answer { ruler: ruler(), moments }));
        scores
    }

    #[test]
    fn what_another_profile_measured_is_kept_when_everything_is_measured_again() {
        let mut scores = knowing(&[1, 2]);

        scores.measure_again();

        assert_eq!((scores.count(), &scores.ruler), (0, &None));
        let before = scores.before.unwrap();
        assert_eq!((before.ruler.clone(), before.at(Moment::after(2)).is_some()), (ruler(), true));
    }

    #[test]
    fn after_a_run_has_grown_the_moments_before_its_first_change_are_known() {
        let mut scores = knowing(&[1, 2, 3]);

        scores.forget_after(2);

        assert_eq!(
            [1, 2, 3].map(|done| scores.at(Moment::after(done)).is_some()),
            [true, true, false]
        );
    }

    #[test]
    fn nothing_is_asked_while_measuring_is_stopped() {
        let (mut scores, mut numbers) = (Scores::default(), Numbers::default());
        scores.stop_or_go_on();

        assert_eq!(scores.ask(&mut numbers, &Arc::default(), vec![Moment::after(1)]), None);
        scores.stop_or_go_on();
        assert!(scores.ask(&mut numbers, &Arc::default(), vec![Moment::after(1)]).is_some());
    }
}
