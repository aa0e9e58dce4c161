//! `trajview mcp`, driven over standard input and output as an agent drives it: JSON-RPC, one message a line.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::common::{cli_text, project_path, run_cli};

/// A server, and the client's ends of its pipes.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Client {
    /// Starts a server in the project's folder and shakes hands.
    fn connect(arguments: &[&str]) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_trajview"))
            .arg("mcp")
            .args(arguments)
            .current_dir(project_path("."))
            .env("TRAJVIEW_CONFIG", "")
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut client = Self { server, input, output, calls: 0 };
        let began = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        assert_eq!(began["result"]["protocolVersion"], "2025-06-18", "{began}");
        assert_eq!(began["result"]["serverInfo"]["name"], "trajview");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    fn send_line(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Reads a line, which must be a message of the protocol: nothing else may be on standard output.
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns the text of its result, and whether it is an error.
    fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (text.to_owned(), result["isError"].as_bool().unwrap())
    }

    /// The JSON of a call that must succeed, and be as small as is promised.
    fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let (text, is_error) = self.call(tool, arguments.clone());
        assert!(!is_error, "{tool} {arguments}: {text}");
        assert!(text.chars().count() <= 10_000, "{tool} {arguments}: {}", text.len());
        serde_json::from_str(&text).unwrap()
    }

    fn error(&mut self, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.call(tool, arguments.clone());
        assert!(is_error, "{tool} {arguments}: {text}");
        text
    }

    /// The rows of all pages of a call.
    fn all_rows(&mut self, tool: &str, mut arguments: Value, list: &str) -> Vec<Value> {
        let mut rows = vec![];
        loop {
            let page = self.answer(tool, arguments.clone());
            rows.extend(page[list].as_array().unwrap().iter().cloned());
            if page["next"].is_null() {
                assert_eq!(page["total"], rows.len());
                return rows;
            }
            arguments["cursor"] = page["next"].clone();
        }
    }

    /// Closes its input, at which it must end well.
    fn close(mut self) {
        self.input = None;
        assert!(self.server.wait().unwrap().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Each place opens by the command line: as a frame of the screen.
fn assert_opens(place: &str) {
    let frame = cli_text(&[place, "--snapshot", "80x24"]);
    let number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let moment = place.rsplit_once(':').map(|(_, moment)| moment).filter(|text| number(text));
    if let Some(moment) = moment {
        let turn = moment.split('.').next().unwrap();
        assert!(frame.contains(&format!("turn {turn}")), "{place}:\n{frame}");
    }
}

fn places_in(value: &Value, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| places_in(item, places)),
        Value::Object(fields) => {
            places.extend(fields.get("place").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| places_in(value, places));
        }
        _ => {}
    }
}

const RUN: &str = "sample-runs/codex-p12";

#[test]
fn the_tools_are_listed_with_their_schemas() {
    let mut client = Client::connect(&["sample-runs"]);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&listed["result"]).unwrap());
    client.close();
}

#[test]
fn every_tool_answers_about_a_run_with_places_that_open() {
    let mut client = Client::connect(&["sample-runs"]);
    let calls = [
        ("runs", json!({})),
        ("step", json!({"place": format!("{RUN}:3")})),
        ("step", json!({"place": format!("{RUN}:3.2")})),
        ("diff", json!({"run": RUN, "turn": 3})),
        ("diff", json!({"run": RUN, "from": "c1", "to": "c2", "stat": true, "path": "ppdiff/**"})),
        ("diff", json!({"run": RUN, "step": "3.4"})),
        ("find", json!({"words": "CosineSchedule", "run": RUN, "max_per_run": 3})),
        ("score", json!({"run": RUN})),
        ("score", json!({"run": RUN, "at": "39", "profile": "scb-paper"})),
        ("verdicts", json!({"run": RUN, "max_level": 1})),
        ("losses", json!({"run": RUN})),
        (
            "sql",
            json!({"query": "select source_uri, turn, step, tool from steps order by turn, step limit 4", "run": RUN}),
        ),
    ];
    let mut places = vec![];
    for (tool, arguments) in calls {
        let answer = client.answer(tool, arguments.clone());
        let mut cited = vec![];
        places_in(&answer, &mut cited);
        if tool == "runs" {
            let rows = answer["runs"].as_array().unwrap().iter();
            cited.extend(rows.map(|row| row["run"].as_str().unwrap().to_owned()));
        }
        assert!(!cited.is_empty(), "{tool} {arguments}: {answer}");
        places.extend(cited);
    }
    client.close();
    places.sort();
    places.dedup();
    assert!(places.len() > 20, "{places:?}");
    places.iter().for_each(|place| assert_opens(place));
}

