//! What numbers are worked out of.

use serde::Serialize;

use crate::{
    exposure::AtTurn, faithfulness::Faithfulness, process::Processed, quality::Snapshot,
    reuse::Reuse,
};
use trajview_run::{
    Turn, pace,
    recorded::{Passed, TestGroup, Tests},
};

/// What is known of a run at one moment, part by part. A place that shows numbers says once where each part is to be
/// had; then it can show every number.
pub trait Facts {
    /// The code, measured; None where no file was measured.
    fn code(&self) -> Option<&Snapshot>;

    /// None where no file could be read.
    fn reuse(&self) -> Option<Reused>;

    /// None where nobody judged this moment.
    fn verdicts(&self) -> Option<Verdicts>;

    /// None without an audit of exposure.
    fn exposed(&self) -> Option<AtTurn>;

    /// None where no test is recorded, and where the harness failed and not the code.
    fn tested(&self) -> Option<Tested>;

    /// What there is in the turns: from the beginning, or since the point before where a place shows points.
    fn counted(&self) -> Counted;

    /// What the same turns record that they took.
    fn spent(&self) -> Spent;

    /// How the whole run was worked on; None where that was not looked at, and at any moment but the end.
    fn process(&self) -> Option<Processed>;
}

/// What modules use of each other.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Reused {
    /// None where nothing is exported, and where there is one module alone.
    pub dir: Option<f64>,
    pub exported: Option<usize>,
    pub reused: Option<usize>,
    /// Symbols in use without being reused.
    #[serde(skip)]
    pub registered: Option<usize>,
}

impl Reused {
    /// Nothing where no file could be read.
    pub fn of(reuse: &Reuse) -> Self {
        let read = Some(reuse).filter(|reuse| reuse.is_read());
        Self {
            dir: read.and_then(Reuse::dir),
            exported: read.map(Reuse::exported),
            reused: read.map(Reuse::reused),
            registered: read.map(Reuse::registered),
        }
    }
}

/// What a judgement comes to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Verdicts {
    pub mcf: Option<f64>,
    /// With blockers taken into account; None where there are none.
    pub mcf_capped: Option<f64>,
    pub severe: Option<usize>,
    pub full: Option<usize>,
    /// Components with a score.
    pub judged: Option<usize>,
    pub components: Option<usize>,
    /// Of the state that was judged.
    pub dir: Option<f64>,
}

impl Verdicts {
    pub fn of(scores: &Faithfulness, dir: Option<f64>) -> Self {
        let counted = |count: usize| (scores.judged > 0).then_some(count);
        Self {
            mcf: scores.mcf(),
            mcf_capped: scores.capped.as_ref().map(|it| it.mcf),
            severe: counted(scores.severe()),
            full: counted(scores.full()),
            judged: Some(scores.judged),
            components: Some(scores.components),
            dir,
        }
    }
}

/// What the tests of a checkpoint said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tested {
    /// Every test of the checkpoint and those before it.
    pub strict: Passed,
    /// The tests of the checkpoint alone.
    pub iso: Option<Passed>,
    pub core: Option<Passed>,
}

impl Tested {
    /// None where the harness failed and not the code.
    pub fn of(tests: &Tests) -> Option<Self> {
        let core = tests.group(TestGroup::Core);
        let found = Self { strict: tests.strict, iso: Some(tests.iso), core };
        (!tests.infrastructure_failure).then_some(found)
    }
}

/// What there is in some turns; None where it cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counted {
    /// Those that count.
    pub turns: Option<f64>,
    pub checkpoints: Option<f64>,
    /// Lines added and removed.
    pub churn: Option<f64>,
    pub warnings: Option<f64>,
}

/// What some turns took; None where it is not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// Read and written.
    pub tokens: Option<f64>,
    /// As recorded.
    pub cost_usd: Option<f64>,
    /// From a table of prices; None where a token has no price.
    pub computed_usd: Option<f64>,
    pub seconds: Option<f64>,
    /// Tokens in the main agent's context at the end of the last of the turns.
    pub context: Option<f64>,
}

impl Spent {
    /// The sums over turns; None where one of them does not say.
    pub fn of(turns: &[Turn]) -> Self {
        let tokens =
            |turn: &Turn| Some(turn.tokens.input?.saturating_add(turn.tokens.output?) as f64);
        let first = turns.first().and_then(|turn| turn.started_at);
        let last = turns.last().and_then(|turn| turn.ended_at);
        Self {
            tokens: turns.iter().map(tokens).sum(),
            cost_usd: turns.iter().map(|turn| turn.cost_usd).sum(),
            computed_usd: None,
            seconds: first.zip(last).and_then(|(first, last)| last.seconds_since(first)),
            context: turns.last().and_then(pace::context_after).map(|tokens| tokens as f64),
        }
    }
}
