use ratatui::layout::Rect;

use crate::widgets::key::Key;

use super::*;

fn wide_areas() -> LiveAreas {
    LiveAreas::new(Rect::new(0, 0, 120, 39), 3)
}

fn planned_live() -> LiveView {
    let asked = |turn| ScriptedRequest {
        turn,
        text: format!("request {turn}"),
        ..ScriptedRequest::default()
    };
    let mut live = LiveView::new(Size { width: 40, height: 10 });
    let plan = LivePlan {
        requests: (1..=3).map(asked).collect(),
        has_screen: true,
        ..LivePlan::default()
    };
    tell_event(&mut live, LiveEvent::Opened(Box::new(plan)));
    live.is_interactive = true;
    live
}

fn tell_event(live: &mut LiveView, event: LiveEvent) -> Vec<Effect> {
    live.update(LiveMessage::LiveEvent(event))
}

fn send_message(live: &mut LiveView, message: LiveMessage) -> Vec<Effect> {
    live.update(message)
}

fn began_event(turn: usize) -> LiveEvent {
    LiveEvent::TurnBegan { turn, request: String::new(), attempt: 1, layers: vec![] }
}

fn ended_event(turn: usize) -> LiveEvent {
    LiveEvent::TurnEnded(Box::new(EndedTurn { turn, seconds: 2.0, ..EndedTurn::default() }))
}

fn turn_states(live: &LiveView) -> Vec<&LiveTurnState> {
    live.turns.iter().map(|turn| &turn.state).collect()
}

#[test]
fn turns_go_from_waiting_to_their_end() {
    let mut live = planned_live();
    tell_event(&mut live, began_event(1));
    assert_eq!(
        turn_states(&live),
        [&LiveTurnState::UnderWay, &LiveTurnState::Waits, &LiveTurnState::Waits]
    );
    tell_event(&mut live, ended_event(1));
    tell_event(&mut live, began_event(2));
    assert_eq!(
        (live.finished_count(), live.turn_under_way(), live.next_request(), live.rows.cursor()),
        (1, Some(1), Some(2), 1)
    );
    send_message(&mut live, LiveMessage::Over { words: "stopped".into(), is_whole: false });
    assert_eq!(turn_states(&live)[1], &LiveTurnState::Waits, "it was not recorded");
}

#[test]
fn an_interrupted_run_begins_with_what_it_has_done() {
    let mut live = planned_live();
    let plan = LivePlan { done: 2, ..live.plan.clone() };
    tell_event(&mut live, LiveEvent::Opened(Box::new(plan)));
    assert_eq!((live.finished_count(), live.next_request(), live.rows.cursor()), (2, Some(2), 2));
}

#[test]
fn the_agent_has_every_key_while_the_keyboard_is_in_its_terminal() {
    let mut live = planned_live();
    tell_event(&mut live, LiveEvent::Terminal(b"\x1b[?1004h".to_vec()));

    assert_eq!(live.keyboard_context(), KeyContext::Live);
    assert_eq!(
        send_message(&mut live, LiveMessage::Enter),
        [Effect::Live(LiveCommand::Keys(b"\x1b[I".to_vec()))]
    );
    assert_eq!(live.keyboard_context(), KeyContext::Agent);
    assert_eq!(
        live.press_agent_key(Key::from_char('q')),
        [Effect::Live(LiveCommand::Keys(b"q".to_vec()))]
    );
    assert_eq!(live.paste_text("a\nb"), [Effect::Live(LiveCommand::Keys(b"a\rb".to_vec()))]);
    assert_eq!(
        send_message(&mut live, LiveMessage::Leave),
        [Effect::Live(LiveCommand::Keys(b"\x1b[O".to_vec()))]
    );
    assert_eq!(live.keyboard_context(), KeyContext::Live);
}

#[test]
fn an_agent_without_a_terminal_hears_no_keys() {
    let mut live = planned_live();
    live.is_interactive = false;
    assert_eq!(send_message(&mut live, LiveMessage::Enter), []);
    assert_eq!((live.focus, live.notice.as_deref()), (LiveFocus::Requests, Some(NO_KEYS)));
}

