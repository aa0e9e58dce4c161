//! The agents of the turn or of the run beside each other in time: what the list of them is opened and switched with.

use crate::{
    session::Session,
    views::replay::{
        Replay,
        chooser::{Chooser, Kind},
        steps::Item,
    },
};
use trajview_run::lanes::{self, Scope};

/// Lists the agents of the turn; where it has no sub-agents those of the run.
pub(super) fn open(replay: &mut Replay, session: &mut Session) {
    let of_turn = Scope::Turn(session.turn);
    if list(replay, session, of_turn) || list(replay, session, Scope::Run) {
        return;
    }
    session.notice = Some("no sub-agent works in this run".into());
}

/// From the agents of the turn to those of the run, or back.
pub(super) fn switch(replay: &mut Replay, session: &mut Session) {
    let Some(chooser) = &replay.chooser else { return };
    let wanted = match chooser.lanes.0 {
        Scope::Run => Scope::Turn(session.turn),
        Scope::Turn(_) => Scope::Run,
    };
    if !list(replay, session, wanted) {
        session.notice = Some("no sub-agent works in this turn".into());
    }
}

/// Whether there are sub-agents to list. The agent of the selected step is selected.
fn list(replay: &mut Replay, session: &Session, scope: Scope) -> bool {
    let lanes = lanes::of(&session.run, scope);
    if lanes.len() < 2 {
        return false;
    }
    let agent = replay.steps.selected().and_then(Item::step).and_then(|step| step.subagent);
    let here = lanes.iter().position(|lane| lane.agent == agent).unwrap_or_default();
    let mut chooser = Chooser::of(Kind::Agents, here);
    chooser.lanes = (scope, lanes);
    replay.chooser = Some(chooser);
    true
}
