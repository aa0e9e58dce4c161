//! The first phase: one line in, one small [`RolloutRecord`] out. Lines do not know of each other here, so that they
//! can be read in any order and on any thread. A new record type is a new arm of one of the matches below.

use std::borrow::Cow;

use super::{
    envelope::{self, LineBody, TypedObject, text_parts},
    record::{
        FinishedCall, RecordFamily, RolloutCall, RolloutChange, RolloutLine, RolloutMessage,
        RolloutOutput, RolloutRecord, RolloutRequestSource, ThreadMeta, TokenCount, UsageRecord,
    },
};
use crate::{
    codex::{
        call,
        outcome::{self, CodexOutcome, MeasuredOutcome},
    },
    json_object::{self as json, JsonObject},
    jsonl,
    tape::{self, JsonTape, TapeValue},
    wrapped_text::{self, WrappedText},
};
use trajview_code::{
    has_word,
    patch::{self, FilePatch, LineCounts, PatchedFile},
    utf8::lossy_text,
};
use trajview_run::{
    EditKind, RecordPlace, Role, StepKind, Time, Tokens, first_line_label, label_from_start,
};

/// Reads one line. `is_last` distinguishes a log that is still being written from a broken one.
pub fn classify_line(place: RecordPlace, line: &[u8], is_last: bool) -> RolloutLine {
    let text = lossy_text(line);
    let tape = JsonTape::parse(&text);
    let Some(object) = JsonObject::from_tape(&tape) else {
        let what = jsonl::json_error_text(&tape::serde_error(&text), is_last);
        let record = RolloutRecord::Broken(what);
        return RolloutLine { place, at: None, ordinal: None, model: None, not_finite: 0, record };
    };
    let opened = envelope::open_line(object);
    let record = record_of_body(&opened.body);
    let not_finite = tape.as_ref().map_or(0, JsonTape::not_finite).try_into().unwrap_or(u32::MAX);
    let (at, ordinal, model) = (opened.at, opened.ordinal, opened.model);
    RolloutLine { place, at, ordinal, model, not_finite, record }
}

fn record_of_body(body: &LineBody<'_>) -> RolloutRecord {
    match body {
        LineBody::Meta(fields) => RolloutRecord::Meta(Box::new(read_meta(fields))),
        LineBody::Context(fields) => context_record(fields),
        LineBody::Compacted(fields) => compacted_record(fields, RecordFamily::Compacted),
        LineBody::Response(item) => response_record(item),
        LineBody::Event(event) => event_record(event),
        LineBody::Item(item) => item_record(item),
        LineBody::Other(other) => other_record(other),
    }
}

/// Returns the session's own words on itself.
pub fn read_meta(fields: &JsonObject<'_>) -> ThreadMeta {
    let source = fields.object("source").and_then(|source| source.object("subagent"));
    let spawn = source.as_ref().and_then(|source| source.object("thread_spawn"));
    let of_spawn = |key: &str| spawn.as_ref().and_then(|spawn| spawn.non_empty_text(key));
    let is_subagent =
        source.is_some() || fields.text("thread_source").as_deref() == Some("subagent");
    let originator = fields.text("originator");
    ThreadMeta {
        id: fields.non_empty_text("id").or(fields.non_empty_text("session_id")).unwrap_or_default(),
        session: fields.non_empty_text("session_id"),
        parent: fields.non_empty_text("parent_thread_id").or_else(|| of_spawn("parent_thread_id")),
        forked_from: fields.non_empty_text("forked_from_id"),
        is_subagent,
        own_from: fields.number("subagent_history_start_ordinal"),
        started_at: fields.text("timestamp").and_then(|text| Time::parse(&text)),
        cwd: fields.non_empty_text("cwd"),
        branch: fields.object("git").and_then(|git| git.non_empty_text("branch")),
        version: fields.non_empty_text("cli_version"),
        nickname: fields.non_empty_text("agent_nickname").or_else(|| of_spawn("agent_nickname")),
        path: fields.non_empty_text("agent_path").or_else(|| of_spawn("agent_path")),
        role: fields.non_empty_text("agent_role").or_else(|| of_spawn("agent_role")),
        provenance: originator.map(|name| format!("written by {name}")),
        window: None,
    }
}

fn context_record(fields: &JsonObject<'_>) -> RolloutRecord {
    RolloutRecord::Context {
        model: fields.non_empty_text("model"),
        cwd: fields.non_empty_text("cwd"),
        turn: fields.non_empty_text("turn_id"),
    }
}

fn compacted_record(fields: &JsonObject<'_>, family: RecordFamily) -> RolloutRecord {
    let label = fields.get("message").map(label_of).unwrap_or_default();
    RolloutRecord::Compacted { label, family }
}

