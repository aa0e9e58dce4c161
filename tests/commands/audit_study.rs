//! `trajview audit STUDY` from the outside: one queue over many runs, who sees what, sheets, and what is settled.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::common::{Ran, run_cli, studied::Studied};

const RATED: &str = "name = \"fidelity\"\nruns = [\"runs/*\"]\njudges = [\"judge\"]\nraters = [\"ana\", \"ben\"]\n\
    adjudicator = \"dee\"\n[sample]\nsize = 8\nstrata = [\"score\", \"run\"]\n";

fn run_audit(studied: &Studied, more: &[&str]) -> Ran {
    run_cli(&[&["audit", studied.file().to_str().unwrap()], more].concat())
}

/// What it prints when it ends well.
fn audit_text(studied: &Studied, more: &[&str]) -> String {
    let ran = run_audit(studied, more);
    assert_eq!(ran.code, Some(0), "{more:?}: {}", ran.err);
    ran.out.replace(studied.path().to_str().unwrap(), "DIR")
}

fn audit_json(studied: &Studied, more: &[&str]) -> Value {
    serde_json::from_str(&audit_text(studied, &[more, &["--json"]].concat())).unwrap()
}

fn write_sheet(folder: &Path, text: &str) -> String {
    let path = folder.join("sheet.csv");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// `one C00`, in the order of the queue.
fn queue_items(document: &Value) -> Vec<String> {
    let items = document["queue"]["items"].as_array().unwrap().iter();
    items
        .map(|it| format!("{} {}", it["run"].as_str().unwrap(), it["component"].as_str().unwrap()))
        .collect()
}

/// Gives these scores to the things of a rater's queue, in its order.
fn label_items(studied: &Studied, rater: &str, scores: &[u8]) {
    let mut text = "run,component,score,blind,reason\n".to_owned();
    for (item, score) in
        queue_items(&audit_json(studied, &["--annotator", rater])).iter().zip(scores)
    {
        let (run, component) = item.split_once(' ').unwrap();
        text += &format!("{run},{component},{score},true,other\n");
    }
    let sheet = write_sheet(studied.path(), &text);
    audit_text(studied, &["--annotator", rater, "--import", &sheet]);
}

#[test]
fn every_rater_has_the_same_things_in_an_order_of_their_own() {
    let studied = Studied::new(3, 6, RATED);
    let [ana, again, ben] = ["ana", "ana", "ben"]
        .map(|name| queue_items(&audit_json(&studied, &["--annotator", name])));

    assert_eq!(ana, again);
    assert_ne!(ana, ben);
    assert_eq!(ana.len(), 8);
    assert_eq!(ana.iter().collect::<BTreeSet<_>>(), ben.iter().collect::<BTreeSet<_>>());
}

#[test]
fn what_raters_are_to_label_is_told_as_assigned_and_not_as_labelled() {
    let head = |more: &str| {
        let studied = Studied::new(2, 6, &format!("{RATED}{more}"));
        let out = audit_text(&studied, &["--annotator", "dee"]);
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };

    let same = head("");
    assert!(same.contains("every item is assigned to both raters"), "{same}");
    let divided = head("[queue]\ndivided = true\noverlap = 2\n");
    assert!(
        divided.contains("2 are assigned to all 2 raters, each of the rest to one"),
        "{divided}"
    );
}

#[test]
fn a_study_that_is_saved_names_whoever_labelled_or_says_how_to_name_them() {
    let studied = Studied::new(2, 6, RATED);
    label_items(&studied, "ben", &[4, 3]);
    let (runs, folder) = (studied.path().join("runs"), studied.path());
    let kept = |name: &str, more: &[&str]| {
        let file = folder.join(name);
        let ran = run_cli(
            &[&["audit", runs.to_str().unwrap(), "--save", file.to_str().unwrap()], more].concat(),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        (fs::read_to_string(file).unwrap(), ran.err)
    };

    let (text, told) = kept("two.toml", &["--annotator", "ana"]);
    assert!(text.contains("raters = [\"ben\", \"ana\"]"), "{text}");
    assert!(told.contains("with ben, ana as `raters`"), "{told}");

    let bare = Studied::new(2, 6, RATED);
    let file = bare.path().join("bare.toml");
    let ran = run_cli(&[
        "audit",
        bare.path().join("runs").to_str().unwrap(),
        "--save",
        file.to_str().unwrap(),
    ]);
    assert!(ran.err.contains("anybody may label"), "{}", ran.err);
    assert!(fs::read_to_string(file).unwrap().contains("# raters = "));
}

#[test]
fn a_divided_queue_overlaps_as_the_study_says() {
    let text = format!("{RATED}[queue]\ndivided = true\noverlap = 2\n");
    let studied = Studied::new(3, 6, &text);
    let [ana, ben] =
        ["ana", "ben"].map(|name| queue_items(&audit_json(&studied, &["--annotator", name])));

    assert_eq!((ana.len(), ben.len()), (5, 5));
    assert_eq!(ana.iter().filter(|it| ben.contains(it)).count(), 2);
}

#[test]
fn a_rater_sees_their_own_labels_and_the_verdicts_of_what_they_labelled_alone() {
    let studied = Studied::new(2, 6, RATED);
    label_items(&studied, "ana", &[3, 3, 3]);
    label_items(&studied, "ben", &[0, 1, 2, 3]);

    let ana = audit_json(&studied, &["--annotator", "ana"]);
    let items = ana["queue"]["items"].as_array().unwrap();

    assert_eq!(ana["queue"]["labelled"], 3);
    assert_eq!(items.iter().filter(|it| !it["verdict"].is_null()).count(), 3);
    let raters: Vec<&str> = ana["progress"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["rater"].as_str().unwrap())
        .collect();
    assert_eq!(raters, ["ana"]);
    let pairs: Vec<String> = ana["agreement"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["a"], it["b"]))
        .collect();
    assert_eq!(pairs, ["\"ana\" \"judge\""]);
    let ran = run_audit(&studied, &["--annotator", "ana", "--export", "--all"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("ana is a rater of this study"), "{}", ran.err);
    let ran = run_audit(&studied, &["--annotator", "ana", "--adjudicate"]);
    assert_eq!((ran.code, ran.err.contains("dee adjudicates this study")), (Some(2), true));
}

#[test]
fn the_adjudicator_sees_how_far_everybody_is_and_how_far_they_agree() {
    let studied = Studied::new(2, 6, RATED);
    label_items(&studied, "ana", &[4, 3, 2, 1, 0, 4, 3, 2]);
    label_items(&studied, "ben", &[4, 3, 2]);

    insta::assert_snapshot!(audit_text(&studied, &["--annotator", "dee"]));
    let all = audit_json(&studied, &["--annotator", "dee"]);
    assert!(all["queue"].is_null());
    let far: Vec<(u64, u64)> = all["progress"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["labelled"].as_u64().unwrap(), it["items"].as_u64().unwrap()))
        .collect();
    assert_eq!(far, [(8, 8), (3, 8)]);
    let table = audit_text(&studied, &["--annotator", "dee", "--csv"]);
    assert!(table.starts_with("rater,run,labelled,items\r\nana,one,"), "{table}");
}

#[test]
fn the_queue_is_printed_with_run_component_label_and_verdict() {
    let studied = Studied::new(2, 6, RATED);
    label_items(&studied, "ana", &[4, 3, 2]);

    insta::assert_snapshot!(audit_text(&studied, &["--annotator", "ana"]));
    let markdown = audit_text(&studied, &["--annotator", "ana", "--md"]);
    assert!(markdown.contains("| # | run | component | name |"), "{markdown}");
    let csv = audit_text(&studied, &["--annotator", "ana", "--csv"]);
    assert_eq!(csv.lines().count(), 9);
}

#[test]
fn a_sheet_of_the_whole_study_is_filled_in_elsewhere_and_taken_back_all_of_it_or_nothing() {
    let studied = Studied::new(2, 6, RATED);
    let blank = audit_text(&studied, &["--annotator", "ana", "--export", "--blank"]);
    let filled: Vec<String> = blank
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { line.to_owned() } else { line.replace(",,,,", ",3,true,,") })
        .collect();
    let wrong = format!(
        "{}\r\n",
        filled.join("\r\n").replacen(",one,", ",nine,", 1).replacen(",C0", ",X0", 1)
    );

    let ran = run_audit(
        &studied,
        &["--annotator", "ana", "--import", &write_sheet(studied.path(), &wrong)],
    );
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("belongs to the run nine, which is not in the study"), "{}", ran.err);
    assert_eq!(studied.labels("ana"), Vec::<String>::new());

    let good = write_sheet(studied.path(), &filled.join("\r\n"));
    audit_text(&studied, &["--annotator", "ana", "--import", &good]);
    assert_eq!(studied.labels("ana").len(), 8);
    let exported = audit_text(&studied, &["--annotator", "ana", "--export"]);
    assert_eq!(exported.lines().count(), 9);
    let again = write_sheet(studied.path(), &exported);
    audit_text(&studied, &["--annotator", "ana", "--import", &again]);
    assert_eq!(audit_text(&studied, &["--annotator", "ana", "--export"]), exported);
}

