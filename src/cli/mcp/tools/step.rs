//! The tool `step`: a turn with its steps, or one step with all of its texts.

use std::path::Path;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use trajview_tui::session::start_place::NamedMoment;

use super::{failure_sentence, page_of_run, picked_fields, run_command, with_field};
use crate::cli::mcp::{
    answer::{Answer, redact_row},
    recordings::{Recordings, place_text},
};

pub(super) const DESCRIPTION: &str = "Shows the place RUN:12 (turn 12: the request, what was edited, and the beginnings of its \
    steps) or RUN:12.7 (step 7 of turn 12: text, arguments of the tool call and its result, to their end, page by page).";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct StepCall {
    /// A place as the tools cite it: RUN:TURN or RUN:TURN.STEP, such as runs/a:12.7.
    place: String,
    /// `next` of the answer before.
    cursor: Option<String>,
}

/// The characters of a part of a long text; a row has one part.
const CHARS_OF_PART: usize = 3_500;

/// The characters of a text of a step in the list of a turn.
const CHARS_OF_BEGINNING: usize = 400;

pub(super) fn answer_call(recordings: &Recordings, call: &StepCall) -> Result<String, String> {
    let (run, turn, step) = parse_place(&call.place)?;
    let path = recordings.find_run(Some(run))?;
    let turn_option = format!("--turn={turn}");
    let name = path.display().to_string();
    let shown = run_command(&["show", "--json", &turn_option, "--", &name])?.into_document();
    let redactor = recordings.redactor_of(&path).map_err(failure_sentence)?;
    // Before a text is divided: a part of a secret is not known for one.
    let shown = redact_row(&redactor, shown);
    let mut steps = vec![];
    list_steps(&shown["steps"], &Value::Null, &mut steps);
    let answer = match step {
        Some(number) => step_answer(&path, (turn, number), &shown, &steps)?,
        None => turn_answer(&path, turn, &shown, &steps),
    };
    page_of_run(recordings, &path, answer, call.cursor.as_deref())
}

/// Takes a place apart: the run, the turn and the step.
fn parse_place(place: &str) -> Result<(&str, usize, Option<usize>), String> {
    let expected =
        || format!("place {place:?}: expected RUN:TURN or RUN:TURN.STEP, such as runs/a:12.7");
    let (run, moment) = place.rsplit_once(':').ok_or_else(expected)?;
    match moment.parse() {
        Ok(NamedMoment::Turn(turn)) => Ok((run, turn, None)),
        Ok(NamedMoment::Step(turn, step)) => Ok((run, turn, Some(step))),
        _ => Err(expected()),
    }
}

/// Lists the steps of a turn, those of a sub-agent after the step that started it.
fn list_steps(steps: &Value, agent: &Value, listed: &mut Vec<Value>) {
    for step in steps.as_array().into_iter().flatten() {
        let subagent = &step["subagent"];
        let mut step = step.clone();
        with_field(&mut step, "agent", agent.clone());
        listed.push(step);
        list_steps(&subagent["steps"], &subagent["name"], listed);
    }
}

fn turn_answer(path: &Path, turn: usize, shown: &Value, steps: &[Value]) -> Answer {
    let fields =
        ["checkpoint", "edits", "state", "commit", "counts", "started_at", "tokens", "cost_usd"];
    let mut facts = picked_fields(shown, &fields);
    with_field(&mut facts, "place", place_text(path, Some(turn), None));
    with_field(&mut facts, "warnings", shown["warnings"].clone());
    let mut rows = parts_of_text("request", &shown["request"], |part| part);
    for added in shown["request_added"].as_array().into_iter().flatten() {
        rows.extend(parts_of_text("request_added", added, |part| part));
    }
    rows.extend(steps.iter().map(|step| beginning_of_step(path, turn, step)));
    Answer::from_rows(facts, "items", rows)
}

/// Returns a step with the beginnings of its texts.
fn beginning_of_step(path: &Path, turn: usize, step: &Value) -> Value {
    let beginning = |text: &Value| match text.as_str() {
        Some(text) => text.chars().take(CHARS_OF_BEGINNING).collect::<String>().into(),
        None => Value::Null,
    };
    let number = step["step"].as_u64().and_then(|number| usize::try_from(number).ok());
    let edited: Vec<&Value> =
        step["edits"].as_array().into_iter().flatten().map(|edit| &edit["path"]).collect();
    json!({
        "place": place_text(path, Some(turn), number),
        "kind": step["kind"],
        "agent": step["agent"],
        "tool": step["tool"]["name"],
        "text": beginning(&step["text"]),
        "arguments": beginning(&step["tool"]["arguments"]),
        "result": beginning(&step["result"]["text"]),
        "outcome": step["result"]["outcome"],
        "is_error": step["is_error"],
        "edited": edited,
    })
}

fn step_answer(
    path: &Path,
    (turn, number): (usize, usize),
    shown: &Value,
    steps: &[Value],
) -> Result<Answer, String> {
    let step =
        steps.iter().find(|step| step["step"] == number).ok_or_else(|| match steps.len() {
            0 => format!("no step {turn}.{number}: turn {turn} has none"),
            count => format!("no step {turn}.{number}: the last of turn {turn} is {turn}.{count}"),
        })?;
    let place = place_text(path, Some(turn), Some(number));
    let fields = [
        "kind",
        "role",
        "agent",
        "is_error",
        "started_at",
        "took_s",
        "waited_s",
        "tokens",
        "where",
        "edits",
    ];
    let mut facts = picked_fields(step, &fields);
    with_field(&mut facts, "place", place.clone());
    with_field(&mut facts, "checkpoint", shown["checkpoint"].clone());
    with_field(&mut facts, "tool", step["tool"]["name"].clone());
    let result = ["outcome", "exit_code", "bytes"];
    with_field(&mut facts, "result", picked_fields(&step["result"], &result));
    let texts = [
        ("text", &step["text"]),
        ("arguments", &step["tool"]["arguments"]),
        ("result", &step["result"]["text"]),
    ];
    let part_of = |mut part: Value| {
        with_field(&mut part, "place", place.clone());
        part
    };
    let parts = texts.into_iter().flat_map(|(field, text)| parts_of_text(field, text, part_of));
    Ok(Answer::from_rows(facts, "items", parts.collect()))
}

/// Divides a text into rows; none where there is none.
fn parts_of_text(field: &str, text: &Value, row: impl Fn(Value) -> Value) -> Vec<Value> {
    let letters: Vec<char> = text.as_str().unwrap_or_default().chars().collect();
    let parts = letters.chunks(CHARS_OF_PART).zip(1..);
    let of = letters.len().div_ceil(CHARS_OF_PART);
    let part = |(letters, number): (&[char], usize)| {
        let text: String = letters.iter().collect();
        row(json!({ "field": field, "part": number, "of_parts": of, "text": text }))
    };
    parts.map(part).collect()
}
