//! What a memory gave the agent: cards against the files over time, sums, results of PaperGuru and SurveyBench.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::common::{cli_json, cli_text, remembered, run_cli};

fn made_bundle() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    remembered::make_bundle(folder.path());
    folder
}

fn memory_json(folder: &Path, more: &[&str]) -> Value {
    let arguments = ["memory", folder.to_str().unwrap(), "--json"];
    cli_json(&[&arguments[..], more].concat())
}

/// Of each card its id, its state when given and at the moment that was asked for.
fn card_states(document: &Value) -> Vec<[&str; 3]> {
    let cards = document["cards"].as_array().unwrap().iter();
    cards.map(|it| ["id", "when_given", "state"].map(|key| it[key].as_str().unwrap())).collect()
}

#[test]
fn cards_are_current_moved_stale_or_unknown_when_given_and_at_a_moment() {
    let folder = made_bundle();

    let last = memory_json(folder.path(), &[]);

    assert_eq!(
        card_states(&last),
        [
            ["k1", "current", "stale"], // f was changed in turn 4
            ["k2", "moved", "stale"],   // g stands further down, the file of its limit is gone
            ["k3", "stale", "stale"],   // the file was gone when it was given
            ["k4", "moved", "moved"],   // the file has another name
            ["k5", "unknown", "unknown"],
        ]
    );
    assert_eq!(
        card_states(&memory_json(folder.path(), &["--at", "2"]))[1],
        ["k2", "moved", "moved"]
    );
    let limit = &last["cards"][1]["spans"][1];
    assert_eq!(
        (&limit["when_given"]["state"], &limit["state"]["is_gone"]),
        (&json!("current"), &json!(true))
    );
    let renamed = &last["cards"][3]["spans"][0]["state"];
    assert_eq!((&renamed["path"], &renamed["line"]), (&json!("new.py"), &json!(1)));
    let cited: Vec<&Value> =
        last["cards"].as_array().unwrap().iter().map(|it| &it["spans"][0]["cited"]).collect();
    assert_eq!(cited, [1, 1, 2, 1, 3]);
}

#[test]
fn rates_are_of_the_cards_with_known_files_and_null_where_there_are_none() {
    let folder = made_bundle();

    let told = memory_json(folder.path(), &[]);

    let turns = told["turns"].as_array().unwrap();
    let of = |key: &str| -> Vec<Value> { turns.iter().map(|turn| turn[key].clone()).collect() };
    assert_eq!(of("stale_when_given"), [json!(null), json!(0.0), json!(0.0), json!(0.5)]);
    assert_eq!(of("stale"), [json!(null), json!(0.0), json!(0.5), json!(0.75)]);
    assert_eq!((&told["stale_when_given"], &told["stale"]), (&json!(0.25), &json!(0.75)));
    assert_eq!(turns[1]["cost"], json!({"tokens": 240, "seconds": 0.75, "cost_usd": 0.001}));
    assert_eq!(told["cost"], json!({"tokens": null, "seconds": null, "cost_usd": null}));
    let kinds = json!({"routing": 1, "verification": 1, "expansion": 1, "cards": 5});
    assert_eq!(told["events_by_kind"], kinds);
}

#[test]
fn tables_are_text_markdown_or_a_row_for_each_event_and_cited_place() {
    let folder = made_bundle();
    let path = folder.path().to_str().unwrap();

    let text = cli_text(&["memory", path]);
    insta::assert_snapshot!("memory_text", text);
    assert!(cli_text(&["memory", path, "--md"]).contains("| k1 | a.py:1-2 |"));
    let csv = cli_text(&["memory", path, "--csv"]);
    assert_eq!(csv.lines().count(), 1 + 3 + 6, "{csv}");
    assert!(
        csv.contains(",card,k4,three things are kept,old.py,1,4,turn 1,moved,moved,new.py,1,"),
        "{csv}"
    );
}

