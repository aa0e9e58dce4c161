//! The reasons why something cannot be read, in sentences.

use std::{fmt, io};

/// The reason why something on remote storage cannot be read: a sentence without secrets.
#[derive(Debug, Clone)]
pub struct RemoteFailure {
    pub kind: io::ErrorKind,
    sentence: String,
}

#[cfg(feature = "remote")]
const CHANGED: &str = "it changed while it was read; try again";

impl std::error::Error for RemoteFailure {}

impl fmt::Display for RemoteFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<RemoteFailure> for io::Error {
    fn from(why: RemoteFailure) -> Self {
        Self::new(why.kind, why)
    }
}

impl RemoteFailure {
    pub fn from_text(sentence: impl Into<String>) -> Self {
        Self { kind: io::ErrorKind::Other, sentence: sentence.into() }
    }

    /// Makes the failure of a path that does not exist.
    #[cfg(feature = "remote")]
    pub(crate) fn not_found() -> Self {
        Self { kind: io::ErrorKind::NotFound, sentence: "no such file or folder".into() }
    }
}

#[cfg(feature = "remote")]
impl RemoteFailure {
    pub(crate) fn changed_while_read() -> Self {
        Self::from_text(CHANGED)
    }

    /// Returns whether something is another than it was when it was listed.
    pub fn is_change(&self) -> bool {
        self.sentence == CHANGED
    }

    pub(crate) fn from_disk_error(why: &io::Error) -> Self {
        Self::from_text(format!("it cannot be stored: {}", error_reason(why)))
    }
}

/// Returns why a file cannot be read, without the operating system's numbers.
pub fn error_reason(why: &io::Error) -> String {
    if let Some(failure) = why.get_ref().and_then(|it| it.downcast_ref::<RemoteFailure>()) {
        return failure.to_string();
    }
    match why.kind() {
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => {
            let words = why.to_string();
            words.split(" (os error").next().unwrap_or(&words).to_lowercase()
        }
    }
}
