//! Why a recording cannot be opened.

use std::path::PathBuf;

/// Why a recording could not be opened. Each says which path, in a sentence.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Exit code 3.
    #[error("cannot read {}: {why}", path.display())]
    Read { path: PathBuf, why: String },
    /// Exit code 4.
    #[error("{}: {why}", path.display())]
    Understand { path: PathBuf, why: String },
}
