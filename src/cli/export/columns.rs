//! The columns of the tables: a chapter of `docs/export.md` is made of it.

use std::io;

use crate::cli::output::{Out, OutputTable as Printed, TableColumn as Cell, record};
use trajview_store::dataset::{ColumnChoice, DataColumn, SCHEMA_VERSION};

pub(crate) fn print_columns(
    tables: &[ColumnChoice],
    is_json: bool,
    out: &mut Out,
) -> io::Result<()> {
    if is_json {
        return out.print_json(&record! {
            schema: "trajview.columns/1",
            // The schema that the metadata of the files names.
            tables_schema: SCHEMA_VERSION,
            tables: tables.iter().map(ColumnChoice::to_json).collect::<Vec<_>>(),
        });
    }
    let heads: [Cell<'_, DataColumn>; 4] = [
        ("column", &|it| format!("`{}`", it.name)),
        ("type", &|it| it.kind.word().to_owned()),
        ("unit", &|it| it.unit.to_owned()),
        ("meaning", &|it| it.meaning.to_owned()),
    ];
    for (at, choice) in tables.iter().enumerate() {
        if at > 0 {
            out.print_line("")?;
        }
        out.print_line(&format!("### {}", choice.table().word()))?;
        out.print_line("")?;
        out.print_line(choice.table().description())?;
        out.print_line("")?;
        Printed::from_rows(&heads, choice.columns()).print_markdown(out)?;
    }
    Ok(())
}
