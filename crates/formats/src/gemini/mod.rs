//! Gemini CLI's own sessions: `~/.gemini/tmp/<project>/chats/session-*.json` (one document) and, from 0.40 on, `.jsonl`
//! (a line a message; a message may be written again, the whole list told once more with `$set`, and taken back with
//! `$rewindTo`). The chats of sub-agents stand in a folder beside it that is named by the session's id.

use std::{borrow::Cow, cell::RefCell};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    companions::BelongsTo,
    object::{self, Object},
    peek,
    records::{Answer, Call, Entry, Event, Record, Records, arguments, order, order::Branch},
    tape::Value,
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Records for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn about(&self) -> &'static str {
        "Gemini CLI session, ~/.gemini/tmp/*/chats/session-*.json and .jsonl, with its sub-agents"
    }

    fn sample(&self) -> &'static str {
        "logs/gemini.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_session = |object: &Object<'_>| {
            object.text("sessionId").is_some() && object.text("projectHash").is_some()
        };
        let is_old = |object: &Object<'_>| {
            let history = object.array("history");
            let first = history.first().and_then(|message| Object::of(*message));
            first.is_some_and(|message| message.has("parts"))
                && (object.has("start_time") || object.has("meta"))
        };
        peek::any(head, &["\"sessionId\"", "\"projectHash\""], is_session)
            || peek::any(head, &["\"history\"", "\"parts\""], is_old)
    }

    /// Of whose session a sub-agent's chat is a part, the name of its folder says.
    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        let is_agent = |object: &Object<'_>| object.text("kind").as_deref() == Some("subagent");
        match peek::any(other, &["\"subagent\"", "\"projectHash\""], is_agent) {
            true => BelongsTo::Named(vec![]),
            false => BelongsTo::Itself,
        }
    }

    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        let found = RefCell::new(None);
        peek::any(main, &["\"sessionId\"", "\"projectHash\""], |object| {
            *found.borrow_mut() = object.text("sessionId").map(|id| folder_of_agents(&id));
            found.borrow().is_some()
        });
        found.into_inner().filter(|folder| !folder.is_empty()).into_iter().collect()
    }

    fn has_agent_folders(&self) -> bool {
        true
    }

    fn agent_of(&self, source: &str) -> Option<String> {
        let name = source.rsplit_once('/')?.1;
        Some(name.trim_end_matches(".jsonl").trim_end_matches(".json").to_owned())
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        let meta = fields.object("meta").unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("gemini"));
        record.facts.id = fields.text("sessionId");
        record.facts.title = fields.text("summary").filter(|title| !title.is_empty());
        record.facts.model = meta.text("model").filter(|_| !fields.has("messages"));
        record.facts.root =
            fields.array("directories").first().and_then(|folder| object::text(*folder));
        record.time = chat::time_of(&fields, &["startTime", "start_time"]);
        // A summary is written whenever the next session begins.
        record.ended_at = chat::time_of(&fields, &["lastUpdated"])
            .filter(|_| fields.has("messages") && record.facts.title.is_none());
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(fields) = Object::of(value) else { return value.elements().collect() };
        if let Some(set) = fields.object("$set") {
            return set.array("messages");
        }
        for key in ["messages", "history"] {
            if fields.has(key) {
                return fields.array(key);
            }
        }
        if fields.has("sessionId") && !fields.has("id") && !fields.has("type") {
            vec![]
        } else {
            vec![value]
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if let Some(id) = fields.text("$rewindTo") {
            return Record {
                id: Some(Cow::Borrowed(REWIND)),
                parent: Some(id),
                ..Record::default()
            };
        }
        message(&fields)
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        // Several messages on one line are the list told again.
        let mut counts = std::collections::HashMap::new();
        for entry in entries.iter() {
            *counts.entry((entry.place.source, entry.place.line)).or_insert(0) += 1;
        }
        let is_of_lines = counts.len() > 1;
        for entry in entries.iter_mut() {
            let is_listed = counts[&(entry.place.source, entry.place.line)] > 1;
            entry.record.restated = is_of_lines && is_listed;
        }
        entries.retain(|entry| {
            let id = entry.record.id.as_deref().unwrap_or_default();
            !(entry.record.restated && id.ends_with("_response"))
        });
        rewind(entries);
        order::last_of_each_id(entries);
    }
}

