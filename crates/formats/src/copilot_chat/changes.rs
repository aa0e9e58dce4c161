//! The log of changes that VS Code appends to: the whole session first, then a change a line. Replayed it is the session.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::{jsonl, not_finite, records::NOT_FINITE, tape::JsonTape};
use trajview_run::SourceId;

/// The field of a replayed session that counts the lines that could not be followed.
pub const UNREAD_CHANGES: &str = "trajview:unread";

/// No change lies deeper: a session that is made of changes is not to become deeper than what can be written and freed.
const MAX_DEPTH: usize = 48;

#[derive(Debug, Deserialize)]
struct SessionChange {
    kind: u64,
    /// The path of what changes, names and positions.
    #[serde(default)]
    k: Vec<Json>,
    #[serde(default)]
    v: Json,
    /// The number of elements that a list is cut to before others are added.
    #[serde(default)]
    i: Option<u64>,
}

const WHOLE: u64 = 0;
const SET: u64 = 1;
const PUSH: u64 = 2;
const DELETE: u64 = 3;

/// Returns the session that a log of changes ends with; None where it has no beginning.
pub fn replay_changes(log: &[u8]) -> Option<Vec<u8>> {
    let mut state: Option<Json> = None;
    let (mut unread, mut no_numbers) = (0u64, 0);
    for (_, line) in jsonl::lines_of_file(SourceId(0), log) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match parse_change(line) {
            Some((change, count)) => {
                no_numbers += count;
                unread += u64::from(apply_change(&mut state, change).is_none());
            }
            None => unread += 1,
        }
    }
    let Json::Object(mut session) = state? else { return None };
    session.entry("requests").or_insert_with(|| Json::Array(vec![]));
    let counts = [(UNREAD_CHANGES, unread), (NOT_FINITE, no_numbers as u64)];
    session.extend(
        counts
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(key, count)| (key.into(), count.into())),
    );
    serde_json::to_vec(&session).ok()
}

fn parse_change(line: &[u8]) -> Option<(SessionChange, usize)> {
    // More values than a tape holds are not taken apart.
    JsonTape::parse(std::str::from_utf8(line).ok()?)?;
    not_finite::read_json(line).ok()
}

/// Applies a change; returns None where its path does not exist.
fn apply_change(state: &mut Option<Json>, change: SessionChange) -> Option<()> {
    if change.kind == WHOLE {
        *state = Some(change.v);
        return Some(());
    }
    let state = state.as_mut()?;
    let (last, path) = change.k.split_last()?;
    if path.len() > MAX_DEPTH {
        return None;
    }
    let mut at = state;
    for step in path {
        at = child_at(at, step)?;
    }
    match (change.kind, at) {
        (SET, Json::Object(fields)) => {
            fields.insert(last.as_str()?.to_owned(), change.v);
        }
        (SET, Json::Array(list)) => {
            let position = usize::try_from(last.as_u64()?).ok()?;
            if position == list.len() {
                list.push(change.v);
            } else {
                *list.get_mut(position)? = change.v;
            }
        }
        (PUSH, at) => push_to_list(at, last, change.v, change.i)?,
        (DELETE, Json::Object(fields)) => {
            fields.remove(last.as_str()?);
        }
        (DELETE, at @ Json::Array(_)) => *child_at(at, last)? = Json::Null,
        _ => return None,
    }
    Some(())
}

fn child_at<'s>(at: &'s mut Json, step: &Json) -> Option<&'s mut Json> {
    match at {
        Json::Object(fields) => fields.get_mut(step.as_str()?),
        Json::Array(list) => list.get_mut(usize::try_from(step.as_u64()?).ok()?),
        _ => None,
    }
}

/// Cuts a list to `keep` elements and adds others; a list that is missing is begun.
fn push_to_list(at: &mut Json, last: &Json, values: Json, keep: Option<u64>) -> Option<()> {
    let list = match at {
        Json::Object(fields) => list_entry(fields, last.as_str()?),
        _ => child_at(at, last)?,
    };
    if list.is_null() {
        *list = Json::Array(vec![]);
    }
    let list = list.as_array_mut()?;
    if let Some(keep) = keep {
        list.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
    }
    match values {
        Json::Array(values) => list.extend(values),
        Json::Null => {}
        _ => return None,
    }
    Some(())
}

fn list_entry<'s>(fields: &'s mut Map<String, Json>, key: &str) -> &'s mut Json {
    fields.entry(key).or_insert(Json::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay_session(log: &str) -> Json {
        serde_json::from_slice(&replay_changes(log.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn a_log_of_changes_is_the_session_that_it_ends_with() {
        let log = r#"{"kind":0,"v":{"version":3,"sessionId":"s","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"requestId":"a","response":null}]}
{"kind":2,"k":["requests",0,"response"],"v":[{"value":"one"},{"value":"two"}]}
{"kind":2,"k":["requests",0,"response"],"i":1,"v":[{"value":"three"}]}
{"kind":1,"k":["customTitle"],"v":"a title"}
{"kind":1,"k":["draft"],"v":"x"}
{"kind":3,"k":["draft"]}
"#;

        let expected = serde_json::json!({
            "version": 3, "sessionId": "s", "customTitle": "a title",
            "requests": [{"requestId": "a", "response": [{"value": "one"}, {"value": "three"}]}],
        });
        assert_eq!(replay_session(log), expected);
    }

    #[test]
    fn a_change_that_leads_nowhere_is_counted_and_the_others_are_followed() {
        let log = r#"{"kind":0,"v":{"requests":[]}}
{"kind":1,"k":["requests",7,"response"],"v":[]}
{"kind":1,"k":["requests",999999999999],"v":1}
{"kind":9,"k":["x"],"v":1}
{"kind":1,"k":[],"v":1}
{"kind":1,"k":["title"],"v":"t"}
{"kind":1,"k":["ti"#;

        let session = replay_session(log);

        assert_eq!(session["title"], "t");
        assert_eq!(session[UNREAD_CHANGES], 5);
    }

    #[test]
    fn changes_do_not_make_a_session_deeper_than_can_be_freed() {
        let mut log = String::from("{\"kind\":0,\"v\":{\"requests\":[]}}\n");
        let deep = "{\"a\":".repeat(100) + "1" + &"}".repeat(100);
        for times in 0..400 {
            let path = vec!["\"a\""; 1 + times * 100].join(",");
            log += &format!("{{\"kind\":1,\"k\":[{path}],\"v\":{deep}}}\n");
        }

        assert!(replay_changes(log.as_bytes()).is_some());
    }
}
