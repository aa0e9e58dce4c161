//! Conversations of Cursor's editor, in `state.vscdb`: `composerData:<id>` lists the messages,
//! `bubbleId:<id>:<message>` has each of them. They are put into lines of Cursor's transcripts.

use serde_json::{Value, json};

use crate::{
    json_object::JsonFields,
    session_tables::{SessionTables, TableError, TableRows, has_tables},
};

pub struct CursorTables;

/// The query for conversations that have messages; their content is not read.
const SESSIONS: &str = "select substr(key, 14) from cursorDiskKV c where key >= 'composerData:' and key < 'composerData;' \
    and exists (select 1 from cursorDiskKV b where b.key >= 'bubbleId:' || substr(c.key, 14) || ':' \
      and b.key < 'bubbleId:' || substr(c.key, 14) || ';') order by rowid";

impl SessionTables for CursorTables {
    fn sessions_query(&self, tables: &[String]) -> Option<String> {
        has_tables(tables, &["cursorDiskKV"]).then(|| SESSIONS.to_owned())
    }

    fn session_lines(&self, rows: &dyn TableRows, id: &str) -> Result<Vec<Value>, TableError> {
        conversation_lines(rows, id)
    }
}

/// Returns a header, then a message a line, in the order of the conversation.
fn conversation_lines(rows: &dyn TableRows, id: &str) -> Result<Vec<Value>, TableError> {
    let value = |key: String| -> Result<Option<Value>, TableError> {
        let found = rows.rows_where(("cursorDiskKV", "key"), &key, "rowid")?;
        let text = found.first().and_then(|row| row.text("value"));
        Ok(text.and_then(|text| serde_json::from_str(text).ok()))
    };
    let composer = value(format!("composerData:{id}"))?.unwrap_or_default();
    let listed = ["fullConversationHeadersOnly", "conversation"];
    let listed = listed.iter().find_map(|key| composer.list(key).filter(|it| !it.is_empty()));
    let mut lines = vec![json!({
        "role": "header",
        "message": { "content": [] },
        "composer": {
            "id": id,
            "name": composer.get("name"),
            "model": composer.pointer("/modelConfig/modelName"),
            "createdAt": composer.get("createdAt"),
        },
    })];
    for entry in listed.into_iter().flatten() {
        let bubble_id = entry.text("bubbleId");
        // The first versions have the messages in the list itself.
        let bubble = match bubble_id {
            Some(bubble_id) => {
                value(format!("bubbleId:{id}:{bubble_id}"))?.unwrap_or_else(|| entry.clone())
            }
            None => entry.clone(),
        };
        lines.push(message_line(&bubble));
    }
    Ok(lines)
}

fn message_line(bubble: &Value) -> Value {
    let is_user = bubble.integer("type") == Some(1);
    let mut content = vec![];
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let thought = text(bubble.pointer("/thinking/text"));
    if !thought.is_empty() {
        content.push(json!({ "type": "thinking", "thinking": thought }));
    }
    let message = text(bubble.get("text"));
    if !message.is_empty() {
        content.push(json!({ "type": "text", "text": message }));
    }
    if let Some(call) = bubble.get("toolFormerData").filter(|call| call.get("name").is_some()) {
        let id =
            call.get("toolCallId").or_else(|| bubble.get("bubbleId")).cloned().unwrap_or_default();
        let arguments = text(call.get("rawArgs").or_else(|| call.get("params")));
        let input: Value = serde_json::from_str(&arguments).unwrap_or_else(|_| arguments.into());
        content.push(
            json!({ "type": "tool_use", "id": id, "name": call.get("name"), "input": input }),
        );
        let status = text(call.get("status"));
        if call.get("result").is_some() || status == "error" {
            let result = text(call.get("result"));
            let error = text(call.get("error"));
            let result = if result.is_empty() { error } else { result };
            content.push(json!({
                "type": "tool_result", "tool_use_id": id, "content": result, "is_error": status == "error",
            }));
        }
    }
    json!({
        "role": if is_user { "user" } else { "assistant" },
        "message": { "content": content },
        "timestamp": bubble.get("createdAt"),
        "tokens": bubble.get("tokenCount"),
        "model": bubble.pointer("/modelInfo/modelName"),
    })
}
