//! Chats of VS Code (Copilot Chat): `workspaceStorage/<hash>/chatSessions/*.json`, what *Chat: Export Session* writes,
//! and since 2026 `.jsonl`, a log of changes that is replayed to the same document ([`changes`]).
//!
//! A request holds everything that followed it. The model's messages round by round, with its calls and their results,
//! are in the metadata of the result (`toolCallRounds`, `toolCallResults`); where that is missing, as of a request that
//! was cancelled, the parts that the editor showed are read.

mod changes;
mod response;

use std::borrow::Cow;

use super::{
    FileHead, FilePreparation, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    companion_files::BelongsTo,
    head_json,
    json_object::{self, JsonObject},
    records::{
        LogRecord, RecordEntry, RecordEvent, RecordFormat, arguments,
        record_order::{self, AbandonedBranch},
    },
    tape::TapeValue,
};
use trajview_run::{Role, Time, Tokens};

pub struct CopilotChat;

/// The parent of a request that the person took back.
const TAKEN_BACK: &str = "taken back";

impl RecordFormat for CopilotChat {
    fn name(&self) -> &'static str {
        "copilot-chat"
    }

    fn short_description(&self) -> &'static str {
        "chat of VS Code (Copilot Chat): workspaceStorage/*/chatSessions/*.json and .jsonl, or what Chat: Export Session writes"
    }

    fn sample_path(&self) -> &'static str {
        "logs/copilot-chat/chatSessions/made.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"requests\""], is_session)
            || head_json::any_object(head, &["\"kind\"", "\"v\"", "\"requests\""], is_first_change)
            || head_json::any_object(
                head,
                &["\"kind\"", "\"v\"", "\"creationDate\""],
                is_first_change,
            )
    }

    /// Returns the file that names the folder in which the editor was open.
    fn part_paths(&self, _main: &FileHead<'_>) -> Vec<String> {
        vec!["../workspace.json".to_owned()]
    }

    /// Returns the membership of the workspace's file, which is beside the chat in a bundle.
    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        let is_workspace = other.name.rsplit('/').next() == Some("workspace.json")
            && head_json::any_object(other, &["\"folder\""], |fields| {
                fields.text("folder").is_some()
            });
        if is_workspace { BelongsTo::Any } else { BelongsTo::Itself }
    }

    fn preparation_for(&self, head: &FileHead<'_>) -> Option<FilePreparation> {
        head_json::any_object(head, &["\"kind\"", "\"v\""], is_first_change)
            .then_some(changes::replay_changes)
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        if !fields.has_field("requests") {
            record.facts.root = fields.text("folder").and_then(|folder| folder_of_address(&folder));
            return record;
        }
        record.facts.agent = Some(Cow::Borrowed("copilot-chat"));
        record.facts.id = fields.text("sessionId");
        record.facts.title = fields.first_text(&["customTitle", "computedTitle"]);
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let fields = JsonObject::from_value(value).unwrap_or_default();
        let mut all = fields.elements_of("requests");
        // Changes that could not be replayed are counted after the last request; a log without a beginning has only such.
        let is_change = fields.has_field("kind") && !fields.has_field("requests");
        all.extend((fields.has_field(changes::UNREAD_CHANGES) || is_change).then_some(value));
        all
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let Some(fields) = JsonObject::from_value(record) else {
            return LogRecord::unknown_kind("request that is not an object");
        };
        if let Some(count) = fields.number(changes::UNREAD_CHANGES) {
            return LogRecord::unknown_kind(format!(
                "changes of the log that cannot be followed: {count}"
            ));
        }
        if !fields.has_field("message") && !fields.has_field("response") {
            return LogRecord::unknown_kind("request without a message");
        }
        request_record(&fields)
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        if entries.iter().all(|entry| entry.record.parent.is_none()) {
            return;
        }
        let (mut kept, mut branches): (Vec<RecordEntry>, Vec<AbandonedBranch>) = (vec![], vec![]);
        for entry in entries.drain(..) {
            if entry.record.parent.is_none() {
                kept.push(entry);
                continue;
            }
            match branches.last_mut().filter(|branch| branch.after == kept.len()) {
                Some(branch) => branch.entries.push(entry),
                None => branches.push(AbandonedBranch { after: kept.len(), entries: vec![entry] }),
            }
        }
        *entries = record_order::with_branches(kept, branches);
    }
}

fn is_session(fields: &JsonObject<'_>) -> bool {
    let marks = ["responderUsername", "requesterUsername", "initialLocation", "creationDate"];
    fields.get("requests").is_some_and(TapeValue::is_list)
        && marks.iter().any(|mark| fields.has_field(mark))
}

/// Returns whether an object is the first line of a log of changes: the whole session at that time.
fn is_first_change(fields: &JsonObject<'_>) -> bool {
    let is_first = fields.number("kind") == Some(0);
    is_first && fields.object("v").is_some_and(|state| is_session(&state) || is_begun(&state))
}

/// Returns whether an object is the beginning of a session. The list of requests may be behind the head.
fn is_begun(fields: &JsonObject<'_>) -> bool {
    fields.has_field("creationDate") && fields.has_field("version")
}

