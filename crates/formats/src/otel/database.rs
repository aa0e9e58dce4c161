//! Databases of spans: a conversation, or a trace of none, is a session.

use serde_json::{Map, Value};

use crate::{
    json_object::JsonFields,
    session_tables::{SessionTables, TableError, TableRow, TableRows, has_tables},
};

pub struct SpanTables;

/// The traces that an agent's span groups, by their conversation; where no span does, the conversations there
/// are.
const SESSIONS: &str = "select coalesce(max(a.value), s.trace_id) from spans s \
    left join span_attributes a on a.span_id = s.span_id and a.key = 'gen_ai.conversation.id' \
    where s.span_id in (select o.span_id from span_attributes o where o.key = 'gen_ai.operation.name' \
      and (o.value = 'invoke_agent' or (o.value = 'chat' and not exists (select 1 from span_attributes i where i.key = 'gen_ai.operation.name' and i.value = 'invoke_agent')))) \
    group by s.trace_id order by min(s.start_time_ms)";

/// The conversations that spans name, each with its traces.
const TRACES: &str = "select distinct a.value, s.trace_id from span_attributes a \
    join spans s on s.span_id = a.span_id where a.key = 'gen_ai.conversation.id'";

impl SessionTables for SpanTables {
    fn sessions_query(&self, tables: &[String]) -> Option<String> {
        has_tables(tables, &["spans", "span_attributes"]).then(|| SESSIONS.to_owned())
    }

    /// Returns a span a line, attributes by their names.
    fn session_lines(&self, rows: &dyn TableRows, id: &str) -> Result<Vec<Value>, TableError> {
        let mut traces = rows.values_by_first(TRACES, id)?;
        traces.push(id.to_owned());
        traces.sort();
        traces.dedup();
        let mut spans: Vec<TableRow> = vec![];
        for trace in traces {
            spans.extend(rows.rows_where(
                ("spans", "trace_id"),
                &trace,
                "start_time_ms, span_id",
            )?);
        }
        let start = |span: &TableRow| span.float("start_time_ms").unwrap_or(f64::MIN);
        let span_id = |span: &TableRow| span.text("span_id").unwrap_or_default().to_owned();
        spans.sort_by(|a, b| {
            start(a).total_cmp(&start(b)).then_with(|| span_id(a).cmp(&span_id(b)))
        });
        let mut lines = vec![];
        for mut span in spans {
            let mut attributes = Map::new();
            for row in rows.rows_where(("span_attributes", "span_id"), &span_id(&span), "key")? {
                if let (Some(key), Some(value)) = (row.text("key"), row.get("value")) {
                    attributes.insert(key.to_owned(), value.clone());
                }
            }
            span.retain(|_, value| !value.is_null());
            span.insert("attributes".into(), attributes.into());
            lines.push(Value::Object(span));
        }
        Ok(lines)
    }
}
