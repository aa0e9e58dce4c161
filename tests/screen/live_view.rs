//! The live view: what the one who runs the agent tells, and the frames that come of it. No program is started here.

use ratatui::{layout::Size, style::Color};
use trajview::{
    run::{
        Tokens,
        live::{
            EndedTurn, LayerEffect, LiveCommand, LiveEvent, LivePlan, RunTotal, ScriptedRequest,
            WaitReason,
        },
    },
    session::{
        effect::Effect,
        jobs::{FormChoice, FormFacts, FormOrigin, JobPlan, JobRefusal},
        question::{Answer, Question},
    },
    shell::{App, AppMessage, draw::draw_picture, jobs, state::ShellMessage},
    views::live::{LiveFileChange, LiveMessage},
    widgets::{
        export,
        key::parse_keys,
        mouse::{Mouse, MouseKind},
        theme::Theme,
    },
};

use crate::story::Answering;

fn live_app(width: u16, height: u16) -> App {
    let mut app = App::default();
    app.update(AppMessage::Resized(Size { width, height }));
    app.update(AppMessage::BeginLive);
    send_event(&mut app, planned(live_plan()));
    let (command, process) = (String::new(), 1);
    send_event(&mut app, LiveEvent::Started { command, process, has_terminal: true });
    app
}

fn live_plan() -> LivePlan {
    let texts = [
        ("Create the package with add and sub.", None),
        ("Write tests for both, and run them.", Some("c1")),
        ("Add a parser for expressions such as 1 + 2 * 3.", None),
        ("Make the parser report where it failed.", Some("c2")),
        ("Write a README.", None),
    ];
    let asked = |(at, (text, checkpoint)): (usize, &(&str, Option<&str>))| ScriptedRequest {
        turn: at + 1,
        text: (*text).into(),
        checkpoint: checkpoint.map(Into::into),
        ..ScriptedRequest::default()
    };
    LivePlan {
        agent: "codex 0.169.0".into(),
        condition: "emergent".into(),
        out: "runs/tiny".into(),
        requests: texts.iter().enumerate().map(asked).collect(),
        has_screen: true,
        limits: vec!["2M tokens".into()],
        ..LivePlan::default()
    }
}

fn planned(plan: LivePlan) -> LiveEvent {
    LiveEvent::Opened(Box::new(plan))
}

fn turn_began(turn: usize, layers: Vec<LayerEffect>) -> LiveEvent {
    LiveEvent::TurnBegan { turn, request: String::new(), attempt: 1, layers }
}

/// A turn that is over, and what the run has used by then.
fn turn_ended(turn: usize, seconds: f64, why: Option<&str>) -> LiveEvent {
    let tokens = Tokens { input: Some(18_240), ..Tokens::default() };
    let total = RunTotal { tokens, cost_usd: Some(0.12), ..RunTotal::default() };
    let why = why.map(str::to_owned);
    LiveEvent::TurnEnded(Box::new(EndedTurn { turn, seconds, why, total, ..EndedTurn::default() }))
}

fn waits(why: WaitReason) -> LiveEvent {
    LiveEvent::Waits { turn: 3, request: String::new(), why }
}

fn over(app: &mut App, words: &str, is_whole: bool) {
    app.update(AppMessage::Live(LiveMessage::Over { words: words.into(), is_whole }));
}

fn send_event(app: &mut App, told: LiveEvent) -> Vec<Effect> {
    app.update(AppMessage::Live(LiveMessage::LiveEvent(told)))
}

fn press_keys(app: &mut App, keys: &str) -> Vec<Effect> {
    let keys = parse_keys(keys).unwrap();
    keys.into_iter().flat_map(|key| app.update(AppMessage::Press(key))).collect()
}

fn frame_text(app: &App) -> String {
    export::frame_text(&draw_picture(app, Theme::with_terminal_colours()))
}

