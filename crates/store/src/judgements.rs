//! Judgement files of a bundle: `judgements/<judge>-<time>-<n>.json`. One is only ever replaced by a longer version of
//! itself, whole, and never again once every component has an answer; the writer sees to that.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{
    disk,
    entries::{entries_of, is_folder, is_plain_file, name_of},
    write::{WriteError, new_file, require_on_disk, sync_folder, write_error, write_part},
};

/// The folder of a bundle's judgements.
#[derive(Debug, Clone)]
pub struct JudgementFolder {
    folder: PathBuf,
}

/// A judgement while it is made.
#[derive(Debug)]
pub struct JudgementFile {
    path: PathBuf,
}

/// The most bytes of a file of judgements; larger files were not written here.
const MOST_BYTES: u64 = 8 << 20;

/// The most bytes of all files together that are read.
const MOST_TOGETHER: u64 = 64 << 20;

impl JudgementFolder {
    /// Returns the judgements of the bundle in this folder; nothing is created yet.
    pub fn in_bundle(bundle: &Path) -> Self {
        Self { folder: bundle.join("judgements") }
    }

    /// Returns the crash tests of judges of the bundle in this folder. They lie apart from the judgements: what a judge says of an
    /// edited tree is no score of the run.
    pub fn crash_tests_in_bundle(bundle: &Path) -> Self {
        Self { folder: bundle.join("crash-tests") }
    }

    /// Returns the time when a file was last added, removed or replaced; None where nothing was judged yet.
    pub fn changed_at(&self) -> Option<SystemTime> {
        disk::metadata(&self.folder).ok()?.modified
    }

    /// Creates a file with this content. `name` is made safe; where the name is taken this fails and changes nothing.
    pub fn create(&self, name: &str, content: &[u8]) -> Result<JudgementFile, WriteError> {
        self.make_folder()?;
        let path = self.folder.join(format!("{}.json", safe_name(name)));
        new_file(&path, content)?;
        Ok(JudgementFile { path })
    }

    /// Opens an existing file to continue it.
    pub fn reopen(&self, name: &str) -> JudgementFile {
        JudgementFile { path: self.folder.join(name) }
    }

    /// Returns the names and contents of the files, sorted by name; a file that cannot be read is left out.
    pub fn read_all(&self) -> Vec<(String, Vec<u8>)> {
        if !is_folder(&self.folder) {
            return vec![];
        }
        let mut paths = entries_of(&self.folder);
        paths.sort();
        let is_ours = |path: &PathBuf| {
            let size = disk::metadata(path).map_or(u64::MAX, |meta| meta.len());
            name_of(path).ends_with(".json") && is_plain_file(path) && size <= MOST_BYTES
        };
        let mut left = MOST_TOGETHER;
        let read = |path: PathBuf| {
            let bytes = disk::read_file(&path).ok()?;
            left = left.checked_sub(bytes.len() as u64)?;
            Some((name_of(&path).to_owned(), bytes))
        };
        paths.into_iter().filter(is_ours).filter_map(read).collect()
    }

    /// Makes the folder. It is no failure where another program makes it at the same moment.
    fn make_folder(&self) -> Result<(), WriteError> {
        require_on_disk(&self.folder)?;
        let made = fs::create_dir(&self.folder);
        match fs::symlink_metadata(&self.folder) {
            Ok(meta) if meta.is_dir() => Ok(()),
            Ok(meta) => {
                let what =
                    if meta.is_symlink() { "is a link; not followed" } else { "is not a folder" };
                Err(WriteError::new(&self.folder, what))
            }
            Err(_) => made.map_err(|why| write_error(&self.folder, &why)),
        }
    }
}

impl JudgementFile {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the content in one step; after a failure the old one is still there.
    pub fn save(&self, content: &[u8]) -> Result<(), WriteError> {
        let part = write_part(&self.path, content)?;
        let renamed = fs::rename(&part, &self.path);
        if renamed.is_err() {
            let _ = fs::remove_file(&part); // the failure to rename is reported
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        renamed.and_then(|()| sync_folder(folder)).map_err(|why| write_error(&self.path, &why))
    }

    /// Removes the file again: nothing was judged.
    pub fn discard(self) -> Result<(), WriteError> {
        fs::remove_file(&self.path).map_err(|why| write_error(&self.path, &why))
    }
}

/// Returns a safe file name: letters, digits, `-`, `_` and `.` within; everything else becomes `_`.
fn safe_name(name: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = name.chars().map(|c| if is_kept(c) { c } else { '_' }).take(150).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        entries_of(folder).iter().map(|path| name_of(path).to_owned()).collect()
    }

    #[test]
    fn a_file_is_made_once_and_grows_in_place() {
        let bundle = tempfile::tempdir().unwrap();
        let judgements = JudgementFolder::in_bundle(bundle.path());

        let file = judgements.create("gpt/../4-1", b"one").unwrap();
        let again = judgements.create("gpt/../4-1", b"other").unwrap_err().to_string();
        file.save(b"one, two").unwrap();

        assert!(again.ends_with("gpt_.._4-1.json: already exists; never overwritten"), "{again}");
        assert_eq!(judgements.read_all(), [("gpt_.._4-1.json".into(), b"one, two".to_vec())]);
        assert_eq!(names_in(&bundle.path().join("judgements")), ["gpt_.._4-1.json"]);
        file.discard().unwrap();
        assert_eq!(judgements.read_all(), []);
    }

    #[test]
    fn what_is_no_folder_is_told() {
        let bundle = tempfile::tempdir().unwrap();
        fs::write(bundle.path().join("judgements"), "mine").unwrap();

        let why =
            JudgementFolder::in_bundle(bundle.path()).create("a", b"").unwrap_err().to_string();

        assert!(why.ends_with("judgements: is not a folder"), "{why}");
        assert_eq!(fs::read(bundle.path().join("judgements")).unwrap(), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_neither_written_through_nor_read_through() {
        let (bundle, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("a.json"), "theirs").unwrap();
        std::os::unix::fs::symlink(outside.path(), bundle.path().join("judgements")).unwrap();
        let judgements = JudgementFolder::in_bundle(bundle.path());

        let why = judgements.create("b", b"").unwrap_err().to_string();

        assert!(why.ends_with("judgements: is a link; not followed"), "{why}");
        assert_eq!(judgements.read_all(), []);
        assert_eq!(names_in(outside.path()), ["a.json"]);
    }
}
