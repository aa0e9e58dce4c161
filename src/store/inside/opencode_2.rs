//! The tables of opencode from 2.0 on: a message is one row with its content, in the order of `seq`. A database that was
//! brought over has the tables of both generations.

use serde_json::{Map, Value, json};

use super::{database::messages_with_parts, tables::Base};

type Row = Map<String, Value>;

/// Which tables a database has.
pub struct Tables {
    has_sessions: bool,
    has_new_sessions: bool,
    has_parts: bool,
    has_new_messages: bool,
}

impl Tables {
    pub fn of(base: &Base) -> rusqlite::Result<Self> {
        Ok(Self {
            has_sessions: base.has_table("session")?,
            has_new_sessions: base.has_table("session_v2")?,
            has_parts: base.has_table("message")? && base.has_table("part")?,
            has_new_messages: base.has_table("session_message")?,
        })
    }

    /// What is known of a session beside its messages; empty where there is none of that name.
    pub fn session(&self, base: &Base, id: &str) -> rusqlite::Result<Row> {
        for (is_there, table) in
            [(self.has_new_sessions, "session_v2"), (self.has_sessions, "session")]
        {
            if is_there && let Some(row) = base.rows((table, "id"), id, "id")?.into_iter().next() {
                return Ok(row);
            }
        }
        Ok(Row::new())
    }

    /// The sessions that a session began, the last first.
    pub fn children(&self, base: &Base, id: &str) -> rusqlite::Result<Vec<String>> {
        let mut found: Vec<String> = vec![];
        for (is_there, table) in
            [(self.has_new_sessions, "session_v2"), (self.has_sessions, "session")]
        {
            if is_there {
                for row in base.rows((table, "parent_id"), id, "time_created desc")? {
                    let child = row.get("id").and_then(Value::as_str).unwrap_or_default();
                    if !found.iter().any(|known| known == child) {
                        found.push(child.to_owned());
                    }
                }
            }
        }
        Ok(found)
    }

    /// As `opencode export` writes messages.
    pub fn messages(&self, base: &Base, session: &str) -> rusqlite::Result<Vec<Value>> {
        if self.has_new_messages {
            let rows =
                base.rows(("session_message", "session_id"), session, "seq, time_created, id")?;
            if !rows.is_empty() {
                return Ok(rows.iter().filter_map(message).collect());
            }
        }
        if self.has_parts { messages_with_parts(base, session) } else { Ok(vec![]) }
    }
}

/// Tokens and cost of the whole session, as its row states them.
pub fn totals(session: &Row) -> Row {
    let mut totals = Row::new();
    if let Some(cost) = session.get("cost").filter(|cost| cost.is_number()) {
        totals.insert("cost".into(), cost.clone());
    }
    let of = |key: &str| session.get(key).cloned().unwrap_or_default();
    if session.get("tokens_input").is_some_and(Value::is_number) {
        let tokens = json!({
            "input": of("tokens_input"),
            "output": of("tokens_output"),
            "reasoning": of("tokens_reasoning"),
            "cache": { "read": of("tokens_cache_read"), "write": of("tokens_cache_write") },
        });
        totals.insert("tokens".into(), tokens);
    }
    totals
}

