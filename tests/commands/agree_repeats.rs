//! `trajview agree --repeats`, `--by rubric` and the hints of `--detail`, on a copy of the sample that several judges
//! have judged.

use serde_json::{Value, json};

use crate::common::{cli_json, cli_text, judged::judged_sample, run_cli};

fn folder_path(folder: &tempfile::TempDir) -> String {
    folder.path().join("codex-p12").to_str().unwrap().to_owned()
}

#[test]
fn repeats_are_told_component_by_component_and_as_a_whole() {
    let folder = judged_sample();
    let said =
        cli_text(&["agree", &folder_path(&folder), "--repeats", "--detail", "--resamples", "500"]);

    insta::assert_snapshot!(said);
}

#[test]
fn the_json_has_each_group_and_each_contrast() {
    let folder = judged_sample();
    let said =
        cli_json(&["agree", &folder_path(&folder), "--repeats", "--json", "--resamples", "200"]);

    assert_eq!(said["schema"], "trajview.agree/1");
    let groups = said["repeats"].as_array().unwrap();
    let sizes: Vec<&Value> = groups.iter().map(|group| &group["count"]).collect();
    assert_eq!(sizes, [3, 2]);
    let first = &groups[0];
    assert_eq!((&first["judge"], &first["temperature"]), (&json!("reader"), &json!(1.0)));
    assert_eq!(first["files"].as_array().unwrap().len(), 3);
    assert_eq!(first["components"][7]["scores"], json!([3, null, 3]));
    for measure in ["exact", "within_1", "alpha", "flips_2_3", "flips_3_4", "severe_flips"] {
        let value = first[measure].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&value), "{measure}");
        let is_sure = first["ci95"][measure].is_array();
        assert!(is_sure || first["ci95_not_defined"][measure].is_string(), "{measure}");
    }
    assert_eq!(first["base_rate"].as_array().unwrap().len(), 5);
    let kinds: Vec<&str> = said["contrasts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["against"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "prompt").count(), 1);
    assert!(kinds.iter().filter(|kind| **kind == "judge").count() > 5, "{kinds:?}");
}

#[test]
fn a_run_that_nobody_judged_twice_says_how_that_is_done() {
    let said = cli_text(&["agree", "sample-runs/codex-p12", "--repeats", "--resamples", "0"]);

    assert!(said.contains("no repeats: repeats have the same judge"), "{said}");
    assert!(said.contains("trajview judge --repeat K makes them"), "{said}");
    assert!(said.contains("authors-reading"), "{said}");
}

#[test]
fn csv_has_a_row_a_measure() {
    let folder = judged_sample();
    let said =
        cli_text(&["agree", &folder_path(&folder), "--repeats", "--csv", "--resamples", "0"]);

    assert!(said.starts_with("run,first,second,against,part,name,n,measure,value,"), "{said}");
    let row = "codex-p12,\"reader (model-a), prompt 3fa9c1b2, temperature 1\",,repeat,component,C05,3,at_mode,0.6666666666666666,,,4 4 1,";
    assert!(said.contains(row), "{said}");
}

#[test]
fn agreement_is_told_rubric_by_rubric_with_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.csv");
    let rows: String = (0..24)
        .map(|at| {
            format!(
                "C{at},{},{},{}\n",
                if at % 2 == 0 { "slump-5" } else { "strict" },
                at % 5,
                (at + at % 3 / 2) % 5
            )
        })
        .collect();
    std::fs::write(&path, format!("component,rubric,a,b\n{rows}")).unwrap();
    let path = path.to_str().unwrap();

    let said = cli_json(&["agree", path, "--by", "rubric", "--json", "--resamples", "300"]);
    let parts = said["pairs"][0]["by_rubric"].as_array().unwrap();
    let named: Vec<_> =
        parts.iter().map(|it| (it["name"].as_str().unwrap(), it["n"].as_u64().unwrap())).collect();
    assert_eq!(named, [("slump-5", 12), ("strict", 12)]);
    assert!(parts.iter().all(|part| part["ci95"]["exact"].is_array()), "{parts:?}");
    assert_eq!(said["raters"].as_array().unwrap().len(), 2);
}

#[test]
fn a_disagreement_says_how_to_open_it() {
    let said = cli_text(&["agree", "sample-runs/codex-p12", "--detail", "--resamples", "0"]);
    let hint = said
        .lines()
        .find(|line| line.contains("trajview ") && line.contains("--component"))
        .unwrap();
    let command = &hint[hint.find("trajview ").unwrap() + "trajview ".len()..];
    let words: Vec<&str> = command.split_whitespace().collect();

    let opened = run_cli(&[&words[..], &["--snapshot", "100x30"]].concat());
    assert_eq!(opened.code, Some(0), "{}", opened.err);
    let id = words.last().unwrap();
    assert!(opened.out.contains(&format!("{id} ")), "{}", opened.out);
}
