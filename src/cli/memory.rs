//! `trajview memory`: what a memory gave the agent of a run, and what of it was stale; results of PaperGuru and SurveyBench
//! as tables.

mod document;
mod results;

pub use document::ScoreRow;

use std::path::PathBuf;

use trajview_metrics::memory::Course;
use trajview_run::figures;
use trajview_store as store;
use trajview_store::memory_events;

use super::{
    Exit, Failure, Outcome, at,
    output::{Out, Table, dash, share, tell_warnings},
};
use document::{CardRow, Memory, TurnRow};

/// What a memory gave the agent: retrieval events and evidence cards, and which of the cards were stale
///
/// Of a run bundle with memory.jsonl. A card is stale where the snippet that it cites stands nowhere in the file any more, or
/// the file is gone; it is looked at when the agent was given it and at the end, or at --at. In the place of a run: aggregate
/// files of PaperGuru and results of SurveyBench, as tables against baselines, with what does not add up.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A run bundle with memory.jsonl; or results of PaperGuru or SurveyBench: files, or a folder of them
    #[arg(value_name = "RUN", required = true, value_parser = at::recording())]
    runs: Vec<PathBuf>,
    /// The state of the cards at this moment: a turn (counts from 1), a checkpoint's id, `start` or `final`
    #[arg(long, value_name = "MOMENT", default_value = "final")]
    at: String,
    /// Print JSON (schema trajview.memory/1; of results trajview.memory-results/1)
    #[arg(long, conflicts_with_all = ["csv", "md"])]
    json: bool,
    /// Print a row for each event and each cited place as CSV
    #[arg(long, conflicts_with = "md")]
    csv: bool,
    /// Print the tables as Markdown
    #[arg(long)]
    md: bool,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    if args.md {
        out.write_markdown();
    }
    if let Some(results) = results::read(&args.runs)? {
        results.print(args, out)?;
        return Ok(Exit::Fine);
    }
    let [path] = args.runs.as_slice() else {
        return Err(Failure::wrong("expected one run; several files must all be results"));
    };
    let opened = match store::open(path) {
        Ok(opened) => opened,
        Err(why) => {
            let Some(results) = results::read_folder(path)? else { return Err(why.into()) };
            results.print(args, out)?;
            return Ok(Exit::Fine);
        }
    };
    let (archive, run) = (&*opened.archive, &*opened.run);
    let done = at::turns_done(run, &args.at)?;
    let Some((course, warnings)) = memory_events::course(archive, run, done) else {
        let what = "the run has no memory.jsonl: no memory events are recorded";
        return Err(Failure::not_understood(format!("{}: {what}", path.display())));
    };
    tell_warnings(&warnings);
    let document = Memory::of(path.display().to_string(), run, &course, (&args.at, done));
    if args.json {
        out.json(&document)?;
    } else if args.csv {
        out.csv(document::CSV, document.flat())?;
    } else {
        print(&document, &course, args.md, out)?;
    }
    Ok(Exit::Fine)
}

fn print(
    document: &Memory,
    course: &Course,
    is_markdown: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    turns(&document.turns).write(is_markdown, out)?;
    out.line("")?;
    if !document.cards.is_empty() {
        cards(&document.cards).write(is_markdown, out)?;
        out.line("")?;
    }
    let counts = &document.events_by_kind;
    let sums = [
        format!(
            "routing {}, verification {}, expansion {}, cards {}",
            counts.routing, counts.verification, counts.expansion, counts.cards
        ),
        format!("tokens {}", dash(document.cost.tokens.map(figures::count))),
        format!("time {}", dash(document.cost.seconds.map(figures::duration))),
        format!("cost {}", dash(document.cost.cost_usd.map(figures::dollars))),
    ];
    out.line(&sums.join(" · "))?;
    let (given, now) = (course.when_given(), course.now());
    out.line(&format!(
        "stale when given: {} ({} of {} cards with known files) · stale at {}: {} ({} of {})",
        share(given.rate()),
        given.stale,
        given.known,
        document.at,
        share(now.rate()),
        now.stale,
        now.known
    ))
}

/// Turns in which something happened, or after which another share is stale.
fn turns(rows: &[TurnRow]) -> Table {
    let mut table = Table::new(&[
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
        table.row(vec![
            row.turn.to_string(),
            row.events.routing.to_string(),
            row.events.verification.to_string(),
            row.events.expansion.to_string(),
            row.events.cards.to_string(),
            dash(row.cost.tokens.map(figures::count)),
            dash(row.cost.seconds.map(figures::duration)),
            dash(row.cost.cost_usd.map(figures::dollars)),
            share(row.stale_when_given),
            share(row.stale),
        ]);
    }
    table
}

fn cards(rows: &[CardRow]) -> Table {
    let mut table = Table::new(&["turn", "card", "cites", "version", "when given", "now", "claim"]);
    for card in rows {
        let claim = card.claim_boundary.clone();
        if card.spans.is_empty() {
            let cells = [card.at(), card.id.clone(), "nothing".into()];
            table.row([cells.to_vec(), vec![dash(None::<String>); 3], vec![claim]].concat());
            continue;
        }
        for (at, span) in card.spans.iter().enumerate() {
            let first = |words: String| if at == 0 { words } else { String::new() };
            table.row(vec![
                first(card.at()),
                first(card.id.clone()),
                span.place.clone(),
                dash(span.version.clone()),
                span.when_given.words.clone(),
                span.now.words.clone(),
                first(claim.clone()),
            ]);
        }
    }
    table
}
