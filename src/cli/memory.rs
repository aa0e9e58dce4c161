//! `trajview memory`: what a memory gave the agent of a run, and what of it was stale; results of PaperGuru and SurveyBench
//! as tables.

mod document;
mod results;

pub(crate) use document::memory_score_row;

use std::path::PathBuf;

use trajview_analysis::memory;
use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_warnings},
    run_args,
};

/// Memory of a run: retrieval events, evidence cards, stale cards
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
    let path = path.display().to_string();
    let document = document::memory_document(&path, run, &course, (&args.at, done));
    if args.json {
        out.print_json(&document)?;
    } else if args.csv {
        out.print_csv(document::CSV_COLUMNS, document::csv_rows(&document))?;
    } else {
        document::print_memory(&document, &course, args.md, out)?;
    }
    Ok(Exit::Fine)
}