/// Written so, a first line is short as a rule.
const SHORT_LABEL_BYTES: usize = 320;

fn label_of(raw: TapeValue<'_>) -> Box<str> {
    let is_long = raw.string_contents().is_some_and(|inside| inside.text.len() > SHORT_LABEL_BYTES);
    let start = if is_long { json::text_head(raw, SHORT_LABEL_BYTES) } else { None };
    if let Some(label) = start.as_deref().and_then(label_from_start) {
        return label;
    }
    json::text_start(raw).map(|text| first_line_label(&text)).unwrap_or_default()
}

fn first_label(parts: &[TapeValue<'_>]) -> Box<str> {
    parts.iter().map(|part| label_of(*part)).find(|label| !label.is_empty()).unwrap_or_default()
}

/// Returns the beginnings of the parts that have text, without the blanks before it.
fn text_starts(parts: &[TapeValue<'_>]) -> impl Iterator<Item = String> {
    let starts = parts.iter().filter_map(|part| json::text_start(*part));
    starts.map(|start| start.trim_start().to_owned()).filter(|start| !start.is_empty())
}

/// Reads a message that is one text, though it has several parts.
fn whole_message(parts: &[TapeValue<'_>], family: RecordFamily) -> RolloutMessage {
    let prints = json::text_fingerprint(parts.iter().copied()).into_iter().collect();
    RolloutMessage { label: first_label(parts), prints, family, is_wrapped: false }
}

/// Reads thinking, which another record may repeat part by part.
fn thinking_record(parts: &[TapeValue<'_>], family: RecordFamily) -> RolloutRecord {
    let prints: Vec<_> = parts.iter().filter_map(|part| json::text_fingerprint([*part])).collect();
    if prints.is_empty() {
        return RolloutRecord::Bookkeeping; // sealed: nothing to read
    }
    RolloutRecord::Message {
        kind: StepKind::Thinking,
        message: RolloutMessage { label: first_label(parts), prints, family, is_wrapped: false },
    }
}

fn unknown_record(kind: &str) -> RolloutRecord {
    let kind = if kind.is_empty() { "a record without a type" } else { kind };
    RolloutRecord::Unknown { label: first_line_label(kind) }
}

// --- the conversation with the model

fn response_record(item: &TypedObject<'_>) -> RolloutRecord {
    let fields = &item.fields;
    match item.kind.as_ref() {
        "message" => message_record(item),
        "reasoning" => thinking_record(&text_parts(fields, &["summary", "content"]), item.family),
        "function_call" | "custom_tool_call" | "tool_call" | "local_shell_call"
        | "tool_search_call" => RolloutRecord::Call(Box::new(tool_call(item))),
        "web_search_call" => RolloutRecord::Call(Box::new(web_search(fields))),
        "image_generation_call" => RolloutRecord::Call(Box::new(image_generation(fields))),
        "function_call_output"
        | "custom_tool_call_output"
        | "tool_result"
        | "function_result"
        | "tool_search_output"
        | "mcp_tool_call_output" => RolloutRecord::Output(Box::new(output_record(fields))),
        "agent_message" => RolloutRecord::Mail {
            label: mail_label(&outcome::parts_text(&fields.elements_of("content"))),
        },
        "compaction" | "context_compaction" | "compaction_summary" => {
            compacted_record(fields, item.family)
        }
        "ghost_snapshot" | "additional_tools" | "compaction_trigger" | "other" => {
            RolloutRecord::Bookkeeping
        }
        kind => unknown_record(kind),
    }
}

/// Returns the label of mail between agents, without its head (`Message Type:`, `Sender:`).
fn mail_label(text: &str) -> Box<str> {
    let payload = text.split_once("\nPayload:\n").map(|(_, payload)| first_line_label(payload));
    payload.filter(|label| !label.is_empty()).unwrap_or_else(|| first_line_label(text))
}

fn message_record(item: &TypedObject<'_>) -> RolloutRecord {
    let fields = &item.fields;
    let parts = text_parts(fields, &["content", "message", "text"]);
    let flag = |key| item.metadata.as_ref().and_then(|data| data.flag(key)) == Some(true);
    let role = fields.text("role").unwrap_or_default();
    match role.as_ref() {
        "assistant" if flag("compaction_output") => RolloutRecord::Bookkeeping, // the summary, told by `compacted`
        "assistant" if parts.is_empty() => RolloutRecord::Bookkeeping,
        "assistant" => RolloutRecord::Message {
            kind: StepKind::Message,
            message: whole_message(&parts, item.family),
        },
        "user" => {
            let is_injected = flag("inherited_user_message")
                || parts.is_empty()
                || parts
                    .iter()
                    .any(|part| json::text_start(*part).is_some_and(|t| is_injected(&t)))
                    && split_request(&parts).texts.is_empty();
            let source = if is_injected {
                RolloutRequestSource::Injected
            } else {
                RolloutRequestSource::Conversation
            };
            let mut message = request_message(&parts, item.family);
            // Images bring texts of their own; the event has the typed text.
            message.prints.extend(parts.iter().filter_map(|part| json::text_fingerprint([*part])));
            RolloutRecord::Request { message, source }
        }
        "developer" | "system" => RolloutRecord::Bookkeeping,
        role => unknown_record(role),
    }
}

/// Beginnings of messages that Codex writes in the user's place.
const INJECTED_HEADS: [&str; 2] = ["# AGENTS.md instructions", "Warning: apply_patch"];

/// The tags around such messages.
const INJECTED_TAGS: &str = "environment_context user_instructions permissions turn_aborted \
    subagent_notification subagent skill skills_instructions apps_instructions \
    plugins_instructions collaboration_mode user_shell_command model_switch personality_spec \
    INSTRUCTIONS realtime_conversation hook_prompt";

/// Returns whether Codex wrote a text with the user's role: context, instructions, skills, notices.
fn is_injected(text: &str) -> bool {
    let text = text.trim_start();
    let tag = text.strip_prefix('<').map(|rest| {
        rest.split(|c: char| c == '>' || c == '\n' || c.is_whitespace()).next().unwrap_or_default()
    });
    tag.is_some_and(|tag| has_word(INJECTED_TAGS, tag))
        || INJECTED_HEADS.iter().any(|head| text.starts_with(head))
}

fn tool_call(item: &TypedObject<'_>) -> RolloutCall {
    let fields = &item.fields;
    let function = fields.object("function");
    let name = fields.first_text(&["name", "tool"]).or_else(|| function.as_ref()?.text("name"));
    let name = name.unwrap_or_else(|| match item.kind.as_ref() {
        "local_shell_call" => Cow::Borrowed("shell"),
        "tool_search_call" => Cow::Borrowed("tool_search"),
        kind => Cow::Owned(kind.to_owned()),
    });
    let arguments = arguments_text(fields);
    let files = patch::patches_in_call(&arguments);
    let tape = JsonTape::parse(&arguments);
    let object = JsonObject::from_tape(&tape);
    let folder = object.and_then(|fields| {
        fields.non_empty_text("workdir").or(fields.non_empty_text("working_directory"))
    });
    let is_code_mode = !arguments.starts_with('{')
        && memchr::memmem::find(arguments.as_bytes(), b"tools.").is_some();
    let scripts = || call::commands_in_script(&arguments).into_iter().map(Into::into).collect();
    RolloutCall {
        id: fields.non_empty_text("call_id").or(fields.non_empty_text("id")).unwrap_or_default(),
        is_spawn: &*name == "spawn_agent",
        label: first_line_label(&call::main_argument_of(&arguments, &files, object)),
        script: is_code_mode.then(scripts),
        name: name.into(),
        planned: files.iter().map(RolloutChange::from_file_patch).collect(),
        folder,
        has_result: false,
        is_error: false,
        print: None,
    }
}

/// Returns the arguments as text, however they are written.
pub fn arguments_text<'a>(fields: &JsonObject<'a>) -> Cow<'a, str> {
    let function = fields.object("function");
    let raw = ["arguments", "input", "action", "args", "parameters"]
        .iter()
        .find_map(|key| fields.get(key))
        .or_else(|| function?.get("arguments"));
    raw.map_or(Cow::Borrowed(""), |raw| json::string_text(raw).unwrap_or(Cow::Borrowed(raw.get())))
}

fn web_search(fields: &JsonObject<'_>) -> RolloutCall {
    let query = search_query(fields);
    RolloutCall {
        id: fields.non_empty_text("call_id").or(fields.non_empty_text("id")).unwrap_or_default(),
        name: "web_search".into(),
        label: query.map(label_of).unwrap_or_default(),
        planned: vec![],
        folder: None,
        script: None,
        is_spawn: false,
        has_result: true,
        is_error: fields.text("status").as_deref() == Some("failed"),
        print: query.and_then(|query| json::text_fingerprint([query])),
    }
}

/// Returns the query, the address or the pattern of a web search.
fn search_query<'a>(fields: &JsonObject<'a>) -> Option<TapeValue<'a>> {
    let action = fields.object("action");
    let of = |fields: &JsonObject<'a>| {
        let one = ["query", "url", "pattern"].iter().find_map(|key| fields.get(key));
        one.or_else(|| fields.elements_of("queries").into_iter().next())
    };
    action.as_ref().and_then(of).or_else(|| of(fields))
}

