//! Files of the user's own that a judge is told by.

use std::{fs::File, io::Read, path::Path};

/// Why there is nothing to be told; shown, a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OwnError {
    #[error("cannot read {path}: {why}")]
    Read { path: String, why: String },
    #[error("{path} {why}")]
    Understand { path: String, why: String },
}

/// What `of` makes of the bytes of a file and of its name, no more of them than say that it is too long.
pub fn read<T>(
    path: &Path,
    most: usize,
    of: impl FnOnce(&[u8], &str) -> Result<T, String>,
) -> Result<T, OwnError> {
    let shown = path.display().to_string();
    let cannot = |why: &str| OwnError::Read { path: shown.clone(), why: why.to_owned() };
    // Reading a pipe could take for ever.
    let meta = std::fs::metadata(path).map_err(|why| cannot(&why.to_string()))?;
    if !meta.is_file() {
        return Err(cannot("it is not a regular file"));
    }
    let mut bytes = vec![];
    let file = File::open(path).map_err(|why| cannot(&why.to_string()))?;
    let most = most as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(|why| cannot(&why.to_string()))?;
    of(&bytes, &shown).map_err(|why| OwnError::Understand { path: shown, why })
}
