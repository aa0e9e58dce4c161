//! `trajview batch` with small agents written in shell: killed, shared, limited, and with agents that fail.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{Ran, cli_json, project_path, run_cli};

/// A plan, its scripts and the settings of its agents.
pub struct Desk {
    folder: tempfile::TempDir,
}

/// Two scripts; every turn writes a line, so that one that counted twice would be seen.
const SCRIPTS: [&str; 2] = ["a", "b"];

impl Desk {
    pub fn new(plan: &str) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        for name in SCRIPTS {
            let request = |turn: usize| {
                json!({
                    "turn": turn,
                    "text": format!("Write {turn}.\ndo: echo {turn} >>lines.txt"),
                    "checkpoint": format!("c{turn}"),
                })
            };
            let requests: Vec<Value> = (1..=3).map(request).collect();
            let script = json!({"schema": "trajview.script/1", "task": name, "requests": requests});
            fs::write(desk.path(&format!("{name}.json")), script.to_string()).unwrap();
        }
        desk.settings("");
        desk.plan(plan);
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Agents: `plain` and `other` do what they are asked, `failing` never does.
    fn settings(&self, more: &str) {
        let agent = project_path("tests/agents/plain.sh");
        let agent = agent.display();
        let driver = |name: &str| {
            format!(
                "[drivers.{name}]\nstart = [\"sh\", \"{agent}\", \"{{session}}\"]\nsession = \"chosen\"\n\
                 logs = [\"logs/*.jsonl\"]\ninput_pointer = \"/usage/in\"\noutput_pointer = \"/usage/out\"\n"
            )
        };
        let failing =
            "[drivers.failing]\nstart = [\"sh\", \"-c\", \"echo no model >&2; exit 7\"]\n";
        let all = [&driver("plain"), &driver("other"), failing, more].concat();
        fs::write(self.path("config.toml"), all).unwrap();
    }

    pub fn plan(&self, plan: &str) {
        fs::write(self.path("plan.toml"), plan).unwrap();
    }

    pub fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command
            .arg("batch")
            .arg(self.path("plan.toml"))
            .args(["--headless", "--json", "--config"])
            .arg(self.path("config.toml"))
            .args(more)
            .current_dir(project_path("."))
            .env("TRAJVIEW_CONFIG", "")
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command
    }

    pub fn batch(&self, more: &[&str]) -> Ran {
        ran_output(self.command(more).output().unwrap())
    }

    /// A batch in a process group of its own, so that it can be killed with all its children.
    pub fn start(&self, more: &[&str]) -> Child {
        use std::os::unix::process::CommandExt;
        let mut command = self.command(more);
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    pub fn bundles(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("plan.runs")).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        all.sort();
        all
    }

    /// Lines of all journals of all runs that hold this.
    pub fn count(&self, what: &str) -> usize {
        let of = |bundle: &PathBuf| {
            let journal = fs::read_to_string(bundle.join("live.jsonl")).unwrap_or_default();
            journal.lines().filter(|line| line.contains(what)).count()
        };
        self.bundles().iter().map(of).sum()
    }

    /// What the batches themselves wrote down.
    fn recorded(&self) -> Vec<Value> {
        let entries = fs::read_dir(self.path("plan.runs.batch/journal"));
        let mut files: Vec<PathBuf> = entries.unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let texts = files.iter().map(|path| fs::read_to_string(path).unwrap());
        let lines: Vec<Value> = texts
            .flat_map(|text| {
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>()
            })
            .collect();
        lines
    }

    /// Every run is whole, every turn is in it once, and nothing of it still runs.
    pub fn is_whole(&self, runs: usize) {
        let bundles = self.bundles();
        assert_eq!(bundles.len(), runs);
        for bundle in &bundles {
            let checked = run_cli(&["check", bundle.to_str().unwrap()]);
            assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
            let run: Value =
                serde_json::from_slice(&fs::read(bundle.join("run.json")).unwrap()).unwrap();
            assert_eq!(run["state"], "finished", "{}", bundle.display());
            let turns: Vec<&Value> =
                run["turns"].as_array().unwrap().iter().map(|turn| &turn["turn"]).collect();
            let wanted = if run["condition"] == "single-shot" { 1 } else { 3 };
            assert_eq!(
                turns,
                (1..=wanted).map(Value::from).collect::<Vec<_>>().iter().collect::<Vec<_>>()
            );
            let lines = run_cli(&["cat", bundle.to_str().unwrap(), "lines.txt"]);
            assert_eq!(lines.out, "1\n2\n3\n", "{}", bundle.display());
        }
        assert_eq!(left_running(&bundles), Vec::<String>::new());
    }
}

