//! The commands, one file each. A command opens a recording through `store`, asks the library and prints.
//!
//! To add one, write `cli/<name>.rs` with its arguments and a `run`, and add one word to `Command`.

mod agree;
mod at;
mod audit;
mod blame;
mod cat;
mod check;
mod commands;
mod compare;
mod completions;
mod config;
mod corpus;
mod diff;
mod formats;
mod import;
mod json;
mod judge;
mod keys;
mod live;
mod ls;
mod man;
mod measuring;
mod metrics;
mod output;
mod recorded;
mod rules;
mod score;
mod show;
mod view;

use std::{ffi::OsString, path::PathBuf};

use clap::{CommandFactory, Parser, Subcommand};

use crate::store::{OpenError, write::WriteError};
use output::Out;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Fine,
    /// The check asked for failed.
    Failed,
    WrongArguments,
    CannotRead,
    CannotUnderstand,
    Interrupted,
    /// Ended by this signal.
    Signal(u8),
}

impl Exit {
    /// The exit code that scripts may rely on.
    pub const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Failed => 1,
            Self::WrongArguments => 2,
            Self::CannotRead => 3,
            Self::CannotUnderstand => 4,
            Self::Interrupted => 130,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// Why a command stopped: a sentence for standard error, and how the program ends.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// Empty where there is nothing to say: the reader of our output went away.
    pub sentence: String,
}

impl Failure {
    fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self { exit, sentence: sentence.into() }
    }

    fn wrong(sentence: impl Into<String>) -> Self {
        Self::new(Exit::WrongArguments, sentence)
    }

    fn unread(sentence: impl Into<String>) -> Self {
        Self::new(Exit::CannotRead, sentence)
    }

    fn not_understood(sentence: impl Into<String>) -> Self {
        Self::new(Exit::CannotUnderstand, sentence)
    }

    /// What was asked for was stopped, by a signal where one was sent.
    fn stopped(signal: Option<u8>, sentence: impl Into<String>) -> Self {
        let is_interrupt = signal.is_none_or(|signal| signal == judge::signals::INTERRUPT);
        let exit = signal.filter(|_| !is_interrupt).map_or(Exit::Interrupted, Exit::Signal);
        Self::new(exit, sentence)
    }
}

impl From<OpenError> for Failure {
    fn from(why: OpenError) -> Self {
        let exit = match why {
            OpenError::Read { .. } => Exit::CannotRead,
            OpenError::Understand { .. } => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(why: WriteError) -> Self {
        let exit = match why {
            WriteError::Taken { .. } => Exit::WrongArguments,
            WriteError::Write { .. } => Exit::CannotRead,
        };
        Self::new(exit, why.to_string())
    }
}

impl From<std::io::Error> for Failure {
    /// Output that nobody reads any more is no failure.
    fn from(why: std::io::Error) -> Self {
        match why.kind() {
            std::io::ErrorKind::BrokenPipe => Self::new(Exit::Fine, ""),
            _ => Self::unread(format!("cannot write the output: {why}")),
        }
    }
}

type Outcome = Result<Exit, Failure>;

#[derive(Debug, Parser)]
#[command(
    name = "trajview",
    version,
    about = "Plays back recorded runs of coding agents, turn by turn, as diffs",
    long_about = "Plays back recorded runs of coding agents, turn by turn, as diffs.\n\n\
        PATH is a log of Codex or Claude Code, a run bundle (a folder with run.json), a graded rubric tree of \
        PaperBench, or a folder that holds one of them. `trajview formats` lists what can be read.",
    after_help = "Exit codes: 0 fine, 1 the check asked for failed, 2 wrong arguments, 3 cannot read, 4 cannot \
        understand, 130 interrupted.",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    view: view::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    Show(show::Args),
    Diff(diff::Args),
    Cat(cat::Args),
    Ls(ls::Args),
    Blame(blame::Args),
    Score(score::Args),
    Judge(judge::Args),
    Live(Box<live::Args>),
    Audit(audit::Args),
    Agree(agree::Args),
    Compare(compare::Args),
    Corpus(corpus::Args),
    Import(import::Args),
    Check(check::Args),
    Formats(formats::Args),
    Metrics(metrics::Args),
    Rules(rules::Args),
    Keys(keys::Args),
    Completions(completions::Args),
    Man(man::Args),
    Commands(commands::Args),
}

/// A recording, named on the command line.
#[derive(Debug, clap::Args)]
struct RunArg {
    /// A log, a run bundle, or a folder that holds one of them
    #[arg(id = "run", value_name = "RUN")]
    path: PathBuf,
}

/// Carries out the command line and says how the program should end. Sentences go to standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(why) => {
            let _ = why.print(); // nobody is left to tell where standard error is closed
            return if why.use_stderr() { Exit::WrongArguments } else { Exit::Fine };
        }
    };
    let mut out = Out::stdout();
    let outcome = dispatch(&cli, &mut out)
        .and_then(|exit| out.finish().map(|()| exit).map_err(Failure::from));
    outcome.unwrap_or_else(|failure| {
        if !failure.sentence.is_empty() {
            output::tell(&failure.sentence);
        }
        failure.exit
    })
}

fn dispatch(cli: &Cli, out: &mut Out) -> Outcome {
    match &cli.command {
        None => view::run(&cli.view, out),
        Some(Command::Show(args)) => show::run(args, out),
        Some(Command::Diff(args)) => diff::run(args, out),
        Some(Command::Cat(args)) => cat::run(args, out),
        Some(Command::Ls(args)) => ls::run(args, out),
        Some(Command::Blame(args)) => blame::run(args, out),
        Some(Command::Score(args)) => score::run(args, out),
        Some(Command::Judge(args)) => judge::run(args, out),
        Some(Command::Live(args)) => live::run(args, out),
        Some(Command::Audit(args)) => audit::run(args, out),
        Some(Command::Agree(args)) => agree::run(args, out),
        Some(Command::Compare(args)) => compare::run(args, out),
        Some(Command::Corpus(args)) => corpus::run(args, out),
        Some(Command::Import(args)) => import::run(args, out),
        Some(Command::Check(args)) => check::run(args, out),
        Some(Command::Formats(args)) => formats::run(args, out),
        Some(Command::Metrics(args)) => metrics::run(args, out),
        Some(Command::Rules(args)) => rules::run(args, out),
        Some(Command::Keys(args)) => keys::run(args, out),
        Some(Command::Completions(args)) => completions::run(args, out),
        Some(Command::Man(args)) => man::run(args, out),
        Some(Command::Commands(args)) => commands::run(args, out),
    }
}

/// The names of the commands that the help lists.
pub fn command_names() -> Vec<String> {
    let cli = Cli::command();
    let listed = cli.get_subcommands().filter(|command| !command.is_hide_set());
    listed.map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }

    #[test]
    fn every_option_says_what_it_does() {
        let cli = Cli::command();
        for command in cli.get_subcommands().chain([&cli]) {
            for option in command.get_arguments() {
                let name = (command.get_name(), option.get_id());
                assert!(
                    option.get_help().is_some_and(|help| !help.to_string().is_empty()),
                    "{name:?}"
                );
            }
        }
    }
}
