//! The pinned judge: its scores count, whatever others say later, and every table names it.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::common::{judged::copy_folder, project_path};

struct PinnedRun(tempfile::TempDir);

impl PinnedRun {
    /// The sample with a later whole judgement by `later`, with 1 for every component.
    fn new(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        fs::create_dir(&run).unwrap();
        copy_folder(&project_path("sample-runs/codex-p12"), &run);
        let judgements = run.join("judgements");
        let text = fs::read(judgements.join("human-final.json")).unwrap();
        let mut later: Value = serde_json::from_slice(&text).unwrap();
        later["judge"]["name"] = "later".into();
        later["created_at"] = "2027-01-01T00:00:00Z".into();
        later["scores"].as_array_mut().unwrap().iter_mut().for_each(|it| it["score"] = 1.into());
        fs::write(judgements.join("zz.json"), later.to_string()).unwrap();
        fs::write(folder.path().join("settings.toml"), settings).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> (String, String) {
        let settings = self.path().join("settings.toml");
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(arguments).current_dir(self.path()).env("TRAJVIEW_CONFIG", settings);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.run(arguments).0).unwrap()
    }
}

#[test]
fn without_a_pin_the_last_judgement_counts_and_the_table_says_whose_it_is_and_of_which_turn() {
    let runs = PinnedRun::new("");

    let row = runs.json(&["corpus", "run", "--json"])["runs"][0].clone();

    assert_eq!(
        (&row["judge"], &row["judged_turn"], &row["mcf"]),
        (&"later".into(), &56.into(), &1.0.into())
    );
    let table = runs.run(&["corpus", "run", "--csv"]).0;
    assert!(table.lines().next().unwrap().contains("judge,judgement,judged_turn"), "{table}");
    let page = runs.run(&["corpus", "run", "--md"]).0;
    assert!(page.contains("judged at turn"), "{page}");
}

#[test]
fn the_pinned_judge_counts_in_every_command_and_an_option_comes_before_it() {
    let runs = PinnedRun::new("judge = \"authors-reading\"\n");

    let mcf = |arguments: &[&str]| runs.json(arguments)["runs"][0]["mcf"].as_f64().unwrap();
    assert_eq!(mcf(&["corpus", "run", "--json"]), 3.125);
    assert_eq!(mcf(&["corpus", "run", "--judge", "later", "--json"]), 1.0);
    assert!(runs.run(&["losses", "run"]).0.contains("scores by authors-reading"));
    let compared = runs.json(&["compare", "run", "run", "--json"]);
    assert_eq!(compared["a"]["judgement"]["judge"], "authors-reading");

    let scores = |options: &[&str]| {
        let arguments = ["run", "--view", "scores", "--snapshot", "200x50"];
        runs.run(&[&arguments[..], options].concat()).0
    };
    let frame = scores(&[]);
    assert!(frame.contains("MCF 3.125") && frame.contains("pinned"), "{frame}");
    assert!(scores(&["--judge", "later"]).contains("MCF 1.000"));
    assert!(scores(&["--judge", "zz.json"]).contains("MCF 1.000"));
}

#[test]
fn a_pinned_judge_that_did_not_judge_a_run_leaves_no_number_and_a_warning() {
    let runs = PinnedRun::new("judge = \"eve\"\n");

    let row = runs.json(&["corpus", "run", "--json"])["runs"][0].clone();
    assert_eq!((&row["mcf"], &row["judge"]), (&Value::Null, &Value::Null));
    let (_, notes) = runs.run(&["score", "run"]);
    assert!(notes.contains("eve is pinned and has not judged this run"), "{notes}");
}

#[test]
fn a_study_pins_the_judge_of_its_runs() {
    let runs = PinnedRun::new("");
    let judge_of = |study: &str| {
        fs::write(runs.path().join("study.toml"), study).unwrap();
        let document = runs.json(&["audit", "study.toml", "--annotator", "ann", "--json"]);
        document["queue"]["items"][0]["judge"].clone()
    };

    assert_eq!(judge_of("runs = [\"run\"]\n"), "later");
    assert_eq!(judge_of("runs = [\"run\"]\njudge = \"authors-reading\"\n"), "authors-reading");
    let (_, why) = runs.run(&["study.toml", "--judge", "later", "--snapshot", "80x24"]);
    assert!(why.contains("leave out --judge"), "{why}");
}

#[test]
fn the_key_pins_the_shown_judge_and_says_how_to_keep_it() {
    let runs = PinnedRun::new("");
    let frame = |keys: &str| {
        let arguments = ["run", "--view", "scores", "--snapshot", "200x50", "--keys", keys];
        runs.run(&arguments).0
    };

    assert!(frame("").contains("MCF 1.000"));
    let pinned = frame("F*");
    assert!(pinned.contains("authors-reading is pinned"), "{pinned}");
    assert!(pinned.contains("MCF 3.125") && pinned.contains("(human, pinned)"), "{pinned}");
    assert!(frame("F**").contains("authors-reading is no longer pinned"));
}
