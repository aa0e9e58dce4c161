//! A trial of Harbor as a run: where no log of the agent stands beside `result.json`, what stands there instead; and a trial
//! in steps, a checkpoint a step.

use trajview_run::{
    Checkpoint, CheckpointRecord, Run, Step, StepText, Turn, Warning,
    checkpoint_record::{MeasureValue, RecordedMeasure},
    first_line_label,
};

use super::{
    ctrf,
    harbor::{self, TrialStep},
    trial_parts::{TrialParts, read_text},
};
use crate::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, SourceBytes, head_json,
    json_object::{JsonFields, JsonObject},
};

/// The texts beside a record, in the order of the events.
const TEXTS: [&str; 4] =
    ["verifier/test-stdout.txt", "verifier/test-stderr.txt", "exception.txt", "trial.log"];

pub(crate) struct HarborTrial;

impl Format for HarborTrial {
    fn name(&self) -> &'static str {
        "harbor"
    }

    fn short_description(&self) -> &'static str {
        "Trial of Harbor (terminal-bench 2) without a log, or in steps: result.json and the files beside it"
    }

    fn sample_path(&self) -> &'static str {
        "jobs/harbor/parse-dates__Qm3vTzK/result.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::NotALog)
            .with_tokens()
            .with_cost()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_trial = |fields: &JsonObject<'_>| {
            let has_part = ["trial_uri", "agent_info", "agent_result", "verifier_result"];
            fields.text("task_name").is_some()
                && fields.text("trial_name").is_some()
                && has_part.iter().any(|key| fields.has_field(key))
        };
        let is_config = head.name == harbor::CONFIG && harbor::is_trial_config(head.bytes);
        is_config || head_json::any_object(head, &["\"task_name\"", "\"trial_name\""], is_trial)
    }

    fn trial_record_rank(&self, name: &str) -> Option<u8> {
        // The configuration counts where the trial has no record.
        Some(u8::from(name == harbor::CONFIG))
    }

    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        if !self.claims_file(main) {
            return vec![];
        }
        let mut paths: Vec<String> = TEXTS.map(str::to_owned).into();
        paths.push("agent".into());
        for step in step_names(main.bytes) {
            let below = |name: &str| format!("steps/{step}/{name}");
            paths.extend(TEXTS.map(below));
            paths.extend(["agent", "verifier/ctrf.json"].map(below));
        }
        paths
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let main = sources.first().ok_or_else(|| NotUnderstood("no such file".into()))?;
        let mut parts = TrialParts::new(self.name(), sources, executor);
        let record = match harbor::read_record(main.bytes) {
            Ok(record) => record,
            Err(_) if main.name == harbor::CONFIG => {
                serde_json::from_slice(main.bytes).unwrap_or_default()
            }
            Err(why) => {
                let warning = Warning { place: main.name.into(), what: why.to_string() };
                parts.run.warnings.push(warning);
                serde_json::Value::Null
            }
        };
        let task = record.text("task_name").or_else(|| harbor::task_of_config(&record));
        let title = task.unwrap_or_default().to_owned();
        let steps = harbor::steps_of(&record);
        for (at, step) in steps.iter().enumerate() {
            add_step(&mut parts, sources, step, at);
        }
        if steps.is_empty() {
            let agent = parts.sources_below("agent/");
            if !parts.add_log(&agent) {
                let texts = texts_beside(sources, "", agent);
                parts.add_texts(&title, &texts);
            }
        }
        let mut run = parts.finish();
        run.id = record.text("trial_name").unwrap_or_default().to_owned();
        run.title = title;
        Ok(run)
    }

    fn step_text(&self, record: &[u8], _step: &Step) -> StepText {
        read_text(record)
    }
}

/// Adds the turns of one step of a trial, and its checkpoint.
fn add_step(parts: &mut TrialParts<'_>, sources: &[SourceBytes<'_>], step: &TrialStep, at: usize) {
    let folder = format!("steps/{}/", step.name);
    let agent = parts.sources_below(&format!("{folder}agent/"));
    let first_turn = parts.run.turns.len();
    if !parts.add_log(&agent) {
        parts.add_texts(&step.name, &texts_beside(sources, &folder, agent));
    }
    if parts.run.turns.len() == first_turn {
        // A step without any file is a turn all the same: its reward is recorded.
        let title = first_line_label(&step.name);
        parts.run.turns.push(Turn { title, ..Turn::default() });
    }
    parts.run.turns[first_turn..].iter_mut().for_each(|turn| turn.checkpoint = Some(at));
    let value = |(name, reward): &(Box<str>, f64)| RecordedMeasure {
        source: sources[0].name.into(),
        name: name.clone(),
        value: MeasureValue::Number(*reward),
        metric: None,
        doubt: None,
    };
    let report = format!("{folder}verifier/ctrf.json");
    let report = sources.iter().find(|source| source.name == report);
    let recorded = CheckpointRecord {
        state: step.error.clone().or(step.outcome.map(|it| it.word().into())),
        values: step.rewards.iter().map(value).collect(),
        tests: report.and_then(|it| ctrf::read_report(it.name, it.bytes)),
        ..CheckpointRecord::default()
    };
    parts.run.checkpoints.push(Checkpoint {
        id: step.name.clone(),
        last_turn: parts.run.turns.len() - 1,
        recorded: Some(Box::new(recorded)),
        ..Checkpoint::default()
    });
}

