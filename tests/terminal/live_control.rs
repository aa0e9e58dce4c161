//! A run that somebody watches: events out, wishes in, an agent in a terminal.

use std::{fs, path::PathBuf};

use serde_json::Value;
use trajview::live::{
    self, LiveRunEnd, RunControl, RunHalt, RunJob, StartMode,
    drivers::command::{ProgramOptions, PromptDelivery, RewindOption, SessionOption},
    script::RequestScript,
    setup::RunSetup,
};
use trajview::run::live::{LiveCommand, LiveEvent, WaitReason};

struct Desk {
    folder: tempfile::TempDir,
    job: RunJob,
}

fn agent_path(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(name);
    path.to_str().unwrap().to_owned()
}

fn plain_agent() -> ProgramOptions {
    ProgramOptions {
        start: vec!["sh".into(), agent_path("plain.sh"), "{session}".into()],
        session: SessionOption::Chosen,
        logs: vec!["logs/*.jsonl".into()],
        input_pointer: "/usage/in".into(),
        output_pointer: "/usage/out".into(),
        rewind: RewindOption::Logs,
        ..ProgramOptions::default()
    }
}

fn typed_agent() -> ProgramOptions {
    ProgramOptions {
        start: vec!["sh".into(), agent_path("typed.sh")],
        prompt: PromptDelivery::Pty,
        end_marker: "ready> $".into(),
        ..ProgramOptions::default()
    }
}

impl Desk {
    fn new(words: ProgramOptions, requests: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let requests: Vec<Value> = requests
            .iter()
            .map(|text| serde_json::json!({"text": text, "checkpoint": null}))
            .collect();
        let script = serde_json::json!({"task": "t", "requests": requests}).to_string();
        let mut setup = RunSetup::new("sh", folder.path().join("work"));
        setup.command = Some(words);
        setup.folders.keeps_work = true;
        setup.limits.timeouts.turn = 60.0;
        setup.limits.timeouts.patience = 0.5;
        let job = RunJob {
            setup,
            script: RequestScript::parse_script(script.as_bytes()).unwrap(),
            bundle: folder.path().join("run"),
            components: None,
            layers: Default::default(),
            has_person: false,
            step_by_step: false,
            earlier_refusals: None,
        };
        Self { folder, job }
    }

    /// Runs it; the watcher is told everything and may wish for something.
    fn run(&self, mut watch: impl FnMut(&LiveEvent, &RunControl)) -> (LiveRunEnd, Vec<LiveEvent>) {
        let control = RunControl::default();
        let mut events = vec![];
        let ended = live::run_job(&self.job, StartMode::Anew, &control, &mut |event| {
            events.push(event.clone());
            watch(event, &control);
        });
        (ended.unwrap(), events)
    }

    fn run_json(&self) -> Value {
        serde_json::from_slice(&fs::read(self.job.bundle.join("run.json")).unwrap()).unwrap()
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join("work/workspace").join(name)).unwrap_or_default()
    }
}

fn send_commands(control: &RunControl, wishes: impl IntoIterator<Item = LiveCommand>) {
    assert!(wishes.into_iter().all(|it| control.send_command(it)));
}

