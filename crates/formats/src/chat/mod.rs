//! Messages of a chat in the forms of OpenAI's and Anthropic's APIs, and in what programs made of them: `role`, `content`
//! as a text or as blocks, calls beside or within it. What the formats of most tools are made of.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem::Finder;

use super::{
    json_object::{self, JsonObject},
    records::{
        CallAnswer, FileEdit, LogRecord, RecordEvent, RecordedCall,
        arguments::{self, content_field_text, content_text},
    },
    tape::TapeValue,
};
use trajview_run::{Role, Time, Tokens};

/// Reads a message. The caller adds times, tokens and fields that only one tool writes.
pub fn message_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = LogRecord::default();
    let role = fields.text("role").unwrap_or_default();
    for key in ["reasoning_content", "reasoning", "thinking"] {
        if let Some(text) = fields.get(key) {
            record.push_text(RecordEvent::Thought, content_text(text));
            break;
        }
    }
    let kind = Speaker::from_role(&role);
    let content =
        fields.get("content").or_else(|| fields.get("text")).or_else(|| fields.get("parts"));
    match (kind, content) {
        (Speaker::Tool, _) => record.push_event(RecordEvent::Answer(read_answer(fields))),
        (kind, Some(content)) if content.is_list() => {
            add_blocks(&mut record, kind, content);
        }
        (kind, Some(content)) => record.push_text(kind.text_event(), content_text(content)),
        (_, None) => {}
    }
    for call in fields.elements_of("tool_calls") {
        let Some(call) = JsonObject::from_value(call) else { continue };
        record.push_event(RecordEvent::Call(read_call(&call)));
    }
    if let Some(call) = fields.object("function_call") {
        record.push_event(RecordEvent::Call(read_call(&call)));
    }
    if kind == Speaker::Nobody && record.events.is_empty() {
        record.push_event(RecordEvent::unknown_kind(role, "message without a role"));
    }
    record
}

/// Reads the content of a message whose role is in another place.
pub fn content_record<'t>(role: &str, content: Option<TapeValue<'t>>) -> LogRecord<'t> {
    let mut record = LogRecord::default();
    let speaker = Speaker::from_role(role);
    match content {
        Some(content) if content.is_list() => add_blocks(&mut record, speaker, content),
        Some(content) => record.push_text(speaker.text_event(), content_text(content)),
        None => {}
    }
    record
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    System,
    Tool,
    Nobody,
}

impl Speaker {
    pub fn from_role(role: &str) -> Self {
        match role.to_ascii_lowercase().as_str() {
            "user" | "human" => Self::User,
            "assistant" | "ai" | "model" | "agent" | "gpt" | "bot" => Self::Assistant,
            "system" | "developer" | "info" => Self::System,
            "tool" | "function" | "toolresult" | "environment" | "ipython" | "tool_result"
            | "observation" => Self::Tool,
            _ => Self::Nobody,
        }
    }

    /// Returns the event that a text of this author is.
    pub fn text_event<'t>(self) -> fn(Cow<'t, str>) -> RecordEvent<'t> {
        match self {
            Self::User => RecordEvent::Request,
            Self::Assistant | Self::Nobody => |text| RecordEvent::Message(Role::Assistant, text),
            Self::System | Self::Tool => |text| RecordEvent::Message(Role::System, text),
        }
    }
}

