//! RigorBench's results, `<harness>_<task>.yaml`: the actions that its parser found in a transcript, in phases. Each action is
//! a call of a tool that is named after its type, so that what counts for its scorer is told by the tool's name
//! (`metrics::process::action`). Read in the form of `prepared`: the same document as JSON.
//!
//! Times are those of the parser's clock and stand in any order; actions keep the order of the file. Zero tokens and a
//! duration of zero are what is written where nothing was measured, and are left out.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Preparation, Shape, chat,
    object::Object,
    records::{Answer, Call, Event, FileEdit, Record, Records},
    tape::Value,
};
use trajview_run::{EditKind, Role, files::RecordedChange};

pub mod scores;

/// Its name among the formats.
pub const NAME: &str = "rigorbench";

#[derive(Debug, Clone, Copy)]
pub struct RigorBench;

impl Records for RigorBench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "RigorBench result, <harness>_<task>.yaml"
    }

    fn sample(&self) -> &'static str {
        "logs/rigorbench.yaml"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Names).times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let text = head.text();
        let has_line = |key: &str| {
            let mut lines = text.split(|&byte| byte == b'\n');
            lines.any(|line| line.starts_with(key.as_bytes()))
        };
        is_prepared(text) || (has_line("task_id:") && has_line("phases:"))
    }

    fn preparation(&self, head: &Head<'_>) -> Option<Preparation> {
        (!is_prepared(head.text())).then_some(prepared as Preparation)
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut made = Record::default();
        let Some(result) = result(document) else { return made };
        made.facts.task = result.text("task_id");
        made.facts.agent = result.text("agent_name");
        made.facts.root = root(&result).map(Cow::Owned);
        made.facts.id = match (result.text("agent_name"), result.text("task_id")) {
            (Some(agent), Some(task)) => Some(format!("{agent}_{task}").into()),
            (agent, task) => agent.or(task),
        };
        made
    }

    /// The phases, each before its actions.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(result) = result(value) else { return vec![value] };
        let phases = result.array("phases");
        let actions = |phase: &Value<'t>| {
            Object::of(*phase).map(|fields| fields.array("actions")).unwrap_or_default()
        };
        phases.iter().flat_map(|phase| std::iter::once(*phase).chain(actions(phase))).collect()
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let Some(fields) = Object::of(record) else {
            return Record::unknown("action that is no object");
        };
        if let Some(why) = fields.text("not_yaml") {
            return Record::unknown(format!("text that is no YAML: {why}"));
        }
        if fields.has("actions") || !fields.has("type") {
            let name = fields.text("name").unwrap_or_default();
            let mut made = Record::of(Event::Said(Role::System, format!("phase: {name}").into()));
            made.time = chat::time_of(&fields, &["started_at"]);
            return made;
        }
        let kind = fields.text("type").unwrap_or_default();
        let mut made = match KINDS.contains(&&*kind) {
            true => Record::of(Event::Called(call(kind, &fields))),
            false => Record::of(Event::unknown(kind, "action without a type")),
        };
        made.time = chat::time_of(&fields, &["timestamp"]);
        made
    }
}

/// The copy of the task's repository that the agent worked in, `.../repo_<harness>`, as the first file below one says.
fn root(result: &Object<'_>) -> Option<String> {
    let phases = result.array("phases").into_iter().filter_map(Object::of);
    let mut actions = phases.flat_map(|phase| phase.array("actions")).filter_map(Object::of);
    actions.find_map(|action| {
        let path = action.object("metadata")?.text("file")?.into_owned();
        let at = path.find("/repo_")?;
        let end = at + 1 + path[at + 1..].find('/')?;
        Some(path[..end].to_owned())
    })
}

