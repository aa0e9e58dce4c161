//! What followed a request: the rounds of the model with their calls, or the parts that the editor showed.

use std::borrow::Cow;

use super::{notice, words};
use crate::{
    chat,
    object::Object,
    records::{Answer, Call, Event, FileEdit, Record, arguments},
    tape::Value,
};
use trajview_run::{EditKind, Role, files::RecordedChange};

/// Parts that say how the answer was shown, and nothing that was said or done.
const ONLY_SHOWN: [&str; 27] = [
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

/// The rounds of the model one after the other. Of what the editor showed only changes of files are added that no call tells.
pub fn in_rounds<'t>(
    made: &mut Record<'t>,
    rounds: &[Object<'t>],
    results: &Option<Object<'t>>,
    parts: &[Value<'t>],
) {
    let results = results.unwrap_or_default();
    let parts: Vec<Object<'t>> = parts.iter().copied().filter_map(Object::of).collect();
    let mut edited: Vec<String> = vec![];
    for round in rounds {
        let thinking = round.get("thinking").map(words).unwrap_or_default();
        made.says_words(Event::Thought, thinking);
        made.says_words(|text| Event::Said(Role::Assistant, text), words_in(round, "response"));
        for call in round.array("toolCalls").into_iter().filter_map(Object::of) {
            let mut call = chat::called(&call);
            let part = parts.iter().find(|part| {
                is_call(part)
                    && plain_id(&part.text("toolCallId").unwrap_or_default()) == plain_id(&call.id)
            });
            let result = results.get(&call.id);
            call.answer = result.map(|result| answer(result, part)).or_else(|| answer_of(part?));
            edited.extend(call.edits.iter().map(|edit| edit.path.clone()));
            made.says(Event::Called(call));
        }
    }
    for call in parts.iter().filter_map(edit_group) {
        if !call.edits.iter().all(|edit| edited.contains(&edit.path)) {
            edited.extend(call.edits.iter().map(|edit| edit.path.clone()));
            made.says(Event::Called(call));
        }
    }
}

fn words_in<'t>(fields: &Object<'t>, key: &str) -> Cow<'t, str> {
    fields.get(key).map(words).unwrap_or_default()
}

/// As [`is_call`], of a part as it stands there.
pub fn is_call_of(part: Value<'_>) -> bool {
    Object::of(part).is_some_and(|part| is_call(&part))
}

fn is_call(part: &Object<'_>) -> bool {
    let kind = part.text("kind");
    matches!(kind.as_deref(), Some("toolInvocationSerialized" | "toolInvocation"))
}

/// The model's id of a call; the editor adds a number of its own.
fn plain_id(id: &str) -> &str {
    id.split_once("__vscode").map_or(id, |(id, _)| id)
}

/// The result that the model was given. Failures are told in its words alone.
fn answer<'t>(result: Value<'t>, part: Option<&Object<'t>>) -> Answer<'t> {
    let text = words(result);
    let shown = part.and_then(answer_of).unwrap_or_default();
    let exit_code = exit_code(&text).or(shown.exit_code);
    Answer {
        is_error: shown.is_error || text.trim_start().starts_with("ERROR while calling tool"),
        exit_code,
        text,
        ..Answer::default()
    }
}

fn exit_code(text: &str) -> Option<i32> {
    let exited = || {
        let rest = text.rsplit_once("exited with code ")?.1;
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '-');
        rest[..end.unwrap_or(rest.len())].parse().ok()
    };
    chat::exit_code(text).or_else(exited)
}

/// The parts that the editor showed.
pub fn shown<'t>(made: &mut Record<'t>, parts: &[Value<'t>]) {
    let mut said = String::new();
    for part in parts {
        let fields = Object::of(*part).unwrap_or_default();
        let kind = fields.text("kind").unwrap_or_default();
        match &*kind {
            "" | "markdownContent" | "markdownVuln" => {
                said += &words(*part);
                continue;
            }
            "inlineReference" => {
                said += &reference(&fields);
                continue;
            }
            kind if ONLY_SHOWN.contains(&kind) => continue,
            _ => say(made, &mut said),
        }
        match &*kind {
            "thinking" => made.says_words(Event::Thought, words_in(&fields, "value")),
            "warning" => made.says_words(notice, words_in(&fields, "content")),
            "toolInvocationSerialized" | "toolInvocation" => {
                made.says(Event::Called(call(&fields)))
            }
            _ => match edit_group(&fields) {
                Some(call) => made.says(Event::Called(call)),
                None => made.says(Event::Unknown(kind)),
            },
        }
    }
    say(made, &mut said);
}