/// Two turns over, the third under way.
fn in_the_middle(app: &mut App) {
    let began = |turn| turn_began(turn, vec![]);
    let ended = |turn, seconds| turn_ended(turn, seconds, None);
    send_event(app, began(1));
    send_event(
        app,
        LiveEvent::Terminal(b"\x1b]0;codex\x07\x1b[1mcodex\x1b[0m reads the request\r\n".to_vec()),
    );
    send_event(app, ended(1, 12.4));
    send_event(app, began(2));
    send_event(app, ended(2, 63.0));
    send_event(
        app,
        LiveEvent::Tested { checkpoint: "c1".into(), passed: 4, total: 5, seconds: 0.5 },
    );
    let layer = LayerEffect { name: "notes".into(), why: "212 words from notes.md".into() };
    send_event(app, turn_began(3, vec![layer]));
    send_event(
        app,
        LiveEvent::Terminal(b"\x1b[32m+ def parse(text):\x1b[0m\r\nrunning pytest ...".to_vec()),
    );
    let patch =
        "@@ -0,0 +1,3 @@\n+def parse(text):\n+    tokens = text.split()\n+    return tokens\n";
    let changed =
        LiveFileChange { path: "tiny/parser.py".into(), lines: Some((3, 0)), patch: patch.into() };
    app.update(AppMessage::Live(LiveMessage::Changed(vec![changed])));
}

#[test]
fn a_run_in_the_middle_is_seen_as_a_whole() {
    let mut app = live_app(160, 45);
    in_the_middle(&mut app);
    insta::assert_snapshot!(frame_text(&app));
}

#[test]
fn a_small_screen_has_the_terminal_above_the_requests() {
    let mut app = live_app(80, 24);
    in_the_middle(&mut app);
    insta::assert_snapshot!(frame_text(&app));
}

#[test]
fn the_colours_of_the_agent_are_its_own() {
    let mut app = live_app(80, 24);
    in_the_middle(&mut app);
    let buffer = draw_picture(&app, Theme::with_terminal_colours());
    let at = buffer.content.iter().position(|cell| cell.symbol() == "+").unwrap();
    assert_eq!(buffer.content[at].fg, Color::Indexed(2));
    let plain = draw_picture(&app, Theme::without_colours());
    assert_eq!(plain.content[at].fg, Color::Reset);
}

#[test]
fn the_keyboard_goes_to_the_agent_and_comes_back() {
    let mut app = live_app(120, 40);
    in_the_middle(&mut app);

    assert_eq!(press_keys(&mut app, "<enter>"), []);
    let typed = press_keys(&mut app, "q ? <c-c>");
    assert_eq!(
        typed,
        [b"q".to_vec(), b"?".to_vec(), b"\x03".to_vec()]
            .map(|bytes| Effect::Live(LiveCommand::Keys(bytes)))
    );
    insta::assert_snapshot!(frame_text(&app));
    press_keys(&mut app, "<c-]>");
    assert_eq!(press_keys(&mut app, "S"), [Effect::Live(LiveCommand::Skip)]);
}

#[test]
fn the_next_request_is_edited_in_the_last_line() {
    let mut app = live_app(120, 40);
    in_the_middle(&mut app);

    press_keys(&mut app, "E <c-u> T e s t <space> i t");
    insta::assert_snapshot!(frame_text(&app).lines().last().unwrap());
    assert_eq!(
        press_keys(&mut app, "<enter>"),
        [Effect::Live(LiveCommand::Edit("Test it".into()))]
    );
    assert!(frame_text(&app).contains("edited · Test it"));
}

#[test]
fn words_are_found_in_the_terminal() {
    let mut app = live_app(80, 24);
    in_the_middle(&mut app);

    press_keys(&mut app, "/ p y t e s t <enter>");

    let live = app.screens.shown_live().unwrap();
    let found = (0..live.terminal.size().height).find(|row| live.terminal.is_match_cell(8, *row));
    assert_eq!(found, Some(2));
    press_keys(&mut app, "/ n o t h i n g <enter>");
    assert!(
        frame_text(&app).ends_with("no match for nothing in this terminal\n"),
        "{}",
        frame_text(&app)
    );
}

