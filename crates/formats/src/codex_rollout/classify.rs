//! The first phase: one line in, one small [`Record`] out. Lines do not know of each other here, so that they
//! can be read in any order and on any thread. A new record type is a new arm of one of the matches below.

use std::borrow::Cow;

use super::{
    envelope::{self, Body, Typed, text_parts},
    record::{
        Call, Change, Counted, Done, Line, Meta, Output, Record, RequestSource, Said, Usage, Voice,
    },
};
use crate::{
    codex::{
        call,
        outcome::{self, Outcome, Seen},
    },
    jsonl,
    object::{self as json, Object},
    tape::{self, Tape, Value},
    wrapped::{self, Wrapped},
};
use trajview_code::{
    has_word,
    patch::{self, FileChange, FilePatch, LineCounts},
    utf8::readable,
};
use trajview_run::{EditKind, Place, Role, StepKind, Time, Tokens, label, label_by_start};

/// Reads one line. `is_last` tells a log that is still being written from a broken one.
pub fn classify(place: Place, line: &[u8], is_last: bool) -> Line {
    let text = readable(line);
    let tape = Tape::read(&text);
    let Some(object) = Object::on(&tape) else {
        let what = jsonl::broken(&tape::why_not(&text), is_last);
        let record = Record::Broken(what);
        return Line { place, at: None, ordinal: None, model: None, not_finite: 0, record };
    };
    let opened = envelope::open(object);
    let record = record(&opened.body);
    let not_finite = tape.as_ref().map_or(0, Tape::not_finite).try_into().unwrap_or(u32::MAX);
    let (at, ordinal, model) = (opened.at, opened.ordinal, opened.model);
    Line { place, at, ordinal, model, not_finite, record }
}

fn record(body: &Body<'_>) -> Record {
    match body {
        Body::Meta(fields) => Record::Meta(Box::new(meta(fields))),
        Body::Context(fields) => context(fields),
        Body::Compacted(fields) => compacted(fields, Voice::Compacted),
        Body::Response(item) => response(item),
        Body::Event(event) => of_event(event),
        Body::Item(item) => of_item(item),
        Body::Other(other) => of_other(other),
    }
}

/// The session's own words on itself.
pub fn meta(fields: &Object<'_>) -> Meta {
    let source = fields.object("source").and_then(|source| source.object("subagent"));
    let spawn = source.as_ref().and_then(|source| source.object("thread_spawn"));
    let of_spawn = |key: &str| spawn.as_ref().and_then(|spawn| spawn.boxed(key));
    let is_subagent =
        source.is_some() || fields.text("thread_source").as_deref() == Some("subagent");
    let originator = fields.text("originator");
    Meta {
        id: fields.boxed("id").or(fields.boxed("session_id")).unwrap_or_default(),
        session: fields.boxed("session_id"),
        parent: fields.boxed("parent_thread_id").or_else(|| of_spawn("parent_thread_id")),
        forked_from: fields.boxed("forked_from_id"),
        is_subagent,
        own_from: fields.number("subagent_history_start_ordinal"),
        started_at: fields.text("timestamp").and_then(|text| Time::parse(&text)),
        cwd: fields.boxed("cwd"),
        branch: fields.object("git").and_then(|git| git.boxed("branch")),
        version: fields.boxed("cli_version"),
        nickname: fields.boxed("agent_nickname").or_else(|| of_spawn("agent_nickname")),
        path: fields.boxed("agent_path").or_else(|| of_spawn("agent_path")),
        role: fields.boxed("agent_role").or_else(|| of_spawn("agent_role")),
        provenance: originator.map(|name| format!("written by {name}")),
        window: None,
    }
}

fn context(fields: &Object<'_>) -> Record {
    Record::Context {
        model: fields.boxed("model"),
        cwd: fields.boxed("cwd"),
        turn: fields.boxed("turn_id"),
    }
}

fn compacted(fields: &Object<'_>, voice: Voice) -> Record {
    let label = fields.get("message").map(label_of).unwrap_or_default();
    Record::Compacted { label, voice }
}

