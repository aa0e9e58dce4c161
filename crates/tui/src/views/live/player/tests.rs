use proptest::prelude::*;
use trajview_run::{
    RunOrigin, SourceRecord,
    terminal_recording::{PieceStart, TerminalAlignment, TerminalEvent},
};

use super::*;

/// Answers the questions of a player from pieces that are there.
struct Answers {
    player: TerminalPlayer,
    recording: Arc<TerminalRecording>,
    pieces: Vec<Arc<TerminalPiece>>,
    numbers: RequestIds,
    run: Arc<Run>,
}

fn output(seconds: f64, text: &str) -> TerminalEvent {
    TerminalEvent { seconds, change: TerminalChange::Output(text.into()) }
}

impl Answers {
    /// Opens a recording of these pieces with an event each second.
    fn of_pieces(pieces: Vec<Vec<TerminalEvent>>) -> Self {
        let mut starts = vec![];
        let mut seconds = 0.0;
        for (piece, start) in pieces.iter().zip(0..) {
            starts.push(PieceStart { start, seconds });
            seconds = piece.last().map_or(seconds, |event| event.seconds);
        }
        let step = |step| StepId { turn: 0, subagent: None, step };
        let recording = TerminalRecording {
            size: Some((20, 4)),
            seconds,
            pieces: starts,
            alignment: TerminalAlignment::Times,
            step_ends: vec![(step(0), 1.0), (step(1), 3.0)],
            turn_ends: vec![Some(3.0)],
            ..TerminalRecording::default()
        };
        let sources = vec![SourceRecord { name: "agent.cast".into(), format: "" }];
        let run = Run { origin: RunOrigin { sources, ..RunOrigin::default() }, ..Run::default() };
        let mut opened = Self {
            player: TerminalPlayer::for_run(&run).unwrap(),
            recording: Arc::new(recording),
            pieces: pieces.into_iter().map(|events| Arc::new(TerminalPiece { events })).collect(),
            numbers: RequestIds::default(),
            run: Arc::new(run),
        };
        opened.answer_all();
        opened
    }

    fn answer_all(&mut self) {
        while let Some(Effect::Ask(request, question)) =
            self.player.ask_missing(&mut self.numbers, &self.run)
        {
            let answer = match *question {
                Question::TerminalRecording { .. } => {
                    Answer::TerminalRecording(Ok(self.recording.clone()))
                }
                Question::TerminalPiece { piece, .. } => {
                    Answer::TerminalPiece(Ok(self.pieces[piece.start as usize].clone()))
                }
                other => panic!("{other:?}"),
            };
            self.player.take_answer(request, answer);
        }
        if self.player.has_more_work() {
            self.player.feed_screen();
            self.answer_all();
        }
    }

    fn seek(&mut self, seconds: f64) {
        self.player.seek(seconds);
        self.answer_all();
    }

    /// Returns all that can be seen of the screen.
    fn seen(&self) -> (String, Vec<String>, String) {
        let screen = &self.player.screen;
        let size = screen.size();
        let cells = (0..size.height).flat_map(|y| (0..size.width).map(move |x| (x, y)));
        let cells = cells.map(|(x, y)| format!("{:?}", screen.cell_at(x, y))).collect();
        let rest = format!("{:?} {:?} {size}", screen.cursor_on_screen(), screen.title());
        (screen.full_text(), cells, rest)
    }
}

fn three_pieces() -> Answers {
    let line = |at: usize| output(at as f64, &format!("{at}\r\n"));
    Answers::of_pieces(vec![
        (1..4).map(line).collect(),
        (4..7).map(line).collect(),
        (7..10).map(line).collect(),
    ])
}

#[test]
fn the_screen_is_that_of_the_time_whatever_the_direction() {
    let mut opened = three_pieces();

    let mut text_at = |seconds| {
        opened.seek(seconds);
        opened.player.screen.full_text().replace('\n', " ")
    };

    assert_eq!(text_at(2.5), "1 2");
    assert_eq!(text_at(9.0), "1 2 3 4 5 6 7 8 9");
    assert_eq!(text_at(4.0), "1 2 3 4");
    assert_eq!(text_at(-3.0), "");
    assert_eq!(text_at(99.0), "1 2 3 4 5 6 7 8 9");
}

