//! The messages of a run as Inspect has them, and the events whose times are recorded.
//!
//! Thinking, words and calls of one response of the model are one message of the assistant; the results of its calls
//! follow, each as a message. A message's id is the turn and the step that it begins with, as `trajview` counts them.

use std::collections::HashMap;

use serde_json::{Value, json};

use trajview_code::base64::encode_base64;
use trajview_run::{
    Role, Run, SourceId, Step, StepId, StepKind, StepText, Time,
    format_number::count_with_noun,
    pictures::{RecordedImage, describe_image},
};

use super::sample::usage_json;
use crate::archive::Archive;

/// The messages of a run, and what was not put into them.
pub struct SampleMessages {
    pub first_request: String,
    pub messages: Vec<Value>,
    pub events: Vec<Value>,
    /// The last message of the model.
    pub last_answer: Option<Value>,
    pub left_out: Vec<String>,
}

/// A call with its result, until the message of the model that makes it is complete.
struct OpenCall {
    id: String,
    number: String,
    step: StepId,
    text: StepText,
    arguments: Value,
}

/// A message of the model to which steps are added.
struct OpenAnswer {
    number: String,
    first: StepId,
    content: Vec<Value>,
    calls: Vec<OpenCall>,
}

struct MessageWriter<'r> {
    run: &'r Run,
    archive: &'r Archive,
    with_images: bool,
    /// Whether the recording says which steps begin a response, by their tokens.
    has_step_tokens: bool,
    open: Option<OpenAnswer>,
    /// The beginning of the run; without a recorded one the time of the first event.
    start: Option<Time>,
    made: SampleMessages,
    left_images: usize,
    untimed_tokens: usize,
}

impl SampleMessages {
    pub fn of_run(run: &Run, archive: &Archive, with_images: bool) -> Self {
        let steps = run.turns.iter().flat_map(|turn| &turn.steps);
        let mut writer = MessageWriter {
            run,
            archive,
            with_images,
            has_step_tokens: steps.clone().any(|step| step.tokens.is_recorded()),
            open: None,
            start: run.started_at,
            made: Self {
                first_request: String::new(),
                messages: vec![],
                events: vec![],
                last_answer: None,
                left_out: vec![],
            },
            left_images: 0,
            untimed_tokens: 0,
        };
        for turn in 0..run.turns.len() {
            writer.add_turn(turn);
        }
        writer.report_left_out();
        writer.made
    }
}