/// Ends what was said up to here; fences without anything between were around a change of a file.
fn say(made: &mut Record<'_>, said: &mut String) {
    let text = std::mem::take(said);
    if text.chars().any(|letter| letter != '`' && !letter.is_whitespace()) {
        made.says(Event::Said(Role::Assistant, text.into()));
    }
}

/// A file or a symbol that the text names.
fn reference(fields: &Object<'_>) -> String {
    let target = fields.object("inlineReference").unwrap_or_default();
    let name = fields.text("name").or_else(|| target.text("name"));
    let location = target.object("location").and_then(|at| at.object("uri"));
    let path = path_of(&target)
        .or_else(|| path_of(&location?))
        .or_else(|| path_of(&target.object("uri")?));
    let name = name.filter(|name| !name.is_empty()).map(Cow::into_owned);
    let last = || path.map(|path| path.rsplit(['/', '\\']).next().unwrap_or(&path).to_owned());
    name.or_else(last).map(|name| format!("`{name}`")).unwrap_or_default()
}

fn path_of(address: &Object<'_>) -> Option<String> {
    address.text_of(&["fsPath", "path"]).map(Cow::into_owned)
}

/// A change that the editor made of what the model wrote; its old text is not recorded.
fn edit_group<'t>(fields: &Object<'t>) -> Option<Call<'t>> {
    let kind = fields.text("kind")?;
    let paths: Vec<String> = match &*kind {
        "textEditGroup" | "notebookEditGroup" => {
            fields.object("uri").and_then(|it| path_of(&it)).into_iter().collect()
        }
        "workspaceEdit" => {
            let edits = fields.array("edits").into_iter().filter_map(Object::of);
            let addresses =
                edits.filter_map(|it| it.object("newResource").or(it.object("oldResource")));
            addresses.filter_map(|it| path_of(&it)).collect()
        }
        _ => return None,
    };
    let edit =
        |path: &String| FileEdit::new(path.clone(), EditKind::Modify, RecordedChange::NotRecorded);
    let edits = paths.iter().map(edit).collect();
    let answer = Some(Answer { text: "".into(), ..Answer::default() });
    Some(Call { name: kind, main: paths.join(", ").into(), edits, answer, ..Call::default() })
}

/// A call as the editor showed it: its arguments are those that it shows, if any.
fn call<'t>(fields: &Object<'t>) -> Call<'t> {
    let name = fields.text("toolId").unwrap_or_default();
    let id = fields.text("toolCallId");
    let data = fields.object("toolSpecificData").unwrap_or_default();
    let details = fields.object("resultDetails").unwrap_or_default();
    let given = data.get("rawInput").or_else(|| details.get("input"));
    let mut call = arguments::call(name, id, given);
    let line = data.object("commandLine").unwrap_or_default();
    let command =
        line.text_of(&["userEdited", "toolEdited", "original"]).or_else(|| data.text("command"));
    let message = || words_in(fields, "invocationMessage");
    call.main = match command {
        Some(command) => command,
        None if given.is_some() => call.main,
        None => message(),
    };
    if call.arguments.is_empty() {
        call.arguments = call.main.clone();
    }
    call.answer = answer_of(fields);
    call
}

/// What a call came to, as far as the editor shows it; None where it had not ended.
fn answer_of<'t>(fields: &Object<'t>) -> Option<Answer<'t>> {
    let data = fields.object("toolSpecificData").unwrap_or_default();
    let details = fields.object("resultDetails").unwrap_or_default();
    let state = data.object("terminalCommandState").unwrap_or_default();
    let confirmed = fields.get("isConfirmed");
    let kind = confirmed.and_then(|it| Object::of(it)?.number("type"));
    let is_denied = kind == Some(0) || confirmed.is_some_and(|it| it.get() == "false");
    if fields.flag("isComplete") == Some(false) && !is_denied {
        return None;
    }
    let printed = data.object("terminalCommandOutput").map(|it| words_in(&it, "text"));
    let text =
        printed.filter(|text| !text.is_empty()).or_else(|| Some(words(details.get("output")?)));
    let exit_code = state.integer("exitCode");
    let is_failed =
        details.flag("isError") == Some(true) || exit_code.is_some_and(|code| code != 0);
    Some(Answer {
        text: text.unwrap_or_else(|| words_in(fields, "pastTenseMessage")),
        is_error: is_denied || is_failed,
        exit_code,
        ..Answer::default()
    })
}
