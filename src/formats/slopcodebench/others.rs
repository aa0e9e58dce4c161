//! Logs of agents that have no format of their own here: Gemini, OpenCode, OpenHands, mini-swe-agent as SlopCodeBench
//! keeps them. Messages, calls with their results, and edits as far as a call's arguments hold them; no tokens, no times.
//!
//! Each record is told by its shape, not by its file: `part` is OpenCode's, `source` OpenHands', a `role` without a
//! `type` mini-swe-agent's, the rest Gemini's stream. A record that has none of them is an unknown step; a file of
//! nothing else is a warning as well. Once one of these has a format of its own that claims it, this is not asked.

mod edits;
mod record;

use serde_json::value::RawValue;

use crate::run::{
    Agent, Place, Role, Run, SourceId, Step, StepKind, StepText, ToolCall, ToolResult, Turn, label,
};

use super::{
    super::{Source, jsonl, nested::place_within},
    json::{self, Object},
};

use record::{Call, Record, What};

pub use edits::body;

/// What the harness calls the logs of these agents.
const NAMES: [&str; 5] =
    ["stdout.jsonl", "messages.jsonl", "events.jsonl", "trajectory.jsonl", "trajectory.json"];

/// The run in one log; None where the file is none.
pub fn read(source: Source<'_>, id: SourceId) -> Option<Run> {
    let name = source.name.rsplit('/').next().unwrap_or(source.name);
    if !NAMES.contains(&name) || source.bytes.trim_ascii().is_empty() {
        return None;
    }
    let mut fold = Fold::default();
    let list =
        std::str::from_utf8(source.bytes).ok().filter(|text| text.trim_start().starts_with('['));
    match list.and_then(|text| serde_json::from_str::<Vec<&RawValue>>(text).ok()) {
        Some(records) => {
            for raw in records {
                fold.record(place_within(source.bytes, raw.get(), id), raw.get());
            }
        }
        None => {
            for (place, line) in jsonl::lines(id, source.bytes) {
                fold.record(place, &String::from_utf8_lossy(line));
            }
        }
    }
    if fold.understood == 0 {
        let place = Place { line: 1, ..Place::default() };
        let what = "not a log of a known agent; its lines are shown as they are";
        fold.run.warnings.push(jsonl::warning(source.name, place, what));
    }
    fold.run.origin.format = "slopcodebench";
    Some(fold.run)
}

#[derive(Default)]
struct Fold {
    run: Run,
    understood: usize,
    /// Calls that wait for their result: id and step.
    waiting: Vec<(Box<str>, usize)>,
}

impl Fold {
    fn turn(&mut self) -> &mut Turn {
        if self.run.turns.is_empty() {
            self.run.turns.push(Turn::default());
        }
        &mut self.run.turns[0]
    }

    fn record(&mut self, place: Place, text: &str) {
        let record = Object::parse(text).map(|object| Record::of(&object));
        self.understood +=
            usize::from(record.as_ref().is_some_and(|record| record.what != What::Unknown));
        let record = record.unwrap_or_default();
        if self.run.agent.name.is_empty() && !record.agent.is_empty() {
            self.run.agent = Agent { name: record.agent.into(), version: None };
        }
        let step = Step { place, label: label(&record.text), ..Step::default() };
        match record.what {
            What::Nothing => {}
            What::Unknown => {
                let label = label(text);
                self.turn().steps.push(Step { label, role: Role::System, ..step });
            }
            What::Said(Role::User)
                if self.turn().request.is_none()
                    && self.turn().steps.iter().all(|step| step.role == Role::System) =>
            {
                let turn = self.turn();
                turn.request = Some(place);
                turn.title = step.label;
            }
            What::Said(role) => {
                self.turn().steps.push(Step { kind: StepKind::Message, role, ..step });
            }
            What::Thought => self.turn().steps.push(Step { kind: StepKind::Thinking, ..step }),
            What::Failed => {
                let kind = StepKind::Message;
                self.turn().steps.push(Step { kind, role: Role::System, is_error: true, ..step });
            }
            What::Called(call) => self.call(step, call),
            What::Answered { call, is_error } => self.answer(place, &record.text, &call, is_error),
        }
    }

    fn call(&mut self, step: Step, call: Call) {
        let at = self.turn().steps.len();
        let Call { name, id, main, answer, .. } = call;
        if answer.is_none() {
            self.waiting.push((id.clone(), at));
        }
        let result = answer.map(|(bytes, is_error)| ToolResult {
            place: step.place,
            is_error,
            bytes,
            ..ToolResult::default()
        });
        let edits = edits::of_call(&name, &call.arguments, step.place);
        let tool = Some(Box::new(ToolCall { name, call_id: id, result }));
        self.turn().steps.push(Step {
            kind: StepKind::Tool,
            label: label(&main),
            tool,
            edits,
            ..step
        });
    }

    /// Of the call it names, else of the last that waits.
    fn answer(&mut self, place: Place, text: &str, call: &str, is_error: bool) {
        let named = self.waiting.iter().rposition(|(id, _)| !call.is_empty() && **id == *call);
        let last = self.waiting.len().checked_sub(1).filter(|_| call.is_empty());
        let Some(at) = named.or(last) else {
            let step = Step {
                kind: StepKind::Message,
                role: Role::System,
                label: label(text),
                place,
                ..Step::default()
            };
            return self.turn().steps.push(step);
        };
        let (_, step) = self.waiting.remove(at);
        if let Some(tool) = self.turn().steps.get_mut(step).and_then(|step| step.tool.as_mut()) {
            tool.result = Some(ToolResult {
                place,
                is_error,
                is_ok: false,
                exit_code: record::exit_code(text),
                bytes: text.len() as u64,
            });
        }
    }
}

/// The words of a step.
pub fn words(record: &str, _step: &Step) -> StepText {
    let Some(object) = Object::parse(record) else {
        return StepText { text: record.to_owned(), ..StepText::default() };
    };
    let read = Record::of(&object);
    match read.what {
        What::Called(call) => {
            StepText { text: read.text, arguments: Some(pretty(&call)), ..StepText::default() }
        }
        What::Unknown | What::Nothing => {
            StepText { text: record.to_owned(), ..StepText::default() }
        }
        _ => StepText { text: read.text, ..StepText::default() },
    }
}

fn pretty(call: &Call) -> String {
    if call.arguments.is_empty() {
        return call.main.clone();
    }
    let raw = serde_json::from_str::<&RawValue>(&call.arguments);
    raw.map_or_else(|_| call.arguments.clone(), json::pretty)
}

/// The text of a request; None for a record that is none.
pub fn request(record: &str) -> Option<String> {
    let read = Record::of(&Object::parse(record)?);
    (read.what == What::Said(Role::User)).then_some(read.text)
}

/// The text of an observation.
pub fn result(record: &str, _result: &ToolResult) -> String {
    let Some(object) = Object::parse(record) else { return String::new() };
    let read = Record::of(&object);
    match read.what {
        What::Called(_) => record::answer_of(&object).unwrap_or_default(),
        _ => read.text,
    }
}

#[cfg(test)]
mod tests;
