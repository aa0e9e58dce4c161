//! mini-swe-agent's trajectories: `*.traj.json`, a list of messages (up to 1.x) or an object with `info` and `messages`
//! (formats 1 and 1.1). The first versions write a command between fences and its outcome in the next message of the user.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Call, Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct MiniSweAgent;

impl Records for MiniSweAgent {
    fn name(&self) -> &'static str {
        "mini-swe-agent"
    }

    fn about(&self) -> &'static str {
        "mini-swe-agent trajectory, *.traj.json; files are changed by commands alone"
    }

    fn sample(&self) -> &'static str {
        "logs/mini-swe-agent.traj.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::AtTheEnd).tokens().cost().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_object = |object: &Object<'_>| {
            let info = object.object("info").unwrap_or_default();
            let format = object.text("trajectory_format").unwrap_or_default();
            format.starts_with("mini-swe-agent")
                || info.has("mini_version")
                || (object.has("messages") && info.has("model_stats"))
        };
        // Of a list the first messages show it: the fences that it asks for, and what it answers to them.
        let is_list = |needle: &str| {
            let is_message = |object: &Object<'_>| object.has("role") && object.has("content");
            head.bytes.trim_ascii_start().starts_with(b"[")
                && peek::any(head, &["\"role\"", needle], is_message)
        };
        peek::any(head, &["\"info\""], is_object)
            || is_list("<returncode>")
            || is_list("mswea_bash_command")
            || (is_list("```bash") && is_list("can interact with a computer"))
            || is_lines(head)
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        record.facts.agent = Some(Cow::Borrowed("mini-swe-agent"));
        let Some(info) = Object::of(document).and_then(|document| document.object("info")) else {
            return record;
        };
        let config = info.object("config").unwrap_or_default();
        let stats = info.object("model_stats").unwrap_or_default();
        record.facts.version = info.text("mini_version");
        record.facts.model = config.object("model").and_then(|model| model.text("model_name"));
        let environment = config.object("environment").unwrap_or_default();
        record.facts.root = environment.text("cwd").filter(|folder| folder.starts_with('/'));
        record.facts.task = Object::of(document).and_then(|document| document.text("instance_id"));
        record.cost_usd = stats.amount("instance_cost");
        record
    }

    /// The messages, and after them `info`, which holds what was handed in.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(document) = Object::of(value) else { return value.elements().collect() };
        if document.has("role") {
            return vec![value];
        }
        document.array("messages").into_iter().chain(document.get("info")).collect()
    }

    fn list(&self) -> Option<&'static str> {
        Some("messages")
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let extra = fields.object("extra").unwrap_or_default();
        if fields.text("type").as_deref() == Some("function_call_output") {
            return output_of_call(&fields, &extra);
        }
        if !fields.has("role") {
            let diff = fields.text("submission").filter(|diff| diff.contains("--- "));
            return diff.map(|diff| Record::of(Event::FinalDiff(diff))).unwrap_or_default();
        }
        let mut said = match fields.get("output").filter(|output| output.is_list()) {
            Some(output) => response(output),
            None => chat::message(&fields),
        };
        said.time = chat::time_of(&extra, &["timestamp"]);
        said.cost_usd = extra.amount("cost");
        let usage = extra.object("response").and_then(|response| response.object("usage"));
        if let Some(usage) = usage.or_else(|| fields.object("usage")) {
            said.tokens = chat::usage(&usage);
        }
        let role = fields.text("role").unwrap_or_default();
        for event in &mut said.events {
            let Event::Request(text) = event else { continue };
            if text.trim_start().starts_with("diff --git ") {
                *event = Event::FinalDiff(std::mem::take(text));
            } else if let Some(asked) = ASKED.iter().find_map(|mark| text.strip_prefix(mark)) {
                *text = Cow::Owned(asked.to_owned());
            }
        }
        match &*role {
            "exit" => {
                let text = extra.text("exit_status").or_else(|| fields.text("content"));
                said.events = vec![Event::Said(Role::System, text.unwrap_or_default())];
            }
            "user" | "environment" => outcomes(&mut said, &extra),
            "tool" => {
                let code = extra.integer("returncode");
                for event in &mut said.events {
                    if let Event::Answered(answer) = event {
                        answer.exit_code = code.or(answer.exit_code);
                        answer.is_error |= answer.exit_code.is_some_and(|code| code != 0);
                    }
                }
            }
            "assistant" => commands(&mut said, &extra),
            _ => {}
        }
        said
    }
}

