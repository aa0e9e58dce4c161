//! Databases of sessions, read only, with what their writers have not put into the file yet (WAL): opencode's, Goose's, and
//! databases of spans. A session is given in the form that its format reads.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::{Map, Value, json};

use super::members::{MOST_MEMBERS, Members, Names};
use crate::store::disk;

pub struct Sessions {
    file: PathBuf,
    kind: Kind,
    names: Names,
    ids: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    OpenCode,
    Goose,
    Spans,
}

impl Sessions {
    pub fn open(file: &Path) -> Option<Self> {
        let base = connect(file).ok()?;
        let mut tables =
            base.prepare("select name from sqlite_master where type = 'table'").ok()?;
        let tables: Vec<String> = tables.query_map([], |row| row.get(0)).ok()?.flatten().collect();
        let has = |wanted: &[&str]| wanted.iter().all(|table| tables.iter().any(|it| it == table));
        let (kind, query) = if has(&["session", "message", "part"]) {
            (
                Kind::OpenCode,
                "select id from session where parent_id is null or parent_id not in (select id from session) order by time_created, id",
            )
        } else if has(&["spans", "span_attributes"]) {
            (Kind::Spans, SPANS_SESSIONS)
        } else if has(&["sessions", "messages"]) {
            (Kind::Goose, "select id from sessions order by created_at, id")
        } else {
            return None;
        };
        let mut ids = base.prepare(query).ok()?;
        let ids: Vec<String> = ids
            .query_map([], |row| Ok(text(row.get_ref(0)?)))
            .ok()?
            .flatten()
            .take(MOST_MEMBERS)
            .collect();
        let mut names = Names::default();
        ids.iter().for_each(|id| names.add(Some(id)));
        Some(Self { file: file.to_owned(), kind, names, ids })
    }
}

/// The traces that an agent's span holds together, by their conversation; where no span does, the conversations there are.
const SPANS_SESSIONS: &str = "select coalesce(max(a.value), s.trace_id) from spans s \
    left join span_attributes a on a.span_id = s.span_id and a.key = 'gen_ai.conversation.id' \
    where exists (select 1 from span_attributes o where o.span_id = s.span_id and o.key = 'gen_ai.operation.name' \
      and (o.value = 'invoke_agent' or (o.value = 'chat' and not exists (select 1 from span_attributes i where i.key = 'gen_ai.operation.name' and i.value = 'invoke_agent')))) \
    group by s.trace_id order by min(s.start_time_ms)";

/// Nothing is repaired or written back. A database that somebody else writes is read as it stands.
fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let file = disk::local(file).map_err(|_| rusqlite::Error::InvalidPath(file.to_owned()))?;
    let file = &*file;
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|meta| meta.len() > 0) {
        // Its writer has more than the file holds: both are read, as its other readers do.
        let base = Connection::open_with_flags(file, flags)?;
        base.busy_timeout(std::time::Duration::from_millis(500))?;
        return Ok(base);
    }
    // Else nothing is made beside it, not even for a moment.
    let path = file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let uri = format!("file:{path}?immutable=1");
    Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
}

fn text(value: ValueRef<'_>) -> String {
    match json_of(value) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn json_of(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => format!("[{} bytes]", bytes.len()).into(),
    }
}

/// The rows of a query as objects.
fn rows(base: &Connection, query: &str, id: &str) -> rusqlite::Result<Vec<Map<String, Value>>> {
    let mut query = base.prepare(query)?;
    let columns: Vec<String> = query.column_names().map(str::to_owned).collect();
    let found = query.query_map([id], |row| {
        let mut all = Map::new();
        for (at, name) in columns.iter().enumerate() {
            all.insert(name.clone(), json_of(row.get_ref(at)?));
        }
        Ok(all)
    })?;
    found.collect()
}

