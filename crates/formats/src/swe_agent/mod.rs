//! SWE-agent's trajectories: `*.traj`, one object with `trajectory`, `history` and `info`. A step holds what the model
//! answered, the action and its observation; the prompt that stands in each of them again (`messages`, `query`) is skipped.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::{self, Object},
    peek,
    records::{Answer, Call, Event, Record, Records, arguments},
    tape::{Tape, Value},
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct SweAgent;

impl Records for SweAgent {
    fn name(&self) -> &'static str {
        "swe-agent"
    }

    fn about(&self) -> &'static str {
        "SWE-agent trajectory, *.traj"
    }

    fn sample(&self) -> &'static str {
        "logs/swe-agent.traj"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::AtTheEnd).tokens().cost()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"trajectory\"", "\"action\""], |object| {
            let step = object.array("trajectory").into_iter().next().and_then(Object::of);
            step.is_some_and(|step| {
                step.has("action")
                    && (step.has("observation") || step.has("thought") || step.has("response"))
            })
        })
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let document = Object::of(document).unwrap_or_default();
        let info = document.object("info").unwrap_or_default();
        let stats = info.object("model_stats").unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("swe-agent"));
        record.facts.version = info.text("swe_agent_version");
        record.facts.task = document.text("environment").or_else(|| document.text("instance_id"));
        record.facts.id = record.facts.task.clone();
        record.facts.model = model(&document);
        record.facts.root =
            document.array("trajectory").into_iter().find_map(|step| folder(&Object::of(step)?));
        let (input, output) = (stats.number("tokens_sent"), stats.number("tokens_received"));
        // Zeros stand for "not counted".
        if input.is_some_and(|input| input > 0) {
            record.tokens = Tokens { input, output, ..Tokens::default() };
        }
        record.cost_usd = stats.amount("instance_cost").filter(|cost| *cost > 0.0);
        record
    }

    /// What was asked, as the history begins with it, then the steps, then `info` with what was handed in.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(document) = Object::of(value) else { return vec![] };
        let history = document.array("history").into_iter().take_while(|message| {
            let role = Object::of(*message).and_then(|message| message.text("role"));
            role.as_deref() != Some("assistant")
        });
        let is_asked = |message: &Value<'t>| {
            Object::of(*message).is_some_and(|it| it.flag("is_demo") != Some(true))
        };
        let steps = document.array("trajectory");
        let mut asked: Vec<Value<'t>> = history.filter(is_asked).collect();
        if asked.is_empty() {
            // Without a history the first prompt stands with the first step alone.
            let first = steps.first().copied().and_then(Object::of).unwrap_or_default();
            let prompt = ["query", "messages"].into_iter().map(|key| first.array(key));
            let prompt = prompt.into_iter().find(|prompt| !prompt.is_empty()).unwrap_or_default();
            asked.extend(prompt.into_iter().filter(is_asked));
        }
        asked.into_iter().chain(steps).chain(document.get("info")).collect()
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if fields.has("role") {
            return chat::message(&fields);
        }
        if fields.has("action") || fields.has("observation") {
            return step(&fields);
        }
        match fields.text("submission").filter(|diff| !diff.trim().is_empty()) {
            Some(diff) => Record::of(Event::FinalDiff(diff)),
            None => Record::default(),
        }
    }
}

fn step<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut record = Record::default();
    let thought = fields.text_of(&["thought", "response"]).unwrap_or_default();
    record.says_words(|text| Event::Said(Role::Assistant, text), thought);
    let calls = fields.array("tool_calls");
    let action = fields.text("action").unwrap_or_default();
    let observation = fields.get("observation").map(arguments::words).unwrap_or_default();
    if action.trim().is_empty() {
        record.says_words(|text| Event::Said(Role::System, text), observation);
        return record;
    }
    let called = calls.into_iter().next().and_then(Object::of).map(|call| chat::called(&call));
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
    let answer = Answer { text: observation, is_error, ..Answer::default() };
    record.says(Event::Called(Call {
        name,
        arguments: action.clone(),
        main: action,
        answer: Some(answer),
        edits,
        ..Call::default()
    }));
    record
}

/// Whether an action is one of SWE-agent's own commands that change a file.
fn edits_files(action: &str) -> bool {
    ["edit ", "str_replace_editor ", "insert ", "create "]
        .iter()
        .any(|verb| action.starts_with(verb))
}

/// The folder of a step's `state`: an object, or a text with one in it.
fn folder<'t>(step: &Object<'t>) -> Option<Cow<'t, str>> {
    let state = step.get("state")?;
    let folder = match Object::of(state) {
        Some(state) => state.text("working_dir"),
        None => {
            let text = object::text(state)?;
            let tape = Tape::read(&text);
            Object::on(&tape)?.text("working_dir").map(|folder| Cow::Owned(folder.into_owned()))
        }
    };
    folder.filter(|folder| folder.starts_with('/'))
}

/// The model's name stands in the configuration, an object or a text with one in it.
fn model<'t>(document: &Object<'t>) -> Option<Cow<'t, str>> {
    let config = document.get("replay_config")?;
    let name = |config: Object<'_>| {
        let model = config.object("agent")?.object("model")?;
        model.text("name").map(|name| Cow::Owned(name.into_owned()))
    };
    match Object::of(config) {
        Some(config) => name(config),
        None => {
            let text = object::text(config)?;
            let tape = Tape::read(&text);
            name(Object::on(&tape)?)
        }
    }
}
