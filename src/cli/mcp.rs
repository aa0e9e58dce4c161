//! `trajview mcp`: recorded runs as tools of an agent, over the Model Context Protocol.
//!
//! [`server`] speaks the protocol, by its official SDK, and knows no tool. [`tools`] has the tools over recorded runs: each
//! takes the JSON of a command apart into rows, which [`answer`] redacts, cuts and divides into pages. [`layer_search`] is the
//! one tool over the layers of a live run. A new tool is a file in `tools/` and a row in `tools::all_tools`.

mod answer;
mod layer_search;
mod recordings;
mod server;
mod tools;

use std::path::PathBuf;

use clap::ValueEnum;

use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit, config, redaction::RedactingArgs, run_args, suggestions,
};
use layer_search::LayerSearch;
use recordings::Recordings;
use tools::RunTools;

/// Serve runs to an agent, read-only (Model Context Protocol)
///
/// The agent starts this command and asks questions with eight tools: runs, step, diff, find, score, verdicts, losses, sql. No
/// tool can write. An answer has at most 10,000 characters; the next page is had with its cursor. Every row cites a place such as
/// RUN:12.7, which `trajview RUN:12.7` opens. Keys, passwords, addresses, home folders and names are redacted as in a report;
/// the places are not. For a rater who has labelled something of a run, the verdicts on items without a label and the means
/// stay hidden.
#[derive(Debug, clap::Args)]
#[command(after_help = "Claude Code: claude mcp add trajview -- trajview mcp RUNS\n\
    Codex: codex mcp add trajview -- trajview mcp RUNS")]
pub struct McpArgs {
    /// Recordings, or folders of them
    #[arg(value_name = "RUNS", required_unless_present = "socket", value_parser = run_args::place_parser())]
    runs: Vec<PathBuf>,
    /// Redact keys, passwords, e-mail addresses, home folders and names
    #[arg(long, value_enum, default_value_t = OnOff::On)]
    redact: OnOff,
    /// An additional word to redact, such as the name of a person; can be given several times
    #[arg(long, value_name = "WORD")]
    redact_name: Vec<String>,
    /// Name of the rater from whom verdicts are hidden; default: the setting `annotator`, else the user's name
    #[arg(long, value_name = "NAME")]
    annotator: Option<String>,
    /// Socket of a live run: the server of its layers (used by agents of `trajview live`)
    #[arg(long, value_name = "PATH", hide = true, conflicts_with = "runs")]
    socket: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnOff {
    On,
    Off,
}

pub fn run(args: &McpArgs) -> CommandResult {
    let served = match &args.socket {
        Some(socket) => server::serve_tools(LayerSearch::new(socket.clone())),
        None => server::serve_tools(RunTools::new(open_recordings(args)?)),
    };
    served.map_err(CommandFailure::cannot_read)?;
    Ok(Exit::Fine)
}

fn open_recordings(args: &McpArgs) -> Result<Recordings, CommandFailure> {
    if let Some(path) = args.runs.iter().find(|path| run_args::is_missing(path)) {
        return Err(suggestions::missing_path(path));
    }
    let settings = config::load_settings(None)?.config;
    store::rubric::hide_from_rater(args.annotator.clone().or(settings.annotator));
    let redacting = match args.redact {
        OnOff::On => RedactingArgs::with_words(args.redact_name.clone()),
        OnOff::Off => RedactingArgs::off(),
    };
    Ok(Recordings::new(args.runs.clone(), redacting))
}