#[test]
fn a_failure_and_the_end_are_said() {
    let mut app = live_app(120, 40);
    in_the_middle(&mut app);
    send_event(&mut app, turn_ended(3, 3.0, Some("the agent ended with exit code 1")));
    send_event(&mut app, waits(WaitReason::Failed(String::new())));
    assert_eq!(press_keys(&mut app, "ctrl-r"), [Effect::Live(LiveCommand::Retry)]);
    insta::assert_snapshot!("after_a_failure", frame_text(&app));

    over(&mut app, "stopped after turn 2", false);
    insta::assert_snapshot!("after_the_end", frame_text(&app));
}

/// `ctrl-r` and `X` are what somebody needs who watches a run that goes wrong: no state of it pushes them out of a narrow footer.
#[test]
fn the_footer_of_80_columns_has_the_keys_that_repeat_and_stop_in_every_state() {
    let has_both = |app: &App| {
        let shown = frame_text(app);
        let footer = shown.lines().last().unwrap().to_owned();
        assert!(footer.contains(" ctrl-r retry ") && footer.contains(" X stop "), "{footer}");
    };
    let mut app = live_app(80, 24);
    has_both(&app);
    in_the_middle(&mut app);
    has_both(&app);
    send_event(&mut app, waits(WaitReason::StepByStep));
    has_both(&app);
    send_event(&mut app, turn_ended(3, 3.0, Some("the agent failed (exit code 1)")));
    send_event(&mut app, waits(WaitReason::Failed(String::new())));
    has_both(&app);
    has_both(&begin_run(80, 24).app);
}

#[test]
fn a_commit_that_takes_long_says_how_far_it_is_until_the_turn_is_over() {
    for (width, height) in SIZES {
        let mut app = live_app(width, height);
        in_the_middle(&mut app);

        send_event(&mut app, LiveEvent::ReadingFiles { files: 20_000 });
        let told = frame_text(&app).contains("recording the files: 20000 so far");
        send_event(&mut app, turn_ended(3, 3.0, None));

        assert!(told && !frame_text(&app).contains("recording the files"), "{}", frame_text(&app));
    }
}

#[test]
fn help_lies_over_the_whole_screen() {
    let mut app = live_app(160, 45);
    in_the_middle(&mut app);
    press_keys(&mut app, "?");
    let frame = frame_text(&app);
    assert!(frame.contains("skip the next request"), "{frame}");
    assert_eq!(frame.lines().nth(1).unwrap().chars().nth(60), Some('─'), "{frame}");
}

#[test]
fn whatever_the_size_there_is_a_frame() {
    for (width, height) in [(1, 1), (60, 15), (61, 16), (119, 30), (120, 15), (300, 90)] {
        let mut app = live_app(width, height);
        in_the_middle(&mut app);
        frame_text(&app);
    }
}

/// The made-up run with the form of a live run over it, and what the form still asks.
fn with_form(width: u16, height: u16) -> (Answering, Vec<Effect>) {
    let mut world = Answering::new();
    world.send(AppMessage::Resized(Size { width, height }));
    let mut effects = press_keys(&mut world.app, "A");
    let at = effects.iter().position(is_for_agents).unwrap();
    let request = effects.remove(at).request_id().unwrap();
    let effects = world.app.update(AppMessage::Answered(request, Answer::Agents(Ok(form_facts()))));
    (world, effects)
}

/// Whether agents for a task that has a name are looked for.
fn is_for_agents(effect: &Effect) -> bool {
    let Effect::Ask(_, question) = effect else { return false };
    matches!(&**question, Question::Agents { origin } if !origin.task.is_empty())
}

