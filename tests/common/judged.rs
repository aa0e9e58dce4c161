//! A copy of the sample run that several judges have judged: one with two prompts and repeats, one of another model.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::project_path;

const LEVELS: [&str; 5] = ["Absent", "Wrong", "Simplified", "Equivalent", "Faithful"];

/// The bundle is in `codex-p12` of the folder.
pub fn judged_sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("codex-p12");
    copy_folder(&project_path("sample-runs/codex-p12"), &bundle);
    let known = fs::read_to_string(bundle.join("judgements/human-final.json")).unwrap();
    let human: Value = serde_json::from_str(&known).unwrap();
    // What each gives less than the human, component by component, over and over.
    let less: [(&str, &str, usize, &[i64]); 6] = [
        ("reader", "3fa9c1b2", 1, &[0, 0, 0, 0, 0, 1, 0, 0]),
        ("reader", "3fa9c1b2", 2, &[0, 0, 1, 0, 0, 1, 0, 0]),
        ("reader", "3fa9c1b2", 3, &[0, 0, 0, 0, 3, 1, 0, 0]),
        ("reader", "c0ffee00", 1, &[0, 1, 1, 0, 0, 2, 0]),
        ("reader", "c0ffee00", 2, &[0, 1, 1, 0, 0, 0, 0]),
        ("second-reader", "3fa9c1b2", 1, &[0, 2, 0, 0, 1]),
    ];
    for (judge, prompt, number, less) in less {
        let of = if judge == "reader" { if prompt.starts_with('3') { 3 } else { 2 } } else { 1 };
        let document = judgement_json(&human, (judge, prompt), (number, of), less);
        let file = format!("judgements/{judge}-{prompt}-{number}.json");
        fs::write(bundle.join(file), document.to_string()).unwrap();
    }
    folder
}

fn judgement_json(
    human: &Value,
    (judge, prompt): (&str, &str),
    (number, of): (usize, usize),
    less: &[i64],
) -> Value {
    let is_second = judge == "second-reader";
    let known = human["scores"].as_array().unwrap();
    let asked: Vec<&Value> = known.iter().skip(if is_second { 4 } else { 0 }).collect();
    let score = |(at, known): (usize, &&Value)| {
        let level = (known["score"].as_i64().unwrap() - less[at % less.len()]).max(0);
        let level = if number == 2 && at == 7 { None } else { Some(level) };
        json!({
            "component": known["component"], "score": level,
            "label": level.map(|level| LEVELS[level as usize]),
            "rationale": level.map(|level| format!("{judge} with prompt {prompt}, repeat {number}: what is there is {}.",
                LEVELS[level as usize].to_lowercase())),
            "evidence": known["evidence"], "tokens": 900, "seconds": 2.5,
            "error": level.is_none().then_some("the judge ran out of looks"),
        })
    };
    let scores: Vec<Value> = asked.iter().enumerate().map(score).collect();
    let ids: Vec<&Value> = asked.iter().map(|it| &it["component"]).collect();
    json!({
        "schema": "trajview.judgement/1",
        "judge": {"name": judge, "kind": "http", "model": if is_second { "model-b" } else { "model-a" },
            "prompt_sha256": prompt.repeat(8), "budget": 8, "temperature": 1.0},
        "run": human["run"], "commit": human["commit"], "turn": human["turn"], "rubric": "slump-5",
        "created_at": format!("2026-11-22T06:0{number}:00Z"), "components": ids,
        "repeat": {"number": number, "of": of}, "scores": scores,
    })
}

/// Copies a folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
