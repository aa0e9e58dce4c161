//! Measures how much of the checklist the dialogue reveals, turn by turn (SLUMP's exposure audit).
//!
//! The shares are over the components of the checklist. One that the audit has no entry for is in the denominator and
//! in no numerator, and is counted separately; every place that shows the shares must state the number of such
//! components.

use serde::Serialize;

use trajview_run::rubric::{Checklist, Exposure, Recoverability};

/// Recoverability from which a component counts for RCR.
const RECOVERABLE: u8 = 1;

/// Recoverability from which it counts for ESR.
const EXPLICIT: u8 = 4;

/// The shares over the turns of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ExposureShares {
    /// Components of the checklist; without a checklist those the audit names.
    pub components: usize,
    /// Ids of components that the audit has no entry for, in the order of the checklist.
    pub not_recorded: Vec<String>,
    /// Ids that the audit names and the checklist lacks, in its order; they do not count.
    pub without_component: Vec<String>,
    /// One entry per turn, in order, for the dialogue up to the end of that turn.
    pub by_turn: Vec<ExposureAtTurn>,
}

/// The shares of components that the dialogue reveals up to the end of a turn, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ExposureAtTurn {
    /// Counts from 1.
    pub turn: usize,
    /// Share of components that can be recovered at all.
    pub rcr: f64,
    /// Share of components that were said explicitly.
    pub esr: f64,
}

impl ExposureShares {
    /// Returns the numbers of an audit. `turns` is how many the run has; an audit with more turns is read to its end.
    /// None where there are no components to take a share of.
    pub fn from_audit(
        exposure: &Exposure,
        checklist: Option<&Checklist>,
        turns: usize,
    ) -> Option<Self> {
        let ids = ids_of(exposure, checklist);
        let entry = |id: &str| exposure.components.iter().find(|it| it.id == id);
        let entries: Vec<_> = ids.iter().filter_map(|id| entry(id)).collect();
        let last = entries.iter().filter_map(|it| Some(it.by_turn.last()?.0)).max().unwrap_or(0);
        let at = |turn| ExposureAtTurn::over_entries(&entries, ids.len(), turn);
        let names = exposure.components.iter().map(|it| &it.id);
        (!ids.is_empty()).then(|| Self {
            components: ids.len(),
            not_recorded: ids
                .iter()
                .filter(|id| entry(id).is_none())
                .map(|id| (*id).into())
                .collect(),
            without_component: names.filter(|id| !ids.contains(&id.as_str())).cloned().collect(),
            by_turn: (1..=turns.max(last.min(MOST_TURNS))).map(at).collect(),
        })
    }

    /// Returns the shares at the end of the last turn; None for a run without turns.
    pub fn last_turn(&self) -> Option<ExposureAtTurn> {
        self.by_turn.last().copied()
    }
}

impl ExposureAtTurn {
    /// Computes the shares at the end of one turn (counts from 1), like an entry of [`ExposureShares::by_turn`].
    pub fn new(exposure: &Exposure, checklist: Option<&Checklist>, turn: usize) -> Option<Self> {
        let ids = ids_of(exposure, checklist);
        let entry = |id: &&str| exposure.components.iter().find(|it| it.id == *id);
        let entries: Vec<_> = ids.iter().filter_map(entry).collect();
        (!ids.is_empty()).then(|| Self::over_entries(&entries, ids.len(), turn))
    }

    fn over_entries(entries: &[&Recoverability], components: usize, turn: usize) -> Self {
        let share = |level: u8| {
            let count = entries.iter().filter(|it| it.level_at(turn) >= level).count();
            count as f64 / components as f64
        };
        Self { turn, rcr: share(RECOVERABLE), esr: share(EXPLICIT) }
    }
}

/// Returns the ids of the components over which the shares are taken.
fn ids_of<'a>(exposure: &'a Exposure, checklist: Option<&'a Checklist>) -> Vec<&'a str> {
    match checklist {
        Some(checklist) => checklist.components.iter().map(|it| it.id.as_str()).collect(),
        None => exposure.components.iter().map(|it| it.id.as_str()).collect(),
    }
}

/// The most turns that are read from an audit, which may claim more turns than any run has.
const MOST_TURNS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{Component, Recoverability};

    fn checklist_of(ids: &[&str]) -> Checklist {
        let component = |id: &&str| Component { id: (*id).into(), ..Component::default() };
        Checklist { task: None, judge: None, components: ids.iter().map(component).collect() }
    }

    fn exposure_of(entries: &[(&str, &[(usize, u8)])]) -> Exposure {
        let entry = |(id, by_turn): &(&str, &[(usize, u8)])| Recoverability {
            id: (*id).into(),
            by_turn: by_turn.to_vec(),
        };
        Exposure { components: entries.iter().map(entry).collect() }
    }

    fn shares_by_turn(exposed: &ExposureShares) -> Vec<(usize, f64, f64)> {
        exposed.by_turn.iter().map(|at| (at.turn, at.rcr, at.esr)).collect()
    }

    #[test]
    fn a_level_holds_until_the_next_and_the_shares_are_over_the_whole_checklist() {
        let audit = exposure_of(&[("A", &[(1, 1), (3, 4)]), ("B", &[(2, 4)]), ("X", &[(1, 4)])]);

        let exposed =
            ExposureShares::from_audit(&audit, Some(&checklist_of(&["A", "B", "C", "D"])), 4)
                .unwrap();

        let expected = [(1, 0.25, 0.0), (2, 0.5, 0.25), (3, 0.5, 0.5), (4, 0.5, 0.5)];
        assert_eq!(shares_by_turn(&exposed), expected);
        assert_eq!(exposed.not_recorded, ["C", "D"]);
        assert_eq!(exposed.without_component, ["X"]);
    }

    #[test]
    fn an_audit_that_knows_more_turns_than_the_run_is_followed_to_its_end() {
        let exposed =
            ExposureShares::from_audit(&exposure_of(&[("A", &[(2, 4)])]), None, 1).unwrap();

        assert_eq!(shares_by_turn(&exposed), [(1, 0.0, 0.0), (2, 1.0, 1.0)]);
    }

    #[test]
    fn without_components_there_are_no_shares() {
        assert_eq!(ExposureShares::from_audit(&exposure_of(&[]), None, 3), None);
        assert_eq!(
            ExposureShares::from_audit(
                &exposure_of(&[("A", &[(1, 4)])]),
                Some(&checklist_of(&[])),
                3
            ),
            None
        );
    }
}