#[test]
fn a_card_given_at_a_step_is_held_against_what_the_steps_before_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let call = |id: &str, name: &str, text: &str| {
        let path = format!("/w/{name}");
        let input = json!({"file_path": path, "content": text});
        let call = json!({"type": "tool_use", "id": id, "name": "Write", "input": input});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "File created"});
        [
            json!({"type": "assistant", "sessionId": "s", "uuid": id, "cwd": "/w",
                "message": {"id": id, "role": "assistant", "content": [call]}}),
            json!({"type": "user", "sessionId": "s", "uuid": format!("{id}r"), "cwd": "/w",
                "message": {"role": "user", "content": [result]},
                "toolUseResult": {"type": "create", "filePath": path, "content": text, "structuredPatch": []}}),
        ]
    };
    let asked = json!({"type": "user", "sessionId": "s", "uuid": "u", "cwd": "/w",
        "message": {"role": "user", "content": "Write both."}});
    let calls = [call("t1", "a.py", "A = 1\n"), call("t2", "b.py", "B = 2\n")].concat();
    let log = [vec![asked], calls].concat();
    let lines = |values: &[Value]| values.iter().map(|it| format!("{it}\n")).collect::<String>();
    fs::create_dir(folder.path().join("session")).unwrap();
    fs::write(folder.path().join("session/s.jsonl"), lines(&log)).unwrap();
    let turn = json!({"turn": 1, "session": "s.jsonl", "first_line": 1, "last_line": 5});
    let run = json!({"schema": "trajview.run/1", "id": "steps", "turns": [turn]});
    fs::write(folder.path().join("run.json"), run.to_string()).unwrap();
    let card = |step: &str, file: &str, text: &str| {
        let span = json!({"artifact": file, "span": [1, 1], "snippet": text});
        json!({"kind": "card", "turn": 1, "step": step, "card": {"id": step, "anchored_spans": [span]}})
    };
    let cards =
        [card("1.1", "a.py", "A = 1"), card("1.2", "a.py", "A = 1"), card("1.2", "never.py", "C")];
    fs::write(folder.path().join("memory.jsonl"), lines(&cards)).unwrap();

    let told = memory_json(folder.path(), &[]);

    assert_eq!(
        card_states(&told),
        [["1.1", "stale", "current"], ["1.2", "current", "current"], ["1.2", "unknown", "unknown"]]
    );
}

#[test]
fn a_run_without_memory_events_says_so_and_has_no_numbers() {
    let ran = run_cli(&["memory", "sample-runs/codex-p12"]);

    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""));
    let what = "sample-runs/codex-p12: no memory.jsonl: the run has no memory events";
    assert!(ran.err.contains(what), "{}", ran.err);
}

#[test]
fn a_line_that_cannot_be_used_is_told_with_its_place_and_checked() {
    let folder = made_bundle();
    let path = folder.path().join("memory.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{{\"kind\": \"dream\", \"turn\": 1}}\n{text}")).unwrap();
    let run = folder.path().to_str().unwrap();
    let what =
        "memory.jsonl:1: has kind \"dream\"; expected routing, verification, expansion or card";

    let told = run_cli(&["memory", run]);
    let checked = run_cli(&["check", run]);

    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(told.err.contains(what), "{}", told.err);
    assert_eq!(checked.code, Some(1), "{}", checked.out);
    assert!(checked.out.contains(what), "{}", checked.out);
}

#[test]
fn the_numbers_are_in_score_in_compare_and_in_the_corpus_and_null_without_a_memory() {
    let folder = made_bundle();
    let run = folder.path().to_str().unwrap();

    let score = cli_json(&["score", run, "--json", "--rules", "none", "--no-cache"]);
    let both = tempfile::tempdir().unwrap();
    for name in ["with", "without"] {
        fs::create_dir(both.path().join(name)).unwrap();
        remembered::make_bundle(&both.path().join(name));
    }
    fs::remove_file(both.path().join("without/memory.jsonl")).unwrap();
    let path = both.path().to_str().unwrap();
    let corpus = cli_text(&["corpus", path, "--csv", "--rules", "none", "--no-cache"]);

    assert_eq!(score["memory"]["events"], 8);
    assert_eq!(score["memory"]["stale_when_given"], 0.25);
    let mut lines = corpus.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    let column = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let [events, stale] = [column("memory_events"), column("stale_rate")];
    let mut numbers: Vec<_> =
        lines.map(|line| (line[events].to_owned(), line[stale].to_owned())).collect();
    numbers.sort();
    assert_eq!(numbers, [(String::new(), String::new()), ("8".into(), "0.25".into())]);
    let other = made_bundle();
    let compared = cli_json(&[
        "compare",
        run,
        other.path().to_str().unwrap(),
        "--json",
        "--rules",
        "none",
        "--no-cache",
    ]);
    let numbers = compared["numbers"].as_array().unwrap();
    let stale = numbers.iter().find(|it| it["name"] == "stale_rate").unwrap();
    assert_eq!(stale["values"], json!([0.25, 0.25]));
}

fn results_text(files: &[(&str, String)], more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<String> = files
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let arguments = ["memory"].into_iter().chain(paths.iter().map(String::as_str));
    cli_text(&arguments.chain(more.iter().copied()).collect::<Vec<_>>())
}

