//! The columns of the tables: a chapter of `docs/export.md` is made of it.

use std::io;

use serde::Serialize;
use serde_json::Value;

use crate::cli::output::{Column as Cell, Out, Table as Printed};
use trajview_store::dataset::{Column, SCHEMA, Table, columns, described};

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    /// The schema that the metadata of the files names.
    tables_schema: &'static str,
    tables: Vec<Value>,
}

pub fn print(tables: &[Table], is_json: bool, out: &mut Out) -> io::Result<()> {
    if is_json {
        let tables = tables.iter().copied().map(described).collect();
        return out.json(&Document { schema: "trajview.columns/1", tables_schema: SCHEMA, tables });
    }
    let heads: [Cell<'_, Column>; 4] = [
        ("column", &|it| format!("`{}`", it.name)),
        ("type", &|it| it.kind.word().to_owned()),
        ("unit", &|it| it.unit.to_owned()),
        ("meaning", &|it| it.meaning.to_owned()),
    ];
    for (at, table) in tables.iter().copied().enumerate() {
        if at > 0 {
            out.line("")?;
        }
        out.line(&format!("### {}", table.word()))?;
        out.line("")?;
        out.line(table.about())?;
        out.line("")?;
        Printed::of(&heads, columns(table)).markdown(out)?;
    }
    Ok(())
}
