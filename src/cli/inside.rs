//! `trajview inside`: runs the program of an agent in a sandbox whose loopback has one port that leads to the model server.

use std::path::PathBuf;

use trajview_live::loopback;

use super::{CommandFailure, CommandResult, Exit};

/// Run a program with one port forwarded to a socket (used by `trajview live` in a sandbox, not by people)
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct InsideArgs {
    /// The port of the model server
    #[arg(long)]
    port: u16,
    /// Socket of the port forwarding
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    words: Vec<String>,
}

pub fn run(args: &InsideArgs) -> CommandResult {
    match loopback::run_inside(args.port, &args.socket, &args.words) {
        Ok(0) => Ok(Exit::Fine),
        Ok(code) => std::process::exit(code),
        Err(why) => {
            let (program, why) = (args.words.join(" "), trajview_store::error_reason(&why));
            Err(CommandFailure::cannot_read(format!("cannot run {program}: {why}")))
        }
    }
}
