//! `trajview live` with small agents written in shell: what is recorded, what goes wrong, what goes on afterwards.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{Ran, cli_json, project_path, run_cli};

/// A place for one run.
pub struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    /// Runs the script with an agent that is one line of shell.
    pub fn shell(&self, line: &str) -> Ran {
        self.program(&["sh", "-c", line])
    }

    /// Runs the script with a program as its agent.
    fn program(&self, words: &[&str]) -> Ran {
        let (script, out) = (self.text("script.json"), self.text("run"));
        let own =
            ["live", "--agent", "command", "--script", &script, "--out", &out, "--headless", "--"];
        run_cli(&[&own, words].concat())
    }

    /// Requests, each with a checkpoint or none.
    pub fn new(requests: &[(&str, Option<&str>)]) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        let row = |(turn, (text, checkpoint)): (usize, &(&str, Option<&str>))| json!({"turn": turn + 1, "text": text, "checkpoint": checkpoint});
        let requests: Vec<Value> = requests.iter().enumerate().map(row).collect();
        let script = json!({
            "schema": "trajview.script/1", "task": "t", "condition": "emergent", "requests": requests
        });
        fs::write(desk.path("script.json"), script.to_string()).unwrap();
        let agent = project_path("tests/agents/plain.sh");
        fs::write(
            desk.path("config.toml"),
            format!(
                "[drivers.plain]\nstart = [\"sh\", \"{}\", \"{{session}}\"]\nsession = \"chosen\"\n\
                 logs = [\"logs/*.jsonl\"]\ninput_pointer = \"/usage/in\"\noutput_pointer = \"/usage/out\"\n\
                 denied = \"^not allowed\"\n",
                agent.display()
            ),
        )
        .unwrap();
        desk
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The words of a run of the plain agent.
    pub fn words(&self, more: &[&str]) -> Vec<String> {
        let mut words: Vec<String> =
            ["live", "--agent", "plain", "--script"].map(str::to_owned).to_vec();
        words.extend([self.text("script.json"), "--out".into(), self.text("run")]);
        words.extend(["--config".into(), self.text("config.toml"), "--headless".into()]);
        words.extend(["--work-dir".into(), self.text("run.work")]);
        words.extend(more.iter().map(|word| (*word).to_owned()));
        words
    }

    pub fn live(&self, more: &[&str]) -> Ran {
        let words = self.words(more);
        run_cli(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub fn resume(&self, more: &[&str]) -> Ran {
        let out = self.text("run");
        let mut words = vec!["live", "--resume", "--headless", "--out", &out];
        words.extend(more);
        run_cli(&words)
    }

    pub fn run_json(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path("run/run.json")).unwrap()).unwrap()
    }

    /// Number, state and attempt of every turn in `run.json`.
    pub fn turns(&self) -> Vec<String> {
        let run = self.run_json();
        let row = |turn: &Value| format!("{} {} {}", turn["turn"], turn["state"], turn["attempt"]);
        run["turns"].as_array().unwrap().iter().map(row).collect()
    }

    /// The bundle opens, and there is nothing to warn of.
    pub fn check(&self) {
        let ran = run_cli(&["check", &self.text("run")]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }

    /// The files after a turn, as `path content`.
    pub fn files(&self, turn: &str) -> Vec<String> {
        let run = self.text("run");
        let listed = run_cli(&["ls", &run, "--at", turn]);
        assert_eq!(listed.code, Some(0), "{}", listed.err);
        let paths =
            listed.out.lines().map(|line| line.split_whitespace().last().unwrap().to_owned());
        paths
            .map(|path| {
                let said = run_cli(&["cat", &run, &path, "--at", turn]).out;
                format!("{path} {}", said.trim_end())
            })
            .collect()
    }

    pub fn workspace(&self) -> PathBuf {
        self.path("run.work/workspace")
    }
}

pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{what} never happened");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn start_live(words: &[String]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(words)
        .env("TRAJVIEW_CONFIG", "")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

const THREE: [(&str, Option<&str>); 3] = [
    ("Write one.\ndo: echo 1 >one", Some("c1")),
    ("Write two.\ndo: mkdir sub; echo 2 >sub/two; ln -s two sub/link", None),
    ("Take one away.\ndo: git init -q .; rm one", Some("c2")),
];

