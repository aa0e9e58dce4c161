//! opencode's database, in the form of `opencode export`.
//!
//! There are two generations of it. The first has the messages of a session in `message`, and their parts in `part`.
//! The second has them in `session_message`, each with all its content, and its sessions in `session`, or in
//! `session_v2` beside those of the first. A database that was upgraded has both; a message of a session that is in
//! both is taken once.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

use crate::{
    json_object::JsonFields,
    session_tables::{SessionTables, TableColumn, TableError, TableRow, TableRows, has_tables},
};

pub struct OpenCodeTables;

impl SessionTables for OpenCodeTables {
    /// Returns the query for the sessions that no other one started.
    fn sessions_query(&self, tables: &[String]) -> Option<String> {
        let has = |wanted: &[&str]| has_tables(tables, wanted);
        if !has(&["message", "part"]) && !has(&["session_message"]) {
            return None;
        }
        let tables_here: Vec<&str> = SESSIONS.into_iter().filter(|table| has(&[table])).collect();
        let all = |columns: &str| {
            let selects = tables_here.iter().map(|table| format!("select {columns} from {table}"));
            selects.collect::<Vec<_>>().join(" union all ")
        };
        let (ids, rows) = (all("id"), all("id, parent_id, time_created"));
        let query = format!(
            "select id from ({rows}) where parent_id is null or parent_id not in ({ids}) \
             group by id order by min(time_created), id"
        );
        (!tables_here.is_empty()).then_some(query)
    }

    fn has_session(&self, rows: &dyn TableRows, id: &str) -> Result<bool, TableError> {
        let is_known = !session_rows(rows, "id", id)?.is_empty();
        Ok(is_known && !messages_of(rows, id)?.is_empty())
    }

    fn session_lines(&self, rows: &dyn TableRows, id: &str) -> Result<Vec<Value>, TableError> {
        Ok(vec![export_session(rows, id)?])
    }
}

/// The tables that sessions are in.
const SESSIONS: [&str; 2] = ["session", "session_v2"];

/// Returns the rows of a table with a value in a column; none where there is no such table.
fn rows_if_table(
    rows: &dyn TableRows,
    key: TableColumn,
    value: &str,
    order: &str,
) -> Result<Vec<TableRow>, TableError> {
    if rows.has_table(key.0)? { rows.rows_where(key, value, order) } else { Ok(vec![]) }
}

/// Returns the rows of all tables that sessions are in.
fn session_rows(
    rows: &dyn TableRows,
    column: &'static str,
    value: &str,
) -> Result<Vec<TableRow>, TableError> {
    let mut all = vec![];
    for table in SESSIONS {
        all.extend(rows_if_table(rows, (table, column), value, "time_created desc")?);
    }
    Ok(all)
}

