//! Names, entries and contents of paths, without what stands inside of files: those of the disk, and addresses.
//!
//! Whatever reads a recording asks here, never `std::fs`: so a recording on remote storage is read as one of the disk is.

use std::{
    borrow::Cow,
    fs,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use trajview_formats::HEAD_BYTES;

use super::remote::{self, is_address};

pub use super::meta::{Meta, written};

pub fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// What stands at a path; a link is a link.
pub fn symlink_metadata(path: &Path) -> io::Result<Meta> {
    match is_address(path) {
        true => remote::meta(path),
        false => fs::symlink_metadata(path).map(|meta| Meta::of_disk(&meta)),
    }
}

/// What stands at a path, where a link leads.
pub fn metadata(path: &Path) -> io::Result<Meta> {
    match is_address(path) {
        true => remote::meta(path),
        false => fs::metadata(path).map(|meta| Meta::of_disk(&meta)),
    }
}

/// Whether something stands at a path; a link is followed.
pub fn exists(path: &Path) -> bool {
    metadata(path).is_ok()
}

/// Whether a path is a folder, or a link to one.
pub fn is_dir(path: &Path) -> bool {
    metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Whether a path is a file, or a link to one.
pub fn is_file(path: &Path) -> bool {
    metadata(path).is_ok_and(|meta| meta.is_file())
}

/// What stands directly in a folder, in the order of the names; nothing where it is none.
pub fn listed(folder: &Path) -> Vec<PathBuf> {
    if is_address(folder) {
        let names = remote::entries(folder).unwrap_or_default();
        return names.into_iter().map(|name| folder.join(name)).collect();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A path without links and from the root on; an address is one already. Errors where nothing is there.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    if is_address(path) { Ok(path.to_owned()) } else { fs::canonicalize(path) }
}

/// A path from the root on; an address is one already.
pub fn absolute(path: &Path) -> PathBuf {
    let whole = if is_address(path) { None } else { std::path::absolute(path).ok() };
    whole.unwrap_or_else(|| path.to_owned())
}

/// The file of the disk that has the content of a path: the path itself, or what was fetched of an address.
pub fn local(path: &Path) -> io::Result<Cow<'_, Path>> {
    Ok(match is_address(path) {
        true => Cow::Owned(remote::file(path)?),
        false => Cow::Borrowed(path),
    })
}

/// The folder of the disk that has the content of a repository of git.
pub fn local_repository(path: &Path) -> io::Result<Cow<'_, Path>> {
    Ok(match is_address(path) {
        true => Cow::Owned(remote::repository(path)?),
        false => Cow::Borrowed(path),
    })
}

pub fn open(path: &Path) -> io::Result<fs::File> {
    fs::File::open(local(path)?)
}

pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(local(path)?)
}

/// The first [`HEAD_BYTES`] of a file, and how many it has. Of an address no more than that is fetched.
pub fn start(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    if is_address(path) {
        return remote::start(path);
    }
    let file = open(path)?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    (&file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok((head, file.metadata()?.len()))
}

/// A file that is read here and there: of an address only those parts are fetched that are read.
#[derive(Debug)]
pub enum Reader {
    Disk(fs::File),
    Address { path: PathBuf, len: u64, at: u64 },
}

impl Reader {
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(match is_address(path) {
            true => Self::Address { path: path.to_owned(), len: remote::meta(path)?.len(), at: 0 },
            false => Self::Disk(fs::File::open(path)?),
        })
    }

    /// The same file; where one of them is read does not matter to whoever seeks before reading.
    #[cfg(feature = "parquet")]
    pub fn again(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Disk(file) => Self::Disk(file.try_clone()?),
            Self::Address { path, len, .. } => {
                Self::Address { path: path.clone(), len: *len, at: 0 }
            }
        })
    }

    /// Bytes of the whole file; 0 where that is not told.
    #[cfg(feature = "parquet")]
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Disk(file) => file.metadata().map_or(0, |meta| meta.len()),
            Self::Address { len, .. } => *len,
        }
    }

    /// With as much read at once as costs little there.
    pub fn buffered(self) -> BufReader<Self> {
        match self {
            Self::Disk(_) => BufReader::new(self),
            Self::Address { .. } => BufReader::with_capacity(remote::BLOCK, self),
        }
    }
}

impl Read for Reader {
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

impl Seek for Reader {
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
