//! Writing a folder so that it is there whole or not at all.
//!
//! A [`FolderDraft`] is a folder beside the one that is wanted. It is filled, every file of it is brought to the disk,
//! and then it takes the wanted name in one step. A draft that is dropped before leaves nothing behind.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use trajview_run::RepoPath;

use super::{file_bytes, remote};

/// A folder that is being filled before it gets its name.
#[derive(Debug)]
pub struct FolderDraft {
    target: PathBuf,
    folder: PathBuf,
    /// The folders above the target that were not there before, outermost first.
    new_folders: Vec<PathBuf>,
    is_published: bool,
}

/// The reason why a folder cannot be written, in a sentence.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The place is taken already. Exit code 2.
    #[error("{}: {why}", path.display())]
    Taken { path: PathBuf, why: String },
    /// Exit code 3.
    #[error("cannot write {}: {why}", path.display())]
    Write { path: PathBuf, why: String },
}

impl WriteError {
    pub fn new(path: &Path, why: impl Into<String>) -> Self {
        Self::Write { path: path.to_owned(), why: why.into() }
    }

    /// Returns a function that turns the error of some work into a write error of this path.
    pub fn at_path<W: std::fmt::Display>(path: &Path) -> impl Fn(W) -> Self + Copy {
        move |why| Self::new(path, why.to_string())
    }
}

impl FolderDraft {
    /// Returns a draft of `target`, which must not exist, or be an empty folder.
    pub(crate) fn for_target(target: &Path) -> Result<Self, WriteError> {
        require_free(target)?;
        let name = target.file_name().ok_or_else(|| WriteError::Taken {
            path: target.to_owned(),
            why: "not a name for a new folder".into(),
        })?;
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let mut name = name.to_os_string();
        name.push(format!(".part-{}", std::process::id()));
        let folder = parent.join(name);
        let new_folders = make_folders(&parent)?;
        let draft = Self { target: target.to_owned(), folder, new_folders, is_published: false };
        fs::create_dir(&draft.folder).map_err(|why| write_error(&draft.folder, &why))?;
        Ok(draft)
    }

    /// Returns the folder as it is being filled.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a new file below the folder; the name cannot leave it.
    pub fn write_file(&self, name: &RepoPath, content: &[u8]) -> Result<(), WriteError> {
        let path = self.folder.join(name.as_str());
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|why| write_error(parent, &why))?;
        }
        let create = fs::OpenOptions::new().write(true).create_new(true).open(&path);
        create
            .and_then(|mut file| io::Write::write_all(&mut file, content))
            .map_err(|why| write_error(&path, &why))
    }

    /// Writes everything to the disk and gives the folder its name.
    pub fn publish(mut self) -> Result<(), WriteError> {
        sync_below(&self.folder).map_err(|why| write_error(&self.folder, &why))?;
        require_free(&self.target)?;
        if self.target.exists() {
            // Empty, or this fails.
            fs::remove_dir(&self.target).map_err(|why| write_error(&self.target, &why))?;
        }
        fs::rename(&self.folder, &self.target).map_err(|why| write_error(&self.target, &why))?;
        self.is_published = true;
        if let Some(parent) = self.folder.parent() {
            sync_folder(parent).map_err(|why| write_error(parent, &why))?;
        }
        Ok(())
    }
}