#[test]
fn a_script_becomes_a_bundle_turn_by_turn() {
    let desk = Desk::new(&THREE);

    let ran = desk.live(&["--test", "test -f one && echo 'ok 1 - one is there'"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.turns(), ["1 \"done\" 1", "2 \"done\" 1", "3 \"done\" 1"]);
    desk.check();
    assert_eq!(desk.files("1"), ["one 1"]);
    assert_eq!(desk.files("2"), ["one 1", "sub/link two", "sub/two 2"]);
    assert_eq!(desk.files("3"), ["sub/link two", "sub/two 2"]);
    let shown = cli_json(&["show", &desk.text("run"), "--json"]);
    assert_eq!(shown["turns"][1]["steps"], 1, "{shown}");
    assert!(shown["turns"][1]["request"].as_str().unwrap().starts_with("Write two."));
    assert_eq!(shown["turns"][2]["tokens"]["input"], 10);
    let run = desk.run_json();
    assert_eq!(run["state"], "finished");
    assert_eq!(run["checkpoints"][1], json!({"id": "c2", "turn": 3, "label": null}));
    assert_eq!(run["turns"][1]["first_line"], 3);
    assert_eq!(run["turns"][1]["last_line"], 4);
    let tests = fs::read_to_string(desk.path("run/tests.jsonl")).unwrap();
    assert_eq!(tests.lines().count(), 2, "{tests}");
    assert!(tests.lines().next().unwrap().contains("one is there"));
    assert!(!desk.path("run.work").exists());
    assert!(ran.err.contains("turn 2 of 3: 2 files, 10 tokens in, 5 out"), "{}", ran.err);
}

#[test]
fn what_is_there_is_never_written_over() {
    let desk = Desk::new(&THREE);
    fs::create_dir(desk.path("run")).unwrap();
    fs::write(desk.path("run/mine"), "").unwrap();

    let ran = desk.live(&[]);

    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("exists already and is not empty"), "{}", ran.err);
    assert_eq!(fs::read_dir(desk.path("run")).unwrap().count(), 1);
    assert!(!desk.path("run.work").exists());
}

#[test]
fn one_request_is_made_of_the_script_or_of_a_specification() {
    let desk = Desk::new(&THREE);
    let ran = desk.live(&["--condition", "single-shot"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.files("1"), ["sub/link two", "sub/two 2"]);
    let run = desk.run_json();
    assert_eq!(run["condition"], "single-shot");
    assert_eq!(run["checkpoints"], json!([{"id": "final", "turn": 1, "label": null}]));
    assert!(run["provenance"].as_str().unwrap().contains("the request is all requests"));

    fs::remove_dir_all(desk.path("run")).unwrap();
    fs::write(desk.path("spec.md"), "All of it.\ndo: echo x >x").unwrap();
    let ran = desk.live(&["--condition", "single-shot", "--specification", &desk.text("spec.md")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.files("1"), ["x x"]);
}

#[test]
fn an_agent_that_fails_stops_the_run_and_the_turn_is_done_again() {
    let desk = Desk::new(&[
        ("One.\ndo: echo 1 >one", None),
        ("Two.\ndo: echo 2 >two; test -f ../allow || { echo no model >&2; exit 7; }", Some("c")),
    ]);

    let failed = desk.live(&[]);

    assert_eq!(failed.code, Some(1), "{}", failed.err);
    assert!(
        failed.err.contains("turn 2: the agent failed (exit code 7): no model"),
        "{}",
        failed.err
    );
    assert_eq!(desk.turns(), ["1 \"done\" 1", "2 \"cut\" 1"]);
    desk.check();
    fs::write(desk.path("run.work/tmp/../allow"), "").unwrap();
    let went_on = desk.resume(&[]);
    assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    assert_eq!(desk.turns(), ["1 \"done\" 1", "2 \"done\" 2"]);
    desk.check();
    assert_eq!(desk.files("final"), ["one 1", "two 2"]);
    let shown = cli_json(&["show", &desk.text("run"), "--json"]);
    assert_eq!(shown["turns"].as_array().unwrap().len(), 2);
    let again = desk.resume(&[]);
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("is over: 2 turns are done"), "{}", again.err);
}

#[test]
fn a_failed_turn_is_repeated_or_stands_where_that_is_wanted() {
    let desk =
        Desk::new(&[("One.\ndo: echo x >>tries; exit 3", None), ("Two.\ndo: echo 2 >two", None)]);

    let ran = desk.live(&["--retries", "2", "--on-failure", "keep"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.turns(), ["1 \"kept\" 3", "2 \"done\" 1"]);
    assert_eq!(desk.files("1"), ["tries x"]);
    desk.check();
}

#[test]
fn an_agent_that_hangs_is_cut_with_its_children() {
    let desk =
        Desk::new(&[("Wait.\ndo: trap '' INT TERM; (sleep 3; touch ../late) & sleep 60", None)]);
    let began = Instant::now();

    let ran = desk.live(&["--timeout-idle", "0.5", "--patience", "0.3"]);

    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("no output of the agent for 0.5 s; the agent was ended"),
        "{}",
        ran.err
    );
    assert!(began.elapsed() < Duration::from_secs(40));
    desk.check();
    std::thread::sleep(Duration::from_secs(3));
    assert!(!desk.path("run.work/late").exists());

    let desk = Desk::new(&[("Talk.\ndo: while :; do echo again; sleep 0.1; done", None)]);
    let ran = desk.live(&["--timeout-turn", "1"]);
    assert!(ran.err.contains("the turn was not over within 1 s"), "{}", ran.err);
}

#[test]
fn what_is_not_allowed_is_told_and_the_run_goes_on() {
    let desk = Desk::new(&[("Ask.\ndo: echo 'not allowed: rm -rf /'; echo 1 >one", None)]);
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.run_json()["turns"][0]["denied"], json!(["not allowed: rm -rf /"]));
    assert!(ran.err.contains("not allowed: rm -rf /"), "{}", ran.err);
}

