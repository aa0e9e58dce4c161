//! The block `lifelines` of a score: what became of the code of each component, turn by turn.

use std::io;

use serde::Serialize;

use crate::cli::output::{Out, OutputTable};
use trajview_analysis::lifelines::component_lifelines;
use trajview_metrics::lifeline::{
    self, DefinitionPlace, Lifeline, SymbolLife, SymbolMove, SymbolSource,
};
use trajview_run::{
    Run,
    rubric::{Judgement, Rubric},
};
use trajview_store::Archive;

/// One component. Turns count from 1; 0 is before the first. Absent values are null.
#[derive(Serialize)]
pub struct LifelineRow {
    component: String,
    /// The turn in which the dialogue commits to it.
    committed: Option<usize>,
    symbols: Vec<LifelineSymbolRow>,
    /// The turn from which on none of the symbols that decide is in use or newly defined.
    lost_at: Option<usize>,
}

/// A symbol that represents a component.
#[derive(Serialize)]
struct LifelineSymbolRow {
    name: String,
    /// Null if it was never defined.
    path: Option<String>,
    /// `name`: the component's name has it; `evidence`: it contains lines of the verdict.
    from: &'static str,
    /// True if the loss of the component depends on it.
    decides: bool,
    first: Option<usize>,
    /// The last turn after which it was in use outside tests.
    last_used: Option<usize>,
    unused_since: Option<usize>,
    vanished: Option<usize>,
    renamed: Vec<SymbolMoveRow>,
    /// At the end: `not defined yet`, `defined, not used yet`, `registered`, `in use`, `defined, no longer used` or `gone`.
    state: &'static str,
}

#[derive(Serialize)]
struct SymbolMoveRow {
    turn: usize,
    from: SymbolPlaceRow,
    to: SymbolPlaceRow,
}

#[derive(Serialize)]
struct SymbolPlaceRow {
    name: String,
    path: String,
}

/// Returns one row for each component, in the order of the checklist. None if no component is named. The error is a
/// sentence.
pub(crate) fn lifeline_rows(
    (run, archive): (&Run, &Archive),
    rubric: &Rubric,
    judgement: Option<&Judgement>,
) -> Result<Option<Vec<LifelineRow>>, String> {
    let requests = lifeline::components_to_follow(run, rubric, judgement);
    if requests.is_empty() {
        return Ok(None);
    }
    let lifelines = component_lifelines(archive, run, &requests, &|_, _| true)?;
    Ok(Some(lifelines.iter().map(lifeline_row).collect()))
}

fn lifeline_row(lifeline: &Lifeline) -> LifelineRow {
    let decides = |life: &SymbolLife| lifeline.deciding_symbols().any(|it| std::ptr::eq(it, life));
    LifelineRow {
        component: lifeline.component.clone(),
        committed: lifeline.committed,
        symbols: lifeline.symbols.iter().map(|life| symbol_row(life, decides(life))).collect(),
        lost_at: lifeline.lost_at,
    }
}

fn symbol_row(life: &SymbolLife, decides: bool) -> LifelineSymbolRow {
    LifelineSymbolRow {
        name: life.last_name().to_owned(),
        path: life.place.as_ref().map(|place| place.path.to_string()),
        from: match life.source {
            SymbolSource::Name => "name",
            SymbolSource::Evidence => "evidence",
        },
        decides,
        first: life.first,
        last_used: life.last_used,
        unused_since: life.unused_since,
        vanished: life.vanished,
        renamed: life.moves.iter().map(move_row).collect(),
        state: life.last_state().words(),
    }
}

fn move_row(it: &SymbolMove) -> SymbolMoveRow {
    let place = |place: &DefinitionPlace| SymbolPlaceRow {
        name: place.name.to_string(),
        path: place.path.to_string(),
    };
    SymbolMoveRow { turn: it.turn, from: place(&it.from), to: place(&it.to) }
}

/// Prints the components that were lost, by turn; nothing if none was.
pub(crate) fn print_lost_components(
    rows: &[LifelineRow],
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let mut lost: Vec<&LifelineRow> = rows.iter().filter(|row| row.lost_at.is_some()).collect();
    if lost.is_empty() {
        return Ok(());
    }
    lost.sort_by_key(|row| row.lost_at);
    let mut table =
        OutputTable::new(&["component lost", ">in turn", "symbol", "file", "at the end"]);
    for row in lost {
        let turn = row.lost_at.map(|turn| turn.to_string()).unwrap_or_default();
        for symbol in row.symbols.iter().filter(|symbol| symbol.decides) {
            table.add_row(vec![
                row.component.clone(),
                turn.clone(),
                symbol.name.clone(),
                symbol.path.clone().unwrap_or_default(),
                symbol.state.to_owned(),
            ]);
        }
    }
    out.print_line("")?;
    table.write_table(is_markdown, out)
}
