use ratatui::layout::Rect;

use crate::widgets::key::Key;

use super::*;

fn areas() -> Areas {
    Areas::of(Rect::new(0, 0, 120, 39), 3)
}

fn live() -> Live {
    let asked =
        |turn| Asked { turn, text: format!("request {turn}"), checkpoint: None, is_typed: false };
    let mut live = Live::new(Size { width: 40, height: 10 });
    let plan =
        Plan { requests: (1..=3).map(asked).collect(), is_interactive: true, ..Plan::default() };
    tell(&mut live, LiveEvent::Planned(plan));
    live
}

fn tell(live: &mut Live, told: LiveEvent) -> Vec<Command> {
    live.update(Message::LiveEvent(told), &areas())
}

fn send(live: &mut Live, message: Message) -> Vec<Command> {
    live.update(message, &areas())
}

fn began(turn: usize) -> LiveEvent {
    LiveEvent::Began { turn, attempt: 1, layers: vec![] }
}

fn ended(turn: usize) -> LiveEvent {
    LiveEvent::Ended { turn, how: How::Done, seconds: 2.0 }
}

fn states(live: &Live) -> Vec<&State> {
    live.turns.iter().map(|turn| &turn.state).collect()
}

#[test]
fn turns_go_from_waiting_to_their_end() {
    let mut live = live();
    tell(&mut live, began(1));
    assert_eq!(states(&live), [&State::UnderWay, &State::Waits, &State::Waits]);
    tell(&mut live, ended(1));
    tell(&mut live, began(2));
    assert_eq!(
        (live.done(), live.under_way(), live.next(), live.rows.cursor),
        (1, Some(1), Some(2), 1)
    );
    tell(&mut live, LiveEvent::Over { words: "stopped".into(), is_whole: false });
    assert_eq!(states(&live)[1], &State::Waits, "it was not recorded");
}

#[test]
fn an_interrupted_run_begins_with_what_it_has_done() {
    let mut live = live();
    let plan = Plan { done: 2, ..live.plan.clone() };
    tell(&mut live, LiveEvent::Planned(plan));
    assert_eq!((live.done(), live.next(), live.rows.cursor), (2, Some(2), 2));
}

#[test]
fn the_agent_has_every_key_while_the_keyboard_is_in_its_terminal() {
    let mut live = live();
    tell(&mut live, LiveEvent::Wrote(b"\x1b[?1004h".to_vec()));

    assert_eq!(live.context(), Context::Live);
    assert_eq!(send(&mut live, Message::Enter), [Command::Type(b"\x1b[I".to_vec())]);
    assert_eq!(live.context(), Context::Agent);
    assert_eq!(live.press(Key::char('q')), [Command::Type(b"q".to_vec())]);
    assert_eq!(live.paste("a\nb"), [Command::Type(b"a\rb".to_vec())]);
    assert_eq!(send(&mut live, Message::Leave), [Command::Type(b"\x1b[O".to_vec())]);
    assert_eq!(live.context(), Context::Live);
}

#[test]
fn an_agent_without_a_terminal_hears_no_keys() {
    let mut live = live();
    live.plan.is_interactive = false;
    assert_eq!(send(&mut live, Message::Enter), []);
    assert_eq!((live.focus, live.notice.as_deref()), (Focus::Requests, Some(NO_KEYS)));
}

#[test]
fn questions_of_the_agent_are_answered_wherever_the_keyboard_is() {
    let mut live = live();
    let answer = tell(&mut live, LiveEvent::Wrote(b"ab\x1b[6n".to_vec()));
    assert_eq!(answer, [Command::Type(b"\x1b[1;3R".to_vec())]);
}

#[test]
fn a_run_is_paused_and_goes_on() {
    let mut live = live();
    tell(&mut live, began(1));
    assert_eq!(send(&mut live, Message::PauseOrGoOn), [Command::Pause]);
    assert_eq!(send(&mut live, Message::Retry), [], "not while a turn is under way");
    tell(&mut live, ended(1));
    tell(&mut live, LiveEvent::Waits(Pause::Asked));
    assert_eq!(send(&mut live, Message::Retry), [Command::Retry]);
    assert_eq!(send(&mut live, Message::PauseOrGoOn), [Command::GoOn]);
    tell(&mut live, LiveEvent::Resumed);
    assert_eq!(live.phase, Phase::Running);
}

#[test]
fn the_next_request_is_given_other_words() {
    let mut live = live();
    tell(&mut live, began(1));
    send(&mut live, Message::Edit);
    assert_eq!(live.context(), Context::LivePrompt);
    send(&mut live, Message::EraseAll);
    send(&mut live, Message::Type("do it".into()));

    assert_eq!(send(&mut live, Message::Accept), [Command::Edit("do it".into())]);
    assert_eq!((live.turns[1].asked.text.as_str(), live.turns[1].is_edited), ("do it", true));
    send(&mut live, Message::Edit);
    send(&mut live, Message::EraseAll);
    assert_eq!(send(&mut live, Message::Accept), [], "a request without words");
}

#[test]
fn nothing_is_asked_of_a_run_that_is_over() {
    let mut live = live();
    tell(&mut live, LiveEvent::Over { words: "every request was sent".into(), is_whole: true });
    for message in [Message::PauseOrGoOn, Message::Skip, Message::Retry, Message::Stop] {
        assert_eq!(send(&mut live, message.clone()), [], "{message:?}");
    }
    assert_eq!(send(&mut live, Message::Stop), []);
}

#[test]
fn the_terminal_has_the_size_of_its_panel() {
    let mut live = live();
    let areas = areas();
    let size = Size { width: areas.inside().width, height: areas.inside().height };
    assert_eq!(live.settle(&areas), [Command::Resize(size)]);
    assert_eq!(live.settle(&areas), []);
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut live = live();
    for at in 0..999 {
        tell(&mut live, LiveEvent::Warned(format!("warning {at}")));
    }
    assert_eq!(live.warnings.len(), MOST_WARNINGS);
    assert_eq!(live.warnings.last().map(String::as_str), Some("warning 998"));
}

#[test]
fn a_skipped_request_has_no_turn_and_those_after_it_come_earlier() {
    let mut live = live();
    tell(&mut live, began(1));
    tell(&mut live, ended(1));
    tell(&mut live, LiveEvent::Skipped);
    tell(&mut live, began(2));

    let turns: Vec<usize> = live.turns.iter().map(|turn| turn.asked.turn).collect();
    assert_eq!((turns, live.under_way()), (vec![1, 0, 2], Some(2)));
    assert_eq!(live.turns[1].state, State::Skipped);
}
