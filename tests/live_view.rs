//! The live view: what the one who runs the agent tells, and the frames that come of it. No program is started here.

use ratatui::{layout::Size, style::Color};
use trajview::{
    app::{
        App, Effect, Message,
        key::parse,
        live::{
            self,
            told::{Asked, Changed, Command, How, Layer, Pause, Plan, Spent, Told},
        },
    },
    ui::{export, picture, theme::Theme},
};

fn app(width: u16, height: u16) -> App {
    let mut app = App::default();
    app.update(Message::Resized(Size { width, height }));
    app.update(Message::BeginLive);
    tell(&mut app, Told::Planned(plan()));
    app
}

fn plan() -> Plan {
    let texts = [
        ("Create the package with add and sub.", None),
        ("Write tests for both, and run them.", Some("c1")),
        ("Add a parser for expressions such as 1 + 2 * 3.", None),
        ("Make the parser report where it failed.", Some("c2")),
        ("Write a README.", None),
    ];
    let asked = |(at, (text, checkpoint)): (usize, &(&str, Option<&str>))| Asked {
        turn: at + 1,
        text: (*text).into(),
        checkpoint: checkpoint.map(Into::into),
        is_typed: false,
    };
    Plan {
        agent: "codex 0.169.0".into(),
        condition: "emergent".into(),
        out: "runs/tiny".into(),
        requests: texts.iter().enumerate().map(asked).collect(),
        done: 0,
        is_interactive: true,
        limits: vec!["2M tokens".into()],
    }
}

fn tell(app: &mut App, told: Told) -> Vec<Effect> {
    app.update(Message::Live(live::Message::Told(told)))
}

fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    let keys = parse(keys).unwrap();
    keys.into_iter().flat_map(|key| app.update(Message::Press(key))).collect()
}

fn frame(app: &App) -> String {
    export::text(&picture(app, Theme::ansi()))
}

/// Two turns over, the third under way.
fn in_the_middle(app: &mut App) {
    let began = |turn| Told::Began { turn, attempt: 1, layers: vec![] };
    let ended = |turn, seconds| Told::Ended { turn, how: How::Done, seconds };
    tell(app, began(1));
    tell(app, Told::Wrote(b"\x1b]0;codex\x07\x1b[1mcodex\x1b[0m reads the request\r\n".to_vec()));
    tell(app, ended(1, 12.4));
    tell(app, Told::Spent(Spent { tokens: Some(18_240), cost: Some(0.12) }));
    tell(app, began(2));
    tell(app, ended(2, 63.0));
    tell(app, Told::Tested { checkpoint: "c1".into(), passed: 4, total: 5 });
    let layer = Layer { name: "notes".into(), why: "212 words from notes.md".into() };
    tell(app, Told::Began { turn: 3, attempt: 1, layers: vec![layer] });
    tell(app, Told::Wrote(b"\x1b[32m+ def parse(text):\x1b[0m\r\nrunning pytest ...".to_vec()));
    let patch =
        "@@ -0,0 +1,3 @@\n+def parse(text):\n+    tokens = text.split()\n+    return tokens\n";
    tell(
        app,
        Told::Changed(vec![Changed {
            path: "tiny/parser.py".into(),
            lines: Some((3, 0)),
            patch: patch.into(),
        }]),
    );
}

#[test]
fn a_run_in_the_middle_is_seen_as_a_whole() {
    let mut app = app(160, 45);
    in_the_middle(&mut app);
    insta::assert_snapshot!(frame(&app));
}

#[test]
fn a_small_screen_has_the_terminal_above_the_requests() {
    let mut app = app(80, 24);
    in_the_middle(&mut app);
    insta::assert_snapshot!(frame(&app));
}

#[test]
fn the_colours_of_the_agent_are_its_own() {
    let mut app = app(80, 24);
    in_the_middle(&mut app);
    let buffer = picture(&app, Theme::ansi());
    let at = buffer.content.iter().position(|cell| cell.symbol() == "+").unwrap();
    assert_eq!(buffer.content[at].fg, Color::Indexed(2));
    let plain = picture(&app, Theme::plain());
    assert_eq!(plain.content[at].fg, Color::Reset);
}

#[test]
fn the_keyboard_goes_to_the_agent_and_comes_back() {
    let mut app = app(120, 40);
    in_the_middle(&mut app);

    assert_eq!(press(&mut app, "<enter>"), []);
    let typed = press(&mut app, "q ? <c-c>");
    assert_eq!(
        typed,
        [b"q".to_vec(), b"?".to_vec(), b"\x03".to_vec()]
            .map(|bytes| Effect::Live(Command::Type(bytes)))
    );
    insta::assert_snapshot!(frame(&app));
    press(&mut app, "<c-]>");
    assert_eq!(press(&mut app, "s"), [Effect::Live(Command::Skip)]);
}

#[test]
fn the_next_request_is_edited_in_the_last_line() {
    let mut app = app(120, 40);
    in_the_middle(&mut app);

    press(&mut app, "e <c-u> T e s t <space> i t");
    insta::assert_snapshot!(frame(&app).lines().last().unwrap());
    assert_eq!(press(&mut app, "<enter>"), [Effect::Live(Command::Edit("Test it".into()))]);
    assert!(frame(&app).contains("edited · Test it"));
}

#[test]
fn words_are_found_in_the_terminal() {
    let mut app = app(80, 24);
    in_the_middle(&mut app);

    press(&mut app, "/ p y t e s t <enter>");

    let live = app.live().unwrap();
    let found = (0..live.terminal.size().height).find(|row| live.terminal.is_found(8, *row));
    assert_eq!(found, Some(2));
    press(&mut app, "/ n o t h i n g <enter>");
    assert!(frame(&app).ends_with("nothing is not in this terminal\n"), "{}", frame(&app));
}

#[test]
fn a_failure_and_the_end_are_said() {
    let mut app = app(120, 40);
    in_the_middle(&mut app);
    let why = "the agent ended with exit code 1".to_owned();
    tell(&mut app, Told::Ended { turn: 3, how: How::Failed(why), seconds: 3.0 });
    tell(&mut app, Told::Waits(Pause::Failure));
    assert_eq!(press(&mut app, "r"), [Effect::Live(Command::Retry)]);
    insta::assert_snapshot!("after_a_failure", frame(&app));

    let words = "stopped after turn 2; --resume goes on".to_owned();
    tell(&mut app, Told::Over { words, is_whole: false });
    insta::assert_snapshot!("after_the_end", frame(&app));
}

#[test]
fn help_lies_over_the_whole_screen() {
    let mut app = app(160, 45);
    in_the_middle(&mut app);
    press(&mut app, "?");
    let frame = frame(&app);
    assert!(frame.contains("previous turn; 5h goes back five"), "{frame}");
    assert_eq!(frame.lines().nth(1).unwrap().chars().nth(60), Some('─'), "{frame}");
}

#[test]
fn whatever_the_size_there_is_a_frame() {
    for (width, height) in [(1, 1), (60, 15), (61, 16), (119, 30), (120, 15), (300, 90)] {
        let mut app = app(width, height);
        in_the_middle(&mut app);
        frame(&app);
    }
}
