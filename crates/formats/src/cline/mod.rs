//! Tasks of Cline and Roo Code: `tasks/<id>/api_conversation_history.json`, Anthropic's messages, with `ui_messages.json`
//! and `task_metadata.json` beside it.

use std::{borrow::Cow, collections::HashSet};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    companions::BelongsTo,
    object::Object,
    peek,
    records::{Call, Entry, Event, FileEdit, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{
    EditKind, Role,
    files::{RecordedChange, Replacement},
};

#[derive(Debug, Clone, Copy)]
pub struct Cline;

impl Records for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn about(&self) -> &'static str {
        "Cline or Roo Code task, tasks/*/api_conversation_history.json"
    }

    fn sample(&self) -> &'static str {
        "logs/cline/api_conversation_history.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().cost().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_message = |object: &Object<'_>| object.has("role") && object.has("content");
        let is_task = |needle: &str| {
            peek::any(head, &[needle, "\"role\""], is_message)
                && head.bytes.trim_ascii_start().starts_with(b"[")
        };
        is_task("<environment_details>")
            || (head.name == "api_conversation_history.json" && is_task("\"content\""))
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        let is_ui = other.name == "ui_messages.json"
            && peek::any(other, &["\"ts\""], |object| object.has("say") || object.has("ask"));
        if is_ui {
            BelongsTo::Named(vec!["api_conversation_history.json".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    /// The repositories that its checkpoints are commits of: a task's own, or the workspace's.
    fn repositories(&self) -> &'static [&'static str] {
        &["checkpoints/.git", "../../checkpoints/*/.git"]
    }

    fn header<'t>(&self, _document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        record.facts.agent = Some(Cow::Borrowed("cline"));
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        value.elements().collect()
    }

    /// Where the messages have times, what the panel says of them stands among them.
    fn order(&self, entries: &mut Vec<Entry>) {
        if entries.iter().all(|entry| entry.record.time.is_some()) {
            entries.sort_by_key(|entry| entry.record.time);
            let mut events = entries.iter_mut().flat_map(|entry| &mut entry.record.events);
            let first = events.find(|it| matches!(it, Event::Commit(_) | Event::Called(_)));
            if let Some(event @ Event::Commit(_)) = first
                && let Event::Commit(id) = std::mem::replace(event, Event::Nothing)
            {
                *event = Event::Start(id);
            }
        } else {
            // After which of the messages a commit was made is not told.
            let mut events = entries.iter_mut().flat_map(|entry| &mut entry.record.events);
            events
                .by_ref()
                .filter(|event| matches!(event, Event::Commit(_)))
                .for_each(|event| *event = Event::Nothing);
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made =
            if fields.has("say") || fields.has("ask") { shown(&fields) } else { message(&fields) };
        made.time = chat::time_of(&fields, &["ts"]);
        made
    }
}

/// Of what the panel shows only what the messages do not have: the price of a request, and the commits of checkpoints.
fn shown<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = Record::default();
    let commit = match fields.text("say").as_deref() {
        Some("checkpoint_saved") => fields.text("text"),
        _ => fields.text("lastCheckpointHash"),
    };
    made.events.extend(commit.filter(|id| !id.is_empty()).map(Event::Commit));
    if fields.text("say").as_deref() != Some("api_req_started") {
        return made;
    }
    let text = fields.text("text").unwrap_or_default();
    let tape = super::tape::Tape::read(&text);
    let Some(told) = Object::on(&tape) else { return made };
    let (read, written) = (told.number("cacheReads"), told.number("cacheWrites"));
    made.tokens.input =
        told.number("tokensIn").map(|input| input + read.unwrap_or(0) + written.unwrap_or(0));
    made.tokens.cached_input = read;
    made.tokens.output = told.number("tokensOut");
    made.cost_usd = told.amount("cost");
    made
}