fn image_generation(fields: &JsonObject<'_>) -> RolloutCall {
    RolloutCall {
        name: "image_generation".into(),
        label: fields.get("revised_prompt").map(label_of).unwrap_or_default(),
        ..web_search(fields)
    }
}

fn output_record(fields: &JsonObject<'_>) -> RolloutOutput {
    let raw = observation_field(fields);
    let outcome = raw.map(MeasuredOutcome::from_output).unwrap_or_default();
    let answer = outcome.object_text.as_deref().and_then(JsonTape::parse);
    let answer = JsonObject::from_tape(&answer);
    let of_answer = |key: &str| answer.as_ref().and_then(|answer| answer.non_empty_text(key));
    RolloutOutput {
        call: fields.non_empty_text("call_id").or(fields.non_empty_text("id")).unwrap_or_default(),
        exit_code: outcome.exit_code,
        is_error: outcome.is_error || fields.flag("is_error") == Some(true),
        is_success: outcome.is_success,
        bytes: outcome.bytes,
        thread: of_answer("agent_id").or(of_answer("agent_thread_id")),
        path: of_answer("task_name"),
    }
}

/// Returns the field with the observation that the model received.
pub fn observation_field<'a>(fields: &JsonObject<'a>) -> Option<TapeValue<'a>> {
    ["output", "result", "content", "tools"].iter().find_map(|key| fields.get(key))
}

