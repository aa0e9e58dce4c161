//! The commands, one file each. A command opens a recording through `store`, asks the library and prints.
//!
//! To add one, write `cli/<name>.rs` with its arguments and a `run`, and add one word to `CliCommand`.

mod agree;
mod annotations;
mod asciicast;
mod audit;
mod batch;
mod blame;
mod cat;
mod check;
mod clusters;
mod command_result;
mod commands;
mod compare;
mod completions;
mod component_comparison;
mod config;
mod corpus;
mod cost;
mod decisions;
mod diff;
mod export;
mod find;
mod formats;
mod harness_records;
mod history;
mod hook;
mod import;
mod inside;
mod judge;
mod keys;
mod layer;
mod live;
mod losses;
mod ls;
mod man;
mod mcp;
mod measuring_args;
mod memory;
mod merge;
mod metrics;
mod new;
mod output;
mod pricing;
mod process;
mod redaction;
mod report;
mod resampling;
mod rules;
mod run_args;
mod sample;
mod score;
mod sharding;
mod show;
mod show_json;
mod skill;
#[cfg(feature = "sql")]
mod sql;
mod studies;
mod view;

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

pub use command_result::{CommandFailure, Exit};

use command_result::CommandResult;
use output::Out;
use run_args::RunArg;

use trajview_store as store;
use trajview_store::{remote, standard_input};

#[derive(Debug, Parser)]
#[command(
    name = "trajview",
    version,
    about = "Plays back recorded runs of coding agents, turn by turn, as diffs",
    long_about = "Plays back recorded runs of coding agents, turn by turn, as diffs.\n\n\
        PATH is an agent's log, a run bundle (a folder with run.json), a file with many runs, a graded rubric tree of \
        PaperBench, or a folder that holds one of them; or its address on remote storage (s3://, gs://, az://, \
        https://). `trajview formats` lists the readable formats.",
    after_help = "Exit codes: 0 success, 1 a requested check failed, 2 wrong arguments, 3 cannot read, 4 cannot parse, 130 interrupted.",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    view: view::ViewArgs,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Show(show::ShowArgs),
    Diff(diff::DiffArgs),
    Cat(cat::CatArgs),
    Ls(ls::LsArgs),
    Find(find::FindArgs),
    Blame(blame::BlameArgs),
    History(history::HistoryArgs),
    Score(score::ScoreArgs),
    Losses(losses::LossesArgs),
    Judge(judge::JudgeArgs),
    Live(Box<live::LiveArgs>),
    Batch(batch::BatchArgs),
    Mcp(mcp::McpArgs),
    Hook(hook::HookArgs),
    Inside(inside::InsideArgs),
    Audit(audit::AuditArgs),
    Agree(agree::AgreeArgs),
    Annotations(annotations::AnnotationsArgs),
    Compare(compare::CompareArgs),
    Corpus(corpus::CorpusArgs),
    Clusters(clusters::ClustersArgs),
    Sample(Box<sample::SampleArgs>),
    Cost(cost::CostArgs),
    Process(process::ProcessArgs),
    Decisions(decisions::DecisionsArgs),
    Layer(layer::LayerArgs),
    Memory(memory::MemoryArgs),
    New(new::NewArgs),
    Import(import::ImportArgs),
    Report(Box<report::ReportArgs>),
    Export(Box<export::ExportArgs>),
    Merge(merge::Args),
    #[cfg(feature = "sql")]
    Sql(Box<sql::SqlArgs>),
    Check(check::CheckArgs),
    Formats(formats::FormatsArgs),
    Metrics(metrics::MetricsArgs),
    Rules(rules::RulesArgs),
    Keys(keys::KeysArgs),
    Skill(skill::SkillArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Commands(commands::CommandsArgs),
}

/// Runs the command line and returns the exit status of the program. Messages go to standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match CommandLine::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(why) => {
            let _ = why.print(); // nobody is left to tell where standard error is closed
            return if why.use_stderr() { Exit::WrongArguments } else { Exit::Fine };
        }
    };
    // The settings name publishers' columns, which every command uses; errors in the settings file are reported by the
    // commands that use settings.
    let _ = config::load_settings(None);
    let mut out = Out::stdout();
    let outcome = dispatch(&cli, &mut out)
        .and_then(|exit| out.finish().map(|()| exit).map_err(CommandFailure::from));
    remote::remarks().iter().for_each(|what| output::print_note(what));
    standard_input::remove_kept();
    remote::remove_temporary();
    store::remove_copies();
    outcome.unwrap_or_else(|failure| {
        if !failure.sentence.is_empty() {
            output::print_note(&failure.sentence);
        }
        failure.exit
    })
}

