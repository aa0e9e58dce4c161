//! `trajview report` and what is taken out of exports: no key that is planted anywhere in a recording is in anything that is
//! written for others, nothing recorded is markup, and every number is what another command prints.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::common::{
    cli_json, cli_text, judge_desk::copy_folder, project_path, run_cli, studied::Studied,
};

const RUN: &str = "sample-runs/codex-p12";
const OTHER: &str = "sample-runs/codex-p12-single-shot";

/// Puts words behind every text of a recording, but for what it is told apart and joined by.
struct Planter {
    /// By the text that they stand behind: a path is the same everywhere.
    numbers: BTreeMap<String, usize>,
    plant: fn(usize) -> String,
}

/// Fields that hold no words: with others the recording is none.
const STRUCTURE: [&str; 42] = [
    "schema",
    "type",
    "id",
    "role",
    "kind",
    "commit",
    "turn",
    "component",
    "call_id",
    "timestamp",
    "uuid",
    "parentUuid",
    "sessionId",
    "tool_use_id",
    "requestId",
    "status",
    "stop_reason",
    "name",
    "started_at",
    "ended_at",
    "created_at",
    "at",
    "run",
    "platform",
    "connects_to",
    "leafUuid",
    "isSidechain",
    "userType",
    "agentId",
    "cwd",
    "session_id",
    "label",
    "venue",
    "workdir",
    "judgement",
    "annotator",
    "reason",
    "rubric",
    "prompt_sha256",
    "unit",
    "phase",
    "source",
];

impl Planter {
    fn new(plant: fn(usize) -> String) -> Self {
        Self { numbers: BTreeMap::new(), plant }
    }

    fn plant_behind(&mut self, text: &str) -> String {
        let next = self.numbers.len();
        let number = *self.numbers.entry(text.to_owned()).or_insert(next);
        format!("{text} {}", (self.plant)(number))
    }

    fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => match serde_json::from_str::<Value>(&text) {
                Ok(inner @ (Value::Object(_) | Value::Array(_))) => {
                    self.value(inner).to_string().into()
                }
                _ => self.plant_behind(&text).into(),
            },
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(key, value)| match value {
                    Value::String(_) if STRUCTURE.contains(&key.as_str()) => (key, value),
                    value => (key, self.value(value)),
                })
                .collect(),
            other => other,
        }
    }

    fn file(&mut self, path: &Path) {
        let text = fs::read_to_string(path).unwrap();
        let planted = match path.extension().and_then(|end| end.to_str()) {
            Some("jsonl") => {
                let lines =
                    text.lines().map(|line| self.value(serde_json::from_str(line).unwrap()));
                lines.map(|line| format!("{line}\n")).collect()
            }
            _ => self.value(serde_json::from_str(&text).unwrap()).to_string(),
        };
        fs::write(path, planted).unwrap();
    }
}

/// Joined here, so that no scanner takes this file for a leak.
fn made_key(number: usize) -> String {
    format!("{}-{}-PLANTED{number:05}aBcDeF", "sk", "ant-api03")
}

fn script_text(_: usize) -> String {
    "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>".to_owned()
}

fn collect_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("workspace.git") {
            collect_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "json" || end == "jsonl") {
            found.push(path);
        }
    }
}

/// Copies of samples with something planted in every text: a bundle with its judgements and labels, and plain logs.
fn planted_runs(plant: fn(usize) -> String) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut runs = vec![];
    for sample in
        [RUN, "sample-runs/claude-code", "sample-runs/codex-rollout", "sample-runs/logs/pi.jsonl"]
    {
        let from = project_path(sample);
        let to = folder.path().join(from.file_name().unwrap());
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
        runs.push(to.display().to_string());
    }
    let labels = serde_json::json!({"schema": "trajview.labels/1", "annotator": "ana", "labels": [
        {"component": "C01", "score": 3, "turn": 56, "reason": "other", "note": "a note", "blind": true, "at": "2026-11-25T10:00:00Z"}]});
    fs::create_dir_all(folder.path().join("codex-p12/labels")).unwrap();
    fs::write(folder.path().join("codex-p12/labels/ana.json"), labels.to_string()).unwrap();
    let mut all = vec![];
    collect_files(folder.path(), &mut all);
    let mut planter = Planter::new(plant);
    all.iter().for_each(|path| planter.file(path));
    assert!(planter.numbers.len() > 900, "{} texts", planter.numbers.len());
    (folder, runs)
}