fn message<'t>(fields: &Object<'t>) -> Record<'t> {
    let role = fields.text("role").unwrap_or_default();
    let content = fields.get("content");
    if role == "assistant" {
        let mut made = chat::content(&role, content);
        let mut calls = vec![];
        for event in &mut made.events {
            if let Event::Said(_, text) = event {
                let (words, found) = apart(text);
                calls.extend(found);
                *text = Cow::Owned(words);
            }
        }
        made.events
            .retain(|event| !matches!(event, Event::Said(_, text) if text.trim().is_empty()));
        made.events.extend(calls.into_iter().map(Event::Called));
        return made;
    }
    let mut made = Record::default();
    let mut asked = vec![];
    for block in content.into_iter().flat_map(|content| {
        if content.is_list() { content.elements().collect() } else { vec![content] }
    }) {
        let block_fields = Object::of(block).unwrap_or_default();
        if block_fields.text("type").as_deref() == Some("tool_result") {
            made.says(Event::Answered(chat::answer(&block_fields)));
            continue;
        }
        let text = arguments::words(block);
        if let Some((_, result)) = text.split_once("] Result:").filter(|_| text.starts_with('[')) {
            let text: Cow<'t, str> = Cow::Owned(result.trim_start().to_owned());
            let is_error =
                text.starts_with("<error>") || text.contains("The tool execution failed");
            made.says(Event::Answered(super::records::Answer {
                exit_code: chat::exit_code(&text),
                text,
                is_error,
                ..Default::default()
            }));
        } else if let Some(task) = between(&text, "task")
            .or_else(|| between(&text, "feedback"))
            .or_else(|| between(&text, "user_message"))
        {
            asked.push(task.trim().to_owned());
        } else if text.trim_start().starts_with("<environment_details>") {
            made.says(Event::Said(Role::System, text));
        } else if !text.trim().is_empty()
            && made.events.iter().any(|event| matches!(event, Event::Answered(_)))
        {
            // The result's own text follows its head in a block of its own.
            let last = made.events.iter_mut().rev().find_map(|event| match event {
                Event::Answered(answer) if answer.text.trim().is_empty() => Some(answer),
                _ => None,
            });
            match last {
                Some(answer) => {
                    answer.exit_code = chat::exit_code(&text);
                    answer.is_error |= answer.exit_code.is_some_and(|code| code != 0);
                    answer.text = text;
                }
                None => made.says(Event::Said(Role::System, text)),
            }
        } else if !text.trim().is_empty() {
            asked.push(text.into_owned());
        }
    }
    if !asked.is_empty() {
        made.events.insert(0, Event::Request(asked.join("\n").into()));
    }
    made
}

fn between<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
    let end = text[start..].find(&format!("</{tag}>"))?;
    Some(&text[start..start + end])
}

/// Words, and the calls that are written into them as tags, as models without tool calls do it.
fn apart(text: &str) -> (String, Vec<Call<'static>>) {
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
    let mut found: Vec<(usize, Call<'static>)> = vec![];
    for tool in TOOLS {
        let (Some(body), Some(at)) = (between(text, tool), text.find(&format!("<{tool}>"))) else {
            continue;
        };
        let path = between(body, "path").unwrap_or_default().trim();
        let main = ["command", "path", "question", "result", "regex", "tool_name", "action"]
            .iter()
            .find_map(|tag| between(body, tag));
        let edit = match tool {
            "write_to_file" => between(body, "content").map(|content| {
                let content = content.strip_prefix('\n').unwrap_or(content);
                FileEdit::new(path, EditKind::Create, RecordedChange::Write(content.to_owned()))
            }),
            "replace_in_file" | "apply_diff" => between(body, "diff").map(|diff| {
                let parts = blocks(diff);
                let change = if parts.is_empty() {
                    RecordedChange::NotRecorded
                } else {
                    RecordedChange::Replace(parts)
                };
                FileEdit::new(path, EditKind::Modify, change)
            }),
            _ => None,
        };
        let call = Call {
            name: tool.into(),
            arguments: body.trim().to_owned().into(),
            main: main.unwrap_or_default().trim().to_owned().into(),
            edits: edit.into_iter().collect(),
            ..Call::default()
        };
        words = words.replacen(&format!("<{tool}>{body}</{tool}>"), "", 1);
        found.push((at, call));
    }
    found.sort_by_key(|(at, _)| *at);
    (words.trim().to_owned(), found.into_iter().map(|(_, call)| call).collect())
}

/// The search-and-replace blocks of a diff: `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, or with dashes and pluses.
pub fn blocks(diff: &str) -> Vec<Replacement> {
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