fn form_facts() -> FormFacts {
    let missing = "there is no program claude on this machine; `npm install -g @anthropic-ai/claude-code` installs it, \
                   or name its program below";
    FormFacts {
        agents: vec![
            FormChoice::new("codex", "codex").with_remark("0.169.0 · /usr/bin/codex"),
            FormChoice::new("claude", "claude")
                .with_remark("not on this machine")
                .with_lack(missing),
        ],
        remembered: vec![],
        work: "work".into(),
    }
}

/// Answers the question for a plan, if there is one.
fn plan_it(
    app: &mut App,
    effects: Vec<Effect>,
    answer: Result<JobPlan, JobRefusal>,
) -> Vec<Effect> {
    let asked = effects.into_iter().find_map(|effect| match effect {
        Effect::Ask(request, question) => {
            matches!(*question, Question::JobPlan { .. }).then_some(request)
        }
        _ => None,
    });
    let request = asked.expect("the form asks what it would do");
    app.update(AppMessage::Answered(request, Answer::JobPlan(Ok(answer))))
}

fn what_it_would_do() -> JobPlan {
    let mut plan = JobPlan::default();
    plan.add_row("asks", "3 requests, emergent: as a run was asked");
    plan.add_row(
        "calls",
        "codex exec --json --skip-git-repo-check - (the request on standard input)",
    );
    plan.add_row("environment", "CODEX_HOME HOME OPENAI_API_KEY PATH TERM TMPDIR");
    plan.add_row("works in", "work/workspace");
    plan.add_row(
        "records",
        "runs/a-run-codex-emergent: each turn a commit in workspace.git and a row in run.json",
    );
    plan.proposed.push(("folder", "runs/a-run-codex-emergent".into()));
    plan
}

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 50)];

#[test]
fn the_form_of_a_live_run_shows_what_it_would_do_before_it_is_begun() {
    for (width, height) in SIZES {
        let (mut world, effects) = with_form(width, height);
        plan_it(&mut world.app, effects, Ok(what_it_would_do()));
        insta::assert_snapshot!(format!("form_{width}x{height}"), frame_text(&world.app));
    }
}

/// The words of the form for a sandbox, and what they come to.
#[test]
fn sandbox_network_and_login_are_fields_and_those_that_mean_nothing_are_not_shown() {
    let (mut world, effects) = with_form(120, 40);
    plan_it(&mut world.app, effects, Ok(what_it_would_do()));
    let form = |world: &Answering| world.app.jobs.dialog.as_ref().unwrap().form.clone();
    let shown = |world: &Answering, id| form(world).field_by_id(id).is_some();
    assert!(shown(&world, "sandbox") && shown(&world, "login"));
    assert!(!shown(&world, "network") && !shown(&world, "image"), "nothing stands around it");

    let effects = press_keys(&mut world.app, "11gg <space> 15gg <right>"); // unfolded, bwrap
    assert_eq!(form(&world).chosen_id("sandbox"), "bwrap");
    assert!(shown(&world, "network") && !shown(&world, "image"));
    press_keys(&mut world.app, "16gg <right>"); // the network: the model server alone
    press_keys(&mut world.app, "j <right>"); // the login
    assert_eq!(
        (form(&world).chosen_id("network"), form(&world).chosen_id("login")),
        ("loopback", "copy")
    );
    let effects = plan_it(&mut world.app, effects, Ok(what_it_would_do()));
    let mut plan = what_it_would_do();
    plan.add_row(
        "sandbox",
        "a sandbox (bwrap) with the model server of this machine and no other network",
    );
    plan.add_row("login", "a copy of ~/.codex/auth.json, gone with the run");
    plan_it(&mut world.app, effects, Ok(plan));
    insta::assert_snapshot!("form_with_sandbox_120x40", frame_text(&world.app));
    world.send(AppMessage::Resized(Size { width: 80, height: 24 }));
    insta::assert_snapshot!("form_with_sandbox_80x24", frame_text(&world.app));

    press_keys(&mut world.app, "15gg <right>"); // docker
    assert!(shown(&world, "network") && shown(&world, "image"));
    press_keys(&mut world.app, "<left> <left>");
    assert!(!shown(&world, "network") && !shown(&world, "image"));
}

