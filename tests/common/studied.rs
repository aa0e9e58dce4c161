//! Studies that tests make: small bundles without code, and copies of the samples.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A folder with a study in it.
pub struct Studied {
    folder: tempfile::TempDir,
}

impl Studied {
    /// Runs `one`, `two`, … of so many components each; `study` is the text of the study file.
    pub fn new(runs: usize, components: usize, study: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for run in 0..runs {
            make_bundle(
                &folder.path().join(format!("runs/{}", run_name(run))),
                &run_name(run),
                components,
                run,
            );
        }
        fs::write(folder.path().join("study.toml"), study).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self) -> PathBuf {
        self.path().join("study.toml")
    }

    pub fn run(&self, name: &str) -> PathBuf {
        self.path().join("runs").join(name)
    }

    /// Labels of a rater in all runs: `one C00 3`, by run, then in the order of the file.
    pub fn labels(&self, rater: &str) -> Vec<String> {
        let mut said = vec![];
        let mut runs: Vec<_> =
            fs::read_dir(self.path().join("runs")).unwrap().flatten().map(|it| it.path()).collect();
        runs.sort();
        for run in runs {
            let Ok(bytes) = fs::read(run.join(format!("labels/{rater}.json"))) else { continue };
            let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            let name = run.file_name().unwrap().to_string_lossy().into_owned();
            for label in document["labels"].as_array().unwrap() {
                let id = label["component"].as_str().unwrap();
                said.push(format!("{name} {id} {}", label["score"]));
            }
        }
        said
    }
}

/// `one`, `two`, `three`; then numbers.
pub fn run_name(run: usize) -> String {
    ["one", "two", "three", "four"]
        .get(run)
        .map_or_else(|| format!("run-{run:02}"), |it| (*it).into())
}

/// A bundle with a checklist and a judgement by `judge`, whose score of component `at` is `(at + run) % 5`.
pub fn make_bundle(folder: &Path, id: &str, components: usize, run: usize) {
    fs::create_dir_all(folder.join("judgements")).unwrap();
    let condition = if run.is_multiple_of(2) { "emergent" } else { "single-shot" };
    let manifest = serde_json::json!({
        "schema": "trajview.run/1", "id": id, "title": format!("Run {id}"), "condition": condition,
        "turns": [{"turn": 1}, {"turn": 2}],
    });
    fs::write(folder.join("run.json"), manifest.to_string()).unwrap();
    let ids: Vec<String> = (0..components).map(|at| format!("C{at:02}")).collect();
    let component = |id: &String| {
        serde_json::json!({
            "id": id, "name": format!("Part {id}"), "intent": format!("what {id} is for"), "committed_at_turn": 1,
        })
    };
    let checklist = serde_json::json!({
        "schema": "trajview.components/1",
        "components": ids.iter().map(component).collect::<Vec<_>>(),
    });
    fs::write(folder.join("components.json"), checklist.to_string()).unwrap();
    let score = |(at, id): (usize, &String)| serde_json::json!({"component": id, "score": (at + run) % 5, "rationale": format!("seen in {id}.py")});
    let judgement = serde_json::json!({
        "schema": "trajview.judgement/1", "judge": {"name": "judge", "kind": "http"}, "run": id, "turn": 2,
        "rubric": "slump-5",
        "scores": ids.iter().enumerate().map(score).collect::<Vec<_>>(),
    });
    fs::write(folder.join("judgements/judge.json"), judgement.to_string()).unwrap();
}

/// A folder and all below it.
pub fn copy_folder(from: &Path, to: &Path) {
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