#[test]
fn answers_have_the_values_of_the_commands() {
    let mut client = Client::connect(&[RUN]);
    let scored = client.answer("score", json!({}));
    let losses = client.all_rows("losses", json!({}), "losses");
    let verdict = client.answer("verdicts", json!({"component": "C10"}));
    let counted = client.answer("sql", json!({"query": "select count(*) as n from steps"}));
    client.close();

    let by_command: Value = serde_json::from_str(&cli_text(&["score", RUN, "--json"])).unwrap();
    let code = &scored["parts"][0]["values"];
    assert_eq!(code["erosion"], by_command["points"][0]["erosion"]);
    assert_eq!(code["commit"], by_command["points"][0]["commit"]);
    assert_eq!(scored["parts"][1]["values"]["mcf"], by_command["faithfulness"]["mcf"]);
    assert_eq!(scored["profile"], "trajview");

    let by_command: Value = serde_json::from_str(&cli_text(&["losses", RUN, "--json"])).unwrap();
    let turns = |rows: &[Value]| rows.iter().map(|row| row["turn"].clone()).collect::<Vec<_>>();
    assert_eq!(turns(&losses), turns(by_command["losses"].as_array().unwrap()));

    let row = &verdict["components"][0];
    assert_eq!((&row["level"], &row["label"]), (&json!(1), &json!("Wrong")));
    assert_eq!(row["lost"]["turn"], 42);
    assert_eq!(row["lost"]["place"], format!("{RUN}:42"));
    assert_eq!(counted["rows"][0]["n"], 253);
}

#[test]
fn the_pages_of_a_list_have_every_row_once() {
    // Without redaction a patch is the one that `trajview diff` prints.
    let mut client = Client::connect(&["sample-runs", "--redact", "off"]);
    let runs = client.all_rows("runs", json!({}), "runs");
    let find = json!({"words": "schedule", "run": RUN, "max_per_run": 200});
    let hits = client.all_rows("find", find, "hits");
    let columns = client.all_rows("sql", json!({"columns_of": "runs"}), "columns");
    let whole = client.all_rows("step", json!({"place": format!("{RUN}:42")}), "items");
    let patches = client.all_rows("diff", json!({"run": RUN}), "files");
    client.close();

    let mut names: Vec<&str> = runs.iter().map(|row| row["run"].as_str().unwrap()).collect();
    names.dedup();
    assert_eq!(names.len(), runs.len());
    let counted = cli_text(&["sql", "select count(*) as n from runs", "sample-runs", "--csv"]);
    assert_eq!(counted.lines().nth(1), Some(runs.len().to_string().as_str()));
    assert!(hits.len() > 20 && columns.len() > 50 && whole.len() > 3);
    let text = |row: &Value| row["patch"].as_str().unwrap().to_owned();
    assert_eq!(patches.iter().map(text).collect::<String>(), cli_text(&["diff", RUN]));
}

