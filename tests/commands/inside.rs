//! Runs that lie in other files: archives, databases, rows of text and of columns.

use std::{fs, io::Write, path::Path};

use serde_json::Value;
use trajview::store;

use crate::common::{cli_json, cli_text, project_path, run_cli};

const LOG: &str = "sample-runs/logs/pi.jsonl";
const OTHER: &str = "sample-runs/logs/droid.jsonl";

fn sample_bytes(path: &str) -> Vec<u8> {
    fs::read(project_path(path)).unwrap()
}

/// What a run says, whatever it lies in.
fn shown_turns(path: &Path) -> Vec<Value> {
    let shown = cli_json(&["show", path.to_str().unwrap(), "--json"]);
    shown["turns"].as_array().unwrap().clone()
}

fn found_runs(path: &Path) -> Vec<String> {
    let runs = store::runs_below(path).into_iter();
    runs.map(|run| run.strip_prefix(path).unwrap().display().to_string()).collect()
}

#[test]
fn a_log_that_is_compressed_is_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let packed = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(&sample_bytes(LOG)).unwrap();
    let gzip = packed("pi.jsonl.gz", gzip.finish().unwrap());
    let zstd = packed("pi.jsonl.zst", zstd::encode_all(&sample_bytes(LOG)[..], 3).unwrap());

    assert_eq!(shown_turns(&gzip), shown_turns(&project_path(LOG)));
    assert_eq!(shown_turns(&zstd), shown_turns(&project_path(LOG)));
}

#[test]
fn the_logs_of_an_archive_are_runs_below_it() {
    let folder = tempfile::tempdir().unwrap();
    let zip = folder.path().join("runs.zip");
    let mut archive = zip::ZipWriter::new(fs::File::create(&zip).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, content) in [
        ("a/pi.jsonl", sample_bytes(LOG)),
        ("b/droid.jsonl", sample_bytes(OTHER)),
        ("../out.jsonl", sample_bytes(LOG)),
        ("README.md", b"x".to_vec()),
    ] {
        archive.start_file(name, options).unwrap();
        archive.write_all(&content).unwrap();
    }
    archive.finish().unwrap();
    let tar = folder.path().join("runs.tar");
    let mut archive = tar::Builder::new(fs::File::create(&tar).unwrap());
    for (name, content) in
        [("a/pi.jsonl", sample_bytes(LOG)), ("b/droid.jsonl", sample_bytes(OTHER))]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_cksum();
        archive.append_data(&mut header, name, &content[..]).unwrap();
    }
    archive.finish().unwrap();
    drop(archive);
    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    gzip.write_all(&fs::read(&tar).unwrap()).unwrap();
    let tgz = folder.path().join("runs.tgz");
    fs::write(&tgz, gzip.finish().unwrap()).unwrap();

    for archive in [&zip, &tar, &tgz] {
        // A name that climbs out of the archive is nobody's.
        assert_eq!(found_runs(archive), ["a/pi.jsonl", "b/droid.jsonl"], "{}", archive.display());
        assert_eq!(
            shown_turns(&archive.join("a/pi.jsonl")),
            shown_turns(&project_path(LOG)),
            "{}",
            archive.display()
        );
    }
    let said = run_cli(&["show", zip.to_str().unwrap()]);
    assert_eq!(said.code, Some(4));
    assert!(said.err.contains("2 recordings in this file"), "{}", said.err);
    let checked = cli_text(&["check", folder.path().to_str().unwrap()]);
    assert_eq!(checked.lines().count(), 6, "{checked}");
}

