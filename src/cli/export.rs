//! `trajview export`: a run in a form that other programs read.

use std::{fs, path::PathBuf};

use crate::store::{self, export};

use super::{
    Exit, Failure, Outcome,
    at::RunArg,
    output::{Out, tell},
    redaction::Redacting,
};

/// Write a run in a form that other programs read: ATIF 1.7, or messages of a chat
///
/// What the form cannot carry is said on standard error. Read again, the run is the same but for that, and for the keys,
/// passwords, addresses, home folders and names that are taken out (--redact off leaves them in).
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    /// The Agent Trajectory Interchange Format, version 1.7
    #[arg(long, required_unless_present = "messages", conflicts_with = "messages")]
    atif: bool,
    /// Messages in the form of OpenAI's API
    #[arg(long)]
    messages: bool,
    #[command(flatten)]
    redacting: Redacting,
    /// The file to make; standard output without it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    args.redacting.check()?;
    let opened = store::open(&args.run.path)?;
    let write = if args.atif { export::atif } else { export::messages };
    let made = write(&opened.run, &opened.archive);
    let redactor = args.redacting.redactor([&*opened.run]);
    let document = redactor.json("", made.document);
    if args.redacting.is_list() {
        args.redacting.list(&redactor, out)?;
        return Ok(Exit::Fine);
    }
    for what in &made.left_out {
        tell(&format!("not carried: {what}"));
    }
    args.redacting.tell(&redactor);
    let text = format!("{document:#}");
    match &args.out {
        None => out.line(&text)?,
        Some(path) => fs::write(path, text + "\n")
            .map_err(|why| Failure::unread(format!("cannot write {}: {why}", path.display())))?,
    }
    Ok(Exit::Fine)
}
