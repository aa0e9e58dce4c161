//! The facts from which numbers are computed.

use serde::Serialize;

use crate::{
    exposure::ExposureAtTurn, faithfulness::Faithfulness, process::ProcessNumbers,
    quality::QualitySnapshot, reuse::Reuse,
};
use trajview_run::{
    Turn,
    checkpoint_record::{PassCount, RecordedTests, TestGroup},
    step_pace,
};

/// The facts about a run at one moment, part by part. A place that shows numbers implements this once, and can then
/// show every number.
pub trait MomentFacts {
    /// Returns the measured code; None where no file was measured.
    fn code_snapshot(&self) -> Option<&QualitySnapshot>;

    /// Returns the reuse between modules; None where no file could be read.
    fn reuse_counts(&self) -> Option<ReuseCounts>;

    /// Returns the judged scores; None where nobody judged this moment.
    fn verdict_summary(&self) -> Option<VerdictSummary>;

    /// Returns the shares of the exposure audit; None without an audit.
    fn exposure_shares(&self) -> Option<ExposureAtTurn>;

    /// Returns the test results; None where no test is recorded, and where the harness failed and not the code.
    fn test_results(&self) -> Option<TestScores>;

    /// Returns the counts over the turns: from the beginning, or since the previous point where a place shows points.
    fn turn_counts(&self) -> TurnCounts;

    /// Returns the recorded usage of the same turns.
    fn turn_usage(&self) -> TurnUsage;

    /// Returns the numbers about the process of the whole run; None where they were not computed, and at any moment
    /// but the end.
    fn process_numbers(&self) -> Option<ProcessNumbers>;
}

/// Counts of the symbols that modules use from each other.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ReuseCounts {
    /// None where nothing is exported, and where there is only one module.
    pub dir: Option<f64>,
    pub exported: Option<usize>,
    pub reused: Option<usize>,
    /// Symbols in use without being reused.
    #[serde(skip)]
    pub registered: Option<usize>,
}

impl ReuseCounts {
    /// Takes the counts of a snapshot; all are None where no file could be read.
    pub fn from_reuse(reuse: &Reuse) -> Self {
        let read = Some(reuse).filter(|reuse| reuse.is_read());
        Self {
            dir: read.and_then(Reuse::dir),
            exported: read.map(Reuse::exported_count),
            reused: read.map(Reuse::reused_count),
            registered: read.map(Reuse::registered_count),
        }
    }
}

/// The summed-up scores of a judgement.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct VerdictSummary {
    pub mcf: Option<f64>,
    /// The MCF with blockers taken into account; None where there are no blockers.
    pub mcf_capped: Option<f64>,
    pub severe: Option<usize>,
    pub full: Option<usize>,
    /// Components with a score that counts.
    pub judged: Option<usize>,
    /// Components with a level that was given without a look at the code, and counts in nothing.
    pub unlooked: Option<usize>,
    /// Components with a level above 0 that no quote supports.
    pub unsupported: Option<usize>,
    pub components: Option<usize>,
    /// The DIR of the state that was judged.
    pub dir: Option<f64>,
}

impl VerdictSummary {
    pub fn from_scores(scores: &Faithfulness, dir: Option<f64>) -> Self {
        let counted = |count: usize| (scores.judged > 0).then_some(count);
        Self {
            mcf: scores.mcf(),
            mcf_capped: scores.capped.as_ref().map(|it| it.mcf),
            severe: counted(scores.severe_count()),
            full: counted(scores.full_count()),
            judged: Some(scores.judged),
            unlooked: Some(scores.unlooked.len()),
            unsupported: Some(scores.unsupported.len()),
            components: Some(scores.components),
            dir,
        }
    }
}

/// The test results of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TestScores {
    /// Every test of the checkpoint and those before it.
    pub strict: PassCount,
    /// The tests of the checkpoint alone.
    pub iso: Option<PassCount>,
    pub core: Option<PassCount>,
}

impl TestScores {
    /// Returns None where the harness failed and not the code.
    pub fn from_tests(tests: &RecordedTests) -> Option<Self> {
        let core = tests.group_counts(TestGroup::Core);
        let scores = Self { strict: tests.strict, iso: Some(tests.iso), core };
        (!tests.infrastructure_failure).then_some(scores)
    }
}

/// Counts over some turns; None where the recording does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TurnCounts {
    /// The number of turns that count.
    pub turns: Option<f64>,
    pub checkpoints: Option<f64>,
    /// Lines added and removed.
    pub churn: Option<f64>,
    pub warnings: Option<f64>,
}

/// The usage of some turns; None where it is not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TurnUsage {
    /// Tokens read and written.
    pub tokens: Option<f64>,
    /// The cost as recorded.
    pub cost_usd: Option<f64>,
    /// The cost from the table of prices; None where a token has no price.
    pub computed_usd: Option<f64>,
    pub seconds: Option<f64>,
    /// Tokens in the main agent's context at the end of the last of the turns.
    pub context: Option<f64>,
}

impl TurnUsage {
    /// Returns the sums over turns; None where one of them has no value.
    pub fn from_turns(turns: &[Turn]) -> Self {
        let tokens = |turn: &Turn| turn.tokens.total().map(|tokens| tokens as f64);
        let first = turns.first().and_then(|turn| turn.started_at);
        let last = turns.last().and_then(|turn| turn.ended_at);
        Self {
            tokens: turns.iter().map(tokens).sum(),
            cost_usd: turns.iter().map(|turn| turn.cost_usd).sum(),
            computed_usd: None,
            seconds: first.zip(last).and_then(|(first, last)| last.seconds_since(first)),
            context: turns.last().and_then(step_pace::context_after).map(|tokens| tokens as f64),
        }
    }
}
