//! `trajview report`: one run, several that are compared, or a study, as one file for other readers.
//!
//! Every number in it is printed by another command: [`report_builder`] runs those commands and collects their tables, each
//! with the command line that prints it again. Facts of the recording itself ([`report_data`]) are read through the same
//! functions as in `show` and `diff`. All of it becomes one document, which the redactor processes as a whole
//! ([`trajview_code::redact`]) before [`html`] or [`tables`] writes a word of it.

mod budget;
mod charts;
mod evidence;
mod html;
mod html_text;
mod report_builder;
mod report_data;
mod tables;
mod turn_parts;

use std::{fs, path::PathBuf};

use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit,
    measuring_args::MeasuringArgs,
    output::{Out, print_note},
    redaction::RedactingArgs,
    run_args,
};
use report_builder::{ReportBounds, ReportRequest, ReportSubject};
use report_data::ReportMaterial;

/// Write a report about a run, a comparison or a study
///
/// HTML that needs no network: turns with their diffs, curves and lifelines, scores with the cited code, labels, and
/// the commands that print each number. Two runs or more are compared; a study (study.toml) or a folder of run bundles gives
/// the tables of `trajview agree`; another folder of runs, such as a job of a harness, gives those of `trajview corpus`. Keys,
/// passwords, addresses, home folders and names are redacted. It contains the labels of all raters: do not give it to a rater who still labels blind.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// A run; several that are compared; a study (study.toml), a folder of run bundles, or of other runs
    #[arg(value_name = "RUN|STUDY", required = true, value_parser = run_args::recording_parser())]
    paths: Vec<PathBuf>,
    /// One HTML file (default)
    #[arg(long)]
    html: bool,
    /// Only the tables, as Markdown
    #[arg(long, visible_alias = "md", conflicts_with = "html")]
    markdown: bool,
    /// Only the tables, as LaTeX (booktabs)
    #[arg(long, visible_alias = "tex", conflicts_with_all = ["html", "markdown"])]
    latex: bool,
    /// The output file; default: standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Judge whose verdicts count: the judge's name, or a judgement's file; as in `score` and `compare`
    #[arg(long, alias = "judgement", value_name = "NAME|FILE")]
    judge: Option<String>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// Texts and diffs with more bytes are cut in the HTML, with a note
    #[arg(long, alias = "most-bytes", value_name = "BYTES", default_value_t = 20_000)]
    max_bytes: usize,
    /// Files of a turn in the HTML (max); files that a verdict cites are always shown
    #[arg(long, alias = "most-files", value_name = "N", default_value_t = 200)]
    max_files: usize,
    /// Bytes of turns, steps and diffs in the HTML, of all runs together (about); omitted parts are listed, with the
    /// command that prints them
    #[arg(long, alias = "most-total", value_name = "BYTES", default_value_t = 20_000_000)]
    max_total: usize,
    #[command(flatten)]
    measuring: MeasuringArgs,
    #[command(flatten)]
    redacting: RedactingArgs,
}

pub fn run(args: &ReportArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    args.redacting.check_json()?;
    let subject = ReportSubject::from_paths(&args.paths)?;
    let opened =
        subject.runs().iter().map(|path| store::open(path)).collect::<Result<Vec<_>, _>>()?;
    let request = ReportRequest {
        subject: &subject,
        opened: &opened,
        judge: args.judge.as_deref(),
        measuring: args.measuring.to_arguments(),
        carry_out: &super::captured_output,
        with_turns: !args.markdown && !args.latex,
        bounds: ReportBounds { text: args.max_bytes, files: args.max_files, total: args.max_total },
    };
    let report = report_builder::make_report(&request)?;
    let redactor = args.redacting.redactor_for_runs(opened.iter().map(|it| &*it.run));
    let report = redact_report(report, &redactor)?;
    if args.redacting.is_list() {
        args.redacting.print_findings(&redactor.findings(), out)?;
        return Ok(Exit::Fine);
    }
    let text = if args.markdown {
        tables::markdown_report(&report)
    } else if args.latex {
        tables::latex_report(&report)
    } else {
        html::html_page(&report, args.max_bytes)
    };
    args.redacting.print_counts(&redactor.counts_by_kind());
    match &args.out {
        None => out.print_bytes(text.as_bytes())?,
        Some(path) => {
            fs::write(path, &text).map_err(|why| CommandFailure::unwritable(path, &why))?;
            print_note(&format!("{}: {} bytes", path.display(), text.len()));
        }
    }
    Ok(Exit::Fine)
}

/// Returns the report without its secrets; nothing of it is written before.
fn redact_report(
    report: ReportMaterial,
    redactor: &trajview_code::redact::Redactor,
) -> Result<ReportMaterial, CommandFailure> {
    let failed = |why: serde_json::Error| {
        CommandFailure::cannot_understand(format!(
            "internal error in trajview, please report it: {why}"
        ))
    };
    let document = serde_json::to_value(report).map_err(failed)?;
    serde_json::from_value(redactor.redact_json("", document)).map_err(failed)
}
