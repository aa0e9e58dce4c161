//! The exit status of a command, and the reason of a failure.

use trajview_store::{OpenError, write::WriteError};

use super::judge::signals;

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
        let exit = match why {
            OpenError::Read { .. } => Exit::CannotRead,
            OpenError::Understand { .. } => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
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

impl From<std::io::Error> for CommandFailure {
    /// Converts an error of writing. Output that nobody reads any more is not a failure.
    fn from(why: std::io::Error) -> Self {
        match why.kind() {
            std::io::ErrorKind::BrokenPipe => Self::new(Exit::Fine, ""),
            _ => Self::cannot_read(format!("cannot write the output: {why}")),
        }
    }
}

/// The result of a command.
pub type CommandResult = Result<Exit, CommandFailure>;