fn add_blocks<'t>(record: &mut LogRecord<'t>, speaker: Speaker, content: TapeValue<'t>) {
    // The texts of one message are one event, however many blocks they are in.
    let mut texts: Vec<Cow<'t, str>> = vec![];
    let flush = |record: &mut LogRecord<'t>, texts: &mut Vec<Cow<'t, str>>| {
        let text = match texts.len() {
            0 => return,
            1 => texts.remove(0),
            _ => std::mem::take(texts).join("\n").into(),
        };
        texts.clear();
        record.push_text(speaker.text_event(), text);
    };
    for block in content.elements() {
        let Some(fields) = JsonObject::from_value(block) else {
            texts.extend(json_object::string_text(block));
            continue;
        };
        let event = match &*fields.text("type").unwrap_or_default() {
            "thinking" | "reasoning" => {
                let text = ["thinking", "reasoning", "text", "summary"];
                let text = text
                    .iter()
                    .find_map(|key| fields.get(key))
                    .map(content_text)
                    .unwrap_or_default();
                Some(RecordEvent::Thought(text))
            }
            "redacted_thinking" => None,
            "tool_use" | "toolCall" | "tool-call" | "tool_call" | "function_call"
            | "server_tool_use" => Some(RecordEvent::Call(read_call(&fields))),
            "toolRequest" => {
                let call =
                    fields.object("toolCall").and_then(|call| call.object("value").or(Some(call)));
                let call = call.map(|call| RecordedCall {
                    id: fields.text("id").unwrap_or_default(),
                    ..read_call(&call)
                });
                call.map(RecordEvent::Call)
            }
            "tool_result"
            | "toolResult"
            | "tool-result"
            | "toolResponse"
            | "function_response"
            | "web_search_tool_result" => Some(RecordEvent::Answer(read_answer(&fields))),
            _ => {
                let text = content_text(block);
                if text.is_empty() && fields.has_field("type") && fields.get("text").is_none() {
                    Some(RecordEvent::Unknown(fields.text("type").unwrap_or_default()))
                } else {
                    texts.push(text);
                    None
                }
            }
        };
        if let Some(event) = event {
            let is_empty = matches!(&event, RecordEvent::Thought(text) if text.trim().is_empty());
            if !is_empty {
                flush(record, &mut texts);
                record.push_event(event);
            }
        }
    }
    flush(record, &mut texts);
}

/// Returns a call: `{id, function: {name, arguments}}`, `{id, name, input | arguments | args}`.
pub fn read_call<'t>(call: &JsonObject<'t>) -> RecordedCall<'t> {
    let inner = call.object("function").unwrap_or(*call);
    let name = inner
        .first_text(&["name", "toolName", "tool_name", "function_name", "tool"])
        .or_else(|| call.text("function"))
        .unwrap_or_default();
    let keys = ["arguments", "input", "args", "parameters"];
    let arguments = keys.iter().find_map(|key| inner.get(key));
    let id =
        call.first_text(&["id", "toolCallId", "tool_call_id", "call_id", "callId", "toolUseId"]);
    arguments::call_from_arguments(name, id, arguments)
}

/// Returns the result of a call: `{tool_call_id | tool_use_id, content}`.
pub fn read_answer<'t>(fields: &JsonObject<'t>) -> CallAnswer<'t> {
    let ids =
        ["tool_call_id", "tool_use_id", "toolUseID", "toolCallId", "call_id", "toolUseId", "id"];
    let mut text = content_field_text(fields, "content");
    for key in ["output", "result", "text", "toolResult", "run"] {
        if text.is_empty() {
            text = fields
                .get(key)
                .map(|value| match content_text(value) {
                    text if text.is_empty() && (value.is_object() || value.is_list()) => {
                        Cow::Borrowed(value.get())
                    }
                    text => text,
                })
                .unwrap_or_default();
        }
    }
    let flags = ["is_error", "isError"];
    let flag = flags.iter().find_map(|key| fields.flag(key));
    let error = fields.get("error").map(arguments::error_text);
    let error = error.filter(|error| !error.trim_matches('"').is_empty());
    let error = error.filter(|error| &**error != "false").unwrap_or_default();
    let is_failed = !error.is_empty();
    if text.is_empty() {
        text = error;
    }
    CallAnswer {
        call: fields.first_text(&ids).unwrap_or_default(),
        is_error: flag == Some(true) || is_failed,
        is_ok: flag == Some(false),
        exit_code: exit_code_in(&text),
        text,
        ..CallAnswer::default()
    }
}

/// What the marks before an exit code have in common.
static COMMON_PARTS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new("xit "), Finder::new("returncode")]);

/// Returns the exit code that an observation names in one of the ways in which programs write it.
pub fn exit_code_in(text: &str) -> Option<i32> {
    let edge = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let head = text.get(..edge(text.len().min(400))).unwrap_or(text);
    let tail = text.get(edge(text.len().saturating_sub(400))..).unwrap_or(text);
    let marks = [
        "<returncode>",
        "\"returncode\": ",
        "Exit Code: ",
        "exit code ",
        "Exit code: ",
        "Exit code ",
    ];
    let number = |part: &str| {
        // What all marks have in common is looked for first: most texts have none of them.
        if COMMON_PARTS.iter().all(|common| common.find(part.as_bytes()).is_none()) {
            return None;
        }
        marks.iter().find_map(|mark| {
            let rest = part.split_once(mark)?.1;
            let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '-');
            rest[..digits.unwrap_or(rest.len())].parse().ok()
        })
    };
    number(head).or_else(|| if text.len() > 400 { number(tail) } else { None })
}

