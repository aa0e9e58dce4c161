//! The run moving by itself, and what makes it stop.

use crate::{
    session::{Session, turns},
    views::replay::{
        ReplayView,
        activity::has_one_request,
        diff::DiffFollows,
        diff_target::EditMotion,
        playback::{self, PlaybackUnit},
        steps,
    },
};
use trajview_run::StepId;

impl ReplayView {
    pub(crate) fn update_playback(
        &mut self,
        session: &mut Session,
        message: &playback::PlaybackMessage,
    ) {
        self.playback.update(message);
        if *message == playback::PlaybackMessage::NextUnit {
            let unit = self.unit_name(session);
            session.notice = Some(format!("playback moves by {unit}"));
        }
    }

    /// Returns the name of the distance of one playback move.
    pub(crate) fn unit_name(&self, session: &Session) -> &'static str {
        match self.playback.unit {
            PlaybackUnit::Turn if has_one_request(session) => "edit",
            unit => unit.unit_name(),
        }
    }

    pub(crate) fn advance_playback(&mut self, session: &mut Session) {
        if !self.playback.is_playing {
            return;
        }
        let before = (session.turn, self.steps.chosen_step());
        let rest = self.steps_after(before.1);
        match self.playback.unit {
            PlaybackUnit::Turn if has_one_request(session) => {
                self.go_to_edit(session, &EditMotion::Next(1))
            }
            PlaybackUnit::Turn => self.select_turn(
                session,
                turns::TurnMessage::Next(1).target_turn(&session.run, session.turn),
            ),
            PlaybackUnit::Checkpoint => {
                self.select_turn(
                    session,
                    turns::TurnMessage::NextCheckpoint(1).target_turn(&session.run, session.turn),
                );
            }
            PlaybackUnit::Step => self.play_step(session),
        }
        if before == (session.turn, self.steps.chosen_step()) {
            self.playback.is_playing = false;
            session.notice = Some("the end of the run".into());
            return;
        }
        let passed = match self.playback.unit {
            PlaybackUnit::Turn if has_one_request(session) => {
                self.steps_passed(session, before.0, rest)
            }
            PlaybackUnit::Turn | PlaybackUnit::Checkpoint => {
                self.steps_of_turns(session, before.0 + 1..session.turn + 1)
            }
            PlaybackUnit::Step => self.steps_passed(session, before.0, rest),
        };
        self.stop_at_reason(session, &passed);
    }

    /// Returns the steps of the turn after one of them, listed or not; all of them for None.
    fn steps_after(&self, step: Option<StepId>) -> Vec<StepId> {
        let position = step.and_then(|id| self.steps.position_in_turn(id));
        let first = position.map_or(0, |position| position + 1);
        (first..self.steps.step_count())
            .filter_map(|position| self.steps.step_at(position))
            .collect()
    }

    fn steps_of_turns(&self, session: &Session, turns: std::ops::Range<usize>) -> Vec<StepId> {
        turns.flat_map(|turn| session.run.steps_of_turn(turn)).collect()
    }

    /// Returns the steps up to the selected one, given the steps that were left of the turn before the move.
    fn steps_passed(&self, session: &Session, turn: usize, rest: Vec<StepId>) -> Vec<StepId> {
        let here = self.steps.chosen_step();
        let reached = here.and_then(|id| self.steps.position_in_turn(id)).map_or(0, |at| at + 1);
        if turn == session.turn {
            let is_passed =
                |id: &StepId| self.steps.position_in_turn(*id).is_some_and(|at| at < reached);
            return rest.into_iter().filter(is_passed).collect();
        }
        let between = self.steps_of_turns(session, turn + 1..session.turn);
        let here = (0..reached).filter_map(|position| self.steps.step_at(position));
        rest.into_iter().chain(between).chain(here).collect()
    }

    fn stop_at_reason(&mut self, session: &mut Session, passed: &[StepId]) {
        let stops = self.playback.stops;
        let reason = |id: &StepId| Some((*id, stops.reason_to_stop(session.run.step(*id)?)?));
        let Some((id, stop)) = passed.iter().find_map(reason) else { return };
        self.playback.is_playing = false;
        self.select_turn(session, id.turn);
        self.steps.go_to_item(id);
        self.diff.follows = DiffFollows::Step;
        let step = self.number_in_turn(id);
        session.notice = Some(format!("stopped at {}: step {step}", stop.stop_text()));
    }

    fn play_step(&mut self, session: &mut Session) {
        let is_last = self.is_at_last_step();
        if is_last && !self.steps.entered_agents().is_empty() {
            self.steps.update(steps::StepsMessage::Leave);
            return self.play_step(session);
        }
        if is_last && session.turn + 1 < session.run.turns.len() {
            self.select_turn(session, session.turn + 1);
            while self.steps.items.is_empty() && session.turn + 1 < session.run.turns.len() {
                self.select_turn(session, session.turn + 1); // nothing of the chosen kind
            }
        } else {
            self.steps.update(steps::StepsMessage::Next(1));
        }
        self.diff.follows = DiffFollows::Step;
    }

    /// Returns whether the last listed step is chosen, or none is listed.
    pub(super) fn is_at_last_step(&self) -> bool {
        self.steps.items.last().copied() == self.steps.chosen_step()
    }
}