#[test]
fn what_is_written_beside_the_workspace_is_told() {
    let desk = Desk::new(&[
        ("Out.\ndo: echo x >../out.txt; echo y >\"$HOME/Desktop\"", None),
        ("In.\ndo: :", None),
    ]);
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let run = desk.run_json();
    assert_eq!(run["turns"][0]["outside"], json!(["../out.txt", "home/Desktop", "home/logs"]));
    assert_eq!(run["turns"][1]["outside"], Value::Null);
    assert!(ran.err.contains("the agent wrote ../out.txt, outside its workspace"), "{}", ran.err);
    desk.check();
}

#[test]
fn a_flood_of_output_neither_stops_nor_fills_us() {
    let desk = Desk::new(&[(
        "Flood.\ndo: head -c 30000000 /dev/zero; yes | head -c 20000000; echo 1 >one",
        None,
    )]);
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.files("1"), ["one 1"]);
    assert!(ran.err.len() < 10_000);
}

#[test]
fn an_agent_that_uses_git_itself_is_recorded_all_the_same() {
    let desk = Desk::new(&[
        (
            "Commit.\ndo: git init -q -b main .; git config user.name a; git config user.email a@b; echo 1 >a; git add a; git commit -qm one",
            None,
        ),
        ("Move.\ndo: echo 2 >a; git commit -qam two; git checkout -q HEAD~1", None),
        ("Rename.\ndo: git mv a b; mkdir empty; mkfifo pipe", None),
        ("Nothing.", None),
    ]);
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.files("2"), ["a 1"]);
    assert_eq!(desk.files("4"), ["b 1"]);
    desk.check();
    let run = desk.run_json();
    assert_eq!(
        run["turns"][2]["not_recorded"],
        json!(["pipe: it is neither file, folder nor link"])
    );
    assert_eq!(run["turns"].as_array().unwrap().len(), 4);
}

#[test]
fn a_log_that_appears_late_or_never_is_no_trouble() {
    let desk = Desk::new(&[
        ("One.\ndo: echo 1 >one; rm -f $HOME/logs/*.jsonl; log=/dev/null", None),
        ("Two.\ndo: echo 2 >two", None),
    ]);
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    let run = desk.run_json();
    assert_eq!(run["turns"][0]["session"], Value::Null);
    assert_eq!(run["turns"][1]["first_line"], 1);
    let shown = cli_json(&["show", &desk.text("run"), "--json"]);
    assert!(shown["turns"][0]["request"].as_str().unwrap().starts_with("One."), "{shown}");
    assert_eq!(shown["turns"][1]["steps"], 1);
}

#[test]
fn a_disk_that_is_full_for_the_agent_or_for_us_leaves_a_bundle_that_opens() {
    let desk = Desk::new(&[
        ("One.\ndo: echo 1 >one", None),
        (
            "Fill.\ndo: (ulimit -f 8; trap '' XFSZ; head -c 100000 /dev/zero >big; echo $? >code)",
            None,
        ),
    ]);
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();

    let desk = Desk::new(&[
        ("One.\ndo: echo 1 >one", None),
        ("Much.\ndo: head -c 3000000 /dev/urandom >big", None),
        ("Two.\ndo: echo 2 >two", None),
    ]);
    let program = env!("CARGO_BIN_EXE_trajview");
    let words = desk.words(&[]).iter().map(|it| format!("'{it}'")).collect::<Vec<_>>().join(" ");
    // Files of ours may not grow beyond 200 KB; the agent's may, for it raises the soft limit again.
    let script = format!("ulimit -S -f 400; exec '{program}' {words}");
    let text = fs::read_to_string(desk.path("script.json")).unwrap();
    fs::write(
        desk.path("script.json"),
        text.replace("do: head", "do: ulimit -S -f unlimited; head"),
    )
    .unwrap();
    let Output { status, .. } =
        Command::new("sh").args(["-c", &script]).env("TRAJVIEW_CONFIG", "").output().unwrap();
    assert!(!status.success());
    desk.check();
    assert_eq!(desk.turns()[0], "1 \"done\" 1");
    let went_on = desk.resume(&[]);
    assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    assert_eq!(desk.turns().len(), 3);
    desk.check();
}