#[test]
fn steps_are_gone_through_by_their_ends_and_by_seconds_where_they_are_not_aligned() {
    let mut opened = three_pieces();
    let mut time_after = |by| {
        opened.player.move_by_steps(by);
        opened.player.seconds()
    };

    assert_eq!([1, 1, 1, -1, -2].map(&mut time_after), [1.0, 3.0, 9.0, 3.0, 0.0]);
    opened.recording = Arc::new(TerminalRecording {
        alignment: TerminalAlignment::Unknown,
        step_ends: vec![],
        turn_ends: vec![None],
        ..(*opened.recording).clone()
    });
    opened.player.read_again(&opened.run);
    opened.answer_all();
    let mut time_after = |by| {
        opened.player.move_by_steps(by);
        opened.player.seconds()
    };
    assert_eq!([1, 1, -1].map(&mut time_after), [5.0, 9.0, 4.0]);
    assert_eq!(opened.player.current_place(), None);
}

#[test]
fn the_time_follows_the_selection_and_stays_where_nothing_was_measured() {
    let mut opened = three_pieces();
    let step = StepId { turn: 0, subagent: None, step: 0 };

    opened.player.follow_selection((0, Some(step)));
    assert_eq!(opened.player.seconds(), 1.0);
    opened.player.play_on(0.5);
    opened.player.follow_selection((0, Some(step)));
    assert_eq!(opened.player.seconds(), 1.5, "the same selection");
    opened.player.follow_selection((7, None));
    assert_eq!(opened.player.seconds(), 1.5, "an unknown time");
}

#[test]
fn a_pause_longer_than_the_recording_allows_is_cut() {
    let mut opened = Answers::of_pieces(vec![vec![output(1.0, "a"), output(60.0, "b")]]);
    let recording = TerminalRecording { idle_limit: Some(2.0), ..(*opened.recording).clone() };
    opened.recording = Arc::new(recording);
    opened.player.read_again(&opened.run);
    opened.answer_all();
    opened.seek(1.0);

    opened.player.play_on(1.0);
    assert_eq!(opened.player.seconds(), 2.0);
    opened.player.play_on(1.0);
    assert_eq!(opened.player.seconds(), 60.0);
}

#[test]
fn a_small_panel_shows_the_rows_up_to_the_cursor_and_columns_that_can_be_moved() {
    let mut opened = three_pieces();
    opened.seek(9.0);
    let part = |player: &TerminalPlayer| player.visible_part(Rect::new(5, 5, 10, 2));

    assert_eq!(part(&opened.player), Rect::new(0, 2, 10, 2));
    opened.player.move_sideways(1, 10);
    assert_eq!(part(&opened.player).x, 8);
    opened.player.move_sideways(1, 10);
    assert_eq!(part(&opened.player).x, 10, "the last columns");
    let whole = opened.player.visible_part(Rect::new(0, 0, 99, 99));
    assert_eq!(whole, Rect::new(0, 0, 20, 4));
}

#[test]
fn copies_of_the_screen_stay_within_their_budget() {
    let text = "x".repeat(CHECKPOINT_SPACING);
    let mut opened =
        Answers::of_pieces((1..60).map(|at| vec![output(f64::from(at), &text)]).collect());
    opened.seek(99.0);

    let bytes = opened.player.checkpoints.iter().map(|it| it.screen.size_in_bytes()).sum::<usize>();
    assert!(opened.player.checkpoints.len() >= 2 && bytes <= MOST_CHECKPOINT_BYTES, "{bytes}");
}

/// Counts the messages until a recording is fed to its end.
fn messages_until_fed(opened: &mut Answers) -> usize {
    opened.player.seek(99.0);
    let mut messages = 1;
    while opened.player.has_more_work() {
        assert!(opened.player.is_behind());
        opened.player.feed_screen();
        messages += 1;
    }
    assert!(!opened.player.is_behind());
    messages
}

#[test]
fn the_work_of_one_message_is_bounded_whatever_was_recorded() {
    let repeated = "x\u{1b}[65535b".repeat(100);
    let mut opened = Answers::of_pieces(vec![vec![output(1.0, &repeated)]]);
    let messages = messages_until_fed(&mut opened);
    assert!((3..6).contains(&messages), "{messages} messages for 6.5 million characters");

    let resize = |at: u16| TerminalEvent {
        seconds: 1.0,
        change: TerminalChange::Resize(10 + at % 900, 3 + at % 90),
    };
    let resizes = (0..5_000).map(resize).chain([output(1.0, "end")]).collect();
    let mut opened = Answers::of_pieces(vec![resizes]);
    assert_eq!(messages_until_fed(&mut opened), 1, "only the last size at a time is used");
    assert_eq!(
        opened.player.screen.size(),
        Size { width: 10 + 4_999 % 900, height: 3 + 4_999 % 90 }
    );
    assert_eq!(opened.player.screen.full_text(), "end");
}