/// As the program writes an id into the name of a folder.
fn folder_of_agents(session: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    session.chars().map(plain).collect()
}

/// The id of what takes the messages after another back.
const REWIND: &str = "$rewindTo";

fn rewind(entries: &mut Vec<Entry>) {
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    let mut branches = vec![];
    for entry in entries.drain(..) {
        if entry.record.id.as_deref() != Some(REWIND) {
            kept.push(entry);
            continue;
        }
        let to = kept.iter().rposition(|old| {
            let is_same_file = old.place.source == entry.place.source;
            is_same_file && old.record.id.is_some() && old.record.id == entry.record.parent
        });
        let after = to.unwrap_or(kept.len());
        branches.push(Branch { after, entries: kept.split_off(after) });
    }
    *entries = order::with_branches(kept, branches);
}

fn message<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut record = Record {
        time: chat::time_of(fields, &["timestamp", "ts"]),
        id: fields.text("id"),
        ..Record::default()
    };
    record.facts.model = fields.text("model");
    if let Some(tokens) = fields.object("tokens") {
        record.tokens = Usage {
            prompt: tokens.number("input"),
            cached: tokens.number("cached"),
            candidates: tokens.number("output"),
            thoughts: tokens.number("thoughts"),
            tool: tokens.number("tool"),
            total: tokens.number("total"),
        }
        .tokens();
    }
    for thought in fields.array("thoughts").into_iter().filter_map(Object::of) {
        let (subject, text) = (
            thought.text("subject").unwrap_or_default(),
            thought.text("description").unwrap_or_default(),
        );
        let whole = if subject.is_empty() { text } else { format!("{subject}\n{text}").into() };
        record.says_words(Event::Thought, whole);
    }
    let kind = fields.text_of(&["type", "role"]).unwrap_or_default();
    let content = fields.get("content").or_else(|| fields.get("parts"));
    match &*kind {
        "user" => parts(&mut record, content, request),
        "gemini" | "model" | "assistant" => parts(&mut record, content, answer_to),
        "info" | "warning" => parts(&mut record, content, |text| Event::Said(Role::System, text)),
        "error" => parts(&mut record, content, Event::Failed),
        _ => record.says(Event::unknown(kind, "record without a type")),
    }
    let context = record.events.iter().find_map(|event| match event {
        Event::Said(Role::System, text) => folder_in(text),
        _ => None,
    });
    record.facts.root = context.map(Cow::Owned);
    for call in fields.array("toolCalls").into_iter().filter_map(Object::of) {
        record.says(Event::Called(called(&call)));
    }
    record
}

/// Usage of one response as Gemini's API counts it, and the programs made of its code.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    pub prompt: Option<u64>,
    /// The part of the prompt that came from a cache.
    pub cached: Option<u64>,
    pub candidates: Option<u64>,
    /// Beside the candidates, or a part of them: only the total shows which.
    pub thoughts: Option<u64>,
    /// Results of tools that the model's own service ran: input beside the prompt.
    pub tool: Option<u64>,
    pub total: Option<u64>,
}

