//! Scores and judges a finished run, each in a process of its own. The results lie beside the runs, so that no step is done
//! twice.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use trajview_run::batch::BatchScore;

use super::batch_plan::{AfterRun, JudgeFollowUp};

/// A step after a run has finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUp {
    Score,
    Judge,
}

impl FollowUp {
    pub const fn status_text(self) -> &'static str {
        match self {
            Self::Score => "its code is scored",
            Self::Judge => "asking a judge",
        }
    }

    /// Returns the path of the step's result file in `folder`.
    pub(crate) fn result_file(self, folder: &Path, run: &str) -> PathBuf {
        let what = match self {
            Self::Score => "score",
            Self::Judge => "judge",
        };
        folder.join(format!("{run}.{what}.json"))
    }
}

/// Returns the next step for a finished run; None when all steps have a result file.
pub(crate) fn next_follow_up(
    after: &AfterRun,
    folder: &Path,
    run: &str,
    has_components: bool,
) -> Option<FollowUp> {
    let score = after.score.then_some(FollowUp::Score);
    let judge = (after.judge.is_some() && has_components).then_some(FollowUp::Judge);
    score.into_iter().chain(judge).find(|step| !step.result_file(folder, run).is_file())
}

/// Returns the arguments of `trajview` for a step. `usd` is the rest of the judge's budget.
pub fn command_arguments(
    step: FollowUp,
    after: &AfterRun,
    bundle: &Path,
    usd: Option<f64>,
    config: Option<&str>,
) -> Vec<String> {
    let bundle = bundle.display().to_string();
    let mut words: Vec<String> = match (step, &after.judge) {
        (FollowUp::Judge, Some(JudgeFollowUp { name, each_checkpoint, options, .. })) => {
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

/// The scores of a finished run, and the cost of its judge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FollowUpResults {
    pub scores: Vec<BatchScore>,
    pub cost_usd: Option<f64>,
}

/// The code numbers that a batch shows.
const SHOWN_NUMBERS: [&str; 2] = ["erosion", "verbosity"];

impl FollowUpResults {
    /// Reads the result files of all steps that are done so far.
    pub fn read_results(folder: &Path, run: &str) -> Self {
        let mut all = Self::default();
        for step in [FollowUp::Score, FollowUp::Judge] {
            let value = fs::read(step.result_file(folder, run)).ok();
            let value = value.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            match (step, value) {
                (_, None) => {}
                (FollowUp::Score, Some(value)) => all.scores.extend(code_scores(&value)),
                (FollowUp::Judge, Some(value)) => {
                    all.scores.extend(judge_scores(&value));
                    all.cost_usd = value["spent_usd"].as_f64();
                }
            }
        }
        all
    }
}

/// Returns the cost of a judge that did not finish, read from its output; None when it finished or the step is no judging.
pub(crate) fn unfinished_judge_cost(step: FollowUp, printed: &Path) -> Option<Option<f64>> {
    let value = fs::read(printed).ok();
    let value = value.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())?;
    let several = value["states"].as_array().map(Vec::as_slice);
    let states = several.unwrap_or(std::slice::from_ref(&value));
    let is_whole = states.iter().all(|state| state["finished"] != Value::Bool(false));
    (step == FollowUp::Judge && !is_whole).then(|| value["spent_usd"].as_f64())
}

fn code_scores(value: &Value) -> Vec<BatchScore> {
    let points = value["points"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |point: &Value, name: &str| BatchScore {
        after: point["label"].as_str().unwrap_or_default().to_owned(),
        number: name.to_owned(),
        value: point[name].as_f64(),
    };
    points.iter().flat_map(|point| SHOWN_NUMBERS.map(|name| number(point, name))).collect()
}

/// Reads the scores of one judged state or of several.
fn judge_scores(value: &Value) -> Vec<BatchScore> {
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

    fn scoring_and_judging() -> AfterRun {
        let judge =
            JudgeFollowUp { name: "j".into(), usd: None, each_checkpoint: true, options: vec![] };
        AfterRun { score: true, judge: Some(judge), test: None }
    }

    #[test]
    fn what_has_a_result_is_not_done_again_and_what_has_no_checklist_is_not_judged() {
        let folder = tempfile::tempdir().unwrap();
        let next = |has_components| {
            next_follow_up(&scoring_and_judging(), folder.path(), "r", has_components)
        };
        assert_eq!(next(true), Some(FollowUp::Score));
        let score = json!({"points": [{"label": "c1", "erosion": 0.5, "verbosity": null}]});
        fs::write(folder.path().join("r.score.json"), score.to_string()).unwrap();

        assert_eq!((next(true), next(false)), (Some(FollowUp::Judge), None));

        let judge = json!({"states": [{"turn": 2, "files": [{"mcf": 3.5}]}], "spent_usd": 0.25});
        fs::write(folder.path().join("r.judge.json"), judge.to_string()).unwrap();
        assert_eq!(next(true), None);
        let results = FollowUpResults::read_results(folder.path(), "r");
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
            unfinished_judge_cost(step, &path)
        };
        let states = |finished: bool| json!({"states": [{"finished": true}, {"finished": finished}], "spent_usd": 0.5});

        assert_eq!(of(FollowUp::Judge, states(false)), Some(Some(0.5)));
        assert_eq!(of(FollowUp::Judge, states(true)), None);
        assert_eq!(of(FollowUp::Judge, json!({"finished": false, "spent_usd": null})), Some(None));
        assert_eq!(of(FollowUp::Score, json!({"points": []})), None);
    }

    #[test]
    fn a_judge_is_asked_within_what_is_left() {
        let words = |usd| {
            command_arguments(FollowUp::Judge, &scoring_and_judging(), Path::new("b"), usd, None)
                .join(" ")
        };
        assert_eq!(words(None), "judge b --judge j --shard 1/1 --each checkpoint --json");
        assert_eq!(
            words(Some(1.5)),
            "judge b --judge j --resume --max-cost 1.5 --each checkpoint --json"
        );
    }
}
