use super::*;
use crate::run::{Edit, files::RecordedChange};

fn run_of(name: &str, text: &str) -> Run {
    read(Source { name, bytes: text.as_bytes() }, SourceId(0)).unwrap()
}

/// Each step as its kind, its tool, its label, its words and its observation.
fn told(name: &str, text: &str) -> Vec<String> {
    let run = run_of(name, text);
    let record = |place: Place| std::str::from_utf8(place.of(text.as_bytes())).unwrap();
    let step = |step: &Step| {
        let words = words(record(step.place), step);
        let tool = step.tool.as_ref().map(|tool| tool.name.to_string()).unwrap_or_default();
        let seen = step.result().map(|found| {
            let said = result(record(found.place), found);
            assert_eq!(said.len() as u64, found.bytes);
            format!(" -> {said}{}", if found.failed() { " ✗" } else { "" })
        });
        let said = words.arguments.unwrap_or(words.text);
        format!("{} {tool} {:?} {said:?}{}", step.kind.word(), step.label, seen.unwrap_or_default())
    };
    run.turns.iter().flat_map(|turn| &turn.steps).map(step).collect()
}

#[test]
fn gemini_says_calls_and_sees() {
    let log = r#"{"type":"init","model":"m"}
{"type":"message","role":"user","content":"count words"}
{"type":"message","role":"assistant","content":"I write it","delta":true}
{"type":"tool_use","tool_name":"write_file","tool_id":"w1","parameters":{"file_path":"/workspace/a.py","content":"x\n"}}
{"type":"tool_result","tool_id":"w1","status":"error","output":"no"}
{"type":"result","status":"success"}
"#;

    let run = run_of("agent/stdout.jsonl", log);

    assert_eq!((run.agent.name.as_str(), &*run.turns[0].title), ("gemini", "count words"));
    let steps = &run.turns[0].steps;
    assert_eq!(told("stdout.jsonl", log), [
        r#"message  "I write it" "I write it""#.to_owned(),
        "tool write_file \"/workspace/a.py\" \"{\\n  \\\"content\\\": \\\"x\\\\n\\\",\\n  \\\"file_path\\\": \\\"/workspace/a.py\\\"\\n}\" -> no ✗".to_owned(),
    ]);
    let [Edit { path, place, .. }] = steps[1].edits.as_slice() else { panic!("one edit") };
    assert_eq!(path.as_str(), "a.py");
    let body = body(std::str::from_utf8(place.of(log.as_bytes())).unwrap()).unwrap();
    assert_eq!(body.change, RecordedChange::Write("x\n".into()));
}

#[test]
fn opencode_keeps_a_call_with_its_result() {
    let log = r#"{"type":"step_start","part":{"type":"step-start"}}
{"type":"text","part":{"text":"Looking."}}
{"type":"tool_use","part":{"tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"ls"},"output":"a.py\n"}}}
{"type":"step_finish","part":{"tokens":{"input":1}}}
"#;

    assert_eq!(
        told("messages.jsonl", log),
        [
            r#"message  "Looking." "Looking.""#.to_owned(),
            "tool bash \"ls\" \"{\\n  \\\"command\\\": \\\"ls\\\"\\n}\" -> a.py\n".to_owned(),
        ]
    );
}

#[test]
fn openhands_observes_what_it_caused() {
    let log = r#"[{"id":0,"source":"user","action":"message","args":{"content":"count words"}},
 {"id":1,"source":"agent","action":"run","args":{"command":"ls"}},
 {"id":2,"source":"agent","action":"run","args":{"command":"pwd"}},
 {"id":3,"source":"agent","observation":"run","cause":1,"content":"a.py"},
 {"id":4,"source":"agent","action":"finish","args":{"thought":"done"}}]"#;

    let seen: Vec<_> = run_of("trajectory.json", log).turns[0]
        .steps
        .iter()
        .map(|step| (step.label.to_string(), step.result().is_some()))
        .collect();

    let seen: Vec<_> = seen.iter().map(|(label, seen)| (label.as_str(), *seen)).collect();
    assert_eq!(seen, [("ls", true), ("pwd", false), ("done", false)]);
}

#[test]
fn mini_swe_agent_acts_within_fences() {
    let log = r#"{"role":"system","content":"be brief"}
{"role":"user","content":"count words"}
{"role":"assistant","content":"THOUGHT: look\n\n```bash\nls -a\n```"}
{"role":"user","content":"<returncode>1</returncode>\n<output>\nno</output>"}
{"role":"assistant","content":"nothing to do"}
"#;

    let run = run_of("trajectory.jsonl", log);

    assert_eq!(&*run.turns[0].title, "count words");
    let step = &run.turns[0].steps[1];
    assert_eq!((&*step.label, step.result().unwrap().exit_code), ("ls -a", Some(1)));
    let words = words(log.lines().nth(2).unwrap(), step);
    assert_eq!(words.arguments.as_deref(), Some("ls -a"));
    assert!(words.text.starts_with("THOUGHT: look"));
}

#[test]
fn lines_of_nobody_we_know_are_shown_as_they_are() {
    let run = run_of("stdout.jsonl", "{\"step\": 1}\nplain words\n");

    let labels: Vec<_> = run.turns[0].steps.iter().map(|step| (step.kind, &*step.label)).collect();
    assert_eq!(labels, [(StepKind::Unknown, "{\"step\": 1}"), (StepKind::Unknown, "plain words")]);
    assert_eq!(run.warnings[0].what, "not a log of a known agent; its lines are shown as they are");
    assert!(read(Source { name: "settings.json", bytes: b"{}" }, SourceId(0)).is_none());
}
