//! Reads the values of a turn from `run.json`, beside its place: how far it came, the tokens and cost, the errors.
//!
//! Tokens and cost of a log win: they are nearer to the source. A value of a wrong type is a warning and the rest
//! counts.

use serde_json::{Map, Value};

use crate::json_object::JsonFields;
use trajview_run::{Tokens, Turn, TurnRecord, TurnState, Warning, run_file::RunFileTurn};

/// Adds the tokens and the cost that the log of a turn lacks, and replaces the turn's record by that of the manifest.
/// Adds a warning for each value of a wrong type.
pub fn complete_turn(turn: &mut Turn, entry: &RunFileTurn, warnings: &mut Vec<Warning>) {
    let fields = &entry.rest;
    let mut wrong = |field: &str, expected: &str| {
        let what = format!("turn {}: {field}: expected {expected}", entry.turn);
        warnings.push(Warning { place: "run.json".into(), what });
    };
    if turn.tokens == Tokens::default() {
        match read_tokens(fields.get("tokens")) {
            Some(tokens) => turn.tokens = tokens,
            None => wrong(
                "tokens",
                "an object of input, cached_input, output and reasoning, each a count or null",
            ),
        }
    }
    if turn.cost_usd.is_none() {
        match read_cost(fields.get("cost_usd")) {
            Some(cost) => turn.cost_usd = cost,
            None => wrong("cost_usd", "US dollars, 0 or more, or null"),
        }
    }
    let word = fields.get("state").filter(|value| !value.is_null());
    let state = word.and_then(Value::as_str).and_then(TurnState::by_word);
    if word.is_some() && state.is_none() {
        wrong("state", &format!("one of {}", TurnState::ALL.map(TurnState::word).join(", ")));
    }
    let record = TurnRecord {
        state,
        why: non_blank_field(fields, "why"),
        exit: non_blank_field(fields, "exit"),
        attempt: fields.number("attempt"),
        denied: fields.texts_of("denied"),
        troubles: fields.texts_of("troubles"),
        outside: fields.texts_of("outside"),
        not_recorded: fields.texts_of("not_recorded"),
    };
    turn.record = (record != TurnRecord::default()).then(|| Box::new(record));
}

/// Reads tokens. Absent or null is not recorded; None where the value is neither that nor an object of counts.
fn read_tokens(value: Option<&Value>) -> Option<Tokens> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Some(Tokens::default());
    };
    let object = value.as_object()?;
    let count = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_u64().map(Some),
    };
    Some(Tokens {
        input: count("input")?,
        cached_input: count("cached_input")?,
        output: count("output")?,
        reasoning: count("reasoning")?,
        cache_write: count("cache_write")?,
        cache_write_1h: count("cache_write_1h")?,
    })
}

fn read_cost(value: Option<&Value>) -> Option<Option<f64>> {
    match value {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0).map(Some),
    }
}

/// Returns the text of a field; None where it is absent, not a text, or blank.
pub fn non_blank_field(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.text(name).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Returns the text of a value; None where it is not a text, or blank.
pub fn non_blank_text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
