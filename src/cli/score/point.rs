//! What a document says of one of its points, as the list of numbers asks for it.

use trajview_metrics::{
    exposure::AtTurn,
    numbers::facts::{Counted, Facts, Reused, Spent, Tested, Verdicts},
    process::Processed,
    quality::{Scored, Snapshot},
};

use super::{
    document::{Document, PointFacts},
    faithful::FaithfulnessRow,
};

/// A point of a document.
pub struct AtPoint<'a> {
    pub document: &'a Document,
    pub facts: &'a PointFacts,
    pub scored: &'a Scored,
    /// What was judged; None but at the end.
    pub judged: Option<&'a FaithfulnessRow>,
}

impl<'a> AtPoint<'a> {
    pub fn of(document: &'a Document, facts: &'a PointFacts, scored: &'a Scored) -> Self {
        let is_judged = |row: &&FaithfulnessRow| row.turn == facts.turn && facts.step.is_none();
        let judged = document.faithfulness.as_ref().filter(is_judged);
        Self { document, facts, scored, judged }
    }
}

impl Facts for AtPoint<'_> {
    fn code(&self) -> Option<&Snapshot> {
        self.scored.code()
    }

    fn reuse(&self) -> Option<Reused> {
        Some(self.facts.reuse)
    }

    fn verdicts(&self) -> Option<Verdicts> {
        let row = self.judged?;
        Some(Verdicts {
            mcf: row.values.mcf,
            mcf_capped: row.values.mcf_capped,
            severe: row.values.severe,
            full: row.values.full,
            judged: row.judged,
            components: row.components,
            dir: row.values.dir,
        })
    }

    fn exposed(&self) -> Option<AtTurn> {
        let turn = self.facts.turn.filter(|_| self.facts.step.is_none())?;
        self.document.exposure.as_ref()?.at(turn)
    }

    /// They stand by themselves, checkpoint by checkpoint.
    fn tested(&self) -> Option<Tested> {
        None
    }

    /// Since the point before.
    fn counted(&self) -> Counted {
        let churn = self.facts.churn.map(|lines| lines as f64);
        Counted { churn, ..Counted::default() }
    }

    fn spent(&self) -> Spent {
        Spent::default()
    }

    /// It is of the whole run.
    fn process(&self) -> Option<Processed> {
        None
    }
}
