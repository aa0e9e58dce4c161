//! RigorBench's results, `<harness>_<task>.yaml`: the actions that its parser found in a transcript, in phases. Each
//! action is a call of a tool that is named after its type, so that its scorer recognises what counts by the tool's name
//! (`metrics::process::action`). Read in the form of `prepared`: the same document as JSON.
//!
//! Times are those of the parser's clock and in any order; actions keep the order of the file. Zero tokens and a
//! duration of zero are what is written where nothing was measured, and are left out.

use std::borrow::Cow;

use super::{
    FileHead, FilePreparation, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    json_object::JsonObject,
    records::{CallAnswer, FileEdit, LogRecord, RecordEvent, RecordFormat, RecordedCall},
    tape::TapeValue,
};
use trajview_run::{EditKind, Role, files::RecordedChange};

pub mod names;
pub mod scores;

/// Its name among the formats.
pub const NAME: &str = "rigorbench";

pub struct RigorBench;

impl RecordFormat for RigorBench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn short_description(&self) -> &'static str {
        "RigorBench result, <harness>_<task>.yaml"
    }

    fn sample_path(&self) -> &'static str {
        "logs/rigorbench.yaml"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Names).with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let text = head.text();
        let has_line = |key: &str| {
            let mut lines = text.split(|&byte| byte == b'\n');
            lines.any(|line| line.starts_with(key.as_bytes()))
        };
        is_prepared(text) || (has_line("task_id:") && has_line("phases:"))
    }

    fn preparation_for(&self, head: &FileHead<'_>) -> Option<FilePreparation> {
        (!is_prepared(head.text())).then_some(prepare_json as FilePreparation)
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut made = LogRecord::default();
        let Some(result) = result_object(document) else { return made };
        made.facts.task = result.text("task_id");
        made.facts.agent = result.text("agent_name");
        made.facts.root = repository_root(&result).map(Cow::Owned);
        made.facts.id = match (result.text("agent_name"), result.text("task_id")) {
            (Some(agent), Some(task)) => Some(format!("{agent}_{task}").into()),
            (agent, task) => agent.or(task),
        };
        made
    }

    /// Returns the phases, each before its actions.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(result) = result_object(value) else { return vec![value] };
        let phases = result.elements_of("phases");
        let actions = |phase: &TapeValue<'t>| {
            JsonObject::from_value(*phase)
                .map(|fields| fields.elements_of("actions"))
                .unwrap_or_default()
        };
        phases.iter().flat_map(|phase| std::iter::once(*phase).chain(actions(phase))).collect()
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let Some(fields) = JsonObject::from_value(record) else {
            return LogRecord::unknown_kind("action that is not an object");
        };
        if let Some(why) = fields.text("not_yaml") {
            return LogRecord::unknown_kind(format!("text that is not YAML: {why}"));
        }
        if fields.has_field("actions") || !fields.has_field("type") {
            let name = fields.text("name").unwrap_or_default();
            let mut made = LogRecord::from_event(RecordEvent::Message(
                Role::System,
                format!("phase: {name}").into(),
            ));
            made.time = chat::first_time(&fields, &["started_at"]);
            return made;
        }
        let kind = fields.text("type").unwrap_or_default();
        let mut made = match ACTION_KINDS.contains(&&*kind) {
            true => LogRecord::from_event(RecordEvent::Call(action_call(kind, &fields))),
            false => {
                LogRecord::from_event(RecordEvent::unknown_kind(kind, "action without a type"))
            }
        };
        made.time = chat::first_time(&fields, &["timestamp"]);
        made
    }
}

/// Returns the copy of the task's repository that the agent worked in, `.../repo_<harness>`, from the first file below one.
fn repository_root(result: &JsonObject<'_>) -> Option<String> {
    let phases = result.elements_of("phases").into_iter().filter_map(JsonObject::from_value);
    let mut actions =
        phases.flat_map(|phase| phase.elements_of("actions")).filter_map(JsonObject::from_value);
    actions.find_map(|action| {
        let path = action.object("metadata")?.text("file")?.into_owned();
        let at = path.find("/repo_")?;
        let end = at + 1 + path[at + 1..].find('/')?;
        Some(path[..end].to_owned())
    })
}

/// The types of actions that its files hold.
const ACTION_KINDS: [&str; 12] = [
    "plan_created",
    "file_read",
    "file_modified",
    "test_written",
    "test_executed",
    "command_executed",
    "checkpoint_validated",
    "error_encountered",
    "recovery_attempted",
    "abstention_declared",
    "atomic_commit",
    "abstained",
];

