//! Messages as opencode 2 keeps them: `{type, time, ...}`, what the model said in `content`.

use std::borrow::Cow;

use crate::{
    chat,
    object::Object,
    records::{Answer, Call, Event, Record, arguments},
};
use trajview_run::Role;

/// What such a message says; None where a record is something else, such as a part of a message of opencode 1.
pub fn message<'t>(fields: &Object<'t>) -> Option<Record<'t>> {
    if fields.has("messageID") {
        return None;
    }
    let kind = fields.text("type")?;
    let text = || fields.text("text").unwrap_or_default();
    let mut made = Record { id: fields.text("id"), ..Record::default() };
    made.time = fields.object("time").and_then(|time| chat::time_of(&time, &["created"]));
    made.agent = fields.text("agent_session");
    match &*kind {
        "user" => {
            made.says(Event::Request(text()));
            for key in ["files", "agents", "skills", "references"] {
                fields.array(key).into_iter().filter_map(Object::of).for_each(|attached| {
                    let name = attached.text_of(&["name", "uri", "id"]).unwrap_or_default();
                    let what = format!("[{} {name}]", key.trim_end_matches('s'));
                    made.says(Event::Said(Role::System, what.into()));
                });
            }
        }
        "synthetic" | "system" | "skill" => {
            made.says_words(|text| Event::Said(Role::System, text), text());
        }
        "shell" => made.says(Event::Called(shell(fields))),
        "assistant" => assistant(&mut made, fields),
        "compaction" => compaction(&mut made, fields),
        "model-switched" | "agent-switched" | "location-switched" | "idle" => {}
        _ => return None,
    }
    if matches!(&*kind, "assistant" | "compaction" | "model-switched") {
        made.facts.model = fields.object("model").and_then(|it| it.text_of(&["id", "modelID"]));
    }
    Some(made)
}

fn assistant<'t>(made: &mut Record<'t>, fields: &Object<'t>) {
    made.tokens = super::tokens(fields);
    made.cost_usd = fields.amount("cost");
    for part in fields.array("content").into_iter().filter_map(Object::of) {
        let text = part.text("text").unwrap_or_default();
        let kind = part.text("type").unwrap_or_default();
        match &*kind {
            "text" => made.says_words(|text| Event::Said(Role::Assistant, text), text),
            "reasoning" => made.says_words(Event::Thought, text),
            "tool" => made.says(Event::Called(tool(&part))),
            _ => made.says(Event::unknown(kind, "part without a type")),
        }
    }
    if let Some(error) = fields.get("error") {
        made.says(Event::Failed(arguments::error_words(error)));
    }
}

fn compaction<'t>(made: &mut Record<'t>, fields: &Object<'t>) {
    made.tokens = super::tokens(fields);
    made.cost_usd = fields.amount("cost");
    match fields.text("status").as_deref() {
        Some("running") => {}
        Some("failed") => made.says(Event::Failed(
            fields.get("error").map(arguments::error_words).unwrap_or_default(),
        )),
        _ => {
            let summary = fields.text("summary").filter(|summary| !summary.trim().is_empty());
            let summary = summary.unwrap_or(Cow::Borrowed("the context was summarised"));
            made.says(Event::Compacted(summary));
        }
    }
}

fn tool<'t>(part: &Object<'t>) -> Call<'t> {
    let state = part.object("state").unwrap_or_default();
    let name = part.text("name").unwrap_or_default();
    let id = part.text_of(&["callID", "id"]);
    let mut call = arguments::call(name, id, state.get("input"));
    let told = state.object("metadata").or_else(|| state.object("structured")).unwrap_or_default();
    let agent = told.text_of(&["sessionID", "sessionId"]);
    let is_agent = matches!(&*call.name, "task" | "subagent");
    let status = state.text("status").unwrap_or_default();
    if !matches!(&*status, "completed" | "error") {
        return call;
    }
    let printed = arguments::words_of(&state, "content");
    let why = state.get("error").map(arguments::error_words).unwrap_or_default();
    let text = match (printed.trim().is_empty(), why.is_empty() || printed.contains(&*why)) {
        (true, true) => state.get("result").map(arguments::words).unwrap_or(why),
        (true, false) => why,
        (false, true) => printed,
        (false, false) => format!("{printed}\n{why}").into(),
    };
    let exit_code = told.integer("exit").or_else(|| told.integer("exitCode"));
    call.answer = Some(Answer {
        is_error: status == "error" || exit_code.is_some_and(|code| code != 0),
        is_ok: status == "completed" && exit_code.is_none(),
        exit_code,
        ended_at: part.object("time").and_then(|time| chat::time_of(&time, &["completed"])),
        agent: agent.filter(|_| is_agent),
        text,
        ..Answer::default()
    });
    call
}

/// A command that the user had the program run.
fn shell<'t>(fields: &Object<'t>) -> Call<'t> {
    let id = fields.text_of(&["callID", "shellID", "id"]);
    let mut call = arguments::call("shell", id, fields.get("command"));
    let exit_code = fields.integer("exit");
    let output = fields.get("output").map(arguments::words);
    if output.is_some() || exit_code.is_some() {
        call.answer = Some(Answer {
            text: output.unwrap_or_default(),
            is_error: exit_code.is_some_and(|code| code != 0),
            exit_code,
            ended_at: fields.object("time").and_then(|it| chat::time_of(&it, &["completed"])),
            ..Answer::default()
        });
    }
    call
}
