//! The log of the older Kimi CLI, `~/.kimi/sessions/*/*/wire.jsonl`: `{timestamp, message: {type, payload}}` a line.

use crate::{
    chat,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, arguments},
};
use trajview_run::Role;

/// Returns whether a line is a message in its envelope.
pub fn is_envelope(fields: &JsonObject<'_>) -> bool {
    let message = fields.object("message").unwrap_or_default();
    fields.has_field("timestamp") && message.has_field("payload") && message.text("type").is_some()
}

/// Reads a message in an envelope; None where the record is something else.
pub fn message_record<'t>(fields: &JsonObject<'t>) -> Option<LogRecord<'t>> {
    if !is_envelope(fields) {
        return None;
    }
    let mut made = LogRecord::default();
    add_event(&mut made, &fields.object("message").unwrap_or_default());
    Some(made)
}

fn add_event<'t>(made: &mut LogRecord<'t>, message: &JsonObject<'t>) {
    let payload = message.object("payload").unwrap_or_default();
    let kind = message.text("type").unwrap_or_default();
    match &*kind {
        "TurnBegin" => {
            made.push_event(RecordEvent::Request(arguments::content_field_text(
                &payload,
                "user_input",
            )));
        }
        "SteerInput" => {
            made.push_event(RecordEvent::Message(
                Role::User,
                arguments::content_field_text(&payload, "user_input"),
            ));
        }
        "ContentPart" | "TextPart" | "ThinkPart" => match payload.text("think") {
            Some(thought) => made.push_text(RecordEvent::Thought, thought),
            None => made.push_text(
                |text| RecordEvent::Message(Role::Assistant, text),
                payload.as_value().map(arguments::content_text).unwrap_or_default(),
            ),
        },
        "ToolCall" => made.push_event(RecordEvent::Call(chat::read_call(&payload))),
        "ToolResult" => {
            let result = payload.object("return_value").or_else(|| payload.object("result"));
            made.push_event(RecordEvent::Answer(CallAnswer {
                call: payload.text("tool_call_id").unwrap_or_default(),
                ..super::read_answer(&result.unwrap_or_default())
            }));
        }
        "StatusUpdate" => {
            made.tokens = super::read_tokens(&payload.object("token_usage").unwrap_or_default());
            made.response = payload.text("message_id");
        }
        "CompactionEnd" => {
            made.push_event(RecordEvent::Compacted("the context was summarised".into()))
        }
        "StepInterrupted" => {
            made.push_event(RecordEvent::Failed("the step was interrupted".into()))
        }
        "SubagentEvent" => {
            made.agent =
                payload.first_text(&["parent_tool_call_id", "task_tool_call_id", "agent_id"]);
            add_event(made, &payload.object("event").unwrap_or_default());
        }
        "HookResolved" if payload.text("action").as_deref() == Some("block") => {
            made.push_text(RecordEvent::Failed, payload.text("reason").unwrap_or_default());
        }
        "ApprovalResponse" | "ApprovalRequestResolved" => {
            made.push_text(
                |text| RecordEvent::Message(Role::User, text),
                payload.text("feedback").unwrap_or_default(),
            );
        }
        "TurnEnd" | "StepBegin" | "CompactionBegin" | "HookTriggered" | "HookResolved"
        | "MCPLoadingBegin" | "MCPLoadingEnd" | "Notification" | "PlanDisplay" | "ToolCallPart"
        | "ApprovalRequest" | "QuestionRequest" | "QuestionResponse" | "ToolCallRequest" => {}
        _ => made.push_event(RecordEvent::unknown_kind(kind, "message without a type")),
    }
}
