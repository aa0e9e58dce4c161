//! The actions of a run with one request, which replace its list of turns: moves lead from edit to edit. In every run,
//! moves from failure to failure.

use crate::{
    session::{Session, turns},
    views::replay::{ReplayView, diff_target::EditMotion},
    widgets::{
        layout::ReplayPanel,
        scroll::{Motion, centred_top},
    },
};
use trajview_run::{Role, Run, Step, StepId, StepKind, failures};

/// Moves over the steps that failed, through all turns.
#[derive(Debug, Clone, PartialEq)]
pub enum FailureMotion {
    Next(usize),
    Previous(usize),
}

/// Returns whether the run has a single request, so that moving between turns is useless.
pub(crate) fn has_one_request(session: &Session) -> bool {
    session.run.turns.len() == 1
}

/// Returns whether the run is a trial of which only its result, recorded terminals and texts of the harness are there: no
/// step of an agent's log.
pub(crate) fn is_trial_without_log(run: &Run) -> bool {
    let recordings = run.terminal_recordings();
    let is_text = |step: &Step| step.kind == StepKind::Message && step.role == Role::System;
    let is_recorded = |step: &Step| recordings.iter().any(|(id, _)| *id == step.place.source);
    run.trial.is_some()
        && run.turns.len() <= 1
        && run.turns.iter().all(|turn| turn.steps.iter().all(|it| is_text(it) || is_recorded(it)))
}

/// Returns the actions of the agent in a run with one request: the steps that call a tool or start an agent, each with
/// its number.
pub(crate) fn agent_actions(session: &Session) -> Vec<(usize, StepId)> {
    let acts = |(_, id): &(usize, StepId)| {
        session.run.step(*id).is_some_and(|step| {
            matches!(step.kind, StepKind::Tool | StepKind::SubAgent) || !step.edits.is_empty()
        })
    };
    (1..).zip(session.run.steps_of_turn(0)).filter(acts).collect()
}

/// Returns whether a run with one request has messages and no action.
pub(super) fn has_only_messages(session: &Session) -> bool {
    has_one_request(session)
        && agent_actions(session).is_empty()
        && !session.run.steps_of_turn(0).is_empty()
}

/// Returns the index of the selected action, or of the last before the selected step.
pub(crate) fn selected_action(replay: &ReplayView, acts: &[(usize, StepId)]) -> usize {
    let number = replay.step_number();
    acts.partition_point(|(at, _)| *at <= number).saturating_sub(1)
}

/// Goes to another turn; in a run with one request to another edit.
pub(super) fn go_to_turn(
    replay: &mut ReplayView,
    session: &mut Session,
    message: &turns::TurnMessage,
) {
    let edit = match message {
        turns::TurnMessage::Next(count) => Some(EditMotion::Next(*count)),
        turns::TurnMessage::Previous(count) => Some(EditMotion::Previous(*count)),
        _ => None,
    };
    match edit.filter(|_| has_one_request(session)) {
        // A turn that is written meanwhile comes after the last edit.
        Some(edit) => replay.go_to_edit(session, &edit),
        None => {
            replay.go_beyond(session, message.wanted_turn(session.turn));
            replay.select_turn(session, message.target_turn(&session.run, session.turn));
        }
    }
}

/// Moves over the turns, or over what the agent did; `To` names a step by its number there.
pub(super) fn move_over_turns(
    replay: &mut ReplayView,
    session: &mut Session,
    motion: Motion,
    height: usize,
) {
    if !has_one_request(session) {
        replay.go_beyond(session, Some(motion.target_row(session.turn, usize::MAX, height)));
        let turn = motion.target_row(session.turn, session.run.turns.len(), height);
        return replay.select_turn(session, turn);
    }
    let acts = agent_actions(session);
    let here = selected_action(replay, &acts);
    let wanted = match motion {
        Motion::To(number) => acts.partition_point(|(at, _)| *at < number),
        motion => motion.target_row(here, acts.len(), height),
    };
    select_action(replay, &acts, wanted);
}

/// Selects the action at a row of the panel, which counts from the first visible row.
pub(super) fn select_action_at_row(
    replay: &mut ReplayView,
    session: &Session,
    row: usize,
    height: usize,
) {
    let acts = agent_actions(session);
    let top = centred_top(selected_action(replay, &acts), acts.len(), height);
    if top + row < acts.len() {
        select_action(replay, &acts, top + row);
    }
}