#[test]
fn a_damaged_archive_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let eval = sample_bytes("sample-runs/logs/inspect.eval");
    // Nothing in these is whole; of those that are cut later see `store::containers::cut_zip`.
    for cut in [4, 30] {
        let path = folder.path().join(format!("cut-{cut}.eval"));
        fs::write(&path, &eval[..cut]).unwrap();
        let said = run_cli(&["show", path.to_str().unwrap()]);
        assert_eq!(said.code, Some(4), "{}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    }
}

#[test]
fn sessions_of_a_database_are_read_with_what_is_not_written_back_yet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let base = rusqlite::Connection::open(&path).unwrap();
    base.execute_batch(
        "pragma journal_mode = wal;
         create table session (id text primary key, parent_id text, directory text, title text, version text, time_created integer, time_updated integer);
         create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
         create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text);",
    )
    .unwrap();
    let export: Value =
        serde_json::from_slice(&sample_bytes("sample-runs/logs/opencode.export.json")).unwrap();
    base.execute("insert into session values ('ses_made', null, '/work/tinycalc', 'tinycalc', '1.18.33', 1790000000000, 1790000009000)", []).unwrap();
    for message in export["messages"].as_array().unwrap() {
        let info = &message["info"];
        base.execute(
            "insert into message values (?1, 'ses_made', ?2, 0, ?3)",
            (info["id"].as_str(), info["time"]["created"].as_i64(), info.to_string()),
        )
        .unwrap();
        for part in message["parts"].as_array().unwrap() {
            base.execute(
                "insert into part values (?1, ?2, 'ses_made', ?3, 0, ?4)",
                (
                    part["id"].as_str(),
                    info["id"].as_str(),
                    info["time"]["created"].as_i64(),
                    part.to_string(),
                ),
            )
            .unwrap();
        }
    }
    let before = fs::read(&path).unwrap();

    assert_eq!(found_runs(&path), ["ses_made"]);
    assert_eq!(
        shown_turns(&path.join("ses_made")),
        shown_turns(&project_path("sample-runs/logs/opencode.export.json"))
    );
    assert_eq!(fs::read(&path).unwrap(), before, "the database is only read");
    drop(base);
    assert_eq!(found_runs(&path), ["ses_made"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is made beside it");
}

/// Of each layout in which rows are published: the run of the first row.
#[cfg(feature = "parquet")]
#[test]
fn rows_of_every_published_layout_are_runs() {
    let layouts = [
        ("rebench", "t0", 5),
        ("nebius", "r__x-0", 4),
        ("smith", "r__x-0", 3),
        ("smith_text", "r__x-0", 3),
        ("agentic", "s0", 3),
        ("scout", "s0", 3),
        ("zero", "z0", 3),
    ];
    for (layout, first, rows) in layouts {
        let path = project_path("tests/vectors/parquet").join(format!("{layout}.parquet"));
        let names = found_runs(&path);
        assert_eq!((names.len(), names[0].as_str()), (rows, first), "{layout}");
        let shown = cli_json(&["show", path.join(first).to_str().unwrap(), "--json"]);
        let turns = shown["turns"].as_array().unwrap();
        assert_eq!(turns.len(), 1, "{layout}");
        assert_eq!(turns[0]["tool_calls"], 2, "{layout}");
        assert!(turns[0]["request"].as_str().unwrap().starts_with("fix"), "{layout}");
    }
}

#[test]
fn rows_of_text_are_runs_and_open_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let list: Value =
        serde_json::from_slice(&sample_bytes("sample-runs/logs/messages.json")).unwrap();
    let mut rows = String::new();
    for row in 0..3 {
        let row = serde_json::json!({ "instance_id": format!("task-{}", row / 2), "messages": list, "resolved": row == 1 });
        rows.push_str(&format!("{row}\n"));
    }
    fs::write(&path, rows).unwrap();

    // A name that stands twice gets its row.
    assert_eq!(found_runs(&path), ["task-0", "task-0@2", "task-1"]);
    let shown =
        cli_json(&["show", path.join("task-0@2").to_str().unwrap(), "--turn", "2", "--json"]);
    let last = shown["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["text"], "resolved: true");
}

#[test]
fn a_row_whose_text_is_longer_than_what_is_looked_at_first_is_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let long = "x".repeat(100_000);
    let messages = serde_json::json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": long }]);
    let row = |id: &str| serde_json::json!({ "id": id, "messages_json": messages.to_string() });
    fs::write(&path, format!("{}\n{}\n", row("a"), row("b"))).unwrap();

    assert_eq!(found_runs(&path), ["a", "b"]);
    assert_eq!(shown_turns(&path.join("b"))[0]["request"], "go");
}

#[cfg(feature = "parquet")]
#[test]
fn a_hundred_thousand_rows_are_a_table_at_once() {
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use std::sync::Arc;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let text = r#"[{"role":"user","content":"go"},{"role":"assistant","content":"gone"}]"#;
    let batch = |first: usize| {
        let ids: ArrayRef = Arc::new(StringArray::from_iter_values(
            (first..first + 10_000).map(|row| format!("run-{row:06}")),
        ));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..10_000).map(|_| text)));
        RecordBatch::try_from_iter([("trajectory_id", ids), ("messages", texts)]).unwrap()
    };
    let file = fs::File::create(&path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch(0).schema(), None).unwrap();
    (0..10).for_each(|part| writer.write(&batch(part * 10_000)).unwrap());
    writer.close().unwrap();

    let screen = cli_text(&["--snapshot", "120x40", path.to_str().unwrap()]);

    assert!(screen.contains("100000 runs"), "{screen}");
    assert!(screen.contains("run-000000"), "{screen}");
    assert!(screen.contains("read: the others when shown"), "{screen}");
    assert_eq!(shown_turns(&path.join("run-099999")).len(), 1);
}

