//! `trajview cost`: what runs cost, as recorded and as computed from a table of prices.

mod document;
mod tables;

use std::path::PathBuf;

use trajview_metrics::cost::Told;
use trajview_store as store;

use super::{
    Exit, Failure, Outcome, at,
    output::{self, Out},
    pricing::Pricing,
};

pub use document::CostRow;
use document::{By, Document, RunRow};

/// What runs cost: as recorded, and computed from their tokens at list prices, by turn, step, agent or model
///
/// Computed cost is at the vendors' list prices of a dated table, with cached input and cache writes at prices of their own and
/// each response priced at its day and its length. It is no bill: discounts, batches, faster or slower tiers, subscriptions and
/// gateways are not in it. Recorded and computed cost stand side by side and are never added up. Tokens of a model that the
/// table does not have are not priced: they are counted, the computed cost is null, and "≥" says what the others cost. Of
/// several recordings a response that was told before, by a session that goes on in another file, counts once.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Logs, run bundles, or folders of them
    #[arg(value_name = "RUN", required = true, value_parser = at::recording())]
    runs: Vec<PathBuf>,
    /// What has a row. Without it the turns of one run, and of several the runs
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<By>,
    #[command(flatten)]
    pricing: Pricing,
    /// Print JSON (schema trajview.cost/1)
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the rows as CSV
    #[arg(long)]
    csv: bool,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let prices = args.pricing.prices()?;
    let paths = paths(&args.runs)?;
    let by = args.by.unwrap_or(if paths.len() == 1 { By::Turn } else { By::Run });
    let mut told = Told::default();
    let mut document = Document::new(by);
    for path in paths {
        let name = path.display().to_string();
        match store::open(&path) {
            Ok(opened) => document.push(RunRow::of(name, &opened.run, &prices, by, &mut told)),
            Err(why) if args.runs.len() == 1 && args.runs[0] == path => return Err(why.into()),
            Err(why) => document.problem(name, why.to_string()),
        }
    }
    document.finish(&prices);
    if args.json {
        out.json(&document)?;
    } else if args.csv {
        out.csv(tables::CSV, document.parts())?;
        output::tell_warnings(&document.problems);
    } else {
        tables::print(&document, out)?;
    }
    Ok(Exit::Fine)
}

fn paths(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let all: Vec<PathBuf> = named
        .iter()
        .flat_map(|path| match store::holds_several(path) {
            true => store::runs_below(path),
            false => vec![path.clone()],
        })
        .collect();
    if all.is_empty() {
        return Err(Failure::not_understood("no recording below these folders"));
    }
    Ok(all)
}
