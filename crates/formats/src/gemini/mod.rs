//! Gemini CLI's own sessions: `~/.gemini/tmp/<project>/chats/session-*.json` (one document) and, from 0.40 on, `.jsonl`
//! (a line a message; a message may be written again, the whole list repeated with `$set`, and taken back with
//! `$rewindTo`). The chats of sub-agents are in a folder beside it that is named by the session's id.

use std::{borrow::Cow, cell::RefCell};

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    companion_files::BelongsTo,
    head_json,
    json_object::{self, JsonObject},
    records::{
        CallAnswer, LogRecord, RecordEntry, RecordEvent, RecordFormat, RecordedCall, arguments,
        record_order,
    },
    tape::TapeValue,
};
use trajview_run::{Role, Tokens};

pub struct Gemini;

impl RecordFormat for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn short_description(&self) -> &'static str {
        "Gemini CLI session, ~/.gemini/tmp/*/chats/session-*.json and .jsonl, with its sub-agents"
    }

    fn sample_path(&self) -> &'static str {
        "logs/gemini.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_session = |object: &JsonObject<'_>| {
            object.text("sessionId").is_some() && object.text("projectHash").is_some()
        };
        let is_old = |object: &JsonObject<'_>| {
            let history = object.elements_of("history");
            let first = history.first().and_then(|message| JsonObject::from_value(*message));
            first.is_some_and(|message| message.has_field("parts"))
                && (object.has_field("start_time") || object.has_field("meta"))
        };
        head_json::any_object(head, &["\"sessionId\"", "\"projectHash\""], is_session)
            || head_json::any_object(head, &["\"history\"", "\"parts\""], is_old)
    }

    /// Returns the session of a sub-agent's chat, which its folder is named after.
    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        let is_agent = |object: &JsonObject<'_>| object.text("kind").as_deref() == Some("subagent");
        match head_json::any_object(other, &["\"subagent\"", "\"projectHash\""], is_agent) {
            true => BelongsTo::Named(vec![]),
            false => BelongsTo::Itself,
        }
    }

    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        let found = RefCell::new(None);
        head_json::any_object(main, &["\"sessionId\"", "\"projectHash\""], |object| {
            *found.borrow_mut() = object.text("sessionId").map(|id| agents_folder(&id));
            found.borrow().is_some()
        });
        found.into_inner().filter(|folder| !folder.is_empty()).into_iter().collect()
    }

    fn has_agent_folders(&self) -> bool {
        true
    }

    fn agent_of_source(&self, source: &str) -> Option<String> {
        let name = source.rsplit_once('/')?.1;
        Some(name.trim_end_matches(".jsonl").trim_end_matches(".json").to_owned())
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        let meta = fields.object("meta").unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("gemini"));
        record.facts.id = fields.text("sessionId");
        record.facts.title = fields.text("summary").filter(|title| !title.is_empty());
        record.facts.model = meta.text("model").filter(|_| !fields.has_field("messages"));
        record.facts.root = fields
            .elements_of("directories")
            .first()
            .and_then(|folder| json_object::string_text(*folder));
        record.time = chat::first_time(&fields, &["startTime", "start_time"]);
        // A summary is written whenever the next session begins.
        record.ended_at = chat::first_time(&fields, &["lastUpdated"])
            .filter(|_| fields.has_field("messages") && record.facts.title.is_none());
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(fields) = JsonObject::from_value(value) else { return value.elements().collect() };
        if let Some(set) = fields.object("$set") {
            return set.elements_of("messages");
        }
        for key in ["messages", "history"] {
            if fields.has_field(key) {
                return fields.elements_of(key);
            }
        }
        if fields.has_field("sessionId") && !fields.has_field("id") && !fields.has_field("type") {
            vec![]
        } else {
            vec![value]
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if let Some(id) = fields.text("$rewindTo") {
            return LogRecord {
                id: Some(Cow::Borrowed(REWIND_ID)),
                parent: Some(id),
                ..LogRecord::default()
            };
        }
        message_record(&fields)
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        // Several messages on one line repeat the list.
        let mut counts = std::collections::HashMap::new();
        for entry in entries.iter() {
            *counts.entry((entry.place.source, entry.place.line)).or_insert(0) += 1;
        }
        let is_of_lines = counts.len() > 1;
        for entry in entries.iter_mut() {
            let is_listed = counts[&(entry.place.source, entry.place.line)] > 1;
            entry.record.may_repeat = is_of_lines && is_listed;
        }
        entries.retain(|entry| {
            let id = entry.record.id.as_deref().unwrap_or_default();
            !(entry.record.may_repeat && id.ends_with("_response"))
        });
        record_order::end_branches_at(entries, REWIND_ID, rewind_start);
        record_order::last_of_each_id(entries);
    }
}

/// Returns the name of the folder that the program makes of an id.
fn agents_folder(session: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    session.chars().map(plain).collect()
}