#[test]
fn the_plan_is_read_on_where_it_does_not_fit() {
    let (mut world, effects) = with_form(80, 18);
    plan_it(&mut world.app, effects, Ok(what_it_would_do()));
    assert!(
        !frame_text(&world.app).contains("and a row in run.json"),
        "{}",
        frame_text(&world.app)
    );

    press_keys(&mut world.app, "<pgdn> <pgdn>");

    assert!(frame_text(&world.app).contains("and a row in run.json"), "{}", frame_text(&world.app));
}

#[test]
fn the_other_condition_is_one_key_away_and_says_so_in_both_fields() {
    let (mut world, _) = with_form(120, 40);
    let form = |world: &Answering| world.app.jobs.dialog.as_ref().unwrap().form.clone();
    assert_eq!(
        (form(&world).chosen_id("what"), form(&world).chosen_id("condition")),
        ("again", "emergent")
    );

    press_keys(&mut world.app, "<right>");
    assert_eq!(form(&world).chosen_id("condition"), "single-shot");

    press_keys(&mut world.app, "4gg <left>");
    assert_eq!(
        (form(&world).chosen_id("what"), form(&world).chosen_id("condition")),
        ("again", "emergent")
    );
}

#[test]
fn a_refusal_stands_at_its_field_and_nothing_is_started_or_lost() {
    let (mut world, effects) = with_form(120, 40);
    let effects = plan_it(&mut world.app, effects, Ok(what_it_would_do()));
    assert_eq!(effects, []);
    let started = press_keys(&mut world.app, "<enter>");
    let Some(Effect::StartLive(request, beginning)) = started.first() else {
        panic!("{started:?}")
    };
    assert_eq!(beginning.start.folder.as_deref(), Some("runs/a-run-codex-emergent".as_ref()));
    assert!(beginning.form_values.iter().all(|(id, _)| id != "folder"));

    let refusal = JobRefusal::for_field("folder", "runs cannot be written: Read-only file system");
    world.app.update(AppMessage::Jobs(jobs::JobsMessage::Refused(*request, refusal)));

    assert!(world.app.screens.live.is_none());
    let shown = frame_text(&world.app);
    assert!(shown.contains("runs cannot be written: Read-only file system"), "{shown}");
    assert!(shown.contains("codex"), "{shown}");
}

#[test]
fn an_agent_that_is_not_here_and_a_key_in_the_place_of_its_variable_are_refused() {
    let (mut world, _) = with_form(120, 40);
    press_keys(&mut world.app, "2gg <right>");
    let shown = frame_text(&world.app);
    assert!(shown.contains("npm install -g") && !shown.contains("would do"), "{shown}");

    press_keys(&mut world.app, "<left> 11gg <space> 14gg <space> s k - 1 2 <enter>");
    let shown = frame_text(&world.app);
    assert!(shown.contains("never the key") && shown.contains("these 5 characters"), "{shown}");
}

#[test]
fn a_click_on_the_button_starts_the_agent() {
    let (mut world, effects) = with_form(80, 24);
    plan_it(&mut world.app, effects, Ok(what_it_would_do()));

    let effects = mouse(&mut world.app, "start the agent", 3);

    assert!(matches!(effects.as_slice(), [Effect::StartLive(..)]), "{effects:?}");
}

/// A live run beside the made-up one, with its first turn under way.
fn begin_run(width: u16, height: u16) -> Answering {
    let mut world = Answering::new();
    world.send(AppMessage::Resized(Size { width, height }));
    let path = world.app.screens.source.clone();
    let origin =
        FormOrigin { path, name: "a run".into(), task: "t".into(), ..FormOrigin::default() };
    let message = jobs::JobsMessage::LiveBegan(Some(origin), "runs/a-run-codex-emergent".into());
    world.send(AppMessage::Jobs(message));
    let told = |told| AppMessage::Live(LiveMessage::LiveEvent(told));
    world.send(told(planned(live_plan())));
    let (command, process) = (String::new(), 1);
    world.send(told(LiveEvent::Started { command, process, has_terminal: true }));
    world.send(told(turn_began(1, vec![])));
    world.send(told(LiveEvent::Terminal(b"{\"type\":\"turn.started\"}\r\n".to_vec())));
    world
}