fn select_action(replay: &mut ReplayView, acts: &[(usize, StepId)], at: usize) {
    if let Some((_, step)) = acts.get(at.min(acts.len().saturating_sub(1))) {
        replay.select_step_id(*step);
    }
}

/// A place that `x` stops at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureStop {
    /// The index of a loss.
    Loss(usize),
    Step(StepId),
}

/// Goes to another step that failed, to the lines that lost a component, or to the turn that lost a test. The losses of a turn come before its steps; until
/// the components are followed none of them is lost.
pub(super) fn go_to_failure(
    replay: &mut ReplayView,
    session: &mut Session,
    message: &FailureMotion,
) {
    let stops = failure_stops(session);
    let here = (session.turn, replay.step_number());
    // Who moved on from the place of a loss is not there any more.
    let last = session.rubric.lifelines.last_loss.as_ref();
    let is_there = last.is_some_and(|last| last.step == Some(here.1));
    let at_loss = if is_there { session.current_loss() } else { None };
    let at_loss =
        at_loss.and_then(|at| stops.iter().position(|(_, stop)| *stop == FailureStop::Loss(at)));
    let first = stops.partition_point(|(place, _)| *place < here);
    let is_step = |stop: &FailureStop| matches!(stop, FailureStop::Step(_));
    let is_at = stops.get(first).is_some_and(|(place, stop)| *place == here && is_step(stop));
    let before = at_loss.unwrap_or(first);
    let after = at_loss.map_or(first + usize::from(is_at), |at| at + 1);
    let wanted = match *message {
        FailureMotion::Next(count) => Some(after + count - 1),
        FailureMotion::Previous(count) => before.checked_sub(count),
    };
    match wanted.and_then(|at| stops.get(at)) {
        Some((_, FailureStop::Step(step))) => {
            session.rubric.lifelines.last_loss = None;
            show_step(replay, session, *step);
        }
        Some((_, FailureStop::Loss(loss))) => session.go_to_loss(*loss),
        None => session.notice = Some(no_stop_text(session, message, stops.is_empty())),
    }
}

/// Returns why there is nothing to go to; a loss may still turn up while the components are followed.
fn no_stop_text(session: &Session, message: &FailureMotion, is_without_stops: bool) -> String {
    let place = match message {
        FailureMotion::Next(_) => "after this",
        FailureMotion::Previous(_) => "before this",
    };
    let is_following =
        session.rubric.has_content() && session.rubric.lifelines.known_lifelines().is_none();
    match (is_following, is_without_stops) {
        (true, _) => format!("no failed step {place}; components are still being followed"),
        (false, true) => "no failure or loss in this run".into(),
        (false, false) => format!("no failure or loss {place}"),
    }
}

/// Returns the stops with their turns and step numbers, in order; a loss has the number 0.
fn failure_stops(session: &Session) -> Vec<((usize, usize), FailureStop)> {
    let losses = session.run_losses().into_iter().enumerate();
    let losses = losses.map(|(at, it)| ((it.turn().saturating_sub(1), 0), FailureStop::Loss(at)));
    let steps = failures::failed_steps(&session.run).into_iter();
    let steps = steps.map(|(step, number)| ((step.turn, number), FailureStop::Step(step)));
    let mut stops: Vec<_> = losses.chain(steps).collect();
    stops.sort_by_key(|(place, _)| *place);
    stops
}

/// Goes to the next step that compacted the context; after the last to the first.
pub(super) fn go_to_compaction(replay: &mut ReplayView, session: &mut Session) {
    let mut all = session.run.numbered_steps();
    let is_one = |id| session.run.step(id).is_some_and(|it| it.kind == StepKind::Compaction);
    all.retain(|(id, _)| is_one(*id));
    let here = (session.turn, replay.step_number());
    let next = all.iter().position(|(id, number)| (id.turn, *number) > here).unwrap_or_default();
    let Some((step, _)) = all.get(next) else {
        session.notice = Some("no compactions in this run".into());
        return;
    };
    show_step(replay, session, *step);
    session.notice = Some(format!("compaction {} of {}", next + 1, all.len()));
}

/// Selects a step of any turn, with its words.
pub(super) fn show_step(replay: &mut ReplayView, session: &mut Session, step: StepId) {
    replay.select_turn(session, step.turn);
    replay.select_step_id(step);
    replay.focus = ReplayPanel::Steps;
}