#[test]
fn a_run_that_was_killed_goes_on_with_every_turn_once() {
    let mut requests: Vec<(String, Option<&str>)> = (1..=6)
        .map(|turn| {
            (format!("Number {turn}.\ndo: echo {turn} >>count"), (turn % 3 == 0).then_some("c"))
        })
        .collect();
    requests[3].0 += "\ndo: echo half >half; test -f ../go || sleep 60; rm half";
    let requests: Vec<(&str, Option<&str>)> =
        requests.iter().map(|(text, c)| (text.as_str(), *c)).collect();
    let desk = Desk::new(&requests);
    let mut child = start_live(&desk.words(&[]));
    wait_for("half of turn 4", || desk.workspace().join("half").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    desk.check();
    assert_eq!(desk.turns().last().unwrap(), "4 \"begun\" 1");
    let before = fs::read(desk.path("run/live.jsonl")).unwrap();

    fs::write(desk.path("run.work/go"), "").unwrap();
    let ran = desk.resume(&[]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let numbers: Vec<String> = desk.turns();
    assert_eq!(numbers.len(), 6, "{numbers:?}");
    assert_eq!(numbers[3], "4 \"done\" 2");
    assert_eq!(desk.files("final"), ["count 1\n2\n3\n4\n5\n6"]);
    desk.check();
    let shown = cli_json(&["show", &desk.text("run"), "--json"]);
    let requests: Vec<String> = shown["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| turn["request"].as_str().unwrap().chars().take(9).collect())
        .collect();
    assert_eq!(
        requests,
        (1..=6).map(|it| format!("Number {it}.")).map(|it| it[..9].to_owned()).collect::<Vec<_>>()
    );
    let after = fs::read(desk.path("run/live.jsonl")).unwrap();
    assert!(after.starts_with(&before));
}

#[test]
fn whenever_it_is_killed_the_bundle_opens_and_goes_on() {
    let requests: Vec<String> = (1..=4)
        .map(|turn| format!("Number {turn}.\ndo: echo {turn} >>count; echo {turn} >file{turn}"))
        .collect();
    let requests: Vec<(&str, Option<&str>)> =
        requests.iter().map(|text| (text.as_str(), Some("c"))).collect();
    let desk = Desk::new(&requests);
    let mut child = start_live(&desk.words(&[]));
    wait_for("a bundle", || desk.path("run/run.json").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    for round in 0..8u64 {
        desk.check();
        let mut words: Vec<String> =
            ["live", "--resume", "--headless", "--out"].map(str::to_owned).to_vec();
        words.push(desk.text("run"));
        let mut child = start_live(&words);
        std::thread::sleep(Duration::from_millis(40 + round * 37));
        let _ = child.kill();
        child.wait().unwrap();
    }
    desk.check();
    let ran = desk.resume(&[]);
    assert!(matches!(ran.code, Some(0 | 2)), "{}", ran.err);
    assert_eq!(desk.turns().len(), 4);
    assert_eq!(desk.files("final")[0], "count 1\n2\n3\n4");
    desk.check();
}

#[test]
fn limits_stop_the_run_before_its_next_request() {
    let desk = Desk::new(&THREE);
    let ran = desk.live(&["--budget-tokens", "20"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("30 tokens are used; the limit is 20"), "{}", ran.err);
    assert_eq!(desk.turns().len(), 2);
    desk.check();
    let ran = desk.resume(&["--budget-tokens", "1000", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told["schema"], "trajview.live/1");
    assert_eq!(
        (&told["turns"], &told["finished"], &told["tokens"]["input"]),
        (&json!(3), &json!(true), &json!(30))
    );
}

#[test]
fn notes_go_before_each_request_and_are_recorded() {
    let desk = Desk::new(&[("One.\ndo: echo 'do: second' >/dev/null", None), ("Two.", None)]);
    fs::write(desk.path("notes.md"), "Mind the gap.\ndo: echo noted >>noted").unwrap();
    let ran = desk.live(&["--notes", &desk.text("notes.md")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let run = desk.run_json();
    assert_eq!(run["turns"][0]["layer"]["name"], "notes");
    assert!(run["turns"][0]["layer"]["added"].as_str().unwrap().starts_with("Mind the gap."));
    assert!(run["turns"][1]["layer"]["why"].as_str().unwrap().starts_with("the notes, unchanged"));
    assert_eq!(desk.files("2"), ["noted noted\nnoted"]);
    let shown =
        run_cli(&[&desk.text("run"), "--at", "2", "--snapshot", "120x30", "--ascii", "on"]).out;
    assert!(shown.contains("- before the request"), "{shown}");
    assert!(shown.contains("notes: the notes, unchanged"), "{shown}");
    assert!(shown.contains("2 Two."), "{shown}");
    let script: Value =
        serde_json::from_slice(&fs::read(desk.path("run/script.json")).unwrap()).unwrap();
    assert_eq!(script["requests"][1]["text"], "Two.");
    desk.check();
}

#[test]
fn a_key_never_reaches_a_file() {
    let desk = Desk::new(&[(
        "One.\ndo: echo \"$MY_API_KEY\"; printf '{\"k\": \"%s\"}\\n' \"$MY_API_KEY\" >>\"$log\"; echo \"$MY_API_KEY\" >&2; exit 3",
        None,
    )]);
    let words = desk.words(&["--pass", "MY_API_KEY", "--keep-work"]);
    let Output { stderr, .. } = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(&words)
        .env("TRAJVIEW_CONFIG", "")
        .env("MY_API_KEY", "sk-0123456789-abcdef")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&stderr);
    assert!(said.contains("exit code 3") && !said.contains("0123456789"), "{said}");
    let mut files = vec![];
    collect_files(&desk.path("run"), &mut files);
    collect_files(&desk.path("run.work/requests"), &mut files);
    assert!(files.len() > 5);
    for file in files {
        let bytes = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("0123456789"), "{}", file.display());
    }
    assert!(desk.run_json()["remarks"][0].as_str().unwrap().contains("a key stood in it"));
}

/// What is remarked, but for the folder that the agent has its log in.
fn run_remarks(run: &Value) -> Vec<&str> {
    let all = run["remarks"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    all.filter(|words| !words.contains("home/logs")).collect()
}

/// What the agent that looks for what it should not have is asked.
const PROBED: [(&str, Option<&str>); 2] =
    [("Look around.\ndo: probe", Some("c1")), ("The answer is forty-two.", None)];

const KEY: &str = "sk-0123456789-abcdef";

/// A desk for that agent, with an earlier run beside the bundle.
fn probing_desk() -> Desk {
    let desk = Desk::new(&PROBED);
    let agent = project_path("tests/agents/probe.sh");
    fs::copy(agent, desk.path("probe.sh")).unwrap();
    let words = ["probe.sh", "run", "script.json", "found"].map(|name| desk.text(name)).join(" ");
    let script = fs::read_to_string(desk.path("script.json")).unwrap();
    let script = script.replace("do: probe", &format!("do: sh {words}"));
    fs::write(desk.path("script.json"), script).unwrap();
    fs::create_dir(desk.path("earlier")).unwrap();
    fs::write(desk.path("earlier/run.json"), "{}").unwrap();
    desk
}

/// Runs it by way of another program, where words are given. What it found, as `place: yes` or `place: no`.
fn probe_sandbox(desk: &Desk, through: &[&str], more: &[&str]) -> (Ran, Vec<String>) {
    let mut words: Vec<String> = through.iter().map(|it| (*it).to_owned()).collect();
    let is_copied = !through.is_empty();
    let program = env!("CARGO_BIN_EXE_trajview");
    words.push(if is_copied { desk.text("trajview") } else { program.to_owned() });
    words.extend(desk.words(&["--pass", "NAMED_KEY"]));
    words.extend(more.iter().map(|it| (*it).to_owned()));
    let output = Command::new(&words[0])
        .args(&words[1..])
        .env("TRAJVIEW_CONFIG", "")
        .env("NAMED_KEY", KEY)
        .env("UNNAMED_KEY", "sk-another-0123456789")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let ran =
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let found = fs::read_to_string(desk.path("found")).unwrap();
    (ran, found.lines().map(str::to_owned).collect())
}

/// A place that the agent tried, whether it got there, and whether it does with `--no-hide`.
const OUTCOMES: [(&str, &str, &str); 15] = [
    ("bundle beside it", "no", "yes"),
    ("bundle by its path", "no", "yes"),
    ("run beside the bundle", "no", "yes"),
    ("script it was made of", "no", "yes"),
    ("bundle written to", "no", "yes"),
    ("cover taken away", "no", ""),
    ("our memory", "no", ""),
    ("our folder", "no", ""),
    ("our open files", "no", ""),
    ("our environment", "no", ""),
    ("open files of ours it inherited", "no", "no"),
    ("hook in the bundle's repository", "no", "yes"),
    ("key that was not passed", "no", "no"),
    ("key that was passed", "yes", "yes"),
    ("hook in its own repository", "yes", "yes"),
];

/// Whatever the agent could reach: no hook was run, nothing runs any more, and the key is nowhere in the bundle.
fn left_nothing(desk: &Desk) {
    assert!(!desk.path("hooked").exists(), "a hook of the agent's was run by us");
    assert_eq!(desk.run_json()["turns"][0]["left_running"], 2);
    for id in fs::read_to_string(desk.path("found.pids")).unwrap().split_whitespace() {
        assert!(!Path::new("/proc").join(id).exists(), "process {id} still runs");
    }
    let env = desk.files("1").into_iter().find(|file| file.starts_with("env.txt ")).unwrap();
    assert!(env.contains("NAMED_KEY=********************\n"), "{env}");
    let mut files = vec![];
    collect_files(&desk.path("run"), &mut files);
    let holds_key =
        |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).contains(KEY);
    assert_eq!(files.iter().find(|path| holds_key(path)), None);
}

fn keeps_everything_out_of_reach(desk: &Desk, through: &[&str]) {
    let (_, found) = probe_sandbox(desk, through, &[]);

    let run = desk.run_json();
    let provenance = run["provenance"].as_str().unwrap();
    let is_hidden = provenance.contains("the bundle was out of the agent's reach");
    assert!(is_hidden, "this test needs user and mount namespaces: {provenance}");
    let table = OUTCOMES.map(|(place, outcome, _)| format!("{place}: {outcome}"));
    assert_eq!(found, table);
    let covered = [1, 2].map(|turn| {
        format!("turn {turn}: a key stood in env.txt and is covered with stars in the commit")
    });
    assert_eq!(run_remarks(&run), covered);
    left_nothing(desk);
    desk.check();
}

#[test]
fn an_agent_reaches_neither_its_bundle_nor_us_and_leaves_nothing_running() {
    keeps_everything_out_of_reach(&probing_desk(), &[]);
}

/// Words that have a program run as nobody where we are root; the desk is theirs, and so is a copy of the program.
fn as_an_ordinary_user(desk: &Desk) -> Vec<&'static str> {
    use std::os::unix::fs::{MetadataExt, chown};
    fs::copy(env!("CARGO_BIN_EXE_trajview"), desk.path("trajview")).unwrap();
    fs::copy(project_path("tests/agents/plain.sh"), desk.path("plain.sh")).unwrap();
    let config = fs::read_to_string(desk.path("config.toml")).unwrap();
    let agent = project_path("tests/agents/plain.sh");
    let config = config.replace(agent.to_str().unwrap(), &desk.text("plain.sh"));
    fs::write(desk.path("config.toml"), config).unwrap();
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return vec!["env"];
    }
    let mut files = vec![desk.path(".")];
    collect_files(desk.folder.path(), &mut files);
    files.push(desk.path("earlier"));
    for path in files {
        chown(path, Some(65_534), Some(65_534)).unwrap();
    }
    vec!["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
}

#[test]
fn an_agent_of_an_ordinary_user_reaches_no_more() {
    let desk = probing_desk();
    let through = as_an_ordinary_user(&desk);
    keeps_everything_out_of_reach(&desk, &through);
}

#[test]
fn where_there_are_no_namespaces_the_recording_says_that_the_agent_could_reach_it() {
    let desk = probing_desk();
    fs::copy(env!("CARGO_BIN_EXE_trajview"), desk.path("trajview")).unwrap();
    let none = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";

    let (ran, found) = probe_sandbox(&desk, &["unshare", "-Ur", "sh", "-c", none, "sh"], &[]);

    assert!(found.contains(&"bundle by its path: yes".to_owned()), "{found:?}");
    let run = desk.run_json();
    let why = "the agent could read and change the bundle: \
               this system does not allow user and mount namespaces";
    assert!(run["provenance"].as_str().unwrap().contains(why), "{run}");
    assert!(ran.err.contains(why), "{}", ran.err);
    let changed = "turn 1: while the agent worked, script.json was changed, and not by trajview";
    assert!(run_remarks(&run).contains(&changed), "{run}");
    left_nothing(&desk);
}

#[test]
fn an_agent_that_could_reach_the_bundle_is_told_of_and_so_is_what_it_changed() {
    let desk = probing_desk();

    let (ran, found) = probe_sandbox(&desk, &[], &["--no-hide"]);

    let reached = OUTCOMES.iter().filter(|(_, _, outcome)| *outcome == "yes");
    for (place, _, _) in reached {
        assert!(found.contains(&format!("{place}: yes")), "{place}: {found:?}");
    }
    let run = desk.run_json();
    let provenance = run["provenance"].as_str().unwrap();
    assert!(provenance.contains("the agent could read and change the bundle: --no-hide was given"));
    let remarks = run_remarks(&run);
    assert_eq!(
        remarks[1..4],
        [
            "turn 1: while the agent worked, judgements/mine.json appeared, and not by trajview",
            "turn 1: while the agent worked, script.json was changed, and not by trajview",
            "turn 1: while the agent worked, workspace.git/hooks/reference-transaction appeared, and not by trajview",
        ]
    );
    assert!(ran.err.contains(remarks[2]), "{}", ran.err);
    let script = fs::read_to_string(desk.path("run/script.json")).unwrap();
    assert!(script.contains("forty-two"), "what was asked is what the script said: {script}");
    left_nothing(&desk);
}

#[test]
fn what_was_changed_while_a_run_rested_is_told_when_it_goes_on() {
    let desk = Desk::new(&THREE);
    let ran = desk.live(&["--budget-turns", "1"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let script = fs::read_to_string(desk.path("run/script.json")).unwrap();
    fs::write(desk.path("run/script.json"), script.replace("Write two.", "Write 2.")).unwrap();

    let ran = desk.resume(&["--budget-turns", "9"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let what = "before turn 2, while the run rested, script.json was changed, and not by trajview";
    assert_eq!(run_remarks(&desk.run_json()), [what]);
    desk.check();
}

#[test]
fn a_key_that_lands_in_the_workspace_is_not_in_the_commit() {
    let desk = Desk::new(&[(
        "One.\ndo: env >env.txt; mkdir \"$MY_API_KEY\"; echo x >\"$MY_API_KEY/x\"; ln -s \"$MY_API_KEY/x\" link; echo kept >plain",
        None,
    )]);
    let words = desk.words(&["--pass", "MY_API_KEY"]);
    let Output { stderr, .. } = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(&words)
        .env("TRAJVIEW_CONFIG", "")
        .env("MY_API_KEY", "sk-0123456789-abcdef")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&stderr);
    assert!(said.contains("a key stood in env.txt"), "{said}");
    let files = desk.files("1");
    assert_eq!(files.len(), 4, "{files:?}");
    assert!(
        files.iter().any(|file| file.contains("MY_API_KEY=********************\n")),
        "{files:?}"
    );
    assert!(files.contains(&"plain kept".to_owned()));
    assert!(!format!("{files:?}{said}").contains("0123456789"));
    let mut covered: Vec<String> =
        serde_json::from_value(desk.run_json()["turns"][0]["covered"].clone()).unwrap();
    covered.sort();
    assert_eq!(covered, ["********************", "env.txt", "link"]);
    desk.check();
}

#[test]
fn an_agent_works_in_a_folder_that_is_elsewhere_and_gone_afterwards() {
    let desk = Desk::new(&[("Where.\ndo: pwd >here; ls -a .. >beside", None)]);
    let words = desk.words(&[]);
    let at = words.iter().position(|word| word == "--work-dir").unwrap();
    let words: Vec<&str> = words[..at].iter().chain(&words[at + 2..]).map(String::as_str).collect();

    let ran = run_cli(&words);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let files = desk.files("1");
    let here = files.iter().find_map(|file| file.strip_prefix("here ")).unwrap();
    assert!(here.contains("/trajview-live-") && here.ends_with("/workspace"), "{here}");
    assert!(!Path::new(here).starts_with(desk.folder.path()));
    assert!(!Path::new(here).exists());
    assert!(!files.iter().any(|file| file.starts_with("beside") && file.contains("run.json")));
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            collect_files(&entry.path(), files);
        } else {
            files.push(entry.path());
        }
    }
}

#[test]
fn a_program_is_named_by_its_words() {
    let desk = Desk::new(&[("hello", None)]);
    let ran = desk.shell("cp {prompt_file} got; env >env");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    let files = desk.files("1");
    assert!(files.contains(&"got hello".to_owned()), "{files:?}");
    let env = files.iter().find(|file| file.starts_with("env ")).unwrap();
    assert!(env.contains("TZ=UTC") && !env.contains("CARGO") && !env.contains("USER="), "{env}");
}

#[test]
fn a_program_is_found_from_where_we_were_started_and_what_it_prints_is_kept_where_it_has_no_log() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new(&[("hello", None), ("again", None)]);
    fs::create_dir(desk.path("tools")).unwrap();
    fs::write(
        desk.path("tools/agent"),
        "#!/bin/sh\necho \"asked: $(cat)\"\necho \"key: $MY_API_KEY\"\necho trouble >&2\ntouch worked\n",
    )
    .unwrap();
    fs::set_permissions(desk.path("tools/agent"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(desk.path("tools/agent"), desk.path("bare-agent")).unwrap();
    for program in ["./tools/agent", "tools/agent", "./bare-agent", "bare-agent"] {
        let _ = fs::remove_dir_all(desk.path("run"));

        let ran = Command::new(env!("CARGO_BIN_EXE_trajview"))
            .current_dir(desk.folder.path())
            .args(["live", "--agent", "command", "--script", "script.json", "--out", "run"])
            .args(["--headless", "--pass", "MY_API_KEY", "--", program])
            .env("TRAJVIEW_CONFIG", "")
            .env("MY_API_KEY", "sk-0123456789-abcdef")
            .output()
            .unwrap();

        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{program}: {said}");
        assert_eq!(desk.files("1"), ["worked "]);
    }
    let kept = fs::read_to_string(desk.path("run/session/output-turn-002.txt")).unwrap();
    let mut lines: Vec<&str> = kept.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["asked: again", "key: ********************", "trouble"]);
    assert_eq!(
        desk.run_json()["kept"],
        json!(["session/output-turn-001.txt", "session/output-turn-002.txt"])
    );
    desk.check();
}

#[test]
fn what_makes_no_sense_is_told_before_anything_is_made() {
    let desk = Desk::new(&THREE);
    for (words, code, said) in [
        (vec!["live", "--agent", "nobody"], 2, "no agent is called nobody; known: "),
        (vec!["live", "--agent", "command"], 2, "--agent command needs a program after --"),
    ] {
        let script = desk.text("script.json");
        let out = desk.text("run");
        let mut words = words;
        words.extend(["--script", &script, "--out", &out, "--headless"]);
        let ran = run_cli(&words);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    let ran = run_cli(&["live", "--resume", "--headless", "--out", &desk.text("run")]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("has no live run to resume; start one without --resume"),
        "{}",
        ran.err
    );
    let ran = desk.program(&["no-such-program-here"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("cannot run no-such-program-here: no such program"), "{}", ran.err);
}

#[test]
fn a_plan_says_what_would_be_called_and_calls_nothing() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("run");
    for (agent, first, next) in [
        ("codex", "exec --json --skip-git-repo-check -s workspace-write -", "resume SESSION -"),
        ("claude", "-p --session-id", "--output-format stream-json --verbose --permission-mode"),
        ("mini", "-t REQUEST --yolo -l 0 -o", "typed into the terminal"),
        ("opencode", "run --format json", "--session SESSION"),
        ("gemini", "--session-id", "-o stream-json --yolo"),
    ] {
        let words = [
            "live",
            "--agent",
            agent,
            "--print-plan",
            "--model",
            "m",
            "--out",
            out.to_str().unwrap(),
        ];
        let ran = run_cli(&words);
        assert_eq!(ran.code, Some(0), "{agent}: {}", ran.err);
        assert!(ran.out.contains(first) && ran.out.contains(next), "{agent}: {}", ran.out);
        let told = cli_json(&[&words[..], &["--json"]].concat());
        assert_eq!(told["schema"], "trajview.live-plan/1");
        assert_eq!(told["agent"], agent);
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_leftover_folder_and_a_missing_key_are_told_and_nothing_is_touched() {
    let desk = Desk::new(&THREE);
    fs::create_dir(desk.path("run.work")).unwrap();
    fs::write(desk.path("run.work/trajview-live"), "another").unwrap();
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("belongs to another run"), "{}", ran.err);
    assert!(!desk.path("run").exists() && desk.path("run.work/trajview-live").exists());

    let (script, out) = (desk.text("script.json"), desk.text("other"));
    let words = ["live", "--agent", "codex", "--key-env", "NO_SUCH_KEY", "--script", &script];
    let ran = run_cli(&[&words[..], &["--out", &out, "--headless"]].concat());
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("agent codex: needs a key in the variable NO_SUCH_KEY"),
        "{}",
        ran.err
    );
    let words = ["live", "--agent", "aider", "--terminal", "--print-plan"];
    let ran = run_cli(&words);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("agent aider is not driven in a terminal"), "{}", ran.err);
}

#[test]
fn a_program_of_the_settings_may_hold_no_key() {
    let desk = Desk::new(&THREE);
    let config =
        "[drivers.plain]\nstart = [\"sh\"]\n[drivers.plain.env]\nMY_KEY = \"sk-0123456789\"\n";
    fs::write(desk.path("config.toml"), config).unwrap();
    let ran = desk.live(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("drivers.plain: env.MY_KEY looks like a key"), "{}", ran.err);
    assert!(!ran.err.contains("0123456789"), "{}", ran.err);
}
