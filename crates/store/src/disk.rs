//! Metadata, entries and contents of paths, be they paths of the disk or addresses; the insides of container files are
//! not known here.
//!
//! Every reader of recordings uses this module, never `std::fs`: so a recording on remote storage is read as one of the
//! disk is.

use std::{
    borrow::Cow,
    ffi::OsString,
    fs,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use trajview_formats::HEAD_BYTES;

use super::{
    links, path_memo,
    path_meta::PathKind,
    remote::{self, is_address},
};

pub use super::path_meta::{PathMeta, modified_nanos};

pub fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Returns the metadata of a path; a link is not followed, unless it is how the cache of a model hub names a file.
pub fn symlink_metadata(path: &Path) -> io::Result<PathMeta> {
    if is_address(path) {
        return remote::path_meta(path);
    }
    path_memo::path_meta(path, false, || {
        let meta = fs::symlink_metadata(path)?;
        let hub_file = if meta.is_symlink() { links::cached_hub_file(path) } else { None };
        let meta = hub_file.map_or(Ok(meta), fs::metadata)?;
        Ok(PathMeta::from_disk(&meta))
    })
}

/// Returns the kind of a path, as [`symlink_metadata`] has it.
pub(crate) fn symlink_kind(path: &Path) -> io::Result<PathKind> {
    match path_memo::listed_kind(path) {
        Some(kind) => Ok(kind),
        None => symlink_metadata(path).map(|meta| meta.kind()),
    }
}

/// Returns the metadata of a path; a link is followed.
pub fn metadata(path: &Path) -> io::Result<PathMeta> {
    match is_address(path) {
        true => remote::path_meta(path),
        false => path_memo::path_meta(path, true, || {
            fs::metadata(path).map(|meta| PathMeta::from_disk(&meta))
        }),
    }
}

/// Returns the kind of a path, as [`metadata`] has it.
fn followed_kind(path: &Path) -> io::Result<PathKind> {
    match path_memo::listed_kind(path) {
        Some(kind) => Ok(kind),
        None => metadata(path).map(|meta| meta.kind()),
    }
}

/// Returns whether a path exists; a link is followed.
pub fn exists(path: &Path) -> bool {
    metadata(path).is_ok()
}

/// Returns whether a path is a folder, or a link to one.
pub fn is_dir(path: &Path) -> bool {
    followed_kind(path).is_ok_and(|kind| kind == PathKind::Folder)
}

/// Returns whether a path is a file, or a link to one.
pub fn is_file(path: &Path) -> bool {
    followed_kind(path).is_ok_and(|kind| kind == PathKind::File)
}

/// Returns the paths directly in a folder, in the order of the names; empty where it is no folder.
pub fn list_folder(folder: &Path) -> Vec<PathBuf> {
    if is_address(folder) {
        let names = remote::entry_names(folder).unwrap_or_default();
        return names.into_iter().map(|name| folder.join(name)).collect();
    }
    let list = path_memo::folder_list(folder);
    list.iter().flat_map(|list| &list.entries).map(|(name, _)| folder.join(name)).collect()
}

/// Returns the names in a folder of the disk, sorted; None where there are more than `most`. Errors where one of them cannot
/// be read: a folder may have files that can be opened, and no list.
pub(crate) fn list_names(folder: &Path, most: usize) -> io::Result<Option<Vec<OsString>>> {
    if let Some(names) = path_memo::listed_names(folder) {
        return Ok((names.len() <= most).then_some(names));
    }
    let entries = fs::read_dir(folder)?.take(most + 1);
    let names = entries.map(|entry| entry.map(|it| it.file_name()));
    let mut names = names.collect::<io::Result<Vec<OsString>>>()?;
    names.sort_unstable();
    Ok((names.len() <= most).then_some(names))
}

/// Returns a path without links and from the root on; an address is one already. Errors where nothing is there.
pub fn canonical_path(path: &Path) -> io::Result<PathBuf> {
    if is_address(path) { Ok(path.to_owned()) } else { fs::canonicalize(path) }
}

/// Returns a path from the root on; an address is one already.
pub fn absolute_path(path: &Path) -> PathBuf {
    let from_root = if is_address(path) { None } else { std::path::absolute(path).ok() };
    from_root.unwrap_or_else(|| path.to_owned())
}

/// Returns the file of the disk that has the content of a path: the path itself, or what was fetched of an address.
pub(crate) fn local_file(path: &Path) -> io::Result<Cow<'_, Path>> {
    Ok(match is_address(path) {
        true => Cow::Owned(remote::fetch_file(path)?),
        false => Cow::Borrowed(path),
    })
}

/// Returns the folder of the disk that has the content of a repository of git.
pub(crate) fn local_repository(path: &Path) -> io::Result<Cow<'_, Path>> {
    Ok(match is_address(path) {
        true => Cow::Owned(remote::fetch_repository(path)?),
        false => Cow::Borrowed(path),
    })
}

pub fn open_file(path: &Path) -> io::Result<fs::File> {
    fs::File::open(local_file(path)?)
}

pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(local_file(path)?)
}

/// Returns the first [`HEAD_BYTES`] of a file, and how many it has. Of an address no more than that is fetched.
pub fn read_start(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    if is_address(path) {
        return remote::read_start(path);
    }
    let file = open_file(path)?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    (&file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok((head, file.metadata()?.len()))
}

/// A file that is read here and there: of an address only those parts are fetched that are read.
#[derive(Debug)]
pub enum PathReader {
    Disk(fs::File),
    Address { path: PathBuf, len: u64, at: u64 },
}

impl PathReader {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(match is_address(path) {
            true => {
                Self::Address { path: path.to_owned(), len: remote::path_meta(path)?.len(), at: 0 }
            }
            false => Self::Disk(fs::File::open(path)?),
        })
    }

    /// Opens the same file again. Both share one position, which does not matter to a reader that seeks before it
    /// reads.
    #[cfg(feature = "parquet")]
    pub fn reopen(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Disk(file) => Self::Disk(file.try_clone()?),
            Self::Address { path, len, .. } => {
                Self::Address { path: path.clone(), len: *len, at: 0 }
            }
        })
    }

    /// Returns the size of the whole file in bytes; 0 where it is not known.
    #[cfg(feature = "parquet")]
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Disk(file) => file.metadata().map_or(0, |meta| meta.len()),
            Self::Address { len, .. } => *len,
        }
    }

    /// Adds a buffer, whose size suits the place of the file.
    pub(crate) fn into_buffered(self) -> BufReader<Self> {
        match self {
            Self::Disk(_) => BufReader::new(self),
            Self::Address { .. } => BufReader::with_capacity(remote::BLOCK_BYTES, self),
        }
    }
}

impl Read for PathReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(into),
            Self::Address { path, at, .. } => {
                let read = remote::read_at(path, *at, into)?;
                *at += read as u64;
                Ok(read)
            }
        }
    }
}

impl Seek for PathReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (len, at) = match self {
            Self::Disk(file) => return file.seek(to),
            Self::Address { len, at, .. } => (*len, at),
        };
        let new = match to {
            SeekFrom::Start(new) => Some(new),
            SeekFrom::End(by) => len.checked_add_signed(by),
            SeekFrom::Current(by) => at.checked_add_signed(by),
        };
        *at = new.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(*at)
    }
}
