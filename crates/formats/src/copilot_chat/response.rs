//! Reads the response to a request: the rounds of the model with their calls, or the parts that the editor showed.

use std::borrow::Cow;

use super::{flat_text, program_message};
use crate::{
    chat,
    json_object::JsonObject,
    records::{CallAnswer, FileEdit, LogRecord, RecordEvent, RecordedCall, arguments},
    tape::TapeValue,
};
use trajview_run::{EditKind, Role, files::RecordedChange};

/// Parts that describe how the answer was displayed, and no message or action.
const DISPLAY_ONLY_PARTS: [&str; 27] = [
    "agentDetection",
    "autoModeResolution",
    "clearToPreviousToolInvocation",
    "codeCitation",
    "codeblockUri",
    "command",
    "confirmation",
    "contentReference",
    "disabledClaudeHooks",
    "elicitation",
    "elicitation2",
    "elicitationSerialized",
    "extensions",
    "hook",
    "mcpServersStarting",
    "multiDiffData",
    "prepareToolInvocation",
    "progressMessage",
    "progressTask",
    "progressTaskResult",
    "progressTaskSerialized",
    "pullRequest",
    "questionCarousel",
    "reference",
    "treeData",
    "undoStop",
    "usedContext",
];

/// Adds the rounds of the model one after the other. Of the parts that the editor showed only those changes of files are
/// added that no call contains.
pub fn add_rounds<'t>(
    made: &mut LogRecord<'t>,
    rounds: &[JsonObject<'t>],
    results: &Option<JsonObject<'t>>,
    parts: &[TapeValue<'t>],
) {
    let results = results.unwrap_or_default();
    let parts: Vec<JsonObject<'t>> =
        parts.iter().copied().filter_map(JsonObject::from_value).collect();
    let mut edited: Vec<String> = vec![];
    for round in rounds {
        let thinking = round.get("thinking").map(flat_text).unwrap_or_default();
        made.push_text(RecordEvent::Thought, thinking);
        made.push_text(
            |text| RecordEvent::Message(Role::Assistant, text),
            flat_field_text(round, "response"),
        );
        for call in round.elements_of("toolCalls").into_iter().filter_map(JsonObject::from_value) {
            let mut call = chat::read_call(&call);
            let part = parts.iter().find(|part| {
                is_call(part)
                    && plain_id(&part.text("toolCallId").unwrap_or_default()) == plain_id(&call.id)
            });
            let result = results.get(&call.id);
            call.answer =
                result.map(|result| read_answer(result, part)).or_else(|| shown_answer(part?));
            edited.extend(call.edits.iter().map(|edit| edit.path.clone()));
            made.push_event(RecordEvent::Call(call));
        }
    }
    for call in parts.iter().filter_map(edit_group) {
        if !call.edits.iter().all(|edit| edited.contains(&edit.path)) {
            edited.extend(call.edits.iter().map(|edit| edit.path.clone()));
            made.push_event(RecordEvent::Call(call));
        }
    }
}

/// Returns the words of a field: a text, a Markdown object, a list or the tree of a prompt; empty where it is absent.
fn flat_field_text<'t>(fields: &JsonObject<'t>, key: &str) -> Cow<'t, str> {
    fields.get(key).map(flat_text).unwrap_or_default()
}

/// Returns whether a part is a call, as [`is_call`] does for an object.
pub fn is_call_part(part: TapeValue<'_>) -> bool {
    JsonObject::from_value(part).is_some_and(|part| is_call(&part))
}

fn is_call(part: &JsonObject<'_>) -> bool {
    let kind = part.text("kind");
    matches!(kind.as_deref(), Some("toolInvocationSerialized" | "toolInvocation"))
}

/// Returns the model's id of a call; the editor adds a number of its own.
fn plain_id(id: &str) -> &str {
    id.split_once("__vscode").map_or(id, |(id, _)| id)
}

/// Reads the result that the model received. Failures are visible only in its text.
fn read_answer<'t>(result: TapeValue<'t>, part: Option<&JsonObject<'t>>) -> CallAnswer<'t> {
    let text = flat_text(result);
    let shown = part.and_then(shown_answer).unwrap_or_default();
    let exit_code = exit_code_in(&text).or(shown.exit_code);
    CallAnswer {
        is_error: shown.is_error || text.trim_start().starts_with("ERROR while calling tool"),
        exit_code,
        text,
        ..CallAnswer::default()
    }
}

fn exit_code_in(text: &str) -> Option<i32> {
    let exited = || {
        let rest = text.rsplit_once("exited with code ")?.1;
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '-');
        rest[..end.unwrap_or(rest.len())].parse().ok()
    };
    chat::exit_code_in(text).or_else(exited)
}

/// Adds the parts that the editor showed.
pub fn add_shown_parts<'t>(made: &mut LogRecord<'t>, parts: &[TapeValue<'t>]) {
    let mut message_text = String::new();
    for part in parts {
        let fields = JsonObject::from_value(*part).unwrap_or_default();
        let kind = fields.text("kind").unwrap_or_default();
        match &*kind {
            "" | "markdownContent" | "markdownVuln" => {
                message_text += &flat_text(*part);
                continue;
            }
            "inlineReference" => {
                message_text += &reference_text(&fields);
                continue;
            }
            kind if DISPLAY_ONLY_PARTS.contains(&kind) => continue,
            _ => flush_message(made, &mut message_text),
        }
        match &*kind {
            "thinking" => made.push_text(RecordEvent::Thought, flat_field_text(&fields, "value")),
            "warning" => made.push_text(program_message, flat_field_text(&fields, "content")),
            "toolInvocationSerialized" | "toolInvocation" => {
                made.push_event(RecordEvent::Call(shown_call(&fields)))
            }
            _ => match edit_group(&fields) {
                Some(call) => made.push_event(RecordEvent::Call(call)),
                None => made.push_event(RecordEvent::Unknown(kind)),
            },
        }
    }
    flush_message(made, &mut message_text);
}

