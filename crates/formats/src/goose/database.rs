//! Goose's database, `sessions.db`, in the form of its older `sessions/*.jsonl`: a header and a message a line.

use serde_json::{Map, Value, json};

use super::join_pieces;
use crate::{
    json_object::JsonFields,
    session_tables::{SessionTables, TableError, TableRow, TableRows, has_tables},
};

pub struct GooseTables;

impl SessionTables for GooseTables {
    fn sessions_query(&self, tables: &[String]) -> Option<String> {
        has_tables(tables, &["sessions", "messages"])
            .then(|| "select id from sessions order by created_at, id".to_owned())
    }

    fn session_lines(&self, rows: &dyn TableRows, id: &str) -> Result<Vec<Value>, TableError> {
        let session = rows.rows_where(("sessions", "id"), id, "id")?.into_iter().next();
        let mut lines = vec![header_line(session.unwrap_or_default())];
        let messages = rows.rows_where(("messages", "session_id"), id, "id")?;
        let messages = messages.iter().map(message_fields).collect();
        let mut usage = usage_ledger(rows, id)?.into_iter().peekable();
        for message in join_pieces(messages) {
            let is_request = message.text("role") == Some("user");
            let asked_at = message.integer("created");
            // What was used before a request belongs to the turn before.
            while is_request
                && let Some(used) =
                    usage.next_if(|used| used.integer("created_timestamp") < asked_at)
            {
                lines.push(json!({ "usage_ledger": used }));
            }
            lines.push(Value::Object(message));
        }
        lines.extend(usage.map(|used| json!({ "usage_ledger": used })));
        Ok(lines)
    }
}

fn header_line(session: TableRow) -> Value {
    let mut header = Map::new();
    for (key, value) in session {
        let parsed = value
            .as_str()
            .filter(|text| text.starts_with(['{', '[']))
            .and_then(|text| serde_json::from_str(text).ok());
        header.insert(key.trim_end_matches("_json").to_owned(), parsed.unwrap_or(value));
    }
    header.insert("goose".into(), true.into());
    Value::Object(header)
}

fn message_fields(row: &TableRow) -> Map<String, Value> {
    let json = |key: &str| serde_json::from_str::<Value>(row.text(key)?).ok();
    let content = json("content_json").or_else(|| json("content")).unwrap_or_default();
    let created = row.get("created_timestamp").or_else(|| row.get("timestamp"));
    let mut message = Map::new();
    for (key, value) in [
        ("id", row.get("message_id").cloned()),
        ("role", row.get("role").cloned()),
        ("content", Some(content)),
        ("created", created.cloned()),
        ("metadata", json("metadata_json")),
    ] {
        message.extend(value.filter(|it| !it.is_null()).map(|it| (key.to_owned(), it)));
    }
    message
}

/// Returns the tokens of each response, in order of time; Goose keeps them from 1.46 on.
fn usage_ledger(rows: &dyn TableRows, id: &str) -> Result<Vec<TableRow>, TableError> {
    match rows.has_table("usage_ledger")? {
        true => rows.rows_where(("usage_ledger", "session_id"), id, "created_timestamp, id"),
        false => Ok(vec![]),
    }
}