impl RolloutChange {
    fn from_file_patch(file: &FilePatch) -> Self {
        let kind = match (&file.change, &file.move_to) {
            (PatchedFile::Add(_), _) => EditKind::Create,
            (PatchedFile::Delete, _) => EditKind::Delete,
            (PatchedFile::Update(_), Some(to)) if *to != file.path => EditKind::Rename,
            (PatchedFile::Update(_), _) => EditKind::Modify,
        };
        let counts = match &file.change {
            PatchedFile::Add(content) => {
                let has_last = !content.is_empty() && !content.ends_with('\n');
                let ends = memchr::memchr_iter(b'\n', content.as_bytes()).count();
                Some(LineCounts { added: ends + usize::from(has_last), removed: 0 })
            }
            PatchedFile::Update(hunks) => Some(patch::line_counts(hunks)),
            PatchedFile::Delete => None,
        };
        Self::new(&file.path, file.move_to.as_deref(), kind, counts)
    }

    fn new(path: &str, to: Option<&str>, kind: EditKind, counts: Option<LineCounts>) -> Self {
        let (path, from) = match to {
            Some(to) if to != path => (to, Some(path.into())),
            _ => (path, None),
        };
        Self { path: path.into(), from, kind, counts }
    }
}

// --- events that Codex sent to its screen

fn event_record(event: &TypedObject<'_>) -> RolloutRecord {
    let fields = &event.fields;
    match event.kind.as_ref() {
        "user_message" => user_message(fields),
        "agent_message" => {
            let parts = text_parts(fields, &["message", "content"]);
            RolloutRecord::Message {
                kind: StepKind::Message,
                message: whole_message(&parts, RecordFamily::Event),
            }
        }
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            thinking_record(&text_parts(fields, &["text"]), RecordFamily::Event)
        }
        "task_started" | "turn_started" => {
            RolloutRecord::TaskStarted { turn: fields.non_empty_text("turn_id") }
        }
        "task_complete" | "turn_complete" => task_ended(fields),
        "turn_aborted" => {
            let reason = fields.text("reason").unwrap_or(Cow::Borrowed("no reason recorded"));
            RolloutRecord::TaskEnded {
                error: Some(first_line_label(&format!("turn aborted: {reason}"))),
            }
        }
        "token_count" => RolloutRecord::Usage(token_count(fields)),
        "error" | "stream_error" => note_record(fields, &["message"], "an error", NoteKind::Error),
        "warning" => note_record(fields, &["message"], "a warning", NoteKind::Plain),
        "context_compacted" => compacted_record(fields, RecordFamily::Event),
        "thread_name_updated" => {
            let name =
                fields.text("thread_name").map(|name| first_line_label(&name)).unwrap_or_default();
            RolloutRecord::ThreadName(name)
        }
        "sub_agent_activity" | "collab_agent_spawn_end" => agent_record(fields),
        "exec_command_end"
        | "patch_apply_end"
        | "mcp_tool_call_end"
        | "web_search_end"
        | "image_generation_end"
        | "view_image_tool_call"
        | "dynamic_tool_call_response"
        | "dynamic_tool_call_request"
        | "collab_waiting_end"
        | "collab_close_end"
        | "collab_resume_end"
        | "collab_agent_interaction_end" => {
            RolloutRecord::Done(Box::new(finished_call(&event.kind, fields)))
        }
        "entered_review_mode" => {
            note_record(fields, &["user_facing_hint", "prompt"], "review", NoteKind::Plain)
        }
        "exited_review_mode" => review_record(fields),
        "undo_completed" => note_record(fields, &["message"], "undone", NoteKind::Plain),
        "thread_rolled_back" => {
            let turns = fields.number("num_turns").unwrap_or(1);
            let label =
                first_line_label(&format!("rolled back: {turns} turns taken from the context"));
            RolloutRecord::Note { label, is_error: false, role: Role::System }
        }
        "item_started"
        | "item_updated"
        | "thread_settings_applied"
        | "thread_goal_updated"
        | "guardian_assessment"
        | "session_configured"
        | "background_event"
        | "turn_diff"
        | "plan_update"
        | "agent_reasoning_section_break"
        | "shutdown_complete"
        | "deprecation_notice"
        | "model_reroute"
        | "hook_started"
        | "hook_completed"
        | "exec_approval_request"
        | "apply_patch_approval_request"
        | "request_user_input"
        | "elicitation_request"
        | "skills_update_available"
        | "mcp_startup_complete"
        | "mcp_startup_update"
        | "conversation_path"
        | "get_history_entry_response" => RolloutRecord::Bookkeeping,
        kind if kind.ends_with("_begin") || kind.ends_with("_delta") => RolloutRecord::Bookkeeping,
        kind => unknown_record(kind),
    }
}

