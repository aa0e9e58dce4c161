//! A run as OTLP JSON with the attributes of OpenTelemetry's conventions for generative AI: a span for each turn, below it a
//! span for each response of the model and for each call with a result.

use serde_json::{Map, Value, json};

use trajview_run::{RecordPlace, Role, Run, Step, StepId, StepKind, Time, Tokens, ToolCall, Turn};

use super::{Archive, ExportWriter, ExportedDocument, arguments_object};
use crate::digest::sha256;

/// The kinds of spans, as OTLP numbers them.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;

/// The status of a span that failed.
const STATUS_ERROR: u8 = 2;

/// The attribute with the id of the run.
const CONVERSATION: &str = "gen_ai.conversation.id";

/// The class of an error of which no more is known.
const OTHER_ERROR: &str = "_OTHER";

/// Returns the run as one request of OTLP, `ExportTraceServiceRequest`. The conventions require a provider, which no recording
/// states; it is left out. The ids are numbers: [`set_span_ids`] completes them, after the texts are redacted.
pub fn to_otlp(run: &Run, archive: &Archive) -> ExportedDocument {
    let mut writer = SpanWriter {
        base: ExportWriter::new(run, archive),
        last_id: 0,
        spans: vec![],
        open: None,
        counts: NotWritten::default(),
    };
    for turn in 0..run.turns.len() {
        writer.add_turn(turn);
    }
    writer.add_evaluations();
    writer.report_not_written();
    let service = if run.agent.name.is_empty() { "unknown" } else { &run.agent.name };
    let scope = json!({ "name": "trajview", "version": env!("CARGO_PKG_VERSION") });
    let document = json!({ "resourceSpans": [{
        "resource": { "attributes": attributes([("service.name", service.into())]) },
        "scopeSpans": [{ "scope": scope, "spans": writer.spans }],
    }] });
    ExportedDocument { document, left_out: writer.base.left_out }
}

/// Replaces the numbers of spans with ids as OTLP has them, in hex digits, and sets the id of the conversation. The same name
/// of a run gives the same ids.
pub fn set_span_ids(document: &mut Value, run: &str) {
    let digits = |text: String, count: usize| -> String {
        sha256(text.as_bytes()).chars().take(count).collect()
    };
    let Some(spans) = document.pointer_mut("/resourceSpans/0/scopeSpans/0/spans") else { return };
    for span in spans.as_array_mut().into_iter().flatten() {
        span["traceId"] = digits(run.to_owned(), 32).into();
        for key in ["spanId", "parentSpanId"] {
            if let Some(number) = span.get(key).and_then(Value::as_u64) {
                span[key] = digits(format!("{run}/{number}"), 16).into();
            }
        }
        for attribute in span["attributes"].as_array_mut().into_iter().flatten() {
            if attribute["key"] == CONVERSATION {
                attribute["value"] = json!({ "stringValue": run });
            }
        }
    }
}

/// The numbers of steps and texts that the conventions have no place for.
#[derive(Clone, Copy, Default)]
struct NotWritten {
    program_messages: usize,
    compactions: usize,
    unknown_records: usize,
    texts_of_calls: usize,
}

struct SpanWriter<'r> {
    base: ExportWriter<'r>,
    last_id: u64,
    spans: Vec<Value>,
    open: Option<OpenResponse>,
    counts: NotWritten,
}

/// A response of the model to which the next steps may belong.
#[derive(Default)]
struct OpenResponse {
    parts: Vec<Value>,
    started_at: Option<Time>,
    tokens: Tokens,
    model: Option<String>,
    /// The spans of the calls' results.
    results: Vec<Value>,
    /// The record of the last call.
    record: Option<RecordPlace>,
}