/// Written so, a first line is short as a rule.
const SHORT: usize = 320;

fn label_of(raw: Value<'_>) -> Box<str> {
    let is_long = raw.inside().is_some_and(|inside| inside.text.len() > SHORT);
    let start = if is_long { json::head_of(raw, SHORT) } else { None };
    if let Some(label) = start.as_deref().and_then(label_by_start) {
        return label;
    }
    json::start_of(raw).map(|text| label(&text)).unwrap_or_default()
}

fn labels(parts: &[Value<'_>]) -> Box<str> {
    parts.iter().map(|part| label_of(*part)).find(|label| !label.is_empty()).unwrap_or_default()
}

/// A text told in one piece, though written in several parts.
fn whole(parts: &[Value<'_>], voice: Voice) -> Said {
    let prints = json::print_of(parts.iter().copied()).into_iter().collect();
    Said { label: labels(parts), prints, voice, is_wrapped: false }
}

/// Thinking, which may be told again part by part.
fn thinking(parts: &[Value<'_>], voice: Voice) -> Record {
    let prints: Vec<_> = parts.iter().filter_map(|part| json::print_of([*part])).collect();
    if prints.is_empty() {
        return Record::Bookkeeping; // sealed: nothing to read
    }
    Record::Said {
        kind: StepKind::Thinking,
        said: Said { label: labels(parts), prints, voice, is_wrapped: false },
    }
}

fn unknown(kind: &str) -> Record {
    let kind = if kind.is_empty() { "a record without a type" } else { kind };
    Record::Unknown { label: label(kind) }
}

// --- the conversation with the model

fn response(item: &Typed<'_>) -> Record {
    let fields = &item.fields;
    match item.kind.as_ref() {
        "message" => message(item),
        "reasoning" => thinking(&text_parts(fields, &["summary", "content"]), item.voice),
        "function_call" | "custom_tool_call" | "tool_call" | "local_shell_call"
        | "tool_search_call" => Record::Call(Box::new(tool_call(item))),
        "web_search_call" => Record::Call(Box::new(web_search(fields))),
        "image_generation_call" => Record::Call(Box::new(image_generation(fields))),
        "function_call_output"
        | "custom_tool_call_output"
        | "tool_result"
        | "function_result"
        | "tool_search_output"
        | "mcp_tool_call_output" => Record::Output(Box::new(output(fields))),
        "agent_message" => {
            Record::Mail { label: mail_label(&outcome::texts(&fields.array("content"))) }
        }
        "compaction" | "context_compaction" | "compaction_summary" => compacted(fields, item.voice),
        "ghost_snapshot" | "additional_tools" | "compaction_trigger" | "other" => {
            Record::Bookkeeping
        }
        kind => unknown(kind),
    }
}

/// Mail between agents has a head (`Message Type:`, `Sender:`) before what it says.
fn mail_label(text: &str) -> Box<str> {
    let payload = text.split_once("\nPayload:\n").map(|(_, payload)| label(payload));
    payload.filter(|label| !label.is_empty()).unwrap_or_else(|| label(text))
}

fn message(item: &Typed<'_>) -> Record {
    let fields = &item.fields;
    let parts = text_parts(fields, &["content", "message", "text"]);
    let flag = |key| item.metadata.as_ref().and_then(|data| data.flag(key)) == Some(true);
    let role = fields.text("role").unwrap_or_default();
    match role.as_ref() {
        "assistant" if flag("compaction_output") => Record::Bookkeeping, // the summary, told by `compacted`
        "assistant" if parts.is_empty() => Record::Bookkeeping,
        "assistant" => Record::Said { kind: StepKind::Message, said: whole(&parts, item.voice) },
        "user" => {
            let is_injected = flag("inherited_user_message")
                || parts.is_empty()
                || parts.iter().any(|part| json::start_of(*part).is_some_and(|t| is_injected(&t)))
                    && request_of(&parts).words.is_empty();
            let source =
                if is_injected { RequestSource::Injected } else { RequestSource::Conversation };
            let mut said = asked(&parts, item.voice);
            // Images bring texts of their own; the event tells what was typed.
            said.prints.extend(parts.iter().filter_map(|part| json::print_of([*part])));
            Record::Request { said, source }
        }
        "developer" | "system" => Record::Bookkeeping,
        role => unknown(role),
    }
}

/// How messages begin that Codex writes in the user's place.
const INJECTED_HEADS: [&str; 2] = ["# AGENTS.md instructions", "Warning: apply_patch"];

/// The tags around such messages.
const INJECTED_TAGS: &str = "environment_context user_instructions permissions turn_aborted \
    subagent_notification subagent skill skills_instructions apps_instructions \
    plugins_instructions collaboration_mode user_shell_command model_switch personality_spec \
    INSTRUCTIONS realtime_conversation hook_prompt";

/// Whether a text of a user-role message was written by Codex: its surroundings, instructions, skills, notices.
fn is_injected(text: &str) -> bool {
    let text = text.trim_start();
    let tag = text.strip_prefix('<').map(|rest| {
        rest.split(|c: char| c == '>' || c == '\n' || c.is_whitespace()).next().unwrap_or_default()
    });
    tag.is_some_and(|tag| has_word(INJECTED_TAGS, tag))
        || INJECTED_HEADS.iter().any(|head| text.starts_with(head))
}

fn tool_call(item: &Typed<'_>) -> Call {
    let fields = &item.fields;
    let function = fields.object("function");
    let name = fields.text_of(&["name", "tool"]).or_else(|| function.as_ref()?.text("name"));
    let name = name.unwrap_or_else(|| match item.kind.as_ref() {
        "local_shell_call" => Cow::Borrowed("shell"),
        "tool_search_call" => Cow::Borrowed("tool_search"),
        kind => Cow::Owned(kind.to_owned()),
    });
    let arguments = arguments(fields);
    let files = patch::in_call(&arguments);
    let tape = Tape::read(&arguments);
    let object = Object::on(&tape);
    let folder =
        object.and_then(|fields| fields.boxed("workdir").or(fields.boxed("working_directory")));
    let is_code_mode = !arguments.starts_with('{')
        && memchr::memmem::find(arguments.as_bytes(), b"tools.").is_some();
    let scripts = || call::commands_in_script(&arguments).into_iter().map(Into::into).collect();
    Call {
        id: fields.boxed("call_id").or(fields.boxed("id")).unwrap_or_default(),
        is_spawn: &*name == "spawn_agent",
        label: label(&call::main_argument_of(&arguments, &files, object)),
        script: is_code_mode.then(scripts),
        name: name.into(),
        planned: files.iter().map(Change::of).collect(),
        folder,
        has_result: false,
        is_error: false,
        print: None,
    }
}

/// The arguments as text, however they are written.
pub fn arguments<'a>(fields: &Object<'a>) -> Cow<'a, str> {
    let function = fields.object("function");
    let raw = ["arguments", "input", "action", "args", "parameters"]
        .iter()
        .find_map(|key| fields.get(key))
        .or_else(|| function?.get("arguments"));
    raw.map_or(Cow::Borrowed(""), |raw| json::text(raw).unwrap_or(Cow::Borrowed(raw.get())))
}

fn web_search(fields: &Object<'_>) -> Call {
    let query = query(fields);
    Call {
        id: fields.boxed("call_id").or(fields.boxed("id")).unwrap_or_default(),
        name: "web_search".into(),
        label: query.map(label_of).unwrap_or_default(),
        planned: vec![],
        folder: None,
        script: None,
        is_spawn: false,
        has_result: true,
        is_error: fields.text("status").as_deref() == Some("failed"),
        print: query.and_then(|query| json::print_of([query])),
    }
}

/// What a web search asked, opened or looked for.
fn query<'a>(fields: &Object<'a>) -> Option<Value<'a>> {
    let action = fields.object("action");
    let of = |fields: &Object<'a>| {
        let one = ["query", "url", "pattern"].iter().find_map(|key| fields.get(key));
        one.or_else(|| fields.array("queries").into_iter().next())
    };
    action.as_ref().and_then(of).or_else(|| of(fields))
}

