//! When steps began, how long they took and waited, what they read and cost; agents beside each other; what is unfolded is seen.

use std::{fs, path::Path};

use ratatui::layout::Size;
use serde_json::{Value as Json, json};
use trajview::{
    runtime::{self, ScreenOptions},
    session::start_place::StartPlace,
    widgets::export,
};

/// Lines of a session of Claude Code, or of one of its sub-agents.
struct Lines {
    agent: Option<&'static str>,
    model: &'static str,
    lines: Vec<String>,
}

impl Lines {
    fn for_agent(agent: Option<&'static str>) -> Self {
        let model = if agent == Some("b1") { "made-up" } else { "claude-opus-4-5-20251101" };
        Self { agent, model, lines: vec![] }
    }

    fn add(&mut self, kind: &str, second: u32, more: &Json) {
        let number = self.lines.len();
        let clock = format!("2026-11-20T10:{:02}:{:02}.000Z", second / 60, second % 60);
        let id = format!("{}{number}", self.agent.unwrap_or("m"));
        let mut line = json!({
            "type": kind, "uuid": id, "parentUuid": null, "isSidechain": self.agent.is_some(), "cwd": "/w",
            "sessionId": "s1", "version": "2.0.14", "timestamp": clock, "agentId": self.agent,
            "message": {"role": kind, "model": self.model, "id": id},
        });
        for (key, value) in more.as_object().unwrap() {
            match key.as_str() {
                "toolUseResult" => line[key] = value.clone(),
                _ => line["message"][key] = value.clone(),
            }
        }
        self.lines.push(line.to_string());
    }

    fn add_request(&mut self, second: u32, words: &str) {
        self.add("user", second, &json!({"content": words}));
    }

    fn add_message(&mut self, second: u32, content: Json, read: u32) {
        let usage =
            json!({"input_tokens": 4, "cache_read_input_tokens": read, "output_tokens": 120});
        self.add("assistant", second, &json!({"content": content, "usage": usage}));
    }

    fn add_answer(
        &mut self,
        second: u32,
        id: &str,
        words: &str,
        is_error: bool,
        agent: Option<&str>,
    ) {
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": words, "is_error": is_error}]);
        let result =
            agent.map_or(json!(words), |agent| json!({"agentId": agent, "status": "completed"}));
        self.add("user", second, &json!({"content": content, "toolUseResult": result}));
    }

    fn save(self, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.lines.join("\n") + "\n").unwrap();
    }
}

