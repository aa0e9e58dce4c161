//! The pane that asks a judge: keys in, frames out, against a server of our own that speaks the real protocol.

use std::{
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use ratatui::layout::Size;
use serde_json::json;
use trajview::{
    judge::{
        discover::{JudgeEnvironment, LocalServer},
        settings::{JudgeConfig, JudgeKind},
    },
    runtime::{HeadlessScreen, JudgeSettingsFile, RunOpener, ScreenOptions},
    session::start_place::StartPlace,
    shell::{App, AppMessage, state::ShellMessage},
    widgets::{
        export,
        mouse::{Mouse, MouseKind},
    },
};

#[cfg(unix)]
use crate::common::decided;
use crate::common::{
    self,
    flag_script::{Sittings, flag_texts, read_flaggings, scripted_reply, scripted_server},
    judge_desk::{self, Desk, score_pairs},
    judge_server::{Asked, Say, Server, able_reply},
};

const PATIENCE: Duration = Duration::from_secs(60);

/// A screen with a copy of a sample run open, and the judges it knows.
struct Stage {
    desk: Desk,
    screen: HeadlessScreen,
}

impl Stage {
    fn new((width, height): (u16, u16), judges: Vec<JudgeConfig>) -> Self {
        Self::with_desk(Desk::new(""), (width, height), judges)
    }

    fn with_desk(desk: Desk, (width, height): (u16, u16), judges: Vec<JudgeConfig>) -> Self {
        let wishes = ScreenOptions {
            judges,
            settings: Some("trajview.toml".into()),
            ..ScreenOptions::default()
        };
        Self::with_options(desk, (width, height), wishes)
    }

    /// With nobody in the settings, and this environment.
    fn with_environment(size: (u16, u16), environment: JudgeEnvironment) -> Self {
        let settings = Some("trajview.toml".into());
        let wishes = ScreenOptions { settings, environment, ..ScreenOptions::default() };
        Self::with_options(Desk::new(""), size, wishes)
    }

    fn with_options(desk: Desk, (width, height): (u16, u16), wishes: ScreenOptions) -> Self {
        let size = Size { width, height };
        let screen = HeadlessScreen::open(
            RunOpener::Disk,
            &[desk.run()],
            size,
            StartPlace::default(),
            wishes,
        )
        .unwrap();
        Self { desk, screen }
    }

    fn press(&mut self, keys: &str) -> String {
        self.screen.press_keys(keys).unwrap();
        self.frame()
    }

    /// Presses keys and takes what arrives until the frame says all these words; a judging may be under way.
    fn press_until(&mut self, keys: &str, words: &[&str]) -> String {
        let says = |app: &App| {
            let seen = app_frame(app);
            words.iter().all(|words| seen.contains(words))
        };
        assert!(
            self.screen.press_until(keys, PATIENCE, says).unwrap(),
            "in vain until {words:?}:\n{}",
            self.frame()
        );
        self.frame()
    }

    /// Moves the mouse or presses its button, and does not wait for a judging that is under way.
    fn point(&mut self, kind: MouseKind, column: u16, row: u16) {
        let mouse = ShellMessage::Mouse(Mouse { kind, column, row });
        self.screen.send_until(AppMessage::Shell(mouse), PATIENCE, |_| true);
    }

    /// Opens another run and does not wait until nothing goes on any more.
    fn open(&mut self, path: std::path::PathBuf) {
        let open = AppMessage::Open(path.clone(), StartPlace::default());
        let is_open = |app: &App| app.screens.source == path && app.screens.open_run().is_some();
        assert!(self.screen.send_until(open, PATIENCE, is_open));
    }

    /// Presses a key for each letter.
    fn write(&mut self, words: &str) {
        for c in words.chars() {
            let key = trajview::widgets::key::Key::from_char(c);
            self.screen.send_message(trajview::shell::AppMessage::Press(key));
        }
    }

    /// Without what is another one each time.
    fn frame(&self) -> String {
        steady_frame(&export::frame_text(&self.screen.draw_frame()))
    }
}

fn app_frame(app: &App) -> String {
    use trajview::{shell::draw::draw_picture, widgets::theme::Theme};
    export::frame_text(&draw_picture(app, Theme::with_terminal_colours()))
}

/// A frame of a judging under way without what the timeline says of the first component: whether the verdicts so far
/// have been read again is a matter of time.
fn without_first_score(frame: &str) -> String {
    let hide = |line: &str| {
        let mut heads = [" components    1/24 ", "─ timeline "].into_iter();
        let Some(head) = heads.find(|head| line.starts_with(head)) else {
            return line.to_owned();
        };
        let rest = &line[head.len()..];
        let hidden = rest.strip_prefix(['■', '1']).map(|cells| format!("?{cells}"));
        let rest = hidden.unwrap_or_else(|| rest.to_owned());
        let words = ["not judged yet", "in part judged"];
        let Some(at) = words.into_iter().find_map(|words| rest.find(words)) else {
            return format!("{head}{rest}");
        };
        let (cells, rest) = rest.split_at(at);
        let end = rest.find('│').unwrap_or(rest.len());
        let blanks = " ".repeat(rest[..end].chars().count());
        format!("{head}{cells}{blanks}{}", &rest[end..]).trim_end().to_owned()
    };
    frame.lines().map(|line| hide(line) + "\n").collect()
}

/// Times and ports in the same number of other signs.
fn steady_frame(frame: &str) -> String {
    let time = regex::Regex::new(r"\d{8}T\d{9}Z").unwrap();
    let port = regex::Regex::new(r"127\.0\.0\.1:\d{5}").unwrap();
    let frame = time.replace_all(frame, "YYYYMMDDTHHMMSSmmmZ");
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let frame = frame.replace(&today, "YYYY-MM-DD");
    port.replace_all(&frame, "127.0.0.1:PPPPP").into_owned()
}

/// One component at a time, so that frames are the same each time.
fn stub_judge(server: &Server) -> JudgeConfig {
    let mut settings = JudgeConfig::new("stub", JudgeKind::Chat);
    settings.model = "m-1".into();
    settings.base_url = server.url();
    settings.key_env = None;
    settings.concurrency = 1;
    settings.backoff = Duration::from_millis(1);
    settings.cost.price_input = Some(1.0);
    settings.cost.price_output = Some(10.0);
    settings.cost.most = Some(5.0);
    settings
}

/// Holds answers back until it is opened.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let held = self.0.0.lock().unwrap();
        let (held, _) = self.0.1.wait_timeout_while(held, PATIENCE, |is_open| !*is_open).unwrap();
        drop(held);
    }
}

