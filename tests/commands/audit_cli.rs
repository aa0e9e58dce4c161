//! `trajview audit` from the outside: the queue, labels in and out, what a judge never opened.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::common::{Ran, cli_json, cli_text, project_path, run_cli};

/// A copy of the sample run that may be written to.
struct Desk {
    folder: tempfile::TempDir,
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&project_path("sample-runs/codex-p12"), &folder.path().join("codex-p12"));
        Self { folder }
    }

    fn run(&self) -> PathBuf {
        self.folder.path().join("codex-p12")
    }

    fn audit(&self, more: &[&str]) -> Ran {
        run_cli(&[&["audit", self.run().to_str().unwrap()], more].concat())
    }

    /// What it prints when it ends well, with the place of the copy left out.
    fn audit_text(&self, more: &[&str]) -> String {
        let ran = self.audit(more);
        assert_eq!(ran.code, Some(0), "{more:?}: {}", ran.err);
        ran.out.replace(self.folder.path().to_str().unwrap(), "DIR")
    }

    fn json(&self, more: &[&str]) -> Value {
        serde_json::from_str(&self.audit_text(&[more, &["--json"]].concat())).unwrap()
    }

    fn sheet(&self, text: &str) -> String {
        let path = self.folder.path().join("sheet.csv");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn import(&self, text: &str, more: &[&str]) -> Ran {
        self.audit(&[&["--import", &self.sheet(text)], more].concat())
    }

    /// Names and contents of the files of labels.
    fn labels(&self) -> BTreeMap<String, String> {
        let files = fs::read_dir(self.run().join("labels")).into_iter().flatten().flatten();
        let read = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        };
        files.map(read).collect()
    }
}

const QUICK: [&str; 4] = ["--judge", "quick-reader", "--annotator", "A1"];

fn quick_arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&QUICK, more].concat()
}

/// Two labels beside quick-reader's verdicts: one as judged, one a false absence.
const TWO: &str = "component,score,reason,note,blind\nC07,4,false-absence,\"in embed.py, all of it\",true\nC18,0,agree,,true\n";

#[test]
fn the_queue_hides_a_verdict_until_this_annotator_has_labelled_it() {
    let desk = Desk::new();

    let before = desk.audit_text(&quick_arguments(&["--size", "6"]));
    let ran = desk.import(TWO, &QUICK);
    let after = desk.audit_text(&quick_arguments(&[]));
    let other = desk.json(&["--judge", "quick-reader", "--annotator", "A2"]);

    insta::assert_snapshot!("the_queue_before", before);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("the_queue_after", after);
    assert!(
        after.lines().chain(before.lines().skip(1)).skip(1).all(|line| line.chars().count() <= 80)
    );
    assert_eq!(other["queue"]["labelled"], 0);
    let items = other["queue"]["items"].as_array().unwrap();
    assert!(items.iter().all(|it| it["label"].is_null() && it["verdict"].is_null()));
}

/// A sheet with blind labels of these items: a level above quick-reader's, at most 4.
fn generous_labels(desk: &Desk, components: &[String]) -> String {
    let file = fs::read_to_string(desk.run().join("judgements/quick-reader.json")).unwrap();
    let judgement: Value = serde_json::from_str(&file).unwrap();
    let verdicts = judgement["scores"].as_array().unwrap();
    let level = |component: &String| {
        let verdict = verdicts.iter().find(|it| it["component"] == **component).unwrap();
        (verdict["score"].as_u64().unwrap() + 1).min(4)
    };
    let rows = components.iter().map(|it| format!("{it},{},true\n", level(it)));
    format!("component,score,blind\n{}", rows.collect::<String>())
}

