//! An instance that the harness of SWE-bench evaluated, as a run: the files in its folder where no log of the agent is there,
//! or its place in the report of a whole run or in `preds.json`, the changes that were submitted.
//!
//! A document for one instance of such a file has the lists that name it, or its changes, and the instance in
//! [`crate::runs_in_file::RUN_FIELD`].

use std::collections::BTreeMap;

use trajview_run::{RecordPlace, Run, Step, StepText, Turn, first_line_label};

use super::{
    swe_bench::{INSTANCE_LOG, is_instance_log, is_run_report},
    swe_bench_verdict::RUN_LISTS,
    trial_parts::{TrialParts, read_text},
};
use crate::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, RunsInFile, SourceBytes, json_object::JsonFields, runs_in_file::RUN_FIELD,
};

/// The texts in the folder of an instance, in the order in which they are shown.
const TEXTS: [&str; 3] = ["patch.diff", "test_output.txt", INSTANCE_LOG];

/// The list of a report with the instances that no changes were submitted for: they are no trials.
const NOT_SUBMITTED: &str = "incomplete_ids";

pub(crate) struct SweBenchTrial;

impl Format for SweBenchTrial {
    fn name(&self) -> &'static str {
        "swe-bench"
    }

    fn short_description(&self) -> &'static str {
        "Evaluation of SWE-bench without the agent's log: logs/run_evaluation/*/*/<instance>, report of a run, of sb-cli"
    }

    fn sample_path(&self) -> &'static str {
        "jobs/swe-bench/logs/run_evaluation/made/scripted/made__tinycalc-2/report.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::NotALog)
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head.name == INSTANCE_LOG && is_instance_log(head.bytes)
            || is_instance_report(head)
            || is_element(head)
            || is_list_of_trials(head)
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        match is_list_of_trials(head) {
            true => RunsInFile::OnePerListedName,
            false => RunsInFile::One,
        }
    }

    fn trial_record_rank(&self, name: &str) -> Option<u8> {
        // The log of the harness counts where it left no report.
        Some(u8::from(name == INSTANCE_LOG))
    }

    fn is_apart_from_logs(&self) -> bool {
        true
    }

    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        if is_element(main) {
            return vec![];
        }
        TEXTS.iter().filter(|name| **name != main.name).map(|name| (*name).to_owned()).collect()
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let main = sources.first().ok_or_else(|| NotUnderstood("no such file".into()))?;
        let mut parts = TrialParts::new(self.name(), sources, executor);
        let record: serde_json::Value = serde_json::from_slice(main.bytes).unwrap_or_default();
        let instance = match record.text(RUN_FIELD) {
            Some(name) => Some(name.to_owned()),
            None => record.as_object().and_then(|fields| fields.keys().next().cloned()),
        };
        let at = |name: &&str| sources.iter().position(|source| source.name == *name);
        let texts: Vec<usize> = TEXTS.iter().filter_map(at).collect();
        let title = instance.unwrap_or_default();
        parts.add_texts(&title, &texts);
        let mut run = parts.finish();
        if let Some(patch) = submitted_patch(&record, &title) {
            let place =
                RecordPlace { len: main.bytes.len() as u64, line: 1, ..RecordPlace::default() };
            let label = first_line_label(patch);
            let step = Step { label, place, ..Step::default() };
            let title = first_line_label(&title);
            run.turns.push(Turn { title, steps: vec![step], ..Turn::default() });
        }
        run.id.clone_from(&title);
        run.title = title;
        Ok(run)
    }

    fn step_text(&self, record: &[u8], _step: &Step) -> StepText {
        let document: serde_json::Value = serde_json::from_slice(record).unwrap_or_default();
        let instance = document.text(RUN_FIELD).unwrap_or_default();
        match submitted_patch(&document, instance) {
            Some(patch) => StepText { text: patch.to_owned(), ..StepText::default() },
            None => read_text(record),
        }
    }
}

/// Returns the changes of an instance in the document of an element.
fn submitted_patch<'v>(document: &'v serde_json::Value, instance: &str) -> Option<&'v str> {
    let patch = document.object(instance)?.get("model_patch")?.as_str()?;
    Some(patch).filter(|patch| !patch.trim().is_empty())
}