#[test]
fn a_key_planted_in_every_text_of_a_recording_is_in_nothing_that_is_written() {
    let (folder, runs) = planted_runs(made_key);
    for run in &runs {
        let is_there = run_cli(&["show", run, "--json"]).out.contains("PLANTED");
        assert!(is_there, "{run} has the keys, and can be read");
        let all = [
            &["report", run][..],
            &["export", "--atif", run],
            &["export", "--messages", run],
            &["report", run, "--markdown"],
            &["report", run, "--latex"],
            &["report", run, "--redact", "list"],
            &["export", "--atif", run, "--redact", "list", "--json"],
        ];
        // The other forms of a report are made of the same document.
        let most = if run.ends_with("codex-p12") { all.len() } else { 3 };
        for command in &all[..most] {
            let written = cli_text(command);

            assert!(
                !written.contains("PLANTED"),
                "{command:?}: {}",
                text_around(&written, "PLANTED")
            );
            assert!(written.contains("API key"), "{command:?}");
        }
    }
    let (tables, folder) = (tempfile::tempdir().unwrap(), folder.path().display().to_string());
    let into = tables.path().display().to_string();
    let exported = run_cli(&["export", &folder, "--jsonl", &into]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);
    assert!(exported.err.contains("redacted:"), "{}", exported.err);
    for table in fs::read_dir(&into).unwrap().flatten() {
        let written = fs::read_to_string(table.path()).unwrap();
        assert!(!written.contains("PLANTED"), "{table:?}: {}", text_around(&written, "PLANTED"));
    }
}

fn text_around<'t>(text: &'t str, word: &str) -> &'t str {
    let at = text.find(word).unwrap_or_default();
    let start = (0..=at.saturating_sub(200)).rev().find(|at| text.is_char_boundary(*at)).unwrap();
    let end =
        (at..=(at + 100).min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
    &text[start..end]
}

#[test]
fn nothing_recorded_is_markup_in_a_report() {
    let (_folder, runs) = planted_runs(script_text);
    for run in &runs {
        let page = cli_text(&["report", run]);

        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{run}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{run}");
        assert_eq!(page.matches("<script").count(), 1, "{run}");
    }
}