#[test]
fn a_frame_without_an_end_does_not_stop_the_player() {
    let frame = output(1.0, "\u{1b}[?2026hone");
    let mut opened = Answers::of_pieces(vec![vec![frame, output(2.0, " two")]]);
    opened.seek(2.0);
    assert_eq!(opened.player.screen.full_text(), "one two");
}

#[test]
fn a_recording_that_grows_goes_on_where_it_was() {
    let mut opened = three_pieces();
    opened.seek(9.0);
    let mut longer = (*opened.pieces[2]).clone();
    longer.events.push(output(10.0, "10\r\n"));
    opened.pieces[2] = Arc::new(longer);
    let recording = TerminalRecording { seconds: 10.0, ..(*opened.recording).clone() };
    opened.recording = Arc::new(recording);
    let source = |name: &str| SourceRecord { name: name.into(), format: "" };
    let sources = vec![source("log.jsonl"), source("agent.cast")];
    let run = Run { origin: RunOrigin { sources, ..RunOrigin::default() }, ..Run::default() };

    opened.player.screen.scroll_history(crate::widgets::scroll::Motion::Start);
    opened.player.read_again(&run);
    assert_eq!(opened.player.seconds(), 9.0);
    let effect = opened.player.ask_missing(&mut opened.numbers, &opened.run);
    let Some(Effect::Ask(request, question)) = effect else { panic!("nothing is asked") };
    let is_of_new_place =
        matches!(*question, Question::TerminalRecording { source: SourceId(1), .. });
    assert!(is_of_new_place, "{question:?}");
    let answer = || Answer::TerminalRecording(Ok(opened.recording.clone()));
    opened.player.take_answer(request, answer());
    assert!(opened.player.screen.lines_back() > 0, "the screen stays");
    opened.player.take_answer(request, answer());
    assert!(opened.player.screen.lines_back() > 0, "a second answer changes nothing");
    opened.seek(10.0);
    assert!(opened.player.screen.full_text().ends_with("9\n10"));
}

fn any_output() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z漢é ]{0,30}",
        Just("\r\n".to_owned()),
        Just("\u{1b}[?1049h".into()),
        Just("\u{1b}[?1049l".into()),
        Just("\u{1b}[2;3r".into()),
        Just("\u{1b}[r".into()),
        Just("\u{1b}[".into()),
        Just("31m".into()),
        Just("\u{1b}]0;title".into()),
        Just("\u{7}".into()),
        Just("\u{1b}[3b".into()),
        Just("\u{1b}[?6h\u{1b}[4h".into()),
        Just("\u{1b}[?25l\u{1b}[?7l".into()),
        Just("\u{1b}[22;0t\u{1b}]0;other\u{7}".into()),
        Just("\u{1b}[23;0t".into()),
        Just("\u{1b}H\u{1b}[3g\t".into()),
        Just("\u{e}\u{1b})0q".into()),
        Just("\u{1b}[?2026h".into()),
        Just("\u{1b}[?2026l".into()),
        Just("\u{1b}c".into()),
        (0..9_u8, 0..25_u8).prop_map(|(row, column)| format!("\u{1b}[{row};{column}H\u{1b}[44mx")),
        Just("\u{1b}7\u{1b}[5;5H".into()),
        Just("\u{1b}8".into()),
        Just("\u{1b}[?1049h\u{1b}[2;4H\u{1b}7\u{1b}[?1049l".into()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn whatever_the_output_going_back_and_forth_equals_playing_from_the_start(
        texts in prop::collection::vec((any_output(), any::<bool>()), 1..60),
        times in prop::collection::vec(0.0..60.0_f64, 1..12),
    ) {
        let event = |(at, (text, is_resize)): (usize, &(String, bool))| match *is_resize && at % 7 == 0 {
            true => TerminalEvent {
                seconds: at as f64,
                change: TerminalChange::Resize(10 + (at % 20) as u16, 3 + (at % 4) as u16),
            },
            false => output(at as f64, text),
        };
        let events: Vec<_> = texts.iter().enumerate().map(event).collect();
        let pieces: Vec<_> = events.chunks(11).map(<[_]>::to_vec).collect();
        let mut moved = Answers::of_pieces(pieces.clone());
        moved.player.spacing = 1;
        for seconds in times {
            moved.seek(seconds);
            let mut played = Answers::of_pieces(pieces.clone());
            played.player.spacing = usize::MAX;
            played.seek(seconds);
            prop_assert_eq!(moved.seen(), played.seen());
        }
    }
}
