//! Chats of VS Code (Copilot Chat): `workspaceStorage/<hash>/chatSessions/*.json`, what *Chat: Export Session* writes, and since
//! 2026 `.jsonl`, a log of changes that is replayed to the same document ([`changes`]).
//!
//! A request holds everything that followed it. What the model said round by round, with its calls and their results, is in the
//! metadata of the result (`toolCallRounds`, `toolCallResults`); where that is missing, as of a request that was cancelled, the
//! parts that the editor showed are read.

mod changes;
mod response;

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Preparation, Shape, chat,
    companions::BelongsTo,
    object::{self, Object},
    peek,
    records::{
        Entry, Event, Record, Records, arguments,
        order::{self, Branch},
    },
    tape::Value,
};
use trajview_run::{Role, Time, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct CopilotChat;

/// The parent of a request that the person took back.
const TAKEN_BACK: &str = "taken back";

impl Records for CopilotChat {
    fn name(&self) -> &'static str {
        "copilot-chat"
    }

    fn about(&self) -> &'static str {
        "chat of VS Code (Copilot Chat): workspaceStorage/*/chatSessions/*.json and .jsonl, or what Chat: Export Session writes"
    }

    fn sample(&self) -> &'static str {
        "logs/copilot-chat/chatSessions/made.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"requests\""], is_session)
            || peek::any(head, &["\"kind\"", "\"v\"", "\"requests\""], is_first_change)
            || peek::any(head, &["\"kind\"", "\"v\"", "\"creationDate\""], is_first_change)
    }

    /// Says in which folder the editor was open.
    fn parts_in(&self, _main: &Head<'_>) -> Vec<String> {
        vec!["../workspace.json".to_owned()]
    }

    /// Beside the chat in a bundle.
    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        let is_workspace = other.name.rsplit('/').next() == Some("workspace.json")
            && peek::any(other, &["\"folder\""], |fields| fields.text("folder").is_some());
        if is_workspace { BelongsTo::Any } else { BelongsTo::Itself }
    }

    fn preparation(&self, head: &Head<'_>) -> Option<Preparation> {
        peek::any(head, &["\"kind\"", "\"v\""], is_first_change).then_some(changes::replayed)
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        if !fields.has("requests") {
            record.facts.root = fields.text("folder").and_then(|folder| folder_of(&folder));
            return record;
        }
        record.facts.agent = Some(Cow::Borrowed("copilot-chat"));
        record.facts.id = fields.text("sessionId");
        record.facts.title = fields.text_of(&["customTitle", "computedTitle"]);
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let fields = Object::of(value).unwrap_or_default();
        let mut all = fields.array("requests");
        // Changes that could not be replayed are counted after the last request; a log without a beginning has only such.
        let is_change = fields.has("kind") && !fields.has("requests");
        all.extend((fields.has(changes::UNREAD) || is_change).then_some(value));
        all
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let Some(fields) = Object::of(record) else {
            return Record::unknown("request that is no object");
        };
        if let Some(count) = fields.number(changes::UNREAD) {
            return Record::unknown(format!("changes of the log that cannot be followed: {count}"));
        }
        if !fields.has("message") && !fields.has("response") {
            return Record::unknown("request without a message");
        }
        request(&fields)
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        if entries.iter().all(|entry| entry.record.parent.is_none()) {
            return;
        }
        let (mut kept, mut branches): (Vec<Entry>, Vec<Branch>) = (vec![], vec![]);
        for entry in entries.drain(..) {
            if entry.record.parent.is_none() {
                kept.push(entry);
                continue;
            }
            match branches.last_mut().filter(|branch| branch.after == kept.len()) {
                Some(branch) => branch.entries.push(entry),
                None => branches.push(Branch { after: kept.len(), entries: vec![entry] }),
            }
        }
        *entries = order::with_branches(kept, branches);
    }
}

fn is_session(fields: &Object<'_>) -> bool {
    let marks = ["responderUsername", "requesterUsername", "initialLocation", "creationDate"];
    fields.get("requests").is_some_and(Value::is_list) && marks.iter().any(|mark| fields.has(mark))
}

/// Whether it is the first line of a log of changes: the whole session as it was then.
fn is_first_change(fields: &Object<'_>) -> bool {
    let is_first = fields.number("kind") == Some(0);
    is_first && fields.object("v").is_some_and(|state| is_session(&state) || is_begun(&state))
}

