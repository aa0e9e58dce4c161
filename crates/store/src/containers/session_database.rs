//! Databases of sessions, read only, with what their writers have not put into the file yet (WAL): opencode's, Goose's,
//! those of Cursor's editor, and databases of spans, Kiro's. A session is given in the form that its format reads.

use std::{io, path::Path};

use serde_json::{Map, Value, json};

use trajview_formats::goose;

use super::{
    cursor_ide,
    members::{MOST_MEMBERS, MemberNames, Members},
    opencode,
    sqlite_tables::{DatabaseFile, OpenDatabase, value_text},
};

pub struct SessionDatabase {
    source: DatabaseFile,
    kind: DatabaseKind,
    names: MemberNames,
    ids: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DatabaseKind {
    OpenCode,
    Goose,
    Spans,
    Cursor,
    Kiro,
}

impl SessionDatabase {
    pub fn open(file: &Path) -> Option<Self> {
        let source = DatabaseFile::new(file);
        let base = source.connect().ok()?;
        let mut tables =
            base.prepare("select name from sqlite_master where type = 'table'").ok()?;
        let tables: Vec<String> = tables.query_map([], |row| row.get(0)).ok()?.flatten().collect();
        let has = |wanted: &[&str]| wanted.iter().all(|table| tables.iter().any(|it| it == table));
        let (kind, query) = if let Some(query) = opencode::sessions_query(&tables) {
            (DatabaseKind::OpenCode, query)
        } else if has(&["cursorDiskKV"]) {
            (DatabaseKind::Cursor, CURSOR.to_owned())
        } else if has(&["conversations_v2"]) {
            (
                DatabaseKind::Kiro,
                "select conversation_id from conversations_v2 order by created_at, conversation_id"
                    .to_owned(),
            )
        } else if has(&["spans", "span_attributes"]) {
            (DatabaseKind::Spans, SPANS_SESSIONS.to_owned())
        } else if has(&["sessions", "messages"]) {
            (DatabaseKind::Goose, "select id from sessions order by created_at, id".to_owned())
        } else {
            return None;
        };
        let mut ids = base.prepare(&query).ok()?;
        let ids: Vec<String> = ids
            .query_map([], |row| Ok(value_text(row.get_ref(0)?)))
            .ok()?
            .flatten()
            .take(MOST_MEMBERS)
            .collect();
        let mut names = MemberNames::default();
        ids.iter().for_each(|id| names.add_row(Some(id)));
        Some(Self { source, kind, names, ids })
    }
}

/// The query for conversations of Cursor's editor that have messages; their content is not read.
const CURSOR: &str = "select substr(key, 14) from cursorDiskKV c where key >= 'composerData:' and key < 'composerData;' \
    and exists (select 1 from cursorDiskKV b where b.key >= 'bubbleId:' || substr(c.key, 14) || ':' \
      and b.key < 'bubbleId:' || substr(c.key, 14) || ';') order by rowid";

/// The traces that an agent's span groups, by their conversation; where no span does, the conversations there
/// are.
const SPANS_SESSIONS: &str = "select coalesce(max(a.value), s.trace_id) from spans s \
    left join span_attributes a on a.span_id = s.span_id and a.key = 'gen_ai.conversation.id' \
    where s.span_id in (select o.span_id from span_attributes o where o.key = 'gen_ai.operation.name' \
      and (o.value = 'invoke_agent' or (o.value = 'chat' and not exists (select 1 from span_attributes i where i.key = 'gen_ai.operation.name' and i.value = 'invoke_agent')))) \
    group by s.trace_id order by min(s.start_time_ms)";

/// Returns a header and a message a line.
fn goose_lines(base: &OpenDatabase, id: &str) -> rusqlite::Result<Vec<Value>> {
    let session =
        base.rows_where(("sessions", "id"), id, "id")?.into_iter().next().unwrap_or_default();
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
    let mut messages = vec![];
    for row in base.rows_where(("messages", "session_id"), id, "id")? {
        let json = |key: &str| {
            let text = row.get(key).and_then(Value::as_str)?;
            serde_json::from_str::<Value>(text).ok()
        };
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
        messages.push(message);
    }
    let mut usage = usage_ledger(base, id)?.into_iter().peekable();
    for message in goose::join_pieces(messages) {
        let is_request = message.get("role").and_then(Value::as_str) == Some("user");
        let asked_at = message.get("created").and_then(Value::as_i64);
        let at = |used: &Map<String, Value>| used.get("created_timestamp").and_then(Value::as_i64);
        // What was used before a request belongs to the turn before.
        while is_request && let Some(used) = usage.next_if(|used| at(used) < asked_at) {
            lines.push(json!({ "usage_ledger": used }));
        }
        lines.push(Value::Object(message));
    }
    lines.extend(usage.map(|used| json!({ "usage_ledger": used })));
    Ok(lines)
}

/// Returns the tokens of each response, in order of time; Goose keeps them from 1.46 on.
fn usage_ledger(base: &OpenDatabase, id: &str) -> rusqlite::Result<Vec<Map<String, Value>>> {
    match base.has_table("usage_ledger")? {
        true => base.rows_where(("usage_ledger", "session_id"), id, "created_timestamp, id"),
        false => Ok(vec![]),
    }
}

/// Returns a conversation as Kiro saves it, with the folder that it is of.
fn kiro_lines(base: &OpenDatabase, id: &str) -> rusqlite::Result<Vec<Value>> {
    let row = base
        .rows_where(("conversations_v2", "conversation_id"), id, "created_at")?
        .into_iter()
        .next();
    let row = row.unwrap_or_default();
    let value = row.get("value").and_then(Value::as_str).unwrap_or_default();
    let mut conversation: Map<String, Value> = serde_json::from_str(value).unwrap_or_default();
    conversation.entry("conversation_id").or_insert_with(|| id.into());
    conversation.entry("history").or_insert_with(|| json!([]));
    conversation.extend(row.get("key").map(|folder| ("trajview:cwd".to_owned(), folder.clone())));
    Ok(vec![Value::Object(conversation)])
}

/// Returns a span a line, attributes by their names.
fn span_lines(base: &OpenDatabase, id: &str) -> rusqlite::Result<Vec<Value>> {
    let mut traces = base.traces_of(id)?;
    traces.push(id.to_owned());
    traces.sort();
    traces.dedup();
    let mut spans = vec![];
    for trace in traces {
        spans.extend(base.rows_where(("spans", "trace_id"), &trace, "start_time_ms, span_id")?);
    }
    let start = |span: &Map<String, Value>| span.get("start_time_ms").and_then(Value::as_f64);
    let own_spans = |span: &Map<String, Value>| {
        span.get("span_id").and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    spans.sort_by(|a, b| {
        let (first, second) = (start(a).unwrap_or(f64::MIN), start(b).unwrap_or(f64::MIN));
        first.total_cmp(&second).then_with(|| own_spans(a).cmp(&own_spans(b)))
    });
    let mut lines = vec![];
    for mut span in spans {
        let mut attributes = Map::new();
        for row in base.rows_where(("span_attributes", "span_id"), &own_spans(&span), "key")? {
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

impl Members for SessionDatabase {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn has_session(&self, id: &str) -> bool {
        let has = || opencode::has_session(&self.source.open_database().ok()?, id).ok();
        self.kind == DatabaseKind::OpenCode && has().unwrap_or(false)
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let id = &self.ids[at];
        let read = || -> rusqlite::Result<Vec<Value>> {
            let base = self.source.open_database()?;
            Ok(match self.kind {
                DatabaseKind::OpenCode => vec![opencode::export_session(&base, id)?],
                DatabaseKind::Goose => goose_lines(&base, id)?,
                DatabaseKind::Spans => span_lines(&base, id)?,
                DatabaseKind::Cursor => cursor_ide::conversation_lines(&base, id)?,
                DatabaseKind::Kiro => kiro_lines(&base, id)?,
            })
        };
        let values = read()
            .map_err(|why| io::Error::other(format!("the database cannot be read: {why}")))?;
        let mut out = vec![];
        for value in values {
            serde_json::to_writer(&mut out, &value)?;
            out.push(b'\n');
        }
        Ok(crate::file_bytes::read_within(&out[..], most))
    }
}
