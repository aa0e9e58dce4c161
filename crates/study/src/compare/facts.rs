//! What is known of a run at a moment of a comparison, and what there is between two runs.

use super::{ComparedRun, Subtraction, judgement_choice};
use trajview_metrics::{
    Number,
    exposure::ExposureAtTurn,
    faithfulness::Faithfulness,
    numbers::facts::{MomentFacts, ReuseCounts, TestScores, TurnCounts, TurnUsage, VerdictSummary},
    process::ProcessNumbers,
    quality::QualitySnapshot,
};
use trajview_run::{checkpoint_record::RecordedTests, rubric::Judgement};

/// A number of two runs and their difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberOutcome {
    pub a: Option<f64>,
    pub b: Option<f64>,
    /// The difference in the direction of the subtraction; None where either value is missing.
    pub delta: Option<f64>,
    /// The position of the run that does better; None where they are equal, one is missing, or neither direction is
    /// better.
    pub better: Option<usize>,
}

impl NumberOutcome {
    /// Compares two runs at their ends.
    pub fn at_end(number: Number, [a, b]: [&ComparedRun; 2], subtraction: Subtraction) -> Self {
        Self::between_values(number, [a.final_value(number), b.final_value(number)], subtraction)
    }

    /// Compares two values. The subtraction names them by the positions it was made with, lower first.
    pub fn between_values(
        number: Number,
        [a, b]: [Option<f64>; 2],
        subtraction: Subtraction,
    ) -> Self {
        let Subtraction { from, subtracted: taken, .. } = subtraction;
        let (first, second) = (from.min(taken), from.max(taken));
        let by = a.zip(b).map(|(a, b)| a - b).filter(|by| by.is_finite());
        let better = by.and_then(|by| number.better().is_gain(by));
        let better = better.map(|is_first| if is_first { first } else { second });
        Self { a, b, delta: by.map(|by| if from == first { by } else { -by }), better }
    }
}

impl ComparedRun {
    /// Returns a number at the end of the run. A judged number is that of the judged state, IF50 with the DIR of that
    /// state. None where it is not recorded, not judged or not (yet) measured.
    pub fn final_value(&self, number: Number) -> Option<f64> {
        number.value_at(&AtEnd(self))
    }

    /// Returns a number after `done` turns. Verdicts and tests count only at the moment that was judged or tested.
    pub fn value_at(&self, number: Number, done: usize) -> Option<f64> {
        number.value_at(&AtMoment { party: self, done })
    }

    fn judged_verdicts(&self, judgement: &Judgement) -> VerdictSummary {
        let dir = self.dir_at(judgement_choice::turns_done_at_judgement(&self.run, judgement));
        VerdictSummary::from_scores(
            &Faithfulness::from_judgement(judgement, self.rubric.checklist.as_ref()),
            dir,
        )
    }

    fn dir_at(&self, done: usize) -> Option<f64> {
        self.reuse.get(&done).copied().flatten()?.dir
    }

    /// Returns the judgement of the judge that speaks on the state after so many turns: one that covers the checklist,
    /// or the very one that speaks.
    fn judgement_at(&self, done: usize) -> Option<&Judgement> {
        let speaks = self.judgement()?;
        let all = self.rubric.judgements.iter().rev();
        let mut here =
            all.filter(|it| judgement_choice::turns_done_at_judgement(&self.run, it) == done);
        here.find(|it| {
            let is_whole = it.judge.name == speaks.judge.name && self.rubric.is_covered_by(it);
            is_whole || std::ptr::eq(*it, speaks)
        })
    }

    /// Returns the tests of the last checkpoint that has some; None where the harness itself failed there.
    pub(super) fn last_tests(&self) -> Option<&RecordedTests> {
        let states = self.run.checkpoints.iter().rev();
        let records = states.flat_map(|it| [&it.after_skill, &it.recorded].into_iter().flatten());
        let last = records.filter_map(|record| record.tests.as_ref()).next();
        last.filter(|tests| !tests.infrastructure_failure)
    }
}

/// A run after so many turns.
struct AtMoment<'a> {
    party: &'a ComparedRun,
    done: usize,
}

/// A run as it ended.
struct AtEnd<'a>(&'a ComparedRun);

impl AtEnd<'_> {
    fn as_moment(&self) -> AtMoment<'_> {
        AtMoment { party: self.0, done: self.0.run.turns.len() }
    }
}

impl MomentFacts for AtMoment<'_> {
    fn code_snapshot(&self) -> Option<&QualitySnapshot> {
        self.party.code_at(self.done)
    }

    fn reuse_counts(&self) -> Option<ReuseCounts> {
        self.party.reuse.get(&self.done).copied().flatten()
    }

    fn verdict_summary(&self) -> Option<VerdictSummary> {
        Some(self.party.judged_verdicts(self.party.judgement_at(self.done)?))
    }

    fn exposure_shares(&self) -> Option<ExposureAtTurn> {
        let rubric = &self.party.rubric;
        ExposureAtTurn::new(rubric.exposure.as_ref()?, rubric.checklist.as_ref(), self.done)
    }

    fn test_results(&self) -> Option<TestScores> {
        TestScores::from_tests(self.party.run.record_at(self.done)?.tests.as_ref()?)
    }

    fn turn_counts(&self) -> TurnCounts {
        TurnCounts { turns: Some(self.done as f64), ..TurnCounts::default() }
    }

    fn turn_usage(&self) -> TurnUsage {
        TurnUsage::from_turns(self.party.run.turns.get(..self.done).unwrap_or_default())
    }

    /// Returns None: process is measured over the whole run.
    fn process_numbers(&self) -> Option<ProcessNumbers> {
        None
    }
}

impl MomentFacts for AtEnd<'_> {
    fn code_snapshot(&self) -> Option<&QualitySnapshot> {
        self.0.final_code()
    }

    fn reuse_counts(&self) -> Option<ReuseCounts> {
        self.as_moment().reuse_counts()
    }

    fn verdict_summary(&self) -> Option<VerdictSummary> {
        Some(self.0.judged_verdicts(self.0.judgement()?))
    }

    fn exposure_shares(&self) -> Option<ExposureAtTurn> {
        self.as_moment().exposure_shares()
    }

    fn test_results(&self) -> Option<TestScores> {
        TestScores::from_tests(self.0.last_tests()?)
    }

    /// Counts the turns that count, as every table of runs does.
    fn turn_counts(&self) -> TurnCounts {
        let run = &self.0.run;
        let turns = (!run.has_no_log()).then(|| run.counted_turns().count() as f64);
        TurnCounts { turns, ..self.as_moment().turn_counts() }
    }

    /// Sums what the whole run used, over the turns that count.
    fn turn_usage(&self) -> TurnUsage {
        let run = &self.0.run;
        TurnUsage {
            tokens: run.tokens().total().map(|tokens| tokens as f64),
            cost_usd: run.cost_usd(),
            seconds: run.duration_s(),
            ..self.as_moment().turn_usage()
        }
    }

    fn process_numbers(&self) -> Option<ProcessNumbers> {
        self.0.process
    }
}
