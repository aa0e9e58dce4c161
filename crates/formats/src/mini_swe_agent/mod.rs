//! mini-swe-agent's trajectories: `*.traj.json`, a list of messages (up to 1.x) or an object with `info` and `messages`
//! (formats 1 and 1.1). The first versions write a command between fences and its outcome in the next message of the user.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, exit_status, head_json,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, RecordedCall, arguments},
    tape::TapeValue,
};
use trajview_run::Role;

pub struct MiniSweAgent;

impl RecordFormat for MiniSweAgent {
    fn name(&self) -> &'static str {
        "mini-swe-agent"
    }

    fn short_description(&self) -> &'static str {
        "mini-swe-agent trajectory, *.traj.json; files are changed by commands alone"
    }

    fn sample_path(&self) -> &'static str {
        "logs/mini-swe-agent.traj.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::AtTheEnd)
            .with_tokens()
            .with_cost()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_object = |object: &JsonObject<'_>| {
            let info = object.object("info").unwrap_or_default();
            let format = object.text("trajectory_format").unwrap_or_default();
            format.starts_with("mini-swe-agent")
                || info.has_field("mini_version")
                || (object.has_field("messages") && info.has_field("model_stats"))
        };
        // Of a list the first messages show it: the fences that it asks for, and what it answers to them.
        let is_list = |needle: &str| {
            let is_message =
                |object: &JsonObject<'_>| object.has_field("role") && object.has_field("content");
            head.bytes.trim_ascii_start().starts_with(b"[")
                && head_json::any_object(head, &["\"role\"", needle], is_message)
        };
        head_json::any_object(head, &["\"info\""], is_object)
            || is_list("<returncode>")
            || is_list("mswea_bash_command")
            || (is_list("```bash") && is_list("can interact with a computer"))
            || is_lines(head)
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        record.facts.agent = Some(Cow::Borrowed("mini-swe-agent"));
        let Some(info) =
            JsonObject::from_value(document).and_then(|document| document.object("info"))
        else {
            return record;
        };
        let config = info.object("config").unwrap_or_default();
        let stats = info.object("model_stats").unwrap_or_default();
        record.facts.version = info.text("mini_version");
        record.facts.model = config.object("model").and_then(|model| model.text("model_name"));
        let environment = config.object("environment").unwrap_or_default();
        record.facts.root = environment.text("cwd").filter(|folder| folder.starts_with('/'));
        record.facts.task =
            JsonObject::from_value(document).and_then(|document| document.text("instance_id"));
        record.cost_usd = stats.float("instance_cost");
        let status = info.text("exit_status").filter(|status| !status.is_empty());
        record.trial = status.map(|status| Box::new(exit_status::result_of_status(&status)));
        record
    }

    fn task_of_source(&self, source: &str) -> Option<String> {
        exit_status::instance_of_name(source)
    }

    /// Returns the messages, and after them `info`, which has the submission.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(document) = JsonObject::from_value(value) else {
            return value.elements().collect();
        };
        if document.has_field("role") {
            return vec![value];
        }
        document.elements_of("messages").into_iter().chain(document.get("info")).collect()
    }

    fn record_list_key(&self) -> Option<&'static str> {
        Some("messages")
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let extra = fields.object("extra").unwrap_or_default();
        if fields.text("type").as_deref() == Some("function_call_output") {
            return call_output_record(&fields, &extra);
        }
        if !fields.has_field("role") {
            let diff = fields.text("submission").filter(|diff| diff.contains("--- "));
            return diff
                .map(|diff| LogRecord::from_event(RecordEvent::FinalDiff(diff)))
                .unwrap_or_default();
        }
        let mut made = match fields.get("output").filter(|output| output.is_list()) {
            Some(output) => response_record(output),
            None => chat::message_record(&fields),
        };
        made.time = chat::first_time(&extra, &["timestamp"]);
        made.cost_usd = extra.float("cost");
        let usage = extra.object("response").and_then(|response| response.object("usage"));
        if let Some(usage) = usage.or_else(|| fields.object("usage")) {
            made.tokens = chat::read_usage(&usage);
        }
        let role = fields.text("role").unwrap_or_default();
        for event in &mut made.events {
            let RecordEvent::Request(text) = event else { continue };
            if text.trim_start().starts_with("diff --git ") {
                *event = RecordEvent::FinalDiff(std::mem::take(text));
            } else if let Some(request_text) =
                REQUEST_STARTS.iter().find_map(|mark| text.strip_prefix(mark))
            {
                *text = Cow::Owned(request_text.to_owned());
            }
        }
        match &*role {
            "exit" => {
                let text = extra.text("exit_status").or_else(|| fields.text("content"));
                made.events = vec![RecordEvent::Message(Role::System, text.unwrap_or_default())];
            }
            "user" | "environment" => mark_outcomes(&mut made, &extra),
            "tool" => {
                let code = extra.integer("returncode");
                for event in &mut made.events {
                    if let RecordEvent::Answer(answer) = event {
                        answer.exit_code = code.or(answer.exit_code);
                        answer.is_error |= answer.exit_code.is_some_and(|code| code != 0);
                    }
                }
            }
            "assistant" => add_commands(&mut made, &extra),
            _ => {}
        }
        made
    }
}

