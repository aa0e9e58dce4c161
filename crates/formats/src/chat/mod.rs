//! Messages of a chat in the forms of OpenAI's and Anthropic's APIs, and in what programs made of them: `role`, `content`
//! as a text or as blocks, calls beside or within it. What the formats of most tools are made of.

use std::borrow::Cow;

use super::{
    object::{self, Object},
    records::{
        Answer, Call, Event, FileEdit, Record,
        arguments::{self, words, words_of},
    },
    tape::Value,
};
use trajview_run::{Role, Time, Tokens};

/// What a message says. Times, tokens and what only one tool writes are the caller's.
pub fn message<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut record = Record::default();
    let role = fields.text("role").unwrap_or_default();
    for key in ["reasoning_content", "reasoning", "thinking"] {
        if let Some(text) = fields.get(key) {
            record.says_words(Event::Thought, words(text));
            break;
        }
    }
    let kind = Speaker::of(&role);
    let content =
        fields.get("content").or_else(|| fields.get("text")).or_else(|| fields.get("parts"));
    match (kind, content) {
        (Speaker::Tool, _) => record.says(Event::Answered(answer(fields))),
        (kind, Some(content)) if content.is_list() => {
            blocks(&mut record, kind, content);
        }
        (kind, Some(content)) => record.says_words(kind.says(), words(content)),
        (_, None) => {}
    }
    for call in fields.array("tool_calls") {
        let Some(call) = Object::of(call) else { continue };
        record.says(Event::Called(called(&call)));
    }
    if let Some(call) = fields.object("function_call") {
        record.says(Event::Called(called(&call)));
    }
    if kind == Speaker::Nobody && record.events.is_empty() {
        record.says(Event::unknown(role, "message without a role"));
    }
    record
}

/// What a content says, where the role stands elsewhere.
pub fn content<'t>(role: &str, content: Option<Value<'t>>) -> Record<'t> {
    let mut record = Record::default();
    let speaker = Speaker::of(role);
    match content {
        Some(content) if content.is_list() => blocks(&mut record, speaker, content),
        Some(content) => record.says_words(speaker.says(), words(content)),
        None => {}
    }
    record
}

/// Who a message is by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    System,
    Tool,
    Nobody,
}

impl Speaker {
    pub fn of(role: &str) -> Self {
        match role.to_ascii_lowercase().as_str() {
            "user" | "human" => Self::User,
            "assistant" | "ai" | "model" | "agent" | "gpt" | "bot" => Self::Assistant,
            "system" | "developer" | "info" => Self::System,
            "tool" | "function" | "toolresult" | "environment" | "ipython" | "tool_result"
            | "observation" => Self::Tool,
            _ => Self::Nobody,
        }
    }

    /// What its words are.
    pub fn says<'t>(self) -> fn(Cow<'t, str>) -> Event<'t> {
        match self {
            Self::User => Event::Request,
            Self::Assistant | Self::Nobody => |text| Event::Said(Role::Assistant, text),
            Self::System | Self::Tool => |text| Event::Said(Role::System, text),
        }
    }
}

fn blocks<'t>(record: &mut Record<'t>, speaker: Speaker, content: Value<'t>) {
    // The words of one message are one thing that is said, however many blocks they stand in.
    let mut said: Vec<Cow<'t, str>> = vec![];
    let flush = |record: &mut Record<'t>, said: &mut Vec<Cow<'t, str>>| {
        let text = match said.len() {
            0 => return,
            1 => said.remove(0),
            _ => std::mem::take(said).join("\n").into(),
        };
        said.clear();
        record.says_words(speaker.says(), text);
    };
    for block in content.elements() {
        let Some(fields) = Object::of(block) else {
            said.extend(object::text(block));
            continue;
        };
        let event = match &*fields.text("type").unwrap_or_default() {
            "thinking" | "reasoning" => {
                let text = ["thinking", "reasoning", "text", "summary"];
                let text =
                    text.iter().find_map(|key| fields.get(key)).map(words).unwrap_or_default();
                Some(Event::Thought(text))
            }
            "redacted_thinking" => None,
            "tool_use" | "toolCall" | "tool-call" | "tool_call" | "function_call"
            | "server_tool_use" => Some(Event::Called(called(&fields))),
            "toolRequest" => {
                let call =
                    fields.object("toolCall").and_then(|call| call.object("value").or(Some(call)));
                let call = call.map(|call| Call {
                    id: fields.text("id").unwrap_or_default(),
                    ..called(&call)
                });
                call.map(Event::Called)
            }
            "tool_result"
            | "toolResult"
            | "tool-result"
            | "toolResponse"
            | "function_response"
            | "web_search_tool_result" => Some(Event::Answered(answer(&fields))),
            _ => {
                let text = words(block);
                if text.is_empty() && fields.has("type") && fields.get("text").is_none() {
                    Some(Event::Unknown(fields.text("type").unwrap_or_default()))
                } else {
                    said.push(text);
                    None
                }
            }
        };
        if let Some(event) = event {
            let is_empty = matches!(&event, Event::Thought(text) if text.trim().is_empty());
            if !is_empty {
                flush(record, &mut said);
                record.says(event);
            }
        }
    }
    flush(record, &mut said);
}

