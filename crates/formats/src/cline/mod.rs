//! Tasks of Cline and Roo Code: `tasks/<id>/api_conversation_history.json`, Anthropic's messages, with `ui_messages.json`
//! and `task_metadata.json` beside it.

use std::{borrow::Cow, collections::HashSet};

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    companion_files::BelongsTo,
    head_json,
    json_object::JsonObject,
    records::{
        FileEdit, LogRecord, RecordEntry, RecordEvent, RecordFormat, RecordedCall, arguments,
    },
    tape::TapeValue,
};
use trajview_run::{
    EditKind, Role,
    files::{RecordedChange, Replacement},
};

pub struct Cline;

impl RecordFormat for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn short_description(&self) -> &'static str {
        "Cline or Roo Code task, tasks/*/api_conversation_history.json"
    }

    fn sample_path(&self) -> &'static str {
        "logs/cline/api_conversation_history.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_message =
            |object: &JsonObject<'_>| object.has_field("role") && object.has_field("content");
        let is_task = |needle: &str| {
            head_json::any_object(head, &[needle, "\"role\""], is_message)
                && head.bytes.trim_ascii_start().starts_with(b"[")
        };
        is_task("<environment_details>")
            || (head.name == "api_conversation_history.json" && is_task("\"content\""))
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        let is_ui = other.name == "ui_messages.json"
            && head_json::any_object(other, &["\"ts\""], |object| {
                object.has_field("say") || object.has_field("ask")
            });
        if is_ui {
            BelongsTo::Named(vec!["api_conversation_history.json".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    /// Returns the repositories that its checkpoints are commits of: a task's own, or the workspace's.
    fn repository_paths(&self) -> &'static [&'static str] {
        &["checkpoints/.git", "../../checkpoints/*/.git"]
    }

    fn read_header<'t>(&self, _document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        record.facts.agent = Some(Cow::Borrowed("cline"));
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        value.elements().collect()
    }

    /// Sorts the entries of the panel among the messages, where the messages have times.
    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        if entries.iter().all(|entry| entry.record.time.is_some()) {
            entries.sort_by_key(|entry| entry.record.time);
            let mut events = entries.iter_mut().flat_map(|entry| &mut entry.record.events);
            let first =
                events.find(|it| matches!(it, RecordEvent::Commit(_) | RecordEvent::Call(_)));
            if let Some(event @ RecordEvent::Commit(_)) = first
                && let RecordEvent::Commit(id) = std::mem::replace(event, RecordEvent::Nothing)
            {
                *event = RecordEvent::Start(id);
            }
        } else {
            // The log does not show after which message a commit was made.
            let mut events = entries.iter_mut().flat_map(|entry| &mut entry.record.events);
            events
                .by_ref()
                .filter(|event| matches!(event, RecordEvent::Commit(_)))
                .for_each(|event| *event = RecordEvent::Nothing);
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = if fields.has_field("say") || fields.has_field("ask") {
            panel_record(&fields)
        } else {
            message_record(&fields)
        };
        made.time = chat::first_time(&fields, &["ts"]);
        made
    }
}

/// Reads from the panel only what the messages lack: the price of a request, and the commits of checkpoints.
fn panel_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made = LogRecord::default();
    let commit = match fields.text("say").as_deref() {
        Some("checkpoint_saved") => fields.text("text"),
        _ => fields.text("lastCheckpointHash"),
    };
    made.events.extend(commit.filter(|id| !id.is_empty()).map(RecordEvent::Commit));
    if fields.text("say").as_deref() != Some("api_req_started") {
        return made;
    }
    let text = fields.text("text").unwrap_or_default();
    let tape = super::tape::JsonTape::parse(&text);
    let Some(request_fields) = JsonObject::from_tape(&tape) else { return made };
    let (read, written) =
        (request_fields.number("cacheReads"), request_fields.number("cacheWrites"));
    made.tokens.input = request_fields
        .number("tokensIn")
        .map(|input| input + read.unwrap_or(0) + written.unwrap_or(0));
    made.tokens.cached_input = read;
    made.tokens.output = request_fields.number("tokensOut");
    made.cost_usd = request_fields.float("cost");
    made
}