impl SpanWriter<'_> {
    fn add_turn(&mut self, turn: usize) {
        let run = self.base.run;
        let recorded = &run.turns[turn];
        let mut known =
            vec![("gen_ai.operation.name", "invoke_agent".into()), (CONVERSATION, String::new())];
        let name = Some(run.agent.name.as_str()).filter(|name| !name.is_empty());
        known.extend(name.map(|name| ("gen_ai.agent.name", name.to_owned())));
        known.extend(run.agent.version.clone().map(|it| ("gen_ai.agent.version", it)));
        if recorded.request.is_some() {
            let text = self.base.archive.request_text(run, turn);
            let message = json!([{ "role": "user", "parts": [text_part("text", &text)] }]);
            known.push(("gen_ai.input.messages", message.to_string()));
        }
        let title = format!("invoke_agent {}", name.unwrap_or("agent"));
        let times = (recorded.started_at, recorded.ended_at);
        let span = self.new_span(None, &title, INTERNAL, times, attributes(known));
        let parent = self.last_id;
        self.spans.push(span);
        for step in 0..recorded.steps.len() {
            self.add_step(StepId { turn, subagent: None, step }, parent);
        }
        self.close_response(parent);
        self.report_turn(turn, recorded);
    }

    fn report_turn(&mut self, turn: usize, recorded: &Turn) {
        let steps = recorded.steps.iter().filter(|step| is_of_model(step));
        let counted = steps.fold(Tokens::default(), |sum, step| sum + step.tokens);
        if counted != recorded.tokens {
            self.base.left_out.push(format!("tokens of turn {} that no response has", turn + 1));
        }
    }

    /// Returns a span with the next number as its id.
    fn new_span(
        &mut self,
        parent: Option<u64>,
        name: &str,
        kind: u8,
        (start, end): (Option<Time>, Option<Time>),
        attributes: Vec<Value>,
    ) -> Value {
        self.last_id += 1;
        let mut span = json!({ "traceId": "", "spanId": self.last_id, "name": name, "kind": kind });
        if let Some(parent) = parent {
            span["parentSpanId"] = parent.into();
        }
        for (key, time) in [("startTimeUnixNano", start), ("endTimeUnixNano", end.or(start))] {
            let nanos = time.and_then(|time| u64::try_from(time.0).ok()?.checked_mul(1_000_000));
            if let Some(nanos) = nanos {
                span[key] = nanos.to_string().into();
            }
        }
        span["attributes"] = attributes.into();
        span
    }

    fn add_step(&mut self, id: StepId, parent: u64) {
        let Some(step) = self.base.run.step(id) else { return };
        match (step.kind, step.role) {
            (StepKind::Thinking, _) | (StepKind::Message, Role::Assistant) => {
                let kind = if step.kind == StepKind::Thinking { "reasoning" } else { "text" };
                let text = self.base.archive.step_text(self.base.run, id).text;
                let open = self.open_response(step, parent);
                open.parts.push(text_part(kind, &text));
            }
            (StepKind::Tool | StepKind::SubAgent, _) => {
                if let Some(tool) = &step.tool {
                    self.add_call(id, step, tool, parent);
                }
            }
            (StepKind::Message, Role::System) if step.is_error => {
                self.add_failure(id, step, parent)
            }
            (StepKind::Message, _) => self.counts.program_messages += 1,
            (StepKind::Compaction, _) => self.counts.compactions += 1,
            (StepKind::Unknown, _) => self.counts.unknown_records += 1,
        }
    }

    fn add_call(&mut self, id: StepId, step: &Step, tool: &ToolCall, parent: u64) {
        let text = self.base.archive.step_text(self.base.run, id);
        self.counts.texts_of_calls += usize::from(!text.text.is_empty());
        let call = match &*tool.call_id {
            "" => format!("call-{}-{}", id.turn + 1, id.step + 1),
            call => call.to_owned(),
        };
        let arguments = arguments_object(text.arguments.as_deref().unwrap_or_default());
        let open = self.open_response(step, parent);
        open.parts.push(
            json!({ "type": "tool_call", "id": call, "name": tool.name, "arguments": arguments }),
        );
        open.record = Some(step.place.with_part(0));
        let Some(result) = &tool.result else { return };
        let mut known = vec![
            ("gen_ai.operation.name", "execute_tool".into()),
            ("gen_ai.tool.name", tool.name.to_string()),
            ("gen_ai.tool.call.id", call),
            ("gen_ai.tool.call.arguments", arguments.to_string()),
            ("gen_ai.tool.call.result", text.result.unwrap_or_default()),
        ];
        if result.is_error {
            known.push(("error.type", OTHER_ERROR.into()));
        }
        let name = format!("execute_tool {}", tool.name);
        let times = (step.started_at, step.ended_at);
        let mut span = self.new_span(Some(parent), &name, INTERNAL, times, attributes(known));
        if result.is_error {
            span["status"] = json!({ "code": STATUS_ERROR });
        }
        if let Some(open) = &mut self.open {
            open.results.push(span);
        }
    }

    /// Adds a response that failed.
    fn add_failure(&mut self, id: StepId, step: &Step, parent: u64) {
        self.close_response(parent);
        let text = self.base.archive.step_text(self.base.run, id).text;
        let known = [
            ("gen_ai.operation.name", "chat".to_owned()),
            (CONVERSATION, String::new()),
            ("error.type", OTHER_ERROR.to_owned()),
        ];
        let times = (step.started_at, step.ended_at);
        let mut span = self.new_span(Some(parent), "chat", CLIENT, times, attributes(known));
        span["status"] = json!({ "code": STATUS_ERROR, "message": text });
        self.spans.push(span);
    }

    /// Returns the response that a step of the model belongs to, and opens a new one where none is open: calls end it,
    /// but for those in the same record.
    fn open_response(&mut self, step: &Step, parent: u64) -> &mut OpenResponse {
        let record = step.place.with_part(0);
        if self.open.as_ref().is_some_and(|open| open.record.is_some_and(|last| last != record)) {
            self.close_response(parent);
        }
        let open = self.open.get_or_insert_default();
        open.started_at = open.started_at.or(step.started_at);
        open.tokens = open.tokens + step.tokens;
        open.model = open.model.take().or_else(|| step.model.as_deref().map(str::to_owned));
        open
    }

    fn close_response(&mut self, parent: u64) {
        let Some(open) = self.open.take() else { return };
        let run = self.base.run;
        let model = open.model.or_else(|| run.model.clone());
        let message = json!([{ "role": "assistant", "parts": open.parts }]);
        let mut known = vec![
            ("gen_ai.operation.name", "chat".to_owned()),
            (CONVERSATION, String::new()),
            ("gen_ai.output.messages", message.to_string()),
        ];
        let name = model.as_deref().map_or("chat".to_owned(), |model| format!("chat {model}"));
        known.extend(model.map(|model| ("gen_ai.response.model", model)));
        let mut known = attributes(known);
        let counts = [
            ("gen_ai.usage.input_tokens", open.tokens.input),
            ("gen_ai.usage.output_tokens", open.tokens.output),
            ("gen_ai.usage.cache_read.input_tokens", open.tokens.cached_input),
            ("gen_ai.usage.cache_creation.input_tokens", open.tokens.cache_write),
            ("gen_ai.usage.reasoning.output_tokens", open.tokens.reasoning),
        ];
        let counts = counts.into_iter().filter_map(|(key, count)| Some((key, count?)));
        known.extend(
            counts.map(
                |(key, count)| json!({ "key": key, "value": { "intValue": count.to_string() } }),
            ),
        );
        let times = (open.started_at, None);
        let span = self.new_span(Some(parent), &name, CLIENT, times, known);
        self.spans.push(span);
        self.spans.extend(open.results);
    }

    /// Adds the scores that a harness recorded of the run, as events of the last turn.
    fn add_evaluations(&mut self) {
        let Some(trial) = self.base.run.trial.as_deref() else { return };
        let name = trial.reward_name.as_deref().unwrap_or("reward");
        let label = trial.outcome.map(|outcome| outcome.word());
        let first = (name, trial.reward, label);
        let others = trial.other_rewards.iter().map(|(name, value)| (&**name, Some(*value), None));
        let scores = std::iter::once(first).chain(others);
        let scores = scores.filter(|(_, value, label)| value.is_some() || label.is_some());
        let is_turn = |span: &&mut Value| span.get("parentSpanId").is_none();
        let Some(span) = self.spans.iter_mut().rev().find(is_turn) else { return };
        let time = span.get("endTimeUnixNano").cloned();
        let event = |(name, value, label): (&str, Option<f64>, Option<&str>)| {
            let mut known = attributes([("gen_ai.evaluation.name", name.to_owned())]);
            known.extend(value.filter(|value| value.is_finite()).map(|value| {
                json!({ "key": "gen_ai.evaluation.score.value", "value": { "doubleValue": value } })
            }));
            known.extend(attributes(
                label.map(|label| ("gen_ai.evaluation.score.label", label.to_owned())),
            ));
            let mut event = Map::new();
            event.extend(time.clone().map(|time| ("timeUnixNano".to_owned(), time)));
            event.insert("name".into(), "gen_ai.evaluation.result".into());
            event.insert("attributes".into(), known.into());
            Value::Object(event)
        };
        let events: Vec<Value> = scores.map(event).collect();
        if !events.is_empty() {
            span["events"] = events.into();
        }
    }

    fn report_not_written(&mut self) {
        let run = self.base.run;
        let NotWritten { program_messages, compactions, unknown_records, texts_of_calls } =
            self.counts;
        let changes =
            run.turns.iter().flat_map(|turn| &turn.steps).any(|step| !step.edits.is_empty());
        let costs = run.turns.iter().filter(|turn| turn.cost_usd.is_some()).count();
        let agents = run.subagents.len();
        let reasons = [
            (agents, format!("what {agents} sub-agents did")),
            (program_messages, format!("{program_messages} messages of the agent's program")),
            (compactions, format!("{compactions} cuts of the context")),
            (unknown_records, format!("{unknown_records} records of unknown kinds")),
            (texts_of_calls, format!("texts beside {texts_of_calls} calls")),
            (costs, format!("the costs of {costs} turns")),
            (
                usize::from(changes),
                "changes of files, but for what the arguments of calls say".to_owned(),
            ),
        ];
        let reasons = reasons.into_iter().filter(|(count, _)| *count > 0);
        self.base.left_out.extend(reasons.map(|(_, reason)| reason));
        self.base.report_left_out();
    }
}

/// Returns whether a step is a part of a response of the model.
fn is_of_model(step: &Step) -> bool {
    match step.kind {
        StepKind::Thinking => true,
        StepKind::Message => step.role == Role::Assistant,
        StepKind::Tool | StepKind::SubAgent => step.tool.is_some(),
        StepKind::Compaction | StepKind::Unknown => false,
    }
}

fn text_part(kind: &str, text: &str) -> Value {
    json!({ "type": kind, "content": text })
}

/// Returns texts as attributes of OTLP.
fn attributes<'k>(known: impl IntoIterator<Item = (&'k str, String)>) -> Vec<Value> {
    let attribute =
        |(key, value): (&str, String)| json!({ "key": key, "value": { "stringValue": value } });
    known.into_iter().map(attribute).collect()
}
