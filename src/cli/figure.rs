//! `trajview figure`: figures for papers, from the numbers that other commands print.

mod agreement;
mod curves;
mod figure_file;
mod figure_runs;
mod lifetimes;
mod losses;
mod survival;
mod transitions;

use clap::Subcommand;

use super::{CommandResult, output::Out};

/// Draw figures of runs for a paper: SVG, PDF, pgfplots
///
/// The three formats have one description. Groups differ by colour (Okabe and Ito's palette), dashes
/// and marks, and the legend has the number of runs of each. What was not measured is a gap. The caption says what bands and
/// intervals are; it is printed, and it is in the file: the description of the SVG, the subject of the PDF, comments of the
/// LaTeX. PDF embeds its font.
#[derive(Debug, clap::Args)]
pub struct FigureArgs {
    #[command(subcommand)]
    kind: FigureKind,
}

#[derive(Debug, Subcommand)]
enum FigureKind {
    Curves(curves::CurvesArgs),
    Losses(losses::LossFigureArgs),
    Transitions(transitions::TransitionsArgs),
    Agreement(agreement::AgreementArgs),
    Survival(survival::SurvivalArgs),
}

pub fn run(args: &FigureArgs, out: &mut Out) -> CommandResult {
    match &args.kind {
        FigureKind::Curves(args) => curves::run(args, out),
        FigureKind::Losses(args) => losses::run(args, out),
        FigureKind::Transitions(args) => transitions::run(args, out),
        FigureKind::Agreement(args) => agreement::run(args, out),
        FigureKind::Survival(args) => survival::run(args, out),
    }
}
