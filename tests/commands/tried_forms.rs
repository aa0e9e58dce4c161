//! Forms that people try: chats of VS Code, Claude's web conversations, Continue, Kiro, iFlow and DeepSeek Harness, in the variants that
//! their versions write, and archives that are cut off.

use std::{fs, io::Write, path::PathBuf};

use serde_json::{Value, json};
use trajview::{
    run::{Run, Step, StepKind},
    store,
};

use crate::common::{project_path, run_cli};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn run(&self, name: &str, text: &str) -> Run {
        let path = self.put(name, text.as_bytes());
        Run::clone(&store::open(&path).unwrap_or_else(|why| panic!("{why}")).run)
    }
}

fn json_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn tool_calls(run: &Run) -> Vec<&Step> {
    let own = run.turns.iter().flat_map(|turn| &turn.steps);
    own.filter(|step| step.tool.is_some()).collect()
}

fn edited_files(run: &Run) -> Vec<(String, Option<u32>)> {
    let edits = run.turns.iter().flat_map(|turn| &turn.steps).flat_map(|step| &step.edits);
    edits.map(|edit| (edit.path.to_string(), edit.added)).collect()
}

fn is_failed(step: &Step) -> bool {
    step.tool_result().is_some_and(|result| result.has_failed())
}

fn request_of_rounds() -> Value {
    let elided = json!({"filePath": "/w/b.py", "code": "# ...existing code...\nx = 1\n"});
    let several = json!({"explanation": "e", "replacements": [
        {"filePath": "/w/c.py", "oldString": "a", "newString": "b"},
        {"filePath": "/w/d.py", "oldString": "c", "newString": "d\ne"},
    ]});
    let call = |id: &str, name: &str, arguments: String| json!({"id": id, "name": name, "arguments": arguments});
    let tree = json!({"node": {"type": 1, "children": [{"type": 2, "text": "The file "}, {"type": 2, "text": "was edited."}]}});
    json!({
        "requestId": "r", "timestamp": 1_790_000_000_000_i64, "message": {"text": "Fix it."}, "modelId": "copilot/made-model",
        "promptTokens": 5000, "completionTokens": 40, "response": [],
        "result": {"timings": {"totalElapsed": 2000}, "metadata": {
            "toolCallRounds": [
                {"response": "I look.", "thinking": {"id": "t", "text": ["hm", "m"]}, "toolCalls": [
                    call("c1__vscode-17", "insert_edit_into_file", elided.to_string()),
                    call("c2", "multi_replace_string_in_file", several.to_string()),
                    call("c3", "read_file", "no JSON".into()),
                ]},
                {"response": "Done.", "toolCalls": []},
            ],
            "toolCallResults": {
                "c1__vscode-17": {"content": [{"$mid": 24, "value": tree}]},
                "c2": {"content": [{"value": "ok"}]},
                "c3": {"content": [{"value": "ERROR while calling tool: no such file"}]},
            },
        }},
    })
}

fn export_session(requests: &[Value]) -> Value {
    json!({"version": 3, "responderUsername": "GitHub Copilot", "initialLocation": "panel", "sessionId": "s", "creationDate": 1, "requests": requests})
}

#[test]
fn a_chat_of_vs_code_is_the_same_from_its_document_its_log_and_its_export() {
    let folder = Folder::new();
    let request = request_of_rounds();
    let document =
        folder.run("a.json", &export_session(std::slice::from_ref(&request)).to_string());
    let mut late = request.clone();
    let result = late.as_object_mut().unwrap().remove("result").unwrap();
    let log = json_lines(&[
        json!({"kind": 0, "v": export_session(&[])}),
        json!({"kind": 2, "k": ["requests"], "v": [late]}),
        json!({"kind": 1, "k": ["requests", 0, "result"], "v": result}),
    ]);
    let log = folder.run("b.jsonl", &log);
    let export = json!({"initialLocation": "panel", "responderUsername": "GitHub Copilot", "requests": [request]});
    let export = folder.run("c.json", &export.to_string());

    for run in [&document, &log, &export] {
        assert_eq!(run.origin.format, "copilot-chat");
        let kinds: Vec<StepKind> = run.turns[0].steps.iter().map(|step| step.kind).collect();
        let (tool, message) = (StepKind::Tool, StepKind::Message);
        assert_eq!(kinds, [StepKind::Thinking, message, tool, tool, tool, message]);
        assert_eq!(
            tool_calls(run).iter().map(|step| is_failed(step)).collect::<Vec<_>>(),
            [false, false, true]
        );
        let expected = [("b.py", None), ("c.py", Some(1)), ("d.py", Some(2))];
        let expected = expected.map(|(path, added)| (format!("/w/{path}"), added));
        let all = edited_files(run);
        for ((path, added), (expected, lines)) in all.iter().zip(&expected) {
            assert!(expected.ends_with(path.as_str()), "{path} {expected}");
            assert_eq!(added, lines, "{path}");
        }
        assert_eq!(all.len(), 3);
        // The input is that of the last call alone.
        assert_eq!((run.turns[0].tokens.input, run.turns[0].tokens.output), (None, Some(40)));
    }
}

