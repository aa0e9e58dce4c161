//! Judgement files of a bundle: `judgements/<judge>-<time>-<n>.json`. One is only ever replaced by a longer version of
//! itself, whole, and never again once every component has an answer; the writer sees to that.

use std::{
    cmp::Reverse,
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
    limits: FolderLimits,
}

/// A judgement while it is made.
#[derive(Debug)]
pub struct JudgementFile {
    path: PathBuf,
    most_bytes: u64,
}

/// The most bytes that are read.
#[derive(Debug, Clone, Copy)]
struct FolderLimits {
    /// Of one file; a larger one is not written either.
    file: u64,
    /// Of all files together.
    together: u64,
}

const JUDGEMENT_LIMITS: FolderLimits = FolderLimits { file: 8 << 20, together: 64 << 20 };

/// A crash test has an answer for each planted edit of each component of its sample.
const CRASH_TEST_LIMITS: FolderLimits = FolderLimits { file: 64 << 20, together: 256 << 20 };

impl JudgementFolder {
    /// Returns the judgements of the bundle in this folder; nothing is created yet.
    pub fn in_bundle(bundle: &Path) -> Self {
        Self { folder: bundle.join("judgements"), limits: JUDGEMENT_LIMITS }
    }

    /// Returns the crash tests of judges of the bundle in this folder. They lie apart from the judgements: what a judge says of an
    /// edited tree is no score of the run.
    pub fn crash_tests_in_bundle(bundle: &Path) -> Self {
        Self { folder: bundle.join("crash-tests"), limits: CRASH_TEST_LIMITS }
    }

    /// Returns the time when a file was last added, removed or replaced; None where nothing was judged yet.
    pub fn changed_at(&self) -> Option<SystemTime> {
        disk::metadata(&self.folder).ok()?.modified
    }

    /// Creates a file with this content. `name` is made safe; where the name is taken this fails and changes nothing.
    pub fn create(&self, name: &str, content: &[u8]) -> Result<JudgementFile, WriteError> {
        self.make_folder()?;
        let path = self.folder.join(format!("{}.json", safe_name(name)));
        let file = JudgementFile { path, most_bytes: self.limits.file };
        file.check_size(content)?;
        new_file(&file.path, content)?;
        Ok(file)
    }

    /// Opens an existing file to continue it.
    pub fn reopen(&self, name: &str) -> JudgementFile {
        JudgementFile { path: self.folder.join(name), most_bytes: self.limits.file }
    }

    /// Returns the names and contents of the files, sorted by name; a file that cannot be read is left out. Of too many
    /// bytes the newest files are read.
    pub fn read_all(&self) -> Vec<(String, Vec<u8>)> {
        if !is_folder(&self.folder) {
            return vec![];
        }
        let mut paths = entries_of(&self.folder);
        paths.sort_by_cached_key(|path| {
            let modified = disk::metadata(path).ok().and_then(|meta| meta.modified);
            (Reverse(modified), path.clone())
        });
        let is_ours = |path: &PathBuf| {
            let size = disk::metadata(path).map_or(u64::MAX, |meta| meta.len());
            name_of(path).ends_with(".json") && is_plain_file(path) && size <= self.limits.file
        };
        let mut left = self.limits.together;
        let read = |path: PathBuf| {
            let bytes = disk::read_file(&path).ok()?;
            left = left.checked_sub(bytes.len() as u64)?;
            Some((name_of(&path).to_owned(), bytes))
        };
        let mut files: Vec<_> = paths.into_iter().filter(is_ours).filter_map(read).collect();
        files.sort();
        files
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

    /// Fails where a file of this content would never be read again.
    fn check_size(&self, content: &[u8]) -> Result<(), WriteError> {
        if content.len() as u64 <= self.most_bytes {
            return Ok(());
        }
        let (size, most) = (content.len(), self.most_bytes);
        let why = format!("would have {size} bytes; more than {most} are not read, so not written");
        Err(WriteError::new(&self.path, why))
    }

    /// Replaces the content in one step; after a failure the old one is still there.
    pub fn save(&self, content: &[u8]) -> Result<(), WriteError> {
        self.check_size(content)?;
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
    fn nothing_is_written_that_is_not_read_and_the_newest_are_read_first() {
        let bundle = tempfile::tempdir().unwrap();
        let limits = FolderLimits { file: 4, together: 6 };
        let judgements = JudgementFolder { limits, ..JudgementFolder::in_bundle(bundle.path()) };

        let too_large = judgements.create("c", b"12345").unwrap_err().to_string();
        let old = judgements.create("a", b"1234").unwrap();
        let too_long = old.save(b"12345").unwrap_err().to_string();
        judgements.create("b", b"5678").unwrap();
        let on_disk = fs::File::options().write(true).open(old.path()).unwrap();
        on_disk.set_modified(SystemTime::UNIX_EPOCH).unwrap();

        let why = "would have 5 bytes; more than 4 are not read, so not written";
        assert!(too_large.ends_with(why) && too_long.ends_with(why), "{too_large} {too_long}");
        assert_eq!(fs::read(old.path()).unwrap(), b"1234");
        assert_eq!(judgements.read_all(), [("b.json".into(), b"5678".to_vec())]);
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
