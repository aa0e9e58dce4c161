//! Numbers of several judges: pooled scores, blockers, reasons for no score, and panels that are asked at once.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::common::{
    judge_desk::{Desk, run_command},
    judge_server::{Server, able_reply},
    judged::judged_sample,
    project_path, run_cli,
};

fn json_of(arguments: &[&str]) -> Value {
    let ran = run_cli(arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// By component, in the order of the files.
fn scores_in(bundle: &Path, files: &Value) -> BTreeMap<String, Vec<f64>> {
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for file in files.as_array().unwrap() {
        let text = fs::read_to_string(bundle.join(file.as_str().unwrap())).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        for row in document["scores"].as_array().unwrap() {
            if let Some(score) = row["score"].as_f64() {
                all.entry(row["component"].as_str().unwrap().into()).or_default().push(score);
            }
        }
    }
    all
}

fn mean_value(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn is_near(told: &Value, expected: f64) {
    assert!((told.as_f64().unwrap() - expected).abs() < 1e-9, "{told} is not {expected}");
}

#[test]
fn the_scores_of_several_judges_are_pooled_and_it_is_said_of_how_many() {
    let folder = judged_sample();
    let bundle = folder.path().join("codex-p12");
    let run = bundle.to_str().unwrap();

    let told = json_of(&["score", run, "--judge", "pooled:mean", "--json"]);

    let row = &told["faithfulness"];
    let pooled = &row["judgement"]["pooled"];
    assert_eq!(
        (&row["judge"], &row["judgement"]["kind"]),
        (&json!("pooled:mean"), &json!("pooled"))
    );
    assert_eq!((&pooled["how"], &pooled["count"]), (&json!("mean"), &json!(4)));
    let scores = scores_in(&bundle, &pooled["files"]);
    let each: Vec<f64> = scores.values().map(|scores| mean_value(scores.iter().copied())).collect();
    is_near(&row["mcf"], mean_value(each.iter().copied()));
    let severe = each.iter().filter(|score| **score <= 1.0).count();
    assert_eq!(row["severe"], json!(severe));

    let text = run_cli(&["score", run, "--judge", "pooled:median"]).out;
    let said = "24 of 24 components judged by pooled:median (median of 4: ";
    assert!(text.contains(said) && text.contains("second-reader, reader)"), "{text}");
}

#[test]
fn without_a_strict_majority_there_is_no_score_and_that_is_no_failure() {
    let folder = judged_sample();
    let run = folder.path().join("codex-p12");
    let run = run.to_str().unwrap();

    let told = json_of(&["score", run, "--judge", "pooled:majority", "--json"]);

    let row = &told["faithfulness"];
    let open = row["without_need"].as_array().unwrap();
    assert!(!open.is_empty() && row["without_score"] == json!([]), "{row}");
    assert!(open[0]["why"].as_str().unwrap().starts_with("no strict majority: "), "{open:?}");
    assert_eq!(row["judged"].as_u64().unwrap() as usize + open.len(), 24);
    let text = run_cli(&["score", run, "--judge", "pooled:majority"]).out;
    assert!(text.contains("not scored: C"), "{text}");
}

#[test]
fn repeats_of_one_judge_are_pooled_and_what_cannot_be_is_a_sentence() {
    let folder = judged_sample();
    let run = folder.path().join("codex-p12");
    let run = run.to_str().unwrap();

    let told = json_of(&["score", run, "--judge", "pooled:mean:reader", "--json"]);
    let pooled = &told["faithfulness"]["judgement"]["pooled"];
    assert!(pooled["judges"].as_array().unwrap().iter().all(|it| it == "reader"), "{pooled}");
    assert!(pooled["count"].as_u64().unwrap() >= 2, "{pooled}");

    let error = |word: &str| {
        let ran = run_cli(&["score", run, "--judge", word]);
        assert_eq!(ran.code, Some(2), "{}", ran.out);
        ran.err
    };
    assert!(error("pooled:mode").contains("expected one of pooled:mean, pooled:median"));
    assert!(error("pooled:mean:nobody").contains("no judge is called \"nobody\""));
    assert!(error("pooled:mean:second-reader").contains("nothing to pool"));
}

#[test]
fn pooled_scores_are_compared_and_are_rows_of_a_corpus() {
    let folder = judged_sample();
    let run = folder.path().join("codex-p12");
    let other = project_path("sample-runs/codex-p12-single-shot");
    let (run, other) = (run.to_str().unwrap(), other.to_str().unwrap());

    let compared = json_of(&["compare", run, other, "--judge", "pooled:mean", "--json"]);
    let text = run_cli(&["compare", run, other, "--judge", "pooled:mean"]).out;
    let corpus =
        json_of(&["corpus", folder.path().to_str().unwrap(), "--judge", "pooled:mean", "--json"]);

    let judged = &compared["runs"][0]["judgement"];
    assert_eq!(judged["judge"], "pooled:mean");
    assert!(judged["pooled"].as_str().unwrap().starts_with("mean of 4: "), "{judged}");
    assert_eq!(compared["runs"][1]["judgement"], Value::Null);
    assert!(text.contains("pooled:mean of 4 at turn 56"), "{text}");
    assert_eq!(corpus["runs"][0]["judge"], "pooled:mean");
    let scored = json_of(&["score", run, "--judge", "pooled:mean", "--json"]);
    is_near(&corpus["runs"][0]["mcf"], scored["faithfulness"]["mcf"].as_f64().unwrap());
}

#[test]
fn a_run_is_shown_with_the_number_of_its_judge() {
    let folder = judged_sample();
    let run = folder.path().join("codex-p12");
    let run = run.to_str().unwrap();

    let shown = json_of(&["show", run, "--judge", "pooled:mean", "--json"]);
    let text = run_cli(&["show", run, "--judge", "authors-reading"]).out;

    let row = &shown["faithfulness"];
    let scored = json_of(&["score", run, "--judge", "pooled:mean", "--json"]);
    is_near(&row["mcf"], scored["faithfulness"]["mcf"].as_f64().unwrap());
    assert!(row["pooled"].as_str().unwrap().starts_with("mean of 4: "), "{row}");
    assert_eq!((&row["judge"], &row["turn"]), (&json!("pooled:mean"), &json!(56)));
    assert!(
        text.contains("MCF 3.125 of 24 components, judged by authors-reading at turn 56\n"),
        "{text}"
    );
    let nobody = run_cli(&["show", run, "--judge", "nobody"]);
    assert_eq!(nobody.code, Some(2), "{}", nobody.err);
}

#[test]
fn a_run_that_nobody_judged_says_so_and_has_no_number() {
    let folder = judged_sample();
    let bundle = folder.path().join("codex-p12");
    fs::remove_dir_all(bundle.join("judgements")).unwrap();
    let run = bundle.to_str().unwrap();

    let row = &json_of(&["show", run, "--json"])["faithfulness"];
    assert_eq!((&row["mcf"], &row["judge"]), (&Value::Null, &Value::Null));
    assert_eq!(row["not_defined"], "no judgements of this run");
    let text = run_cli(&["show", run]).out;
    assert!(text.contains("MCF -: no judgements of this run\n"), "{text}");
    let plain = run_cli(&["show", "sample-runs/claude-code"]).out;
    assert!(!plain.contains("MCF"), "{plain}");
}

/// The sample with a change to its checklist and to the authors' judgement of its end.
fn changed_bundle(change: impl Fn(&mut Value, &mut Value)) -> tempfile::TempDir {
    let folder = judged_sample();
    let bundle = folder.path().join("codex-p12");
    let read = |path: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(bundle.join(path)).unwrap()).unwrap()
    };
    let (mut checklist, mut judgement) =
        (read("components.json"), read("judgements/human-final.json"));
    change(&mut checklist, &mut judgement);
    fs::write(bundle.join("components.json"), checklist.to_string()).unwrap();
    fs::write(bundle.join("judgements/human-final.json"), judgement.to_string()).unwrap();
    folder
}

#[test]
fn a_blocker_that_fails_caps_the_mean_and_both_are_shown() {
    let folder = changed_bundle(|checklist, judgement| {
        checklist["components"][0]["blocker"] = json!({"at_most": 1, "caps": 1.5});
        checklist["components"][1]["blocker"] = json!({"caps": 0});
        judgement["scores"][0]["score"] = json!(1);
        judgement["scores"][0]["label"] = json!("Wrong");
        judgement["scores"][1]["score"] = json!(3);
        judgement["scores"][1]["label"] = json!("Equivalent");
    });
    let run = folder.path().join("codex-p12");
    let run = run.to_str().unwrap();

    let told = json_of(&["score", run, "--judge", "authors-reading", "--json"]);
    let text = run_cli(&["score", run, "--judge", "authors-reading"]).out;
    let checked = run_cli(&["check", run]);

    let row = &told["faithfulness"];
    assert!(row["mcf"].as_f64().unwrap() > 1.5 && row["mcf_capped"] == json!(1.5), "{row}");
    assert_eq!(
        row["blocked_by"],
        json!([{"component": "C01", "score": 1.0, "cap": 1.5, "weight": 1.0, "of": []}])
    );
    assert!(text.contains("C01 fails with 1: the mean at most 1.5"), "{text}");
    assert!(!checked.out.contains("blocker"), "{}", checked.out);
    let plain = json_of(&["score", "sample-runs/codex-p12", "--json"]);
    assert_eq!(plain["faithfulness"]["mcf_capped"], Value::Null);

    let other = "sample-runs/codex-p12-single-shot";
    let compare = |more: &[&str]| {
        run_cli(&[&["compare", run, other, "--rules", "none", "--resamples", "0"], more].concat())
            .out
    };
    assert!(compare(&[]).contains("MCF with blockers"), "{}", compare(&[]));
    assert!(compare(&["--csv"]).contains("\nnumber,mcf_capped,MCF with blockers,1.5,"));
    let corpus = ["corpus", folder.path().to_str().unwrap(), "--rules", "none", "--csv"];
    assert!(run_cli(&corpus).out.contains(",mcf,mcf_capped,dir,"));
    let shown = json_of(&["show", run, "--judge", "authors-reading", "--json"]);
    assert_eq!(shown["faithfulness"]["mcf_capped"], json!(1.5));
    let unblocked =
        run_cli(&["compare", "sample-runs/codex-p12", other, "--rules", "none", "--csv"]);
    assert!(!unblocked.out.contains("mcf_capped"), "{}", unblocked.out);
}

#[test]
fn a_reason_for_no_score_is_counted_apart_from_failures() {
    let folder = changed_bundle(|_, judgement| {
        let without = |row: &mut Value, name: &str, why: &str| {
            row["score"] = Value::Null;
            row["label"] = Value::Null;
            row[name] = json!(why);
        };
        without(&mut judgement["scores"][2], "reason", "not applicable");
        without(&mut judgement["scores"][3], "error", "timed out");
    });
    let run = folder.path().join("codex-p12");
    let run = run.to_str().unwrap();

    let told = json_of(&["score", run, "--judge", "human-final", "--json"]);
    let text = run_cli(&["score", run, "--judge", "human-final"]).out;

    let row = &told["faithfulness"];
    assert_eq!(row["judged"], 22);
    assert_eq!(row["without_need"], json!([{"component": "C03", "why": "not applicable"}]));
    assert_eq!(row["without_score"], json!([{"component": "C04", "why": "timed out"}]));
    assert!(text.contains("not scored: C03: not applicable\n"), "{text}");
    assert!(text.contains("no score for C04: timed out\n"), "{text}");
    assert!(!run_cli(&["check", run]).out.contains("scores[2]"));
}

/// Two judges called `stub` and `other` on one server, with prices.
fn judge_panel(server: &Server) -> Desk {
    let judge = |name: &str| {
        format!(
            "[judges.{name}]\nkind = \"chat\"\nmodel = \"m-1\"\nbase_url = \"{}\"\nkey_env = \"STUB_KEY\"\n\
             backoff = 0.01\nprice_input = 1.0\nprice_output = 10.0\n",
            server.url()
        )
    };
    Desk::new(&(judge("stub") + &judge("other")))
}

const TWO: [&str; 4] = ["--judge", "other", "--components", "C01,C07"];

#[test]
fn several_judges_are_asked_and_each_keeps_a_file_of_its_own() {
    let server = Server::new(able_reply);
    let desk = judge_panel(&server);

    let told = desk.judge(&[&TWO[..], &["--json"]].concat());

    assert_eq!(told.code, Some(0), "{}", told.err);
    let json: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(json["schema"], "trajview.judge-panel/1");
    let of = |at: usize| (&json["states"][at]["judge"]["name"], &json["states"][at]["finished"]);
    assert_eq!([of(0), of(1)], [(&json!("stub"), &json!(true)), (&json!("other"), &json!(true))]);
    assert!(json["spent_usd"].as_f64().unwrap() > 0.0, "{json}");
    assert_eq!(desk.names().len(), 2);
    assert!(told.err.contains("stub: ") && told.err.contains("other: "), "{}", told.err);
    let pooled =
        json_of(&["score", desk.run().to_str().unwrap(), "--judge", "pooled:mean", "--json"]);
    assert_eq!(pooled["faithfulness"]["judgement"]["pooled"]["count"], 2);
}

#[test]
fn one_bound_holds_for_all_judges_and_a_panel_is_gone_on_with() {
    let server = Server::new(able_reply);
    let desk = judge_panel(&server);

    let dear = desk.judge(&[&TWO[..], &["--max-cost", "0.000001"]].concat());
    assert_eq!(dear.code, Some(1), "{}", dear.err);
    assert!(dear.err.contains("stops at the cost bound of all judges of 0.00 USD"), "{}", dear.err);
    assert_eq!(server.seen_requests().len(), 0, "nothing was asked");

    let resumed = desk.judge(&[&TWO[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert_eq!(desk.names().len(), 2, "the files of before");
    assert!(
        resumed.out.contains("stub after turn 56") && resumed.out.contains("other after turn 56")
    );

    let plan = desk.judge(&[&TWO[..], &["--max-cost", "2.5", "--dry-run"]].concat());
    assert!(plan.out.contains("Cost of all judges: at most 2.50 USD."), "{}", plan.out);
}

#[cfg(unix)]
#[test]
fn judges_of_a_panel_work_at_the_same_time() {
    // Each waits until both are there.
    let script = "dir=$(dirname \"$0\")/here\nmkdir -p \"$dir\"\n: > \"$dir/$$\"\ncat > /dev/null\ncount=0\n\
         while [ \"$(ls \"$dir\" | wc -l)\" -lt 2 ] && [ $count -lt 200 ]; do sleep 0.05; count=$((count + 1)); done\n\
         [ $count -lt 200 ] && echo '{\"level\": 3, \"rationale\": \"both are here\", \"evidence\": []}'\n";
    let desk = crate::common::decided::judged_by(script);

    let mut command = desk.command(&["--judge", "other", "--components", "C01"]);
    let told = run_command(&mut command);

    assert_eq!(told.code, Some(0), "{}{}", told.out, told.err);
    assert_eq!(desk.names().len(), 2);
    let bound = desk.judge(&["--judge", "other", "--components", "C01", "--max-cost", "1"]);
    assert!(bound.err.contains("--max-cost cannot limit judge stub"), "{}", bound.err);
}