/// Returns a response of OpenAI's Responses API, by the items of its output.
fn response_record<'t>(output: TapeValue<'t>) -> LogRecord<'t> {
    let mut made = LogRecord::default();
    for item in output.elements().filter_map(JsonObject::from_value) {
        match &*item.text("type").unwrap_or_default() {
            "reasoning" => {
                let text =
                    ["summary", "content"].map(|key| arguments::content_field_text(&item, key));
                let [summary, content] = text;
                made.push_text(
                    RecordEvent::Thought,
                    if content.is_empty() { summary } else { content },
                );
            }
            "message" => {
                let text = arguments::content_field_text(&item, "content");
                made.push_text(|text| RecordEvent::Message(Role::Assistant, text), text);
            }
            "function_call" | "custom_tool_call" => {
                made.push_event(RecordEvent::Call(chat::read_call(&item)));
            }
            kind => made.push_event(RecordEvent::Unknown(Cow::Owned(kind.to_owned()))),
        }
    }
    made
}

/// Returns the result of a call of the Responses API, which has no role.
fn call_output_record<'t>(fields: &JsonObject<'t>, extra: &JsonObject<'t>) -> LogRecord<'t> {
    let mut answer = chat::read_answer(fields);
    answer.exit_code = extra.integer("returncode").or(answer.exit_code);
    answer.is_error |= answer.exit_code.is_some_and(|code| code != 0);
    let mut record = LogRecord::from_event(RecordEvent::Answer(answer));
    record.time = chat::first_time(extra, &["timestamp"]);
    record
}

/// Texts that the program puts before a person's request.
const REQUEST_STARTS: [&str; 2] = ["Please solve this issue: ", "The user added a new task: "];

/// Returns whether a file has one message per line, as a harness writes it.
fn is_lines(head: &FileHead<'_>) -> bool {
    let is_message = |object: &JsonObject<'_>| {
        object.has_field("role") && object.has_field("content") && !object.has_field("type")
    };
    head.name.starts_with("trajectory")
        && head_json::all_objects(head, &["\"role\""], is_message)
        && head_json::any_object(head, &["<returncode>"], |_| true)
}

/// Marks the messages of the user that answer a command.
fn mark_outcomes(made: &mut LogRecord<'_>, extra: &JsonObject<'_>) {
    for event in &mut made.events {
        let RecordEvent::Request(text) = event else { continue };
        let code = chat::exit_code_in(text).filter(|_| text.trim_start().starts_with(['<', '{']));
        let is_outcome =
            code.is_some() || extra.has_field("returncode") || text.starts_with("Observation:");
        if is_outcome {
            let exit_code = extra.integer("returncode").or(code);
            let is_error = exit_code.is_some_and(|code| code != 0);
            let text = std::mem::take(text);
            *event = RecordEvent::Answer(CallAnswer {
                text,
                exit_code,
                is_error,
                ..CallAnswer::default()
            });
        }
    }
}

/// Adds the commands in a message without tool calls.
fn add_commands<'t>(made: &mut LogRecord<'t>, extra: &JsonObject<'t>) {
    if made.events.iter().any(|event| matches!(event, RecordEvent::Call(_))) {
        return;
    }
    let action_commands: Vec<Cow<'t, str>> = extra
        .elements_of("actions")
        .into_iter()
        .filter_map(|action| JsonObject::from_value(action)?.text("command"))
        .collect();
    let words = made.events.iter().find_map(|event| match event {
        RecordEvent::Message(_, text) => Some(text.clone()),
        _ => None,
    });
    let fenced =
        || words.as_deref().and_then(chat::fenced_command).map(|text| Cow::Owned(text.to_owned()));
    let commands =
        if action_commands.is_empty() { fenced().into_iter().collect() } else { action_commands };
    for main in commands {
        let call = RecordedCall {
            name: "bash".into(),
            arguments: main.clone(),
            main,
            ..RecordedCall::default()
        };
        made.push_event(RecordEvent::Call(call));
    }
}
