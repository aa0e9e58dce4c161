//! How much of what the emergent condition loses a treatment of it gives back (SLUMP's gap recovery).

use trajview_metrics::{
    Number,
    faithfulness::gap_recovery,
    numbers::{SLUMP, Values},
};

use super::{
    Party,
    subtraction::{EMERGENT, SINGLE_SHOT},
};

/// What one treated run gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// Position of the treated run.
    pub treated: usize,
    /// Shares of the gap, of the numbers of SLUMP. None where a run lacks the number, and where there is no gap to close.
    pub shares: Values,
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
        let share = |number: Number| {
            let [treated, emergent] = [treated, emergent].map(|party| party.value(number));
            gap_recovery(treated?, emergent?, single_shot.value(number)?)
        };
        Recovery { treated: at, shares: Values::of(&SLUMP, share) }
    };
    let is_treated = |(_, party): &(usize, &Party)| {
        condition(party).is_some_and(|it| it != EMERGENT && it != SINGLE_SHOT)
    };
    parties.iter().enumerate().filter(is_treated).map(recovery).collect()
}