/// Judges, but says nothing about this component's end before the gate is open.
fn held_at(component: &'static str, gate: &Gate) -> Server {
    let gate = gate.clone();
    Server::new(move |asked| {
        if asked.component == component && asked.results.len() == 3 {
            gate.pass();
        }
        able_reply(asked)
    })
}

#[test]
fn the_form_says_what_it_would_take_before_anything_is_asked() {
    let server = Server::new(able_reply);
    for (name, size) in [("160x45", (160, 45)), ("120x40", (120, 40)), ("80x24", (80, 24))] {
        let mut stage = Stage::new(size, vec![stub_judge(&server)]);

        insta::assert_snapshot!(format!("form_{name}"), stage.press("r"));
    }
    assert_eq!(server.seen_requests().len(), 0);
}

#[test]
fn the_form_works_with_the_mouse() {
    use trajview::{
        shell::state::ShellMessage,
        widgets::mouse::{Mouse, MouseKind},
    };
    let server = Server::new(able_reply);
    let mut stage = Stage::new((120, 40), vec![stub_judge(&server)]);
    let click = |stage: &mut Stage, words: &str, after: usize| {
        let seen = stage.frame();
        let found =
            seen.lines().enumerate().find_map(|(row, line)| Some((row, line.find(words)?, line)));
        let (row, at, line) = found.unwrap_or_else(|| panic!("no {words:?} in:\n{seen}"));
        let (column, row) = ((line[..at].chars().count() + after) as u16, row as u16);
        let mouse = Mouse { kind: MouseKind::Click, column, row };
        stage.screen.send_message(AppMessage::Shell(ShellMessage::Mouse(mouse)));
        stage.frame()
    };
    stage.press("3w<esc>r");

    let selected = click(&mut stage, "‹ all ›", 6);
    assert!(selected.contains("‹ the selected one ›  C01"), "{selected}");
    let calls = click(&mut stage, "‹ 8 ›", 0);
    assert!(calls.contains("‹ 7 ›  per component (max)"), "{calls}");
    click(&mut stage, " send ", 2);
    stage.press("");

    let components: Vec<String> =
        server.seen_requests().into_iter().map(|it| it.component).collect();
    assert!(!components.is_empty() && components.iter().all(|it| it == "C01"), "{components:?}");
}

#[test]
fn a_judging_is_watched_while_it_goes_on() {
    for (name, size) in [("160x45", (160, 45)), ("120x40", (120, 40)), ("80x24", (80, 24))] {
        let gate = Gate::default();
        let server = held_at("C04", &gate);
        let mut stage = Stage::new(size, vec![stub_judge(&server)]);
        stage.press("r");

        let middle = stage.press_until("<enter>", &["judge 3/24", "tool calls 3/8"]);
        let calls = stage.press_until("<tab>", &["calls (12)"]);
        let detail = stage.press_until("<up><up><enter>", &["what it did"]);
        gate.open();
        let end = stage.press("<esc>");

        insta::assert_snapshot!(format!("middle_{name}"), without_first_score(&middle));
        assert!(calls.contains("C04"), "{calls}");
        insta::assert_snapshot!(format!("detail_{name}"), without_first_score(&detail));
        insta::assert_snapshot!(format!("end_{name}"), end);
        let judgement = stage.desk.only();
        assert_eq!(score_pairs(&judgement).len(), 24);
        assert!(judgement["finished_at"].is_string());
    }
}

#[test]
fn other_views_are_looked_at_while_a_judge_is_asked_and_the_title_says_so() {
    let gate = Gate::default();
    let server = held_at("C03", &gate);
    let mut stage = Stage::new((80, 24), vec![stub_judge(&server)]);
    stage.press("r");
    stage.press_until("<enter>", &["judge 2/24", "tool calls 3/8"]);

    let scores = stage.press_until("3w", &["judge 2/24"]);
    assert!(!scores.contains("calls ("), "the pane made room: {scores}");
    // What is judged so far is a judgement already.
    stage.press_until("", &["C02"]);
    let again = stage.press_until("r", &["judge 2/24", "tool calls 3/8"]);
    assert!(again.contains("stub · after turn"), "{again}");

    let warned = stage.press_until("q", &["a judge is running: quit again to stop it"]);
    assert!(warned.contains("finished verdicts stay"));
    gate.open();
    let end = stage.press("r");
    assert!(!end.contains("judge 24/24"), "{end}");
    assert!(end.contains("turn"), "{end}");
}