/// Returns the positions of the agent's files, and of the other texts of that folder.
fn texts_beside(sources: &[SourceBytes<'_>], folder: &str, agent: Vec<usize>) -> Vec<usize> {
    let at = |name: &&str| {
        sources.iter().position(|source| source.name.strip_prefix(folder) == Some(*name))
    };
    agent.into_iter().chain(TEXTS.iter().filter_map(at)).collect()
}

/// Returns the names of the steps of a record, whose end may be missing: those that the harness takes as names of folders.
fn step_names(record: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\"step_name\"";
    let name = |at: usize| {
        let rest = record.get(at + KEY.len()..)?.trim_ascii_start().strip_prefix(b":")?;
        let mut texts = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
        let name = texts.next()?.ok()?;
        let is_plain = |c: char| !c.is_control() && !r#"<>:"/\|?*"#.contains(c);
        let is_folder = !name.trim().is_empty() && !name.ends_with(['.', ' ']);
        (is_folder && name.chars().all(is_plain)).then_some(name)
    };
    memchr::memmem::find_iter(record, KEY).filter_map(name).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SequentialExecutor, format_for_head, nested_logs::head_of};

    fn index(files: &[(&str, &str)]) -> Run {
        let sources: Vec<SourceBytes<'_>> =
            files.iter().map(|(name, text)| SourceBytes { name, bytes: text.as_bytes() }).collect();
        assert_eq!(format_for_head(&head_of(sources[0])).unwrap().name(), "harbor");
        HarborTrial.index_run_with(&sources, &SequentialExecutor).unwrap()
    }

    const LOG: &str = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"go\"}}\n";

    #[test]
    fn a_trial_without_a_log_shows_what_stands_there() {
        let run = index(&[
            (
                "result.json",
                "{\"task_name\": \"t\", \"trial_name\": \"t__1\", \"trial_uri\": \"u\"}",
            ),
            ("agent/claude-code.txt", "npm error\ncannot install\n"),
            ("agent/core", "\0\u{1}"),
            ("exception.txt", "Traceback\nRuntimeError: no network\n"),
        ]);

        assert_eq!((&*run.id, &*run.title, run.turns.len()), ("t__1", "t", 1));
        let labels: Vec<&str> = run.turns[0].steps.iter().map(|step| &*step.label).collect();
        assert_eq!(
            labels,
            ["agent/claude-code.txt: cannot install", "exception.txt: RuntimeError: no network"]
        );
        assert!(run.turns[0].steps[1].is_error);
    }

    #[test]
    fn a_trial_in_steps_is_one_run_with_a_checkpoint_a_step() {
        let record = r#"{"task_name": "t", "trial_name": "t__1", "trial_uri": "u", "step_results": [
            {"step_name": "one", "verifier_result": {"rewards": {"reward": 1}}},
            {"step_name": "two", "exception_info": {"exception_type": "AgentTimeoutError", "exception_message": "late"}},
            {"step_name": "../three", "verifier_result": {"rewards": {"reward": 0.5}}}]}"#;
        assert_eq!(step_names(record.as_bytes()), ["one", "two"]);

        let run = index(&[
            ("result.json", record),
            ("steps/one/agent/s.jsonl", LOG),
            ("steps/two/agent/out.txt", "still at work"),
        ]);

        let checkpoint = |it: &Checkpoint| {
            let record = it.recorded.as_ref().unwrap();
            let reward = record.values.first().and_then(|it| it.value.as_number());
            (it.id.clone(), it.last_turn, record.state.clone().unwrap().to_string(), reward)
        };
        let found: Vec<_> = run.checkpoints.iter().map(checkpoint).collect();
        assert_eq!(
            found,
            [
                ("one".into(), 0, "passed".into(), Some(1.0)),
                ("two".into(), 1, "AgentTimeoutError: late".into(), None),
                ("../three".into(), 2, "partial".into(), Some(0.5)),
            ]
        );
        assert_eq!(run.origin.sources[1].format, "claude-code");
    }

    #[test]
    fn names_of_steps_are_those_of_folders_in_any_script() {
        let names = step_names(
            r#"{"step_name": "étape 1 (a+b)"}, {"step_name": "\u4e00"}, {"step_name": ".."}, {"step_name": "a\/b"}, {"step_name": "x"#.as_bytes(),
        );

        assert_eq!(names, ["étape 1 (a+b)", "一"]);
    }

    #[test]
    fn a_record_that_is_cut_off_still_opens_with_a_warning() {
        let run = index(&[
            (
                "result.json",
                "{\"task_name\": \"t\", \"trial_name\": \"t__1\", \"trial_uri\": \"u\", \"age",
            ),
            ("agent/s.jsonl", LOG),
        ]);

        assert_eq!(run.turns.len(), 1);
        assert!(run.warnings[0].what.starts_with("not the JSON of a trial: "));
    }
}