fn user_message(fields: &JsonObject<'_>) -> RolloutRecord {
    let parts = text_parts(fields, &["message"]);
    let kind = fields.text("kind");
    let has_context_tag = |start: String| {
        ["<environment_context>", "<user_instructions>"].iter().any(|tag| start.starts_with(tag))
    };
    let is_context = matches!(kind.as_deref(), Some("environment_context" | "user_instructions"))
        || text_starts(&parts).next().is_some_and(has_context_tag)
            && split_request(&parts).texts.is_empty();
    let source =
        if is_context { RolloutRequestSource::Injected } else { RolloutRequestSource::Event };
    RolloutRecord::Request { message: request_message(&parts, RecordFamily::Event), source }
}

/// Returns a request. Editors put what is open before it, under a heading of its own, and Codex its surroundings, in
/// tags.
fn request_message(parts: &[TapeValue<'_>], family: RecordFamily) -> RolloutMessage {
    let message = whole_message(parts, family);
    if !text_starts(parts).any(|start| start.starts_with(['#', '<'])) {
        return message;
    }
    let parts_of_request = split_request(parts);
    let label = parts_of_request
        .texts
        .iter()
        .map(|text| first_line_label(text))
        .find(|label| !label.is_empty());
    let is_wrapped = label.is_some() && !parts_of_request.context.is_empty();
    RolloutMessage { label: label.unwrap_or_else(|| message.label.clone()), is_wrapped, ..message }
}

/// The parts of a request.
#[derive(Default)]
pub struct RequestParts {
    /// The text of the person.
    pub texts: Vec<String>,
    /// The context that an editor or Codex put around it.
    pub context: Vec<String>,
}

/// Splits the parts of one record into the text of the request and the context around it.
pub fn split_request(parts: &[TapeValue<'_>]) -> RequestParts {
    let mut request = RequestParts::default();
    for text in parts.iter().filter_map(|part| json::string_text(*part)) {
        let is_instructions = INJECTED_HEADS.iter().any(|head| text.trim_start().starts_with(head));
        if is_instructions {
            request.context.push(text.into_owned());
            continue;
        }
        let WrappedText { person_text, blocks } =
            wrapped_text::split_blocks(&text, &|tag| has_word(INJECTED_TAGS, tag));
        request.context.extend(blocks.into_iter().map(str::to_owned));
        let (context, own_text) = after_context(person_text).unwrap_or(("", person_text));
        let texts = [(context, &mut request.context), (own_text, &mut request.texts)];
        for (text, list) in texts.into_iter().filter(|(text, _)| !text.trim().is_empty()) {
            list.push(text.trim().to_owned());
        }
    }
    request
}

/// Splits a text into the context that an editor wrote and the request below its heading; None where there is no such
/// heading.
fn after_context(text: &str) -> Option<(&str, &str)> {
    const HEADING: &str = "## My request for Codex:";
    if !text.starts_with("# ") {
        return None;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_heading =
            line.get(..HEADING.len()).is_some_and(|start| start.eq_ignore_ascii_case(HEADING));
        if is_heading {
            return Some((&text[..at], &text[at + HEADING.len()..]));
        }
        at += line.len();
    }
    None
}

fn task_ended(fields: &JsonObject<'_>) -> RolloutRecord {
    let error = fields.object("error").and_then(|error| Some(label_of(error.get("message")?)));
    RolloutRecord::TaskEnded { error }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NoteKind {
    Plain,
    Error,
}

fn note_record(
    fields: &JsonObject<'_>,
    keys: &[&str],
    otherwise: &str,
    note_kind: NoteKind,
) -> RolloutRecord {
    let found = keys.iter().find_map(|key| fields.get(key)).map(label_of);
    let label = found.filter(|label| !label.is_empty()).unwrap_or_else(|| otherwise.into());
    RolloutRecord::Note { label, is_error: note_kind == NoteKind::Error, role: Role::System }
}

fn review_record(fields: &JsonObject<'_>) -> RolloutRecord {
    let output = fields.object("review_output").or(fields.object("reviewOutput"));
    let verdict = output.as_ref().and_then(|output| output.get("overall_explanation"));
    let label = verdict.or(fields.get("review")).map_or_else(|| "review done".into(), label_of);
    RolloutRecord::Note { label, is_error: false, role: Role::Assistant }
}

fn agent_record(fields: &JsonObject<'_>) -> RolloutRecord {
    let thread =
        fields.non_empty_text("agent_thread_id").or(fields.non_empty_text("new_thread_id"));
    let path = fields.non_empty_text("agent_path").or(fields.non_empty_text("new_agent_nickname"));
    let call = fields
        .non_empty_text("call_id")
        .or(fields.non_empty_text("event_id"))
        .or(fields.non_empty_text("id"));
    let is_start = match fields.text("kind") {
        Some(kind) => kind == "started",
        None => true,
    };
    RolloutRecord::Agent { call: call.unwrap_or_default(), thread, path, is_start }
}

fn token_count(fields: &JsonObject<'_>) -> UsageRecord {
    if fields.has_field("info") {
        let counted = fields.object("info").map(|info| TokenCount {
            total: info.object("total_token_usage").map(|usage| read_tokens(&usage)),
            last: info.object("last_token_usage").map(|usage| read_tokens(&usage)),
            window: info.number("model_context_window"),
        });
        return UsageRecord::Count(counted.map(Box::new));
    }
    UsageRecord::Plain(read_tokens(fields).into())
}

/// Reads tokens. OpenAI's usage already counts cached input within the input, and reasoning within the output.
pub fn read_tokens(usage: &JsonObject<'_>) -> Tokens {
    Tokens {
        input: usage.number("input_tokens"),
        cached_input: usage.number("cached_input_tokens"),
        output: usage.number("output_tokens"),
        reasoning: usage.number("reasoning_output_tokens"),
        cache_write: usage.number("cache_write_input_tokens"),
        cache_write_1h: None,
    }
}

/// Reads a record of a finished call. `kind` is the kind of an event or an item.
fn finished_call(kind: &str, fields: &JsonObject<'_>) -> FinishedCall {
    let invocation = fields.object("invocation");
    let server = invocation.as_ref().unwrap_or(fields);
    let id = ["call_id", "callId", "id"].iter().find_map(|key| fields.non_empty_text(key));
    let changes = fields.object("changes").map(|changes| read_changes(&changes));
    let (name, main_argument_text): (Cow<'_, str>, Option<String>) = match kind {
        "exec_command_end" | "commandexecution" => {
            (Cow::Borrowed("exec_command"), fields.get("command").map(call::command_text))
        }
        "patch_apply_end" | "filechange" => {
            let paths = changes.iter().flatten().map(|change| &*change.path);
            (Cow::Borrowed("apply_patch"), Some(call::first_and_count(paths)))
        }
        "mcp_tool_call_end" | "mcptoolcall" => {
            (mcp_name(server), server.get("arguments").map(main_argument))
        }
        "web_search_end" | "websearch" | "extension" => {
            let name = fields.text("kind").unwrap_or(Cow::Borrowed("web_search"));
            (name, search_query(fields).map(json::readable_value))
        }
        "image_generation_end" | "imagegeneration" => {
            (Cow::Borrowed("image_generation"), fields.text("revised_prompt").map(Cow::into_owned))
        }
        "view_image_tool_call" | "imageview" => {
            (Cow::Borrowed("view_image"), fields.text("path").map(Cow::into_owned))
        }
        kind => (
            fields.text("tool").unwrap_or_else(|| Cow::Owned(kind.to_owned())),
            ["arguments", "prompt"].iter().find_map(|key| fields.get(key)).map(main_argument),
        ),
    };
    let outcome = measured_outcome(fields);
    FinishedCall {
        call: id.unwrap_or_default(),
        name: name.into(),
        label: main_argument_text
            .map(|main_argument_text| first_line_label(&main_argument_text))
            .unwrap_or_default(),
        exit_code: fields.integer("exit_code"),
        is_error: outcome.is_error,
        bytes: outcome.bytes,
        is_whole: !matches!(kind, "collab" | "extension") && !kind.starts_with("collab_"),
        changes,
        print: search_query(fields).and_then(|query| json::text_fingerprint([query])),
    }
}

fn main_argument(arguments: TapeValue<'_>) -> String {
    match json::string_text(arguments) {
        Some(text) => call::main_argument(&text),
        None => call::main_argument(arguments.get()),
    }
}

fn mcp_name<'a>(invocation: &JsonObject<'a>) -> Cow<'a, str> {
    let (server, tool) = (invocation.text("server"), invocation.text("tool").unwrap_or_default());
    match server {
        Some(server) => Cow::Owned(format!("{server}.{tool}")),
        None => tool,
    }
}

fn is_refused(fields: &JsonObject<'_>) -> bool {
    matches!(fields.text("status").as_deref(), Some("failed" | "declined" | "error"))
        || fields.flag("success") == Some(false)
}

/// Returns the field with the output of a command.
fn printed_output<'a>(fields: &JsonObject<'a>) -> Option<TapeValue<'a>> {
    let keys = ["aggregated_output", "formatted_output"];
    keys.iter().filter_map(|key| fields.get(key)).find(|raw| raw.is_string())
}

