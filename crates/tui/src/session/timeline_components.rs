//! The components of a run over its turns: whether each is requested, there or lost after a turn, and the newest score.

use std::collections::BTreeMap;

use trajview_metrics::{
    faithfulness::Faithfulness,
    lifeline::{Lifeline, SymbolState, judged_after},
};
use trajview_run::{
    Run,
    rubric::{Judgement, Rubric},
};

/// The components of a run, in the order of the checklist.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComponentLane {
    pub tracks: Vec<ComponentTrack>,
    /// The mean scores of the judgements that cover the checklist, by turns done.
    means: BTreeMap<usize, f64>,
    /// The turns done after which the judge scored something.
    judged: Vec<usize>,
    /// False while the code of the components is still being followed.
    pub is_followed: bool,
}

/// One component over the turns. Turns count from 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ComponentTrack {
    pub id: String,
    /// Empty where no checklist names it.
    pub name: String,
    /// The turn that requests it; None where nothing says so.
    requested: Option<usize>,
    /// The turns from which on its code is there or not, ascending; None where nothing follows its code.
    presence: Option<Vec<(usize, bool)>>,
    /// The turn after which none of its code is in use any more.
    pub lost_at: Option<usize>,
    /// Score and file of the judgement, by turns done.
    scores: BTreeMap<usize, (u8, String)>,
    /// The scores wait for a label of the rater, and are not shown.
    pub is_hidden: bool,
}

/// The state of a component after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComponentState {
    NotRequested,
    /// Requested and not there.
    Missing,
    /// Requested; nothing says whether it is there.
    Unclear,
    /// There, with the newest score that is shown.
    There(Option<u8>),
    Lost,
}

impl ComponentTrack {
    /// Returns the state after so many turns.
    pub(crate) fn state_after(&self, done: usize) -> ComponentState {
        if self.lost_at.is_some_and(|lost| lost <= done) {
            return ComponentState::Lost;
        }
        let score = self.score_after(done).map(|(score, _)| score);
        let is_there = match &self.presence {
            Some(changes) => {
                let at = changes.partition_point(|(since, _)| *since <= done);
                Some(at > 0 && changes[at - 1].1)
            }
            None => score.map(|score| score > 0),
        };
        match is_there {
            Some(true) => ComponentState::There(score),
            _ if self.requested.is_some_and(|turn| turn > done) => ComponentState::NotRequested,
            Some(false) => ComponentState::Missing,
            None => ComponentState::Unclear,
        }
    }

    /// Returns the newest score after so many turns with the file of its judgement, unless it is hidden.
    pub(crate) fn score_after(&self, done: usize) -> Option<(u8, &str)> {
        let (_, (score, file)) =
            self.scores.range(..=done).next_back().filter(|_| !self.is_hidden)?;
        Some((*score, file))
    }
}

impl ComponentLane {
    /// Follows the components of a rubric, by the judgements of one judge, of which the later counts where two are of
    /// one state. None where the rubric has no components. `lifelines` is None while they are computed.
    pub(crate) fn new(
        run: &Run,
        rubric: &Rubric,
        judgements: &[&Judgement],
        lifelines: Option<&[Lifeline]>,
    ) -> Option<Self> {
        let mut tracks = listed_tracks(rubric, judgements);
        if tracks.is_empty() {
            return None;
        }
        let mut lane = Self { is_followed: lifelines.is_some(), ..Self::default() };
        for judgement in judgements {
            let Some(done) = judged_after(run, judgement) else { continue };
            for track in &mut tracks {
                if let Some(score) =
                    judgement.verdict_on(&track.id).and_then(|it| it.counted_level())
                {
                    track.scores.insert(done, (score, judgement.file.clone()));
                    lane.judged.push(done);
                }
            }
            if rubric.is_covered_by(judgement) {
                let scores = Faithfulness::from_judgement(judgement, rubric.checklist.as_ref());
                lane.means.extend(scores.mcf().map(|mean| (done, mean)));
            }
        }
        lane.judged.sort_unstable();
        lane.judged.dedup();
        let by_id: BTreeMap<&str, &Lifeline> =
            lifelines.unwrap_or_default().iter().map(|it| (&*it.component, it)).collect();
        for track in &mut tracks {
            if let Some(lifeline) = by_id.get(&*track.id) {
                track.lost_at = lifeline.lost_at;
                track.presence = presence_of(lifeline, run.turns.len());
            }
        }
        lane.tracks = tracks;
        Some(lane)
    }

    /// Returns how many components are there after so many turns, by what is shown, and for how many nothing says so.
    pub(crate) fn count_there(&self, done: usize) -> (usize, usize) {
        let count = |is: fn(ComponentState) -> bool| {
            self.tracks.iter().filter(|track| is(track.state_after(done))).count()
        };
        let there = count(|it| matches!(it, ComponentState::There(score) if score != Some(0)));
        (there, count(|it| it == ComponentState::Unclear))
    }

    /// Returns the components that are lost in a turn; it counts from 1.
    pub(crate) fn lost_in(&self, turn: usize) -> impl Iterator<Item = &ComponentTrack> {
        self.tracks.iter().filter(move |track| track.lost_at == Some(turn))
    }

    /// Returns whether scores of some component are hidden.
    pub(crate) fn hides_scores(&self) -> bool {
        self.tracks.iter().any(|track| track.is_hidden)
    }

    /// Returns the newest judged state up to so many turns.
    pub(crate) fn judged_until(&self, done: usize) -> Option<usize> {
        self.judged.iter().copied().rfind(|judged| *judged <= done)
    }