/// None for a row that only says which model or agent answers next: answers name theirs.
fn message(row: &Row) -> Option<Value> {
    let kind = row.get("type").and_then(Value::as_str).unwrap_or_default();
    let data = row.get("data").and_then(Value::as_str);
    let mut data: Row = data.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let role = if kind == "assistant" { "assistant" } else { "user" };
    let time = data.remove("time").unwrap_or_else(|| json!({ "created": row.get("time_created") }));
    let mut info = json!({ "id": row.get("id"), "sessionID": row.get("session_id"), "role": role, "time": time });
    let text = |data: &Row, key: &str| data.get(key).cloned().unwrap_or_default();
    let parts = match kind {
        "user" => {
            let mut parts = vec![json!({ "type": "text", "text": text(&data, "text") })];
            for file in data.get("files").and_then(Value::as_array).into_iter().flatten() {
                let name = file.get("name").or_else(|| file.get("uri")).cloned();
                parts.push(json!({ "type": "file", "filename": name }));
            }
            parts
        }
        "assistant" => {
            let model = data.get("model").cloned().unwrap_or_default();
            info["modelID"] =
                model.get("id").or_else(|| model.get("modelID")).cloned().unwrap_or_default();
            info["providerID"] = model.get("providerID").cloned().unwrap_or_default();
            for key in ["cost", "tokens", "error"] {
                info[key] = text(&data, key);
            }
            let content = data.remove("content").unwrap_or_default();
            content.as_array().into_iter().flatten().map(part).collect()
        }
        "synthetic" => {
            vec![json!({ "type": "text", "synthetic": true, "text": text(&data, "text") })]
        }
        "system" => vec![json!({ "type": "text", "synthetic": true, "text": text(&data, "text") })],
        "shell" => {
            info["role"] = "assistant".into();
            vec![json!({ "type": "tool", "tool": "bash", "callID": data.get("callID"), "state": {
                "status": "completed", "input": { "command": text(&data, "command") }, "output": text(&data, "output"),
            } })]
        }
        "compaction" => vec![json!({ "type": "compaction", "text": text(&data, "summary") })],
        "model-switched" | "agent-switched" => return None,
        other => vec![json!({ "type": other })],
    };
    Some(json!({ "info": info, "parts": parts }))
}

/// A piece of an answer as the first generation has it: calls with their output as one text.
fn part(piece: &Value) -> Value {
    if piece.get("type").and_then(Value::as_str) != Some("tool") {
        return piece.clone();
    }
    let state = piece.get("state").cloned().unwrap_or_default();
    let texts = state.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = texts.filter_map(|it| it.get("text")?.as_str()).collect();
    let time = piece.get("time").cloned().unwrap_or_default();
    let input = match state.get("input") {
        // While it is written the input is a text.
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| json!({ "input": text }))
        }
        input => input.cloned().unwrap_or_default(),
    };
    let output =
        if texts.is_empty() { state.get("output").cloned() } else { Some(texts.join("\n").into()) };
    let error = state.get("error").map(|error| error.get("message").unwrap_or(error).clone());
    json!({ "type": "tool", "tool": piece.get("name"), "callID": piece.get("id"), "state": {
        "status": state.get("status"),
        "input": input,
        "output": output,
        "error": error,
        "metadata": state.get("structured").or_else(|| state.get("metadata")),
        "time": { "start": time.get("created"), "end": time.get("completed") },
    } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_the_new_tables_is_one_of_the_old() {
        let data = json!({
            "model": { "providerID": "openai", "id": "gpt-6" },
            "time": { "created": 1, "completed": 5 },
            "cost": 0.5,
            "tokens": { "input": 7, "output": 3 },
            "content": [
                { "type": "text", "text": "I look" },
                { "type": "tool", "id": "c1", "name": "bash", "time": { "created": 2, "completed": 4 }, "state": {
                    "status": "completed", "input": { "command": "ls" }, "content": [{ "type": "text", "text": "a.py" }],
                } },
            ],
        });
        let row =
            json!({ "id": "m", "session_id": "s", "type": "assistant", "data": data.to_string() });

        let message = message(row.as_object().unwrap()).unwrap();

        assert_eq!(message["info"]["modelID"], "gpt-6");
        assert_eq!(message["info"]["time"]["completed"], 5);
        assert_eq!(message["parts"][0]["text"], "I look");
        assert_eq!(message["parts"][1]["tool"], "bash");
        assert_eq!(message["parts"][1]["state"]["output"], "a.py");
        assert_eq!(message["parts"][1]["state"]["time"], json!({ "start": 2, "end": 4 }));
    }

    #[test]
    fn a_row_that_only_names_the_next_model_says_nothing() {
        let row = json!({ "id": "m", "type": "model-switched", "data": "{}" });
        assert_eq!(message(row.as_object().unwrap()), None);
    }
}