#[test]
fn what_is_wrong_is_an_error_with_what_to_do_and_the_server_goes_on() {
    let mut client = Client::connect(&["sample-runs"]);
    for (tool, arguments, why) in [
        ("step", json!({"place": "sample-runs/codex-p13:1"}), "did you mean sample-runs/codex-p12"),
        ("step", json!({"place": "nothing"}), "expected RUN:TURN"),
        ("step", json!({"place": format!("{RUN}:57")}), "no turn 57"),
        ("step", json!({"place": format!("{RUN}:1.99")}), "no step 1.99"),
        ("step", json!({}), "missing field `place`"),
        ("step", json!({"place": format!("{RUN}:1"), "more": 1}), "unknown field `more`"),
        ("step", json!({"place": format!("{RUN}:1"), "cursor": "x"}), "leave it out"),
        ("step", json!({"place": format!("{RUN}:1"), "cursor": "900"}), "leave it out"),
        ("diff", json!({"turn": 1}), "name one as `run`"),
        ("diff", json!({"run": RUN, "turn": 1, "to": "3"}), "exclude each other"),
        ("diff", json!({"run": RUN, "to": "c99"}), "no moment \"c99\""),
        ("diff", json!({"run": RUN, "path": "[x"}), "unclosed"),
        ("find", json!({"words": "tool:"}), "tool:"),
        ("score", json!({"run": RUN, "at": "c99"}), "no moment \"c99\""),
        ("score", json!({"run": RUN, "profile": "none"}), "no profile \"none\""),
        ("score", json!({"run": "../../etc"}), "no run"),
        ("verdicts", json!({"run": RUN, "component": "C99"}), "no component \"C99\""),
        ("verdicts", json!({"run": RUN, "judge": "nobody"}), "nobody"),
        ("verdicts", json!({"run": RUN, "judge": "Cargo.toml"}), "is a path"),
        ("losses", json!({"run": "sample-runs/logs/amp.json"}), "no component or test"),
        ("sql", json!({"query": "select nothing from runs", "run": RUN}), "columns_of"),
        ("sql", json!({"columns_of": "tables"}), "there are runs, turns"),
        ("sql", json!({}), "either query or columns_of"),
    ] {
        let error = client.error(tool, arguments.clone());
        assert!(error.contains(why), "{tool} {arguments}: {error}");
    }
    let unknown = client.request("tools/call", json!({"name": "write", "arguments": {}}));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("available: runs, step"));
    client.send_line("nonsense");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.close();
}

#[test]
fn damaged_recordings_are_rows_and_errors_and_the_server_goes_on() {
    let mut client = Client::connect(&["tests/bad-runs"]);
    let runs = client.all_rows("runs", json!({}), "runs");
    assert!(!runs.is_empty());
    for row in &runs {
        let run = row["run"].as_str().unwrap();
        for (tool, arguments) in [
            ("step", json!({"place": format!("{run}:1")})),
            ("diff", json!({"run": run})),
            ("score", json!({"run": run})),
            ("verdicts", json!({"run": run})),
            ("losses", json!({"run": run})),
        ] {
            let (text, _) = client.call(tool, arguments);
            assert!(!text.contains("internal error"), "{tool} {run}: {text}");
        }
    }
    client.answer("find", json!({"words": "the"}));
    client.close();
}