fn image_generation(fields: &Object<'_>) -> Call {
    Call {
        name: "image_generation".into(),
        label: fields.get("revised_prompt").map(label_of).unwrap_or_default(),
        ..web_search(fields)
    }
}

fn output(fields: &Object<'_>) -> Output {
    let raw = observation(fields);
    let outcome = raw.map(Seen::of).unwrap_or_default();
    let answer = outcome.answer.as_deref().and_then(Tape::read);
    let answer = Object::on(&answer);
    let of_answer = |key: &str| answer.as_ref().and_then(|answer| answer.boxed(key));
    Output {
        call: fields.boxed("call_id").or(fields.boxed("id")).unwrap_or_default(),
        exit_code: outcome.exit_code,
        is_error: outcome.is_error || fields.flag("is_error") == Some(true),
        is_success: outcome.is_success,
        bytes: outcome.bytes,
        thread: of_answer("agent_id").or(of_answer("agent_thread_id")),
        path: of_answer("task_name"),
    }
}

/// The field that holds what the model was told.
pub fn observation<'a>(fields: &Object<'a>) -> Option<Value<'a>> {
    ["output", "result", "content", "tools"].iter().find_map(|key| fields.get(key))
}

impl Change {
    fn of(file: &FilePatch) -> Self {
        let kind = match (&file.change, &file.move_to) {
            (FileChange::Add(_), _) => EditKind::Create,
            (FileChange::Delete, _) => EditKind::Delete,
            (FileChange::Update(_), Some(to)) if *to != file.path => EditKind::Rename,
            (FileChange::Update(_), _) => EditKind::Modify,
        };
        let counts = match &file.change {
            FileChange::Add(content) => {
                let has_last = !content.is_empty() && !content.ends_with('\n');
                let ends = memchr::memchr_iter(b'\n', content.as_bytes()).count();
                Some(LineCounts { added: ends + usize::from(has_last), removed: 0 })
            }
            FileChange::Update(hunks) => Some(patch::line_counts(hunks)),
            FileChange::Delete => None,
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

// --- what Codex told its screen

fn of_event(event: &Typed<'_>) -> Record {
    let fields = &event.fields;
    match event.kind.as_ref() {
        "user_message" => user_message(fields),
        "agent_message" => {
            let parts = text_parts(fields, &["message", "content"]);
            Record::Said { kind: StepKind::Message, said: whole(&parts, Voice::Event) }
        }
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            thinking(&text_parts(fields, &["text"]), Voice::Event)
        }
        "task_started" | "turn_started" => Record::TaskStarted { turn: fields.boxed("turn_id") },
        "task_complete" | "turn_complete" => task_ended(fields),
        "turn_aborted" => {
            let reason = fields.text("reason").unwrap_or(Cow::Borrowed("no reason recorded"));
            Record::TaskEnded { error: Some(label(&format!("turn aborted: {reason}"))) }
        }
        "token_count" => Record::Usage(token_count(fields)),
        "error" | "stream_error" => note(fields, &["message"], "an error", NoteKind::Error),
        "warning" => note(fields, &["message"], "a warning", NoteKind::Plainly),
        "context_compacted" => compacted(fields, Voice::Event),
        "thread_name_updated" => {
            let name = fields.text("thread_name").map(|name| label(&name)).unwrap_or_default();
            Record::ThreadName(name)
        }
        "sub_agent_activity" | "collab_agent_spawn_end" => agent(fields),
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
        | "collab_agent_interaction_end" => Record::Done(Box::new(done(&event.kind, fields))),
        "entered_review_mode" => {
            note(fields, &["user_facing_hint", "prompt"], "review", NoteKind::Plainly)
        }
        "exited_review_mode" => review(fields),
        "undo_completed" => note(fields, &["message"], "undone", NoteKind::Plainly),
        "thread_rolled_back" => {
            let turns = fields.number("num_turns").unwrap_or(1);
            let label = label(&format!("rolled back: {turns} turns taken from the context"));
            Record::Note { label, is_error: false, role: Role::System }
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
        | "get_history_entry_response" => Record::Bookkeeping,
        kind if kind.ends_with("_begin") || kind.ends_with("_delta") => Record::Bookkeeping,
        kind => unknown(kind),
    }
}

fn user_message(fields: &Object<'_>) -> Record {
    let parts = text_parts(fields, &["message"]);
    let kind = fields.text("kind");
    let begins = || labels(&parts);
    let is_context = matches!(kind.as_deref(), Some("environment_context" | "user_instructions"))
        || ["<environment_context>", "<user_instructions>"]
            .iter()
            .any(|tag| begins().starts_with(tag))
            && request_of(&parts).words.is_empty();
    let source = if is_context { RequestSource::Injected } else { RequestSource::Told };
    Record::Request { said: asked(&parts, Voice::Event), source }
}

/// A request. Editors put what is open before it, under a heading of its own, and Codex its surroundings, in tags.
fn asked(parts: &[Value<'_>], voice: Voice) -> Said {
    let said = whole(parts, voice);
    let starts = |letter: char| {
        let begins = |part: &Value<'_>| label_of(*part).starts_with(letter);
        parts.iter().any(begins)
    };
    if !starts('#') && !starts('<') {
        return said;
    }
    let asked = request_of(parts);
    let label = asked.words.iter().map(|words| label(words)).find(|label| !label.is_empty());
    let is_wrapped = label.is_some() && !asked.around.is_empty();
    Said { label: label.unwrap_or_else(|| said.label.clone()), is_wrapped, ..said }
}

/// A request taken apart.
#[derive(Default)]
pub struct Asked {
    /// What the person wrote.
    pub words: Vec<String>,
    /// What an editor or Codex put around that.
    pub around: Vec<String>,
}

/// The words of a request and what stands around them, in the parts of one record.
pub fn request_of(parts: &[Value<'_>]) -> Asked {
    let mut asked = Asked::default();
    for text in parts.iter().filter_map(|part| json::text(*part)) {
        let is_instructions = INJECTED_HEADS.iter().any(|head| text.trim_start().starts_with(head));
        if is_instructions {
            asked.around.push(text.into_owned());
            continue;
        }
        let Wrapped { words, blocks } = wrapped::split(&text, &|tag| has_word(INJECTED_TAGS, tag));
        asked.around.extend(blocks.into_iter().map(str::to_owned));
        let (context, words) = after_context(words).unwrap_or(("", words));
        let texts = [(context, &mut asked.around), (words, &mut asked.words)];
        for (text, list) in texts.into_iter().filter(|(text, _)| !text.trim().is_empty()) {
            list.push(text.trim().to_owned());
        }
    }
    asked
}

/// What an editor wrote before the words of a request, and the words, which stand under a heading of their own.
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

fn task_ended(fields: &Object<'_>) -> Record {
    let error = fields.object("error").and_then(|error| Some(label_of(error.get("message")?)));
    Record::TaskEnded { error }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NoteKind {
    Plainly,
    Error,
}

fn note(fields: &Object<'_>, keys: &[&str], otherwise: &str, told: NoteKind) -> Record {
    let found = keys.iter().find_map(|key| fields.get(key)).map(label_of);
    let label = found.filter(|label| !label.is_empty()).unwrap_or_else(|| otherwise.into());
    Record::Note { label, is_error: told == NoteKind::Error, role: Role::System }
}

fn review(fields: &Object<'_>) -> Record {
    let output = fields.object("review_output").or(fields.object("reviewOutput"));
    let verdict = output.as_ref().and_then(|output| output.get("overall_explanation"));
    let label = verdict.or(fields.get("review")).map_or_else(|| "review done".into(), label_of);
    Record::Note { label, is_error: false, role: Role::Assistant }
}

fn agent(fields: &Object<'_>) -> Record {
    let thread = fields.boxed("agent_thread_id").or(fields.boxed("new_thread_id"));
    let path = fields.boxed("agent_path").or(fields.boxed("new_agent_nickname"));
    let call = fields.boxed("call_id").or(fields.boxed("event_id")).or(fields.boxed("id"));
    let is_start = match fields.text("kind") {
        Some(kind) => kind == "started",
        None => true,
    };
    Record::Agent { call: call.unwrap_or_default(), thread, path, is_start }
}

fn token_count(fields: &Object<'_>) -> Usage {
    if fields.has("info") {
        let counted = fields.object("info").map(|info| Counted {
            total: info.object("total_token_usage").map(|usage| tokens(&usage)),
            last: info.object("last_token_usage").map(|usage| tokens(&usage)),
            window: info.number("model_context_window"),
        });
        return Usage::Count(counted.map(Box::new));
    }
    Usage::Plain(tokens(fields).into())
}

/// OpenAI's usage already counts cached input within the input, and reasoning within the output.
pub fn tokens(usage: &Object<'_>) -> Tokens {
    Tokens {
        input: usage.number("input_tokens"),
        cached_input: usage.number("cached_input_tokens"),
        output: usage.number("output_tokens"),
        reasoning: usage.number("reasoning_output_tokens"),
        cache_write: usage.number("cache_write_input_tokens"),
        cache_write_1h: None,
    }
}

/// What a record tells of a finished call. `kind` is an event's or an item's.
fn done(kind: &str, fields: &Object<'_>) -> Done {
    let invocation = fields.object("invocation");
    let server = invocation.as_ref().unwrap_or(fields);
    let id = ["call_id", "callId", "id"].iter().find_map(|key| fields.boxed(key));
    let changes = fields.object("changes").map(|changes| changes_of(&changes));
    let (name, told): (Cow<'_, str>, Option<String>) = match kind {
        "exec_command_end" | "commandexecution" => {
            (Cow::Borrowed("exec_command"), fields.get("command").map(call::command_of))
        }
        "patch_apply_end" | "filechange" => {
            let paths = changes.iter().flatten().map(|change| &*change.path);
            (Cow::Borrowed("apply_patch"), Some(call::listed(paths)))
        }
        "mcp_tool_call_end" | "mcptoolcall" => {
            (mcp_name(server), server.get("arguments").map(main))
        }
        "web_search_end" | "websearch" | "extension" => {
            let name = fields.text("kind").unwrap_or(Cow::Borrowed("web_search"));
            (name, query(fields).map(json::pretty))
        }
        "image_generation_end" | "imagegeneration" => {
            (Cow::Borrowed("image_generation"), fields.text("revised_prompt").map(Cow::into_owned))
        }
        "view_image_tool_call" | "imageview" => {
            (Cow::Borrowed("view_image"), fields.text("path").map(Cow::into_owned))
        }
        kind => (
            fields.text("tool").unwrap_or_else(|| Cow::Owned(kind.to_owned())),
            ["arguments", "prompt"].iter().find_map(|key| fields.get(key)).map(main),
        ),
    };
    let outcome = seen_of(fields);
    Done {
        call: id.unwrap_or_default(),
        name: name.into(),
        label: told.map(|told| label(&told)).unwrap_or_default(),
        exit_code: fields.integer("exit_code"),
        is_error: outcome.is_error,
        bytes: outcome.bytes,
        is_whole: !matches!(kind, "collab" | "extension") && !kind.starts_with("collab_"),
        changes,
        print: query(fields).and_then(|query| json::print_of([query])),
    }
}

fn main(arguments: Value<'_>) -> String {
    match json::text(arguments) {
        Some(text) => call::main_argument(&text),
        None => call::main_argument(arguments.get()),
    }
}

fn mcp_name<'a>(invocation: &Object<'a>) -> Cow<'a, str> {
    let (server, tool) = (invocation.text("server"), invocation.text("tool").unwrap_or_default());
    match server {
        Some(server) => Cow::Owned(format!("{server}.{tool}")),
        None => tool,
    }
}

fn is_refused(fields: &Object<'_>) -> bool {
    matches!(fields.text("status").as_deref(), Some("failed" | "declined" | "error"))
        || fields.flag("success") == Some(false)
}

/// What a command printed.
fn printed<'a>(fields: &Object<'a>) -> Option<Value<'a>> {
    let keys = ["aggregated_output", "formatted_output"];
    keys.iter().filter_map(|key| fields.get(key)).find(|raw| raw.is_string())
}

/// A command that exits with a code did run; the code says how.
fn is_failed_command(fields: &Object<'_>) -> bool {
    is_refused(fields) && fields.integer("exit_code").is_none_or(|code| code == 0)
}

/// As [`outcome_of`], without decoding what a command printed.
fn seen_of(fields: &Object<'_>) -> Seen {
    match printed(fields).and_then(json::size) {
        Some(bytes) => Seen { bytes, is_error: is_failed_command(fields), ..Seen::default() },
        None => outcome_of(fields).into(),
    }
}

/// The observation within a record that tells of a finished call.
pub fn outcome_of(fields: &Object<'_>) -> Outcome {
    let mut outcome = Outcome { is_error: is_refused(fields), ..Outcome::default() };
    if let Some(text) = printed(fields).and_then(json::text) {
        outcome.text = text.into_owned();
        outcome.is_error = is_failed_command(fields);
        return outcome;
    }
    let result = fields.object("result");
    let told = result.as_ref().map(|result| (result.object("Ok"), result.get("Err")));
    if let Some((_, Some(error))) = told {
        outcome.text = json::pretty(error);
        outcome.is_error = true;
    } else if let Some(result) = result {
        let result = result.object("Ok").unwrap_or(result);
        outcome.text = outcome::texts(&result.array("content"));
        outcome.is_error |= result.flag("isError").or(result.flag("is_error")) == Some(true);
    } else if let Some(error) = fields.object("error") {
        outcome.text = error.text("message").unwrap_or_default().into_owned();
        outcome.is_error = true;
    } else if fields.has("content_items") {
        outcome.text = outcome::texts(&fields.array("content_items"));
    } else if fields.has("stdout") || fields.has("stderr") {
        let part = |key| fields.text(key).unwrap_or_default();
        outcome.text = format!("{}{}", part("stdout"), part("stderr"));
    } else if let Some(results) = fields.get("results") {
        outcome.text = json::pretty(results);
    } else if let Some(states) = fields.get("statuses").or(fields.get("agents_states")) {
        outcome.text = json::pretty(states);
    }
    outcome
}

/// `changes` of a patch record, in the order of the file: path to what became of it.
fn changes_of(changes: &Object<'_>) -> Vec<Change> {
    changes.fields().map(|(path, change)| FileRecord::read(change).change(&path)).collect()
}

/// One entry of `changes`: `{"type": "update", "unified_diff", "move_path"}`, or tagged by its key as in
/// `{"update": {…}}`.
pub struct FileRecord<'a> {
    pub kind: Cow<'a, str>,
    pub fields: Object<'a>,
}

impl<'a> FileRecord<'a> {
    pub fn read(raw: Value<'a>) -> Self {
        let fields = Object::of(raw).unwrap_or_default();
        if let Some(kind) = fields.text("type") {
            return Self { kind, fields };
        }
        let tagged = ["add", "update", "delete"].into_iter().find(|kind| fields.has(kind));
        let kind = tagged.unwrap_or_default();
        Self { kind: Cow::Borrowed(kind), fields: fields.object(kind).unwrap_or_default() }
    }

