//! Moments of a run, as the command line names them.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};

use trajview_run::{Run, StepId, files::RunMoment};
use trajview_store::{remote, standard_input};
use trajview_tui::session::start_place::NamedMoment;

use super::CommandFailure;
pub use trajview_run::format_number::count_with_noun;

/// Returns a path to a recording; `-` becomes the file that holds what standard input had, and an address loses what is
/// secret of it.
pub(crate) fn recording_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == standard_input::STDIN_PATH {
        true => standard_input::standard_input().map_err(|why| why.to_string()),
        false => Ok(remote::register_path(path)),
    })
}

/// Returns a path to recordings, or an address of them; never standard input.
pub(crate) fn place_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(remote::register_path)
}

/// A recording, named on the command line.
#[derive(Debug, clap::Args)]
pub struct RunArg {
    /// A log, a run bundle, a folder that holds one of them, an address (s3://, gs://, az://, https://), or `-` for standard
    /// input
    #[arg(id = "run", value_name = "RUN", value_parser = recording_parser())]
    pub path: PathBuf,
}

/// The help of every argument that names a moment.
pub(crate) const MOMENT_HELP: &str =
    "A turn (counts from 1), a checkpoint's id, `start` or `final`";

/// The same, where a step is a moment too.
pub(crate) const MOMENT_HELP_WITH_STEPS: &str =
    "A turn (counts from 1), a step of one (12.7), a checkpoint's id, `start` or `final`";

/// Parses the moment that `word` names.
pub(crate) fn parse_moment(run: &Run, word: &str) -> Result<RunMoment, CommandFailure> {
    let moment = word.parse::<NamedMoment>().and_then(|at| at.to_moment(run));
    moment.map_err(CommandFailure::wrong_arguments)
}

/// Returns the number of turns done at the moment that `word` names: a turn or checkpoint means its end.
pub fn turns_done(run: &Run, word: &str) -> Result<usize, CommandFailure> {
    let done = word.parse::<NamedMoment>().and_then(|at| at.turns_done(run));
    done.map_err(CommandFailure::wrong_arguments)
}

/// Returns the index of a turn, from 0.
pub fn turn_index(run: &Run, number: usize) -> Result<usize, CommandFailure> {
    turns_done(run, &number.to_string()).map(|done| done - 1)
}

/// Parses the step that `12.7` names.
pub fn parse_step(run: &Run, word: &str) -> Result<StepId, CommandFailure> {
    let found = word.parse::<NamedMoment>().and_then(|at| at.named_step(run));
    found.map_err(CommandFailure::wrong_arguments)
}

/// Returns the number of a step in its turn, which counts from 1.
pub fn step_number(run: &Run, step: StepId) -> usize {
    run.step_numbers(step.turn).get(&step).copied().unwrap_or(step.step + 1)
}

/// Returns `1 turn`, `2 turns`.
pub(crate) fn turns_text(count: usize) -> String {
    count_with_noun(count, "turn")
}