fn queue_components(document: &Value) -> Vec<String> {
    let items = document["queue"]["items"].as_array().unwrap();
    items.iter().map(|it| it["component"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn blind_labels_in_the_order_of_the_queue_correct_the_mean_everywhere() {
    let desk = Desk::new();
    let queue = queue_components(&desk.json(&QUICK));
    desk.import(&generous_labels(&desk, &queue[..14]), &QUICK);

    let text = desk.audit_text(&QUICK);
    let audited = desk.json(&QUICK);
    let run = desk.run();
    let scored = cli_json(&["score", run.to_str().unwrap(), "--judge", "quick-reader", "--json"]);
    let score_text = cli_text(&["score", run.to_str().unwrap(), "--judge", "quick-reader"]);

    let corrected = &audited["queue"]["correction"]["corrected"];
    assert_eq!((&corrected["labels"], &corrected["items"]), (&json!(14), &json!(24)));
    let (judged, value) =
        (scored["faithfulness"]["mcf"].as_f64().unwrap(), corrected["value"].as_f64().unwrap());
    assert!(judged + 0.2 < value && value <= judged + 0.5, "{corrected}");
    // Ten items are open: nothing of the judge's levels yet.
    assert!(text.contains(&format!("\ncorrected {value:.2} [")), "{text}");
    assert_eq!((&corrected["judged"], &corrected["worth"]), (&Value::Null, &Value::Null));
    assert_eq!(audited["queue"]["correction"]["shares"], json!({}));
    desk.import(&generous_labels(&desk, &queue[14..]), &QUICK);
    let text = desk.audit_text(&QUICK);
    assert!(text.contains(&format!("\njudged {judged:.2} · corrected ")), "{text}");
    let faithful = &scored["faithfulness"];
    assert_eq!(faithful["corrected_mcf"], corrected["value"]);
    assert_eq!(faithful["corrected_labels"], 14);
    assert!(
        score_text.contains("MCF corrected") && score_text.contains("14 labels"),
        "{score_text}"
    );
}

#[test]
fn labels_that_were_chosen_are_refused_with_the_reason() {
    let desk = Desk::new();
    let queue = queue_components(&desk.json(&QUICK));
    desk.import(&generous_labels(&desk, &queue[12..]), &QUICK);

    let text = desk.audit_text(&QUICK);

    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("no corrected mean: 12 blind labels, but only"), "{text}");
}

#[test]
fn a_plan_puts_its_items_first_and_names_no_level() {
    let desk = Desk::new();
    let queue = queue_components(&desk.json(&QUICK));
    desk.import(&generous_labels(&desk, &queue[..10]), &QUICK);

    let text = desk.audit_text(&quick_arguments(&["--plan", "0.15"]));
    let planned = desk.json(&quick_arguments(&["--plan", "0.15"]));
    let wrong = desk.audit(&quick_arguments(&["--plan", "0"]));

    let plan = &planned["queue"]["correction"]["plan"];
    let more = usize::try_from(plan["more"].as_u64().unwrap()).unwrap();
    assert!(more > 0 && plan["expected"].as_f64().unwrap() <= 0.15, "{plan}");
    assert_eq!(plan["strata"], Value::Null);
    assert!(!text.contains("strat"), "{text}");
    let items = planned["queue"]["items"].as_array().unwrap();
    assert!(items[..more].iter().all(|it| it["label"].is_null()));
    assert!(text.contains("plan for ±0.15: "), "{text}");
    assert!(wrong.err.contains("is not a width"), "{}", wrong.err);
}

#[test]
fn json_of_the_queue_has_what_the_contract_names() {
    let desk = Desk::new();
    desk.import(TWO, &QUICK);

    let said = desk.json(&quick_arguments(&[]));

    assert_eq!((&said["schema"], &said["run"]), (&json!("trajview.audit/1"), &json!("codex-p12")));
    assert_eq!((&said["judgement"]["turn"], &said["absences"]), (&json!(56), &Value::Null));
    assert_eq!(said["judgement"]["file"], "judgements/quick-reader.json");
    let queue = &said["queue"];
    assert_eq!((&queue["annotator"], &queue["seed"]), (&json!("A1"), &json!(1)));
    assert_eq!((&queue["labelled"], &queue["same"]), (&json!(2), &json!(1)));
    let items = queue["items"].as_array().unwrap();
    assert_eq!(items.len(), 24);
    let of = |id: &str| items.iter().find(|it| it["component"] == id).unwrap();
    assert_eq!(of("C07")["verdict"], json!({"score": 0, "label": "Absent"}));
    assert_eq!(
        of("C07")["label"],
        json!({"score": 4, "label": "Faithful", "cannot_tell": false, "confidence": null, "blind": true,
            "reason": "false-absence", "note": "in embed.py, all of it", "at": null})
    );
    assert_eq!((&of("C08")["label"], &of("C08")["verdict"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_seed_draws_the_same_queue_and_a_size_cuts_it() {
    let run = project_path("sample-runs/codex-p12");
    let drawn = |more: &[&str]| -> Vec<String> {
        let head = ["audit", run.to_str().unwrap(), "--annotator", "A", "--json"];
        let said = cli_json(&[&head, more].concat());
        let items = said["queue"]["items"].as_array().unwrap().iter();
        items.map(|it| it["component"].as_str().unwrap().to_owned()).collect()
    };

    assert_eq!(drawn(&["--seed", "7"]), drawn(&["--seed", "7"]));
    assert_ne!(drawn(&["--seed", "7"]), drawn(&["--seed", "8"]));
    assert_eq!(drawn(&["--size", "5"]).len(), 5);
}

#[test]
fn what_a_judge_never_opened_is_ranked_with_why() {
    let desk = Desk::new();

    insta::assert_snapshot!(
        "absences",
        desk.audit_text(&["--judge", "quick-reader", "--absences"])
    );
    let said = desk.json(&["--judge", "quick-reader", "--absences"]);
    let absences = said["absences"].as_array().unwrap();
    let ids: Vec<&str> = absences.iter().map(|it| it["component"].as_str().unwrap()).collect();
    assert_eq!(ids, ["C07", "C12", "C17", "C18", "C24"]);
    let first = &absences[0]["unopened"][0];
    assert_eq!(
        (&first["path"], &first["start"], &first["name"], &first["opened_by"], &first["defines"]),
        (
            &json!("ppdiff/embed.py"),
            &json!(16),
            &json!("relative_position"),
            &Value::Null,
            &json!(true)
        )
    );
    let opened = &absences[2]["opened"][0];
    assert_eq!(
        (&opened["path"], &opened["opened_by"]),
        (&json!("ppdiff/losses.py"), &json!("the verdict cites it"))
    );
    let csv = desk.audit_text(&["--judge", "quick-reader", "--absences", "--csv"]);
    assert!(csv.starts_with("run,component,name,judgement,judge,turn,commit,verdict,rank,path,"));
    assert!(csv.lines().count() > 20);
}

#[test]
fn a_sheet_is_filled_in_elsewhere_and_comes_back() {
    let desk = Desk::new();
    let sheet = desk.audit_text(&["--judge", "quick-reader", "--export", "--blank", "--size", "3"]);
    insta::assert_snapshot!("sheet", sheet);

    let filled: Vec<String> = sheet
        .lines()
        .map(|line| match line.starts_with("2,") {
            true => line.replace(",,,,", ",3,true,other,\"two lines\nof note\""),
            false => line.to_owned(),
        })
        .collect();
    let ran = desk.import(&format!("\u{feff}{}\r\n", filled.join("\r\n")), &["--annotator", "B/b"]);

    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.starts_with("1 label of B/b in "), "{}", ran.out);
    assert!(ran.out.ends_with("2 rows without a score skipped\n"), "{}", ran.out);
    let (name, text) = desk.labels().pop_first().unwrap();
    assert!(name.starts_with("B_b-"), "{name}");
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["annotator"], "B/b");
    let label = &file["labels"][0];
    assert_eq!((&label["note"], &label["blind"]), (&json!("two lines\nof note"), &json!(true)));
    assert_eq!((&label["turn"], &label["at"]), (&json!(56), &Value::Null));
}

#[test]
fn what_is_exported_comes_back_as_it_was() {
    let (desk, other) = (Desk::new(), Desk::new());
    desk.import(TWO, &QUICK);
    desk.import(
        "component,score,blind,note\nC02,,false,\" taken back \"\nC03,1,,\n",
        &["--annotator", "A 2"],
    );

    let all = desk.audit_text(&["--export", "--all"]);
    let back = other.import(&all, &[]);

    assert_eq!((back.code, back.err.as_str()), (Some(0), ""));
    assert_eq!(other.labels(), desk.labels());
    assert_eq!(desk.labels().len(), 2);
    let own = desk.audit_text(&["--export", "--annotator", "A1"]);
    assert_eq!(own.lines().count(), 3);
    assert!(!own.contains("A 2"));
    assert_eq!(desk.import(&all, &["--annotator", "A1"]).code, Some(4));
}

#[test]
fn nothing_is_written_unless_every_row_is_good() {
    let desk = Desk::new();
    let ran = desk.import(
        "component,score,run,annotator\nC01,4,,A1\nC99,4,,A1\nC02,4,p99,A1\nC03,4,,A2\nC01,3,,A1\n",
        &["--annotator", "A1"],
    );
    assert_eq!(ran.code, Some(4));
    let said: Vec<&str> =
        ran.err.lines().map(|line| line.rsplit_once(".csv: ").unwrap().1).collect();
    assert_eq!(
        said,
        [
            "line 3: components.json has no component C99",
            "line 4: belongs to the run p99; this one is codex-p12",
            "line 5: is a label of A2; without --annotator A1 each label is saved for its own rater",
            "line 6: C01 is already labelled on line 2; nothing was written",
        ]
    );

    let ran = desk.import("component,score\nC01,5\nC02,x\n", &["--annotator", "A1"]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("line 2: \"5\" is not a score from 0 to 4"), "{}", ran.err);
    assert!(ran.err.contains("line 3: \"x\" is not a score"), "{}", ran.err);
    assert!(desk.labels().is_empty());
}

#[test]
fn what_is_odd_is_said_and_kept() {
    let desk = Desk::new();
    let ran =
        desk.import("component,score,reason,mood\nC01,4,because,good\n", &["--annotator", "A1"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("the column mood is not read"), "{}", ran.err);
    assert!(ran.err.contains("line 2: \"because\" is not one of agree, "), "{}", ran.err);
    let again = desk.import("component,score\nC01,3\n", &["--annotator", "A1"]);
    assert!(again.out.starts_with("1 label of A1, 1 replaced in "), "{}", again.out);
    assert_eq!(desk.json(&["--annotator", "A1"])["queue"]["labelled"], 1);
}

#[test]
fn agree_takes_the_labels_and_the_table_of_them() {
    let desk = Desk::new();
    desk.import(TWO, &QUICK);
    desk.import("component,score,blind\nC07,,false\nC24,4,\n", &["--annotator", "A2"]);
    let run = desk.run();
    let pair = |said: &Value, a: &str, b: &str| {
        let pairs = said["pairs"].as_array().unwrap().clone();
        pairs.into_iter().find(|it| it["a"] == a && it["b"].as_str().unwrap().starts_with(b))
    };

    let said = cli_json(&["agree", run.to_str().unwrap(), "--json", "--resamples", "0"]);

    let quick = pair(&said, "A1", "quick-reader").unwrap();
    assert_eq!((&quick["n"], &quick["exact"]), (&json!(2), &json!(0.5)));
    assert_eq!(pair(&said, "A2", "quick-reader").unwrap()["n"], 1);
    let table = desk.sheet(&desk.audit_text(&["--export", "--all"]));
    let said = cli_json(&["agree", &table, run.to_str().unwrap(), "--json", "--resamples", "0"]);
    assert_eq!(pair(&said, "A1 (unknown)", "quick-reader").unwrap()["n"], 2);
}

#[test]
fn a_sheet_is_of_whatever_is_audited() {
    let desk = Desk::new();
    let graded = project_path("sample-runs/paperbench/grader_output.json");
    fs::copy(graded, desk.run().join("grader_output.json")).unwrap();
    for unit in ["leaf", "signal"] {
        let sheet = desk.audit_text(&["--unit", unit, "--export", "--blank", "--annotator", "A1"]);
        let head = "number,component,name,run,commit,turn,judgement,unit,criterion,score,blind,reason,note";
        assert_eq!(sheet.lines().next(), Some(head));
        let queue = desk.json(&["--unit", unit, "--annotator", "A1"]);
        let items = queue["queue"]["items"].as_array().unwrap();
        assert_eq!(sheet.lines().count(), items.len() + 1, "{unit}");

        let mut rows: Vec<String> = sheet.lines().map(str::to_owned).collect();
        rows[1] = rows[1].strip_suffix(",,,").map(|row| format!("{row}1,true,,")).unwrap();
        let filled = rows.join("\n");
        let ran = desk.import(&filled, &["--annotator", "A1"]);

        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{filled}");
        let after = desk.json(&["--unit", unit, "--annotator", "A1"]);
        assert_eq!(after["queue"]["labelled"], 1, "{unit}");
    }
}

#[test]
fn a_sheet_by_a_codebook_has_a_row_for_each_criterion_with_its_scale() {
    let desk = Desk::new();
    let path = desk.run().join("components.json");
    let mut checklist: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    checklist["codebook"] = json!({"criteria": [
        {"id": "right", "scale": "0..1"},
        {"id": "clear", "scale": "1..5"},
    ]});
    fs::write(&path, checklist.to_string()).unwrap();

    let sheet = desk.audit_text(&["--export", "--blank", "--annotator", "A1"]);
    let rows: Vec<&str> = sheet.lines().filter(|line| line.contains(",C07,")).collect();
    assert_eq!(rows.len(), 2, "{sheet}");
    assert!(rows.iter().any(|row| row.ends_with(",component,clear,1..5,,,,")), "{rows:?}");

    let filled = sheet.replace("clear,1..5,,,,", "clear,1..5,5,true,,");
    let ran = desk.import(&filled, &["--annotator", "A1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let (_, text) = desk.labels().pop_first().unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let label = &file["labels"][0];
    assert_eq!((&label["scale"], &label["criterion"]), (&json!("1..5"), &json!("clear")));
}

#[test]
fn what_cannot_be_done_is_a_sentence_with_its_exit_code() {
    let desk = Desk::new();
    let run = desk.run();
    let cases: [(&[&str], i32, &str); 8] = [
        (&["--annotator", " "], 2, "no rater; use --annotator NAME or the setting"),
        (&["--judge", "nobody"], 2, "no judge and no judgement is called \"nobody\"; judges: "),
        (&["--import", "/nowhere.csv", "--annotator", "A"], 3, "cannot read /nowhere.csv: "),
        (&["--all"], 2, "--export"),
        (&["--export", "--json"], 2, "cannot be used with"),
        (
            &["--absences", "--judge", "early"],
            4,
            "refers to a turn or commit that this run does not have",
        ),
        (&["--export", "--annotator", "nobody"], 0, "nobody has no labels in "),
        (
            &["--absences", "--unit", "leaf"],
            2,
            "does not record what its judge opened; remove --unit leaf",
        ),
    ];
    fs::write(
        run.join("judgements/early.json"),
        r#"{"schema": "trajview.judgement/1", "judge": {"name": "early"}, "turn": 99, "scores": [{"component": "C01", "score": 0}]}"#,
    )
    .unwrap();
    for (more, code, sentence) in cases {
        let ran = desk.audit(more);
        assert_eq!(ran.code, Some(code), "{more:?}: {}", ran.err);
        assert!(ran.err.contains(sentence), "{more:?}: {}", ran.err);
    }
    let _ = fs::remove_dir_all(run.join("judgements"));
    let ran = desk.audit(&["--annotator", "A"]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("no judgement to check; `trajview judge "), "{}", ran.err);
    let log = project_path("sample-runs/codex-exec-json/stdout.jsonl");
    let ran = run_cli(&["audit", log.to_str().unwrap(), "--import", "x.csv"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("is not a run bundle, so labels cannot be saved"), "{}", ran.err);
}

#[test]
fn markdown_and_csv_have_whole_names() {
    let run = project_path("sample-runs/codex-p12");
    let said = |form: &str| cli_text(&["audit", run.to_str().unwrap(), "--annotator", "A", form]);

    let whole = "Nearest-neighbour graph with local edge features (knn_graph, edge_features)";
    assert!(said("--md").contains(&format!("| C04 | {whole} | - | hidden |")));
    assert!(said("--csv").contains(&format!(",C04,\"{whole}\",")));
}

#[test]
fn who_labels_is_said_by_the_settings_or_by_the_system() {
    let desk = Desk::new();
    let settings = desk.folder.path().join("config.toml");
    fs::write(&settings, "annotator = \"Ann B\"\n").unwrap();
    let annotator = |config: &str, user: &str| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"));
        program.arg("audit").arg(desk.run()).arg("--json");
        let ran = program.env("TRAJVIEW_CONFIG", config).env("USER", user).output().unwrap();
        let said: Value = serde_json::from_slice(&ran.stdout).unwrap();
        said["queue"]["annotator"].as_str().unwrap().to_owned()
    };

    assert_eq!(annotator(settings.to_str().unwrap(), "root"), "Ann B");
    assert_eq!(annotator("", "root"), "root");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_a_sentence_and_the_labels_before_stay() {
    let desk = Desk::new();
    desk.import(TWO, &QUICK);
    let before = desk.labels();
    let long = format!("component,score,note\nC01,4,{}\n", "x".repeat(40_000));
    // No file may grow beyond 16 blocks of 512 bytes; dash counts such, bash counts 1,024.
    let ran = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh"])
        .args([env!("CARGO_BIN_EXE_trajview"), "audit"])
        .arg(desk.run())
        .args(["--annotator", "A1", "--import", &desk.sheet(&long)])
        .output()
        .unwrap();

    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(3), "{said}");
    assert!(said.contains("trajview: cannot write ") && said.contains("A1.json: "), "{said}");
    assert_eq!(desk.labels(), before);
}

#[cfg(unix)]
#[test]
fn whenever_it_is_killed_there_is_a_readable_file_of_labels() {
    let desk = Desk::new();
    desk.import(TWO, &QUICK);
    let row = |at: usize| format!("C01,{},{at:040}\n", at % 5);
    let many: String = (0..1_500).map(row).collect();
    let sheet = desk.sheet(&format!("component,score,commit\n{many}"));
    let mut counts = vec![];

    for wait in (0..12).map(|at| 10 + at * 25) {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_trajview"))
            .arg("audit")
            .arg(desk.run())
            .args(["--annotator", "A1", "--import", &sheet])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        program.kill().unwrap();
        program.wait().unwrap();
        let file: Value = serde_json::from_str(&desk.labels()["A1.json"]).unwrap();
        counts.push(file["labels"].as_array().unwrap().len());
    }

    assert!(counts.iter().all(|count| [2, 1_502].contains(count)), "{counts:?}");
    assert_eq!(desk.import(TWO, &QUICK).code, Some(0));
}

#[test]
fn the_queue_of_another_kind_is_printed_and_hidden_until_it_is_labelled() {
    let desk = Desk::new();
    let graded = project_path("sample-runs/paperbench/grader_output.json");
    fs::copy(graded, desk.run().join("grader_output.json")).unwrap();
    let leaves = ["--unit", "leaf", "--annotator", "A1"];
    desk.import("component,unit,score,blind\n0/3/3,leaf,not met,true\n", &["--annotator", "A1"]);

    let said = desk.json(&leaves);

    let items = said["queue"]["items"].as_array().unwrap();
    assert_eq!((items.len(), &said["queue"]["labelled"]), (25, &json!(1)));
    let of = |id: &str| items.iter().find(|it| it["component"] == id).unwrap();
    assert_eq!((&of("0/3/3")["unit"], &of("0/3/3")["label"]["score"]), (&json!("leaf"), &json!(0)));
    assert_eq!(of("0/3/3")["verdict"], json!({"score": 1, "label": "met"}));
    assert_eq!(of("0/0/0")["verdict"], Value::Null);
    assert!(desk.audit_text(&leaves).contains("1 of 25 labelled, 0 as judged"));
    let none = desk.audit(&["--unit", "flag", "--annotator", "A1"]);
    assert_ne!(none.code, Some(0));
    assert!(none.err.contains("has no flags to check"), "{}", none.err);
}
