//! The output of `layer`.

use std::io;

use crate::cli::output::{Out, OutputTable, cell_or_dash, share_cell};
use trajview_layers::SentenceOrigin;

use super::document::{LayerDocument, LostSymbolRow};

pub(crate) fn print_turns(
    document: &LayerDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    let mut table = OutputTable::new(&[
        ">turn",
        ">tokens",
        ">names",
        ">forecast",
        ">touched",
        ">precision",
        ">recall",
        "restart",
        "request",
    ]);
    for turn in &document.turns {
        table.add_row(vec![
            turn.turn.to_string(),
            cell_or_dash(turn.tokens),
            share_cell(turn.share_named),
            turn.forecast.len().to_string(),
            turn.touched.len().to_string(),
            share_cell(turn.precision),
            share_cell(turn.recall),
            turn.restarts.as_ref().map_or("", |_| "new session").to_owned(),
            turn.request.clone(),
        ]);
    }
    table.write_table(is_markdown, out)?;
    print_problems(document, out)?;
    out.print_line("")?;
    print_lost(document, is_markdown, out)
}

/// Prints the totals, and the names that the run lost.
pub(crate) fn print_lost(
    document: &LayerDocument,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    print_totals(document, out)?;
    print_lost_symbols("lost components", &document.lost_components, is_markdown, out)?;
    print_lost_symbols("unused names", &document.bypassed, is_markdown, out)
}

fn print_problems(document: &LayerDocument, out: &mut Out) -> io::Result<()> {
    for turn in &document.turns {
        for what in &turn.problems {
            out.print_line(&format!("turn {}: {what}", turn.turn))?;
        }
    }
    Ok(())
}

fn print_totals(document: &LayerDocument, out: &mut Out) -> io::Result<()> {
    let it = &document.totals;
    out.print_line(&format!(
        "{}: {} briefs, {} tokens on average, {} at most; they name {} of the project's classes and functions; forecast: \
         precision {}, recall {}; {} new sessions; {} calls of the helper model",
        document.layer,
        it.briefs,
        cell_or_dash(it.tokens.map(|tokens| format!("{tokens:.0}"))),
        cell_or_dash(it.most_tokens),
        share_cell(it.share_named),
        share_cell(it.precision),
        share_cell(it.recall),
        it.restarts,
        it.spent.calls,
    ))
}

fn print_lost_symbols(
    name: &str,
    rows: &[LostSymbolRow],
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    out.print_line("")?;
    out.print_line(&format!(
        "{name} ({}), and whether the brief of the turn named them:",
        rows.len()
    ))?;
    out.print_line("")?;
    let has_components = rows.iter().any(|row| row.component.is_some());
    let mut heads = vec![">turn", "symbol", "file", "named"];
    if has_components {
        heads.insert(0, "component");
    }
    let mut table = OutputTable::new(&heads);
    for row in rows {
        let mut cells = vec![
            row.turn.to_string(),
            row.symbol.clone(),
            row.file.clone(),
            row.named.word().to_owned(),
        ];
        if has_components {
            cells.insert(0, row.component.clone().unwrap_or_default());
        }
        table.add_row(cells);
    }
    table.write_table(is_markdown, out)
}

/// Prints one brief as the agent would have received it, each sentence with its sources.
pub(crate) fn print_brief(document: &LayerDocument, turn: usize, out: &mut Out) -> io::Result<()> {
    let Some(turn) = document.turns.iter().find(|it| it.turn == turn) else {
        return out.print_line("this turn does not count: the layer was not called");
    };
    if turn.sentences.is_empty() {
        out.print_line("the brief is empty")?;
    }
    for sentence in &turn.sentences {
        out.print_line(&sentence.text)?;
        if !sentence.from.is_empty() {
            let from: Vec<String> = sentence.from.iter().map(origin_text).collect();
            out.print_line(&format!("    from {}", from.join(", ")))?;
        }
    }
    out.print_line("")?;
    out.print_line(&format!("{} tokens, {}", cell_or_dash(turn.tokens), turn.why))?;
    if let Some(why) = &turn.restarts {
        out.print_line(&format!("new session: {why}"))?;
    }
    out.print_line(&format!("forecast: {}", files_text(&turn.forecast)))?;
    out.print_line(&format!("touched:  {}", files_text(&turn.touched)))
}

fn files_text(files: &[String]) -> String {
    if files.is_empty() { "-".into() } else { files.join(", ") }
}

fn origin_text(origin: &SentenceOrigin) -> String {
    match origin {
        SentenceOrigin::Record(file) => file.clone(),
        SentenceOrigin::Request(turn) => format!("the request of turn {turn}"),
        SentenceOrigin::Step { turn, step } => format!("step {turn}.{step}"),
        SentenceOrigin::Lines { path, start, end } => format!("{path}:{start}-{end}"),
        SentenceOrigin::Decision(id) => format!("decision {id}"),
    }
}
