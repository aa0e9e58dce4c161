//! Kiro's database, `data.sqlite3`: a conversation a row, as Kiro saves it.

use serde_json::{Map, Value, json};

use crate::{
    json_object::JsonFields,
    session_tables::{SessionTables, TableError, TableRows, has_tables},
};

pub struct KiroTables;

impl SessionTables for KiroTables {
    fn sessions_query(&self, tables: &[String]) -> Option<String> {
        let query =
            "select conversation_id from conversations_v2 order by created_at, conversation_id";
        has_tables(tables, &["conversations_v2"]).then(|| query.to_owned())
    }

    /// Returns a conversation with the folder that it is of.
    fn session_lines(&self, rows: &dyn TableRows, id: &str) -> Result<Vec<Value>, TableError> {
        let found = rows.rows_where(("conversations_v2", "conversation_id"), id, "created_at")?;
        let row = found.into_iter().next().unwrap_or_default();
        let value = row.text("value").unwrap_or_default();
        let mut conversation: Map<String, Value> = serde_json::from_str(value).unwrap_or_default();
        conversation.entry("conversation_id").or_insert_with(|| id.into());
        conversation.entry("history").or_insert_with(|| json!([]));
        conversation
            .extend(row.get("key").map(|folder| ("trajview:cwd".to_owned(), folder.clone())));
        Ok(vec![Value::Object(conversation)])
    }
}