/// Returns whether a command failed to run. A command with an exit code did run; the code has the outcome.
fn is_failed_command(fields: &JsonObject<'_>) -> bool {
    is_refused(fields) && fields.integer("exit_code").is_none_or(|code| code == 0)
}

/// Measures the outcome as [`finished_call_outcome`] reads it, without decoding the output of a command.
fn measured_outcome(fields: &JsonObject<'_>) -> MeasuredOutcome {
    match printed_output(fields).and_then(json::text_byte_count) {
        Some(bytes) => MeasuredOutcome {
            bytes,
            is_error: is_failed_command(fields),
            ..MeasuredOutcome::default()
        },
        None => finished_call_outcome(fields).into(),
    }
}

/// Reads the observation in a record of a finished call.
pub fn finished_call_outcome(fields: &JsonObject<'_>) -> CodexOutcome {
    let mut outcome = CodexOutcome { is_error: is_refused(fields), ..CodexOutcome::default() };
    if let Some(text) = printed_output(fields).and_then(json::string_text) {
        outcome.text = text.into_owned();
        outcome.is_error = is_failed_command(fields);
        return outcome;
    }
    let result = fields.object("result");
    let outcome_fields = result.as_ref().map(|result| (result.object("Ok"), result.get("Err")));
    if let Some((_, Some(error))) = outcome_fields {
        outcome.text = json::readable_value(error);
        outcome.is_error = true;
    } else if let Some(result) = result {
        let result = result.object("Ok").unwrap_or(result);
        outcome.text = outcome::parts_text(&result.elements_of("content"));
        outcome.is_error |= result.flag("isError").or(result.flag("is_error")) == Some(true);
    } else if let Some(error) = fields.object("error") {
        outcome.text = error.text("message").unwrap_or_default().into_owned();
        outcome.is_error = true;
    } else if fields.has_field("content_items") {
        outcome.text = outcome::parts_text(&fields.elements_of("content_items"));
    } else if fields.has_field("stdout") || fields.has_field("stderr") {
        let part = |key| fields.text(key).unwrap_or_default();
        outcome.text = format!("{}{}", part("stdout"), part("stderr"));
    } else if let Some(results) = fields.get("results") {
        outcome.text = json::readable_value(results);
    } else if let Some(states) = fields.get("statuses").or(fields.get("agents_states")) {
        outcome.text = json::readable_value(states);
    }
    outcome
}