/// Ends the current message; fences without content surrounded a change of a file and are dropped.
fn flush_message(made: &mut LogRecord<'_>, message_text: &mut String) {
    let text = std::mem::take(message_text);
    if text.chars().any(|letter| letter != '`' && !letter.is_whitespace()) {
        made.push_event(RecordEvent::Message(Role::Assistant, text.into()));
    }
}

/// Returns a file or a symbol that the text names.
fn reference_text(fields: &JsonObject<'_>) -> String {
    let target = fields.object("inlineReference").unwrap_or_default();
    let name = fields.text("name").or_else(|| target.text("name"));
    let location = target.object("location").and_then(|at| at.object("uri"));
    let path = path_of_address(&target)
        .or_else(|| path_of_address(&location?))
        .or_else(|| path_of_address(&target.object("uri")?));
    let name = name.filter(|name| !name.is_empty()).map(Cow::into_owned);
    let last = || path.map(|path| path.rsplit(['/', '\\']).next().unwrap_or(&path).to_owned());
    name.or_else(last).map(|name| format!("`{name}`")).unwrap_or_default()
}

fn path_of_address(address: &JsonObject<'_>) -> Option<String> {
    address.first_text(&["fsPath", "path"]).map(Cow::into_owned)
}

/// Returns a change that the editor made of what the model wrote; its old text is not recorded.
fn edit_group<'t>(fields: &JsonObject<'t>) -> Option<RecordedCall<'t>> {
    let kind = fields.text("kind")?;
    let paths: Vec<String> = match &*kind {
        "textEditGroup" | "notebookEditGroup" => {
            fields.object("uri").and_then(|it| path_of_address(&it)).into_iter().collect()
        }
        "workspaceEdit" => {
            let edits = fields.elements_of("edits").into_iter().filter_map(JsonObject::from_value);
            let addresses =
                edits.filter_map(|it| it.object("newResource").or(it.object("oldResource")));
            addresses.filter_map(|it| path_of_address(&it)).collect()
        }
        _ => return None,
    };
    let edit =
        |path: &String| FileEdit::new(path.clone(), EditKind::Modify, RecordedChange::NotRecorded);
    let edits = paths.iter().map(edit).collect();
    let answer = Some(CallAnswer { text: "".into(), ..CallAnswer::default() });
    Some(RecordedCall {
        name: kind,
        main: paths.join(", ").into(),
        edits,
        answer,
        ..RecordedCall::default()
    })
}

/// Returns a call as the editor showed it: its arguments are those that it shows, if any.
fn shown_call<'t>(fields: &JsonObject<'t>) -> RecordedCall<'t> {
    let name = fields.text("toolId").unwrap_or_default();
    let id = fields.text("toolCallId");
    let data = fields.object("toolSpecificData").unwrap_or_default();
    let details = fields.object("resultDetails").unwrap_or_default();
    let given = data.get("rawInput").or_else(|| details.get("input"));
    let mut call = arguments::call_from_arguments(name, id, given);
    let line = data.object("commandLine").unwrap_or_default();
    let command =
        line.first_text(&["userEdited", "toolEdited", "original"]).or_else(|| data.text("command"));
    let message = || flat_field_text(fields, "invocationMessage");
    call.main = match command {
        Some(command) => command,
        None if given.is_some() => call.main,
        None => message(),
    };
    if call.arguments.is_empty() {
        call.arguments = call.main.clone();
    }
    call.answer = shown_answer(fields);
    call
}

/// Returns the result of a call, as far as the editor shows it; None while it has not ended.
fn shown_answer<'t>(fields: &JsonObject<'t>) -> Option<CallAnswer<'t>> {
    let data = fields.object("toolSpecificData").unwrap_or_default();
    let details = fields.object("resultDetails").unwrap_or_default();
    let state = data.object("terminalCommandState").unwrap_or_default();
    let confirmed = fields.get("isConfirmed");
    let kind = confirmed.and_then(|it| JsonObject::from_value(it)?.number("type"));
    let is_denied = kind == Some(0) || confirmed.is_some_and(|it| it.get() == "false");
    if fields.flag("isComplete") == Some(false) && !is_denied {
        return None;
    }
    let printed = data.object("terminalCommandOutput").map(|it| flat_field_text(&it, "text"));
    let text =
        printed.filter(|text| !text.is_empty()).or_else(|| Some(flat_text(details.get("output")?)));
    let exit_code = state.integer("exitCode");
    let is_failed =
        details.flag("isError") == Some(true) || exit_code.is_some_and(|code| code != 0);
    Some(CallAnswer {
        text: text.unwrap_or_else(|| flat_field_text(fields, "pastTenseMessage")),
        is_error: is_denied || is_failed,
        exit_code,
        ..CallAnswer::default()
    })
}
