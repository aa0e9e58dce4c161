//! A run of one request: what its agent did stands in the place of the turns, and the way leads from edit to edit. And in
//! every run, from failure to failure.

use crate::{
    session::{Session, turns},
    views::replay::{Replay, looking::Edits},
    widgets::{
        layout::Panel,
        scroll::{Motion, centred},
    },
};
use trajview_run::{StepId, StepKind, failures};

/// Moves over the steps that failed, through all turns.
#[derive(Debug, Clone, PartialEq)]
pub enum Failures {
    Next(usize),
    Previous(usize),
}

/// Whether a run has one request, so that turns lead nowhere.
pub fn has_one_request(session: &Session) -> bool {
    session.run.turns.len() == 1
}

/// What the agent did in a run of one request: the steps that call a tool or start an agent, each with its number.
pub fn acts(session: &Session) -> Vec<(usize, StepId)> {
    let acts = |(_, id): &(usize, StepId)| {
        session.run.step(*id).is_some_and(|step| {
            matches!(step.kind, StepKind::Tool | StepKind::SubAgent) || !step.edits.is_empty()
        })
    };
    (1..).zip(session.run.steps_of_turn(0)).filter(acts).collect()
}

/// The act that is selected, or the last before the selected step.
pub fn act_here(replay: &Replay, acts: &[(usize, StepId)]) -> usize {
    let number = replay.step_number();
    acts.partition_point(|(at, _)| *at <= number).saturating_sub(1)
}

/// To another turn; in a run of one request to another edit.
pub(super) fn go_to_turn(replay: &mut Replay, session: &mut Session, message: &turns::Message) {
    let edit = match message {
        turns::Message::Next(count) => Some(Edits::Next(*count)),
        turns::Message::Previous(count) => Some(Edits::Previous(*count)),
        _ => None,
    };
    match edit.filter(|_| has_one_request(session)) {
        // A turn that is written meanwhile comes after the last edit.
        Some(edit) => replay.go_to_edit(session, &edit),
        None => {
            replay.go_beyond(session, message.wanted(session.turn));
            replay.select_turn(session, message.from(&session.run, session.turn));
        }
    }
}

/// Moves over the turns, or over what the agent did; `To` names a step by its number there.
pub(super) fn go_over_turns(
    replay: &mut Replay,
    session: &mut Session,
    motion: Motion,
    height: usize,
) {
    if !has_one_request(session) {
        replay.go_beyond(session, Some(motion.from(session.turn, usize::MAX, height)));
        let turn = motion.from(session.turn, session.run.turns.len(), height);
        return replay.select_turn(session, turn);
    }
    let acts = acts(session);
    let here = act_here(replay, &acts);
    let wanted = match motion {
        Motion::To(number) => acts.partition_point(|(at, _)| *at < number),
        motion => motion.from(here, acts.len(), height),
    };
    select_act(replay, &acts, wanted);
}

/// The act in a row of the panel, which counts from the first that is seen.
pub(super) fn point_at_act(replay: &mut Replay, session: &Session, row: usize, height: usize) {
    let acts = acts(session);
    let top = centred(act_here(replay, &acts), acts.len(), height);
    if top + row < acts.len() {
        select_act(replay, &acts, top + row);
    }
}

fn select_act(replay: &mut Replay, acts: &[(usize, StepId)], at: usize) {
    if let Some((_, step)) = acts.get(at.min(acts.len().saturating_sub(1))) {
        replay.select_step_id(*step);
    }
}

/// To another step that failed.
pub(super) fn go_to_failure(replay: &mut Replay, session: &mut Session, message: &Failures) {
    let failed = failures::steps_that_failed(&session.run);
    let here = (session.turn, replay.step_number());
    let place = |(id, number): &(StepId, usize)| (id.turn, *number);
    let first = failed.partition_point(|it| place(it) < here);
    let is_at = failed.get(first).is_some_and(|it| place(it) == here);
    let wanted = match *message {
        Failures::Next(count) => Some(first + usize::from(is_at) + count - 1),
        Failures::Previous(count) => first.checked_sub(count),
    };
    match wanted.and_then(|at| failed.get(at)).copied() {
        Some((step, _)) => show_step(replay, session, step),
        None if failed.is_empty() => session.notice = Some("nothing failed in this run".into()),
        None => {
            session.notice = Some(match message {
                Failures::Next(_) => "nothing failed after this".into(),
                Failures::Previous(_) => "nothing failed before this".into(),
            });
        }
    }
}

/// To the next step at which the context was compacted; after the last to the first again.
pub(super) fn go_to_compaction(replay: &mut Replay, session: &mut Session) {
    let mut all = session.run.numbered_steps();
    let is_one = |id| session.run.step(id).is_some_and(|it| it.kind == StepKind::Compaction);
    all.retain(|(id, _)| is_one(*id));
    let here = (session.turn, replay.step_number());
    let next = all.iter().position(|(id, number)| (id.turn, *number) > here).unwrap_or_default();
    let Some((step, _)) = all.get(next) else {
        session.notice = Some("no context was compacted in this run".into());
        return;
    };
    show_step(replay, session, *step);
    session.notice = Some(format!("compaction {} of {}", next + 1, all.len()));
}

/// Selects a step of any turn, with its words.
pub(super) fn show_step(replay: &mut Replay, session: &mut Session, step: StepId) {
    replay.select_turn(session, step.turn);
    replay.select_step_id(step);
    replay.focus = Panel::Steps;
}
