//! `trajview memory`: what a memory gave the agent of a run, and what of it was stale; results of PaperGuru and SurveyBench
//! as tables.

mod document;
mod results;

pub use document::MemoryScoreRow;

use std::path::PathBuf;

use trajview_analysis::memory;
use trajview_metrics::memory::MemoryTimeline;
use trajview_run::format_number;
use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, OutputTable, cell_or_dash, print_warnings, share_cell},
    run_args,
};
use document::{MemoryCardRow, MemoryDocument, MemoryTurnRow};

/// Memory of a run: retrieval events and evidence cards, and which cards were stale
///
/// Of a run bundle with memory.jsonl. A card is stale if its snippet is no longer in the file, or the file does not
/// exist; it is checked when the agent got it and at the end, or at --at. Instead of a run: aggregate files of
/// PaperGuru and results of SurveyBench, as tables against baselines, with inconsistent numbers.
#[derive(Debug, clap::Args)]
pub struct MemoryArgs {
    /// A run bundle with memory.jsonl; or results of PaperGuru or SurveyBench: files, or a folder of them
    #[arg(value_name = "RUN", required = true, value_parser = run_args::recording_parser())]
    runs: Vec<PathBuf>,
    /// The state of the cards at this moment: a turn (counts from 1), a checkpoint's id, `start` or `final`
    #[arg(long, value_name = "MOMENT", default_value = "final")]
    at: String,
    /// Print JSON (schema trajview.memory/1; of results trajview.memory-results/1)
    #[arg(long, conflicts_with_all = ["csv", "md"])]
    json: bool,
    /// Print one row per event and cited place as CSV
    #[arg(long, conflicts_with = "md")]
    csv: bool,
    /// Print the tables as Markdown
    #[arg(long)]
    md: bool,
}

pub fn run(args: &MemoryArgs, out: &mut Out) -> CommandResult {
    if args.md {
        out.set_markdown();
    }
    if let Some(results) = results::read_results(&args.runs)? {
        results.print_results(args, out)?;
        return Ok(Exit::Fine);
    }
    let [path] = args.runs.as_slice() else {
        return Err(CommandFailure::wrong_arguments(
            "expected one run; several files must all be results",
        ));
    };
    let opened = match store::open(path) {
        Ok(opened) => opened,
        Err(why) => {
            let Some(results) = results::read_folder(path)? else { return Err(why.into()) };
            results.print_results(args, out)?;
            return Ok(Exit::Fine);
        }
    };
    let (archive, run) = (&*opened.archive, &*opened.run);
    let done = run_args::turns_done(run, &args.at)?;
    let Some((course, warnings)) = memory::memory_timeline(archive, run, done) else {
        let what = "no memory.jsonl: the run has no memory events";
        return Err(CommandFailure::cannot_understand(format!("{}: {what}", path.display())));
    };
    print_warnings(&warnings);
    let document = MemoryDocument::new(path.display().to_string(), run, &course, (&args.at, done));
    if args.json {
        out.print_json(&document)?;
    } else if args.csv {
        out.print_csv(document::CSV_COLUMNS, document.csv_values())?;
    } else {
        print_memory(&document, &course, args.md, out)?;
    }
    Ok(Exit::Fine)
}

fn print_memory(
    document: &MemoryDocument,
    course: &MemoryTimeline,
    is_markdown: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    turn_table(&document.turns).write_table(is_markdown, out)?;
    out.print_line("")?;
    if !document.cards.is_empty() {
        card_table(&document.cards).write_table(is_markdown, out)?;
        out.print_line("")?;
    }
    let counts = &document.events_by_kind;
    let sums = [
        format!(
            "routing {}, verification {}, expansion {}, cards {}",
            counts.routing, counts.verification, counts.expansion, counts.cards
        ),
        format!("tokens {}", cell_or_dash(document.cost.tokens.map(format_number::with_thousands))),
        format!("time {}", cell_or_dash(document.cost.seconds.map(format_number::duration_text))),
        format!("cost {}", cell_or_dash(document.cost.cost_usd.map(format_number::dollars_text))),
    ];
    out.print_line(&sums.join(" · "))?;
    let (given, now) = (course.when_given(), course.at_moment());
    out.print_line(&format!(
        "stale when given: {} ({} of {} cards with known files) · stale at {}: {} ({} of {})",
        share_cell(given.stale_rate()),
        given.stale,
        given.known,
        document.at,
        share_cell(now.stale_rate()),
        now.stale,
        now.known
    ))
}

/// Turns in which something happened, or after which another share is stale.
fn turn_table(rows: &[MemoryTurnRow]) -> OutputTable {
    let mut table = OutputTable::new(&[
        ">turn",
        ">routing",
        ">verification",
        ">expansion",
        ">cards",
        ">tokens",
        ">time",
        ">cost",
        ">stale when given",
        ">stale after",
    ]);
    let mut last = None;
    for row in rows {
        let has_events = row.has_events();
        if !has_events && row.stale == last {
            continue;
        }
        last = row.stale;
        table.add_row(vec![
            row.turn.to_string(),
            row.events.routing.to_string(),
            row.events.verification.to_string(),
            row.events.expansion.to_string(),
            row.events.cards.to_string(),
            cell_or_dash(row.cost.tokens.map(format_number::with_thousands)),
            cell_or_dash(row.cost.seconds.map(format_number::duration_text)),
            cell_or_dash(row.cost.cost_usd.map(format_number::dollars_text)),
            share_cell(row.stale_when_given),
            share_cell(row.stale),
        ]);
    }
    table
}

fn card_table(rows: &[MemoryCardRow]) -> OutputTable {
    let mut table =
        OutputTable::new(&["turn", "card", "cites", "version", "when given", "now", "claim"]);
    for card in rows {
        let claim = card.claim_boundary.clone();
        if card.spans.is_empty() {
            let cells = [card.place_text(), card.id.clone(), "nothing".into()];
            table.add_row(
                [cells.to_vec(), vec![cell_or_dash(None::<String>); 3], vec![claim]].concat(),
            );
            continue;
        }
        for (at, span) in card.spans.iter().enumerate() {
            let first = |words: String| if at == 0 { words } else { String::new() };
            table.add_row(vec![
                first(card.place_text()),
                first(card.id.clone()),
                span.place.clone(),
                cell_or_dash(span.version.clone()),
                span.when_given.words.clone(),
                span.now.words.clone(),
                first(claim.clone()),
            ]);
        }
    }
    table
}