fn end_run(world: &mut Answering) {
    let ended = EndedTurn { turn: 1, seconds: 2.0, ..EndedTurn::default() };
    world.send(AppMessage::Live(LiveMessage::LiveEvent(LiveEvent::TurnEnded(Box::new(ended)))));
    over(&mut world.app, "finished", true);
}

#[test]
fn a_run_from_the_screen_goes_on_beside_the_one_that_it_was_started_from() {
    for (width, height) in SIZES {
        let mut world = begin_run(width, height);
        insta::assert_snapshot!(format!("begun_{width}x{height}"), frame_text(&world.app));
        end_run(&mut world);
        insta::assert_snapshot!(format!("over_{width}x{height}"), frame_text(&world.app));
    }
}

#[test]
fn a_run_goes_on_while_another_view_is_shown_and_every_footer_says_so() {
    let mut world = begin_run(120, 40);
    for view in ["<f1>", "<f2>", "<f3>", "<f4>"] {
        press_keys(&mut world.app, view);
        let shown = frame_text(&world.app);
        assert!(shown.lines().last().unwrap().contains("▶ live run 0/5 F7"), "{view}: {shown}");
    }
    press_keys(&mut world.app, "q");
    assert!(!world.app.is_quitting && frame_text(&world.app).contains("an agent is running"));

    end_run(&mut world);
    press_keys(&mut world.app, "<f1>");
    assert!(
        frame_text(&world.app).contains("✓ live run finished 1/5 F7"),
        "{}",
        frame_text(&world.app)
    );
    press_keys(&mut world.app, "<f7> <f1>");
    assert!(!frame_text(&world.app).contains("live run finished"), "{}", frame_text(&world.app));
}

#[test]
fn the_other_run_follows_to_the_same_turn_until_somebody_looks_elsewhere() {
    let mut world = begin_run(160, 45);
    let turns = world.story.run.turns.len();
    let mut plan = live_plan();
    plan.requests.truncate(turns);
    while plan.requests.len() < turns {
        let turn = plan.requests.len() + 1;
        let text = "more".into();
        plan.requests.push(ScriptedRequest { turn, text, ..ScriptedRequest::default() });
    }
    let told = |told| AppMessage::Live(LiveMessage::LiveEvent(told));
    let began = |turn| told(turn_began(turn, vec![]));
    world.send(told(planned(plan)));
    let turn = |world: &Answering| world.app.screens.open_run().unwrap().session.turn;

    world.send(began(1));
    world.send(began(2));
    assert_eq!(turn(&world), 1);
    press_keys(&mut world.app, "<left>");
    world.send(began(3));
    assert_eq!(turn(&world), 0);
}

#[test]
fn one_key_compares_what_is_over_with_the_run_that_it_was_started_from() {
    let mut world = begin_run(120, 40);
    press_keys(&mut world.app, "c");
    assert!(
        frame_text(&world.app).contains("compare it when it is finished"),
        "{}",
        frame_text(&world.app)
    );
    end_run(&mut world);

    let effects = press_keys(&mut world.app, "c");

    let compared = world.app.screens.shown_comparison().expect("the comparison is shown");
    assert_eq!(
        compared.paths,
        [world.app.screens.source.clone(), "runs/a-run-codex-emergent".into()]
    );
    assert!(effects.iter().any(|it| matches!(it, Effect::Ask(_, question) if matches!(**question, Question::Parties { .. }))));
}

