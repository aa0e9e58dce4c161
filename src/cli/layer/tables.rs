//! What `layer` prints.

use std::io;

use crate::cli::output::{Out, Table, dash, share};
use trajview_layers::Origin;

use super::document::{Document, LostRow};

pub fn print(document: &Document, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    let mut table = Table::new(&[
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
        table.row(vec![
            turn.turn.to_string(),
            dash(turn.tokens),
            share(turn.share_named),
            turn.forecast.len().to_string(),
            turn.touched.len().to_string(),
            share(turn.precision),
            share(turn.recall),
            turn.restarts.as_ref().map_or("", |_| "new session").to_owned(),
            turn.request.clone(),
        ]);
    }
    table.write(is_markdown, out)?;
    problems(document, out)?;
    out.line("")?;
    lost(document, is_markdown, out)
}

/// The totals, and the names that the run lost.
pub fn lost(document: &Document, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    totals(document, out)?;
    names("lost components", &document.lost_components, is_markdown, out)?;
    names("names that nothing uses any more", &document.bypassed, is_markdown, out)
}

fn problems(document: &Document, out: &mut Out) -> io::Result<()> {
    for turn in &document.turns {
        for what in &turn.problems {
            out.line(&format!("turn {}: {what}", turn.turn))?;
        }
    }
    Ok(())
}

fn totals(document: &Document, out: &mut Out) -> io::Result<()> {
    let it = &document.totals;
    out.line(&format!(
        "{}: {} briefs, {} tokens on average, {} at most; they name {} of the project's classes and functions; forecast: \
         precision {}, recall {}; {} new sessions; {} calls of the helper model",
        document.layer,
        it.briefs,
        dash(it.tokens.map(|tokens| format!("{tokens:.0}"))),
        dash(it.most_tokens),
        share(it.share_named),
        share(it.precision),
        share(it.recall),
        it.restarts,
        it.spent.calls,
    ))
}

fn names(name: &str, rows: &[LostRow], is_markdown: bool, out: &mut Out) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    out.line("")?;
    out.line(&format!("{name} ({}), and whether the brief of the turn named them:", rows.len()))?;
    out.line("")?;
    let has_components = rows.iter().any(|row| row.component.is_some());
    let mut heads = vec![">turn", "symbol", "file", "named"];
    if has_components {
        heads.insert(0, "component");
    }
    let mut table = Table::new(&heads);
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
        table.row(cells);
    }
    table.write(is_markdown, out)
}

/// One brief as the agent would have been told it, each sentence with what it is from.
pub fn brief(document: &Document, turn: usize, out: &mut Out) -> io::Result<()> {
    let Some(turn) = document.turns.iter().find(|it| it.turn == turn) else {
        return out.line("this turn does not count: the layer was not asked");
    };
    if turn.sentences.is_empty() {
        out.line("the layer says nothing")?;
    }
    for sentence in &turn.sentences {
        out.line(&sentence.text)?;
        if !sentence.from.is_empty() {
            let from: Vec<String> = sentence.from.iter().map(origin).collect();
            out.line(&format!("    from {}", from.join(", ")))?;
        }
    }
    out.line("")?;
    out.line(&format!("{} tokens, {}", dash(turn.tokens), turn.why))?;
    if let Some(why) = &turn.restarts {
        out.line(&format!("new session: {why}"))?;
    }
    out.line(&format!("forecast: {}", listed(&turn.forecast)))?;
    out.line(&format!("touched:  {}", listed(&turn.touched)))
}

fn listed(files: &[String]) -> String {
    if files.is_empty() { "-".into() } else { files.join(", ") }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Record(file) => file.clone(),
        Origin::Request(turn) => format!("the request of turn {turn}"),
        Origin::Step { turn, step } => format!("step {turn}.{step}"),
        Origin::Lines { path, start, end } => format!("{path}:{start}-{end}"),
        Origin::Decision(id) => format!("decision {id}"),
    }
}