/// Returns tokens as the APIs and their wrappers name them. Cached input is a part of the input where `input` counts it
/// (OpenAI), and comes on top where it does not (Anthropic).
pub fn read_usage(usage: &JsonObject<'_>) -> Tokens {
    let first = |keys: &[&str]| keys.iter().find_map(|key| usage.number(key));
    let details = |key: &str, inner: &str| usage.object(key).and_then(|it| it.number(inner));
    let read = first(&[
        "cache_read_input_tokens",
        "cacheReadInputTokens",
        "cacheRead",
        "cache_read_tokens",
        "input_tokens_cache_read",
    ]);
    let written = first(&[
        "cache_creation_input_tokens",
        "cacheCreationInputTokens",
        "cacheWrite",
        "cache_write_tokens",
        "input_tokens_cache_write",
    ]);
    let on_top = first(&["input_tokens", "inputTokens", "input"]);
    let with_cache =
        first(&["prompt_tokens", "totalInputTokens", "promptTokens", "prompt_token_count"]);
    let part = details("prompt_tokens_details", "cached_tokens")
        .or_else(|| details("input_tokens_details", "cached_tokens"))
        .or_else(|| first(&["cached_tokens", "cached_input_tokens", "cached"]));
    let sum = on_top.map(|input| input + read.unwrap_or(0) + written.unwrap_or(0));
    Tokens {
        input: with_cache.or(sum),
        cached_input: read.or(part),
        output: first(&[
            "output_tokens",
            "outputTokens",
            "completion_tokens",
            "completionTokens",
            "output",
        ]),
        reasoning: details("completion_tokens_details", "reasoning_tokens")
            .or_else(|| details("output_tokens_details", "reasoning_tokens"))
            .or_else(|| first(&["reasoning_tokens", "reasoningTokens", "reasoning"])),
        cache_write: written,
        cache_write_1h: details("cache_creation", "ephemeral_1h_input_tokens")
            .or_else(|| first(&["cacheWrite1h"])),
    }
}

/// Returns a time as a text, in seconds or in milliseconds since 1970.
pub fn read_time(raw: TapeValue<'_>) -> Option<Time> {
    if let Some(text) = json_object::string_text(raw) {
        return Time::parse(&text);
    }
    let number: f64 = raw.get().parse().ok()?;
    let millis = if number.abs() < 1e11 { number * 1000.0 } else { number };
    (millis.is_finite() && millis > 0.0).then_some(Time(millis as i64))
}

/// Returns the first of these fields that is a time.
pub fn first_time(fields: &JsonObject<'_>, keys: &[&str]) -> Option<Time> {
    keys.iter().find_map(|key| read_time(fields.get(key)?))
}

/// Returns the first command between fences, as agents without tool calls write it.
pub fn fenced_command(text: &str) -> Option<&str> {
    let fences = ["```mswea_bash_command\n", "```bash\n", "```sh\n", "```shell\n"];
    let last = || {
        // SWE-agent's rows have the command between bare fences at the end.
        let inner = text.trim_end().strip_suffix("```")?;
        let start = inner.rfind("```\n")?;
        Some(inner[start + 4..].trim()).filter(|command| !command.is_empty())
    };
    if !fences.iter().any(|fence| text.contains(fence)) {
        return last();
    }
    let start = fences.iter().filter_map(|fence| Some(text.find(fence)? + fence.len())).min()?;
    let command = text[start..].split("\n```").next()?.trim();
    (!command.is_empty()).then_some(command)
}

/// Reads a change of a file that a result contains whole: `{filePath, originalContent | old_content, newContent |
/// new_content}`.
pub fn whole_file_edit(fields: &JsonObject<'_>) -> Option<FileEdit> {
    let path = fields.first_text(&["filePath", "path", "file_path", "fileName"])?;
    let after = fields.first_text(&["newContent", "new_content"])?;
    let is_new = fields.flag("isNewFile") == Some(true) || fields.flag("prev_exist") == Some(false);
    let before = fields.first_text(&["originalContent", "old_content"]).filter(|_| !is_new);
    Some(FileEdit::from_whole_texts(path, before.map(Cow::into_owned), after.into_owned()))
}
