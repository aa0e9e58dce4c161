//! Moments of a run, as the command line names them.

use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};

use trajview_run::{Run, StepId, files::RunMoment};
use trajview_store::{disk, remote, rubric, standard_input};
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

/// The levels that means and counts include.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct CountingArgs {
    /// Let means and counts include levels that a judge gave without one look at the code
    #[arg(long)]
    count_unlooked: bool,
}

impl CountingArgs {
    /// Applies to all runs that are read from now on.
    pub(crate) fn apply(self) {
        if self.count_unlooked {
            rubric::count_unlooked_levels();
        }
    }
}

/// Uses this folder for the labels of the graded rubric tree at the path; fails where the path has a place of its own.
pub(crate) fn use_labels_folder(folder: Option<&Path>, path: &Path) -> Result<(), CommandFailure> {
    let Some(folder) = folder else { return Ok(()) };
    if rubric::bundle_of(path).is_some() || path.extension().is_some_and(|end| end == "toml") {
        let path = path.display();
        return Err(CommandFailure::wrong_arguments(format!(
            "--labels is for a graded rubric tree outside a bundle; {path} has a place for its labels \
             (a bundle its own folder, a study `labels_folder`)"
        )));
    }
    rubric::set_labels_folder(Some(folder.to_owned()));
    Ok(())
}

/// Returns a path to recordings, or an address of them; never standard input.
pub(crate) fn place_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(remote::register_path)
}

/// Returns whether neither the disk nor remote storage has a path; `sessions.db/ses_1` leads into a file.
pub(crate) fn is_missing(path: &Path) -> bool {
    let holder = || path.ancestors().skip(1).find(|path| disk::exists(path));
    !disk::exists(path) && !holder().is_some_and(disk::is_file)
}

/// Returns a parser of one of these words, which a shell completes. `by_word` has a value for each of them.
pub(crate) fn word_parser<T: Clone + Send + Sync + 'static>(
    words: impl IntoIterator<Item = impl Into<PossibleValue>>,
    by_word: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words)
        .map(move |word| by_word(&word).expect("the parser has accepted the word"))
}

/// Parses the number of a turn.
pub(crate) fn parse_turn(word: &str) -> Result<usize, String> {
    let expected = || "expected the number of a turn, such as 12; turns count from 1".to_owned();
    word.parse().map_err(|_| expected())
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