#[test]
fn figures_of_paperguru_are_tables_and_what_does_not_add_up_is_told() {
    let paper = |slug: &str, ours: f64, best: Option<f64>| json!({"slug": slug, "paperguru": ours, "best_baseline": best});
    let document = json!({
        "paperbench_per_paper": [paper("a", 50.0, Some(30.0)), paper("b", 60.0, Some(40.0)), paper("c", 90.0, None)],
        "paperbench_baselines": {"Best Agent": 35.0, "Human Expert": 41.0, "PaperGuru (ours)": 70.0},
        "surveybench": {"Coverage": {"PaperGuru": 94.0, "AutoSurvey": 161.0}, "Focus": {"PaperGuru": 100.0, "AutoSurvey": 99.0}},
        "surveybench_richness": {"PaperGuru": 43.76, "ASur": 0.0},
        "human_reference": 40.0
    });

    let text = results_text(&[("data.json", document.to_string())], &[]);

    insta::assert_snapshot!("memory_results_paperguru", text);
}

#[test]
fn an_aggregate_whose_mean_and_count_are_not_those_of_its_papers_is_told() {
    let document =
        json!({"per_paper": {"a": 0.5, "b": 0.7, "c": 1.4}, "mean_score": 66.05, "n_papers": 4});

    let text = results_text(&[("aggregate-final.json", document.to_string())], &[]);

    for told in [
        "n_papers is 4; per_paper has 3",
        "mean_score of paperguru is stated as 66.05; the mean of its 3 rows is 0.87",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let right = json!({"per_paper": {"a": 0.5, "b": 0.7}, "mean_score": 60.0, "n_papers": 2});
    let text = results_text(&[("aggregate-final.json", right.to_string())], &[]);
    assert!(text.contains("no inconsistencies found"), "{text}");
}

#[test]
fn records_of_surveybench_are_set_beside_those_of_baselines() {
    let record = |method: &str, coverage: f64, richness: f64| {
        let content = json!({"coverage": coverage, "coherence": 4.0, "depth": 3.5, "focus": 5.0, "fluency": 4.5});
        json!({"timestamp": "2026-01-01 00:00:00", "mode": "overall", "setting": "with_ref", "model": "m", "method": method,
            "result": {"content_avg": content, "outline_avg": {"coverage": 4.0, "relevance": 4.5, "structure": 4.0},
                "richness_avg": {"figures": 2.0, "tables": 1.0, "richness": richness}}})
        .to_string()
    };
    let files =
        [("ours.json", record("Ours", 4.5, 10.94)), ("auto.json", record("AutoSurvey", 5.5, 0.0))];

    let text = results_text(&files, &[]);

    insta::assert_snapshot!("memory_results_surveybench", text);
}

#[test]
fn scores_of_a_judge_by_topic_and_the_quiz_are_summed_up_and_checked() {
    let entry = |topic: &str, coverage: &str| json!({"topic": topic, "coverage_score": {"response": coverage}, "depth_score": {"response": "4"}});
    let scores = json!([[entry("a", "5")], [entry("b", "five")]]).to_string();
    let stats = json!({"Easy_Concept": {"difficulty": "Easy", "category": "Concept", "total": 4, "better_answer_1": 1, "better_answer_2": 2, "other": 0}});
    let quiz = json!({"better_answer_2_count": 3, "better_answer_1_reasons": [{}], "category_stats": stats, "total_questions": 4});

    let text = results_text(
        &[
            ("AutoSurvey_content_scores_with_human_survey_m.json", scores),
            ("t_compare_results.json", quiz.to_string()),
        ],
        &[],
    );

    for told in [
        "coverage_score is {\"response\":\"five\"}",
        "the dimensions have different numbers of scores: coverage 1, depth 2",
        "Easy_Concept has 4 questions, its parts give 3",
        "better_answer_2_count is 3, the categories give 2",
    ] {
        let told = told.replace("{\"response\":\"five\"}", "\"five\"");
        assert!(text.contains(&told), "{told}: {text}");
    }
}

#[test]
fn a_report_of_tables_is_checked_against_its_own_averages_and_differences() {
    let report = "# PaperBench\n\n## Per paper\n\n| # | Paper | **Ours** | Other |\n|---:|---|---:|---:|\n\
        | 1 | a | **50.00** | 30.00 |\n| 2 | b | **60.00** | 40.00 |\n| 3 | c | **90.00** | — |\n\
        | | **Average (2 papers shared)** | **54.50** | **35.00** |\n| | **Average (3 papers)** | **66.67** | — |\n\n\
        ## Headline\n\n| Benchmark | Metric | Ours | Other | Lift |\n|---|---|---|---|---|\n\
        | PaperBench | Mean | 66.67% | 35.00% | +21.00% |\n| PaperBench | Above | 20 / 23 | 4 / 23 | +16 papers |\n";

    let text = results_text(&[("REPORT.md", report.into())], &[]);

    for told in [
        "Average (2 papers shared) of Ours is stated as 54.50; the mean of its 2 rows is 55.00",
        "PaperBench, Mean: states a difference of 21.00; 66.67 minus 35.00 is 31.67",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(!text.contains("Average (3 papers) of"), "{text}");
}

#[test]
fn plain_rows_are_a_table_with_stated_means_and_gains() {
    let rows = json!({"rows": [
        {"system": "a", "dimension": "coverage", "value": 4.5, "baseline": "b", "gain": 1.5},
        {"system": "a", "metric": "depth", "value": 4.0},
        {"system": "b", "dimension": "coverage", "value": 3.5},
        {"system": "a", "dimension": "average", "value": 4.4, "n": 2}
    ]});

    let text = results_text(&[("results.json", rows.to_string())], &[]);

    for told in [
        "average of a is stated as 4.40; the mean of its 2 rows is 4.25",
        "a, coverage: states a difference of 1.50; 4.50 minus 3.50 is 1.00",
        "the systems have different rows (a 2, b 1)",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let csv = results_text(&[("results.json", rows.to_string())], &["--csv"]);
    assert!(csv.contains("results,coverage,b,3.5"), "{csv}");
    let told: Value =
        serde_json::from_str(&results_text(&[("results.json", rows.to_string())], &["--json"]))
            .unwrap();
    assert_eq!(told["tables"][0]["systems"][0]["mean"], 4.25);
}

#[test]
fn tables_of_one_name_on_other_scales_are_two_tables() {
    let figures = json!({"paperbench_per_paper": [{"slug": "a", "paperguru": 50.59}, {"slug": "b", "paperguru": 95.45}]});
    let aggregate = json!({"per_paper": {"a": 0.5059, "b": 0.9545}, "mean_score": 0.7302});
    let files =
        [("data.json", figures.to_string()), ("aggregate-final.json", aggregate.to_string())];

    let text = results_text(&files, &[]);

    assert!(text.contains("PaperBench by paper (0 to 100)\n"), "{text}");
    assert!(text.contains("PaperBench by paper (0 to 1)\n"), "{text}");
    assert!(text.contains("no inconsistencies found"), "{text}");
}

#[test]
fn a_system_that_has_other_values_in_a_second_file_keeps_both() {
    let rows = |value: f64| {
        json!({"rows": [{"system": "a", "dimension": "depth", "value": value}]}).to_string()
    };
    let files = [("one.json", rows(4.0)), ("two.json", rows(3.0)), ("three.json", rows(4.0))];

    let csv = results_text(&files, &["--csv"]);

    assert_eq!(
        csv.lines().skip(1).collect::<Vec<_>>(),
        ["results,depth,a,4", "results,depth,a (two.json),3"]
    );
}

#[test]
fn the_number_of_graded_papers_is_that_of_the_papers_with_a_score() {
    let aggregate = |n: u32| {
        json!({"per_paper": {"a": 0.5, "b": 0.7, "c": null}, "n_papers": 3, "n_papers_graded": n, "mean_files": 76}).to_string()
    };

    let wrong = results_text(&[("aggregate.json", aggregate(3))], &[]);
    let right = results_text(&[("aggregate.json", aggregate(2))], &[]);

    let told = "n_papers_graded is 3; per_paper has 2 papers with a score";
    assert!(wrong.contains(told), "{wrong}");
    assert!(right.contains("no inconsistencies found"), "{right}");
}

#[test]
fn an_average_below_its_parts_is_checked_whatever_stands_before_the_word() {
    let report = "# SurveyBench\n\n| Dimension | Ours | Other |\n|---|---:|---:|\n| Coverage | **94.00%** | 61.00% |\n\
        | Coherence | 87.40% | 80.00% |\n| Depth | 92.00% | 75.00% |\n| Focus | 100.00% | 99.00% |\n| Fluency | 100.00% | 88.00% |\n\
        | **Content avg.** | **94.66%** | 80.60% |\n\n## Headline\n\n| Metric | Ours | Other |\n|---|---|---|\n\
        | Mean reproduction | 65.95% | 35.74% |\n| Content score (5-axis avg.) | 94.66% | 80.60% |\n| Richness | 43.76% | 20.36% |\n";

    let text = results_text(&[("README.md", report.into())], &[]);

    let complaints: Vec<&str> =
        text.lines().filter(|line| line.starts_with("inconsistent")).collect();
    assert_eq!(
        complaints,
        [
            "inconsistent: SurveyBench: Content avg. of Ours is stated as 94.66; the mean of its 5 rows is 94.68"
        ]
    );
}

#[test]
fn the_result_files_of_a_folder_are_read_together() {
    let folder = tempfile::tempdir().unwrap();
    let rows = json!({"rows": [{"system": "a", "dimension": "depth", "value": 4.0}]});
    fs::write(folder.path().join("results.json"), rows.to_string()).unwrap();
    fs::write(folder.path().join("notes.md"), "nothing of it").unwrap();

    let text = cli_text(&["memory", folder.path().to_str().unwrap()]);

    assert!(text.contains("depth") && text.contains("4.00"), "{text}");
}
