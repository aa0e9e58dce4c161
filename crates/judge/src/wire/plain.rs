//! Our own protocol for judges that only read text and print text: the whole conversation is sent each time, and the
//! reply is one JSON object, a tool call or the answer. `assets/judge/command.md` has the rules.
//!
//! The answer may come wrapped as `claude -p --output-format json` prints it; the tokens are then read as well.

use serde_json::Value;

use crate::{
    answer::objects_with_text,
    conversation::{
        CallArguments, Conversation, ConversationEntry, JudgeReply, ReplyCall, ReplyUsage,
    },
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
        Some(call) => {
            let name = Value::from(call.name.as_str());
            format!(r#"{{"tool": {name}, "arguments": {}}}"#, call.arguments.json_text())
        }
        None => reply.text.clone(),
    }
}

/// Reads what a program printed.
pub fn parse_output(printed: &[u8]) -> Result<JudgeReply, JudgeFault> {
    let text = String::from_utf8_lossy(printed);
    let document = serde_json::from_slice::<Value>(printed).ok();
    let (text, usage) = match document.as_ref().and_then(result_record) {
        Some((result, place)) => result_text(result, place, &text)?,
        None => (text.trim().to_owned(), ReplyUsage::default()),
    };
    let objects = objects_with_text(&text);
    let is_answer = |object: &Value| {
        let is_level =
            ["level", "score", "scores", "verdict"].iter().any(|key| object.get(key).is_some());
        is_level || flags::is_answer(object)
    };
    let call = objects.iter().find_map(|(object, object_text)| {
        let name = object.get("tool").and_then(Value::as_str)?.to_owned();
        let arguments = fields::json_text_at(object_text, &["arguments"]).unwrap_or_default();
        let arguments = CallArguments::parse(arguments);
        Some(ReplyCall { id: String::new(), name, arguments })
    });
    let calls =
        call.into_iter().filter(|_| !objects.iter().any(|(object, _)| is_answer(object))).collect();
    Ok(JudgeReply { text, calls, usage, is_cut: false })
}

/// Returns the last record of a program that reports what it did as JSON, with its number where the report is a list.
fn result_record(document: &Value) -> Option<(&Value, Option<usize>)> {
    let (last, number) = match document {
        Value::Array(records) => (records.last()?, Some(records.len() - 1)),
        other => (other, None),
    };
    (fields::text_field(last, "type") == "result").then_some((last, number))
}

/// Reads the record of this number of what a program printed.
fn result_text(
    result: &Value,
    number: Option<usize>,
    printed: &str,
) -> Result<(String, ReplyUsage), JudgeFault> {
    let result_text = fields::text_field(result, "result");
    if result.get("is_error").and_then(Value::as_bool) == Some(true) {
        let excerpt = fields::excerpt_of(result_text.as_bytes());
        return Err(JudgeFault::Program(format!("the program reports a failure: {excerpt}")));
    }
    let usage = result.get("usage").map(super::messages::parse_usage).unwrap_or_default();
    let number = number.map(|number| number.to_string());
    let place: Vec<&str> = number.as_deref().into_iter().chain(["structured_output"]).collect();
    let has_object = result.get("structured_output").is_some_and(Value::is_object);
    let structured = has_object.then(|| fields::json_text_at(printed, &place)).flatten();
    Ok((structured.unwrap_or(result_text).to_owned(), usage))
}