#[test]
fn totals_by_model_of_a_chat_are_its_tokens() {
    let mut request = request_of_rounds();
    request["modelTotals"] = json!([
        {"model": "a", "inputTokens": 100, "cachedTokens": 50, "outputTokens": 5},
        {"model": "b", "inputTokens": 10, "outputTokens": 1},
    ]);

    let run = Folder::new().run("a.json", &export_session(&[request]).to_string());

    let tokens = run.turns[0].tokens;
    assert_eq!((tokens.input, tokens.cached_input, tokens.output), (Some(110), Some(50), Some(6)));
}

#[test]
fn a_request_that_was_cancelled_is_read_from_what_the_editor_showed() {
    let terminal = json!({
        "kind": "toolInvocationSerialized", "toolId": "run_in_terminal", "toolCallId": "x", "isConfirmed": {"type": 4}, "isComplete": true,
        "toolSpecificData": {"kind": "terminal", "commandLine": {"original": "ls", "userEdited": "ls -l"},
            "terminalCommandState": {"exitCode": 2}, "terminalCommandOutput": {"text": "no\n"}},
    });
    let file = json!({"$mid": 1, "fsPath": "/w/a.py", "path": "/w/a.py", "scheme": "file"});
    let response = json!([
        {"value": "I look at "}, {"kind": "inlineReference", "inlineReference": file}, {"value": " first."},
        {"kind": "thinking", "value": ["one", "two"]}, terminal,
        {"kind": "toolInvocationSerialized", "toolId": "copilot_readFile", "toolCallId": "y", "invocationMessage": "Reading", "isConfirmed": false, "isComplete": true},
        {"kind": "toolInvocationSerialized", "toolId": "copilot_readFile", "toolCallId": "z", "invocationMessage": {"value": "Reading"}, "isComplete": false},
        {"value": "\n```\n"}, {"kind": "codeblockUri", "uri": file}, {"kind": "textEditGroup", "uri": file, "edits": [[]]}, {"value": "\n```\n"},
        {"kind": "brandNew", "x": 1},
    ]);
    // The oldest sessions have the words of a request as a text.
    let request = json!({"requestId": "r", "message": "Fix it.", "response": response, "isCanceled": true, "result": {"errorDetails": {"message": "Canceled"}}});

    let run = Folder::new().run("a.json", &export_session(&[request]).to_string());

    let turn = &run.turns[0];
    assert_eq!(&*turn.title, "Fix it.");
    assert_eq!(&*turn.steps[0].label, "I look at `a.py` first.");
    let calls = tool_calls(&run);
    let results: Vec<Option<bool>> =
        calls.iter().map(|step| step.tool_result().map(|it| it.has_failed())).collect();
    assert_eq!(results, [Some(true), Some(true), None, Some(false)]);
    assert_eq!(&*calls[0].label, "ls -l");
    assert_eq!(edited_files(&run).len(), 1);
    assert_eq!(edited_files(&run)[0].1, None);
    let unknown = turn.steps.iter().filter(|step| step.kind == StepKind::Unknown).count();
    assert_eq!(unknown, 1);
    assert!(turn.steps.last().unwrap().is_error);
}

#[test]
fn what_was_taken_back_in_a_chat_is_none_of_the_files() {
    let folder = Folder::new();
    let write = |id: &str, text: &str, taken_back: bool| {
        let arguments = json!({"filePath": "/w/a.py", "content": text}).to_string();
        let mut request = json!({"requestId": id, "message": {"text": text}, "response": [], "result": {"metadata": {
            "toolCallRounds": [{"response": "", "toolCalls": [{"id": id, "name": "create_file", "arguments": arguments}]}],
            "toolCallResults": {id: {"content": [{"value": "ok"}]}}}}});
        if taken_back {
            request["shouldBeRemovedOnSend"] = json!({});
        }
        request
    };
    let path = folder.put(
        "a.json",
        export_session(&[write("one", "kept\n", false), write("two", "left\n", true)])
            .to_string()
            .as_bytes(),
    );

    let shown = run_cli(&["cat", path.to_str().unwrap(), "a.py"]);

    assert_eq!(shown.out, "kept\n");
}

