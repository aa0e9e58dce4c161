//! The saved state of tables on screen, from one start of the program to the next: lines of text, which views write and
//! read.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// The most bytes of the file; a longer one was not written here.
const MOST_BYTES: u64 = 4096;

/// Returns the file and its text; None where nothing was saved. Bytes that are no text become `U+FFFD`.
pub fn read_saved() -> Option<(PathBuf, String)> {
    let file = state_file()?;
    let text = read_text(&file)?;
    Some((file, text))
}

/// Replaces the lines that begin with the name by these. A failure is ignored.
pub fn save_lines(name: &str, lines: &str) {
    if let Some(file) = state_file() {
        save_lines_in(&file, name, lines);
    }
}

/// Removes the saved state, which is damaged.
pub fn remove_saved(file: &Path) {
    let _ = fs::remove_file(file); // a file that stays is reported again
}

fn save_lines_in(file: &Path, name: &str, lines: &str) {
    let before = read_text(file).unwrap_or_default();
    let is_other = |line: &&str| line.split_whitespace().next().is_some_and(|word| word != name);
    let others = before.lines().filter(is_other).map(|line| format!("{line}\n"));
    let text: String = others.chain([lines.to_owned()]).collect();
    let made = file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
    if made {
        let _ = fs::write(file, text); // it is a convenience and nothing depends on it
    }
}

fn read_text(file: &Path) -> Option<String> {
    let mut bytes = vec![];
    File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the file below `$XDG_STATE_HOME` or `~/.local/state`; where a system has no such folder, in that of the
/// cache.
fn state_file() -> Option<PathBuf> {
    Some(super::user_folders::state_folder()?.join("trajview").join("tables"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_its_own_lines_and_bytes_are_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/tables");

        save_lines_in(&file, "runs", "runs sort cost\n");
        save_lines_in(&file, "start", "start columns scores\n");
        save_lines_in(&file, "runs", "runs columns sessions\n");
        assert_eq!(read_text(&file).unwrap(), "start columns scores\nruns columns sessions\n");

        fs::write(&file, b"\xff\xfe\n").unwrap();
        assert_eq!(read_text(&file).unwrap(), "\u{fffd}\u{fffd}\n");
    }
}