/// A call: `{id, function: {name, arguments}}`, `{id, name, input | arguments | args}`.
pub fn called<'t>(call: &Object<'t>) -> Call<'t> {
    let inner = call.object("function").unwrap_or(*call);
    let name = inner
        .text_of(&["name", "toolName", "tool_name", "function_name", "tool"])
        .or_else(|| call.text("function"))
        .unwrap_or_default();
    let keys = ["arguments", "input", "args", "parameters"];
    let arguments = keys.iter().find_map(|key| inner.get(key));
    let id = call.text_of(&["id", "toolCallId", "tool_call_id", "call_id", "callId", "toolUseId"]);
    arguments::call(name, id, arguments)
}

/// The result of a call: `{tool_call_id | tool_use_id, content}`.
pub fn answer<'t>(fields: &Object<'t>) -> Answer<'t> {
    let ids =
        ["tool_call_id", "tool_use_id", "toolUseID", "toolCallId", "call_id", "toolUseId", "id"];
    let mut text = words_of(fields, "content");
    for key in ["output", "result", "text", "toolResult", "run"] {
        if text.is_empty() {
            text = fields
                .get(key)
                .map(|value| match words(value) {
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
    let error = fields.get("error").map(arguments::error_words);
    let error = error.filter(|error| !error.trim_matches('"').is_empty());
    let error = error.filter(|error| &**error != "false").unwrap_or_default();
    let is_failed = !error.is_empty();
    if text.is_empty() {
        text = error;
    }
    Answer {
        call: fields.text_of(&ids).unwrap_or_default(),
        is_error: flag == Some(true) || is_failed,
        is_ok: flag == Some(false),
        exit_code: exit_code(&text),
        text,
        ..Answer::default()
    }
}

/// The exit code that an observation names in one of the ways in which programs write it.
pub fn exit_code(text: &str) -> Option<i32> {
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
        let has = |common: &[u8]| memchr::memmem::find(part.as_bytes(), common).is_some();
        if !has(b"xit ") && !has(b"returncode") {
            return None;
        }
        marks.iter().find_map(|mark| {
            let rest = part.split_once(mark)?.1;
            let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '-');
            rest[..digits.unwrap_or(rest.len())].parse().ok()
        })
    };
    number(head).or_else(|| number(tail))
}

/// Tokens as the APIs and their wrappers name them. Cached input is a part of the input where `input` counts it
/// (OpenAI), and comes on top where it does not (Anthropic).
pub fn usage(usage: &Object<'_>) -> Tokens {
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

/// A time as a text, in seconds or in milliseconds since 1970.
pub fn time(raw: Value<'_>) -> Option<Time> {
    if let Some(text) = object::text(raw) {
        return Time::parse(&text);
    }
    let number: f64 = raw.get().parse().ok()?;
    let millis = if number.abs() < 1e11 { number * 1000.0 } else { number };
    (millis.is_finite() && millis > 0.0).then_some(Time(millis as i64))
}

/// The first of these fields that is a time.
pub fn time_of(fields: &Object<'_>, keys: &[&str]) -> Option<Time> {
    keys.iter().find_map(|key| time(fields.get(key)?))
}

/// The first command between fences, as agents without tool calls write it.
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

/// Changes of files that a result tells whole: `{filePath, originalContent | old_content, newContent | new_content}`.
pub fn whole_file(fields: &Object<'_>) -> Option<FileEdit> {
    let path = fields.text_of(&["filePath", "path", "file_path", "fileName"])?;
    let after = fields.text_of(&["newContent", "new_content"])?;
    let is_new = fields.flag("isNewFile") == Some(true) || fields.flag("prev_exist") == Some(false);
    let before = fields.text_of(&["originalContent", "old_content"]).filter(|_| !is_new);
    Some(FileEdit::whole(path, before.map(Cow::into_owned), after.into_owned()))
}