#[test]
fn what_is_judged_is_one_more_judgement_in_the_scores_and_nothing_is_written_over() {
    let server = Server::new(able_reply);
    let desk = Desk::new("");
    let sample = common::project_path("sample-runs/codex-p12/judgements");
    judge_desk::copy_folder(&sample, &desk.run().join("judgements"));
    let before: Vec<(String, Vec<u8>)> =
        desk.names().into_iter().map(|name| (name.clone(), desk.bytes(&name))).collect();
    let mut stage = Stage::with_desk(desk, (160, 45), vec![stub_judge(&server)]);
    let count = |stage: &mut Stage| {
        let rubric = stage
            .screen
            .app_mut()
            .screens
            .open_run()
            .unwrap()
            .session
            .rubric
            .known_rubric()
            .cloned();
        rubric.unwrap().judgements.len()
    };
    let looked_at = |stage: &mut Stage| {
        let rubric = &stage.screen.app_mut().screens.open_run().unwrap().session.rubric;
        rubric.shown_judgement().unwrap().file.clone()
    };
    stage.press("3w");
    let (judgements, file) = (count(&mut stage), looked_at(&mut stage));

    stage.press("rjjjl <enter>"); // only the component that is looked at

    assert_eq!(count(&mut stage), judgements + 1);
    assert_eq!(looked_at(&mut stage), file, "what is looked at stays");
    assert_eq!(server.seen_requests().iter().filter(|it| it.component != "C01").count(), 0);
    for (name, bytes) in before {
        assert_eq!(stage.desk.bytes(&name), bytes, "{name}");
    }
    let announced = stage.frame();
    let footer = announced.lines().last().unwrap();
    assert!(
        footer.contains("new judgement stub-") && footer.contains("f in scores shows it"),
        "{announced}"
    );
    let footer = stage.press("<down>").lines().last().unwrap().to_owned();
    assert!(!footer.contains(" X stop ") && !footer.contains(" R resume "), "{footer}");
    assert!(footer.contains(" new "), "{footer}");
    let flipped = stage.press("<esc>f");
    assert!(flipped.contains("stub-"), "{flipped}");
}

#[test]
fn in_the_scores_r_judges_the_state_that_they_show_and_not_the_playheads() {
    let desk = Desk::new("");
    let sample = common::project_path("sample-runs/codex-p12/judgements");
    judge_desk::copy_folder(&sample, &desk.run().join("judgements"));
    let mut stage = Stage::with_desk(desk, (160, 45), vec![stub_judge(&Server::new(able_reply))]);

    let replay = stage.press("r");
    let scores = stage.press("<esc>3wr");
    let earlier = stage.press("<esc>Fr");
    let playhead = stage.press("jjjjl");

    assert!(replay.contains("turn 1 ") && replay.contains("at the playhead"), "{replay}");
    assert!(scores.contains("turn 56") && scores.contains("shown in this view"), "{scores}");
    assert!(earlier.contains("turn 39") && earlier.contains("shown in this view"), "{earlier}");
    assert!(playhead.contains("turn 1 ") && playhead.contains("at the playhead"), "{playhead}");
}

#[test]
fn a_judging_is_stopped_and_gone_on_with() {
    let gate = Gate::default();
    let server = held_at("C03", &gate);
    let mut stage = Stage::new((120, 40), vec![stub_judge(&server)]);
    stage.press("r");
    stage.press_until("<enter>", &["judge 2/24", "tool calls 3/8"]);

    let stopped = stage.press_until("X", &["R resumes"]);
    gate.open();
    insta::assert_snapshot!("stopped_120x40", stopped);
    assert_eq!(score_pairs(&stage.desk.only()).len(), 2);

    let end = stage.press("R");
    assert!(end.contains("24/24"), "{end}");
    assert_eq!(score_pairs(&stage.desk.only()).len(), 24);
    let nothing_left = stage.press("R");
    assert!(nothing_left.contains("all items are judged"), "{nothing_left}");
}

#[test]
fn a_server_that_fails_is_told_in_the_pane() {
    let server = Server::new(|asked: &Asked| match asked.component.as_str() {
        "C01" => able_reply(asked),
        _ => Say::Status(500, vec![], json!({"error": {"message": "out of memory"}}).to_string()),
    });
    let mut judge = stub_judge(&server);
    judge.retries = 1;
    let mut stage = Stage::new((120, 40), vec![judge]);

    let end = stage.press("r<enter>");

    insta::assert_snapshot!("failing_120x40", end);
    let detail = stage.press("j<enter>");
    assert!(detail.contains("the server failed (500): out of memory"), "{detail}");
}

#[test]
fn a_key_that_a_server_repeats_is_not_on_the_screen() {
    // A variable that every test has, and whose value no frame has a reason to show.
    let name = "CARGO_MANIFEST_DIR";
    let key = std::env::var(name).unwrap();
    let server = Server::new(|asked: &Asked| {
        let sent = asked.headers.iter().find(|(name, _)| name == "authorization");
        let said = format!("bad key: {}", sent.unwrap().1);
        match asked.results.len() {
            0 if asked.component == "C01" => Say::Calls(vec![("read", json!({"path": said}))]),
            _ => Say::Status(401, vec![], json!({"error": {"message": said}}).to_string()),
        }
    });
    let mut judge = stub_judge(&server);
    judge.key_env = Some(name.into());
    let mut stage = Stage::new((160, 45), vec![judge]);

    let end = stage.press("r<enter>");
    let detail = stage.press("<enter>");

    assert!(end.contains("[key]") && detail.contains("[key]"), "{end}\n{detail}");
    let state = format!("{:?}", stage.screen.app_mut());
    for text in [end, detail, state] {
        assert!(!text.contains(&format!("Bearer {key}")));
    }
}

