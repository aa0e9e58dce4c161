//! Decisions: retrieval against the reference's own vectors, the lane over a run, Continuity's result files.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::{Value, json};
use trajview::{
    layers::continuity,
    metrics::decisions::{
        ranking::DecisionIndex, retrieval_key, retrieval_quality::RetrievalQuality,
    },
    store::decisions,
};

use crate::common::{real_data, run_cli};

#[derive(Deserialize)]
struct Fixture {
    cases: Vec<Case>,
    full: Rates,
    keyed: Rates,
}

#[derive(Deserialize)]
struct Case {
    prompt: String,
    gold: String,
    key: String,
    full: Vec<String>,
    keyed: Vec<String>,
}

#[derive(Deserialize)]
struct Rates {
    mrr: f64,
    hit1: f64,
    hit3: f64,
    hit5: f64,
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, the folder of real recordings"]
fn keys_rankings_and_rates_are_those_of_the_reference() {
    let data = real_data();
    let text = fs::read(data.join("vectors/decision-retrieval.json")).unwrap();
    let fixtures: BTreeMap<String, Fixture> = serde_json::from_slice(&text).unwrap();
    for (name, fixture) in &fixtures {
        let store =
            decisions::read_store(&data.join(format!("continuity/{name}/decisions.json"))).unwrap();
        let index = DecisionIndex::new(&store);
        let ids = |text: &str| -> Vec<String> {
            index.find_decisions(text).into_iter().map(|it| it.decision.id.clone()).collect()
        };
        let (mut full, mut keyed) = (vec![], vec![]);
        for case in &fixture.cases {
            assert_eq!(
                retrieval_key::key_of_text(&case.prompt),
                case.key,
                "{name}: {}",
                case.prompt
            );
            // The layer tells the same ones, those that hold no more after the others.
            let told = continuity::matching_decisions(&store, &[], &case.prompt);
            let (past, holding): (Vec<_>, Vec<_>) =
                index.find_decisions(&case.key).into_iter().partition(|it| it.decision.is_past());
            assert_eq!(told, [holding, past].concat(), "{name}: {}", case.prompt);
            for (text, wanted, ranks) in
                [(&case.prompt, &case.full, &mut full), (&case.key, &case.keyed, &mut keyed)]
            {
                let found = ids(text);
                assert_eq!(&found[..found.len().min(10)], wanted, "{name}: {text}");
                ranks.push(found.iter().position(|id| *id == case.gold).map(|at| at + 1));
            }
        }
        for (ranks, theirs) in [(full, &fixture.full), (keyed, &fixture.keyed)] {
            let ours = RetrievalQuality::from_ranks(&ranks);
            let pairs = [
                (ours.mrr, theirs.mrr),
                (ours.hit1, theirs.hit1),
                (ours.hit3, theirs.hit3),
                (ours.hit5, theirs.hit5),
            ];
            for (ours, theirs) in pairs {
                assert!((ours.unwrap() - theirs).abs() < 1e-9, "{name}: {ours:?} {theirs}");
            }
        }
    }
}

fn json_of(arguments: &[&str]) -> Value {
    let ran = run_cli(arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn write_json(folder: &Path, name: &str, value: &Value) -> String {
    let path = folder.join(name);
    fs::write(&path, value.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_text_is_asked_with_its_key_or_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = write_json(
        folder.path(),
        "decisions.json",
        &json!([
            {"id": "logs", "question": "Why Pino?", "answer": "Pino logs fast", "status": "superseded"},
            {"id": "queue", "question": "Why BullMQ?", "answer": "a queue with Pino logs"}
        ]),
    );

    let told = json_of(&[
        "decisions",
        "--decisions",
        &store,
        "--ask",
        "please add Pino here",
        "--keyed",
        "--json",
    ]);

    assert_eq!(told["key"], "Pino");
    let ids: Vec<&str> =
        told["matches"].as_array().unwrap().iter().filter_map(|it| it["id"].as_str()).collect();
    assert_eq!(ids, ["queue", "logs"]);
    assert_eq!(told["matches"][1]["status"], "superseded");
}

#[test]
fn retrieval_is_measured_where_the_right_decision_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let store = write_json(
        folder.path(),
        "decisions.json",
        &json!([{"id": "a", "answer": "kafka"}, {"id": "b", "answer": "postgres"}]),
    );
    let gold = write_json(
        folder.path(),
        "gold.json",
        &json!([{"prompt": "Kafka or not", "gold": "a"}, {"prompt": "nothing", "gold": "b"}]),
    );

    let told = json_of(&["decisions", "--decisions", &store, "--gold", &gold, "--json"]);

    assert_eq!(told["full"]["n"], 2);
    assert_eq!(told["full"]["mrr"], 0.5);
    assert_eq!(told["prompts"][1]["rank_full"], Value::Null);
}

#[test]
fn decisions_drawn_from_a_run_are_a_store_that_can_be_laid_over_it() {
    let run = "sample-runs/codex-p12";
    let drawn = run_cli(&["decisions", run, "--extract"]);
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("decisions.json");
    fs::write(&store, &drawn.out).unwrap();

    let lane = json_of(&["decisions", run, "--decisions", store.to_str().unwrap(), "--json"]);

    assert!(lane["decisions"].as_u64().unwrap() > 5, "{lane}");
    let steps = lane["steps"].as_array().unwrap();
    assert!(!steps.is_empty());
    // What a request of the run itself lays down was shown with it.
    let applied = steps.iter().flat_map(|row| row["decisions"].as_array().unwrap());
    assert!(applied.clone().any(|it| it["shown"] == true));
    assert!(applied.clone().all(|it| it["kept"].is_null()));
}

#[test]
fn result_files_are_tables_and_what_does_not_add_up_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let row = |condition: &str, id: usize, score: f64| json!({"condition": condition, "actionId": format!("a{id}"), "judgeScore": score});
    let rows: Vec<Value> = (0..6)
        .flat_map(|id| [row("none", id, 3.0), row("memory", id, 7.0 + id as f64 / 2.0)])
        .collect();
    let alignment = write_json(
        folder.path(),
        "action-alignment.json",
        &json!({"results": rows, "summaries": [{"condition": "none", "meanScore": 4.0}]}),
    );
    let told = json_of(&["decisions", &alignment, "--json"]);
    assert_eq!(told["conditions"][1]["mean"], 3.0);
    assert_eq!(told["tests"][0]["n"], 6);
    assert_eq!(told["tests"][0]["p"], 0.03125);
    assert_eq!(told["tests"][0]["p_by"], "exact");
    assert_eq!(told["does_not_add_up"].as_array().unwrap().len(), 1);

    let question = |session: usize, score: f64| json!({"sessionIdx": session, "questionId": "q", "score": score});
    let recall = write_json(
        folder.path(),
        "recall-over-time.json",
        &json!({"conditions": [{"condition": "a", "perQuestion": [question(0, 0.9), question(1, 0.5)], "meanAcrossSessions": 0.7}]}),
    );
    let told = json_of(&["decisions", &recall, "--json"]);
    assert_eq!(told["sessions"][1]["mean"], 0.5);
    let table = run_cli(&["decisions", &recall]).out;
    assert!(table.contains("curve") && table.contains("█▄"), "{table}");
    assert_eq!(told["does_not_add_up"], json!([]));

    let pair = |a: u8, b: u8| json!({"sonnet_score": a, "gemini_score": b});
    let judges = write_json(
        folder.path(),
        "inter-judge.json",
        &json!({"pairs": [pair(8, 8), pair(7, 8), pair(3, 2), pair(9, 9)]}),
    );
    let told = json_of(&["decisions", &judges, "--json"]);
    assert_eq!((&told["judges"]["exact"], &told["judges"]["within_1"]), (&json!(0.5), &json!(1.0)));
}

#[test]
fn answers_of_a_judge_that_could_not_be_read_are_no_scores() {
    let folder = tempfile::tempdir().unwrap();
    let row = |id: usize, score: f64| json!({"condition": "none", "actionId": format!("A{id}"), "judgeScore": score});
    let summary = |median: f64| json!({"condition": "none", "meanScore": 4.75, "medianScore": median, "minScore": 0, "maxScore": 9, "count": 4});
    let file = |name: &str, median: f64| {
        let rows = [row(1, 0.0), row(2, 4.0), row(3, 6.0), row(4, 9.0)];
        let document =
            json!({"actionsPerCondition": 4, "results": rows, "summaries": [summary(median)]});
        write_json(folder.path(), name, &document)
    };

    let told = json_of(&["decisions", &file("action-alignment.json", 5.0), "--json"]);

    let condition = &told["conditions"][0];
    assert_eq!((&condition["n"], &condition["failed"]), (&json!(3), &json!(1)));
    assert_eq!((&condition["median"], &condition["recorded_mean"]), (&json!(6.0), &json!(4.75)));
    assert_eq!(told["does_not_add_up"], json!([]));
    let notes = told["notes"].to_string();
    assert!(notes.contains("without them it is 6.3333"), "{notes}");

    let wrong = json_of(&["decisions", &file("other-alignment.json", 7.0), "--json"]);
    let complaint = "none: the file states a median 7, its rows give 6";
    assert_eq!(wrong["does_not_add_up"], json!([complaint]));
}

#[test]
fn a_stated_drift_and_the_summaries_of_sessions_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let question = |session: usize, score: f64| json!({"sessionIdx": session, "questionId": "q", "score": score});
    let summary = |median: f64, count: usize| json!({"mean": 0.9, "median": median, "min": 0.9, "max": 0.9, "count": count, "fractionAbove070": 1});
    let condition = |drift: f64, median: f64, count: usize| {
        json!({"sessions": 2, "conditions": [{"condition": "a", "perQuestion": [question(0, 0.9), question(1, 0.5)],
            "sessionSummaries": [{"sessionIdx": 0, "summary": summary(median, count)}], "meanAcrossSessions": 0.7, "driftSlope": drift}]})
    };
    let of = |document: &Value| {
        let path = write_json(folder.path(), "recall-over-time.json", document);
        json_of(&["decisions", &path, "--json"])
    };

    assert_eq!(of(&condition(-0.4, 0.9, 1))["does_not_add_up"], json!([]));
    let wrong = of(&condition(0.4, 0.8, 3));
    assert_eq!(
        wrong["does_not_add_up"],
        json!([
            "a, session 0: the file states a median 0.8, its rows give 0.9",
            "a, session 0: the file states a count 3, its rows give 1",
            "a: the file states a drift 0.4, its rows give -0.4"
        ])
    );
}

#[test]
fn the_agreement_that_a_file_states_of_two_judges_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let pair = |a: u8, b: u8| json!({"sonnet_score": a, "gemini_score": b});
    let pairs = [pair(8, 8), pair(7, 8), pair(3, 2), pair(9, 9), pair(5, 0)];
    let of = |stats: Value| {
        let document = json!({"n": 5, "pairs": pairs, "stats": stats});
        let path = write_json(folder.path(), "inter-judge.json", &document);
        json_of(&["decisions", &path, "--json"])
    };

    let right = of(json!({"n": 4, "sonnet_mean": 6.75, "gemini_mean": 6.75}));
    assert_eq!((&right["judges"]["n"], &right["judges"]["failed"]), (&json!(4), &json!(1)));
    assert_eq!(right["does_not_add_up"], json!([]));
    let levels = right["judges"]["kappa_linear_of_levels"].as_f64().unwrap();
    let told = of(json!({"cohens_kappa_linear": levels}));
    assert_eq!(told["does_not_add_up"], json!([]));
    assert!(told["notes"].to_string().contains("over the levels that occur"), "{told}");

    let wrong = of(json!({"n": 5, "spearman_rho": 0.1, "cohens_kappa_linear": 0.123}));
    assert_eq!(wrong["does_not_add_up"].as_array().unwrap().len(), 2, "{wrong}");
    assert!(wrong["notes"].to_string().contains("n of 5 includes unreadable answers"), "{wrong}");
}

#[test]
fn a_run_without_a_store_says_what_to_do() {
    let ran = run_cli(&["decisions", "sample-runs/codex-p12"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--decisions") && ran.err.contains("--extract"), "{}", ran.err);
}
