//! The block `lifelines` of a score: what became of the code of each component, turn by turn.

use std::io;

use crate::cli::output::{Json, Out, OutputTable, TableColumn, record};
use trajview_analysis::lifelines::component_lifelines;
use trajview_metrics::lifeline::{self, DefinitionPlace, Lifeline, SymbolLife, SymbolSource};
use trajview_run::{
    Run,
    rubric::{Judgement, Rubric},
};
use trajview_store::Archive;

/// Returns one row for each component, in the order of the checklist. None if no component is named. The error is a
/// sentence.
pub(crate) fn lifeline_rows(
    (run, archive): (&Run, &Archive),
    rubric: &Rubric,
    judgement: Option<&Judgement>,
) -> Result<Option<Vec<Json>>, String> {
    let requests = lifeline::components_to_follow(run, rubric, judgement);
    if requests.is_empty() {
        return Ok(None);
    }
    let lifelines = component_lifelines(archive, run, &requests, &|_, _| true)?;
    Ok(Some(lifelines.iter().map(lifeline_row).collect()))
}

/// Makes the row of a component. Turns count from 1; 0 is before the first.
fn lifeline_row(lifeline: &Lifeline) -> Json {
    let decides = |life: &SymbolLife| lifeline.deciding_symbols().any(|it| std::ptr::eq(it, life));
    record! {
        component: lifeline.component,
        // The turn in which the dialogue commits to it.
        committed: lifeline.committed,
        symbols: Json::list(&lifeline.symbols, |life| symbol_row(life, decides(life))),
        // The turn from which on none of the symbols that decide is in use or newly defined.
        lost_at: lifeline.lost_at,
    }
}

/// Makes the row of a symbol that represents a component; the loss of the component depends on it if it decides.
fn symbol_row(life: &SymbolLife, decides: bool) -> Json {
    let place = |place: &DefinitionPlace| {
        record! { name: place.name, path: place.path.to_string() }
    };
    record! {
        name: life.last_name(),
        // Null if it was never defined.
        path: life.place.as_ref().map(|place| place.path.to_string()),
        // `name`: the component's name has it; `evidence`: it contains lines of the verdict.
        from: match life.source {
            SymbolSource::Name => "name",
            SymbolSource::Evidence => "evidence",
        },
        decides: decides,
        first: life.first,
        // The last turn after which it was in use outside tests.
        last_used: life.last_used,
        unused_since: life.unused_since,
        vanished: life.vanished,
        renamed: Json::list(&life.moves, |it| {
            record! { turn: it.turn, from: place(&it.from), to: place(&it.to) }
        }),
        // At the end: `not defined yet`, `defined, not used yet`, `registered`, `in use`, `defined, no longer used` or `gone`.
        state: life.last_state().words(),
    }
}

/// Prints the components that were lost, by turn; nothing if none was.
pub(crate) fn print_lost_components(
    rows: &[Json],
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let mut lost: Vec<&Json> = rows.iter().filter(|row| !row.field("lost_at").is_null()).collect();
    if lost.is_empty() {
        return Ok(());
    }
    lost.sort_by_key(|row| row.count("lost_at"));
    let symbols = lost.iter().flat_map(|row| row.rows("symbols").iter().map(move |it| (*row, it)));
    let deciding: Vec<(&Json, &Json)> = symbols.filter(|(_, it)| it.flag("decides")).collect();
    let columns: [TableColumn<'_, (&Json, &Json)>; 5] = [
        ("component lost", &|(row, _)| row.cell("component")),
        (">in turn", &|(row, _)| row.cell("lost_at")),
        ("symbol", &|(_, it)| it.cell("name")),
        ("file", &|(_, it)| it.cell_or("path", "")),
        ("at the end", &|(_, it)| it.cell("state")),
    ];
    let table = OutputTable::from_rows(&columns, &deciding);
    out.print_line("")?;
    table.write_table(is_markdown, out)
}