/// Every file below a folder with its bytes.
fn files_below(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path().is_dir() {
            true => files_below(&entry.path(), files),
            false => drop(files.insert(entry.path(), fs::read(entry.path()).unwrap())),
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn no_tool_can_write() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    copy_folder(&project_path(RUN), &run);
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    files_below(folder.path(), &mut before);
    let run = run.to_str().unwrap();
    let target = folder.path().join("written.db").display().to_string();

    let mut client = Client::connect(&[run]);
    for query in [
        "create table x (a)".to_owned(),
        "delete from runs".into(),
        "insert into runs (title) values ('x')".into(),
        "drop table runs".into(),
        "pragma query_only = 0".into(),
        format!("attach database '{target}' as b"),
        format!("vacuum into '{target}'"),
        format!("select load_extension('{target}')"),
        format!("select writefile('{target}', 'x')"),
        "select 1; delete from runs".into(),
    ] {
        client.call("sql", json!({ "query": query }));
    }
    let counted = client.answer("sql", json!({"query": "select count(*) as n from runs"}));
    assert_eq!(counted["rows"][0]["n"], 1);
    // Words that would be options of the commands.
    for (tool, arguments) in [
        ("find", json!({"words": "--forget"})),
        ("find", json!({"words": "--index"})),
        ("diff", json!({"from": "--stat", "path": "--json"})),
        ("score", json!({"at": "--detail"})),
        ("verdicts", json!({"judge": "--judge"})),
    ] {
        client.call(tool, arguments);
    }
    for tool in ["runs", "diff", "score", "verdicts", "losses"] {
        client.answer(tool, json!({}));
    }
    client.close();

    files_below(folder.path(), &mut after);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    assert!(before == after, "a file has changed");
}

/// A run whose first turn has a key, and whose second has the key without its name.
const SECRETS: &str = concat!(
    r#"{"type":"user","message":{"role":"user","content":"export API_TOKEN=hunter2-plain-words-9x in /home/joe/app"},"uuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/w","version":"2.0.0"}"#,
    "\n",
    r#"{"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"I write to joe.doe@firm.example"}],"usage":{"input_tokens":1,"output_tokens":1}},"uuid":"a1","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:01Z","cwd":"/w","version":"2.0.0"}"#,
    "\n",
    r#"{"type":"user","message":{"role":"user","content":"the word is hunter2-plain-words-9x"},"uuid":"u2","parentUuid":"a1","sessionId":"s","timestamp":"2026-01-01T00:00:02Z","cwd":"/w","version":"2.0.0"}"#,
    "\n",
);

#[test]
fn secrets_are_redacted_on_every_page_and_places_open() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, SECRETS).unwrap();
    let path = log.to_str().unwrap();

    for (options, is_redacted) in [(&[][..], true), (&["--redact", "off"], false)] {
        let mut client = Client::connect(&[&[path], options].concat());
        let calls = [
            ("runs", json!({})),
            ("step", json!({"place": format!("{path}:1")})),
            ("step", json!({"place": format!("{path}:2")})),
            ("find", json!({"words": "word"})),
            ("sql", json!({"query": "select source_uri, turn, text from texts"})),
        ];
        let answers = calls.map(|(tool, arguments)| client.answer(tool, arguments).to_string());
        client.close();
        for secret in ["hunter2-plain-words-9x", "/home/joe", "joe.doe@firm.example"] {
            let has_it = answers.iter().any(|answer| answer.contains(secret));
            assert_eq!(has_it, !is_redacted, "{secret}: {answers:?}");
        }
        assert!(answers[3].contains(&format!("{path}:2")), "{}", answers[3]);
        assert!(answers[4].contains(&format!("{path}:2")), "{}", answers[4]);
    }
}

#[test]
fn a_secret_of_a_turn_that_came_later_is_redacted_where_it_has_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let with_name = SECRETS.lines().next().unwrap();
    let words = ["export API_TOKEN=hunter2-plain-words-9x", "the word is hunter2-plain-words-9x"];
    let without_name = with_name.replace(words[0], words[1]);
    let later = with_name.replace(r#""uuid":"u1""#, r#""uuid":"u2","parentUuid":"u1""#);
    let later = later.replace(":00Z", ":03Z");
    fs::write(&log, format!("{without_name}\n")).unwrap();
    let path = log.to_str().unwrap();
    let mut client = Client::connect(&[path]);
    let first_turn = json!({"place": format!("{path}:1")});
    let before = client.answer("step", first_turn.clone()).to_string();

    fs::write(&log, format!("{without_name}\n{later}\n")).unwrap();
    let after = client.answer("step", first_turn).to_string();
    client.close();

    assert!(before.contains("hunter2-plain-words-9x"), "{before}");
    assert!(!after.contains("hunter2-plain-words-9x"), "{after}");
}