/// The id of what takes the messages after another back.
const REWIND_ID: &str = "$rewindTo";

/// Returns the position after which a record takes all messages back.
fn rewind_start(entries: &[RecordEntry], rewind: &RecordEntry) -> Option<usize> {
    entries.iter().rposition(|old| {
        let is_same_file = old.place.source == rewind.place.source;
        is_same_file && old.record.id.is_some() && old.record.id == rewind.record.parent
    })
}

fn message_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = LogRecord {
        time: chat::first_time(fields, &["timestamp", "ts"]),
        id: fields.text("id"),
        ..LogRecord::default()
    };
    record.facts.model = fields.text("model");
    if let Some(tokens) = fields.object("tokens") {
        record.tokens = GeminiUsage {
            prompt: tokens.number("input"),
            cached: tokens.number("cached"),
            candidates: tokens.number("output"),
            thoughts: tokens.number("thoughts"),
            tool: tokens.number("tool"),
            total: tokens.number("total"),
        }
        .tokens();
    }
    for thought in fields.elements_of("thoughts").into_iter().filter_map(JsonObject::from_value) {
        let (subject, text) = (
            thought.text("subject").unwrap_or_default(),
            thought.text("description").unwrap_or_default(),
        );
        let whole = if subject.is_empty() { text } else { format!("{subject}\n{text}").into() };
        record.push_text(RecordEvent::Thought, whole);
    }
    let kind = fields.first_text(&["type", "role"]).unwrap_or_default();
    let content = fields.get("content").or_else(|| fields.get("parts"));
    match &*kind {
        "user" => add_parts(&mut record, content, user_event),
        "gemini" | "model" | "assistant" => add_parts(&mut record, content, model_event),
        "info" | "warning" => {
            add_parts(&mut record, content, |text| RecordEvent::Message(Role::System, text))
        }
        "error" => add_parts(&mut record, content, RecordEvent::Failed),
        _ => record.push_event(RecordEvent::unknown_kind(kind, "record without a type")),
    }
    let context = record.events.iter().find_map(|event| match event {
        RecordEvent::Message(Role::System, text) => folder_in(text),
        _ => None,
    });
    record.facts.root = context.map(Cow::Owned);
    for call in fields.elements_of("toolCalls").into_iter().filter_map(JsonObject::from_value) {
        record.push_event(RecordEvent::Call(read_call(&call)));
    }
    record
}

/// Usage of one response as Gemini's API counts it, and the programs made of its code.
#[derive(Debug, Clone, Copy, Default)]
pub struct GeminiUsage {
    pub prompt: Option<u64>,
    /// The part of the prompt that came from a cache.
    pub cached: Option<u64>,
    pub candidates: Option<u64>,
    /// Tokens of thinking, beside the candidates or a part of them: only the total shows which.
    pub thoughts: Option<u64>,
    /// Results of tools that the model's own service ran: input beside the prompt.
    pub tool: Option<u64>,
    pub total: Option<u64>,
}

impl GeminiUsage {
    /// Returns the tokens of a response. Those of thoughts and tools are added where the total does not contain them.
    pub fn tokens(self) -> Tokens {
        let [thoughts, tool] = [self.thoughts.unwrap_or(0), self.tool.unwrap_or(0)];
        let named =
            self.prompt.zip(self.candidates).map(|(prompt, candidates)| prompt + candidates);
        let rest = self.total.zip(named).map(|(total, named)| total.saturating_sub(named));
        // Without a total each is counted beside the rest, as the API documents it.
        let is_beside = |tokens: u64| rest.is_none_or(|rest| rest >= tokens);
        let is_tool_beside = rest.is_none_or(|rest| rest >= thoughts + tool || rest == tool);
        Tokens {
            input: self.prompt.map(|prompt| prompt + if is_tool_beside { tool } else { 0 }),
            cached_input: self.cached,
            output: self
                .candidates
                .map(|candidates| candidates + if is_beside(thoughts) { thoughts } else { 0 }),
            reasoning: self.thoughts,
            ..Tokens::default()
        }
    }
}