fn message_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let role = fields.text("role").unwrap_or_default();
    let content = fields.get("content");
    if role == "assistant" {
        let mut made = chat::content_record(&role, content);
        let mut calls = vec![];
        for event in &mut made.events {
            if let RecordEvent::Message(_, text) = event {
                let (words, found) = split_tagged_calls(text);
                calls.extend(found);
                *text = Cow::Owned(words);
            }
        }
        made.events.retain(
            |event| !matches!(event, RecordEvent::Message(_, text) if text.trim().is_empty()),
        );
        made.events.extend(calls.into_iter().map(RecordEvent::Call));
        return made;
    }
    let mut made = LogRecord::default();
    let mut requests = vec![];
    for block in content.into_iter().flat_map(|content| {
        if content.is_list() { content.elements().collect() } else { vec![content] }
    }) {
        let block_fields = JsonObject::from_value(block).unwrap_or_default();
        if block_fields.text("type").as_deref() == Some("tool_result") {
            made.push_event(RecordEvent::Answer(chat::read_answer(&block_fields)));
            continue;
        }
        let text = arguments::content_text(block);
        if let Some((_, result)) = text.split_once("] Result:").filter(|_| text.starts_with('[')) {
            let text: Cow<'t, str> = Cow::Owned(result.trim_start().to_owned());
            let is_error =
                text.starts_with("<error>") || text.contains("The tool execution failed");
            made.push_event(RecordEvent::Answer(super::records::CallAnswer {
                exit_code: chat::exit_code_in(&text),
                text,
                is_error,
                ..Default::default()
            }));
        } else if let Some(task) = tag_contents(&text, "task")
            .or_else(|| tag_contents(&text, "feedback"))
            .or_else(|| tag_contents(&text, "user_message"))
        {
            requests.push(task.trim().to_owned());
        } else if text.trim_start().starts_with("<environment_details>") {
            made.push_event(RecordEvent::Message(Role::System, text));
        } else if !text.trim().is_empty()
            && made.events.iter().any(|event| matches!(event, RecordEvent::Answer(_)))
        {
            // The result's own text follows its head in a block of its own.
            let last = made.events.iter_mut().rev().find_map(|event| match event {
                RecordEvent::Answer(answer) if answer.text.trim().is_empty() => Some(answer),
                _ => None,
            });
            match last {
                Some(answer) => {
                    answer.exit_code = chat::exit_code_in(&text);
                    answer.is_error |= answer.exit_code.is_some_and(|code| code != 0);
                    answer.text = text;
                }
                None => made.push_event(RecordEvent::Message(Role::System, text)),
            }
        } else if !text.trim().is_empty() {
            requests.push(text.into_owned());
        }
    }
    if !requests.is_empty() {
        made.events.insert(0, RecordEvent::Request(requests.join("\n").into()));
    }
    made
}

fn tag_contents<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
    let end = text[start..].find(&format!("</{tag}>"))?;
    Some(&text[start..start + end])
}

/// Splits a text into words and the calls that are written into it as tags, as models without tool calls do it.
fn split_tagged_calls(text: &str) -> (String, Vec<RecordedCall<'static>>) {
    const TOOLS: [&str; 12] = [
        "execute_command",
        "read_file",
        "write_to_file",
        "replace_in_file",
        "apply_diff",
        "search_files",
        "list_files",
        "list_code_definition_names",
        "browser_action",
        "use_mcp_tool",
        "ask_followup_question",
        "attempt_completion",
    ];
    let mut words = text.to_owned();
    let mut found: Vec<(usize, RecordedCall<'static>)> = vec![];
    for tool in TOOLS {
        let (Some(body), Some(at)) = (tag_contents(text, tool), text.find(&format!("<{tool}>")))
        else {
            continue;
        };
        let path = tag_contents(body, "path").unwrap_or_default().trim();
        let main = ["command", "path", "question", "result", "regex", "tool_name", "action"]
            .iter()
            .find_map(|tag| tag_contents(body, tag));
        let edit = match tool {
            "write_to_file" => tag_contents(body, "content").map(|content| {
                let content = content.strip_prefix('\n').unwrap_or(content);
                FileEdit::new(path, EditKind::Create, RecordedChange::Write(content.to_owned()))
            }),
            "replace_in_file" | "apply_diff" => tag_contents(body, "diff").map(|diff| {
                let parts = search_replace_blocks(diff);
                let change = if parts.is_empty() {
                    RecordedChange::NotRecorded
                } else {
                    RecordedChange::Replace(parts)
                };
                FileEdit::new(path, EditKind::Modify, change)
            }),
            _ => None,
        };
        let call = RecordedCall {
            name: tool.into(),
            arguments: body.trim().to_owned().into(),
            main: main.unwrap_or_default().trim().to_owned().into(),
            edits: edit.into_iter().collect(),
            ..RecordedCall::default()
        };
        words = words.replacen(&format!("<{tool}>{body}</{tool}>"), "", 1);
        found.push((at, call));
    }
    found.sort_by_key(|(at, _)| *at);
    (words.trim().to_owned(), found.into_iter().map(|(_, call)| call).collect())
}

/// Returns the search-and-replace blocks of a diff: `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, or with dashes and
/// pluses.
pub fn search_replace_blocks(diff: &str) -> Vec<Replacement> {
    let (mut found, mut old, mut new) = (vec![], String::new(), String::new());
    let mut side = 0;
    for line in diff.split_inclusive('\n') {
        let bare = line.trim_end();
        let is = |marks: [char; 2], word: &str| {
            bare.ends_with(word)
                && bare.len() > word.len()
                && bare[..bare.len() - word.len()]
                    .trim_end()
                    .chars()
                    .all(|letter| marks.contains(&letter))
        };
        if is(['<', '-'], "SEARCH") {
            (side, old, new) = (1, String::new(), String::new());
        } else if side == 1 && bare.len() >= 5 && bare.chars().all(|letter| letter == '=') {
            side = 2;
        } else if side == 2 && is(['>', '+'], "REPLACE") {
            let (old, new) = (std::mem::take(&mut old), std::mem::take(&mut new));
            if !old.is_empty() {
                found.push(Replacement { old, new, all: false });
            }
            side = 0;
        } else if side == 1 && !line.starts_with(":start_line:") && bare != "-------" {
            old.push_str(line);
        } else if side == 2 {
            new.push_str(line);
        }
    }
    found
}
