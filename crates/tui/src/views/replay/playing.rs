//! The run moving by itself, and what makes it stop.

use crate::{
    session::{Session, turns},
    views::replay::{
        Replay,
        acts::has_one_request,
        diff::Follows,
        looking::Edits,
        playback::{self, Unit},
        steps::{self, Item},
    },
};
use trajview_run::StepId;

impl Replay {
    pub(crate) fn update_playback(&mut self, session: &mut Session, message: &playback::Message) {
        self.playback.update(message);
        if *message == playback::Message::NextUnit {
            let unit = self.unit_word(session);
            session.notice = Some(format!("playback moves by {unit}"));
        }
    }

    /// What a beat moves by, in a word.
    pub fn unit_word(&self, session: &Session) -> &'static str {
        match self.playback.unit {
            Unit::Turn if has_one_request(session) => "edit",
            unit => unit.word(),
        }
    }

    pub fn beat(&mut self, session: &mut Session) {
        if !self.playback.is_playing {
            return;
        }
        let before = (session.turn, self.steps.selected());
        let rest = self.steps_after(before.1);
        match self.playback.unit {
            Unit::Turn if has_one_request(session) => self.go_to_edit(session, &Edits::Next(1)),
            Unit::Turn => {
                self.select_turn(session, turns::Message::Next(1).from(&session.run, session.turn))
            }
            Unit::Checkpoint => {
                self.select_turn(
                    session,
                    turns::Message::NextCheckpoint(1).from(&session.run, session.turn),
                );
            }
            Unit::Step => self.play_step(session),
        }
        if before == (session.turn, self.steps.selected()) {
            self.playback.is_playing = false;
            session.notice = Some("the end of the run".into());
            return;
        }
        let passed = match self.playback.unit {
            Unit::Turn if has_one_request(session) => self.passed(session, before.0, rest),
            Unit::Turn | Unit::Checkpoint => {
                self.steps_of_turns(session, before.0 + 1..session.turn + 1)
            }
            Unit::Step => self.passed(session, before.0, rest),
        };
        self.stop_at_reason(session, &passed);
    }

    /// Steps of the turn after an entry, listed or not.
    fn steps_after(&self, item: Option<Item>) -> Vec<StepId> {
        let position = item.and_then(Item::step).and_then(|id| self.steps.position_of(id));
        let first = position.map_or(0, |position| position + 1);
        (first..self.steps.count()).filter_map(|position| self.steps.at(position)).collect()
    }

    fn steps_of_turns(&self, session: &Session, turns: std::ops::Range<usize>) -> Vec<StepId> {
        turns.flat_map(|turn| session.run.steps_of_turn(turn)).collect()
    }

    /// Everything up to the selected step, given what was left of the turn before it moved.
    fn passed(&self, session: &Session, turn: usize, rest: Vec<StepId>) -> Vec<StepId> {
        let here = self.steps.selected().and_then(Item::step);
        let reached = here.and_then(|id| self.steps.position_of(id)).map_or(0, |at| at + 1);
        if turn == session.turn {
            let is_passed =
                |id: &StepId| self.steps.position_of(*id).is_some_and(|at| at < reached);
            return rest.into_iter().filter(is_passed).collect();
        }
        let between = self.steps_of_turns(session, turn + 1..session.turn);
        let here = (0..reached).filter_map(|position| self.steps.at(position));
        rest.into_iter().chain(between).chain(here).collect()
    }

    fn stop_at_reason(&mut self, session: &mut Session, passed: &[StepId]) {
        let stops = self.playback.stops;
        let reason = |id: &StepId| Some((*id, stops.reason(session.run.step(*id)?)?));
        let Some((id, stop)) = passed.iter().find_map(reason) else { return };
        self.playback.is_playing = false;
        self.select_turn(session, id.turn);
        self.steps.go_to(Item::Step(id));
        self.diff.follows = Follows::Step;
        let step = self.number_of(id);
        session.notice = Some(format!("stopped at {}: step {step}", stop.words()));
    }

    fn play_step(&mut self, session: &mut Session) {
        let is_last = self.steps.selected_index() + 1 >= self.steps.items.len();
        if is_last && !self.steps.way_in().is_empty() {
            self.steps.update(steps::Message::Leave);
            return self.play_step(session);
        }
        if is_last && session.turn + 1 < session.run.turns.len() {
            self.select_turn(session, session.turn + 1);
            while self.steps.items.is_empty() && session.turn + 1 < session.run.turns.len() {
                self.select_turn(session, session.turn + 1); // nothing of the chosen kind
            }
        } else {
            self.steps.update(steps::Message::Next(1));
        }
        self.diff.follows = Follows::Step;
    }
}