    fn change(&self, path: &str) -> Change {
        let to = self.fields.text("move_path");
        let lines = || self.fields.get("content").and_then(json::lines);
        let (kind, counts) = match (self.kind.as_ref(), &to) {
            ("add", _) => (EditKind::Create, lines().map(|added| LineCounts { added, removed: 0 })),
            ("delete", _) => {
                (EditKind::Delete, lines().map(|removed| LineCounts { added: 0, removed }))
            }
            (_, Some(to)) if **to != *path => (EditKind::Rename, self.diff_counts()),
            _ => (EditKind::Modify, self.diff_counts()),
        };
        Change::new(path, to.as_deref(), kind, counts)
    }

    fn diff_counts(&self) -> Option<LineCounts> {
        let diff = self.fields.text("unified_diff")?;
        let hunks = patch::unified(&diff);
        (diff.is_empty() || !hunks.is_empty()).then(|| patch::line_counts(&hunks))
    }
}

// --- the same since 0.150

fn of_item(item: &Typed<'_>) -> Record {
    let fields = &item.fields;
    match item.kind.as_ref() {
        "usermessage" => {
            let said = asked(&text_parts(fields, &["content", "text"]), Voice::Item);
            Record::Request { said, source: RequestSource::Told }
        }
        "agentmessage" => {
            let parts = text_parts(fields, &["content", "text"]);
            Record::Said { kind: StepKind::Message, said: whole(&parts, Voice::Item) }
        }
        "reasoning" => thinking(&text_parts(fields, &["summary_text", "raw_content"]), Voice::Item),
        "plan" => Record::Said {
            kind: StepKind::Message,
            said: whole(&text_parts(fields, &["text"]), Voice::Item),
        },
        "commandexecution" | "filechange" | "mcptoolcall" | "websearch" | "extension"
        | "imagegeneration" | "imageview" | "dynamictoolcall" => {
            Record::Done(Box::new(done(&item.kind, fields)))
        }
        "collabagenttoolcall" => collab(fields),
        "subagentactivity" => agent(fields),
        "contextcompaction" => compacted(fields, Voice::Item),
        "enteredreviewmode" => note(fields, &["review"], "review", NoteKind::Plainly),
        "exitedreviewmode" => review(fields),
        "error" => note(fields, &["message"], "an error", NoteKind::Error),
        "hookprompt" | "todolist" => Record::Bookkeeping,
        kind => unknown(kind),
    }
}

/// A call between agents; the one that starts an agent names its thread.
fn collab(fields: &Object<'_>) -> Record {
    let is_spawn =
        matches!(fields.text("tool").as_deref(), Some("spawn_agent" | "spawnAgent" | "spawn"));
    let thread = fields.array("receiver_thread_ids").first().and_then(|raw| json::text(*raw));
    match thread {
        Some(thread) if is_spawn => Record::Agent {
            call: fields.boxed("id").unwrap_or_default(),
            thread: Some(thread.into()),
            path: None,
            is_start: true,
        },
        _ => Record::Done(Box::new(done("collab", fields))),
    }
}

// --- other top-level records

fn of_other(other: &Typed<'_>) -> Record {
    let fields = &other.fields;
    match other.kind.as_ref() {
        "token_usage_record" => {
            let usage = fields.object("usage").map(|usage| tokens(&usage));
            Record::Usage(Usage::Response(usage.unwrap_or_default().into()))
        }
        "turn.completed" => {
            let usage = fields.object("usage").map(|usage| tokens(&usage));
            Record::Usage(Usage::Turn(usage.unwrap_or_default().into()))
        }
        "turn.failed" => {
            let error = fields.object("error").unwrap_or_default();
            note(&error, &["message"], "the turn failed", NoteKind::Error)
        }
        "inter_agent_communication" => {
            let parts = text_parts(fields, &["content", "message"]);
            Record::Mail { label: labels(&parts) }
        }
        "world_state"
        | "inter_agent_communication_metadata"
        | "security_risk_score"
        | "retained_context"
        | "realtime_item"
        | "state"
        | "session_state"
        | "turn.started"
        | "thread.started" => Record::Bookkeeping,
        kind => unknown(kind),
    }
}
