//! Graded rubric trees that are in no bundle: labelled by command, in a folder of choice, and as a study.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::common::project_path;

/// Two copies of a graded tree, `rice.json` and `pinn.json`.
struct GradedTrees(tempfile::TempDir);

impl GradedTrees {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sample = project_path("sample-runs/paperbench/grader_output.json");
        for name in ["rice.json", "pinn.json"] {
            fs::copy(&sample, folder.path().join(name)).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> (bool, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.args(arguments).current_dir(self.path()).env("TRAJVIEW_CONFIG", "");
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let (_, out, err) = self.run(arguments);
        serde_json::from_str(&out).unwrap_or_else(|why| panic!("{arguments:?}: {why}: {err}"))
    }

    /// Labels the first leaves of a tree by a sheet: as many 1 as there are, but for the last, which is 0.
    fn label(&self, tree: &str, rater: &str, more: &[&str]) {
        let queue = ["audit", tree, "--annotator", rater, "--json"];
        let queue = self.json(&[&queue[..], more].concat());
        let items = queue["queue"]["items"].as_array().unwrap();
        let mut sheet = "component,score,blind,unit\n".to_owned();
        for (at, item) in items.iter().enumerate() {
            let score = usize::from(at + 1 < items.len());
            sheet += &format!("{},{score},true,leaf\n", item["component"].as_str().unwrap());
        }
        fs::write(self.path().join("sheet.csv"), sheet).unwrap();
        let import = ["audit", tree, "--annotator", rater, "--import", "sheet.csv"];
        let (is_fine, out, err) = self.run(&[&import[..], more].concat());
        assert!(is_fine && out.contains(&format!("of {rater}")), "{out}{err}");
    }
}

#[test]
fn a_graded_tree_is_audited_by_its_leaves_and_its_labels_are_saved_beside_it() {
    let trees = GradedTrees::new();
    let queue = trees.json(&["audit", "rice.json", "--annotator", "ana", "--json"]);
    assert_eq!(queue["run"], "rice");
    let items = queue["queue"]["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.iter().all(|it| it["unit"] == "leaf"), "{queue}");

    trees.label("rice.json", "ana", &[]);

    assert!(trees.path().join("rice.labels/labels/ana.json").is_file());
    assert!(!trees.path().join("pinn.labels").exists(), "the other tree has labels of its own");
    let queue = trees.json(&["audit", "rice.json", "--annotator", "ana", "--json"]);
    assert_eq!(queue["queue"]["labelled"].as_u64(), Some(items.len() as u64));
    let other = trees.json(&["audit", "pinn.json", "--annotator", "ana", "--json"]);
    assert_eq!(other["queue"]["labelled"], 0);
}

#[test]
fn agree_reads_the_labels_of_graded_trees_and_of_a_folder_of_them() {
    let trees = GradedTrees::new();
    trees.label("rice.json", "ana", &[]);
    trees.label("pinn.json", "ana", &[]);
    let leaves = trees.json(&["audit", "rice.json", "--annotator", "ana", "--json"]);
    let leaves = leaves["queue"]["items"].as_array().unwrap().len() as u64;

    let of = |arguments: &[&str]| {
        let document = trees.json(&[&["agree"], arguments, &["--json"]].concat());
        let pair = document["pairs"][0].clone();
        (document["unit"].clone(), pair["n"].as_u64().unwrap())
    };
    assert_eq!(of(&["rice.json"]), ("leaf".into(), leaves));
    assert_eq!(of(&["rice.json", "pinn.json"]), ("leaf".into(), 2 * leaves));
    assert_eq!(of(&["."]), ("leaf".into(), 2 * leaves));
}

#[test]
fn labels_go_into_the_folder_that_is_named_a_folder_for_each_tree() {
    let trees = GradedTrees::new();

    trees.label("rice.json", "ana", &["--labels", "mine"]);
    trees.label("pinn.json", "ana", &["--labels", "mine"]);

    assert!(trees.path().join("mine/rice/labels/ana.json").is_file());
    assert!(trees.path().join("mine/pinn/labels/ana.json").is_file());
    assert!(!trees.path().join("rice.labels").exists());
    let (is_fine, out, err) = trees.run(&["agree", "rice.json", "--labels", "mine"]);
    assert!(is_fine && out.contains("ana"), "{out}{err}");
    let bundle = project_path("sample-runs/codex-p12").display().to_string();
    let (_, _, why) = trees.run(&["audit", &bundle, "--annotator", "ana", "--labels", "mine"]);
    assert!(why.contains("--labels is for a graded rubric tree outside a bundle"), "{why}");
}

#[test]
fn the_screen_opens_the_leaves_and_saves_a_label_beside_the_tree() {
    let trees = GradedTrees::new();
    let frame = |keys: &str| {
        let audit = ["rice.json", "--view", "audit", "--annotator", "ana"];
        trees.run(&[&audit[..], &["--snapshot", "120x40", "--keys", keys]].concat()).1
    };

    let before = frame("");
    assert!(!before.contains("nothing has judged"), "{before}");
    frame("1");

    let saved = fs::read_to_string(trees.path().join("rice.labels/labels/ana.json")).unwrap();
    let saved: Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved["labels"][0]["unit"], "leaf");
    assert_eq!(saved["labels"][0]["blind"], true);
}

#[test]
fn a_study_of_leaves_has_graded_trees_as_runs() {
    let trees = GradedTrees::new();
    let study = "runs = [\"*.json\"]\nunit = \"leaf\"\nraters = [\"ana\", \"ben\"]\n";
    fs::write(trees.path().join("study.toml"), study).unwrap();

    let document = trees.json(&["audit", "study.toml", "--annotator", "ana", "--json"]);

    let runs = document["runs"].as_array().unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(names, ["pinn", "rice"]);
    assert!(runs.iter().all(|run| run["items"].as_u64() > Some(0)), "{document}");
    assert_eq!(document["problems"].as_array().unwrap().len(), 0, "{document}");
}

#[test]
fn the_commands_that_need_a_bundle_lead_to_the_audit_of_the_leaves() {
    let trees = GradedTrees::new();
    let audit = "--view audit` labels its leaves";

    let (_, _, why) = trees.run(&["import", "rice.json", "--out", "new"]);
    assert!(why.contains(audit), "{why}");
    let settings = "[judges.x]\nkind = \"command\"\ncommand = [\"true\"]\n";
    fs::write(trees.path().join("settings.toml"), settings).unwrap();
    let mut judge = Command::new(env!("CARGO_BIN_EXE_trajview"));
    judge.args(["judge", "rice.json", "--judge", "x"]).current_dir(trees.path());
    let output = judge.env("TRAJVIEW_CONFIG", trees.path().join("settings.toml")).output().unwrap();
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.contains(audit), "{why}");
}
