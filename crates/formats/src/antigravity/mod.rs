//! Antigravity's transcripts: `brain/**/transcript.jsonl`, from which RigorBench's recordings were made. Calls have no ids:
//! the observations of a response's calls follow it in their order.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::{self, Object},
    peek,
    records::{Answer, Call, Event, FileEdit, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{EditKind, Role, files::RecordedChange};

#[derive(Debug, Clone, Copy)]
pub struct Antigravity;

impl Records for Antigravity {
    fn name(&self) -> &'static str {
        "antigravity"
    }

    fn about(&self) -> &'static str {
        "Antigravity transcript, brain/**/transcript.jsonl"
    }

    fn sample(&self) -> &'static str {
        "logs/antigravity.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"step_index\""], |object| {
            object.has("step_index") && object.has("source") && object.has("type")
        })
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = event(&fields);
        made.time = chat::time_of(&fields, &["created_at"]);
        made.facts.agent = Some(Cow::Borrowed("antigravity"));
        if let Some(usage) = fields.object("usage") {
            made.tokens = chat::usage(&usage);
        }
        made
    }
}

fn event<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = Record::default();
    let kind = fields.text("type").unwrap_or_default();
    let content = fields.text("content").unwrap_or_default();
    match &*kind {
        "USER_INPUT" => {
            let asked = between(&content, "<USER_REQUEST>", "</USER_REQUEST>");
            made.says(Event::Request(
                asked.map_or(content.clone(), |text| Cow::Owned(text.to_owned())),
            ));
        }
        "PLANNER_RESPONSE" | "NOTIFY_USER" => {
            made.says_words(Event::Thought, fields.text("thinking").unwrap_or_default());
            made.says_words(|text| Event::Said(Role::Assistant, text), content);
            for call in fields.array("tool_calls").into_iter().filter_map(Object::of) {
                made.says(Event::Called(called(&call)));
            }
        }
        "CHECKPOINT" => made.says(Event::Compacted(content)),
        "ERROR_MESSAGE" => made.says(Event::Failed(content)),
        "SYSTEM_MESSAGE" | "EPHEMERAL_MESSAGE" | "KNOWLEDGE_ARTIFACTS" | "TASK_BOUNDARY" => {
            made.says_words(|text| Event::Said(Role::System, text), content)
        }
        "CONVERSATION_HISTORY" | "USER_SETTINGS" => {}
        "" => made.says(Event::Unknown("step without a type".into())),
        _ if is_known(&kind) => made.says(Event::Answered(answer(fields, &kind, content))),
        _ => made.says(Event::Unknown(kind)),
    }
    made
}

/// The kinds of steps that are observations of calls.
fn is_known(kind: &str) -> bool {
    let verbs = [
        "RUN_",
        "VIEW_",
        "LIST_",
        "CODE_",
        "SEARCH_",
        "GREP_",
        "FIND_",
        "READ_",
        "WRITE_",
        "COMMAND_",
        "BROWSER_",
        "OPEN_",
        "CLICK_",
        "MCP_",
        "GENERATE_",
        "PROPOSE_",
        "SEND_",
        "EXECUTE_",
        "DELETE_",
        "MOVE_",
        "CAPTURE_",
        "WAIT",
        "INVOKE_",
    ];
    kind == "GENERIC" || verbs.iter().any(|verb| kind.starts_with(verb))
}

/// The arguments are JSON in texts.
fn called<'t>(call: &Object<'t>) -> Call<'t> {
    let name = call.text("name").unwrap_or_default();
    let Some(args) = call.object("args") else {
        return arguments::call(name, None, call.get("args"));
    };
    let mut plain = serde_json::Map::new();
    for (key, value) in args.fields() {
        let text = object::text(value).unwrap_or(Cow::Borrowed(value.get()));
        let value = serde_json::from_str(&text)
            .unwrap_or_else(|_| serde_json::Value::String(text.into_owned()));
        plain.insert(key.into_owned(), value);
    }
    let main = [
        "CommandLine",
        "AbsolutePath",
        "TargetFile",
        "DirectoryPath",
        "SearchPath",
        "Query",
        "query",
        "Url",
    ];
    let main = main.iter().find_map(|key| plain.get(*key)?.as_str()).unwrap_or_default().to_owned();
    let arguments = serde_json::Value::Object(plain).to_string();
    let edits = arguments::edits(&name, &arguments);
    Call { name, arguments: arguments.into(), main: main.into(), edits, ..Call::default() }
}

fn answer<'t>(fields: &Object<'t>, kind: &str, text: Cow<'t, str>) -> Answer<'t> {
    let status = fields.text("status").unwrap_or_default();
    let exit_code = chat::exit_code(&text).filter(|_| kind == "RUN_COMMAND");
    let failed = matches!(&*status, "ERROR" | "FAILED" | "CANCELED");
    let edits = if kind == "CODE_ACTION" && !failed { edited(&text) } else { vec![] };
    Answer {
        is_error: failed || exit_code.is_some_and(|code| code != 0),
        exit_code,
        edits,
        text,
        ..Answer::default()
    }
}

/// A code action names its file and shows what changed, `[diff_block_start]` and all.
fn edited(text: &str) -> Vec<FileEdit> {
    let path = ["file:///", "The following changes were made by", "Target File: "].iter().find_map(
        |mark| {
            let rest = text.split_once(mark)?.1;
            let path = rest
                .split([' ', '`', '\n', '\'', '"', ')'])
                .find(|word| word.contains('/') || word.contains('.'))?;
            let path = path.trim_end_matches(['.', ',', ':']);
            Some(if *mark == "file:///" { format!("/{path}") } else { path.to_owned() })
        },
    );
    let hunks = between(text, "[diff_block_start]", "[diff_block_end]")
        .map(trajview_code::patch::unified)
        .unwrap_or_default();
    let change =
        if hunks.is_empty() { RecordedChange::NotRecorded } else { RecordedChange::Patch(hunks) };
    path.map(|path| FileEdit::new(path, EditKind::Modify, change)).into_iter().collect()
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> Option<&'t str> {
    Some(text.split_once(from)?.1.split_once(to)?.0.trim_matches('\n'))
}