/// Returns the JSON of a row's data column, together with the other columns of the row.
fn row_data(row: &TableRow) -> Map<String, Value> {
    let data = row.text("data").and_then(|text| serde_json::from_str(text).ok());
    let mut data = match data {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    for key in ["id", "sessionID", "messageID", "type"] {
        let column = match key {
            "sessionID" => "session_id",
            "messageID" => "message_id",
            key => key,
        };
        if let Some(value) = row.get(column) {
            data.entry(key).or_insert_with(|| value.clone());
        }
    }
    data
}

/// Returns a session in the form of `opencode export`, followed by the sessions of its sub-agents with their names.
fn export_session(rows: &dyn TableRows, id: &str) -> Result<Value, TableError> {
    let sessions = session_rows(rows, "id", id)?;
    let mut info = sessions.first().map(row_data).unwrap_or_default();
    for session in &sessions {
        for key in ["directory", "title", "version", "slug"] {
            if let Some(value) = session.get(key).filter(|value| !value.is_null()) {
                info.entry(key).or_insert_with(|| value.clone());
            }
        }
        let time = json!({ "created": session.get("time_created"), "updated": session.get("time_updated") });
        info.entry("time").or_insert(time);
        info.extend(session_totals(session));
    }
    let mut messages = vec![];
    let mut open = vec![(id.to_owned(), false)];
    let mut seen = HashSet::new();
    while let Some((session, is_child)) = open.pop() {
        if !seen.insert(session.clone()) {
            continue;
        }
        for OpencodeMessage { mut content, .. } in messages_of(rows, &session)? {
            if is_child {
                content.insert("agent_session".into(), session.clone().into());
            }
            messages.push(Value::Object(content));
        }
        let children = session_rows(rows, "parent_id", &session)?;
        open.extend(
            children.into_iter().filter_map(|row| Some((row.text("id")?.to_owned(), true))),
        );
    }
    Ok(json!({ "info": info, "messages": messages }))
}

/// Returns tokens and cost of the whole session, where its row has them.
fn session_totals(session: &TableRow) -> Map<String, Value> {
    let mut totals = Map::new();
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

/// A message of either generation, as it is exported.
struct OpencodeMessage {
    time: i64,
    /// True if it is a message of the user or the agent; else it is about the session.
    is_conversation: bool,
    content: Map<String, Value>,
}

/// Returns the messages of a session. Where both generations have some from the same time, those of the one that has
/// more of them count, of the first where they have as many: it has more of each. Those of the other from before and
/// after are added.
fn messages_of(rows: &dyn TableRows, session: &str) -> Result<Vec<OpencodeMessage>, TableError> {
    let (first, second) = (first_generation(rows, session)?, second_generation(rows, session)?);
    let within = |of: &[OpencodeMessage], span: Option<(i64, i64)>| {
        let is_within = |message: &&OpencodeMessage| {
            message.is_conversation
                && span.is_some_and(|(from, to)| (from..=to).contains(&message.time))
        };
        of.iter().filter(is_within).count()
    };
    let (of_first, of_second) = (time_span(&first), time_span(&second));
    let has_more = within(&second, of_first) > within(&first, of_second);
    let (mut all, added) =
        if has_more || first.is_empty() { (second, first) } else { (first, second) };
    let covered = time_span(&all);
    let is_outside = |message: &OpencodeMessage| {
        covered.is_none_or(|(from, to)| !(from..=to).contains(&message.time))
    };
    let added: Vec<OpencodeMessage> = added.into_iter().filter(is_outside).collect();
    if !added.is_empty() {
        all.extend(added);
        all.sort_by_key(|message| message.time);
    }
    Ok(all)
}

/// Returns the times of the first and the last message of the conversation.
fn time_span(messages: &[OpencodeMessage]) -> Option<(i64, i64)> {
    let times =
        || messages.iter().filter(|message| message.is_conversation).map(|message| message.time);
    Some((times().min()?, times().max()?))
}

fn time_of(row: &TableRow) -> i64 {
    row.integer("time_created").unwrap_or_default()
}

fn first_generation(
    rows: &dyn TableRows,
    session: &str,
) -> Result<Vec<OpencodeMessage>, TableError> {
    let mut parts: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in rows_if_table(rows, ("part", "session_id"), session, "time_created, id")? {
        let message = row.text("message_id").unwrap_or_default().to_owned();
        parts.entry(message).or_default().push(row_data(&row).into());
    }
    let mut messages = vec![];
    for row in rows_if_table(rows, ("message", "session_id"), session, "time_created, id")? {
        let id = row.text("id").unwrap_or_default();
        let mut content = Map::new();
        content.insert("parts".into(), parts.remove(id).unwrap_or_default().into());
        content.insert("info".into(), row_data(&row).into());
        messages.push(OpencodeMessage { time: time_of(&row), is_conversation: true, content });
    }
    Ok(messages)
}

fn second_generation(
    rows: &dyn TableRows,
    session: &str,
) -> Result<Vec<OpencodeMessage>, TableError> {
    let rows =
        rows_if_table(rows, ("session_message", "session_id"), session, "seq, time_created, id")?;
    let messages = rows.into_iter().map(|row| {
        let kind = row.text("type").unwrap_or_default();
        let is_conversation = matches!(kind, "user" | "assistant");
        OpencodeMessage { time: time_of(&row), is_conversation, content: row_data(&row) }
    });
    Ok(messages.collect())
}