#[test]
fn requests_wait_and_may_be_edited_skipped_and_done_again() {
    let mut desk = Desk::new(
        plain_agent(),
        &[
            "do: echo one >>out",
            "do: echo two >>out",
            "do: echo three >>out",
            "do: echo four >>out",
        ],
    );
    desk.job.step_by_step = true;
    let mut waits = 0;

    let (ended, events) = desk.run(|event, control| {
        let LiveEvent::Waits { why: WaitReason::StepByStep, .. } = event else { return };
        waits += 1;
        match waits {
            1 => send_commands(
                control,
                [LiveCommand::Edit("do: echo uno >>out".into()), LiveCommand::GoOn],
            ),
            2 => send_commands(control, [LiveCommand::Skip]),
            3 => send_commands(control, [LiveCommand::GoOn]),
            4 => send_commands(control, [LiveCommand::Retry]),
            5 => send_commands(
                control,
                [LiveCommand::Edit("do: echo tres >>out".into()), LiveCommand::GoOn],
            ),
            6 => send_commands(control, [LiveCommand::GoOn]),
            _ => panic!("nothing waits any more"),
        }
    });

    assert!(ended.halted.is_none());
    assert_eq!((ended.total.turns, ended.requests, waits), (3, 3, 6));
    assert_eq!(desk.file("out"), "uno\ntres\nfour\n");
    let run = desk.run_json();
    let attempts: Vec<u64> =
        run["turns"].as_array().unwrap().iter().map(|it| it["attempt"].as_u64().unwrap()).collect();
    assert_eq!(attempts, [1, 2, 1]);
    let script: Value =
        serde_json::from_slice(&fs::read(desk.job.bundle.join("script.json")).unwrap()).unwrap();
    assert_eq!(script["requests"][0]["original"], "do: echo one >>out");
    assert_eq!(script["skipped"][0]["text"], "do: echo two >>out");
    assert_eq!(script["requests"][1]["number"], 3);
    assert!(events.iter().any(|event| matches!(event, LiveEvent::Skipped { .. })));
    // The session goes on from where it was before the turn that was done again.
    let log = fs::read_dir(desk.job.bundle.join("session")).unwrap().flatten().next().unwrap();
    let log = fs::read_to_string(log.path()).unwrap();
    assert!(log.contains("tres") && !log.contains("echo three"), "{log}");
}

#[test]
fn a_pause_holds_the_next_request_and_stopping_keeps_what_is_done() {
    let desk =
        Desk::new(plain_agent(), &["do: echo 1 >>out", "do: echo 2 >>out", "do: echo 3 >>out"]);

    let (ended, events) = desk.run(|event, control| match event {
        LiveEvent::TurnBegan { turn: 1, .. } => send_commands(control, [LiveCommand::Pause]),
        LiveEvent::Waits { turn: 2, why: WaitReason::Paused, .. } => {
            send_commands(control, [LiveCommand::GoOn])
        }
        LiveEvent::TurnBegan { turn: 3, .. } => send_commands(control, [LiveCommand::Stop]),
        _ => {}
    });

    assert!(matches!(ended.halted, Some(RunHalt::Stopped)));
    assert_eq!(ended.total.turns, 2);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, LiveEvent::Waits { why: WaitReason::Paused, .. }))
    );
    let run = desk.run_json();
    assert_eq!(run["state"], "stopped: it was asked to stop");
    let control = RunControl::default();
    let job = RunJob::from_bundle(&desk.job.bundle).unwrap();
    let ended = live::run_job(&job, StartMode::Resume, &control, &mut |_| {}).unwrap();
    assert!(ended.halted.is_none());
    assert_eq!(desk.file("out"), "1\n2\n3\n");
}

#[test]
fn a_turn_that_fails_waits_for_the_person_who_watches() {
    let mut desk = Desk::new(
        plain_agent(),
        &["do: echo 1 >>out", "do: echo 2 >>out; test -f ../../ok || exit 4"],
    );
    desk.job.has_person = true;
    let ok = desk.folder.path().join("ok");
    let mut why = String::new();

    let (ended, _) = desk.run(|event, control| {
        if let LiveEvent::Waits { turn: 2, why: WaitReason::Failed(said), .. } = event {
            why.clone_from(said);
            fs::write(&ok, "").unwrap();
            send_commands(control, [LiveCommand::GoOn]);
        }
    });

    assert_eq!(why, "the agent failed (exit code 4)");
    assert!(ended.halted.is_none());
    assert_eq!(desk.file("out"), "1\n2\n");
}

