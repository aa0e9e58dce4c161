//! Process: the released scorer's own vectors, the signals of the samples and of labelled runs, results as runs.

use std::{collections::BTreeMap, fs};

use serde::Deserialize;
use serde_json::Value;
use trajview::{
    analysis,
    metrics::process::{
        CodeFacts, DisciplineScores, ObservedRun, RigorProfile, SignalKind, assertions, signals,
    },
    run::RepoPath,
    store,
};

use crate::common::{project_path, real_data, run_cli};

/// A case of the released scorer: the types of actions by phase, files of a repository, and what it said.
#[derive(Deserialize)]
struct Case {
    phases: Vec<Vec<String>>,
    repo_files: Option<BTreeMap<String, String>>,
    pillars: BTreeMap<String, f64>,
    composite: f64,
}

/// As the scorer names them, in our order.
const PILLARS: [&str; 7] = [
    "Planning Fidelity",
    "Verification Coverage",
    "Recovery Efficiency",
    "Abstention Quality",
    "Atomic Transition Integrity",
    "Test Assertion Density",
    "Exploration Efficiency",
];

fn observe_case(case: &Case) -> ObservedRun {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.yaml");
    let action = |kind: &String| format!("  - {{type: {kind}, metadata: {{}}}}\n");
    let phase = |actions: &Vec<String>| {
        let actions: String = actions.iter().map(action).collect();
        format!("- name: p\n  actions:{}\n{actions}", if actions.is_empty() { " []" } else { "" })
    };
    let phases: String = case.phases.iter().map(phase).collect();
    fs::write(&path, format!("task_id: t\nagent_name: a\nphases:\n{phases}")).unwrap();
    let opened = store::open(&path).unwrap();
    let files = case.repo_files.iter().flatten();
    let tests = files.filter(|(path, _)| {
        RepoPath::new(path).is_some_and(|path| assertions::is_shipped_test(&path))
    });
    let shipped =
        assertions::sum_counts(tests.map(|(_, text)| assertions::count_as_scorer(text.as_bytes())));
    let mut observed = analysis::observe_run(&opened.archive, &opened.run);
    observed.code = Some(CodeFacts { shipped, ..CodeFacts::default() });
    observed
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, the folder of real recordings"]
fn every_case_of_the_released_scorer_is_equal() {
    let text = fs::read(real_data().join("vectors/process-discipline.json")).unwrap();
    let cases: BTreeMap<String, Case> = serde_json::from_slice(&text).unwrap();
    assert_eq!(cases.len(), 31);
    for (name, case) in &cases {
        let ours = DisciplineScores::new(&observe_case(case), RigorProfile::Shipped);
        for (scored, theirs) in ours.pillars.iter().zip(PILLARS) {
            let value = scored.value.unwrap() * 100.0;
            assert!((value - case.pillars[theirs]).abs() < 1e-9, "{name}: {theirs}: {value}");
        }
        let score = ours.rigor_score().unwrap() * 100.0;
        assert!((score - case.composite).abs() < 1e-9, "{name}: {score} {}", case.composite);
    }
}

fn command_json(arguments: &[&str]) -> Value {
    let ran = run_cli(arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn signals_of(sample: &str) -> Vec<(String, String)> {
    let told = command_json(&["process", sample, "--signals", "--json"]);
    let row = |row: &Value| {
        let word = |key: &str| row[key].as_str().unwrap().to_owned();
        (word("step"), word("kind"))
    };
    told["signals"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_turns_that_lose_components_are_among_the_signals_and_the_single_shot_is_nearly_quiet() {
    let emergent = signals_of("sample-runs/codex-p12");
    let lost = |turn: &str| {
        emergent
            .iter()
            .any(|(step, kind)| step.starts_with(turn) && kind == "symbol no longer used")
    };

    // C10 is lost at turn 42, C17 and C18 at 46, C20 at 49.
    assert!(lost("42.") && lost("46.") && lost("49."), "{emergent:?}");
    let single = signals_of("sample-runs/codex-p12-single-shot");
    assert!(single.len() <= 1, "{single:?}");
}

#[test]
fn the_paper_profile_of_the_sample_says_what_is_not_recorded() {
    let score = command_json(&["score", "sample-runs/codex-p12", "--json"]);

    let process = &score["process"];
    assert_eq!(process["profile"], "rigor-paper");
    let rigor = process["rigor_score"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&rigor));
    let missing: Vec<&str> =
        process["not_recorded"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(missing, ["pf.DQ", "vc.dC", "vc.RT", "aq", "aq.AQ", "ati.BH", "ati.CH"]);
    assert_eq!(process["pillars"]["aq"], Value::Null);
}

/// A failure that people found in a run.
#[derive(Deserialize)]
struct Failure {
    step_number: usize,
}

#[derive(Deserialize)]
struct Labelled {
    trajectory_id: String,
    failures: Vec<Failure>,
}

/// How often signals hit.
#[derive(Default, Debug, PartialEq)]
struct Rates {
    signals: usize,
    true_signals: usize,
    failures: usize,
    found: usize,
    runs: usize,
}

impl Rates {
    fn row(&self, name: &str) -> String {
        let share = |of: usize, all: usize| match all {
            0 => "-".to_owned(),
            _ => format!("{:.3}", of as f64 / all as f64),
        };
        format!(
            "| {name} | {} | {} | {} | {:.2} |",
            self.signals,
            share(self.true_signals, self.signals),
            share(self.found, self.failures),
            (self.signals - self.true_signals) as f64 / self.runs.max(1) as f64
        )
    }
}

/// Messages that a signal may be away from a failure that it is about: the message that asks, and the one that answers.
const NEAR: usize = 1;

/// Rates of every kind and of all, over the labelled runs. A message's number counts from 1 with the request.
fn signal_rates() -> Vec<String> {
    let folder = real_data().join("agentrx");
    let labelled: Vec<Labelled> =
        serde_json::from_slice(&fs::read(folder.join("ground_truth.json")).unwrap()).unwrap();
    let mut kinds: BTreeMap<&str, Rates> = BTreeMap::new();
    for run in &labelled {
        let opened = store::open(&folder.join(format!("{}.json", run.trajectory_id))).unwrap();
        let observed = analysis::observe_run(&opened.archive, &opened.run);
        let found = signals::find_signals(&observed);
        let message = |step| {
            let at = observed.steps.iter().position(|it| it.id == step).unwrap();
            at + 2
        };
        let spans: Vec<(SignalKind, usize, usize)> =
            found.iter().map(|it| (it.kind, message(it.step), message(it.until))).collect();
        let is_near = |failure: &Failure, first: usize, last: usize| {
            (first.saturating_sub(NEAR)..=last + NEAR).contains(&failure.step_number)
        };
        let mut count = |name: &'static str, is_ours: &dyn Fn(SignalKind) -> bool| {
            let own: Vec<_> = spans.iter().filter(|(kind, ..)| is_ours(*kind)).collect();
            let rates = kinds.entry(name).or_default();
            rates.runs += 1;
            rates.signals += own.len();
            rates.failures += run.failures.len();
            let is_true = |(_, first, last): &&&(SignalKind, usize, usize)| {
                run.failures.iter().any(|failure| is_near(failure, *first, *last))
            };
            rates.true_signals += own.iter().filter(is_true).count();
            let is_found = |failure: &&Failure| {
                own.iter().any(|(_, first, last)| is_near(failure, *first, *last))
            };
            rates.found += run.failures.iter().filter(is_found).count();
        };
        for kind in SignalKind::ALL {
            count(kind.words(), &|other| other == kind);
        }
        count("~ all", &|_| true);
    }
    kinds
        .iter()
        .filter(|(_, rates)| rates.signals > 0)
        .map(|(name, rates)| rates.row(name))
        .collect()
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, the folder of real recordings"]
fn the_rates_on_labelled_runs_are_those_of_the_documentation() {
    let said = fs::read_to_string(project_path("docs/process.md")).unwrap();
    let missing: Vec<String> =
        signal_rates().into_iter().filter(|row| !said.contains(row)).collect();
    assert!(missing.is_empty(), "docs/process.md lacks\n{}", missing.join("\n"));
}

#[test]
fn results_of_the_benchmark_are_runs_with_their_scores_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let result = |task: &str, agent: &str, actions: &str| {
        let text = format!(
            "task_id: {task}\nagent_name: {agent}\ntotal_tokens: 0\nphases:\n- name: execution\n  actions:{actions}\n"
        );
        fs::write(folder.path().join(format!("{agent}_{task}.yaml")), text).unwrap();
    };
    let planned = "\n  - {type: plan_created, metadata: {file: /w/plan.md}}\n  - {type: test_written, metadata: {file: /w/test_a.py}}";
    result("t1", "Rigor", planned);
    result("t2", "Rigor", planned);
    result("t3", "Rigor", " []");
    result("t1", "Baseline", "\n  - {type: error_encountered, metadata: {error: x}}");
    result("t2", "Baseline", " null");
    let scores = "t1:\n  Rigor: {sc: 1.0, satisfied: 2, total: 2}\n  Baseline: {sc: 0.5, satisfied: 1, total: 2}\nt2:\n  Rigor: {sc: 0.5, satisfied: 1, total: 2}\n";
    fs::write(folder.path().join("sc_scores.yaml"), scores).unwrap();

    let path = folder.path().to_str().unwrap();
    let told = command_json(&["process", path, "--profile", "rigor-shipped", "--json"]);

    assert_eq!(told["runs"].as_array().unwrap().len(), 5);
    assert_eq!(told["ranking"][0]["harness"], "Agent-Rigor");
    assert_eq!(told["ranking"][0]["n"], 3);
    assert_eq!(told["grid"].as_array().unwrap().len(), 5);
    assert_eq!(told["outcomes"][0]["n"], 3);
    assert_eq!(told["scores"].as_array().unwrap().len(), 3);
    let weighed = command_json(&[
        "process",
        path,
        "--profile",
        "rigor-shipped",
        "--weights",
        "pf=-50",
        "--json",
    ]);
    assert_ne!(told["ranking"][0]["mean"], weighed["ranking"][0]["mean"]);
}

/// A checkout of the benchmark: results, scores beside them, and the folders that the agents left.
struct Checkout(tempfile::TempDir);

impl Checkout {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join("benchmark").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn result(&self, file: &str, task: &str, agent: &str, actions: &[&str]) {
        let action = |it: &&str| {
            format!(
                "\n  - {{type: {it}, metadata: {{file: /x/tasks/planning/{task}/repo_agentrigor/plan.md}}}}"
            )
        };
        let actions: String = match actions {
            [] => " []".into(),
            all => all.iter().map(action).collect(),
        };
        self.write(
            &format!("results/{file}_{task}.yaml"),
            &format!("task_id: {task}\nagent_name: {agent}\nrigor_enabled: false\nphases:\n- name: execution\n  actions:{actions}\n"),
        );
    }

    /// What `process` says of all results.
    fn process_json(&self, more: &[&str]) -> Value {
        let folder = self.0.path().join("benchmark/results");
        command_json(&[&["process", folder.to_str().unwrap(), "--json"], more].concat())
    }
}

fn run_of<'a>(told: &'a Value, file: &str) -> &'a Value {
    let mut runs = told["runs"].as_array().unwrap().iter();
    runs.find(|it| it["path"].as_str().unwrap().ends_with(file)).unwrap()
}

const SHIPPED: [&str; 2] = ["--profile", "rigor-shipped"];

#[test]
fn results_inside_their_checkout_are_scored_by_the_working_copies_as_the_released_scorer_does() {
    let checkout = Checkout::new();
    let copies = "tasks/planning/task_001_flask_auth";
    let one = "def test_a():\n    assert f() == 1\n";
    checkout.write(&format!("{copies}/repo_agentrigor/test_app.py"), one);
    checkout.write(&format!("{copies}/repo_agentrigor/tests/test_more.py"), &one.repeat(2));
    // The scorer reads this one of Superpowers, whatever the file is called.
    checkout.write(
        &format!("{copies}/repo_superpowers/test_app.py"),
        &one.replace("1\n", "1\n    assert g()\n"),
    );
    checkout.write(
        &format!("{copies}/repo_superpowersharness/test_app.py"),
        "def test_a():\n    pass\n",
    );
    checkout.write(&format!("{copies}/repo_baseline/app.py"), "x = 1\n");
    let task = "task_001_flask_auth";
    checkout.result("agentrigor", task, "Agent-Rigor", &[]);
    checkout.result("superpowersharness", task, "superpowersharness", &[]);
    checkout.result("baseline", task, "Baseline ReAct Harness", &[]);
    checkout.result("other", task, "ReAct-Harness", &[]);
    checkout.result("escape", "..", "baseline", &[]);

    let told = checkout.process_json(&SHIPPED);
    let tad = |file: &str| run_of(&told, file)["pillars"]["tad"].as_f64().unwrap();

    assert!((tad("agentrigor_task_001_flask_auth.yaml") - 0.2).abs() < 1e-12);
    assert!((tad("superpowersharness_task_001_flask_auth.yaml") - 0.4).abs() < 1e-12);
    assert_eq!(tad("baseline_task_001_flask_auth.yaml"), 0.5, "no test file");
    assert_eq!(tad("other_task_001_flask_auth.yaml"), 0.5, "no folder of that agent");
    assert_eq!(run_of(&told, "escape_...yaml")["working_copy"], Value::Null);
    let copy =
        run_of(&told, "agentrigor_task_001_flask_auth.yaml")["working_copy"].as_str().unwrap();
    assert!(copy.ends_with("planning/task_001_flask_auth/repo_agentrigor"), "{copy}");
}

#[test]
fn by_the_paper_a_stub_is_no_plan_and_code_without_tests_has_density_0() {
    let checkout = Checkout::new();
    let plan = |task: &str, text: &str| {
        let copy = format!("tasks/planning/{task}/repo_agentrigor");
        checkout.write(&format!("{copy}/plan.md"), text);
        checkout.write(&format!("{copy}/app.py"), "def login():\n    return 1\n");
        checkout.result("agentrigor", task, "agentrigor", &["plan_created"]);
    };
    plan(
        "task_001_flask_auth",
        "# Plan\n1. Hash the passwords of users\n2. Authenticate every route of the API\n",
    );
    plan(
        "task_002_flask_auth",
        "# Auth plan: todo\n\n\n                                                        \n",
    );
    plan("task_003_flask_auth", &"Lorem ipsum dolor sit amet, consectetur. ".repeat(3));
    checkout.result("agentrigor", "task_004_flask_auth", "agentrigor", &["plan_created"]);

    let told = checkout.process_json(&[]);
    let parts = |task: &str| {
        let path = run_of(&told, task)["path"].as_str().unwrap().to_owned();
        let one = command_json(&["process", &path, "--json"]);
        let pillars = one["profiles"][0]["pillars"].clone();
        let part = |pillar: usize| pillars[pillar]["parts"][0]["value"].clone();
        (part(0), part(5))
    };

    assert_eq!(parts("task_001_flask_auth.yaml"), (1.0.into(), 0.0.into()));
    assert_eq!(parts("task_002_flask_auth.yaml"), (0.0.into(), 0.0.into()), "too short");
    assert_eq!(parts("task_003_flask_auth.yaml"), (0.0.into(), 0.0.into()), "of something else");
    // Neither its plan nor its code is known.
    assert_eq!(parts("task_004_flask_auth.yaml"), (Value::Null, Value::Null));
}

#[test]
fn spellings_of_a_harness_are_one_the_outcome_file_is_named_and_the_tables_of_the_paper_come_out() {
    let checkout = Checkout::new();
    for (file, task, agent, actions) in [
        ("agentrigor", "t1", "Agent-Rigor", &["plan_created", "checkpoint_validated"][..]),
        ("agentrigor", "t2", "agentrigor", &["plan_created"]),
        ("agentskills", "t1", "Agent-Skills", &["file_read"]),
        ("agentskills", "t2", "agent_skills", &["file_modified"]),
        ("baseline", "t1", "Baseline", &[]),
        ("baseline", "t2", "ReAct-Harness", &["error_encountered"]),
    ] {
        checkout.result(file, task, agent, actions);
    }
    checkout.result("one", "trajectory", "baseline", &[]);
    let scores = |rows: &[(&str, &str, f64)]| -> String {
        let row = |(task, harness, sc): &(&str, &str, f64)| {
            format!("{task}:\n  {harness}: {{sc: {sc:?}, satisfied: 1, total: 2}}\n")
        };
        rows.iter().map(row).collect()
    };
    checkout.write(
        "results/sc_scores.yaml",
        &scores(&[("t1", "Agent-Rigor", 0.25), ("t2", "baseline", 0.5)]),
    );
    checkout.write(
        "results/sc_scores_all.yaml",
        &scores(&[("t1", "agentrigor", 0.75), ("t2", "baseline", 0.5)]),
    );
    checkout.write("results/cbs_scores.yaml", "t9:\n  baseline: {score: 1.0, behavior: asked}\n");

    let told = checkout.process_json(&SHIPPED);

    let harnesses: Vec<(&str, u64)> = told["overall"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["harness"].as_str().unwrap(), it["rigor_score"]["n"].as_u64().unwrap()))
        .collect();
    assert_eq!(harnesses, [("Agent-Rigor", 2), ("Agent-Skills", 2), ("Baseline ReAct", 2)]);
    let file = &told["outcome_file"];
    assert!(file["file"].as_str().unwrap().ends_with("results/sc_scores_all.yaml"));
    assert_eq!(file["why"], "the source of the released tables");
    assert_eq!((&file["in_several"], &file["differ"]), (&2.into(), &1.into()));
    let first = run_of(&told, "agentrigor_t1.yaml");
    assert_eq!((&first["outcome"], &first["harness"]), (&0.75.into(), &"Agent-Rigor".into()));
    let other = checkout.0.path().join("benchmark/results/sc_scores.yaml");
    let other = checkout.process_json(&["--outcome", other.to_str().unwrap()]);
    assert_eq!(run_of(&other, "agentrigor_t1.yaml")["outcome"], 0.25);

    // (0.9 + 0.9) / 2 against the mean of the means of the others, which have no plan: 0.2.
    let planning = &told["by_condition"][0];
    assert_eq!((&planning["pillar"], &planning["baseline"]), (&"pf".into(), &0.2.into()));
    assert_eq!(
        (&planning["disciplined"], told["by_condition"].as_array().unwrap().len()),
        (&0.9.into(), 7)
    );
    let folder = checkout.0.path().join("benchmark/results");
    let ran = run_cli(&["process", folder.to_str().unwrap(), "--profile", "rigor-shipped"]);
    for title in
        ["Table III", "Table IV", "Table V", "1 of 2 scores that several of them have differ"]
    {
        assert!(ran.out.contains(title), "{title}: {}", ran.out);
    }
    assert!(ran.err.contains("excluded, as in the benchmark's scripts"), "{}", ran.err);
}

#[test]
fn a_file_that_tells_of_no_step_has_no_score() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.yaml");
    fs::write(&path, "task_id: t\nphases:\n- name: [x\n").unwrap();

    let told = command_json(&["process", path.to_str().unwrap(), "--json"]);

    let paper = &told["profiles"][0];
    assert_eq!((&paper["profile"], &paper["rigor_score"]), (&"rigor-paper".into(), &Value::Null));
    assert!(paper["pillars"].as_array().unwrap().iter().all(|it| it["value"].is_null()));
}

