//! Moments of a run, as the command line names them.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};

use trajview_run::{Run, StepId, files::Moment};
use trajview_store::{piped, remote};
use trajview_tui::session::place::At;

use super::Failure;
pub use trajview_run::figures::counted;

/// A path to a recording; `-` becomes the file that holds what standard input had, and an address loses what is secret of it.
pub fn recording() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == piped::WORD {
        true => piped::standard_input().map_err(|why| why.to_string()),
        false => Ok(remote::named(path)),
    })
}

/// A path to recordings, or an address of them; never standard input.
pub fn place() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(remote::named)
}

/// A recording, named on the command line.
#[derive(Debug, clap::Args)]
pub struct RunArg {
    /// A log, a run bundle, a folder that holds one of them, an address (s3://, gs://, az://, https://), or `-` for standard
    /// input
    #[arg(id = "run", value_name = "RUN", value_parser = recording())]
    pub path: PathBuf,
}

/// The help of every argument that names a moment.
pub const HELP: &str = "A turn (counts from 1), a checkpoint's id, `start` or `final`";

/// The same, where a step is a moment too.
pub const HELP_WITH_STEPS: &str =
    "A turn (counts from 1), a step of one (12.7), a checkpoint's id, `start` or `final`";

/// The moment that `word` names.
pub fn moment(run: &Run, word: &str) -> Result<Moment, Failure> {
    let moment = word.parse::<At>().and_then(|at| at.moment(run));
    moment.map_err(Failure::wrong)
}

/// How many turns are done at the moment that `word` names: a turn or checkpoint means its end.
pub fn turns_done(run: &Run, word: &str) -> Result<usize, Failure> {
    let done = word.parse::<At>().and_then(|at| at.turns_done(run));
    done.map_err(Failure::wrong)
}

/// One turn, as an index from 0.
pub fn turn_index(run: &Run, number: usize) -> Result<usize, Failure> {
    turns_done(run, &number.to_string()).map(|done| done - 1)
}

/// The step that `12.7` names.
pub fn step(run: &Run, word: &str) -> Result<StepId, Failure> {
    let found = word.parse::<At>().and_then(|at| at.step(run));
    found.map_err(Failure::wrong)
}

/// The number of a step in its turn, which counts from 1.
pub fn number(run: &Run, step: StepId) -> usize {
    run.step_numbers(step.turn).get(&step).copied().unwrap_or(step.step + 1)
}

/// `1 turn`, `2 turns`.
pub fn turns(count: usize) -> String {
    counted(count, "turn")
}