/// What a column of JSON holds, with what its row says beside.
fn data_of(row: &Map<String, Value>) -> Map<String, Value> {
    let data =
        row.get("data").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    let mut data = match data {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    for key in ["id", "sessionID", "messageID"] {
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

/// As `opencode export` writes it; the sessions of sub-agents follow with their names.
fn opencode(base: &Connection, id: &str) -> rusqlite::Result<Value> {
    let session = rows(base, "select * from session where id = ?1", id)?
        .into_iter()
        .next()
        .unwrap_or_default();
    let mut info = data_of(&session);
    for key in ["directory", "title", "version", "slug"] {
        if let Some(value) = session.get(key) {
            info.entry(key).or_insert_with(|| value.clone());
        }
    }
    let time =
        json!({ "created": session.get("time_created"), "updated": session.get("time_updated") });
    info.entry("time").or_insert(time);
    let mut messages = vec![];
    let mut open = vec![(id.to_owned(), false)];
    let mut seen = std::collections::HashSet::new();
    while let Some((session, is_child)) = open.pop() {
        if !seen.insert(session.clone()) {
            continue;
        }
        let mut parts: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for row in rows(
            base,
            "select * from part where session_id = ?1 order by time_created, id",
            &session,
        )? {
            let message =
                row.get("message_id").and_then(Value::as_str).unwrap_or_default().to_owned();
            parts.entry(message).or_default().push(data_of(&row).into());
        }
        for row in rows(
            base,
            "select * from message where session_id = ?1 order by time_created, id",
            &session,
        )? {
            let id = row.get("id").and_then(Value::as_str).unwrap_or_default();
            let mut message = Map::new();
            message.insert("parts".into(), parts.remove(id).unwrap_or_default().into());
            message.insert("info".into(), data_of(&row).into());
            if is_child {
                message.insert("agent_session".into(), session.clone().into());
            }
            messages.push(Value::Object(message));
        }
        let children = rows(
            base,
            "select id from session where parent_id = ?1 order by time_created desc",
            &session,
        )?;
        open.extend(
            children
                .into_iter()
                .filter_map(|row| Some((row.get("id")?.as_str()?.to_owned(), true))),
        );
    }
    Ok(json!({ "info": info, "messages": messages }))
}

/// A header and a message a line.
fn goose(base: &Connection, id: &str) -> rusqlite::Result<Vec<Value>> {
    let session = rows(base, "select * from sessions where id = ?1", id)?
        .into_iter()
        .next()
        .unwrap_or_default();
    let mut header = Map::new();
    for (key, value) in session {
        let parsed = value
            .as_str()
            .filter(|text| text.starts_with(['{', '[']))
            .and_then(|text| serde_json::from_str(text).ok());
        header.insert(key.trim_end_matches("_json").to_owned(), parsed.unwrap_or(value));
    }
    header.insert("goose".into(), true.into());
    let mut lines = vec![Value::Object(header)];
    let mut usage = usage_ledger(base, id)?.into_iter().peekable();
    let mut last_message = Value::Null;
    for row in rows(base, "select * from messages where session_id = ?1 order by id", id)? {
        let content =
            row.get("content_json").or_else(|| row.get("content")).and_then(Value::as_str);
        let content: Value =
            content.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let created = row.get("created_timestamp").or_else(|| row.get("timestamp"));
        // The pieces of a message that was stored while it arrived have its id.
        let message = row.get("message_id").cloned().unwrap_or_default();
        let is_piece = !message.is_null() && message == last_message;
        last_message = message;
        if let (true, Some(last), Value::Array(more)) = (is_piece, lines.last_mut(), &content)
            && last.get("role") == row.get("role")
            && let Some(Value::Array(blocks)) = last.get_mut("content")
        {
            blocks.extend(more.iter().cloned());
            continue;
        }
        let seconds =
            |row: &Map<String, Value>| row.get("created_timestamp").and_then(Value::as_i64);
        let is_asked = row.get("role").and_then(Value::as_str) == Some("user");
        // What was used before a request belongs to the turn before.
        while is_asked && let Some(used) = usage.next_if(|used| seconds(used) < seconds(&row)) {
            lines.push(json!({ "usage_ledger": used }));
        }
        lines.push(json!({ "role": row.get("role"), "content": content, "created": created }));
    }
    lines.extend(usage.map(|used| json!({ "usage_ledger": used })));
    Ok(lines)
}

/// What each response used, in order of time; Goose keeps it from 1.46 on.
fn usage_ledger(base: &Connection, id: &str) -> rusqlite::Result<Vec<Map<String, Value>>> {
    let is_kept =
        base.prepare("select 1 from pragma_table_info('usage_ledger') limit 1")?.exists([])?;
    if !is_kept {
        return Ok(vec![]);
    }
    rows(
        base,
        "select * from usage_ledger where session_id = ?1 order by created_timestamp, id",
        id,
    )
}

/// A span a line, attributes by their names.
fn spans(base: &Connection, id: &str) -> rusqlite::Result<Vec<Value>> {
    let query = "select * from spans where trace_id in (select s.trace_id from spans s left join span_attributes a \
        on a.span_id = s.span_id and a.key = 'gen_ai.conversation.id' where a.value = ?1 or s.trace_id = ?1) \
        order by start_time_ms, span_id";
    let mut lines = vec![];
    for mut span in rows(base, query, id)? {
        let own = span.get("span_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut attributes = Map::new();
        for row in rows(base, "select key, value from span_attributes where span_id = ?1", &own)? {
            if let (Some(Value::String(key)), Some(value)) = (row.get("key"), row.get("value")) {
                attributes.insert(key.clone(), value.clone());
            }
        }
        span.retain(|_, value| !value.is_null());
        span.insert("attributes".into(), attributes.into());
        lines.push(Value::Object(span));
    }
    Ok(lines)
}

impl Members for Sessions {
    fn names(&self) -> &Names {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let id = &self.ids[at];
        let read = || -> rusqlite::Result<Vec<Value>> {
            let base = connect(&self.file)?;
            Ok(match self.kind {
                Kind::OpenCode => vec![opencode(&base, id)?],
                Kind::Goose => goose(&base, id)?,
                Kind::Spans => spans(&base, id)?,
            })
        };
        let values = read()
            .map_err(|why| io::Error::other(format!("the database cannot be read: {why}")))?;
        let mut out = vec![];
        for value in values {
            serde_json::to_writer(&mut out, &value)?;
            out.push(b'\n');
        }
        Ok(crate::store::bytes::read_within(&out[..], most))
    }
}