#[test]
fn what_is_missing_to_ask_is_a_sentence() {
    let server = Server::new(able_reply);
    let mut nobody = Stage::new((120, 40), vec![]);
    insta::assert_snapshot!("no_judge_120x40", nobody.press("r"));
    insta::assert_snapshot!("no_judge_60x15", Stage::new((60, 15), vec![]).press("r"));
    assert!(nobody.press("<enter>").contains("no judge available"));

    let mut keyless = stub_judge(&server);
    keyless.key_env = Some("TRAJVIEW_NO_SUCH_KEY".into());
    let mut stage = Stage::new((120, 40), vec![keyless]);
    let form = stage.press("r");
    assert!(form.contains("TRAJVIEW_NO_SUCH_KEY"), "{form}");
    assert!(stage.press("<enter>").contains("ask a judge"), "it stays at the form");

    let desk = Desk::new("");
    std::fs::remove_file(desk.run().join("components.json")).unwrap();
    let form = Stage::with_desk(desk, (120, 40), vec![stub_judge(&server)]).press("r");
    assert!(form.contains("components.json is not there"), "{form}");

    let log = common::project_path("sample-runs").join("codex-p12/session");
    let wishes = ScreenOptions { judges: vec![stub_judge(&server)], ..ScreenOptions::default() };
    let size = Size { width: 120, height: 40 };
    let mut screen =
        HeadlessScreen::open(RunOpener::Disk, &[log], size, StartPlace::default(), wishes).unwrap();
    screen.press_keys("r").unwrap();
    let form = export::frame_text(&screen.draw_frame());
    assert!(form.contains("not a run bundle"), "{form}");
    assert_eq!(server.seen_requests().len(), 0);
}

#[test]
fn every_checkpoint_is_judged_one_after_the_other() {
    let server = Server::new(able_reply);
    let mut stage = Stage::new((160, 45), vec![stub_judge(&server)]);
    stage.press("r");

    // Components: those marked by hand; state: every checkpoint.
    let form = stage.press("jjj4l 6j <space> jj<space> ggjjjj2l");
    insta::assert_snapshot!("marked_160x45", form);
    let end = stage.press("<enter>");

    insta::assert_snapshot!("every_checkpoint_160x45", end);
    let checkpoints =
        stage.screen.app_mut().screens.open_run().unwrap().session.run.checkpoints.len();
    assert_eq!(stage.desk.names().len(), checkpoints);
    let components: Vec<String> =
        server.seen_requests().into_iter().map(|it| it.component).collect();
    assert!(components.iter().all(|it| it == "C02" || it == "C04"), "{components:?}");
    let curves = stage.press("2w");
    assert!(curves.contains("MCF"), "{curves}");
}

#[test]
fn a_prompt_of_ones_own_is_typed() {
    let server = Server::new(able_reply);
    let desk = Desk::new("");
    let path = desk.folder.path().join("p.md");
    std::fs::write(&path, "Be kind.\n----- question -----\nComponent {id}: what of it?\n").unwrap();
    let mut stage = Stage::with_desk(desk, (120, 40), vec![stub_judge(&server)]);

    let wrong = stage.press("rG<space> G<space> /no/such/file <enter>");
    assert!(wrong.contains("cannot read /no/such/file"), "{wrong}");
    stage.press("<space><c-u>");
    stage.write(path.to_str().unwrap());
    stage.press("<enter>ggjjjl<enter>");

    let said = server.seen_requests()[0].body.to_string();
    assert!(said.contains("Be kind.") && said.contains("what of it?"), "{said}");
}

#[test]
fn a_judging_goes_on_while_another_run_is_open_and_is_there_when_its_own_is() {
    let gate = Gate::default();
    let server = held_at("C02", &gate);
    let mut stage = Stage::new((120, 40), vec![stub_judge(&server)]);
    stage.press("r");
    stage.press_until("<enter>", &["judge 1/24", "tool calls 3/8"]);

    let another = common::project_path("sample-runs/codex-rollout");
    stage.open(another);
    let other = stage.press_until("", &["J 1 elsewhere"]);
    assert!(!other.contains("judge 1/24"), "{other}");
    let jobs = stage.press_until("J", &["judging run, by stub m-1"]);
    assert!(jobs.contains("running") && jobs.contains("1/24"), "{jobs}");
    let warned = stage.press_until("<esc>q", &["a judge is running"]);
    assert!(warned.contains("quit again"), "{warned}");

    // Enter in the list opens its run with the pane.
    stage.press_until("J<enter>", &["judge 1/24", "calls ("]);
    gate.open();
    let end = stage.press("<esc>r");
    assert!(end.contains("24 judged"), "{end}");
    assert_eq!(score_pairs(&stage.desk.only()).len(), 24);
    let jobs = stage.press("J");
    assert!(jobs.contains("ended") && jobs.contains("24/24"), "{jobs}");
}

#[test]
fn a_judging_of_another_run_is_stopped_from_the_list_of_jobs() {
    let gate = Gate::default();
    let server = held_at("C02", &gate);
    let mut stage = Stage::new((120, 40), vec![stub_judge(&server)]);
    stage.press("r");
    stage.press_until("<enter>", &["judge 1/24", "tool calls 3/8"]);
    stage.open(common::project_path("sample-runs/codex-rollout"));

    stage.press_until("JX", &["stopped", "1 verdicts saved"]);
    gate.open();
    let over = stage.press("X");

    assert!(over.contains("already finished"), "{over}");
    assert_eq!(score_pairs(&stage.desk.only()).len(), 1);
}

