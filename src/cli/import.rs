//! `trajview import`: a run bundle from any recording we can read.

use std::path::PathBuf;

use trajview_store as store;
use trajview_store::import::ImportError;

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note},
    run_args,
};

/// Make a run bundle: the agent's unchanged logs, one git commit per turn
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// A log, a run bundle, a folder that holds one of them, or `-` for standard input; it is not changed
    #[arg(value_name = "SRC", value_parser = run_args::recording_parser())]
    source: PathBuf,
    /// The new folder; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &ImportArgs, out: &mut Out) -> CommandResult {
    let imported = store::import::import_bundle(&args.source, &args.out)?;
    imported.warnings.iter().for_each(|warning| print_note(warning));
    out.print_line(&format!(
        "{}: {}, {}, {}",
        args.out.display(),
        run_args::turns_text(imported.turns),
        run_args::count_with_noun(imported.commits, "commit"),
        run_args::count_with_noun(imported.logs, "log"),
    ))?;
    Ok(Exit::Fine)
}

impl From<ImportError> for CommandFailure {
    fn from(why: ImportError) -> Self {
        match why {
            ImportError::Open(why) => why.into(),
            ImportError::Write(why) => why.into(),
        }
    }
}
