//! Our own protocol for judges that only read text and print text: the whole conversation is sent each time, and the
//! reply is one JSON object, a tool call or the answer. `assets/judge/command.md` has the rules.
//!
//! The answer may come wrapped as `claude -p --output-format json` prints it; the tokens are then read as well.

use serde_json::{Value, json};

use crate::{
    answer::objects_in,
    conversation::{Conversation, ConversationEntry, JudgeReply, ReplyCall, ReplyUsage},
    fault::JudgeFault,
    flags,
    prompt::fill_blanks,
    scale,
    tools::{self, TOOLS},
};

use super::fields;

/// The rules; part of every input of a command, whatever the prompt.
pub const RULES: &str = trajview_assets::COMMAND_PROTOCOL;

/// Returns the input of a program.
pub(crate) fn conversation_text(conversation: &Conversation) -> String {
    let scale = conversation.scale;
    let rules = fill_blanks(RULES, &|name| match name {
        "tools" => Some(tools_in_words()),
        "call" => Some(scale::answer_call(scale).to_owned()),
        "answer" => Some(conversation.example_answer()),
        _ => None,
    });
    let rules = if conversation.wants_text { "" } else { rules.trim() };
    let mut text = format!("{}\n\n{rules}\n", conversation.system.trim());
    let mut part = |head: &str, words: &str| {
        text.push_str(&format!("\n##### {head}\n\n{}\n", words.trim_end()));
    };
    for entry in &conversation.entries {
        match entry {
            ConversationEntry::Sent(words) => part("question", words),
            ConversationEntry::Replied(reply) => part("you", &reply_text(reply)),
            ConversationEntry::Results(results) => {
                results.iter().for_each(|result| part("answer", &result.text));
            }
        }
    }
    if conversation.wants_text {
        return text;
    }
    let turn = match conversation.may_call_tools {
        true => "your turn".to_owned(),
        false => format!("your turn: the {}", scale::answer_call(scale)),
    };
    part(&turn, "One JSON object:");
    text
}

fn tools_in_words() -> String {
    let tool = |tool: &tools::JudgeTool| {
        let argument = |argument: &tools::ToolArgument| {
            let needed = if argument.is_required { "" } else { "; optional" };
            format!("  - {} ({}{needed})", argument.name, argument.about)
        };
        let arguments: Vec<String> = tool.arguments.iter().map(argument).collect();
        format!("- {}: {}\n{}", tool.name, tool.about, arguments.join("\n"))
    };
    TOOLS.iter().map(tool).collect::<Vec<_>>().join("\n")
}

fn reply_text(reply: &JudgeReply) -> String {
    match reply.calls.first() {
        Some(call) => json!({"tool": call.name, "arguments": call.arguments}).to_string(),
        None => reply.text.clone(),
    }
}

/// Reads what a program printed.
pub fn parse_output(printed: &[u8]) -> Result<JudgeReply, JudgeFault> {
    let text = String::from_utf8_lossy(printed);
    let (text, usage) = match serde_json::from_slice(printed).ok().and_then(result_record) {
        Some(result) => result_text(&result)?,
        None => (text.trim().to_owned(), ReplyUsage::default()),
    };
    let objects = objects_in(&text);
    let is_answer = |object: &Value| {
        let is_level =
            ["level", "score", "scores", "verdict"].iter().any(|key| object.get(key).is_some());
        is_level || flags::is_answer(object)
    };
    let call = objects.iter().find_map(|object| {
        let name = object.get("tool").and_then(Value::as_str)?.to_owned();
        let arguments = object.get("arguments").cloned().unwrap_or_else(|| json!({}));
        Some(ReplyCall { id: String::new(), name, arguments })
    });
    let calls = call.into_iter().filter(|_| !objects.iter().any(is_answer)).collect();
    Ok(JudgeReply { text, calls, usage, is_cut: false })
}

/// Returns the last record of a program that reports what it did as JSON.
fn result_record(document: Value) -> Option<Value> {
    let last = match document {
        Value::Array(mut records) => records.pop()?,
        other => other,
    };
    (fields::text_field(&last, "type") == "result").then_some(last)
}

fn result_text(result: &Value) -> Result<(String, ReplyUsage), JudgeFault> {
    let result_text = fields::text_field(result, "result");
    if result.get("is_error").and_then(Value::as_bool) == Some(true) {
        let excerpt = fields::excerpt_of(result_text.as_bytes());
        return Err(JudgeFault::Program(format!("the program reports a failure: {excerpt}")));
    }
    let usage = result.get("usage").map(super::messages::parse_usage).unwrap_or_default();
    let structured = result.get("structured_output").filter(|object| object.is_object());
    Ok((structured.map_or_else(|| result_text.to_owned(), Value::to_string), usage))
}
