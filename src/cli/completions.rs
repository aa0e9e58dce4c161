//! `trajview completions`: a script that completes the command line in a shell.

use clap::CommandFactory;

use super::{CommandLine, CommandResult, Exit, output::Out};

/// Print a script that completes the command line in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For bash: trajview completions bash > ~/.local/share/bash-completion/completions/trajview"
)]
pub struct CompletionsArgs {
    /// Which shell
    shell: clap_complete::Shell,
}

pub fn run(args: &CompletionsArgs, out: &mut Out) -> CommandResult {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut CommandLine::command(), "trajview", &mut script);
    out.print_bytes(&script)?;
    Ok(Exit::Fine)
}