/// The list of requests may stand behind what is looked at.
fn is_begun(fields: &Object<'_>) -> bool {
    fields.has("creationDate") && fields.has("version")
}

/// The path of a `file:` address; None of what is on another machine.
fn folder_of(address: &str) -> Option<Cow<'static, str>> {
    let path = decoded(address.strip_prefix("file://")?);
    let has_drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    Some(Cow::Owned(if has_drive { path[1..].to_owned() } else { path }))
}

/// A text with its `%20` and the like written out.
fn decoded(text: &str) -> String {
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

/// A request and all that followed it.
fn request<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = Record { time: chat::time_of(fields, &["timestamp"]), ..Record::default() };
    let result = fields.object("result").unwrap_or_default();
    let metadata = result.object("metadata").unwrap_or_default();
    let rounds: Vec<Object<'t>> =
        metadata.array("toolCallRounds").into_iter().filter_map(Object::of).collect();
    let asked = fields.get("message").map(arguments::words).unwrap_or_default();
    made.says(Event::Request(asked));
    let parts = fields.array("response");
    match rounds.is_empty() {
        true => response::shown(&mut made, &parts),
        false => {
            response::in_rounds(&mut made, &rounds, &metadata.object("toolCallResults"), &parts);
        }
    }
    if let Some(error) = result.get("errorDetails") {
        made.says_words(Event::Failed, arguments::error_words(error));
    }
    let is_one_call = rounds.len() <= 1 && !parts.iter().any(|part| response::is_call_of(*part));
    made.tokens = tokens(fields, &metadata, is_one_call);
    made.facts.model = model(fields, &metadata, &rounds);
    made.ended_at = ended_at(fields, &result, made.time);
    let is_taken_back =
        fields.flag("isHidden") == Some(true) || fields.get("shouldBeRemovedOnSend").is_some();
    made.parent = is_taken_back.then_some(Cow::Borrowed(TAKEN_BACK));
    made
}

fn ended_at(fields: &Object<'_>, result: &Object<'_>, start: Option<Time>) -> Option<Time> {
    let state = fields.object("modelState").unwrap_or_default();
    let elapsed = result.object("timings").and_then(|it| it.amount("totalElapsed"));
    let elapsed = elapsed.or_else(|| fields.amount("elapsedMs"));
    let after = || {
        let elapsed = elapsed.filter(|millis| (0.0..1e12).contains(millis))?;
        Some(Time(start?.0.checked_add(elapsed as i64)?))
    };
    chat::time_of(&state, &["completedAt"]).or_else(after)
}

/// The model that answered; `auto` is none.
fn model<'t>(
    fields: &Object<'t>,
    metadata: &Object<'t>,
    rounds: &[Object<'t>],
) -> Option<Cow<'t, str>> {
    let of_round = || rounds.iter().find_map(|round| round.text_of(&["modelId", "model"]));
    let named = metadata.text("resolvedModel").or_else(of_round);
    let named = named.or_else(|| fields.text("modelId"))?;
    let plain = match named.strip_prefix("copilot/") {
        Some(plain) => Cow::Owned(plain.to_owned()),
        None => named,
    };
    Some(plain).filter(|name| name != "auto" && !name.is_empty())
}

/// What the request used. `promptTokens` are those of the last call to the model alone: of a request with several they are a
/// part of the sum, and no sum.
fn tokens(fields: &Object<'_>, metadata: &Object<'_>, is_one_call: bool) -> Tokens {
    let totals: Vec<Object<'_>> =
        fields.array("modelTotals").into_iter().filter_map(Object::of).collect();
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

/// The words of what VS Code writes as a text, as Markdown (`{value}`), or as the tree of a prompt.
fn words(value: Value<'_>) -> Cow<'_, str> {
    if let Some(text) = object::text(value) {
        return text;
    }
    if value.is_list() {
        let parts = value.elements().map(words).filter(|part| !part.is_empty());
        return parts.collect::<Vec<_>>().join("\n").into();
    }
    let fields = Object::of(value).unwrap_or_default();
    if let Some(children) = fields.get("children") {
        // The pieces of a prompt follow each other without anything between.
        let pieces = children.elements().map(words);
        return pieces.collect::<String>().into();
    }
    let inner = ["value", "node", "text", "content"];
    inner.iter().find_map(|key| fields.get(key)).map(words).unwrap_or_default()
}

/// What the agent's program says.
fn notice(text: Cow<'_, str>) -> Event<'_> {
    Event::Said(Role::System, text)
}