#[test]
fn without_a_live_run_its_view_says_how_to_start_one() {
    for (width, height) in SIZES {
        let mut world = Answering::new();
        world.send(AppMessage::Resized(Size { width, height }));
        press_keys(&mut world.app, "<f7>");
        let shown = frame_text(&world.app);
        assert!(shown.contains("◌ no live run"), "{shown}");
        assert!(shown.contains("A starts an agent on these requests"), "{shown}");
        assert!(!shown.contains("current turn"), "{shown}");
        let turns = &world.story.run.turns;
        let start = |title: &str| title.chars().take(30).collect::<String>();
        assert!(turns.iter().all(|turn| shown.contains(&start(&turn.title))), "{shown}");
    }
}

#[test]
fn the_recording_of_a_live_run_is_asked_for_once_and_shown_in_its_view() {
    let mut world = Answering::new();
    world.send(AppMessage::Resized(Size { width: 120, height: 40 }));
    let source = world.app.screens.source.clone();
    let reads = |effects: &[Effect]| effects.contains(&Effect::ReadLive(source.clone()));

    assert!(reads(&press_keys(&mut world.app, "<f7>")));
    assert!(!reads(&press_keys(&mut world.app, "<f1> <f7>")));
    assert!(world.app.screens.begin_recorded_live(&source));
    send_event(&mut world.app, planned(live_plan()));
    over(&mut world.app, "finished", true);

    assert!(!reads(&press_keys(&mut world.app, "<f1> <f7>")));
    let shown = frame_text(&world.app);
    assert!(shown.contains("✓ finished") && shown.contains("recorded in runs/tiny"), "{shown}");
}

#[test]
fn one_agent_at_a_time_is_started_from_the_screen() {
    let mut world = begin_run(120, 40);
    press_keys(&mut world.app, "<f1> A");
    assert!(world.app.jobs.dialog.is_none());
    assert!(
        frame_text(&world.app).contains("an agent is running: F7"),
        "{}",
        frame_text(&world.app)
    );
}

#[test]
fn an_agent_is_stopped_only_after_a_question() {
    for (width, height) in SIZES {
        let mut app = live_app(width, height);
        in_the_middle(&mut app);
        let stop = Effect::Live(LiveCommand::Stop);

        assert_eq!(press_keys(&mut app, "X"), []);
        let asked = frame_text(&app);
        assert!(asked.contains("stop the agent?") && asked.contains("runs/tiny"), "{asked}");
        assert_eq!(press_keys(&mut app, "X j n"), [], "no answer but y stops it");
        assert!(!frame_text(&app).contains("stop the agent?"), "{}", frame_text(&app));
        assert_eq!(press_keys(&mut app, "X y"), [stop]);
        assert!(frame_text(&app).contains("■ stopping"), "{}", frame_text(&app));
    }
}

#[test]
fn an_agent_is_stopped_from_the_list_of_jobs_after_the_same_question() {
    let mut world = begin_run(120, 40);

    assert_eq!(press_keys(&mut world.app, "<f1> J X"), []);
    let asked = frame_text(&world.app);
    assert!(asked.contains("stop the agent?") && asked.contains(" y yes   n no"), "{asked}");
    assert_eq!(press_keys(&mut world.app, "y"), [Effect::Live(LiveCommand::Stop)]);
}

#[test]
fn a_run_that_broke_off_is_resumed_from_its_bundle_after_a_question() {
    let mut app = live_app(120, 40);
    in_the_middle(&mut app);
    over(&mut app, "stopped", false);
    let resume = Effect::ResumeLive("runs/tiny".into());

    assert!(!press_keys(&mut app, "R").contains(&resume));
    assert!(frame_text(&app).contains("resume the run?"), "{}", frame_text(&app));
    assert!(!press_keys(&mut app, "<esc> y <esc>").contains(&resume));
    assert!(press_keys(&mut app, "R y").contains(&resume));
    assert!(frame_text(&app).contains("starting"), "{}", frame_text(&app));
}