#[test]
fn questions_of_the_agent_are_answered_wherever_the_keyboard_is() {
    let mut live = planned_live();
    let answer = tell_event(&mut live, LiveEvent::Terminal(b"ab\x1b[6n".to_vec()));
    assert_eq!(answer, [Effect::Live(LiveCommand::Keys(b"\x1b[1;3R".to_vec()))]);
}

#[test]
fn a_run_is_paused_and_goes_on() {
    let mut live = planned_live();
    tell_event(&mut live, began_event(1));
    assert_eq!(
        send_message(&mut live, LiveMessage::PauseOrGoOn),
        [Effect::Live(LiveCommand::Pause)]
    );
    assert_eq!(send_message(&mut live, LiveMessage::Retry), [], "not while a turn is under way");
    tell_event(&mut live, ended_event(1));
    tell_event(
        &mut live,
        LiveEvent::Waits { turn: 2, request: String::new(), why: WaitReason::Paused },
    );
    assert_eq!(send_message(&mut live, LiveMessage::Retry), [Effect::Live(LiveCommand::Retry)]);
    assert_eq!(
        send_message(&mut live, LiveMessage::PauseOrGoOn),
        [Effect::Live(LiveCommand::GoOn)]
    );
    tell_event(&mut live, began_event(2));
    assert_eq!(live.phase, LivePhase::Running);
}

#[test]
fn the_next_request_is_given_other_words() {
    let mut live = planned_live();
    tell_event(&mut live, began_event(1));
    send_message(&mut live, LiveMessage::Edit);
    assert_eq!(live.keyboard_context(), KeyContext::LivePrompt);
    send_message(&mut live, LiveMessage::EraseAll);
    send_message(&mut live, LiveMessage::Type("do it".into()));

    assert_eq!(
        send_message(&mut live, LiveMessage::Accept),
        [Effect::Live(LiveCommand::Edit("do it".into()))]
    );
    assert_eq!((live.turns[1].request.text.as_str(), live.turns[1].is_edited), ("do it", true));
    send_message(&mut live, LiveMessage::Edit);
    send_message(&mut live, LiveMessage::EraseAll);
    assert_eq!(send_message(&mut live, LiveMessage::Accept), [], "a request without words");
}

#[test]
fn nothing_is_asked_of_a_run_that_is_over() {
    let mut live = planned_live();
    send_message(
        &mut live,
        LiveMessage::Over { words: "every request was sent".into(), is_whole: true },
    );
    for message in
        [LiveMessage::PauseOrGoOn, LiveMessage::Skip, LiveMessage::Retry, LiveMessage::AskToStop]
    {
        assert_eq!(send_message(&mut live, message.clone()), [], "{message:?}");
    }
    assert_eq!(send_message(&mut live, LiveMessage::Confirm), []);
}

#[test]
fn the_terminal_has_the_size_of_its_panel() {
    let mut live = planned_live();
    let areas = wide_areas();
    let size =
        Size { width: areas.terminal_inside().width, height: areas.terminal_inside().height };
    assert_eq!(
        live.resize_terminal(&areas),
        [Effect::Live(LiveCommand::Resize(size.width, size.height))]
    );
    assert_eq!(live.resize_terminal(&areas), []);
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut live = planned_live();
    for at in 0..999 {
        tell_event(&mut live, LiveEvent::Warned(format!("warning {at}")));
    }
    assert_eq!(live.warnings.len(), MAX_WARNINGS);
    assert_eq!(live.warnings.last().map(String::as_str), Some("warning 998"));
}

#[test]
fn a_skipped_request_has_no_turn_and_those_after_it_come_earlier() {
    let mut live = planned_live();
    tell_event(&mut live, began_event(1));
    tell_event(&mut live, ended_event(1));
    tell_event(&mut live, LiveEvent::Skipped { request: String::new() });
    tell_event(&mut live, began_event(2));

    let turns: Vec<usize> = live.turns.iter().map(|turn| turn.request.turn).collect();
    assert_eq!((turns, live.turn_under_way()), (vec![1, 0, 2], Some(2)));
    assert_eq!(live.turns[1].state, LiveTurnState::Skipped);
}
