//! The columns of the tables: a chapter of `docs/export.md` is made of it.

use std::io;

use serde::Serialize;
use serde_json::Value;

use crate::cli::output::{Out, OutputTable as Printed, TableColumn as Cell};
use trajview_store::dataset::{DataColumn, DataTable, SCHEMA_VERSION, columns_json, table_columns};

#[derive(Serialize)]
struct ColumnsDocument {
    schema: &'static str,
    /// The schema that the metadata of the files names.
    tables_schema: &'static str,
    tables: Vec<Value>,
}

pub(crate) fn print_columns(tables: &[DataTable], is_json: bool, out: &mut Out) -> io::Result<()> {
    if is_json {
        let tables = tables.iter().copied().map(columns_json).collect();
        return out.print_json(&ColumnsDocument {
            schema: "trajview.columns/1",
            tables_schema: SCHEMA_VERSION,
            tables,
        });
    }
    let heads: [Cell<'_, DataColumn>; 4] = [
        ("column", &|it| format!("`{}`", it.name)),
        ("type", &|it| it.kind.word().to_owned()),
        ("unit", &|it| it.unit.to_owned()),
        ("meaning", &|it| it.meaning.to_owned()),
    ];
    for (at, table) in tables.iter().copied().enumerate() {
        if at > 0 {
            out.print_line("")?;
        }
        out.print_line(&format!("### {}", table.word()))?;
        out.print_line("")?;
        out.print_line(table.description())?;
        out.print_line("")?;
        Printed::from_rows(&heads, table_columns(table)).print_markdown(out)?;
    }
    Ok(())
}
