//! What is done with a run that is over: its code is scored, and a judge is asked about it, each in a process of its own. What
//! came of it lies beside the runs, so that it is not done again.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use trajview_run::batch::BatchScore;

use super::plan::{After, JudgeRow};

/// What is to be done with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Score,
    Judge,
}

impl Step {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Score => "its code is scored",
            Self::Judge => "a judge is asked",
        }
    }

    /// Where its result lies.
    pub fn place(self, folder: &Path, run: &str) -> PathBuf {
        let what = match self {
            Self::Score => "score",
            Self::Judge => "judge",
        };
        folder.join(format!("{run}.{what}.json"))
    }
}

/// What is still to be done with a run.
pub fn next(after: &After, folder: &Path, run: &str, has_components: bool) -> Option<Step> {
    let score = after.score.then_some(Step::Score);
    let judge = (after.judge.is_some() && has_components).then_some(Step::Judge);
    score.into_iter().chain(judge).find(|step| !step.place(folder, run).is_file())
}

/// The words after `trajview` of a step. `usd` is what is left of the judge's budget.
pub fn words(
    step: Step,
    after: &After,
    bundle: &Path,
    usd: Option<f64>,
    config: Option<&str>,
) -> Vec<String> {
    let bundle = bundle.display().to_string();
    let mut words: Vec<String> = match (step, &after.judge) {
        (Step::Judge, Some(JudgeRow { name, each_checkpoint, options, .. })) => {
            let mut words = vec!["judge".to_owned(), bundle, "--judge".into(), name.clone()];
            match usd {
                // Both go on with a judging that was stopped, and begin one where there is none.
                Some(usd) => {
                    words.extend(["--resume".into(), "--max-cost".into(), usd.to_string()])
                }
                None => words.extend(["--shard".into(), "1/1".into()]),
            }
            if *each_checkpoint {
                words.extend(["--each".into(), "checkpoint".into()]);
            }
            words.extend(config.into_iter().flat_map(|it| ["--config".to_owned(), it.to_owned()]));
            words.extend(options.iter().cloned());
            words
        }
        _ => vec!["score".into(), bundle, "--each".into(), "checkpoint".into()],
    };
    words.push("--json".into());
    words
}

/// The scores in the results of a run, and what its judge cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Results {
    pub scores: Vec<BatchScore>,
    pub cost_usd: Option<f64>,
}

/// Numbers of the code that are shown.
const SHOWN: [&str; 2] = ["erosion", "verbosity"];

impl Results {
    /// Of everything that was done with a run so far.
    pub fn read(folder: &Path, run: &str) -> Self {
        let mut all = Self::default();
        for step in [Step::Score, Step::Judge] {
            let value = fs::read(step.place(folder, run)).ok();
            let value = value.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            match (step, value) {
                (_, None) => {}
                (Step::Score, Some(value)) => all.scores.extend(scored(&value)),
                (Step::Judge, Some(value)) => {
                    all.scores.extend(judged(&value));
                    all.cost_usd = value["spent_usd"].as_f64();
                }
            }
        }
        all
    }
}

/// What a judge cost where it did not come to its end, by what it printed; None where it did.
pub fn broken_off(step: Step, printed: &Path) -> Option<Option<f64>> {
    let value = fs::read(printed).ok();
    let value = value.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())?;
    let several = value["states"].as_array().map(Vec::as_slice);
    let states = several.unwrap_or(std::slice::from_ref(&value));
    let is_whole = states.iter().all(|state| state["finished"] != Value::Bool(false));
    (step == Step::Judge && !is_whole).then(|| value["spent_usd"].as_f64())
}

fn scored(value: &Value) -> Vec<BatchScore> {
    let points = value["points"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |point: &Value, name: &str| BatchScore {
        after: point["label"].as_str().unwrap_or_default().to_owned(),
        number: name.to_owned(),
        value: point[name].as_f64(),
    };
    points.iter().flat_map(|point| SHOWN.map(|name| number(point, name))).collect()
}

/// Of one state, or of several.
fn judged(value: &Value) -> Vec<BatchScore> {
    let several = value["states"].as_array().map(Vec::as_slice);
    let states = several.unwrap_or(std::slice::from_ref(value));
    let score = |state: &Value| {
        let file = state["files"].as_array()?.last()?;
        Some(BatchScore {
            after: format!("turn {}", state["turn"].as_u64()?),
            number: "mcf".into(),
            value: file["mcf"].as_f64(),
        })
    };
    states.iter().filter_map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wanted() -> After {
        let judge =
            JudgeRow { name: "j".into(), usd: None, each_checkpoint: true, options: vec![] };
        After { score: true, judge: Some(judge), test: None }
    }

    #[test]
    fn what_has_a_result_is_not_done_again_and_what_has_no_checklist_is_not_judged() {
        let folder = tempfile::tempdir().unwrap();
        let next = |has_components| next(&wanted(), folder.path(), "r", has_components);
        assert_eq!(next(true), Some(Step::Score));
        let score = json!({"points": [{"label": "c1", "erosion": 0.5, "verbosity": null}]});
        fs::write(folder.path().join("r.score.json"), score.to_string()).unwrap();

        assert_eq!((next(true), next(false)), (Some(Step::Judge), None));

        let judge = json!({"states": [{"turn": 2, "files": [{"mcf": 3.5}]}], "spent_usd": 0.25});
        fs::write(folder.path().join("r.judge.json"), judge.to_string()).unwrap();
        assert_eq!(next(true), None);
        let results = Results::read(folder.path(), "r");
        let rows =
            results.scores.iter().map(|it| (it.after.as_str(), it.number.as_str(), it.value));
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [("c1", "erosion", Some(0.5)), ("c1", "verbosity", None), ("turn 2", "mcf", Some(3.5))]
        );
        assert_eq!(results.cost_usd, Some(0.25));
    }

    #[test]
    fn a_judging_that_was_stopped_is_no_result_and_is_paid_for() {
        let folder = tempfile::tempdir().unwrap();
        let of = |step, printed: serde_json::Value| {
            let path = folder.path().join("part");
            fs::write(&path, printed.to_string()).unwrap();
            broken_off(step, &path)
        };
        let states = |finished: bool| json!({"states": [{"finished": true}, {"finished": finished}], "spent_usd": 0.5});

        assert_eq!(of(Step::Judge, states(false)), Some(Some(0.5)));
        assert_eq!(of(Step::Judge, states(true)), None);
        assert_eq!(of(Step::Judge, json!({"finished": false, "spent_usd": null})), Some(None));
        assert_eq!(of(Step::Score, json!({"points": []})), None);
    }

    #[test]
    fn a_judge_is_asked_within_what_is_left() {
        let words = |usd| words(Step::Judge, &wanted(), Path::new("b"), usd, None).join(" ");
        assert_eq!(words(None), "judge b --judge j --shard 1/1 --each checkpoint --json");
        assert_eq!(
            words(Some(1.5)),
            "judge b --judge j --resume --max-cost 1.5 --each checkpoint --json"
        );
    }
}