fn action_call<'t>(kind: Cow<'t, str>, fields: &JsonObject<'t>) -> RecordedCall<'t> {
    let about = fields.object("metadata").unwrap_or_default();
    let main = ["command", "error", "triggered_by", "reason", "file"];
    let main = main.iter().find_map(|key| about.text(key)).unwrap_or_default();
    let path = about.text("file").filter(|path| !path.is_empty());
    let is_edit = matches!(&*kind, "plan_created" | "file_modified" | "test_written");
    let change =
        |path: Cow<'_, str>| FileEdit::new(path, EditKind::Modify, RecordedChange::NotRecorded);
    let answer = CallAnswer {
        text: about.text("error").unwrap_or_default(),
        is_error: kind == "error_encountered",
        ..CallAnswer::default()
    };
    RecordedCall {
        arguments: fields.get("metadata").map(|value| value.get().into()).unwrap_or_default(),
        edits: path.filter(|_| is_edit).map(change).into_iter().collect(),
        name: kind,
        main,
        answer: Some(answer),
        ..RecordedCall::default()
    }
}

/// The beginning of the prepared form.
const PREPARED_START: &[u8] = b"{\"rigorbench\":";

fn is_prepared(text: &[u8]) -> bool {
    text.starts_with(PREPARED_START)
}

fn result_object<'t>(document: TapeValue<'t>) -> Option<JsonObject<'t>> {
    JsonObject::from_value(document)?.object("rigorbench")
}

/// Bytes of a result that are read: the largest that anybody published has some thousand.
const MAX_BYTES: usize = 16 << 20;

/// Converts the document to JSON, with anchors resolved. A text that is no YAML becomes a record with the reason.
fn prepare_json(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let value = match parse_yaml(&text) {
        Ok(value) => value,
        Err(why) => serde_json::json!({ "phases": [{ "not_yaml": why }] }),
    };
    let mut made = PREPARED_START.to_vec();
    serde_json::to_writer(&mut made, &value).ok()?;
    made.push(b'}');
    Some(made)
}

/// Returns a YAML document as a value; the error is a sentence.
pub(super) fn parse_yaml(text: &str) -> Result<serde_json::Value, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it has more than {} MiB", MAX_BYTES >> 20));
    }
    serde_saphyr::from_str(text).map_err(|why| {
        let why = why.to_string();
        why.lines().next().unwrap_or_default().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, SourceBytes, records::RecordLog};
    use trajview_run::Run;

    fn index_yaml(yaml: &str) -> Run {
        let bytes = prepare_json(yaml.as_bytes()).unwrap();
        RecordLog(&RigorBench).index_run(&[SourceBytes { name: "a.yaml", bytes: &bytes }]).unwrap()
    }

    fn tool_names(run: &Run) -> Vec<String> {
        let steps = run.turns.iter().flat_map(|turn| &turn.steps);
        steps.filter_map(|step| Some(step.tool.as_ref()?.name.to_string())).collect()
    }

    #[test]
    fn actions_keep_the_order_of_the_file_whatever_their_times() {
        let run = index_yaml(
            "task_id: t\nagent_name: Agent-Rigor\ntotal_tokens: 0\nphases:\n- name: execution\n  started_at: '2026-06-20T21:19:20'\n  actions:\n  - type: file_modified\n    timestamp: '2026-06-20T21:19:30'\n    metadata: {file: /w/a.py}\n  - type: error_encountered\n    timestamp: '2026-06-20T21:19:20'\n    metadata: {error: 'Created At: x'}\n  - type: atomic_commit\n    metadata: null\n",
        );

        assert_eq!(tool_names(&run), ["file_modified", "error_encountered", "atomic_commit"]);
        assert_eq!(run.task.as_ref().unwrap().id, "t");
        assert_eq!(run.agent.name, "Agent-Rigor");
        let failed = run.turns[0].steps.iter().filter(|step| step.has_failed()).count();
        assert_eq!((failed, run.turns[0].tokens.input), (1, None));
        assert!(run.warnings[0].what.contains("/w"), "{:?}", run.warnings);
    }

    #[test]
    fn anchors_missing_keys_and_null_lists_are_read() {
        let run = index_yaml(
            "task_id: t\nphases:\n- name: one\n  actions: null\n- name: two\n  actions:\n  - &again\n    type: test_written\n    metadata: {}\n  - *again\n- actions: []\n- null\n",
        );

        assert_eq!(tool_names(&run), ["test_written", "test_written"]);
    }

    #[test]
    fn what_is_no_yaml_and_what_is_unknown_is_told() {
        let broken = index_yaml("task_id: t\nphases:\n - name: [x\n");
        assert!(broken.warnings[0].what.contains("not YAML"), "{:?}", broken.warnings);

        let unknown = index_yaml("task_id: t\nphases:\n- actions:\n  - type: foo\n  - type: foo\n");
        assert!(unknown.warnings[0].what.contains("foo"), "{:?}", unknown.warnings);
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut text = String::from("task_id: t\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let below = vec![format!("*a{}", level - 1); 10].join(", ");
            text += &format!("a{level}: &a{level} [{below}]\n");
        }
        text += "phases: []\n";

        let run = index_yaml(&text);

        assert!(run.warnings[0].what.contains("not YAML"), "{:?}", run.warnings);
    }
}