/// Returns whether a file has several trials: the report of a run, or the changes that were submitted.
fn is_list_of_trials(head: &FileHead<'_>) -> bool {
    let has = |key: &str| memchr::memmem::find(head.bytes, key.as_bytes()).is_some();
    let is_submitted = || head.text().starts_with(b"{") && has("\"model_patch\"");
    is_run_report(head) || head.name == "preds.json" && is_submitted()
}

/// Returns whether a file is the report of one instance: `{instance: {"patch_is_None": ..., "resolved": ...}}`.
fn is_instance_report(head: &FileHead<'_>) -> bool {
    let has = |key: &str| memchr::memmem::find(head.bytes, key.as_bytes()).is_some();
    if !has("\"patch_is_None\"") || !has("\"resolved\"") {
        return false;
    }
    let after = |text: &'_ [u8], mark: u8| -> Option<usize> {
        let trimmed = text.trim_ascii_start();
        (trimmed.first() == Some(&mark)).then(|| text.len() - trimmed.len() + 1)
    };
    let text = head.text();
    let inner = || {
        let rest = &text[after(text, b'{')?..];
        let mut keys = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
        keys.next()?.ok()?;
        let rest = rest.get(keys.byte_offset()..)?;
        let rest = &rest[after(rest, b':')?..];
        let rest = rest.get(after(rest, b'{')?..)?;
        Some(rest.trim_ascii_start().starts_with(b"\"patch_is_None\""))
    };
    inner() == Some(true)
}

/// Returns whether a document is that of one instance.
fn is_element(head: &FileHead<'_>) -> bool {
    let has = |key: &str| memchr::memmem::find(head.bytes, key.as_bytes()).is_some();
    let is_named = head.text().starts_with(format!("{{\"{RUN_FIELD}\":").as_bytes());
    is_named && (has("_ids\"") || has("\"model_patch\""))
}