#[test]
fn somebody_who_is_no_rater_labels_nothing() {
    let studied = Studied::new(2, 6, RATED);
    let text = write_sheet(studied.path(), "run,component,score\none,C00,3\n");

    let ran = run_audit(&studied, &["--annotator", "zoe", "--import", &text]);

    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("line 2: zoe is not a rater (ana, ben)"), "{}", ran.err);
    assert_eq!(run_audit(&studied, &["--annotator", "zoe", "--export", "--blank"]).code, Some(2));
}

#[test]
fn everything_that_is_wrong_with_a_study_is_told_at_once() {
    let studied = Studied::new(
        1,
        2,
        "runs = []\nraters = [\"gold\"]\ncolour = 1\n[sample]\nstrata = [\"size\"]\n[queue]\noverlap = 2\n",
    );

    let ran = run_audit(&studied, &[]);

    assert_eq!(ran.code, Some(4));
    let lines: Vec<&str> =
        ran.err.lines().filter_map(|it| it.rsplit_once("study.toml:")).map(|it| it.1).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_study_says_its_own_sample_and_a_folder_is_a_study_that_can_be_kept() {
    let studied = Studied::new(2, 6, RATED);
    let ran = run_audit(&studied, &["--annotator", "ana", "--seed", "3"]);
    assert_eq!((ran.code, ran.err.contains("the study file sets --seed")), (Some(2), true));

    let (runs, kept) = (studied.path().join("runs"), studied.path().join("kept.toml"));
    let folder = |more: &[&str]| {
        let ran = run_cli(
            &[&["audit", runs.to_str().unwrap(), "--annotator", "ana", "--json"], more].concat(),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str::<Value>(&ran.out).unwrap()
    };
    let made = folder(&["--seed", "3", "--size", "5", "--save", kept.to_str().unwrap()]);
    let ran = run_cli(&["audit", kept.to_str().unwrap(), "--annotator", "ana", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);

    let text = fs::read_to_string(&kept).unwrap();
    assert!(text.contains("raters = [\"ana\"]"), "{text}");
    assert_eq!(queue_items(&made).len(), 5);
    assert_eq!(queue_items(&made), queue_items(&serde_json::from_str(&ran.out).unwrap()));
    assert_eq!(made["schema"], "trajview.study/1");
}

#[test]
fn a_run_that_is_broken_is_a_warning_and_the_others_count() {
    let studied = Studied::new(3, 6, "runs = [\"runs/*\", \"gone\"]");
    fs::write(studied.run("two").join("run.json"), "{").unwrap();
    fs::remove_file(studied.run("three").join("judgements/judge.json")).unwrap();

    let ran = run_audit(&studied, &["--annotator", "ana", "--json"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("gone: no such file or folder"), "{}", ran.err);
    assert!(ran.err.contains("three: has no judgement with a score"), "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(queue_items(&document).iter().any(|it| it.starts_with("one ")));
}

#[test]
fn what_raters_differ_on_is_settled_with_its_history() {
    let studied = Studied::new(2, 6, RATED);
    let scores = [4, 3, 2, 1, 0, 4, 3, 2];
    label_items(&studied, "ana", &scores);
    let order = queue_items(&audit_json(&studied, &["--annotator", "ana"]));
    let mut text = "run,component,score,note\n".to_owned();
    for (at, item) in order.iter().enumerate() {
        let (run, component) = item.split_once(' ').unwrap();
        let score = if at < 2 { 0 } else { scores[at] };
        text += &format!("{run},{component},{score},so it is\n");
    }
    audit_text(&studied, &["--annotator", "ben", "--import", &write_sheet(studied.path(), &text)]);
    let settle = |more: &[&str]| {
        audit_text(&studied, &[&["--annotator", "dee", "--adjudicate"], more].concat())
    };

    let cases: Value = serde_json::from_str(&settle(&["--json", "--verdicts"])).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    assert_eq!(cases[0]["labels"][0]["rater"], "ana");
    assert_eq!(cases[0]["labels"][1]["note"], "so it is");
    assert_eq!(cases[0]["verdicts"][0]["judge"], "judge");
    insta::assert_snapshot!(settle(&[]));

    let blank = settle(&["--export", "--blank"]);
    let filled: Vec<String> = blank
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => line.to_owned(),
            _ => format!("{}3,both looked again", line.strip_suffix(',').unwrap()),
        })
        .collect();
    settle(&["--import", &write_sheet(studied.path(), &filled.join("\n"))]);
    let after: Value = serde_json::from_str(&settle(&["--json"])).unwrap();
    assert_eq!((&after["settled"], &after["cases"][0]["gold"]["score"]), (&2.into(), &3.into()));
    assert_eq!(after["cases"][0]["gold"]["by"], "dee");

    let warning = || audit_json(&studied, &["--annotator", "dee"])["gold_warning"].clone();
    let words = warning();
    assert!(words.as_str().unwrap().contains("0 of 6 that they scored alike"), "{words}");
    assert!(audit_text(&studied, &["--annotator", "dee"]).contains("gold has 2 items"));
    let runs = studied.path().join("runs");
    let agree = run_cli(&["agree", runs.to_str().unwrap(), "--resamples", "0"]);
    assert!(agree.out.contains("gold has 2 items that people scored differently"), "{}", agree.out);

    let table = settle(&["--export"]);
    assert_eq!(table.lines().count(), 3);
    settle(&["--import", &write_sheet(studied.path(), &table.replace(",3,", ",2,"))]);
    assert_eq!(settle(&["--export"]).lines().count(), 5, "the history stays");
    let agreed = settle(&["--adjudicate-agreed"]);
    assert!(agreed.contains("outcome"), "{agreed}");
    assert!(
        settle(&["--adjudicate-agreed"])
            .contains("every item that all raters scored alike has an outcome")
    );
    assert_eq!(settle(&["--export"]).lines().count(), 5 + 6, "six of eight were scored alike");
    assert_eq!(warning(), Value::Null, "what they agree on is settled too");
    let whole = audit_json(&studied, &["--annotator", "dee"]);
    let pairs: Vec<&Value> = whole["agreement"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["b"] == "gold" || it["a"] == "gold")
        .collect();
    assert_eq!(pairs.len(), 3, "{pairs:?}");
    let kept = fs::read_to_string(studied.run("one").join("gold.json"))
        .or_else(|_| fs::read_to_string(studied.run("two").join("gold.json")));
    assert!(kept.unwrap().contains("\"from\":[{\"annotator\":\"ana\""));
}

#[test]
fn what_nobody_differs_on_is_nothing_to_settle() {
    let studied = Studied::new(2, 6, RATED);
    label_items(&studied, "ana", &[4, 3]);
    let first = queue_items(&audit_json(&studied, &["--annotator", "ana"]))[0].replace(' ', ",");
    let text = write_sheet(studied.path(), &format!("run,component,score\n{first},2\n"));

    let ran = run_audit(&studied, &["--annotator", "dee", "--adjudicate", "--import", &text]);

    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("needs no adjudication"), "{}", ran.err);
}

#[test]
fn labels_of_a_study_over_bundles_that_are_only_read_are_kept_beside_it() {
    let studied = Studied::new(2, 6, &format!("labels_folder = \"said\"\n{RATED}"));
    label_items(&studied, "ana", &[4, 3, 2]);

    assert_eq!(studied.labels("ana"), Vec::<String>::new());
    assert!(studied.path().join("said").is_dir());
    assert_eq!(audit_json(&studied, &["--annotator", "ana"])["queue"]["labelled"], 3);
}