impl MessageWriter<'_> {
    fn add_turn(&mut self, turn: usize) {
        let recorded = &self.run.turns[turn];
        let numbers = self.run.step_numbers(turn);
        if recorded.request.is_some() {
            self.add_request(turn);
        }
        for step in 0..recorded.steps.len() {
            let id = StepId { turn, subagent: None, step };
            self.add_step(id, &numbers);
        }
        self.close_answer();
    }

    fn add_request(&mut self, turn: usize) {
        let is_first = self.made.messages.iter().all(|message| message["role"] != "user");
        let text = self.archive.request_with_added(self.run, turn);
        if is_first {
            self.made.first_request.clone_from(&text);
        }
        let images = self.images(turn, None);
        self.made.messages.push(json!({
            "id": (turn + 1).to_string(),
            "content": content_json(text, images),
            "source": if is_first { "input" } else { "operator" },
            "role": "user",
            "metadata": known_fields(json!({ "turn": turn + 1, "started_at": self.run.turns[turn].started_at })),
        }));
    }

    fn add_step(&mut self, id: StepId, numbers: &HashMap<StepId, usize>) {
        let Some(step) = self.run.step(id) else { return };
        let number = numbers.get(&id).copied().unwrap_or(id.step + 1);
        let number = format!("{}.{number}", id.turn + 1);
        let text = self.archive.step_text(self.run, id);
        match (step.kind, step.role) {
            (StepKind::Tool | StepKind::SubAgent, _) if step.tool.is_none() => {}
            (StepKind::Tool | StepKind::SubAgent, _) => self.add_call(step, id, number, text),
            (StepKind::Thinking, _) => {
                let part = json!({ "type": "reasoning", "reasoning": text.text });
                self.answer_with_words(step, id, number).content.push(part);
            }
            (StepKind::Message, Role::Assistant) => {
                let images = self.images(id.turn, Some(id));
                let parts = content_parts(text.text, images);
                self.answer_with_words(step, id, number).content.extend(parts);
            }
            (kind, role) => {
                self.close_answer();
                let role = if role == Role::User { "user" } else { "system" };
                self.made.messages.push(json!({
                    "id": number,
                    "content": text.text,
                    "role": role,
                    "metadata": known_fields(json!({ "step": number, "kind": kind.word(), "started_at": step.started_at })),
                }));
            }
        }
    }

    /// Returns the answer that words of this step belong to, and begins a new one where they belong to none before.
    fn answer_with_words(&mut self, step: &Step, id: StepId, number: String) -> &mut OpenAnswer {
        let is_new = step.tokens.is_recorded()
            || self.open.as_ref().is_some_and(|open| !open.calls.is_empty());
        self.answer(is_new, id, number)
    }

    /// Returns the open answer; closes it and begins another where it is to be new.
    fn answer(&mut self, is_new: bool, first: StepId, number: String) -> &mut OpenAnswer {
        if is_new {
            self.close_answer();
        }
        self.open.get_or_insert_with(|| OpenAnswer {
            number,
            first,
            content: vec![],
            calls: vec![],
        })
    }

    fn add_call(&mut self, step: &Step, id: StepId, number: String, text: StepText) {
        let Some(tool) = &step.tool else { return };
        let call = match &*tool.call_id {
            "" => format!("call-{number}"),
            id => id.to_owned(),
        };
        let last = self.open.as_ref().and_then(|open| open.calls.last());
        let last = last.and_then(|call| self.run.step(call.step));
        let is_of_other_record =
            last.is_some_and(|last| record_of(last) != record_of(step)) && !self.has_step_tokens;
        let is_new = step.tokens.is_recorded() || is_of_other_record;
        let arguments = text.arguments.as_deref().unwrap_or_default();
        let arguments = match serde_json::from_str(arguments) {
            Ok(Value::Object(fields)) => Value::Object(fields),
            _ => json!({ "command": arguments }),
        };
        let has_calls = self.open.as_ref().is_some_and(|open| !open.calls.is_empty());
        let has_words = !text.text.is_empty();
        let answer = self.answer(is_new || (has_words && has_calls), id, number.clone());
        if has_words {
            answer.content.push(json!({ "type": "text", "text": text.text }));
        }
        answer.calls.push(OpenCall { id: call, number, step: id, text, arguments });
    }

    /// Writes the message of the model, the results of its calls, and their events.
    fn close_answer(&mut self) {
        let Some(answer) = self.open.take() else { return };
        let Some(step) = self.run.step(answer.first) else { return };
        let calls: Vec<Value> =
            answer.calls.iter().filter_map(|call| self.call_json(call)).collect();
        let model = step.model.as_deref().or(self.run.model.as_deref());
        let content = match answer.content.as_slice() {
            [] => "".into(),
            [only] if only["type"] == "text" => only["text"].clone(),
            _ => Value::from(answer.content),
        };
        let mut message = json!({
            "id": answer.number,
            "content": content,
            "source": "generate",
            "role": "assistant",
            "metadata": known_fields(json!({ "step": answer.number, "started_at": step.started_at })),
        });
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        if let Some(model) = model {
            message["model"] = model.into();
        }
        self.add_model_event(step, &message);
        self.made.messages.push(message.clone());
        self.made.last_answer = Some(message);
        for call in answer.calls {
            self.add_result(call);
        }
    }

    fn call_json(&self, call: &OpenCall) -> Option<Value> {
        let tool = self.run.step(call.step)?.tool.as_ref()?;
        Some(json!({
            "id": call.id,
            "function": tool.name,
            "arguments": call.arguments,
            "type": "function",
        }))
    }

    /// Writes the result of a call as a message, and its event.
    fn add_result(&mut self, call: OpenCall) {
        let Some(step) = self.run.step(call.step) else { return };
        let Some(tool) = &step.tool else { return };
        let message_id = format!("{}-result", call.number);
        let text = call.text.result.unwrap_or_default();
        let mut event = json!({
            "event": "tool",
            "id": call.id,
            "function": tool.name,
            "arguments": call.arguments,
            "result": text,
            "metadata": { "step": call.number },
        });
        if let Some(result) = &tool.result {
            let images = self.images(call.step.turn, Some(call.step));
            let mut message = json!({
                "id": message_id,
                "content": content_json(text, images),
                "role": "tool",
                "tool_call_id": call.id,
                "function": tool.name,
                "metadata": known_fields(json!({
                    "step": call.number,
                    "exit_code": result.exit_code,
                    "started_at": step.started_at,
                    "ended_at": step.ended_at,
                })),
            });
            if result.is_error {
                let words = result.outcome_text().unwrap_or_else(|| "failed".into());
                message["error"] = json!({ "type": "unknown", "message": words });
                event["error"] = message["error"].clone();
            }
            event["message_id"] = message_id.into();
            self.made.messages.push(message);
        }
        event["completed"] = json!(step.ended_at);
        self.add_event(step.started_at, event);
    }

    /// Writes the event of a response. What the model read is not recorded as such, and is empty.
    fn add_model_event(&mut self, step: &Step, message: &Value) {
        let model = message["model"].as_str().unwrap_or("unknown");
        let usage = usage_json(step.tokens);
        if usage.is_some() && step.started_at.is_none() {
            self.untimed_tokens += 1;
        }
        let event = json!({
            "event": "model",
            "model": model,
            "input": [],
            "tools": [],
            "tool_choice": "auto",
            "config": {},
            "output": {
                "model": model,
                "choices": [{ "message": message, "stop_reason": "unknown" }],
                "usage": usage,
            },
        });
        self.add_event(step.started_at, event);
    }

    /// Adds an event with a recorded time: Inspect takes the time of reading where an event has none.
    fn add_event(&mut self, time: Option<Time>, mut event: Value) {
        let Some(time) = time else { return };
        let start = *self.start.get_or_insert(time);
        event["uuid"] = format!("event-{}", self.made.events.len() + 1).into();
        event["timestamp"] = time.to_string().into();
        event["working_start"] = json!(time.seconds_since(start).unwrap_or(0.0));
        self.made.events.push(event);
    }

    /// Returns the images of a step, as media type and Base64; where they are left out counts them.
    fn images(&mut self, turn: usize, step: Option<StepId>) -> Vec<(String, String)> {
        let images = self.archive.images_of_step(self.run, turn, step);
        if !self.with_images {
            self.left_images += images.len();
            return vec![];
        }
        let pair = |image: RecordedImage| (image.media_type, encode_base64(&image.bytes));
        images.into_iter().map(pair).collect()
    }

    fn report_left_out(&mut self) {
        let run = self.run;
        let mut add = |count: usize, what: String| {
            if count > 0 {
                self.made.left_out.push(what);
            }
        };
        let images = count_with_noun(self.left_images, "image");
        add(
            self.left_images,
            format!("{images}, in which nothing can be redacted; --redact off writes them"),
        );
        let agents = count_with_noun(run.subagents.len(), "sub-agent");
        add(run.subagents.len(), format!("the work of {agents}"));
        let answers = count_with_noun(self.untimed_tokens, "message");
        add(
            self.untimed_tokens,
            format!("the tokens of {answers} without a time; the sum has them"),
        );
        let steps = run.turns.iter().flat_map(|turn| &turn.steps);
        let changes = steps.map(|step| step.edits.len()).sum();
        let words = count_with_noun(changes, "change");
        add(changes, format!("{words} of files, but for what the arguments of calls say"));
        let checkpoints = count_with_noun(run.checkpoints.len(), "checkpoint");
        add(run.checkpoints.len(), format!("{checkpoints}, but for the tests of the last"));
        let commits = run.turns.iter().filter(|turn| turn.commit.is_some()).count();
        add(commits, format!("the commits of {}", count_with_noun(commits, "turn")));
    }
}

/// Returns the file and the place of the record that a step is read from.
fn record_of(step: &Step) -> (SourceId, u64) {
    (step.place.source, step.place.start)
}

/// Returns a record without the fields that were not recorded: Inspect View would show their names without a value.
fn known_fields(mut fields: Value) -> Value {
    if let Value::Object(fields) = &mut fields {
        fields.retain(|_, value| !value.is_null());
    }
    fields
}

fn content_json(text: String, images: Vec<(String, String)>) -> Value {
    if images.is_empty() { text.into() } else { content_parts(text, images).into() }
}

/// Returns a text and its images as parts; the words for an image go where the image is there.
fn content_parts(mut text: String, images: Vec<(String, String)>) -> Vec<Value> {
    let mut parts = vec![];
    for (media_type, base64) in images {
        let words = describe_image(&media_type, &base64);
        text = text.replacen(&format!("[image: {words}]"), "", 1);
        let url = format!("data:{media_type};base64,{base64}");
        parts.push(json!({ "type": "image", "image": url }));
    }
    parts.insert(0, json!({ "type": "text", "text": text }));
    parts
}
