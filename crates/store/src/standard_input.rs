//! A recording on standard input: kept as a file of its own until the program ends, so that it can be read at any
//! place.

use std::{
    fs,
    io::{self, IsTerminal, Read, Seek, Write},
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use tempfile::TempDir;

use trajview_formats::HEAD_BYTES;

/// The path that stands for standard input.
pub const STDIN_PATH: &str = "-";

/// The most bytes that are taken from a pipe: a stream without end would fill the disk.
const MOST_BYTES: u64 = 16 << 30;

/// The folder of what was piped in, and the file in it; read once, however often it is named.
static PIPED: Mutex<Option<(TempDir, PathBuf)>> = Mutex::new(None);

/// Returns the file with the content of standard input. Errors where that is a terminal, has more than 16 GiB or cannot
/// be kept.
pub fn standard_input() -> io::Result<PathBuf> {
    let mut piped = PIPED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, path)) = &*piped {
        return Ok(path.clone());
    }
    if io::stdin().is_terminal() {
        return Err(io::Error::other("standard input is a terminal; pipe a recording into it"));
    }
    let folder = tempfile::Builder::new().prefix("trajview-").tempdir()?;
    let path = keep_input(io::stdin().lock(), &folder, MOST_BYTES)?;
    *piped = Some((folder, path.clone()));
    Ok(path)
}

/// Removes what [`standard_input`] kept.
pub fn remove_kept() {
    drop(PIPED.lock().unwrap_or_else(PoisonError::into_inner).take());
}

fn keep_input(from: impl Read, folder: &TempDir, most: u64) -> io::Result<PathBuf> {
    let mut from = from.take(most + 1);
    let mut head = vec![];
    from.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    let path = folder.path().join(name_for(&head));
    let mut file = fs::File::create(&path)?;
    file.write_all(&head)?;
    io::copy(&mut from, &mut file)?;
    if file.stream_position()? > most {
        return Err(io::Error::other(format!("more than {} GiB on standard input", most >> 30)));
    }
    Ok(path)
}

/// Returns a name with an extension that suits the first bytes: container files are recognised by their extensions, and
/// a pipe has none.
fn name_for(head: &[u8]) -> &'static str {
    let has = |at: usize, magic: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(magic));
    match () {
        () if has(0, b"PK") => "stdin.zip",
        () if has(0, b"PAR1") => "stdin.parquet",
        () if has(0, b"SQLite format 3\0") => "stdin.db",
        () if has(257, b"ustar") => "stdin.tar",
        () if has(0, b"\x1f\x8b") => "stdin.jsonl.gz",
        () if has(0, b"\x28\xb5\x2f\xfd") => "stdin.jsonl.zst",
        () => "stdin.jsonl",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_piped_in_is_kept_whole_under_a_name_that_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let log = b"{\"role\":\"user\"}\n".repeat(9_000);

        let path = keep_input(log.as_slice(), &folder, MOST_BYTES).unwrap();

        assert_eq!(path.file_name().unwrap(), "stdin.jsonl");
        assert!(fs::read(path).unwrap() == log);
        assert_eq!(name_for(b"PAR1...."), "stdin.parquet");
        assert_eq!(name_for(&[b"x".repeat(257).as_slice(), b"ustar"].concat()), "stdin.tar");
    }

    #[test]
    fn a_stream_without_end_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();

        let why = keep_input(io::repeat(b'x'), &folder, 1 << 20).unwrap_err();

        assert!(why.to_string().starts_with("more than "), "{why}");
    }
}
