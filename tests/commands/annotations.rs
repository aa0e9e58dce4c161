//! `trajview annotations`: labels and verdicts to other tools and back into bundles.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::common::{Ran, judge_desk::copy_folder, project_path, run_cli};

const COMMIT: &str = "610540d2038c3343ff934f9f90ced3b4806f89ad";

/// A copy of the sample run with labels of two people.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&project_path("sample-runs/codex-p12"), &folder.path().join("codex-p12"));
        let desk = Self { folder };
        let _ = fs::remove_dir_all(desk.run().join("labels"));
        desk
    }

    fn with_labels() -> Self {
        let desk = Self::new();
        let sheet = desk.file(
            "labels.csv",
            "component,score,annotator,blind,reason,note,commit\n\
             C07,4,ana,true,false-absence,\"embed.py, line 16\",610540d\n\
             C17,1,ana,true,,,610540d\nC07,0,ben,false,,,610540d\n",
        );
        let ran = run_cli(&["audit", desk.run().to_str().unwrap(), "--import", &sheet]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        desk
    }

    fn run(&self) -> PathBuf {
        self.folder.path().join("codex-p12")
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn annotations(&self, more: &[&str]) -> Ran {
        run_cli(&[&["annotations", self.run().to_str().unwrap()], more].concat())
    }

    fn exported(&self, more: &[&str]) -> String {
        let ran = self.annotations(more);
        assert_eq!(ran.code, Some(0), "{more:?}: {}", ran.err);
        ran.out
    }

    /// Component and score of each label of a person.
    fn labels(&self, name: &str) -> Vec<(String, Value)> {
        let text = fs::read_to_string(self.run().join(format!("labels/{name}.json"))).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let labels = document["labels"].as_array().unwrap().iter();
        let mut labels: Vec<_> = labels
            .map(|it| (it["component"].as_str().unwrap().to_owned(), it["score"].clone()))
            .collect();
        labels.sort_by(|a, b| a.0.cmp(&b.0));
        labels
    }
}

#[test]
fn labels_go_to_each_tool_and_come_back_into_another_copy_of_the_run() {
    let desk = Desk::with_labels();
    for tool in ["langfuse", "phoenix", "label-studio"] {
        let other = Desk::new();
        let file = other.file("file", &desk.exported(&["--export-to", tool]));

        let ran = other.annotations(&["--import-from", &file]);

        assert_eq!(ran.code, Some(0), "{tool}: {}", ran.err);
        assert!(ran.out.contains("2 labels of ana in "), "{tool}: {}", ran.out);
        assert_eq!(other.labels("ana"), [("C07".into(), 4.into()), ("C17".into(), 1.into())]);
        assert_eq!(other.labels("ben"), [("C07".into(), 0.into())]);
        let text = fs::read_to_string(other.run().join("labels/ana.json")).unwrap();
        assert!(text.contains("embed.py, line 16") && text.contains("false-absence"), "{text}");
        assert!(text.contains("\"blind\":true") || text.contains("\"blind\": true"), "{text}");
    }
}

#[test]
fn a_validation_set_is_of_one_rater() {
    let desk = Desk::with_labels();

    let both = desk.annotations(&["--export-to", "scout"]);
    let one = desk.exported(&["--export-to", "scout", "--rater", "ana"]);

    assert_eq!(both.code, Some(2));
    assert!(both.err.contains("C07 of codex-p12 has several scores"), "{}", both.err);
    let cases: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(cases[0]["id"], "codex-p12");
    assert_eq!(cases[0]["target"], serde_json::json!({ "C07": 4, "C17": 1 }));
}

#[test]
fn verdicts_of_a_judge_become_a_new_judgement_once() {
    let desk = Desk::with_labels();
    let run = desk.run();
    let before = fs::read_dir(run.join("judgements")).unwrap().count();
    let text =
        desk.exported(&["--export-to", "phoenix", "--judgements", "--rater", "quick-reader"]);
    let file = desk.file(
        "verdicts.csv",
        &text.replace("quick-reader (made up, to show the false-absence check)", "elsewhere"),
    );

    let first = desk.annotations(&["--import-from", &file]);
    let again = desk.annotations(&["--import-from", &file]);

    assert_eq!(first.code, Some(0), "{}", first.err);
    assert!(again.out.contains("already exist"), "{}", again.out);
    assert_eq!(fs::read_dir(run.join("judgements")).unwrap().count(), before + 1);
    let made = fs::read_to_string(run.join("judgements/elsewhere-imported.json")).unwrap();
    let made: Value = serde_json::from_str(&made).unwrap();
    assert_eq!(made["judge"]["kind"], "imported");
    assert_eq!(made["commit"], COMMIT);
    let checked =
        run_cli(&["check", run.join("judgements/elsewhere-imported.json").to_str().unwrap()]);
    assert_eq!(checked.code, Some(0), "{}", checked.out);
}

#[test]
fn every_mistake_is_told_and_nothing_is_written() {
    let desk = Desk::new();
    let file = desk.file(
        "wrong.csv",
        "span_id,annotation_name,annotator_kind,label,score,identifier\n\
         codex-p12,C07,HUMAN,,4,ana\ncodex-p13,C07,HUMAN,,4,ana\ncodex-p12,C99,HUMAN,,4,ana\n\
         codex-p12,C08,HUMAN,,7,ana\ncodex-p12,C08,HUMAN,Perfect,,ana\ncodex-p12,C08,HUMAN,,1,\n\
         codex-p12,C09,LLM,,1,gpt\ncodex-p12,C07,HUMAN,,3,ana\n,C01,HUMAN,,1,ana\n",
    );

    let ran = desk.annotations(&["--import-from", &file]);

    assert_eq!(ran.code, Some(4));
    let said: Vec<&str> =
        ran.err.lines().filter_map(|line| line.split_once("wrong.csv: ").map(|it| it.1)).collect();
    assert_eq!(
        said,
        [
            "line 10: names no span (span_id)",
            "line 3: no run codex-p13 among codex-p12",
            "line 4: components.json of codex-p12 has no component C99",
            "line 5: 7 is not a score; expected a level from 0 to 4",
            "line 6: \"Perfect\" is not one of Absent, Wrong, Simplified, Equivalent, Faithful",
            "line 7: no rater; name one with --annotator NAME",
            "line 8: has no judged commit or turn; name it with --at MOMENT",
            "line 9: ana scored C07 of codex-p12 already; nothing was written",
        ]
    );
    assert!(!desk.run().join("labels").exists());
}

#[test]
fn what_says_neither_who_nor_of_which_state_is_said_by_the_options() {
    let desk = Desk::new();
    let file = desk.file("cases.csv", "id,target_C07,target_C08\ncodex-p12,4,cannot tell\n");

    let ran = desk.annotations(&["--import-from", &file, "--annotator", "cy", "--at", "final"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let text = fs::read_to_string(desk.run().join("labels/cy.json")).unwrap();
    let labels: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(labels["labels"][0]["commit"], COMMIT);
    assert_eq!(labels["labels"][1]["cannot_tell"], true);
    assert_eq!(labels["labels"][1]["score"], Value::Null);
}

#[test]
fn the_interface_of_label_studio_offers_the_levels() {
    let desk = Desk::new();

    let config = desk.exported(&["--config"]);

    assert!(config.contains("<Choice value=\"0 Absent\"/>"), "{config}");
    assert!(config.contains("<Choice value=\"cannot tell\"/>"), "{config}");
}

#[test]
fn a_folder_name_that_two_runs_have_names_neither() {
    let desk = Desk::new();
    let other = desk.folder.path().join("other/codex-p12");
    copy_folder(&desk.run(), &other);
    let file = desk.file("cases.csv", "id,target_C07\ncodex-p12,4\n");

    let both = [desk.run(), other].map(|run| run.to_str().unwrap().to_owned());
    let ran =
        run_cli(&["annotations", &both[0], &both[1], "--import-from", &file, "--annotator", "cy"]);

    assert_eq!(ran.code, Some(4), "{}", ran.out);
    assert!(ran.err.contains("no run codex-p12 among "), "{}", ran.err);
}