/// Returns the instances in the report of a run or in `preds.json`, with a document for each; None where it is neither.
pub fn report_elements(document: &str) -> Option<Vec<(String, String)>> {
    let report: serde_json::Value = serde_json::from_str(document).ok()?;
    let submitted = report.as_object()?.iter().filter(|(_, it)| it.get("model_patch").is_some());
    let submitted: Vec<(String, String)> = submitted
        .map(|(instance, entry)| {
            let name = serde_json::Value::from(instance.as_str());
            (instance.clone(), format!("{{\"{RUN_FIELD}\":{name},{name}:{entry}}}"))
        })
        .collect();
    if !submitted.is_empty() {
        return Some(submitted);
    }
    let mut lists_by_instance: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (list, _) in RUN_LISTS.iter().filter(|(list, _)| *list != NOT_SUBMITTED) {
        for instance in report.texts_of(list) {
            lists_by_instance.entry(instance).or_default().push(list);
        }
    }
    let reasons = report.object("failure_reasons");
    let element = |(instance, lists): (String, Vec<&str>)| {
        let mut fields = serde_json::Map::new();
        for list in lists {
            fields.insert(list.to_owned(), vec![instance.clone()].into());
        }
        if let Some(reason) = reasons.and_then(|it| it.get(&instance)) {
            let reason = (instance.clone(), reason.clone());
            fields.insert("failure_reasons".into(), serde_json::Map::from_iter([reason]).into());
        }
        let name = serde_json::Value::from(instance.as_str());
        let rest = serde_json::Value::from(fields).to_string();
        let document = format!("{{\"{RUN_FIELD}\":{name},{}", rest.strip_prefix('{')?);
        Some((instance, document))
    };
    Some(lists_by_instance.into_iter().filter_map(element).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SequentialExecutor, format_for_head, nested_logs::head_of};

    const REPORT: &str = r#"{"made__calc-1": {"patch_is_None": false, "patch_exists": true,
        "patch_successfully_applied": true, "resolved": true, "tests_status": {}}}"#;

    #[test]
    fn the_folder_of_an_instance_is_a_run_with_its_texts() {
        let files =
            [("report.json", REPORT), ("test_output.txt", "1 passed\n"), ("patch.diff", "--- a\n")];
        let sources = files.map(|(name, text)| SourceBytes { name, bytes: text.as_bytes() });
        assert_eq!(format_for_head(&head_of(sources[0])).unwrap().name(), "swe-bench");

        let run = SweBenchTrial.index_run_with(&sources, &SequentialExecutor).unwrap();

        assert_eq!((&*run.id, run.turns.len()), ("made__calc-1", 1));
        let labels: Vec<&str> = run.turns[0].steps.iter().map(|step| &*step.label).collect();
        assert_eq!(labels, ["patch.diff: --- a", "test_output.txt: 1 passed"]);
    }

    #[test]
    fn other_documents_with_the_same_words_are_not_claimed() {
        let claims = |name: &str, text: &str| {
            let head = FileHead { name, bytes: text.as_bytes(), is_whole: true };
            SweBenchTrial.claims_file(&head)
        };
        assert!(claims("report.json", REPORT));
        let quoted =
            format!("{{\"messages\": [{{\"content\": {}}}]}}", serde_json::Value::from(REPORT));
        for other in [
            quoted.as_str(),
            "",
            "{",
            "{\"a\"",
            "{\"a\": 1, \"patch_is_None\": 1, \"resolved\": 2}",
            "[{\"patch_is_None\": 1, \"resolved\": 2}]",
        ] {
            assert!(!claims("report.json", other), "{other}");
        }
        assert!(claims(
            "run_instance.log",
            "2026-01-01 00:00:00,1 - INFO - Creating container for a\n"
        ));
        assert!(!claims("run_instance.log", "hello\n"));
        assert!(claims("m.run.json", "{\"total_instances\": 1, \"submitted_instances\": 1}"));
        assert!(!claims("session.json", "{\"total_instances\": 1, \"submitted_instances\": 1}"));
    }

    #[test]
    fn a_report_of_a_run_has_an_element_for_each_submitted_instance() {
        let report = r#"{"total_instances": 4, "submitted_ids": ["a__a-1", "b__b-1"], "resolved_ids": ["a__a-1"],
            "error_ids": ["b__b-1"], "empty_patch_ids": ["c__c-1"], "incomplete_ids": ["d__d-1"],
            "failure_reasons": {"b__b-1": "out_of_memory"}}"#;

        let elements = report_elements(report).unwrap();

        let names: Vec<&str> = elements.iter().map(|it| &*it.0).collect();
        assert_eq!(names, ["a__a-1", "b__b-1", "c__c-1"]);
        assert_eq!(
            elements[1].1,
            r#"{"trajview:run":"b__b-1","error_ids":["b__b-1"],"failure_reasons":{"b__b-1":"out_of_memory"},"submitted_ids":["b__b-1"]}"#
        );
        let head = FileHead { name: "b__b-1", bytes: elements[1].1.as_bytes(), is_whole: true };
        assert!(SweBenchTrial.claims_file(&head));
        assert_eq!(report_elements("no JSON"), None);
        assert_eq!(report_elements("[1]"), None);
    }

    #[test]
    fn changes_that_were_submitted_are_trials_with_their_text() {
        let preds = r#"{"a__a-1": {"instance_id": "a__a-1", "model_patch": "--- a\n+++ b\n"}, "b__b-1": {"model_patch": ""}}"#;
        let head = FileHead { name: "preds.json", bytes: preds.as_bytes(), is_whole: true };
        assert_eq!(SweBenchTrial.runs_in_file(&head), RunsInFile::OnePerListedName);

        let elements = report_elements(preds).unwrap();
        assert_eq!(elements.iter().map(|it| &*it.0).collect::<Vec<_>>(), ["a__a-1", "b__b-1"]);
        let source = SourceBytes { name: "a__a-1", bytes: elements[0].1.as_bytes() };
        assert_eq!(format_for_head(&head_of(source)).unwrap().name(), "swe-bench");
        let run = SweBenchTrial.index_run_with(&[source], &SequentialExecutor).unwrap();
        let step = &run.turns[0].steps[0];
        let text = SweBenchTrial.step_text(step.place.bytes_in(source.bytes), step).text;
        assert_eq!((&*run.id, &*text), ("a__a-1", "--- a\n+++ b\n"));
    }
}