#[test]
fn a_report_asks_the_network_for_nothing_and_its_links_lead_somewhere() {
    let pages = [cli_text(&["report", RUN]), cli_text(&["report", RUN, OTHER])];
    for page in &pages {
        for word in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "<link", "<iframe"] {
            assert!(!page_markup(page).contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'"));
        let ids: Vec<&str> = tag_attributes(page, " id=\"").collect();
        let known: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(known.len(), ids.len(), "an address is there once");
        for link in tag_attributes(page, " href=\"#") {
            assert!(known.contains(link), "#{link} leads nowhere");
        }
        assert!(page.len() < 30 << 20, "{} bytes", page.len());
    }
    for id in ["turn-12", "turn-12-step-3", "component-C17", "scores", "curves"] {
        assert!(pages[0].contains(&format!(" id=\"{id}\"")), "{id}");
        let of_b = if id.starts_with("turn") { "turn-1".to_owned() } else { id.to_owned() };
        assert!(pages[1].contains(&format!(" id=\"b-{of_b}\"")), "{id}");
    }
}

/// What the page is made of, without recorded words: in those no `<` is left.
fn page_markup(page: &str) -> String {
    page.split('<').skip(1).filter_map(|tag| tag.split('>').next()).collect::<Vec<_>>().join("<")
}

fn tag_attributes<'p>(page: &'p str, begin: &'p str) -> impl Iterator<Item = &'p str> {
    page.split(begin).skip(1).filter_map(|rest| rest.split('"').next())
}

#[test]
fn a_report_shows_as_much_as_is_asked_for_and_says_what_is_left_out() {
    let whole = cli_text(&["report", RUN]);
    let few_files = cli_text(&["report", RUN, "--max-files", "1"]);
    let small = cli_text(&["report", RUN, "--max-total", "60000"]);

    assert!(!whole.contains("are left out; this prints them"));
    let told = few_files.split("</h4>").find(|it| it.contains("files are left out")).unwrap();
    assert!(told.contains("trajview diff sample-runs/codex-p12 --turn "), "{told}");
    assert!(
        small.contains("steps are left out") && small.contains("--turn 56"),
        "all turns are named"
    );
    assert!(small.len() < whole.len() / 2, "{} bytes", small.len());
    for page in [&few_files, &small] {
        let known: BTreeSet<&str> = tag_attributes(page, " id=\"").collect();
        for link in tag_attributes(page, " href=\"#") {
            assert!(known.contains(link), "#{link} leads nowhere");
        }
    }
    let line = few_files.split("id=\"component-C01\"").nth(1).unwrap();
    assert!(line.contains("-line-"), "what a verdict rests on is shown in any case");
}

#[test]
fn evidence_leads_to_the_line_that_wrote_it() {
    let page = cli_text(&["report", RUN]);
    let component = page.split("id=\"component-C01\"").nth(1).unwrap();
    let link = component.split("<a href=\"#turn-").nth(2).unwrap().split('"').next().unwrap();

    assert!(link.contains("-line-"), "{link}");
    let line = page.split(&format!("id=\"turn-{link}\">")).nth(1).unwrap();
    assert!(line.starts_with('+'), "{}", &line[..40]);
}

#[test]
fn the_numbers_of_a_report_are_those_that_the_commands_print() {
    let report = cli_text(&["report", RUN, OTHER, "--markdown"]);
    for command in [
        &["compare", RUN, OTHER, "--md"][..],
        &["score", RUN, "--each", "checkpoint", "--md"],
        &["process", OTHER, "--md"],
    ] {
        let printed = cli_text(command);
        let rows: Vec<&str> = printed.lines().filter(|line| line.starts_with("| ")).collect();
        assert!(rows.len() > 2, "{command:?}");
        for row in rows {
            assert!(report.contains(row), "{command:?}: {row}");
        }
    }
    let tex = cli_text(&["compare", RUN, OTHER, "--tex"]);
    let row = tex.lines().find(|line| line.starts_with("erosion")).unwrap();
    assert!(cli_text(&["report", RUN, OTHER, "--latex"]).contains(row), "{row}");
}

#[test]
fn a_report_of_a_study_has_the_agreement_of_its_raters() {
    let study =
        Studied::new(2, 3, "runs = [\"runs/one\", \"runs/two\"]\nraters = [\"ana\", \"ben\"]\n");
    let page = cli_text(&["report", &study.file().display().to_string()]);

    assert!(page.contains("Agreement of raters") && page.contains("trajview agree "), "a study");
    assert!(page.contains(" id=\"b-run\""), "both runs are in it");
}

#[test]
fn the_list_of_what_is_taken_out_has_places_and_contexts_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report.html").display().to_string();
    let list = cli_json(&[
        "report",
        "sample-runs/claude-code",
        "--redact",
        "list",
        "--json",
        "--out",
        &out,
    ]);

    assert_eq!(list["schema"], "trajview.redactions/1");
    let first = &list["findings"][0];
    assert_eq!(first["kind"], "home folder");
    assert_eq!(first["place"], "runs 1 › turn 8 › step 10 › text");
    assert!(first["context"].as_str().unwrap().contains("transcript at: ~/.claude"), "{first}");
    assert!(!Path::new(&out).exists());
}

#[test]
fn names_that_are_given_are_taken_out_and_off_takes_out_nothing() {
    let named = cli_text(&["report", RUN, "--redact-name", "Gamma", "--redact-name", "softmax"]);
    let off = cli_text(&["report", RUN, "--redact", "off"]);

    let mut words = named.split(|c: char| !c.is_alphanumeric());
    assert!(!words.any(|word| word.eq_ignore_ascii_case("softmax")));
    assert!(named.contains("[redacted: name #"));
    assert!(off.contains("softmax") && !off.contains("[redacted: "));
}

