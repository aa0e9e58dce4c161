//! A study from the first label to the table: the two samples and six runs made of one of them, two judges on a server of
//! ours, three raters whose keys are scripted, and somebody who settles what they differ on.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::common::{
    Ran,
    judge_desk::{KEY, copy, ran},
    judge_server::{Asked, Say, Server},
    project,
};

const STUDY: &str = r#"
name = "two judges"
runs = ["runs/*"]
judges = ["strict", "kind"]
raters = ["ana", "ben", "cho"]
adjudicator = "dee"

[sample]
size = 16
seed = 7
strata = ["score", "run"]
"#;

/// After how many turns the runs end that are made of the sample.
const CUTS: [usize; 6] = [33, 39, 42, 45, 47, 50];

const COMPONENTS: &str = "C03,C07,C12,C17,C20,C23";

struct Desk {
    folder: tempfile::TempDir,
}

/// What a judge says of a component: a level that depends on both names alone.
fn judged(model: &str, component: &str) -> u8 {
    let number: u8 = component.trim_start_matches('C').parse().unwrap_or(0);
    let base = number * 7 % 5;
    if model == "kind" { (base + u8::from(number.is_multiple_of(2))).min(4) } else { base }
}

fn judge(asked: &Asked) -> Say {
    let model = asked.body["model"].as_str().unwrap_or_default();
    let verdict = json!({
        "level": judged(model, &asked.component), "rationale": "as the script has it", "evidence": [],
    });
    Say::Calls(vec![("verdict", verdict)])
}

