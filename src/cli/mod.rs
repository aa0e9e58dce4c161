//! The commands, one file each. A command opens a recording through `store`, asks the library and prints.
//!
//! To add one, write `cli/<name>.rs` with its arguments and a `run`, and add one word to `Command`.

mod agree;
mod annotations;
mod at;
mod audit;
mod batch;
mod blame;
mod cast;
mod cat;
mod check;
mod clusters;
mod commands;
mod compare;
mod completions;
mod components;
mod config;
mod corpus;
mod cost;
mod decisions;
mod diff;
mod export;
mod find;
mod formats;
mod history;
mod hook;
mod import;
mod inside;
mod json;
mod judge;
mod keys;
mod layer;
mod live;
mod ls;
mod man;
mod mcp;
mod measuring;
mod memory;
mod merge;
mod metrics;
mod new;
mod outcome;
mod output;
mod pricing;
mod process;
mod recorded;
mod redaction;
mod report;
mod resampling;
mod rules;
mod sample;
mod score;
mod sharding;
mod show;
mod skill;
#[cfg(feature = "sql")]
mod sql;
mod studies;
mod view;

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

pub use outcome::{Exit, Failure};

use at::RunArg;
use outcome::Outcome;
use output::Out;

use trajview_store as store;
use trajview_store::{piped, remote};

#[derive(Debug, Parser)]
#[command(
    name = "trajview",
    version,
    about = "Plays back recorded runs of coding agents, turn by turn, as diffs",
    long_about = "Plays back recorded runs of coding agents, turn by turn, as diffs.\n\n\
        PATH is an agent's log, a run bundle (a folder with run.json), a file that holds many runs, a graded rubric tree of \
        PaperBench, or a folder that holds one of them; or the address of one on remote storage (s3://, gs://, az://, \
        https://). `trajview formats` lists what can be read.",
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
    Find(find::Args),
    Blame(blame::Args),
    History(history::Args),
    Score(score::Args),
    Judge(judge::Args),
    Live(Box<live::Args>),
    Batch(batch::Args),
    Mcp(mcp::Args),
    Hook(hook::Args),
    Inside(inside::Args),
    Audit(audit::Args),
    Agree(agree::Args),
    Annotations(annotations::Args),
    Compare(compare::Args),
    Corpus(corpus::Args),
    Clusters(clusters::Args),
    Sample(Box<sample::Args>),
    Cost(cost::Args),
    Process(process::Args),
    Decisions(decisions::Args),
    Layer(layer::Args),
    Memory(memory::Args),
    New(new::Args),
    Import(import::Args),
    Report(Box<report::Args>),
    Export(Box<export::Args>),
    Merge(merge::Args),
    #[cfg(feature = "sql")]
    Sql(Box<sql::Args>),
    Check(check::Args),
    Formats(formats::Args),
    Metrics(metrics::Args),
    Rules(rules::Args),
    Keys(keys::Args),
    Skill(skill::Args),
    Completions(completions::Args),
    Man(man::Args),
    Commands(commands::Args),
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
    // What publishers call the columns of their rows counts for every command; what is wrong with a settings file is said
    // by those that have settings.
    let _ = config::load(None);
    let mut out = Out::stdout();
    let outcome = dispatch(&cli, &mut out)
        .and_then(|exit| out.finish().map(|()| exit).map_err(Failure::from));
    remote::remarks().iter().for_each(|what| output::tell(what));
    piped::forget();
    remote::forget();
    store::forget_copies();
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
        Some(Command::Find(args)) => find::run(args, out),
        Some(Command::Blame(args)) => blame::run(args, out),
        Some(Command::History(args)) => history::run(args, out),
        Some(Command::Score(args)) => score::run(args, out),
        Some(Command::Judge(args)) => judge::run(args, out),
        Some(Command::Live(args)) => live::run(args, out),
        Some(Command::Batch(args)) => batch::run(args, out),
        Some(Command::Mcp(args)) => mcp::run(args, out),
        Some(Command::Hook(args)) => hook::run(args, out),
        Some(Command::Inside(args)) => inside::run(args),
        Some(Command::Audit(args)) => audit::run(args, out),
        Some(Command::Agree(args)) => agree::run(args, out),
        Some(Command::Annotations(args)) => annotations::run(args, out),
        Some(Command::Compare(args)) => compare::run(args, out),
        Some(Command::Corpus(args)) => corpus::run(args, out),
        Some(Command::Clusters(args)) => clusters::run(args, out),
        Some(Command::Sample(args)) => sample::run(args, out),
        Some(Command::Cost(args)) => cost::run(args, out),
        Some(Command::Process(args)) => process::run(args, out),
        Some(Command::Decisions(args)) => decisions::run(args, out),
        Some(Command::Layer(args)) => layer::run(args, out),
        Some(Command::Memory(args)) => memory::run(args, out),
        Some(Command::New(args)) => new::run(args, out),
        Some(Command::Import(args)) => import::run(args, out),
        Some(Command::Export(args)) => export::run(args, out),
        Some(Command::Report(args)) => report::run(args, out),
        Some(Command::Merge(args)) => merge::run(args, out),
        #[cfg(feature = "sql")]
        Some(Command::Sql(args)) => sql::run(args, out),
        Some(Command::Check(args)) => check::run(args, out),
        Some(Command::Formats(args)) => formats::run(args, out),
        Some(Command::Metrics(args)) => metrics::run(args, out),
        Some(Command::Rules(args)) => rules::run(args, out),
        Some(Command::Keys(args)) => keys::run(args, out),
        Some(Command::Skill(args)) => skill::run(args, out),
        Some(Command::Completions(args)) => completions::run(args, out),
        Some(Command::Man(args)) => man::run(args, out),
        Some(Command::Commands(args)) => commands::run(args, out),
    }
}

/// Carries out a command, given by its words without the program's name, and keeps what it would print and say.
fn kept(words: &[String]) -> Result<(Vec<output::Piece>, Vec<String>), Failure> {
    let words = ["trajview".to_owned()].into_iter().chain(words.iter().cloned());
    let cli = Cli::try_parse_from(words).map_err(|why| Failure::wrong(why.to_string()))?;
    let mut out = Out::keeping();
    let outcome = dispatch(&cli, &mut out);
    let kept = out.pieces();
    outcome.map(|_| kept)
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