#[test]
fn a_click_chooses_a_job_another_one_opens_it_and_one_outside_closes_the_list() {
    let gate = Gate::default();
    let server = held_at("C02", &gate);
    let mut stage = Stage::new((120, 40), vec![stub_judge(&server)]);
    stage.press("r");
    stage.press_until("<enter>", &["judge 1/24", "tool calls 3/8"]);
    let jobs = stage.press_until("<esc>gcJ", &["judging run", "measuring run"]);
    let row = jobs.lines().position(|line| line.contains("measuring run")).unwrap() as u16;

    stage.point(MouseKind::Click, 30, row);
    stage.press_until("X", &["already finished"]);
    stage.point(MouseKind::WheelUp, 30, row);
    stage.point(MouseKind::Click, 0, 0);
    assert!(!stage.frame().contains("┌ jobs "));
    stage.press_until("grJ", &["┌ jobs "]);
    stage.point(MouseKind::Click, 30, row);
    stage.point(MouseKind::DoubleClick, 30, row);
    gate.open();

    let opened = stage.press("");
    assert!(opened.contains("[Curves]") && !opened.contains("┌ jobs "), "{opened}");
}

#[test]
fn before_anything_is_begun_the_list_of_jobs_says_what_begins_one() {
    // On so small a screen nothing is measured before the curves are opened.
    let nothing = Stage::new((60, 15), vec![]).press("J");

    assert!(nothing.contains("No jobs. r: ask a judge · U: re-score"), "{nothing}");
}

#[test]
fn every_job_is_in_one_list_with_how_far_it_is() {
    for (name, size) in [("80x24", (80, 24)), ("120x40", (120, 40)), ("200x50", (200, 50))] {
        let gate = Gate::default();
        let server = held_at("C03", &gate);
        let mut stage = Stage::new(size, vec![stub_judge(&server)]);
        stage.press("r");
        stage.press_until("<enter>", &["judge 2/24", "tool calls 3/8"]);

        let running = stage.press_until("<esc>2wJ", &["measuring run", "56/56", "2/24"]);
        gate.open();
        let ended = stage.press("<esc>J");

        insta::assert_snapshot!(format!("jobs_running_{name}"), without_first_score(&running));
        insta::assert_snapshot!(format!("jobs_ended_{name}"), ended);
    }
}

/// An environment in which this server stands in the place of a provider, with a key.
fn with_key(server: &Server) -> JudgeEnvironment {
    let set = [("OPENAI_API_KEY", judge_desk::KEY.to_owned()), ("OPENAI_BASE_URL", server.url())];
    JudgeEnvironment::with_variables(set.map(|(name, value)| (name.to_owned(), value)))
}

/// An environment in which this server answers as one of this machine.
fn with_server(server: &Server) -> JudgeEnvironment {
    let address = server.url().trim_end_matches("/v1").to_owned();
    JudgeEnvironment::default().with_server(LocalServer::ollama_server(address))
}

#[test]
fn a_key_in_the_environment_alone_is_enough_to_judge_one_component() {
    let server = Server::with_models(&["m-one", "m-two"], able_reply);
    let mut stage = Stage::with_environment((120, 40), with_key(&server));
    stage.press("3w<esc>");

    let form = stage.press("r");
    assert_eq!(server.list_requests(), [], "nothing is sent before the model is looked at");
    assert!(form.contains("openai") && form.contains("key in OPENAI_API_KEY"), "{form}");
    assert!(form.contains("no model of openai selected"), "{form}");

    let model = stage.press("jll");
    assert!(model.contains("m-two") && model.contains("no price known, 2 listed"), "{model}");
    let (path, headers) = server.list_requests().remove(0);
    let sent = headers.iter().find(|(name, _)| name == "authorization").unwrap();
    assert_eq!((path.as_str(), &*sent.1), ("/v1/models", &*format!("Bearer {}", judge_desk::KEY)));

    stage.press("jjl"); // the chosen component
    stage.press("<enter>");
    let judgement = stage.desk.only();
    assert_eq!(judge_desk::component_ids(&judgement), ["C01"]);
    let judge = &judgement["judge"];
    assert_eq!(
        (&judge["name"], &judge["protocol"], &judge["model"], &judge["kind"]),
        (&json!("openai"), &json!("chat"), &json!("m-two"), &json!("http"))
    );
    let frame = stage.frame();
    let state = format!("{:?}{frame}", stage.screen.app_mut());
    assert!(!state.contains(judge_desk::KEY));
}

#[test]
fn a_server_of_this_machine_alone_is_enough_to_judge_one_component() {
    let server = Server::with_models(&["qwen3:8b"], able_reply);
    let mut stage = Stage::with_environment((120, 40), with_server(&server));
    assert_eq!(server.list_requests(), [], "nobody is asked before the form opens");
    stage.press("3w<esc>");

    let form = stage.press("r");
    assert!(form.contains("ollama") && form.contains("qwen3:8b"), "{form}");
    assert_eq!(server.list_requests()[0].0, "/api/tags");

    stage.press("jjjl<enter>");
    let judgement = stage.desk.only();
    assert_eq!(judge_desk::component_ids(&judgement), ["C01"]);
    assert_eq!(judgement["judge"]["model"], "qwen3:8b");
    assert!(
        server
            .seen_requests()
            .iter()
            .all(|it| it.headers.iter().all(|(name, _)| name != "authorization"))
    );
}