impl Desk {
    fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["codex-p12", "codex-p12-single-shot"] {
            copy(&project("sample-runs").join(name), &desk.run(name));
            let _ = fs::remove_dir_all(desk.run(name).join("labels"));
        }
        CUTS.into_iter().for_each(|turns| desk.cut(turns));
        fs::write(desk.folder.path().join("study.toml"), STUDY).unwrap();
        desk
    }

    fn run(&self, name: &str) -> PathBuf {
        self.folder.path().join("runs").join(name)
    }

    /// The emergent sample as it was after so many turns: its record and its log end there.
    fn cut(&self, turns: usize) {
        let run = self.run(&format!("cut-{turns:02}"));
        copy(&project("sample-runs/codex-p12"), &run);
        for folder in ["judgements", "labels"] {
            let _ = fs::remove_dir_all(run.join(folder));
        }
        let mut record: Value =
            serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
        record["id"] = json!(format!("cut-{turns:02}"));
        record["provenance"] =
            json!(format!("made for a test: codex-p12 as it was after turn {turns}"));
        record["turns"].as_array_mut().unwrap().truncate(turns);
        let checkpoints = record["checkpoints"].as_array_mut().unwrap();
        checkpoints.retain(|it| it["turn"].as_u64() <= Some(turns as u64));
        let last = record["turns"][turns - 1].clone();
        fs::write(run.join("run.json"), record.to_string()).unwrap();
        let log = run.join("session").join(last["session"].as_str().unwrap());
        let text = fs::read_to_string(&log).unwrap();
        let lines = text.split_inclusive('\n').take(last["last_line"].as_u64().unwrap() as usize);
        fs::write(&log, lines.collect::<String>()).unwrap();
    }

    fn trajview(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("STUB_KEY", KEY)
            .env("TRAJVIEW_CONFIG", self.folder.path().join("config.toml"))
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        ran(&mut command)
    }

    fn printed(&self, arguments: &[&str]) -> String {
        let ran = self.trajview(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        ran.out
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.printed(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Labels everything in the queue of a rater with keys, each thing by what `score` says of it.
    fn label(&self, rater: &str, score: impl Fn(&str) -> u8) {
        let queue = self.json(&["audit", "study.toml", "--annotator", rater]);
        let items = queue["queue"]["items"].as_array().unwrap();
        let key = |item: &Value| format!("{} <esc> n", score(item["component"].as_str().unwrap()));
        let keys: Vec<String> = items.iter().map(key).collect();
        let frame = self.printed(&[
            "study.toml",
            "--annotator",
            rater,
            "--snapshot",
            "120x40",
            "--keys",
            &keys.join(" "),
        ]);
        assert!(frame.contains(&format!("{0}/{0}", items.len())), "{frame}");
    }
}

#[test]
fn a_study_goes_from_the_first_label_to_its_tables_without_a_script() {
    let desk = Desk::new();
    let server = Server::new(judge);
    let settings = ["strict", "kind"].map(|model| {
        format!(
            "[judges.{model}]\nkind = \"chat\"\nmodel = \"{model}\"\nbase_url = \"{}\"\nkey_env = \"STUB_KEY\"\n",
            server.url()
        )
    });
    fs::write(desk.folder.path().join("config.toml"), settings.concat()).unwrap();
    // Two judges, all runs.
    let mut runs: Vec<String> = fs::read_dir(desk.folder.path().join("runs"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    runs.sort();
    assert_eq!(runs.len(), 8);
    for run in &runs {
        for model in ["strict", "kind"] {
            desk.printed(&[
                "judge",
                &format!("runs/{run}"),
                "--judge",
                model,
                "--components",
                COMPONENTS,
            ]);
        }
    }

    let checked = desk.trajview(&["check", "study.toml"]);
    assert_eq!(checked.code, Some(0), "{}", checked.out);

    // Three raters, one queue: ana and ben agree on even numbers, cho is one lower.
    let own = |component: &str| judged("strict", component);
    let is_odd = |component: &str| !component.ends_with(['0', '2']);
    desk.label("ana", own);
    desk.label("ben", |component| own(component).saturating_sub(u8::from(is_odd(component))));
    desk.label("cho", |component| own(component).saturating_sub(1));
    for rater in ["ana", "ben", "cho"] {
        let told = desk.json(&["audit", "study.toml", "--annotator", rater]);
        assert_eq!(told["queue"]["labelled"], 16, "{rater}");
    }

    // What they differ on is settled as ana has it.
    let sheet = desk.printed(&[
        "audit",
        "study.toml",
        "--annotator",
        "dee",
        "--adjudicate",
        "--export",
        "--blank",
    ]);
    let differing = sheet.lines().count() - 1;
    assert!((1..=16).contains(&differing), "{sheet}");
    let heads: Vec<&str> = sheet.lines().next().unwrap().split(',').collect();
    let place = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let (component, score) = (place("component"), place("score"));
    let filled: Vec<String> = sheet
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if number > 0 {
                cells[score] = own(&cells[component]).to_string();
            }
            cells.join(",")
        })
        .collect();
    fs::write(desk.folder.path().join("gold.csv"), filled.join("\n") + "\n").unwrap();
    desk.printed(&[
        "audit",
        "study.toml",
        "--annotator",
        "dee",
        "--adjudicate",
        "--import",
        "gold.csv",
    ]);
    let settled = desk.json(&["audit", "study.toml", "--annotator", "dee", "--adjudicate"]);
    assert_eq!(settled["cases"].as_array().map_or(0, Vec::len), differing, "{settled:#}");

    // The tables.
    let told = desk.json(&["agree", "runs"]);
    let of = |a: &str, b: &str| {
        let pairs = told["pairs"].as_array().unwrap().iter();
        let is = |it: &&Value, a: &str, b: &str| {
            it["a"].as_str().unwrap().starts_with(a) && it["b"].as_str().unwrap().starts_with(b)
        };
        pairs.clone().find(|it| is(it, a, b) || is(it, b, a)).cloned().unwrap_or_else(|| {
            panic!("{a} and {b}: {:?}", pairs.map(|it| (&it["a"], &it["b"])).collect::<Vec<_>>())
        })
    };
    assert_eq!(of("ana", "gold")["exact"], 1.0);
    assert_eq!(of("ana", "gold")["n"], differing);
    let labelled = labelled(&desk);
    let same = |a: &str, b: &str| {
        let (a, b) = (&labelled[a], &labelled[b]);
        a.iter().filter(|(item, score)| b.get(*item) == Some(score)).count() as f64 / a.len() as f64
    };
    for (a, b) in [("ana", "ben"), ("ana", "cho"), ("ben", "cho")] {
        let exact = of(a, b)["exact"].as_f64().unwrap();
        assert!((exact - same(a, b)).abs() < 1e-12, "{a} {b}: {exact} {}", same(a, b));
    }
    let table = desk.printed(&["agree", "runs", "--md"]);
    assert!(table.contains("gold"), "{table}");
}

/// What is in the files of labels: by rater, then by run, component and commit.
fn labelled(desk: &Desk) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut all: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for run in fs::read_dir(desk.folder.path().join("runs")).unwrap().flatten() {
        let folder = run.path().join("labels");
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        for file in files.filter(|file| file.path().extension().is_some_and(|it| it == "json")) {
            read_labels(&file.path(), &run.file_name().to_string_lossy(), &mut all);
        }
    }
    all
}

fn read_labels(file: &Path, run: &str, all: &mut BTreeMap<String, BTreeMap<String, u64>>) {
    let document: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let rater = document["annotator"].as_str().unwrap().to_owned();
    for label in document["labels"].as_array().unwrap() {
        let item = format!("{run}/{}/{}", label["component"], label["commit"]);
        all.entry(rater.clone()).or_default().insert(item, label["score"].as_u64().unwrap());
    }
}
