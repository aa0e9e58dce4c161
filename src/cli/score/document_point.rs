//! A point of a document as the source of its numbers.

use crate::cli::output::Json;
use trajview_metrics::{
    exposure::ExposureAtTurn,
    numbers::facts::{MomentFacts, ReuseCounts, TestScores, TurnCounts, TurnUsage, VerdictSummary},
    process::ProcessNumbers,
    quality::{QualitySnapshot, ScoredSnapshot},
};

use super::{
    document::{PointFacts, ScoreDocument},
    faithfulness::FaithfulnessRow,
};

/// A point of a document.
pub struct DocumentPoint<'a> {
    pub document: &'a ScoreDocument,
    pub facts: &'a PointFacts,
    pub scored: &'a ScoredSnapshot,
    /// The faithfulness row; present only at the end.
    pub judged: Option<&'a FaithfulnessRow>,
}

impl<'a> DocumentPoint<'a> {
    pub fn new(
        document: &'a ScoreDocument,
        facts: &'a PointFacts,
        scored: &'a ScoredSnapshot,
    ) -> Self {
        let is_judged = |row: &&FaithfulnessRow| {
            *row.json.field("turn") == Json::new(&facts.turn) && facts.step.is_none()
        };
        let judged = document.faithfulness.as_ref().filter(is_judged);
        Self { document, facts, scored, judged }
    }
}

impl MomentFacts for DocumentPoint<'_> {
    fn code_snapshot(&self) -> Option<&QualitySnapshot> {
        self.scored.measured_snapshot()
    }

    fn reuse_counts(&self) -> Option<ReuseCounts> {
        Some(self.facts.reuse)
    }

    fn verdict_summary(&self) -> Option<VerdictSummary> {
        let row = &self.judged?.json;
        let count = |field: &str| row.number(field).map(|count| count as usize);
        Some(VerdictSummary {
            mcf: row.number("mcf"),
            mcf_capped: row.number("mcf_capped"),
            severe: count("severe"),
            full: count("full"),
            judged: count("judged"),
            unlooked: count("judged").map(|_| row.rows("unlooked").len()),
            unsupported: count("judged").map(|_| row.rows("unsupported").len()),
            components: count("components"),
            dir: row.number("dir"),
        })
    }

    fn exposure_shares(&self) -> Option<ExposureAtTurn> {
        let turn = self.facts.turn.filter(|_| self.facts.step.is_none())?;
        let exposed = &self.document.exposure.as_ref()?.by_turn;
        exposed.iter().find(|at| at.turn == turn).copied()
    }

    /// Tests have a table of their own, by checkpoint.
    fn test_results(&self) -> Option<TestScores> {
        None
    }

    /// Counts since the previous point.
    fn turn_counts(&self) -> TurnCounts {
        let churn = self.facts.churn.map(|lines| lines as f64);
        TurnCounts { churn, ..TurnCounts::default() }
    }

    fn turn_usage(&self) -> TurnUsage {
        TurnUsage::default()
    }

    /// Returns the process score covers the whole run.
    fn process_numbers(&self) -> Option<ProcessNumbers> {
        None
    }
}
