//! How much of what the emergent condition loses a treatment of it gives back (SLUMP's gap recovery).

use trajview_metrics::{
    Number,
    faithfulness::gap_recovery,
    numbers::{NumberValues, SLUMP},
};

use super::{
    ComparedRun,
    subtraction::{EMERGENT, SINGLE_SHOT},
};

/// The share of the gap that one treated run recovers.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecovery {
    /// Position of the treated run.
    pub treated: usize,
    /// Shares of the gap, of the numbers of SLUMP. None where a run lacks the number, and where there is no gap to close.
    pub shares: NumberValues,
}

/// Returns one entry for each run of a third condition, in the order of the runs. Empty unless exactly one run is
/// emergent and exactly one single-shot, since the gap is ambiguous then.
pub fn run_recoveries(parties: &[ComparedRun]) -> Vec<RunRecovery> {
    let condition = |party: &ComparedRun| party.run.condition.clone();
    let only = |wanted: &str| {
        let mut found = parties.iter().filter(|party| condition(party).as_deref() == Some(wanted));
        found.next().filter(|_| found.next().is_none())
    };
    let (Some(emergent), Some(single_shot)) = (only(EMERGENT), only(SINGLE_SHOT)) else {
        return vec![];
    };
    let recovery = |(at, treated): (usize, &ComparedRun)| {
        let share = |number: Number| {
            let [treated, emergent] = [treated, emergent].map(|party| party.final_value(number));
            gap_recovery(treated?, emergent?, single_shot.final_value(number)?)
        };
        RunRecovery { treated: at, shares: NumberValues::new(&SLUMP, share) }
    };
    let is_treated = |(_, party): &(usize, &ComparedRun)| {
        condition(party).is_some_and(|it| it != EMERGENT && it != SINGLE_SHOT)
    };
    parties.iter().enumerate().filter(is_treated).map(recovery).collect()
}
