//! The agents of the turn or of the run beside each other in time: what the list of them is opened and switched with.

use crate::{
    session::Session,
    views::replay::{
        ReplayView,
        chooser::{ChooserKind, ReplayChooser},
    },
};
use trajview_run::agent_timeline::{self, LaneScope};

/// Lists the agents of the turn; where it has no sub-agents those of the run.
pub(super) fn open_agents(replay: &mut ReplayView, session: &mut Session) {
    let of_turn = LaneScope::Turn(session.turn);
    if list_agents(replay, session, of_turn) || list_agents(replay, session, LaneScope::Run) {
        return;
    }
    session.notice = Some("no sub-agents in this run".into());
}

/// Switches between the agents of the turn and those of the run.
pub(super) fn switch_agents_scope(replay: &mut ReplayView, session: &mut Session) {
    let Some(chooser) = &replay.chooser else { return };
    let wanted = match chooser.lanes.0 {
        LaneScope::Run => LaneScope::Turn(session.turn),
        LaneScope::Turn(_) => LaneScope::Run,
    };
    if !list_agents(replay, session, wanted) {
        session.notice = Some("no sub-agents in this turn".into());
    }
}

/// Lists the agents and selects the agent of the selected step. Returns false where there are no sub-agents.
fn list_agents(replay: &mut ReplayView, session: &Session, scope: LaneScope) -> bool {
    let lanes = agent_timeline::lanes_of_run(&session.run, scope);
    if lanes.len() < 2 {
        return false;
    }
    let agent = replay.steps.chosen_step().and_then(|step| step.subagent);
    let here = lanes.iter().position(|lane| lane.agent == agent).unwrap_or_default();
    let mut chooser = ReplayChooser::new(ChooserKind::Agents, here);
    chooser.lanes = (scope, lanes);
    replay.chooser = Some(chooser);
    true
}