impl Usage {
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

/// What a person typed; what the program says of itself in their name, and its own commands, are no requests.
fn request(text: Cow<'_, str>) -> Event<'_> {
    let trimmed = text.trim_start();
    if trimmed.starts_with("<session_context>") {
        return Event::Said(Role::System, text);
    }
    if is_summary(&text) {
        return Event::Compacted(text);
    }
    let is_command = text.starts_with('/') && !text.trim().contains([' ', '/', '\n'].as_slice());
    let is_command = is_command || text.trim() == "/compress";
    if is_command { Event::Said(Role::User, text) } else { Event::Request(text) }
}

/// Whether a text is the summary that the program puts in the place of a history that was compressed.
fn is_summary(text: &str) -> bool {
    let start = text.trim_start();
    let begins = start.starts_with("<state_snapshot>") || start.starts_with("<scratchpad>");
    begins && start.contains("<state_snapshot>")
}

/// What the model said. The answer to a summary is the program's: it stands there because a request has one.
fn answer_to(text: Cow<'_, str>) -> Event<'_> {
    const TO_A_SUMMARY: &str = "Got it. Thanks for the additional context!";
    let role = if text.trim() == TO_A_SUMMARY { Role::System } else { Role::Assistant };
    Event::Said(role, text)
}

/// The folder that the program tells the model it works in.
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

/// A text, a part or a list of parts: `{text}`, `{functionCall}`, `{functionResponse}`, `{inlineData}`.
pub fn parts<'t>(
    record: &mut Record<'t>,
    content: Option<Value<'t>>,
    says: fn(Cow<'t, str>) -> Event<'t>,
) {
    let Some(content) = content else { return };
    if let Some(text) = object::text(content) {
        if !text.trim().is_empty() {
            record.says(says(text));
        }
        return;
    }
    let all: Vec<Value<'t>> =
        if content.is_list() { content.elements().collect() } else { vec![content] };
    let mut words: Vec<Cow<'t, str>> = vec![];
    for part in all {
        let Some(fields) = Object::of(part) else {
            words.extend(object::text(part));
            continue;
        };
        if let Some(call) = fields.object("functionCall") {
            record.says(Event::Called(chat::called(&call)));
        } else if let Some(response) = fields.object("functionResponse") {
            record.says(Event::Answered(response_of(&response)));
        } else if fields.flag("thought") == Some(true) {
            record.says_words(Event::Thought, fields.text("text").unwrap_or_default());
        } else if let Some(data) = fields.get("inlineData") {
            let image = arguments::words(data);
            words.push(if image.is_empty() { Cow::Borrowed("[attached file]") } else { image });
        } else if fields.has("fileData") {
            words.push(Cow::Borrowed("[attached file]"));
        } else {
            words.extend(fields.text("text"));
        }
    }
    let text = if words.len() == 1 { words.remove(0) } else { words.join("\n").into() };
    if !text.trim().is_empty() {
        record.says(says(text));
    }
}

/// `{id, name, response: {output} | {error}}`
pub fn response_of<'t>(response: &Object<'t>) -> Answer<'t> {
    let inner = response.object("response").unwrap_or_default();
    let error = inner.get("error").map(arguments::words);
    let text = inner.get("output").or_else(|| inner.get("content")).map(arguments::words);
    let text = text
        .or_else(|| error.clone())
        .or_else(|| response.get("response").map(|raw| Cow::Borrowed(raw.get())));
    let text = text.unwrap_or_default();
    Answer {
        call: response.text("id").unwrap_or_default(),
        is_error: error.is_some(),
        exit_code: chat::exit_code(&text),
        text,
        ..Answer::default()
    }
}

/// The sub-agent as its chat is named.
fn agent_id(id: Cow<'_, str>) -> Cow<'_, str> {
    Cow::Owned(folder_of_agents(&id))
}

fn called<'t>(call: &Object<'t>) -> Call<'t> {
    let mut made = chat::called(call);
    let responses = call
        .array("result")
        .into_iter()
        .filter_map(|part| Object::of(part)?.object("functionResponse"));
    let mut answer = responses.map(|response| response_of(&response)).next().or_else(|| {
        let shown = call.get("resultDisplay").or_else(|| call.get("result"))?;
        Some(Answer { text: arguments::words(shown), ..Answer::default() })
    });
    if let Some(answer) = &mut answer {
        answer.agent = call.text("agentId").filter(|id| !id.is_empty()).map(agent_id);
        let status = call.text("status").unwrap_or_default();
        answer.is_error |= matches!(&*status, "error" | "cancelled");
        answer.is_ok = status == "success";
        answer.ended_at = chat::time_of(call, &["timestamp"]);
        answer.edits = call
            .object("resultDisplay")
            .and_then(|shown| chat::whole_file(&shown))
            .into_iter()
            .collect();
    }
    made.answer = answer;
    made
}
