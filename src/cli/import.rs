//! `trajview import`: a run bundle from any recording we can read.

use std::path::PathBuf;

use trajview_store as store;
use trajview_store::import::ImportError;

use super::{
    Exit, Failure, Outcome, at,
    output::{Out, tell},
};

/// Make a run bundle: the agent's logs as they are, one git commit a turn
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A log, a run bundle, a folder that holds one of them, or `-` for standard input; it is only read
    #[arg(value_name = "SRC", value_parser = at::recording())]
    source: PathBuf,
    /// The folder to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let imported = store::import::import(&args.source, &args.out)?;
    imported.warnings.iter().for_each(|warning| tell(warning));
    out.line(&format!(
        "{}: {}, {}, {}",
        args.out.display(),
        at::turns(imported.turns),
        at::counted(imported.commits, "commit"),
        at::counted(imported.logs, "log"),
    ))?;
    Ok(Exit::Fine)
}

impl From<ImportError> for Failure {
    fn from(why: ImportError) -> Self {
        match why {
            ImportError::Open(why) => why.into(),
            ImportError::Write(why) => why.into(),
        }
    }
}