/// Reads a text with the user's role. A text of the program in the user's place, and its own commands, are no requests.
fn user_event(text: Cow<'_, str>) -> RecordEvent<'_> {
    let trimmed = text.trim_start();
    if trimmed.starts_with("<session_context>") {
        return RecordEvent::Message(Role::System, text);
    }
    if is_summary(&text) {
        return RecordEvent::Compacted(text);
    }
    let is_command = text.starts_with('/') && !text.trim().contains([' ', '/', '\n'].as_slice());
    let is_command = is_command || text.trim() == "/compress";
    if is_command { RecordEvent::Message(Role::User, text) } else { RecordEvent::Request(text) }
}

/// Returns whether a text is the summary that the program puts in the place of a compressed history.
fn is_summary(text: &str) -> bool {
    let start = text.trim_start();
    let begins = start.starts_with("<state_snapshot>") || start.starts_with("<scratchpad>");
    begins && start.contains("<state_snapshot>")
}

/// Reads a text with the model's role. The answer to a summary is the program's, which adds one since a request needs an
/// answer.
fn model_event(text: Cow<'_, str>) -> RecordEvent<'_> {
    const TO_A_SUMMARY: &str = "Got it. Thanks for the additional context!";
    let role = if text.trim() == TO_A_SUMMARY { Role::System } else { Role::Assistant };
    RecordEvent::Message(role, text)
}

/// Returns the working folder that the program gives the model.
fn folder_in(context: &str) -> Option<String> {
    let rest =
        context.split_once("Workspace Directories:").map(|(_, rest)| rest.trim_start_matches("**"));
    let rest = rest.or_else(|| Some(context.split_once("working in the directory:")?.1))?;
    let folder = rest
        .lines()
        .map(|line| line.trim().trim_start_matches("- "))
        .find(|line| !line.is_empty())?;
    folder.starts_with(['/', 'C', 'D']).then(|| folder.to_owned())
}

/// Adds a text, a part or a list of parts to a record as events: `{text}`, `{functionCall}`, `{functionResponse}`,
/// `{inlineData}`.
pub fn add_parts<'t>(
    record: &mut LogRecord<'t>,
    content: Option<TapeValue<'t>>,
    says: fn(Cow<'t, str>) -> RecordEvent<'t>,
) {
    let Some(content) = content else { return };
    if let Some(text) = json_object::string_text(content) {
        if !text.trim().is_empty() {
            record.push_event(says(text));
        }
        return;
    }
    let all: Vec<TapeValue<'t>> =
        if content.is_list() { content.elements().collect() } else { vec![content] };
    let mut words: Vec<Cow<'t, str>> = vec![];
    for part in all {
        let Some(fields) = JsonObject::from_value(part) else {
            words.extend(json_object::string_text(part));
            continue;
        };
        if let Some(call) = fields.object("functionCall") {
            record.push_event(RecordEvent::Call(chat::read_call(&call)));
        } else if let Some(response) = fields.object("functionResponse") {
            record.push_event(RecordEvent::Answer(function_response(&response)));
        } else if fields.flag("thought") == Some(true) {
            record.push_text(RecordEvent::Thought, fields.text("text").unwrap_or_default());
        } else if let Some(data) = fields.get("inlineData") {
            let image = arguments::content_text(data);
            words.push(if image.is_empty() { Cow::Borrowed("[attached file]") } else { image });
        } else if fields.has_field("fileData") {
            words.push(Cow::Borrowed("[attached file]"));
        } else {
            words.extend(fields.text("text"));
        }
    }
    let text = if words.len() == 1 { words.remove(0) } else { words.join("\n").into() };
    if !text.trim().is_empty() {
        record.push_event(says(text));
    }
}

/// Reads a function response: `{id, name, response: {output} | {error}}`.
pub fn function_response<'t>(response: &JsonObject<'t>) -> CallAnswer<'t> {
    let inner = response.object("response").unwrap_or_default();
    let error = inner.get("error").map(arguments::content_text);
    let text = inner.get("output").or_else(|| inner.get("content")).map(arguments::content_text);
    let text = text
        .or_else(|| error.clone())
        .or_else(|| response.get("response").map(|raw| Cow::Borrowed(raw.get())));
    let text = text.unwrap_or_default();
    CallAnswer {
        call: response.text("id").unwrap_or_default(),
        is_error: error.is_some(),
        exit_code: chat::exit_code_in(&text),
        text,
        ..CallAnswer::default()
    }
}

/// Returns the sub-agent as its chat is named.
fn agent_id(id: Cow<'_, str>) -> Cow<'_, str> {
    Cow::Owned(agents_folder(&id))
}

fn read_call<'t>(call: &JsonObject<'t>) -> RecordedCall<'t> {
    let mut made = chat::read_call(call);
    let responses = call
        .elements_of("result")
        .into_iter()
        .filter_map(|part| JsonObject::from_value(part)?.object("functionResponse"));
    let mut answer = responses.map(|response| function_response(&response)).next().or_else(|| {
        let shown = call.get("resultDisplay").or_else(|| call.get("result"))?;
        Some(CallAnswer { text: arguments::content_text(shown), ..CallAnswer::default() })
    });
    if let Some(answer) = &mut answer {
        answer.agent = call.text("agentId").filter(|id| !id.is_empty()).map(agent_id);
        let status = call.text("status").unwrap_or_default();
        answer.is_error |= matches!(&*status, "error" | "cancelled");
        answer.is_ok = status == "success";
        answer.ended_at = chat::first_time(call, &["timestamp"]);
        answer.edits = call
            .object("resultDisplay")
            .and_then(|shown| chat::whole_file_edit(&shown))
            .into_iter()
            .collect();
    }
    made.answer = answer;
    made
}
