//! Harbor, the harness of terminal-bench 2: `result.json` of a trial, with the verifier's files beside it.

use trajview_run::{Outcome, Run, TrialResult};

use super::{Harness, TrialFacts, TrialFiles};
use crate::{NotUnderstood, SourceBytes, json_object::JsonFields};

/// The harness of terminal-bench 2.
pub struct Harbor;

impl Harness for Harbor {
    fn name(&self) -> &'static str {
        "Harbor"
    }

    fn record_names(&self) -> &'static [&'static str] {
        &["result.json"]
    }

    fn claims_record(&self, record: &SourceBytes<'_>, _log: &str) -> bool {
        let has = |key: &str| memchr::memmem::find(record.bytes, key.as_bytes()).is_some();
        has("\"task_name\"") && has("\"trial_name\"")
    }

    fn sidecar_paths(&self, _log: &str) -> Vec<String> {
        vec![]
    }

    fn read_trial(
        &self,
        files: &TrialFiles<'_>,
        _run: &Run,
    ) -> Result<Option<TrialFacts>, NotUnderstood> {
        let record: serde_json::Value = serde_json::from_slice(files.record.bytes)
            .map_err(|why| NotUnderstood(format!("not the JSON of a trial: {why}")))?;
        let rewards = record.object("verifier_result").and_then(|it| it.object("rewards"));
        let named = rewards.into_iter().flatten();
        let mut rewards: Vec<(Box<str>, f64)> = named
            .filter_map(|(name, value)| Some((name.as_str().into(), value.as_f64()?)))
            .collect();
        let first = (!rewards.is_empty()).then(|| rewards.remove(0));
        let outcome = first.as_ref().map(|(_, reward)| match *reward {
            it if it >= 1.0 => Outcome::Passed,
            it if it > 0.0 => Outcome::Partial,
            _ => Outcome::Failed,
        });
        let (reward_name, reward) = first.unzip();
        let result = TrialResult {
            task: record.text("task_name").map(Into::into),
            outcome,
            reward,
            reward_name,
            other_rewards: rewards,
            source: files.record.name.into(),
            ..TrialResult::default()
        };
        Ok(Some(TrialFacts { result, ..TrialFacts::default() }))
    }
}
