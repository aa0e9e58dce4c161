//! Reads files that a user wrote for a judge: a prompt, criteria.

use std::{fs::File, io::Read, path::Path};

/// The reason why the file cannot be used; shown, a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserFileError {
    #[error("cannot read {path}: {why}")]
    Read { path: String, why: String },
    #[error("{path} {why}")]
    Understand { path: String, why: String },
}

/// Reads a file and parses its bytes with its name by `parse`; a file that is too long is read no further than is needed
/// to see that.
pub fn read_user_file<T>(
    path: &Path,
    most: usize,
    parse: impl FnOnce(&[u8], &str) -> Result<T, String>,
) -> Result<T, UserFileError> {
    let shown = path.display().to_string();
    let cannot = |why: &str| UserFileError::Read { path: shown.clone(), why: why.to_owned() };
    // Reading a pipe could take for ever.
    let meta =
        std::fs::metadata(path).map_err(|why| cannot(&trajview_store::error_reason(&why)))?;
    if !meta.is_file() {
        return Err(cannot("it is not a regular file"));
    }
    let mut bytes = vec![];
    let file = File::open(path).map_err(|why| cannot(&trajview_store::error_reason(&why)))?;
    let most = most as u64 + 1;
    file.take(most)
        .read_to_end(&mut bytes)
        .map_err(|why| cannot(&trajview_store::error_reason(&why)))?;
    parse(&bytes, &shown).map_err(|why| UserFileError::Understand { path: shown, why })
}