/// Reads `changes` of a patch record, in the order of the file: each path with its change.
fn read_changes(changes: &JsonObject<'_>) -> Vec<RolloutChange> {
    changes
        .fields()
        .map(|(path, change)| ChangedFileRecord::from_value(change).to_change(&path))
        .collect()
}

/// One entry of `changes`: `{"type": "update", "unified_diff", "move_path"}`, or tagged by its key as in
/// `{"update": {…}}`.
pub struct ChangedFileRecord<'a> {
    pub kind: Cow<'a, str>,
    pub fields: JsonObject<'a>,
}

impl<'a> ChangedFileRecord<'a> {
    pub fn from_value(raw: TapeValue<'a>) -> Self {
        let fields = JsonObject::from_value(raw).unwrap_or_default();
        if let Some(kind) = fields.text("type") {
            return Self { kind, fields };
        }
        let tagged = ["add", "update", "delete"].into_iter().find(|kind| fields.has_field(kind));
        let kind = tagged.unwrap_or_default();
        Self { kind: Cow::Borrowed(kind), fields: fields.object(kind).unwrap_or_default() }
    }

    fn to_change(&self, path: &str) -> RolloutChange {
        let to = self.fields.text("move_path");
        let lines = || self.fields.get("content").and_then(json::text_line_count);
        let (kind, counts) = match (self.kind.as_ref(), &to) {
            ("add", _) => (EditKind::Create, lines().map(|added| LineCounts { added, removed: 0 })),
            ("delete", _) => {
                (EditKind::Delete, lines().map(|removed| LineCounts { added: 0, removed }))
            }
            (_, Some(to)) if **to != *path => (EditKind::Rename, self.diff_counts()),
            _ => (EditKind::Modify, self.diff_counts()),
        };
        RolloutChange::new(path, to.as_deref(), kind, counts)
    }