/// A response of OpenAI's Responses API, by the items of its output.
fn response<'t>(output: Value<'t>) -> Record<'t> {
    let mut said = Record::default();
    for item in output.elements().filter_map(Object::of) {
        match &*item.text("type").unwrap_or_default() {
            "reasoning" => {
                let text = ["summary", "content"].map(|key| arguments::words_of(&item, key));
                let [summary, content] = text;
                said.says_words(Event::Thought, if content.is_empty() { summary } else { content });
            }
            "message" => {
                let text = arguments::words_of(&item, "content");
                said.says_words(|text| Event::Said(Role::Assistant, text), text);
            }
            "function_call" | "custom_tool_call" => {
                said.says(Event::Called(chat::called(&item)));
            }
            kind => said.says(Event::Unknown(Cow::Owned(kind.to_owned()))),
        }
    }
    said
}

/// The result of a call of the Responses API, which has no role.
fn output_of_call<'t>(fields: &Object<'t>, extra: &Object<'t>) -> Record<'t> {
    let mut answer = chat::answer(fields);
    answer.exit_code = extra.integer("returncode").or(answer.exit_code);
    answer.is_error |= answer.exit_code.is_some_and(|code| code != 0);
    let mut record = Record::of(Event::Answered(answer));
    record.time = chat::time_of(extra, &["timestamp"]);
    record
}

/// What the program puts before a request that a person makes.
const ASKED: [&str; 2] = ["Please solve this issue: ", "The user added a new task: "];

/// As a harness keeps them: one message a line.
fn is_lines(head: &Head<'_>) -> bool {
    let is_message =
        |object: &Object<'_>| object.has("role") && object.has("content") && !object.has("type");
    head.name.starts_with("trajectory")
        && peek::all(head, &["\"role\""], is_message)
        && peek::any(head, &["<returncode>"], |_| true)
}

/// A message of the user that answers a command.
fn outcomes(said: &mut Record<'_>, extra: &Object<'_>) {
    for event in &mut said.events {
        let Event::Request(text) = event else { continue };
        let code = chat::exit_code(text).filter(|_| text.trim_start().starts_with(['<', '{']));
        let is_outcome =
            code.is_some() || extra.has("returncode") || text.starts_with("Observation:");
        if is_outcome {
            let exit_code = extra.integer("returncode").or(code);
            let is_error = exit_code.is_some_and(|code| code != 0);
            let text = std::mem::take(text);
            *event = Event::Answered(Answer { text, exit_code, is_error, ..Answer::default() });
        }
    }
}

/// The commands that a message without tool calls holds.
fn commands<'t>(said: &mut Record<'t>, extra: &Object<'t>) {
    if said.events.iter().any(|event| matches!(event, Event::Called(_))) {
        return;
    }
    let told: Vec<Cow<'t, str>> = extra
        .array("actions")
        .into_iter()
        .filter_map(|action| Object::of(action)?.text("command"))
        .collect();
    let words = said.events.iter().find_map(|event| match event {
        Event::Said(_, text) => Some(text.clone()),
        _ => None,
    });
    let fenced =
        || words.as_deref().and_then(chat::fenced_command).map(|text| Cow::Owned(text.to_owned()));
    let commands = if told.is_empty() { fenced().into_iter().collect() } else { told };
    for main in commands {
        let call = Call { name: "bash".into(), arguments: main.clone(), main, ..Call::default() };
        said.says(Event::Called(call));
    }
}
