//! `process --build` and `--test`: commands of the user's on the files of each moment, whose results are kept.

use std::path::Path;

use crate::cli::{
    Failure,
    judge::signals,
    output::{tell, tell_warnings},
};
use trajview_live as live;
use trajview_live::{
    recheck,
    states::{CannotCheck, Told, Wanted},
};
use trajview_metrics::process::states::CheckKind;
use trajview_store as store;
use trajview_store::checks;

/// What is run on the files of the run's moments.
#[derive(Debug, clap::Args)]
pub struct Checking {
    #[command(flatten)]
    commands: Commands,
    /// The moments whose files are built and tested
    #[arg(long, value_enum, default_value_t = Each::Turn, requires = "commands")]
    each: Each,
    /// A command is ended after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, requires = "commands", value_parser = seconds)]
    timeout: f64,
    /// Run again what has a result
    #[arg(long, requires = "commands")]
    again: bool,
}

#[derive(Debug, clap::Args)]
#[group(id = "commands", multiple = true)]
struct Commands {
    /// Build the files after each turn with this command (for sh -c); the exit code says whether they do
    #[arg(long, value_name = "CMD")]
    build: Option<String>,
    /// Test the files after each turn with this command
    #[arg(long, value_name = "CMD")]
    test: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Each {
    /// After each turn that changed files
    Turn,
    /// Also after each edit, in turns whose recorded edits tell everything that changed
    Edit,
}

fn seconds(words: &str) -> Result<f64, String> {
    let seconds = words.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    seconds.ok_or_else(|| "expected seconds, more than 0".into())
}

impl Checking {
    /// What was asked for; None where no command was given.
    pub fn wanted(&self) -> Option<Wanted> {
        let Commands { build, test } = &self.commands;
        let commands = [(CheckKind::Build, build), (CheckKind::Test, test)];
        let commands: Vec<_> =
            commands.into_iter().filter_map(|(kind, it)| Some((kind, it.clone()?))).collect();
        (!commands.is_empty()).then_some(Wanted {
            commands,
            each: match self.each {
                Each::Turn => checks::Each::Turn,
                Each::Edit => checks::Each::Edit,
            },
            seconds: self.timeout,
            again: self.again,
        })
    }
}

/// Runs what has no result yet, and says each result on standard error.
pub fn run(path: &Path, opened: &store::Opened, wanted: &Wanted) -> Result<(), Failure> {
    tell_warnings(&checks::kept(&opened.archive).1);
    if let Some(why) = recheck::within_reach(path) {
        tell(&format!("the commands can read and change the recording: {why}"));
    }
    live::adopt_orphans();
    let (stop, signal) = signals::listen();
    let mut tell_of = |told: Told<'_>| match told {
        Told::Ran(check) => tell(&check.told()),
        Told::Known(_) => {}
    };
    let done = live::states::run(path, opened, wanted, &stop, &mut tell_of);
    let done = done.map_err(|why| match why {
        CannotCheck::Files(why) => Failure::unread(format!("{}: {why}", path.display())),
        CannotCheck::Write(why) => why.into(),
    })?;
    let words = done.words();
    if done.is_stopped {
        let why = format!("stopped: {words}; the same command goes on from there");
        return Err(Failure::stopped(signal.last(), why));
    }
    tell(&words);
    Ok(())
}
