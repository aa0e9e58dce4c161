//! `trajview completions`: a script that completes the command line in a shell.

use clap::CommandFactory;

use super::{Cli, Exit, Outcome, output::Out};

/// Print a script that completes the command line in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For bash: trajview completions bash > ~/.local/share/bash-completion/completions/trajview"
)]
pub struct Args {
    /// Which shell
    shell: clap_complete::Shell,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut Cli::command(), "trajview", &mut script);
    out.raw(&script)?;
    Ok(Exit::Fine)
}