    fn diff_counts(&self) -> Option<LineCounts> {
        let diff = self.fields.text("unified_diff")?;
        let hunks = patch::parse_unified(&diff);
        (diff.is_empty() || !hunks.is_empty()).then(|| patch::line_counts(&hunks))
    }
}

// --- the same since 0.150

fn item_record(item: &TypedObject<'_>) -> RolloutRecord {
    let fields = &item.fields;
    match item.kind.as_ref() {
        "usermessage" => {
            let message =
                request_message(&text_parts(fields, &["content", "text"]), RecordFamily::Item);
            RolloutRecord::Request { message, source: RolloutRequestSource::Event }
        }
        "agentmessage" => {
            let parts = text_parts(fields, &["content", "text"]);
            RolloutRecord::Message {
                kind: StepKind::Message,
                message: whole_message(&parts, RecordFamily::Item),
            }
        }
        "reasoning" => thinking_record(
            &text_parts(fields, &["summary_text", "raw_content"]),
            RecordFamily::Item,
        ),
        "plan" => RolloutRecord::Message {
            kind: StepKind::Message,
            message: whole_message(&text_parts(fields, &["text"]), RecordFamily::Item),
        },
        "commandexecution" | "filechange" | "mcptoolcall" | "websearch" | "extension"
        | "imagegeneration" | "imageview" | "dynamictoolcall" => {
            RolloutRecord::Done(Box::new(finished_call(&item.kind, fields)))
        }
        "collabagenttoolcall" => agent_call_record(fields),
        "subagentactivity" => agent_record(fields),
        "contextcompaction" => compacted_record(fields, RecordFamily::Item),
        "enteredreviewmode" => note_record(fields, &["review"], "review", NoteKind::Plain),
        "exitedreviewmode" => review_record(fields),
        "error" => note_record(fields, &["message"], "an error", NoteKind::Error),
        "hookprompt" | "todolist" => RolloutRecord::Bookkeeping,
        kind => unknown_record(kind),
    }
}

/// Returns a call between agents; the one that starts an agent names its thread.
fn agent_call_record(fields: &JsonObject<'_>) -> RolloutRecord {
    let is_spawn =
        matches!(fields.text("tool").as_deref(), Some("spawn_agent" | "spawnAgent" | "spawn"));
    let thread =
        fields.elements_of("receiver_thread_ids").first().and_then(|raw| json::string_text(*raw));
    match thread {
        Some(thread) if is_spawn => RolloutRecord::Agent {
            call: fields.non_empty_text("id").unwrap_or_default(),
            thread: Some(thread.into()),
            path: None,
            is_start: true,
        },
        _ => RolloutRecord::Done(Box::new(finished_call("collab", fields))),
    }
}

// --- other top-level records

fn other_record(other: &TypedObject<'_>) -> RolloutRecord {
    let fields = &other.fields;
    match other.kind.as_ref() {
        "token_usage_record" => {
            let usage = fields.object("usage").map(|usage| read_tokens(&usage));
            RolloutRecord::Usage(UsageRecord::Response(usage.unwrap_or_default().into()))
        }
        "turn.completed" => {
            let usage = fields.object("usage").map(|usage| read_tokens(&usage));
            RolloutRecord::Usage(UsageRecord::Turn(usage.unwrap_or_default().into()))
        }
        "turn.failed" => {
            let error = fields.object("error").unwrap_or_default();
            note_record(&error, &["message"], "the turn failed", NoteKind::Error)
        }
        "inter_agent_communication" => {
            let parts = text_parts(fields, &["content", "message"]);
            RolloutRecord::Mail { label: first_label(&parts) }
        }
        "world_state"
        | "inter_agent_communication_metadata"
        | "security_risk_score"
        | "retained_context"
        | "realtime_item"
        | "state"
        | "session_state"
        | "turn.started"
        | "thread.started" => RolloutRecord::Bookkeeping,
        kind => unknown_record(kind),
    }
}
