//! Messages as opencode 2 keeps them: `{type, time, ...}`, the model's text in `content`.

use std::borrow::Cow;

use crate::{
    chat,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordedCall, arguments},
};
use trajview_run::Role;

/// Reads a message of opencode 2; None for another record, such as a part of a message of opencode 1.
pub fn message_record<'t>(fields: &JsonObject<'t>) -> Option<LogRecord<'t>> {
    if fields.has_field("messageID") {
        return None;
    }
    let kind = fields.text("type")?;
    let text = || fields.text("text").unwrap_or_default();
    let mut made = LogRecord { id: fields.text("id"), ..LogRecord::default() };
    made.time = fields.object("time").and_then(|time| chat::first_time(&time, &["created"]));
    made.agent = fields.text("agent_session");
    match &*kind {
        "user" => {
            made.push_event(RecordEvent::Request(text()));
            for key in ["files", "agents", "skills", "references"] {
                fields.elements_of(key).into_iter().filter_map(JsonObject::from_value).for_each(
                    |attached| {
                        let name = attached.first_text(&["name", "uri", "id"]).unwrap_or_default();
                        let what = format!("[{} {name}]", key.trim_end_matches('s'));
                        made.push_event(RecordEvent::Message(Role::System, what.into()));
                    },
                );
            }
        }
        "synthetic" | "system" | "skill" => {
            made.push_text(|text| RecordEvent::Message(Role::System, text), text());
        }
        "shell" => made.push_event(RecordEvent::Call(shell_call(fields))),
        "assistant" => add_assistant(&mut made, fields),
        "compaction" => add_compaction(&mut made, fields),
        "model-switched" | "agent-switched" | "location-switched" | "idle" => {}
        _ => return None,
    }
    if matches!(&*kind, "assistant" | "compaction" | "model-switched") {
        made.facts.model = fields.object("model").and_then(|it| it.first_text(&["id", "modelID"]));
    }
    Some(made)
}

fn add_assistant<'t>(made: &mut LogRecord<'t>, fields: &JsonObject<'t>) {
    made.tokens = super::read_tokens(fields);
    made.cost_usd = fields.float("cost");
    for part in fields.elements_of("content").into_iter().filter_map(JsonObject::from_value) {
        let text = part.text("text").unwrap_or_default();
        let kind = part.text("type").unwrap_or_default();
        match &*kind {
            "text" => made.push_text(|text| RecordEvent::Message(Role::Assistant, text), text),
            "reasoning" => made.push_text(RecordEvent::Thought, text),
            "tool" => made.push_event(RecordEvent::Call(tool_call(&part))),
            _ => made.push_event(RecordEvent::unknown_kind(kind, "part without a type")),
        }
    }
    if let Some(error) = fields.get("error") {
        made.push_event(RecordEvent::Failed(arguments::error_text(error)));
    }
}

fn add_compaction<'t>(made: &mut LogRecord<'t>, fields: &JsonObject<'t>) {
    made.tokens = super::read_tokens(fields);
    made.cost_usd = fields.float("cost");
    match fields.text("status").as_deref() {
        Some("running") => {}
        Some("failed") => made.push_event(RecordEvent::Failed(
            fields.get("error").map(arguments::error_text).unwrap_or_default(),
        )),
        _ => {
            let summary = fields.text("summary").filter(|summary| !summary.trim().is_empty());
            let summary = summary.unwrap_or(Cow::Borrowed("the context was summarised"));
            made.push_event(RecordEvent::Compacted(summary));
        }
    }
}

fn tool_call<'t>(part: &JsonObject<'t>) -> RecordedCall<'t> {
    let state = part.object("state").unwrap_or_default();
    let name = part.text("name").unwrap_or_default();
    let id = part.first_text(&["callID", "id"]);
    let mut call = arguments::call_from_arguments(name, id, state.get("input"));
    let details =
        state.object("metadata").or_else(|| state.object("structured")).unwrap_or_default();
    let agent = details.first_text(&["sessionID", "sessionId"]);
    let is_agent = matches!(&*call.name, "task" | "subagent");
    let status = state.text("status").unwrap_or_default();
    if !matches!(&*status, "completed" | "error") {
        return call;
    }
    let printed = arguments::content_field_text(&state, "content");
    let why = state.get("error").map(arguments::error_text).unwrap_or_default();
    let text = match (printed.trim().is_empty(), why.is_empty() || printed.contains(&*why)) {
        (true, true) => state.get("result").map(arguments::content_text).unwrap_or(why),
        (true, false) => why,
        (false, true) => printed,
        (false, false) => format!("{printed}\n{why}").into(),
    };
    let exit_code = details.integer("exit").or_else(|| details.integer("exitCode"));
    call.answer = Some(CallAnswer {
        is_error: status == "error" || exit_code.is_some_and(|code| code != 0),
        is_ok: status == "completed" && exit_code.is_none(),
        exit_code,
        ended_at: part.object("time").and_then(|time| chat::first_time(&time, &["completed"])),
        agent: agent.filter(|_| is_agent),
        text,
        ..CallAnswer::default()
    });
    call
}

/// Returns a command that the user had the program run.
fn shell_call<'t>(fields: &JsonObject<'t>) -> RecordedCall<'t> {
    let id = fields.first_text(&["callID", "shellID", "id"]);
    let mut call = arguments::call_from_arguments("shell", id, fields.get("command"));
    let exit_code = fields.integer("exit");
    let output = fields.get("output").map(arguments::content_text);
    if output.is_some() || exit_code.is_some() {
        call.answer = Some(CallAnswer {
            text: output.unwrap_or_default(),
            is_error: exit_code.is_some_and(|code| code != 0),
            exit_code,
            ended_at: fields.object("time").and_then(|it| chat::first_time(&it, &["completed"])),
            ..CallAnswer::default()
        });
    }
    call
}
