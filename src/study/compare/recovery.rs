//! How much of what the emergent condition loses a treatment of it gives back (SLUMP's gap recovery).

use crate::metrics::faithfulness::gap_recovery;

use super::{
    Fact, Party,
    subtraction::{EMERGENT, SINGLE_SHOT},
};

/// What one treated run gives back. None where a run lacks the number, and where there is no gap to close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recovery {
    /// Position of the treated run.
    pub treated: usize,
    pub mcf: Option<f64>,
    pub dir: Option<f64>,
    pub if50: Option<f64>,
}

/// One for each run of a third condition, in the order of the runs. Empty unless exactly one run is emergent and
/// exactly one single-shot: else there is not one gap.
pub fn recoveries(parties: &[Party]) -> Vec<Recovery> {
    let condition = |party: &Party| party.run.condition.clone();
    let only = |wanted: &str| {
        let mut found = parties.iter().filter(|party| condition(party).as_deref() == Some(wanted));
        found.next().filter(|_| found.next().is_none())
    };
    let (Some(emergent), Some(single_shot)) = (only(EMERGENT), only(SINGLE_SHOT)) else {
        return vec![];
    };
    let recovery = |(at, treated): (usize, &Party)| {
        let of =
            |fact: Fact| gap_recovery(fact.of(treated)?, fact.of(emergent)?, fact.of(single_shot)?);
        Recovery { treated: at, mcf: of(Fact::Mcf), dir: of(Fact::Dir), if50: of(Fact::If50) }
    };
    let is_treated = |(_, party): &(usize, &Party)| {
        condition(party).is_some_and(|it| it != EMERGENT && it != SINGLE_SHOT)
    };
    parties.iter().enumerate().filter(is_treated).map(recovery).collect()
}
