//! Layers of project state in live runs, with small agents written in shell: what the agent was told and by which way, what
//! is recorded of it, and what stays when the run is killed.

use std::{fs, path::Path};

use serde_json::{Value, json};
use trajview::{
    layers::{SentenceOrigin, stack::Delivery},
    store::layers::layer_history::{self, LayerHistory},
};

use super::{
    live::{Desk, start_live, wait_for},
    live_agents::{npm_program, start_server},
};
use crate::common::{project_path, run_cli};

const STORE: &str = r#"[
    {"id": "fixed-target", "question": "Does the target move?", "answer": "It stays fixed.", "files": ["sampler.py"]},
    {"id": "old-noise", "question": "Which noise?", "answer": "Masks.", "status": "superseded", "supersededBy": "noise"},
    {"id": "noise", "question": "Which noise?", "answer": "Uniform noise."}
]"#;

/// The record of the only layer.
fn layer_history(desk: &Desk) -> LayerHistory {
    let mut all = layer_history::read_layers(&desk.path("run"));
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn history_turns(history: &LayerHistory) -> Vec<usize> {
    history.turns.iter().map(|turn| turn.turn).collect()
}

/// A layer of one's own: says how many turns it knows, and counts them in its state. A file `wait` beside it holds it up
/// while it takes in turn 2.
fn counting_layer(folder: &Path) -> String {
    let script = r#"
        input=$(cat)
        turn=$(printf '%s' "$input" | sed 's/.*"turn":\([0-9]*\).*/\1/')
        known=$(printf '%s' "$input" | sed -n 's/.*"state":{"known":"\([0-9 ]*\)"}.*/\1/p')
        case $input in
        *'"event":"before"'*) printf '{"text":"I know: %s.","why":"counted"}' "$known" ;;
        *)
            if [ "$turn" = 2 ] && [ -f HERE/wait ]; then
                rm HERE/wait
                sleep 60
            fi
            printf '{"state":{"known":"%s"}}' "$known $turn"
            ;;
        esac
    "#;
    let here = folder.to_str().unwrap();
    let path = folder.join("counting.sh");
    fs::write(&path, script.replace("HERE", here)).unwrap();
    format!("command:sh {}", path.display())
}

fn four_requests() -> Desk {
    Desk::new(&[
        ("One.\ndo: echo 1 >>count", None),
        ("Two.\ndo: echo 2 >>count", None),
        ("Three.\ndo: echo half >half; test -f ../go || sleep 60; rm half; echo 3 >>count", None),
        ("Four.\ndo: echo 4 >>count", None),
    ])
}