#[test]
fn an_atif_document_keeps_its_form_and_its_calls_joined_when_it_is_redacted() {
    let (_folder, runs) = planted_runs(made_key);
    let mut joined = 0;
    for run in &runs {
        let document = cli_json(&["export", "--atif", run, "--redact-name", "steps"]);

        for step in document["steps"].as_array().unwrap() {
            let calls = step["tool_calls"].as_array().into_iter().flatten();
            let ids: Vec<&Value> = calls.map(|call| &call["tool_call_id"]).collect();
            for result in step["observation"]["results"].as_array().into_iter().flatten() {
                // A branch is no result of a call and names none.
                let Some(call) = result.get("source_call_id") else { continue };
                assert!(ids.contains(&call), "{result}");
                joined += 1;
            }
        }
    }
    assert!(joined > 50, "{joined} results");
}

#[test]
fn what_is_not_known_is_a_dash_in_a_report() {
    let page = cli_text(&["report", "sample-runs/logs/cursor.jsonl"]);

    assert!(page.contains("<td class=\"r\">—</td>"));
    assert!(!page.contains("tokens in 0 out 0"));
}

#[test]
fn the_skill_names_commands_that_there_are() {
    let skill = cli_text(&["skill"]);

    assert!(skill.starts_with("---\nname: trajview\ndescription: "));
    let named = skill.split("`trajview ").skip(1).filter_map(|rest| rest.split([' ', '`']).next());
    let known = trajview::cli::command_names();
    for name in named.filter(|name| name.chars().all(|c| c.is_ascii_lowercase())) {
        assert!(known.iter().any(|it| it == name), "{name}");
    }
}

#[test]
fn a_playback_is_an_asciicast_with_a_frame_for_each_turn_or_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("playback.cast").display().to_string();
    let lines = |keys: &str| {
        cli_text(&[OTHER, "--snapshot", "80x24", "--keys", keys, "--asciicast", &out]);
        let text = fs::read_to_string(&out).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };

    let by_key = lines("s s s");
    assert_eq!(by_key[0], serde_json::json!({"version": 2, "width": 80, "height": 24}));
    assert_eq!(by_key.len(), 5);
    assert_eq!((&by_key[4][0], &by_key[4][1]), (&serde_json::json!(3.0), &serde_json::json!("o")));
    assert!(lines("").len() > 2);
}

/// What a recording has that would be alive in Markdown.
const ALIVE: &str =
    "[a](http://a.example/x) ![](http://a.example/p.png) <img src=y> [r]: http://a.example";

#[test]
fn links_images_and_tags_of_a_recording_are_words_in_markdown_and_in_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("pi.jsonl");
    let text = std::fs::read_to_string(project_path("sample-runs/logs/pi.jsonl")).unwrap();
    std::fs::write(&log, text.replace("Create a package tinycalc with add.", ALIVE)).unwrap();
    let log = log.to_str().unwrap();
    for arguments in [
        &["show", log, "--md"][..],
        &["compare", log, log, "--md"],
        &["corpus", log, "--md"],
        &["report", log, "--markdown"],
        &["sql", "select title from runs", log, "--md"],
    ] {
        let ran = run_cli(arguments);
        for alive in ["](", "![", "]:"] {
            let at = ran.out.find(alive).filter(|at| !ran.out[..*at].ends_with('\\'));
            assert_eq!(at, None, "{alive} in {arguments:?}: {}", ran.out);
        }
        for (at, _) in
            ran.out.match_indices("http://a.example").chain(ran.out.match_indices("<img"))
        {
            assert!(ran.out[..at].ends_with(['`', '\\']), "{arguments:?}: {}", ran.out);
        }
    }
    let page = cli_text(&["report", log]);
    assert!(
        !page.contains("href=\"http") && !page.contains("src=\"http") && !page.contains("<img")
    );
}

#[test]
fn a_folder_of_runs_without_a_study_is_reported_by_the_tables_of_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["pi.jsonl", "droid.jsonl"] {
        std::fs::copy(project_path("sample-runs/logs").join(name), folder.path().join(name))
            .unwrap();
    }

    let report = cli_text(&["report", folder.path().to_str().unwrap(), "--markdown"]);

    assert!(report.contains("## Runs") && report.contains("From `trajview corpus"), "{report}");
    assert!(report.contains("pi.jsonl") && report.contains("droid.jsonl"), "{report}");
    assert!(!report.contains("error:"), "{report}");
}