#[test]
fn a_log_of_a_chat_that_cannot_be_followed_says_so() {
    let folder = Folder::new();
    let whole = json!({"kind": 0, "v": export_session(&[request_of_rounds()])});

    let run = folder.run("torn.jsonl", &format!("{whole}\n{{\"kind\":1,\"k\":[\"requ"));

    let last = run.turns[0].steps.last().unwrap();
    assert_eq!(last.kind, StepKind::Unknown);
    assert!(last.label.ends_with("followed: 1"), "{}", last.label);
    assert!(
        folder
            .run("empty.jsonl", &json_lines(&[json!({"kind": 0, "v": export_session(&[])})]))
            .turns
            .is_empty()
    );
}

#[test]
fn each_conversation_of_claudes_export_is_a_run_and_what_was_pasted_is_asked() {
    let folder = Folder::new();
    let all = json!([
        {"uuid": "one", "name": "", "created_at": "2024-01-01T00:00:00Z", "chat_messages": [
            {"uuid": "a", "text": "hi", "sender": "human", "created_at": "2024-01-01T00:00:00Z",
             "attachments": [{"file_name": "", "extracted_content": "PASTED"}], "files": [{"file_name": "p.png"}]},
            {"uuid": "b", "text": "hello", "sender": "assistant", "created_at": "2024-01-01T00:00:01Z"},
        ]},
        {"uuid": "two", "name": "empty", "created_at": "2024-01-01T00:00:00Z", "chat_messages": []},
    ]);
    let path = folder.put("conversations.json", all.to_string().as_bytes());

    let first = run_cli(&["show", &format!("{}/one", path.display()), "--turn", "1"]);

    assert!(first.out.contains("hi\n  > PASTED\n  > [file p.png]"), "{}", first.out);
    assert!(run_cli(&["check", path.to_str().unwrap()]).out.contains("two: claude-web, 0 turns"));
}

#[test]
fn the_leaf_that_a_conversation_names_ends_its_branch() {
    let message = |id: &str, parent: &str, sender: &str, text: &str| json!({"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": "", "content": [{"type": "text", "text": text}], "created_at": "2026-09-21T14:13:20Z"});
    let root = "00000000-0000-4000-8000-000000000000";
    let messages = [
        message("a", root, "human", "first"),
        message("b", "a", "assistant", "answer"),
        message("c", "b", "human", "active"),
        message("d", "b", "human", "edited away"),
    ];
    let conversation = json!({"uuid": "u", "name": "n", "current_leaf_message_uuid": "c", "chat_messages": messages});

    let run = Folder::new().run("one.json", &conversation.to_string());

    let titles: Vec<&str> = run.turns.iter().map(|turn| &*turn.title).collect();
    assert_eq!(titles, ["first", "active"]);
}

#[test]
fn an_older_session_of_continue_has_results_in_messages_of_their_own() {
    let change = json!({"filepath": "a.py", "changes": "x"}).to_string();
    let call = json!({"id": "t", "type": "function", "function": {"name": "edit_existing_file", "arguments": change}});
    let session = json!({"sessionId": "s", "title": "t", "workspaceDirectory": "/w", "history": [
        {"message": {"role": "user", "content": "hi"}, "contextItems": [{"name": "a.py", "content": "CONTEXT"}]},
        {"message": {"role": "assistant", "content": "", "toolCalls": [call]}, "contextItems": []},
        {"message": {"role": "tool", "content": "done", "toolCallId": "t"}, "contextItems": []},
        {"message": {"role": "assistant", "content": "ok"}, "contextItems": [], "promptLogs": [["p", "c"]], "conversationSummary": "SUMMARY"},
    ]});

    let run = Folder::new().run("s.json", &session.to_string());

    assert_eq!(run.origin.format, "continue");
    let calls = tool_calls(&run);
    assert_eq!(calls[0].tool_result().unwrap().bytes, 4);
    assert_eq!(edited_files(&run), [("a.py".to_owned(), None)]);
    assert_eq!(run.turns[0].steps.last().unwrap().kind, StepKind::Compaction);
    assert!(run.turns[0].steps.iter().any(|step| step.label.contains("a.py")));
}

