//! The circumstances of a live run, as far as its recorder wrote them: two runs should have them in common where only their
//! condition is compared.

use serde_json::{Map, Value};

use crate::json_object::JsonFields;
use trajview_run::{
    run_file::{RunFile, RunFileTurn},
    turn_record::PROMPTS,
};

type ConductFacts = Vec<(&'static str, String)>;

/// The keys of `surroundings` that are compared, with their words.
const SURROUNDINGS: [(&str, &str); 12] = [
    ("permissions", "permissions"),
    ("arguments", "arguments of the agent"),
    ("os", "operating system"),
    ("architecture", "architecture"),
    ("records_ignored", "ignored files recorded"),
    ("tests", "tests"),
    ("bundle_in_reach", "bundle within the agent's reach"),
    ("in_terminal", "driven in a terminal"),
    ("isolation.sandbox", "sandbox"),
    ("isolation.network", "network"),
    ("isolation.image", "image of the container"),
    ("prompts_sha256", PROMPTS),
];

/// The keys of `surroundings.limits` that are compared, with their words.
const LIMITS: [(&str, &str); 8] = [
    ("budget.tokens", "budget of tokens"),
    ("budget.usd", "budget in USD"),
    ("budget.minutes", "budget of minutes"),
    ("budget.turns", "budget of turns"),
    ("timeouts.turn", "time for a turn"),
    ("timeouts.idle", "time without a word"),
    ("on_failure", "rule for failed turns"),
    ("retries", "repeats of a failed turn"),
];

/// Returns the facts by which two runs are compared; empty where the recorder wrote no surroundings.
pub fn conduct_of_run(manifest: &RunFile) -> ConductFacts {
    let Some(surroundings) = manifest.rest.object("surroundings") else {
        return vec![];
    };
    let mut all: ConductFacts = vec![];
    let facts = SURROUNDINGS.iter().filter_map(|(path, words)| {
        Some((*words, displayed_value(value_at_path(surroundings, path)?)))
    });
    all.extend(facts);
    all.extend(start_facts(manifest));
    let limits = surroundings.object("limits");
    let limit = |(path, words): &(&str, &'static str)| {
        Some((*words, displayed_value(value_at_path(limits?, path)?)))
    };
    all.extend(LIMITS.iter().filter_map(limit));
    let count = |is_so: &dyn Fn(&RunFileTurn) -> bool| {
        manifest.turns.iter().filter(|turn| is_so(turn)).count().to_string()
    };
    let again = |turn: &RunFileTurn| {
        let attempt = turn.rest.number("attempt");
        attempt.unwrap_or(1).saturating_sub(1)
    };
    let interruptions = surroundings.number("interruptions");
    all.extend(interruptions.map(|count| ("interruptions", count.to_string())));
    all.extend([
        ("attempts that do not count", manifest.turns.iter().map(again).sum::<u64>().to_string()),
        ("turns without memory of those before", count(&|turn| turn.without_memory)),
        (
            "requests that a person typed",
            count(&|turn| turn.typed || !turn.typed_within.is_empty()),
        ),
    ]);
    all
}

/// Returns the state that the agent began with. A run without a recorded start began with an empty workspace.
fn start_facts(manifest: &RunFile) -> ConductFacts {
    let start = manifest.start.as_ref().and_then(Value::as_object);
    let start_value = |path| {
        displayed_value(start.and_then(|start| value_at_path(start, path)).unwrap_or(&Value::Null))
    };
    let rows = start.map_or(&[][..], |start| start.elements_of("setup"));
    let commands: Vec<&str> = rows.iter().filter_map(|row| row.text("command")).collect();
    let commands = if commands.is_empty() { "none".into() } else { commands.join("; ") };
    vec![
        ("repository it began with", start_value("source.repository")),
        ("folder it began with", start_value("source.folder")),
        ("revision it began with", start_value("source.revision")),
        ("commands that prepared it", commands),
    ]
}

/// Returns a value some names deep.
fn value_at_path<'a>(fields: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => fields.get(path),
        Some((first, rest)) => value_at_path(fields.object(first)?, rest),
    }
}

/// Returns a JSON value as text: `none` for null and an empty list, the values of a list with blanks between.
fn displayed_value(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "none".into(),
        Value::Array(values) => values.iter().map(displayed_value).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn conduct_from_json(manifest: Value) -> ConductFacts {
        conduct_of_run(&serde_json::from_value(manifest).unwrap())
    }

    #[test]
    fn what_a_recorder_tells_is_known_in_words() {
        let known = conduct_from_json(json!({
            "schema": "trajview.run/1",
            "surroundings": {
                "permissions": "full", "arguments": ["-c", "x"], "tests": null, "interruptions": 2,
                "limits": {"budget": {"tokens": 5}, "retries": 1}, "os": ["what", {"is": 1}],
                "isolation": {"sandbox": "bwrap", "network": "off"},
            },
            "start": {"source": {"revision": "b0"}, "setup": [{"command": "make"}, {"command": "ls"}]},
            "turns": [{"turn": 1, "attempt": 3}, {"turn": 2, "without_memory": true}],
        }));

        let value =
            |name| known.iter().find(|(it, _)| *it == name).map(|(_, value)| value.as_str());
        assert_eq!(value("arguments of the agent"), Some("-c x"));
        assert_eq!((value("tests"), value("budget of tokens")), (Some("none"), Some("5")));
        assert_eq!(
            (value("interruptions"), value("attempts that do not count")),
            (Some("2"), Some("2"))
        );
        assert_eq!(value("turns without memory of those before"), Some("1"));
        assert_eq!(value("architecture"), None);
        assert_eq!((value("sandbox"), value("network")), (Some("bwrap"), Some("off")));
        assert_eq!(value("revision it began with"), Some("b0"));
        assert_eq!(value("commands that prepared it"), Some("make; ls"));
    }

    #[test]
    fn where_nobody_tells_nothing_is_known() {
        assert_eq!(
            conduct_from_json(json!({"schema": "trajview.run/1", "turns": [{"turn": 1}]})),
            []
        );
        assert_eq!(conduct_from_json(json!({"schema": "trajview.run/1", "surroundings": [1]})), []);
    }
}