#[test]
fn a_turn_under_way_is_done_again_when_that_is_wanted() {
    let desk = Desk::new(
        plain_agent(),
        &["do: echo x >>../../tries; echo 1 >>out; test -f ../../ok || sleep 60"],
    );
    let ok = desk.folder.path().join("ok");
    let tries = desk.folder.path().join("tries");

    let (ended, _) = desk.run(|event, control| {
        if let LiveEvent::TurnBegan { attempt: 1, .. } = event {
            let (control, ok, job) = (control.clone(), ok.clone(), desk.job.clone());
            std::thread::spawn(move || {
                // What it has changed so far can be seen from beside it.
                while !live::live_changes::patch_so_far(&job).unwrap_or_default().contains("\n+1\n")
                {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                fs::write(ok, "").unwrap();
                control.send_command(LiveCommand::Retry);
            });
        }
    });

    assert!(ended.halted.is_none());
    assert_eq!(desk.file("out"), "1\n");
    assert_eq!(fs::read_to_string(tries).unwrap(), "x\nx\n");
}

#[test]
fn an_agent_in_a_terminal_is_typed_to_and_what_it_shows_is_recorded() {
    let desk = Desk::new(
        typed_agent(),
        &[
            "First,\nwith two lines. do: echo 1 >one",
            "Then do: echo gr\u{fc}n; rm one",
            "Last do: printf 'a?\\n'; read answer; echo $answer >two",
        ],
    );

    let (ended, events) = desk.run(|event, control| match event {
        LiveEvent::TurnBegan { turn: 2, .. } => {
            send_commands(control, [LiveCommand::Resize(100, 30)])
        }
        LiveEvent::Terminal(bytes) if bytes.ends_with(b"a?\r\n") => {
            send_commands(control, [LiveCommand::Keys(b"the answer\r".to_vec())]);
        }
        _ => {}
    });

    assert!(ended.halted.is_none(), "{:?}", ended.halted);
    assert_eq!(desk.file("two"), "the answer\n");
    let started = events
        .iter()
        .filter(|event| matches!(event, LiveEvent::Started { has_terminal: true, .. }));
    assert_eq!(started.count(), 1, "one process for all turns");
    let shown: Vec<u8> = events
        .iter()
        .filter_map(
            |event| if let LiveEvent::Terminal(bytes) = event { Some(bytes.clone()) } else { None },
        )
        .flatten()
        .collect();
    let shown = String::from_utf8(shown).unwrap();
    assert!(
        shown.starts_with("terminal of 120 columns\r\nready> First, with two lines."),
        "{shown}"
    );
    let cast = fs::read_to_string(desk.job.bundle.join("session/terminal.cast")).unwrap();
    let mut lines = cast.lines();
    let head: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(
        (&head["version"], &head["width"], &head["height"]),
        (&2.into(), &120.into(), &40.into())
    );
    let events: Vec<(f64, String, String)> =
        lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let played: String =
        events.iter().filter(|it| it.1 == "o").map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(played, shown);
    assert!(events.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    assert!(events.iter().any(|(_, kind, data)| kind == "r" && data == "100x30"));
    assert!(events.iter().any(|(_, kind, data)| kind == "m" && data == "turn 3"));
    assert_eq!(desk.run_json()["turns"][2]["state"], "done");
}

#[test]
fn an_agent_that_leaves_its_terminal_has_failed() {
    let desk = Desk::new(typed_agent(), &["do: echo 1 >one", "do: echo bye; exit 0"]);

    let (ended, _) = desk.run(|_, _| {});

    let Some(RunHalt::Failed { turn: 2, why }) = ended.halted else { panic!("{:?}", ended.halted) };
    assert_eq!(why, "the agent ended (exit code 0) before its turn was over");
    assert_eq!(desk.file("one"), "1\n");
}

#[test]
fn a_turn_that_is_to_be_done_again_stays_when_that_is_skipped() {
    let mut desk =
        Desk::new(plain_agent(), &["do: echo 1 >>out", "do: echo 2 >>out", "do: echo 3 >>out"]);
    desk.job.step_by_step = true;
    let mut waits = vec![];

    let (ended, events) = desk.run(|event, control| {
        let LiveEvent::Waits { turn, .. } = event else { return };
        waits.push(*turn);
        match waits.len() {
            1 => send_commands(control, [LiveCommand::GoOn]),
            2 => send_commands(control, [LiveCommand::Retry]),
            3 => send_commands(
                control,
                [LiveCommand::Edit("do: echo other >>out".into()), LiveCommand::Skip],
            ),
            4 => send_commands(control, [LiveCommand::GoOn]),
            5 => send_commands(control, [LiveCommand::Retry, LiveCommand::GoOn]),
            6 => send_commands(control, [LiveCommand::GoOn]),
            _ => panic!("nothing waits any more"),
        }
    });

    assert!(ended.halted.is_none());
    assert_eq!(waits, [1, 2, 1, 2, 3, 3]);
    assert_eq!(desk.file("out"), "1\n2\n3\n");
    let attempts: Vec<u64> = desk.run_json()["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| turn["attempt"].as_u64().unwrap())
        .collect();
    assert_eq!(attempts, [1, 2, 1]);
    let script = fs::read_to_string(desk.job.bundle.join("script.json")).unwrap();
    assert!(!script.contains("other") && !script.contains("skipped"), "{script}");
    assert!(events.contains(&LiveEvent::Redo { turn: Some(1) }));
    assert!(events.contains(&LiveEvent::Redo { turn: None }));
}

#[test]
fn what_a_person_types_between_two_turns_is_a_turn_of_its_own() {
    let mut desk = Desk::new(typed_agent(), &["do: echo 1 >one", "do: echo 2 >two"]);
    desk.job.step_by_step = true;
    let mut waits = 0;

    let (ended, events) = desk.run(|event, control| {
        let LiveEvent::Waits { .. } = event else { return };
        waits += 1;
        match waits {
            2 => send_commands(
                control,
                b"do: echo mine >free\r".iter().map(|key| LiveCommand::Keys(vec![*key])),
            ),
            _ => send_commands(control, [LiveCommand::GoOn]),
        }
    });

    assert!(ended.halted.is_none(), "{:?}", ended.halted);
    assert_eq!((ended.total.turns, ended.requests, waits), (3, 3, 3));
    let run = desk.run_json();
    let typed: Vec<&Value> =
        run["turns"].as_array().unwrap().iter().map(|it| &it["typed"]).collect();
    assert_eq!(typed, [&Value::Null, &Value::Bool(true), &Value::Null]);
    let script: Value =
        serde_json::from_slice(&fs::read(desk.job.bundle.join("script.json")).unwrap()).unwrap();
    assert_eq!(script["requests"][1]["text"], "do: echo mine >free");
    assert_eq!(script["requests"][1]["typed"], true);
    assert_eq!(script["requests"][2]["number"], 2);
    let of_turn = |number: usize| {
        events.iter().find_map(|event| match event {
            LiveEvent::TurnEnded(ended) if ended.turn == number => Some(ended.changed.clone()),
            _ => None,
        })
    };
    assert_eq!(of_turn(2), Some(vec!["free".to_owned()]));
    assert_eq!(of_turn(3), Some(vec!["two".to_owned()]));
    let read = trajview::store::open(&desk.job.bundle).unwrap();
    let before = read.run.turns[1].layer.as_deref().unwrap();
    assert!(before.starts_with("not in the script: a person typed this request"), "{before}");
    assert_eq!(read.run.turns[2].layer, None);
}

#[test]
fn an_agent_that_came_back_without_its_memory_is_told_of() {
    let mut desk =
        Desk::new(typed_agent(), &["do: echo 1 >one", "do: exit 3", "do: echo 3 >three"]);
    desk.job.setup.limits.on_failure = trajview::live::setup::OnFailure::Keep;

    let (ended, events) = desk.run(|_, _| {});

    assert!(ended.halted.is_none(), "{:?}", ended.halted);
    let run = desk.run_json();
    let forgot: Vec<&Value> =
        run["turns"].as_array().unwrap().iter().map(|it| &it["without_memory"]).collect();
    assert_eq!(forgot, [&Value::Null, &Value::Null, &Value::Bool(true)]);
    let sentence = "turn 3: the agent was restarted without memory of the previous turns";
    assert!(events.contains(&LiveEvent::Warned(sentence.into())));
    let read = trajview::store::open(&desk.job.bundle).unwrap();
    let before = read.run.turns[2].layer.as_deref().unwrap();
    assert!(before.starts_with("the agent was started anew for this turn"), "{before}");
}

/// Whether each turn was typed by a person, and what was typed while it was under way.
/// An agent of one process, whose log is a document of each process.
fn documents_agent() -> ProgramOptions {
    ProgramOptions {
        start: vec!["sh".into(), agent_path("documents.sh")],
        logs: vec!["documents/*.traj.json".into()],
        rewind: RewindOption::Restart,
        ..typed_agent()
    }
}

/// The attempt that failed once stayed in the document of the process before, and was read as a turn of its own.
#[test]
fn a_turn_that_failed_and_is_asked_again_stays_in_no_log_that_is_a_document() {
    let mut desk = Desk::new(documents_agent(), &["one", "two", "fail once", "four"]);
    desk.job.setup.limits.retries = 1;

    let (ended, _) = desk.run(|_, _| {});

    assert!(ended.halted.is_none(), "{ended:?}");
    assert_eq!(ended.total.turns, 4);
    let asked = asked_in_documents(&desk);
    assert_eq!(asked, [vec!["one", "two"], vec!["fail once", "four"]]);
    let run = trajview::store::open(&desk.job.bundle).unwrap().run;
    assert_eq!((run.turns.len(), run.warnings.as_slice()), (4, &[][..]));
}

#[test]
fn a_turn_that_failed_last_and_is_asked_again_after_a_stop_stays_in_no_document_either() {
    let desk = Desk::new(documents_agent(), &["one", "fail once", "three"]);
    let (ended, _) = desk.run(|_, _| {});
    assert!(matches!(ended.halted, Some(RunHalt::Failed { turn: 2, .. })), "{ended:?}");
    assert_eq!(asked_in_documents(&desk), [vec!["one", "fail once"]], "what it left is there");

    let job = RunJob::from_bundle(&desk.job.bundle).unwrap();
    let ended =
        live::run_job(&job, StartMode::Resume, &RunControl::default(), &mut |_| {}).unwrap();

    assert!(ended.halted.is_none(), "{ended:?}");
    assert_eq!(asked_in_documents(&desk), [vec!["one"], vec!["fail once", "three"]]);
    let run = trajview::store::open(&desk.job.bundle).unwrap().run;
    assert_eq!((run.turns.len(), run.warnings.as_slice()), (3, &[][..]));
}

/// What a person asked in each document of the bundle, the first document first.
fn asked_in_documents(desk: &Desk) -> Vec<Vec<String>> {
    let entries = fs::read_dir(desk.job.bundle.join("session")).unwrap().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "json"));
    paths.sort();
    let asked = |path: &PathBuf| {
        let document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let messages = document["messages"].as_array().unwrap().iter();
        let of_user = messages.filter(|message| message["role"] == "user");
        of_user.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    };
    paths.iter().map(asked).collect()
}

fn typed_of(run: &Value) -> Vec<(bool, Vec<String>)> {
    let texts = |turn: &Value| -> Vec<String> {
        let within = turn["typed_within"].as_array().cloned().unwrap_or_default();
        within.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    };
    let turns = run["turns"].as_array().unwrap();
    turns.iter().map(|turn| (turn["typed"] == true, texts(turn))).collect()
}

/// The texts of all requests, as they were asked.
fn asked_requests(desk: &Desk) -> Vec<String> {
    let script: Value =
        serde_json::from_slice(&fs::read(desk.job.bundle.join("script.json")).unwrap()).unwrap();
    let requests = script["requests"].as_array().unwrap();
    requests.iter().map(|it| it["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_a_person_types_during_a_turn_and_nobody_reads_is_the_next_turn() {
    let busy = "do: touch ../../busy; while ! test -e ../../go; do sleep 0.01; done; echo 1 >one";
    let desk = Desk::new(typed_agent(), &[busy, "do: echo 2 >two"]);
    let (at_work, go) = (desk.folder.path().join("busy"), desk.folder.path().join("go"));

    let (ended, events) = desk.run(|event, control| match event {
        LiveEvent::TurnBegan { turn: 1, .. } => {
            let (control, at_work) = (control.clone(), at_work.clone());
            std::thread::spawn(move || {
                while !at_work.exists() {
                    std::thread::yield_now();
                }
                send_commands(
                    &control,
                    b"do: echo mine >free\r".iter().map(|key| LiveCommand::Keys(vec![*key])),
                );
            });
        }
        LiveEvent::Queued(text) if text == "do: echo mine >free" => fs::write(&go, "").unwrap(),
        _ => {}
    });

    assert!(ended.halted.is_none(), "{:?}", ended.halted);
    assert_eq!(asked_requests(&desk), [busy, "do: echo mine >free", "do: echo 2 >two"]);
    let run = desk.run_json();
    assert_eq!(typed_of(&run), [(false, vec![]), (true, vec![]), (false, vec![])]);
    let changed: Vec<Vec<String>> = events
        .iter()
        .filter_map(|event| match event {
            LiveEvent::TurnEnded(ended) => Some(ended.changed.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(changed, [["one"], ["free"], ["two"]]);
    let said = run["provenance"].as_str().unwrap();
    assert!(said.contains("1 requests are not in the script: a person typed them"), "{said}");
}

#[test]
fn what_a_person_answers_belongs_to_its_turn_and_what_is_not_sent_to_none() {
    let ask = "do: printf 'a?\\n'; read answer; echo $answer >one; printf 'b?\\n'; read more";
    let desk = Desk::new(typed_agent(), &[ask, "do: echo 2 >two"]);

    let (ended, events) = desk.run(|event, control| match event {
        LiveEvent::Terminal(bytes) if bytes.ends_with(b"a?\r\n") => {
            send_commands(control, [LiveCommand::Keys(b"the answer\r".to_vec())]);
        }
        LiveEvent::Terminal(bytes) if bytes.ends_with(b"b?\r\n") => {
            send_commands(control, [LiveCommand::Keys(b"yes\rdo: echo 3 >thr".to_vec())]);
        }
        _ => {}
    });

    assert!(ended.halted.is_none(), "{:?}", ended.halted);
    assert_eq!(desk.file("one"), "the answer\n");
    assert_eq!((desk.file("two").as_str(), desk.file("thr").as_str()), ("2\n", ""));
    let run = desk.run_json();
    let answers = vec!["the answer".to_owned(), "yes".to_owned()];
    assert_eq!(typed_of(&run), [(false, answers), (false, vec![])]);
    let said = run["provenance"].as_str().unwrap();
    assert!(said.contains("1 turns include input that a person typed during the turn"), "{said}");
    let erased =
        "typed and not sent, so it was erased before the next request: do: echo 3 >thr".to_owned();
    assert!(events.contains(&LiveEvent::Warned(erased)));
    let read = trajview::store::open(&desk.job.bundle).unwrap();
    let words = read.run.turns[0].layer.as_deref();
    assert_eq!(words, Some("a person typed while it was under way: the answer / yes"));
}

#[test]
fn a_prompt_that_an_agent_kept_is_a_turn_of_its_own_and_one_that_steered_it_is_recorded() {
    use std::os::unix::fs::PermissionsExt;
    let requests =
        ["do: echo 1 >one; steer 'be quick'; keep='do: echo mine >free'", "do: echo 2 >two"];
    let mut desk = Desk::new(plain_agent(), &requests);
    let program = desk.folder.path().join("codex");
    let script = format!("#!/bin/sh\n. {}\n", agent_path("steered.sh"));
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    desk.job.setup.command = None;
    desk.job.setup.agent = "codex".into();
    desk.job.setup.program = Some(program);
    desk.job.setup.provider.base_url = None;
    desk.job.setup.provider.key_env = Some("PATH".into());
    desk.job.setup.in_terminal = true;

    let (ended, _) = desk.run(|_, _| {});

    assert!(ended.halted.is_none(), "{:?}", ended.halted);
    assert_eq!(asked_requests(&desk), [requests[0], "do: echo mine >free", requests[1]]);
    let run = desk.run_json();
    let steered = vec!["be quick".to_owned()];
    assert_eq!(typed_of(&run), [(false, steered), (true, vec![]), (false, vec![])]);
    let lines: Vec<(&Value, &Value)> = run["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| (&turn["first_line"], &turn["last_line"]))
        .collect();
    let lines = serde_json::to_string(&lines).unwrap();
    assert_eq!(lines, "[[1,5],[6,8],[9,11]]");
}

/// A library does not end what the program that uses it started for itself.
#[cfg(target_os = "linux")]
#[test]
fn a_child_of_the_program_in_a_session_of_its_own_outlives_a_run() {
    use std::process::{Command, Stdio};
    let desk = Desk::new(plain_agent(), &["do: true"]);
    let mut other = Command::new("setsid")
        .args(["sh", "-c", "echo begun; exec cat"])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(other.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut String::new()).unwrap();

    let (ended, _) = desk.run(|_, _| {});

    assert!(ended.halted.is_none());
    drop(other.stdin.take());
    assert_eq!(other.wait().unwrap().code(), Some(0), "it was ended with the agent");
}

#[test]
fn in_a_chat_every_prompt_that_is_typed_is_a_turn_with_a_commit() {
    let mut desk = Desk::new(typed_agent(), &["unused"]);
    desk.job.script = RequestScript::for_chat();
    desk.job.setup.in_terminal = true;
    desk.job.has_person = true;
    let mut waits = 0;

    let (ended, events) = desk.run(|event, control| {
        let LiveEvent::Waits { why: WaitReason::Prompt, .. } = event else { return };
        waits += 1;
        let keys = |text: &str| LiveCommand::Keys(text.as_bytes().to_vec());
        match waits {
            1 => send_commands(control, [keys("do: echo one"), keys(" >one\r")]),
            2 => send_commands(control, [LiveCommand::Skip, keys("do: echo twx\x7fo >two\r")]),
            3 => send_commands(control, [keys("\x04")]), // the end of its input, and so of the agent
            _ => panic!("nothing waits any more"),
        }
    });

    assert!(ended.halted.is_none(), "{ended:?}");
    assert_eq!((ended.total.turns, waits), (2, 3));
    let run = desk.run_json();
    assert_eq!(run["state"], "finished");
    let commits: Vec<&Value> =
        run["turns"].as_array().unwrap().iter().map(|turn| &turn["commit"]).collect();
    assert!(
        commits.len() == 2 && commits.iter().all(|it| it.is_string()) && commits[0] != commits[1]
    );
    let script: Value =
        serde_json::from_slice(&fs::read(desk.job.bundle.join("script.json")).unwrap()).unwrap();
    let texts: Vec<&str> = script["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["do: echo one >one", "do: echo two >two"]);
    assert!(run["provenance"].as_str().unwrap().contains("a free chat"), "{run}");
    let has_told = |words: &str| {
        events.iter().any(|it| matches!(it, LiveEvent::Warned(said) if said.contains(words)))
    };
    assert!(has_told("a chat has no next request"));
}

#[test]
fn a_person_ends_a_chat_between_two_turns() {
    let mut desk = Desk::new(typed_agent(), &["unused"]);
    desk.job.script = RequestScript::for_chat();
    desk.job.has_person = true;

    let (ended, _) = desk.run(|event, control| {
        if let LiveEvent::Waits { why: WaitReason::Prompt, .. } = event {
            send_commands(control, [LiveCommand::Stop]);
        }
    });

    assert!(ended.halted.is_none(), "{ended:?}");
    assert_eq!(desk.run_json()["state"], "finished");
}

/// What looks like the end of its turn in the log is none once it goes on: the log is asked again when the screen rests.
#[test]
fn an_agent_that_asks_after_words_of_its_own_works_on_with_the_answer() {
    use std::os::unix::fs::PermissionsExt;
    let mut desk = Desk::new(plain_agent(), &["do it"]);
    let program = desk.folder.path().join("gemini");
    fs::copy(agent_path("asking.sh"), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let setup = &mut desk.job.setup;
    (setup.agent, setup.command) = ("gemini".into(), None);
    (setup.program, setup.in_terminal) = (Some(program), true);
    desk.job.has_person = true;
    let mut looks = 0;

    let (ended, _) = desk.run(|event, control| {
        looks += usize::from(matches!(event, LiveEvent::LogGrew));
        if matches!(event, LiveEvent::LogGrew) && looks == 3 {
            send_commands(control, [LiveCommand::Keys(b"yes\r".to_vec())]);
        }
    });

    assert!(ended.halted.is_none(), "{:?}", ended.halted);
    assert_eq!(desk.file("out"), "yes\n");
    assert_eq!(desk.run_json()["turns"].as_array().map(Vec::len), Some(1));
}