impl Drop for FolderDraft {
    fn drop(&mut self) {
        if !self.is_published {
            // Best effort: the failure that led here is the one to report.
            let _ = fs::remove_dir_all(&self.folder);
            for folder in self.new_folders.iter().rev() {
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

/// Fails where a new folder cannot be made at that place, since something is there that is not an empty folder.
pub fn require_free(target: &Path) -> Result<(), WriteError> {
    require_on_disk(target)?;
    let taken = |why: &str| WriteError::Taken { path: target.to_owned(), why: why.into() };
    let Ok(meta) = fs::symlink_metadata(target) else { return Ok(()) };
    if !meta.is_dir() {
        return Err(taken("exists already, and is not an empty folder; name another"));
    }
    let mut entries = fs::read_dir(target).map_err(|why| write_error(target, &why))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(taken("exists already and is not empty; name another folder")),
    }
}

/// Writes a file that is not there yet, whole or not at all; where the name is taken this fails and changes nothing.
pub fn new_file(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let taken = || WriteError::Taken {
        path: path.to_owned(),
        why: "already exists; never overwritten".into(),
    };
    if fs::symlink_metadata(path).is_ok() {
        return Err(taken());
    }
    let part = write_part(path, content)?;
    // A link to the new content fails where the name has been taken in the meantime; renaming would not.
    let named = match fs::hard_link(&part, path) {
        Ok(()) => fs::remove_file(&part),
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {
            let _ = fs::remove_file(&part); // the name is reported
            return Err(taken());
        }
        Err(_) => fs::rename(&part, path), // a file system without links
    };
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    named.and_then(|()| sync_folder(parent)).map_err(|why| write_error(path, &why))
}

/// Writes the content beside the file and brings it to the disk; returns its path.
pub(super) fn write_part(path: &Path, content: &[u8]) -> Result<PathBuf, WriteError> {
    require_on_disk(path)?;
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".part-{}", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::File::create(&part).and_then(|mut file| {
        io::Write::write_all(&mut file, content)?;
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(part),
        Err(why) => {
            let _ = fs::remove_file(&part); // the failure to write is reported
            Err(write_error(path, &why))
        }
    }
}

/// Makes the folders that are missing up to `folder` and returns them.
fn make_folders(folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let mut missing: Vec<PathBuf> =
        folder.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    missing.reverse();
    fs::create_dir_all(folder).map_err(|why| write_error(folder, &why))?;
    Ok(missing)
}

fn sync_below(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if fs::symlink_metadata(&path)?.is_dir() {
            sync_below(&path)?;
        } else {
            fs::File::open(&path)?.sync_all()?;
        }
    }
    sync_folder(folder)
}

/// Brings the names in a folder to the disk. Does nothing elsewhere than on unix, where a folder cannot be opened as a file.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// The end of the name of an unfinished file, before a number.
const PART_SUFFIX: &str = ".part-";

/// Removes the unfinished files of a folder.
pub fn sweep_parts(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().contains(PART_SUFFIX) {
            let path = entry.path();
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)); // a leftover does no harm
        }
    }
}

/// Returns the name of an unfinished file or folder.
pub fn part_name(name: impl AsRef<OsStr>) -> OsString {
    let mut name = name.as_ref().to_owned();
    name.push(format!("{PART_SUFFIX}{}", std::process::id()));
    name
}

/// Replaces the content of a file in one step: a reader finds the old one or the new one, whole.
pub fn replace_file(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    replace_through(path.parent().unwrap_or(Path::new("")), path, content)
}

/// Works as [`replace_file`]; until it is whole the new content lies in `folder`, which is on the same disk.
pub fn replace_through(folder: &Path, path: &Path, content: &[u8]) -> Result<(), WriteError> {
    require_on_disk(path)?;
    let part = folder.join(part_name(path.file_name().unwrap_or_default()));
    let replaced = fs::File::create(&part)
        .and_then(|mut file| {
            io::Write::write_all(&mut file, content)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&part, path))
        .and_then(|()| sync_folder(path.parent().unwrap_or(Path::new("."))));
    replaced.map_err(|why| {
        let _ = fs::remove_file(&part); // the first failure is reported
        write_error(path, &why)
    })
}

/// Refuses to write to remote storage: the text of an address would be taken for the path of a local folder.
pub(super) fn require_on_disk(path: &Path) -> Result<(), WriteError> {
    remote::refuse_writing(path).map_err(|why| write_error(path, &why))
}

pub(super) fn write_error(path: &Path, why: &io::Error) -> WriteError {
    WriteError::new(path, file_bytes::error_reason(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repo_path(path: &str) -> RepoPath {
        RepoPath::new(path).unwrap()
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_appears_whole() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("new/run");
        let draft = FolderDraft::for_target(&target).unwrap();
        draft.write_file(&repo_path("a/b.txt"), b"words").unwrap();
        assert!(!target.exists());

        draft.publish().unwrap();

        assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"words");
        assert_eq!(names_in(&place.path().join("new")), ["run"]);
    }

    #[test]
    fn a_draft_that_is_given_up_leaves_nothing_behind() {
        let place = tempfile::tempdir().unwrap();
        let draft = FolderDraft::for_target(&place.path().join("new/run")).unwrap();
        draft.write_file(&repo_path("a"), b"words").unwrap();

        drop(draft);

        assert_eq!(names_in(place.path()), Vec::<String>::new());
    }

    #[test]
    fn what_is_there_already_is_never_written_over() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "mine").unwrap();

        let full = FolderDraft::for_target(place.path()).unwrap_err().to_string();
        let file = FolderDraft::for_target(&place.path().join("file")).unwrap_err().to_string();

        assert!(full.ends_with("exists already and is not empty; name another folder"), "{full}");
        assert!(
            file.ends_with("exists already, and is not an empty folder; name another"),
            "{file}"
        );
        assert_eq!(names_in(place.path()), ["file"]);
    }

    #[test]
    fn an_empty_folder_may_be_filled() {
        let place = tempfile::tempdir().unwrap();
        let draft = FolderDraft::for_target(place.path()).unwrap();
        draft.write_file(&repo_path("a"), b"").unwrap();

        draft.publish().unwrap();

        assert_eq!(names_in(place.path()), ["a"]);
    }
}