#[test]
fn sessions_of_iflow_and_of_deepseek_harness_are_none_of_claude_code_and_pi() {
    let folder = Folder::new();
    let record = |kind: &str, id: &str, content: Value| {
        json!({"uuid": id, "parentUuid": null, "sessionId": "session-0f000000-0000-4000-8000-000000000000", "type": kind, "isSidechain": false, "userType": "external", "timestamp": "2026-09-21T14:13:20Z",
               "message": {"role": kind, "content": content}})
    };
    let iflow = json_lines(&[
        record("user", "a", json!("hi")),
        record(
            "assistant",
            "b",
            json!([{"type": "tool_use", "id": "t", "name": "read_file", "input": {"path": "a"}}]),
        ),
        // One of the two forms of a result.
        record(
            "user",
            "c",
            json!([{"type": "tool_result", "tool_use_id": "t", "content": {"functionResponse": {"id": "t", "response": {"output": "seen"}}}}]),
        ),
    ]);
    let mut iflow: Vec<Value> =
        iflow.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    iflow[1]["parentUuid"] = "a".into();
    iflow[2]["parentUuid"] = "b".into();
    let run = folder.run("session-0f.jsonl", &json_lines(&iflow));
    assert_eq!((run.origin.format, run.agent.name.as_str()), ("iflow", "iflow"));
    assert_eq!(tool_calls(&run)[0].tool_result().unwrap().bytes, 4);

    let event = |kind: &str, seq: u64, data: Value| json!({"type": kind, "seq": seq, "time": 1_790_000_000_000_i64, "data": data});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let dsh = json_lines(&[
        json!({"type": "session", "version": 3, "id": "s", "createdAt": 1_790_000_000_000_i64, "cwd": "/w", "delegationDepth": 0}),
        event(
            "user/message",
            0,
            json!({"content": text("rules"), "source": {"kind": "plugin", "plugin": "p"}}),
        ),
        event(
            "user/message",
            1,
            json!({"message": {"content": text("do"), "source": {"kind": "user"}}}),
        ),
        event("permission/preset", 2, json!({})),
        event(
            "assistant/message",
            3,
            json!({"message": {"source": {"kind": "model", "model": "m"}}, "usage": {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 5},
            "stream": [{"type": "chunk", "chunk": {"type": "text-delta", "text": "al"}}, {"type": "chunk", "chunk": {"type": "text-delta", "text": "l"}}]}),
        ),
    ]);
    // As it is written: a frame of its own for what was appended, the last of them torn.
    let mut frames: Vec<u8> = dsh
        .lines()
        .flat_map(|line| zstd::encode_all(format!("{line}\n").as_bytes(), 0).unwrap())
        .collect();
    let whole = frames.len();
    frames.extend(zstd::encode_all(&b"{\"type\":\"turn/end\"}\n"[..], 0).unwrap());
    frames.truncate(whole + 6);
    folder.put("--w--/s/session.v3.jsonl.zstd", &frames);
    let opened = store::open(&folder.0.path().join("--w--")).unwrap();
    let run = &opened.run;
    assert_eq!((run.origin.format, run.turns.len()), ("dsh", 1));
    assert_eq!(&*run.turns[0].title, "do");
    assert_eq!(run.turns[0].steps.last().unwrap().label.as_ref(), "all");
    let tokens = run.turns[0].tokens;
    assert_eq!((tokens.input, tokens.cached_input), (Some(15), Some(5)));
}