#[test]
fn a_patch_keeps_the_hashes_of_its_index_lines() {
    let mut client = Client::connect(&[RUN]);
    let patches = client.all_rows("diff", json!({"run": RUN, "turn": 42}), "files");
    client.close();

    let whole: String = patches.iter().map(|row| row["patch"].as_str().unwrap()).collect();
    let index: Vec<&str> = whole.lines().filter(|line| line.starts_with("index ")).collect();
    assert!(!index.is_empty(), "{whole}");
    assert!(index.iter().all(|line| !line.contains("[redacted")), "{index:?}");
}

#[test]
fn a_turn_is_shown_with_its_request_its_edits_and_its_tokens() {
    let mut client = Client::connect(&[RUN]);
    let shown = client.answer("step", json!({"place": format!("{RUN}:42")}));
    client.close();

    let by_command: Value =
        serde_json::from_str(&cli_text(&["show", RUN, "--turn", "42", "--json"])).unwrap();
    for field in ["checkpoint", "tokens", "started_at", "commit"] {
        assert_eq!(shown[field], by_command[field], "{field}");
    }
    assert_eq!(shown["edits"][0]["path"], by_command["edits"][0]["path"]);
    let request = &shown["items"][0];
    assert_eq!((&request["field"], &request["text"]), (&"request".into(), &by_command["request"]));
}

#[test]
fn a_run_that_came_meanwhile_is_found_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.jsonl"), SECRETS).unwrap();
    let mut client = Client::connect(&[folder.path().to_str().unwrap()]);
    assert_eq!(client.answer("runs", json!({}))["total"], 1);

    fs::write(path("b.jsonl"), SECRETS).unwrap();
    let first_turn = |name: &str| json!({"place": format!("{}:1", path(name))});
    let came = client.answer("step", first_turn("b.jsonl"));
    assert!(came["total"].as_u64() > Some(0), "{came}");
    fs::remove_file(path("a.jsonl")).unwrap();
    let gone = client.error("step", first_turn("a.jsonl"));
    client.close();

    assert!(gone.contains("no run"), "{gone}");
}

#[test]
fn a_rater_with_open_items_is_shown_no_verdict_and_no_mean() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    copy_folder(&project_path(RUN), &run);
    let run = run.to_str().unwrap();
    let labels = folder.path().join("labels.csv");
    fs::write(&labels, "component,score\nC10,2\n").unwrap();
    let ran = run_cli(&["audit", run, "--annotator", "ana", "--import", labels.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);

    let ask = |rater: &str| {
        let mut client = Client::connect(&[run, "--annotator", rater]);
        let verdicts = client.all_rows("verdicts", json!({"judge": "authors"}), "components");
        let score = client.answer("score", json!({}));
        let runs = client.answer("runs", json!({}));
        let losses = client.answer("losses", json!({})).to_string();
        let query =
            json!({"query": "select item, score, rationale from verdicts where score is not null"});
        let rows = client.all_rows("sql", query, "rows");
        client.close();
        let levels = verdicts.iter().filter(|row| !row["level"].is_null()).count();
        let mcf = score["parts"].as_array().unwrap().iter().find(|it| it["part"] == "faithfulness");
        let means = (mcf.unwrap()["values"]["mcf"].clone(), runs["runs"][0]["mcf"].clone());
        let others = rows.iter().filter(|row| !row.to_string().contains("C10")).count();
        (levels, means, losses.contains("schedule.py still has the class"), (rows.len(), others))
    };

    let (levels, means, shows_rationale, rows) = ask("eve");
    assert!(levels == 24 && means.0.is_f64() && means.1.is_f64() && shows_rationale && rows.1 > 24);
    let (levels, means, _, rows) = ask("ana");
    assert!(levels <= 1, "{levels}");
    assert_eq!(means, (Value::Null, Value::Null));
    // C10 has a label, and its verdicts appear with it.
    assert!(rows.0 > 0 && rows.1 == 0, "{rows:?}");
}
