//! SWE-agent's trajectories: `*.traj`, one object with `trajectory`, `history` and `info`. A step holds what the model
//! answered, the action and its observation; the prompt that is repeated in each of them (`messages`, `query`) is skipped.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, exit_status, head_json,
    json_object::{self, JsonObject},
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, RecordedCall, arguments},
    tape::{JsonTape, TapeValue},
};
use trajview_run::{Outcome, Role, Tokens, TrialResult};

pub struct SweAgent;

impl RecordFormat for SweAgent {
    fn name(&self) -> &'static str {
        "swe-agent"
    }

    fn short_description(&self) -> &'static str {
        "SWE-agent trajectory, *.traj"
    }

    fn sample_path(&self) -> &'static str {
        "logs/swe-agent.traj"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::AtTheEnd)
            .with_tokens()
            .with_cost()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"trajectory\"", "\"action\""], |object| {
            let step = object
                .elements_of("trajectory")
                .into_iter()
                .next()
                .and_then(JsonObject::from_value);
            step.is_some_and(|step| {
                step.has_field("action")
                    && (step.has_field("observation")
                        || step.has_field("thought")
                        || step.has_field("response"))
            })
        })
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let document = JsonObject::from_value(document).unwrap_or_default();
        let info = document.object("info").unwrap_or_default();
        let stats = info.object("model_stats").unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("swe-agent"));
        record.facts.version = info.text("swe_agent_version");
        // `main` is the name of the environment of every task.
        let environment = document.text("environment");
        record.facts.id = environment.clone().or_else(|| document.text("instance_id"));
        record.facts.task = document
            .text("instance_id")
            .or(environment.filter(|name| !matches!(&**name, "main" | "swe_main")));
        record.facts.model = model_name(&document);
        record.facts.root = document
            .elements_of("trajectory")
            .into_iter()
            .find_map(|step| working_folder(&JsonObject::from_value(step)?));
        let (input, output) = (stats.number("tokens_sent"), stats.number("tokens_received"));
        // Zeros mean "not counted".
        if input.is_some_and(|input| input > 0) {
            record.tokens = Tokens { input, output, ..Tokens::default() };
        }
        record.cost_usd = stats.float("instance_cost").filter(|cost| *cost > 0.0);
        record.trial =
            exit_status::result_of_row(&document).or_else(|| info_result(&info)).map(Box::new);
        record
    }

    fn task_of_source(&self, source: &str) -> Option<String> {
        exit_status::instance_of_name(source)
    }

    /// Returns the request at the beginning of the history, then the steps, then `info` with the submission.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(document) = JsonObject::from_value(value) else { return vec![] };
        let history = document.elements_of("history").into_iter().take_while(|message| {
            let role = JsonObject::from_value(*message).and_then(|message| message.text("role"));
            role.as_deref() != Some("assistant")
        });
        let is_asked = |message: &TapeValue<'t>| {
            JsonObject::from_value(*message).is_some_and(|it| it.flag("is_demo") != Some(true))
        };
        let steps = document.elements_of("trajectory");
        let mut requests: Vec<TapeValue<'t>> = history.filter(is_asked).collect();
        if requests.is_empty() {
            // Without a history only the first step has the first prompt.
            let first = steps.first().copied().and_then(JsonObject::from_value).unwrap_or_default();
            let prompt = ["query", "messages"].into_iter().map(|key| first.elements_of(key));
            let prompt = prompt.into_iter().find(|prompt| !prompt.is_empty()).unwrap_or_default();
            requests.extend(prompt.into_iter().filter(is_asked));
        }
        requests.into_iter().chain(steps).chain(document.get("info")).collect()
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if fields.has_field("role") {
            return chat::message_record(&fields);
        }
        if fields.has_field("action") || fields.has_field("observation") {
            return step_record(&fields);
        }
        match fields.text("submission").filter(|diff| !diff.trim().is_empty()) {
            Some(diff) => LogRecord::from_event(RecordEvent::FinalDiff(diff)),
            None => LogRecord::default(),
        }
    }
}

/// Returns the result of a run by its end: the agent's status, else whether it submitted something.
fn info_result(info: &JsonObject<'_>) -> Option<TrialResult> {
    if let Some(status) = info.text("exit_status").filter(|status| !status.is_empty()) {
        return Some(exit_status::result_of_status(&status));
    }
    let submission = info.text("submission").filter(|diff| !diff.trim().is_empty());
    submission.map(|_| TrialResult { outcome: Some(Outcome::Unscored), ..TrialResult::default() })
}

fn step_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = LogRecord::default();
    let thought = fields.first_text(&["thought", "response"]).unwrap_or_default();
    record.push_text(|text| RecordEvent::Message(Role::Assistant, text), thought);
    let calls = fields.elements_of("tool_calls");
    let action = fields.text("action").unwrap_or_default();
    let observation = fields.get("observation").map(arguments::content_text).unwrap_or_default();
    if action.trim().is_empty() {
        record.push_text(|text| RecordEvent::Message(Role::System, text), observation);
        return record;
    }
    let called = calls
        .into_iter()
        .next()
        .and_then(JsonObject::from_value)
        .map(|call| chat::read_call(&call));
    let first = action.split_whitespace().next().unwrap_or_default().to_owned();
    let name = called.as_ref().map_or(first.into(), |call| call.name.clone());
    let edits = called.map(|call| call.edits).unwrap_or_default();
    let is_error = [
        "Traceback (most recent call last)",
        "Your proposed edit has introduced",
        "No replacement was performed",
    ]
    .iter()
    .any(|mark| observation.contains(mark) && edits_files(&action));
    let answer = CallAnswer { text: observation, is_error, ..CallAnswer::default() };
    record.push_event(RecordEvent::Call(RecordedCall {
        name,
        arguments: action.clone(),
        main: action,
        answer: Some(answer),
        edits,
        ..RecordedCall::default()
    }));
    record
}

/// Returns whether an action is one of SWE-agent's own commands that change a file.
fn edits_files(action: &str) -> bool {
    ["edit ", "str_replace_editor ", "insert ", "create "]
        .iter()
        .any(|verb| action.starts_with(verb))
}

/// Returns the folder of a step's `state`: an object, or a text with one in it.
fn working_folder<'t>(step: &JsonObject<'t>) -> Option<Cow<'t, str>> {
    let state = step.get("state")?;
    let folder = match JsonObject::from_value(state) {
        Some(state) => state.text("working_dir"),
        None => {
            let text = json_object::string_text(state)?;
            let tape = JsonTape::parse(&text);
            JsonObject::from_tape(&tape)?
                .text("working_dir")
                .map(|folder| Cow::Owned(folder.into_owned()))
        }
    };
    folder.filter(|folder| folder.starts_with('/'))
}

/// Returns the model's name from the configuration, which is an object or a text with one in it.
fn model_name<'t>(document: &JsonObject<'t>) -> Option<Cow<'t, str>> {
    let config = document.get("replay_config")?;
    let name = |config: JsonObject<'_>| {
        let model = config.object("agent")?.object("model")?;
        model.text("name").map(|name| Cow::Owned(name.into_owned()))
    };
    match JsonObject::from_value(config) {
        Some(config) => name(config),
        None => {
            let text = json_object::string_text(config)?;
            let tape = JsonTape::parse(&text);
            name(JsonObject::from_tape(&tape)?)
        }
    }
}