#[test]
fn kiros_three_engines_and_its_database_are_read() {
    let folder = Folder::new();
    let second = json_lines(&[
        json!({"version": "v1", "kind": "Prompt", "data": {"content": [{"kind": "text", "data": "Add div."}], "meta": {"timestamp": 1_790_000_000}}}),
        json!({"version": "v1", "kind": "AssistantMessage", "data": {"content": [{"kind": "text", "data": "ok"},
            {"kind": "toolUse", "data": {"toolUseId": "t", "name": "write", "input": {"command": "create", "path": "a.py", "content": "x\n"}}}]}}),
        json!({"version": "v1", "kind": "ToolResults", "data": {"content": [{"kind": "toolResult", "data": {"toolUseId": "t", "content": [{"kind": "text", "data": "written"}], "status": "success"}}]}}),
    ]);
    let run = folder.run("second.jsonl", &second);
    assert_eq!(
        (run.origin.format, edited_files(&run)),
        ("kiro", vec![("a.py".to_owned(), Some(1))])
    );
    assert_eq!(tool_calls(&run)[0].tool_result().unwrap().bytes, 7);

    let third = json_lines(&[
        json!({"id": "1", "timestamp": "2026-09-21T14:13:20Z", "payload": {"type": "user", "content": "Add div."}}),
        json!({"id": "2", "timestamp": "2026-09-21T14:13:21Z", "payload": {"type": "tool_call", "toolCallId": "t", "toolName": "executeBash", "args": {"command": "ls"}}}),
        json!({"id": "3", "timestamp": "2026-09-21T14:13:22Z", "payload": {"type": "tool_result", "toolCallId": "t", "content": "no", "success": false}}),
    ]);
    let run = folder.run("messages.jsonl", &third);
    assert_eq!((run.origin.format, is_failed(tool_calls(&run)[0])), ("kiro", true));

    let path = folder.0.path().join("data.sqlite3");
    let base = rusqlite::Connection::open(&path).unwrap();
    base.execute_batch("create table conversations_v2 (key text, conversation_id text, value text, created_at integer, updated_at integer)").unwrap();
    let value = fs::read_to_string(project_path("sample-runs/logs/kiro.json")).unwrap();
    for id in ["one", "two"] {
        base.execute(
            "insert into conversations_v2 values ('/elsewhere', ?1, ?2, 1, 1)",
            [id, &value],
        )
        .unwrap();
    }
    drop(base);
    let checked = run_cli(&["check", path.to_str().unwrap()]);
    assert!(checked.out.contains("data.sqlite3/one: kiro, 2 turns"), "{}", checked.out);
    assert!(checked.out.contains("data.sqlite3/two: kiro, 2 turns"), "{}", checked.out);
}

fn tar_bytes() -> Vec<u8> {
    let mut archive = tar::Builder::new(vec![]);
    for name in ["amp.json", "droid.jsonl", "pi.jsonl"] {
        archive
            .append_path_with_name(project_path("sample-runs/logs").join(name), format!("r/{name}"))
            .unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(vec![], flate2::Compression::none());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn of_a_cut_off_archive_what_is_whole_opens_and_the_cut_is_told() {
    let folder = Folder::new();
    let whole = tar_bytes();
    let head = memchr::memmem::find(&whole, b"r/pi.jsonl").unwrap();
    let packed = gzip_bytes(&whole);
    let members = |name: &str, bytes: &[u8]| {
        run_cli(&["check", folder.put(name, bytes).to_str().unwrap()]).out
    };
    // In the head of the last member, before it, and in its content.
    for (cut, rest) in [(head + 200, 0), (head, 0), (head + 800, 1)] {
        let told = members("cut.tar", &whole[..cut]);
        assert!(told.contains("r/amp.json: amp, 2 turns, 7 steps, 1 warning"), "{told}");
        assert!(told.contains("r/droid.jsonl: droid, 2 turns, 7 steps, 1 warning"), "{told}");
        assert!(
            told.contains(&format!(
                "the archive is cut off after {cut} bytes; 2 members before that are complete"
            )),
            "{told}"
        );
        assert_eq!(told.matches("bytes are there").count(), rest, "{told}");
    }
    for name in ["cut.tar.gz", "cut.tgz"] {
        let told = members(name, &packed[..head + 800]);
        assert!(told.contains("r/amp.json: amp, 2 turns, 7 steps, 1 warning"), "{told}");
        assert!(told.contains("the compressed file is damaged after"), "{told}");
    }
    for (name, bytes) in [("whole.tar", &whole), ("whole.tar.gz", &packed)] {
        let told = members(name, bytes);
        assert_eq!(told.matches("no warnings").count(), 3, "{told}");
    }
}

#[test]
fn wherever_a_tar_archive_is_cut_it_is_opened_so_far_or_refused() {
    let folder = Folder::new();
    let whole = tar_bytes();
    for len in (0..whole.len()).step_by(97) {
        let path = folder.put("cut.tar", &whole[..len]);
        for run in store::runs_below(&path) {
            let _ = store::open(&run);
        }
    }
}

#[test]
fn a_model_without_a_price_is_named_with_how_to_add_one() {
    let sample = project_path("sample-runs/logs/pi.jsonl").display().to_string();

    let cost = run_cli(&["cost", &sample]).out;
    let shown = run_cli(&["show", &sample]).out;

    assert!(
        cost.contains(
            r#"to add a price: write prices.json with {"rows": [{"model":"made-model", "usd_per_million""#
        ),
        "{cost}"
    );
    assert!(cost.contains("--prices prices.json"), "{cost}");
    assert!(shown.contains("no price for made-model; add rows in a file"), "{shown}");
}