/// The types of actions that its files hold.
const KINDS: [&str; 12] = [
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

fn call<'t>(kind: Cow<'t, str>, fields: &Object<'t>) -> Call<'t> {
    let about = fields.object("metadata").unwrap_or_default();
    let main = ["command", "error", "triggered_by", "reason", "file"];
    let main = main.iter().find_map(|key| about.text(key)).unwrap_or_default();
    let path = about.text("file").filter(|path| !path.is_empty());
    let is_edit = matches!(&*kind, "plan_created" | "file_modified" | "test_written");
    let change =
        |path: Cow<'_, str>| FileEdit::new(path, EditKind::Modify, RecordedChange::NotRecorded);
    let answer = Answer {
        text: about.text("error").unwrap_or_default(),
        is_error: kind == "error_encountered",
        ..Answer::default()
    };
    Call {
        arguments: fields.get("metadata").map(|value| value.get().into()).unwrap_or_default(),
        edits: path.filter(|_| is_edit).map(change).into_iter().collect(),
        name: kind,
        main,
        answer: Some(answer),
        ..Call::default()
    }
}

/// Begins the prepared form.
const MARK: &[u8] = b"{\"rigorbench\":";

fn is_prepared(text: &[u8]) -> bool {
    text.starts_with(MARK)
}

fn result<'t>(document: Value<'t>) -> Option<Object<'t>> {
    Object::of(document)?.object("rigorbench")
}

/// Bytes of a result that are read: the largest that anybody published has some thousand.
const MOST_BYTES: usize = 16 << 20;

/// The document as JSON, anchors followed. One that is no YAML becomes a record that says so.
fn prepared(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let value = match yaml(&text) {
        Ok(value) => value,
        Err(why) => serde_json::json!({ "phases": [{ "not_yaml": why }] }),
    };
    let mut made = MARK.to_vec();
    serde_json::to_writer(&mut made, &value).ok()?;
    made.push(b'}');
    Some(made)
}

/// A YAML document as a value; the error is a sentence.
pub(super) fn yaml(text: &str) -> Result<serde_json::Value, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("it has more than {} MiB", MOST_BYTES >> 20));
    }
    serde_saphyr::from_str(text).map_err(|why| {
        let why = why.to_string();
        why.lines().next().unwrap_or_default().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Source};
    use trajview_run::Run;

    fn read(yaml: &str) -> Run {
        let bytes = prepared(yaml.as_bytes()).unwrap();
        Format::index(&RigorBench, &[Source { name: "a.yaml", bytes: &bytes }]).unwrap()
    }

    fn tools(run: &Run) -> Vec<String> {
        let steps = run.turns.iter().flat_map(|turn| &turn.steps);
        steps.filter_map(|step| Some(step.tool.as_ref()?.name.to_string())).collect()
    }

    #[test]
    fn actions_keep_the_order_of_the_file_whatever_their_times() {
        let run = read(
            "task_id: t\nagent_name: Agent-Rigor\ntotal_tokens: 0\nphases:\n- name: execution\n  started_at: '2026-06-20T21:19:20'\n  actions:\n  - type: file_modified\n    timestamp: '2026-06-20T21:19:30'\n    metadata: {file: /w/a.py}\n  - type: error_encountered\n    timestamp: '2026-06-20T21:19:20'\n    metadata: {error: 'Created At: x'}\n  - type: atomic_commit\n    metadata: null\n",
        );

        assert_eq!(tools(&run), ["file_modified", "error_encountered", "atomic_commit"]);
        assert_eq!(run.task.as_ref().unwrap().id, "t");
        assert_eq!(run.agent.name, "Agent-Rigor");
        let failed = run.turns[0].steps.iter().filter(|step| step.failed()).count();
        assert_eq!((failed, run.turns[0].tokens.input), (1, None));
        assert!(run.warnings[0].what.contains("/w"), "{:?}", run.warnings);
    }

    #[test]
    fn anchors_missing_keys_and_null_lists_are_read() {
        let run = read(
            "task_id: t\nphases:\n- name: one\n  actions: null\n- name: two\n  actions:\n  - &again\n    type: test_written\n    metadata: {}\n  - *again\n- actions: []\n- null\n",
        );

        assert_eq!(tools(&run), ["test_written", "test_written"]);
    }

    #[test]
    fn what_is_no_yaml_and_what_is_unknown_is_told() {
        let broken = read("task_id: t\nphases:\n - name: [x\n");
        assert!(broken.warnings[0].what.contains("no YAML"), "{:?}", broken.warnings);

        let unknown = read("task_id: t\nphases:\n- actions:\n  - type: foo\n  - type: foo\n");
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

        let run = read(&text);

        assert!(run.warnings[0].what.contains("no YAML"), "{:?}", run.warnings);
    }
}
