//! The block `lifelines` of a score: what became of the code of each component, turn by turn.

use std::io;

use serde::Serialize;

use crate::cli::output::{Out, Table};
use trajview_metrics::lifeline::{self, Lifeline, Move, Place, Source, State, SymbolLife};
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
    symbols: Vec<SymbolRow>,
    /// The turn from which on none of the symbols that decide is in use or newly defined.
    lost_at: Option<usize>,
}

/// A symbol that stands for a component.
#[derive(Serialize)]
struct SymbolRow {
    name: String,
    /// Null where it was never defined.
    path: Option<String>,
    /// `name`: the component's name gives it; `evidence`: lines of the verdict lie in it.
    from: &'static str,
    /// Whether the loss of the component hangs on it.
    decides: bool,
    first: Option<usize>,
    /// The last turn after which it was in use outside tests.
    last_used: Option<usize>,
    unused_since: Option<usize>,
    vanished: Option<usize>,
    renamed: Vec<MoveRow>,
    /// At the end: `not defined yet`, `defined, not used yet`, `registered`, `in use`, `defined, no longer used` or `gone`.
    state: &'static str,
}

#[derive(Serialize)]
struct MoveRow {
    turn: usize,
    from: PlaceRow,
    to: PlaceRow,
}

#[derive(Serialize)]
struct PlaceRow {
    name: String,
    path: String,
}

/// One row a component, in the order of the checklist; None where nothing names any. The error is a sentence.
pub fn rows(
    (run, archive): (&Run, &Archive),
    rubric: &Rubric,
    judgement: Option<&Judgement>,
) -> Result<Option<Vec<LifelineRow>>, String> {
    let asked = lifeline::asked(run, rubric, judgement);
    if asked.is_empty() {
        return Ok(None);
    }
    let told = archive.lifelines(run, &asked, &|_, _| true)?;
    Ok(Some(told.iter().map(row).collect()))
}

fn row(lifeline: &Lifeline) -> LifelineRow {
    let decides = |life: &SymbolLife| lifeline.deciding().any(|it| std::ptr::eq(it, life));
    LifelineRow {
        component: lifeline.component.clone(),
        committed: lifeline.committed,
        symbols: lifeline.symbols.iter().map(|life| symbol(life, decides(life))).collect(),
        lost_at: lifeline.lost_at,
    }
}

fn symbol(life: &SymbolLife, decides: bool) -> SymbolRow {
    let name = life.place.as_ref().map_or(&life.name, |place| &place.name);
    SymbolRow {
        name: name.to_string(),
        path: life.place.as_ref().map(|place| place.path.to_string()),
        from: match life.source {
            Source::Name => "name",
            Source::Evidence => "evidence",
        },
        decides,
        first: life.first,
        last_used: life.last_used,
        unused_since: life.unused_since,
        vanished: life.vanished,
        renamed: life.moves.iter().map(moved).collect(),
        state: life.cells.last().map_or(State::Before, |cell| cell.state).words(),
    }
}

fn moved(it: &Move) -> MoveRow {
    let place =
        |place: &Place| PlaceRow { name: place.name.to_string(), path: place.path.to_string() };
    MoveRow { turn: it.turn, from: place(&it.from), to: place(&it.to) }
}

/// The components that were lost, by turn; nothing where none was.
pub fn print(rows: &[LifelineRow], is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let mut lost: Vec<&LifelineRow> = rows.iter().filter(|row| row.lost_at.is_some()).collect();
    if lost.is_empty() {
        return Ok(());
    }
    lost.sort_by_key(|row| row.lost_at);
    let mut table = Table::new(&["component lost", ">in turn", "symbol", "file", "at the end"]);
    for row in lost {
        let turn = row.lost_at.map(|turn| turn.to_string()).unwrap_or_default();
        for symbol in row.symbols.iter().filter(|symbol| symbol.decides) {
            table.row(vec![
                row.component.clone(),
                turn.clone(),
                symbol.name.clone(),
                symbol.path.clone().unwrap_or_default(),
                symbol.state.to_owned(),
            ]);
        }
    }
    out.line("")?;
    table.write(is_markdown, out)
}