fn tool_call(id: &str, name: &str, input: Json) -> Json {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn task_call(id: &str, what: &str) -> Json {
    tool_call(id, "Task", json!({"description": what, "prompt": what, "subagent_type": "explorer"}))
}

fn bash_call(id: &str, command: &str) -> Json {
    tool_call(id, "Bash", json!({"command": command}))
}

/// Two agents side by side, one of which fails once, then a command with a long result; a second request the next minute.
fn write_session(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("s1.jsonl");
    let mut main = Lines::for_agent(None);
    main.add_request(0, "Find where the losses are");
    main.add_message(
        3,
        json!([task_call("a", "Look in src"), task_call("b", "Look in tests")]),
        12_000,
    );
    main.add_answer(40, "b", "nothing there", false, Some("b1"));
    main.add_answer(95, "a", "in loss.py", false, Some("a1"));
    main.add_message(101, json!([bash_call("c", "cat loss.py")]), 31_000);
    let long: Vec<String> = (1..=30).map(|line| format!("line {line} of the file")).collect();
    main.add_answer(102, "c", &long.join("\n"), false, None);
    main.add_message(110, json!([{"type": "text", "text": "In loss.py."}]), 34_500);
    main.add_request(180, "Thanks");
    main.add_message(184, json!([{"type": "text", "text": "You are welcome."}]), 34_700);
    main.save(&path);
    for (name, ends, fails) in [("a1", 90, true), ("b1", 38, false)] {
        let mut agent = Lines::for_agent(Some(name));
        agent.add_request(4, "Look");
        agent.add_message(8, json!([bash_call("x", "rg -n loss")]), 3_000);
        agent.add_answer(ends - 10, "x", "rg: bad pattern", fails, None);
        agent.add_message(ends, json!([{"type": "text", "text": "Done."}]), 5_000);
        agent.save(&folder.join(format!("s1/subagents/agent-{name}.jsonl")));
    }
    path
}

fn steps_frame((width, height): (u16, u16), keys: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths = [write_session(folder.path())];
    let frame = runtime::headless_frame(
        &paths,
        Size { width, height },
        keys,
        StartPlace::default(),
        ScreenOptions::default(),
    );
    export::frame_text(&frame.unwrap_or_else(|why| panic!("{why}")))
}

#[test]
fn each_step_says_when_it_began_how_long_it_took_and_what_it_read() {
    insta::assert_snapshot!(steps_frame((120, 40), "<s-tab><s-tab> Z gg I"));
    insta::assert_snapshot!(steps_frame((80, 24), "<s-tab><s-tab> m I"));
    let by_the_clock = steps_frame((120, 40), "I I");
    assert!(by_the_clock.contains("10:00:03") && by_the_clock.contains("UTC"), "{by_the_clock}");
    assert!(!steps_frame((120, 40), "I I I").contains("in/out"));
    let costs = steps_frame((160, 45), "<s-tab><s-tab> Z m I");
    // 4 tokens read at 5, 12,000 cached at 0.5, 120 written at 25 USD a million.
    assert!(costs.contains("12k/120    $0.0090"), "{costs}");
    assert!(costs.contains("tokens · computed ≥ $0.0"), "{costs}");
}

#[test]
fn agents_stand_beside_each_other_in_time_and_lead_to_their_first_step() {
    insta::assert_snapshot!(steps_frame((80, 24), "V j"));
    insta::assert_snapshot!(steps_frame((120, 40), "V j j"));
    insta::assert_snapshot!(steps_frame((160, 45), "V t"));
    let gone_to = steps_frame((120, 40), "V j j <enter>");
    assert!(gone_to.contains("step 6/10"), "{gone_to}");
    assert!(!steps_frame((120, 40), "V <esc>").contains("agents of turn"));
    let without = steps_frame((120, 40), "l V");
    assert!(without.contains("agents of the run"), "the turn has none: {without}");
}

#[test]
fn what_is_unfolded_below_the_panel_is_brought_into_view() {
    let unfolded = steps_frame((80, 24), "<s-tab><s-tab> m j j j o");
    insta::assert_snapshot!(unfolded);
    let down = steps_frame((80, 24), "<s-tab><s-tab> m j j j o j");
    let head = |frame: &str| frame.lines().position(|line| line.contains("cat loss.py"));
    assert_eq!(head(&down), head(&unfolded), "the way down does not scroll: {down}");
}

/// The header names the turn; values of a later step would contradict it.
#[test]
fn at_the_end_of_a_turn_curves_by_step_show_the_last_step_up_to_there() {
    let session = [crate::common::project_path("sample-runs/logs/qwen-code.jsonl")];
    let frame_after = |keys: &str| {
        let size = Size { width: 120, height: 40 };
        let place = StartPlace::default();
        let frame = runtime::headless_frame(&session, size, keys, place, ScreenOptions::default());
        export::frame_text(&frame.unwrap())
    };

    let first = frame_after("g c");
    assert!(first.contains("turn 1/2") && first.contains("after step 1.1"), "{first}");
    let last = frame_after("g c <right>");
    assert!(last.contains("turn 2/2") && last.contains("after step 2.2"), "{last}");
}

#[test]
fn the_context_is_a_curve_with_a_mark_where_it_was_compacted() {
    let paths = [Path::new("sample-runs/claude-code").to_owned()];
    let size = Size { width: 120, height: 40 };
    let keys = "2w 10j 8G";
    let frame = runtime::headless_frame(
        &paths,
        size,
        keys,
        StartPlace::default(),
        ScreenOptions::default(),
    );
    let shown = export::frame_text(&frame.unwrap_or_else(|why| panic!("{why}")));
    insta::assert_snapshot!(shown);
}
