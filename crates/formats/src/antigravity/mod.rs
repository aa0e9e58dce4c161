//! Antigravity's transcripts: `brain/**/transcript.jsonl`, from which RigorBench's recordings were made. Calls have no ids:
//! the observations of a response's calls follow it in their order.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::{self, JsonObject},
    records::{
        CallAnswer, FileEdit, LogRecord, RecordEvent, RecordFormat, RecordedCall, arguments,
    },
    tape::TapeValue,
};
use crate::json_object::JsonFields;
use trajview_run::{EditKind, Role, files::RecordedChange};

pub struct Antigravity;

impl RecordFormat for Antigravity {
    fn name(&self) -> &'static str {
        "antigravity"
    }

    fn short_description(&self) -> &'static str {
        "Antigravity transcript, brain/**/transcript.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "logs/antigravity.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text).with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"step_index\""], |object| {
            object.has_field("step_index") && object.has_field("source") && object.has_field("type")
        })
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = event_record(&fields);
        made.time = chat::first_time(&fields, &["created_at"]);
        made.facts.agent = Some(Cow::Borrowed("antigravity"));
        if let Some(usage) = fields.object("usage") {
            made.tokens = chat::read_usage(&usage);
        }
        made
    }
}

fn event_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made = LogRecord::default();
    let kind = fields.text("type").unwrap_or_default();
    let content = fields.text("content").unwrap_or_default();
    match &*kind {
        "USER_INPUT" => {
            let request_text = text_between(&content, "<USER_REQUEST>", "</USER_REQUEST>");
            made.push_event(RecordEvent::Request(
                request_text.map_or(content.clone(), |text| Cow::Owned(text.to_owned())),
            ));
        }
        "PLANNER_RESPONSE" | "NOTIFY_USER" => {
            made.push_text(RecordEvent::Thought, fields.text("thinking").unwrap_or_default());
            made.push_text(|text| RecordEvent::Message(Role::Assistant, text), content);
            for call in
                fields.elements_of("tool_calls").into_iter().filter_map(JsonObject::from_value)
            {
                made.push_event(RecordEvent::Call(read_call(&call)));
            }
        }
        "CHECKPOINT" => made.push_event(RecordEvent::Compacted(content)),
        "ERROR_MESSAGE" => made.push_event(RecordEvent::Failed(content)),
        "SYSTEM_MESSAGE" | "EPHEMERAL_MESSAGE" | "KNOWLEDGE_ARTIFACTS" | "TASK_BOUNDARY" => {
            made.push_text(|text| RecordEvent::Message(Role::System, text), content)
        }
        "CONVERSATION_HISTORY" | "USER_SETTINGS" => {}
        "" => made.push_event(RecordEvent::Unknown("step without a type".into())),
        _ if is_observation_kind(&kind) => {
            made.push_event(RecordEvent::Answer(read_answer(fields, &kind, content)))
        }
        _ => made.push_event(RecordEvent::Unknown(kind)),
    }
    made
}

/// Returns whether a kind of step is the observation of a call.
fn is_observation_kind(kind: &str) -> bool {
    let verbs = [
        "RUN_",
        "VIEW_",
        "LIST_",
        "CODE_",
        "SEARCH_",
        "GREP_",
        "FIND_",
        "READ_",
        "WRITE_",
        "COMMAND_",
        "BROWSER_",
        "OPEN_",
        "CLICK_",
        "MCP_",
        "GENERATE_",
        "PROPOSE_",
        "SEND_",
        "EXECUTE_",
        "DELETE_",
        "MOVE_",
        "CAPTURE_",
        "WAIT",
        "INVOKE_",
    ];
    kind == "GENERIC" || verbs.iter().any(|verb| kind.starts_with(verb))
}

/// Reads a call, whose arguments are texts with JSON in them.
fn read_call<'t>(call: &JsonObject<'t>) -> RecordedCall<'t> {
    let name = call.text("name").unwrap_or_default();
    let Some(args) = call.object("args") else {
        return arguments::call_from_arguments(name, None, call.get("args"));
    };
    let mut plain = serde_json::Map::new();
    for (key, value) in args.fields() {
        let text = json_object::string_text(value).unwrap_or(Cow::Borrowed(value.get()));
        let value = serde_json::from_str(&text)
            .unwrap_or_else(|_| serde_json::Value::String(text.into_owned()));
        plain.insert(key.into_owned(), value);
    }
    let main = [
        "CommandLine",
        "AbsolutePath",
        "TargetFile",
        "DirectoryPath",
        "SearchPath",
        "Query",
        "query",
        "Url",
    ];
    let main = main.iter().find_map(|key| plain.text(key)).unwrap_or_default().to_owned();
    let arguments = serde_json::Value::Object(plain).to_string();
    let edits = arguments::edits_of_call(&name, &arguments);
    RecordedCall {
        name,
        arguments: arguments.into(),
        main: main.into(),
        edits,
        ..RecordedCall::default()
    }
}

fn read_answer<'t>(fields: &JsonObject<'t>, kind: &str, text: Cow<'t, str>) -> CallAnswer<'t> {
    let status = fields.text("status").unwrap_or_default();
    let exit_code = chat::exit_code_in(&text).filter(|_| kind == "RUN_COMMAND");
    let failed = matches!(&*status, "ERROR" | "FAILED" | "CANCELED");
    let edits = if kind == "CODE_ACTION" && !failed { code_action_edits(&text) } else { vec![] };
    CallAnswer {
        is_error: failed || exit_code.is_some_and(|code| code != 0),
        exit_code,
        edits,
        text,
        ..CallAnswer::default()
    }
}

/// Returns a code action names its file and shows what changed, `[diff_block_start]` and all.
fn code_action_edits(text: &str) -> Vec<FileEdit> {
    let path = ["file:///", "The following changes were made by", "Target File: "].iter().find_map(
        |mark| {
            let rest = text.split_once(mark)?.1;
            let path = rest
                .split([' ', '`', '\n', '\'', '"', ')'])
                .find(|word| word.contains('/') || word.contains('.'))?;
            let path = path.trim_end_matches(['.', ',', ':']);
            Some(if *mark == "file:///" { format!("/{path}") } else { path.to_owned() })
        },
    );
    let hunks = text_between(text, "[diff_block_start]", "[diff_block_end]")
        .map(trajview_code::patch::parse_unified)
        .unwrap_or_default();
    let change =
        if hunks.is_empty() { RecordedChange::NotRecorded } else { RecordedChange::Patch(hunks) };
    path.map(|path| FileEdit::new(path, EditKind::Modify, change)).into_iter().collect()
}

fn text_between<'t>(text: &'t str, from: &str, to: &str) -> Option<&'t str> {
    Some(text.split_once(from)?.1.split_once(to)?.0.trim_matches('\n'))
}
