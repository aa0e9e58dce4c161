//! The commands, one file each. A command opens a recording through `store`, asks the library and prints.
//!
//! To add one, write `cli/<name>.rs` with its arguments and a `run`, and add one word to `CliCommand` and a row with two
//! examples to `help`.

mod agree;
mod annotations;
mod arguments;
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
mod corrected_fields;
mod cost;
mod decisions;
mod diff;
mod export;
mod figure;
mod find;
mod formats;
mod harness_records;
mod help;
mod history;
mod hook;
mod import;
mod inside;
mod judge;
mod keys;
mod layer;
mod list;
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
mod schemas;
mod score;
mod sharding;
mod show;
mod show_json;
mod skill;
#[cfg(feature = "sql")]
mod sql;
mod studies;
mod suggestions;
mod trial_columns;
mod version;
mod view;

use std::{
    ffi::OsString,
    io::{IsTerminal, Write},
};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};

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
        https://). `trajview list formats` lists the readable formats.",
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
    /// Open the screen: a run, two runs to compare, or a folder as a table
    Open(Box<view::ViewArgs>),
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
    Figure(Box<figure::FigureArgs>),
    Merge(merge::Args),
    #[cfg(feature = "sql")]
    Sql(Box<sql::SqlArgs>),
    Check(check::CheckArgs),
    List(list::ListArgs),
    /// The old name of `trajview list formats`
    #[command(hide = true)]
    Formats(formats::FormatsArgs),
    /// The old name of `trajview list metrics`
    #[command(hide = true)]
    Metrics(metrics::MetricsArgs),
    /// The old name of `trajview list rules`
    #[command(hide = true)]
    Rules(rules::RulesArgs),
    /// The old name of `trajview list keys`
    #[command(hide = true)]
    Keys(keys::KeysArgs),
    Help(help::HelpArgs),
    Skill(skill::SkillArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Commands(commands::CommandsArgs),
}

/// Runs the command line and returns the exit status of the program. Messages go to standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let command_line = help::command_line();
    let arranged = arguments::arrange_arguments(&command_line, arguments);
    let cli = match parse_words(command_line, &arranged.words) {
        Ok(cli) => cli,
        Err(why) => return print_parse_error(&why, &arranged.words),
    };
    if let Some(file) = arranged.settings_file {
        config::set_settings_file(file);
    }
    // The settings name publishers' columns and the pinned judge, which every command uses; errors in the settings file are
    // reported by the commands that use settings.
    if let Ok(loaded) = config::load_settings(None) {
        store::rubric::pin_judge(loaded.config.judge);
    }
    let mut out = Out::stdout();
    let outcome = dispatch(&cli, &mut out)
        .and_then(|exit| out.finish().map(|()| exit).map_err(CommandFailure::from));
    let notes = remote::remarks().into_iter().chain(store::outside_link_notes());
    notes.for_each(|what| output::print_note(&what));
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

fn parse_words(
    command_line: clap::Command,
    words: &[OsString],
) -> Result<CommandLine, clap::Error> {
    let matches = command_line.try_get_matches_from(words)?;
    CommandLine::from_arg_matches(&matches)
}

/// Prints why the command line cannot be parsed, or the help that was requested.
fn print_parse_error(why: &clap::Error, words: &[OsString]) -> Exit {
    if !why.use_stderr() {
        let _ = why.print(); // no reader is left where standard output is closed
        return Exit::Fine;
    }
    let first = words.get(1).filter(|_| why.kind() == ErrorKind::UnknownArgument);
    if let Some(sentence) = first.and_then(|word| suggestions::mistyped_command(word.as_ref())) {
        output::print_note(&sentence);
        return Exit::WrongArguments;
    }
    let has_colours = std::io::stderr().is_terminal() && !crate::runtime::has_no_color();
    let text = match has_colours {
        true => why.render().ansi().to_string(),
        false => why.render().to_string(),
    };
    // The sentences of the standard library for numbers do not say what is expected.
    let text = text.replace("invalid digit found in string", "expected a whole number");
    let text = text.replace("invalid float literal", "expected a number");
    let _ = std::io::stderr().write_all(text.as_bytes()); // no reader is left where standard error is closed
    Exit::WrongArguments
}

fn dispatch(cli: &CommandLine, out: &mut Out) -> CommandResult {
    match &cli.command {
        None => view::run(&cli.view, out),
        Some(CliCommand::Open(args)) => view::run(args, out),
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
        Some(CliCommand::Mcp(args)) => mcp::run(args),
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
        Some(CliCommand::Figure(args)) => figure::run(args, out),
        Some(CliCommand::Report(args)) => report::run(args, out),
        Some(CliCommand::Merge(args)) => merge::run(args, out),
        #[cfg(feature = "sql")]
        Some(CliCommand::Sql(args)) => sql::run(args, out),
        Some(CliCommand::Check(args)) => check::run(args, out),
        Some(CliCommand::List(args)) => list::run(args, out),
        Some(CliCommand::Help(args)) => help::run(args, out),
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
    let words = std::iter::once("trajview".into()).chain(words.iter().map(OsString::from));
    let cli = parse_words(help::command_line(), &words.collect::<Vec<_>>())
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
