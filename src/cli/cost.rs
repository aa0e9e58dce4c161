//! `trajview cost`: what runs cost, as recorded and as computed from a table of prices.

mod document;

use std::path::PathBuf;

use trajview_run::Warning;
use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit,
    output::{self, Out},
    pricing::PricingArgs,
    run_args,
};

use document::{CostGrouping, CostReport};
pub(crate) use document::{computed_cell, computed_text, cost_record, without_price};

/// Cost of runs: recorded, and computed from tokens at list prices
///
/// Computed cost is at the vendors' list prices of a dated table, with separate prices for cached input and cache
/// writes; each response is priced by its day and its length. It is not a bill: it does not include discounts, batches,
/// faster or slower tiers, subscriptions and gateways. Recorded and computed cost are shown side by side and never
/// added. Tokens of a model that the
/// table does not have are not priced: they are counted, the computed cost is null, and "≥" is the cost of the others.
/// If several recordings have the same response, as a session that continues in another file does, it counts once.
#[derive(Debug, clap::Args)]
pub struct CostArgs {
    /// Logs, run bundles, or folders of them
    #[arg(value_name = "RUN", required = true, value_parser = run_args::recording_parser())]
    runs: Vec<PathBuf>,
    /// What a row is; default: a turn for one run, a run for several
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<CostGrouping>,
    #[command(flatten)]
    pricing: PricingArgs,
    /// Print JSON (schema trajview.cost/1)
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the rows as CSV
    #[arg(long)]
    csv: bool,
}

pub fn run(args: &CostArgs, out: &mut Out) -> CommandResult {
    let prices = args.pricing.read_prices()?;
    let paths = run_paths(&args.runs)?;
    let by =
        args.by.unwrap_or(if paths.len() == 1 { CostGrouping::Turn } else { CostGrouping::Run });
    let mut report = CostReport::new(by, &prices);
    for path in paths {
        let name = path.display().to_string();
        match store::open(&path) {
            Ok(opened) => report.add_run(&name, &opened.run),
            Err(why) if args.runs.len() == 1 && args.runs[0] == path => return Err(why.into()),
            Err(why) => report.problems.push(Warning { place: name, what: why.to_string() }),
        }
    }
    let document = report.to_json();
    if args.json {
        out.print_json(&document)?;
    } else if args.csv {
        out.print_csv(document::CSV_COLUMNS, document::document_parts(&document))?;
        output::print_warnings(&report.problems);
    } else {
        report.print_costs(&document, out)?;
    }
    Ok(Exit::Fine)
}

fn run_paths(named_paths: &[PathBuf]) -> Result<Vec<PathBuf>, CommandFailure> {
    let all: Vec<PathBuf> = named_paths
        .iter()
        .flat_map(|path| match store::contains_several_runs(path) {
            true => store::runs_below(path),
            false => vec![path.clone()],
        })
        .collect();
    if all.is_empty() {
        return Err(CommandFailure::cannot_understand("no recording below these folders"));
    }
    Ok(all)
}
