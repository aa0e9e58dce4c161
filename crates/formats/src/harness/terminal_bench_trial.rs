//! A trial of terminal-bench 1 as a run: the request, the terminal of the agent command by command, and the panes.

use trajview_run::{
    RecordPlace, Run, SourceId, Step, StepKind, StepText, ToolResult, Turn, Warning,
    first_line_label,
};

use super::{
    cast::{cast_output, cast_steps, cast_text},
    trial_parts::{TrialParts, read_text},
};
use crate::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, RunsInFile, SourceBytes, json_object::JsonFields,
};

pub(crate) struct TerminalBenchTrial;

impl Format for TerminalBenchTrial {
    fn name(&self) -> &'static str {
        "terminal-bench"
    }

    fn short_description(&self) -> &'static str {
        "Trials of terminal-bench 1: results.json of a job or a trial, terminal recordings (asciinema) and panes"
    }

    fn sample_path(&self) -> &'static str {
        "jobs/terminal-bench/hello-shell/hello-shell.1-of-1.sample/results.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::NotALog)
            .with_tokens()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        // The instruction stands before the result, and may be longer than the head.
        let has = |key: &str| memchr::memmem::find(head.bytes, key.as_bytes()).is_some();
        head.text().starts_with(b"{")
            && has("\"trial_name\"")
            && has("\"task_id\"")
            && has("\"instruction\"")
            && (has("\"is_resolved\"") || !head.is_whole)
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        let at = |key: &str| memchr::memmem::find(head.bytes, key.as_bytes());
        match at("\"results\"").zip(at("\"trial_name\"")) {
            Some((list, trial)) if list < trial => RunsInFile::OnePerElement("results"),
            _ => RunsInFile::One,
        }
    }

    fn trial_record_rank(&self, _name: &str) -> Option<u8> {
        Some(0)
    }

    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        if !self.claims_file(main) {
            return vec![];
        }
        ["sessions", "agent-logs", "panes", "commands.txt"].map(str::to_owned).into()
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let main = sources.first().ok_or_else(|| NotUnderstood("no such file".into()))?;
        let mut parts = TrialParts::new(self.name(), sources, executor);
        let record: serde_json::Value = serde_json::from_slice(main.bytes).unwrap_or_else(|why| {
            let what = format!("not the JSON of a trial: {why}");
            let place = main.name.to_owned();
            parts.run.warnings.push(Warning { place, what });
            serde_json::Value::Null
        });
        let mut logs = parts.sources_below("sessions/");
        logs.extend(parts.sources_below("agent-logs/"));
        if !parts.add_log(&logs) {
            let steps = recorded_steps(sources, &logs);
            let request = record.text("instruction");
            let len = main.bytes.len() as u64;
            if request.is_some() || !steps.is_empty() {
                parts.run.turns.push(Turn {
                    title: request.map(first_line_label).unwrap_or_default(),
                    request: request.map(|_| RecordPlace {
                        len,
                        line: 1,
                        ..RecordPlace::default()
                    }),
                    started_at: steps.first().and_then(|step| step.started_at),
                    ended_at: steps.iter().rev().find_map(|step| step.ended_at),
                    steps,
                    ..Turn::default()
                });
            }
        }
        let panes = parts.sources_below("panes/");
        parts.add_texts_to_last("panes", &panes);
        let mut run = parts.finish();
        run.id = record.text("trial_name").unwrap_or_default().to_owned();
        run.title = record.text("task_id").unwrap_or_default().to_owned();
        Ok(run)
    }

    fn step_text(&self, record: &[u8], step: &Step) -> StepText {
        if step.kind == StepKind::Tool { cast_text(record) } else { read_text(record) }
    }

    fn request_text(&self, record: &[u8]) -> String {
        let record: serde_json::Value = serde_json::from_slice(record).unwrap_or_default();
        record.text("instruction").unwrap_or_default().to_owned()
    }

    fn result_text(&self, record: &[u8], _result: &ToolResult) -> String {
        cast_output(record)
    }
}

/// Returns the steps of the agent's terminal, else of any but that of the tests.
fn recorded_steps(sources: &[SourceBytes<'_>], among: &[usize]) -> Vec<Step> {
    let is_cast = |at: &&usize| sources[**at].name.ends_with(".cast");
    let mut casts: Vec<usize> = among.iter().filter(is_cast).copied().collect();
    casts.retain(|at| !sources[*at].name.ends_with("/tests.cast"));
    casts.sort_by_key(|at| !sources[*at].name.ends_with("/agent.cast"));
    let steps = |at: &usize| cast_steps(&sources[*at], SourceId(*at as u32));
    casts.iter().map(steps).find(|steps| !steps.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SequentialExecutor, format_for_head, nested_logs::head_of};

    #[test]
    fn a_trial_is_one_turn_with_the_terminal_and_the_panes() {
        let record = r#"{"id": "x", "trial_name": "t.1-of-1.r", "task_id": "t", "instruction": "Say hello\nnow", "is_resolved": true}"#;
        let cast = "{\"version\": 2, \"timestamp\": 100}\n[1, \"i\", \"echo hello\\r\"]\n[2, \"o\", \"hello\\r\\n\"]\n";
        let files = [
            ("results.json", record),
            ("panes/post-agent.txt", "$ echo hello\nhello\n"),
            ("sessions/agent.cast", cast),
            ("sessions/tests.cast", cast),
        ];
        let sources = files.map(|(name, text)| SourceBytes { name, bytes: text.as_bytes() });
        assert_eq!(format_for_head(&head_of(sources[0])).unwrap().name(), "terminal-bench");

        let run = TerminalBenchTrial.index_run_with(&sources, &SequentialExecutor).unwrap();

        assert_eq!((&*run.id, &*run.title, run.turns.len()), ("t.1-of-1.r", "t", 1));
        let turn = &run.turns[0];
        let request = turn.request.unwrap().bytes_in(record.as_bytes());
        assert_eq!(TerminalBenchTrial.request_text(request), "Say hello\nnow");
        let labels: Vec<&str> = turn.steps.iter().map(|step| &*step.label).collect();
        assert_eq!(labels, ["echo hello", "panes/post-agent.txt: hello"]);
    }

    #[test]
    fn the_record_of_a_job_has_a_run_for_each_trial() {
        let trial = r#"{"id": "x", "trial_name": "t.1-of-1.r", "task_id": "t", "instruction": "i", "is_resolved": true}"#;
        let runs_of = |text: &str| {
            let head = FileHead { name: "results.json", bytes: text.as_bytes(), is_whole: true };
            assert!(TerminalBenchTrial.claims_file(&head));
            TerminalBenchTrial.runs_in_file(&head)
        };

        assert_eq!(runs_of(trial), RunsInFile::One);
        let job = format!("{{\"id\": \"j\", \"results\": [{trial}]}}");
        assert_eq!(runs_of(&job), RunsInFile::OnePerElement("results"));
    }
}
