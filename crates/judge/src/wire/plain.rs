//! Our own protocol for judges that only read text and print text: the whole conversation goes in each time, and one
//! JSON object comes out, a request to look or the answer. The rules are told in `assets/judge/command.md`.
//!
//! The answer may come wrapped as `claude -p --output-format json` prints it; the tokens are then read as well.

use serde_json::{Value, json};

use crate::{
    answer::objects_in,
    conversation::{Call, Conversation, Entry, Reply, Usage},
    fault::Fault,
    flags,
    prompt::filled,
    tools::{self, TOOLS},
};

use super::fields;

/// The rules; part of what a command is told, whatever the prompt.
pub const RULES: &str = trajview_assets::COMMAND_PROTOCOL;

/// What a program is given to read.
pub fn written(conversation: &Conversation) -> String {
    let scale = conversation.scale;
    let rules = filled(RULES, &|name| match name {
        "tools" => Some(tools_in_words()),
        "call" => Some(scale.call().to_owned()),
        "answer" => Some(conversation.example()),
        _ => None,
    });
    let rules = if conversation.wants_text { "" } else { rules.trim() };
    let mut text = format!("{}\n\n{rules}\n", conversation.system.trim());
    let mut part = |head: &str, words: &str| {
        text.push_str(&format!("\n##### {head}\n\n{}\n", words.trim_end()));
    };
    for entry in &conversation.entries {
        match entry {
            Entry::Said(words) => part("question", words),
            Entry::Replied(reply) => part("you", &replied(reply)),
            Entry::Results(results) => {
                results.iter().for_each(|result| part("answer", &result.text));
            }
        }
    }
    if conversation.wants_text {
        return text;
    }
    let turn = match conversation.may_look {
        true => "your turn".to_owned(),
        false => format!("your turn: the {}", scale.call()),
    };
    part(&turn, "One JSON object:");
    text
}

fn tools_in_words() -> String {
    let tool = |tool: &tools::Tool| {
        let argument = |argument: &tools::Argument| {
            let needed = if argument.is_required { "" } else { "; optional" };
            format!("  - {} ({}{needed})", argument.name, argument.about)
        };
        let arguments: Vec<String> = tool.arguments.iter().map(argument).collect();
        format!("- {}: {}\n{}", tool.name, tool.about, arguments.join("\n"))
    };
    TOOLS.iter().map(tool).collect::<Vec<_>>().join("\n")
}

fn replied(reply: &Reply) -> String {
    match reply.calls.first() {
        Some(call) => json!({"tool": call.name, "arguments": call.arguments}).to_string(),
        None => reply.text.clone(),
    }
}

/// Reads what a program printed.
pub fn read(printed: &[u8]) -> Result<Reply, Fault> {
    let text = String::from_utf8_lossy(printed);
    let (text, usage) = match serde_json::from_slice(printed).ok().and_then(wrapped) {
        Some(result) => unwrapped(&result)?,
        None => (text.trim().to_owned(), Usage::default()),
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
        Some(Call { id: String::new(), name, arguments })
    });
    let calls = call.into_iter().filter(|_| !objects.iter().any(is_answer)).collect();
    Ok(Reply { text, calls, usage, is_cut: false })
}

/// The last record of a program that reports what it did as JSON.
fn wrapped(document: Value) -> Option<Value> {
    let last = match document {
        Value::Array(mut records) => records.pop()?,
        other => other,
    };
    (fields::text(&last, "type") == "result").then_some(last)
}

fn unwrapped(result: &Value) -> Result<(String, Usage), Fault> {
    let said = fields::text(result, "result");
    if result.get("is_error").and_then(Value::as_bool) == Some(true) {
        let said = fields::shown(said.as_bytes());
        return Err(Fault::Program(format!("the program says that it failed: {said}")));
    }
    let usage = result.get("usage").map(super::messages::usage).unwrap_or_default();
    let structured = result.get("structured_output").filter(|object| object.is_object());
    Ok((structured.map_or_else(|| said.to_owned(), Value::to_string), usage))
}
