//! `trial` of `run.json`: the harness' result of the run. A value of a wrong type costs only itself.

use serde_json::{Map, Value};

use trajview_run::{Run, TrialResult, Warning, first_line_label};

/// Gives the run the result that its manifest has, and a warning about each value that cannot be used.
pub fn add_trial(run: &mut Run, trial: Option<&Value>) {
    let mut warn = |what: String| {
        run.warnings.push(Warning { place: "run.json".into(), what });
    };
    let fields = match trial {
        None | Some(Value::Null) => return,
        Some(Value::Object(fields)) => fields,
        Some(_) => return warn("trial is not an object".into()),
    };
    let mut usable = Map::new();
    for name in field_names() {
        let Some(value) = fields.get(&name).filter(|value| !value.is_null()) else { continue };
        let alone = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        match serde_json::from_value::<TrialResult>(alone) {
            Ok(it) if it.attempt == Some(0) => warn("trial.attempt is 0; it counts from 1".into()),
            Ok(_) => {
                usable.insert(name, value.clone());
            }
            Err(why) => warn(format!("trial.{name} cannot be used: {why}")),
        }
    }
    let Ok(mut result) = serde_json::from_value::<TrialResult>(Value::Object(usable)) else {
        return;
    };
    result.error = result.error.map(|error| first_line_label(&error));
    run.trial = (result != TrialResult::default()).then(|| Box::new(result));
}

/// Returns the names of the fields of a result.
fn field_names() -> Vec<String> {
    match serde_json::to_value(TrialResult::default()) {
        Ok(Value::Object(fields)) => fields.into_iter().map(|(name, _)| name).collect(),
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use trajview_run::Outcome;

    fn read_trial(trial: Value) -> (Option<TrialResult>, Vec<String>) {
        let mut run = Run::default();
        add_trial(&mut run, Some(&trial));
        let warnings = run.warnings.into_iter().map(|warning| warning.what).collect();
        (run.trial.map(|trial| *trial), warnings)
    }

    #[test]
    fn a_result_comes_back_as_it_was_written() {
        let written = TrialResult {
            task: Some("t".into()),
            attempt: Some(2),
            outcome: Some(Outcome::Partial),
            reward: Some(0.5),
            reward_name: Some("tests".into()),
            other_rewards: vec![("style".into(), 1.0)],
            error: Some("Timeout: 900 s".into()),
            notes: vec!["reward.txt has 1".into()],
            source: "result.json".into(),
        };

        let read = read_trial(serde_json::to_value(&written).unwrap());

        assert_eq!(read, (Some(written), vec![]));
    }

    #[test]
    fn a_value_of_a_wrong_type_costs_only_itself() {
        let (trial, warnings) = read_trial(
            json!({"task": "t", "attempt": 0, "outcome": "won", "reward": "1", "other": [1]}),
        );

        assert_eq!(trial, Some(TrialResult { task: Some("t".into()), ..TrialResult::default() }));
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings[1].starts_with("trial.outcome cannot be used: unknown variant `won`"));
    }

    #[test]
    fn a_trial_that_says_nothing_is_none() {
        for trial in [Value::Null, json!({}), json!({"reward": null})] {
            assert_eq!(read_trial(trial), (None, vec![]));
        }
        assert_eq!(read_trial(json!(7)), (None, vec!["trial is not an object".to_owned()]));
    }
}
