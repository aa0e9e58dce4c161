//! How tables were left, kept from one start of the program to the next: lines of text, which views write and read.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// Longer is nothing that was written here.
const MOST_BYTES: u64 = 4096;

/// The file and what is in it; None where nothing was kept. Bytes that are no text stand as `U+FFFD`.
pub fn kept() -> Option<(PathBuf, String)> {
    let file = file()?;
    let text = text_of(&file)?;
    Some((file, text))
}

/// Puts these lines in the place of those that begin with the name. What cannot be kept is forgotten.
pub fn keep(name: &str, lines: &str) {
    if let Some(file) = file() {
        keep_in(&file, name, lines);
    }
}

/// Takes away what is kept: it is damaged.
pub fn forget(file: &Path) {
    let _ = fs::remove_file(file); // what stays is told of once more
}

fn keep_in(file: &Path, name: &str, lines: &str) {
    let before = text_of(file).unwrap_or_default();
    let is_other = |line: &&str| line.split_whitespace().next().is_some_and(|word| word != name);
    let others = before.lines().filter(is_other).map(|line| format!("{line}\n"));
    let text: String = others.chain([lines.to_owned()]).collect();
    let made = file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
    if made {
        let _ = fs::write(file, text); // it is a convenience and nothing depends on it
    }
}

fn text_of(file: &Path) -> Option<String> {
    let mut bytes = vec![];
    File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Below `$XDG_STATE_HOME` or `~/.local/state`; where a system has no such folder, in that of the cache.
fn file() -> Option<PathBuf> {
    Some(super::user_folders::state()?.join("trajview").join("tables"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_its_own_lines_and_bytes_are_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/tables");

        keep_in(&file, "runs", "runs sort cost\n");
        keep_in(&file, "start", "start columns scores\n");
        keep_in(&file, "runs", "runs columns sessions\n");
        assert_eq!(text_of(&file).unwrap(), "start columns scores\nruns columns sessions\n");

        fs::write(&file, b"\xff\xfe\n").unwrap();
        assert_eq!(text_of(&file).unwrap(), "\u{fffd}\u{fffd}\n");
    }
}