#[cfg(unix)]
#[test]
fn an_installed_program_alone_is_enough_to_judge_one_component() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claude");
    let answer =
        r#"{"type":"result","result":"{\"level\": 3, \"rationale\": \"ok\", \"evidence\": []}"}"#;
    std::fs::write(&path, format!("#!/bin/sh\ncat >/dev/null\necho '{answer}'\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let here = folder.path().to_str().unwrap().to_owned();
    let mut stage = Stage::with_environment(
        (120, 40),
        JudgeEnvironment::with_variables([("PATH".to_owned(), here)]),
    );
    stage.press("3w<esc>");

    let form = stage.press("r");
    assert!(form.contains("claude-code") && form.contains("default model"), "{form}");
    stage.press("jjjl<enter>");

    let judgement = stage.desk.only();
    assert_eq!(score_pairs(&judgement), [("C01".to_owned(), Some(3))]);
    assert_eq!(judgement["judge"]["kind"], "command");
}

#[test]
fn the_form_offers_who_is_found_and_says_what_would_help_where_nobody_is() {
    let server = Server::with_models(&["m-one"], able_reply);
    for (name, size) in [("80x24", (80, 24)), ("120x40", (120, 40)), ("200x50", (200, 50))] {
        let mut found = Stage::with_environment(size, with_key(&server));
        insta::assert_snapshot!(format!("found_{name}"), found.press("rjl"));

        let gate = Gate::default();
        let held = held_at("C01", &gate);
        let mut running = Stage::with_environment(size, with_key(&held));
        running.press("3wrj<space>m-typed<enter>jjl"); // the chosen component alone
        // The warning comes with the file that is being filled, which is read while the judge is asked.
        let words = ["judge 0/1", "tool calls 3/8", "⚠ 1"];
        let middle = running.press_until("<enter>", &words);
        gate.open();
        insta::assert_snapshot!(format!("found_running_{name}"), middle);
        insta::assert_snapshot!(format!("found_ended_{name}"), running.press("gg"));

        let mut nobody = Stage::with_environment(size, JudgeEnvironment::default());
        insta::assert_snapshot!(format!("nobody_{name}"), nobody.press("r"));
    }
}

/// Remembers what is kept, as a settings file does.
#[derive(Default)]
struct Settled(Mutex<Vec<JudgeConfig>>);

impl trajview::runtime::JudgeSettings for Settled {
    fn read_judges(&self) -> Result<(Vec<JudgeConfig>, Vec<String>), String> {
        Ok((self.0.lock().unwrap().clone(), vec![]))
    }

    fn add_judge(&self, judge: &JudgeConfig) -> Result<std::path::PathBuf, String> {
        self.0.lock().unwrap().push(judge.clone());
        Ok("settings.toml".into())
    }
}

#[test]
fn a_judge_that_is_kept_is_of_the_settings_at_once() {
    let server = Server::with_models(&["m-one"], able_reply);
    let file = Arc::new(Settled::default());
    let wishes = ScreenOptions {
        environment: with_key(&server),
        settings_file: Some(JudgeSettingsFile(file.clone())),
        ..ScreenOptions::default()
    };
    let mut stage = Stage::with_options(Desk::new(""), (120, 40), wishes);

    let too_early = stage.press("rK");
    assert!(too_early.contains("no model of openai selected"), "{too_early}");
    let kept = stage.press("jlK");

    assert!(kept.contains("[judges.openai] in settings.toml"), "{kept}");
    assert!(kept.contains("chat, from the settings"), "{kept}");
    let judge = file.0.lock().unwrap()[0].clone();
    assert_eq!((&*judge.model, judge.key_env.as_deref()), ("m-one", Some("OPENAI_API_KEY")));
    assert!(stage.press("K").contains("is already in the settings"));
}

#[test]
fn settings_are_read_again_when_the_form_opens() {
    let server = Server::new(able_reply);
    let file = Arc::new(Settled::default());
    let wishes = ScreenOptions {
        settings_file: Some(JudgeSettingsFile(file.clone())),
        ..ScreenOptions::default()
    };
    let mut stage = Stage::with_options(Desk::new(""), (120, 40), wishes);
    assert!(stage.press("r").contains("No judge is configured"));

    file.0.lock().unwrap().push(stub_judge(&server));
    let form = stage.press("rr");

    assert!(form.contains("stub") && form.contains("from the settings"), "{form}");
}

/// Flags by the script, but of one group nothing before the gate is open, and of another nothing that can be read.
fn flags_held_at(group: &'static str, gate: &Gate) -> Server {
    let (gate, sittings) = (gate.clone(), Sittings::default());
    Server::new(move |asked| {
        let checkpoint = sittings.of(asked);
        match asked.component.as_str() {
            "caution" => return Say::Text("It is all fine.".into()),
            it if it == group && asked.results.len() == 1 => gate.pass(),
            _ => {}
        }
        scripted_reply(asked, checkpoint)
    })
}

#[test]
fn flags_are_asked_for_by_groups_of_criteria() {
    for (name, size) in [("160x45", (160, 45)), ("80x24", (80, 24))] {
        let gate = Gate::default();
        let server = flags_held_at("duplication", &gate);
        let mut stage = Stage::new(size, vec![stub_judge(&server)]);

        let form = stage.press("rjjl jj3l"); // rubric: flags; state: the first checkpoint
        assert_eq!(server.seen_requests().len(), 0);
        let middle = stage.press_until("<enter>", &["judge 4/6", "tool calls 1/8"]);
        gate.open();
        let end = stage.press_until("", &["6/6", "1 without an answer"]);
        let detail = stage.press("4j<enter>");

        insta::assert_snapshot!(format!("flags_form_{name}"), form);
        insta::assert_snapshot!(format!("flags_middle_{name}"), middle);
        insta::assert_snapshot!(format!("flags_end_{name}"), end);
        insta::assert_snapshot!(format!("flags_detail_{name}"), detail);
        let all = read_flaggings(&stage.desk);
        assert_eq!(all.len(), 1);
        assert_eq!(flag_texts(&all[0]), ["reinvented-helper ppdiff/data.py:18-47 new"]);
        let scores = stage.press("<esc>3w%");
        assert!(scores.contains("reinvented-helper"), "{scores}");
    }
}

#[test]
fn marked_groups_are_flagged_at_every_checkpoint_and_carried_on() {
    for (name, size) in [("160x45", (160, 45)), ("80x24", (80, 24))] {
        let server = scripted_server();
        let mut stage = Stage::new(size, vec![stub_judge(&server)]);

        // Groups: those marked by hand; state: every checkpoint.
        let form = stage.press("rjjl jl 9j <space> j<space> ggjjjj2l");
        let end = stage.press("<enter>");

        insta::assert_snapshot!(format!("flags_marked_{name}"), form);
        insta::assert_snapshot!(format!("flags_every_checkpoint_{name}"), end);
        let all = read_flaggings(&stage.desk);
        let turns: Vec<usize> = all.iter().filter_map(|it| it.turn).collect();
        assert_eq!(turns, [6, 9, 15, 21, 26, 33, 39, 47, 56]);
        assert_eq!(flag_texts(&all[2])[1], "copied-logic ppdiff/nn.py:5-6 new");
        assert!(
            flag_texts(&all[4]).contains(&"reinvented-helper ppdiff/structures.py:18-47 c1".into())
        );
        assert!(flag_texts(&all[8]).contains(&"copied-logic ppdiff/nn.py:6-7 c3".into()));
        let groups = |at: usize| all[at].groups.iter().map(|it| it.id.as_str()).collect::<Vec<_>>();
        assert_eq!(groups(8), ["duplication", "shape"]);
    }
}

#[test]
fn flags_are_stopped_and_gone_on_with() {
    let gate = Gate::default();
    let server = flags_held_at("leftovers", &gate);
    let mut stage = Stage::new((80, 24), vec![stub_judge(&server)]);
    stage.press("rjjl");
    stage.press_until("<enter>", &["judge 3/6", "tool calls 1/8"]);

    let stopped = stage.press_until("X", &["R resumes"]);
    gate.open();
    assert!(stopped.contains("3 verdicts saved"), "{stopped}");
    assert_eq!(read_flaggings(&stage.desk)[0].groups.len(), 3);

    let end = stage.press("R");
    assert!(end.contains("6/6") && end.contains("5 judged, 1 without an answer"), "{end}");
    assert_eq!(read_flaggings(&stage.desk)[0].groups.len(), 6);
}

#[test]
fn criteria_of_ones_own_are_typed_and_need_no_components() {
    let server = scripted_server();
    let desk = Desk::new("");
    std::fs::remove_file(desk.run().join("components.json")).unwrap();
    let path = desk.folder.path().join("c.json");
    let criterion = |id: &str, group: &str| json!({"id": id, "name": format!("The {id}"), "type": "erosion", "category": group, "look_for": "It."});
    let own = json!({"schema": "trajview.criteria/1", "criteria": [criterion("a", "first"), criterion("b", "shape")]});
    std::fs::write(&path, own.to_string()).unwrap();
    let mut stage = Stage::with_desk(desk, (120, 40), vec![stub_judge(&server)]);

    let wrong = stage.press("rjjl jl 4j<space> jjl /no/such/file <enter>");
    assert!(wrong.contains("cannot read /no/such/file"), "{wrong}");
    stage.press("<space><c-u>");
    stage.write(path.to_str().unwrap());
    let form = stage.press("<enter>");
    assert!(form.contains("[ ] first  The a") && form.contains("[ ] shape  The b"), "{form}");
    let levels = stage.press("ggjjh");
    assert!(!levels.contains("The a") && !levels.contains("criteria"), "{levels}");
    stage.press("l G <space> <enter>");

    let asked: Vec<String> = server.seen_requests().into_iter().map(|it| it.component).collect();
    assert_eq!(asked, ["shape"]);
    assert_eq!(read_flaggings(&stage.desk)[0].groups.len(), 1);
}

/// The judge of [`decided`], and a run with decisions; frames are the same each time.
#[cfg(unix)]
fn decisions_stage(size: (u16, u16), script: Option<&str>) -> Stage {
    deciding_at(script.map_or_else(decided::decision_desk, decided::judged_by), size)
}

#[cfg(unix)]
fn deciding_at(desk: Desk, size: (u16, u16)) -> Stage {
    let mut settings = JudgeConfig::new("stub", JudgeKind::Command);
    let program = desk.folder.path().join("judge.sh").to_str().unwrap().to_owned();
    settings.command = vec!["sh".into(), program];
    settings.concurrency = 1;
    Stage::with_desk(desk, size, vec![settings])
}

#[cfg(unix)]
#[test]
fn decisions_are_asked_for_in_the_form_and_said_in_its_words() {
    for (name, size) in [("160x45", (160, 45)), ("80x24", (80, 24))] {
        let mut stage = decisions_stage(size, None);

        let form = stage.press("rjjll jjl"); // rubric: decisions; state: the end
        let form = form.replace(stage.desk.folder.path().to_str().unwrap(), "DIR");
        let end = stage.press_until("<enter>", &["3 judged, 1 without a verdict", "⚠ 1"]);
        let detail = stage.press("<enter>");

        insta::assert_snapshot!(format!("decisions_form_{name}"), form);
        insta::assert_snapshot!(format!("decisions_end_{name}"), end);
        insta::assert_snapshot!(format!("decisions_detail_{name}"), detail);
        assert_eq!(stage.desk.only()["rubric"], "decisions");
    }
}

#[cfg(unix)]
#[test]
fn decisions_are_marked_and_judged_at_every_checkpoint() {
    let mut stage = decisions_stage((120, 40), None);

    // Every checkpoint, then the decisions marked by hand, then the third of them.
    let form = stage.press("rjjll jjll kl 7j <space>");
    assert!(form.contains("1 of 4") && form.contains("[x] fixed-target"), "{form}");
    let end = stage.press_until("<enter>", &["9 judged, in 9 files"]);

    assert!(end.contains("fixed-target") && !end.contains("uniform-noise"), "{end}");
    assert!(end.contains("broken broken broken"), "{end}");
}

#[cfg(unix)]
#[test]
fn a_checkpoint_without_a_decision_is_left_out_and_said() {
    let desk = decided::decision_desk();
    let late = json!([{"id": "late", "question": "", "answer": "Samples stay whole.", "files": ["ppdiff/sampler.py"]}]);
    std::fs::write(desk.run().join("decisions.json"), late.to_string()).unwrap();
    let mut stage = deciding_at(desk, (120, 40));

    let form = stage.press("rjjll jjll");
    assert!(form.contains("skipped        nothing to judge after turn 6"), "{form}");
    let end = stage.press_until("<enter>", &["judged, nothing to judge after turn 6"]);

    assert!((1..9).contains(&stage.desk.names().len()), "{end}");
}

#[cfg(unix)]
#[test]
fn parts_of_the_process_are_asked_for_in_the_form() {
    let script = "prompt=$(cat)\ncase $prompt in\n*'Part DQ'*) echo '{\"level\": 2, \"rationale\": \"fair steps\", \"evidence\": []}' ;;\n\
         *) echo '{\"level\": 0, \"rationale\": \"no test\", \"evidence\": []}' ;;\nesac\n";
    let mut stage = decisions_stage((120, 40), Some(script));

    let form = stage.press("rjjlll jjl"); // rubric: process; state: the end
    let form = form.replace(stage.desk.folder.path().to_str().unwrap(), "DIR");
    let end = stage.press_until("<enter>", &["2 judged:", "0 none", "2 fair"]);

    insta::assert_snapshot!("process_form_120x40", form);
    insta::assert_snapshot!("process_end_120x40", end);
    assert_eq!(stage.desk.only()["rubric"], "process");
}

#[cfg(unix)]
#[test]
fn what_somebody_else_judged_is_there_without_opening_the_run_again() {
    let mut stage = decisions_stage((160, 45), None);
    let before = stage.press("8wvvv"); // the decisions
    assert!(before.contains("fixed-target") && !before.contains("broken"), "{before}");

    stage.desk.judge(&["--rubric", "decisions"]);
    stage.screen.send_message(AppMessage::Judged);
    let told = stage.press("j");
    assert!(told.contains("broken"), "{told}");

    // Whoever comes back to the view sees it too.
    std::fs::remove_dir_all(stage.desk.run().join("judgements")).unwrap();
    let back = stage.press("1w8w");
    assert!(!back.contains("broken"), "{back}");
}

#[test]
fn several_judges_are_asked_at_once_with_one_bound_and_the_progress_of_each() {
    for (name, size) in [("120x40", (120, 40)), ("80x24", (80, 24))] {
        let gate = Gate::default();
        let server = held_at("C04", &gate);
        let other = JudgeConfig { name: "other".into(), ..stub_judge(&server) };
        let mut stage = Stage::new(size, vec![stub_judge(&server), other]);
        stage.press("r");

        let one = stage.press("<space>");
        let form = stage.press("l");
        stage.press("j<space>");
        stage.write("3");
        let bound = stage.press("<enter>");
        let middle = stage.press_until("<enter>", &["judge 6/48", "$0.0440", "tool calls 3/8"]);
        let next = stage.press_until("f", &["▸stub 3/24", "tool calls 3/8"]);
        gate.open();
        let end = stage.press("<tab>");

        assert!(one.contains("already added; ←→ to another"), "{one}");
        assert!(form.contains("other with stub"), "{form}");
        assert!(bound.contains("the bound is"), "{bound}");
        assert!(middle.contains("▸other 3/24"), "{middle}");
        insta::assert_snapshot!(format!("panel_form_{name}"), bound);
        // Two judges work at once: the order of their calls is no test's to say.
        assert!(next.contains("▸stub 3/24") && next.contains("other 3/24"), "{next}");
        assert!(end.contains("48/48"), "{end}");
        let names = stage.desk.names();
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(names[0].starts_with("other-") && names[1].starts_with("stub-"), "{names:?}");
    }
}

#[test]
fn a_bound_of_all_judges_stops_them_before_it_is_crossed() {
    let server = Server::new(able_reply);
    let other = JudgeConfig { name: "other".into(), ..stub_judge(&server) };
    let mut stage = Stage::new((120, 40), vec![stub_judge(&server), other]);

    stage.press("r<space>lj<space>");
    stage.write("0.0001");
    stage.press("<enter>");
    let end = stage.press_until("<enter>", &["the cost bound of all"]);

    assert!(end.contains("other: "), "{end}");
    assert_eq!(server.seen_requests().len(), 0);
}