/// The program with something on its standard input, and settings.
fn pipe_input(arguments: &[&str], input: &[u8], settings: &Path) -> crate::common::Ran {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(arguments)
        .current_dir(project_path("."))
        .env("TRAJVIEW_CONFIG", settings)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    program.stdin.take().unwrap().write_all(input).unwrap();
    let ended = program.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    crate::common::Ran {
        code: ended.status.code(),
        out: text(ended.stdout),
        err: text(ended.stderr),
    }
}

#[test]
fn a_recording_on_standard_input_is_the_recording() {
    let none = Path::new("");
    let shown = |input: &[u8]| {
        let ran = pipe_input(&["show", "-", "--json"], input, none);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str::<Value>(&ran.out).unwrap()["turns"].as_array().unwrap().clone()
    };
    let log = sample_bytes(LOG);
    assert_eq!(shown(&log), shown_turns(&project_path(LOG)));
    assert_eq!(shown(&zstd::encode_all(&log[..], 3).unwrap()), shown_turns(&project_path(LOG)));
    assert_eq!(shown(&sample_bytes("sample-runs/logs/inspect.eval")).len(), 2);

    let frame = pipe_input(&["-", "--snapshot", "100x20"], &log, none);
    assert!(frame.out.contains("Create a package tinycalc"), "{}", frame.out);
    let nothing = pipe_input(&["show", "-"], b"", none);
    assert_eq!(nothing.code, Some(4), "{}", nothing.err);
    assert!(nothing.err.contains("the file is empty"), "{}", nothing.err);
}

#[test]
fn rows_of_any_columns_are_runs_where_the_settings_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.jsonl");
    let messages = "[{\"role\": \"user\", \"content\": \"do it\"}, {\"role\": \"assistant\", \"content\": \"done\"}]";
    let row = |key: &str, log: &Value| {
        let diff = "--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+b\n";
        serde_json::json!({ "key": key, "log": log, "diff": diff, "ok": true, "messages": 4 })
    };
    let list: Value = serde_json::from_str(messages).unwrap();
    let text = format!("{}\n{}\n", row("a/1", &list), row("b", &messages.into()));
    fs::write(&rows, text).unwrap();
    let settings = folder.path().join("settings.toml");
    let named =
        "[columns]\nid = [\"key\"]\nmessages = [\"log\"]\npatch = [\"diff\"]\nsolved = [\"ok\"]\n";
    fs::write(&settings, named).unwrap();
    let path = rows.to_str().unwrap();

    let silent = run_cli(&["check", path]);
    assert_eq!(silent.code, Some(4), "{}", silent.out);
    let listed = pipe_input(&["check", path, "--json"], b"", &settings);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    for (run, name) in listed["runs"].as_array().unwrap().iter().zip(["a_1", "b"]) {
        assert_eq!(run["path"], format!("{path}/{name}"));
        assert_eq!((run["format"].as_str(), run["steps"].as_u64()), (Some("messages"), Some(3)));
        let shown = pipe_input(&["diff", run["path"].as_str().unwrap()], b"", &settings);
        assert!(shown.out.contains("+b"), "{}", shown.out);
    }
}

#[test]
fn branches_that_were_left_are_entered_where_they_begin() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("s.jsonl");
    let entry = |id: &str, parent: Option<&str>, role: &str, text: &str| {
        serde_json::json!({ "type": "message", "id": id, "parentId": parent,
            "message": { "role": role, "content": [{ "type": "text", "text": text }] } })
        .to_string()
    };
    let lines = [
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/w\"}".to_owned(),
        entry("a", None, "user", "make it"),
        entry("b", Some("a"), "assistant", "first try"),
        entry("c", Some("b"), "user", "no"),
        entry("d", Some("b"), "user", "rather not"),
        entry("e", Some("a"), "assistant", "second try"),
        entry("f", Some("e"), "user", "yes"),
    ];
    fs::write(&log, lines.join("\n")).unwrap();

    let run = store::open(&log).unwrap().run;

    let titles: Vec<&str> = run.turns.iter().map(|turn| &*turn.title).collect();
    assert_eq!(titles, ["make it", "yes"]);
    let steps: Vec<&str> = run.turns[0].steps.iter().map(|step| &*step.label).collect();
    assert_eq!(steps, ["abandoned branch: first try", "second try"]);
    let [branch] = run.subagents.as_slice() else { panic!("{:?}", run.subagents) };
    let said: Vec<&str> = branch.steps.iter().map(|step| &*step.label).collect();
    assert_eq!(said, ["first try", "no", "rather not"]);
    assert_eq!(run.turns[0].steps[0].subagent, Some(0));
}