#[test]
fn decisions_come_with_the_request_and_are_recorded_with_where_they_are_from() {
    let desk = Desk::new(&[
        ("Write sampler.py.\ndo: echo 1 >sampler.py", None),
        ("Change the Uniform noise.\ndo: echo 2 >noise.py", None),
    ]);
    fs::write(desk.path("store.json"), STORE).unwrap();

    let ran = desk.live(&["--layer", "continuity", "--decisions", &desk.text("store.json")]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    let run = desk.run_json();
    let layer = &run["turns"][0]["layer"];
    assert_eq!(layer["name"], "continuity");
    assert_eq!(layer["sentences"][1]["from"], json!([{"decision": "fixed-target"}]));
    assert_eq!(layer["forecast"], json!(["sampler.py"]));
    assert_eq!(layer["spent"]["calls"], 0);
    assert!(layer["after"]["seconds"].is_number(), "{layer}");
    let history = layer_history(&desk);
    assert_eq!((history.name.as_str(), history_turns(&history)), ("continuity", vec![1, 2]));
    let said = history.turns[1].layer_brief.clone().unwrap();
    assert_eq!(said.brief.sentences[1].from, [SentenceOrigin::Decision("noise".into())]);
    assert!(said.brief.text().contains("superseded by noise"), "{said:?}");
    assert_eq!(history.turns[1].commit.as_deref(), run["turns"][0]["commit"].as_str());
    let shown = run_cli(&["show", &desk.text("run"), "--turn", "1"]).out;
    assert!(shown.contains("It stays fixed."), "{shown}");
    assert!(desk.path("run/decisions.json").is_file());
}

#[test]
fn without_a_store_decisions_are_drawn_from_what_was_asked_before() {
    let desk = Desk::new(&[
        ("The target must stay fixed in sampler.py.\ndo: echo 1 >sampler.py", None),
        ("Write sampler.py anew.\ndo: echo 2 >sampler.py", None),
    ]);

    let ran = desk.live(&["--layer", "continuity"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let history = layer_history(&desk);
    assert_eq!(history.turns[0].layer_brief, None);
    let said = history.turns[1].layer_brief.clone().unwrap();
    let from = [SentenceOrigin::Decision("t1.1".into()), SentenceOrigin::Request(1)];
    assert_eq!(said.brief.sentences[1].from, from);
    assert!(history.state_of_turn(&history.turns[0])["decisions.json"].contains("t1.1"));
}

/// A run of the agent that uses what layers give it.
fn run_layered(desk: &Desk, layer: &str) -> Value {
    fs::write(desk.path("store.json"), STORE).unwrap();
    fs::copy(project_path("tests/agents/layered.sh"), desk.path("agent.sh")).unwrap();
    let program = desk.path("agent");
    fs::write(&program, format!("#!/bin/sh\nexec sh {} \"$@\"\n", desk.text("agent.sh"))).unwrap();
    let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, runs).unwrap();
    let (script, out, work) = (desk.text("script.json"), desk.text("run"), desk.text("run.work"));
    let ran = run_cli(&[
        "live",
        "--agent",
        "claude",
        "--program",
        program.to_str().unwrap(),
        "--script",
        &script,
        "--out",
        &out,
        "--work-dir",
        &work,
        "--headless",
        "--keep-work",
        "--layer",
        layer,
        "--decisions",
        &desk.text("store.json"),
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    desk.run_json()
}

const BOTH: [(&str, Option<&str>); 1] =
    [("Work on the Uniform noise.\ntouch: sampler.py\nsearch: sampler.py", None)];

#[test]
fn the_same_decision_comes_with_the_request_as_an_answer_and_with_a_call() {
    for (layer, told, found, with_request) in [
        ("continuity:prompt", false, false, true),
        ("continuity:search", false, true, false),
        ("continuity:tool", true, false, false),
    ] {
        let desk = Desk::new(&BOTH);
        let run = run_layered(&desk, layer);
        let read = |name: &str| fs::read_to_string(desk.workspace().join(name)).unwrap_or_default();

        let (hooked, answered) = (read("sampler.py.told"), read("found.json"));
        assert_eq!(hooked.contains("It stays fixed."), told, "{layer}: {hooked}");
        assert_eq!(answered.contains("It stays fixed."), found, "{layer}: {answered}");
        let history = layer_history(&desk);
        let turn = &history.turns[0];
        assert_eq!(turn.layer_brief.is_some(), with_request, "{layer}");
        let given: Vec<_> =
            turn.deliveries.iter().map(|it| (it.delivery, it.asked.as_str())).collect();
        match (told, found) {
            (true, _) => assert_eq!(given, [(Delivery::Call, "Write")]),
            (_, true) => assert_eq!(given, [(Delivery::Search, "sampler.py")]),
            _ => assert_eq!(given, []),
        }
        if told || found {
            let from = &turn.deliveries[0].brief.sentences[1].from;
            assert_eq!(from, &[SentenceOrigin::Decision("fixed-target".into())]);
            assert_eq!(run["turns"][0]["layer"]["given"], 1);
        }
        if found {
            let lines: Vec<Value> =
                answered.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(lines[0]["result"]["protocolVersion"], "2025-06-18");
        }
    }
}

#[test]
fn what_an_agent_has_no_way_for_is_said_once() {
    let desk = Desk::new(&[("One.\ndo: :", None), ("Two.\ndo: :", None)]);
    let ran = desk.live(&["--layer", "continuity:tool"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lack = "its words cannot come with calls that touch files, by hooks";
    assert_eq!(ran.err.matches(lack).count(), 1, "{}", ran.err);

    let plan = desk.live(&["--layer", "continuity:search,tool", "--print-plan"]);
    let layer = "layer     continuity:search,tool: its text with each request";
    assert!(plan.out.contains(layer), "{}", plan.out);
    assert!(plan.out.contains(lack), "{}", plan.out);
}

#[test]
fn a_run_killed_in_a_turn_keeps_what_its_layer_knew_and_said() {
    let desk = four_requests();
    let layer = counting_layer(desk.folder());
    let mut child = start_live(&desk.words(&["--layer", &layer]));
    wait_for("half of turn 3", || desk.workspace().join("half").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let before = layer_history(&desk);
    assert_eq!(history_turns(&before), [1, 2]);

    fs::write(desk.path("run.work/go"), "").unwrap();
    let ran = desk.resume(&[]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_whole(&desk);
}

#[test]
fn a_run_killed_while_its_layer_took_in_a_turn_is_told_of_it_again() {
    let desk = four_requests();
    let layer = counting_layer(desk.folder());
    fs::write(desk.path("wait"), "").unwrap();
    let mut child = start_live(&desk.words(&["--layer", &layer]));
    wait_for("the end of turn 2", || {
        desk.path("counting.sh").exists() && !desk.path("wait").exists()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(desk.turns().last().unwrap(), "2 \"done\" 1");
    assert_eq!(history_turns(&layer_history(&desk)), [1]);

    fs::create_dir_all(desk.path("run.work")).unwrap();
    fs::write(desk.path("run.work/go"), "").unwrap();
    let ran = desk.resume(&[]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_whole(&desk);
}

/// The layer was told of each turn once, and said before each what it knew then.
fn assert_whole(desk: &Desk) {
    desk.check();
    let history = layer_history(desk);
    assert_eq!(history_turns(&history), [1, 2, 3, 4]);
    let said: Vec<String> =
        history.turns.iter().map(|turn| turn.layer_brief.clone().unwrap().brief.text()).collect();
    assert_eq!(said, ["I know: .", "I know:  1.", "I know:  1 2.", "I know:  1 2 3."]);
    assert_eq!(history.state_of_turn(&history.turns[3])["known"], " 1 2 3 4");
    let run = desk.run_json();
    for (turn, said) in run["turns"].as_array().unwrap().iter().zip(&said) {
        assert_eq!(turn["layer"]["added"], said.as_str());
        assert!(turn["layer"]["after"]["seconds"].is_number(), "{turn}");
    }
}

#[test]
fn a_turn_that_is_repeated_is_told_once() {
    let desk = Desk::new(&[
        ("One.\ndo: echo 1 >>count", None),
        ("Two.\ndo: echo 2 >>count; test -f ../tried || { touch ../tried; exit 3; }", None),
    ]);
    let layer = counting_layer(desk.folder());

    let ran = desk.live(&["--layer", &layer, "--retries", "1"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let history = layer_history(&desk);
    assert_eq!(history_turns(&history), [1, 2]);
    assert_eq!(history.state_of_turn(&history.turns[1])["known"], " 1 2");
}

#[test]
fn a_layer_that_fails_is_told_and_the_run_goes_on_with_the_others() {
    let desk = Desk::new(&[("One.\ndo: echo 1 >one", None)]);
    fs::write(desk.path("notes.md"), "Mind the gap.").unwrap();

    let ran = desk.live(&[
        "--notes",
        &desk.text("notes.md"),
        "--layer",
        "command:echo it cannot be >&2; exit 4",
    ]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.files("1"), ["one 1"]);
    let failed = "failed: the program failed (exit status: 4): it cannot be";
    assert!(ran.err.contains(failed), "{}", ran.err);
    assert!(ran.err.contains("got no update for turn 1: the program failed"), "{}", ran.err);
    assert_eq!(desk.run_json()["turns"][0]["layer"]["name"], "notes");
    assert_eq!(layer_history::read_layers(&desk.path("run")).len(), 2);
}

#[test]
fn a_layer_that_is_not_there_is_no_run() {
    let desk = Desk::new(&[("One.\ndo: :", None)]);
    for (words, why) in [
        (&["--layer", "nothing"][..], "no layer nothing; there are:"),
        (&["--layer", "continuity:more"], "layer continuity has no part more"),
        (&["--layer", "continuity", "--layer", "continuity"], "is given twice"),
        (&["--layer", "notes"], "layer notes needs --notes FILE"),
        (&["--layer", "continuity", "--helper", "none"], "no judge none in the settings file"),
        (&["--helper-budget", "3"], "needs --helper NAME"),
    ] {
        let ran = desk.live(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(why), "{words:?}: {}", ran.err);
        assert!(!desk.path("run").exists());
    }
}

#[test]
#[ignore = "needs python3"]
fn the_example_of_the_documentation_is_a_layer() {
    let desk = Desk::new(&[
        ("Write the sampler.\ndo: echo 1 >sampler.py", None),
        ("Mend the sampler.\ndo: echo 2 >sampler.py", None),
    ]);
    let page = fs::read_to_string(project_path("docs/layers.md")).unwrap();
    let (_, rest) = page.split_once("```python\n").unwrap();
    fs::write(desk.path("made.py"), rest.split_once("```").unwrap().0).unwrap();
    let layer = format!("command:python3 {}", desk.text("made.py"));

    let ran = desk.live(&["--layer", &layer]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.err.contains("layer command"), "{}", ran.err);
    let said = layer_history(&desk).turns[1].layer_brief.clone().unwrap();
    assert_eq!(said.brief.text(), "Made before:\n- sampler.py (turn 1)");
    assert_eq!(said.brief.sentences[1].from, [SentenceOrigin::Request(1)]);
    assert_eq!(said.brief.forecast, ["sampler.py"]);
}

/// What the scripted model does with the one request: asks for the project's state where it can, then writes the file.
fn assert_told(at: &Path) {
    let query = json!({"query": "sampler.py"});
    let search = |name: &str| json!({"op": "raw", "name": name, "args": query, "else": "true"});
    let script = json!({
        "name": "layered",
        "turns": [{"id": 1, "prompt": BOTH[0].0, "steps": [
            {"say": "I ask first.", "ops": [search("mcp__trajview__search_project_state")]},
            {"ops": [{"op": "write", "path": "sampler.py", "content": "target = 1\n"}]},
            {"say": "Written."},
        ]}],
    });
    fs::write(at, script.to_string()).unwrap();
}

/// A run of the real program with each delivery: what the model was sent, and what the bundle has of it.
fn run_real(agent: &str, program: &Path, deliveries: &[&str]) {
    assert!(program.is_file(), "{} is no program", program.display());
    for delivery in deliveries {
        let desk = Desk::new(&BOTH);
        assert_told(&desk.path("told.json"));
        let (_server, url) =
            start_server(&desk.path("told.json"), &desk.workspace(), &desk.path("port"), "tools");
        told_once(agent, program, delivery, &desk, &url);
    }
}

/// One run of the real program: what the layer gave is recorded, and in the agent's own log.
fn told_once(agent: &str, program: &Path, delivery: &str, desk: &Desk, url: &str) {
    fs::write(desk.path("store.json"), STORE).unwrap();
    let layer = format!("continuity:{delivery}");
    let (script, out, work) = (desk.text("script.json"), desk.text("run"), desk.text("run.work"));
    let program = program.to_str().unwrap();
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--agent", agent, "--program", program, "--script", &script])
        .args(["--out", &out, "--work-dir", &work, "--headless", "--model", "gpt-4.1"])
        .args(["--base-url", url, "--timeout-turn", "120", "--layer", &layer])
        .args(["--decisions", &desk.text("store.json")])
        .env("TRAJVIEW_CONFIG", "")
        .env("OPENAI_API_KEY", "not-a-secret")
        .env("ANTHROPIC_API_KEY", "not-a-secret")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{agent} {delivery}: {said}");
    let history = layer_history(desk);
    let turn = &history.turns[0];
    let briefs = turn.layer_brief.iter().map(|it| it.brief.text());
    let given = turn.deliveries.iter().map(|it| it.brief.text());
    let all: Vec<String> = briefs.chain(given).collect();
    assert!(
        all.iter().any(|it| it.contains("It stays fixed.")),
        "{agent} {delivery}: {all:?} {said}"
    );
    // The agent's own log holds what its model was sent.
    let logs = walk_folder(&desk.path("run/session"));
    let has_it = logs
        .iter()
        .any(|path| fs::read_to_string(path).unwrap_or_default().contains("It stays fixed."));
    assert!(has_it, "{agent} {delivery}: not in its log");
}

fn walk_folder(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path().is_dir() {
            true => found.extend(walk_folder(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn claude_code_is_told_a_decision_with_its_request_by_its_tool_and_by_its_hook() {
    let program = npm_program("@anthropic-ai/claude-code-linux-x64/claude");
    run_real("claude", &program, &["prompt", "search", "tool"]);
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn codex_is_told_a_decision_with_its_request_by_its_tool_and_by_its_hook() {
    let program = npm_program("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    run_real("codex", &program, &["prompt", "tool"]);
    // Its model sees the tool in a namespace, which the server above does not speak.
    let desk = Desk::new(&BOTH);
    let mut server = std::process::Command::new("python3")
        .arg(project_path("tests/agents/codex_search.py"))
        .arg(desk.path("port"))
        .spawn()
        .unwrap();
    wait_for("the port of the server", || desk.path("port").exists());
    let url = format!("http://127.0.0.1:{}", fs::read_to_string(desk.path("port")).unwrap());
    told_once("codex", &program, "search", &desk, &url);
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_key_that_a_layer_says_or_keeps_is_covered() {
    let desk = Desk::new(&[("One.\ndo: echo 1 >one", None), ("Two.\ndo: echo 2 >two", None)]);
    fs::write(desk.path("key"), "sk-0123456789-abcdef").unwrap();
    let key = desk.text("key");
    let layer = format!(
        "command:cat >/dev/null; printf '{{\"text\":\"It is %s.\",\"state\":{{\"k\":\"%s\"}}}}' $(cat {key}) $(cat {key})"
    );

    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(desk.words(&["--pass", "MY_API_KEY", "--layer", &layer]))
        .env("TRAJVIEW_CONFIG", "")
        .env("MY_API_KEY", "sk-0123456789-abcdef")
        .output()
        .unwrap();

    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let history = layer_history(&desk);
    assert_eq!(history.turns[1].layer_brief.clone().unwrap().brief.text(), "It is ***.");
    assert_eq!(history.state_of_turn(&history.turns[0])["k"], "***");
    for path in walk_folder(&desk.path("run")) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        assert!(!text.contains("0123456789"), "{}", path.display());
    }
}

/// A helper model that is a program: it writes the brief, or one record a turn.
fn scripted_helper(desk: &Desk) {
    let script = r#"
        case $(cat) in
        *"You prepare a coding agent"*)
            echo '{"purpose":{"text":"It goes on with the sampler.","cites":["request 1"]},
                   "lines":[{"text":"The target stays fixed.","cites":["records/design-1.md"]}],
                   "files":["sampler.py"]}' ;;
        *)
            echo '{"records":[{"type":"design","title":"Fixed target","body":"The target must stay fixed.",
                   "origins":["request"]}]}' ;;
        esac
    "#;
    fs::write(desk.path("helper.sh"), script).unwrap();
    let mut config = fs::read_to_string(desk.path("config.toml")).unwrap();
    let path = desk.text("helper.sh");
    config.push_str(&format!(
        "[judges.scripted]\nkind = \"command\"\ncommand = [\"sh\", \"{path}\"]\n"
    ));
    fs::write(desk.path("config.toml"), config).unwrap();
}

#[test]
fn projectguard_with_a_helper_model_briefs_each_request_and_survives_a_kill() {
    let desk = Desk::new(&[
        (
            "The target must stay fixed in sampler.py.\ndo: echo 'def sample(): pass' >sampler.py",
            None,
        ),
        ("Use the sampler in train.py.\ndo: echo 'from sampler import sample' >train.py", None),
        ("Mend the sampler.\ndo: echo half >half; test -f ../go || sleep 60; rm half", None),
    ]);
    scripted_helper(&desk);
    let words =
        desk.words(&["--layer", "projectguard", "--helper", "scripted", "--helper-budget", "50"]);
    let mut child = start_live(&words);
    wait_for("half of turn 3", || desk.workspace().join("half").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let said = |desk: &Desk, turn: usize| {
        layer_history(desk).turns[turn]
            .layer_brief
            .clone()
            .map(|said| said.brief.text())
            .unwrap_or_default()
    };
    let before = said(&desk, 1);

    fs::write(desk.path("run.work/go"), "").unwrap();
    let ran = desk.resume(&["--config", &desk.text("config.toml")]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    let history = layer_history(&desk);
    assert_eq!((history.name.as_str(), history_turns(&history)), ("projectguard", vec![1, 2, 3]));
    assert_eq!(said(&desk, 1), before);
    assert!(before.contains("The target stays fixed."), "{before}");
    let turn = history.turns[2].layer_brief.clone().unwrap();
    let cited = turn.brief.sentences.iter().find(|it| it.text.contains("stays fixed")).unwrap();
    let Some(SentenceOrigin::Record(path)) = cited.from.first() else { panic!("{cited:?}") };
    let first = history.turns.iter().find_map(|it| history.state_of_turn(it).remove(path));
    assert!(first.unwrap().contains("must stay fixed"));
    assert_eq!(turn.spent.calls, 1);
    let run = desk.run_json();
    assert_eq!(run["turns"][1]["layer"]["after"]["calls"], 1);
}
