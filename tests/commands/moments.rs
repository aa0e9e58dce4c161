//! A step is a moment: what the files were after it, who had written them, and what changed between two.

use serde_json::Value as Json;

use crate::common::{cli_json, cli_text, run_cli};

const RUN: &str = "sample-runs/codex-p12";

#[test]
fn files_after_a_step_are_those_before_it_with_what_it_did() {
    let ls = |at: &str| cli_json(&["ls", RUN, "--at", at, "--json"]);
    let paths = |listing: &Json| -> Vec<String> {
        let files = listing["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().unwrap().to_owned()).collect()
    };
    // Turn 12 edits in its second step; the third runs tests.
    assert_eq!(ls("12.1")["files"], ls("11")["files"]);
    assert_eq!(ls("12.2")["files"], ls("12")["files"]);
    assert!(paths(&ls("12.2")).contains(&"ppdiff/layers.py".to_owned()));
    let after = ls("12.2");
    assert_eq!((&after["turn"], &after["step"]), (&11.into(), &2.into()));
    let end = ls("12.4");
    assert_eq!(
        (&end["turn"], &end["step"]),
        (&12.into(), &Json::Null),
        "its last step ends a turn"
    );
}

#[test]
fn a_step_is_told_alone_and_between_two_moments() {
    let alone = cli_text(&["diff", RUN, "--step", "12.2"]);
    assert_eq!(alone, cli_text(&["diff", RUN, "--from", "12.1", "--to", "12.2"]));
    assert_eq!(alone, cli_text(&["diff", RUN, "--turn", "12"]));
    assert_eq!(cli_text(&["diff", RUN, "--step", "12.3"]), "");
    assert_eq!(cli_text(&["diff", RUN, "--from", "12.2", "--to", "12.3"]), "");
}

#[test]
fn lines_are_blamed_as_of_a_step() {
    let blame = |at: &str| cli_json(&["blame", RUN, "ppdiff/layers.py", "--at", at, "--json"]);
    assert_eq!(blame("12.2")["lines"], blame("12")["lines"]);
    assert_eq!(blame("12.2")["step"], 2);
    let file = cli_text(&["cat", RUN, "ppdiff/layers.py", "--at", "12.2"]);
    assert_eq!(file, cli_text(&["cat", RUN, "ppdiff/layers.py", "--at", "12"]));
    assert_eq!(run_cli(&["cat", RUN, "ppdiff/layers.py", "--at", "12.1"]).code, Some(3));
}

#[test]
fn a_step_that_is_not_there_is_told_and_where_a_turn_is_wanted_none_is_taken() {
    for (arguments, words) in [
        (&["cat", RUN, "x.py", "--at", "12.9"][..], "no step 12.9: the last of turn 12 is 12.4"),
        (&["ls", RUN, "--at", "12.0"], "steps count from 1"),
        (&["ls", RUN, "--at", "0.2"], "turns count from 1"),
        (&["diff", RUN, "--step", "12"], "such as 12.7"),
        (&["new", "judgement", RUN, "--at", "12.2"], "12.2 is inside turn 12"),
    ] {
        let ran = run_cli(arguments);
        assert_eq!(
            (ran.code, ran.err.contains(words)),
            (Some(2), true),
            "{arguments:?}: {}",
            ran.err
        );
    }
}

#[test]
fn a_path_with_a_moment_opens_there() {
    let named = |path: &str| cli_text(&[path, "--snapshot", "100x30"]);
    let at = cli_text(&[RUN, "--at", "12.3", "--snapshot", "100x30"]);
    assert_eq!(named("sample-runs/codex-p12:12.3"), at);
    assert!(at.lines().next().is_some_and(|head| head.contains("step 3/4")), "{at}");
    let turn = cli_text(&[RUN, "--at", "12", "--snapshot", "100x30"]);
    assert_eq!(named("sample-runs/codex-p12:12"), turn);
}

#[test]
fn each_step_tells_when_it_began_how_long_it_took_and_what_its_model_call_read() {
    let run = "sample-runs/claude-code";
    insta::assert_snapshot!(cli_text(&["show", run, "--turn", "2", "--times"]), @r"
    step  UTC       began  took  wait    in  out  $ computed  what
       1  20:39:01  +0.2s     -  0.2s  5418  164      0.0044  message Adding a unittest module.
       2  20:39:01  +0.2s  0.2s  0.0s     ↑    ↑           ↑  Write tests/__init__.py
       3  20:39:01  +0.3s  0.1s  0.0s     ↑    ↑           ↑  Write tests/test_core.py
       4  20:39:01  +0.4s  0.2s  0.0s  5705   44      0.0021  Bash python3 -m unittest discover -s tests -t . 2>&1
       5  20:39:02  +0.7s     -  0.0s  5816   11      0.0014  message Both tests pass.
    ");

    let shown = cli_json(&["show", run, "--turn", "2", "--times", "--json"]);
    let costs = [0, 1, 3, 4].map(|step| shown["steps"][step]["cost_computed_usd"].as_f64());
    assert_eq!(costs[1], None, "what a model call costs stands at one step of it");
    let sum: f64 = costs.into_iter().flatten().sum();
    assert!((sum - shown["cost_computed_usd"].as_f64().unwrap()).abs() < 1e-12, "{costs:?}");
    assert!(cli_text(&["show", run, "--turn", "2"]).contains("\n  computed 0.0079 USD\n"));
    let second = &shown["steps"][1];
    assert_eq!((&second["model_call"], &second["context_tokens"]), (&1.into(), &5418.into()));
    assert_eq!(second["tokens"]["input"], Json::Null, "tokens stand at one step of their call");
    assert_eq!(shown["steps"][2]["waited_s"], 0.0, "it was called beside the second");
    assert_eq!(shown["steps"][0]["took_s"], Json::Null, "a message has no result");
    assert_eq!(shown["context_tokens"], shown["steps"][4]["context_tokens"]);
}
