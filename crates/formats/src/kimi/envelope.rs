//! The log of the older Kimi CLI, `~/.kimi/sessions/*/*/wire.jsonl`: `{timestamp, message: {type, payload}}` a line.

use crate::{
    chat,
    object::Object,
    records::{Answer, Event, Record, arguments},
};
use trajview_run::Role;

/// Whether a line is a message in its envelope.
pub fn is_one(fields: &Object<'_>) -> bool {
    let message = fields.object("message").unwrap_or_default();
    fields.has("timestamp") && message.has("payload") && message.text("type").is_some()
}

/// What such a line says; None where it is something else.
pub fn message<'t>(fields: &Object<'t>) -> Option<Record<'t>> {
    if !is_one(fields) {
        return None;
    }
    let mut made = Record::default();
    event(&mut made, &fields.object("message").unwrap_or_default());
    Some(made)
}

fn event<'t>(made: &mut Record<'t>, message: &Object<'t>) {
    let payload = message.object("payload").unwrap_or_default();
    let kind = message.text("type").unwrap_or_default();
    match &*kind {
        "TurnBegin" => {
            made.says(Event::Request(arguments::words_of(&payload, "user_input")));
        }
        "SteerInput" => {
            made.says(Event::Said(Role::User, arguments::words_of(&payload, "user_input")));
        }
        "ContentPart" | "TextPart" | "ThinkPart" => match payload.text("think") {
            Some(thought) => made.says_words(Event::Thought, thought),
            None => made.says_words(
                |text| Event::Said(Role::Assistant, text),
                payload.whole().map(arguments::words).unwrap_or_default(),
            ),
        },
        "ToolCall" => made.says(Event::Called(chat::called(&payload))),
        "ToolResult" => {
            let result = payload.object("return_value").or_else(|| payload.object("result"));
            made.says(Event::Answered(Answer {
                call: payload.text("tool_call_id").unwrap_or_default(),
                ..super::answer(&result.unwrap_or_default())
            }));
        }
        "StatusUpdate" => {
            made.tokens = super::tokens(&payload.object("token_usage").unwrap_or_default());
            made.response = payload.text("message_id");
        }
        "CompactionEnd" => made.says(Event::Compacted("the context was summarised".into())),
        "StepInterrupted" => made.says(Event::Failed("the step was interrupted".into())),
        "SubagentEvent" => {
            made.agent = payload.text_of(&["parent_tool_call_id", "task_tool_call_id", "agent_id"]);
            event(made, &payload.object("event").unwrap_or_default());
        }
        "HookResolved" if payload.text("action").as_deref() == Some("block") => {
            made.says_words(Event::Failed, payload.text("reason").unwrap_or_default());
        }
        "ApprovalResponse" | "ApprovalRequestResolved" => {
            made.says_words(
                |text| Event::Said(Role::User, text),
                payload.text("feedback").unwrap_or_default(),
            );
        }
        "TurnEnd" | "StepBegin" | "CompactionBegin" | "HookTriggered" | "HookResolved"
        | "MCPLoadingBegin" | "MCPLoadingEnd" | "Notification" | "PlanDisplay" | "ToolCallPart"
        | "ApprovalRequest" | "QuestionRequest" | "QuestionResponse" | "ToolCallRequest" => {}
        _ => made.says(Event::unknown(kind, "message without a type")),
    }
}