    /// Returns the mean score of a judged state; None where the judgement does not cover the checklist.
    pub(crate) fn mean_at(&self, judged: usize) -> Option<f64> {
        self.means.get(&judged).copied()
    }
}

/// Returns the components of the checklist; without one those of the verdicts.
fn listed_tracks(rubric: &Rubric, judgements: &[&Judgement]) -> Vec<ComponentTrack> {
    let listed = rubric.checklist.as_ref().map_or(&[][..], |it| &it.components);
    let track = |id: &str| ComponentTrack { id: id.to_owned(), ..ComponentTrack::default() };
    let mut tracks: Vec<ComponentTrack> = listed
        .iter()
        .map(|it| ComponentTrack {
            name: it.name.clone(),
            requested: it.committed_at_turn,
            ..track(&it.id)
        })
        .collect();
    if tracks.is_empty() {
        for verdict in judgements.iter().flat_map(|it| &it.verdicts) {
            if !tracks.iter().any(|it| it.id == verdict.component) {
                tracks.push(track(&verdict.component));
            }
        }
    }
    tracks
}

/// Returns the turns at which the code of a component comes or goes; None where it has no symbol that was ever defined.
fn presence_of(lifeline: &Lifeline, turns: usize) -> Option<Vec<(usize, bool)>> {
    lifeline.deciding_symbols().next()?;
    let mut changes: Vec<(usize, bool)> = vec![];
    for turn in 1..=turns {
        let states =
            lifeline.deciding_symbols().filter_map(|it| Some(it.cells.get(turn - 1)?.state));
        let is_alive = |state: SymbolState| match state {
            SymbolState::Idle | SymbolState::Registered | SymbolState::Used => true,
            SymbolState::Before | SymbolState::Unused | SymbolState::Gone => false,
        };
        let is_there = states.into_iter().any(is_alive);
        if changes.last().map_or(is_there, |(_, before)| *before != is_there) {
            changes.push((turn, is_there));
        }
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{
        Turn,
        rubric::{Checklist, Component, Verdict},
    };

    fn run_of(turns: usize) -> Run {
        Run { turns: vec![Turn::default(); turns], ..Run::default() }
    }

    fn judgement_at(turn: usize, scores: &[(&str, u8)]) -> Judgement {
        let verdict = |(id, score): &(&str, u8)| Verdict {
            component: (*id).into(),
            score: Some(*score),
            ..Verdict::default()
        };
        let verdicts = scores.iter().map(verdict).collect();
        Judgement {
            file: format!("{turn}.json"),
            turn: Some(turn),
            verdicts,
            ..Judgement::default()
        }
    }

    fn rubric_of(requested: &[(&str, usize)]) -> Rubric {
        let component = |(id, turn): &(&str, usize)| Component {
            id: (*id).into(),
            committed_at_turn: Some(*turn),
            ..Component::default()
        };
        let components = requested.iter().map(component).collect();
        let checklist = Checklist { components, ..Checklist::default() };
        Rubric { checklist: Some(checklist), ..Rubric::default() }
    }

    fn states(lane: &ComponentLane, done: usize) -> Vec<ComponentState> {
        lane.tracks.iter().map(|track| track.state_after(done)).collect()
    }

    #[test]
    fn a_component_has_the_newest_score_up_to_the_turn_and_none_before_it_was_judged() {
        let judgements = [judgement_at(3, &[("C1", 4), ("C2", 0)]), judgement_at(5, &[("C1", 2)])];
        let judgements: Vec<&Judgement> = judgements.iter().collect();
        let rubric = rubric_of(&[("C1", 1), ("C2", 2)]);
        let lane = ComponentLane::new(&run_of(6), &rubric, &judgements, Some(&[])).unwrap();
        use ComponentState::{Missing, NotRequested, There, Unclear};

        assert_eq!(states(&lane, 1), [Unclear, NotRequested]);
        assert_eq!(states(&lane, 2), [Unclear, Unclear]);
        assert_eq!(states(&lane, 3), [There(Some(4)), Missing]);
        assert_eq!(states(&lane, 6), [There(Some(2)), Missing]);
        assert_eq!([2, 4, 5].map(|done| lane.judged_until(done)), [None, Some(3), Some(5)]);
        assert_eq!((lane.mean_at(3), lane.mean_at(5)), (Some(2.0), None));
        assert_eq!([2, 3, 6].map(|done| lane.count_there(done)), [(0, 2), (1, 0), (1, 0)]);
    }

    #[test]
    fn a_hidden_score_says_nothing() {
        let judgement = judgement_at(1, &[("C1", 4)]);
        let rubric = rubric_of(&[("C1", 1)]);
        let mut lane = ComponentLane::new(&run_of(1), &rubric, &[&judgement], None).unwrap();
        lane.tracks[0].is_hidden = true;

        assert_eq!(states(&lane, 1), [ComponentState::Unclear]);
        assert!(lane.hides_scores() && !lane.is_followed);
    }

    #[test]
    fn a_lost_component_stays_lost() {
        let lifeline = Lifeline {
            component: "C1".into(),
            committed: Some(1),
            symbols: vec![],
            lost_at: Some(3),
        };
        let rubric = rubric_of(&[("C1", 1)]);
        let lane = ComponentLane::new(&run_of(4), &rubric, &[], Some(&[lifeline])).unwrap();

        assert_eq!(states(&lane, 3), [ComponentState::Lost]);
        assert_eq!(states(&lane, 4), [ComponentState::Lost]);
        assert_eq!([2, 3, 4].map(|turn| lane.lost_in(turn).count()), [0, 1, 0]);
    }
}
