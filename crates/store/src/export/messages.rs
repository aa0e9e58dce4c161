//! A run as messages in the form of OpenAI's API.

use serde_json::{Value, json};

use trajview_run::{Role, Run, Step, StepId, StepKind, Turn};

use super::{Archive, ExportWriter, ExportedDocument, arguments_text};

/// Returns the run as messages: requests, words, calls and their results; nothing else is carried.
pub fn to_messages(run: &Run, archive: &Archive) -> ExportedDocument {
    let mut writer = ExportWriter::new(run, archive);
    let mut all = vec![];
    for (turn, recorded) in run.turns.iter().enumerate() {
        if recorded.request.is_some() {
            all.push(json!({ "role": "user", "content": archive.request_with_added(run, turn) }));
        }
        for step in 0..recorded.steps.len() {
            writer.add_messages(StepId { turn, subagent: None, step }, &mut all);
        }
    }
    let mut document = json!({ "id": run.id, "messages": all });
    for (key, value) in [("model", &run.model), ("cwd", &run.origin.root)] {
        if let Some(value) = value {
            document[key] = value.clone().into();
        }
    }
    if !run.subagents.is_empty() {
        writer.left_out.push(format!("what {} sub-agents did", run.subagents.len()));
    }
    let changes = run.turns.iter().flat_map(|turn| &turn.steps).any(|step| !step.edits.is_empty());
    if changes {
        writer
            .left_out
            .push("changes of files, but for what the arguments of calls say".to_owned());
    }
    writer.report_left_out();
    ExportedDocument { document, left_out: writer.left_out }
}

/// Returns how many messages [`to_messages`] makes of a run, without reading their words.
pub fn message_count(run: &Run) -> usize {
    let of_step = |step: &Step| match (step.kind, &step.tool) {
        (StepKind::Tool | StepKind::SubAgent, None) => 0,
        (StepKind::Tool | StepKind::SubAgent, Some(tool)) => 1 + usize::from(tool.result.is_some()),
        (StepKind::Message | StepKind::Thinking | StepKind::Compaction | StepKind::Unknown, _) => 1,
    };
    let of_turn = |turn: &Turn| {
        usize::from(turn.request.is_some()) + turn.steps.iter().map(of_step).sum::<usize>()
    };
    run.turns.iter().map(of_turn).sum()
}

impl ExportWriter<'_> {
    fn add_messages(&mut self, id: StepId, all: &mut Vec<Value>) {
        let Some(step) = self.run.step(id) else { return };
        let text = self.archive.step_text(self.run, id);
        match step.kind {
            StepKind::Tool | StepKind::SubAgent => {
                let Some(tool) = &step.tool else { return };
                let call = if tool.call_id.is_empty() {
                    format!("call-{}-{}", id.turn, id.step)
                } else {
                    tool.call_id.to_string()
                };
                let arguments = arguments_text(text.arguments.unwrap_or_default());
                all.push(json!({ "role": "assistant", "content": text.text, "tool_calls": [
                    { "id": call, "type": "function", "function": { "name": tool.name, "arguments": arguments } }] }));
                if tool.result.is_some() {
                    all.push(json!({ "role": "tool", "tool_call_id": call, "content": text.result.unwrap_or_default() }));
                }
            }
            StepKind::Thinking => all.push(
                json!({ "role": "assistant", "content": "", "reasoning_content": text.text }),
            ),
            StepKind::Message if step.role == Role::Assistant => {
                all.push(json!({ "role": "assistant", "content": text.text }))
            }
            StepKind::Message | StepKind::Compaction | StepKind::Unknown => {
                all.push(json!({ "role": "system", "content": text.text }));
            }
        }
    }
}