/// Processes of these runs.
pub fn left_running(bundles: &[PathBuf]) -> Vec<String> {
    let id = |bundle: &PathBuf| {
        let journal = fs::read_to_string(bundle.join("live.jsonl")).unwrap_or_default();
        let first: Value =
            serde_json::from_str(journal.lines().next().unwrap_or_default()).unwrap_or_default();
        first["id"].as_str().map(|id| format!("TRAJVIEW_LIVE={id}"))
    };
    let ids: Vec<String> = bundles.iter().filter_map(id).collect();
    let mut found = vec![];
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let environment = String::from_utf8_lossy(&environment).into_owned();
        if ids.iter().any(|id| environment.split('\0').any(|row| row == id)) {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

fn ran_output(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

pub fn json_document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|why| panic!("{why}: {}{}", ran.out, ran.err))
}

pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(300);
    while !is_so() {
        assert!(Instant::now() < end, "{what} never happened");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Kills a batch and all that is in its process group, at once.
pub fn kill_all(mut child: Child) {
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-9", "--", &group]).status().unwrap();
    assert!(killed.success());
    child.wait().unwrap();
}

const TWENTY_FOUR: &str = "repeats = 3\n[scripts.a]\nfile = \"a.json\"\n[scripts.b]\nfile = \"b.json\"\n\
    [agents.plain]\n[agents.other]\n";

const FOUR: &str =
    "[scripts.a]\nfile = \"a.json\"\n[scripts.b]\nfile = \"b.json\"\n[agents.plain]\n";

#[test]
fn a_batch_that_was_killed_twice_ends_with_every_run_whole_and_every_turn_once() {
    let desk = Desk::new(TWENTY_FOUR);

    let first = desk.start(&["--jobs", "4"]);
    wait_for("the tenth turn", || desk.count("\"what\":\"turn-ended\"") >= 10);
    kill_all(first);
    let second = desk.start(&["--jobs", "4"]);
    let before = desk.count("\"what\":\"turn-began\"");
    wait_for("a turn under way", || desk.count("\"what\":\"turn-began\"") >= before + 12);
    kill_all(second);
    let third = desk.batch(&["--jobs", "4"]);

    assert_eq!(third.code, Some(0), "{}", third.err);
    desk.is_whole(24);
    let done = json_document(&third);
    assert_eq!(done["complete"], true);
    assert_eq!(done["states"], json!({"done": 24}));
    assert_eq!(done["processes"], 3);
    assert!(done["wall_seconds"].as_f64() > Some(0.0) && done["run_seconds"].as_f64() > Some(0.0));
    println!("wall {} s, runs {} s", done["wall_seconds"], done["run_seconds"]);
    let runs = desk.path("plan.runs");
    let corpus =
        cli_json(&["corpus", runs.to_str().unwrap(), "--pair", "single-shot,emergent", "--json"]);
    assert_eq!(corpus["runs"].as_array().unwrap().len(), 24);
    let pairs = corpus["per_task"].as_array().unwrap();
    assert_eq!(pairs.len(), 4);
    assert!(pairs.iter().all(|pair| pair["runs_a"].as_array().unwrap().len() == 3));
    assert_eq!(corpus["alone"], json!([]));
    let table = run_cli(&["corpus", runs.to_str().unwrap(), "--pair", "single-shot,emergent"]);
    assert!(table.out.contains("single-shot minus emergent, by task"), "{}", table.out);
}

#[test]
fn two_processes_share_a_plan_and_make_no_run_twice() {
    let desk = Desk::new(&format!("repeats = 2\n{FOUR}"));

    let children = [desk.start(&["--jobs", "2"]), desk.start(&["--jobs", "2"])];
    let ended = children.map(|child| ran_output(child.wait_with_output().unwrap()));

    for process in &ended {
        assert_eq!(process.code, Some(0), "{}", process.err);
        assert_eq!(json_document(process)["states"], json!({"done": 8}));
    }
    desk.is_whole(8);
    let began = desk.recorded().into_iter().filter(|it| it["what"] == "run-began");
    let mut made: BTreeMap<String, usize> = BTreeMap::new();
    for line in began {
        *made.entry(line["run"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert!(made.len() == 8 && made.values().all(|count| *count == 1), "{made:?}");
}

#[test]
fn of_two_processes_that_share_a_plan_one_is_killed_and_the_other_makes_its_runs_too() {
    let desk = Desk::new(&format!("repeats = 3\n{FOUR}"));

    let first = desk.start(&["--jobs", "2"]);
    let second = desk.start(&["--jobs", "2"]);
    wait_for("the fourth turn", || desk.count("\"what\":\"turn-ended\"") >= 4);
    kill_all(first);
    let third = desk.start(&["--jobs", "1"]);
    let ended = [second, third].map(|child| ran_output(child.wait_with_output().unwrap()));

    for process in &ended {
        assert_eq!(process.code, Some(0), "{}", process.err);
        assert_eq!(json_document(process)["states"], json!({"done": 12}));
    }
    desk.is_whole(12);
    assert_eq!(desk.count("\"what\":\"finished\""), 12, "no run was made twice");
    assert!(!desk.path("plan.runs.batch/left-out").exists());
}

#[test]
fn runs_of_a_batch_that_alone_was_killed_end_by_themselves_and_go_on_later() {
    let desk = Desk::new(FOUR);
    let mut first = desk.start(&["--jobs", "2"]);
    wait_for("a turn", || desk.count("\"what\":\"turn-ended\"") >= 1);

    first.kill().unwrap();
    first.wait().unwrap();

    // A new one waits for them where it has to.
    let second = desk.batch(&["--jobs", "2"]);
    assert_eq!(second.code, Some(0), "{}", second.err);
    desk.is_whole(4);
}

#[test]
fn a_batch_that_is_told_to_stop_stops_its_runs_and_says_how_to_go_on() {
    let desk = Desk::new(&format!("repeats = 3\n{FOUR}"));
    let first = desk.start(&["--jobs", "2"]);
    wait_for("a turn", || desk.count("\"what\":\"turn-ended\"") >= 1);

    let told = Command::new("kill").args(["-INT", &first.id().to_string()]).status().unwrap();

    assert!(told.success());
    let stopped = ran_output(first.wait_with_output().unwrap());
    assert_eq!(stopped.code, Some(130), "{}", stopped.err);
    assert!(stopped.err.contains("the same command continues"), "{}", stopped.err);
    assert_eq!(left_running(&desk.bundles()), Vec::<String>::new());
    let second = desk.batch(&["--jobs", "4"]);
    assert_eq!(second.code, Some(0), "{}", second.err);
    desk.is_whole(12);
}

#[test]
fn shards_are_all_runs_together_and_a_grown_plan_only_adds_some() {
    let desk = Desk::new(FOUR);
    let planned = |more: &[&str]| -> BTreeSet<String> {
        let ran = desk.batch(&[&["--print-plan"], more].concat());
        let runs = json_document(&ran)["runs"].as_array().unwrap().clone();
        runs.iter().map(|run| run["folder"].as_str().unwrap().to_owned()).collect()
    };
    let (first, second) = (planned(&["--shard", "1/2"]), planned(&["--shard", "2/2"]));
    assert!(first.is_disjoint(&second));
    let together: BTreeSet<String> = first.union(&second).cloned().collect();
    assert_eq!(together, planned(&[]));
    assert!(desk.bundles().is_empty(), "--print-plan makes nothing");

    let ran = desk.batch(&["--jobs", "2", "--shard", "1/2"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let made: BTreeSet<String> = desk.bundles().iter().map(|it| it.display().to_string()).collect();
    assert_eq!(made, first);
    assert_eq!(desk.batch(&["--jobs", "2", "--shard", "2/2"]).code, Some(0));
    desk.is_whole(4);

    desk.plan(&format!("repeats = 2\n{FOUR}"));
    let grown = desk.batch(&["--jobs", "4"]);
    assert_eq!(grown.code, Some(0), "{}", grown.err);
    desk.is_whole(8);
    assert_eq!(desk.recorded().iter().filter(|it| it["what"] == "run-began").count(), 8);
}

#[test]
fn a_plan_that_reached_its_budget_goes_on_with_a_higher_one() {
    let with_budget = |tokens: usize| format!("{FOUR}[limits]\ntokens = {tokens}\n");
    let desk = Desk::new(&with_budget(40));

    let stopped = desk.batch(&["--jobs", "2"]);

    assert_eq!(stopped.code, Some(1), "{}", stopped.err);
    assert!(stopped.err.contains("tokens; the limit is 40; "), "{}", stopped.err);
    let done = json_document(&stopped);
    assert_eq!(done["complete"], false);
    assert!(done["halted"].as_str().unwrap().ends_with("the limit is 40"));
    assert_eq!(left_running(&desk.bundles()), Vec::<String>::new());
    // No turn was cut for it.
    assert_eq!(desk.count("\"state\":\"cut\""), 0);

    desk.plan(&with_budget(4_000));
    let went_on = desk.batch(&["--jobs", "2"]);
    assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    desk.is_whole(4);
}

#[test]
fn an_agent_that_always_fails_is_tried_as_often_as_was_said_and_left_out() {
    let desk = Desk::new(&format!(
        "{FOUR}[agents.failing]\n[failures]\nretries = 1\n[[exclude]]\nscript = \"b\"\n"
    ));

    let ended = desk.batch(&["--jobs", "4"]);

    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("2 of 4 runs are complete"), "{}", ended.err);
    let done = json_document(&ended);
    assert_eq!(done["states"], json!({"done": 2, "failed": 2}));
    let failed: Vec<&Value> =
        done["runs"].as_array().unwrap().iter().filter(|it| it["state"] == "failed").collect();
    for run in &failed {
        assert_eq!(run["failures"], 2, "{run}");
        let why = run["why"].as_str().unwrap();
        assert!(why.starts_with("turn 1 failed: the agent failed (exit code 7)"), "{why}");
        assert!(!Path::new(run["folder"].as_str().unwrap()).exists());
    }
    desk.is_whole(2);
    let left_out = desk.path("plan.runs.batch/left-out");
    assert_eq!(fs::read_dir(&left_out).unwrap().count(), 2);

    // What failed stays so until somebody wants it otherwise.
    let same = json_document(&desk.batch(&[]));
    assert_eq!(same["states"], done["states"]);
    let again = json_document(&desk.batch(&["--retry-failed"]));
    let tries =
        again["runs"].as_array().unwrap().iter().map(|run| run["failures"].as_u64().unwrap());
    assert_eq!(tries.collect::<BTreeSet<_>>(), BTreeSet::from([0, 3]));
}

/// A plan whose agent is refused its first three turns, and what of it rested.
fn refused_batch(rule: &str, retries: usize) -> (Desk, Ran, usize) {
    let desk = Desk::new(&format!(
        "[scripts.a]\nfile = \"a.json\"\n[agents.busy]\n[failures]\nretries = {retries}\nbackoff = 0.3\nrule = \"{rule}\"\n"
    ));
    let mark = desk.path("asked");
    let agent = format!(
        "[drivers.busy]\nstart = [\"sh\", \"-c\", \"sed -n 's/^do: //p' >x.sh; . ./x.sh; rm x.sh; test $(ls {0} | wc -l) -gt 2 || \
         {{ mktemp {0}/XXXX >/dev/null; echo '429 Too Many Requests' >&2; exit 1; }}\"]\n",
        mark.display()
    );
    fs::create_dir(&mark).unwrap();
    desk.settings(&agent);
    let ended = ran_output(desk.command(&["--jobs", "1"]).output().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let rested = ended.err.lines().filter(|line| line.contains(": resting: turn "));
    let rested = rested.filter(|line| line.contains("429 Too Many Requests")).count();
    (desk, ended, rested)
}

#[test]
fn an_agent_that_is_asked_too_often_is_left_alone_for_a_while() {
    let (desk, ended, rested) = refused_batch("leave-out", 3);

    assert_eq!(rested, 3, "{}", ended.err);
    desk.is_whole(2);
}

/// Turns that fail are kept, but not before their model was left alone as often as it may be tried.
#[test]
fn an_agent_that_is_asked_too_often_is_left_alone_where_failed_turns_are_kept_too() {
    let (desk, ended, rested) = refused_batch("keep", 3);
    assert_eq!(rested, 3, "{}", ended.err);
    assert_eq!(json_document(&ended)["runs"][0]["kept"], 0, "{}", ended.out);
    desk.is_whole(2);

    // Refused in the first turns of both runs, once more than may be: what the first left stands.
    let (desk, ended, rested) = refused_batch("keep", 1);
    assert_eq!(rested, 2, "{}", ended.err);
    assert_eq!(desk.count("\"state\":\"kept\""), 1);
    assert_eq!(json_document(&ended)["states"], json!({"done": 2}));
}

#[test]
fn turns_of_an_agent_are_begun_no_faster_than_its_rate() {
    let desk = Desk::new("[scripts.a]\nfile = \"a.json\"\n[agents.plain]\nturns_per_minute = 60\n");

    let ended = desk.batch(&["--jobs", "4"]);

    assert_eq!(ended.code, Some(0), "{}", ended.err);
    desk.is_whole(2);
    let mut times: Vec<jiff::Timestamp> = vec![];
    for bundle in desk.bundles() {
        let run: Value =
            serde_json::from_slice(&fs::read(bundle.join("run.json")).unwrap()).unwrap();
        let turns = run["turns"].as_array().unwrap();
        times.extend(
            turns.iter().map(|turn| {
                turn["started_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap()
            }),
        );
    }
    times.sort_unstable();
    // Four turns, three pauses of a second; how soon a turn begins when it may is the machine's affair.
    let took = times[3].duration_since(times[0]).as_secs_f64();
    assert!(took > 2.0, "{took}");
}

#[test]
fn a_plan_with_a_mistake_is_told_and_makes_nothing() {
    let desk = Desk::new("[scripts.a]\nfile = \"missing.json\"\n[agents.plain]\n");
    let missing = desk.batch(&[]);
    desk.plan("[scripts.a]\nfile = \"a.json\"\n[agents.plain]\ncolour = 1\n");
    let unknown = desk.batch(&[]);

    assert_eq!((missing.code, unknown.code), (Some(3), Some(4)));
    assert!(missing.err.contains("missing.json: no such file or folder"), "{}", missing.err);
    assert!(unknown.err.contains("plan.toml:4: unknown field `colour`"), "{}", unknown.err);
    assert!(desk.bundles().is_empty());
}

#[test]
fn runs_that_are_over_are_scored_and_judged_within_a_budget() {
    use crate::common::judge_server::{Say, Server};
    let verdict = json!({"level": 3, "evidence": [], "rationale": "as asked"});
    let server = Server::new(move |asked| match asked.results.is_empty() {
        true => Say::Calls(vec![("list", json!({}))]),
        false => Say::Calls(vec![("verdict", verdict.clone())]),
    });
    let desk = Desk::new(
        "conditions = [\"emergent\"]\nrepeats = 2\n[scripts.a]\nfile = \"a.json\"\ncomponents = \"components.json\"\n\
         [agents.plain]\n[after]\ntest = \"echo 'ok 1 - it is there'\"\nscore = true\njudge = { name = \"stub\", usd = 1.0 }\n",
    );
    let components = json!({
        "schema": "trajview.components/1", "task": "a",
        "components": [{"id": "C1", "name": "lines", "intent": "writes lines"}]
    });
    fs::write(desk.path("components.json"), components.to_string()).unwrap();
    desk.settings(&format!(
        "[judges.stub]\nkind = \"chat\"\nmodel = \"m-1\"\nbase_url = \"{}\"\nkey_env = \"STUB_KEY\"\n\
         backoff = 0.01\nprice_input = 1.0\nprice_output = 1.0\n",
        server.url()
    ));

    let ended =
        ran_output(desk.command(&["--jobs", "2"]).env("STUB_KEY", "sk-test-1").output().unwrap());

    assert_eq!(ended.code, Some(0), "{}", ended.err);
    desk.is_whole(2);
    let done = json_document(&ended);
    for run in done["runs"].as_array().unwrap() {
        assert_eq!(run["tests"], json!([1, 1]), "{run}");
        let scores = run["scores"].as_array().unwrap();
        assert!(scores.iter().any(|it| it["number"] == "erosion" && it["after"] == "c3"), "{run}");
        assert!(scores.iter().any(|it| it["number"] == "mcf" && it["value"] == 3.0), "{run}");
    }
    assert!(done["judged_usd"].as_f64() > Some(0.0), "{done}");
    let asked = server.seen_requests().len();
    let again = ran_output(desk.command(&[]).env("STUB_KEY", "sk-test-1").output().unwrap());
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(server.seen_requests().len(), asked, "nothing is judged twice");
}

#[test]
fn runs_that_differ_in_more_than_their_condition_are_told() {
    let one = |condition: &str, more: &str| {
        format!(
            "conditions = [\"{condition}\"]\n[scripts.a]\nfile = \"a.json\"\n[agents.plain]\n{more}"
        )
    };
    let desk = Desk::new(&one("emergent", ""));
    assert_eq!(desk.batch(&[]).code, Some(0));
    desk.plan(&one("single-shot", "[limits.run]\nturns = 9\n"));
    assert_eq!(desk.batch(&[]).code, Some(0));
    let [emergent, single] = &desk.bundles()[..] else { panic!("two runs") };

    let compared =
        cli_json(&["compare", single.to_str().unwrap(), emergent.to_str().unwrap(), "--json"]);
    let corpus = cli_json(&["corpus", desk.path("plan.runs").to_str().unwrap(), "--json"]);

    let warnings = compared["warnings"].as_array().unwrap();
    let said = "they differ in more than their condition: budget of turns (9 in a, none in b)";
    assert!(warnings.iter().any(|warning| warning == said), "{warnings:?}");
    let unfair = &corpus["unfair"];
    assert_eq!(unfair[0]["task"], "a");
    assert_eq!(unfair[0]["differences"][0]["what"], "budget of turns");
    let values = unfair[0]["differences"][0]["values"].as_array().unwrap();
    let values: Vec<&Value> = values.iter().map(|it| &it["value"]).collect();
    assert_eq!(values, ["9", "none"]);
}

#[test]
fn a_batch_is_watched_and_steered_on_screen() {
    let desk = Desk::new(&format!("{FOUR}[agents.failing]\n[failures]\nretries = 0\n"));
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.arg("batch");
    command.arg(desk.path("plan.toml"));
    command.args(["--jobs", "2", "--config"]);
    command.arg(desk.path("config.toml"));
    ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
    let mut screen = crate::pty::Tui::spawn_command(110, 24, command);

    screen.wait_for("4 done, 4 failed");
    let frame = screen.wait_for("a plain emergent 1");
    assert!(frame.contains("next that needs you"), "{frame}");
    // The first that waits for a person, and why.
    screen.press("n");
    screen.wait_for("it is left out");
    screen.press("r");
    screen.wait_until("another failure", |parser| {
        let frame = parser.screen().contents();
        let chosen = frame.lines().find(|line| line.starts_with('▌')).unwrap_or_default();
        chosen.starts_with("▌ failed") && chosen.split_whitespace().any(|word| word == "2")
    });
    screen.wait_for("4 done, 4 failed");
    // One that is whole is opened as it was made, and left again.
    screen.press("G");
    screen.press("\r");
    screen.wait_for("finished");
    screen.press("q");
    screen.wait_for("next that needs you");
    screen.press("q");
    let last = screen.wait_for("8 runs");

    assert!(last.contains("4 done, 4 failed"), "{last}");
    assert_eq!(left_running(&desk.bundles()), Vec::<String>::new());
}

/// Two scripts of three turns for the scripted server of the live kit, as it reads them and as a run is asked.
fn real_scripts(desk: &Desk) {
    let mut turns = vec![];
    for (number, name) in SCRIPTS.iter().enumerate() {
        let prompt = |turn: usize| format!("Task {name}: write the line of part {turn}.");
        let turn = |id: usize, prompt: String, lines: &str| {
            let command = format!("for line in {lines}; do echo $line >>lines.txt; done");
            json!({"id": id, "prompt": prompt, "steps": [
                {"say": "I write it.", "ops": [{"op": "bash", "cmd": command, "desc": "Write"}]},
                {"ops": [{"op": "bash", "cmd": "cat lines.txt", "desc": "Look"}]},
                {"say": "It is written."},
            ]})
        };
        turns.extend((1..=3).map(|at| turn(number * 10 + at, prompt(at), &at.to_string())));
        let all = format!("Task {name} as a whole: write the lines of all three parts.");
        turns.push(turn(100 + number, all.clone(), "1 2 3"));
        fs::write(desk.path(&format!("{name}.md")), &all).unwrap();
        let request =
            |at: usize| json!({"turn": at, "text": prompt(at), "checkpoint": format!("c{at}")});
        let requests: Vec<Value> = (1..=3).map(request).collect();
        let script = json!({"schema": "trajview.script/1", "task": name, "requests": requests});
        fs::write(desk.path(&format!("{name}.json")), script.to_string()).unwrap();
    }
    fs::write(desk.path("server.json"), json!({"name": "batch", "turns": turns}).to_string())
        .unwrap();
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI, node and python3"]
fn codex_and_claude_code_make_twenty_four_runs_though_they_are_killed_twice() {
    use crate::live_agents::{npm_program, server_of_many};
    let desk = Desk::new("");
    real_scripts(&desk);
    let (_server, url) = server_of_many(&desk.path("server.json"), &desk.path("port"));
    let codex = npm_program("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    let claude = npm_program("@anthropic-ai/claude-code-linux-x64/claude");
    let agent = |name: &str, program: &Path| {
        let program = program.display();
        format!(
            "[agents.{name}]\nprogram = \"{program}\"\nbase_url = \"{url}\"\npermissions = \"full\"\n"
        )
    };
    let scripts = SCRIPTS.map(|name| {
        format!("[scripts.{name}]\nfile = \"{name}.json\"\nspecification = \"{name}.md\"\n")
    });
    desk.plan(&format!(
        "repeats = 3\nmodels = [\"gpt-5.5\"]\n{}{}{}[limits.run]\ntimeout_turn = 240.0\n[failures]\nretries = 3\n",
        scripts.concat(),
        agent("codex", &codex),
        agent("claude", &claude).replace("base_url", "models = [\"claude-sonnet-4-5\"]\nbase_url"),
    ));
    let first = desk.start(&["--jobs", "4"]);
    wait_for("the eighth turn", || desk.count("\"what\":\"turn-ended\"") >= 8);
    kill_all(first);
    let before = desk.count("\"what\":\"process\"");
    let second = desk.start(&["--jobs", "4"]);
    wait_for("agents at work", || desk.count("\"what\":\"process\"") >= before + 10);
    kill_all(second);

    let third = desk.batch(&["--jobs", "4"]);

    assert_eq!(third.code, Some(0), "{}", third.err);
    desk.is_whole(24);
    let done = json_document(&third);
    println!("wall {} s, runs {} s, {}", done["wall_seconds"], done["run_seconds"], done["tokens"]);
    let runs = desk.path("plan.runs");
    let table = run_cli(&["corpus", runs.to_str().unwrap(), "--pair", "single-shot,emergent"]);
    println!("{}", table.out);
    assert!(table.out.contains("single-shot minus emergent, by task"), "{}", table.out);
}
