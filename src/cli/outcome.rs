//! How a command ends, and what is said where it stopped.

use trajview_store::{OpenError, write::WriteError};

use super::judge::signals;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Fine,
    /// The check asked for failed.
    Failed,
    WrongArguments,
    CannotRead,
    CannotUnderstand,
    Interrupted,
    /// Ended by this signal.
    Signal(u8),
}

impl Exit {
    /// The exit code that scripts may rely on.
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

/// Why a command stopped: a sentence for standard error, and how the program ends.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// Empty where there is nothing to say: the reader of our output went away.
    pub sentence: String,
}

impl Failure {
    pub fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self { exit, sentence: sentence.into() }
    }

    pub fn wrong(sentence: impl Into<String>) -> Self {
        Self::new(Exit::WrongArguments, sentence)
    }

    pub fn unread(sentence: impl Into<String>) -> Self {
        Self::new(Exit::CannotRead, sentence)
    }

    pub fn not_understood(sentence: impl Into<String>) -> Self {
        Self::new(Exit::CannotUnderstand, sentence)
    }

    /// What was asked for was stopped, by a signal where one was sent.
    pub fn stopped(signal: Option<u8>, sentence: impl Into<String>) -> Self {
        let is_interrupt = signal.is_none_or(|signal| signal == signals::INTERRUPT);
        let exit = signal.filter(|_| !is_interrupt).map_or(Exit::Interrupted, Exit::Signal);
        Self::new(exit, sentence)
    }
}

impl From<OpenError> for Failure {
    fn from(why: OpenError) -> Self {
        let exit = match why {
            OpenError::Read { .. } => Exit::CannotRead,
            OpenError::Understand { .. } => Exit::CannotUnderstand,
        };
        Self::new(exit, why.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(why: WriteError) -> Self {
        let exit = match why {
            WriteError::Taken { .. } => Exit::WrongArguments,
            WriteError::Write { .. } => Exit::CannotRead,
        };
        Self::new(exit, why.to_string())
    }
}

impl From<std::io::Error> for Failure {
    /// Output that nobody reads any more is no failure.
    fn from(why: std::io::Error) -> Self {
        match why.kind() {
            std::io::ErrorKind::BrokenPipe => Self::new(Exit::Fine, ""),
            _ => Self::unread(format!("cannot write the output: {why}")),
        }
    }
}

/// What a command comes to.
pub type Outcome = Result<Exit, Failure>;
