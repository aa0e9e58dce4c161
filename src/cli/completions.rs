//! `trajview completions`: a script that completes the command line in a shell.

use clap::{Command, CommandFactory, builder::PossibleValuesParser};

use super::{CommandLine, CommandResult, Exit, config, output::Out};

/// Print a script that completes the command line in a shell
///
/// The script completes commands, options and their values. For --judge these are the judges of your settings file, so print
/// it again after a change of that file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For bash: trajview completions bash > ~/.local/share/bash-completion/completions/trajview"
)]
pub struct CompletionsArgs {
    /// Which shell
    shell: clap_complete::Shell,
}

pub fn run(args: &CompletionsArgs, out: &mut Out) -> CommandResult {
    let judges = config::load_settings(None)?.judges.into_iter();
    // Clap borrows the names of values for the whole program, which ends here.
    let judges: Vec<&'static str> = judges.map(|judge| &*judge.name.leak()).collect();
    let mut command_line = with_judges(CommandLine::command(), &judges);
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut command_line, "trajview", &mut script);
    out.print_bytes(&script)?;
    Ok(Exit::Fine)
}

/// Returns the command line with the names of judges as the values of `--judge`.
fn with_judges(command_line: Command, judges: &[&'static str]) -> Command {
    if judges.is_empty() {
        return command_line;
    }
    command_line.mut_subcommands(|command| {
        command.mut_args(|arg| match arg.get_long() {
            Some("judge") => arg.value_parser(PossibleValuesParser::new(judges)),
            _ => arg,
        })
    })
}
