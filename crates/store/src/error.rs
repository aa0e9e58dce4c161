//! The reasons why a recording cannot be opened.

use std::path::PathBuf;

/// The reason why a recording could not be opened. Each is a sentence with the path.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Exit code 3.
    #[error("cannot read {}: {why}", path.display())]
    Read { path: PathBuf, why: String },
    /// Exit code 4.
    #[error("{}: {why}", path.display())]
    Understand { path: PathBuf, why: String },
}