#[test]
fn after_the_end_the_footer_offers_no_key_that_steers_the_agent() {
    let footer = |app: &App| frame_text(app).lines().last().unwrap().to_owned();
    for (is_whole, offers_resume) in [(true, false), (false, true)] {
        let mut app = live_app(120, 40);
        in_the_middle(&mut app);
        assert!(!footer(&app).contains(" R resume "), "{}", footer(&app));
        over(&mut app, "the end", is_whole);

        let shown = footer(&app);

        let steering = [" pause ", " retry ", " stop ", " skip ", " edit ", " attach "];
        assert!(steering.iter().all(|word| !shown.contains(word)), "{shown}");
        assert_eq!(shown.contains(" R resume "), offers_resume, "{shown}");
    }
}

fn mouse(app: &mut App, words: &str, after: u16) -> Vec<Effect> {
    let seen = frame_text(app);
    let place = seen.lines().enumerate().find_map(|(row, line)| {
        let at = line.find(words)?;
        Some((line[..at].chars().count() as u16 + after, row as u16))
    });
    let (column, row) = place.unwrap_or_else(|| panic!("no {words:?} in:\n{seen}"));
    let click = Mouse { kind: MouseKind::Click, column, row };
    app.update(AppMessage::Shell(ShellMessage::Mouse(click)))
}

#[test]
fn the_whole_form_fits_and_works_with_the_mouse() {
    for (width, height) in SIZES {
        let (mut world, effects) = with_form(width, height);
        plan_it(&mut world.app, effects, Ok(what_it_would_do()));
        let shown = frame_text(&world.app);
        for words in [
            "task           ‹ a run (same script) ›",
            "agent          ‹ codex ›  0.169.0",
            "limits         tokens ‹none› · cost ‹none› · time ‹none› · turns ‹all›",
            "output folder  runs/a-run-codex-emergent proposed",
            "more…          program, server",
            "start the agent",
        ] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        // The last sentence goes on in the next row where the box is narrow.
        let starts = shown.contains("each turn a commit in workspace.git and a row ");
        assert!(
            shown.contains("and a row in run.json") || starts && shown.contains(" in run.json "),
            "{shown}"
        );

        let form = |app: &App| app.jobs.dialog.as_ref().unwrap().form.clone();
        mouse(&mut world.app, "‹ codex ›", 8);
        assert_eq!(form(&world.app).chosen_id("agent"), "claude");
        assert!(frame_text(&world.app).contains("npm install"), "{}", frame_text(&world.app));
        assert_eq!(mouse(&mut world.app, "start the agent", 0), []);
        mouse(&mut world.app, "‹ claude ›", 0);
        mouse(&mut world.app, "cost ‹none›", 10);
        mouse(&mut world.app, "model          ", 16);
        press_keys(&mut world.app, "m - 1 <enter>");
        let values = form(&world.app).field_values();
        let value = |id: &str| values.iter().find(|(of, _)| of == id).unwrap().1.clone();
        assert_eq!((value("usd"), value("model")), ("0.5".into(), "m-1".into()));
    }
}

#[test]
fn a_run_that_is_finished_has_nothing_to_go_on_with() {
    let mut app = live_app(120, 40);
    over(&mut app, "finished", true);

    assert_eq!(press_keys(&mut app, "RR"), []);
    assert!(frame_text(&app).contains("the run is finished"), "{}", frame_text(&app));
}

#[test]
fn the_folder_that_is_written_keeps_its_whole_name() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut app = live_app(width, height);
        let asked =
            |turn| ScriptedRequest { turn, text: "a request".into(), ..ScriptedRequest::default() };
        let out = "/home/somebody/experiments/2026-11/codex-p12-mine-emergent".into();
        let plan = LivePlan { out, requests: (1..60).map(asked).collect(), ..live_plan() };
        send_event(&mut app, planned(plan));

        let frame = frame_text(&app);
        assert!(frame.contains("codex-p12-mine-emergent "), "{frame}");
        assert!(frame.contains("of 59 "), "{frame}");
    }
}