fn dispatch(cli: &CommandLine, out: &mut Out) -> CommandResult {
    match &cli.command {
        None => view::run(&cli.view, out),
        Some(CliCommand::Show(args)) => show::run(args, out),
        Some(CliCommand::Diff(args)) => diff::run(args, out),
        Some(CliCommand::Cat(args)) => cat::run(args, out),
        Some(CliCommand::Ls(args)) => ls::run(args, out),
        Some(CliCommand::Find(args)) => find::run(args, out),
        Some(CliCommand::Blame(args)) => blame::run(args, out),
        Some(CliCommand::History(args)) => history::run(args, out),
        Some(CliCommand::Score(args)) => score::run(args, out),
        Some(CliCommand::Losses(args)) => losses::run(args, out),
        Some(CliCommand::Judge(args)) => judge::run(args, out),
        Some(CliCommand::Live(args)) => live::run(args, out),
        Some(CliCommand::Batch(args)) => batch::run(args, out),
        Some(CliCommand::Mcp(args)) => mcp::run(args, out),
        Some(CliCommand::Hook(args)) => hook::run(args, out),
        Some(CliCommand::Inside(args)) => inside::run(args),
        Some(CliCommand::Audit(args)) => audit::run(args, out),
        Some(CliCommand::Agree(args)) => agree::run(args, out),
        Some(CliCommand::Annotations(args)) => annotations::run(args, out),
        Some(CliCommand::Compare(args)) => compare::run(args, out),
        Some(CliCommand::Corpus(args)) => corpus::run(args, out),
        Some(CliCommand::Clusters(args)) => clusters::run(args, out),
        Some(CliCommand::Sample(args)) => sample::run(args, out),
        Some(CliCommand::Cost(args)) => cost::run(args, out),
        Some(CliCommand::Process(args)) => process::run(args, out),
        Some(CliCommand::Decisions(args)) => decisions::run(args, out),
        Some(CliCommand::Layer(args)) => layer::run(args, out),
        Some(CliCommand::Memory(args)) => memory::run(args, out),
        Some(CliCommand::New(args)) => new::run(args, out),
        Some(CliCommand::Import(args)) => import::run(args, out),
        Some(CliCommand::Export(args)) => export::run(args, out),
        Some(CliCommand::Report(args)) => report::run(args, out),
        Some(CliCommand::Merge(args)) => merge::run(args, out),
        #[cfg(feature = "sql")]
        Some(CliCommand::Sql(args)) => sql::run(args, out),
        Some(CliCommand::Check(args)) => check::run(args, out),
        Some(CliCommand::Formats(args)) => formats::run(args, out),
        Some(CliCommand::Metrics(args)) => metrics::run(args, out),
        Some(CliCommand::Rules(args)) => rules::run(args, out),
        Some(CliCommand::Keys(args)) => keys::run(args, out),
        Some(CliCommand::Skill(args)) => skill::run(args, out),
        Some(CliCommand::Completions(args)) => completions::run(args, out),
        Some(CliCommand::Man(args)) => man::run(args, out),
        Some(CliCommand::Commands(args)) => commands::run(args, out),
    }
}

/// Runs a command, given by its words without the program's name, and captures what it would print.
fn captured_output(
    words: &[String],
) -> Result<(Vec<output::OutputPiece>, Vec<String>), CommandFailure> {
    let words = ["trajview".to_owned()].into_iter().chain(words.iter().cloned());
    let cli = CommandLine::try_parse_from(words)
        .map_err(|why| CommandFailure::wrong_arguments(why.to_string()))?;
    let mut out = Out::capturing();
    let outcome = dispatch(&cli, &mut out);
    let captured = out.into_pieces();
    outcome.map(|_| captured)
}

/// Returns the names of the commands that the help lists.
pub fn command_names() -> Vec<String> {
    let cli = CommandLine::command();
    let listed = cli.get_subcommands().filter(|command| !command.is_hide_set());
    listed.map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does() {
        for command in CommandLine::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }

    #[test]
    fn every_option_says_what_it_does() {
        let cli = CommandLine::command();
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