/// Returns the path of a `file:` address; None of what is on another machine.
fn folder_of_address(address: &str) -> Option<Cow<'static, str>> {
    let path = decode_percent(address.strip_prefix("file://")?);
    let has_drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    Some(Cow::Owned(if has_drive { path[1..].to_owned() } else { path }))
}

/// Returns a text with its `%20` and the like written out.
fn decode_percent(text: &str) -> String {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns a request and all that followed it.
fn request_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made =
        LogRecord { time: chat::first_time(fields, &["timestamp"]), ..LogRecord::default() };
    let result = fields.object("result").unwrap_or_default();
    let metadata = result.object("metadata").unwrap_or_default();
    let rounds: Vec<JsonObject<'t>> = metadata
        .elements_of("toolCallRounds")
        .into_iter()
        .filter_map(JsonObject::from_value)
        .collect();
    let request_text = fields.get("message").map(arguments::content_text).unwrap_or_default();
    made.push_event(RecordEvent::Request(request_text));
    let parts = fields.elements_of("response");
    match rounds.is_empty() {
        true => response::add_shown_parts(&mut made, &parts),
        false => {
            response::add_rounds(&mut made, &rounds, &metadata.object("toolCallResults"), &parts);
        }
    }
    if let Some(error) = result.get("errorDetails") {
        made.push_text(RecordEvent::Failed, arguments::error_text(error));
    }
    let is_one_call = rounds.len() <= 1 && !parts.iter().any(|part| response::is_call_part(*part));
    made.tokens = request_tokens(fields, &metadata, is_one_call);
    made.facts.model = request_model(fields, &metadata, &rounds);
    made.ended_at = ended_at(fields, &result, made.time);
    let is_taken_back =
        fields.flag("isHidden") == Some(true) || fields.get("shouldBeRemovedOnSend").is_some();
    made.parent = is_taken_back.then_some(Cow::Borrowed(TAKEN_BACK));
    made
}

fn ended_at(fields: &JsonObject<'_>, result: &JsonObject<'_>, start: Option<Time>) -> Option<Time> {
    let state = fields.object("modelState").unwrap_or_default();
    let elapsed = result.object("timings").and_then(|it| it.float("totalElapsed"));
    let elapsed = elapsed.or_else(|| fields.float("elapsedMs"));
    let after = || {
        let elapsed = elapsed.filter(|millis| (0.0..1e12).contains(millis))?;
        Some(Time(start?.0.checked_add(elapsed as i64)?))
    };
    chat::first_time(&state, &["completedAt"]).or_else(after)
}

/// Returns the model that answered; `auto` is none.
fn request_model<'t>(
    fields: &JsonObject<'t>,
    metadata: &JsonObject<'t>,
    rounds: &[JsonObject<'t>],
) -> Option<Cow<'t, str>> {
    let of_round = || rounds.iter().find_map(|round| round.first_text(&["modelId", "model"]));
    let named = metadata.text("resolvedModel").or_else(of_round);
    let named = named.or_else(|| fields.text("modelId"))?;
    let plain = match named.strip_prefix("copilot/") {
        Some(plain) => Cow::Owned(plain.to_owned()),
        None => named,
    };
    Some(plain).filter(|name| name != "auto" && !name.is_empty())
}

/// Returns the tokens of a request. `promptTokens` are those of the last call to the model alone: for a request with
/// several calls they are a part of the sum, and no sum.
fn request_tokens(fields: &JsonObject<'_>, metadata: &JsonObject<'_>, is_one_call: bool) -> Tokens {
    let totals: Vec<JsonObject<'_>> =
        fields.elements_of("modelTotals").into_iter().filter_map(JsonObject::from_value).collect();
    let sum = |key: &str| {
        let counts = totals.iter().filter_map(|total| total.number(key));
        counts.reduce(u64::saturating_add)
    };
    if !totals.is_empty() {
        return Tokens {
            input: sum("inputTokens"),
            cached_input: sum("cachedTokens"),
            output: sum("outputTokens"),
            ..Tokens::default()
        };
    }
    let last = |key: &str| metadata.number(key).filter(|_| is_one_call);
    let input = fields.number("promptTokens").filter(|_| is_one_call);
    Tokens {
        input: input.or_else(|| last("promptTokens")),
        output: fields.number("completionTokens").or_else(|| last("outputTokens")),
        ..Tokens::default()
    }
}

/// Returns the words of a text, of Markdown (`{value}`), of a list (a line for each part) or of the tree of a prompt;
/// empty for other values.
fn flat_text(value: TapeValue<'_>) -> Cow<'_, str> {
    if let Some(text) = json_object::string_text(value) {
        return text;
    }
    if value.is_list() {
        let parts = value.elements().map(flat_text).filter(|part| !part.is_empty());
        return parts.collect::<Vec<_>>().join("\n").into();
    }
    let fields = JsonObject::from_value(value).unwrap_or_default();
    if let Some(children) = fields.get("children") {
        // The pieces of a prompt follow each other without anything between.
        let pieces = children.elements().map(flat_text);
        return pieces.collect::<String>().into();
    }
    let inner = ["value", "node", "text", "content"];
    inner.iter().find_map(|key| fields.get(key)).map(flat_text).unwrap_or_default()
}

/// Creates a message of the agent's program.
fn program_message(text: Cow<'_, str>) -> RecordEvent<'_> {
    RecordEvent::Message(Role::System, text)
}
