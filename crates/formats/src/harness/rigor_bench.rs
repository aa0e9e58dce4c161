//! RigorBench: the score of a result, from the score files beside the results or in a folder above them.
//!
//! `sc_scores_all.yaml`, else `sc_scores.yaml`, has the share of the task's requirements that the work satisfies (`sc`): the
//! reward, and by it the outcome. `cbs_scores.yaml` has a score of the agent's behaviour, which is another reward.

use trajview_run::{Outcome, Run, TrialResult};

use super::{Harness, RecordFile, TrialFacts, TrialFiles};
use crate::{
    NotUnderstood,
    rigorbench::{names::score_key, scores::RigorScore},
};

/// The benchmark RigorBench.
pub struct RigorBench;

/// The files with the coverage of the requirements, the released one first, and the file with the behaviour.
const COVERAGE: [&str; 2] = ["sc_scores_all.yaml", "sc_scores.yaml"];
const BEHAVIOUR: &str = "cbs_scores.yaml";

impl Harness for RigorBench {
    fn name(&self) -> &'static str {
        "RigorBench"
    }

    fn record_names(&self) -> &'static [&'static str] {
        &COVERAGE
    }

    fn claims_record(&self, record: &RecordFile, log: &str) -> bool {
        let is_result = log.ends_with(".yaml") || log.ends_with(".yml");
        is_result && record.has_text("sc:")
    }

    fn sidecar_paths(&self, _log: &str) -> Vec<String> {
        COVERAGE.into_iter().chain([BEHAVIOUR]).map(str::to_owned).collect()
    }

    fn read_trial(
        &self,
        files: &TrialFiles<'_>,
        run: &Run,
    ) -> Result<Option<TrialFacts>, NotUnderstood> {
        let Some(task) = &run.task else { return Ok(None) };
        let key = score_key(&task.id, &run.agent.name);
        let coverage = |file: &RecordFile| {
            let score = find_score(file, &key).filter(|score| score.measure == "sc")?;
            Some((score.value?, score.measure))
        };
        let Some((reward, measure)) = coverage(files.record) else { return Ok(None) };
        let others = COVERAGE.iter().filter(|name| **name != files.record.name);
        let others = others.filter_map(|name| Some((name, coverage(files.sidecar(name)?)?.0)));
        let differing = others.filter(|(_, other)| *other != reward);
        let notes = differing.map(|(name, other)| format!("{name} has {other}").into()).collect();
        let behaviour = files.sidecar(BEHAVIOUR).and_then(|file| find_score(file, &key));
        let behaviour = behaviour.and_then(|it| Some((it.measure.into(), it.value?)));
        let result = TrialResult {
            task: Some(task.id.as_str().into()),
            outcome: Outcome::from_share(reward),
            reward: Some(reward),
            reward_name: Some(measure.into()),
            other_rewards: behaviour.into_iter().collect(),
            notes,
            source: files.record.name.as_str().into(),
            ..TrialResult::default()
        };
        Ok(Some(TrialFacts { result, ..TrialFacts::default() }))
    }
}

/// Returns the score of a task and a harness, both spelled as [`score_key`] does.
fn find_score<'f>(file: &'f RecordFile, key: &(String, String)) -> Option<&'f RigorScore> {
    file.rigor_scores().iter().find(|it| score_key(&it.task, &it.harness) == *key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::Task;

    #[test]
    fn the_score_of_a_result_is_found_however_its_harness_is_spelled() {
        let task = Task { id: "task_1".into(), ..Task::default() };
        let mut run = Run { task: Some(task), ..Run::default() };
        run.agent.name = "Agent-Rigor".into();
        let source = |name: &str, text: &str| RecordFile::new(name, text.as_bytes().to_vec());
        let trial = |record: &RecordFile| {
            let files = TrialFiles {
                log: "agentrigor_task_1.yaml",
                record,
                sidecars: vec![
                    source("sc_scores.yaml", "task_1: {rigor: {sc: 0.75}}"),
                    source("cbs_scores.yaml", "task_1: {rigor: {score: 0.25, behavior: asked}}"),
                ],
            };
            RigorBench.read_trial(&files, &run).unwrap()
        };
        let all =
            source("sc_scores_all.yaml", "task_1: {agent_rigor: {sc: 1.0}, baseline: {sc: 0}}");
        assert!(RigorBench.claims_record(&all, "agentrigor_task_1.yaml"));
        assert!(!RigorBench.claims_record(&all, "session.jsonl"));

        let result = trial(&all).unwrap().result;

        assert_eq!((result.outcome, result.reward), (Some(Outcome::Passed), Some(1.0)));
        assert_eq!(result.other_rewards, [("cbs".into(), 0.25)]);
        assert_eq!(result.notes, ["sc_scores.yaml has 0.75".into()]);
        for other in ["task_2: {rigor: {sc: 1}}", "task_1: {rigor: {sc: null}}", "a: [", ""] {
            assert_eq!(trial(&source("x", other)), None);
        }
    }
}