#[test]
fn two_runs_of_a_task_part_at_a_step() {
    let pair = ["sample-runs/codex-p12-single-shot", "sample-runs/codex-p12"];

    let told = command_json(&["process", pair[0], pair[1], "--json"]);
    let same = command_json(&["process", pair[1], pair[1], "--json"]);

    assert!(told["divergence"]["a"].is_string(), "{}", told["divergence"]);
    assert!(told["divergence"]["alike_after"].as_f64().unwrap() < 0.5);
    assert_eq!(same["divergence"], Value::Null);
}

#[test]
fn weights_and_profiles_that_are_none_are_refused() {
    for wrong in [["--weights", "pf=80"], ["--weights", "xx=10"], ["--profile", "paper"]] {
        let ran = run_cli(&["process", "sample-runs/codex-p12", wrong[0], wrong[1]]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
}

#[test]
fn show_tells_of_the_process_where_it_is_asked_to() {
    let told = command_json(&["show", "sample-runs/codex-p12", "--process", "--json"]);
    assert_eq!(told["process"]["profile"], "rigor-paper");
    assert_eq!(told["process"]["signals"], 4);
    assert_eq!(told["signals"][0]["step"], "42.5");
    let turn =
        command_json(&["show", "sample-runs/codex-p12", "--turn", "46", "--process", "--json"]);
    assert_eq!(turn["signals"].as_array().unwrap().len(), 2);
    let plain = command_json(&["show", "sample-runs/codex-p12", "--json"]);
    assert!(plain.get("process").is_none() && plain.get("signals").is_none());
}
