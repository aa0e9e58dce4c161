//! The exit status of a command, and the reason of a failure.

use std::{io, path::Path};

use trajview_run::address::is_address;
use trajview_store::{OpenError, error_reason, write::WriteError};

use super::{judge::signals, run_args, suggestions};

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Fine,
    /// The requested check failed.
    Failed,
    WrongArguments,
    CannotRead,
    CannotUnderstand,
    Interrupted,
    /// Ended by this signal.
    Signal(u8),
}

impl Exit {
    /// Returns the exit code that scripts may rely on.
    pub const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Failed => 1,
            Self::WrongArguments => 2,
            Self::CannotRead => 3,
            Self::CannotUnderstand => 4,
            Self::Interrupted => 130,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// The failure of a command: a sentence for standard error, and the exit status.
#[derive(Debug)]
pub struct CommandFailure {
    pub exit: Exit,
    /// Empty if there is nothing to print: the reader of our output closed it.
    pub sentence: String,
}

impl CommandFailure {
    pub fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self { exit, sentence: sentence.into() }
    }

    pub(crate) fn wrong_arguments(sentence: impl Into<String>) -> Self {
        Self::new(Exit::WrongArguments, sentence)
    }

    pub(crate) fn cannot_read(sentence: impl Into<String>) -> Self {
        Self::new(Exit::CannotRead, sentence)
    }

    /// Makes the failure of a file that cannot be read.
    pub(crate) fn unreadable(path: &Path, why: &io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::NotFound => suggestions::missing_path(path),
            _ => {
                Self::cannot_read(format!("cannot read {}: {}", path.display(), error_reason(why)))
            }
        }
    }

    /// Makes the failure of a file that cannot be written.
    pub(crate) fn unwritable(path: &Path, why: &io::Error) -> Self {
        Self::cannot_read(format!("cannot write {}: {}", path.display(), error_reason(why)))
    }

    pub fn cannot_understand(sentence: impl Into<String>) -> Self {
        Self::new(Exit::CannotUnderstand, sentence)
    }

    /// Makes the result of work that was stopped, by a signal if there is a number.
    pub(crate) fn stopped_by(signal: Option<u8>, sentence: impl Into<String>) -> Self {
        let is_interrupt = signal.is_none_or(|signal| signal == signals::INTERRUPT);
        let exit = signal.filter(|_| !is_interrupt).map_or(Exit::Interrupted, Exit::Signal);
        Self::new(exit, sentence)
    }
}

impl From<OpenError> for CommandFailure {
    fn from(why: OpenError) -> Self {
        match &why {
            OpenError::Read { path, .. } if !is_address(path) && run_args::is_missing(path) => {
                suggestions::missing_path(path)
            }
            OpenError::Read { .. } => Self::cannot_read(why.to_string()),
            OpenError::Understand { .. } => Self::cannot_understand(why.to_string()),
        }
    }
}

impl From<WriteError> for CommandFailure {
    fn from(why: WriteError) -> Self {
        let exit = match why {
            WriteError::Taken { .. } => Exit::WrongArguments,
            WriteError::Write { .. } => Exit::CannotRead,
        };
        Self::new(exit, why.to_string())
    }
}

impl From<io::Error> for CommandFailure {
    /// Converts an error of writing. Output that nobody reads any more is not a failure.
    fn from(why: io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::Fine, ""),
            _ => Self::cannot_read(format!("cannot write the output: {}", error_reason(&why))),
        }
    }
}

/// The result of a command.
pub type CommandResult = Result<Exit, CommandFailure>;
