//! `trajview import`: a run bundle from any recording we can read.

use std::path::PathBuf;

use crate::store::{self, OpenError, import::ImportError, write::WriteError};

use super::{
    Exit, Failure, Outcome, at,
    output::{Out, plain},
};

/// Make a run bundle: the agent's logs as they are, one git commit a turn
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A log, a run bundle, or a folder that holds one of them; it is only read
    #[arg(value_name = "SRC")]
    source: PathBuf,
    /// The folder to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let imported = store::import::import(&args.source, &args.out)?;
    for warning in &imported.warnings {
        eprintln!("trajview: {}", plain(warning));
    }
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
        let exit = match &why {
            ImportError::Open(OpenError::Understand { .. }) => Exit::CannotUnderstand,
            ImportError::Open(OpenError::Read { .. })
            | ImportError::Write(WriteError::Write { .. }) => Exit::CannotRead,
            ImportError::Write(WriteError::Taken { .. }) => Exit::WrongArguments,
        };
        Self::new(exit, why.to_string())
    }
}
