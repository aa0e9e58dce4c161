//! `process --build` and `--test`: runs the user's commands on the files of each moment and stores the results.

use std::path::Path;

use crate::cli::{
    CommandFailure,
    judge::signals,
    output::{print_note, print_warnings},
};
use trajview_live as live;
use trajview_live::{
    check_history::{CannotCheck, CheckReport, CheckRequest},
    recheck,
};
use trajview_metrics::process::checked_states::CheckKind;
use trajview_store as store;
use trajview_store::checks;

/// What is run on the files of the run's moments.
#[derive(Debug, clap::Args)]
pub struct CheckingArgs {
    #[command(flatten)]
    commands: CheckCommandArgs,
    /// The moments to build and test
    #[arg(long, value_enum, default_value_t = CheckEach::Turn, requires = "commands")]
    each: CheckEach,
    /// Time limit of a command in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, requires = "commands", value_parser = parse_seconds)]
    timeout: f64,
    /// Repeat existing results
    #[arg(long, alias = "again", requires = "commands")]
    rerun: bool,
}

#[derive(Debug, clap::Args)]
#[group(id = "commands", multiple = true)]
struct CheckCommandArgs {
    /// Build the files after each turn with this command (for sh -c); the exit code counts
    #[arg(long, value_name = "CMD")]
    build: Option<String>,
    /// Test the files after each turn with this command
    #[arg(long, value_name = "CMD")]
    test: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CheckEach {
    /// After each turn that changed files
    Turn,
    /// Also after each edit, in turns whose recorded edits explain all changes
    Edit,
}

fn parse_seconds(words: &str) -> Result<f64, String> {
    let seconds = words.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    seconds.ok_or_else(|| "expected seconds, more than 0".into())
}

impl CheckingArgs {
    /// Returns the requested checks. None if no command was given.
    pub(crate) fn checks_wanted(&self) -> Option<CheckRequest> {
        let CheckCommandArgs { build, test } = &self.commands;
        let commands = [(CheckKind::Build, build), (CheckKind::Test, test)];
        let commands: Vec<_> =
            commands.into_iter().filter_map(|(kind, it)| Some((kind, it.clone()?))).collect();
        (!commands.is_empty()).then_some(CheckRequest {
            commands,
            each: match self.each {
                CheckEach::Turn => checks::CheckedMoments::Turn,
                CheckEach::Edit => checks::CheckedMoments::Edit,
            },
            seconds: self.timeout,
            again: self.rerun,
        })
    }
}

/// Runs the checks that have no result yet, and prints each result on standard error.
pub fn run_checks(
    path: &Path,
    opened: &store::OpenedRecording,
    request: &CheckRequest,
) -> Result<(), CommandFailure> {
    print_warnings(&checks::stored_checks(&opened.archive).1);
    if let Some(why) = recheck::reach_problem(path) {
        print_note(&format!("the commands can access the recording: {why}"));
    }
    live::adopt_orphans();
    let (stop, signal) = signals::listen_for_signals();
    let mut tell_of = |told: CheckReport<'_>| match told {
        CheckReport::Ran(check) => print_note(&check.summary_line()),
        CheckReport::Existing(_) => {}
    };
    let done = live::check_history::run_checks(path, opened, request, &stop, &mut tell_of);
    let done = done.map_err(|why| match why {
        CannotCheck::Files(why) => {
            CommandFailure::cannot_read(format!("{}: {why}", path.display()))
        }
        CannotCheck::Write(why) => why.into(),
    })?;
    let words = done.summary_text();
    if done.is_stopped {
        let why = format!("stopped: {words}; the same command continues");
        return Err(CommandFailure::stopped_by(signal.last(), why));
    }
    print_note(&words);
    Ok(())
}
