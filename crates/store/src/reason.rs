//! Why something cannot be read, in a sentence.

use std::{fmt, io};

/// Why something on remote storage cannot be read: a sentence, without anything that is secret.
#[derive(Debug, Clone)]
pub struct Failure {
    pub kind: io::ErrorKind,
    words: String,
}

#[cfg(feature = "remote")]
const CHANGED: &str = "it changed while it was read; try again";

impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl From<Failure> for io::Error {
    fn from(why: Failure) -> Self {
        Self::new(why.kind, why)
    }
}

impl Failure {
    pub fn other(words: impl Into<String>) -> Self {
        Self { kind: io::ErrorKind::Other, words: words.into() }
    }

    /// Of something that is not there.
    pub fn not_found() -> Self {
        Self { kind: io::ErrorKind::NotFound, words: "no such file or folder".into() }
    }
}

#[cfg(feature = "remote")]
impl Failure {
    pub fn changed() -> Self {
        Self::other(CHANGED)
    }

    /// Whether something is another than it was when it was listed.
    pub fn is_change(&self) -> bool {
        self.words == CHANGED
    }

    pub fn of_disk(why: &io::Error) -> Self {
        Self::other(format!("it cannot be kept: {}", reason(why)))
    }
}

/// Why a file cannot be read, without the operating system's numbers.
pub fn reason(why: &io::Error) -> String {
    if let Some(failure) = why.get_ref().and_then(|it| it.downcast_ref::<Failure>()) {
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
